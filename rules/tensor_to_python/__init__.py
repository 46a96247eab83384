"""Conversions of a tensor to a Python number, list, index, size or text (GBL1xx).

Dynamo traces with fake tensors, which have no values.
"""
