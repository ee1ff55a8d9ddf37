"""Intervals: what they say of themselves, how they compare, how reports show them."""

from __future__ import annotations

import pickle

import pytest

import clusterdiff as cd
from clusterdiff.output.table import digits
from refusals import refuses

TRUTH = ["a", "b", "b", "c", "a"]
ROUGH = cd.Rough([{1}, {2}, {2, 3}, {3}, {1, 2, 3}])


def test_an_interval_is_a_number_where_both_ends_are_one() -> None:
    assert float(cd.ScoreRange(0.5, 0.5)) == 0.5
    assert cd.ScoreRange(0.5, 0.5) == 0.5
    assert cd.ScoreRange(0.5, 0.6) != 0.5
    refuses(r"\.at\(0\.5\)", float, cd.ScoreRange(0.5, 0.6))


def test_intervals_are_ordered_where_they_do_not_overlap() -> None:
    low, high, middle = cd.ScoreRange(0.1, 0.2), cd.ScoreRange(0.3, 0.4), cd.ScoreRange(0.15, 0.35)
    assert low < high
    assert high > low
    assert not low < middle
    assert not middle < high
    assert low <= 0.2 <= high
    assert 0.15 in low
    assert len({low, cd.ScoreRange(0.1, 0.2)}) == 1
    assert round(cd.ScoreRange(0.123, 0.456), 1) == cd.ScoreRange(0.1, 0.5)


def test_the_blend_runs_from_accepted_to_error() -> None:
    similar, distance = cd.ScoreRange(0.2, 0.8), cd.ScoreRange(0.2, 0.8, distance=True)
    assert [similar.at(a) for a in (0, 0.5, 1)] == pytest.approx([0.8, 0.5, 0.2])
    assert [distance.at(a) for a in (0, 0.5, 1)] == pytest.approx([0.2, 0.5, 0.8])
    assert similar.width == pytest.approx(0.6)
    refuses("between 0 and 1", similar.at, 1.5)


def test_text() -> None:
    assert str(cd.ScoreRange(0.5, 1.0)) == "0.5000–1.0000"
    assert digits(cd.ScoreRange(0.5, 0.50001)) == "0.5000"
    assert digits(None) == ""


def test_a_report_of_intervals() -> None:
    report = cd.compare(TRUTH, ROUGH, ["transport(rand)", "rand_belief"])
    score = report["transport(rand)"]
    assert score.value == cd.ScoreRange(0.5, 1.0)
    assert score.to_dict()["low"] == 0.5
    assert "0.5000–1.0000" in report.to_markdown()
    assert "0.5000–1.0000" in report.to_latex()
    assert "how:exact" in score.sign()
    frame = report.to_frame("polars")
    assert frame["low"].to_list() == [0.5, 0.7]
    assert pickle.loads(pickle.dumps(score.value)).how == score.value.how
    refuses("is not one number", float, score)


def test_means_over_samples_are_intervals() -> None:
    pairs = {"one": (TRUTH, ROUGH), "two": (TRUTH, TRUTH)}
    report = cd.compare(samples=pairs, measures=["transport(rand)"])
    score = report["transport(rand)"]
    assert score.value == cd.ScoreRange(0.75, 1.0)
    assert score.std is None
    assert "mean over samples" in score.value.how
    assert report.records()[0]["micro_low"] < 1
    assert report.sample_records()[1]["value"] == 1.0
    assert "two" in str(report.to_dict()["samples"])


def test_objects_have_no_score_of_their_own() -> None:
    refuses("harden", cd.objects, "rand_belief", TRUTH, ROUGH)


def test_uncertain_guesses_by_name() -> None:
    report = cd.compare(TRUTH, {"rough": ROUGH, "hard": cd.Partition(TRUTH)})
    assert report["rand_alpha"]["hard"].value == 1
    assert "rough: transport(rand)" in str(report)
