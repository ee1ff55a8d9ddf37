"""The conditions: a file for each sort, found by its tuple CONDITIONS."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from pkgutil import iter_modules

from clusterdiff.laboratory.condition import Axiom

GROUPS = ("constraints", "match", "split-merge", "metric", "invariance", "overlap", "uncertain")
"""The order of the groups; a group that is not named here comes last."""


@cache
def all_conditions() -> tuple[Axiom, ...]:
    """All of them, group by group, and file by file within a group."""
    files = sorted(module.name for module in iter_modules(__path__))
    found = [one for file in files for one in import_module(f"{__name__}.{file}").CONDITIONS]
    return tuple(sorted(found, key=lambda one: (*GROUPS, one.group).index(one.group)))
