"""Wrong uses of ``torch.compile`` (GBL830 to GBL839)."""
