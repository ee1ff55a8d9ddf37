"""Scores beside those of random guesses: golden numbers, enumeration, draws, refusals."""

from __future__ import annotations

import json
import math
from collections import Counter
from fractions import Fraction
from itertools import permutations
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

import clusterdiff as cd
from cases import hard_meet, noisy, pairs_up_to_renaming, partitions
from cli.runner import run
from clusterdiff.chance import chance as chances
from clusterdiff.chance import null_models
from clusterdiff.chance.chance import PairMoments, chance_scores, pair_moments
from clusterdiff.chance.null_models import (
    drawn_tables,
    every_table,
    together_among,
    together_uniformly,
)
from clusterdiff.contingency import Sizes
from clusterdiff.measures.pairs import pairs
from oracles import ORACLES
from refusals import refuses

PAIRS = ("rand", "adjusted_rand", "pair_precision", "pair_recall", "pair_f", "fowlkes_mallows",
         "mirkin_distance")  # fmt: skip
OTHERS = ("pair_jaccard", "elm_f", "bcubed_f", "nmi", "accuracy", "vi_distance")
NOISY = noisy(60, 5, 1, 0.7)
BIG: tuple[list[int], list[int]] = (NOISY[0].tolist(), NOISY[1].tolist())


def sizes(*values: int) -> Sizes:
    size, count = np.unique(values, return_counts=True)
    return Sizes(size, count)


def shared_pairs(truth: Any, guess: Any) -> int:
    objects = range(len(truth))
    return sum(
        truth[i] == truth[j] and guess[i] == guess[j] for i in objects for j in objects if i < j
    )


def guesses_of(null: str, guess: Any) -> list[tuple[int, ...]]:
    """Every guess of a model, by definition: all relabellings of positions, or all partitions."""
    if null == "permutation":
        return list(set(permutations(guess)))
    every = [tuple(labels) for labels in partitions(len(guess))]
    wanted = len(set(guess))
    return every if null == "uniform" else [one for one in every if len(set(one)) == wanted]


@pytest.mark.parametrize(
    ("truth", "guess", "both", "mean", "variance", "z", "p"),
    [
        ("aaabbbcc", "xxyyyzzz", 3, "7/4", "141/112", 1.114062, "23/140"),
        ("aabbcc", "aabbcc", 3, "3/5", "16/25", 3.0, "1/15"),
        ("aaaabb", "xxxyyz", 3, "28/15", "176/225", None, "1/5"),
    ],
)
def test_golden_permutations(
    truth: str, guess: str, both: int, mean: str, variance: str, z: float | None, p: str
) -> None:
    m = hard_meet(list(truth), list(guess))
    assert pairs(m.shapes).both == both
    moments = PairMoments(Fraction(mean), Fraction(variance))
    assert pair_moments(m.truth_sizes, m.guess_sizes) == moments
    found = cd.chance(list(truth), list(guess), [*PAIRS, "pair_jaccard"])
    assert {one.p for one in found.scores.values()} == {float(Fraction(p))}
    shared = {round(cast(float, found[name].z), 12) for name in PAIRS}
    assert len(shared) == 1
    if z is not None:
        assert shared.pop() == pytest.approx(z, abs=1e-6)


@pytest.mark.parametrize(
    ("truth", "guess", "null", "expected"),
    [
        ("aaabb", "xyxyx", "uniform", "141/260"), ("aaabb", "xyxyx", "number", "38/75"),
        ("aaabb", "xyzyx", "number", "69/125"), ("aabb", "xyxy", "uniform", "5/9"),
        ("aabb", "xyxy", "number", "11/21"), ("aabb", "xyzy", "number", "11/18"),
    ],
)  # fmt: skip
def test_golden_expected_rand(truth: str, guess: str, null: Any, expected: str) -> None:
    found = cd.chance(list(truth), list(guess), "rand", null=null)
    assert found.expected == float(Fraction(expected))
    assert found.exact
    assert found.enumerated


def test_moments_are_those_of_all_permutations() -> None:
    seven = (0, 0, 0, 0, 1, 1, 2)
    more = [(seven, (0, 0, 0, 1, 1, 2, 3)), (seven, (0, 1, 1, 2, 2, 2, 2))]
    for truth, guess in [*pairs_up_to_renaming(5), *more]:
        m = hard_meet(truth, guess)
        every = [shared_pairs(truth, one) for one in guesses_of("permutation", guess)]
        mean = Fraction(sum(every), len(every))
        square = Fraction(sum(x * x for x in every), len(every))
        found = pair_moments(m.truth_sizes, m.guess_sizes)
        assert found == (mean, square - mean**2), (truth, guess)


