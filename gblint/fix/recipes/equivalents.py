"""Calls with an equivalent that Dynamo traces."""

from __future__ import annotations

import re

import libcst as cst

from gblint.diagnostics.fix import Applicability
from gblint.fix import matchers as match
from gblint.fix.context import FixContext, Rewrite
from gblint.fix.imports import Import, import_of
from gblint.fix.recipes._build import (
    all_parameters,
    bind_arguments,
    called_name,
    is_place,
    own_line,
    parse_like,
    parse_statement,
    primary_text,
)
from gblint.fix.recipes._predicates import replayable_draw
from gblint.fix.recipes._purity import is_pure
from gblint.fix.recipes._shapes import assigned_value
from gblint.fix.recipes._values import is_tensor
from gblint.values.base import NONE, Const, Tensor, Value, members
from gblint.values.containers import Mapping, Seq

_OF_ITEMS = ("builtins.min", "builtins.max", "math.prod", "math.fsum")


def use_clone(ctx: FixContext) -> Rewrite | None:
    """Rewrite ``copy.deepcopy(t)`` to ``t.clone()``, and ``copy.copy(items)`` to ``list(items)`` or ``dict(items)``.

    Safe for a list, dict or set that the function makes itself. Unsafe for parameters, which may be of a subclass such
    as ``OrderedDict``, and for tensors: the copy may be detached, and has neither the strides nor the class of the
    original.
    """
    call, name = ctx.node, called_name(ctx)
    arguments = bind_arguments(call, ["x"]) if isinstance(call, cst.Call) else None
    if not arguments or name not in ("copy.copy", "copy.deepcopy"):
        return None
    original = arguments["x"]
    value = ctx.value(original)
    if value is None:
        return None
    unused = _imports(ctx, call)
    if name == "copy.deepcopy" and is_tensor(value):
        # A deep copy of a tensor with a grad_fn raises, and that of a leaf is a new leaf.
        plain = _is_data(original) or all(isinstance(v, Tensor) and _has_no_gradient(v) for v in members(value))
        text = (
            f"{primary_text(ctx.tree, original)}.clone()"
            if plain
            else f"{primary_text(ctx.tree, original)}.detach().clone()"
        )
        return Rewrite("clone the tensor", "unsafe", {call: parse_like(call, text)}, (), unused)
    kinds = {each.cls for each in members(value) if isinstance(each, (Seq, Mapping))}
    if name == "copy.copy" and len(kinds) == 1 and all(isinstance(v, (Seq, Mapping)) for v in members(value)):
        kind = kinds.pop()
        if kind in ("list", "dict", "set"):
            made_here = _is_made_here(ctx, original, kind)
            if not made_here and not _is_parameter(ctx, original):
                return None
            text = f"{kind}({ctx.code(original)})"
            applicability: Applicability = "safe" if made_here else "unsafe"
            return Rewrite(
                f"copy the container with `{kind}`", applicability, {call: parse_like(call, text)}, (), unused
            )
    return None


def _is_parameter(ctx: FixContext, node: cst.BaseExpression) -> bool:
    function = ctx.tree.enclosing(ctx.node, cst.FunctionDef)
    parameters = all_parameters(function.params) if isinstance(function, cst.FunctionDef) else []
    return isinstance(node, cst.Name) and any(each.name.value == node.value for each in parameters)


_BINDS = (cst.For, cst.CompFor, cst.NamedExpr, cst.AsName, cst.NameItem, cst.Param, cst.Element)
_DISPLAYS: dict[str, tuple[type[cst.CSTNode], ...]] = {
    "list": (cst.List, cst.ListComp),
    "dict": (cst.Dict, cst.DictComp),
    "set": (cst.Set, cst.SetComp),
}


