"""Generates small programs for fixes: branches, loops, numbers of tensors, in-place writes, output, exceptions.

A program defines ``f(x, y, flag, count)`` and some helpers.  It ends for every input, and most of its statements run
for usual inputs; for other inputs it may raise an exception instead of returning a tensor.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass

HEADER = """import logging
import math
import random
import warnings

import numpy as np
import torch

log = logging.getLogger("corpus")
"""
CALL = "f(x, y, flag, count)"
# Pairs of expressions for x and y.
TENSORS = {
    "usual": ("torch.tensor([1.0, -2.0, 3.0], requires_grad=True)", "torch.tensor([0.5, 2.0, -1.0])"),
    "small": ("torch.tensor([0.1, 0.2, 0.1])", "torch.tensor([0.1, 0.0, 0.3], requires_grad=True)"),
    "zeros": ("torch.zeros(3, requires_grad=True)", "torch.zeros(3, requires_grad=True)"),
    "ones": ("torch.ones(3, requires_grad=True)", "torch.ones(3)"),
    "negative": ("torch.tensor([-1.0, -0.5, -4.0], requires_grad=True)", "torch.tensor([-1.0, -3.0, -0.0])"),
    "infinite": ("torch.tensor([float('inf'), 1.0, -2.0], requires_grad=True)", "torch.tensor([1.0, -1.0, 0.0])"),
    "nan": ("torch.tensor([float('nan'), 1.0, 2.0], requires_grad=True)", "torch.tensor([float('nan'), 1.0, -2.0])"),
    "empty": ("torch.zeros(0, requires_grad=True)", "torch.zeros(0)"),
    "one": ("torch.tensor([2.0], requires_grad=True)", "torch.tensor([-2.0])"),
    "rank-0": ("torch.tensor(1.5, requires_grad=True)", "torch.tensor(-1.5)"),
    "rank-2": ("torch.tensor([[1.0, -2.0], [0.0, 4.0]], requires_grad=True)", "torch.tensor([[1.0], [2.0]])"),
    "int64": ("torch.tensor([3, -1, 2])", "torch.tensor([1, 0, 2])"),
    "int32": ("torch.tensor([2**31 - 1, -1, 2], dtype=torch.int32)", "torch.tensor([1, 0, 2], dtype=torch.int32)"),
    "uint8": ("torch.tensor([255, 1, 0], dtype=torch.uint8)", "torch.tensor([2, 200, 1], dtype=torch.uint8)"),
    "bool": ("torch.tensor([True, False, True])", "torch.tensor([True, True, False])"),
    "half": (
        "torch.tensor([6e4, 1.0, -2.0], dtype=torch.float16, requires_grad=True)",
        "torch.tensor([6e4, 0.1, 1.0], dtype=torch.float16)",
    ),
    "bfloat16": ("torch.tensor([257.0, 0.1, -2.0], dtype=torch.bfloat16)", "torch.ones(3, dtype=torch.bfloat16)"),
    "double": ("torch.tensor([1e-9, 0.1, 2.0], dtype=torch.float64, requires_grad=True)", "torch.ones(3)"),
}


@dataclass(frozen=True)
class Program:
    """A generated program, and the inputs to call it with."""

    source: str
    inputs: tuple[dict[str, str], ...]


def program(seed: int) -> Program:
    """Return the program of this number."""
    chosen = random.Random(seed)
    source = _Maker(chosen).source()
    names = chosen.sample(sorted(set(TENSORS) - {"usual"}), 7)
    inputs = tuple(
        {"x": x, "y": y, "flag": str(chosen.random() < 0.5), "count": str(chosen.randrange(4))}
        for x, y in (TENSORS[name] for name in ["usual", *names])
    )
    return Program(source, inputs)


class _Maker:
    """Makes one program from choices."""

    def __init__(self, chosen: random.Random) -> None:
        self._chosen = chosen
        self._tensors: list[str] = []
        self._numbers: list[str] = []
        self._helpers: list[str] = []
        self._made = 0
        self._in_loop = False
        self._statements: list[Callable[[int], list[str]]] = [
            *([self._assign_tensor] * 4),
            *([self._assign_number] * 4),
            *([self._branch] * 4),
            *([self._loop] * 2),
            *([self._write] * 3),
            *([self._output] * 3),
            self._check,
            self._early_return,
            self._handled,
            self._shared,
            self._collected,
            self._array,
            self._skipped,
        ]

    def source(self) -> str:
        """Return the text of a program."""
        functions = []
        for number in range(self._chosen.randrange(2)):
            self._tensors, self._numbers = ["a"], ["k"]
            body = [*self._block(1, self._chosen.randrange(1, 4)), f"    return {self._tensor()}"]
            functions.append("\n".join([f"def helper_{number}(a, k=2):", *body]))
            self._helpers.append(f"helper_{number}")
        self._tensors, self._numbers = ["x", "y"], ["count"]
        # A leaf tensor that requires gradients must not be changed in place.
        first = ["    x = x * 1"] if self._chosen.random() < 0.5 else []
        body = [*first, *self._block(1, self._chosen.randrange(2, 6)), f"    return {self._result()}"]
        if self._chosen.random() < 0.7:
            head = "def f(x: torch.Tensor, y: torch.Tensor, flag: bool, count: int):"
        else:
            head = "def f(x, y, flag, count):"
        functions.append("\n".join([head, *body]))
        return HEADER + "".join(f"\n\n{each}\n" for each in functions)

    def _one(self, *texts: str) -> str:
        return self._chosen.choice(texts)

    def _block(self, depth: int, length: int) -> list[str]:
        """Return statements; names that they bind are forgotten after the block."""
        tensors, numbers, lines = list(self._tensors), list(self._numbers), list[str]()
        for _ in range(length):
            lines += self._chosen.choice(self._statements)(depth)
        if depth > 1:
            self._tensors, self._numbers = tensors, numbers
        return lines

    def _inner(self, depth: int) -> list[str]:
        if depth > 2:
            return self._assign_tensor(depth + 1)
        return self._block(depth + 1, self._chosen.randrange(1, 3))

    def _name(self, names: list[str], start: str) -> str:
        """Return a known name, or a new one."""
        if self._chosen.random() < 0.5:
            return self._chosen.choice(names)
        self._made += 1
        return f"{start}{self._made}"

    def _known(self) -> str:
        return self._chosen.choice(self._tensors)

    def _literal(self) -> str:
        return self._one("0", "1", "2", "-1", "0.5", "3.0", "1e-6")

    def _tensor(self, depth: int = 0) -> str:
        """Return an expression for a tensor."""
        name, other = self._known(), self._known()
        if depth > 1:
            return name
        inner = self._tensor(depth + 1)
        return self._one(
            name,
            f"{name} + {other}",
            f"{name} * {other}.sum()",
            f"{inner} * {self._number(depth + 1)}",
            f"{name} + {self._number(depth + 1)}",
            f"{name} / {self._number(depth + 1)}",
            f"{self._number(depth + 1)} - {name}",
            f"({inner}).abs()",
            f"{name}.{self._one('relu', 'float', 'sqrt', 'exp', 'clone', 'detach', 'double', 'long')}()",
            f"({inner}).{self._one('sum', 'mean', 'max', 'norm')}()",
            f"{name}.clamp(min={self._number(depth + 1)})",
            f"torch.zeros(2) + {self._number(depth + 1)}",
            f"torch.full_like({name}, {self._number(depth + 1)})",
            f"torch.ones(2, dtype=torch.{self._one('uint8', 'int32', 'float16')}) * {self._number(depth + 1)}",
            f"torch.tensor([{self._number(depth + 1)}, 1.0])",
            f"torch.where({name} > {self._literal()}, {name}, {other})",
            f"torch.maximum({name}, {other})",
            f"{name}[{self._mask(name)}]",
            f"{name}[{self._mask(name)}].{self._one('sum', 'mean', 'max', 'numel', 'norm')}()",
            f"({name} + 1 if {self._condition()} else {other} * 2)",
            *[f"{helper}({name}, {self._number(depth + 1)})" for helper in self._helpers],
        )

    def _mask(self, name: str) -> str:
        return self._one(f"{name} > {self._literal()}", f"{name} == 0", f"torch.isnan({name})", f"~({name} > 0)")

    def _number(self, depth: int = 0) -> str:
        """Return an expression for a number."""
        name = self._known()
        if depth > 2:
            return self._literal()
        inner = self._number(depth + 1)
        return self._one(
            self._literal(),
            self._chosen.choice(self._numbers),
            f"{name}.{self._one('sum', 'max', 'min', 'mean', 'argmax', 'norm')}().item()",
            f"int({name}.{self._one('sum', 'max')}())",
            f"float({name}.{self._one('sum', 'mean')}())",
            f"({name} > {self._literal()}).sum().item()",
            f"bool(({name} > {self._literal()}).any())",
            f"len({name}.nonzero())",
            f"{name}.nonzero().shape[0]",
            f"{name}.numel()",
            f"len({name})",
            f"max({inner}, 1)",
            f"min({name}.max().item(), {name}.sum().item())",
            f"abs({inner})",
            f"round({inner})",
            f"({inner} {self._one('+', '*', '-')} {self._literal()})",
            f"({inner} // 2)",
            f"({inner} % 3)",
            f"math.sqrt(abs({inner}))",
            f"math.floor({inner})",
            f"{name}.tolist()[0]",
            f"{name}[0].item()",
            f"sum({name}.tolist())",
            "random.random()",
            "random.randint(0, 3)",
        )

    def _condition(self) -> str:
        """Return a condition."""
        name, other, literal = self._known(), self._known(), self._literal()
        return self._one(
            f"{name}.{self._one('sum', 'max', 'mean')}() > {literal}",
            f"({name} > {literal}).{self._one('any', 'all')}()",
            f"not ({name} == 0).any()",
            f"torch.isnan({name}).any()",
            f"flag and {name}.max() > {literal}" if "x" in self._tensors else "k",
            f"{name}.sum() > 0 or {other}.sum() > 0",
            f"{self._number(1)} > {literal}",
            f"0 < {name}.sum() < 3",
            f"{name}.sum()",
            f"torch.equal({name}, {other})",
            f"torch.allclose({name}, {other})",
            f"{name}.max().item() >= 1",
            f"any(each.sum() > 0 for each in [{name}, {other}])",
            "random.random() < 0.5",
            f"{name}.shape[0] > 1",
        )

    def _assign_tensor(self, depth: int) -> list[str]:
        value = self._tensor()
        if self._chosen.random() < 0.2:
            return [f"{'    ' * depth}{self._known()} {self._one('+', '*', '-')}= {value}"]
        name = self._name(self._tensors, "t")
        self._tensors.append(name)
        return [f"{'    ' * depth}{name} = {value}"]

    def _assign_number(self, depth: int) -> list[str]:
        value = self._number()
        name = self._name(self._numbers, "n")
        self._numbers.append(name)
        return [f"{'    ' * depth}{name} = {value}"]

    def _branch(self, depth: int) -> list[str]:
        indent = "    " * depth
        name = self._known()
        kind = self._chosen.randrange(4)
        if kind == 0:
            return [f"{indent}if {self._condition()}:", f"{indent}    {name} = {self._tensor()}"]
        if kind == 1:
            lines = [f"{indent}if {self._condition()}:", f"{indent}    {name} = {self._tensor()}"]
            return [*lines, f"{indent}else:", f"{indent}    {name} = {self._tensor()}"]
        lines = [f"{indent}if {self._condition()}:", *self._inner(depth)]
        return [*lines, f"{indent}else:", *self._inner(depth)] if kind == 2 else lines

    def _loop(self, depth: int) -> list[str]:
        indent, name = "    " * depth, self._known()
        kind = self._chosen.randrange(5)
        if kind == 0:
            head = [f"{indent}for each in {name}.tolist():"]
            return [*head, f"{indent}    {self._known()} = {self._known()} {self._one('+', '*')} each"]
        if kind == 1:
            self._made += 1
            steps = f"steps{self._made}"
            condition = self._condition()
            condition = f"({condition})" if " or " in condition else condition
            head = [f"{indent}{steps} = 0", f"{indent}while {steps} < 3 and {condition}:"]
            return [*head, f"{indent}    {steps} += 1", *self._inner(depth)]
        if kind == 2:
            stop = [f"{indent}    if {self._condition()}:", f"{indent}        {self._one('break', 'continue')}"]
            return [f"{indent}for step in range(3):", *stop, *self._inner(depth)]
        if kind == 3:
            return [f"{indent}for _ in range(int({name}.sum()) % 3):", *self._inner(depth)]
        return [f"{indent}for row in {name}:", f"{indent}    {self._known()} = {self._known()} + row"]

    def _write(self, depth: int) -> list[str]:
        name, other = self._known(), self._known()
        text = self._one(
            f"{name}.{self._one('add_', 'mul_', 'fill_')}({self._number(1)})",
            f"{name}.{self._one('add_', 'mul_', 'copy_')}({other})",
            f"{name}[{self._mask(name)}] = {self._literal()}",
            f"{name}[{self._mask(name)}] = {self._number(1)}",
            f"{name}[{self._mask(other)}] = {other}",
            f"{name}[{self._mask(name)}] += 1",
            f"{name}[{self._mask(name)}] *= {other}[{self._mask(other)}]",
            f"{name}[0] = {self._number(1)}",
            f"{name}[{name}.nonzero()] = 0",
            f"{name}[torch.where({self._mask(name)})] = 0",
            f"{name}.masked_fill_({self._mask(name)}, {self._number(1)})",
        )
        return [f"{'    ' * depth}{text}"]

    def _output(self, depth: int) -> list[str]:
        name, number = self._known(), self._number(1)
        text = self._one(
            f"print('value', {number})",
            f"print({name})",
            f"print({name}.sum().detach(), {name}.shape)",
            f"print(f'{{{name}.sum()}} of {{{name}.shape}}')",
            f"print('{{}}', {number}, sep='-', end='')",
            f"print('%s: %d' % ({name}.detach(), {name}.numel()))",
            "print()",
            f"log.warning('sum %s', {name}.detach().sum())",
            f"log.info('sum %s', {number})",
            f"warnings.warn(f'sum {{{number}}}')",
        )
        return [f"{'    ' * depth}{text}"]

    def _check(self, depth: int) -> list[str]:
        indent, message = "    " * depth, self._one("'bad'", f"f'bad {{{self._known()}.shape}}'")
        if self._chosen.random() < 0.5:
            return [f"{indent}assert {self._condition()}, {message}"]
        raised = self._one("ValueError", "RuntimeError", "AssertionError")
        return [f"{indent}if {self._condition()}:", f"{indent}    raise {raised}({message})"]

    def _early_return(self, depth: int) -> list[str]:
        indent = "    " * depth
        return [f"{indent}if {self._condition()}:", f"{indent}    return {self._tensor()}"]

    def _handled(self, depth: int) -> list[str]:
        indent, name = "    " * depth, self._known()
        lines = [f"{indent}try:", *self._inner(depth), f"{indent}except {self._one('ValueError', 'RuntimeError')}:"]
        return [*lines, f"{indent}    {name} = {name} * 2"]

    def _shared(self, depth: int) -> list[str]:
        """Return a second name for a tensor, or for a part of it."""
        name = self._known()
        value = self._one(name, f"{name}[:1]", f"{name}.view(-1)", f"{name}.detach()", f"{name}.t()")
        self._made += 1
        self._tensors.append(f"s{self._made}")
        return [f"{'    ' * depth}s{self._made} = {value}"]

    def _collected(self, depth: int) -> list[str]:
        indent, name = "    " * depth, self._known()
        lines = [f"{indent}parts = []", f"{indent}for row in {name}:", f"{indent}    if row.sum() > 0:"]
        return [*lines, f"{indent}        parts.append(row)", f"{indent}{name} = {name} + len(parts)"]

    def _array(self, depth: int) -> list[str]:
        indent, name = "    " * depth, self._known()
        called = self._one("nansum", "nanmean", "nanmax", "sum", "cumsum", "isin", "trapezoid", "ediff1d", "median")
        arguments = f"{name}.detach().numpy()" + (", [0, 1]" if called == "isin" else "")
        return [f"{indent}{name} = {name} + torch.as_tensor(np.{called}({arguments}))"]

    def _skipped(self, depth: int) -> list[str]:
        indent = "    " * depth
        return [f"{indent}if random.random() < 0.5:", *self._assign_tensor(depth + 1)]

    def _result(self) -> str:
        number = self._chosen.choice(self._numbers)
        return self._one(self._known(), self._known(), f"{self._known()}, {number}", self._tensor(), number)
