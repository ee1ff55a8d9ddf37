"""Scores at every threshold of scored pairs and trees: `sweep`."""
