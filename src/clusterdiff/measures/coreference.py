"""Coreference measures on plain partitions, with the conventions of the CoNLL reference scorer.

With align='penalise' mentions may be on one side only. `empty` is what nothing divided by
nothing gives; left out, it is 1, and 0 under align='penalise', as that scorer has it.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from clusterdiff.array_types import Floats, Ints
from clusterdiff.contingency import Counted, HardMeet, Shapes
from clusterdiff.contingency.exact_sums import count_pairs
from clusterdiff.measures.base import Form, measure
from clusterdiff.measures.bcubed import companions, means
from clusterdiff.measures.matching import (
    MATCHING_COST,
    best_matching,
    kept_rows,
    matched_objects,
)
from clusterdiff.measures.pairs import mates, mates_of_lines, pair_terms, pairs_of_lines
from clusterdiff.measures.sums import (
    LineScore,
    LineSums,
    Quotients,
    SizeMean,
    UnitSums,
    clusters_of,
    f_of_sums,
    f_terms,
    family_of_lines,
    family_of_quotients,
    function_of_sums,
    size_of,
)
from clusterdiff.measures.zero_division import (
    f_of,
    f_score,
    f_scores,
    precision_recall,
    ratio,
    share,
)

# What coreference measures count: links that build a cluster (MUC), entities matched one to one by
# φ4 = 2|T∩G| / (|T| + |G|) (CEAF-e), links between objects in one cluster and in two (BLANC).


def muc_links(s: Shapes, zero: float) -> tuple[float, float]:
    """Links in both over those of guess, and over those of truth; `zero` is 0/0."""
    links = int((np.maximum(s.found - 1, 0) * s.times).sum())
    guess = s.guess_objects - s.guess_sizes.clusters
    truth = s.truth_objects - s.truth_sizes.clusters
    return precision_recall(links, guess, truth, zero)


def muc_of_rows(m: Counted) -> Quotients:
    """What each row adds to the links in both, in guess and in truth."""
    n, (truths, guesses) = size_of(m), clusters_of(m)
    links = np.maximum(m.found - 1.0, 0.0)
    return Quotients(links, n * m.in_guess - guesses, n * m.in_truth - truths)


class Entities(NamedTuple):
    """A best matching of clusters by φ4."""

    rows: Ints
    phi: Floats
    total: Fraction

    @property
    def earned(self) -> Floats:
        """For each row how similar its clusters are if they are matched, else 0."""
        earned = np.zeros(self.phi.size)
        earned[self.rows] = self.phi[self.rows]
        return earned


def matched_entities(m: HardMeet) -> Entities:
    """The clusters that are matched, how similar they are, and the sum of that."""
    sizes = m.truth_size + m.guess_size
    phi = 2 * m.found / sizes
    rows = best_matching(m, phi)
    tops = np.bincount(sizes[rows], 2 * m.found[rows] * m.times[rows])
    total = sum((Fraction(int(tops[d]), int(d)) for d in np.flatnonzero(tops)), Fraction(0))
    return Entities(rows, phi, total)


def entity_means(m: HardMeet, e: Entities, zero: float) -> tuple[float, float]:
    """The sum over the number of guess clusters, and over that of truth clusters."""
    return (
        float(e.total / n) if (n := m.guess_sizes.clusters) else zero,
        float(e.total / n) if (n := m.truth_sizes.clusters) else zero,
    )


def entities_of_rows(m: HardMeet) -> Quotients:
    """How similar the matched clusters of each row are, and its part of its clusters."""
    truths, guesses = clusters_of(m)
    return Quotients(matched_entities(m).earned, guesses, truths)


class Links(NamedTuple):
    """Links of one sort: in truth, in guess, in both. Whole numbers, or one per row."""

    truth: Floats | int
    guess: Floats | int
    both: Floats | int


def quality(together: Links, apart: Links, alpha: float, zero: float) -> Floats:
    """Precision, recall and F, one below the other: means over the sorts of links truth has."""
    qualities, counts = [], []
    for links in (together, apart):
        truth, guess, both = (np.asarray(x, np.float64) for x in links)
        precision, recall = share(both, guess, 0.0), share(both, truth, 0.0)
        qualities.append(np.stack([precision, recall, f_scores(precision, recall, alpha)]))
        counts.append(truth > 0)
    total = sum(
        np.where(count, quality, 0.0) for count, quality in zip(counts, qualities, strict=True)
    )
    return share(np.asarray(total), np.sum(counts, axis=0), zero)


def all_links(m: HardMeet) -> tuple[Links, Links]:
    """Coreference links and links between different entities, as whole numbers."""
    shapes = m.shapes
    shared = int(m.found @ m.times)
    in_truth = count_pairs(*_shared_sizes(m.truth, m))
    in_guess = count_pairs(*_shared_sizes(m.guess, m))
    truth, guess = shapes.truth_sizes.pairs, shapes.guess_sizes.pairs
    both = count_pairs(shapes.found, shapes.times)
    return Links(truth, guess, both), Links(
        _pairs(m.truth_objects) - truth,
        _pairs(m.guess_objects) - guess,
        _pairs(shared) - in_truth - in_guess + both,
    )


def _pairs(objects: int) -> int:
    return objects * (objects - 1) // 2


def _shared_sizes(cluster: Ints, m: HardMeet) -> tuple[Ints, Ints]:
    """Sizes of the clusters of one side without the objects the other side lacks, and times."""
    sizes = np.bincount(cluster + 1, m.found).astype(np.int64)
    times = np.zeros(sizes.size, np.int64)
    times[cluster + 1] = m.times
    return sizes[1:], times[1:]


def links_of_objects(m: HardMeet) -> tuple[Links, Links]:
    """The links that contain an object of each row."""
    known_truth, known_guess = m.truth_size > 0, m.guess_size > 0
    shared = int(m.found @ m.times)
    together = Links(
        np.where(known_truth, m.truth_size - 1, 0),
        np.where(known_guess, m.guess_size - 1, 0),
        np.maximum(m.found - 1, 0),
    )
    mutual = shared - of_cluster(m.truth, m.found) - of_cluster(m.guess, m.found) + m.found
    apart = Links(
        np.where(known_truth, m.truth_objects - m.truth_size, 0),
        np.where(known_guess, m.guess_objects - m.guess_size, 0),
        np.where(m.found > 0, mutual, 0.0),
    )
    return together, apart


def of_cluster(cluster: Ints, values: NDArray[np.generic]) -> Floats:
    """For each row, the sum of a value over the rows of its cluster."""
    sums = np.bincount(cluster + 1, values).astype(np.float64)
    sums[0] = 0.0
    return np.asarray(sums[cluster + 1])


def link_terms(m: HardMeet) -> dict[str, Floats]:
    """What each row adds to the objects and to the coreference links of both sides; `shared`
    leaves out the objects that the other side lacks.
    """
    found = m.found.astype(np.float64)
    links, lacking = pair_terms(m), m.both - found
    shared = {
        "truth": m.truth_size - of_cluster(m.truth, lacking),
        "guess": m.guess_size - of_cluster(m.guess, lacking),
    }
    return {
        **{name: links[name] for name in ("truth", "guess", "both")},
        "truth objects": size_of(m) * m.in_truth,
        "guess objects": size_of(m) * m.in_guess,
        "shared objects": found,
        **{f"shared {side}": found * np.maximum(s - 1, 0) / 2 for side, s in shared.items()},
    }


def links_of_sums(s: Mapping[str, Floats]) -> tuple[Links, Links]:
    """Coreference links and links between different entities, of sums of `link_terms`."""
    truth, guess, shared = (
        s[f"{side} objects"] * (s[f"{side} objects"] - 1) / 2
        for side in ("truth", "guess", "shared")
    )
    together = Links(s["truth"], s["guess"], s["both"])
    mutual = shared - s["shared truth"] - s["shared guess"] + s["both"]
    return together, Links(truth - s["truth"], guess - s["guess"], mutual)


def lea_of_lines(s: LineSums) -> tuple[Floats, Floats]:
    """LEA precision and recall of every line: ELM's, but for objects that are alone."""
    precision, recall = mates_of_lines(s)
    return (
        precision - (s.singles - s.alone) / s.objects,
        recall - (s.truth_singles - s.alone) / s.objects,
    )


