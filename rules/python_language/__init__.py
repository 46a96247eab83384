"""Statements, objects and operations of Python that Dynamo does not support (GBL5xx)."""
