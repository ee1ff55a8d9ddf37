"""Many clusterings at once, on real data: releases of inventors, scored pairs of records, labels
of cells and communities of networks, from Python and from the command.
"""

from __future__ import annotations

import csv
import gzip
import io
import json
from itertools import combinations, pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import clusterdiff as cd
from cli.runner import Ran, run
from journeys.places import DATA
from oracles.many.draws import mapping

pytestmark = pytest.mark.skipif(not DATA.exists(), reason="the data sets are not here")

RELEASES = ["pred_20170808", "pred_20181127", "pred_20191231", "pred_20211230", "pred_20220630"]


def fine(*arguments: str, stdin: bytes = b"", width: int = 80) -> Ran:
    """A command that ends well, with no line that does not fit."""
    ran = run(*arguments, stdin=stdin, columns=width)
    assert ran.code == 0, ran.stderr
    return ran


def rows_of(path: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(path.read_text(encoding="utf-8"))))


# PatentsView: five releases of a disambiguation of inventors.


@pytest.fixture(scope="module")
def inventors() -> pl.DataFrame:
    frame = pl.read_parquet(DATA / "patentsview_inventors.parquet")
    return frame.with_row_index("mention")


@pytest.fixture(scope="module")
def releases(inventors: pl.DataFrame) -> dict[str, cd.Partition]:
    """Each release without the mentions it lacks."""
    made = {}
    for name in RELEASES:
        own = inventors.filter(pl.col(name) != -1)
        made[name] = cd.Partition(own[name].to_numpy(), ids=own["mention"].to_numpy())
    return made


