"""Record linkage with splink: from its cluster tables to scores, explanation, diff, page and gate.

The truth is known for a part of the records alone, and the input columns, a column `cluster` among
them, are carried along into what splink writes.
"""

from __future__ import annotations

import json
import logging
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import pytest

import clusterdiff as cd
from cli.runner import run
from journeys.test_table import on_the_page
from oracles import ORACLES

FIRST = ("ann", "bob", "cy", "dee", "eve", "fay", "gus", "hal", "ida", "joe")
LAST = ("ash", "birch", "cedar", "elm", "fir", "oak", "pine", "yew")
MEASURES = ("elm_f", "bcubed_precision", "pair_recall", "adjusted_rand")


class Linked(NamedTuple):
    """What splink found, on disk and in its database."""

    folder: Path
    people: dict[str, str]
    """The person of each record that is labelled."""
    clusters: dict[str, dict[str, str]]
    """By threshold, the cluster of each record."""
    table: Any
    """The clusters at the lower threshold, as splink gives them."""

    def path(self, name: str) -> str:
        return str(self.folder / name)

    def score(self, measure: str, threshold: str) -> float:
        """The definition, on the records that are labelled."""
        found = {record: self.clusters[threshold][record] for record in self.people}
        return float(ORACLES[measure](self.people, found))


@pytest.fixture(scope="module")
def linked(tmp_path_factory: pytest.TempPathFactory) -> Linked:
    splink = pytest.importorskip("splink")
    import pandas as pd
    from splink import comparison_library as compare
    from splink.backends.duckdb import DuckDBAPI

    logging.getLogger("splink").setLevel(logging.ERROR)
    records = pd.DataFrame(drawn(Random(0)))
    database = DuckDBAPI()
    settings = splink.SettingsCreator(
        link_type="dedupe_only",
        comparisons=[compare.ExactMatch(c) for c in ("first_name", "surname", "year")],
        blocking_rules_to_generate_predictions=[
            splink.block_on("year"),
            splink.block_on("surname"),
        ],
        additional_columns_to_retain=["cluster"],
        probability_two_random_records_match=0.01,
    )
    linker = splink.Linker(database.register(records), settings)
    linker.training.estimate_u_using_random_sampling(max_pairs=1e4, seed=1)
    pairs = linker.inference.predict(threshold_match_probability=0.01)
    folder = tmp_path_factory.mktemp("linked")
    clusters, tables = {}, {}
    for threshold in ("0.5", "0.99"):
        found = linker.clustering.cluster_pairwise_predictions_at_threshold(
            pairs, threshold_match_probability=float(threshold)
        )
        tables[threshold] = found
        frame = found.as_pandas_dataframe()
        frame.to_csv(folder / f"at{threshold}.csv", index=False)
        frame.to_parquet(folder / f"at{threshold}.parquet", index=False)
        clusters[threshold] = dict(zip(frame["unique_id"], frame["cluster_id"], strict=True))
    labelled = records[records["cluster"].str.slice(1).astype(int) < 40]
    labelled[["unique_id", "cluster"]].to_csv(folder / "truth.csv", index=False)
    people = dict(zip(labelled["unique_id"], labelled["cluster"], strict=True))
    return Linked(folder, people, clusters, tables["0.5"])


def drawn(rng: Random) -> list[dict[str, str | None]]:
    """Records of sixty people, with slips."""
    rows: list[dict[str, str | None]] = []
    for person in range(60):
        first, last, year = rng.choice(FIRST), rng.choice(LAST), rng.randrange(1950, 1990)
        for _ in range(rng.choice([1, 2, 3, 4])):
            rows.append(
                {
                    "unique_id": f"r{len(rows)}",
                    "first_name": first if rng.random() > 0.15 else rng.choice(FIRST),
                    "surname": last if rng.random() > 0.1 else None,
                    "year": str(year),
                    "cluster": f"p{person}",
                }
            )
    return rows


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_a_carried_column_is_not_taken_for_the_clusters(linked: Linked, ending: str) -> None:
    ran = run("compare", linked.path("truth.csv"), linked.path(f"at0.5.{ending}"))
    assert ran.code == 2
    assert "cluster_id" in ran.stderr
    assert f"at0.5.{ending}::cluster" in " ".join(ran.stderr.split())


@pytest.mark.parametrize("ending", ["csv", "parquet"])
@pytest.mark.parametrize("engine", ["duckdb", "arrays"])
def test_scores_on_the_labelled_part(linked: Linked, ending: str, engine: str) -> None:
    low, high = (f"{linked.path(f'at{t}.{ending}')}::cluster_id" for t in ("0.5", "0.99"))
    ran = run(
        "compare", linked.path("truth.csv"), low, high, "--align", "shared", "--engine", engine,
        "-f", "json", *(flag for m in MEASURES for flag in ("-m", m)),
    )  # fmt: skip
    assert ran.code == 0, ran.stderr
    found = json.loads(ran.stdout)["guesses"]
    for threshold in ("0.5", "0.99"):
        scores = found[f"at{threshold}.{ending}::cluster_id"]
        for measure in MEASURES:
            assert scores[measure]["value"] == pytest.approx(linked.score(measure, threshold))


