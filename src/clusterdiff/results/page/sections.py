"""What the page says of one guess: tables, pictures, and objects to look up."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from clusterdiff.results.describe import count
from clusterdiff.results.explain.partition import Explanation
from clusterdiff.results.explain.places import PlacesExplanation
from clusterdiff.results.explain.prose import name_of, percent
from clusterdiff.results.explain.summary import WORDS, ClusterTable
from clusterdiff.results.explain.uncertainty import Uncertainty
from clusterdiff.results.plots.figures import alluvial_of, bands_of, clusters_of
from clusterdiff.results.render.table import CellTable, digits
from clusterdiff.results.render.text import printable, shown_ids, shown_name
from clusterdiff.statistics.confidence import Confidence
from clusterdiff.statistics.sure import Sure

if TYPE_CHECKING:
    from clusterdiff.results.explain.base import BaseExplanation
    from clusterdiff.results.explain.components import Component
    from clusterdiff.results.explain.summary import ClusterRow

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
        "places_note": f"Objects of which the same is said, those that cost most first{cut}.",
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
                    "table": _cells(part),
                }
                for part in top
            ],
            "components_note": _first_of(len(top), told.order.size, "component", "that cost most"),
            "together": together,
            "fates": {cell.fate for part in top for cell in part.cells},
            "words": [_words(part) for part in top],
            "clusters": _clusters(told, worst),
            "clusters_note": _first_of(
                len(worst), table.row.size, "true cluster", "in conflict that cost most"
            ),
        }
    )


def _deciding(told: Explanation) -> dict[str, Any]:
    """The units that decide how wide the interval is, where there is one."""
    sure = told.score.sure
    if not isinstance(sure, Sure) or not sure or sure.units == "objects" or not sure.se:
        return {}
    found = Uncertainty.of(told, Confidence(sure.level))
    return {"deciding": found.table(ids=IDS), "deciding_note": found.headline}


def _first_of(shown: int, total: int, noun: str, which: str) -> str:
    if shown < total:
        return f"The {count(shown, noun)} {which}, of {total:,} in conflict."
    return f"All {count(total, noun)} in conflict, those that cost most first."


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


def _words(part: Component) -> list[str]:
    """What a component is found by: its clusters, and the objects that are named."""
    clusters = [shown_name(c.name) for c in (*part.truth, *part.guess)]
    return list(dict.fromkeys([*clusters, *(shown_name(i) for c in part.cells for i in c.ids)]))


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
    if total <= most:
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
