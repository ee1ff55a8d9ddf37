"""Two tables joined on the id and counted, in the SQL that all engines share.

One full join and one GROUP BY on what both sides say make the *cells*: n objects, of which truth
knows n_truth and guess n_guess. All else is counted from the cells: sizes, agreement, noise,
objects on one side only, even whether an id repeats.
"""

from __future__ import annotations

from clusterdiff.backends.alignment import AlignmentPlan
from clusterdiff.backends.label_checks import check_cells, is_odd
from clusterdiff.backends.sql.join import JoinedCells, JoinSide, total
from clusterdiff.backends.sql.validate import likely_once, once, refuse_alone, refuse_nulls
from clusterdiff.backends.table import NeedsMemory, NoRows, Table
from clusterdiff.errors import AlignmentError, InputError


def cells_of(truth: Table, guess: Table, plan: AlignmentPlan) -> JoinedCells:
    """The cells, once it is sure that each object has one row on each side."""
    truth.refuse_nested()
    guess.refuse_nested()
    as_text = {name: look_alike(truth, guess, name) for name in ("id", "sample")}
    left = likely_once(join_side("truth", truth, as_text))
    right = likely_once(join_side("guess", guess, as_text))
    found = _joined(left, right)
    alone = found.only_truth or found.only_guess
    if alone or not found.both == left.rows == right.rows:
        sides = once(left), once(right)
        if sides[0].view != left.view or sides[1].view != right.view:
            found = _joined(*sides)
    plan.notes.extend(check_cells(found, plan.policy))
    refuse_nulls(found, plan)
    refuse_alone(found, plan)
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
    if table.columns.wide:
        several = s.listed([f"w{i}" for i in range(len(table.columns.wide))])
        view = s.view(f"SELECT {named}, {several} AS cluster, 1 AS here FROM {table.view}")
    elif table.says == "partition":
        label = table.value("cluster")
        view = s.view(f"SELECT {named}, {label} AS cluster, 1 AS here FROM {table.view}")
    elif table.columns.degree is not None:
        pairs = s.sorted_pairs("cluster", "degree")
        empty = "coalesce(CAST(cluster AS STRING), '')" if table.kind == "evidential" else "cluster"
        view = s.keep(
            f"SELECT {named}, {pairs} AS cluster, 1 AS here, count(*) AS entries, "
            f"count({empty}) AS labels, count(DISTINCT {empty}) AS kinds "
            f"FROM {table.view} GROUP BY {by}",
            f"gathering the degrees of {name}",
        )
        _refuse_degrees(table, view)
    else:
        if table.families["cluster"] not in ("integers", "text"):
            raise NeedsMemory(f"clusters of the type {table.families['cluster']}")
        distinct = f"CASE WHEN count(cluster) > 0 THEN {s.sorted_set('cluster')} END"
        view = s.keep(
            f"SELECT {named}, {distinct} AS cluster, 1 AS here, count(*) AS entries, "
            f"count(cluster) AS labels FROM {table.view} GROUP BY {by}",
            f"gathering the clusters of {name}",
        )
        again = _again(table, view)
        repeats = again if table.kind == "cover" else 0
    size = s.row(f"SELECT count(*) AS n FROM {view}")["n"]
    if not size:
        raise NoRows
    gathered = table.says != "partition" and not table.columns.wide
    return JoinSide(name, table, view, size, repeats, as_text["id"], gathered)


def _refuse_degrees(table: Table, view: str) -> None:
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
    cells = session.keep(
        f"SELECT {s}t.cluster AS t, g.cluster AS g, count(*) AS n, count(t.here) AS n_truth, "
        f"count(g.here) AS n_guess{example} "
        f"FROM (SELECT {sample}id, cluster, here FROM {truth.view}) t "
        f"FULL JOIN (SELECT {sample}id, cluster, here FROM {guess.view}) g "
        f"ON {on} GROUP BY {keys}",
        doing,
    )
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
            nulls = session.row(f"SELECT count(*) AS n FROM {side.view} WHERE sample IS NULL")["n"]
            if nulls:
                raise InputError.from_nameless_samples(nulls, side.rows)
    return JoinedCells(truth, guess, cells, both=totals.pop("on_both"), **totals)
