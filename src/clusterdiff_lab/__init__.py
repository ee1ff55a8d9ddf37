"""clusterdiff_lab."""