def _is_made_here(ctx: FixContext, node: cst.BaseExpression, kind: str) -> bool:
    """Return whether ``node`` is a container of exactly this class: written there, or assigned to a local variable."""
    if isinstance(node, _DISPLAYS[kind]):
        return True
    function = ctx.tree.enclosing(ctx.node, cst.FunctionDef)
    if not isinstance(node, cst.Name) or not isinstance(function, cst.FunctionDef):
        return False
    made = False
    for name in match.findall(function, match.Name(node.value)):
        parent = ctx.tree.parent(name)
        assign = None if parent is None else ctx.tree.parent(parent)
        if isinstance(parent, cst.AssignTarget) and isinstance(assign, cst.Assign):
            made = isinstance(assign.value, _DISPLAYS[kind])
            if not made or len(assign.targets) != 1 or ctx.tree.enclosing(name, cst.FunctionDef) is not function:
                return False
        elif isinstance(parent, _BINDS) or ctx.tree.enclosing(name, cst.AssignTarget):
            return False
    return made


def _has_no_gradient(tensor: Tensor) -> bool:
    return tensor.requires_grad is False or tensor.dtype in ("int", "bool", "uint8")


def _is_data(node: cst.BaseExpression) -> bool:
    """Return whether ``node`` is the ``.data`` of a tensor, which never requires a gradient."""
    return isinstance(node, cst.Attribute) and node.attr.value == "data"


def _imports(ctx: FixContext, call: cst.BaseExpression) -> tuple[Import, ...]:
    """Return the imports that may go when ``call`` is gone."""
    return import_of(ctx.tree.module, ctx.code(call).partition("(")[0].partition(".")[0])


def key_as_keyword(ctx: FixContext) -> Rewrite | None:
    """Rewrite ``itertools.groupby(xs, f)`` to ``itertools.groupby(xs, key=f)``.

    Safe: it is the same parameter.
    """
    call = ctx.node
    if not isinstance(call, cst.Call) or called_name(ctx) != "itertools.groupby" or len(call.args) != 2:
        return None
    first, key = call.args
    if key.keyword is not None or first.star or key.star:
        return None
    equal = cst.AssignEqual(cst.SimpleWhitespace(""), cst.SimpleWhitespace(""))
    named = key.with_changes(keyword=cst.Name("key"), equal=equal)
    return Rewrite("pass the key function as `key=`", "safe", {key: named})


def use_torch_tensor(ctx: FixContext) -> Rewrite | None:
    """Rewrite ``torch.as_tensor([a, b])`` of a list to ``torch.tensor([a, b])``.

    Safe: both copy the elements of a list.
    """
    call = ctx.node
    if not isinstance(call, cst.Call) or called_name(ctx) not in ("torch.as_tensor", "torch.asarray"):
        return None
    arguments = bind_arguments(call, ["data", "dtype", "device"])
    value = None if not arguments or "data" not in arguments else ctx.value(arguments["data"])
    if value is None or not all(isinstance(each, Seq) for each in members(value)):
        return None
    if called_name(ctx) == "torch.asarray" and len(call.args) > 1 and call.args[1].keyword is None:
        return None
    torch, imports = ctx.module_reference("torch")
    func = cst.parse_expression(f"{torch}.tensor")
    return Rewrite("use `torch.tensor`", "safe", {call.func: func}, imports)


def use_import_statement(ctx: FixContext) -> Rewrite | None:
    """Rewrite ``m = importlib.import_module("a.b")`` to ``import a.b as m``.

    Precondition: the module name is a constant. Safe for ``import a``. Unsafe for ``import a.b as m``: where the
    package ``a`` has another object of the name ``b``, it binds that one.
    """
    call, line = ctx.node, own_line(ctx)
    small = ctx.statement
    if not isinstance(call, cst.Call) or called_name(ctx) != "importlib.import_module" or line is None:
        return None
    arguments = bind_arguments(call, ["name"])
    name = arguments.get("name") if arguments else None
    if not isinstance(small, cst.Assign) or small.value is not call or len(small.targets) != 1:
        return None
    target = small.targets[0].target
    if not isinstance(name, cst.SimpleString) or not isinstance(target, cst.Name):
        return None
    module = name.evaluated_value
    if not isinstance(module, str) or not all(part.isidentifier() for part in module.split(".")):
        return None
    text = f"import {module}" if module == target.value else f"import {module} as {target.value}"
    new = parse_statement(ctx.tree, text)
    assert isinstance(new, cst.SimpleStatementLine)
    new = line.with_changes(body=new.body)
    applicability: Applicability = "unsafe" if "." in module else "safe"
    return Rewrite("use an `import` statement", applicability, {line: new}, (), _imports(ctx, call))


