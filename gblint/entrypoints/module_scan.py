"""The scan of modules for code that compiles something.

Only statements and functions that mention compilation are evaluated, eagerly; the interpreter records the objects that
they compile.
"""

from __future__ import annotations

import ast
from collections.abc import Hashable, Iterable

from gblint.entrypoints import pytest_arguments
from gblint.entrypoints.keywords import ATTRIBUTES, is_pattern, is_query
from gblint.interp.domain import branch_stores, class_fields
from gblint.interp.evaluator import classes, earlier_bindings, functions, input_values
from gblint.interp.evaluator.derived_classes import MAX_SUBCLASSES, subclasses
from gblint.interp.models.torch import compiler_decorators, trainer_libraries
from gblint.interp.models.torch.nn_modules import COMPILE_ARGUMENTS
from gblint.interp.state.budget import MAX_SEARCH_FUNCTION_STEPS, MAX_SEARCH_STATEMENT_STEPS
from gblint.interp.state.call_args import Args
from gblint.interp.state.frame import Frame, TracingMode
from gblint.interp.state.interpreter import Interpreter
from gblint.interp.state.trace_ir import FunctionSummary
from gblint.project.modules import Binding, Module
from gblint.runtime import ast_origins, ast_walk
from gblint.values.base import NONE, STR, UNKNOWN, Const, Scalar, Value, members
from gblint.values.containers import Mapping, Seq
from gblint.values.keys import key
from gblint.values.lattice import is_text_constant
from gblint.values.objects import (
    BoundMethod,
    Class,
    Function,
    FunctionNode,
    Instance,
    Scope,
    is_nn_module,
)
from gblint.values.wrapped import Wrapped

# The bound of the methods that are run to fill attributes for one method.
MAX_FILLING_CALLS = 3
OWN_COMPILE = "compile()"
"""The word for calls of ``compile`` with arguments that torch's methods do not take.

Without a method of this name in the project, such a call, as ``compile(loss=..., optimizer=...)``, compiles nothing.
"""


def scan_module(interp: Interpreter, module: Module, more: frozenset[str] = frozenset()) -> None:
    """Evaluate the code of a module that may compile something, or that contains one of ``more`` words."""
    aliases = [
        name
        for name, bindings in module.symbols.items()
        if any(_stands_for_compiler(b) or f"{b.module}.{b.attribute}" in interp.compilation.compilers for b in bindings)
    ]
    for name in _rebound_to_compiler(module):
        interp.compilation.compiling_functions.add((module.name, name))
        interp.module_attribute(module, name)  # before the functions that rebind it are run with any arguments
    words = more | frozenset(aliases) | {name.rpartition(".")[2] for name in interp.compilation.compilers}
    if module.contains("torch._dynamo") or module.contains("torch.compiler"):
        words |= {"error_on_graph_break"} | ({"patch"} if module.contains("config.patch") else set())
    if interp.compilation.has_compile_method:
        words |= {OWN_COMPILE}
    frame = interp.module_frame(module)
    words |= frozenset(
        trainer_libraries.words_of(module.symbols, lambda n: interp.module_attribute(module, n), module.source)
    )
    if module.contains("set_stance"):
        words |= {"set_stance"}
    _scan_statements(interp, frame, words)


def scan_calls(interp: Interpreter, module: Module, words: Iterable[str]) -> None:
    """Evaluate the code of a module that uses compiled objects, by their names, to record their calls."""
    if module.origin != "library":
        _scan_statements(interp, interp.module_frame(module), frozenset(words), defines=False)


def _stands_for_compiler(binding: Binding) -> bool:
    """Return whether a module-level name is an alias of ``torch.compile``, or a partial of it."""
    if binding.module is not None:
        return f"{binding.module}.{binding.attribute}" in classes.COMPILERS
    kinds = (ast.Call, ast.Attribute, ast.IfExp)
    return isinstance(binding.value, kinds) and may_compile(binding.value, frozenset())


def _rebound_to_compiler(module: Module) -> set[str]:
    """Return the globals that a function of the module binds to ``torch.compile``."""
    found: set[str] = set()
    for function in module.tree.body if module.contains("global ") else ():
        nodes = ast_walk.walk(function) if isinstance(function, ast.FunctionDef) else []
        declared = {name for node in nodes if isinstance(node, ast.Global) for name in node.names}
        for node in nodes if declared else ():
            if isinstance(node, ast.Assign) and isinstance(node.value, ast.Attribute):
                if may_compile(node.value, frozenset()):
                    found |= {t.id for t in node.targets if isinstance(t, ast.Name) and t.id in declared}
    return found


