"""Changes of the source that take a break away: recipes, the edits they make, and the files that are rewritten."""

from __future__ import annotations
