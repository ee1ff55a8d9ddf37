"""Several clusterings of the same objects: `matrix`, its stability, and `consensus`."""
