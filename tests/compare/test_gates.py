"""Gates: what number they hold, and that no run passes one by leaving objects out."""

from __future__ import annotations

from pathlib import Path

import pytest

import clusterdiff as cd
from cli.runner import run

ROWS = {
    "truth": "1a 2a 3a 4b 5b 6b 7c 8c 9d 10d",
    "whole": "1a 2a 3x 4b 5b 6b 7c 8c 9d 10y",
    "less": "1a 2a 4b 5b 6b 7c 8c 9d",
    "lesser": "1a 2a 4b 5b 6b 7c 8c",
    "more": "1a 2a 3a 4b 5b 6b 7c 8c 9d 10d 11e 12e",
    "noisy": "1a 2a 3n 4b 5b 6b 7c 8c 9n 10n",
    "partly": "1a 2a 3a 4b 5b 6b 7n 8n 9n 10n",
}
SHARED = ("--align", "shared")
DROP = ("--noise", "n", "--noise-as", "drop")
SAMPLES = {
    "gold": "s1a s2a s3a s4a s5a s6a t1a t2a u1a u2a",
    "big": "s1a s2a s3a s4a s5a s6a t1a t2b u1a u2b",
    "small": "s1a s2a s3a s4b s5b s6b t1a t2a u1a u2b",
}
"""One large document and two small ones: `small` has the better mean, `big` the better sum."""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name, rows in ROWS.items():
        lines = [f"{row[:-1]},{row[-1]}" for row in rows.split()]
        (tmp_path / f"{name}.csv").write_text("\n".join(["id,cluster", *lines, ""]))
    for name, rows in SAMPLES.items():
        lines = [f"{row[0]},{row[1]},{row[2]}" for row in rows.split()]
        (tmp_path / f"{name}.csv").write_text("\n".join(["doc,id,cluster", *lines, ""]))


def passes(*command: str) -> tuple[int, str]:
    ran = run(*command)
    return ran.code, " ".join(ran.stderr.split())


UNDER = ("-m", "elm_f", "--fail-under", "elm_f=0.1")


@pytest.mark.parametrize("engine", ["duckdb", "arrays"])
def test_a_guess_that_lacks_objects_passes_no_gate(engine: str) -> None:
    files = ("compare", "truth.csv", "whole.csv", "less.csv", "more.csv", "--engine", engine)
    assert passes(*files, *SHARED, *UNDER) == (
        1,
        "clusterdiff: less.csv lacks 2 of 10 objects that truth has, and is scored without them; "
        "--align singletons or penalise would count them.",
    )
    assert passes(*files, "--align", "singletons", *UNDER) == (0, "")
    assert passes(*files, "--align", "penalise", *UNDER) == (0, "")
    assert run(*files, *SHARED).code == 0
    alone = ("compare", "truth.csv", "more.csv", "--engine", engine)
    assert passes(*alone, *SHARED, *UNDER) == (0, "")


@pytest.mark.parametrize("engine", ["duckdb", "arrays"])
def test_a_guess_that_calls_objects_noise_passes_no_gate(engine: str) -> None:
    files = ("compare", "truth.csv", "noisy.csv", "--engine", engine, *UNDER)
    assert passes(*files, *DROP) == (
        1,
        "clusterdiff: noisy.csv calls noise 3 of 10 objects that truth has, and is scored without "
        "them; --noise-as singletons would count them.",
    )
    code, said = passes(*files, *DROP, *SHARED)
    assert (code, "lacks or calls noise 3 of 10 objects" in said) == (1, True)
    assert passes(*files, "--noise", "n") == (0, "")
    for align in ("singletons", "penalise"):
        code, said = passes(*files, *DROP, "--align", align)
        assert (code, "calls noise 3 of 10 objects" in said) == (1, True)
        less = ("compare", "truth.csv", "less.csv", "--engine", engine, *UNDER, *DROP)
        assert passes(*less, "--align", align) == (0, "")
    partly = ("compare", "partly.csv", "whole.csv", "--engine", engine, *UNDER)
    assert passes(*partly, *DROP) == (0, "")
    both = ("compare", "partly.csv", "noisy.csv", "--engine", engine, *UNDER)
    assert "calls noise 1 of 6 objects that truth has" in passes(*both, *DROP)[1]


