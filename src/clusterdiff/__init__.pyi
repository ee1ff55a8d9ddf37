"""Compare clusterings. Written by `make stub`: names, measures and their parameters."""

from collections.abc import Callable
from typing import Any, Literal, Self, TypedDict, Unpack, overload

from clusterdiff import plot as plot
from clusterdiff.browse.corrected import Decisions as Decisions
from clusterdiff.browse.corrected import decisions as decisions
from clusterdiff.browse.judgements import JudgementCheck as JudgementCheck
from clusterdiff.browse.judgements import check_judgements as check_judgements
from clusterdiff.chance.chance import Chance as Chance
from clusterdiff.chance.chance import chance as chance
from clusterdiff.clusterings.base import Clustering as Clustering
from clusterdiff.clusterings.cover import Cover as Cover
from clusterdiff.clusterings.evidential import Evidential as Evidential
from clusterdiff.clusterings.fuzzy import Fuzzy as Fuzzy
from clusterdiff.clusterings.images import LabelImage as LabelImage
from clusterdiff.clusterings.partition import Partition as Partition
from clusterdiff.clusterings.possibilistic import Possibilistic as Possibilistic
from clusterdiff.clusterings.rough import Rough as Rough
from clusterdiff.compare.accumulator import Accumulator as Accumulator
from clusterdiff.compare.compare import compare as compare
from clusterdiff.compare.levels import LevelReport as LevelReport
from clusterdiff.compare.report import Report as Report
from clusterdiff.compare.scorer import Scorer as Scorer
from clusterdiff.compare.scorer import scorer as scorer
from clusterdiff.contingency.cover import CoverMeet as CoverMeet
from clusterdiff.contingency.hard import HardMeet as HardMeet
from clusterdiff.contingency.soft import SoftMeet as SoftMeet
from clusterdiff.engines.duckdb import DuckDB as DuckDB
from clusterdiff.engines.spark import Spark as Spark
from clusterdiff.errors import ClusterdiffError as ClusterdiffError
from clusterdiff.errors import ClusterdiffWarning as ClusterdiffWarning
from clusterdiff.explain.diff import Diff as Diff
from clusterdiff.explain.diff import diff as diff
from clusterdiff.explain.explain import explain as explain
from clusterdiff.explain.objects import ObjectScores as ObjectScores
from clusterdiff.explain.objects import objects as objects
from clusterdiff.explain.partition import Explanation as Explanation
from clusterdiff.io.arguments import meet as meet
from clusterdiff.io.read import read as read
from clusterdiff.measures import measure_named as measure
from clusterdiff.measures import measures as measures
from clusterdiff.measures.base import Measure as Measure
from clusterdiff.measures.score_range import ScoreRange as ScoreRange
from clusterdiff.output.score import Score as Score
from clusterdiff.page.page import Page as Page
from clusterdiff.page.page import page as page
from clusterdiff.releases.relabel import Relabelled as Relabelled
from clusterdiff.releases.relabel import relabel as relabel
from clusterdiff.releases.track import Tracking as Tracking
from clusterdiff.releases.track import track as track
from clusterdiff.runs.agreement import AnnotatorAgreement as AnnotatorAgreement
from clusterdiff.runs.consensus import Consensus as Consensus
from clusterdiff.runs.consensus import consensus as consensus
from clusterdiff.runs.matrix import Consistency as Consistency
from clusterdiff.runs.matrix import ScoreMatrix as ScoreMatrix
from clusterdiff.runs.matrix import matrix as matrix
from clusterdiff.sampling.draw import Drawn as Drawn
from clusterdiff.sampling.draw import draw as draw
from clusterdiff.sampling.estimate import SamplePlan as SamplePlan
from clusterdiff.sampling.estimate import SampleReport as SampleReport
from clusterdiff.sampling.estimate import estimate as estimate
from clusterdiff.sampling.labelled_pairs import LabelledPairs as LabelledPairs
from clusterdiff.sampling.labelled_pairs import pairs as pairs
from clusterdiff.sweep.result import Best as Best
from clusterdiff.sweep.result import Sweep as Sweep
from clusterdiff.sweep.sweep import sweep as sweep
from clusterdiff.table.table import ContingencyTable as ContingencyTable
from clusterdiff.table.table import contingency as contingency
from clusterdiff.version import __version__ as __version__

__all__ = [
    "Accumulator",
    "AnnotatorAgreement",
    "Best",
    "Chance",
    "ClusterdiffError",
    "ClusterdiffWarning",
    "Clustering",
    "Consensus",
    "Consistency",
    "ContingencyTable",
    "Cover",
    "CoverMeet",
    "Decisions",
    "Diff",
    "Drawn",
    "DuckDB",
    "Evidential",
    "Explanation",
    "Fuzzy",
    "HardMeet",
    "JudgementCheck",
    "LabelImage",
    "LabelledPairs",
    "LevelReport",
    "Measure",
    "ObjectScores",
    "Page",
    "Partition",
    "Possibilistic",
    "Relabelled",
    "Report",
    "Rough",
    "SamplePlan",
    "SampleReport",
    "Score",
    "ScoreMatrix",
    "ScoreRange",
    "Scorer",
    "SoftMeet",
    "Spark",
    "Sweep",
    "Tracking",
    "__version__",
    "chance",
    "check_judgements",
    "compare",
    "consensus",
    "contingency",
    "decisions",
    "diff",
    "draw",
    "estimate",
    "explain",
    "matrix",
    "measure",
    "measures",
    "meet",
    "objects",
    "page",
    "pairs",
    "plot",
    "read",
    "relabel",
    "scorer",
    "sweep",
    "track",
]

class _Options(TypedDict, total=False):
    kind: str | tuple[str, str] | None
    align: str
    noise: Any
    noise_as: str
    count: Any
    weights: Any
    balanced: Any
    features: Any
    engine: Any
    between: Any
    collar: float
    skip_overlap: bool
    uem: Any
    ignore: Any
    ignore_in: str
    compat: str | None

class _Accuracy(Measure):
    @overload
    def __call__(self, truth: Any, guess: Any, /, **options: Unpack[_Options]) -> float:
        """Clustering accuracy (ACC): share of objects kept by the best one-to-one cluster matching.

        Definition:  A = max over matchings W of Σ W(T,G) |T∩G| / n

        The matching is a linear assignment on the contingency table, which the Hungarian algorithm
        solves.

        Also known as: Hungarian accuracy, unsupervised clustering accuracy, matching accuracy."""
    @overload
    def __call__(self) -> Self: ...

accuracy: _Accuracy
"""Clustering accuracy (ACC): share of objects kept by the best one-to-one cluster matching."""

class _AdaptedRandError(Measure):
    @overload
    def __call__(
        self, truth: Any, guess: Any, /, *, alpha: float = 0.5, **options: Unpack[_Options]
    ) -> float:
        """Adapted Rand error (ARE): one less the pairwise F, 0 for the same segments.

        Definition:  ARE = 1 - F,  F = 1 / (α/P + (1 - α)/R)

        The error of connectomics and of scikit-image, where P and R have each other's name: what it
        calls precision is pair_recall, and what it calls recall is pair_precision. Background is
        usually left out of truth, with ignore=0 of label images.

        Also known as: adapted Rand F-score error, SNEMI3D error."""
    @overload
    def __call__(self, *, alpha: float = 0.5) -> Self: ...

adapted_rand_error: _AdaptedRandError
"""Adapted Rand error (ARE): one less the pairwise F, 0 for the same segments."""

class _Adjusted(Measure):
    @overload
    def __call__(
        self,
        truth: Any,
        guess: Any,
        /,
        *,
        measure: Measure | str | None = None,
        null: Literal["permutation", "uniform"] = "permutation",
        samples: int = 200,
        seed: int = 0,
        **options: Unpack[_Options],
    ) -> float:
        """Adjustment for chance: any measure S as (S - E[S]) / (best - E[S]).

        Definition:  (S - E[S]) / (best - E[S])

        null='permutation' shuffles the guess over the objects, its cluster sizes kept; null='uniform'
        draws the guess from all partitions alike. The expectation is exact if the measure is linear in
        the pairs that are together in both (rand, pair_f, fowlkes_mallows; under 'uniform' rand,
        pair_recall and mirkin_distance) and, for a permutation, if it is a mean over objects of sizes
        alone (elm_f, bcubed_precision, element_similarity). Otherwise it is the mean over `samples`
        draws with `seed`, and the score has a standard error. Left out, the measure is elm_f.

        Also known as: chance-adjusted, chance-corrected."""
    @overload
    def __call__(
        self,
        *,
        measure: Measure | str | None = None,
        null: Literal["permutation", "uniform"] = "permutation",
        samples: int = 200,
        seed: int = 0,
    ) -> Self: ...
    @overload
    def __call__(
        self,
        measure: Measure | str,
        /,
        *,
        null: Literal["permutation", "uniform"] = "permutation",
        samples: int = 200,
        seed: int = 0,
    ) -> Self: ...

adjusted: _Adjusted
"""Adjustment for chance: any measure S as (S - E[S]) / (best - E[S])."""

class _AdjustedFuzzyRand(Measure):
    @overload
    def __call__(self, truth: Any, guess: Any, /, **options: Unpack[_Options]) -> float:
        """Adjusted fuzzy Rand index (FARI): agreement on pairs of degrees, corrected for chance.

        Definition:  1 - D / E[D],  D = Σ_ij (a_ij - b_ij)²

        How far objects i and j are together in truth, a_ij, is the product of their rows of degrees,
        all of these products scaled so that their sum is that of their squares; b_ij is the same of
        guess. This is the Frobenius adjusted Rand index of Andrews, Browne and Hvingelby, who add over
        all pairs, an object with itself too. E is the mean over all permutations of the objects, in
        closed form: the model of chance that DeWolfe and Andrews (2023) compare with others. A
        clustering has 1 with itself, a permuted one 0 on average, and partitions have adjusted_rand.

        Also known as: Frobenius adjusted Rand index, fuzzy adjusted Rand index."""
    @overload
    def __call__(self) -> Self: ...

adjusted_fuzzy_rand: _AdjustedFuzzyRand
"""Adjusted fuzzy Rand index (FARI): agreement on pairs of degrees, corrected for chance."""

class _AdjustedMutualInformation(Measure):
    @overload
    def __call__(
        self,
        truth: Any,
        guess: Any,
        /,
        *,
        norm: Literal["max", "min", "arithmetic", "geometric"] = "arithmetic",
        **options: Unpack[_Options],
    ) -> float:
        """Adjusted mutual information (AMI): normalized, and corrected for chance.

        Definition:  (I - E[I]) / (norm(H(truth), H(guess)) - E[I]),  E over all permutations

        norm='arithmetic', the mean of both entropies, is the default of scikit-learn; norm='max'
        divides by the larger one.

        Also known as: adjusted_mutual_info_score."""
    @overload
    def __call__(
        self, *, norm: Literal["max", "min", "arithmetic", "geometric"] = "arithmetic"
    ) -> Self: ...

