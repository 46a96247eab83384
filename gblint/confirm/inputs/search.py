"""Search for a call that runs: build the target, make inputs, and change them according to each error.

It runs in a worker, where the target has been imported. It is deterministic: the same target and hints give the same
call, unless the time runs out.
"""

from __future__ import annotations

import heapq
import inspect
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from gblint.confirm.inputs import namespace
from gblint.confirm.inputs.attempts import (
    AttemptFailure,
    AttemptLimitExceeded,
    SearchTimeout,
    attempt,
    call_key,
    failure_of,
    mark_origin,
    warm_up,
)
from gblint.confirm.inputs.changes import changes, fits, with_small_defaults
from gblint.confirm.inputs.flow import trace_arguments
from gblint.confirm.inputs.flow_values import ArgumentFlow
from gblint.confirm.inputs.guesser import Guesser, signature_of
from gblint.confirm.inputs.required_arguments import GIVEN, required_arguments, with_option
from gblint.confirm.inputs.stub import stub_for
from gblint.confirm.inputs.target_facts import CallSite, Hints
from gblint.confirm.inputs.values import CallInputs, PlainInput, TextInput

CallRunner = Callable[[Any, tuple[Any, ...], dict[str, Any]], Any]
MAX_TRIES, MAX_INSTANCES, MAX_REQUIRED_VALUES = 400, 10, 6
_MAX_CHANGES = 80


@dataclass(frozen=True, slots=True)
class FoundCall:
    """A call that runs.

    - ``init``: expression that rebuilds the instance; empty for a function and for an existing instance.
    - ``inputs``: expression that rebuilds the arguments, read with :func:`gblint.confirm.inputs.values.split_inputs`.
    - ``method``: the method that is called, "" for the instance itself.

    Both expressions are evaluated in the target's module, with ``torch``.
    """

    call: Callable[..., Any]
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    init: str
    inputs: str
    tries: int
    method: str = ""


@dataclass(frozen=True, slots=True)
class SearchFailure:
    """No call was found: the reason in a sentence, and the text of a stub file for the user to fill in."""

    reason: str
    stub: str
    tries: int = 0


def find_call(
    target: Any, hints: Hints | None, run: CallRunner, *, device: str = "cpu", seconds: float = 30.0, method: str = ""
) -> FoundCall | SearchFailure:
    """Return arguments with which ``target`` (a class, a function, an instance) can be called.

    ``run(call, args, kwargs)`` makes the call and raises its errors. A function that is defined in a class and takes
    ``self`` is called on an instance of the class; ``method`` selects one by name.
    """
    import torch

    # The attempts are small: synchronization of threads would take most of the time.
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        warm_up()
        return _Search(target, hints or Hints(), run, device, seconds, method).result()
    finally:
        torch.set_num_threads(threads)


@dataclass(slots=True)
class _FurthestAttempt:
    """The attempt that came furthest, for the message if the search fails."""

    stage: str = "arguments for the constructor"
    call: CallInputs | None = None
    failure: AttemptFailure | None = None
    init: str = ""

    def update(self, stage: str, call: CallInputs, failure: AttemptFailure, init: str) -> None:
        """Keep the attempt if it came further."""
        further = self.failure is None or stage != self.stage or failure.progress > self.failure.progress
        if further and not (stage.startswith("arguments for the con") and self.stage == "inputs"):
            self.stage, self.call, self.failure, self.init = stage, call, failure, init


