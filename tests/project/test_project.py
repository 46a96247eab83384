from __future__ import annotations

import ast
from pathlib import Path

import pytest

from gblint.diagnostics.report import FileError
from gblint.project.environment import Environment
from gblint.project.modules import Module
from gblint.project.project import Project, find_root
from tests.project.trees import EMPTY, grow, project, site


def named(found: Project) -> dict[str, str]:
    root = found.root
    return {module.path.relative_to(root).as_posix(): module.name for module in found.user_modules()}


def find(found: Project, name: str, importer: str | None = None) -> str | None:
    origin = None if importer is None else at(found, importer)
    module = found.find_module(name, origin)
    return None if module is None else module.path.relative_to(found.root).as_posix()


def at(found: Project, path: str) -> Module:
    module = found.module_at(found.root / path)
    assert module is not None
    return module


def test_names_in_each_layout(tmp_path: Path) -> None:
    found = project(
        tmp_path,
        {
            "pyproject.toml": "",
            "flat/__init__.py": "",
            "flat/a.py": "",
            "flat/sub/__init__.py": "",
            "src/inner/__init__.py": "",
            "src/inner/b.py": "",
            "src/ns/part/c.py": "",
            "scripts/train.py": "",
            "my-scripts/eval.py": "",
            "mono/one/one/__init__.py": "",
            "tests/conftest.py": "",
            "top.py": "",
        },
    )
    assert named(found) == {
        "flat/__init__.py": "flat",
        "flat/a.py": "flat.a",
        "flat/sub/__init__.py": "flat.sub",
        "src/inner/__init__.py": "inner",
        "src/inner/b.py": "inner.b",
        "src/ns/part/c.py": "ns.part.c",
        "scripts/train.py": "scripts.train",
        "my-scripts/eval.py": "eval",
        "mono/one/one/__init__.py": "one",
        "tests/conftest.py": "tests.conftest",
        "top.py": "top",
    }
    for path, name in named(found).items():
        assert find(found, name) == path


def test_src_that_is_itself_a_package(tmp_path: Path) -> None:
    found = project(tmp_path, {"pyproject.toml": "", "src/__init__.py": "", "src/a.py": ""})
    assert named(found) == {"src/__init__.py": "src", "src/a.py": "src.a"}


def test_configured_src(tmp_path: Path) -> None:
    grow(tmp_path, {"pyproject.toml": "", "python/ns/a.py": ""})
    found = Project([tmp_path], environment=EMPTY, src=[Path("python")])
    assert named(found) == {"python/ns/a.py": "ns.a"}
    assert find(found, "ns.a") == "python/ns/a.py"


def test_root_that_is_itself_a_package(tmp_path: Path) -> None:
    root = grow(tmp_path / "nodes", {"pyproject.toml": "", "__init__.py": "", "a.py": ""})
    found = Project([root], environment=EMPTY)
    assert [module.name for module in found.user_modules()] == ["nodes", "nodes.a"]
    assert found.find_module("nodes.a") is found.module_at(root / "a.py")


def test_scripts_of_the_same_name_find_their_neighbours(tmp_path: Path) -> None:
    files = {f"{folder}/{name}.py": "" for folder in ("a", "b", "c-d") for name in ("train", "common")}
    found = project(tmp_path, {"pyproject.toml": "", "e-f/train.py": "", **files})
    assert len({at(found, path) for path in named(found)}) == 7
    assert at(found, "c-d/train.py").name == at(found, "e-f/train.py").name == "train"
    for folder in ("a", "b", "c-d"):
        assert find(found, "common", f"{folder}/train.py") == f"{folder}/common.py"
    assert find(found, "a.common", "b/train.py") == "a/common.py"


def test_relative_imports_between_folders_without_init(tmp_path: Path) -> None:
    found = project(tmp_path, {"pyproject.toml": "", "ns/pkg/__init__.py": "", "ns/pkg/a.py": "", "ns/other.py": ""})
    module = at(found, "ns/pkg/a.py")
    assert module.name == "pkg.a"
    assert module.resolve_relative(1, "b") == "pkg.b"
    assert module.resolve_relative(2, "other") == "ns.other"
    assert find(found, "ns.other", "ns/pkg/a.py") == "ns/other.py"
    assert found.find_module("ns.pkg.a") is module


