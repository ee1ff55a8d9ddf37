"""Where uncertain clusterings differ: what objects add, and how far both sides agree on them."""

from __future__ import annotations

import json
import math
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import clusterdiff as cd
from clusterdiff.clusterings.sets import singles
from clusterdiff.errors import ClusterdiffError, KindError, UnknownObject
from clusterdiff.explain.soft import SoftExplanation
from clusterdiff.measures import attribution as soft_loss
from clusterdiff.measures import pair_masses as relations
from clusterdiff.output.text import columns
from oracles.soft import KINDS, Mass, Soft, membership, named, pair_cost, restricted
from soft_cases import UNCERTAIN, Case, drawn

CLOSE = 1e-12
MEASURES = [
    "partition_distance_alpha(over='n')", "partition_distance_alpha",
    "partition_distance_alpha(alpha=0)", "partition_distance_alpha(alpha=0.3, over='n')",
    "partition_distance_alpha(alpha=0.5)", "partition_distance_alpha(alpha=1)",
]  # fmt: skip


def explained(truth: Any, guess: Any, by: Any = None, **options: Any) -> SoftExplanation:
    told = cd.explain(truth, guess, by, **options)
    assert isinstance(told, SoftExplanation)
    return told


@cache
def all_kinds(seed: int, each: int, **given: Any) -> list[Case]:
    """Cases of all pairs of kinds, at least one of them uncertain."""
    found = drawn(seed, each, **given)
    return [case for case in found if set(case.kinds) != {"partition"}]


# What the definitions say


def matching(told: SoftExplanation) -> dict[Any, Any]:
    return {c.truth: c.guess for c in told.clusters if c.guess is not None}


def belief(x: Mass, y: Mass, match: dict[int, int]) -> float:
    """The masses on a cluster alone and on the one that stands for it alone."""
    return float(sum(x.get(frozenset({a}), 0) * y.get(frozenset({b}), 0) for a, b in match.items()))


def plausibility(x: Mass, y: Mass, match: dict[int, int]) -> float:
    """The masses on two sets of which one holds a cluster that stands for one of the other."""
    return float(
        sum(v * w for a, v in x.items() for b, w in y.items() if {match.get(c) for c in a} & b)
    )


def common(x: Mass, y: Mass, match: dict[int, int]) -> float:
    """Over matched clusters, the lesser of the masses on sets that hold them."""
    return float(sum(min(membership(x, a), membership(y, b)) for a, b in match.items()))


def cost(truth: Soft, guess: Soft, match: dict[int, int], i: int, alpha: float) -> float:
    """Over clusters: what it takes to turn "is it in this one" of truth into that of guess."""
    left, right = named(truth), named(guess)
    pairs: list[tuple[int | None, int | None]] = list(match.items())
    first: list[int | None] = [a for a in left if a not in match]
    second: list[int | None] = [b for b in right if b not in match.values()]
    size = max(len(left), len(right)) - len(pairs)
    first += [None] * (size - len(first))
    second += [None] * (size - len(second))
    pairs += zip(first, second, strict=True)
    x, y = truth[i], guess[i]
    return float(sum(pair_cost(restricted(x, a), restricted(y, b), alpha) for a, b in pairs))


def size(soft: Soft, cluster: int) -> tuple[float, float]:
    """Objects that are in a cluster for certain, and that may be."""
    return (
        float(sum(mass.get(frozenset({cluster}), 0) for mass in soft)),
        float(sum(v for mass in soft for a, v in mass.items() if cluster in a)),
    )


# What objects add


@pytest.mark.parametrize("by", MEASURES)
def test_what_objects_add_sums_up_to_the_distance(by: str) -> None:
    measure = cd.measure(by)
    for case in all_kinds(21, 2, objects=(1, 7), clusters=4):
        told = explained(*case.ours, by)
        found = measure(*case.ours)
        ends = (found.low, found.high) if isinstance(found, cd.ScoreRange) else (found, found)
        sums = math.fsum(told.agreement.low), math.fsum(told.agreement.high)
        assert sums == pytest.approx(ends, abs=CLOSE)
        assert told.score.value == found
        each = [told.object(i) for i in range(len(case.truth))]
        assert math.fsum(v.low for v in each) == pytest.approx(ends[0], abs=CLOSE)
        assert math.fsum(v.high for v in each) == pytest.approx(ends[1], abs=CLOSE)
        places = told.top(None, None)
        assert math.fsum(p.high for p in places) == pytest.approx(ends[1], abs=CLOSE)
        ranks = [(-round(p.high, 9), -round(p.low, 9)) for p in places]
        assert all(one <= two for one, two in pairwise(ranks))


