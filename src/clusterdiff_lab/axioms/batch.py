"""Many measures against many conditions."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context

from clusterdiff.measures import Measure, measures
from clusterdiff.progress import progress
from clusterdiff_lab.axioms.condition import Axiom
from clusterdiff_lab.axioms.conditions import all_conditions
from clusterdiff_lab.axioms.search import Search, judged
from clusterdiff_lab.axioms.subject import Function, Subject, Verdict, subject

Row = Mapping[str, Verdict]
"""The verdicts on one measure, by condition."""

VARIANTS = {
    "bcubed_f": ("bcubed_f", "bcubed_f(f='means')"),
    "elm_f": ("elm_f", "elm_f(f='means')"),
    "split_merge": ("split_merge", "split_merge(combine='mean')"),
    "vi_similarity_k": ("vi_similarity_k", "vi_similarity_k(k=3)"),
    "transport": ("transport(rand)", "transport(partition_distance)"),
    "adjusted": ("adjusted(bcubed_f)",),
}
"""Measures that are tried with other parameters than their own, or with some of their own too."""


def tried_measures() -> list[str]:
    """All measures, with the variants that the papers distinguish."""
    return [text for m in measures() for text in VARIANTS.get(m.name, (m.name,))]


def verdicts_on(
    given: str | Measure | Function | Subject,
    conditions: Iterable[Axiom],
    search: Search,
    advance: Callable[[int], None] = lambda done: None,
) -> Row:
    """One measure held against the conditions; what it scores is kept from one to the next."""
    on_trial, found = subject(given), {}
    for condition in conditions:
        found[condition.name] = judged(on_trial, condition, search)
        advance(1)
    return found


def all_verdicts(
    given: Iterable[str | Measure | Function | Subject],
    conditions: Iterable[Axiom],
    search: Search,
    jobs: int = 1,
) -> dict[str, Row]:
    """Each measure held against each condition; several measures at a time, if so many jobs."""
    trials, listed = list(given), list(conditions)
    names = _apart([subject(one).name for one in trials])
    if len(trials) == 1:
        with progress(f"{names[0]}, {len(listed)} conditions", len(listed)) as advance:
            return {names[0]: verdicts_on(trials[0], listed, search, advance)}
    with progress(f"{len(trials)} measures, {len(listed)} conditions", len(trials)) as advance:
        rows = []
        for row in _rows(trials, listed, search, jobs):
            rows.append(row)
            advance(1)
    return dict(zip(names, rows, strict=True))


def _rows(
    trials: list[str | Measure | Function | Subject],
    conditions: list[Axiom],
    search: Search,
    jobs: int,
) -> Iterator[Row]:
    named = [
        one
        for one in trials
        if isinstance(one, str) or (isinstance(one, Measure) and not one.has_function)
    ]  # others are more than their names say, and stay in this process
    if jobs < 2 or len(named) < len(trials) or not _are_known(conditions):
        yield from (verdicts_on(one, conditions, search) for one in trials)
        return
    names = tuple(condition.name for condition in conditions)
    with ProcessPoolExecutor(min(jobs, len(trials)), get_context("spawn")) as pool:
        yield from pool.map(partial(_in_another_process, names, search), map(str, named))


def _apart(names: list[str]) -> list[str]:
    """The names, those that come again with a number."""
    return [
        name if name not in names[:at] else f"{name} ({names[:at].count(name) + 1})"
        for at, name in enumerate(names)
    ]


def _are_known(conditions: list[Axiom]) -> bool:
    """Whether another process has these conditions under their names."""
    return all(any(one is known for known in all_conditions()) for one in conditions)


def _in_another_process(names: tuple[str, ...], search: Search, measure: str) -> Row:
    from clusterdiff_lab.axioms import axiom

    return verdicts_on(measure, [axiom(name) for name in names], search)


def cores() -> int:
    """How many processes can run at a time."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
