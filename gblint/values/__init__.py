"""The abstract values: ``VariableTracker``s in Dynamo, one family in each module."""