def test_a_new_run_without_objects_of_the_old_one_is_a_regression() -> None:
    def gate(old: str, new: str, *options: str) -> tuple[int, str]:
        files = ("diff", "truth.csv", f"{old}.csv", f"{new}.csv", "-m", "elm_f")
        return passes(*files, "--fail-on-regression", "elm_f", *options)

    code, said = gate("whole", "less", *SHARED)
    assert (code, said) == (
        1,
        "clusterdiff: the new run lacks 2 of 10 objects that truth has and the old run has, and is "
        "scored without them; --align singletons or penalise would count them.",
    )
    assert gate("less", "lesser", *SHARED)[0] == 1
    assert "lacks 1 of 10 objects" in gate("less", "lesser", *SHARED)[1]
    assert gate("lesser", "less", *SHARED) == (0, "")
    assert gate("less", "less", *SHARED) == (0, "")
    assert "calls noise 3 of 10" in gate("whole", "noisy", *DROP)[1]
    assert gate("noisy", "whole", *DROP) == (0, "")
    told = run("diff", "truth.csv", "whole.csv", "less.csv", *SHARED).stdout
    assert "The new run lacks 2 objects that the old run has" in told


def test_runs_are_judged_on_the_same_objects() -> None:
    told = run("compare", "truth.csv", "whole.csv", "less.csv", "-m", "elm_f", *SHARED).stdout
    assert "judged on the 8 objects that truth and both guesses have" in " ".join(told.split())
    row = next(line for line in told.splitlines() if line.startswith("  elm_f"))
    assert row.split() == ["elm_f", "1.0000", "1.0000"]


def test_the_mean_of_samples_is_what_gates_hold() -> None:
    options = ("--samples", "doc", "-m", "elm_f")
    report = cd.compare(
        "gold.csv", {"big": "big.csv", "small": "small.csv"}, "elm_f", samples="doc"
    )
    big, small = report["elm_f"]["big"], report["elm_f"]["small"]
    assert big.value < small.value
    assert big.micro > small.micro
    under = ("compare", "gold.csv", "big.csv", *options, "--fail-under")
    assert passes(*under, "elm_f=0.5") == (
        1, "clusterdiff: big.csv: elm_f, mean of 3 samples, is 0.333333, below 0.5.",
    )  # fmt: skip
    assert passes(*under, "elm_f=0.3") == (0, "")
    fall = ("--fail-on-regression", "elm_f")
    assert passes("diff", "gold.csv", "big.csv", "small.csv", *options, *fall) == (0, "")
    back = ("diff", "gold.csv", "small.csv", "big.csv", *options, *fall)
    assert passes(*back) == (
        1, f"clusterdiff: elm_f, mean of 3 samples, went from {small.value:.6g} to 0.333333.",
    )  # fmt: skip
    told = run(*back).stdout
    assert told.startswith(f"elm_f, mean of 3 samples, {small.value:.4f} -> 0.3333 (−")
    assert "old macro  new macro  change macro  old micro  new micro  change micro" in told
    row = next(line for line in told.splitlines() if line.startswith("  elm_f"))
    numbers = [small.value, big.value, small.micro, big.micro]
    assert [row.split()[i] for i in (1, 2, 4, 5)] == [f"{number:.4f}" for number in numbers]
    assert "those of elm_f micro: all samples pooled" in told
    assert run("explain", "gold.csv", "big.csv", "--samples", "doc").stdout.startswith(
        "elm_f micro"
    )


def test_a_summary_has_the_verdict_first_and_is_added_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    summary = tmp_path / "summary.md"
    asked = ("compare", "123|45", "12|3|45", "-m", "elm_f", "--summary")
    passed = run(*asked, str(summary), "--fail-under", "elm_f=0.6")
    failed = run(*asked, str(summary), "--fail-under", "elm_f=0.7")
    assert (passed.code, failed.code) == (0, 1)
    first, second = summary.read_text(encoding="utf-8").split("</details>\n\n")[:2]
    assert first.startswith("**✓ 1 gate passed.**\n\n|  | score |")
    assert second.startswith(r"**✗ 12\|3\|45: elm\_f is 0.666667, below 0.7.**")
    assert "elm_f(alpha=0.5, f='objects') = 0.66" in second
    assert run(*asked, "-").stdout.count("<details><summary>Signatures") == 1
    assert run(*asked, str(tmp_path)).code == 2
    Path("a.csv").write_text("id,cluster\n1,a\n2,b\n")
    ran = run("compare", "a.csv", "a.csv", "--summary", "a.csv")
    assert ran.code == 2
    assert Path("a.csv").read_text() == "id,cluster\n1,a\n2,b\n"


