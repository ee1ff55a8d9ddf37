"""Which of two matchers to release: two models of splink on the people of Febrl, from scores with
intervals to the gate, every interval and p found again by leaving out one component after another.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from scipy.stats import t as student

import clusterdiff as cd
from cli.runner import run
from journeys.places import DATA
from page.embedded import verdict_of

pytestmark = pytest.mark.skipif(not DATA.exists(), reason="the data sets are not here")

MODELS = ("splink_v1", "splink_v2")
Counts = dict[str, np.ndarray]


@pytest.fixture(scope="module")
def people() -> pd.DataFrame:
    return pd.read_csv(DATA / "febrl3_people.csv", dtype=str).set_index("rec_id")


def pairs_of(labels: list[object]) -> int:
    return sum(n * (n - 1) // 2 for n in Counter(labels).values())


@pytest.fixture(scope="module")
def units(people: pd.DataFrame) -> Counts:
    """For each component of truth and both models: pairs of truth, of each model, and right ones,
    counted cluster by cluster.
    """
    graph = nx.Graph()
    for column in ("entity", *MODELS):
        graph.add_edges_from((("rec", i), (column, c)) for i, c in people[column].items())
    known = {name: people[name].to_dict() for name in ("entity", *MODELS)}
    rows: dict[str, list[int]] = {"truth": [], **{k: [] for m in MODELS for k in (m, f"{m}+")}}
    for component in nx.connected_components(graph):
        own = [name for kind, name in component if kind == "rec"]
        truth = [known["entity"][i] for i in own]
        rows["truth"].append(pairs_of(truth))
        for model in MODELS:
            found = [known[model][i] for i in own]
            rows[model].append(pairs_of(found))
            rows[f"{model}+"].append(pairs_of(list(zip(truth, found, strict=True))))
    return {name: np.array(some) for name, some in rows.items()}


MEASURES: dict[str, Callable[[float, float, float], float]] = {
    "pair_precision": lambda truth, guess, both: both / guess,
    "pair_recall": lambda truth, guess, both: both / truth,
    "pair_f": lambda truth, guess, both: 2 * both / (truth + guess),
}


def score(measure: str, units: Counts, model: str, without: int | None = None) -> float:
    sums = (units["truth"], units[model], units[f"{model}+"])
    left = (s.sum() - (0.0 if without is None else s[without]) for s in sums)
    return MEASURES[measure](*left)


@pytest.mark.parametrize("measure", MEASURES)
def test_the_difference_is_that_of_a_jackknife_by_hand(
    people: pd.DataFrame, units: Counts, measure: str
) -> None:
    old, new = MODELS
    report = cd.compare(
        people["entity"], {m: people[m] for m in MODELS}, [measure], confidence=0.95
    )
    for model in MODELS:
        assert float(report[measure][model]) == pytest.approx(
            score(measure, units, model), abs=1e-12
        )
    found = report.difference(measure, new, old)
    number = units["truth"].size
    whole = score(measure, units, new) - score(measure, units, old)
    left = np.array(
        [score(measure, units, new, u) - score(measure, units, old, u) for u in range(number)]
    )
    square = (left - left.mean()) ** 2
    error = np.sqrt((number - 1) / number * square.sum())
    assert found.count == number
    assert found.value == pytest.approx(whole, abs=1e-12)
    assert found.se == pytest.approx(error, rel=1e-6)
    p = 2 * student.sf(abs(whole) / found.se, found.df)
    assert found.p == pytest.approx(p, rel=1e-9)
    half = student.ppf(0.975, found.df) * found.se
    assert (found.low, found.high) == pytest.approx((whole - half, whole + half), abs=1e-9)
    assert found.significant == (p <= 0.05) == (not found.low <= 0 <= found.high)


def test_only_what_is_significant_is_marked(people: pd.DataFrame) -> None:
    """Equal precision of a model that finds more is not called better."""
    report = cd.compare(
        people["entity"], {m: people[m] for m in MODELS}, list(MEASURES), confidence=0.95
    )
    precision, recall = (
        report.difference(f"pair_{m}", *MODELS[::-1]) for m in ("precision", "recall")
    )
    assert not precision.significant
    assert recall.significant
    rows = {row[0]: row for row in report.table().rows}
    assert "†" not in "".join(rows["pair_precision"])
    assert rows["pair_recall"][2].endswith(" †")
    assert rows["pair_precision"][3].endswith(f"p = {precision.p:.2f}")
    text = " ".join(report.to_text(100).split())
    assert f"paired jackknife t-test over {recall.count:,} components" in text


def test_the_page_explanation_and_gate_say_the_same(people: pd.DataFrame, tmp_path: Path) -> None:
    table = tmp_path / "people.csv"
    people.reset_index()[["rec_id", "entity", *MODELS]].to_csv(table, index=False)
    sides = [f"{table}::{column}" for column in ("entity", *MODELS)]
    given = (*sides, "--id", "rec_id", "-m", "pair_f", "--confidence", "95")
    document = json.loads(run("compare", *given, "-f", "json").stdout)
    (difference,) = document["differences"]["pair_f"].values()
    truth, guesses = people["entity"], {m: people[m] for m in MODELS}
    known = cd.compare(truth, guesses, ["pair_f"], confidence=0.95).difference(
        "pair_f", *MODELS[::-1]
    )
    assert difference["p"] == pytest.approx(known.p, rel=1e-9)

    page = cd.page(truth, guesses, by="pair_f", measures="pair_f").html
    assert verdict_of(page).startswith(
        f"By the pairwise F, splink_v2 is better than splink_v1 by {known.value:.4f} (95 % "
        f"interval +{known.low:.4f} to +{known.high:.4f}, p < 0.001)."
    )

    told = cd.explain(truth, people["splink_v1"], "pair_f")
    members = [
        {frozenset(group) for group in people.groupby(name).groups.values()}
        for name in ("entity", "splink_v1")
    ]
    exact = len(members[0] & members[1])
    assert f"Of 2,000 true clusters, {exact:,} were found exactly" in told.to_text(200)
    scores = document["guesses"]["splink_v1"]["pair_f"]
    assert float(told.score) == pytest.approx(scores["value"], abs=1e-12)

    gate = ("--fail-on-regression", "pair_f", "--significant", "--confidence", "95")
    by = ("--id", "rec_id", "-m", "pair_f")
    forth = run("diff", *sides, *by, *gate)
    assert forth.code == 0, forth.stderr
    back = run("diff", sides[0], sides[2], sides[1], *by, *gate)
    assert back.code == 1
    assert re.search(r"pair_f went from 0\.999\d+ to 0\.969\d+\.", back.stderr)
    sure = run("compare", sides[0], sides[2], *by, "--fail-under", "pair_f=0.99", "--sure")
    assert sure.code == 0, sure.stderr
    unsure = run("compare", sides[0], sides[2], *by, "--fail-under", "pair_f=0.995", "--sure")
    assert unsure.code == 1
    assert "the low end of pair_f is 0.99" in unsure.stderr