def _scan_statements(interp: Interpreter, frame: Frame, words: frozenset[str], *, defines: bool = True) -> None:
    """Evaluate the statements of a module that may compile something; a stance that one sets holds until the end."""
    mode = frame.mode
    changing: dict[ast.Call, ast.stmt] = {}
    with branch_stores.in_script(interp, is_script=_is_script(frame.module, words)):
        for statement in frame.module.tree.body:
            if changing and not isinstance(statement, ast_walk.DEFINITIONS) and may_compile(statement, words):
                _run_changes(interp, changing, statement, frame)
            call = _call_with_variable(statement)
            if call is not None:
                changing[call] = statement
            _scan(interp, statement, frame, None, words, defines=defines)
        for call in [each for each in changing if _registers_hooks(interp, each, frame)]:
            _run_change(interp, changing[call], frame)
    frame.mode = mode


def _is_script(module: Module, words: frozenset[str]) -> bool:
    """Return whether a module is run: it says so, or it compiles something outside of functions and classes."""
    if module.contains("__main__"):
        return True
    return any(not isinstance(each, ast_walk.DEFINITIONS) and may_compile(each, words) for each in module.tree.body)


def _call_with_variable(statement: ast.stmt) -> ast.Call | None:
    """Return the call of a statement such as ``add_adapters(net)`` or ``net.build()``, which may change ``net``.

    An object that is made with a variable may change it as well: ``reader = Reader(net)``.
    """
    call = statement.value if isinstance(statement, (ast.Expr, ast.Assign)) else None
    if isinstance(statement, ast.Assign) and not (isinstance(call, ast.Call) and isinstance(call.func, ast.Name)):
        return None
    if not isinstance(call, ast.Call) or not isinstance(call.func, (ast.Name, ast.Attribute)):
        return None
    of_variable = isinstance(call.func, ast.Attribute) and isinstance(call.func.value, ast.Name)
    return call if of_variable or any(isinstance(arg, ast.Name) for arg in call.args) else None


def _run_changes(interp: Interpreter, changing: dict[ast.Call, ast.stmt], statement: ast.stmt, frame: Frame) -> None:
    """Run the calls of functions of the project that may change what a statement compiles, each once."""
    used = {each.id for each in ast_walk.walk(statement) if isinstance(each, ast.Name)}
    for binding in [each for name in list(used) for each in frame.module.symbols.get(name, ())]:
        if isinstance(binding.value, ast.Call):
            used |= ast_origins.names(binding.value.args)  # ``step`` in ``step = torch.compile(model)``
    for call in [each for each in changing if used & ast_origins.names([each.func, *each.args])]:
        change, called = changing.pop(call), interp.eval(call.func, frame)
        method = called.function if isinstance(called, BoundMethod) else called
        is_own = isinstance(change, ast.Expr) and isinstance(method, Function) and method.module.origin == "user"
        if is_own or _registers_hooks(interp, call, frame):
            _run_change(interp, change, frame)


def _run_change(interp: Interpreter, change: ast.stmt, frame: Frame) -> None:
    """Run a statement that may change a variable; the globals that an assignment binds are evaluated instead, once."""
    _begin(interp, MAX_SEARCH_STATEMENT_STEPS)
    if isinstance(change, ast.Assign):
        for name in [each.id for each in change.targets if isinstance(each, ast.Name)]:
            interp.module_attribute(frame.module, name)
    else:
        interp.run([change], frame)


def _registers_hooks(interp: Interpreter, call: ast.Call, frame: Frame) -> bool:
    """Return whether a call with a module goes to a function or class of the project in a file that registers hooks."""
    bindings = frame.module.symbols.get(call.func.id, ()) if call.args and isinstance(call.func, ast.Name) else ()
    sources = [interp.project.find_module(b.module, frame.module) if b.module else frame.module for b in bindings]
    if not any(each is not None and each.origin == "user" and each.contains("register_forward") for each in sources):
        return False
    called = interp.eval(call.func, frame)
    return isinstance(called, (Function, Class)) and any(
        is_nn_module(value) for each in call.args for value in members(interp.eval(each, frame))
    )


