"""Scores as functions of sums: units drawn with replacement, joined, and scored by the library."""

from __future__ import annotations

from functools import cache
from itertools import product
from typing import Any, NamedTuple

import numpy as np
import pytest

import clusterdiff as cd
from clusterdiff.contingency import HardMeet, Meet
from clusterdiff.measures import Measure
from clusterdiff.measures.sums import UnitSums, sums_of
from clusterdiff.statistics.units import Units, units_of_components, units_of_samples
from oracles.units import (
    Compared,
    components,
    forms,
    met,
    random_covers,
    random_partitions,
    union,
)

CLOSE = 1e-12
SEEDS = (0, 1, 2)
KINDS = ("partitions", "penalised", "covers", "penalised covers")
OF_ROWS = {
    "rand", "adjusted_rand", "pair_precision", "pair_recall", "pair_f", "pair_jaccard",
    "fowlkes_mallows", "mirkin_distance", "bcubed_precision", "bcubed_recall", "bcubed_f",
    "elm_precision", "elm_recall", "elm_f", "lea_precision", "lea_recall", "lea_f",
    "element_similarity", "exact_precision", "exact_recall", "exact_f", "mutual_information",
    "nmi", "homogeneity", "completeness", "v_measure", "vi_distance", "vi_similarity",
    "vi_similarity_k", "muc_precision", "muc_recall", "muc_f", "blanc_precision",
    "blanc_recall", "blanc_f", "inverse_purity", "vi_merge", "pair_correlation",
}  # fmt: skip
"""Measures to which truth clusters add by themselves."""
MEASURES = [m for m in cd.measures() if m.needs != {"soft"} and m.name != "adjusted"]


def no_sum(m: Measure) -> bool:
    given = m.arguments
    return (
        m.name in ("adjusted_mutual_information", "adjusted", "onmi", "pair_sets_index")
        or given.get("similarity") == "rand"
        or (m.name == "blanc_f" and given["f"] == "objects")
    )


def tried(m: Measure, kind: str) -> list[Measure]:
    """The forms of a measure that need no features, and take objects in no cluster."""
    return [
        form
        for form in forms(m)
        if form.arguments.get("similarity") != "mse"
        and not ("covers" in kind and form.arguments.get("uncovered") == "refuse")
    ]


def gap(got: float, want: float) -> float:
    return abs(got - want) / (abs(want) or 1.0)


class Case(NamedTuple):
    """A comparison, its components, and unions of components drawn with replacement."""

    meet: Any
    parts: tuple[Any, ...]
    draws: tuple[np.ndarray, ...]
    unions: tuple[Any, ...]


def fits(m: Measure, kind: str) -> bool:
    if m.name in ("diarization_error_rate", "jaccard_error_rate") and kind == "penalised":
        return False  # what one side lacks is a cluster there, which no speaker of the other is
    return ("penalised" not in kind or m.claims.penalise) and (
        "covers" not in kind or "cover" in m.needs
    )


def drawn(kind: str, seed: int) -> tuple[Compared, str]:
    rng = np.random.default_rng(seed)
    one = random_covers(rng) if "covers" in kind else random_partitions(rng, kind == "penalised")
    if kind == "penalised covers":
        sides = ({x: s for x, s in side.items() if rng.random() < 0.85} for side in one)
        one = Compared(*sides)
    return one, "penalise" if "penalised" in kind else "exact"


@cache
def case(kind: str, seed: int) -> Case:
    one, align = drawn(kind, seed)
    parts = components(one)
    rng = np.random.default_rng(seed + 100)
    draws = (np.arange(len(parts)), *(rng.integers(0, len(parts), len(parts)) for _ in range(2)))
    unions = tuple(met(union(parts[i] for i in draw), align) for draw in draws)
    return Case(met(one, align), tuple(met(p, align) for p in parts), draws, unions)


def vector(sums: UnitSums, count: np.ndarray, names: list[str]) -> np.ndarray:
    """What units add; pairs by numbers of clusters that none has are none."""
    return np.array([count @ sums.terms[n] if n in sums.terms else 0.0 for n in names])


def phi(sums: UnitSums, count: np.ndarray) -> float:
    totals = {name: np.array([count @ term]) for name, term in sums.terms.items()}
    return float(np.asarray(sums.score(totals))[0])


