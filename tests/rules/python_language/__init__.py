"""Examples of the rules in ``rules/python_language``, besides those in the modules of the rules."""
