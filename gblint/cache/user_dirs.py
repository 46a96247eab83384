"""The folders of data that gblint keeps between runs."""

from __future__ import annotations

from pathlib import Path


def user_cache() -> Path:
    """Return the cache folder of gblint, which may not exist."""
    import platformdirs

    return Path(platformdirs.user_cache_dir("gblint"))


def confirmations() -> Path:
    """Return the folder of confirmations, one file for each source file; it may not exist."""
    return user_cache() / "confirmations"