def type_of_parts(c: Case, m: Measure, units: Units, sums: UnitSums) -> np.ndarray:
    """The type of each component, told by what it adds alone."""
    names = list(sums.terms)
    table, found = np.stack([sums.terms[name] for name in names], axis=1), []
    for part in c.parts:
        alone = units_of_components(part, [m])
        assert alone.number == 1
        own = alone.sums(m)
        assert own is not None
        far = np.abs(table - vector(own, alone.count, names)).max(axis=1)
        assert far.min() < 1e-9
        found.append(int(far.argmin()))
    return np.array(found)


@pytest.mark.parametrize(
    ("m", "kind"), [(m, kind) for m in MEASURES for kind in KINDS if fits(m, kind)], ids=str
)
def test_the_score_of_resampled_components(m: Measure, kind: str) -> None:
    for form in tried(m, kind):
        for seed in SEEDS:
            c = case(kind, seed)
            units = units_of_components(c.meet, [form])
            assert units.number == len(c.parts)
            assert int(units.objects @ units.count) == c.meet.objects
            sums = units.sums(form)
            assert (sums is None) == no_sum(form), form
            if sums is None:
                break
            types = type_of_parts(c, form, units, sums)
            for draw, joined in zip(c.draws, c.unions, strict=True):
                count = np.bincount(types[draw], minlength=units.count.size)
                assert gap(phi(sums, count), float(form.of(joined))) < CLOSE, form
            assert gap(phi(sums, units.count), float(form.of(c.meet))) < CLOSE, form


def test_units_with_features() -> None:
    rng = np.random.default_rng(5)
    truth = np.repeat(np.arange(20), 3)
    guess = np.where(rng.random(60) < 0.8, truth, truth ^ 1)
    features = rng.integers(0, 9, (60, 2)).astype(float)
    m = cd.split_merge.with_params(similarity="mse")
    meet = cd.meet(truth, guess, features=features)
    units = units_of_components(meet, [m])
    sums = units.sums(m)
    assert sums is not None
    assert gap(phi(sums, units.count), float(m.of(meet))) < CLOSE
    twice = [np.concatenate([side, side + 100]) for side in (truth, guess)]
    doubled = cd.meet(*twice, features=np.concatenate([features, features]))
    assert gap(phi(sums, 2 * units.count), float(m.of(doubled))) < CLOSE


DIFFICULT = [form for m in MEASURES for form in list(filter(no_sum, forms(m)))[:1]]


@pytest.mark.parametrize(
    "m", [*DIFFICULT, cd.measure("adjusted(element_similarity, samples=50)")], ids=str
)
def test_what_is_no_sum_is_none_by_the_plain_rule_either(m: Measure) -> None:
    """The mean over objects of what each component scores alone is not the score of all."""
    kind = "covers" if "cover" in m.needs else "partitions"
    far = []
    for seed in SEEDS:
        c = case(kind, seed)
        assert units_of_components(c.meet, [m]).sums(m) is None
        alone = np.array([float(m.of(part)) for part in c.parts])
        size = np.array([part.objects for part in c.parts])
        far.append(gap(float(alone @ size / size.sum()), float(m.of(c.meet))))
    assert max(far) > 0.01


@pytest.mark.parametrize("m", [m for m in MEASURES if m.needs != {"cover"}], ids=str)
def test_truth_clusters_as_units(m: Measure) -> None:
    """A measure of rows asks of a truth cluster only its rows, and the sizes of guess clusters."""
    far: list[float] = []
    for form, seed in product(tried(m, "partitions"), SEEDS):
        if not no_sum(form):
            c = case("partitions", seed)
            whole, score = by_truth_clusters(form, c.meet)
            if not whole:
                far.append(gap(score, float(form.of(c.meet))))
    assert (m.name in OF_ROWS) == bool(far)
    assert max(far, default=0.0) < CLOSE


@pytest.mark.parametrize("text", ["purity", "accuracy", "ceaf_e_f", "conll", "split_merge"])
def test_measures_of_whole_components_need_them(text: str) -> None:
    far = []
    for seed in SEEDS:
        c = case("partitions", seed)
        whole, score = by_truth_clusters(cd.measure(text), c.meet)
        assert whole
        far.append(gap(score, float(cd.measure(text).of(c.meet))))
    assert max(far) > 1e-3


