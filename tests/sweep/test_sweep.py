"""A sweep through the public API: cuts, reports, intervals, levels, noise."""

from __future__ import annotations

from typing import Any

import pytest

import clusterdiff as cd
from sweep.graphs import drawn

TRUTH = {1: "x", 2: "x", 3: "x", 4: "y", 5: "y", 6: "z"}
ROWS = [(1, 2, 0.9), (4, 5, 0.9), (2, 3, 0.7), (3, 4, 0.7), (5, 6, 0.4), (1, 3, 0.2)]


def test_objects_that_conduct_are_cut_and_reported() -> None:
    rows = [(1, 7, 0.8), (7, 4, 0.8), (1, 2, 0.5)]
    truth = {1: "x", 2: "x", 4: "y"}
    curve = cd.sweep(truth, rows, "elm_f", align="shared")
    assert len(curve.cut(0.8)) == 4
    assert curve.at(0.8)["elm_f"].value == 0
    assert "1 object of pairs not in truth: they link others" in str(curve)
    alone = cd.sweep(truth, rows, "elm_f", align="singletons")
    guess = {1: 1, 7: 1, 4: 1, 2: 2}
    assert alone["elm_f"][1] == pytest.approx(cd.elm_f({**truth, 7: "new"}, guess))


def test_a_cluster_is_called_like_its_smallest_object() -> None:
    for rows in (ROWS, ROWS[::-1]):
        shuffled = dict(reversed(list(TRUTH.items())))
        found = cd.sweep(shuffled, rows, "pair_f").cut(0.9)
        assert found.ids is not None
        assert dict(zip(found.ids.tolist(), found.labels.tolist(), strict=True)) == {
            1: 1, 2: 1, 3: 3, 4: 4, 5: 4, 6: 6,
        }  # fmt: skip


def test_measures_that_were_not_asked_for_are_scored_later() -> None:
    curve = cd.sweep(TRUTH, ROWS, "pair_f")
    assert curve["elm_f"] == pytest.approx([1 / 6, 13 / 18, 19 / 30, 25 / 63])
    assert curve.best("vi_distance").value == pytest.approx(0.318257, abs=1e-6)
    assert curve.cut("bcubed_f").labels.tolist() == curve.cut("pair_f").labels.tolist()


def test_intervals_and_differences_are_those_of_compare() -> None:
    truth, rows = drawn(4, 300, 200)
    curve = cd.sweep(truth, rows, "elm_f", confidence=0.9)
    best = curve.best("elm_f")
    report = cd.compare(truth, curve.cut("elm_f"), "elm_f", confidence=0.9)
    assert best.ci == report["elm_f"].ci
    assert best.differences
    other = best.differences[0]
    both = {"best": curve.cut("elm_f"), "other": curve.lines.partition(other.line)}
    wanted = cd.compare(truth, both, "elm_f", confidence=0.9).difference("elm_f", "best", "other")
    assert other.difference.value == pytest.approx(wanted.value)
    assert other.difference.p == wanted.p
    assert "elm_f is worse on the next stricter line by" in " ".join(curve.notes())


LEVELS = {"r_0.5": list("aaaabb"), "r_1": list("aabbbc"), "r_2": list("abcdef")}


def test_levels_are_scored_as_compare_scores_guesses() -> None:
    truth = list("aabbcc")
    curve = cd.sweep(truth, LEVELS, ["elm_f", "pair_f", "accuracy"])
    report = cd.compare(truth, LEVELS, ["elm_f", "pair_f", "accuracy"])
    for measure in curve.measures:
        assert curve[measure].tolist() == [report[measure][name].value for name in LEVELS]
    best = curve.best("elm_f")
    assert (best.name, best.clusters, best.largest) == ("r_0.5", 2, 4)
    assert curve.thresholds.tolist() == [0.5, 1, 2]
    assert curve.links is None
    assert curve.cut("r_1").labels.tolist() == LEVELS["r_1"]
    assert curve.cut(2).labels.tolist() == LEVELS["r_2"]
    assert curve.at("r_2")["elm_f"].value == report["elm_f"]["r_2"].value
    sure = cd.sweep(truth * 20, {k: [f"{x}{i}" for i in range(20) for x in v] for k, v in
                                 LEVELS.items()}, "elm_f", confidence=0.95)  # fmt: skip
    assert sure.best("elm_f").ci is not None


def test_levels_that_lack_objects_are_judged_on_the_same_ones() -> None:
    truth = dict(zip("pqrstu", "aabbcc", strict=True))
    levels = {
        "1": dict(zip("pqrst", "aabbc", strict=True)),
        "2": dict(zip("pqrsu", "abbbc", strict=True)),
    }
    curve = cd.sweep(truth, levels, "elm_f", align="shared")
    report = cd.compare(truth, levels, "elm_f", align="shared")
    assert curve["elm_f"].tolist() == [report["elm_f"][name].value for name in levels]
    assert curve.best("elm_f").value == max(curve["elm_f"])


def test_noise_of_truth_is_alone_or_does_not_count() -> None:
    truth = TRUTH | {7: "noise", 8: "noise"}
    rows = [*ROWS, (7, 8, 0.95), (8, 6, 0.95)]
    for noise_as in ("singletons", "drop"):
        options: dict[str, Any] = {"noise": "noise", "noise_as": noise_as}
        curve = cd.sweep(truth, rows, "elm_f", **options)
        for line in range(1, len(curve)):
            guess = curve.lines.partition(line)
            wanted = cd.compare(truth, guess, "elm_f", **options)["elm_f"].value
            assert curve["elm_f"][line] == pytest.approx(wanted, abs=1e-15)
    assert "2 noise objects of truth" in str(curve)


def test_truth_for_a_few_of_the_objects_says_what_that_means() -> None:
    rows = [(1, i, 0.5) for i in range(10, 20)]
    curve = cd.sweep(TRUTH, [*ROWS, *rows], "elm_f", align="shared")
    assert "truth has 6 of 16 objects" in " ".join(curve.notes())
