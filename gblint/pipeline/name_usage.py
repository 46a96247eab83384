"""The uses of names in a fragment of source: as modules, tensors, strings, lists, dicts or numbers."""

from __future__ import annotations

import ast
import sys

from gblint.knowledge.catalog import Knowledge

# Conventional imports, by the name that they bind.
_IMPORTS = {
    "np": "import numpy as np",
    "onp": "import numpy as onp",
    "torch": "import torch",
    "nn": "from torch import nn",
    "F": "import torch.nn.functional as F",
    "optim": "from torch import optim",
    "dist": "import torch.distributed as dist",
    "Tensor": "from torch import Tensor",
    "Parameter": "from torch.nn import Parameter",
    "Variable": "from torch.autograd import Variable",
    "Function": "from torch.autograd import Function",
    "autocast": "from torch.amp import autocast",
    "comptime": "from torch._dynamo.comptime import comptime",
    "checkpoint": "from torch.utils.checkpoint import checkpoint",
    "DataLoader": "from torch.utils.data import DataLoader",
    "SummaryWriter": "from torch.utils.tensorboard import SummaryWriter",
    "pd": "import pandas as pd",
    "plt": "import matplotlib.pyplot as plt",
    "sp": "import scipy as sp",
    "nx": "import networkx as nx",
    "cv2": "import cv2",
    "Image": "from PIL import Image",
    "tqdm": "from tqdm import tqdm",
    "trange": "from tqdm import trange",
    "rearrange": "from einops import rearrange",
    "Any": "from typing import Any",
    "Callable": "from typing import Callable",
    "Optional": "from typing import Optional",
    "Union": "from typing import Union",
    "NamedTuple": "from typing import NamedTuple",
    "TypedDict": "from typing import TypedDict",
    "Path": "from pathlib import Path",
    "Decimal": "from decimal import Decimal",
    "Fraction": "from fractions import Fraction",
    "Enum": "from enum import Enum",
    "Lock": "from threading import Lock",
    "Thread": "from threading import Thread",
    "ThreadPoolExecutor": "from concurrent.futures import ThreadPoolExecutor",
    "ProcessPoolExecutor": "from concurrent.futures import ProcessPoolExecutor",
    "deepcopy": "from copy import deepcopy",
    "dataclass": "from dataclasses import dataclass",
    "partial": "from functools import partial",
    "reduce": "from functools import reduce",
    "wraps": "from functools import wraps",
    "lru_cache": "from functools import lru_cache",
    "itemgetter": "from operator import itemgetter",
    "attrgetter": "from operator import attrgetter",
    "chain": "from itertools import chain",
    "groupby": "from itertools import groupby",
    "product": "from itertools import product",
    "perf_counter": "from time import perf_counter",
    "sleep": "from time import sleep",
    "getLogger": "from logging import getLogger",
    "warn": "from warnings import warn",
    "logger": "import logging\nlogger = logging.getLogger(__name__)",
    "log": "import logging\nlog = logging.getLogger(__name__)",
    "LOG": "import logging\nLOG = logging.getLogger(__name__)",
    "_logger": "import logging\n_logger = logging.getLogger(__name__)",
    **{
        name: f"from collections import {name}"
        for name in ("defaultdict", "OrderedDict", "deque", "Counter", "namedtuple", "ChainMap")
    },
    **{
        name: f"from contextlib import {name}"
        for name in ("nullcontext", "contextmanager", "suppress", "closing", "ExitStack", "redirect_stdout")
    },
}
_METHODS = {
    "str": frozenset(
        "strip lstrip rstrip startswith endswith encode upper lower title splitlines join format replace".split()
    ),
    "list": frozenset("append extend insert".split()),
    "dict": frozenset("items keys setdefault update".split()),
}
_TENSOR = "Tensor"
_MANAGER = "AbstractContextManager"
_MASK = "Bool[Tensor, '...']"
# Classes of objects, by the names that training loops give them.
_OBJECTS = {
    "opt": "torch.optim.Optimizer",
    "optimizer": "torch.optim.Optimizer",
    "scheduler": "torch.optim.lr_scheduler.LRScheduler",
    "lr_scheduler": "torch.optim.lr_scheduler.LRScheduler",
}
_TENSOR_LISTS = frozenset("tensors losses xs ys".split())
_MODULE_ATTRIBUTES = frozenset(
    "training parameters buffers modules children add_module eval train to cuda cpu half float bfloat16 double apply "
    "zero_grad state_dict load_state_dict requires_grad_ get_parameter get_buffer get_submodule compile forward".split()
)
# Modules of the standard library with names that variables have as well.
_AMBIGUOUS_MODULES = frozenset(
    "code token queue string select platform types operator array signal cmd calendar".split()
)


