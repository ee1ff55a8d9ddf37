"""Median partitions: the clustering with the least total distance to several runs, and a bound."""
