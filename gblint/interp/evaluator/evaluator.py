"""The operations of the interpreter, each implemented by one module of this package or of the models."""

from __future__ import annotations

import ast

from gblint.interp.evaluator import (
    assignment,
    attributes,
    calls,
    classes,
    comparisons,
    conditions,
    expressions,
    instance_attributes,
    instance_calls,
    iteration,
    module_bindings,
    name_resolution,
    operators,
    statements,
    subscripts,
)
from gblint.interp.models import fact_results
from gblint.interp.models.python import stacked_methods, type_tests
from gblint.interp.models.torch import compiler_decorators
from gblint.interp.state.call_args import Args
from gblint.interp.state.frame import Frame
from gblint.interp.state.interpreter import MAX_NESTING, Interpreter
from gblint.project.modules import Module
from gblint.project.symbols import Binding
from gblint.values import folding
from gblint.values.base import UNKNOWN, Value
from gblint.values.objects import Class, Instance

_EXPRESSIONS = expressions.HANDLERS
_STATEMENTS = statements.HANDLERS
# Expressions that make a new value out of others; the rest return a part of a value.
_COMPUTED = frozenset(
    (
        ast.Call,
        ast.Dict,
        ast.DictComp,
        ast.GeneratorExp,
        ast.JoinedStr,
        ast.List,
        ast.ListComp,
        ast.Set,
        ast.SetComp,
        ast.Tuple,
    )
)


