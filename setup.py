"""The list of packages, which pyproject.toml cannot express: gblint/ with its subpackages, and rules/ as gblint.rules.

With GBLINT_USE_MYPYC=1 most of it is compiled: see the folder compiled/.
"""

from __future__ import annotations

import os
import sys
from importlib.util import find_spec
from typing import Any

from setuptools import find_packages, setup


def compiled() -> dict[str, Any]:
    """The arguments for a compiled build, in which mypyc is asked for before it is there."""
    if os.environ.get("GBLINT_USE_MYPYC", "0") in ("", "0"):
        return {}
    required = {} if find_spec("mypyc") else {"setup_requires": ["mypy[mypyc]==2.4.1"]}
    if not {"build_ext", "bdist_wheel", "editable_wheel"} & set(sys.argv):
        return required
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    from compiled.build import Build, extensions

    return {**required, "ext_modules": extensions(), "cmdclass": {"build_ext": Build}, "zip_safe": False}


RULES = ["gblint.rules", *(f"gblint.rules.{family}" for family in find_packages("rules"))]

setup(packages=[*find_packages(include=["gblint", "gblint.*"]), *RULES], **compiled())
