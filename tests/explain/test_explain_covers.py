"""Where covers differ: memberships kept, lost and gained, against definitions in plain Python."""

from __future__ import annotations

import json
import math
from collections import Counter
from itertools import pairwise, permutations
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import numpy as np
import pytest

import clusterdiff as cd
from cases import disturbed, random_cover
from clusterdiff.compare.screen import Fates
from clusterdiff.errors import ClusterdiffError, UnknownObject
from clusterdiff.explain.cover import CoverExplanation
from clusterdiff.measures.attribution import losses, splittable
from clusterdiff.output.text import columns

DATA = Path(__file__).parents[3] / "shared" / "data" / "cover_philosophy.json"
CLOSE = 1e-12
Given = dict[Any, frozenset[Any]]

SPLIT = [
    "cice_f", "cice_f(f='objects')", "cice_f(alpha=0.2)", "cice_f(alpha=1)", "cice_precision",
    "cice_f(match='pair')", "cice_f(similarity='rand', uncovered='zero')", "cice_recall",
    "extended_bcubed_f", "extended_bcubed_f(f='objects')", "extended_bcubed_precision",
    "extended_bcubed_recall", "element_similarity",
]  # fmt: skip


def explained(truth: Any, guess: Any, by: str | None = None, **options: Any) -> CoverExplanation:
    told = cd.explain(truth, guess, by, **options)
    assert isinstance(told, CoverExplanation)
    return told


def cases(seed: int, number: int, clusters: int = 4, most: int = 9) -> list[tuple[Given, Given]]:
    """Random covers, and others near to them; the names of the two sides differ."""
    rng = Random(seed)
    found = []
    for _ in range(number):
        truth = random_cover(rng, rng.randint(1, most), rng.randint(1, clusters), most)
        changed = disturbed(rng, truth, rng.choice((0.1, 0.4)))
        guess = {i: frozenset(f"g{label}" for label in own) for i, own in changed.items()}
        found.append((truth, guess))
    return found


def pair(truth: Given, guess: Given, by: str | None = None, **options: Any) -> CoverExplanation:
    return explained(cd.Cover(truth), cd.Cover(guess), by, **options)


# What the definitions say


def clusters(given: Given) -> dict[Any, set[Any]]:
    found: dict[Any, set[Any]] = {}
    for i, own in given.items():
        for label in own:
            found.setdefault(label, set()).add(i)
    return found


def jaccard(one: set[Any], other: set[Any]) -> float:
    return len(one & other) / len(one | other)


def may_stand(truth: dict[Any, set[Any]], t: Any, g: set[Any]) -> bool:
    """Half of the guess cluster is in t, or no true cluster has more of it or is more like it."""
    own = truth[t]
    most = all(len(other & g) <= len(own & g) for other in truth.values())
    likest = all(jaccard(other, g) <= jaccard(own, g) for other in truth.values())
    return bool(own & g) and (2 * len(own & g) >= len(g) or most or likest)


def largest_sum(truth: dict[Any, set[Any]], guess: dict[Any, set[Any]]) -> float:
    """The largest sum of Jaccard indexes of a matching in which equal clusters are matched, all of
    them tried.
    """
    places = [*guess, *[None] * len(truth)]

    def worth(t: Any, g: Any) -> float:
        ok = g is not None and may_stand(truth, t, guess[g])
        return jaccard(truth[t], guess[g]) if ok else 0.0

    tried = [[*map(worth, truth, chosen)] for chosen in permutations(places, len(truth))]
    equal = max(worths.count(1) for worths in tried)
    return max(sum(worths) for worths in tried if worths.count(1) == equal)


class Fate(NamedTuple):
    kept: set[Any]
    lost: set[Any]
    gained: set[Any]


def fate(truth: Given, guess: Given, partner: dict[Any, Any], i: Any) -> Fate:
    kept = {c for c in truth[i] if partner[c] is not None and partner[c] in guess[i]}
    return Fate(kept, set(truth[i]) - kept, set(guess[i]) - {partner[c] for c in kept})


