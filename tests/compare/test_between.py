"""Only pairs of objects from different sources count: every pair looked at, one by one."""

from __future__ import annotations

import json
import math
from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np
import pytest

import clusterdiff as cd
from cli.runner import run
from clusterdiff.testing import assert_no_regression

MEASURES = (
    "pair_precision", "pair_recall", "pair_f", "pair_f(alpha=0.2)", "pair_jaccard",
    "fowlkes_mallows", "rand", "adjusted_rand", "mirkin_distance", "pair_correlation",
    "pair_correlation_distance",
)  # fmt: skip


def looked_at(
    truth: dict[Any, Any],
    guess: dict[Any, Any],
    source: dict[Any, Any],
    align: str = "exact",
    noise: Any = None,
    noise_as: str = "singletons",
    count: dict[Any, int] | None = None,
) -> tuple[int, int, int, int]:
    """Pairs across sources that are together in truth, in guess, in both; and all of them."""
    ids = [*truth, *(i for i in guess if i not in truth)]
    if align == "shared":
        ids = [i for i in ids if i in truth and i in guess]
    sides = []
    for side in (truth, guess):
        said: dict[Any, Any] = {}
        for i in ids:
            said[i] = side.get(i, ("alone", i) if align == "singletons" else None)
            if noise is not None and said[i] == noise:
                said[i] = ("noise", i)
        sides.append(said)
    if noise_as == "drop":
        ids = [i for i in ids if noise not in (truth.get(i), guess.get(i))]
    rows = [(i, copy) for i in ids for copy in range(1 if count is None else count[i])]
    found = [0, 0, 0, 0]
    for (one, _), (other, _) in combinations(rows, 2):
        if source[one] == source[other]:
            continue
        t, g = (side[one] is not None and side[one] == side[other] for side in sides)
        found[0] += t
        found[1] += g
        found[2] += t and g
        found[3] += 1
    return found[0], found[1], found[2], found[3]


def scores(truth: int, guess: int, both: int, every: int) -> dict[str, float]:
    """The definitions, of pairs that were counted."""

    def share(x: Any, y: Any) -> float:
        return float(Fraction(x) / Fraction(y)) if y else 1.0

    precision, recall = share(both, guess), share(both, truth)
    lost, extra, neither = truth - both, guess - both, every - truth - guess + both

    def f(alpha: float) -> float:
        if not guess and not truth:
            return 1.0
        return 1 / (alpha / precision + (1 - alpha) / recall) if precision and recall else 0.0

    same = 1.0 if not lost and not extra else 0.0
    spread = (both + lost) * (both + extra) * (neither + lost) * (neither + extra)
    phi = (both * neither - lost * extra) / math.sqrt(spread) if spread else same
    chance = Fraction(truth * guess, every) if every else 0
    return {
        "pair_precision": precision,
        "pair_recall": recall,
        "pair_f": f(0.5),
        "pair_f(alpha=0.2)": f(0.2),
        "pair_jaccard": share(both, truth + guess - both),
        "fowlkes_mallows": math.sqrt(precision * recall),
        "rand": share(both + neither, every),
        "adjusted_rand": share(both - chance, Fraction(truth + guess, 2) - chance),
        "mirkin_distance": 2.0 * (lost + extra),
        "pair_correlation": phi,
        "pair_correlation_distance": math.acos(max(-1.0, min(1.0, phi))) / math.pi
        if spread else (1 - same) / 2,
    }  # fmt: skip


