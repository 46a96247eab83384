"""Entry points: what ``torch.compile`` is applied to, and the options in force around it."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial

from gblint.diagnostics.entry_point import EntryPoint, OptionSource, Region
from gblint.diagnostics.report import FileError
from gblint.entrypoints.keywords import ATTRIBUTES, WORDS, is_pattern, is_question
from gblint.entrypoints.prefilter import compiles, has_forward
from gblint.interp import Entry, Progress
from gblint.interp.domain import object_lookup
from gblint.interp.evaluator import classes, functions, input_values
from gblint.interp.models.torch import trainer_libraries
from gblint.interp.state.call_args import Args
from gblint.interp.state.compilation import CompiledObject
from gblint.interp.state.events import span_of
from gblint.interp.state.frame import Frame, TracingMode
from gblint.interp.state.interpreter import Interpreter
from gblint.interp.state.trace_ir import FunctionSummary
from gblint.interp.tracer import another, same_depth
from gblint.project.dependencies import DependencyRecorder
from gblint.project.modules import Binding, Module
from gblint.project.project import exceed_memory
from gblint.runtime import ast_walk
from gblint.runtime.lazy_dataclasses import dataclass, field, replace
from gblint.values.base import TRUE, UNKNOWN, Const, Unknown, Value, members
from gblint.values.objects import (
    BoundMethod,
    Class,
    ExternalName,
    Function,
    Instance,
    Partial,
    Scope,
    Wrapped,
    is_module,
)

COMPILERS = ("torch.compile", "torch.export.export", "torch._dynamo.optimize", "torch._dynamo.optimize_assert")
MAX_HELPER_ROUNDS = 3


@dataclass(slots=True)
class EntrySearch:
    """The entry points found, what was asked for but is not there, and what is compiled but not known.

    ``assumes`` is true where the ``forward`` of every module is an entry point as well.  ``reading`` is what the search
    came by, and what is done with its interpreter later.
    """

    entries: list[Entry] = field(default_factory=list)
    problems: list[FileError] = field(default_factory=list)
    unknown: list[FileError] = field(default_factory=list)
    assumes: bool = False
    reading: DependencyRecorder | None = None


def find_entries(
    m: Interpreter,
    requested: Sequence[str] = (),
    *,
    assume: str = "auto",
    compilers: Sequence[str] = (),
    progress: Progress | None = None,
) -> EntrySearch:
    """The entry points asked for by name, or, if none is, those that the project's own code makes.

    With none of either every ``nn.Module.forward`` is taken for one; ``assume`` says "always" or "never" instead.
    ``compilers`` are dotted names of functions that do what ``torch.compile`` does.
    """
    search = find_compiled(m, requested, assume=assume, compilers=compilers, progress=progress)
    if search.assumes:
        modules = list(m.project.user_modules())
        for number, module in enumerate(modules):
            if progress is not None:
                progress(number, len(modules), module.display)
            search.entries += assumed_entries(m, module, search)
    return search


@same_depth()
def find_compiled(
    m: Interpreter,
    requested: Sequence[str] = (),
    *,
    assume: str = "auto",
    compilers: Sequence[str] = (),
    progress: Progress | None = None,
) -> EntrySearch:
    """The same without those that are only assumed; ``assumes`` says whether they are to be found as well."""
    m.compilation.compilers = frozenset(compilers)
    search = EntrySearch(problems=_pin_problems(m))
    if requested:
        for name in requested:
            _requested(m, name, search)
        return search
    modules = list(m.project.user_modules())
    own = [name.rpartition(".")[2] for name in compilers]
    telling = [each for each in modules if m.project.mentions(each, (*WORDS, *own)) and compiles(each.source, own)]
    if exceed_memory(telling):
        telling = _that_compile(m, telling, progress)
        progress = None
    for number, module in enumerate(telling):
        if progress is not None:
            progress(number, len(telling), module.display)
        _guarded(m, search, module, lambda found: _scan_module(m, found))
    _follow_helpers(m, modules, search)
    search.entries = list(_compiled_entries(m))
    search.unknown = [
        FileError(path, line, f"it is not known what `{text}` is, which is compiled here: name it with --entry")
        for (path, line), text in m.compilation.unknown_targets.items()
    ]
    search.assumes = assume == "always" or (assume == "auto" and not search.entries)
    return search


@same_depth()
def assumed_entries(m: Interpreter, module: Module, search: EntrySearch) -> list[Entry]:
    """The entry points of one module that are assumed; what goes wrong is noted in ``search``."""
    found: list[Entry] = []
    if has_forward(module.source):
        _guarded(m, search, module, lambda each: found.extend(_assumed(m, each)))
    return found


def _guarded(m: Interpreter, search: EntrySearch, module: Module, step: Callable[[Module], None]) -> None:
    """Takes ``step`` for a module; a fault of ours costs that module, not the run."""
    m.compilation.scanned_module = module
    try:
        step(module)
    except RecursionError:
        m.recover()  # what was seen up to there stands
    except Exception as error:
        m.recover()
        said = f"internal error while looking for entry points: {type(error).__name__}: {error}"
        search.problems.append(FileError(module.display, 0, " ".join(said.split())[:300]))
    finally:
        m.compilation.scanned_module = None


def _pin_problems(m: Interpreter) -> list[FileError]:
    """The pins that name a class which does not exist."""
    problems: list[FileError] = []
    for place, targets in m.pins.items():
        for target in targets:
            try:
                object_lookup.require(m, target)
            except object_lookup.NotFound as error:
                problems.append(FileError(f"pins.{place}", 0, str(error)))
    return problems


def _requested(m: Interpreter, name: str, search: EntrySearch) -> None:
    try:
        target = object_lookup.require(m, name)
    except object_lookup.NotFound as error:
        search.problems.append(FileError(name, 0, f"entry point not found: {error}"))
        return
    module_name, _, qualname = name.partition(":")
    owner = object_lookup.find_object(m, f"{module_name}:{qualname.rpartition('.')[0]}") if "." in qualname else None
    place = _definition(target)
    if place is None:
        search.problems.append(FileError(name, 0, "entry point cannot be traced: its source is not at hand"))
        return
    module, node = place
    span = span_of(module, node)
    point = EntryPoint(name, span.path, span.line, "requested")
    search.entries.append(Entry(point, target, module, cls=owner if isinstance(owner, Class) else None))


def _definition(target: Value) -> tuple[Module, ast.AST] | None:
    if isinstance(target, (Wrapped, Partial, BoundMethod)):
        return _definition(target.function)
    if isinstance(target, (Function, Class)):
        return target.module, target.node
    if isinstance(target, Instance) and isinstance(target.cls, Class):
        return target.cls.module, target.cls.node
    return None


def _assumed(m: Interpreter, module: Module) -> Iterator[Entry]:
    """Every class of a module that is an ``nn.Module`` with a ``forward`` of its own."""
    for name, bindings in module.symbols.items():
        node = bindings[-1].node
        if not isinstance(node, ast.ClassDef) or "forward" not in module.binding_table(node):
            continue
        cls = m.module_attribute(module, name)
        if isinstance(cls, Class) and cls.node is node and cls.inherits("torch.nn.Module"):
            forward = m.class_attribute(cls, "forward")
            if isinstance(forward, (Function, Wrapped)) and not _abstract(forward):
                span = span_of(module, node)
                point = EntryPoint(f"{module.name}:{name}", span.path, span.line, "assumed")
                yield Entry(point, cls, module)


def _abstract(forward: Value) -> bool:
    """Whether a ``forward`` only raises."""
    if not isinstance(forward, Function) or isinstance(forward.node, ast.Lambda):
        return False
    body = [s for s in forward.node.body if not (isinstance(s, ast.Expr) and isinstance(s.value, ast.Constant))]
    return all(isinstance(s, (ast.Raise, ast.Pass)) for s in body)


# -- what the project's own code compiles ----------------------------------------------------------------------------


def _that_compile(m: Interpreter, modules: Sequence[Module], progress: Progress | None) -> list[Module]:
    """Those of many modules that compile anything, or call what others compile.

    They are told by other interpreters, each for as many as may be in memory: what most of the modules do, which only
    speak of compilation, is not kept.
    """
    telling: list[Module] = []
    used: dict[Module, int] = {}
    scout = another(m, observed=False)
    for number, module in enumerate(modules):
        if progress is not None:
            progress(number, len(modules), module.display)
        search, before = EntrySearch(), _noted(scout)
        _guarded(scout, search, module, partial(_scan_module, scout))
        if search.problems or _noted(scout) != before:
            telling.append(module)
        if m.project.is_full():
            for each in scout.caches.evaluated_modules():
                used[each] = used.get(each, 0) + 1
            scout.release()
            m.project.evict(used)
            scout = another(m, observed=False)
    scout.release()
    return telling


def _noted(m: Interpreter) -> tuple[int, ...]:
    """How much was noted of what is compiled: it grows, or stays the same."""
    told = sum(len(c.sites) + len(c.seen_in) + (c.undone is not None) + bool(c.ignored) for c in m.compilation.objects)
    return len(m.compilation.objects), told, len(m.compilation.compiling_functions), len(m.compilation.unknown_targets)


def _follow_helpers(m: Interpreter, modules: Sequence[Module], search: EntrySearch) -> None:
    """Looks where the project's own functions are used that compile what they are given."""
    done: set[tuple[str, str]] = set()
    for _ in range(MAX_HELPER_ROUNDS):
        new = m.compilation.compiling_functions - done
        if not new:
            return
        done |= new
        for module in modules:
            told = [(home, name) for home, name in new if m.project.mentions(module, (name,))]
            words = frozenset(name for home, name in told if _may_know(module, home, name))
            if words:
                _guarded(m, search, module, lambda found, words=words: _scan_module(m, found, words))  # type: ignore[misc]