def partners(told: CoverExplanation) -> dict[Any, Any]:
    return {c.name: c.partner for c in told.clusters if c.side == "truth"}


def companions(given: Given, i: Any) -> set[Any]:
    return {j for j in given if j != i and given[i] & given[j]}


# Losses


@pytest.mark.parametrize("by", SPLIT)
def test_losses_sum_up_to_what_is_lost(by: str) -> None:
    for truth, guess in cases(1, 15):
        told = pair(truth, guess, by)
        assert math.fsum(told.loss) == pytest.approx(1 - float(told.score), abs=CLOSE)
        assert float(told.score) == cd.measure(by)(cd.Cover(truth), cd.Cover(guess))
        places = told.top(None)
        right = float(told.loss[~told.differs].sum())
        assert math.fsum(p.loss for p in places) + right == pytest.approx(
            math.fsum(told.loss), abs=CLOSE
        )
        assert right == pytest.approx(0, abs=CLOSE)
        assert all(one.loss >= two.loss - CLOSE for one, two in pairwise(places))


@pytest.mark.parametrize("align", ["shared", "singletons", "penalise"])
def test_losses_sum_up_where_objects_are_missing(align: str) -> None:
    for truth, guess in cases(2, 12):
        left = {i: own for i, own in truth.items() if i % 4 != 1}
        right = {i: own for i, own in guess.items() if i % 5 != 2}
        if not set(left) & set(right):
            continue
        for by in ("cice_f", "extended_bcubed_precision", "cice_recall"):
            told = pair(left, right, by, align=align)
            assert math.fsum(told.loss) == pytest.approx(1 - float(told.score), abs=CLOSE)
            assert sum(told.summary.outcomes.values()) == told.summary.objects
            assert told.to_text(80)


def test_nothing_known_on_one_side_loses_everything() -> None:
    truth = cd.Cover({1: ["a"], 2: ["a"]})
    for by in ("cice_f", "cice_precision", "cice_f(alpha=1)", "cice_recall"):
        told = explained(truth, cd.Cover({}), by, align="penalise")
        assert float(told.score) == 0
        assert math.fsum(told.loss) == pytest.approx(1, abs=CLOSE)
        assert [p.kind for p in told.top()] == ["missing"]


@pytest.mark.parametrize(
    "by", ["omega", "onmi", "cover_f1", "elm_f", "cice_f(uncovered='skip')", "rand_alpha"]
)
def test_other_measures_are_refused(by: str) -> None:
    covers = cd.Cover([{1}, {2}]), cd.Cover([{1, 2}, set()])
    with pytest.raises(ClusterdiffError, match="does not decompose") as error:
        cd.explain(*covers, by)
    assert all(name in error.value.hint for name in splittable(cover=True))
    assert {"cice_f", "extended_bcubed_recall", "element_similarity"} <= set(splittable(cover=True))


def test_partitions_as_covers_lose_as_much() -> None:
    meet = cd.meet(cd.Cover([{1}, {1}, {2}]), cd.Cover([{1}, {2}, {2}]))
    assert isinstance(meet, cd.CoverMeet)
    lost = losses(cd.measure("extended_bcubed_f"), meet)
    assert lost.sum() == pytest.approx(1 - cd.bcubed_f([1, 1, 2], [1, 2, 2]), abs=CLOSE)


# Clusters


