"""An interpreter that takes notes: what it believed at one line of one file, and how it came there."""

from __future__ import annotations

import ast
from collections.abc import Mapping

from gblint.diagnostics.findings import ChainLink
from gblint.interp.evaluator.conditions import truth
from gblint.interp.state.frame import Frame
from gblint.interp.state.interpreter import Args, Interpreter
from gblint.knowledge.catalog import Knowledge
from gblint.project.modules import Module
from gblint.project.project import Project
from gblint.runtime import ast_walk
from gblint.runtime.lazy_dataclasses import dataclass, field
from gblint.values.base import Value
from gblint.values.lattice import join

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


@dataclass(slots=True)
class LineNotes:
    """What was seen in the watched function.

    ``values`` are those of the expressions on the line and of the conditions in the function, by node; ``reached`` and
    ``passed`` are the statements that control came to and got past; ``chains`` the ways into the function, by its name.
    """

    values: dict[ast.AST, Value] = field(default_factory=dict)
    reached: set[ast.AST] = field(default_factory=set)
    passed: set[ast.AST] = field(default_factory=set)
    eager: set[ast.AST] = field(default_factory=set)
    chains: dict[str, tuple[ChainLink, ...]] = field(default_factory=dict)


class LineWatcher(Interpreter):
    """A machine with notes on what it does in the function around ``line`` of ``module``."""

    def __init__(
        self, project: Project, knowledge: Knowledge, pins: Mapping[str, tuple[str, ...]], module: Module, line: int
    ) -> None:
        super().__init__(project, knowledge, pins)
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

    def eval(self, node: ast.expr, frame: Frame) -> Value:
        """As in ``Interpreter``, and notes the value if it is on the line or decides a condition."""
        value = super().eval(node, frame)
        self.seen(node, value, frame)
        return value

    def seen(self, node: ast.expr, value: Value, frame: Frame) -> None:
        """As in ``Interpreter``."""
        if id(node) in self._inside and self._wanted(node) and frame.mode.tracing:
            old = self.notes.values.get(node)
            self.notes.values[node] = value if old is None else join(old, value)

    def _wanted(self, node: ast.expr) -> bool:
        return node.lineno <= self._line <= (node.end_lineno or node.lineno) or id(node) in self._tests

    def run(self, body: list[ast.stmt], frame: Frame) -> bool:
        """As in ``Interpreter``, and notes which statements control comes to and gets past."""
        for node in body:
            inside = id(node) in self._inside
            if inside and frame.mode.tracing:
                self.notes.reached.add(node)
                self.notes.chains.setdefault(frame.summary.function, self._chain())
            elif inside:
                self.notes.eager.add(node)
            if not super().run([node], frame):
                return False
            if inside and frame.mode.tracing:
                self.notes.passed.add(node)
        return True

    def call(self, function: Value, args: Args, frame: Frame, node: ast.AST) -> Value:
        """As in ``Interpreter``, and remembers the way here."""
        self._stack.append((frame, node))
        try:
            return super().call(function, args, frame, node)
        finally:
            self._stack.pop()

    def _chain(self) -> tuple[ChainLink, ...]:
        """The calls that lead here, the innermost of each frame; the first frame stands for the entry point itself."""
        innermost = {id(frame): (frame, node) for frame, node in self._stack}
        return tuple(
            ChainLink(frame.module.display, getattr(node, "lineno", 1), frame.summary.function)
            for frame, node in innermost.values()
        )

    def outcome(self, node: ast.expr) -> bool | None:
        """Whether a condition that was seen is always true or always false; None if it is neither."""
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            answer = self.outcome(node.operand)
            return None if answer is None else not answer
        if isinstance(node, ast.BoolOp):
            answers = [self.outcome(operand) for operand in node.values]
            stop = isinstance(node.op, ast.Or)
            return stop if stop in answers else None if None in answers else not stop
        value = self.notes.values.get(node)
        return None if value is None else truth(self, value)


def function_around(tree: ast.AST, line: int) -> ast.AST | None:
    """The innermost function whose text, decorators left out, has ``line`` in it."""
    best: ast.AST | None = None
    for node in ast_walk.walk(tree):
        if isinstance(node, _FUNCTIONS) and node.lineno <= line <= (node.end_lineno or node.lineno):
            if best is None or node.lineno >= getattr(best, "lineno", 0):
                best = node
    return best
