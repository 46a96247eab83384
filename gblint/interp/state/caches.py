"""Results that hold for the whole analysis of a project."""

from __future__ import annotations

import ast
from collections.abc import Hashable
from pathlib import Path

from gblint.interp.state.frame import Frame
from gblint.interp.state.trace_ir import FunctionSummary
from gblint.knowledge.facts import Fact
from gblint.project.modules import Module
from gblint.runtime.lazy_dataclasses import dataclass
from gblint.values.base import Value
from gblint.values.objects import Class, Function, FunctionNode, Instance

# The attribute of an instance whose ``__init__`` has not run.
UNBUILT = "__unbuilt__"


def is_unbuilt(instance: Instance) -> bool:
    """Return whether ``__init__`` of an instance that stands for all of its class runs only when it is needed."""
    return UNBUILT in instance.attrs


def _is_own(instance: Instance) -> bool:
    return isinstance(instance.cls, Class) and instance.cls.module.origin == "user"


@dataclass(frozen=True, slots=True)
class ParameterRoles:
    """The names that a function uses as tensors, iterators, random number generators, counts or sizes, and scalars."""

    tensors: frozenset[str]
    iterators: frozenset[str]
    generators: frozenset[str]
    counts: frozenset[str]
    scalars: frozenset[str]


@dataclass(frozen=True, slots=True)
class HookStores:
    """The attributes that an ``__init_subclass__`` stores: of the subclass that it is given, and of other objects."""

    of_subclass: frozenset[str]
    of_others: frozenset[str]


class SearchCaches:
    """Results of searches through all files of the project, Python and YAML.

    configured_targets: see ``configured_names.Tables``; empty before the project's YAML files are read.
    given_options: whether calls in the project give a keyword, by the name of the called function and the keyword.
    keys_without_tensors: whether all that the project stores under a key is something other than a tensor.
    names_near_settings: the names at the top of the modules that mention ``torch._dynamo``; None if not known yet.
    names_with_filled_attributes: the names before ``.attribute[`` or ``.attribute.append(`` in the text of a module.
    passed_items: whether a loop passes its items to a method: package, method, position and name of the parameter.
    """

    def __init__(self) -> None:
        self.configured_targets: dict[str, dict[str, tuple[tuple[Path, str], ...]]] = {}
        self.given_options: dict[tuple[str, str], bool] = {}
        self.keys_without_tensors: dict[str, bool] = {}
        self.names_near_settings: frozenset[str] | None = None
        self.names_with_filled_attributes: dict[Module, frozenset[str]] = {}
        self.passed_items: dict[tuple[str, str, int, str], bool] = {}


class SyntaxCaches:
    """Results of searches through source text.

    aliases: the pairs of names in the assignments ``a = b`` of a function, by its node.
    bound_names: the names that are bound in a function, in any scope, by its node.
    called_at_import: whether the project's modules call a function of this module and name when they are imported.
    exact_types: ``isinstance(x, C)`` for a condition ``type(x) == C``, by its node, and whether it is true if that is.
    filled_globals: the global variables that a function declares and stores, by its node.
    filling_methods: the methods that fill a class, or an object of it, by the class and whether it is the class.
    functions_inside: the functions that the body of a function defines, by its node.
    initialized_attributes: the attributes that the ``__init__`` of a class stores, or a method that it calls.
    options: the options of the command line that a module adds, by the attributes that hold their values.
    library_registries: the entries that the modules of a library register in a global table: by its module and name,
        for a key in lower case the module and the expression of the entry.
    registering: the functions of a module that store an argument in a global table, by name; by module and table.
    loop_variables: the variables to which the loops of a function assign single items, by its node.
    calls_passing: the calls in a function by the names that are arguments in them, by its node.
    no_tensor_names: the names that a function uses as no tensor, and those it uses as a flag or a count, by its node.
    no_tensor_parameters: whether a function's use of a parameter excludes a tensor.
    parameter_roles: the names that a function uses as tensors, iterators, generators, counts and scalars, by its node.
    setting_calls: the calls in a statement that may change a setting of Dynamo.
    small_functions: whether a function costs little, by its node.
    unpacked_calls: the targets to which a function assigns results of calls, by its node.
    searches: what the files of the project say about a name.
    """

    def __init__(self) -> None:
        self.searches = SearchCaches()
        self.aliases: dict[ast.AST, list[tuple[str, str]]] = {}
        self.bound_names: dict[ast.AST, frozenset[str]] = {}
        self.called_at_import: dict[tuple[Module, str], bool] = {}
        self.exact_types: dict[ast.AST, tuple[ast.Call, bool] | None] = {}
        self.filled_globals: dict[ast.AST, frozenset[str]] = {}
        self.filling_methods: dict[tuple[Class, bool], dict[str, ast.FunctionDef]] = {}
        self.functions_inside: dict[ast.AST, dict[str, ast.FunctionDef | ast.AsyncFunctionDef]] = {}
        self.initialized_attributes: dict[Class, frozenset[str]] = {}
        self.library_registries: dict[tuple[Module, str], dict[str, tuple[Module, ast.expr]]] = {}
        self.registering: dict[tuple[Module, str], dict[str, FunctionNode]] = {}
        self.options: dict[Module, dict[str, ast.Call]] = {}
        self.loop_variables: dict[ast.AST, frozenset[str]] = {}
        self.calls_passing: dict[ast.AST, dict[str, list[ast.Call]]] = {}
        self.no_tensor_names: dict[ast.AST, tuple[frozenset[str], frozenset[str]]] = {}
        self.no_tensor_parameters: dict[tuple[int, str], bool] = {}
        self.parameter_roles: dict[ast.AST, ParameterRoles] = {}
        self.setting_calls: dict[ast.AST, list[ast.Call]] = {}
        self.small_functions: dict[ast.AST, bool] = {}
        self.unpacked_calls: dict[ast.AST, frozenset[ast.AST]] = {}


