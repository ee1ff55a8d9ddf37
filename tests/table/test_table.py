"""The contingency table, held against counts made object by object."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

import clusterdiff as cd
from cli.runner import run
from clusterdiff.contingency import Policy
from clusterdiff.engines.named import SqlNamedComparison
from clusterdiff.engines.protocol import Table
from clusterdiff.io import EngineSessions
from clusterdiff.io.sides import sides_of
from clusterdiff.table.table import ContingencyTable
from journeys.places import DATA
from refusals import refuses

NONE = "(none)"


def cells_of(table: cd.ContingencyTable) -> dict[tuple[Any, Any], float]:
    """The cells that are not empty, by the names of their clusters."""
    counts = table.to_numpy()
    found = {
        (t, g): counts[i, j].item()
        for i, t in enumerate(table.truth)
        for j, g in enumerate(table.guess)
        if counts[i, j]
    }
    records = {(key(one["truth"]), key(one["guess"])): one["objects"] for one in table.records()}
    assert records == found
    return found


def key(name: Any) -> Any:
    """A name of a record: a sample and a label are a list."""
    return tuple(name) if isinstance(name, list) else name


def random_labels(rng: Random, ids: range) -> dict[int, str]:
    return {i: rng.choice("abcde") for i in ids}


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("align", ["exact", "shared", "penalise"])
def test_every_object_counts_once(seed: int, align: str) -> None:
    rng = Random(seed)
    lacking = 0 if align == "exact" else 4
    truth = random_labels(rng, range(30))
    guess = random_labels(rng, range(lacking, 30 + lacking))
    ids = {"exact": truth, "shared": truth.keys() & guess, "penalise": truth.keys() | guess}[align]
    counted = Counter((truth.get(i, NONE), guess.get(i, NONE)) for i in ids)
    table = cd.contingency(truth, guess, align=align)
    assert cells_of(table) == counted
    assert table.to_numpy().sum() == len(ids) == table.meet.objects
    for names, sizes, side in (
        (table.truth, table.truth_sizes, 0),
        (table.guess, table.guess_sizes, 1),
    ):
        for name, size in zip(names, sizes.tolist(), strict=True):
            assert size == sum(n for pair, n in counted.items() if pair[side] == name)


@pytest.mark.parametrize("seed", range(10))
def test_the_largest_are_named_and_the_others_added_up(seed: int) -> None:
    rng = Random(seed)
    truth = [int(rng.paretovariate(0.7)) for _ in range(300)]
    guess = [one + rng.choice((0, 0, 0, 1)) for one in truth]
    sizes = Counter(truth), Counter(guess)
    kept = [[c for _, c in sorted((-n, c) for c, n in size.items())[:6]] for size in sizes]
    counted = Counter(
        tuple(c if c in names else "(others)" for c, names in zip(pair, kept, strict=True))
        for pair in zip(truth, guess, strict=True)
    )
    table = cd.contingency(truth, guess, top=6)
    assert cells_of(table) == counted
    assert table.truth == [*kept[0], "(others)"]
    assert sorted(table.guess[:-1]) == sorted(kept[1])
    assert table.clusters == tuple(map(len, sizes))
    whole = cd.contingency(truth, guess, top=None)
    assert cells_of(whole) == Counter(zip(truth, guess, strict=True))


@pytest.mark.parametrize("far", [False, True])
@pytest.mark.parametrize("many", [50, 51, 3000])
def test_of_very_many_clusters_twenty_are_named(
    many: int, far: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of each side for itself, where nobody says how many."""
    if far:
        monkeypatch.setattr("clusterdiff.io.session.NAMED", 10**12)
    truth, guess = np.arange(2 * many) % 30, np.arange(2 * many) % many
    paths = [tmp_path / "truth.csv", tmp_path / "guess.csv"]
    for path, side in zip(paths, (truth, guess), strict=True):
        path.write_text("id,cluster\n" + "".join(f"{i},{c}\n" for i, c in enumerate(side)))
    table = cd.contingency(*paths)
    assert sorted(table.truth) == list(range(30))
    named = [one for one in table.guess if one != "(others)"]
    assert len(named) == (50 if many == 50 else 20)
    assert ("(others)" in table.guess) == (many > 50)
    assert table.to_numpy().sum() == 2 * many
    covers = [cd.Cover([[c] for c in side]) for side in (truth, guess)]
    assert len(cd.contingency(covers[0], covers[1]).guess) == len(table.guess)
    ran = run("table", *map(str, paths), "--top", "all", "-f", "json")
    assert len(json.loads(ran.stdout)["guess"]["names"]) == many


