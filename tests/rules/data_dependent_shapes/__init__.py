"""Examples of the rules in ``rules/data_dependent_shapes``, besides those in the modules of the rules."""