@pytest.fixture(scope="module")
def release_files(inventors: pl.DataFrame, tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    folder = tmp_path_factory.mktemp("releases")
    paths = []
    for place, name in enumerate(RELEASES):
        own = inventors.filter(pl.col(name) != -1).select("mention", cluster=name)
        own = own.sample(fraction=1, shuffle=True, seed=place)
        paths.append(folder / f"{name}.{'parquet' if place % 2 else 'csv'}")
        if place % 2:
            own.write_parquet(paths[-1])
        else:
            own.write_csv(paths[-1])
    return paths


def test_inventors_keep_the_most_ids_possible(releases: dict[str, cd.Partition]) -> None:
    shares, shared = [], []
    for old, new in pairwise(RELEASES):
        done = cd.relabel(releases[old], releases[new])
        shares.append(round(100 * done.share, 1))
        shared.append(done.shared)
        assert done.share == cd.accuracy(releases[old], releases[new], align="shared")
    assert shares == [83.4, 96.0, 84.1, 94.0]
    assert (min(shared), max(shared)) == (84_749, 130_097)


def test_events_of_inventors_add_up(releases: dict[str, cd.Partition]) -> None:
    story = cd.track(releases)
    counts = dict(story.steps[0].counts)
    wanted = {"same": 6990, "grown": 1202, "split": 685, "merged": 434, "mixed": 393, "born": 1242}
    assert {event: counts[event] for event in wanted} == wanted
    for step, (old, new) in zip(story.steps, pairwise(RELEASES), strict=True):
        before, after = set(mapping(releases[old])), set(mapping(releases[new]))
        total = {
            what: sum(int(event[what]) for event in step.events)
            for what in ("stayed", "moved", "gone", "arrived")
        }
        assert total["stayed"] + total["moved"] == len(before & after)
        assert total["gone"] == len(before - after)
        assert total["arrived"] == len(after - before)
    assert len(story.to_frame("objects")) > 100_000


def test_inventors_through_the_command(
    releases: dict[str, cd.Partition], release_files: list[Path], tmp_path: Path
) -> None:
    old, new = map(str, release_files[:2])
    out, table, redirects = (tmp_path / f"{name}.csv" for name in ("out", "ids", "redirects"))
    ran = fine("relabel", old, new, "-o", str(out), "--table", str(table), "--redirects",
               str(redirects), "--fail-under", "kept=0.8")  # fmt: skip
    assert "83.4" in ran.stdout + ran.stderr
    done = cd.relabel(releases[RELEASES[0]], releases[RELEASES[1]])
    written = {int(row[key]): int(row["cluster"]) for row in rows_of(out) for key in list(row)[:1]}
    assert written == mapping(done.clustering)
    assert len(rows_of(redirects)) == len(done.redirects)
    failed = run("relabel", old, new, "--fail-under", "kept=0.9")
    assert failed.code == 1
    assert "below 0.9" in failed.stderr
    told = fine("track", *map(str, release_files))
    assert "6,990" in told.stdout
    assert max(map(len, told.stdout.splitlines())) <= 80


def test_columns_of_the_file_as_it_is(releases: dict[str, cd.Partition]) -> None:
    """Rows are objects, -1 says that a release lacks one."""
    path = DATA / "patentsview_inventors.parquet"
    flags = ("--no-id", "--noise=-1", "-f", "json")
    steps = json.loads(fine("track", f"{path}::pred_*", *flags).stdout)["steps"]
    assert [round(100 * step["kept"], 1) for step in steps] == [83.4, 96.0, 84.1, 94.0]
    for step, own in zip(steps, cd.track(releases).steps, strict=True):
        assert {event: step[event] for event in own.counts} == dict(own.counts)
    found = json.loads(fine("relabel", *(f"{path}::{r}" for r in RELEASES[:2]), *flags).stdout)
    assert found["kept"] == cd.relabel(*(releases[r] for r in RELEASES[:2])).kept
    every = json.loads(fine("matrix", f"{path}::pred_*", "--noise-as", "drop", *flags).stdout)
    for (i, a), (j, b) in combinations(enumerate(RELEASES), 2):
        wanted = cd.adjusted_rand(releases[a], releases[b], align="shared")
        assert every["values"][i][j] == wanted


@pytest.mark.filterwarnings("ignore:Only .* objects have a truth")
def test_relabelled_inventors_score_as_before(
    inventors: pl.DataFrame, releases: dict[str, cd.Partition], tmp_path: Path
) -> None:
    known = inventors.filter(pl.col("reference") != -1)
    truth = cd.Partition(known["reference"].to_numpy(), ids=known["mention"].to_numpy())
    new = releases[RELEASES[1]]
    done = cd.relabel(releases[RELEASES[0]], new)
    for measure in ("elm_f", "adjusted_rand"):
        before = cd.compare(truth, new, measure, align="shared")[measure].value
        after = cd.compare(truth, done.clustering, measure, align="shared")[measure].value
        assert before == after


def test_consensus_of_the_releases(inventors: pl.DataFrame) -> None:
    """Mentions that all five releases have."""
    every = inventors.filter(pl.all_horizontal(pl.col(name) != -1 for name in RELEASES))
    assert len(every) == 84_749
    m = cd.matrix(every.select("mention", *RELEASES), "adjusted_rand")
    assert len(m.profiles.count) == 15_994
    a, b = RELEASES[:2]
    assert m.values[0][1] == cd.adjusted_rand(every[a], every[b])


@pytest.mark.slow
def test_consensus_of_the_releases_is_near_its_bound(inventors: pl.DataFrame) -> None:
    every = inventors.filter(pl.all_horizontal(pl.col(name) != -1 for name in RELEASES))
    c = cd.consensus(every.select("mention", *RELEASES))
    assert c.confidence is None
    assert c.gap <= 0.0003
    found = cd.Partition(every[RELEASES[0]], ids=every["mention"])
    assert dict(c.distances)[RELEASES[0]] == cd.mirkin_distance(c.clustering, found)


# Febrl: scored pairs made of four exact-match baselines.


@pytest.fixture(scope="module")
def people() -> pd.DataFrame:
    return pd.read_csv(DATA / "febrl3.csv")


@pytest.fixture(scope="module")
def scored(people: pd.DataFrame) -> pd.DataFrame:
    """Pairs that agree in something, scored by how much; the numbers of the ids decide ties."""
    weights = {
        "same_soc_sec": 0.4,
        "same_name_dob": 0.3,
        "same_name": 0.2,
        "same_surname_postcode": 0.1,
    }
    parts = []
    for column, weight in weights.items():
        own = people[["rec_id", column]]
        both = own.merge(own, on=column, suffixes=("_l", "_r"))
        both = both[both["rec_id_l"] < both["rec_id_r"]]
        parts.append(both[["rec_id_l", "rec_id_r"]].assign(match_probability=weight))
    pairs = pd.concat(parts).groupby(["rec_id_l", "rec_id_r"], as_index=False).sum()
    pairs["match_probability"] = pairs["match_probability"].round(2)
    return pairs.rename(columns={"rec_id_l": "unique_id_l", "rec_id_r": "unique_id_r"})


def components(pairs: pd.DataFrame, ids: pd.Series[Any], threshold: float) -> dict[Any, int]:
    """Clusters by SciPy."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    place = {x: i for i, x in enumerate(ids)}
    strong = pairs[pairs["match_probability"] >= threshold]
    left, right = (strong[c].map(place).to_numpy() for c in ("unique_id_l", "unique_id_r"))
    graph = coo_array((np.ones(len(strong)), (left, right)), shape=(len(place), len(place)))
    return dict(zip(ids, connected_components(graph)[1].tolist(), strict=True))


def test_a_threshold_for_people(people: pd.DataFrame, scored: pd.DataFrame) -> None:
    truth = people[["rec_id", "entity"]].rename(columns={"rec_id": "id", "entity": "cluster"})
    names = ["elm_f", "pair_f", "adjusted_rand", "vi_distance"]
    curve = cd.sweep(truth, scored, names)
    levels = [t for t in curve.thresholds.tolist() if np.isfinite(t)]
    assert levels == sorted(levels, reverse=True)
    known = dict(zip(people["rec_id"], people["entity"], strict=True))
    for line, threshold in enumerate(levels, start=1):
        guess = components(scored, people["rec_id"], threshold)
        report = cd.compare(known, guess, names)
        for name in names:
            assert curve[name][line] == pytest.approx(report[name].value, abs=1e-12)
        assert curve.clusters[line] == len(set(guess.values()))
    found = curve.best("elm_f")
    assert found.value == pytest.approx(curve["elm_f"].max(), abs=1e-12)
    assert cd.elm_f(known, curve.cut("elm_f")) == found.value
    told = cd.explain(known, curve.cut("elm_f"), "elm_f")
    assert float(told.score) == found.value
    polars = cd.sweep(pl.from_pandas(truth), pl.from_pandas(scored), names)
    for name in names:
        assert polars[name].tolist() == curve[name].tolist()
        assert polars.best(name) == curve.best(name)


@pytest.mark.parametrize(
    ("ending", "engine"),
    [
        ("csv", "arrays"),
        ("csv.gz", "duckdb"),
        ("parquet", "duckdb"),
        pytest.param("csv", "duckdb", marks=pytest.mark.slow),
        pytest.param("csv.gz", "arrays", marks=pytest.mark.slow),
        pytest.param("parquet", "arrays", marks=pytest.mark.slow),
    ],
)
def test_a_threshold_for_people_by_the_command(
    people: pd.DataFrame, scored: pd.DataFrame, ending: str, engine: str, tmp_path: Path
) -> None:
    truth = people[["rec_id", "entity"]].rename(columns={"rec_id": "id", "entity": "cluster"})
    shuffled = scored.sample(frac=1, random_state=1)
    pairs, known = str(tmp_path / f"pairs.{ending}"), str(tmp_path / "truth.csv")
    truth.to_csv(known, index=False)
    if ending == "parquet":
        shuffled.to_parquet(pairs, index=False)
    else:
        shuffled.to_csv(pairs, index=False)
    cut, line = tmp_path / "clusters.csv", tmp_path / "curve.csv"
    ran = fine("sweep", known, pairs, "-m", "elm_f", "-m", "pair_f", "--cut", "elm_f", "-o",
               str(cut), "--curve", str(line), "--engine", engine)  # fmt: skip
    assert max(map(len, ran.stdout.splitlines())) <= 80
    curve = cd.sweep(truth, scored, ["elm_f", "pair_f"])
    assert f"{curve.best('elm_f').value:.4f}" in ran.stdout
    again = cd.compare(known, str(cut), "elm_f")["elm_f"].value
    assert again == curve.best("elm_f").value
    written = rows_of(line)
    assert [float(row["elm_f"]) for row in written] == curve["elm_f"].tolist()
    assert fine("explain", known, str(cut)).stdout
    page = tmp_path / "page.html"
    fine("report", known, str(cut), "-m", "elm_f", "-o", str(page))
    assert page.stat().st_size > 10_000


def test_pairs_from_a_pipe(people: pd.DataFrame, scored: pd.DataFrame, tmp_path: Path) -> None:
    known = str(tmp_path / "truth.csv")
    people[["rec_id", "entity"]].to_csv(known, index=False)
    data = scored.to_csv(index=False).encode()
    truth = f"{known}::entity"
    piped = fine("sweep", truth, "-", "-m", "elm_f", "-f", "json", stdin=data)
    (tmp_path / "pairs.csv").write_bytes(data)
    read = fine("sweep", truth, str(tmp_path / "pairs.csv"), "-m", "elm_f", "-f", "json")
    first, second = json.loads(piped.stdout), json.loads(read.stdout)
    assert (
        first["measures" if "measures" in first else "best"]
        == second["measures" if "measures" in second else "best"]
    )


# Cells and networks: several labellings of the same objects.


CELLS = DATA / "pbmc68k_reduced_labels.csv"


def test_labels_of_cells(tmp_path: Path) -> None:
    frame = pd.read_csv(CELLS)
    columns = ["bulk_labels", "louvain", "phase"]
    for given in (frame, frame.set_index("cell"), pl.from_pandas(frame), str(CELLS) + "::*"):
        m = cd.matrix(given, "adjusted_rand")
        assert list(m.names) == columns
        for (i, a), (j, b) in combinations(enumerate(columns), 2):
            assert m.values[i][j] == cd.adjusted_rand(frame[a], frame[b])
        assert len(m.profiles.count) == 65
    objects = tmp_path / "objects.csv"
    ran = fine("matrix", f"{CELLS}::*", "--objects", str(objects))
    assert "bulk_labels" in ran.stdout
    assert max(map(len, ran.stdout.splitlines())) <= 80
    assert len(rows_of(objects)) == 700
    out = tmp_path / "consensus.csv"
    ran = fine("consensus", f"{CELLS}::*", "-o", str(out))
    c = cd.consensus(frame)
    ours = {row["cell" if "cell" in row else "id"]: row["cluster"] for row in rows_of(out)}
    assert cd.rand(ours, c.clustering) == 1
    assert c.bound <= c.cost
    assert c.cost <= min(
        sum(cd.mirkin_distance(frame[a], frame[b]) for b in columns) for a in columns
    )


@pytest.mark.parametrize(("network", "profiles"), [("karate", 8), ("football", 13)])
def test_seeds_of_louvain(network: str, profiles: int) -> None:
    networkx = pytest.importorskip("networkx")
    found = json.loads((DATA / f"network_{network}.json").read_text(encoding="utf-8"))
    graph = networkx.Graph(found["edges"])
    seeds = {f"seed {s}": networkx.community.louvain_communities(graph, seed=s) for s in range(10)}
    m = cd.matrix(seeds, "adjusted_rand")
    labelled = {
        name: {x: i for i, nodes in enumerate(some) for x in nodes} for name, some in seeds.items()
    }
    for (i, a), (j, b) in combinations(enumerate(seeds), 2):
        assert m.values[i][j] == cd.adjusted_rand(labelled[a], labelled[b])
    c = cd.consensus(seeds)
    assert c.optimal
    assert c.gap == 0
    wanted = sum(cd.mirkin_distance(c.clustering, one) for one in labelled.values())
    assert c.cost == wanted
    assert len(m.profiles.count) <= profiles + 4


def test_compressed_runs_by_a_pattern(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    frame = pd.read_csv(CELLS).sample(frac=1, random_state=2)
    monkeypatch.chdir(tmp_path)
    for name in ("bulk_labels", "louvain", "phase"):
        data = frame[["cell", name]].rename(columns={name: "cluster"}).to_csv(index=False)
        with gzip.open(f"{name}.csv.gz", "wt") as file:
            file.write(data)
    direct = json.loads(fine("matrix", f"{CELLS}::*", "-f", "json").stdout)
    read = json.loads(fine("matrix", "*.csv.gz", "-f", "json").stdout)
    assert direct["values"] == read["values"]
    for engine in ("arrays", "duckdb"):
        again = json.loads(fine("matrix", "*.csv.gz", "-f", "json", "--engine", engine).stdout)
        assert again["values"] == read["values"]
