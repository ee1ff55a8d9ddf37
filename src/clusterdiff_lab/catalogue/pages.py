"""The catalogue of measures: their facts, as text, as JSON and as Markdown pages."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from math import isinf
from typing import Any, NamedTuple

from clusterdiff.clusterings import Fuzzy, Rough
from clusterdiff.measures import Measure, families, measures
from clusterdiff.measures.base import cited
from clusterdiff.output.markup import document, in_markdown
from clusterdiff.output.text import wrap_columns
from clusterdiff_lab.axioms import Unfit, Verdict
from clusterdiff_lab.axioms.laboratory import Row, cores, laboratory
from clusterdiff_lab.axioms.subject import Against, number

NEEDS = {
    frozenset({"shapes"}): "cluster sizes only",
    frozenset({"rows"}): "the contingency table",
    frozenset({"cover"}): "the clusters of each object",
    frozenset({"soft"}): "the evidence on each object",
    frozenset({"shapes", "cover"}): "cluster sizes only; for covers, the clusters of each object",
}

COSTS = {
    frozenset({"shapes"}): "one pass over the objects, then the distinct sizes in conflict",
    frozenset({"rows"}): "one pass over the objects, then the rows in conflict",
    frozenset({"cover"}): "one pass over the memberships, then the distinct pairs of sets of"
    " clusters; objects in many clusters are compared with those they share one with",
    frozenset({"soft"}): "linear in the objects against a hard clustering, otherwise all pairs"
    " of distinct rows",
    frozenset({"shapes", "cover"}): "one pass over the objects; for covers, each object with"
    " all others in its connected component",
}
"""What a measure costs by what it needs, unless it says otherwise."""
DEFINITION, ALSO = "Definition:", "Also known as:"


def facts(m: Measure) -> list[tuple[str, str]]:
    """What a measure promises, needs and costs."""
    c = m.claims
    low, high = c.bounds
    reached = "reached" if c.reached else "never reached"
    free = "that of the measure" if isinf(low) and isinf(high) else ""
    return [
        ("parameters", ", ".join(f"{k}={v!r}" for k, v in m.arguments.items()) or "none"),
        ("range", free or f"{low:g} ({reached}) to {high:g}"),
        (
            "score of identical clusterings",
            "depends on the clusterings" if c.best is None else f"{c.best:g}",
        ),
        ("best only if identical", "yes" if c.perfect else "no: others can score the same"),
        ("symmetric", "yes" if c.symmetric else "no: truth and guess cannot be exchanged"),
        ("--align", _alignments(m)),
        ("input", NEEDS[m.needs]),
        ("cost", m.claims.cost or COSTS[m.needs]),
        ("source", cited(c.cite)),
    ]


def _alignments(m: Measure) -> str:
    """What an object on one side only may count as."""
    if "soft" in m.needs:
        return "exact, shared (of partitions also singletons)"
    return "all" if m.claims.penalise else "exact, shared, singletons"


def paragraphs(m: Measure) -> list[str]:
    """What a measure means, its formula, and what else is to be said, a line each."""
    parts = [" ".join(part.split()) for part in m.about.split("\n\n")]
    formula = next((part for part in parts if part.startswith(DEFINITION)), "")
    rest = [part for part in parts[1:] if part != formula]
    return [parts[0], formula.removeprefix(DEFINITION).strip(), *rest]


def title(m: Measure) -> tuple[str, str]:
    """Its name in the literature with its abbreviation, and what it means.

    >>> from clusterdiff.measures import measure_named
    >>> title(measure_named("ARI"))
    ('Adjusted Rand index (ARI)', 'Agreement on pairs, corrected for chance.')
    """
    name, colon, meaning = m.meaning.partition(": ")
    return (name, meaning[:1].upper() + meaning[1:]) if colon else (m.name, m.meaning)


FAMILIES = {
    "bcubed": "BCubed and ELM: each object with those it should be with",
    "splitmerge": "Split-merge: how intact clusters stay",
    "pairs": "Pairs of objects, together or apart",
    "matching": "Clusters matched with clusters",
    "segmentation": "Segments: clusters that overlap enough, boundaries between them",
    "information": "Information theory",
    "elements": "Element-centric similarity",
    "overlapping": "Overlapping clusterings",
    "diarization": "Speech",
    "fuzzy": "Fuzzy clusterings",
    "evidential": "Uncertain clusterings: rough, possibilistic, evidential",
    "transport": "Optimal transport between uncertain clusterings",
    "coreference": "Coreference",
    "chance": "Correction for chance",
}
"""What the families of measures have in common."""
LAST = re.compile(r"(.*)_(precision|recall|f)")
WORDS = re.compile(r"(\w+)")


class Sides(NamedTuple):
    """Two clusterings of an example as they are typed, and the guess if it cannot be a text."""

    truth: str
    guess: str
    soft: Any = None
    before: str = ""
    """What is to be typed before."""


HARD = Sides("'123|45|6'", "'12|3456'")
OVERLAPPING = Sides("'12|23|4'", "'123|4|34'")
UNCERTAIN = [1, 1, 2, 2]
SYMBOLS = (
    (r"\bn\b", "n is the number of objects"),
    (r"\b[TG]\b|_TG", "T and G are clusters of truth and of guess"),
    (r"\b[TG]\(o", "T(o) and G(o) are those that object o is in (in a cover, the sets of them)"),
    (
        r"\b(both|all)\b(?! have)",
        "*truth*, *guess* and *both* count the pairs of objects that share a cluster there, *all*"
        " counts all pairs",
    ),
    (r"\bH\(", "H is the entropy, in nats"),
    (r"\bI\b(?! =)", "I is the mutual information"),
    (
        r"\b[PR]\b(?!\(| =)",
        "P and R are the precision and the recall of the same name, P(o) and R(o) those of one"
        " object",
    ),
    (r"\bE\[", "E is the expectation under random guesses"),
)
"""Signs that formulas have in common, and what they mean."""
CONDITIONS = """\
Axioms from the literature, tested by [programs](../conditions.md). ✓: no counterexample was found
among all small cases, larger random cases and their neighbours. =: the scores are equal where a
difference is required. ✗: the smallest counterexample found."""


@cache
def _uncertain() -> dict[str, Sides]:
    """Examples of uncertain clusterings."""
    sets, degrees = [{1}, {1, 2}, {2}, {2, 3}], [[1, 0], [0.75, 0.25], [0.25, 0.75], [0, 1]]
    truth = repr(UNCERTAIN)
    return {
        "rough": Sides(truth, "rough", Rough(sets), f">>> rough = cd.Rough({sets})\n"),
        "fuzzy": Sides(truth, "fuzzy", Fuzzy(degrees), f">>> fuzzy = cd.Fuzzy({degrees})\n"),
    }


def page(
    shown: Sequence[Measure],
    verdicts: Sequence[str],
    answers: Iterable[str] = (),
    misleads: Iterable[str] = (),
) -> str:
    """All about a measure: `shown` has it as it is and with other parameters, `verdicts` those
    on each; `answers` are questions that it answers, `misleads` says where it does not.
    """
    m = shown[0]
    name, meaning = title(m)
    _, formula, *notes = paragraphs(m)
    also = [note for note in notes if note.startswith(ALSO)]
    parts = [
        f"# {in_markdown(name)}",
        f"`cd.{m.name}` · `clusterdiff compare -m {m.name}` · [{m.family}](index.md#{m.family})",
        linked(meaning, m),
        *([f"```formula\n{formula}\n```"] if formula else []),
        *symbols(formula),
        *(linked(note, m) for note in notes if note not in also),
        *(f"**{ALSO[:-1]}**{in_prose(note.removeprefix(ALSO[:-1]))}" for note in also),
        *_list("Questions that it answers", answers),
        "## Example",
        example(shown),
        "## Properties",
        _properties(shown),
        *_list("Where it misleads", misleads),
        "## Conditions",
        CONDITIONS,
        *verdicts,
        *_list("Related measures", (f"{link(one)}: {in_prose(one.meaning)}" for one in related(m))),
        f"[All measures of this family](index.md#{m.family})",
    ]
    return "\n\n".join(parts) + "\n"


def _list(heading: str, lines: Iterable[str]) -> list[str]:
    """A section of bullets, if there are any."""
    bullets = "\n".join(f"* {line}" for line in lines)
    return [f"## {heading}", bullets] if bullets else []


def link(m: Measure) -> str:
    """The name of a measure, with its page."""
    return f"[`{m.name}`]({m.name}.md)"


def linked(text: str, beside: Measure) -> str:
    """A text in which names of other measures lead to their pages."""
    links = {
        one.name: link(one) for one in measures() if "_" in one.name and one.name != beside.name
    }
    return "".join(
        f"`{part}`" if code % 2 else "".join(links.get(w, _plain(w)) for w in WORDS.split(part))
        for code, part in enumerate(text.split("`"))
    )


def related(m: Measure) -> list[Measure]:
    """What is called alike, what it speaks of and what speaks of it; else its family."""
    others = [one for one in measures() if one.name != m.name]
    near = [one for one in others if _near(m, one) or _near(one, m)]
    return near or [one for one in others if one.family == m.family]


def _near(m: Measure, other: Measure) -> bool:
    """Whether a measure is named after another or in the same way, or speaks of it."""
    stem, others = (LAST.fullmatch(one.name) for one in (m, other))
    return (
        f"_{other.name}_" in f"_{m.name}_"
        or _literature(other) in m.meaning.lower()
        or (stem is not None and others is not None and stem[1] == others[1])
        or other.name in {m.claims.hard, *(m.claims.halves or ())}
        or ("_" in other.name and other.name in re.findall(r"\w+", m.about))
    )


def _literature(m: Measure) -> str:
    """Its name in the literature, without abbreviation."""
    return title(m)[0].partition(" (")[0].lower()


def _properties(shown: Sequence[Measure]) -> str:
    """What each form promises, needs and costs."""
    columns = [facts(m) for m in shown]
    lines = [["property", *(f"`{m}`" for m in shown)], ["---"] * (len(columns) + 1)]
    for row in zip(*columns, strict=True):
        values = [in_prose(value) for _, value in row]
        lines.append([row[0][0], *values])
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def symbols(formula: str) -> list[str]:
    """What the signs of a formula mean, in a sentence."""
    meanings = [meaning for sign, meaning in SYMBOLS if re.search(sign, formula)]
    return [f"Here {'; '.join(meanings)}."] if meanings else []


def verdicts(m: Measure, row: Row) -> str:
    """The conditions of one form of a measure, folded."""
    return (
        f'<details markdown="1"><summary><code>{m}</code>: {counted(row)}</summary>'
        f"\n\n{conditions(row)}\n\n</details>"
    )


def index(questions: str = "") -> str:
    """All measures, family by family, a line for each; questions that they answer come before."""
    parts = ["# Measures", *([questions] if questions else [])]
    for family in families():
        members = [m for m in measures() if m.family == family]
        rows = [f"| {link(m)} | {in_prose(m.meaning)} |" for m in members]
        parts.append(f"## {FAMILIES.get(family, family)} {{ #{family} }}")
        parts.append("\n".join(["| measure | what it is |", "| --- | --- |", *rows]))
    return "\n\n".join(parts) + "\n"


def in_prose(text: str) -> str:
    """A text in which nothing is markup but names between backticks."""
    parts = text.split("`")
    return "".join(f"`{part}`" if i % 2 else _plain(part) for i, part in enumerate(parts))


def _plain(text: str) -> str:
    """Escaped, with the blanks at its ends."""
    begin, end = (" " if text != cut else "" for cut in (text.lstrip(), text.rstrip()))
    return f"{begin}{in_markdown(text)}{end}" if text.strip() else text


def example(shown: Sequence[Measure]) -> str:
    """A measure of two small clusterings, as one would type it, and what comes out."""
    lines = "\n".join(f">>> {typed}\n{value!r}" for typed, value in map(_called, shown))
    return f"```python\n>>> import clusterdiff as cd\n{_sides(shown[0]).before}{lines}\n\n```"


def _called(m: Measure) -> tuple[str, Any]:
    """The call of a measure, and its value."""
    sides = _sides(m)
    inner = m.params.get("measure")
    given = {k: v for k, v in m.params.items() if v is not inner}
    called = f"cd.{m.name}" + (f"({str(inner)!r})" if inner is not None else "")
    arguments = [sides.truth, sides.guess, *(f"{k}={v!r}" for k, v in given.items())]
    value = m(UNCERTAIN, sides.soft) if sides.soft else m(sides.truth[1:-1], sides.guess[1:-1])
    return f"round({called}({', '.join(arguments)}), 4)", round(value, 4)


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
    words = {"✓": "hold", "=": "with ties", "✗": "fail"}
    return ", ".join(f"{marks.count(mark)} {word}" for mark, word in words.items())


def _against(verdict: Verdict) -> str:
    assert isinstance(verdict, Against)
    example = verdict.counterexample
    shown = ", ".join(f"{part} {text}" for part, text in example.drawn.items())
    values = ", ".join(f"{what} {number(value)}" for what, value in example.values.items())
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
                f"{m}\n\n{m.about}\n\n{wrap_columns(facts(m), width)}" for m in self.chosen
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
        """Each measure with its claims, as JSON-ready values."""
        return document("measures/1", {"measures": list(map(_entry, self.chosen or measures()))})

    def to_markdown(self) -> str:
        """A page for each that was asked for, with the conditions that it satisfies; else a table
        of all.
        """
        if not self.chosen:
            return index()
        verdicts_by_measure = laboratory(self.chosen, jobs=cores())
        return "\n".join(page([m], [verdicts(m, verdicts_by_measure[str(m)])]) for m in self.chosen)


def _entry(m: Measure) -> dict[str, Any]:
    """A measure with its claims, as JSON-ready values."""
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
