"""Scored pairs, dendrograms, a column per level: what a threshold is chosen from."""
