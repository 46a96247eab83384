"""Objects that a program chooses by a name: items of modules, entries of tables, classes named in configurations.

They are looked up only while the project is searched for what it compiles, where any of them may be the one.  At most
MAX_CHOICES are followed.
"""

from __future__ import annotations

import ast
import keyword
from collections.abc import Iterator

from gblint.interp.domain import configured_names, module_references, reach
from gblint.interp.domain.access_paths import last_name
from gblint.interp.domain.builtin_names import MODULE_KEEPERS
from gblint.interp.evaluator import classes, imported_objects, input_values, registered_entries
from gblint.interp.models.python import type_tests
from gblint.interp.state.call_args import Args
from gblint.interp.state.frame import Frame
from gblint.interp.state.interpreter import Interpreter
from gblint.project.modules import Module
from gblint.runtime import ast_walk
from gblint.runtime.ast_walk import is_name
from gblint.runtime.quiet_parse import parse_expression
from gblint.values.base import NONE, UNKNOWN, Const, Scalar, Unknown, Value, members
from gblint.values.containers import Mapping, Seq
from gblint.values.lattice import join, join_all
from gblint.values.objects import (
    BoundMethod,
    Class,
    ExternalObject,
    Function,
    Instance,
    ModuleRef,
    Super,
    is_nn_module,
    is_nn_module_class,
)
from gblint.values.wrapped import Wrapped

_DATA = (Unknown, Const, Scalar, Mapping, Seq)
# Methods of a registry that make an object from a configuration, and functions that do so.
_BUILDERS = frozenset(("build", "create", "make", "instantiate", "build_model", "get_instance"))
_GETTERS = frozenset(("get", "get_class", "lookup"))
# Functions that import an object by its dotted name.
_IMPORTERS = frozenset(
    "locate import_string get_class get_method get_object import_from_string import_object import_class load_class "
    "get_obj_from_str resolve_name".split()
)


def is_searched(interp: Interpreter, frame: Frame) -> bool:
    """Return whether objects are looked up: in eager code, while the project is searched."""
    return not frame.mode.tracing and interp.compilation.scanned_module is not None


# -- items of modules and of registries ------------------------------------------------------------------------------


def item(interp: Interpreter, base: Value, node: ast.Subscript, index: Value, frame: Frame) -> Value | None:
    """Return what ``module.__dict__[name]``, ``globals()[name]`` or ``REGISTRY[name]`` may be; None for others."""
    table = node.value
    if _is_namespace(table):
        holder = _holder(interp, table, frame)
        return None if holder is None else of_module(interp, holder, index, node.slice, frame)
    if isinstance(base, Mapping):
        names = _names(index, node.slice, frame)
        return registered_entries.entry(interp, base, table, index, node.slice, names, frame)
    return None


def got(interp: Interpreter, base: Value, node: ast.Call, index: Value, frame: Frame) -> Value | None:
    """Return what ``REGISTRY.get(name)`` may be; None for others."""
    table = node.func.value if isinstance(node.func, ast.Attribute) else None
    if isinstance(base, Mapping) and table is not None and node.args:
        names = _names(index, node.args[0], frame)
        return registered_entries.entry(interp, base, table, index, node.args[0], names, frame)
    return None


def by_known_name(
    interp: Interpreter, table: ast.expr, index: Value, frame: Frame, default: Value = UNKNOWN
) -> Value | None:
    """Return what eager code reads from the names of a module by a known or usual name; None for others.

    ``default`` is the result for names that the module does not have.
    """
    if frame.mode.tracing or not _is_namespace(table):
        return None
    names = _constants(index) or _usual_name(index)
    holder = _holder(interp, table, frame) if names else None
    module = None if holder is None else module_references.source_of(interp, holder)
    if names is None or module is None:
        return None
    return join_all(interp.module_attribute(module, name) or default for name in names)


def _is_namespace(table: ast.expr) -> bool:
    """Return whether an expression is ``globals()``, ``vars(x)`` or ``x.__dict__``."""
    if isinstance(table, ast.Call):
        return isinstance(table.func, ast.Name) and table.func.id in ("globals", "vars")
    return isinstance(table, ast.Attribute) and table.attr == "__dict__"


