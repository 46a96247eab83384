"""The project model: files, modules, imports and installed packages.

It reads source text and folder listings only; nothing is imported or run, and nothing here depends on torch.
"""
