"""Guesses from names, used last: sizes of dimensions, numbers of a constructor, kinds of tensors."""

from __future__ import annotations

import re
from collections.abc import Mapping

from gblint.confirm.inputs.values import PlainInput, TensorInput

BATCH, LENGTH, WIDTH, SIDE, ID_BOUND = 2, 16, 32, 32, 4

_DIMS: tuple[tuple[str, int], ...] = (
    (r"b|bs|bsz|bz|batch|batch_?size|n_?batch|nb", BATCH),
    (r"h|w|height|width|hh|ww|img_h|img_w|x|y|res|size|image_?size|p1|p2", SIDE),
    (r"t|l|s|n|seq|seq_?len|length|len|src_?len|tgt_?len|time|tokens|num_?tokens|seqlen|sequence|sequence_?length|i|j"
     r"|q_?len|kv_?len|m|k|v|e|num_nodes|n_nodes|num_edges|points|n_points|num_points|frames|f|nodes|edges", LENGTH),
    (r"samples|n_?samples|num_?samples|audio_len|n_times", 1024),
    (r"d|z|depth", LENGTH),
    (r"num_?classes|classes|n_?classes|nc", 10),
    (r"heads|num_?heads|n_?heads|nh", 4),
    (r"c|ch|chan|channels?|in_?channels|cin|c_in", WIDTH),
)  # fmt: skip
_DIM_PATTERNS = tuple((re.compile(f"^(?:{pattern})$"), size) for pattern, size in _DIMS)


def dim_size(label: str, known_sizes: Mapping[str, int]) -> int:
    """Return a size for a dimension with this label; ``known_sizes`` are sizes from the instance's attributes."""
    label = label.strip("()*_").replace(" ", "_")
    if label.isdigit():
        return int(label)
    if label in known_sizes:
        return known_sizes[label]
    lower = label.lower()
    for pattern, size in _DIM_PATTERNS:
        if pattern.match(lower):
            return size
    for name in known_sizes:
        if name.lower() == lower or name.lower().replace("_", "") == lower.replace("_", ""):
            return known_sizes[name]
    product = re.findall(r"\w+", label)
    if len(product) > 1 and re.fullmatch(r"[\w\s*/+]+", label):
        return _arithmetic(label, known_sizes)
    return WIDTH


