"""The language server: the findings of ``gblint check`` in the editor while code is being written.

``app`` handles the messages of the editor, ``workspace_project`` schedules the analysis.  The analysis runs in separate
processes (``worker``), so that the editor never waits for it and an error in it does not end the server.
"""

from __future__ import annotations