adjusted_mutual_information: _AdjustedMutualInformation
"""Adjusted mutual information (AMI): normalized, and corrected for chance."""

class _AdjustedRand(Measure):
    @overload
    def __call__(self, truth: Any, guess: Any, /, **options: Unpack[_Options]) -> float:
        """Adjusted Rand index (ARI): agreement on pairs, corrected for chance.

        Definition:  (both - E) / ((truth + guess)/2 - E),  E = (truth · guess) / all

        0 is what random labels of the same sizes get on average; it can be negative.

        Also known as: adjusted_rand_score, Hubert-Arabie index."""
    @overload
    def __call__(self) -> Self: ...

adjusted_rand: _AdjustedRand
"""Adjusted Rand index (ARI): agreement on pairs, corrected for chance."""

class _AsymmetricNmi(Measure):
    @overload
    def __call__(self, truth: Any, guess: Any, /, **options: Unpack[_Options]) -> float:
        """Asymmetric normalized mutual information: share of the truth's entropy that guess explains.

        Definition:  I / H(truth)

        Divided by the entropy of the truth alone, so that a guess with more clusters does not change
        what it is divided by. With Shannon's mutual information, as here, it is homogeneity by another
        name, and a guess of all singletons scores 1; Jerdee, Kirkley and Newman take their reduced
        mutual information instead, which is reduced_mutual_information(norm='truth').

        Also known as: asymmetric NMI, uncertainty coefficient, coefficient of constraint."""
    @overload
    def __call__(self) -> Self: ...

asymmetric_nmi: _AsymmetricNmi
"""Asymmetric normalized mutual information: share of the truth's entropy that guess explains."""

class _BcubedF(Measure):
    @overload
    def __call__(
        self,
        truth: Any,
        guess: Any,
        /,
        *,
        alpha: float = 0.5,
        f: Literal["objects", "means"] = "means",
        average: Literal["objects", "truth"] = "objects",
        itself: Literal["included", "excluded"] = "included",
        **options: Unpack[_Options],
    ) -> float:
        """BCubed F: harmonic mean of BCubed precision and recall; never 0.

        Definition:  F = F(P, R), or 1/n Σ_o F(P(o), R(o)) with f='objects',
                     F(P, R) = 1 / (α/P + (1 - α)/R)

        f='means' is the F of mean precision and mean recall, f='objects' the mean over objects of
        their F, as in the ELM paper, which can lie below both. It is never 0, as each object finds
        itself. `average` and `itself` are those of bcubed_precision.

        Also known as: B-cubed F, B3 F, BCubed F-measure."""
    @overload
    def __call__(
        self,
        *,
        alpha: float = 0.5,
        f: Literal["objects", "means"] = "means",
        average: Literal["objects", "truth"] = "objects",
        itself: Literal["included", "excluded"] = "included",
    ) -> Self: ...

bcubed_f: _BcubedF
"""BCubed F: harmonic mean of BCubed precision and recall; never 0."""

class _BcubedPrecision(Measure):
    @overload
    def __call__(
        self,
        truth: Any,
        guess: Any,
        /,
        *,
        average: Literal["objects", "truth"] = "objects",
        itself: Literal["included", "excluded"] = "included",
        **options: Unpack[_Options],
    ) -> float:
        """BCubed precision: mean share of an object's guess cluster that shares its truth cluster.

        Definition:  P = 1/n Σ_o P(o), or 1/k Σ_T 1/|T| Σ_{o∈T} P(o) with average='truth',
                     P(o) = |T(o) ∩ G(o)| / |G(o)|

        average='truth' gives each of the k truth clusters the same weight, as ER-Evaluation does;
        itself='excluded' leaves o out of T(o) and G(o), and P(o) is 0 if o is alone in G(o), as in
        ELKI, so that identical clusterings need not score 1 (elm_precision is 1 there).

        Also known as: B-cubed precision, B3 precision."""
    @overload
    def __call__(
        self,
        *,
        average: Literal["objects", "truth"] = "objects",
        itself: Literal["included", "excluded"] = "included",
    ) -> Self: ...

bcubed_precision: _BcubedPrecision
"""BCubed precision: mean share of an object's guess cluster that shares its truth cluster."""

class _BcubedRecall(Measure):
    @overload
    def __call__(
        self,
        truth: Any,
        guess: Any,
        /,
        *,
        average: Literal["objects", "truth"] = "objects",
        itself: Literal["included", "excluded"] = "included",
        **options: Unpack[_Options],
    ) -> float:
        """BCubed recall: mean share of an object's truth cluster that shares its guess cluster.

        Definition:  R = 1/n Σ_o R(o), or 1/k Σ_T 1/|T| Σ_{o∈T} R(o) with average='truth',
                     R(o) = |T(o) ∩ G(o)| / |T(o)|

        `average` and `itself` are those of bcubed_precision.

        Also known as: B-cubed recall, B3 recall."""
    @overload
    def __call__(
        self,
        *,
        average: Literal["objects", "truth"] = "objects",
        itself: Literal["included", "excluded"] = "included",
    ) -> Self: ...

bcubed_recall: _BcubedRecall
"""BCubed recall: mean share of an object's truth cluster that shares its guess cluster."""

class _BlancF(Measure):
    @overload
    def __call__(
        self,
        truth: Any,
        guess: Any,
        /,
        *,
        alpha: float = 0.5,
        f: Literal["objects", "means"] = "means",
        empty: float | None = None,
        **options: Unpack[_Options],
    ) -> float:
        """BLANC F: mean of the F of coreference links and the F of non-coreference links.

        Definition:  F = (F_c + F_n) / 2, F_c of pairs in one cluster, F_n of pairs in two

        Where truth has no links of one sort, the other sort alone counts.

        Also known as: BLANC score."""
    @overload
    def __call__(
        self,
        *,
        alpha: float = 0.5,
        f: Literal["objects", "means"] = "means",
        empty: float | None = None,
    ) -> Self: ...

blanc_f: _BlancF
"""BLANC F: mean of the F of coreference links and the F of non-coreference links."""

class _BlancPrecision(Measure):
    @overload
    def __call__(
        self, truth: Any, guess: Any, /, *, empty: float | None = None, **options: Unpack[_Options]
    ) -> float:
        """BLANC precision: mean of the precisions of coreference and of non-coreference links.

        Definition:  P = (P_c + P_n) / 2, P_c of pairs in one cluster, P_n of pairs in two"""
    @overload
    def __call__(self, *, empty: float | None = None) -> Self: ...

blanc_precision: _BlancPrecision
"""BLANC precision: mean of the precisions of coreference and of non-coreference links."""

class _BlancRecall(Measure):
    @overload
    def __call__(
        self, truth: Any, guess: Any, /, *, empty: float | None = None, **options: Unpack[_Options]
    ) -> float:
        """BLANC recall: mean of the recalls of coreference and of non-coreference links.

        Definition:  R = (R_c + R_n) / 2, R_c of pairs in one cluster, R_n of pairs in two"""
    @overload
    def __call__(self, *, empty: float | None = None) -> Self: ...

blanc_recall: _BlancRecall
"""BLANC recall: mean of the recalls of coreference and of non-coreference links."""

class _BoundaryF(Measure):
    @overload
    def __call__(
        self, truth: Any, guess: Any, /, *, alpha: float = 0.5, **options: Unpack[_Options]
    ) -> float:
        """Boundary F: harmonic mean of boundary precision and boundary recall.

        Definition:  F = 1 / (α/P + (1 - α)/R)

        Also known as: boundary F1, page stream F1."""
    @overload
    def __call__(self, *, alpha: float = 0.5) -> Self: ...

boundary_f: _BoundaryF
"""Boundary F: harmonic mean of boundary precision and boundary recall."""

class _BoundaryPrecision(Measure):
    @overload
    def __call__(self, truth: Any, guess: Any, /, **options: Unpack[_Options]) -> float:
        """Boundary precision: share of the places where guess begins a segment that truth does too.

        Definition:  P = (beginnings that both have) / (beginnings in guess)

        Of segments, stretches of a sequence that is cut: pages of a stream, sentences of a text. The
        first object of each sequence begins a segment on both sides, and counts. Where both begin one,
        so does their join, the finest clustering that both are finer than; so for any clusterings this
        is its number of clusters over that of the guess.

        Also known as: page stream precision, segmentation boundary precision."""
    @overload
    def __call__(self) -> Self: ...

boundary_precision: _BoundaryPrecision
"""Boundary precision: share of the places where guess begins a segment that truth does too."""

class _BoundaryRecall(Measure):
    @overload
    def __call__(self, truth: Any, guess: Any, /, **options: Unpack[_Options]) -> float:
        """Boundary recall: share of the places where truth begins a segment that guess does too.

        Definition:  R = (beginnings that both have) / (beginnings in truth)

        Of segments, as boundary_precision: for any clusterings it is the number of clusters of the
        join over that of the truth.

        Also known as: page stream recall, segmentation boundary recall."""
    @overload
    def __call__(self) -> Self: ...

boundary_recall: _BoundaryRecall
"""Boundary recall: share of the places where truth begins a segment that guess does too."""

class _CeafEF(Measure):
    @overload
    def __call__(
        self,
        truth: Any,
        guess: Any,
        /,
        *,
        alpha: float = 0.5,
        f: Literal["objects", "means"] = "means",
        empty: float | None = None,
        **options: Unpack[_Options],
    ) -> float:
        """CEAF-e F: harmonic mean of CEAF-e precision and recall; all clusters weigh the same.

        Definition:  F = 1 / (α/P + (1 - α)/R)

        Also known as: entity-based CEAF, CEAF-e F1."""
    @overload
    def __call__(
        self,
        *,
        alpha: float = 0.5,
        f: Literal["objects", "means"] = "means",
        empty: float | None = None,
    ) -> Self: ...

ceaf_e_f: _CeafEF
"""CEAF-e F: harmonic mean of CEAF-e precision and recall; all clusters weigh the same."""

class _CeafEPrecision(Measure):
    @overload
    def __call__(
        self, truth: Any, guess: Any, /, *, empty: float | None = None, **options: Unpack[_Options]
    ) -> float:
        """CEAF-e precision: mean over guess clusters of the F with the matched truth cluster.

        Definition:  P = max over matchings W of Σ W(T,G) · 2|T∩G| / (|T| + |G|), over the number of G

        Also known as: entity-based CEAF precision."""
    @overload
    def __call__(self, *, empty: float | None = None) -> Self: ...

ceaf_e_precision: _CeafEPrecision
"""CEAF-e precision: mean over guess clusters of the F with the matched truth cluster."""

class _CeafERecall(Measure):
    @overload
    def __call__(
        self, truth: Any, guess: Any, /, *, empty: float | None = None, **options: Unpack[_Options]
    ) -> float:
        """CEAF-e recall: mean over truth clusters of the F with the matched guess cluster.

        Definition:  R = max over matchings W of Σ W(T,G) · 2|T∩G| / (|T| + |G|), over the number of T

        Also known as: entity-based CEAF recall."""
    @overload
    def __call__(self, *, empty: float | None = None) -> Self: ...

