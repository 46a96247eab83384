"""The loader of the data of one torch version, and the look-ups of the interpreter."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, Final

from gblint.knowledge.data_files import stored
from gblint.knowledge.facts import Fact, parse_fact
from gblint.knowledge.numbers import NumberParameter, parse_numbers
from gblint.knowledge.registry import GbEntry, load_registry
from gblint.knowledge.versions import UnknownTorchVersion, available_versions

Section = dict[str, str]

# Packages on the skip list with facts about their classes.
_WITH_FACTS = frozenset((*sys.stdlib_module_names, "torch", "numpy", "tqdm"))
EXCEPTIONS: Final = ("Error", "Exception", "Warning")
"""The last words in the names of exception classes."""


class SkipRules:
    """The modules whose functions Dynamo skips (``check_file`` in ``torch/_dynamo/trace_rules.py``).

    The inline lists win over the skip lists.  Both match prefixes of file paths, so that ``torch.fx`` also covers a
    module ``torch.fx_extra``.
    """

    def __init__(self, data: Mapping[str, Any]) -> None:
        self._skip = tuple(data["skip"])
        self._inlined = tuple(data["inline"])
        self._packages = frozenset(data["skip_packages"])
        self._known: dict[str, bool] = {}

    def skips(self, module: str) -> bool:
        """Return whether Dynamo skips the functions of ``module``."""
        known = self._known.get(module)
        if known is None:
            root = module.partition(".")[0]
            if root == "torch":
                known = module.startswith(self._skip) and not module.startswith(self._inlined)
            else:
                known = root in self._packages or module in self._packages
            self._known[module] = known
        return known


class Knowledge:
    """The behaviour of one version of torch; made by ``load``."""

    def __init__(self, data: Mapping[str, Any]) -> None:
        self.version: str = data["version"]
        # The version whose measurements are used: this one, or the nearest one that was measured.
        self.measured: str = data["measured"]
        self._sections: dict[str, Section] = {name: dict(flatten(groups)) for name, groups in data["facts"].items()}
        self._torch_modules = frozenset(name for name in data["facts"]["functions"] if _is_public_module(name))
        self._prefixes = sorted(data["prefixes"].items(), key=lambda item: -len(item[0]))
        self._events: Section = data["events"]
        self._traced = frozenset(data["traced"].split())
        self._refused = frozenset(data["refused"].split())
        self._ids = frozenset(data["causes"].values())
        # The interpreter follows the reference version where nothing else was measured, so that it may need its ids.
        self._causes: dict[str, str] = {**data["reference_causes"], **data["causes"]}
        self._cause_of = {gb_id: cause for cause, gb_id in self._causes.items()}
        self._aliases: dict[str, str] = data["aliases"]
        self._skip_rules = SkipRules(data)
        self._settings: dict[str, str] = data["settings"]
        self._tags: dict[str, str] = data["tags"]
        self._without_fake = frozenset(data["without_fake"].split())
        self._numbers = dict(flatten(data["numbers"]))
        self._functions: dict[str, Fact | None] = {}

    def function(self, qualname: str) -> Fact | None:
        """Return the fact about calling ``qualname``, a public dotted name; None if there is none."""
        if qualname in self._functions:
            return self._functions[qualname]
        fact = self._lookup("functions", qualname)
        if fact is None:
            rule = self._by_prefix(qualname) or self._by_module(qualname)
            # The fact about a class is more specific than one for its whole package.
            fact = rule and (self._lookup("classes", qualname) or rule)
        self._functions[qualname] = fact
        return fact

    def tensor_method(self, name: str) -> Fact | None:
        """The fact about calling ``Tensor.name``."""
        return self._find("tensor_methods", name)

    def tensor_attribute(self, name: str) -> Fact | None:
        """The fact about reading ``Tensor.name``, an attribute that is not a method."""
        return self._find("tensor_attributes", name)

    def ndarray_method(self, name: str) -> Fact | None:
        """The fact about calling ``ndarray.name``."""
        return self._find("ndarray_methods", name)

    def ndarray_attribute(self, name: str) -> Fact | None:
        """The fact about reading ``ndarray.name``."""
        return self._find("ndarray_attributes", name)

    def context_manager(self, qualname: str) -> Fact | None:
        """The fact about ``with qualname(...):``, the manager being made in the ``with`` itself."""
        return self._lookup("context_managers", qualname)

    def module_class(self, qualname: str) -> Fact | None:
        """The fact about calling an instance of the ``nn.Module`` class ``qualname``."""
        return self._lookup("module_classes", qualname)

    def class_(self, qualname: str) -> Fact | None:
        """The fact about constructing an instance of ``qualname`` in a traced region."""
        return self._lookup("classes", qualname) or self._lookup("functions", qualname)

    def event(self, kind: str, subject: str, causes: tuple[str, ...] = ()) -> Fact | None:
        """Return the behaviour of this version at an event, if it differs from that of the reference version.

        Events are about the language, so there is no qualified name to look up: ``kind`` and ``subject`` are those of a
        ``BreakEvent``; each of the ``causes`` is a cause or an id. A fact that does not break says that this version
        traces the construct.
        """
        names = ",".join(self.causes_of(causes))
        subject = subject.partition("().")[0]  # "super().device" is a "super"
        text = self._events.get(f"{kind} {subject} {names}") or self._events.get(f"{kind} {subject}")
        if text is None and kind == "call" and subject in self._traced:
            return Fact("graph")
        return None if text is None else parse_fact(text)

    def gb_ids(self, cause: str) -> tuple[str, ...]:
        """Return the ids for a cause, such as ``data-dependent-branching``; none if the cause is unknown.

        A cause that the registry of this version lacks has the id of the reference version; see ``gives``.
        """
        gb_id = self._causes.get(cause)
        return () if gb_id is None else (gb_id,)

    def causes_of(self, gb_ids: tuple[str, ...]) -> tuple[str, ...]:
        """Return the causes of ids of this version; an id without a cause stays."""
        return tuple([self._cause_of.get(gb_id, gb_id) for gb_id in gb_ids])

    def ids_of(self, causes: tuple[str, ...]) -> tuple[str, ...]:
        """Return the ids for several causes; ids remain unchanged."""
        return tuple([self._causes.get(cause, cause) for cause in causes])

    def refused(self, qualname: str) -> Fact | None:
        """The fact about a function that this version refuses and torch 2.13, as the interpreter does, traces."""
        return self._find("functions", qualname) if qualname in self._refused else None

    def gives(self, gb_id: str) -> bool:
        """Return whether the registry of this version has an id."""
        return gb_id in self._ids

    def numbers(self, qualname: str) -> tuple[NumberParameter, ...]:
        """The parameters of a function, or of ``torch.Tensor.name``, that have to be numbers."""
        text = self._numbers.get(qualname) or self._numbers.get(self._canonical(qualname))
        return () if text is None else parse_numbers(text)

    def is_torch_module(self, name: str) -> bool:
        """Return whether ``name`` is a public module of torch with functions, such as ``torch.fft``."""
        return name in self._torch_modules

    def has_name(self, qualname: str) -> bool:
        """Return whether torch has a function or a module of this name; False if the data do not have the name."""
        return qualname in self._torch_modules or self._lookup("functions", qualname) is not None

    def skipped_package(self, module: str) -> bool:
        """Return whether Dynamo refuses to trace Python functions defined in ``module``."""
        return self._skip_rules.skips(module)

    def has_setting(self, name: str) -> bool:
        """Return whether ``torch._dynamo.config`` has ``name``; setting another raises AttributeError."""
        return name in self._settings or not self._settings

    def setting_alias(self, name: str) -> str:
        """The setting that ``torch._dynamo.config.name`` is an older name for; empty if for none."""
        return self._settings.get(name, "")

    def tagged(self, tag: str) -> frozenset[str]:
        """The names of ATen's operators with the tag ``dynamic_output_shape`` or ``data_dependent_output``."""
        return frozenset(self._tags[tag].split())

    def without_fake(self, operator: str) -> bool:
        """Return whether an operator of ATen (``histogram``) has no meta kernel to compute the shape of its result."""
        return operator in self._without_fake

    def gb(self, gb_id: str) -> GbEntry:
        """The registry's entry for an id; KeyError if the registry does not have it."""
        return load_registry(self.version)[gb_id]

    def registry(self) -> Mapping[str, GbEntry]:
        """Return the entries of the registry of this version, by id."""
        return load_registry(self.version)

    def names(self, section: str) -> tuple[str, ...]:
        """Return every name of a section, such as ``functions`` or ``tensor_methods``."""
        return tuple(self._sections[section])

    def facts(self, section: str) -> Iterator[tuple[str, Fact]]:
        """Yield every name of a section with its fact."""
        for name, text in self._sections[section].items():
            yield name, parse_fact(text)

    def _find(self, section: str, name: str) -> Fact | None:
        text = self._sections[section].get(name)
        return None if text is None else parse_fact(text)

    def _lookup(self, section: str, qualname: str) -> Fact | None:
        return self._find(section, qualname) or self._find(section, self._canonical(qualname))

    def _canonical(self, qualname: str) -> str:
        """``qualname`` with its longest known module prefix replaced by the name that the data use."""
        module, dot, _ = qualname.rpartition(".")
        while dot:
            if module in self._aliases:
                return f"{self._aliases[module]}.{qualname[len(module) + 1 :]}"
            module, dot, _ = module.rpartition(".")
        return self._aliases.get(qualname, qualname)

    def _by_prefix(self, qualname: str) -> Fact | None:
        """Return the fact of the longest prefix.

        The fact of a package does not apply to the members of its classes, and that of a class not to special methods.
        """
        if qualname.endswith("__"):
            return None
        for prefix, text in self._prefixes:
            if qualname.startswith(prefix):
                inside = qualname[len(prefix) :].split(".")[:-1]
                return None if any(part[:1].isupper() for part in inside) else parse_fact(text)
        return None

    def _by_module(self, qualname: str) -> Fact | None:
        """Return the fact about a function or class of a skipped module: it breaks; None for all others.

        Of classes and their items only those of other packages count: the standard library, NumPy and torch have facts
        of their own.
        """
        module, _, name = qualname.rpartition(".")
        if not module or module == "torch" or not self.skipped_package(module):
            return None
        if name[:1].islower():
            return Fact("break", self.gb_ids("call-of-skipped-function"))
        if module.partition(".")[0] in _WITH_FACTS or name.endswith(EXCEPTIONS):
            return None
        if name == "__getitem__":
            return Fact("break", self.gb_ids("call-of-skipped-function"))
        if name[:1] == "_":
            return None
        ids = (*self.gb_ids("inlining-of-skipped-function"), *self.gb_ids("call-of-skipped-function"))
        return Fact("break", ids, qualname)


def _is_public_module(name: str) -> bool:
    """Return whether a namespace of functions is a module of torch, rather than a class or an object."""
    last = name.rpartition(".")[2]
    return name.startswith("torch.") and last[:1].islower() and "._" not in name and name != "torch.default_generator"


def flatten(groups: Mapping[str, Mapping[str, str]], between: str = ".") -> Iterator[tuple[str, str]]:
    """Iterate over ``{namespace: {fact: "name name"}}`` as pairs of a full name and a fact."""
    for namespace, by_fact in groups.items():
        prefix = namespace + between if namespace else ""
        for fact, names in by_fact.items():
            for name in names.split():
                yield prefix + name, fact


@cache
def _load(version: str) -> Knowledge:
    return Knowledge(stored(f"torch-{version}"))


def load(version: str | None = None) -> Knowledge:
    """Return the knowledge of ``version`` ("2.13" or "2.13.0"), by default of the newest one.

    Raises UnknownTorchVersion if there are no data for it.
    """
    versions = available_versions()
    wanted = versions[-1] if version is None else ".".join(version.split("+")[0].split(".")[:2])
    if wanted not in versions:
        raise UnknownTorchVersion(f"no knowledge of torch {version}; there is: {', '.join(versions)}")
    return _load(wanted)
