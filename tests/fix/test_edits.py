"""Edits: computed from two texts, combined and applied."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from gblint.diagnostics.fix import Edit
from gblint.diagnostics.span import Span
from gblint.fix.edits import Offsets, Patch, apply_patches, edits_between, split_lines

TEXT = st.text(st.sampled_from("ab é\n\r\t"), max_size=40)


def patch(old: str, new: str) -> Patch:
    return Patch.of(edits_between("f.py", old, new), Offsets(old))


@given(TEXT, TEXT)
def test_edits_turn_old_into_new(old: str, new: str) -> None:
    assert apply_patches(old, [patch(old, new)])[0] == new


@given(TEXT)
def test_offsets_round_trip(text: str) -> None:
    assert "".join(split_lines(text)) == text
    offsets = Offsets(text)
    for offset in range(len(text)):
        assert offsets.offset(*offsets.position(offset)) == offset


def test_edit_is_minimal() -> None:
    (edit,) = edits_between("f.py", "a\nx = y.item()\nb\n", "a\nx = y\nb\n")
    assert edit == Edit(Span("f.py", 2, 6, 2, 13), "")


def test_overlapping_patches_are_not_applied_together() -> None:
    old = "a = 1\nb = 2\nc = 3\n"
    one, other, third = (
        patch(old, new) for new in ("a = 0\nb = 2\nc = 3\n", "a = 5\nb = 2\nc = 3\n", "a = 1\nb = 2\n")
    )
    assert apply_patches(old, [one, other, third]) == ("a = 0\nb = 2\n", [0, 2])


def test_shared_edit_is_applied_once() -> None:
    old = "x = 1\ny = 2\n"
    one = patch(old, "import torch\nx = 0\ny = 2\n")
    other = Patch((*patch(old, "import torch\nx = 1\ny = 3\n").edits,))
    new, used = apply_patches(old, [Patch(((0, 0, "import torch\n"), (4, 5, "0"))), other])
    assert (new, used) == ("import torch\nx = 0\ny = 3\n", [0, 1])
    assert one.edits


def test_byte_columns_become_character_offsets() -> None:
    offsets = Offsets("é = x\r\nb\n")
    assert offsets.of_bytes(1, 5) == 4
    assert offsets.of_bytes(2, 0) == 7
    assert offsets.of_bytes(9, 3) == 9
