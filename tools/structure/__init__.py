"""Checks of the structure of the code base: imports, sizes, names and docstrings."""
