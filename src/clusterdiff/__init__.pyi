"""Compare clusterings. Written by `make stub`: names, measures and their parameters."""

from collections.abc import Callable
from typing import Any, Literal, Self, TypedDict, Unpack, overload

from clusterdiff.backends.duckdb import DuckDB as DuckDB
from clusterdiff.backends.spark import Spark as Spark
from clusterdiff.clusterings.base import Clustering as Clustering
from clusterdiff.clusterings.cover import Cover as Cover
from clusterdiff.clusterings.evidential import Evidential as Evidential
from clusterdiff.clusterings.fuzzy import Fuzzy as Fuzzy
from clusterdiff.clusterings.partition import Partition as Partition
from clusterdiff.clusterings.possibilistic import Possibilistic as Possibilistic
from clusterdiff.clusterings.rough import Rough as Rough
from clusterdiff.errors.base import ClusterdiffError as ClusterdiffError
from clusterdiff.errors.warn import ClusterdiffWarning as ClusterdiffWarning
from clusterdiff.inputs.coerce import meet as meet
from clusterdiff.inputs.read import read as read
from clusterdiff.laboratory import axiom as axiom
from clusterdiff.laboratory import axioms as axioms
from clusterdiff.laboratory import check as check
from clusterdiff.laboratory.series import Worsening as Worsening
from clusterdiff.laboratory.series import worsen as worsen
from clusterdiff.laboratory.verdict import Verdict as Verdict
from clusterdiff.measures import measure_named as measure
from clusterdiff.measures import measures as measures
from clusterdiff.measures.core.interval import Interval as Interval
from clusterdiff.measures.core.measure import Measure as Measure
from clusterdiff.meet.cover import CoverMeet as CoverMeet
from clusterdiff.meet.hard import HardMeet as HardMeet
from clusterdiff.meet.soft import SoftMeet as SoftMeet
from clusterdiff.results.catalogue.conditions import Laboratory as Laboratory
from clusterdiff.results.catalogue.conditions import laboratory as laboratory
from clusterdiff.results.compare import compare as compare
from clusterdiff.results.diff.diff import Diff as Diff
from clusterdiff.results.diff.diff import diff as diff
from clusterdiff.results.explain.explain import Explanation as Explanation
from clusterdiff.results.explain.explain import explain as explain
from clusterdiff.results.objects import ObjectScores as ObjectScores
from clusterdiff.results.objects import objects as objects
from clusterdiff.results.page.page import Page as Page
from clusterdiff.results.page.page import page as page
from clusterdiff.results.plots import plots as plot
from clusterdiff.results.report import Report as Report
from clusterdiff.results.score import Score as Score
from clusterdiff.version import __version__ as __version__

__all__ = [
    "ClusterdiffError",
    "ClusterdiffWarning",
    "Clustering",
    "Cover",
    "CoverMeet",
    "Diff",
    "DuckDB",
    "Evidential",
    "Explanation",
    "Fuzzy",
    "HardMeet",
    "Interval",
    "Laboratory",
    "Measure",
    "ObjectScores",
    "Page",
    "Partition",
    "Possibilistic",
    "Report",
    "Rough",
    "Score",
    "SoftMeet",
    "Spark",
    "Verdict",
    "Worsening",
    "__version__",
    "axiom",
    "axioms",
    "check",
    "compare",
    "diff",
    "explain",
    "laboratory",
    "measure",
    "measures",
    "meet",
    "objects",
    "page",
    "plot",
    "read",
    "worsen",
]

class _Options(TypedDict, total=False):
    kind: str | tuple[str, str] | None
    align: str
    noise: Any
    noise_as: str
    features: Any
    engine: Any

class _Accuracy(Measure):
    @overload
    def __call__(self, truth: Any, guess: Any, /, **options: Unpack[_Options]) -> float:
        """Share of the objects that stay right when clusters are matched one to one as well as can be.

        Definition:  A = max over matchings W of Σ W(T,G) |T∩G| / n"""
    @overload
    def __call__(self) -> Self: ...

accuracy: _Accuracy
"""Share of the objects that stay right when clusters are matched one to one as well as can be."""

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
        """Any measure with what chance alone would give taken off: (S - E[S]) / (best - E[S]).

        Definition:  (S - E[S]) / (best - E[S])

        null='permutation' shuffles the guess over the objects, its cluster sizes kept; null='uniform'
        draws the guess from all partitions alike. The expectation is exact if the measure is linear in
        the pairs that are together in both (rand, pair_f, fowlkes_mallows; under 'uniform' rand,
        pair_recall and mirkin_distance) and, for a permutation, if it is a mean over objects of sizes
        alone (bcubed_f, elm_f, element_similarity). Otherwise it is the mean over `samples` draws with
        `seed`, and the score has a standard error. Left out, the measure is elm_f."""
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
"""Any measure with what chance alone would give taken off: (S - E[S]) / (best - E[S])."""

