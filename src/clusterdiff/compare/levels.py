"""One truth at several levels: where an error at a fine level is right at a coarse one."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from clusterdiff.clusterings import Partition
from clusterdiff.clusterings.grouping import by_appearance, group_sums, number, pair_keys
from clusterdiff.compare.compare import compare_sides
from clusterdiff.compare.differences import in_words
from clusterdiff.compare.report import Report, latex_of
from clusterdiff.engines.protocol import kind_of
from clusterdiff.engines.shared_objects import Together
from clusterdiff.errors import ClusterdiffError, MemoryNeeded, MissingColumn, did_you_mean, some
from clusterdiff.io.files import named_column
from clusterdiff.io.sides import level_names, named_in
from clusterdiff.output.describe import count as number_of
from clusterdiff.output.describe import describe
from clusterdiff.output.result import distinct, legal, paragraphs
from clusterdiff.output.table import CellTable, percent
from clusterdiff.output.text import shown_name

if TYPE_CHECKING:
    from clusterdiff.array_types import Ints
    from clusterdiff.contingency import Policy
    from clusterdiff.io import EngineSessions
    from clusterdiff.io.arguments import Side
    from clusterdiff.io.sides import Opened
    from clusterdiff.measures import Measure
    from clusterdiff.output.result import Block

TOP = 5
"""Pairs of fine clusters that are named, and clusters that are not nested."""
AT_ONCE = 10**7
"""Pairs of fine clusters that are counted together."""
BESIDE = "\0"
"""What the names of other levels begin with, beside those of guesses."""


def levels_of(truth: Any, levels: Any, samples: Any) -> dict[str, Any]:
    """The truth at each level: columns of a table or a file, or labels by the name of the level."""
    if isinstance(levels, Mapping) and truth is not None:
        raise ClusterdiffError(
            "truth is given twice, by itself and as labels of levels.",
            "leave it out, cd.compare(guess=guess, levels={'type': types, 'lineage': lineages}), "
            "or name columns of it, levels=['type', 'lineage'].",
        )
    names = level_names(levels)
    if isinstance(truth, str | os.PathLike):
        return dict(zip(*level_paths(os.fspath(truth), names), strict=True))
    if len(names) < 2:
        raise _too_few(names)
    known = levels if isinstance(levels, Mapping) else truth
    if not isinstance(known, Mapping):
        return named_in(truth, names, None, samples if isinstance(samples, str) else None)
    for name in names:
        if name not in known:
            near = did_you_mean(name, list(map(str, known)))
            raise MissingColumn(
                f"truth has no labels called {name!r}; it has {some(list(map(repr, known)))}.",
                near or "levels name entries of a dict from name to labels.",
            )
    return {name: known[name] for name in names}


def level_paths(path: str, names: Sequence[str]) -> tuple[list[str], list[str]]:
    """The levels that are columns of a file, that behind :: first, and the path of each."""
    file, own = named_column(path)
    names = list(dict.fromkeys([own, *names] if own else names))
    if len(names) < 2:
        raise _too_few(names)
    return names, [f"{file}::{name}" for name in names]


def _too_few(names: Sequence[str]) -> ClusterdiffError:
    return ClusterdiffError(
        f"{', '.join(names) or 'nothing'} is not several levels of truth.",
        "name two or more, e.g. levels=['cell_type', 'lineage'].",
        "name two or more columns, e.g. --levels cell_type,lineage.",
    )


def compare_levels(
    sides: Opened,
    measures: Iterable[str | Measure] | None,
    policy: Policy,
    *,
    names: Sequence[str],
    **options: Any,
) -> LevelReport:
    """Scores of the guesses at each level of truth; of the sides, the first ones are the levels.
    Options are those of `compare_sides`, and all levels are judged on the same objects.
    """
    with sides as (session, first, rest):
        every = [first, *rest.values()]
        levels = dict(zip(names, every, strict=False))
        guesses = dict(list(rest.items())[len(names) - 1 :])
        if other := {kind_of(side) for side in every} - {"partition"}:
            raise ClusterdiffError(
                f"levels are those of partitions, and a side is read as {other.pop()}.",
                "compare each level by itself, or choose measures of partitions.",
            )
        reports = {}
        for name, truth in levels.items():
            beside = {BESIDE + n: side for n, side in levels.items() if n != name}
            opened = nullcontext((session, truth, guesses))
            try:
                reports[name] = compare_sides(opened, measures, policy, beside=beside, **options)
            except ClusterdiffError as error:
                raise error.within(f"level {name}") from None
        nestings: tuple[Nesting, ...] = ()
        why = ""
        try:
            nestings = nestings_of(session, levels, guesses, policy)
        except MemoryNeeded as error:
            why = f"Which errors are right at another level is not known: {error.message}"
    some = next(iter(reports.values()))
    return LevelReport(
        some.scores, some.measures, some.origins, confidence=some.confidence, joint=some.joint,
        levels=reports, nestings=nestings, why=why,
    )  # fmt: skip


# What is wrong at a fine level and right at a coarse one.


class Confused(NamedTuple):
    """Two fine clusters of one coarse cluster that a guess merges."""

    coarse: Any
    clusters: tuple[Any, Any]
    pairs: int
    """Pairs of an object of each that are together in the guess."""


class Merged(NamedTuple):
    """What a guess merges wrongly at a fine level, and how much of that is right at a coarse one.

    Pairs are of objects in one guess cluster and in different fine clusters. Objects are those
    outside the largest fine cluster of their guess cluster, and right where that one is in their
    own coarse cluster; of fine clusters equally large, the one counts whose coarse cluster is.
    """

    pairs: int
    pairs_right: int
    objects: int
    objects_right: int
    confused: tuple[Confused, ...]

    def told(self, fine: str, coarse: str) -> list[str]:
        """The numbers in sentences."""
        if not self.pairs:
            return [f"No objects are merged wrongly at {fine}."]
        shares = percent(self.pairs_right / self.pairs), percent(self.objects_right / self.objects)
        told = [
            f"Of {number_of(self.pairs, 'pair')} of objects merged wrongly at {fine}, "
            f"{shares[0]} ({self.pairs_right:,}) are right at {coarse}.",
            f"Of {number_of(self.objects, 'object')} outside the main {fine} of their guess "
            f"cluster, {shares[1]} ({self.objects_right:,}) are in its {coarse}.",
        ]
        if self.confused:
            most = [
                f"{in_words(map(shown_name, one.clusters))} ({shown_name(one.coarse)}, "
                f"{number_of(one.pairs, 'pair')})"
                for one in self.confused
            ]
            told.append(f"Most confused within one {coarse}: {'; '.join(most)}.")
        return told


@dataclass(frozen=True)
class Nesting:
    """A level of truth and the next coarser one."""

    fine: str
    coarse: str
    clusters: int
    """How many fine clusters there are."""
    apart: int
    """How many of them are in several coarse clusters; 0 where levels are nested."""
    examples: tuple[tuple[Any, tuple[tuple[Any, int], ...]], ...] = ()
    """Some of these, with the coarse clusters and how many objects are in each."""
    guesses: Mapping[str, Merged] = field(default_factory=dict)
    """What each guess merges; nothing where levels are not nested."""

    def told(self) -> list[str]:
        """What there is to say of each guess, or that levels are not nested."""
        if self.apart:
            shown = (
                f"{shown_name(name)} in {in_words(f'{shown_name(c)} ({n:,})' for c, n in places)}"
                for name, places in self.examples
            )
            return [
                f"{self.fine} is not nested in {self.coarse}: {self.apart:,} of "
                f"{number_of(self.clusters, 'cluster')} {'is' if self.apart == 1 else 'are'} in "
                f"several, e.g. {'; '.join(shown)}. So it is not said which errors are right at "
                f"{self.coarse}."
            ]
        return [
            " ".join([*([f"{guess}:"] if len(self.guesses) > 1 else []), *sentences])
            for guess, one in self.guesses.items()
            for sentences in [one.told(self.fine, self.coarse)]
        ]

    def to_dict(self) -> dict[str, Any]:
        """All numbers, with names as text."""
        told: dict[str, Any] = {"fine": self.fine, "coarse": self.coarse}
        told |= {"nested": not self.apart, "clusters": self.clusters, "apart": self.apart}
        if self.apart:
            return told | {
                "examples": [
                    {
                        "cluster": shown_name(name),
                        "in": [{"cluster": shown_name(c), "objects": n} for c, n in places],
                    }
                    for name, places in self.examples
                ]
            }
        return told | {
            "guesses": {
                guess: one._asdict()
                | {
                    "confused": [
                        {
                            "coarse": shown_name(coarse),
                            "clusters": list(map(shown_name, names)),
                            "pairs": pairs,
                        }
                        for coarse, names, pairs in one.confused
                    ]
                }
                for guess, one in self.guesses.items()
            }
        }


class _Level(NamedTuple):
    """A level of truth over the objects that are compared."""

    name: str
    cluster: Ints
    """-1 where it is missing."""
    label: Ints
    """The number of the label, -1 where there is none: noise is one label and many clusters."""
    called: Any
    """What some labels are, by their numbers."""


def nestings_of(
    session: EngineSessions, levels: Mapping[str, Side], guesses: Mapping[str, Side], policy: Policy
) -> tuple[Nesting, ...]:
    """Each level beside the next coarser one, from the one with most clusters on."""
    together = Together.of(
        [session.loaded(s) for s in (*levels.values(), *guesses.values())], policy
    )
    clusters, count, place = together.cells()
    made = []
    for i, name in enumerate(levels):
        if alone := int((together.has[i] != together.has[0]).sum()):
            raise ClusterdiffError(
                f"{next(iter(levels))} and {name} are not labels of the same objects: "
                f"{number_of(alone, 'object')} in one of them alone.",
                "give each object a label at every level; one that means unknown can be noise.",
            )
        side, where = together.sides[i], np.full(together.sample.size, -1)
        where[together.code[i]] = np.arange(together.code[i].size)
        assert isinstance(side, Partition)
        code, first = by_appearance(side.labels.keys)
        label = np.append(code, -1)[where[together.kept]][place]

        def called(some: Ints, labels: Any = side.labels, first: Ints = first) -> list[Any]:
            return labels.take(first[some]).tolist()  # type: ignore[no-any-return]

        made.append(_Level(name, clusters[i], label, called))
    made.sort(key=lambda level: -np.unique(level.cluster).size)
    rest = dict(zip(guesses, clusters[len(levels) :], strict=True))
    return tuple(_nesting(fine, coarse, rest, count) for fine, coarse in pairwise(made))


def _nesting(fine: _Level, coarse: _Level, guesses: Mapping[str, Ints], count: Ints) -> Nesting:
    there = np.flatnonzero((fine.cluster >= 0) & (coarse.cluster >= 0))
    code, first = by_appearance(pair_keys(fine.cluster[there], coarse.cluster[there]))
    first = there[first]
    inside, many = number(fine.cluster[first])
    apart = np.flatnonzero(np.bincount(inside, minlength=many) > 1)
    if not apart.size:
        merged = {name: _merged(fine, coarse, guess, count) for name, guess in guesses.items()}
        return Nesting(fine.name, coarse.name, many, 0, guesses=merged)
    objects, examples = group_sums(code, count[there]), []
    for one in apart[np.argsort(-group_sums(inside, objects)[apart], kind="stable")][:TOP]:
        cells = np.flatnonzero(inside == one)
        cells = cells[np.argsort(-objects[cells], kind="stable")]
        [name] = fine.called(fine.label[first[cells[:1]]])
        names = coarse.called(coarse.label[first[cells]])
        examples.append((name, tuple(zip(names, objects[cells].tolist(), strict=True))))
    return Nesting(fine.name, coarse.name, many, int(apart.size), tuple(examples))


def _merged(fine: _Level, coarse: _Level, guess: Ints, count: Ints) -> Merged:
    some = np.flatnonzero(guess >= 0)
    code, first = by_appearance(pair_keys(fine.cluster[some], guess[some]))
    size, cell = group_sums(code, count[some]), some[first]
    whole = group_sums(number(guess[cell])[0], size)
    known = fine.cluster[cell] >= 0
    size, cell = size[known], cell[known]
    alike, _ = number(pair_keys(coarse.cluster[cell], guess[cell]))
    in_coarse = group_sums(alike, size)
    # the last cell of each guess cluster is that of its main fine cluster
    order = np.lexsort((in_coarse[alike], size, guess[cell]))
    last = order[np.append(np.diff(guess[cell[order]]) != 0, True)[: order.size]]
    right, wrong = _pairs(size), _pairs(whole)
    main, its_coarse = int(size[last].sum()), int(in_coarse[alike[last]].sum())
    return Merged(
        wrong - right, _pairs(in_coarse) - right, int(whole.sum()) - main, its_coarse - main,
        _most_confused(fine, coarse, cell, alike, size),
    )  # fmt: skip


def _pairs(sizes: Ints) -> int:
    return sum(n * (n - 1) // 2 for n in sizes.tolist())


def _most_confused(
    fine: _Level, coarse: _Level, cell: Ints, place: Ints, size: Ints
) -> tuple[Confused, ...]:
    """The fine labels that share most pairs of objects in these places, each of which is a guess
    cluster within a coarse one; rows are in the order of their sizes, since two rows have no more
    pairs than the larger one squared.
    """
    from scipy.sparse import csr_array

    named = fine.label[cell] >= 0
    cell, place, size = cell[named], place[named], size[named]
    row, first = by_appearance(pair_keys(fine.label[cell], coarse.label[cell]))
    total = group_sums(row, size)
    order = np.argsort(-total, kind="stable")
    rank = np.empty_like(order)
    rank[order] = np.arange(order.size)
    table = csr_array((size.astype(np.float64), (rank[row], place)))
    table.sum_duplicates()
    best: list[tuple[float, int, int]] = []
    step = max(1, AT_ONCE // max(1, order.size))
    for begin in range(0, order.size, step):
        if len(best) == TOP and float(total[order[begin]]) ** 2 <= -best[-1][0]:
            break
        found = (table[begin : begin + step] @ table[begin:].T).tocoo()
        upper = np.flatnonzero(found.row < found.col)
        upper = upper[np.argsort(-found.data[upper], kind="stable")][:TOP]
        some = zip(found.data[upper], found.row[upper], found.col[upper], strict=True)
        best = sorted([*best, *((-float(n), begin + int(i), begin + int(j)) for n, i, j in some)])
        best = best[:TOP]

    def pairs(i: int, j: int) -> int:
        """In whole numbers, however large."""
        own, other = (
            dict(zip(place[row == k].tolist(), size[row == k].tolist(), strict=True))
            for k in order[[i, j]].tolist()
        )
        return sum(n * other.get(at, 0) for at, n in own.items())

    made = []
    for _, i, j in best:
        where = cell[first[order[[i, j]]]]
        [name, other], [within, _] = (level.called(level.label[where]) for level in (fine, coarse))
        made.append(Confused(within, (name, other), pairs(i, j)))
    return tuple(made)


# The result.


@dataclass(frozen=True, repr=False)
class LevelReport(Report):
    """Scores of the same guesses at several levels of truth: rows are measures, columns levels.

    `report["elm_f"]` is a mapping from level to what the report of that level holds, and
    `report.levels["lineage"]` is that report; differences and sizes are those of the first level.
    """

    schema = "levels/1"
    layout = None

    levels: Mapping[str, Report] = field(default_factory=dict)
    """Level -> its scores."""
    nestings: tuple[Nesting, ...] = ()
    """Each level and the next coarser one."""
    why: str = ""
    """Why there are none, where they do not fit in memory."""

    def __getitem__(self, measure: str | Measure) -> Any:
        return {level: report[measure] for level, report in self.levels.items()}

    def head(self, width: int = 80) -> str:
        """What was compared: the sizes of each level and of each guess, and the alignment."""
        truths = {name: (one._meets, one.origins) for name, one in self.levels.items()}
        return describe(
            self._meets, len(self.samples), width, self._notes_on_measures(), self.origins, truths
        )

    def table(self) -> CellTable:
        """The cells: a row per measure, a column per level, for each guess."""
        headings, best = [""], set()
        rows: list[tuple[str, ...]] = [(text,) for text in self.shown()]
        for level, report in self.levels.items():
            own, shift = report.table(), len(headings) - 1
            headings += [level if h == "score" else f"{level} {h}" for h in own.headings[1:]]
            best |= {(row, column + shift) for row, column in own.best}
            rows = [(*row, *cells[1:]) for row, cells in zip(rows, own.rows, strict=True)]
        return CellTable(tuple(headings), tuple(rows), frozenset(best))

    def signatures(self) -> list[str]:
        """One line per level and score with its reproducibility signature."""
        return [f"{name}: {line}" for name, one in self.levels.items() for line in one.signatures()]

    def blocks(self, width: int, following: Sequence[str] = ()) -> Iterator[Block]:
        """What was compared, the scores, and where errors at one level are right at the next."""
        yield self.head(width)
        yield self.table()
        yield from paragraphs(self._notes_of_levels(), width, "  ")
        for text in self.told():
            yield from paragraphs([text], width)

    def told(self) -> list[str]:
        """Where errors at one level are right at the next, a paragraph for each guess."""
        return [*([self.why] if self.why else []), *(t for n in self.nestings for t in n.told())]

    def notes(self, mark: str = "▲") -> list[str]:
        """The notes of all levels, and where errors at one level are right at the next."""
        return [*self._notes_of_levels(mark), *self.told()]

    def _notes_of_levels(self, mark: str = "▲") -> list[str]:
        """Notes that all levels share, then those of one with its name."""
        notes = {level: report.notes(mark) for level, report in self.levels.items()}
        shared = [n for n in next(iter(notes.values())) if all(n in own for own in notes.values())]
        rest = [f"{name}: {n}" for name, own in notes.items() for n in own if n not in shared]
        return [*shared, *rest]

    def to_dict(self) -> dict[str, Any]:
        """The document of each level, and what is right at the next one."""
        levels = {
            name: {"schema": f"clusterdiff/{Report.schema}", **report.to_dict()}
            for name, report in self.levels.items()
        }
        told = {"levels": levels, "nestings": [one.to_dict() for one in self.nestings]}
        return told | ({"notes": [self.why]} if self.why else {})

    def metrics(self, prefix: str = "") -> dict[str, float]:
        """The scores as one flat dict of floats, level/measure or level/guess/measure."""
        start = f"{prefix}/" if prefix else ""
        named = zip(distinct(map(legal, self.levels)), self.levels.values(), strict=True)
        return {k: v for name, one in named for k, v in one.metrics(f"{start}{name}").items()}

    def records(self) -> list[dict[str, Any]]:
        """One record per level, guess and measure."""
        return [{"level": n} | record for n, one in self.levels.items() for record in one.records()]

    def sample_records(self) -> list[dict[str, Any]]:
        """One record per level, guess, sample and measure."""
        return [
            {"level": name} | record
            for name, one in self.levels.items()
            for record in one.sample_records()
        ]

    def to_latex(self, style: str = "table") -> str:
        """A booktabs table with notes and signatures as comments; style="paper" has a table for
        each level.
        """
        if style != "paper":
            return latex_of(self, style)
        return "\n".join(f"% {name}\n{one.to_latex(style)}" for name, one in self.levels.items())