def test_clusters_have_their_best_match() -> None:
    for truth, guess in cases(3, 40):
        told, of_truth, of_guess = pair(truth, guess), clusters(truth), clusters(guess)
        assert len(told.clusters) == len(of_truth) + len(of_guess)
        for c in told.clusters:
            own, others = (of_truth, of_guess) if c.side == "truth" else (of_guess, of_truth)
            mine = own[c.name]
            assert c.size == len(mine)
            best = max((jaccard(mine, other) for other in others.values()), default=0.0)
            assert c.jaccard == pytest.approx(best, abs=CLOSE)
            if c.best is None:
                assert best == 0
                assert c.both == c.best_size == c.precision == c.recall == 0
                continue
            there = others[c.best]
            assert (c.best_size, c.both) == (len(there), len(mine & there))
            of_t, of_g = (mine, there) if c.side == "truth" else (there, mine)
            assert c.precision == pytest.approx(len(mine & there) / len(of_g), abs=CLOSE)
            assert c.recall == pytest.approx(len(mine & there) / len(of_t), abs=CLOSE)


def test_the_naming_is_one_for_one_and_as_alike_as_can_be() -> None:
    for truth, guess in cases(4, 60, clusters=3, most=7):
        told, of_truth, of_guess = pair(truth, guess), clusters(truth), clusters(guess)
        partner = {t: g for t, g in partners(told).items() if g is not None}
        back = {
            c.partner: c.name for c in told.clusters if c.side == "guess" and c.partner is not None
        }
        assert partner == back
        assert all(may_stand(of_truth, t, of_guess[g]) for t, g in partner.items())
        total = sum(jaccard(of_truth[t], of_guess[g]) for t, g in partner.items())
        assert total == pytest.approx(largest_sum(of_truth, of_guess), abs=CLOSE)
        counts = [Counter(map(frozenset, side.values())) for side in (of_truth, of_guess)]
        assert told.summary.exact == sum(counts[0][one] for one in counts[1] if one in counts[0])
        equal = sum(of_truth[t] == of_guess[g] for t, g in partner.items())
        assert equal == (counts[0] & counts[1]).total()
        assert told.summary.unnamed == len(of_guess) - len(partner)


# Memberships


def test_memberships_kept_lost_and_gained() -> None:
    for truth, guess in cases(5, 40):
        told = pair(truth, guess)
        partner = partners(told)
        fates = {i: fate(truth, guess, partner, i) for i in truth}
        for i, f in fates.items():
            found = told.object(i)
            assert (set(found.truth), set(found.guess)) == (set(truth[i]), set(guess[i]))
            assert (set(found.kept), set(found.lost), set(found.gained)) == f
            both = companions(truth, i), companions(guess, i)
            assert set(found.found) == both[0] & both[1]
            assert set(found.missing) == both[0] - both[1]
            assert set(found.wrong) == both[1] - both[0]
            wanted = ("right", "lost", "gained", "changed")[bool(f.lost) + 2 * bool(f.gained)]
            assert found.outcome == wanted
        s = told.summary
        for what in ("kept", "lost", "gained"):
            assert getattr(s, what) == sum(len(getattr(f, what)) for f in fates.values())
        assert s.kept + s.lost == sum(map(len, truth.values()))
        assert s.kept + s.gained == sum(map(len, guess.values()))
        assert sum(s.outcomes.values()) == s.objects == len(truth)


def test_places_are_objects_of_which_the_same_is_said() -> None:
    for truth, guess in cases(6, 40):
        told = pair(truth, guess)
        partner = partners(told)
        seen = []
        for place in told.top(None, None):
            assert len(place.ids) == place.objects
            seen += place.ids
            for i in place.ids:
                f = fate(truth, guess, partner, i)
                assert (set(place.truth), set(place.guess)) == (set(truth[i]), set(guess[i]))
                assert (set(place.lost), set(place.gained)) == (f.lost, f.gained)
            wanted = ("same", "lost", "gained", "changed")[
                bool(place.lost) + 2 * bool(place.gained)
            ]
            assert place.kind == wanted
        assert len(seen) == len(set(seen))
        for i in set(truth) - set(seen):
            assert companions(truth, i) == companions(guess, i)
            assert fate(truth, guess, partner, i)[1:] == (set(), set())


