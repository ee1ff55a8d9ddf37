"""Measures: pure functions of a meet. They know no file format and no engine."""

from importlib import import_module

from clusterdiff.measures.base import Claims, Measure, installed, lookup
from clusterdiff.measures.compat import convention_named
from clusterdiff.measures.language import Functions, parse, parse_all, unsigned

FILES = (
    "bcubed",
    "splitmerge",
    "pairs",
    "matching",
    "segmentation",
    "information",
    "information_reduced",
    "elements",
    "overlapping",
    "diarization",
    "fuzzy",
    "evidential",
    "transport",
    "coreference",
    "chance",
)
"""Where the measures are, in the order of the catalogue; importing a file registers them."""

for _file in FILES:
    import_module(f"clusterdiff.measures.{_file}")

FAMILIES = tuple(dict.fromkeys(file.partition("_")[0] for file in FILES))

DEFAULT = (
    "elm_precision",
    "elm_recall",
    "elm_f",
    "bcubed_precision",
    "bcubed_recall",
    "bcubed_f",
    "split_merge",
    "pair_precision",
    "pair_recall",
    "pair_f",
    "adjusted_rand",
    "nmi",
    "vi_distance",
    "exact_f",
)
"""What `compare` gives when nothing is asked: one pass over the objects, no matching."""

DEFAULT_PENALISED = (
    "muc_f",
    "bcubed_f",
    "ceaf_e_f",
    "conll",
    "ceaf_m_f",
    "lea_f",
    "blanc_f",
    "elm_precision",
    "elm_recall",
    "elm_f",
)
"""What it gives under align='penalise': measures with precision and recall, others mean nothing."""


DEFAULT_OVERLAPPING = (
    "extended_bcubed_precision",
    "extended_bcubed_recall",
    "extended_bcubed_f",
    "cice_precision",
    "cice_recall",
    "cice_f",
    "omega",
    "onmi",
    "cover_f1",
)
"""What it gives for covers."""


DEFAULT_SPEECH = (
    "diarization_error_rate",
    "diarization_error_rate(part='missed')",
    "diarization_error_rate(part='false alarm')",
    "diarization_error_rate(part='confusion')",
    "jaccard_error_rate",
    "cover_purity",
    "cover_coverage",
    "extended_bcubed_f",
)
"""What it gives for speech."""


DEFAULT_SOFT = (
    "transport(rand)",
    "transport(partition_distance)",
    "rand_alpha",
    "partition_distance_alpha",
    "rand_belief",
)
"""What it gives for uncertain clusterings."""


def default_measures(align: str, overlap: bool = False, soft: bool = False) -> tuple[str, ...]:
    """What `compare` gives under an alignment policy when nothing is asked."""
    if soft:
        return DEFAULT_SOFT
    if overlap:
        return DEFAULT_OVERLAPPING[:6] if align == "penalise" else DEFAULT_OVERLAPPING
    return DEFAULT_PENALISED if align == "penalise" else DEFAULT


def measures() -> list[Measure]:
    """All measures, family by family; those that other packages add come last."""
    order = {family: number for number, family in enumerate(FAMILIES)}
    return sorted(installed().values(), key=lambda m: order.get(m.family, len(order)))


def families() -> list[str]:
    """The families of all measures."""
    return list(dict.fromkeys(m.family for m in measures()))


def measure_named(
    text: str | Measure, functions: Functions = None, *, compat: str | None = None
) -> Measure:
    """A measure from its name, with parameters if wanted: `bcubed_f(alpha=0.2)`.

    A text is never run: of a function as a parameter, give the function itself. compat="sklearn"
    makes it that of scikit-learn; other packages are those of `cd.compare`. The signature of a
    score, as `Score.sign` writes it, gives the measure of that score.

    >>> measure_named("NMI"), measure_named("Fowlkes-Mallows index", compat="sklearn")
    (nmi, fowlkes_mallows(empty=0))
    """
    text, signed = unsigned(text)
    found = text if isinstance(text, Measure) else parse(text, functions)
    return convention_named(compat or signed).measure(found)


def measures_named(text: str | Measure, functions: Functions = None) -> list[Measure]:
    """The measures of a text, which may hold several with commas between them."""
    plain = isinstance(text, str) and unsigned(text)[0] == text
    return parse_all(text, functions) if plain else [measure_named(text, functions)]  # type: ignore[arg-type]


__all__ = [
    "Claims",
    "Measure",
    "default_measures",
    "families",
    "lookup",
    "measure_named",
    "measures",
    "measures_named",
]
