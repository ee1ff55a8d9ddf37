"""The experiments of four papers: each ends in a table or a picture.

>>> from clusterdiff_lab.papers.experiments import experiment_named
>>> outcome = experiment_named("example").run()
>>> outcome.title
'Extended BCubed gives 1 to covers that differ, CICE-BCubed does not'
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import Any

from clusterdiff.errors import ClusterdiffError, did_you_mean
from clusterdiff_lab.papers import TITLES
from clusterdiff_lab.papers.outcome import Exhibit, Outcome, Picture, Setting


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
        outcome: Outcome = import_module(f".{self.name}", _folder(self.paper).__name__).run(chosen)
        return outcome


@cache
def experiments() -> tuple[Experiment, ...]:
    """All experiments, paper by paper; the folder of a paper says which it has."""
    return tuple(one for paper in TITLES for one in _folder(paper).EXPERIMENTS)


def _folder(paper: str) -> Any:
    return import_module(f"clusterdiff_lab.papers.{paper.replace('-', '_')}.experiments")


def experiment_named(name: str, papers: Collection[str] = tuple(TITLES)) -> Experiment:
    """The experiment with this name in one of these papers, or an error with those there are."""
    found = {one.name: one for one in experiments()}
    if name not in found:
        offered = [one.name for one in experiments() if one.paper in papers]
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
    wide = max(len(f"{one.paper} {one.name}") for one in experiments())
    return "\n".join(f"  {f'{one.paper} {one.name}':<{wide}}  {one.says}" for one in experiments())


__all__ = [
    "Exhibit",
    "Experiment",
    "Outcome",
    "Picture",
    "Setting",
    "experiment_named",
    "experiments",
]
