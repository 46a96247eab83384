"""Examples of the rules in ``rules/configuration``, besides those in the modules of the rules."""
