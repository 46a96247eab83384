"""Recipes: functions that rewrite code which breaks the graph, one module for each subject.

Rules name recipes in ``recipes`` as ``module.function``; the last part is the name of the fix in the configuration. A
recipe gets a :class:`~gblint.fix.context.FixContext` and returns a ``Rewrite`` or ``TextRewrite``, or None if the
code does not meet its preconditions. A safe fix gives the same results in eager mode for every input that worked
before; an unsafe one may change something, such as rounding, evaluation of a side that was skipped, or aliasing.
Modules with a leading underscore are helpers of recipes.
"""

from __future__ import annotations
