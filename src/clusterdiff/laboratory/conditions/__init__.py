"""The conditions (axioms), one file per group."""
