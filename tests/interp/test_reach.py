"""Reach: how far breaks are reached, and the undecided conditions on the path to them."""

from __future__ import annotations

import pytest

from tests.interp.snippets import confidences, ways


def _of(body: str, parameters: str = "x: torch.Tensor", before: str = "") -> dict[int, tuple[str, list[str]]]:
    """Return the ways in a function ``f`` with this body; its lines count from 1."""
    lines = "\n".join("    " + line for line in body.strip("\n").splitlines())
    head = f"import torch\n{before}\ndef f({parameters}):\n"
    shift = head.count("\n")
    return {line - shift: way for line, way in ways(head + lines + "\n    return x\n", "f").items()}


def _of_module(init: str, body: str, parameters: str = "") -> dict[int, tuple[str, list[str]]]:
    """Return the ways in the ``forward`` of a module, whose lines count from 1, with this constructor."""
    head = (
        "import torch\n"
        f"class Net(torch.nn.Module):\n    def __init__(self{parameters}):\n        super().__init__()\n"
        + "".join(f"        {line}\n" for line in init.strip("\n").splitlines())
        + "    def forward(self, x: torch.Tensor):\n"
    )
    lines = "".join(f"        {line}\n" for line in body.strip("\n").splitlines())
    shift = head.count("\n")
    return {line - shift: way for line, way in ways(head + lines + "        return x\n", "Net").items()}


def test_break_without_conditions_is_always_reached() -> None:
    assert _of("x = x + x.sum().item()") == {1: ("always", [])}


def test_sizes_are_undecided_and_stand_in_the_conditions() -> None:
    assert _of("if x.shape[0] > 3:\n    print(x)") == {2: ("input", ["x.shape[0] > 3 holds"])}


def test_both_training_modes_are_regular() -> None:
    found = _of_module("", "if self.training:\n    print(x)\nelse:\n    print(x)")
    assert found == {2: ("always", ["self.training holds"]), 4: ("always", ["self.training fails"])}


def test_optional_argument_is_an_option() -> None:
    found = _of("if mask is not None:\n    print(x)\nelse:\n    print(x)", "x: torch.Tensor, mask=None")
    assert found == {2: ("option", ["mask is not None holds"]), 4: ("default", ["mask is not None fails"])}


def test_declared_default_of_an_argument() -> None:
    found = _of("if flag:\n    print(x)\nif not flag:\n    print(x)", "x: torch.Tensor, flag: bool = False")
    assert found == {2: ("option", ["flag holds"]), 4: ("default", ["flag fails"])}


@pytest.mark.parametrize(
    ("test", "reach"),
    [
        ("n > 0", "option"),
        ("n == 0", "default"),
        ("n >= 1", "option"),
        ("n < 1", "default"),
        ("n != 0", "option"),
        ("n", "option"),
        ("not n", "default"),
        ("n <= 0", "default"),
    ],
)
def test_default_number_of_a_constructor(test: str, reach: str) -> None:
    found = _of_module("self.n = n", f"n = self.n\nif {test}:\n    print(x)", ", n: int = 0")
    assert found[3][0] == reach


def test_default_of_a_configuration_class() -> None:
    source = """
        import torch
        from dataclasses import dataclass
        @dataclass
        class Config:
            debug: bool = False
            fast: bool = True
            window: int | None = None
        class Net(torch.nn.Module):
            def __init__(self, config: Config):
                super().__init__()
                self.config = config
            def forward(self, x: torch.Tensor):
                if self.config.debug:
                    print(x)
                if self.config.fast:
                    print(x)
                if self.config.window is not None:
                    print(x)
                return x
    """
    found = ways(source, "Net")
    assert [found[line][0] for line in (15, 17, 19)] == ["option", "default", "option"]


def test_argument_that_falls_back_to_a_configuration() -> None:
    init = "self.attentions = attentions"
    body = "flag = None if x.shape[0] > 3 else True\nflag = flag if flag is not None else self.attentions"
    found = _of_module(init, f"{body}\nif self.attentions:\n    print(x)", ", attentions: bool = False")
    assert found == {4: ("option", ["self.attentions holds"])}