_DTYPE_FORMS = {"is_signed": "{0}.dtype.is_signed", "is_floating_point": "{0}.dtype.is_floating_point"}


def read_dtype(ctx: FixContext) -> Rewrite | None:
    """Rewrite ``t.is_signed()`` to ``t.dtype.is_signed``, which Dynamo traces.

    Safe: both are the same bool.
    """
    call = ctx.node
    if not isinstance(call, cst.Call) or not isinstance(call.func, cst.Attribute) or call.args:
        return None
    form = _DTYPE_FORMS.get(call.func.attr.value)
    if form is None or not is_tensor(ctx.value(call.func.value)):
        return None
    text = form.format(primary_text(ctx.tree, call.func.value))
    return Rewrite("read the property from the dtype", "safe", {call: parse_like(call, text)})


def use_plain_string(ctx: FixContext) -> Rewrite | None:
    """Rewrite ``mode.strip()`` of a string enumeration member to ``mode[:].strip()``.

    Precondition: no enumeration of the file defines ``__getitem__``. Safe: the slice is a plain ``str`` with the same
    text.
    """
    call = ctx.node
    if not isinstance(call, cst.Call) or not isinstance(call.func, cst.Attribute):
        return None
    text, name = call.func.value, call.func.attr.value
    value = ctx.value(text)
    if isinstance(text, cst.Subscript) or value is None or not hasattr(str, name):
        return None
    if any(match.findall(each, match.FunctionDef(match.Name("__getitem__"))) for each in _enumerations(ctx)):
        return None
    if not all(isinstance(v, Const) and isinstance(v.value, str) for v in members(value)):
        return None
    new = call.func.with_changes(value=parse_like(text, f"{primary_text(ctx.tree, text)}[:]"))
    return Rewrite("call the method of the plain string", "safe", {call.func: new})


def _enumerations(ctx: FixContext) -> list[cst.CSTNode]:
    """Return the classes of the file that may be enumerations of strings."""
    classes = [each for each in ctx.tree.module.body if isinstance(each, cst.ClassDef)]
    return [each for each in classes if re.search(r"str|Enum", " ".join(ctx.code(base.value) for base in each.bases))]


def compare_list(ctx: FixContext) -> Rewrite | None:
    """Rewrite ``max(d.items(), key=f)`` to ``max([*d.items()], key=f)``, and a generator expression to a list.

    The same for ``math.prod`` and ``math.fsum``.

    Safe if the items and the key are computed without effects: then it does not matter that all items come first.
    """
    call = ctx.node
    if not isinstance(call, cst.Call) or not call.args or called_name(ctx) not in _OF_ITEMS:
        return None
    first, *others = call.args
    if first.star or first.keyword is not None or any(each.keyword is None for each in others):
        return None
    items = first.value
    new: cst.BaseExpression
    if isinstance(items, cst.GeneratorExp):
        new = cst.ListComp(items.elt, items.for_in)
    elif isinstance(items, (cst.Call, cst.Name, cst.Attribute, cst.Subscript)):
        new = cst.List([cst.StarredElement(items)])
    else:
        return None
    keys = [each.value.body if isinstance(each.value, cst.Lambda) else each.value for each in others]
    pure = all(is_pure(ctx, each) for each in (items, *keys))
    return Rewrite("pass a list", "safe" if pure else "unsafe", {items: new})


def copy_split_list(ctx: FixContext) -> Rewrite | None:
    """Rewrite ``parts = name.split(".")`` to ``parts = [*name.split(".")]`` if the list is changed later.

    Safe: nothing else has the list that ``split`` returns.
    """
    changed = ctx.node
    owner = changed.func if isinstance(changed, cst.Call) else changed
    if not isinstance(owner, (cst.Attribute, cst.Subscript)):
        return None
    made = assigned_value(ctx, owner.value)
    if not isinstance(made, cst.Call):
        return None
    return Rewrite("copy the list", "safe", {made: cst.List([cst.StarredElement(made)])})


