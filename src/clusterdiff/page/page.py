"""One page that shows a comparison: a single file, without network access, for screen and print."""

from __future__ import annotations

import base64
import hashlib
import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape
from importlib.resources import files
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from clusterdiff.clusterings.grouping import number, pair_keys
from clusterdiff.compare.compare import default_for, joint_of, measures_by_text, scored
from clusterdiff.compare.plot import differences_of, scores_of
from clusterdiff.compare.report import Report
from clusterdiff.compare.verdict import verdict
from clusterdiff.contingency import HardMeet, Policy
from clusterdiff.engines.images import ImageComparison, check_units
from clusterdiff.errors import ClusterdiffError, printable
from clusterdiff.explain.explain import explained, with_confidence
from clusterdiff.explain.partition import ClusterTable, Explanation
from clusterdiff.explain.plot import alluvial_of, bands_of, clusters_of, outcomes_of, sizes_of
from clusterdiff.explain.ranking import MARK, WORDS, PlacesExplanation, name_of
from clusterdiff.explain.uncertainty import Uncertainty
from clusterdiff.io import align_together
from clusterdiff.io.sides import DEFAULT, Origins, RecordOptions, guesses_of, opened, takes_columns
from clusterdiff.measures import Measure, measure_named
from clusterdiff.measures.compat import OWN, Convention, convention_named
from clusterdiff.output.describe import count
from clusterdiff.output.markup import to_json
from clusterdiff.output.table import CellTable, digits, percent
from clusterdiff.output.text import shown_ids, shown_name
from clusterdiff.output.writing import paths_among, write
from clusterdiff.runs.matrix import ScoreMatrix
from clusterdiff.runs.plots import heatmap_of
from clusterdiff.statistics.confidence import Confidence
from clusterdiff.statistics.intervals import ConfidenceInterval
from clusterdiff.statistics.units import Joint
from clusterdiff.sweep.plot import halves_of, precision_recall_of, sweep_of
from clusterdiff.sweep.result import Sweep
from clusterdiff.sweep.sweep import sweep as sweep_pairs
from clusterdiff.version import __version__

if TYPE_CHECKING:
    from clusterdiff.array_types import Ints
    from clusterdiff.explain.partition import ClusterRow, Component
    from clusterdiff.explain.ranking import BaseExplanation, RecordTable
    from clusterdiff.io.sides import Opened

# What the page says of one guess: tables, pictures, and objects to look up.

COMPONENTS = 30
"""Components of a guess that the page lists; those that are drawn together are fewer."""
TOGETHER = 5
CLUSTERS = 500
"""True clusters of a guess that the page lists."""
IDS = 20
"""Objects of a part that are named."""


def section_of(
    prefix: str, name: str, told: BaseExplanation[Any], most: int, figures: dict[str, Any]
) -> dict[str, Any]:
    """What the page says of one guess; pictures go to `figures`."""
    common: dict[str, Any] = {
        "name": name,
        "headline": told.headline,
        "told": told.sentences(),
        "kinds": None,
        "deciding": None,
        "components": [],
        "places": None,
        "records": None,
        "records_note": "",
        "clusters": None,
        "lookup": None,
        "words": [],
    }
    if isinstance(told, Explanation):
        return common | _explained(prefix, told, most, figures)
    assert isinstance(told, PlacesExplanation)
    groups = told.order.size
    cut = f": {CLUSTERS:,} of {groups:,} groups" if groups > CLUSTERS else ""
    return common | {
        "places": told.table(CLUSTERS, IDS),
        "records": told.record_table(CLUSTERS, 1),
        "records_note": told.records_read(),
        "places_note": f"Objects grouped by identical error, costliest first{cut}.",
        "clusters": told.cluster_table(CLUSTERS),
        "clusters_note": "True clusters and the guess clusters that stand for them.",
    }


