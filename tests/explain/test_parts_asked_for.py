"""Parts that are asked for, by kind, size and cluster; and parts of the same shape as one."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import clusterdiff as cd
from cli.runner import run
from clusterdiff.errors import ClusterdiffError


def labels(seed: int, n: int = 60) -> tuple[dict[str, int], dict[str, str]]:
    """Clusters of a few objects, some of which were split, merged or mixed."""
    rng = np.random.default_rng(seed)
    truth = {f"r{i}": i // 3 for i in range(n)}
    guess = {id: f"g{c}" for id, c in truth.items()}
    for at in rng.integers(0, n, n // 5).tolist():
        guess[f"r{at}"] = f"g{int(rng.integers(0, n // 3 + 5))}"
    return truth, guess


def as_kinds(seed: int) -> list[Any]:
    """The same objects explained as partitions, as covers and as an uncertain clustering."""
    truth, guess = labels(seed)
    cover = {id: [c] for id, c in guess.items()}
    soft = cd.Fuzzy({id: {c: 0.6, "g0": 0.4} if c != "g0" else {c: 1} for id, c in guess.items()})
    return [
        cd.explain(truth, guess),
        cd.explain({id: [c] for id, c in truth.items()}, cover, kind="cover"),
        cd.explain(truth, soft),
    ]


def names_in(part: Any) -> set[Any]:
    """The clusters that a part names."""
    found: set[Any] = set()
    for one in (*part.truth, *part.guess):
        found |= set(getattr(one, "clusters", [getattr(one, "name", one)]))
    return found


@pytest.mark.parametrize("seed", range(4))
def test_parts_are_those_that_fit(seed: int) -> None:
    for told in as_kinds(seed):
        every = told.top(None, None)
        for cluster in (3, "g3", "g0", "3", "nowhere"):
            wanted = [p for p in every if cluster in {*names_in(p), *map(str, names_in(p))}]
            assert told.only(cluster=cluster).top(None, None) == wanted
        for kind in {part.kind for part in every}:
            wanted = [part for part in every if part.kind == kind and part.objects >= 3]
            assert told.only(kind, min_size=3).top(None, None) == wanted
            assert told.only(min_size=3).only([kind]).top(None, None) == wanted
        assert told.only().top(None, None) == every
        assert told.only(min_size=10**6).score == told.score


def test_what_is_asked_for_is_said() -> None:
    told = cd.explain(*labels(1))
    split = told.only("split")
    many, share = len(split.top(None)), sum(part.share for part in split.top(None))
    line = f"Shown: {many} of {len(told.top(None))} components in conflict, {100 * share:.1f} %"
    assert line in str(split)
    assert "Shown:" not in str(told)
    assert {row["kind"] for row in split.records(None, None)} == {"split"}
    with pytest.raises(ClusterdiffError, match="did you mean merged"):
        told.only("merge")


def test_the_prompt_asks_for_them_too(tmp_path: Path) -> None:
    truth, guess = labels(1)
    for name, side in (("truth", truth), ("guess", guess)):
        lines = "".join(f"{id},{c}\n" for id, c in side.items())
        (tmp_path / f"{name}.csv").write_text(f"id,cluster\n{lines}")
    files = str(tmp_path / "truth.csv"), str(tmp_path / "guess.csv")
    told = cd.explain(*files)
    for flags, wanted in (
        (("--only", "split,merged"), told.only(["split", "merged"])),
        (("--around", "g3", "--min-size", "2"), told.only(cluster="g3", min_size=2)),
    ):
        assert run("explain", *files, *flags).stdout.rstrip("\n") == wanted.to_text(80)
    assert run("explain", *files, "--only", "merge").code == 2


def test_tables_that_stay_where_they_are_are_asked_alike(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("clusterdiff.io.session.NAMED", 10**12)
    test_the_prompt_asks_for_them_too(tmp_path)


@pytest.mark.parametrize("seed", range(4))
def test_patterns_are_counted_as_one_by_one(seed: int) -> None:
    told: Any = cd.explain(*labels(seed, 240))
    counted: Counter[Any] = Counter()
    lost: Counter[Any] = Counter()
    for part in told.top(None, None):
        shape = tuple(sorted((c.objects, c.truth.size, c.guess.size) for c in part.cells))
        counted[shape] += 1
        lost[shape] += part.loss
    found = told.patterns()
    assert sorted(p.parts for p in found) == sorted(counted.values())
    assert sorted(p.loss for p in found) == pytest.approx(sorted(lost.values()))
    assert [p.loss for p in found] == sorted((p.loss for p in found), reverse=True)
    assert told.patterns(3, least=2) == [p for p in found if p.parts > 1][:3]
    assert sum(p.objects for p in found) == sum(part.objects for part in told.top(None, 0))


def test_patterns_are_said_where_not_every_part_is_shown() -> None:
    truth = {i: i // 2 for i in range(40)}
    guess = {i: i for i in truth} | {0: "a", 1: "a", 2: "a", 3: "a", 38: "z"}
    told = cd.explain(truth, guess)
    text = told.to_text(80)
    assert re.search(r"  split 2 into 1 \+ 1 +18 +36 +94.7 % +2\n", text)
    assert "  merged 2 + 2 into 4" not in text
    assert "split 2 into 1 + 1" not in told.to_text(80, top=20)
