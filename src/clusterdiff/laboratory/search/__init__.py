"""The search for counterexamples: exhaustive, random, hill climbing."""
