"""Ways to carry a measure of partitions over to uncertain clusterings: exact, bounds, samples."""