def _explained(
    prefix: str, told: Explanation, most: int, figures: dict[str, Any]
) -> dict[str, Any]:
    """A guess that is a partition."""
    lookup, note = _lookup(told, most)
    found: dict[str, Any] = {"lookup": lookup, "lookup_note": note}
    if not told.order.size:
        return found
    top = told.top(COMPONENTS, IDS)
    records = told.beside(top, IDS)
    table = ClusterTable.of(told)
    worst = table.worst(CLUSTERS)
    together = min(TOGETHER, len(top))
    figures[f"{prefix}-bands"] = bands_of(told)
    figures[f"{prefix}-clusters"] = clusters_of(table)
    figures[f"{prefix}-alluvial"] = [
        alluvial_of(top[:together]),
        *(alluvial_of([part]) for part in top),
    ]
    return (
        found
        | _deciding(told)
        | {
            "kinds": _kinds(told),
            "components": [
                {
                    "title": printable(f"{part.title}, {part.counted}"),
                    "share": percent(part.share),
                    "kind": part.kind,
                    "clusters": _by_cluster(part),
                    "table": _cells(part),
                    "records": own.table if own.rows else None,
                    "notes": own.notes,
                }
                for part, own in zip(top, records, strict=True)
            ],
            "components_note": _first_of(len(top), told.order.size, "component", "that cost most"),
            "together": together,
            "fates": {cell.fate for part in top for cell in part.cells},
            "words": [_words(part, own) for part, own in zip(top, records, strict=True)],
            "records_note": told.records_read(),
            "clusters": _clusters(told, worst),
            "clusters_note": _first_of(
                len(worst), table.row.size, "true cluster", "in conflict that cost most"
            ),
        }
    )


def _deciding(told: Explanation) -> dict[str, Any]:
    """The units that decide how wide the interval is, where there is one."""
    ci = told.score.ci
    if not isinstance(ci, ConfidenceInterval) or not ci or not ci.se or ci.units == "objects":
        return {}
    found = Uncertainty.of(told, Confidence(ci.level))
    return {"deciding": found.table(ids=IDS), "deciding_note": found.headline}


def _first_of(shown: int, total: int, noun: str, which: str) -> str:
    if shown < total:
        return f"The {count(shown, noun)} {which}, of {total:,} in conflict."
    return f"{count(total, noun)} in conflict, costliest first."


def _kinds(told: Explanation) -> CellTable:
    total = told.lost or 1.0
    rows: list[tuple[str, ...]] = [
        (WORDS.get(kind, kind), f"{n:,}", f"{objects:,}", percent(loss / total))
        for kind, (n, objects, loss) in told.by_kind().items()
    ]
    s = told.summary
    rows.append(("right", f"{s.exact:,}", f"{s.outcomes['right']:,}", percent(0.0)))
    headings = ("kind", "components", "objects", "share of the loss")
    return CellTable(headings, tuple(rows))


def _cells(part: Component) -> CellTable:
    headings = ("true cluster", "size", "guess cluster", "size", "objects", "fate", "ids")
    rows = [
        (
            shown_name(cell.truth.name), f"{cell.truth.size:,}", shown_name(cell.guess.name),
            f"{cell.guess.size:,}", f"{cell.objects:,}", WORDS.get(cell.fate, cell.fate),
            shown_ids(cell.ids, None, cell.objects),
        )
        for cell in part.cells
    ]  # fmt: skip
    if part.parts > len(rows):
        left = part.objects - sum(cell.objects for cell in part.cells)
        more = f"… {part.parts - len(rows):,} more parts"
        rows.append((more, "", "", "", f"{left:,}", "", ""))
    return CellTable(headings, tuple(rows))


def _by_cluster(part: Component) -> CellTable | None:
    """The true clusters of a component that is explained by them."""
    headings = ("share of the loss", "kind", "objects", "true cluster", "guess clusters")
    return CellTable(headings, tuple(one.in_table() for one in part.below)) if part.below else None


def _words(part: Component, records: RecordTable) -> list[str]:
    """What a component is found by: its clusters, the objects that are named, and their records."""
    clusters = [shown_name(c.name) for c in (*part.truth, *part.guess)]
    objects = (shown_name(i) for c in part.cells for i in c.ids)
    known = (cell.removesuffix(MARK) for row in records.rows for cell in row)
    return list(dict.fromkeys([*clusters, *objects, *known, *records.same]))


