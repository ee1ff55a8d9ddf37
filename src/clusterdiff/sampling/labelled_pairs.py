"""Precision and recall from pairs that people labelled.

A stratum is a set of pairs from which some are drawn at random and labelled: those that the guess
puts together (predicted), those that blocking offered and the guess keeps apart, those that no
block offered.
"""

from __future__ import annotations

import csv
import io
import math
import os
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import cached_property
from statistics import NormalDist
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from clusterdiff.engines.columns import is_frame
from clusterdiff.engines.duckdb import listed
from clusterdiff.errors import ClusterdiffError, ReadError, a_type, examples, printable
from clusterdiff.io.formats.csv import csv_layout
from clusterdiff.io.read import source_of
from clusterdiff.output.describe import count
from clusterdiff.output.result import TableResult
from clusterdiff.output.table import CellTable, digits
from clusterdiff.output.text import wrapped
from clusterdiff.statistics.confidence import level_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from clusterdiff.io.read import Source


class Stratum(NamedTuple):
    """Pairs of which some are labelled: a match, or none.

    >>> Stratum("offered", pairs=8000, labelled=200, matches=4).estimate
    160.0
    """

    name: str
    pairs: int
    """Number of pairs in the stratum."""
    labelled: int
    """Number of pairs that were drawn at random and labelled."""
    matches: int
    """Number of matches among the labelled pairs."""
    predicted: bool = False
    """Whether the guess puts these pairs together."""
    blocked: bool = True
    """Whether blocking offered these pairs to the guess."""

    @property
    def share(self) -> float:
        """Share of matches among the labelled pairs."""
        return self.matches / self.labelled

    @property
    def estimate(self) -> float:
        """Estimated number of matches in the stratum."""
        return self.pairs * self.matches / self.labelled

    @property
    def variance(self) -> float:
        """Variance of this estimate, for pairs drawn without replacement."""
        if self.labelled == self.pairs:
            return 0.0
        left = 1 - self.labelled / self.pairs
        return self.pairs**2 * left * self.share * (1 - self.share) / (self.labelled - 1)

    @property
    def is_blind(self) -> bool:
        """Whether no match was seen and some may be among the pairs that were not labelled."""
        return not self.predicted and not self.matches and self.labelled < self.pairs

    def hidden(self, confidence: float) -> float:
        """The largest plausible number of matches in a stratum in which none was seen."""
        return self.pairs * -math.expm1(math.log((1 - confidence) / 2) / self.labelled)


@dataclass(frozen=True)
class Estimated:
    """A number with its interval; if only the low end is known, the others are None."""

    value: float | None
    low: float | None
    high: float | None
    refused: str = ""
    """Why there is no number, or only a low end."""


def precision(strata: Sequence[Stratum], confidence: float = 0.95) -> Estimated:
    """Share of matches among the predicted pairs.

    Wilson's interval with the correction for a finite population. Over several strata its width is
    that of the stratified estimate; a stratum whose labels are all alike does not show its spread
    and is given that of all strata.
    """
    predicted = [s for s in strata if s.predicted]
    every = sum(s.pairs for s in predicted)
    value = math.fsum(s.estimate for s in predicted) / every
    spread = value * (1 - value)
    widening = _normal(confidence) ** 2 * math.fsum(
        (s.pairs / every) ** 2
        * ((s.pairs - s.labelled) / (s.pairs - 1) if s.pairs > 1 else 0.0)
        / s.labelled
        * (s.share * (1 - s.share) / spread if 0 < s.matches < s.labelled else 1.0)
        for s in predicted
    )
    centre = value + widening / 2
    half = math.sqrt(value * (1 - value) * widening + widening**2 / 4)
    low, high = ((centre + end) / (1 + widening) for end in (-half, half))
    return Estimated(value, max(low, 0.0), min(high, 1.0))


