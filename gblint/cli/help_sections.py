"""A command whose help has its options under headings."""

from __future__ import annotations

import click

_SECTIONS = (
    (
        "Files and entry points",
        "entry entries_file assume_entries follow python torch_version config isolated exclude extend_exclude"
        " stdin_filename only_changed",
    ),
    (
        "Rules",
        "select ignore extend_select extend_ignore per_file_ignores extend_per_file_ignores min_confidence reach"
        " fail_on",
    ),
    (
        "Report",
        "output_format output_file statistics show_all show_fixes confirmed_only confirmations ignore_noqa quiet color"
        " exit_zero watch",
    ),
    (
        "Fixes",
        "fix fix_only unsafe_fixes interactive fixable unfixable extend_fixable diff exit_non_zero_on_fix add_noqa"
        " remove_unused_noqa",
    ),
    ("Verifying fixes", "verify init values inputs_from device backend timeout memory measure"),
    ("Accepted findings", "baseline baseline_action strict_baseline max_graph_breaks warn_unused_noqa"),
    ("Speed", "jobs cache_dir no_cache"),
    ("Answers instead of a report", "why show_settings show_files"),
)


class Sectioned(click.Command):
    """A command whose help has sections of options; options without a section come last."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options into the formatter, section by section."""
        left = [param for param in self.get_params(ctx) if isinstance(param, click.Option)]
        for title, names in _SECTIONS:
            wanted = names.split()
            chosen = [param for param in left if param.name in wanted]
            left = [param for param in left if param.name not in wanted]
            _write(title, chosen, ctx, formatter)
        _write("Other options", left, ctx, formatter)


def _write(title: str, params: list[click.Option], ctx: click.Context, formatter: click.HelpFormatter) -> None:
    rows = [row for row in (param.get_help_record(ctx) for param in params) if row is not None]
    if rows:
        with formatter.section(title):
            formatter.write_dl(rows)
