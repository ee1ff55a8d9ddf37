"""clusterdiff.statistics."""