def _may_know(module: Module, home: str, name: str) -> bool:
    """Whether ``name`` in a module may be the one of the module ``home``, under the same name or as an attribute."""
    return module.name == home or home.rpartition(".")[2] in module.source or module.contains("import *")


def _scan_module(m: Interpreter, module: Module, more: frozenset[str] = frozenset()) -> None:
    """Runs what a module says about compilation; the interpreter notes what is compiled."""
    aliases = (
        name
        for name, bindings in module.symbols.items()
        if any(_stands_for_compiler(b) or f"{b.module}.{b.attribute}" in m.compilation.compilers for b in bindings)
    )
    words = more | frozenset(aliases) | {name.rpartition(".")[2] for name in m.compilation.compilers}
    if module.contains("torch._dynamo") or module.contains("torch.compiler"):
        words |= {"error_on_graph_break"} | ({"patch"} if module.contains("config.patch") else set())
    frame = m.module_frame(module)
    words |= frozenset(
        trainer_libraries.words_of(module.symbols, lambda n: m.module_attribute(module, n), module.source)
    )
    for statement in module.tree.body:
        _scan(m, statement, frame, None, words)


def _stands_for_compiler(binding: Binding) -> bool:
    """Whether a module-level name is an alias of ``torch.compile``, or a partial of it."""
    if binding.module is not None:
        return f"{binding.module}.{binding.attribute}" in COMPILERS
    return isinstance(binding.value, (ast.Call, ast.Attribute)) and _mentions(binding.value, frozenset())


