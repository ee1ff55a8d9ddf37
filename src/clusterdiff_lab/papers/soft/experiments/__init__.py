"""The paper on soft clusterings: five algorithms, and the intervals of what they find."""

from clusterdiff_lab.papers.experiments import Experiment

EXPERIMENTS = (
    Experiment("soft", "iris", "Table 2", "five algorithms on Iris, three ways to score each"),
    Experiment("soft", "simulated", "Figures 3 and 4", "the same on 10,000 objects, pair by pair"),
)
