"""The data of torch 2.13 and their loader."""

from __future__ import annotations

import subprocess
import sys
import time
from importlib.resources import files

import pytest

from gblint.knowledge.catalog import Knowledge, load
from gblint.knowledge.facts import Fact
from gblint.knowledge.returns import parse_returns
from gblint.knowledge.versions import UnknownTorchVersion, available_versions

SECTIONS = (
    "functions",
    "tensor_methods",
    "tensor_attributes",
    "ndarray_methods",
    "ndarray_attributes",
    "context_managers",
    "module_classes",
    "classes",
)

# Section, fact, names: the most common functions; test_oracle checks them with Dynamo.
SPOT_CHECKS = """
function | graph -> (tensor[same;same],tensor[int;same]) | torch.topk torch.sort torch.cummax
function | graph -> tensor[float;same] | torch.exp torch.sigmoid torch.sqrt torch.log torch.tanh torch.cos
function | graph -> tensor[bool;same] | torch.isnan torch.isinf torch.isfinite torch.logical_not
function | graph -> tensor[bool;broadcast] | torch.eq torch.lt torch.logical_and torch.isclose
function | graph -> tensor[bool;reduce] | torch.any torch.all
function | graph -> tensor[int;reduce] | torch.argmax torch.argmin torch.count_nonzero
function | graph -> tensor[number;reduce] | torch.sum torch.prod
function | graph -> tensor[same;reduce] | torch.mean torch.std torch.amax
function | graph -> tensor[same;norm] | torch.norm torch.linalg.vector_norm
function | graph -> tensor[same] | einops.rearrange einops.reduce einops.repeat
function | graph -> tensor[same;0]|(tensor[same;reduce],tensor[int;reduce]) | torch.max torch.min torch.median
function | graph -> tensor[promote;broadcast] | torch.add torch.mul torch.maximum torch.clamp
function | graph -> tensor[;+1] | torch.stack
function | graph -> tensor[same;+1] | torch.unsqueeze torch.diag_embed
function | graph -> (tensor[same;same]...) | torch.chunk torch.split
function | graph -> (tensor[same;-1]...) | torch.unbind
function | graph -> tensor[same;same] | torch.nn.functional.gelu torch.nn.functional.relu torch.abs
function | dynamic-shape GB0036 -> tensor[int;2] | torch.nonzero torch.argwhere
function | dynamic-shape GB0036 -> (tensor[int;1]...)|tensor[;broadcast] if one-arg | torch.where
function | dynamic-shape GB0036 -> tensor[same;1] | torch.masked_select torch.unique torch.unique_consecutive
function | dynamic-shape GB0036 -> tensor[same] if tensor-repeats | torch.repeat_interleave
function | break GB0246 -> tensor[int;+1] if no-num-classes | torch.nn.functional.one_hot
function | break GB0033 -> data-bool | torch.equal torch.allclose numpy.allclose numpy.array_equal
function | break GB0208 -> bool | torch.is_storage torch.can_cast numpy.isscalar
function | break GB0007 -> torch.Generator | torch.manual_seed
function | break GB9186 -> (tensor...) | torch.autograd.grad
function | break GB0025 -> none | torch._dynamo.graph_break
function | fold -> const:True | torch.compiler.is_compiling torch.compiler.is_dynamo_compiling
function | fold -> const:False | torch.jit.is_scripting torch.jit.is_tracing torch.onnx.is_in_onnx_export
function | fold -> bool | torch.is_tensor torch.is_floating_point torch.cuda.is_available torch.is_grad_enabled
function | fold -> bool | builtins.isinstance builtins.hasattr math.isnan
function | graph -> tensor | einops.einsum torch.tensor
function | graph -> tensor[;same] | torch.cat torch.concat
function | break GB0059 -> none | builtins.print
function | break GB0007 -> float | time.time time.perf_counter random.random
function | break GB0007 -> none | time.sleep warnings.warn torch.autograd.backward
function | break GB0007 -> str | unicodedata.category unicodedata.normalize
function | break GB0007 -> bool | os.path.exists os.path.isfile
function | break GB0007 | pickle.whichmodule hashlib.blake2b subprocess.call shutil.move torch.utils.data.random_split
function | break GB4841 -> none | logging.info logging.warning
function | break GB0291 -> none | logging.Logger.info logging.Logger.warning logging.Logger.debug
function | break GB0156 -> str | json.dumps
function | break GB0294 | numpy.setxor1d numpy.random.beta
function | break GB0294 -> ndarray | numpy.interp numpy.digitize numpy.extract
function | break GB0294 -> ndarray[;reduce] | numpy.nanmean
function | break GB0294 -> ndarray[int;reduce] | numpy.nanargmax
function | break GB0156 -> ndarray[float;broadcast] | scipy.special.gamma
function | graph -> ndarray[float;same] | numpy.sqrt numpy.exp numpy.log
function | graph -> ndarray[promote;broadcast] | numpy.add numpy.maximum
function | graph -> ndarray[float;reduce] | numpy.mean numpy.std
function | break GB4841 -> PIL.Image.Image | PIL.Image.fromarray
function | break GB6012 -> PIL.Image.Image | PIL.Image.Image.resize PIL.Image.Image.convert
function | break GB0007 -> iterator | tqdm.tqdm tqdm.auto.tqdm
function | fold -> int | math.floor random.randint
function | fold -> str | os.getenv os.path.join re.sub
tensor_method | data-dependent GB0124 -> data-item | item
tensor_method | data-dependent GB0033,GB0109 -> [data-item] | tolist
tensor_method | dynamic-shape GB0036 -> tensor[int;2] | nonzero argwhere
tensor_method | graph -> ndarray[same;same] | numpy
tensor_method | graph -> self | add_ clamp_ copy_ zero_ masked_fill_ normal_
tensor_method | break GB0148 -> self if input | squeeze_ t_ transpose_ unsqueeze_ detach_
tensor_method | break GB0208 -> bool | is_conj is_signed is_shared
tensor_method | break GB0123 -> none | backward
tensor_method | graph -> shape|size | size
tensor_method | graph -> size | numel nelement
tensor_method | graph -> int | dim ndimension
tensor_method | graph -> tensor[same;0]|(tensor[same;reduce],tensor[int;reduce]) | max min median
tensor_method | graph -> tensor[bool;same] | bool isnan logical_not
tensor_method | graph -> tensor[int;same] | long int argsort
tensor_method | graph -> tensor[same;size] | view reshape expand
tensor_method | graph -> (tensor[same;same]...) | chunk split
tensor_method | break GB0107 -> self | random_
tensor_attribute | graph -> shape | shape
tensor_attribute | graph -> dtype | dtype
tensor_attribute | graph -> device | device
tensor_attribute | graph -> bool | is_cuda requires_grad is_leaf
tensor_attribute | graph -> tensor[same;same] | T mT data real
tensor_attribute | break GB0104 -> object if intermediate | grad_fn
ndarray_method | data-dependent GB0033,GB0109 -> [data-item] | tolist
ndarray_method | graph -> ndarray[;same] | astype
ndarray_attribute | graph -> shape | shape
context_manager | graph | torch.no_grad torch.enable_grad torch.inference_mode torch.autocast contextlib.nullcontext
context_manager | graph | torch.set_grad_enabled torch.nn.attention.sdpa_kernel torch.autograd.profiler.record_function
context_manager | break GB0142 | torch.device
context_manager | break GB0007 | tqdm.tqdm
context_manager | break GB0008 | torch.autograd.detect_anomaly torch.autograd.graph.saved_tensors_hooks
context_manager | break GB0059 | builtins.open
context_manager | break GB0294 | numpy.errstate
module_class | graph -> tensor[same;same] | torch.nn.Linear torch.nn.ReLU torch.nn.modules.conv.Conv2d
module_class | break GB0014 -> (tensor,(tensor,tensor)) | torch.nn.LSTM
module_class | break GB0014 -> (tensor,tensor) | torch.nn.GRU torch.nn.RNN
module_class | inline | torch.nn.Sequential torch.nn.ModuleList torch.nn.ModuleDict
module_class | graph -> tensor[float;+1] | torch.nn.Embedding
module_class | graph -> tensor[same;0] | torch.nn.CrossEntropyLoss torch.nn.MSELoss
class_ | break GB0264 -> torch.nn.Parameter | torch.nn.Parameter
class_ | break GB0363 -> torch.Generator | torch.Generator
class_ | break GB0264 -> torch.nn.Linear | torch.nn.Linear
class_ | graph -> torch.nn.ReLU | torch.nn.ReLU
class_ | graph -> device | torch.device
class_ | graph -> dict | collections.OrderedDict collections.defaultdict
class_ | break GB0147 -> decimal.Decimal | decimal.Decimal
"""


