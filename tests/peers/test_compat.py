"""compat= gives the numbers of the packages themselves, also where other rules for 0/0 matter."""

from __future__ import annotations

import math
import random
import warnings
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterator, Mapping
from itertools import islice
from typing import Any

import pytest

import clusterdiff as cd
from cases import disturbed, pairs_up_to_renaming, random_cover
from clusterdiff.measures.compat import CONVENTIONS
from refusals import refuses

Side = dict[Any, Any]
Peer = Callable[[Side, Side], float]
PARTS = ("precision", "recall", "f")


def small() -> Iterator[tuple[Side, Side]]:
    """All pairs of partitions of up to four objects: one object, one cluster, all alone."""
    for n in range(1, 5):
        for truth, guess in pairs_up_to_renaming(n):
            yield dict(enumerate(truth)), dict(enumerate(guess))


def drawn(seed: int, missing: float = 0.0) -> Iterator[tuple[Side, Side]]:
    """Random partitions of up to 60 objects, with some objects on one side only."""
    rng = random.Random(seed)
    for _ in range(25):
        n = rng.randint(1, 60)
        clusters = rng.choice([1, 2, n // 3 + 1, n])
        sides: list[Side] = [
            {x: rng.randrange(clusters) for x in range(n) if rng.random() >= missing}
            for _ in range(2)
        ]
        yield sides[0], sides[1]


def agreeing(compat: str, peers: Mapping[str, Peer], given: Iterator[tuple[Side, Side]]) -> int:
    """How many comparisons have the same numbers, to 1e-12; none without shared objects."""
    found = 0
    for truth, guess in given:
        try:
            report = cd.compare(truth, guess, list(peers), compat=compat)
        except cd.ClusterdiffError:
            assert not truth.keys() & guess.keys()
            continue
        for name, theirs in peers.items():
            wanted = pytest.approx(theirs(truth, guess), rel=0, abs=1e-12)
            assert report[name].value == wanted, (name, truth, guess)
        found += 1
    return found


def listed(function: Callable[..., float]) -> Peer:
    """A function of two lists of labels."""
    return lambda truth, guess: function(list(truth.values()), list(guess.values()))


# --- scikit-learn -------------------------------------------------------------------------------


def scikit_learn() -> dict[str, Peer]:
    from sklearn import metrics

    convention = CONVENTIONS["sklearn"]
    names = zip(convention.measures, convention.theirs.values(), strict=True)
    return {ours: listed(getattr(metrics, theirs)) for ours, theirs in names}


def test_sklearn() -> None:
    assert agreeing("sklearn", scikit_learn(), small()) == 48
    assert agreeing("sklearn", scikit_learn(), drawn(1)) == 25


def test_sklearn_weights_the_v_measure_by_beta() -> None:
    from sklearn.metrics import v_measure_score

    truth, guess = [0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2]
    ours = cd.v_measure(truth, guess, alpha=1 / 1.2, compat="sklearn")
    assert ours == pytest.approx(v_measure_score(truth, guess, beta=0.2), abs=1e-12)


def test_without_compat_one_of_them_is_another() -> None:
    """Were the defaults those of scikit-learn, compat would not be needed."""
    others = {
        name
        for name, theirs in scikit_learn().items()
        if any(abs(cd.measure(name)(*sides) - theirs(*sides)) > 1e-9 for sides in small())
    }
    assert others == {"fowlkes_mallows"}


# --- bcubed -------------------------------------------------------------------------------------


def package_bcubed(part: str) -> Peer:
    import bcubed

    def score(truth: Side, guess: Side) -> float:
        sides = [
            {x: c if isinstance(c, frozenset) else frozenset([c]) for x, c in side.items()}
            for side in (guess, truth)
        ]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)  # the mean of nothing
            found = {p: getattr(bcubed, p)(*sides) for p in ("precision", "recall")}
        return float(found[part] if part in found else bcubed.fscore(*found.values()))

    return score


def test_python_bcubed_on_partitions() -> None:
    """Objects that guess lacks are left out by both."""
    peers = {f"bcubed_{part}": package_bcubed(part) for part in PARTS}
    extended = {f"extended_{name}": theirs for name, theirs in peers.items()}
    assert agreeing("python-bcubed", peers | extended, small()) == 48
    some = ((t, {x: c for x, c in g.items() if x in t}) for t, g in drawn(2, missing=0.2))
    assert agreeing("python-bcubed", peers, some) > 20


def test_python_bcubed_on_covers() -> None:
    """An object in no cluster is refused, where the package gives NaN."""
    rng, refused = random.Random(3), 0
    for _ in range(40):
        n = rng.randint(2, 12)
        truth = {x: frozenset(own) for x, own in random_cover(rng, n, 4, n).items()}
        guess = disturbed(rng, truth)
        sides = cd.Cover(truth), cd.Cover(guess)
        wanted = [package_bcubed(part)(truth, guess) for part in PARTS]
        if math.isnan(wanted[2]):
            refused += 1
            refuses("in no cluster", cd.compare, *sides, compat="python-bcubed")
            continue
        report = cd.compare(*sides, compat="python-bcubed")
        assert list(report) == [f"extended_bcubed_{part}(uncovered='refuse')" for part in PARTS]
        assert [report[name].value for name in report] == pytest.approx(wanted, abs=1e-12)
    assert 0 < refused < 40


# --- ER-Evaluation ------------------------------------------------------------------------------


def er_evaluation(theirs: str) -> Peer:
    metrics = pytest.importorskip("er_evaluation.metrics")
    import pandas as pd

    def score(truth: Side, guess: Side) -> float:
        sides = (pd.Series(side, dtype=object) for side in (guess, truth))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # it still says copy=False to pandas
            return float(getattr(metrics, theirs)(*sides))

    return score


ER = CONVENTIONS["er-evaluation"]


@pytest.mark.filterwarnings("ignore:Only .* objects have a truth")
def test_er_evaluation() -> None:
    """Objects on one side only are left out by both."""
    names = zip(ER.measures, ER.theirs.values(), strict=True)
    peers = {ours: er_evaluation(theirs) for ours, theirs in names}
    tiny = (case for case in small() if len(case[0]) < 4)
    assert agreeing("er-evaluation", peers, tiny) == 15
    assert agreeing("er-evaluation", peers, islice(drawn(4, missing=0.3), 8)) > 4


# --- coreference --------------------------------------------------------------------------------


def clusters_of(side: Side) -> list[set[Hashable]]:
    found: dict[Any, set[Hashable]] = defaultdict(set)
    for x, label in side.items():
        found[label].add(x)
    return list(found.values())


def scorch(family: str, place: int) -> Peer:
    scores = pytest.importorskip("scorch.scores")

    def score(truth: Side, guess: Side) -> float:
        found = getattr(scores, family)(clusters_of(truth), clusters_of(guess))
        return float(found[place] if isinstance(found, tuple) else found)

    return score


FAMILIES = {"muc": "muc", "bcubed": "b_cubed", "ceaf_m": "ceaf_m", "ceaf_e": "ceaf_e"}


def of_scorch(families: Mapping[str, str]) -> dict[str, Peer]:
    return {
        f"{ours}_{part}": scorch(theirs, place)
        for ours, theirs in families.items()
        for place, part in enumerate(("recall", "precision", "f"))
    }


@pytest.mark.parametrize("compat", ["conll", "coval"])
def test_conll_and_coval_agree_with_scorch(compat: str) -> None:
    """Scorch follows the CoNLL reference scorer; mentions may be on one side only."""
    peers = of_scorch(FAMILIES) | {"conll": scorch("conll2012", 2)}
    assert agreeing(compat, peers, small()) == 48
    assert agreeing(compat, peers, sided(drawn(6, missing=0.3))) > 20


def test_blanc_agrees_with_scorch() -> None:
    assert agreeing("conll", of_scorch({"blanc": "blanc"}), larger(drawn(7, missing=0.3))) > 20


def sided(given: Iterator[tuple[Side, Side]]) -> Iterator[tuple[Side, Side]]:
    """Those in which both sides have mentions."""
    return ((truth, guess) for truth, guess in given if truth and guess)


def larger(given: Iterator[tuple[Side, Side]]) -> Iterator[tuple[Side, Side]]:
    """Those of more than one mention: a single one is 1 in scorch, 0 in the reference scorer."""
    return ((t, g) for t, g in given if len(t) > 1 and len(g) > 1)


def by_moosavi(truth: Side, guess: Side) -> tuple[float, float]:
    """LEA recall and precision by its definition (Moosavi and Strube 2016), 0/0 being 0."""

    def half(own: Side, other: Side) -> float:
        top = bottom = 0.0
        for mine in clusters_of(own):
            shared = [len(mine & theirs) for theirs in clusters_of(other)]
            links = sum(k * (k - 1) / 2 for k in shared)
            if len(mine) == 1:
                links = float(mine in clusters_of(other))
            every = len(mine) * (len(mine) - 1) / 2 or 1
            top, bottom = top + len(mine) * links / every, bottom + len(mine)
        return top / bottom if bottom else 0.0

    return half(truth, guess), half(guess, truth)


@pytest.mark.parametrize("compat", ["conll", "coval"])
def test_lea_is_that_of_its_definition(compat: str) -> None:
    peers: dict[str, Peer] = {
        "lea_recall": lambda truth, guess: by_moosavi(truth, guess)[0],
        "lea_precision": lambda truth, guess: by_moosavi(truth, guess)[1],
    }
    assert agreeing(compat, peers, sided(drawn(8, missing=0.3))) > 20


# --- ELKI, by definition, not run -----------------------------------------------------------------


def by_elki(truth: Side, guess: Side) -> tuple[float, float, float]:
    """BCubed as ELKI 0.8 defines it without self-pairs: c (c - 1) / (size - 1) over cells of the
    contingency table with more than one object, over all objects.
    """
    precision = recall = 0.0
    for left in clusters_of(truth):
        for right in clusters_of(guess):
            if (c := len(left & right)) > 1:
                precision += c * (c - 1) / (len(right) - 1)
                recall += c * (c - 1) / (len(left) - 1)
    precision, recall = precision / len(truth), recall / len(truth)
    both = precision + recall
    return precision, recall, 2 * precision * recall / both if both else 0.0


def test_elki_leaves_the_object_itself_out_of_bcubed() -> None:
    peers: dict[str, Peer] = {
        f"bcubed_{part}": lambda truth, guess, place=place: by_elki(truth, guess)[place]  # type: ignore[misc]
        for place, part in enumerate(PARTS)
    }
    assert agreeing("elki", peers, small()) == 48


def test_elki_golden() -> None:
    """By hand: cells of 2, 1, 1, 2 objects, two true clusters of 3, guess clusters of 2, 2, 2."""
    truth, guess = "aaabbb", "xxyyzz"
    report = cd.compare(list(truth), list(guess), compat="elki")
    assert report["bcubed_precision"].value == pytest.approx(4 / 6, abs=1e-15)
    assert report["bcubed_recall"].value == pytest.approx(2 / 6, abs=1e-15)
    assert report["bcubed_f"].value == pytest.approx(4 / 9, abs=1e-15)
    assert report["pair_precision"].value == pytest.approx(2 / 3, abs=1e-15)
    assert report["pair_jaccard"].value == pytest.approx(2 / 7, abs=1e-15)


# --- every convention is complete -----------------------------------------------------------------


def test_every_measure_of_a_package_is_checked() -> None:
    """The rest of ELKI is defined as here, and checked there."""

    def named(*families: str) -> set[str]:
        return {f"{family}_{part}" for family in families for part in PARTS}

    coval = named(*FAMILIES, "lea") | {"conll"}
    assert CONVENTIONS["coval"].measures.keys() == coval
    assert CONVENTIONS["conll"].measures.keys() == coval | named("blanc")
    assert CONVENTIONS["python-bcubed"].measures.keys() == named("bcubed", "extended_bcubed")