def _clusters(told: Explanation, worst: list[ClusterRow]) -> CellTable:
    total = told.lost or 1.0
    samples = any(row.sample is not None for row in worst)
    headings = (
        *(("sample",) if samples else ()), "true cluster", "objects", "kind", "in guess clusters",
        "best guess", "its size", "in both", "precision", "recall", "share of the loss",
    )  # fmt: skip
    rows = [
        (
            *((shown_name(r.sample),) if samples else ()), shown_name(r.name), f"{r.size:,}",
            WORDS.get(r.kind, r.kind), f"{r.parts:,}", shown_name(r.best), f"{r.best_size:,}",
            f"{r.both:,}", digits(r.precision), digits(r.recall), percent(r.loss / total),
        )
        for r in worst
    ]  # fmt: skip
    return CellTable(headings, tuple(rows))


def _lookup(told: Explanation, most: int) -> tuple[dict[str, Any], str]:
    """Objects that can be looked up: all of them, or those of the worst components."""
    total = told.named.meet.objects
    if isinstance(told.named, ImageComparison):
        found, note = told.named.catalogue(None), "Pixels are not looked up one by one."
    elif total <= most:
        found, note = told.named.catalogue(None), f"All {count(total, 'object')} can be looked up."
    else:
        order = told.order[told.weight[told.order] <= most]
        within = order[np.cumsum(told.weight[order]) <= most]
        found = told.named.catalogue(told.rows_of(within))
        note = (
            f"Of {total:,} objects, the {len(found.ids):,} of the {within.size:,} worst components "
            "that fit on a page can be looked up. For any other: clusterdiff explain --object ID."
        )
    made: dict[str, Any] = {
        "ids": [shown_name(i) for i in found.ids],
        "truth": found.truth,
        "guess": found.guess,
        "truthNames": [name_of(name) for name in found.truth_names],
        "guessNames": [name_of(name) for name in found.guess_names],
    }
    if found.samples is not None:
        names = list(dict.fromkeys(found.samples))
        place = {name: i for i, name in enumerate(names)}
        made["samples"] = [place[name] for name in found.samples]
        made["sampleNames"] = [name_of(name) for name in names]
    return made, note


# What the page says of many clusterings: guesses among themselves, and a sweep over thresholds.


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
        "title": f"{found.measure} of every pair",
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