class _AdjustedMutualInformation(Measure):
    @overload
    def __call__(
        self,
        truth: Any,
        guess: Any,
        /,
        *,
        norm: Literal["max", "min", "arithmetic", "geometric"] = "max",
        **options: Unpack[_Options],
    ) -> float:
        """Mutual information with what chance alone would give taken off.

        Definition:  (I - E[I]) / (norm(H(truth), H(guess)) - E[I]),  E over all permutations

        scikit-learn's `adjusted_mutual_info_score` is `norm='arithmetic'`, another number."""
    @overload
    def __call__(
        self, *, norm: Literal["max", "min", "arithmetic", "geometric"] = "max"
    ) -> Self: ...

adjusted_mutual_information: _AdjustedMutualInformation
"""Mutual information with what chance alone would give taken off."""

class _AdjustedRand(Measure):
    @overload
    def __call__(self, truth: Any, guess: Any, /, **options: Unpack[_Options]) -> float:
        """Rand index with what chance alone would give taken off.

        Definition:  (both - E) / ((truth + guess)/2 - E),  E = truth · guess / all

        0 is what random labels of the same sizes get on average; it can be negative."""
    @overload
    def __call__(self) -> Self: ...

adjusted_rand: _AdjustedRand
"""Rand index with what chance alone would give taken off."""

class _BcubedF(Measure):
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
        """Harmonic mean of BCubed precision and recall; never 0, as each object finds itself.

        Definition:  F = 1/n Σ_o F(P(o), R(o)), or F(P, R) with f='means',
                     F(P, R) = 1 / (α/P + (1 - α)/R)

        f='objects' is the mean over objects of their F, f='means' the F of mean precision and
        mean recall, which most other packages call BCubed F."""
    @overload
    def __call__(
        self, *, alpha: float = 0.5, f: Literal["objects", "means"] = "objects"
    ) -> Self: ...

bcubed_f: _BcubedF
"""Harmonic mean of BCubed precision and recall; never 0, as each object finds itself."""

class _BcubedPrecision(Measure):
    @overload
    def __call__(self, truth: Any, guess: Any, /, **options: Unpack[_Options]) -> float:
        """Mean over objects: the share of its guess cluster that belongs with it, itself included.

        Definition:  P = 1/n Σ_o |T(o) ∩ G(o)| / |G(o)|"""
    @overload
    def __call__(self) -> Self: ...

bcubed_precision: _BcubedPrecision
"""Mean over objects: the share of its guess cluster that belongs with it, itself included."""

class _BcubedRecall(Measure):
    @overload
    def __call__(self, truth: Any, guess: Any, /, **options: Unpack[_Options]) -> float:
        """Mean over objects: the share of its truth cluster that guess keeps with it.

        Definition:  R = 1/n Σ_o |T(o) ∩ G(o)| / |T(o)|"""
    @overload
    def __call__(self) -> Self: ...

bcubed_recall: _BcubedRecall
"""Mean over objects: the share of its truth cluster that guess keeps with it."""

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
        """Mean of the F of coreference links and the F of the links between different entities.

        Definition:  F = (F_c + F_n) / 2, F_c of pairs in one cluster, F_n of pairs in two

        Where truth has no links of one sort, the other sort alone counts."""
    @overload
    def __call__(
        self,
        *,
        alpha: float = 0.5,
        f: Literal["objects", "means"] = "means",
        empty: float | None = None,
    ) -> Self: ...

blanc_f: _BlancF
"""Mean of the F of coreference links and the F of the links between different entities."""

class _BlancPrecision(Measure):
    @overload
    def __call__(
        self, truth: Any, guess: Any, /, *, empty: float | None = None, **options: Unpack[_Options]
    ) -> float:
        """Of the links guess asserts, coreferent and not, the share that is right; mean of both.

        Definition:  P = (P_c + P_n) / 2, P_c of pairs in one cluster, P_n of pairs in two"""
    @overload
    def __call__(self, *, empty: float | None = None) -> Self: ...

blanc_precision: _BlancPrecision
"""Of the links guess asserts, coreferent and not, the share that is right; mean of both."""

class _BlancRecall(Measure):
    @overload
    def __call__(
        self, truth: Any, guess: Any, /, *, empty: float | None = None, **options: Unpack[_Options]
    ) -> float:
        """Of the links truth asserts, coreferent and not, the share that guess has; mean of both.

        Definition:  R = (R_c + R_n) / 2, R_c of pairs in one cluster, R_n of pairs in two"""
    @overload
    def __call__(self, *, empty: float | None = None) -> Self: ...

blanc_recall: _BlancRecall
"""Of the links truth asserts, coreferent and not, the share that guess has; mean of both."""

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
        """Harmonic mean of CEAF-e precision and recall; each cluster counts alike, small or large.

        Definition:  F = 1 / (α/P + (1 - α)/R)"""
    @overload
    def __call__(
        self,
        *,
        alpha: float = 0.5,
        f: Literal["objects", "means"] = "means",
        empty: float | None = None,
    ) -> Self: ...

ceaf_e_f: _CeafEF
"""Harmonic mean of CEAF-e precision and recall; each cluster counts alike, small or large."""

