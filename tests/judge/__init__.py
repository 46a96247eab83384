"""Comparison of gblint with Dynamo on the examples of the rules."""
