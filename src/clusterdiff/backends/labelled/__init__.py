"""Comparisons that keep the names of clusters and objects, for explain and diff."""
