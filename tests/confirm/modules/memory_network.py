import torch
import torch.nn as nn


class MemN2N(nn.Module):
    def __init__(self, params):
        super().__init__()
        self.hops = params["hops"]
        vocab_size = params["vocab_size"]
        emb_size = params["emb_size"]
        self.emb = nn.ModuleList([nn.Embedding(vocab_size, emb_size, padding_idx=0) for _ in range(self.hops + 1)])
        self.temporal = nn.Parameter(torch.randn(1, params["mem_size"], emb_size) * 0.1)
        self.linear = nn.Linear(emb_size, vocab_size)

    def forward(self, story, query):
        # story: (bs, mem_size, sentence_len), word ids
        # query: (bs, sentence_len), word ids
        u = self.emb[0](query).sum(dim=1)
        for hop in range(self.hops):
            m = self.emb[hop](story.view(story.size(0), -1))
            m = m.view(story.size(0), story.size(1), story.size(2), -1).sum(dim=2) + self.temporal
            c = self.emb[hop + 1](story).sum(dim=2) + self.temporal
            p = torch.softmax((m * u.unsqueeze(1)).sum(-1), dim=1)
            u = u + (c * p.unsqueeze(-1)).sum(dim=1)
        return self.linear(u)
