"""clusterdiff.cli."""
