"""What all explanations have in common: parts ranked by what they cost, printed and exported."""

from __future__ import annotations

import shutil
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Generic, NamedTuple, Self, TypeVar

import numpy as np

from clusterdiff.compare.differences import with_interval
from clusterdiff.errors import printable
from clusterdiff.explain.summary import WORDS
from clusterdiff.io.sides import NOWHERE, Origins
from clusterdiff.measures.interval import Interval
from clusterdiff.output import markup
from clusterdiff.output.describe import count
from clusterdiff.output.result import Block, Listing, Renderable, blocks_to_text, frame_of
from clusterdiff.output.table import CellTable, digits, percent
from clusterdiff.output.text import cut, hung, shown_name, wrapped

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from clusterdiff.array_types import Bools, Floats, Ints
    from clusterdiff.contingency import Meet
    from clusterdiff.measures import Measure
    from clusterdiff.output.score import Score

# Explanations in words: names, shares, the masses of uncertain objects, and outcomes.

SETS = 4
"""Clusters, or sets of clusters, that a line names."""

NOTHING = 1e-12
"""What is less than this share of the whole is nothing."""


def rest_line(
    kinds: Mapping[Any, tuple[int, int, float]], total: float
) -> tuple[str, str, list[str]]:
    """What is not shown: for each kind how many, of how many objects, and what they lose of all."""
    shares = {kind: (many, lost / (total or 1.0)) for kind, (many, _, lost) in kinds.items()}
    told = ", ".join(f"{n:,} {kind} ({percent(share)})" for kind, (n, share) in shares.items())
    more = sum(many for many, _ in shares.values())
    return percent(sum(share for _, share in shares.values())), "…", [f"{more:,} more: {told}"]


def shares_of(outcomes: Mapping[str, int], objects: int) -> str:
    """How many objects became what."""
    told = (f"{percent(n / objects)} {WORDS.get(what, what)}" for what, n in outcomes.items())
    return f"Of {count(objects, 'object')}: {', '.join(told)}"


def found_exactly(exact: int, clusters: int) -> str:
    """How many true clusters guess has to the last object."""
    were = "was" if exact == 1 else "were"
    share = percent(exact / clusters) if clusters else percent(0)
    return f"Of {count(clusters, 'true cluster')}, {exact:,} {were} found exactly ({share})"


def name_of(name: object) -> str:
    """A cluster's name, cut where it is long."""
    return cut(shown_name(name), 40)


class Said(NamedTuple):
    """That an object is in one of these clusters, and how much speaks for it; of none of them, it
    is in no known cluster.
    """

    clusters: list[Any]
    mass: float

    def __str__(self) -> str:
        names = [name_of(c) for c in self.clusters[:SETS]]
        if len(self.clusters) > SETS:
            names.append("…")
        told = " or ".join(names) or "no cluster"
        return told if self.mass == 1 else f"{told} ({self.mass:.2f})"


def says(said: Sequence[Said], most: int | None = SETS) -> str:
    """The masses of an object as text, the largest first, up to so many sets."""
    shown = list(map(str, said[:most]))
    return ", ".join([*shown, *(["…"] if len(said) > len(shown) else [])])


def for_programs(facts: Mapping[str, Any]) -> dict[str, Any]:
    """Facts for JSON: intervals as their two ends, masses of objects as dicts."""
    told: dict[str, Any] = {}
    for key, value in facts.items():
        if isinstance(value, Interval):
            told |= {f"{key}_low": value.low, f"{key}_high": value.high}
        elif isinstance(value, list):
            told[key] = [one._asdict() if isinstance(one, Said) else one for one in value]
        else:
            told[key] = value
    return told


def span(low: float, high: float) -> str:
    """Two ends for eyes, or the one number that they are."""
    return _ends(*(f"{x:.1e}" if NOTHING < x < 5e-5 else digits(x) for x in (low, high)))


def degree(interval: Interval) -> str:
    """How much speaks for something, from 0 to 1."""
    return _ends(f"{interval.low:.2f}", f"{interval.high:.2f}")


def amount(interval: Interval) -> str:
    """How many objects, of which not all need be whole."""
    return _ends(_amount(interval.low), _amount(interval.high))


def _amount(x: float) -> str:
    return f"{x:,.0f}" if x >= 1000 else f"{x:.2f}".rstrip("0").rstrip(".")


def _ends(low: str, high: str) -> str:
    return low if low == high else f"{low}–{high}"


TOP = 10
"""How many entries of a ranking are shown where nobody says otherwise."""
IDS = 5
"""How many objects of each are named."""


