"""Designs, policies, two guesses on one sample, and wrong uses of estimates with their texts."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import clusterdiff as cd
from cli.runner import run as command
from oracles.units import korn_graubard
from sampled_cases import drawn_from, synthetic

TRUTH, RUN = synthetic(seed=2)
SAMPLE, HITS = drawn_from(TRUTH, 100)
CLUSTERS = sorted(set(SAMPLE.values()))


def refused(text: str, hint: str = "", *arguments: Any, **options: Any) -> None:
    """What an estimate is refused with."""
    sample, guess, *measures = arguments or (SAMPLE, RUN)
    with pytest.raises(cd.ClusterdiffError, match=text) as error:
        cd.estimate(sample, guess, *measures, **{"design": "records", **options})
    assert re.search(hint, error.value.hint)


def test_hits_as_records_clusters_and_a_column() -> None:
    import pandas as pd

    by_records = cd.estimate(SAMPLE, RUN, "elm_f", design="records", hits=HITS)["elm_f"]
    counts = {c: sum(TRUTH[i] == c for i in HITS) for c in CLUSTERS}
    by_clusters = cd.estimate(SAMPLE, RUN, "elm_f", design="records", hits=counts)["elm_f"]
    frame = pd.DataFrame({"id": list(SAMPLE), "cluster": list(SAMPLE.values())})
    frame["drawn"] = [HITS.count(i) or None for i in SAMPLE]
    by_column = cd.estimate(frame, RUN, "elm_f", design="records", hits="drawn")["elm_f"]
    unnamed = frame.rename(columns={"drawn": "hits"})
    by_itself = cd.estimate(unnamed, RUN, "elm_f", design="records")["elm_f"]
    signatures = {str(s.signature) for s in (by_records, by_clusters, by_column, by_itself)}
    assert len(signatures) == 1
    assert by_records.ci.count == len(HITS) > len(CLUSTERS)
    once = cd.estimate(SAMPLE, RUN, "elm_f", design="records")["elm_f"]
    assert once.ci.count == len(CLUSTERS)
    assert once.value != by_records.value


def test_a_cluster_that_was_drawn_twice_is_two_units() -> None:
    """Leave-one-out of one hit, by hand: the mean of all others."""
    report = cd.estimate(SAMPLE, RUN, "bcubed_precision", design="records", hits=HITS)
    truths, guesses = (
        [{i for i, c in side.items() if c == side[h]} for h in side] for side in (TRUTH, RUN)
    )
    each = {
        h: np.mean([len(truths[h] & guesses[i]) / len(guesses[i]) for i in truths[h]])
        for h in set(HITS)
    }
    values = np.array([each[h] for h in HITS])
    without = (values.sum() - values) / (values.size - 1)
    k = values.size
    se = math.sqrt((k - 1) / k * ((without - without.mean()) ** 2).sum())
    score = report["bcubed_precision"]
    assert score.value == pytest.approx(values.mean(), abs=1e-12)
    assert score.ci.se == pytest.approx(se, abs=1e-12)


def test_weights_are_the_designs_that_they_spell_out() -> None:
    sizes = {c: sum(v == c for v in SAMPLE.values()) for c in CLUSTERS}
    seen: set[str] = set()
    for design, weights in (
        ("clusters", dict.fromkeys(CLUSTERS, 2.5)),
        ("records", {c: 1 / size for c, size in sizes.items()}),
    ):
        named = cd.estimate(SAMPLE, RUN, ["elm_f", "pair_f", "nmi"], design=design)
        given = cd.estimate(SAMPLE, RUN, ["elm_f", "pair_f", "nmi"], design=weights)
        for text in named:
            assert given[text].value == pytest.approx(named[text].value, abs=1e-12)
            assert given[text].ci.se == pytest.approx(named[text].ci.se, abs=1e-12)
        assert "|design:weights|" in given["elm_f"].sign()
        assert named["elm_f"].signature["sample"] not in seen
        seen.add(named["elm_f"].signature["sample"])


def test_weights_in_a_column() -> None:
    import pandas as pd

    frame = pd.DataFrame({"id": list(SAMPLE), "cluster": list(SAMPLE.values())})
    frame["w"] = 1.0 + frame["cluster"] % 3
    by_column = cd.estimate(frame, RUN, "pair_f", design="w")["pair_f"]
    by_dict = cd.estimate(SAMPLE, RUN, "pair_f", design={c: 1.0 + c % 3 for c in CLUSTERS})
    assert str(by_column.signature) == str(by_dict["pair_f"].signature)
    frame.loc[0, "w"] = 9.0
    refused("have different weights", "", frame, RUN, "pair_f", design="w")


def test_a_finite_population_narrows_the_interval() -> None:
    free = cd.estimate(SAMPLE, RUN, "elm_f", design="clusters")["elm_f"].ci
    finite = cd.estimate(SAMPLE, RUN, "elm_f", design="clusters", out_of=400)["elm_f"].ci
    assert finite.se == pytest.approx(free.se * math.sqrt(1 - len(CLUSTERS) / 400), rel=1e-12)
    both = cd.estimate(
        SAMPLE, {"a": RUN, "b": dict.fromkeys(RUN, 1)}, "elm_f", design="clusters", out_of=400
    )
    plain = cd.estimate(SAMPLE, {"a": RUN, "b": dict.fromkeys(RUN, 1)}, "elm_f", design="clusters")
    found, expected = (r.difference("elm_f", "a", "b").se for r in (both, plain))
    assert found == pytest.approx(expected * math.sqrt(1 - len(CLUSTERS) / 400), rel=1e-12)


def test_two_guesses_on_one_sample() -> None:
    worse = {i: f"{c} {i % 7 == 0}" for i, c in RUN.items()}
    report = cd.estimate(SAMPLE, {"old": worse, "new": RUN}, ["elm_f", "exact_f"],
                         design="records", hits=HITS)  # fmt: skip
    found = report.difference("elm_f", "new", "old")
    scores = report["elm_f"]
    assert found.value == pytest.approx(scores["new"].value - scores["old"].value, abs=1e-12)
    assert found.low < found.value < found.high
    assert found.units == "records"
    assert found.count == len(HITS)
    assert found.p < 0.05
    assert "▲" in str(report)
    alone = cd.estimate(SAMPLE, RUN, ["elm_f"], design="records", hits=HITS)["elm_f"]
    assert scores["new"].value == alone.value
    assert scores["new"].ci == alone.ci
    assert "paired jackknife t-test over 100 records" in " ".join(str(report).split())
    assert (
        json.loads(report.to_json())["differences"]["elm_f"]["new - old"]["test"] == "jackknife t"
    )


@pytest.mark.parametrize("design", ["records", "clusters"])
def test_significant_is_what_the_interval_says(design: str) -> None:
    found = []
    for many in (90, 30, 12, 5, 2):
        worse = {i: f"{c} {i % many == 0}" for i, c in RUN.items()}
        report = cd.estimate(SAMPLE, {"old": worse, "new": RUN}, design=design)
        tests = [report.difference(m, "new", "old") for m in report]
        found += [one for one in tests if one.tested and one.se]
    assert {one.significant for one in found} == {False, True}
    for one in found:
        assert one.significant == (one.low > 0 or one.high < 0)
        assert one.significant == (one.p <= 0.05)


def test_a_difference_of_scores_that_cannot_be_estimated() -> None:
    """The line that says why there is no number says enough."""
    guesses = {"a": RUN, "b": {i: f"x{c}" if k % 9 else i for k, (i, c) in enumerate(RUN.items())}}
    report = cd.estimate(SAMPLE, guesses, ["elm_f", "accuracy"], design="records", hits=HITS)
    assert report.difference("accuracy", "a", "b").refused == "there is no number for both guesses"
    assert not [line for line in report.notes() if "differences not tested" in line]
    assert [line for line in report.notes() if "accuracy needs whole components" in line]


def test_betting_is_wider_and_for_means_alone() -> None:
    both = {
        method: cd.estimate(
            SAMPLE, RUN, ["elm_f", "pair_f"], design="records", hits=HITS, method=method
        )
        for method in ("jackknife", "betting", "bootstrap")
    }
    widths = {m: r["elm_f"].ci.high - r["elm_f"].ci.low for m, r in both.items()}
    assert widths["betting"] > widths["jackknife"] > 0.5 * widths["bootstrap"] > 0
    assert "betting is for means" in both["betting"]["pair_f"].ci.refused


def test_objects_that_the_guess_lacks() -> None:
    lost = list(SAMPLE)[::9]
    less = {i: c for i, c in RUN.items() if i not in lost}
    refused(rf"{len(lost)} of {len(SAMPLE)} objects are only in truth", "", SAMPLE, less, "elm_f")
    shared = cd.estimate(SAMPLE, less, "elm_recall", design="clusters", align="shared")
    cut = {i: c for i, c in SAMPLE.items() if i not in lost}
    plain = cd.estimate(cut, less, "elm_recall", design="clusters")["elm_recall"]
    assert shared["elm_recall"].value == plain.value
    assert f"{len(lost)} objects of the sample that the guess lacks: left out" in str(shared)
    alone = less | {i: f"own {i}" for i in lost}
    single = cd.estimate(SAMPLE, less, "elm_f", design="records", align="singletons")["elm_f"]
    expected = cd.estimate(SAMPLE, alone, "elm_f", design="records")["elm_f"]
    assert single.value == expected.value
    worse = cd.estimate(SAMPLE, less, "elm_recall", design="records", align="penalise")
    assert worse["elm_recall"].value < single.value
    refused("depends on the number of all records", "population=", SAMPLE, less, "nmi",
            align="singletons")  # fmt: skip
    refused("the guesses do not have the same objects", "one at a time", SAMPLE,
            {"a": less, "b": RUN}, "elm_f", align="shared")  # fmt: skip


def test_noise() -> None:
    run = {i: "noise" if i % 11 == 0 else c for i, c in RUN.items()}
    alone = {i: f"own {i}" if i % 11 == 0 else c for i, c in RUN.items()}
    found = cd.estimate(SAMPLE, run, "elm_f", design="records", noise="noise")["elm_f"]
    assert found.value == cd.estimate(SAMPLE, alone, "elm_f", design="records")["elm_f"].value
    less = {i: c for i, c in RUN.items() if i % 11}
    kept = {i: c for i, c in SAMPLE.items() if i % 11}
    dropped = cd.estimate(SAMPLE, run, "nmi", design="clusters", noise="noise", noise_as="drop")
    expected = cd.estimate(kept, less, "nmi", design="clusters")["nmi"]
    assert dropped["nmi"].value == expected.value
    assert dropped["nmi"].signature["population"] == len(less)
    refused("2 objects of the sample are noise", "drop", {1: "x", 2: "x", 3: 3}, RUN,
            noise="x")  # fmt: skip


def test_lists_know_objects_by_their_place() -> None:
    places = sorted(TRUTH)
    sample = [SAMPLE.get(i) for i in places]
    run = [RUN[i] for i in places]
    by_place = cd.estimate(sample, run, "elm_f", design="clusters")["elm_f"]
    by_id = cd.estimate(SAMPLE, RUN, "elm_f", design="clusters")["elm_f"]
    assert str(by_place.signature) == str(by_id.signature)
    refused("Without ids the two must list the same objects", "", sample, run[:-1], "elm_f")


def test_wrong_uses() -> None:
    refused(r"how were the clusters drawn\?", 'design="records" if records', design=None)
    refused("unknown design 3", "", design=3)
    refused("accuracy needs whole components; the sample has truth clusters only.", "elm_f, pair_f",
            SAMPLE, RUN, "accuracy")  # fmt: skip
    ami = "adjusted_mutual_information"
    refused(f"{ami} is not a sum over clusters", "can be estimated", SAMPLE, RUN, ami)
    refused("split_merge needs whole components", "", SAMPLE, RUN, "split_merge")
    refused("confidence must be a number from 0.5 to 0.999", "", confidence=0.3)
    refused("unknown method 'delta'", "", method="delta")
    refused("population is the number of all records", "leave it out", population=10)
    refused("out_of is for clusters", "", out_of=400)
    refused("more than the", "", design="clusters", out_of=3)
    refused("hits are of records", "", design="clusters", hits=HITS)
    refused("3 drawn records are not in the sample", "", hits=[*HITS, -1, -2, -3])
    refused("clusters have no hits", "", hits={CLUSTERS[0]: 1})
    refused("clusters have no weight", "", design={CLUSTERS[0]: 1})
    refused("is not a number above 0", "", design=dict.fromkeys(CLUSTERS, 0.0))
    refused("no cluster of the sample has a hit", "", hits=dict.fromkeys(CLUSTERS, 0))
    refused("no object of the sample has a cluster", "", dict.fromkeys(SAMPLE), RUN)
    refused("have no object in common", "", {-5: 1}, RUN)
    refused("for partitions", "", cd.Cover({"x": {1, 2}}), RUN)
    refused("for partitions", "", SAMPLE, cd.Cover({i: {c} for i, c in RUN.items()}))
    asked = ["accuracy", "elm_f"]
    report = cd.estimate(SAMPLE, RUN, asked, design="records")
    assert report["accuracy"].value is None
    assert "— accuracy needs whole components" in str(report)
    assert report["elm_f"].ci
    at_90 = cd.estimate(SAMPLE, RUN, "elm_f", design="records", confidence=90)
    assert at_90["elm_f"].ci.level == 0.9


def test_few_units_have_no_interval_and_perfect_ones_have_a_low_end() -> None:
    nine = {i: c for i, c in SAMPLE.items() if c in CLUSTERS[:9]}
    few = cd.estimate(nine, RUN, "elm_f", design="records")["elm_f"]
    assert few.value is not None
    assert few.ci.refused == "9 drawn records are too few for an interval (10 are needed)"
    perfect = cd.estimate(SAMPLE, TRUTH, "elm_f", design="clusters")["elm_f"]
    assert perfect.value == 1
    sizes = np.unique(list(SAMPLE.values()), return_counts=True)[1]
    assert perfect.ci.high == 1
    assert perfect.ci.low == pytest.approx(korn_graubard(1, 0, [sizes.tolist()])[0])


def test_a_guess_that_was_cut_down_is_suspected() -> None:
    cut = {i: RUN[i] for i in SAMPLE}
    with pytest.warns(cd.ClusterdiffWarning, match="seems to be cut down to the sampled records"):
        report = cd.estimate(SAMPLE, cut, ["elm_f", "adjusted_rand"], design="records")
    assert report["adjusted_rand"].value is None
    assert "depends on the number of all records, and the guess given may not hold them all" in (
        report["adjusted_rand"].missing
    )
    whole = cd.estimate(SAMPLE, RUN, "pair_precision", design="records")["pair_precision"]
    wrong = cd.estimate(SAMPLE, cut, "pair_precision", design="records", population=len(RUN))
    assert wrong["pair_precision"].value > whole.value + 0.02


@pytest.mark.parametrize("engine", [None, "arrays"])
def test_compare_on_a_sample_names_estimate(engine: str | None, tmp_path: Path) -> None:
    truth, run = tmp_path / "truth.json", tmp_path / "run.json"
    for path, labels in ((truth, SAMPLE), (run, RUN)):
        rows = "".join(f"{i},{c}\n" for i, c in labels.items())
        path.with_suffix(".csv").write_text(f"id,cluster\n{rows}")
    inside = {i for i in RUN if i in SAMPLE}
    cut = {RUN[i] for i in inside} & {c for i, c in RUN.items() if i not in inside}
    text = (
        f"Only {len(SAMPLE):,} of {len(RUN):,} objects have a truth, and {len(cut)} guess clusters "
        "are cut by that: precision would be misleading"
    )
    files = truth.with_suffix(".csv"), run.with_suffix(".csv")
    with pytest.warns(cd.ClusterdiffWarning, match=text) as told:
        cd.compare(*files, "pair_precision", align="shared", engine=engine)
    assert 'cd.estimate(truth, guess, design="records")' in told[0].message.hint  # type: ignore[union-attr]


@pytest.mark.filterwarnings("default")
def test_the_command_warns_and_goes_on(tmp_path: Path) -> None:
    (tmp_path / "truth.csv").write_text("id,cluster\n1,a\n2,b\n")
    (tmp_path / "run.csv").write_text("id,cluster\n1,x\n2,y\n3,x\n4,z\n5,z\n")
    files = str(tmp_path / "truth.csv"), str(tmp_path / "run.csv")
    ran = command("compare", *files, "--align", "shared", "-m", "rand")
    assert ran.code == 0
    assert "1 guess cluster is cut" in ran.stderr
    assert "Hint: clusterdiff estimate --design records" in ran.stderr
    (tmp_path / "truth.csv").write_text("id,cluster\n1,a\n2,b\n3,a\n")
    assert command("compare", *files, "--align", "shared", "-m", "rand").stderr == ""


def test_bites() -> None:
    """Estimators that are wrong on purpose miss the value that the right one finds."""
    truth, run = synthetic(seed=5, clusters=3000)
    whole = float(cd.compare(truth, run, "exact_f")["exact_f"])
    sample, hits = drawn_from(truth, 1000, seed=6)
    right = cd.estimate(sample, run, "exact_f", design="records", hits=hits)["exact_f"]
    assert whole in right.ci
    unweighted = cd.estimate(sample, run, "exact_f", design="clusters")["exact_f"]
    assert abs(unweighted.value - whole) > 3 * right.ci.se
    inside = {i: run[i] for i in sample}
    cut = cd.estimate(sample, inside, "exact_f", design="records", hits=hits, population=len(run))
    assert abs(cut["exact_f"].value - whole) > 3 * right.ci.se
    once = cd.estimate(sample, run, "exact_f", design="records")["exact_f"]
    assert abs(once.value - whole) > abs(right.value - whole)