class NameUsage:
    """The names of a fragment: those that stand for modules, and the annotations that fit the others.

    ``attributes`` are the attributes of ``self`` that the fragment reads. With ``tensors``, unknown names are tensors.
    """

    def __init__(self, tree: ast.Module, knowledge: Knowledge, tensors: bool = False) -> None:
        self._knowledge = knowledge
        self._tensors = tensors
        self._kinds: dict[str, str] = {}
        self._members: dict[str, list[str]] = {}
        self._called: set[str] = set()
        attributes: dict[str, None] = {}
        for node in ast.walk(tree):
            self._note(node)
            if isinstance(node, ast.Attribute) and _key(node.value) == "self" and not _is_inherited(node.attr):
                attributes[node.attr] = None
        self.attributes = tuple(attributes)

    def import_of(self, name: str) -> str:
        """Return the import that binds ``name``; "" if ``name`` becomes a parameter."""
        members = self._members.get(name, [])
        if name in self._called and name in ("time", "random", "sqrt", "pformat", "pprint"):
            return {"time": "from time import time", "random": "from random import random"}.get(
                name, f"from {'math' if name == 'sqrt' else 'pprint'} import {name}"
            )
        if name == "datetime" and members and not {"datetime", "date", "timedelta"} & set(members):
            return "from datetime import datetime"
        if name in _IMPORTS:
            return _IMPORTS[name]
        if members and self._is_package(name, members):
            return f"import {name}"
        return ""

    def _is_package(self, name: str, members: list[str]) -> bool:
        known = self._knowledge
        if any(known.function(f"{name}.{member}") or known.class_(f"{name}.{member}") for member in members):
            return True
        if name in _AMBIGUOUS_MODULES:
            return any(member[:1].isupper() for member in members)
        return name in sys.stdlib_module_names

    def annotated(self, name: str, owner: str = "") -> str:
        """Return the parameter ``name`` with the annotation that fits its uses, if one does."""
        kind = self._kind(owner + name)
        if not kind and owner:
            kind = "" if owner + name in self._called else "Any"
        return f"{name}: {kind}" if kind else name

    def is_manager(self, name: str) -> bool:
        """Return whether ``name`` is entered in a ``with`` statement."""
        return self._kinds.get(name) == _MANAGER

    def is_tensor(self, name: str) -> bool:
        """Return whether ``name`` is a tensor by its uses, or may be one by its name."""
        return self._kind(name) in ("", _TENSOR) and name not in self._called

    def _kind(self, key: str) -> str:
        name = key.removeprefix("self.")
        if name in _OBJECTS and key in self._members:
            return _OBJECTS[name]
        kind = self._kinds.get(key, "")
        if self._tensors and kind in ("", "int", "Any") and key not in self._called:
            return _TENSOR
        if not kind and key in _TENSOR_LISTS:
            return "list[Tensor]"
        # The names of classes and constants; mathematicians write X for a tensor.
        return "Any" if not kind and len(key) > 1 and key[:1].isupper() else kind

    def _note(self, node: ast.AST) -> None:
        if isinstance(node, ast.Attribute):
            owner = _key(node.value)
            if owner:
                self._members.setdefault(owner, []).append(node.attr)
                self._suggest(owner, self._kind_with(node.attr))
        elif isinstance(node, ast.Call):
            self._called.add(_key(node.func))
            if isinstance(node.func, ast.Name) and node.func.id == "range":
                for argument in node.args:
                    self._suggest(_key(argument), "int")
        elif isinstance(node, (ast.BinOp, ast.Compare)):
            self._note_operands(node)
        elif isinstance(node, ast.Subscript):
            self._note_index(node)
        elif isinstance(node, (ast.With, ast.AsyncWith)):
            for item in node.items:
                self._suggest(_key(item.context_expr), _MANAGER)
        elif isinstance(node, ast.Match):
            self._suggest(_key(node.subject), _TENSOR)
        elif isinstance(node, ast.AugAssign):
            number = isinstance(node.value, ast.Constant) and type(node.value.value) in (int, float)
            self._suggest(_key(node.target), "int" if number and _key(node.target).startswith("self.") else "")

    def _note_operands(self, node: ast.BinOp | ast.Compare) -> None:
        operands = [node.left, node.right] if isinstance(node, ast.BinOp) else [node.left, *node.comparators]
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
            for operand in operands:
                self._suggest(_key(operand), _TENSOR)
        elif any(isinstance(operand, ast.Constant) and isinstance(operand.value, str) for operand in operands):
            for operand in operands:
                self._suggest(_key(operand), "str")

    def _note_index(self, node: ast.Subscript) -> None:
        index = node.slice
        parts = index.elts if isinstance(index, ast.Tuple) else [index]
        for part in parts:
            if _key(part).rpartition(".")[2].rpartition("_")[2] == "mask":
                self._suggest(_key(part), _MASK)
        if isinstance(index, ast.Constant) and isinstance(index.value, str):
            self._suggest(_key(node.value), "dict")

    def _kind_with(self, member: str) -> str:
        """Return the annotation of values that have ``member``; "" if many kinds have it."""
        for kind, methods in _METHODS.items():
            if member in methods:
                return kind
        known = self._knowledge
        if known.tensor_method(member) is not None or known.tensor_attribute(member) is not None:
            return "" if member in ("name", "values", "device", "dtype", "type") else _TENSOR
        return ""

    def _suggest(self, key: str, kind: str) -> None:
        if key and kind:
            self._kinds.setdefault(key, kind)


def _is_inherited(attribute: str) -> bool:
    """Return whether every ``nn.Module`` has the attribute."""
    return attribute in _MODULE_ATTRIBUTES or attribute.startswith(("register_", "named_", "__"))


def _key(node: ast.AST) -> str:
    """Return ``x`` or ``self.x``; "" for any other expression."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self":
        return f"self.{node.attr}"
    return ""
