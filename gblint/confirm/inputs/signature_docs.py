"""Facts about parameters from a function's own source: annotations, docstrings, comments, first uses."""

from __future__ import annotations

import ast
import inspect
import io
import re
import tokenize
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from gblint.confirm.inputs import shapes
from gblint.confirm.inputs.target_facts import Parameter, Shape

Function = ast.FunctionDef | ast.AsyncFunctionDef
_TENSOR_ATTRIBUTES = frozenset(
    "shape dtype device ndim T mT H data grad is_cuda requires_grad real imag size dim view reshape transpose permute "
    "contiguous float long bool int half to new_zeros new_ones new_tensor unsqueeze squeeze mean sum max min flatten "
    "clone detach numel expand repeat argmax softmax abs sqrt pow exp log item cpu cuda numpy tolist type fill_".split()
)
_SHAPED = ("shape", "size")
_ENTRY_END = re.compile(
    r"^\s*(?:Returns?|Args?|Arguments|Parameters|Yields|Raises|Examples?|Shape|Inputs?|Outputs?)\s*:?\s*$"
)


@dataclass(slots=True)
class _Uses:
    """Uses of one parameter."""

    shapes: list[Shape] = field(default_factory=list)
    keys: dict[str, None] = field(default_factory=dict)
    attributes: dict[str, None] = field(default_factory=dict)
    choices: dict[str, None] = field(default_factory=dict)
    iterated: bool = False


def parameters(function: Function, source: str, docs: Sequence[str] = ()) -> tuple[Parameter, ...]:
    """Return the parameters of ``function`` except ``self`` and ``*args``.

    ``source`` is the text that the tree was parsed from, needed for the comments. ``docs`` are further docstrings that
    may describe the parameters.
    """
    arguments = [*function.args.posonlyargs, *function.args.args]
    defaults = [None] * (len(arguments) - len(function.args.defaults)) + list(function.args.defaults)
    listed = [(argument, default, False) for argument, default in zip(arguments, defaults)]
    if listed and listed[0][0].arg in ("self", "cls"):
        del listed[0]
    listed += [(each, given, True) for each, given in zip(function.args.kwonlyargs, function.args.kw_defaults)]
    names = [argument.arg for argument, _, _ in listed]
    uses = _uses(function, names)
    written = [doc for doc in (ast.get_docstring(function), *docs) if doc]
    comments = _comments(function, source, names)
    return tuple(
        _parameter(argument, default, only, uses[argument.arg], written, comments.get(argument.arg, ""))
        for argument, default, only in listed
    )


def _parameter(
    argument: ast.arg, default: ast.expr | None, only: bool, uses: _Uses, docs: Sequence[str], comment: str
) -> Parameter:
    annotation = "" if argument.annotation is None else ast.unparse(argument.annotation)
    if isinstance(argument.annotation, ast.Constant) and isinstance(argument.annotation.value, str):
        annotation = argument.annotation.value
    entry = next(filter(None, (doc_entry(doc, argument.arg) for doc in docs)), "")
    found = [
        *shapes.in_annotation(annotation),
        *shapes.in_text(comment, "comment"),
        *shapes.in_text(entry, "docstring"),
        *uses.shapes,
    ]
    return Parameter(
        name=argument.arg,
        annotation=annotation,
        default=None if default is None else ast.unparse(default),
        keyword_only=only,
        doc=" ".join(entry.split())[:300],
        shapes=tuple(dict.fromkeys(found)),
        keys=tuple(uses.keys),
        attributes=() if set(uses.attributes) <= _TENSOR_ATTRIBUTES else tuple(uses.attributes),
        choices=tuple(uses.choices),
        iterated=uses.iterated,
    )


def doc_entry(doc: str, name: str) -> str:
    """Return the entry of a parameter in a docstring of any common style (Google, NumPy, Sphinx)."""
    start = re.compile(
        rf"^(?P<indent>\s*)[-*+]*\s*(?::param\s[^:]*\b{name}:|[`*]*{name}[`*]*\s*(?:\([^:]*\)|\[[^:]*\])?\s*(?::|--|-\s))"
    )
    lines = inspect.cleandoc(doc).split("\n")
    for number, line in enumerate(lines):
        match = start.match(line)
        if match is None:
            continue
        entry = [line.strip()]
        for following in lines[number + 1 :]:
            indent = len(following) - len(following.lstrip())
            if not following.strip() or indent <= len(match["indent"]) or _ENTRY_END.match(following):
                break
            entry.append(following.strip())
        # `name: text` begins with the name itself, which is not a dimension.
        return "\n".join(entry).partition(name)[2]
    return ""


