"""Findings that a change of the code's structure must not change."""
