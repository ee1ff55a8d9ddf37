"""Links that merged clusters, and pairs that would have joined split ones, as the definition has
them, wherever the pairs are.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from clusterdiff.engines.duckdb import DuckDB
from clusterdiff.errors import ClusterdiffError
from clusterdiff.explain import links as links_module
from clusterdiff.explain.links import PartLinks, links_of, members
from clusterdiff.io.pair_lookup import PairLookup, PairOptions
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
