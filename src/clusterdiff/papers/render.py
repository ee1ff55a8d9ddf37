"""What papers print and claim beside what comes out here: for a screen, for the docs, as data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import groupby
from typing import Any, TypeVar, get_args

from clusterdiff.measures.core.citations import CITATIONS
from clusterdiff.papers.paper import (
    CLOSE,
    Claim,
    Computed,
    Finding,
    Paper,
    Value,
    Verdict,
    computed,
)
from clusterdiff.progress import progress
from clusterdiff.results.render.grid import Row, to_grid
from clusterdiff.results.render.markup import to_json, to_markdown
from clusterdiff.results.render.table import CellTable
from clusterdiff.results.render.text import hung, printable, wrap_columns, wrapped

HEADINGS = ("", "printed", "definition", "variant", "verdict")

T = TypeVar("T")
LARGEST = 1000
"""The largest denominator of a fraction that a decimal number is told to be."""

INTRODUCTION = """\
# What the papers print, and what comes out

This page is written by `clusterdiff reproduce --markdown`. When the command runs, it computes every
value and searches a counterexample to every claim; verdicts follow from what it finds.

A value is held against the print in two ways. *Definition* is what the paper's own formula gives.
*Variant* is another reading, named as `clusterdiff compare -m` takes it, where that reading gives
the printed number and the formula does not. The verdicts are

- **as printed**: the formula gives the printed number, to the digits that are printed;
- **by a variant**: the formula does not, the variant does;
- **a slip**: neither does, and why is said;
- **impossible**: no clusterings at all could give it;
- **needs data**: it cannot be computed from what the paper holds;
- **not printed**: it follows from the formulas, for reference.