ceaf_e_recall: _CeafERecall
"""CEAF-e recall: mean over truth clusters of the F with the matched guess cluster."""

class _CeafMF(Measure):
    @overload
    def __call__(
        self,
        truth: Any,
        guess: Any,
        /,
        *,
        alpha: float = 0.5,
        f: Literal["objects", "means"] = "means",
        empty: float | None = None,
        **options: Unpack[_Options],
    ) -> float:
        """CEAF-m F: harmonic mean of CEAF-m precision and recall; accuracy on the same objects.

        Definition:  F = 1 / (α/P + (1 - α)/R)

        Also known as: mention-based CEAF, CEAF-m F1."""
    @overload
    def __call__(
        self,
        *,
        alpha: float = 0.5,
        f: Literal["objects", "means"] = "means",
        empty: float | None = None,
    ) -> Self: ...

ceaf_m_f: _CeafMF
"""CEAF-m F: harmonic mean of CEAF-m precision and recall; accuracy on the same objects."""

class _CeafMPrecision(Measure):
    @overload
    def __call__(
        self, truth: Any, guess: Any, /, *, empty: float | None = None, **options: Unpack[_Options]
    ) -> float:
        """CEAF-m precision: share of guess objects kept by the best one-to-one cluster matching.

        Definition:  P = max over matchings W of Σ W(T,G) |T∩G| / Σ_G |G|

        Also known as: mention-based CEAF precision."""
    @overload
    def __call__(self, *, empty: float | None = None) -> Self: ...

ceaf_m_precision: _CeafMPrecision
"""CEAF-m precision: share of guess objects kept by the best one-to-one cluster matching."""

class _CeafMRecall(Measure):
    @overload
    def __call__(
        self, truth: Any, guess: Any, /, *, empty: float | None = None, **options: Unpack[_Options]
    ) -> float:
        """CEAF-m recall: share of truth objects kept by the best one-to-one cluster matching.

        Definition:  R = max over matchings W of Σ W(T,G) |T∩G| / Σ_T |T|

        Also known as: mention-based CEAF recall."""
    @overload
    def __call__(self, *, empty: float | None = None) -> Self: ...

ceaf_m_recall: _CeafMRecall
"""CEAF-m recall: share of truth objects kept by the best one-to-one cluster matching."""

class _CiceF(Measure):
    @overload
    def __call__(
        self,
        truth: Any,
        guess: Any,
        /,
        *,
        alpha: float = 0.5,
        f: Literal["objects", "means"] = "means",
        similarity: Literal["jaccard", "rand", "f"] | Callable[..., Any] = "jaccard",
        match: Literal["all", "pair"] = "all",
        uncovered: Literal["one", "zero", "skip", "refuse"] = "one",
        sample: int | None = None,
        seed: int = 0,
        **options: Unpack[_Options],
    ) -> float:
        """CICE-BCubed F: harmonic mean of CICE-BCubed precision and recall.

        Definition:  F = 1 / (α/P + (1 - α)/R)

        Among sets of distinct clusters only the same clusters score 1; if a clustering may hold a
        cluster twice, others can too. Homogeneity and rag bag, which BCubed satisfies, fail for it.

        Also known as: cluster identity checking extended BCubed, CICE-BCubed."""
    @overload
    def __call__(
        self,
        *,
        alpha: float = 0.5,
        f: Literal["objects", "means"] = "means",
        similarity: Literal["jaccard", "rand", "f"] | Callable[..., Any] = "jaccard",
        match: Literal["all", "pair"] = "all",
        uncovered: Literal["one", "zero", "skip", "refuse"] = "one",
        sample: int | None = None,
        seed: int = 0,
    ) -> Self: ...

cice_f: _CiceF
"""CICE-BCubed F: harmonic mean of CICE-BCubed precision and recall."""

class _CicePrecision(Measure):
    @overload
    def __call__(
        self,
        truth: Any,
        guess: Any,
        /,
        *,
        similarity: Literal["jaccard", "rand", "f"] | Callable[..., Any] = "jaccard",
        match: Literal["all", "pair"] = "all",
        uncovered: Literal["one", "zero", "skip", "refuse"] = "one",
        sample: int | None = None,
        seed: int = 0,
        **options: Unpack[_Options],
    ) -> float:
        """CICE-BCubed precision: Extended BCubed precision, weighted by how similar clusters are.

        Definition:  the term of o' is multiplied by Φ(o, o') = mean over the guess clusters G of both
                     of max sim(T, G) over all truth clusters T (match='pair': those with o and o')

        `similarity` is jaccard, rand (the share of objects in both or in neither), f, or a function
        of (objects in both, size, other size, all objects) that takes arrays, with values in 0 to 1.

        Also known as: cluster identity checking extended BCubed precision."""
    @overload
    def __call__(
        self,
        *,
        similarity: Literal["jaccard", "rand", "f"] | Callable[..., Any] = "jaccard",
        match: Literal["all", "pair"] = "all",
        uncovered: Literal["one", "zero", "skip", "refuse"] = "one",
        sample: int | None = None,
        seed: int = 0,
    ) -> Self: ...

cice_precision: _CicePrecision
"""CICE-BCubed precision: Extended BCubed precision, weighted by how similar clusters are."""

class _CiceRecall(Measure):
    @overload
    def __call__(
        self,
        truth: Any,
        guess: Any,
        /,
        *,
        similarity: Literal["jaccard", "rand", "f"] | Callable[..., Any] = "jaccard",
        match: Literal["all", "pair"] = "all",
        uncovered: Literal["one", "zero", "skip", "refuse"] = "one",
        sample: int | None = None,
        seed: int = 0,
        **options: Unpack[_Options],
    ) -> float:
        """CICE-BCubed recall: Extended BCubed recall, weighted by how similar clusters are.

        Definition:  cice_precision with truth and guess exchanged

        Also known as: cluster identity checking extended BCubed recall."""
    @overload
    def __call__(
        self,
        *,
        similarity: Literal["jaccard", "rand", "f"] | Callable[..., Any] = "jaccard",
        match: Literal["all", "pair"] = "all",
        uncovered: Literal["one", "zero", "skip", "refuse"] = "one",
        sample: int | None = None,
        seed: int = 0,
    ) -> Self: ...

cice_recall: _CiceRecall
"""CICE-BCubed recall: Extended BCubed recall, weighted by how similar clusters are."""

class _Completeness(Measure):
    @overload
    def __call__(self, truth: Any, guess: Any, /, **options: Unpack[_Options]) -> float:
        """Completeness: how whole the truth clusters stay, 1 - H(guess | truth) / H(guess).

        Definition:  c = 1 - H(guess | truth) / H(guess)

        Also known as: completeness_score."""
    @overload
    def __call__(self) -> Self: ...

completeness: _Completeness
"""Completeness: how whole the truth clusters stay, 1 - H(guess | truth) / H(guess)."""

class _Conll(Measure):
    @overload
    def __call__(
        self, truth: Any, guess: Any, /, *, empty: float | None = None, **options: Unpack[_Options]
    ) -> float:
        """CoNLL score: mean F of MUC, BCubed and CEAF-e, as in CoNLL-2012.

        Definition:  (muc_f + bcubed_f + ceaf_e_f) / 3

        Also known as: CoNLL F1, CoNLL average, MELA."""
    @overload
    def __call__(self, *, empty: float | None = None) -> Self: ...

conll: _Conll
"""CoNLL score: mean F of MUC, BCubed and CEAF-e, as in CoNLL-2012."""

class _CoverCoverage(Measure):
    @overload
    def __call__(self, truth: Any, guess: Any, /, **options: Unpack[_Options]) -> float:
        """Coverage of covers: share of truth clusters in the guess cluster that has most of them.

        Definition:  Σ_T max_G |T∩G| / Σ_T |T|

        Also known as: diarization coverage, speaker coverage."""
    @overload
    def __call__(self) -> Self: ...

cover_coverage: _CoverCoverage
"""Coverage of covers: share of truth clusters in the guess cluster that has most of them."""

class _CoverF1(Measure):
    @overload
    def __call__(self, truth: Any, guess: Any, /, **options: Unpack[_Options]) -> float:
        """Average F1 score: mean F of each cluster with its best match, over both sides.

        Definition:  1/2 mean_T max_G F(T,G) + 1/2 mean_G max_T F(T,G), F(T,G) = 2|T∩G| / (|T| + |G|)

        The `f1` of cdlib is a different measure: the mean over the clusters of its
        first argument alone of F with the cluster that shares most objects, each F rounded to two
        decimals.

        Also known as: AvgF1, best-match F1."""
    @overload
    def __call__(self) -> Self: ...

cover_f1: _CoverF1
"""Average F1 score: mean F of each cluster with its best match, over both sides."""

class _CoverPurity(Measure):
    @overload
    def __call__(self, truth: Any, guess: Any, /, **options: Unpack[_Options]) -> float:
        """Purity of covers: share of guess clusters in the truth cluster that they have most of.

        Definition:  Σ_G max_T |T∩G| / Σ_G |G|

        Objects in several guess clusters count in each of them. Objects in no truth cluster make guess
        clusters impure.

        Also known as: diarization purity, speaker purity."""
    @overload
    def __call__(self) -> Self: ...

cover_purity: _CoverPurity
"""Purity of covers: share of guess clusters in the truth cluster that they have most of."""

class _DiarizationErrorRate(Measure):
    @overload
    def __call__(
        self,
        truth: Any,
        guess: Any,
        /,
        *,
        part: Literal["all", "missed", "false alarm", "confusion"] = "all",
        **options: Unpack[_Options],
    ) -> float:
        """Diarization error rate (DER): speech missed, invented or given to the wrong speaker.

        Definition:  Σ_o (max(|T(o)|, |G(o)|) - |correct(o)|) / Σ_o |T(o)|

        The objects are stretches of time, each with its duration as its count. A speaker of guess is
        correct where the speaker of truth speaks that the one-to-one matching with most common time
        gives it. It can exceed 1. part='missed' is Σ max(|T| - |G|, 0), 'false alarm' Σ max(|G| - |T|,
        0), 'confusion' the rest; the three add up. Where truth is silent throughout, it is 1 if guess
        is not.

        Also known as: der, missed speech (part='missed'), false alarm (part='false alarm'), speaker
        confusion (part='confusion')."""
    @overload
    def __call__(
        self, *, part: Literal["all", "missed", "false alarm", "confusion"] = "all"
    ) -> Self: ...

diarization_error_rate: _DiarizationErrorRate
"""Diarization error rate (DER): speech missed, invented or given to the wrong speaker."""

