"""Two files linked with each other, never within: febrl's originals and its duplicates.

The matcher is allowed pairs across the files alone, so that its recall over all pairs counts pairs
that it could not make.
"""

from __future__ import annotations

import csv
import json
from collections import Counter
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import clusterdiff as cd
from cli.runner import run
from journeys.places import DATA

PAIRS = DATA / "febrl3_pairs_v1.parquet"
PEOPLE = DATA / "febrl3_people.csv"
WANTED = ("pair_precision", "pair_recall", "pair_f", "adjusted_rand", "rand")


class LinkOnly(NamedTuple):
    """Records of two sources, and the links of a matcher across them."""

    folder: Path
    truth: dict[str, str]
    guess: dict[str, str]
    source: dict[str, str]


@pytest.fixture(scope="module")
def linked(tmp_path_factory: pytest.TempPathFactory) -> LinkOnly:
    """The first file has each original and every second duplicate, the other one the rest."""
    if not PAIRS.exists():
        pytest.skip("the data is not here")
    duckdb = pytest.importorskip("duckdb")
    folder = tmp_path_factory.mktemp("link only")
    with PEOPLE.open() as file:
        rows = list(csv.DictReader(file))
    truth = {row["rec_id"]: row["entity"] for row in rows}
    source = {i: "crm" if i.endswith(("org", "dup-1", "dup-3")) else "shop" for i in truth}
    known = duckdb.sql(
        f"SELECT unique_id_l AS a, unique_id_r AS b, match_probability AS score FROM '{PAIRS}'"
    ).fetchall()
    across = [(a, b, score) for a, b, score in known if source[a] != source[b]]
    guess = cd.Partition.from_pairs(across, threshold=0.9, ids=list(truth))
    assert guess.ids is not None
    clusters = dict(zip(guess.ids.tolist(), guess.labels.tolist(), strict=True))
    with (folder / "truth.csv").open("w") as file:
        file.write("id,source,cluster\n")
        file.writelines(f"{i},{source[i]},{c}\n" for i, c in truth.items())
    with (folder / "guess.csv").open("w") as file:
        file.write("id,cluster\n")
        file.writelines(f"{i},{c}\n" for i, c in clusters.items())
    with (folder / "pairs.csv").open("w") as file:
        file.write("left,right,score\n")
        file.writelines(f"{a},{b},{score}\n" for a, b, score in across)
    for name in ("truth", "guess"):
        duckdb.sql(f"COPY (FROM '{folder / name}.csv') TO '{folder / name}.parquet'")
    return LinkOnly(folder, truth, clusters, source)


def together(clusters: dict[str, str], source: dict[str, str]) -> set[tuple[str, ...]]:
    """The pairs across sources that share a cluster, pair by pair."""
    members: dict[str, list[str]] = {}
    for i, cluster in clusters.items():
        members.setdefault(cluster, []).append(i)
    return {
        tuple(sorted(pair))
        for some in members.values()
        for pair in combinations(some, 2)
        if source[pair[0]] != source[pair[1]]
    }


@pytest.fixture(scope="module")
def wanted(linked: LinkOnly) -> dict[str, float]:
    """The definitions on the pairs themselves."""
    true, found = (together(side, linked.source) for side in (linked.truth, linked.guess))
    sizes = Counter(linked.source.values())
    every = sizes["crm"] * sizes["shop"]
    both, chance = len(true & found), len(true) * len(found) / every
    return {
        "pair_precision": both / len(found),
        "pair_recall": both / len(true),
        "pair_f": 2 * both / (len(true) + len(found)),
        "adjusted_rand": (both - chance) / ((len(true) + len(found)) / 2 - chance),
        "rand": 1 - len(true ^ found) / every,
    }


def test_recall_over_the_pairs_that_were_allowed_is_higher(
    linked: LinkOnly, wanted: dict[str, float]
) -> None:
    report = cd.compare(linked.truth, linked.guess, WANTED, between=linked.source)
    for name, value in wanted.items():
        assert report[name].value == pytest.approx(value, abs=1e-12), name
    over_all = cd.compare(linked.truth, linked.guess, "pair_recall")["pair_recall"].value
    assert over_all < report["pair_recall"].value < 1


@pytest.mark.parametrize("form", ["csv", "parquet"])
@pytest.mark.parametrize("engine", ["duckdb", "arrays"])
def test_files(linked: LinkOnly, wanted: dict[str, float], form: str, engine: str) -> None:
    files = [str(linked.folder / f"{name}.{form}") for name in ("truth", "guess")]
    measures = [word for name in WANTED for word in ("-m", name)]
    flags = ["--between", "source", "--engine", engine]
    done = run("compare", *files, *measures, *flags, "-f", "json")
    (scores,) = json.loads(done.stdout)["guesses"].values()
    for name, value in wanted.items():
        assert scores[name]["value"] == pytest.approx(value, abs=1e-12)
        assert scores[name]["signature"]["between"] == "source"
    gate = f"pair_recall={wanted['pair_recall'] - 1e-6}"
    assert run("compare", *files, *flags, "--fail-under", gate).code == 0
    assert run("compare", *files, "--engine", engine, "--fail-under", gate).code == 1
    shown = run("compare", *files, *flags, "--confidence", "95").stdout
    assert "only pairs from different sources count (source)" in shown


def test_the_threshold_and_the_explanation(linked: LinkOnly, wanted: dict[str, float]) -> None:
    truth, pairs = (str(linked.folder / name) for name in ("truth.csv", "pairs.csv"))
    done = run("sweep", truth, pairs, "--between", "source", "--align", "shared", "-f", "json")
    best: dict[str, Any] = json.loads(done.stdout)["best"]
    assert best["pair_f"]["value"] >= wanted["pair_f"]
    assert best["pair_f"]["signature"].count("between:source") == 1
    guess = str(linked.folder / "guess.csv")
    told = json.loads(run("explain", truth, guess, "--between", "source", "-f", "json").stdout)
    assert told["score"]["value"] == pytest.approx(wanted["pair_f"])
    assert told["loss"] == pytest.approx(1 - wanted["pair_f"])


def test_a_column_that_is_not_there_is_refused(linked: LinkOnly) -> None:
    files = [str(linked.folder / f"{name}.csv") for name in ("truth", "guess")]
    done = run("compare", *files, "--between", "sorce")
    assert done.code == 2
    assert "did you mean source?" in done.stderr
    assert "--samples" not in done.stderr