def spot_checks() -> list[tuple[str, str, str]]:
    rows = [line.split(" | ") for line in SPOT_CHECKS.strip().splitlines()]
    return [(section, fact, name) for section, fact, names in rows for name in names.split()]


@pytest.mark.parametrize(("section", "text", "name"), spot_checks())
def test_spot(known: Knowledge, section: str, text: str, name: str) -> None:
    from gblint.knowledge.facts import format_fact

    fact = getattr(known, section)(name)
    assert fact is not None
    assert format_fact(fact) == text


@pytest.mark.parametrize("section", SECTIONS)
def test_every_fact_can_be_read(known: Knowledge, section: str) -> None:
    for name, fact in known.facts(section):
        assert name.strip("."), name
        parse_returns(fact.returns)
        for gb_id in fact.gb_ids:
            assert known.gb(gb_id).type, f"{name} names an id that the registry does not have"


def test_a_break_has_an_id(known: Knowledge) -> None:
    without = [
        f"{section} {name}"
        for section in SECTIONS
        for name, fact in known.facts(section)
        if fact.breaks and not fact.gb_ids and fact.effect != "error"
    ]
    assert without == []


@pytest.mark.parametrize(
    "name", ["unheard.of", "torch.NoSuchThing", "typing.NamedTuple.field", "logging.Formatter.formatTime", "mine.f"]
)
def test_unknown_names_have_no_fact(known: Knowledge, name: str) -> None:
    assert known.function(name) is None


