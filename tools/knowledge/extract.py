"""Extract facts from the files of a torch: ``python -m tools.knowledge.extract [TORCH ...]``, in a checkout of gblint.

Each ``TORCH`` is a site-packages folder, an environment, an unpacked wheel, or a wheel file.  Its facts are written to
``sources/extracted-V.json`` and ``data/registry.json``.  Then, also without an argument, the data files of all versions
are built (``tools.knowledge.build``).  Nothing here imports torch.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from gblint.knowledge.facts import Fact
from gblint.knowledge.numbers import NumbersError, number_parameters
from gblint.knowledge.registry import GbEntry
from gblint.knowledge.returns import ReturnsError
from tools.knowledge import build, read_torch
from tools.knowledge.build import SECTIONS, Facts, grouped
from tools.knowledge.site import Folder, SiteError, open_site, read

# Rule classes of trace_rules that do not put the function into the graph.
_RULES = {
    "SkipFunctionVariable": Fact("break", ("GB0007",)),
    "SparseTensorCreationSkipVariable": Fact("break", ("GB0374",), "tensor"),
    "UserFunctionVariable": Fact("inline"),
}
# The public modules of C functions that trace_rules names by the module in which they are bound.
_BINDINGS = {
    "torch._C._nn.": "torch.nn.functional.",
    "torch._C._special.special_": "torch.special.",
    "torch._C._linalg.linalg_": "torch.linalg.",
    "torch._C._fft.fft_": "torch.fft.",
}
_STUB_RETURNS = {
    "Tensor": "tensor",
    "_bool": "bool",
    "bool": "bool",
    "_int": "int",
    "int": "int",
    "_float": "float",
    "None": "none",
    "str": "str",
    "_dtype": "dtype",
    "_device": "device",
    "tuple[Tensor, Tensor]": "(tensor,tensor)",
    "tuple[Tensor, Tensor, Tensor]": "(tensor,tensor,tensor)",
    "tuple[Tensor, ...]": "(tensor...)",
    "list[Tensor]": "(tensor...)",
}


def static_facts(torch: Folder) -> Facts:
    """Return the facts in the files of torch."""
    facts: Facts = {section: {} for section in SECTIONS}
    for section, name, fact in _facts(torch):
        facts[section].setdefault(name, fact)
    return facts


def _facts(torch: Folder) -> Iterator[tuple[str, str, Fact]]:
    """Iterate over all facts; of several facts about one name, the first one wins."""
    for name in read_torch.constant_folded(torch):
        yield "functions", name, Fact("fold")
    for name in read_torch.polyfilled(torch):
        yield "functions", name, Fact("fold")
    for name, rule in read_torch.function_rules(torch):
        public = _public(name)
        if not public.startswith("torch._C."):
            yield "functions", public, _RULES.get(rule, Fact("graph"))
    yield from _stubs(torch)
    for name in read_torch.context_managers(torch):
        yield "context_managers", name, Fact("graph")
    for name in read_torch.nn_modules(torch):
        yield "module_classes", f"torch.nn.{name}", Fact("graph", (), "tensor")
    for module, names in read_torch.numpy_names(torch).items():
        for name in names:
            yield "functions", f"{module}.{name}", Fact("graph")


def _stubs(torch: Folder) -> Iterator[tuple[str, str, Fact]]:
    for name, returned in read_torch.stub_returns(torch / "_C/_VariableFunctions.pyi").items():
        if not name.startswith("_"):
            yield "functions", f"torch.{name}", Fact("graph", (), _from_stub(returned))
    for module in ("nn/functional", "functional"):
        for name in read_torch.public_functions(torch / f"{module}.py"):
            namespace = "torch.nn.functional" if module == "nn/functional" else "torch"
            yield "functions", f"{namespace}.{name}", Fact("graph")
    for module in ("linalg", "fft", "special"):
        for name in read_torch.public_functions(torch / module / "__init__.py"):
            yield "functions", f"torch.{module}.{name}", Fact("graph", (), "tensor")
    for name, returned in read_torch.stub_returns(torch / "_C/__init__.pyi", "TensorBase").items():
        returns = "self" if name.endswith("_") and not name.endswith("__") else _from_stub(returned)
        yield "tensor_methods", name, Fact("graph", (), returns)


def _public(name: str) -> str:
    for private, public in _BINDINGS.items():
        if name.startswith(private):
            return public + name.removeprefix(private)
    return name


def _from_stub(returned: set[str]) -> str:
    found = {_STUB_RETURNS.get(annotation, "unknown") for annotation in returned}
    return found.pop() if len(found) == 1 else "unknown"


def numbers(torch: Folder) -> dict[str, dict[str, str]]:
    """Return by namespace the names with their texts, in the format of ``gblint.knowledge.numbers``."""
    return {
        "torch": number_parameters(read(torch / "_C/_VariableFunctions.pyi")),
        "torch.Tensor": number_parameters(read(torch / "_C/__init__.pyi"), "TensorBase"),
        "torch.nn.functional": number_parameters(read(torch / "_C/_nn.pyi")),
    }


def extract(site: Folder) -> tuple[dict[str, Any], dict[str, GbEntry]]:
    """Return the contents of ``extracted-V.json`` and the registry for the torch in ``site``."""
    torch = site / "torch"
    facts = static_facts(torch)
    tags = read_torch.op_tags(site / "torchgen")
    skip, inline, packages = read_torch.module_lists(torch)
    contents = {
        "version": read_torch.version(torch),
        "facts": {section: grouped(section, facts[section]) for section in SECTIONS},
        "numbers": build.by_text(numbers(torch)),
        "aliases": {f"torch.nn.modules.{module}": "torch.nn" for module in read_torch.nn_modules(torch).values()},
        "skip": skip,
        "inline": inline,
        "skip_packages": packages,
        "config": read_torch.config_defaults(torch),
        "settings": read_torch.config_names(torch),
        "tags": {tag: " ".join(sorted(tags.get(tag, ()))) for tag in build.DATA_TAGS},
        "without_fake": " ".join(read_torch.without_fake(site)),
    }
    return contents, read_torch.registry(torch)


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description="Build gblint's knowledge of torch from the files of torch.")
    parser.add_argument("torch", type=Path, nargs="*", help="site-packages, an environment or a wheel with torch")
    arguments = parser.parse_args()
    try:
        for path in arguments.torch:
            contents, registry = extract(open_site(path))
            build.save(contents, registry)
        for line in build.build_all():
            print(line)
    except (OSError, SiteError, read_torch.ExtractionError, build.BuildError, ReturnsError, NumbersError) as error:
        parser.exit(2, f"cannot extract: {error}\n")


if __name__ == "__main__":
    main()