def test_optional_argument_that_is_replaced_by_a_default() -> None:
    source = """
        import torch
        class Net(torch.nn.Module):
            def __init__(self, verbose: bool = False):
                super().__init__()
                self.verbose = verbose
            def forward(self, x: torch.Tensor, show: bool | None = None, more: bool | None = None):
                show = show if show is not None else self.verbose
                if more is None:
                    more = self.verbose
                if show:
                    print(x)
                if more:
                    print(x)
                if not more:
                    print(x)
                return x
    """
    found = ways(source, "Net")
    assert [found[line][0] for line in (12, 14, 16)] == ["option", "option", "default"]


def test_branch_that_raises_is_an_error() -> None:
    found = _of("if x.shape[0] > 3:\n    print(x)\n    raise ValueError\nprint(x)")
    assert found == {2: ("error", ["x.shape[0] > 3 holds"]), 4: ("always", [])}


def test_other_branch_of_one_that_raises_is_regular() -> None:
    found = _of("if x.shape[0] > 3:\n    print(x)\nelse:\n    raise ValueError")
    assert found == {2: ("always", [])}


def test_message_of_an_assertion_is_an_error() -> None:
    found = _of("n = x.max().item()\nassert x.shape[0] > 3, f'{print(x)}'")
    assert found[1] == ("always", [])


def test_handler_is_an_error() -> None:
    found = _of("try:\n    x = g(x)\nexcept ValueError:\n    print(x)", before="from somewhere import g")
    assert found[4] == ("error", ["except ValueError holds"])


def test_handler_of_a_missing_import_is_regular() -> None:
    found = _of("try:\n    import nowhere_to_be_found\nexcept ImportError:\n    print(x)\nprint(x)")
    assert found[4][0] == "always"
    assert found[5][0] == "always"


def test_early_return_guards_the_rest() -> None:
    found = _of("if x.shape[0] > 3:\n    return x\nprint(x)")
    assert found == {3: ("input", ["x.shape[0] > 3 fails"])}


def test_early_return_by_an_option() -> None:
    found = _of("if not flag:\n    return x\nprint(x)", "x: torch.Tensor, flag: bool = False")
    assert found == {3: ("option", ["flag holds"])}


def test_return_in_both_branches_of_a_branch_guards_the_rest() -> None:
    body = "if x.shape[0] > 3:\n    if x.shape[1] > 3:\n        return x\n    return x + 1\nprint(x)"
    assert _of(body) == {5: ("input", ["x.shape[0] > 3 fails"])}


def test_continue_guards_the_rest_of_the_loop_only() -> None:
    body = "for n in range(3):\n    if x.shape[n] > 3:\n        continue\n    print(x)\nprint(x)"
    assert _of(body) == {4: ("input", ["x.shape[n] > 3 fails"]), 5: ("always", [])}


def test_operands_of_and_are_conditions_of_their_own() -> None:
    found = _of("if x.shape[0] > 3 and flag:\n    print(x)", "x: torch.Tensor, flag: bool = False")
    assert found == {2: ("option", ["x.shape[0] > 3 holds", "flag holds"])}


def test_operands_of_or_are_conditions_where_it_fails() -> None:
    found = _of("if x.shape[0] > 3 or flag:\n    return x\nprint(x)", "x: torch.Tensor, flag: bool = False")
    assert found == {3: ("input", ["x.shape[0] > 3 fails", "flag fails"])}


def test_or_holds_on_the_easiest_way() -> None:
    found = _of("if x.shape[0] > 3 or flag:\n    print(x)", "x: torch.Tensor, flag: bool = False")
    assert found == {2: ("input", ["x.shape[0] > 3 or flag holds"])}


def test_second_operand_runs_under_the_first() -> None:
    found = _of("y = flag and print(x)\nz = flag or print(x)", "x: torch.Tensor, flag: bool = False")
    assert found == {1: ("option", ["flag holds"]), 2: ("default", ["flag fails"])}


def test_conditional_expression() -> None:
    found = _of("y = print(x) if flag else x\nz = x if flag else print(x)", "x: torch.Tensor, flag: bool = False")
    assert found == {1: ("option", ["flag holds"]), 2: ("default", ["flag fails"])}