class _CeafEPrecision(Measure):
    @overload
    def __call__(
        self, truth: Any, guess: Any, /, *, empty: float | None = None, **options: Unpack[_Options]
    ) -> float:
        """Mean over guess clusters of how like (by F) the truth cluster matched with it is.

        Definition:  P = max over matchings W of Σ W(T,G) · 2|T∩G| / (|T| + |G|), over the number of G"""
    @overload
    def __call__(self, *, empty: float | None = None) -> Self: ...

ceaf_e_precision: _CeafEPrecision
"""Mean over guess clusters of how like (by F) the truth cluster matched with it is."""

class _CeafERecall(Measure):
    @overload
    def __call__(
        self, truth: Any, guess: Any, /, *, empty: float | None = None, **options: Unpack[_Options]
    ) -> float:
        """Mean over truth clusters of how like (by F) the guess cluster matched with it is.

        Definition:  R = max over matchings W of Σ W(T,G) · 2|T∩G| / (|T| + |G|), over the number of T"""
    @overload
    def __call__(self, *, empty: float | None = None) -> Self: ...

ceaf_e_recall: _CeafERecall
"""Mean over truth clusters of how like (by F) the guess cluster matched with it is."""

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
        """Harmonic mean of CEAF-m precision and recall; the accuracy where objects are the same.

        Definition:  F = 1 / (α/P + (1 - α)/R)"""
    @overload
    def __call__(
        self,
        *,
        alpha: float = 0.5,
        f: Literal["objects", "means"] = "means",
        empty: float | None = None,
    ) -> Self: ...

ceaf_m_f: _CeafMF
"""Harmonic mean of CEAF-m precision and recall; the accuracy where objects are the same."""

class _CeafMPrecision(Measure):
    @overload
    def __call__(
        self, truth: Any, guess: Any, /, *, empty: float | None = None, **options: Unpack[_Options]
    ) -> float:
        """Share of the guess's objects that a best one-to-one matching of clusters keeps right.

        Definition:  P = max over matchings W of Σ W(T,G) |T∩G| / Σ_G |G|"""
    @overload
    def __call__(self, *, empty: float | None = None) -> Self: ...

ceaf_m_precision: _CeafMPrecision
"""Share of the guess's objects that a best one-to-one matching of clusters keeps right."""

class _CeafMRecall(Measure):
    @overload
    def __call__(
        self, truth: Any, guess: Any, /, *, empty: float | None = None, **options: Unpack[_Options]
    ) -> float:
        """Share of the truth's objects that a best one-to-one matching of clusters keeps right.

        Definition:  R = max over matchings W of Σ W(T,G) |T∩G| / Σ_T |T|"""
    @overload
    def __call__(self, *, empty: float | None = None) -> Self: ...

ceaf_m_recall: _CeafMRecall
"""Share of the truth's objects that a best one-to-one matching of clusters keeps right."""

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
        """Harmonic mean of CICE-BCubed precision and recall; 1 only where the clusters are the same.

        Definition:  F = 1 / (α/P + (1 - α)/R)

        Holds for sets of distinct clusters: if a clustering may hold a cluster twice, others can
        score 1 too. Homogeneity and rag bag, which BCubed satisfies, fail for it."""
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
"""Harmonic mean of CICE-BCubed precision and recall; 1 only where the clusters are the same."""

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
        """Extended BCubed precision, each pair weighed by how like a truth cluster its clusters are.

        Definition:  the term of o' is multiplied by Φ(o, o') = mean over the guess clusters G of both
                     of max sim(T, G) over all truth clusters T (match='pair': those with o and o')

        `similarity` is jaccard, rand (the share of objects in both or in neither), f, or a function
        of (objects in both, size, other size, all objects) that takes arrays, with values in 0 to 1."""
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
"""Extended BCubed precision, each pair weighed by how like a truth cluster its clusters are."""

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
        """Extended BCubed recall, each pair weighed by how like a guess cluster its clusters are.

        Definition:  cice_precision with truth and guess exchanged"""
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
"""Extended BCubed recall, each pair weighed by how like a guess cluster its clusters are."""

class _Completeness(Measure):
    @overload
    def __call__(self, truth: Any, guess: Any, /, **options: Unpack[_Options]) -> float:
        """1 - H(guess | truth) / H(guess): how whole the truth clusters stay.

        Definition:  c = 1 - H(guess | truth) / H(guess)"""
    @overload
    def __call__(self) -> Self: ...

completeness: _Completeness
"""1 - H(guess | truth) / H(guess): how whole the truth clusters stay."""

class _Conll(Measure):
    @overload
    def __call__(
        self, truth: Any, guess: Any, /, *, empty: float | None = None, **options: Unpack[_Options]
    ) -> float:
        """Mean of the F of MUC, BCubed (of the means) and CEAF-e, as in the CoNLL-2012 task.

        Definition:  (muc_f + bcubed_f(f='means') + ceaf_e_f) / 3"""
    @overload
    def __call__(self, *, empty: float | None = None) -> Self: ...

conll: _Conll
"""Mean of the F of MUC, BCubed (of the means) and CEAF-e, as in the CoNLL-2012 task."""

