"""Record linkage with splink and dedupe: from pairs and clusters to scores, explanation, diff, page
and gate.

The truth is known for a part of the records alone, and the input columns, a column `cluster` among
them, are carried along into what splink writes.
"""

from __future__ import annotations

import json
import logging
import math
import re
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import networkx as nx
import pytest

import clusterdiff as cd
from cli.runner import run
from journeys.test_table import on_the_page
from oracles import ORACLES
from refusals import refuses

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
    pairs: Any
    """What splink predicts, as it gives it."""
    everyone: dict[str, str]
    """The person of each record."""
    years: dict[str, str]
    """The block of each record."""
    database: Any

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
    for threshold in ("0.5", "0.9", "0.99"):
        found = linker.clustering.cluster_pairwise_predictions_at_threshold(
            pairs, threshold_match_probability=float(threshold)
        )
        tables[threshold] = found
        frame = found.as_pandas_dataframe()
        frame.to_csv(folder / f"at{threshold}.csv", index=False)
        frame.to_parquet(folder / f"at{threshold}.parquet", index=False)
        clusters[threshold] = dict(zip(frame["unique_id"], frame["cluster_id"], strict=True))
    predicted = pairs.as_pandas_dataframe()
    predicted.to_csv(folder / "pairs.csv", index=False)
    predicted.to_parquet(folder / "pairs.parquet", index=False)
    records[["unique_id", "cluster", "year"]].to_csv(folder / "everyone.csv", index=False)
    labelled = records[records["cluster"].str.slice(1).astype(int) < 40]
    labelled[["unique_id", "cluster"]].to_csv(folder / "truth.csv", index=False)
    people = dict(zip(labelled["unique_id"], labelled["cluster"], strict=True))
    everyone = dict(zip(records["unique_id"], records["cluster"], strict=True))
    years = dict(zip(records["unique_id"], records["year"], strict=True))
    return Linked(folder, people, clusters, tables["0.5"], pairs, everyone, years, database)


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
    refuses("cluster_id", cd.compare, linked.people, frame, "elm_f", align="shared")
    bare = frame[["unique_id", "cluster_id"]]
    relation = linked.table.as_duckdbpyrelation().project("unique_id, cluster_id")
    for guess in (bare, relation):
        report = cd.compare(linked.people, guess, "elm_f", align="shared")
        assert float(report["elm_f"]) == pytest.approx(linked.score("elm_f", "0.5"))


def as_sets(labels: dict[str, Any]) -> set[frozenset[str]]:
    clusters: dict[Any, set[str]] = {}
    for record, cluster in labels.items():
        clusters.setdefault(cluster, set()).add(record)
    return {frozenset(one) for one in clusters.values()}


def labels_of(found: Any) -> dict[str, Any]:
    assert isinstance(found, cd.Partition)
    assert found.ids is not None
    return dict(zip(found.ids.tolist(), found.labels.tolist(), strict=True))


WAYS: dict[str, Any] = {
    "splink": lambda linked: linked.pairs,
    "relation": lambda linked: linked.pairs.as_duckdbpyrelation(),
    "pandas": lambda linked: linked.pairs.as_pandas_dataframe(),
    "arrow": lambda linked: linked.pairs.as_duckdbpyrelation().to_arrow_table(),
    "csv": lambda linked: linked.path("pairs.csv"),
    "parquet": lambda linked: linked.path("pairs.parquet"),
}


@pytest.mark.parametrize("threshold", ["0.5", "0.9"])
@pytest.mark.parametrize("way", WAYS)
def test_predictions_make_the_clusters_of_splink(linked: Linked, way: str, threshold: str) -> None:
    """Under the same names too: each is called like the first of its records."""
    found = cd.Partition.from_pairs(WAYS[way](linked), float(threshold), ids=linked.everyone)
    assert labels_of(found) == linked.clusters[threshold]
    named = cd.Partition.from_pairs(WAYS[way](linked), float(threshold))
    assert len(named) < len(found)
    told = "left: unique_id_l, right: unique_id_r, score: match_probability >= "
    assert str(named.origin) == told + threshold
    report = cd.compare(linked.everyone, named, "elm_f", align="singletons")
    score = float(ORACLES["elm_f"](linked.everyone, linked.clusters[threshold]))
    assert report["elm_f"].value == pytest.approx(score)
    assert "objects that no pair names are not in it" in report.head()


