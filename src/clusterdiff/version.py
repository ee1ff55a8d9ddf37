"""The version of clusterdiff: until 1.0 its middle number is raised whenever a number, a definition
or a digest changes, so that a signature says what a score was computed by.
"""

__version__ = "0.3.0"
