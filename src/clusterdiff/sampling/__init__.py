"""clusterdiff.sampling."""
