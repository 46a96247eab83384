"""The search for entry points: those that the user requests, those that the project compiles, and assumed ones."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from functools import partial

from gblint.diagnostics.entry_point import EntryPoint, Region
from gblint.diagnostics.report import FileError
from gblint.diagnostics.unresolved import UnresolvedTarget
from gblint.entrypoints.call_names import compiled_attributes, names_of_compiled
from gblint.entrypoints.calls_apart import MAX_CALLS_APART, has_more_functions, is_another
from gblint.entrypoints.compiled_entries import entries_of, is_passed, order
from gblint.entrypoints.keywords import WORDS
from gblint.entrypoints.made_objects import constructed, run_open_methods
from gblint.entrypoints.module_modes import ModuleModes
from gblint.entrypoints.module_scan import scan_calls, scan_module
from gblint.entrypoints.prefilter import compiles, defines_compile, has_forward
from gblint.entrypoints.provenance import enclosing
from gblint.entrypoints.subclasses import implements_method
from gblint.entrypoints.unreached import compile_calls
from gblint.entrypoints.unresolved import TargetSorter, is_compilation, place_of
from gblint.interp import Entry, Progress
from gblint.interp.domain import object_lookup
from gblint.interp.evaluator.abstract_methods import is_abstract
from gblint.interp.evaluator.derived_classes import MAX_SUBCLASSES, subclasses
from gblint.interp.state.compilation import CompiledObject
from gblint.interp.state.events import span_of
from gblint.interp.state.interpreter import Interpreter
from gblint.interp.tracer import fresh_copy_of, same_depth, underlying
from gblint.project.dependencies import DependencyRecorder
from gblint.project.modules import Module
from gblint.project.project import exceed_memory
from gblint.project.test_files import is_test_file
from gblint.runtime import ast_origins, ast_walk
from gblint.runtime.lazy_dataclasses import dataclass, field, replace
from gblint.values.base import Value, members
from gblint.values.objects import (
    BoundMethod,
    BuiltinMethod,
    Class,
    Function,
    Instance,
    Partial,
)
from gblint.values.wrapped import Wrapped

MAX_HELPER_ROUNDS = 4
MAX_MADE = 24  # objects made, of which a method compiles a part, before no more are looked for
MAX_STEPS_TO_MAKERS = 100_000  # in the search for these objects
_TABLES = (ast.Dict, ast.List, ast.Tuple, ast.Set)


@dataclass(slots=True)
class EntrySearch:
    """The result of a search.

    ``entries``: the entry points found.
    ``problems``: requested entry points that do not exist, and internal errors.
    ``unresolved``: the places that compile something that cannot be analysed.
    ``assumes``: whether the ``forward`` of every module is assumed to be an entry point as well. ``reading``: the
    dependencies of the search, and of the later traces by its interpreter.
    """

    entries: list[Entry] = field(default_factory=list)
    problems: list[FileError] = field(default_factory=list)
    unresolved: list[UnresolvedTarget] = field(default_factory=list)
    assumes: bool = False
    reading: DependencyRecorder | None = None


def find_entries(
    interp: Interpreter,
    requested: Sequence[str] = (),
    *,
    assume: str = "auto",
    compilers: Sequence[str] = (),
    progress: Progress | None = None,
) -> EntrySearch:
    """Find the requested entry points, or, if none are requested, those that the project's own code compiles.

    Without any of these, every ``nn.Module.forward`` is assumed to be one; ``assume`` may be "always" or "never"
    instead of "auto".  ``compilers`` are dotted names of functions equivalent to ``torch.compile``.
    """
    search = find_compiled(interp, requested, assume=assume, compilers=compilers, progress=progress)
    if search.assumes:
        modules = list(interp.project.user_modules())
        for number, module in enumerate(modules):
            if progress is not None:
                progress(number, len(modules), module.display)
            search.entries += assumed_entries(interp, module, search)
    return search


@same_depth()
def find_compiled(
    interp: Interpreter,
    requested: Sequence[str] = (),
    *,
    assume: str = "auto",
    compilers: Sequence[str] = (),
    progress: Progress | None = None,
) -> EntrySearch:
    """Find the entry points as ``find_entries`` does, without those that are assumed."""
    interp.compilation.compilers = frozenset(compilers)
    search = EntrySearch(problems=_problems_of_pins(interp))
    if requested:
        for name in requested:
            _requested_safely(interp, name, search)
        return search
    modules = list(interp.project.user_modules())
    own = [name.rpartition(".")[2] for name in compilers]
    candidates = compiling = [
        each for each in modules if interp.project.mentions(each, (*WORDS, *own)) and compiles(each.source, own)
    ]
    interp.compilation.has_compile_method = any(defines_compile(each.source) for each in candidates)
    if exceed_memory(candidates):
        compiling = _compiling_modules(interp, candidates, progress)
        progress = None
    for number, module in enumerate(compiling):
        if progress is not None:
            progress(number, len(compiling), module.display)
        _scan_safely(interp, search, module, lambda found: scan_module(interp, found))
    _follow_helpers(interp, modules, search)
    _follow_makers(interp, modules, search)
    before = [value for each in interp.compilation.objects for value in members(each.value)]
    _follow_constructor_calls(interp, modules, candidates, search)
    for module, names in names_of_compiled(interp).items():
        _guarded(interp, search, module.display, partial(scan_calls, interp, module, names))
    for module in list(dict.fromkeys(each.module for each in interp.compilation.objects)):
        words = compiled_attributes(interp, module) if module.origin != "library" else frozenset[str]()
        if words:
            _scan_safely(interp, search, module, lambda found, words=words: scan_calls(interp, found, words))  # type: ignore[misc]
    _collect_compiled(interp, search, candidates)
    if interp.project.is_full():
        interp.project.release_unless(interp.caches.has_evaluated)
    if interp.compilation.constructor_calls.rests_on_tests:
        # They are objects that the tests of a library pass to it, as its users do.
        shown = [each for each in search.entries if each.target in before]
    else:
        shown = search.entries
    decided = any(_shows_what_is_compiled(interp, modules, entry) for entry in shown)
    search.assumes = assume == "always" or (assume == "auto" and not decided)
    return search


def _shows_what_is_compiled(interp: Interpreter, modules: Sequence[Module], entry: Entry) -> bool:
    """Return whether an entry point shows which modules of the project are compiled.

    The step of an optimizer does not, nor does code of tests, nor what tests compile of other packages, unless
    ``modules`` are all tests: a library compiles the modules of its users.
    """
    if isinstance(entry.target, BuiltinMethod):
        return False
    defined = _definition(entry.target)
    shown = defined[0] if defined is not None and defined[0].origin != "library" else entry.module
    root = interp.project.root
    return not is_test_file(shown.path, root) or all(is_test_file(each.path, root) for each in modules)


@same_depth()
def assumed_entries(interp: Interpreter, module: Module, search: EntrySearch) -> list[Entry]:
    """Find the assumed entry points of one module; problems are added to ``search``."""
    found: list[Entry] = []
    if has_forward(module.source):
        _scan_safely(interp, search, module, lambda each: found.extend(_assumed(interp, each)))
    return found


def _scan_safely(interp: Interpreter, search: EntrySearch, module: Module, step: Callable[[Module], None]) -> None:
    """Call ``step`` for a module; an internal error costs that module, not the run."""
    interp.compilation.scanned_module = module
    _guarded(interp, search, module.display, partial(step, module))
    interp.compilation.scanned_module = None


def _guarded(interp: Interpreter, search: EntrySearch, place: str, step: Callable[[], object]) -> None:
    """Call ``step``; an internal error is a problem of ``place``."""
    try:
        step()
    except RecursionError:
        interp.recover()  # what was recorded before stays
    except Exception as error:
        interp.recover()
        search.problems.append(_internal_error(place, error))


def _requested_safely(interp: Interpreter, name: str, search: EntrySearch) -> None:
    """Add a requested entry point; an internal error costs that entry point, not the run."""
    try:
        _add_requested(interp, name, search)
    except RecursionError:
        interp.recover()
        search.problems.append(FileError(name, 0, "the entry point cannot be traced: it is nested too deeply"))
    except Exception as error:
        interp.recover()
        search.problems.append(_internal_error(name, error))


def _internal_error(place: str, error: Exception) -> FileError:
    text = f"internal error while looking for entry points: {type(error).__name__}: {error}"
    return FileError(place, 0, " ".join(text.split())[:300])


def _problems_of_pins(interp: Interpreter) -> list[FileError]:
    """Return the errors of pins that name a class that does not exist."""
    problems: list[FileError] = []
    for place, targets in interp.pins.items():
        for target in targets:
            try:
                object_lookup.require(interp, target)
            except object_lookup.NotFound as error:
                problems.append(FileError(f"pins.{place}", 0, str(error)))
            except RecursionError:
                interp.recover()
                problems.append(FileError(f"pins.{place}", 0, f"{target} is nested too deeply"))
    return problems


def _add_requested(interp: Interpreter, name: str, search: EntrySearch) -> None:
    try:
        target = object_lookup.require(interp, name)
    except object_lookup.NotFound as error:
        search.problems.append(FileError(name, 0, f"entry point not found: {error}"))
        return
    module_name, _, qualname = name.partition(":")
    owner = (
        object_lookup.find_object(interp, f"{module_name}:{qualname.rpartition('.')[0]}") if "." in qualname else None
    )
    place = _definition(target)
    if place is None:
        search.problems.append(FileError(name, 0, "the entry point cannot be traced: its source was not found"))
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


def _assumed(interp: Interpreter, module: Module) -> Iterator[Entry]:
    """Yield the subclasses of ``nn.Module`` in a module that define ``forward``, or a method that a base leaves out."""
    for name, bindings in module.symbols.items():
        node = bindings[-1].node
        if not isinstance(node, ast.ClassDef):
            continue
        cls = interp.module_attribute(module, name)
        if isinstance(cls, Class) and cls.node is node and cls.inherits("torch.nn.Module"):
            forward = interp.class_attribute(cls, "forward")
            if "forward" not in module.binding_table(node) and not implements_method(interp, cls):
                continue
            if isinstance(forward, (Function, Wrapped)) and not is_abstract(forward):
                span = span_of(module, node)
                point = EntryPoint(f"{module.name}:{name}", span.path, span.line, "assumed")
                yield Entry(point, cls, module)


def _compiling_modules(interp: Interpreter, modules: Sequence[Module], progress: Progress | None) -> list[Module]:
    """Return the modules that compile something, or that call objects compiled by other modules.

    For many modules: most of those that mention compilation compile nothing.  They are scanned by separate
    interpreters, so that the main one keeps no state of them.
    """
    compiling: list[Module] = []
    used: dict[Module, int] = {}
    scanner = fresh_copy_of(interp, observed=False)
    for number, module in enumerate(modules):
        if progress is not None:
            progress(number, len(modules), module.display)
        search, before = EntrySearch(), _record_counts(scanner)
        _scan_safely(scanner, search, module, partial(scan_module, scanner))
        if search.problems or _record_counts(scanner) != before:
            compiling.append(module)
        if interp.project.is_full():
            for each in scanner.caches.evaluated_modules():
                used[each] = used.get(each, 0) + 1
            scanner.release()
            interp.project.evict(used)
            steps = scanner.budget.steps
            scanner = fresh_copy_of(interp, observed=False)
            scanner.budget.steps = steps  # one budget for the whole search
    scanner.release()
    return compiling


def _record_counts(interp: Interpreter) -> tuple[int, ...]:
    """Return counts of the recorded compilations; they never decrease."""
    state = interp.compilation
    details = sum(
        len(c.sites) + len(c.eager) + len(c.seen_in) + (c.undone is not None) + bool(c.ignored) for c in state.objects
    )
    return len(state.objects), details, len(state.compiling_functions), len(state.unknown_targets.by_place)


def _follow_helpers(interp: Interpreter, modules: Sequence[Module], search: EntrySearch) -> None:
    """Scan the uses of the project's own functions that compile their arguments."""
    _scan_uses(interp, modules, search, interp.compilation.compiling_functions, lambda: False)


