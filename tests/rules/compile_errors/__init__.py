"""Examples of the rules in ``rules/compile_errors``, besides those in the modules of the rules."""