def test_what_an_object_adds_is_what_has_to_be_moved() -> None:
    """Against the definition, with the transport problems solved: the matching is the one shown."""
    checked = 0
    for case in all_kinds(22, 2, objects=(2, 4)):
        for alpha in (0.0, 0.5, 1.0):
            told = explained(*case.ours, cd.partition_distance_alpha(alpha=alpha, over="n"))
            match, n = matching(told), len(case.truth)
            for i in range(n):
                wanted = cost(case.truth, case.guess, match, i, alpha) / (2 * n)
                assert told.object(i).high == pytest.approx(wanted, abs=1e-9)
                checked += 1
    assert checked > 500


def test_low_is_below_high_where_one_matching_serves_both_ends() -> None:
    several = 0
    for case in all_kinds(23, 5, truth=UNCERTAIN, guess=UNCERTAIN, objects=(2, 6), clusters=4):
        a = explained(*case.ours).agreement
        several += not a.one
        if a.one:
            assert (a.low <= a.high + CLOSE).all()
    assert several


def test_ends_with_matchings_of_their_own_are_told() -> None:
    cases = all_kinds(23, 5, truth=UNCERTAIN, guess=UNCERTAIN, objects=(2, 6), clusters=4)
    told = next(t for case in cases if not (t := explained(*case.ours)).agreement.one)
    assert "Other matchings of clusters are best for the ends" in " ".join(told.sentences())
    assert not told.summary.to_dict()["one_matching"]


# How far both sides agree


def test_agreement_goes_from_what_is_sure_to_what_is_possible() -> None:
    for case in all_kinds(24, 4, objects=(1, 6), clusters=4):
        told = explained(*case.ours)
        match = matching(told)
        for i, (x, y) in enumerate(zip(case.truth, case.guess, strict=True)):
            found = told.object(i).agreement
            assert found.low == pytest.approx(belief(x, y, match), abs=1e-9)
            assert found.high == pytest.approx(plausibility(x, y, match), abs=1e-9)


def test_outcomes_follow_their_rules() -> None:
    seen = set()
    for case in all_kinds(25, 3, objects=(2, 6)):
        told = explained(*case.ours)
        match = matching(told)
        each = [told.object(i) for i in range(len(case.truth))]
        for view, x, y in zip(each, case.truth, case.guess, strict=True):
            most = common(x, y, match)
            assert most >= view.agreement.high - 1e-9
            if max(view.low, view.high) < 1e-9 or belief(x, y, match) >= 0.5:
                wanted = "right"
            else:
                wanted = "wrong" if most < 0.5 else "unsure"
            assert view.outcome == wanted
            seen.add(wanted)
        counts = {k: sum(v.outcome == k for v in each) for k in ("right", "unsure", "wrong")}
        assert told.summary.outcomes == counts
        mean = np.mean([v.agreement.low for v in each])
        assert told.summary.agreement.low == pytest.approx(mean, abs=1e-9)
    assert seen == {"right", "unsure", "wrong"}


def test_sizes_of_clusters_are_intervals() -> None:
    for case in all_kinds(26, 3, objects=(1, 6), clusters=4):
        told = explained(*case.ours)
        assert sorted(c.truth for c in told.clusters) == named(case.truth)
        for c in told.clusters:
            assert (c.truth_size.low, c.truth_size.high) == pytest.approx(size(case.truth, c.truth))
            if c.guess is None:
                assert c.guess_size.high == c.agreed.high == 0
                continue
            assert (c.guess_size.low, c.guess_size.high) == pytest.approx(size(case.guess, c.guess))
            pair = frozenset({c.truth}), frozenset({c.guess})
            both = list(zip(case.truth, case.guess, strict=True))
            sure = sum(x.get(pair[0], 0) * y.get(pair[1], 0) for x, y in both)
            held = [
                [sum(v for a, v in m.items() if k in a) for m in side]
                for side, k in ((case.truth, c.truth), (case.guess, c.guess))
            ]
            possible = sum(x * y for x, y in zip(*held, strict=True))
            assert (c.agreed.low, c.agreed.high) == pytest.approx((float(sure), float(possible)))
            assert possible > 0


