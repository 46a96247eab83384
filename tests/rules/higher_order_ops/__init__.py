"""Examples of the rules in ``rules/higher_order_ops``, besides those in the modules of the rules."""
