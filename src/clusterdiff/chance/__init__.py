"""How high scores are by chance: adjusted scores, null models, and the verb `chance`."""
