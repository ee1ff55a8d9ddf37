"""Measures of fuzzy, possibilistic, rough and evidential clusterings."""
