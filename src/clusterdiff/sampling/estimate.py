"""Scores of a whole guess, estimated from a sample of truth clusters."""

from __future__ import annotations

import math
import os
from collections.abc import Container, Iterable, Mapping
from copy import copy
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple, TypeGuard
from warnings import catch_warnings, simplefilter

import numpy as np

from clusterdiff.clusterings import Clustering, Partition, column
from clusterdiff.compare.compare import measures_by_text
from clusterdiff.compare.report import Report
from clusterdiff.contingency import Alignment, Policy
from clusterdiff.engines.alignment import Fate, plan_of
from clusterdiff.engines.memory import match
from clusterdiff.engines.samples import with_samples
from clusterdiff.errors import (
    AlignmentError,
    ClusterdiffError,
    ClusterdiffWarning,
    InputError,
    printable,
    shown,
    warn,
)
from clusterdiff.io import EngineSessions, side
from clusterdiff.io.arguments import column_of, counted_sides, settle_indexes
from clusterdiff.io.between import column_named, named, told_of_sources
from clusterdiff.io.session import is_counted
from clusterdiff.io.sides import guesses_of
from clusterdiff.measures import Measure, default_measures
from clusterdiff.measures.base import not_of_pairs
from clusterdiff.measures.pairs import default_between
from clusterdiff.output.describe import count, side_sizes
from clusterdiff.output.score import DIGITS, Score
from clusterdiff.output.table import CellTable
from clusterdiff.output.text import columns as terminal_columns
from clusterdiff.output.text import cut, pad, wrapped
from clusterdiff.sampling.estimators import SampledTogether, SampledUnits, Touched, touched
from clusterdiff.sampling.sample import OTHERS, Sampled, check_design, filled_in, resolved
from clusterdiff.statistics.confidence import Confidence, level_of
from clusterdiff.statistics.intervals import ConfidenceInterval

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clusterdiff.io.sides import GivenSide
    from clusterdiff.measures import Measure
    from clusterdiff.output.score import Score
    from clusterdiff.sampling.estimators import SampledUnits
    from clusterdiff.sampling.sample import Sampled

ASSURANCE = 0.8
"""The share of planned studies whose interval is to be as narrow as wanted."""