def _holder(interp: Interpreter, table: ast.expr, frame: Frame) -> ModuleRef | None:
    """Return the module whose names the expression is; None for another object."""
    if isinstance(table, ast.Call):
        holder = interp.eval(table.args[0], frame) if table.args else module_references.reference(frame.module)
    else:
        holder = interp.eval(table.value, frame) if isinstance(table, ast.Attribute) else UNKNOWN
    return holder if isinstance(holder, ModuleRef) else None


def of_module(interp: Interpreter, holder: ModuleRef, index: Value, node: ast.expr, frame: Frame) -> Value:
    """Return the function or class of a module with a name, or all of them if the name is not known."""
    module = module_references.source_of(interp, holder)
    if module is None:
        return UNKNOWN
    names = _names_or_usual(index, node, frame)
    if names is not None:
        return join_all(interp.module_attribute(module, name) or UNKNOWN for name in names)
    if module.origin == "library":
        return UNKNOWN
    found: list[Value] = []
    for name in _public(module):
        value = interp.module_attribute(module, name)
        if isinstance(value, Function) or (isinstance(value, Class) and is_nn_module_class(value)):
            found.append(value)
    return imported_objects.limited(interp, frame, node, found)


def _public(module: Module) -> Iterator[str]:
    """Yield the names of what a module defines; those that it imports as well if it is a package."""
    for name, bindings in module.symbols.items():
        defined = isinstance(bindings[-1].node, ast_walk.DEFINITIONS)
        if not name.startswith("_") and (defined or (module.is_package and bindings[-1].kind == "from")):
            yield name


# -- names -----------------------------------------------------------------------------------------------------------


def _names(index: Value, node: ast.expr, frame: Frame) -> list[str] | None:
    """Return the names that a string may be: its values, or those that options of the command line admit."""
    found = _constants(index)
    if found is not None:
        return found
    if isinstance(node, ast.Attribute) and frame.module.contains("add_argument"):
        return configured_names.of_option(frame.module.tree, node.attr) or None
    return None


def _names_or_usual(index: Value, node: ast.expr, frame: Frame) -> list[str] | None:
    """Return the names that a string may be, else the one that it usually is; None if neither is known."""
    names = _names(index, node, frame)
    return _usual_name(index) if names is None else names


def _usual_name(index: Value) -> list[str] | None:
    """Return the name that a string usually is; None if it is not known."""
    usual = reach.usual(index)
    return [usual.value] if isinstance(usual, Const) and isinstance(usual.value, str) else None


def _constants(index: Value) -> list[str] | None:
    """Return the strings that a value may be; None if it may be anything else."""
    found = [v.value for v in members(index) if isinstance(v, Const) and isinstance(v.value, str)]
    return found if found and len(found) == len(members(index)) else None


# -- objects that factories make -------------------------------------------------------------------------------------


def known_result(
    interp: Interpreter, node: ast.Call, function: Value, args: Args, frame: Frame, result: Value
) -> Value:
    """Return the result of an eager call; an unknown one is guessed from the form of the call."""
    found = members(result)
    told = [each for each in found if not isinstance(each, _DATA) and not type_tests.is_any_module(each)]
    if told or not any(isinstance(each, Unknown) for each in found):
        return result
    made = _by_form(interp, node, function, args, frame)
    return result if isinstance(made, Unknown) else join(NONE, made) if NONE in found else made


def _by_form(interp: Interpreter, node: ast.Call, function: Value, args: Args, frame: Frame) -> Value:
    """Guess the result of an eager call from its form, such as ``Model.from_pretrained(...)``."""
    if isinstance(node.func, ast.Attribute) and classes.makes_instances(node.func.attr):
        # ``super().from_pretrained(...)`` in a class method makes an object of the class that is called.
        owners = members(interp.eval(node.func.value, frame))
        owners = tuple(each.receiver if isinstance(each, Super) else each for each in owners)
        found = [each for each in owners if isinstance(each, Class)]
        if found:
            return join_all(classes.later_instance(interp, cls) for cls in found)
    if is_name(node.func, "eval") and args.pos and node.args:
        return _evaluated(interp, args.pos[0], node.args[0], frame) or UNKNOWN
    if is_searched(interp, frame):
        made = _made(interp, node, args, frame) or _declared(interp, function)
        return _of_method(interp, node, function, args, frame) if isinstance(made, Unknown) else made
    return UNKNOWN


