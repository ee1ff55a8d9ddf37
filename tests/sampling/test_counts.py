"""Samples with counts are drawn from and estimate the same data in which each row is given so
often.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import clusterdiff as cd
from cli.runner import run

Labels = dict[str, Any]
MEASURES = ["elm_f", "pair_f", "bcubed_f", "adjusted_rand", "nmi"]


def copies(labels: Labels, counts: dict[str, int]) -> Labels:
    return {f"{i}/{k}": label for i, label in labels.items() for k in range(counts[i])}


def drawn(seed: int, zeros: bool = True) -> tuple[Labels, Labels, dict[str, int]]:
    """A truth, a guess that errs, and counts."""
    rng = np.random.default_rng(seed)
    ids = [f"r{i:03}" for i in range(300)]
    truth = dict(zip(ids, rng.integers(0, 90, 300).tolist(), strict=True))
    guess = {
        i: str(label if rng.random() < 0.7 else rng.integers(0, 90)) for i, label in truth.items()
    }
    counts = dict(zip(ids, rng.integers(0 if zeros else 1, 5, 300).tolist(), strict=True))
    return truth, guess, counts


def close(one: Any, other: Any) -> None:
    for name in one.measures:
        assert one[name].value == pytest.approx(other[name].value, abs=1e-12), name
        assert repr(one[name].ci) == repr(other[name].ci)
    assert one.population == other.population


@pytest.mark.parametrize(
    "policy",
    [{}, {"align": "shared"}, {"align": "singletons"}, {"noise": "3"},
     {"noise": ["3", "5"], "noise_as": "drop"}],
    ids=str,
)  # fmt: skip
def test_estimates_with_counts_are_those_of_all_copies(policy: dict[str, Any]) -> None:
    truth, guess, counts = drawn(1)
    if "align" in policy:
        guess = {i: label for k, (i, label) in enumerate(guess.items()) if k % 9}
    some = {i: label for i, label in truth.items() if label < 40}
    weight = {label: 1 + label % 3 for label in set(some.values())}
    for design in ("clusters", weight):
        found = cd.estimate(some, guess, MEASURES, design=design, count=counts, **policy)
        wanted = cd.estimate(
            copies(some, counts), copies(guess, counts), MEASURES, design=design, **policy
        )
        close(found, wanted)
    hits = [i for i in list(some)[::7] if counts[i] and i in guess and guess[i] not in "35"]
    found = cd.estimate(some, guess, MEASURES, design="records", hits=hits, count=counts, **policy)
    wanted = cd.estimate(
        copies(some, counts), copies(guess, counts), MEASURES, design="records",
        hits=[f"{i}/0" for i in hits], **policy,
    )  # fmt: skip
    close(found, wanted)
    assert "|count:given|" in found["elm_f"].sign()


def test_samples_by_position_with_counts() -> None:
    truth, guess, counts = drawn(2)
    labels = [label if label < 40 else None for label in truth.values()]
    one = cd.estimate(labels, list(guess.values()), MEASURES, design="clusters", noise=[None],
                      noise_as="drop", count=list(counts.values()))  # fmt: skip
    some = {i: label for i, label in truth.items() if label < 40}
    close(one, cd.estimate(some, guess, MEASURES, design="clusters", count=counts))


def test_records_are_drawn_as_among_all_copies() -> None:
    _, guess, counts = drawn(3)
    found = cd.draw(guess, 60, seed=4, count=counts)
    wanted = cd.draw(copies(guess, counts), 60, seed=4, candidates=0)
    hits: dict[str, int] = {}
    for id, times, _ in wanted.rows:
        hits[id.partition("/")[0]] = hits.get(id.partition("/")[0], 0) + times
    assert {id: times for id, times, _ in found.rows if times} == hits
    assert found.population == wanted.population == sum(counts.values())
    assert found.read == ("records are drawn by their counts (given)",)


def test_counts_of_zero_are_in_no_sample() -> None:
    guess = {"a": 1, "b": 1, "c": 2}
    assert {id for id, *_ in cd.draw(guess, 50, count={"a": 0, "b": 1, "c": 1}).rows} == {"b", "c"}


BAD: list[tuple[Any, str]] = [
    ({"a": 1, "b": -1, "c": 1}, "1 of 3 counts is negative"),
    ({"a": 1, "b": 0.5, "c": 1}, "1 of 3 counts is not whole"),
    ({"a": 1, "c": 2}, "1 object has no count, such as 'b'"),
    ({"a": 0, "b": 0, "c": 0}, "no object is left"),
    (dict.fromkeys("abc", 2**62), "fewer than 2⁶³"),
    ("n", "count='n' names a column"),
]


@pytest.mark.parametrize(("count", "message"), BAD)
def test_what_is_no_count_is_refused(count: Any, message: str) -> None:
    guess = {"a": 1, "b": 1, "c": 2}
    for call in (
        lambda: cd.draw(guess, 2, count=count),
        lambda: cd.estimate({"a": 1, "b": 1}, guess, "pair_f", design="clusters", count=count),
    ):
        with pytest.raises(cd.ClusterdiffError, match=message):
            call()


def test_a_sample_that_only_the_guess_counts(tmp_path: Path) -> None:
    with pytest.raises(cd.ClusterdiffError, match=r"1 object has no count \(object 'z'\)"):
        cd.estimate(
            {"a": 1, "z": 1}, cd.Partition({"a": 1, "b": 1}), "pair_f", design="clusters",
            count=[1, 2], align="singletons",
        )  # fmt: skip
    whole, sample = tmp_path / "run.csv", tmp_path / "label.csv"
    truth, guess, counts = drawn(5)
    lines = (f"{i},{guess[i]},{counts[i]}" for i in guess)
    whole.write_text("\n".join(["id,cluster,ms", *lines, ""]))
    shown = run("draw", str(whole), "--records", "80", "--count", "ms", "-o", str(sample))
    assert shown.code == 0
    assert "records are drawn by their counts (ms)" in shown.stderr
    rows = [line.split(",") for line in sample.read_text().splitlines()]
    listed = {row[0] for row in rows[1:]}
    for row in rows[1:]:
        row[1] = str(truth[row[0]])
        if row[2] == "?":
            same = [i for i, label in truth.items() if label == truth[row[0]]]
            row[2] = " ".join(i for i in same if i not in listed) or "none"
    sample.write_text("\n".join(",".join(row) for row in [rows[0], *rows[1:]]) + "\n")
    told = run(
        "estimate", str(sample), str(whole), "--design", "records", "--count", "ms", "-m", "pair_f",
        "--signatures",
    )  # fmt: skip
    assert told.code == 0, told.stderr
    assert f"|population:{sum(counts.values())}|" in told.stdout
    assert "count:ms" in told.stdout