@dataclass(frozen=True, repr=False)
class SampleReport(Report):
    """Scores that are estimated from a sample: rows are measures, columns are guesses."""

    schema = "estimate/2"
    layout = None

    sample: Sampled = field(kw_only=True)
    units: Mapping[str, SampledUnits] = field(kw_only=True)
    """The sample as each guess cuts it."""
    guess_objects: Mapping[str, int] = field(kw_only=True)
    """Number of objects in each whole guess."""
    told: tuple[str, ...] = field(default=(), kw_only=True)
    """Notes on how the sample was read."""

    @property
    def population(self) -> int | None:
        """Number of objects in all; None if it is unknown."""
        return next(iter(self.units.values())).population

    def plan(
        self, targets: Mapping[str, float] | None = None, *, assurance: float = ASSURANCE,
        **named: float,
    ) -> SamplePlan:  # fmt: skip
        """How many to label so that an interval is as narrow as wanted, with this sample as the
        pilot: `plan(elm_f=0.01)` for an interval of ± 0.01.

        The plain number reaches that in every other study, the assured number in 80 of 100
        (`assurance`). With several guesses, the one that needs most decides.
        """
        wanted = {**(targets or {}), **named}
        if not wanted:
            raise ClusterdiffError(
                "a plan needs a measure and the half-width of its interval.", "plan(elm_f=0.01)"
            )
        assert self.confidence is not None
        return planned(
            {text: [s.ci for s in self._scores(text)] for text in self.measures},
            {str(self._scores(text)[0].measure): half for text, half in wanted.items()},
            self.confidence.level,
            assurance,
            self.population,
        )

    def _scores(self, measure: str | Measure) -> list[Score]:
        found = self[measure]
        return list(found.values()) if isinstance(found, Mapping) else [found]

    def head(self, width: int = 80) -> str:
        """What was drawn, and the clusters of each guess that it touches."""
        meets = {name: units.meet for name, units in self.units.items()}
        sides = {"sample": side_sizes(next(iter(meets.values())), "truth")}
        for name, meet in meets.items():
            size = meet.guess_sizes
            sides[name] = (
                f"{count(self.guess_objects[name], 'object')}; the sample touches "
                f"{count(size.clusters, 'cluster')} (largest {int(size.size.max(initial=0)):,})"
            )
        room = min(max(12, width - 50), max(map(terminal_columns, sides)))
        lines = [f"{pad(cut(name, room), room)}  {text}" for name, text in sides.items()]
        lines += [self._drawn(), *self.origins.with_notes_of(meets).notes(), *self.told]
        return "\n".join(wrapped(printable(text), width, more="  ") for text in lines)

    def _drawn(self) -> str:
        """How the sample was drawn."""
        hits = int(self.sample.hits.sum())
        how = {
            "records": f"{count(hits, 'record')} drawn from "
            f"{count(len(self.sample.names), 'cluster')}, which were resolved",
            "clusters": f"{count(hits, 'cluster')} drawn alike",
            "weights": f"{count(hits, 'cluster')} drawn with given weights",
        }[self.sample.design]
        of = "" if self.sample.out_of is None else f" out of {self.sample.out_of:,}"
        every = "unknown" if self.population is None else f"{self.population:,} objects"
        return f"design: {how}{of}; population: {every}"

    def cells_under(self, names: list[str]) -> CellTable:
        """The cells; for one guess with the effective sample size."""
        table = super().cells_under(names)
        if len(self.scores) > 1:
            return table
        rows = [(*row, _effective(self[row[0]].ci)) for row in table.rows]
        return CellTable((*table.headings, "K_eff"), tuple(rows), table.best)

    def notes(self, mark: str = "▲") -> list[str]:
        """What intervals mean, why some are missing, and the effective sample sizes."""
        lines = [line for line in super().notes(mark) if "no number" not in line]
        if len(self.scores) > 1:
            for guess, scores in self.scores.items():
                sizes = (f"{text} {_effective(score.ci)}" for text, score in scores.items())
                lines.append(f"K_eff of {guess}: {', '.join(sizes)}")
        else:
            lines.append(f"K_eff: effective sample size, in {self.sample.units}.")
        missing = {s.missing: None for scores in self.scores.values() for s in scores.values()}
        return [*lines, *(f"— {why}" for why in missing if why)]

    def _notes_on_ranges(self) -> list[str]:
        return []

    def to_dict(self) -> dict[str, Any]:
        """The sample and the scores, with full precision and stable keys."""
        sample = self.sample
        drawn = {
            "design": sample.design,
            "hits": int(sample.hits.sum()),
            "clusters": len(sample.names),
            "objects": sample.total,
            "population": self.population,
        }
        drawn |= {} if sample.out_of is None else {"out_of": sample.out_of}
        return {"sample": drawn, **super().to_dict()}

    def records(self) -> list[dict[str, Any]]:
        """One record per guess and measure."""
        records = super().records()
        for record in records:
            ci = self.scores[record["guess"]][record["measure"]].ci
            effective = {"effective": ci.effective if _has_effective(ci) else None}
            record |= effective | {"signature": record.pop("signature")}
        return records


def _has_effective(ci: Any) -> TypeGuard[ConfidenceInterval]:
    return isinstance(ci, ConfidenceInterval) and bool(ci) and not math.isnan(ci.effective)


def _effective(ci: Any) -> str:
    """An effective sample size for display."""
    return _rounded(ci.effective) if _has_effective(ci) else "—"


def _rounded(effective: float) -> str:
    return f"{effective:,.1f}" if effective < 100 else f"{effective:,.0f}"


# How many units to label, from a pilot.
#
# A pilot of K₀ units with standard error se₀ has σ² = K₀ · se₀², and an interval of ± h takes
# K = z² σ² / h² units. The pilot's σ² is itself uncertain: with σ² · df / χ²(1 - assurance, df)
# the planned study is narrow enough in that share of cases.


class Planned(NamedTuple):
    """The number of units that one measure needs."""

    measure: str
    half: float
    """The half-width that is wanted."""
    plain: int
    """Number of units that reach it in every other study."""
    assured: int
    """Number of units that reach it with the assurance."""


class Pilot(NamedTuple):
    """The widest interval of one measure in the pilot; NaN if there is none."""

    measure: str
    half: float = math.nan
    """Its half-width."""
    effective: float = math.nan
    """Effective sample size."""
    then: float = math.nan
    """The half-width to expect of the planned study."""


