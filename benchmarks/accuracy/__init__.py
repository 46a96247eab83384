"""How often gblint is right: its findings beside the graph breaks that torch.compile really made."""