class _CoverF1(Measure):
    @overload
    def __call__(self, truth: Any, guess: Any, /, **options: Unpack[_Options]) -> float:
        """Mean over the clusters of both sides, side by side, of the F with the best matching one.

        Definition:  1/2 mean_T max_G F(T,G) + 1/2 mean_G max_T F(T,G), F(T,G) = 2|T∩G| / (|T| + |G|)"""
    @overload
    def __call__(self) -> Self: ...

cover_f1: _CoverF1
"""Mean over the clusters of both sides, side by side, of the F with the best matching one."""

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
        """Mean over objects: how alike random walks inside its truth and its guess clusters are.

        Definition:  S(o) = 1 - 1/(2α) Σ_j |p_oj - q_oj| with the walks' shares p, q of each object;
        for partitions this is |T∩G| / max(|T|, |G|), whatever the damping α.

        In a cover the walk takes one of the object's clusters, then one of that cluster's objects, and
        returns to its start with probability 1 - α; from an object in no cluster it goes nowhere, which
        a walk from an object alone in its cluster cannot be told from. Of partitions only identical
        ones score 1.
        Every object is compared with all that hang together with it: where these are more than 10⁹
        pairs, `sample` objects drawn with `seed` stand for all, with a standard error."""
    @overload
    def __call__(
        self, *, damping: float = 0.9, sample: int | None = None, seed: int = 0
    ) -> Self: ...

element_similarity: _ElementSimilarity
"""Mean over objects: how alike random walks inside its truth and its guess clusters are."""

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
        """How well each object finds the others like it; BCubed F without the object itself.

        Definition:  F = 1/n Σ_o F(P(o), R(o)), or F(P, R) with f='means',
                     F(P, R) = 1 / (α/P + (1 - α)/R), and 0 if P = 0 or R = 0

        0 for the two extremes, all in one cluster and each alone, where truth is the other one."""
    @overload
    def __call__(
        self, *, alpha: float = 0.5, f: Literal["objects", "means"] = "objects"
    ) -> Self: ...

elm_f: _ElmF
"""How well each object finds the others like it; BCubed F without the object itself."""

class _ElmPrecision(Measure):
    @overload
    def __call__(self, truth: Any, guess: Any, /, **options: Unpack[_Options]) -> float:
        r"""Mean over objects: the share of the others in its guess cluster that belong with it.

        Definition:  P(o) = |T(o) ∩ G(o) \ {o}| / |G(o) \ {o}|, and 1 if G(o) = {o}"""
    @overload
    def __call__(self) -> Self: ...

elm_precision: _ElmPrecision
"""Mean over objects: the share of the others in its guess cluster that belong with it."""

class _ElmRecall(Measure):
    @overload
    def __call__(self, truth: Any, guess: Any, /, **options: Unpack[_Options]) -> float:
        r"""Mean over objects: the share of the others in its truth cluster that guess keeps with it.

        Definition:  R(o) = |T(o) ∩ G(o) \ {o}| / |T(o) \ {o}|, and 1 if T(o) = {o}"""
    @overload
    def __call__(self) -> Self: ...

elm_recall: _ElmRecall
"""Mean over objects: the share of the others in its truth cluster that guess keeps with it."""

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
        """Harmonic mean of exact precision and recall; f='objects' is the share of objects in them.

        Definition:  F = 1 / (α/P + (1 - α)/R)"""
    @overload
    def __call__(self, *, alpha: float = 0.5, f: Literal["objects", "means"] = "means") -> Self: ...

exact_f: _ExactF
"""Harmonic mean of exact precision and recall; f='objects' is the share of objects in them."""

class _ExactPrecision(Measure):
    @overload
    def __call__(self, truth: Any, guess: Any, /, **options: Unpack[_Options]) -> float:
        """Share of the guess clusters that are truth clusters, to the last object.

        Definition:  P = (clusters that both have) / (clusters of guess)"""
    @overload
    def __call__(self) -> Self: ...

exact_precision: _ExactPrecision
"""Share of the guess clusters that are truth clusters, to the last object."""

class _ExactRecall(Measure):
    @overload
    def __call__(self, truth: Any, guess: Any, /, **options: Unpack[_Options]) -> float:
        """Share of the truth clusters that guess has, to the last object.

        Definition:  R = (clusters that both have) / (clusters of truth)"""
    @overload
    def __call__(self) -> Self: ...

exact_recall: _ExactRecall
"""Share of the truth clusters that guess has, to the last object."""

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
        """Harmonic mean of Extended BCubed precision and recall; different covers can score 1.

        Definition:  F = 1 / (α/P + (1 - α)/R)

        It counts in how many clusters two objects are together, not in which."""
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
"""Harmonic mean of Extended BCubed precision and recall; different covers can score 1."""

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
        """Mean over objects: how far those in its guess clusters share as many truth clusters with it.

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
"""Mean over objects: how far those in its guess clusters share as many truth clusters with it."""

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
        """Mean over objects: how far guess keeps the truth clusters it shares with others.

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
"""Mean over objects: how far guess keeps the truth clusters it shares with others."""

class _FowlkesMallows(Measure):
    @overload
    def __call__(self, truth: Any, guess: Any, /, **options: Unpack[_Options]) -> float:
        """Geometric mean of pair precision and pair recall.

        Definition:  √(both/guess · both/truth), pairs of objects that share a cluster"""
    @overload
    def __call__(self) -> Self: ...