@pytest.mark.parametrize("null", ["permutation", "number", "uniform"])
@pytest.mark.parametrize("name", [*PAIRS, *OTHERS])
def test_enumeration_is_the_definition(name: str, null: Any) -> None:
    """Expected value, standard deviation and p against the oracle of the measure."""
    truth, guess = list("aaabbc"), list("xxyyyz")
    oracle = cast(Any, ORACLES[name])
    score = float(oracle(dict(enumerate(truth)), dict(enumerate(guess))))
    every = [
        float(oracle(dict(enumerate(truth)), dict(enumerate(one))))
        for one in guesses_of(null, guess)
    ]
    mean = math.fsum(every) / len(every)
    sd = math.sqrt(math.fsum((x - mean) ** 2 for x in every) / len(every))
    small = cd.measure(name).is_distance
    as_good = sum(x <= score + 1e-12 if small else x >= score - 1e-12 for x in every)
    found = cd.chance(truth, guess, name, null=null)
    assert found.score == pytest.approx(score, abs=1e-12)
    assert found.expected == pytest.approx(mean, abs=1e-12)
    assert found.sd == pytest.approx(sd, abs=1e-9)
    assert found.p == pytest.approx(as_good / len(every), abs=1e-12)
    assert found.z == pytest.approx((mean - score if small else score - mean) / sd, abs=1e-9)


