"""Operators and methods of tensors, and what they give back."""

import torch


# %% break_in_callee | torch.randn(3)
def inner_loop(x):
    for i in range(3):
        x = x + 1
        print("a")  # breaks: GB0059
    return x


def f(x):
    y = x + 1
    y = inner_loop(y)
    return y * 2


# %% call_callee_in_loop | torch.randn(3)
def helper_break(x):
    print("a")  # breaks: GB0059
    return x + 1


def f(x):
    for i in range(2):
        x = helper_break(x)
    return x


# %% item_cap | torch.randn(3)
torch._dynamo.config.capture_scalar_outputs = True


def f(x):
    return x + x.sum().item()


# %% int_cap | torch.tensor([1, 2, 3])
torch._dynamo.config.capture_scalar_outputs = True


def f(x):
    return x + int(x.sum())


# %% if_item_cap | torch.randn(3)
torch._dynamo.config.capture_scalar_outputs = True


def f(x):
    if x.sum().item() > 0:  # breaks: GB0170
        return x + 1
    return x - 1


# %% slice_item_cap | torch.tensor([1, 2, 3])
torch._dynamo.config.capture_scalar_outputs = True


def f(x):
    return x[: x[0].item()]


# %% range_item_cap | torch.tensor([1, 2, 3])
torch._dynamo.config.capture_scalar_outputs = True


def f(x):
    for i in range(x[0].item()):  # breaks
        x = x + 1
    return x


# %% nonzero_cap | torch.randn(3)
torch._dynamo.config.capture_dynamic_output_shape_ops = True


def f(x):
    return x.nonzero() + 1


# %% boolidx_cap | torch.randn(3)
torch._dynamo.config.capture_dynamic_output_shape_ops = True


def f(x):
    return x[x > 0] + 1


# %% boolidx_shapeif_cap | torch.randn(3)
torch._dynamo.config.capture_dynamic_output_shape_ops = True


def f(x):
    y = x[x > 0]
    if y.shape[0] > 0:  # breaks: GB0170
        return y + 1
    return x


# %% unique_cap | torch.randn(3)
torch._dynamo.config.capture_dynamic_output_shape_ops = True


def f(x):
    return torch.unique(x)


# %% lstsq_cap | torch.randn(3)
torch._dynamo.config.capture_dynamic_output_shape_ops = True


def f(x):
    return torch.linalg.lstsq(x.view(3, 1), x.view(3, 1))[0]  # breaks: GB0037


# %% bincount_cap | torch.tensor([1, 2, 3])
torch._dynamo.config.capture_dynamic_output_shape_ops = True


def f(x):
    return torch.bincount(x)


# %% uniq_dim_cap | torch.randn(3)
torch._dynamo.config.capture_dynamic_output_shape_ops = True


def f(x):
    return torch.unique(x.view(3, 1), dim=0)


# %% gradfn_interm | torch.randn(3, requires_grad=True)
def f(x):
    y = x * 2
    return y if y.grad_fn is not None else x  # breaks: GB0104


# %% register_hook_handle | torch.randn(3, requires_grad=True)
def f(x):
    y = x * 2
    h = y.register_hook(lambda g: g * 2)
    h.remove()  # breaks
    return y


# %% register_hook_print | torch.randn(3, requires_grad=True)
def f(x):
    y = x * 2
    y.register_hook(lambda g: print(g))  # breaks: GB0059
    return y  # breaks: GB0013


# %% hook_append | torch.randn(3, requires_grad=True)
def f(x):
    l = []
    y = x * 2
    y.register_hook(l.append)  # breaks: GB0067
    return y  # breaks: GB0013


# %% hook_contig | torch.randn(3, requires_grad=True)
def f(x):
    y = x * 2
    y.register_hook(lambda g: g if g.is_contiguous() else g.contiguous())  # breaks: GB7444
    return y  # breaks: GB0013


# %% backward | torch.randn(3, requires_grad=True)
def f(x):
    y = (x * 2).sum()
    y.backward()  # breaks: GB0123
    return y


# %% backward_trace | torch.randn(3, requires_grad=True)
torch._dynamo.config.trace_autograd_ops = True


def f(x):
    y = (x * 2).sum()
    y.backward()
    return y.detach()


# %% autograd_grad | torch.randn(3, requires_grad=True)
def f(x):
    return torch.autograd.grad((x * 2).sum(), x)[0]  # breaks: GB9186


# %% func_grad | torch.randn(3)
def f(x):
    return torch.func.grad(lambda t: (t * t).sum())(x)


# %% func_vmap | torch.randn(3)
def f(x):
    return torch.func.vmap(lambda t: t * 2)(x)


# %% vmap_item | torch.randn(3)
def f(x):
    return torch.func.vmap(lambda t: t * t.sum())(x)