class _Search:
    """One search."""

    def __init__(self, target: Any, hints: Hints, run: CallRunner, device: str, seconds: float, method: str) -> None:
        self.hints, self.run, self.device = hints, run, device
        self.deadline = time.monotonic() + seconds
        self.seconds = seconds
        self.names: dict[str, Any] = namespace.of(target)
        self.tries = 0
        self.furthest = _FurthestAttempt()
        self.owner, self.method = _owner_and_method(target, method)
        self.target = target
        self.known_sizes: Mapping[str, int] = {}

    def result(self) -> FoundCall | SearchFailure:
        """Search until a call runs, everything was tried, or the time is over."""
        reason = "no attempt succeeded"
        try:
            for init, source in self.instances():
                found = self.inputs(init, source)
                if found is not None:
                    return found
        except SearchTimeout:
            reason = f"the time limit of {self.seconds:g} seconds was reached"
        return self.search_failure(reason)

    def instances(self) -> Iterator[tuple[Any, str]]:
        """Yield callable instances with the expressions that build them, the most likely first."""
        if self.owner is None:
            yield self.target, ""
            return
        built: set[str] = set()
        for site in self.hints.sites:
            expression = self.closed(site, site.init)
            if expression and expression not in built:
                built.add(expression)
                instance = self.build(expression)
                if not isinstance(instance, AttemptFailure):
                    yield instance, expression
        yield from self.constructed(built)

    def constructed(self, built: set[str]) -> Iterator[tuple[Any, str]]:
        """Yield instances built with guessed arguments."""
        owner = self.owner
        guesser = Guesser(owner, self.hints.init, names=self.names)
        head = namespace.reference(owner, self.names)
        made: dict[str, Any] = {}

        def evaluate(call: CallInputs) -> AttemptFailure | None:
            expression = f"{head}({call.arguments()})"
            made.clear()
            result = self.build(expression)
            if isinstance(result, AttemptFailure):
                self.furthest.update("arguments for the constructor", call, result, head)
                return result
            made[expression] = result
            return None

        for count, _ in enumerate(self.explore(guesser.first_call(), evaluate, guesser, MAX_TRIES)):
            for expression, instance in list(made.items()):
                if expression not in built:
                    built.add(expression)
                    yield instance, expression
            if count >= MAX_INSTANCES:
                return

    def build(self, expression: str) -> Any:
        """Return the instance that an expression makes, or the failure."""
        import torch

        made: list[Any] = []

        def construct() -> None:
            with torch.device(self.device):
                made.append(self.evaluate(expression))

        self.tries += 1
        failure = attempt(construct, self.deadline, max(self.seconds / 3, 2))
        if failure is not None:
            return failure
        return made[0].to(self.device) if isinstance(made[0], torch.nn.Module) else made[0]

    def evaluate(self, expression: str) -> Any:
        """Evaluate an expression with a fixed seed."""
        import torch

        torch.manual_seed(0)
        return eval(expression, dict(self.names))

    def closed(self, site: CallSite, text: str) -> str:
        """Return an expression of a call site in names that are available here, or ""."""
        return with_imports_inlined(text, site, self.names)

    def inputs(self, instance: Any, init: str) -> FoundCall | None:
        """Find inputs with which the instance runs, or return None."""
        call = getattr(instance, self.method) if self.method else instance
        function = _function(instance, self.method)
        self.known_sizes = _sizes(instance)
        given = [each.name for each in signature_of(function) if each.default is each.empty]
        flow = _flow(function, given)
        guesser = Guesser(function, self.hints.call, names=self.names, known_sizes=self.known_sizes, flow=flow)
        deadline = min(self.deadline, time.monotonic() + max(self.seconds * 0.4, 3))

        def evaluate(inputs: CallInputs) -> AttemptFailure | None:
            failure = self.try_inputs(call, inputs, guesser, deadline)
            if failure is not None:
                self.furthest.update("inputs", inputs, failure, init)
            return failure

        for start in (*self.from_sites(guesser, init), guesser.first_call()):
            try:
                found = next(self.explore(start, evaluate, guesser, MAX_TRIES), None)
            except SearchTimeout:
                if time.monotonic() > self.deadline:
                    raise
                return None
            if found is not None:
                return self.with_required_arguments(instance, init, found, guesser, deadline)
        return None

    def with_required_arguments(
        self, instance: Any, init: str, inputs: CallInputs, guesser: Guesser, deadline: float
    ) -> FoundCall:
        """Add the arguments that conditions require, as far as the call still runs with them; return the call."""
        required = required_arguments(self.hints.conditions)
        parameters = [] if self.owner is None else [each.name for each in signature_of(self.owner)]
        for argument in (each for each in required if each.of_constructor and init):
            changed = with_option(init, argument, parameters)
            built = None if changed is None else self.build(changed)
            if changed is None or isinstance(built, AttemptFailure):
                continue
            if self.runs(self.found(built, changed, inputs), inputs, guesser, deadline):
                instance, init = built, changed
        for argument in (each for each in required if not each.of_constructor):
            if argument.name not in guesser.optional() or argument.name in inputs.names:
                continue
            values = guesser.alternatives(argument.name) if argument.value is GIVEN else [PlainInput(argument.value)]
            for value in [each for each in values if each != PlainInput(None)][:MAX_REQUIRED_VALUES]:
                more = inputs.put(argument.name, value)
                if self.runs(self.found(instance, init, more), more, guesser, deadline):
                    inputs = more
                    break
        return self.found(instance, init, inputs)

    def runs(self, found: FoundCall, inputs: CallInputs, guesser: Guesser, deadline: float) -> bool:
        """Return whether a call runs, within the time that is left."""
        try:
            return self.try_inputs(found.call, inputs, guesser, deadline) is None
        except SearchTimeout:
            return False

    def from_sites(self, guesser: Guesser, init: str) -> Iterator[CallInputs]:
        """Yield the calls that the project makes, those of this instance first."""
        sites = [site for site in self.hints.sites if site.args is not None and site.method == self.method]
        for site in sorted(sites, key=lambda site: self.closed(site, site.init) != init):
            call = CallInputs(positional=len(site.args or ()))
            names = [each.name for each in guesser.signature] + [f"_{n}" for n in range(9)]
            texts = [*zip(names, site.args or ()), *site.kwargs]
            for name, text in texts:
                closed = self.closed(site, text)
                if not closed:
                    break
                call = call.put(name, TextInput(closed))
            else:
                yield call

    def try_inputs(self, call: Any, inputs: CallInputs, guesser: Guesser, deadline: float) -> AttemptFailure | None:
        """Make one call; its arguments are marked, so that a failure can be traced to them."""
        self.tries += 1
        try:
            args, kwargs = self.arguments(inputs)
        except Exception as error:
            return failure_of(error)
        for index, (name, each) in enumerate(zip(inputs.names, inputs.values)):
            mark_origin(args[index] if index < inputs.positional else kwargs[name], each, (name,))
        return attempt(lambda: self.run(call, args, kwargs), deadline, max(self.seconds / 4, 2))

    def arguments(self, inputs: CallInputs) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Evaluate the arguments of a call."""
        import torch

        with torch.device(self.device):
            torch.manual_seed(0)
            values = [eval(each.source(), dict(self.names)) for each in inputs.values]
        rest = zip(inputs.names[inputs.positional :], values[inputs.positional :])
        return tuple(values[: inputs.positional]), dict(rest)

    def found(self, instance: Any, init: str, inputs: CallInputs) -> FoundCall:
        """Return the call with a newly built instance and arguments, since the attempts may have changed them."""
        fresh = self.build(init) if init else instance
        if isinstance(fresh, AttemptFailure):
            fresh = instance
        args, kwargs = self.arguments(inputs)
        call = getattr(fresh, self.method) if self.method else fresh
        return FoundCall(call, args, kwargs, init, inputs.inputs(), self.tries, self.method)

    def explore(
        self,
        start: CallInputs,
        evaluate: Callable[[CallInputs], AttemptFailure | None],
        guesser: Guesser,
        max_tries: int,
    ) -> Iterator[CallInputs]:
        """Yield the calls that succeed under ``evaluate``, in a best-first search from ``start``."""
        heap: list[tuple[float, int, CallInputs, int]] = [(0.0, 0, start, -1)]
        seen = {call_key(start)}
        failure_counts: dict[str, int] = {}
        number = 0
        for _ in range(max_tries):
            if not heap:
                return
            score, _, call, previous_progress = heapq.heappop(heap)
            failure = evaluate(call)
            if failure is None:
                yield call
                failure, score = AttemptFailure(AttemptLimitExceeded(), "", previous_progress), score + 1
            # A call that came further than its predecessor gets a better score; a repeated error gets a worse one.
            score = (
                score * 0.4
                if failure.progress > previous_progress
                else score + 1.0 * (failure.progress < previous_progress)
            )
            score += 0.25 * failure_counts.get(failure.key, 0)
            failure_counts[failure.key] = failure_counts.get(failure.key, 0) + 1
            smaller = (
                with_small_defaults(call, guesser)
                if isinstance(failure.error, AttemptLimitExceeded) and guesser.constructs
                else ()
            )
            for nth, (cost, changed) in enumerate((*smaller, *changes(call, failure, guesser))):
                key = call_key(changed)
                if key not in seen and fits(changed) and nth < _MAX_CHANGES:
                    seen.add(key)
                    number += 1
                    heapq.heappush(heap, (score + cost, number, changed, failure.progress))

    def search_failure(self, reason: str) -> SearchFailure:
        """Return the failure of the search, with a stub."""
        furthest = self.furthest
        name = getattr(self.owner or self.target, "__qualname__", type(self.target).__qualname__)
        last = ""
        if furthest.failure is not None:
            message = " ".join(furthest.failure.message.split())[:200]
            last = f"; the furthest attempt, {furthest.call.inputs() if furthest.call else '()'}, failed with " + (
                f"{type(furthest.failure.error).__name__}: {message}"
            )
        sentence = f"no {furthest.stage} of {name} were found in {self.tries} attempts: {reason}{last}"
        return SearchFailure(
            sentence,
            stub_for(self.target, self.owner, self.method, furthest.call, furthest.stage, furthest.init),
            self.tries,
        )


def _owner_and_method(target: Any, method: str) -> tuple[Any, str]:
    """Return the class to build before the target can be called (or None), and the method to call on it."""
    method = "" if method in ("forward", "__call__") else method
    if inspect.isclass(target):
        return target, method
    qualified = getattr(target, "__qualname__", "")
    if inspect.isfunction(target) and "." in qualified and "<locals>" not in qualified:
        first = next(iter(inspect.signature(target).parameters), "")
        outer = namespace.of(target).get(qualified.split(".")[0])
        for part in qualified.split(".")[1:-1]:
            outer = getattr(outer, part, None)
        if first == "self" and inspect.isclass(outer):
            name = qualified.rpartition(".")[2]
            return outer, "" if name in ("forward", "__call__") and hasattr(outer, "forward") else name
    return None, method


def _function(instance: Any, method: str) -> Callable[..., Any]:
    """Return the function that a call of the instance runs."""
    if method:
        return getattr(instance, method)  # type: ignore[no-any-return]
    forward = getattr(instance, "forward", None)
    if forward is not None:
        return forward  # type: ignore[no-any-return]
    return instance  # type: ignore[no-any-return]


def _flow(function: Callable[..., Any], given: list[str]) -> ArgumentFlow:
    """Return the argument flow of the required arguments, with that of the optional ones added."""
    instance = getattr(function, "__self__", None)
    flow = trace_arguments(function, given, instance)
    every = [each.name for each in signature_of(function)]
    if len(every) > len(given):
        more = trace_arguments(function, every, instance)
        for place, wanted in more.requirements.items():
            if place[0] not in given:
                flow.requirements.setdefault(place, []).extend(wanted)
        for place, steps in more.parts.items():
            if place[0] not in given:
                flow.parts.setdefault(place, {}).update(steps)
    return flow


def _sizes(instance: Any) -> Mapping[str, int]:
    """Return the integer attributes of an instance and of its configuration."""
    found: dict[str, int] = {}
    values = dict(getattr(instance, "__dict__", {}))
    for name in ("config", "cfg", "args", "hparams", "opt"):
        inner = values.get(name)
        if inner is not None and hasattr(inner, "__dict__"):
            found.update({key: value for key, value in vars(inner).items() if type(value) is int and 0 < value < 4096})
    found.update({key: value for key, value in values.items() if type(value) is int and 0 < value < 4096})
    return found


def with_imports_inlined(text: str, site: CallSite, names: Mapping[str, Any]) -> str:
    """Return the expression with imported names replaced by import expressions; "" if a name is unknown."""
    import ast
    import builtins

    if not text:
        return ""
    imports = {each.name: each for each in site.imports}
    try:
        tree = ast.parse(text, mode="eval")
    except SyntaxError:
        return ""
    bound = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    bound |= {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)}

    class ImportInliner(ast.NodeTransformer):
        missing = False

        def visit_Name(self, node: ast.Name) -> ast.AST:
            if node.id in bound or node.id == "torch":
                return node
            imported = imports.get(node.id)
            if imported is None:
                self.missing |= node.id not in names and not hasattr(builtins, node.id)
                return node
            available = names.get(node.id)
            if available is not None and getattr(available, "__name__", "").rpartition(".")[2] in (
                imported.attribute,
                imported.module.rpartition(".")[2],
            ):
                return node
            return ast.parse(namespace.import_expression(imported), mode="eval").body

    inliner = ImportInliner()
    written = ast.unparse(inliner.visit(tree))
    return "" if inliner.missing else written