def recall(strata: Sequence[Stratum], confidence: float = 0.95) -> Estimated:
    """Share of predicted pairs among the matches of these strata.

    Definition:  R = TP / (TP + FN), TP and FN estimated stratum by stratum; the interval is
    logit R ± z √(cv²(TP) + cv²(FN))

    A stratum without a match among its labels may hide N (1 - (α/2)^(1/m)) matches. They count as
    missed at the low end, and there is no high end.
    """
    predicted, missed = ([s for s in strata if s.predicted is side] for side in (True, False))
    if not missed:
        return Estimated(None, None, None, "no stratum has pairs that were not predicted")
    true, false = (math.fsum(s.estimate for s in some) for some in (predicted, missed))
    if not true:
        return Estimated(None, None, None, "no predicted pair is labelled as a match")
    blind = [s for s in missed if s.is_blind]
    hidden = math.fsum(s.hidden(confidence) for s in blind)
    if false:
        noise = math.fsum(
            math.fsum(s.variance for s in some) / total**2
            for some, total in ((predicted, true), (missed, false))
        )
        reach = _normal(confidence) * math.sqrt(noise)
        odds = false / true
        low, high = 1 / (1 + odds * math.exp(reach)), 1 / (1 + odds * math.exp(-reach))
    else:
        share = precision(predicted, confidence)
        assert share.low is not None
        true = share.low * sum(s.pairs for s in predicted)
        low = high = 1.0
    if not blind:
        return Estimated(1 / (1 + false / true), low, high)
    names = ", ".join(s.name for s in blind)
    return Estimated(None, 1 / (1 / low + hidden / true), None, f"no match was seen in {names}")


def _normal(confidence: float) -> float:
    """The quantile of the normal distribution for a two-sided interval."""
    return NormalDist().inv_cdf((1 + confidence) / 2)


# The result, from tables of strata or of labelled pairs.

SHOWN = 10
"""Number of strata shown in the head."""


def pairs(
    strata: Any, *, sizes: Mapping[str, int] | None = None, confidence: float = 0.95
) -> LabelledPairs:
    """Precision and recall of a guess from labelled pairs that were drawn in strata.

    >>> found = pairs([("together", 350, 100, 70, True), ("offered", 8000, 200, 4, False)])
    >>> round(found.precision.value, 4), round(found.recall_within_blocks.low, 4)
    (0.7, 0.3681)

    `strata` is a table (a path, a frame, a list of dicts) with a row per stratum and the columns
    stratum, pairs (their number), labelled, matches and predicted (whether the guess puts these
    pairs together); or with a row per labelled pair and the columns stratum, predicted and label,
    where the number of pairs in each stratum is in a column pairs or in `sizes`. In a column
    blocked, "no" marks pairs that blocking never offered. A list of tuples has (stratum, pairs,
    labelled, matches, predicted, blocked).

    Recall within blocks leaves out all matches that no block offered. Recall itself needs a stratum
    of such pairs; if none of its labels is a match, only the low end is known.
    """
    level = level_of(confidence)
    read = strata_of_table(strata, sizes)
    check_strata(read)
    return LabelledPairs(tuple(read), level)


