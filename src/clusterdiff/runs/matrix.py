"""Every two of many clusterings scored: runs, seeds, resolutions, annotators."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from clusterdiff.contingency import Alignment, Policy
from clusterdiff.engines.protocol import kind_of
from clusterdiff.errors import AlignmentError
from clusterdiff.io.runs import Runs, is_clustering, named_runs, opened_runs
from clusterdiff.io.sides import said
from clusterdiff.measures import Measure, measure_named
from clusterdiff.runs.annotators import AnnotatorAgreement
from clusterdiff.runs.score_matrix import ScoreMatrix
from clusterdiff.runs.tables import RunTables, cross_scores, pairwise_scores, square_scores

if TYPE_CHECKING:
    from clusterdiff.array_types import Floats, Ints


def matrix(
    runs: Any,
    measure: str | Measure = "adjusted_rand",
    *,
    guesses: Any = None,
    align: str = "exact",
    noise: Any = None,
    noise_as: str = "singletons",
    engine: Any = None,
) -> ScoreMatrix:
    """Scores of every two of several clusterings: runs, seeds, resolutions, annotators.

    >>> m = matrix({"a": [1, 1, 2, 2], "b": [1, 1, 1, 2], "c": [1, 1, 2, 3]}, "rand")
    >>> m.medoid, round(m.stability, 4)
    ('c', 0.6667)

    `runs` is a dict from name to clustering, a list of clusterings, a frame with a column for each,
    or a path: "runs/*.csv", "table.csv::leiden_*". Scores equal those of `cd.compare` for each
    pair. With align="shared" each pair is scored on the objects that both have, as for subsamples.

    `guesses` are clusterings to judge, given as `runs` are; `runs` are then several truths,
    such as annotators, and `.against` says how each guess agrees with all of them and how they
    agree among themselves.
    """
    policy, chosen = Policy(align, noise, noise_as), measure_named(measure)
    if guesses is None:
        with opened_runs(runs, engine=engine) as opened:
            return matrix_of(opened, chosen, policy)
    truths, judged = named_runs(runs, 2, "a matrix compares"), _judged(guesses)
    given = truths | {f"guess {n}" if n in truths else n: one for n, one in judged.items()}
    with opened_runs(given, engine=engine) as opened:
        return matrix_of(opened, chosen, policy, len(truths))


def _judged(guesses: Any) -> dict[str, Any]:
    """Guesses by name; one guess is called so."""
    if isinstance(guesses, list | tuple) and not any(map(is_clustering, guesses)):
        return {"guess": guesses}
    found = named_runs(guesses, 1, "a matrix judges")
    return {name or "guess": one for name, one in found.items()}


def matrix_of(
    runs: Runs, measure: Measure, policy: Policy, truths: int | None = None
) -> ScoreMatrix:
    """The matrix of runs that are opened; the first ones are truths if guesses follow them."""
    names = runs.names
    many = len(names) if truths is None else truths
    made, crossed, shared = _scored(runs, measure, policy, many)
    _refuse_strangers(made)
    if truths is None:
        return made
    judged = names[many:]
    against = AnnotatorAgreement(measure, names[:many], judged, crossed, shared, made.values)
    return replace(made, _against=against)


def _scored(
    runs: Runs, measure: Measure, policy: Policy, many: int
) -> tuple[ScoreMatrix, Floats, Ints]:
    """The matrix of the first runs, scores of the others against them, and on how many objects."""
    names = runs.names[:many]
    if any(kind_of(one) != "partition" for one in runs.sides.values()):
        sides = list(runs.sides.values())
        found = pairwise_scores(runs.shop, sides, measure, policy, many)
        every = runs.names
        read = said((", ".join(every[i] for i in which), note) for which, note in found.notes)
        made = ScoreMatrix(measure, names, found.values, found.shared[:, :many], policy, read=read)
        return made, found.crossed, found.shared[:, many:]
    labelled = runs.labelled(policy)
    alignment = Alignment(policy.align, noise_as=policy.noise_as if policy.noise_labels else "")
    tables = RunTables.of(labelled.clusters, alignment)
    values, shared = square_scores(tables, measure, range(many)), tables.shared()[:many]
    shared_first, read = shared[:, :many], said(labelled.notes)
    made = ScoreMatrix(measure, names, values, shared_first, policy, labelled, tables, read=read)
    rest = range(many, len(runs.names))
    return made, cross_scores(tables, measure, range(many), rest), shared[:, many:]


def _refuse_strangers(found: ScoreMatrix) -> None:
    """Refuse runs of which no two have an object in common."""
    if found.pair_count or len(found) < 2:
        return
    seen = ""
    if (runs := found.labelled) is not None:
        first, second = (runs.id_of(int(np.argmax(run >= 0))) for run in runs.clusters[:2])
        seen = f": ids look like {first!r} in {found.names[0]} and {second!r} in {found.names[1]}"
    raise AlignmentError(
        f"no two of the {len(found):,} runs have an object in common{seen}.",
        "look at an id of each; a prefix, a type or the wrong column may differ.",
    )