def test_what_is_said_of_an_object_is_its_masses() -> None:
    for case in all_kinds(27, 2, objects=(1, 4)):
        told = explained(*case.ours)
        for i in range(len(case.truth)):
            view = told.object(i)
            for said, mass in ((view.truth, case.truth[i]), (view.guess, case.guess[i])):
                assert {frozenset(one.clusters): one.mass for one in said} == pytest.approx(
                    {a: float(v) for a, v in mass.items() if v}
                )
                assert view.to_dict()["truth"][0]["mass"] == view.truth[0].mass
                assert [one.mass for one in said] == sorted((s.mass for s in said), reverse=True)


# What was planted is found

PLAIN = {f"d{i}": {"a": 1.0} if i < 4 else {"b": 0.75, "c": 0.25} for i in range(8)}


def test_an_object_put_elsewhere_is_wrong() -> None:
    told = explained(cd.Fuzzy(PLAIN), cd.Fuzzy(PLAIN | {"d2": {"b": 1.0}}))
    (place,) = told.top()
    assert (place.kind, place.ids, place.share) == ("wrong", ["d2"], 1.0)
    assert (place.agreement.low, place.agreement.high) == (0.0, 0.0)
    assert place.high == pytest.approx(1 / 8)


def test_an_object_left_open_is_unsure() -> None:
    truth = {f"d{i}": "ab"[i % 2] for i in range(6)}
    guess = {i: {label} for i, label in truth.items()} | {"d3": {"a", "b"}}
    told = explained(truth, cd.Rough(guess))
    (place,) = told.top()
    assert (place.kind, place.ids) == ("unsure", ["d3"])
    assert (place.agreement.low, place.agreement.high) == (0.0, 1.0)
    assert [place.low, place.high] == pytest.approx([0, 1 / 6])
    assert told.summary.outcomes == {"right": 5, "unsure": 1, "wrong": 0}


def test_objects_less_sure_stay_right() -> None:
    told = explained(cd.Fuzzy(PLAIN), cd.Fuzzy(PLAIN | {"d0": {"a": 0.75, "b": 0.25}}))
    (place,) = told.top()
    assert (place.kind, place.ids) == ("right", ["d0"])


def test_objects_torn_in_the_same_way_are_unsure() -> None:
    truth = {"x": {"a": 0.4, "b": 0.3, "c": 0.3}} | PLAIN
    told = explained(cd.Fuzzy(truth), cd.Fuzzy(truth | {"x": {"a": 0.3, "b": 0.4, "c": 0.3}}))
    (place,) = told.top()
    assert (place.kind, place.ids) == ("unsure", ["x"])
    assert place.agreement.high == pytest.approx(0.33)


@pytest.mark.parametrize("kind", UNCERTAIN)
def test_names_alone_are_nothing(kind: str) -> None:
    for case in drawn(28, 4, truth=[kind], guess=[kind], objects=(2, 6)):
        again = Case(case.truth, case.truth, (kind, kind)).renamed([1, 2, 3, 4], [3, 1, 2, 4])
        told = explained(*again.ours)
        assert told.top() == []
        assert told.summary.outcomes["right"] == len(case.truth)
        assert "adds anything" in told.to_text(80)
        assert told.records() == []


# Ways in


def test_a_hard_side_keeps_its_names_whatever_it_is() -> None:
    labels = {"x": "jazz", "y": "jazz", "z": "funk"}
    guess = cd.Rough({"x": [1], "y": [1, 2], "z": [2]})
    cover = cd.Cover({i: [label] for i, label in labels.items()})
    told = explained(labels, guess)
    assert matching(told) == {"jazz": 1, "funk": 2}
    assert explained(cover, guess).to_text(80) == told.to_text(80)
    assert matching(explained(guess, labels)) == {1: "jazz", 2: "funk"}
    with pytest.raises(KindError, match="is a cover"):
        cd.explain(cd.Cover({"x": [1, 2], "y": [1], "z": [2]}), guess)