A claim is *true* if no case of the scope is against it, which is a proof only where the scope is
all there is; *false* if some case is; *ties* if it never goes the wrong way but is not strict;
*partly* true if a condition has to be added.
"""


@dataclass(frozen=True)
class Reproduced:
    """A paper with its values computed and its claims searched."""

    paper: Paper
    values: tuple[Computed, ...]
    claims: tuple[tuple[Claim, Finding], ...]

    @property
    def values_counted(self) -> str:
        """How many values there are of each verdict."""
        return _counted((one.verdict for one in self.values), get_args(Verdict))

    @property
    def claims_counted(self) -> str:
        """How many claims there are of each verdict."""
        return _counted((f.verdict for _, f in self.claims), ("true", "partly", "ties", "false"))


def reproduced(
    papers: Sequence[Paper], *, values: bool = True, claims: bool = True
) -> Reproduction:
    """Compute what was asked for; long work shows how far it is."""
    steps = sum(values * len(p.values) + claims * len(p.claims) for p in papers)
    with progress("reproducing", steps) as advance:

        def done(step: T) -> T:
            advance(1)
            return step

        return Reproduction(
            [
                Reproduced(
                    paper,
                    tuple(done(computed(row)) for row in paper.values if values),
                    tuple(done((claim, claim.check())) for claim in paper.claims if claims),
                )
                for paper in papers
            ]
        )


@dataclass(frozen=True)
class Reproduction:
    """Papers that were reproduced, as output formats take them."""

    found: Sequence[Reproduced]

    def to_text(self, width: int = 80) -> str:
        """Everything, for a terminal of this width."""
        return "\n\n\n".join(_paper_text(one, width) for one in self.found)

    def to_markdown(self) -> str:
        """Everything, as a page."""
        blocks = [INTRODUCTION.rstrip()]
        for one in self.found:
            blocks.append(f"## {one.paper.title}")
            blocks.append(f"{CITATIONS[one.paper.cite]}; `clusterdiff reproduce {one.paper.key}`.")
            if one.values:
                blocks += ["### Values", one.values_counted, to_markdown(_values_table(one))]
            if one.claims:
                blocks += ["### Claims", one.claims_counted, to_markdown(_claims_table(one))]
        return "\n\n".join(blocks)

    def to_json(self) -> str:
        """Everything, with full precision and stable keys."""
        return to_json([_record(one) for one in self.found], 2)


def written(value: Value | None) -> str:
    """A value for eyes: a fraction where it is one, with its decimals where it stands alone.

    >>> written(2 / 3), written(0.5**0.5), written((1.0, 0.5, 0.5)), written((0.25,) * 4)
    ('2/3 = 0.6667', '0.707107', '1, 1/2, 1/2', '1/4 × 4')
    """
    if value is None or isinstance(value, str):
        return value or ""
    if isinstance(value, tuple):
        return ", ".join(_run(list(same)) for _, same in groupby(map(_short, value)))
    exact = _fraction(value)
    if exact is None or exact.denominator == 1:
        return _short(value)
    return f"{exact} = {_decimals(value, 4)}"


def _run(same: list[str]) -> str:
    """Equal numbers one after the other; many of them are counted."""
    return f"{same[0]} × {len(same)}" if len(same) > 3 else ", ".join(same)


def _short(value: Value) -> str:
    if isinstance(value, str | tuple):
        return written(value)
    exact = _fraction(value)
    return _decimals(value, 6) if exact is None else str(exact)


def _decimals(value: float | Fraction, places: int) -> str:
    return f"{float(value):.{places}f}".rstrip("0").rstrip(".")


def _fraction(value: float | Fraction) -> Fraction | None:
    """The fraction that a number is, if it is one of small numbers."""
    if isinstance(value, Fraction):
        return value
    near = Fraction(value).limit_denominator(LARGEST)
    return near if abs(value - near) < CLOSE else None


def _counted(verdicts: Iterable[str], order: Iterable[str]) -> str:
    many = Counter(verdicts)
    slips = "slip" if many["a slip"] == 1 else "slips"
    told = (f"{many[v]} {slips if v == 'a slip' else v}" for v in order if many[v])
    return f"{', '.join(told)}."


def _cells(one: Computed) -> tuple[str, ...]:
    """A value beside the printed one; the variant's, where the definition's is not that one."""
    variant = "" if one.verdict == "as printed" else written(one.variant)
    return one.row.what, one.row.printed, written(one.value), variant, one.verdict


def _beside(claim: Claim, found: Finding) -> list[tuple[str, str]]:
    """What is said below a claim: its evidence, and what holds in its place, or besides it."""
    told = [("", line) for line in found.evidence.splitlines() if line]
    besides = "note" if found.verdict == "true" else "instead"
    return [*told, (besides, claim.instead)] if claim.instead else told


# For a screen


def _paper_text(one: Reproduced, width: int) -> str:
    p = one.paper
    blocks = [hung(f"{p.key}  ", [p.title, CITATIONS[p.cite]], width)]
    if one.values:
        blocks.append(wrapped(f"Values: {one.values_counted}", width))
        rows = {
            where: [_row(value) for value in values]
            for where, values in groupby(one.values, lambda value: value.row.where)
        }
        blocks.append(to_grid(HEADINGS, rows, width))
    if one.claims:
        blocks.append(wrapped(f"Claims: {one.claims_counted}", width))
    for where, said in groupby(one.claims, lambda stated: stated[0].where):
        lines = [wrapped(printable(where), width)]
        for claim, found in said:
            told = [(f"{found.verdict:<7}", found.scope), *_beside(claim, found)]
            lines.append(wrapped(printable(claim.says), width, "  "))
            lines.append(wrap_columns([(n, printable(text)) for n, text in told], width, "    "))
        blocks.append("\n".join(lines))
    return "\n\n".join(blocks)


def _row(one: Computed) -> Row:
    cells = _cells(one)
    below = [f"variant: {one.row.name}" if cells[3] else "", one.row.note]
    return Row(cells, tuple(filter(None, below)))


# For the docs


def _values_table(one: Reproduced) -> CellTable:
    """The values; a place is named where it changes."""
    headings = ("where", "what", "printed", "definition", "variant", "verdict")
    rows: list[tuple[str, ...]] = []
    before = None
    for value in one.values:
        row = value.row
        what, printed, definition, variant, verdict = _cells(value)
        named = f"{variant} by {row.name}" if variant else ""
        told = f"{verdict}: {row.note}" if row.note else verdict
        where = "" if row.where == before else row.where
        rows.append((where, what, printed or "—", definition, named, told))
        before = row.where
    return CellTable(headings, tuple(rows))


def _claims_table(one: Reproduced) -> CellTable:
    rows = []
    for claim, found in one.claims:
        told = [f"{name}: {text}" if name else text for name, text in _beside(claim, found)]
        said = f"{claim.where}: {claim.says}"
        rows.append((said, found.verdict, found.scope, "; ".join(told)))
    return CellTable(("claim", "verdict", "scope", "smallest counterexample"), tuple(rows))


# For programs


def _record(one: Reproduced) -> dict[str, Any]:
    p = one.paper
    return {
        "paper": p.key,
        "title": p.title,
        "citation": CITATIONS[p.cite],
        "values": [
            {
                "where": j.row.where,
                "what": j.row.what,
                "printed": j.row.printed or None,
                "definition": _plain(j.value),
                "definition_written": written(j.value),
                "variant": _plain(j.variant),
                "variant_written": written(j.variant) or None,
                "variant_name": j.row.name or None,
                "verdict": j.verdict,
                "note": j.row.note,
            }
            for j in one.values
        ],
        "claims": [
            {"where": claim.where, "says": claim.says}
            | vars(found)
            | {"objects": found.objects or None, "instead": claim.instead}
            for claim, found in one.claims
        ],
    }


def _plain(value: Value | None) -> Any:
    """A value as JSON has it."""
    if isinstance(value, tuple):
        return [_plain(x) for x in value]
    return float(value) if isinstance(value, Fraction) else value