def test_weights_link_as_probabilities_do(linked: Linked) -> None:
    by_chance = cd.Partition.from_pairs(linked.pairs, 0.9)
    by_weight = cd.Partition.from_pairs(linked.pairs, math.log2(9), score="match_weight")
    assert labels_of(by_chance) == labels_of(by_weight)
    assert "match_weight 3.16993 is a match_probability of 0.9" in by_weight.notes
    with pytest.raises(cd.ClusterdiffError, match="no pair of the relation scores 9 or more") as no:
        cd.Partition.from_pairs(linked.pairs, 9)
    assert "score='match_weight'" in no.value.hint


@pytest.mark.parametrize("ending", ["csv", "parquet"])
@pytest.mark.parametrize("engine", ["duckdb", "arrays"])
def test_predictions_on_the_command_line(linked: Linked, ending: str, engine: str) -> None:
    files = (linked.path("everyone.csv"), linked.path(f"pairs.{ending}"))
    how = ("--as", "pairs", "--threshold", "0.9", "--align", "singletons", "--engine", engine)
    wanted = {m: float(ORACLES[m](linked.everyone, linked.clusters["0.9"])) for m in MEASURES}
    asked = [flag for m in MEASURES for flag in ("-m", m)]
    ran = run("compare", *files, *how, "-f", "json", *asked)
    assert ran.code == 0, ran.stderr
    found = json.loads(ran.stdout)
    for measure, value in found["guesses"][f"pairs.{ending}"].items():
        assert value["value"] == pytest.approx(wanted[measure])
    assert found["columns"]["guesses"][f"pairs.{ending}"] == {
        "left": "unique_id_l", "right": "unique_id_r", "score": "match_probability",
        "threshold": 0.9, "distance": False,
    }  # fmt: skip
    ran = run("explain", *files, *how, "-f", "json")
    assert json.loads(ran.stdout)["score"]["value"] == pytest.approx(wanted["elm_f"])


def test_every_verb_links_pairs(linked: Linked, tmp_path: Path) -> None:
    truth, pairs = linked.path("everyone.csv"), linked.path("pairs.parquet")
    how = ("--as", "pairs", "--threshold", "0.9")
    alone = (*how, "--align", "singletons")
    score = float(ORACLES["elm_f"](linked.everyone, linked.clusters["0.9"]))
    shown = f"{score:.4f}"
    ran = run("diff", truth, pairs, pairs, *alone)
    assert f"elm_f {shown} -> {shown} (0)" in ran.stdout, ran.stderr
    page = tmp_path / "page.html"
    ran = run("report", truth, pairs, *alone, "-m", "elm_f", "-o", str(page))
    signed = re.search(r"elm_f\(.*?\) = ([\d.]+)", page.read_text(encoding="utf-8"))
    assert signed is not None, ran.stderr
    assert float(signed[1]) == pytest.approx(score)
    assert shown in run("chance", truth, pairs, *alone, "-m", "elm_f", "--draws", "20").stdout
    for verb in ("matrix", "consensus", "track"):
        ran = run(verb, pairs, pairs, *how)
        assert ran.code == 0, ran.stderr
    named = tmp_path / "named.csv"
    ran = run("relabel", pairs, pairs, *how, "-o", str(named))
    assert ran.code == 0, ran.stderr
    with_ids = labels_of(cd.read(named))
    assert as_sets(with_ids) == as_sets({r: linked.clusters["0.9"][r] for r in with_ids})
    ran = run("draw", pairs, *how, "--records", "5", "-o", str(tmp_path / "drawn.csv"))
    assert ran.code == 0, ran.stderr
    ran = run("sweep", truth, pairs, "--as", "pairs", "-m", "elm_f", "--curve", "-")
    rows = [line.split(",") for line in ran.stdout.splitlines()]
    at = rows[0].index("elm_f")
    assert any(float(row[at]) == pytest.approx(score) for row in rows[1:])