def entities(many: int, merged: int = 0) -> None:
    """Entities of two records: the truth, and a run that merges the first of them by twos."""
    truth = [x // 2 for x in range(2 * many)]
    run = [x // 2 if x < 2 * merged else x for x in truth]
    for name, labels in (("entities.csv", truth), ("run.csv", run)):
        rows = [f"r{i},{label}" for i, label in enumerate(labels)]
        Path(name).write_text("\n".join(["id,cluster", *rows, ""]))


def test_a_perfect_run_passes_a_gate_that_asks_to_be_sure() -> None:
    entities(2000)
    files = ("compare", "entities.csv", "run.csv", "-m", "pair_f", "--sure")
    assert passes(*files, "--fail-under", "pair_f=0.99") == (0, "")
    code, said = passes(*files, "--fail-under", "pair_f=0.9999")
    assert (code, said) == (
        1, "clusterdiff: run.csv: the low end of pair_f is 0.998157, below 0.9999."
    )  # fmt: skip
    entities(2000, merged=200)
    code, said = passes(*files, "--fail-under", "pair_f=0.99")
    assert (code, "the low end of pair_f is 0." in said) == (1, True)


def test_gates_of_estimates() -> None:
    entities(400, merged=40)
    rows = Path("entities.csv").read_text().splitlines()
    Path("sample.csv").write_text("\n".join([rows[0], *rows[1:241]]))
    files = ("estimate", "sample.csv", "run.csv", "--design", "clusters")
    score = cd.estimate("sample.csv", "run.csv", "elm_f", design="clusters")["elm_f"]
    low, value = score.ci.low, float(score)
    between = (low + value) / 2
    assert passes(*files, "--fail-under", f"elm_f={low - 0.01:.4f}", "--sure") == (0, "")
    assert passes(*files, "--fail-under", f"elm_f={between:.4f}") == (0, "")
    assert passes(*files, "--fail-under", f"elm_f={between:.4f}", "--sure") == (
        1, f"clusterdiff: run.csv: the low end of elm_f is {low:.6g}, below {between:.4f}."
    )  # fmt: skip
    code, said = passes(*files, "--fail-under", f"elm_f={value + 0.01:.4f}")
    assert (code, f"elm_f is {value:.6g}, below" in said) == (1, True)
    other = run(*files, "-m", "exact_f", "--fail-under", "lea_f=0.1")
    assert (other.code, "exact_f" in other.stdout, "lea_f" in other.stdout) == (0, True, True)
    code, said = passes(*files, "--sure")
    assert code == 2
    assert "--sure is for thresholds, and there is none" in said
    code, said = passes(*files, "--fail-under", "accuracy=0.1")
    assert (code, "accuracy needs whole components" in said) == (2, True)
    Path("few.csv").write_text("\n".join(rows[:9]))
    few = ("estimate", "few.csv", "run.csv", "--design", "clusters", "--fail-under", "elm_f=0.1")
    assert passes(*few) == (0, "")
    code, said = passes(*few, "--sure")
    assert (code, "elm_f has no interval: 4 sampled clusters are too few" in said) == (1, True)
    entities(400)
    assert passes(*files, "--fail-under", "elm_f=0.95", "--sure") == (0, "")


# Thresholds that no score could miss or reach are refused.


@pytest.mark.parametrize(
    ("threshold", "words"),
    [
        ("elm_f=80", ["elm_f lies between 0 and 1, and 80 does not.", "did you mean elm_f=0.8?"]),
        ("elm_f=-0.1", ["elm_f lies between 0 and 1, and -0.1 does not."]),
        ("bcubed_f(f=objects)=95", ["did you mean \"bcubed_f(f='objects')=0.95\"?"]),
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