@dataclass(frozen=True, eq=False, repr=False)
class LabelledPairs(TableResult):
    """Precision and recall of pairs, estimated from labels."""

    schema = "pairs/1"

    strata: tuple[Stratum, ...]
    confidence: float

    @property
    def precision(self) -> Estimated:
        """Share of matches among the predicted pairs."""
        return precision(self.strata, self.confidence)

    @property
    def recall_within_blocks(self) -> Estimated:
        """Share of predicted pairs among the matches that blocking offered."""
        return recall([s for s in self.strata if s.blocked], self.confidence)

    @property
    def recall(self) -> Estimated | None:
        """Share of predicted pairs among all matches; None without labels of pairs that blocking
        did not offer.
        """
        if all(s.blocked for s in self.strata):
            return None
        return recall(self.strata, self.confidence)

    @cached_property
    def _estimates(self) -> dict[str, Estimated]:
        names = ("precision", "recall_within_blocks", "recall")
        estimates = {name: getattr(self, name) for name in names}
        return {name: estimate for name, estimate in estimates.items() if estimate is not None}

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
            lines.append(f"and {len(self.strata) - SHOWN:,} more strata")
        return "\n".join(wrapped(printable(line), width, more="  ") for line in lines)

    def table(self) -> CellTable:
        """A row for precision and for each recall."""
        rows = []
        for name, estimate in self._estimates.items():
            ends = (estimate.value, estimate.low, estimate.high)
            cells = ["—" if end is None else digits(end) for end in ends]
            rows.append((name.replace("_", " "), *cells))
        level = f"{100 * self.confidence:g} %"
        return CellTable(("", "estimate", f"low ({level})", "high"), tuple(rows))

    def notes(self) -> list[str]:
        """What recall leaves out, and why an end is missing."""
        within = "Recall within blocks leaves out the matches that no block offered."
        if self.recall is None:
            within += " Label some of these pairs too (blocked: no) for a low end of recall."
        notes = [within]
        for name, estimate in self._estimates.items():
            if estimate.refused:
                rest = "; only the low end is known" if estimate.low is not None else ""
                notes.append(f"{name.replace('_', ' ')}: {estimate.refused}{rest}.")
        for s in self.strata:
            if s.is_blind:
                most = s.hidden(self.confidence)
                notes.append(f"{s.name} may hide up to {most:,.0f} matches in {s.pairs:,} pairs.")
        return notes

    def records(self) -> list[dict[str, Any]]:
        """One record for precision and for each recall."""
        numbers = self.to_dict()
        return [{"quantity": name, **numbers[name]} for name in self._estimates]

    def to_dict(self) -> dict[str, Any]:
        """The estimates and the strata, with full precision."""
        estimates = {
            name: {
                "value": estimate.value, "low": estimate.low, "high": estimate.high,
                "level": self.confidence, "refused": estimate.refused,
            }
            for name, estimate in self._estimates.items()
        }  # fmt: skip
        return {**estimates, "strata": [s._asdict() for s in self.strata]}


# Strata from tables.

FORMS = (
    "a row per stratum has the columns stratum, pairs, labelled, matches and predicted; a row per "
    "labelled pair has stratum, predicted, label and pairs (the number of pairs in its stratum)."
)
WORDS = {
    True: ("yes", "true", "1", "y", "t", "match"),
    False: ("no", "false", "0", "n", "f", "non-match", "nonmatch"),
}
BY_STRATUM = ("stratum", "pairs", "labelled", "matches", "predicted")
BY_PAIR = ("stratum", "predicted", "label")
TOO_FEW = 2
"""Number of labels of a stratum below which its spread is unknown."""


def strata_of_table(given: Any, sizes: Mapping[str, int] | None = None) -> list[Stratum]:
    """Strata from a table with a row per stratum or per labelled pair, or from tuples."""
    rows = [{str(k).strip().lower(): v for k, v in row.items()} for row in rows_of_table(given)]
    if not rows:
        raise ClusterdiffError("there are no labelled pairs.", FORMS)
    names = list(dict.fromkeys(name for row in rows for name in row))
    wanted = BY_PAIR if "label" in names else BY_STRATUM
    if missing := [name for name in wanted if any(name not in row for row in rows)]:
        has = ", ".join(name or "(unnamed)" for name in names) or "none"
        raise ClusterdiffError(
            f"the table has no column {', '.join(missing)}; it has {has}.", FORMS
        )
    of = [str(row["stratum"]).strip() for row in rows]
    if wanted is BY_PAIR:
        return _strata_of_pairs(of, rows, sizes)
    if sizes is not None:
        raise ClusterdiffError(
            "a table with a row per stratum has the number of pairs in its column pairs.",
            "leave sizes out.",
            "leave --size out.",
        )
    columns = [_column(rows, name, _whole) for name in ("pairs", "labelled", "matches")]
    columns += [_column(rows, name, yes_or_no) for name in ("predicted", "blocked")]
    return [Stratum(*row) for row in zip(of, *columns, strict=True)]


