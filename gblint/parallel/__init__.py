"""Work in several processes: a pool, forked copies, and the number of processors."""

from __future__ import annotations
