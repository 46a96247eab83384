"""gblint where code is written."""

from __future__ import annotations