@pytest.mark.parametrize("seed", range(10))
def test_columns_stand_below_the_cluster_that_most_of_their_objects_come_from(seed: int) -> None:
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 6, 200)
    guess = np.where(rng.random(200) < 0.6, truth + 10, rng.integers(10, 16, 200))
    counts = cd.contingency(truth, guess).to_numpy()
    assert (np.diff(counts.sum(axis=1)) <= 0).all()
    best = counts.argmax(axis=0)
    assert (np.diff(best) >= 0).all()


def test_noise_and_samples() -> None:
    single = cd.contingency([1, 1, 2, 2], [-1, 5, -1, 5], noise=-1)
    assert single.clusters == (2, 3)
    assert single.guess_sizes.tolist() == [2, 1, 1]
    dropped = cd.contingency([1, 1, 2, 2], [-1, 5, -1, 5], noise=-1, noise_as="drop")
    assert cells_of(dropped) == {(1, 5): 1, (2, 5): 1}
    told = cd.contingency(list("aab"), list("xyy"), samples=["d", "d", "e"])
    assert cells_of(told) == {
        (("d", "a"), ("d", "x")): 1, (("d", "a"), ("d", "y")): 1, (("e", "b"), ("e", "y")): 1,
    }  # fmt: skip


@pytest.mark.parametrize("seed", range(10))
def test_covers_count_an_object_in_every_pair_of_its_clusters(seed: int) -> None:
    rng = Random(seed)
    sides = [[{c for c in "abc" if rng.random() < 0.5} for _ in range(25)] for _ in "tg"]
    counted = Counter(
        (t, g) for one, two in zip(*sides, strict=True)
        for t in one or {NONE} for g in two or {NONE}
    )  # fmt: skip
    table = cd.contingency(cd.Cover(sides[0]), cd.Cover(sides[1]))
    assert cells_of(table) == counted
    named = dict(zip(table.truth, table.truth_sizes.tolist(), strict=True))
    for name in "abc":
        assert named.get(name, 0) == sum(name in one for one in sides[0])
    assert "An object counts in every pair of its clusters." in str(table)


@pytest.mark.parametrize("kind", [cd.Fuzzy, cd.Rough, cd.Possibilistic, cd.Evidential])
def test_uncertain_objects_count_by_their_chances(kind: Any) -> None:
    rng = np.random.default_rng(3)
    if kind is cd.Rough:
        given: Any = [{"a"}, {"a", "b"}, {"b", "c"}, {"c"}, {"a", "b", "c"}]
    elif kind is cd.Evidential:
        given = [
            {"a": 0.5, "a|b": 0.5},
            {"b": 1.0},
            {"a|b|c": 1.0},
            {"c": 0.25, "a": 0.75},
            {"c": 1},
        ]
    else:
        given = rng.dirichlet(np.ones(3), 5)
        given = given / given.max(axis=1, keepdims=True) if kind is cd.Possibilistic else given
    guess = kind(given)
    truth = ["x", "x", "y", "y", "y"]
    wanted: Counter[Any] = Counter()
    for position, label in enumerate(truth):
        for some, mass in guess.of(position).items():
            for name in some:
                wanted[label, name] += mass / len(some)
    found = cells_of(cd.contingency(truth, guess))
    assert found.keys() == {pair for pair, n in wanted.items() if n}
    assert all(found[pair] == pytest.approx(wanted[pair], abs=1e-12) for pair in found)


