"""The version of clusterdiff."""

__version__ = "0.1.0"
