"""What may be meant otherwise, however it is handed in: the same score and the same note, or a
refusal in words.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import clusterdiff as cd

NAN = float("nan")
IDS = [*"abcdef"]
TRUTH = ["t", "t", "u", "u", "v", "v"]


def frame(ids: Any, labels: Any) -> Any:
    return pl.DataFrame({"id": ids, "cluster": labels}, strict=False, nan_to_null=False)


def csv(file: Path, ids: Any, labels: Any) -> str:
    pd.DataFrame({"id": ids, "cluster": labels}).to_csv(file.with_suffix(".csv"), index=False)
    return str(file.with_suffix(".csv"))


def parquet(file: Path, ids: Any, labels: Any) -> str:
    frame(ids, labels).write_parquet(file.with_suffix(".parquet"))
    return str(file.with_suffix(".parquet"))


def records(file: Path, ids: Any, labels: Any) -> list[str]:
    return [json.dumps({"id": i, "cluster": x}) for i, x in zip(ids, labels, strict=True)]


def lines(file: Path, ids: Any, labels: Any) -> str:
    file.with_suffix(".jsonl").write_text("\n".join(records(file, ids, labels)))
    return str(file.with_suffix(".jsonl"))


def document(file: Path, ids: Any, labels: Any) -> str:
    file.with_suffix(".json").write_text(f"[{', '.join(records(file, ids, labels))}]")
    return str(file.with_suffix(".json"))


TABLES: dict[str, Callable[..., Any]] = {
    "dict": lambda _, ids, labels: dict(zip(ids, labels, strict=True)),
    "pandas": lambda _, ids, labels: pd.DataFrame({"id": ids, "cluster": labels}),
    "polars": lambda _, ids, labels: frame(ids, labels),
    "lazy": lambda _, ids, labels: frame(ids, labels).lazy(),
    "arrow": lambda _, ids, labels: frame(ids, labels).to_arrow(),
    "relation": lambda _, ids, labels: duckdb.from_arrow(frame(ids, labels).to_arrow()),
    "csv": csv,
    "parquet": parquet,
    "jsonl": lines,
    "json": document,
}
"""A table of ids and labels, as users have it."""
PLAIN: dict[str, Callable[..., Any]] = {
    "list": lambda _, ids, labels: labels,
    "tuple": lambda _, ids, labels: tuple(labels),
    "numpy": lambda _, ids, labels: np.array(labels),
    "objects": lambda _, ids, labels: np.array(labels, object),
    "series": lambda _, ids, labels: pd.Series(labels),
    "column": lambda _, ids, labels: pl.Series(labels),
    "array": lambda _, ids, labels: pa.array(labels),
}
"""Labels without ids."""
FORMS = {**TABLES, **PLAIN}
FILES = ("csv", "parquet", "jsonl", "json")
ENGINES = [(form, "") for form in FORMS] + [(form, "arrays") for form in FILES]


def pair_f(truth: Any, guess: Any) -> Any:
    """The definition, pair by pair; null is a cluster of its own."""

    def together(labels: Any) -> set[tuple[int, int]]:
        pairs = ((a, b) for a in range(len(labels)) for b in range(a))
        return {(a, b) for a, b in pairs if labels[a] is not None and labels[a] == labels[b]}

    one, two = together(truth), together(guess)
    return 2 * len(one & two) / (len(one) + len(two))


def compared(truth: Any, guess: Any, measure: str = "pair_f", **options: Any) -> Any:
    """The score, and what is said of how the guess was read; or that alone, if it was refused."""
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        try:
            report = cd.compare(truth, guess, [measure], **options)
        except cd.ClusterdiffError as error:
            return None, str(error)
    notes = json.loads(report.to_json()).get("notes", [])
    assert all(" ".join(note.split()) in " ".join(str(report).split()) for note in notes)
    return report[measure].value, " ".join([*notes, *(str(one.message) for one in warned)])


FRACTIONS = np.random.default_rng(1).normal(size=6).tolist()
LABELS: dict[str, tuple[list[Any], str, dict[str, str]]] = {
    "-1": ([-1, -1, -1, 0, 1, 1], "-1 is taken as a cluster of 3 objects", {}),
    "-1.0": ([-1.0, -1.0, -1.0, 0.0, 1.0, 1.0], " is taken as a cluster of 3 objects", {}),
    "'-1'": (["-1", "-1", "-1", "0", "1", "1"], "-1 is taken as a cluster of 3 objects", {}),
    "'-1.0'": (["-1.0", "-1.0", "0.0", "0.0", "1.0", "1.0"], "-1.0 is taken as a cluster", {}),
    "fractions": (FRACTIONS, "look like continuous values", {}),
    "empty": (["", "", "b", "b", "c", "c"], "the empty text is taken", {"csv": "null"}),
    "blank": (["a", "a ", "b", "b", "c", "c"], "'a ' and 'a'", {}),
    "zeros": (["1", "01", "2", "2", "3", "3"], "'01' and '1'", {}),
    "point": (["1", "1.0", "2", "2", "3", "3"], "'1.0' and '1'", {}),
    "sign": (["0.0", "-0.0", "2", "2", "3", "3"], "the sign of zero", {}),
    "plain": (["a", "a", "a", "b", "c", "c"], "", {}),
    "whole": ([1.0, 1.0, 2.0, 2.0, 3.0, 4.0], "", {}),
}


@pytest.mark.parametrize(("form", "engine"), ENGINES)
@pytest.mark.parametrize("name", LABELS)
def test_labels(name: str, form: str, engine: str, tmp_path: Path) -> None:
    labels, said, refused = LABELS[name]
    ids = list(range(6)) if form in PLAIN else IDS
    made = FORMS[form](tmp_path / "guess", ids, labels)
    truth = TRUTH if form in PLAIN else TABLES[form](tmp_path / "truth", IDS, TRUTH)
    score, told = compared(truth, made, engine=engine or None)
    if form in refused:
        assert score is None
        assert refused[form] in told
    else:
        assert score == pytest.approx(pair_f(TRUTH, labels)), told
        assert said in told if said else not told


@pytest.mark.parametrize(("form", "engine"), ENGINES)
@pytest.mark.parametrize("noise", [None, 0])
def test_zeros_are_one_label(form: str, engine: str, noise: Any, tmp_path: Path) -> None:
    """-0.0 and 0.0 are one number, as label, as id and as noise; as texts of a file they are two,
    which is said.
    """
    labels = [-0.0, 0.0, 1.0, 1.0, 2.0, 2.0]
    truth, guess = (
        FORMS[form](tmp_path / name, [zero, 1.0, 2.0, 3.0, 4.0, 5.0], own)
        for name, zero, own in (("t", 0.0, [0.0, *labels[1:]]), ("g", -0.0, labels))
    )
    score, told = compared(truth, guess, engine=engine or None, noise=noise)
    if form == "csv":
        assert score is None
        assert "1 of them differs from the other side only in the sign of zero" in told
    else:
        assert score == 1, told


REPEATED: dict[str, tuple[list[Any], str]] = {
    "number": ([2.0, NAN], "in more than one cluster (f is in 2.0 and in None)"),
    "missing": ([NAN, NAN], ""),
    "null": ([NAN, None], ""),
}


@pytest.mark.parametrize(("form", "engine"), ENGINES)
@pytest.mark.parametrize("name", REPEATED)
def test_rows_that_repeat_without_a_label(
    name: str, form: str, engine: str, tmp_path: Path
) -> None:
    if form == "dict" or form in PLAIN:
        pytest.skip("an id cannot occur twice")
    last, said = REPEATED[name]
    made = TABLES[form](tmp_path / "guess", [*IDS, "f"], [0.0, 0.0, 1.0, 1.0, 2.0, *last])
    truth = TABLES[form](tmp_path / "truth", IDS, TRUTH)
    for noise in (None, [None]):
        score, told = compared(truth, made, engine=engine or None, noise=noise)
        if said or noise is None:
            assert score is None
            assert (said or "1 of 6 labels in guess is null") in told.replace("'", "")
        else:
            assert score == pytest.approx(pair_f(TRUTH, [0, 0, 1, 1, 2, None]))


WRITTEN = {
    "leading zeros": (["007", "008"], ["7", "8"]),
    "blanks around them": (["a ", "b "], ["a", "b"]),
    "capitals": (["A", "B"], ["a", "b"]),
    ".0 at the end": (["7.0", "8.0"], ["7", "8"]),
    "the sign of zero": (["-0.0", "k"], ["0.0", "l"]),
}


@pytest.mark.parametrize("align", ["exact", "shared", "singletons", "penalise"])
@pytest.mark.parametrize("what", WRITTEN)
def test_ids_that_differ_in_writing(what: str, align: str, tmp_path: Path) -> None:
    labels = [1, 1, 2, 2, 3, 3]
    for form, kind in product(TABLES, ("partition", "cover")):
        one, two = (
            TABLES[form](tmp_path / f"{form}{at}", [*ids, *"wxyz"], labels)
            for at, ids in enumerate(WRITTEN[what])
        )
        measure = "bcubed_f" if kind == "partition" else "extended_bcubed_f"
        score, told = compared(one, two, measure, align=align, kind=kind)
        assert (score is None) == (align == "exact"), told
        assert f"only in {what}" in told, (form, told)


SETS = {
    "braces": ["{1}", "{1,2}", "{2}"],
    "spaces": ["1", "{ 1, 2 }", "2"],
    "empty": ["1", "∅", "2"],
    "empty braces": ["1", "{}", "2"],
    "commas": ["1", "1,2", "2"],
    "bars": ["1|2", "2|3", "1|3"],
    "semicolons": ["1", "1;2", "2"],
    "list": ["1", "[1, 2]", "2"],
    "repr": ["1", "{'1', '2'}", "2"],
    "frozenset": ["1", "frozenset({1, 2})", "2"],
}


@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize("kind", ["cover", "rough", "evidential"])
def test_sets_that_are_written_as_text(name: str, kind: str, tmp_path: Path) -> None:
    measure = {"cover": "omega", "rough": "rand_alpha"}.get(kind, "pair_f")
    for form, engine in product(TABLES, ("", "arrays")):
        made = TABLES[form](tmp_path / form, [*"abc"], SETS[name])
        score, told = compared(made, made, measure, kind=kind, engine=engine or None)
        assert score is None, (form, engine)
        assert "look like sets of clusters" in told or "looks like a set of clusters" in told


@pytest.mark.parametrize("kind", ["cover", "rough"])
def test_names_with_marks_are_names(kind: str, tmp_path: Path) -> None:
    measure = {"cover": "omega", "rough": "rand_alpha"}[kind]
    labels = ["Smith, Anna", "Doe, John", "a|b", "(c) 2020", "[d]"]
    for form, engine in product(TABLES, ("", "arrays")):
        made = TABLES[form](tmp_path / form, [*"abcde"], labels)
        score, told = compared(made, made, measure, kind=kind, engine=engine or None)
        assert score is not None, told


BITS = [[1, 0], [1, 1], [0, 1]]
MATRICES: dict[str, Callable[[Any], Any]] = {
    "lists": list,
    "tuples": lambda rows: [*map(tuple, rows)],
    "tuple": lambda rows: tuple(map(tuple, rows)),
    "numpy": np.array,
    "bools": lambda rows: np.array(rows) == 1,
    "series": pd.Series,
    "column": pl.Series,
    "arrow": pa.array,
    "rows": lambda rows: [*np.array(rows)],
}


@pytest.mark.parametrize("form", MATRICES)
def test_bits_are_a_matrix(form: str) -> None:
    made = MATRICES[form](BITS)
    both = {frozenset({0, 1}): 1.0}
    assert [cd.Rough(made).of(i) for i in range(3)] == [
        {frozenset({0}): 1.0}, both, {frozenset({1}): 1.0}
    ]  # fmt: skip
    assert cd.omega(cd.Cover(made), cd.Cover([{0}, {0, 1}, {1}])) == 1
    masses = cd.Evidential([[0.5, 0.3, 0.2]], focal=made)
    wanted = {frozenset({0}): 0.5, frozenset({0, 1}): 0.3, frozenset({1}): 0.2}
    assert masses.of(0) == wanted


@pytest.mark.parametrize("kind", ["cover", "rough"])
def test_lists_of_bits_in_tables(kind: str, tmp_path: Path) -> None:
    measure = {"cover": "omega", "rough": "rand_alpha"}[kind]
    wanted = {"a": {0}, "b": {0, 1}, "c": {1}}
    for form, engine in product(set(TABLES) - {"csv"}, ("", "arrays")):
        if form == "pandas":
            made: Any = pd.DataFrame({"id": [*"abc"], "cluster": BITS})
        else:
            made = TABLES[form](tmp_path / form, [*"abc"], BITS)
        score, told = compared(wanted, made, measure, kind=kind, engine=engine or None)
        same, _ = compared(wanted, wanted, measure, kind=kind)
        assert score == same, (form, told)
        assert "read as a matrix with one column per cluster" in told, form


MEMBERS = [("a", "b"), ("c",)], [("a",), ("b", "c")]


@pytest.mark.parametrize("form", ["list", "tuple", "objects", "series", "lists", "iterator"])
def test_tuples_are_clusters_in_every_form(form: str) -> None:
    def made(groups: Any) -> Any:
        if form == "objects":
            found = np.empty(len(groups), object)
            found[:] = groups
            return found
        return {"tuple": tuple, "series": pd.Series, "lists": lambda g: [*map(list, g)],
                "iterator": iter}.get(form, list)(groups)  # fmt: skip

    assert cd.pair_f(*map(made, MEMBERS)) == 0
    score, told = compared(*map(made, MEMBERS))
    assert score == 0
    assert "read as 2 clusters, each given by its members" in told


def test_tuples_of_ids_are_refused_where_they_can_be_several_labels() -> None:
    score, told = compared({1: ("a", "b"), 2: ("c",)}, {1: ("a",), 2: ("b", "c")})
    assert score is None
    assert "2 ids have tuples of several lengths" in told
    assert compared({1: ("a", 1), 2: ("a", 1), 3: ("b", 1)}, {1: 0, 2: 0, 3: 1})[0] == 1


def test_a_mixed_folder_of_text_is_not_read_by_place(tmp_path: Path) -> None:
    """Files of one table name the same columns in the same order."""
    for name, text in (("a", "id,cluster\n1,1\n2,1\n"), ("b", "cluster,id\n3,2\n4,2\n")):
        (tmp_path / f"{name}.csv").write_text(text)
    score, told = compared(str(tmp_path), str(tmp_path))
    assert score is None
    assert "names other columns (cluster,id)" in told
