"""Groups of ids that reports, logs and runs of Dynamo treat alike, in ``data/id_groups.json``.

consequence: follows from an earlier break: a break in a loop that skips the frame, under a context manager that cannot
    be resumed, or while an object is alive (such as a generator) that cannot be passed to the next graph.
consequence-in-loop, consequence-in-context-manager: the first two of these, each by itself.
captured-by-fullgraph: ``fullgraph=True`` removes the break, since it turns on capturing.
iterator-argument: the frame has an iterator as its argument, as that of a comprehension has.
recompile-limit: the limit of recompiles is reached.

Ids do not change from version to version, so that one file holds for all.
"""

from __future__ import annotations

from functools import cache

from gblint.knowledge.data_files import stored


@cache
def id_group(name: str) -> frozenset[str]:
    """Return the ids of a group; raises KeyError for an unknown name."""
    return frozenset(stored("id_groups")[name])
