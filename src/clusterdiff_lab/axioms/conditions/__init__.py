"""The conditions: a file for each sort, found by its tuple CONDITIONS."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from pkgutil import iter_modules

from clusterdiff_lab.axioms.condition import Axiom

GROUPS = {
    "constraints": "the four constraints of Amigó et al. (2009), and their readings",
    "match": "perfect match, bounds, extremes",
    "split-merge": "properties of the split-merge paper (Xiang et al. 2012)",
    "metric": "as a distance",
    "invariance": "what should not matter",
    "overlap": "clusterings that overlap (Rosales-Méndez and Ramírez-Cruz 2013)",
    "uncertain": "uncertain clusterings (Campagner et al. 2023)",
}
"""The groups in their order, and what they are about; one that is not named here comes last."""


@cache
def all_conditions() -> tuple[Axiom, ...]:
    """All of them, group by group, and file by file within a group."""
    files = sorted(module.name for module in iter_modules(__path__))
    conditions = [one for file in files for one in import_module(f"{__name__}.{file}").CONDITIONS]
    return tuple(sorted(conditions, key=lambda one: (*GROUPS, one.group).index(one.group)))
