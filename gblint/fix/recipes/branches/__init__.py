"""Recipes for branches on the value of a tensor."""

from __future__ import annotations
