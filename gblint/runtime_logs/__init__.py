"""``gblint logs``: findings from the logs of torch: TORCH_LOGS text, TORCH_TRACE folders, tlparse reports.

The modules in the order in which a log line passes through them:

- ``run``: the whole command.
- ``read_log``: reads all logs of an argument and counts their records. Memory depends on the number of different
  records, not on the length of the log.
- ``files``: finds, opens and decompresses logs.
- ``text`` (with ``lines``, the prefix of a line), ``structured`` and ``tlparse_files``: readers of the three formats.
- ``record_text``: parses the text of a record. ``records``: the results, as plain data.
- ``counters``: counts breaks, recompiles and compilations.
- ``places``: finds the local files of a log.
- ``findings``: makes findings of what was counted. ``live_capture`` does so for breaks captured in a running program.
- ``compare``: compares the findings with those of a check.
- ``report``: the output.
"""

from __future__ import annotations
