import torch
import torch.nn as nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence


class BiLSTMTagger(nn.Module):
    def __init__(self, vocab_size, embedding_dim, hidden_dim, num_tags, num_layers=1):
        super().__init__()
        self.embed = nn.Embedding(vocab_size, embedding_dim)
        self.lstm = nn.LSTM(embedding_dim, hidden_dim // 2, num_layers, bidirectional=True, batch_first=True)
        self.fc = nn.Linear(hidden_dim, num_tags)

    def forward(self, sentences, lengths):
        embedded = self.embed(sentences)
        packed = pack_padded_sequence(embedded, lengths.cpu(), batch_first=True, enforce_sorted=False)
        packed_out, _ = self.lstm(packed)
        out, _ = pad_packed_sequence(packed_out, batch_first=True, total_length=sentences.size(1))
        mask = torch.arange(out.size(1), device=out.device)[None, :] < lengths[:, None].to(out.device)
        return self.fc(out) * mask.unsqueeze(-1)
