"""The meet of two tables that stay in an engine: joined, counted, and only then fetched."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np

from clusterdiff.array_types import Ints
from clusterdiff.clusterings import AnyClustering, Partition
from clusterdiff.clusterings.columns import Column, column, is_whole, numbers_of
from clusterdiff.clusterings.grouping import by_appearance
from clusterdiff.clusterings.rows import Values, flattened, taken
from clusterdiff.contingency import (
    Alignment,
    CoverMeet,
    HardMeet,
    Listed,
    Meet,
    Policy,
    Sketch,
    SoftMeet,
    Stack,
)
from clusterdiff.engines.alignment import AlignmentPlan, Fate, plan_of
from clusterdiff.engines.columns import made_of_matrix, made_of_rows
from clusterdiff.engines.duckdb import DuckDB, DuckSession
from clusterdiff.engines.label_checks import check_cells, is_odd
from clusterdiff.engines.memory import Positions, prepared, rows_of_places
from clusterdiff.engines.protocol import (
    NeedsMemory,
    NoRows,
    Session,
    Table,
    count_rows,
    written_whole,
)
from clusterdiff.engines.samples import listed_of, several_sources
from clusterdiff.engines.sql_joins import (
    JoinedCells,
    JoinSide,
    meet_of,
    sample_order,
    stack_of,
    total,
)
from clusterdiff.errors import (
    LOOK,
    AlignmentError,
    AllNoise,
    ClusterdiffError,
    InputError,
    MemoryNeeded,
)

# What a comparison of two tables refuses: ids that are null or in two clusters, labels that are
# null, objects on one side only. Errors have counts and examples, and of samples the name.

FEW = 100_000
"""Rows that are looked at for ids that repeat, before a join that they would blow up."""


def likely_once(*sides: JoinSide) -> list[JoinSide]:
    """The sides, each object once where it looks as if some came again.

    Ids that repeat often enough to make a join grow are seen in a few rows drawn at random.
    """
    loose, again, by = [], dict[int, int](), ""
    for place, side in enumerate(sides):
        session, by = side.table.session, f"place, {side.keys}"
        chosen = f"{place} AS {by}"
        rows = f"SELECT {chosen} FROM {side.view}"
        if side.rows > FEW:
            rows = session.some(chosen, side.view, FEW / side.rows)
        if not side.single:
            loose.append(rows)
    if loose:
        groups = f"SELECT place, count(*) AS k FROM ({' UNION ALL '.join(loose)}) x GROUP BY {by}"
        query = f"SELECT place, {total('k - 1')} AS n FROM ({groups}) y GROUP BY place"
        found = session.fetch(query, "looking for ids that repeat")
        again = {row["place"]: row["n"] for row in found.to_pylist()}
    return [
        once(side) if again.get(place) else side._replace(single=side.single or side.rows <= FEW)
        for place, side in enumerate(sides)
    ]


def once(side: JoinSide) -> JoinSide:
    """The side with each object once; null ids, and an id in two clusters, are refused."""
    session, view, keys = side.table.session, side.view, side.keys

    def refused(error: InputError) -> InputError:
        return error.within(side.table.shown) if side.table.is_file else error

    nulls = session.count(f"{view} WHERE id IS NULL")
    if nulls:
        raise refused(InputError.from_null_ids(nulls, side.rows))
    if side.single:
        return side
    kinds = f"SELECT {keys} FROM {view} GROUP BY {keys}"
    different = session.count(f"({kinds}) x")
    repeats = side.rows - different
    if not repeats:
        return side._replace(single=True)
    if side.table.columns.wide:
        raise NeedsMemory("an id that occurs again")
    side.table.columns.check_repeats(side.table.shown, repeats)
    amount = "min(amount) AS amount, max(amount) AS most, " if side.counted else ""
    amount += "min(source) AS source, max(source) AS elsewhere, " if side.sourced else ""
    kept = session.keep(
        f"SELECT {keys}, min(cluster) AS cluster, max(cluster) AS other, 1 AS here, {amount}"
        f"count(*) AS entries, count(cluster) AS labels FROM {view} GROUP BY {keys}",
        f"looking for ids of {side.name} that repeat",
    )
    if side.sourced and (several := session.count(f"{kept} WHERE elsewhere <> source")):
        ids = side.ids(f"SELECT id FROM {kept} WHERE elsewhere <> source")
        raise several_sources(ids, several, side.table.sources)
    clash = "other <> cluster OR (labels > 0 AND labels < entries)"
    clashes = session.count(f"{kept} WHERE {clash}")
    if clashes:
        query = f"SELECT id, cluster, other, labels = entries AS whole FROM {kept} WHERE {clash}"
        shown = [
            (r["id"], r["cluster"], r["other"] if r["whole"] else None) for r in side.first(query)
        ]
        listed = [(side.shown(i), side.shown(a), side.shown(b)) for i, a, b in shown]
        raise refused(InputError.from_duplicates(clashes, listed))
    if side.counted and session.count(f"{kept} WHERE amount <> most"):
        raise NeedsMemory("rows of one object with different counts")
    return side._replace(view=kept, rows=different, repeats=repeats, single=True)


def check_no_nulls(found: JoinedCells, plan: AlignmentPlan) -> None:
    """Refuse null labels, where the plan does; of samples, those of the first that has any."""
    for side, nulls in ((found.truth, found.null_truth), (found.guess, found.null_guess)):
        if not nulls or plan.null(side.table.says) is not Fate.REFUSED:
            continue
        name, of = _first_sample(found, "sample", f"{side.view} WHERE cluster IS NULL")
        mine = f"{side.view} WHERE {of('sample')}"
        without = f"{mine} AND cluster IS NULL"
        ids = partial(side.ids, f"SELECT id FROM {without}")
        with _said_of(name):
            count, rows = found.session.count(without), found.session.count(mine)
            plan.check_nulls(side.name, count, rows, ids)


def check_alone(found: JoinedCells, plan: AlignmentPlan) -> None:
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
    on_both, only_truth, only_guess = "n_truth + n_guess - n", "n - n_guess", "n - n_truth"
    row = found.session.row(
        f"SELECT {total(on_both)} AS common, {total(only_truth)} AS only_t, "
        f"{total(only_guess)} AS only_g FROM {found.name} WHERE {of('s')}"
    )
    both, alone = row["common"], (row["only_t"], row["only_g"])
    mine = of("m.sample")
    with _said_of(name):
        plan.check(
            both, alone, both + sum(alone),
            lambda: (_only(found.truth, found.guess, mine), _only(found.guess, found.truth, mine)),
        )  # fmt: skip


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


def _only(side: JoinSide, other: JoinSide, mine: str) -> list[Any]:
    """Some ids that a side has and the other lacks, among rows that pass a test."""
    same = "o.id = m.id" + (" AND o.sample = m.sample" if side.table.columns.sample else "")
    return side.ids(
        f"SELECT m.id AS id FROM {side.view} m WHERE NOT EXISTS "
        f"(SELECT 1 FROM {other.view} o WHERE {same}) AND {mine}",
        LOOK,
    )


# Two tables joined on the id and counted, in the SQL that all engines share.
#
# One full join and one GROUP BY on what both sides say make the *cells*: n objects, of which truth
# knows n_truth and guess n_guess. All else is counted from the cells: sizes, agreement, noise,
# objects on one side only, even whether an id repeats.


def cells_of(truth: Table, guess: Table, plan: AlignmentPlan) -> JoinedCells:
    """The cells, once it is sure that each object has one row on each side."""
    truth.check_nested()
    guess.check_nested()
    as_text = {name: look_alike(truth, guess, name) for name in ("id", "sample")}
    sources = {table.families.get("source") for table in (truth, guess)} - {None}
    if len(sources) > 1:
        if sources != {"integers", "text"} or not (truth.written or guess.written):
            raise NeedsMemory(f"sources of the types {' and '.join(sorted(map(str, sources)))}")
        as_text["source"] = True
    count_rows([truth, guess])
    left, right = likely_once(
        join_side("truth", truth, as_text), join_side("guess", guess, as_text)
    )
    found = _joined(left, right)
    alone = found.only_truth or found.only_guess
    if alone or not found.rows == left.rows == right.rows:
        sides = once(left), once(right)
        if sides[0].view != left.view or sides[1].view != right.view:
            found = _joined(*sides)
    plan.notes.extend(check_cells(found, plan.policy))
    check_no_nulls(found, plan)
    check_alone(found, plan)
    guessed = any(t.columns.guessed and t.kind == "cover" for t in (truth, guess))
    if guessed and found.both <= 2:
        raise NeedsMemory("two objects or less: the columns may be those of a matrix")
    return found


def look_alike(truth: Table, guess: Table, name: str) -> bool:
    """Whether ids (or samples) have to be compared as text; refused where none can be equal."""
    if name not in truth.families or name not in guess.families:
        return False
    pair = {truth.families[name], guess.families[name]}
    if len(pair) == 1:
        return False
    if pair != {"integers", "text"}:
        raise NeedsMemory(f"{name}s of the types {' and '.join(sorted(pair))}")
    if not (truth.written or guess.written):
        least = f"SELECT min({name}) AS x FROM "
        shown = [t.session.row(f"{least}{t.view}") for t in (truth, guess)]
        told = [{"text": "strings"}.get(t.families[name], "integers") for t in (truth, guess)]
        raise AlignmentError.from_id_types(told[0], told[1], (shown[0]["x"], shown[1]["x"]))
    return True


def join_side(name: str, table: Table, as_text: dict[str, bool]) -> JoinSide:
    """A side as it is joined: rows as they are, or the profile of an object in one row."""
    s = table.session
    keys = [key for key in ("sample", "id") if key in table.families]
    written = [f"CAST({k} AS STRING)" if as_text[k] else table.value(k) for k in keys]
    named = ", ".join(f"{value} AS {key}" for key, value in zip(keys, written, strict=True))
    by, repeats = ", ".join(written), 0
    amount, gathered = _amount(table)
    source = ""
    if "source" in table.families:
        as_written = as_text.get("source")
        source = f", {'CAST(source AS STRING)' if as_written else table.value('source')} AS source"
    if table.columns.wide:
        several = s.listed([f"w{i}" for i in range(len(table.columns.wide))])
        view = s.view(f"SELECT {named}, {several} AS cluster, 1 AS here{amount} FROM {table.view}")
    elif table.says == "partition":
        label = table.value("cluster")
        chosen = f"{named}, {label} AS cluster, 1 AS here{amount}{source}"
        view = s.view(f"SELECT {chosen} FROM {table.view}")
    elif table.columns.degree is not None:
        pairs = s.sorted_pairs("cluster", "degree")
        empty = "coalesce(CAST(cluster AS STRING), '')" if table.kind == "evidential" else "cluster"
        view = s.keep(
            f"SELECT {named}, {pairs} AS cluster, 1 AS here{gathered}, count(*) AS entries, "
            f"count({empty}) AS labels, count(DISTINCT {empty}) AS kinds "
            f"FROM {table.view} GROUP BY {by}",
            f"gathering the degrees of {name}",
        )
        _check_degrees(table, view)
    else:
        if table.families["cluster"] not in ("integers", "text"):
            raise NeedsMemory(f"clusters of the type {table.families['cluster']}")
        distinct = f"CASE WHEN count(cluster) > 0 THEN {s.sorted_set('cluster')} END"
        view = s.keep(
            f"SELECT {named}, {distinct} AS cluster, 1 AS here{gathered}, count(*) AS entries, "
            f"count(cluster) AS labels FROM {table.view} GROUP BY {by}",
            f"gathering the clusters of {name}",
        )
        again = _again(table, view)
        repeats = again if table.kind == "cover" else 0
    plain = table.columns.wide or table.says == "partition"
    size = table.rows if plain else s.count(f"{view}")
    if not size:
        raise NoRows
    single = table.says != "partition" and not table.columns.wide
    if single and amount and s.count(f"{view} WHERE amount <> most"):
        raise NeedsMemory("rows of one object with different counts")
    return JoinSide(
        name, table, view, size, repeats, as_text["id"], single, bool(amount), bool(source)
    )


def _amount(table: Table) -> tuple[str, str]:
    """The column of counts as it is selected, of rows as they are and of those of an object
    together; counts that are no whole numbers are refused in memory.
    """
    if not table.counted:
        return "", ""
    value, family = "TRY_CAST(counts AS BIGINT)", table.families["counts"]
    if family not in ("integers", "numbers", "text"):
        raise NeedsMemory(f"counts of the type {family}")
    other = {"integers": "FALSE", "numbers": f"counts <> {value}", "text": NOT_WHOLE}[family]
    wrong = f"{value} IS NULL OR {value} < 0 OR {other}"
    found = table.session.row(
        f"SELECT {total(f'CASE WHEN {wrong} THEN 1 ELSE 0 END')} AS wrong, "
        f"coalesce(sum(CAST({value} AS DOUBLE)), 0) AS roughly FROM {table.view}"
    )
    if found["wrong"] or found["roughly"] > 2.0**62:
        raise NeedsMemory("counts that are not whole numbers, or too large to be added there")
    return f", {value} AS amount", f", min({value}) AS amount, max({value}) AS most"


NOT_WHOLE = f"NOT ({written_whole('counts')})"
"""Counts in a text that are written otherwise than whole numbers are: 3.0, 1e3."""


def _check_degrees(table: Table, view: str) -> None:
    """A row gives an object a degree for a cluster, and no other row another one."""
    nameless, again = total("entries - labels"), total("labels - kinds")
    found = table.session.row(
        f"SELECT {nameless} AS nameless, {again} AS again, {total('entries')} AS n FROM {view}"
    )
    if found["nameless"]:
        raise InputError.from_rows_without_cluster(found["nameless"], found["n"])
    if found["again"]:
        raise InputError.from_other_degrees(found["again"])


def _again(table: Table, view: str) -> int:
    """How often an object was put in the same cluster again; a null beside clusters is refused."""
    session = table.session
    mixed = "labels > 0 AND labels < entries"
    among, more = f"CASE WHEN {mixed} THEN 1 ELSE 0 END", f"labels - {session.length('cluster')}"
    found = session.row(f"SELECT {total(among)} AS mixed, {total(more)} AS again FROM {view}")
    if found["mixed"]:
        side = JoinSide("", table, view, 0)
        shown = side.ids(f"SELECT id FROM {view} WHERE {mixed}")
        raise InputError.from_nulls_among_labels(found["mixed"], shown)
    again: int = found["again"]
    return again


def _joined(truth: JoinSide, guess: JoinSide) -> JoinedCells:
    """Join on the id, group by what both sides say."""
    session = truth.table.session
    sampled = truth.table.columns.sample is not None
    on, sample, s, keys = "t.id = g.id", "", "", "t.cluster, g.cluster"
    if sampled:
        on, sample = f"{on} AND t.sample = g.sample", "sample, "
        s, keys = "coalesce(t.sample, g.sample) AS s, ", f"coalesce(t.sample, g.sample), {keys}"
    hard = truth.table.says == guess.table.says == "partition"
    example = "" if hard else ", min(coalesce(t.id, g.id)) AS id"
    doing = f"joining and counting {truth.rows + guess.rows:,} rows"
    counted, chosen = truth.counted or guess.counted, f"{sample}id, cluster, here"
    own = [
        chosen + ", amount" * side.counted + ", source" * side.sourced for side in (truth, guess)
    ]
    if of := [f"{x}.source" for x, side in (("t", truth), ("g", guess)) if side.sourced]:
        source = f"coalesce({', '.join(of)})" if len(of) > 1 else of[0]
        s, keys = f"{s}{source} AS source, ", f"{source}, {keys}"
    amounts = "count(*) AS n, count(t.here) AS n_truth, count(g.here) AS n_guess"
    if counted:
        amounts = _amounts(truth, guess)
    cells = session.keep(
        f"SELECT {s}t.cluster AS t, g.cluster AS g, {amounts}{example} "
        f"FROM (SELECT {own[0]} FROM {truth.view}) t "
        f"FULL JOIN (SELECT {own[1]} FROM {guess.view}) g "
        f"ON {on} GROUP BY {keys}",
        doing,
    )
    rows = None
    if counted:
        cells, rows = _checked_amounts(session, cells, doing)
    sums = {
        "on_both": "n_truth + n_guess - n",
        "only_truth": "n - n_guess",
        "only_guess": "n - n_truth",
        "null_truth": "CASE WHEN t IS NULL THEN n_truth ELSE 0 END",
        "null_guess": "CASE WHEN g IS NULL THEN n_guess ELSE 0 END",
        "odd_truth": f"CASE WHEN {is_odd(truth, 't')} THEN n_truth ELSE 0 END",
        "odd_guess": f"CASE WHEN {is_odd(guess, 'g')} THEN n_guess ELSE 0 END",
        "nameless": "CASE WHEN s IS NULL THEN n ELSE 0 END" if sampled else "0",
    }
    added = ", ".join(f"{total(amount)} AS {name}" for name, amount in sums.items())
    totals = session.row(f"SELECT count(*) AS number, {added} FROM {cells}", doing)
    if totals.pop("nameless"):
        for side in (truth, guess):
            nulls = session.count(f"{side.view} WHERE sample IS NULL")
            if nulls:
                raise InputError.from_nameless_samples(nulls, side.rows)
    both = totals.pop("on_both")
    return JoinedCells(
        truth, guess, cells, rows=both if rows is None else rows, both=both, **totals
    )


def _amounts(truth: JoinSide, guess: JoinSide) -> str:
    """How many objects the rows of a cell stand for, how many rows are on both sides, and on how
    many the sides disagree, or neither side says it. As few sums as that takes: they cost.
    """
    known = [f"{x}.amount" for x, side in (("t", truth), ("g", guess)) if side.counted]
    each = known[0] if len(known) == 1 else f"coalesce({', '.join(known)})"
    own = [
        f"{x}.amount" if side.counted else f"{each} * {x}.here"
        for x, side in (("t", truth), ("g", guess))
    ]
    differ = f" + count(CASE WHEN {' <> '.join(known)} THEN 1 END)" if len(known) > 1 else ""
    return (
        f"{total(each)} AS n, {total(own[0])} AS n_truth, {total(own[1])} AS n_guess, "
        f"count(t.here + g.here) AS k, count(*) - count({each}){differ} AS unsure"
    )


def _checked_amounts(session: Session, cells: str, doing: str) -> tuple[str, int]:
    """The cells in which objects count, and how many rows are on both sides; counts that differ or
    that are not known are refused in memory.
    """
    found = session.row(
        f"SELECT {total('unsure')} AS unsure, {total('k')} AS k FROM {cells}", doing
    )
    if found["unsure"]:
        raise NeedsMemory("counts that differ, or that are on one side only")
    return session.view(f"SELECT * FROM {cells} WHERE n > 0"), int(found["k"])


# Cells under a policy: noise, and objects on one side only, settled in SQL.

ALONE = f"a = {Fate.ALONE:d} OR b = {Fate.ALONE:d}"
SHARED = f"CASE WHEN {ALONE} THEN 1 ELSE n END"
TIMES = f"CASE WHEN {ALONE} THEN n ELSE 1 END"


def kept_cells(cells: JoinedCells, plan: AlignmentPlan) -> tuple[str, int]:
    """The cells under a plan, and how many objects are noise.

    Columns a and b tell what the objects become on each side: kept (t or g is their cluster), each
    alone in a cluster of its own, or missing.
    """
    s, policy = "s, " if cells.sampled else "source, " if cells.sourced else "", plan.policy
    where = cells.session
    left = noise_test(cells.truth, "t", policy, where)
    right = noise_test(cells.guess, "g", policy, where)
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
    if drop and noisy and not session.count(f"{kept}"):
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


def noise_test(side: JoinSide, name: str, policy: Policy, where: Session | None = None) -> str:
    """A test in SQL for labels that mean noise, which runs where the table is or in another
    session; names that were made for clusters never do.
    """
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
        text = (where or table.session).text
        tests += [f"({name} = {text(x)}) IS TRUE" for x in known]
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


# From the cells of two partitions to their meet: clusters that agree are counted by size, and
# only the rows in conflict leave the engine.

ROW = 160
"""Bytes for a row in conflict, from when it is fetched until the costliest measure is done."""


def hard_meet(
    cells: JoinedCells, plan: AlignmentPlan, labels: list[Column] | None = None
) -> HardMeet | Stack | Sketch:
    """The meet of two partitions; with samples, their meets side by side.

    Where the rows in conflict would take more memory than there is, only their shapes are counted.
    Where `labels` is given, it gets what the clusters of the rows in conflict are called, in this
    order, and the tables stay. Few cells of an engine elsewhere are fetched and counted here.
    """
    there = cells.session
    if not there.remote or cells.number > there.few:
        return _hard_meet(cells, plan, labels)
    rows = there.fetch(f"SELECT * FROM {cells.name}", f"fetching {cells.number:,} cells")
    with DuckSession(DuckDB()) as here:
        taken = replace(cells, name=here.uploaded_rows(rows), taken=here)
        del rows
        return _hard_meet(taken, plan, labels)


def _hard_meet(
    cells: JoinedCells, plan: AlignmentPlan, labels: list[Column] | None
) -> HardMeet | Stack | Sketch:
    session, s = cells.session, "s, " if cells.sampled else ""
    plain = cells.plain and not plan.labels
    kept, noise = (cells.name, 0) if plain else kept_cells(cells, plan)
    if labels is None:
        session.free(*(side.view for side in (cells.truth, cells.guess)))
    alignment = noted_alignment(cells, plan, noise)
    rows = _conflicts(cells, kept, plain)
    shared, times = ("n", "1") if plain else (SHARED, TIMES)
    agree = (
        f"SELECT {s}shared, {total('k')} AS times FROM ("
        f"SELECT {s}{shared} AS shared, {times} AS k FROM {kept} "
        f"UNION ALL SELECT {s}shared, -times AS k FROM {rows}) x "
        f"GROUP BY {s}shared HAVING sum(k) > 0"
    )
    query = f"SELECT {total('times')} AS many FROM {rows}"
    many = session.row(query, "finding the clusters in conflict")["many"]
    need = many * ROW
    if need > session.memory:
        if cells.sampled:
            raise MemoryNeeded.from_rows(f"{many:,} rows in conflict", need, session.memory)
        return _sketch(cells, rows, agree, alignment, need)
    agreeing = _fetched(cells, agree, "counting the clusters that agree")
    session.free(kept)
    some = "" if plain else "a, b, times, "
    in_order = "" if labels is None else " ORDER BY t, g"
    found = _fetched(
        cells,
        f"SELECT {s}t, g, {some}shared, truth_size, guess_size FROM {rows}{in_order}",
        f"fetching {many:,} rows in conflict",
    )
    session.free(rows)
    if labels is not None:
        labels += [column(found[side]) for side in "tg"]
    if cells.sampled:
        return stack_of(sample_order(cells, agreeing["s"].type), agreeing, found, alignment)
    return meet_of(agreeing, found, alignment)


def noted_alignment(cells: JoinedCells, plan: AlignmentPlan, noise: int) -> Alignment:
    """How the objects of two tables were matched."""
    alignment = plan.alignment(cells.only_truth, cells.only_guess, noise, cells.repeats)
    if plan.lacked is Fate.DROPPED and cells.only_guess > cells.both:
        return replace(alignment, cut=_cut(cells))
    return alignment


def _cut(cells: JoinedCells) -> int:
    """Clusters of guess of which truth knows some objects and lacks others."""
    if cells.sampled:
        return 0
    some = "sum(n_truth + n_guess - n) > 0 AND sum(n - n_truth) > 0"
    query = f"SELECT g FROM {cells.name} WHERE n_guess > 0 GROUP BY g HAVING {some}"
    return cells.session.count(f"({query}) x")


def _fetched(cells: JoinedCells, query: str, doing: str) -> dict[str, Any]:
    """The columns of what a query finds."""
    table = cells.session.fetch(query, doing)
    return {name: table.column(name) for name in table.column_names}


def _conflicts(cells: JoinedCells, kept: str, plain: bool) -> str:
    """The rows of clusters that do not agree, with the sizes of their clusters.

    A cluster with one row has the size of that row; so only those with several are looked up.
    """
    session = cells.session
    s, on = ("s, ", " AND {0}.s = k.s") if cells.sampled else ("", "")
    kept_in = {"t": f" WHERE a = {Fate.KEPT:d}", "g": f" WHERE b = {Fate.KEPT:d}"}
    known = {"t": "", "g": ""} if plain else kept_in
    sizes = {
        x: session.lookup(
            f"SELECT {s}{x}, {total('n')} AS size FROM {kept}{known[x]} GROUP BY {s}{x} "
            "HAVING count(*) > 1",
            f"measuring the clusters of {'truth' if x == 't' else 'guess'}",
        )
        for x in "tg"
    }
    joins = " ".join(
        f"LEFT JOIN {sizes[x]} s{x} ON s{x}.{x} = k.{x}{on.format(f's{x}')}" for x in "tg"
    )
    first = "k.s, " if cells.sampled else ""
    if plain:
        return session.keep(
            f"SELECT {first}k.t, k.g, k.n AS shared, 1 AS times, "
            "coalesce(st.size, k.n) AS truth_size, "
            f"coalesce(sg.size, k.n) AS guess_size FROM {kept} k {joins} "
            "WHERE st.size IS NOT NULL OR sg.size IS NOT NULL",
            "finding the clusters in conflict",
        )
    size = (
        f"CASE k.{{0}} WHEN {Fate.KEPT:d} THEN coalesce(s{{1}}.size, k.n) "
        f"WHEN {Fate.ALONE:d} THEN 1 ELSE 0 END AS {{2}}"
    )
    return session.keep(
        f"SELECT * FROM (SELECT {first}k.t, k.g, k.a, k.b, {SHARED} AS shared, {TIMES} AS times, "
        f"{size.format('a', 't', 'truth_size')}, {size.format('b', 'g', 'guess_size')} "
        f"FROM {kept} k {joins}) x WHERE shared <> truth_size OR shared <> guess_size",
        "finding the clusters in conflict",
    )


def _sketch(cells: JoinedCells, rows: str, agree: str, alignment: Alignment, need: int) -> Sketch:
    """The shapes alone, counted in the engine."""
    session = cells.session
    shapes = session.fetch(
        f"SELECT shared, truth_size, guess_size, {total('k')} AS times FROM ("
        f"SELECT shared, shared AS truth_size, shared AS guess_size, times AS k FROM ({agree}) a "
        f"UNION ALL SELECT shared, truth_size, guess_size, times AS k FROM {rows}) x "
        "GROUP BY shared, truth_size, guess_size",
        "counting shapes",
    )
    columns = {
        "both" if name == "shared" else name: np.asarray(numbers_of(shapes.column(name)), np.int64)
        for name in ("shared", "truth_size", "guess_size", "times")
    }
    return Sketch(**columns, alignment=alignment, need=need, memory=session.memory)


# From the cells of covers and uncertain clusterings to their meet.
#
# An engine counts how many objects have each pair of descriptions: sets as sorted lists, degrees
# as lists of (cluster, degree). Each pair then stands for its objects in the engine for arrays.

PAIR = 400
"""Bytes for a pair of descriptions, from when it is fetched until the meet is made."""


def meet_of_pairs(cells: JoinedCells, plan: AlignmentPlan) -> CoverMeet | SoftMeet | Listed:
    """The meet of two tables of which at least one is no partition; with samples, the meet of
    each.
    """
    session, objects = cells.session, cells.both + cells.only_truth + cells.only_guess
    if cells.number * PAIR > session.memory:
        raise MemoryNeeded.from_pairs(cells.number, objects, cells.number * PAIR, session.memory)
    s = "s, " if cells.sampled else ""
    table = session.fetch(
        f"SELECT {s}id, t, g, n, n_truth, n_guess FROM {cells.name} ORDER BY {s}id",
        f"fetching {cells.number:,} pairs of descriptions",
    )
    if not cells.sampled:
        found: CoverMeet | SoftMeet = _with_repeats(_meet(cells, table, plan), cells.repeats)
        return found
    names = sample_order(cells, table.column("s").type)
    sample = table.column("s").to_pylist()
    begins = [i for i, one in enumerate(sample) if i == 0 or one != sample[i - 1]]
    meets = {}
    for begin, end in pairwise([*begins, len(sample)]):
        name = sample[begin]
        try:
            meets[name] = _meet_or_nothing(cells, table.slice(begin, end - begin), plan)
        except ClusterdiffError as error:
            raise error.within(f"sample {name}") from None
    listed = listed_of([(name, meets[name]) for name in names])
    return replace(listed, pooled=_with_repeats(listed.pooled, cells.repeats))


def _meet_or_nothing(cells: JoinedCells, table: Any, plan: AlignmentPlan) -> Any:
    """The meet of the pairs of a sample; where the plan leaves no object, how the objects were
    matched.
    """
    n, n_truth, n_guess = (
        int(numbers_of(table.column(name)).sum()) for name in ("n", "n_truth", "n_guess")
    )
    both = n_truth + n_guess - n
    alone = plan.alignment(n - n_guess, n - n_truth)
    if plan.lacked is Fate.DROPPED and not both:
        return alone
    try:
        return _meet(cells, table, plan)
    except AllNoise:
        return replace(alone, noise=n if plan.one_sided else both)


def _with_repeats(meet: Any, repeats: int) -> Any:
    """The meet, with how many rows of the tables said the same again."""
    return replace(meet, alignment=replace(meet.alignment, repeats=repeats))


def _meet(cells: JoinedCells, table: Any, plan: AlignmentPlan) -> Any:
    """The meet of pairs of descriptions."""
    n, n_truth, n_guess = (
        np.asarray(numbers_of(table.column(name)), np.int64) for name in ("n", "n_truth", "n_guess")
    )
    parts = [n_truth + n_guess - n]
    if plan.one_sided:
        parts += [n - n_guess, n - n_truth]
    pair = np.concatenate([np.flatnonzero(part) for part in parts])
    count = np.concatenate([part[part > 0] for part in parts])
    which = np.repeat(np.arange(len(parts)), [int((part > 0).sum()) for part in parts])
    truth: Any
    guess: Any
    truth, in_truth = _described(cells.truth, table, "t", n_truth > 0)
    guess, in_guess = _described(cells.guess, table, "g", n_guess > 0)
    in_truth, in_guess = (
        np.where(which != 2, in_truth[pair], -1),
        np.where(which != 1, in_guess[pair], -1),
    )
    only = int((n - n_guess).sum()), int((n - n_truth).sum())
    where = Positions(in_truth, in_guess, *only, count)
    return rows_of_places(*prepared(truth, guess, plan), where, plan)[0]


def _described(side: JoinSide, table: Any, name: str, has: Any) -> tuple[AnyClustering, Ints]:
    """What a side says of the pairs that it has, and where each pair stands in that."""
    mine = np.flatnonzero(has)
    place = np.full(table.num_rows, -1)
    place[mine] = np.arange(mine.size)
    given = table.take(mine)
    return _clustering(side, given.column(name), given.column("id")), place


def _clustering(side: JoinSide, said: Any, ids: Any) -> AnyClustering:
    """A clustering of one object for each description, under the id of one that has it."""
    known, t = column(ids), side.table
    if t.says == "partition":
        return Partition(_labels(column(said, written=t.written)), known)
    length, flat = flattened(said)
    owner = np.repeat(np.arange(len(said)), length)
    if t.columns.wide:
        matrix = np.asarray(
            flat.to_pylist() if isinstance(flat, Values) else flat, np.float64
        ).reshape(len(said), -1)
        return made_of_matrix(t.kind, t.shown, t.columns, known, None, list(matrix.T), t.rest)
    if t.columns.degree is not None:
        label, degree = (flat.field(place) for place in range(2))
        degree = degree.to_numpy(zero_copy_only=False)
        label = _labels(column(label, written=t.written))
        return made_of_rows(t.kind, label, known.take(owner), None, degree, t.rest)
    empty = np.flatnonzero(length == 0)
    order = np.argsort(np.concatenate([owner, empty]), kind="stable")
    entry = np.concatenate([np.arange(owner.size), np.full(empty.size, -1)])[order]
    owner = np.concatenate([owner, empty])[order]
    label = _labels(column(taken(flat, entry), written=t.written))
    return made_of_rows(t.kind, label, known.take(owner), None, None)


def _labels(labels: Column) -> Column:
    """Labels as files have them: whole numbers if all that was written are."""
    if not labels.written or labels.family != "text" or labels.nulls() is not None:
        return labels
    codes, example = by_appearance(labels.keys)
    texts = labels.take(example).tolist()
    if not texts or not all(map(is_whole, texts)):
        return labels
    try:
        numbers = np.array(list(map(int, texts)), np.int64)
    except OverflowError:
        return labels
    return column(numbers[codes], written=True)


def meet_tables(truth: Table, guess: Table, policy: Policy) -> Meet | Stack | Listed:
    """The meet of two tables of one session; with samples, the meets side by side.

    Raises `Unfit` where this needs the engine for everything in memory.
    """
    if (truth.columns.sample is None) != (guess.columns.sample is None):
        raise NeedsMemory("samples that one side names for the other")
    if truth.columns.id is None or guess.columns.id is None:
        raise NeedsMemory("objects without ids")
    plan = plan_of(policy, truth.says, guess.says)
    with truth.session.scratch():
        cells = cells_of(truth, guess, plan)
        if cells.sourced:
            from clusterdiff.engines.sql_between import meet_between

            return meet_between(cells, plan)
        return hard_meet(cells, plan) if cells.is_hard else meet_of_pairs(cells, plan)