def _strata_of_pairs(
    of: list[str], rows: list[dict[str, Any]], sizes: Mapping[str, int] | None
) -> list[Stratum]:
    """Strata of labelled pairs, counted; `of` is the stratum of each pair."""
    label = _column(rows, "label", yes_or_no)
    predicted, blocked = (
        _value_by_stratum(of, name, _column(rows, name, yes_or_no))
        for name in ("predicted", "blocked")
    )
    size: dict[str, Any] = {}
    if sizes is not None:
        given = [{"pairs": pairs} for pairs in sizes.values()]
        size = dict(zip(map(str, sizes), _column(given, "pairs", _whole), strict=True))
    elif all("pairs" in row for row in rows):
        size = _value_by_stratum(of, "pairs", _column(rows, "pairs", _whole))
    lacking = [name for name in dict.fromkeys(of) if name not in size]
    unknown = [name for name in size if name not in of]
    if lacking or unknown:
        why = [f"the number of pairs is not given for {examples(lacking)}"] if lacking else []
        why += [f"no labelled pair is in {examples(unknown)}"] if unknown else []
        first = (*lacking, *unknown)[0]
        hint = "give the number of pairs in each stratum: a column pairs, or "
        raise ClusterdiffError(
            f"{' and '.join(why)}.",
            f"{hint}sizes={{{first!r}: 8000}}.",
            f"{hint}--size {first}=8000.",
        )
    matches = Counter(name for name, match in zip(of, label, strict=True) if match)
    return [
        Stratum(name, size[name], labelled, matches[name], predicted[name], blocked[name])
        for name, labelled in Counter(of).items()
    ]


def _value_by_stratum(of: list[str], column: str, values: list[Any]) -> dict[str, Any]:
    """The value that all rows of a stratum have."""
    seen: dict[str, set[Any]] = {}
    for name, value in zip(of, values, strict=True):
        seen.setdefault(name, set()).add(value)
    if mixed := [name for name, several in seen.items() if len(several) > 1]:
        raise ClusterdiffError(
            f"{_strata_have(mixed)} several values of {column} ({examples(mixed)}).",
            f"{column} is the same for all pairs of a stratum: split strata in which it is not.",
        )
    return {name: only.pop() for name, only in seen.items()}


def _column(rows: list[dict[str, Any]], name: str, parse: Callable[[Any], Any]) -> list[Any]:
    """The values of a column; `blocked` may be left out."""
    values = [row.get(name, True) if name == "blocked" else row[name] for row in rows]
    parsed = [parse(value) for value in values]
    if wrong := [value for value, one in zip(values, parsed, strict=True) if one is None]:
        wanted = "yes or no" if parse is yes_or_no else "a whole number"
        raise ClusterdiffError(
            f"{len(wrong):,} of {len(values):,} values of {name} are not {wanted} "
            f"({examples(wrong)}).",
            f"write {wanted} in each row; leave out pairs that nobody could decide.",
        )
    return parsed


def yes_or_no(value: Any) -> bool | None:
    """Yes or no, however it is written; None for anything else."""
    if isinstance(value, bool | np.bool_):
        return bool(value)
    text = str(value).strip().lower().removesuffix(".0")
    return next((answer for answer, words in WORDS.items() if text in words), None)


def _whole(value: Any) -> int | None:
    """A whole number from 0 on; None for anything else."""
    try:
        number = float(value)
    except (TypeError, ValueError):
        return None
    return int(number) if number >= 0 and number.is_integer() else None


def check_strata(strata: Sequence[Stratum]) -> None:
    """Refuse strata that contradict themselves or have too few labels."""
    names = [s.name for s in strata]
    if twice := sorted(name for name, rows in Counter(names).items() if rows > 1):
        raise ClusterdiffError(
            f"{_strata_have(twice)} several rows ({examples(twice)}).",
            "write one row for each stratum, or one for each labelled pair.",
        )
    for s in strata:
        for wrong, why, hint in (
            (not 0 <= s.matches <= s.labelled <= s.pairs,
             f"has {s.matches:,} matches among {s.labelled:,} labelled of {s.pairs:,} pairs",
             "matches are labelled pairs, and labelled pairs are pairs of the stratum."),
            (not s.pairs, "has no pairs", "leave it out."),
            (s.labelled < min(TOO_FEW, s.pairs),
             f"has {s.labelled} labelled of {s.pairs:,} pairs, too few for an interval",
             "label at least 2 of its pairs, better some hundred."),
            (s.predicted and not s.blocked,
             "is predicted, but blocking did not offer its pairs",
             "blocked is no for pairs that were never compared."),
        ):  # fmt: skip
            if wrong:
                raise ClusterdiffError(f"stratum {s.name} {why}.", hint)
    if not any(s.predicted for s in strata):
        raise ClusterdiffError(
            f"none of {len(names):,} strata ({examples(names)}) is predicted.",
            "precision and recall need labels of pairs that the guess puts together, for which "
            "predicted is yes.",
        )