def test_scores_of_objects_have_the_score_as_their_mean() -> None:
    truth, guess = cases(7, 1, most=9)[0]
    told = pair(truth, guess)
    for name in ("cice_precision", "extended_bcubed_recall", "cice_f"):
        mean = np.mean([told.object(i).scores[name] for i in truth])
        by = cd.measure(name)
        by = by.with_params(f="objects") if name.endswith("_f") else by
        assert mean == pytest.approx(by(cd.Cover(truth), cd.Cover(guess)), abs=CLOSE)


# What was planted is found

PLAIN: Given = {i: frozenset("abc"[k] for k in range(3) if (i >> k) & 1) for i in range(1, 8)}


def renamed(given: Given) -> Given:
    return {i: frozenset(label.upper() for label in own) for i, own in given.items()}


def test_a_membership_lost_is_found() -> None:
    told = pair(PLAIN, renamed(PLAIN | {5: PLAIN[5] - {"c"}}))
    lost = [p for p in told.top() if p.kind != "same"]
    assert [(p.kind, p.ids, p.lost, p.gained) for p in lost] == [("lost", [5], ["c"], [])]
    assert (told.summary.kept, told.summary.lost, told.summary.gained) == (11, 1, 0)
    assert told.summary.exact == 2


def test_companions_that_changed_are_told_even_where_they_cost_nothing() -> None:
    truth = {i: frozenset("a") for i in range(3)}
    told = pair(truth, truth | {2: frozenset[str]()}, "extended_bcubed_precision")
    assert [(p.kind, p.ids, p.loss) for p in told.top()] == [("same", [0, 1], 0), ("lost", [2], 0)]


def test_a_membership_gained_is_found() -> None:
    told = pair(PLAIN, renamed(PLAIN | {1: PLAIN[1] | {"b"}}))
    gained = [p for p in told.top() if p.kind != "same"]
    assert [(p.kind, p.ids, p.lost, p.gained) for p in gained] == [("gained", [1], [], ["B"])]
    assert "gained B (for b)" in told.to_text(80)


def test_a_membership_moved_is_found() -> None:
    told = pair(PLAIN, renamed(PLAIN | {1: frozenset("b")}))
    moved = [p for p in told.top() if p.kind != "same"]
    assert [(p.kind, p.ids, p.lost, p.gained) for p in moved] == [("changed", [1], ["a"], ["B"])]


def test_a_cluster_that_nothing_stands_for_is_lost() -> None:
    guess = {i: frozenset(own - {"c"}) for i, own in PLAIN.items()}
    told = pair(PLAIN, guess)
    assert {i for p in told.top(None, None) if "c" in p.lost for i in p.ids} == {4, 5, 6, 7}
    assert told.counterparts.standing(told.counterparts.worst[0]).guess is None
    assert "c             4        (none)  0     4     0\n" in f"{told.to_text(80)}\n"
    assert "1 guess cluster stands for none." in pair(guess, PLAIN).to_text(100)


def test_a_minority_gives_its_name_to_no_cluster() -> None:
    truth = {i: frozenset("B" if i < 90 else "T") for i in range(92)}
    told = pair(truth, {i: frozenset("4" if i < 61 else "8") for i in truth})
    assert partners(told) == {"B": "4", "T": None}
    assert told.summary.unnamed == 1
    assert "(for T)" not in told.to_text(100)
    assert "0.0000" not in told.to_text(100)


def test_a_cluster_within_a_larger_one_has_its_counterpart() -> None:
    """All of the guess cluster is in the larger one, and most of it is the smaller one."""
    truth = {i: frozenset("ab" if i < 9 else "a") for i in range(100)}
    guess = {i: frozenset("xy" if i < 10 else "x") for i in range(100)}
    assert partners(pair(truth, guess)) == {"a": "x", "b": "y"}


