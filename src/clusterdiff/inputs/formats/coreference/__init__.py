"""Coreference: mentions of entities in documents."""
