"""Which rows, clusters and objects a score loses by."""
