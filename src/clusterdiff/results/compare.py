"""Comparing: one truth, one or several guesses, perhaps in samples, many measures."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Iterator, Mapping
from glob import glob
from pathlib import Path
from typing import Any

import numpy as np

from clusterdiff.backends.null_words import check_null_words
from clusterdiff.backends.samples import Sample, with_samples
from clusterdiff.backends.table import Table, kind_of
from clusterdiff.clusterings import SOFT, AnyClustering, Clustering, column
from clusterdiff.clusterings.partition import is_list_of_sets
from clusterdiff.errors import ClusterdiffError, InputError, MemoryNeeded
from clusterdiff.inputs import (
    Workshop,
    clustering,
    judged_together,
    kinds_for,
    listed,
    refuse_shuffled_series,
    side,
)
from clusterdiff.measures import Measure, default_measures, measures_named
from clusterdiff.measures.core.interval import Interval
from clusterdiff.measures.core.measure import Estimate
from clusterdiff.meet import Listed, Meet, Policy, Stack
from clusterdiff.results.origins import NOWHERE, Origins
from clusterdiff.results.report import Report
from clusterdiff.results.score import Score


def compare(
    truth: Any = None,
    guess: Any = None,
    measures: Iterable[str | Measure] | str | Measure | None = None,
    *,
    kind: str | tuple[str, str] | None = None,
    align: str = "exact",
    samples: Any = None,
    noise: Any = None,
    noise_as: str = "singletons",
    features: Any = None,
    engine: Any = None,
) -> Report:
    """Scores of one guess, or of several given as a dict from name to guess.

    >>> report = compare(["a", "a", "b"], [1, 1, 1], ["elm_f", "rand"])
    >>> report["rand"].value
    0.3333333333333333

    A dict whose values are clusterings holds several guesses; one whose values are labels is a
    guess itself. `samples` is the name of a column of both frames, a dict from id to sample, one
    sample per object, or (in place of truth and guess) a list of (truth, guess) pairs.
    kind="cover" reads tables, dicts and files as covers, in which an object may be in several
    clusters; it need not be said where all measures are measures of covers. kind="rough", "fuzzy",
    "possibilistic" or "evidential" reads them as uncertain clusterings; a pair of kinds is one for
    truth and one for the guesses.

    Files and DuckDB relations are counted by DuckDB, Spark frames by Spark, without coming into
    memory. `engine` is cd.DuckDB(memory="4GB", threads=2, temp="/scratch"), cd.Spark(session), or
    the name of an engine: "arrays" reads everything into memory.
    """
    policy = Policy(align, noise, noise_as)
    asked = None if measures is None else measures_by_text(measures)
    if kind is None and asked and all(m.needs == {"cover"} for m in asked.values()):
        kind = "cover"
    several = guess.values() if isinstance(guess, Mapping) else ()
    kinds = kinds_for(kind, truth, guess, *several)
    if guess is None:
        given = _pairs(truth, samples, kinds)
        check_null_words([s.truth for s in given], [s.guess for s in given], policy)
        chosen = asked or _defaults(align, kinds, [c for s in given for c in s[1:]])
        return scored({"guess": listed(given, policy)}, chosen)
    guesses = guesses_of(guess, kinds[1], truth)
    for given in guesses.values():
        refuse_shuffled_series(truth, given, kinds)
    named = samples if isinstance(samples, str) else None
    with Workshop(engine) as shop:
        left = side(shop, truth, kinds[0], named)
        right = {name: side(shop, g, kinds[1], named) for name, g in guesses.items()}
        origins = Origins.of(left, right)
        chosen = asked or _defaults(align, kinds, [left, *right.values()])
        if samples is not None and named is None:
            of = samples if isinstance(samples, Mapping) else column(samples)
            left = with_samples(shop.loaded(left), of)
            if isinstance(samples, Mapping) or left.ids is None:
                right = {name: with_samples(shop.loaded(g), of) for name, g in right.items()}
        judged = judged_together(shop, left, right, policy, features)
        found = {name: judged.met(name) for name in right}
    return scored(found, chosen, origins)


def scored(
    found: Mapping[str, Meet | Stack | Listed],
    chosen: Mapping[str, Measure],
    origins: Origins = NOWHERE,
) -> Report:
    """All measures of all guesses; over samples the mean of their scores, and the score of their
    disjoint union.
    """
    scores: dict[str, dict[str, Score]] = {}
    for guess, one in found.items():
        if not isinstance(one, Stack | Listed):
            alone = len(chosen) == 1
            scores[guess] = {text: _score(m, one, alone) for text, m in chosen.items()}
            continue
        names = tuple(map(str, one.names))
        scores[guess] = {}
        for text, m in chosen.items():
            each = m.of_each(one)
            micro = m.of(one.pooled)
            scores[guess][text] = Score(m, _mean(each), one.pooled, each, names, micro, one)
    return Report(scores, chosen, origins)


def _score(measure: Measure, meet: Meet, alone: bool) -> Score:
    """The score of a measure; one that needs more memory than there is says so, unless it was all
    that was asked for.
    """
    try:
        return Score(measure, measure.of(meet), meet)
    except MemoryNeeded as error:
        if alone:
            raise
        return Score(measure, None, meet, missing=error.message)


def _mean(each: tuple[Any, ...]) -> Any:
    """The mean of the samples' scores; of estimates an estimate, of intervals an interval."""
    if any(isinstance(score, Interval) for score in each):
        spans = [s if isinstance(s, Interval) else Interval(s, s) for s in each]
        ways = dict.fromkeys(s.how for s in spans)
        return Interval(
            math.fsum(s.low for s in spans) / len(spans),
            math.fsum(s.high for s in spans) / len(spans),
            all(s.certain for s in spans),
            next(iter(ways)) if len(ways) == 1 else f"mean over samples: {'; '.join(ways)}",
            spans[0].distance,
            _mean_estimate(spans),
        )
    mean = math.fsum(each) / len(each)
    drawn = [score for score in each if isinstance(score, Estimate)]
    if not drawn:
        return mean
    error = math.sqrt(math.fsum(score.error**2 for score in drawn)) / len(each)
    return Estimate(mean, error, sum(score.drawn for score in drawn), drawn[0].what)


