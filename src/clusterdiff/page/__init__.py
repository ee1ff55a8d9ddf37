"""clusterdiff.page."""