class _ElementSimilarity(Measure):
    @overload
    def __call__(
        self,
        truth: Any,
        guess: Any,
        /,
        *,
        damping: float = 0.9,
        sample: int | None = None,
        seed: int = 0,
        **options: Unpack[_Options],
    ) -> float:
        """Element-centric similarity (ECS): how similar random walks from each object are.

        Definition:  S(o) = 1 - 1/(2α) Σ_j |p_oj - q_oj| with the walks' shares p, q of each object;
        for partitions this is |T∩G| / max(|T|, |G|), whatever the damping α.

        In a cover the walk takes one of the object's clusters, then one of that cluster's objects, and
        returns to its start with probability 1 - α (personalised PageRank). From an object in no
        cluster it goes nowhere, like a walk from an object alone in its cluster. Of partitions only
        identical ones score 1.
        Every object is compared with all in its connected component: where these are more than 10⁹
        pairs, `sample` objects drawn with `seed` stand for all, with a standard error.

        Also known as: element-centric clustering similarity."""
    @overload
    def __call__(
        self, *, damping: float = 0.9, sample: int | None = None, seed: int = 0
    ) -> Self: ...

element_similarity: _ElementSimilarity
"""Element-centric similarity (ECS): how similar random walks from each object are."""

class _ElmF(Measure):
    @overload
    def __call__(
        self,
        truth: Any,
        guess: Any,
        /,
        *,
        alpha: float = 0.5,
        f: Literal["objects", "means"] = "objects",
        **options: Unpack[_Options],
    ) -> float:
        """Elements Like Me F (ELM): how well each object finds the other members of its cluster.

        Definition:  F = 1/n Σ_o F(P(o), R(o)), or F(P, R) with f='means',
                     F(P, R) = 1 / (α/P + (1 - α)/R), and 0 if P = 0 or R = 0

        BCubed F without the object itself. 0 for the two extremes, all in one cluster and each alone,
        where truth is the other one.

        Also known as: Elements Like Me."""
    @overload
    def __call__(
        self, *, alpha: float = 0.5, f: Literal["objects", "means"] = "objects"
    ) -> Self: ...

elm_f: _ElmF
"""Elements Like Me F (ELM): how well each object finds the other members of its cluster."""

class _ElmPrecision(Measure):
    @overload
    def __call__(self, truth: Any, guess: Any, /, **options: Unpack[_Options]) -> float:
        r"""Elements Like Me precision: BCubed precision in which no object counts itself.

        Definition:  P(o) = |T(o) ∩ G(o) \ {o}| / |G(o) \ {o}|, and 1 if G(o) = {o}"""
    @overload
    def __call__(self) -> Self: ...

elm_precision: _ElmPrecision
"""Elements Like Me precision: BCubed precision in which no object counts itself."""

class _ElmRecall(Measure):
    @overload
    def __call__(self, truth: Any, guess: Any, /, **options: Unpack[_Options]) -> float:
        r"""Elements Like Me recall: BCubed recall in which no object counts itself.

        Definition:  R(o) = |T(o) ∩ G(o) \ {o}| / |T(o) \ {o}|, and 1 if T(o) = {o}"""
    @overload
    def __call__(self) -> Self: ...

elm_recall: _ElmRecall
"""Elements Like Me recall: BCubed recall in which no object counts itself."""

class _ExactAccuracy(Measure):
    @overload
    def __call__(self, truth: Any, guess: Any, /, **options: Unpack[_Options]) -> float:
        """Grouping accuracy (GA): share of the objects whose cluster is found exactly.

        Definition:  GA = |{o : T(o) = G(o)}| / n

        As log parsing counts messages: one is right if the messages of its guess cluster are those of
        its template, no more and no fewer. It is exact_f(f='objects').

        Also known as: parsing accuracy, exact object accuracy."""
    @overload
    def __call__(self) -> Self: ...

exact_accuracy: _ExactAccuracy
"""Grouping accuracy (GA): share of the objects whose cluster is found exactly."""

class _ExactF(Measure):
    @overload
    def __call__(
        self,
        truth: Any,
        guess: Any,
        /,
        *,
        alpha: float = 0.5,
        f: Literal["objects", "means"] = "means",
        **options: Unpack[_Options],
    ) -> float:
        """Cluster-level F: harmonic mean of cluster-level precision and recall.

        Definition:  F = 1 / (α/P + (1 - α)/R)

        f='objects' is the share of the objects that are in such clusters.

        Also known as: exact match F, cluster F1, F1 score of grouping accuracy, FGA."""
    @overload
    def __call__(self, *, alpha: float = 0.5, f: Literal["objects", "means"] = "means") -> Self: ...

exact_f: _ExactF
"""Cluster-level F: harmonic mean of cluster-level precision and recall."""

class _ExactPrecision(Measure):
    @overload
    def __call__(self, truth: Any, guess: Any, /, **options: Unpack[_Options]) -> float:
        """Cluster-level precision: share of the guess clusters that are truth clusters exactly.

        Definition:  P = (clusters that both have) / (clusters of guess)

        Also known as: exact match precision, cluster precision, precision of grouping accuracy, PGA."""
    @overload
    def __call__(self) -> Self: ...

exact_precision: _ExactPrecision
"""Cluster-level precision: share of the guess clusters that are truth clusters exactly."""

class _ExactRecall(Measure):
    @overload
    def __call__(self, truth: Any, guess: Any, /, **options: Unpack[_Options]) -> float:
        """Cluster-level recall: share of the truth clusters that are guess clusters exactly.

        Definition:  R = (clusters that both have) / (clusters of truth)

        Also known as: exact match recall, cluster recall, recall of grouping accuracy, RGA."""
    @overload
    def __call__(self) -> Self: ...

exact_recall: _ExactRecall
"""Cluster-level recall: share of the truth clusters that are guess clusters exactly."""

class _ExtendedBcubedF(Measure):
    @overload
    def __call__(
        self,
        truth: Any,
        guess: Any,
        /,
        *,
        alpha: float = 0.5,
        f: Literal["objects", "means"] = "means",
        uncovered: Literal["one", "zero", "skip", "refuse"] = "one",
        sample: int | None = None,
        seed: int = 0,
        **options: Unpack[_Options],
    ) -> float:
        """Extended BCubed F: harmonic mean of Extended BCubed precision and recall.

        Definition:  F = 1 / (α/P + (1 - α)/R)

        It counts in how many clusters two objects are together, not in which, so that different covers
        can score 1.

        Also known as: extended BCubed, overlapping BCubed."""
    @overload
    def __call__(
        self,
        *,
        alpha: float = 0.5,
        f: Literal["objects", "means"] = "means",
        uncovered: Literal["one", "zero", "skip", "refuse"] = "one",
        sample: int | None = None,
        seed: int = 0,
    ) -> Self: ...

extended_bcubed_f: _ExtendedBcubedF
"""Extended BCubed F: harmonic mean of Extended BCubed precision and recall."""

class _ExtendedBcubedPrecision(Measure):
    @overload
    def __call__(
        self,
        truth: Any,
        guess: Any,
        /,
        *,
        uncovered: Literal["one", "zero", "skip", "refuse"] = "one",
        sample: int | None = None,
        seed: int = 0,
        **options: Unpack[_Options],
    ) -> float:
        """Extended BCubed precision: BCubed precision that counts how many clusters two share.

        Definition:  P(o) = mean over o' with G(o) ∩ G(o') ≠ ∅ of
                     min(|G(o) ∩ G(o')|, |T(o) ∩ T(o')|) / |G(o) ∩ G(o')|

        An object in no cluster has no o': `uncovered` makes its P one or zero, or skips or refuses it.
        Where more than 10⁹ pairs would have to be visited, `sample` objects drawn with `seed` stand
        for all, with a standard error."""
    @overload
    def __call__(
        self,
        *,
        uncovered: Literal["one", "zero", "skip", "refuse"] = "one",
        sample: int | None = None,
        seed: int = 0,
    ) -> Self: ...

extended_bcubed_precision: _ExtendedBcubedPrecision
"""Extended BCubed precision: BCubed precision that counts how many clusters two share."""

class _ExtendedBcubedRecall(Measure):
    @overload
    def __call__(
        self,
        truth: Any,
        guess: Any,
        /,
        *,
        uncovered: Literal["one", "zero", "skip", "refuse"] = "one",
        sample: int | None = None,
        seed: int = 0,
        **options: Unpack[_Options],
    ) -> float:
        """Extended BCubed recall: BCubed recall that counts how many clusters two share.

        Definition:  R(o) = mean over o' with T(o) ∩ T(o') ≠ ∅ of
                     min(|G(o) ∩ G(o')|, |T(o) ∩ T(o')|) / |T(o) ∩ T(o')|"""
    @overload
    def __call__(
        self,
        *,
        uncovered: Literal["one", "zero", "skip", "refuse"] = "one",
        sample: int | None = None,
        seed: int = 0,
    ) -> Self: ...

extended_bcubed_recall: _ExtendedBcubedRecall
"""Extended BCubed recall: BCubed recall that counts how many clusters two share."""

class _FowlkesMallows(Measure):
    @overload
    def __call__(
        self, truth: Any, guess: Any, /, *, empty: float = 1, **options: Unpack[_Options]
    ) -> float:
        """Fowlkes-Mallows index (FMI): geometric mean of pairwise precision and pairwise recall.

        Definition:  √(both/guess · both/truth), pairs of objects that share a cluster

        Where no pair is together in either, it is `empty`: 1 here, 0 in scikit-learn.

        Also known as: fowlkes_mallows_score."""
    @overload
    def __call__(self, *, empty: float = 1) -> Self: ...

fowlkes_mallows: _FowlkesMallows
"""Fowlkes-Mallows index (FMI): geometric mean of pairwise precision and pairwise recall."""

class _Homogeneity(Measure):
    @overload
    def __call__(self, truth: Any, guess: Any, /, **options: Unpack[_Options]) -> float:
        """Homogeneity: how pure the guess clusters are, 1 - H(truth | guess) / H(truth).

        Definition:  h = 1 - H(truth | guess) / H(truth)

        Also known as: homogeneity_score."""
    @overload
    def __call__(self) -> Self: ...

homogeneity: _Homogeneity
"""Homogeneity: how pure the guess clusters are, 1 - H(truth | guess) / H(truth)."""

class _InversePurity(Measure):
    @overload
    def __call__(self, truth: Any, guess: Any, /, **options: Unpack[_Options]) -> float:
        """Inverse purity: share of objects in the majority guess cluster of their truth cluster.

        Definition:  R = 1/n Σ_T max_G |T∩G|"""
    @overload
    def __call__(self) -> Self: ...

inverse_purity: _InversePurity
"""Inverse purity: share of objects in the majority guess cluster of their truth cluster."""

