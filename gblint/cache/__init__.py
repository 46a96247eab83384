"""The cache: the findings of earlier runs, stored by the contents of the files that they depend on."""

from __future__ import annotations
