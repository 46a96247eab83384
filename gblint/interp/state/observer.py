"""The interface of observers: objects that follow an analysis without changing it."""

from __future__ import annotations

import ast

from gblint.interp.state.frame import Frame
from gblint.values.base import Value


class Observer:
    """Receives the values, statements and calls of an interpreter; this base class ignores all of them."""

    def on_value(self, node: ast.expr, value: Value, frame: Frame) -> None:
        """``node`` has been evaluated to ``value``."""

    def on_statement(self, node: ast.stmt, frame: Frame) -> None:
        """Control reaches a statement."""

    def on_statement_passed(self, node: ast.stmt, frame: Frame) -> None:
        """Control gets past a statement."""

    def on_call(self, frame: Frame, node: ast.AST) -> None:
        """The call at ``node`` begins, made by the code of ``frame``."""

    def on_return(self) -> None:
        """The call that began last has ended, normally or by an exception."""
