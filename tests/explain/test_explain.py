"""Explanations: what was broken is found, named, ranked and told, and nothing else is."""

from __future__ import annotations

import csv
import io
import json
import random
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import clusterdiff as cd
from cases import noisy
from clusterdiff.errors import ClusterdiffError, UnknownObject
from clusterdiff.explain.partition import CELLS, ClusterTable, Component
from clusterdiff.explain.ranking import name_of
from clusterdiff.output.text import columns, cut
from oracles import explain as oracle

TINY = 1e-12
Labels = dict[Any, Any]
Pair = tuple[Labels, Labels]


def explained(truth: Any, guess: Any, by: Any = None, **options: Any) -> cd.Explanation:
    told = cd.explain(truth, guess, by, **options)
    assert isinstance(told, cd.Explanation)
    return told


def every(told: cd.Explanation) -> list[Component]:
    """All components with all their objects."""
    return told.top(None, None)


def ids_of(part: Component) -> frozenset[Any]:
    return frozenset(i for cell in part.cells for i in cell.ids)


def names(clusters: list[Any]) -> frozenset[Any]:
    return frozenset(c.name for c in clusters)


def drawn(seed: int, missing: bool = False) -> Pair:
    """Two partitions of up to 60 objects; where objects are missing, they share at least one."""
    rng = random.Random(seed)
    n = rng.randint(2 + missing, 60)
    sides = noisy(n, rng.randint(1, n), seed, rng.choice([0.05, 0.2, 0.6]))
    truth, guess = (
        {f"o{i}": f"{side}{c}" for i, c in enumerate(s.tolist())}
        for side, s in zip("tg", sides, strict=True)
    )
    if missing:
        gone = rng.sample(sorted(truth), n // 3)
        truth = {x: c for x, c in truth.items() if x not in gone[::2]}
        guess = {x: c for x, c in guess.items() if x not in gone[1::2]}
    return truth, guess


SEEDS = range(25)
EXACT = [drawn(seed) for seed in SEEDS]
MISSING = [drawn(seed, missing=True) for seed in SEEDS]
EITHER = [*((pair, "exact") for pair in EXACT), *((pair, "penalise") for pair in MISSING)]


# what was planted


class Planted(NamedTuple):
    """A truth, a guess with known errors, and the names of what each error touches."""

    truth: Labels
    guess: Labels
    split: list[str]
    merged: list[tuple[str, ...]]
    moved: dict[str, tuple[str, str]]
    """From an object to the clusters it was taken from and put into."""


def planted(seed: int, clusters: int = 150) -> Planted:
    rng = random.Random(seed)
    sizes = {f"c{i}": rng.randint(3, 9) for i in range(clusters)}
    truth = {f"{c}.{j}": c for c, size in sizes.items() for j in range(size)}
    guess = {x: f"guess {c}" for x, c in truth.items()}
    free = rng.sample(list(sizes), clusters)
    made = Planted(truth, guess, [], [], {})
    for _ in range(12):
        made.split.append(c := free.pop())
        for j in range(rng.randint(1, sizes[c] - 1)):
            guess[f"{c}.{j}"] = f"guess {c}, part {j % 2}"
    for _ in range(12):
        made.merged.append(several := tuple(free.pop() for _ in range(rng.randint(2, 4))))
        guess |= {x: f"guess {several[0]}" for x, c in truth.items() if c in several}
    for _ in range(12):
        home, other = free.pop(), free.pop()
        made.moved[x := f"{home}.{rng.randrange(sizes[home])}"] = (home, other)
        guess[x] = f"guess {other}"
    return made


@pytest.fixture(params=range(3))
def errors(request: pytest.FixtureRequest) -> Planted:
    return planted(request.param)


def test_exactly_the_planted_errors_are_found(errors: Planted) -> None:
    found = {(part.kind, names(part.truth)) for part in every(explained(*errors[:2]))}
    assert found == {
        *(("split", frozenset({c})) for c in errors.split),
        *(("merged", frozenset(several)) for several in errors.merged),
        *(("mixed", frozenset(pair)) for pair in errors.moved.values()),
    }
    assert explained(*errors[:2]).order.size == 36


def test_components_have_the_clusters_and_objects_they_have(errors: Planted) -> None:
    truth, guess = errors[:2]
    sizes = Counter(truth.values()), Counter(guess.values())
    for part in every(explained(truth, guess)):
        own = {x for x, c in truth.items() if c in names(part.truth)}
        assert ids_of(part) == own
        assert names(part.guess) == {guess[x] for x in own}
        assert part.objects == len(own) == sum(cell.objects for cell in part.cells)
        assert (part.truth_clusters, part.guess_clusters) == (len(part.truth), len(part.guess))
        for cell in part.cells:
            shared = [
                x for x in truth if (truth[x], guess[x]) == (cell.truth.name, cell.guess.name)
            ]
            assert cell.ids == shared
            assert cell.objects == len(shared)
            assert cell.truth.size == sizes[0][cell.truth.name]
            assert cell.guess.size == sizes[1][cell.guess.name]


def test_fates_say_what_was_done(errors: Planted) -> None:
    moved = dict(errors.moved)
    for part in every(explained(*errors[:2])):
        fates = Counter(cell.fate for cell in part.cells)
        if part.kind == "split":
            assert fates == {"home": 1, "split off": part.guess_clusters - 1}
        elif part.kind == "merged":
            assert fates == {"home": 1, "merged": part.truth_clusters - 1}
        else:
            assert fates == {"home": 2, "moved": 1}
            [cell] = [cell for cell in part.cells if cell.fate == "moved"]
            [x] = cell.ids
            home, other = moved.pop(x)
            assert (cell.truth.name, cell.guess.name) == (home, f"guess {other}")
    assert not moved


def test_the_text_names_what_was_planted(errors: Planted) -> None:
    text = " ".join(explained(*errors[:2]).to_text(200, None, None).split())
    for c in errors.split:
        assert f"{c} over " in text
    for several in errors.merged:
        assert f"{len(several)} true clusters (" in text
        assert f") in guess guess {several[0]}" in text
    for x, (home, other) in errors.moved.items():
        assert f"1 of {home} moved into guess guess {other}, with {other} ({x})" in text


@pytest.mark.parametrize("labels", [[0], [0, 0, 0], [0, 1, 2], [0, 0, 1, 2, 2]])
def test_nothing_is_found_where_nothing_differs(labels: list[int]) -> None:
    told = explained(labels, [f"c{label}" for label in labels])
    assert told.order.size == 0
    assert (told.top(), told.records(), float(told.loss.sum())) == ([], [], 0)
    assert "the same clustering" in str(told)
    assert told.to_dict()["kinds"] == {}
    assert told.to_csv() == ",".join(told.columns) + "\n"
    assert len(told.to_markdown().splitlines()) == 2
    assert told.summary.outcomes == {"right": len(labels), "split": 0, "merged": 0, "both": 0}
    assert told.object(0).outcome == "right"


# what the definitions say


@pytest.mark.parametrize(("pair", "align"), EITHER)
def test_components_are_those_of_the_definition(pair: Pair, align: str) -> None:
    told = explained(*pair, align=align)
    found = [
        (part.kind, names(part.truth) - {None}, names(part.guess) - {None}, ids_of(part))
        for part in every(told)
    ]
    wanted = [(part.kind(pair[1]), *part) for part in oracle.in_conflict(*pair)]
    assert set(found) == set(wanted)
    assert len(found) == len(wanted) == told.order.size


@pytest.mark.parametrize(("pair", "align"), EITHER)
def test_shares_add_up_and_what_loses_most_comes_first(pair: Pair, align: str) -> None:
    told = explained(*pair, align=align)
    parts = every(told)
    if parts:
        assert sum(part.share for part in parts) == pytest.approx(1, abs=TINY)
        assert sum(part.loss for part in parts) == pytest.approx(1 - float(told.score), abs=TINY)
    assert all(a.loss >= b.loss - TINY for a, b in pairwise(parts))
    for part in parts:
        assert part.loss == pytest.approx(sum(cell.loss for cell in part.cells), abs=TINY)
    kinds = Counter(part.kind for part in parts)
    objects: Counter[str] = Counter()
    for part in parts:
        objects[part.kind] += part.objects
    by_kind = told.by_kind()
    assert {kind: n for kind, (n, _, _) in by_kind.items()} == kinds
    assert {kind: n for kind, (_, n, _) in by_kind.items()} == objects


@pytest.mark.parametrize(("pair", "align"), EITHER)
def test_guess_clusters_belong_to_where_most_of_them_comes_from(pair: Pair, align: str) -> None:
    for part in every(explained(*pair, align=align)):
        check_fates(part, pair)


def check_fates(part: Component, pair: Pair) -> None:
    """Every guess cluster with objects of truth has one owner, the one of the definition; the home
    of a true cluster is the largest part of it among the guess clusters that it owns.
    """
    owned: dict[Any, list[Any]] = {}
    owners: Counter[Any] = Counter()
    both = [cell for cell in part.cells if cell.fate not in ("missing", "extra")]
    for cell in both:
        if cell.fate in ("home", "split off"):
            assert cell.truth.name in oracle.belongs_to(*pair, cell.guess.name)
            owned.setdefault(cell.truth.name, []).append(cell)
            owners[cell.guess.name] += 1
    assert owners == dict.fromkeys((cell.guess.name for cell in both), 1)
    for cells in owned.values():
        [home] = [cell for cell in cells if cell.fate == "home"]
        assert home.objects == max(cell.objects for cell in cells)
    for cell in part.cells:
        if cell.truth.name is None or cell.guess.name is None:
            assert cell.fate == ("extra" if cell.truth.name is None else "missing")
        elif cell.fate not in ("home", "split off"):
            assert cell.fate == ("moved" if cell.truth.name in owned else "merged")


def test_a_minority_does_not_own_a_cluster() -> None:
    told = explained(["B"] * 90 + ["T"] * 2, [4] * 61 + [8] * 31)
    [part] = every(told)
    assert [(c.truth.name, c.guess.name, c.fate) for c in part.cells] == [
        ("B", 4, "home"), ("B", 8, "split off"), ("T", 8, "merged"),
    ]  # fmt: skip
    text = told.to_text(100, ids=0)
    assert "B (90 objects): 68 % in 4, 32 % in 8; cluster 4 is 100 % B\n" in text
    assert "T (2 objects): 100 % in 8 (94 % of it is B)\n" in text
    small = explained(["B"] * 9 + ["T"] * 2, [4] * 6 + [8] * 5).to_text(100, ids=0)
    assert "3 of B split off into guess 8\n" in small
    assert "2 of T merged into guess 8, with B\n" in small


def test_of_equal_parts_the_one_that_is_whole_owns_the_cluster() -> None:
    [part] = every(explained(list("aaaaabb"), list("xxxyyyy")))
    fates = {(c.truth.name, c.guess.name): c.fate for c in part.cells}
    assert fates == {("a", "x"): "home", ("a", "y"): "moved", ("b", "y"): "home"}


@pytest.mark.parametrize(("pair", "align"), EITHER)
def test_an_object_has_the_companions_of_the_definition(pair: Pair, align: str) -> None:
    truth, guess = pair
    told = explained(*pair, align=align)
    scores = {
        name: cd.objects(text, *pair, align=align).to_dict()
        for text in ("elm_precision", "elm_recall", "elm_f", "bcubed_f(f='objects')")
        for name in [text.partition("(")[0]]
    }
    for x in {**truth, **guess}:
        found = told.object(x)
        assert (found.id, found.truth, found.guess) == (x, truth.get(x), guess.get(x))
        assert found.outcome == oracle.outcome(truth, guess, x)
        some = [found.found, found.missing, found.wrong]
        assert [set(ids) for ids in some] == list(oracle.companions(truth, guess, x))
        assert sum(map(len, some)) == len(set().union(*some))
        for name, own in scores.items():
            assert found.scores[name] == pytest.approx(own[x], abs=TINY), name


@pytest.mark.parametrize(("pair", "align"), EITHER)
def test_the_summary_counts_objects_and_clusters(pair: Pair, align: str) -> None:
    truth, guess = pair
    told = explained(*pair, align=align)
    s = told.summary
    objects = {**truth, **guess}
    sizes = [Counter(Counter(c.values()).values()) for c in pair]
    outcomes = Counter(oracle.outcome(truth, guess, x) for x in objects)
    assert s.objects == len(objects)
    assert {what: n for what, n in s.outcomes.items() if n} == outcomes
    assert list(s.outcomes)[:4] == ["right", "split", "merged", "both"]
    assert s.exact == len(oracle.components(*pair)) - told.order.size
    assert (s.truth_clusters, s.guess_clusters) == (len({*truth.values()}), len({*guess.values()}))
    for histogram, wanted in zip((s.truth_sizes, s.guess_sizes), sizes, strict=True):
        assert dict(zip(*histogram, strict=True)) == wanted
    assert sum(band.objects for band in s.bands) == len(truth)
    assert sum(band.clusters for band in s.bands) == s.truth_clusters
    assert sum(band.exact for band in s.bands) == s.exact
    assert sum(band.right for band in s.bands) == s.outcomes["right"]
    each = cd.objects("elm_f", *pair, align=align).to_dict()
    extra = sum(1 - each[x] for x in guess if x not in truth) / len(objects)
    assert s.extra_loss == pytest.approx(extra, abs=TINY)
    assert sum(band.loss for band in s.bands) + extra == pytest.approx(told.loss.sum(), abs=TINY)
    for band in s.bands:
        assert band.clusters == sum(n for size, n in sizes[0].items() if fits(size, band))
        assert band.objects == sum(size * n for size, n in sizes[0].items() if fits(size, band))
    assert all(a.high < b.low for a, b in pairwise(s.bands))


def test_bands_of_a_mean_over_objects_have_its_mean() -> None:
    truth, guess = {i: i // 3 for i in range(30)}, {i: i // 4 for i in range(30)}
    truth |= {i: i for i in range(30, 36)}
    guess |= {i: 30 + i // 2 for i in range(30, 36)}
    each = cd.objects("bcubed_f(f='objects')", truth, guess).to_dict()
    single, triple = explained(truth, guess, "bcubed_f(f='objects')").summary.bands
    assert single.score == pytest.approx(sum(each[i] for i in range(30, 36)) / 6, abs=TINY)
    assert triple.score == pytest.approx(sum(each[i] for i in range(30)) / 30, abs=TINY)
    assert explained(truth, guess, "rand").summary.bands[0].score is None


def fits(size: int, band: Any) -> bool:
    return bool(band.low <= size <= band.high)


def test_bands_double() -> None:
    truth = [size for size in range(1, 12) for _ in range(size)]
    bands = explained(truth, truth).summary.bands
    assert [band.sizes for band in bands] == ["1", "2", "3–4", "5–8", "9–11"]
    assert [band.clusters for band in bands] == [1, 1, 2, 4, 3]
    text = explained(truth, [0] * len(truth)).to_text(100)
    assert re.search(r"\n  9–11 +3 +0\.0 % +30 +0\.0 % +0\.\d{4} +\d+\.\d %$", text)


# how much is told


def test_so_many_components_and_objects_are_told_as_asked_for(errors: Planted) -> None:
    told = explained(*errors[:2])
    complete = every(told)
    assert len(complete) == len(told.top(None, 0)) == 36
    assert len(told.top()) == 10
    for n, ids in [(0, 5), (1, 0), (3, 1), (40, 2), (None, None)]:
        few = told.top(n, ids)
        assert len(few) == min(36, 36 if n is None else n)
        for part, whole in zip(few, complete, strict=False):
            assert (part.loss, part.objects) == (whole.loss, whole.objects)
            for cell, full in zip(part.cells, whole.cells, strict=True):
                assert cell == full._replace(ids=full.ids[:ids])
        assert told.to_dict(n, ids)["components"] == [part.to_dict() for part in few]
        named = [id for part in few for cell in part.cells for id in cell.ids]
        assert sorted(row["id"] for row in told.records(n, ids)) == sorted(named)
        assert len(told.to_markdown(n, ids).splitlines()) == 2 + len(few)


def test_what_is_not_shown_is_counted(errors: Planted) -> None:
    told = explained(*errors[:2])
    for shown in (0, 5, 35):
        text = " ".join(told.to_text(200, top=shown).split())
        [(share, more, kinds)] = re.findall(r"([<\d.]+) % … (\d+) more: (.+?) 0\.0 % right", text)
        rest = every(told)[shown:]
        assert int(more) == len(rest)
        assert float(share) == pytest.approx(100 * sum(p.share for p in rest), abs=0.051)
        found = {kind: int(n) for n, kind in re.findall(r"(\d+) (\w+) \(", kinds)}
        assert found == Counter(part.kind for part in rest)
    assert " more: " not in told.to_text(200, top=36)
    assert " more: " not in told.to_text(200, top=None)


def test_objects_that_are_not_named_are_counted() -> None:
    told = explained(dict.fromkeys(range(9), "a"), {i: "x" if i < 6 else "y" for i in range(9)})
    assert "6 in x (0, 1, 2, 3, 4, …); 3 in y (6, 7, 8)" in told.to_text(200)
    assert "6 in x (0, 1, …); 3 in y (6, 7, …)" in told.to_text(200, ids=2)
    assert "6 in x (0, 1, 2, 3, 4, 5); 3 in y (6, 7, 8)" in told.to_text(200, ids=None)
    assert "6 in x; 3 in y" in told.to_text(200, ids=0)


def test_parts_that_are_not_told_are_counted() -> None:
    single = explained(["a"] * 9, [0, 0, *range(1, 8)]).to_text(200)
    assert "… 2 objects in 2 more" in single
    merged = explained([0, 0, *range(1, 8)], ["a"] * 9).to_text(200)
    assert "… 2 objects in 2 more" in merged


def left_over(told: cd.Explanation) -> tuple[int, int]:
    """The objects and parts of a mixed component of which the text only says how many."""
    [found] = re.findall(r"… and ([\d,]+) objects? in ([\d,]+) more parts", told.to_text(200))
    objects, parts = (int(n.replace(",", "")) for n in found)
    return objects, parts


def check_cut(told: cd.Explanation) -> None:
    """Where not all cells have names, those that have say what they say with all of them."""
    [part], [whole] = told.top(), every(told)
    assert len(part.cells) == CELLS < len(whole.cells) == part.parts == whole.parts
    assert part.objects == whole.objects == sum(cell.objects for cell in whole.cells)
    assert part.truth_clusters == whole.truth_clusters == len(whole.truth)
    assert part.guess_clusters == whole.guess_clusters == len(whole.guess)
    assert set(part.truth) <= set(whole.truth)
    assert set(part.guess) <= set(whole.guess)
    known = {(cell.truth, cell.guess): cell for cell in whole.cells}
    for cell in part.cells:
        full = known[cell.truth, cell.guess]
        assert cell._replace(fate="") == full._replace(ids=full.ids[:5], fate="")


def crowd() -> Pair:
    """Objects of 300 clusters thrown into 300 others."""
    truth, guess = noisy(2000, 300, 1, share=1.0)
    return dict(enumerate(truth.tolist())), dict(enumerate(guess.tolist()))


def ring() -> Pair:
    """150 clusters, each of which loses two objects to each of the next two."""
    cells = [(c, j) for c in range(150) for j in range(20)]
    moves = {16: 1, 17: 1, 18: 2, 19: 2}
    return {x: x[0] for x in cells}, {x: (x[0] + moves.get(x[1], 0)) % 150 for x in cells}


@pytest.mark.parametrize("pair", [crowd(), ring()], ids=["crowd", "ring"])
class TestLargeComponents:
    def test_only_names_are_cut(self, pair: Pair) -> None:
        told = explained(*pair)
        check_cut(told)
        cells = Counter(zip(*(c.values() for c in pair), strict=True))
        [whole] = every(told)
        assert {(c.truth.name, c.guess.name): c.objects for c in whole.cells} == cells
        check_fates(whole, pair)

    def test_fates_do_not_depend_on_the_cut(self, pair: Pair) -> None:
        [part], [whole] = explained(*pair).top(), every(explained(*pair))
        fates = {(cell.truth, cell.guess): cell.fate for cell in whole.cells}
        wanted = [fates[cell.truth, cell.guess] for cell in part.cells]
        assert [cell.fate for cell in part.cells] == wanted

    def test_the_text_counts_the_rest(self, pair: Pair) -> None:
        told = explained(*pair)
        [part] = told.top()
        home = [cell for cell in part.cells if cell.fate == "home"]
        shown = [*home, *[cell for cell in part.cells if cell.fate != "home"][:6]]
        objects = part.objects - sum(cell.objects for cell in shown)
        assert left_over(told) == (objects, part.parts - len(shown))


def test_fates_are_seen_from_the_whole_component() -> None:
    """The second guess cluster is half of each: the first owns it, however few cells are named."""
    told = explained(list("aaabbb"), list("ttuuvv"))
    for cells in (None, 3, 2, 1):
        [part] = told.named_parts(told.order, 5, cells)
        fates = {(cell.truth.name, cell.guess.name): cell.fate for cell in part.cells}
        wanted = {
            ("a", "t"): "home", ("b", "v"): "home", ("a", "u"): "split off", ("b", "u"): "moved",
        }  # fmt: skip
        assert fates == {cell: wanted[cell] for cell in fates}


def test_a_cluster_in_many_pieces_is_cut_too() -> None:
    truth, guess = ["a"] * 260, [i // 2 for i in range(240)] + [0] * 20
    check_cut(explained(truth, guess))
    check_cut(explained(guess, truth))


# objects by id


def test_ids_are_found_as_numbers_and_as_text() -> None:
    numbers = explained({1: "a", 2: "a"}, {1: "x", 2: "y"})
    assert numbers.object(1) == numbers.object("1")
    assert numbers.object(1).missing == [2]
    texts = explained({"1": "a", "2": "a", "01": "b"}, {"1": "x", "2": "y", "01": "x"})
    assert texts.object("1").wrong == ["01"]
    assert texts.object("01").wrong == ["1"]
    with pytest.raises(UnknownObject):
        texts.object(1)


def test_without_ids_objects_are_called_by_position() -> None:
    told = explained(list("aab"), list("xyy"))
    assert [told.object(i).id for i in range(3)] == [0, 1, 2]
    assert told.object("2") == told.object(2)
    assert told.object(1).wrong == [2]
    with pytest.raises(UnknownObject, match="no object has the id 3") as caught:
        told.object(3)
    assert "0 to 2" in caught.value.hint


@pytest.mark.parametrize(
    "wanted",
    [7, -1, "x", "", "--1", "-", "1.0", None, 1.5, float("nan"), (0, 1), (0, 1, 2), 10**30,
     "9" * 5000],
    ids=lambda x: repr(x)[:12],
)  # fmt: skip
@pytest.mark.parametrize(
    "sides",
    [([1, 1, 1], [1, 1, 2]), ({5: 1, 6: 1}, {5: 1, 6: 2}), ({"p": 1, "q": 1}, {"p": 1, "q": 2})],
    ids=["positions", "numbers", "text"],
)
def test_an_object_that_there_is_not_is_refused(sides: Any, wanted: Any) -> None:
    with pytest.raises(UnknownObject):
        explained(*sides).object(wanted)


def test_objects_that_are_not_compared_are_not_found() -> None:
    truth, guess = {1: "a", 2: "a", 3: "a"}, {1: "x", 2: "x", 4: "x"}
    shared = explained(truth, guess, align="shared")
    dropped = explained(truth, {1: "x", 2: "x", 3: -1}, noise=-1, noise_as="drop")
    for told, gone in ((shared, 3), (shared, 4), (dropped, 3)):
        assert told.object(1).found == [2]
        with pytest.raises(UnknownObject):
            told.object(gone)


def test_companions_are_told() -> None:
    told = explained({i: i // 4 for i in range(8)}, {i: (i + 1) // 4 for i in range(8)})
    text = str(told.object(3))
    assert text.startswith("object 3, truth 0, guess 1: both\n")
    assert re.search(r"is rightly with +nobody", text)
    assert re.search(r"should be with +3: 0, 1, 2", text)
    assert re.search(r"is wrongly with +3: 4, 5, 6", text)
    assert json.loads(json.dumps(told.object(3).to_dict()))["missing"] == [0, 1, 2]


# samples


Rows = list[tuple[str, int, str]]
"""Id, cluster and document; ids and clusters repeat from document to document."""


def documents(seed: int, missing: float = 0.0) -> tuple[Rows, Rows]:
    rng = random.Random(seed)
    truth: Rows = []
    guess: Rows = []
    for doc in "ABCDE":
        sides = noisy(rng.randint(5, 20), 6, rng.randrange(1000), 0.3)
        for side, labels in zip((truth, guess), sides, strict=True):
            side += [
                (f"o{i}", c, doc)
                for i, c in enumerate(labels.tolist())
                if rng.random() >= missing or i == 0
            ]
    rng.shuffle(guess)
    return truth, guess


def frame(rows: Rows) -> pl.DataFrame:
    return pl.DataFrame(rows, schema=["id", "cluster", "doc"], orient="row")


def union(rows: Rows) -> Labels:
    """The same as one clustering in which documents share nothing."""
    return {(doc, i): (doc, c) for i, c, doc in rows}


def ranked(told: cd.Explanation, sampled: bool) -> list[Any]:
    """What is said of each component, with its objects as they are called in the union."""
    parts = []
    for part in every(told):
        ids = {(part.sample, i) for i in ids_of(part)} if sampled else ids_of(part)
        clusters = part.truth_clusters, part.guess_clusters
        parts.append((round(part.loss, 10), part.kind, clusters, sorted(ids)))
    return sorted(parts)


@pytest.mark.parametrize("align", ["exact", "shared", "singletons", "penalise"])
@pytest.mark.parametrize("seed", range(4))
def test_samples_are_told_apart(seed: int, align: str) -> None:
    truth, guess = documents(seed, 0.0 if align == "exact" else 0.2)
    told = explained(frame(truth), frame(guess), samples="doc", align=align)
    whole = explained(union(truth), union(guess), align=align)
    assert ranked(told, True) == ranked(whole, False)
    assert float(told.score) == float(whole.score)
    assert (told.summary.outcomes, told.summary.exact) == (
        whole.summary.outcomes,
        whole.summary.exact,
    )
    for doc, i in [("A", "o0"), ("C", "o0"), ("E", "o0")]:
        mine, other = told.object(i, sample=doc), whole.object((doc, i))
        assert (mine.id, mine.sample, mine.outcome) == (i, doc, other.outcome)
        for some in ("found", "missing", "wrong"):
            assert {(doc, x) for x in getattr(mine, some)} == set(getattr(other, some))


def test_samples_are_given_in_several_ways() -> None:
    truth, guess = documents(9)
    guess.sort(key=lambda row: truth.index((row[0], truth_of(truth, row), row[2])))
    docs = [doc for _, _, doc in truth]
    labels = [[c for _, c, _ in rows] for rows in (truth, guess)]
    wanted = ranked(explained(union(truth), union(guess)), False)
    by_column = explained(frame(truth).to_pandas(), frame(guess).to_arrow(), samples="doc")
    assert ranked(by_column, True) == wanted
    ids = [i for i, _, _ in truth]
    by_partition = explained(*(cd.Partition(own, ids, docs) for own in labels))
    assert ranked(by_partition, True) == wanted
    by_position = explained(*labels, samples=docs)
    unique = {f"{doc}{i}": doc for i, _, doc in truth}
    by_mapping = explained(*(dict(zip(unique, own, strict=True)) for own in labels), samples=unique)
    for told in (by_position, by_mapping):
        assert [r[:3] for r in sorted(ranked(told, True))] == [r[:3] for r in wanted]


def truth_of(truth: Rows, row: tuple[str, int, str]) -> int:
    return next(c for i, c, doc in truth if (i, doc) == (row[0], row[2]))


def test_a_sample_is_named_with_its_component() -> None:
    truth = cd.Partition([1, 1, 1, 1], list("pqpq"), list("AABB"))
    guess = cd.Partition([1, 2, 1, 1], list("pqpq"), list("AABB"))
    told = explained(truth, guess)
    [part] = told.top()
    assert (part.sample, sorted(ids_of(part))) == ("A", ["p", "q"])
    assert "1 over 2 guess clusters, in A, 2 objects" in told.to_text(100)
    assert [record["sample"] for record in told.records()] == ["A", "A"]
    assert told.to_dict()["components"][0]["sample"] == "A"


def test_an_id_of_several_samples_needs_its_sample() -> None:
    truth = cd.Partition([1, 1, 1, 1], list("pqpr"), list("AABB"))
    guess = cd.Partition([1, 2, 1, 1], list("pqpr"), list("AABB"))
    told = explained(truth, guess)
    with pytest.raises(UnknownObject, match="2 samples have an object 'p': 'A', 'B'") as caught:
        told.object("p")
    assert caught.value.hint == "name the sample too: sample='A'."
    assert told.object("p", sample="A").missing == ["q"]
    assert told.object("p", sample="B").found == ["r"]
    assert told.object("q").sample == "A"
    for unknown in (("p", "C"), ("q", "B"), ("z", "A")):
        with pytest.raises(UnknownObject):
            told.object(*unknown)


@pytest.mark.parametrize("align", ["singletons", "penalise"])
def test_an_id_of_one_sample_in_truth_and_another_in_guess_needs_its_sample(align: str) -> None:
    truth = cd.Partition([1, 1, 1], list("pqr"), list("AAB"))
    guess = cd.Partition([1, 1, 1], list("qpr"), list("ABB"))
    told = explained(truth, guess, align=align)
    assert told.object("p", sample="A").guess is None
    assert told.object("p", sample="B").truth is None
    with pytest.raises(UnknownObject, match="2 samples have an object 'p'"):
        told.object("p")


# objects on one side only, and noise


HAS = {1: "a", 2: "a", 3: "a", 4: "b", 5: "b", 6: "c"}
FINDS = {1: "x", 2: "x", 4: "y", 5: "y", 7: "y", 8: "z"}


def cells(told: cd.Explanation) -> set[tuple[Any, ...]]:
    return {
        (part.kind, cell.fate, cell.truth.name, cell.guess.name, *cell.ids)
        for part in every(told)
        for cell in part.cells
    }


def test_missing_and_extra_objects_earn_nothing() -> None:
    told = explained(HAS, FINDS, align="penalise")
    assert cells(told) == {
        ("missing", "home", "a", "x", 1, 2),
        ("missing", "missing", "a", None, 3),
        ("extra", "home", "b", "y", 4, 5),
        ("extra", "extra", None, "y", 7),
        ("missing", "missing", "c", None, 6),
        ("extra", "extra", None, "z", 8),
    }
    assert told.summary.outcomes == {
        "right": 0, "split": 2, "merged": 2, "both": 0, "missing": 2, "extra": 2,
    }  # fmt: skip
    text = told.to_text(200)
    assert "1 of a missing in guess (3)" in text
    assert "1 not in truth, in guess y, with b (7)" in text
    assert "1 not in truth, in guess z (8)" in text


SAID = re.compile(r"\d+ ([^;()]*?) \(([^()]*)\)")
"""What is said of some objects, and which."""


@pytest.mark.parametrize("pair", MISSING)
def test_prose_says_of_each_object_which_side_lacks_it(pair: Pair) -> None:
    truth, guess = pair
    for part in every(explained(*pair, align="penalise")):
        if part.parts > 6:
            continue
        first, *lines = part.lines(None)
        lacking = {
            "missing in guess": len(ids_of(part) - guess.keys()),
            "not in truth": len(ids_of(part) - truth.keys()),
        }
        for words, n in lacking.items():
            assert (f"{n} {words}" in first) == (0 < n < part.objects)
        told = set()
        for what, ids in SAID.findall("; ".join(lines)):
            for x in ids.split(", "):
                told.add(x)
                assert ("missing in guess" in what) == (x not in guess)
                assert ("not in truth" in what) == (x not in truth)
        assert ids_of(part) - (truth.keys() & guess.keys()) <= told


@pytest.mark.parametrize("pair", MISSING)
def test_clusters_are_not_split_or_merged_by_objects_that_one_side_lacks(pair: Pair) -> None:
    truth, guess = pair
    for row in ClusterTable.of(explained(*pair, align="penalise")).worst():
        own = [x for x in truth if truth[x] == row.name]
        there = {guess[x] for x in own if x in guess}
        others = [x for x in guess if guess[x] in there and x in truth and truth[x] != row.name]
        lacking = "missing" if len(own) > sum(x in guess for x in own) else "extra"
        split, merged = len(there) > 1, bool(others)
        wanted = {(True, True): "both", (True, False): "split", (False, True): "merged"}
        assert row.kind == wanted.get((split, merged), lacking)


@pytest.mark.parametrize("pair", MISSING)
def test_companions_that_one_side_lacks_are_named(pair: Pair) -> None:
    truth, guess = pair
    told = explained(*pair, align="penalise")
    for x in {**truth, **guess}:
        found = told.object(x)
        assert found.absent == [y for y in found.missing if y not in guess]
        assert found.strange == [y for y in found.wrong if y not in truth]
        words = {"missing": "missing in guess", "extra": "not in truth"}
        text = found.to_text(200)
        assert text.split("\n")[0].endswith(f": {words.get(found.outcome, found.outcome)}")
        assert ("\n  missing in guess" in text) == bool(found.absent)
        assert ("\n  not in truth" in text) == bool(found.strange)


def test_the_loss_by_size_tells_what_truth_lacks() -> None:
    truth = {1: "a", 2: "b", 3: "b", 4: "c", 5: "c", 6: "c"}
    guess = {1: "x", 2: "y", 3: "y", 4: "z", 5: "z", 7: "z", 8: "w"}
    told = explained(truth, guess, "bcubed_f(f='objects')", align="penalise")
    each = cd.objects("bcubed_f(f='objects')", truth, guess, align="penalise").to_dict()
    share = sum(1 - each[x] for x in (7, 8)) / sum(1 - f for f in each.values())
    assert re.search(rf"\n  not in truth +2 +0\.0 % +{100 * share:.1f} %$", told.to_text(100))
    summary = json.loads(told.to_json())["summary"]
    assert summary["extra_loss"] == pytest.approx(2 / 8, abs=TINY)
    whole = sum(band["loss"] for band in summary["bands"]) + summary["extra_loss"]
    assert whole == pytest.approx(1 - float(told.score), abs=TINY)


def test_missing_objects_in_larger_components_keep_their_fate() -> None:
    truth = {1: "a", 2: "a", 3: "a", 4: "b", 5: "b", 6: "b"}
    guess = {1: "x", 2: "x", 3: "y", 4: "y", 5: "y", 7: "x"}
    assert cells(explained(truth, guess, align="penalise")) == {
        ("mixed", "home", "a", "x", 1, 2),
        ("mixed", "moved", "a", "y", 3),
        ("mixed", "home", "b", "y", 4, 5),
        ("mixed", "missing", "b", None, 6),
        ("mixed", "extra", None, "x", 7),
    }


def test_missing_objects_are_clusters_of_their_own() -> None:
    told = explained(HAS, FINDS, align="singletons")
    assert cells(told) == {
        ("split", "home", "a", "x", 1, 2),
        ("split", "split off", "a", None, 3),
        ("merged", "home", "b", "y", 4, 5),
        ("merged", "merged", None, "y", 7),
    }
    assert told.summary.outcomes == {"right": 2, "split": 3, "merged": 3, "both": 0}
    assert told.object(3).guess is None
    assert told.object(3).missing == [1, 2]


def test_only_shared_objects_count() -> None:
    told = explained(HAS, FINDS, align="shared")
    assert told.order.size == 0
    assert told.summary.objects == 4
    with pytest.raises(cd.ClusterdiffError, match="2 of 8 objects are only in truth"):
        explained(HAS, FINDS)


@pytest.mark.parametrize("pair", MISSING[:8])
def test_aligned_by_hand_all_is_the_same(pair: Pair) -> None:
    objects = {**pair[0], **pair[1]}
    filled = [{x: c.get(x, ("none", x)) for x in objects} for c in pair]
    shared = [{x: c[x] for x in objects if all(x in side for side in pair)} for c in pair]
    for align, by_hand in (("singletons", filled), ("shared", shared)):
        assert ranked(explained(*pair, align=align), False) == ranked(explained(*by_hand), False)


def test_noise_is_single_or_dropped() -> None:
    truth, guess = {1: -1, 2: -1, 3: "a", 4: "a"}, {1: "x", 2: "x", 3: "x", 4: "x"}
    single = explained(truth, guess, noise=-1)
    assert cells(single) == {
        ("merged", "home", "a", "x", 3, 4),
        ("merged", "merged", -1, "x", 1),
        ("merged", "merged", -1, "x", 2),
    }
    [part] = single.top()
    assert (part.truth_clusters, [c.size for c in part.truth]) == (3, [2, 1, 1])
    dropped = explained(truth, guess, noise=-1, noise_as="drop")
    assert (dropped.order.size, dropped.summary.objects) == (0, 2)


@pytest.mark.parametrize("pair", EXACT[:12])
def test_noise_by_hand_is_the_same(pair: Pair) -> None:
    truth, guess = pair
    noise = [truth["o0"], guess["o1"]]
    single = [{x: (c[x], x) if c[x] in noise else c[x] for x in c} for c in pair]
    assert ranked(explained(*pair, noise=noise), False) == ranked(explained(*single), False)
    kept = [x for x in truth if truth[x] not in noise and guess[x] not in noise]
    if kept:
        dropped = explained(*pair, noise=noise, noise_as="drop")
        by_hand = explained({x: truth[x] for x in kept}, {x: guess[x] for x in kept})
        assert ranked(dropped, False) == ranked(by_hand, False)


def test_noise_in_samples_by_hand_is_the_same() -> None:
    truth, guess = documents(7)
    noise = [(doc, 0) for doc in "ABCDE"]
    for noise_as in ("singletons", "drop"):
        told = explained(frame(truth), frame(guess), samples="doc", noise=0, noise_as=noise_as)
        by_hand = explained(union(truth), union(guess), noise=noise, noise_as=noise_as)
        assert ranked(told, True) == ranked(by_hand, False)


def test_positions_stay_where_noise_is_dropped() -> None:
    told = explained([-1, 0, 0, 0, 1], [5, 5, 5, 6, 7], noise=-1, noise_as="drop")
    assert cells(told) == {("split", "home", 0, 5, 1, 2), ("split", "split off", 0, 6, 3)}
    assert told.object(1).found == [2]
    assert told.object(4).outcome == "right"


def test_nulls_are_noise_where_that_is_said() -> None:
    truth, guess = {1: None, 2: None, 3: "a"}, {1: "x", 2: "x", 3: "x"}
    with pytest.raises(cd.ClusterdiffError, match="labels in truth (is|are) null"):
        explained(truth, guess)
    [part] = explained(truth, guess, noise=[None]).top()
    assert (part.kind, part.truth_clusters, part.objects) == ("merged", 3, 3)


# strange names


HOSTILE = [
    "<script>alert(1)</script>", 'say "x"', "o'clock", '=HYPERLINK("http://x")', "+1", "-1", "@x",
    "\t=1", "\r=1", "a\rb", "שלום", "\u202eevil", "😀" * 25, "日本" * 25, "two\nlines", "a\u2028b",
    "\x1b[31mred\x1b[0m", "\x00", "x" * 300, "", "a|b", "a\\|b`*_[x](y)", "e\u0301" * 30,
    r"\input{x} %s {} $&#~^_", "&lt;b&gt;", "a,b;c", "  lead", "trail  ",
]  # fmt: skip
FORMULA = ("=", "+", "-", "@", "\t", "\r")


@pytest.fixture(params=HOSTILE, ids=lambda name: ascii(name)[1:20])
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def hostile(name: str) -> cd.Explanation:
    """A cluster split, one mixed with another, a sample and an object, all called so."""
    rows = [
        (f"{name}{i}", name if i < 6 else "plain", name if i % 3 else f"{name}'") for i in range(9)
    ]
    ids, truth, guess = zip(*rows, strict=True)
    return explained(cd.Partition(truth, ids, [name] * 9), cd.Partition(guess, ids, [name] * 9))


def test_csv_parses_back_and_runs_no_formula(name: str) -> None:
    told = hostile(name)
    rows = list(csv.reader(io.StringIO(told.to_csv(ids=None), newline="")))
    records = told.records(ids=None)
    assert rows[0] == list(told.columns)
    assert len(rows) == 1 + len(records)
    for row, record in zip(rows[1:], records, strict=True):
        assert not any(cell.startswith(FORMULA) for cell in row)
        found = dict(zip(told.columns, row, strict=True))
        for key in ("sample", "truth", "guess", "id"):
            text = record[key]
            assert found[key] == (f"'{text}" if text.startswith(FORMULA) else text)
        assert float(found["loss"]) == record["loss"]


def test_json_has_the_names_as_they_are(name: str) -> None:
    told = hostile(name)
    found = json.loads(told.to_json(ids=None))
    assert found["components"] == told.to_dict(ids=None)["components"]
    [part] = found["components"]
    assert {c["name"] for c in part["truth"]} == {name, "plain"}
    assert {c["name"] for c in part["guess"]} == {name, f"{name}'"}
    assert part["sample"] == name
    assert {i for cell in part["cells"] for i in cell["ids"]} == {f"{name}{i}" for i in range(9)}


def test_markdown_has_one_line_per_row_and_no_elements(name: str) -> None:
    lines = hostile(name).to_markdown(ids=None).splitlines()
    assert len(lines) == 3
    for line in lines:
        assert re.sub(r"\\.", "", line).count("|") == 6
        assert "<" not in line
        assert not uncanny(line)


def test_latex_has_no_commands_but_its_own(name: str) -> None:
    lines = hostile(name).to_latex(ids=None).splitlines()
    assert len(lines) == 8
    assert lines[0].startswith("% ")
    row = lines[5].removesuffix(r" \\")
    plain = re.sub(r"\\(?:[&%$#_{}]|text[a-z]+\{\})", "", row)
    assert plain.count("&") == 4
    assert not set(plain) & set("\\%$#_{}~^<>")
    assert not uncanny("".join(lines))


SIDES = {"text-align:left", "text-align:right"}
STYLES = (
    SIDES
    | {f"{side};white-space:nowrap" for side in SIDES}
    | {
        "overflow-x:auto",
        "overflow-wrap:anywhere",
        "font-family:monospace;white-space:pre-wrap;overflow-wrap:anywhere",
    }
)


class Elements(HTMLParser):
    """The elements and the text of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.text: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        assert dict(attrs).keys() <= {"style"}
        assert {value for _, value in attrs} <= STYLES

    def handle_data(self, data: str) -> None:
        self.text.append(data)


def test_html_holds_names_as_text(name: str) -> None:
    page = Elements()
    page.feed(hostile(name)._repr_html_())
    page.close()
    assert page.tags <= {"div", "p", "br", "table", "thead", "tbody", "tr", "th", "td"}
    text = " ".join(page.text)
    assert " ".join(name_of(name).split()) in " ".join(text.split())
    assert not uncanny(text)


def uncanny(text: str) -> list[str]:
    """Characters that move the cursor, turn the text or end the line."""
    return [c for c in text if unicodedata.category(c) in ("Cc", "Cf", "Zl", "Zp")]


def test_text_fits_and_has_no_control_characters(name: str) -> None:
    told = hostile(name)
    for width in (40, 80, 200):
        check_text(told.to_text(width), width)
        check_text(told.to_text(width, ids=None), width)


def test_companions_fit_and_have_no_control_characters(name: str) -> None:
    one = hostile(name).object(f"{name}0")
    for width in (40, 80, 200):
        check_text(one.to_text(width), width)


def test_names_are_cut_without_looking_at_them_again_and_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    looked = []

    def counted(text: str) -> int:
        looked.append(len(text))
        return columns(text)

    monkeypatch.setattr("clusterdiff.output.text.columns", counted)
    assert columns(cut("x" * 2000, 40)) == 40
    assert sum(looked) < 100_000


def check_text(text: str, width: int) -> None:
    lines = text.split("\n")
    assert [line for line in lines if columns(line) > width] == []
    assert not uncanny("".join(lines))


@pytest.mark.parametrize("width", [40, 80, 200])
def test_any_explanation_fits(width: int) -> None:
    some = [
        *(explained(*pair, align=align) for pair, align in EITHER[::5]),
        explained(*planted(0)[:2]),
        explained(*planted(0)[:2], "vi_similarity_k"),
        explained(*EXACT[3], "mirkin_distance"),
        explained([1, 1], [1, 1]),
        explained(range(60), range(60), "adjusted_rand"),
    ]
    for told in some:
        lines = told.to_text(width, None, None).split("\n")
        assert [line for line in lines if columns(line) > width] == []


def test_a_distance_says_what_it_is() -> None:
    told = explained(list("aab"), list("xxx"), "mirkin_distance")
    assert str(told).startswith("mirkin_distance 4.0000. Where the 4.0000 comes from:")
    assert explained(list("aab"), list("xxx"), cd.mirkin_distance).to_dict() == told.to_dict()


# frames


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_frames_hold_the_records(library: str, errors: Planted) -> None:
    told = explained(*errors[:2])
    made = told.to_frame(library)
    assert rows_of(made) == told.records(None, None)
    parts = {
        (row["component"], row["truth"], row["guess"]): row["objects"] for row in rows_of(made)
    }
    assert len(rows_of(made)) == sum(parts.values()) == len({row["id"] for row in rows_of(made)})
    assert sum(row["loss"] for row in rows_of(made)) == pytest.approx(told.lost)
    assert rows_of(told.to_frame(library, top=2, ids=3)) == told.records(2, 3)


def rows_of(made: Any) -> list[dict[str, Any]]:
    if isinstance(made, pd.DataFrame):
        made = made.astype(object).where(made.notna(), None)
        return [dict(record) for record in made.to_dict("records")]
    return list(made.to_dicts() if isinstance(made, pl.DataFrame) else made.to_pylist())


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_frames_know_their_columns_where_nothing_differs(library: str) -> None:
    made = explained([1, 1], [1, 1]).to_frame(library)
    found = made.column_names if isinstance(made, pa.Table) else list(made.columns)
    assert tuple(found) == cd.Explanation.columns


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_frames_have_names_that_come_late(library: str) -> None:
    """The first rows have no guess cluster, of which a library could infer the wrong type."""
    truth = {f"{c}.{i}": c for c in range(120) for i in range(3)}
    guess = {"0.0": "x", "0.1": "x"}
    told = explained(truth, guess, align="penalise")
    guesses = [record["guess"] for record in told.records(None)]
    assert guesses[:21] == [None] * 21
    assert "x" in guesses[100:]
    assert [row["guess"] for row in rows_of(told.to_frame(library))] == guesses


# the same from everywhere


def tables() -> tuple[pa.Table, pa.Table]:
    truth, guess = planted(5)[:2]
    return tuple(
        pa.table({"id": range(len(truth)), "cluster": list(c.values())}) for c in (truth, guess)
    )


def as_csv(table: pa.Table, path: Path) -> Path:
    table.to_pandas().to_csv(path.with_suffix(".csv"), index=False)
    return path.with_suffix(".csv")


def as_parquet(table: pa.Table, path: Path) -> Path:
    pq.write_table(table, path.with_suffix(".parquet"))
    return path.with_suffix(".parquet")


@pytest.fixture
def connection() -> Iterator[Any]:
    with duckdb.connect() as made:
        yield made


WAYS: dict[str, Callable[[pa.Table, Path, Any], Any]] = {
    "list": lambda table, path, connection: table["cluster"].to_pylist(),
    "array": lambda table, path, connection: table["cluster"].to_numpy(),
    "series": lambda table, path, connection: pl.from_arrow(table["cluster"]),
    "dict": lambda table, path, connection: dict(zip(*table.to_pydict().values(), strict=True)),
    "partition": lambda table, path, connection: cd.Partition(*list(table.columns)[::-1]),
    "pandas": lambda table, path, connection: table.to_pandas(),
    "polars": lambda table, path, connection: pl.from_arrow(table),
    "lazy": lambda table, path, connection: pl.DataFrame(pl.from_arrow(table)).lazy(),
    "pyarrow": lambda table, path, connection: table,
    "csv": lambda table, path, connection: as_csv(table, path),
    "parquet": lambda table, path, connection: as_parquet(table, path),
    "relation": lambda table, path, connection: connection.from_arrow(table),
}
TABLES = ("pandas", "polars", "pyarrow", "csv", "parquet", "relation")


@pytest.mark.parametrize(
    ("way", "engine"), [*((way, None) for way in WAYS), *((way, "arrays") for way in TABLES)]
)
def test_every_input_gives_the_same_explanation(
    way: str, engine: str | None, tmp_path: Path, connection: Any
) -> None:
    truth, guess = tables()
    wanted = explained(WAYS["dict"](truth, tmp_path, None), WAYS["dict"](guess, tmp_path, None))
    given = [
        WAYS[way](table, tmp_path / name, connection)
        for name, table in (("truth", truth), ("guess", guess))
    ]
    told = explained(*given, engine=engine)
    found = told.to_dict(None, None)
    taken = found.pop("columns", None)
    assert taken is None or taken["truth"] == {"id": "id", "cluster": "cluster"}
    assert found == wanted.to_dict(None, None)
    lines = told.to_text(100).split("\n")
    named = [line for line in lines if line.startswith("Columns: ")]
    assert len(named) == (0 if taken is None else 1)
    assert [line for line in lines if line not in named] == wanted.to_text(100).split("\n")
    for x in (0, "0", 100):
        assert told.object(x) == wanted.object(x)


@pytest.mark.parametrize("way", TABLES)
def test_every_input_has_samples(way: str, tmp_path: Path, connection: Any) -> None:
    truth, guess = documents(3)
    wanted = explained(union(truth), union(guess))
    given = [
        WAYS[way](frame(rows).to_arrow(), tmp_path / name, connection)
        for name, rows in (("truth", truth), ("guess", guess))
    ]
    assert ranked(explained(*given, samples="doc"), True) == ranked(wanted, False)


@pytest.mark.parametrize(
    "label",
    [
        lambda c: 2**60 - 10**15 * c,
        lambda c: -c,
        lambda c: c / 7,
        lambda c: (c, str(c)),
        lambda c: c if c % 2 else f"c{c}",
    ],
    ids=["far apart", "negative", "fractions", "tuples", "mixed"],
)
def test_labels_may_be_anything(label: Callable[[int], Any]) -> None:
    sides = [labels.tolist() for labels in noisy(200, 60, 4)]
    plain, told = explained(*sides), explained(*([label(c) for c in side] for side in sides))
    assert ranked(told, False) == ranked(plain, False)
    clusters = [names(part.truth) for part in every(told)]
    assert set(clusters) == {frozenset(map(label, names(part.truth))) for part in every(plain)}


def test_rows_that_say_the_same_again_count_once() -> None:
    truth, guess = planted(7)[:2]
    ids = [*truth, *list(truth)[::3]]
    again = [cd.Partition([side[x] for x in ids], ids) for side in (truth, guess)]
    assert ranked(explained(*again), False) == ranked(explained(truth, guess), False)


def test_shuffled_rows_lose_the_same() -> None:
    truth, guess = planted(6)[:2]
    order = random.Random(1).sample(list(truth), len(truth))
    other = explained({x: truth[x] for x in order}, guess)
    assert ranked(other, False) == ranked(explained(truth, guess), False)


def test_samples_that_contradict_themselves_are_named() -> None:
    truth = pd.DataFrame({"doc": ["x", "x", "y"], "id": [1, 1, 1], "cluster": ["a", "b", "a"]})
    guess = pd.DataFrame({"doc": ["x", "y"], "id": [1, 1], "cluster": ["a", "a"]})
    with pytest.raises(ClusterdiffError, match="sample x"):
        cd.explain(truth, guess, samples="doc")
    with pytest.raises(ClusterdiffError, match="sample y.*only in truth"):
        cd.explain(truth.iloc[1:], guess.iloc[:1], samples="doc")


@pytest.mark.parametrize("seed", range(40))
def test_no_minority_owns_a_guess_cluster(seed: int) -> None:
    """Only a largest part of a guess cluster is at home in it, or split off into it."""
    rng = random.Random(seed)
    size, kinds = rng.randint(2, 80), rng.randint(1, 6)
    truth = [int(kinds * rng.random() ** 2) for _ in range(size)]
    guess = [rng.randrange(1 + kinds) if rng.random() < 0.5 else x for x in truth]
    parts = Counter(zip(truth, guess, strict=True))
    told: Any = cd.explain(truth, guess)
    for component in told.top(None):
        for cell in component.cells:
            here = sorted((n for (_, g), n in parts.items() if g == cell.guess.name), reverse=True)
            own = cell.fate in ("home", "split off")
            assert parts[cell.truth.name, cell.guess.name] == cell.objects
            assert own <= (cell.objects == here[0])
            if cell.objects == here[0] and here.count(here[0]) == 1:
                assert own