@pytest.mark.parametrize("null", ["permutation", "number", "uniform"])
def test_draws_come_near_to_enumeration(null: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    truth, guess = list("aaabbbcc"), list("xxyyyzzz")
    names = ["rand", "pair_jaccard", "elm_f", "nmi", "vi_distance"]
    every = cd.chance(truth, guess, names, null=null)
    monkeypatch.setattr(chances, "ENUMERATED", 0)
    drawn = cd.chance(truth, guess, names, null=null, draws=4000, seed=3)
    for name in names:
        one, exact = drawn[name], every[name]
        assert one.draws == 4000
        assert one.expected == pytest.approx(exact.expected, abs=4 * exact.sd / math.sqrt(4000))
        assert one.sd == pytest.approx(exact.sd, rel=0.08)
        assert one.p == pytest.approx(exact.p, abs=0.03)
        assert one.exact == (one.error == 0.0)


@pytest.mark.parametrize("dense", [0, 10**9])
@pytest.mark.parametrize("null", ["permutation", "number"])
def test_every_table_is_drawn_as_often_as_it_should(
    null: Any, dense: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Drawn cell by cell (0) and object by object, against all guesses of the model."""
    monkeypatch.setattr(null_models, "DENSE", dense)
    truth, guess = sizes(1, 1, 4), sizes(1, 2, 3)
    wanted = Counter(map(bytes, tables_of(every_table(truth, guess, null))))
    draws = 6000
    found: Counter[bytes] = Counter()
    for tables in drawn_tables(truth, guess, null, draws, 5):
        found.update(map(bytes, tables_of(tables)))
    assert set(found) <= set(wanted)
    for table, times in wanted.items():
        share = times / wanted.total()
        assert abs(found[table] / draws - share) < 5 * math.sqrt(share * (1 - share) / draws)


def tables_of(tables: null_models.RandomTables) -> list[list[int]]:
    """A comparison as its sorted cells: (objects in both, sizes of both clusters)."""
    stack = tables.stack()
    made = []
    for i in range(len(stack)):
        m = stack[i]
        cells = zip(m.both, m.truth_size, m.guess_size, m.times, strict=True)
        made.append([int(x) for cell in sorted(map(tuple, cells)) for x in cell])
    return made


@pytest.mark.parametrize("dense", [0, 10**9])
def test_guesses_with_empty_clusters_are_caught(
    dense: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the model of a number forbids is told from what it has, as the test above does."""
    monkeypatch.setattr(null_models, "DENSE", dense)
    truth, guess = sizes(1, 1, 4), sizes(1, 2, 3)
    wanted = set(map(bytes, tables_of(every_table(truth, guess, "number"))))
    wrong = drawn_tables(truth, guess, "uniform", 200, 5)
    assert not {bytes(one) for tables in wrong for one in tables_of(tables)} <= wanted


def test_crowded_guesses_of_a_number_are_uniform() -> None:
    """Sizes drawn until they sum to all objects: 45 partitions of 6 objects into 5 or 4."""
    truth, guess = sizes(1, 2, 3), sizes(1, 1, 2, 2)
    assert not null_models._are_few(60, 48)
    rate = null_models.size_rate(6, 4)
    chances = null_models.size_probabilities(rate)
    rng = np.random.default_rng(0)
    found = Counter(
        tuple(sorted(np.bincount(null_models._of_random_sizes(6, 4, chances, rng)).tolist()))
        for _ in range(4000)
    )
    every = Counter(
        tuple(sorted(np.bincount(labels).tolist())) for labels in partitions(6) if max(labels) == 3
    )
    assert set(found) == set(every) == {(1, 1, 1, 3), (1, 1, 2, 2)}
    for kind, times in every.items():
        assert found[kind] / 4000 == pytest.approx(times / every.total(), abs=0.04)
    assert truth.pairs == 4
    assert guess.pairs == 2


def test_sparse_pairs_are_those_of_whole_permutations() -> None:
    """Pairs drawn without the single objects have the mean and variance of the closed form."""
    truth, guess = sizes(*[1] * 60, *[2] * 20, 5, 7), sizes(*[1] * 50, *[2] * 25, 3, 9)
    tables = drawn_tables(truth, guess, "permutation", 6000, 1, with_singles=False)
    drawn = np.concatenate([some.pairs_of_both() for some in tables])
    moments = pair_moments(truth, guess)
    sd = math.sqrt(moments.variance)
    assert drawn.mean() == pytest.approx(float(moments.mean), abs=4 * sd / math.sqrt(6000))
    assert drawn.std() == pytest.approx(sd, rel=0.08)


def test_partitions_are_counted() -> None:
    assert [len(set(partitions(n))) for n in range(7)] == [1, 1, 2, 5, 15, 52, 203]
    for n in range(2, 7):
        for k in range(1, n + 1):
            every = [one for one in partitions(n) if max(one) + 1 == k]
            wanted = Fraction(sum(one[0] == one[1] for one in every), len(every))
            assert together_among(n, k) == wanted
        whole = partitions(n)
        assert together_uniformly(n) == Fraction(sum(o[0] == o[1] for o in whole), len(whole))


@pytest.mark.parametrize("clusters", [1, 2, 7, 100, 250, 399, 400])
def test_stirling_numbers_of_many_objects(clusters: int, monkeypatch: pytest.MonkeyPatch) -> None:
    exact = together_among(400, clusters), together_uniformly(400)
    monkeypatch.setattr(null_models, "EXACT", 1)
    assert float(together_among(400, clusters)) == pytest.approx(float(exact[0]), rel=1e-12)
    assert float(together_uniformly(400)) == pytest.approx(float(exact[1]), rel=1e-12)


def test_huge_numbers_have_a_ratio() -> None:
    """Of partitions of n objects into n - 1 clusters, one pair of C(n, 2) is together."""
    assert float(together_among(10**6, 10**6 - 1)) == pytest.approx(2 / (10**6 * 999_999), rel=1e-8)
    assert float(together_among(10**6, 2)) == pytest.approx(0.5, rel=1e-9)


def test_the_same_seed_draws_the_same_whatever_the_names_and_the_order() -> None:
    truth, guess = BIG
    first = cd.chance(truth, guess, ["elm_f", "rand"], draws=300)
    order = np.random.default_rng(0).permutation(len(truth))
    again = cd.chance(
        [f"t{truth[i]}" for i in order], [9 - guess[i] for i in order], ["elm_f", "rand"], draws=300
    )
    assert first.to_dict()["measures"] == again.to_dict()["measures"]
    other = cd.chance(truth, guess, "elm_f", draws=300, seed=1)
    assert other.sd != first["elm_f"].sd
    assert other.expected == first["elm_f"].expected


def test_measures_do_not_change_each_other() -> None:
    truth, guess = BIG
    alone = [cd.chance(truth, guess, name, draws=200) for name in ("rand", "elm_f")]
    both = cd.chance(truth, guess, ["rand", "elm_f"], draws=200)
    assert [one.p for one in alone] == [both["rand"].p, both["elm_f"].p]


def test_chunks_hold_all_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(null_models, "CELLS", 100)
    m = hard_meet(*BIG)
    for null in ("permutation", "number", "uniform"):
        tables = list(drawn_tables(m.truth_sizes, m.guess_sizes, cast(Any, null), 7, 0))
        assert len(tables) > 1
        assert sum(one.draws for one in tables) == 7
        for one in tables:
            assert one.both.sum() == 60 * one.draws
            assert len(one.stack()) == one.draws
    tables = list(drawn_tables(m.truth_sizes, m.guess_sizes, "permutation", 7, 0, False))
    assert sum(one.pairs_of_both().size for one in tables) == 7


def test_perfect_agreement_has_the_smallest_p_and_says_so() -> None:
    truth = [i // 2 for i in range(40)]
    found = cd.chance(truth, truth, ["rand", "elm_f"], draws=99)
    assert found["rand"].p == found["elm_f"].p == 0.01
    text = " ".join(found.to_text(80).split())
    assert "0.01 is the smallest p that 99 draws can give." in text
    assert "a small p excludes chance," in text
    worse = cd.chance(truth, [i % 20 for i in range(40)], "rand", draws=99)
    assert "smallest" not in worse.to_text(80)


def test_closed_forms_need_no_draws() -> None:
    truth = [i // 2 for i in range(40)]
    found = cd.chance(truth, truth, list(PAIRS), draws=0)
    assert {one.p for one in found.scores.values()} == {None}
    m = hard_meet(truth, truth)
    moments = pair_moments(m.truth_sizes, m.guess_sizes)
    assert found["rand"].z == pytest.approx(float(20 - moments.mean) / math.sqrt(moments.variance))
    assert found["rand"].expected == float(1 - (40 - 2 * moments.mean) / 780)
    refuses("elm_f has no standard deviation", cd.chance, truth, truth, draws=0)


def test_billions_of_objects_have_closed_forms() -> None:
    m = cd.HardMeet.from_rows([0, 1, 1, 2], [0, 0, 1, 2], [3, 2, 5, 1], [1, 1, 1, 4 * 10**9])
    [found] = chance_scores(m, [cd.measure("rand")], "permutation", 0, 0)
    assert found.closed
    assert found.z is not None
    assert found.z > 1e7
    less = cd.HardMeet.from_rows([0, 1, 1, 2], [0, 0, 1, 2], [3, 2, 5, 1], [1, 1, 1, 9 * 10**8])
    for one in chance_scores(less, [cd.measure("rand"), cd.measure("elm_f")], "permutation", 50, 0):
        assert one.p == 1 / 51
    with pytest.raises(cd.ClusterdiffError, match="900,000,010 objects cannot be drawn"):
        chance_scores(less, [cd.measure("elm_f")], "uniform", 9, 0)
    with pytest.raises(cd.ClusterdiffError, match="4,000,000,010 objects cannot be drawn"):
        chance_scores(m, [cd.measure("rand")], "permutation", 9, 0)


def test_guesses_that_do_not_fit_the_memory_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before anything is drawn; what is not drawn needs no memory."""
    monkeypatch.setattr(null_models, "DRAWN", 100_000)
    for name, size in (("truth", 2), ("guess", 3)):
        rows = "".join(f"{i},{i // size}\n" for i in range(2_000))
        (tmp_path / f"{name}.csv").write_text(f"id,cluster\n{rows}")
    given, few = (tmp_path / "truth.csv", tmp_path / "guess.csv"), cd.DuckDB(memory="100MB")
    with pytest.raises(cd.ClusterdiffError, match="2,000 objects would take about 400.0 MB") as ran:
        cd.chance(*given, ["rand"], engine=few)
    assert "draws=0 has a closed form" in ran.value.hint
    assert cd.chance(*given, ["rand"], draws=0, engine=few).exact


def test_draws_without_spread_have_no_z() -> None:
    truth = [i // 10 for i in range(40)]
    guess = [0, *range(1, 5)] * 8
    found = cd.chance(truth, guess, ["exact_f", "rand"], draws=50)
    assert found["exact_f"].z is None
    assert found["exact_f"].p == 1.0
    assert "exact_f: all draws score alike" in found.to_text(80)


def test_results_are_indexed_and_exported() -> None:
    found = cd.chance(*BIG, ["rand", "nmi"], draws=60)
    assert list(found) == ["rand", "nmi"]
    assert len(found) == 2
    assert found["rand_score"] is found["rand"]
    frame = found.to_frame("pyarrow")
    assert frame.column("measure").to_pylist() == ["rand", "nmi"]
    assert json.loads(found.to_json())["measures"]["nmi"]["draws"] == 60
    assert found.to_csv().startswith("guess,measure,score,expected,sd,z,p,exact,draws,null,seed,")
    assert found.to_markdown().startswith("|  | score | expected | sd | z | p |")
    assert "null:permutation|draws:60|seed:0|numpy:" in found.records()[0]["signature"]
    assert r"\toprule" in found.to_latex()
    assert ">rand</td>" in found._repr_html_()
    with pytest.raises(cd.ClusterdiffError, match="2 measures, each with its own numbers"):
        _ = found.p
    with pytest.raises(cd.ClusterdiffError, match="elm_f was not asked for"):
        _ = found["elm_f"]


COVER = cd.Cover({1: ["a", "b"], 2: ["a"], 3: ["b"]})
FUZZY = cd.Fuzzy([[0.5, 0.5], [1, 0], [0, 1]])


@pytest.mark.parametrize(
    ("given", "options", "message", "hint"),
    [
        (("aab", "aaa"), {}, "guess has one cluster alone", 'null="uniform"'),
        (("aaa", "aab"), {}, "truth has one cluster alone", 'null="uniform"'),
        (("aab", "abc"), {"null": "number"}, "guess has nothing but single objects", "uniform"),
        (("a", "a"), {"null": "uniform"}, "one object alone", "compare two objects or more."),
        (("aab", "abb"), {"null": "permute"}, "unknown null model 'permute'", "permutation"),
        (("aab", "abb"), {"null": "two-sided"}, "unknown null model", "Choose from"),
        (("aab", "abb"), {"draws": -1}, "draws must be a whole number", "draws=9999"),
        (("aab", "abb"), {"draws": 1.5}, "draws must be a whole number", "draws=9999"),
        (("aab", "abb"), {"seed": "x"}, "seed must be a whole number", "seed=0"),
        (("aab", "abb"), {"measure": "omega"}, "omega compares other", "adjusted_rand compares"),
        (("aab", "abb"), {"measure": "rand_alpha"}, "rand_alpha compares other", "elm_f compares"),
        (("aab", "abb"), {"align": "penalise"}, "objects on one side only", "shared"),
        (("aab", "abb"), {"samples": [1, 1, 2]}, "several samples", "one sample at a time"),
        ((COVER, COVER), {}, "several clusters of a cover", "cd.compare"),
        ((FUZZY, "aab"), {}, "truth is fuzzy", "harden"),
        (("aab", {"a": "aab", "b": "abb"}), {}, "chance", ""),
    ],
)
def test_wrong_uses(given: Any, options: Any, message: str, hint: str) -> None:
    sides = [list(one) if isinstance(one, str) else one for one in given]
    if isinstance(sides[1], dict):
        sides[1] = {name: list(labels) for name, labels in sides[1].items()}
    refused = refuses(None, cd.chance, *sides, **options)
    assert message in refused.message
    assert hint in refused.hint


def test_a_measure_that_never_changes_is_refused() -> None:
    """No shuffled guess of 3 and 1 objects has a cluster of 2."""
    refuses("no spread to compare with", cd.chance, list("aabb"), list("xxxy"), "exact_f")


def test_the_command_reads_files(tmp_path: Path) -> None:
    truth, guess = tmp_path / "truth.csv", tmp_path / "guess.csv"
    for path, labels in ((truth, BIG[0]), (guess, BIG[1])):
        path.write_text("id,cluster\n" + "".join(f"{i},c{c}\n" for i, c in enumerate(labels)))
    files = str(truth), str(guess)
    ran = run("chance", *files, "-m", "rand,elm_f", "--draws", "199", "--seed", "4", "-f", "json")
    assert ran.code == 0, ran.stderr
    told = json.loads(ran.stdout)
    found = cd.chance(*BIG, ["rand", "elm_f"], draws=199, seed=4)
    for name in ("rand", "elm_f"):
        for key in ("score", "expected", "sd", "z", "p"):
            assert told["measures"][name][key] == getattr(found[name], key)
    assert (told["null"], told["draws"], told["seed"]) == ("permutation", 199, 4)
    text = run("chance", *files, "-m", "rand", "--null", "number", "--draws", "49")
    assert text.code == 0
    assert "number: the guess is drawn from all partitions with as many clusters" in text.stdout
    assert "from 49 draws with seed 0" in " ".join(text.stdout.split())
    arrays = run("chance", *files, "--draws", "19", "--engine", "arrays", "-f", "csv")
    assert arrays.stdout == run("chance", *files, "--draws", "19", "-f", "csv").stdout


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (["--null", "nix"], "'nix' is not one of"),
        (["--draws", "-1"], "Hint: write e.g. --draws 9999."),
        (["-m", "omega"], "Hint: adjusted_rand compares partitions."),
        (["--align", "penalise"], "Hint: use --align shared"),
    ],
)
def test_the_command_refuses_in_a_paragraph(flags: list[str], message: str) -> None:
    ran = run("chance", "12|34", "1|234", *flags)
    assert ran.code == 2
    assert message in ran.stderr
    assert "Traceback" not in ran.stderr
