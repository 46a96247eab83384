"""Graph breaks that the code asks for (GBL801 to GBL809)."""
