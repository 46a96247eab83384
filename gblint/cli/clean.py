"""``gblint clean``: empty the cache."""

from __future__ import annotations

from pathlib import Path

import click

from gblint.cli.file_option import FileOption
from gblint.cli.output import Streams
from gblint.cli.statuses import CLEAN, ERROR
from gblint.report.summary import counted


@click.command(short_help="Empty the cache.")
@click.option(
    "--cache-dir",
    type=FileOption(file_okay=False),
    metavar="FOLDER",
    help="The cache to empty (default: $GBLINT_CACHE_DIR, or the user's cache folder).",
)
@click.option("-q", "--quiet", is_flag=True, help="Print errors only.")
def clean(*, cache_dir: Path | None, quiet: bool) -> int:
    """Remove the cached results of `gblint check`. The verdicts of `gblint confirm` stay."""
    from gblint.cache.store import Cache

    streams = Streams(quiet=quiet)
    cache = Cache.default() if cache_dir is None else Cache(cache_dir)
    try:
        number, size = cache.clear()
    except OSError as error:
        streams.error(f"{cache.folder}: cannot be emptied: {error.strerror or error}")
        return ERROR
    streams.note(f"{cache.folder.parent}: {counted(number, 'entry', 'entries')} removed, {size / 1e6:.1f} MB")
    return CLEAN
