"""The configuration: ``[tool.gblint]`` in pyproject.toml or gblint.toml, read and validated."""

from __future__ import annotations
