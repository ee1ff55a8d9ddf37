"""Scores of guesses against the truth: `compare`, its report, the scorer and the accumulator."""
