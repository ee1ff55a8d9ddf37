"""One page that shows a comparison: a single file, without network access, for screen and print."""

from __future__ import annotations

import base64
import hashlib
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape
from importlib.resources import files
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np

from clusterdiff.clusterings.grouping import number, pair_keys
from clusterdiff.compare.compare import default_for, joint_of, measures_by_text, rows_given, scored
from clusterdiff.compare.differences import best_cells, cells
from clusterdiff.compare.report import Report
from clusterdiff.compare.screen import Fates, sentences
from clusterdiff.compare.verdict import verdict
from clusterdiff.contingency import BetweenMeet, CoverMeet, HardMeet, Policy, SoftMeet
from clusterdiff.engines.images import confidence_for
from clusterdiff.engines.memory import meet_of_rows
from clusterdiff.errors import ClusterdiffError, printable
from clusterdiff.explain.cover import CoverExplanation
from clusterdiff.explain.diff import RUNS, diff_of
from clusterdiff.explain.explain import explained, with_confidence
from clusterdiff.explain.partition import ClusterTable, Explanation
from clusterdiff.explain.ranking import WORDS, name_of
from clusterdiff.explain.slices import Slices
from clusterdiff.explain.uncertainty import Uncertainty
from clusterdiff.io import align_together
from clusterdiff.io.arguments import source_column
from clusterdiff.io.between import apart, between_of, check_between
from clusterdiff.io.between import named as named_source
from clusterdiff.io.sides import DEFAULT, Origins, RecordOptions, guesses_of, opened, takes_columns
from clusterdiff.io.speech import Scored
from clusterdiff.measures import Measure, measure_named
from clusterdiff.measures.compat import OWN, Convention, convention_named
from clusterdiff.measures.pairs import default_between, pairs
from clusterdiff.output.describe import count
from clusterdiff.output.table import CellTable, digits, percent
from clusterdiff.output.writing import paths_among, write
from clusterdiff.page import figures, parts
from clusterdiff.page.parts import named
from clusterdiff.runs.matrix import ScoreMatrix
from clusterdiff.statistics.confidence import Confidence
from clusterdiff.statistics.intervals import ConfidenceInterval
from clusterdiff.statistics.units import Joint
from clusterdiff.sweep.result import Sweep
from clusterdiff.sweep.sweep import sweep as sweep_pairs
from clusterdiff.table.table import ContingencyTable, contingency_of
from clusterdiff.version import __version__

if TYPE_CHECKING:
    from clusterdiff.array_types import Ints
    from clusterdiff.explain.partition import ClusterRow
    from clusterdiff.explain.ranking import BaseExplanation
    from clusterdiff.io import AlignedComparison
    from clusterdiff.io.sides import Opened

FIRST = 10
"""Parts of a guess that are shown at once, and changes for the better and for the worse."""
CLUSTERS = 500
"""True clusters, of all guesses together, that are listed."""
SAMPLES = 2_000
"""Samples that are listed: those with the lowest scores."""
FITS = 30
"""Clusters of a side up to which the contingency table is shown."""
SLICED = 300_000
"""Objects up to which all records are looked up for slices."""
BINS = 10
"""Bars of the histogram of samples."""
V = TypeVar("V")


# What the page begins with: a sentence, three scores, and what became of the objects.


def lead(report: Report, told: Mapping[str, BaseExplanation[Any]], leading: str) -> str:
    """What a person would tell a colleague."""
    if len(report.scores) > 1:
        return " ".join(sentences(report, leading))
    (one,), (meet,) = told.values(), (report.meet_of(guess) for guess in report.guesses)
    if not one.order.size:
        return f"Nothing differs. {one.same()}"
    if isinstance(meet, SoftMeet):
        return " ".join(sentences(report, leading)) or one.headline
    if isinstance(one, CoverExplanation):
        return Fates(one.summary.truth_clusters, one.summary.exact).sentence()
    if isinstance(one, Explanation) and (found := one.summary.by_majority):
        shares = {what: percent(n / one.summary.objects, 0) for what, n in found.items() if n}
        where = {
            "right": "in the guess cluster that is matched with their true cluster",
            "split": "split off", "merged": "in a guess cluster of another",
        }  # fmt: skip
        said = [f"{share} are {where.get(what, WORDS.get(what, what))}"
                for what, share in shares.items()]  # fmt: skip
        return f"Of {count(one.summary.objects, 'object')}, {', '.join(said)}."
    return f"{Fates.of(meet).sentence()} {links(meet)}"


