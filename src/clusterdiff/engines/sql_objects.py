"""Several tables of an engine on the same objects, by semi-joins on the id and the sample."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np

from clusterdiff.clusterings import SOFT, AnyClustering
from clusterdiff.clusterings.columns import column, numbers_of
from clusterdiff.clusterings.grouping import number
from clusterdiff.contingency import Policy
from clusterdiff.engines.alignment import AlignmentPlan, Fate, plan_of
from clusterdiff.engines.label_checks import check_table, label_notes
from clusterdiff.engines.protocol import NeedsMemory, Session, Table
from clusterdiff.engines.sql import join_side, look_alike, noise_test, once
from clusterdiff.engines.sql_joins import JoinSide
from clusterdiff.errors import InputError

if TYPE_CHECKING:
    from clusterdiff.array_types import Ints
    from clusterdiff.engines.label_checks import Notes


@dataclass(frozen=True, eq=False)
class Selection:
    """Truth and its guesses as tables, each with the view of its keys and of those it drops."""

    tables: list[Table]
    """Truth first."""
    plan: AlignmentPlan
    as_text: dict[str, bool]

    @classmethod
    def of(cls, tables: Sequence[Table], policy: Policy) -> Selection:
        """Tables of one session that have been compared; `Unfit` where only memory will do."""
        sampled = {table.columns.sample is not None for table in tables}
        if len(sampled) > 1 or any(table.columns.id is None for table in tables):
            raise NeedsMemory("ids or samples that not all sides have")
        keys = ["id", "sample"] if sampled == {True} else ["id"]
        families = {key: {table.families[key] for table in tables} for key in keys}
        if any(len(some) > 1 and some != {"integers", "text"} for some in families.values()):
            raise NeedsMemory("ids or samples of several types")
        return cls(
            list(tables), plan_of(policy), {key: len(some) > 1 for key, some in families.items()}
        )

    @property
    def session(self) -> Session:
        """Where the tables are."""
        return self.tables[0].session

    @cached_property
    def has(self) -> list[str]:
        """For each side the keys of its objects."""
        return [self.session.view(f"SELECT {self.keys_of(t)} FROM {t.view}") for t in self.tables]

    @cached_property
    def noise(self) -> list[str]:
        """For each side the keys of objects that are left out because it calls them noise."""
        made = []
        for table in self.tables:
            test = "FALSE"
            if self.plan.noise is Fate.DROPPED and table.says not in SOFT:
                label = f"({table.value('cluster')})"
                test = noise_test(JoinSide("", table, table.view, 0), label, self.plan.policy)
            query = f"SELECT {self.keys_of(table)} FROM {table.view} WHERE {test}"
            made.append(self.session.keep(query, "looking for noise"))
        return made

    @cached_property
    def kept(self) -> str:
        """The keys of the objects that all are judged on."""
        first, *rest = (f"SELECT {self._names} FROM {view}" for view in self.has)
        every = " UNION ".join([first, *rest])
        tests = [f"NOT {self._in(noise)}" for noise in self.noise]
        if not self.plan.one_sided:
            every = f"SELECT DISTINCT {self._names} FROM {self.has[0]}"
            tests += [self._in(view) for view in self.has[1:]]
        return self.session.keep(
            f"SELECT {self._names} FROM ({every}) x WHERE {' AND '.join(tests)}",
            "finding the objects that all are judged on",
        )

    @cached_property
    def empty(self) -> tuple[str, ...]:
        """The samples of which nothing is kept."""
        if "sample" not in self.as_text:
            return ()
        every = " UNION ".join(f"SELECT sample FROM {view}" for view in self.has)
        some = f"SELECT 1 FROM {self.kept} k WHERE k.sample = x.sample"
        query = f"SELECT sample FROM ({every}) x WHERE NOT EXISTS ({some})"
        return tuple(sorted(map(str, self.session.fetch(query).column("sample").to_pylist())))

    def any(self) -> bool:
        """Whether anything is kept."""
        return bool(self.session.count(f"{self.kept}"))

    def restricted(self, load: Callable[[int], AnyClustering]) -> list[Table]:
        """The tables with the objects that are kept; `load` reads one of them into memory."""
        return [
            replace(table, view=self._restricted(table), load=partial(load, i))
            for i, table in enumerate(self.tables)
        ]

    def _restricted(self, table: Table) -> str:
        same = [f"k.{key} = {self._key(table, key, 'y.')}" for key in self.as_text]
        there = f"SELECT 1 FROM {self.kept} k WHERE {' AND '.join(same)}"
        return self.session.keep(
            f"SELECT y.* FROM {table.view} y WHERE EXISTS ({there})",
            f"taking the objects of {table.shown} that all are judged on",
        )

    def beyond(self, guess: int) -> dict[str, int]:
        """How many objects neither truth nor a guess has and another one does, by sample."""
        if self.plan.lacked is not Fate.ALONE:
            return {}
        sample = "x.sample" if "sample" in self.as_text else "''"
        alone = f"NOT {self._in(self.has[0])} AND NOT {self._in(self.has[guess])}"
        found = self.session.fetch(
            f"SELECT {sample} AS s, count(*) AS n FROM {self.kept} x WHERE {alone} GROUP BY 1"
        ).to_pylist()
        return {str(row["s"]): row["n"] for row in found}

    def lost(self, guess: int, unless: int | None = None) -> int:
        """How many objects in clusters of truth are left out because of a guess; of those only that
        are not because of another one, if one is named.
        """
        tests = [self._leaves_out(guess)]
        tests += [] if unless is None else [f"NOT {self._leaves_out(unless)}"]
        return self._counted(tests)

    def asked(self) -> int:
        """How many objects truth has in clusters."""
        return self._counted([])

    def _counted(self, tests: list[str]) -> int:
        """How many objects in clusters of truth pass these tests."""
        every = f"SELECT DISTINCT {self._names} FROM {self.has[0]}"
        where = " AND ".join([f"NOT {self._in(self.noise[0])}", *tests])
        return self.session.count(f"({every}) x WHERE {where}")

    def _leaves_out(self, guess: int) -> str:
        """Whether an object is left out because a guess lacks it, or calls it noise."""
        left_out = self.plan.lacked is Fate.DROPPED
        lacks = f" OR NOT {self._in(self.has[guess])}" if left_out else ""
        return f"({self._in(self.noise[guess])}{lacks})"

    @property
    def _names(self) -> str:
        return ", ".join(self.as_text)

    def _in(self, view: str) -> str:
        """Whether the object x is in a view of keys."""
        same = " AND ".join(f"o.{key} = x.{key}" for key in self.as_text)
        return f"EXISTS (SELECT 1 FROM {view} o WHERE {same})"

    def keys_of(self, table: Table) -> str:
        """What identifies the objects of a table, as it is compared."""
        return ", ".join(f"{self._key(table, key)} AS {key}" for key in self.as_text)

    def _key(self, table: Table, key: str, of: str = "") -> str:
        """A key of a table as it is compared."""
        return f"CAST({of}{key} AS STRING)" if self.as_text[key] else f"{of}{key}"


# What a table says of some objects, and how large their clusters are in the whole table; or which
# of its rows were drawn. All else stays in the engine.


def touched_rows(guess: Table, sample: Table, policy: Policy) -> tuple[Any, dict[Any, int], Notes]:
    """The id, cluster and size of the cluster of each object that a sample has, as an Arrow table,
    how many objects the guess has of each source, without noise that is dropped, and notes on its
    labels. Where the guess knows sources, rows have the source, and the size within that.
    """
    guess.check_nested()
    as_text = {"id": look_alike(sample, guess, "id"), "sample": False}
    session = guess.session
    with session.scratch():
        ids = join_side("truth", sample, as_text)
        whole = _whole(guess, as_text, None in policy.noise_labels)
        notes = check_table(whole, policy)
        dropped = plan_of(policy, "partition").noise is Fate.DROPPED
        noise = noise_test(whole, "cluster", policy) if dropped else "FALSE"
        by = ["cluster", "source"] if whole.sourced else ["cluster"]
        if whole.sourced and session.count(f"{whole.view} WHERE source IS NULL"):
            raise NeedsMemory("objects without a source")
        own = "source" if whole.sourced else "''"
        objects = session.fetch(
            f"SELECT {own} AS source, count(*) AS n FROM {whole.view} WHERE NOT {noise} GROUP BY 1"
        )
        near = session.keep(
            f"SELECT id, {', '.join(by)} FROM {whole.view} WHERE id IN (SELECT id FROM {ids.view})",
            "finding the objects of the sample",
        )
        columns, joins = [f"n.{name} AS {name}" for name in ("id", *by)], ""
        for size, keys in (("size", by[:1]), ("own", by))[: len(by)]:
            sizes = session.lookup(
                f"SELECT {', '.join(keys)}, count(*) AS size FROM {whole.view} WHERE cluster IN "
                f"(SELECT cluster FROM {near} WHERE cluster IS NOT NULL) GROUP BY "
                + ", ".join(keys),
                "measuring the clusters that the sample touches",
            )
            same = " AND ".join(f"{size}.{key} = n.{key}" for key in keys)
            joins += f" LEFT JOIN {sizes} {size} ON {same}"
            columns.append(f"coalesce({size}.size, 1) AS {size}")
        found = session.fetch(f"SELECT {', '.join(columns)} FROM {near} n{joins}")
    session.check()
    every = zip(*(objects.column(name).to_pylist() for name in ("source", "n")), strict=True)
    return found, dict(every), notes


def rows_in_order(table: Table, places: list[int], most: int, nulls: bool) -> Any:
    """The rows at these places in the order of their ids as text, and for each the first so many of
    its cluster in the same order: id, cluster, place, size as an Arrow table.
    """
    table.check_nested()
    session = table.session
    listed = ", ".join(map(str, places))
    with session.scratch():
        whole = _whole(table, {"id": False, "sample": False}, nulls)
        ordered = session.keep(
            "SELECT id, cluster, row_number() OVER (ORDER BY CAST(id AS STRING)) - 1 AS place "
            f"FROM {whole.view}",
            "ordering the records",
        )
        drawn = session.keep(
            f"SELECT id, cluster, place FROM {ordered} WHERE place IN ({listed})",
            "finding the records that were drawn",
        )
        found = session.fetch(
            "SELECT id, cluster, place, size FROM ("
            "SELECT id, cluster, place, count(*) OVER (PARTITION BY cluster) AS size, "
            "row_number() OVER (PARTITION BY cluster ORDER BY place) AS rank "
            f"FROM {ordered} WHERE cluster IN (SELECT cluster FROM {drawn})) x "
            f"WHERE rank <= {most} OR place IN ({listed}) "
            f"UNION ALL SELECT id, cluster, place, 1 AS size FROM {drawn} WHERE cluster IS NULL",
            "fetching their clusters",
        )
    session.check()
    return found


def rows_of_table(table: Table, nulls: bool) -> tuple[int, tuple[str, ...]]:
    """How many objects a table has, and notes on its labels."""
    with table.session.scratch():
        whole = _whole(table, {"id": False, "sample": False}, nulls)
        return whole.rows, label_notes(whole)


def clusters_of_ids(table: Table, ids: Sequence[Any]) -> dict[str, Any]:
    """The cluster of each object of these ids that a table has, by the id as text."""
    import pyarrow as pa

    session = table.session
    with session.scratch():
        wanted = session.uploaded_rows(pa.table({"k": pa.array(list(map(str, ids)), pa.string())}))
        found = session.fetch(
            f"SELECT CAST(id AS STRING) AS k, cluster FROM {table.view} "
            f"WHERE CAST(id AS STRING) IN (SELECT k FROM {wanted})",
            "looking up clusters",
        )
    return dict(zip(*(found.column(name).to_pylist() for name in ("k", "cluster")), strict=True))


def _whole(table: Table, as_text: dict[str, bool], nulls: bool) -> JoinSide:
    """The whole table with each object once."""
    if table.columns.id is None or table.says != "partition":
        raise NeedsMemory("objects without ids")
    side = once(join_side("guess", table, as_text))
    if not nulls:
        without = f"{side.view} WHERE cluster IS NULL"
        if count := table.session.count(without):
            shown = side.ids(f"SELECT id FROM {without}")
            raise InputError.from_nulls("guess", count, side.rows, shown)
    return side


# Truth and several guesses counted together in the engine: only the cells in conflict leave it.


def joint_cells(tables: Sequence[Table], policy: Policy) -> tuple[list[Ints], Ints, Ints]:
    """How many objects are in the same clusters of all tables, truth first: the clusters of each
    side, the objects, and how often such a cell occurs. Clusters that all sides have alike are
    counted by size.
    """
    plan = plan_of(policy)
    if plan.one_sided or plan.labels:
        raise NeedsMemory("objects on one side only, or noise")
    if any(table.says != "partition" for table in tables):
        raise NeedsMemory("clusterings that are no partitions")
    keys = Selection.of(tables, policy)
    if "sample" in keys.as_text:
        raise NeedsMemory("samples")
    session = keys.session
    views = [
        session.view(f"SELECT {keys.keys_of(t)}, {t.value('cluster')} AS c{i} FROM {t.view}")
        for i, t in enumerate(tables)
    ]
    labels = [f"c{i}" for i in range(len(tables))]
    of_sides = ", ".join(f"t{i}.{label}" for i, label in enumerate(labels))
    joins = " ".join(f"JOIN {view} t{i} ON t{i}.id = t0.id" for i, view in enumerate(views) if i)
    cells = session.keep(
        f"SELECT {of_sides}, count(*) AS n FROM {views[0]} t0 {joins} GROUP BY {of_sides}",
        "counting the clusters of all guesses together",
    )
    several = [
        session.lookup(
            f"SELECT {c} FROM {cells} GROUP BY {c} HAVING count(*) > 1", "finding cut clusters"
        )
        for c in labels
    ]
    cut = " OR ".join(
        f"k.{c} IN (SELECT {c} FROM {found})" for c, found in zip(labels, several, strict=True)
    )
    agree = session.fetch(
        f"SELECT n, count(*) AS times FROM {cells} k WHERE NOT ({cut}) GROUP BY n",
        "counting the clusters that agree",
    )
    rest = session.fetch(
        f"SELECT {', '.join(labels)}, n FROM {cells} k WHERE {cut}", "fetching cells in conflict"
    )
    session.free(cells, *several)
    own = np.arange(agree.num_rows)
    clusters = [
        np.concatenate([own, own.size + number(column(rest.column(c)).keys)[0]]) for c in labels
    ]
    objects = np.concatenate([_ints(agree, "n"), _ints(rest, "n")])
    times = np.concatenate([_ints(agree, "times"), np.ones(rest.num_rows, np.int64)])
    return clusters, objects, times


def _ints(table: object, name: str) -> Ints:
    return np.asarray(numbers_of(table.column(name)), np.int64)  # type: ignore[attr-defined]
