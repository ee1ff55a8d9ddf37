"""Compare clusterings: how similar they are, how reliable that score is, and where they disagree.

>>> import clusterdiff as cd
>>> cd.elm_f(["a", "a", "b"], [1, 1, 1])
0.4444444444444444
"""

from __future__ import annotations

import sys as _sys
from importlib import import_module as _import_module
from types import ModuleType as _ModuleType
from typing import Any as _Any

from clusterdiff import cleanup as _tidy
from clusterdiff.version import __version__

_HOMES = {
    "backends.duckdb": ("DuckDB",),
    "backends.spark": ("Spark",),
    "clusterings": (
        "Clustering", "Cover", "Evidential", "Fuzzy", "Partition", "Possibilistic", "Rough",
    ),
    "errors": ("ClusterdiffError", "ClusterdiffWarning"),
    "inputs": ("meet", "read"),
    "laboratory": ("Verdict", "Worsening", "axiom", "axioms", "check", "worsen"),
    "measures": ("Measure", "measures"),
    "measures.core.interval": ("Interval",),
    "meet": ("CoverMeet", "HardMeet", "SoftMeet"),
    "results.batches.accumulator": ("Accumulator",),
    "results.catalogue.conditions": ("Laboratory", "laboratory"),
    "results.chance": ("Chance", "chance"),
    "results.compare": ("compare",),
    "results.diff.diff": ("diff",),
    "results.diff.result": ("Diff",),
    "results.sampled.draw": ("Drawn", "draw"),
    "results.sampled.estimate": ("estimate",),
    "results.explain.explain": ("Explanation", "explain"),
    "results.many.matrix.annotators": ("AnnotatorAgreement",),
    "results.many.consensus.consensus": ("Consensus", "consensus"),
    "results.many.matrix.consistency": ("Consistency",),
    "results.many.matrix.matrix": ("matrix",),
    "results.many.matrix.score_matrix": ("ScoreMatrix",),
    "results.labelled_pairs": ("LabelledPairs", "pairs"),
    "results.many.releases.relabel": ("relabel",),
    "results.many.releases.relabelled": ("Relabelled",),
    "results.many.releases.track": ("Tracking", "track"),
    "results.many.sweep.sweep": ("sweep",),
    "results.many.sweep.best": ("Best",),
    "results.many.sweep.result": ("Sweep",),
    "results.objects": ("ObjectScores", "objects"),
    "results.page.page": ("Page", "page"),
    "results.report": ("Report",),
    "results.sampled.sample_report": ("SampleReport",),
    "results.score": ("Score",),
    "results.scorer": ("Scorer", "scorer"),
    "statistics.sampled.plan": ("SamplePlan",),
}  # fmt: skip
_HOME = {name: (home, name) for home, names in _HOMES.items() for name in names}
_HOME |= {"measure": ("measures", "measure_named"), "plot": ("results.plots", "plots")}
"""Where each public name lives: it is imported when it is first used."""


def __getattr__(name: str) -> _Any:
    """A public name, or a measure: each is a plain function of this module."""
    if name in _HOME:
        home, own = _HOME[name]
        value = getattr(_import_module(f"clusterdiff.{home}"), own, None)
        if value is None:
            value = _import_module(f"clusterdiff.{home}.{own}")
        globals()[name] = value
        return value
    message = f"module 'clusterdiff' has no attribute {name!r}"
    if name.startswith("_"):
        raise AttributeError(message)
    from clusterdiff.errors import did_you_mean
    from clusterdiff.measures.base import REGISTRY, installed

    if name in REGISTRY or name in installed():
        return REGISTRY[name]
    raise AttributeError(f"{message}; {did_you_mean(name, __dir__())}".rstrip("; "))


def __dir__() -> list[str]:
    from clusterdiff.measures.base import installed

    return sorted([*__all__, *installed()])


class _Package(_ModuleType):
    """A package in which a subpackage does not take the place of the function it is called like."""

    def __setattr__(self, name: str, value: object) -> None:
        if name not in _HOME or not isinstance(value, _ModuleType):
            super().__setattr__(name, value)


_sys.modules[__name__].__class__ = _Package

__all__ = [
    "Accumulator",
    "AnnotatorAgreement",
    "Best",
    "Chance",
    "ClusterdiffError",
    "ClusterdiffWarning",
    "Clustering",
    "Consensus",
    "Consistency",
    "Cover",
    "CoverMeet",
    "Diff",
    "Drawn",
    "DuckDB",
    "Evidential",
    "Explanation",
    "Fuzzy",
    "HardMeet",
    "Interval",
    "LabelledPairs",
    "Laboratory",
    "Measure",
    "ObjectScores",
    "Page",
    "Partition",
    "Possibilistic",
    "Relabelled",
    "Report",
    "Rough",
    "SamplePlan",
    "SampleReport",
    "Score",
    "ScoreMatrix",
    "Scorer",
    "SoftMeet",
    "Spark",
    "Sweep",
    "Tracking",
    "Verdict",
    "Worsening",
    "__version__",
    "axiom",
    "axioms",
    "chance",
    "check",
    "compare",
    "consensus",
    "diff",
    "draw",
    "estimate",
    "explain",
    "laboratory",
    "matrix",
    "measure",
    "measures",
    "meet",
    "objects",
    "page",
    "pairs",
    "plot",
    "read",
    "relabel",
    "scorer",
    "sweep",
    "track",
    "worsen",
]