@pytest.mark.parametrize(
    ("module", "skipped"),
    [
        ("torch.utils.data.dataset", True),
        ("torch.optim.adam", False),
        ("torch.nn.modules.linear", False),
        ("torch.distributions.normal", False),
        ("torch.serialization", True),
        ("torch.fx.graph", True),
        ("torch.utils._pytree", False),
        ("tqdm.std", True),
        ("pandas.core.frame", True),
        ("networkx", True),
        ("random", True),
        ("copy", False),
        ("einops.einops", False),
        ("transformers.models.t5", False),
    ],
)
def test_skipped_packages(known: Knowledge, module: str, skipped: bool) -> None:
    assert known.skipped_package(module) is skipped


def test_registry(known: Knowledge) -> None:
    entry = known.gb("GB0124")
    assert entry.id == "GB0124"
    assert "item()" in entry.type
    with pytest.raises(KeyError):
        known.gb("GB9999")


def test_versions() -> None:
    assert "2.13" in available_versions()
    assert load("2.13.0+cpu") is load("2.13") is load("2.13.0")
    with pytest.raises(UnknownTorchVersion, match=r"2\.13"):
        load("1.4")


def test_is_small_and_quick() -> None:
    data = files("gblint.knowledge") / "data" / "torch-2.13.json"
    text = data.read_text(encoding="utf-8")
    assert len(text) < 300_000
    import json

    started = time.perf_counter()
    Knowledge(json.loads(text))
    assert time.perf_counter() - started < 0.25


def test_imports_no_torch() -> None:
    code = """if True:
        import sys
        from gblint.knowledge.catalog import load
        load().function('torch.topk')
        print('torch' in sys.modules)
    """
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_conditions_narrow_a_break(known: Knowledge) -> None:
    fact = known.function("torch.where")
    assert fact == Fact("dynamic-shape", ("GB0036",), "(tensor[int;1]...)|tensor[;broadcast]", "one-arg")
    assert fact.breaks


def test_operators_that_depend_on_data(known: Knowledge) -> None:
    assert {"nonzero", "masked_select", "unique_dim"} <= known.tagged("dynamic_output_shape")
    assert {"item", "equal", "allclose"} <= known.tagged("data_dependent_output")


def test_operators_without_a_fake_implementation(known: Knowledge) -> None:
    # torch 2.13 itself has no meta kernel, decomposition or fake implementation for these.
    assert all(known.without_fake(name) for name in ("histogram", "geqrf", "binomial", "to_mkldnn"))
    assert not any(known.without_fake(name) for name in ("add", "nonzero", "isnan", "sort", "embedding"))


@pytest.mark.parametrize(
    ("name", "known_name"),
    [
        ("torch.compiler", True),
        ("torch.compiler.is_compiling", True),
        ("torch.nn.functional.scaled_dot_product_attention", True),
        ("torch.nothing_of_the_kind", False),
        ("torch.nn.functional.nothing", False),
    ],
)
def test_names_of_torch(known: Knowledge, name: str, known_name: bool) -> None:
    assert known.has_name(name) is known_name
