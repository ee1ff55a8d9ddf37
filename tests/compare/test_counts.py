"""Objects that count more than once score as the same data in which each row is given so often."""

from __future__ import annotations

import math
import random
import re
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import sklearn.metrics

import clusterdiff as cd
from clusterdiff.contingency.hard import HardMeet
from clusterdiff.measures import Measure

GOLDEN = list("aabbbc"), list("xxxyyy"), [3, 1, 2, 5, 1, 4]
POLICIES: list[dict[str, Any]] = [
    {"align": align, **noise}
    for align in ("exact", "shared", "singletons", "penalise")
    for noise in ({}, {"noise": "n"}, {"noise": "n", "noise_as": "drop"})
]
Labels = dict[Any, Any]


def replicated(labels: Labels, counts: dict[Any, int]) -> Labels:
    """Every row `count` times, under ids of its own."""
    return {f"{i}/{k}": label for i, label in labels.items() for k in range(counts[i])}


def drawn(seed: int, *, gaps: bool, most: int = 4) -> tuple[Labels, Labels, dict[Any, int]]:
    """Two random clusterings with noise, some objects on one side only, and counts, some of 0."""
    rng = random.Random(seed)
    ids = [f"o{i}" for i in range(rng.randint(2, 14))]
    sides = [
        {i: rng.choice("aabbcden") for i in ids if not gaps or i == ids[0] or rng.random() < 0.8}
        for _ in range(2)
    ]
    counts = {i: rng.randint(0, most) for i in ids} | {ids[0]: 2}
    return sides[0], sides[1], counts


def same(left: Any, right: Any) -> bool:
    """Whether two scores are the same number, or ranges of the same numbers."""
    return bool(left == right) or (str(left), str(right)) == ("nan", "nan")


def of_partitions() -> list[Measure]:
    return [m for m in cd.measures() if not m.has_function and m.name != "adjusted"]


def scored(measure: Measure, *sides: Any, **how: Any) -> Any:
    """The score, or the sentence of the refusal."""
    try:
        return measure(*sides, **how)
    except cd.ClusterdiffError as error:
        return re.sub(r"\d[\d,.]*", "N", error.message).partition("(")[0]


@pytest.mark.parametrize("policy", POLICIES, ids=lambda p: "-".join(map(str, p.values())))
def test_counts_are_replication_for_every_measure(policy: dict[str, Any]) -> None:
    """To the bit, and a comparison that is refused is refused with counts too."""
    numbers = 0
    for seed in range(12):
        truth, guess, counts = drawn(seed, gaps=policy["align"] != "exact")
        more = [replicated(side, counts) for side in (truth, guess)]
        try:
            counted = cd.meet(truth, guess, count=counts, **policy)
            plain = cd.meet(*more, **policy)
        except cd.ClusterdiffError as error:
            with pytest.raises(type(error)):
                cd.meet(*more, **policy)
            continue
        assert counted == plain
        assert str(counted.alignment) == str(plain.alignment)
        assert counted.alignment.noise == plain.alignment.noise
        for measure in of_partitions():
            if "soft" not in measure.needs:
                numbers += 1
                left, right = (scored_meet(measure, m) for m in (counted, plain))
                assert same(left, right), (seed, measure, left, right)
    assert numbers > 300


def scored_meet(measure: Measure, meet: Any) -> Any:
    try:
        return measure.of(meet)
    except cd.ClusterdiffError as error:
        return error.message


def test_golden_numbers_of_sixteen_rows() -> None:
    truth, guess, counts = GOLDEN
    rows = [[x for x, n in zip(side, counts, strict=True) for _ in range(n)]
            for side in (truth, guess)]  # fmt: skip
    assert len(rows[0]) == 16
    counted, plain = cd.compare(truth, guess, count=counts), cd.compare(*rows)
    assert counted.scores.keys() == plain.scores.keys()
    for name in plain.measures:
        assert counted[name].value == plain[name].value, name
    assert cd.adjusted_rand(truth, guess, count=counts) == 0.26666666666666666


PEERS = {
    "rand": "rand_score", "adjusted_rand": "adjusted_rand_score",
    "nmi": "normalized_mutual_info_score", "mutual_information": "mutual_info_score",
    "adjusted_mutual_information": "adjusted_mutual_info_score",
    "fowlkes_mallows": "fowlkes_mallows_score", "v_measure": "v_measure_score",
    "homogeneity": "homogeneity_score", "completeness": "completeness_score",
}  # fmt: skip


