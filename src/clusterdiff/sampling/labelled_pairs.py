"""Precision and recall from pairs that people labelled."""

from __future__ import annotations

import csv
import io
import math
import os
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from statistics import NormalDist
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from clusterdiff.engines.columns import is_frame
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

# Precision and recall of pairs from labels of people, who saw some pairs of each stratum.
#
# A stratum is a set of pairs from which some are drawn at random and labelled: those that the
# guess puts together (predicted), those that blocking offered and the guess keeps apart, those
# that no block offered.

FORMS = (
    "a row per stratum has the columns stratum, pairs, labelled, matches and predicted; a row per "
    "labelled pair has stratum, predicted, label and pairs (all pairs of its stratum)."
)
"""What a table of labelled pairs looks like."""
TOO_FEW = 2
"""Labels of a stratum below which its spread is not known."""


class Stratum(NamedTuple):
    """Pairs of which some are labelled: a match, or none.

    >>> Stratum("offered", pairs=8000, labelled=200, matches=4).estimate
    160.0
    """

    name: str
    pairs: int
    """All pairs of the stratum."""
    labelled: int
    """Those that were drawn at random and labelled."""
    matches: int
    """Those among them that belong together."""
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
        """Matches of the whole stratum, estimated."""
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
        """Whether no match was seen, and some may be among the pairs that were not labelled."""
        return not self.predicted and not self.matches and self.labelled < self.pairs

    def hidden(self, confidence: float) -> float:
        """How many matches a stratum may have in which none was seen."""
        return self.pairs * -math.expm1(math.log((1 - confidence) / 2) / self.labelled)


@dataclass(frozen=True)
class Estimated:
    """A number with its interval; where only the low end is known, the others are None."""

    value: float | None
    low: float | None
    high: float | None
    refused: str = ""
    """Why there is no number, or no more than its low end."""


def wilson(
    matches: int, labelled: int, confidence: float = 0.95, pairs: int | None = None
) -> tuple[float, float]:
    """Wilson's interval for a share; `pairs` is how many there are, where they are not endless.

    >>> [round(end, 6) for end in wilson(45, 50)]
    [0.786398, 0.956524]
    """
    left = 1.0 if pairs is None else _left(pairs, labelled)
    return _wilson(matches / labelled, _normal(confidence) ** 2 * left / labelled)


def precision(strata: Sequence[Stratum], confidence: float = 0.95) -> Estimated:
    """Share of the predicted pairs that belong together.

    Wilson's interval with the correction for a finite population. Over several strata its width
    is that of the stratified estimate; a stratum whose labels are all alike says nothing of its
    spread and is given that of all.
    """
    predicted = [s for s in strata if s.predicted]
    every = sum(s.pairs for s in predicted)
    value = math.fsum(s.estimate for s in predicted) / every
    spread = value * (1 - value)
    widening = math.fsum(
        (s.pairs / every) ** 2
        * _left(s.pairs, s.labelled)
        / s.labelled
        * (s.share * (1 - s.share) / spread if 0 < s.matches < s.labelled else 1.0)
        for s in predicted
    )
    return Estimated(value, *_wilson(value, _normal(confidence) ** 2 * widening))


def recall(strata: Sequence[Stratum], confidence: float = 0.95) -> Estimated:
    """Share of the pairs of these strata that belong together that are predicted.

    Definition:  R = TP / (TP + FN), TP and FN estimated stratum by stratum; the interval is
    logit R ± z √(cv²(TP) + cv²(FN))

    A stratum without a match among its labels may hide N (1 - (α/2)^(1/m)) of them: these are
    missed pairs at the low end, and there is no more than that end.
    """
    found, missed = ([s for s in strata if s.predicted is side] for side in (True, False))
    if not missed:
        return Estimated(None, None, None, "no stratum has pairs that were not predicted")
    true, false = (math.fsum(s.estimate for s in some) for some in (found, missed))
    if not true:
        return Estimated(None, None, None, "no predicted pair is labelled as a match")
    blind = [s for s in missed if s.is_blind]
    hidden = math.fsum(s.hidden(confidence) for s in blind)
    if false:
        noise = math.fsum(
            math.fsum(s.variance for s in some) / total**2
            for some, total in ((found, true), (missed, false))
        )
        reach = _normal(confidence) * math.sqrt(noise)
        odds = false / true
        low, high = 1 / (1 + odds * math.exp(reach)), 1 / (1 + odds * math.exp(-reach))
    else:
        share = precision(found, confidence)
        assert share.low is not None
        true = share.low * sum(s.pairs for s in found)
        low = high = 1.0
    if not blind:
        return Estimated(1 / (1 + false / true), low, high)
    names = ", ".join(s.name for s in blind)
    return Estimated(None, 1 / (1 / low + hidden / true), None, f"no match was seen in {names}")


