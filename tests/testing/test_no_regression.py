"""`assert_no_regression`: what passes, what fails and how it reads, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import clusterdiff as cd
from clusterdiff.testing import assert_no_regression
from refusals import refuses

TRUTH = dict(enumerate("aaabb"))
OLD = dict(enumerate("xxyzz"))
NEW = dict(enumerate("xxxxy"))


def failure(guess: Any, **how: Any) -> str:
    with pytest.raises(AssertionError) as caught:
        assert_no_regression(TRUTH, guess, **how)
    return str(caught.value)


def test_a_failure_reads_well() -> None:
    assert failure(NEW, baseline=OLD, measures=["elm_f", "elm_precision"]) == "\n".join(
        [
            "elm_f is worse: 0.6667 -> 0.4800.",
            "elm_precision is worse: 1.0000 -> 0.6000.",
            "",
            "  measure        baseline  now     difference",
            "  elm_f          0.6667    0.4800  −0.1867     worse",
            "  elm_precision  1.0000    0.6000  −0.4000     worse",
            "",
            "Baseline: the older run.",
            "",
            "True clusters that are worse by elm_f:",
            "   −0.4000  broken    b, 2 objects: 3, 4",
            "                      was 2 in z",
            "                      is 1 in x with 3 others; 1 in y",
        ]
    )


def test_what_is_no_worse_passes_and_gives_the_scores() -> None:
    report = assert_no_regression(TRUTH, OLD, baseline=OLD)
    assert report["elm_f"]["now"].value == report["elm_f"]["baseline"].value
    report = assert_no_regression(TRUTH, OLD, baseline=NEW, measures="elm_f")
    assert report["elm_f"]["now"].value > report["elm_f"]["baseline"].value


def test_tolerance_is_for_all_or_by_measure() -> None:
    both: dict[str, Any] = {"baseline": OLD, "measures": ["elm_f", "nmi"]}
    assert_no_regression(TRUTH, NEW, **both, tolerance=0.4)
    told = failure(NEW, **both, tolerance={"elm_f": 0.187, "NMI": 0.1})
    assert told.startswith("nmi is worse: 0.7790 -> 0.3803, and 0.1 is allowed.\n")
    assert "elm_f is worse" not in told
    with pytest.raises(cd.ClusterdiffError, match="tolerance for rand, which is not compared"):
        assert_no_regression(TRUTH, OLD, **both, tolerance={"rand": 0.1})


def test_a_distance_is_worse_if_it_grows() -> None:
    assert_no_regression(TRUTH, OLD, baseline=NEW, measures="vi_distance")
    assert failure(NEW, baseline=OLD, measures="vi_distance").startswith("vi_distance is worse")


def test_scores_are_a_baseline_and_name_the_measures() -> None:
    report = assert_no_regression(TRUTH, OLD, baseline={"ELM": 0.6, "rand": 0.7})
    assert list(report.measures) == ["elm_f", "rand"]
    told = failure(OLD, baseline={"elm_f": 0.7})
    assert "elm_f is worse: 0.7000 -> 0.6667." in told
    assert "Baseline: the scores given." in told
    assert "Where elm_f is lost now:\n  100.0 %  split    a over 2 guess clusters" in told


def test_a_dict_of_ids_is_an_older_run() -> None:
    assert "Baseline: the older run." in failure(NEW, baseline=OLD)
    ids = {"elm_f": 1, "other": 2}
    assert_no_regression(ids, ids, baseline=ids)


def test_an_interval_is_judged_by_its_worse_end() -> None:
    truth = [1, 1, 2, 2]
    sure, open_ = cd.Rough([{1}, {1}, {2}, {2}]), cd.Rough([{1}, {1, 2}, {2}, {2}])
    how: dict[str, Any] = {"measures": "rand_alpha"}
    assert_no_regression(truth, sure, baseline=open_, **how)
    with pytest.raises(AssertionError, match="rand_alpha is worse"):
        assert_no_regression(truth, open_, baseline=sure, **how)


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    path = tmp_path / "baseline.json"
    path.write_text(cd.compare(TRUTH, OLD, ["elm_f", "muc_f"]).to_json())
    return path


def test_a_saved_report_is_a_baseline(saved: Path) -> None:
    report = assert_no_regression(TRUTH, OLD, baseline=saved)
    assert list(report.measures) == ["elm_f", "muc_f"]
    told = failure(NEW, baseline=str(saved), measures="muc_f")
    assert f"Baseline: {saved}, by clusterdiff {cd.__version__}." in told
    assert "Where elm_f is lost now:" in told  # muc_f does not decompose


@pytest.mark.parametrize(
    ("truth", "guess", "how", "what"),
    [
        ({**TRUTH, 5: "c"}, {**OLD, 5: "w"}, {}, "objects 5 then, 6 now"),
        (dict(enumerate("aabbb")), OLD, {}, None),
        (dict(enumerate("aabbc")), OLD, {}, "true clusters 2 then, 3 now"),
        (TRUTH, OLD, {"align": "shared"}, "align exact then, shared now"),
        (TRUTH, OLD, {"measures": "rand"}, "has no rand"),
        (TRUTH, OLD, {"significant": True}, "needs both runs"),
    ],
)
def test_a_report_of_other_data_is_refused(
    truth: Any, guess: Any, how: dict[str, Any], what: str | None, saved: Path
) -> None:
    if what is None:  # as many objects in as many clusters: nothing tells
        assert_no_regression(truth, guess, baseline=saved, tolerance=1, **how)
        return
    refuses(what, assert_no_regression, truth, guess, baseline=saved, **how)


def test_what_is_no_report_of_one_guess_is_refused(tmp_path: Path) -> None:
    several, other = tmp_path / "several.json", tmp_path / "diff.json"
    several.write_text(cd.compare(TRUTH, {"a": OLD, "b": NEW}).to_json())
    other.write_text(cd.diff(TRUTH, OLD, NEW).to_json())
    refuses("2 guesses: a, b", assert_no_regression, TRUTH, OLD, baseline=several)
    with pytest.raises(cd.ClusterdiffError, match="is clusterdiff/diff/2, which is not a report"):
        assert_no_regression(TRUTH, OLD, baseline=other)
    with pytest.raises(cd.ClusterdiffError, match="there is no baseline") as caught:
        assert_no_regression(TRUTH, OLD, baseline=tmp_path / "none.json")
    assert caught.value.hint == "pytest --clusterdiff-update records it."


def test_a_clustering_in_json_is_an_older_run(tmp_path: Path) -> None:
    path = tmp_path / "old.json"
    path.write_text(json.dumps({f"r{i}": label for i, label in OLD.items()}))
    truth, new = ({f"r{i}": label for i, label in one.items()} for one in (TRUTH, NEW))
    with pytest.raises(AssertionError, match=r"Baseline: the run .*old\.json"):
        assert_no_regression(truth, new, baseline=path)


def test_baselines_are_recorded(saved: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLUSTERDIFF_UPDATE", "1")
    assert_no_regression(TRUTH, NEW, baseline=saved, measures="elm_f")
    told = json.loads(saved.read_text())
    assert told["guesses"]["now"]["elm_f"]["value"] == cd.elm_f(TRUTH, NEW)
    old = saved.with_name("old.json")
    old.write_text(json.dumps({str(i): label for i, label in OLD.items()}))
    with pytest.raises(AssertionError):  # a run is no baseline to record
        assert_no_regression(
            {str(i): c for i, c in TRUTH.items()}, {str(i): c for i, c in NEW.items()}, baseline=old
        )


def test_a_guess_does_not_pass_by_leaving_objects_out(saved: Path) -> None:
    some = {i: label for i, label in TRUTH.items() if i < 3}
    told = failure(some, baseline=OLD, measures="elm_f", align="shared")
    assert told.startswith("The guess lacks 2 of 5 objects that truth has, and is scored without")
    lacking = {i: label for i, label in OLD.items() if i < 3}
    assert_no_regression(TRUTH, some, baseline=lacking, measures="elm_f", align="shared")
    assert "lacks 2 of 5" in failure(some, baseline={"elm_f": 0.1}, align="shared")


def test_a_drop_must_be_significant_where_that_can_be_told() -> None:
    truth = {i: i // 3 for i in range(90)}
    good = {i: c if i % 30 else 100 + i for i, c in truth.items()}
    slip = {i: c if i % 29 and i != 4 else 100 + i for i, c in truth.items()}
    poor = {i: c if i % 3 else 100 + i for i, c in truth.items()}
    assert cd.elm_f(truth, slip) < cd.elm_f(truth, good)
    assert_no_regression(truth, slip, baseline=good, measures="elm_f", significant=True)
    with pytest.raises(AssertionError, match=r"95 % of difference") as caught:
        assert_no_regression(truth, poor, baseline=good, measures="elm_f", significant=True)
    assert "p < 0.001  worse" in str(caught.value)
    told = failure(NEW, baseline=OLD, measures="elm_f", significant=True)
    assert "whether significantly cannot be told: 1 component is too few" in told


def test_covers_list_the_objects_that_are_worse() -> None:
    truth = {1: ["a"], 2: ["a", "b"], 3: ["b"], 4: ["b"]}
    new = {1: ["x"], 2: ["x"], 3: ["y"], 4: ["z"]}
    with pytest.raises(AssertionError) as caught:
        assert_no_regression(truth, new, baseline=truth, measures="cice_f", kind="cover")
    assert "cice_f is worse: 1.0000 -> " in str(caught.value)
    assert "Objects that are worse by cice_f:\n" in str(caught.value)
