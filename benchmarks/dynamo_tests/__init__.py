"""Accuracy on the functions of Dynamo's own test suite."""