def _scan(
    interp: Interpreter,
    node: ast.stmt,
    frame: Frame,
    owner: Class | None,
    words: frozenset[str],
    *,
    defines: bool = True,
) -> None:
    """Evaluate a statement if it may compile something; functions and classes are searched inside.

    ``defines`` is false if the decorators were evaluated before.
    """
    if isinstance(node, ast.ClassDef):
        if not may_compile(node, words):
            return
        cls = classes.define(interp, node, frame)
        body = class_fields.body_frame(cls)
        if defines:
            classes.compile_decorated(interp, node, cls, frame)
        for statement in node.body:
            _scan(interp, statement, body, cls, words, defines=defines)
        return
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        if not may_compile(node, words):
            return
        if defines and any(may_compile(d, words) for d in node.decorator_list):
            _begin(interp, MAX_SEARCH_FUNCTION_STEPS)
            _run_closures(interp, node, functions.define(interp, node, frame), words)
        if any(may_compile(s, words) for s in node.body):
            _run_function(interp, node, frame, owner, words)
            _scan_local_classes(interp, node, words)
        return
    if isinstance(node, (ast.If, ast.Try, ast.With, ast.For, ast.While)):
        for child in ast_walk.children(node):
            if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                _scan(interp, child, frame, owner, words, defines=defines)
    if may_compile(node, words):
        _begin(interp, MAX_SEARCH_STATEMENT_STEPS)
        with earlier_bindings.at(frame, node):
            interp.run([node], frame)
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
            for target in node.targets:
                if isinstance(target, ast.Name):
                    _run_closures(interp, node, frame.variables.get(target.id, NONE), words)


def _scan_local_classes(interp: Interpreter, node: ast.AST, words: frozenset[str]) -> None:
    """Run the methods of classes that a function defines and does not use: a patch stores them elsewhere."""
    inside = {each for each in ast_walk.walk(node) if isinstance(each, ast.ClassDef) and may_compile(each, words)}
    if not inside:
        return
    for cls in [each for each in interp.caches.classes.values() if each.scope is not None and each.node in inside]:
        if not interp.compilation.has_compiled_in(cls.node):
            body = class_fields.body_frame(cls)
            for statement in cls.node.body:
                _scan(interp, statement, body, cls, words, defines=False)


def _begin(interp: Interpreter, steps: int) -> None:
    """Start the budgets of one statement or function of the search."""
    interp.budget.limit_search(steps)
    interp.calls.contexts = {}
    interp.calls.made_by_name = {}


def may_compile(node: ast.AST, words: frozenset[str]) -> bool:
    """Return whether code may compile something, or contains one of ``words``.

    Regular expressions and queries such as ``torch.compiler.is_compiling()`` do not count.
    """
    asked: set[ast.AST] = set()
    for child in ast_walk.walk(node):
        if isinstance(child, ast.Call):
            if isinstance(child.func, ast.Attribute) and f"{child.func.attr}(" in words:
                return True
            if OWN_COMPILE not in words and _has_foreign_options(child):
                asked.add(child.func)
        elif isinstance(child, ast.Attribute):
            if child.attr in words or f".{child.attr}" in words:
                return True
            if is_query(child.attr):
                asked.add(child.value)
            elif ("compile" in child.attr and not _is_pattern(child)) or child.attr in ATTRIBUTES:
                if child not in asked:
                    return True
        elif isinstance(child, ast.Name) and isinstance(child.ctx, ast.Load):
            if child.id in words or f"={child.id}" in words or ("compile" in child.id and not is_query(child.id)):
                return True
    return False


def _has_foreign_options(call: ast.Call) -> bool:
    """Return whether a method ``compile`` is called with a keyword that no ``compile`` of torch takes."""
    if not isinstance(call.func, ast.Attribute) or call.func.attr != "compile":
        return False
    return any(k.arg is not None and k.arg != "model" and k.arg not in COMPILE_ARGUMENTS for k in call.keywords)


def _is_pattern(node: ast.Attribute) -> bool:
    return is_pattern(node.attr, node.value.id if isinstance(node.value, ast.Name) else None)


def undecided(args: Args) -> Args:
    """Return the arguments with defaults that decide no branch: a string is the likely value, not the only one.

    A sequence that is empty by default has any items.
    """
    return Args(
        tuple(map(_likely, args.pos)), {name: _likely(v) for name, v in args.kw.items()}, args.star, args.kwstar
    )


