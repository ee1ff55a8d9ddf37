"""Each claim of a measure in both directions: it holds everywhere, or a counterexample exists.

PYTEST_DONT_REWRITE: messages are whole as they are.
"""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import cache, cached_property, reduce
from itertools import combinations, permutations, product
from operator import or_
from typing import Any, NamedTuple

import numpy as np

from clusterdiff.chance.null_models import partitions as partitions
from clusterdiff.clusterings import AnyClustering, Cover, Evidential, Fuzzy, Partition, Rough
from clusterdiff.contingency import HardMeet, Meet, Policy
from clusterdiff.engines.samples import stack_of
from clusterdiff.errors import ClusterdiffError, InputError, KindError
from clusterdiff.io import meet
from clusterdiff.measures import Measure
from clusterdiff.measures.base import REGISTRY
from clusterdiff.measures.score_range import ScoreRange

Labels = tuple[int, ...]
"""The cluster of each object, numbered from 0 on."""
Family = tuple[int, ...]
"""Clusters, each a whole number whose bits are its objects; sorted, some perhaps twice."""


def numbered(labels: Iterable[Any]) -> Labels:
    """A partition with its clusters numbered from 0 on as they appear."""
    numbers: dict[Any, int] = {}
    return tuple(numbers.setdefault(label, len(numbers)) for label in labels)


@cache
def types(n: int) -> tuple[Labels, ...]:
    """One partition of n objects for each list of cluster sizes."""
    of_sizes: dict[tuple[int, ...], Labels] = {}
    for labels in partitions(n):
        of_sizes.setdefault(tuple(sorted(Counter(labels).values())), labels)
    return tuple(of_sizes.values())


@cache
def pairs_up_to_renaming(n: int) -> tuple[tuple[Labels, Labels], ...]:
    """Pairs of partitions such that every pair is just one of these with the objects renamed.

    Such pairs have one contingency table, up to the order of its rows and columns. Which pair
    stands for the others is drawn, so that its clusters come in any order.
    """
    rng = random.Random(n)
    pairs: dict[Any, tuple[Labels, Labels]] = {}
    for truth in types(n):
        for guess in rng.sample(partitions(n), len(partitions(n))):
            both = Counter(zip(guess, truth, strict=True))
            rows = [[both[g, t] for t in set(truth)] for g in set(guess)]
            table = min(
                tuple(sorted(tuple(row[t] for t in order) for row in rows))
                for order in permutations(set(truth))
            )
            pairs.setdefault((truth, table), (truth, guess))
    return tuple(pairs.values())


@cache
def families(n: int) -> tuple[Family, ...]:
    """Every set of distinct non-empty clusters of n objects; some leave objects in no cluster."""
    return tuple(f for k in range(1 << n) for f in combinations(range(1, 1 << n), k))


@cache
def covers(n: int) -> tuple[Family, ...]:
    """Every cover of n objects: a family that leaves no object out."""
    return tuple(family for family in families(n) if reduce(or_, family, 0) == (1 << n) - 1)


@cache
def cover_pairs(n: int) -> tuple[tuple[Family, Family], ...]:
    """Pairs of families such that every pair is one of these with the objects renamed."""
    return tuple(sorted({renamed(n, t, g) for t in families(n) for g in families(n)}))


@cache
def renamed(count: int, truth: Family, guess: Family) -> tuple[Family, Family]:
    """The pair that stands for all pairs that differ from this one in the names of the objects."""
    orders = permutations(range(count))
    return min((with_names(truth, names), with_names(guess, names)) for names in orders)


@cache
def with_names(clusters: Family, names: Labels) -> Family:
    """The clusters with each object called by its name in `names`."""
    moved = (sum(1 << names[x] for x in range(len(names)) if c >> x & 1) for c in clusters)
    return tuple(sorted(moved))


def memberships(n: int, family: Family) -> dict[int, frozenset[int]]:
    """From each object to the clusters it is in."""
    return {i: frozenset(k for k, c in enumerate(family) if c >> i & 1) for i in range(n)}


# All small comparisons, whatever the objects are called: what measures are tried on.

MASSES: list[dict[tuple[str, ...], float]] = [
    {("a",): 1.0},
    {("b",): 1.0},
    {("a", "b"): 1.0},
    {("a",): 0.5, ("b",): 0.5},
    {("a",): 0.25, ("b",): 0.75},
    {("a",): 0.75, ("b",): 0.25},
]
"""What an uncertain clustering with the clusters a and b may say of an object."""
WITH_CLUSTERS_EXCHANGED = [1, 0, 2, 3, 5, 4]
"""Which of these masses each becomes if a is called b, and b is called a."""


