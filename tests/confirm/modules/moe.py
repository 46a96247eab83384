import torch
from torch import nn


class Expert(nn.Module):
    def __init__(self, dim, hidden):
        super().__init__()
        self.w1 = nn.Linear(dim, hidden, bias=False)
        self.w2 = nn.Linear(hidden, dim, bias=False)
        self.w3 = nn.Linear(dim, hidden, bias=False)

    def forward(self, x):
        return self.w2(nn.functional.silu(self.w1(x)) * self.w3(x))


class SparseMoE(nn.Module):
    def __init__(self, args):
        super().__init__()
        self.top_k = args.num_experts_per_tok
        self.num_experts = args.num_experts
        self.gate = nn.Linear(args.dim, args.num_experts, bias=False)
        self.experts = nn.ModuleList([Expert(args.dim, args.ffn_dim) for _ in range(args.num_experts)])

    def forward(self, inputs):
        # inputs: (batch, seq, dim)
        flat = inputs.view(-1, inputs.shape[-1])
        weights, chosen = torch.topk(self.gate(flat), self.top_k)
        weights = weights.softmax(dim=-1)
        out = torch.zeros_like(flat)
        for i, expert in enumerate(self.experts):
            rows, nth = torch.where(chosen == i)
            if rows.numel():
                out[rows] += weights[rows, nth, None] * expert(flat[rows])
        return out.view_as(inputs)
