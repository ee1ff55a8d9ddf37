"""Engines: they match objects and count, and know no measure."""
