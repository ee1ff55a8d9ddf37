"""Explaining: where two clusterings differ, and what each difference costs."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any
from weakref import finalize

import numpy as np

from clusterdiff.backends.labelled.sql import Afar
from clusterdiff.inputs import (
    Workshop,
    judged_together,
    kinds_for,
    refuse_shuffled_series,
)
from clusterdiff.measures import Measure, measure_named
from clusterdiff.measures.attribution.rows import losses
from clusterdiff.meet import Policy
from clusterdiff.results.describe import count
from clusterdiff.results.explain.base import IDS, TOP, Told
from clusterdiff.results.explain.components import CELLS, Component, Components
from clusterdiff.results.explain.object import Companions, companions_of
from clusterdiff.results.explain.prose import component_lines, percent, rest_line, title
from clusterdiff.results.explain.summary import WORDS, Summary, summary_of
from clusterdiff.results.origins import Origins
from clusterdiff.results.render.table import Table, digits
from clusterdiff.results.render.text import placed, to_text, wrapped
from clusterdiff.results.score import Score
from clusterdiff.results.sides import sides_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from clusterdiff.backends.labelled.protocol import Compared
    from clusterdiff.inputs import Judged


def explain(
    truth: Any,
    guess: Any,
    by: str | Measure | None = None,
    *,
    kind: str | tuple[str, str] | None = None,
    align: str = "exact",
    samples: Any = None,
    noise: Any = None,
    noise_as: str = "singletons",
    engine: Any = None,
) -> Told:
    """Where two clusterings differ, ranked by what each place takes off the score of `by`.

    >>> print(explain({1: "a", 2: "a", 3: "b", 4: "c"}, {1: "x", 2: "x", 3: "x", 4: "y"}))
    elm_f 0.5833 = 1 - 0.4167. Where the 0.4167 comes from:
    <BLANKLINE>
      100.0 %  merged   2 true clusters (a, b) in guess x, 3 objects
                        2 of a (1, 2); 1 of b (3)
        0.0 %  right    1 cluster, 1 object
    <BLANKLINE>
    Of 4 objects: 25.0 % right, 0.0 % split, 75.0 % merged, 0.0 % both.
    Of 3 true clusters, 1 was found exactly (33.3 %).

    Partitions are explained by components: clusters that are entangled with each other and no
    others (`split`, `merged` or `mixed`). Overlapping and uncertain clusterings are explained by
    objects of which the same is said. `by` is elm_f for partitions; the measures whose loss can be
    split are named if another one is asked for. The other parameters are those of `compare`;
    samples are told apart, and the score is that of all of them together.
    """
    refuse_shuffled_series(truth, guess, kinds_for(kind, truth, guess))
    policy = Policy(align, noise, noise_as)
    with Workshop(engine) as shop:
        left, right = sides_of(shop, truth, {"guess": guess}, kind, samples)
        told = explained(judged_together(shop, left, right, policy), "guess", by)
        if isinstance(told, Explanation) and isinstance(told.named, Afar):
            finalize(told.named, shop.kept_open().close)
    return told


def explained(judged: Judged, guess: str, by: str | Measure | None) -> Told:
    """The explanation of a guess of a comparison, in memory or where it is."""
    given = judged.whole or judged
    origins = Origins.of(given.truth, {"guess": given.guesses[guess]})
    if (compared := judged.compared(guess)) is not None:
        return Explanation.of(compared, measure_named(by or "elm_f")).read_from(origins)
    from clusterdiff.results.explain.cover import explain_memberships

    return explain_memberships(judged, guess, by).read_from(origins)


@dataclass(frozen=True, eq=False, repr=False)
class Explanation(Told):
    """Where two partitions differ: components, ranked by what they take off the best score."""

    named: Compared
    score: Score
    loss: NDArray[np.float64]
    """What each row of the meet takes off the best score."""

    columns = (
        "component", "sample", "kind", "component_loss", "share", "truth", "truth_size", "guess",
        "guess_size", "objects", "fate", "loss", "ids",
    )  # fmt: skip

    @classmethod
    def of(cls, named: Compared, by: Measure) -> Explanation:
        """The explanation of a comparison by what a measure loses."""
        score = Score(by, by.of(named.meet), named.meet)
        return cls(named, score, losses(by, named.meet))

    @cached_property
    def components(self) -> Components:
        """All components in conflict, ranked."""
        return Components(self.named, self.loss[self.named.agreeing :])

    @cached_property
    def summary(self) -> Summary:
        """What became of objects and clusters."""
        return summary_of(self.named.meet, self.loss, self.measure)

    def top(self, n: int | None = TOP, ids: int | None = IDS) -> list[Component]:
        """The components that lose most, with names."""
        cells = None if ids is None else CELLS
        return self.components.named_ones(self.components.order[:n], ids, cells)

    def object(self, id: Any, sample: Any = None) -> Companions:
        """The companions of an object: found, missing and wrong ones, and its scores."""
        return companions_of(self.named, id, sample)

    @property
    def headline(self) -> str:
        """The score, and what is lost."""
        value, lost = float(self.score), float(self.loss.sum())
        measure = f"{self.measure} micro" if self.named.sampled else str(self.measure)
        if self.measure.is_distance:
            return f"{measure} {digits(value)}."
        return f"{measure} {digits(value)} = 1 - {digits(lost)}."

    def to_text(
        self, width: int | None = None, top: int | None = TOP, ids: int | None = IDS
    ) -> str:
        """The explanation for a terminal of this width."""
        columns = width or shutil.get_terminal_size().columns
        if not self.components.count:
            same = f"Truth and guess are the same clustering: {self._right()}."
            if float(self.loss.sum()) > 1e-12:
                same += f" {self.measure} is not 1 for all of them."
            same = wrapped(f"{self.headline} {same}", columns)
            return "\n".join([same, *self.columns_read(columns)])
        where = f" Where the {digits(float(self.loss.sum()))} comes from:"
        rows: list[tuple[str, str, list[str]]] = [
            (percent(part.share), part.kind, component_lines(part, ids))
            for part in self.top(top, ids)
        ]
        if (rest := self.components.order[len(rows) :]).size:
            rows.append(self._rest(rest))
        rows.append((percent(0.0), "right", [self._right()]))
        return "\n".join(
            [
                wrapped(self.headline + where, columns),
                "",
                *(placed(*row, columns) for row in rows),
                "",
                *(wrapped(line, columns) for line in self.sentences()),
                *self.columns_read(columns),
                *self._by_size(columns),
            ]
        )

    def _right(self) -> str:
        right = self.summary.outcomes["right"]
        return f"{count(self.summary.exact, 'cluster')}, {count(right, 'object')}"

    def _rest(self, rest: NDArray[np.int64]) -> tuple[str, str, list[str]]:
        """The components that are not shown."""
        return rest_line(self.components.by_kind(rest), self.components.total)

    def sentences(self) -> list[str]:
        """What became of objects and clusters, in two sentences."""
        s = self.summary
        shares = ", ".join(
            f"{percent(n / s.objects)} {WORDS.get(what, what)}" for what, n in s.outcomes.items()
        )
        were = "was" if s.exact == 1 else "were"
        exact = percent(s.exact / s.truth_clusters) if s.truth_clusters else percent(0)
        return [
            f"Of {count(s.objects, 'object')}: {shares}.",
            f"Of {count(s.truth_clusters, 'true cluster')}, {s.exact:,} {were} found exactly "
            f"({exact}).",
        ]

    def _by_size(self, width: int) -> list[str]:
        """What became of true clusters of different sizes, where there are some."""
        bands = self.summary.bands
        if len(bands) < 3:
            return []
        total = float(self.loss.sum()) or 1.0
        mean = bands[0].score is not None
        rows = [
            (
                band.sizes, f"{band.clusters:,}", percent(band.exact / band.clusters),
                f"{band.objects:,}", percent(band.right / band.objects),
                *([digits(band.score)] if mean else []), percent(band.loss / total),
            )
            for band in bands
        ]  # fmt: skip
        if extra := self.summary.outcomes.get("extra"):
            lost = percent(self.summary.extra_loss / total)
            rows.append((WORDS["extra"], "", "", f"{extra:,}", percent(0.0), lost))
        scored = [str(self.measure)] if mean else []
        headings = ("size", "true clusters", "exact", "objects", "right", *scored, "of the loss")
        return ["", to_text(Table(headings, tuple(rows)), width)]

    def table(self, top: int | None = TOP, ids: int | None = IDS) -> Table:
        """The components as a table for eyes."""
        rows = [
            (
                percent(part.share), part.kind, f"{part.objects:,}", title(part),
                "; ".join(component_lines(part, ids)[1:]),
            )
            for part in self.top(top, ids)
        ]  # fmt: skip
        return Table(("share", "kind", "objects", "clusters", "parts"), tuple(rows))

    def to_dict(self, top: int | None = TOP, ids: int | None = IDS) -> dict[str, Any]:
        """Everything, for programs."""
        kinds = self.components.by_kind()
        return {
            "measure": str(self.measure),
            "score": self.score.to_dict(),
            "loss": float(self.loss.sum()),
            "summary": self.summary.to_dict(),
            "kinds": {
                kind: {"components": n, "objects": objects, "loss": loss}
                for kind, (n, objects, loss) in kinds.items()
            },
            "components": [part.to_dict() for part in self.top(top, ids)],
            **self.origins.to_dict(),
        }

    def records(self, top: int | None = TOP, ids: int | None = IDS) -> list[dict[str, Any]]:
        """One record per truth and guess cluster of each component that share objects."""
        return [
            dict(
                zip(
                    self.columns,
                    (
                        number, part.sample, part.kind, part.loss, part.share, cell.truth.name,
                        cell.truth.size, cell.guess.name, cell.guess.size, cell.objects,
                        cell.fate, cell.loss, cell.ids,
                    ),
                    strict=True,
                )
            )
            for number, part in enumerate(self.top(top, ids), 1)
            for cell in part.cells
        ]  # fmt: skip