def test_condition_of_a_comprehension() -> None:
    found = _of("y = [print(x) for n in range(3) if x.shape[n] > 3]")
    assert found == {1: ("input", ["x.shape[n] > 3 holds"])}


def test_while() -> None:
    found = _of("n = x.shape[0]\nwhile n > 3:\n    print(x)\n    n = n // 2\nprint(n)")
    assert found[3] == ("default", ["n > 3 holds"])
    assert found[5] == ("always", [])


def test_match() -> None:
    found = _of("match x.shape[0]:\n    case 3:\n        print(x)")
    assert found == {3: ("input", ["case 3 holds"])}


def test_conditions_along_the_calls() -> None:
    source = """
        import torch
        def f(x: torch.Tensor, flag: bool = False):
            if flag:
                g(x)
            return x
        def g(x):
            if x.shape[0] > 3:
                print(x)
    """
    assert ways(source, "f") == {9: ("option", ["flag holds", "x.shape[0] > 3 holds"])}


def test_easiest_of_several_ways() -> None:
    source = """
        import torch
        def f(x: torch.Tensor, flag: bool = False):
            if flag:
                g(x)
            if x.shape[0] > 3:
                h(x)
            return x
        def h(x):
            g(x)
        def g(x):
            print(x)
    """
    assert ways(source, "f") == {12: ("input", ["x.shape[0] > 3 holds"])}


def test_place_that_is_passed_twice() -> None:
    body = "for n in (1, 2):\n    if n == 1 or flag:\n        print(x)"
    assert _of(body, "x: torch.Tensor, flag: bool = False") == {3: ("always", [])}


def test_module_that_a_configuration_chooses() -> None:
    source = """
        import torch
        class A(torch.nn.Module):
            def forward(self, x):
                print(x)
                return x
        class B(torch.nn.Module):
            def forward(self, x):
                print(x)
                return x
        class Net(torch.nn.Module):
            def __init__(self, stable: bool = False):
                super().__init__()
                if stable:
                    self.encoder = A()
                else:
                    self.encoder = B()
                self.adapter = A() if stable else None
            def forward(self, x: torch.Tensor):
                x = self.encoder(x)
                if self.adapter is not None:
                    print(x)
                return x
    """
    assert ways(source, "Net") == {
        5: ("option", ["self.encoder is A holds"]),
        9: ("default", ["self.encoder is B holds"]),
        22: ("option", ["self.adapter is not None holds"]),
    }


def test_class_that_an_option_chooses() -> None:
    before = (
        "class Plain(torch.nn.Module):\n    def forward(self, x):\n        return x + x.sum().item()\n"
        "class Reversible(torch.nn.Module):\n    def forward(self, x):\n        return x + x.max().item()\n"
        "class Net(torch.nn.Module):\n    def __init__(self, reversible=False):\n        super().__init__()\n"
        "        made = Reversible if reversible else Plain\n        self.layers = made()\n"
        "    def forward(self, x: torch.Tensor):\n        return self.layers(x)\n"
    )
    found = ways("import torch\n" + before, "Net")
    assert {line: way for line, (way, _) in found.items()} == {4: "default", 7: "option"}


def test_name_of_an_implementation_is_an_option() -> None:
    found = _of_module(
        "self.kind = config.kind", 'if self.kind == "dynamic":\n    print(x)\nelse:\n    print(x)', ", config"
    )
    assert found[2] == ("option", ['self.kind == "dynamic" holds'])
    assert found[4] == ("default", ['self.kind == "dynamic" fails'])


def test_warning_is_no_regular_way() -> None:
    found = _of(
        "if x.shape[0] > 3:\n    log.warning(f'{x}')", before="import logging\nlog = logging.getLogger(__name__)"
    )
    assert {way[0] for way in found.values()} == {"option"}


def test_what_needs_an_option_or_an_error_is_not_certain() -> None:
    source = """
        import torch
        def f(x: torch.Tensor, mask=None, flag: bool = True):
            if mask is not None:
                print(x)
            if flag:
                print(x)
            if x.shape[0] > 3:
                print(x)
                raise ValueError
            return x
    """
    assert confidences(source, "f") == {5: "likely", 7: "certain", 9: "likely"}


