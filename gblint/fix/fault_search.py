"""Search for the fixes that make a run fail or differ, by running subsets of them (delta debugging)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from gblint.diagnostics.fix import FixVerdict
from gblint.fix.fixed_point import AppliedFix, FixKey, FixResult
from gblint.fix.run_comparison import RemainingBreak
from gblint.fix.trial_runs import TrialRuns, fixes_of

# With at most this many kinds of fixes, each kind is left out once to find one that conflicts with the others.
_MAX_KINDS = 4

ApplyOnly = Callable[[frozenset[FixKey]], FixResult]
Rejections = dict[FixKey, tuple[AppliedFix, FixVerdict]]


class FaultSearch:
    """Searches the fixes that one entry point reaches for those that do not hold.

    Fixes of other entry points that make the same edits, such as a setting of torch, are made or left out with them.
    ``apply`` returns the result of some fixes alone.  ``required`` are fixes that others depend on, so that every run
    has them.  ``accepted`` are fixes of an earlier run that was right; they are tried first.
    """

    def __init__(
        self,
        name: str,
        fixed: FixResult,
        trials: TrialRuns,
        apply: ApplyOnly,
        required: set[FixKey],
        accepted: set[FixKey],
    ) -> None:
        self._name, self._trials, self._apply = name, trials, apply
        self._baseline = trials.baseline(name, fixed)
        own = fixes_of(name, fixed)
        edits = {(each.number, each.fix.edits) for each in own}
        same = [each for each in fixed.applied if (each.number, each.fix.edits) in edits]
        self._fixes = {each.key: each for each in (*own, *same)}
        self._others = frozenset(each.key for each in fixed.applied) - set(self._fixes)
        self._required = required & self._fixes.keys()
        self._accepted = accepted & self._fixes.keys()
        self._good: set[FixKey] = set()
        self._bad: Rejections = {}

    def rejected(self) -> Rejections:
        """Return the fixes that do not hold, with the verdicts; at least one fix is rejected."""
        fault = self._try(())[0] if self._required else None
        if fault is not None:
            return {key: (self._fixes[key], fault) for key in self._required}
        self._find_good()
        conflicting = self._conflicting_kind()
        if conflicting:
            return conflicting
        keys = sorted(self._fixes.keys() - self._good - self._required)
        if self._good or len(keys) == 1:
            self._bisect(keys or [*self._fixes])
        else:
            self._bisect(keys[: len(keys) // 2])
            self._bisect(keys[len(keys) // 2 :])
        if not self._bad:
            # Each fix alone is right and all together are not, so that none of them is proven.
            reason = "together with the other fixes of the file, it changes the results"
            self._bad = {key: (each, FixVerdict("differs", reason, (self._name,))) for key, each in self._fixes.items()}
        return self._bad

    def _try(self, keys: Iterable[FixKey]) -> tuple[FixVerdict | None, set[FixKey]]:
        """Run the entry point with ``keys`` and all good fixes.

        Returns the verdict on the run, None if it is right, and those of ``keys`` whose breaks are gone.
        """
        fixed = self._apply(self._others | self._good | self._required | set(keys))
        run = self._trials.run_fixed(fixed, [self._name])[self._name]
        result = run.result
        if run.is_wrong:
            reason = result.reason if result.status != "ok" else "; ".join(map(str, result.differences[:3]))
            return FixVerdict("differs", reason, (self._name,)), set()
        comparison = self._trials.baseline(self._name, run.fixed).compare(
            run.job, result, fixes_of(self._name, run.fixed)
        )
        new = comparison.new
        verdict = FixVerdict("new-break", break_text(new[0]), (self._name,)) if new else None
        return verdict, comparison.gone & set(keys)

    def _find_good(self) -> None:
        """Find a large set of good fixes to start with."""
        # The fixes added since a run that was right are suspected first.
        if self._accepted and self._try(self._accepted)[0] is None:
            self._good.update(self._accepted)
        # Then the fixes of lines that broke without fixes, because less is known about the other lines.
        broke = {key for key in self._fixes if self._baseline.broke(key.path, key.line)}
        if not self._good and broke and broke != self._fixes.keys() and self._try(broke)[0] is None:
            self._good.update(broke)

    def _conflicting_kind(self) -> Rejections:
        """Return the fixes of the kind without which the others take most breaks away; empty if there is none.

        This finds fixes that act on all compiled code, such as settings.
        """
        kinds = _by_kind(self._fixes)
        if self._good or not 1 < len(kinds) <= _MAX_KINDS:
            return {}
        tried = {kind: self._try(self._fixes.keys() - keys) for kind, keys in kinds.items()}
        gone = {kind: len(found) for kind, (verdict, found) in tried.items() if verdict is None}
        best = max(gone, key=lambda kind: gone[kind], default=None)
        if best is None or not gone[best]:
            return {}
        fault = next((verdict for kind, (verdict, _) in tried.items() if kind != best and verdict), None)
        verdict = fault or FixVerdict("new-break", "another line breaks the graph with it", (self._name,))
        return {key: (self._fixes[key], verdict) for key in kinds[best]}

    def _bisect(self, keys: Sequence[FixKey]) -> None:
        """Sort ``keys`` into good and bad fixes."""
        verdict, _ = self._try(keys)
        if verdict is None:
            self._good.update(keys)
        elif len(keys) == 1:
            self._bad[keys[0]] = self._fixes[keys[0]], verdict
        else:
            self._bisect(keys[: len(keys) // 2])
            self._bisect(keys[len(keys) // 2 :])


def _by_kind(fixes: Mapping[FixKey, AppliedFix]) -> dict[str, set[FixKey]]:
    """Group the fixes by title: fixes of one title make the same kind of change."""
    kinds: dict[str, set[FixKey]] = {}
    for key in fixes:
        kinds.setdefault(key.title, set()).add(key)
    return kinds


def break_text(found: RemainingBreak) -> str:
    """Return one line about a break in the fixed file."""
    ids = f" ({', '.join(found.gb_ids)})" if found.gb_ids else ""
    return f"line {found.line} of the fixed file: {found.title}{ids}"
