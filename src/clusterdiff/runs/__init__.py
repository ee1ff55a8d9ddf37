"""clusterdiff.runs."""
