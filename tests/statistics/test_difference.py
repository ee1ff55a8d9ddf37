"""Two guesses on the same units: the paired jackknife and its t-test from scratch."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.stats import t as student

import clusterdiff as cd
from clusterdiff.statistics.intervals import Difference, holm
from oracles.units import component_of_objects, jackknife, parts
from refusals import refuses

Sides = tuple[dict[Any, Any], dict[Any, Any], dict[Any, Any]]
PLAIN = ("elm_f", "pair_f", "exact_f", "purity_f", "ceaf_e_f", "muc_f", "lea_f", "bcubed_recall")
"""Measures that do not depend on how many objects there are."""
ALL = (*PLAIN, "adjusted_rand", "nmi", "rand", "split_merge", "conll", "blanc_f")


def guesses(seed: int, clusters: int = 14, wrong: float = 0.15) -> Sides:
    """Clusters of one to four, and two guesses with other mistakes."""
    rng = np.random.default_rng(seed)
    truth: dict[int, int] = {}
    for label in range(clusters):
        for _ in range(int(rng.integers(1, 5))):
            truth[len(truth)] = label
    made = []
    for own in (wrong, 1.6 * wrong):
        lost = {x: label if rng.random() > own else 100 + x for x, label in truth.items()}
        merged = {c: c - 1 if c % 2 and rng.random() < 2 * own else c for c in range(clusters)}
        made.append({x: merged.get(label, label) for x, label in lost.items()})
    return truth, made[0], made[1]


def union_of(units: list[Any]) -> Sides:
    made: Sides = ({}, {}, {})
    for i, unit in enumerate(units):
        for whole, side in zip(made, unit, strict=True):
            whole.update({(i, x): f"{i}/{label}" for x, label in side.items()})
    return made


def compared(sides: Sides, measures: Any, **given: Any) -> Any:
    keys = {x: i for i, x in enumerate(dict.fromkeys(x for side in sides for x in side))}
    truth, one, other = ({keys[x]: label for x, label in s.items()} for s in sides)
    return cd.compare(truth, {"a": one, "b": other}, measures, **given)


def gaps(sides: Sides, measures: Any, **given: Any) -> dict[str, float]:
    report = compared(sides, measures, **given)
    return {m: report[m]["a"].value - report[m]["b"].value for m in report}


def units_of(sides: Sides) -> list[Any]:
    return parts(sides, component_of_objects(sides))


def check(found: Difference, value: float, without: list[float]) -> None:
    assert found.value == pytest.approx(value, abs=1e-12)
    wanted = jackknife(value, without, (-9.0, 9.0), plain=True)
    wanted["p"] = 2 * float(student.sf(abs(value) / wanted["se"], wanted["df"]))
    for name, own in wanted.items():
        assert getattr(found, name) == pytest.approx(own, rel=1e-7), name
    assert found.count == len(without)


# The interval


@pytest.mark.parametrize("seed", range(3))
def test_paired_jackknife_from_scratch(seed: int) -> None:
    """Each three-way component is left out of both guesses, and both are scored anew."""
    sides = guesses(seed, 20)
    units = units_of(sides)
    assert len(units) >= 10
    rest = [gaps(union_of(units[:i] + units[i + 1 :]), PLAIN) for i in range(len(units))]
    report, value = compared(sides, PLAIN, confidence=0.95), gaps(sides, PLAIN)
    for m in PLAIN:
        check(report.difference(m, "a", "b"), value[m], [one[m] for one in rest])


@pytest.mark.parametrize("align", ["penalise", "singletons", "shared"])
def test_objects_that_not_all_know(align: str) -> None:
    rng = np.random.default_rng(8)
    truth, one, other = guesses(5, 24)
    sides: Sides = (
        {x: c for x, c in truth.items() if rng.random() < 0.9},
        {x: c for x, c in one.items() if rng.random() < 0.9},
        {x: c for x, c in other.items() if rng.random() < 0.9},
    )
    if align == "shared":
        every = set(sides[0]) & set(sides[1]) & set(sides[2])
        units = units_of(tuple({x: s[x] for x in s if x in every} for s in sides))  # type: ignore[arg-type]
    else:
        units = units_of(sides)
    measures = ["elm_f", "pair_f", "exact_f"]
    rest = [
        gaps(union_of(units[:i] + units[i + 1 :]), measures, align=align) for i in range(len(units))
    ]
    report = compared(sides, measures, align=align, confidence=0.95)
    value = gaps(sides, measures, align=align)
    for m in measures:
        check(report.difference(m, "a", "b"), value[m], [own[m] for own in rest])


def test_noise_is_alone() -> None:
    truth, one, other = guesses(6, 24)
    rng = np.random.default_rng(1)
    noisy: Sides = (truth, *({x: -1 if rng.random() < 0.15 else c for x, c in s.items()}
                             for s in (one, other)))  # type: ignore[assignment]  # fmt: skip
    alone: Sides = (truth, *({x: 1000 + x if c == -1 else c for x, c in s.items()}
                             for s in noisy[1:]))  # type: ignore[assignment]  # fmt: skip
    found = compared(noisy, "elm_f", noise=-1, confidence=0.95).difference("elm_f", "a", "b")
    wanted = compared(alone, "elm_f", confidence=0.95).difference("elm_f", "a", "b")
    assert found == wanted
    assert found.count == len(units_of(alone))


# The test


def test_the_same_precision_of_fewer_pairs_is_not_significant() -> None:
    """Two guesses with the same wrong merge, one of which finds far fewer pairs."""
    truth = [i // 2 for i in range(400)]
    new = [0 if x <= 1 else x for x in truth]
    old = [x if not (t >= 140 and i % 2) else f"x{i}"
           for i, (t, x) in enumerate(zip(truth, new, strict=True))]  # fmt: skip
    measures = ["pair_precision", "pair_f"]
    report = cd.compare(truth, {"old": old, "new": new}, measures, confidence=0.95)
    found = report.difference("pair_precision", "new", "old")
    assert [round(x, 3) for x in (found.value, found.low, found.high)] == [0.008, -0.025, 0.042]
    assert found.p == pytest.approx(0.42, abs=0.005)
    precision, pair_f = report.table().rows
    assert not any("†" in cell for cell in precision)
    assert pair_f[2].endswith(" †")
    assert report.table().best == {(0, 2), (1, 2)}


@settings(max_examples=60)
@given(st.integers(0, 10**6), st.floats(0.02, 0.3), st.sampled_from([0.5, 0.8, 0.9, 0.95, 0.99]))
def test_significant_is_what_the_interval_says(seed: int, wrong: float, level: float) -> None:
    sides = guesses(seed, 20, wrong)
    assume(len(units_of(sides)) >= 10)
    report = compared(sides, ALL, confidence=level)
    for m in ALL:
        found = report.difference(m, "a", "b")
        if found.tested:
            outside = found.low > 0 or found.high < 0
            assert (found.p <= 1 - level) == outside == found.significant, m


def test_both_verdicts_occur() -> None:
    """The rule above is not met by guesses that are all alike, or all apart."""
    found = [
        compared(guesses(seed, 40, 0.1), "elm_f", confidence=0.95).difference("elm_f", "a", "b")
        for seed in range(20)
    ]
    assert {one.significant for one in found} == {False, True}


def test_the_other_way_round() -> None:
    report = compared(guesses(1, 40), ALL, confidence=0.95)
    for m in ALL:
        one, other = report.difference(m, "a", "b"), report.difference(m, "b", "a")
        assert one.value == -other.value
        assert (one.low, one.high) == pytest.approx((-other.high, -other.low), rel=1e-9)
        assert one.p == pytest.approx(other.p, rel=1e-12)


def test_units_that_differ_are_counted() -> None:
    sides = guesses(0, 12, 0.06)
    more: Sides = tuple({**s, **{1000 + x: 5000 + x // 2 for x in range(80)}} for s in sides)  # type: ignore[assignment]
    first, second = (
        compared(s, "elm_f", confidence=0.95).difference("elm_f", "a", "b") for s in (sides, more)
    )
    apart = [unit for unit in units_of(sides) if as_sets(unit[1]) != as_sets(unit[2])]
    assert first.differ == second.differ == len(apart)
    assert second.count == first.count + 40


def as_sets(side: dict[Any, Any]) -> set[frozenset[Any]]:
    return {frozenset(x for x in side if side[x] == c) for c in side.values()}


def test_what_is_not_tested_says_why() -> None:
    """All units differ by the same: there is no spread, and no p."""
    truth = {x: x // 3 for x in range(60)}
    one = {x: c if x % 3 else -x - 1 for x, c in truth.items()}
    report = compared((truth, truth, one), "elm_f", confidence=0.95)
    found = report.difference("elm_f", "a", "b")
    assert not found.tested
    assert not found.significant
    assert found.refused == (
        "the difference is the same whichever of the 20 components is left out, so there is no "
        "spread to measure"
    )
    assert f"— differences not tested: elm_f: {found.refused}." in report.notes()
    assert not any("†" in line for line in report.notes())
    assert "†" not in str(report.table().rows)
    assert report.table().best == {(0, 1)}


def test_guesses_that_are_alike() -> None:
    truth, one, _ = guesses(1, 20)
    report = compared(
        (truth, one, {x: f"c{label}" for x, label in one.items()}), ALL, confidence=0.95
    )
    for m in ALL:
        found = report.difference(m, "a", "b")
        assert (found.value, found.p, found.differ) == (0, 1, 0)
        assert (found.low, found.high, found.se) == (0, 0, 0)
    assert not report.table().best
    assert "†" not in str(report.table().rows)


def test_what_cannot_be_asked() -> None:
    report = compared(guesses(1, 20), ["elm_f", "adjusted_mutual_information"], confidence=0.95)
    refuses("compared with itself", report.difference, "elm_f", "a", "a")
    refuses("there is no guess 'c'", report.difference, "elm_f", "a", "c")
    found = report.difference("adjusted_mutual_information", "a", "b")
    assert found.refused == "adjusted_mutual_information is not a sum over units"
    assert set(found.to_dict()) == {"value", "refused"}
    covers = [cd.Cover([[x, "all"] for x in side.values()]) for side in guesses(1, 20)]
    named = {"a": covers[1], "b": covers[2]}
    report = cd.compare(covers[0], named, "cice_f", confidence=0.95, units="objects")
    found = report.difference("cice_f", "a", "b")
    assert found.refused == "differences over objects need partitions with a table of few cells"
    plain = compared(guesses(1, 20), "elm_f")
    refuses("no intervals", plain.difference, "elm_f", "a", "b")


# Several guesses


@given(st.lists(st.floats(0.0001, 1), min_size=1, max_size=8))
def test_holm_by_hand(values: list[float]) -> None:
    order = sorted(range(len(values)), key=lambda i: values[i])
    wanted = [0.0] * len(values)
    for place, i in enumerate(order):
        before = [(len(values) - j) * values[order[j]] for j in range(place + 1)]
        wanted[i] = min(1.0, max(before))
    found = holm(dict(enumerate(values)))
    assert [found[i] for i in range(len(values))] == pytest.approx(wanted)


def three(seed: int = 0) -> tuple[Any, dict[str, Any]]:
    truth, good, bad = guesses(seed, 60, 0.05)
    same = {x: 900 + x if x in (0, 7) else label for x, label in good.items()}
    worse = {x: 700 + x if x % 3 else label for x, label in bad.items()}
    return truth, {"bad": worse, "good": good, "near": same}


def test_the_best_of_several() -> None:
    truth, named = three()
    report = cd.compare(truth, named, ["elm_f", "pair_f"], confidence=0.95)
    for m in report:
        values = {g: report[m][g].value for g in named}
        best = max(values, key=lambda g: values[g])
        against = report.against_best(m)
        assert set(against) == set(named) - {best}
        plain = {g: report.difference(m, best, g).p for g in against}
        assert {g: d.p for g, d in against.items()} == holm(plain)
        assert {d.holm for d in against.values()} == {2}
        sure = all(d.p <= 0.05 for d in against.values())
        row = next(r for r in report.table().rows if r[0] == m)
        cell = row[1 + list(named).index(best)]
        assert cell.endswith(" †") == sure
        assert (list(report).index(m), 1 + list(named).index(best)) in report.table().best
    assert "Holm" in str(report)
    told = report.to_dict()
    assert "holm" in str(told)


def test_pairs_of_guesses_have_units_of_their_own() -> None:
    truth, named = three()
    report = cd.compare(truth, named, "elm_f", confidence=0.95)
    for one, other in (("bad", "good"), ("good", "near"), ("bad", "near")):
        found = report.difference("elm_f", one, other)
        assert found.count == len(units_of((truth, named[one], named[other])))
        two = cd.compare(truth, {g: named[g] for g in (one, other)}, "elm_f", confidence=0.95)
        assert two.difference("elm_f", one, other) == found


# Documents


def novels(count: int, seed: int = 0) -> list[Sides]:
    return [guesses(100 * seed + i, 8, 0.12) for i in range(count)]


def by_documents(made: list[Sides], measures: Any, turned: bool = False, **given: Any) -> Any:
    """Documents side by side, or in the opposite order of documents and of objects."""
    sides: Sides = ({}, {}, {})
    samples = {}
    for d, one in sorted(enumerate(made), reverse=turned):
        for whole, side in zip(sides, one, strict=True):
            for x, label in sorted(side.items(), reverse=turned):
                whole[1000 * d + x] = label
                samples[1000 * d + x] = f"d{d:02}"
    named = {"a": sides[1], "b": sides[2]}
    return cd.compare(sides[0], named, measures, samples=samples, **{"confidence": 0.95, **given})


def test_documents_by_their_means() -> None:
    made = novels(12)
    each = np.array([gaps(one, "elm_f")["elm_f"] for one in made])
    found = by_documents(made, "elm_f").difference("elm_f", "a", "b")
    check(found, each.mean(), [(each.sum() - x) / 11 for x in each])
    assert found.units == "samples"


def test_documents_pooled() -> None:
    made = novels(11, 1)
    found = by_documents(made, PLAIN)
    value = gaps(union_of(made), PLAIN)
    rest = [gaps(union_of(made[:i] + made[i + 1 :]), PLAIN) for i in range(11)]
    for m in PLAIN:
        check(found.difference(m, "a", "b", micro=True), value[m], [one[m] for one in rest])


def test_with_samples_both_differences_have_a_column() -> None:
    report = by_documents(novels(12), ["elm_f", "nmi(norm='max')"])
    table = report.table()
    assert table.headings[-2:] == ("b − a macro", "b − a micro")
    for row in table.rows:
        for cell, micro in zip(row[-2:], (False, True), strict=True):
            found = report.difference(row[0], "b", "a", micro=micro)
            assert cell.startswith(f"{found.value:+.2f}".replace("-", "−")[:5])
            shown = re.search(r"p (?:= ([\d.]+)|< 0.001)$", cell)
            assert shown is not None
            assert found.p == pytest.approx(float(shown[1] or 0), abs=0.006)


def test_documents_in_any_order() -> None:
    made = novels(40, 3)
    report, again = (by_documents(made, ["elm_f", "nmi"], turned) for turned in (False, True))
    assert list(again.samples) != list(report.samples)
    for m in report:
        for micro in (False, True):
            found = report.difference(m, "a", "b", micro=micro)
            assert again.difference(m, "a", "b", micro=micro) == found


def test_components_within_documents() -> None:
    """They are the units of pooled scores; those of means are samples, as in their intervals."""
    made = novels(11, 1)
    report = by_documents(made, "elm_f", units="components")
    found, mean = (report.difference("elm_f", "a", "b", micro=micro) for micro in (True, False))
    assert report["elm_f"]["a"].ci.units == mean.units == "samples"
    assert mean == by_documents(made, "elm_f").difference("elm_f", "a", "b")
    assert found.units == "components"
    assert found.count == sum(len(units_of(one)) for one in made)
    assert found.value == pytest.approx(gaps(union_of(made), "elm_f")["elm_f"])


def test_strata_of_documents() -> None:
    made = novels(12, 2)
    strata = {f"d{d:02}": "ab"[d % 2] for d in range(12)}
    found = by_documents(made, "elm_f", strata=strata).difference("elm_f", "a", "b")
    each = np.array([gaps(one, "elm_f")["elm_f"] for one in made])
    variance = 0.0
    for own in (each[::2], each[1::2]):
        without = [(own.sum() - x) * 6 / 5 / 12 for x in own]
        variance += 5 / 6 * np.sum((without - np.mean(without)) ** 2)
    assert found.se == pytest.approx(math.sqrt(variance), rel=1e-9)
    assert found.df == 10


# Engines


@settings(max_examples=8)
@given(st.integers(0, 1000))
def test_names_and_order(seed: int) -> None:
    sides = guesses(seed, 25)
    rng = np.random.default_rng(seed)
    order = rng.permutation(len(sides[0])).tolist()
    turned: Sides = tuple({x: f"{s[x]}!" for x in order} for s in sides)  # type: ignore[assignment]
    first, again = (compared(s, ALL, confidence=0.95) for s in (sides, turned))
    for m in ALL:
        assert first.difference(m, "a", "b") == again.difference(m, "a", "b")


def test_files_and_memory(tmp_path: Path) -> None:
    truth, one, other = guesses(4, 80)
    frame = pl.DataFrame({"id": list(truth), "t": list(truth.values()), "a": list(one.values()),
                          "b": list(other.values())})  # fmt: skip
    frame.write_csv(tmp_path / "run.csv")
    frame.select("id", cluster="t").write_parquet(tmp_path / "truth.parquet")
    measures = ["elm_f", "pair_f", "adjusted_rand", "nmi", "ceaf_e_f", "conll"]
    memory = compared((truth, one, other), measures, confidence=0.95)
    guess = {name: cd.read(tmp_path / "run.csv", id="id", cluster=name) for name in "ab"}
    lazy = {name: f"{tmp_path / 'run.csv'}::{name}" for name in "ab"}
    for report in (
        cd.compare(cd.read(tmp_path / "truth.parquet"), guess, measures, confidence=0.95),
        cd.compare(
            str(tmp_path / "truth.parquet"), lazy, measures, confidence=0.95, engine="duckdb"
        ),
    ):
        for m in measures:
            assert report.difference(m, "a", "b") == memory.difference(m, "a", "b")
            assert {g: report[m][g].ci for g in "ab"} == {g: memory[m][g].ci for g in "ab"}
        assert str(report.table()) == str(memory.table())


def test_json() -> None:
    report = compared(guesses(0, 60), "elm_f", confidence=0.95)
    found = report.difference("elm_f", "b", "a")
    told = found.to_dict()
    assert told["test"] == "jackknife t"
    assert set(told) == {
        "value", "low", "high", "se", "level", "p", "test", "units", "count", "differ", "signature"
    }  # fmt: skip
    assert told["signature"].startswith("measure:elm_f(alpha=0.5, f='objects')|")
    own = f"units:components|count:{found.count}|ci:jackknife 95|test:jackknife t"
    assert told["signature"].endswith(f"|{own}")
    meets = " ".join(str(report["elm_f"][name].signature["meet"]) for name in "ba")
    assert f"|meet:{meets}|" in told["signature"]
    assert "b - a" in str(report.to_dict())
