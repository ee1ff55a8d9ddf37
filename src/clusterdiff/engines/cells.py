"""Two tables joined on the id and counted, in the SQL that all engines share.

One full join and one GROUP BY on what both sides say make the *cells*: n objects, of which truth
knows n_truth and guess n_guess. All else is counted from the cells: sizes, agreement, noise,
objects on one side only, even whether an id repeats.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from clusterdiff.engines.soft import without_penalties
from clusterdiff.engines.table import Unfit
from clusterdiff.errors import AlignmentError, InputError

if TYPE_CHECKING:
    from clusterdiff.clusterings import Column
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
        """Rows that said the same of the same object again."""
        return self.truth.repeats + self.guess.repeats

    @property
    def plain(self) -> bool:
        """Whether all objects are on both sides, with a label."""
        return not (self.only_truth or self.only_guess or self.null_truth or self.null_guess)


def cells_of(truth: Table, guess: Table, policy: Policy) -> Cells:
    """The cells, once it is sure that each object has one row on each side."""
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
    if "cover" in (truth.kind, guess.kind) and found.both <= 2:
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
        shown = [t.session.row(f"SELECT {name} AS x FROM {t.view} LIMIT 1") for t in (truth, guess)]
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
        view = s.view(f"SELECT {named}, {several} AS cluster FROM {table.view}")
    elif table.says == "partition":
        view = s.view(f"SELECT {named}, {table.value('cluster')} AS cluster FROM {table.view}")
    elif table.columns.degree is not None:
        pairs = s.sorted_pairs("cluster", "degree")
        query = f"SELECT {named}, {pairs} AS cluster FROM {table.view} GROUP BY {by}"
        view = s.keep(query, f"gathering the degrees of {name}")
    else:
        if table.families["cluster"] not in ("integers", "text"):
            raise Unfit(f"clusters of the type {table.families['cluster']}")
        distinct = f"CASE WHEN count(cluster) > 0 THEN {s.sorted_set('cluster')} END"
        view = s.keep(
            f"SELECT {named}, {distinct} AS cluster, count(*) AS entries, "
            f"count(cluster) AS labels FROM {table.view} GROUP BY {by}",
            f"gathering the clusters of {name}",
        )
        repeats = _again(table, view) if table.kind == "cover" else 0
    size = s.row(f"SELECT count(*) AS n FROM {view}")["n"]
    if not size:
        raise Unfit("no rows")
    return Side(name, table, view, size, repeats)


def _again(table: Table, view: str) -> int:
    """How often an object was put in the same cluster again; a null beside clusters is refused."""
    session = table.session
    mixed = "labels > 0 AND labels < entries"
    among, more = f"CASE WHEN {mixed} THEN 1 ELSE 0 END", f"labels - {session.length('cluster')}"
    found = session.row(f"SELECT {total(among)} AS mixed, {total(more)} AS again FROM {view}")
    if found["mixed"]:
        shown = _ids(table, f"SELECT id FROM {view} WHERE {mixed}")
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
        f"FROM (SELECT {sample}id, cluster, 1 AS here FROM {truth.view}) t "
        f"FULL JOIN (SELECT {sample}id, cluster, 1 AS here FROM {guess.view}) g "
        f"ON {on} GROUP BY {keys}",
        doing,
    )
    sums = {
        "both": "n_truth + n_guess - n",
        "only_truth": "n - n_guess",
        "only_guess": "n - n_truth",
        "null_truth": "CASE WHEN t IS NULL THEN n_truth ELSE 0 END",
        "null_guess": "CASE WHEN g IS NULL THEN n_guess ELSE 0 END",
        "nameless": "CASE WHEN s IS NULL THEN n ELSE 0 END" if sampled else "0",
    }
    added = ", ".join(f"{total(amount)} AS {name}" for name, amount in sums.items())
    totals = session.row(f"SELECT count(*) AS number, {added} FROM {cells}", doing)
    if nameless := totals.pop("nameless"):
        raise InputError.from_nameless_samples(nameless, truth.rows + guess.rows)
    return Cells(truth, guess, cells, **totals)


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
        f"SELECT {sample}id, min(cluster) AS cluster, max(cluster) AS other, "
        f"count(*) AS entries, count(cluster) AS labels FROM {view} GROUP BY {sample}id",
        f"looking for ids of {side.name} that repeat",
    )
    clash = "other <> cluster OR (labels > 0 AND labels < entries)"
    clashes = session.row(f"SELECT count(*) AS n FROM {once} WHERE {clash}")["n"]
    if clashes:
        query = f"SELECT id, cluster, other, labels = entries AS known FROM {once} WHERE {clash}"
        rows = session.fetch(f"{query} ORDER BY {side.table.in_order('id')} LIMIT 3").to_pylist()
        shown = [(r["id"], r["cluster"], r["other"] if r["known"] else None) for r in rows]
        listed = [tuple(map(side.table.shown_value, three)) for three in shown]
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
        if nulls and side.table.says == "partition":
            where = _ids(side.table, f"SELECT id FROM {side.view} WHERE cluster IS NULL")
            raise InputError.from_nulls(side.name, nulls, side.rows, where)


def _refuse_alone(found: Cells, policy: Policy) -> None:
    """What a policy says of objects on one side only."""
    alone = (found.only_truth, found.only_guess)
    if policy.align == "exact" and any(alone):
        sides = ((found.truth, found.guess), (found.guess, found.truth))
        shown = [_only(*pair) if many else [] for pair, many in zip(sides, alone, strict=True)]
        counts = (*alone, found.truth.rows + found.only_guess)
        error = AlignmentError.from_ids(shown[0], shown[1], counts)
        raise without_penalties(error) if found.is_soft else error
    one_sided = policy.align == "shared" or (policy.align == "singletons" and all(alone))
    if not found.both and one_sided:
        raise AlignmentError.nothing_shared()
    if found.sampled and one_sided and any(alone):
        _refuse_strangers(found, policy)


def _refuse_strangers(found: Cells, policy: Policy) -> None:
    """A sample of which truth and guess have no object in common is no comparison."""
    each = "" if policy.align == "shared" else " AND sum(n_truth) > 0 AND sum(n_guess) > 0"
    query = f"SELECT s FROM {found.name} GROUP BY s HAVING sum(n_truth + n_guess - n) = 0{each}"
    strangers = found.session.fetch(f"{query} ORDER BY s LIMIT 1").to_pylist()
    if strangers:
        raise AlignmentError.nothing_shared().within(f"sample {strangers[0]['s']}")


def _only(side: Side, other: Side) -> list[Any]:
    """Three ids that a side has and the other lacks."""
    same = "o.id = m.id" + (" AND o.sample = m.sample" if side.table.columns.sample else "")
    return _ids(
        side.table,
        f"SELECT m.id AS id FROM {side.view} m WHERE NOT EXISTS "
        f"(SELECT 1 FROM {other.view} o WHERE {same})",
    )


def _ids(table: Table, query: str) -> list[Any]:
    """The first three ids that a query finds, in their order."""
    rows = table.session.fetch(f"{query} ORDER BY {table.in_order('id')} LIMIT 3").to_pylist()
    return [table.shown_value(row["id"]) for row in rows]


def sample_order(cells: Cells, like: Column) -> list[Any]:
    """The samples as truth names them, then those of guess alone; by name where tables have no
    order.
    """
    names: dict[Any, None] = {}
    for side in (cells.truth, cells.guess):
        order = "min(place)" if "place" in side.table.families else "sample"
        query = f"SELECT sample AS s FROM {side.table.view} GROUP BY sample ORDER BY {order}"
        found = cells.session.fetch(query).column("s").to_pylist()
        names |= dict.fromkeys(map(str, found) if like.family == "text" else found)
    return list(names)


def total(amount: str) -> str:
    """A sum as a whole number, 0 of nothing."""
    return f"CAST(coalesce(sum({amount}), 0) AS BIGINT)"
