"""Truth and several guesses counted together in the engine: only the cells in conflict leave it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from clusterdiff.backends.alignment import plan_of
from clusterdiff.backends.sql.select_objects import Selection
from clusterdiff.backends.table import NeedsMemory
from clusterdiff.clusterings.encode.column import column
from clusterdiff.clusterings.encode.group import number

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clusterdiff.array_types import Ints
    from clusterdiff.backends.table import Table
    from clusterdiff.meet import Policy


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
    return np.asarray(table.column(name).to_numpy(), np.int64)  # type: ignore[attr-defined]
