"""Notes that verbs other than `compare` print: the cases in which each must, and must not, appear.

A text of the sources that stands in no test, recorded output or page of the docs fails, so that a
new sentence needs a case.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pytest

import clusterdiff as cd
from clusterdiff.measures import assignment
from compare.sentences import CLASSES, ROUGH_CLASSES, report
from compare.test_sentences import SOURCES, texts
from refusals import refuses

TESTS = Path(__file__).parents[1]
EIGHT = [i // 2 for i in range(8)]
MIXED = [0, 0, 0, 1, 2, 2, 3, 3]
PART = {i: i // 2 for i in range(6)}
ALL = {i: i // 2 for i in range(8)}
TREE = np.array([[0, 1, 1.0, 2], [2, 3, 2.0, 2], [4, 5, 5.0, 4]])
LEVELS = {"fine": [i // 10 for i in range(60)], "coarse": [i // 35 for i in range(60)]}
ONCE = {0: 1, 1: 1, 9: 2}
LABELLED = [("together", 350, 100, 70, True), ("offered", 8000, 200, 4, False)]


class Sentence(NamedTuple):
    """A text with a result that has to say it, and one that must not."""

    said: str
    where: Callable[[], Any]
    elsewhere: Callable[[], Any]


def merged() -> Any:
    """What agglomerative clustering keeps where it does not keep distances."""
    cluster = pytest.importorskip("sklearn.cluster")
    return cluster.AgglomerativeClustering(2).fit([[0.0], [1.0], [5.0], [7.0]])


def agreed(**options: Any) -> Any:
    return cd.consensus({"a": ALL, "b": ALL, "part": PART}, **options)


def uncertainty(*given: Any) -> Any:
    made: Any = cd.explain(*given)
    return made.uncertainty()


def linked(*pairs: tuple[int, int, float], threshold: float | None = None) -> Any:
    """Two merged clusters and a split one, with scored pairs."""
    truth, guess = dict(enumerate("aabbccdd")), dict(enumerate("11112344"))
    return cd.explain(truth, guess, pairs=[(6, 7, 1.0), *pairs], threshold=threshold)


def slices(objects: int, size: int, perfect: bool = False) -> Any:
    """What goes with errors, where one object is wrong or none; half of the objects are red."""
    truth = [i // size for i in range(objects)]
    guess = truth if perfect else [-5, *truth[1:]]
    table = {"id": range(objects), "truth": truth, "guess": guess, "red": [0, 1] * (objects // 2)}
    made: Any = cd.explain(pd.DataFrame(table), truth="truth", guess="guess")
    return made.slices()


def tangled(exact: bool) -> Any:
    """A tangle that is matched with little effort."""
    old, new = np.random.default_rng(0).integers(0, 60, (2, 300)).tolist()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(assignment, "GIANT", 1)
        patch.setattr(assignment, "EFFORT", 0.5)
        patch.setattr(assignment, "_solved_apart", assignment._solved)
        return cd.relabel(old, new, exact=exact)


def sweep(measure: str = "elm_f", **options: Any) -> Any:
    return cd.sweep([0, 0, 1, 1], TREE, measure, **options)


def pairs_swept(lost: int, large: int = 2, **options: Any) -> Any:
    """A sweep over links of 40 clusters of two, one of them perhaps larger; some are linked late,
    and then others never.
    """
    truth = [0] * large + [x for x in range(1, 40) for _ in range(2)]
    links = [
        (i, i + 1, 0.5 if 0 < truth[i] <= lost else 1.0)
        for i in range(len(truth) - 1)
        if truth[i] == truth[i + 1] and not (lost and truth[i] > 30)
    ]
    return cd.sweep(truth, links, "pair_f", **options)


def large_beside_pairs(large: int = 14) -> tuple[list[Any], list[Any]]:
    """Forty clusters of two, ten of them split, beside a large one."""
    truth = [x // 2 for x in range(80)] + ["large"] * large
    return truth, [f"{x}/{i}" if i % 8 < 2 else x for i, x in enumerate(truth)]


def cut(objects: int) -> Any:
    """A sweep of pairs for which truth knows some objects."""
    pairs = [(i, i + 1, 1 / (i + 1)) for i in range(8)]
    return cd.sweep({i: i // 2 for i in range(objects)}, pairs, "elm_f", align="shared")


def classes(elsewhere: int) -> tuple[list[str], list[int]]:
    """Two classes of sixty in two clusters; some of the first are in the other cluster."""
    return ["B"] * 60 + ["T"] * 60, [1] * (60 - elsewhere) + [2] * (60 + elsewhere)


SENTENCES = {
    "judged on what truth and both guesses have and do not call noise": Sentence(
        "judged on the 5 objects that truth and both guesses have and none calls noise",
        lambda: cd.compare(
            ALL, {"a": PART, "b": {**ALL, 0: -1}}, align="shared", noise=-1, noise_as="drop"
        ),
        lambda: cd.compare(ALL, {"a": PART, "b": ALL}, align="shared"),
    ),
    "judged on what nobody calls noise": Sentence(
        "judged on the 7 objects that neither truth nor any guess calls noise",
        lambda: cd.compare(EIGHT, {"a": [-1, *EIGHT[1:]], "b": EIGHT}, noise=-1, noise_as="drop"),
        lambda: cd.compare(EIGHT, {"a": [-1, *EIGHT[1:]], "b": EIGHT}, noise=-1),
    ),
    "the same partition": Sentence(
        "Truth and guess are the same clustering: 4 clusters, 8 objects.",
        lambda: cd.explain(EIGHT, EIGHT),
        lambda: cd.explain(EIGHT, MIXED),
    ),
    "the same cover": Sentence(
        "Truth and guess are the same cover:",
        lambda: cd.explain(cd.Cover([["a", "b"], ["b"]]), cd.Cover([["x", "y"], ["y"]])),
        lambda: cd.explain(cd.Cover([["a", "b"], ["b"]]), cd.Cover([["x"], ["x"]])),
    ),
    "explain: a component that holds most objects": Sentence(
        "over 2 guess clusters (2, 1), 120 objects; cluster by cluster: 73.8 % mixed B (60 objects)"
        ": 83 % in 1, 17 % in 2 (86 % of it is T); cluster 1 is 100 % B",
        lambda: cd.explain(*classes(10)),
        lambda: cd.explain(EIGHT, MIXED),
    ),
    "explain: outcomes by majorities": Sentence(
        "Of 120 objects: 91.7 % right, 0.0 % split, 8.3 % merged, 0.0 % both. One component holds "
        "100.0 % of the objects; there, outcomes go by majorities: a guess cluster belongs to the "
        "true cluster that most of its objects come from, and objects are right in the main guess "
        "cluster that belongs to their true cluster, split in a further one, and merged in one "
        "that belongs to another.",
        lambda: cd.explain(*classes(10)),
        lambda: cd.explain(EIGHT, MIXED),
    ),
    "pairs: what to label for a low end of recall": Sentence(
        "Label some of these pairs too (blocked: no) for a low end of recall.",
        lambda: cd.pairs(LABELLED),
        lambda: cd.pairs([*LABELLED, ("apart", 50000, 100, 0, False, False)]),
    ),
    "consensus: one run abstains": Sentence(
        "1 run lacks objects and abstains on them: an object is in 2.75 of 3 runs on average",
        lambda: agreed(align="abstain"),
        lambda: agreed(align="singletons"),
    ),
    "consensus: the medoid lacks objects": Sentence(
        "as a consensus, with the objects that it lacks as singletons, it would cost",
        lambda: agreed(align="abstain"),
        lambda: agreed(align="singletons"),
    ),
    "consensus: support over the objects that runs have": Sentence(
        "the share of their cluster that runs have with them, over the objects that each run has:",
        lambda: agreed(align="abstain"),
        lambda: agreed(align="singletons"),
    ),
    "consensus: runs could abstain": Sentence(
        '1 run lacks objects. align="abstain" (--align abstain) counts each pair of objects only '
        "in the runs that have both.",
        lambda: agreed(align="singletons"),
        lambda: agreed(align="abstain"),
    ),
    "consensus: the nearest and farthest of many": Sentence(
        "The nearest and farthest of 21 runs.",
        lambda: cd.consensus([EIGHT] * 21),
        lambda: cd.consensus([EIGHT] * 20),
    ),
    "matrix: one pair shares no object": Sentence(
        "1 pair of runs shares no object, and has no score.",
        lambda: cd.matrix({"a": {0: 1, 1: 1}, "b": {2: 1, 3: 1}, "c": ALL}, align="shared"),
        lambda: cd.matrix({"a": PART, "b": ALL}, align="shared"),
    ),
    "matrix: several pairs share no object": Sentence(
        "2 pairs of runs share no object, and have no score.",
        lambda: cd.matrix(
            {"a": {0: 1, 1: 1}, "b": {2: 1, 3: 1}, "c": {0: 1, 1: 2}}, align="shared"
        ),
        lambda: cd.matrix({"a": PART, "b": ALL}, align="shared"),
    ),
    "matrix: missing objects are single": Sentence(
        "each is a cluster of its own there",
        lambda: cd.matrix({"a": PART, "b": ALL}, align="singletons"),
        lambda: cd.matrix({"a": PART, "b": ALL}, align="shared"),
    ),
    "matrix: noise is left out": Sentence(
        "left out of its pairs",
        lambda: cd.matrix({"a": [-1, *EIGHT[1:]], "b": EIGHT}, noise=-1, noise_as="drop"),
        lambda: cd.matrix({"a": [-1, *EIGHT[1:]], "b": EIGHT}, noise=-1),
    ),
    "relabel: a new id from most of its objects": Sentence(
        "new: most objects come from",
        lambda: cd.relabel([0, 0, 0, 1, 1, 1, 1], [5, 5, 6, 6, 7, 7, 7]),
        lambda: cd.relabel(EIGHT, EIGHT),
    ),
    "relabel: an id retired for the cluster that has most of its objects": Sentence(
        "retired: most objects now in",
        lambda: cd.relabel([0, 0, 0, 1, 1, 2, 2, 2, 2], [5, 5, 6, 5, 6, 6, 6, 6, 6]),
        lambda: cd.relabel(EIGHT, EIGHT),
    ),
    "relabel: too few objects stayed": Sentence(
        "retired: at most 1 of 2 objects stayed together, which is not more than 0.5",
        lambda: cd.relabel(EIGHT, list(range(8)), min_share=0.5),
        lambda: cd.relabel(EIGHT, list(range(8))),
    ),
    "relabel: a tangle that is not matched to the end": Sentence(
        "% of what the best assignment of ids keeps is kept: the clusters are too tangled to match "
        "all of them to the end.",
        lambda: tangled(exact=False),
        lambda: tangled(exact=True),
    ),
    "consistency": Sentence(
        "4 in the same cluster in all runs, 1 below 0.5",
        lambda: cd.matrix({"a": EIGHT, "b": MIXED}).objects(),
        lambda: cd.matrix({"a": EIGHT, "b": MIXED}),
    ),
    "consistency: what it is": Sentence(
        "Consistency is the mean over pairs of runs of |A∩B| / max(|A|, |B|) with the clusters of "
        "the object. Stability of a cluster is the same with its own run against the others.",
        lambda: cd.matrix({"a": EIGHT, "b": MIXED}).objects(),
        lambda: cd.matrix({"a": EIGHT, "b": MIXED}),
    ),
    "consistency: one object of one run": Sentence(
        "1 object is in fewer than two runs, and has",
        lambda: cd.matrix({"a": {**ALL, 8: 9}, "b": ALL}, align="shared").objects(),
        lambda: cd.matrix({"a": ALL, "b": ALL}).objects(),
    ),
    "consistency: objects of one run": Sentence(
        "2 objects are in fewer than two runs, and have",
        lambda: cd.matrix({"a": PART, "b": ALL}, align="shared").objects(),
        lambda: cd.matrix({"a": ALL, "b": ALL}).objects(),
    ),
    "a side without clusters": Sentence(
        "guess 2 objects, none in a cluster",
        lambda: cd.compare(cd.Cover([["b"], ["a"]]), cd.Cover([[], []])),
        lambda: cd.compare(cd.Cover([["b"], ["a"]]), cd.Cover([[], ["a"]])),
    ),
    "pooled samples of uncertain clusterings are not tested": Sentence(
        "differences not tested: rand_campello micro: scores of uncertain clusterings are not sums "
        "over samples.",
        lambda: report("uncertain, of folds"),
        lambda: report("uncertain"),
    ),
    "sweep: a tree without heights": Sentence(
        "Thresholds are numbers of clusters: the tree has no heights.",
        lambda: cd.sweep([0, 0, 1, 1], merged(), "elm_f"),
        sweep,
    ),
    "sweep: what a distance links": Sentence(
        "A threshold t links what is at most t apart; the thresholds of a line go from the first "
        "number to below the second.",
        sweep,
        lambda: cut(9),
    ),
    "sweep: truth has few of the objects": Sentence(
        "truth has 4 of 9 objects: merges with the others are not seen, so precision looks better "
        "than it is.",
        lambda: cut(4),
        lambda: cut(9),
    ),
    "sweep: what intervals are": Sentence(
        "95 % intervals: the range to expect on a comparable data set; units: 40 components.",
        lambda: pairs_swept(0, confidence=0.95),
        lambda: pairs_swept(0),
    ),
    "sweep: few units err": Sentence(
        "Where only a few units err, or none, the interval is Korn and Graubard's.",
        lambda: pairs_swept(0, confidence=0.95),
        lambda: pairs_swept(12, confidence=0.95),
    ),
    "sweep: one unit holds much": Sentence(
        "One component holds 35 % of what pair_f divides by, so whether it errs decides the score;"
        " more data would tell.",
        lambda: pairs_swept(0, large=7, confidence=0.95),
        lambda: pairs_swept(0, confidence=0.95),
    ),
    "sweep: objects are units": Sentence(
        "units: 60 objects, as if each object was drawn by itself",
        lambda: cd.sweep([i // 30 for i in range(60)], LEVELS, "pair_f", confidence=0.95),
        lambda: pairs_swept(0, confidence=0.95),
    ),
    "sweep: a difference was not tested": Sentence(
        "pair_f is worse on the next stricter line by 1.0000 (not tested, because the difference "
        "is the same whichever of the 40 components is left out, so there is no spread to measure)",
        lambda: pairs_swept(0, confidence=0.95),
        lambda: pairs_swept(12, confidence=0.95),
    ),
    "sweep: no interval": Sentence(
        "— pair_f: 2 components are too few for an interval (10 are needed).",
        lambda: sweep(measure="pair_f", confidence=0.95),
        lambda: pairs_swept(0, confidence=0.95),
    ),
    "objects: one unit holds much": Sentence(
        "One component holds 15 % of what elm_f divides by, so whether it errs decides the score;",
        lambda: cd.objects(*large_beside_pairs(), "elm_f", confidence=0.95),
        lambda: cd.objects(*large_beside_pairs(), "elm_f"),
    ),
    "objects: no interval": Sentence(
        "— elm_f: 4 components are too few for an interval (10 are needed).",
        lambda: cd.objects(EIGHT, EIGHT, "elm_f", confidence=0.95),
        lambda: cd.objects(EIGHT, EIGHT, "elm_f"),
    ),
    "uncertainty: one unit holds much": Sentence(
        "One component holds 15 % of what elm_f divides by, so whether it errs decides the score;",
        lambda: uncertainty(*large_beside_pairs(), "elm_f"),
        lambda: uncertainty(*large_beside_pairs(2), "elm_f"),
    ),
    "page: components in conflict": Sentence(
        "in conflict, costliest first.",
        lambda: cd.page(EIGHT, MIXED).html,
        lambda: cd.page(EIGHT, EIGHT).html,
    ),
    "page: what can be searched": Sentence(
        "where truth and guess differ.",
        lambda: cd.page(EIGHT, MIXED).html,
        lambda: cd.page(EIGHT, EIGHT).html,
    ),
    "page: nothing differs": Sentence(
        "Nothing differs. Truth and guess are the same clustering",
        lambda: cd.page(EIGHT, EIGHT).html,
        lambda: cd.page(EIGHT, MIXED).html,
    ),
    "page: links": Sentence(
        "were made.</p>",
        lambda: cd.page(EIGHT, MIXED).html,
        lambda: cd.page(EIGHT, {"one": MIXED, "two": EIGHT}).html,
    ),
    "estimate: given weights": Sentence(
        "4 clusters drawn with given weights",
        lambda: cd.estimate(ALL, ALL, "elm_f", design={0: 1, 1: 1, 2: 1, 3: 2}),
        lambda: cd.estimate(ALL, ALL, "elm_f", design="clusters"),
    ),
    "links: one": Sentence(
        "1 wrong link (0.7): without it, nothing joins a and b",
        lambda: linked((0, 2, 0.7)),
        lambda: linked((0, 2, 0.7), (1, 3, 0.8)),
    ),
    "links: others remain": Sentence(
        "(0.7–0.8; weakest first): without the weakest, other links still join a and b",
        lambda: linked((0, 2, 0.7), (1, 3, 0.8)),
        lambda: linked((0, 2, 0.7), (1, 3, 0.8), threshold=0.75),
    ),
    "links: more than are shown": Sentence(
        "4 wrong links (0.6–0.9; the 3 weakest)",
        lambda: linked((0, 2, 0.7), (1, 3, 0.8), (0, 3, 0.6), (1, 2, 0.9)),
        lambda: linked((0, 2, 0.7), (1, 3, 0.8)),
    ),
    "links: none": Sentence(
        "no link joins different true clusters",
        lambda: linked((0, 2, 0.7), threshold=0.9),
        lambda: linked((0, 2, 0.7)),
    ),
    "links: a split": Sentence(
        "best pair across the 2 parts (0.4): a threshold of 0.4 joins them",
        lambda: linked((4, 5, 0.4), threshold=0.9),
        lambda: linked((4, 5, 0.4), threshold=0.3),
    ),
    "links: a split of three": Sentence(
        "a threshold of 0.5 joins two of them, 0.4 all",
        lambda: cd.explain([1, 1, 1], [1, 2, 3], pairs=[(0, 1, 0.5), (1, 2, 0.4)]),
        lambda: cd.explain([1, 1, 1], [1, 2, 3], pairs=[(0, 1, 0.5)]),
    ),
    "links: a split that is never joined": Sentence(
        "joins two of them, none all",
        lambda: cd.explain([1, 1, 1], [1, 2, 3], pairs=[(0, 1, 0.5)]),
        lambda: cd.explain([1, 1, 1], [1, 2, 3], pairs=[(0, 1, 0.5), (1, 2, 0.4)]),
    ),
    "links: a split that was not scored": Sentence(
        "no pair across the parts was scored",
        linked,
        lambda: linked((4, 5, 0.4)),
    ),
    "links: a split in spite of a link": Sentence(
        "(0.4): a link, though they are apart",
        lambda: linked((4, 5, 0.4), threshold=0.3),
        lambda: linked((4, 5, 0.4)),
    ),
    "slices: too few objects in each": Sentence(
        "No slice stands out: none has 20 objects in 5 components and leaves others.",
        lambda: slices(8, 2),
        lambda: slices(120, 2),
    ),
    "slices: too few components for a test": Sentence(
        "No slice stands out, since none can be tested: there are 6 components, and a test needs "
        "10.",
        lambda: slices(60, 10),
        lambda: slices(120, 2),
    ),
    "slices: nothing is lost": Sentence(
        "No slice stands out, since none can be tested: nothing is lost.",
        lambda: slices(120, 2, perfect=True),
        lambda: slices(120, 2),
    ),
    "slices: tested": Sentence(
        "No slice stands out among 2 that were tested (Holm-corrected, 5 %).",
        lambda: slices(120, 2),
        lambda: slices(60, 10),
    ),
    "table: clusters that are added up": Sentence(
        "The 2 largest of 4 true clusters are named; all others are added up as (others).",
        lambda: cd.contingency(EIGHT, EIGHT, top=2),
        lambda: cd.contingency(EIGHT, EIGHT),
    ),
    "table: counts": Sentence(
        "Rows are true clusters, columns guess clusters; cells count objects.",
        lambda: cd.contingency(EIGHT, MIXED),
        lambda: cd.contingency(EIGHT, MIXED, shares="rows"),
    ),
    "table: shares of rows": Sentence(
        "Rows are true clusters, columns guess clusters; cells are shares of the row.",
        lambda: cd.contingency(EIGHT, MIXED, shares="rows"),
        lambda: cd.contingency(EIGHT, MIXED, shares="columns"),
    ),
    "table: shares of columns": Sentence(
        "Rows are true clusters, columns guess clusters; cells are shares of the column.",
        lambda: cd.contingency(EIGHT, MIXED, shares="columns"),
        lambda: cd.contingency(EIGHT, MIXED),
    ),
    "table: expected counts": Sentence(
        "cells count expected objects.",
        lambda: cd.contingency(EIGHT, cd.Fuzzy([[0.5, 0.5]] * 8)),
        lambda: cd.contingency(EIGHT, MIXED),
    ),
    "table: an object in several clusters": Sentence(
        "An object counts in every pair of its clusters.",
        lambda: cd.contingency(cd.Cover([["b"], ["a"]]), cd.Cover([["a"], ["a", "b"]])),
        lambda: cd.contingency(EIGHT, EIGHT),
    ),
    "draw: others of their clusters": Sentence(
        "others of their clusters)",
        lambda: repr(cd.draw({i: i // 5 for i in range(20)}, 2)),
        lambda: cd.estimate(ALL, ALL, "elm_f", design="clusters"),
    ),
}


REFUSALS: dict[str, tuple[Callable[[], Any], str]] = {
    "no unit decides where objects are units": (
        lambda: uncertainty(CLASSES, ROUGH_CLASSES),
        "no unit decides the interval of elm_f: its units are single objects",
    ),
    "no unit decides where none errs": (
        lambda: uncertainty(list(range(30)) * 2, list(range(30)) * 2, "pair_f"),
        "none of the 30 components changes the score",
    ),
    "objects have no score in degrees": (
        lambda: cd.objects(EIGHT, cd.Fuzzy([[0.5, 0.5]] * 8), "rand_alpha"),
        "harden both clusterings, e.g. cd.objects(truth, guess.harden(), 'elm_f').",
    ),
    "objects have the F of their own": (
        lambda: cd.objects(EIGHT, MIXED, "elm_f(f='means')"),
        'say f="objects" for the F of each object ('
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSALS)
def test_a_refusal_says_why(name: str) -> None:
    act, said = REFUSALS[name]
    told = refuses(None, act)
    assert said in " ".join(str(told).split())


@pytest.mark.parametrize("share", [0.05, 0.2, 0.6])
def test_a_scorer_says_what_it_drops(share: float) -> None:
    class Model:
        def predict(self, data: Any) -> Any:
            return [-1 if i < share * 100 else i // 10 for i in range(100)]

    dropping = cd.scorer("elm_f", noise=-1, noise_as="drop")
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        score = dropping(Model(), None, [i // 10 for i in range(100)])
    told = " ".join(" ".join(str(one.message).split()) for one in seen)
    many = f"The model calls {share * 100:.0f} of 100 objects noise, and noise is dropped:"
    assert (many in told) == (share >= 0.1)
    hint = 'noise_as="singletons" counts each object that is called noise as a cluster.'
    assert (hint in told) == (share >= 0.1)
    assert ("the score is that of the others alone." in told) == (0.1 <= share <= 0.5)
    nothing = "the score is NaN, since that of the others would say little of the model."
    assert (nothing in told) == (share > 0.5)
    assert np.isnan(score) == (share > 0.5)


def printed(made: Any) -> str:
    """What a result prints, on one line."""
    return " ".join((made if isinstance(made, str) else made.to_text(200)).split())


@pytest.mark.parametrize("name", SENTENCES)
def test_a_sentence_stands_where_it_is_true_and_nowhere_else(name: str) -> None:
    said, where, elsewhere = SENTENCES[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert said in printed(where())
        assert said not in printed(elsewhere())
        assert re.sub(r"\d+", "#", said) not in re.sub(r"\d+", "#", printed(elsewhere()))


UNSEEN = [  # looks, patterns, parts of hints, and what needs large data or a page
    "no pair of runs shares an object",
    "the truth and the runs",
    "is not 1 for all of them.",
    "Found by local search from",
    "; the bound is from the distances between runs.",
    "One annotator has no other to agree with: there is no ceiling.",
    "worst components that fit on a page can be looked up. For any other: clusterdiff explain "
    "--object ID.",
    "system-ui, -apple-system, Segoe UI, sans-serif",
    "threshold: pairs that score as much are linked",
    "threshold: what is at most as far apart is linked",
    ", not to scale",
    "; detection P {}, R {}, F {}",
    ": no other members are assumed",
    "the pilot has no error",
    "Rand index, alpha 0 to 1",
    "partition distance, alpha 0 to 1",
    # parts of errors, which other tests read
    "0.05 lets up to 5 % of a cluster stray without tying it to another one",
    "0.5 keeps an id where more than half of its objects stay together",
    "an object may be in several clusters of a cover",
    "has a closed form of pair measures, such as rand, for shuffled guesses: expected value, "
    "standard deviation and z.",
    "pairs, too few for an interval",
    "label at least 2 of its pairs, better some hundred.",
    "is predicted, but blocking did not offer its pairs",
    "blocked is no for pairs that were never compared.",
    "the number of pairs is not given for",
    "give the number of pairs in each stratum: a column pairs, or",
    "matches are labelled pairs, and labelled pairs are pairs of the stratum.",
    'null="uniform" draws from all partitions.',
]
PATTERNS = ("output/result.py", "output/table.py")
ROOMS = (
    "chance", "compare", "explain", "output", "page", "releases", "runs", "sampling", "sweep",
    "table",
)  # fmt: skip


SILENT = (
    "gates", "writing", "joins", "sql", "median", "estimators", "sample", "truth",
)  # fmt: skip
"""Modules that print nothing but errors, or that other tests read line by line."""


def named() -> str:
    """All texts of tests, recorded output and pages, with literals of several lines joined."""
    docs = TESTS.parent / "docs"
    files = [
        *TESTS.rglob("*.py"), *(TESTS / "snapshots" / "recorded").iterdir(),
        *docs.rglob("*.md"), TESTS.parent / "README.md",
    ]  # fmt: skip
    found = []
    for file in files:
        text = re.sub(r"[\"']\s*\n\s*[rf]*[\"']", "", file.read_text(encoding="utf-8"))
        found += [" ".join(text.split()), re.sub(r"\\([.()?*+])", r"\1", " ".join(text.split()))]
    return "\n".join(found)


def test_every_sentence_is_named() -> None:
    known = named()
    every = {
        (file.relative_to(SOURCES).as_posix(), " ".join(text.split()))
        for room in ROOMS
        for file in (SOURCES / room).rglob("*.py")
        if not file.stem.endswith("command") and file.stem not in SILENT
        for text in texts(file)
        if len(text.split()) > 3
    }
    missing = [(file, text) for file, text in every if text not in known]
    assert [(file, text) for file, text in missing if file not in PATTERNS] == []
    assert set(UNSEEN) <= {text for _, text in every}
