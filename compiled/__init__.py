"""The compiled build of gblint: its interpreter, translated to C by mypyc.

It has the same findings as plain Python in less time.  The source is the same, except that ``records.py`` and
``lookups.py`` rewrite parts of a copy.
"""
