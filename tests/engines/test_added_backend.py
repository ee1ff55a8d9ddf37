"""The SQLite backend of CONTRIBUTING, as a package adds it: one file, and the numbers of memory."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from random import Random

import numpy as np
import pytest

import clusterdiff as cd
from clusterdiff.engines.protocol import BACKENDS
from packages import installed, write
from refusals import refuses

PAGE = Path(__file__).parents[2] / "CONTRIBUTING.md"
RNG = Random(1)
TRUTH = {f"o{i}": RNG.choice("abcd") for i in range(50)}
GUESS = {f"o{i}": RNG.choice("xyz") for i in range(3, 53)}


@pytest.fixture
def paths(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[str, str]]:
    section = PAGE.read_text(encoding="utf-8").partition("## A SQL backend")[2]
    found = re.search(r"```python\n(.*?)```", section, re.DOTALL)
    assert found is not None
    points = "[clusterdiff.backends]\nsqlite = sqlite_backend:SQLite\n"
    site = write(tmp_path / "site", "some_backend", points, sqlite_backend=found[1])
    with sqlite3.connect(tmp_path / "my.db") as database:
        for name, rows in (("truth", TRUTH), ("run", GUESS)):
            database.execute(f"CREATE TABLE {name} (id TEXT, cluster TEXT)")
            database.executemany(f"INSERT INTO {name} VALUES (?, ?)", rows.items())
    database.close()
    with installed(site, monkeypatch):
        yield f"{tmp_path}/my.db::truth", f"{tmp_path}/my.db::run"
    BACKENDS.pop("sqlite", None)


@pytest.mark.parametrize("align", ["shared", "singletons", "penalise"])
def test_scores_are_those_of_memory(paths: tuple[str, str], align: str) -> None:
    found = cd.compare(*paths, ["elm_f"], engine="sqlite", align=align)["elm_f"]
    wanted = cd.compare(TRUTH, GUESS, ["elm_f"], align=align)["elm_f"]
    assert found.sign() == wanted.sign()


def test_what_is_wrong_is_said(paths: tuple[str, str]) -> None:
    refuses("3 of 53 objects are only in truth", cd.compare, *paths, engine="sqlite")
    refuses("unknown engine 'sqlit'", cd.compare, *paths, engine="sqlit")


def test_it_is_explained(paths: tuple[str, str]) -> None:
    found = cd.explain(*paths, engine="sqlite", align="shared")
    assert found.score.value == cd.explain(TRUTH, GUESS, align="shared").score.value


def test_covers_are_refused_in_words(paths: tuple[str, str]) -> None:
    refuses("partitions alone", cd.compare, *paths, ["cice_f"], engine="sqlite")


@pytest.mark.parametrize(
    "engine", [["duckdb"], {"a": 1}, np.array(["arrays"]), 3, "duckdb relation"]
)
def test_what_is_no_engine_is_said_in_words(engine: object) -> None:
    refuses("unknown engine", cd.compare, [1, 2], [1, 1], engine=engine)


def test_a_package_cannot_take_the_place_of_our_backends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = (
        "from clusterdiff.extending import Backend\n"
        "class Other(Backend):\n"
        "    name = 'duckdb'\n"
        "    def session(self, settings, value=None): raise AssertionError\n"
    )
    points = "[clusterdiff.backends]\nduckdb = other:Other\nnone = other:Backend\n"
    ours = BACKENDS["duckdb"]
    with installed(write(tmp_path, "other", points, other=code), monkeypatch):
        refuses("unknown engine 'nix'", cd.compare, [1, 2], [1, 1], engine="nix")
        assert BACKENDS["duckdb"] is ours