def test_duckdb_counts_what_memory_counts(tmp_path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    rng = np.random.default_rng(5)
    truth = rng.integers(0, 90, 2000)
    guess = np.where(rng.random(2000) < 0.7, truth, rng.integers(0, 90, 2000))
    text = np.array([f"c{one}" for one in guess])
    for name, labels in (("t", truth), ("g", text)):
        pq.write_table(
            pa.table({"id": np.arange(2000), "cluster": labels}), tmp_path / f"{name}.parquet"
        )
    here = cd.contingency(truth, text, top=20)
    files = [str(tmp_path / f"{name}.parquet") for name in "tg"]
    with EngineSessions(None) as sessions:
        left, right = sides_of(sessions, files[0], {"g": files[1]}, None, None)
        assert isinstance(left, Table)
        assert isinstance(right["g"], Table)
        far = SqlNamedComparison.of(left, right["g"], Policy())
        for top in (20, None):
            known = cd.contingency(truth, text, top=top)
            there = ContingencyTable.of(far.crosstab(top), far.meet, "guess", None)
            assert there.to_dict() == known.to_dict()
    assert cd.contingency(*files, top=20).records() == here.records()


def test_the_command_prints_what_python_does(tmp_path: Path) -> None:
    rows = [
        "id,truth,guess",
        *(f"{i},{t},{g}" for i, (t, g) in enumerate(zip("aaabbc", "xxyyyz", strict=True))),
    ]
    file = tmp_path / "t.csv"
    file.write_text("\n".join(rows) + "\n")
    sides = f"{file}::truth", f"{file}::guess"
    ran = run("table", *sides)
    assert ran.stdout.split("\n\n")[-1] == (
        "  truth \\ guess  x  y  z  objects\n"
        "  a              2  1     3\n"
        "  b                 2     2\n"
        "  c                    1  1\n"
        "  objects        2  3  1  6\n"
    )
    told = json.loads(run("table", *sides, "-f", "json").stdout)
    assert told["cells"] == [[0, 0, 2], [0, 1, 1], [1, 1, 2], [2, 2, 1]]
    csv = run("table", *sides, "-f", "csv").stdout.splitlines()
    assert csv[1] == "a,x,2,3,2,0.6666666666666666,1.0"
    assert "66.7 %" in run("table", *sides, "--shares", "rows").stdout
    assert "cells are shares of the column" in run("table", *sides, "--shares", "columns").stdout
    few = run("table", *sides, "--top", "1").stdout
    assert "The 1 largest of 3 true clusters are named; all others are added up" in few


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (("--shares", "row"), "shares are those of rows or of columns, not 'row'"),
        (("--top", "0"), "top must be a whole number above 0"),
        (("--top", "few"), "--top few is not a number"),
        (("--plot", "t.txt"), "a picture cannot be written as t.txt"),
    ],
)
def test_flags_that_make_no_sense(flags: tuple[str, ...], said: str) -> None:
    ran = run("table", "12|34", "13|24", *flags)
    assert ran.code == 2
    assert said in " ".join(ran.stderr.split())


def test_names_of_clusters_are_text_and_nothing_else() -> None:
    odd = ["<b>", "=1+1", "a\nb", "\x1b[31m", "|", "(others)"]
    table = cd.contingency(odd * 2, odd + ["x"] * 6)
    assert "\x1b" not in str(table)
    assert "\x1b" not in table.to_markdown()
    assert "<b>" not in table._repr_html_()
    assert "'=1+1" in table.to_csv()


def test_too_large_a_table_is_written_cell_by_cell() -> None:
    table = cd.contingency(np.arange(20_000), np.arange(20_000), top=None)
    refuses("cannot be read", table.to_text)
    refuses("most of them empty", table.to_numpy)
    assert len(table.to_frame()) == 20_000


@pytest.mark.skipif(not DATA.exists(), reason="the real data are not here")
def test_cells_of_single_cell_labels_are_those_of_pandas() -> None:
    pd = pytest.importorskip("pandas")
    cells = pd.read_csv(DATA / "pbmc68k_reduced_labels.csv")
    table = cd.contingency(cells, truth="bulk_labels", guess="louvain")
    crossed = pd.crosstab(cells["bulk_labels"], cells["louvain"])
    assert (table.to_numpy() == crossed.loc[table.truth, table.guess].to_numpy()).all()
    figure = table.plot()
    assert np.asarray(figure.data[0].z).max() <= 1
    assert figure.data[0].text[0][0] == f"{table.to_numpy()[0, 0]:,}"