@pytest.mark.parametrize("by", ["cice_f", "extended_bcubed_f", "element_similarity"])
def test_names_alone_are_nothing(by: str) -> None:
    for truth in (PLAIN, *(case[0] for case in cases(8, 20))):
        other = {i: frozenset(("new", label) for label in own) for i, own in truth.items()}
        for guess in (truth, other):
            told = pair(truth, guess, by)
            assert told.top(None) == []
            assert told.records() == []
            assert told.summary.outcomes["right"] == told.summary.objects == len(truth)
            assert told.summary.exact == told.summary.truth_clusters
            assert "are the same cover" in told.to_text(80)


def test_objects_in_no_cluster() -> None:
    truth = {1: frozenset("a"), 2: frozenset[str](), 3: frozenset("a")}
    told = pair(truth, truth | {2: frozenset("a"), 3: frozenset[str]()})
    kinds = {p.ids[0]: p.kind for p in told.top()}
    assert kinds == {1: "same", 2: "gained", 3: "lost"}
    assert "1 object (2): no cluster in truth, a in guess" in told.to_text(80)
    assert [p.kind for p in pair(truth, truth, "cice_f(uncovered='zero')").top()] == ["same"]


# Ways in


def test_a_partition_and_a_cover() -> None:
    labels = {"x": "jazz", "y": "jazz", "z": "funk"}
    cover = cd.Cover({"x": [1], "y": [1, 2], "z": [2]})
    told = explained(labels, cover)
    assert [(p.ids, p.truth, p.gained) for p in told.top() if p.kind == "gained"] == [
        (["y"], ["jazz"], [2])
    ]
    back = explained(cd.Partition(labels), cover)
    assert back.to_dict() == told.to_dict()
    swapped = explained(cover, cd.Partition(labels))
    assert [(p.ids, p.lost) for p in swapped.top() if p.kind == "lost"] == [(["y"], [2])]


def test_objects_of_one_side_by_policy() -> None:
    truth = cd.Cover({1: {"a"}, 2: {"a", "b"}, 3: {"b"}, 5: {"a"}})
    guess = cd.Cover({2: {"x", "y"}, 3: {"y"}, 4: {"x"}, 5: {"x"}})
    with pytest.raises(ClusterdiffError):
        cd.explain(truth, guess)
    shared = explained(truth, guess, align="shared")
    assert (shared.summary.objects, shared.top()) == (3, [])
    earned = explained(truth, guess, align="penalise")
    found = {p.ids[0]: (p.kind, p.lost, p.gained) for p in earned.top()}
    assert found[1] == ("missing", ["a"], [])
    assert found[4] == ("extra", [], ["x"])
    assert earned.object(4).truth == []
    assert "not in truth, x in guess" in earned.to_text(80)
    alone = explained(truth, guess, align="singletons")
    found = {p.ids[0]: (p.kind, p.lost, p.gained) for p in alone.top()}
    assert found[1] == ("changed", ["a"], [None])
    assert found[4] == ("changed", [None], ["x"])
    assert "gained a cluster of its own" in alone.to_text(80)
    assert sorted(str(c.name) for c in alone.clusters) == ["None", "None", "a", "b", "x", "y"]


def test_noise_is_alone_or_left_out() -> None:
    truth = cd.Cover({1: ["a"], 2: ["a", "-"], 3: ["-"], 4: ["b"], 5: ["b"]})
    guess = cd.Cover({1: ["x"], 2: ["x"], 3: ["-"], 4: ["y"], 5: ["-"]})
    alone = explained(truth, guess, noise="-")
    assert alone.meet == cd.meet(truth, guess, noise="-")
    assert alone.counterparts.truth.names.count("-") == 2
    found = {p.ids[0]: (p.kind, p.lost, p.gained) for p in alone.top() if p.kind != "same"}
    assert found == {2: ("lost", ["-"], []), 5: ("changed", ["b"], ["-"])}
    dropped = explained(truth, guess, noise="-", noise_as="drop")
    assert (dropped.summary.objects, dropped.top()) == (2, [])


