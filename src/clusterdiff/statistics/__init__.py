"""How sure a score is: intervals, tests, estimates from sampled truth, and chance."""
