"""What the ELM paper, "BCubed Revisited", claims: how ELM relates to BCubed, and constraints.

An element's own P, R and F1 are those of one element; a clustering's are means. F1 of a clustering
is the mean of the elements' own F1, as the paper has it, or the F1 of the mean P and R.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from functools import cache, partial
from itertools import product

from clusterdiff.axioms import axiom
from clusterdiff.axioms.base import Order
from clusterdiff.axioms.comparison import Labels, draw
from clusterdiff.axioms.tables import Table, table_of
from clusterdiff.axioms.verdict import Number
from clusterdiff.clusterings import Partition
from clusterdiff.engines.meet import rows_of_objects
from clusterdiff.measures import Measure
from clusterdiff.measures.bcubed import (
    bcubed_f,
    bcubed_precision,
    bcubed_recall,
    elm_f,
    elm_precision,
    elm_recall,
)
from clusterdiff.measures.quotients import exactly
from clusterdiff.meet import Policy
from clusterdiff.papers.base import Claim, Found
from clusterdiff.papers.checks import (
    Cases,
    Quantity,
    all_of,
    equal,
    holds,
    itself,
    on_trial,
    pairs,
    repaired,
    scored,
    singles,
    size_against_quantity,
    throughout,
    told,
    truths,
)

F1: dict[str, Measure] = {
    "ELM F1": elm_f,
    "ELM F1 of the means": elm_f(f="means"),
    "BCubed F1": bcubed_f,
    "BCubed F1 of the means": bcubed_f(f="means"),
}
"""Without more said, F1 is the mean of the elements' own."""

OWN: dict[str, tuple[Measure, Measure]] = {
    "P": (elm_precision, bcubed_precision),
    "R": (elm_recall, bcubed_recall),
    "F1": (elm_f, bcubed_f),
}

# Elements


@cache
def own(measure: Measure, table: Table) -> list[Number]:
    """The score of each element."""
    truth, guess = (Partition(list(labels)) for labels in table.labels)
    rows, row, _ = rows_of_objects(truth, guess, Policy())
    with exactly():
        values = measure.rows_of(rows)
    assert values is not None
    return values[row].tolist()  # type: ignore[no-any-return]


@cache
def clusters(table: Table) -> list[tuple[frozenset[int], frozenset[int]]]:
    """The true and the guessed cluster of each element."""
    of = [{x: frozenset(group) for group in side for x in group} for side in table.groups]
    return [(of[0][x], of[1][x]) for x in range(1, table.objects + 1)]


def of_elements(
    wrong: Callable[[Number, Number, frozenset[int], frozenset[int], str], bool],
) -> Found:
    """Whether nothing is wrong with the own scores of any element, by ELM and by BCubed."""

    def said(table: Table) -> str:
        for kind, both in OWN.items():
            scores = zip(*(own(measure, table) for measure in both), clusters(table), strict=True)
            for x, (elm, bcubed, (truth, guess)) in enumerate(scores, 1):
                if wrong(elm, bcubed, truth, guess, kind):
                    return f"{kind}({x}) is {told(elm)} by ELM, {told(bcubed)} by BCubed"
        return ""

    return throughout(pairs(5), said)


def never_more() -> Found:
    """ELM against BCubed, element by element."""
    return of_elements(lambda elm, bcubed, *_: elm > bcubed)


def strictly_less() -> Found:
    """The same, strictly where not both are 1."""
    return of_elements(lambda elm, bcubed, *_: not (elm < bcubed or elm == bcubed == 1))


def both_1_by_rule() -> Found:
    """Where both are 1: equal clusters, or an element that is alone where ELM would divide by 0."""

    def by_zero_division(truth: frozenset[int], guess: frozenset[int], kind: str) -> bool:
        alone = {"P": guess, "R": truth, "F1": truth | guess}
        return len(alone[kind]) == 1

    found = of_elements(
        lambda elm, bcubed, truth, guess, kind: (
            elm == bcubed == 1 and truth != guess and not by_zero_division(truth, guess, kind)
        )
    )
    without_errors: dict[str, Callable[[frozenset[int], frozenset[int]], bool]] = {
        "P": frozenset.issuperset,
        "R": frozenset.issubset,
        "F1": frozenset.__eq__,
    }
    inclusion = of_elements(
        lambda elm, bcubed, truth, guess, kind: (
            (elm == bcubed == 1) != without_errors[kind](truth, guess)
        )
    )
    return repaired(found, "both are 1 just where no error of the kind is made", inclusion)


