"""Records drawn from a run and labelled: those who look at the listed lines alone are warned."""

from __future__ import annotations

import csv
import json
import os
import warnings
from pathlib import Path
from typing import Any

import pytest

import clusterdiff as cd
from cli.runner import run as command
from clusterdiff.sampling.sample import OTHERS
from journeys.places import DATA

TABLE = DATA / "rldata10000.csv"
pytestmark = pytest.mark.skipif(not TABLE.exists(), reason="the data sets are not here")
MEASURE = "bcubed_recall"
LISTED = "only the listed lines were filled in"
Rows = list[dict[str, Any]]


@pytest.fixture(scope="module")
def records() -> Rows:
    with TABLE.open() as file:
        return list(csv.DictReader(file))


@pytest.fixture(scope="module")
def persons(records: Rows) -> dict[str, str]:
    return {row["record"]: row["identity"] for row in records}


@pytest.fixture(scope="module")
def runs(records: Rows, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The run that records are drawn from, and another one."""
    folder = tmp_path_factory.mktemp("runs")
    for name in ("name_by", "name_bd"):
        lines = [f"{row['record']},{row[name]}" for row in records]
        (folder / f"{name}.csv").write_text("\n".join(["id,cluster", *lines]) + "\n")
    return folder / "name_by.csv", folder / "name_bd.csv"


@pytest.fixture(scope="module")
def drawn(runs: tuple[Path, Path]) -> Rows:
    out = runs[0].parent / "to_label.csv"
    assert (
        command("draw", str(runs[0]), "--records", "300", "--seed", "1", "-o", str(out)).code == 0
    )
    with out.open() as file:
        return list(csv.DictReader(file))


def labelled(drawn: Rows, persons: dict[str, str], how: str) -> Rows:
    """What a person writes: names in the listed lines; the members that have none in cells or in
    lines of their own; or nothing of these.
    """
    people = {persons[row["id"]] for row in drawn if row["hits"] != "0"}
    listed = {row["id"] for row in drawn}
    missing: dict[str, list[str]] = {person: [] for person in people}
    for record, person in persons.items():
        if person in people and record not in listed:
            missing[person].append(record)
    rows = [dict(row) for row in drawn]
    for row in rows:
        person = persons[row["id"]]
        row["truth"] = person if person in people or how == "every listed line" else ""
        if how == "cells" and row["hits"] != "0":
            row[OTHERS] = "; ".join(missing[person]) or "none"
    if how == "lines":
        rows += [{"id": one, "truth": who} for who, some in missing.items() for one in some]
    return rows


def written(path: Path, rows: Rows) -> str:
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]), restval="")
        writer.writeheader()
        writer.writerows(rows)
    return str(path)


def whole_score(persons: dict[str, str], records: Rows, name: str) -> float:
    return float(cd.bcubed_recall(persons, {row["record"]: row[name] for row in records}))


@pytest.mark.parametrize("how", ["listed lines", "every listed line"])
def test_those_who_fill_in_the_listed_lines_alone_are_warned(
    how: str, drawn: Rows, records: Rows, persons: dict[str, str], runs: Any, tmp_path: Path
) -> None:
    filled = written(tmp_path / "filled.csv", labelled(drawn, persons, how))
    for run in runs:
        with pytest.warns(cd.ClusterdiffWarning, match=LISTED):
            found = cd.estimate(filled, run, MEASURE, design="records")[MEASURE]
        assert found.value > whole_score(persons, records, run.stem) + 0.04
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        flags = ("--design", "records", "-m", MEASURE)
        ran = command("estimate", filled, *map(str, runs), *flags)
        alike = command("estimate", filled, str(runs[0]), "--design", "clusters", "-m", MEASURE)
    assert ran.code == 0
    assert LISTED in ran.stderr
    assert OTHERS in ran.stderr
    assert "Hint: --design records if records were drawn" in alike.stderr


@pytest.mark.parametrize("how", ["lines", "cells"])
@pytest.mark.parametrize("engine", ["duckdb", "arrays"])
def test_those_who_name_all_members_are_not(
    how: str, engine: str, drawn: Rows, records: Rows, persons: Any, runs: Any, tmp_path: Path
) -> None:
    filled = written(tmp_path / "filled.csv", labelled(drawn, persons, how))
    flags = ("--design", "records", "-m", MEASURE, "--engine", engine, "-f", "json")
    ran = command("estimate", filled, *map(str, runs), *flags)
    assert (ran.code, ran.stderr) == (0, "")
    for run in runs:
        found = json.loads(ran.stdout)["guesses"][run.name][MEASURE]
        whole = whole_score(persons, records, run.stem)
        assert abs(found["value"] - whole) < 3 * found["ci"]["se"]
    if os.name == "posix":
        read, write = os.pipe()
        with open(read, "rb"), open(write, "wb") as pipe:
            pipe.write(Path(filled).read_bytes()[:60_000])
            pipe.close()
            shown = command("estimate", f"/dev/fd/{read}", str(runs[0]), *flags)
        assert (
            json.loads(shown.stdout)["guesses"][runs[0].name][MEASURE]
            == json.loads(command("estimate", filled, str(runs[0]), *flags).stdout)["guesses"][
                runs[0].name
            ][MEASURE]
        )


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_frames_and_lists_of_hits(
    library: str, drawn: Rows, persons: dict[str, str], runs: Any
) -> None:
    made = cd.draw(str(runs[0]), 300, seed=1)
    assert [row[OTHERS] or "" for row in made.records()] == [row[OTHERS] for row in drawn]
    values = {}
    for how in ("lines", "cells", "listed lines"):
        rows = labelled(drawn, persons, how)
        columns = {name: [row.get(name) or None for row in rows] for name in drawn[0]}
        frame = _frame(columns, library)
        hits = [row["id"] for row in drawn for _ in range(int(row["hits"]))]
        labels = {row["id"]: row["truth"] or None for row in rows}
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            values[how] = [
                cd.estimate(frame, str(runs[0]), MEASURE, design="records")[MEASURE].value,
                *(
                    cd.estimate(labels, str(runs[0]), MEASURE, design="records", hits=hits)[
                        MEASURE
                    ].value
                    for _ in range(how != "cells")
                ),
            ]
        assert [LISTED in str(one.message) for one in said] == (
            [True, True] if how == "listed lines" else []
        )
        assert len(set(values[how])) == 1
    assert values["lines"][0] == values["cells"][0] < 0.95 < values["listed lines"][0]


def _frame(columns: dict[str, list[Any]], library: str) -> Any:
    if library == "pyarrow":
        import pyarrow

        return pyarrow.table(columns)
    module = pytest.importorskip(library)
    return module.DataFrame(columns)


def test_a_whole_truth_is_not_suspected(
    drawn: Rows, records: Rows, persons: dict[str, str], runs: Any
) -> None:
    """Neither one that has all records, nor one that has whole clusters and nothing else."""
    hits = [row["id"] for row in drawn for _ in range(int(row["hits"]))]
    run = {row["record"]: row["name_by"] for row in records}
    people = {persons[id] for id in hits}
    some = {id: person for id, person in persons.items() if person in people}
    guesses = {"run": run, "right": persons, "one": dict.fromkeys(persons, 1)}
    for sample in (persons, some):
        for guess in guesses.values():
            cd.estimate(sample, guess, MEASURE, design="records", hits=hits)
    cd.estimate(some, guesses, MEASURE, design="clusters")


def test_members_as_er_evaluation_estimates_them(
    drawn: Rows, records: Rows, persons: dict[str, str], runs: Any
) -> None:
    """Its ratios are corrected for a small bias."""
    estimators = pytest.importorskip("er_evaluation.estimators")
    import pandas as pd

    rows = labelled(drawn, persons, "lines")
    sample = pd.Series({row["id"]: row["truth"] for row in rows if row["truth"]})
    prediction = pd.Series({row["record"]: row["name_by"] for row in records})
    weights = (1 / sample.value_counts()).to_dict()
    asked = ["pair_recall", "pair_precision"]
    ours = cd.estimate(sample.to_dict(), str(runs[0]), asked, design=weights)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for measure, name in zip(asked, ("pairwise_recall", "pairwise_precision"), strict=True):
            estimate = getattr(estimators, f"{name}_estimator")
            value, error = estimate(prediction, sample, weights="cluster_size")
            assert ours[measure].value == pytest.approx(value, abs=0.005)
            assert ours[measure].ci.se == pytest.approx(error, rel=0.1)