fowlkes_mallows: _FowlkesMallows
"""Geometric mean of pair precision and pair recall."""

class _Homogeneity(Measure):
    @overload
    def __call__(self, truth: Any, guess: Any, /, **options: Unpack[_Options]) -> float:
        """1 - H(truth | guess) / H(truth): how pure the guess clusters are.

        Definition:  h = 1 - H(truth | guess) / H(truth)"""
    @overload
    def __call__(self) -> Self: ...

homogeneity: _Homogeneity
"""1 - H(truth | guess) / H(truth): how pure the guess clusters are."""

class _InversePurity(Measure):
    @overload
    def __call__(self, truth: Any, guess: Any, /, **options: Unpack[_Options]) -> float:
        """Share of objects in the guess cluster that holds most of their truth cluster.

        Definition:  R = 1/n Σ_T max_G |T∩G|"""
    @overload
    def __call__(self) -> Self: ...

inverse_purity: _InversePurity
"""Share of objects in the guess cluster that holds most of their truth cluster."""

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
        """Harmonic mean of LEA precision and recall.

        Definition:  F = 1 / (α/P + (1 - α)/R)"""
    @overload
    def __call__(self, *, alpha: float = 0.5, f: Literal["objects", "means"] = "means") -> Self: ...

lea_f: _LeaF
"""Harmonic mean of LEA precision and recall."""

class _LeaPrecision(Measure):
    @overload
    def __call__(self, truth: Any, guess: Any, /, **options: Unpack[_Options]) -> float:
        """Mean over guess clusters, by size, of the share of their links that truth has.

        Definition:  P = Σ_G |G|/n · Σ_T link(T∩G) / link(G), link(A) = |A|(|A| - 1)/2; a G of one
                     object counts as found if it is a T"""
    @overload
    def __call__(self) -> Self: ...

lea_precision: _LeaPrecision
"""Mean over guess clusters, by size, of the share of their links that truth has."""

class _LeaRecall(Measure):
    @overload
    def __call__(self, truth: Any, guess: Any, /, **options: Unpack[_Options]) -> float:
        """Mean over truth clusters, by size, of the share of their links that guess resolves.

        Definition:  R = Σ_T |T|/n · Σ_G link(T∩G) / link(T), link(A) = |A|(|A| - 1)/2; a T of one
                     object counts as found if it is a G"""
    @overload
    def __call__(self) -> Self: ...

lea_recall: _LeaRecall
"""Mean over truth clusters, by size, of the share of their links that guess resolves."""

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
        """How many ordered pairs of objects truth and guess treat differently.

        Definition:  Σ|T|² + Σ|G|² - 2 Σ|T∩G|²;  scale='n2' divides by n²."""
    @overload
    def __call__(self, *, scale: Literal["count", "n2"] = "count") -> Self: ...

mirkin_distance: _MirkinDistance
"""How many ordered pairs of objects truth and guess treat differently."""

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
        """Harmonic mean of MUC precision and recall; blind to objects that are alone in both.

        Definition:  F = 1 / (α/P + (1 - α)/R)"""
    @overload
    def __call__(
        self,
        *,
        alpha: float = 0.5,
        f: Literal["objects", "means"] = "means",
        empty: float | None = None,
    ) -> Self: ...

muc_f: _MucF
"""Harmonic mean of MUC precision and recall; blind to objects that are alone in both."""

class _MucPrecision(Measure):
    @overload
    def __call__(
        self, truth: Any, guess: Any, /, *, empty: float | None = None, **options: Unpack[_Options]
    ) -> float:
        """Share of the links needed to build the guess clusters that truth has too.

        Definition:  P = Σ_G (|G| - parts of G in truth) / Σ_G (|G| - 1)"""
    @overload
    def __call__(self, *, empty: float | None = None) -> Self: ...

muc_precision: _MucPrecision
"""Share of the links needed to build the guess clusters that truth has too."""

class _MucRecall(Measure):
    @overload
    def __call__(
        self, truth: Any, guess: Any, /, *, empty: float | None = None, **options: Unpack[_Options]
    ) -> float:
        """Share of the links needed to build the truth clusters that guess has too.

        Definition:  R = Σ_T (|T| - parts of T in guess) / Σ_T (|T| - 1)"""
    @overload
    def __call__(self, *, empty: float | None = None) -> Self: ...

muc_recall: _MucRecall
"""Share of the links needed to build the truth clusters that guess has too."""

class _MutualInformation(Measure):
    @overload
    def __call__(self, truth: Any, guess: Any, /, **options: Unpack[_Options]) -> float:
        """What knowing the guess tells about the truth, in nats.

        Definition:  I = Σ_TG |T∩G|/n · log(n |T∩G| / (|T| |G|))"""
    @overload
    def __call__(self) -> Self: ...

mutual_information: _MutualInformation
"""What knowing the guess tells about the truth, in nats."""

