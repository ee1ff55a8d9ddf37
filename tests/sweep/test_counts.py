"""A sweep with counts is that of the same data in which each row is given so often."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import clusterdiff as cd
from cli.runner import run
from sweep.graphs import drawn

Labels = dict[Any, Any]
Counts = dict[Any, int]
TOP = 2.0
"""A score above all others, at which the copies of an object are linked."""
ASKED = ["elm_f", "pair_f", "adjusted_rand", "nmi", "accuracy"]
POLICIES: list[dict[str, Any]] = [
    {}, {"align": "shared"}, {"align": "singletons"}, {"noise": "3"},
    {"noise": "3", "noise_as": "drop", "align": "shared"},
]  # fmt: skip


def copies(labels: Labels, counts: Counts) -> Labels:
    return {f"{i}/{k}": label for i, label in labels.items() for k in range(counts[i])}


def given(seed: int, unknown: int = 0) -> tuple[Labels, list[Any], Counts]:
    """Truth, pairs, and counts, some of 0; not of what pairs with objects that truth lacks."""
    g = drawn(seed, 24, 30, unknown)
    rng = np.random.default_rng(seed)
    pairs = list(zip(*g.columns, strict=True))
    ids = sorted({*g.truth, *(i for pair in pairs for i in pair[:2])})
    counts = dict(zip(ids, rng.integers(0, 4, len(ids)).tolist(), strict=True)) | {0: 2}
    beside = {i for pair in pairs for i in pair[:2] if max(pair[:2]) >= 24}
    counts |= {i: counts[i] or 1 for i in beside}
    return {i: str(t) for i, t in g.truth.items()}, pairs, counts


def linked(pairs: list[Any], counts: Counts) -> list[Any]:
    """The pairs of first copies, whose other copies are linked to them before all else."""
    kept = [(f"{a}/0", f"{b}/0", s) for a, b, s in pairs if counts[a] and counts[b]]
    return kept + [(f"{i}/0", f"{i}/{k}", TOP) for i, n in counts.items() for k in range(1, n)]


def same(found: Any, wanted: Any) -> None:
    """Every line but that on which the copies alone are linked."""
    lines = slice(len(wanted) - len(found), None)
    for name in found.measures:
        assert found[name] == pytest.approx(wanted[name][lines], abs=1e-12, nan_ok=True), name
    for what in ("clusters", "largest", "rows"):
        assert getattr(found, what).tolist() == getattr(wanted, what)[lines].tolist()


@pytest.mark.parametrize(
    "policy", POLICIES, ids=lambda p: "-".join(map(str, p.values())) or "plain"
)
def test_pairs_with_counts_are_those_of_all_copies(policy: dict[str, Any]) -> None:
    for seed in range(8):
        truth, pairs, counts = given(seed, 6 if "align" in policy else 0)
        known = counts if policy.get("align") == "singletons" else {i: counts[i] for i in truth}
        more = {**counts, **dict.fromkeys(counts.keys() - known.keys(), 1)}
        found = cd.sweep(truth, pairs, ASKED, count=known, **policy)
        wanted = cd.sweep(copies(truth, counts), linked(pairs, more), ASKED, **policy)
        same(found, wanted)
        best, line = found.best("pair_f"), len(wanted) - len(found)
        if not policy.get("align"):
            own = cd.compare(truth, found.cut("pair_f"), "pair_f", count=counts, **policy)
            assert own["pair_f"].value == best.value == wanted["pair_f"][best.line + line]
            assert own["pair_f"].signature["count"] == "given"
            assert "|count:given|" in best.signature


def test_levels_and_trees_with_counts_are_those_of_all_copies() -> None:
    from scipy.cluster.hierarchy import linkage

    rng = np.random.default_rng(5)
    truth, counts = rng.integers(0, 5, 30), rng.integers(0, 4, 30)
    tree = linkage(rng.random((30, 2)) + truth[:, None], "average")
    found = cd.sweep(truth, tree, ASKED, count=counts)
    for line in range(0, len(found), 5):
        labels = found.lines.cluster_of(line)
        report = cd.compare(np.repeat(truth, counts), np.repeat(labels, counts), ASKED)
        for name in ASKED[:4]:
            assert found[name][line] == pytest.approx(report[name].value, abs=1e-12)
    assert len(found.cut("pair_f")) == (counts > 0).sum()
    levels = {f"k{k}": found.lines.cluster_of(len(found) - k) for k in (2, 5, 9)}
    ways: list[dict[str, Any]] = [{}, {"noise": [0]}]
    for how in ways:
        one = cd.sweep(truth, levels, ASKED, count=counts, **how)
        other = cd.sweep(
            np.repeat(truth, counts), {k: np.repeat(v, counts) for k, v in levels.items()},
            ASKED, **how,
        )  # fmt: skip
        same(one, other)


@pytest.mark.filterwarnings("ignore:31 % of the pairs score")
def test_best_line_intervals_and_folds_are_those_of_all_copies() -> None:
    g = drawn(3, 400, 900)
    truth = {f"{i:04}": t for i, t in g.truth.items()}
    pairs = [(f"{a:04}", f"{b:04}", s) for a, b, s in zip(*g.columns, strict=True)]
    counts = {i: 1 + k % 3 for k, i in enumerate(truth)}
    how: dict[str, Any] = {"confidence": 0.9, "folds": 4}
    found = cd.sweep(truth, pairs, "pair_f", count=counts, **how)
    wanted = cd.sweep(copies(truth, counts), linked(pairs, counts), "pair_f", **how)
    same(found, wanted)
    one, other = found.best(), wanted.best()
    assert (one.value, one.low, one.clusters, one.largest) == (
        other.value, other.low, other.clusters, other.largest,
    )  # fmt: skip
    assert one.held_out is not None
    assert other.held_out is not None
    assert one.held_out.each == pytest.approx(other.held_out.each)
    assert repr(one.ci) == repr(other.ci)
    assert one.differences[-1].difference.value == pytest.approx(
        other.differences[-1].difference.value
    )


def test_pairs_across_sources_with_counts_are_those_of_all_copies() -> None:
    truth, pairs, counts = given(2)
    source = {i: "ab"[i % 2] for i in truth}
    found = cd.sweep(truth, pairs, "pair_f", count=counts, between=source, noise="3")
    wanted = cd.sweep(
        copies(truth, counts), linked(pairs, counts), "pair_f", between=copies(source, counts),
        noise="3",
    )  # fmt: skip
    same(found, wanted)


def test_too_many_for_every_line_are_scored_on_some() -> None:
    truth, pairs, counts = given(1)
    large = {i: n * 2**52 for i, n in counts.items()}
    found, small = (cd.sweep(truth, pairs, "pair_f", count=n, lines=4) for n in (large, counts))
    assert np.isfinite(found["pair_f"]).sum() == 4
    assert found.clusters.tolist() == small.clusters.tolist()
    assert found.largest.tolist() == [n * 2**52 for n in small.largest.tolist()]


BAD: list[tuple[Any, str]] = [
    ([1, -1, 2], "1 of 3 counts is negative"),
    ([1, 0.5, 2], "1 of 3 counts is not whole"),
    ([1, None, 2], "1 of 3 counts is missing"),
    ([0, 0, 0], "no object is left: all 3 counts are 0"),
    ([2**62, 2**62, 1], "add up to .*fewer than 2⁶³"),
    ({"a": 1, "b": 2}, "1 object has no count, such as 'c'"),
    ("n", "count='n' names a column"),
    (3, "count is an int"),
]


@pytest.mark.parametrize(("count", "message"), BAD)
def test_what_is_no_count_is_refused(count: Any, message: str) -> None:
    for pairs in (
        [("a", "b", 0.5)],
        {"k1": dict.fromkeys("abc", 1), "k2": dict.fromkeys("abc", 2)},
    ):
        with pytest.raises(cd.ClusterdiffError, match=message):
            cd.sweep(dict.fromkeys("abc", "x"), pairs, count=count)


def test_counts_of_objects_that_truth_lacks() -> None:
    truth, pairs = dict.fromkeys("abc", "x"), [("a", "b", 0.5), ("b", "z", 0.4)]
    with pytest.raises(cd.ClusterdiffError, match=r"1 object has no count \(object 'z'\)"):
        cd.sweep(cd.Partition(truth), pairs, count=[1, 2, 3], align="singletons")
    with pytest.raises(cd.ClusterdiffError, match="1 object has no count, such as 'z'"):
        cd.sweep(truth, pairs, count=dict.fromkeys("abc", 2), align="singletons")


def test_a_column_of_truth_or_of_levels_has_the_counts(tmp_path: Path) -> None:
    truth, table, pairs = (tmp_path / name for name in ("t.csv", "levels.csv", "pairs.csv"))
    truth.write_text("id,cluster,n\na,x,3\nb,x,1\nc,y,0\nd,y,2\n")
    table.write_text("id,k_1,k_2,n\na,p,1,3\nb,q,1,1\nc,q,2,0\nd,q,2,2\n")
    pairs.write_text("left,right,score\na,b,0.9\nb,c,0.5\nc,d,0.4\n")
    counts = {"a": 3, "b": 1, "c": 0, "d": 2}
    wanted = cd.sweep(truth, pairs, "pair_f", count=counts)["pair_f"].tolist()
    assert cd.sweep(truth, pairs, "pair_f", count="n")["pair_f"].tolist() == wanted
    plain = tmp_path / "plain.csv"
    plain.write_text("id,cluster\na,x\nb,x\nc,y\nd,y\n")
    level = f"{table}::k_*"
    best = cd.sweep(truth, level, "pair_f", count="n").best()
    assert cd.sweep(plain, level, "pair_f", count="n").best().value == best.value
    for one, others in ((truth, [pairs]), (truth, [level]), (plain, [level])):
        told = run("sweep", str(one), *map(str, others), "-m", "pair_f", "--count", "n")
        assert told.code == 0, told
        assert "6 objects in 2 clusters" in told.stdout or "6 objects: " in told.stdout
    refused = run("sweep", str(plain), str(pairs), "--count", "n")
    assert refused.code == 2
    assert "count='n' names a column" in refused.stderr
