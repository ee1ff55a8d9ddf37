"""Confidence intervals: what they are by hand, what leaves them as they are, what is refused."""

from __future__ import annotations

import json
import math
import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.stats import t as student

import clusterdiff as cd
from clusterdiff.statistics import units as units_of_tables
from clusterdiff.statistics.confidence import Confidence, ScoreIntervals, level_of
from clusterdiff.statistics.intervals import (
    ConfidenceInterval,
    ConfidenceIntervals,
    betting,
    draws_of_counts,
    interval,
    recomputed,
    replicates,
)
from clusterdiff.statistics.units import units_of_components
from oracles.units import (
    Compared,
    components,
    jackknife,
    jackknife_by_hand,
    korn_graubard,
    labels,
    large,
    met,
    random_covers,
    random_partitions,
    scale,
    sizes_of,
    union,
)
from refusals import refuses

MEASURES = ["elm_f", "pair_f", "adjusted_rand", "nmi", "exact_f", "ceaf_e_f", "split_merge",
            "vi_distance", "mirkin_distance", "muc_f", "purity_f", "blanc_f"]  # fmt: skip


def sures(report: Any) -> dict[str, ConfidenceInterval]:
    return {name: report[name].ci for name in report}


# What an interval is


def check(sure: ConfidenceInterval, wanted: dict[str, float]) -> None:
    for name, value in wanted.items():
        assert getattr(sure, name) == pytest.approx(value, rel=1e-8), name


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(
    "name",
    ["elm_f", "pair_f", "exact_f", "bcubed_precision", "purity_f", "lea_f", "ceaf_e_f", "muc_f",
     "split_merge", "vi_distance", "conll", "accuracy", "adjusted_rand", "rand", "nmi",
     "panoptic_quality", "panoptic_quality_rq", "panoptic_quality_sq", "match_f", "boundary_f",
     "pure_whole_f", "exact_accuracy", "vi_split", "pair_correlation", "asymmetric_nmi",
     "pair_correlation_distance"],
)  # fmt: skip
def test_jackknife_from_scratch(name: str, seed: int) -> None:
    """Each unit is left out, and the rest is scored anew."""
    one = large(seed)
    units = components(one)
    sure = cd.compare(*labels(one), name, confidence=0.95)[name].ci
    check(sure, jackknife_by_hand(name, one))
    assert sure.count == len(units)
    largest = max(max(own) / sum(own) for own in sizes_of(name, units))
    assert sure.leverage == pytest.approx(largest, rel=1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_jackknife_of_normalized_clustering_accuracy(seed: int) -> None:
    """Its sums, the shares of truth clusters that are kept and their number, stay as large."""
    from scipy.optimize import linear_sum_assignment

    one = large(seed)
    sums = []
    for unit in components(one):
        truths, guesses = sorted(set(unit.truth.values())), sorted(set(unit.guess.values()))
        table = np.zeros((len(truths), len(guesses)))
        for x, label in unit.truth.items():
            table[truths.index(label), guesses.index(unit.guess[x])] += 1
        table /= table.sum(axis=1, keepdims=True)
        sums.append((table[linear_sum_assignment(table, maximize=True)].sum(), len(truths)))
    kept, clusters = np.array(sums).T
    k = len(sums)
    rest = [np.array([x.sum() - x]) * k / (k - 1) for x in (kept, clusters)]
    without = ((rest[0] - 1) / (rest[1] - 1))[0].tolist()
    name = "normalized_clustering_accuracy"
    sure = cd.compare(*labels(one), name, confidence=0.95)[name].ci
    value = (kept.sum() - 1) / (clusters.sum() - 1)
    check(sure, jackknife(value, without, (0.0, 1.0), sizes=sizes_of(name, components(one))))


@given(
    st.floats(0.0005, 0.9995),
    st.floats(1e-4, 0.9),
    st.floats(1.0, 300.0),
    st.sampled_from([0.5, 0.8, 0.95, 0.999]),
    st.sampled_from([(0.0, 1.0), (-0.5, 1.0), (0.0, math.inf)]),
)
def test_an_interval_holds_its_value_and_keeps_its_bounds(
    value: float, se: float, df: float, level: float, bounds: tuple[float, float]
) -> None:
    low, high = interval(value, se, df, level, bounds)
    assert bounds[0] <= low <= value <= high <= bounds[1]
    less, more = interval(value, se, df, level * 0.9, bounds)
    assert low <= less <= more <= high


def test_an_interval_far_beyond_what_floats_hold() -> None:
    assert interval(0.9999, 0.5, 2, 0.95, (-0.5, 1.0)) == (-0.5, 1.0)
    assert interval(0.9999, 0.5, 2, 0.95, (0.0, 1.0)) == (0.0, 1.0)
    assert interval(1e-4, 0.5, 2, 0.95, (0.0, math.inf)) == (0.0, math.inf)


# What leaves it as it is


@settings(max_examples=20)
@given(st.integers(0, 10**6), st.randoms(use_true_random=False))
def test_names_and_order_change_nothing(seed: int, random: Any) -> None:
    one = large(seed % 50)
    truth, guess = labels(one)
    first = cd.compare(truth, guess, MEASURES, confidence=0.95)
    order = list(range(len(truth)))
    random.shuffle(order)
    codes = [{x: i for i, x in enumerate(random.sample(list(set(s)), len(set(s))))}
             for s in (truth, guess)]  # fmt: skip
    again = cd.compare(
        [f"t{codes[0][truth[i]]}" for i in order], [codes[1][guess[i]] for i in order],
        MEASURES, confidence=0.95,
    )  # fmt: skip
    assert sures(first) == sures(again)
    for name, sure in sures(first).items():
        low, high = cd.measure(name).claims.bounds
        assert low <= sure.low <= first[name].value <= sure.high <= high
        assert sure.se > 0


@settings(max_examples=15)
@given(st.integers(0, 10**6))
def test_covers_by_names_and_order(seed: int) -> None:
    rng = np.random.default_rng(seed % 40)
    one = union([random_covers(rng), random_covers(rng)])
    assume(len(components(one)) >= 10)
    measures = ["cover_f1", "omega", "extended_bcubed_f", "cice_f", "element_similarity"]

    def compared(c: Compared) -> Any:
        return ScoreIntervals(Confidence(0.95), met(c), None, ())

    turned = Compared(*({x: side[x] for x in reversed(side)} for side in one))
    for name in measures:
        m = cd.measure(name)
        first, again = (compared(c).score(m, m.of(met(c))) for c in (one, turned))
        assert first == again
        low, high = m.claims.bounds
        assert low <= first.low <= m.of(met(one)) <= first.high <= high


def test_a_higher_level_is_wider() -> None:
    truth, guess = labels(large(1))
    found = [cd.compare(truth, guess, "elm_f", confidence=c)["elm_f"].ci for c in (0.8, 0.95, 99)]
    assert found[0].se == found[1].se == found[2].se
    assert found[2].low < found[1].low < found[0].low < found[0].high < found[1].high


def test_units_that_agree_make_it_narrower() -> None:
    one = large(2)
    more = union([one, *[Compared({0: 0}, {0: 0})] * 200])
    narrow, wide = (
        cd.compare(*labels(c), "elm_f", confidence=0.95)["elm_f"].ci for c in (more, one)
    )
    assert narrow.se < wide.se
    assert narrow.count == wide.count + 200


# What is refused


def refused(truth: Any, guess: Any, name: str = "elm_f", **given: Any) -> ConfidenceInterval:
    sure = cd.compare(truth, guess, name, **{"confidence": 0.95, **given})[name].ci
    assert isinstance(sure, ConfidenceInterval)
    assert not sure
    assert math.isnan(sure.low)
    assert sure.to_dict()["refused"] == sure.refused
    return sure


@pytest.mark.parametrize("units", [50, 200])
def test_a_perfect_run_has_a_low_end(units: int) -> None:
    """Of equal units without an error, the low end is that of Clopper and Pearson."""
    truth = [x // 2 for x in range(2 * units)]
    for name in MEASURES:
        if cd.measure(name).claims.bounds[1] != 1:
            sure = refused(truth, truth, name)
            assert sure.refused == f"no error in {units} units: there is no spread to measure"
            continue
        sure = cd.compare(truth, truth, name, confidence=0.95)[name].ci
        assert (sure.low, sure.high) == (pytest.approx(0.025 ** (1 / units)), 1)
        assert (sure.method, sure.se, sure.count) == ("korn-graubard", 0, units)
    report = cd.compare(truth, truth, "elm_f", confidence=0.95)
    assert "the interval is Korn and Graubard's" in " ".join(str(report).split())


def test_a_perfect_run_of_unequal_entities() -> None:
    rng = np.random.default_rng(0)
    truth = np.repeat(np.arange(300), rng.integers(1, 9, 300)).tolist()
    parts = components(Compared(*[dict(enumerate(truth))] * 2))
    for name in ("pair_f", "pair_precision", "elm_f", "muc_f", "exact_f", "ceaf_e_f", "nmi"):
        sure = cd.compare(truth, truth, name, confidence=0.9)[name].ci
        wanted = korn_graubard(1, 0, sizes_of(name, parts), 0.9)
        assert (sure.low, sure.high) == pytest.approx(wanted), name


def test_documents_without_an_error() -> None:
    """A mean over samples is a share of equal units."""
    pairs = {f"d{i}": ([0, 0, 1], [0, 0, 1]) for i in range(40)}
    score = cd.compare(samples=pairs, measures="elm_f", confidence=0.95)["elm_f"]
    assert (score.ci.low, score.ci.high) == (pytest.approx(0.025 ** (1 / 40)), 1)
    few = pairs | {"d0": ([0, 0, 1], [0, 1, 1])}
    sure = cd.compare(samples=few, measures="elm_f", confidence=0.95)["elm_f"].ci
    each = [1.0] * 39 + [float(cd.elm_f([0, 0, 1], [0, 1, 1]))]
    without = [(sum(each) - x) / 39 for x in each]
    check(sure, jackknife(float(np.mean(each)), without, (0.0, 1.0), sizes=[[1.0] * 40]))
    assert sure.method == "korn-graubard"


def test_every_unit_wrong_has_a_high_end() -> None:
    truth = [x // 2 for x in range(40)]
    sure = cd.compare(truth, list(range(40)), "elm_f", confidence=0.95)["elm_f"].ci
    assert (sure.low, sure.high) == (0, pytest.approx(1 - 0.025 ** (1 / 20)))


THREES = [x // 3 for x in range(60)]
SEVENTH = [x // 3 if x % 7 else 100 + x for x in range(30)]
LARGE = labels(large(0))
GIANT = (
    'name documents or blocks as samples; or pass units="objects" (--units objects on the command '
    "line) if objects were drawn one by one."
)


def test_units_are_advised_only_where_they_would_do() -> None:
    """Objects are, of which there are enough; each guess is named, and the hint is given once."""
    truth = [x // 4 for x in range(16)]
    guesses = {"one": truth, "two": [0] * 16}
    told = cd.compare(truth, guesses, confidence=0.95).notes()
    assert [note for note in told if note.startswith("—")] == [
        "— differences not tested: 1 component is too few for an interval (10 are needed).",
        "— one: all 14 scores: 4 components are too few for an interval (10 are needed). Hint: "
        + GIANT,
        "— two: all 14 scores: 1 component is too few for an interval (10 are needed).",
    ]
    assert cd.compare(truth, truth, "elm_f", confidence=0.95, units="objects")["elm_f"].ci
    (note,) = [
        note
        for note in cd.compare(truth[:8], truth[:8], "elm_f", confidence=0.95).notes()
        if note.startswith("—")
    ]
    assert note == "— elm_f: 2 components are too few for an interval (10 are needed)."


def test_measures_are_named_where_others_have_intervals() -> None:
    notes = cd.compare(*LARGE, ["elm_f", "adjusted_mutual_information"], confidence=0.95).notes()
    assert any(note.startswith("— adjusted_mutual_information is not a sum") for note in notes)


RECOMPUTE = 'elm_f and pair_f have an interval; the method "bootstrap" recomputes it 200 times.'


@pytest.mark.parametrize(
    ("truth", "guess", "name", "why", "hint"),
    [
        (range(12), range(12), "pair_f", "no error in 12 units: there is no spread to measure",
         "with 95 % confidence at most 26 % of such units have one."),
        (THREES, [x if i % 3 else -i - 1 for i, x in enumerate(THREES)], "elm_f",
         "leaving out any of the 20 units leaves the score as it is: no spread to measure", ""),
        (THREES[:27], SEVENTH[:27], "elm_f",
         "9 components are too few for an interval (10 are needed)", GIANT),
        (THREES, [(x + 1) // 3 for x in range(60)], "elm_f",
         "1 component is too few for an interval (10 are needed)", GIANT),
        (*LARGE, "adjusted_mutual_information", "adjusted_mutual_information is not a sum over "
         "units", 'nmi has an interval; the method "bootstrap" recomputes it 200 times.'),
        (*LARGE, "blanc_f(f='objects')", "blanc_f(f='objects') is not a sum over units", RECOMPUTE),
        (*LARGE, "adjusted(rand)", "adjusted(rand) is not a sum over units", RECOMPUTE),
    ],
)  # fmt: skip
def test_refusals(truth: Any, guess: Any, name: str, why: str, hint: str) -> None:
    sure = refused(truth, guess, name)
    assert (sure.refused, sure.hint) == (why, hint)
    assert sure.units == "components"


def test_ten_components_are_enough() -> None:
    sure = cd.compare(THREES[:30], SEVENTH, "elm_f", confidence=0.95)["elm_f"].ci
    assert (bool(sure), sure.count) == (True, 10)


def test_covers_that_are_no_sum() -> None:
    one = union(random_covers(np.random.default_rng(i)) for i in (0, 1))
    onmi = ScoreIntervals(Confidence(0.95), met(one), None, ()).score(cd.onmi, 0.5)
    why = ("onmi is not a sum over units", "cover_f1 has an interval.")
    assert (onmi.refused, onmi.hint) == why


def test_six_documents() -> None:
    report = documents(6)
    for sure in (report["elm_f"].ci, report["elm_f"].micro_ci):
        assert sure.refused == "6 samples are too few for an interval (10 are needed)"
        assert sure.hint.endswith("only if the samples are blocks of one data set.")


@pytest.mark.parametrize(
    "level", [0.4, 1, 100, 0, -1, 1.5, math.nan, math.inf, True, "0.95", 0.9999]
)
def test_levels_that_make_no_sense(level: Any) -> None:
    refuses("from 0.5 to 0.999", cd.compare, [1, 1, 2], [1, 1, 2], "elm_f", confidence=level)


def test_percent() -> None:
    for percent, level in ((95, 0.95), (99.9, 0.999), (50, 0.5)):
        assert level_of(percent) == level_of(level) == pytest.approx(level)
    truth, guess = labels(large(0))
    both = [cd.compare(truth, guess, "elm_f", confidence=c)["elm_f"].ci for c in (95, 0.95)]
    assert both[0] == both[1]


def test_words_that_are_not_known() -> None:
    for words in ({"units": "clusters"}, {"method": "bca"}, {"strata": ["a"]}):
        refuses(None, cd.compare, [1, 1, 2], [1, 1, 2], confidence=0.95, **words)
        refuses(None, cd.compare, [1, 1, 2], [1, 1, 2], **words)
    refuses("needs? samples", cd.compare, [1, 1, 2], [1, 1, 2], confidence=0.95, units="samples")


# Objects as units


def by_objects(
    value: float, without: list[float], bounds: tuple[float, float], plain: bool = False
) -> dict[str, float]:
    """The jackknife with n - 1 degrees of freedom: on the logit scale for shares, plain else."""
    return jackknife(value, without, bounds, plain or bounds != (0.0, 1.0), df=len(without) - 1)


def without_each(one: Compared, m: Any, align: str = "exact") -> list[float]:
    """The score without each object in turn, from lists that lack it."""
    left = (
        Compared(*({y: c for y, c in s.items() if y != x} for s in one)) for x in one.objects
    )  # fmt: skip
    return [float(m.of(met(some, align))) for some in left]


def classes(seed: int, objects: int, right: float = 0.7, many: int = 3) -> tuple[Any, Any]:
    """A few large classes, and a guess at them."""
    rng = np.random.default_rng(seed)
    truth = {x: int(rng.integers(0, many)) for x in range(objects)}
    guess = {x: c if rng.random() < right else int(rng.integers(0, many)) for x, c in truth.items()}
    return truth, guess


@pytest.mark.parametrize("align", ["exact", "penalise"])
@pytest.mark.parametrize(
    "name",
    ["pair_f", "pair_precision", "adjusted_rand", "rand", "nmi", "elm_f", "bcubed_f", "purity",
     "adjusted_mutual_information", "vi_distance", "accuracy"],
)  # fmt: skip
def test_objects_of_few_large_classes(name: str, align: str) -> None:
    """Each object is left out, and the rest scored anew."""
    m = cd.measure(name)
    if align == "penalise" and not m.claims.penalise:
        pytest.skip("has no such form")
    truth, guess = classes(0, 60)
    if align == "penalise":
        truth = {x: c for x, c in truth.items() if x > 3}
        guess = {x: c for x, c in guess.items() if x < 56}
    one = Compared(truth, guess)
    sure = cd.compare(truth, guess, name, align=align, confidence=0.95, units="objects")[name].ci
    value = float(m.of(met(one, align)))
    check(sure, by_objects(value, without_each(one, m, align), m.claims.bounds))
    assert (sure.units, sure.count) == ("objects", 60)


def without_each_row(m: Any, sides: Any, counts: dict[int, int], **how: Any) -> list[float]:
    """The score without each row that is given, with all its copies."""
    scores = []
    for left in counts:
        truth, guess = ({x: c for x, c in side.items() if x != left} for side in sides)
        scores.append(float(m.of(cd.meet(truth, guess, count=counts, **how))))
    return scores


@pytest.mark.parametrize("align", ["exact", "penalise"])
@pytest.mark.parametrize(
    "name", ["pair_f", "adjusted_rand", "nmi", "elm_f", "purity", "vi_distance", "accuracy"]
)
def test_rows_with_counts_are_units(name: str, align: str) -> None:
    """Each row that is given is left out, and the rest scored anew; differences too."""
    m = cd.measure(name)
    if align == "penalise" and not m.claims.penalise:
        pytest.skip("has no such form")
    truth, guess = classes(0, 60)
    other = classes(0, 60, 0.5)[1]
    counts = {x: 1 + 7 * x % 5 for x in truth}
    if align == "penalise":
        truth = {x: c for x, c in truth.items() if x > 3}
        guess = {x: c for x, c in guess.items() if x < 56}
    report = cd.compare(
        truth, {"a": guess, "b": other}, name, align=align, confidence=0.95, units="objects",
        count=counts,
    )  # fmt: skip
    sure = report[name]["a"].ci
    value = float(m.of(cd.meet(truth, guess, count=counts, align=align)))
    assert report[name]["a"].value == value
    left = without_each_row(m, (truth, guess), counts, align=align)
    check(sure, by_objects(value, left, m.claims.bounds))
    assert (sure.units, sure.count) == ("objects", 60)
    moved = np.array(left) - without_each_row(m, (truth, other), counts, align=align)
    se = math.sqrt(59 / 60 * ((moved - moved.mean()) ** 2).sum())
    found = report.difference(name, "a", "b")
    assert found.units == "objects"
    assert found.se == pytest.approx(se, rel=1e-8)


def test_many_different_counts_are_interpolated(monkeypatch: pytest.MonkeyPatch) -> None:
    truth, guess = classes(1, 200)
    counts = {x: 100 + x * x % 97 for x in truth}
    each = [
        cd.compare(truth, guess, name, confidence=0.95, units="objects", count=counts)[name].ci
        for name in ("pair_f", "elm_f", "nmi")
    ]
    monkeypatch.setattr(units_of_tables, "CELLS", 30)
    some = [
        cd.compare(truth, guess, name, confidence=0.95, units="objects", count=counts)[name].ci
        for name in ("pair_f", "elm_f", "nmi")
    ]
    assert [(one.low, one.high) for one in each] != [(one.low, one.high) for one in some]
    for one, other in zip(each, some, strict=True):
        assert (one.low, one.high) == pytest.approx((other.low, other.high), abs=1e-4)


def test_copies_that_are_clusters_each_are_no_units() -> None:
    truth, guess = classes(2, 40)
    guess |= {0: "n", 1: "n"}
    how: dict[str, Any] = {"confidence": 0.95, "units": "objects", "noise": "n"}
    with pytest.raises(cd.ClusterdiffError, match="each copy of some is a cluster of its own"):
        cd.compare(truth, guess, "pair_f", count=dict.fromkeys(truth, 2), **how)
    sure = cd.compare(
        truth, guess, "pair_f", count=dict.fromkeys(truth, 2), noise_as="drop", **how
    )["pair_f"].ci
    assert sure.count == 38
    one, other = ({x: [c] for x, c in side.items()} for side in classes(2, 40))
    with pytest.raises(cd.ClusterdiffError, match="objects cannot be units where they have counts"):
        cd.compare(
            one, other, "cover_f1", kind="cover", confidence=0.95, units="objects",
            count=dict.fromkeys(range(40), 2),
        )  # fmt: skip


@pytest.mark.parametrize("name", ["cover_f1", "omega", "extended_bcubed_f", "onmi"])
def test_objects_of_covers(name: str) -> None:
    rng = np.random.default_rng(3)
    sides: tuple[dict[int, frozenset[int]], ...] = ({}, {})
    for x in range(100):
        own = frozenset(np.flatnonzero(rng.random(3) < 0.5).tolist()) or frozenset([0])
        sides[0][x] = own
        sides[1][x] = own if rng.random() < 0.75 else frozenset([int(rng.integers(0, 3))])
    one, m = Compared(*sides), cd.measure(name)
    asked = ScoreIntervals(Confidence(0.95), met(one), None, (m,))
    value = float(m.of(met(one)))
    sure = asked.score(m, value)
    assert (sure.units, sure.count) == ("objects", 100)
    check(sure, by_objects(value, without_each(one, m), m.claims.bounds))


def test_objects_are_units_by_default_of_few_large_clusters() -> None:
    truth, guess = classes(1, 150, 0.9)
    named, plain = (
        cd.compare(truth, guess, ["adjusted_rand", "nmi"], confidence=0.95, units=units)
        for units in ("objects", None)
    )
    assert sures(named) == sures(plain)
    assert "units: 150 objects, as if each object was drawn by itself" in (
        " ".join(str(plain).split())
    )


@pytest.mark.parametrize("seed", range(5))
def test_objects_are_never_units_by_default_of_entities(seed: int) -> None:
    """Where most clusters are small, the clusters are what was drawn: few units are too few."""
    rng = np.random.default_rng(seed)
    truth = [0] * 400 + [1 + x // 2 for x in range(8)]
    guess = [int(rng.integers(0, 2)) for _ in range(400)] + [10 + x // 2 for x in range(8)]
    sure = refused(truth, guess, "pair_f")
    assert (sure.units, sure.count) == ("components", 5)
    many = [x // 2 for x in range(400)]
    wrong = [x if rng.random() < 0.9 else 1000 + i for i, x in enumerate(many)]
    assert cd.compare(many, wrong, "elm_f", confidence=0.95)["elm_f"].ci.units == "components"
    chain = [(x + 1) // 2 for x in range(400)]
    assert refused(many, chain, "elm_f").units == "components"


@pytest.mark.parametrize("given", [{}, {"units": "objects"}, {"units": "objects", "samples": 2}])
def test_differences_over_objects_from_scratch(given: dict[str, Any]) -> None:
    """Each object is left out of truth and both guesses, of documents pooled too."""
    truth, one = classes(2, 100, 0.8)
    other = {x: c if x % 4 else (c + 1) % 3 for x, c in truth.items()}
    names = ["adjusted_rand", "nmi", "elm_f", "pair_f"]
    micro = "samples" in given
    if micro:
        truth, one, other = ({x: (x % 20, c) for x, c in s.items()} for s in (truth, one, other))
        given = given | {"samples": {x: f"d{x % 20}" for x in truth}}
    guesses = {"one": one, "other": other}
    report = cd.compare(truth, guesses, names, confidence=0.95, **given)
    if micro:
        means = cd.compare(truth, guesses, names, confidence=0.95, samples=given["samples"])
        assert "t-test over 20 samples and 100 objects" in " ".join(report.notes())
    for name in names:
        m = cd.measure(name)
        sides = Compared(truth, one), Compared(truth, other)
        left, right = (np.array(without_each(side, m)) for side in sides)
        gaps = (left - right).tolist()
        value = float(m.of(met(sides[0]))) - float(m.of(met(sides[1])))
        if micro:
            assert report.difference(name, "one", "other") == means.difference(name, "one", "other")
        found = report.difference(name, "one", "other", micro=micro)
        wanted = by_objects(value, gaps, (-9.0, 9.0), plain=True)
        for key, own in wanted.items():
            assert getattr(found, key) == pytest.approx(own, rel=1e-7), (name, key)
        p = 2 * student.sf(abs(value) / wanted["se"], len(truth) - 1)
        assert found.p == pytest.approx(p, rel=1e-7)
        assert (found.units, found.count) == ("objects", 100)


# Documents


def documents(count: int, seed: int = 0, measures: Any = "elm_f", **given: Any) -> Any:
    rng = np.random.default_rng(seed)
    pairs = {f"d{i}": labels(random_partitions(rng)) for i in range(count)}
    return cd.compare(samples=pairs, measures=measures, **{"confidence": 0.95, **given})


@pytest.mark.parametrize("name", ["elm_f", "adjusted_rand", "nmi", "adjusted_mutual_information"])
def test_the_mean_over_documents(name: str) -> None:
    score = documents(14, 1, name)[name]
    k = len(score.each)
    without = [(sum(score.each) - x) / (k - 1) for x in score.each]
    check(score.ci, jackknife(float(np.mean(score.each)), without, score.measure.claims.bounds))
    assert score.ci.se == pytest.approx(np.std(score.each, ddof=1) / math.sqrt(k))
    assert (score.ci.units, score.ci.count) == ("samples", 14)


def test_documents_pooled() -> None:
    rng = np.random.default_rng(1)
    made = [random_partitions(rng) for _ in range(14)]
    score = documents(14, 1)["elm_f"]
    without = [float(cd.elm_f.of(met(union(made[:i] + made[i + 1 :])))) for i in range(14)]
    check(score.micro_ci, jackknife(score.micro, without, (0.0, 1.0)))


def stratified(each: list[float], strata: list[str], value: float) -> dict[str, float]:
    """JKn of a mean: every stratum keeps the weight that it has."""
    n, variance = len(each), 0.0
    for s in set(strata):
        own = [x for x, at in zip(each, strata, strict=True) if at == s]
        rest = sum(each) - sum(own)
        k = len(own)
        without = [(rest + (sum(own) - x) * k / (k - 1)) / n for x in own]
        variance += (k - 1) / k * sum((x - float(np.mean(without))) ** 2 for x in without)
    se, df = math.sqrt(variance), n - len(set(strata))
    there, back, slope = scale((0.0, 1.0))
    reach = float(student.ppf(0.975, df)) * se * slope(value)
    return {
        "se": se,
        "df": df,
        "low": back(there(value) - reach),
        "high": back(there(value) + reach),
    }


def test_strata() -> None:
    strata = {f"d{i}": "abc"[i % 3] for i in range(15)}
    report = documents(15, 2, ["elm_f", "nmi"], strata=strata)
    for name in report:
        score = report[name]
        each = list(score.each)
        check(score.ci, stratified(each, list(strata.values()), float(np.mean(each))))
    pooled = report["elm_f"]
    size = [m.objects for m in pooled.split.meets]
    variance = 0.0
    total, n = np.array(pooled.each) * size, np.array(size)
    for s in "abc":
        own = np.array([at == s for at in strata.values()])
        k = own.sum()
        without = []
        for i in np.flatnonzero(own):
            weight = np.where(own, k / (k - 1), 1.0)
            weight[i] = 0
            without.append((total @ weight) / (n @ weight))
        variance += (k - 1) / k * np.sum((without - np.mean(without)) ** 2)
    assert pooled.micro_ci.se == pytest.approx(math.sqrt(variance), rel=1e-9)
    assert pooled.micro_ci.df == 12


def test_strata_that_make_no_sense() -> None:
    for strata, told in (
        ({"d0": "a"}, "14 of 15 samples have no stratum"),
        ({f"d{i}": "a" if i else "b" for i in range(15)}, "1 of 2 strata have one sample only: b"),
    ):
        refuses(told, documents, 15, 2, strata=strata)
    truth, guess = labels(large(0))
    with pytest.raises(cd.ClusterdiffError, match="the units here are components"):
        cd.compare(truth, guess, "elm_f", confidence=0.95, strata={"a": "b"})


def test_both_ends_of_an_interval_valued_score() -> None:
    rng = np.random.default_rng(0)
    pairs = {}
    for i in range(12):
        truth = rng.integers(0, 2, 5).tolist()
        pairs[f"d{i}"] = truth, cd.Rough([{0} if rng.random() < 0.6 else {0, 1} for _ in truth])
    score = cd.compare(samples=pairs, measures="rand_alpha", confidence=0.95)["rand_alpha"]
    assert isinstance(score.ci, ConfidenceIntervals)
    for end, own in (("low", score.ci.low), ("high", score.ci.high)):
        each = [getattr(x, end) if isinstance(x, cd.ScoreRange) else x for x in score.each]
        without = [(sum(each) - x) / 11 for x in each]
        check(own, jackknife(float(np.mean(each)), without, (0.0, 1.0)))
    assert set(score.to_dict()["ci"]) == {"low_end", "high_end"}
    assert "ci:jackknife 95" in score.sign()


# Bootstrap and betting


def test_bootstrap_against_data_written_out() -> None:
    """Units drawn as often as the counts say, joined, and scored from scratch."""
    one = large(3)
    meet = met(one)
    every = tuple(cd.measure(name) for name in MEASURES)
    units = units_of_components(meet, every)
    counts = np.concatenate(list(draws_of_counts(units.count, 40, 7)))
    assert (counts.sum(axis=1) == len(components(one))).all()
    kinds: list[Compared] = []
    for kind in range(units.count.size):
        rows, cells = np.flatnonzero(units.type == kind), units.meet
        assert isinstance(cells, cd.HardMeet)
        sides: tuple[dict[Any, Any], dict[Any, Any]] = ({}, {})
        for row in rows:
            for copy in range(cells.both[row]):
                sides[0][row, copy] = cells.truth[row]
                sides[1][row, copy] = cells.guess[row]
        kinds.append(Compared(*sides))
    unions = [
        met(union(kinds[i] for i in np.repeat(np.arange(counts.shape[1]), draw.astype(int))))
        for draw in counts
    ]
    for name in MEASURES:
        m = cd.measure(name)
        sums = units.sums(m)
        assert sums is not None
        wanted = [float(m.of(joined)) for joined in unions]
        assert replicates(sums, units.count, 40, 7).tolist() == pytest.approx(wanted, rel=1e-9)
        asked = Confidence(0.9, method="bootstrap", draws=40, seed=7)
        sure = ScoreIntervals(asked, meet, None, every).score(m, m.of(meet))
        assert (sure.low, sure.high) == pytest.approx(tuple(np.quantile(wanted, [0.05, 0.95])))
        assert (sure.draws, sure.seed, sure.method) == (40, 7, "bootstrap")
    ami = cd.adjusted_mutual_information
    found = recomputed(ami, units, 40, 7)
    assert found is not None
    assert found.tolist() == pytest.approx([float(ami.of(joined)) for joined in unions], rel=1e-9)


def test_bootstrap_says_what_was_drawn() -> None:
    truth, guess = labels(large(1))
    drawn: dict[str, Any] = {"confidence": 0.95, "method": "bootstrap"}
    first, again, other = (
        cd.compare(truth, guess, "elm_f", seed=seed, **drawn)["elm_f"] for seed in (0, 0, 1)
    )
    assert first.ci == again.ci != other.ci
    assert "|ci:bootstrap 95|boot:2000|seed:0|" in first.sign()
    ami = cd.compare(truth, guess, "adjusted_mutual_information", **drawn)
    sure = ami["adjusted_mutual_information"].ci
    assert (sure.draws, sure.low < sure.high) == (200, True)


@pytest.mark.parametrize("method", ["jackknife", "bootstrap", "betting"])
def test_documents_in_any_order(method: Any) -> None:
    rng = np.random.default_rng(6)
    pairs = {f"d{i}": labels(random_partitions(rng)) for i in range(13)}
    turned = {name: pairs[name] for name in reversed(pairs)}
    measures = ["elm_f", "nmi", "ceaf_e_f", "split_merge", "adjusted_mutual_information"]
    strata = None if method == "betting" else {name: len(name) for name in pairs}
    first, again = (
        cd.compare(samples=some, measures=measures, confidence=0.95, method=method, strata=strata)
        for some in (pairs, turned)
    )
    for m in measures:
        assert first[m].ci.to_dict() == again[m].ci.to_dict()
        assert first[m].micro_ci.to_dict() == again[m].micro_ci.to_dict()


def test_bootstrap_within_strata() -> None:
    strata = np.array([0, 0, 0, 1, 1, 1, 1])
    for drawn in draws_of_counts(np.ones(7, np.int64), 50, 0, strata):
        assert (drawn[:, :3].sum(axis=1) == 3).all()
        assert (drawn[:, 3:].sum(axis=1) == 4).all()
    given = {f"d{i}": "ab"[i % 2] for i in range(14)}
    report = documents(14, 3, ["elm_f", "adjusted_mutual_information"], strata=given,
                       method="bootstrap")  # fmt: skip
    assert all(report[name].micro_ci for name in report)


@settings(max_examples=20)
@given(st.lists(st.floats(0, 1), min_size=10, max_size=80), st.randoms(use_true_random=False))
def test_betting(values: list[float], random: Any) -> None:
    low, high = betting(np.array(values), 0.95, 0)
    assert 0 <= low <= np.mean(values) <= high <= 1
    assert betting(np.array(random.sample(values, len(values))), 0.95, 0) == (low, high)
    less, more = betting(np.array(values), 0.8, 0)
    assert low <= less <= more <= high


def test_betting_is_wider_and_for_means_alone() -> None:
    plain, careful = (documents(40, 5, method=m)["elm_f"] for m in ("jackknife", "betting"))
    assert careful.ci.high - careful.ci.low > 1.5 * (plain.ci.high - plain.ci.low)
    assert careful.ci.low < careful.value < careful.ci.high
    assert "betting is for means" in careful.micro_ci.refused
    assert "|ci:betting 95|seed:0|" in careful.sign()
    truth, guess = labels(large(0))
    assert "betting is for means" in refused(truth, guess, method="betting").refused


def test_betting_covers_what_it_promises() -> None:
    rng = np.random.default_rng(0)
    missed = 0
    for _ in range(150):
        low, high = betting(rng.beta(0.4, 2, 20), 0.9, 0)
        missed += not low <= 0.4 / 2.4 <= high
    assert missed <= 15


# What is told


def test_signature_and_json() -> None:
    truth, guess = labels(large(1))
    report = cd.compare(truth, guess, ["elm_f", "adjusted_mutual_information"], confidence=95)
    score = report["elm_f"]
    count = score.ci.count
    assert f"|units:components|count:{count}|ci:jackknife 95|" in score.sign()
    told = json.loads(report.to_json())
    [own] = [s for s in _all(told) if isinstance(s, dict) and s.get("method") == "jackknife"]
    assert set(own) == {
        "level", "low", "high", "se", "method", "units", "count", "effective", "df", "leverage"
    }  # fmt: skip
    assert own["low"] == score.ci.low
    assert [s for s in _all(told) if isinstance(s, dict) and "refused" in s]
    assert "sure:" not in report["adjusted_mutual_information"].sign()


def _all(told: Any) -> list[Any]:
    inner = told.values() if isinstance(told, dict) else told if isinstance(told, list) else ()
    return [told, *(x for one in inner for x in _all(one))]


def test_without_confidence_nothing_is_said() -> None:
    score = cd.compare(*labels(large(1)), "elm_f")["elm_f"]
    assert score.ci is None
    assert "ci" not in score.to_dict()
    assert "units:" not in score.sign()


def test_reports_travel() -> None:
    truth, guess = labels(large(1))
    guesses = {"a": guess, "b": [*guess[:40], *truth[40:]]}
    report = cd.compare(truth, guesses, ["elm_f", "nmi"], confidence=0.95)
    wanted = report.difference("elm_f", "a", "b")
    again = pickle.loads(pickle.dumps(report))
    assert {g: s["elm_f"].ci for g, s in again.scores.items()} == {
        g: s["elm_f"].ci for g, s in report.scores.items()
    }
    assert again.difference("elm_f", "a", "b") == wanted
    assert str(again) == str(report)
    unasked = cd.compare(truth, guesses, "elm_f", confidence=0.95)
    fresh = pickle.loads(pickle.dumps(unasked))
    assert fresh.difference("elm_f", "a", "b") == wanted


def entities(largest: int) -> tuple[list[Any], list[Any]]:
    """Forty entities of two, three of them split, and one large entity without an error."""
    truth = ["large"] * largest + [f"e{x // 2}" for x in range(80)]
    guess = [label if i not in (largest, largest + 4) else f"x{i}" for i, label in enumerate(truth)]
    return truth, guess


@pytest.mark.parametrize(("largest", "told"), [(3, False), (4, True), (12, True)])
def test_scores_that_hang_on_one_unit(largest: int, told: bool) -> None:
    """Above a tenth of the pairs it is said, whether the unit errs or not."""
    truth, guess = entities(largest)
    pairs = largest * (largest - 1) / 2
    report = cd.compare(truth, guess, ["pair_f", "pair_recall"], confidence=0.95)
    recall, both = pairs / (pairs + 40), pairs / (pairs + 38)
    assert report["pair_recall"].ci.leverage == pytest.approx(recall)
    assert report["pair_f"].ci.leverage == pytest.approx(both)
    note = (
        f"One component holds {100 * both:.0f} % of what pair_f divides by, so whether it errs "
        "decides the score; the same holds for pair_recall; more data would tell."
    )
    assert (both > 0.1) == told
    assert (note in report.notes()) == told
    assert any("divides by" in line for line in report.notes()) == told


def test_the_mean_of_objects_has_the_interval_of_the_score() -> None:
    truth = {i: i // 3 for i in range(60)}
    guess = {i: x if i % 7 else -i for i, x in truth.items()}
    docs = {i: f"d{i // 5}" for i in truth}
    found = cd.objects(truth, guess, "elm_f", confidence=0.95)
    whole = cd.compare(truth, guess, "elm_f", confidence=0.95)["elm_f"]
    assert found.ci == whole.ci
    assert f"({whole.ci.low:.4g}–" in repr(found)
    sampled = cd.objects(truth, guess, "elm_f", samples=docs, confidence=0.95)
    pooled = cd.compare(truth, guess, "elm_f", samples=docs, confidence=0.95)["elm_f"]
    assert sampled.ci is not None
    assert sampled.ci == pooled.micro_ci
    assert sampled.ci.units == "samples"
    assert cd.objects(truth, guess).ci is None


def test_what_truth_does_not_know_is_said_beside_intervals() -> None:
    truth = {i: i // 3 for i in range(60)}
    guess = {i: i // 3 if i % 7 else -i for i in range(90)}
    report = cd.compare(truth, guess, "elm_f", align="shared", confidence=0.95)
    assert any(
        "30 objects that truth does not have are left out" in note for note in report.notes()
    )
    same = cd.compare(truth, {i: guess[i] for i in truth}, "elm_f", confidence=0.95)
    assert not any("does not have" in note for note in same.notes())


def test_the_leverage_of_omega_is_a_share_of_pairs() -> None:
    """Of 40 pairs of objects and one cluster of ten, which has 45 pairs of truth; the guess keeps
    nine of its objects together, and 36 of its pairs.
    """
    labels = [str(i // 2) for i in range(80)] + ["large"] * 10
    truth = cd.Cover([[x, "both"] if i < 2 else [x] for i, x in enumerate(labels)])
    guess = cd.Cover([[x, "both"] if i < 2 else [x] for i, x in enumerate([*labels[:-1], "alone"])])
    sure = cd.compare(truth, guess, "omega", confidence=0.95)["omega"].ci
    assert sure.leverage == pytest.approx(max(45 / 85, 36 / 76))
