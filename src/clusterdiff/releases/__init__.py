"""clusterdiff.releases."""
