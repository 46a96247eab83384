"""Input synthesis: arguments for a class's constructor and for a call, so that the code runs at all.

The static half (:mod:`~gblint.confirm.inputs.static_hints` and what it uses) reads sources, imports nothing of the
user's and needs no torch; its :class:`~gblint.confirm.inputs.target_facts.Hints` travel as plain data.  The dynamic
half (:mod:`~gblint.confirm.inputs.search`) runs in a worker, where the target can be called.
"""
