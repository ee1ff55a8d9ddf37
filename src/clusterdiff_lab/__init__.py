"""The laboratory: conditions that measures satisfy or not, four papers, estimators.

It builds on `clusterdiff`, comes with it, and brings the verbs `axioms`, `measures` and
`reproduce`; `clusterdiff` itself does without it.

>>> import clusterdiff_lab as lab
>>> lab.check("elm_f", "completeness").outcome
'holds'
"""

from __future__ import annotations

import sys as _sys
from importlib import import_module as _import_module
from types import ModuleType as _ModuleType
from typing import TYPE_CHECKING as _TYPE_CHECKING
from typing import Any as _Any

if _TYPE_CHECKING:
    from clusterdiff_lab.axioms import Axiom, Verdict, Worsening, axiom, axioms, check, worsen
    from clusterdiff_lab.axioms.condition import Equal, Order, Rule
    from clusterdiff_lab.axioms.laboratory import Laboratory, laboratory
    from clusterdiff_lab.axioms.series import plot_worsening

_HOMES = {
    "axioms": ("Axiom", "Verdict", "Worsening", "axiom", "axioms", "check", "worsen"),
    "axioms.condition": ("Equal", "Order", "Rule"),
    "axioms.laboratory": ("Laboratory", "laboratory"),
    "axioms.series": ("plot_worsening",),
}
_HOME = {name: home for home, names in _HOMES.items() for name in names}
"""Where each public name lives: it is imported when it is first used."""


def __getattr__(name: str) -> _Any:
    if name not in _HOME:
        raise AttributeError(f"module 'clusterdiff_lab' has no attribute {name!r}")
    globals()[name] = value = getattr(_import_module(f"clusterdiff_lab.{_HOME[name]}"), name)
    return value


def __dir__() -> list[str]:
    return sorted(__all__)


class _Package(_ModuleType):
    """A package in which a subpackage does not take the place of the function of the same name."""

    def __setattr__(self, name: str, value: object) -> None:
        if name not in _HOME or not isinstance(value, _ModuleType):
            super().__setattr__(name, value)


_sys.modules[__name__].__class__ = _Package

__all__ = [
    "Axiom",
    "Equal",
    "Laboratory",
    "Order",
    "Rule",
    "Verdict",
    "Worsening",
    "axiom",
    "axioms",
    "check",
    "laboratory",
    "plot_worsening",
    "worsen",
]