def _likely(value: Value) -> Value:
    if isinstance(value, Const) and isinstance(value.value, str):
        return Scalar("str", likely=value)
    if isinstance(value, Seq) and value.items and all(map(is_text_constant, value.items)):
        return Seq(value.cls, None, STR)
    if isinstance(value, Seq) and value.items == ():
        return Seq(value.cls, None, UNKNOWN)
    return value


def _run_function(
    interp: Interpreter,
    node: ast.FunctionDef | ast.AsyncFunctionDef,
    frame: Frame,
    owner: Class | None,
    words: frozenset[str],
) -> None:
    """Evaluate a function eagerly with unknown arguments, to record what it compiles."""
    function = Function(
        node,
        frame.module,
        f"{owner.name}.{node.name}" if owner else node.name,
        owner.scope if owner else None,
        owner,
        tuple(interp.eval(d, frame) for d in node.args.defaults),
        tuple(None if d is None else interp.eval(d, frame) for d in node.args.kw_defaults),
    )
    mode = compiler_decorators.under_decorators(interp, node, frame)
    static = ast_walk.has_decorator(node, "staticmethod")
    bound = owner is not None and not static
    args = undecided(input_values.unknown_arguments(interp, function, owner, soft=True, bound=bound))
    args = pytest_arguments.with_tests(interp, function, args)
    if not bound or owner is None:
        _run_closures(interp, node, call_eagerly(interp, function, args, mode=mode), words)
        return
    if ast_walk.has_decorator(node, "classmethod"):
        inheriting = [e for e in subclasses(interp, owner) if _node_of(interp.class_attribute(e, node.name)) is node]
        for cls in [owner, *inheriting[:MAX_SUBCLASSES]]:
            call_eagerly(interp, function, args, cls, mode)
        if len(inheriting) > MAX_SUBCLASSES:
            _note_incomplete(interp, node)
        return
    receiver = interp.any_instance(owner)
    made = _compiled_origins(node, words)
    _fill_attributes(interp, receiver, function, made)
    overriding = _overriding(interp, function, receiver, made)
    call_eagerly(interp, function, args, receiver, mode)
    for cls in overriding[:MAX_SUBCLASSES]:
        own = interp.class_attribute(cls, node.name) if node.name == "__init__" else None
        if isinstance(own, Function) and own.node is not node:
            # The constructor of the subclass decides what it passes on.
            given = undecided(input_values.unknown_arguments(interp, own, cls, soft=True))
            call_eagerly(interp, own, given, interp.any_instance(cls), mode)
            interp.compilation.note_constructed(node, cls, complete=not interp.budget.exhausted)
        else:
            call_eagerly(interp, function, args, interp.any_instance(cls), mode)
    if len(overriding) > MAX_SUBCLASSES:
        _note_incomplete(interp, node)


def _note_incomplete(interp: Interpreter, node: ast.AST) -> None:
    """Note that classes are left out of those for which the code ``node`` was evaluated."""
    inside = set(ast_walk.walk(node))
    for compiled in interp.compilation.objects:
        compiled.incomplete |= compiled.node in inside


def _run_closures(interp: Interpreter, node: ast.AST, made: Value, words: frozenset[str]) -> None:
    """Call the functions that the code ``node`` returns or creates, if they compile something."""
    for each in members(made):
        if isinstance(each, Function) and each.scope is not None and each.node is not node:
            inner = each.node.body if isinstance(each.node, ast.FunctionDef) else ()
            if any(may_compile(s, words) for s in inner):
                call_eagerly(interp, each, undecided(input_values.unknown_arguments(interp, each, None, soft=True)))


_EAGERLY = TracingMode(tracing=False)


def call_eagerly(
    interp: Interpreter, function: Function, args: Args, receiver: Value | None = None, mode: TracingMode = _EAGERLY
) -> Value:
    """Call a function eagerly, with arguments of the annotated types; return the result."""
    module, state = function.module, interp.compilation
    caller = Frame(module, Scope({}, None), FunctionSummary("<module>", module), mode)
    _begin(interp, MAX_SEARCH_FUNCTION_STEPS)
    with state.assumed.during(args.all(), receiver):
        result = interp.call(function, args if receiver is None else args.prepend(receiver), caller, function.node)
    makes_compiler = any(map(compiler_decorators.is_compiler, members(result)))
    if makes_compiler or (args.all() and caller.summary.compiled_arguments.from_callers):
        state.note_compiling(function)
    return result