def _mean_estimate(spans: list[Interval]) -> tuple[float, float] | None:
    """The mean of what was drawn, where anything was."""
    if all(s.estimate is None for s in spans):
        return None
    ends = [s.estimate or (s.low, s.high) for s in spans]
    return (
        math.fsum(low for low, _ in ends) / len(ends),
        math.fsum(high for _, high in ends) / len(ends),
    )


def _defaults(
    align: str, kinds: tuple[str | None, str | None], made: Iterable[AnyClustering | Table]
) -> dict[str, Measure]:
    """What is given when nothing is asked."""
    said = [kind_of(side) for side in made]
    overlap = "cover" in kinds or "cover" in said
    return measures_by_text(default_measures(align, overlap, any(kind in SOFT for kind in said)))


def measures_by_text(wanted: Iterable[str | Measure] | str | Measure) -> dict[str, Measure]:
    """The measures asked for, by the text that they print."""
    if isinstance(wanted, str | Measure):
        wanted = [wanted]
    found: dict[str, Measure] = {}
    for m in (m for one in wanted for m in measures_named(one)):
        if found.setdefault(str(m), m) != m:
            raise ClusterdiffError(
                f"two different measures are both written {m}.", "give the functions names."
            )
    if not found:
        raise ClusterdiffError(
            "no measure was asked for.", "leave measures= out for the default set."
        )
    return found


def _pairs(pairs: Any, samples: Any, kinds: tuple[str | None, str | None]) -> list[Sample]:
    """Samples given as pairs: a list of (truth, guess), or a dict from name to such a pair."""
    given = samples if pairs is None else pairs
    if isinstance(given, Mapping):
        named = list(given.items())
    elif isinstance(given, list | tuple):
        named = list(enumerate(given))
    else:
        raise ClusterdiffError("there is no guess to compare.", "cd.compare(truth, guess)")
    if not named or not all(isinstance(p, list | tuple) and len(p) == 2 for _, p in named):
        raise ClusterdiffError(
            "samples as a list hold a (truth, guess) pair each.",
            "cd.compare(samples=[(truth_1, guess_1), (truth_2, guess_2)])",
        )
    for _, (t, g) in named:
        refuse_shuffled_series(t, g, kinds)
    return [
        Sample(name, clustering(t, kinds[0]), clustering(g, kinds[1])) for name, (t, g) in named
    ]


def guesses_of(guess: Any, kind: str | None, truth: Any = None) -> dict[str, Any]:
    """The guesses by name: those of a dict that holds some, or the one that is given."""
    if _is_list_of_guesses(guess, kind, truth):
        raise InputError.from_list_of_guesses(len(guess))
    return dict(guess) if _is_several(guess, kind) else {_name(guess): guess}


def _is_several(guess: Any, kind: str | None) -> bool:
    """Whether a dict holds guesses rather than labels."""
    if not isinstance(guess, Mapping) or not guess:
        return False
    return all(_is_guess(value, kind) for value in guess.values())


def _is_list_of_guesses(guess: Any, kind: str | None, truth: Any) -> bool:
    """Whether a list holds clusterings, not labels: for sure, or each is as long as truth."""
    if not isinstance(guess, list | tuple) or not guess:
        return False
    if kind not in (None, "partition"):
        return all(isinstance(one, Clustering) for one in guess)
    size = len(truth) if hasattr(truth, "__len__") and not isinstance(truth, str) else None
    return all(
        isinstance(one, Clustering | Mapping)
        or ((isinstance(one, list) or hasattr(one, "dtype")) and np.shape(one) == (size,))
        for one in guess
    )


def _is_guess(value: Any, kind: str | None) -> bool:
    """Whether a value of a dict is a clustering of its own, not a label (or a set of labels)."""
    if isinstance(value, str):
        path = value.rpartition("::")[0] or value
        folder = os.sep in path and os.path.isdir(path)  # "train" alone is rather a label
        return os.path.isfile(path) or folder or ("*" in path and bool(glob(path)))
    if isinstance(value, bytes | tuple | frozenset) or getattr(value, "ndim", 1) == 0:
        return False
    labels = isinstance(value, list | set | range | Iterator) or getattr(value, "ndim", 0) == 1
    if kind == "cover" and labels:
        return is_list_of_sets(value)
    if kind in SOFT and (labels or isinstance(value, Mapping)):
        return False
    return isinstance(value, Clustering | os.PathLike) or any(
        hasattr(value, name)
        for name in ("__iter__", "collect", "membership", "communities", "column_names", "columns")
    )


def _name(guess: Any) -> str:
    """What to call a single guess."""
    if isinstance(guess, str | os.PathLike):
        return Path(os.fspath(guess)).name
    return "guess"
