"""Recipes for loops that end depending on the value of a tensor."""

from __future__ import annotations
