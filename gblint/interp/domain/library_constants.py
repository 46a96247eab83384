"""Attributes of libraries whose values are known, by their qualified names."""

from __future__ import annotations

from gblint.interp.domain import reach
from gblint.values.base import NONE, STR, Const, Scalar, Value
from gblint.values.lattice import join
from gblint.values.objects import ExternalObject

# A text in builds for other devices than CPUs and NVIDIA's GPUs, and None in most.
_UNUSUAL_BUILD = reach.expected(join(STR, NONE), NONE)
LIBRARY_CONSTANTS: dict[str, Value] = {
    "math.pi": Const(3.141592653589793),
    "math.e": Const(2.718281828459045),
    "math.inf": Const(float("inf")),
    "torch.pi": Const(3.141592653589793),
    "torch.inf": Const(float("inf")),
    "numpy.pi": Const(3.141592653589793),
    "numpy.inf": Const(float("inf")),
    "numpy.newaxis": NONE,
    "torch.newaxis": NONE,
    "torch.version.cuda": join(STR, NONE),
    "torch.version.hip": _UNUSUAL_BUILD,
    "torch.version.rocm": _UNUSUAL_BUILD,
    "torch.version.xpu": _UNUSUAL_BUILD,
    "torch.version.git_version": STR,
    "torch.default_generator": ExternalObject("torch.Generator", pre_existing=True),
    "os.name": Scalar("str", usual=Const("posix")),
    "sys.platform": Scalar("str", usual=Const("linux")),
    "sys.version": STR,
    "sys.maxsize": Const(2**63 - 1),
    "typing.TYPE_CHECKING": Const(False),
    "numpy.__version__": STR,
    "logging.NOTSET": Const(0),
    "logging.DEBUG": Const(10),
    "logging.INFO": Const(20),
    "logging.WARNING": Const(30),
    "logging.ERROR": Const(40),
    "logging.CRITICAL": Const(50),
}
