"""Properties of the split-merge paper: wholes from their parts, normalisation given the truth."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache, partial
from itertools import chain

from clusterdiff_lab.axioms.condition import FEW, PARTITIONS, Axiom, Equal, Scored, Space, Values
from clusterdiff_lab.axioms.engine import FAILS, HOLDS
from clusterdiff_lab.axioms.subject import Counterexample, Number, Subject, compared
from clusterdiff_lab.axioms.tables import Column, Contingency, guesses, itself, tables, truths

Similarity = Callable[[Column], Number]
"""How whole a cluster is, from the sizes of its parts."""


def _components(table: Contingency) -> Iterator[Scored]:
    if len(table.components) > 1:
        yield (table, *table.components)


def _mean_of_components(subject: Subject, scored: Scored, values: Values) -> Number:
    """Σ |J|/n S(J) over the components J."""
    weights = [Fraction(part.objects, scored[0].objects) for part in scored[1:]]
    terms = [_product(w, v) for w, v in zip(weights, values[1:], strict=True)]
    return sum(terms, start=Fraction(0))


def _product(weight: Fraction, value: Number) -> Number:
    return weight * value if isinstance(value, Fraction) else float(weight) * value


Relation = dict[Contingency, Fraction]


@cache
def _relations(most: int) -> dict[Contingency, Relation]:
    """Comparisons whose score follows from those of earlier ones, if the score is a sum over the
    common parts M of |M|/n times anything that the cuts of its two clusters and |M| say.

    Each comparison is a row of how much of each such thing it has; rows are eliminated one by one,
    and one that nothing is left of is a sum of those before it.
    """
    relations: dict[Contingency, Relation] = {}
    reduced: list[tuple[object, dict[object, Fraction], Relation]] = []
    seen = set()
    for table in chain.from_iterable(tables(n) for n in range(1, most + 1)):
        if table.key in seen:
            continue
        seen.add(table.key)
        row, combination = _parts(table), {table: Fraction(1)}
        for pivot, other, of_other in reduced:
            if factor := row.get(pivot):
                row = _less(row, other, factor)
                combination = _less(combination, of_other, factor)
        if row:
            pivot, first = next(iter(row.items()))
            row = {key: value / first for key, value in row.items()}
            reduced.append((pivot, row, {key: value / first for key, value in combination.items()}))
        elif len(combination) > 1:
            relations[table] = {
                other: -value for other, value in combination.items() if other != table
            }
    return relations


def _less(row: dict, other: dict, factor: Fraction) -> dict:  # type: ignore[type-arg]
    difference = dict(row)
    for key, value in other.items():
        difference[key] = difference.get(key, Fraction(0)) - factor * value
    return {key: value for key, value in difference.items() if value}


def _parts(table: Contingency) -> dict[object, Fraction]:
    """How much of the objects is in common parts of each sort."""
    cuts = [tuple(sorted(n for n in row if n)) for row in zip(*table.columns, strict=True)]
    shares: dict[object, Fraction] = {}
    for column in table.columns:
        cut = tuple(sorted(n for n in column if n))
        for row, count in enumerate(column):
            if count:
                sort = (cuts[row], cut, count)
                shares[sort] = shares.get(sort, Fraction(0)) + Fraction(count, table.objects)
    return shares


def _related(table: Contingency) -> Iterator[Scored]:
    relation = _relations(5).get(table)
    if relation:
        yield (table, *relation)


def _by_relation(subject: Subject, scored: Scored, values: Values) -> Number:
    relation = _relations(5)[scored[0]]  # type: ignore[index]
    terms = [_product(relation[t], v) for t, v in zip(scored[1:], values[1:], strict=True)]  # type: ignore[index]
    return sum(terms, start=Fraction(0))


def cut_clusters(most: int) -> Iterator[Contingency]:
    """One cluster on one side, cut into parts on the other."""
    for n in range(1, most + 1):
        yield from (t for t in tables(n) if len(t.classes) == 1 or len(t.columns) == 1)


CUT = Space("partition", "one cluster of up to {} objects in parts", cut_clusters, 7)


def entropy(parts: Column) -> float:
    """1 - H(parts) / log size; a single object is whole."""
    size = sum(parts)
    if size == 1:
        return 1.0
    kept = math.fsum(part * math.log(part) for part in parts)
    return kept / (size * math.log(size))


def largest_share(parts: Column) -> Fraction:
    """The share of the largest part."""
    return Fraction(max(parts), sum(parts))


def entropy_to_k(parts: Column, k: int) -> float:
    """1 - H(parts) / log k."""
    size = sum(parts)
    return 1 - math.fsum(p / size * math.log(size / p) for p in parts) / math.log(k)


def own_similarity(subject: Subject) -> Similarity | None:
    """The similarity of a cluster and its parts that a measure is made of, where it has one."""
    measure = subject.measure
    if measure is None:
        return None
    arguments = measure.arguments
    if measure.name == "split_merge" and arguments["similarity"] == "entropy":
        return entropy
    if measure.name in ("accuracy", "van_dongen"):
        return largest_share
    if measure.name == "vi_similarity_k" and arguments["k"]:
        return partial(entropy_to_k, k=arguments["k"])
    return None


@dataclass(frozen=True, kw_only=True)
class SubcomponentConsistency(Equal):
    """The score of one cluster and its parts is the similarity that the measure is made of."""

    similarity: Similarity | None = None
    """That similarity, for a measure that is not ours."""

    def unfit(self, subject: Subject) -> str:
        """Also: measures that are not made of such similarities."""
        if self.similarity is None and own_similarity(subject) is None:
            return f"{subject.name} is not made of similarities of a cluster and its parts"
        return super().unfit(subject)


def _alone(table: Contingency) -> Iterator[Scored]:
    yield (table,)


def _by_similarity(
    subject: Subject, scored: Scored, values: Values, similarity: Similarity | None = None
) -> Number:
    chosen = similarity or own_similarity(subject)
    assert chosen is not None
    table = scored[0]
    assert isinstance(table, Contingency)
    parts = table.classes if len(table.columns) == 1 else tuple(map(sum, table.columns))
    return chosen(parts)


def subcomponent_consistency(similarity: Similarity | None = None) -> SubcomponentConsistency:
    """The condition, for a similarity of one's own if need be."""
    return SubcomponentConsistency(
        "subcomponent_consistency",
        "one cluster against its parts gets the similarity that the measure is made of",
        cite="xiang2012",
        group="split-merge",
        others=_alone,
        expected=partial(_by_similarity, similarity=similarity),
        similarity=similarity,
        wanted="the similarity of the cluster and its parts",
        space=CUT,
    )