def test_text_of_a_long_condition_is_one_short_line() -> None:
    found = _of("if x.shape[0] > (\n    3\n    + " + "1 + " * 60 + "1\n):\n    print(x)")
    (text,) = next(iter(found.values()))[1]
    assert "\n" not in text
    assert len(text) <= 130


def test_condition_that_narrows_keeps_what_is_usual() -> None:
    body = "if (a is not None or b is not None) and x.shape[0] > 3:\n    x = x + 1\nif a is not None:\n    print(x)"
    assert _of(body, "x: torch.Tensor, a=None, b=None") == {4: ("option", ["a is not None holds"])}


def test_method_that_a_class_decorator_replaces() -> None:
    source = """
        import torch
        from somewhere import choose
        def fast(cls):
            written = cls.forward
            def forward(self, x):
                return choose(self.kind, written)(self, x)
            cls.forward = forward
            return cls
        def timed(cls):
            written = cls.forward
            def forward(self, x):
                return written(self, x)
            cls.forward = forward
            return cls
        @fast
        class A(torch.nn.Module):
            def forward(self, x):
                print(x)
                return x
        @timed
        class B(torch.nn.Module):
            def forward(self, x):
                print(x)
                return x
        class Net(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.a, self.b = A(), B()
            def forward(self, x: torch.Tensor):
                return self.b(self.a(x))
    """
    assert ways(source, "Net") == {19: ("option", ["fast is A.forward holds"]), 24: ("always", [])}


def test_what_is_left_out_by_default_needs_an_option() -> None:
    source = """
        import torch
        class Config:
            def __init__(self, **kwargs):
                self.words = kwargs.pop("words", None)
        def f(x: torch.Tensor, config: Config, keep: int | torch.Tensor = 0):
            if config.words is not None:
                x = x + x.item()
            if isinstance(keep, torch.Tensor):
                x = x[keep > 0]
            return x
    """
    assert {line: reach for line, (reach, _) in ways(source, "f").items()} == {8: "option", 10: "option"}


def test_one_of_several_objects_is_passed() -> None:
    source = """
        import torch
        class A:
            def step(self, x: torch.Tensor):
                return x.item()
        class B:
            def step(self, x: torch.Tensor):
                return x
        def f(x: torch.Tensor, scheduler: A | B):
            return scheduler.step(x)
    """
    assert ways(source, "f") == {5: ("default", ["scheduler.step is A holds"])}


def test_an_unknown_value_is_mostly_not_none() -> None:
    source = """
        import torch
        def f(x: torch.Tensor, plans: dict):
            plan = plans["first"]
            if plan is None:
                return x.item()
            return x
    """
    assert ways(source, "f") == {6: ("option", ["plan is None holds"])}


@pytest.mark.parametrize("keep", ["e, _ = (e, 1)", "e = same(e)", "e, _ = pair(e)", "e, _ = both(x, e)"])
def test_optional_argument_stays_one_through_calls_and_tuples(keep: str) -> None:
    source = f"""
        import torch
        def same(e):
            return e
        def pair(e):
            return e, 1
        def both(x, e):
            if e is not None:
                old = e
                def e(t):
                    return old(t)
            if x.shape[0] > 3:
                x = x + 1
                if e is not None:
                    e = list(e)
            return e, x
        def f(x: torch.Tensor, *, e=None):
            {keep}
            if e is not None:
                print(x)
            return x
    """
    assert ways(source, "f")[20] == ("option", ["e is not None holds"])


_RECORDING = """
        import functools
        import inspect
        import torch
        def record(init):
            @functools.wraps(init)
            def wrapper(self, *args, **kwargs):
                names = list(inspect.signature(init).parameters)
                self.config = Config({**dict(zip(names, args)), **kwargs})
                init(self, *args, **kwargs)
            return wrapper
"""


