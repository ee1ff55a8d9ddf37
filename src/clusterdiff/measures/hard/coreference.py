"""Coreference measures on plain partitions, with the conventions of the CoNLL reference scorer.

With align='penalise' mentions may be on one side only. `empty` is what nothing divided by
nothing gives; left out, it is 1, and 0 under align='penalise', as that scorer has it.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np

from clusterdiff.array_types import Floats
from clusterdiff.measures.core.lines import family_of_lines
from clusterdiff.measures.core.measure import Form, measure
from clusterdiff.measures.core.sums import (
    UnitSums,
    f_of_sums,
    f_terms,
    family_of_sums,
    function_of_sums,
)
from clusterdiff.measures.core.zero_division import f_of, f_score, precision_recall, ratio, share
from clusterdiff.measures.hard.assignment import MATCHING_COST
from clusterdiff.measures.hard.bcubed import companions, means
from clusterdiff.measures.hard.coreference_counts import (
    Links,
    all_links,
    blanc_lines,
    entity_means,
    entity_terms,
    lea_of_lines,
    link_terms,
    links_of_objects,
    links_of_sums,
    matched_entities,
    muc_links,
    muc_of_lines,
    muc_terms,
    of_cluster,
    quality,
)
from clusterdiff.measures.hard.matching import kept_rows, matched_objects, matching_terms
from clusterdiff.measures.hard.pairs import mates
from clusterdiff.meet import Counted, HardMeet, Shapes


def nothing(s: Counted, empty: float | None) -> float:
    """The value of 0/0: as asked, else 0 when missing mentions are penalised, else 1."""
    if empty is not None:
        return float(empty)
    return 0.0 if s.alignment.policy == "penalise" else 1.0


def _if_found(m: HardMeet, shares: tuple[Floats, Floats]) -> tuple[Floats, Floats]:
    """Objects that are on one side only count as errors."""
    return np.where(m.found > 0, shares[0], 0.0), np.where(m.found > 0, shares[1], 0.0)


# MUC


@measure(cite="vilain1995", symmetric=False, perfect=False, penalise=True)
def muc_precision(s: Shapes, *, empty: float | None = None) -> float:
    """MUC precision: share of the links needed to build the guess clusters that truth has too.

    Definition:  P = Σ_G (|G| - parts of G in truth) / Σ_G (|G| - 1)
    """
    return muc_links(s, nothing(s, empty))[0]


@measure(cite="vilain1995", symmetric=False, perfect=False, penalise=True)
def muc_recall(s: Shapes, *, empty: float | None = None) -> float:
    """MUC recall: share of the links needed to build the truth clusters that guess has too.

    Definition:  R = Σ_T (|T| - parts of T in guess) / Σ_T (|T| - 1)
    """
    return muc_links(s, nothing(s, empty))[1]


@measure(cite="vilain1995", penalise=True)
def muc_f(
    m: HardMeet, *, alpha: float = 0.5, f: Form = "means", empty: float | None = None
) -> float | Floats:
    """MUC F: harmonic mean of MUC precision and recall; ignores objects alone in both.

    Definition:  F = 1 / (α/P + (1 - α)/R)

    Also known as: MUC F1, MUC score.
    """
    links, zero = np.maximum(m.found - 1, 0), nothing(m, empty)
    shares = _if_found(
        m,
        (
            share(of_cluster(m.guess, links), m.guess_size - 1, zero),
            share(of_cluster(m.truth, links), m.truth_size - 1, zero),
        ),
    )
    return f_of(f, shares, lambda: muc_links(m.shapes, zero), alpha)


# CEAF


@measure(cite="luo2005", reached=False, penalise=True, solver=True, cost=MATCHING_COST)
def ceaf_m_precision(m: HardMeet, *, empty: float | None = None) -> float:
    """CEAF-m precision: share of guess objects kept by the best one-to-one cluster matching.

    Definition:  P = max over matchings W of Σ W(T,G) |T∩G| / Σ_G |G|

    Also known as: mention-based CEAF precision.
    """
    return ratio(matched_objects(m), m.guess_objects, nothing(m, empty))


@measure(cite="luo2005", reached=False, penalise=True, solver=True, cost=MATCHING_COST)
def ceaf_m_recall(m: HardMeet, *, empty: float | None = None) -> float:
    """CEAF-m recall: share of truth objects kept by the best one-to-one cluster matching.

    Definition:  R = max over matchings W of Σ W(T,G) |T∩G| / Σ_T |T|

    Also known as: mention-based CEAF recall.
    """
    return ratio(matched_objects(m), m.truth_objects, nothing(m, empty))


@measure(cite="luo2005", reached=False, penalise=True, solver=True, cost=MATCHING_COST)
def ceaf_m_f(
    m: HardMeet, *, alpha: float = 0.5, f: Form = "means", empty: float | None = None
) -> float | Floats:
    """CEAF-m F: harmonic mean of CEAF-m precision and recall; accuracy on the same objects.

    Definition:  F = 1 / (α/P + (1 - α)/R)

    Also known as: mention-based CEAF, CEAF-m F1.
    """
    right = kept_rows(m)
    counts = int(m.weight[right > 0].sum()), m.guess_objects, m.truth_objects
    return f_of(f, (right, right), lambda: precision_recall(*counts, nothing(m, empty)), alpha)


@measure(
    cite="luo2005", reached=False, symmetric=False, penalise=True, solver=True, cost=MATCHING_COST
)
def ceaf_e_precision(m: HardMeet, *, empty: float | None = None) -> float:
    """CEAF-e precision: mean over guess clusters of the F with the matched truth cluster.

    Definition:  P = max over matchings W of Σ W(T,G) · 2|T∩G| / (|T| + |G|), over the number of G

    Also known as: entity-based CEAF precision.
    """
    return entity_means(m, matched_entities(m), nothing(m, empty))[0]


@measure(
    cite="luo2005", reached=False, symmetric=False, penalise=True, solver=True, cost=MATCHING_COST
)
def ceaf_e_recall(m: HardMeet, *, empty: float | None = None) -> float:
    """CEAF-e recall: mean over truth clusters of the F with the matched guess cluster.

    Definition:  R = max over matchings W of Σ W(T,G) · 2|T∩G| / (|T| + |G|), over the number of T

    Also known as: entity-based CEAF recall.
    """
    return entity_means(m, matched_entities(m), nothing(m, empty))[1]


@measure(cite="luo2005", reached=False, penalise=True, solver=True, cost=MATCHING_COST)
def ceaf_e_f(
    m: HardMeet, *, alpha: float = 0.5, f: Form = "means", empty: float | None = None
) -> float | Floats:
    """CEAF-e F: harmonic mean of CEAF-e precision and recall; all clusters weigh the same.

    Definition:  F = 1 / (α/P + (1 - α)/R)

    Also known as: entity-based CEAF, CEAF-e F1.
    """
    entities = matched_entities(m)
    earned = entities.earned
    shares = _if_found(m, (of_cluster(m.guess, earned), of_cluster(m.truth, earned)))
    return f_of(f, shares, lambda: entity_means(m, entities, nothing(m, empty)), alpha)


# BLANC


@measure(cite="luo2014", symmetric=False, perfect=False, penalise=True)
def blanc_precision(m: HardMeet, *, empty: float | None = None) -> float:
    """BLANC precision: mean of the precisions of coreference and of non-coreference links.

    Definition:  P = (P_c + P_n) / 2, P_c of pairs in one cluster, P_n of pairs in two
    """
    return float(quality(*all_links(m), 0.5, nothing(m, empty))[0])


@measure(cite="luo2014", symmetric=False, penalise=True)
def blanc_recall(m: HardMeet, *, empty: float | None = None) -> float:
    """BLANC recall: mean of the recalls of coreference and of non-coreference links.

    Definition:  R = (R_c + R_n) / 2, R_c of pairs in one cluster, R_n of pairs in two
    """
    return float(quality(*all_links(m), 0.5, nothing(m, empty))[1])


@measure(cite="luo2014", symmetric=False, penalise=True)
def blanc_f(
    m: HardMeet, *, alpha: float = 0.5, f: Form = "means", empty: float | None = None
) -> float | Floats:
    """BLANC F: mean of the F of coreference links and the F of non-coreference links.

    Definition:  F = (F_c + F_n) / 2, F_c of pairs in one cluster, F_n of pairs in two

    Where truth has no links of one sort, the other sort alone counts.

    Also known as: BLANC score.
    """
    zero = nothing(m, empty)
    if f == "means":
        return float(quality(*all_links(m), alpha, zero)[2])
    return np.where(m.found > 0, quality(*links_of_objects(m), alpha, zero)[2], 0.0)


# LEA


def _lea(s: Counted) -> tuple[Floats, Floats]:
    """ELM's shares, but an object that is alone is found only where it is alone on both sides."""
    alone = ((s.truth_size == 1) & (s.guess_size == 1)).astype(np.float64)
    precision, recall = mates(s)
    return (
        np.where(s.guess_size == 1, alone, precision),
        np.where(s.truth_size == 1, alone, recall),
    )


