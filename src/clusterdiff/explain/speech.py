"""Who was taken for whom, and when: explanations of speech."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property
from itertools import zip_longest
from typing import Any, ClassVar, NamedTuple

import numpy as np

from clusterdiff.array_types import Bools
from clusterdiff.clusterings import Cover
from clusterdiff.errors import ClusterdiffError, did_you_mean, listed_names, shorten
from clusterdiff.explain.cover import Counterparts, CoverExplanation, Pairing, called
from clusterdiff.explain.ranking import TOP, in_column
from clusterdiff.measures.diarization import partners
from clusterdiff.output.describe import time_unit, unit_of
from clusterdiff.output.table import CellTable, percent

TIMES = 3
"""Stretches of time that are named in a line."""


@dataclass(frozen=True, eq=False)
class SpeakerPairs(Counterparts):
    """Speakers, each with the one that stands for it in the diarization error rate."""

    @cached_property
    def pairing(self) -> Pairing:
        """The matching of speakers with most common time."""
        m = self.meet
        of_truth, of_guess = partners(m), np.full(m.guess.clusters, -1)
        matched = np.flatnonzero(of_truth >= 0)
        of_guess[of_truth[matched]] = matched
        both = np.zeros(m.truth.clusters, np.int64)
        chosen = of_truth[m.shared.truth] == m.shared.guess
        both[m.shared.truth[chosen]] = m.shared.both[chosen]
        return Pairing(of_truth, of_guess, both)

    @cached_property
    def touched(self) -> Bools:
        """No row: whoever is right is right, whatever is wrong at other times."""
        return np.zeros(self.meet.rows, np.bool_)


class SpeechError(NamedTuple):
    """Time in which a speaker is missed, invented, or taken for another one."""

    error: str
    """missed, false alarm or confusion."""
    truth: Any
    """The speaker of truth; None of a false alarm."""
    guess: Any
    """The speaker of guess; None where speech is missed."""
    stands_for: Any
    """The speaker of truth that the one of guess stands for, or None."""
    seconds: float
    when: list[str]
    """From and to in seconds, behind the file where there are several."""


@dataclass(frozen=True, eq=False, repr=False)
class SpeechExplanation(CoverExplanation):
    """Where speech was missed, invented or given to the wrong speaker, ranked by what it costs.

    Amounts of objects are milliseconds, or a finer unit where the boundaries need one; they are
    shown in seconds. Below the places stands who was taken for whom.
    """

    default = "diarization_error_rate"
    pairs_of: ClassVar[type[Counterparts]] = SpeakerPairs

    @property
    def _second(self) -> int:
        """How many objects a second has."""
        return unit_of(self.meet).second

    @cached_property
    def errors(self) -> list[SpeechError]:
        """Who was missed, invented or taken for whom, the longest first.

        Where more speakers are wrong at once than one of each side, they are paired in the order of
        their names; how long speech is missed, invented and confused does not depend on that.
        """
        found: dict[tuple[Any, Any, Any], tuple[list[int], list[str]]] = defaultdict(
            lambda: ([], [])
        )
        lost, gained = self.counterparts.changed
        for row in np.flatnonzero(lost + gained).tolist():
            change = self.counterparts.change(row)
            gains = zip(change.gained, change.stands_for, strict=True)
            pairs = zip_longest(
                sorted(change.lost, key=str), sorted(gains, key=str), fillvalue=None
            )
            for truth, gain in pairs:
                times, when = found[truth, *(gain or (None, None))]
                times.append(int(self.meet.both[row]))
                when += self.located.ids(row, None)
        errors = [
            SpeechError(
                "missed" if guess is None else "false alarm" if truth is None else "confusion",
                truth, guess, stands, sum(times) / self._second, _joined(when),
            )
            for (truth, guess, stands), (times, when) in found.items()
        ]  # fmt: skip
        return sorted(errors, key=lambda one: (-one.seconds, one.error, one.when[0]))

    @cached_property
    def seconds(self) -> dict[str, float]:
        """Speech, and how much of it is missed, invented and confused."""
        totals = {"speech": int(self.meet.truth.size.sum()) / self._second}
        for part in ("missed", "false alarm", "confusion"):
            totals[part] = sum(one.seconds for one in self.errors if one.error == part)
        return totals

    @cached_property
    def files(self) -> list[str]:
        """The files that are explained; one without a name is empty."""
        ids = self.located.truth.ids, self.located.guess.ids
        every = [one for side in ids if side is not None for one in side.tolist()]
        return list(dict.fromkeys(time_of(one)[0] for one in every))

    def file_named(self, file: str | None) -> str:
        """A file by its name; if none is named, the one with most errors."""
        if file is None:
            wrong = dict.fromkeys(self.files, 0.0)
            for where, start, end in (time_of(when) for one in self.errors for when in one.when):
                wrong[where] += end - start
            return max(wrong, key=lambda name: wrong[name], default="")
        if file not in self.files:
            raise ClusterdiffError(
                f"no file is called {shorten(file, 60)}.",
                f"{did_you_mean(file, self.files)}There are {listed_names(self.files)}.",
            )
        return file

    def turns(self, side: str, file: str) -> dict[str, tuple[Any, list[tuple[float, float]]]]:
        """For each speaker of a side in a file the one of truth that it stands for, and when it
        speaks in what is scored, in seconds.
        """
        cover = self.located.truth if side == "truth" else self.located.guess
        assert isinstance(cover, Cover)
        assert cover.ids is not None
        own = self.counterparts.truth if side == "truth" else self.counterparts.guess
        others = self.counterparts.truth.names
        stands = range(len(own.names)) if side == "truth" else self.counterparts.pairing.guess
        of = {
            str(name): others[int(other)] if other >= 0 else None
            for name, other in zip(own.names, stands, strict=True)
        }
        each = cover.sets.take(cover.code)
        ids, labels = cover.ids.tolist(), cover.labels.tolist()
        spans = defaultdict(list)
        for owner, member in zip(each.owner.tolist(), each.member.tolist(), strict=True):
            if time_of(ids[owner])[0] == file:
                spans[str(labels[member])].append(ids[owner])
        return {
            name: (of.get(name), [time_of(one)[1:] for one in _joined(some)])
            for name, some in sorted(spans.items())
        }

    def sentences(self) -> list[str]:
        """How much speech is missed, confused and invented; then what became of objects."""
        speech, *rest = self.seconds.values()
        told = [
            f"{part:,.3f} s" + (f" ({percent(part / speech)})" if speech else "") for part in rest
        ]
        first = (
            f"Of {speech:,.3f} s of speech, {told[0]} are missed and {told[2]} are confused; "
            f"{told[1]} are false alarms."
        )
        shares, _, found = super().sentences()  # memberships are what the first sentence tells
        shares = shares.replace(":", " in which somebody speaks:", 1)
        return [first, shares, found.replace("cluster", "speaker")]

    def cluster_table(self, top: int | None = TOP, width: int = 120) -> CellTable:
        """Who was missed, invented or taken for whom, for how long and when."""
        rows = []
        for one in self.errors[:top]:
            more = f", {len(one.when) - TIMES:,} more" if len(one.when) > TIMES else ""
            names = ("" if n is None else in_column(called([n]), width)
                     for n in (one.truth, one.guess, one.stands_for))  # fmt: skip
            when = ", ".join(one.when[:TIMES]) + more
            rows.append((one.error, *names, f"{one.seconds:,.3f}", when))
        headings = ("error", "truth", "guess", "stands for", "seconds", "when")
        return CellTable(headings, tuple(rows))

    def facts(self, top: int | None) -> dict[str, Any]:
        """As JSON-ready values: the errors too."""
        errors = [one._asdict() for one in self.errors[:top]]
        told = {"speech": {"seconds": self.seconds, "errors": errors}}
        return super().facts(top) | told | time_unit(self.meet)


def time_of(id: str) -> tuple[str, float, float]:
    """The file of a stretch of time, and from when to when it goes, in seconds."""
    file, _, span = id.rpartition(" ")
    start, _, end = span.partition("-")
    return file, float(start), float(end)


def _joined(ids: list[str]) -> list[str]:
    """Stretches of time in their order, those that touch as one."""
    spans = []
    for one in ids:
        file, _, span = one.rpartition(" ")
        start, _, end = span.partition("-")
        spans.append((file, float(start), start, end))
    found: list[tuple[str, str, str]] = []
    for file, _, start, end in sorted(spans):
        if found and found[-1][0] == file and found[-1][2] == start:
            found[-1] = (file, found[-1][1], end)
        else:
            found.append((file, start, end))
    return [f"{file} {start}-{end}".lstrip() for file, start, end in found]
