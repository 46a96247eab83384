"""How long gblint takes, and how much memory, against something that is run beside it."""
