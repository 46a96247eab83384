"""Examples of the rules in ``rules/data_dependent_control_flow``, besides those in the modules of the rules."""
