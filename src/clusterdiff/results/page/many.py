"""What the page says of many clusterings: guesses among themselves, and a sweep over thresholds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from clusterdiff.clusterings.encode.group import number, pair_keys
from clusterdiff.measures import measure_named
from clusterdiff.meet import HardMeet, Policy
from clusterdiff.results.many.matrix.score_matrix import ScoreMatrix
from clusterdiff.results.plots.matrix import heatmap_of
from clusterdiff.results.plots.sweep import halves_of, precision_recall_of, sweep_of
from clusterdiff.results.render.text import printable

if TYPE_CHECKING:
    from clusterdiff.array_types import Ints
    from clusterdiff.measures import Measure
    from clusterdiff.results.many.sweep.result import Sweep
    from clusterdiff.statistics.joint import Joint


def among_guesses(joint: Joint, measure: Measure) -> ScoreMatrix | None:
    """The scores of truth and all guesses with each other, by the measure of the page if it does
    not matter which of two is the truth, else by the adjusted Rand index; None where objects are
    missing on a side.
    """
    sides = list(joint.clusters.values())
    if any((side < 0).any() for side in sides):
        return None
    chosen = measure if measure.claims.symmetric else measure_named("adjusted_rand")
    names = [name or "truth" for name in joint.clusters]
    if len(set(names)) < len(names):
        names[0] = "(truth)"
    values = np.empty((len(sides), len(sides)))
    for i, one in enumerate(sides):
        for j, other in enumerate(sides[: i + 1]):
            values[i, j] = values[j, i] = chosen.of(_meet(joint, one, other))
    shared = np.full(values.shape, int((joint.objects * joint.times).sum()))
    return ScoreMatrix(chosen, names, values, shared, Policy())


def _meet(joint: Joint, one: Ints, other: Ints) -> HardMeet:
    """Two of the clusterings compared: cells that differ in a third one alone are one."""
    code, cells = number(pair_keys(one, other))
    first = np.empty(cells, np.int64)
    first[code] = np.arange(code.size)
    both = np.bincount(code, joint.objects, cells).astype(np.int64)
    return HardMeet.of_cells(one[first], other[first], both, joint.times[first])


def matrix_section(found: ScoreMatrix, figures: dict[str, Any]) -> dict[str, Any]:
    """Truth and guesses among themselves."""
    figures["matrix"] = heatmap_of(found)
    return {
        "title": f"{found.measure} of every two",
        "table": found.table(),
        "notes": [f"{found.measure} is a distance: 0 is agreement."]
        if found.measure.is_distance
        else [],
    }


def sweep_section(curve: Sweep, figures: dict[str, Any]) -> dict[str, Any]:
    """Every threshold, and the best one by each measure."""
    figures["sweep"] = sweep_of(curve)
    if any(halves_of(measure) for measure in curve.measures.values()):
        figures["precision-recall"] = precision_recall_of(curve)
    return {
        "head": curve.head(100),
        "table": curve.table(),
        "notes": [printable(note) for note in curve.notes()],
    }
