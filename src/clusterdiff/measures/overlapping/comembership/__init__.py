"""Objects that share clusters with an object: one sum, three algorithms."""
