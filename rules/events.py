"""Kinds of events: the contract between the interpreter, which emits them, and the rules, which describe them.

An event has a kind and a subject.  A subject that is a callable is the dotted name of where the object is defined or
commonly known: ``builtins.print``, ``logging.Logger.warning``, ``torch.nonzero``, ``torch.Tensor.nonzero``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal

from gblint.runtime.lazy_dataclasses import dataclass

EventKind = Literal[
    "tensor-to-python",
    "data-dependent-branch",
    "dynamic-shape",
    "data-dependent-op",
    "call",
    "context-manager",
    "iterator",
    "generator",
    "module-call",
    "tensor-attribute",
    "tensor-method",
    "autograd",
    "traced-autograd",
    "autograd-function",
    "tensor-hook",
    "tensor-layout",
    "numpy-off",
    "tensor-subclass",
    "tensor-argument",
    "module-state",
    "assertion",
    "hook",
    "construct",
    "exception",
    "uncaught",
    "disabled-call",
    "reordered-call",
    "explicit-break",
    "random-number",
    "symbolic-size",
    "skipped-function",
    "compile-error",
    "higher-order",
    "divergence",
    "recompile",
    "check-message",
    "device-call",
    "collective",
    "out-argument",
    "operator-arguments",
    "triton-kernel",
    "unseen-function",
    "opaque-object",
    "name",
    "operation",
    "export",
    "config",
    "sequence-comparison",
]


@dataclass(frozen=True, slots=True)
class EventDescription:
    """The meaning of a kind of event.

    ``words`` lists subjects, separated by blanks: all of the kind if ``exhaustive``, otherwise examples of them.
    """

    description: str
    words: str
    exhaustive: bool = True

    @property
    def subjects(self) -> tuple[str, ...]:
        """The subjects in ``words``."""
        return tuple(self.words.split())


EVENTS: Final[Mapping[EventKind, EventDescription]] = {
    "tensor-to-python": EventDescription(
        "The value of a tensor, or of an element of an ndarray, is needed as a Python object.",
        "item tolist int float bool complex round index slice-bound range list-index tensor-index size-arg "
        "scalar-arg pow is_nonzero numpy-scalar str repr format sorted truth causal-mask batch-count",
    ),
    "data-dependent-branch": EventDescription(
        "The truth of a tensor decides which code runs. The context has ``assert`` inside the condition of an "
        "``assert``, and ``guard-raise`` where the branch only raises, warns or exits.",
        "if elif while ternary and or not compare-chain in any all min max filter match comprehension-if assert check",
    ),
    "dynamic-shape": EventDescription(
        "A call whose output shape depends on data. Subject: the qualified name of the operator.",
        "torch.nonzero torch.argwhere torch.where torch.Tensor.__getitem__ torch.masked_select torch.unique "
        "torch.bincount torch.repeat_interleave torch.combinations torch.Tensor.nonzero numpy.nonzero",
        exhaustive=False,
    ),
    "data-dependent-op": EventDescription(
        "An operator that computes a Python value from data. Subject: its qualified name.",
        "torch.equal torch.allclose torch.cov torch.corrcoef torch.quantile "
        "torch.nn.functional.gaussian_nll_loss numpy.allclose",
        exhaustive=False,
    ),
    "call": EventDescription(
        "A call that Dynamo cannot trace. Subject: the qualified name of the callable, where it is defined or "
        "commonly known. The rule ``untraceable-call`` describes every name that no other rule does. A function "
        "with a body in Python is traced; the event is the call inside it.",
        "builtins.print logging.Logger.warning warnings.warn numpy.interp time.time PIL.Image.fromarray "
        "tqdm.tqdm random.random torch.manual_seed importlib.import_module copy.copy generator=",
        exhaustive=False,
    ),
    "context-manager": EventDescription(
        "Entering a context manager that Dynamo does not support. Subject: its qualified name, ``instance`` for "
        "one that was created outside the region, ``made-before-break`` for one that was created before a graph break, "
        "or ``returned`` for one that a call returns.",
        "instance made-before-break returned torch.device builtins.open threading.Lock contextlib.contextmanager "
        "contextlib.ExitStack torch.random.fork_rng",
        exhaustive=False,
    ),
    "iterator": EventDescription(
        "Consuming an iterator that was created outside the region, or an iterable that Dynamo cannot iterate over. "
        "Subject: ``outside-generator``, ``outside-iterator``, or the qualified name of the class.",
        "outside-generator outside-iterator torch.utils.data.DataLoader",
        exhaustive=False,
    ),
    "generator": EventDescription(
        "``entry``: the compiled function is a generator function. ``endless``: a generator that never ends is "
        "consumed.",
        "entry endless",
    ),
    "module-call": EventDescription(
        "Calling an ``nn.Module`` that Dynamo does not trace. Subject: the qualified name of its class.",
        "torch.nn.LSTM torch.nn.GRU torch.nn.RNN torch.jit.ScriptModule",
        exhaustive=False,
    ),
    "tensor-attribute": EventDescription(
        "Reading or storing an attribute of a tensor. A subject that ends in ``=`` is a store.",
        "requires_grad= data= real= imag= grad_fn grad_dtype missing",
        exhaustive=False,
    ),
    "tensor-method": EventDescription(
        "A tensor method that Dynamo cannot trace. Subject: its bare name.",
        "requires_grad_ retain_grad resize_ resize_as_ set_ random_ uniform_ storage storage_offset "
        "untyped_storage data_ptr is_pinned is_shared share_memory_ to_sparse unsqueeze_ apply_ map_ "
        "__deepcopy__ add_ addcmul_ addcdiv_",
        exhaustive=False,
    ),
    "autograd": EventDescription(
        "A call of autograd in the region. ``requires_grad=True`` is a factory call with that argument.",
        "torch.Tensor.backward torch.autograd.grad torch.autograd.backward requires_grad=True",
        exhaustive=False,
    ),
    "traced-autograd": EventDescription(
        "A call of ``backward`` or ``torch.autograd.grad`` that Dynamo refuses where it traces them "
        "(``torch._dynamo.config.trace_autograd_ops``).",
        "non-leaf made-leaf no-inputs key type edge outside twice returned",
    ),
    "autograd-function": EventDescription(
        "A ``torch.autograd.Function`` that Dynamo refuses.",
        "jvp vjp duplicate keyword callable context dirty mark_dirty materialize method class-method",
    ),
    "tensor-hook": EventDescription(
        "A read in a tensor hook or in a traced backward pass that Dynamo refuses, or a hook handle stored in a "
        "global (``global-handle``) or returned. Subject: the name that is read, or ``layout``.",
        "is_neg layout global-handle returned-handle",
        exhaustive=False,
    ),
    "tensor-layout": EventDescription(
        "Using a tensor that cannot enter a graph. ``object`` is an array of Python objects, ``set`` a set of tensors.",
        "sparse nested quantized object set",
    ),
    "numpy-off": EventDescription(
        "A NumPy call under ``torch._dynamo.config.trace_numpy = False``. Subject: its qualified name.",
        "numpy.zeros torch.from_numpy torch.Tensor.numpy",
        exhaustive=False,
    ),
    "tensor-subclass": EventDescription(
        "Using a subclass of ``torch.Tensor`` in a way that Dynamo refuses. Other subjects are special methods.",
        "as_subclass as_subclass-again constructor __init__ wrapper argument _base override __setitem__ __reversed__ "
        "not-implemented",
        exhaustive=False,
    ),
    "tensor-argument": EventDescription(
        "An argument that an operator cannot take. ``pullback`` is a function that ``torch.func.vjp`` returned "
        "outside the region; ``objects`` an operator that Dynamo traces for tensors and numbers only.",
        "set integer dtypes class pullback object objects",
    ),
    "module-state": EventDescription(
        "A method that replaces the parameters of a module, or ``__init__`` of a module that exists already. "
        "Subject: the name of the method; ``super`` in an ``__init__`` that breaks; ``buffer`` for a module that gets "
        "an ``nn.Buffer``.",
        "__init__ buffer double half load_state_dict share_memory super",
        exhaustive=False,
    ),
    "assertion": EventDescription(
        "An ``assert`` on a value that is neither a tensor nor a constant. ``container`` is a list, tuple or dict; "
        "``object`` is anything else.",
        "container object",
    ),
    "hook": EventDescription(
        "Registering or removing a hook in the region. Subject: the name of the method. ``backward`` is a call of "
        "a module with a full backward hook.",
        "register_forward_hook register_forward_pre_hook register_full_backward_hook RemovableHandle.remove backward",
        exhaustive=False,
    ),
    "construct": EventDescription(
        "A statement that Dynamo does not support, or making an object that it does not support.",
        "class parameter module exec eval compile globals async del-global del-closure type-alias "
        "type-parameter import-missing import-object object class-assign function-attribute class-attribute "
        "typed-dict torch.Generator torch.optim.*",
    ),
    "exception": EventDescription(
        "An exception that Dynamo cannot handle.",
        "super-init keywords attribute expected assert assertion traceback.format_exc add_note group",
        exhaustive=False,
    ),
    "uncaught": EventDescription(
        "An exception that is raised in every call of the region and that nothing in it catches. ``call`` is a call "
        "that Python refuses, ``unpack`` a sequence of another length, ``truth`` a ``__bool__`` that does not return "
        "a bool.",
        "raise assert call unpack zip truth division operands attribute",
    ),
    "disabled-call": EventDescription(
        "Calling a function or a module under ``torch.compiler.disable``. Subject: its name.",
        "slow Net.slow",
        exhaustive=False,
    ),
    "reordered-call": EventDescription(
        "A logging function in ``torch._dynamo.config.reorderable_logging_functions``, with arguments that "
        "prevent the reordering. Subject: its qualified name.",
        "builtins.print logging.info warnings.warn",
        exhaustive=False,
    ),
    "explicit-break": EventDescription(
        "A call that requests a graph break. Subject: its qualified name.",
        "torch._dynamo.graph_break torch._dynamo.skip_frame torch._dynamo.step_unsupported "
        "torch._dynamo.comptime.graph_break",
        exhaustive=False,
    ),
    "random-number": EventDescription(
        "The value of a number that ``random`` made in the region is needed. ``argument`` is an argument of an "
        "operator.",
        "arithmetic branch int float complex str index key slice-bound range argument divmod in",
        exhaustive=False,
    ),
    "symbolic-size": EventDescription(
        "The number behind a size is needed, which is a symbol under ``dynamic=True``. Subject: the function; after "
        "``argument:`` for an integer that the region is called with.",
        "str repr hex divmod sorted gcd comb randint argument:str",
        exhaustive=False,
    ),
    "skipped-function": EventDescription(
        "Calling a Python function in a file that Dynamo skips. Subject: its qualified name.",
        "networkx.path_graph sklearn.metrics.accuracy_score tree.map_structure",
        exhaustive=False,
    ),
    "compile-error": EventDescription(
        "Code for which Dynamo raises with any setting (category ``compile-error``). Other subjects are the "
        "qualified names of functions that are forbidden in a region.",
        "builtins.format torch.as_tensor torch.asarray byte-mask decimal-number custom-operator "
        "library-operator non-compliant-operator leaf-function torch.compiler.set_stance torch._dynamo.mark_dynamic "
        "torch._dynamo.maybe_mark_dynamic",
        exhaustive=False,
    ),
    "higher-order": EventDescription(
        "A call of a higher-order operator such as ``torch.cond`` that Dynamo refuses, because of its arguments or of "
        "a function among them.",
        "predicate operands function inputs additional-inputs arguments empty operator output branches "
        "condition aliasing mutation side-effect attribute",
    ),
    "divergence": EventDescription(
        "Code whose result under Dynamo differs from that of eager Python, without a graph break (category "
        "``divergence``). ``own-module`` and ``compiled-generator``: nothing is compiled.",
        "yield-from-value coroutine-call compiled-generator operator-error cached-function torch.seed "
        "numpy-random numpy-division own-module no-grad-before-break copied-container object-text class-attribute",
    ),
    "recompile": EventDescription(
        "Code that makes Dynamo compile a function again (category ``recompile``): a statement of a region "
        "(``counter``, ``growing-list``), or an argument that differs between calls.",
        "counter growing-list optional number mode type length",
    ),
    "check-message": EventDescription(
        "A call of ``torch._check`` or a similar function with a message that Dynamo cannot trace. Subject: its "
        "qualified name, with ``-closure`` where the message uses a variable of an outer function.",
        "torch._check torch._check_value torch._check-closure",
        exhaustive=False,
    ),
    "device-call": EventDescription(
        "A call about devices, streams or events that Dynamo refuses. Subject: its qualified name.",
        "torch.get_device_module torch.accelerator.current_stream torch.Event.ipc_handle",
        exhaustive=False,
    ),
    "collective": EventDescription(
        "A call of ``torch.distributed`` that Dynamo refuses. Subject: its qualified name.",
        "torch.distributed.all_reduce torch.distributed.isend torch.distributed.P2POp "
        "torch.distributed.P2POp.attribute",
        exhaustive=False,
    ),
    "out-argument": EventDescription(
        "A tensor given as ``out=`` that has another shape or other strides than the result.",
        "shape strides other-rank",
    ),
    "operator-arguments": EventDescription(
        "A call with arguments that the operator does not accept. Subject: its qualified name.",
        "torch.cat torch.sqrt torch.ops.aten.add torch.compile torch.library.wrap_triton",
        exhaustive=False,
    ),
    "triton-kernel": EventDescription(
        "A Triton kernel, or a call of one, that Dynamo does not support. Subject: why.",
        "hook cuda-graph second-autotune num-ctas grid-list grid-type argument",
    ),
    "unseen-function": EventDescription(
        "A function under ``nonstrict_trace`` or ``assume_constant_result`` that receives or returns a value that "
        "Dynamo does not support.",
        "made-here argument module result constant-argument data no-tensor",
    ),
    "opaque-object": EventDescription(
        "A registered opaque object, or an attribute of a class, that Dynamo refuses to read.",
        "member getattr result class-attribute descriptor",
    ),
    "name": EventDescription(
        "A name that is not defined, or the name of a global variable that the region makes.",
        "undefined new-global",
    ),
    "operation": EventDescription(
        "An operation on a Python object for which Dynamo has no handler. Subject: the kind of the object, or the "
        "operation.",
        "annotation attribute-hook binding buffer changed-proxy container-text context-function dataclass-fields "
        "decorated-method default-object function-attribute function-returned getattr-name hasattr instance-dict "
        "iterator list-of-text logger-attribute mapping-keys method-in-variable method-on-stack namedtuple namespace "
        "nested-function number partial-keyword partial-name refused-call setattr-name structure super super().* "
        "getter tensor-method tensor-method-on-stack unbound-name weakref",
    ),
    "export": EventDescription(
        "A signature that strict ``torch.export`` refuses: a default value or a closure variable that holds a tensor.",
        "default closure",
    ),
    "config": EventDescription(
        "Settings and calls outside the regions (category ``config``). The expression is a name. ``capture_*``: "
        "the operand is the number of breaks.",
        "unknown-setting suppress_errors disable late-environment force-eager result-unused classmethod "
        "error_on_graph_break raises-under-fullgraph raises-twice disable-below compile-below compile-undone "
        "compile-inside mark-on-method capture_scalar_outputs capture_dynamic_output_shape_ops",
    ),
    "sequence-comparison": EventDescription(
        "A comparison of two sequences that contain tensors, or of the items of an iterator by ``min`` and ``max``; "
        "their product or sum by ``math.prod`` and ``math.fsum``.",
        "sequence-compare min-of-iterator max-of-iterator math-of-iterator not",
    ),
}
