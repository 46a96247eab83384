"""``python -m gblint``."""

from __future__ import annotations

import os
import sys

if __name__ == "__main__":
    # ``-m`` puts the working directory first: what lies in a project that is linted is never imported.
    if not getattr(sys.flags, "safe_path", False) and sys.path and sys.path[0] in ("", os.getcwd()):
        del sys.path[0]

    from gblint.cli.start import main

    main()