def _comments(function: Function, source: str, names: Sequence[str]) -> Mapping[str, str]:
    """Return the comments about a parameter: next to it in the signature, or with its name in the first lines."""
    lines = source.split("\n")
    last = min(function.end_lineno or function.lineno, function.lineno + 60)
    text = "\n".join(lines[function.lineno - 1 : last])
    found: dict[str, str] = {}
    places = {each.arg: each.lineno for each in (*function.args.args, *function.args.kwonlyargs)}
    only_name = names[0] if len(names) == 1 else None
    first = function.body[0].lineno if function.body else last
    for line, comment in _comment_tokens(text):
        number = function.lineno + line - 1
        beside = [name for name in names if places.get(name) == number]
        named = re.match(r"#+\s*[`*]?(\w+)[`*]?\s*(?::|=|is|has shape|-)\s*(.*)", comment)
        if named and named[1] in names:
            found.setdefault(named[1], _with_joined_names(named[2]))
        elif len(beside) == 1 and number < first:
            found.setdefault(beside[0], comment)
        elif only_name and number <= first:
            found.setdefault(only_name, comment)
    return found


def _with_joined_names(text: str) -> str:
    """Join the words of each name in ``[src len, batch size]``, if the text has nothing else."""
    if re.fullmatch(r"[\[(][\w ]+(?:,[\w ]+)*[\])]", text.strip()):
        return re.sub(r"(?<=\w) +(?=\w)", "_", text.strip())
    return text


def _comment_tokens(text: str) -> Iterator[tuple[int, str]]:
    indent = len(text) - len(text.lstrip())
    dedented = "\n".join(line[indent:] if not line[:indent].strip() else line for line in text.split("\n"))
    try:
        for token in tokenize.generate_tokens(io.StringIO(dedented).readline):
            if token.type == tokenize.COMMENT:
                yield token.start[0], token.string
    except (tokenize.TokenError, SyntaxError):
        return


def _uses(function: Function, names: Sequence[str]) -> dict[str, _Uses]:
    """Return how each parameter is used before it is assigned."""
    uses = {name: _Uses() for name in names}
    first_store: dict[str, int] = {}
    for node in ast.walk(function):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node.id in uses:
            first_store[node.id] = min(first_store.get(node.id, node.lineno), node.lineno)
    aliases = {
        ast.unparse(node.targets[0]): node.value.id
        for node in ast.walk(function)
        if isinstance(node, ast.Assign)
        and isinstance(node.value, ast.Name)
        and node.value.id in uses
        and isinstance(node.targets[0], (ast.Attribute, ast.Name))
    }
    nodes = [node for node in ast.walk(function) if hasattr(node, "lineno") or isinstance(node, ast.comprehension)]
    for node in sorted(nodes, key=lambda node: (getattr(node, "lineno", 0), getattr(node, "col_offset", 0))):
        for name, use in _uses_in_node(node, aliases):
            if name in uses and getattr(node, "lineno", 0) <= first_store.get(name, 1 << 30):
                use(uses[name])
    return uses


