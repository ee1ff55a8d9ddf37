"""Every way to give the same clusterings gives the same report: lists, frames, relations, files."""

from __future__ import annotations

import csv
import gzip
import json
import random
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

import duckdb
import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import clusterdiff as cd
from cases import noisy
from cli.runner import run
from clusterdiff.clusterings.columns import NULL_WORDS
from clusterdiff.contingency import Meet
from refusals import refuses

Rows = list[tuple[Any, ...]]
ALIGNMENTS = ("exact", "shared", "singletons", "penalise")
HARD = [m.name for m in cd.measures() if m.needs & {"shapes", "rows"}]
SEVERAL = ["elm_f", "bcubed_f", "pair_f", "muc_f", "conll", "exact_f"]
"""A few measures that know all alignments, of shapes and of rows."""


class Place(NamedTuple):
    """Where tables are put: a folder, and a connection."""

    folder: Path
    connection: Any


@pytest.fixture(scope="module")
def connection() -> Iterator[Any]:
    """One for all tests: to open one takes longer than most queries."""
    with duckdb.connect() as made:
        yield made


@pytest.fixture
def place(tmp_path: Path, connection: Any) -> Place:
    return Place(tmp_path, connection)


def as_table(rows: Rows, columns: tuple[str, ...] = ("id", "cluster", "doc")) -> Any:
    """Rows as an Arrow table; a column without values is one of text."""
    made = {}
    for i, name in enumerate(columns[: len(rows[0])]):
        values = [row[i] for row in rows]
        made[name] = pa.array(values, pa.string() if set(values) <= {None} else None)
    return pa.table(made)


def parquet(path: Path, **columns: Any) -> Path:
    """A Parquet file with these columns."""
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.table(columns), path)
    return path


