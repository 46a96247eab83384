"""Values of the names that the statements at the top of a module or class bind."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext

from gblint.interp.domain import reach, script_calls
from gblint.interp.domain.released_variables import is_none, is_released
from gblint.interp.evaluator import assignment, class_decorators, classes, earlier_bindings, functions, name_resolution
from gblint.interp.state.frame import Frame
from gblint.interp.state.interpreter import Interpreter
from gblint.project.modules import Binding, Module
from gblint.runtime import ast_origins
from gblint.values.base import TRUE, UNKNOWN, Unknown, Value
from gblint.values.lattice import join_all
from gblint.values.objects import FileObject


def value_of_bindings(interp: Interpreter, bindings: tuple[Binding, ...], frame: Frame, name: str) -> Value:
    """Return the value of a name that is bound once or more at the top of a module or class.

    The environment variables that a library reads are taken for unset.
    """
    bound = _BoundName(interp, bindings, frame, name)
    for binding in bindings:
        bound.add(binding)
    return bound.value()


class _BoundName:
    """A name and the statements that bind it, which are added in their order.

    chosen: those of which one has bound the value that the name has now; ``by_default`` without options that are set.
    values: what the statements bind, by the identity of the statement; each is evaluated once.
    """

    def __init__(self, interp: Interpreter, bindings: tuple[Binding, ...], frame: Frame, name: str) -> None:
        self._interp, self._frame, self._name = interp, frame, name
        self._bindings = bindings
        self._added: list[Binding] = []
        self._chosen: list[Binding] = []
        self._by_default: list[Binding] = []
        self._values: dict[int, Value] = {}

    def add(self, binding: Binding) -> None:
        """Add the next statement."""
        interp, frame = self._interp, self._frame
        is_library = frame.module.origin != "user"
        reads_itself = isinstance(binding.value, (ast.Call, ast.BinOp)) and earlier_bindings.reads_itself(binding)
        test = binding.test if binding.guard in ("if", "else") else None
        tests_itself = test is not None and self._name in ast_origins.names([test])
        with self._as_before() if reads_itself or tests_itself else nullcontext():
            answer = TRUE if test is None else interp.eval(test, frame)
            decided, usually = interp.truth(answer), reach.truth(reach.usual(answer))
            _choose(interp, self._chosen, binding, frame, usually if decided is None and is_library else decided)
            _choose(interp, self._by_default, binding, frame, usually if decided is None else decided)
            if reads_itself and self._chosen and self._chosen[-1] is binding:
                self._value_of(binding)
        self._added.append(binding)

    def value(self) -> Value:
        """Return the value of the name after the statements that were added."""
        chosen = _without_stubs(self._interp, self._chosen, self._frame.module)
        values = [self._value_of(each) for each in (chosen or self._added[-1:])]
        result = join_all([value for value in values if not isinstance(value, Unknown)] or values)
        if len(chosen) > 1 and len(self._by_default) == 1 and self._by_default[0] in chosen:
            return reach.expected_flag(result, reach.usual(values[chosen.index(self._by_default[0])]))
        return result

    def _value_of(self, binding: Binding) -> Value:
        known = self._values.get(id(binding))
        if known is None:
            known = value_of_binding(self._interp, binding, self._frame, self._name, self._bindings)
            self._values[id(binding)] = known
        return known

    @contextmanager
    def _as_before(self) -> Iterator[None]:
        """Let the name have its value before a statement that reads it: ``f = wrap(f)``, ``if f: f = g(f)``."""
        name, frame = self._name, self._frame
        if not self._added or earlier_bindings.is_rebound(frame, name):
            yield
            return
        outer = frame.scope.cells.get(name)
        earlier = self.value()
        frame.scope.cells[name] = earlier  # a conditional expression in the earlier value replaces the dict of cells
        try:
            yield
        finally:
            frame.scope.cells.pop(name, None)
            if outer is not None:
                frame.scope.cells[name] = outer


def _without_stubs(interp: Interpreter, chosen: list[Binding], module: Module) -> list[Binding]:
    """Return the bindings without those that stand for a package if it is missing, of packages that are installed.

    Nothing is known of the condition in ``if has("torch"): import torch``.  The stub is in its other branch,
    ``torch = Stub()``, or it is a None before the condition.
    """
    imports = [b for b in chosen if b.kind in ("import", "from")]
    tests = [b.test for b in imports if b.test is not None and _is_installed(interp, b.module, module)]
    stubs = [b for b in chosen if b not in imports and (b.test in tests or is_none(b.value))] if tests else []
    return [b for b in chosen if b not in stubs]


def _is_installed(interp: Interpreter, name: str | None, importing: Module) -> bool:
    """Return whether a package outside of the project can be imported."""
    root = (name or "").partition(".")[0]
    if not root or root == importing.name.partition(".")[0] or not interp.import_exists(root):
        return False
    found = interp.project.find_module(root)
    return found is None or found.origin == "library"


def _choose(interp: Interpreter, chosen: list[Binding], binding: Binding, frame: Frame, decided: bool | None) -> None:
    """Add ``binding``, whose condition is ``decided``, to the possible ones, and drop those that it replaces."""
    if binding.kind in ("delete", "aug", "except"):
        return
    if binding.kind == "annotation" and binding.value is None:
        return
    guard = binding.guard
    if guard == "type_checking":
        if not chosen:
            chosen.append(binding)
        return
    if guard == "not_type_checking":
        if chosen and all(b.guard == "type_checking" for b in chosen):
            return
    elif guard == "try":
        if binding.module is not None and not interp.import_exists(binding.module):
            return
    elif guard == "handler":
        if chosen:
            return
    elif guard in ("if", "else") and binding.test is not None:
        if decided is None:
            chosen.append(binding)
            return
        if decided != (guard == "if"):
            return
    if _is_setter(binding) or _only_releases(binding, chosen, frame):
        return
    chosen[:] = [*(each for each in chosen if _is_seen_by_call(each, binding, frame.module)), binding]


def _is_seen_by_call(flag: Binding, later: Binding, module: Module) -> bool:
    """Return whether the module calls something compiled before it sets a flag to another constant."""
    both = (flag, later)
    if module.origin != "user" or not all(isinstance(each.value, ast.Constant) for each in both):
        return False
    start, end = (getattr(each.node, "lineno", 0) for each in both)
    return script_calls.is_called_between(module, start, end, script_calls.compiled_names(module))


def _only_releases(binding: Binding, chosen: list[Binding], frame: Frame) -> bool:
    """Return whether ``name = None`` only releases what was assigned before."""
    if binding.guard != "always" or not is_none(binding.value) or not chosen:
        return False
    if any(b.kind != "assign" or is_none(b.value) for b in chosen):
        return False
    targets = binding.node.targets if isinstance(binding.node, ast.Assign) else ()
    return any(is_released(frame.module.tree, target) for target in targets)


def _is_setter(binding: Binding) -> bool:
    node = binding.node
    return isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and any(
        isinstance(d, ast.Attribute) and d.attr in ("setter", "deleter") for d in node.decorator_list
    )


def _binds(item: ast.withitem, name: str) -> bool:
    return isinstance(item.optional_vars, ast.Name) and item.optional_vars.id == name


def _entered(interp: Interpreter, item: ast.withitem, frame: Frame) -> Value:
    """Return the value of a context manager at the top of a module, if that is an open configuration file."""
    value = interp.eval(item.context_expr, frame)
    return value if isinstance(value, FileObject) else UNKNOWN


def value_of_binding(
    interp: Interpreter, binding: Binding, frame: Frame, name: str, siblings: tuple[Binding, ...] = ()
) -> Value:
    """Return the value that one statement binds to ``name``."""

    node = binding.node
    if binding.kind in ("import", "from"):
        return name_resolution.value_of_import(interp, binding, frame.module)
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        value = functions.define(interp, node, frame)
        setters = [b.node for b in siblings if _is_setter(b)]
        if setters and isinstance(setters[0], ast.FunctionDef):
            return functions.with_setter(interp, value, setters[0], frame)
        return value
    if isinstance(node, ast.ClassDef):
        cls = classes.define(interp, node, frame)
        return class_decorators.apply(interp, node, cls, frame)
    if binding.value is not None:
        with earlier_bindings.at(frame, node):
            return interp.eval(binding.value, frame)
    if isinstance(node, ast.Assign) and binding.target is not None:
        return assignment.destructure(interp, binding.target, interp.eval(node.value, frame), frame).get(name, UNKNOWN)
    if isinstance(node, (ast.For, ast.AsyncFor)):
        item = interp.item_of(interp.eval(node.iter, frame), frame, node.iter)
        return assignment.destructure(interp, node.target, item, frame).get(name, UNKNOWN)
    if isinstance(node, ast.With):
        return next((_entered(interp, each, frame) for each in node.items if _binds(each, name)), UNKNOWN)
    return UNKNOWN
