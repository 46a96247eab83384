"""Programs of fewer than 1,000 lines that are hard for an analysis."""

from __future__ import annotations

from benchmarks.robustness.programs import branches, classes, declarations, functions, imports, repetition, values
from benchmarks.robustness.programs.shared import PROGRAMS, Files

__all__ = ["PROGRAMS", "Files", "branches", "classes", "declarations", "functions", "imports", "repetition", "values"]
