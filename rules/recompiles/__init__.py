"""Code that makes Dynamo compile a function again (GBL7xx)."""
