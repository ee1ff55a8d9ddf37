"""Estimates from a sample of truth: the verbs, and what comes out."""
