"""Integration of gblint into editors: the language server and the flake8 plugin."""

from __future__ import annotations
