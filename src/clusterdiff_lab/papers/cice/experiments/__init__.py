"""The experiments of the CICE-BCubed paper."""

from clusterdiff_lab.papers.experiments import Experiment

EXPERIMENTS = (
    Experiment("cice", "example", "Section 3", "its six objects, and where the two measures part"),
    Experiment(
        "cice", "perfect", "Section 3", "how often Extended BCubed is 1 for covers that differ"
    ),
)