def test_alignment_as_far_as_masses_allow_it() -> None:
    truth, guess = {1: "a", 2: "a", 3: "b"}, cd.Fuzzy({2: {"x": 1}, 3: {"y": 1}, 4: {"x": 1}})
    assert explained(truth, guess, align="shared").summary.objects == 2
    for align in ("singletons", "penalise"):
        with pytest.raises(KindError):
            cd.explain(truth, guess, align=align)
    with pytest.raises(ClusterdiffError):
        cd.explain(truth, guess)


def test_noise_of_a_partition() -> None:
    truth, guess = ["a", "a", "-", "-"], cd.Fuzzy([[1, 0], [0.5, 0.5], [0, 1], [0, 1]])
    told = explained(truth, guess, noise="-")
    assert told.score.value == cd.partition_distance_alpha(truth, guess, noise="-", over="n")
    assert [c.truth for c in told.clusters].count("-") == 2
    assert explained(truth, guess, noise="-", noise_as="drop").summary.objects == 2


@pytest.mark.parametrize("by", ["rand_alpha", "transport(rand)", "cice_f", "elm_f"])
def test_other_measures_are_refused(by: str) -> None:
    with pytest.raises(ClusterdiffError, match="does not decompose") as error:
        cd.explain(["a", "b"], cd.Rough([{1}, {1, 2}]), by)
    assert "partition_distance_alpha" in error.value.hint


def test_samples_are_refused() -> None:
    fuzzy = cd.Fuzzy([[1, 0], [0, 1]], samples=["s", "t"])
    with pytest.raises(ClusterdiffError, match="one sample at a time"):
        cd.explain(fuzzy, fuzzy)


def test_unknown_objects() -> None:
    told = explained(["a", "b"], cd.Rough([{1}, {1, 2}]))
    with pytest.raises(UnknownObject):
        told.object(2)


# What is printed


def test_text_is_read() -> None:
    truth = cd.Fuzzy(
        {"d1": {"a": 1}, "d2": {"a": 0.9, "b": 0.1}, "d3": {"b": 1}, "d4": {"b": 0.6, "c": 0.4},
         "d5": {"c": 1}, "d6": {"a": 1}}
    )  # fmt: skip
    guess = cd.Rough(
        {"d1": ["x"], "d2": ["x", "y"], "d3": ["y"], "d4": ["y"], "d5": ["z", "y", "x"],
         "d6": ["z"]}
    )  # fmt: skip
    told = explained(truth, guess)
    assert told.to_text(80) == TEXT
    assert str(told.object("d4")) == (
        "object d4: right\n"
        "  truth says  b (0.60), c (0.40)\n"
        "  guess says  y\n"
        "  agreement   0.60\n"
        "  adds        0.0667"
    )
    fixed = explained(truth, guess, "partition_distance_alpha(alpha=1)").to_text(80)
    assert "adds 0.3000\n" in fixed
    assert "adds 0.0000–" not in fixed


TEXT = """\
partition_distance_alpha(over='n') 0.2333–0.6500. Where the 0.6500 comes from:

   38.5 %  unsure   1 object (d5): agreement 0.00–1.00, adds 0.0000–0.2500
                    truth c; guess x or y or z
   25.6 %  wrong    1 object (d6): agreement 0.00, adds 0.1667
                    truth a; guess z
   25.6 %  unsure   1 object (d2): agreement 0.00–1.00, adds 0.0000–0.1667
                    truth a (0.90), b (0.10); guess x or y
   10.3 %  right    1 object (d4): agreement 0.60, adds 0.0667
                    truth b (0.60), c (0.40); guess y
    0.0 %  right    2 objects, which add nothing

Of 6 objects: 50.0 % right, 33.3 % unsure, 16.7 % wrong; agreement 0.43–0.77 on
average.
Of 3 true clusters and 3 guess clusters, 3 pairs are matched one to one.

  true cluster  objects  guess  objects  in both
  a             2.9      x      1–3      1–1.9
  b             1.7      y      2–4      1.6–1.7
  c             1.4      z      1–2      0–1"""


def test_few_places_and_few_ids() -> None:
    degrees = np.tile([[1.0, 0.0], [0.0, 1.0]], (10, 1))
    other = degrees.copy()
    other[:6] = 0.5
    told = explained(cd.Fuzzy(degrees), cd.Fuzzy(other))
    assert [(p.objects, p.ids) for p in told.top(1, 2)] == [(3, [0, 2])]
    assert "1 more: 1 right (50.0 %)" in told.to_text(80, top=1)
    assert list(told.records()[0]) == list(told.columns)
    assert len(told.to_frame("polars")) == len(told.to_frame("pyarrow")) == 6
    flat = told.to_dict(ids=0)
    assert [p["ids"] for p in flat["places"]] == [[], []]
    assert json.loads(told.to_json())["high"] == pytest.approx(told.loss.sum())


