"""The compiled build of gblint: its interpreter translated to C by mypyc.

It finds the same as the interpreted one, sooner.  The source is the same too, but for what ``records.py`` rewrites in a
copy of it.
"""
