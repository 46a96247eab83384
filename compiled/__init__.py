"""The compiled build of gblint: its interpreter translated to C by mypyc.

It finds the same as the interpreted one, sooner.  The source is the same too, but for what ``records.py`` and
``lookups.py`` rewrite in a copy of it.
"""
