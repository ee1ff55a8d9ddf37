"""What a table says of some objects, and how large their clusters are in the whole table; or which
of its rows were drawn. All else stays in the engine.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from clusterdiff.backends.alignment import Fate, plan_of
from clusterdiff.backends.label_checks import check_table, label_notes
from clusterdiff.backends.sql.align import noise_test
from clusterdiff.backends.sql.contingency import join_side, look_alike
from clusterdiff.backends.sql.validate import once
from clusterdiff.backends.table import NeedsMemory
from clusterdiff.errors import InputError

if TYPE_CHECKING:
    from clusterdiff.backends.label_checks import Notes
    from clusterdiff.backends.sql.join import JoinSide
    from clusterdiff.backends.table import Table
    from clusterdiff.meet import Policy


def touched_rows(guess: Table, sample: Table, policy: Policy) -> tuple[Any, int, Notes]:
    """The id, cluster and size of the cluster of each object that a sample has, as an Arrow table,
    how many objects the guess has, without noise that is dropped, and notes on its labels.
    """
    guess.refuse_nested()
    as_text = {"id": look_alike(sample, guess, "id"), "sample": False}
    session = guess.session
    with session.scratch():
        ids = join_side("truth", sample, as_text)
        whole = _whole(guess, as_text, None in policy.noise_labels)
        notes = check_table(whole, policy)
        dropped = plan_of(policy, "partition").noise is Fate.DROPPED
        noise = noise_test(whole, "cluster", policy) if dropped else "FALSE"
        out = session.row(f"SELECT count(*) AS n FROM {whole.view} WHERE {noise}")["n"]
        near = session.keep(
            f"SELECT id, cluster FROM {whole.view} WHERE id IN (SELECT id FROM {ids.view})",
            "finding the objects of the sample",
        )
        sizes = session.lookup(
            f"SELECT cluster, count(*) AS size FROM {whole.view} WHERE cluster IN "
            f"(SELECT cluster FROM {near} WHERE cluster IS NOT NULL) GROUP BY cluster",
            "measuring the clusters that the sample touches",
        )
        found = session.fetch(
            "SELECT n.id AS id, n.cluster AS cluster, coalesce(s.size, 1) AS size "
            f"FROM {near} n LEFT JOIN {sizes} s ON s.cluster = n.cluster"
        )
    session.check()
    return found, whole.rows - out, notes


def rows_in_order(table: Table, places: list[int], most: int, nulls: bool) -> Any:
    """The rows at these places in the order of their ids as text, and for each the first so many of
    its cluster in the same order: id, cluster, place, size as an Arrow table.
    """
    table.refuse_nested()
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


def _whole(table: Table, as_text: dict[str, bool], nulls: bool) -> JoinSide:
    """The whole table with each object once."""
    if table.columns.id is None or table.says != "partition":
        raise NeedsMemory("objects without ids")
    side = once(join_side("guess", table, as_text))
    if not nulls:
        without = f"FROM {side.view} WHERE cluster IS NULL"
        count = table.session.row(f"SELECT count(*) AS n {without}")["n"]
        if count:
            shown = side.ids(f"SELECT id {without}")
            raise InputError.from_nulls("guess", count, side.rows, shown)
    return side
