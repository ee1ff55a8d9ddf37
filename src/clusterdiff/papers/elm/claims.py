"""What the ELM paper, "BCubed Revisited", claims: how ELM relates to BCubed, and constraints.

An element's own P, R and F1 are those of one element; a clustering's are means. F1 of a clustering
is the mean of the elements' own F1, as the paper has it, or the F1 of the mean P and R.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial

from clusterdiff.laboratory import axiom
from clusterdiff.laboratory.condition import Order
from clusterdiff.laboratory.spaces.contingency import Contingency
from clusterdiff.measures.hard.bcubed import elm_f
from clusterdiff.papers.elm import elements, figures
from clusterdiff.papers.elm.scores import F1
from clusterdiff.papers.paper import Claim, Finding
from clusterdiff.papers.statements import all_of, holds, on_trial, repaired, size_against_quantity


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


def as_worded() -> Finding:
    """Size against quantity where the small clusters are parts of a class."""
    return all_of({name: holds(measure, "size_quantity_parts") for name, measure in F1.items()})


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
HOMOGENEITY, FIGURE_5 = "Section 3.3.1, homogeneity", "Section 3.3.1, Figure 5"
COMPLETENESS, FIGURE_7 = "Section 3.3.2, completeness", "Section 3.3.2, Figure 7"
RAG_BAG, FIGURE_6 = "Section 3.3.3, rag bag", "Section 3.3.3, Figure 6"
QUANTITY = "Section 3.3.4, size against quantity"
STRAY = "a stray element is better among n of n classes than with n of one class"

CLAIMS: tuple[Claim, ...] = (
    Claim(
        "Section 2", "F1 from counts of right and wrong elements is 2PR/(P+R)",
        elements.two_forms_of_f1,
    ),
    Claim(
        "Section 2", "truth itself gets only ones, both extremes an F1 of 0",
        elements.best_and_worst,
    ),
    Claim(
        "Section 3.1", "no element's P, R or F1 is larger by ELM than by BCubed",
        elements.never_more,
    ),
    Claim("Section 3.1", "they are strictly smaller, unless both are 1", elements.strictly_less),
    Claim(
        "Section 3.1",
        "both are 1 only where truth and guess have the same cluster, or ELM would divide by 0",
        elements.both_1_by_rule,
        "P is 1 for both where the guessed cluster lies within the true one, R where it is the "
        "other way round, F1 where they are the same",
    ),
    Claim(
        "Section 3.2.1",
        "if all are guessed to be alone, ELM recall is the share of clusters with one element",
        elements.recall_of_singles,
        "it is the share of elements that are alone in truth",
    ),
    Claim(
        FIGURE_5, "a class in two clusters and the other in a third beats the last two merged",
        partial(figures.figure_5_or_7, (0, 0, 1), (0, 1, 2), (0, 1, 1)),
    ),
    *_constraint(
        HOMOGENEITY, "homogeneity", "a cluster that mixes two classes is better split by class",
        {"ELM F1": SPLIT, "ELM F1 of the means": "never a reversal"},
    ),
    Claim(
        FIGURE_7, "a class in two clusters beats it in three",
        partial(figures.figure_5_or_7, (0, 0, 0), (0, 1, 1), (0, 1, 2)),
    ),
    *_constraint(
        COMPLETENESS, "completeness", "two clusters of one class are better joined"
    ),
    Claim(
        FIGURE_6, "a stray element is better in a bag of two or more than in the clean cluster",
        figures.figure_6,
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
