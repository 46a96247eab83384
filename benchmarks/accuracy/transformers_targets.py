"""Models of transformers with small configurations: from every folder a base model, a task model and a part."""

from __future__ import annotations

import functools
import importlib
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import transformers
from tiny import Unfit, build
from transformers import PreTrainedModel

_PARTS = ("TextModel", "VisionModel", "AudioModel", "EncoderModel", "Backbone", "PreTrainedModel")


def _classes(folder: Path) -> list[str]:
    """Return the entries of a folder, ``module:class``, without importing anything."""
    found = []
    for path in sorted(folder.glob("modeling_*.py")):
        text = path.read_text(encoding="utf-8")
        _, _, exported = text.partition("__all__ = [")
        names = [each.strip(' "\n') for each in exported.partition("]")[0].split(",")]
        found += [f"transformers.models.{folder.name}.{path.stem}:{name}" for name in names if name]
    return [each for each in found if not each.endswith("PreTrainedModel")]


def _chosen(entries: list[str]) -> list[str]:
    features = [each for each in entries if each.endswith("Model") and not each.endswith(_PARTS)]
    parts = [each for each in entries if each.endswith(_PARTS)]
    tasks = [each for each in entries if "For" in each.partition(":")[2]]
    return [*features[:1], *tasks[:1], *parts[:1]]


def _build(entry: str) -> tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any]]:
    module, _, name = entry.partition(":")
    kind = getattr(importlib.import_module(module), name)
    if not (isinstance(kind, type) and issubclass(kind, PreTrainedModel)):
        raise Unfit("not a model")
    return build(kind)  # type: ignore[no-any-return]


def targets() -> Iterator[tuple[str, Callable[[], Any]]]:
    """Yield each entry with the function that creates it, in a fixed random order."""
    folders = sorted(path for path in Path(transformers.__file__).with_name("models").iterdir() if path.is_dir())
    chosen = [_chosen(_classes(folder)) for folder in folders]
    order = random.Random(0)
    for turn in range(3):
        entries = [each[turn] for each in chosen if len(each) > turn]
        order.shuffle(entries)
        for entry in entries:
            yield entry, functools.partial(_build, entry)
