"""The command line: thin commands that parse options, call one function, and print."""

from __future__ import annotations
