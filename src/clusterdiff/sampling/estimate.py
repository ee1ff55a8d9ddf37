"""Estimating: scores of a whole guess from a sample of truth clusters."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Container, Iterable, Mapping
from typing import TYPE_CHECKING, Any
from warnings import catch_warnings, simplefilter

import numpy as np

from clusterdiff.clusterings import Clustering, Partition
from clusterdiff.compare.compare import measures_by_text
from clusterdiff.contingency import Alignment, Policy
from clusterdiff.engines.alignment import Fate, plan_of
from clusterdiff.errors import (
    AlignmentError,
    ClusterdiffError,
    ClusterdiffWarning,
    MissingColumn,
    NoColumns,
    did_you_mean,
    examples,
    shown,
    warn,
    with_article,
)
from clusterdiff.io import Workshop, side
from clusterdiff.io.arguments import settle_indexes
from clusterdiff.io.sides import guesses_of
from clusterdiff.measures import Measure, default_measures
from clusterdiff.output.describe import count
from clusterdiff.output.score import DIGITS, Score
from clusterdiff.sampling.estimators import (
    DESIGNS,
    OTHERS,
    Sampled,
    SampledTogether,
    SampledUnits,
    Sheet,
    Touched,
    is_asked,
    resolved,
    touched,
    with_others,
)
from clusterdiff.sampling.sample_report import SampleReport
from clusterdiff.statistics.confidence import Confidence, level_of

if TYPE_CHECKING:
    from clusterdiff.array_types import Bools
    from clusterdiff.clusterings import AnyClustering
    from clusterdiff.io.sides import GivenSide

HITS = "hits"
"""The column that says how often a record was drawn, where nothing else is said."""


def estimate(
    sample: Any,
    guess: Any,
    measures: Iterable[str | Measure] | str | Measure | None = None,
    *,
    design: str | Mapping[Any, float] | None = None,
    hits: Any = None,
    population: int | None = None,
    out_of: int | None = None,
    align: str = "exact",
    noise: Any = None,
    noise_as: str = "singletons",
    confidence: float = 0.95,
    method: str = "jackknife",
    seed: int = 0,
    engine: Any = None,
) -> SampleReport:
    """Scores of whole guesses, estimated from a sample of the truth.

    >>> whole = {record: record // 3 for record in range(3000)}
    >>> drawn = {record: record // 6 for record in range(120)}
    >>> estimate(drawn, whole, "pair_f", design="clusters")["pair_f"]
    Score(pair_f(alpha=0.5, f='means') = 0.571428571428571... | objects:120|...

    `sample` has some truth clusters, each complete: an object that it does not name is in none of
    them. In a file that `draw` wrote, members without a line are named in the column that asks for
    them; where nothing but the listed lines seems to be filled in there is a warning. `guess` has
    all objects, since the whole sizes of its clusters count; it may be a file or a table larger
    than memory, or several guesses by name.

    `design` says how the clusters were drawn: "records" if records were drawn and the clusters that
    they are in were resolved, "clusters" if all clusters had the same chance; or the weight of each
    cluster, as a dict or as the name of a column. `hits` says how often each cluster was drawn, if
    not once: the name of a column that has how often each record was (blank for those that were
    not; a column called hits is taken without being named), a dict from cluster to number, or the
    list of the records that were drawn. `population` is the number of all objects, where the guess
    does not have all. `out_of` is the number of all clusters, where they were drawn without
    replacement and intervals are to speak of these alone.

    Objects of the sample that the guess lacks are refused, or counted as `align` says, as in
    `compare`. What the guess calls `noise` becomes singletons; with noise_as="drop" objects that it
    calls so are no part of the population, and those that the sample calls so are in no sampled
    cluster.
    """
    asked = _asked(confidence, method, seed)
    chosen = None if measures is None else measures_by_text(measures)
    policy = Policy(align, noise, noise_as)
    check_design(design)
    guesses = guesses_of(guess, None, sample)
    with Workshop(engine) as shop:
        own = _sample(shop, sample, design, hits)
        sides = {name: side(shop, one, None) for name, one in guesses.items()}
        settle_indexes([own.side, *sides.values()])
        drawn = resolved(own, design, hits, out_of, policy)
        return estimate_sides(shop, drawn, sides, chosen, policy, asked, population)


def estimate_sides(
    shop: Workshop,
    sample: Sampled,
    guesses: Mapping[str, GivenSide],
    chosen: Mapping[str, Measure] | None,
    policy: Policy,
    asked: Confidence,
    population: int | None = None,
    *,
    besides: Mapping[str, Measure] | None = None,
) -> SampleReport:
    """Scores of guesses that are opened, from a sample whose design is known."""
    found = {
        name: touched(shop, sample.objects, one, policy, sample.positions)
        for name, one in guesses.items()
    }
    _warn_of_listed(shop, sample, guesses)
    sample, found, told = _judged(sample, found, policy)
    if sample.asked:
        have = "has a question mark" if sample.asked == 1 else "have question marks"
        still = f"{count(sample.asked, 'drawn record')} still {have} under {OTHERS}"
        told = (f"{still}: no other members are assumed", *told)
    every = _population(sample, found, policy, population)
    units, known = {}, {}
    for name, one in found.items():
        lacking = len(sample.objects) - one.position.size
        alignment = Alignment(
            policy.align, lacking, 0, one.noise, policy.noise_as if policy.noise_labels else "",
            notes=one.notes,
        )  # fmt: skip
        units[name] = SampledUnits.of(sample, one, alignment, every).in_order()
        known[name] = one.objects
    chosen = _default(units) | dict(besides or {}) if chosen is None else chosen
    needed = chosen if len(chosen) == 1 else besides or {}
    scores = {name: _scores(one, chosen, needed, asked, sample) for name, one in units.items()}
    return SampleReport(
        scores,
        chosen,
        confidence=asked,
        joint=SampledTogether(units, sample.keep),
        sample=sample,
        units=units,
        guess_objects=known,
        told=told,
    )


def _scores(
    units: SampledUnits,
    chosen: Mapping[str, Measure],
    needed: Container[str],
    asked: Confidence,
    sample: Sampled,
) -> dict[str, Score]:
    """All measures of one guess; one that cannot be estimated says why, and is refused where it is
    needed: by a gate, for a plan, or as all that was asked for.
    """
    drawn = {
        "objects": len(sample.objects),
        "design": sample.design,
        "hits": int(sample.hits.sum()),
        "population": "unknown" if units.population is None else units.population,
    }
    drawn |= {} if sample.out_of is None else {"out_of": sample.out_of}
    drawn["sample"] = units.digest[:DIGITS]
    made = {}
    for text, measure in chosen.items():
        refused = units.why_not(measure)
        if refused is not None:
            if text in needed:
                raise ClusterdiffError(f"{refused[0]}.", refused[1])
            missing = f"{refused[0]}. Hint: {refused[1]}"
            made[text] = Score(measure, None, units.meet, missing=missing, drawn=drawn)
            continue
        value, sure = units.estimate(measure, asked, sample.keep)
        made[text] = Score(measure, value, units.meet, sure=sure, drawn=drawn)
    return made


def _default(units: Mapping[str, SampledUnits]) -> dict[str, Measure]:
    """What is given when nothing is asked: of the measures that a comparison has those that can be
    estimated.
    """
    one = next(iter(units.values()))
    usual = measures_by_text(default_measures("exact", False, False))
    return {text: m for text, m in usual.items() if one.why_not(m) is None}


def _asked(confidence: Any, method: str, seed: int) -> Confidence:
    made = Confidence.of(level_of(confidence), None, method, None, seed)
    assert made is not None
    return made


def check_design(design: Any) -> None:
    """Refuse to guess how a sample was drawn."""
    if design is None:
        raise ClusterdiffError(
            "how were the clusters drawn?",
            'design="records" if records were drawn and their clusters resolved, "clusters" if '
            "clusters were drawn alike.",
            "--design records if records were drawn and their clusters resolved, --design clusters "
            "if clusters were drawn alike.",
        )
    if not isinstance(design, str | Mapping):
        raise ClusterdiffError(
            f"unknown design {shown(design)}.",
            'design is "records", "clusters", or a dict from cluster to weight.',
        )


def column_of(design: Any, hits: Any) -> str | None:
    """The column of the sample that is read besides ids and clusters, if one is named."""
    weights = design if isinstance(design, str) and design not in DESIGNS else None
    named = hits if isinstance(hits, str) else None
    if weights is not None and named is not None:
        raise ClusterdiffError(
            "weights and hits cannot both be columns.",
            "give the weights as a dict from cluster to weight.",
        )
    return weights or named


def _sample(shop: Workshop, sample: Any, design: Any, hits: Any) -> Sheet:
    """The sample in memory."""
    table = isinstance(sample, str | os.PathLike) or (
        not isinstance(sample, Clustering)
        and any(hasattr(sample, name) for name in ("columns", "column_names"))
    )
    return filled_in(lambda name: shop.loaded(side(shop, sample, None, name)), design, hits, table)


def filled_in(
    read: Callable[[str | None], AnyClustering], design: Any, hits: Any, table: bool = True
) -> Sheet:
    """A sample with what further columns say; `read` has one of them in the place of samples."""
    named = column_of(design, hits)
    plain = table and hits is None
    try:
        found = checked(read(named or (HITS if plain and design == "records" else None)))
    except (MissingColumn, NoColumns) as error:
        if named is not None:
            raise unknown_column(error, design) from None
        found = checked(read(None))
    if not table or found.ids is None:
        return Sheet(found)
    ids = found.ids.tolist()
    if twice := [id for id, lines in Counter(ids).items() if lines > 1]:
        raise ClusterdiffError(
            f"{count(len(twice), 'record')} of the sample {'has' if len(twice) == 1 else 'have'} "
            f"several lines ({examples(twice)}).",
            f"give each record one line, with the number of its draws in the column {HITS}.",
        )

    def cells(name: str) -> list[Any] | None:
        try:
            one = read(name)
        except (MissingColumn, NoColumns):
            return None
        assert one.ids is not None
        assert one.samples is not None
        values = dict(zip(one.ids.tolist(), one.samples.tolist(), strict=True))
        return [values[id] for id in ids]

    if design == "clusters" and plain and any(map(_is_hit, cells(HITS) or ())):
        warn(
            ClusterdiffWarning(
                f"the sample has a column {HITS}, as if records had been drawn, and is weighted as "
                "if clusters had been, each with the same chance.",
                'design="records" if records were drawn; if clusters were, leave the column out.',
                "--design records if records were drawn; if clusters were, leave the column out.",
            ),
            ClusterdiffWarning,
        )
    others = cells(OTHERS)
    run = cells("run") if design == "records" and found.samples is not None else None
    if others is None:
        return Sheet(found, run)
    asked = sum(map(is_asked, others))
    found = with_others(found, others, design)
    more = [None] * (len(found) - len(ids))
    return Sheet(found, None if run is None else run + more, asked)


def _is_hit(cell: Any) -> bool:
    try:
        return float(cell) > 0
    except (TypeError, ValueError):
        return False


def checked(sample: Any) -> Partition:
    """A sample that is a partition and has objects."""
    if not isinstance(sample, Partition):
        raise ClusterdiffError(
            "estimates from a sample are for partitions, and the sample is "
            f"{with_article(sample.kind)} clustering.",
            "give a clustering in which each object is in one cluster.",
        )
    return sample


def unknown_column(error: ClusterdiffError, design: Any) -> ClusterdiffError:
    """A column that the sample lacks; a misspelt design looks like one."""
    if design in DESIGNS or not isinstance(design, str):
        return ClusterdiffError(
            error.message, "hits names the column of how often each record was drawn."
        )
    near = did_you_mean(design, list(DESIGNS))
    return ClusterdiffError(
        f"unknown design {shown(design)}: {error.message}",
        f"{near}There are records and clusters, and columns of weights.",
    )


def _warn_of_listed(shop: Workshop, sample: Sampled, guesses: Mapping[str, GivenSide]) -> None:
    """Warn where members seem to have been looked for among the records that were listed with the
    drawn ones alone: then no drawn cluster is split by the run, and recall is too high.
    """
    lines = sample.lines
    few = sample.listed_only
    if lines is not None:
        few = all(_holds(shop, lines, one, sample.positions) for one in guesses.values())
    if few:
        warn(
            ClusterdiffWarning(
                "no sampled cluster has a member outside of the run clusters of the drawn records: "
                "the truth looks as though only the listed lines were filled in, and recall would "
                "be too high.",
                f"name the other members of each drawn record under {OTHERS}, or write none there.",
            ),
            ClusterdiffWarning,
        )


def _holds(shop: Workshop, lines: Partition, guess: GivenSide, positions: int | None) -> bool:
    """Whether all lines are in guess clusters that a drawn record is in."""
    with catch_warnings():
        simplefilter("ignore", ClusterdiffWarning)
        try:
            found = touched(shop, lines, guess, Policy("shared", [None]), positions)
        except ClusterdiffError:
            return False
    drawn = lines.labels.keys[found.position] > 0
    if found.position.size < len(lines) or found.objects == len(lines):
        return False  # some are elsewhere, or the truth is whole
    return bool(np.isin(found.cluster, found.cluster[drawn]).all())


def _judged(
    sample: Sampled, found: dict[str, Touched], policy: Policy
) -> tuple[Sampled, dict[str, Touched], tuple[str, ...]]:
    """The objects of the sample that all guesses are judged on."""
    each = [_kept(one, len(sample.objects), policy) for one in found.values()]
    kept = each[0]
    if any((other != kept).any() for other in each[1:]):
        raise AlignmentError(
            "the guesses do not have the same objects, so that each would be judged on others.",
            "estimate them one at a time, or give guesses of the same objects.",
        )
    if kept.all():
        return sample, found, ()
    if not kept.any():
        raise AlignmentError.nothing_shared()
    place = np.cumsum(kept) - 1
    some = {name: one._replace(position=place[one.position]) for name, one in found.items()}
    out = int((~kept).sum())
    which = "the guess" if len(found) == 1 else "the guesses"
    lack = "lacks" if len(found) == 1 else "lack"
    dropped = plan_of(policy, "partition").noise is Fate.DROPPED
    why = f" or call{'s' if len(found) == 1 else ''} noise" if dropped else ""
    told = f"{out:,} objects of the sample that {which} {lack}{why}: left out"
    return sample.some(np.flatnonzero(kept)), some, (told,)


def _kept(one: Touched, objects: int, policy: Policy) -> Bools:
    """The objects of the sample that a guess is judged on."""
    if policy.align == "shared":
        kept = np.zeros(objects, np.bool_)
        kept[one.position] = True
        return kept
    kept = np.ones(objects, np.bool_)
    kept[one.dropped] = False
    return kept


def _population(
    sample: Sampled, found: Mapping[str, Touched], policy: Policy, given: Any
) -> int | None:
    """How many objects there are in all, if that is known."""
    most = max(len(sample.objects), *(one.objects for one in found.values()))
    if given is not None:
        if isinstance(given, bool) or not isinstance(given, int | np.integer) or given < most:
            raise ClusterdiffError(
                f"population is the number of all records, {most:,} at least; got {shown(given)}.",
                "leave it out where the guess has all of them.",
            )
        return int(given)
    whole = True
    for name, one in found.items():
        if one.objects == one.position.size:
            whole = False
            which = "the guess" if len(found) == 1 else name
            warn(
                ClusterdiffWarning(
                    f"{which} has no object that is not in the sample: it seems to be cut down to "
                    "the sampled records, and precision would be misleading.",
                    "give the whole guess; if the sample is the whole truth, cd.compare.",
                    "give the whole guess; if the sample is the whole truth, clusterdiff compare.",
                ),
                ClusterdiffWarning,
            )
    sizes = {one.objects for one in found.values()}
    lacking = policy.align != "shared" and any(
        one.position.size < len(sample.objects) for one in found.values()
    )
    return sizes.pop() if whole and len(sizes) == 1 and not lacking else None
