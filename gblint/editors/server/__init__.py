"""The language server: what ``gblint check`` finds, in the editor, while the code is being written.

``app`` speaks with the editor; ``roots`` decides what has to be analysed again; the analysis itself runs in processes
of its own (``worker``), so that the editor never waits for it and nothing that goes wrong in it ends the server.
"""

from __future__ import annotations
