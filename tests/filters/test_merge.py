"""Equal findings of several entry points."""

from __future__ import annotations

from gblint.diagnostics.break_event import Category, Confidence, Consequence
from gblint.diagnostics.finding import Finding, Severity
from gblint.diagnostics.reach import ReachCondition
from gblint.diagnostics.span import ChainLink, Span
from gblint.filters.merge import merge_findings
from gblint.runtime.lazy_dataclasses import replace

CONDITION = ReachCondition("self.debug", "net.py", 1, True, "option")
PLACE = Span("net.py", 3, 5)
BREAK = Finding("GBL101", "tensor-item", Category.GRAPH_BREAK, Severity.WARNING, Confidence.LIKELY, PLACE, "reads")
DEAR = replace(
    BREAK,
    entries=("net:Dear",),
    chain=(ChainLink("net.py", 30, "Dear.forward"),),
    consequence=Consequence("frame-eager", "Dear.forward"),
    cost=90,
    reach="option",
    when=(CONDITION,),
    confidence=Confidence.CERTAIN,
)
EASY = replace(
    BREAK,
    entries=("net:Easy",),
    chain=(ChainLink("net.py", 20, "Easy.forward"),),
    consequence=Consequence("resumes", "Easy.forward"),
    cost=2,
)


def test_the_entry_point_that_reaches_it_most_easily_tells_the_chain_and_the_consequence() -> None:
    for findings in ((DEAR, EASY), (EASY, DEAR)):
        (found,) = merge_findings(findings)
        assert (found.chain, found.consequence, found.cost) == (EASY.chain, EASY.consequence, EASY.cost)
        assert (found.reach, found.when) == ("always", ())
        assert found.entries == ("net:Easy", "net:Dear")
        assert found.confidence is Confidence.CERTAIN


def test_of_two_that_are_reached_equally_the_dearer_one_tells_them() -> None:
    dear = replace(DEAR, reach="always", when=())
    (found,) = merge_findings((EASY, dear))
    assert (found.chain, found.cost) == (dear.chain, 90)
