"""clusterdiff_lab.catalogue."""
