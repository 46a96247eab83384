"""Branches that an option turns off by default: the search for compiled objects enters them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.interp.test_compiled_entries import found, places

CLASSES = """
from dataclasses import dataclass, field
from pydantic import BaseModel, Field

@dataclass
class Training:
    compiles: bool = False
    backend: str = "eager"
    level: int = 0

@dataclass
class Config:
    mode: str = "none"
    training: Training = field(default_factory=Training)

class Inner(BaseModel):
    compiles: bool = Field(default=False)

class Model(BaseModel):
    inner: Inner = Field(default_factory=Inner)

class Plain:
    def __init__(self):
        self.training = Training()
        self.compiles = False
        self.mode = "none"
"""

# Each case: its name, the entry points that it has, and its code.
CASES = """
# -- field-of-a-field: A
def main(config: Config):
    if config.training.compiles:
        torch.compile(A())

# -- field-of-a-field-of-pydantic: A
def main(config: Model):
    if config.inner.compiles:
        torch.compile(A())

# -- string-of-a-field: A
def main(config: Config):
    if config.training.backend == "compile":
        torch.compile(A())

# -- number-of-a-field: A
def main(config: Config):
    if config.training.level > 0:
        torch.compile(A())

# -- string: A B
def main(config: Config):
    net = A()
    if config.mode == "compile":
        net = torch.compile(net)
    return torch.compile(B()) if config.mode == "other" else net

# -- default-object: A
def main(config: Config = Config()):
    if not config.mode == "none":
        torch.compile(A())

# -- plain-object: A B f g
def main(config: Plain):
    if config.compiles:
        torch.compile(A())
    if config.mode == "compile":
        torch.compile(B())
    if config.training.level > 0 and config.training.compiles:
        torch.compile(f)
    match config.mode:
        case "third":
            torch.compile(g)

# -- early-return: A
def main(config: Config):
    if config.mode == "none":
        return f
    return torch.compile(A())

# -- annotated-namespaces: A B f g
import argparse, types
import omegaconf
def main(args: argparse.Namespace, given: types.SimpleNamespace, config: omegaconf.DictConfig):
    if args.compile is True:
        torch.compile(A())
    if given.mode is None:
        torch.compile(B())
    if not config.eager:
        torch.compile(f)
    if getattr(args, "other") is True:
        torch.compile(g)

# -- attribute-of-a-class: A
class Trainer:
    mode = "none"
    def setup(self):
        if self.mode == "compile":
            torch.compile(A())

# -- constants-of-a-module: A B f g
MODE = "none"
TABLE = {"compile": False}
CONFIG = Plain()
LEVEL = 0
def main():
    if MODE == "compile":
        torch.compile(A())
    if TABLE["compile"]:
        torch.compile(B())
    if CONFIG.mode == "compile":
        torch.compile(f)
if LEVEL > 1:
    torch.compile(g)

# -- what-a-call-passes-is-no-option: A
def build(net, mode):
    if mode == "compile":
        torch.compile(net)
build(A(), "compile")
build(B(), "none")

# -- what-a-call-sets-is-no-option: A
def build(net, config):
    if config.mode == "compile":
        torch.compile(net)
build(A(), Config(mode="compile"))
build(B(), Config(mode="none"))

# -- facts-are-no-options: A
import sys
def main(config: Config):
    if config.mode == "compile" and sys.version_info < (3, 8):
        torch.compile(B())
    if config.mode == "compile" and sys.version_info > (3, 8) and hasattr(torch, "compile"):
        torch.compile(A())
"""
PLACES = places(CASES)


@pytest.mark.parametrize("name", PLACES)
def test_place(name: str, tmp_path: Path) -> None:
    source, expected = PLACES[name]
    assert found(tmp_path, CLASSES + source) == expected