class _JaccardErrorRate(Measure):
    @overload
    def __call__(
        self,
        truth: Any,
        guess: Any,
        /,
        *,
        assignment: Literal["jaccard", "time"] = "jaccard",
        **options: Unpack[_Options],
    ) -> float:
        """Jaccard error rate (JER): how much speakers of truth differ from those that stand for them.

        Definition:  mean over truth clusters T of 1 - |T∩G| / |T∪G|, G the one that stands for T

        Each speaker counts the same, however long it speaks; one for which none stands counts 1. The
        matching makes the sum of Jaccard indexes largest, as in dscore. assignment='time' takes the
        matching with most common time instead, as pyannote.metrics does, and among several of them the
        one with the largest sum of Jaccard indexes. Speakers of guess that stand for none cost nothing.

        Also known as: jer."""
    @overload
    def __call__(self, *, assignment: Literal["jaccard", "time"] = "jaccard") -> Self: ...

jaccard_error_rate: _JaccardErrorRate
"""Jaccard error rate (JER): how much speakers of truth differ from those that stand for them."""

class _LeaF(Measure):
    @overload
    def __call__(
        self,
        truth: Any,
        guess: Any,
        /,
        *,
        alpha: float = 0.5,
        f: Literal["objects", "means"] = "means",
        **options: Unpack[_Options],
    ) -> float:
        """LEA F: harmonic mean of LEA precision and recall.

        Definition:  F = 1 / (α/P + (1 - α)/R)

        Also known as: link-based entity-aware metric, LEA F1."""
    @overload
    def __call__(self, *, alpha: float = 0.5, f: Literal["objects", "means"] = "means") -> Self: ...

lea_f: _LeaF
"""LEA F: harmonic mean of LEA precision and recall."""

class _LeaPrecision(Measure):
    @overload
    def __call__(self, truth: Any, guess: Any, /, **options: Unpack[_Options]) -> float:
        """LEA precision: mean over guess clusters, by size, of the share of links that truth has.

        Definition:  P = Σ_G |G|/n · Σ_T link(T∩G) / link(G), link(A) = |A|(|A| - 1)/2; a G of one
                     object counts as found if it is a T

        Also known as: link-based entity-aware precision."""
    @overload
    def __call__(self) -> Self: ...

lea_precision: _LeaPrecision
"""LEA precision: mean over guess clusters, by size, of the share of links that truth has."""

class _LeaRecall(Measure):
    @overload
    def __call__(self, truth: Any, guess: Any, /, **options: Unpack[_Options]) -> float:
        """LEA recall: mean over truth clusters, by size, of the share of links that guess has.

        Definition:  R = Σ_T |T|/n · Σ_G link(T∩G) / link(T), link(A) = |A|(|A| - 1)/2; a T of one
                     object counts as found if it is a G

        Also known as: link-based entity-aware recall."""
    @overload
    def __call__(self) -> Self: ...

lea_recall: _LeaRecall
"""LEA recall: mean over truth clusters, by size, of the share of links that guess has."""

class _MatchF(Measure):
    @overload
    def __call__(
        self,
        truth: Any,
        guess: Any,
        /,
        *,
        alpha: float = 0.5,
        iou: float = 0.5,
        **options: Unpack[_Options],
    ) -> float:
        """Matched F: harmonic mean of the shares of guess and truth clusters that match.

        Definition:  F = 1 / (α/P + (1 - α)/R)

        Clusters are matched as in match_precision. With iou=1 it is exact_f.

        Also known as: instance F1, F1 at an overlap."""
    @overload
    def __call__(self, *, alpha: float = 0.5, iou: float = 0.5) -> Self: ...

match_f: _MatchF
"""Matched F: harmonic mean of the shares of guess and truth clusters that match."""

class _MatchPrecision(Measure):
    @overload
    def __call__(
        self, truth: Any, guess: Any, /, *, iou: float = 0.5, **options: Unpack[_Options]
    ) -> float:
        """Matched precision: share of the guess clusters that match a truth cluster.

        Definition:  P = TP / (clusters of guess)

        TP are clusters that match: one to one, as many as can be, among those whose intersection over
        union is at least `iou`; those without a common object never match.

        Also known as: instance precision, AP50 precision."""
    @overload
    def __call__(self, *, iou: float = 0.5) -> Self: ...

match_precision: _MatchPrecision
"""Matched precision: share of the guess clusters that match a truth cluster."""

class _MatchRecall(Measure):
    @overload
    def __call__(
        self, truth: Any, guess: Any, /, *, iou: float = 0.5, **options: Unpack[_Options]
    ) -> float:
        """Matched recall: share of the truth clusters that match a guess cluster.

        Definition:  R = TP / (clusters of truth)

        TP are clusters that match, as in match_precision.

        Also known as: instance recall, AP50 recall."""
    @overload
    def __call__(self, *, iou: float = 0.5) -> Self: ...

match_recall: _MatchRecall
"""Matched recall: share of the truth clusters that match a guess cluster."""

class _MirkinDistance(Measure):
    @overload
    def __call__(
        self,
        truth: Any,
        guess: Any,
        /,
        *,
        scale: Literal["count", "n2"] = "count",
        **options: Unpack[_Options],
    ) -> float:
        """Mirkin metric: number of ordered pairs of objects that only one side puts together.

        Definition:  Σ|T|² + Σ|G|² - 2 Σ|T∩G|²;  scale='n2' divides by n².

        Also known as: equivalence mismatch distance."""
    @overload
    def __call__(self, *, scale: Literal["count", "n2"] = "count") -> Self: ...

mirkin_distance: _MirkinDistance
"""Mirkin metric: number of ordered pairs of objects that only one side puts together."""

class _MucF(Measure):
    @overload
    def __call__(
        self,
        truth: Any,
        guess: Any,
        /,
        *,
        alpha: float = 0.5,
        f: Literal["objects", "means"] = "means",
        empty: float | None = None,
        **options: Unpack[_Options],
    ) -> float:
        """MUC F: harmonic mean of MUC precision and recall; ignores objects alone in both.

        Definition:  F = 1 / (α/P + (1 - α)/R)

        Also known as: MUC F1, MUC score."""
    @overload
    def __call__(
        self,
        *,
        alpha: float = 0.5,
        f: Literal["objects", "means"] = "means",
        empty: float | None = None,
    ) -> Self: ...

muc_f: _MucF
"""MUC F: harmonic mean of MUC precision and recall; ignores objects alone in both."""

class _MucPrecision(Measure):
    @overload
    def __call__(
        self, truth: Any, guess: Any, /, *, empty: float | None = None, **options: Unpack[_Options]
    ) -> float:
        """MUC precision: share of the links needed to build the guess clusters that truth has too.

        Definition:  P = Σ_G (|G| - parts of G in truth) / Σ_G (|G| - 1)"""
    @overload
    def __call__(self, *, empty: float | None = None) -> Self: ...

muc_precision: _MucPrecision
"""MUC precision: share of the links needed to build the guess clusters that truth has too."""

class _MucRecall(Measure):
    @overload
    def __call__(
        self, truth: Any, guess: Any, /, *, empty: float | None = None, **options: Unpack[_Options]
    ) -> float:
        """MUC recall: share of the links needed to build the truth clusters that guess has too.

        Definition:  R = Σ_T (|T| - parts of T in guess) / Σ_T (|T| - 1)"""
    @overload
    def __call__(self, *, empty: float | None = None) -> Self: ...

muc_recall: _MucRecall
"""MUC recall: share of the links needed to build the truth clusters that guess has too."""

class _MutualInformation(Measure):
    @overload
    def __call__(self, truth: Any, guess: Any, /, **options: Unpack[_Options]) -> float:
        """Mutual information (MI): what knowing the guess tells about the truth, in nats.

        Definition:  I = Σ_TG |T∩G|/n · log(n |T∩G| / (|T| |G|))

        Also known as: mutual_info_score."""
    @overload
    def __call__(self) -> Self: ...

mutual_information: _MutualInformation
"""Mutual information (MI): what knowing the guess tells about the truth, in nats."""

class _Nmi(Measure):
    @overload
    def __call__(
        self,
        truth: Any,
        guess: Any,
        /,
        *,
        norm: Literal["max", "min", "arithmetic", "geometric", "joint"] = "arithmetic",
        **options: Unpack[_Options],
    ) -> float:
        """Normalized mutual information (NMI): by default divided by the mean of the two entropies.

        Definition:  2 I / (H(truth) + H(guess)); norm='joint' divides by H(truth, guess)

        0 where only one of the two is a single cluster; 1 where both are.

        norm='arithmetic' is the default of scikit-learn, norm='max' the one that Vinh, Epps and
        Bailey recommend; 'min' and 'geometric' are the smaller entropy and the geometric mean.

        Also known as: normalized_mutual_info_score."""
    @overload
    def __call__(
        self, *, norm: Literal["max", "min", "arithmetic", "geometric", "joint"] = "arithmetic"
    ) -> Self: ...

nmi: _Nmi
"""Normalized mutual information (NMI): by default divided by the mean of the two entropies."""

class _NormalizedClusteringAccuracy(Measure):
    @overload
    def __call__(self, truth: Any, guess: Any, /, **options: Unpack[_Options]) -> float:
        """Normalized clustering accuracy (NCA): mean share of truth clusters that a matching keeps.

        Definition:  NCA = (S - 1) / (K - 1),  S = max over matchings W of Σ W(T,G) |T∩G|/|T|

        K is the number of truth clusters, which all count the same. 0 is for the worst guess, which
        spreads each truth cluster evenly over as many clusters, and 1 for the truth. Gagolewski defines
        it for as many guess clusters as there are true ones. Of fewer, empty ones are added, as in
        genieclust 1.1.2; of more, those without a partner are lost as they are in accuracy, and what
        would be negative is 0. With a single truth cluster it is 1 for that cluster and else 0.

        Also known as: adjusted asymmetric accuracy, AAA, normalised clustering accuracy."""
    @overload
    def __call__(self) -> Self: ...

normalized_clustering_accuracy: _NormalizedClusteringAccuracy
"""Normalized clustering accuracy (NCA): mean share of truth clusters that a matching keeps."""

class _Omega(Measure):
    @overload
    def __call__(self, truth: Any, guess: Any, /, **options: Unpack[_Options]) -> float:
        """Omega index: share of pairs in equally many clusters on both sides, corrected for chance.

        Definition:  (observed - expected) / (1 - expected), observed = share of pairs with t = g,
                     expected = Σ_j (share of pairs with t = j) · (share of pairs with g = j)

        t and g are the numbers of clusters that two objects share in truth and in guess."""
    @overload
    def __call__(self) -> Self: ...

omega: _Omega
"""Omega index: share of pairs in equally many clusters on both sides, corrected for chance."""

class _Onmi(Measure):
    @overload
    def __call__(
        self,
        truth: Any,
        guess: Any,
        /,
        *,
        variant: Literal["max", "lfk"] = "max",
        **options: Unpack[_Options],
    ) -> float:
        """Overlapping normalized mutual information (ONMI): each cluster with its best match.

        Definition:  (Σ_T (H(T) - H(T | guess)) + Σ_G (H(G) - H(G | truth))) / 2 max(Σ_T H(T), Σ_G
                     H(G)), where H(T | guess) = min_G H(T | G)

        Each cluster is a yes-or-no variable; its entropy given the other side is that given the best
        single cluster there, if that one tells more by agreeing than by differing.
        variant='max' divides the information by the larger total entropy (McDaid, Greene and Hurley
        2011); 'lfk' takes the mean of the clusters' quotients (Lancichinetti, Fortunato and
        Kertész 2009).

        Also known as: overlapping NMI, LFK NMI (variant='lfk')."""
    @overload
    def __call__(self, *, variant: Literal["max", "lfk"] = "max") -> Self: ...

