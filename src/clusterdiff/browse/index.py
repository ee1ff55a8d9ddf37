"""An index of all parts of an explanation, asked by the browser: one database, made at the start.

Parts are numbered by their place in the ranking, from 1 on. All that a page shows comes from here,
so that neither the explanation nor its engine is asked while somebody reviews.
"""

from __future__ import annotations

import json
import threading
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from clusterdiff.cleanup import temporary_folder
from clusterdiff.clusterings.columns import is_whole
from clusterdiff.engines.named import MemoryNamedComparison
from clusterdiff.errors import ClusterdiffError
from clusterdiff.explain.links import links_of, members
from clusterdiff.explain.partition import FATES, Cluster, Component, Explanation
from clusterdiff.explain.ranking import Said, name_of
from clusterdiff.explain.slices import Slices, members_of
from clusterdiff.explain.soft import says
from clusterdiff.io.records import missing, shown_value
from clusterdiff.progress import progress
from clusterdiff.statistics.confidence import Confidence

if TYPE_CHECKING:
    import duckdb

    from clusterdiff.array_types import Ints
    from clusterdiff.engines.named import Catalogue
    from clusterdiff.explain.links import Told
    from clusterdiff.explain.ranking import BaseExplanation

PAGE = 50
"""Parts on a page of the queue."""
RECORDS = 500
"""Records of a part that are shown."""
AT_ONCE = 500_000
"""Objects whose records are looked up together."""
MANY = 1_000_000
"""Objects of a comparison from which on slices are not looked for."""
SLICES = 20
"""Slices that the queue can be filtered by."""
KEPT = 16
"""Queues that are kept, so that turning a page is quick."""
LINKS = 10
"""Wrong links of a cluster of the run that are looked up."""
LOOKED_UP = 5_000
"""Records of a part whose pairs are looked up."""
NAMED = 3
"""Clusters that the title of a part names."""
ORDERS = {
    "loss": ("largest loss", "rank"),
    "large": ("most records", "objects DESC, rank"),
    "small": ("fewest records", "objects, rank"),
}


class Filter(NamedTuple):
    """What the queue is to show; nothing of it is SQL."""

    kind: str = ""
    least: int = 1
    """Records of a part, at least."""
    name: str = ""
    """A cluster or an id, as a whole."""
    text: str = ""
    """Text in any id, cluster or attribute."""
    slice: int = -1
    order: str = "loss"
    undecided: bool = False

    def conditions(self) -> tuple[str, list[Any]]:
        """As SQL with marks, and the values for these."""
        found: list[tuple[str, list[Any]]] = []
        if self.kind:
            found.append(("kind = ?", [self.kind]))
        if self.least > 1:
            found.append(("objects >= ?", [self.least]))
        if self.name:
            within = "SELECT rank FROM records WHERE id = ? OR truth = ? OR guess = ?"
            found.append((f"rank IN ({within})", [self.name] * 3))
        if self.text:
            found.append(("contains(words, ?)", [self.text.lower()]))
        if self.slice >= 0:
            found.append(("rank IN (SELECT rank FROM slices WHERE slice = ?)", [self.slice]))
        where = " AND ".join(condition for condition, _ in found) or "TRUE"
        return where, [value for _, values in found for value in values]


@dataclass(frozen=True)
class Listed:
    """A part in the queue."""

    rank: int
    kind: str
    share: float
    objects: int
    title: str
    key: str


@dataclass(frozen=True)
class Record:
    """An object of a part, with what else is known of it."""

    place: int
    id: Any
    truth: int
    """The number of its truth cluster, or -1."""
    guess: int
    truth_name: str | None
    """What truth says of it, as text."""
    guess_name: str | None
    values: tuple[str | None, ...]


@dataclass(frozen=True)
class Edge:
    """The objects that a truth cluster and a guess cluster share."""

    truth: int
    guess: int
    truth_name: Any
    guess_name: Any
    truth_size: int
    guess_size: int
    objects: int
    fate: str


