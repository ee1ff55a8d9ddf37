"""Links that merged clusters, and pairs that would have joined split ones, as the definition has
them, wherever the pairs are.
"""

from __future__ import annotations

import json
import pickle
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import clusterdiff as cd
from cli.runner import run
from clusterdiff.engines.duckdb import DuckDB
from clusterdiff.errors import ClusterdiffError
from clusterdiff.explain import links as links_module
from clusterdiff.explain.links import PartLinks, links_of, members
from clusterdiff.io.pair_lookup import PairLookup
from clusterdiff.io.sides import PairOptions
from journeys.places import DATA
from oracles.links import Merged, Torn, merged, scores_of, torn

Pairs = list[tuple[Any, Any, float]]


def drawn(seed: int, text: bool) -> tuple[dict[Any, int], dict[Any, int], Pairs]:
    """Truth and guess of objects of which some are on one side only; pairs with ties, repeats in
    either direction, self-pairs and strangers.
    """
    rng = np.random.default_rng(seed)
    n = int(rng.integers(4, 30))
    names = [f"r{i:03}" if text else i * 7 - 50 for i in range(n + 5)]
    truth, guess = (
        {names[i]: int(rng.integers(0, max(2, n // 4))) for i in range(n) if rng.random() < 0.95}
        for _ in range(2)
    )
    ends = rng.integers(0, n + 5, (2, int(rng.integers(1, 5 * n))))
    score = np.round(rng.random(ends.shape[1]), 1)
    return (
        truth,
        guess,
        [(names[i], names[j], float(s)) for i, j, s in zip(*ends, score, strict=True)],
    )


def found(opened: PairLookup, truth: dict[Any, int], guess: dict[Any, int]) -> PartLinks:
    ids = [*dict.fromkeys([*truth, *guess])]
    part = members(ids, [truth.get(id) for id in ids], [guess.get(id) for id in ids])
    [links] = links_of(opened, [part])
    return links


def same_merges(links: PartLinks, expected: dict[Any, Merged]) -> bool:
    """Whether merges are those of the oracle, whichever of equal links comes first."""
    if {m.guess for m in links.merges} != set(expected):
        return False
    for merge in links.merges:
        other = expected[merge.guess]
        if [link.score for link in merge.links] != other.scores or merge.total != len(other.scores):
            return False
        if not merge.links:
            if merge.strongest is not None or merge.separates:
                return False
            continue
        weakest = frozenset(merge.links[0][:2])
        if weakest not in other.weakest or merge.strongest != other.scores[-1]:
            return False
        if merge.separates != (weakest in other.separating):
            return False
    return True


def same_splits(links: PartLinks, expected: dict[Any, Torn]) -> bool:
    if {s.truth for s in links.splits} != set(expected):
        return False
    for split in links.splits:
        other = expected[split.truth]
        best = None if split.best is None else frozenset(split.best[:2])
        if (best is None) != (not other.best) or (best is not None and best not in other.best):
            return False
        if split.joined_at != other.joined_at:
            return False
    return True


@pytest.mark.parametrize("distance", [False, True])
@pytest.mark.parametrize("threshold", [None, 0.5])
def test_links_are_those_of_the_definition(threshold: float | None, distance: bool) -> None:
    merges = splits = separated = 0
    for seed in range(60):
        truth, guess, pairs = drawn(seed, text=seed % 2 == 0)
        scores = scores_of(pairs, distance)
        opened = PairOptions(pairs, threshold, distance=distance).opened()
        links = found(opened, truth, guess)
        assert same_merges(links, merged(truth, guess, scores, threshold, distance))
        assert same_splits(links, torn(truth, guess, scores, distance))
        merges += sum(bool(m.links) for m in links.merges)
        splits += sum(s.best is not None for s in links.splits)
        separated += sum(m.separates for m in links.merges)
    assert min(merges, splits, separated) > 20


def wrong_separation(pairs: Any, weakest: int) -> bool:
    """Right if there were no other wrong link."""
    return bool(pairs.wrong.size == 1)


def not_once(self: Any, found: Any) -> Any:
    """Pairs that are given again stay."""
    order = np.argsort(found.score if self.distance else -found.score, kind="stable")
    order = order[found.left[order] != found.right[order]]
    return type(found)(*(own[order] for own in found))


def joined_by_all(left: Any, right: Any, parts: int) -> int | None:
    """The last pair instead of the one with which all hang together."""
    return left.size - 1 if left.size else None


@pytest.mark.parametrize(
    ("where", "name", "wrong"),
    [
        (links_module._Pairs, "_separates", wrong_separation),
        (links_module, "_joined_at", joined_by_all),
        (PairLookup, "_once", not_once),
        (PairLookup, "are_links", lambda self, score: np.ones(score.size, np.bool_)),
    ],
)
def test_wrong_links_are_noticed(
    monkeypatch: pytest.MonkeyPatch, where: Any, name: str, wrong: Any
) -> None:
    monkeypatch.setattr(where, name, wrong)
    with pytest.raises(AssertionError):
        test_links_are_those_of_the_definition(0.5, False)


def as_csv(table: pd.DataFrame, folder: Path) -> Any:
    table.to_csv(folder / "pairs.csv", index=False)
    return folder / "pairs.csv"


def as_parquet(table: pd.DataFrame, folder: Path) -> Any:
    table.to_parquet(folder / "pairs.parquet")
    return str(folder / "pairs.parquet")


def as_json(table: pd.DataFrame, folder: Path) -> Any:
    table.to_json(folder / "pairs.jsonl", orient="records", lines=True)
    return folder / "pairs.jsonl"


PLACES: dict[str, Callable[[pd.DataFrame, Path], Any]] = {
    "csv": as_csv,
    "parquet": as_parquet,
    "json": as_json,
    "relation": lambda table, _: duckdb.connect().from_df(table),
    "pandas": lambda table, _: table,
    "polars": lambda table, _: pl.from_pandas(table),
    "lazy": lambda table, _: pl.from_pandas(table).lazy(),
    "pyarrow": lambda table, _: pa.Table.from_pandas(table),
    "arrays": lambda table, _: tuple(table[name].to_numpy() for name in table.columns),
}


@pytest.mark.parametrize("text", [False, True])
@pytest.mark.parametrize("place", PLACES)
def test_links_are_found_wherever_they_are(place: str, text: bool, tmp_path: Path) -> None:
    truth, guess, pairs = drawn(7, text)
    table = pd.DataFrame(pairs, columns=["id_l", "id_r", "score"])
    given = PLACES[place](table, tmp_path)
    options = PairOptions(given, 0.3, engine=DuckDB(memory="500MB", threads=1))
    opened = options.opened()
    expected = found(PairOptions(pairs, 0.3).opened(), truth, guess)
    assert found(opened, truth, guess) == expected
    assert (opened.threshold, opened.distance) == (0.3, False)
    if place not in ("relation", "lazy"):
        assert found(pickle.loads(pickle.dumps(opened)), truth, guess) == expected
    opened.close()
    assert expected.merges
    assert expected.splits


def test_parts_are_looked_up_together_or_one_by_one() -> None:
    """Clusters of other parts are other clusters, though they are called the same."""
    parts, pairs = [], []
    for seed in range(9):
        truth, guess, some = drawn(seed, text=True)
        own = {id: f"{seed}/{id}" for id in {*truth, *guess}}
        parts.append(
            members([*own.values()], *([side.get(id) for id in own] for side in (truth, guess)))
        )
        pairs += [(own.get(i, i), own.get(j, j), s) for i, j, s in some]
    crossing = [(parts[0].ids[0], parts[1].ids[0], 1.0)]
    opened = PairOptions([*pairs, *crossing], 0.5).opened()
    together = links_of(opened, parts)
    assert together == [links_of(opened, [part])[0] for part in parts]
    assert len(links_of(opened, [], 3)) == 0
    few = links_of(opened, parts, 1)
    assert [m.links for p in few for m in p.merges] == [
        m.links[:1] for p in together for m in p.merges
    ]


def test_each_end_has_its_own_pair() -> None:
    truth, guess, pairs = drawn(4, text=True)
    scores = scores_of(pairs, False)
    ends = found(PairOptions(pairs, 0.4).opened(), truth, guess).ends
    for id in truth.keys() & guess.keys():
        others = [
            x for x in truth.keys() & guess.keys() if frozenset([x, id]) in scores and x != id
        ]
        wrong = [x for x in others if guess[x] == guess[id] and truth[x] != truth[id]]
        values = [s for x in wrong if (s := scores[frozenset([x, id])]) >= 0.4]
        missed = [scores[frozenset([x, id])] for x in others
                  if guess[x] != guess[id] and truth[x] == truth[id]]  # fmt: skip
        end = ends.get(id)
        assert (end.wrong[0] if end and end.wrong else None) == min(values, default=None)
        assert (end.missed[0] if end and end.missed else None) == max(missed, default=None)
        for pair in (end.wrong, end.missed) if end else ():
            assert pair is None or scores[frozenset([id, pair[1]])] == pair[0]


def test_thresholds_are_compared_in_the_type_of_the_scores() -> None:
    table = pd.DataFrame({"l": ["a"], "r": ["b"], "score": np.array([0.9], np.float32)})
    links = found(PairOptions(table, 0.9).opened(), {"a": 1, "b": 2}, {"a": 1, "b": 1})
    assert links.merges[0].separates


BAD: dict[str, tuple[Any, str]] = {
    "no scores": ([("a", "b")], "have no scores"),
    "a clustering": ({"a": 1, "b": 1}, "holds no pairs"),
    "null scores": (pd.DataFrame({"l": ["a"], "r": ["b"], "score": [None]}), "scores"),
    "null ids": (
        pd.DataFrame({"l": ["a", "c"], "r": [None, "b"], "score": [1.0, 2.0]}),
        "lacks an id",
    ),
    "text": (pd.DataFrame({"l": ["a"], "r": ["b"], "score": ["high"]}), "not numbers"),
    "nothing": (pd.DataFrame({"l": [], "r": [], "score": []}), "no pairs"),
    "one column": (pd.DataFrame({"l": ["a"], "score": [1.0]}), "column"),
    "a file that is not there": ("nowhere.parquet", "not found"),
}


@pytest.mark.parametrize("case", BAD)
def test_tables_that_are_no_scored_pairs_are_refused(case: str, tmp_path: Path) -> None:
    value, words = BAD[case]
    with pytest.raises(ClusterdiffError, match=words):
        PairOptions(value).opened()
    if isinstance(value, pd.DataFrame):
        value.to_parquet(tmp_path / "pairs.parquet")
        with pytest.raises(ClusterdiffError):
            PairOptions(tmp_path / "pairs.parquet").opened()


@pytest.mark.parametrize("threshold", ["0.9", True, float("nan")])
def test_thresholds_are_numbers(threshold: Any) -> None:
    with pytest.raises(ClusterdiffError, match="threshold"):
        PairOptions([("a", "b", 1.0)], threshold).opened()


# In explanations: text, queue, JSON, notebook, Markdown; and with real data.

PEOPLE = pd.DataFrame(
    {
        "id": ["r1", "r2", "r3", "r4", "r5", "r6"],
        "gold": [1, 1, 2, 2, 3, 4],
        "run": [1, 2, 3, 3, 3, 4],
        "first": ["JOERG", "JORG", "ANNA", "ANNE", "HERBERT", "EVA"],
        "last": ["ZIMMERMANN", "ZIMMERMANN", "MAIER", "MEIER", "MAIER", "KOCH"],
    }
)
SCORED = [("r1", "r2", 0.61), ("r3", "r4", 0.97), ("r5", "r3", 0.93), ("r4", "r5", 0.88)]


def explained(pairs: Any = SCORED, threshold: float | None = None, **options: Any) -> Any:
    return cd.explain(
        PEOPLE, truth="gold", guess="run", pairs=pairs, threshold=threshold, **options
    )


def test_the_text_shows_links_with_their_records() -> None:
    text = explained(threshold=0.9).to_text(80).split("\n\n")[1]
    assert (
        text
        == """\
   54.5 %  split    1 over 2 guess clusters, 2 objects
                    1 in 1; 1 in 2
      guess  id  first
      1      r1  JOERG
      2      r2  JORG*
      same: last ZIMMERMANN
      best pair across the 2 parts (0.61): a threshold of 0.61 joins them
   45.5 %  merged   2 true clusters (2, 3) in guess 3, 3 objects
                    2 of 2; 1 of 3
      truth  id  first    last
      2      r3  ANNA     MAIER
      2      r4  ANNE     MEIER*
      3      r5  HERBERT  MAIER
      1 wrong link (0.93): without it, nothing joins 2 and 3
      score  truth  id  first
      0.93   2      r3  ANNA
             3      r5  HERBERT*
      same: last MAIER
    0.0 %  right    1 cluster, 1 object"""
    )
    assert "Pairs: pairs; a link scores 0.9 or more." in explained(threshold=0.9).to_text(80)
    every = explained().to_text(80)
    assert "2 wrong links (0.88–0.93; weakest first): without the weakest, other" in every
    assert "r3" not in explained(show="none").to_text(80, ids=0)
    assert "no link joins different true clusters" in explained(threshold=0.95).to_text(80)
    assert "no pair across the parts was scored" in explained(SCORED[1:]).to_text(80)
    assert "(0.61): a link, though" in explained(threshold=0.5).to_text(80)


def test_queue_json_and_notebook_have_them() -> None:
    told = explained(threshold=0.8)
    queue = told.to_frame().set_index("id")
    assert queue["weakest_wrong_link"].dropna().to_dict() == {"r3": 0.93, "r4": 0.88, "r5": 0.88}
    assert queue["weakest_wrong_link_to"].dropna().to_dict() == {"r3": "r5", "r4": "r5", "r5": "r4"}
    assert queue["best_missed_pair"].dropna().to_dict() == {"r1": 0.61, "r2": 0.61}
    assert queue["best_missed_pair_to"].dropna().to_dict() == {"r1": "r2", "r2": "r1"}
    assert list(queue.columns[-2:]) == ["first", "last"]
    data = json.loads(told.to_json(ids=1))
    split, merged = data["components"]
    assert split["links"]["splits"][0]["best"] == {
        "left": "r1", "right": "r2", "score": 0.61, "truth": [1, 1], "guess": [1, 2],
    }  # fmt: skip
    [merge] = merged["links"]["merges"]
    assert (merge["total"], merge["strongest"], merge["separates"]) == (2, 0.93, False)
    assert [(link["left"], link["right"]) for link in merge["links"]] == [("r4", "r5")]
    known = {row["id"]: row["first"] for row in merged["records"]}
    assert known == {"r3": "ANNA", "r4": "ANNE", "r5": "HERBERT"}
    assert data["pairs"] == {
        "read_from": "pairs", "score": None, "threshold": 0.8, "distance": False,
    }  # fmt: skip
    for text in (told._repr_html_(), told.to_markdown()):
        assert "2 wrong links (0.88–0.93; weakest first)" in text
        assert "HERBERT\\*" in text or "HERBERT*" in text
    assert told.top(2)[1].links.merges[0].links[0][:3] == ("r4", "r5", 0.88)
    assert str(pickle.loads(pickle.dumps(told))) == str(told)


def test_pairs_change_no_number(tmp_path: Path) -> None:
    plain = cd.explain(PEOPLE, truth="gold", guess="run")
    told = explained(threshold=0.9)
    assert told.score.value == plain.score.value
    assert told.score.meet.digest == plain.score.meet.digest
    assert [p.loss for p in told.top(None)] == [p.loss for p in plain.top(None)]


def test_pairs_that_fit_nothing_are_refused() -> None:
    with pytest.raises(ClusterdiffError, match="no object of pairs is in truth"):
        str(explained([("a", "b", 0.5)]))
    with pytest.raises(ClusterdiffError, match="in which sample"):
        explained(samples=dict(zip(PEOPLE["id"], "aabbbb", strict=True)))
    with pytest.raises(ClusterdiffError, match="explain partitions"):
        cd.explain({"a": ["x"]}, {"a": ["y"]}, kind="cover", pairs=SCORED)
    with pytest.raises(ClusterdiffError, match="is one of scored pairs"):
        cd.explain([1, 1], [1, 2], threshold=0.5)


def test_the_prompt_takes_pairs(tmp_path: Path) -> None:
    PEOPLE.to_csv(tmp_path / "people.csv", index=False)
    scored = pd.DataFrame(SCORED, columns=["one", "other", "weight"])
    scored.to_csv(tmp_path / "pairs.csv", index=False)
    sides = [f"{tmp_path / 'people.csv'}::{own}" for own in ("gold", "run")]
    asked = ["--pairs", str(tmp_path / "pairs.csv"), "--threshold", "0.9"]
    named = ["--left", "one", "--right", "other", "--score", "weight"]
    for more in ([], named, ["--memory", "300MB"], ["--engine", "arrays"]):
        ran = run("explain", *sides, *asked, *more)
        assert ran.code == 0, ran.stderr
        assert "1 wrong link (0.93): without it, nothing joins 2 and 3" in ran.stdout
        assert "Pairs: pairs.csv (weight); a link scores 0.9 or more." in ran.stdout
    wrong = run("explain", *sides, *asked, "--slices")
    assert (wrong.code, "--slices has none" in wrong.stderr) == (2, True)


def test_tables_too_large_for_memory_have_links_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    PEOPLE.to_parquet(tmp_path / "people.parquet")
    sides = [f"{tmp_path / 'people.parquet'}::{own}" for own in ("gold", "run")]
    expected = explained(threshold=0.8).to_frame()["weakest_wrong_link_to"].tolist()
    monkeypatch.setattr("clusterdiff.io.session.NAMED", 10**12)
    told: Any = cd.explain(*sides, pairs=SCORED, threshold=0.8)
    assert type(told.named).__name__ == "SqlNamedComparison"
    assert told.to_frame()["weakest_wrong_link_to"].tolist() == expected
    with pytest.raises(ClusterdiffError, match="no object of pairs is in truth"):
        str(cd.explain(*sides, pairs=[("a", "b", 0.5)]))


@pytest.mark.skipif(not DATA.exists(), reason="the data sets are not here")
@pytest.mark.parametrize("model", ["v1", "v2"])
def test_links_of_real_people(model: str) -> None:
    """The weakest link of each wrong merge and the best pair across each split are those that a
    search of its own finds; names stand beside them.
    """
    path = str(DATA / "febrl3_people.csv")
    people = pd.read_csv(path, dtype=str, skipinitialspace=True)
    table = pd.read_parquet(DATA / f"febrl3_pairs_{model}.parquet")
    truth, guess = (
        dict(zip(people["rec_id"], people[own], strict=True))
        for own in ("entity", f"splink_{model}")
    )
    by_pair = {
        frozenset([one, other]): score
        for one, other, score in table[["unique_id_l", "unique_id_r", "match_probability"]].values
    }
    told = cd.explain(
        f"{path}::entity", f"{path}::splink_{model}", show="given_name,surname,date_of_birth",
        pairs=DATA / f"febrl3_pairs_{model}.parquet", threshold=0.9,
    )  # fmt: skip
    found = [part.links for part in told.top(None, None)]
    merges = {m.guess: m for links in found for m in links.merges}
    splits = {str(s.truth): s for links in found for s in links.splits}
    wrong: dict[str, list[float]] = {}
    missed: dict[str, float] = {}
    for pair, score in by_pair.items():
        one, other = pair
        if guess[one] == guess[other] and truth[one] != truth[other] and score >= 0.9:
            wrong.setdefault(guess[one], []).append(score)
        if guess[one] != guess[other] and truth[one] == truth[other]:
            missed[truth[one]] = max(score, missed.get(truth[one], 0.0))
    sizes = people.groupby(f"splink_{model}")["entity"].nunique()
    assert set(merges) == set(sizes.index[sizes > 1])
    assert {g: m.links[0].score for g, m in merges.items()} == {g: min(s) for g, s in wrong.items()}
    parts = people.groupby("entity")[f"splink_{model}"].nunique()
    assert set(splits) == set(parts.index[parts > 1])
    assert {t: s.best.score for t, s in splits.items() if s.best} == missed
    for links in found:
        assert all(by_pair[frozenset(s.best[:2])] == s.best.score for s in links.splits if s.best)
    if model == "v1":
        assert (len(merges), len(splits), len(missed)) == (2, 117, 102)
        text = told.only("merged").to_text(80)
        assert re.search(r"0\.99\d+ +274 +rec-274-\w+ +charlot\w+ ", text)
        assert "without it, nothing joins 1402 and 379" in text
        drawn = cd.draw(f"{path}::splink_v1", 200, seed=1, show="given_name,surname",
                        pairs=DATA / "febrl3_pairs_v1.parquet").to_frame()  # fmt: skip
        row = drawn.set_index("id").loc["rec-1009-dup-2"]
        assert row[["paired_with", "given_name", "surname"]].tolist() == [
            "rec-1009-dup-0", "kranz", "alex",
        ]  # fmt: skip


@pytest.mark.parametrize("distance", [False, True])
def test_thresholds_that_are_told_link_their_pair(distance: bool) -> None:
    for score in [0.61, 0.9, 1.0, 1e-9, -3.25, 12345678.9, *np.random.default_rng(0).random(50)]:
        pairs = PairOptions([("a", "b", score)], distance=distance).opened()
        told = float(pairs.written(score))
        assert told >= score if distance else told <= score
        assert told == pytest.approx(score, rel=1e-5)