onmi: _Onmi
"""Overlapping normalized mutual information (ONMI): each cluster with its best match."""

class _PairCorrelation(Measure):
    @overload
    def __call__(self, truth: Any, guess: Any, /, **options: Unpack[_Options]) -> float:
        """Correlation coefficient of pairs (CC): Pearson's φ of the pair confusion table.

        Definition:  φ = (a d - b c) / √((a + b)(a + c)(d + b)(d + c))

        Of all pairs of objects, a are together in both, b in truth alone, c in guess alone, and d in
        neither. Random labels of the same sizes have 0 on average. Where one side puts all pairs
        together, or none, φ is not defined: it is 1 if the other side does the same, else 0.

        Also known as: pair confusion correlation, Matthews correlation of pairs, pairwise phi."""
    @overload
    def __call__(self) -> Self: ...

pair_correlation: _PairCorrelation
"""Correlation coefficient of pairs (CC): Pearson's φ of the pair confusion table."""

class _PairCorrelationDistance(Measure):
    @overload
    def __call__(self, truth: Any, guess: Any, /, **options: Unpack[_Options]) -> float:
        """Correlation distance of pairs (CD): the angle between two clusterings, by their pairs.

        Definition:  d = arccos(φ) / π, with φ the pair_correlation

        A metric on the clusterings that put some pairs together and some apart; 1/2 is what random
        labels have to first order.

        Also known as: pairwise correlation distance."""
    @overload
    def __call__(self) -> Self: ...

pair_correlation_distance: _PairCorrelationDistance
"""Correlation distance of pairs (CD): the angle between two clusterings, by their pairs."""

class _PairF(Measure):
    @overload
    def __call__(
        self,
        truth: Any,
        guess: Any,
        /,
        *,
        alpha: float = 0.5,
        f: Literal["objects", "means"] = "means",
        **options: Unpack[_Options],
    ) -> float:
        """Pairwise F: harmonic mean of pairwise precision and pairwise recall.

        Definition:  F = 1 / (α/P + (1 - α)/R), for α = 1/2 that is 2 both / (truth + guess)

        With f='objects', the mean over objects of the F of the pairs an object is in, this is elm_f.

        Also known as: pairwise F1, pair-counting F-measure, Dice index, Czekanowski index."""
    @overload
    def __call__(self, *, alpha: float = 0.5, f: Literal["objects", "means"] = "means") -> Self: ...

pair_f: _PairF
"""Pairwise F: harmonic mean of pairwise precision and pairwise recall."""

class _PairJaccard(Measure):
    @overload
    def __call__(self, truth: Any, guess: Any, /, **options: Unpack[_Options]) -> float:
        """Jaccard index of pairs: of the pairs that either puts together, the share that both do.

        Definition:  both / (truth + guess - both), pairs of objects that share a cluster

        Also known as: Jaccard index, Jaccard coefficient, pairwise Jaccard."""
    @overload
    def __call__(self) -> Self: ...

pair_jaccard: _PairJaccard
"""Jaccard index of pairs: of the pairs that either puts together, the share that both do."""

class _PairPrecision(Measure):
    @overload
    def __call__(self, truth: Any, guess: Any, /, **options: Unpack[_Options]) -> float:
        """Pairwise precision: share of the pairs that guess puts together that belong together.

        Definition:  P = both / guess, pairs of objects that share a cluster

        Also known as: pair-counting precision."""
    @overload
    def __call__(self) -> Self: ...

pair_precision: _PairPrecision
"""Pairwise precision: share of the pairs that guess puts together that belong together."""

class _PairRecall(Measure):
    @overload
    def __call__(self, truth: Any, guess: Any, /, **options: Unpack[_Options]) -> float:
        """Pairwise recall: share of the pairs that belong together that guess puts together.

        Definition:  R = both / truth, pairs of objects that share a cluster

        Also known as: pair-counting recall."""
    @overload
    def __call__(self) -> Self: ...

pair_recall: _PairRecall
"""Pairwise recall: share of the pairs that belong together that guess puts together."""

class _PairSetsIndex(Measure):
    @overload
    def __call__(self, truth: Any, guess: Any, /, **options: Unpack[_Options]) -> float:
        """Pair sets index (PSI): similarity of matched clusters, corrected for chance by sizes.

        Definition:  PSI = max(0, (S - E) / (max(K,L) - E)),  S = max over matchings W of
                     Σ W(T,G) |T∩G| / max(|T|,|G|),  E = 1/n Σ_i min(t_i,g_i)

        K and L are the numbers of clusters, t_i and g_i the i-th largest sizes of both sides: the
        expectation of Rezaei and Fränti's equation 18, which pairs clusters by size. All clusters count
        the same; where the numbers differ, those left over are matched with nothing.

        Also known as: PSI score."""
    @overload
    def __call__(self) -> Self: ...

pair_sets_index: _PairSetsIndex
"""Pair sets index (PSI): similarity of matched clusters, corrected for chance by sizes."""

class _PanopticQuality(Measure):
    @overload
    def __call__(self, truth: Any, guess: Any, /, **options: Unpack[_Options]) -> float:
        """Panoptic quality (PQ): overlap of the matched clusters, over all clusters of both sides.

        Definition:  PQ = Σ IoU / (TP + FP/2 + FN/2), sum over clusters whose IoU is above 0.5

        Two clusters match if their intersection over union, IoU = |T∩G| / |T∪G|, is above 1/2, as in
        Kirillov et al. TP counts the matches, FP the guess clusters and FN the truth clusters without
        one, so that TP + FP/2 + FN/2 is half of all clusters. PQ is the product of panoptic_quality_sq
        and panoptic_quality_rq. Of one class: a background that is no segment is left out of each side
        on its own, with align='penalise'.

        Also known as: weighted document F1."""
    @overload
    def __call__(self) -> Self: ...

panoptic_quality: _PanopticQuality
"""Panoptic quality (PQ): overlap of the matched clusters, over all clusters of both sides."""

class _PanopticQualityRq(Measure):
    @overload
    def __call__(self, truth: Any, guess: Any, /, **options: Unpack[_Options]) -> float:
        """Recognition quality (RQ): F of the clusters that match, found with an overlap above 1/2.

        Definition:  RQ = TP / (TP + FP/2 + FN/2)

        TP are the pairs of clusters whose intersection over union is above 1/2, FP and FN the clusters
        of guess and of truth without one.

        It is match_f but for overlaps of exactly 1/2, which do not match here.

        Also known as: unweighted document F1."""
    @overload
    def __call__(self) -> Self: ...

panoptic_quality_rq: _PanopticQualityRq
"""Recognition quality (RQ): F of the clusters that match, found with an overlap above 1/2."""

class _PanopticQualitySq(Measure):
    @overload
    def __call__(self, truth: Any, guess: Any, /, **options: Unpack[_Options]) -> float:
        """Segmentation quality (SQ): mean overlap of the clusters that match.

        Definition:  SQ = Σ IoU / TP, sum over the TP pairs of clusters whose IoU is above 0.5

        0 where no clusters match, as in the programs of Kirillov et al.; some packages have NaN there."""
    @overload
    def __call__(self) -> Self: ...

panoptic_quality_sq: _PanopticQualitySq
"""Segmentation quality (SQ): mean overlap of the clusters that match."""

class _PartitionDistance(Measure):
    @overload
    def __call__(
        self,
        truth: Any,
        guess: Any,
        /,
        *,
        over: Literal["n-1", "n"] = "n-1",
        **options: Unpack[_Options],
    ) -> float:
        """Partition distance: objects to move until the partitions are equal, as a share of n - 1.

        Definition:  d_π = (n - max over matchings W of Σ W(T,G) |T∩G|) / (n - 1)

        over='n' divides by n, as some printed examples do."""
    @overload
    def __call__(self, *, over: Literal["n-1", "n"] = "n-1") -> Self: ...

partition_distance: _PartitionDistance
"""Partition distance: objects to move until the partitions are equal, as a share of n - 1."""

class _PartitionDistanceAlpha(Measure):
    @overload
    def __call__(
        self,
        truth: Any,
        guess: Any,
        /,
        *,
        alpha: None = None,
        over: Literal["n-1", "n"] = "n-1",
        **options: Unpack[_Options],
    ) -> ScoreRange:
        """Partition distance of uncertain clusterings: one matching, unknown at the cost alpha.

        Definition:  min over matchings of Σ_clusters Σ_objects Δ_alpha / 2(n - 1), where Δ_alpha is
        the least cost of turning what truth knows of "is it in this cluster" into what guess knows

        Without alpha, the interval from alpha = 0 to alpha = 1. over='n' divides by n, as printed
        examples do. Against a vacuous clustering it can exceed 1."""
    @overload
    def __call__(self, *, alpha: None = None, over: Literal["n-1", "n"] = "n-1") -> Self: ...
    @overload
    def __call__(
        self,
        truth: Any,
        guess: Any,
        /,
        *,
        alpha: float,
        over: Literal["n-1", "n"] = "n-1",
        **options: Unpack[_Options],
    ) -> float: ...
    @overload
    def __call__(self, *, alpha: float, over: Literal["n-1", "n"] = "n-1") -> Measure: ...

partition_distance_alpha: _PartitionDistanceAlpha
"""Partition distance of uncertain clusterings: one matching, unknown at the cost alpha."""

class _PureShare(Measure):
    @overload
    def __call__(self, truth: Any, guess: Any, /, **options: Unpack[_Options]) -> float:
        """Pure share: share of the guess clusters that lie inside one truth cluster.

        Definition:  P = |{G : G ⊆ T for some T}| / (clusters of guess)

        Each cluster counts once, whatever its size; purity counts objects instead.

        Also known as: share of pure clusters, cluster homogeneity rate."""
    @overload
    def __call__(self) -> Self: ...

pure_share: _PureShare
"""Pure share: share of the guess clusters that lie inside one truth cluster."""

class _PureWholeF(Measure):
    @overload
    def __call__(
        self, truth: Any, guess: Any, /, *, alpha: float = 0.5, **options: Unpack[_Options]
    ) -> float:
        """Pure and whole F: harmonic mean of the pure share and the whole share.

        Definition:  F = 1 / (α/P + (1 - α)/R)

        Also known as: F of pure and whole clusters."""
    @overload
    def __call__(self, *, alpha: float = 0.5) -> Self: ...

pure_whole_f: _PureWholeF
"""Pure and whole F: harmonic mean of the pure share and the whole share."""

