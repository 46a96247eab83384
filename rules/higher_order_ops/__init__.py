"""Arguments that higher-order operators such as ``torch.cond`` refuse (GBL620 to GBL629)."""