class RankedResult(Renderable):
    """Where two clusterings differ, ranked.

    In all methods `top` says how many entries are shown and `ids` how many objects of each part are
    named; None is all of them.
    """

    score: Score
    origins: Origins = NOWHERE
    """The columns that truth and guess were read from."""
    columns: ClassVar[tuple[str, ...]]
    """What the records hold, also where there are none."""
    schema: ClassVar[str]
    """Which schema the JSON follows, and the number of that."""

    def read_from(self, origins: Origins) -> Self:
        """The same, with the columns that it was read from."""
        vars(self)["origins"] = origins.with_notes_of(self._meets())
        return self

    def _meets(self) -> dict[str, Meet]:
        """What was compared, by guess."""
        return {"guess": self.score.meet}

    def columns_read(self, width: int) -> list[str]:
        """A line with these columns, where there are any, and what sides were taken for."""
        told = [self.origins.sentence(), *(f"{note}." for note in self.origins.notes())]
        return [wrapped(printable(line), width) for line in told if line]

    @property
    def measure(self) -> Measure:
        """The measure whose loss is explained."""
        return self.score.measure

    @property
    @abstractmethod
    def headline(self) -> str:
        """The score, and what is lost."""

    @abstractmethod
    def sentences(self) -> list[str]:
        """What became of objects and clusters, in a few sentences."""

    @abstractmethod
    def blocks(self, width: int, top: int | None = TOP, ids: int | None = IDS) -> Iterator[Block]:
        """The score, the ranking, and what became of objects and clusters."""

    def to_text(
        self, width: int | None = None, top: int | None = TOP, ids: int | None = IDS
    ) -> str:
        """The explanation for a terminal of this width."""
        columns = width or shutil.get_terminal_size().columns
        return blocks_to_text(self.blocks(columns, top, ids), columns)

    @abstractmethod
    def to_dict(self, top: int | None = TOP, ids: int | None = IDS) -> dict[str, Any]:
        """Everything, for programs."""

    @abstractmethod
    def records(self, top: int | None = TOP, ids: int | None = IDS) -> list[dict[str, Any]]:
        """Flat records, one or several for each entry of the ranking."""

    @abstractmethod
    def table(self, top: int | None = TOP, ids: int | None = IDS) -> CellTable:
        """The ranking as a table for eyes."""

    @abstractmethod
    def object(self, id: Any, sample: Any = None) -> Any:
        """What both sides know about one object."""

    def to_json(self, top: int | None = TOP, ids: int | None = IDS, indent: int | None = 2) -> str:
        """Everything, as JSON."""
        return markup.document(self.schema, self.to_dict(top, ids), indent)

    def to_csv(self, top: int | None = TOP, ids: int | None = IDS) -> str:
        """A line per record, full precision."""
        return markup.records_to_csv(self.records(top, ids), self.columns)

    def to_frame(
        self, library: str = "pandas", top: int | None = None, ids: int | None = None
    ) -> Any:
        """A pandas, polars or pyarrow frame of all records with all their objects; `top` and `ids`
        keep it small.
        """
        return frame_of(self.records(top, ids), library, self.columns)

    def to_markdown(self, top: int | None = TOP, ids: int | None = IDS) -> str:
        """A Markdown table."""
        return markup.to_markdown(self.table(top, ids))

    def to_latex(self, top: int | None = TOP, ids: int | None = IDS) -> str:
        """A booktabs table with the signature as a comment."""
        return markup.to_latex(self.table(top, ids), [self.score.sign()])


@dataclass(frozen=True, kw_only=True)
class Part(ABC):
    """A component or a place: objects that differ together, with what they lose."""

    kind: str
    """What is wrong with it."""
    share: float
    """What its objects lose, as a share of all that is lost."""
    objects: int

    keys: ClassVar[tuple[str, ...]]
    """The entries of the JSON output, in this order."""

    @abstractmethod
    def lines(self, ids: int | None) -> list[str]:
        """The part in words."""

    def in_table(self, ids: int | None) -> tuple[str, ...]:
        """The part in a table for eyes, behind its share and its kind."""
        return tuple(self.lines(ids))

    def to_dict(self) -> dict[str, Any]:
        """Everything, for programs."""
        told = for_programs(vars(self))
        return {key: told[key] for key in self.keys}

    def records(self) -> list[dict[str, Any]]:
        """The part in flat records."""
        return [self.to_dict()]


P = TypeVar("P", bound=Part)


