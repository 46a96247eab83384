"""Examples of rules and of their fixes.

The two or three that a rule's documentation page shows are in the module of the rule; all others are in
``tests/rules/<family>/<rule>``.
"""

from __future__ import annotations

from gblint.knowledge.versions import release
from gblint.runtime.lazy_dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Example:
    """A complete module that is run through gblint and through Dynamo.

    ``source`` defines the entry point: a function ``f``, or a module class ``Net`` that takes no arguments.  The tests
    compile it.  A source that calls ``torch.compile`` itself is called as it is.

    Each line on which Dynamo breaks ends in ``# breaks: GB0124`` (several ids are allowed, none where Dynamo gives
    none).  Examples for other categories mark the line with ``# diverges``, ``# recompiles`` or ``# advises``.

    - ``inputs``: an expression for the tuple of arguments, evaluated in the module;
    - ``raises``: the compiled call raises;
    - ``python``, ``until_python``: the first version of Python that can run it, and the first that it is not for;
    - ``needs``: the distributions that it imports besides torch; ``torch`` if gblint looks up names in it;
    - ``calls``: the arguments of several calls, in place of ``inputs``;
    - ``instead``: ``source`` rewritten as the rule advises; Dynamo must treat it differently;
    - ``since``, ``until``: the first torch version that the example is valid for, and the first that it is not;
    - ``others``: the codes of other rules, whose breaks the example needs;
    - ``files``: pairs of a file name and a text, written beside the example, which imports them.  The linter is not
      run on them.
    """

    source: str
    inputs: str = "(torch.randn(4),)"
    raises: bool = False
    python: tuple[int, int] = (3, 10)
    until_python: tuple[int, int] | None = None
    needs: tuple[str, ...] = ()
    calls: tuple[str, ...] = ()
    instead: str = ""
    since: str | None = None
    until: str | None = None
    files: tuple[tuple[str, str], ...] = ()
    others: tuple[str, ...] = ()

    def is_valid_for(self, version: str) -> bool:
        """Whether the example is valid for this version of torch."""
        return in_range(self.since, version, self.until)

    def is_valid_on(self, python: tuple[int, int]) -> bool:
        """Whether the example is valid for this version of Python."""
        return self.python <= python and (self.until_python is None or python < self.until_python)


@dataclass(frozen=True, slots=True)
class FixExample:
    """A fix: ``before`` becomes ``after``, byte for byte, and Dynamo finds no break in ``after``.

    - ``calls``: the arguments of calls that take different branches.  For each, ``before`` and ``after`` give the same
      values, dtypes, shapes, gradients and exceptions, compiled and not compiled;
    - ``safe``: the fix is a safe one;
    - ``choice``: the name of the fix that the configuration selects;
    - ``allowed``: the ids of breaks that are left on purpose.
    """

    before: str
    after: str
    calls: tuple[str, ...] = ("(torch.randn(4),)",)
    safe: bool = True
    choice: str | None = None
    allowed: tuple[str, ...] = ()


def in_range(since: str | None, version: str, until: str | None) -> bool:
    """Whether ``version`` is at least ``since`` and below ``until``; None stands for no bound."""
    now = release(version)
    return (since is None or release(since) <= now) and (until is None or now < release(until))
