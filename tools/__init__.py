"""Tools for the maintainers of gblint; no part of the installed package."""