class _Purity(Measure):
    @overload
    def __call__(self, truth: Any, guess: Any, /, **options: Unpack[_Options]) -> float:
        """Purity: share of objects in the majority truth cluster of their guess cluster.

        Definition:  P = 1/n Σ_G max_T |T∩G|"""
    @overload
    def __call__(self) -> Self: ...

purity: _Purity
"""Purity: share of objects in the majority truth cluster of their guess cluster."""

class _PurityF(Measure):
    @overload
    def __call__(
        self,
        truth: Any,
        guess: Any,
        /,
        *,
        alpha: float = 0.5,
        f: Literal["objects", "means"] = "means",
        **options: Unpack[_Options],
    ) -> float:
        """Purity F: harmonic mean of purity and inverse purity.

        Definition:  F = 1 / (α/P + (1 - α)/R)

        Also known as: purity F-measure."""
    @overload
    def __call__(self, *, alpha: float = 0.5, f: Literal["objects", "means"] = "means") -> Self: ...

purity_f: _PurityF
"""Purity F: harmonic mean of purity and inverse purity."""

class _Rand(Measure):
    @overload
    def __call__(self, truth: Any, guess: Any, /, **options: Unpack[_Options]) -> float:
        """Rand index (RI): share of the pairs of objects on which both agree, together or apart.

        Definition:  (all - truth - guess + 2 both) / all, pairs of objects that share a cluster

        Also known as: rand_score."""
    @overload
    def __call__(self) -> Self: ...

rand: _Rand
"""Rand index (RI): share of the pairs of objects on which both agree, together or apart."""

class _RandAlpha(Measure):
    @overload
    def __call__(
        self,
        truth: Any,
        guess: Any,
        /,
        *,
        alpha: None = None,
        pairs: Literal["distinct", "all"] = "distinct",
        **options: Unpack[_Options],
    ) -> ScoreRange:
        """Rand index of uncertain clusterings: share of pairs of which both know the same.

        Definition:  1 - mean over pairs of r_alpha, the least cost of turning what truth knows of a
        pair (together, apart, unknown) into what guess knows, where unknown is alpha from the others

        Without alpha, the interval from alpha = 1 to alpha = 0. pairs='all' counts all n² pairs, each
        object with itself as agreeing, as the printed examples do. Against a hard clustering it is
        linear in the objects.

        Also known as: evidential Rand index."""
    @overload
    def __call__(
        self, *, alpha: None = None, pairs: Literal["distinct", "all"] = "distinct"
    ) -> Self: ...
    @overload
    def __call__(
        self,
        truth: Any,
        guess: Any,
        /,
        *,
        alpha: float,
        pairs: Literal["distinct", "all"] = "distinct",
        **options: Unpack[_Options],
    ) -> float: ...
    @overload
    def __call__(
        self, *, alpha: float, pairs: Literal["distinct", "all"] = "distinct"
    ) -> Measure: ...

rand_alpha: _RandAlpha
"""Rand index of uncertain clusterings: share of pairs of which both know the same."""

class _RandAnderson(Measure):
    @overload
    def __call__(
        self,
        truth: Any,
        guess: Any,
        /,
        *,
        pairs: Literal["distinct", "all"] = "distinct",
        **options: Unpack[_Options],
    ) -> float:
        """Fuzzy Rand index of Anderson: Rand index of the soft contingency table.

        Definition:  rand of the table n · XᵀY / ΣXᵀY, X and Y the degrees of truth and guess

        Linear in the objects. It can be negative, and a clustering need not have 1 with itself.

        Also known as: soft Rand index of Anderson."""
    @overload
    def __call__(self, *, pairs: Literal["distinct", "all"] = "distinct") -> Self: ...

rand_anderson: _RandAnderson
"""Fuzzy Rand index of Anderson: Rand index of the soft contingency table."""

class _RandBelief(Measure):
    @overload
    def __call__(
        self,
        truth: Any,
        guess: Any,
        /,
        *,
        pairs: Literal["distinct", "all"] = "distinct",
        **options: Unpack[_Options],
    ) -> float:
        """Credal Rand index by belief distance: an unknown pair counts as half right.

        Definition:  1 - mean over pairs of half the differences of belief in together, in apart and in
                     either

        Without mass on the empty set this is rand_alpha(alpha=0.5)."""
    @overload
    def __call__(self, *, pairs: Literal["distinct", "all"] = "distinct") -> Self: ...

rand_belief: _RandBelief
"""Credal Rand index by belief distance: an unknown pair counts as half right."""

class _RandBrouwer(Measure):
    @overload
    def __call__(
        self,
        truth: Any,
        guess: Any,
        /,
        *,
        pairs: Literal["distinct", "all"] = "distinct",
        **options: Unpack[_Options],
    ) -> float:
        """Fuzzy Rand index of Brouwer: pairs compared by the cosine of their memberships.

        Definition:  1 - mean over pairs of |cos(truth rows) - cos(guess rows)|"""
    @overload
    def __call__(self, *, pairs: Literal["distinct", "all"] = "distinct") -> Self: ...

rand_brouwer: _RandBrouwer
"""Fuzzy Rand index of Brouwer: pairs compared by the cosine of their memberships."""

class _RandCampello(Measure):
    @overload
    def __call__(
        self,
        truth: Any,
        guess: Any,
        /,
        *,
        tnorm: Literal["min", "product", "lukasiewicz"] = "min",
        conorm: Literal["max", "bounded_sum", "probabilistic_sum"] = "max",
        pairs: Literal["distinct", "all"] = "distinct",
        **options: Unpack[_Options],
    ) -> float:
        """Fuzzy Rand index of Campello: pairs are together and apart to a degree, by t-norms.

        Definition:  agree / (agree + differ), sums over pairs of t(what truth says, what guess says),
                     where x, y are together to the degree s_k t(x_k, y_k), apart to the degree s_{k≠l}
                     t(x_k, y_l), with a t-norm t and a t-conorm s

        A clustering need not have 1 with itself. On fuzzy clusterings, tnorm='product' with
        conorm='bounded_sum' is rand_frigui."""
    @overload
    def __call__(
        self,
        *,
        tnorm: Literal["min", "product", "lukasiewicz"] = "min",
        conorm: Literal["max", "bounded_sum", "probabilistic_sum"] = "max",
        pairs: Literal["distinct", "all"] = "distinct",
    ) -> Self: ...

rand_campello: _RandCampello
"""Fuzzy Rand index of Campello: pairs are together and apart to a degree, by t-norms."""

class _RandConflict(Measure):
    @overload
    def __call__(
        self,
        truth: Any,
        guess: Any,
        /,
        *,
        pairs: Literal["distinct", "all"] = "distinct",
        **options: Unpack[_Options],
    ) -> float:
        """Credal Rand index by degree of conflict: an unknown pair is never wrong.

        Definition:  1 - mean over pairs of the mass on relations that exclude each other

        A clustering conflicts with itself as soon as chances are spread over several clusters, so it
        need not have 1 with itself."""
    @overload
    def __call__(self, *, pairs: Literal["distinct", "all"] = "distinct") -> Self: ...

rand_conflict: _RandConflict
"""Credal Rand index by degree of conflict: an unknown pair is never wrong."""

class _RandFrigui(Measure):
    @overload
    def __call__(
        self,
        truth: Any,
        guess: Any,
        /,
        *,
        pairs: Literal["distinct", "all"] = "distinct",
        **options: Unpack[_Options],
    ) -> float:
        """Fuzzy Rand index of Frigui: pairs are together and apart by products of degrees.

        Definition:  mean over pairs of p q + (1 - p)(1 - q), p = Σ_k x_k y_k in truth, q in guess,
                     where rows sum to one

        Against a hard clustering this is the expected Rand index, which is rand_alpha. A clustering
        need not have 1 with itself."""
    @overload
    def __call__(self, *, pairs: Literal["distinct", "all"] = "distinct") -> Self: ...

rand_frigui: _RandFrigui
"""Fuzzy Rand index of Frigui: pairs are together and apart by products of degrees."""

class _RandHullermeier(Measure):
    @overload
    def __call__(
        self,
        truth: Any,
        guess: Any,
        /,
        *,
        distance: Literal["half_l1", "max", "cosine"] = "half_l1",
        pairs: Literal["distinct", "all"] = "distinct",
        **options: Unpack[_Options],
    ) -> float:
        """Fuzzy Rand index of Hüllermeier: 1 - mean difference of the distances within pairs.

        Definition:  1 - mean over pairs of |d(truth row, truth row) - d(guess row, guess row)|

        distance='half_l1' is half the sum of differences (at most 1), 'max' the largest difference,
        'cosine' one less the cosine, which is rand_brouwer.

        Also known as: Hüllermeier-Rifqi index."""
    @overload
    def __call__(
        self,
        *,
        distance: Literal["half_l1", "max", "cosine"] = "half_l1",
        pairs: Literal["distinct", "all"] = "distinct",
    ) -> Self: ...

rand_hullermeier: _RandHullermeier
"""Fuzzy Rand index of Hüllermeier: 1 - mean difference of the distances within pairs."""

class _RandJousselme(Measure):
    @overload
    def __call__(
        self,
        truth: Any,
        guess: Any,
        /,
        *,
        pairs: Literal["distinct", "all"] = "distinct",
        **options: Unpack[_Options],
    ) -> float:
        """Credal Rand index by Jousselme distance: an unknown pair costs more than an even chance.

        Definition:  1 - mean over pairs of √((m - m')ᵀ J (m - m') / 2), m and m' what truth and guess
                     know, J the Jaccard indices of {together}, {apart}, unknown and impossible"""
    @overload
    def __call__(self, *, pairs: Literal["distinct", "all"] = "distinct") -> Self: ...

rand_jousselme: _RandJousselme
"""Credal Rand index by Jousselme distance: an unknown pair costs more than an even chance."""

class _ReducedMutualInformation(Measure):
    @overload
    def __call__(
        self,
        truth: Any,
        guess: Any,
        /,
        *,
        norm: Literal["truth", "mean"] | None = None,
        **options: Unpack[_Options],
    ) -> float:
        """Reduced mutual information (RMI): mutual information less the cost of the table, in nats.

        Definition:  (H - H') / n,  H what truth costs to encode, H' what it costs if guess is known

        Costs count everything that must be encoded, cluster sizes and the table of counts too, so that
        a guess of many clusters does not seem to know more than it does; the score can be negative. By
        the Dirichlet-multinomial encoding of Jerdee, Kirkley and Newman 2024, with concentrations from
        0.0001 to 10000; per object and in nats, as mutual_information, where clustering-mi has bits of
        all objects. norm='truth' divides by the information of truth on itself, the asymmetric
        normalization of the same authors 2023; norm='mean' takes both directions and both sides.

        Also known as: RMI score."""
    @overload
    def __call__(self, *, norm: Literal["truth", "mean"] | None = None) -> Self: ...

reduced_mutual_information: _ReducedMutualInformation
"""Reduced mutual information (RMI): mutual information less the cost of the table, in nats."""

