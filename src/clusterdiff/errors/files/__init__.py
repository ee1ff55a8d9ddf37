"""Errors of files: how they are read, found, and which of their columns are meant."""
