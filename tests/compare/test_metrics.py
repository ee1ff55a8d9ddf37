"""Metrics for experiment trackers, by the rules of each, written down."""

from __future__ import annotations

import posixpath
import re
from dataclasses import replace

import pytest

import clusterdiff as cd
from clusterdiff.output.result import distinct

TRUTH, GUESS = [0, 0, 1, 1, 2, 2], [0, 0, 0, 1, 2, 2]
NAMES = [
    "run 1", "run/1", "../runs/a.csv", "/abs//path", ".", "..", "a/../b", "5 fold", "", " ", "日本",
    "日", "k-means", "x" * 400, "a:b", "loss,val", "\x1b[31m", "__class__", "RUN 1", "a.", "-1",
]  # fmt: skip
"""What guesses may be called."""


def sortable(name: str) -> bool:
    """Weights & Biases sorts and filters such names; a slash makes sections."""
    return all(re.fullmatch(r"[_a-zA-Z][_a-zA-Z0-9]*", part) for part in name.split("/"))


def is_path(name: str) -> bool:
    """MLflow takes names that stand for one file each, of up to 250 characters."""
    same = posixpath.normpath(name) == name and not name.startswith(("..", "/"))
    return same and len(name) <= 250 and re.fullmatch(r"[/\w.\- :]*", name) is not None


def is_tag(name: str) -> bool:
    """TensorBoard leaves such tags as they are."""
    return re.search(r"[^-/\w.]", name) is None and not name.startswith("/")


def test_every_tracker_takes_every_name() -> None:
    guesses = {name: GUESS if i % 2 else TRUTH for i, name in enumerate(NAMES)}
    report = cd.compare(TRUTH, guesses, ["elm_f", "bcubed_f(alpha=0.3)", "nmi(norm='min')"])
    for prefix in ("", "eval", "/eval//a b/", "../x", "y" * 99):
        found = report.metrics(prefix)
        assert len(found) == 3 * len(NAMES)
        assert all(map(sortable, found)), [name for name in found if not sortable(name)]
        assert all(map(is_path, found))
        assert all(map(is_tag, found))
        assert all(type(value) is float for value in found.values())
    wanted = [float(s) for own in report.scores.values() for s in own.values()]
    assert list(found.values()) == wanted


def test_no_name_is_a_folder_of_another() -> None:
    report = cd.compare(TRUTH, {"a": GUESS, "b": TRUTH}, "elm_f", samples=[1, 1, 2, 2, 2, 2])
    found = list(report.metrics())
    assert found == ["a/elm_f", "a/elm_f_std", "a/elm_f_micro"] + [
        f"b/elm_f{ending}" for ending in ("", "_std", "_micro")
    ]
    assert not any(other.startswith(f"{name}/") for name in found for other in found)


def test_intervals_are_two_numbers() -> None:
    rough = cd.Rough([{"a", "b"}, {"a"}, {"b"}])
    found = cd.compare([0, 0, 1], {"a b": rough, "a_b": rough}, "transport(rand)").metrics()
    assert found == pytest.approx(
        {f"{name}/transport_rand_{end}": value
         for name in ("a_b", "a_b_2") for end, value in (("low", 1 / 3), ("high", 1.0))}
    )  # fmt: skip
    truth = [i // 2 for i in range(60)]
    guess = [i // 2 if i % 7 else 99 for i in range(60)]
    report = cd.compare(truth, guess, "elm_f", confidence=0.9)
    sure = report["elm_f"].ci
    assert report.metrics() == {
        "elm_f": float(report["elm_f"]), "elm_f_ci_low": sure.low, "elm_f_ci_high": sure.high
    }  # fmt: skip


def test_equal_names_are_numbered() -> None:
    found = cd.compare(TRUTH, {"a b": GUESS, "a_b": TRUTH, "a_b_2": TRUTH}, "rand").metrics()
    assert list(found) == ["a_b/rand", "a_b_2/rand", "a_b_2_2/rand"]
    assert found["a_b/rand"] == cd.rand(TRUTH, GUESS)
    assert distinct(["x", "x_2", "x", "x"]) == ["x", "x_2", "x_3", "x_4"]


@pytest.mark.parametrize("value", [None, float("nan"), float("inf")])
def test_what_is_no_number_is_left_out_with_a_word(value: float | None) -> None:
    report = cd.compare(TRUTH, GUESS, ["rand", "elm_f"])
    scores = dict(report.scores["guess"])
    scores["elm_f"] = replace(scores["elm_f"], value=value, missing="" if value else "no memory")
    report = replace(report, scores={"guess": scores})
    with pytest.warns(cd.ClusterdiffWarning, match=r"1 of 2 scores .* \('elm_f'\)"):
        assert list(report.metrics()) == ["rand"]
