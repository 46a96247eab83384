"""Ways to rewrite code that breaks the graph, one module a subject; rules name the functions in ``recipes``.

A recipe takes a :class:`~gblint.fix.context.Site` and returns a ``Rewrite``, or None if the code does not meet the
preconditions of an exact change.  A safe fix gives the same results in eager mode for every input that worked before.
"""

from __future__ import annotations
