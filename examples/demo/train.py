"""Train a small classifier on random digits: python train.py"""

from __future__ import annotations

import torch

from digits.config import Config
from digits.model import Classifier


def main() -> None:
    config = Config()
    model = Classifier(config)
    compiled = torch.compile(model)
    optimizer = torch.optim.AdamW(model.parameters(), lr=config.lr)

    for step in range(config.steps):
        images = torch.rand(config.batch, config.size * config.size)
        labels = torch.randint(0, config.classes, (config.batch,))
        loss = compiled(images, labels, progress=step / config.steps)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(f"step {step}: loss {loss.item():.3f}")  # eager: no graph to break here


if __name__ == "__main__":
    main()
