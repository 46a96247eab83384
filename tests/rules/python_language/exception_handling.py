"""More examples of GBL507, exception-handling."""

from __future__ import annotations

from gblint.rules.examples import Example

BREAKS = (
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    try:
        error = ValueError("here")
        error.add_note("there")  # breaks: GB0156
        raise error
    except ValueError:
        y = y + 1
    return y
""",
    ),
    Example(
        """\
import torch


class Failure(Exception):
    def __init__(self, message: str, code: int = 3) -> None:
        super().__init__(message)  # breaks: GB0006
        self.code = code


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    error = Failure("here")
    return y + error.code
""",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    try:
        error = ValueError("here")
        error.reason = 1  # breaks: GB0135
        raise error
    except ValueError:
        y = y + 1
    return y
""",
    ),
    Example(
        """\
import traceback

import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    try:
        raise ValueError("here")
    except ValueError:
        text = traceback.format_exc()  # breaks: GB9625
    return y, text
""",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    try:
        raise ImportError("here", name="somewhere")  # breaks: GB0273
    except ImportError:
        y = y * 2
    return y
""",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    try:
        try:
            raise ValueError("here")
        except [ValueError, KeyError]:  # breaks: GB0050
            y = y * 2
    except TypeError:
        y = y * 3
    return y
""",
    ),
    Example(
        """\
import torch

NETWORK = (ValueError, KeyError)


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    try:
        try:
            raise ValueError("here")
        except (OSError, NETWORK):  # breaks: GB0051
            y = y * 2
    except TypeError:
        y = y * 3
    return y
""",
    ),
    Example(
        """\
import torch


class Failure(Exception):
    def __init__(self, message: str) -> None:
        super().__init__(message)  # breaks: GB0006
        self.message = message


def checked(x: torch.Tensor) -> torch.Tensor:
    if x.dim() == 1:
        raise Failure("here")
    return x


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    try:
        return checked(y)
    except Failure:
        return y * 2
""",
    ),
    Example(
        """\
import torch


class Failure(ValueError):
    def __init__(self, message: str) -> None:
        ValueError.__init__(self, message)  # breaks: GB0156
        self.message = message


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    try:
        raise Failure("here")
    except ValueError:
        return y * 2
""",
    ),
)
CLEAN = (
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    try:
        raise ValueError("here").with_traceback(None)
    except ValueError as error:
        y = y + len(error.args)
    return y
""",
    ),
    Example(
        """\
import torch


def pick(table: dict[str, int], key: str) -> int:
    try:
        return table[key]
    except KeyError:
        return 2


def f(x: torch.Tensor) -> torch.Tensor:
    return x * pick({}, "a")
""",
    ),
    Example(
        """\
import torch


def check(x: torch.Tensor) -> None:
    if x.dim() > 3:
        raise ValueError(f"bad shape {x.shape}")


def f(x: torch.Tensor) -> torch.Tensor:
    check(x)
    return x * 2
""",
    ),
    Example(
        """\
import torch

NETWORK = (ValueError, KeyError)


def f(x: torch.Tensor) -> torch.Tensor:
    try:
        raise ValueError("here")
    except (OSError, *NETWORK):
        x = x * 2
    return x
""",
    ),
    Example(
        """\
import torch

NETWORK = (ValueError, KeyError)


def f(x: torch.Tensor) -> torch.Tensor:
    try:
        raise KeyError("here")
    except NETWORK as error:
        x = x * len(error.args)
    return x
""",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    try:
        raise ImportError("here")
    except Exception as error:
        return x * 2 if isinstance(error, ImportError) else x
""",
    ),
    Example(
        """\
import torch


class Failure(Exception):
    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


def checked(x: torch.Tensor) -> torch.Tensor:
    if x.dim() == 3:
        raise Failure("here")
    return x


def f(x: torch.Tensor) -> torch.Tensor:
    return checked(x + 1) * 2
""",
    ),
    Example(
        """\
import torch


class Failure(Exception):
    def __init__(self, message: str) -> None:
        self.message = message


def checked(x: torch.Tensor) -> torch.Tensor:
    if x.dim() == 1:
        raise Failure("here")
    return x


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    try:
        return checked(y)
    except Failure as failure:
        return y * len(failure.message)
""",
    ),
)
