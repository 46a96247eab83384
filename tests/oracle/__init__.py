"""Dynamo as the oracle of the tests: runs of examples, fixes and facts, and the comparison of gblint with them."""
