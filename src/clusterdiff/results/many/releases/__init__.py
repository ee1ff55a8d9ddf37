"""Releases in order: new runs under old ids, and what became of clusters."""