def test_paths_inside_site_packages(tmp_path: Path) -> None:
    environment = site(tmp_path, {"diff/__init__.py": "", "diff/a/b.py": "", "torch/__init__.py": ""})
    grow(tmp_path, {"pyproject.toml": ""})
    found = Project([environment.search_path[0] / "diff"], environment=EMPTY)
    assert found.root == environment.search_path[0]
    assert named(found) == {"diff/__init__.py": "diff", "diff/a/b.py": "diff.a.b"}
    assert find(found, "torch") == "torch/__init__.py"
    torch = found.find_module("torch")
    assert torch is not None
    assert torch.origin == "library"


def test_installed_packages(tmp_path: Path) -> None:
    environment = site(
        tmp_path,
        {
            "torch/__init__.py": "",
            "torch/_C.cpython-312-x86_64-linux-gnu.so": "",
            "torch/nn/__init__.py": "",
            "fast/__init__.pyd": "",
            "fast/slow.py": "",
            "both.py": "",
            "both.abi3.so": "",
            "compiled.pyc": "",
            "stubs/__init__.pyi": "",
            "only.pyi": "",
            "ns/x.py": "",
        },
    )
    found = project(tmp_path / "p", {"a.py": "", "torch/notes.txt": ""}, environment)
    kinds = {
        name: found.module_exists(name)
        for name in "torch torch._C torch.nn torch.no fast fast.slow both compiled stubs only ns ns.x no sys".split()
    }
    assert kinds == {
        "torch": "source",
        "torch._C": "extension",
        "torch.nn": "source",
        "torch.no": "missing",
        "fast": "extension",
        "fast.slow": "source",
        "both": "extension",
        "compiled": "extension",
        "stubs": "namespace",
        "only": "missing",
        "ns": "namespace",
        "ns.x": "source",
        "no": "missing",
        "sys": "extension",
    }
    assert found.find_module("torch._C") is None
    assert found.find_module("no") is None
    assert found.find_module("torch") is found.find_module("torch")
    assert list(found.submodules(found.find_module("torch") or at(found, "a.py"))) == ["nn"]


@pytest.mark.parametrize("name", ["", ".", "a..b", ".a", "a.", "a-b", "a b", "../x", "a\0b"])
def test_invalid_module_names_are_missing(tmp_path: Path, name: str) -> None:
    assert project(tmp_path, {"a.py": ""}).module_exists(name) == "missing"


def test_namespace_package_over_two_folders(tmp_path: Path) -> None:
    one, two = site(tmp_path / "1", {"ns/a.py": ""}), site(tmp_path / "2", {"ns/b/__init__.py": ""})
    environment = Environment(None, None, one.search_path + two.search_path)
    found = project(tmp_path / "p", {"main.py": ""}, environment)
    assert found.module_exists("ns") == "namespace"
    assert found.find_module("ns.a") is not None
    assert found.find_module("ns.b") is not None


def test_standard_library() -> None:
    found = Project([], environment=Environment.discover(None, Path("/nowhere")))
    assert (found.find_module("os.path") or pytest.fail()).name in ("posixpath", "ntpath")
    assert found.module_exists("collections.abc") == "source"
    assert found.module_exists("math") == "extension"


def test_project_comes_first_but_not_for_libraries(tmp_path: Path) -> None:
    environment = site(tmp_path, {"shared.py": "", "lib/__init__.py": ""})
    found = project(tmp_path / "p", {"shared.py": "", "main.py": ""}, environment)
    library = found.find_module("lib")
    own = found.find_module("shared")
    assert own is found.module_at(tmp_path / "p/shared.py")
    assert found.find_module("shared", library) is found.module_at(environment.search_path[0] / "shared.py")


def test_editable_install(tmp_path: Path) -> None:
    grow(tmp_path, {"elsewhere/code/__init__.py": "", "elsewhere/code/sub.py": ""})
    environment = Environment(None, None, (), (("mine", tmp_path / "elsewhere/code"),))
    found = project(tmp_path / "p", {"main.py": ""}, environment)
    module = found.find_module("mine.sub")
    assert module is not None
    assert (module.name, module.origin) == ("mine.sub", "library")
    assert found.find_module(module.name) is module


