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

from clusterdiff.measures import Measure
from clusterdiff.measures.bcubed import (
    bcubed_precision,
    bcubed_recall,
    elm_f,
    elm_precision,
    elm_recall,
)
from clusterdiff.measures.zero_division import exactly
from clusterdiff.testing.claims import Labels
from clusterdiff_lab.axioms import axiom
from clusterdiff_lab.axioms.condition import Order
from clusterdiff_lab.axioms.engine import Stage
from clusterdiff_lab.axioms.subject import Number
from clusterdiff_lab.axioms.tables import (
    Contingency,
    draw,
    every_truth,
    itself,
    pairs,
    singles,
    table_of,
)
from clusterdiff_lab.papers.elm.values import BCUBED_F1, F1, own_scores
from clusterdiff_lab.papers.paper import (
    Claim,
    Finding,
    PaperClaims,
    Quantity,
    all_of,
    as_text,
    equal,
    holds,
    on_trial,
    repaired,
    scored,
    size_against_quantity,
    throughout,
)

CLAIMS = PaperClaims()


OWN: dict[str, tuple[Measure, Measure]] = {
    "P": (elm_precision, bcubed_precision),
    "R": (elm_recall, bcubed_recall),
    "F1": (elm_f, BCUBED_F1),
}


@cache
def own(measure: Measure, table: Contingency) -> list[Number]:
    """The score of each element."""
    with exactly():
        return own_scores(measure, *map(list, table.labels))


@cache
def clusters(table: Contingency) -> list[tuple[frozenset[int], frozenset[int]]]:
    """The true and the guessed cluster of each element."""
    of = [{x: frozenset(group) for group in side for x in group} for side in table.groups]
    return [(of[0][x], of[1][x]) for x in range(1, table.objects + 1)]


def of_elements(
    wrong: Callable[[Number, Number, frozenset[int], frozenset[int], str], bool],
) -> Finding:
    """Whether nothing is wrong with the own scores of any element, by ELM and by BCubed."""

    def wrong_scores(table: Contingency) -> str:
        for kind, both in OWN.items():
            scores = zip(*(own(measure, table) for measure in both), clusters(table), strict=True)
            for x, (elm, bcubed, (truth, guess)) in enumerate(scores, 1):
                if wrong(elm, bcubed, truth, guess, kind):
                    return f"{kind}({x}) is {as_text(elm)} by ELM, {as_text(bcubed)} by BCubed"
        return ""

    return throughout(pairs(5), wrong_scores)


@CLAIMS.state("Section 2")
def two_forms_of_f1() -> Finding:
    """F1 from counts of right and wrong elements is 2PR/(P+R)."""

    def forms_that_differ(table: Contingency) -> str:
        three = (own(measure, table) for measure in (elm_precision, elm_recall, elm_f))
        for x, (p, r, f, (truth, guess)) in enumerate(zip(*three, clusters(table), strict=True), 1):
            right, wrong = len(truth & guess) - 1, len(truth ^ guess)
            counted = Fraction(2 * right, 2 * right + wrong) if right + wrong else Fraction(1)
            harmonic = 2 * p * r / (p + r) if p + r else Fraction(0)
            if not f == counted == harmonic:
                return f"F1({x}) is {as_text(counted)} by counts, {as_text(harmonic)} by P and R"
        return ""

    return throughout(pairs(5), forms_that_differ)


@CLAIMS.state("Section 2")
def best_and_worst() -> Finding:
    """truth itself gets only ones, both extremes an F1 of 0."""
    one = Quantity("wanted", lambda table: Fraction(1))
    perfect = {
        f"truth itself, {name}": throughout(
            every_truth(8, itself), equal(scored(name, measure), one)
        )
        for name, measure in {"ELM P": elm_precision, "ELM R": elm_recall, **F1}.items()
        if name.startswith("ELM")
    }
    extremes = {
        f"extremes, {name}": holds(measure, "extremes", objects=8)
        for name, measure in F1.items()
        if name.startswith("ELM")
    }
    return all_of(perfect | extremes)


@CLAIMS.state("Section 3.1")
def never_more() -> Finding:
    """no element's P, R or F1 is larger by ELM than by BCubed."""
    return of_elements(lambda elm, bcubed, *_: elm > bcubed)


@CLAIMS.state("Section 3.1")
def strictly_less() -> Finding:
    """they are strictly smaller, unless both are 1."""
    return of_elements(lambda elm, bcubed, *_: not (elm < bcubed or elm == bcubed == 1))


