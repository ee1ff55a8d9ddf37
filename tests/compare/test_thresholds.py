"""Thresholds at the prompt: those that no score could miss or reach are refused."""

from __future__ import annotations

import pytest

from cli.runner import run


@pytest.mark.parametrize(
    ("threshold", "words"),
    [
        ("elm_f=80", ["elm_f lies between 0 and 1, and 80 does not.", "did you mean elm_f=0.8?"]),
        ("elm_f=-0.1", ["elm_f lies between 0 and 1, and -0.1 does not."]),
        ("bcubed_f(f=means)=95", ["did you mean \"bcubed_f(f='means')=0.95\"?"]),
        ("adjusted_rand=1.5", ["adjusted_rand lies between -0.5 and 1, and 1.5 does not."]),
        ("elm_f=1e400", ["'elm_f=1e400' is not a threshold."]),
        ("elm_f", ["'elm_f' is not a threshold."]),
        ("=0.5", ["'=0.5' is not a threshold."]),
    ],
)
def test_a_threshold_outside_the_range_is_refused(threshold: str, words: list[str]) -> None:
    ran = run("compare", "12|34", "13|24", "--fail-under", threshold)
    assert (ran.code, ran.stdout) == (2, "")
    for word in words:
        assert word in ran.stderr


@pytest.mark.parametrize(
    ("threshold", "code"),
    [("adjusted_rand=-0.5", 0), ("elm_f=0", 0), ("elm_f=1", 1), ("vi_distance=80", 0)],
)
def test_one_inside_it_is_judged(threshold: str, code: int) -> None:
    assert run("compare", "12|34", "13|24", "--fail-under", threshold).code == code


def test_a_fall_beyond_the_range_is_refused() -> None:
    asked = ["diff", "12|34", "12|34", "13|24", "--fail-on-regression"]
    assert "it cannot fall by 5" in run(*asked, "elm_f=5").stderr
    assert "it cannot fall by -1" in run(*asked, "elm_f=-1").stderr
    assert run(*asked, "elm_f=0.5").code == 1
    assert run(*asked, "elm_f=1").code == 0
