"""Which column of a table holds the ids, the clusters, the degrees."""