def test_many_sets_are_cut() -> None:
    clusters = [f"c{i}" for i in range(9)]
    truth = cd.Rough({"x": clusters, "y": ["c0"]})
    guess = cd.Fuzzy({"x": dict.fromkeys(clusters, 1 / 9), "y": {"c0": 1}})
    text = explained(truth, guess).to_text(80)
    assert "truth c0 or c1 or c2 or c3 or …; guess c" in text
    assert "(0.11), …" in text


def test_hostile_names_are_harmless() -> None:
    bad = ["\x1b[31mred", "=1+1", "a|b*", "<script>", "x" * 300, "new\nline", "$&%"]
    truth = cd.Partition(bad, ids=bad)
    guess = cd.Rough({name: [bad[i - 1], name] for i, name in enumerate(bad)})
    told = explained(truth, guess)
    for text in (told.to_text(60), told.object(bad[0]).to_text(60)):
        assert "\x1b" not in text
        assert max(map(columns, text.splitlines())) <= 60
    assert "<script>" not in told._repr_html_()
    assert "\n=1" not in told.to_csv()
    assert all(line.startswith("|") for line in told.to_markdown().splitlines())
    assert r"\%" in told.to_latex()


# Many objects, many clusters


def test_rows_are_worked_on_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    for case in all_kinds(29, 1, objects=(5, 8), clusters=4):
        with monkeypatch.context() as patch:
            patch.setattr(soft_loss, "CELLS", 6)
            parts = explained(*case.ours).agreement
        whole = explained(*case.ours).agreement
        for name in whole._fields:
            assert np.allclose(getattr(parts, name), getattr(whole, name), atol=CLOSE)


def test_many_clusters_of_a_hard_side_are_no_table(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(relations, "DENSE", 100)
    many = 20_000
    truth = np.arange(many) // 2
    sets = [{f"g{k}"} if i % 10 else {f"g{k}", f"g{k + 1}"} for i, k in enumerate(truth.tolist())]
    for told in (explained(truth, cd.Rough(sets)), explained(cd.Rough(sets), truth)):
        assert told.agreement.high.sum() == pytest.approx(told.score.value.high, abs=CLOSE)  # type: ignore[union-attr]
        assert told.summary.outcomes == {"right": 18_000, "unsure": 2_000, "wrong": 0}
        assert len(told.to_text(80, ids=2).splitlines()) < 60


def test_fuzzy_and_evidential_of_many_objects() -> None:
    rng = np.random.default_rng(5)
    n = 5_000
    degrees = rng.dirichlet(np.ones(6), n)
    focal = [[k] for k in range(6)] + [[0, 1], [2, 3, 4], []]
    guess = cd.Evidential(rng.dirichlet(np.ones(9), n), focal=focal)
    told = explained(cd.Fuzzy(degrees), guess)
    assert told.agreement.high.sum() == pytest.approx(told.score.value.high, abs=CLOSE)  # type: ignore[union-attr]
    assert sum(told.summary.outcomes.values()) == n
    assert (told.agreement.belief <= told.agreement.plausibility + CLOSE).all()


def test_lookups_in_sets_and_in_tables_are_the_same() -> None:
    """One set per row, looked up; and the same as a table of masses."""
    from clusterdiff.clusterings import Masses
    from clusterdiff.contingency import SoftSide

    row = np.array([0, 1, 2, 0])
    focal = singles(np.array([2, 0, 1]))
    sides = [SoftSide("evidential", row, Masses(focal, 3, table)) for table in (None, np.eye(3))]
    for alone in (True, False):
        wanted = np.array([2, 1, -1, 0])
        one, other = (soft_loss.held_mass(side, wanted, alone) for side in sides)
        assert one.tolist() == other.tolist() == [1.0, 0.0, 0.0, 0.0]


def test_all_kinds_were_tried() -> None:
    kinds = {case.kinds for case in all_kinds(30, 1)}
    assert len(kinds) == len(KINDS) ** 2 - 1