@measure(cite="moosavi2016", symmetric=False, perfect=False, penalise=True, over="guess")
def lea_precision(s: Shapes) -> Floats:
    """LEA precision: mean over guess clusters, by size, of the share of links that truth has.

    Definition:  P = Σ_G |G|/n · Σ_T link(T∩G) / link(G), link(A) = |A|(|A| - 1)/2; a G of one
                 object counts as found if it is a T

    Also known as: link-based entity-aware precision.
    """
    return _lea(s)[0]


@measure(cite="moosavi2016", symmetric=False, perfect=False, penalise=True, over="truth")
def lea_recall(s: Shapes) -> Floats:
    """LEA recall: mean over truth clusters, by size, of the share of links that guess has.

    Definition:  R = Σ_T |T|/n · Σ_G link(T∩G) / link(T), link(A) = |A|(|A| - 1)/2; a T of one
                 object counts as found if it is a G

    Also known as: link-based entity-aware recall.
    """
    return _lea(s)[1]


@measure(cite="moosavi2016", penalise=True)
def lea_f(m: HardMeet, *, alpha: float = 0.5, f: Form = "means") -> float | Floats:
    """LEA F: harmonic mean of LEA precision and recall.

    Definition:  F = 1 / (α/P + (1 - α)/R)

    Also known as: link-based entity-aware metric, LEA F1.
    """
    precision, recall = _lea(m)
    clusters = _if_found(
        m,
        (
            share(of_cluster(m.guess, precision * m.both), m.guess_size),
            share(of_cluster(m.truth, recall * m.both), m.truth_size),
        ),
    )
    return f_of(f, clusters, lambda: means(m, (precision, recall)), alpha)


