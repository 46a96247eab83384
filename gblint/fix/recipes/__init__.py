"""Ways to rewrite code that breaks the graph, one module a subject; rules name the functions in ``recipes``.

A recipe takes a :class:`~gblint.fix.site.Site` and gives a ``Rewrite``, or None where the code is not as it must be for
the change to be exact.  Safe is what gives the same results in eager mode for every input that worked before.
"""

from __future__ import annotations
