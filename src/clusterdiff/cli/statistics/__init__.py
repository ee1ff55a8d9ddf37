"""Verbs that say how sure a score is."""
