"""Numbers with known bounds."""

from __future__ import annotations

from gblint.runtime.lazy_dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class CountRange:
    """A count between ``low`` and ``high``, both included; ``high`` is None without an upper bound."""

    low: int
    high: int | None

    def plus(self, other: CountRange) -> CountRange:
        """Return the range of the sum."""
        high = None if self.high is None or other.high is None else self.high + other.high
        return CountRange(self.low + other.low, high)

    def either(self, other: CountRange) -> CountRange:
        """Return the smallest range that contains both."""
        high = None if self.high is None or other.high is None else max(self.high, other.high)
        return CountRange(min(self.low, other.low), high)

    def by(self, other: CountRange) -> CountRange:
        """Return the range of the product; a range of zero stays zero, also without an upper bound of the other."""
        if self.high == 0:
            return self
        high = None if self.high is None or other.high is None else self.high * other.high
        return CountRange(self.low * other.low, high)