def _compiled_origins(function: FunctionNode, words: frozenset[str]) -> list[ast.expr]:
    """Return the expressions in a method that create the objects that the method compiles."""
    calls = [n for n in ast_walk.walk(function) if isinstance(n, ast.Call) and may_compile(n.func, words)]
    compiled = [arg for call in calls for arg in (*call.args, *(k.value for k in call.keywords))]
    compiled += [call.func.value for call in calls if isinstance(call.func, ast.Attribute)]
    return ast_origins.origins(function, compiled)


def _overriding(interp: Interpreter, function: Function, receiver: Value, made: list[ast.expr]) -> list[Class]:
    """Return subclasses that decide what the compiled object is made from, one for each combination.

    They override a method from whose result it is made, or a class attribute, or set an attribute that ``receiver``
    lacks.
    """
    owner, parameters = function.owner, function.node.args.args
    if owner is None or not parameters:
        return []
    names = ast_origins.attributes_of(parameters[0].arg, made)
    methods = [name for name in names if _is_method(interp, owner, name)]
    settings = _class_settings(interp, owner, names)
    # ``behind`` finds the subclasses for a method that the base class lacks.
    lacks = any(not name or not _has(interp, receiver, name) for name in names if name not in ("forward", "__call__"))

    def choice(cls: Class, own: int) -> tuple[Hashable, ...]:
        inside = [id(_node_of(interp.class_attribute(cls, name))) for name in methods]
        values = [None if (v := interp.class_attribute(cls, name)) is None else key(v) for name in settings]
        return (own, *inside, *values)

    found: dict[tuple[Hashable, ...], Class] = {}
    for cls in subclasses(interp, owner) if methods or settings or lacks else ():
        found.setdefault(choice(cls, id(cls.node) if lacks else 0), cls)
    found.pop(choice(owner, 0), None)
    return list(found.values())


def _class_settings(interp: Interpreter, cls: Class, names: list[str]) -> list[str]:
    """Return the class attributes with data among ``names``, and those from which ``__init__`` makes what they name."""
    init = interp.class_attribute(cls, "__init__")
    read = set(names)
    if isinstance(init, Function) and init.node.args.args:
        own = init.node.args.args[0].arg
        made = [
            value
            for each in ast_walk.walk(init.node)
            for target, value in ast_origins.assignments(each)
            if ast_origins.stored_in(target, own) & read
        ]
        read |= set(ast_origins.attributes_of(own, ast_origins.origins(init.node, made)))
    return sorted(name for name in read if isinstance(interp.class_attribute(cls, name), (Const, Seq, Mapping)))


def _has(interp: Interpreter, receiver: Value, name: str) -> bool:
    """Return whether an object sets an attribute, or its class has it."""
    if not isinstance(receiver, Instance) or not isinstance(receiver.cls, Class):
        return False
    return name in receiver.attrs or interp.class_attribute(receiver.cls, name) is not None


def _is_method(interp: Interpreter, cls: Class, name: str) -> bool:
    return isinstance(interp.class_attribute(cls, name), (Function, Wrapped))


def _node_of(method: Value | None) -> ast.AST | None:
    while isinstance(method, Wrapped):
        method = method.function
    return method.node if isinstance(method, Function) else None


def _fill_attributes(interp: Interpreter, receiver: Value, function: Function, made: list[ast.expr]) -> None:
    """Run the methods that set the attributes which ``__init__`` leaves empty and from which an object is compiled."""
    parameters = function.node.args.args
    if not isinstance(receiver, Instance) or not isinstance(receiver.cls, Class) or not parameters:
        return
    read = ast_origins.attributes_of(parameters[0].arg, made)
    empty = {name for name in read if receiver.attrs.get(name, NONE) == NONE and name not in receiver.cls.attrs}
    done = 0
    for owner in receiver.cls.mro if empty else ():
        for node in owner.node.body:
            if done >= MAX_FILLING_CALLS or not isinstance(node, ast.FunctionDef) or not node.args.args:
                continue
            if node is function.node or node.name == "__init__" or owner.module.origin == "library":
                continue
            if empty & ast_origins.stored_attributes(node, node.args.args[0].arg):
                method = interp.class_attribute(receiver.cls, node.name)
                if isinstance(method, Function) and method.node is node:
                    done += 1
                    args = input_values.unknown_arguments(interp, method, owner, soft=True)
                    call_eagerly(interp, method, undecided(args), receiver)
