"""The catalogue of measures: what each means, promises, needs and costs, and what holds of it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from clusterdiff.clusterings import Fuzzy, Rough
from clusterdiff.laboratory import Unfit, Verdict
from clusterdiff.laboratory.batch import cores
from clusterdiff.laboratory.verdict import Against, number
from clusterdiff.measures import Measure, families, measure_named, measures
from clusterdiff.measures.core.citations import cited
from clusterdiff.results.catalogue.conditions import Laboratory, laboratory
from clusterdiff.results.render.markup import in_markdown
from clusterdiff.results.render.text import wrap_columns

if TYPE_CHECKING:
    from clusterdiff.laboratory.batch import Row

NEEDS = {
    frozenset({"shapes"}): "sizes alone",
    frozenset({"rows"}): "the contingency table",
    frozenset({"cover"}): "which clusters each object is in",
    frozenset({"soft"}): "what is known of each object",
    frozenset({"shapes", "cover"}): "sizes alone; of covers, which clusters each object is in",
}

COSTS = {
    frozenset({"shapes"}): "one pass over the objects, then the distinct sizes in conflict",
    frozenset({"rows"}): "one pass over the objects, then the rows in conflict",
    frozenset({"cover"}): "one pass over the memberships, then the distinct pairs of sets of"
    " clusters; objects in many clusters are compared with those they share one with",
    frozenset({"soft"}): "linear in the objects against a hard clustering, else all pairs of"
    " distinct rows",
    frozenset({"shapes", "cover"}): "one pass over the objects; of covers, each object with all"
    " in its connected component",
}
"""What a measure costs by what it needs, unless it says otherwise."""
DEFINITION = "Definition:"


class Sides(NamedTuple):
    """Two clusterings of an example, as they are written, and a guess that is no text."""

    truth: str
    guess: str
    made: Any = None


HARD = Sides("'123|45|6'", "'12|3456'")
OVERLAPPING = Sides("'12|23|4'", "'123|4|34'")
UNCERTAIN = [1, 1, 2, 2]
BEGIN = """\
```python
>>> import clusterdiff as cd
>>> rough = cd.Rough([{1}, {1, 2}, {2}, {2, 3}])
>>> fuzzy = cd.Fuzzy([[1, 0], [0.75, 0.25], [0.25, 0.75], [0, 1]])

```"""
ABOUT = f"""\
# Measures

Written by `clusterdiff measures --markdown`. Each measure has its formula, what it promises and
costs, an example that runs, and the conditions that it satisfies. A condition that holds is one
against which no case was found: all small ones were tried, larger ones at random, and neighbours
of these that come nearer and nearer to failing. `clusterdiff axioms elm_f` says how many;
[the conditions](conditions.md) are programs. Which measure answers which question is
[another page](which-measure.md).

