"""Examples of the rules in ``rules/untraceable_calls``, besides those in the modules of the rules."""