def _follow_makers(interp: Interpreter, modules: Sequence[Module], search: EntrySearch) -> None:
    """Scan the code that makes objects of which a method compiles a part, and run these methods for the objects."""
    state, start = interp.compilation.open_methods, interp.budget.steps
    inheriting = [each for cls in state.by_class for each in subclasses(interp, cls)[:MAX_SUBCLASSES]]
    state.makers |= {(each.module.name, each.name) for each in inheriting}

    def has_enough() -> bool:
        return len(constructed(interp, state.by_class)) > MAX_MADE or interp.budget.steps - start > MAX_STEPS_TO_MAKERS

    _scan_uses(interp, modules, search, state.makers, has_enough)
    _guarded(interp, search, "gblint", partial(run_open_methods, interp, complete=not has_enough()))


def _follow_constructor_calls(
    interp: Interpreter, modules: Sequence[Module], candidates: Sequence[Module], search: EntrySearch
) -> None:
    """Scan again the code that compiles unknown objects; the project's calls of classes tell what their parts are."""
    unknown = [each for each in interp.compilation.unknown_targets.left() if is_compilation(each)]
    places = [(each.module, each.node) for each in unknown if each.module.origin == "user"]
    homes = list(dict.fromkeys(module for module, _ in (*places, *_not_evaluated(interp, candidates))))
    if not homes:
        return
    interp.compilation.constructor_calls.wanted = True
    interp.caches.forget_assumed()
    for module in homes:
        _scan_safely(interp, search, module, lambda found: scan_module(interp, found))
    names = {module.name for module in homes}
    called = {each for each in interp.compilation.compiling_functions if each[0] in names}
    called |= {name for module, node in places if (name := _function_around(module, node)) is not None}
    _scan_uses(interp, modules, search, called, lambda: False)


