"""The table of bounds in the documentation has their values in the code."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
ROW = re.compile(r"^\| `(\w+)`: .* \| ([\d,]+)(?:;.*)? \|$", re.M)


def test_bounds_have_the_values_of_the_code() -> None:
    rows = dict(ROW.findall((ROOT / "docs" / "how-it-works.md").read_text(encoding="utf-8")))
    code = "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "gblint").rglob("*.py"))
    assert len(rows) >= 7
    for name, value in rows.items():
        assert re.search(rf"^{name}(?:: Final)? = (\d[\d_]*)$", code, re.M) is not None, name
        found = {int(number) for number in re.findall(rf"^{name}(?:: Final)? = (\d[\d_]*)$", code, re.M)}
        assert int(value.replace(",", "")) in found, name