def test_lists_without_ids() -> None:
    told = explained(cd.Cover([{1}, {1, 2}, {2}]), cd.Cover([{1}, {1}, {2}]))
    assert told.object(1).lost == [2]
    assert told.object(1).missing == [2]
    with pytest.raises(UnknownObject, match="positions, 0 to 2"):
        told.object(3)


def test_samples_are_refused() -> None:
    cover = cd.Cover([{1}, {2}], samples=["s", "t"])
    with pytest.raises(ClusterdiffError, match="one sample at a time"):
        cd.explain(cover, cover)


# What is printed


def test_text_is_read() -> None:
    truth = cd.Cover({"d1": ["jazz"], "d2": ["jazz", "funk"], "d3": ["funk"], "d4": ["blues"]})
    guess = cd.Cover({"d1": ["x"], "d2": ["x"], "d3": ["y"], "d4": ["z", "x"]})
    assert explained(truth, guess).to_text(80) == (
        "cice_f 0.4538 = 1 - 0.5462. Where the 0.5462 comes from:\n"
        "\n"
        "   27.8 %  lost     1 object (d2): jazz, funk in truth, x in guess\n"
        "                    lost funk\n"
        "   27.5 %  same     1 object (d3): funk in truth, y in guess\n"
        "                    same clusters, other companions\n"
        "   23.4 %  gained   1 object (d4): blues in truth, x, z in guess\n"
        "                    gained x (for jazz)\n"
        "   21.3 %  same     1 object (d1): jazz in truth, x in guess\n"
        "                    same clusters, other companions\n"
        "\n"
        "Of 4 objects: 50.0 % right, 25.0 % lost, 25.0 % gained, 0.0 % changed.\n"
        "Of 5 memberships, 4 kept, 1 lost; 1 gained.\n"
        "Of 3 true clusters, 1 was found exactly (33.3 %).\n"
        "\n"
        "  true cluster  objects  guess  kept  lost  gained  jaccard\n"
        "  jazz          2        x      2     0     1       0.6667\n"
        "  funk          2        y      1     1     0       0.5000"
    )


def test_an_object_is_read() -> None:
    told = pair(PLAIN, renamed(PLAIN | {5: PLAIN[5] - {"c"}}))
    lines = str(told.object(5)).splitlines()
    assert lines[0] == "object 5: lost"
    assert "  lost                       1: c" in lines
    assert "  gained                     none" in lines
    assert "  should be with             2: 4, 6" in lines
    assert told.object(5).to_dict()["missing"] == [4, 6]


def test_few_places_and_few_ids() -> None:
    truth = {i: frozenset("ab"[i % 2]) for i in range(20)}
    guess = {i: frozenset("ab"[i % 2] if i > 5 else "c") for i in range(20)}
    told = pair(truth, guess)
    assert [len(p.ids) for p in told.top(1, 2)] == [2]
    text = told.to_text(80, top=1, ids=2)
    assert ", …)" in text
    assert "3 more: " in text
    assert "(" not in told.to_text(80, ids=0).split("\n\n")[1]
    assert [len(rows) for rows in (told.records(None, None), told.records(3, 2))] == [20, 6]
    assert list(told.records()[0]) == list(told.columns)
    assert len(told.to_frame("polars")) == 20
    kinds = told.to_dict()["kinds"]
    assert sum(k["objects"] for k in kinds.values()) == 20


def test_hostile_names_are_harmless() -> None:
    bad = ["\x1b[31mred", "=1+1", "a|b*", "<script>", "x" * 300, "", "new\nline", "$&%"]
    truth = cd.Cover({name: [f"t{name}", "all"] for name in bad})
    guess = cd.Cover({name: ["all"] if i % 2 else [f"g{name}"] for i, name in enumerate(bad)})
    told = explained(truth, guess)
    for text in (told.to_text(60), told.object(bad[0]).to_text(60)):
        assert "\x1b" not in text
        assert max(map(columns, text.splitlines())) <= 60
    assert "<script>" not in told._repr_html_()
    assert "\n=1" not in told.to_csv()
    assert all(line.startswith("|") for line in told.to_markdown().splitlines())
    assert r"\%" in told.to_latex()
    assert json.loads(told.to_json())["measure"] == "cice_f"


