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

from clusterdiff import cleanup as _cleanup  # noqa: F401, an interrupt finds it from the start
from clusterdiff.version import __version__ as __version__

_HOMES = {
    "browse.corrected": ("Decisions", "decisions"),
    "browse.judgements": ("JudgementCheck", "check_judgements"),
    "chance.chance": ("Chance", "chance"),
    "clusterings": (
        "Clustering", "Cover", "Evidential", "Fuzzy", "LabelImage", "Partition", "Possibilistic",
        "Rough",
    ),
    "compare.accumulator": ("Accumulator",),
    "compare.compare": ("compare",),
    "compare.levels": ("LevelReport",),
    "compare.report": ("Report",),
    "output.score": ("Score",),
    "compare.scorer": ("Scorer", "scorer"),
    "contingency": ("CoverMeet", "HardMeet", "SoftMeet"),
    "engines.duckdb": ("DuckDB",),
    "engines.spark": ("Spark",),
    "errors": ("ClusterdiffError", "ClusterdiffWarning"),
    "explain.diff": ("Diff", "diff"),
    "explain.explain": ("Explanation", "explain"),
    "explain.objects": ("ObjectScores", "objects"),
    "io": ("meet", "read"),
    "measures": ("Measure", "measures"),
    "measures.score_range": ("ScoreRange",),
    "page.page": ("Page", "page"),
    "releases.relabel": ("Relabelled", "relabel"),
    "releases.track": ("Tracking", "track"),
    "runs.agreement": ("AnnotatorAgreement",),
    "runs.consensus": ("Consensus", "consensus"),
    "runs.matrix": ("Consistency", "ScoreMatrix", "matrix"),
    "sampling.draw": ("Drawn", "draw"),
    "sampling.estimate": ("SamplePlan", "SampleReport", "estimate"),
    "sampling.labelled_pairs": ("LabelledPairs", "pairs"),
    "sweep.result": ("Best", "Sweep"),
    "sweep.sweep": ("sweep",),
    "table.table": ("ContingencyTable", "contingency"),
}  # fmt: skip
_HOME = {name: (home, name) for home, names in _HOMES.items() for name in names}
_HOME |= {"measure": ("measures", "measure_named")}
"""Where each public name lives: it is imported when it is first used."""
__all__ = sorted([*_HOME, "__version__", "plot"])
_MOVED = ("Laboratory", "Verdict", "Worsening", "axiom", "axioms", "check", "laboratory", "worsen")
"""Names of the package `clusterdiff_lab` that were ours until 0.2."""


def __getattr__(name: str) -> _Any:
    """A public name, or a measure by any name that it has in the literature or in other packages:
    each is a plain function of this module.
    """
    if name in _HOME:
        home, own = _HOME[name]
        globals()[name] = value = getattr(_import_module(f"clusterdiff.{home}"), own)
        return value
    if name == "plot":
        return _import_module("clusterdiff.plot")
    if name == "Interval":
        from warnings import warn

        warn("Interval is called ScoreRange since 0.3.", DeprecationWarning, stacklevel=2)
        return __getattr__("ScoreRange")
    if name in _MOVED:
        from clusterdiff.plugins import moved

        return moved("clusterdiff", "clusterdiff_lab", name)
    message = f"module 'clusterdiff' has no attribute {name!r}"
    if name.startswith("_"):
        raise AttributeError(message)
    from clusterdiff.errors import UnknownMeasure, did_you_mean
    from clusterdiff.measures.base import lookup

    try:
        return lookup(name)
    except UnknownMeasure:
        verb = {"table": "did you mean contingency?", "report": "did you mean page or compare?"}
        near = verb.get(name) or did_you_mean(name, __dir__())
        raise AttributeError(f"{message}; {near}".rstrip("; ")) from None


def __dir__() -> list[str]:
    from clusterdiff.measures.base import installed

    return sorted([*__all__, *installed()])


class _Package(_ModuleType):
    """A package in which a subpackage does not take the place of the function of the same name."""

    def __setattr__(self, name: str, value: object) -> None:
        if name not in _HOME or not isinstance(value, _ModuleType):
            super().__setattr__(name, value)


_sys.modules[__name__].__class__ = _Package
