"""Two runs against one truth: what was repaired, what was broken."""
