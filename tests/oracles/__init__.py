"""Oracles: measures written from their definitions, object by object, slow and plain.

Every oracle takes two mappings, object to cluster label, truth first.  `adjusted` takes a score
before them; `ceaf_m_f_values` and `ceaf_e_f_values` give a set of numbers: they are not oracles.
"""

from collections.abc import Callable
from fractions import Fraction
from inspect import isfunction

from . import (
    bcubed,
    coreference,
    elements,
    information,
    matching,
    pairs,
    segmentation,
    splitmerge,
)
from .chance import adjusted, expected
from .common import partitions
from .coreference import ceaf_e_f_values, ceaf_m_f_values

__all__ = [
    "ORACLES",
    "adjusted",
    "ceaf_e_f_values",
    "ceaf_m_f_values",
    "expected",
    "partitions",
]

HELPERS = {
    "affinity", "ceaf_e_f_values", "ceaf_m_f_values", "mean_of_truths", "normaliser",
    "own_bcubed", "own_elm", "own_without",
}  # fmt: skip
ORACLES: dict[str, Callable[..., Fraction | float]] = {
    name: function
    for module in (
        pairs,
        matching,
        segmentation,
        information,
        bcubed,
        splitmerge,
        coreference,
        elements,
    )
    for name, function in vars(module).items()
    if isfunction(function) and function.__module__ == module.__name__
    if not name.startswith("_") and name not in HELPERS
}
"""By name: every public function of these files but those that serve others."""
