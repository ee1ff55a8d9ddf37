"""Ids over the releases of a clustering: `relabel` and `track`."""
