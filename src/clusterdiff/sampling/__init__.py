"""Scores from a sample of the truth: `draw`, `estimate` and labelled pairs."""