def _strata_have(names: Sequence[str]) -> str:
    return "1 stratum has" if len(names) == 1 else f"{len(names):,} strata have"


def sizes_of(texts: Iterable[str]) -> dict[str, int]:
    """Numbers of pairs by stratum, written as NAME=N."""
    sizes = {}
    for text in texts:
        name, _, size = text.rpartition("=")
        number = _whole(size)
        if not name or number is None:
            raise ClusterdiffError(
                f"--size {text} is not a stratum and its number of pairs.",
                "write e.g. --size offered=8000.",
            )
        sizes[name.strip()] = number
    return sizes


# Small tables without a clustering: the rows of a file, of a frame or of a list, as dicts.


def rows_of_table(given: Any) -> list[dict[str, Any]]:
    """The rows of a CSV, TSV or Parquet file or of a frame; or a list of dicts, or of tuples in the
    order of `Stratum`.
    """
    if isinstance(given, str | os.PathLike):
        with ExitStack() as stack:
            source, _ = source_of(stack, given, as_="long")
            return _of_parquet(source) if source.start.startswith(b"PAR1") else _of_csv(source)
    if not isinstance(given, list | tuple) and is_frame(given):
        import narwhals as nw

        data = nw.from_native(given)
        return list((data.collect() if isinstance(data, nw.LazyFrame) else data).rows(named=True))
    names = ("stratum", *Stratum._fields[1:])
    rows = [
        {"predicted": False, **dict(zip(names, row, strict=False))}
        if isinstance(row, tuple | list) and 4 <= len(row) <= len(names)
        else row
        for row in (given if isinstance(given, Sequence) else [given])
    ]
    if not all(isinstance(row, Mapping) for row in rows):
        raise ClusterdiffError(f"{a_type(given)} holds no strata of labelled pairs.", FORMS)
    return rows


def _of_parquet(source: Source) -> list[dict[str, Any]]:
    import duckdb

    rows: list[dict[str, Any]] = []
    names: dict[str, None] = {}
    try:
        with duckdb.connect() as connection:
            # one by one: a reader of several files casts them all to the types of the first
            for file in source.files:
                table = connection.sql(f"FROM read_parquet({listed([file])})")
                names |= dict.fromkeys(table.columns)
                rows += [dict(zip(table.columns, row, strict=True)) for row in table.fetchall()]
    except duckdb.Error as error:
        raise ReadError.from_engine(source.shown, str(error)) from None
    return [{name: row.get(name) for name in names} for row in rows]


def _of_csv(source: Source) -> list[dict[str, Any]]:
    """The rows below a line of names; lines with more or fewer cells are refused."""
    if not source.start.strip():
        raise ReadError.empty(source.shown)
    layout = csv_layout(replace(source, header=True))
    lines = source.text().split("\n", source.skip)[source.skip]
    reader = csv.reader(io.StringIO(lines, newline=""), delimiter=layout.delimiter)
    try:
        _, *rows = (row for row in reader if any(cell.strip() for cell in row))
    except csv.Error as error:
        raise ReadError.from_engine(source.shown, str(error)) from None
    if ragged := [row for row in rows if len(row) != len(layout.names)]:
        raise ReadError(
            f"{len(ragged):,} of {len(rows):,} rows of {source.shown} have more or fewer cells "
            f"than the {len(layout.names):,} columns.",
            "give each line the same number of cells, and quote cells with the delimiter.",
        )
    return [dict(zip(layout.names, row, strict=True)) for row in rows]
