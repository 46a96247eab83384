"""Readers of facts in the files of a torch release; nothing is imported or run.

Each reader takes the ``torch`` folder (of site-packages or of a wheel) and extracts one kind of fact; its docstring
names the file in torch.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterable, Iterator

from gblint.knowledge.registry import GbEntry
from tools.knowledge.site import Folder, read


class ExtractionError(RuntimeError):
    """Raised if a file of torch does not have the expected structure; the message says which and what is missing."""


def parse(path: Folder) -> ast.Module:
    """Return the syntax tree of one file."""
    return ast.parse(read(path), str(path))


def assigned(tree: ast.Module, name: str) -> ast.expr:
    """Return the value that a module first assigns to ``name`` at its top level."""
    for node in tree.body:
        if isinstance(node, ast.Assign):
            targets = node.targets
        elif isinstance(node, ast.AnnAssign):
            targets = [node.target]
        else:
            continue
        if node.value is not None and any(isinstance(t, ast.Name) and t.id == name for t in targets):
            return node.value
    raise ExtractionError(f"no assignment to {name}")


def strings(node: ast.AST) -> list[str]:
    """Return every string constant below ``node``, in source order."""
    return [n.value for n in ast.walk(node) if isinstance(n, ast.Constant) and isinstance(n.value, str)]


def version(torch: Folder) -> str:
    """Return ``major.minor`` from ``torch/version.py``."""
    found = re.search(r"__version__ = '(\d+\.\d+)", read(torch / "version.py"))
    if found is None:
        raise ExtractionError(f"no version in {torch / 'version.py'}")
    return found[1]


def registry(torch: Folder) -> dict[str, GbEntry]:
    """Read ``_dynamo/graph_break_registry.json``; an id is retired if ``_dynamo`` contains none of its types."""
    entries = json.loads(read(torch / "_dynamo/graph_break_registry.json"))
    texts, patterns = _types(torch)
    found = {}
    for gb_id, (now, *before) in sorted(entries.items()):
        kind = now["Gb_type"]
        earlier = tuple(dict.fromkeys(text["Gb_type"] for text in before if text["Gb_type"] != kind))
        retired = not texts & {kind, *earlier} and not any(p.fullmatch(kind) for p in patterns)
        hints = tuple(now.get("Hints") or ())
        found[gb_id] = GbEntry(gb_id, kind, now["Context"], now["Explanation"], hints, earlier, retired)
    return found


def _modules(folder: Folder) -> Iterator[ast.Module]:
    for path in folder.iterdir():
        if not path.is_file():
            yield from _modules(path)
        elif path.name.endswith(".py"):
            yield parse(path)


def _types(torch: Folder) -> tuple[set[str], list[re.Pattern[str]]]:
    """Return the texts in ``_dynamo`` that may be types of breaks, and patterns for the types given as f-strings."""
    texts, patterns = set(), []
    for node in (node for tree in _modules(torch / "_dynamo") for node in ast.walk(tree)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            texts.add(node.value)
        elif isinstance(node, ast.keyword) and node.arg == "gb_type" and isinstance(node.value, ast.JoinedStr):
            parts = (re.escape(str(p.value)) if isinstance(p, ast.Constant) else ".+" for p in node.value.values)
            patterns.append(re.compile("".join(parts)))
    return texts, patterns


def module_lists(torch: Folder) -> tuple[list[str], list[str], list[str]]:
    """Return (skipped torch modules, inlined torch modules, skipped packages) from ``_dynamo/trace_rules.py``."""
    tree = parse(torch / "_dynamo/trace_rules.py")
    inline = set(strings(assigned(tree, "LEGACY_MOD_INLINELIST"))) | set(strings(assigned(tree, "MOD_INLINELIST")))
    inline |= set(_added_if_distributed(tree))
    builtin = assigned(tree, "BUILTIN_SKIPLIST")
    packages = strings(assigned(tree, "THIRDPARTY_SKIPLIST"))
    packages += [n.id for n in ast.walk(builtin) if isinstance(n, ast.Name)]
    # copy is inlined when called from traced code (BUILTIN_INLINE_WHEN_CALLED); trace_rules treats unittest separately.
    packages = [name for name in packages if name != "copy"] + ["unittest"]
    return sorted(strings(assigned(tree, "MOD_SKIPLIST"))), sorted(inline), sorted(packages)


def _added_if_distributed(tree: ast.Module) -> Iterator[str]:
    """Yield the inlined modules that are added if torch.distributed is available, as it is in every released wheel."""
    for node in tree.body:
        if isinstance(node, ast.If) and "distributed" in ast.unparse(node.test):
            for name in strings(node):
                if name.startswith("torch."):
                    yield name


def function_rules(torch: Folder) -> Iterator[tuple[str, str]]:
    """Yield (name, rule class) of each named function in ``_dynamo/trace_rules.py``; the first entry of a name wins."""
    tree = parse(torch / "_dynamo/trace_rules.py")
    manual = assigned(tree, "manual_torch_name_rule_map")
    if not isinstance(manual, ast.Dict):
        raise ExtractionError("manual_torch_name_rule_map is not a dict literal")
    for key, value in zip(manual.keys, manual.values):
        if isinstance(key, ast.Constant) and isinstance(key.value, str) and "#" not in key.value:
            yield key.value, ast.unparse(value)
    for name in ("torch_c_binding_in_graph_functions", "torch_non_c_binding_in_graph_functions"):
        for function in strings(assigned(tree, name)):
            yield function, "TorchInGraphFunctionVariable"


def constant_folded(torch: Folder) -> list[str]:
    """Return ``constant_fold_functions`` of ``_dynamo/variables/torch.py``."""
    tree = parse(torch / "_dynamo/variables/torch.py")
    lists = [assigned(tree, "constant_fold_functions"), assigned(tree, "constant_fold_functions_need_guards")]
    return sorted({ast.unparse(n) for lst in lists for n in ast.walk(lst) if _is_torch_name(n)} - {"torch"})


def context_managers(torch: Folder) -> list[str]:
    """Return ``supported_ctx_manager_classes`` of ``_dynamo/variables/torch.py``."""
    node = assigned(parse(torch / "_dynamo/variables/torch.py"), "supported_ctx_manager_classes")
    names = [ast.unparse(e) for lst in ast.walk(node) if isinstance(lst, ast.List) for e in lst.elts]
    return sorted({name.removesuffix(".__wrapped__") for name in names})


def _is_torch_name(node: ast.AST) -> bool:
    return isinstance(node, ast.Attribute) and ast.unparse(node).startswith("torch.")


def polyfilled(torch: Folder) -> list[str]:
    """Return the functions that ``@substitute_in_graph`` replaces in the polyfill modules that are loaded."""
    folder = torch / "_dynamo/polyfills"
    found: set[str] = set()
    for module in strings(assigned(parse(folder / "loader.py"), "POLYFILLED_MODULE_NAMES")):
        path = folder / f"{module}.py"
        if path.is_file():
            found.update(_substituted(parse(path)))
    return sorted(found)


def _substituted(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "substitute_in_graph" and node.args:
            name = ast.unparse(node.args[0])
            if re.fullmatch(r"[\w.]+", name):
                yield name if "." in name else f"builtins.{name}"


def config_defaults(torch: Folder) -> dict[str, object]:
    """Return the literal defaults in ``_dynamo/config.py``, including ``Config(default=...)`` and ``set()``."""
    defaults: dict[str, object] = {}
    for node in parse(torch / "_dynamo/config.py").body:
        target = node.targets[0] if isinstance(node, ast.Assign) else getattr(node, "target", None)
        value = getattr(node, "value", None)
        if isinstance(target, ast.Name) and isinstance(value, ast.expr) and not target.id.startswith("_"):
            found, default = _default(value)
            if found:
                defaults[target.id] = default
    return defaults


def config_names(torch: Folder) -> dict[str, str]:
    """Return every setting of ``_dynamo/config.py`` with the setting that it is an alias of (``Config(alias=...)``)."""
    names: dict[str, str] = {}
    for node in ast.walk(parse(torch / "_dynamo/config.py")):
        target = node.targets[0] if isinstance(node, ast.Assign) else getattr(node, "target", None)
        if isinstance(node, (ast.Assign, ast.AnnAssign)):
            if isinstance(target, ast.Name) and not target.id.startswith("__"):
                names[target.id] = _alias(getattr(node, "value", None))
    return dict(sorted(names.items()))


def _alias(value: ast.expr | None) -> str:
    keywords = value.keywords if isinstance(value, ast.Call) else []
    found = [k.value.value for k in keywords if k.arg == "alias" and isinstance(k.value, ast.Constant)]
    return str(found[0]).rpartition(".")[2] if found else ""


def _default(value: ast.expr) -> tuple[bool, object]:
    if isinstance(value, ast.Call):
        if ast.unparse(value) == "set()":
            return True, []
        for keyword in value.keywords:
            if keyword.arg == "default":
                return _default(keyword.value)
        return False, None
    if isinstance(value, ast.Compare):
        return _environment_default(value)
    try:
        literal = ast.literal_eval(value)
    except ValueError:
        return False, None
    return isinstance(literal, (bool, int, float, str, type(None))), literal


def _environment_default(value: ast.Compare) -> tuple[bool, object]:
    """Evaluate ``os.environ.get("NAME", "0") == "1"`` for an unset variable."""
    call, expected = value.left, value.comparators[0]
    if not (isinstance(call, ast.Call) and isinstance(expected, ast.Constant)):
        return False, None
    if ast.unparse(call.func).endswith("environ.get"):
        unset = call.args[1].value if len(call.args) > 1 and isinstance(call.args[1], ast.Constant) else None
        equal = unset == expected.value
        return True, equal if isinstance(value.ops[0], ast.Eq) else not equal
    return False, None


def stub_returns(path: Folder, class_name: str | None = None) -> dict[str, set[str]]:
    """Return the return annotations of the functions or methods in a stub file; overloads are combined."""
    body: list[ast.stmt] = parse(path).body
    if class_name is not None:
        body = next(n.body for n in body if isinstance(n, ast.ClassDef) and n.name == class_name)
    found: dict[str, set[str]] = {}
    for node in body:
        if isinstance(node, ast.FunctionDef) and node.returns is not None:
            found.setdefault(node.name, set()).add(ast.unparse(node.returns))
    return found


def public_functions(path: Folder) -> list[str]:
    """Return the public names that a module defines or assigns at its top level."""
    names: set[str] = set()
    for node in parse(path).body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            names.add(node.name)
        elif isinstance(node, ast.Assign) and isinstance(node.value, (ast.Call, ast.Name, ast.Attribute)):
            names.update(t.id for t in node.targets if isinstance(t, ast.Name))
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            names.add(node.target.id)
    return sorted(n for n in names if not n.startswith("_") and not n.isupper() and n != "Tensor")


def numpy_names(torch: Folder) -> dict[str, list[str]]:
    """Return the names that ``torch._numpy`` has for numpy and its submodules; Dynamo traces exactly those."""
    folder = torch / "_numpy"
    found = {"numpy": set(_imported(folder, folder / "__init__.py"))}
    for module in ("fft", "linalg", "random"):
        found[f"numpy.{module}"] = {n for n in public_functions(folder / f"{module}.py") if n != "annotations"}
    # The random module also has helpers, so only the names in its __all__ count.
    found["numpy.random"] &= set(strings(assigned(parse(folder / "random.py"), "__all__")))
    return {module: sorted(names) for module, names in found.items()}


def _imported(folder: Folder, path: Folder) -> Iterator[str]:
    """Yield the public names of a module of ``torch._numpy``, following its relative star imports."""
    for node in parse(path).body:
        if isinstance(node, ast.ImportFrom) and node.level == 1 and node.module:
            source = folder / f"{node.module}.py"
            for alias in node.names:
                if alias.name == "*":
                    yield from _star(folder, source)
                else:
                    yield alias.asname or alias.name
        elif isinstance(node, ast.Assign):
            yield from (t.id for t in node.targets if isinstance(t, ast.Name) and not t.id.startswith("_"))


def _star(folder: Folder, source: Folder) -> Iterator[str]:
    """Yield the names that ``from .source import *`` binds; two modules bind their names in a loop over others."""
    if source.name == "_funcs.py":
        for module in ("_funcs_impl", "_reductions_impl"):
            yield from functions(folder / f"{module}.py")
        yield from ("index_exp", "s_", "mgrid", "ogrid")
    elif source.name == "_ufuncs.py":
        for module in ("_binary_ufuncs_impl", "_unary_ufuncs_impl"):
            yield from functions(folder / f"{module}.py")
        yield from ("divmod", "modf", "matmul", "ldexp")
    else:
        yield from public_functions(source)


def functions(path: Folder) -> Iterator[str]:
    """Yield the public functions that a module defines, assigns, or imports from torch."""
    tree = parse(path)
    yield from public_functions(path)
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module == "torch":
            yield from (alias.asname or alias.name for alias in node.names)


def nn_modules(torch: Folder) -> dict[str, str]:
    """Return every public class of ``torch.nn`` with the name of the file that defines it."""
    folder = torch / "nn/modules"
    return {
        alias.name: node.module
        for node in parse(folder / "__init__.py").body
        if isinstance(node, ast.ImportFrom) and node.module
        for alias in node.names
    }


def op_tags(torchgen: Folder) -> dict[str, set[str]]:
    """Return the operator names by tag, from ``packaged/ATen/native/native_functions.yaml``."""
    found: dict[str, set[str]] = {}
    for name, lines in _operators(torchgen):
        for line in lines:
            if line.startswith("  tags:"):
                for tag in re.findall(r"\w+", line.removeprefix("  tags:").partition("#")[0]):
                    found.setdefault(tag, set()).add(name)
    return found


def _operators(torchgen: Folder) -> Iterator[tuple[str, list[str]]]:
    """Yield each overload in ``native_functions.yaml``: the name of its operator and its lines."""
    blocks = read(torchgen / "packaged/ATen/native/native_functions.yaml").split("\n- func: ")
    for block in blocks[1:]:
        yield re.split(r"[(.]", block, maxsplit=1)[0], block.splitlines()


# Entries in native_functions.yaml for overloads whose result shape is known without running the kernel.
_SHAPE_KNOWN = re.compile(r"\n  structured(_delegate)?:|\n    [\w, ]*(Composite\w+|Meta)\b[\w, ]*:")
_SHAPES = ("_meta_registrations.py", "_subclasses/fake_impls.py", "_decomp/decompositions.py", "_refs")


def without_fake(site: Folder) -> list[str]:
    """Return the operators on the CPU whose result shape is not known without running them.

    These have no kernel in ``native_functions.yaml`` that computes the shape, and no Python code registers one.
    Dynamo runs them on zeros, which is not possible if a size is dynamic (GB0090).
    """
    known: set[str] = set()
    for text in _python(site / "torch", _SHAPES):
        known.update(re.findall(r"\baten\.(\w+)", text), re.findall(r"^def (\w+)", text, re.MULTILINE))
    found: set[str] = set()
    for name, lines in _operators(site / "torchgen"):
        text = "\n" + "\n".join(lines[1:])
        if "\n  dispatch:" not in text or _SHAPE_KNOWN.search(text):
            known.add(name)
        elif re.search(r"\n    [\w, ]*\bCPU\b", text):
            found.add(name)
    return sorted(n for n in found if not n.startswith("_") and not {n, n.rstrip("_")} & known)


def _python(folder: Folder, names: Iterable[str]) -> Iterator[str]:
    """Yield the texts of modules, and of every module below the named folders."""
    for name in names:
        path = folder / name
        if path.is_file():
            yield read(path)
        elif "." not in name:
            yield from _python(path, [child.name for child in path.iterdir() if child.name != "__pycache__"])