def _uses_in_node(node: ast.AST, aliases: Mapping[str, str]) -> Iterator[tuple[str, _Use]]:
    """Yield the uses in one node, with the parameter's name."""
    match node:
        case ast.Assign(targets=[ast.Tuple(elts=parts)], value=value):
            name = _shape_of(value)
            if name and all(isinstance(part, ast.Name) for part in parts):
                dims = tuple(part.id for part in parts if isinstance(part, ast.Name))
                yield name, _Use(shape=Shape(dims, "", "unpacked"))
        case ast.Compare(left=left, ops=[ast.Eq() | ast.NotEq()], comparators=[ast.Constant(value=int() as rank)]):
            name = _rank_of(left)
            if name and 0 < rank < 7:
                yield name, _Use(shape=Shape(("?",) * rank, "", "ndim"))
        case ast.Compare(left=left, ops=[ast.Eq() | ast.NotEq()], comparators=[ast.Constant(value=str() as word)]):
            yield _name(left, aliases), _Use(choice=word)
        case ast.Compare(
            left=left, ops=[ast.In() | ast.NotIn()], comparators=[ast.Tuple() | ast.List() | ast.Set() as group]
        ):
            for each in group.elts:
                if isinstance(each, ast.Constant) and isinstance(each.value, str):
                    yield _name(left, aliases), _Use(choice=each.value)
        case ast.Subscript(value=ast.Dict(keys=keys), slice=index):
            for key in keys:
                if isinstance(key, ast.Constant) and isinstance(key.value, str):
                    yield _name(index, aliases), _Use(choice=key.value)
        case ast.Subscript(value=value, slice=ast.Constant(value=str() as key)):
            yield _name(value, aliases), _Use(key=key)
        case ast.Attribute(value=value, attr=attribute):
            if not attribute.startswith("__"):
                yield _name(value, aliases), _Use(attribute=attribute)
        case ast.For(iter=iterated) | ast.comprehension(iter=iterated):
            yield from ((_name(each, aliases), _Use(iterated=True)) for each in _iterables(iterated))
        case ast.Call():
            yield from _uses_in_call(node, aliases)


def _uses_in_call(node: ast.Call, aliases: Mapping[str, str]) -> Iterator[tuple[str, _Use]]:
    """Yield the uses in the arguments of a call."""
    function = ast.unparse(node.func).rpartition(".")[2]
    if function in ("rearrange", "reduce", "repeat") and len(node.args) >= 2:
        pattern = node.args[1]
        if isinstance(pattern, ast.Constant) and isinstance(pattern.value, str) and "->" in pattern.value:
            shape = shapes.in_pattern(pattern.value)
            if shape is not None:
                yield _name(node.args[0], {}), _Use(shape=shape)
    elif function == "len" and len(node.args) == 1:
        yield _name(node.args[0], aliases), _Use(iterated=True)
    elif function == "einsum" and len(node.args) > 1 and isinstance(node.args[0], ast.Constant):
        left = str(node.args[0].value).partition("->")[0]
        for term, given in zip(left.split(","), node.args[1:]):
            if "." not in term:
                yield _name(given, {}), _Use(shape=Shape(tuple(term.strip()), "", "einsum"))


def _iterables(node: ast.expr) -> list[ast.expr]:
    """Return the expressions that a loop iterates over, inside ``zip``, ``enumerate`` and ``reversed``."""
    if (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in ("zip", "enumerate", "reversed")
    ):
        return [inner for argument in node.args for inner in _iterables(argument)]
    return [node]


def _name(node: ast.expr, aliases: Mapping[str, str]) -> str:
    """Return the parameter that an expression names, or ""."""
    if isinstance(node, ast.Name):
        return aliases.get(node.id, node.id)
    return aliases.get(ast.unparse(node), "") if isinstance(node, ast.Attribute) and aliases else ""


def _shape_of(node: ast.expr) -> str:
    """Return the name whose ``.shape`` or ``.size()`` this is, or ""."""
    if isinstance(node, ast.Call) and not node.args:
        node = node.func
    if isinstance(node, ast.Attribute) and node.attr in _SHAPED and isinstance(node.value, ast.Name):
        return node.value.id
    return ""


def _rank_of(node: ast.expr) -> str:
    """Return the name whose ``.ndim``, ``.dim()`` or ``len(.shape)`` this is, or ""."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "len" and len(node.args) == 1:
        return _shape_of(node.args[0])
    if isinstance(node, ast.Call) and not node.args:
        node = node.func
    if (
        isinstance(node, ast.Attribute)
        and node.attr in ("ndim", "dim", "ndimension")
        and isinstance(node.value, ast.Name)
    ):
        return node.value.id
    return ""


@dataclass(frozen=True, slots=True)
class _Use:
    """One use of a parameter."""

    shape: Shape | None = None
    key: str = ""
    attribute: str = ""
    choice: str = ""
    iterated: bool = False

    def __call__(self, uses: _Uses) -> None:
        if self.shape is not None:
            uses.shapes.append(self.shape)
        if self.key:
            uses.keys[self.key] = None
        if self.attribute:
            uses.attributes[self.attribute] = None
        if self.choice:
            uses.choices[self.choice] = None
        uses.iterated |= self.iterated