def test_the_header_names_the_columns_and_what_was_left_out(linked: Linked) -> None:
    low = f"{linked.path('at0.5.csv')}::cluster_id"
    ran = run("compare", linked.path("truth.csv"), low, "--align", "shared", "-m", "elm_f")
    told = " ".join(ran.stdout.split())
    assert "unique_id" in told
    assert "cluster_id" in told
    left_out = len(linked.clusters["0.5"]) - len(linked.people)
    assert f"0 objects only in truth, {left_out} only in guess" in told


def test_explanation_of_the_labelled_part(linked: Linked) -> None:
    low = f"{linked.path('at0.5.csv')}::cluster_id"
    ran = run("explain", linked.path("truth.csv"), low, "--align", "shared", "-f", "json",
              "--top", "all")  # fmt: skip
    assert ran.code == 0, ran.stderr
    found = json.loads(ran.stdout)
    score = linked.score("elm_f", "0.5")
    assert found["score"]["value"] == pytest.approx(score)
    assert found["loss"] == pytest.approx(1 - score)
    record = next(iter(linked.people))
    ran = run("explain", linked.path("truth.csv"), low, "--align", "shared", "--object", record)
    assert ran.code == 0, ran.stderr
    assert linked.people[record] in ran.stdout


def test_diff_of_two_thresholds_and_its_gate(linked: Linked) -> None:
    low, high = (f"{linked.path(f'at{t}.csv')}::cluster_id" for t in ("0.5", "0.99"))
    before, after = (linked.score("elm_f", t) for t in ("0.5", "0.99"))
    ran = run("diff", linked.path("truth.csv"), low, high, "--align", "shared", "-f", "json",
              "--fail-on-regression", "elm_f")  # fmt: skip
    change = json.loads(ran.stdout)["scores"]["elm_f"]["change"]
    assert change == pytest.approx(after - before)
    assert ran.code == (1 if after < before else 0), ran.stderr


def test_a_gate_is_not_passed_by_leaving_records_out(linked: Linked, tmp_path: Path) -> None:
    """A run without the records of split people scores higher on what is left, and fails."""
    found = linked.clusters["0.99"]
    whole: dict[str, set[str]] = {}
    for record, person in linked.people.items():
        whole.setdefault(person, set()).add(found[record])
    easy = [r for r in found if len(whole.get(linked.people.get(r, ""), {0})) == 1]
    assert len(easy) < len(found)
    dropped = tmp_path / "dropped.csv"
    dropped.write_text("id,cluster\n" + "".join(f"{r},{found[r]}\n" for r in easy))
    high = f"{linked.path('at0.99.csv')}::cluster_id"
    files = (linked.path("truth.csv"), high, str(dropped))
    ran = run("diff", *files, "--align", "shared", "--fail-on-regression", "elm_f")
    assert ran.code == 1, ran.stdout
    assert "--align" in ran.stderr
    ran = run("compare", files[0], files[2], "--align", "shared", "--fail-under", "elm_f=0.1")
    assert ran.code == 1
    lost = len(set(linked.people) - set(easy))
    assert f"{lost} of {len(linked.people)}" in ran.stderr


def test_a_page_of_both_thresholds(linked: Linked, tmp_path: Path) -> None:
    low, high = (f"{linked.path(f'at{t}.parquet')}::cluster_id" for t in ("0.5", "0.99"))
    page = tmp_path / "page.html"
    ran = run("report", linked.path("truth.csv"), low, high, "--align", "shared", "-m", "elm_f",
              "-o", str(page))  # fmt: skip
    assert ran.code == 0, ran.stderr
    shown = on_the_page(page.read_text(encoding="utf-8"), ["0.5", "0.99"])
    for threshold, score in shown.items():
        assert score == pytest.approx(linked.score("elm_f", threshold), abs=5.1e-5)


def test_frames_and_relations_from_python(linked: Linked) -> None:
    frame = linked.table.as_pandas_dataframe()
    with pytest.raises(cd.ClusterdiffError, match="cluster_id"):
        cd.compare(linked.people, frame, "elm_f", align="shared")
    bare = frame[["unique_id", "cluster_id"]]
    relation = linked.table.as_duckdbpyrelation().project("unique_id, cluster_id")
    for guess in (bare, relation):
        report = cd.compare(linked.people, guess, "elm_f", align="shared")
        assert float(report["elm_f"]) == pytest.approx(linked.score("elm_f", "0.5"))
