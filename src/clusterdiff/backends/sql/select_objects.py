"""Several tables of an engine on the same objects, by semi-joins on the id and the sample."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial

from clusterdiff.backends.alignment import AlignmentPlan, Fate, plan_of
from clusterdiff.backends.sql.align import noise_test
from clusterdiff.backends.sql.join import JoinSide
from clusterdiff.backends.sql.session import Session
from clusterdiff.backends.table import NeedsMemory, Table
from clusterdiff.clusterings import SOFT, AnyClustering
from clusterdiff.meet import Policy


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
        return bool(self.session.row(f"SELECT count(*) AS n FROM {self.kept}")["n"])

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
        found: int = self.session.row(f"SELECT count(*) AS n FROM ({every}) x WHERE {where}")["n"]
        return found

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