def check_strata(strata: Sequence[Stratum]) -> None:
    """Refuse strata that cannot be, or that say too little."""
    if not strata:
        raise ClusterdiffError("there are no labelled pairs.", FORMS)
    names = [s.name for s in strata]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise ClusterdiffError(
            f"{len(twice):,} strata have several rows ({examples(twice)}).",
            "write one row for each stratum, or one for each labelled pair.",
        )
    for s in strata:
        why = hint = ""
        if not 0 <= s.matches <= s.labelled <= s.pairs:
            why = f"has {s.matches:,} matches among {s.labelled:,} labelled of {s.pairs:,} pairs"
            hint = (
                "matches are some of the labelled pairs, and these some of all pairs of the "
                "stratum."
            )
        elif not s.pairs:
            why, hint = "has no pairs", "leave it out."
        elif s.labelled < min(TOO_FEW, s.pairs):
            why = f"has {s.labelled} labelled of {s.pairs:,} pairs, too few for an interval"
            hint = "label 2 of its pairs at least; some hundred tell something."
        elif s.predicted and not s.blocked:
            why = "is predicted, but blocking did not offer its pairs"
            hint = "blocked is no for pairs that were never compared."
        if why:
            raise ClusterdiffError(f"stratum {s.name} {why}.", hint)
    if not any(s.predicted for s in strata):
        raise ClusterdiffError(
            f"none of {len(names):,} strata ({examples(names)}) is predicted.",
            "precision and recall need labels of pairs that the guess puts together: predicted "
            "is yes for these.",
        )


def _left(pairs: int, labelled: int) -> float:
    """The finite population correction of a variance."""
    return (pairs - labelled) / (pairs - 1) if pairs > 1 else 0.0


def _wilson(share: float, widening: float) -> tuple[float, float]:
    """Wilson's interval; `widening` is z²/m."""
    centre = share + widening / 2
    half = math.sqrt(share * (1 - share) * widening + widening**2 / 4)
    low, high = ((centre + end) / (1 + widening) for end in (-half, half))
    return max(low, 0.0), min(high, 1.0)


def _normal(confidence: float) -> float:
    """The quantile of the normal distribution for a two-sided interval."""
    return NormalDist().inv_cdf((1 + confidence) / 2)


# Small tables that hold no clustering: the rows of a file or a frame, as dicts.

PARQUET = b"PAR1"


def records_of(value: Any) -> list[dict[str, Any]] | None:
    """The rows of a CSV, TSV or Parquet file or of a frame; None if it is neither."""
    if isinstance(value, str | os.PathLike):
        with ExitStack() as stack:
            source, _ = source_of(stack, value, as_="long")
            return _of_parquet(source) if source.start.startswith(PARQUET) else _of_csv(source)
    if isinstance(value, list | tuple) or not is_frame(value):
        return None
    import narwhals as nw

    data = nw.from_native(value)
    eager = data.collect() if isinstance(data, nw.LazyFrame) else data
    return list(eager.rows(named=True))


def _of_parquet(source: Source) -> list[dict[str, Any]]:
    import pyarrow.parquet

    try:
        # One by one, since a reader of several files casts them all to the types of the first.
        parts = [pyarrow.parquet.read_table(file) for file in source.files]
        return list(pyarrow.concat_tables(parts, promote_options="permissive").to_pylist())
    except (OSError, pyarrow.ArrowException) as error:
        raise ReadError.from_engine(source.shown, str(error)) from None


