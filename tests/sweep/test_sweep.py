"""A sweep through the public API: worked numbers, best lines, flat runs, folds, intervals."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import numpy as np
import pytest

import clusterdiff as cd

TRUTH = {1: "x", 2: "x", 3: "x", 4: "y", 5: "y", 6: "z"}
ROWS = [(1, 2, 0.9), (4, 5, 0.9), (2, 3, 0.7), (3, 4, 0.7), (5, 6, 0.4), (1, 3, 0.2)]
TABLE = {
    "pair_precision": [1, 1, 2 / 5, 4 / 15],
    "pair_recall": [0, 1 / 2, 1, 1],
    "pair_f": [0, 2 / 3, 4 / 7, 8 / 19],
    "elm_f": [1 / 6, 13 / 18, 19 / 30, 25 / 63],
    "bcubed_f": [23 / 36, 17 / 20, 41 / 56, 23 / 42],
    "adjusted_rand": [0, 22 / 37, 4 / 13, 0],
    "exact_f": [2 / 9, 4 / 7, 2 / 5, 0],
    "vi_distance": [0.780355, 0.318257, 0.560843, 1.011404],
}


def test_golden_table_whatever_the_order_of_the_pairs() -> None:
    for rows in list(permutations(ROWS))[::97]:
        turned = [(b, a, s) if a % 2 else (a, b, s) for a, b, s in rows]
        curve = cd.sweep(TRUTH, turned, list(TABLE))
        assert curve.thresholds.tolist() == [np.inf, 0.9, 0.7, 0.4]
        assert curve.clusters.tolist() == [6, 4, 2, 1]
        for measure, wanted in TABLE.items():
            assert curve[measure] == pytest.approx(wanted, abs=1e-6 if "vi" in measure else 1e-14)


def test_golden_best_and_flat_run() -> None:
    best = cd.sweep(TRUTH, ROWS, "pair_f", slack=0.1).best("pair_f")
    assert best.value == pytest.approx(2 / 3)
    assert (best.low, best.high, best.flat) == (0.7, 0.9, (0.4, 0.9))
    best = cd.sweep(TRUTH, ROWS, "elm_f", slack=0.15).best("elm_f")
    assert best.value == pytest.approx(13 / 18)
    assert (best.low, best.high, best.flat) == (0.7, 0.9, (0.4, 0.9))
    assert (best.clusters, best.largest, best.line, best.run) == (4, 2, 1, (1, 2))
    assert best.threshold == 0.9


def test_golden_objects_that_conduct() -> None:
    rows = [(1, 7, 0.8), (7, 4, 0.8), (1, 2, 0.5)]
    truth = {1: "x", 2: "x", 4: "y"}
    curve = cd.sweep(truth, rows, ["elm_f", "bcubed_precision"], align="shared")
    assert curve["elm_f"] == pytest.approx([1 / 3, 0, 4 / 9])
    assert curve["bcubed_precision"] == pytest.approx([1, 2 / 3, 5 / 9])
    assert curve.clusters.tolist() == [3, 2, 1]
    assert len(curve.cut(0.8)) == 4
    assert curve.at(0.8)["elm_f"].value == 0
    assert "1 object of pairs not in truth: they link others" in str(curve)
    alone = cd.sweep(truth, rows, "elm_f", align="singletons")
    guess = {1: 1, 7: 1, 4: 1, 2: 2}
    assert alone["elm_f"][1] == pytest.approx(cd.elm_f({**truth, 7: "new"}, guess))


def test_golden_linkage_with_an_inversion() -> None:
    tree = np.array([[0, 1, 2.0, 2], [2, 4, 1.5, 3], [3, 5, 4.0, 4]])
    curve = cd.sweep(list("xxxy"), tree, ["elm_f", "adjusted_rand"])
    assert curve.thresholds.tolist() == [-np.inf, 2, 4]
    assert curve["elm_f"] == pytest.approx([1 / 4, 1, 3 / 5])
    assert curve["adjusted_rand"] == pytest.approx([0, 1, 0])


def test_golden_one_level() -> None:
    rows = [(0, 1, 0.5), (2, 3, 0.5), (4, 5, 0.5), (1, 2, 0.5)]
    curve = cd.sweep(list("aabbcc"), rows, ["pair_f", "elm_f", "purity", "van_dongen"])
    assert len(curve) == 2
    assert curve.clusters[1] == 2
    found = [curve[m][1] for m in curve.measures]
    assert found == pytest.approx([3 / 5, 2 / 3, 2 / 3, 5 / 6])


def made(seed: int, objects: int = 60, pairs: int = 150) -> tuple[dict[int, int], list[Any]]:
    rng = np.random.default_rng(seed)
    truth = {i: int(c) for i, c in enumerate(rng.integers(0, objects // 3, objects))}
    ends = rng.integers(0, objects, (pairs, 2))
    same = np.array([truth[a] == truth[b] for a, b in ends.tolist()])
    score = np.round(np.clip(rng.normal(0.4 + 0.3 * same, 0.2), 0, 1), 2)
    extra = [(i, j, 0.8) for i in truth for j in truth if i < j and truth[i] == truth[j]]
    rows = [(a, b, s) for (a, b), s in zip(ends.tolist(), score.tolist(), strict=True)]
    return truth, rows + extra[::2]


@pytest.mark.parametrize("seed", range(3))
def test_every_line_scores_as_compare_does(seed: int) -> None:
    truth, rows = made(seed)
    curve = cd.sweep(truth, rows, ["elm_f", "pair_f", "muc_f", "accuracy"], lines=1000)
    for line in range(1, len(curve)):
        report = curve.at(curve.thresholds[line])
        for measure in curve.measures:
            assert report[measure].value == pytest.approx(curve[measure][line], abs=1e-13)
        assert len(set(curve.cut(curve.thresholds[line]).labels.tolist())) == curve.clusters[line]
    for measure in curve.measures:
        best = curve.best(measure)
        assert best.value == max(
            curve.at(t)[measure].value for t in [np.inf, *curve.thresholds[1:]]
        ) or best.value == pytest.approx(curve[measure].max(), abs=1e-13)
        report = cd.compare(truth, curve.cut(measure), measure)
        assert report[measure].value == best.value


def test_thresholds_include_the_score() -> None:
    curve = cd.sweep(TRUTH, ROWS, "pair_f")
    for threshold, clusters in ((1, 6), (0.91, 6), (0.9, 4), (0.71, 4), (0.7, 2), (0.4, 1), (0, 1)):
        assert len(set(curve.cut(threshold).labels.tolist())) == clusters


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
    assert curve["elm_f"] == pytest.approx(TABLE["elm_f"])
    assert curve.best("vi_distance").value == pytest.approx(0.318257, abs=1e-6)
    assert curve.cut("bcubed_f").labels.tolist() == curve.cut("pair_f").labels.tolist()


def test_slow_measures_are_scored_on_chosen_lines_and_say_so() -> None:
    truth, rows = made(5, 200, 600)
    rows = [(a, b, s + 0.00001 * i) for i, (a, b, s) in enumerate(rows)]
    curve = cd.sweep(truth, rows, ["accuracy", "elm_f"], lines=10)
    scored = ~np.isnan(curve["accuracy"])
    assert 2 < scored.sum() <= 10 < len(curve)
    assert scored[0]
    assert scored[-1]
    assert not np.isnan(curve["elm_f"]).any()
    assert f"accuracy is scored on {scored.sum()} of {len(curve)} lines" in str(curve)
    assert curve.best("accuracy").value == pytest.approx(np.nanmax(curve["accuracy"]))


def test_folds_choose_without_the_clusters_that_they_score() -> None:
    truth, rows = made(2, 120, 300)
    curve = cd.sweep(truth, rows, ["elm_f", "accuracy"], folds=5, seed=3)
    held = curve.best("elm_f").held_out
    assert held is not None
    assert len(held.each) == len(held.lines) == 5
    assert held.value == pytest.approx(sum(held.each) / 5)
    assert curve.fold is not None
    folds = zip(truth.items(), curve.fold.tolist(), strict=True)
    one = {key: cluster for (key, cluster), fold in folds if fold == 0}
    guess = curve.lines.partition(held.lines[0])
    with pytest.warns(cd.ClusterdiffWarning, match="precision would be misleading"):
        wanted = cd.compare(one, guess, "elm_f", align="shared")
    assert wanted["elm_f"].value == held.each[0]
    assert held.optimism == held.in_sample - held.value
    shuffled = dict(sorted(truth.items(), key=lambda item: -item[0] % 7))
    again = cd.sweep(shuffled, rows[::-1], ["elm_f", "accuracy"], folds=5, seed=3)
    assert again.best("elm_f").held_out == held
    assert "held out" in str(curve)
    notes = " ".join(curve.notes())
    assert "elm_f: the best lines without one of the folds lie within" in notes or (
        "elm_f: the same line is best without any of the folds." in notes
    )


def test_intervals_and_differences_are_those_of_compare() -> None:
    truth, rows = made(4, 300, 500)
    curve = cd.sweep(truth, rows, "elm_f", confidence=0.9)
    best = curve.best("elm_f")
    report = cd.compare(truth, curve.cut("elm_f"), "elm_f", confidence=0.9)
    assert best.sure == report["elm_f"].sure
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
    folds = cd.sweep(truth, LEVELS, "elm_f", folds=3)
    assert folds.best("elm_f").held_out is not None
    sure = cd.sweep(truth * 20, {k: [f"{x}{i}" for i in range(20) for x in v] for k, v in
                                 LEVELS.items()}, "elm_f", confidence=0.95)  # fmt: skip
    assert sure.best("elm_f").sure is not None


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
