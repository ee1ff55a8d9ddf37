"""A matrix of scores for eyes: its head, the square or some pairs, and notes."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from clusterdiff.clusterings.encode.group import MANY
from clusterdiff.errors import examples
from clusterdiff.many.matrix.agreement import well_shared
from clusterdiff.results.describe import count
from clusterdiff.results.render.table import CellTable, digits
from clusterdiff.results.render.text import columns, cut, printable, short_names, wrap_columns

if TYPE_CHECKING:
    from clusterdiff.results.many.matrix.score_matrix import ScoreMatrix

PAIRS = 5
"""Pairs that are shown of the best, and of the worst."""
LONGEST = 32
"""Columns that the name of a run takes."""
HEADING = 11
"""Columns of a name that can head a column; longer ones are replaced by numbers."""


def head_of(m: ScoreMatrix, width: int) -> str:
    """What was compared, how stable it is, and which run is the medoid."""
    lines = [("runs", _compared(m)), ("stability", _stability(m)), ("medoid", _medoid(m))]
    return f"{m.measure}\n" + wrap_columns(lines, width)


def _compared(m: ScoreMatrix) -> str:
    told = f"{len(m):,}"
    if m.labelled is None:
        return told
    told += f", {count(m.labelled.objects, 'object')}"
    groups = m.tables.profiles if m.tables is not None else None
    if groups is None and m.labelled.objects < MANY:
        groups = m.profiles.count.size
    return told if groups is None else f"{told} in {count(groups, 'profile')}"


def _stability(m: ScoreMatrix) -> str:
    pairs = m.pairs()
    if not pairs:
        return "no pair of runs shares an object"
    told = f"{digits(m.stability)} on average over {count(m.pair_count, 'pair')}"
    if len(pairs) > 1:
        told += f", from {digits(pairs[0][0])} to {digits(pairs[-1][0])}"
        told += f" (standard deviation {digits(m.spread)})"
    return (
        told
        if math.isnan(m.standard_error)
        else f"{told}; standard error {digits(m.standard_error)}"
    )


def _medoid(m: ScoreMatrix) -> str:
    place = m.names.index(m.medoid)
    mean, partners = float(m.means[place]), int(m.partners[place])
    others = "the others" if partners == len(m) - 1 else f"{partners:,} of {len(m) - 1:,} others"
    return f"{cut(printable(m.medoid), LONGEST)}, {digits(mean)} on average with {others}"


def square_table(m: ScoreMatrix) -> CellTable:
    """All scores, runs in the order of the leaves."""
    names = fitting_names(m.names, LONGEST)
    short = max(map(columns, names)) <= HEADING
    rows, headings = [], [""]
    for place, i in enumerate(m.order, 1):
        headings.append(names[i] if short else str(place))
        scores = [_cell(float(m.values[i, j])) for j in m.order]
        rows.append((names[i] if short else f"{place} {names[i]}", *scores))
    return CellTable(tuple(headings), tuple(rows))


def fitting_names(names: list[str], width: int) -> list[str]:
    """Names of runs that take so many columns at most, no two alike."""
    shown = [printable(name) for name in names]
    if max(map(columns, shown)) <= width:
        return shown
    return [cut(printable(name), width) for name in short_names(names, width)]


def pairs_table(m: ScoreMatrix) -> CellTable:
    """The pairs that agree best, and those that agree least."""
    pairs = m.pairs()
    pairs = pairs if m.measure.is_distance else pairs[::-1]
    best, worst = pairs[:PAIRS], pairs[PAIRS:][-PAIRS:]
    ends = ("run", "run") if m.is_symmetric else ("truth", "guess")
    rows = [(digits(v), cut(a, LONGEST), cut(b, LONGEST)) for v, a, b in best]
    if len(pairs) > len(best) + len(worst):
        rows.append(("…", "", ""))
    rows += [(digits(v), cut(a, LONGEST), cut(b, LONGEST)) for v, a, b in worst]
    return CellTable((str(m.measure), *ends), tuple(rows))


def width_of(table: CellTable) -> int:
    """Columns that a table takes."""
    cells = [table.headings, *table.rows]
    return 2 + sum(2 + max(map(columns, column)) for column in zip(*cells, strict=True))


def notes_of(m: ScoreMatrix) -> list[str]:
    """How to read the numbers, and which objects they leave out."""
    told = []
    if not m.is_symmetric:
        told.append(
            f"{m.measure} is not symmetric: rows are truth, columns are guess. Medoid and order "
            "take the mean of both directions."
        )
    elif m.measure.is_distance:
        told.append(f"{m.measure} is a distance: 0 is agreement.")
    if not math.isnan(m.standard_error):
        told.append(
            "The standard error takes runs as drawn at random (jackknife over runs): pairs share "
            "runs and are not independent."
        )
    return [*told, *_left_out(m)]


def _left_out(m: ScoreMatrix) -> list[str]:
    told = []
    if m.labelled is not None and (lacking := [n for n in m.labelled.missing if n]):
        what = (
            "each is a cluster of its own there"
            if m.policy.align == "singletons"
            else f"each pair is scored on the objects that both have ({_range(_pair_sizes(m))})"
        )
        told.append(
            f"{_some(lacking, m.labelled.missing, 'lack')} objects "
            f"({_range(lacking)} of {m.labelled.objects:,}); {what}."
        )
    if m.labelled is not None and (noisy := [n for n in m.labelled.noise if n]):
        fate = "left out of its pairs" if m.policy.noise_as == "drop" else "a cluster of its own"
        told.append(
            f"{_some(noisy, m.labelled.noise, 'call')} objects noise "
            f"({_range(noisy)}); each is {fate}."
        )
    if few := [m.names[i] for i in np.flatnonzero(~well_shared(m.shared))]:
        told.append(
            f"{count(len(few), 'run')} ({examples(few)}) {'shares' if len(few) == 1 else 'share'} "
            "less than half as many objects with the others as the median run, and cannot be the "
            "medoid."
        )
    if unknown := len(m) * (len(m) - 1) // 2 - m.pair_count:
        verb = "shares no object, and has" if unknown == 1 else "share no object, and have"
        told.append(f"{count(unknown, 'pair')} of runs {verb} no score.")
    return told


def _pair_sizes(m: ScoreMatrix) -> list[int]:
    return [int(n) for i, row in enumerate(m.shared) for n in row[i + 1 :]]


def _some(counted: list[int], every: list[int], verb: str) -> str:
    return f"{len(counted):,} of {len(every):,} runs {verb}{'s' if len(counted) == 1 else ''}"


def _range(numbers: list[int]) -> str:
    low, high = min(numbers), max(numbers)
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"


def _cell(value: float) -> str:
    return "—" if math.isnan(value) else digits(value)
