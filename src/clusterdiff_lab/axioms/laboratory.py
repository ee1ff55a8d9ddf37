"""Measures held against conditions: one table with a mark for each, or all about one measure."""

from __future__ import annotations

import os
import string
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import groupby
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from clusterdiff.clusterings import AnyClustering, Cover, Partition, Rough
from clusterdiff.errors import WriteError
from clusterdiff.measures import Measure, measures
from clusterdiff.measures.base import CITATIONS
from clusterdiff.output import markup
from clusterdiff.output.describe import count
from clusterdiff.output.result import Block, Listing, Renderable
from clusterdiff.output.table import CellTable
from clusterdiff.output.text import columns, hung, pad, wrap_columns, wrapped
from clusterdiff.output.writing import write
from clusterdiff.progress import progress
from clusterdiff_lab.axioms import axiom, axioms
from clusterdiff_lab.axioms.condition import Axiom
from clusterdiff_lab.axioms.conditions import GROUPS, all_conditions
from clusterdiff_lab.axioms.search import Search, aligned
from clusterdiff_lab.axioms.subject import (
    Against,
    Function,
    Subject,
    Unfit,
    Verdict,
    subject,
)

Row = Mapping[str, Verdict]
"""The verdicts on one measure, by condition."""

VARIANTS = {
    "bcubed_f": ("bcubed_f", "bcubed_f(f='objects')"),
    "elm_f": ("elm_f", "elm_f(f='means')"),
    "nmi": ("nmi", "nmi(norm='max')"),
    "split_merge": ("split_merge", "split_merge(combine='mean')"),
    "vi_similarity_k": ("vi_similarity_k", "vi_similarity_k(k=3)"),
    "transport": ("transport(rand)", "transport(partition_distance)"),
    "adjusted": ("adjusted(bcubed_f(f='objects'))",),
}
"""Measures that are tried with other parameters than their own, or with some of their own too."""


def tried_measures() -> list[str]:
    """All measures, with the variants that the papers distinguish."""
    return [text for m in measures() for text in VARIANTS.get(m.name, (m.name,))]


Tried = str | Measure | Function | Subject


def verdicts_on(
    given: Tried,
    conditions: Iterable[Axiom],
    search: Search,
    advance: Callable[[int], None] = lambda done: None,
) -> Row:
    """One measure held against the conditions; its scores are kept from one to the next."""
    on_trial, verdicts = subject(given), {}
    for condition in conditions:
        verdicts[condition.name] = aligned(on_trial, condition, search)
        advance(1)
    return verdicts


def all_verdicts(
    trials: list[Tried], conditions: list[Axiom], search: Search, jobs: int = 1
) -> dict[str, Row]:
    """Each measure held against each condition, `jobs` measures at a time."""
    names = _apart([subject(one).name for one in trials])
    many = f"{len(conditions)} conditions"
    if len(trials) == 1:
        with progress(f"{names[0]}, {many}", len(conditions)) as advance:
            return {names[0]: verdicts_on(trials[0], conditions, search, advance)}
    verdicts = {}
    with progress(f"{len(trials)} measures, {many}", len(trials)) as advance:
        for name, row in zip(names, _rows(trials, conditions, search, jobs), strict=True):
            verdicts[name] = row
            advance(1)
    return verdicts


def _rows(trials: list[Tried], conditions: list[Axiom], search: Search, jobs: int) -> Iterator[Row]:
    # Another process finds measures and conditions by their names; a function, or a condition of
    # the user's own, is more than its name and stays in this one.
    named = all(
        isinstance(one, str) or (isinstance(one, Measure) and not one.has_function)
        for one in trials
    ) and all(any(one is ours for ours in all_conditions()) for one in conditions)
    if jobs < 2 or not named:
        yield from (verdicts_on(one, conditions, search) for one in trials)
        return
    names = tuple(condition.name for condition in conditions)
    with ProcessPoolExecutor(min(jobs, len(trials)), get_context("spawn")) as pool:
        yield from pool.map(partial(_verdicts_by_name, names, search), map(str, trials))


