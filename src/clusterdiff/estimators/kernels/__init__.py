"""Compiled passes over the objects."""
