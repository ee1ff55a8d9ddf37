"""Labels and ids as whole numbers: arrays, text, sets, grouping."""
