"""clusterdiff.sweep."""