@pytest.mark.parametrize("name", PEERS)
def test_scikit_learn_on_the_replicated_labels(name: str) -> None:
    rng = np.random.default_rng(7)
    truth, guess = rng.integers(0, 5, 60), rng.integers(0, 4, 60)
    counts = rng.integers(0, 9, 60)
    peer = getattr(sklearn.metrics, PEERS[name])
    wanted = peer(np.repeat(truth, counts), np.repeat(guess, counts))
    found = cd.measure(name)(truth, guess, count=counts)
    assert found == pytest.approx(wanted, abs=1e-12)


def test_what_gives_counts() -> None:
    """A list, an array, a dict, and clusterings that have them say the same."""
    truth, guess, counts = GOLDEN
    ids = list("pqrstu")
    left, right = dict(zip(ids, truth, strict=True)), dict(zip(ids, guess, strict=True))
    by_id = dict(zip(ids, counts, strict=True))
    wanted = cd.meet(truth, guess, count=counts).digest
    for given in (tuple(counts), np.array(counts), np.array(counts, np.uint64), iter_of(counts)):
        assert cd.meet(truth, guess, count=given).digest == wanted
    assert cd.meet(truth, guess, count=[float(n) for n in counts]).digest == wanted
    assert cd.meet(left, right, count=by_id).digest == wanted
    assert cd.meet(left, dict(reversed(right.items())), count=by_id).digest == wanted
    assert cd.meet(left, dict(reversed(right.items())), count=counts).digest == wanted


def iter_of(counts: list[int]) -> Any:
    import pandas as pd

    return pd.Series(counts, index=range(3, 3 + len(counts)))


