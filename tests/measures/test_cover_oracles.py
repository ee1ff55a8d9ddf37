"""Measures of covers equal their oracles, the published definitions written object by object."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import pytest

import clusterdiff as cd
from cases import (
    cover_meet,
    cover_pairs,
    cover_score,
    disturbed,
    families,
    memberships,
    random_cover,
)
from clusterdiff.measures import Measure
from clusterdiff.measures import comembership as neighbours
from clusterdiff.measures import comembership as tables
from clusterdiff.measures import elements as walks
from oracles.overlapping import OVERLAPPING, cice_values, extended_bcubed_values

Memberships = dict[int, frozenset[int]]


def overlap(both: Any, size: Any, other: Any, objects: int) -> Any:
    """A similarity of a user's own, which tells the two clusters apart."""
    return both / (size + other * 0)


RULES = ("one", "zero", "skip")
VARIANTS: list[tuple[str, dict[str, Any]]] = [
    *((name, {}) for name in OVERLAPPING),
    ("onmi", {"variant": "lfk"}),
    *(("diarization_error_rate", {"part": part})
      for part in ("missed", "false alarm", "confusion")),
    ("jaccard_error_rate", {"assignment": "time"}),
    *((f"{family}_{part}", {"uncovered": rule}) for family in ("extended_bcubed", "cice")
      for part in ("precision", "recall", "f") for rule in RULES[1:]),
    *((f"{family}_f", {"f": "objects", "alpha": alpha, "uncovered": rule})
      for family in ("extended_bcubed", "cice") for alpha in (0.5, 0.2, 0, 1) for rule in RULES),
    *((f"cice_{part}", {"similarity": sim, "match": match})
      for part in ("precision", "recall", "f") for sim in ("jaccard", "rand", "f", overlap)
      for match in ("all", "pair")),
]  # fmt: skip


def label(variant: tuple[str, dict[str, Any]]) -> str:
    return str(cd.measure(variant[0]).with_params(**variant[1]))


def wanted(name: str, truth: Memberships, guess: Memberships, params: dict[str, Any]) -> float:
    return float(OVERLAPPING[name](truth, guess, **params))


@pytest.fixture(params=["tabled", "counted", "visited", "both ways"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """All pairs in a table; or which rows are counted through subsets and which are visited."""
    monkeypatch.setattr(tables, "ROWS", 256 if request.param == "tabled" else 0)
    monkeypatch.setattr(neighbours, "SUBSET", 1e9 if request.param == "visited" else 0.0)
    monkeypatch.setattr(neighbours, "MOST", 3 if request.param == "both ways" else 16)
    monkeypatch.setattr(walks, "DENSE", 2 if request.param == "visited" else 3000)
    monkeypatch.setattr(walks, "TOGETHER", 3)
    return str(request.param)


@pytest.mark.parametrize("variant", VARIANTS, ids=label)
def test_equals_the_oracle_on_all_pairs_of_covers_of_three_objects(
    variant: tuple[str, dict[str, Any]],
) -> None:
    """Covers by distinct clusters, objects in none included; pairs up to names of objects."""
    name, params = variant
    ours = cd.measure(name).with_params(**params)
    for n in (1, 2, 3):
        for pair in cover_pairs(n)[:: 1 if n < 3 else 9 if params else 2]:
            truth, guess = (memberships(n, family) for family in pair)
            score = ours.of(cover_meet(n, *pair)) if params else cover_score(ours, n, *pair)
            assert abs(score - wanted(name, truth, guess, params)) < 1e-12, pair


def sampled() -> Iterator[tuple[Memberships, Memberships]]:
    """Pairs of covers of four objects, then larger ones, alike and not, nested and repeated."""
    rng = random.Random(4)
    for _ in range(40):
        pair = [tuple(sorted(rng.sample(range(1, 16), rng.randint(0, 8)))) for _ in "tg"]
        yield memberships(4, pair[0]), memberships(4, pair[1])
    for n, clusters in ((7, 3), (12, 5), (12, 9), (25, 6), (40, 12)):
        truth = random_cover(rng, n, clusters, n // 2)
        yield truth, disturbed(rng, truth)
        yield truth, random_cover(rng, n, clusters + 2, n // 3)


@pytest.mark.parametrize("name", sorted(OVERLAPPING))
def test_equals_the_oracle_on_larger_covers_whichever_way_they_are_counted(
    name: str, way: str
) -> None:
    for truth, guess, scores in expected(name):
        m = cd.meet(cd.Cover(truth), cd.Cover(guess))
        for ours, score in scores:
            assert abs(ours.of(m) - score) < 1e-12, (truth, guess, ours)


@cache
def expected(name: str) -> list[tuple[Memberships, Memberships, list[tuple[Measure, float]]]]:
    """What the oracle says of all variants of a measure, once for all ways of counting."""
    variants = [(cd.measure(name).with_params(**p), p) for found, p in VARIANTS if found == name]
    return [
        (truth, guess, [(ours, wanted(name, truth, guess, params)) for ours, params in some])
        for truth, guess in sampled()
        for some in [variants if len(truth) < 20 else variants[:1]]
    ]


@pytest.mark.parametrize("variant", [v for v in VARIANTS if cd.measure(v[0]).claims.penalise],
                         ids=label)  # fmt: skip
def test_equals_the_oracle_where_objects_are_missing(variant: tuple[str, dict[str, Any]]) -> None:
    name, params = variant
    ours = cd.measure(name).with_params(**params)
    rng = random.Random(len(name))
    for _ in range(40):
        everything = random_cover(rng, rng.randint(1, 8), 3, 4)
        truth, guess = (
            {i: own for i, own in cover.items() if rng.random() < 0.8}
            for cover in (everything, disturbed(rng, everything))
        )
        if truth or guess:
            score = ours(cd.Cover(truth), cd.Cover(guess), align="penalise")
            assert abs(score - wanted(name, truth, guess, params)) < 1e-12, (truth, guess)


@pytest.mark.parametrize(
    ("family", "values"), [("extended_bcubed", extended_bcubed_values), ("cice", cice_values)]
)
def test_objects_have_scores_of_their_own(
    family: str, values: Callable[..., dict[int, tuple[Any, Any]]], way: str
) -> None:
    for truth, guess in sampled():
        if len(truth) > 12 or len(truth) < 5:
            continue
        oracle = values(truth, guess)
        for k, part in enumerate(("precision", "recall")):
            ours = cd.objects(f"{family}_{part}", cd.Cover(truth), cd.Cover(guess))
            assert ours.ids == list(truth)
            for i, score in ours.to_dict().items():
                assert score == pytest.approx(float(oracle[i][k]), abs=1e-12)


def test_there_are_covers_enough() -> None:
    assert len(families(3)) == 128
    assert len(cover_pairs(3)) > 2500