def _of_method(interp: Interpreter, node: ast.Call, function: Value, args: Args, frame: Frame) -> Value:
    """Return the result of a method of an object without source, or of the only class that has a method of its name.

    A method such as ``x.to(device)`` returns its object.  ``x.build_network()`` of an unknown ``x`` is that of the
    project's class that has a method of this name, if all others that have one inherit from it.
    """
    if not isinstance(node.func, ast.Attribute):
        return UNKNOWN
    name = node.func.attr
    if name in MODULE_KEEPERS:
        receiver = members(interp.eval(node.func.value, frame))
        found = [each for each in receiver if isinstance(each, ExternalObject) or is_nn_module(each)]
        return join_all(found) if found else UNKNOWN
    if not isinstance(function, Unknown) or not _is_maker(name):
        return UNKNOWN
    owner = _only_owner(interp, name)
    if owner is None:
        return UNKNOWN
    method = interp.get_attribute(interp.any_instance(owner), name, frame, node.func)
    return interp.call(method, args, frame, node)


def _is_maker(name: str) -> bool:
    first, _, rest = name.lstrip("_").partition("_")
    return bool(rest) and first in _BUILDERS


def _only_owner(interp: Interpreter, name: str) -> Class | None:
    """Return the class of the project from which all classes inherit that define a method ``name``."""
    found: list[Class] = []
    for module in interp.project.user_modules():
        if not interp.project.mentions(module, (f"def {name}(",)):
            continue
        for symbol, bindings in module.symbols.items():
            node = bindings[-1].node
            if isinstance(node, ast.ClassDef) and any(getattr(each, "name", "") == name for each in node.body):
                value = interp.module_attribute(module, symbol)
                if isinstance(value, Class):
                    found.append(value)
    roots = [cls for cls in found if not any(other in cls.mro[1:] for other in found)]
    return roots[0] if len(roots) == 1 else None


def _declared(interp: Interpreter, function: Value) -> Value:
    """Return the annotated result of a function, if it is a module or a class of modules."""
    while isinstance(function, (BoundMethod, Wrapped)):
        function = function.function
    if not isinstance(function, Function) or isinstance(function.node, ast.Lambda) or function.node.returns is None:
        return UNKNOWN
    returns, frame = function.node.returns, input_values.annotation_frame(function, interp)
    if isinstance(returns, ast.Subscript) and last_name(returns.value) in ("type", "Type"):
        cls = interp.eval(returns.slice, frame)
        return cls if isinstance(cls, Class) else UNKNOWN
    found = input_values.value_of(interp, returns, frame)
    return (
        found if all(isinstance(each, Instance) and isinstance(each.cls, Class) for each in members(found)) else UNKNOWN
    )


def _made(interp: Interpreter, node: ast.Call, args: Args, frame: Frame) -> Value | None:
    """Return what a call of unknown result may return: an object imported by name, registered or configured."""
    name = last_name(node.func)
    first = args.pos[0] if args.pos else None
    keywords = [each.value for each in node.keywords]
    if name == "getattr" and isinstance(first, ModuleRef) and len(args.pos) == len(node.args) > 1:
        return of_module(interp, first, args.pos[1], node.args[1], frame)
    if name in _IMPORTERS and first is not None and node.args:
        return imported_objects.imported(interp, first, node.args[0], frame)
    if "instantiate" in name and node.args:
        return imported_objects.configured(interp, node, node.args[0], frame)
    if name in _BUILDERS or name in _GETTERS:
        holder = node.func.value if isinstance(node.func, ast.Attribute) else None
        return registered_entries.from_registry(interp, node, holder, instance=name in _BUILDERS, frame=frame)
    if name.startswith("build"):
        for each in (*node.args, *keywords):
            found = registered_entries.from_registry(interp, node, each, instance=True, frame=frame)
            if found is not None:
                return found
    return None


def _evaluated(interp: Interpreter, text: Value, node: ast.expr, frame: Frame) -> Value | None:
    """Return the objects whose names ``eval`` may be given, as in ``eval(args.model)``."""
    names = _names_or_usual(text, node, frame)
    found = [interp.eval(parse_expression(name), frame) for name in names or () if _is_dotted(name)]
    return join_all(found) if found else None


def _is_dotted(name: str) -> bool:
    """Return whether a text is a dotted name of Python."""
    return all(part.isidentifier() and not keyword.iskeyword(part) for part in name.split("."))
