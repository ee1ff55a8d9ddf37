"""Scores of labels that come in batches."""