def test_counts_on_one_side_hold_for_both_and_stand_in_the_signature() -> None:
    import polars as pl

    truth, guess, counts = GOLDEN
    left = pl.DataFrame({"id": range(6), "cluster": truth, "ms": counts})
    right = pl.DataFrame({"id": range(6), "cluster": guess}).reverse()
    plain = cd.compare(dict(enumerate(truth)), dict(enumerate(guess)), "rand")["rand"]
    for sides in ((left, right), (right, left)):
        found = cd.compare(*sides, "rand", count="ms")["rand"]
        assert found.value == cd.rand(truth, guess, count=counts)
        assert "|count:ms|" in found.sign()
        assert found.signature["meet"] != plain.signature["meet"]
    ones = cd.compare(truth, guess, "rand", count=[1] * 6)["rand"]
    assert ones.signature["meet"] == plain.signature["meet"]  # once each is the same data
    assert ones.signature["count"] == "given"
    one, two = (
        pl.DataFrame(
            {"id": range(300), "cluster": [i // k for i in range(300)], "ms": [1, 2] * 150}
        )
        for k in (3, 5)
    )
    sure = cd.compare(one, two, "rand", count="ms", confidence=0.9)["rand"].signature
    assert sure["count"] == "ms"
    assert sure["units"] == "20 components"
    sure = cd.compare(one, two, "rand", count="ms", confidence=0.9, units="objects")["rand"]
    assert sure.signature["units"] == "300 objects"


BAD: list[tuple[Any, str, str]] = [
    ([3, -1, 2, 5, 1, 4], r"1 of 6 counts is negative \(-1 of object 1\)", "as if absent"),
    ([3, 0.5, 2, 5, 1, 4], r"1 of 6 counts is not whole \(0.5 of object 1\)", "milliseconds"),
    ([3, None, 2, 5, 1, 4], r"1 of 6 counts is missing \(object 1\)", "give each object"),
    ([3, math.nan, 2, 5, 1, 4], r"1 of 6 counts is missing \(object 1\)", "give each object"),
    ([3, math.inf, 2, 5, 1, 4], "1 of 6 counts is infinite", "give each object"),
    ([3.0, -1.0, 2, 5, 1, 4], "1 of 6 counts is negative", "as if absent"),
    ([Fraction(1, 2)] * 6, r"6 of 6 counts are not whole \(.*; …\)", "parts per million"),
    (["3"] * 6, "6 of 6 counts are not numbers", "convert the column"),
    ([2**61] * 6, "add up to 1.38e[+]19 objects; fewer than 2⁶³", "larger unit"),
    ([2**64] * 6, "6 of 6 counts are 2⁶³ or more", "larger unit"),
    ([1e17] * 6, "too large for floating-point numbers", "larger unit"),
    ([0] * 6, "no object is left: all 6 counts are 0", "as if the object was absent"),
    ([1, 2], "there are 6 objects and 2 counts", "one count for each"),
    (3, "count is an int", "name of a column"),
    ("ms", "names a column, and neither truth nor guess has it", "a dict from id"),
]


@pytest.mark.parametrize(("count", "message", "hint"), BAD)
def test_what_is_no_count_is_refused(count: Any, message: str, hint: str) -> None:
    truth, guess, _ = GOLDEN
    with pytest.raises(cd.ClusterdiffError, match=message) as refused:
        cd.compare(truth, guess, count=count)
    assert hint in refused.value.hint
    assert "\n" not in refused.value.message


def test_counts_that_disagree_are_refused() -> None:
    import polars as pl

    truth, guess, counts = GOLDEN
    left = pl.DataFrame({"id": list("pqrstu"), "cluster": truth, "ms": counts})
    right = pl.DataFrame({"id": list("pqrstu"), "cluster": guess, "ms": [3, 1, 2, 5, 0, 9]})
    for one, other in ((left, right), (left, right.reverse())):
        with pytest.raises(cd.ClusterdiffError, match="2 objects have two different counts"):
            cd.compare(one, other, count="ms")
    twice = pl.concat([left, left.with_columns(ms=pl.col("ms") + 1)])
    with pytest.raises(cd.ClusterdiffError, match="'p' counts 3 and 4"):
        cd.compare(twice, right, count="ms", align="shared")
    few = pl.concat([right.drop("ms"), pl.DataFrame({"id": ["new"], "cluster": ["x"]})])
    assert cd.rand(left, few, count="ms", align="shared") == cd.rand(truth, guess, count=counts)
    for align in ("singletons", "penalise"):
        with pytest.raises(cd.ClusterdiffError, match=r"1 object has no count \(object 'new'\)"):
            cd.bcubed_f(left, few, count="ms", align=align)


def test_duplicates_count_once() -> None:
    import polars as pl

    truth, guess, counts = GOLDEN
    left = pl.DataFrame({"id": list("pqrstu"), "cluster": truth, "ms": counts})
    right = pl.DataFrame({"id": list("pqrstu"), "cluster": guess})
    found = cd.compare(pl.concat([left, left[:2]]), right, "elm_f", count="ms")["elm_f"]
    assert found.value == cd.elm_f(truth, guess, count=counts)
    assert found.signature["repeats"] == 2


def test_a_package_that_counts_each_object_once_refuses() -> None:
    truth, guess, counts = GOLDEN
    with pytest.raises(cd.ClusterdiffError, match="scikit-learn counts each object once"):
        cd.compare(truth, guess, "rand", count=counts, compat="sklearn")
    with pytest.raises(cd.ClusterdiffError, match="counts each object once"):
        cd.rand(truth, guess, count=counts, compat="sklearn")


BIG = 2**62 - 1


def test_sums_are_exact_up_to_two_to_the_sixty_third() -> None:
    """Sums of floating-point numbers would lose the ones."""
    found = cd.meet(list("aab"), list("xyy"), count=[BIG, 2**61 + 1, 2**61 - 1])
    assert isinstance(found, HardMeet)
    assert found.objects == 2**63 - 1
    assert sorted(found.both.tolist()) == [2**61 - 1, 2**61 + 1, BIG]
    assert set(found.truth_size.tolist()) == {BIG + 2**61 + 1, 2**61 - 1}
    assert set(found.guess_size.tolist()) == {BIG, 2**62}
    many = np.arange(5000) % 7, np.arange(5000) % 11
    counts = np.full(5000, 2**50 + 1)
    wide = cd.meet(*many, count=counts)
    assert isinstance(wide, HardMeet)
    assert wide.objects == 5000 * (2**50 + 1)
    assert (wide.both % (2**50 + 1) == 0).all()


@pytest.mark.parametrize("name", ["rand", "adjusted_rand", "pair_f", "bcubed_f", "elm_f", "nmi"])
def test_scores_of_counts_near_two_to_the_sixty_second(name: str) -> None:
    """The scores of large counts are those of small ones where only shares matter, to first order;
    pairs are counted as whole numbers.
    """
    small, large = ([n * k for n in (3, 1, 2, 5, 1, 4)] for k in (2**20, 2**58))
    truth, guess, _ = GOLDEN
    measure = cd.measure(name)
    assert measure(truth, guess, count=large) == pytest.approx(
        measure(truth, guess, count=small), abs=1e-6
    )


def test_wrong_sums_would_be_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """Counts that are ignored, and sums that round, fail the tests above."""
    from clusterdiff.clusterings import grouping

    truth, guess, counts = GOLDEN
    assert cd.rand(truth, guess) != cd.rand(truth, guess, count=counts)
    monkeypatch.setattr(grouping, "EXACT", 2.0**70)
    with pytest.raises(AssertionError):
        test_sums_are_exact_up_to_two_to_the_sixty_third()


def test_lone_copies_are_written_out_or_refused() -> None:
    """Each copy of noise is a cluster of its own; too many to write out are refused."""
    truth, guess = ["a", "a", "n"], ["x", "x", "x"]
    found = cd.meet(truth, guess, noise="n", count=[1, 1, 3])
    assert found == cd.meet([*truth, "n", "n"], [*guess, "x", "x"], noise="n")
    with pytest.raises(cd.ClusterdiffError, match="too many to compare") as refused:
        cd.meet(truth, guess, noise="n", count=[1, 1, 2**40])
    assert 'noise_as="drop"' in refused.value.hint


@pytest.mark.parametrize("objects", [10, 300_000])
def test_many_clusters_are_grouped_alike(objects: int) -> None:
    """Tables, sorted cells with their counts, and cells whose counts do not fit beside them."""
    rng = np.random.default_rng(objects)
    truth, guess = rng.integers(0, objects, objects), rng.integers(0, objects, objects)
    counts = rng.integers(0, 4, objects)
    wanted = cd.meet(np.repeat(truth, counts), np.repeat(guess, counts))
    assert cd.meet(truth, guess, count=counts) == wanted
    spread = truth * 2**22, guess * 2**22
    assert cd.meet(*spread, count=counts) == wanted
    large = cd.meet(truth, guess, count=counts * 2**40)
    assert large.objects == wanted.objects * 2**40
    assert large.rows == wanted.rows


TABLES: dict[str, Any] = {
    "pandas": lambda frame, path: frame,
    "polars": lambda frame, path: __import__("polars").from_pandas(frame),
    "lazy": lambda frame, path: __import__("polars").from_pandas(frame).lazy(),
    "pyarrow": lambda frame, path: __import__("pyarrow").Table.from_pandas(frame),
    "duckdb": lambda frame, path: __import__("duckdb").from_df(frame),
    "csv": lambda frame, path: frame.to_csv(path, index=False) or path,
}


@pytest.mark.parametrize("name", TABLES)
def test_a_column_of_the_one_table_has_the_counts(name: str, tmp_path: Any) -> None:
    import pandas as pd

    truth, guess, counts = GOLDEN
    columns = {"doc": list("ppqqrr"), "nr": [1, 2, 1, 2, 1, 2], "t": truth, "g": guess, "n": counts}
    frame = pd.DataFrame({"id": list("abcdef"), **columns})
    table = TABLES[name](frame, str(tmp_path / "t.csv"))
    found = cd.compare(table, "bcubed_f", truth="t", guess="g", count="n")["bcubed_f"]
    assert found.value == cd.bcubed_f(truth, guess, count=counts)
    assert found.signature["count"] == "n"
    one = cd.compare(table, "rand", truth="t", guesses=["g"], id=["doc", "nr"], count="n")
    assert one["rand"].value == cd.rand(truth, guess, count=counts)
    by_doc = cd.compare(table, "rand", truth="t", guess="g", samples="doc", count="n")["rand"]
    assert (
        by_doc.value
        == cd.compare(truth, guess, "rand", samples=columns["doc"], count=counts)["rand"].value
    )
    told: Any = cd.explain(table, truth="t", guess="g", count="n")
    assert told.score.meet.objects == 16
    with pytest.raises(cd.ClusterdiffError, match="has no column 'm'|names a column"):
        cd.compare(table, "rand", truth="t", guess="g", count="m")


def test_counts_of_the_objects_of_anndata_and_of_the_runs_of_a_frame() -> None:
    import pandas as pd

    truth, guess, counts = GOLDEN
    frame = pd.DataFrame({"x": truth, "y": guess, "n": counts}, index=list("abcdef"))
    found = cd.matrix(frame, "rand", count="n")
    assert found.values[0, 1] == cd.rand(truth, guess, count=counts)
    assert cd.track(frame, count="n").steps[0].name == "x → y"
    assert cd.consensus(frame, count="n").distances
    networkx = pytest.importorskip("networkx")
    graph = networkx.Graph()
    for node, t, g, n in zip("abcdef", truth, guess, counts, strict=True):
        graph.add_node(node, t=t, g=g, n=n)
    own = cd.compare(graph, "rand", truth="t", guess="g", count="n")["rand"].value
    assert own == cd.rand(truth, guess, count=counts)
