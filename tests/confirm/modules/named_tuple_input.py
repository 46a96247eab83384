from typing import NamedTuple, Optional

import torch
from torch import nn


class Observation(NamedTuple):
    image: torch.Tensor  # [B, C, H, W]
    state: torch.Tensor  # [B, state_dim]
    last_action: torch.Tensor  # [B], ids
    reward: Optional[torch.Tensor] = None


class ActorCritic(nn.Module):
    def __init__(self, state_dim: int, num_actions: int, in_channels: int = 4, hidden: int = 128):
        super().__init__()
        self.cnn = nn.Sequential(
            nn.Conv2d(in_channels, 16, 8, stride=4),
            nn.ReLU(),
            nn.Conv2d(16, 32, 4, stride=2),
            nn.ReLU(),
            nn.Flatten(),
            nn.Linear(32 * 9 * 9, hidden),
        )
        self.proprio = nn.Linear(state_dim, hidden)
        self.action = nn.Embedding(num_actions, hidden)
        self.policy = nn.Linear(hidden, num_actions)
        self.value = nn.Linear(hidden, 1)

    def forward(self, obs: Observation):
        h = torch.relu(self.cnn(obs.image / 255.0)) + self.proprio(obs.state) + self.action(obs.last_action)
        if obs.reward is not None:
            h = h + obs.reward[:, None]
        return self.policy(h), self.value(h).squeeze(-1)
