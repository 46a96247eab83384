"""``gblint completion``: the completion script of a shell."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from gblint.cli.output import Streams
from gblint.cli.statuses import CLEAN

_INTO = {
    "bash": '# In ~/.bashrc: eval "$(gblint completion bash)"',
    "zsh": '# In ~/.zshrc: eval "$(gblint completion zsh)"',
    "fish": "# gblint completion fish > ~/.config/fish/completions/gblint.fish",
}


@click.command(short_help="Print the completion script of a shell.")
@click.argument("shell", type=click.Choice(list(_INTO)))
def completion(shell: str) -> int:
    """Print the script with which a shell completes commands, options and their values.

    The first line of the script says how to install it.
    """
    from gblint.cli.main import gblint

    found = get_completion_class(shell)
    assert found is not None
    Streams().report([_INTO[shell], *found(gblint, {}, "gblint", "_GBLINT_COMPLETE").source().splitlines()])
    return CLEAN