def use_power_operator(ctx: FixContext) -> Rewrite | None:
    """Rewrite ``pow(x, n)`` to ``x**n``, which Python computes in the same way.

    Precondition: the builtin function gets two arguments by position.
    """
    call = ctx.node
    if called_name(ctx) != "builtins.pow" or not isinstance(call, cst.Call) or len(call.args) != 2:
        return None
    if any(arg.star or arg.keyword for arg in call.args):
        return None
    operands = [arg.value for arg in call.args]
    plain = all(isinstance(each, (cst.Name, cst.Integer, cst.Float)) or is_place(each) for each in operands)
    text = ("**" if plain else " ** ").join(primary_text(ctx.tree, each) for each in operands)
    parent = ctx.tree.parent(call)
    inside = isinstance(parent, (cst.Attribute, cst.Subscript, cst.Call, cst.Await)) or (
        isinstance(parent, cst.BinaryOperation) and isinstance(parent.operator, cst.Power)
    )
    new = parse_like(call, f"({text})" if inside and not call.lpar else text)
    return Rewrite("use the operator `**`", "safe", {call: new})


def compute_mean(ctx: FixContext) -> Rewrite | None:
    """Rewrite ``statistics.mean(xs)`` and ``fmean`` to ``sum(xs) / len(xs)``.

    Precondition: ``xs`` is a variable with a list or tuple. Unsafe: the rounding, the type and the error for no
    elements may differ.
    """
    call = ctx.node
    arguments = bind_arguments(call, ["data"]) if isinstance(call, cst.Call) else None
    if not arguments or called_name(ctx) not in ("statistics.mean", "statistics.fmean"):
        return None
    data = arguments["data"]
    value = ctx.value(data)
    if not isinstance(data, cst.Name) or value is None or not all(isinstance(v, Seq) for v in members(value)):
        return None
    text = f"(sum({data.value}) / len({data.value}))"
    return Rewrite(
        "compute the mean with `sum` and `len`", "unsafe", {call: cst.parse_expression(text)}, (), _imports(ctx, call)
    )


def out_of_place(ctx: FixContext) -> Rewrite | None:
    """Rewrite ``x.unsqueeze_(0)`` of a variable to ``x = x.unsqueeze(0)``.

    Precondition: the old tensor is not read later under this name. Unsafe: the tensor of the caller keeps its shape.
    """
    call, line = ctx.node, own_line(ctx)
    if not isinstance(call, cst.Call) or not isinstance(call.func, cst.Attribute):
        return None
    name = call.func.attr.value
    variable = call.func.value
    if not name.endswith("_") or name.endswith("__") or not isinstance(variable, cst.Name):
        return None
    if not is_tensor(ctx.value(variable)) or variable.value == "self":
        return None
    func = call.func.with_changes(attr=cst.Name(name[:-1]))
    title = f"use `{name[:-1]}`, which does not change the caller's tensor"
    if isinstance(ctx.statement, cst.Expr) and ctx.statement.value is call and line is not None:
        value = call.with_changes(func=func)
        new = cst.Assign([cst.AssignTarget(variable)], value)
        return Rewrite(title, "unsafe", {ctx.statement: new})
    if isinstance(ctx.statement, (cst.Return, cst.Assign)) and _rebinds(ctx.statement, variable.value):
        return Rewrite(title, "unsafe", {call.func: func})
    return None


def _rebinds(small: cst.BaseSmallStatement, name: str) -> bool:
    """Return whether the variable is not read as it was after ``small``."""
    if isinstance(small, cst.Return):
        return True
    assert isinstance(small, cst.Assign)
    return len(small.targets) == 1 and isinstance(t := small.targets[0].target, cst.Name) and t.value == name