def test_origins_and_follow(tmp_path: Path) -> None:
    environment = site(tmp_path, {"lib/__init__.py": "", "lib/a.py": "", "lib/b/c.py": "", "library.py": ""})
    grow(tmp_path, {"p/main.py": "", "p/other.py": ""})
    found = Project([tmp_path / "p/main.py"], environment=environment, follow=["lib", "nope"])
    origins = {
        name: module.origin
        for name in ("main", "other", "lib", "lib.a", "library")
        for module in [found.find_module(name)]
        if module is not None
    }
    assert origins == {
        "main": "user",
        "other": "library",
        "lib": "follow",
        "lib.a": "follow",
        "library": "library",
    }
    (error,) = found.errors
    assert error.path == "nope"
    assert "--follow" in error.message


def test_files_are_read_on_demand(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = project(tmp_path, {"a/__init__.py": "x = 1", "a/b.py": "y = 2"})

    def refuse(*_: object, **__: object) -> bytes:
        raise AssertionError

    with monkeypatch.context() as patch:
        patch.setattr(Path, "read_bytes", refuse)
        modules = list(found.user_modules())
        assert found.find_module("a.b") in modules
        assert list(found.submodules(modules[0])) == ["b"]
    assert list(modules[0].symbols) == ["x"]


def test_errors_are_sorted_and_unique(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    grow(tmp_path, {"b.py": "x = (\n", "c.py": "print 'x'\n", "empty.py": "", "fine.py": "x = 1\n"})
    (tmp_path / "a.py").write_bytes(b"x = 1\ny = '\xff'\n")
    found = Project([Path(), Path("gone"), Path("gone")], environment=EMPTY)
    for _ in range(2):
        for module in found.user_modules():
            assert isinstance(module.tree, ast.Module)
            module.release()
    assert [(error.path, error.line) for error in found.errors] == [("a.py", 2), ("b.py", 1), ("c.py", 1), ("gone", 0)]
    assert found.errors[0] == FileError("a.py", 2, "not valid UTF-8: byte 0xff")


def test_errors_in_libraries_are_not_reported(tmp_path: Path) -> None:
    environment = site(tmp_path, {"bad.py": "x = (\n"})
    found = project(tmp_path / "p", {"main.py": ""}, environment)
    module = found.find_module("bad")
    assert module is not None
    assert module.tree.body == []
    assert module.error is not None
    assert found.errors == []


def test_display(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    grow(tmp_path, {"here/a/b.py": "", "there/c.py": ""})
    monkeypatch.chdir(tmp_path / "here")
    found = Project([Path("a"), tmp_path / "there"], environment=EMPTY)
    assert [module.display for module in found.user_modules()] == ["a/b.py", (tmp_path / "there/c.py").as_posix()]


def test_overlays(tmp_path: Path) -> None:
    grow(tmp_path, {"a.py": "old = 1\n"})
    found = Project(
        [tmp_path / "a.py", tmp_path / "unsaved.py"],
        environment=EMPTY,
        overlays={tmp_path / "a.py": "new = 1\r\n", tmp_path / "unsaved.py": "fresh = 1\n"},
    )
    assert [list(module.symbols) for module in found.user_modules()] == [["new"], ["fresh"]]
    assert found.errors == []


def test_module_at_through_a_link(tmp_path: Path) -> None:
    found = project(tmp_path / "p", {"a.py": ""})
    (tmp_path / "link").symlink_to(tmp_path / "p")
    assert found.module_at(tmp_path / "link/a.py") is found.module_at(tmp_path / "p/a.py")
    assert found.module_at(tmp_path / "p/none.py") is None


def test_find_root(tmp_path: Path) -> None:
    grow(tmp_path, {"repo/pyproject.toml": "", "repo/a/b.py": "", "plain/pkg/__init__.py": "", "plain/pkg/x.py": ""})
    assert find_root([tmp_path / "repo/a/b.py"]) == tmp_path / "repo"
    assert find_root([tmp_path / "plain/pkg/x.py"]) == tmp_path / "plain"
    assert find_root([tmp_path / "plain/pkg", tmp_path / "plain"]) == tmp_path / "plain"
    assert find_root([]) == Path.cwd()