class Evaluator(Interpreter):
    """The interpreter with its operations.

    Each operation is declared in ``Interpreter``, so that models and domain functions can call it without importing an
    evaluator, and defined here.  A method of its own is needed for each: functions that mypyc compiles are not bound as
    methods when a class has them as attributes.
    """

    def eval(self, node: ast.expr, frame: Frame) -> Value:
        """Evaluate an expression by the handler for its node class."""
        budget = self.budget
        budget.steps += 1
        kind = node.__class__
        handler = _EXPRESSIONS.get(kind)
        if handler is None or budget.nesting > MAX_NESTING:
            value: Value = UNKNOWN
            if handler is not None:
                frame.give_up(node, f"an expression has more than {MAX_NESTING} levels")
        elif kind is ast.Name or kind is ast.Constant:
            value = handler(self, node, frame)
        else:
            budget.nesting += 1
            try:
                value = handler(self, node, frame)
            finally:
                budget.nesting -= 1
            if kind in _COMPUTED:
                value, parts = folding.measured(value)
                if not budget.searching:
                    budget.steps += parts // folding.PARTS_FOR_STEP
        if self.observer is not None:
            self.observer.on_value(node, value, frame)
        return value

    def run(self, body: list[ast.stmt], frame: Frame) -> bool:
        """Run statements by the handlers for their node classes; statements without one are skipped."""
        observer = self.observer
        for node in body:
            self.budget.steps += 1
            if frame.mode.tracing:
                frame.body[id(node)] = node.lineno
            if observer is not None:
                observer.on_statement(node, frame)
            handler = _STATEMENTS.get(node.__class__)
            if handler is not None and not handler(self, node, frame):
                return False
            if frame.flow.pending_resume or frame.flow.pending_guess:
                stacked_methods.resume(self, frame, statement=node)
            if observer is not None:
                observer.on_statement_passed(node, frame)
        return True

    def call(self, function: Value, args: Args, frame: Frame, node: ast.AST) -> Value:
        """See ``calls.call``."""
        observer = self.observer
        if observer is None:
            return calls.call(self, function, args, frame, node)
        observer.on_call(frame, node)
        try:
            return calls.call(self, function, args, frame, node)
        finally:
            observer.on_return()

    def call_instance(self, instance: Instance, args: Args, frame: Frame, node: ast.AST) -> Value:
        """See ``instance_calls.call_instance``."""
        return instance_calls.call_instance(self, instance, args, frame, node)

    def call_eagerly(self, function: Value, args: Args, frame: Frame, node: ast.AST) -> Value:
        """See ``calls.eagerly``."""
        return calls.eagerly(self, function, args, frame, node)

    def external_init(self, instance: Instance, args: Args, frame: Frame, node: ast.AST) -> None:
        """See ``classes.external_init``."""
        classes.external_init(self, instance, args, frame, node)

    def get_attribute(self, base: Value, name: str, frame: Frame, node: ast.AST) -> Value:
        """See ``attributes.get``."""
        return attributes.get(self, base, name, frame, node)

    def set_attribute(self, instance: Instance, name: str, value: Value, frame: Frame, node: ast.AST) -> None:
        """See ``assignment.set_attribute``."""
        assignment.set_attribute(self, instance, name, value, frame, node)

    def has_attribute(self, base: Instance, name: str) -> bool | None:
        """See ``instance_attributes.has``."""
        return instance_attributes.has(self, base, name)

    def instance_attribute(self, base: Instance, name: str, frame: Frame, node: ast.AST) -> Value:
        """See ``instance_attributes.of_instance``."""
        return instance_attributes.of_instance(self, base, name, frame, node)

    def class_attribute(self, cls: Class, name: str) -> Value | None:
        """See ``classes.find``."""
        return classes.find(self, cls, name)

    def any_instance(self, cls: Class) -> Value:
        """See ``classes.any_instance``."""
        return classes.any_instance(self, cls)

    def instance_of_class(self, cls: Value) -> Value | None:
        """See ``type_tests.instance_of_class``."""
        return type_tests.instance_of_class(self, cls)

    def items_of(self, value: Value, frame: Frame, node: ast.AST) -> tuple[Value, ...] | None:
        """See ``iteration.items_of``."""
        return iteration.items_of(self, value, frame, node)

    def item_of(self, value: Value, frame: Frame, node: ast.AST) -> Value:
        """See ``iteration.item_of``."""
        return iteration.item_of(self, value, frame, node)

    def get_item(self, base: Value, index: Value, frame: Frame, node: ast.AST) -> Value:
        """See ``subscripts.get``."""
        return subscripts.get(self, base, index, frame, node)

    def binary(
        self, op: ast.operator, left: Value, right: Value, frame: Frame, node: ast.AST, in_place: bool = False
    ) -> Value:
        """See ``operators.binary``."""
        return operators.binary(self, op, left, right, frame, node, in_place)

    def compare(self, op: ast.cmpop, left: Value, right: Value, frame: Frame, node: ast.AST) -> Value:
        """See ``comparisons.compare``."""
        return comparisons.compare(self, op, left, right, frame, node)

    def truth(self, value: Value) -> bool | None:
        """See ``conditions.truth``."""
        return conditions.truth(self, value)

    def module_attribute(self, module: Module, name: str) -> Value | None:
        """See ``name_resolution.module_attribute``."""
        return name_resolution.module_attribute(self, module, name)

    def module_value(self, dotted: str, importer: Module | None = None) -> Value:
        """See ``name_resolution.module_value``."""
        return name_resolution.module_value(self, dotted, importer)

    def import_exists(self, module: str) -> bool:
        """See ``name_resolution.import_exists``."""
        return name_resolution.import_exists(self, module)

    def value_of_bindings(self, bindings: tuple[Binding, ...], frame: Frame, name: str) -> Value:
        """See ``module_bindings.value_of_bindings``."""
        return module_bindings.value_of_bindings(self, bindings, frame, name)

    def value_of_returns(self, text: str, receiver: Value | None, args: Args, frame: Frame) -> Value:
        """See ``fact_results.value_of_returns``."""
        return fact_results.value_of_returns(self, text, receiver, args, frame)

    def run_module_marks(self, module: Module, frame: Frame) -> None:
        """See ``compiler_decorators.run_module_marks``."""
        compiler_decorators.run_module_marks(self, module, frame)
