"""The processes of a confirmation: the supervisor, the job runner and the worker processes."""

from __future__ import annotations