def test_arguments_that_a_decorator_of_the_constructor_records() -> None:
    source = f"""{_RECORDING}
        class Net(torch.nn.Module):
            @record
            def __init__(self, fast: bool = False, kind: str = "a", size: int | None = None, own=True):
                super().__init__()
            def forward(self, x: torch.Tensor):
                if self.config.fast:
                    print(x)
                if self.config.kind == "a":
                    print(x)
                if self.config.kind == "b":
                    print(x)
                if self.config.size is not None:
                    print(x)
                if self.config.other:
                    print(x)
                return x
    """
    assert [reach for reach, _ in ways(source, "Net").values()] == ["option", "default", "option", "option", "input"]


def test_hyperparameters_that_a_constructor_saves() -> None:
    source = """
        import torch
        class Net(torch.nn.Module):
            def __init__(self, fast: bool = False):
                super().__init__()
                self.save_hyperparameters()
            def forward(self, x: torch.Tensor):
                if self.hparams.fast:
                    print(x)
                if self.settings.fast:
                    print(x)
                return x
    """
    assert [reach for reach, _ in ways(source, "Net").values()] == ["option", "input"]


def test_configuration_that_is_an_argument_is_no_record() -> None:
    source = f"""{_RECORDING}
        class Net(torch.nn.Module):
            @record
            def __init__(self, config, fast: bool = False):
                super().__init__()
                self.config = config
            def forward(self, x: torch.Tensor):
                if self.config.fast:
                    print(x)
                return x
    """
    assert [reach for reach, _ in ways(source, "Net").values()] == ["input"]


@pytest.mark.parametrize(
    ("test", "reach"),
    [
        ("isinstance(m, A)", "option"),
        ("isinstance(m, (A, B))", "option"),
        ("not isinstance(m, A)", "default"),
        ("isinstance(m, torch.nn.Linear)", "input"),
    ],
)
def test_special_class_is_an_option(test: str, reach: str) -> None:
    source = f"""
        import torch
        class A(torch.nn.Module):
            pass
        class B(torch.nn.Module):
            pass
        class Net(torch.nn.Module):
            def __init__(self, *parts):
                super().__init__()
                self.parts = torch.nn.ModuleList(parts)
            def forward(self, x: torch.Tensor):
                for m in self.parts:
                    if {test}:
                        print(x)
                return x
    """
    assert ways(source, "Net")[14][0] == reach


def test_classes_of_an_annotation_are_regular() -> None:
    source = """
        import torch
        class A:
            pass
        class B:
            pass
        def f(x: torch.Tensor, part: A | B, parts: list[torch.Tensor] | torch.Tensor):
            if isinstance(part, A):
                print(x)
            if isinstance(parts, list):
                print(x)
            return x
    """
    assert {line: reach for line, (reach, _) in ways(source, "f").items()} == {9: "input", 11: "input"}


@pytest.mark.parametrize(
    ("test", "reach"),
    [
        ('parts.get("a") is not None', "option"),
        ('"a" in parts', "option"),
        ("parts", "option"),
        ("len(parts) > 0", "option"),
        ('parts.get("a") is None', "default"),
        ("not parts", "default"),
    ],
)
def test_entry_that_one_branch_stores(test: str, reach: str) -> None:
    body = f'parts = {{}}\nif extra is not None:\n    parts["a"] = x\nif {test}:\n    print(x)'
    assert _of(body, "x: torch.Tensor, extra=None")[5][0] == reach


@pytest.mark.parametrize("test", ['parts.get("a") is not None', '"a" in parts', "parts", "len(parts) > 0"])
def test_entry_that_a_branch_stores_which_sizes_decide(test: str) -> None:
    body = f'parts = {{}}\nif x.shape[0] > 3:\n    parts["a"] = x\nif {test}:\n    print(x)'
    assert _of(body)[5][0] == "input"


def test_entry_that_both_branches_store_is_there() -> None:
    body = 'p = {}\nif x.shape[0] > 3:\n    p["a"] = x\nelse:\n    p["a"] = 1\nif "a" in p:\n    print(x)'
    assert _of(body)[7] == ("always", [])


def test_entry_that_is_stored_again_is_there() -> None:
    body = 'parts = {}\nif x.shape[0] > 3:\n    parts["a"] = x\nparts["a"] = x\nif parts:\n    print(x)'
    assert _of(body)[6] == ("always", [])


