"""Worked numbers: five components by hand, five documents, and two real data sets."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import polars as pl
import pytest

import clusterdiff as cd
from clusterdiff.measures.sums import UnitSums
from clusterdiff.statistics.intervals import Target, jackknife, leave_one_out
from clusterdiff.statistics.units import Units, units_of_components
from journeys.places import DATA
from oracles.units import Compared, components, met

MAX = "nmi(norm='max')"
MEASURES = ["elm_f", "pair_f", MAX]
NINE: dict[str, Any] = {"abs": 6e-10, "rel": 0}


def clusters(text: str) -> dict[int, int]:
    return {int(x): number for number, part in enumerate(text.split("|")) for x in part.split()}


FIVE = Compared(clusters("1 2 3|4 5|6 7|8|9|10 11 12"), clusters("1 2|3|4 5 6|7|8|9|10 11 12"))
"""Components of 3, 4, 1, 1 and 3 objects."""


def by_component(m: Any) -> tuple[Units, UnitSums, list[int]]:
    """Units, their sums, and the type of each component as they stand."""
    units = units_of_components(met(FIVE), [m])
    sums = units.sums(m)
    assert sums is not None
    table = np.stack(list(sums.terms.values()), axis=1)
    found = []
    for part in components(FIVE):
        alone = units_of_components(met(part), [m]).sums(m)
        assert alone is not None
        own = np.array([term.sum() for term in alone.terms.values()])
        found.append(int(np.abs(table - own).max(axis=1).argmin()))
    return units, sums, found


ROWS: dict[str, tuple[float, tuple[float, ...], tuple[float, ...], float]] = {
    "elm_f": (23 / 36, (0.703703704, 0.791666667, 0.606060606, 0.606060606, 0.518518519),
        (0.187589232, 2.635515013, 0.156174599, 0.944173470), 23 / 33),
    "pair_f": (2 / 3, (0.727272727, 0.8, 0.666666667, 0.666666667, 0.444444444),
        (0.237779065, 1.926880644, 0.092989692, 0.975009697), 5 / 7),
    "adjusted_rand": (
        0.624145786, (0.690695725, 0.769230769, 0.626945072, 0.626945072, 0.385204932),
        (0.256893299, 1.915366003, -0.5, 0.943653299), 0.676470588),
    "bcubed_f": (
        0.845173042, (0.869976359, 0.909090909, 0.830853994, 0.830853994, 0.792420327),
        (0.079412193, 2.559899063, 0.503073649, 0.967142691), 0.862068966),
    "nmi(norm='max')": (
        0.849098018, (0.878488313, 0.861008435, 0.841952509, 0.841952509, 0.807274323),
        (0.047439179, 2.309980803, 0.668096998, 0.940223087), 0.811945757),
    "exact_f": (6 / 13, (0.6, 0.666666667, 0.363636364, 0.363636364, 0.363636364),
        (0.267590686, 3.762519533, 0.041342479, 0.944556029), 0.5),
    "ceaf_e_f": (0.810256410, (0.893333333, 0.844444444, 0.775757576, 0.775757576, 0.775757576),
        (0.096346008, 2.782848979, 0.428430222, 0.960517434), 0.766666667),
    "split_merge": (0.591924932, (0.649026630, 0.782732438, 0.554827198, 0.554827198, 0.455899909),
        (0.220253148, 2.346756118, 0.103425827, 0.948023306), 0.683974456),
}  # fmt: skip
"""The score, that without each component, (standard error, effective units, low, high), and that
with the first component twice and without the second.
"""


@pytest.mark.parametrize("name", list(ROWS))
def test_five_components(name: str) -> None:
    value, without, ends, replicate = ROWS[name]
    m = cd.measure(name)
    units, sums, types = by_component(m)
    assert units.number == 5
    assert sorted(np.repeat(units.objects, units.count).tolist()) == [1, 1, 3, 3, 4]
    found = leave_one_out(sums, units.count)
    assert found.value == pytest.approx(value, **NINE)
    assert found.without[types].tolist() == pytest.approx(list(without), **NINE)
    sure = jackknife(sums, units.count, Target.of(m, found.value, 0.95))
    assert (sure.se, sure.effective, sure.low, sure.high) == pytest.approx(ends, **NINE)
    assert (sure.df, sure.count) == (4, 5)
    count = np.bincount(types, [2, 0, 1, 1, 1], units.count.size)
    totals = {key: np.array([count @ term]) for key, term in sums.terms.items()}
    assert float(np.asarray(sums.score(totals))[0]) == pytest.approx(replicate, **NINE)


def test_bootstrap_of_objects_makes_copies_pairs() -> None:
    """All 27 resamples of three objects: why objects are no units of a bootstrap."""
    truth, guess = "aab", "xxx"
    means = np.zeros(3)
    for draw in product(range(3), repeat=3):
        pairs = [(draw[i], draw[j]) for i in range(3) for j in range(i)]
        same = [(truth[a] == truth[b], guess[a] == guess[b]) for a, b in pairs]
        means += [sum(t for t, _ in same), sum(g for _, g in same), sum(t & g for t, g in same)]
    assert (means / 27).tolist() == pytest.approx([5 / 3, 3, 5 / 3], abs=1e-12)
    assert (means / 27).tolist() == pytest.approx([(1 - 1 / 3) * (p + 3 / 2) for p in (1, 3, 1)])
    with pytest.raises(cd.ClusterdiffError, match="objects cannot be units for bootstrap"):
        cd.compare(list(truth), list(guess), "pair_f", confidence=0.95, units="objects",
                   method="bootstrap")  # fmt: skip


def here(name: str) -> Any:
    path = DATA / name
    if not path.exists():
        pytest.skip(f"{name} is not here")
    return pl.read_csv(path, infer_schema_length=0)


def test_records_of_people() -> None:
    frame = here("rldata10000.csv")
    report = cd.compare(
        frame["identity"], frame["name_by"], ["elm_f", "pair_f", "adjusted_rand"], confidence=0.95
    )
    elm = report["elm_f"]
    assert elm.value == pytest.approx(0.832133, abs=5e-7)
    assert (elm.ci.count, elm.ci.units) == (8901, "components")
    assert elm.ci.se == pytest.approx(0.005124, abs=5e-7)
    assert elm.ci.effective == pytest.approx(957.37, abs=5e-3)
    assert elm.ci.df == pytest.approx(2145.5, abs=5e-2)
    for name, low, high in (
        ("elm_f", 0.821844, 0.841942),
        ("pair_f", 0.332148, 0.398010),
        ("adjusted_rand", 0.330593, 0.396572),
    ):
        sure = report[name].ci
        assert (sure.low, sure.high) == pytest.approx((low, high), abs=5e-7)


def test_records_of_people_by_two_guesses() -> None:
    frame = here("rldata10000.csv")
    guesses = {"by": frame["name_by"], "bm": frame["name_bm"]}
    report = cd.compare(frame["identity"], guesses, MEASURES, confidence=0.95)
    found = {name: report.difference(name, "bm", "by") for name in report}
    assert {d.count for d in found.values()} == {8379}
    assert {name: d.differ for name, d in found.items()} == {
        "elm_f": 697,
        "pair_f": 699,
        MAX: 699,
    }
    for name, ends in {
        "elm_f": (-0.065, -0.075, -0.055),
        "pair_f": (-0.070, -0.105, -0.034),
        MAX: (0.0005, 0.0000, 0.0009),
    }.items():
        d = found[name]
        assert (d.value, d.low, d.high) == pytest.approx(ends, abs=6e-4 if name != MAX else 6e-5)
    assert found["elm_f"].p < 0.001
    assert found["pair_f"].p < 0.001
    assert found[MAX].p == pytest.approx(0.05, abs=0.01)


def test_novels() -> None:
    frame = here("coref_litbank.csv")
    mention = pl.format("{}-{}", "start", "end")
    sides = [frame.select("doc", id=mention, cluster=column) for column in ("gold", "same_string")]
    report = cd.compare(sides[0], sides[1], ["elm_f", "conll"], samples="doc", confidence=0.95)
    elm, conll = report["elm_f"], report["conll"]
    assert elm.value == pytest.approx(0.406049, abs=5e-7)
    assert elm.ci.se == pytest.approx(0.007466, abs=5e-7)
    assert elm.ci.effective == pytest.approx(42.83, abs=5e-3)
    assert (elm.ci.low, elm.ci.high) == pytest.approx((0.391324, 0.420944), abs=5e-7)
    assert conll.micro == pytest.approx(0.672431, abs=5e-7)
    ends = (conll.micro_ci.low, conll.micro_ci.high)
    assert ends == pytest.approx((0.661566, 0.683115), abs=5e-7)
