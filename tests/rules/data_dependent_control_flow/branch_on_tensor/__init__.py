"""More examples of GBL201, branch-on-tensor."""

from __future__ import annotations

from tests.rules.data_dependent_control_flow.branch_on_tensor import (
    changes_in_place,
    control_flow,
    fixes,
    skipped_layers,
)
from tests.rules.data_dependent_control_flow.branch_on_tensor.branches import BREAKS, CLEAN

__all__ = ["BREAKS", "CLEAN", "FIXES"]

FIXES = (*fixes.FIXES, *skipped_layers.FIXES, *control_flow.FIXES, *changes_in_place.FIXES)