class _Nmi(Measure):
    @overload
    def __call__(
        self,
        truth: Any,
        guess: Any,
        /,
        *,
        norm: Literal["max", "min", "arithmetic", "geometric", "joint"] = "max",
        **options: Unpack[_Options],
    ) -> float:
        """Mutual information as a share of the larger entropy (or of another mean of the two).

        Definition:  I / max(H(truth), H(guess)); norm='joint' divides by H(truth, guess)

        0 where only one of the two is a single cluster; 1 where both are.

        scikit-learn's `normalized_mutual_info_score` is `norm='arithmetic'`, another number."""
    @overload
    def __call__(
        self, *, norm: Literal["max", "min", "arithmetic", "geometric", "joint"] = "max"
    ) -> Self: ...

nmi: _Nmi
"""Mutual information as a share of the larger entropy (or of another mean of the two)."""

class _Omega(Measure):
    @overload
    def __call__(self, truth: Any, guess: Any, /, **options: Unpack[_Options]) -> float:
        """Share of pairs of objects in equally many clusters on both sides, with chance taken off.

        Definition:  (observed - expected) / (1 - expected), observed = share of pairs with t = g,
                     expected = Σ_j share of pairs with t = j · share of pairs with g = j"""
    @overload
    def __call__(self) -> Self: ...

omega: _Omega
"""Share of pairs of objects in equally many clusters on both sides, with chance taken off."""

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
        """What the clusters of one side tell about the best matching ones of the other, normalised.

        Definition:  (Σ_T (H(T) - H(T | guess)) + Σ_G (H(G) - H(G | truth))) / 2 max(Σ_T H(T), Σ_G
                     H(G)), where H(T | guess) = min_G H(T | G)

        Each cluster is a yes-or-no variable; its entropy given the other side is that given the best
        single cluster there, if that one tells more by agreeing than by differing.
        variant='max' divides the information by the larger total entropy (McDaid, Greene and Hurley
        2011); 'lfk' takes the mean of the clusters' quotients (Lancichinetti, Fortunato and
        Kertész 2009)."""
    @overload
    def __call__(self, *, variant: Literal["max", "lfk"] = "max") -> Self: ...

onmi: _Onmi
"""What the clusters of one side tell about the best matching ones of the other, normalised."""

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
        """Harmonic mean of pair precision and pair recall.

        Definition:  F = 1 / (α/P + (1 - α)/R), for α = 1/2 that is 2 both / (truth + guess)

        With f='objects', the mean over objects of the F of the pairs an object is in, this is elm_f."""
    @overload
    def __call__(self, *, alpha: float = 0.5, f: Literal["objects", "means"] = "means") -> Self: ...

pair_f: _PairF
"""Harmonic mean of pair precision and pair recall."""

class _PairJaccard(Measure):
    @overload
    def __call__(self, truth: Any, guess: Any, /, **options: Unpack[_Options]) -> float:
        """Of the pairs that truth or guess puts together, the share that both do.

        Definition:  both / (truth + guess - both), pairs of objects that share a cluster"""
    @overload
    def __call__(self) -> Self: ...

pair_jaccard: _PairJaccard
"""Of the pairs that truth or guess puts together, the share that both do."""

class _PairPrecision(Measure):
    @overload
    def __call__(self, truth: Any, guess: Any, /, **options: Unpack[_Options]) -> float:
        """Share of the pairs that guess puts together that belong together.

        Definition:  P = both / guess, pairs of objects that share a cluster"""
    @overload
    def __call__(self) -> Self: ...

pair_precision: _PairPrecision
"""Share of the pairs that guess puts together that belong together."""

class _PairRecall(Measure):
    @overload
    def __call__(self, truth: Any, guess: Any, /, **options: Unpack[_Options]) -> float:
        """Share of the pairs that belong together that guess puts together.

        Definition:  R = both / truth, pairs of objects that share a cluster"""
    @overload
    def __call__(self) -> Self: ...

pair_recall: _PairRecall
"""Share of the pairs that belong together that guess puts together."""

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
        """Objects that must move to turn one partition into the other, as a share of n - 1.

        Definition:  d_π = (n - max over matchings W of Σ W(T,G) |T∩G|) / (n - 1)

        over='n' divides by n, as some printed examples do."""
    @overload
    def __call__(self, *, over: Literal["n-1", "n"] = "n-1") -> Self: ...

