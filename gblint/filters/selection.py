"""The selection of rules by their codes."""

from __future__ import annotations

from collections.abc import Sequence

from gblint.config.settings import Config
from gblint.diagnostics.report import FileError
from gblint.filters.noqa import no_such_code
from gblint.rules import all_codes, default_codes
from gblint.runtime.lazy_dataclasses import dataclass

_CODES = ("select", "extend-select", "ignore", "extend-ignore")


@dataclass(frozen=True, slots=True)
class Selection:
    """Selected and ignored prefixes of codes; the longer prefix wins, as in ruff and flake8.

    ``default``: the codes that are selected without being named; none if ``select`` is given.
    """

    selected: tuple[str, ...]
    ignored: tuple[str, ...]
    default: frozenset[str] = frozenset()

    @classmethod
    def of(cls, config: Config) -> tuple[Selection, list[FileError]]:
        """Return the selection in ``config``, and an error for every code in it that no rule has."""
        known = all_codes()
        errors = []
        for key in (*_CODES, "fixable", "extend-fixable", "unfixable"):
            bad = (code for code in config.value(key) or () if not is_known(code, known))
            errors += [_unknown_code(config, key, code, known) for code in bad]
        for key in ("per-file-ignores", "extend-per-file-ignores"):
            for pattern, codes in config.value(key):
                bad = (code for code in codes if not is_known(code, known))
                errors += [_unknown_code(config, key, code, known, pattern) for code in bad]
        for code in config.selection.severity:
            if not is_known(code, known):
                errors.append(_unknown_code(config, "severity", code, known, code))
        default = frozenset() if config.selection.select is not None else default_codes()
        lists = ([c for c in config.value(k) or () if is_known(c, known)] for k in _CODES)
        select, extend_select, ignore, extend_ignore = (tuple(map(_prefix, codes)) for codes in lists)
        return cls((*select, *extend_select), (*ignore, *extend_ignore), default), errors

    @classmethod
    def of_codes(cls, selected: Sequence[str] | None, extended: Sequence[str], ignored: Sequence[str]) -> Selection:
        """Return a selection of these codes and prefixes; None selects all."""
        first = ("",) if selected is None else tuple(map(_prefix, selected))
        return cls((*first, *map(_prefix, extended)), tuple(map(_prefix, ignored)))

    def wants(self, code: str) -> bool:
        """Return whether findings with this code are shown."""
        selected = max((len(prefix) for prefix in self.selected if code.startswith(prefix)), default=-1)
        if code in self.default:
            selected = max(selected, 0)
        ignored = max((len(prefix) for prefix in self.ignored if code.startswith(prefix)), default=-1)
        return selected > ignored


def _prefix(code: str) -> str:
    return "" if code.upper() == "ALL" else code.upper()


def is_known(code: str, known: Sequence[str]) -> bool:
    """Return whether ``code`` is the code of a rule, a prefix of one, or ALL."""
    return bool(code) and (code.upper() == "ALL" or any(rule.startswith(code.upper()) for rule in known))


def _unknown_code(config: Config, key: str, code: str, known: Sequence[str], part: str = "") -> FileError:
    where, line = config.location(f"{key}.{part}" if part else key)
    named = "" if where == f"--{key}" else f"{key}: "
    return FileError(where, line, named + no_such_code(code, known))