def two_forms_of_f1() -> Found:
    """F1 from counts of right and wrong elements, and as the harmonic mean of P and R."""

    def said(table: Table) -> str:
        three = (own(measure, table) for measure in (elm_precision, elm_recall, elm_f))
        for x, (p, r, f, (truth, guess)) in enumerate(zip(*three, clusters(table), strict=True), 1):
            right, wrong = len(truth & guess) - 1, len(truth ^ guess)
            counted = Fraction(2 * right, 2 * right + wrong) if right + wrong else Fraction(1)
            harmonic = 2 * p * r / (p + r) if p + r else Fraction(0)
            if not f == counted == harmonic:
                return f"F1({x}) is {told(counted)} by counts, {told(harmonic)} by P and R"
        return ""

    return throughout(pairs(5), said)


# Best and worst guesses


def best_and_worst() -> Found:
    """A perfect guess, and both extremes."""
    one = Quantity("wanted", lambda table: Fraction(1))
    perfect = {
        f"truth itself, {name}": throughout(truths(8, itself), equal(scored(name, measure), one))
        for name, measure in {"ELM P": elm_precision, "ELM R": elm_recall, **F1}.items()
        if name.startswith("ELM")
    }
    extremes = {
        f"extremes, {name}": holds(measure, "extremes", objects=8)
        for name, measure in F1.items()
        if name.startswith("ELM")
    }
    return all_of(perfect | extremes)


def recall_of_singles() -> Found:
    """What ELM recall is if every element is guessed to be alone."""
    recall = scored("ELM R", elm_recall)
    of_clusters = Quantity(
        "share of clusters with one element",
        lambda table: Fraction(table.classes.count(1), len(table.classes)),
    )
    of_elements = Quantity(
        "share of elements that are alone",
        lambda table: Fraction(table.classes.count(1), table.objects),
    )
    cases = truths(7, singles)
    found = throughout(cases, equal(recall, of_clusters))
    return repaired(found, of_elements.name, throughout(cases, equal(recall, of_elements)))


# The figures of the constraints

Figure = tuple[Table, Table]
"""The guess that should lose, D2, and the one that should win, D1."""


def _figure(parts: tuple[int, ...], truth: Labels, d1: Labels, d2: Labels) -> Figure:
    """Parts C1, C2 and C3 of some sizes; what truth and both guesses call each of them."""
    of_truth, one, two = (
        tuple(name for name, size in zip(names, parts, strict=True) for _ in range(size))
        for names in (truth, d1, d2)
    )
    return table_of(of_truth, two), table_of(of_truth, one)


def _rag_bag(clean: int, bag: int) -> Figure:
    """Figure 6: the bag has a class for each of its elements, and so has the stray one."""
    truth = (*(0,) * clean, *range(1, bag + 2))
    rest = (1,) * bag
    return table_of(truth, (*(0,) * clean, *rest, 0)), table_of(truth, (*(0,) * clean, *rest, 1))


def wins(cases: Cases[Figure], measures: dict[str, Measure]) -> Found:
    """Whether D1 of a figure scores more than D2."""

    def said(figure: Figure) -> str:
        for name, measure in measures.items():
            two, one = map(on_trial(measure).score, figure)
            if on_trial(measure).better(two, one) != 1:
                return f"{name} is {told(one)} for D1, {told(two)} for D2"
        return ""

    def drawn(figure: Figure) -> str:
        two, one = figure
        truth, guess = two.drawn
        return f"truth {truth}, D1 {draw(two.guess_of(one))}, D2 {guess}"

    return throughout(cases, said, drawn, lambda figure: figure[0].objects)


def _by_size(figures: list[Figure]) -> list[Figure]:
    return sorted(figures, key=lambda figure: figure[0].objects)


def figure_5_or_7(truth: Labels, d1: Labels, d2: Labels) -> Found:
    """A figure whose three parts have any sizes."""
    of_sizes = [_figure(parts, truth, d1, d2) for parts in product(range(1, 5), repeat=3)]
    return wins(Cases("|C1|, |C2| and |C3| = 1 to 4", _by_size(of_sizes)), F1)


def figure_6() -> Found:
    """The rag bag, and what is left of it if the bag has one element."""
    elm = {"ELM F1": elm_f}
    bags = _by_size([_rag_bag(*of) for of in product(range(1, 5), range(2, 5))])
    of_one = [_rag_bag(clean, 1) for clean in range(1, 5)]
    found = wins(Cases("|C1| = 1 to 4, |C2| = 2 to 4, |C3| = 1", bags), elm)
    return repaired(found, "with a bag of one", wins(Cases("|C1| = 1 to 4, |C2| = 1", of_one), elm))


# The constraints


