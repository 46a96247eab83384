"""``gblint confirm``: run the flagged code, record what Dynamo does, and compare that with the findings.

The modules in the order in which a verdict passes through them:

- ``planning``: the check's findings, and a job for each script or entry point. ``inputs.static_hints`` collects how the
  sources call an entry point.
- ``jobs``: jobs and results as plain data, with line numbers as ranges (``line_ranges``). ``plan_files``: the same in
  files, to run the jobs on another machine.
- ``executors``: threads or a Dask cluster that run the jobs.
- ``run``: the processes of a job: ``run.runner`` and ``run.supervisors`` start ``run.supervisor``, which starts the
  worker, enforces the limits (``run.process_tree``) and ends all its processes. The jobs of a verification are forks of
  ``run.forker``, which has imported torch (``earlier_import``). ``output_tail`` reads what the worker printed.
- ``worker``: the main program of the worker process: runs a script, a module, pytest or an entry point, with
  ``overlays`` (changed file texts) and ``devices``. ``run.child_processes`` records in the Python processes that the
  user's code starts, too.
- ``entry_call``: run of an entry point. ``targets`` builds the call, with inputs from ``inputs.search`` if the user
  gave none. ``call_timing`` times it. ``comparison_run``, ``variants`` and ``result_snapshot`` compare runs before and
  after fixes.
- ``capture``: hooks in Dynamo, installed through ``import_hooks``; ``dynamo_names`` has names that Dynamo uses.
  ``line_coverage``: the lines that run.
- ``result_recorder``: writes the worker's result; ``failures`` describes errors.
- ``verdicts``: compares findings with results, by statement (``statements``); ``recompile_hints`` does so for recompile
  hints.
- ``verdict_store``: verdicts kept for later checks. ``report``: the output.

Modules of the worker process import torch inside functions, and nothing of the interpreter. gblint's own process never
imports torch.
"""

from __future__ import annotations