@CLAIMS.state(
    "Section 3.1",
    "P is 1 for both where the guessed cluster lies within the true one, R where it is the "
    "other way round, F1 where they are the same",
)
def both_1_by_rule() -> Finding:
    """both are 1 only where truth and guess have the same cluster, or ELM would divide by 0."""

    def by_zero_division(truth: frozenset[int], guess: frozenset[int], kind: str) -> bool:
        alone = {"P": guess, "R": truth, "F1": truth | guess}
        return len(alone[kind]) == 1

    as_stated = of_elements(
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
    return repaired(as_stated, "both are 1 just where no error of the kind is made", inclusion)


@CLAIMS.state("Section 3.2.1", "it is the share of elements that are alone in truth")
def recall_of_singles() -> Finding:
    """if all are guessed to be alone, ELM recall is the share of clusters with one element."""
    recall = scored("ELM R", elm_recall)
    of_clusters = Quantity(
        "share of clusters with one element",
        lambda table: Fraction(table.classes.count(1), len(table.classes)),
    )
    of_elements = Quantity(
        "share of elements that are alone",
        lambda table: Fraction(table.classes.count(1), table.objects),
    )
    cases = every_truth(7, singles)
    as_stated = throughout(cases, equal(recall, of_clusters))
    return repaired(as_stated, of_elements.name, throughout(cases, equal(recall, of_elements)))


Figure = tuple[Contingency, Contingency]
"""The guess that should lose, D2, and the one that should win, D1."""


def _figure(parts: tuple[int, ...], truth: Labels, d1: Labels, d2: Labels) -> Figure:
    """Parts C1, C2 and C3 of some sizes; what truth and both guesses call each of them."""
    of_truth, one, two = (
        tuple(name for name, size in zip(names, parts, strict=True) for _ in range(size))
        for names in (truth, d1, d2)
    )
    return table_of(of_truth, two), table_of(of_truth, one)


def rag_bag(clean: int, bag: int) -> Figure:
    """Figure 6: the bag has a class for each of its elements, and so has the stray one."""
    truth = (*(0,) * clean, *range(1, bag + 2))
    rest = (1,) * bag
    return table_of(truth, (*(0,) * clean, *rest, 0)), table_of(truth, (*(0,) * clean, *rest, 1))


def wins(stage: Stage[Figure], measures: dict[str, Measure]) -> Finding:
    """Whether D1 of a figure scores more than D2."""

    def losing_scores(figure: Figure) -> str:
        for name, measure in measures.items():
            two, one = map(on_trial(measure).score, figure)
            if on_trial(measure).better(two, one) != 1:
                return f"{name} is {as_text(one)} for D1, {as_text(two)} for D2"
        return ""

    def drawn(figure: Figure) -> str:
        two, one = figure
        truth, guess = two.drawn
        return f"truth {truth}, D1 {draw(two.guess_of(one))}, D2 {guess}"

    return throughout(stage, losing_scores, drawn)


def _by_size(figures: list[Figure]) -> list[Figure]:
    return sorted(figures, key=lambda figure: figure[0].objects)


def figure_5_or_7(truth: Labels, d1: Labels, d2: Labels) -> Finding:
    """A figure whose three parts have any sizes."""
    of_sizes = [_figure(parts, truth, d1, d2) for parts in product(range(1, 5), repeat=3)]
    return wins(Stage("|C1|, |C2| and |C3| = 1 to 4", lambda: _by_size(of_sizes)), F1)


def homogeneity_of_elm() -> Finding:
    """Homogeneity, and where it is strict."""
    condition = axiom("homogeneity")
    assert isinstance(condition, Order)

    def with_mates(worse: Contingency) -> Iterator[Contingency]:
        """The splits of a cluster in which somebody finds a mate, or is alone in truth."""
        for better in condition.improved(worse):
            (split,) = (Counter(worse.columns) - Counter(better.columns)).elements()
            sizes = zip(split, worse.classes, strict=True)
            if any(part > 1 or part == size == 1 for part, size in sizes):
                yield better

    as_stated = holds(elm_f, condition, larger=0)
    strict = holds(elm_f, replace(condition, improved=with_mates), larger=0)
    return repaired(
        as_stated, "where an element has a mate in the cluster or no other in truth", strict
    )


def _constraint(
    where: str, condition: str, says: str, instead: Mapping[str, str] | None = None
) -> Iterator[Claim]:
    """A claim for each F1."""
    for name, measure in F1.items():
        check: Callable[[], Finding] = partial(holds, measure, condition, larger=0)
        if condition == "homogeneity" and measure == elm_f:
            check = homogeneity_of_elm
        yield Claim(where, f"{says}: {name}", check, (instead or {}).get(name, ""))


SPLIT = (
    "never a reversal; strict if the mixed cluster has two elements of one class, or one that is "
    "alone in truth"
)
N_2 = "the condition is meant for n >= 2, a clean cluster and a noisy one"
BAG = "true of the F1 of the mean precision and recall"
STRAY = "a stray element is better among n of n classes than with n of one class"
FIGURE_5, HOMOGENEITY = "Section 3.3.1, Figure 5", "Section 3.3.1, homogeneity"
FIGURE_7, COMPLETENESS = "Section 3.3.2, Figure 7", "Section 3.3.2, completeness"
RAG_BAG, QUANTITY = "Section 3.3.3, rag bag", "Section 3.3.4, size against quantity"
CLAIMS += [
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
]  # fmt: skip


@CLAIMS.state("Section 3.3.3, Figure 6")
def figure_6() -> Finding:
    """a stray element is better in a bag of two or more than in the clean cluster."""
    elm = {"ELM F1": elm_f}
    bags = _by_size([rag_bag(*of) for of in product(range(1, 5), range(2, 5))])
    of_one = [rag_bag(clean, 1) for clean in range(1, 5)]
    as_stated = wins(Stage("|C1| = 1 to 4, |C2| = 2 to 4, |C3| = 1", lambda: bags), elm)
    alone = wins(Stage("|C1| = 1 to 4, |C2| = 1", lambda: of_one), elm)
    return repaired(as_stated, "with a bag of one", alone)


CLAIMS += [
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
]  # fmt: skip


@CLAIMS.state(QUANTITY, "the clusters have to be whole classes")
def as_worded() -> Finding:
    """the same as worded, where the pairs may be parts of one class."""
    return all_of({name: holds(measure, "size_quantity_parts") for name, measure in F1.items()})