class Caches:
    """Results of evaluations, by what was evaluated.

    summaries: function summaries, by function, mode and argument values.
    globals: values of module variables, by module name and variable.
    classes: classes, by the identity of their node, and of their scope if they are local.
    instances: instances that stand for all instances of a class, code objects and similar single objects.
    module_frames: the frame of the top level of each module, by module name.
    module_names: names under which the modules import themselves.
    facts: facts about external callables, by qualified name.
    annotated_values: values that an annotation stands for.
    undecorated: the function as written, by the decorated value.
    lazy_imports: lazily imported attributes, by module.
    subclass_hooks: the ``__init_subclass__`` of the bases of a class, with what they store.
    class_attributes: attributes found along the MRO, by class and name.
    missing_attributes: attributes for which ``__getattr__`` had no result outside of the region.
    constant_functions: functions marked with ``assume_constant_result``.
    has_fake: whether a custom operator has a fake implementation, by the node of its function.
    impure_functions: whether a function has side effects, by its node.
    identity_decorators: how often a decorator returned its argument without side effects; -1 for other decorators.
    replaced_methods: the class decorator that replaces a method and may not call it, by the node of the method.
    keep_alive: objects whose identity is part of a key.
    syntax: facts that follow from the source alone.
    """

    def __init__(self) -> None:
        self.syntax = SyntaxCaches()
        self.summaries: dict[Hashable, FunctionSummary] = {}
        self.globals: dict[tuple[str, str], Value] = {}
        self.classes: dict[int, Class] = {}
        self.instances: dict[Hashable, Instance] = {}
        self.module_frames: dict[str, Frame] = {}
        self.module_names: dict[Module, str] = {}
        self.facts: dict[str, Fact | None] = {}
        self.annotated_values: dict[Hashable, Value] = {}
        self.undecorated: dict[Value, Function] = {}
        self.lazy_imports: dict[Module, dict[str, set[str]]] = {}
        self.subclass_hooks: dict[Class, tuple[tuple[Function, HookStores], ...]] = {}
        self.class_attributes: dict[tuple[Class, str], Value] = {}
        self.missing_attributes: set[Hashable] = set()
        self.constant_functions: set[ast.AST] = set()
        self.has_fake: dict[ast.AST, bool] = {}
        self.impure_functions: dict[ast.AST, bool] = {}
        self.identity_decorators: dict[ast.AST, int] = {}
        self.replaced_methods: dict[ast.AST, ast.expr | None] = {}
        self.keep_alive: list[object] = []

    def has_evaluated(self, module: Module) -> bool:
        """Return whether anything at the top level of ``module`` was evaluated."""
        frame = self.module_frames.get(module.name)
        return frame is not None and frame.module is module

    def evaluated_modules(self) -> list[Module]:
        """Return the modules of which something was evaluated."""
        return [frame.module for frame in self.module_frames.values()]

    def forget_assumed(self) -> None:
        """Forget the objects that stand for any of a class of the project, since more is known of their parts."""
        for key, each in list(self.instances.items()):
            if isinstance(key, tuple) and key[0] == "any" and _is_own(each):
                del self.instances[key]
        self.annotated_values.clear()

    def release(self) -> None:
        """Break all reference cycles, so that the memory is free at once."""
        for summary in self.summaries.values():
            summary.calls.clear()
            summary.body.clear()
            summary.locals = None
        for instance in self.instances.values():
            instance.attrs.clear()
        for cls in self.classes.values():
            cls.attrs.clear()
            cls.mro = cls.bases = ()
        for frame in self.module_frames.values():
            frame.scope.cells.clear()
        self.summaries.clear()
        self.instances.clear()
        self.classes.clear()
        self.module_frames.clear()
        self.globals.clear()
        self.undecorated.clear()
        self.subclass_hooks.clear()

    def forget_function(self, function: ast.AST) -> None:
        """Drop what was cached for the node of a function."""
        self.has_fake.pop(function, None)
        self.impure_functions.pop(function, None)
        self.identity_decorators.pop(function, None)
        self.subclass_hooks.clear()  # it may be one of them