def _compiled_entries(m: Interpreter) -> Iterator[Entry]:
    """What was seen to be compiled, each thing once at each place, in the order of the source."""
    seen: set[tuple[str, int, str, Region]] = set()
    own = [c for c in m.compilation.objects if c.module.origin != "library" and c.undone is None]
    traced = _traced(m, own)
    own = [c for c in own if not isinstance(c.node, ast.Call) or c.node not in traced]
    for compiled in sorted(own, key=lambda c: (c.module.display, getattr(c.node, "lineno", 0))):
        for entry in entries_of(m, compiled):
            place = (entry.point.path, entry.point.line, entry.point.name, entry.point.region)
            if place not in seen:
                seen.add(place)
                yield entry


def _traced(m: Interpreter, own: list[CompiledObject]) -> set[ast.AST]:
    """The calls in functions that are compiled themselves: ``torch.compile`` does nothing there."""
    from gblint.interp.tracer import underlying

    functions = {underlying(m, target)[0] for c in own for target in members(c.value)}
    return {node for f in functions if f is not None for node in ast_walk.walk(f.node) if isinstance(node, ast.Call)}


def _scan(m: Interpreter, node: ast.stmt, frame: Frame, owner: Class | None, words: frozenset[str]) -> None:
    """Runs every statement that mentions compilation, eagerly, and each function that does."""
    if isinstance(node, ast.ClassDef):
        if not _mentions(node, words):
            return
        cls = classes.define(m, node, frame)
        body = classes.body_frame(m, cls)
        _decorated_class(m, node, cls, frame)
        for statement in node.body:
            _scan(m, statement, body, cls, words)
        return
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        if not _mentions(node, words):
            return
        if any(_mentions(d, words) for d in node.decorator_list):
            functions.define(m, node, frame)
        if any(_mentions(s, words) for s in node.body):
            _run_function(m, node, frame, owner)
        return
    if isinstance(node, (ast.If, ast.Try, ast.With, ast.For, ast.While)):
        for child in ast_walk.children(node):
            if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                _scan(m, child, frame, owner, words)
    if _mentions(node, words):
        m.budget.limit = m.budget.steps + 200_000
        m.run([node], frame)


