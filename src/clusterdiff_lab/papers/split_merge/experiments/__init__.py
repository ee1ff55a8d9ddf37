"""The experiment of the split-merge paper."""

from clusterdiff_lab.papers.experiments import Experiment

EXPERIMENTS = (
    Experiment(
        "split-merge",
        "worsening",
        "Figure 3",
        "six measures as a clustering worsens",
        "any file of a partition",
    ),
)