def links(meet: Any) -> str:
    """How many of the links that guess makes are right, and of those needed how many it makes."""
    found = pairs(meet)
    made = "No links were made" if not found.guess else (
        f"Of the links made, {percent(found.both / found.guess, 0)} are right"
    )  # fmt: skip
    needed = "none was needed" if not found.truth else (
        f"of those needed, {percent(found.both / found.truth, 0)} were made"
    )  # fmt: skip
    return f"{made}; {needed}."


class Name(NamedTuple):
    """A measure by its full name, and what is said of it."""

    full: str
    text: str
    meaning: str

    @classmethod
    def of(cls, measure: Measure, text: str) -> Name:
        """The name of a measure that is written so."""
        inner = measure.arguments.get("measure")
        full = f"{measure.title} of {inner.title}" if isinstance(inner, Measure) else measure.title
        meaning = measure.meaning.partition(": ")[2] or measure.meaning
        good = "Lower" if measure.is_distance else "Higher"
        end = measure.direction if measure.best is not None else ""
        said = f"{meaning[:1].upper()}{meaning[1:]} {good} is better{end and f'; {end}'}."
        return cls(full[:1].upper() + full[1:], text, said)


def tiles(report: Report, leading: str) -> list[dict[str, Any]]:
    """The measure that decides, and a precision and a recall, or what there is."""
    shown = report.shown()
    halves = [
        half
        for text in sorted(shown, key=lambda text: not text.startswith("pair_"))
        if text.endswith("_precision")
        for half in (text, text.replace("_precision", "_recall"))
        if half in shown
    ]
    best = best_cells(report)
    made = []
    for text in list(dict.fromkeys([leading, *halves[:2], *shown]))[:3]:
        rows = []
        drawn = figures.whiskers([scores[text] for scores in report.scores.values()])
        for place, (guess, scores) in enumerate(report.scores.items()):
            value, _, interval = cells(scores[text], True)[0].partition(" ")
            at = (shown.index(text), 1 + place) if text in shown else None
            rows.append({
                "guess": guess, "value": value, "interval": interval.strip("()"),
                "whisker": drawn[place], "best": at in best,
            })  # fmt: skip
        made.append({"name": Name.of(report.measures[text], text), "rows": rows})
    return made


# What it says of each guess.


