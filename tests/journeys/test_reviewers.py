"""Reviewers who resolved different parts of a data set: what they agree on, how near that is to the
truth, and how sure, when no reviewer has seen all records.
"""

from __future__ import annotations

import csv
import json
from itertools import combinations
from pathlib import Path
from random import Random

import pytest

import clusterdiff as cd
from cli.runner import run
from journeys.places import DATA

pytestmark = pytest.mark.skipif(not DATA.exists(), reason="the data sets are not here")

REVIEWERS = 15
Labels = dict[str, str]


@pytest.fixture(scope="module")
def truth() -> Labels:
    with (DATA / "febrl1.csv").open(encoding="utf-8") as file:
        return {row["rec_id"]: row["entity"] for row in csv.DictReader(file)}


@pytest.fixture(scope="module")
def reviews(truth: Labels) -> dict[str, Labels]:
    """Each reviewer sees a quarter of the entities, and takes one record in twenty for a stray."""
    rng, entities = Random(5), sorted(set(truth.values()))
    made = {}
    for k in range(REVIEWERS):
        seen = set(rng.sample(entities, len(entities) // 4))
        mine = {i: x for i, x in truth.items() if x in seen}
        made[f"reviewer {k}"] = {
            i: x if rng.random() > 0.05 else f"stray {i}" for i, x in mine.items()
        }
    return made


def pairs_apart(found: Labels, review: Labels) -> int:
    """Ordered pairs of what a reviewer saw on which both disagree."""
    return 2 * sum(
        (found[i] == found[j]) != (review[i] == review[j]) for i, j in combinations(review, 2)
    )


@pytest.fixture(scope="module")
def agreed(reviews: dict[str, Labels]) -> cd.Consensus:
    return cd.consensus(reviews, align="abstain")


def labels_of(found: cd.Consensus) -> Labels:
    made = found.clustering
    assert made.ids is not None
    return dict(zip(made.ids.tolist(), map(str, made.labels.tolist()), strict=True))


def test_pairs_that_a_reviewer_has_not_seen_do_not_count(
    agreed: cd.Consensus, reviews: dict[str, Labels]
) -> None:
    """The cost is that of the pairs seen, and no pair votes for being apart by its absence."""
    found = labels_of(agreed)
    assert found.keys() == {i for review in reviews.values() for i in review}
    costs = [pairs_apart(found, review) for review in reviews.values()]
    assert agreed.cost == sum(costs)
    for pair in combinations(sorted(found)[:200], 2):
        seen = [r for r in reviews.values() if pair[0] in r and pair[1] in r]
        together = sum(r[pair[0]] == r[pair[1]] for r in seen)
        if seen and together == len(seen):
            assert found[pair[0]] == found[pair[1]]
        if not together:
            assert found[pair[0]] != found[pair[1]]
    text = " ".join(agreed.to_text(200).split())
    seen_by = sum(len(review) for review in reviews.values()) / len(found)
    assert f"an object is in {seen_by:.3g} of 15 runs on average" in text


def test_what_reviewers_agree_on_is_nearer_to_the_truth(
    agreed: cd.Consensus, reviews: dict[str, Labels], truth: Labels
) -> None:
    """Abstaining finds the entities; counting what was not seen as single finds none."""
    report = cd.compare(
        truth,
        {"agreed": agreed, "singletons": cd.consensus(reviews, align="singletons")},
        ["pair_recall", "pair_precision"],
        align="shared",
        confidence=0.95,
    )
    found = labels_of(agreed)
    right = sum(truth[i] == truth[j] and found[i] == found[j] for i, j in combinations(found, 2))
    wanted = sum(truth[i] == truth[j] for i, j in combinations(found, 2))
    recall = report["pair_recall"]
    assert float(recall["agreed"]) == pytest.approx(right / wanted, abs=1e-12)
    assert float(recall["agreed"]) > 0.8
    assert float(recall["singletons"]) < 0.2
    assert report.difference("pair_recall", "agreed", "singletons").significant
    text = " ".join(report.to_text(200).split())
    assert "objects only in truth" in text
    assert "†" in text


def test_a_reviewer_of_few_records_is_not_in_the_middle(reviews: dict[str, Labels]) -> None:
    few = dict(list(reviews["reviewer 0"].items())[:3])
    matrix = cd.matrix({**reviews, "few": few}, "rand", align="shared")
    assert matrix.medoid != "few"
    assert "cannot be the medoid" in " ".join(matrix.to_text(200).split())


def test_the_command_writes_it_and_a_gate_holds_it(
    agreed: cd.Consensus, reviews: dict[str, Labels], truth: Labels, tmp_path: Path
) -> None:
    for name, labels in {**reviews, "truth": truth}.items():
        lines = "".join(f"{i},{x}\n" for i, x in labels.items())
        (tmp_path / f"{name}.csv").write_text(f"id,cluster\n{lines}", encoding="utf-8")
    paths = [str(tmp_path / f"{name}.csv") for name in reviews]
    refused = run("consensus", *paths)
    assert refused.code == 2
    assert "--align abstain (a pair counts only in the runs that have both)" in " ".join(
        refused.stderr.split()
    )
    told = run("consensus", *paths, "--align", "abstain", "-f", "json")
    assert told.code == 0, told.stderr
    assert json.loads(told.stdout)["cost"] == agreed.cost
    out = tmp_path / "agreed.csv"
    assert run("consensus", *paths, "--align", "abstain", "-o", str(out)).code == 0
    with out.open(encoding="utf-8") as file:
        written = {row["id"]: row["cluster"] for row in csv.DictReader(file)}
    assert cd.adjusted_rand(written, agreed) == 1
    sides = (str(tmp_path / "truth.csv"), str(out), "--align", "shared", "-m", "pair_f")
    score = float(cd.pair_f(truth, agreed, align="shared"))
    left = run("compare", *sides, "--fail-under", f"pair_f={score - 0.01:.4f}")
    missing = len(truth) - len(written)
    assert missing > 0  # records that nobody has seen
    assert left.code == 1
    assert f"lacks {missing} of 1,000 objects that truth has" in left.stderr
    plain = run("compare", *sides, "--fail-under", f"pair_f={score + 0.01:.4f}")
    assert plain.code == 1
    assert "below" in plain.stderr
