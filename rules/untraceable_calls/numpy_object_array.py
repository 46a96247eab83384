"""An array of Python objects or of text has no counterpart in torch.

Dynamo traces an array as a tensor. An array whose dtype is `object` or text (labels, paths, ragged rows) breaks where
the compiled code first uses it, even if it only reads its length; `array.astype(object)` breaks too. The rest of the
function runs eagerly.

**Instead** keep labels in a list, which Dynamo supports, and numbers in arrays or tensors of a numeric dtype.
"""

from __future__ import annotations

from gblint.rules.examples import Example
from gblint.rules.rule import On, Rule


class NumpyObjectArray(Rule):
    """GBL431."""

    code = "GBL431"
    name = "numpy-object-array"
    summary = "an array of Python objects or text in the region"
    gb_ids = ("GB0185", "GB0250")
    on = (On("tensor-layout", ("object",)), On("call", ("numpy.ndarray.astype",)))
    message_template = "`{expression}` creates an array of Python objects"
    help_template = "use a list for objects and text, and a numeric dtype for numbers"
    wording = (("object", "`{expression}` uses an array of Python objects or text", help_template),)
    BREAKS = (
        Example(
            """\
import numpy as np
import torch

LABELS = np.array(["cat", "dog"])


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    return y * len(LABELS)  # breaks: GB0185
""",
        ),
    )
    CLEAN = (
        Example(
            """\
import numpy as np
import torch

LABELS = ["cat", "dog"]
SCALES = np.array([1.0, 2.0, 3.0, 4.0])


def f(x: torch.Tensor) -> torch.Tensor:
    return x * len(LABELS) * torch.from_numpy(SCALES) * len(SCALES)
""",
        ),
    )
