"""Every verb with counts against the same verb on replicated data: the definition of counts."""

from __future__ import annotations

import math
import os
import random
from collections.abc import Callable
from itertools import product
from typing import Any
from zlib import crc32

import pytest

import clusterdiff as cd
from journeys.clusterings import KINDS, Sides, made, sides
from journeys.policies import NOISE, Policy, Said, measure_of
from journeys.test_table import POLICIES

Counts = dict[str, int]
ALL = os.environ.get("CLUSTERDIFF_JOURNEYS") == "all"
SHARE = 4
"""At each commit one of so many cells is tried, but for the verb that all others build on."""
LISTED = {("worse",), ("better",), ("clusters",)}
NAMED = ("ids", "signature", "id", "example", "columns", "units", "records")
"""What replication changes beside numbers: names of objects, and what is said of counts."""


def counts_of(given: Sides) -> Counts:
    """A count for each object of any side; some are as if absent."""
    names = {name for side in (given.truth, *given.guesses.values()) for _, name in side}
    return {name: 1 + crc32(name.encode()) % 3 - (name[1:] == "7") for name in sorted(names)}


def replicated(side: Said, counts: Counts) -> Said:
    """Each object as often as it counts, under names of its own."""
    return {
        (sample, f"{name}.{k}"): one
        for (sample, name), one in side.items()
        for k in range(counts[name])
    }


def compared(truth: Any, guesses: Any, measure: str, options: Any) -> Any:
    report = cd.compare(truth, guesses, None if measure == "elm_f" else measure, **options)
    return {text: {n: report[text][n].to_dict() for n in guesses} for text in report}


def explained(truth: Any, guesses: Any, measure: str, options: Any) -> Any:
    told = cd.explain(truth, guesses["old"], measure, **options)
    return {**told.to_dict(top=None), "sentences": told.sentences()}


def diffed(truth: Any, guesses: Any, measure: str, options: Any) -> Any:
    return cd.diff(truth, guesses["old"], guesses["new"], measure, **options).to_dict(top=None)


def scored(truth: Any, guesses: Any, measure: str, options: Any) -> Any:
    found = cd.objects(truth, guesses["old"], measure, **options)
    objects = len(found) if found.counts is None else int(found.counts.sum())
    return {"mean": found.mean, "objects": objects, "worst": found.scores.min()}


def tabled(truth: Any, guesses: Any, measure: str, options: Any) -> Any:
    return cd.contingency(truth, guesses["old"], **options).to_dict()


def by_chance(truth: Any, guesses: Any, measure: str, options: Any) -> Any:
    found = cd.chance(truth, guesses["old"], measure, draws=9, **options)
    return {"score": found.score, "expected": found.expected}


VERBS: dict[str, Callable[[Any, Any, str, Any], Any]] = {
    "compare": compared, "explain": explained, "diff": diffed, "objects": scored,
    "table": tabled, "chance": by_chance,
}  # fmt: skip


def outcome(verb: str, given: Sides, measure: str, options: Any) -> Any:
    """What a verb gives, or that it refuses."""
    truth = made(given.kinds[0], given.truth)
    guesses = {name: made(given.kind, guess) for name, guess in given.guesses.items()}
    try:
        return VERBS[verb](truth, guesses, measure, options)
    except cd.ClusterdiffError as error:
        return error.message.partition("(")[0] if "sample" not in options else "refused"


def numbers(found: Any, path: tuple[Any, ...] = ()) -> dict[tuple[Any, ...], Any]:
    """All numbers and words in what a verb gives, by where they stand."""
    if isinstance(found, dict):
        parts = [(k, v) for k, v in found.items() if k not in NAMED]
    elif isinstance(found, list | tuple):
        parts = list(enumerate(found))
    else:
        return {path: found}
    return {key: v for k, part in parts for key, v in numbers(part, (*path, k)).items()}


def cells() -> list[Any]:
    """Cells of verb, kind, policy and samples."""
    found = []
    for verb, kind, policy, samples in product(VERBS, KINDS, POLICIES, (False, True)):
        name = f"{verb}-{kind}-{policy.align}-{policy.noise_as or 'plain'}-{samples}"
        if ALL or (verb, kind) == ("compare", "partition") or not crc32(name.encode()) % SHARE:
            found.append(pytest.param(verb, kind, policy, samples, id=name))
    return found


