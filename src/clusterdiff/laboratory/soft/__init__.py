"""Uncertain clusterings: small spaces of them, searches, and metric conditions."""
