"""An observer that notes what the interpreter computes at one line of one file, and how control gets there."""

from __future__ import annotations

import ast

from gblint.diagnostics.span import ChainLink
from gblint.interp.state.frame import Frame
from gblint.interp.state.interpreter import Interpreter
from gblint.interp.state.observer import Observer
from gblint.project.modules import Module
from gblint.runtime import ast_walk
from gblint.runtime.lazy_dataclasses import dataclass, field
from gblint.values.base import Value
from gblint.values.lattice import join

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


@dataclass(slots=True)
class LineNotes:
    """Notes on the watched function.

    ``values``: the values of expressions on the line and of conditions in the function, by node.
    ``reached`` and ``passed``: the statements that control reaches and gets past in compiled code.
    ``eager``: the statements that run eagerly.
    ``chains``: the calls that lead into the function, by its name.
    """

    values: dict[ast.AST, Value] = field(default_factory=dict)
    reached: set[ast.AST] = field(default_factory=set)
    passed: set[ast.AST] = field(default_factory=set)
    eager: set[ast.AST] = field(default_factory=set)
    chains: dict[str, tuple[ChainLink, ...]] = field(default_factory=dict)


class LineWatcher(Observer):
    """Takes notes of the analysis of the function around ``line`` of ``module``."""

    def __init__(self, module: Module, line: int) -> None:
        self.notes = LineNotes()
        self.module = module
        self.function = function_around(module.tree, line)
        self._line = line
        self._inside = {id(node): node for node in ast_walk.walk(self.function or module.tree)}
        self._tests = {
            id(part)
            for node in self._inside.values()
            if isinstance(node, (ast.If, ast.While, ast.IfExp, ast.Assert))
            for part in ast_walk.walk(node.test)
        }
        self._stack: list[tuple[Frame, ast.AST]] = []

    def on_value(self, node: ast.expr, value: Value, frame: Frame) -> None:
        """Note the value if it is on the line or decides a condition."""
        if id(node) in self._inside and self._is_relevant(node) and frame.mode.tracing:
            old = self.notes.values.get(node)
            self.notes.values[node] = value if old is None else join(old, value)

    def _is_relevant(self, node: ast.expr) -> bool:
        return node.lineno <= self._line <= (node.end_lineno or node.lineno) or id(node) in self._tests

    def on_statement(self, node: ast.stmt, frame: Frame) -> None:
        """Note that control reaches a statement, and the calls that lead there."""
        if id(node) not in self._inside:
            return
        if frame.mode.tracing:
            self.notes.reached.add(node)
            self.notes.chains.setdefault(frame.summary.function, self._chain())
        else:
            self.notes.eager.add(node)

    def on_statement_passed(self, node: ast.stmt, frame: Frame) -> None:
        """Note that control gets past a statement."""
        if frame.mode.tracing and id(node) in self._inside:
            self.notes.passed.add(node)

    def on_call(self, frame: Frame, node: ast.AST) -> None:
        """Push the call."""
        self._stack.append((frame, node))

    def on_return(self) -> None:
        """Pop the call."""
        self._stack.pop()

    def _chain(self) -> tuple[ChainLink, ...]:
        """Return the calls that lead here, the innermost of each frame; the first frame is the entry point itself."""
        innermost = {id(frame): (frame, node) for frame, node in self._stack}
        return tuple(
            ChainLink(frame.module.display, getattr(node, "lineno", 1), frame.summary.function)
            for frame, node in innermost.values()
        )

    def outcome(self, interp: Interpreter, node: ast.expr) -> bool | None:
        """Return the truth value that a noted condition always has; None if it has both or is not known."""
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            answer = self.outcome(interp, node.operand)
            return None if answer is None else not answer
        if isinstance(node, ast.BoolOp):
            answers = [self.outcome(interp, operand) for operand in node.values]
            stop = isinstance(node.op, ast.Or)
            return stop if stop in answers else None if None in answers else not stop
        value = self.notes.values.get(node)
        return None if value is None else interp.truth(value)


def function_around(tree: ast.AST, line: int) -> ast.AST | None:
    """Return the innermost function with ``line`` in its text, decorators excluded."""
    best: ast.AST | None = None
    for node in ast_walk.walk(tree):
        if isinstance(node, _FUNCTIONS) and node.lineno <= line <= (node.end_lineno or node.lineno):
            if best is None or node.lineno >= getattr(best, "lineno", 0):
                best = node
    return best
