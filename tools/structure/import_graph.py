"""The graph of imports between modules, and its circles.

Each import counts, also one inside a function or under ``TYPE_CHECKING``. ``from package import name`` is an import of
the submodule ``package.name`` if there is one, and of the package's ``__init__.py`` otherwise.
"""

from __future__ import annotations

import ast
from collections import deque
from collections.abc import Iterator, Mapping, Sequence

from tools.structure.sources import Source

Graph = Mapping[str, Mapping[str, int]]
"""For each module the modules that it imports, and the line of the first import of each."""


def import_graph(sources: Sequence[Source]) -> dict[str, dict[str, int]]:
    """Build the graph of the imports among ``sources``; imports of other modules are left out."""
    modules = {source.module for source in sources}
    graph: dict[str, dict[str, int]] = {}
    for source in sources:
        arrows = graph.setdefault(source.module, {})
        for name, line in imported_names(source, modules):
            if name != source.module:
                arrows.setdefault(name, line)
    return graph


def imported_names(source: Source, modules: set[str]) -> Iterator[tuple[str, int]]:
    """Yield the modules out of ``modules`` that a file imports, with the line of the import."""
    for node in source.nodes:
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name in modules:
                    yield alias.name, node.lineno
        elif isinstance(node, ast.ImportFrom):
            base = _absolute(source, node)
            for alias in node.names:
                name = f"{base}.{alias.name}"
                if name in modules:
                    yield name, node.lineno
                elif base in modules:
                    yield base, node.lineno
        elif isinstance(node, ast.Call) and _name_of(node.func) in ("import_module", "__import__") and node.args:
            argument = node.args[0]
            if isinstance(argument, ast.Constant) and argument.value in modules:
                yield str(argument.value), node.lineno


def _absolute(source: Source, node: ast.ImportFrom) -> str:
    """Return the absolute name of the module that ``from ... import`` names."""
    if not node.level:
        return node.module or ""
    parts = source.module.split(".")
    package = parts[: len(parts) - node.level + source.is_package]
    return ".".join([*package, node.module] if node.module else package)


def _name_of(function: ast.expr) -> str | None:
    if isinstance(function, ast.Name):
        return function.id
    return function.attr if isinstance(function, ast.Attribute) else None


def circles(graph: Graph) -> list[list[str]]:
    """Return the strongly connected components of more than one module, largest first (Tarjan's algorithm)."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    on_stack: set[str] = set()
    found = []
    for root in sorted(graph):
        if root in index:
            continue
        work = [(root, iter(sorted(graph[root])))]
        index[root] = low[root] = len(index)
        stack.append(root)
        on_stack.add(root)
        while work:
            module, rest = work[-1]
            for other in rest:
                if other not in index:
                    index[other] = low[other] = len(index)
                    stack.append(other)
                    on_stack.add(other)
                    work.append((other, iter(sorted(graph.get(other, ())))))
                    break
                if other in on_stack:
                    low[module] = min(low[module], index[other])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[module])
                if low[module] == index[module]:
                    start = stack.index(module)
                    component = stack[start:]
                    del stack[start:]
                    on_stack.difference_update(component)
                    if len(component) > 1:
                        found.append(sorted(component))
    return sorted(found, key=lambda component: (-len(component), component))


def closing_arrows(graph: Graph, component: Sequence[str]) -> list[tuple[str, str]]:
    """Return a small set of arrows without which the component has no circle (heuristic of Eades, Lin and Smyth)."""
    left = set(component)
    targets = {module: {other for other in graph[module] if other in left} for module in component}
    origins = {module: {other for other in component if module in targets[other]} for module in component}
    first: list[str] = []
    last: list[str] = []
    while left:
        module = min(left, key=lambda each: (len(targets[each] & left), each))
        if targets[module] & left:
            module = max(left, key=lambda each: (len(targets[each] & left) - len(origins[each] & left), each))
            first.append(module)
        else:
            last.append(module)
        left.remove(module)
    position = {module: place for place, module in enumerate([*first, *reversed(last)])}
    return [
        (module, other)
        for module in component
        for other in sorted(targets[module])
        if position[other] < position[module]
    ]


def shortest_path(graph: Graph, start: str, end: str, component: Sequence[str]) -> list[str]:
    """Return the modules on a shortest way of imports from ``start`` to ``end`` inside a component."""
    allowed = set(component)
    previous = {start: ""}
    queue = deque([start])
    while queue:
        module = queue.popleft()
        if module == end:
            break
        for other in sorted(graph[module]):
            if other in allowed and other not in previous:
                previous[other] = module
                queue.append(other)
    path = [end]
    while previous[path[-1]]:
        path.append(previous[path[-1]])
    return path[::-1]