def drawn(
    seed: int, many: int = 26, sources: int = 3
) -> tuple[dict[str, int], dict[str, int], dict[str, str]]:
    rng = np.random.default_rng(seed)
    ids = [f"r{i}" for i in rng.permutation(many)]
    truth = dict(zip(ids, rng.integers(0, many // 3, many).tolist(), strict=True))
    guess = {i: int(rng.integers(0, many // 3)) if rng.random() < 0.3 else truth[i] for i in ids}
    source = dict(zip(ids, rng.choice(list("ABC")[:sources], many).tolist(), strict=True))
    return truth, dict(sorted(guess.items())), source


POLICIES: list[dict[str, Any]] = [
    {},
    {"align": "shared"},
    {"align": "singletons"},
    {"align": "penalise"},
    {"noise": 0},
    {"noise": 0, "noise_as": "drop"},
    {"align": "singletons", "noise": 0},
    {"align": "shared", "noise": 0, "noise_as": "drop"},
    {"align": "penalise", "noise": 0},
]


@pytest.mark.parametrize("policy", POLICIES, ids=str)
@pytest.mark.parametrize("counted", [False, True], ids=["once", "counted"])
def test_pairs_across_sources_are_those_of_all_pairs(policy: dict[str, Any], counted: bool) -> None:
    for seed in range(12):
        truth, guess, source = drawn(seed, sources=1 + seed % 3)
        rng = np.random.default_rng(seed)
        if policy.get("align"):
            truth = {i: c for i, c in truth.items() if rng.random() > 0.2}
            guess = {i: c for i, c in guess.items() if rng.random() > 0.2}
        count = {i: int(rng.integers(1, 5)) for i in source} if counted else None
        wanted = scores(*looked_at(truth, guess, source, count=count, **policy))
        asked = [
            m for m in MEASURES
            if policy.get("align") != "penalise" or cd.measure(m).claims.penalise
        ]  # fmt: skip
        report = cd.compare(truth, guess, asked, between=source, count=count, **policy)
        for text in asked:
            assert report[text].value == pytest.approx(wanted[text], abs=1e-9), (seed, text)


def test_the_closed_form_is_caught_where_it_is_wrong() -> None:
    """Scores over all pairs, and within sources, differ from those across."""
    truth, guess, source = drawn(4)
    across = cd.compare(truth, guess, MEASURES, between=source)
    over_all = cd.compare(truth, guess, MEASURES)
    for text in MEASURES:
        assert across[text].value != pytest.approx(over_all[text].value, abs=1e-6), text
    one = dict.fromkeys(source, "same")
    assert cd.compare(truth, guess, "pair_recall", between=one)["pair_recall"].value == 1
    each = {i: i for i in source}
    alone = cd.compare(truth, guess, MEASURES, between=each)
    for text in MEASURES:
        assert alone[text].value == pytest.approx(over_all[text].value), text


def scored_pairs(seed: int, ids: list[str]) -> list[tuple[str, str, float]]:
    rng = np.random.default_rng(seed)
    found = [tuple(rng.choice(ids, 2, replace=False)) for _ in range(2 * len(ids))]
    return [(str(a), str(b), round(float(rng.random()), 1)) for a, b in found]


def clusters_at(
    pairs: list[tuple[str, str, float]], ids: list[str], least: float
) -> dict[str, str]:
    """Connected components of the pairs that score so much: relabelled until nothing changes."""
    cluster = {i: i for i in ids}
    linked = [(a, b) for a, b, score in pairs if score >= least]
    changed = True
    while changed:
        changed = False
        for a, b in linked:
            low = min(cluster[a], cluster[b])
            changed |= cluster[a] != cluster[b]
            cluster[a] = cluster[b] = low
    return cluster


@pytest.mark.parametrize("align", ["exact", "shared"])
def test_every_line_of_a_sweep_is_the_comparison_there(align: str) -> None:
    for seed in range(8):
        truth, _, source = drawn(seed, many=16)
        pairs = scored_pairs(seed, list(truth))
        if align == "shared":
            truth = dict(list(truth.items())[:12])
        curve = cd.sweep(truth, pairs, MEASURES, between=source, align=align)
        for line, threshold in enumerate(curve.thresholds.tolist()):
            guess = clusters_at(pairs, list(source), threshold)
            wanted = scores(*looked_at(truth, guess, source, align))
            for text in MEASURES:
                assert curve[text][line] == pytest.approx(wanted[text], abs=1e-9), (seed, text)
        best = curve.best("pair_f")
        assert best.value == pytest.approx(np.nanmax(curve["pair_f"]))
        assert "|between:sources|" in best.signature


def test_folds_levels_and_dendrograms_of_a_sweep_leave_pairs_of_one_source_out() -> None:
    truth, guess, source = drawn(2)
    levels: dict[str, dict[str, Any]] = {
        "fine": {i: i for i in guess},
        "middle": guess,
        "coarse": dict.fromkeys(guess, 1),
    }
    curve = cd.sweep(truth, levels, ["pair_f", "rand"], between=source)
    for line, level in enumerate(levels.values()):
        wanted = scores(*looked_at(truth, level, source))
        assert curve["pair_f"][line] == pytest.approx(wanted["pair_f"])
        assert curve["rand"][line] == pytest.approx(wanted["rand"])
    ids = list(truth)
    pairs = scored_pairs(2, ids)
    curve = cd.sweep(truth, pairs, "pair_f", between=source, folds=3)
    held = curve.best("pair_f").held_out
    assert held is not None
    fold = curve.fold
    assert fold is not None
    for number, (line, value) in enumerate(zip(held.lines, held.each, strict=True)):
        some = [i for i, own in zip(ids, fold.tolist(), strict=True) if own == number]
        at = clusters_at(pairs, ids, float(curve.thresholds[line]))
        wanted = scores(*looked_at({i: truth[i] for i in some}, {i: at[i] for i in some}, source))
        assert value == pytest.approx(wanted["pair_f"])


@pytest.mark.parametrize("text", ["elm_f", "bcubed_f", "nmi", "pair_f(f='objects')", "muc_f"])
def test_measures_that_are_no_functions_of_pairs_are_refused(text: str) -> None:
    truth, guess, source = drawn(1)
    for ask in (
        lambda: cd.compare(truth, guess, text, between=source),
        lambda: cd.measure(text)(truth, guess, between=source),
        lambda: cd.sweep(truth, scored_pairs(1, list(truth)), text, between=source),
    ):
        with pytest.raises(cd.ClusterdiffError, match="is not a function of pairs") as refused:
            ask()
        assert "pair_recall" in str(refused.value)


LOST = ("pair_precision", "pair_recall", "pair_f", "pair_jaccard", "rand", "adjusted_rand")


@pytest.mark.parametrize("policy", [{}, {"align": "singletons"}, {"align": "penalise"}], ids=str)
def test_what_components_lose_are_their_pairs_across_sources(policy: dict[str, Any]) -> None:
    for seed in range(6):
        truth, guess, source = drawn(seed)
        if policy:
            guess = dict(list(guess.items())[3:])
        for text in LOST if policy.get("align") != "penalise" else LOST[:4]:
            told = cd.explain(truth, guess, text, between=source, **policy)
            score = cd.compare(truth, guess, text, between=source, **policy)[text]
            assert float(told.score) == pytest.approx(float(score))
            assert told.score.signature["meet"] == score.signature["meet"]
            assert told.losses.sum() == pytest.approx(1 - float(score), abs=1e-9), (seed, text)


def test_the_loss_of_each_component_is_that_of_its_pairs_across_sources() -> None:
    truth, guess, source = drawn(3)
    told = cd.explain(truth, guess, "rand", between=source)
    whole = looked_at(truth, guess, source)
    parts = told.top(None, None)
    assert len(parts) > 1
    for part in parts:
        ids = {row["id"] for row in part.rows()}
        mine = looked_at({i: truth[i] for i in ids}, {i: guess[i] for i in ids}, source)
        assert part.loss == pytest.approx((mine[0] + mine[1] - 2 * mine[2]) / whole[3])


def leave_one_out(
    truth: dict[str, Any], guess: dict[str, Any], source: dict[str, str], text: str
) -> dict[int, float]:
    """The score without each connected component of clusters that share objects."""
    unit = {i: i for i in truth}
    for _ in truth:
        for side in (truth, guess):
            low: dict[Any, str] = {}
            for i in truth:
                low[side[i]] = min(low.get(side[i], unit[i]), unit[i])
            unit = {i: low[side[i]] for i in truth}
    found = {}
    for number, one in enumerate(sorted(set(unit.values()))):
        rest = [i for i in truth if unit[i] != one]
        pairs = looked_at({i: truth[i] for i in rest}, {i: guess[i] for i in rest}, source)
        found[number] = scores(*pairs)[text]
    return found


@pytest.mark.parametrize("text", ["pair_f", "pair_recall", "adjusted_rand", "rand"])
def test_components_are_the_units_of_intervals(text: str) -> None:
    """The jackknife of the definition, component by component."""
    rng = np.random.default_rng(5)
    ids = [f"r{i}" for i in range(90)]
    truth = {i: k // 3 for k, i in enumerate(ids)}
    guess = {i: f"{c} {rng.random() < 0.2}" for i, c in truth.items()}
    source = dict(zip(ids, rng.choice(list("AB"), 90).tolist(), strict=True))
    report = cd.compare(truth, guess, text, between=source, confidence=0.95)
    ci: Any = report[text].ci
    without = np.array(list(leave_one_out(truth, guess, source, text).values()))
    assert ci.units == "components"
    assert ci.count == without.size
    many = without.size
    se = math.sqrt((many - 1) / many * ((without - without.mean()) ** 2).sum())
    assert ci.se == pytest.approx(se, rel=0.05)
    told: Any = cd.explain(truth, guess, text, between=source, confidence=0.95)
    assert told.score.ci.se == pytest.approx(ci.se)


def test_differences_of_two_guesses_are_tested_over_components() -> None:
    rng = np.random.default_rng(5)
    ids = [f"r{i}" for i in range(300)]
    truth = {i: k // 3 for k, i in enumerate(ids)}
    source = {i: "AB"[k % 2] for k, i in enumerate(ids)}
    guesses = {
        name: {i: f"{c} {rng.random() < share}" for i, c in truth.items()}
        for name, share in (("good", 0.03), ("bad", 0.3))
    }
    for align in ("exact", "singletons"):
        some = guesses if align == "exact" else {
            name: dict(list(guess.items())[5 * place :])
            for place, (name, guess) in enumerate(guesses.items())
        }  # fmt: skip
        report = cd.compare(truth, some, "pair_f", between=source, confidence=0.95, align=align)
        change = report.difference("pair_f", "good", "bad")
        wanted = [
            scores(*looked_at(truth, guess, source, align))["pair_f"] for guess in some.values()
        ]
        assert change.value == pytest.approx(wanted[0] - wanted[1])
        assert change.tested
        assert 0 < change.low < change.value < change.high


def test_objects_that_only_another_guess_has_count_in_all_pairs() -> None:
    source = {i: "AB"[k % 2] for k, i in enumerate("abcdefgh")}
    truth = {"a": 1, "b": 1, "c": 2}
    guesses = {"one": {"a": 1, "b": 1, "d": 3}, "other": {"c": 1, "e": 1, "f": 1, "h": 2}}
    report = cd.compare(truth, guesses, "rand", between=source, align="singletons")
    every = {i: i for i in "abcdefh"}
    for name, guess in guesses.items():
        wanted = looked_at({**every, **truth}, {**every, **guess}, source)
        assert report["rand"][name].value == pytest.approx(scores(*wanted)["rand"]), name


def test_names_and_order_do_not_change_the_digest_and_sources_do() -> None:
    truth, guess, source = drawn(3)
    called = {"A": 7, "B": 2, "C": 5}

    def digest(truth: dict[str, Any], guess: Any, source: Any) -> str:
        return str(cd.compare(truth, guess, "rand", between=source)["rand"].signature["meet"])

    known = digest(truth, guess, source)
    backwards = dict(reversed(truth.items()))
    renamed = {i: f"t{c}" for i, c in backwards.items()}
    assert digest(renamed, guess, {i: called[s] for i, s in source.items()}) == known
    moved = {**source, next(iter(source)): "other"}
    assert digest(truth, guess, moved) != known
    assert str(cd.compare(truth, guess, "rand")["rand"].signature["meet"]) != known


def test_sources_that_are_missing_or_disagree_are_refused_with_examples() -> None:
    pl = pytest.importorskip("polars")
    rows = {"id": ["a", "b", "c"], "cluster": [1, 1, 2], "source": ["x", "y", None]}
    whole = {**rows, "source": ["x", "y", "y"]}
    with pytest.raises(cd.ClusterdiffError, match=r"1 of 3 objects has no source .*c'?"):
        cd.compare(pl.DataFrame(rows), pl.DataFrame(whole), "rand", between="source")
    other = pl.DataFrame({**whole, "source": ["x", "x", "y"]})
    with pytest.raises(cd.ClusterdiffError, match="different sources .* such as 'b'"):
        cd.compare(pl.DataFrame(whole), other, "rand", between="source")
    with pytest.raises(cd.ClusterdiffError, match="no source"):
        cd.compare({"a": 1, "b": 1}, {"a": 1, "b": 2}, "rand", between={"a": "x"})
    twice = {"id": ["a", "b", "a"], "cluster": [1, 1, 2], "source": ["x", "x", "y"]}
    with pytest.raises(cd.ClusterdiffError, match="1 id is in several sources") as refused:
        cd.compare(pl.DataFrame(twice), pl.DataFrame(twice), "rand", between="source")
    assert "both columns as the id" in str(refused.value)
    with pytest.raises(cd.ClusterdiffError, match="between and samples"):
        cd.explain([1, 1], [1, 2], "rand", between=["x", "y"], samples=[1, 1])
    with pytest.raises(cd.ClusterdiffError, match="those of partitions"):
        cd.compare({"a": ["1", "2"]}, {"a": ["1"]}, kind="cover", between={"a": "x"})
    with pytest.raises(cd.ClusterdiffError, match="counts all pairs"):
        cd.compare([1, 1], [1, 2], "ARI", between=["x", "y"], compat="sklearn")
    report: Any = cd.explain([1, 1, 2], [1, 2, 2], between=["x", "y", "x"])
    for ask in (report.uncertainty, report.slices):
        with pytest.raises(cd.ClusterdiffError, match="only pairs across sources count"):
            ask()


def test_a_guess_takes_its_sources_from_truth() -> None:
    pl = pytest.importorskip("polars")
    truth, guess, source = drawn(6)
    left = pl.DataFrame({
        "id": list(truth), "cluster": list(truth.values()),
        "source": [source[i] for i in truth],
    })  # fmt: skip
    wanted = cd.compare(truth, guess, "pair_f", between=source)["pair_f"].value
    table = left.with_columns(run=pl.Series([guess[i] for i in truth]))
    by_name = cd.compare(table, truth="cluster", guess="run", measures="pair_f", between="source")
    assert by_name["pair_f"].value == wanted
    columns = cd.compare(
        list(truth.values()), [guess[i] for i in truth], "pair_f",
        between=[source[i] for i in truth],
    )  # fmt: skip
    assert columns["pair_f"].value == wanted
    assert cd.pair_f(truth, guess, between=source) == wanted


def test_a_regression_test_counts_pairs_across_sources() -> None:
    truth, old, source = drawn(1)
    recall = cd.pair_recall(truth, old, between=source)
    assert_no_regression(truth, old, baseline={"pair_recall": recall}, between=source)
    worse = {i: i for i in old}
    for baseline in ({"pair_recall": recall}, old):
        with pytest.raises(AssertionError, match="pair_recall is worse"):
            assert_no_regression(
                truth, worse, baseline=baseline, measures="pair_recall", between=source
            )


def test_intervals_of_very_many_sources_are_those_of_measures_that_do_not_count_them() -> None:
    truth = {i: i // 4 for i in range(1600)}
    guess = {i: f"{c} {i % 9 == 0}" for i, c in truth.items()}
    source = {i: i % 400 for i in truth}
    report: Any = cd.compare(truth, guess, ["rand", "pair_f"], between=source, confidence=0.95)
    assert report["pair_f"].ci
    assert "depends on the sizes of all 400 sources" in report["rand"].ci.refused
    assert report["rand"].value == pytest.approx(scores(*looked_at(truth, guess, source))["rand"])


def test_one_source_alone_has_no_pair_and_says_so() -> None:
    compared = cd.compare(list("aabb"), list("xxxy"), measures=["pair_f"], between=["one"] * 4)
    assert compared["pair_f"].value == 1.0
    assert "no pair counts: all objects are from one source (sources)" in str(compared)
    named = dict.fromkeys("pqrs", "one")
    truth, guess = dict(zip("pqrs", "aabb", strict=True)), dict(zip("pqrs", "xxxy", strict=True))
    shown = str(cd.compare(truth, guess, measures=["pair_f"], between=named))
    assert "no pair counts" in shown
    assert "only pairs from different sources count" not in shown


def runs_of(seed: int) -> tuple[dict[str, dict[str, int]], dict[str, str]]:
    truth, guess, source = drawn(seed)
    _, other, _ = drawn(seed + 50)
    third = dict(zip(truth, other.values(), strict=True))
    return {"a": truth, "b": guess, "c": third}, source


@pytest.mark.parametrize(
    ("align", "counted"),
    [("exact", False), ("exact", True), ("shared", True), ("shared", False), ("singletons", False)],
)
def test_every_two_runs_of_a_matrix_are_compared_across_sources(align: str, counted: bool) -> None:
    for seed in range(4):
        runs, source = runs_of(seed)
        if align != "exact":
            runs = {
                name: {i: c for k, (i, c) in enumerate(sorted(run.items())) if (k + place) % 5}
                for place, (name, run) in enumerate(runs.items())
            }
        count = {i: 1 + k % 3 for k, i in enumerate(source)} if counted else None
        for text in ("adjusted_rand", "pair_recall", "pair_f(alpha=0.2)", "mirkin_distance"):
            found = cd.matrix(runs, text, between=source, align=align, count=count)
            for one, left in runs.items():
                for other, right in runs.items():
                    sides: tuple[Any, Any] = left, right
                    if align == "singletons":  # all runs have all objects then
                        alone = {i: ("alone", i) for run in runs.values() for i in run}
                        sides = {**alone, **left}, {**alone, **right}
                    pairs = looked_at(sides[0], sides[1], source, align, count=count)
                    assert found[one, other] == pytest.approx(scores(*pairs)[text], abs=1e-9)
    assert "only pairs from different sources count (sources)" in str(found)
    assert found.signature["between"] == "sources"
    whole = cd.matrix(runs, text, align=align, count=count).signature
    assert found.signature["profiles"] != whole["profiles"]


def test_a_matrix_of_columns_takes_the_column_of_sources(tmp_path: Any) -> None:
    pl = pytest.importorskip("polars")
    runs, source = runs_of(1)
    ids = list(source)
    columns = {name: [run[i] for i in ids] for name, run in runs.items()}
    frame = pl.DataFrame({"id": ids, **columns, "firm": [source[i] for i in ids]})
    wanted = cd.matrix(runs, "pair_f", between=source)
    assert (cd.matrix(frame, "pair_f", between="firm").values == wanted.values).all()
    listed = cd.matrix(list(columns.values()), "pair_f", between=[source[i] for i in ids])
    assert (listed.values == wanted.values).all()
    frame.write_csv(tmp_path / "runs.csv")
    paths = [f"{tmp_path}/runs.csv::{name}" for name in runs]
    assert (cd.matrix(paths, "pair_f", between="firm").values == wanted.values).all()
    judged = cd.matrix(
        {n: runs[n] for n in "ab"}, "pair_f", guesses={"c": runs["c"]}, between=source
    )
    told = {(r["truth"], r["guess"]): r["value"] for r in judged.against.records()}
    assert [told["a", "c"], told["b", "c"]] == wanted.values[:2, 2].tolist()
    with pytest.raises(cd.ClusterdiffError, match="nmi is not a function of pairs"):
        cd.matrix(runs, "nmi", between=source)
    with pytest.raises(cd.ClusterdiffError, match="no side says which source"):
        cd.matrix(runs, "rand", between="firm")


@pytest.mark.parametrize("text", ["pair_f", "rand"])
def test_a_diff_adds_up_what_pairs_across_sources_lose(text: str) -> None:
    for seed in range(4):
        runs, source = runs_of(seed)
        found = cd.diff(runs["a"], runs["c"], runs["b"], by=text, between=source)
        before, after = (scores(*looked_at(runs["a"], runs[name], source))[text] for name in "cb")
        assert found.change[text] == pytest.approx(after - before)
        changes = [one for better in (True, False) for one in found.changed(better, None)]
        assert sum(one.change for one in changes) == pytest.approx(after - before)
    assert "only pairs from different sources count (sources)" in str(found)
    usual = cd.diff(runs["a"], runs["c"], runs["b"], between=source, confidence=0.95)
    assert str(usual.measure) == "pair_f"
    assert set(usual.report.measures) == {
        "pair_precision", "pair_recall", "pair_f", "pair_jaccard", "fowlkes_mallows",
        "adjusted_rand", "rand",
    }  # fmt: skip


def test_a_page_counts_pairs_across_sources() -> None:
    pytest.importorskip("jinja2")
    runs, source = runs_of(2)
    guesses = {"old": runs["c"], "new": runs["b"]}
    html = cd.page(runs["a"], guesses, between=source).html
    wanted = cd.compare(runs["a"], guesses, "pair_f", between=source)["pair_f"]
    assert "only pairs from different sources count (sources)" in html
    for score in wanted.values():
        assert repr(float(score)) in html


def test_objects_say_what_to_ask_instead() -> None:
    runs, source = runs_of(2)
    with pytest.raises(cd.ClusterdiffError, match="no measure of pairs is a mean over objects"):
        cd.objects(runs["a"], runs["b"], between=source)


def sampled(seed: int, align: str = "exact") -> Any:
    """Truth, guess and source of each of some samples, whose ids repeat."""
    made = {}
    for place in range(12):
        truth, guess, source = drawn(20 * seed + place, many=8 + place)
        if align != "exact":
            guess = {i: c for k, (i, c) in enumerate(guess.items()) if (k + place) % 4}
        made[f"doc {place}"] = truth, guess, source
    return made


def columns_of(samples: Any) -> Any:
    """Samples as frames of truth and guess, and their rows."""
    pd = pytest.importorskip("pandas")
    sides = []
    for place in (0, 1):
        rows = [
            (name, i, c, some[2][i]) for name, some in samples.items()
            for i, c in some[place].items()
        ]  # fmt: skip
        rows = sorted(rows, key=lambda row: str((row[1], row[0]))) if place else rows
        sides.append(pd.DataFrame(rows, columns=["doc", "id", "cluster", "firm"]))
    return sides


@pytest.mark.parametrize("align", ["exact", "shared", "singletons", "penalise"])
def test_each_sample_is_scored_by_its_own_pairs(align: str, tmp_path: Any) -> None:
    samples = sampled(1, align)
    truth, guess = columns_of(samples)
    some = [m for m in MEASURES if align != "penalise" or cd.measure(m).claims.penalise]
    report = cd.compare(
        truth, guess, some, samples="doc", between="firm", align=align, confidence=0.95
    )
    pooled: Any = [
        {(name, i): (name, c) if place < 2 else c
         for name, three in samples.items() for i, c in three[place].items()}
        for place in (0, 1, 2)
    ]  # fmt: skip
    micro = scores(*looked_at(pooled[0], pooled[1], pooled[2], align))
    each = {
        name: scores(*looked_at(three[0], three[1], three[2], align))
        for name, three in samples.items()
    }
    for text in some:
        score = report[text]
        wanted = [each[name][text] for name in score.samples]
        assert set(score.samples) == set(samples)
        assert list(score.each) == pytest.approx(wanted, abs=1e-9), text
        assert score.value == pytest.approx(np.mean(wanted), abs=1e-9), text
        assert score.micro == pytest.approx(micro[text], abs=1e-9), text
    ci = report["pair_f"].micro_ci
    without = []
    for name in samples:
        rest: Any = [{k: c for k, c in side.items() if k[0] != name} for side in pooled]
        without.append(scores(*looked_at(rest[0], rest[1], rest[2], align))["pair_f"])
    many, off = len(samples), np.array(without) - np.mean(without)
    assert ci.units == "samples"
    assert ci.se == pytest.approx(math.sqrt((many - 1) / many * (off**2).sum()))
    for name, table in (("truth", truth), ("guess", guess)):
        table.drop(columns=["firm"] if name == "guess" else []).to_csv(
            tmp_path / f"{name}.csv", index=False
        )
    files = cd.compare(
        tmp_path / "truth.csv", tmp_path / "guess.csv", some, samples="doc", between="firm",
        align=align, confidence=0.95,
    )  # fmt: skip
    flags = ["--samples", "doc", "--between", "firm", "--align", align, "-m", "pair_f"]
    paths = [str(tmp_path / f"{name}.csv") for name in ("truth", "guess")]
    (told,) = json.loads(run("compare", *paths, *flags, "-f", "json").stdout)["guesses"].values()
    assert told["pair_f"]["value"] == report["pair_f"].value
    assert told["pair_f"]["micro"] == report["pair_f"].micro
    for text in some:
        assert files[text].each == report[text].each
        assert files[text].signature["meet"] == report[text].signature["meet"]
        assert files[text].signature["split"] == report[text].signature["split"]


def test_guesses_in_samples_across_sources() -> None:
    samples = sampled(2, "singletons")
    truth, guess = columns_of(samples)
    _, other = columns_of(sampled(2))
    other = other.assign(cluster=other.cluster // 2)
    report = cd.compare(
        truth.iloc[5:], {"one": guess, "two": other}, ["rand", "pair_f"], samples="doc",
        between="firm", align="singletons", confidence=0.95,
    )  # fmt: skip
    change = report.difference("pair_f", "one", "two")
    assert change.tested
    for called, side in (("one", guess), ("two", other)):
        for name in samples:
            every = [t[t.doc == name] for t in (truth, guess, other)]
            source = {i: s for t in every for i, s in zip(t.id, t.firm, strict=True)}
            alone = {i: ("alone", i) for i in source}
            one, two = (
                {**alone, **dict(zip(t.id, t.cluster, strict=True))}
                for t in (truth.iloc[5:][truth.iloc[5:].doc == name], side[side.doc == name])
            )
            wanted = scores(*looked_at(one, two, source))
            for text in ("rand", "pair_f"):
                score = report[text][called]
                assert score.each[score.samples.index(name)] == pytest.approx(wanted[text])


def test_samples_and_sources_in_other_forms() -> None:
    samples = sampled(3)
    truth, guess = columns_of(samples)
    wanted = cd.compare(truth, guess, "pair_f", samples="doc", between="firm")["pair_f"]
    order = {(d, i): k for k, (d, i) in enumerate(zip(truth.doc, truth.id, strict=True))}
    where = sorted(guess.index, key=lambda k: order[guess.doc[k], guess.id[k]])
    table = truth.assign(run=guess.cluster[where].tolist(), id=range(len(truth)))
    named = cd.compare(
        table, truth="cluster", guess="run", measures="pair_f", samples="doc", between="firm"
    )
    listed = cd.compare(
        truth.cluster.tolist(), table.run.tolist(), "pair_f", samples=truth.doc.tolist(),
        between=truth.firm.tolist(),
    )  # fmt: skip
    by_id = cd.compare(
        dict(zip(table.id, table.cluster, strict=True)),
        dict(zip(table.id, table.run, strict=True)), "pair_f",
        samples=dict(zip(table.id, table.doc, strict=True)),
        between=dict(zip(table.id, table.firm, strict=True)),
    )  # fmt: skip
    for report in (named, listed, by_id):
        assert report["pair_f"].each == wanted.each
        assert report["pair_f"].micro == wanted.micro
    with pytest.raises(cd.ClusterdiffError, match="has no column 'frim'") as refused:
        cd.compare(truth, guess, "pair_f", samples="doc", between="frim")
    assert "between names the column of the sources" in str(refused.value)
    moved = guess.assign(firm="C")
    with pytest.raises(cd.ClusterdiffError, match="different sources .firm. on different sides"):
        cd.compare(truth, moved, "pair_f", samples="doc", between="firm")
    gone = truth.assign(firm=[None, *truth.firm[1:]])
    with pytest.raises(cd.ClusterdiffError, match=r"1 of \d+ objects has no source"):
        cd.compare(gone, guess.drop(columns="firm"), "pair_f", samples="doc", between="firm")


@pytest.mark.parametrize("counted", [False, True], ids=["once", "counted"])
@pytest.mark.parametrize("policy", POLICIES, ids=str)
def test_files_are_counted_where_they_are_with_the_same_bits(
    policy: dict[str, Any], counted: bool, tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    pl = pytest.importorskip("polars")
    truth, guess, source = drawn(7, many=80)
    rng = np.random.default_rng(7)
    if policy.get("align"):
        truth = {i: c for i, c in truth.items() if rng.random() > 0.2}
        guess = {i: c for i, c in guess.items() if rng.random() > 0.2}
    own = {i: int(rng.integers(1, 4)) for i in source} if counted else {}
    for name, side in (("truth", truth), ("guess", guess)):
        columns: dict[str, Any] = {"id": list(side), "cluster": list(side.values())}
        columns["firm"] = [source[i] for i in side]
        columns |= {"n": [own[i] for i in side]} if counted else {}
        pl.DataFrame(columns).write_parquet(tmp_path / f"{name}.parquet")
    paths = tmp_path / "truth.parquet", tmp_path / "guess.parquet"
    asked = [
        m for m in MEASURES if policy.get("align") != "penalise" or cd.measure(m).claims.penalise
    ]
    how = policy | ({"count": "n"} if counted else {})
    here = cd.compare(*paths, asked, between="firm", engine="arrays", confidence=0.95, **how)

    def refused(*_: Any) -> None:
        raise AssertionError("a file was loaded")

    monkeypatch.setattr("clusterdiff.io.session.EngineSessions.loaded", refused)
    there = cd.compare(*paths, asked, between="firm", confidence=0.95, **how)
    for text in asked:
        assert there[text].value == here[text].value
        assert str(there[text].signature) == str(here[text].signature)
        assert there[text].ci.to_dict() == here[text].ci.to_dict()
    assert str(there) == str(here)


def test_sources_in_files_that_are_refused_are_refused_there(
    tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    pl = pytest.importorskip("polars")
    monkeypatch.setattr("clusterdiff.io.session.EngineSessions.loaded", None)
    ids = list("abcd")

    def file(name: str, firm: Any, ids: Any = ids) -> Any:
        columns = {"id": ids, "cluster": [1, 1, 2, 2][: len(ids)]} | (
            {} if firm is None else {"firm": firm}
        )
        pl.DataFrame(columns).write_parquet(tmp_path / name)
        return tmp_path / name

    good, plain = file("good", [*"xyxy"]), file("plain", None)
    cases = [
        (
            file("null", ["x", None, "x", "y"]),
            plain,
            "1 of 4 objects has no source .firm., such as 'b'",
        ),
        (good, file("other", [*"xyyy"]), "1 object has different sources .firm. .* such as 'c'"),
        (file("twice", [*"xyxy"], [*"abca"]), file("same", None, [*"abc"]), "in several sources"),
        (
            file("part", [*"xyx"], [*"abc"]),
            plain,
            "1 of 4 objects has no source .firm., such as 'd'",
        ),
    ]
    for truth, guess, said in cases:
        with pytest.raises(cd.ClusterdiffError, match=said):
            cd.compare(truth, guess, "rand", between="firm", align="singletons")
    assert cd.compare(good, plain, "rand", between="firm")["rand"].value == 1


def test_several_files_are_compared_where_they_are(tmp_path: Any) -> None:
    pl = pytest.importorskip("polars")
    runs, source = runs_of(3)
    ids = list(source)
    for name, clusters in runs.items():
        columns: dict[str, Any] = {"id": ids, "cluster": [clusters[i] for i in ids]}
        if name == "a":
            columns["firm"] = [source[i] for i in ids]
        pl.DataFrame(columns)[int(name == "b") :].write_csv(tmp_path / f"{name}.csv")
    truth, *guesses = (tmp_path / f"{name}.csv" for name in "abc")
    for align in ("shared", "singletons"):
        reports = [
            cd.compare(
                truth, {"b": guesses[0], "c": guesses[1]}, ["pair_f", "rand"], between="firm",
                align=align, confidence=0.95, engine=engine,
            )
            for engine in (None, "arrays")
        ]  # fmt: skip
        one, other = (report.to_dict() for report in reports)
        assert one == other
