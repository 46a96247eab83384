"""The cache of results of earlier runs, valid as long as the files that they depend on are unchanged."""

from __future__ import annotations