def text(path: Path, content: str) -> Path:
    """A file with this content, line ends as they are."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode())
    return path


def as_csv(table: Any) -> str:
    """The table as CSV: a null is an empty cell, text is quoted."""
    lines = [",".join(table.column_names)]
    for row in table.to_pylist():
        cells = ("" if v is None else _quoted(v) for v in row.values())
        lines.append(",".join(cells))
    return "\n".join(lines) + "\n"


def _quoted(value: Any) -> str:
    return '"' + value.replace('"', '""') + '"' if isinstance(value, str) else str(value)


def _relation(table: Any, place: Place, name: str) -> Any:
    return place.connection.from_arrow(table)


def _named(table: Any, place: Place, name: str) -> Any:
    place.connection.register("given", table)
    place.connection.execute(f"CREATE OR REPLACE TABLE {name} AS SELECT * FROM given")
    place.connection.unregister("given")
    return place.connection.table(name)


def _query(table: Any, place: Place, name: str) -> Any:
    _named(table, place, name)
    return place.connection.sql(f"SELECT * FROM {name} WHERE true")


def _elsewhere(table: Any, place: Place, name: str) -> Any:
    return duckdb.connect().from_arrow(table)


def _parquet(table: Any, place: Place, name: str) -> Path:
    pq.write_table(table, place.folder / f"{name}.parquet")
    return place.folder / f"{name}.parquet"


def _csv(table: Any, place: Place, name: str) -> Path:
    return text(place.folder / f"{name}.csv", as_csv(table))


def _gzip(table: Any, place: Place, name: str) -> Path:
    (place.folder / f"{name}.csv.gz").write_bytes(gzip.compress(as_csv(table).encode()))
    return place.folder / f"{name}.csv.gz"


def _json(table: Any, place: Place, name: str) -> Path:
    lines = (json.dumps(row) for row in table.to_pylist())
    return text(place.folder / f"{name}.jsonl", "\n".join(lines))


Way = Callable[[Any, Place, str], Any]
FRAMES: dict[str, Way] = {
    "pandas": lambda table, place, name: table.to_pandas(),
    "polars": lambda table, place, name: pl.from_arrow(table),
    "lazy": lambda table, place, name: pl.DataFrame(pl.from_arrow(table)).lazy(),
    "arrow": lambda table, place, name: table,
}
RELATIONS: dict[str, Way] = {"relation": _relation, "table": _named, "query": _query}
FILES: dict[str, Way] = {"parquet": _parquet, "csv": _csv, "gzip": _gzip, "json": _json}
WAYS: dict[str, Way] = {**FRAMES, **RELATIONS, "elsewhere": _elsewhere, **FILES}


def given_as(way: str, truth: Any, guess: Any, place: Place) -> tuple[Any, Any]:
    """Truth and guess, both given this way."""
    return WAYS[way](truth, place, "truth"), WAYS[way](guess, place, "guess")


FEW = ("pandas", "relation", "parquet", "csv", "json")


def told(report: cd.Report, *, in_order: bool = True) -> dict[str, Any]:
    """All that a report of one guess says, whatever the guess is called."""
    said = report.to_dict()
    [scores] = said["guesses"].values()
    samples = [{k: v for k, v in s.items() if k != "guess"} for s in said.get("samples", [])]
    if not in_order:
        samples.sort(key=lambda sample: str(sample["sample"]))
    return {"scores": scores, "samples": samples}


def outcome(truth: Any, guess: Any, measures: Any = None, **options: Any) -> Any:
    """What a comparison says, or that it is refused."""
    try:
        return told(cd.compare(truth, guess, measures, **options))
    except cd.ClusterdiffError:
        return "refused"


def equal(one: Any, other: Any, within: float) -> bool:
    """Whether two reports say the same, numbers up to a tolerance."""
    if isinstance(one, Mapping):
        return one.keys() == other.keys() and all(equal(one[k], other[k], within) for k in one)
    if isinstance(one, list | tuple):
        return len(one) == len(other) and all(
            equal(a, b, within) for a, b in zip(one, other, strict=True)
        )
    if isinstance(one, float) and isinstance(other, float):
        return abs(one - other) <= within
    return bool(one == other)


class Case(NamedTuple):
    """Two clusterings and how to compare them."""

    truth: Rows
    guess: Rows
    options: dict[str, Any] = {}


ODD = ["é", "e\u0301", "É", "ß", "ss", "SS", "😀", "o'clock", 'say "x"', "back\\slash", "%s",
       "two\nlines", "comma,semi;bar|", " lead", "trail ", "NULL", "null", "nan", "-1", "07", "",
       "0x1"]  # fmt: skip
LABELS = [label for label in ODD if label not in NULL_WORDS]
NULLS: Rows = [(1, "a"), (2, "a"), (3, None), (4, None), (5, "b"), (6, "b")]
PLAIN: Rows = [(1, 7), (2, 7), (3, 7), (4, 8), (5, 8), (6, 9)]
SHORT: Rows = [(1, "a"), (2, "a"), (3, "b"), (4, "b"), (5, "c"), (10, "c"), (11, "c")]
OTHER: Rows = [(5, 1), (4, 1), (3, 1), (2, 2), (1, 2), (20, 2), (21, 3), (22, 3)]
NOISY: Rows = [(1, -1), (2, -1), (3, 5), (4, 5), (5, -1), (6, 5)]

CASES = {
    "whole numbers": Case(PLAIN, [(6, 1), (5, 1), (4, 2), (3, 2), (2, 2), (1, 2)]),
    "large numbers": Case(
        [(2**53 + i, 2**60 + i // 2) for i in range(6)], [(2**53 + i, -i) for i in range(6)]
    ),
    "text": Case([(f"r{i}", "xyz"[i % 3]) for i in range(9)], [(f"r{8 - i}", i) for i in range(9)]),
    "odd ids": Case(
        [(x, i % 5) for i, x in enumerate(ODD)], [(x, i // 5) for i, x in enumerate(ODD)]
    ),
    "odd labels": Case(
        list(enumerate(LABELS * 2)), [(i, LABELS[i % 3]) for i in range(2 * len(LABELS))]
    ),
    "labels in other cases": Case([(1, "a"), (2, "A"), (3, "a")], [(1, "B"), (2, "B"), (3, "b")]),
    "fractions": Case([(i, i // 2 / 4) for i in range(8)], [(i, -1.5 * (i % 3)) for i in range(8)]),
    "nulls as singletons": Case(NULLS, PLAIN, {"noise": [None]}),
    "nulls dropped": Case(NULLS, PLAIN, {"noise": [None], "noise_as": "drop"}),
    "nulls on both sides": Case(NULLS, NULLS[::-1], {"noise": [None]}),
    "noise as singletons": Case(NOISY, PLAIN, {"noise": -1}),
    "noise dropped": Case(PLAIN, NOISY, {"noise": [-1, 9], "noise_as": "drop"}),
    "noise of text": Case(NULLS, PLAIN, {"noise": [None, "b", "o'b"]}),
    "rows again": Case([*PLAIN, *PLAIN, PLAIN[0]], [*NULLS[:2], *NULLS], {"noise": [None]}),
    "one object": Case([(1, "a")], [(1, 2)]),
    "shared": Case(SHORT, OTHER, {"align": "shared"}),
    "singletons": Case(SHORT, OTHER, {"align": "singletons"}),
    "penalise": Case(SHORT, OTHER, {"align": "penalise"}),
    "penalise with noise": Case(
        [*SHORT, (12, "z"), (6, "z")], [*OTHER, (6, 2)], {"align": "penalise", "noise": ["z", 3]}
    ),
    "singletons without noise": Case(
        [*SHORT, (12, "z"), (6, "z")],
        [*OTHER, (6, 2)],
        {"align": "singletons", "noise": ["z", 3], "noise_as": "drop"},
    ),
}  # fmt: skip


MOST = {"pandas", "polars", "arrow", "relation", "parquet", "csv", "json"}
BY_ALL_WAYS = {"text", "odd ids", "nulls as singletons", "rows again", "penalise with noise"}


@pytest.mark.parametrize(
    ("name", "way"), [(c, w) for c in CASES for w in WAYS if w in MOST or c in BY_ALL_WAYS]
)
def test_a_way_to_give_tables(name: str, way: str, place: Place) -> None:
    case = CASES[name]
    truth, guess = as_table(case.truth), as_table(case.guess)
    given = given_as(way, truth, guess, place)
    wanted, second = _in_memory(name)
    found = cd.compare(*given, **case.options)
    assert told(found) == wanted
    first = found["elm_f"].meet
    assert (first.digest, first.alignment) == (second.digest, second.alignment)
    assert first == second


@cache
def _in_memory(name: str) -> tuple[dict[str, Any], Meet]:
    """What is told of a case, and its meet; sides are dicts, or where rows repeat partitions."""
    case, sides = CASES[name], list[Any]()
    for rows in (case.truth, case.guess):
        ids, labels = [row[0] for row in rows], [row[1] for row in rows]
        once = len(set(ids)) == len(ids)
        sides.append(dict(zip(ids, labels, strict=True)) if once else cd.Partition(labels, ids))
    report = cd.compare(*sides, **case.options)
    return told(report), report["elm_f"].meet


@pytest.mark.parametrize("way", [*RELATIONS, *FILES])
def test_the_engine_in_memory_can_be_asked_for(way: str, place: Place) -> None:
    truth, guess = (WAYS[way](as_table(rows), place, f"n{len(rows)}") for rows in (SHORT, OTHER))
    for align in ALIGNMENTS[1:]:
        wanted = told(cd.compare(truth, guess, engine="arrays", align=align))
        assert told(cd.compare(truth, guess, align=align)) == wanted
        if way in FILES:
            assert told(cd.compare(truth, guess, engine="duckdb", align=align)) == wanted


@pytest.mark.parametrize("first", WAYS)
def test_one_side_one_way_the_other_another(first: str, place: Place) -> None:
    truth, guess = as_table(SHORT), as_table(OTHER)
    wanted = told(cd.compare(truth, guess, align="singletons"))
    for second in ("arrow", "relation", "parquet", "csv"):
        given = WAYS[first](truth, place, "truth"), WAYS[second](guess, place, "guess")
        assert told(cd.compare(*given, align="singletons")) == wanted, second
    mapping = {id: label for id, label in OTHER}  # noqa: C416
    assert told(cd.compare(given[0], mapping, align="singletons")) == wanted


def test_several_guesses_at_once(place: Place) -> None:
    truth, guess = as_table(SHORT), as_table(OTHER)
    guesses = {way: WAYS[way](guess, place, f"guess_{way}") for way in ("pandas", "lazy", *FILES)}
    wanted = told(cd.compare(truth, guess, align="shared"))["scores"]
    for way in ("parquet", "relation", "polars"):
        report = cd.compare(WAYS[way](truth, place, "truth"), guesses, align="shared")
        assert report.guesses == list(guesses)
        for name, scores in report.to_dict()["guesses"].items():
            assert scores == wanted, (way, name)


@pytest.mark.parametrize("way", ["arrow", *RELATIONS])
def test_tables_are_several_guesses(way: str, place: Place) -> None:
    truth, guess = as_table(SHORT), as_table(OTHER)
    guesses = {name: WAYS[way](guess, place, name) for name in ("one", "two")}
    wanted = told(cd.compare(truth, guess, align="shared"))["scores"]
    report = cd.compare(WAYS[way](truth, place, "truth"), guesses, align="shared")
    assert report.to_dict()["guesses"] == {"one": wanted, "two": wanted}


def test_folders_and_patterns_are_several_guesses(place: Place) -> None:
    truth, guess = as_table(SHORT), as_table(OTHER)
    (place.folder / "runs").mkdir()
    _parquet(guess, Place(place.folder / "runs", None), "run")
    guesses = {"folder": f"{place.folder}/runs", "pattern": f"{place.folder}/runs/*.parquet"}
    wanted = told(cd.compare(truth, guess, align="shared"))["scores"]
    found = cd.compare(_parquet(truth, place, "truth"), guesses, align="shared")
    assert found.to_dict()["guesses"] == {"folder": wanted, "pattern": wanted}


def random_case(rng: random.Random, *, sampled: bool = False) -> Case:
    """A few objects with much that collides: nulls, noise, repeats, objects on one side only."""
    objects, kinds = rng.randint(1, 12), rng.randint(1, 4)
    nulls, again = rng.choice([0, 0, 0.2]), rng.choice([0, 0, 0.3])
    texts = [rng.random() < 0.5, rng.random() < 0.5]
    as_text = rng.random() < 0.5
    docs = [f"d{rng.randint(1, 3)}" for _ in range(objects)]
    sides: list[Rows] = []
    for is_text in texts:
        rows: Rows = []
        for i in range(objects):
            if rng.random() < 0.15:
                continue
            label: Any = rng.randint(-1, kinds)
            label = None if rng.random() < nulls else f"c{label}" if is_text else label
            row = (f"é{i}" if as_text else i, label, docs[i])[: 3 if sampled else 2]
            rows += [row] * (2 if rng.random() < again else 1)
        rng.shuffle(rows)
        sides.append(rows)
    if rng.random() < 0.3:
        sides[1] = [row for row in sides[0] if rng.random() < 0.9]
    label_of_noise = rng.choice([None, -1, "c-1", [None], [None, -1, "c0"]])
    options: dict[str, Any] = {"align": rng.choice(ALIGNMENTS)}
    if label_of_noise is not None:
        options |= {"noise": label_of_noise, "noise_as": rng.choice(["singletons", "drop"])}
    if sampled:
        options["samples"] = "doc"
    return Case(sides[0] or sides[1], sides[1] or sides[0], options)


@pytest.mark.parametrize("seed", range(4))
def test_random_relations(seed: int, place: Place) -> None:
    rng, ran = random.Random(seed), 0
    while ran < 15:
        case = random_case(rng)
        if not case.truth:
            continue
        ran += 1
        truth, guess = as_table(case.truth), as_table(case.guess)
        wanted = outcome(truth, guess, SEVERAL, **case.options)
        given = given_as("relation", truth, guess, place)
        found = outcome(*given, SEVERAL, **case.options)
        assert found == wanted, case


@pytest.mark.parametrize("seed", range(6))
def test_random_files(seed: int, place: Place) -> None:
    rng, ways, ran = random.Random(f"files {seed}"), list(FILES), 0
    while ran < 4:
        case = random_case(rng)
        if not case.truth:
            continue
        ran += 1
        truth, guess = as_table(case.truth), as_table(case.guess)
        first, second = (ways[ran % 4],) * 2 if rng.random() < 0.7 else rng.sample(ways, 2)
        wanted = outcome(truth, guess, SEVERAL, **case.options)
        given = WAYS[first](truth, place, "truth"), WAYS[second](guess, place, "guess")
        assert outcome(*given, SEVERAL, **case.options) == wanted, (first, second, case)


@pytest.mark.parametrize("seed", range(6))
def test_random_samples(seed: int, place: Place) -> None:
    rng, ways, ran = random.Random(f"samples {seed}"), list(FILES), 0
    while ran < 4:
        case = random_case(rng, sampled=True)
        if not case.truth:
            continue
        ran += 1
        truth, guess = as_table(case.truth), as_table(case.guess)
        given = given_as(ways[ran % 4], truth, guess, place)
        wanted = outcome(*given, SEVERAL, engine="arrays", **case.options)
        assert outcome(*given, SEVERAL, **case.options) == wanted, case


class Million(NamedTuple):
    """A million objects, and the report of the engine in memory."""

    truth: Any
    guess: Any
    wanted: dict[str, Any]


@pytest.fixture(scope="module")
def million() -> Million:
    truth, guess = noisy(10**6, 150_000, seed=4, share=0.1)
    order = np.random.default_rng(1).permutation(10**6)
    ids = np.arange(10**6) * 7
    left = pa.table({"id": ids, "cluster": truth})
    right = pa.table({"id": ids[order], "cluster": guess[order]})
    return Million(left, right, told(cd.compare(truth, guess, MANY)))


MANY = ["elm_f", "bcubed_f", "pair_f", "adjusted_rand", "nmi", "vi_distance", "exact_f", "accuracy"]


@pytest.mark.parametrize("way", ["pandas", "polars", "arrow", "relation", "parquet"])
def test_a_million_rows_give_the_same_bits(way: str, million: Million, place: Place) -> None:
    given = WAYS[way](million.truth, place, "t"), WAYS[way](million.guess, place, "g")
    assert told(cd.compare(*given, MANY)) == million.wanted


def _medium(seed: int, objects: int, clusters: int, share: float) -> tuple[Any, Any]:
    truth, guess = noisy(objects, clusters, seed, share)
    left, right = np.arange(objects), np.random.default_rng(seed).permutation(objects)
    return (
        pa.table({"id": left, "cluster": truth}),
        pa.table({"id": right, "cluster": guess[right]}),
    )


@pytest.mark.parametrize(
    ("objects", "clusters", "share"), [(2000, 300, 0.2), (1500, 12, 0.5), (600, 590, 0.05)]
)
def test_every_measure_of_partitions_to_the_bit(
    objects: int, clusters: int, share: float, place: Place
) -> None:
    truth, guess = _medium(objects, objects, clusters, share)
    wanted = told(cd.compare(truth, guess, HARD))
    for way in ("relation", "parquet", "csv"):
        given = given_as(way, truth, guess, place)
        assert told(cd.compare(*given, HARD)) == wanted, way


@pytest.mark.parametrize("align", ALIGNMENTS[1:])
def test_measures_of_every_alignment_to_the_bit(align: str, place: Place) -> None:
    truth, guess = _medium(3, 900, 150, 0.3)
    truth, guess = truth.slice(100), guess.slice(0, 850)
    options: dict[str, Any] = {"align": align, "noise": [3, 4, 5]}
    given = _parquet(truth, place, "truth"), _parquet(guess, place, "guess")
    found = {m: outcome(truth, guess, m, **options) for m in HARD}
    known = [m for m, said in found.items() if isinstance(said, dict)]
    assert len(known) > 20
    for options["noise_as"] in ("singletons", "drop"):
        wanted = told(cd.compare(truth, guess, known, **options))
        assert told(cd.compare(*given, known, **options)) == wanted
        related = given_as("relation", truth, guess, place)
        assert told(cd.compare(*related, known, **options)) == wanted


TAGS: Rows = [(1, "a"), (1, "b"), (2, "a"), (3, None), (4, "b"), (4, "c"), (4, "c"), (5, "c"),
              (6, "a"), (6, "b"), (7, "-1"), (12, "a")]  # fmt: skip
FOUND: Rows = [(1, "x"), (2, "x"), (2, "y"), (3, "y"), (4, "x"), (5, None), (6, "x"), (6, "y"),
               (7, "z"), (8, "y"), (9, "z")]  # fmt: skip
COVERING = ["extended_bcubed_f", "cice_f", "omega", "onmi", "cover_f1", "element_similarity"]


@pytest.mark.parametrize("way", FEW)
@pytest.mark.parametrize("align", ALIGNMENTS)
def test_covers(align: str, way: str, place: Place) -> None:
    given = given_as(way, as_table(TAGS), as_table(FOUND), place)
    for noise, options in NOISE_OF_COVERS.items():
        known, wanted = _covers_in_memory(align, noise)
        found = outcome(*given, known or COVERING, kind="cover", align=align, **options)
        assert equal(found, wanted, 1e-12) if known else found == wanted, noise


NOISE_OF_COVERS: dict[str, dict[str, Any]] = {
    "none": {},
    "a label": {"noise": "-1"},
    "several": {"noise": ["-1", "z", None], "noise_as": "drop"},
}


@cache
def _covers_in_memory(align: str, noise: str) -> tuple[list[str], Any]:
    """The measures that know covers of this alignment, and what they tell of tables in memory."""
    truth, guess = as_table(TAGS), as_table(FOUND)
    options: dict[str, Any] = {"kind": "cover", "align": align, **NOISE_OF_COVERS[noise]}
    known = [m for m in COVERING if isinstance(outcome(truth, guess, m, **options), dict)]
    return known, outcome(truth, guess, known or COVERING, **options)


@pytest.mark.parametrize("seed", range(4))
def test_random_covers(seed: int, place: Place) -> None:
    rng = random.Random(f"covers {seed}")
    for ran in range(6):
        truth, guess = _random_cover(rng), _random_cover(rng)
        options: dict[str, Any] = {"kind": "cover", "align": rng.choice(ALIGNMENTS[1:])}
        measures = ["extended_bcubed_f", "cice_f"]
        wanted = outcome(truth, guess, measures, **options)
        way = [*FILES, "relation"][ran % 5]
        given = given_as(way, truth, guess, place)
        assert equal(outcome(*given, measures, **options), wanted, 1e-12), (way, options)


def _random_cover(rng: random.Random) -> Any:
    rows: Rows = []
    for i in range(rng.randint(3, 10)):
        labels = rng.sample("abcd", rng.randint(0, 3))
        rows += [(i, label) for label in labels] or [(i, None)]
        rows += rows[-1:] * (rng.random() < 0.2)
    rng.shuffle(rows)
    return as_table(rows)


def test_covers_beside_partitions(place: Place) -> None:
    cover, partition = as_table(TAGS[:8]), as_table([(i, i % 2) for i in range(1, 6)])
    for kind, sides in (
        (("cover", "partition"), (cover, partition)),
        (("partition", "cover"), (partition, cover)),
    ):
        wanted = told(cd.compare(*sides, COVERING, kind=kind))
        for way in ("parquet", "csv", "relation"):
            given = given_as(way, *sides, place)
            assert equal(told(cd.compare(*given, COVERING, kind=kind)), wanted, 1e-12), (way, kind)


HARD_TRUTH = pa.table({"id": [1, 2, 3, 4, 5], "cluster": ["a", "a", "b", "b", "c"]})
UNCERTAIN = {
    "rough": pa.table({"id": [1, 1, 2, 3, 4, 4, 5], "cluster": list("abaabcc")}),
    "fuzzy": pa.table({
        "id": [1, 1, 2, 3, 4, 4, 5], "cluster": list("abaabcc"),
        "degree": [0.25, 0.75, 1.0, 1.0, 0.5, 0.5, 1.0],
    }),
    "fuzzy wide": pa.table({
        "id": [5, 4, 3, 2, 1], "a": [0.5, 0.1, 1.0, 0.0, 0.3], "b": [0.5, 0.2, 0.0, 1.0, 0.7],
        "c": [0.0, 0.7, 0.0, 0.0, 0.0],
    }),
    "possibilistic": pa.table({
        "id": [1, 1, 2, 3, 4, 4, 5], "cluster": list("abaabcc"),
        "degree": [1.0, 0.75, 1.0, 1.0, 0.5, 1.0, 1.0],
    }),
    "possibilistic wide": pa.table({
        "id": [5, 4, 3, 2, 1], "a": [1.0, 0.1, 1.0, 0.0, 1.0], "b": [0.5, 1.0, 0.0, 1.0, 0.7],
    }),
    "evidential": pa.table({
        "id": [1, 1, 2, 3, 4, 4, 5], "cluster": ["a", "a|b", "a", "a|b|c", "b", "b|c", "c"],
        "degree": [0.25, 0.75, 1.0, 1.0, 0.5, 0.5, 1.0],
    }),
}  # fmt: skip
SOFT = ["rand_alpha", "rand_belief", "partition_distance_alpha", "transport(rand)"]


@pytest.mark.parametrize("way", FEW)
@pytest.mark.parametrize("name", UNCERTAIN)
def test_uncertain_clusterings(name: str, way: str, place: Place) -> None:
    for sides, options, wanted in _uncertain_in_memory(name):
        given = given_as(way, *sides, place)
        assert equal(told(cd.compare(*given, SOFT, **options)), wanted, 1e-12)


@cache
def _uncertain_in_memory(name: str) -> list[tuple[tuple[Any, Any], dict[str, Any], Any]]:
    """Tables beside an uncertain clustering, how to compare them, and what is told in memory."""
    kind, guess = name.removesuffix(" wide"), UNCERTAIN[name]
    more = pa.concat_tables([HARD_TRUTH, pa.table({"id": [8, 9], "cluster": ["a", "c"]})])
    found = []
    for truth, align in ((HARD_TRUTH, "exact"), (HARD_TRUTH, "shared"), (more, "shared")):
        options: dict[str, Any] = {"kind": ("partition", kind), "align": align}
        sides = (truth, guess)
        if name.endswith("wide"):
            options["kind"], sides = (kind, "partition"), (guess, truth)
        found.append((sides, options, told(cd.compare(*sides, SOFT, **options))))
    return found


@pytest.mark.parametrize("name", UNCERTAIN)
def test_uncertain_clusterings_beside_each_other(name: str, place: Place) -> None:
    kind = name.removesuffix(" wide")
    for other in UNCERTAIN:
        sides = UNCERTAIN[name], UNCERTAIN[other]
        kinds = kind, other.removesuffix(" wide")
        wanted = told(cd.compare(*sides, SOFT[:2], kind=kinds))
        for way in ("parquet",):
            given = given_as(way, *sides, place)
            assert equal(told(cd.compare(*given, SOFT[:2], kind=kinds)), wanted, 1e-12), (
                other,
                way,
            )


def test_objects_on_one_side_of_an_uncertain_clustering_are_refused(place: Place) -> None:
    truth, guess = HARD_TRUTH.slice(0, 3), UNCERTAIN["fuzzy"]
    given = _parquet(truth, place, "t"), _parquet(guess, place, "g")
    for align in ("exact", "singletons", "penalise"):
        options: dict[str, Any] = {"kind": ("partition", "fuzzy"), "align": align}
        assert outcome(*given, SOFT, **options) == outcome(truth, guess, SOFT, **options)


BAD: dict[str, Rows] = {
    "rough": [(1, "a", None), (1, None, None), (2, "b", None)],
    "fuzzy": [(1, "a", 1.0), (2, "b", 1.0), (2, "b", 1.0)],
    "possibilistic": [(1, "a", 1.0), (2, "b", 1.0), (2, "b", 0.5)],
    "evidential": [(1, "a", 0.5), (2, "b", 1.0)],
}


@pytest.mark.parametrize("way", ["relation", "parquet", "csv"])
@pytest.mark.parametrize("kind", BAD)
@pytest.mark.parametrize("objects", [[1, 2, 3], [1, 3, 4]])
def test_bad_rows_of_uncertain_clusterings(
    kind: str, objects: list[int], way: str, place: Place
) -> None:
    """Also where the object is left out, since the other side lacks it."""
    rows = [*BAD[kind], (3, "a", 1.0), (4, "b", 1.0)]
    columns = ("id", "cluster") if kind == "rough" else ("id", "cluster", "degree")
    bad = as_table([row[: len(columns)] for row in rows], columns)
    truth = pa.table({"id": objects, "cluster": [1] * 3})
    options: dict[str, Any] = {"kind": ("partition", kind), "align": "shared"}
    assert outcome(truth, bad, SOFT[:1], **options) == "refused"
    given = WAYS[way](truth, place, "truth"), WAYS[way](bad, place, "bad")
    assert outcome(*given, SOFT[:1], **options) == "refused"


def test_rows_again_of_a_cover_beside_an_uncertain_clustering(place: Place) -> None:
    cover = as_table([(1, "a"), (2, "a"), (2, "a"), (3, "b"), (4, "b")])
    sides = UNCERTAIN["rough"].slice(0, 6), cover
    wanted = told(cd.compare(*sides, SOFT[:1], kind=("rough", "cover")))
    given = _parquet(sides[0], place, "truth"), _parquet(cover, place, "guess")
    assert told(cd.compare(*given, SOFT[:1], kind=("rough", "cover"))) == wanted


DOCS: Rows = [(1, "a", "z"), (2, "a", "z"), (3, "b", "z"), (1, "a", "m"), (2, "b", "m"),
              (1, "c", "é"), (2, "c", "é"), (3, "c", "é"), (4, "d", "é"),
              (9, "a", "k")]  # fmt: skip
DOCS_FOUND: Rows = [(2, 1, "m"), (1, 1, "m"), (3, 1, "z"), (2, 1, "z"), (1, 2, "z"), (9, 5, "k"),
                    (4, 1, "é"), (3, 1, "é"), (2, 2, "é"), (1, 2, "é")]  # fmt: skip


@pytest.mark.parametrize("way", WAYS)
def test_samples(way: str, place: Place) -> None:
    truth, guess = as_table(DOCS), as_table(DOCS_FOUND)
    wanted = told(cd.compare(truth, guess, samples="doc"))
    assert [sample["sample"] for sample in wanted["samples"]] == ["z", "m", "é", "k"]
    given = given_as(way, truth, guess, place)
    report = cd.compare(*given, samples="doc")
    if way in (*RELATIONS, "elsewhere"):
        assert told(report, in_order=False) == told(
            cd.compare(truth, guess, samples="doc"), in_order=False
        )
    else:
        assert told(report) == wanted


@pytest.mark.parametrize("way", FILES)
@pytest.mark.parametrize("align", ALIGNMENTS[1:])
def test_samples_with_objects_on_one_side_only(align: str, way: str, place: Place) -> None:
    truth = as_table([*DOCS, (7, "q", "z"), (7, "q", "m"), (8, "q", "m")])
    guess = as_table([*DOCS_FOUND, (5, 1, "é"), (7, 8, "é")])
    given = given_as(way, truth, guess, place)
    for noise in ({}, {"noise": ["c", 5]}, {"noise": ["d", 1], "noise_as": "drop"}):
        options: dict[str, Any] = {"samples": "doc", "align": align, **noise}
        wanted = outcome(*given, SEVERAL, engine="arrays", **options)
        assert isinstance(wanted, dict) or noise.get("noise_as")
        assert outcome(*given, SEVERAL, **options) == wanted


@pytest.mark.parametrize("align", ALIGNMENTS)
def test_samples_that_one_side_lacks(align: str, place: Place) -> None:
    truth, guess = as_table([*DOCS, (1, "a", "t")]), as_table([*DOCS_FOUND, (1, 1, "g")])
    given = _parquet(truth, place, "truth"), _parquet(guess, place, "guess")
    options: dict[str, Any] = {"samples": "doc", "align": align}
    assert outcome(*given, SEVERAL, **options) == outcome(
        *given, SEVERAL, engine="arrays", **options
    )


@pytest.mark.parametrize("align", ALIGNMENTS)
def test_no_sample_in_common(align: str, place: Place) -> None:
    truth, guess = as_table([(1, "a", "t"), (2, "a", "t")]), as_table([(1, 1, "g"), (2, 1, "g")])
    given = _csv(truth, place, "truth"), _csv(guess, place, "guess")
    options: dict[str, Any] = {"samples": "doc", "align": align}
    assert outcome(*given, SEVERAL, **options) == outcome(
        *given, SEVERAL, engine="arrays", **options
    )


def test_a_sample_that_is_all_noise(place: Place) -> None:
    truth = as_table([(1, -1, "d"), (2, 1, "e"), (3, 2, "e")])
    given = _parquet(truth, place, "truth"), _parquet(truth, place, "guess")
    for noise_as in ("singletons", "drop"):
        options: dict[str, Any] = {"samples": "doc", "noise": -1, "noise_as": noise_as}
        wanted = outcome(*given, engine="arrays", **options)
        assert outcome(*given, **options) == wanted


@pytest.mark.parametrize("docs", [[9.5, 1.5, 9.5], [10, 9, 10]])
def test_samples_of_other_types(docs: list[Any], place: Place) -> None:
    file = parquet(place.folder / "t.parquet", id=[1, 2, 3], cluster=["a", "b", "b"], doc=docs)
    wanted = told(cd.compare(file, file, ["elm_f"], samples="doc", engine="arrays"))
    assert told(cd.compare(file, file, ["elm_f"], samples="doc")) == wanted


def test_samples_that_a_guess_does_not_name(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(place.folder)
    truth = as_table([(i, i // 2, f"d{i % 3}") for i in range(9)])
    _csv(truth, place, "truth")
    _csv(as_table([(i, i // 3) for i in range(9)]), place, "guess")
    _parquet(truth, place, "truth")
    _parquet(as_table([(i, i // 3) for i in range(9)]), place, "guess")
    for ending in ("csv", "parquet"):
        command = [
            "compare",
            f"truth.{ending}",
            f"guess.{ending}",
            "--samples",
            "doc",
            "-f",
            "json",
        ]
        wanted = run(*command, "--engine", "arrays")
        assert wanted.code == 0
        assert run(*command) == wanted


def test_a_folder_is_one_table(place: Place) -> None:
    truth, guess = _medium(5, 300, 40, 0.3)
    for i in range(3):
        parquet(place.folder / "truth" / f"part{i}.parquet", **_part(truth, i))
        parquet(place.folder / "guess" / "deep" / f"part{i}.parquet", **_part(guess, i))
        text(place.folder / "csv" / f"part{i}.csv", as_csv(pa.table(_part(guess, i))))
    wanted = told(cd.compare(truth, guess))
    folder = place.folder
    for first in (folder / "truth", f"{folder}/truth/", f"{folder}/truth/*.parquet",
                  f"{folder}/truth/part?.parquet::cluster",
                  f"{folder}/truth/part[012].*"):  # fmt: skip
        assert told(cd.compare(first, folder / "guess")) == wanted, first
    assert told(cd.compare(folder / "truth", folder / "csv")) == wanted
    assert told(cd.compare(folder / "truth", f"{folder}/**/deep/*.parquet")) == wanted
    assert told(cd.compare(folder / "truth", folder / "csv", engine="arrays")) == wanted


def _part(table: Any, i: int) -> dict[str, Any]:
    part = table.slice(100 * i, 100)
    return {name: part.column(name) for name in part.column_names}


@pytest.mark.parametrize("names", [("z", "a", "m"), ("10", "9", "2")])
def test_folders_that_name_the_samples(names: tuple[str, ...], place: Place) -> None:
    for i, doc in enumerate(names):
        for side in ("truth", "guess"):
            labels = [1, 1, 2] if side == "truth" else [1, 1 + i, 2]
            file = place.folder / side / f"doc={doc}" / "part.parquet"
            parquet(file, id=[1, 2, 3], cluster=labels)
    given = place.folder / "truth", place.folder / "guess"
    wanted = told(cd.compare(*given, ["elm_f"], samples="doc", engine="arrays"))
    assert [s["sample"] for s in wanted["samples"]] == sorted(names)
    assert told(cd.compare(*given, ["elm_f"], samples="doc")) == wanted


def test_samples_of_several_files_are_in_the_order_of_the_files(place: Place) -> None:
    for side in ("truth", "guess"):
        folder = place.folder / side
        parquet(folder / "1.parquet", id=[1, 2, 3], cluster=[1, 1, 2], doc=["z", "z", "y"])
        parquet(folder / "2.parquet", id=[4, 5], cluster=[1, 1], doc=["a", "a"])
        parquet(folder / "3.parquet", id=[6, 7, 8], cluster=[1, 1, 1], doc=["y", "b", "b"])
    given = place.folder / "truth", place.folder / "guess"
    report = cd.compare(*given, ["elm_f"], samples="doc")
    assert cd.compare(*given, ["elm_f"], samples="doc", engine="arrays").samples == (
        "z",
        "y",
        "a",
        "b",
    )
    assert report.samples == ("z", "y", "a", "b")


def test_files_of_a_folder_have_the_same_columns(place: Place) -> None:
    text(place.folder / "t" / "1.csv", "id,cluster\n1,a\n2,a\n")
    text(place.folder / "t" / "2.csv", "cluster,id\na,3\n")
    for engine in (None, "arrays"):
        with pytest.raises(cd.ClusterdiffError, match=r"2.csv names other columns \(cluster,id\)"):
            cd.compare(place.folder / "t", place.folder / "t", engine=engine)
    parquet(place.folder / "p" / "1.parquet", id=[1, 2], cluster=[1, 1])
    parquet(place.folder / "p" / "2.parquet", other=[3], cluster=[1])
    with pytest.raises(cd.ClusterdiffError, match=r"lacks the column 'id'.*2\.parquet"):
        cd.compare(place.folder / "p", place.folder / "p")


COLUMNS = ["a b", "a.b", 'a"b', "a'b", "select", "order", "place", "here", "n", "t", "sample", "é",
           "c0", "*", "[x]", "cluster_id", "filename", "%"]  # fmt: skip


@pytest.mark.parametrize("name", COLUMNS)
def test_columns_may_be_called_anything(name: str, place: Place) -> None:
    wanted = _plain_beside_nulls()
    rows = {"id": [i for i, _ in PLAIN], name: [label for _, label in PLAIN]}
    truth = parquet(place.folder / "truth.parquet", **rows)
    with (place.folder / "truth.csv").open("w", newline="") as file:
        csv.writer(file).writerows([[*rows], *PLAIN])
    guess = _parquet(as_table(NULLS), place, "guess")
    for one in (truth, place.folder / "truth.csv"):
        assert told(cd.compare(f"{one}::{name}", guess, noise=[None])) == wanted
    relation = place.connection.from_arrow(pa.table(rows))
    assert (
        told(cd.compare(relation, place.connection.from_parquet(str(guess)), noise=[None]))
        == wanted
    )


@cache
def _plain_beside_nulls() -> dict[str, Any]:
    return told(cd.compare(dict(PLAIN), dict(NULLS), noise=[None]))


@pytest.mark.parametrize("name", COLUMNS)
def test_samples_may_be_called_anything(name: str, place: Place) -> None:
    table = as_table(DOCS, ("id", "cluster", name))
    wanted = told(cd.compare(table, table, ["elm_f"], samples=name))
    file = _parquet(table, place, "truth")
    assert told(cd.compare(file, file, ["elm_f"], samples=name)) == wanted


FILE_NAMES = ["it's", 'say "x"', "run[1]", "all*", "what?", "{a,b}", "a b;--", "é😀", "a::b", "%41",
              "two\nlines", "~x", "$HOME", "-"]  # fmt: skip


@pytest.mark.parametrize("name", FILE_NAMES)
def test_files_may_be_called_anything(name: str, place: Place) -> None:
    truth, guess = as_table(SHORT), as_table(OTHER)
    wanted = told(cd.compare(truth, guess, align="shared"))
    decoy = parquet(place.folder / "run1.parquet", id=[1], cluster=[2])
    assert decoy.exists()
    for way, other in (("parquet", "csv"), ("json", "gzip")):
        given = WAYS[way](truth, place, f"t{name}"), WAYS[other](guess, place, f"g{name}")
        assert told(cd.compare(given[0], str(given[1]), align="shared")) == wanted, way


@pytest.mark.parametrize("label", [-1, -1.0, "-1", "-1.0", [-1, None], float("nan"), 1.5, True])
@pytest.mark.parametrize("labels", [(-1, -1, 4, 4), ("-1", "-1", "a", "a")])
@pytest.mark.parametrize("kind", ["partition", "cover"])
def test_what_is_noise_in_a_text_file(
    label: Any, labels: tuple[Any, ...], kind: str, place: Place
) -> None:
    truth = text(place.folder / "t.csv", as_csv(as_table(list(enumerate(labels)))))
    guess = text(place.folder / "g.csv", "id,cluster\n0,1\n1,1\n2,1\n3,2\n")
    options: dict[str, Any] = {"noise": label, "kind": kind}
    wanted = cd.meet(truth, guess, engine="arrays", **options)
    found = cd.meet(truth, guess, **options)
    assert (found.digest, found.alignment) == (wanted.digest, wanted.alignment)


@pytest.mark.parametrize("label", [float("inf"), -1.0, True, 2**70, (1, 2), "x", np.int64(2)])
def test_what_is_noise_in_a_typed_file(label: Any, place: Place) -> None:
    truth = parquet(place.folder / "t.parquet", id=[1, 2, 3], cluster=[1, 2, 2])
    guess = parquet(place.folder / "g.parquet", id=[1, 2, 3], cluster=[1.0, -1.0, 0.5])
    wanted = cd.meet(truth, guess, noise=[label], engine="arrays")
    assert cd.meet(truth, guess, noise=[label]) == wanted


def test_numbers_and_text_that_look_alike(place: Place) -> None:
    """In text files 7 and "7" look the same; in typed ones they are two."""
    parquet(place.folder / "i.parquet", id=[1, 2, 3], cluster=[1, 1, 2])
    parquet(place.folder / "s.parquet", id=["1", "2", "3"], cluster=["a", "b", "b"])
    parquet(place.folder / "f.parquet", id=[1.0, 2.0, 3.0], cluster=["a", "b", "b"])
    text(place.folder / "c.csv", "id,cluster\n1,a\n2,b\n3,b\n")
    text(place.folder / "z.csv", "id,cluster\n01,a\n2,b\n3,b\n")
    text(
        place.folder / "j.jsonl",
        '{"id":"1","cluster":1}\n{"id":"2","cluster":2}\n{"id":"3","cluster":2}',
    )
    files = sorted(place.folder.iterdir())
    for truth, guess in combinations(files, 2):
        wanted = outcome(truth, guess, SEVERAL, engine="arrays", align="shared")
        found = outcome(truth, guess, SEVERAL, align="shared")
        assert found == wanted, (truth.name, guess.name)


RECORDS = {
    "nulls": '{"id":1,"cluster":"a"}\n{"id":2,"cluster":null}\n{"id":3}\n',
    "other keys later": '{"id":1,"label":"a"}\n{"id":2,"label":"a","name":"q"}\n'
    '{"id":3,"label":"b","name":"r"}\n',
    "no cluster at first": '{"id":1}\n{"id":2,"cluster":"a"}\n{"id":3,"cluster":"b"}\n',
    "escapes": '{"id":1,"cluster":"\\u00e9"}\n'
    '{"id":2,"cluster":"é"}\n{"id":3,"cluster":"e\\u0301"}',
    "blank lines": '{"id":1,"cluster":1}\n\n{"id":2,"cluster":1}\r\n{"id":3,"cluster":2}\n\n',
    "mixed types": '{"id":1,"cluster":1}\n{"id":2,"cluster":"1"}\n{"id":3,"cluster":1.5}\n',
    "true and one": '{"id":1,"cluster":true}\n{"id":2,"cluster":1}\n{"id":3,"cluster":false}\n',
    "large numbers": '{"id":1,"cluster":18446744073709551615}\n{"id":2,"cluster":1}\n'
    '{"id":3,"cluster":1}\n',
    "text null": '{"id":1,"cluster":"null"}\n{"id":2,"cluster":""}\n{"id":3,"cluster":"b"}\n',
    "a key twice": '{"id":7,"id":1,"cluster":"a"}\n'
    '{"id":2,"cluster":"a"}\n{"id":3,"cluster":"b"}\n',
    "keys in two cases": '{"id":1,"cluster":"a","Cluster":"z"}\n'
    '{"id":2,"cluster":"b","Cluster":"z"}\n{"id":3,"cluster":"b","Cluster":"z"}\n',
    "a list": '[{"id":1,"cluster":"a"},{"id":2,"cluster":"a"},{"id":3,"cluster":"b"}]',
    "not a number": '{"id":1,"cluster":NaN}\n{"id":2,"cluster":2}\n{"id":3,"cluster":3}\n',
}  # fmt: skip


@pytest.mark.parametrize("name", RECORDS)
def test_records(name: str, place: Place) -> None:
    ending = "json" if name == "a list" else "jsonl"
    file = text(place.folder / f"t.{ending}", RECORDS[name])
    truth = f"{file}::cluster" if name == "keys in two cases" else str(file)
    guess = text(place.folder / "g.csv", "id,cluster\n1,x\n2,x\n3,y\n")
    wanted = told(cd.compare(truth, guess, noise=[None], engine="arrays"))
    assert told(cd.compare(truth, guess, noise=[None])) == wanted


@pytest.mark.parametrize("side", ["id", "cluster", "doc"])
@pytest.mark.parametrize(
    "values", [[float("nan"), 2.0, 1.0], [1.0, 2.0, float("nan")], [0.0, -0.0, 1.0]], ids=str
)
def test_what_is_no_number_is_null(side: str, values: list[float], place: Place) -> None:
    columns: dict[str, Any] = {
        "id": [1, 2, 3],
        "cluster": [1, 1, 2],
        "doc": [1, 1, 1],
        side: values,
    }
    file = parquet(place.folder / "t.parquet", **columns)
    for options in ({}, {"noise": [None]}, {"noise": [None], "noise_as": "drop"}):
        given: dict[str, Any] = {"samples": "doc" if side == "doc" else None, **options}
        wanted = outcome(file, file, SEVERAL, engine="arrays", **given)
        assert outcome(file, file, SEVERAL, **given) == wanted, options


@pytest.mark.parametrize(
    "kind",
    [pa.int8(), pa.uint64(), pa.float32(), pa.bool_(), pa.date32(), pa.timestamp("us"), pa.binary(),
     pa.decimal128(21, 2), pa.dictionary(pa.int32(), pa.string()), pa.large_string()],
    ids=str,
)  # fmt: skip
@pytest.mark.parametrize("side", ["id", "cluster"])
def test_types_of_columns(side: str, kind: Any, place: Place) -> None:
    values = pa.array(["0", "1"] if _is_textual(kind) else [0, 1])
    values = values.cast(pa.int32()).cast(kind) if kind == pa.date32() else values.cast(kind)
    other = {"id": pa.array([1, 2]), "cluster": pa.array([5, 5])}
    truth = pa.table({**other, side: values})
    guess = pa.table({**other, "id": truth.column("id"), "cluster": [3, 4]})
    wanted = cd.meet(truth, guess)
    for way in ("parquet", "relation"):
        given = given_as(way, truth, guess, place)
        assert cd.meet(*given) == wanted, way


def _is_textual(kind: Any) -> Any:
    return (
        pa.types.is_dictionary(kind) or pa.types.is_large_string(kind) or pa.types.is_binary(kind)
    )


@pytest.mark.parametrize("side", ["id", "cluster"])
@pytest.mark.parametrize("values", [[[1], [2], [2, 3]], [{"a": 1}, {"a": 2}, {"a": 3}]], ids=str)
def test_values_that_are_no_labels_are_refused(side: str, values: Any, place: Place) -> None:
    truth = pa.table({"id": [1, 2, 3], "cluster": [1, 1, 2], side: pa.array(values)})
    for way in ("arrow", "parquet", "relation"):
        given = WAYS[way](truth, place, "truth")
        refuses("must be hashable", cd.meet, given, given)