@dataclass(frozen=True)
class SamplePlan:
    """How many to label, and what to expect of it."""

    units: str
    """What is drawn: records or clusters."""
    pilot: int
    """Number of units in the pilot."""
    level: float
    assurance: float
    wanted: tuple[Planned, ...]
    measures: tuple[Pilot, ...]
    population: int | None = None
    """Number of all objects, if it is known."""

    @property
    def plain(self) -> int:
        """Number of units that reach what is wanted in every other study."""
        return max(target.plain for target in self.wanted)

    @property
    def assured(self) -> int:
        """Number of units that reach it with the assurance."""
        return max(target.assured for target in self.wanted)

    def __str__(self) -> str:
        lines = [
            f"{target.measure} ± {target.half:g} at {100 * self.level:g} %: {target.plain:,} "
            f"{self.units}; {target.assured:,} to reach it in {100 * self.assurance:g} of 100 "
            "studies"
            for target in self.wanted
        ]
        room = max(len(pilot.measure) for pilot in self.measures)
        lines += ["", f"{'':{room}}  K_eff  now ±   ± of {self.assured:,}"]
        for pilot in self.measures:
            cells = ("—", "—", "—")
            if not math.isnan(pilot.half):
                cells = (_rounded(pilot.effective), f"{pilot.half:.4f}", f"{pilot.then:.4f}")
            lines.append(f"{pilot.measure:{room}}  {cells[0]:>5}  {cells[1]:<6}  {cells[2]}")
        if self.units == "records" and self.population and self.plain >= self.population:
            lines += ["", f"There are only {self.population:,} records: label all of them, and "
                      "the scores have no error of sampling."]  # fmt: skip
        rule = (
            f"pilot: {self.pilot:,} {self.units}. Fix the number before you label: to go on until "
            "an interval is narrow enough makes it too narrow."
        )
        return "\n".join([*lines, "", rule])

    __repr__ = __str__

    def to_dict(self) -> dict[str, Any]:
        """The plan for JSON."""
        names = ("units", "pilot", "level", "assurance", "plain", "assured")
        return {
            **{name: getattr(self, name) for name in names},
            "wanted": {target.measure: target._asdict() for target in self.wanted},
            "measures": {
                pilot.measure: {
                    key: None if value != value else value for key, value in pilot._asdict().items()
                }
                for pilot in self.measures
            },
        }