def use_bool_mask(ctx: FixContext) -> Rewrite | None:
    """Rewrite a mask of bytes to a boolean mask with ``.bool()``.

    Safe: torch treats a ``uint8`` index as a mask.
    """
    node = ctx.node
    masks: list[cst.BaseExpression] = []
    if isinstance(node, cst.Subscript):
        masks = [part.slice.value for part in node.slice if isinstance(part.slice, cst.Index)]
    elif isinstance(node, cst.Call):
        masks = [arg.value for arg in node.args]
        if isinstance(node.func, cst.Attribute):
            masks.append(node.func.value)
    found = [mask for mask in masks if _is_bytes(ctx.value(mask))]
    if len(found) != 1:
        return None
    text = f"{primary_text(ctx.tree, found[0])}.bool()"
    return Rewrite("convert the mask to booleans", "safe", {found[0]: parse_like(found[0], text)})


def _is_bytes(value: Value | None) -> bool:
    return value is not None and all(isinstance(v, Tensor) and v.dtype == "uint8" for v in members(value))


def use_replayed_random(ctx: FixContext) -> Rewrite | None:
    """Rewrite ``random.random()`` to ``random.uniform(0.0, 1.0)``, and other draws of one number to torch.

    Precondition: a tensor takes the number in arithmetic. Safe for ``random.random`` and a tensor of floats
    with dimensions: it is the same number, but in compiled code a float64 tensor without dimensions, which decides the
    dtype where the other one has none or holds integers. Else unsafe; other draws come from another generator.
    """
    call, name = ctx.node, called_name(ctx)
    if not isinstance(call, cst.Call) or not _goes_into_tensors(ctx, call):
        return None
    text = replayable_draw(ctx, call)
    if name == "random.random" and text is not None:
        parent = cst.ensure_type(ctx.tree.parent(call) or call, cst.BinaryOperation)
        other = ctx.value(parent.left if parent.right is call else parent.right)
        exact = all(isinstance(v, Tensor) and v.dtype == "float" and v.rank for v in members(other or NONE))
        title = "use `random.uniform`, which Dynamo replays"
        return Rewrite(title, "safe" if exact else "unsafe", {call: parse_like(call, text)})
    torch, imports = ctx.module_reference("torch")
    if name in ("random.gauss", "random.normalvariate"):
        drawn = _normal_draw(ctx, call, torch)
    else:
        drawn = _drawn_item(ctx, call, torch) if name == "random.choice" else None
    if drawn is None:
        return None
    replaced: dict[cst.CSTNode, cst.CSTNode] = {call: cst.parse_expression(drawn)}
    return Rewrite("generate the random number with torch", "unsafe", replaced, imports, _imports(ctx, call))


def _normal_draw(ctx: FixContext, call: cst.Call, torch: str) -> str | None:
    """Return ``random.gauss(mu, sigma)`` with torch; None if the call has other arguments."""
    arguments = bind_arguments(call, ["mu", "sigma"])
    if arguments is None or len(arguments) == 1:
        return None
    text = f"{torch}.randn(())"
    if arguments:
        text = f"({ctx.code(arguments['mu'])} + {primary_text(ctx.tree, arguments['sigma'])} * {text})"
    return text


def _drawn_item(ctx: FixContext, call: cst.Call, torch: str) -> str | None:
    """Return ``random.choice`` of known numbers with torch; None for other sequences."""
    arguments = bind_arguments(call, ["seq"])
    items = None if arguments is None else ctx.value(arguments["seq"])
    if arguments is None or not isinstance(items, Seq) or not items.items:
        return None
    if not all(isinstance(v, Const) and type(v.value) in (int, float) for v in items.items):
        return None
    chosen = f"{torch}.randint({len(items.items)}, (1,))"
    return f"{torch}.tensor({ctx.code(arguments['seq'])})[{chosen}][0]"


def _goes_into_tensors(ctx: FixContext, node: cst.BaseExpression) -> bool:
    """Return whether the other operand is a tensor; Dynamo cannot compute the number with a Python number."""
    parent = ctx.tree.parent(node)
    if not isinstance(parent, cst.BinaryOperation):
        return False
    if not isinstance(parent.operator, (cst.Add, cst.Subtract, cst.Multiply)):
        return False
    return is_tensor(ctx.value(parent.left if parent.right is node else parent.right))
