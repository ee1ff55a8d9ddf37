"""A review: the parts of a comparison, the decisions on them, and what a decision means."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from clusterdiff.array_types import Bools, Ints
from clusterdiff.browse.index import PAGE, Filter, Index, Record
from clusterdiff.browse.journal import VERDICTS, Decision, OpenJournal

if TYPE_CHECKING:
    from clusterdiff.explain.ranking import BaseExplanation
    from clusterdiff.output.writing import Place

LONGEST = 10_000
"""Characters of a note."""


class Refused(Exception):
    """What a browser asked for cannot be done; why, in a sentence."""


class Review:
    """An index with the decisions on its parts, of which one is written at a time."""

    def __init__(self, index: Index, journal: OpenJournal, noise: Sequence[Any] = ()) -> None:
        self.index, self.journal = index, journal
        self._noise = set(map(str, noise))
        self._lock = threading.Lock()
        self.decided = np.zeros(index.parts + 1, np.bool_)
        for part in journal.decisions:
            self._note_decided(part)

    @classmethod
    @contextmanager
    def opened(
        cls,
        told: BaseExplanation[Any],
        names: tuple[str, str],
        decisions: Place,
        by: str = "",
        noise: Sequence[Any] = (),
        engine: Any = None,
    ) -> Iterator[Review]:
        """A review of an explanation of truth and a run of these names, begun or continued."""
        with Index.opened(told, engine) as index:
            comparison = {
                "truth": names[0], "run": names[1], "digest": index.digest,
                "records": index.fingerprint,
            }  # fmt: skip
            with OpenJournal.opened(decisions, comparison, by) as journal:
                yield cls(index, journal, noise)

    def _note_decided(self, part: str) -> None:
        if rank := self.index.rank_of.get(part):
            decision = self.journal[part]
            self.decided[rank] = decision is not None and decision.verdict is not None

    # The queue.

    def queue(self, asked: Filter) -> Ints:
        """The ranks of the parts that fit, in the order that is asked for."""
        ranks = self.index.queue(asked)
        return ranks[~self.decided[ranks]] if asked.undecided else ranks

    def step(self, asked: Filter, rank: int, by: int) -> int | None:
        """The part after one in the queue, or before it, whether that one still fits or not."""
        ranks = self.index.queue(asked)
        fits: Bools = ~self.decided[ranks] if asked.undecided else np.ones(ranks.size, np.bool_)
        here = np.flatnonzero(ranks == rank)
        if not here.size:
            left = ranks[fits]
            return int(left[0]) if left.size else None
        at = int(here[0])
        left = ranks[at + 1 :][fits[at + 1 :]] if by > 0 else ranks[:at][fits[:at]][::-1]
        return int(left[0]) if left.size else None

    def first(self, asked: Filter) -> int | None:
        """Where to go on: the first part of the queue without a decision, else the first one."""
        ranks = self.index.queue(asked)
        left = ranks[~self.decided[ranks]]
        some = left if left.size or asked.undecided else ranks
        return int(some[0]) if some.size else None

    def page_of(self, asked: Filter, rank: int) -> int:
        """The page of the queue that a part is on, from 1 on."""
        here = np.flatnonzero(self.queue(asked) == rank)
        return int(here[0]) // PAGE + 1 if here.size else 1

    @property
    def progress(self) -> tuple[int, float]:
        """How many parts are decided, and what share of the loss they have."""
        return int(self.decided.sum()), float(self.index.shares[self.decided].sum())

    # Decisions.

    def decide(
        self, part: str, verdict: str | None, note: str, base: str, moves: Mapping[str, Any]
    ) -> Decision:
        """Write a decision on a part. `moves` says for some of its records, by their place, where
        they belong instead of where `base` has them, truth or run.
        """
        if not self.index.decidable:
            raise Refused("Decisions are for partitions.")
        rank = self.index.rank_of.get(part)
        if rank is None:
            raise Refused("There is no such part.")
        if verdict is not None and verdict not in VERDICTS:
            raise Refused("There is no such verdict.")
        if base not in ("truth", "run") or len(note) > LONGEST:
            raise Refused("This is not a decision.")
        if verdict == "both" and moves:
            raise Refused("If both are defensible, no record moves: undo the moves first.")
        line: dict[str, Any] = {"part": part, "verdict": verdict, "note": note}
        if verdict is not None:
            line |= self._composed(rank, verdict, base, moves)
        with self._lock:
            made = self.journal.decide(line)
            self._note_decided(part)
        return made

    def undo(self, part: str | None) -> int | None:
        """Take a decision back: the last one on this part, or the last of all; its rank."""
        with self._lock:
            undone = self.journal.undo(part)
            if undone is None:
                return None
            self._note_decided(undone)
        return self.index.rank_of.get(undone)

    def _composed(
        self, rank: int, verdict: str, base: str, moves: Mapping[str, Any]
    ) -> dict[str, Any]:
        """The records of a part with their clusters on both sides, and those that are right."""
        records = self.index.records(rank, None)
        wrong = set(moves) - {str(one.place) for one in records}
        keys = {f"{side}{c}" for one in records for side, c in (("t", one.truth), ("g", one.guess))}
        for group in moves.values():
            if not isinstance(group, str) or not (
                group in keys or (group[:1] == "n" and group[1:].isdecimal())
            ):
                wrong.add(str(group))
        if wrong or {"t-1", "g-1"} & set(moves.values()):
            raise Refused("A record was moved to a group that there is not.")
        edges = self.index.edges(rank)
        truth = {e.truth: self._name(e.truth_name) for e in edges if e.truth >= 0}
        run = {e.guess: self._name(e.guess_name) for e in edges if e.guess >= 0}
        right = [""] * len(records)
        if verdict != "both":
            own = base if moves else {"run": "truth", "truth": "run"}[verdict]
            home: dict[int, int] = {}  # where the run has most of each truth cluster
            for edge in edges:
                if edge.guess >= 0:
                    home.setdefault(edge.truth, edge.guess)
            right = [moves.get(str(one.place)) or group_of(one, own, home) for one in records]
        names = self._names_of(records, right, truth)
        places = [{key: i for i, key in enumerate(some)} for some in (truth, run, names)]
        return {
            "sample": self.index.place(rank)[0],
            "truth": list(truth.values()), "run": list(run.values()),
            "right": list(names.values()),
            "records": [
                (one.id, places[0].get(one.truth, -1), places[1].get(one.guess, -1),
                 places[2].get(group, -1))
                for one, group in zip(records, right, strict=True)
            ],
        }  # fmt: skip

    def _name(self, name: Any) -> Any:
        """What a cluster is called; None where the name means noise."""
        return None if str(name) in self._noise else name

    def _names_of(
        self, records: Sequence[Record], right: Sequence[str], truth: Mapping[int, Any]
    ) -> dict[str, Any]:
        """What the clusters that are right are called. Those of truth keep their names; others take
        the name of the truth cluster that they have most of, where no other one has it.
        """
        groups = [group for group in dict.fromkeys(right) if group]
        shared = Counter(
            (group, one.truth)
            for one, group in zip(records, right, strict=True)
            if group and one.truth >= 0
        )
        names = {group: truth[int(group[1:])] for group in groups if group[0] == "t"}
        taken = {int(group[1:]) for group in names}
        for (group, cluster), _ in shared.most_common():
            if group not in names and cluster not in taken and truth[cluster] is not None:
                names[group] = truth[cluster]
                taken.add(cluster)
        return {group: names.get(group) for group in groups}


def group_of(record: Record, base: str, home: Mapping[int, int]) -> str:
    """The group that a record is in where nobody moves it: of the run, or of truth. A record that
    the run lacks stays with most of its truth cluster, and one that truth lacks is in no group of
    truth.
    """
    guess = record.guess if record.guess >= 0 else home.get(record.truth, -1)
    if base == "run" and guess >= 0:
        return f"g{guess}"
    return f"t{record.truth}" if record.truth >= 0 else ""
