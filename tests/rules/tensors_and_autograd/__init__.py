"""Examples of the rules in ``rules/tensors_and_autograd``, besides those in the modules of the rules."""
