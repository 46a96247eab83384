"""Work in several processes: a pool, forked processes, and the number of processors."""

from __future__ import annotations