class Case(NamedTuple):
    """Two clusterings of n objects: partitions as labels, covers as families of clusters, or
    uncertain clusterings as numbers of `MASSES`.
    """

    n: int
    truth: tuple[int, ...]
    guess: tuple[int, ...]
    kind: str = "partition"

    def swapped(self) -> Case:
        """Guess against truth, under the names of the objects that are tried."""
        return self._replace(truth=self.guess, guess=self.truth).canonical()

    def canonical(self) -> Case:
        """The one that is tried of all cases that differ in the names of the objects; partitions
        keep theirs.
        """
        if self.kind == "cover":
            return Case(self.n, *renamed(*self[:3]), self.kind)
        if self.kind == "soft" and self.n == 2:
            return min(self, self._replace(truth=self.truth[::-1], guess=self.guess[::-1]))
        return self

    @property
    def same(self) -> bool:
        """Whether both are one clustering, whatever the clusters are called."""
        exchanged = self.truth
        if self.kind == "soft":
            exchanged = tuple(WITH_CLUSTERS_EXCHANGED[mass] for mass in self.truth)
        return self.guess in (self.truth, exchanged)

    @property
    def sides(self) -> list[AnyClustering]:
        """Truth and guess as clusterings, uncertain ones of the plainest kind that fits."""
        return [self._clustering(side) for side in (self.truth, self.guess)]

    def _clustering(self, side: tuple[int, ...]) -> AnyClustering:
        if self.kind == "partition":
            return Partition(side)
        if self.kind == "cover":
            return Cover(memberships(self.n, side))
        masses = [MASSES[number] for number in side]
        if all(len(mass) == 1 for mass in masses):
            return Rough([set(next(iter(mass))) for mass in masses])
        if 2 not in side:
            return Fuzzy([{name: m for (name,), m in mass.items()} for mass in masses])
        return Evidential(masses)

    def __str__(self) -> str:
        """Truth and guess as one types them."""
        return ", ".join(map(self._typed, (self.truth, self.guess)))

    def _typed(self, side: tuple[int, ...]) -> str:
        if self.kind == "partition":
            return repr(list(side))
        if self.kind == "cover":
            listed = {i: sorted(own) for i, own in memberships(self.n, side).items()}
            return f"cd.Cover({listed})"
        return f"cd.Evidential({[MASSES[number] for number in side]})"


@cache
def meet_of(case: Case) -> Meet:
    """The contingency table of a case, of which all measures are functions."""
    return meet(*case.sides)


@cache
def cases(kind: str) -> tuple[Case, ...]:
    """All pairs of partitions of up to 5 objects, of covers of up to 3, or of uncertain clusterings
    of 2 with some of 3, once each whatever the objects are called.
    """
    if kind == "partition":
        return tuple(Case(n, *pair) for n in range(1, 6) for pair in pairs_up_to_renaming(n))
    if kind == "cover":
        return tuple(Case(n, *pair, kind) for n in (1, 2, 3) for pair in cover_pairs(n))
    of_two = list(product(range(6), repeat=2))
    of_three = random.Random(1).sample(list(product(range(4), repeat=3)), 8)
    pairs = [pair for sides in (of_two, of_three) for pair in product(sides, sides)]
    every = [Case(len(truth), truth, guess, kind) for truth, guess in pairs]
    return tuple(case for case in every if case == case.canonical())


TINY = 1e-12
Ends = tuple[float, float]