def planned(
    pilot: Mapping[str, Sequence[Any]], targets: Mapping[str, float], level: float,
    assurance: float = ASSURANCE, population: int | None = None,
) -> SamplePlan:  # fmt: skip
    """A plan from the intervals of a pilot, for each measure those of one or several guesses."""
    from scipy.special import chdtri, ndtri

    if not isinstance(assurance, float) or not 0.5 <= assurance < 1:
        raise ClusterdiffError(
            f"assurance must be a number from 0.5 to below 1, got {shown(assurance)}.",
            "write e.g. assurance=0.8.",
        )
    usable = {text: list(filter(_has_effective, intervals)) for text, intervals in pilot.items()}
    z = float(ndtri((1 + level) / 2))
    wanted = []
    for text, half in targets.items():
        if isinstance(half, bool) or not isinstance(half, int | float) or not 0 < half < math.inf:
            raise ClusterdiffError(
                f"a half-width must be a number above 0, got {shown(half)}.",
                "write e.g. elm_f=0.01.",
            )
        known = usable[text]
        if not known or not all(ci.se for ci in known):
            reasons = (ci.refused for ci in pilot[text] if isinstance(ci, ConfidenceInterval))
            why = next(filter(None, reasons), "the pilot has no error" if known else "")
            raise ClusterdiffError(
                f"the pilot has no jackknife interval for {text}{f': {why}' if why else ''}.",
                "plan another measure, or label some more first.",
            )
        plain = [(z * ci.se / half) ** 2 * ci.count for ci in known]
        assured = [
            units * ci.df / float(chdtri(ci.df, assurance))
            for units, ci in zip(plain, known, strict=True)
        ]
        wanted.append(Planned(text, float(half), math.ceil(max(plain)), math.ceil(max(assured))))
    most = max(target.assured for target in wanted)
    measures = []
    for text, known in usable.items():
        if not known:
            measures.append(Pilot(text))
            continue
        widest = max(known, key=lambda ci: ci.se)
        half, then = (widest.high - widest.low) / 2, z * widest.se * math.sqrt(widest.count / most)
        measures.append(Pilot(text, half, widest.effective, then))
    drawn = usable[wanted[0].measure][0]
    each = tuple(wanted), tuple(measures)
    return SamplePlan(drawn.units, drawn.count, level, assurance, *each, population)


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
    count: Any = None,
    between: Any = None,
    confidence: float = 0.95,
    method: str = "jackknife",
    seed: int = 0,
    engine: Any = None,
) -> SampleReport:
    """Estimate the scores of whole guesses from a sample of the truth.

    >>> whole = {record: record // 3 for record in range(3000)}
    >>> drawn = {record: record // 6 for record in range(120)}
    >>> estimate(drawn, whole, "pair_f", design="clusters")["pair_f"]
    Score(pair_f(alpha=0.5, f='means') = 0.571428571428571... | objects:120|...

    `sample` has some truth clusters, each complete: an object that it does not name is in none of
    them. In a file that `draw` wrote, members without a line are named in the column that asks for
    them; if only the listed lines seem to be filled in, there is a warning. `guess` has all
    objects, since the whole sizes of its clusters count; it may be a file or a table larger than
    memory, or several guesses by name.

    `design` is how the clusters were drawn: "records" if records were drawn and the clusters that
    they are in were resolved, "clusters" if all clusters had the same chance; or the weight of each
    cluster, as a dict or as the name of a column. `hits` is how often each cluster was drawn, by
    default once: the name of a column with the number of draws of each record (blank for records
    that were not drawn; a column called hits is taken by default), a dict from cluster to number,
    or the list of the records that were drawn. `population` is the number of all objects, if the
    guess does not have all. `out_of` is the number of all clusters, if they were drawn without
    replacement and intervals are to be for these clusters only.

    Objects of the sample that the guess lacks are refused, or counted as `align` says, as in
    `compare`. `noise` of the guess becomes singletons; with noise_as="drop" noise of the guess is
    not part of the population, and noise of the sample is in no sampled cluster.

    `count` says how many objects each one stands for, as in `compare`: a column of the guess, a
    number for each of its objects in their order, or a dict. With design="records", records were
    drawn by their counts then, as `draw` does.

    `between` says which source each object comes from, as in `compare`: only pairs of objects from
    different sources count. It is the name of a column of each guess, a dict from id to source, or
    one source per object of the guesses; a sample that has the column needs to agree with them.
    """
    asked = interval_request(confidence, method, seed)
    chosen = None if measures is None else measures_by_text(measures)
    policy = Policy(align, noise, noise_as)
    check_design(design)
    guesses = guesses_of(guess, None, sample)
    is_table = isinstance(sample, str | os.PathLike) or (
        not isinstance(sample, Clustering)
        and any(hasattr(sample, name) for name in ("columns", "column_names"))
    )
    with EngineSessions(engine) as sessions:
        of = column_of(count)
        sheet = filled_in(
            lambda name: sessions.loaded(side(sessions, sample, None, name, of)), design, hits,
            is_table, between,
        )  # fmt: skip
        source = between if isinstance(between, str) else None
        with column_named(between):
            sides = {name: side(sessions, one, None, source, of) for name, one in guesses.items()}
        settle_indexes([sheet.side, *sides.values()])
        if between is not None and source is None:
            known = between if isinstance(between, Mapping) else column(between)
            sides = {
                name: with_samples(sessions.loaded(one), known, "source")
                for name, one in sides.items()
            }
        drawn = resolved(sheet, design, hits, out_of, policy)
        drawn, sides = counted_sample(sessions, drawn, sides, count)
        return estimate_sides(
            sessions, drawn, sides, chosen, policy, asked, population, between=between
        )


def interval_request(confidence: Any, method: str, seed: int) -> Confidence:
    """How the intervals of estimates are to be computed."""
    request = Confidence.of(level_of(confidence), None, method, None, seed)
    assert request is not None
    return request


