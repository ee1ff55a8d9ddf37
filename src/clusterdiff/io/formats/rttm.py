"""Speech: RTTM files with the turns of speakers, and UEM files with the regions to score."""

from __future__ import annotations

import re
from collections import Counter
from contextlib import ExitStack
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
NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")
EXACT = 4 * 10**6
"""Seconds up to which floating-point numbers are exact to the nanosecond."""


def read_rttm(source: Source) -> AnyClustering:
    """When who speaks: a cover, in which silence is in no cluster."""
    rows: list[list[str]] = []
    files: dict[str, str] = {}
    channels: dict[str, str] = {}
    skipped: Counter[str] = Counter()
    shown = [part.shown for part in source.parts] or [source.shown]
    blank = []
    for text, name in zip(source.texts(), shown, strict=True):
        before = len(rows)
        for number, line in enumerate(text.split("\n"), 1):
            cells = line.split()
            if not cells or cells[0].startswith(";;"):
                continue
            if cells[0] != "SPEAKER":
                skipped[cells[0]] += 1
                continue
            if len(cells) not in FIELDS:
                raise _broken(name, number, f"has {len(cells)} fields, and RTTM has 9 or 10")
            file, channel, speaker = cells[1], cells[2], cells[7]
            if speaker == "<NA>":
                raise _broken(name, number, "names no speaker: its eighth field is <NA>")
            if files.setdefault(file, name) != name:
                raise ReadError(
                    f"the file {shorten(file, 60)} has turns both in {files[file]} and in {name}.",
                    "give each recording one RTTM file, or name the recordings apart.",
                )
            if channels.setdefault(file, channel) != channel:
                raise _broken(
                    name, number,
                    f"is of channel {channel} of {shorten(file, 60)}, and lines before it are of "
                    f"channel {channels[file]}, whose speakers would seem to speak at once",
                    "score one channel at a time, or give each channel a file name of its own.",
                )  # fmt: skip
            cells.append(f"{name}\0{number}")
            rows.append(cells)
        if len(rows) == before:
            blank.append(name)
    if not rows:
        raise ReadError(
            f"{source.shown} has no turn of a speaker"
            + (f", but lines of the types {listed_names(list(skipped))}." if skipped else "."),
            "turns are lines such as: SPEAKER talk 1 0.00 9.50 <NA> <NA> alice <NA> <NA>",
        )
    start, duration = (_times(rows, place, what) for place, what in ((3, "starts"), (4, "lasts")))
    for wrong, why in (
        (start < 0, "starts before the file does, at {} s"),
        (duration <= 0, "lasts {} s, and a turn takes time"),
    ):
        if wrong.any():
            row = rows[int(np.flatnonzero(wrong)[0])]
            value = row[3 if why.startswith("starts") else 4]
            more = f" (and so do {int(wrong.sum()) - 1:,} more)" if wrong.sum() > 1 else ""
            raise _broken(*_place(row), why.format(shorten(value, 20)) + more)
    turns = Turns.of([r[1] for r in rows], [r[7] for r in rows], start, start + duration)
    found = cover_of(turns)
    if skipped:
        found.notes += (_told(skipped),)
    if blank:
        hold = "1 file holds" if len(blank) == 1 else f"{len(blank):,} files hold"
        found.notes += (f"{hold} no turn: {listed_names(blank, 3)}",)
    found.blank = tuple(blank)
    return found


def _told(skipped: Counter[str]) -> str:
    """Lines that were skipped, by their types."""
    many, types = skipped.total(), sorted(skipped)
    lines = "1 line was" if many == 1 else f"{many:,} lines were"
    kinds = "type" if len(types) == 1 else "types"
    return (
        f"{lines} skipped, since turns of speakers are of the type SPEAKER: {kinds} "
        f"{listed_names(types, 4, 20)}"
    )


def _broken(shown: str, number: int, why: str, hint: str = "") -> ReadError:
    """What is wrong with a line."""
    return ReadError(
        f"{shown} could not be read: line {number:,} {why}.",
        hint
        or "a turn is a line such as: SPEAKER talk 1 0.00 9.50 <NA> <NA> alice <NA> <NA> (file, "
        "channel, start and duration in seconds, speaker).",
    )


def _place(row: list[str]) -> tuple[str, int]:
    """The file and the line of a row."""
    name, _, number = row[-1].rpartition("\0")
    return name, int(number)


def _times(rows: list[list[str]], place: int, what: str) -> Ints:
    """Times in seconds as whole nanoseconds."""
    texts = [row[place] for row in rows]
    matches = NUMBER.fullmatch
    for row, text in zip(rows, texts, strict=True):
        if matches(text) is None:
            raise _broken(
                *_place(row), f"{what} {shorten(text, 20)}, which is no number of seconds"
            )
    seconds = np.array(list(map(float, texts)))
    times = np.zeros(seconds.size, np.int64)
    near = np.abs(seconds) < EXACT
    times[near] = np.rint(seconds[near] * SECOND)
    for far in np.flatnonzero(~near).tolist():
        if not abs(seconds[far]) * SECOND < LONGEST:
            raise _broken(
                *_place(rows[far]), f"{what} {shorten(texts[far], 20)} seconds, more than 146 years"
            )
        times[far] = int((Decimal(texts[far]) * SECOND).to_integral_value())
    return times


# Regions to score: a line `file channel start end` for each, in seconds.


def read_uem(path: str) -> Regions:
    """The regions of a UEM file."""
    from clusterdiff.io.files import WHOLE, decoded, opened, peek, whole

    rows: list[list[str]] = []
    with ExitStack() as stack:
        files, shown, parts = stack.enter_context(opened(path, WHOLE))
        names = [part.shown for part in parts] or [shown]
        for file, name in zip(files, names, strict=True):
            text = decoded(whole(file, peek(file, name)[1], name, WHOLE), name)
            for number, line in enumerate(text.split("\n"), 1):
                cells = line.split()
                if not cells or cells[0].startswith(";;"):
                    continue
                if len(cells) != 4:
                    raise _uem(name, number, f"has {len(cells)} fields, and UEM has 4")
                rows.append([*cells, f"{name}\0{number}"])
    if not rows:
        raise ReadError(f"{shown} has no region to score.", UEM)
    start, end = _times(rows, 2, "starts at"), _times(rows, 3, "ends at")
    if (wrong := np.flatnonzero(end <= start)).size:
        row = rows[int(wrong[0])]
        raise _uem(*_place(row), f"goes from {row[2]} to {row[3]} s, and must end later")
    named = tuple(dict.fromkeys(row[0] for row in rows))
    place = {name: i for i, name in enumerate(named)}
    return Regions(shown, named, np.array([place[row[0]] for row in rows], np.int64), start, end)


UEM = "a region is a line such as: talk 1 0.00 600.00 (file, channel, start and end in seconds)."


def _uem(shown: str, number: int, why: str) -> ReadError:
    return ReadError(f"{shown} could not be read: line {number:,} {why}.", UEM)


FORMAT = Format(
    "rttm",
    read_rttm,
    (".rttm",),
    """\
  .rttm         speech: turns of speakers; each file is a sample, time is counted""",
    begins=re.compile(rb"(?:\s*;;[^\n]*\n)*\s*(?:SPEAKER|SPKR-INFO)[ \t]+\S+[ \t]"),
    several=True,
)
