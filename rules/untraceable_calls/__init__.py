"""Calls that Dynamo cannot trace, of functions of the standard library, NumPy, torch and other packages (GBL4xx)."""
