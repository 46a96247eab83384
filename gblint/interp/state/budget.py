"""Step budgets: of an entry point and of its file, of the search for entry points, and of each call into library code
without torch.

Outside of the compiled region only the result of a call into library code matters.  It is known after few steps or
never: building a version object takes a few hundred steps, while sending a request or compiling a regular expression
runs through whole packages.  In the region the breaks of such a call matter too, but all of them are reported at the
calling line: once one break is certain, further steps add nothing.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from weakref import WeakKeyDictionary

from gblint.interp.state.frame import TracingMode
from gblint.project.modules import Module
from gblint.runtime import ast_walk
from gblint.runtime.lazy_dataclasses import dataclass
from gblint.values.base import Value
from gblint.values.objects import Class, Function, is_nn_module_class

MIN_FILE_STEPS = 300_000
"""Steps for all entry points of a file in a unit of work together, in a project of one file.

A step is the evaluation of one expression or statement; a large container counts as several (``PARTS_FOR_STEP``).
``StableDiffusionPipeline.__call__`` of diffusers takes 96,000, everything followed.
"""
STEPS_FOR_PROJECT_FILE = 5_000
"""Further steps for each file of the project: a large one has entry points that lead through much code."""
MAX_STEPS = 1_500_000
"""Steps for all entry points of a file in any case."""
MAX_STEPS_TO_CALL_AGAIN = 40_000
"""A second call of an entry point, and calls one by one, are followed if the first has taken at most so many steps."""
MIN_ENTRY_STEPS = 500
"""Steps for an entry point in any case."""
MAX_SEARCH_STATEMENT_STEPS = 100_000
"""Steps for one statement of a module that is searched for entry points."""
MAX_SEARCH_FUNCTION_STEPS = 200_000
"""Steps for one function of such a module."""
MAX_SEARCH_STEPS = 2_000_000
"""Steps for the whole search; a part of it gets at most a fifth of what is left, and MIN_SEARCH_STEPS in any case."""
MIN_SEARCH_STEPS = 5_000
MAX_SEARCH_CALL_STEPS = 20_000
"""Steps for one call of a model in such a function, or of a library that uses torch; the result only tells what other
compiled objects get."""
SHARE_OF_INNER_CALL = 0.75
"""The share of the steps left to such a call that another call of a library gets inside of it."""
MAX_LIBRARY_STEPS = 3_000
"""Steps for one call into library code."""
MAX_CONTAINER_STEPS = 10_000
"""Steps for one call in the region of a method of a library's container of tensors, such as a ``TensorDict``: it is
short, or leads through all kinds of containers."""
MAX_SEARCH_CONTAINER_STEPS = 5_000
"""Steps for such a call during the search."""
MIN_OBJECT_STEPS = 20_000
"""Steps for the constructor of an assumed object in any case; they count for nothing else."""
MAX_EFFECT_STEPS = 500
"""Steps for code that is run only to see what it changes."""
MAX_UNPRODUCTIVE = 2
"""After so many calls that ran out of budget a function is no longer evaluated."""
CHARACTERS_FOR_STEP = 100
"""The first read of a library's module counts as one step for so many characters."""
# Methods that change nothing, other than ``__init__`` or ``__setitem__``.
_LOOKUPS = ("__getattr__", "__getitem__", "__contains__")


@dataclass(frozen=True, slots=True)
class CallBudget:
    """The budget that is in force while a function runs.

    bounded: whether the steps are limited; false for a function of the project that a library calls back.
    limit, outer: the limit and the budget to restore afterwards.
    start: the step at which the function begins; ``work`` counts the steps of summaries that were used again, too.
    traced: the call is in the region; it is limited only from its first certain break on.
    effects: the function is run for its side effects, not for its result.
    in_search: an ``nn.Module`` or a library that uses torch is called during the search for entry points; the budget
        includes the project's functions.
    of_container: a container of a library that uses torch is changed or read in the region.
    """

    bounded: bool
    limit: int
    outer: CallBudget | None
    start: int
    work: int
    traced: bool = False
    effects: bool = False
    in_search: bool = False
    of_container: bool = False