def _verdicts_by_name(names: tuple[str, ...], search: Search, measure: str) -> Row:
    return verdicts_on(measure, [axiom(name) for name in names], search)


def _apart(names: list[str]) -> list[str]:
    """The names, those that come again with a number."""
    return [
        name if name not in names[:at] else f"{name} ({names[:at].count(name) + 1})"
        for at, name in enumerate(names)
    ]


def cores() -> int:
    """How many processes can run at a time."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


FEW = 5
"""Measures up to which the counterexamples are written under the table."""
UNDER = "      "
LETTERS = string.ascii_lowercase + string.ascii_uppercase
KEY = (
    "✓ no case against it was found (no proof); = never the wrong way round, but equal; "
    "✗ a counterexample was found; · does not apply."
)
FIELDS = (
    "measure", "condition", "outcome", "tried", "ties", "against", "scope", "note", "objects",
    "counterexample", "values", "wanted", "commands",
)  # fmt: skip


def laboratory(
    measures: Iterable[Tried] | Tried | None = None,
    conditions: Iterable[str | Axiom] | str | Axiom | None = None,
    *,
    objects: int | None = None,
    larger: int = 300,
    climb: int = 1000,
    seed: int = 0,
    seconds: float | None = None,
    jobs: int = 1,
) -> Laboratory:
    """Hold measures, or functions of two lists of labels, against conditions; all by default.

    `objects`, `larger`, `climb`, `seed` and `seconds` (for each measure and condition) are those of
    `check`; `jobs` is how many processes work at a time.
    """
    given: list[Tried]
    if measures is None:
        given = list(tried_measures())
    elif isinstance(measures, str | Measure | Subject) or callable(measures):
        given = [measures]
    else:
        given = list(measures)
    if isinstance(conditions, str | Axiom):
        conditions = [conditions]
    chosen = axioms() if conditions is None else [axiom(one) for one in conditions]
    search = Search(objects, larger, climb, seed, seconds)
    return Laboratory(all_verdicts(given, chosen, search, jobs), tuple(chosen))


def conditions_text(width: int = 80) -> str:
    """The conditions, group by group."""
    blocks = []
    for group, listed in groupby(axioms(), key=lambda one: one.group):
        rows = [(one.name, one.meaning) for one in listed]
        blocks.append(f"{wrapped(GROUPS.get(group, group), width)}\n{wrap_columns(rows, width)}")
    return "\n\n".join(blocks)


@dataclass(frozen=True, repr=False)
class Laboratory(Renderable):
    """The verdicts on some measures and some conditions."""

    rows: Mapping[str, Row]
    conditions: tuple[Axiom, ...]

    def __getitem__(self, measure: str) -> Row:
        return self.rows[measure]

    def __iter__(self) -> Iterator[Verdict]:
        return (verdict for row in self.rows.values() for verdict in row.values())

    @cached_property
    def groups(self) -> list[list[Axiom]]:
        """The conditions, group by group."""
        return [list(of) for _, of in groupby(self.conditions, key=lambda one: one.group)]

    def to_text(self, width: int | None = 80) -> str:
        """All about one measure; the table of several."""
        return super().to_text(width or 80)

    def blocks(self, width: int) -> Iterator[Block]:
        """All about one measure; the table of several, what its letters mean, and the sums."""
        if len(self.rows) == 1:
            yield self.about(next(iter(self.rows)), width)
            return
        letter = self._letters
        legend = [(letter[c.name], f"{c.name}: {c.meaning}") for c in self.conditions]
        yield Listing("\n\n".join(self._blocks(width)), self.table())
        yield Listing(wrap_columns(legend, width), CellTable(("", ""), tuple(legend)))
        yield wrapped(KEY, width)
        yield wrapped(self._sum(), width)

    @cached_property
    def _letters(self) -> dict[str, str]:
        return {c.name: LETTERS[k % len(LETTERS)] for k, c in enumerate(self.conditions)}

    def _blocks(self, width: int) -> list[str]:
        """The table, with as many groups of conditions side by side as fit."""
        first = max(map(columns, self.rows), default=0)
        blocks: list[list[list[Axiom]]] = [[]]
        room = width - first - 3 - len("   ✓  =  ✗")
        for group in self.groups:
            used = sum(len(g) + 1 for g in blocks[-1])
            if blocks[-1] and used + len(group) > room:
                blocks.append([])
            blocks[-1].append(group)
        texts = [self._block(groups, first, groups is blocks[0]) for groups in blocks]
        return [block for block in texts if block]

    def _block(self, groups: list[list[Axiom]], first: int, counted: bool) -> str:
        """Some groups side by side, with the sums of all; or without the measures they say nothing
        of.
        """
        head = " ".join("".join(self._letters[c.name] for c in group) for group in groups)
        lines = []
        for name, row in self.rows.items():
            marks = " ".join("".join(row[c.name].mark for c in group) for group in groups)
            counts = Counter(verdict.mark for verdict in row.values())
            ends = "  " + " ".join(f"{counts[mark]:>2}" for mark in "✓=✗") if counted else ""
            if counted or set(marks) - set("· "):
                lines.append(f"  {pad(name, first)} {marks}{ends}")
        top = f"  {pad('', first)} {head}" + ("   ✓  =  ✗" if counted else "")
        return "\n".join([top, *lines]) if lines else ""

    def _sum(self) -> str:
        counts = Counter(verdict.outcome for verdict in self)
        cases = sum(verdict.tried for verdict in self)
        return (
            f"{len(self.rows)} measures, {len(self.conditions)} conditions, {cases:,} cases: "
            f"{counts['holds']:,} hold, {counts['ties']:,} with ties, {counts['fails']:,} fail. "
            "All about one, and how far was looked: clusterdiff axioms elm_f"
        )

    def about(self, measure: str, width: int = 80) -> str:
        """All conditions for one measure, with the smallest case against each that fails."""
        parts = [measure]
        row = self.rows[measure]
        for group in self.groups:
            heading = wrapped(GROUPS.get(group[0].group, group[0].group), width)
            parts.append(f"{heading}\n{_group_text(group, row, width)}")
        counts = Counter(verdict.outcome for verdict in row.values())
        words = {"holds": "hold", "ties": "with ties", "fails": "fail"}
        if counts["does not apply"]:
            words["does not apply"] = "do not apply"
        counted = [
            f"{counts[one]} {one if counts[one] == 1 and one != 'ties' else many}"
            for one, many in words.items()
        ]
        parts.append(wrapped(f"{count(len(row), 'condition')}: {', '.join(counted)}.", width))
        parts.append(wrapped(KEY, width))
        return "\n\n".join(parts)

    def table(self) -> CellTable:
        """The marks as a table, a letter for each condition."""
        headings = ("measure", *(self._letters[c.name] for c in self.conditions))
        rows = [
            (name, *(row[c.name].mark for c in self.conditions)) for name, row in self.rows.items()
        ]
        return CellTable(headings, tuple(rows))

    def counterexamples(self) -> CellTable:
        """The smallest case against each condition that a measure does not satisfy."""
        headings = ("measure", "condition", "outcome", "cases", "ties", "against", "counterexample")
        rows = [
            (
                v.measure, v.axiom, v.outcome, f"{v.tried:,}", f"{v.ties:,}", f"{v.reversals:,}",
                str(v.counterexample).replace("\n", "; "),
            )
            for v in self if isinstance(v, Against)
        ]  # fmt: skip
        return CellTable(headings, tuple(rows))

    def to_markdown(self) -> str:
        """The table of marks, what its letters mean, and of few measures the counterexamples."""
        listed = CellTable(
            ("", "condition", "what it wants", "from"),
            tuple(
                (self._letters[c.name], c.name, c.meaning, CITATIONS[c.cite])
                for c in self.conditions
            ),
        )
        parts = [markup.to_markdown(self.table()), KEY, markup.to_markdown(listed), self._sum()]
        against = self.counterexamples()
        if against.rows and len(self.rows) <= FEW:
            parts.append(markup.to_markdown(against))
        return "\n\n".join(parts) + "\n"

    def to_csv(self) -> str:
        """A line for each measure and condition."""
        return markup.records_to_csv(self.records(), FIELDS)

    def to_json(self) -> str:
        """Everything, as JSON-ready values."""
        return markup.document("axioms/1", {"verdicts": self.records()})

    def records(self) -> list[dict[str, Any]]:
        """A record for each measure and condition."""
        return [_record(verdict) for verdict in self]

    def export(self, folder: str | Path) -> list[Path]:
        """Write the clusterings of each counterexample as files that `compare` reads."""
        written = []
        try:
            for verdict in self:
                if isinstance(verdict, Against):
                    place = Path(folder) / _file_name(verdict.measure) / verdict.axiom
                    place.mkdir(parents=True, exist_ok=True)
                    for part, clustering in verdict.counterexample.clusterings.items():
                        path = place / f"{part}.csv"
                        rows = _memberships(clustering)
                        write(path, markup.to_csv(("id", "cluster"), rows))
                        written.append(path)
        except OSError as error:
            raise WriteError.from_os(folder, error) from None
        return written


def _group_text(group: list[Axiom], row: Row, width: int) -> str:
    """The conditions of a group; if none applies, in one line."""
    reasons = {row[c.name].note for c in group}
    if len(reasons) == 1 and all(isinstance(row[c.name], Unfit) for c in group):
        names = ", ".join(c.name for c in group)
        return hung("  · ", [f"{names}: {reasons.pop()}"], width)
    return "\n".join(_verdict_text(c, row[c.name], width) for c in group)


def _verdict_text(condition: Axiom, verdict: Verdict, width: int) -> str:
    """A condition behind the mark of its verdict, with the counterexample."""
    counts: list[str] = []
    example: list[str] = []
    if isinstance(verdict, Against):
        counts += [f"{verdict.reversals:,} against it"] if verdict.reversals else []
        counts += [f"{verdict.ties:,} ties"] if verdict.ties else []
        lines = str(verdict.counterexample).splitlines()
        example = [wrapped(line, width, UNDER) for line in lines]
        example += [UNDER + command for command in verdict.counterexample.commands]
    search = "; ".join(filter(None, [", ".join(counts), verdict.scope, verdict.note]))
    return "\n".join(
        [
            hung(f"  {verdict.mark} ", [f"{condition.name}: {condition.meaning}"], width),
            wrapped(search, width, UNDER),
            *example,
        ]
    )


def _record(verdict: Verdict) -> dict[str, Any]:
    example = verdict.counterexample if isinstance(verdict, Against) else None
    return {
        "measure": verdict.measure,
        "condition": verdict.axiom,
        "outcome": verdict.outcome,
        "tried": verdict.tried,
        "ties": verdict.ties if isinstance(verdict, Against) else 0,
        "against": verdict.reversals if isinstance(verdict, Against) else 0,
        "scope": verdict.scope,
        "note": verdict.note,
        "objects": example and example.objects,
        "counterexample": example and dict(example.drawn),
        "values": example and {what: str(value) for what, value in example.values.items()},
        "wanted": example and example.wanted,
        "commands": example and list(example.commands),
    }


def _file_name(measure: str) -> str:
    return "".join(c if c.isalnum() or c in "_-." else "_" for c in measure)


def _memberships(clustering: AnyClustering) -> list[tuple[Any, Any]]:
    """An object and a cluster in each row."""
    ids = range(1, len(clustering) + 1) if clustering.ids is None else clustering.ids.tolist()
    if isinstance(clustering, Partition):
        return list(zip(ids, clustering.labels.tolist(), strict=True))
    assert isinstance(clustering, Cover | Rough)
    sets = clustering.sets.take(clustering.code)
    return [(ids[x], k + 1) for x, k in zip(sets.owner.tolist(), sets.member.tolist(), strict=True)]
