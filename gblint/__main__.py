"""``python -m gblint``."""

from __future__ import annotations

from gblint.cli.main import main

if __name__ == "__main__":
    main()
