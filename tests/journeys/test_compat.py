"""Someone has numbers of another package, and wants the same ones from the same files."""

from __future__ import annotations

import csv
import json
import warnings
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest

import clusterdiff as cd
from cli.runner import run
from clusterdiff.measures.compat import CONVENTIONS
from journeys.places import DATA

pytestmark = pytest.mark.skipif(not DATA.exists(), reason="the data sets are not here")
Side = dict[str, str]


def columns(name: str, id: str, *wanted: str) -> tuple[Side, ...]:
    """Columns of a file, by the id of each row."""
    with (DATA / name).open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    return tuple({row[id]: row[column] for row in rows} for column in wanted)


def scored(*given: str) -> dict[str, float]:
    """What the command prints, by the name of the measure."""
    done = run("compare", *given, "-f", "json")
    assert done.code == 0, done.stderr
    (scores,) = json.loads(done.stdout)["guesses"].values()
    return {text.partition("(")[0]: score["value"] for text, score in scores.items()}


@pytest.mark.parametrize(
    ("name", "id", "truth", "guess"),
    [
        ("pbmc68k_reduced_labels.csv", "cell", "bulk_labels", "louvain"),
        ("febrl1.csv", "rec_id", "entity", "same_name_dob"),
    ],
)
def test_a_notebook_with_scikit_learn(name: str, id: str, truth: str, guess: str) -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    left, right = columns(name, id, truth, guess)
    path = str(DATA / name)
    ours = scored(f"{path}::{truth}", f"{path}::{guess}", "--id", id, "--compat", "sklearn")
    convention = CONVENTIONS["sklearn"]
    assert ours.keys() == convention.measures.keys()
    for measure, theirs in zip(ours, convention.theirs.values(), strict=True):
        wanted = getattr(metrics, theirs)(list(left.values()), list(right.values()))
        assert ours[measure] == pytest.approx(wanted, rel=0, abs=1e-12), theirs


def in_series(side: Side) -> Any:
    import pandas as pd

    return pd.Series(side)


@pytest.mark.parametrize(
    ("name", "id", "truth", "guess"),
    [
        ("rldata500.csv", "record", "identity", "name_by"),
        ("febrl1.csv", "rec_id", "entity", "same_soc_sec"),
    ],
)
def test_a_matcher_judged_by_er_evaluation(
    name: str, id: str, truth: str, guess: str, tmp_path: Path
) -> None:
    """A tenth of the records are labelled by one side only, and left out by both packages."""
    metrics = pytest.importorskip("er_evaluation.metrics")
    sides = columns(name, id, truth, guess)
    known = [
        {x: c for place, (x, c) in enumerate(side.items()) if place % 10 != lost}
        for lost, side in enumerate(sides)
    ]
    paths = [tmp_path / "truth.csv", tmp_path / "guess.csv"]
    for path, side in zip(paths, known, strict=True):
        path.write_text("id,cluster\n" + "".join(f"{x},{c}\n" for x, c in side.items()))
    ours = scored(*map(str, paths), "--compat", "er-evaluation")
    left, right = map(in_series, known)
    convention = CONVENTIONS["er-evaluation"]
    assert ours.keys() == convention.measures.keys()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it still says copy=False to pandas
        for measure, theirs in zip(ours, convention.theirs.values(), strict=True):
            wanted = float(getattr(metrics, theirs)(right, left))
            assert ours[measure] == pytest.approx(wanted, rel=0, abs=1e-12), theirs


def test_topics_judged_by_bcubed() -> None:
    bcubed = pytest.importorskip("bcubed")
    truth, guess = columns("febrl1.csv", "rec_id", "entity", "same_name_dob")
    some = [{x: side[x] for x in list(truth)[:300]} for side in (truth, guess)]
    sets = [{x: {c} for x, c in side.items()} for side in some]
    precision, recall = (getattr(bcubed, part)(*sets[::-1]) for part in ("precision", "recall"))
    report = cd.compare(some[0], some[1], compat="python-bcubed")
    wanted = [precision, recall, bcubed.fscore(precision, recall)]
    found = [score.value for score in report.scores["guess"].values()]
    assert found == pytest.approx(wanted, rel=0, abs=1e-12)


@pytest.mark.parametrize("removed", [False, True], ids=["singletons", "no singletons"])
def test_a_novel_judged_by_scorch(removed: bool) -> None:
    """LitBank has singletons; without those of the baseline, mentions are on one side only."""
    scores = pytest.importorskip("scorch.scores")
    with (DATA / "coref_litbank.csv").open(encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if row["doc"] == "1023_bleak_house"]
    gold, found = (
        {f"{row['start']}-{row['end']}": row[column] for row in rows}
        for column in ("gold", "same_string")
    )
    if removed:
        found = {x: c for x, c in found.items() if list(found.values()).count(c) > 1}
        assert 0 < len(found) < len(gold)
    entities = []
    for side in (gold, found):
        clusters = defaultdict(set)
        for mention, entity in side.items():
            clusters[entity].add(mention)
        entities.append(list(clusters.values()))
    report = cd.compare(gold, found, compat="conll")
    families = {"muc": "muc", "bcubed": "b_cubed", "ceaf_m": "ceaf_m", "ceaf_e": "ceaf_e"}
    for ours, theirs in {**families, "blanc": "blanc"}.items():
        wanted = getattr(scores, theirs)(*entities)
        for part, value in zip(("recall", "precision", "f"), wanted, strict=True):
            assert report[f"{ours}_{part}"].value == pytest.approx(value, rel=0, abs=1e-12)
    assert report["conll"].value == pytest.approx(scores.conll2012(*entities), rel=0, abs=1e-12)
