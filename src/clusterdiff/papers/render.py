"""What papers print and claim beside what comes out here: for a screen, for the docs, as data."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain, groupby, repeat
from typing import TYPE_CHECKING, Any, get_args

from clusterdiff.measures.core.citations import CITATIONS
from clusterdiff.papers.paper import CLOSE, Computed, Verdict, computed
from clusterdiff.progress import progress
from clusterdiff.results.render.grid import Row, to_grid
from clusterdiff.results.render.markup import to_json as markup_json
from clusterdiff.results.render.markup import to_markdown as markdown_table
from clusterdiff.results.render.table import CellTable
from clusterdiff.results.render.text import hung, printable, wrap_columns, wrapped

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from clusterdiff.papers.paper import Claim, Finding, Paper, Value

HEADINGS = ("", "printed", "definition", "variant", "verdict")

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


def reproduced(
    papers: Sequence[Paper], *, values: bool = True, claims: bool = True
) -> list[Reproduced]:
    """Compute what was asked for; long work shows how far it is."""
    steps = sum(values * len(p.values) + claims * len(p.claims) for p in papers)
    found = []
    with progress("reproducing", steps) as advance:
        for paper in papers:
            made, searched = [], []
            for row in paper.values if values else ():
                made.append(computed(row))
                advance(1)
            for claim in paper.claims if claims else ():
                searched.append((claim, claim.check()))
                advance(1)
            found.append(Reproduced(paper, tuple(made), tuple(searched)))
    return found


@dataclass(frozen=True)
class Reproduction:
    """Papers that were reproduced, as output formats take them."""

    found: Sequence[Reproduced]

    def to_text(self, width: int = 80) -> str:
        """Everything, for a terminal of this width."""
        return to_text(self.found, width)

    def to_markdown(self) -> str:
        """Everything, as a page."""
        return to_markdown(self.found)

    def to_json(self) -> str:
        """Everything, with full precision and stable keys."""
        return to_json(self.found)


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
    """How many there are of each verdict."""
    many = Counter(verdicts)
    slips = "slip" if many["a slip"] == 1 else "slips"
    return ", ".join(f"{many[v]} {slips if v == 'a slip' else v}" for v in order if many[v])


def _values_counted(one: Reproduced) -> str:
    return f"{_counted((j.verdict for j in one.values), get_args(Verdict))}."


def _claims_counted(one: Reproduced) -> str:
    order = ("true", "partly", "ties", "false")
    return f"{_counted((found.verdict for _, found in one.claims), order)}."


def _variant(one: Computed) -> str:
    """The variant's value, where the definition is not the printed one."""
    return "" if one.verdict == "as printed" else written(one.variant)


# For a screen


def to_text(found: Sequence[Reproduced], width: int = 80) -> str:
    """Everything, for a terminal of this width."""
    return "\n\n\n".join(_paper_text(one, width) for one in found)


def _paper_text(one: Reproduced, width: int) -> str:
    p = one.paper
    blocks = [hung(f"{p.key}  ", [p.title, CITATIONS[p.cite]], width)]
    if one.values:
        blocks.append(wrapped(f"Values: {_values_counted(one)}", width))
        blocks.append(to_grid(HEADINGS, _rows_by_place(one.values), width))
    if one.claims:
        blocks.append(wrapped(f"Claims: {_claims_counted(one)}", width))
        blocks += [_claims_text(where, said, width) for where, said in _claims_by_place(one)]
    return "\n\n".join(blocks)


def _rows_by_place(values: Iterable[Computed]) -> Mapping[str, list[Row]]:
    grouped: dict[str, list[Row]] = {}
    for one in values:
        row = one.row
        cells = (row.what, row.printed, written(one.value), _variant(one), one.verdict)
        below = [f"variant: {row.name}"] if _variant(one) else []
        below += [row.note] if row.note else []
        grouped.setdefault(row.where, []).append(Row(cells, tuple(below)))
    return grouped


def _claims_by_place(one: Reproduced) -> list[tuple[str, list[tuple[Claim, Finding]]]]:
    return [(where, list(said)) for where, said in groupby(one.claims, lambda c: c[0].where)]


def _besides(found: Finding) -> str:
    """What that is which holds in place of a claim, or besides it."""
    return "note" if found.verdict == "true" else "instead"


def _claims_text(where: str, said: list[tuple[Claim, Finding]], width: int) -> str:
    lines = [wrapped(printable(where), width)]
    for claim, found in said:
        told: list[tuple[str, str]] = [(f"{found.verdict:<7}", found.scope)]
        told += [("", line) for line in found.evidence.splitlines() if line]
        told += [(_besides(found), claim.instead)] if claim.instead else []
        lines.append(wrapped(printable(claim.says), width, "  "))
        lines.append(wrap_columns([(n, printable(text)) for n, text in told], width, "    "))
    return "\n".join(lines)


# For the docs


def to_markdown(found: Sequence[Reproduced]) -> str:
    """Everything, as a page."""
    blocks = [INTRODUCTION.rstrip()]
    for one in found:
        blocks.append(f"## {one.paper.title}")
        blocks.append(f"{CITATIONS[one.paper.cite]}; `clusterdiff reproduce {one.paper.key}`.")
        if one.values:
            blocks += ["### Values", _values_counted(one), markdown_table(_values_table(one))]
        if one.claims:
            blocks += ["### Claims", _claims_counted(one), markdown_table(_claims_table(one))]
    return "\n\n".join(blocks)


def _values_table(one: Reproduced) -> CellTable:
    """The values; a place is named where it changes."""
    headings = ("where", "what", "printed", "definition", "variant", "verdict")
    rows = []
    for where, found in groupby(one.values, lambda j: j.row.where):
        places = chain([where], repeat(""))
        for place, j in zip(places, found, strict=False):
            variant = _variant(j)
            named = f"{variant} by {j.row.name}" if variant else ""
            verdict = f"{j.verdict}: {j.row.note}" if j.row.note else j.verdict
            printed = j.row.printed or "—"
            rows.append((place, j.row.what, printed, written(j.value), named, verdict))
    return CellTable(headings, tuple(rows))


def _claims_table(one: Reproduced) -> CellTable:
    rows = []
    for claim, found in one.claims:
        told = [line for line in found.evidence.splitlines() if line]
        told += [f"{_besides(found)}: {claim.instead}"] if claim.instead else []
        said = f"{claim.where}: {claim.says}"
        rows.append((said, found.verdict, found.scope, "; ".join(told)))
    return CellTable(("claim", "verdict", "scope", "smallest counterexample"), tuple(rows))


# For programs


def to_json(found: Sequence[Reproduced]) -> str:
    """Everything, with full precision and stable keys."""
    return markup_json([_record(one) for one in found], 2)


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
            {
                "where": claim.where,
                "says": claim.says,
                "verdict": searched.verdict,
                "scope": searched.scope,
                "evidence": searched.evidence,
                "objects": searched.objects or None,
                "instead": claim.instead,
            }
            for claim, searched in one.claims
        ],
    }


def _plain(value: Value | None) -> Any:
    """A value as JSON has it."""
    if isinstance(value, tuple):
        return [_plain(x) for x in value]
    return float(value) if isinstance(value, Fraction) else value
