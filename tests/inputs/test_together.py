"""Several guesses are judged on the same objects, whatever the kind, the policy and the engine."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import clusterdiff as cd
from clusterdiff.contingency import Policy
from clusterdiff.engines.named import SqlNamedComparison
from clusterdiff.errors import AlignmentError, InputError, KindError
from clusterdiff.explain.explain import explained
from clusterdiff.io import EngineSessions, align_together

Labels = dict[Any, Any]
Guesses = dict[str, Labels]
SAMPLE = 100
"""Ids of different samples lie so far apart."""
NOISE = "c-1"
RULES = [
    {"align": "shared"},
    {"align": "singletons"},
    {"align": "penalise"},
    {"noise": NOISE, "noise_as": "drop"},
    {"noise": NOISE, "noise_as": "singletons", "align": "shared"},
    *(
        {"noise": NOISE, "noise_as": "drop", "align": a}
        for a in ("shared", "singletons", "penalise")
    ),
]


def drawn(seed: int, rule: dict[str, Any], samples: int = 1) -> tuple[Labels, Guesses]:
    """Truth and three guesses that lack objects, have others, or call some noise."""
    rng = random.Random(f"{seed} {rule} {samples}")
    alike = "align" not in rule

    def clustering() -> Labels:
        kept = 1.0 if alike else rng.choice([0.7, 0.9, 1.0])
        ids = [s * SAMPLE + i for s in range(samples) for i in range(14) if rng.random() < kept]
        ids = ids or [0]
        return {i: f"c{rng.choice([-1, 0, 1, 2, 3, 4])}" for i in rng.sample(ids, len(ids))}

    return clustering(), {name: clustering() for name in ("one", "two", "three")}


def by_hand(
    truth: Labels, guesses: Guesses, align: str = "exact", noise: Any = None,
    noise_as: str = "singletons",
) -> tuple[Labels, Guesses]:  # fmt: skip
    """The sides as they are judged, object by object; only penalise leaves some on one side."""
    sides = [truth, *guesses.values()]
    if noise_as == "drop":
        noisy = {x for side in sides for x, label in side.items() if label == noise}
    else:
        noisy = set()
        alone = [{x: ("noise", x) if c == noise else c for x, c in s.items()} for s in sides]
        sides = sides if noise is None else alone
    kept = set().union(*sides) - noisy
    if align == "shared":
        kept &= set.intersection(*map(set, sides))
    filled = [{x: side.get(x, ("none", x)) for x in sorted(kept)} for side in sides]
    if align == "penalise":
        filled = [{x: c for x, c in side.items() if c != ("none", x)} for side in filled]
    return filled[0], dict(zip(guesses, filled[1:], strict=True))


MEASURES = ["elm_f", "bcubed_precision", "bcubed_recall", "lea_f"]
HARD = [*MEASURES, "rand", "nmi", "accuracy", "exact_f"]


def measures_for(rule: dict[str, Any]) -> list[str]:
    return MEASURES if rule.get("align") == "penalise" else HARD


def scores(report: cd.Report) -> dict[str, Any]:
    """Values, objects and digests of all guesses."""
    return {
        guess: {text: (s.value, s.micro, s.meet.objects, s.meet.digest) for text, s in own.items()}
        for guess, own in report.scores.items()
    }


@pytest.mark.parametrize("rule", RULES, ids=str)
@pytest.mark.parametrize("seed", range(4))
def test_guesses_are_judged_on_the_same_objects(seed: int, rule: dict[str, Any]) -> None:
    truth, guesses = drawn(seed, rule)
    found = cd.compare(truth, guesses, measures_for(rule), **rule)
    whole, each = by_hand(truth, guesses, **rule)
    align = "penalise" if rule.get("align") == "penalise" else "exact"
    for name, guess in each.items():
        wanted = cd.compare(whole, guess, measures_for(rule), align=align)
        for text in found:
            score, expected = found[text][name], wanted[text]
            assert score.value == expected.value
            assert score.meet.digest == expected.meet.digest
            assert score.meet.objects == expected.meet.objects


@pytest.mark.parametrize("rule", RULES, ids=str)
def test_a_guess_alone_is_judged_as_ever(rule: dict[str, Any]) -> None:
    truth, guesses = drawn(7, rule)
    for guess in guesses.values():
        score = cd.compare(truth, guess, "elm_f", **rule)["elm_f"]
        assert "among" not in score.signature
        assert score.meet == cd.meet(truth, guess, **rule)


def as_cover(side: Labels) -> dict[Any, list[Any]]:
    return {x: [c, ("also", len(str(c)) + x % 2)] if x % 3 == 0 else [c] for x, c in side.items()}


@pytest.mark.parametrize("rule", [r for r in RULES if r.get("noise_as") != "singletons"], ids=str)
@pytest.mark.parametrize("seed", range(2))
def test_covers_too(seed: int, rule: dict[str, Any]) -> None:
    truth, guesses = drawn(seed, rule)
    covers = {name: cd.Cover(as_cover(side)) for name, side in {"truth": truth, **guesses}.items()}
    left = covers.pop("truth")
    found = cd.compare(left, covers, ["extended_bcubed_f", "cice_recall"], **rule)
    whole, each = by_hand(truth, guesses, **rule)
    align = "penalise" if rule.get("align") == "penalise" else "exact"

    def filled(side: Labels) -> cd.Cover:
        own = as_cover({x: c for x, c in side.items() if c != ("none", x)})
        return cd.Cover({x: own.get(x, [("none", x)]) for x in side})

    for name, guess in each.items():
        wanted = cd.compare(filled(whole), filled(guess), list(found), align=align)
        for text in found:
            assert found[text][name].meet.digest == wanted[text].meet.digest
            assert found[text][name].value == pytest.approx(wanted[text].value, abs=1e-12)


@pytest.mark.parametrize("kind", ["rough", "fuzzy"])
def test_uncertain_clusterings_too(kind: str) -> None:
    rng = np.random.default_rng(1)
    truth = {x: f"c{x % 3}" if x else NOISE for x in range(10)}
    made: dict[str, Any] = {}
    for k, name in enumerate(("one", "two")):
        ids = [x for x in range(12) if x % 5 != k + 1]
        rows = rng.random((len(ids), 3)).round(1) + 0.1
        made[name] = cd.Fuzzy(rows / rows.sum(axis=1, keepdims=True), ids=ids)
        if kind == "rough":
            made[name] = cd.Rough([{int(r.argmax()), int(r.argmin())} for r in rows], ids=ids)
    kept = [x for x in range(1, 10) if all(x % 5 != k + 1 for k in (0, 1))]
    rule: dict[str, Any] = {"align": "shared", "noise": NOISE, "noise_as": "drop"}
    found = cd.compare(truth, made, ["rand_alpha", "partition_distance_alpha"], **rule)
    for name, guess in made.items():
        at = np.array([guess.ids.tolist().index(x) for x in kept])
        wanted = cd.compare({x: truth[x] for x in kept}, guess.take(at), list(found))
        assert [found[t][name].value for t in found] == [wanted[t].value for t in found]
        assert found["rand_alpha"][name].meet.objects == len(kept) == 5
    with pytest.raises(KindError):
        cd.compare(truth, made, "rand_alpha", align="singletons", noise=NOISE)


# engines


def as_csv(side: Labels, path: Path) -> Path:
    rows = "".join(f"s{x // SAMPLE},{x % SAMPLE},{label}\n" for x, label in side.items())
    path.write_text("doc,id,cluster\n" + rows)
    return path


def as_parquet(side: Labels, path: Path) -> Path:
    frame = pl.DataFrame(
        {
            "doc": [f"s{x // SAMPLE}" for x in side],
            "id": [x % SAMPLE for x in side],
            "cluster": list(side.values()),
        }
    )
    frame.write_parquet(path)
    return path


WAYS: list[Callable[[Labels, Path], Path]] = [as_csv, as_parquet]


@pytest.mark.parametrize("samples", [1, 3])
@pytest.mark.parametrize("rule", [r for r in RULES if r.get("noise_as") != "singletons"], ids=str)
def test_engines_agree(rule: dict[str, Any], samples: int, tmp_path: Path) -> None:
    truth, guesses = drawn(samples, rule, samples)
    files = {
        name: WAYS[k % 2](side, tmp_path / f"{name}.{'parquet' if k % 2 else 'csv'}")
        for k, (name, side) in enumerate({"truth": truth, **guesses}.items())
    }
    left = files.pop("truth")
    options = rule | ({"samples": "doc"} if samples > 1 else {})
    found = cd.compare(left, files, measures_for(rule), **options)
    wanted = cd.compare(left, files, measures_for(rule), engine="arrays", **options)
    assert found.to_dict() == wanted.to_dict()
    assert found.head(300) == wanted.head(300)


@pytest.mark.parametrize("rule", RULES, ids=str)
@pytest.mark.parametrize("seed", range(3))
def test_within_each_sample_the_same_holds(seed: int, rule: dict[str, Any]) -> None:
    truth, guesses = drawn(seed, rule, 4)

    def part(side: Labels, s: int) -> Labels:
        return {x: c for x, c in side.items() if x // SAMPLE == s}

    of = {x: f"s{x // SAMPLE}" for side in (truth, *guesses.values()) for x in side}
    found = cd.compare(truth, guesses, ["elm_f"], samples=of, **rule)
    names = {score.samples for score in found["elm_f"].values()}
    assert len(names) == 1
    align = "penalise" if rule.get("align") == "penalise" else "exact"
    for s in range(4):
        whole, each = by_hand(part(truth, s), {n: part(g, s) for n, g in guesses.items()}, **rule)
        if not whole and align == "exact":
            assert f"s{s}" not in next(iter(names))
            continue
        at = next(iter(names)).index(f"s{s}")
        for name, guess in each.items():
            wanted = cd.elm_f(whole, guess, align=align)
            assert found["elm_f"][name].each[at] == pytest.approx(wanted, abs=1e-12)


def test_positions_keep_their_names() -> None:
    truth = ["a", "?", "a", "b", "b", "c"]
    runs = {"one": [1, 1, 1, 2, 3, 3], "two": ["x", "x", "?", "y", "y", "y"]}
    with EngineSessions() as sessions:
        sides = {name: cd.Partition(labels) for name, labels in runs.items()}
        policy = Policy(noise="?", noise_as="drop")
        aligned = align_together(sessions, cd.Partition(truth), sides, policy)
        told = explained(aligned, "one", "elm_f")
    assert isinstance(told, cd.Explanation)
    ids = {i for part in told.top(None, None) for cell in part.cells for i in cell.ids}
    assert ids == {3, 4, 5}
    assert told.object(4).missing == [3]
    assert float(told.score) == cd.elm_f(["a", "b", "b", "c"], [1, 2, 3, 3])
    change = cd.diff(truth, runs["one"], runs["two"], noise="?", noise_as="drop")
    assert change.changed(True)[0].ids == [3, 4]


def test_features_follow_their_objects() -> None:
    truth = {x: x % 2 for x in range(6)}
    guesses = {"one": {x: x % 3 for x in range(5)}, "two": {x: x // 2 for x in range(1, 6)}}
    features = np.arange(6.0)
    found = cd.compare(truth, guesses, "split_merge", align="shared", features=features)
    kept = range(1, 5)
    for name, guess in guesses.items():
        left, right = ({x: side[x] for x in kept} for side in (truth, guess))
        wanted = cd.compare(left, right, "split_merge", features=features[1:5])
        assert found["split_merge"][name].meet.digest == wanted["split_merge"].meet.digest


# what is said


TRUTH = {x: x // 2 for x in range(10)}
GUESSES = {
    "all": {x: x // 3 for x in range(10)},
    "less": {x: x // 2 for x in range(8)},
    "other": {x: x // 5 for x in range(1, 12)},
}


def test_the_header_says_what_was_scored() -> None:
    shared = cd.compare(TRUTH, GUESSES, "elm_f", align="shared")
    head = shared.head(200)
    assert "truth  7 objects in 4 clusters" in head
    assert "less: 2 objects only in truth, 0 only in guess: left out" in head
    assert "other: 1 object only in truth, 2 only in guess: left out" in head
    assert "judged on the 7 objects that truth and all 3 guesses have" in head
    signatures = {name: score.signature for name, score in shared["elm_f"].items()}
    assert signatures["all"]["align"] == "shared"
    assert signatures["all"]["among"] == "3 guesses(3 left out, 0 added)"
    assert signatures["other"]["align"] == "shared(1 only truth, 2 only guess)"
    assert signatures["other"]["among"] == "3 guesses(2 left out, 0 added)"
    singletons = cd.compare(TRUTH, GUESSES, "elm_f", align="singletons")
    assert "judged on the 12 objects that truth or any of 3 guesses has" in singletons.head(200)
    assert singletons["elm_f"]["less"].signature["among"] == "3 guesses(0 left out, 2 added)"
    assert "among" not in singletons["elm_f"]["other"].signature


def test_nothing_is_said_where_nothing_depends_on_others() -> None:
    same = {"one": GUESSES["less"], "two": dict.fromkeys(range(8), 0)}
    report = cd.compare(TRUTH, same, "elm_f", align="shared")
    assert "judged on" not in report.head(200)
    alone = {
        name: cd.compare(TRUTH, g, "elm_f", align="shared")["elm_f"] for name, g in same.items()
    }
    assert {n: s.sign() for n, s in report["elm_f"].items()} == {
        n: s.sign() for n, s in alone.items()
    }


def test_a_warning_is_given_once() -> None:
    truth = {x: "nan" if x < 4 else "a" for x in range(8)}
    guesses = {"one": {x: x // 2 for x in range(7)}, "two": {x: x // 3 for x in range(1, 8)}}
    with pytest.warns(cd.ClusterdiffWarning) as caught:
        cd.compare(truth, guesses, "elm_f", align="shared")
    assert len({str(warning.message) for warning in caught}) == 1


def test_nothing_in_common_is_refused() -> None:
    apart = {"one": {1: 1, 2: 1}, "two": {3: 1, 4: 1}}
    with pytest.raises(AlignmentError, match="truth and the 2 guesses have no object in common"):
        cd.compare({1: 1, 2: 1, 3: 2, 4: 2}, apart, align="shared")
    noisy = {"one": [-1, 1], "two": [1, -1]}
    told = {"exact": "the 2 objects that neither", "penalise": "objects that neither"}
    for align, words in told.items():
        sides = {name: cd.Partition([*g, 3, 3], ids=range(4)) for name, g in noisy.items()}
        rule: Any = {"noise": -1, "noise_as": "drop", "align": align}
        head = cd.compare(cd.Partition([1, 1, 2, 2], ids=range(4)), sides, "elm_f", **rule).head(99)
        assert f"judged on {words} truth nor any guess calls noise" in head
    with pytest.raises(InputError, match="after the noise is dropped"):
        cd.compare([1, 1], noisy, noise=-1, noise_as="drop")


@pytest.mark.parametrize("given", [list, tuple])
@pytest.mark.parametrize(
    "guesses",
    [
        [[1, 1, 2], [1, 2, 2]],
        [np.array([1, 1, 2]), np.array([1, 2, 3])],
        [pl.Series([1, 1, 2])],
        [{1: 1, 2: 1, 3: 2}, {1: 1, 2: 2}],
        [cd.Partition([1, 2, 3]), cd.Partition([1, 2, 3])],
    ],
)
def test_a_list_of_guesses_is_told_to_be_a_dict(given: Any, guesses: list[Any]) -> None:
    for verb in (cd.compare, cd.page):
        with pytest.raises(InputError, match=f"list of {len(guesses)} clusterings") as caught:
            verb([1, 1, 2], given(guesses))
        assert "as a dict, {" in caught.value.hint


# samples without objects


@cache
def documents() -> tuple[pl.DataFrame, pl.DataFrame]:
    truth = pl.DataFrame({"doc": list("aabbcc"), "id": [1, 2] * 3, "cluster": [1, 1, 1, 2, 3, 3]})
    guess = pl.DataFrame(
        {"doc": list("aabbcd"), "id": [1, 2, 1, 2, 8, 9], "cluster": [1, 2, 3, 4, 5, 6]}
    )
    return truth, guess


@pytest.mark.parametrize("engine", ["arrays", "duckdb"])
def test_a_sample_without_shared_objects_is_left_out(engine: str, tmp_path: Path) -> None:
    truth, guess = tmp_path / "truth.parquet", tmp_path / "guess.parquet"
    for frame, path in zip(documents(), (truth, guess), strict=True):
        frame.write_parquet(path)
    report = cd.compare(truth, guess, "elm_f", samples="doc", align="shared", engine=engine)
    score = report["elm_f"]
    assert (score.samples, score.each) == (("a", "b"), (0.0, 1.0))
    assert score.signature["samples"] == "2 of 4"
    assert "2 of 4 samples have no objects to compare and are left out: c, d" in report.head(200)
    assert score.meet.alignment.only_truth == 2
    cover = cd.compare(
        truth, guess, "cice_f", samples="doc", align="shared", engine=engine, kind="cover"
    )
    assert cover["cice_f"].samples == ("a", "b")
    assert cover["cice_f"].signature["samples"] == "2 of 4"
    apart = cd.compare(truth, guess, "elm_f", samples="doc", align="penalise", engine=engine)
    assert apart["elm_f"].samples == ("a", "b", "c", "d")


@pytest.mark.parametrize("kind", [None, "cover"])
@pytest.mark.parametrize("engine", ["arrays", "duckdb"])
def test_a_sample_with_only_other_ids_is_completed_as_an_empty_one_is(
    engine: str, kind: str | None, tmp_path: Path
) -> None:
    """In c the guess has an object that truth lacks: each object of both is alone elsewhere."""
    truth, guess = tmp_path / "truth.parquet", tmp_path / "guess.parquet"
    for frame, path in zip(documents(), (truth, guess), strict=True):
        frame.write_parquet(path)
    how: Any = {"samples": "doc", "align": "singletons", "engine": engine, "kind": kind}
    report = cd.compare(truth, guess, "bcubed_recall", **how)
    score = report["bcubed_recall"]
    assert score.samples == ("a", "b", "c", "d")
    assert score.each == pytest.approx((0.5, 1.0, (0.5 + 0.5 + 1) / 3, 1.0))
    assert (score.meet.alignment.only_truth, score.meet.alignment.only_guess) == (2, 2)
    if kind is None:
        each = cd.objects(*documents(), "bcubed_recall", samples="doc", align="singletons")
        assert each.to_dict()["c", 8] == 1.0
        assert each.to_dict()["c", 1] == 0.5
    other = tmp_path / "other.parquet"
    documents()[1].with_columns(id=pl.col("id") + 100).write_parquet(other)
    with pytest.raises(AlignmentError, match="^truth and guess have no object in common"):
        cd.compare(truth, other, "bcubed_recall", **how)


def test_where_no_sample_is_left_all_is_refused() -> None:
    truth, guess = documents()
    other = guess.with_columns(id=pl.col("id") + 100)
    with pytest.raises(AlignmentError, match="no object in common"):
        cd.compare(truth, other, samples="doc", align="shared")
    with pytest.raises(AlignmentError, match="no object in common"):
        cd.objects(truth, other, samples="doc", align="singletons")
    with pytest.raises(InputError, match="after the noise is dropped"):
        cd.compare(truth, truth, samples="doc", noise=[1, 2, 3], noise_as="drop")
    left = cd.compare(truth, truth, "elm_f", samples="doc", noise=[3], noise_as="drop")
    assert left["elm_f"].samples == ("a", "b")


def test_tables_that_stay_where_they_are_are_explained_on_the_same_objects(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("clusterdiff.io.session.NAMED", 10**9)
    with EngineSessions() as sessions:
        files = {n: as_csv(side, tmp_path / f"{n}.csv") for n, side in GUESSES.items()}
        truth = sessions.path(as_csv(TRUTH, tmp_path / "truth.csv"))
        guesses = {name: sessions.path(file) for name, file in files.items()}
        aligned = align_together(sessions, truth, guesses, Policy("shared"))
        wanted = cd.compare(TRUTH, GUESSES, "elm_f", align="shared")["elm_f"]
        for name in GUESSES:
            told = explained(aligned, name, "elm_f")
            assert isinstance(told, cd.Explanation)
            assert isinstance(told.named, SqlNamedComparison)
            assert told.score.sign() == wanted[name].sign()
            named = {i for part in told.top(None, None) for cell in part.cells for i in cell.ids}
            assert named <= set(range(1, 8))
