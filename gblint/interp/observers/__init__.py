"""Observers: they are told each value that the interpreter computes, and change nothing."""

from __future__ import annotations
