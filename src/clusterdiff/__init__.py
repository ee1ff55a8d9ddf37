"""Compare clusterings: how similar they are, how reliable that score is, and where they disagree.

>>> import clusterdiff as cd
>>> cd.elm_f(["a", "a", "b"], [1, 1, 1])
0.4444444444444444
"""

from __future__ import annotations

from typing import Any

from clusterdiff import tidy as _tidy  # noqa: F401, so that an interrupt finds it from the start
from clusterdiff.backends.duckdb import DuckDB
from clusterdiff.backends.spark import Spark
from clusterdiff.clusterings import (
    Clustering,
    Cover,
    Evidential,
    Fuzzy,
    Partition,
    Possibilistic,
    Rough,
)
from clusterdiff.errors import ClusterdiffError, ClusterdiffWarning
from clusterdiff.inputs import meet, read
from clusterdiff.laboratory import Verdict, Worsening, axiom, axioms, check, worsen
from clusterdiff.measures import Measure, measures
from clusterdiff.measures import measure_named as measure
from clusterdiff.measures.core.interval import Interval
from clusterdiff.measures.core.measure import REGISTRY as _MEASURES
from clusterdiff.meet import CoverMeet, HardMeet, SoftMeet
from clusterdiff.results.catalogue.conditions import Laboratory, laboratory
from clusterdiff.results.compare import compare
from clusterdiff.results.diff.diff import Diff, diff
from clusterdiff.results.explain.explain import Explanation, explain
from clusterdiff.results.objects import ObjectScores, objects
from clusterdiff.results.page.page import Page, page
from clusterdiff.results.plots import plots as plot
from clusterdiff.results.report import Report
from clusterdiff.results.score import Score
from clusterdiff.version import __version__


def __getattr__(name: str) -> Any:
    """Every measure is a plain function of this module."""
    if name in _MEASURES:
        return _MEASURES[name]
    raise AttributeError(f"module 'clusterdiff' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*__all__, *_MEASURES])


__all__ = [
    "ClusterdiffError",
    "ClusterdiffWarning",
    "Clustering",
    "Cover",
    "CoverMeet",
    "Diff",
    "DuckDB",
    "Evidential",
    "Explanation",
    "Fuzzy",
    "HardMeet",
    "Interval",
    "Laboratory",
    "Measure",
    "ObjectScores",
    "Page",
    "Partition",
    "Possibilistic",
    "Report",
    "Rough",
    "Score",
    "SoftMeet",
    "Spark",
    "Verdict",
    "Worsening",
    "__version__",
    "axiom",
    "axioms",
    "check",
    "compare",
    "diff",
    "explain",
    "laboratory",
    "measure",
    "measures",
    "meet",
    "objects",
    "page",
    "plot",
    "read",
    "worsen",
]