class BaseExplanation(RankedResult, Generic[P]):
    """Where a guess differs from truth: parts, ranked by what they take off the best score."""

    schema = "explain/1"

    part: ClassVar[str]
    """What a part is called."""
    headings: ClassVar[tuple[str, ...]]
    """Of a table of parts, behind share and kind."""
    kinds: ClassVar[tuple[str, ...]]
    """What can be wrong with a part."""
    loss: Floats
    """What each row of the comparison loses."""

    @property
    @abstractmethod
    def kind(self) -> Ints:
        """The kind of each part, by its place among `kinds`."""

    @property
    @abstractmethod
    def weight(self) -> Ints:
        """How many objects each part has."""

    @property
    @abstractmethod
    def losses(self) -> Floats:
        """What each part loses."""

    @property
    @abstractmethod
    def differs(self) -> Bools:
        """Which parts are shown; the others are right."""

    @property
    def ranks(self) -> tuple[Floats, ...]:
        """What ranks the parts: large comes first, the first one counts most."""
        return (self.losses,)

    @cached_property
    def order(self) -> Ints:
        """The parts that are shown, from the largest loss to the smallest."""
        some = np.flatnonzero(self.differs)
        keys = [-_rounded(values[some]) for values in self.ranks]
        return some[np.lexsort((-self.weight[some], *keys[::-1]))]

    @abstractmethod
    def named_parts(self, some: Ints, ids: int | None) -> list[P]:
        """These parts, with names."""

    def top(self, n: int | None = TOP, ids: int | None = IDS) -> list[P]:
        """The parts that lose most, with names."""
        return self.named_parts(self.order[:n], ids)

    def by_kind(self, some: Ints | None = None) -> dict[str, tuple[int, int, float]]:
        """For each kind among these parts, or all: how many, their objects, what they lose."""
        some = self.order if some is None else some
        found = {}
        for i, name in enumerate(self.kinds):
            if (these := some[self.kind[some] == i]).size:
                counts = int(self.weight[these].sum()), float(self.losses[these].sum())
                found[name] = these.size, *counts
        return found

    def said_of(self, part: int) -> dict[str, Any]:
        """Facts about every part: its kind, its share of the loss, and its number of objects."""
        return {
            "kind": self.kinds[int(self.kind[part])],
            "share": float(self.losses[part]) / (self.told or 1.0),
            "objects": int(self.weight[part]),
        }

    @abstractmethod
    def same(self) -> str:
        """The text where nothing differs."""

    @abstractmethod
    def right(self) -> str:
        """How much is right; nothing where nothing is."""

    @abstractmethod
    def cluster_table(self, top: int | None = TOP, width: int = 120) -> CellTable:
        """The table of clusters that stands below the parts."""

    @abstractmethod
    def facts(self, top: int | None) -> dict[str, Any]:
        """For JSON: everything besides the parts."""

    @property
    def lost(self) -> float:
        """What is lost in all."""
        return float(self.loss.sum())

    @property
    def told(self) -> float:
        """What the parts lose; a measure may not be 1 for what agrees."""
        return float(self.losses.sum())

    @property
    def headline(self) -> str:
        """The score, and what is lost."""
        score = f"{self.measure} {digits(float(self.score))}"
        if self.score.sure:
            score = f"{self.measure} {with_interval(self.score.value, self.score.sure, '')}"
        return f"{score}." if self.measure.is_distance else f"{score} = 1 - {digits(self.lost)}."

    def blocks(self, width: int, top: int | None = TOP, ids: int | None = IDS) -> Iterator[Block]:
        """The score, the parts that lose most, what became of objects, and the clusters."""
        if not self.order.size:
            same = wrapped(f"{self.headline} {self.same()}", width)
            yield "\n".join([same, *self.columns_read(width)])
            return
        yield wrapped(f"{self.headline} Where the {digits(self.lost)} comes from:", width)
        yield self._ranking(width, top, ids)
        yield "\n".join([wrapped(s, width) for s in self.sentences()] + self.columns_read(width))
        if (below := self.cluster_table(top, width)).rows:
            yield below

    def _ranking(self, width: int, top: int | None, ids: int | None) -> Listing:
        """The parts that lose most, with what all others lose and what is right."""
        parts = self.top(top, ids)
        rows = [(percent(part.share), part.kind, part.lines(ids)) for part in parts]
        table = self.table(top, ids)
        more = []
        if (rest := self.order[len(rows) :]).size:
            more.append(rest_line(self.by_kind(rest), self.told))
        if right := self.right():
            more.append((percent(0.0), "right", [right]))
        text = "\n".join(
            hung(f"  {share:>7}  {kind:<7}  ", lines, width) for share, kind, lines in rows + more
        )
        gap = ("",) * (len(table.headings) - 3)
        below = tuple((share, kind, *gap, *lines) for share, kind, lines in more)
        return Listing(text, replace(table, rows=table.rows + below))

    def to_dict(self, top: int | None = TOP, ids: int | None = IDS) -> dict[str, Any]:
        """Everything, for programs."""
        parts = f"{self.part}s"
        return {
            "measure": str(self.measure),
            "score": self.score.to_dict(),
            **self.facts(top),
            "kinds": {
                kind: {parts: n, "objects": objects, "loss": loss}
                for kind, (n, objects, loss) in self.by_kind().items()
            },
            parts: [part.to_dict() for part in self.top(top, ids)],
            **self.origins.to_dict(),
        }

    def records(self, top: int | None = TOP, ids: int | None = IDS) -> list[dict[str, Any]]:
        """One record per place, or per truth and guess cluster of a component."""
        return [
            {self.part: number, **record}
            for number, part in enumerate(self.top(top, ids), 1)
            for record in part.records()
        ]

    def table(self, top: int | None = TOP, ids: int | None = IDS) -> CellTable:
        """The parts as a table for eyes."""
        rows = [(percent(p.share), p.kind, *p.in_table(ids)) for p in self.top(top, ids)]
        return CellTable(("share", "kind", *self.headings), tuple(rows))


def _rounded(values: Floats) -> Floats:
    """Values that differ only by rounding, made equal."""
    return np.round(values / (float(values.max(initial=0.0)) or 1.0), 12)
