"""Code for which Dynamo raises an error with any setting, not only under ``fullgraph=True`` (GBL820 to GBL829)."""
