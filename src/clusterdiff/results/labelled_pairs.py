"""Precision and recall from pairs that people labelled."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from clusterdiff.inputs.records import records_of
from clusterdiff.results.describe import count
from clusterdiff.results.render.result import TableResult
from clusterdiff.results.render.table import CellTable, digits
from clusterdiff.results.render.text import printable, wrapped
from clusterdiff.statistics.confidence import level_of
from clusterdiff.statistics.labelled_pairs import (
    Estimated,
    Stratum,
    check_strata,
    precision,
    recall,
)
from clusterdiff.statistics.refusals import LabelledPairsError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

WORDS = {
    True: ("yes", "true", "1", "y", "t", "match"),
    False: ("no", "false", "0", "n", "f", "non-match", "nonmatch"),
}
BY_STRATUM = ("stratum", "pairs", "labelled", "matches", "predicted")
BY_PAIR = ("stratum", "predicted", "label")
SHOWN = 10
"""Strata that are named."""


def pairs(
    strata: Any, *, sizes: Mapping[str, int] | None = None, confidence: float = 0.95
) -> LabelledPairs:
    """Precision and recall of a guess from pairs that people labelled, drawn in strata.

    >>> found = pairs([("together", 350, 100, 70, True), ("offered", 8000, 200, 4, False)])
    >>> round(found.precision.value, 4), round(found.recall_within_blocks.low, 4)
    (0.7, 0.3681)

    `strata` is a table (a path, a frame, a list of dicts) with a row per stratum and the columns
    stratum, pairs (all of them), labelled, matches and predicted (whether the guess puts these
    pairs together); or with a row per labelled pair and the columns stratum, predicted and label,
    where the number of all pairs of each stratum is in a column pairs, or in `sizes`. A column
    blocked that says no marks pairs that blocking never offered. A list of tuples has (stratum,
    pairs, labelled, matches, predicted, blocked).

    Recall within blocks leaves out all matches that no block offered, however many there are.
    Recall itself needs a stratum of such pairs; where no match is seen in it, only the low end
    is known.
    """
    level = level_of(confidence)
    found = _strata(strata, sizes)
    check_strata(found)
    return LabelledPairs(tuple(found), level)


@dataclass(frozen=True, eq=False, repr=False)
class LabelledPairs(TableResult):
    """Precision and recall of pairs, estimated from labels."""

    schema = "pairs/1"

    strata: tuple[Stratum, ...]
    confidence: float

    @property
    def precision(self) -> Estimated:
        """Share of the predicted pairs that are matches."""
        return precision(self.strata, self.confidence)

    @property
    def recall_within_blocks(self) -> Estimated:
        """Share of the matches that blocking offered that are predicted."""
        return recall([s for s in self.strata if s.blocked], self.confidence)

    @property
    def recall(self) -> Estimated | None:
        """Share of all matches that are predicted; None without labels of pairs that blocking
        did not offer.
        """
        if all(s.blocked for s in self.strata):
            return None
        return recall(self.strata, self.confidence)

    @property
    def _found(self) -> dict[str, Estimated]:
        known = {
            "precision": self.precision,
            "recall_within_blocks": self.recall_within_blocks,
            "recall": self.recall,
        }
        return {name: one for name, one in known.items() if one is not None}

    def head(self, width: int = 80) -> str:
        """How many pairs of each stratum were labelled."""
        lines = []
        for s in self.strata[:SHOWN]:
            kind = "predicted" if s.predicted else "offered" if s.blocked else "not offered"
            matches = "1 match" if s.matches == 1 else f"{s.matches:,} matches"
            lines.append(
                f"{s.name} ({kind}): {s.labelled:,} of {count(s.pairs, 'pair')} labelled, {matches}"
            )
        if len(self.strata) > SHOWN:
            lines.append(f"and {len(self.strata) - SHOWN:,} strata more")
        return "\n".join(wrapped(printable(line), width, more="  ") for line in lines)

    def table(self) -> CellTable:
        """A row for precision and for each recall."""
        rows = [
            (name.replace("_", " "), *(_cell(end) for end in (one.value, one.low, one.high)))
            for name, one in self._found.items()
        ]
        level = f"{100 * self.confidence:g} %"
        return CellTable(("", "estimate", f"low ({level})", "high"), tuple(rows))

    def notes(self) -> list[str]:
        """What recall leaves out, and why an end is missing."""
        told = [
            "Recall within blocks counts matches among the pairs that blocking offered; those that "
            "no block offered are not in it."
        ]
        if self.recall is None:
            told[0] += " Label some of these too (blocked: no) for a low end of recall."
        for name, one in self._found.items():
            if one.refused:
                rest = "; only the low end is known" if one.low is not None else ""
                told.append(f"{name.replace('_', ' ')}: {one.refused}{rest}.")
        for s in self.strata:
            if s.is_blind:
                most = s.hidden(self.confidence)
                told.append(f"{s.name} may hide up to {most:,.0f} matches in {s.pairs:,} pairs.")
        return told

    def records(self) -> list[dict[str, Any]]:
        """One record for precision and for each recall."""
        return [{"quantity": name, **self._numbers(one)} for name, one in self._found.items()]

    def to_dict(self) -> dict[str, Any]:
        """Everything, with full precision and stable keys."""
        return {
            **{name: self._numbers(one) for name, one in self._found.items()},
            "strata": [s._asdict() for s in self.strata],
        }

    def _numbers(self, one: Estimated) -> dict[str, Any]:
        ends = {"value": one.value, "low": one.low, "high": one.high}
        return {**ends, "level": self.confidence, "refused": one.refused}


def _cell(end: float | None) -> str:
    return "—" if end is None else digits(end)


def _strata(given: Any, sizes: Mapping[str, int] | None) -> list[Stratum]:
    """Strata from a table of either form, or from tuples."""
    rows = records_of(given)
    if rows is None:
        if not isinstance(given, Sequence) or isinstance(given, bytes):
            raise LabelledPairsError.from_rows(given)
        rows = [_named(row, given) for row in given]
    if not rows:
        raise LabelledPairsError.from_nothing()
    tidy = [{str(k).strip().lower(): v for k, v in row.items()} for row in rows]
    names = list(dict.fromkeys(name for row in tidy for name in row))
    wanted = BY_PAIR if "label" in names else BY_STRATUM
    if missing := [name for name in wanted if any(name not in row for row in tidy)]:
        raise LabelledPairsError.from_columns(missing, names)
    if wanted is BY_PAIR:
        return _by_pair(tidy, sizes)
    if sizes is not None:
        raise LabelledPairsError.from_sizes_twice()
    columns = {name: _column(tidy, name, _whole) for name in ("pairs", "labelled", "matches")}
    columns |= {name: _column(tidy, name, _yes) for name in ("predicted", "blocked")}
    return [
        Stratum(str(row["stratum"]).strip(), **{name: one[i] for name, one in columns.items()})
        for i, row in enumerate(tidy)
    ]


def _named(row: Any, given: Any) -> dict[str, Any]:
    """A row as a dict: a dict, or a tuple in the order of `Stratum`."""
    if isinstance(row, Mapping):
        return dict(row)
    if not isinstance(row, tuple | list) or not 4 <= len(row) <= len(Stratum._fields):
        raise LabelledPairsError.from_rows(given)
    named = dict(zip(Stratum._fields, row, strict=False))
    return {"predicted": False, **named, "stratum": named.pop("name")}


def _by_pair(rows: list[dict[str, Any]], sizes: Mapping[str, int] | None) -> list[Stratum]:
    """Strata of labelled pairs, counted."""
    of = [str(row["stratum"]).strip() for row in rows]
    names = list(dict.fromkeys(of))
    label = _column(rows, "label", _yes)
    predicted, blocked = (
        _one_each(of, name, _column(rows, name, _yes)) for name in ("predicted", "blocked")
    )
    if sizes is None:
        if any("pairs" not in row for row in rows):
            raise LabelledPairsError.from_sizes(names, [])
        known = _one_each(of, "pairs", _column(rows, "pairs", _whole))
    else:
        given = [{"pairs": size} for size in sizes.values()]
        known = dict(zip(map(str, sizes), _column(given, "pairs", _whole), strict=True))
        lacking = [name for name in names if name not in known]
        unknown = [name for name in known if name not in names]
        if lacking or unknown:
            raise LabelledPairsError.from_sizes(lacking, unknown)
    labelled = Counter(of)
    matches = Counter(name for name, match in zip(of, label, strict=True) if match)
    return [
        Stratum(name, known[name], labelled[name], matches[name], predicted[name], blocked[name])
        for name in names
    ]


def _one_each(of: list[str], column: str, values: list[Any]) -> dict[str, Any]:
    """The one value that all rows of a stratum have."""
    seen: dict[str, set[Any]] = {}
    for name, value in zip(of, values, strict=True):
        seen.setdefault(name, set()).add(value)
    if mixed := [name for name, found in seen.items() if len(found) > 1]:
        raise LabelledPairsError.from_mixed(column, mixed)
    return {name: found.pop() for name, found in seen.items()}


def _column(rows: list[dict[str, Any]], name: str, read: Callable[[Any], Any]) -> list[Any]:
    """The values of a column; `blocked` may be left out."""
    values = [row.get(name, True) if name == "blocked" else row[name] for row in rows]
    found = [read(value) for value in values]
    wrong = [value for value, one in zip(values, found, strict=True) if one is None]
    if wrong:
        wanted = "yes or no" if read is _yes else "a whole number"
        raise LabelledPairsError.from_values(name, wrong, len(values), wanted)
    return found


def _yes(value: Any) -> bool | None:
    """Yes or no, however it is written; None for anything else."""
    if isinstance(value, bool | np.bool_):
        return bool(value)
    text = str(value).strip().lower().removesuffix(".0")
    return next((said for said, words in WORDS.items() if text in words), None)


def _whole(value: Any) -> int | None:
    """A whole number from 0 on; None for anything else."""
    try:
        number = float(value)
    except (TypeError, ValueError):
        return None
    return int(number) if number >= 0 and number.is_integer() else None


def sizes_of(texts: Iterable[str]) -> dict[str, int]:
    """Sizes of strata that were written as NAME=N."""
    found = {}
    for text in texts:
        name, _, size = text.rpartition("=")
        number = _whole(size)
        if not name or number is None:
            raise LabelledPairsError(
                f"--size {text} is not a stratum and its number of pairs.",
                "write e.g. --size offered=8000.",
            )
        found[name.strip()] = number
    return found