def test_configuration_of_which_an_argument_tells_only_the_base_class() -> None:
    source = """
        import torch
        from dataclasses import dataclass
        class Base:
            pass
        @dataclass
        class Text(Base):
            drop: float | int = 0.0
            adapter: bool = False
        @dataclass
        class Whole(Base):
            text: dict | Base | None = None
            def __post_init__(self):
                if isinstance(self.text, dict):
                    self.text = Text(**self.text)
                elif self.text is None:
                    self.text = Text()
        class Decoder(torch.nn.Module):
            def __init__(self, config: Text):
                super().__init__()
                self.drop = config.drop
                self.adapter = torch.nn.Linear(2, 2) if config.adapter else None
            def forward(self, x):
                if self.drop > 0.0:
                    print(x)
                if self.adapter is not None:
                    print(x)
                if self.adapter is None:
                    print(x)
                return x
        class Net(torch.nn.Module):
            def __init__(self, config: Whole):
                super().__init__()
                self.decoder = Decoder(config.text)
            def forward(self, x: torch.Tensor):
                return self.decoder(x)
    """
    assert [reach for reach, _ in ways(source, "Net").values()] == ["option", "option", "default"]


def test_object_that_is_no_more_than_alike_stays_what_it_is() -> None:
    source = """
        import torch
        class Base(torch.nn.Module):
            def forward(self, x):
                return x
        class Other(torch.nn.Module):
            def forward(self, x):
                print(x)
                return x
        def g(x, part: Base):
            return part(x)
        def f(x: torch.Tensor):
            return g(x, Other())
    """
    assert ways(source, "f") == {8: ("always", [])}


@pytest.mark.parametrize(
    ("test", "reach"),
    [
        ("x.shape[0] > 0", "default"),
        ("0 < x.shape[0]", "default"),
        ("len(x) != 1", "default"),
        ("x.shape[0] == 1", "option"),
        ("x.shape[0] < 1", "option"),
        ("x.shape[0] < 7", "input"),
        ("x.numel() == 0", "option"),
        ("x.shape[0] % 8 == 0", "input"),
        ("x.shape[0] % 8 != 0", "input"),
        ("x.grad is None", "option"),
        ("x.grad is not None", "default"),
    ],
)
def test_what_is_empty_is_an_exception(test: str, reach: str) -> None:
    assert _of(f"if {test}:\n    print(x)")[2][0] == reach


@pytest.mark.parametrize("test", ["self.calls % self.every == 0", "self.calls == 1", "self.calls > 3"])
def test_counter_that_each_call_raises_decides(test: str) -> None:
    found = _of_module(
        "self.calls = 0\nself.every = every", f"self.calls += 1\nif {test}:\n    print(x)", ", every: int = 4"
    )
    assert found[3][0] == "input"


@pytest.mark.parametrize(
    ("test", "reach"),
    [
        ('mode.lower() == "fast"', "option"),
        ('mode.strip().lower() == "slow"', "default"),
        ('mode.startswith("sl")', "default"),
        ('"a" in mode.replace("o", "a")', "default"),
    ],
)
def test_methods_of_text_keep_the_default(test: str, reach: str) -> None:
    found = _of(f"if {test}:\n    print(x)", "x: torch.Tensor, mode: str = 'slow'")
    assert found[2][0] == reach


def test_the_test_of_a_loop_mostly_holds_once() -> None:
    assert _of("n = x.shape[0]\nwhile n > 7:\n    print(n)\n    n = n // 2")[3][0] == "default"


def test_training_compared_with_true_is_either() -> None:
    source = """
import torch

class Net(torch.nn.Module):
    def forward(self, x):
        if self.training is True:
            print(x)
        return x
"""
    assert [reach for reach, _ in ways(source, "Net").values()] == ["always"]


def test_items_that_the_defaults_leave_out_of_a_dict() -> None:
    body = "kept = {name: 1 for name, v in {'a': hidden}.items() if v}\nif len(kept) > 0:\n    print(x)"
    found = _of(body, "x: torch.Tensor, hidden: bool = False")
    assert found == {3: ("option", ["len(kept) > 0 holds"])}
    assert _of(body, "x: torch.Tensor, hidden: bool") == {3: ("input", ["len(kept) > 0 holds"])}