def test_blocks_are_samples(linked: Linked) -> None:
    """The block of a record is its year: scores are means over years."""
    each = []
    for year in set(linked.years.values()):
        inside = [record for record, own in linked.years.items() if own == year]
        truth, guess = (
            {record: labels[record] for record in inside}
            for labels in (linked.everyone, linked.clusters["0.9"])
        )
        each.append(float(ORACLES["bcubed_precision"](truth, guess)))
    mean = sum(each) / len(each)
    files = (linked.path("everyone.csv"), linked.path("at0.9.parquet") + "::cluster_id")
    ran = run("compare", *files, "--samples", "year", "-m", "bcubed_precision", "-f", "json")
    assert ran.code == 0, ran.stderr
    score = json.loads(ran.stdout)["guesses"]["at0.9.parquet::cluster_id"]["bcubed_precision"]
    assert score["value"] == pytest.approx(mean)
    pairs = (files[0], linked.path("pairs.parquet"), "--as", "pairs", "--threshold", "0.9")
    ran = run("compare", *pairs, "--align", "singletons", "--samples", "year",
              "-m", "bcubed_precision", "-f", "json")  # fmt: skip
    assert ran.code == 0, ran.stderr
    score = json.loads(ran.stdout)["guesses"]["pairs.parquet"]["bcubed_precision"]
    assert score["value"] == pytest.approx(mean)
    whole = cd.Partition.from_pairs(linked.pairs, 0.9, ids=linked.everyone)
    report = cd.compare(linked.everyone, whole, "bcubed_precision", samples=linked.years)
    assert report["bcubed_precision"].value == pytest.approx(mean)


def test_frames_of_splink_themselves(linked: Linked) -> None:
    with pytest.raises(cd.ClusterdiffError, match="could hold the clusters"):
        cd.compare(linked.people, linked.table, "elm_f", align="shared")
    bare = linked.table.as_pandas_dataframe()[["unique_id", "cluster_id"]]
    table = linked.database.register(bare)
    report = cd.compare(linked.people, {"splink": table}, "elm_f", align="shared")
    assert report["elm_f"].value == pytest.approx(linked.score("elm_f", "0.5"))
    assert "[id: unique_id, cluster: cluster_id]" in report.head()
    assert cd.elm_f(linked.people, table, align="shared") == pytest.approx(
        linked.score("elm_f", "0.5")
    )
    error = refuses("holds pairs of objects", cd.compare, linked.people, linked.pairs)
    assert "cd.Partition.from_pairs(relation, threshold=0.9)" in error.hint


@pytest.fixture(scope="module")
def two_sets(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Any, dict[str, str]]:
    """Two data sets whose records have the same ids: a folder, predictions, and clusters."""
    splink = pytest.importorskip("splink")
    import pandas as pd
    from splink import comparison_library as compare
    from splink.backends.duckdb import DuckDBAPI

    logging.getLogger("splink").setLevel(logging.ERROR)
    rng, database = Random(1), DuckDBAPI()
    people = [
        (rng.choice(FIRST), rng.choice(LAST), str(rng.randrange(1950, 1960))) for _ in range(40)
    ]
    names = ("first_name", "surname", "year")
    sets = {}
    for name in ("here", "there"):
        rows = [dict(zip(names, person, strict=True)) for person in people]
        frame = pd.DataFrame(rows).assign(unique_id=range(40))
        sets[name] = database.register(frame, dataset_display_name=name)
    settings = splink.SettingsCreator(
        link_type="link_only",
        comparisons=[compare.ExactMatch(c) for c in names],
        blocking_rules_to_generate_predictions=[splink.block_on("year")],
        probability_two_random_records_match=0.02,
    )
    linker = splink.Linker(list(sets.values()), settings)
    linker.training.estimate_u_using_random_sampling(max_pairs=1e4, seed=1)
    pairs = linker.inference.predict(threshold_match_probability=0.01)
    clusters = linker.clustering.cluster_pairwise_predictions_at_threshold(
        pairs, threshold_match_probability=0.5
    ).as_pandas_dataframe()
    folder = tmp_path_factory.mktemp("two")
    pairs.as_pandas_dataframe().to_parquet(folder / "pairs.parquet", index=False)
    clusters.to_csv(folder / "clusters.csv", index=False)
    key = clusters["source_dataset"] + "/" + clusters["unique_id"].astype(str)
    return folder, pairs, dict(zip(key, clusters["cluster_id"], strict=True))