def _mentions(node: ast.AST, words: frozenset[str]) -> bool:
    """Whether a piece of source may compile something.

    Neither a regular expression nor a question such as ``torch.compiler.is_compiling()`` does.
    """
    asked: set[ast.AST] = set()
    for child in ast_walk.walk(node):
        if isinstance(child, ast.Attribute):
            if child.attr in words:
                return True
            if is_question(child.attr):
                asked.add(child.value)
            elif ("compile" in child.attr and not _is_pattern(child)) or child.attr in ATTRIBUTES:
                if child not in asked:
                    return True
        elif isinstance(child, ast.Name) and isinstance(child.ctx, ast.Load):
            if child.id in words or ("compile" in child.id and not is_question(child.id)):
                return True
    return False


def _is_pattern(node: ast.Attribute) -> bool:
    return is_pattern(node.attr, node.value.id if isinstance(node.value, ast.Name) else None)


def _decorated_class(m: Interpreter, node: ast.ClassDef, cls: Class, frame: Frame) -> None:
    for decorator in node.decorator_list:
        call = decorator if isinstance(decorator, ast.Call) else None
        function = m.eval(call.func if call else decorator, frame)
        if isinstance(function, ExternalName) and function.name in COMPILERS:
            options = {k.arg: m.eval(k.value, frame) for k in call.keywords if k.arg} if call else {}
            m.note_compiled(frame, node, cls, options, "decorator")


def _run_function(
    m: Interpreter, node: ast.FunctionDef | ast.AsyncFunctionDef, frame: Frame, owner: Class | None
) -> None:
    """Runs a function eagerly with unknown arguments, so that the compilations in it are seen."""
    function = Function(
        node,
        frame.module,
        f"{owner.name}.{node.name}" if owner else node.name,
        None,
        owner,
        tuple(m.eval(d, frame) for d in node.args.defaults),
        tuple(None if d is None else m.eval(d, frame) for d in node.args.kw_defaults),
    )
    static = any(isinstance(d, ast.Name) and d.id == "staticmethod" for d in node.decorator_list)
    bound = owner is not None and not static
    args = input_values.unknown_arguments(m, function, owner, soft=True, bound=bound)
    if bound and owner is not None:
        args = args.prepend(m.any_instance(owner))
    caller = Frame(frame.module, Scope({}, None), FunctionSummary("<module>", frame.module), TracingMode(tracing=False))
    m.budget.limit = m.budget.steps + 400_000
    m.call(function, args, caller, node)


def scan_calls(m: Interpreter, words: Mapping[Module, set[str]]) -> None:
    """Runs what calls something compiled under one of these names, so that its calls are noted as well."""
    for module, names_here in words.items():
        if module.origin != "library":
            frame = m.module_frame(module)
            for statement in module.tree.body:
                _scan(m, statement, frame, None, frozenset(names_here))


def entries_of(m: Interpreter, compiled: CompiledObject) -> Iterator[Entry]:
    """The entry points that one compilation makes, one for each thing that it may be applied to."""
    span = span_of(compiled.module, compiled.node)
    region = _region_around(region_of(compiled.options, _said(compiled)), compiled)
    for target in members(compiled.value):
        name = _name_of(target)
        if name is None:
            name = f"{compiled.module.name}:{_text(compiled)}"
        point = EntryPoint(name, span.path, span.line, compiled.kind, region)
        args = _args_of(m, target, compiled.sites)
        yield Entry(
            point, target, compiled.module, args, compiled.owner, _first_call(compiled), _files(compiled, target)
        )


def _files(compiled: CompiledObject, target: Value) -> frozenset[str]:
    """The project's files that say that this is compiled, or with what it is called."""
    own = {path for value, path in compiled.seen_in if target in members(value)}
    calls = {str(site.module.path) for site in compiled.calls if site.module.origin != "library"}
    return frozenset(calls | (own or {path for _, path in compiled.seen_in}))


def _first_call(compiled: CompiledObject) -> tuple[Module, int] | None:
    if not compiled.calls:
        return None
    site = compiled.calls[0]
    return site.module, getattr(site.node, "lineno", 0)


