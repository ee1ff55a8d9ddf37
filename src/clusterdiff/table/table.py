"""The contingency table of a truth and a guess, for display and for export."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from clusterdiff.clusterings import Cover, Soft
from clusterdiff.clusterings.grouping import group_sums, number, pair_keys
from clusterdiff.contingency import CoverMeet, Policy
from clusterdiff.engines.alignment import plan_of
from clusterdiff.engines.memory import lifted, places
from clusterdiff.engines.named import Crosstab, Most, largest
from clusterdiff.errors import ClusterdiffError, InputError, did_you_mean, shown
from clusterdiff.io import align_together
from clusterdiff.io.sides import NOWHERE, Origins, guesses_of, opened, takes_columns
from clusterdiff.io.speech import Scored
from clusterdiff.output.describe import count, describe, time_unit, unit_of
from clusterdiff.output.figures import blank, plain
from clusterdiff.output.result import TableResult, paragraphs
from clusterdiff.output.table import CellTable, digits, percent
from clusterdiff.output.text import cut, shown_name

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from clusterdiff.array_types import Ints
    from clusterdiff.clusterings import AnyClustering
    from clusterdiff.contingency import Meet
    from clusterdiff.io import AlignedComparison
    from clusterdiff.io.sides import Kinds, Opened
    from clusterdiff.output.result import Block

LARGE = 10**8
"""Cells of a dense table that are held: 800 MB of counts."""
WIDE = 10**6
"""Cells of a table that is written out for display."""
OTHERS, NONE = "(others)", "(none)"
"""The headings of all other clusters together, and of objects that the side has in no cluster."""
SHARES = ("rows", "columns")


@takes_columns
def contingency(
    truth: Any,
    guess: Any = None,
    *,
    top: Most = "auto",
    shares: str | None = None,
    kind: Kinds = None,
    align: str = "exact",
    samples: Any = None,
    noise: Any = None,
    noise_as: str = "singletons",
    ignore: Any = None,
    ignore_in: str = "truth",
    count: Any = None,
    engine: Any = None,
    collar: float = 0.0,
    skip_overlap: bool = False,
    uem: Any = None,
) -> ContingencyTable:
    """The contingency table: how many objects each true cluster shares with each guess cluster.

    >>> table = contingency(list("aaabbc"), list("xxyyyz"))
    >>> table.to_numpy()
    array([[2, 1, 0],
           [0, 2, 0],
           [0, 0, 1]])
    >>> table.truth, table.guess
    (['a', 'b', 'c'], ['x', 'y', 'z'])

    True clusters are rows, the largest first. Guess clusters are columns, each below the true
    cluster that most of its objects come from, so that agreement lies on the diagonal. The `top`
    largest clusters of each side are named and all others are added up; top=None names all, and
    left out, all of a side with up to 50 clusters and the 20 largest of one with more.
    shares="rows" prints the share of each true cluster instead of counts, shares="columns" the
    share of each guess cluster.

    An object of overlapping clusterings counts in every pair of its clusters. An object of an
    uncertain clustering counts by its (pignistic) chances to be in each cluster, so that cells are
    expected numbers of objects. The other parameters are those of `compare`.
    """
    check_top(top)
    check_shares(shares)
    guesses = guesses_of(guess, kind, truth)
    if len(guesses) != 1:
        raise InputError.from_sides("contingency", 1 + len(guesses))
    sides = opened(
        engine, truth, guesses, kind, samples, count, scored=Scored(collar, skip_overlap, uem),
        ignore=ignore, ignore_in=ignore_in,
    )  # fmt: skip
    return contingency_of_sides(sides, Policy(align, noise, noise_as), top, shares)


def check_top(top: Any) -> None:
    """Refuse numbers of clusters that are not whole numbers above 0."""
    whole = isinstance(top, int | np.integer) and not isinstance(top, bool)
    if top is not None and top != "auto" and (not whole or top < 1):
        raise ClusterdiffError(
            f"top must be a whole number above 0, or None for all clusters; got {shown(top)}.",
            "write e.g. top=20.",
            "write e.g. --top 20, or --top all.",
        )


def check_shares(shares: Any) -> None:
    """Refuse shares of anything but rows or columns."""
    if shares is not None and shares not in SHARES:
        near = did_you_mean(shares, list(SHARES)) if isinstance(shares, str) else ""
        raise ClusterdiffError(
            f"shares are those of rows or of columns, not {shown(shares)}.",
            f'{near} write shares="rows" (of each true cluster) or shares="columns".'.strip(),
            f"{near} write --shares rows (of each true cluster) or --shares columns.".strip(),
        )


def contingency_of_sides(
    sides: Opened, policy: Policy, top: Most, shares: str | None
) -> ContingencyTable:
    """The contingency table of a truth and one guess that are opened here."""
    with sides as (sessions, truth, guesses):
        [name] = guesses
        return contingency_of(align_together(sessions, truth, guesses, policy), name, top, shares)


def contingency_of(
    aligned: AlignedComparison, name: str, top: Most = "auto", shares: str | None = None
) -> ContingencyTable:
    """The contingency table of truth and one of the guesses that are compared."""
    compared = aligned.compared(name)
    if compared is not None:
        meet: Meet = compared.meet
        found = compared.crosstab(top)
    else:
        meet = aligned.contingency_of(name).pooled
        found = _of_memberships(*aligned.loaded(name), aligned.policy, top)
    origins = Origins.of(aligned.truth, aligned.guesses)
    return ContingencyTable.of(found, meet, name, shares, origins)


# Clusterings that are no partitions: objects times clusters, with the weight of each.


def _of_memberships(
    truth: AnyClustering, guess: AnyClustering, policy: Policy, top: Most
) -> Crosstab:
    """The table of covers and uncertain clusterings, from their matrices of memberships."""
    if truth.samples is not None or guess.samples is not None:
        raise ClusterdiffError(
            "a contingency table of samples is made for partitions.", "take one sample at a time."
        )
    plan = plan_of(policy, truth.kind, guess.kind)
    if plan.labels:
        raise ClusterdiffError(
            "noise= names a label of partitions, and these clusterings overlap or are uncertain.",
            "leave it out; cd.contingency(truth.harden(), guess.harden(), noise=…) takes one.",
        )
    from scipy.sparse import dia_array

    where = places(truth, guess, plan)
    sides = [
        _memberships(lifted(name, side, plan) if plan.kind == "cover" else side, at)
        for name, side, at in (
            ("truth", truth, where.in_truth),
            ("guess", guess, where.in_guess),
        )
    ]
    (left, truth_labels), (right, guess_labels) = sides
    counted = right
    if where.count is not None:
        times: Any = dia_array((where.count[None], [0]), shape=(where.count.size,) * 2)
        counted = times @ right
    cells = (left.T @ counted).tocoo()
    left, right = (left, right) if counted is right else (times @ left, counted)
    rows = _placed(left, truth_labels, cells.row, top)
    columns = _placed(right, guess_labels, cells.col, top)
    return Crosstab(
        rows.place, columns.place, cells.data, rows.names, columns.names,
        (rows.clusters, columns.clusters), (rows.sizes, columns.sizes),
    )  # fmt: skip


class _Placed(NamedTuple):
    """Where cells stand on a side, and its largest clusters with their sizes."""

    place: Ints
    names: list[Any]
    sizes: NDArray[Any]
    clusters: int


def _placed(matrix: Any, labels: Any, at: Ints, top: Most) -> _Placed:
    """The places of cells among the largest clusters; the last column is of objects in none."""
    size = np.asarray(matrix.sum(axis=0)).ravel()[:-1]
    held = np.flatnonzero(size > 0)
    chosen, names = largest(size[held], top, lambda some: labels.take(held[some]).tolist())
    chosen = held[chosen]
    rank = np.full(size.size + 1, chosen.size)
    rank[chosen] = np.arange(chosen.size)
    rank[-1] = -1
    return _Placed(rank[at], names, size[chosen], held.size)


def _memberships(side: Any, at: Ints) -> tuple[Any, Any]:
    """Objects x clusters as a sparse matrix, with a last column for objects in none; and labels."""
    from scipy.sparse import csr_array

    there = np.flatnonzero(at >= 0)
    weight: NDArray[Any]
    if isinstance(side, Cover):
        sets = side.sets.take(side.code[at[there]])
        object, cluster = there[sets.owner], sets.member
        weight = np.ones(cluster.size, np.int64)
    elif isinstance(side, Soft):
        chances = side.pignistic()
        matrix = np.asarray(chances.degree)[chances.code[at[there]]]
        row, cluster = np.nonzero(matrix)
        object, weight = there[row], matrix[row, cluster]
    else:
        codes, _ = number(side.labels.keys)
        object, cluster, weight = there, codes[at[there]], np.ones(there.size, np.int64)
    labels = _labels(side)
    none = np.setdiff1d(np.arange(at.size), object)
    object, cluster = np.append(object, none), np.append(cluster, np.full(none.size, len(labels)))
    weight = np.append(weight, np.ones(none.size, weight.dtype))
    return csr_array((weight, (object, cluster)), shape=(at.size, len(labels) + 1)), labels


def _labels(side: Any) -> Any:
    """The label of each cluster, by its number."""
    if isinstance(side, Cover | Soft):
        return side.labels
    codes, many = number(side.labels.keys)
    first = np.empty(many, np.int64)
    first[codes[::-1]] = np.arange(codes.size)[::-1]
    return side.labels.take(first)


@dataclass(frozen=True, eq=False, repr=False)
class ContingencyTable(TableResult):
    """How many objects each true cluster (row) shares with each guess cluster (column).

    `truth` and `guess` name rows and columns. Where clusters are added up there is one row or
    column more, "(others)", and where one side lacks objects or has them in no cluster, "(none)".
    """

    schema = "table/1"
    columns = (
        "truth", "guess", "objects", "truth_size", "guess_size", "share_of_truth", "share_of_guess",
    )  # fmt: skip

    truth: list[Any]
    guess: list[Any]
    truth_sizes: NDArray[Any]
    """How many objects each true cluster has."""
    guess_sizes: NDArray[Any]
    clusters: tuple[int, int]
    """How many clusters truth and guess have in all."""
    row: Ints
    """The row of each cell that is not empty; cells are in the order of rows, then columns."""
    column: Ints
    objects: NDArray[Any]
    name: str
    """The name of the guess."""
    meet: Meet
    shares: str | None = None
    origins: Origins = NOWHERE

    @classmethod
    def of(
        cls, found: Crosstab, meet: Meet, name: str, shares: str | None, origins: Origins = NOWHERE
    ) -> ContingencyTable:
        """The table with columns in the order of the rows that they fit best."""
        sides = [
            _with_rest(found.truth, found.truth_names),
            _with_rest(found.guess, found.guess_names),
        ]
        (row, truth), (column, guess) = sides
        key, first = np.unique(pair_keys(row, column), return_index=True, return_inverse=True)[1:]
        summed = group_sums if np.asarray(found.objects).dtype.kind in "iu" else np.bincount
        objects = summed(first.ravel(), found.objects, key.size)
        row, column = row[key], column[key]
        sizes = [summed(row, objects, len(truth)), summed(column, objects, len(guess))]
        for own, known in zip(sizes, found.sizes or (), strict=False):
            own[: known.size] = known
        order = _by_best_match(row, column, objects, len(found.guess_names), len(guess))
        place = np.empty(len(guess), np.int64)
        place[order] = np.arange(len(guess))
        column = place[column]
        cells = np.lexsort((column, row))
        return cls(
            truth, [guess[i] for i in order.tolist()], sizes[0], sizes[1][order], found.clusters,
            row[cells], column[cells], objects[cells], name, meet, shares, origins,
        )  # fmt: skip

    def to_numpy(self) -> NDArray[Any]:
        """All counts, rows of `truth` and columns of `guess`."""
        if len(self.truth) * len(self.guess) > LARGE:
            raise ClusterdiffError(
                f"{len(self.truth):,} rows and {len(self.guess):,} columns are "
                f"{len(self.truth) * len(self.guess):,} cells, most of them empty.",
                "to_frame() has a row for each cell that is not.",
            )
        made = np.zeros((len(self.truth), len(self.guess)), self.objects.dtype)
        made[self.row, self.column] = self.objects
        return made

    def with_shares(self, shares: str | None) -> ContingencyTable:
        """The same table, printed as shares of rows or columns, or as counts."""
        check_shares(shares)
        return replace(self, shares=shares)

    def records(self) -> list[dict[str, Any]]:
        """A record for each cell that is not empty."""
        cells = zip(self.row.tolist(), self.column.tolist(), self.objects.tolist(), strict=True)
        left, right = self.truth_sizes.tolist(), self.guess_sizes.tolist()
        return [
            {
                "truth": _plain(self.truth[i]),
                "guess": _plain(self.guess[j]),
                "objects": n,
                "truth_size": left[i],
                "guess_size": right[j],
                "share_of_truth": n / left[i],
                "share_of_guess": n / right[j],
            }
            for i, j, n in cells
        ]

    def to_dict(self) -> dict[str, Any]:
        """Names, sizes and cells, with full precision."""
        truth, guess = (
            {
                "clusters": many,
                "names": [_plain(name) for name in names],
                "sizes": sizes.tolist(),
            }
            for many, names, sizes in zip(
                self.clusters,
                (self.truth, self.guess),
                (self.truth_sizes, self.guess_sizes),
                strict=True,
            )
        )
        cells = np.column_stack([self.row, self.column]).tolist()
        objects = self.objects.tolist()
        return {
            "guess_name": self.name,
            "objects": self.meet.objects,
            **time_unit(self.meet),
            "truth": truth,
            "guess": guess,
            "cells": [[*at, n] for at, n in zip(cells, objects, strict=True)],
            **self.origins.to_dict(),
        }

    def head(self, width: int = 80) -> str:
        """Truth and guess with their sizes, and what the cells are."""
        return describe({self.name: self.meet}, columns=width, origins=self.origins)

    def blocks(self, width: int) -> Iterator[Block]:
        """What is compared, the table, and what is not shown of it."""
        yield self.head(width)
        yield from paragraphs([self._cells_are()], width)
        yield self.table()
        yield from paragraphs(self.notes(), width)

    def _cells_are(self) -> str:
        if self.shares == "rows":
            return "Rows are true clusters, columns guess clusters; cells are shares of the row."
        if self.shares == "columns":
            return "Rows are true clusters, columns guess clusters; cells are shares of the column."
        exact = self.objects.dtype.kind == "i"
        what = unit_of(self.meet).heading if exact else "expected objects"
        return f"Rows are true clusters, columns guess clusters; cells count {what}."

    def table(self) -> CellTable:
        """A row for each true cluster; empty cells are blank."""
        if len(self.truth) * len(self.guess) > WIDE:
            raise ClusterdiffError(
                f"a table of {len(self.truth):,} rows and {len(self.guess):,} columns cannot be "
                "read.",
                "show fewer clusters (top=50), or write the cells: to_frame(), to_csv().",
                "show fewer clusters (--top 50), or write the cells: -f csv.",
            )
        cells = [[""] * len(self.guess) for _ in self.truth]
        by = {"rows": self.truth_sizes[self.row], "columns": self.guess_sizes[self.column]}
        values = self.objects / by[self.shares] if self.shares else self.objects
        written = self._share if self.shares else self._amount
        for i, j, value in zip(
            self.row.tolist(), self.column.tolist(), values.tolist(), strict=True
        ):
            cells[i][j] = written(value)
        rows = [
            (shown_name(name), *own, self._amount(size))
            for name, own, size in zip(self.truth, cells, self.truth_sizes.tolist(), strict=True)
        ]
        total, unit = self._amount(self.meet.objects), unit_of(self.meet)
        rows.append((unit.heading, *map(self._amount, self.guess_sizes.tolist()), total))
        headings = ("truth \\ guess", *map(shown_name, self.guess), unit.heading)
        return CellTable(headings, tuple(rows))

    @staticmethod
    def _share(value: float) -> str:
        return percent(value)

    def _amount(self, value: float) -> str:
        unit = unit_of(self.meet)
        return unit.number(value) if isinstance(value, int) else f"{value:,.2f}"

    def notes(self) -> list[str]:
        """Which clusters are added up."""
        told = []
        for side, names, many in zip(
            ("true", "guess"), (self.truth, self.guess), self.clusters, strict=True
        ):
            named = len(names) - sum(isinstance(one, _Rest) for one in names)
            if named < many:
                told.append(
                    f"The {named:,} largest of {count(many, f'{side} cluster')} are named; all "
                    f"others are added up as {OTHERS}."
                )
        if isinstance(self.meet, CoverMeet):
            what = "Time" if unit_of(self.meet).second else "An object"
            told.append(f"{what} counts in every pair of its clusters.")
        return told

    def plot(self) -> Any:
        """The table as a heat map; `cd.plot.save` writes it."""

        return heatmap_of(self)


class _Rest(str):
    """The name of a row or column that is not one cluster: no label of a user is one."""

    __slots__ = ()


def _with_rest(place: Ints, names: list[Any]) -> tuple[Ints, list[Any]]:
    """Places of cells with a place for the others and one for none where there are any."""
    others, none = bool((place == len(names)).any()), bool((place < 0).any())
    made = [*names, *([_Rest(OTHERS)] if others else []), *([_Rest(NONE)] if none else [])]
    return np.where(place < 0, len(made) - 1, place), made


def _by_best_match(
    row: Ints, column: Ints, objects: NDArray[Any], named: int, columns: int
) -> NDArray[np.int64]:
    """The columns in the order of the row where each has most objects, those that stand for
    several clusters last.
    """
    order = np.lexsort((row, -objects, column))
    first = np.ones(order.size, np.bool_)
    first[1:] = column[order[1:]] != column[order[:-1]]
    best = np.zeros(columns, np.int64)
    most = np.zeros(columns)
    best[column[order[first]]] = row[order[first]]
    most[column[order[first]]] = objects[order[first]]
    every = np.arange(columns)
    return np.lexsort((every, -most, best, np.where(every < named, 0, every)))


def _plain(name: Any) -> Any:
    """A name as a JSON-ready value."""
    if isinstance(name, _Rest):
        return str(name)
    return list(name) if isinstance(name, tuple) else name


SHADES = ("#f4f8fc", "#c6dbef", "#6baed6", "#2171b5", "#08306b")
"""From an empty cell to a whole cluster: one hue, which grey printers and all eyes tell apart."""
NUMBERED = 400
"""Cells up to which each has its number written in it."""


def heatmap_of(table: ContingencyTable) -> Any:
    """Cells shaded by their share of the true cluster (of the guess cluster if columns are asked
    for), with counts or shares written where there is room.
    """
    figure, counts = blank(), table.to_numpy()
    of_columns = table.shares == "columns"
    size = table.guess_sizes[None, :] if of_columns else table.truth_sizes[:, None]
    share = np.divide(counts, size, out=np.zeros(counts.shape), where=size > 0)
    rows, columns = (
        [plain(cut(shown_name(one), 24)) for one in names] for names in (table.truth, table.guess)
    )
    side, unit = "guess" if of_columns else "true", unit_of(table.meet)

    def hover(i: int, j: int) -> str:
        n = counts[i, j].item()
        amount = unit.told(n) if isinstance(n, int) else f"{digits(n)} expected objects"
        own = columns[j] if of_columns else rows[i]
        return (
            f"truth {rows[i]}, guess {columns[j]}<br>{amount}, {percent(share[i, j])} of "
            f"{side} cluster {own}"
        )

    def written(i: int, j: int) -> str:
        if not counts[i, j]:
            return ""
        n = counts[i, j].item()
        return (
            percent(share[i, j], 0)
            if table.shares
            else unit.number(n)
            if isinstance(n, int)
            else digits(n)
        )

    every = [(i, j) for i in range(len(rows)) for j in range(len(columns))]
    few = len(every) <= NUMBERED
    places = list(range(len(columns))), list(range(len(rows)))

    def grid(told: Any) -> list[list[str]]:
        return [[told(i, j) for j in places[0]] for i in places[1]]

    figure.add_heatmap(
        x=places[0], y=places[1], z=share.tolist(), zmin=0, zmax=1, xgap=1, ygap=1,
        colorscale=[[k / (len(SHADES) - 1), shade] for k, shade in enumerate(SHADES)],
        colorbar={
            "title": {"text": f"share of the {side} cluster", "side": "right"},
            "tickformat": ".0%", "thickness": 14,
        },
        customdata=grid(hover), hovertemplate="%{customdata}<extra></extra>",
        text=grid(written) if few else None, texttemplate="%{text}" if few else None,
    )  # fmt: skip
    ticks = {"showgrid": False, "zeroline": False}
    figure.update_layout(
        xaxis=ticks
        | {"title": "guess", "tickvals": places[0], "ticktext": columns, "tickangle": -45},
        yaxis=ticks
        | {"title": "truth", "tickvals": places[1], "ticktext": rows, "autorange": "reversed"},
        height=160 + min(900, max(200, 26 * len(rows))),
    )
    return figure