partition_distance: _PartitionDistance
"""Objects that must move to turn one partition into the other, as a share of n - 1."""

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
    ) -> Interval:
        """Partition distance of uncertain clusterings: one matching of clusters, what is unknown moved.

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
"""Partition distance of uncertain clusterings: one matching of clusters, what is unknown moved."""

class _Purity(Measure):
    @overload
    def __call__(self, truth: Any, guess: Any, /, **options: Unpack[_Options]) -> float:
        """Share of objects that belong to the truth cluster most of their guess cluster belongs to.

        Definition:  P = 1/n Σ_G max_T |T∩G|"""
    @overload
    def __call__(self) -> Self: ...

purity: _Purity
"""Share of objects that belong to the truth cluster most of their guess cluster belongs to."""

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
        """Harmonic mean of purity and inverse purity.

        Definition:  F = 1 / (α/P + (1 - α)/R)"""
    @overload
    def __call__(self, *, alpha: float = 0.5, f: Literal["objects", "means"] = "means") -> Self: ...

purity_f: _PurityF
"""Harmonic mean of purity and inverse purity."""

class _Rand(Measure):
    @overload
    def __call__(self, truth: Any, guess: Any, /, **options: Unpack[_Options]) -> float:
        """Share of all pairs of objects that both put together or both keep apart.

        Definition:  (all - truth - guess + 2 both) / all, pairs of objects that share a cluster"""
    @overload
    def __call__(self) -> Self: ...

rand: _Rand
"""Share of all pairs of objects that both put together or both keep apart."""

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
    ) -> Interval:
        """Rand index of uncertain clusterings: the share of pairs of which both know the same.

        Definition:  1 - mean over pairs of r_alpha, the least cost of turning what truth knows of a
        pair (together, apart, unknown) into what guess knows, where unknown is alpha from the others

        Without alpha, the interval from alpha = 1 to alpha = 0. pairs='all' counts all n² pairs, each
        object with itself as agreeing, as the printed examples do. Against a hard clustering it is
        linear in the objects."""
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
"""Rand index of uncertain clusterings: the share of pairs of which both know the same."""

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
        """Rand index of the table of degrees: products of degrees stand for shared objects.

        Definition:  rand of the table n · XᵀY / ΣXᵀY, X and Y the degrees of truth and guess

        Linear in the objects. It can be negative, and a clustering need not have 1 with itself."""
    @overload
    def __call__(self, *, pairs: Literal["distinct", "all"] = "distinct") -> Self: ...

rand_anderson: _RandAnderson
"""Rand index of the table of degrees: products of degrees stand for shared objects."""

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
        """Rand index by the distance of beliefs: unknown counts as half right.

        Definition:  1 - mean over pairs of half the differences of belief in together, in apart and in
                     either

        Without mass on the empty set this is rand_alpha(alpha=0.5)."""
    @overload
    def __call__(self, *, pairs: Literal["distinct", "all"] = "distinct") -> Self: ...

rand_belief: _RandBelief
"""Rand index by the distance of beliefs: unknown counts as half right."""

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
        """Rand index of degrees by the cosine of the rows of two objects.

        Definition:  1 - mean over pairs of |cos(truth rows) - cos(guess rows)|"""
    @overload
    def __call__(self, *, pairs: Literal["distinct", "all"] = "distinct") -> Self: ...

rand_brouwer: _RandBrouwer
"""Rand index of degrees by the cosine of the rows of two objects."""

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
        """Rand index of degrees: "together" and "apart" of a pair are degrees themselves.

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
"""Rand index of degrees: "together" and "apart" of a pair are degrees themselves."""

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
        """One less the mean conflict of what is known of pairs: unknown is never wrong.

        Definition:  1 - mean over pairs of the mass on relations that exclude each other

        A clustering conflicts with itself as soon as chances are spread over several clusters, so it
        need not have 1 with itself."""
    @overload
    def __call__(self, *, pairs: Literal["distinct", "all"] = "distinct") -> Self: ...

rand_conflict: _RandConflict
"""One less the mean conflict of what is known of pairs: unknown is never wrong."""

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
        """Rand index of chances: together and apart as products, summed.

        Definition:  mean over pairs of p q + (1 - p)(1 - q), p = Σ_k x_k y_k in truth, q in guess,
                     where rows sum to one

        Against a hard clustering this is the expected Rand index, which is rand_alpha. A clustering
        need not have 1 with itself."""
    @overload
    def __call__(self, *, pairs: Literal["distinct", "all"] = "distinct") -> Self: ...

rand_frigui: _RandFrigui
"""Rand index of chances: together and apart as products, summed."""

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
        """Rand index of degrees: one less how much the distances of pairs of objects differ.

        Definition:  1 - mean over pairs of |d(truth row, truth row) - d(guess row, guess row)|

        distance='half_l1' is half the sum of differences (at most 1), 'max' the largest difference,
        'cosine' one less the cosine, which is rand_brouwer."""
    @overload
    def __call__(
        self,
        *,
        distance: Literal["half_l1", "max", "cosine"] = "half_l1",
        pairs: Literal["distinct", "all"] = "distinct",
    ) -> Self: ...

rand_hullermeier: _RandHullermeier
"""Rand index of degrees: one less how much the distances of pairs of objects differ."""

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
        """Rand index by Jousselme's distance: unknown costs more than an even chance.

        Definition:  1 - mean over pairs of √((m - m')ᵀ J (m - m') / 2), m and m' what truth and guess
                     know, J the Jaccard indices of {together}, {apart}, unknown and impossible"""
    @overload
    def __call__(self, *, pairs: Literal["distinct", "all"] = "distinct") -> Self: ...

rand_jousselme: _RandJousselme
"""Rand index by Jousselme's distance: unknown costs more than an even chance."""

