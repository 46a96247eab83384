"""The text format of facts."""

from __future__ import annotations

import pytest

from gblint.knowledge.facts import Fact, FactError, format_fact, parse_fact


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ("graph", Fact("graph")),
        ("break GB0007", Fact("break", ("GB0007",))),
        ("fold -> const:True", Fact("fold", (), "const:True")),
        (
            "dynamic-shape GB0036,GB0037 -> (tensor[int;1]...) if one-arg",
            Fact("dynamic-shape", ("GB0036", "GB0037"), "(tensor[int;1]...)", "one-arg"),
        ),
    ],
)
def test_reads_and_writes(text: str, fact: Fact) -> None:
    assert parse_fact(text) == fact
    assert format_fact(fact) == text


@pytest.mark.parametrize("text", ["", "maybe", "break GB7", "break if sometimes", "graph -> a b"])
def test_refuses(text: str) -> None:
    with pytest.raises(FactError):
        parse_fact(text)
