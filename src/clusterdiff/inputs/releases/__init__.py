"""Releases of one clustering over time, wherever they are: in memory, or tables of an engine."""
