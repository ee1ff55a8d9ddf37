"""Hypothesis runs the same on every machine: no deadline, a fixed seed."""

from hypothesis import settings

settings.register_profile("clusterdiff", deadline=None, derandomize=True, max_examples=60)
settings.load_profile("clusterdiff")
