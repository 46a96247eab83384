"""Autograd: each function was run under PyTorch 2.13; the comment above it says whether it breaks."""

import torch
import torch.nn as nn

linear = nn.Linear(3, 3)


optimizer = torch.optim.SGD(linear.parameters(), lr=0.1)


# whole
@torch.compile
def case_gradfn_input(t: torch.Tensor):
    return t + 1 if t.grad_fn is None else t


# whole
@torch.compile
def case_grad_attribute(t: torch.Tensor):
    return t + 1 if t.grad is None else t


# whole
@torch.compile
def case_set_grad_none(t: torch.Tensor):
    t.grad = None
    return t + 1


# whole
@torch.compile
def case_set_grad(t: torch.Tensor):
    t.grad = t.detach() * 2
    return t + 1


# whole
@torch.compile
def case_function_grad(t: torch.Tensor):
    return torch.func.grad(lambda t: (t * t).sum())(t)


# breaks
@torch.compile
def case_requires_grad_inp(t: torch.Tensor):
    t.requires_grad_()
    return t * 2


# whole
@torch.compile
def case_requires_grad_integer_noret(t: torch.Tensor):
    other = t * 2
    other.requires_grad_()
    return other.detach()


# breaks
@torch.compile
def case_requires_grad_attribute(t: torch.Tensor):
    t.requires_grad = True
    return t * 2


# breaks
@torch.compile
def case_ctor_rg(t: torch.Tensor):
    return torch.zeros(3, requires_grad=True) + t


# breaks
@torch.compile
def case_rand_rg(t: torch.Tensor):
    return torch.randn(3, requires_grad=True) + t


# breaks
@torch.compile
def case_tensor_rg(t: torch.Tensor):
    return torch.tensor([1.0, 2.0], requires_grad=True)


# whole
@torch.compile
def case_clip_grad(t: torch.Tensor):
    return torch.nn.utils.clip_grad_norm_([t], 1.0)


# whole
@torch.compile
def case_clip_value(t: torch.Tensor):
    return torch.nn.utils.clip_grad_value_([t], 1.0)


# whole
@torch.compile
def case_set_grad_function(t: torch.Tensor):
    torch.set_grad_enabled(False)
    other = t + 1
    torch.set_grad_enabled(True)
    return other


# breaks
@torch.compile
def case_reg_hook_inside(t: torch.Tensor):
    handle = linear.register_forward_hook(lambda member, index, thing: thing * 2)
    other = linear(t)
    handle.remove()
    return other


# whole
@torch.compile
def case_global_fwd_hook(t: torch.Tensor):
    return linear(t)


# breaks
@torch.compile
def case_opt_step(t: torch.Tensor):
    optimizer.zero_grad()
    return t + 1
