"""Releases for tests: small random ones, and what the definitions say of them, object by object."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterator
from fractions import Fraction
from itertools import permutations
from typing import Any

Run = dict[int, str]
OLD = {1: "a", 2: "a", 3: "a", 4: "b", 5: "b", 6: "c", 7: "c", 8: "d", 9: "e", 10: "e"}
NEW = {1: "p", 2: "p", 3: "q", 4: "r", 5: "r", 6: "r", 7: "r", 9: "s", 10: "s", 11: "s", 12: "t"}


def run(**clusters: Any) -> dict[Any, str]:
    """A run from its clusters."""
    return {one: name for name, objects in clusters.items() for one in objects}


def random_runs(seed: int, most: int = 12, clusters: int = 4) -> tuple[Run, Run]:
    """Two runs with an object in common, and some of their own."""
    rng = random.Random(seed)
    n = rng.randint(1, most)

    def one(names: str) -> Run:
        some = [o for o in range(n) if not o or rng.random() < 0.85]
        return {o: rng.choice(names[: rng.randint(1, clusters)]) for o in some}

    return one("abcdef"), one("uvwxyz")


def clusters_of(run: Run) -> dict[str, set[int]]:
    found = defaultdict(set)
    for one, name in run.items():
        found[name].add(one)
    return dict(found)


def renamings(olds: list[str], news: list[str]) -> Iterator[dict[str, str]]:
    """All ways to give each new cluster an old id or none, no id twice."""
    padded = [*olds, *[""] * len(news)]
    for chosen in set(permutations(padded, len(news))):
        yield {new: old for new, old in zip(news, chosen, strict=True) if old}


def score_of(
    old: Run, new: Run, given: dict[str, str], weight: dict[int, int] | None = None,
    least: Fraction | None = None,
) -> tuple[int, int] | None:  # fmt: skip
    """Objects (or their weights) that keep their id, and Jaccard indices in thousandths; None for a
    renaming that is not allowed.
    """
    before, after = clusters_of(old), clusters_of(new)
    kept = thousandths = 0
    for label, id in given.items():
        both = before[id] & after[label]
        if not both or (least is not None and not Fraction(len(both), len(before[id])) > least):
            return None
        kept += sum(1 if weight is None else weight[o] for o in both)
        thousandths += 1000 * len(both) // len(before[id] | after[label])
    return kept, thousandths


def ids_given(old: Run, new: Run, done: Any) -> dict[str, str]:
    """The old ids that clusters of the new run got."""
    labels = dict(zip(done.clustering.ids.tolist(), done.clustering.labels.tolist(), strict=True))
    ids = set(old.values())
    return {new[o]: labels[o] for o in new if labels[o] in ids}
