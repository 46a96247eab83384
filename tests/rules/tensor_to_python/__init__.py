"""Examples of the rules in ``rules/tensor_to_python``, besides those in the modules of the rules."""
