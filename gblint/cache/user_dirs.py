"""Where gblint keeps what outlives a run."""

from __future__ import annotations

from pathlib import Path


def user_cache() -> Path:
    """The folder of gblint's among the caches of the user; it may not be there."""
    import platformdirs

    return Path(platformdirs.user_cache_dir("gblint"))


def confirmations() -> Path:
    """What runs have shown, a file for each source file; it may not be there."""
    return user_cache() / "confirmations"