def _not_evaluated(interp: Interpreter, modules: Iterable[Module]) -> Iterator[tuple[Module, ast.AST]]:
    """Yield the calls that compile something and were not evaluated, as in a loop over nothing."""
    state = interp.compilation
    evaluated = {place_of(each.module, each.node) for each in state.objects}
    evaluated |= {place_of(each.module, each.node) for each in state.unknown_targets.by_place.values()}
    for module, node, _, _ in compile_calls(modules):
        if place_of(module, node) not in evaluated and node not in state.decorators:
            yield module, node


def _function_around(module: Module, node: ast.AST) -> tuple[str, str] | None:
    """Return the function or method in which a node is, by module and name."""
    scopes = enclosing(module.tree, node)
    first = next((index for index, each in enumerate(scopes) if not isinstance(each, ast.ClassDef)), None)
    return None if first is None else (module.name, ".".join(each.name for each in scopes[: first + 1]))


def _scan_uses(
    interp: Interpreter,
    modules: Sequence[Module],
    search: EntrySearch,
    names: Set[tuple[str, str]],
    is_done: Callable[[], bool],
) -> None:
    """Scan the uses of functions and classes, given by module and name; more names may be added meanwhile."""
    done: set[tuple[str, str]] = set()
    for _ in range(MAX_HELPER_ROUNDS):
        new = names - done
        if not new:
            return
        done |= new
        called = new | {other for home, name in new for other in _other_names(interp, home, name)}
        called |= {alias for each in called for alias in _aliases(interp, modules, *each)}
        for module in modules:
            words = frozenset(word for home, name in called if (word := _word_for(interp, module, home, name)))
            if words and is_done():
                return
            if words:
                _scan_safely(interp, search, module, lambda found, words=words: scan_module(interp, found, words))  # type: ignore[misc]