class _SoftMutualInformation(Measure):
    @overload
    def __call__(
        self, truth: Any, guess: Any, /, *, budget: int = 1000000000, **options: Unpack[_Options]
    ) -> Interval:
        """Mutual information of rough clusterings, in nats: from the least to the greatest.

        Definition:  min and max of I(C, C') over hard C that truth allows and C' that guess allows

        The ends are taken over all pairs of hard clusterings that the two allow. Against a hard
        clustering this is a programme over column totals, between two rough ones all pairs are tried,
        up to `budget` steps of work."""
    @overload
    def __call__(self, *, budget: int = 1000000000) -> Self: ...

soft_mutual_information: _SoftMutualInformation
"""Mutual information of rough clusterings, in nats: from the least to the greatest."""

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
        """Mean over objects of how whole its truth cluster and its guess cluster are.

        Definition:  S* = Σ_TG |T∩G|/n · s(G|T) · s(T|G), or S' = Σ_TG |T∩G|/n · (s(G|T) + s(T|G))/2
                     with combine='mean'

        s says how whole a cluster stays when the other clustering cuts it into parts: by entropy
        (S_H, with s = 1 - H(parts)/log size), by the mean squared error of features within the
        parts, or by any function of the sorted sizes of the parts. A cluster of one object cannot
        be split and counts as whole."""
    @overload
    def __call__(
        self,
        *,
        similarity: Literal["entropy", "mse"] | Callable[..., Any] = "entropy",
        combine: Literal["product", "mean"] = "product",
    ) -> Self: ...

split_merge: _SplitMerge
"""Mean over objects of how whole its truth cluster and its guess cluster are."""

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
        **options: Unpack[_Options],
    ) -> Interval:
        """Any distance or similarity of partitions, for uncertain clusterings of every kind.

        Definition:  an uncertain clustering is a law over rough ones, a rough one a set of hard ones.
        Two rough ones are d₀ apart (their nearest members) if what is unknown is accepted, d₁ apart
        (the Hausdorff distance) if it is an error; d_alpha lies between. The law of one side is
        carried to that of the other at the least mean cost.

        Without alpha, the interval of both ends; with it, one number. method='exact' is polynomial
        where there is a way, otherwise it tries all that is possible, up to `budget` steps of work;
        'bounds' takes inequalities that are proved, 'sample' estimates from `samples` draws, each
        solved within its share of the budget or bounded, with limits at `confidence`. Left out: exact
        within the budget, otherwise bounds. Left out, the measure is rand."""
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
        **options: Unpack[_Options],
    ) -> float | Interval: ...
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
    ) -> Measure: ...

transport: _Transport
"""Any distance or similarity of partitions, for uncertain clusterings of every kind."""

class _VMeasure(Measure):
    @overload
    def __call__(
        self, truth: Any, guess: Any, /, *, alpha: float = 0.5, **options: Unpack[_Options]
    ) -> float:
        """Harmonic mean of homogeneity and completeness.

        Definition:  V = 1 / (α/h + (1 - α)/c)"""
    @overload
    def __call__(self, *, alpha: float = 0.5) -> Self: ...

v_measure: _VMeasure
"""Harmonic mean of homogeneity and completeness."""

class _VanDongen(Measure):
    @overload
    def __call__(self, truth: Any, guess: Any, /, **options: Unpack[_Options]) -> float:
        """Share of objects in the largest part of their cluster, the mean of both directions.

        Definition:  N = 1/2 Σ_T max_G |T∩G|/n + 1/2 Σ_G max_T |T∩G|/n"""
    @overload
    def __call__(self) -> Self: ...

van_dongen: _VanDongen
"""Share of objects in the largest part of their cluster, the mean of both directions."""

class _ViDistance(Measure):
    @overload
    def __call__(self, truth: Any, guess: Any, /, **options: Unpack[_Options]) -> float:
        """Variation of information: what truth and guess each tell that the other does not, in nats.

        Definition:  VI = H(truth | guess) + H(guess | truth)"""
    @overload
    def __call__(self) -> Self: ...

vi_distance: _ViDistance
"""Variation of information: what truth and guess each tell that the other does not, in nats."""

class _ViSimilarity(Measure):
    @overload
    def __call__(self, truth: Any, guess: Any, /, **options: Unpack[_Options]) -> float:
        """1 - VI / log n: how little separates truth and guess, on the scale of n objects.

        Definition:  V = 1 - (H(truth | guess) + H(guess | truth)) / log n"""
    @overload
    def __call__(self) -> Self: ...

vi_similarity: _ViSimilarity
"""1 - VI / log n: how little separates truth and guess, on the scale of n objects."""

class _ViSimilarityK(Measure):
    @overload
    def __call__(
        self, truth: Any, guess: Any, /, *, k: int | None = None, **options: Unpack[_Options]
    ) -> float:
        """1 - VI / log k²: the same on a scale that does not depend on the number of objects.

        Definition:  K = 1 - (H(truth | guess) + H(guess | truth)) / log k²

        k bounds the number of clusters; left out, it is the larger of the two numbers. With a smaller
        k the score can be negative."""
    @overload
    def __call__(self, *, k: int | None = None) -> Self: ...

vi_similarity_k: _ViSimilarityK
"""1 - VI / log k²: the same on a scale that does not depend on the number of objects."""
