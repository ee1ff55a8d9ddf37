"""The backend in memory: NumPy arrays, matched by id and grouped."""
