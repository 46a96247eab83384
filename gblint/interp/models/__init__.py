"""Models of callables without analysed source: torch, Python with its standard library, numpy."""

from __future__ import annotations