V = TypeVar("V")
OBJECTS = 50_000
"""Objects, of all guesses together, that can be looked up."""


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
    engine: Any = None,
    confidence: float = 0.95,
    units: str | None = None,
    strata: Any = None,
    sweep: Any = None,
    compat: str | None = None,
    records: Any = None,
    show: str | Sequence[str] | None = None,
) -> Page:
    """Make a self-contained HTML page of a comparison: scores, plots, the worst clusters, objects.

    Takes what `compare` takes, one guess or a dict of several; `by` is the measure whose loss is
    explained. `page(truth, guess).save("page.html")` writes it. `sweep` is a sweep over thresholds
    to show beside it, or the scored pairs to sweep. `records` and `show` are as in `explain`.
    """
    guesses = guesses_of(guess, kind, truth)
    convention = convention_named(compat)
    asked = convention.chosen(measures_by_text(measures).values()) if measures else None
    by, align = convention.explained(by), convention.align(align)
    sides = opened(engine, truth, guesses, kind, samples)
    ci = Confidence.of(confidence, units, strata=strata)
    curve = sweep
    if sweep is not None and not isinstance(sweep, Sweep):
        how = {"align": align, "noise": noise, "noise_as": noise_as, "engine": engine}
        curve = sweep_pairs(truth, sweep, by or "elm_f", **how)
    made = page_of_sides(
        sides, by, asked, Policy(align, noise, noise_as), title=title, confidence=ci, curve=curve,
        convention=convention, shown=RecordOptions(records, show),
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
) -> Page:
    """The page of a truth and guesses that are opened here; intervals are at 95 % where nothing
    else is said. `convention` is that of the default measures.
    """
    confidence = confidence or Confidence(0.95)
    _check_missing_tools()
    with sides as (sessions, truth, guesses):
        every = [truth, *guesses.values()]
        check_units(confidence.units, *every)
        asked = measures or default_for(every, policy.align, convention=convention)
        aligned = align_together(sessions, truth, guesses, policy)
        told = {name: explained(aligned, name, by, shown) for name in guesses}
        chosen = measures_by_text(asked)
        found = {
            name: one.named.meet
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
        report = scored(found, chosen, Origins.of(truth, guesses), confidence)
        report = replace(report, joint=joint_of(aligned, found, confidence))
        return page_of(report, told, title=title, command=command, curve=curve)


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


def page_of(
    report: Report,
    told: Mapping[str, BaseExplanation[Any]],
    *,
    title: str = "",
    command: str = "",
    curve: Sweep | None = None,
) -> Page:
    """The page of a report, with an explanation of each guess."""
    from jinja2 import Environment, FunctionLoader, StrictUndefined
    from markupsafe import Markup
    from plotly.offline import get_plotlyjs

    given = report.origins
    origins = given._replace(
        guesses=_clean(given.guesses), guesses_asked=_clean(given.guesses_asked)
    )
    report = replace(report, scores=_clean(report.scores), origins=origins, joint=_joint(report))
    told = _clean(told)
    explained_by = str(next(iter(told.values())).measure)
    leading = explained_by if explained_by in report.measures else next(iter(report.measures))
    figures: dict[str, Any] = {"scores": scores_of(report)}
    if len(report.scores) > 1 and (differences := differences_of(report, leading)) is not None:
        figures["differences"] = differences
    if all(h.size for h in report.sizes().values()):
        figures["sizes"] = sizes_of(report.sizes())
    among = None
    if isinstance(report.joint, Joint):
        among = among_guesses(report.joint, report.measures[leading])
    matrix = None if among is None else matrix_section(among, figures)
    swept = None if curve is None else sweep_section(curve, figures)
    hard = {name: one for name, one in told.items() if isinstance(one, Explanation)}
    if hard:
        figures["outcomes"] = outcomes_of(hard)
    systems = [
        section_of(f"s{i}", name, one, OBJECTS // len(told), figures)
        for i, (name, one) in enumerate(told.items())
    ]
    data = {
        "figures": {name: _written(figure) for name, figure in figures.items()},
        "systems": [{"components": s["words"], "lookup": s["lookup"]} for s in systems],
    }
    sizes = [("sizes", "Sizes")] if "sizes" in figures else []
    contents = [("scores", "Scores"), *sizes]
    contents += [("matrix", "Among themselves")] if matrix else []
    contents += [("sweep", "Thresholds")] if swept else []
    contents += [("systems", "Where they differ"), ("again", "Signatures")]
    plotly, script = get_plotlyjs(), _asset("page.js")
    env = Environment(
        autoescape=True, loader=FunctionLoader(_asset), undefined=StrictUndefined,
        trim_blocks=True, lstrip_blocks=True,
    )  # fmt: skip
    parts: Any = env.get_template("parts.html").module
    html = env.get_template("page.html").render(
        title=printable(title) or "Comparison of clusterings",
        version=__version__,
        hashes=Markup(" ".join(f"'sha256-{_digest(text)}'" for text in (plotly, script))),
        style=Markup(_asset("page.css")),
        head=report.head(100),
        verdict=verdict(report, leading),
        contents=contents,
        scores=report.table(),
        score_notes=report.notes("Bold:"),
        matrix=matrix,
        swept=swept,
        systems=systems,
        figures=figures,
        figure=parts.figure,
        table=parts.table,
        command=printable(command),
        signatures=[printable(line) for line in report.signatures()],
        data=Markup(to_json(data).replace("<", "\\u003c")),  # ends no script element
        plotly=Markup(plotly),
        script=Markup(script),
    )
    return Page(html)


def _check_missing_tools() -> None:
    """Say what has to be installed before anything is counted."""
    for tool in ("jinja2", "plotly"):
        if find_spec(tool) is None:
            raise ClusterdiffError(
                f"the page needs {tool}, which is not installed.",
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


def _written(figure: Any) -> Any:
    """A figure, or several, as Plotly's script takes them."""
    if isinstance(figure, list):
        return [_written(one) for one in figure]
    made = json.loads(figure.to_json())
    made["layout"].pop("template", None)
    return made
