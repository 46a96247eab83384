"""Libraries that compile the models that they are given."""

from __future__ import annotations

# Their options and classes that turn compilation on; a file without these words does not use them.
COMPILE_OPTIONS = ("torch_compile", "dynamo_backend", "dynamo_plugin", "TorchDynamoPlugin")
