"""Runs the flagged code, and says which predictions hold.

What runs in the worker process (``worker``, ``capture``, ``lines``) imports torch when it is called for, and nothing of
the interpreter; what runs in gblint's own process never imports torch.
"""

from __future__ import annotations