def blanc_lines(
    place: int, empty: float | None = None, alpha: float = 0.5, f: str = "means"
) -> LineScore:
    """BLANC precision, recall or F of every line, by its place among the three."""
    zero = 1.0 if empty is None else empty
    mean = SizeMean("blanc", alpha)

    def links(s: LineSums) -> Floats:
        p: Any = pairs_of_lines(s)
        mutual = p.all - p.truth - p.guess + p.both
        together = Links(p.truth, p.guess, p.both)
        return quality(together, Links(p.all - p.truth, p.all - p.guess, mutual), alpha, zero)

    if f == "objects":
        return LineScore(
            lambda s: s.size_means[mean] if s.objects > 1 else s.each(1) * zero, (mean,)
        )
    return LineScore(lambda s: links(s)[place])


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
    """CoNLL score: mean F of MUC, BCubed and CEAF-e, as in CoNLL-2012.

    Definition:  (muc_f + bcubed_f + ceaf_e_f) / 3

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


def _kept_of_rows(m: HardMeet) -> Quotients:
    n = size_of(m)
    return Quotients(kept_rows(m) * n, n * m.in_guess, n * m.in_truth)


family_of_quotients(
    (muc_precision, muc_recall, muc_f),
    muc_of_rows,
    of_lines=lambda s: Quotients(
        s.objects - s.rows, s.objects - s.clusters, s.each(s.objects - s.truths)
    ),
    empty=nothing,
)
family_of_quotients(
    (ceaf_m_precision, ceaf_m_recall, ceaf_m_f), _kept_of_rows, empty=nothing, whole=(True,) * 3
)
family_of_quotients(
    (ceaf_e_precision, ceaf_e_recall, ceaf_e_f), entities_of_rows, empty=nothing, whole=(True,) * 3
)


def _conll_of(s: Mapping[str, Floats], m: HardMeet, empty: float | None) -> Floats:
    muc, entities = (
        f_score(*Quotients.of_sums(s, name).shares(nothing(m, empty))) for name in ("muc ", "ceaf ")
    )
    return np.asarray((muc + f_of_sums(s, 0.5) + entities) / 3)


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
    _measure.hook("sums_of_samples")(partial(_blanc_of_samples, _place))
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
    lambda m: (
        muc_of_rows(m).terms("muc ")
        | f_terms(m, companions(m))
        | entities_of_rows(m).terms("ceaf ")
    ),
    _conll_of,
    whole=True,
    sizes=(
        "muc guess", "muc truth", "objects of precision", "objects of recall",
        "ceaf guess", "ceaf truth",
    ),
)  # fmt: skip

family_of_lines((lea_precision, lea_recall, lea_f), lea_of_lines)
for _place, _measure in enumerate((blanc_precision, blanc_recall, blanc_f)):
    _measure.hook("lines")(partial(blanc_lines, _place))
