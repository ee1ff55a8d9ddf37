"""Speech: RTTM files with the turns of speakers, and UEM files with the regions to score."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from decimal import Decimal
from typing import TYPE_CHECKING

import numpy as np

from clusterdiff.array_types import Ints
from clusterdiff.errors import ReadError, listed_names, shorten
from clusterdiff.io.formats import Format
from clusterdiff.io.speech import LONGEST, SECOND, Regions, Turns, cover_of

if TYPE_CHECKING:
    from clusterdiff.clusterings import AnyClustering
    from clusterdiff.io.read import Source

FIELDS = 9, 10
"""Of a line of RTTM: type, file, channel, start, duration, ortho, subtype, speaker, confidence, and
in newer files lookahead."""
TURN = "SPEAKER talk 1 0.00 9.50 <NA> <NA> alice <NA> <NA>"
EXACT = 4 * 10**6
"""Seconds up to which floating-point numbers are exact to the nanosecond."""
DIGITS = frozenset("0123456789.+-eE")
"""What numbers are written with."""


@dataclass
class Rows:
    """Lines of files, column by column."""

    cells: list[list[str]]
    """The texts of each column that is read."""
    lines: list[tuple[str, int, range | list[int]]] = field(default_factory=list)
    """For each file its name, the row after its last one, and the lines that its rows stand in."""

    def place(self, row: int) -> tuple[str, int]:
        """The file and the line of a row."""
        before = 0
        for name, end, lines in self.lines:
            if row < end:
                return name, lines[row - before]
            before = end
        raise AssertionError

    def add(self, name: str, columns: Sequence[Sequence[str]], lines: range | list[int]) -> None:
        """The rows of a file."""
        for known, more in zip(self.cells, columns, strict=True):
            known += more
        self.lines.append((name, len(self.cells[0]), lines))


def read_rttm(source: Source) -> AnyClustering:
    """When who speaks: a cover, in which silence is in no cluster."""
    rows = Rows([[], [], [], [], []])
    skipped: Counter[str] = Counter()
    files: dict[str, str] = {}
    blank = []
    shown = [part.shown for part in source.parts] or [source.shown]
    for text, name in zip(source.texts(), shown, strict=True):
        before = len(rows.cells[0])
        _read_turns(text, name, rows, skipped)
        own = dict.fromkeys(rows.cells[0][before:])
        if again := next((file for file in own if file in files), None):
            raise ReadError(
                f"the file {shorten(again, 60)} has turns both in {files[again]} and in {name}.",
                "give each recording one RTTM file, or name the recordings apart.",
            )
        files |= dict.fromkeys(own, name)
        blank += [] if own else [name]
    if not rows.cells[0]:
        raise ReadError(
            f"{source.shown} has no turn of a speaker"
            + (f", but lines of the types {listed_names(list(skipped))}." if skipped else "."),
            f"turns are lines such as: {TURN}",
        )
    _check(rows)
    start, duration = _times(rows, 2, "starts at"), _times(rows, 3, "lasts")
    for wrong, column, why in (
        (start < 0, 2, "starts at {} s, before the file does"),
        (duration <= 0, 3, "lasts {} s, and a turn takes time"),
    ):
        if wrong.any():
            row = int(np.flatnonzero(wrong)[0])
            more = f" (and {int(wrong.sum()) - 1:,} more lines do so)" if wrong.sum() > 1 else ""
            raise _broken(rows.place(row), why.format(shorten(rows.cells[column][row], 20)) + more)
    turns = Turns.of(rows.cells[0], rows.cells[4], start, start + duration)
    found = cover_of(turns)
    if skipped:
        found.notes += (_told(skipped),)
    if blank:
        hold = "1 file holds" if len(blank) == 1 else f"{len(blank):,} files hold"
        found.notes += (f"{hold} no turn: {listed_names(blank, 3)}",)
    found.blank = tuple(blank)
    return found


def _read_turns(text: str, name: str, rows: Rows, skipped: Counter[str]) -> None:
    """The lines of a file that are turns of speakers."""
    lines = text.rstrip().count("\n") + 1
    cells = text.split()
    for fields in FIELDS:  # a file of nothing else is split at once
        if len(cells) == fields * lines and cells[::fields].count("SPEAKER") == lines:
            columns = [cells[place::fields] for place in (1, 2, 3, 4, 7)]
            return rows.add(name, columns, range(1, lines + 1))
    found, places = [], []
    for number, line in enumerate(text.split("\n"), 1):
        cells = line.split()
        if not cells or cells[0].startswith(";;"):
            continue
        if cells[0] != "SPEAKER":
            skipped[cells[0]] += 1
            continue
        if len(cells) not in FIELDS:
            raise _broken((name, number), f"has {len(cells)} fields, and RTTM has 9 or 10")
        found.append([cells[place] for place in (1, 2, 3, 4, 7)])
        places.append(number)
    return rows.add(name, list(zip(*found, strict=True)) or [()] * 5, places)


def _check(rows: Rows) -> None:
    """Refuse turns without a speaker, and files of several channels."""
    files, channels, _, _, speakers = rows.cells
    if "<NA>" in speakers:
        where = rows.place(speakers.index("<NA>"))
        raise _broken(where, "names no speaker: its eighth field is <NA>")
    if channels.count(channels[0]) == len(channels):
        return
    first: dict[str, str] = {}
    for row, (file, channel) in enumerate(zip(files, channels, strict=True)):
        if first.setdefault(file, channel) != channel:
            raise _broken(
                rows.place(row),
                f"is of channel {channel} of {shorten(file, 60)}, and lines before it are of "
                f"channel {first[file]}, whose speakers would seem to speak at once",
                "score one channel at a time, or give each channel a file name of its own.",
            )


def _told(skipped: Counter[str]) -> str:
    """Lines that were skipped, by their types."""
    many, types = skipped.total(), sorted(skipped)
    lines = "1 line was" if many == 1 else f"{many:,} lines were"
    kinds = "type" if len(types) == 1 else "types"
    return (
        f"{lines} skipped, since turns of speakers are of the type SPEAKER: {kinds} "
        f"{listed_names(types, 4, 20)}"
    )


def _broken(where: tuple[str, int], why: str, hint: str = "") -> ReadError:
    """What is wrong with a line."""
    return ReadError(
        f"{where[0]} could not be read: line {where[1]:,} {why}.",
        hint
        or f"a turn is a line such as: {TURN} (file, channel, start and duration in seconds, "
        "speaker).",
    )


def _times(rows: Rows, place: int, what: str, hint: str = "") -> Ints:
    """Times in seconds as whole nanoseconds."""
    texts = rows.cells[place]
    try:
        seconds = np.fromiter(map(float, texts), np.float64, len(texts))
        every = "".join(texts)
        plain = every.isascii() and "_" not in every and bool(np.isfinite(seconds).all())
    except ValueError:
        plain = False
    if not plain and not all(fits := list(map(_is_number, texts))):
        row = fits.index(False)
        what = f"{what} {shorten(texts[row], 20)}, which is no number of seconds"
        raise _broken(rows.place(row), what, hint)
    times = np.zeros(seconds.size, np.int64)
    near = np.abs(seconds) < EXACT
    times[near] = np.rint(seconds[near] * SECOND)
    for far in np.flatnonzero(~near).tolist():
        if not abs(seconds[far]) * SECOND < LONGEST:
            what = f"{what} {shorten(texts[far], 20)} seconds, more than 146 years"
            raise _broken(rows.place(far), what, hint)
        times[far] = int((Decimal(texts[far]) * SECOND).to_integral_value())
    return times


def _is_number(text: str) -> bool:
    try:
        return DIGITS.issuperset(text) and float(text) == float(text)
    except ValueError:
        return False


# Regions to score: a line `file channel start end` for each, in seconds.


def read_uem(path: str) -> Regions:
    """The regions of a UEM file."""
    from clusterdiff.io.files import WHOLE, decoded, opened, peek, whole

    rows = Rows([[], [], []])
    with ExitStack() as stack:
        files, shown, parts = stack.enter_context(opened(path, WHOLE))
        names = [part.shown for part in parts] or [shown]
        for file, name in zip(files, names, strict=True):
            found, places = [], []
            text = decoded(whole(file, peek(file, name)[1], name, WHOLE), name)
            for number, line in enumerate(text.split("\n"), 1):
                cells = line.split()
                if not cells or cells[0].startswith(";;"):
                    continue
                if len(cells) != 4:
                    why = f"has {len(cells)} fields, and UEM has 4"
                    raise _broken((name, number), why, REGION)
                found.append((cells[0], cells[2], cells[3]))
                places.append(number)
            rows.add(name, list(zip(*found, strict=True)) or [()] * 3, places)
    if not rows.cells[0]:
        raise ReadError(f"{shown} has no region to score.", REGION)
    start, end = _times(rows, 1, "starts at", REGION), _times(rows, 2, "ends at", REGION)
    if (wrong := np.flatnonzero(end <= start)).size:
        row = int(wrong[0])
        _, first, last = (column[row] for column in rows.cells)
        raise _broken(
            rows.place(row), f"goes from {first} to {last} s, and must end after it starts", REGION
        )
    named = tuple(dict.fromkeys(rows.cells[0]))
    place = {name: i for i, name in enumerate(named)}
    file_numbers = np.array([place[name] for name in rows.cells[0]], np.int64)
    return Regions(shown, named, file_numbers, start, end)


REGION = "a region is a line such as: talk 1 0.00 600.00 (file, channel, start and end in seconds)."


FORMAT = Format(
    "rttm",
    read_rttm,
    (".rttm",),
    """\
  .rttm         speech: turns of speakers; a file is a sample, time counts""",
    begins=re.compile(rb"(?:\s*;;[^\n]*\n)*\s*(?:SPEAKER|SPKR-INFO)[ \t]+\S+[ \t]"),
    several=True,
    empty=True,
)
