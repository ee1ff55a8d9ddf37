"""Cells under a policy: noise, and objects on one side only, settled in SQL."""

from __future__ import annotations

from typing import Any

import numpy as np

from clusterdiff.backends.alignment import AlignmentPlan, Fate
from clusterdiff.backends.sql.join import JoinedCells, JoinSide, total, written_whole
from clusterdiff.backends.table import NeedsMemory
from clusterdiff.errors import AllNoise
from clusterdiff.meet import Policy

ALONE = f"a = {Fate.ALONE:d} OR b = {Fate.ALONE:d}"
SHARED = f"CASE WHEN {ALONE} THEN 1 ELSE n END"
TIMES = f"CASE WHEN {ALONE} THEN n ELSE 1 END"


def kept_cells(cells: JoinedCells, plan: AlignmentPlan) -> tuple[str, int]:
    """The cells under a plan, and how many objects are noise.

    Columns a and b tell what the objects become on each side: kept (t or g is their cluster), each
    alone in a cluster of its own, or missing.
    """
    s, policy = "s, " if cells.sampled else "", plan.policy
    left, right = noise_test(cells.truth, "t", policy), noise_test(cells.guess, "g", policy)
    parts = [_part(s, "n_truth + n_guess - n", left, right)]
    if plan.one_sided:
        parts.append(_part(s, "n - n_guess", left, plan.lacked))
        parts.append(_part(s, "n - n_truth", plan.lacked, right))
    every = " UNION ALL ".join(f"{part} FROM {cells.name}" for part in parts)
    session = cells.session
    drop = plan.noise is Fate.DROPPED
    noisy = 0
    if plan.labels:
        query = f"SELECT {total('n')} AS n FROM ({every}) x WHERE n > 0 AND noisy"
        noisy = session.row(query)["n"]
    kept = session.keep(
        f"SELECT {s}t, g, n, a, b FROM ({every}) x WHERE n > 0{' AND NOT noisy' if drop else ''}",
        "settling noise and objects on one side only",
    )
    if drop and noisy and not session.row(f"SELECT count(*) AS n FROM {kept}")["n"]:
        raise AllNoise.dropped()
    return kept, noisy


def _part(s: str, objects: str, left: str | Fate, right: str | Fate) -> str:
    """Objects of a cell that are on both sides or on one: a side is a test for noise, or what all
    of them become there.
    """
    tests = [side for side in (left, right) if isinstance(side, str)]
    return (
        f"SELECT {s}{_label('t', left)} AS t, {_label('g', right)} AS g, {objects} AS n, "
        f"{_status(left)} AS a, {_status(right)} AS b, {' OR '.join(tests)} AS noisy"
    )


def _label(name: str, side: str | Fate) -> str:
    return f"CASE WHEN {side} THEN NULL ELSE {name} END" if isinstance(side, str) else "NULL"


def _status(side: str | Fate) -> str:
    if isinstance(side, Fate):
        return f"{side:d}"
    return f"CASE WHEN {side} THEN {Fate.ALONE:d} ELSE {Fate.KEPT:d} END"


def noise_test(side: JoinSide, name: str, policy: Policy) -> str:
    """A test in SQL for labels that mean noise; names that were made for clusters never do."""
    table = side.table
    if table.made:
        return "FALSE"
    family, tests = table.families["cluster"], []
    labels = [label for label in policy.noise_labels if label is not None]
    if None in policy.noise_labels:
        tests.append(f"{name} IS NULL")
    if family == "text":
        if table.written:
            whole = any(not isinstance(x, str) for x in labels) and _is_whole(side)
            labels = [_written(x, whole) for x in labels]
        known = dict.fromkeys(x for x in labels if isinstance(x, str))
        tests += [f"({name} = {table.session.text(x)}) IS TRUE" for x in known]
    elif family in ("integers", "numbers"):
        labels = [x for x in labels if not (isinstance(x, int) and x.bit_length() > 1023)]
        numbers = [float(x) for x in labels if isinstance(x, int | float | np.number)]
        if family == "integers":
            wholes = [int(x) for x in numbers if x.is_integer() and abs(x) < 2**63]
            exact = [int(x) for x in labels if isinstance(x, int | np.integer)]
            fitting = [x for x in dict.fromkeys(wholes + exact) if abs(x) < 2**64]
            tests += [f"({name} = {x}) IS TRUE" for x in fitting]
        else:
            tests += [f"({name} = CAST('{x!r}' AS DOUBLE)) IS TRUE" for x in dict.fromkeys(numbers)]
    elif labels:
        raise NeedsMemory(f"noise among labels of the type {family}")
    return f"({' OR '.join(tests)})" if tests else "FALSE"


def _is_whole(side: JoinSide) -> bool:
    """Whether all labels that are written as text are whole numbers."""
    other = f"CASE WHEN {written_whole('cluster')} THEN 0 ELSE 1 END"
    query = f"SELECT {total(other)} AS n FROM {side.view}"
    return not side.table.session.row(query)["n"]


def _written(label: Any, whole: bool) -> str:
    """A label as it stands in a file, where all are whole numbers or not."""
    if whole and isinstance(label, int | float | np.number) and float(label).is_integer():
        return str(int(label))
    return str(label)
