"""Operators whose output shape depends on the values of their input (GBL3xx)."""
