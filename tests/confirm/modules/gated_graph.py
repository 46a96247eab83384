import torch
import torch.nn as nn


class GCNLayer(nn.Module):
    def __init__(self, in_features, out_features, bias=True):
        super().__init__()
        self.weight = nn.Parameter(torch.empty(in_features, out_features))
        self.bias = nn.Parameter(torch.zeros(out_features)) if bias else None
        nn.init.xavier_uniform_(self.weight)

    def forward(self, input, adj):
        support = torch.mm(input, self.weight)
        output = torch.spmm(adj, support)
        return output if self.bias is None else output + self.bias


class GCN(nn.Module):
    def __init__(self, nfeat, nhid, nclass, dropout):
        super().__init__()
        self.gc1 = GCNLayer(nfeat, nhid)
        self.gc2 = GCNLayer(nhid, nclass)
        self.gate = nn.GRUCell(nhid, nhid)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, adj):
        h = torch.relu(self.gc1(x, adj))
        h = self.gate(self.dropout(h), h)
        return torch.log_softmax(self.gc2(h, adj), dim=1)
