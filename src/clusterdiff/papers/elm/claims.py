"""What the ELM paper, "BCubed Revisited", claims: how ELM relates to BCubed, and constraints.

An element's own P, R and F1 are those of one element; a clustering's are means. F1 of a clustering
is the mean of the elements' own F1, as the paper has it, or the F1 of the mean P and R.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from itertools import product

from clusterdiff.laboratory import axiom
from clusterdiff.laboratory.condition import Order
from clusterdiff.laboratory.search.engine import Stage
from clusterdiff.laboratory.spaces.comparison import Labels, draw
from clusterdiff.laboratory.spaces.contingency import Contingency, table_of
from clusterdiff.measures import Measure
from clusterdiff.measures.hard.bcubed import elm_f
from clusterdiff.papers.elm import elements
from clusterdiff.papers.elm.elements import F1
from clusterdiff.papers.paper import Claim, Claims, Finding
from clusterdiff.papers.statements import (
    all_of,
    holds,
    on_trial,
    repaired,
    size_against_quantity,
    throughout,
    told,
)

CLAIMS = Claims(elements.CLAIMS)
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

    return throughout(stage, said, drawn)


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

    found = holds(elm_f, condition, larger=0)
    strict = holds(elm_f, replace(condition, improved=with_mates), larger=0)
    return repaired(
        found, "where an element has a mate in the cluster or no other in truth", strict
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
    found = wins(Stage("|C1| = 1 to 4, |C2| = 2 to 4, |C3| = 1", lambda: bags), elm)
    alone = wins(Stage("|C1| = 1 to 4, |C2| = 1", lambda: of_one), elm)
    return repaired(found, "with a bag of one", alone)


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
