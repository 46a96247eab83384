"""Names of parameters, and the values that they hint at."""

from __future__ import annotations

from typing import Final

from gblint.values.base import GUESSED_INPUT, UNKNOWN, Value

# Names of parameters that are not tensors: whole names, last words and first words.
_PLAIN: Final = frozenset(
    (
        "use is has do return output enable disable with should apply add skip only num n max min no keep "
        "training train verbose inplace causal deterministic generator device dtype mode name key prefix eps "
        "epsilon scale factor dim dims axis kwargs config cfg args opts opt options callback fn func function "
        "reduction size shape height width h w batch_size seq_len length step steps idx index i j layer_idx stage "
        "temp temperature top_k top_p p dropout rank cache past_key_values past_key_value tokenizer processor "
        "scheduler model module layer info infos meta metadata metas path file prompt text logger optimizer "
        "closure seed window_size kernel_size stride padding dilation groups bias resolution"
    ).split()
)
_LAST: Final = frozenset(
    (
        "fn func size dim dims len length idx index type mode name names kwargs config cfg eps only flag factor "
        "path dict cache shape shapes rate prob scale kernel callback steps implementation offset ratio threshold "
        "level count info infos loops limit meta metadata metas interval every iters iterations temp temperature "
        "dtype device options resolution resolutions bucket buckets"
    ).split()
)
_FIRST: Final = frozenset(
    (
        "use is has do return output enable disable with should num max min no n calc compute force allow early "
        "straight"
    ).split()
)


def is_plain(name: str) -> bool:
    """Return whether a parameter of this name is mostly a number, a text, an option or an object, not a tensor."""
    first, underscore, _ = name.partition("_")
    before, _, last = name.rpartition("_")
    return name in _PLAIN or bool(underscore and first in _FIRST) or bool(before and last in _LAST)


def guess(name: str) -> Value:
    """Return the value of an argument without a default of which nothing is known but its name."""
    return UNKNOWN if is_plain(name) else GUESSED_INPUT
