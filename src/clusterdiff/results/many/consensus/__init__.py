"""The consensus of several runs as a result: weights, numbers, text, files."""
