"""The abstract values: what Dynamo calls ``VariableTracker``s, one family a module."""