def _other_names(interp: Interpreter, home: str, name: str) -> Iterator[tuple[str, str]]:
    """Yield the names of the subclasses of a class, and of the variables that hold one of these or its dotted name."""
    module = interp.project.find_module(home)
    cls = interp.module_attribute(module, name) if module is not None and "." not in name else None
    if not isinstance(cls, Class):
        return
    classes = [cls, *subclasses(interp, cls)]
    yield from ((each.module.name, each.name) for each in classes[1:])
    names = {each.name for each in classes}
    for user in interp.project.user_modules():
        if interp.project.mentions(user, list(names)):
            yield from ((user.name, name) for name, known in user.symbols.items() if _names_one(known[-1].value, names))


def _names_one(value: ast.expr | None, names: Set[str]) -> bool:
    """Return whether the value of a variable is the dotted name of one of the classes, or a table that has one."""
    if isinstance(value, ast.Constant) and isinstance(value.value, str):
        package, _, last = value.value.rpartition(".")
        return bool(package) and last in names
    return isinstance(value, _TABLES) and not names.isdisjoint(ast_origins.identifiers([value]))


def _aliases(interp: Interpreter, modules: Sequence[Module], home: str, name: str) -> Iterator[tuple[str, str]]:
    """Yield the other names under which modules import a function or a class, each with that module."""
    for module in modules:
        if not interp.project.mentions(module, (f"{name} as ",)):
            continue
        for alias, bindings in module.symbols.items():
            source = bindings[-1]
            if alias != name and source.kind == "from" and source.attribute == name:
                found = interp.project.find_module(source.module or "", module)
                if found is not None and found.name == home:
                    yield module.name, alias