def counted_sample(
    sessions: EngineSessions, sample: Sampled, guesses: Mapping[str, GivenSide], count: Any
) -> tuple[Sampled, dict[str, GivenSide]]:
    """The sample and the guesses with counts, where they are given or some side has them; objects
    that count 0 are in none of them.
    """
    if count is None and not any(map(is_counted, [sample.objects, *guesses.values()])):
        return sample, dict(guesses)
    whole = [sessions.loaded(guess) for guess in guesses.values()]
    if sample.positions is not None:
        for at, guess in enumerate(whole):
            match(Partition(np.zeros(sample.positions, np.int64)), guess)  # refuses another length
            whole[at] = copy(guess)
            whole[at].ids = column(np.arange(len(guess)))
        sample = replace(sample, positions=None)
    *sides, own = counted_sides(sessions, [*whole, sample.objects], count)
    assert isinstance(own, Partition)
    assert own.counts is not None
    left = match(sample.objects, own).truth
    if left is not None:
        sample = sample.take(np.sort(left))
    if int(np.min(own.counts, initial=0)) < 0:
        unknown = np.flatnonzero(own.counts < 0)
        raise InputError.from_uncounted(unknown.size, list(map(own.id_of, unknown[:3].tolist())))
    return replace(sample, objects=own), dict(zip(guesses, sides, strict=True))


def estimate_sides(
    sessions: EngineSessions,
    sample: Sampled,
    guesses: Mapping[str, GivenSide],
    chosen: Mapping[str, Measure] | None,
    policy: Policy,
    asked: Confidence,
    population: int | None = None,
    *,
    besides: Mapping[str, Measure] | None = None,
    between: Any = None,
) -> SampleReport:
    """Scores of guesses that are opened, from a sample whose design is known. `besides` are
    measures that must have an estimate, such as those of gates. With `between`, the guesses have
    sources in place of samples.
    """
    of = "" if between is None else named(between)
    for measure in {**(chosen or {}), **(besides or {})}.values() if of else ():
        if not measure.is_of_pairs:
            raise not_of_pairs(measure)
    touches = {
        name: touched(sessions, sample.objects, guess, policy, sample.positions, of)
        for name, guess in guesses.items()
    }
    _warn_of_listed(sessions, sample, guesses)
    sample, touches, notes = _with_the_same_objects(sample, touches, policy)
    if sample.asked:
        have = "has a question mark" if sample.asked == 1 else "have question marks"
        still = f"{count(sample.asked, 'drawn record')} still {have} under {OTHERS}"
        notes = [f"{still}: no other members are assumed", *notes]
    size = _population(sample, touches, policy, population)
    units = {}
    for name, touch in touches.items():
        lacking = sample.total - touch.total
        alignment = Alignment(
            policy.align, lacking, 0, touch.noise, policy.noise_as if policy.noise_labels else "",
            notes=touch.notes, count=sample.objects.counted,
        )  # fmt: skip
        if touch.inside is not None:
            every = touch.objects * (touch.objects - 1) // 2
            alignment = told_of_sources(alignment, of, every - touch.inside.pairs)
        units[name] = SampledUnits.of(sample, touch, alignment, size).in_order()
    if chosen is None:
        first = next(iter(units.values()))
        usual = measures_by_text(
            default_between("exact") if of else default_measures("exact", False, False)
        )
        chosen = {text: m for text, m in usual.items() if first.why_not(m) is None}
        chosen |= besides or {}
    needed = chosen if len(chosen) == 1 else besides or {}
    return SampleReport(
        {name: _scores(side, chosen, needed, asked, sample) for name, side in units.items()},
        chosen,
        confidence=asked,
        joint=SampledTogether(units, sample.keep),
        sample=sample,
        units=units,
        guess_objects={name: touch.objects for name, touch in touches.items()},
        told=tuple(notes),
    )


def _scores(
    units: SampledUnits,
    chosen: Mapping[str, Measure],
    needed: Container[str],
    asked: Confidence,
    sample: Sampled,
) -> dict[str, Score]:
    """All measures of one guess. A measure that cannot be estimated has the reason instead, unless
    it is needed: by a gate, for a plan, or because nothing else was asked for.
    """
    drawn = {
        "objects": sample.total,
        "design": sample.design,
        "hits": int(sample.hits.sum()),
        "population": "unknown" if units.population is None else units.population,
    }
    drawn |= {} if sample.out_of is None else {"out_of": sample.out_of}
    drawn["sample"] = units.digest[:DIGITS]
    scores = {}
    for text, measure in chosen.items():
        refused = units.why_not(measure)
        if refused is None:
            value, ci = units.estimate(measure, asked, sample.keep)
            scores[text] = Score(measure, value, units.meet, ci=ci, drawn=drawn)
            continue
        if text in needed:
            raise ClusterdiffError(f"{refused[0]}.", refused[1])
        missing = f"{refused[0]}. Hint: {refused[1]}"
        scores[text] = Score(measure, None, units.meet, missing=missing, drawn=drawn)
    return scores


