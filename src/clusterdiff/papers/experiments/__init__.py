"""The experiments of four papers: each ends in a table or a picture.

>>> from clusterdiff.papers.experiments import experiment_named
>>> outcome = experiment_named("example").run()
>>> outcome.title
'Extended BCubed gives 1 to covers that differ, CICE-BCubed does not'
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from clusterdiff.errors import ClusterdiffError, did_you_mean
from clusterdiff.papers import TITLES
from clusterdiff.papers.experiments.outcome import Exhibit, Outcome, Picture, Setting

STREAMS = "page streams: columns stream, page, document"


@dataclass(frozen=True)
class Experiment:
    """An experiment by its name."""

    paper: str
    name: str
    place: str
    """Where it is in the paper."""
    says: str
    """What it shows, in a line."""
    data: str = ""
    """What --data holds for it; empty if it takes none."""

    def run(self, setting: Setting | None = None, **given: Any) -> Outcome:
        """Do it, e.g. run(seed=1)."""
        chosen = Setting(**given) if setting is None else setting
        if chosen.data is not None and not self.data:
            raise ClusterdiffError(
                f"the experiment {self.name} takes no data of one's own.", "leave --data out."
            )
        where = f"clusterdiff.papers.{self.paper.replace('-', '_')}.experiments.{self.name}"
        outcome: Outcome = import_module(where).run(chosen)
        return outcome


EXPERIMENTS = (
    Experiment("elm", "extremes", "Table 1", "each page alone, and all pages together", STREAMS),
    Experiment(
        "elm", "sizes", "Figure 1", "documents of 1 to 15 pages guessed everywhere", STREAMS,
    ),
    Experiment(
        "elm", "densities", "Figure 2",
        "how the scores of streams spread, for the extremes", STREAMS,
    ),
    Experiment(
        "elm", "hierarchical", "Table 2, Figure 3",
        "neighbouring pages joined if they read alike", f"{STREAMS}, text",
    ),
    Experiment(
        "elm", "difference", "Figure 4",
        "what ELM takes off, by the mean length of documents", f"{STREAMS}, text",
    ),
    Experiment("cice", "example", "Section 3", "its six objects, and where the two measures part"),
    Experiment(
        "cice", "perfect", "Section 3", "how often Extended BCubed is 1 for covers that differ",
    ),
    Experiment(
        "split-merge", "worsening", "Figure 3",
        "six measures as a clustering worsens", "any file of a partition",
    ),
    Experiment("soft", "iris", "Table 2", "five algorithms on Iris, three ways to score each"),
    Experiment("soft", "simulated", "Figures 3 and 4", "the same on 10,000 objects, pair by pair"),
)  # fmt: skip


def experiment_named(name: str, papers: Collection[str] = tuple(TITLES)) -> Experiment:
    """The experiment with this name in one of these papers, or an error with those there are."""
    found = {one.name: one for one in EXPERIMENTS}
    if name not in found:
        offered = [one.name for one in EXPERIMENTS if one.paper in papers]
        raise ClusterdiffError(
            f"no experiment is called {name!r}.",
            f"{did_you_mean(name, list(found))}There are {', '.join(offered)}; or all.",
        )
    if found[name].paper not in papers:
        raise ClusterdiffError(
            f"{name} is an experiment of another paper.",
            f"clusterdiff reproduce {found[name].paper} --experiment {name}",
        )
    return found[name]


def listed() -> str:
    """All experiments, a line each, for help."""
    wide = max(len(f"{one.paper} {one.name}") for one in EXPERIMENTS)
    return "\n".join(f"  {f'{one.paper} {one.name}':<{wide}}  {one.says}" for one in EXPERIMENTS)


__all__ = [
    "EXPERIMENTS",
    "Exhibit",
    "Experiment",
    "Outcome",
    "Picture",
    "Setting",
    "experiment_named",
]
