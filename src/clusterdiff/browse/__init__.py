"""Reviewing: the browser of a comparison, the decisions made in it, and what follows from them."""
