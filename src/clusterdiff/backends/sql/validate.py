"""What a comparison of two tables refuses: ids that are null or in two clusters, labels that are
null, objects on one side only. Errors have counts and examples, and of samples the name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

from clusterdiff.backends.alignment import AlignmentPlan, Fate
from clusterdiff.backends.sql.join import JoinedCells, JoinSide, total
from clusterdiff.backends.table import NeedsMemory
from clusterdiff.errors import ClusterdiffError, InputError
from clusterdiff.errors.spelling import LOOK

FEW = 100_000
"""Rows that are looked at for ids that repeat, before a join that they would blow up."""


def likely_once(side: JoinSide) -> JoinSide:
    """The side, with each object once if it looks as if some came again.

    Ids that repeat often enough to make a join grow are seen in a few rows drawn at random.
    """
    if side.single:
        return side
    session, keys = side.table.session, side.keys
    rows = f"SELECT {keys} FROM {side.view}"
    if side.rows > FEW:
        rows = session.some(keys, side.view, FEW / side.rows)
    groups = f"SELECT count(*) AS k FROM ({rows}) x GROUP BY {keys}"
    again = session.row(f"SELECT {total('k - 1')} AS n FROM ({groups}) y")["n"]
    return once(side) if again else side._replace(single=side.rows <= FEW)


def once(side: JoinSide) -> JoinSide:
    """The side with each object once; null ids, and an id in two clusters, are refused."""
    session, view, keys = side.table.session, side.view, side.keys
    nulls = session.row(f"SELECT count(*) AS n FROM {view} WHERE id IS NULL")["n"]
    if nulls:
        raise _within(side, InputError.from_null_ids(nulls, side.rows))
    if side.single:
        return side
    kinds = f"SELECT {keys} FROM {view} GROUP BY {keys}"
    different = session.row(f"SELECT count(*) AS n FROM ({kinds}) x")["n"]
    repeats = side.rows - different
    if not repeats:
        return side._replace(single=True)
    if side.table.columns.wide:
        raise NeedsMemory("an id that occurs again")
    side.table.columns.refuse_repeats(side.table.shown, repeats)
    kept = session.keep(
        f"SELECT {keys}, min(cluster) AS cluster, max(cluster) AS other, 1 AS here, "
        f"count(*) AS entries, count(cluster) AS labels FROM {view} GROUP BY {keys}",
        f"looking for ids of {side.name} that repeat",
    )
    clash = "other <> cluster OR (labels > 0 AND labels < entries)"
    clashes = session.row(f"SELECT count(*) AS n FROM {kept} WHERE {clash}")["n"]
    if clashes:
        query = f"SELECT id, cluster, other, labels = entries AS whole FROM {kept} WHERE {clash}"
        shown = [
            (r["id"], r["cluster"], r["other"] if r["whole"] else None) for r in side.first(query)
        ]
        listed = [(side.shown(i), side.shown(a), side.shown(b)) for i, a, b in shown]
        raise _within(side, InputError.from_duplicates(clashes, listed))
    return side._replace(view=kept, rows=different, repeats=repeats, single=True)


def _within(side: JoinSide, error: InputError) -> InputError:
    return error.within(side.table.shown) if side.table.is_file else error


def refuse_nulls(found: JoinedCells, plan: AlignmentPlan) -> None:
    """Refuse null labels, where the plan does; of samples, those of the first that has any."""
    for side, nulls in ((found.truth, found.null_truth), (found.guess, found.null_guess)):
        if not nulls or plan.null(side.table.says) is not Fate.REFUSED:
            continue
        name, of = _first_sample(found, "sample", f"{side.view} WHERE cluster IS NULL")
        mine = f"FROM {side.view} WHERE {of('sample')}"
        count = found.session.row(f"SELECT count(*) AS n {mine} AND cluster IS NULL")["n"]
        rows = found.session.row(f"SELECT count(*) AS n {mine}")["n"]
        ids = partial(side.ids, f"SELECT id {mine} AND cluster IS NULL")
        with _said_of(name):
            plan.check_nulls(side.name, count, rows, ids)


def refuse_alone(found: JoinedCells, plan: AlignmentPlan) -> None:
    """Refuse objects on one side only, where the plan does; of samples, those of the first sample
    that is refused.
    """
    if not found.only_truth and not found.only_guess:
        return
    name, of = (
        _first_sample(found, "s", f"{found.name} WHERE n > n_truth OR n > n_guess")
        if plan.lacked is Fate.REFUSED
        else (None, _every)
    )
    row = found.session.row(f"SELECT {MATCHED} FROM {found.name} WHERE {of('s')}")
    both, alone = row["common"], (row["only_t"], row["only_g"])
    with _said_of(name):
        plan.check(both, alone, both + sum(alone), lambda: _alone(found, of))


MATCHED = ", ".join(
    f"{total(amount)} AS {name}"
    for name, amount in {
        "common": "n_truth + n_guess - n", "only_t": "n - n_guess", "only_g": "n - n_truth"
    }.items()
)  # fmt: skip
"""How many objects both sides have, and how many one has alone."""


@contextmanager
def _said_of(sample: Any) -> Iterator[None]:
    """Errors inside name the sample, if there is one."""
    try:
        yield
    except ClusterdiffError as error:
        raise (error if sample is None else error.within(f"sample {sample}")) from None


def _every(own: str) -> str:
    return "TRUE"


def _first_sample(found: JoinedCells, column: str, rows: str) -> tuple[Any, Callable[[str], str]]:
    """The first sample that has such rows, and what a column of samples is tested by for it; all
    rows pass where there are no samples, or where their names are neither text nor numbers.
    """
    name = None
    if found.sampled:
        name = found.session.row(f"SELECT min({column}) AS s FROM {rows}")["s"]
    if isinstance(name, str | int):
        value = found.session.text(name) if isinstance(name, str) else str(name)
        return name, lambda own: f"{own} = {value}"
    return None, _every


def _alone(found: JoinedCells, of: Callable[[str], str]) -> tuple[list[Any], list[Any]]:
    """Some ids that one side has alone, of truth and of guess."""
    mine = of("m.sample")
    return _only(found.truth, found.guess, mine), _only(found.guess, found.truth, mine)


def _only(side: JoinSide, other: JoinSide, mine: str) -> list[Any]:
    """Some ids that a side has and the other lacks, among rows that pass a test."""
    same = "o.id = m.id" + (" AND o.sample = m.sample" if side.table.columns.sample else "")
    return side.ids(
        f"SELECT m.id AS id FROM {side.view} m WHERE NOT EXISTS "
        f"(SELECT 1 FROM {other.view} o WHERE {same}) AND {mine}",
        LOOK,
    )
