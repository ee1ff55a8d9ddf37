"""Figure 3 of the split-merge paper: measures as a clustering worsens from the best to a worst."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from clusterdiff.clusterings import Partition
from clusterdiff.io import read
from clusterdiff.output.describe import count
from clusterdiff_lab.axioms.series import MEASURES, Worsening, worsen, worsening_of
from clusterdiff_lab.papers.experiments import Exhibit, Outcome, Picture, Record, Setting, settled

SIZES = (11, 8, 5, 4, 3, 3, *[2] * 5, *[1] * 18)
"""A document of 62 mentions, which 33 splits take apart, as many as that of the paper."""
STEPS = 1000
"""Steps of a long series that are scored."""
LETTERS = dict(zip(MEASURES, ("S_H", "R", "NMI", "V", "A", "N"), strict=True))
"""What the paper calls its measures."""


def run_worsening(setting: Setting) -> Outcome:
    """The series of a file, or of made-up sizes where there is none."""
    truth = _truth(setting)
    series = worsen(truth, setting.seed)
    steps = _steps(series)
    scores = series.scores(MEASURES, steps)
    records = [_record(series, name, steps, values) for name, values in scores.items()]
    along: list[Record] = [
        {"step": step} | {name: values[at] for name, values in scores.items()}
        for at, step in enumerate(steps)
    ]
    return Outcome(
        "Six measures as a clustering worsens (Figure 3 of the split-merge paper)",
        (Exhibit.of("worsening", "First and last scores, and whether they fall", records),),
        _notes(setting, series, steps),
        (
            Picture(
                "worsening",
                "Similarity with the truth as it worsens by one split or merge at a time.",
                lambda: worsening_of(series, scores, steps),
            ),
        ),
        (Exhibit.of("worsening-steps", "Scores of all steps", along),),
    )


def _truth(setting: Setting) -> Partition:
    if setting.data is None:
        return Partition(np.repeat(np.arange(len(SIZES)), SIZES))
    partition = read(setting.data, **setting.reading())
    assert isinstance(partition, Partition)
    return settled("the truth", partition, setting.policy)


def _steps(series: Worsening) -> list[int]:
    """All steps, or so many of them, evenly; first, last and where all are single among them."""
    evenly = np.linspace(0, len(series) - 1, min(STEPS, len(series))).round().astype(int)
    return sorted({*evenly.tolist(), series.splits})


def _record(series: Worsening, name: str, steps: Sequence[int], values: list[float]) -> Record:
    return {
        "measure": name,
        "in the paper": LETTERS[name],
        "first": values[0],
        "all single": values[steps.index(series.splits)],
        "last": values[-1],
        "falls at each step": _falls(steps, values),
    }


def _falls(steps: Sequence[int], values: list[float]) -> str:
    if len(values) < 2:
        return "there is none"
    pairs = zip(pairwise(steps), pairwise(values), strict=True)
    stays = [at for (_, at), (before, after) in pairs if after >= before - 1e-12]
    return f"not at {len(stays):,}, first {stays[0]:,}" if stays else "yes"


def _notes(setting: Setting, series: Worsening, steps: Sequence[int]) -> tuple[str, ...]:
    objects, merges = len(series.truth), len(series) - 1 - series.splits
    whose = (
        f"A made-up document of {objects} mentions in {len(SIZES)} entities, which as many splits "
        "take apart as the one of the paper (33); that one is not public. --data FILE takes "
        "any other."
        if setting.data is None
        else f"{'standard input' if setting.data == '-' else setting.data}: "
        f"{count(objects, 'object')}."
    )
    scored = (
        ""
        if len(steps) == len(series)
        else f" {len(steps):,} of the {len(series):,} steps are scored, evenly; whether a "
        "measure falls is said of those."
    )
    return (
        f"{whose} {count(series.splits, 'split')} of the largest cluster into halves, until each "
        f"object is single, then {count(merges, 'merge')} of objects that are single in truth "
        f"(seed {setting.seed}).{scored}",
        "The paper says of its document that all measures fall, that S_H, R, NMI and V fall at "
        "each step, A and N not, and that S_H alone goes from 1 to 0. In general S_H does both, "
        "R and V fall at each step, NMI does not where the truth is one cluster.",
    )
