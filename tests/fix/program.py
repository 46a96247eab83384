"""Small programs whose effects are compared before and after a fix, and inputs for them."""

from __future__ import annotations

from dataclasses import dataclass, field

X = {"x": "torch.tensor([1.0, -2.0, 3.0], requires_grad=True)"}
SMALL = {"x": "torch.tensor([0.1, 0.2, 0.1], requires_grad=True)"}
ZERO = {"x": "torch.zeros(3, requires_grad=True)"}
NAN = {"x": "torch.tensor([float('nan'), 1.0, 2.0], requires_grad=True)"}
EMPTY = {"x": "torch.zeros(0, requires_grad=True)"}
USUAL = (X, SMALL, ZERO, NAN)


@dataclass(frozen=True)
class Case:
    """A program: the body of ``f`` after its header, or a whole source if it defines ``f`` itself."""

    body: str
    inputs: tuple[dict[str, str], ...] = USUAL
    call: str = "f(x)"
    parameters: str = "x: torch.Tensor"
    extra: str = ""
    imports: tuple[str, ...] = field(default=())

    @property
    def source(self) -> str:
        """The text of the program."""
        lines = ["import torch", *(f"import {name}" for name in self.imports), *self.extra.splitlines()]
        body = "".join(f"    {line}\n" if line else "\n" for line in self.body.strip().splitlines())
        return "\n".join(lines) + f"\n\n\ndef f({self.parameters}):\n{body}"
