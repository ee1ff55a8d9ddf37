"""A run held against pairs that somebody has judged: same cluster, or not."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from clusterdiff.clusterings import Partition
from clusterdiff.engines.columns import find_pair_columns
from clusterdiff.errors import ClusterdiffError, examples, printable, some
from clusterdiff.explain.ranking import NO_RECORDS, Entry, RecordTable, name_of
from clusterdiff.io.sides import RecordOptions, opened, records_of
from clusterdiff.output.describe import count
from clusterdiff.output.result import Block, Listing, Result, paragraphs
from clusterdiff.output.table import CellTable
from clusterdiff.output.text import hung, wrapped
from clusterdiff.sampling.labelled_pairs import rows_of_table, yes_or_no
from clusterdiff.sampling.sample import as_partition

if TYPE_CHECKING:
    from clusterdiff.io.records import Records
    from clusterdiff.io.sides import Opened

SAME = ("same", "label", "judgement", "judgment", "match", "is_match", "decision")
"""What the column of the judgement may be called."""
TOP = 20
"""Violations that are shown."""


@dataclass(frozen=True)
class Violation(Entry):
    """A pair that a run puts together though it should not, or keeps apart though it should not."""

    left: Any
    right: Any
    same: bool
    """What was judged."""
    clusters: tuple[Any, Any]
    sample: Any = None
    note: str = ""

    marks: ClassVar[Mapping[str, str]] = {"cluster": "run"}

    @property
    def start(self) -> str:
        """What is wrong with it."""
        return f"  {'split' if self.same else 'merged':<7}  "

    def total(self) -> int:
        """Two records."""
        return 2

    def lines(self, ids: int | None = None) -> list[str]:
        """Which records, where they are, and where they should be."""
        where = "" if self.sample is None else f", in {name_of(self.sample)}"
        one, other = map(name_of, (self.left, self.right))
        if self.same:
            first, second = map(name_of, self.clusters)
            told = f"{one} and {other} belong together: the run has them in {first} and {second}"
        else:
            told = (
                f"{one} and {other} belong apart: the run has both in {name_of(self.clusters[0])}"
            )
        return [f"{told}{where}", *([self.note] if self.note else [])]

    def in_table(self, ids: int | None = None) -> tuple[str, ...]:
        """The pair in a table."""
        return (
            name_of(self.left), name_of(self.right), "together" if self.same else "apart",
            *map(name_of, self.clusters),
        )  # fmt: skip

    def rows(self) -> list[dict[str, Any]]:
        """A row for each of the two."""
        ends = zip((self.left, self.right), self.clusters, strict=True)
        return [{"sample": self.sample, "id": id, "cluster": name} for id, name in ends]

    def to_dict(self) -> dict[str, Any]:
        """Everything, as JSON-ready values."""
        return {
            "sample": self.sample, "left": self.left, "right": self.right, "same": self.same,
            "left_cluster": self.clusters[0], "right_cluster": self.clusters[1], "note": self.note,
        }  # fmt: skip


@dataclass(frozen=True, eq=False, repr=False)
class JudgementCheck(Result):
    """A run held against judged pairs: those that it violates."""

    schema = "check/1"
    columns = ("sample", "left", "right", "same", "left_cluster", "right_cluster", "note")

    checked: int
    """Judgements of which the run has both records."""
    unknown: int
    """Judgements of which it lacks one."""
    violations: list[Violation]
    attributes: Records | None = None

    @property
    def passed(self) -> bool:
        """Whether the run violates no judgement."""
        return not self.violations

    def headline(self) -> str:
        """How many judgements the run violates."""
        split = sum(one.same for one in self.violations)
        merged = len(self.violations) - split
        kinds = [f"{n:,} {what}" for n, what in ((split, "split"), (merged, "merged")) if n]
        verb = "is" if len(self.violations) == 1 else "are"
        told = f"{len(self.violations):,} of {count(self.checked, 'judgement')} {verb} violated"
        return f"{told}: {', '.join(kinds)}." if kinds else f"{told}."

    def notes(self) -> list[str]:
        """Judgements that could not be checked."""
        if not self.unknown:
            return []
        several = self.unknown > 1
        why = "they have records" if several else "it has a record"
        were = "were" if several else "was"
        return [f"{count(self.unknown, 'judgement')} {were} not checked: {why} that the run lacks."]

    def blocks(self, width: int, top: int | None = TOP) -> Iterator[Block]:
        """How many judgements are violated, and which, with their records."""
        yield wrapped(self.headline(), width)
        shown = self.violations[:top]
        lines = []
        for one, records in zip(shown, self._beside(shown), strict=True):
            lines.append(hung(one.start, list(map(printable, one.lines())), width))
            lines += filter(None, [records.to_text(width)])
        if len(self.violations) > len(shown):
            lines.append(f"  … and {len(self.violations) - len(shown):,} more")
        if lines:
            yield Listing("\n".join(lines), self.table(top))
        yield from paragraphs(self.notes(), width)

    def _beside(self, shown: Sequence[Violation]) -> list[RecordTable]:
        """What else is known of the records of violations."""
        known = self.attributes
        if known is None or not known.columns:
            return [NO_RECORDS for _ in shown]
        rows = [row for one in shown for row in one.rows()]
        samples = [row["sample"] for row in rows]
        sampled = any(sample is not None for sample in samples)
        found = known.of([row["id"] for row in rows], samples if sampled else None)
        if all(value is None for own in found for value in own):
            return [NO_RECORDS for _ in shown]
        return [
            RecordTable.of(one, one.rows(), known.columns, found[2 * i : 2 * i + 2])
            for i, one in enumerate(shown)
        ]

    def table(self, top: int | None = TOP) -> CellTable:
        """The violations as a table for display."""
        headings = ("left", "right", "belong", "run: left", "run: right")
        return CellTable(headings, tuple(one.in_table() for one in self.violations[:top]))

    def records(self, top: int | None = None) -> list[dict[str, Any]]:
        """A row for each violation."""
        return [one.to_dict() for one in self.violations[:top]]

    def to_dict(self, top: int | None = None) -> dict[str, Any]:
        """Everything, as JSON-ready values."""
        return {
            "passed": self.passed,
            "checked": self.checked,
            "unknown": self.unknown,
            "violations": self.records(top),
        }


def check_judgements(
    run: Any,
    judgements: Any,
    *,
    samples: Any = None,
    engine: Any = None,
    records: Any = None,
    show: str | Sequence[str] | None = None,
) -> JudgementCheck:
    """Check a run against pairs of records that somebody has judged: same cluster, or not.

    >>> judged = [{"left": 1, "right": 2, "same": "yes"}, {"left": 2, "right": 3, "same": "no"}]
    >>> print(check_judgements({1: "a", 2: "b", 3: "b"}, judged))
    2 of 2 judgements are violated: 1 split, 1 merged.
    <BLANKLINE>
      split    1 and 2 belong together: the run has them in a and b
      merged   2 and 3 belong apart: the run has both in b

    `judgements` is a table (a path, a frame, a list of dicts) with a row for each pair: two columns
    of ids, named as in scored pairs (left and right, id_l and id_r), and a column same with yes or
    no. `clusterdiff decisions` and `cd.decisions(…).judgements()` make one of reviewed decisions.
    Violations are shown with their records, as in `explain`.
    """
    sides = opened(engine, run, {}, None, samples)
    return check_sides(sides, judgements, RecordOptions(records, show))


def check_sides(sides: Opened, judgements: Any, shown: RecordOptions) -> JudgementCheck:
    """The check of a run that is opened here."""
    judged = list(_judged(judgements))
    with sides as (sessions, side, _):
        known = records_of([side], shown)
        whole = as_partition(sessions.loaded(side), "judgements are about a partition, and the run")
    clusters = _clusters(whole, judged)
    violations, checked = [], 0
    for given, left, right, same, note in judged:
        sample = None if whole.samples is None else given
        one, other = (clusters.get((sample, id)) for id in (left, right))
        if one is None or other is None:
            continue
        checked += 1
        if (one[0] == other[0]) != same:
            ends = (one[2], other[2])
            violations.append(Violation(*ends, same, (one[1], other[1]), sample, note))
    if not checked:
        raise ClusterdiffError(
            f"the run has both records of none of {count(len(judged), 'judgement')} "
            f"({examples([f'{left} – {right}' for _, left, right, *_ in judged])}).",
            "are these the ids of the run?",
        )
    return JudgementCheck(checked, len(judged) - checked, violations, known)


Judged = tuple[str | None, str, str, bool, str]
"""Sample, two ids, whether they belong together, and a note."""


def _clusters(
    run: Partition, judged: Sequence[Judged]
) -> dict[tuple[str | None, str], tuple[Any, Any, Any]]:
    """The cluster of each judged record: what distinguishes it, its name, and the id as it is."""
    sampled = run.samples is not None
    if sampled and any(sample is None for sample, *_ in judged):
        raise ClusterdiffError(
            "the run has samples, and the judgements have no column sample.",
            "say in which sample each pair is.",
        )
    wanted = {(sample if sampled else None, id) for sample, *ids, _, _ in judged for id in ids}
    ids = range(len(run)) if run.ids is None else run.ids.tolist()
    samples = [None] * len(run) if run.samples is None else map(str, run.samples.tolist())
    return {
        (sample, str(id)): ((sample, label), label, id)
        for sample, id, label in zip(samples, ids, run.labels.tolist(), strict=True)
        if (sample, str(id)) in wanted
    }


def _judged(given: Any) -> Iterator[Judged]:
    """The judgements of a table."""
    rows = [{str(k).strip(): v for k, v in row.items()} for row in rows_of_table(given)]
    if not rows:
        raise ClusterdiffError("there are no judgements.", FORM)
    names = list(dict.fromkeys(name for row in rows for name in row))
    lower = {name.lower(): name for name in names}
    same = next((lower[name] for name in SAME if name in lower), None)
    if same is None:
        raise ClusterdiffError(
            f"the judgements have no column same; they have {some(names)}.", FORM
        )
    others = [name for name in names if name != same]
    columns = find_pair_columns("the table of judgements", others, score="", scored=False)
    answers = [yes_or_no(row.get(same)) for row in rows]
    if wrong := [row.get(same) for row, one in zip(rows, answers, strict=True) if one is None]:
        raise ClusterdiffError(
            f"{len(wrong):,} of {len(rows):,} values of {same} are not yes or no "
            f"({examples(wrong)}).",
            "write yes or no in each row; leave out pairs that nobody could decide.",
        )
    for row, answer in zip(rows, answers, strict=True):
        sample = row.get(lower.get("sample", ""))
        left, right = str(row[columns.left]), str(row[columns.right])
        note = str(row.get(lower.get("note", "")) or "")
        yield (str(sample) if sample not in (None, "") else None), left, right, bool(answer), note


FORM = "a row for each pair has the columns left, right and same, e.g. r1,r2,yes."
