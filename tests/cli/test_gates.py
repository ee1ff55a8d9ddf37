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
    assert told.startswith(f"elm_f, mean of 3 samples, {small.value:.4f} -> 0.3333 (-")
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
