"""Examples of the rules in ``rules/recompiles``, besides those in the modules of the rules."""
