"""Examples of the rules in ``rules/divergence``, besides those in the modules of the rules."""