@dataclass(frozen=True, kw_only=True)
class ConditionalNormalisation(Axiom):
    """Property 5.1: given the truth, only truth gets 1, some guess 0, all others in between."""

    def cases(self, start: Contingency) -> Iterator[Scored]:
        """The truth, and then every guess for it."""
        others = (Contingency(columns) for columns in guesses(start.classes))
        yield (start, *(other for other in others if not other.is_identical))

    def judge(self, subject: Subject, scored: Scored, values: Values) -> int:
        """Whether nothing is missing."""
        return FAILS if self._missing(subject, scored, values) else HOLDS

    def _missing(self, subject: Subject, scored: Scored, values: Values) -> str:
        scores = [subject.as_similarity(value) for value in values]
        of_truth, others, n = scores[0], scores[1:], scored[0].objects
        if compared(of_truth, 1):
            return "truth itself does not get 1"
        if any(compared(v, 1) != 1 for v in others):
            return "a guess that is not the truth gets 1 or more"
        if any(compared(0, v) == -1 for v in others):
            return "a guess gets less than 0"
        if n > 1 and all(compared(0, v) for v in others):
            return "no guess gets 0"
        if n > 2 and not any(compared(0, v) for v in others):
            return "no guess is between 0 and 1"
        return ""

    def counterexample(self, subject: Subject, scored: Scored, values: Values) -> Counterexample:
        """The truth, and the guess that shows it best."""
        missing = self._missing(subject, scored, values)
        scores = [subject.as_similarity(value) for value in values]
        if missing.startswith("truth"):
            at = 0
        elif missing.startswith("a guess that"):
            at = scores.index(max(scores[1:]), 1)
        else:
            at = scores.index(min(scores[1:]), 1)
        what = "score" if at == 0 else "best guess" if "gets 1" in missing else "worst guess"
        wanted = "only the truth gets 1, some guess 0, others between; " + missing
        example = super().counterexample(subject, (scored[at],), (values[at],))
        return replace(example, values={what: values[at]}, wanted=wanted)


@dataclass(frozen=True, kw_only=True)
class SubcomponentNormalisation(Axiom):
    """Property 4.3, for what the measure gives to one cluster and its parts."""

    def cases(self, start: Contingency) -> Iterator[Scored]:
        """One cluster against its parts."""
        yield (start,)

    def judge(self, subject: Subject, scored: Scored, values: Values) -> int:
        """1 if it is whole, 0 if all parts are single, between otherwise."""
        table, value = scored[0], subject.as_similarity(values[0])
        assert isinstance(table, Contingency)
        if table.is_identical:
            return FAILS if compared(value, 1) else HOLDS
        if all(max(column) == 1 for column in table.columns):
            return FAILS if compared(value, 0) else HOLDS
        return HOLDS if compared(0, value) == compared(value, 1) == 1 else FAILS


_TRUTHS = partial(truths, guess=itself)
_equal = partial(Equal, cite="xiang2012", group="split-merge")
CONDITIONS = (
    ConditionalNormalisation(
        "conditional_normalisation",
        "given the truth, only truth gets 1, some guess 0, and all others between",
        cite="xiang2012",
        group="split-merge",
        space=Space("partition", "every truth of up to {} objects with every guess", _TRUTHS, 6),
    ),
    SubcomponentNormalisation(
        "subcomponent_normalisation",
        "one cluster gets 1 if whole, 0 if all its parts are single, else between",
        cite="xiang2012",
        group="split-merge",
        wanted="1 if whole, 0 if all parts are single, else between",
        space=CUT,
    ),
    _equal(
        "join_decomposition",
        "the score is the mean, over objects, of the scores of the components",
        others=_components,
        expected=_mean_of_components,
        wanted="the mean of the components' scores, weighted by objects",
        space=PARTITIONS,
    ),
    _equal(
        "meet_decomposition",
        "the score is a mean over objects of what the cuts of their two clusters say",
        others=_related,
        expected=_by_relation,
        wanted="the sum that follows from the other scores",
        space=replace(FEW, most=5, larger=None, limit=5),
    ),
    subcomponent_consistency(),
)
