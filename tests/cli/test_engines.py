"""`--engine`: every backend there is, those of other packages too."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from cli.runner import run
from clusterdiff.engines.protocol import BACKENDS
from packages import installed, write

BACKEND = """
from clusterdiff.io.engines import DuckDBBackend

class Mine(DuckDBBackend):
    name = "mine"
    settings = None
"""
FILES = ("a.csv", "b.csv")


@pytest.fixture(autouse=True)
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    site = write(
        tmp_path / "site",
        "some_backend",
        "[clusterdiff.backends]\nmine = backend_of_mine:Mine\n",
        backend_of_mine=BACKEND,
    )
    for name in FILES:
        (tmp_path / name).write_text("id,cluster\n1,x\n2,x\n3,y\n")
    monkeypatch.chdir(tmp_path)
    with installed(site, monkeypatch):
        yield
    BACKENDS.pop("mine", None)


@pytest.mark.parametrize("verb", ["compare", "explain", "diff", "report"])
def test_help_names_the_backend_of_a_package_and_does_not_import_it(verb: str) -> None:
    told = " ".join(run(verb, "--help-all").stdout.split())
    assert "--engine <duckdb|arrays|spark|mine>" in told
    assert (
        "Engine: duckdb (out of core), arrays (in memory), spark, mine. [default: duckdb]" in told
    )
    assert "backend_of_mine" not in sys.modules


def test_the_backend_of_a_package_counts() -> None:
    ran = run("compare", *FILES, "--engine", "mine", "-m", "elm_f", "-f", "csv")
    assert (ran.code, ran.stderr) == (0, "")
    assert ran.stdout == run("compare", *FILES, "-m", "elm_f", "-f", "csv").stdout
    assert "backend_of_mine" in sys.modules


@pytest.mark.parametrize("verb", [("compare", *FILES), ("diff", *FILES, "b.csv")])
def test_unknown_names_are_told_the_known_ones(verb: tuple[str, ...]) -> None:
    ran = run(*verb, "--engine", "min", "--memory", "1GB")
    assert (ran.stdout, ran.code) == ("", 2)
    assert ran.stderr == (
        "clusterdiff: unknown engine 'min'.\n"
        "  Hint: did you mean mine? There are arrays, duckdb, mine, spark.\n"
    )


@pytest.mark.parametrize(
    ("flags", "told"),
    [
        (("mine", "--memory", "1GB"), "--memory is for DuckDB; mine takes no limits."),
        (("arrays", "--threads", "2"), "--threads is for DuckDB; --engine arrays reads everything"),
        (("spark", "--temp", "."), "--temp is for DuckDB; Spark has settings of its own."),
        (("mine", "--master", "local[1]"), "--master says where Spark runs."),
        (("duckdb", "--master", "local[1]"), "--master says where Spark runs."),
    ],
)
def test_settings_of_one_engine_are_refused_by_the_others(
    flags: tuple[str, ...], told: str
) -> None:
    ran = run("compare", *FILES, "--engine", *flags)
    assert ran.code == 2
    assert ran.stderr.startswith(f"clusterdiff: {told}")
