"""gblint: the linter for torch.compile."""

__version__ = "0.1.0"
