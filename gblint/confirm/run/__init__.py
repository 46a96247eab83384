"""Processes of a run: runner (in gblint's process), supervisor, worker, and the worker's child processes."""

from __future__ import annotations
