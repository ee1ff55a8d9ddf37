"""clusterdiff.chance."""
