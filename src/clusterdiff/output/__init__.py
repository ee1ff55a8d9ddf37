"""clusterdiff.output."""
