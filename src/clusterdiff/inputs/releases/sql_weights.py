"""What objects count, in a table of an engine: whole numbers, as in memory."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from clusterdiff.backends.sql.contingency import join_side
from clusterdiff.backends.sql.validate import once
from clusterdiff.inputs.releases.weights import (
    DECIMALS,
    LARGEST,
    SCALE,
    check_total,
    refuse_missing,
    refuse_wrong,
    too_fine,
)

if TYPE_CHECKING:
    from clusterdiff.backends.sql.join import JoinSide
    from clusterdiff.backends.table import Table


def weights_in(
    weight: Table, as_text: bool, new: JoinSide, rows: str, id: Callable[..., str]
) -> tuple[str, int]:
    """A table of ids and weights in units of 1 / scale, and the scale."""
    session = weight.session
    side = once(join_side("weight", weight, {"id": as_text, "sample": False}))
    typed = session.view(
        f"SELECT id, cluster, TRY_CAST(cluster AS DOUBLE) AS real, "
        f"TRY_CAST(cluster AS DECIMAL(28, {DECIMALS})) AS exact FROM {side.view}"
    )
    bad = f"FROM {typed} WHERE NOT (real >= 0 AND real < CAST('Infinity' AS DOUBLE)) IS TRUE"
    wrong = session.row(f"SELECT count(*) AS n {bad}")["n"]
    if wrong:
        found = session.fetch(f"SELECT cluster {bad} ORDER BY id LIMIT 3").column("cluster")
        raise refuse_wrong(wrong, side.rows, found.to_pylist())
    fine = f"FROM {typed} WHERE exact IS NULL OR CAST(exact AS DOUBLE) <> real OR real >= {LARGEST}"
    for row in session.fetch(f"SELECT real {fine} ORDER BY id LIMIT 1").to_pylist():
        raise too_fine(row["real"])
    parts = session.row(f"SELECT count(*) AS n FROM {typed} WHERE real <> floor(real)")["n"]
    scale = SCALE if parts else 1
    check_total(scale * (session.row(f"SELECT sum(real) AS n FROM {typed}")["n"] or 0.0))
    made = session.keep(
        f"SELECT {id()} AS id, CAST(exact * {scale} AS BIGINT) AS w FROM {typed}",
        "reading the weights",
    )
    lacking = f"FROM {rows} v LEFT JOIN {made} w ON w.id = {id('v.id')} WHERE w.id IS NULL"
    missing = session.row(f"SELECT count(*) AS n {lacking}")["n"]
    if missing:
        raise refuse_missing(missing, new.rows, new.ids(f"SELECT v.id AS id {lacking}"))
    return made, scale
