"""``gblint server``: the language server."""

from __future__ import annotations

import logging
import sys

import click

from gblint.cli.output import Streams
from gblint.cli.statuses import ERROR


@click.command(short_help="Serve an editor.")
@click.option("--tcp", is_flag=True, help="Listen on a port instead of standard input, for one client.")
@click.option("--host", default="127.0.0.1", show_default=True, help="With --tcp: the address to listen on.")
@click.option("--port", type=click.IntRange(0, 65535), default=2087, show_default=True, help="With --tcp: the port.")
@click.option("--stdio", is_flag=True, hidden=True, help="Accepted for clients that pass it; it is the default.")
@click.option("--log-level", type=click.Choice(["error", "warning", "info", "debug"]), default="warning")
def server(tcp: bool, host: str, port: int, stdio: bool, log_level: str) -> int:
    """Serve an editor: diagnostics while you type, quick fixes, hovers (language server protocol).

    Editors start it themselves; see docs/editors.md.  Messages about the server itself go to standard error.
    """
    try:
        from gblint.editors.server.features import make
    except ImportError as error:
        Streams().error(f"the language server needs `pip install 'pygls>=2.0'` in the environment of gblint: {error}")
        return ERROR
    logging.basicConfig(stream=sys.stderr, level=log_level.upper(), format="gblint server: %(levelname)s: %(message)s")
    if log_level == "warning":
        # A client may cancel a request that was answered in the meantime; pygls warns of it.
        logging.getLogger("pygls.protocol").setLevel(logging.ERROR)
    session = make()
    if tcp:
        session.start_tcp(host, port)
    else:
        session.start_io()
    # The protocol requires status 1 if the client disconnects without an exit request.
    return 0 if session.ended else 1