In the formulas n is the number of objects. T and G are clusters of truth and of guess, T(o) and
G(o) those that object o is in (in a cover, the sets of clusters it is in). Of pairs of objects,
*truth*, *guess* and *both* count those that share a cluster there, *all* counts all. H is the
entropy, in nats. P and R are the precision and the recall of the same name, P(o) and R(o) those of
one object. Nothing divided by nothing has [one rule](concepts.md#nothing-divided-by-nothing).

In the examples `'12|34'` is a cluster of 1 and 2, and one of 3 and 4. All of them begin with

{BEGIN}
"""


@cache
def _uncertain() -> dict[str, Sides]:
    """Examples of uncertain clusterings, as the page begins with."""
    fuzzy = Fuzzy([[1, 0], [0.75, 0.25], [0.25, 0.75], [0, 1]])
    return {
        "rough": Sides(repr(UNCERTAIN), "rough", Rough([{1}, {1, 2}, {2}, {2, 3}])),
        "fuzzy": Sides(repr(UNCERTAIN), "fuzzy", fuzzy),
    }


def facts(m: Measure) -> list[tuple[str, str]]:
    """What a measure promises, needs and costs."""
    c = m.claims
    low, high = c.bounds
    reached = "reached" if c.reached else "never reached"
    return [
        ("parameters", ", ".join(f"{k}={v!r}" for k, v in m.arguments.items()) or "none"),
        ("range", f"{low:g} ({reached}) to {high:g}"),
        ("identical", "depends on the clusterings" if c.best is None else f"{c.best:g}"),
        ("only then", "yes" if c.perfect else "no: others can score the same"),
        ("symmetric", "yes" if c.symmetric else "no: truth and guess cannot be exchanged"),
        ("--align", _alignments(m)),
        ("needs", NEEDS[m.needs]),
        ("costs", m.claims.cost or COSTS[m.needs]),
        ("from", cited(c.cite)),
    ]


def _alignments(m: Measure) -> str:
    """What an object on one side only may count as."""
    if "soft" in m.needs:
        return "exact, shared (of partitions also singletons)"
    return "all" if m.claims.penalise else "exact, shared, singletons"


def to_markdown(found: Laboratory) -> str:
    """The catalogue as a page: each measure with its facts and its row of conditions."""
    parts = [ABOUT]
    for family in families():
        own = [name for name in found.rows if measure_named(name).family == family]
        if own:
            parts.append(f"## {family}\n")
            parts += [section(measure_named(name), found[name]) for name in own]
    return "\n".join(parts)


def section(m: Measure, row: Row) -> str:
    """One measure: meaning, formula, promises, cost, citation, example and conditions."""
    meaning, formula, *notes = paragraphs(m)
    told = "\n".join(f"* **{name}**: {in_prose(text)}" for name, text in facts(m))
    return "\n\n".join(
        [
            f"### `{m}`",
            in_prose(meaning),
            *([f"**Formula.** {in_prose(formula)}"] if formula else []),
            *map(in_prose, notes),
            told,
            example(m),
            f'<details markdown="1"><summary>Conditions: {counted(row)}</summary>',
            conditions(row),
            "</details>\n",
        ]
    )


def in_prose(text: str) -> str:
    """A text in which nothing is markup but names between backticks."""
    parts = text.split("`")
    return "".join(f"`{part}`" if i % 2 else _plain(part) for i, part in enumerate(parts))


def _plain(text: str) -> str:
    """Escaped, with the blanks at its ends."""
    begin, end = (" " if text != cut else "" for cut in (text.lstrip(), text.rstrip()))
    return f"{begin}{in_markdown(text)}{end}" if text.strip() else text


def paragraphs(m: Measure) -> list[str]:
    """What a measure means, its formula, and what else is to be said, a line each."""
    parts = [" ".join(part.split()) for part in (m.__doc__ or "").split("\n\n")]
    formula = next((part for part in parts if part.startswith(DEFINITION)), "")
    rest = [part for part in parts[1:] if part != formula]
    return [parts[0], formula.removeprefix(DEFINITION).strip(), *rest]


def example(m: Measure) -> str:
    """The measure of two small clusterings, as one would type it, and what comes out."""
    sides = _sides(m)
    inner = m.params.get("measure")
    given = {k: v for k, v in m.params.items() if v is not inner}
    called = f"cd.{m.name}" + (f"({str(inner)!r})" if inner is not None else "")
    arguments = [sides.truth, sides.guess, *(f"{k}={v!r}" for k, v in given.items())]
    value = m(UNCERTAIN, sides.made) if sides.made else m(sides.truth[1:-1], sides.guess[1:-1])
    typed = f"round({called}({', '.join(arguments)}), 4)"
    return f"```python\n>>> {typed}\n{round(value, 4)!r}\n\n```"


def _sides(m: Measure) -> Sides:
    """What a measure is shown with."""
    if "soft" in m.needs:
        return _uncertain()["fuzzy" if m.family == "fuzzy" else "rough"]
    return OVERLAPPING if m.needs == {"cover"} else HARD


def conditions(row: Row) -> str:
    """Which conditions hold, and the smallest case against each that does not."""
    kept = [v for v in row.values() if not isinstance(v, Unfit)]
    holds = [v.axiom for v in kept if v.mark == "✓"]
    lines = [f"✓ {', '.join(holds)}"] if holds else []
    lines += [_against(v) for v in kept if isinstance(v, Against)]
    return "\n".join(f"* {in_markdown(line)}" for line in lines)


def counted(row: Row) -> str:
    """How many conditions hold, hold with ties, and fail."""
    marks = [v.mark for v in row.values() if not isinstance(v, Unfit)]
    said = {"✓": "hold", "=": "with ties", "✗": "fail"}
    return ", ".join(f"{marks.count(mark)} {word}" for mark, word in said.items())


def _against(verdict: Verdict) -> str:
    assert isinstance(verdict, Against)
    found = verdict.counterexample
    shown = ", ".join(f"{part} {text}" for part, text in found.drawn.items())
    values = ", ".join(f"{what} {number(value)}" for what, value in found.values.items())
    note = f" ({verdict.note})" if verdict.note else ""
    return f"{verdict.mark} {verdict.axiom}{note}: {shown}: {values}"


@dataclass(frozen=True)
class MeasureList:
    """Measures that were asked for; where none was, all of them."""

    chosen: tuple[Measure, ...] = ()

    def to_text(self, width: int = 80) -> str:
        """All about those that were asked for; else a line for each there is."""
        if self.chosen:
            return "\n\n".join(
                f"{m}\n\n{m.__doc__}\n\n{wrap_columns(facts(m), width)}" for m in self.chosen
            )
        blocks = []
        for family in families():
            rows = [(m.name, m.meaning) for m in measures() if m.family == family]
            blocks.append(f"{family}\n{wrap_columns(rows, width)}")
        count = len(measures())
        return "\n\n".join(
            [*blocks, f"{count} measures. To describe one: clusterdiff measures elm_f"]
        )

    def to_json(self) -> str:
        """Each measure with its claims, for programs."""
        return json.dumps([_entry(m) for m in self.chosen or measures()], indent=2)

    def to_markdown(self) -> str:
        """A page, with the conditions that each satisfies."""
        return to_markdown(laboratory(self.chosen or None, jobs=cores()))


def _entry(m: Measure) -> dict[str, Any]:
    """A measure with its claims, for programs."""
    c = m.claims
    return {
        "name": m.name,
        "family": m.family,
        "meaning": m.meaning,
        "aliases": m.aliases,
        "parameters": {k: str(v) for k, v in m.arguments.items()},
        "citation": cited(c.cite),
        "bounds": [str(b) for b in c.bounds],
        "reaches_low": c.reached,
        "symmetric": c.symmetric,
        "perfect": c.perfect,
        "best": c.best,
        "penalise": c.penalise,
        "needs": sorted(m.needs),
    }