def test_ids_of_two_columns_on_both_sides(two_sets: tuple[Path, Any, dict[str, str]]) -> None:
    folder, pairs, clusters = two_sets
    sides: dict[str, Any] = {
        "left": ["source_dataset_l", "unique_id_l"], "right": ["source_dataset_r", "unique_id_r"]
    }  # fmt: skip
    every = [tuple(key.split("/")) for key in clusters]
    for given in (pairs, pairs.as_pandas_dataframe(), folder / "pairs.parquet"):
        found = cd.Partition.from_pairs(given, 0.5, ids=every, **sides)
        assert as_sets(labels_of(found)) == as_sets(clusters)
        error = refuses("links several data sets", cd.Partition.from_pairs, given, 0.5)
        assert "left=['source_dataset_l', 'unique_id_l']" in error.hint
    files = (str(folder / "clusters.csv"), str(folder / "pairs.parquet"))
    by = ("--id", "source_dataset,unique_id", "--cluster", "cluster_id", "--align", "singletons")
    how = ("--as", "pairs", "--threshold", "0.5")
    ran = run("compare", *files, *by, *how, "-m", "elm_f", "-f", "json")
    assert ran.code == 0, ran.stderr
    assert json.loads(ran.stdout)["guesses"]["pairs.parquet"]["elm_f"]["value"] == 1
    named = ("--left", "source_dataset_l,unique_id_l", "--right", "source_dataset_r,unique_id_r")
    ran = run("sweep", *files, *by, *named, "-m", "elm_f", "-f", "json")
    assert ran.code == 0, ran.stderr
    assert json.loads(ran.stdout)["best"]["elm_f"]["value"] == 1


def test_scores_and_clusters_of_dedupe() -> None:
    """dedupe clusters by average linkage and leaves single records out, unless `partition` is
    asked; its scores are an array of pairs.
    """
    clustering = pytest.importorskip("dedupe.clustering")
    import numpy as np

    rng = np.random.default_rng(0)
    kind = np.dtype([("pairs", "<U4", 2), ("score", "f4")])
    rows = []
    for i in range(40):
        for j in range(i + 1, 40):
            near = i // 4 == j // 4
            if near or rng.random() < 0.05:
                score = rng.uniform(0.6, 1) if near else rng.uniform(0, 0.5)
                rows.append(((f"r{i}", f"r{j}"), score))
    scores = np.array(rows, kind)
    people = {f"r{i}": i // 4 for i in range(40)}
    found = list(clustering.cluster(scores.copy(), 0.5))
    labels = {str(r): str(n) for n, (records, _) in enumerate(found) for r in records}
    single = [((r,), (1.0,)) for r in people if r not in labels]
    labels |= {records[0]: f"single {records[0]}" for records, _ in single}
    partition = [(tuple(map(str, ids)), tuple(map(float, sure))) for ids, sure in found] + single
    wanted = float(ORACLES["elm_f"](people, labels))
    assert cd.elm_f(people, partition) == pytest.approx(wanted)
    assert cd.elm_f(people, iter(found), align="singletons") == pytest.approx(wanted)
    report = cd.compare(people, {"dedupe": found}, "elm_f", align="singletons")
    assert report["elm_f"].value == pytest.approx(wanted)
    assert "clusters as (ids, scores)" in report.head()
    refuses("holds no pairs", cd.Partition.from_pairs, partition)
    linked = cd.Partition.from_pairs(scores, 0.55, ids=people)
    assert as_sets(labels_of(linked)) == as_sets({r: str(p) for r, p in people.items()})
    matched = list(clustering.greedyMatching(scores.copy()))
    graph = nx.Graph([pair for pair, score in matched if score >= 0.55])
    graph.add_nodes_from(record for pair, _ in matched for record in pair)
    one_to_one = as_sets(labels_of(cd.Partition.from_pairs(matched, 0.55)))
    assert one_to_one == {frozenset(part) for part in nx.connected_components(graph)}
