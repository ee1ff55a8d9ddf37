"""Two tables joined on the id and counted, in the SQL that all engines share.

One full join and one GROUP BY on what both sides say make the *cells*: n objects, of which truth
knows n_truth and guess n_guess. All else is counted from the cells: sizes, agreement, noise,
objects on one side only, even whether an id repeats.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from clusterdiff.engines.soft import without_penalties
from clusterdiff.engines.table import Unfit, family_of
from clusterdiff.errors import AlignmentError, InputError

if TYPE_CHECKING:
    from clusterdiff.engines.session import Session
    from clusterdiff.engines.table import Table
    from clusterdiff.meet import Policy


class Side(NamedTuple):
    """One of the two tables as it is joined: a row per object, or so it seems at first."""

    name: str
    table: Table
    view: str
    """Columns id and cluster, perhaps sample; the cluster is all that is said of the object."""
    rows: int
    repeats: int = 0
    as_text: bool = False
    """Whether ids are compared as text, whatever they are."""

    def ids(self, query: str) -> list[Any]:
        """The first three ids that a query finds, in their order."""
        order = "length(id), id" if self.written else "id"
        rows = self.table.session.fetch(f"{query} ORDER BY {order} LIMIT 3").to_pylist()
        return [self.shown(row["id"]) for row in rows]

    @property
    def written(self) -> bool:
        """Whether ids are text in which numbers may be written."""
        return self.table.written or self.as_text

    def shown(self, value: Any) -> Any:
        """A value for messages: numbers that were written as text as numbers."""
        whole = self.written and isinstance(value, str) and WHOLE.fullmatch(value)
        return int(value) if whole else value


WHOLE = re.compile(r"0|-?[1-9]\d*")


@dataclass(frozen=True)
class Cells:
    """The cells of two sides, and what they add up to."""

    truth: Side
    guess: Side
    name: str
    """Columns t, g, n, n_truth, n_guess; s where there are samples; id where one is not hard."""
    number: int
    both: int
    only_truth: int
    only_guess: int
    null_truth: int
    null_guess: int

    @property
    def session(self) -> Session:
        """Where the cells are."""
        return self.truth.table.session

    @property
    def is_hard(self) -> bool:
        """Whether both sides are partitions."""
        return self.truth.table.says == self.guess.table.says == "partition"

    @property
    def is_soft(self) -> bool:
        """Whether one side is uncertain."""
        return not {self.truth.table.says, self.guess.table.says} <= {"partition", "cover"}

    @property
    def sampled(self) -> bool:
        """Whether the cells are those of samples side by side."""
        return self.truth.table.columns.sample is not None

    @property
    def repeats(self) -> int:
        """Rows that said the same of the same object again; of covers that are compared with
        uncertain clusterings none are counted.
        """
        sides = (self.truth, self.guess)
        return sum(s.repeats for s in sides if not (self.is_soft and s.table.says == "cover"))

    @property
    def plain(self) -> bool:
        """Whether all objects are on both sides, with a label."""
        return not (self.only_truth or self.only_guess or self.null_truth or self.null_guess)


def cells_of(truth: Table, guess: Table, policy: Policy) -> Cells:
    """The cells, once it is sure that each object has one row on each side."""
    truth.refuse_nested()
    guess.refuse_nested()
    as_text = {name: _look_alike(truth, guess, name) for name in ("id", "sample")}
    left, right = _side("truth", truth, as_text), _side("guess", guess, as_text)
    found = _joined(left, right)
    alone = found.only_truth or found.only_guess
    if alone or not found.both == left.rows == right.rows:
        once = _once(left), _once(right)
        if once != (left, right):
            found = _joined(*once)
    _refuse_nulls(found, policy)
    _refuse_alone(found, policy)
    guessed = any(t.columns.guessed and t.kind == "cover" for t in (truth, guess))
    if guessed and found.both <= 2:
        raise Unfit("two objects or less: the columns may be those of a matrix")
    return found


def _look_alike(truth: Table, guess: Table, name: str) -> bool:
    """Whether ids (or samples) have to be compared as text; refused where none can be equal."""
    if name not in truth.families or name not in guess.families:
        return False
    pair = {truth.families[name], guess.families[name]}
    if len(pair) == 1:
        return False
    if pair != {"integers", "text"}:
        raise Unfit(f"{name}s of the types {' and '.join(sorted(pair))}")
    if not (truth.written or guess.written):
        least = f"SELECT min({name}) AS x FROM "
        shown = [t.session.row(f"{least}{t.view}") for t in (truth, guess)]
        told = [{"text": "strings"}.get(t.families[name], "integers") for t in (truth, guess)]
        raise AlignmentError.from_id_types(told[0], told[1], (shown[0]["x"], shown[1]["x"]))
    return True


def _side(name: str, table: Table, as_text: dict[str, bool]) -> Side:
    """A side as it is joined: rows as they are, or all that is said of an object in one row."""
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
            raise Unfit(f"clusters of the type {table.families['cluster']}")
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
        raise Unfit("no rows")
    return Side(name, table, view, size, repeats, as_text["id"])


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
        side = Side("", table, view, 0)
        shown = side.ids(f"SELECT id FROM {view} WHERE {mixed}")
        raise InputError.from_nulls_among_labels(found["mixed"], shown)
    again: int = found["again"]
    return again


def _joined(truth: Side, guess: Side) -> Cells:
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
        "nameless": "CASE WHEN s IS NULL THEN n ELSE 0 END" if sampled else "0",
    }
    added = ", ".join(f"{total(amount)} AS {name}" for name, amount in sums.items())
    totals = session.row(f"SELECT count(*) AS number, {added} FROM {cells}", doing)
    if totals.pop("nameless"):
        for side in (truth, guess):
            nulls = session.row(f"SELECT count(*) AS n FROM {side.view} WHERE sample IS NULL")["n"]
            if nulls:
                raise InputError.from_nameless_samples(nulls, side.rows)
    return Cells(truth, guess, cells, both=totals.pop("on_both"), **totals)


def _once(side: Side) -> Side:
    """The side with each object once; null ids, and an id in two clusters, are refused."""
    session, view = side.table.session, side.view
    sample = "sample, " if side.table.columns.sample else ""
    nulls = session.row(f"SELECT count(*) AS n FROM {view} WHERE id IS NULL")["n"]
    if nulls:
        raise _within(side, InputError.from_null_ids(nulls, side.rows))
    kinds = f"SELECT {sample}id FROM {view} GROUP BY {sample}id"
    different = session.row(f"SELECT count(*) AS n FROM ({kinds}) x")["n"]
    repeats = side.rows - different
    if not repeats:
        return side
    if side.table.columns.wide:
        raise Unfit("an id that occurs again")
    once = session.keep(
        f"SELECT {sample}id, min(cluster) AS cluster, max(cluster) AS other, 1 AS here, "
        f"count(*) AS entries, count(cluster) AS labels FROM {view} GROUP BY {sample}id",
        f"looking for ids of {side.name} that repeat",
    )
    clash = "other <> cluster OR (labels > 0 AND labels < entries)"
    clashes = session.row(f"SELECT count(*) AS n FROM {once} WHERE {clash}")["n"]
    if clashes:
        query = f"SELECT id, cluster, other, labels = entries AS whole FROM {once} WHERE {clash}"
        order = "length(id), id" if side.written else "id"
        rows = session.fetch(f"{query} ORDER BY {order} LIMIT 3").to_pylist()
        shown = [(r["id"], r["cluster"], r["other"] if r["whole"] else None) for r in rows]
        listed = [(side.shown(i), side.shown(a), side.shown(b)) for i, a, b in shown]
        raise _within(side, InputError.from_duplicates(clashes, listed))
    side.table.columns.refuse_repeats(side.table.shown, repeats)
    return side._replace(view=once, rows=different, repeats=repeats)


def _within(side: Side, error: InputError) -> InputError:
    return error.within(side.table.shown) if side.table.is_file else error


def _refuse_nulls(found: Cells, policy: Policy) -> None:
    """A partition says of each object where it is, unless nulls are noise."""
    if None in policy.noise_labels:
        return
    for side, nulls in ((found.truth, found.null_truth), (found.guess, found.null_guess)):
        if not nulls or side.table.says != "partition":
            continue
        name, only = _first_sample(found, side.view, "cluster IS NULL")
        where = f"FROM {side.view} WHERE cluster IS NULL{only}"
        count = found.session.row(f"SELECT count(*) AS n {where}")["n"]
        rows = found.session.row(f"SELECT count(*) AS n FROM {side.view} WHERE TRUE{only}")["n"]
        error = InputError.from_nulls(side.name, count, rows, side.ids(f"SELECT id {where}"))
        raise error if name is None else error.within(f"sample {name}")


def _refuse_alone(found: Cells, policy: Policy) -> None:
    """What a policy says of objects on one side only."""
    alone = (found.only_truth, found.only_guess)
    if policy.align == "exact" and any(alone):
        raise _not_exact(found)
    one_sided = policy.align == "shared" or (policy.align == "singletons" and all(alone))
    if not one_sided or not any(alone):
        return
    if found.sampled:
        _refuse_strangers(found, policy)
    elif not found.both:
        raise AlignmentError.nothing_shared()


def _not_exact(found: Cells) -> AlignmentError:
    """Objects on one side only; of samples, those of the first sample that has any."""
    session = found.session
    name, only = _first_sample(found, found.name, "n > n_truth OR n > n_guess", "s")
    sums = {"t": "n - n_guess", "g": "n - n_truth", "all": "n_truth"}
    added = ", ".join(f"{total(x)} AS n_{key}" for key, x in sums.items())
    counts = session.row(f"SELECT {added} FROM {found.name} WHERE TRUE{only}")
    only = only.replace(" AND s ", " AND m.sample ")
    error = AlignmentError.from_ids(
        _only(found.truth, found.guess, only) if counts["n_t"] else [],
        _only(found.guess, found.truth, only) if counts["n_g"] else [],
        (counts["n_t"], counts["n_g"], counts["n_all"] + counts["n_g"]),
    )
    error = without_penalties(error) if found.is_soft else error
    return error if name is None else error.within(f"sample {name}")


def _first_sample(found: Cells, view: str, which: str, column: str = "sample") -> tuple[Any, str]:
    """The first sample with such rows, and a condition for its rows; nothing without samples."""
    if not found.sampled:
        return None, ""
    query = f"SELECT min({column}) AS s FROM {view} WHERE {which}"
    name = found.session.row(query)["s"]
    if isinstance(name, str):
        return name, f" AND {column} = {found.session.text(name)}"
    return (name, f" AND {column} = {name}") if isinstance(name, int) else (None, "")


def _refuse_strangers(found: Cells, policy: Policy) -> None:
    """A sample of which truth and guess have no object in common is no comparison."""
    each = "" if policy.align == "shared" else " AND sum(n_truth) > 0 AND sum(n_guess) > 0"
    query = f"SELECT s FROM {found.name} GROUP BY s HAVING sum(n_truth + n_guess - n) = 0{each}"
    strangers = found.session.fetch(f"{query} ORDER BY s LIMIT 1").to_pylist()
    if strangers:
        raise AlignmentError.nothing_shared().within(f"sample {strangers[0]['s']}")


def _only(side: Side, other: Side, only: str) -> list[Any]:
    """Three ids that a side has and the other lacks."""
    same = "o.id = m.id" + (" AND o.sample = m.sample" if side.table.columns.sample else "")
    return side.ids(
        f"SELECT m.id AS id FROM {side.view} m WHERE NOT EXISTS "
        f"(SELECT 1 FROM {other.view} o WHERE {same}){only}"
    )


def sample_order(cells: Cells, like: Any) -> list[Any]:
    """The samples as truth names them, then those of guess alone; by name where tables have no
    order. `like` is the Arrow type that they have in the cells.
    """
    names: dict[Any, None] = {}
    for side in (cells.truth, cells.guess):
        order = "min(place)" if "place" in side.table.families else "sample"
        query = f"SELECT sample AS s FROM {side.table.view} GROUP BY sample ORDER BY {order}"
        found = cells.session.fetch(query).column("s").to_pylist()
        names |= dict.fromkeys(map(str, found) if family_of(like) == "text" else found)
    return list(names)


def total(amount: str) -> str:
    """A sum as a whole number, 0 of nothing."""
    return f"CAST(coalesce(sum({amount}), 0) AS BIGINT)"
