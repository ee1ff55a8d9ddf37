"""One page that shows a comparison: a single file, without network, for eyes and for paper."""

from __future__ import annotations

import base64
import hashlib
import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from html import escape
from importlib.resources import files
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, TypeVar

from clusterdiff.errors import ClusterdiffError
from clusterdiff.inputs import judged_together
from clusterdiff.measures import Measure
from clusterdiff.measures.compat import OWN, Convention, convention_named
from clusterdiff.meet import Policy
from clusterdiff.results.compare import default_for, joint_of, measures_by_text, scored
from clusterdiff.results.explain.explain import explained, with_confidence
from clusterdiff.results.explain.partition import Explanation
from clusterdiff.results.many.sweep.result import Sweep
from clusterdiff.results.many.sweep.sweep import sweep as sweep_pairs
from clusterdiff.results.origins import Origins
from clusterdiff.results.page.many import among_guesses, matrix_section, sweep_section
from clusterdiff.results.page.sections import section_of
from clusterdiff.results.page.verdict import verdict
from clusterdiff.results.plots.figures import outcomes_of, sizes_of
from clusterdiff.results.plots.scores import differences_of, scores_of
from clusterdiff.results.render.markup import to_json
from clusterdiff.results.render.text import printable
from clusterdiff.results.render.writing import paths_among, write
from clusterdiff.results.report import Report
from clusterdiff.results.sides import guesses_of, opened
from clusterdiff.results.table_columns import takes_columns
from clusterdiff.statistics.confidence import Confidence
from clusterdiff.statistics.joint import Joint
from clusterdiff.version import __version__

if TYPE_CHECKING:
    from clusterdiff.results.explain.base import BaseExplanation
    from clusterdiff.results.sides import Opened

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
) -> Page:
    """One self-contained HTML page of a comparison: scores, pictures, the worst clusters, objects.

    Takes what `compare` takes, one guess or a dict of several; `by` is the measure whose loss is
    explained. `page(truth, guess).save("page.html")` writes it. `sweep` is a sweep over thresholds
    to show beside it, or the scored pairs to sweep.
    """
    guesses = guesses_of(guess, kind, truth)
    convention = convention_named(compat)
    asked = convention.chosen(measures_by_text(measures).values()) if measures else None
    by, align = convention.explained(by), convention.align(align)
    sides = opened(engine, truth, guesses, kind, samples)
    sure = Confidence.of(confidence, units, strata=strata)
    curve = sweep
    if sweep is not None and not isinstance(sweep, Sweep):
        how = {"align": align, "noise": noise, "noise_as": noise_as, "engine": engine}
        curve = sweep_pairs(truth, sweep, by or "elm_f", **how)
    made = page_of_sides(
        sides, by, asked, Policy(align, noise, noise_as), title=title, confidence=sure, curve=curve,
        convention=convention,
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
) -> Page:
    """The page of a truth and guesses that are opened here; intervals are at 95 % where nothing
    else is said. `convention` is that of the default measures.
    """
    confidence = confidence or Confidence(0.95)
    _refuse_missing_tools()
    with sides as (shop, truth, guesses):
        every = [truth, *guesses.values()]
        shown = measures or default_for(every, policy.align, convention=convention)
        judged = judged_together(shop, truth, guesses, policy)
        told = {name: explained(judged, name, by) for name in guesses}
        chosen = measures_by_text(shown)
        found = {
            name: one.named.meet
            if isinstance(one := told[name], Explanation) and not one.named.sampled
            else judged.met(name)
            for name in guesses
        }
        told = {
            name: with_confidence(one, judged, name, confidence)
            if isinstance(one, Explanation)
            else one
            for name, one in told.items()
        }
        report = scored(found, chosen, Origins.of(truth, guesses), confidence)
        report = replace(report, joint=joint_of(judged, found, confidence))
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
        figures["outcomes"] = outcomes_of({n: e.summary.outcomes for n, e in hard.items()})
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


def _refuse_missing_tools() -> None:
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
    return files("clusterdiff.results.page").joinpath("web", name).read_text(encoding="utf-8")


def _digest(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _written(figure: Any) -> Any:
    """A figure, or several, as Plotly's script takes them."""
    if isinstance(figure, list):
        return [_written(one) for one in figure]
    made = json.loads(figure.to_json())
    made["layout"].pop("template", None)
    return made