def _text(compiled: CompiledObject) -> str:
    node = compiled.node
    if isinstance(node, ast.Call) and node.args:
        return ast.unparse(node.args[0])[:60]
    return "<unknown>"


def _said(compiled: CompiledObject) -> OptionSource:
    """The line of the option that makes a break raise: in the call, or in the decorator that is one."""
    node = compiled.node
    calls = [node, *getattr(node, "decorator_list", ())]
    keywords = [k for call in calls if isinstance(call, ast.Call) for k in call.keywords]
    given = [k for k in keywords if k.arg in ("fullgraph", "nopython", "strict")]
    line = given[0].value.lineno if given else getattr(node, "lineno", 1)
    return OptionSource(compiled.module.display, line, "export" if "export" in compiled.options else "fullgraph")


def _region_around(region: Region, compiled: CompiledObject) -> Region:
    """``region`` with what ``error_on_graph_break`` says around the calls: what raises in one of them counts."""
    if region.fullgraph:
        return region
    for on, said in compiled.under:
        if on:
            return replace(region, error_on_graph_break=True, said=said)
    if compiled.under and all(on is False for on, _ in compiled.under):
        return replace(region, error_on_graph_break=False, said=compiled.under[0][1])
    return region


def region_of(options: Mapping[str, Value], said: OptionSource | None = None) -> Region:
    """The region that the options of ``torch.compile`` open; ``said`` is where they stand."""
    strict = options.get("error_on_graph_break")
    if isinstance(strict, Const) and said is not None and options.get("fullgraph") != TRUE:
        said = replace(said, option="error_on_graph_break")
    dynamic = options.get("dynamic")
    backend = options.get("backend")
    return Region(
        fullgraph=options.get("fullgraph") == TRUE,
        error_on_graph_break=strict.value if isinstance(strict, Const) and isinstance(strict.value, bool) else None,
        export=options.get("export") == TRUE,
        moves_logging=options.get("strict") == TRUE,
        dynamic=dynamic.value if isinstance(dynamic, Const) and isinstance(dynamic.value, bool) else None,
        backend=backend.value if isinstance(backend, Const) and isinstance(backend.value, str) else None,
        said=said,
    )


def _name_of(target: Value) -> str | None:
    if isinstance(target, BoundMethod):
        inner = target.function
        while isinstance(inner, Wrapped):
            inner = inner.function
        cls = target.receiver.cls if isinstance(target.receiver, Instance) else target.receiver
        if isinstance(inner, Function) and isinstance(cls, Class):
            return f"{cls.module.name}:{cls.name}.{inner.name.rpartition('.')[2]}"
        return _name_of(inner)
    if isinstance(target, (Wrapped, Partial)):
        return _name_of(target.function)
    if isinstance(target, (Function, Class)):
        return f"{target.module.name}:{target.name}"
    if isinstance(target, Instance):
        if isinstance(target.cls, Class):
            return f"{target.cls.module.name}:{target.cls.name}"
        return target.cls.name if is_module(target) else None
    return target.name if isinstance(target, ExternalName) else None


def _args_of(m: Interpreter, target: Value, sites: list[Args]) -> Args | None:
    """The arguments that the visible calls pass; what they leave unknown is guessed from the signature."""
    from gblint.interp.tracer import underlying
    from gblint.values.lattice import join

    if not sites:
        return None
    function, receiver, cls = underlying(m, target)
    if function is None:
        return None
    guess = input_values.unknown_arguments(m, function, cls, soft=False, bound=receiver is not None)
    width = max(len(s.pos) for s in sites)
    pos: list[Value] = []
    for index in range(width):
        value: Value | None = None
        for site in sites:
            if index < len(site.pos):
                value = site.pos[index] if value is None else join(value, site.pos[index])
        fallback = guess.pos[index] if index < len(guess.pos) else UNKNOWN
        pos.append(fallback if value is None or isinstance(value, Unknown) else input_values.as_input(value))
    kw: dict[str, Value] = {}
    for site in sites:
        for key, value in site.kw.items():
            kw[key] = join(kw[key], value) if key in kw else input_values.as_input(value)
    star = next((s.star for s in sites if s.star is not None), None)
    kwstar = next((s.kwstar for s in sites if s.kwstar is not None), None)
    return Args(tuple(pos), {k: v for k, v in kw.items() if not isinstance(v, Unknown)}, star, kwstar)
