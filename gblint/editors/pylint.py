"""The pylint plugin: the findings of the whole project, as messages of pylint.

Breaks are found from entry points, which are seldom in the linted file.  So the plugin analyses the whole project once
in a run of pylint and reports the findings of each module.  GBL101 is the message W8101, with the name of the rule as
its symbol.  pylint wants the messages of a checker to share two digits: there is one checker for each hundred of codes.
"""

from __future__ import annotations

import multiprocessing
from pathlib import Path
from typing import TYPE_CHECKING

from pylint.checkers import BaseChecker

from gblint.diagnostics.break_event import Category
from gblint.editors.plugin_analyses import Analyses, PluginOptions, project_root
from gblint.editors.plugin_options import LISTS, OPTIONS, mentions_torch
from gblint.rules import all_rules

if TYPE_CHECKING:
    from astroid import nodes  # type: ignore[import-untyped]
    from pylint.lint import PyLinter

    from gblint.rules import Rule

TROUBLE = "gblint-cannot-run"
_LETTERS = {Category.COMPILE_ERROR: "E", Category.DIVERGENCE: "E"}


def register(linter: PyLinter) -> None:
    """Add the checkers; pylint calls this when it loads the plugin."""
    linter.register_checker(TroubleChecker(linter))
    for hundred in sorted({rule.code[3] for rule in all_rules()}):
        linter.register_checker(FindingsChecker(linter, hundred))


def load_configuration(linter: PyLinter) -> None:
    """Analyse the project before pylint starts its worker processes, which then share the result."""
    root = project_root(Path.cwd())
    if linter.config.jobs != 1 and multiprocessing.parent_process() is None and mentions_torch(root):
        _analyses(linter).share_with_workers([root])


def message_id(rule: Rule) -> str:
    """Return the id of a rule's messages in pylint: W8101 for GBL101, E for errors and changed results."""
    return f"{_LETTERS.get(rule.category, 'W')}8{rule.code[3:]}"


class TroubleChecker(BaseChecker):
    """The checker that reports a failed analysis; it has the options of the plugin."""

    name = "gblint"
    options = tuple(
        (
            f"gblint-{name}",
            {"default": None, "type": "csv" if name in LISTS else "string", "metavar": f"<{metavar}>", "help": text},
        )
        for name, metavar, text in OPTIONS
    )

    def __init__(self, linter: PyLinter) -> None:
        text = "gblint cannot analyse the project: the configuration is wrong, or gblint has a bug."
        self.msgs = {"E8000": ("%s", TROUBLE, text)}
        super().__init__(linter)

    def visit_module(self, node: nodes.Module) -> None:
        """Report why the analysis failed, once in a run."""
        if _is_relevant(node):
            for error in _analyses(self.linter).of(_root(node)).unreported_errors():
                self.add_message(TROUBLE, node=node, line=1, args=(error.partition(" ")[2],))


class FindingsChecker(BaseChecker):
    """The checker for the rules with codes of one hundred."""

    def __init__(self, linter: PyLinter, hundred: str) -> None:
        self.name = f"gblint-{hundred}xx"
        self._symbols = {rule.code: rule.name for rule in all_rules() if rule.code[3] == hundred}
        self.msgs = {
            message_id(rule): ("%s", rule.name, rule.summary, {"default_enabled": not rule.opt_in})
            for rule in all_rules()
            if rule.code[3] == hundred
        }
        super().__init__(linter)

    def visit_module(self, node: nodes.Module) -> None:
        """Report the findings in a module."""
        if not _is_relevant(node):
            return
        path, root, analyses = Path(node.file).absolute(), _root(node), _analyses(self.linter)
        text = _unsaved_text(node)
        analysis = analyses.of(root) if text is None else analyses.with_text(root, path, text)
        for line, column, message in analysis.messages.get(str(path), ()):
            code, _, words = message.partition(" ")
            symbol = self._symbols.get(code)
            if symbol is not None:
                self.add_message(symbol, node=node, line=line, col_offset=column, args=(words,))


_cached: list[tuple[PluginOptions, Analyses]] = []


def _analyses(linter: PyLinter) -> Analyses:
    """Return the analyses for the options of a linter; they are made once in a process."""
    config = linter.config
    values = {name: getattr(config, f"gblint_{name.replace('-', '_')}", None) for name, *_ in OPTIONS}
    opt_in = tuple(rule.code for rule in all_rules() if rule.opt_in and linter.is_message_enabled(rule.name))
    options = PluginOptions({name: value for name, value in values.items() if value}, opt_in)
    if not _cached or _cached[0][0] != options:
        _cached[:] = [(options, Analyses(options))]
    return _cached[0][1]


def _is_relevant(node: nodes.Module) -> bool:
    """Return whether a module may have findings; a project in which nothing mentions torch is not analysed."""
    if not node.file or node.file == "<?>":
        return False
    root = _root(node)
    if root not in _mentions:
        _mentions[root] = mentions_torch(root)
    return _mentions[root]


_mentions: dict[Path, bool] = {}


def _root(node: nodes.Module) -> Path:
    return project_root(Path(node.file).absolute())


def _unsaved_text(node: nodes.Module) -> str | None:
    """Return the text of a module that pylint has read from standard input; None for a file."""
    data = node.file_bytes
    if data is None:
        return None
    return data if isinstance(data, str) else data.decode("utf-8", "replace")
