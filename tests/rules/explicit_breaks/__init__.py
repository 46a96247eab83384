"""Examples of the rules in ``rules/explicit_breaks``, besides those in the modules of the rules."""
