"""Methods by whose names alone something unknown is taken for a tensor."""

from __future__ import annotations

from typing import Final

# Hardly any class but a tensor has them: arrays, dataframes, images and dictionaries lack them.
OF_TENSORS: Final = frozenset(
    "bmm clamp clamp_ clamp_max clamp_min contiguous detach expand_as gather index_add_ index_copy_ index_fill "
    "index_put_ index_select log_softmax logical_and logical_not logical_or logsumexp masked_fill masked_fill_ "
    "masked_select nan_to_num new_empty new_full new_ones new_tensor new_zeros repeat_interleave scatter_ scatter_add "
    "scatter_add_ scatter_reduce sigmoid softmax topk tril triu type_as unsqueeze unsqueeze_ view_as".split()
)

# Arrays have most of them, too, and other objects some. They count in a call with nothing but dimensions and options.
OF_TENSORS_WITH_DIMENSIONS: Final = frozenset(
    "abs all any argmax argmin item max mean min norm requires_grad_ sum tolist".split()
)
