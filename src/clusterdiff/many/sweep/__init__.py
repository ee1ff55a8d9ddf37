"""A clustering at every threshold of scored pairs, and its scores, in one pass."""
