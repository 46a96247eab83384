"""Recall and precision over distinct sites, so that a helper that all models share does not outweigh the rest."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from itertools import chain

from benchmarks.accuracy.compare import SURE, Claim, Comparison, Place

Wrong = tuple[str, int, str]


def ratio(part: int, rest: int) -> float | None:
    """Return the share of ``part`` in the sum of both; None if the sum is 0."""
    return round(part / (part + rest), 4) if part + rest else None


@dataclass(slots=True)
class Tally:
    """Sets of distinct places.

    found, missed: the sites with and without a finding.
    agreed: the sites with a finding that names an id of the break.
    right, wrong: the places of right and of wrong findings; the latter with the code of the rule.
    """

    found: set[Place] = field(default_factory=set)
    missed: set[Place] = field(default_factory=set)
    agreed: set[Place] = field(default_factory=set)
    right: set[Place] = field(default_factory=set)
    wrong: set[Wrong] = field(default_factory=set)

    @property
    def recall(self) -> float | None:
        """The share of sites that have a finding."""
        return ratio(len(self.found), len(self.missed))

    @property
    def precision(self) -> float | None:
        """The share of right findings among those that are judged."""
        return ratio(len(self.right), len(self.wrong))


def total(comparison: Comparison, confidences: Iterable[str] = SURE) -> Tally:
    """Return the tally of all findings with these confidences."""
    return _tally(comparison, lambda claim: claim.confidence in confidences)


def by_confidence(comparison: Comparison) -> dict[str, Tally]:
    """Return a tally for each confidence; ``possible`` findings count in no other tally."""
    return {level: total(comparison, (level,)) for level in (*SURE, "possible")}


def by_rule(comparison: Comparison, ids_of: Mapping[str, frozenset[str]]) -> dict[str, Tally]:
    """Return a tally for each rule; ``ids_of`` has the ids that each rule covers.

    A missed site counts for a rule if no other rule covers its ids.
    """
    speakers = {gb_id: [code for code, ids in ids_of.items() if gb_id in ids] for gb_id in chain(*ids_of.values())}
    missed: dict[str, set[Place]] = {}
    ids = {site.place: site.gb_ids for site in comparison.sites}
    for place in total(comparison).missed:
        codes = {code for gb_id in ids[place] for code in speakers.get(gb_id, ())}
        if len(codes) == 1:
            missed.setdefault(codes.pop(), set()).add(place)
    spoke = {verdict.claim.code for verdict in comparison.verdicts}
    spoke |= {claim.code for site in comparison.sites for claim in site.claims}
    tallies = {}
    for code in sorted(spoke | missed.keys()):
        tally = _tally(comparison, lambda claim, code=code: claim.code == code and claim.confidence in SURE)  # type: ignore[misc]
        tally.missed = missed.get(code, set())
        tallies[code] = tally
    return {code: tally for code, tally in tallies.items() if tally.found | tally.missed | tally.right or tally.wrong}


def by_gb_id(comparison: Comparison) -> dict[str, Tally]:
    """Return a tally for each id: of the sites that broke with it, and of the findings that name it."""
    broken = {gb_id for site in comparison.sites for gb_id in site.gb_ids}
    named = {gb_id for verdict in comparison.verdicts for gb_id in verdict.claim.gb_ids}
    everything = total(comparison)
    tallies = {}
    for gb_id in sorted(broken | named):
        places = {site.place for site in comparison.sites if gb_id in site.gb_ids}
        tally = _tally(comparison, lambda claim, gb_id=gb_id: gb_id in claim.gb_ids and claim.confidence in SURE)  # type: ignore[misc]
        tally.agreed = tally.found & places
        tally.found, tally.missed = everything.found & places, everything.missed & places
        if tally.found or tally.missed or tally.right or tally.wrong:
            tallies[gb_id] = tally
    return tallies


def flagged_clean(comparison: Comparison) -> set[str]:
    """Return the entry points without a break that have a wrong finding."""
    return {v.entry for v in comparison.verdicts if not v.right and v.claim.confidence in SURE} & comparison.clean


def _tally(comparison: Comparison, counts: Callable[[Claim], bool]) -> Tally:
    tally = Tally()
    for site in comparison.sites:
        claims = [claim for claim in site.claims if counts(claim)]
        (tally.found if claims else tally.missed).add(site.place)
        if any(site.gb_ids & set(claim.gb_ids) for claim in claims):
            tally.agreed.add(site.place)
    tally.missed -= tally.found
    # A finding that is right for one entry point is not wrong for another one.
    held = {(v.claim.file, v.claim.line) for v in comparison.verdicts if v.right and v.claim.confidence in SURE}
    for verdict in comparison.verdicts:
        claim = verdict.claim
        if not counts(claim):
            continue
        if verdict.right:
            tally.right.add((claim.file, claim.line))
        elif (claim.file, claim.line) not in held:
            tally.wrong.add((claim.file, claim.line, claim.code))
    # The line above uses certain and likely findings only; this one covers possible ones.
    tally.wrong = {wrong for wrong in tally.wrong if wrong[:2] not in tally.right}
    return tally