class ClaimCheck:
    """A measure with its scores of all small comparisons of the kinds that it takes.

    Each public method raises an AssertionError if a claim does not hold, or if a weak claim, such
    as symmetric=False, has no counterexample.
    """

    def __init__(self, measure: Measure, examples: Iterable[tuple[Any, Any]] = ()) -> None:
        self.measure = measure
        self.claims = measure.claims
        self.examples = list(examples)
        self.name = f"cd.{measure}" if REGISTRY.get(measure.name) == measure else str(measure)

    @property
    def kinds(self) -> list[str]:
        """What the measure is tried on: partitions, covers, uncertain clusterings."""
        needs = self.measure.needs
        return [
            *(["partition"] if needs - {"cover"} else []),
            *(kind for kind in ("cover", "soft") if kind in needs),
        ]

    @cached_property
    def scores(self) -> dict[Case, Ends]:
        """The ends of each score, without the cases that the measure is not for."""
        scores = {}
        for case in (case for kind in self.kinds for case in cases(kind)):
            try:
                scores[case] = _ends(self.measure.of(meet_of(case)))
            except KindError:
                continue
        assert scores, f"{self.name} scores no comparison that it was given."
        return scores

    @cached_property
    def _of_examples(self) -> list[tuple[tuple[Any, Any], Ends]]:
        return [(pair, _ends(self.measure(*pair))) for pair in self.examples]

    def _all(self) -> Iterator[tuple[Case | tuple[Any, Any], Ends]]:
        yield from self.scores.items()
        yield from self._of_examples

    def call(self, case: Case | tuple[Any, Any], score: Ends) -> str:
        """A score, as a call that can be pasted and its value."""
        typed = case if isinstance(case, Case) else ", ".join(map(repr, case))
        value = score[0] if score[0] == score[1] else ScoreRange(*score)
        return f"{self.name}({typed}) is {value}"

    def bounds(self) -> None:
        """No score is outside of the bounds, and the lower one is reached or not, as claimed."""
        low, high = self.claims.bounds
        for case, score in self._all():
            inside = low - TINY <= score[0] <= score[1] <= high + TINY
            assert inside, f"{self.call(case, score)}, outside of bounds={self.claims.bounds}."
        lowest = [case for case in self._all() if abs(case[1][0] - low) < TINY]
        if self.claims.reached:
            assert lowest, f"{self.name} never gives {low}, its lower bound; claim reached=False."
        else:
            assert not lowest, f"{self.call(*lowest[0])}: claim reached=True."

    def symmetry(self) -> None:
        """Exchanging truth and guess changes nothing, or changes some score, as claimed."""
        uneven = next(self._uneven(), "")
        if self.claims.symmetric:
            assert not uneven, f"{uneven}: claim symmetric=False."
        else:
            assert uneven, f"{self.name} is the same both ways: claim symmetric=True."

    def _uneven(self) -> Iterator[str]:
        for case, score in self.scores.items():
            other = case.swapped()
            back = self.scores.get(other) or _ends(self.measure.of(meet_of(other)))
            if not _near(score, back):
                yield f"{self.call(case, score)}, and {self.call(other, back)}"
        for (truth, guess), score in self._of_examples:
            back = _ends(self.measure(guess, truth))
            if not _near(score, back):
                yield f"{self.call((truth, guess), score)}, and {back[0]} the other way round"

    def identical(self) -> None:
        """Identical clusterings score best, or their score depends on them, as claimed."""
        best = self.claims.best
        same = {case: score for case, score in self.scores.items() if case.same}
        if best is None:
            several = len({round(score[0], 9) for score in same.values()}) > 1
            assert several, f"identical clusterings all score {next(iter(same.values()))[0]}."
            return
        for case, score in same.items():
            assert _near(score, (best, best)), f"{self.call(case, score)}, and not best={best}."

    def perfect(self) -> None:
        """Only identical clusterings score best, or others do too, as claimed."""
        best = self.claims.best
        if best is None:
            assert not self.claims.perfect, "without best=…, claim perfect=False."
            return
        others = [
            (case, score)
            for case, score in self._all()
            if _near(score, (best, best)) and not (isinstance(case, Case) and case.same)
        ]
        if self.claims.perfect:
            assert not others, f"{self.call(*others[0])}: claim perfect=False."
        else:
            assert others, f"only identical clusterings score {best}: claim perfect=True."

    def on_partitions(self) -> None:
        """A measure of covers equals that of partitions which it names, with all its parameters."""
        if not self.claims.hard:
            return
        forms = [{"f": f, "alpha": a} for f in ("objects", "means") for a in (0.5, 0.2, 0, 1)]
        for params in forms if {"f", "alpha"} <= set(self.measure.arguments) else [{}]:
            ours = self.measure.with_params(**params)
            theirs = ours.on_partitions
            assert theirs is not None
            for case in cases("partition"):
                one, other = ours.of(meet_of(case)), theirs.of(meet_of(case))
                unequal = f"{ours}({case}) is {one}, and {theirs} is {other}."
                assert abs(one - other) < TINY, unequal

    def degenerate(self) -> None:
        """One object, one cluster and all singletons have a value; nothing at all is refused."""
        for labels in ([7], [7, 7, 7], [1, 2, 3], list(range(50)), [0] * 50):
            value = self.measure(labels, labels)
            call = self.call((labels, labels), _ends(value))
            assert math.isfinite(float(value)), call
            assert value == self.claims.best or self.claims.best is None, call
        try:
            self.measure([], [])
        except InputError:
            return
        raise AssertionError(f"{self.name}([], []) has a value.")

    def order(self) -> None:
        """A score has the same bits whatever the order of the objects and the cluster names."""
        rng = np.random.default_rng(0)
        truth, guess = _random_labels(60)
        score = self.measure(truth, guess)
        for _ in range(5):
            moved, names, others = rng.permutation(60), rng.permutation(9), rng.permutation(9) * 7
            sides = names[truth[moved]].tolist(), others[guess[moved]].tolist()
            again = self.measure(*sides)
            assert again == score, (
                f"{self.call(sides, _ends(again))}, and {score} in another order."
            )

    def rows(self) -> None:
        """Shapes and rows give the same score, and so do samples side by side and one by one."""
        truth, guess = _random_labels(60)
        whole = meet(truth, guess)
        assert isinstance(whole, HardMeet)
        value = self.measure.of(whole)
        if "shapes" in self.measure.needs:
            found = self.measure.function(whole, **self.measure.arguments)
            mean = whole.mean(found, self.claims.over) if isinstance(found, np.ndarray) else found
            text = f"{self.name} is {value} of shapes and {mean} of the rows that they stand for"
            assert _near(_ends(value), _ends(mean)), f"{text}: {_typed(truth, guess)}"
        if self.measure.needs & {"shapes", "rows"}:
            names = np.repeat([0, 1, 2], [20, 25, 15])
            left, right = (Partition(side, samples=names) for side in (truth, guess))
            stack = stack_of(left, right, Policy())
            assert stack is not None
            for name, each in enumerate(self.measure.of_each(stack)):
                sample = truth[names == name], guess[names == name]
                alone = self.measure.of(meet(*sample))
                text = f"{self.name} is {each} beside other samples and {alone} alone"
                assert each == alone, f"{text}: {_typed(*sample)}"

    def penalised(self) -> None:
        """align="penalise" costs where objects are missing and nothing elsewhere, or is refused."""
        one_sided = {1: "a", 2: "a"}, {1: "a", 3: "a"}
        if not self.claims.penalise:
            try:
                self.measure(*one_sided, align="penalise")
            except ClusterdiffError:
                return
            raise AssertionError(f"{self.name} takes align='penalise': claim penalise=True.")
        value = self.measure(*one_sided, align="penalise")
        text = f"{self.name}{one_sided} is {value} with align='penalise'"
        free = not math.isfinite(value) or value == self.claims.best
        assert not free, f"{text}, though objects are missing."
        given = {"empty": 1} if "empty" in self.measure.arguments else {}
        for case in cases("partition"):
            sides = [dict(enumerate(side)) for side in (case.truth, case.guess)]
            one, other = (self.measure(*sides, align=how, **given) for how in ("penalise", "exact"))
            assert one == other, f"{self.name}({case}) is {other}, and {one} with align='penalise'."

    def documented(self) -> None:
        """The first line says what the number means, and there is a publication."""
        meaning = self.measure.meaning
        rule = f"{self.name}: the first line of the docstring is a sentence of 20 to 100 characters"
        is_sentence = 20 < len(meaning) <= 100 and meaning.endswith(".")
        assert is_sentence, f"{rule}, not {meaning!r}."
        assert self.claims.cite, f"{self.name}: cite=… says where it is defined."


CHECKS: tuple[Callable[[ClaimCheck], None], ...] = (
    ClaimCheck.documented,
    ClaimCheck.degenerate,
    ClaimCheck.bounds,
    ClaimCheck.symmetry,
    ClaimCheck.identical,
    ClaimCheck.perfect,
    ClaimCheck.on_partitions,
    ClaimCheck.order,
    ClaimCheck.rows,
    ClaimCheck.penalised,
)


def _ends(score: Any) -> Ends:
    return (score.low, score.high) if isinstance(score, ScoreRange) else (score, score)


def _near(score: Ends, other: Ends) -> bool:
    return max(abs(a - b) for a, b in zip(score, other, strict=True)) < TINY


def _typed(truth: Any, guess: Any) -> str:
    return f"{truth.tolist()}, {guess.tolist()}."


def _random_labels(objects: int) -> tuple[Any, Any]:
    """Random labels, and the same with some of them drawn anew."""
    rng = np.random.default_rng(1)
    truth = rng.integers(0, 9, objects)
    return truth, np.where(rng.random(objects) < 0.4, rng.integers(0, 9, objects), truth)
