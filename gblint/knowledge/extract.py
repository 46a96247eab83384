"""Builds the data files of one torch version: ``python -m gblint.knowledge.extract --python-site SITE --output DIR``.

Three sources are merged, later ones winning: what the files of the installed torch say (``read_torch``); what torch
functions were seen to return (``observed-V.json``); and what only running Dynamo tells (``overlay-V.json``).
The last two are written by people with the scripts in ``tests/knowledge``; nothing here imports torch.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from gblint.knowledge import read_torch
from gblint.knowledge.facts import Fact, format_fact, parse_fact
from gblint.knowledge.numbers import NumbersError, number_parameters, parse_numbers
from gblint.knowledge.returns import ReturnsError, parse_returns

Facts = dict[str, dict[str, Fact]]

# Rule classes of trace_rules that do not put the function into the graph.
_RULES = {
    "SkipFunctionVariable": Fact("break", ("GB0007",)),
    "SparseTensorCreationSkipVariable": Fact("break", ("GB0374",), "tensor"),
    "UserFunctionVariable": Fact("inline"),
}
# The public modules of the C functions that trace_rules names by where they are bound.
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
_SECTIONS = (
    "functions",
    "tensor_methods",
    "tensor_attributes",
    "ndarray_methods",
    "ndarray_attributes",
    "context_managers",
    "module_classes",
    "classes",
)
_FLAT = frozenset(name for name in _SECTIONS if "_methods" in name or "_attributes" in name)


def static_facts(torch: Path) -> Facts:
    """What the files of torch alone say."""
    facts: Facts = {section: {} for section in _SECTIONS}
    for section, name, fact in _read(torch):
        facts[section].setdefault(name, fact)
    return facts


def _read(torch: Path) -> Iterator[tuple[str, str, Fact]]:
    """Every fact read, the weightier one of two on the same name first."""
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


def _stubs(torch: Path) -> Iterator[tuple[str, str, Fact]]:
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


def add_observed(facts: Facts, observed: Mapping[str, Mapping[str, str]]) -> None:
    """Give facts the returns that were seen; a name that torch's files do not have is added as a graph function."""
    for section, groups in observed.items():
        for returns, names in groups.items():
            for name in names.split():
                fact = facts[section].get(name, Fact("graph"))
                facts[section][name] = replace(fact, returns=returns)


def add_overlay(facts: Facts, overlay: Mapping[str, Mapping[str, Mapping[str, str]]]) -> None:
    """Put the facts of the overlay in, keeping the returns already known where it says nothing of them."""
    for section, namespaces in overlay.items():
        for namespace, groups in namespaces.items():
            for text, names in groups.items():
                fact = parse_fact(text)
                for short in names.split():
                    name = f"{namespace}.{short}" if namespace else short
                    known = facts[section].get(name)
                    keep = fact.returns == "unknown" and fact.effect != "inline"
                    facts[section][name] = replace(fact, returns=known.returns) if known and keep else fact


def numbers(torch: Path, overlay: Mapping[str, Mapping[str, str]]) -> dict[str, dict[str, str]]:
    """Namespace, then a text as in ``gblint.knowledge.numbers``, then its names; the overlay has the last word."""
    read = {
        "torch": number_parameters(torch / "_C/_VariableFunctions.pyi"),
        "torch.Tensor": number_parameters(torch / "_C/__init__.pyi", "TensorBase"),
        "torch.nn.functional": number_parameters(torch / "_C/_nn.pyi"),
    }
    for namespace, groups in overlay.items():
        for text, names in groups.items():
            read[namespace].update(dict.fromkeys(names.split(), text))
    out: dict[str, dict[str, str]] = {}
    for namespace, by_name in read.items():
        sharing: dict[str, list[str]] = defaultdict(list)
        for name, text in by_name.items():
            parse_numbers(text)
            sharing[text].append(name)
        out[namespace] = {text: " ".join(sorted(found)) for text, found in sorted(sharing.items())}
    return out


def check_tags(functions: Mapping[str, Fact], tags: Mapping[str, set[str]]) -> None:
    """Refuse to say of an operator that it never breaks if torch itself tags it as depending on data."""
    for tag in ("dynamic_output_shape", "data_dependent_output"):
        for operator in sorted(tags.get(tag, ())):
            fact = functions.get(f"torch.{operator}")
            if fact is not None and not operator.startswith("_") and not fact.breaks:
                raise read_torch.ExtractionError(
                    f"torch.{operator} is tagged {tag}: the overlay must say when it breaks"
                )


def grouped(section: str, facts: Mapping[str, Fact]) -> dict[str, dict[str, str]]:
    """The compact form of the data file: namespace, then fact, then the names separated by spaces."""
    groups: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for name, fact in facts.items():
        parse_returns(fact.returns)
        namespace, _, short = ("", "", name) if section in _FLAT else name.rpartition(".")
        groups[namespace][format_fact(fact)].append(short)
    return {
        namespace: {text: " ".join(sorted(names)) for text, names in sorted(by_fact.items())}
        for namespace, by_fact in sorted(groups.items())
    }


def build(site: Path, data: Path) -> tuple[str, dict[str, Any], read_torch.Registry]:
    """(version, contents of the data file, contents of the registry file)."""
    torch = site / "torch"
    version = read_torch.version(torch)
    observed = json.loads((data / f"observed-{version}.json").read_text(encoding="utf-8"))
    overlay = json.loads((data / f"overlay-{version}.json").read_text(encoding="utf-8"))
    facts = static_facts(torch)
    add_observed(facts, observed)
    add_overlay(facts, overlay["facts"])
    for name in facts["classes"]:
        # trace_rules lists a few classes among the functions.
        facts["functions"].pop(name, None)
    check_tags(facts["functions"], read_torch.op_tags(site / "torchgen"))
    skip, inline, packages = read_torch.module_lists(torch)
    aliases = {f"torch.nn.modules.{module}": "torch.nn" for module in read_torch.nn_modules(torch).values()}
    contents = {
        "version": version,
        "facts": {section: grouped(section, facts[section]) for section in _SECTIONS},
        "numbers": numbers(torch, overlay["numbers"]),
        "prefixes": overlay["prefixes"],
        "aliases": {**aliases, **overlay.get("aliases", {})},
        "skip": skip,
        "inline": inline,
        "skip_packages": packages,
        "config": read_torch.config_defaults(torch),
    }
    return version, contents, read_torch.registry(torch)


def write(path: Path, contents: object) -> None:
    """One JSON file, a line per top entry of each object so that versions can be compared line by line."""
    path.write_text(json.dumps(contents, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description="Build gblint's knowledge of an installed torch from its files.")
    parser.add_argument("--python-site", type=Path, required=True, help="the site-packages that has torch in it")
    parser.add_argument("--output", type=Path, default=Path(__file__).parent / "data", help="where to write to")
    arguments = parser.parse_args()
    data = Path(__file__).parent / "data"
    try:
        version, contents, registry = build(arguments.python_site, data)
    except (OSError, read_torch.ExtractionError, ReturnsError, NumbersError) as error:
        parser.exit(2, f"cannot extract: {error}\n")
    write(arguments.output / f"torch-{version}.json", contents)
    write(arguments.output / f"registry-{version}.json", registry)
    counts = {
        section: sum(len(n.split()) for g in ns.values() for n in g.values())
        for section, ns in contents["facts"].items()
    }
    print(f"torch {version}: " + ", ".join(f"{count} {section}" for section, count in counts.items()))


if __name__ == "__main__":
    main()