class StepBudget:
    """The steps that the interpreter has taken, and the limit at which it stops following calls.

    call: the budget of the call that is running, if it has one.
    searching: the project is searched for entry points.
    truncated_entry: whether a library call of the current entry point has run out of its budget; its results then
        depend on what the interpreter had evaluated before.
    reused: the steps of the summaries that were used again: a limited call ends where it would without them.
    taken: the steps of each summary by its id, with those of the summaries that it has used again.
    truncated_because: why the trace of the current entry point is incomplete; empty if it is complete.
    nesting: how deeply expressions are nested at the moment.
    most: the limit for all entry points of a file; it depends on the number of files of the project.
    entry_limit: the limit of the current entry point.
    steps_before: the steps for the current entry point before the running call: of the first call, and of methods that
        were run to see what they store.
    unproductive: by function and class, the calls that ran out of budget without a result.
    """

    def __init__(self, files: int = 0) -> None:
        self.steps = 0
        self.most = min(MAX_STEPS, MIN_FILE_STEPS + files * STEPS_FOR_PROJECT_FILE)
        self.limit = self.most
        self.call: CallBudget | None = None
        self.searching = False
        self.truncated_entry = False
        self.truncated_because = ""
        self.nesting = 0
        self.unproductive: dict[tuple[ast.AST, ast.AST | None], int] = {}
        self.reused = 0
        self.taken: dict[int, int] = {}
        self.entry_limit = self.most
        self.steps_before = 0

    @property
    def spent(self) -> int:
        """The steps for the current entry point so far."""
        return self.steps + self.steps_before

    @property
    def work(self) -> int:
        """The steps so far, with those of the summaries that were used again."""
        return self.steps + self.reused

    @property
    def exhausted(self) -> bool:
        """Whether the limit is reached."""
        return self.steps > self.limit

    @property
    def is_limited(self) -> bool:
        """Whether the steps of the running call are limited, as they are for library code."""
        return self.call is not None and self.call.bounded

    @property
    def is_truncated(self) -> bool:
        """Whether a limited call has run out of budget: what is computed now must not be kept."""
        return self.is_limited and self.exhausted

    @property
    def counts_effects(self) -> bool:
        """Whether side effects count here; of a library call only the result counts."""
        call = self.call
        return call is None or not call.bounded or call.effects or call.in_search or call.of_container

    def restart(self, limit: int, before: int = 0) -> None:
        """Start the budget of a call of an entry point, of at most ``limit`` steps after ``before`` in other calls."""
        self.entry_limit = limit
        self.steps_before = before
        self._begin_entry()

    def end_methods(self) -> None:
        """Start the budget of the current entry point again, after methods were run to see what they store."""
        self.steps_before += self.steps
        self._begin_entry()

    def _begin_entry(self) -> None:
        self.steps = 0
        self.limit = self.entry_limit
        self.truncated_because = ""
        self.call = None
        self.searching = False
        self.truncated_entry = False

    def limit_search(self, steps: int) -> None:
        """Start the budget of a part of the search for entry points: ``steps``, or less where the search is long."""
        self.limit = self.steps + min(steps, max(MIN_SEARCH_STEPS, (MAX_SEARCH_STEPS - self.steps) // 5))
        self.searching = True

    def recover(self) -> None:
        """Restore the initial state after an evaluation was given up."""
        self.nesting = 0
        self.call = None
        self.limit = self.entry_limit

    def end_entry(self) -> None:
        """Note that the trace of the current entry point is incomplete, if its limit is reached."""
        if self.exhausted:
            taker = "it takes" if self.entry_limit == self.most else "the entry points of its file take together"
            self.truncated_because = f"{taker} more than {self.most:,} steps"

    def begin(self, function: Function, mode: TracingMode) -> CallBudget | None:
        """Start the budget of a function that is about to run; None if the budget in force stays."""
        module, outer = function.module, self.call
        bounded = self.is_limited and outer is not None and not (outer.effects or outer.in_search)
        if module.origin != "library":
            if outer is None or not outer.bounded or outer.in_search:
                return None
            self.call = CallBudget(False, self.limit, outer, self.steps, self.work)
            self.limit = outer.limit
            return self.call
        if bounded:
            return None
        if module.mentions_torch:
            # What a constructor has not stored is missing later: it is run to its end.
            if function.name.endswith("__init__"):
                return None
            is_container = _is_of_container(function)
            if mode.tracing:
                return self._begin_of_container() if is_container else None
            if outer is not None and outer.in_search:
                return self._begin_inside()
            return self.begin_in_search(mode, of_container=is_container)
        self.call = CallBudget(True, self.limit, outer, self.steps, self.work, mode.tracing)
        if not mode.tracing:
            self.limit = min(self.limit, self.steps + MAX_LIBRARY_STEPS)
        return self.call

    def _begin_of_container(self) -> CallBudget:
        self.call = CallBudget(True, self.limit, self.call, self.steps, self.work, of_container=True)
        self.limit = min(self.limit, self.steps + MAX_CONTAINER_STEPS)
        return self.call

    def begin_in_search(self, mode: TracingMode, *, of_container: bool = False) -> CallBudget | None:
        """Start the budget of a call during the search, of an ``nn.Module`` or of a library that uses torch.

        None if the budget in force stays.
        """
        if mode.tracing or not self.searching or self.is_limited:
            return None
        self.call = CallBudget(True, self.limit, self.call, self.steps, self.work, in_search=True)
        most = MAX_SEARCH_CONTAINER_STEPS if of_container else MAX_SEARCH_CALL_STEPS
        self.limit = min(self.limit, self.steps + most)
        return self.call

    def _begin_inside(self) -> CallBudget:
        """Start the budget of a library call inside of one that is limited during the search.

        The caller keeps a share of its steps for what it does afterwards.
        """
        self.call = CallBudget(True, self.limit, self.call, self.steps, self.work, in_search=True)
        self.limit = self.steps + int((self.limit - self.steps) * SHARE_OF_INNER_CALL)
        return self.call

    def begin_for_effects(self) -> CallBudget:
        """Start the budget of code that is run to see what it changes."""
        self.call = CallBudget(True, self.limit, self.call, self.steps, self.work, effects=True)
        self.limit = min(self.limit, self.steps + MAX_EFFECT_STEPS)
        return self.call

    @contextmanager
    def for_object(self) -> Iterator[None]:
        """Let the constructor of an assumed object run to its end, however little is left; count none of its steps."""
        steps, limit = self.steps, self.limit
        self.limit = max(limit, steps + MIN_OBJECT_STEPS)
        try:
            yield
        finally:
            self.steps, self.limit = steps, limit

    def end(self, call: CallBudget) -> None:
        """Restore the budget that was in force before ``call``."""
        if (call.traced or call.of_container) and self.exhausted and self.limit < call.limit:
            self.truncated_entry = True
        self.call, self.limit = call.outer, call.limit
        if call.outer is not None and not call.bounded:
            # The steps of the project's own code do not count for the library that called it.
            self.limit = min(call.limit + self.steps - call.start, call.outer.limit)

    def on_certain_break(self) -> None:
        """Limit a traced library call from its first certain break on."""
        if self.call is not None and self.call.traced:
            left = self.call.work + MAX_LIBRARY_STEPS - self.work
            self.limit = min(self.limit, self.steps + max(0, left))

    def count_reused(self, summary: object) -> None:
        """Count the steps of a summary that is used again."""
        steps = self.taken.get(id(summary), 0)
        self.reused += steps
        call = self.call
        if call is not None and (call.traced or call.of_container) and self.limit < call.limit:
            self.limit -= steps

    def may_open(self, module: Module) -> bool:
        """Return whether a library call may read a further module of a library; reading counts as steps."""
        call = self.call
        if call is None or not call.bounded or call.traced or call.in_search or call.of_container:
            return True
        if module.origin != "library" or module.mentions_torch:
            return True
        self.limit -= len(module.source) // CHARACTERS_FOR_STEP
        return not self.exhausted

    def is_unproductive(self, function: Function, variables: Mapping[str, Value], mode: TracingMode) -> bool:
        """Return whether calls of ``function`` outside of the region have run out of budget before."""
        return not mode.tracing and self.unproductive.get(_of_class(function, variables), 0) >= MAX_UNPRODUCTIVE

    def forget_function(self, node: ast.AST) -> None:
        """Forget the calls of a function that ran out of budget, after its body has changed."""
        for called in [each for each in self.unproductive if each[0] is node]:
            del self.unproductive[called]

    def note_unproductive(self, function: Function, variables: Mapping[str, Value]) -> None:
        """Count a call that ran out of budget without a result; methods such as ``__init__`` are always run."""
        if not function.name.endswith("__") or function.name.endswith(_LOOKUPS):
            called = _of_class(function, variables)
            self.unproductive[called] = self.unproductive.get(called, 0) + 1


def _of_class(function: Function, variables: Mapping[str, Value]) -> tuple[ast.AST, ast.AST | None]:
    """Return the identity of a function, for a class method with the class that it is called of."""
    first = next(iter(variables.values()), None)
    return function.node, first.node if isinstance(first, Class) else None


# Whether a class is one of containers, by the class.
_CONTAINERS: WeakKeyDictionary[ast.AST, bool] = WeakKeyDictionary()


def _is_of_container(function: Function) -> bool:
    """Return whether a library's function is a method of a container's object: its class defines ``__setitem__``."""
    node, owner = function.node, function.owner
    if owner is None or isinstance(node, ast.Lambda):
        return False
    known = _CONTAINERS.get(owner.node)
    if known is None:
        stored = any(isinstance(each, ast.FunctionDef) and each.name == "__setitem__" for each in _bodies(owner))
        known = _CONTAINERS[owner.node] = stored and not is_nn_module_class(owner)
    return known and not any(ast_walk.has_decorator(node, name) for name in ("classmethod", "staticmethod"))


def _bodies(cls: Class) -> Iterator[ast.stmt]:
    """Yield the statements of a class and of its base classes."""
    for each in cls.mro:
        yield from each.node.body


class FileBudgets:
    """The steps that the entry points of each file have taken in a unit of work; ``most`` is the limit for a file."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._spent: dict[str, int] = {}

    def limit_for(self, path: str) -> int:
        """Return the steps that the next entry point of a file may take."""
        return min(self._most, max(MIN_ENTRY_STEPS, self._most - self._spent.get(path, 0)))

    def spend(self, path: str, steps: int) -> None:
        """Count the steps of an entry point of a file."""
        self._spent[path] = self._spent.get(path, 0) + steps