def _of_csv(source: Source) -> list[dict[str, Any]]:
    """The rows below a line of names; lines with other numbers of cells are refused."""
    if not source.start.strip():
        raise ReadError.empty(source.shown)
    layout = csv_layout(replace(source, header=True))
    text = source.text().split("\n", source.skip)[source.skip]
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=layout.delimiter)
    try:
        _, *rows = [row for row in reader if any(cell.strip() for cell in row)]
    except csv.Error as error:
        raise ReadError.from_engine(source.shown, str(error)) from None
    names = layout.names
    if ragged := [row for row in rows if len(row) != len(names)]:
        raise ReadError(
            f"{len(ragged):,} of {len(rows):,} rows of {source.shown} have more or fewer cells "
            f"than the {len(names):,} columns.",
            "give each line the same number of cells, and quote cells with the delimiter.",
        )
    return [dict(zip(names, row, strict=True)) for row in rows]


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
            raise _no_strata(given)
        rows = [_named(row, given) for row in given]
    if not rows:
        raise ClusterdiffError("there are no labelled pairs.", FORMS)
    tidy = [{str(k).strip().lower(): v for k, v in row.items()} for row in rows]
    names = list(dict.fromkeys(name for row in tidy for name in row))
    wanted = BY_PAIR if "label" in names else BY_STRATUM
    if missing := [name for name in wanted if any(name not in row for row in tidy)]:
        known = ", ".join(name or "(unnamed)" for name in names) or "none"
        raise ClusterdiffError(
            f"the table has no column {', '.join(missing)}; it has {known}.", FORMS
        )
    if wanted is BY_PAIR:
        return _by_pair(tidy, sizes)
    if sizes is not None:
        raise ClusterdiffError(
            "a table with a row per stratum has the number of all pairs in its column pairs.",
            "leave sizes out.",
            "leave --size out.",
        )
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
        raise _no_strata(given)
    named = dict(zip(Stratum._fields, row, strict=False))
    return {"predicted": False, **named, "stratum": named.pop("name")}


def _no_strata(given: Any) -> ClusterdiffError:
    return ClusterdiffError(f"{a_type(given)} holds no strata of labelled pairs.", FORMS)


def _by_pair(rows: list[dict[str, Any]], sizes: Mapping[str, int] | None) -> list[Stratum]:
    """Strata of labelled pairs, counted."""
    of = [str(row["stratum"]).strip() for row in rows]
    names = list(dict.fromkeys(of))
    label = _column(rows, "label", _yes)
    predicted, blocked = (
        _one_each(of, name, _column(rows, name, _yes)) for name in ("predicted", "blocked")
    )
    known: dict[str, Any] = {}
    if sizes is not None:
        given = [{"pairs": size} for size in sizes.values()]
        known = dict(zip(map(str, sizes), _column(given, "pairs", _whole), strict=True))
    elif all("pairs" in row for row in rows):
        known = _one_each(of, "pairs", _column(rows, "pairs", _whole))
    lacking = [name for name in names if name not in known]
    unknown = [name for name in known if name not in names]
    if lacking or unknown:
        why = [f"the number of pairs is not given for {examples(lacking)}"] if lacking else []
        why += [f"no labelled pair is in {examples(unknown)}"] if unknown else []
        first = (*lacking, *unknown)[0]
        hint = "give the number of all pairs of each stratum: a column pairs, or "
        raise ClusterdiffError(
            f"{' and '.join(why)}.",
            f"{hint}sizes={{{first!r}: 8000}}.",
            f"{hint}--size {first}=8000.",
        )
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
        raise ClusterdiffError(
            f"{len(mixed):,} strata have several values of {column} ({examples(mixed)}).",
            f"{column} is the same for all pairs of a stratum: split strata in which it is not.",
        )
    return {name: found.pop() for name, found in seen.items()}


def _column(rows: list[dict[str, Any]], name: str, read: Callable[[Any], Any]) -> list[Any]:
    """The values of a column; `blocked` may be left out."""
    values = [row.get(name, True) if name == "blocked" else row[name] for row in rows]
    found = [read(value) for value in values]
    wrong = [value for value, one in zip(values, found, strict=True) if one is None]
    if wrong:
        wanted = "yes or no" if read is _yes else "a whole number"
        raise ClusterdiffError(
            f"{len(wrong):,} of {len(values):,} values of {name} are not {wanted} "
            f"({examples(wrong)}).",
            f"write {wanted} in each row; leave out pairs that nobody could decide.",
        )
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
            raise ClusterdiffError(
                f"--size {text} is not a stratum and its number of pairs.",
                "write e.g. --size offered=8000.",
            )
        found[name.strip()] = number
    return found