class Index:
    """The parts of an explanation in a database."""

    def __init__(self, told: BaseExplanation[Any], connection: duckdb.DuckDBPyConnection) -> None:
        self._connection = connection
        self._lock = threading.Lock()
        self._queues: OrderedDict[Filter, Ints] = OrderedDict()
        self.decidable = isinstance(told, Explanation)
        """Whether records can be moved between clusters: in partitions."""
        self.headline = told.headline
        self.sentences = told.sentences()
        self.kinds = [name for name in told.kinds if name in told.by_kind()]
        self.sampled = isinstance(told, Explanation) and told.named.sampled
        self.columns = () if told.attributes is None else told.attributes.columns
        self.parts = int(told.order.size)
        self.shares = np.zeros(self.parts + 1)
        self.shares[1:] = told.losses[told.order] / (told.lost_by_parts or 1.0)
        self.slices: list[str] = []
        self._pairs, self._looking = told.pairs, threading.Lock()
        self._links: dict[int, list[Told]] = {}
        digest = told.score.meet.digest
        self.digest = digest.removeprefix("shapes-")[:16]
        self.fingerprint = ""
        """Of all records in conflict and their clusters by name."""

    @classmethod
    @contextmanager
    def opened(cls, told: BaseExplanation[Any], engine: Any = None) -> Iterator[Index]:
        """An index of all parts that are asked for, in a folder that goes at the end."""
        import duckdb

        from clusterdiff.engines.duckdb import DuckDB

        limits = engine if isinstance(engine, DuckDB) else DuckDB()
        config: dict[str, Any] = {"preserve_insertion_order": True}
        if limits.memory is not None:
            config["memory_limit"] = str(limits.memory)
        if limits.threads is not None:
            config["threads"] = limits.threads
        with temporary_folder(limits.temp) as folder:
            config["temp_directory"] = str(folder)
            with duckdb.connect(":memory:", config=config) as connection:
                made = cls(told, connection)
                made._build(told)
                yield made

    # Making it.

    def _build(self, told: BaseExplanation[Any]) -> None:
        self._run(
            "CREATE TABLE records (rank INTEGER, place INTEGER, id VARCHAR, is_number BOOLEAN, "
            "sample VARCHAR, t INTEGER, g INTEGER, truth VARCHAR, guess VARCHAR"
            f"{''.join(f', a{i} VARCHAR' for i in range(len(self.columns)))})"
        )
        self._run(
            "CREATE TABLE edges (rank INTEGER, place INTEGER, t INTEGER, g INTEGER, "
            "truth VARCHAR, guess VARCHAR, truth_size INTEGER, guess_size INTEGER, "
            "objects INTEGER, fate VARCHAR, truth_name VARCHAR, guess_name VARCHAR)"
        )
        self._run("CREATE TABLE said (rank INTEGER, title VARCHAR, sample VARCHAR)")
        if isinstance(told, Explanation):
            self._add_components(told)
        else:
            self._add_places(told)
        self._finish(told)
        if isinstance(told, Explanation):
            self._add_slices(told)

    def _add_components(self, told: Explanation) -> None:
        """The components of partitions, in columns."""
        if not self.parts:
            return
        named, m = told.named, told.named.meet
        rows = told.rows_of(told.order)
        rank = self._ranks_of(told, rows)
        in_order = np.argsort(rank, kind="stable")
        rows, rank = rows[in_order], rank[in_order]
        members = named.members(rows)
        at = rows + named.agreeing
        fates = told._fates(rows)
        edges: dict[str, Any] = {
            "rank": rank, "place": np.arange(rows.size), "t": m.truth[at], "g": m.guess[at],
            "truth": _texts(members.truth), "guess": _texts(members.guess),
            "truth_size": m.truth_size[at], "guess_size": m.guess_size[at], "objects": m.both[at],
            "fate": np.array(FATES, object)[fates],
            "truth_name": _jsons(members.truth), "guess_name": _jsons(members.guess),
        }  # fmt: skip
        self._insert("edges", edges)
        counts = np.bincount(members.place, minlength=rows.size)
        starts = np.concatenate([[0], np.cumsum(counts)])
        within = np.arange(members.place.size) - starts[
            np.searchsorted(rank, rank[members.place], side="left")
        ]  # fmt: skip
        many = len(members.ids)
        with progress("indexing records", many) as done:
            for begin in range(0, many, AT_ONCE):
                some = slice(begin, begin + AT_ONCE)
                place = members.place[some]
                ids = members.ids[some]
                samples = None if members.samples is None else members.samples[some]
                self._insert(
                    "records",
                    {
                        "rank": rank[place], "place": within[some], "id": _texts(ids),
                        "is_number": np.array([not isinstance(id, str) for id in ids], np.bool_),
                        "sample": [None] * len(ids) if samples is None else _texts(samples),
                        "t": m.truth[at[place]], "g": m.guess[at[place]],
                        "truth": [edges["truth"][i] for i in place.tolist()],
                        "guess": [edges["guess"][i] for i in place.tolist()],
                    } | self._attributes(told, ids, samples),
                )  # fmt: skip
                done(len(ids))

    def _add_places(self, told: BaseExplanation[Any]) -> None:
        """The places of covers and of uncertain clusterings, one by one."""
        with progress("indexing records", self.parts) as done:
            for begin in range(0, self.parts, 1_000):
                some = told.order[begin : begin + 1_000]
                parts: list[Any] = told.named_parts(some, None)
                ranks = np.arange(begin + 1, begin + 1 + some.size)
                self._insert(
                    "said",
                    {"rank": ranks, "title": [_said_of(part) for part in parts],
                     "sample": [None] * some.size},
                )  # fmt: skip
                ids = [id for part in parts for id in part.ids]
                many = [len(part.ids) for part in parts]
                sides = {
                    side: _repeated([_sets(getattr(part, side)) for part in parts], many)
                    for side in ("truth", "guess")
                }
                place = np.concatenate([np.arange(n) for n in many])
                self._insert(
                    "records",
                    {
                        "rank": np.repeat(ranks, many), "place": place, "id": _texts(ids),
                        "is_number": np.array([not isinstance(id, str) for id in ids], np.bool_),
                        "sample": [None] * len(ids), "t": np.zeros(len(ids), np.int64),
                        "g": np.zeros(len(ids), np.int64), **sides,
                    } | self._attributes(told, ids, None),
                )  # fmt: skip
                done(some.size)

    def _attributes(
        self, told: BaseExplanation[Any], ids: list[Any], samples: list[Any] | None
    ) -> dict[str, list[str | None]]:
        """What else is known of some objects, as it is shown."""
        if told.attributes is None:
            return {}
        columns: Sequence[Sequence[Any]] = list(
            zip(*told.attributes.of(ids, samples), strict=True)
        ) or [()] * len(self.columns)
        return {f"a{i}": _shown(values) for i, values in enumerate(columns)}

    def _finish(self, told: BaseExplanation[Any]) -> None:
        """The table of parts, with what they are found by."""
        order = told.order
        self._insert_new(
            "base",
            {
                "rank": np.arange(1, self.parts + 1),
                "kind": np.array(told.kinds, object)[told.kind[order]],
                "share": self.shares[1:],
                "objects": told.weight[order],
            },
        )
        words = ", ".join(
            ["id", "sample", "truth", "guess", *(f"a{i}" for i in range(len(self.columns)))]
        )

        def largest(side: str) -> str:
            """The largest clusters of a side of each part, and how many there are."""
            return (
                f"SELECT rank, count(*) AS many, list(name ORDER BY size DESC, first)[:{NAMED}] AS "
                f"names FROM (SELECT rank, {side[0]} AS c, any_value({side}_name) AS name, "
                f"any_value({side}_size) AS size, min(place) AS first FROM edges "
                f"WHERE {side[0]} >= 0 GROUP BY ALL) x GROUP BY rank"
            )

        self._run(
            "CREATE TABLE parts AS SELECT b.*, s.title, k.key, k.many, k.sample, k.words, "
            "coalesce(t.many, 0) AS truths, t.names AS truth_names, "
            "coalesce(g.many, 0) AS guesses, g.names AS guess_names FROM base b "
            "JOIN (SELECT rank, count(*) AS many, any_value(sample) AS sample, "
            f"{_key('sample', 'id')} AS key, "
            f"lower(string_agg(concat_ws(chr(10), {words}), chr(10))) AS words "
            "FROM records GROUP BY rank) k USING (rank) "
            f"LEFT JOIN ({largest('truth')}) t USING (rank) "
            f"LEFT JOIN ({largest('guess')}) g USING (rank) LEFT JOIN said s USING (rank) "
            "ORDER BY rank"
        )
        names = [f"coalesce({name}, '')" for name in ("sample", "id", "truth", "guess")]
        ((found,),) = self._rows(f"SELECT {_key(*names)} FROM records")
        self.fingerprint = f"{found or 0:016x}"
        keys = self._cursor().execute("SELECT key FROM parts ORDER BY rank").fetchnumpy()["key"]
        self.keys = [f"{key:016x}" for key in keys.tolist()]
        self.rank_of = {key: rank for rank, key in enumerate(self.keys, 1)}

    def _add_slices(self, told: Explanation) -> None:
        """The parts with objects of the slices that stand out."""
        named = told.named
        self._run("CREATE TABLE slices (slice INTEGER, rank INTEGER)")
        if (
            told.attributes is None
            or not isinstance(named, MemoryNamedComparison)
            or not 0 < named.meet.objects <= MANY
        ):
            return
        confidence = Confidence.of(0.95)
        assert confidence is not None
        try:
            found = Slices.of(told, confidence).standing_out()[:SLICES]
        except ClusterdiffError:  # nothing to slice by
            return
        rows = told.rows_of(told.order)
        objects, start = named.grouped(rows)
        rank = np.zeros(named.objects.in_truth.size, np.int64)
        rank[objects] = np.repeat(self._ranks_of(told, rows), np.diff(start))
        for one, items in members_of(told, found):
            ranks = np.unique(rank[items])
            ranks = ranks[ranks > 0]
            place = np.full(ranks.size, len(self.slices))
            self._insert("slices", {"slice": place, "rank": ranks})
            self.slices.append(one.title)

    def _ranks_of(self, told: Explanation, rows: Ints) -> Ints:
        """The rank of the component of each of these rows."""
        rank = np.zeros(told.weight.size, np.int64)
        rank[told.order] = np.arange(1, self.parts + 1)
        return rank[told.of_row[rows]]

    # Asking it.

    def queue(self, asked: Filter) -> Ints:
        """The parts that fit, decided or not, in the order that is asked for."""
        key = asked._replace(undecided=False)
        with self._lock:
            if (known := self._queues.get(key)) is not None:
                self._queues.move_to_end(key)
                return known
        where, values = key.conditions()
        order = ORDERS[key.order][1]
        found = self._cursor().execute(
            f"SELECT rank FROM parts WHERE {where} ORDER BY {order}", values
        )
        ranks = np.asarray(found.fetchnumpy()["rank"], np.int64)
        with self._lock:
            self._queues[key] = ranks
            while len(self._queues) > KEPT:
                self._queues.popitem(last=False)
        return ranks

    def listed(self, ranks: Sequence[int]) -> list[Listed]:
        """These parts as the queue lists them, in this order."""
        if not ranks:
            return []
        marks = ", ".join("?" * len(ranks))
        rows = self._rows(
            "SELECT rank, kind, share, objects, title, truths, truth_names, guesses, guess_names, "
            f"sample FROM parts WHERE rank IN ({marks})",
            list(ranks),
        )
        found = {row[0]: self._listed(*row) for row in rows}
        return [found[rank] for rank in ranks]

    def _listed(
        self, rank: int, kind: str, share: float, objects: int, title: str | None, truths: int,
        truth_names: list[str] | None, guesses: int, guess_names: list[str] | None,
        sample: str | None,
    ) -> Listed:  # fmt: skip
        if title is None:
            sides = [
                [Cluster(json.loads(name), 0) for name in names or ()]
                for names in (truth_names, guess_names)
            ]
            title = Component(
                kind=kind, share=share, objects=objects, loss=0.0, missing=0, extra=0,
                truth_clusters=truths, guess_clusters=guesses, parts=0, truth=sides[0],
                guess=sides[1], cells=[], sample=sample,
            ).title  # fmt: skip
        return Listed(rank, kind, share, objects, title, self.keys[rank - 1])

    def records(self, rank: int, most: int | None = RECORDS) -> list[Record]:
        """The objects of a part, up to so many."""
        columns = "".join(f", a{i}" for i in range(len(self.columns)))
        limit = "" if most is None else f" LIMIT {most:d}"
        rows = self._rows(
            f"SELECT place, id, is_number, t, g, truth, guess{columns} FROM records "
            f"WHERE rank = ? ORDER BY place{limit}",
            [rank],
        )
        return [
            Record(place, _id(id, is_number), t, g, truth, guess, tuple(values))
            for place, id, is_number, t, g, truth, guess, *values in rows
        ]

    def edges(self, rank: int, most: int | None = None) -> list[Edge]:
        """What the clusters of a part share, the largest first."""
        limit = "" if most is None else f" LIMIT {most:d}"
        rows = self._rows(
            "SELECT t, g, truth_name, guess_name, truth_size, guess_size, objects, fate FROM edges "
            f"WHERE rank = ? ORDER BY objects DESC, t, g{limit}",
            [rank],
        )
        return [
            Edge(t, g, json.loads(truth), json.loads(guess), *rest)
            for t, g, truth, guess, *rest in rows
        ]

    def links(self, rank: int) -> list[Told]:
        """The scored pairs that merged the clusters of a part, or would have joined them. Those of
        the parts that come next are looked up too: it takes one look at all pairs.
        """
        if self._pairs is None:
            return []
        with self._looking:
            if rank not in self._links:
                some = range(rank, min(rank + PAGE, self.parts + 1))
                found = links_of(self._pairs, [self._catalogue(one) for one in some], LINKS)
                self._links = {
                    one: own.told(self._pairs) for one, own in zip(some, found, strict=True)
                }
            return self._links[rank]

    def _catalogue(self, rank: int) -> Catalogue:
        """The objects of a part with their clusters."""
        some = self.records(rank, LOOKED_UP)
        sides = (
            [(one.truth, one.truth_name) if one.truth >= 0 else None for one in some],
            [(one.guess, one.guess_name) if one.guess >= 0 else None for one in some],
        )
        found = members([one.id for one in some], *sides)
        truth, guess = (
            [name for _, name in side] for side in (found.truth_names, found.guess_names)
        )
        return found._replace(truth_names=truth, guess_names=guess)

    def place(self, rank: int) -> tuple[str | None, int]:
        """The sample that a part lies in, and how many records it has."""
        (found,) = self._rows("SELECT sample, many FROM parts WHERE rank = ?", [rank])
        return found[0], found[1]

    # The database.

    def _cursor(self) -> duckdb.DuckDBPyConnection:
        """A connection of its own for each question: they come from several threads."""
        return self._connection.cursor()

    def _rows(self, query: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        return self._cursor().execute(query, list(values)).fetchall()

    def _run(self, statement: str) -> None:
        self._connection.execute(statement)

    def _insert(self, table: str, columns: dict[str, Any]) -> None:
        self._with(columns, f"INSERT INTO {table} BY NAME SELECT * FROM given")

    def _insert_new(self, table: str, columns: dict[str, Any]) -> None:
        self._with(columns, f"CREATE TABLE {table} AS SELECT * FROM given")

    def _with(self, columns: dict[str, Any], statement: str) -> None:
        import pyarrow as pa

        given = pa.table({name: pa.array(values) for name, values in columns.items()})
        self._connection.register("given", given)
        self._connection.execute(statement)
        self._connection.unregister("given")


def _id(text: str, is_number: bool) -> Any:
    """An id as it was, where JSON can have it: a whole number or a text."""
    return int(text) if is_number and is_whole(text) else text


def _key(*names: str) -> str:
    """SQL for a number that some rows have in any order, and hardly any others."""
    every = f"bit_xor(md5_number(concat_ws(chr(31), {', '.join(names)})))"
    return f"CAST({every} >> 64 AS UBIGINT)"  # Python takes numbers of 128 bits very slowly


def _texts(values: Sequence[Any]) -> list[str | None]:
    """Names as text, whole, by which they are found."""
    return [v if v is None or isinstance(v, str) else str(v) for v in values]


def _jsons(values: Sequence[Any]) -> list[str]:
    """Names as JSON, which keeps numbers apart from text."""
    encode = json.JSONEncoder(ensure_ascii=False, default=str).encode
    return [encode(value) for value in values]


def _shown(values: Sequence[Any]) -> list[str | None]:
    """Attributes as they are shown; most values of a column are there many times."""
    known: dict[Any, str | None] = {}
    made = []
    for value in values:
        try:
            key = type(value), value
            text = known[key]
        except KeyError:
            text = known[key] = None if missing(value) else shown_value(value)
        except TypeError:  # a list, which has no hash
            text = shown_value(value)
        made.append(text)
    return made


def _repeated(values: Sequence[str], many: Sequence[int]) -> list[str]:
    return [value for value, n in zip(values, many, strict=True) for _ in range(n)]


def _sets(said: Sequence[Any]) -> str:
    """The clusters that a side names for an object, or the masses that it gives to sets of them."""
    if any(isinstance(one, Said) for one in said):
        return says(said, None)
    return ", ".join("a cluster of its own" if one is None else name_of(one) for one in said)


def _said_of(part: Any) -> str:
    """A place in one line."""
    return "; ".join(part.lines(NAMED))
