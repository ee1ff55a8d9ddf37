"""Verbs for many clusterings at once."""