# Real data


@pytest.mark.skipif(not DATA.exists(), reason="the data sets are not here")
def test_philosophers() -> None:
    data = json.loads(DATA.read_text())
    told = explained(cd.Cover(data["truth"]), cd.Cover(data["detected"]))
    assert math.fsum(told.loss) == pytest.approx(1 - float(told.score), abs=CLOSE)
    assert float(told.score) == cd.cice_f(cd.Cover(data["truth"]), cd.Cover(data["detected"]))
    s = told.summary
    assert (s.objects, s.truth_clusters, s.guess_clusters) == (1134, 5416, 873)
    assert s.kept + s.lost == sum(len(set(own)) for own in data["truth"].values())
    assert s.kept + s.gained == sum(len(set(own)) for own in data["detected"].values())
    partner = partners(told)
    given = {k: {i: frozenset(own) for i, own in data[k].items()} for k in ("truth", "detected")}
    for place in told.top(20, 3):
        f = fate(given["truth"], given["detected"], partner, place.ids[0])
        assert (set(place.lost), set(place.gained)) == (f.lost, f.gained)
    text = told.to_text(80)
    assert text.startswith("cice_f 0.0430 = 1 - 0.9570. Where the 0.9570 comes from:\n")
    assert max(map(columns, text.splitlines())) <= 80
    assert "1,124 more: 204 lost (17.9 %), 920 changed (81.2 %)" in text
    assert "Of 5,416 true clusters, 4 were found exactly (0.1 %); 166 guess clusters" in text
    same = explained(cd.Cover(data["truth"]), cd.Cover(data["truth"]))
    assert same.top() == []


def test_clusters_found_exactly_are_those_that_guess_has_too() -> None:
    """Of two that are equal both are, where the guess has one; `compare` says the same."""
    rng, once = Random(6), 0
    for truth, guess in cases(6, 40):
        doubled = rng.choice(sorted(clusters(truth)) or [0])
        truth = {i: own | ({"again"} if doubled in own else set()) for i, own in truth.items()}
        there = Counter(map(frozenset, clusters(guess).values()))
        expected = sum(frozenset(members) in there for members in clusters(truth).values())
        told = pair(truth, guess)
        assert told.summary.exact == Fates.of(told.meet).exact == expected
        once += there[frozenset(clusters(truth).get("again", ()))] == 1
        told = pair(guess, truth)
        back = set(map(frozenset, clusters(truth).values()))
        assert told.summary.exact == sum(there[one] for one in back)
    assert once > 3


def test_frames_of_covers_diffs_and_uncertain_clusterings_have_a_row_for_each_object() -> None:
    guess = {i: frozenset(own - {"c"}) for i, own in PLAIN.items()}
    covers = pair(PLAIN, guess).to_frame()
    counts = covers.groupby("place")["objects"].agg(["size", "first"])
    assert counts["size"].tolist() == counts["first"].tolist()
    truth = {f"r{i}": i // 10 for i in range(40)}
    chances = {id: {k: 0.7, k + 1: 0.3} for id, k in truth.items()}
    soft = cd.explain(truth, cd.Fuzzy(chances)).to_frame()
    counts = soft.groupby("place")["objects"].agg(["size", "first"])
    assert counts["size"].tolist() == counts["first"].tolist()
    change = cd.diff(truth, truth, {id: min(k, 2) for id, k in truth.items()}).to_frame()
    assert (
        change.groupby("entry")["size"].agg(["size", "first"]).to_numpy().tolist() == [[10, 10]] * 2
    )
    assert (change["old"] == change["cluster"]).all()
    assert set(change["new"]) == {2}
