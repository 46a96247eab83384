"""An observer that keeps the value of every expression in some files; the fixer reads them."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from gblint.interp.state.frame import Frame
from gblint.interp.state.observer import Observer
from gblint.values.base import Value
from gblint.values.lattice import MAX_JOIN_DEPTH, join

Place = tuple[str, int, int, int, int]
# Containers are joined to this depth, since a fix looks at the parts of a value, and at theirs.
DEPTH = 2


class ValueRecorder(Observer):
    """Records in ``values`` the values of expressions in compiled code of the user's files.

    A place is the path as reports show it and the four numbers of the ``ast`` node: lines from 1, columns in bytes
    from 0.  Several values of one expression are joined.  ``libraries`` maps the paths of library files that are
    recorded as well to the name of their module, empty until it is known.
    """

    def __init__(self, libraries: Iterable[str] = ()) -> None:
        self.values: dict[Place, Value] = {}
        self.libraries: dict[str, str] = dict.fromkeys(libraries, "")

    def on_value(self, node: ast.expr, value: Value, frame: Frame) -> None:
        """Join the value into the record."""
        module = frame.module
        if not frame.mode.tracing:
            return
        if module.origin != "user":
            if module.display not in self.libraries:
                return
            self.libraries[module.display] = module.name
        place = (module.display, node.lineno, node.col_offset, node.end_lineno or 0, node.end_col_offset or 0)
        old = self.values.get(place)
        self.values[place] = value if old is None else join(old, value, MAX_JOIN_DEPTH - DEPTH)