def _warn_of_listed(
    sessions: EngineSessions, sample: Sampled, guesses: Mapping[str, GivenSide]
) -> None:
    """Warn if members seem to have been looked for only among the records listed with the drawn
    ones: then the run splits no drawn cluster, and recall is too high.
    """
    lines = sample.lines
    if sample.listed_only or (
        lines is not None
        and all(_has_all(sessions, lines, guess, sample.positions) for guess in guesses.values())
    ):
        warn(
            ClusterdiffWarning(
                "no sampled cluster has a member outside of the run clusters of the drawn records: "
                "the truth looks as though only the listed lines were filled in, and recall would "
                "be too high.",
                f"name the other members of each drawn record under {OTHERS}, or write none there.",
            )
        )


def _has_all(
    sessions: EngineSessions, lines: Partition, guess: GivenSide, positions: int | None
) -> bool:
    """Whether all lines are in guess clusters with a drawn record."""
    with catch_warnings():
        simplefilter("ignore", ClusterdiffWarning)
        try:
            touch = touched(sessions, lines, guess, Policy("shared", [None]), positions)
        except ClusterdiffError:
            return False
    drawn = lines.labels.keys[touch.position] > 0
    if touch.position.size < len(lines) or touch.objects == touch.total:
        return False  # some are elsewhere, or the truth is whole
    return bool(np.isin(touch.cluster, touch.cluster[drawn]).all())


def _with_the_same_objects(
    sample: Sampled, touches: dict[str, Touched], policy: Policy
) -> tuple[Sampled, dict[str, Touched], list[str]]:
    """The sample without the objects that guesses lack, or call noise, and a note on them."""
    every = np.arange(len(sample.objects))
    kept, *others = (
        np.isin(every, touch.position)
        if policy.align == "shared"
        else ~np.isin(every, touch.dropped)
        for touch in touches.values()
    )
    if any((other != kept).any() for other in others):
        raise AlignmentError(
            "the guesses do not have the same objects, so each would be scored on others.",
            "estimate them one at a time, or give guesses of the same objects.",
        )
    if kept.all():
        return sample, touches, []
    if not kept.any():
        raise AlignmentError.nothing_shared()
    place = np.cumsum(kept) - 1
    some = {name: t._replace(position=place[t.position]) for name, t in touches.items()}
    out, alone = int((~kept).sum()), len(touches) == 1
    dropped = plan_of(policy, "partition").noise is Fate.DROPPED
    noise = f" or call{'s' if alone else ''} noise" if dropped else ""
    which = "the guess lacks" if alone else "the guesses lack"
    note = f"{count(out, 'object')} of the sample that {which}{noise}: left out"
    return sample.take(np.flatnonzero(kept)), some, [note]


def _population(
    sample: Sampled, touches: Mapping[str, Touched], policy: Policy, given: Any
) -> int | None:
    """The number of all objects, if it is known."""
    most = max(sample.total, *(touch.objects for touch in touches.values()))
    if given is not None:
        if isinstance(given, bool) or not isinstance(given, int | np.integer) or given < most:
            raise ClusterdiffError(
                f"population is the number of all records, at least {most:,}; got {shown(given)}.",
                "leave it out if the guess has all of them.",
            )
        return int(given)
    whole = True
    for name, touch in touches.items():
        if touch.objects == touch.total:
            whole = False
            which = "the guess" if len(touches) == 1 else name
            warn(
                ClusterdiffWarning(
                    f"{which} has no object that is not in the sample: it seems to be cut down to "
                    "the sampled records, and precision would be misleading.",
                    "give the whole guess; if the sample is the whole truth, cd.compare.",
                    "give the whole guess; if the sample is the whole truth, clusterdiff compare.",
                )
            )
    sizes = {touch.objects for touch in touches.values()}
    lacking = policy.align != "shared" and any(
        touch.position.size < len(sample.objects) for touch in touches.values()
    )
    return sizes.pop() if whole and len(sizes) == 1 and not lacking else None
