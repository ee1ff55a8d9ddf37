"""What becomes of objects that one side lacks, of noise and of nulls: the whole table, on every
engine, against a table that is written down here and rows that are counted one by one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from itertools import product
from typing import Any, NamedTuple

import duckdb
import numpy as np
import pyarrow as pa
import pytest

import clusterdiff as cd
from clusterdiff.clusterings import Sets
from clusterdiff.contingency import CoverMeet, HardMeet, Policy, SoftMeet
from clusterdiff.engines import alignment
from clusterdiff.engines.alignment import Fate, Said, plan_of
from clusterdiff.engines.named import MemoryNamedComparison
from clusterdiff.errors import AlignmentError, InputError, KindError

ALIGNMENTS = ("exact", "shared", "singletons", "penalise")
KINDS = {
    "partition": ("partition", "partition"),
    "cover": ("cover", "cover"),
    "partition beside cover": ("partition", "cover"),
    "partition beside fuzzy": ("partition", "fuzzy"),
}
NOISE: dict[str, dict[str, Any]] = {
    "nothing is noise": {},
    "noise alone": {"noise": "-1"},
    "noise dropped": {"noise": "-1", "noise_as": "drop"},
    "noise and nulls alone": {"noise": ["-1", None]},
    "noise and nulls dropped": {"noise": ["-1", None], "noise_as": "drop"},
}
SAID: tuple[Said, ...] = ("label", "noise", "null", "nothing")
CASES = [case for case in product(SAID, SAID) if case != ("nothing", "nothing")]

KEPT, ALONE, MISSING, DROPPED, REFUSED = Fate
LACKED = (REFUSED, DROPPED, ALONE, MISSING)
"""What an object becomes on a side that lacks it, in the order of the alignments."""
Fates = tuple[Fate, Fate]


def fate_of(said: str, kind: str, policy: Policy) -> Fate:
    """What an object becomes on one side, as the manual has it."""
    noisy = {"singletons": ALONE, "drop": DROPPED}[policy.noise_as]
    if said == "nothing":
        return LACKED[ALIGNMENTS.index(policy.align)]
    if said == "noise" and "-1" in policy.noise_labels:
        return REFUSED if kind == "fuzzy" else noisy
    if said == "null" and None in policy.noise_labels:
        return noisy
    return REFUSED if said == "null" and kind == "partition" else KEPT


def fates_of(case: tuple[Said, Said], kinds: tuple[str, str], policy: Policy) -> Fates:
    """What an object becomes on both sides: what one leaves out or refuses is so on both."""
    one, two = (fate_of(said, kind, policy) for said, kind in zip(case, kinds, strict=True))
    worst = max(one, two)
    return (worst, worst) if worst in (DROPPED, REFUSED) else (one, two)


class Object(NamedTuple):
    """An object: its id, and what each side says of it."""

    id: str
    case: tuple[Said, Said]
    group: int


def objects_of(cases: list[tuple[Said, Said]]) -> list[Object]:
    """Two objects of each case, and two that are plain, in one cluster on both sides."""
    return [
        Object(f"{group}{name}", case if name in "rs" else ("label", "label"), group)
        for group, case in enumerate(cases)
        for name in "pqrs"
    ]


def clusters(one: Object, side: int, kind: str) -> list[str | None]:
    """The clusters that a table names for an object; noise of a cover stands beside another."""
    own = f"{'tg'[side]}{one.group}"
    noise: list[str | None] = ["-1", own] if kind == "cover" else ["-1"]
    named: dict[str, list[str | None]] = {"label": [own], "noise": noise, "null": [None]}
    return named.get(one.case[side], [])


def table(objects: list[Object], side: int, kind: str) -> Any:
    """What a side says of the objects, as rows."""
    rows = [(one.id, name) for one in objects for name in clusters(one, side, kind)]
    made = {"id": [i for i, _ in rows], "cluster": pa.array([c for _, c in rows], pa.string())}
    return pa.table(made | ({"degree": [1.0] * len(rows)} if kind == "fuzzy" else {}))


def becomes(one: Object, side: int, kind: str, fate: Fate, policy: Policy) -> Any:
    """The set of clusters of an object that is compared; None where it is missing."""
    if fate is MISSING:
        return None
    named = {name for name in clusters(one, side, kind) if name is not None}
    if fate is ALONE:
        return frozenset(named - set(policy.noise_labels) | {("own", one.id)})
    return frozenset(named)


def wanted(objects: list[Object], kinds: tuple[str, str], policy: Policy, fates: Any) -> Any:
    """The meet of the objects, counted one by one, and what is reported of them."""
    rows: Counter[tuple[Any, Any]] = Counter()
    only, noise = [0, 0], 0
    for one in objects:
        found = fates(one.case, kinds, policy)
        for side in (0, 1):
            only[side] += one.case[1 - side] == "nothing"
        lacked = any(fates((s, "label"), kinds, policy)[0] is DROPPED for s in one.case
                     if s == "nothing")  # fmt: skip
        settled = {"noise": "-1", "null": None}
        noise += not lacked and any(settled.get(s, 0) in policy.noise_labels for s in one.case)
        if found[0] is not DROPPED:
            sides = zip((0, 1), kinds, found, strict=True)
            first, second = (becomes(one, i, k, f, policy) for i, k, f in sides)
            rows[first, second] += 1
    return _meet(rows, "cover" in kinds), (*only, noise)


def _meet(rows: Counter[tuple[Any, Any]], cover: bool) -> HardMeet | CoverMeet:
    known: list[dict[Any, int]] = [{}, {}]
    numbers = [
        [-1 if row[i] is None else known[i].setdefault(row[i], len(known[i])) for row in rows]
        for i in (0, 1)
    ]
    if not cover:
        return HardMeet.from_rows(numbers[0], numbers[1], list(rows.values()))
    sets = []
    for side in known:
        names = {name: i for i, name in enumerate({n: 0 for some in side for n in some})}
        each = [sorted(names[name] for name in some) for some in side]
        start = np.cumsum([0, *map(len, each)])
        sets.append(Sets(start, np.array([n for some in each for n in some], np.int64)))
    both = np.array(list(rows.values()))
    row = np.array(numbers)
    return CoverMeet.from_rows(row[0], row[1], both, sets[0], sets[1])


Engine = Callable[[list[Any], tuple[str, str], dict[str, Any]], Any]


def in_memory(tables: list[Any], kinds: tuple[str, str], options: dict[str, Any]) -> Any:
    return cd.meet(*tables, kind=kinds, engine="arrays", **options)


def with_names(tables: list[Any], kinds: tuple[str, str], options: dict[str, Any]) -> Any:
    sides = [cd.Partition(t["cluster"], ids=t["id"]) for t in tables]
    return MemoryNamedComparison.of(sides[0], sides[1], Policy(**options)).meet


def in_duckdb(connection: Any) -> Engine:
    def met(tables: list[Any], kinds: tuple[str, str], options: dict[str, Any]) -> Any:
        return cd.meet(*map(connection.from_arrow, tables), kind=kinds, **options)

    return met


def in_spark(session: Any) -> Engine:
    def met(tables: list[Any], kinds: tuple[str, str], options: dict[str, Any]) -> Any:
        return cd.meet(*map(session.createDataFrame, tables), kind=kinds, **options)

    return met


@pytest.fixture(scope="module")
def connection() -> Iterator[Any]:
    with duckdb.connect() as made:
        yield made


def check(
    engine: Engine, kinds: tuple[str, str], options: dict[str, Any], fates: Any = fates_of
) -> list[str]:
    """Hold an engine against what becomes of each case; refusals are given back."""
    policy = Policy(**options)
    cases = [case for case in CASES if kinds[1] != "fuzzy" or case[1] != "null"]
    refused = [case for case in cases if fates(case, kinds, policy)[0] is REFUSED]
    told = []
    for case in refused:
        objects = objects_of([case, ("label", "label")])
        tables = [table(objects, i, kind) for i, kind in enumerate(kinds)]
        with pytest.raises((AlignmentError, InputError, KindError)) as caught:
            engine(tables, kinds, options)
        told.append(str(caught.value))
    objects = objects_of([case for case in cases if case not in refused])
    found = engine([table(objects, i, kind) for i, kind in enumerate(kinds)], kinds, options)
    meet, counts = wanted(objects, kinds, policy, fates)
    assert (found.hard if isinstance(found, SoftMeet) else found) == meet
    reported = found.alignment
    assert (reported.only_truth, reported.only_guess, reported.noise) == counts
    assert reported.noise_as == (policy.noise_as if policy.noise_labels else "")
    return told


def unknown(kinds: tuple[str, str], align: str) -> bool:
    """Whether uncertain clusterings do not know a policy."""
    return "fuzzy" in kinds and align in ("singletons", "penalise")


@pytest.mark.parametrize("noise", NOISE)
@pytest.mark.parametrize("align", ALIGNMENTS)
@pytest.mark.parametrize("kind", KINDS)
def test_the_plan_is_what_is_written_here(kind: str, align: str, noise: str) -> None:
    policy, kinds = Policy(align, **NOISE[noise]), KINDS[kind]
    if unknown(kinds, align):
        with pytest.raises(KindError):
            plan_of(policy, *kinds)
        return
    plan = plan_of(policy, *kinds)
    for case in CASES:
        assert plan.fates(case[0], case[1], kinds) == fates_of(case, kinds, policy), case


@pytest.mark.parametrize("align", ALIGNMENTS)
@pytest.mark.parametrize("kind", KINDS)
def test_engines_do_what_is_written_here(kind: str, align: str, connection: Any) -> None:
    kinds = KINDS[kind]
    engines = [in_memory, in_duckdb(connection)]
    if kind == "partition":
        engines.append(with_names)
    for options in ({"align": align, **noise} for noise in NOISE.values()):
        if unknown(kinds, align):
            plain = [table(objects_of([("label", "label")]), i, k) for i, k in enumerate(kinds)]
            for engine in engines:
                with pytest.raises(KindError, match="objects that both sides have"):
                    engine(plain, kinds, options)
            continue
        told = [check(engine, kinds, options) for engine in engines]
        assert all(len(one) == len(told[0]) for one in told)


@pytest.mark.slow
@pytest.mark.parametrize("align", ALIGNMENTS)
@pytest.mark.parametrize("kind", KINDS)
def test_spark_does_what_is_written_here(kind: str, align: str, spark: Any) -> None:
    for noise in () if unknown(KINDS[kind], align) else NOISE.values():
        check(in_spark(spark), KINDS[kind], {"align": align, **noise})


MISTAKES = [
    *((alignment.LACKED, align, fate) for align, right in zip(ALIGNMENTS, LACKED, strict=True)
      for fate in LACKED if fate is not right),
    (alignment.NOISE, "singletons", DROPPED),
    (alignment.NOISE, "drop", ALONE),
]  # fmt: skip


@pytest.mark.parametrize(("place", "key", "fate"), MISTAKES)
@pytest.mark.parametrize("kind", ["partition", "cover"])
def test_engines_decide_nothing_themselves(
    place: dict[str, Fate], key: str, fate: Fate, kind: str, connection: Any,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    """A mistake in the plan is made by all of them alike, and the tests above would see it."""
    monkeypatch.setitem(place, key, fate)
    is_noise = place is alignment.NOISE
    align = "penalise" if is_noise else key
    options = {"align": align, **NOISE["noise alone"], "noise_as": key if is_noise else "drop"}

    def planned(case: Any, kinds: tuple[str, str], policy: Policy) -> Fates:
        return plan_of(policy, *kinds).fates(case[0], case[1], kinds)

    for engine in (in_memory, in_duckdb(connection)):
        check(engine, KINDS[kind], options, planned)
        with pytest.raises((AssertionError, AlignmentError, InputError, pytest.fail.Exception)):
            check(engine, KINDS[kind], options)
