"""What follows from decisions: a corrected truth, and judged pairs to hold a run against."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from clusterdiff.browse.journal import VERDICTS, Decision, Journal
from clusterdiff.clusterings import Partition, column
from clusterdiff.errors import ClusterdiffError, examples, printable
from clusterdiff.io.read import unwrapped
from clusterdiff.io.sides import RecordOptions, opened, records_of
from clusterdiff.output.describe import count
from clusterdiff.output.markup import inert
from clusterdiff.output.result import TableResult
from clusterdiff.output.table import CellTable
from clusterdiff.output.text import wrapped
from clusterdiff.output.writing import Place, arrow_of, check_ending, copy_to_file, placed

if TYPE_CHECKING:
    from clusterdiff.io.sides import Opened

PROVENANCE = ("previous", "verdict", "decided_by", "decided_at", "note")
"""Columns beside the clusters of a corrected truth."""
JUDGED = ("sample", "left", "right", "same", "verdict", "decided_by", "decided_at", "note")
"""Columns of judged pairs."""
GROUPS = 30
"""Up to so many clusters of a decision, every two have a judged pair; else those a side joins."""


@dataclass(frozen=True)
class Change:
    """A record of a component that was decided, with the cluster that it is in from now on."""

    sample: Any
    id: Any
    previous: Any
    """None where truth lacked it."""
    cluster: Any
    changed: bool
    decision: Decision

    def provenance(self) -> tuple[Any, ...]:
        """Who decided what, and when; what the cluster was before, where it is another one."""
        one = self.decision
        assert one.verdict is not None
        previous = self.previous if self.changed else None
        return previous, VERDICTS[one.verdict], one.by, one.at, one.note or None


@dataclass(frozen=True, eq=False, repr=False)
class Decisions(TableResult):
    """Decisions on a truth: what they change in it."""

    schema = "decisions/1"
    columns = ("sample", "id", "cluster", *PROVENANCE)

    journal: Journal
    truth: Partition
    changes: list[Change]
    """Of all records of the components that were decided, in the order of the file."""
    attributes: dict[str, Sequence[Any]]
    """The other columns of the truth."""

    @classmethod
    def of(cls, journal: Journal, truth: Partition, attributes: dict[str, Any]) -> Decisions:
        """Decisions applied to the truth that they were made on."""
        return cls(journal, truth, list(_changes(journal, truth)), attributes)

    # The corrected truth.

    def to_columns(self) -> dict[str, list[Any]]:
        """The corrected truth in columns: those that it had, and who changed what and when. Records
        that it lacked come last.
        """
        truth, origin = self.truth, self.truth.origin
        new = [one for one in self.changes if one.previous is None and one.changed]
        names = _Names()
        made: dict[str, list[Any]] = {}
        place = _places(truth, self.changes)
        at = {place[_key(one)]: one for one in self.changes if _key(one) in place}
        if truth.samples is not None:
            name = names.new((origin and origin.sample) or "sample")
            made[name] = [*truth.samples.tolist(), *(one.sample for one in new)]
        if truth.ids is not None:
            name = names.new((origin and origin.id) or "id")
            made[name] = [*truth.ids.tolist(), *(one.id for one in new)]
        labels = truth.labels.tolist()
        for where, one in at.items():
            if one.changed:
                labels[where] = one.cluster
        cluster = names.new((origin and origin.cluster) or "cluster")
        made[cluster] = [*labels, *(one.cluster for one in new)]
        for name, values in self.attributes.items():
            made[names.new(name)] = [*values, *(None for _ in new)]
        nothing = (None,) * len(PROVENANCE)
        every = [at[i].provenance() if i in at else nothing for i in range(len(labels))]
        every += [one.provenance() for one in new]
        for name, own in zip(PROVENANCE, zip(*every, strict=True), strict=True):
            made[names.new(name)] = list(own)
        return made

    def write(self, path: Place, inputs: Iterable[str] = ()) -> None:
        """Write the corrected truth as CSV or Parquet, by the ending of the name."""
        columns = self.to_columns()
        last = list(columns)[-len(PROVENANCE) + 1 :]  # what is typed here is no formula elsewhere
        columns |= {name: [inert(value) for value in columns[name]] for name in last}
        _write(columns, path, inputs)

    def partition(self) -> Partition:
        """The corrected truth."""
        columns = list(self.to_columns().values())
        sampled, keyed = self.truth.samples is not None, self.truth.ids is not None
        ids = columns[sampled] if keyed else None
        samples = columns[0] if sampled else None
        return Partition(columns[sampled + keyed], ids=ids, samples=samples)

    # Judged pairs.

    def judgements(self) -> list[dict[str, Any]]:
        """Pairs of records that belong together, and that do not, by the decisions."""
        return [
            dict(zip(JUDGED, (one.sample, left, right, "yes" if same else "no",
                              VERDICTS[one.verdict or ""], one.by, one.at, one.note or None),
                     strict=True))
            for one in self.journal.decisions.values()
            if one.verdict in ("run", "truth")
            for left, right, same in _pairs(one)
        ]  # fmt: skip

    def write_judgements(self, path: Place, inputs: Iterable[str] = ()) -> None:
        """Write these pairs as CSV or Parquet, by the ending of the name."""
        rows = self.judgements()
        columns = {name: [row[name] for row in rows] for name in JUDGED}
        if all(value is None for value in columns["sample"]):
            del columns["sample"]
        for name in JUDGED[-3:]:
            columns[name] = [inert(value) for value in columns[name]]
        _write(columns, path, inputs)

    # What there is to say.

    def head(self, width: int = 80) -> str:
        """How many components were decided, and how many records change their cluster."""
        moved = [one for one in self.changes if one.changed]
        new = len({(one.sample, str(one.cluster)) for one in moved} - self._known())
        decided = count(sum(self._verdicts().values()), "component")
        change = "changes its cluster" if len(moved) == 1 else "change their clusters"
        made = f", {count(new, 'cluster')} {'is' if new == 1 else 'are'} new" if new else ""
        return wrapped(f"{decided} decided: {count(len(moved), 'record')} {change}{made}.", width)

    def _known(self) -> set[tuple[Any, str]]:
        before = {(one.sample, str(one.previous)) for one in self.changes}
        labels = set(map(str, self.truth.labels.tolist()))
        return before | {(one.sample, str(one.cluster)) for one in self.changes
                         if str(one.cluster) in labels}  # fmt: skip

    def _verdicts(self) -> Counter[str]:
        return Counter(one.verdict for one in self.journal.decisions.values() if one.verdict)

    def table(self) -> CellTable:
        """How often which verdict was given, and how many records it moves."""
        verdicts = self._verdicts()
        moved = Counter(one.decision.verdict for one in self.changes if one.changed)
        seen = Counter(one.decision.verdict for one in self.changes)
        rows = tuple(
            (words, f"{verdicts[name]:,}", f"{seen[name]:,}", f"{moved[name]:,}")
            for name, words in VERDICTS.items()
            if verdicts[name]
        )
        return CellTable(("verdict", "components", "records", "moved"), rows)

    def notes(self) -> list[str]:
        """Notes that stand alone."""
        alone = sum(one.verdict is None for one in self.journal.decisions.values())
        return [f"{count(alone, 'component')} with a note and no verdict."] if alone else []

    def records(self) -> list[dict[str, Any]]:
        """A row for each record that changes its cluster."""
        return [
            dict(zip(self.columns, (c.sample, c.id, c.cluster, *c.provenance()), strict=True))
            for c in self.changes
            if c.changed
        ]

    def to_dict(self) -> dict[str, Any]:
        """Everything, as JSON-ready values."""
        verdicts = self._verdicts()
        return {
            "comparison": {
                name: self.journal.header.get(name) for name in ("truth", "run", "digest")
            },
            "verdicts": {name: verdicts[name] for name in VERDICTS},
            "changes": self.records(),
        }


def decisions(
    path: Any,
    truth: Any,
    *,
    samples: Any = None,
    engine: Any = None,
) -> Decisions:
    """Apply the decisions that were made in `clusterdiff browse` to the truth that they are about.

    `path` is the file of decisions. The result says what changes; `partition()` is the corrected
    truth, `write("corrected.csv")` writes it with columns that say who changed what and when, and
    `judgements()` are pairs of records that belong together or do not, for `check_judgements`.
    """
    return decisions_on_sides(Journal.read(path), opened(engine, truth, {}, None, samples), truth)


def decisions_on_sides(
    journal: Journal, sides: Opened, truth: Any, shown: RecordOptions | None = None
) -> Decisions:
    """Decisions applied to a truth that is opened here."""
    with sides as (sessions, side, _):
        known = None
        if isinstance(truth, str) or hasattr(unwrapped(truth), "columns") or shown is not None:
            known = records_of([side], shown or RecordOptions(show="all"))
        whole = sessions.loaded(side)
        if not isinstance(whole, Partition):
            raise ClusterdiffError("decisions are about partitions, and this truth is not one.")
        attributes: dict[str, Any] = {}
        if known is not None and known.columns and whole.ids is not None:
            samples = None if whole.samples is None else whole.samples.tolist()
            found = known.of(whole.ids.tolist(), samples)
            columns = zip(*found, strict=True)
            attributes = dict(zip(known.columns, columns, strict=True)) if found else {}
    return Decisions.of(journal, whole, attributes)


# The changes.

Key = tuple[str | None, str]


def _key(one: Change) -> Key:
    return None if one.sample is None else str(one.sample), str(one.id)


def _keys(truth: Partition) -> Iterator[Key]:
    ids = range(len(truth)) if truth.ids is None else truth.ids.tolist()
    if truth.samples is None:
        return ((None, str(id)) for id in ids)
    samples = truth.samples.tolist()
    return ((str(sample), str(id)) for sample, id in zip(samples, ids, strict=True))


def _places(truth: Partition, changes: Sequence[Change]) -> dict[Key, int]:
    wanted = {_key(one) for one in changes}
    return {key: at for at, key in enumerate(_keys(truth)) if key in wanted}


def _changes(journal: Journal, truth: Partition) -> Iterator[Change]:
    """What becomes of the records that were decided; a truth that has changed since is refused."""
    decided = [one for one in journal.decisions.values() if one.verdict is not None]
    sampled = truth.samples is not None
    if not sampled and any(one.sample is not None for one in decided):
        raise ClusterdiffError(
            f"{journal.path} is about samples, and truth has none.",
            "name their column with samples=.",
        )
    wanted = {
        (None if one.sample is None else str(one.sample), str(record.id))
        for one in decided
        for record in one.records
    }
    place = {key: at for at, key in enumerate(_keys(truth)) if key in wanted}
    labels = truth.labels.tolist()
    fresh = _Fresh(labels)
    for one in decided:
        where = None if one.sample is None else str(one.sample)
        clusters = _clusters_of(one, fresh)
        for record in one.records:
            at = place.get((where, str(record.id)))
            _check(journal, one, record.id, record.truth, None if at is None else labels[at])
            previous = None if at is None else labels[at]
            new = clusters.get(record.right, previous) if one.verdict != "both" else previous
            if at is None and new is None:
                continue
            changed = at is None or str(new) != str(previous)
            yield Change(one.sample, record.id, previous, new, changed, one)


def _check(journal: Journal, one: Decision, id: Any, truth: int, label: Any) -> None:
    """Refuse a truth in which a record is not where it was when it was reviewed."""
    was = one.truth[truth] if truth >= 0 else None
    there, known = label is not None, truth >= 0
    if there == known and (was is None or str(was) == str(label)):
        return
    now = f"in {printable(str(label))}" if there else "not there"
    before = f"in {printable(str(was))}" if was is not None else "not in truth"
    raise ClusterdiffError(
        f"the truth has changed since it was reviewed: {examples([id])} was {before} and is {now}.",
        f"apply {journal.path} to the truth that was reviewed.",
    )


def _clusters_of(one: Decision, fresh: _Fresh) -> dict[int, Any]:
    """What the clusters that are right are called; those that keep their name are left out where
    that is noise.
    """
    found: dict[int, Any] = {}
    for right, name in enumerate(one.right):
        if name is not None:
            found[right] = name
            continue
        inside = [record.truth for record in one.records if record.right == right]
        whole = set(inside)
        others = {record.truth for record in one.records if record.right != right}
        if len(whole) == 1 and not whole & others and -1 not in whole:
            continue  # noise that stays as it is
        names = [one.truth[t] for t in inside if t >= 0 and one.truth[t] is not None]
        most = Counter(map(str, names)).most_common(1)
        found[right] = fresh.name(most[0][0] if most else "new")
    return found


class _Fresh:
    """Names that no cluster has yet."""

    def __init__(self, labels: Sequence[Any]) -> None:
        self._taken = set(map(str, labels))
        numbers = bool(labels) and all(isinstance(one, int) for one in labels)
        self._next = max(labels) + 1 if numbers else None

    def name(self, like: str) -> Any:
        """The next number, or the name with a number behind it."""
        if self._next is not None:
            self._next += 1
            return self._next - 1
        number = 2
        while (name := f"{like}~{number}") in self._taken:
            number += 1
        self._taken.add(name)
        return name


class _Names:
    """Names of columns, each once."""

    def __init__(self) -> None:
        self._taken: set[str] = set()

    def new(self, name: str) -> str:
        """This name, or one like it."""
        while name.lower() in self._taken:
            name = f"{name}_"
        self._taken.add(name.lower())
        return name


def _pairs(one: Decision) -> Iterator[tuple[Any, Any, bool]]:
    """Pairs that say what is right: of each cluster its first record with each other one, of two
    clusters a record each, if possible two that truth or the run had put together.
    """
    groups: dict[int, list[Any]] = {}
    for record in one.records:
        if record.right >= 0:
            groups.setdefault(record.right, []).append(record)
    for some in groups.values():
        yield from ((some[0].id, other.id, True) for other in some[1:])
    joined: dict[tuple[int, int], tuple[Any, Any]] = {}
    for side in (2, 1):  # the run first: what it joins wrongly is what comes back
        seen: dict[int, dict[int, Any]] = {}
        for record in one.records:
            if record.right >= 0 and record[side] >= 0:
                seen.setdefault(record[side], {}).setdefault(record.right, record.id)
        for inside in seen.values():
            for first, id in inside.items():
                for second, other in inside.items():
                    if first < second:
                        joined.setdefault((first, second), (id, other))
    if len(groups) <= GROUPS:
        order = sorted(groups)
        for place, first in enumerate(order):
            for second in order[place + 1 :]:
                joined.setdefault((first, second), (groups[first][0].id, groups[second][0].id))
    yield from ((*pair, False) for pair in joined.values())


def _write(columns: Mapping[str, list[Any]], path: Place, inputs: Iterable[str]) -> None:
    with placed(path, inputs, check_ending(path)) as beside:
        copy_to_file({name: arrow_of(column(values)) for name, values in columns.items()}, beside)