def section_of(told: BaseExplanation[Any], confidence: Confidence, guesses: int) -> dict[str, Any]:
    """What the page says of one guess, but for the list of all parts."""
    outcomes = _outcomes(told)
    first = list(parts.shown_parts(told, told.top(FIRST, parts.IDS)))
    found: dict[str, Any] = {
        "headline": told.headline if told.order.size else "",
        "told": told.sentences() if told.order.size else [f"Nothing differs. {told.same()}"],
        "first": first,
        "one": told.one,
        "total": told.order.size,
        "patterns": [],
        "slices": None,
        "kinds": None,
        "bands": told.cluster_table(CLUSTERS // guesses),
        "deciding": None,
        "points": None,
        "clusters": None,
        "outcomes": figures.segments_of(outcomes),
        "right": percent(outcomes.get("right", 0) / (sum(outcomes.values()) or 1)),
        "records_note": told.records_read(),
    }
    if not isinstance(told, Explanation) or not told.order.size:
        return found
    table = ClusterTable.of(told)
    worst = table.worst(CLUSTERS // guesses)
    total = told.lost_by_parts or 1.0
    found |= {
        "clusters": _clusters(told, worst),
        "clusters_note": _first_of(len(worst), table.row.size),
        "points": figures.clusters_chart(table),
    }
    if told.hub is None:
        found["kinds"] = _kinds(told)
        found["slices"] = slices_of(told, confidence)
        found["patterns"] = [
            (p.shape, f"{p.parts:,}", f"{p.objects:,}", percent(p.loss / total), p.example.example)
            for p in told.patterns(FIRST, least=2)
        ]
    ci, all_pairs = told.score.ci, not told.score.meet.alignment.between
    if all_pairs and isinstance(ci, ConfidenceInterval) and ci and ci.se and ci.units != "objects":
        why = Uncertainty.of(told, Confidence(ci.level))
        found |= {"deciding": why.table(ids=parts.IDS), "deciding_note": why.headline}
    return found


def _outcomes(told: BaseExplanation[Any]) -> Mapping[str, int]:
    """What became of the objects."""
    summary: Any = told.summary  # type: ignore[attr-defined]
    return getattr(summary, "by_majority", None) or summary.outcomes  # type: ignore[no-any-return]


def _first_of(shown: int, total: int) -> str:
    if shown < total:
        return f"The {shown:,} true clusters in conflict that cost most, of {total:,}."
    return f"{count(total, 'true cluster')} in conflict, costliest first."


def slices_of(told: Explanation, confidence: Confidence) -> Slices | None:
    """What goes with errors, where there are records of so many objects."""
    if told.named.meet.objects > SLICED or told.attributes is None or not told.attributes.every:
        return None
    try:
        return Slices.of(told, Confidence(confidence.level))
    except ClusterdiffError:  # there are no records of these objects, or they are not in memory
        return None


def _kinds(told: Explanation) -> CellTable:
    total = told.lost_by_parts or 1.0
    rows: list[tuple[str, ...]] = [
        (WORDS.get(kind, kind), f"{n:,}", f"{objects:,}", percent(loss / total))
        for kind, (n, objects, loss) in told.by_kind().items()
    ]
    s = told.summary
    rows.append(("right", f"{s.exact:,}", f"{s.outcomes['right']:,}", percent(0.0)))
    return CellTable(("kind", "components", "objects", "share of the loss"), tuple(rows))


def _clusters(told: Explanation, worst: list[ClusterRow]) -> CellTable:
    total = told.lost_by_parts or 1.0
    samples = any(row.sample is not None for row in worst)
    headings = (
        *(("sample",) if samples else ()), "true cluster", "objects", "kind", "in guess clusters",
        "best guess", "its size", "in both", "precision", "recall", "share of the loss",
    )  # fmt: skip
    rows = [
        (
            *((named(r.sample),) if samples else ()), named(r.name), f"{r.size:,}",
            WORDS.get(r.kind, r.kind), f"{r.parts:,}", named(r.best), f"{r.best_size:,}",
            f"{r.both:,}", digits(r.precision), digits(r.recall), percent(r.loss / total),
        )
        for r in worst
    ]  # fmt: skip
    return CellTable(headings, tuple(rows))


def heat_table(aligned: AlignedComparison, name: str, meet: Any) -> ContingencyTable | None:
    """The contingency table of a guess, where it fits."""
    if not isinstance(meet, HardMeet | CoverMeet):
        return None
    many = [sizes.clusters for sizes in (meet.truth_sizes, meet.guess_sizes)]
    if not 1 < max(many) <= FITS:
        return None
    try:
        return contingency_of(aligned, name)
    except ClusterdiffError:  # noise among overlapping clusters, of which there is no table
        return None


# What it says of many clusterings: samples, changes, guesses among themselves.


def samples_section(report: Report, leading: str) -> dict[str, Any] | None:
    """The scores of each sample: of one guess by several measures, of more by the leading one; and
    how many samples score what.
    """
    if not report.samples:
        return None
    alone = len(report.scores) == 1
    texts = list(dict.fromkeys([leading, *report.shown()]))[:6] if alone else [leading]
    values: dict[str, dict[str, Any]] = {name: {} for name in report.samples}
    for guess, scores in report.scores.items():
        for text in texts:
            score = scores[text]
            for name, value in zip(score.samples, score.each or (), strict=True):
                values[name][text if alone else guess] = value
    columns = texts if alone else report.guesses
    key = columns[0]

    def low(name: str) -> float:
        value = values[name].get(key)
        return float("inf") if value is None else float(getattr(value, "low", value))

    worst = not report.measures[leading].is_distance
    order = sorted(values, key=lambda name: low(name) if worst else -low(name))[:SAMPLES]
    known = [v for v in map(low, values) if np.isfinite(v)]
    bounded = all(0 <= v <= 1 for v in known)
    ends = (0.0, 1.0) if bounded else (min(known, default=0.0), max(known, default=1.0))
    counts, edges = np.histogram(known, BINS, ends)
    tallest = int(counts.max(initial=1)) or 1
    return {
        "measure": Name.of(report.measures[leading], leading),
        "of": "" if alone else key,
        "table": CellTable(
            ("sample", *columns),
            tuple((name_of(n), *(digits(values[n].get(c)) for c in columns)) for n in order),
        ),
        "values": [repr(low(name)) for name in order],
        "bars": [
            (int(n), round(100 * n / tallest, 1), float(a), float(b))
            for n, a, b in zip(counts.tolist(), edges[:-1], edges[1:], strict=True)
        ],
        "note": f"The {SAMPLES:,} samples with the worst scores, of {len(values):,}."
        if len(order) < len(values) else f"{count(len(values), 'sample')}, the worst first.",
    }  # fmt: skip


def changes_section(
    report: Report, told: Mapping[str, BaseExplanation[Any]], aligned: AlignedComparison
) -> dict[str, Any] | None:
    """What the second of two guesses repaired and broke; of more, the last against the first."""
    old, new = report.guesses[0], report.guesses[-1]
    if old == new:
        return None
    given = list(aligned.guesses)
    both = dict(zip(RUNS, (report.scores[old], report.scores[new]), strict=True))
    found = diff_of(
        told[old], told[new], replace(report, scores=both, joint=None, _differences={}),
        aligned.lost(given[-1], given[0]),
    )  # fmt: skip
    if found is None:
        return None
    return {"old": old, "new": new, "told": found.sentences()[:2], "unit": found.unit} | {
        name: parts.shown_changes(found, found.changed(better, FIRST, parts.IDS))
        for name, better in (("worse", False), ("better", True))
    }


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
    return ScoreMatrix(chosen, names, values, shared, Policy(), between=joint.alignment.between)


def _meet(joint: Joint, one: Ints, other: Ints) -> HardMeet:
    """Two of the clusterings compared: cells that differ in a third one alone are one."""
    code, cells = number(pair_keys(one, other))
    first = np.empty(cells, np.int64)
    first[code] = np.arange(code.size)
    both = np.bincount(code, joint.objects, cells).astype(np.int64)
    if joint.source is not None:
        meet = meet_of_rows(one[first], other[first], both, joint.alignment)
        return BetweenMeet.of(meet, code, joint.source, joint.objects)
    return HardMeet.of_cells(one[first], other[first], both, joint.times[first])


@takes_columns
def page(
    truth: Any,
    guess: Any,
    by: str | Measure | None = None,
    measures: Iterable[str | Measure] | str | Measure | None = None,
    *,
    title: str = "",
    kind: str | tuple[str, str] | None = None,
    align: str | None = None,
    samples: Any = None,
    noise: Any = None,
    noise_as: str = "singletons",
    count: Any = None,
    between: Any = None,
    engine: Any = None,
    confidence: float = 0.95,
    units: str | None = None,
    strata: Any = None,
    sweep: Any = None,
    compat: str | None = None,
    records: Any = None,
    show: str | Sequence[str] | None = None,
    collar: float = 0.0,
    skip_overlap: bool = False,
    uem: Any = None,
) -> Page:
    """Make a self-contained HTML page of a comparison: scores, plots, the worst clusters, objects.

    Takes what `compare` takes, one guess or a dict of several; `by` is the measure whose loss is
    explained. `page(truth, guess).save("page.html")` writes it. `sweep` is a sweep over thresholds
    to show beside it, or the scored pairs to sweep. `records` and `show` are as in `explain`,
    `between`, `collar`, `skip_overlap` and `uem` as in `compare`.
    """
    if between is not None:
        check_between(between, samples=samples)
    of = samples if between is None else source_column(between)
    guesses = guesses_of(guess, kind, truth)
    convention = convention_named(compat)
    asked = convention.chosen(measures_by_text(measures).values()) if measures else None
    by, align = convention.explained(by), convention.align(align)
    time = Scored(collar, skip_overlap, uem)
    sides = opened(engine, truth, guesses, kind, of, count, scored=time)
    ci = Confidence.of(confidence, units, strata=strata)
    curve = sweep
    if sweep is not None and not isinstance(sweep, Sweep):
        how = {"align": align, "noise": noise, "noise_as": noise_as, "engine": engine}
        usual = "elm_f" if between is None else "pair_f"
        curve = sweep_pairs(truth, sweep, by or usual, between=between, **how)
    made = page_of_sides(
        sides, by, asked, Policy(align, noise, noise_as), title=title, confidence=ci, curve=curve,
        convention=convention, shown=RecordOptions(records, show), between=between,
    )  # fmt: skip
    return replace(made, inputs=paths_among([truth, *guesses.values()]))


def page_of_sides(
    sides: Opened,
    by: str | Measure | None,
    measures: Iterable[str | Measure] | None,
    policy: Policy,
    *,
    title: str = "",
    command: str = "",
    confidence: Confidence | None = None,
    curve: Sweep | None = None,
    convention: Convention = OWN,
    shown: RecordOptions = DEFAULT,
    between: Any = None,
) -> Page:
    """The page of a truth and guesses that are opened here; intervals are at 95 % where nothing
    else is said. `convention` is that of the default measures.
    """
    confidence = confidence or Confidence(0.95)
    _check_missing_tools()
    of = None if between is None else named_source(between)
    with sides if of is None else apart(sides, between) as (sessions, truth, guesses):
        every = [truth, *guesses.values()]
        confidence = confidence_for(confidence, *every)
        usual = default_for(every, policy.align, convention=convention)
        if of is not None and not convention.name:
            usual = default_between(policy.align)
        asked = measures or usual
        aligned = align_together(sessions, truth, guesses, policy)
        told = {name: explained(aligned, name, by, shown, between=of) for name in guesses}
        chosen = measures_by_text(asked)
        found = {
            name: between_of(aligned, name, of)
            if of is not None
            else one.named.meet
            if isinstance(one := told[name], Explanation) and not one.named.sampled
            else aligned.contingency_of(name)
            for name in guesses
        }
        told = {
            name: with_confidence(one, aligned, name, confidence)
            if isinstance(one, Explanation)
            else one
            for name, one in told.items()
        }
        rows = rows_given(aligned, found, confidence)
        report = scored(found, chosen, Origins.of(truth, guesses), confidence, rows)
        report = replace(report, joint=joint_of(aligned, found, confidence, rows))
        return _page(report, told, aligned, title, command, curve, confidence)


@dataclass(frozen=True)
class Page:
    """A page as text; `save` writes it, a notebook shows it."""

    html: str
    inputs: tuple[str, ...] = ()
    """The files that were read, which it is not written over."""

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the page to a file."""
        write(path, self.html, self.inputs)

    def __repr__(self) -> str:
        return f"Page({len(self.html.encode()):,} bytes)"

    def _repr_html_(self) -> str:
        frame = f'<iframe srcdoc="{escape(self.html)}" style="width:100%;height:80vh;border:0">'
        return f"{frame}</iframe>"


def _page(
    given: Report,
    explained_as: Mapping[str, BaseExplanation[Any]],
    aligned: AlignedComparison,
    title: str,
    command: str,
    curve: Sweep | None,
    confidence: Confidence,
) -> Page:
    """The page of a report, with an explanation of each guess."""
    from jinja2 import Environment, FunctionLoader, StrictUndefined
    from markupsafe import Markup

    origins = given.origins._replace(
        guesses=_clean(given.origins.guesses), guesses_asked=_clean(given.origins.guesses_asked)
    )
    report = replace(given, scores=_clean(given.scores), origins=origins, joint=_joint(given))
    told = _clean(explained_as)
    by = str(next(iter(told.values())).measure)
    leading = report.layout.leading if report.layout else by
    leading = leading if leading in report.measures else next(iter(report.measures))
    env = Environment(
        autoescape=True, loader=FunctionLoader(_asset), undefined=StrictUndefined,
        trim_blocks=True, lstrip_blocks=True,
    )  # fmt: skip
    env.filters["share"] = _share
    macros: Any = env.get_template("parts.html").module
    systems, embedded = [], {}
    for i, (asked, (name, one)) in enumerate(zip(aligned.guesses, told.items(), strict=True)):
        items = ([p.shape, p.sample, str(macros.part(p))] for p in parts.every_part(one))
        embedded[f"s{i}-parts"], held = parts.packed(items, parts.PARTS_ROOM // len(told))
        note = ""
        if isinstance(one, Explanation):
            embedded[f"s{i}-objects"], note = parts.packed_objects(one, len(told))
        heat = heat_table(aligned, asked, report.meet_of(name))
        systems.append(
            section_of(one, confidence, len(told))
            | {"name": name, "held_note": _held(one, held), "lookup_note": note, "heat": heat,
               "heat_cells": heat and figures.heat_of_counts(heat)}
        )  # fmt: skip
    among = None
    if isinstance(report.joint, Joint):
        among = among_guesses(report.joint, report.measures[leading])
    changes = changes_section(report, told, aligned)
    samples = samples_section(report, leading)
    sizes = report.sizes() if all(h.size for h in report.sizes().values()) else {}
    differences = figures.changes_of(report, leading) if len(told) > 1 else None
    table, step = report.table(), 3 if report.samples else 1
    script = _asset("page.js")
    sections = {
        "systems": "Fix first", "changes": "Repaired and broken", "samples": "Samples",
        "scores": "Scores", "sizes": "Sizes", "matrix": "Among themselves", "sweep": "Thresholds",
        "again": "Signatures",
    }  # fmt: skip
    there = {"changes": changes, "samples": samples, "sizes": sizes, "matrix": among,
             "sweep": curve}  # fmt: skip
    html = env.get_template("page.html").render(
        title=printable(title) or "Comparison of clusterings",
        version=__version__,
        hashes=Markup(f"'sha256-{_digest(script)}'"),
        style=Markup(_asset("page.css")),
        macros=macros,
        lead=lead(report, told, leading),
        note=verdict(report, leading) if len(told) == 1 else "",
        level=f"{100 * confidence.level:g} %",
        tiles=tiles(report, leading),
        head=report.head(100),
        contents=[(k, v) for k, v in sections.items() if k not in there or there[k]],
        systems=systems,
        kinds=list({part.kind: part for one in systems for part in one["outcomes"]}.values()),
        changes=changes,
        samples=samples,
        scores=table,
        names=[Name.of(report.measures[text], text) for text in report.shown()],
        whiskers=[
            figures.whiskers([scores[text] for scores in report.scores.values()])
            for text in report.shown()
        ],
        step=step,
        score_notes=report.notes("Bold:"),
        differences=differences,
        changes_of_two=differences[1]
        if differences and len(table.headings) > 1 + 2 * step and len(told) == 2
        else [],
        sizes=sizes,
        bands=figures.size_bands(sizes) if sizes else [],
        matrix=among,
        matrix_cells=figures.heat_of_scores(among) if among is not None else {},
        curve=curve,
        charts=figures.sweep_charts(curve) if curve is not None else [],
        command=printable(command),
        signatures=[printable(line) for line in report.signatures()],
        embedded=embedded,
        script=Markup(script),
    )
    return Page(html)


def _held(told: BaseExplanation[Any], held: int) -> str:
    """Which parts can be searched."""
    total = told.order.size
    if held < total:
        return (
            f"The {held:,} {told.one}s that lose most can be searched here, of {total:,}; "
            "clusterdiff browse truth guess shows all of them."
        )
    return f"{count(total, told.one)} where truth and guess differ." if total else ""


def _share(cell: str) -> float | None:
    """The percent that a cell says."""
    found = re.fullmatch(r"<?([\d.]+) %", cell)
    return float(found[1]) if found else None


def _check_missing_tools() -> None:
    """Say what has to be installed before anything is counted."""
    if find_spec("jinja2") is None:
        raise ClusterdiffError(
            "the page needs jinja2, which is not installed.",
            'pip install "clusterdiff[report]"',
        )


def _clean(named: Mapping[str, V]) -> dict[str, V]:
    """The same under names that can be shown; equal ones are numbered."""
    made: dict[str, V] = {}
    for name, value in named.items():
        shown = printable(name)
        made[shown if shown not in made else f"{shown} ({len(made) + 1})"] = value
    return made


def _joint(report: Report) -> Joint | None:
    """The clusters of all guesses under the names that are shown."""
    if not isinstance(report.joint, Joint):
        return None
    shown = dict(zip(report.scores, _clean(report.scores), strict=True)) | {"": ""}
    clusters = {shown[name]: side for name, side in report.joint.clusters.items()}
    return replace(report.joint, clusters=clusters)


def _asset(name: str) -> str:
    return files("clusterdiff.page").joinpath("web", name).read_text(encoding="utf-8")


def _digest(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