@measure(cite="pradhan2012", reached=False, penalise=True, solver=True, cost=MATCHING_COST)
def conll(m: HardMeet, *, empty: float | None = None) -> float:
    """CoNLL score: mean F of MUC, BCubed (of the means) and CEAF-e, as in CoNLL-2012.

    Definition:  (muc_f + bcubed_f(f='means') + ceaf_e_f) / 3

    Also known as: CoNLL F1, CoNLL average, MELA.
    """
    bcubed = means(m.shapes, companions(m.shapes))
    scores = (
        f_score(*muc_links(m.shapes, nothing(m, empty))),
        f_score(*bcubed),
        f_score(*entity_means(m, matched_entities(m), nothing(m, empty))),
    )
    return sum(scores) / 3


# What they are functions of


MUC = "links", "guess links", "truth links"
CEAF_M = "kept", "guess", "truth"
CEAF_E = "matched", "guesses", "truths"
"""Sums that precision and recall are quotients of: what both have, what guess and truth have."""


def _halves(
    s: Mapping[str, Floats], m: HardMeet, empty: float | None, names: tuple[str, str, str]
) -> tuple[float, float]:
    both, guess, truth = (s[name] for name in names)
    return precision_recall(both, guess, truth, nothing(m, empty))  # type: ignore[arg-type]


def _conll_of(s: Mapping[str, Floats], m: HardMeet, empty: float | None) -> Floats:
    muc, entities = (f_score(*_halves(s, m, empty, names)) for names in (MUC, CEAF_E))
    return np.asarray((muc + f_of_sums(s, 0.5) + entities) / 3)


for _family, _terms, _names, _whole in (
    ((muc_precision, muc_recall, muc_f), muc_terms, MUC, False),
    ((ceaf_m_precision, ceaf_m_recall, ceaf_m_f), matching_terms, CEAF_M, True),
    ((ceaf_e_precision, ceaf_e_recall, ceaf_e_f), entity_terms, CEAF_E, True),
):
    family_of_sums(_family, _terms, partial(_halves, names=_names), sizes=_names[1:], whole=_whole)


def _blanc_of_samples(
    place: int, s: Mapping[str, Floats], m: HardMeet, empty: float | None, alpha: float = 0.5,
    **_: Any,
) -> UnitSums:  # fmt: skip
    """As the reference scorer sums the links of documents: those between documents do not count."""
    sorts, zero = links_of_sums(s), nothing(m, empty)
    terms = {f"{i} {side}": x for i in (0, 1) for side, x in sorts[i]._asdict().items()}

    def score(sums: Mapping[str, Floats]) -> Floats:
        together, apart = (Links(*(sums[f"{i} {side}"] for side in Links._fields)) for i in (0, 1))
        return np.asarray(quality(together, apart, alpha, zero)[place])

    sides = (("guess",), ("truth",), ("guess", "truth"))[place]
    return UnitSums(terms, score, sizes=tuple(f"{i} {side}" for i in (0, 1) for side in sides))


for _place, _measure in enumerate((blanc_precision, blanc_recall, blanc_f)):
    _measure.fact("sums_of_samples")(partial(_blanc_of_samples, _place))
    function_of_sums(
        _measure,
        link_terms,
        lambda s, m, empty, alpha=0.5, f="", place=_place: quality(
            *links_of_sums(s), alpha, nothing(m, empty)
        )[place],
        counts_all=True,
        objects=False,
    )

function_of_sums(lea_f, lambda m: f_terms(m, _lea(m)), lambda s, _, alpha, f: f_of_sums(s, alpha))
function_of_sums(
    conll,
    lambda m: {**muc_terms(m), **f_terms(m, companions(m)), **entity_terms(m)},
    _conll_of,
    whole=True,
    sizes=(*MUC[1:], "objects of precision", "objects of recall", *CEAF_E[1:]),
)

family_of_lines((muc_precision, muc_recall, muc_f), muc_of_lines)
family_of_lines((lea_precision, lea_recall, lea_f), lea_of_lines)
for _place, _measure in enumerate((blanc_precision, blanc_recall, blanc_f)):
    _measure.fact("lines")(partial(blanc_lines, _place))