class _SoftMutualInformation(Measure):
    @overload
    def __call__(
        self, truth: Any, guess: Any, /, *, budget: int = 1000000000, **options: Unpack[_Options]
    ) -> ScoreRange:
        """Soft mutual information: least and greatest value between rough clusterings, in nats.

        Definition:  min and max of I(C, C') over hard C that truth allows and C' that guess allows

        The ends are taken over all pairs of hard clusterings that the two allow. Against a hard
        clustering this is a programme over column totals, between two rough ones all pairs are tried,
        up to `budget` steps of work."""
    @overload
    def __call__(self, *, budget: int = 1000000000) -> Self: ...

soft_mutual_information: _SoftMutualInformation
"""Soft mutual information: least and greatest value between rough clusterings, in nats."""

class _SplitMerge(Measure):
    @overload
    def __call__(
        self,
        truth: Any,
        guess: Any,
        /,
        *,
        similarity: Literal["entropy", "mse"] | Callable[..., Any] = "entropy",
        combine: Literal["product", "mean"] = "product",
        **options: Unpack[_Options],
    ) -> float:
        """Split-merge similarity: mean over objects of how intact their two clusters are.

        Definition:  S* = Σ_TG |T∩G|/n · s(G|T) · s(T|G), or S' = Σ_TG |T∩G|/n · (s(G|T) + s(T|G))/2
                     with combine='mean'

        s says how whole a cluster stays when the other clustering cuts it into parts: by entropy
        (S_H, with s = 1 - H(parts)/log size), by the mean squared error of features within the
        parts, or by any function of the sorted sizes of the parts. A cluster of one object cannot
        be split and counts as whole.

        Also known as: split-merge framework."""
    @overload
    def __call__(
        self,
        *,
        similarity: Literal["entropy", "mse"] | Callable[..., Any] = "entropy",
        combine: Literal["product", "mean"] = "product",
    ) -> Self: ...

split_merge: _SplitMerge
"""Split-merge similarity: mean over objects of how intact their two clusters are."""

class _Transport(Measure):
    @overload
    def __call__(
        self,
        truth: Any,
        guess: Any,
        /,
        *,
        measure: Measure | str | None = None,
        alpha: None = None,
        method: Literal["exact", "bounds", "sample"] | None = None,
        samples: int = 1000,
        seed: int = 0,
        confidence: float = 0.95,
        budget: int = 1000000000,
        empty_set: Literal["normalise", "max_distance"] = "normalise",
        **options: Unpack[_Options],
    ) -> ScoreRange:
        """Optimal transport (OT): any measure of partitions, for uncertain clusterings.

        Definition:  an uncertain clustering is a probability distribution over rough clusterings, and a
        rough clustering is the set of hard ones that it allows. Two rough clusterings are d₀ apart
        (their nearest members) if what is unknown is accepted, d₁ apart (the Hausdorff distance) if it
        is an error; d_alpha lies between. The distance is the optimal transport (Wasserstein) cost
        between the two distributions.

        Without alpha, the interval of both ends; with it, one number. method='exact' is polynomial
        where there is a way, otherwise it tries all that is possible, up to `budget` steps of work;
        'bounds' gives outer bounds from inequalities that are proved, 'sample' estimates from `samples`
        draws, each solved within its share of the budget or bounded, with limits at `confidence`. Left
        out: exact within the budget, otherwise outer bounds. Left out, the measure is rand.

        empty_set='normalise' scores the clusterings given that every object is in a cluster: mass on
        the empty set is shared among the other sets in proportion, and an object without other mass is
        a singleton. empty_set='max_distance' puts clusterings that leave different objects without a
        cluster at distance 1, so that even a small mass on the empty set can decide the score.

        Also known as: Wasserstein distance, earth mover distance."""
    @overload
    def __call__(
        self,
        *,
        measure: Measure | str | None = None,
        alpha: None = None,
        method: Literal["exact", "bounds", "sample"] | None = None,
        samples: int = 1000,
        seed: int = 0,
        confidence: float = 0.95,
        budget: int = 1000000000,
        empty_set: Literal["normalise", "max_distance"] = "normalise",
    ) -> Self: ...
    @overload
    def __call__(
        self,
        measure: Measure | str,
        /,
        *,
        alpha: None = None,
        method: Literal["exact", "bounds", "sample"] | None = None,
        samples: int = 1000,
        seed: int = 0,
        confidence: float = 0.95,
        budget: int = 1000000000,
        empty_set: Literal["normalise", "max_distance"] = "normalise",
    ) -> Self: ...
    @overload
    def __call__(
        self,
        truth: Any,
        guess: Any,
        /,
        *,
        measure: Measure | str | None = None,
        alpha: float,
        method: Literal["exact", "bounds", "sample"] | None = None,
        samples: int = 1000,
        seed: int = 0,
        confidence: float = 0.95,
        budget: int = 1000000000,
        empty_set: Literal["normalise", "max_distance"] = "normalise",
        **options: Unpack[_Options],
    ) -> float | ScoreRange: ...
    @overload
    def __call__(
        self,
        *,
        measure: Measure | str | None = None,
        alpha: float,
        method: Literal["exact", "bounds", "sample"] | None = None,
        samples: int = 1000,
        seed: int = 0,
        confidence: float = 0.95,
        budget: int = 1000000000,
        empty_set: Literal["normalise", "max_distance"] = "normalise",
    ) -> Measure: ...
    @overload
    def __call__(
        self,
        measure: Measure | str,
        /,
        *,
        alpha: float,
        method: Literal["exact", "bounds", "sample"] | None = None,
        samples: int = 1000,
        seed: int = 0,
        confidence: float = 0.95,
        budget: int = 1000000000,
        empty_set: Literal["normalise", "max_distance"] = "normalise",
    ) -> Measure: ...

transport: _Transport
"""Optimal transport (OT): any measure of partitions, for uncertain clusterings."""

class _VMeasure(Measure):
    @overload
    def __call__(
        self, truth: Any, guess: Any, /, *, alpha: float = 0.5, **options: Unpack[_Options]
    ) -> float:
        """V-measure: harmonic mean of homogeneity and completeness.

        Definition:  V = 1 / (α/h + (1 - α)/c)

        For α = 1/2 it equals nmi.

        Also known as: v_measure_score."""
    @overload
    def __call__(self, *, alpha: float = 0.5) -> Self: ...

v_measure: _VMeasure
"""V-measure: harmonic mean of homogeneity and completeness."""

class _VanDongen(Measure):
    @overload
    def __call__(self, truth: Any, guess: Any, /, **options: Unpack[_Options]) -> float:
        """Van Dongen similarity: mean share of objects in the largest part of their cluster.

        Definition:  N = 1/2 Σ_T max_G |T∩G|/n + 1/2 Σ_G max_T |T∩G|/n

        That is 1 - D / 2n with the Van Dongen (split-join) distance D = 2n - Σ_T max_G |T∩G| -
        Σ_G max_T |T∩G|."""
    @overload
    def __call__(self) -> Self: ...

van_dongen: _VanDongen
"""Van Dongen similarity: mean share of objects in the largest part of their cluster."""

class _ViDistance(Measure):
    @overload
    def __call__(self, truth: Any, guess: Any, /, **options: Unpack[_Options]) -> float:
        """Variation of information (VI): what each side tells that the other does not, in nats.

        Definition:  VI = H(truth | guess) + H(guess | truth)

        Also known as: shared information distance."""
    @overload
    def __call__(self) -> Self: ...

vi_distance: _ViDistance
"""Variation of information (VI): what each side tells that the other does not, in nats."""

class _ViMerge(Measure):
    @overload
    def __call__(
        self,
        truth: Any,
        guess: Any,
        /,
        *,
        unit: Literal["nats", "bits"] = "nats",
        **options: Unpack[_Options],
    ) -> float:
        """Merge part of the variation of information: what guess clusters mix up, in nats.

        Definition:  H(truth | guess) = Σ_TG |T∩G|/n · log(|G| / |T∩G|)

        0 where no guess cluster has objects of two truth clusters. With vi_split it adds up to
        vi_distance. Connectomics and scikit-image report both in bits, unit='bits', which are nats over
        log 2.

        Also known as: VI merge, undersegmentation entropy, conditional entropy of the truth."""
    @overload
    def __call__(self, *, unit: Literal["nats", "bits"] = "nats") -> Self: ...

vi_merge: _ViMerge
"""Merge part of the variation of information: what guess clusters mix up, in nats."""

class _ViSimilarity(Measure):
    @overload
    def __call__(self, truth: Any, guess: Any, /, **options: Unpack[_Options]) -> float:
        """Variation of information on the scale of n objects: similarity 1 - VI / log n.

        Definition:  V = 1 - (H(truth | guess) + H(guess | truth)) / log n"""
    @overload
    def __call__(self) -> Self: ...

vi_similarity: _ViSimilarity
"""Variation of information on the scale of n objects: similarity 1 - VI / log n."""

class _ViSimilarityK(Measure):
    @overload
    def __call__(
        self, truth: Any, guess: Any, /, *, k: int | None = None, **options: Unpack[_Options]
    ) -> float:
        """Variation of information on the scale of k clusters: similarity 1 - VI / log k².

        Definition:  K = 1 - (H(truth | guess) + H(guess | truth)) / log k²

        k bounds the number of clusters; left out, it is the larger of the two numbers. With a smaller
        k the score can be negative."""
    @overload
    def __call__(self, *, k: int | None = None) -> Self: ...

vi_similarity_k: _ViSimilarityK
"""Variation of information on the scale of k clusters: similarity 1 - VI / log k²."""

class _ViSplit(Measure):
    @overload
    def __call__(
        self,
        truth: Any,
        guess: Any,
        /,
        *,
        unit: Literal["nats", "bits"] = "nats",
        **options: Unpack[_Options],
    ) -> float:
        """Split part of the variation of information: how guess cuts truth clusters, in nats.

        Definition:  H(guess | truth) = Σ_TG |T∩G|/n · log(|T| / |T∩G|)

        0 where no truth cluster is split. With vi_merge it adds up to vi_distance. Connectomics and
        scikit-image report both in bits, unit='bits', which are nats over log 2.

        Also known as: VI split, oversegmentation entropy, conditional entropy of the guess."""
    @overload
    def __call__(self, *, unit: Literal["nats", "bits"] = "nats") -> Self: ...

vi_split: _ViSplit
"""Split part of the variation of information: how guess cuts truth clusters, in nats."""

class _WholeShare(Measure):
    @overload
    def __call__(self, truth: Any, guess: Any, /, **options: Unpack[_Options]) -> float:
        """Whole share: share of the truth clusters that lie inside one guess cluster.

        Definition:  R = |{T : T ⊆ G for some G}| / (clusters of truth)

        Also known as: share of whole clusters, share of unsplit clusters."""
    @overload
    def __call__(self) -> Self: ...

whole_share: _WholeShare
"""Whole share: share of the truth clusters that lie inside one guess cluster."""
