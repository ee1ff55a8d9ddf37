"""A sweep over thresholds: its lines, the best of them, and how they are printed."""
