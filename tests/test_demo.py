"""The table of persons: the same everywhere, and made the way its module says."""

from __future__ import annotations

import csv
from datetime import date
from hashlib import sha256
from io import StringIO
from itertools import combinations, product
from pathlib import Path

import networkx as nx
import pytest

from cli.runner import run
from clusterdiff.demo import (
    COLUMNS,
    PERSONS,
    Fields,
    Rule,
    agree,
    people,
    same_name_and_birthday,
    three_fields,
    to_csv,
)

ROWS = [dict(zip(COLUMNS, row, strict=True)) for row in people()]
FIELDS = {row["id"]: Fields(*(row[name] for name in Fields._fields)) for row in ROWS}


def one_slip(one: str, other: str) -> bool:
    """Every text that one slip makes of another, tried out."""
    letters = sorted(set(one + other))
    made = {one[:i] + one[i + 1 :] for i in range(len(one))}
    made |= {one[:i] + c + one[i:] for i in range(len(one) + 1) for c in letters}
    made |= {one[:i] + c + one[i + 1 :] for i in range(len(one)) for c in letters}
    made |= {one[:i] + one[i : i + 2][::-1] + one[i + 2 :] for i in range(len(one) - 1)}
    return other in made | {one}


def test_the_table_is_the_same_everywhere() -> None:
    assert sha256(to_csv().encode()).hexdigest() == (
        "5fde7cfc65b337440aebdbf944b4cff6c3764116522c739abfc39611cc488e3d"
    )
    assert to_csv() == to_csv()
    assert to_csv(1) != to_csv(2)


@pytest.mark.parametrize("length", range(1, 5))
def test_values_agree_in_spite_of_one_slip_and_no_more(length: int) -> None:
    texts = ["".join(t) for n in (length, length + 1) for t in product("ab", repeat=n)]
    for one, other in product(texts, repeat=2):
        assert agree(one, other) == one_slip(one, other), (one, other)


def test_day_and_month_may_be_exchanged() -> None:
    assert agree("1984-03-17", "1984-17-03")
    assert not agree("1984-03-17", "1985-17-03")
    assert not agree("", "")


@pytest.mark.parametrize(
    ("column", "rule"), [("old", same_name_and_birthday), ("new", three_fields)]
)
def test_clusters_are_the_components_of_the_links(column: str, rule: Rule) -> None:
    graph = nx.Graph()
    graph.add_nodes_from(FIELDS)
    graph.add_edges_from(
        pair for pair in combinations(FIELDS, 2) if rule(*(FIELDS[id] for id in pair))
    )
    for ids in nx.connected_components(graph):
        first = min(ids, key=lambda id: int(id[1:]))
        assert {row[column] for row in ROWS if row["id"] in ids} == {first}


def test_records_are_those_of_persons_who_exist() -> None:
    assert [row["id"] for row in ROWS] == [f"r{i}" for i in range(1, len(ROWS) + 1)]
    counts = [sum(row["person"] == f"p{n}" for row in ROWS) for n in range(1, PERSONS + 1)]
    assert sum(counts) == len(ROWS)
    assert set(counts) == {1, 2, 3, 4, 5}
    for row in ROWS:
        assert row["given_name"]
        assert row["surname"]
        if row["date_of_birth"]:
            date.fromisoformat(row["date_of_birth"])


def test_every_error_that_the_module_names_occurs() -> None:
    def some(wrong: object) -> bool:
        return any(
            wrong(FIELDS[a["id"]], FIELDS[b["id"]])  # type: ignore[operator]
            for a, b in combinations(ROWS, 2)
            if a["person"] == b["person"]
        )

    assert some(lambda a, b: a.given_name == b.surname and a.surname == b.given_name)
    assert some(lambda a, b: {a.given_name, b.given_name} == {"Rebecca", "Becky"})
    assert some(lambda a, b: "" in (a.suburb, b.suburb))
    assert some(lambda a, b: a.date_of_birth[5:] == b.date_of_birth[8:] + "-" + b.date_of_birth[5:7]
                and a.date_of_birth != b.date_of_birth)  # fmt: skip
    assert some(lambda a, b: a.surname != b.surname and agree(a.surname, b.surname))
    assert some(lambda a, b: a.suburb and b.suburb and not agree(a.suburb, b.suburb))


def test_the_verb_writes_the_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    ran = run("demo", "--data", "people")
    assert (ran.code, ran.stderr) == (0, "")
    table = list(csv.reader(StringIO((tmp_path / "people.csv").read_text(encoding="utf-8"))))
    assert table == [list(COLUMNS), *map(list, people())]
    *_, line = ran.stdout.splitlines()
    compared = run(*line.removeprefix("Next: clusterdiff ").split())
    assert compared.code == 0
    assert "283 objects in 120 clusters" in compared.stdout
    assert run("demo", "--data", "people").code == 0
    assert run("demo", "--data", "people", "-o", "-").stdout == to_csv()


def test_a_file_that_holds_something_else_is_left_alone(tmp_path: Path) -> None:
    mine = tmp_path / "people.csv"
    mine.write_text("mine")
    ran = run("demo", "--data", "people", "-o", str(mine))
    assert ran.code == 2
    assert "exists and holds something else" in ran.stderr
    assert mine.read_text() == "mine"
    assert "add --data people" in run("demo", "-o", str(tmp_path / "other.csv")).stderr
