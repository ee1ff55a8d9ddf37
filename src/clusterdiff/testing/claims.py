"""Each claim of a measure in both directions: it holds everywhere, or a counterexample exists.

PYTEST_DONT_REWRITE: messages are whole as they are.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterable, Iterator
from functools import cache, cached_property
from itertools import combinations, pairwise, product
from typing import Any, NamedTuple

import numpy as np

from clusterdiff.clusterings import AnyClustering, Cover, Evidential, Fuzzy, Partition, Rough
from clusterdiff.contingency import CoverMeet, HardMeet, Meet, Policy
from clusterdiff.engines.samples import stack_of
from clusterdiff.errors import ClusterdiffError, InputError, KindError
from clusterdiff.io import meet
from clusterdiff.measures import Measure
from clusterdiff.measures.base import REGISTRY
from clusterdiff.measures.interval import Interval
from clusterdiff.testing.small import Family, Labels, families, numbered, partitions, renamed

# All small comparisons, whatever the objects are called: what measures are tried on.


@cache
def types(n: int) -> tuple[Labels, ...]:
    """One partition of n objects for each list of cluster sizes."""
    seen: dict[tuple[int, ...], Labels] = {}
    for p in partitions(n):
        seen.setdefault(tuple(sorted(np.bincount(p), reverse=True)), p)
    return tuple(seen.values())


@cache
def pairs_up_to_renaming(n: int) -> tuple[tuple[Labels, Labels], ...]:
    """Pairs of partitions such that every pair is just one of these with the objects renamed.

    Which one stands for the others is drawn, so that its clusters come in any order.
    """
    rng, found = random.Random(n), []
    for truth in types(n):
        left = dict.fromkeys(rng.sample(partitions(n), len(partitions(n))))
        while left:
            alike = [left.popitem()[0]]
            found.append((truth, alike[0]))
            for guess in alike:
                for names in _exchanges(truth):
                    moved = numbered(tuple(guess[i] for i in names))
                    if moved in left:
                        del left[moved]
                        alike.append(moved)
    return tuple(found)


@cache
def _exchanges(truth: Labels) -> tuple[Labels, ...]:
    """Names of objects that leave a partition as it is; all others are some of these in turn.

    Two objects of one cluster exchange their names, or two clusters of one size do.
    """
    clusters = [[i for i, own in enumerate(truth) if own == label] for label in set(truth)]
    swaps = [((i,), (j,)) for own in clusters for i, j in pairwise(own)]
    sides = [(a, b) for a, b in combinations(clusters, 2) if len(a) == len(b)]
    made = []
    for one, other in [*swaps, *sides]:
        names = list(range(len(truth)))
        for i, j in zip(one, other, strict=True):
            names[i], names[j] = j, i
        made.append(tuple(names))
    return tuple(made)


@cache
def cover_pairs(n: int) -> tuple[tuple[Family, Family], ...]:
    """Pairs of families such that every pair is one of these with the objects renamed."""
    return tuple(sorted({renamed(n, t, g) for t in families(n) for g in families(n)}))


def memberships(n: int, family: Family) -> dict[int, frozenset[int]]:
    """From each object to the clusters it is in."""
    return {i: frozenset(k for k, c in enumerate(family) if c >> i & 1) for i in range(n)}


@cache
def cover_meet(n: int, truth: Family, guess: Family) -> CoverMeet:
    """The meet of two covers."""
    made = meet(Cover(memberships(n, truth)), Cover(memberships(n, guess)))
    assert isinstance(made, CoverMeet)
    return made


KNOWN: list[dict[tuple[str, ...], float]] = [
    {("a",): 1.0},
    {("b",): 1.0},
    {("a", "b"): 1.0},
    {("a",): 0.5, ("b",): 0.5},
    {("a",): 0.25, ("b",): 0.75},
    {("a",): 0.75, ("b",): 0.25},
]
"""What is known of an object in an uncertain clustering of two clusters."""
RENAMED = [1, 0, 2, 3, 5, 4]
"""The same with the clusters exchanged."""


class Case(NamedTuple):
    """Two clusterings of n objects: partitions as labels, covers as families of clusters, or
    uncertain clusterings as numbers of `KNOWN`.
    """

    n: int
    truth: tuple[int, ...]
    guess: tuple[int, ...]
    kind: str = "partition"

    def swapped(self) -> Case:
        """Guess against truth, as the one that stands for all with these names."""
        return self._replace(truth=self.guess, guess=self.truth).one_of_its_kind()

    def one_of_its_kind(self) -> Case:
        """The one of those with other names of the objects that is tried; of partitions, itself."""
        if self.kind == "cover":
            return Case(self.n, *renamed(*self[:3]), self.kind)
        if self.kind == "soft" and self.n == 2:
            return min(self, self._replace(truth=self.truth[::-1], guess=self.guess[::-1]))
        return self

    @property
    def same(self) -> bool:
        """Whether both are one clustering, whatever the clusters are called."""
        if self.kind != "soft":
            return self.truth == self.guess
        return self.guess in (self.truth, tuple(RENAMED[one] for one in self.truth))

    @property
    def sides(self) -> tuple[Any, Any]:
        """Truth and guess, as a user has them."""
        return _side(self, self.truth), _side(self, self.guess)

    def __str__(self) -> str:
        return ", ".join(_typed(self, side) for side in (self.truth, self.guess))


def _side(case: Case, side: tuple[int, ...]) -> AnyClustering:
    if case.kind == "partition":
        return Partition(side)
    if case.kind == "cover":
        return Cover(memberships(case.n, side))
    return _soft(side)


def _soft(known: tuple[int, ...]) -> AnyClustering:
    """A clustering of the plainest kind that can say this."""
    masses = [KNOWN[one] for one in known]
    if all(len(mass) == 1 for mass in masses):
        return Rough([set(next(iter(mass))) for mass in masses])
    if 2 not in known:
        return Fuzzy([{name: m for (name,), m in mass.items()} for mass in masses])
    return Evidential(masses)


def _typed(case: Case, side: tuple[int, ...]) -> str:
    """A side as one types it."""
    if case.kind == "partition":
        return repr(list(side))
    if case.kind == "cover":
        listed = {i: sorted(own) for i, own in memberships(case.n, side).items()}
        return f"cd.Cover({listed})"
    return f"cd.Evidential({[KNOWN[one] for one in side]})"


@cache
def meet_of(case: Case) -> Meet:
    """The comparison of a case, as a measure takes it."""
    if case.kind == "cover":
        return cover_meet(*case[:3])
    return meet(*case.sides)


@cache
def cases(kind: str) -> tuple[Case, ...]:
    """All pairs of partitions of up to 5 objects, or of covers of up to 3, some left out, whatever
    the objects are called; or so of uncertain clusterings of 2 objects, with some of 3.
    """
    if kind == "cover":
        return tuple(Case(n, *pair, kind) for n in (1, 2, 3) for pair in cover_pairs(n))
    if kind == "soft":
        of_two = list(product(range(6), repeat=2))
        of_three = random.Random(1).sample(list(product(range(4), repeat=3)), 8)
        found = [
            Case(len(t), t, g, kind) for some in (of_two, of_three) for t, g in product(some, some)
        ]
        return tuple(case for case in found if case == case.one_of_its_kind())
    return tuple(Case(n, *pair) for n in range(1, 6) for pair in pairs_up_to_renaming(n))


TINY = 1e-12
Ends = tuple[float, float]


class ClaimCheck:
    """A measure with its scores of all small comparisons of the kinds that it takes."""

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
        """The ends of each score; a case that the measure says it is not for is left out."""
        found = {}
        for case in (case for kind in self.kinds for case in cases(kind)):
            try:
                found[case] = _ends(self.measure.of(meet_of(case)))
            except KindError:
                continue
        assert found, f"{self.name} scores no comparison that it was given."
        return found

    @cached_property
    def others(self) -> list[tuple[tuple[Any, Any], Ends]]:
        """The scores of the examples."""
        return [(pair, _ends(self.measure(*pair))) for pair in self.examples]

    def told(self, case: Case | tuple[Any, Any], score: Ends) -> str:
        """A score, as one types it."""
        typed = case if isinstance(case, Case) else ", ".join(map(repr, case))
        value = score[0] if score[0] == score[1] else Interval(*score)
        return f"{self.name}({typed}) is {value}"

    def bounds(self) -> None:
        """No score is outside of the bounds, and the lower one is reached or not, as is claimed."""
        low, high = self.claims.bounds
        for case, score in self._all():
            inside = low - TINY <= score[0] <= score[1] <= high + TINY
            assert inside, f"{self.told(case, score)}, outside of bounds={self.claims.bounds}."
        lowest = [case for case in self._all() if abs(case[1][0] - low) < TINY]
        if self.claims.reached:
            assert lowest, f"{self.name} never gives {low}, its lower bound; claim reached=False."
        else:
            assert not lowest, f"{self.told(*lowest[0])}: claim reached=True."

    def symmetry(self) -> None:
        """Exchanging truth and guess changes nothing, or does somewhere, as is claimed."""
        uneven = next(self._uneven(), "")
        if self.claims.symmetric:
            assert not uneven, f"{uneven}: claim symmetric=False."
        else:
            assert uneven, f"{self.name} is the same both ways: claim symmetric=True."

    def _uneven(self) -> Iterator[str]:
        for case, score in self.scores.items():
            other = case.swapped()
            known = self.scores.get(other)
            back = known if known is not None else _ends(self.measure.of(meet_of(other)))
            if not _near(score, back):
                yield f"{self.told(case, score)}, and {self.told(other, back)}"
        for (truth, guess), score in self.others:
            back = _ends(self.measure(guess, truth))
            if not _near(score, back):
                yield f"{self.told((truth, guess), score)}, and {back[0]} the other way round"

    def identical(self) -> None:
        """Identical clusterings score best, or what they score depends on them, as is claimed."""
        best = self.claims.best
        same = {case: score for case, score in self.scores.items() if case.same}
        if best is None:
            several = len({round(score[0], 9) for score in same.values()}) > 1
            assert several, f"identical clusterings all score {next(iter(same.values()))[0]}."
            return
        for case, score in same.items():
            assert _near(score, (best, best)), f"{self.told(case, score)}, and not best={best}."

    def perfect(self) -> None:
        """Only identical clusterings score best, or others do too, as is claimed."""
        best = self.claims.best
        if best is None:
            assert not self.claims.perfect, "without best=…, claim perfect=False."
            return
        found = [
            (case, score)
            for case, score in self._all()
            if _near(score, (best, best)) and not (isinstance(case, Case) and case.same)
        ]
        if self.claims.perfect:
            assert not found, f"{self.told(*found[0])}: claim perfect=False."
        else:
            assert found, f"only identical clusterings score {best}: claim perfect=True."

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
                told = f"{ours}({case}) is {one}, and {theirs} is {other}."
                assert abs(one - other) < TINY, told

    def degenerate(self) -> None:
        """One object, one cluster and all singletons have a value; nothing at all is refused."""
        for labels in ([7], [7, 7, 7], [1, 2, 3], list(range(50)), [0] * 50):
            value = self.measure(labels, labels)
            told = self.told((labels, labels), _ends(value))
            assert math.isfinite(float(value)), told
            assert value == self.claims.best or self.claims.best is None, told
        try:
            self.measure([], [])
        except InputError:
            return
        raise AssertionError(f"{self.name}([], []) has a value.")

    def order(self) -> None:
        """The same bits whatever the order of the objects and the names of the clusters."""
        rng = np.random.default_rng(0)
        truth, guess = _drawn(60)
        score = self.measure(truth, guess)
        for _ in range(5):
            moved, names, others = rng.permutation(60), rng.permutation(9), rng.permutation(9) * 7
            sides = names[truth[moved]].tolist(), others[guess[moved]].tolist()
            again = self.measure(*sides)
            told = f"{self.told(sides, _ends(again))}, and {score} in another order."
            assert again == score, told

    def rows(self) -> None:
        """Shapes and rows give the same, and so do samples side by side and one by one."""
        truth, guess = _drawn(60)
        whole = meet(truth, guess)
        assert isinstance(whole, HardMeet)
        value = self.measure.of(whole)
        if "shapes" in self.measure.needs:
            found = self.measure.function(whole, **self.measure.arguments)
            mean = whole.mean(found, self.claims.over) if isinstance(found, np.ndarray) else found
            told = f"{self.name} is {value} of shapes and {mean} of the rows that they stand for"
            assert _near(_ends(value), _ends(mean)), f"{told}: {self._typed(truth, guess)}"
        if self.measure.needs & {"shapes", "rows"}:
            parts = [slice(0, 20), slice(20, 45), slice(45, 60)]
            names = np.repeat([0, 1, 2], [20, 25, 15])
            left, right = (Partition(side, samples=names) for side in (truth, guess))
            stack = stack_of(left, right, Policy())
            assert stack is not None
            for part, each in zip(parts, self.measure.of_each(stack), strict=True):
                one = self.measure.of(meet(truth[part], guess[part]))
                told = f"{self.name} is {each} beside other samples and {one} alone"
                assert each == one, f"{told}: {self._typed(truth[part], guess[part])}"

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
        told = (
            f"{self.name}{one_sided} is {value} with align='penalise', though objects are missing."
        )
        assert math.isfinite(value), told
        assert value != self.claims.best, told
        given = {"empty": 1} if "empty" in self.measure.arguments else {}
        for case in cases("partition"):
            sides = [dict(enumerate(side)) for side in (case.truth, case.guess)]
            one, other = (self.measure(*sides, align=how, **given) for how in ("penalise", "exact"))
            assert one == other, f"{self.name}({case}) is {other}, and {one} with align='penalise'."

    def documented(self) -> None:
        """The first line says what the number means, and there is a publication."""
        meaning = self.measure.meaning
        told = f"{self.name}: the first line of the docstring is a sentence of 20 to 100 characters"
        sentence = 20 < len(meaning) <= 100 and meaning.endswith(".")
        assert sentence, f"{told}, not {meaning!r}."
        assert self.claims.cite, f"{self.name}: cite=… says where it is defined."

    def _all(self) -> Iterator[tuple[Case | tuple[Any, Any], Ends]]:
        yield from self.scores.items()
        yield from self.others

    @staticmethod
    def _typed(truth: Any, guess: Any) -> str:
        return f"{truth.tolist()}, {guess.tolist()}."


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
    return (score.low, score.high) if isinstance(score, Interval) else (score, score)


def _near(score: Ends, other: Ends) -> bool:
    return max(abs(a - b) for a, b in zip(score, other, strict=True)) < TINY


def _drawn(objects: int) -> tuple[Any, Any]:
    """Random labels, and the same with some of them thrown anew."""
    rng = np.random.default_rng(1)
    truth = rng.integers(0, 9, objects)
    return truth, np.where(rng.random(objects) < 0.4, rng.integers(0, 9, objects), truth)
