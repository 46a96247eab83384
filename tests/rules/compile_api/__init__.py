"""Examples of the rules in ``rules/compile_api``, besides those in the modules of the rules."""