def _word_for(interp: Interpreter, module: Module, home: str, name: str) -> str:
    """Return the word by which a module may call a function of the module ``home``; empty if it does not.

    The word is ``.name`` for an attribute, ``=name`` for a variable, ``name`` for both.  The given name is that of a
    function or a class, or of a class and its method.
    """
    owner, _, last = name.rpartition(".")
    if not interp.project.mentions(module, (f".{last}(" if owner else last,)):
        return ""
    # A package may hand on what its modules define.
    whole = any(_imports(module.source, part) for part in home.split("."))
    if module.name == home or module.contains("import *") or _imports(module.source, owner or last):
        return f".{last}" if owner else last if whole else f"={last}"
    return f".{last}" if whole else ""


def _imports(source: str, name: str) -> bool:
    """Return whether an import statement in a module has this name."""
    word = rf"\b{re.escape(name)}\b"
    pattern = rf"^[ \t]*(?:from[ \t]+\S+[ \t]+)?import[ \t]+(?:\([^)]*{word}|[^\n(]*{word})"
    return re.search(pattern, source, re.MULTILINE) is not None


def _collect_compiled(interp: Interpreter, search: EntrySearch, modules: Sequence[Module]) -> None:
    """Add the entry points of all recorded compilations, each once for a place, in the order of the source.

    The places of those that cannot be traced are added as unresolved, with the calls in ``modules`` that were not
    evaluated.
    """
    seen: dict[tuple[str, int, str, Region], list[Value]] = {}
    own = [c for c in interp.compilation.objects if c.module.origin != "library" and c.undone is None]
    traced = _calls_in_compiled(interp, own)
    own = [c for c in own if not isinstance(c.node, ast.Call) or c.node not in traced]
    sorter, modes = TargetSorter(interp, own), ModuleModes()
    # Of one place, the objects that the project is seen to pass come before those that an annotation admits.
    passed = {id(each.node) for each in own if is_passed(each)}
    for compiled in sorted(own, key=order):
        if compiled.eager and not compiled.sites:
            sorter.skip(compiled)
            continue
        for entry in entries_of(
            interp, compiled, modes, is_rival=not is_passed(compiled) and id(compiled.node) in passed
        ):
            place = (entry.point.path, entry.point.line, entry.point.name, entry.point.region)
            others = seen.setdefault(place, [])
            if not is_another(entry.target, others, modes) or not sorter.accepts(compiled, entry):
                continue
            if len(others) == MAX_CALLS_APART or has_more_functions(entry.apart):
                sorter.leave_out(compiled, _excess(entry))
            if len(others) < MAX_CALLS_APART:
                others.append(entry.target)
                search.entries.append(replace(entry, apart=entry.apart[:MAX_CALLS_APART]))
    search.unresolved = sorter.unresolved(modules, traced)


def _excess(entry: Entry) -> str:
    """Return why not all that is compiled at one place is traced."""
    if isinstance(entry.target, Instance):
        return f"more than {MAX_CALLS_APART} different objects are compiled there"
    return f"more than {MAX_CALLS_APART} functions are passed to it in different calls"


def _calls_in_compiled(interp: Interpreter, own: list[CompiledObject]) -> set[ast.AST]:
    """Return the calls inside compiled functions; ``torch.compile`` has no effect there.

    A function that only its own code compiles, as a ``forward`` that replaces itself, runs eagerly before.
    """
    makers: dict[Function, set[ast.AST]] = {}
    for compiled in own:
        for target in members(compiled.value):
            function = underlying(interp, target)[0]
            if function is not None:
                makers.setdefault(function, set()).add(compiled.node)
    inside: set[ast.AST] = set()
    for function, compiling in makers.items():
        calls = {node for node in ast_walk.walk(function.node) if isinstance(node, ast.Call)}
        if not compiling <= calls:
            inside |= calls
    return inside
