"""The part of the package metadata that pyproject.toml cannot express: the packages, and the compiled build.

``gblint.rules`` lies in ``rules/``.  With GBLINT_USE_MYPYC=1 most of gblint is compiled: see the folder ``compiled``.
"""

from __future__ import annotations

import os
import sys
from importlib.util import find_spec
from typing import Any

from setuptools import find_packages, setup

# Build requirements of the compiled build, by the name of the imported module.  The lint run of GBLINT_PROFILE=1 needs
# no dependency of gblint.
BUILD_REQUIREMENTS = {"mypyc": "mypy[mypyc]==2.4.1"}


def compiled() -> dict[str, Any]:
    """Return the arguments of a compiled build.  pip installs ``setup_requires`` before it builds."""
    if os.environ.get("GBLINT_USE_MYPYC", "0") in ("", "0"):
        return {}
    missing = [requirement for module, requirement in BUILD_REQUIREMENTS.items() if find_spec(module) is None]
    required = {"setup_requires": missing} if missing else {}
    if not {"build_ext", "bdist_wheel", "editable_wheel"} & set(sys.argv):
        return required
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    from compiled.build import Build, extensions

    return {**required, "ext_modules": extensions(), "cmdclass": {"build_ext": Build}, "zip_safe": False}


RULES = ["gblint.rules", *(f"gblint.rules.{family}" for family in find_packages("rules"))]

setup(packages=[*find_packages(include=["gblint", "gblint.*"]), *RULES], **compiled())
