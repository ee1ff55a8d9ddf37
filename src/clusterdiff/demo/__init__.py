"""Worked examples: a dozen records to look at, and a table of persons to work with."""
