"""Draws at random: the same seed gives the same bits, in any order and under any names."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest

import clusterdiff as cd
from clusterdiff.measures import comembership as neighbours
from clusterdiff.measures import comembership as tables
from clusterdiff.measures import elements, overlapping
from clusterdiff.measures.base import Estimate

REGULAR = [(0, 1), (1, 2), (2, 3), (3, 0), (4, 5), (5, 6), (6, 4)]


def degrees(row: dict[int, float], names: list[int]) -> list[float]:
    made = [0.0] * len(names)
    for cluster, degree in row.items():
        made[names[cluster]] = degree
    return made


def fuzzy(rows: list[dict[int, float]], names: list[int]) -> cd.Fuzzy:
    return cd.Fuzzy([degrees(row, names) for row in rows])


def rough(rows: list[dict[int, float]], names: list[int]) -> cd.Rough:
    return cd.Rough([{names[k] for k in row} for row in rows])


def evidential(rows: list[dict[int, float]], names: list[int]) -> cd.Evidential:
    sets = [
        {**{(names[k],): d / 2 for k, d in row.items()}, tuple(sorted(names[k] for k in row)): 0.5}
        if len(row) > 1
        else {(names[next(iter(row))],): 1.0}
        for row in rows
    ]
    return cd.Evidential([{frozenset(a): m for a, m in one.items()} for one in sets])


ROWS = {
    "regular": [{a: 0.5, b: 0.5} for a, b in REGULAR],
    "mixed": [{0: 0.3, 1: 0.7}, {1: 0.6, 2: 0.4}, {2: 1.0}, {3: 0.25, 4: 0.75}, {4: 0.5, 5: 0.5},
              {5: 0.9, 6: 0.1}, {6: 1.0}],
}  # fmt: skip


@pytest.mark.parametrize("measure", ["rand", "partition_distance", "nmi"])
@pytest.mark.parametrize("rows", ROWS)
@pytest.mark.parametrize("kind", [fuzzy, evidential])
def test_transport_against_a_hard_clustering(
    kind: Callable[..., Any], rows: str, measure: str
) -> None:
    rng = random.Random(1)
    drawn = cd.transport(measure, method="sample", samples=3, seed=5)
    found = set()
    for _ in range(20):
        order = rng.sample(range(7), 7)
        names, other = rng.sample(range(7), 7), rng.sample(range(7), 7)
        truth = [other[[0, 0, 0, 1, 1, 2, 2][i]] for i in order]
        value = drawn(truth, kind([ROWS[rows][i] for i in order], names))
        found.add((value.low, value.high, value.estimate, value.how))
    assert len(found) == 1


@pytest.mark.parametrize("sides", [(fuzzy, fuzzy), (rough, fuzzy), (evidential, fuzzy)])
def test_transport_between_uncertain_clusterings(sides: tuple[Any, Any]) -> None:
    rng = random.Random(2)
    drawn = cd.transport("rand", method="sample", samples=3, seed=5)
    found = set()
    for _ in range(20):
        order = rng.sample(range(7), 7)
        made = [
            kind([ROWS[rows][i] for i in order], rng.sample(range(7), 7))
            for kind, rows in zip(sides, ("regular", "mixed"), strict=True)
        ]
        value = drawn(*made)
        found.add((value.low, value.high, value.estimate))
    assert len(found) == 1


def test_transport_two_hundred_times() -> None:
    rng = random.Random(3)
    drawn = cd.transport("rand", method="sample", samples=2, seed=7)
    found = set()
    for _ in range(200):
        order, names = rng.sample(range(7), 7), rng.sample(range(7), 7)
        truth = [[0, 0, 0, 1, 1, 2, 2][i] for i in order]
        m = cd.meet(truth, fuzzy([ROWS["regular"][i] for i in order], names))
        found.add((m.digest, drawn.of(m).low))
    assert len(found) == 1


ALIKE = [(0, 1), (1, 2), (2, 3), (3, 0), (4, 5), (5, 6), (6, 7), (7, 4)]
CROSSED = [(0, 2), (2, 1), (1, 3), (3, 0), *ALIKE[4:]]


@pytest.mark.parametrize("name", ["cice_f", "element_similarity"])
def test_samples_of_overlapping_clusterings(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Colours distinguish the four objects that score less from those that score 1."""
    monkeypatch.setattr(tables, "ROWS", 0)
    monkeypatch.setattr(neighbours, "SUBSET", 1e9)
    for module in (overlapping, elements):
        monkeypatch.setattr(module, "BUDGET", 0)
    rng = random.Random(4)
    measure = cd.measure(name).with_params(sample=4, seed=3)
    found, colours = set(), set()
    for _ in range(200):
        objects = rng.sample(range(8), 8)
        clusters = [
            [{objects[x] for x in c} for c in rng.sample(side, len(side))]
            for side in ([*ALIKE, (0, 1, 2, 3)], CROSSED)
        ]
        m = cd.meet(*map(cd.Cover.from_clusters, clusters))
        value = measure.of(m)
        assert isinstance(value, Estimate)
        assert isinstance(m, cd.CoverMeet)
        found.add((m.digest, value, value.error))
        colours |= set(m.colours.tolist())
    assert (len(found), len(colours)) == (1, 2)
    assert value.error > 0


@pytest.mark.parametrize(
    ("kind", "measure"),
    [
        (None, "transport(rand)"),
        (fuzzy, "transport(partition_distance, budget=10000)"),
        (fuzzy, "transport(partition_distance, method='bounds')"),
    ],
)
def test_the_order_does_not_decide_which_way_is_in_the_budget(kind: Any, measure: str) -> None:
    rng = random.Random(0)
    thirds = [dict.fromkeys(rng.sample(range(7), 3), 1 / 3) for _ in range(7)]
    found = set()
    for _ in range(12):
        order, names, other = (rng.sample(range(7), 7) for _ in range(3))
        if kind is None:
            truth: Any = [names[[0, 0, 0, 1, 1, 2, 2][i]] for i in order]
            guess: Any = rough([thirds[i] for i in order], other)
        else:
            truth = kind([ROWS["regular"][i] for i in order], names)
            guess = kind([ROWS["mixed"][i] for i in order], other)
        value = cd.measure(measure)(truth, guess)
        found.add((round(value.low, 12), round(value.high, 12), value.how))
    assert len(found) == 1


def test_the_seed_counts() -> None:
    m = cd.meet([0, 0, 0, 1, 1, 2, 2], fuzzy(ROWS["mixed"], list(range(7))))
    drawn = [cd.transport("rand", method="sample", samples=9, seed=k).of(m).low for k in range(9)]
    assert len(set(drawn)) > 1


def test_in_order_is_the_same_comparison() -> None:
    rng = random.Random(6)
    measures = [cd.rand_alpha(alpha=0.5), cd.transport("rand")]
    for rows in ROWS.values():
        for kind in (fuzzy, rough, evidential):
            m = cd.meet(kind(rows, rng.sample(range(7), 7)), kind(ROWS["mixed"], list(range(7))))
            assert isinstance(m, cd.SoftMeet)
            assert m.in_order == m
            for measure in measures:
                one, other = measure.of(m), measure.of(m.in_order)
                assert float(getattr(one, "low", one)) == pytest.approx(
                    float(getattr(other, "low", other)), abs=1e-12
                )