def homogeneity_of_elm() -> Found:
    """Homogeneity, and where it is strict."""
    condition = axiom("homogeneity")
    assert isinstance(condition, Order)

    def with_mates(worse: Table) -> Iterator[Table]:
        """The splits of a cluster in which somebody finds a mate, or is alone in truth."""
        for better in condition.improved(worse):
            (split,) = (Counter(worse.columns) - Counter(better.columns)).elements()
            sizes = zip(split, worse.classes, strict=True)
            if any(part > 1 or part == size == 1 for part, size in sizes):
                yield better

    found = holds(elm_f, condition, larger=0)
    strict = holds(elm_f, replace(condition, improved=with_mates), larger=0)
    return repaired(
        found, "where an element has a mate in the cluster or no other in truth", strict
    )


def as_worded() -> Found:
    """Size against quantity where the small clusters are parts of a class."""
    return all_of({name: holds(measure, "size_quantity_parts") for name, measure in F1.items()})


def _constraint(
    where: str, condition: str, says: str, instead: Mapping[str, str] | None = None
) -> Iterator[Claim]:
    """A claim for each F1."""
    for name, measure in F1.items():
        check: Callable[[], Found] = partial(holds, measure, condition, larger=0)
        if condition == "homogeneity" and measure == elm_f:
            check = homogeneity_of_elm
        yield Claim(where, f"{says}: {name}", check, (instead or {}).get(name, ""))


SPLIT = (
    "never a reversal; strict if the mixed cluster has two elements of one class, or one that is "
    "alone in truth"
)
N_2 = "the condition is meant for n >= 2, a clean cluster and a noisy one"
BAG = "true of the F1 of the mean precision and recall"
HOMOGENEITY, FIGURE_5 = "Section 3.3.1, homogeneity", "Section 3.3.1, Figure 5"
COMPLETENESS, FIGURE_7 = "Section 3.3.2, completeness", "Section 3.3.2, Figure 7"
RAG_BAG, FIGURE_6 = "Section 3.3.3, rag bag", "Section 3.3.3, Figure 6"
QUANTITY = "Section 3.3.4, size against quantity"
STRAY = "a stray element is better among n of n classes than with n of one class"

CLAIMS: tuple[Claim, ...] = (
    Claim(
        "Section 2", "F1 from counts of right and wrong elements is 2PR/(P+R)", two_forms_of_f1
    ),
    Claim("Section 2", "truth itself gets only ones, both extremes an F1 of 0", best_and_worst),
    Claim("Section 3.1", "no element's P, R or F1 is larger by ELM than by BCubed", never_more),
    Claim("Section 3.1", "they are strictly smaller, unless both are 1", strictly_less),
    Claim(
        "Section 3.1",
        "both are 1 only where truth and guess have the same cluster, or ELM would divide by 0",
        both_1_by_rule,
        "P is 1 for both where the guessed cluster lies within the true one, R where it is the "
        "other way round, F1 where they are the same",
    ),
    Claim(
        "Section 3.2.1",
        "if all are guessed to be alone, ELM recall is the share of clusters with one element",
        recall_of_singles,
        "it is the share of elements that are alone in truth",
    ),
    Claim(
        FIGURE_5, "a class in two clusters and the other in a third beats the last two merged",
        partial(figure_5_or_7, (0, 0, 1), (0, 1, 2), (0, 1, 1)),
    ),
    *_constraint(
        HOMOGENEITY, "homogeneity", "a cluster that mixes two classes is better split by class",
        {"ELM F1": SPLIT, "ELM F1 of the means": "never a reversal"},
    ),
    Claim(
        FIGURE_7, "a class in two clusters beats it in three",
        partial(figure_5_or_7, (0, 0, 0), (0, 1, 1), (0, 1, 2)),
    ),
    *_constraint(
        COMPLETENESS, "completeness", "two clusters of one class are better joined"
    ),
    Claim(
        FIGURE_6, "a stray element is better in a bag of two or more than in the clean cluster",
        figure_6,
    ),
    *_constraint(RAG_BAG, "rag_bag", f"{STRAY}, all other classes, n >= 2", {"BCubed F1": BAG}),
    *_constraint(
        RAG_BAG, "rag_bag_shared", f"{STRAY}, one of them its own or theirs, n >= 2",
        {"BCubed F1": BAG},
    ),
    *_constraint(RAG_BAG, "rag_bag_single", f"{STRAY}, n = 1", dict.fromkeys(F1, N_2)),
    *(
        Claim(
            QUANTITY, f"one of n + 1 cut off is better than n pairs broken, whole classes: {name}",
            partial(size_against_quantity, {name: on_trial(measure)}, 12),
        )
        for name, measure in F1.items()
    ),
    Claim(
        QUANTITY, "the same as worded, where the pairs may be parts of one class", as_worded,
        "the clusters have to be whole classes",
    ),
)  # fmt: skip
