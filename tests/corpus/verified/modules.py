"""Modules: each function was run under PyTorch 2.13; the comment above it says whether it breaks."""

import collections
import torch
import torch.nn as nn
import torch.nn.functional as F

linear = nn.Linear(3, 3)


layers = nn.ModuleList([nn.Linear(3, 3), nn.Linear(3, 3)])


named_layers = nn.ModuleDict({'a': nn.Linear(3, 3)})


pipeline = nn.Sequential(nn.Linear(3, 3), nn.ReLU())


long_memory = nn.LSTM(3, 3)


recurrent = nn.RNN(3, 3)


memory_cell = nn.LSTMCell(3, 3)


# breaks
@torch.compile
def case_as_subclass(t: torch.Tensor):
    return t.as_subclass(torch.nn.Parameter)


# breaks
@torch.compile
def case_pack_padded(t: torch.Tensor):
    return torch.nn.utils.rnn.pack_padded_sequence(t.view(1, 3, 1), torch.tensor([3]), batch_first=True).data


# breaks
@torch.compile
def case_pack_seq(t: torch.Tensor):
    return torch.nn.utils.rnn.pack_sequence([t]).data


# whole
@torch.compile
def case_pad_seq(t: torch.Tensor):
    return torch.nn.utils.rnn.pad_sequence([t, t[:2]])


# whole
@torch.compile
def case_p2v(t: torch.Tensor):
    return torch.nn.utils.parameters_to_vector([t, t])


# whole
@torch.compile
def case_cudnn_bench(t: torch.Tensor):
    torch.backends.cudnn.benchmark = True
    return t + 1


# whole
@torch.compile
def case_cudnn_read(t: torch.Tensor):
    return t + 1 if torch.backends.cudnn.enabled else t


# breaks
@torch.compile
def case_counter_most_common(t: torch.Tensor):
    return t + collections.Counter('aab').most_common(1)[0][1]


# breaks
@torch.compile
def case_skip_init(t: torch.Tensor):
    return torch.nn.utils.skip_init(torch.nn.Linear, 3, 3)(t)


# whole
@torch.compile
def case_import_torch_sub(t: torch.Tensor):
    import torch.nn.functional as F
    return F.relu(t)


# breaks
@torch.compile
def case_modlist_indexed_tensor(t: torch.Tensor):
    return layers[t.argmax()](t)


# whole
@torch.compile
def case_moddict(t: torch.Tensor):
    return named_layers['a'](t)


# whole
@torch.compile
def case_sequential(t: torch.Tensor):
    return pipeline(t)


# breaks
@torch.compile
def case_lstm(t: torch.Tensor):
    return long_memory(t[None])[0]


# breaks
@torch.compile
def case_rnn(t: torch.Tensor):
    return recurrent(t[None])[0]


# whole
@torch.compile
def case_lstmcell(t: torch.Tensor):
    return memory_cell(t[None])[0]


# breaks
@torch.compile
def case_new_linear(t: torch.Tensor):
    return nn.Linear(3, 3)(t)


# whole
@torch.compile
def case_new_loss(t: torch.Tensor):
    return nn.MSELoss()(t, t)


# whole
@torch.compile
def case_new_celoss_w(t: torch.Tensor):
    return nn.CrossEntropyLoss(weight=torch.ones(3))(t[None], torch.tensor([1]))


# breaks
@torch.compile
def case_new_param(t: torch.Tensor):
    return nn.Parameter(torch.ones(3)) + t


# whole
@torch.compile
def case_new_param_inp(t: torch.Tensor):
    return nn.Parameter(t) + 1


# whole
@torch.compile
def case_new_buffer(t: torch.Tensor):
    return nn.Buffer(t) + 1


# breaks
@torch.compile
def case_new_layernorm(t: torch.Tensor):
    return nn.LayerNorm(3)(t)


# whole
@torch.compile
def case_new_layernorm_na(t: torch.Tensor):
    return nn.LayerNorm(3, elementwise_affine=False)(t)


# whole
@torch.compile
def case_module_init_xavier(t: torch.Tensor):
    other = torch.empty(3, 3)
    nn.init.xavier_uniform_(other)
    return other


# whole
@torch.compile
def case_module_init_orth(t: torch.Tensor):
    other = torch.empty(3, 3)
    nn.init.orthogonal_(other)
    return other


# breaks
@torch.compile
def case_module_init_trunc(t: torch.Tensor):
    other = torch.empty(3, 3)
    nn.init.trunc_normal_(other)
    return other


# breaks
@torch.compile
def case_one_hot_neg(t: torch.Tensor):
    return torch.nn.functional.one_hot(t.long(), -1)


# whole
@torch.compile
def case_buffers_after(t: torch.Tensor):
    return linear(t)
