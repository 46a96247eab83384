"""Blocks that are given functions: alone, in pairs through another class, and in a list."""

import torch
import torch.nn as nn


class Deterministic(nn.Module):
    def __init__(self, net):
        super().__init__()
        self.net = net

    def forward(self, *args):
        return self.net(*args)


class ReversibleBlock(nn.Module):
    def __init__(self, f, g):
        super().__init__()
        self.f, self.g = Deterministic(f), Deterministic(net=g)

    def forward(self, x):
        first, second = x.chunk(2, dim=-1)
        first = first + self.f(second)
        return torch.cat([first, second + self.g(first)], dim=-1)


class ReversibleSequence(nn.Module):
    def __init__(self, blocks, head, tail):
        super().__init__()
        self.blocks = nn.ModuleList([ReversibleBlock(f, g) for f, g in blocks])
        self.tail = nn.Sequential(*tail)
        self.head = head if head is not None else nn.Identity()

    def forward(self, x):
        for number, block in enumerate(self.blocks):
            x = block(x) + number
        return self.head(self.tail(x))


class Mixture(nn.Module):
    def __init__(self, experts, gates, width):
        super().__init__()
        self.experts, self.width = nn.ModuleList(experts), width
        self.gates = list(gates)

    def forward(self, x):
        for (number, expert), gate in zip(enumerate(self.experts), self.gates):
            x = gate(expert(x)) * number
        return x