def _arithmetic(label: str, known_sizes: Mapping[str, int]) -> int:
    """Evaluate a label with operators, such as ``H/2`` or ``2*C``."""
    parts = re.split(r"\s*(\*|/{1,2}|\+)\s*", label)
    value = dim_size(parts[0], known_sizes)
    for operator, operand in zip(parts[1::2], parts[2::2]):
        other = max(dim_size(operand, known_sizes), 1)
        value = value * other if operator == "*" else value + other if operator == "+" else max(value // other, 1)
    return value


_NUMBERS: tuple[tuple[str, object], ...] = (
    (r"(.*_)?(use|is|has|with|return|do|enable|add|no|learn|apply)_.*|bias|causal|inplace|affine|training|deterministic"
     r"|bidirectional|batch_first|norm_first|residual|verbose|pretrained|.*_bias", False),
    (r".*(dropout|drop_path|drop_rate|drop_prob)|.*_drop|drop|p|rate|.*_prob|.*_rate|attn_pdrop|.*pdrop", 0.0),
    (r".*eps|.*epsilon", 1e-5),
    (r".*(momentum|alpha|beta|gamma|lambda|tau|temperature|temp|sigma|std|lr|decay|threshold|thresh"
     r"|margin|coef.*|weight"
     r"|slope|_scale|scale|smoothing)", 0.5),
    (r".*(vocab|num_?embeddings|n_?tokens|num_?tokens|n_?items|n_?users|num_?items|num_?users|n_?words|codebook_size"
     r"|num_?codes|n_?codes|num_?embed)(_?size)?", 64),
    (r".*(num_?class|n_?class|num_?labels|n_?labels|num_?tags|num_?actions|n_?actions|action_dim|classes|num_?outputs"
     r"|label_size|tagset).*", 10),
    (r".*(heads?|n_?head|nhead|num_?groups|n_?groups|kv_?heads)|(num|n)_(attention|query|kv|key_value)_?.*heads", 4),
    (r"groups", 1),
    (r".*(dim_?head|head_?dim|d_head|d_k|d_v|qk_dim)|.*_rank|rank", 16),
    (r"(num|n|max)_?(modes|freqs?|frequencies).*|modes?\d?", 8),
    (r".*(layers?|depths?|blocks?|stages?|repeats?|num_?convs?|n_?convs?|num_?levels|n_?levels"
     r"|iterations?|num_?iters?|n_?iters?"
     r"|stacks?|hops?|steps_per.*)(_?(num|count))?|num_res.*|n_flows|num_flows", 2),
    (r".*(top_?k|experts?_per_?tok.*|num_?selected.*|k_?top|kernel_?mult|n_?active|num_?experts_per.*)", 2),
    (r".*experts?", 4),
    (r".*(image_?size|img_?size|input_?size_?hw|resolution|spatial_?size|crop_?size|window_?res"
     r"|image_?(height|width))", SIDE),
    (r".*patch_?(size|height|width|len).*", 8),
    (r".*window_?size.*|.*(chunk|block|bucket)_?size", 8),
    (r".*(max_?len|seq_?len|max_?seq.*|max_?position.*|context_?(len|length|size|window)|block_?size"
     r"|n_?ctx|ctx_?len|max_?length|window"
     r"|num_?patches|num_?positions|sequence_?length|n_?positions|max_?pos|max_?num.*|length"
     r"|num_?nodes|n_?nodes|num_?points"
     r"|n_?points|num_?frames|seq_length|input_?length|n_?steps|num_?queries|n_?queries|num_?latents"
     r"|horizon|pred_?len)", LENGTH),
    (r".*(num_?)?(train_?|diffusion_?)?(timesteps|steps|num_steps)", 10),
    (r"kernel_?size|ksize|k|kernel|.*_kernel(_?size)?|filter_?size", 3),
    (r"stride|strides|dilation|.*dilation|.*stride|down_?factor", 1),
    (r"padding|pad", 1),
    (r".*(factor|ratio|mult|multiplier|expansion|expand|reduction|upscale|scale_factor|growth|squeeze|order)(_.*)?", 2),
    (r"spatial_?dims?|dimensions?|num_?dims?|n_?dims?", 2),
    (r".*(dim|dims|d_model|hidden|hidden_?size|embed|embedding|n_?embd|features?|channels?|planes"
     r"|width|units|size|in_?ch|out_?ch"
     r"|filters?|d_?ff|ffn.*|d_inner|latent|state|nf|ngf|ndf|inp|oup|in_?c|out_?c|cin|cout|chs?"
     r"|n_?feats?|nin|nout|inner|"
     r"in|out|input|output|c\d?|d|h|dim\d|channel|c_in|c_out|hid.*|emb.*|n_?mels?|mel_?bins)\d?", WIDTH),
)  # fmt: skip
_NUMBER_PATTERNS = tuple((re.compile(f"^(?:{pattern})$"), value) for pattern, value in _NUMBERS)
_STRING_DEFAULTS: tuple[tuple[str, object], ...] = (
    (r".*act(ivation)?(_fn|_layer|_func)?|nonlinearity|hidden_act", "relu"),
    (r".*norm(_layer|_type)?|normalization", "layer"),
    (r".*pad(ding)?_mode", "zeros"),
    (r".*device", "cpu"),
    (r".*mode", "nearest"),
    (r"reduction", "mean"),
    (r".*", "default"),
)


def number_for(name: str, expected_type: type | None = None) -> object:
    """Return a small number or flag for a constructor's parameter of this name; None if the name matches no pattern."""
    lower = name.lower().strip("_")
    for pattern, value in _NUMBER_PATTERNS:
        if pattern.match(lower):
            if expected_type is int and not isinstance(value, int):
                continue
            if expected_type is bool and not isinstance(value, bool):
                continue
            if expected_type is float and isinstance(value, bool):
                continue
            return float(value) if expected_type is float and isinstance(value, int) else value
    return {int: WIDTH, float: 0.5, bool: False}.get(expected_type) if expected_type is not None else None


def word_for(name: str) -> str:
    """Return a string for a parameter of this name."""
    return next(str(value) for pattern, value in _STRING_DEFAULTS if re.match(f"^(?:{pattern})$", name.lower()))


_IDS, _MASK, _ALL_ON = ("int64", "integers"), ("bool", "ones"), ("float32", "ones")
_TENSORS: tuple[tuple[str, tuple[str, ...], str], ...] = (
    (r".*edge_?index", ("2", "E"), "ids"),
    (r"edge_?(attr|weight|features?)", ("E", "D"), "float"),
    (r"adj.*", ("N", "N"), "ones"),
    (r".*(input_?ids|token_?ids|tokens?|ids|idx|indices|index|words?|sentences?|captions?|seqs?"
     r"|prompt|token_type.*|position_ids)",
     ("B", "T"), "ids"),
    (r".*(lengths?|lens|_len|sizes)", ("B",), "length"),
    (r"(.*_)?(causal|attn|attention|tgt|src)_mask", ("T", "T"), "mask"),
    (r".*(mask|valid|padding|pad)", ("B", "T"), "mask"),
    (r"t|ts|time|times|timesteps?|.*_timesteps?|noise_?levels?|step|sigmas?", ("B",), "ids"),
    (r".*(labels?|targets?|classes|class_ids?|y_true|gt|ground_truth|_id|user|item|users|items"
     r"|last_action|actions?)", ("B",), "ids"),
    (r".*(boxes|bbox(es)?|rois|proposals|anchors)", ("N", "4"), "float"),
    (r".*(scores?|rewards?|weights?|values?)", ("B",), "float"),
    (r".*(images?|imgs?|pixel_values|pixels?|frames?|pictures?|noisy.*|latents?|feature_?maps?|fmaps?"
     r"|feats?|heatmaps?|depth)",
     ("B", "C", "H", "W"), "float"),
    (r".*(video|clip|volume|vol)", ("B", "C", "D", "H", "W"), "float"),
    (r".*(audio|wav|waveform|signal|speech)s?", ("B", "1", "samples"), "float"),
    (r".*(mels?|spec|spectrogram)s?", ("B", "C", "T"), "float"),
    (r"(.*_)?(pos|coords?|points?|xyz|positions|vertices|rays?(_[od])?|directions?|pcd|point_?cloud)",
     ("B", "N", "3"), "float"),
    (r".*(hidden(_states?)?|embeds?|embeddings?|context|memory|encoder.*|src|tgt|seq|queries|query"
     r"|keys?|tokens_.*|cond(itioning)?"
     r"|sequence|time_?series|past.*|q|k|v|series|history|features)", ("B", "T", "D"), "float"),
    (r"(.*_)?(z|latent|noise|style|cond|state|obs|observation|vec(tor)?|emb|temb|time_?emb|params?|u"
     r"|logits?|mu|logvar|mean|var)",
     ("B", "D"), "float"),
)  # fmt: skip
_TENSOR_PATTERNS = tuple((re.compile(f"^(?:{pattern})$"), dims, kind) for pattern, dims, kind in _TENSORS)


_NODE_IDS = ("batch", "batch_index", "batch_idx", "node_type", "species")


def is_edges(name: str) -> bool:
    """Return whether an argument of this name holds the edges of a graph."""
    return re.match(r"^(edge_?index(es)?|adj(acency)?(_.*)?|edges?)$", name.lower()) is not None


def tensor_for(name: str, known_sizes: Mapping[str, int], on_graph: bool = False) -> TensorInput | None:
    """Return the likely tensor for an argument of this name, or None if the name matches no pattern."""
    lower = name.lower().strip("_")
    if on_graph and lower in _NODE_IDS:
        return tensor_of_kind(("N",), "ids", known_sizes)
    for pattern, dims, kind in _TENSOR_PATTERNS:
        if pattern.match(lower):
            return tensor_of_kind(dims, kind, known_sizes)
    return None


def kind_for(name: str, on_graph: bool = False) -> str:
    """Return the likely kind of elements for this name: "ids", "mask", "length", "ones" or "float"."""
    lower = name.lower().strip("_")
    if on_graph and lower in _NODE_IDS:
        return "ids"
    return next((kind for pattern, _, kind in _TENSOR_PATTERNS if pattern.match(lower)), "float")


def tensor_of_kind(dims: tuple[str, ...], kind: str, known_sizes: Mapping[str, int]) -> TensorInput:
    """Return a tensor with these dimensions and this kind of elements."""
    shape = tuple(dim_size(dim, known_sizes) for dim in dims)
    if kind == "ids":
        return TensorInput(shape, "int64", "integers", ID_BOUND, dims)
    if kind == "mask":
        return TensorInput(shape, "bool", "ones", 0, dims)
    if kind == "length":
        return TensorInput(shape, "int64", "full", LENGTH, dims)
    return TensorInput(shape, "float32", "ones" if kind == "ones" else "normal", 0, dims)


def scalar_for(name: str, expected_type: type | None = None) -> PlainInput | None:
    """Return a number, flag or string for an argument of this name."""
    lower = name.lower()
    if expected_type is str:
        return PlainInput(word_for(name))
    if re.match(r"^(h|w|height|width|resolution|image_?size|img_?size|grid_size)$", lower):
        return PlainInput(SIDE)
    if re.match(
        r"^(.*_)?(step|index|idx|i|layer_id|offset|start_pos|pos|epoch|iteration)$", lower
    ) and expected_type in (
        int,
        None,
    ):
        return PlainInput(0)
    value = number_for(name, expected_type)
    return None if value is None else PlainInput(value)
