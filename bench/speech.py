"""Diarization error rates beside pyannote.metrics: python -m bench.speech [--files N] [--out FILE].

Recordings of ten minutes with two to six speakers, of whom a hypothesis confuses some. Both
packages score the same files in the same run; pyannote.metrics scores a part of them, since it
takes as long for each. No speaker overlaps itself, which it would count twice.
"""

from __future__ import annotations

import argparse
import random
import tempfile
import time
import warnings
from pathlib import Path

import clusterdiff as cd

PART = 10
"""Of so many recordings the peer scores one."""


def written(folder: Path, files: int, name: str = "all") -> tuple[str, str]:
    """A reference and a hypothesis of so many recordings."""
    rng = random.Random(files)
    lines: tuple[list[str], list[str]] = ([], [])
    for file in range(files):
        at, speakers = 0.0, rng.randint(2, 6)
        free: dict[str, float] = {}
        while at < 600:
            lasts, who = rng.uniform(0.5, 8), rng.randrange(speakers)
            heard = who if rng.random() < 0.85 else rng.randrange(speakers)
            start = max(0.0, at + rng.uniform(-0.3, 0.3))
            for side, begin, length, speaker in (
                (lines[0], at, lasts, f"s{who}"),
                (lines[1], start, max(0.1, lasts + rng.uniform(-0.5, 0.3)), f"x{heard}"),
            ):
                begin = max(begin, free.get(speaker, 0.0))
                free[speaker] = begin + length + 0.001
                side.append(
                    f"SPEAKER talk{file:05} 1 {begin:.3f} {length:.3f} <NA> <NA> {speaker} "
                    "<NA> <NA>\n"
                )
            at = max(0.0, at + lasts + rng.uniform(-1, 1.5))
    paths = folder / f"{name}.ref.rttm", folder / f"{name}.hyp.rttm"
    for path, text in zip(paths, lines, strict=True):
        path.write_text("".join(text))
    return str(paths[0]), str(paths[1])


def peer(paths: tuple[str, str], files: int) -> tuple[float, float, float]:
    """Seconds to read all files, seconds to score so many of them, and their error rate."""
    from pyannote.database.util import load_rttm
    from pyannote.metrics.diarization import DiarizationErrorRate

    begin = time.perf_counter()
    reference, hypothesis = map(load_rttm, paths)
    read = time.perf_counter() - begin
    metric = DiarizationErrorRate()
    begin = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name in list(reference)[:files]:
            metric(reference[name], hypothesis[name])
    return read, time.perf_counter() - begin, abs(metric)


def table(files: int) -> str:
    """Seconds of both, and how many times as fast we are."""
    some = max(1, files // PART)
    with tempfile.TemporaryDirectory() as folder:
        paths = written(Path(folder), files)
        few = written(Path(folder), some, "few")
        cd.diarization_error_rate(*few)  # what is loaded first
        their_read, their_score, theirs = peer(few, some)
        assert abs(cd.diarization_error_rate(*few) - theirs) < 1e-9
        times = []
        for _ in range(3):
            begin = time.perf_counter()
            sides = [cd.read(path) for path in paths]
            middle = time.perf_counter()
            cd.diarization_error_rate(*sides)
            times.append((middle - begin, time.perf_counter() - middle))
    read, score = (min(one) for one in zip(*times, strict=True))
    their_read, their_score = their_read * files / some, their_score * files / some
    rows = [("read RTTM", their_read, read), ("score", their_score, score)]
    rows += [("both", their_read + their_score, read + score)]
    lines = [f"| {what} | {a:.1f} | {b:.2f} | {a / b:.0f} × |" for what, a, b in rows]
    return "\n".join([
        f"Diarization error rate of {files:,} recordings of ten minutes; pyannote.metrics was "
        f"given {some:,} of them, and its time is multiplied.",
        "",
        "| | pyannote.metrics, s | clusterdiff, s | ratio |",
        "| --- | --- | --- | --- |",
        *lines,
    ])  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.speech", description=__doc__)
    parser.add_argument("--files", type=int, default=1000)
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    text = f"# Speech\n\nMade by `python -m bench.speech --files {given.files}`.\n\n"
    text += table(given.files) + "\n"
    print(text)
    if given.out:
        given.out.write_text(text)


if __name__ == "__main__":
    main()