# %% requires_grad_noop | torch.randn(3, requires_grad=True)
def f(x):
    x.requires_grad_(True)
    return x * 2


# %% getitem_t | torch.tensor([1, 2, 3])
def f(x):
    return torch.arange(10.0)[x]


# %% slice_t | torch.tensor([1, 2, 3])
def f(x):
    return torch.arange(10.0)[: x[0]]  # breaks: GB0124


# %% shape_idx_t | torch.tensor([1, 2, 3])
def f(x):
    return x + x.shape[x[0] - 1]  # breaks: GB0124


# %% view_t | torch.tensor([1, 2, 3])
def f(x):
    return torch.arange(6.0).view(x[0], -1)  # breaks: GB0033


# %% reshape_t | torch.tensor([1, 2, 3])
def f(x):
    return torch.arange(6.0).reshape(x[1], 3)  # breaks: GB0033


# %% zeros_t | torch.tensor([1, 2, 3])
def f(x):
    return torch.zeros(x[0])  # breaks: GB0033


# %% expand_t | torch.tensor([1, 2, 3])
def f(x):
    return torch.ones(1).expand(x[1])  # breaks: GB0033


# %% split_list_t | torch.tensor([1, 2, 3])
def f(x):
    return torch.ones(6).split([x[0], x[1], x[2]])  # breaks: GB0033


# %% narrow_t | torch.tensor([1, 2, 3])
def f(x):
    return torch.ones(6).narrow(0, x[0], 2)  # breaks: GB0033


# %% topk_t | torch.tensor([1, 2, 3])
def f(x):
    return torch.ones(6).topk(x[1])  # breaks: GB0033


# %% named | torch.randn(3)
def f(x):
    return x.rename("a")  # breaks: GB0088


# %% refine | torch.randn(3)
def f(x):
    return x.align_to("a")  # breaks: GB0088


# %% wait | torch.randn(3)
def f(x):
    return x.wait()  # breaks: GB0088


# %% unknown | torch.randn(3)
def f(x):
    return x.foo()  # breaks: GB0088


# %% round | torch.randn(3)
def f(x):
    return round(x.sum())  # breaks: GB6270


# %% tensor_divmod | torch.randn(3)
def f(x):
    return divmod(x, 2)  # breaks: GB0088


# %% boolidx_byte | torch.randn(3)
def f(x):
    return x[(x > 0).byte()]  # breaks: GB4315


# %% one_hot | torch.tensor([1, 2, 3])
import torch.nn.functional as F


def f(x):
    return F.one_hot(x)  # breaks: GB0246


# %% one_hot_n | torch.tensor([1, 2, 3])
import torch.nn.functional as F


def f(x):
    return F.one_hot(x, 5)


# %% ri_t | torch.tensor([1, 2, 3])
def f(x):
    return torch.repeat_interleave(x, x)  # breaks: GB0036


# %% ri_size | torch.tensor([1, 2, 3])
def f(x):
    return torch.repeat_interleave(x, x, output_size=6)


# %% inv | torch.randn(3, 3)
def f(x):
    return torch.linalg.inv(x)


# %% eig | torch.randn(3, 3)
def f(x):
    return torch.linalg.eig(x)


# %% pinv | torch.randn(3, 3)
def f(x):
    return torch.linalg.pinv(x)


# %% cond | torch.randn(3, 3)
def f(x):
    return torch.linalg.cond(x)


# %% svd_lowrank | torch.randn(3, 3)
def f(x):
    return torch.svd_lowrank(x, 2)


# %% matrix_exp | torch.randn(3, 3)
def f(x):
    return torch.matrix_exp(x)


# %% cdist | torch.randn(3, 3)
def f(x):
    return torch.cdist(x, x)


# %% clip_grad_err | torch.randn(3)
def f(x):
    x.grad = torch.ones(3)
    return torch.nn.utils.clip_grad_norm_([x], 1.0, error_if_nonfinite=True)  # breaks: GB0170


# %% as_tensor_list | torch.randn(3)
def f(x):
    return torch.as_tensor([x[0], x[1]])  # breaks: GB4315


# %% size_after_break | torch.randn(4), torch.tensor(1.0), torch.tensor(2)
def f(x: torch.Tensor, share: torch.Tensor, n: torch.Tensor):
    k = torch.ceil(share).long()
    if k < n:  # breaks: GB0170
        k = n
    most = x.topk(k).values
    new = k + 1
    return most.sum() + x.topk(new).values  # breaks: GB0033


# %% size_made_in_branch | torch.randn(4), torch.tensor(1.0), torch.tensor(2)
def f(x: torch.Tensor, share: torch.Tensor, n: torch.Tensor):
    k = n
    if share < n:  # breaks: GB0170
        k = torch.ceil(share).long()
    return x.topk(k).values  # breaks: GB0033
