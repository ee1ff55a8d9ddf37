"""Confidence intervals and tests: what is resampled, how, and when to refuse."""