def by_truth_clusters(m: Measure, meet: Meet) -> tuple[bool, float]:
    """Whether units are whole components, and the score by what truth clusters add alone."""
    assert isinstance(meet, HardMeet)
    truth, guess, both = meet.written_out()
    sizes = [np.bincount(side, both)[side].astype(np.int64) for side in (truth, guess)]
    totals: dict[str, float] = {}
    for cluster in np.unique(truth):
        rows = np.flatnonzero(truth == cluster)
        alone = HardMeet(
            both=both[rows], truth_size=sizes[0][rows], guess_size=sizes[1][rows],
            times=np.ones_like(rows), truth=np.zeros_like(rows), guess=np.arange(rows.size),
            alignment=meet.alignment,
        )  # fmt: skip
        found = sums_of(m, alone)
        assert found is not None
        for name, term in found[1].terms.items():
            totals[name] = totals.get(name, 0.0) + float(np.sum(term))
    whole = sums_of(m, meet)
    assert whole is not None
    score = whole[1].score({name: np.array([total]) for name, total in totals.items()})
    return whole[1].whole, float(np.asarray(score)[0])


@cache
def documents(kind: str, seed: int, listed: bool) -> tuple[Units, tuple[Compared, ...], Any]:
    """Fourteen documents, and the library's units of them."""
    rng = np.random.default_rng(seed)
    made = []
    for _ in range(14):
        one, align = drawn(kind, int(rng.integers(0, 10**6)))
        keep = set(one.objects[: int(rng.integers(4, 30))])
        made.append(Compared(*({x: s for x, s in side.items() if x in keep} for side in one)))
    cover = "cover" if "covers" in kind else None
    if listed:
        pairs = [tuple(plain(side) for side in one) for one in made]
        report = cd.compare(samples=pairs, measures=FIRST[kind], align=align, kind=cover)
    else:
        sides = [
            {(d, x): said for d, one in enumerate(made) for x, said in plain(one[i]).items()}
            for i in (0, 1)
        ]
        names = {key: f"d{key[0]:02}" for side in sides for key in side}
        keys = {key: i for i, key in enumerate(names)}
        truth, guess = ({keys[key]: said for key, said in side.items()} for side in sides)
        samples = {keys[key]: name for key, name in names.items()}
        report = cd.compare(
            truth, guess, FIRST[kind], samples=samples, align=align, kind=cover
        )  # fmt: skip
    score = next(iter(report.scores["guess"].values()))
    assert len(score.samples) == 14
    assert score.split is not None
    units = units_of_samples(score.split)
    assert units is not None
    return units, tuple(made), score.meet


FIRST = {"partitions": "elm_f", "penalised": "elm_f", "covers": "cover_f1"}


def plain(side: Any) -> dict[Any, Any]:
    return {x: sorted(said) if isinstance(said, frozenset) else said for x, said in side.items()}


@pytest.mark.parametrize("listed", [False, True], ids=["stack", "list"])
@pytest.mark.parametrize("kind", list(FIRST))
def test_the_score_of_resampled_documents(kind: str, listed: bool) -> None:
    units, made, pooled = documents(kind, 3, listed)
    align = "penalise" if kind == "penalised" else "exact"
    assert units.number == 14
    rng = np.random.default_rng(1)
    draws = [np.arange(14), rng.integers(0, 14, 14), rng.integers(0, 14, 14)]
    unions = [met(union(made[i] for i in draw), align) for draw in draws]
    every = [form for m in MEASURES if fits(m, kind) for form in tried(m, kind)]
    for form in every:
        if no_sum(form):
            continue
        sums = units.sums(form)
        assert sums is not None, form
        assert gap(phi(sums, units.count), float(form.of(pooled))) < CLOSE, form
        for draw, joined in zip(draws, unions, strict=True):
            count = np.bincount(draw, minlength=14)
            assert gap(phi(sums, count), float(form.of(joined))) < CLOSE, form


def test_components_of_one_type_are_alike() -> None:
    """Whatever the components are, types and counts give the comparison back."""
    for seed in range(30):
        one, align = drawn("partitions", seed)
        units = units_of_components(met(one, align))
        sizes = sorted(np.repeat(units.objects, units.count).tolist())
        assert sizes == sorted(len(part.objects) for part in components(one))


def test_covers_in_which_a_side_has_no_cluster() -> None:
    nothing = {x: frozenset[Any]() for x in range(12)}
    something = {x: frozenset([x // 2]) for x in range(12)}
    for sides in ((nothing, something), (something, nothing), (nothing, nothing)):
        meet = met(Compared(*sides))
        units = units_of_components(meet)
        assert units.number == (12 if sides == (nothing, nothing) else 6)
        for m in (cd.cover_f1, cd.omega, cd.extended_bcubed_f):
            sums = units.sums(m)
            assert sums is not None
            assert phi(sums, units.count) == pytest.approx(float(m.of(meet)), abs=1e-12)