@pytest.mark.parametrize(("verb", "kind", "policy", "samples"), cells())
def test_a_cell_with_counts_is_that_of_replicated_data(
    verb: str, kind: str, policy: Policy, samples: bool
) -> None:
    given = sides(kind, policy)
    counts = counts_of(given)
    more = Sides(
        kind, replicated(given.truth, counts),
        {name: replicated(guess, counts) for name, guess in given.guesses.items()},
    )  # fmt: skip
    measure = measure_of("explain" if verb in ("diff", "objects") else verb, kind)[0]
    found = []
    for one, own in ((given, {"count": counts}), (more, {})):
        options: dict[str, Any] = {"align": policy.align, **own}
        if policy.noise_as:
            options |= {"noise": NOISE, "noise_as": policy.noise_as}
        if samples:
            every = (one.truth, *one.guesses.values())
            options["samples"] = {name: sample for side in every for sample, name in side}
        found.append(numbers(outcome(verb, one, measure, options)))
    if verb == "diff" and "singletons" in policy:
        # copies of one object are listed together, while each of them is a cluster of its own
        found = [{k: v for k, v in one.items() if k[:1] not in LISTED} for one in found]
    assert found[0].keys() == found[1].keys(), [*found]
    for key, value in found[0].items():
        if isinstance(value, float) and not math.isnan(value):
            assert value == pytest.approx(found[1][key], abs=1e-12), key
        else:
            assert str(value) == str(found[1][key]), key


def many(rng: random.Random, size: int = 14) -> tuple[dict[str, Any], dict[str, int]]:
    """Several runs over the same objects, and counts."""
    ids = [f"o{i}" for i in range(size)]
    counts = {i: rng.randint(0, 4) for i in ids} | {ids[0]: 2}
    return {name: {i: rng.choice("abcd") for i in ids} for name in "wxyz"}, counts


def more(run: dict[str, Any], counts: dict[str, int]) -> dict[str, Any]:
    return {f"{i}.{k}": label for i, label in run.items() for k in range(counts[i])}


@pytest.mark.parametrize("seed", range(6))
def test_runs_with_counts_are_replicated_runs(seed: int) -> None:
    runs, counts = many(random.Random(seed))
    plain = {name: more(run, counts) for name, run in runs.items()}
    for measure in ("adjusted_rand", "elm_f", "accuracy", "vi_distance"):
        one, other = cd.matrix(runs, measure, count=counts), cd.matrix(plain, measure)
        assert one.values.tolist() == other.values.tolist()
        judged = cd.matrix(runs, measure, guesses={"g": runs["w"]}, count=counts)
        both = cd.matrix(plain, measure, guesses={"g": plain["w"]})
        assert judged.values.tolist() == both.values.tolist()
    for by in ("mirkin_distance", "vi_distance"):
        found, wanted = cd.consensus(runs, by, count=counts), cd.consensus(plain, by)
        assert found.cost == pytest.approx(wanted.cost, abs=1e-9)
        assert found.distances == pytest.approx(wanted.distances, abs=1e-9)
        if by == "mirkin_distance":
            assert found.bound == pytest.approx(wanted.bound, abs=1e-6)


def test_verbs_that_take_no_counts_say_why(tmp_path: Any) -> None:
    truth = cd.Partition(list("aabb"), ids=list("wxyz"))
    counted = cd.compare(truth, truth, "rand", count=[1, 2, 3, 4])
    assert counted["rand"].value == 1
    table = tmp_path / "t.csv"
    table.write_text("id,cluster,ms\nw,a,1\nx,a,2\ny,b,3\nz,b,4\n")
    side = cd.read(table, count="ms")
    with pytest.raises(cd.ClusterdiffError, match="told for objects that count once"):
        cd.matrix([side, truth, truth]).objects()
    with pytest.raises(cd.ClusterdiffError, match="runs with counts take no singletons"):
        cd.matrix([side, {"w": 1, "x": 2, "y": 3}], align="singletons")


def test_batches_of_counted_clusterings() -> None:
    truth, guess, counts = list("aabbbc"), list("xxxyyy"), [3, 1, 2, 5, 1, 4]
    metric = cd.Accumulator(["elm_f", "adjusted_rand"])
    metric.update(truth[:3], guess[:3], counts[:3])
    metric.update(truth[3:], guess[3:], counts[3:])
    for name in ("elm_f", "adjusted_rand"):
        assert metric.compute()[name].value == cd.measure(name)(truth, guess, count=counts)
