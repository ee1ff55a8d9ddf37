"""clusterdiff.compare."""