@pytest.mark.parametrize(
    ("test", "reach"),
    [
        ("log.isEnabledFor(logging.DEBUG)", "option"),
        ("log.getEffectiveLevel() <= logging.INFO", "option"),
        ("log.isEnabledFor(logging.ERROR)", "default"),
        ("torch.distributed.is_initialized()", "option"),
        ("not torch.distributed.is_initialized()", "default"),
    ],
)
def test_nothing_is_distributed_and_debugging_is_off_by_default(test: str, reach: str) -> None:
    found = _of(f"if {test}:\n    x.item()", before="import logging\nlog = logging.getLogger(__name__)")
    assert found[2][0] == reach


@pytest.mark.parametrize("given", ["cache=cache, mask=mask", "cache = cache, mask = mask"])
def test_an_option_that_a_call_gives_is_none(given: str) -> None:
    source = f"""
        import torch
        class Net(torch.nn.Module):
            def forward(self, x: torch.Tensor, cache=None, mask=None):
                if cache is not None:
                    print(x)
                if mask is not None:
                    print(x)
                return x
        def generate(model, x, mask=None):
            cache = dict(x=x)
            return model.forward(x, {given})
    """
    assert {line: way[0] for line, way in ways(source, "Net").items()} == {6: "input", 8: "option"}


def test_an_unknown_mapping_may_give_an_option() -> None:
    source = """
        import json, torch
        def g(x, ids=None):
            if ids is not None:
                print(x)
            return x
        def f(x: torch.Tensor, options: dict):
            return g(x, **options)
    """
    assert ways(source, "f")[5][0] == "input"


def test_a_script_gives_an_option() -> None:
    source = """
        import torch
        class Net(torch.nn.Module):
            def forward(self, x: torch.Tensor, cache=None):
                if cache is not None:
                    print(x)
                return x
        if __name__ == "__main__":
            net, cache = Net(), dict(a=1)
            net.forward(torch.ones(2), cache=cache)
    """
    assert ways(source, "Net")[6][0] == "input"


def test_a_hook_that_an_option_adds_is_reached_with_the_option() -> None:
    source = """
        import torch
        def hooked(old):
            def forward(x):
                print(x)
                return old(x)
            return forward
        def place(layer, device_map=None):
            if device_map is not None:
                layer.forward = hooked(layer.forward)
            return layer
        class Net(torch.nn.Module):
            def __init__(self, device_map=None, log=False, trace=True):
                super().__init__()
                self.a = place(torch.nn.Linear(2, 2), device_map)
                self.b, self.c = torch.nn.ReLU(), torch.nn.ReLU()
                if log:
                    self.b.register_forward_hook(lambda layer, args, out: print(out))
                if not trace:
                    return
                self.c.register_forward_hook(lambda layer, args, out: print(out))
            def forward(self, x: torch.Tensor):
                return self.c(self.b(self.a(x)))
    """
    assert ways(source, "Net") == {
        5: ("option", ["device_map is not None holds"]),
        18: ("option", ["log holds"]),
        21: ("always", []),
    }


LAYOUTS = """
import torch
SPARSE = {torch.sparse_coo, torch.sparse_csr}
def is_sparse(tensor):
    if isinstance(tensor, torch.Tensor):
        if tensor.layout == torch.sparse_coo:
            return True
        if tensor.layout == torch.sparse_csr:
            return True
    return False
def f(x: torch.Tensor):
    if is_sparse(x):
        print("sparse")
    else:
        print("dense")
    if x.layout is torch.strided:
        print("dense")
    if x.layout in SPARSE:
        print("sparse")
    if x.is_sparse or x.is_nested:
        print("sparse")
"""


def test_tensors_are_usually_dense() -> None:
    assert {line: way for line, (way, _) in ways(LAYOUTS, "f").items()} == {
        13: "option",
        15: "default",
        17: "default",
        19: "option",
        21: "option",
    }
