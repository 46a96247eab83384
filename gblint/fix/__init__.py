"""Fixes: changes of source code that remove graph breaks.

The modules in the order in which a fix passes them:

* ``lint_with_fixes`` runs the linter with a recorder of values; ``consensus`` joins the results of a divided run.
* ``propose`` tries the recipes of the rule of each finding. A recipe (``recipes``) gets a ``context.FixContext`` over
  the ``cst_file.SyntaxTree`` of the file, checks its preconditions and returns a rewrite, or None.
  ``library_override`` makes a subclass for a break inside a library.
* ``context`` and ``edits`` turn a rewrite into edits and apply compatible edits to the text.
* ``fixed_point`` applies the chosen fixes and lints again until nothing is left to fix; ``line_map`` relates the
  lines of the new text to the original ones.
* ``verify`` runs the code without and with the fixes: ``trial_runs`` runs the entry points, ``run_comparison``
  compares two runs, ``fault_search`` finds the fixes that do not hold, ``verification_report`` describes the result.
  ``break_timing`` measures what single fixes gain.
* ``writer`` replaces the files. ``noqa`` writes suppression comments instead of fixes.
"""

from __future__ import annotations
