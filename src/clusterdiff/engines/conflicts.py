"""From the cells of two partitions to their meet: clusters that agree are counted by size, and
only the rows in conflict leave the engine.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from clusterdiff.clusterings.column import column
from clusterdiff.clusterings.group import number, pair_keys, span, table_codes
from clusterdiff.engines.sides import Cells, sample_order, total
from clusterdiff.engines.table import Unfit
from clusterdiff.errors import InputError, MemoryNeeded
from clusterdiff.meet import Alignment, HardMeet, Sketch, Stack

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from clusterdiff.engines.sides import Side
    from clusterdiff.meet import Policy

    Bools = NDArray[np.bool_]
    Ints = NDArray[np.int64]

ROW = 160
"""Bytes for a row in conflict, from when it is fetched until the costliest measure is done."""

KNOWN, OWN, MISSING = 0, 1, 2
"""What a side says of an object: a cluster, one of its own, or nothing."""


def hard_meet(cells: Cells, policy: Policy) -> HardMeet | Stack | Sketch:
    """The meet of two partitions; with samples, their meets side by side.

    Where the rows in conflict would take more memory than there is, only their shapes are counted.
    """
    session, s = cells.session, "s, " if cells.sampled else ""
    plain = cells.plain and not policy.noise_labels
    kept, noise = (cells.name, 0) if plain else _kept(cells, policy)
    session.free(*(side.view for side in (cells.truth, cells.guess)))
    alignment = Alignment(
        policy.align,
        cells.only_truth,
        cells.only_guess,
        noise,
        policy.noise_as if policy.noise_labels else "",
        cells.repeats,
    )
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
    histogram = session.fetch(agree, "counting the clusters that agree")
    session.free(kept)
    some = "" if plain else "a, b, times, "
    table: Any = session.fetch(
        f"SELECT {s}t, g, {some}shared, truth_size, guess_size FROM {rows}",
        f"fetching {many:,} rows in conflict",
    )
    session.free(rows)
    size, count = _ints(histogram, "shared"), _ints(histogram, "times")
    if plain and not cells.sampled:
        order = np.argsort(size)
        apart = {name: table.column(name) for name in table.column_names}
        del table
        return _plain_meet(apart, size[order], count[order], alignment)
    got = _Rows.of(cells, table, plain)
    if cells.sampled:
        agreeing = histogram.column("s")
        return got.stack(sample_order(cells, agreeing.type), agreeing, size, count, alignment)
    return got.meet(size, count, alignment)


SHARED = f"CASE WHEN a = {OWN} OR b = {OWN} THEN 1 ELSE n END"
TIMES = f"CASE WHEN a = {OWN} OR b = {OWN} THEN n ELSE 1 END"


def _kept(cells: Cells, policy: Policy) -> tuple[str, int]:
    """The cells under a policy, and how many objects are noise.

    Columns a and b tell which side knows the objects (t or g is their cluster), which has each in
    a cluster of its own, and which lacks them.
    """
    s = "s, " if cells.sampled else ""
    left, right = _noise(cells.truth, "t", policy), _noise(cells.guess, "g", policy)
    alone = OWN if policy.align == "singletons" else MISSING
    parts = [_part(s, "n_truth + n_guess - n", left, right)]
    if policy.align in ("singletons", "penalise"):
        parts.append(_part(s, "n - n_guess", left, alone))
        parts.append(_part(s, "n - n_truth", alone, right))
    every = " UNION ALL ".join(f"{part} FROM {cells.name}" for part in parts)
    session = cells.session
    drop = policy.noise_as == "drop"
    noise = "SELECT 0 AS n"
    if policy.noise_labels:
        noise = f"SELECT {total('n')} AS n FROM ({every}) x WHERE n > 0 AND noisy"
    noisy: int = session.row(noise)["n"]
    kept = session.keep(
        f"SELECT {s}t, g, n, a, b FROM ({every}) x WHERE n > 0{' AND NOT noisy' if drop else ''}",
        "settling noise and objects on one side only",
    )
    if drop and noisy and not session.row(f"SELECT count(*) AS n FROM {kept}")["n"]:
        raise InputError.empty("after the noise is dropped, the comparison")
    return kept, noisy


def _part(s: str, objects: str, left: str | int, right: str | int) -> str:
    """Objects of a cell that are on both sides or on one: a side is a test for noise, or what it
    says of all of them.
    """
    tests = [side for side in (left, right) if isinstance(side, str)]
    return (
        f"SELECT {s}{_label('t', left)} AS t, {_label('g', right)} AS g, {objects} AS n, "
        f"{_status(left)} AS a, {_status(right)} AS b, {' OR '.join(tests)} AS noisy"
    )


def _label(name: str, side: str | int) -> str:
    return f"CASE WHEN {side} THEN NULL ELSE {name} END" if isinstance(side, str) else "NULL"


def _status(side: str | int) -> str:
    return f"CASE WHEN {side} THEN {OWN} ELSE {KNOWN} END" if isinstance(side, str) else str(side)


def _noise(side: Side, name: str, policy: Policy) -> str:
    """A test in SQL for labels that mean noise."""
    table = side.table
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
        numbers = [float(x) for x in labels if isinstance(x, int | float | np.number)]
        if family == "integers":
            wholes = [int(x) for x in numbers if x.is_integer() and abs(x) < 2**63]
            exact = [int(x) for x in labels if isinstance(x, int | np.integer)]
            tests += [f"({name} = {x}) IS TRUE" for x in dict.fromkeys(wholes + exact)]
        else:
            tests += [f"({name} = CAST('{x!r}' AS DOUBLE)) IS TRUE" for x in dict.fromkeys(numbers)]
    elif labels:
        raise Unfit(f"noise among labels of the type {family}")
    return f"({' OR '.join(tests)})" if tests else "FALSE"


def _is_whole(side: Side) -> bool:
    """Whether all labels that are written as text are whole numbers."""
    same = "TRY_CAST(cluster AS BIGINT) IS NOT NULL AND "
    same += "CAST(TRY_CAST(cluster AS BIGINT) AS STRING) = cluster"
    query = f"SELECT {total(f'CASE WHEN {same} THEN 0 ELSE 1 END')} AS n FROM {side.view}"
    return not side.table.session.row(query)["n"]


def _written(label: Any, whole: bool) -> str:
    """A label as it stands in a file, where all are whole numbers or not."""
    if whole and isinstance(label, int | float | np.number) and float(label).is_integer():
        return str(int(label))
    return str(label)


def _conflicts(cells: Cells, kept: str, plain: bool) -> str:
    """The rows of clusters that do not agree, with the sizes of their clusters.

    A cluster with one row has the size of that row; so only those with several are looked up.
    """
    session = cells.session
    s, on = ("s, ", " AND {0}.s = k.s") if cells.sampled else ("", "")
    known = (
        {"t": "", "g": ""} if plain else {"t": f" WHERE a = {KNOWN}", "g": f" WHERE b = {KNOWN}"}
    )
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
    size = "CASE k.{0} WHEN 0 THEN coalesce(s{1}.size, k.n) WHEN 1 THEN 1 ELSE 0 END AS {2}"
    return session.keep(
        f"SELECT * FROM (SELECT {first}k.t, k.g, k.a, k.b, {SHARED} AS shared, {TIMES} AS times, "
        f"{size.format('a', 't', 'truth_size')}, {size.format('b', 'g', 'guess_size')} "
        f"FROM {kept} k {joins}) x WHERE shared <> truth_size OR shared <> guess_size",
        "finding the clusters in conflict",
    )


def _sketch(cells: Cells, rows: str, agree: str, alignment: Alignment, need: int) -> Sketch:
    """The shapes alone, counted in the engine."""
    session = cells.session
    shapes = session.fetch(
        f"SELECT shared, truth_size, guess_size, {total('k')} AS times FROM ("
        f"SELECT shared, shared AS truth_size, shared AS guess_size, times AS k FROM ({agree}) a "
        f"UNION ALL SELECT shared, truth_size, guess_size, times AS k FROM {rows}) x "
        "GROUP BY shared, truth_size, guess_size",
        "counting shapes",
    )
    return Sketch(
        both=_ints(shapes, "shared"),
        truth_size=_ints(shapes, "truth_size"),
        guess_size=_ints(shapes, "guess_size"),
        times=_ints(shapes, "times"),
        alignment=alignment,
        need=need,
        memory=session.memory,
    )


def _plain_meet(rows: dict[str, Any], size: Ints, count: Ints, alignment: Alignment) -> HardMeet:
    """The meet of rows that need nothing but numbers for their clusters; each column is copied
    once and given up, as there may be many rows.
    """

    def behind(head: Ints, name: str) -> Ints:
        return np.concatenate([head, *(chunk.to_numpy() for chunk in rows.pop(name).chunks)])

    own = np.arange(size.size)
    both = behind(size, "shared")
    return HardMeet(
        both=both,
        truth_size=behind(size, "truth_size"),
        guess_size=behind(size, "guess_size"),
        times=np.concatenate([count, np.ones(both.size - size.size, np.int64)]),
        truth=np.concatenate([own, _codes_from(size.size, rows.pop("t"))]),
        guess=np.concatenate([own, _codes_from(size.size, rows.pop("g"))]),
        alignment=alignment,
    )


def _codes_from(first: int, labels: Any) -> Ints:
    """Numbers from `first` on, equal where labels are."""
    keys = column(labels).keys
    low, wide = span(keys) if keys.size else (0, 0)
    if wide > max(4096, 4 * keys.size):
        keys, low = number(keys)[0], 0
    return keys + (first - low)


class _Rows(NamedTuple):
    """Rows in conflict as they come from the engine, clusters numbered."""

    truth: Ints
    guess: Ints
    both: Ints
    truth_size: Ints
    guess_size: Ints
    samples: Any
    """The sample of each row as an Arrow column, where there are any."""

    @classmethod
    def of(cls, cells: Cells, table: Any, plain: bool) -> _Rows:
        """The rows of a table; objects with a cluster of their own each get a row each."""
        import pyarrow as pa

        samples = table.column("s") if cells.sampled else None
        sides = [column(table.column(x)) for x in "tg"]
        sizes = [_ints(table, name) for name in ("shared", "truth_size", "guess_size")]
        keys = [side.keys for side in sides]
        if samples is not None:
            keys = [pair_keys(column(samples).keys, key) for key in keys]
        codes = [table_codes(key.copy()) for key in keys]
        if plain:
            return cls(codes[0], codes[1], sizes[0], sizes[1], sizes[2], samples)
        index = np.repeat(np.arange(table.num_rows), _ints(table, "times"))
        numbered = []
        for code, status in zip(codes, (_ints(table, "a"), _ints(table, "b")), strict=True):
            cluster, what = code[index], status[index]
            many = int(code.max(initial=-1)) + 1
            cluster[what == OWN] = many + np.arange(int((what == OWN).sum()))
            cluster[what == MISSING] = -1
            numbered.append(cluster)
        both, truth_size, guess_size = (size[index] for size in sizes)
        taken = None if samples is None else samples.take(pa.array(index))
        return cls(numbered[0], numbered[1], both, truth_size, guess_size, taken)

    def meet(self, size: Ints, count: Ints, alignment: Alignment) -> HardMeet:
        """The meet, clusters that agree in front, one row per size."""
        order = np.argsort(size)
        return HardMeet.from_parts(
            (size[order], count[order]),
            (self.truth, self.guess, self.both, self.truth_size, self.guess_size),
            alignment,
        )

    def stack(
        self, names: list[Any], agreeing: Any, size: Ints, count: Ints, alignment: Alignment
    ) -> Stack:
        """The meets of all samples, one after the other."""
        import pyarrow as pa
        import pyarrow.compute as pc

        every = pa.chunked_array([*self.samples.chunks, *agreeing.chunks], agreeing.type)
        known = pa.array(names, every.type)
        sample = np.asarray(pc.index_in(every, value_set=known).to_numpy(), np.int64)
        lost = np.flatnonzero(np.bincount(sample, minlength=len(names)) == 0)
        if lost.size:
            empty = InputError.empty("after the noise is dropped, the comparison")
            raise empty.within(f"sample {names[lost[0]]}")
        own = np.arange(size.size)
        rows = {
            "both": np.concatenate([self.both, size]),
            "truth_size": np.concatenate([self.truth_size, size]),
            "guess_size": np.concatenate([self.guess_size, size]),
            "times": np.concatenate([np.ones_like(self.both), count]),
            "truth": np.concatenate([self.truth, own + int(self.truth.max(initial=-1)) + 1]),
            "guess": np.concatenate([self.guess, own + int(self.guess.max(initial=-1)) + 1]),
        }
        return Stack(names, sample, rows, alignment)


def _ints(table: Any, name: str) -> Ints:
    """A column of whole numbers."""
    return np.asarray(table.column(name).to_numpy(), np.int64)
