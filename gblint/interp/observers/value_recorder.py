"""An interpreter that keeps the value of every expression in some files, for those who rewrite them."""

from __future__ import annotations

import ast
from collections.abc import Mapping

from gblint.interp.state.frame import Frame
from gblint.interp.state.interpreter import Interpreter
from gblint.knowledge.catalog import Knowledge
from gblint.project.project import Project
from gblint.values.base import Value
from gblint.values.lattice import join

Place = tuple[str, int, int, int, int]


class ValueRecorder(Interpreter):
    """A machine that remembers, in ``values``, what the expressions in the user's files are in compiled code.

    A place is a path as reports show it and the four numbers of the ``ast`` node, lines from 1, columns in bytes from
    0.  A value is joined over everything that was seen there.  ``libraries`` are paths of files of others that are
    recorded as well; each gets the name of its module.
    """

    def __init__(self, project: Project, knowledge: Knowledge, pins: Mapping[str, tuple[str, ...]]) -> None:
        super().__init__(project, knowledge, pins)
        self.values: dict[Place, Value] = {}
        self.libraries: dict[str, str] = {}

    def anew(self) -> ValueRecorder:
        """As in ``Interpreter``; both write down what they see in the same place."""
        recorder = ValueRecorder(self.project, self.knowledge, self.pins)
        recorder.values, recorder.libraries = self.values, self.libraries
        return recorder

    def eval(self, node: ast.expr, frame: Frame) -> Value:
        """As in ``Interpreter``."""
        value = super().eval(node, frame)
        self.seen(node, value, frame)
        return value

    def seen(self, node: ast.expr, value: Value, frame: Frame) -> None:
        """As in ``Interpreter``."""
        module = frame.module
        if not frame.mode.tracing:
            return
        if module.origin != "user":
            if module.display not in self.libraries:
                return
            self.libraries[module.display] = module.name
        place = (module.display, node.lineno, node.col_offset, node.end_lineno or 0, node.end_col_offset or 0)
        old = self.values.get(place)
        self.values[place] = value if old is None else join(old, value)
