"""clusterdiff.explain."""
