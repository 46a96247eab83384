"""Recipes that replace an expression by a constant that is known before the region runs."""

from __future__ import annotations
