"""What pyproject.toml cannot say: every package below gblint/, and rules/ as gblint.rules."""

from __future__ import annotations

from setuptools import find_packages, setup

setup(packages=[*find_packages(include=["gblint", "gblint.*"]), "gblint.rules"])
