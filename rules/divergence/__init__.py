"""Code that Dynamo traces to something else than Python runs, without a graph break (GBL811 to GBL819)."""
