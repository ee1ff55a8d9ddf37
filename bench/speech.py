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
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from statistics import median
from typing import Any

import clusterdiff as cd

PART = 10
"""Of so many recordings the peer scores one."""
TIMES = 3
"""How often all is measured."""


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


def loaded(paths: tuple[str, str]) -> list[list[Any]]:
    """The annotations of both files as the peer reads them, one for each recording."""
    load: Any = import_module("pyannote.database.util").load_rttm
    return [list(load(path).values()) for path in paths]


def peer(paths: tuple[str, str]) -> tuple[float, float, float, list[list[Any]]]:
    """Seconds to read files and to score them, their error rate, and what was read."""
    from pyannote.metrics.diarization import DiarizationErrorRate

    begin = time.perf_counter()
    read = loaded(paths)
    middle = time.perf_counter()
    metric = DiarizationErrorRate()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for reference, hypothesis in zip(*read, strict=True):
            metric(reference, hypothesis)
    end = time.perf_counter()
    return middle - begin, end - middle, abs(metric), read


def seconds(call: Callable[[], Any]) -> float:
    """How long a call takes."""
    begin = time.perf_counter()
    call()
    return time.perf_counter() - begin


def table(files: int) -> str:
    """Seconds of both, and how many times as fast we are."""
    some = max(1, files // PART)
    rows: dict[str, list[tuple[float, float]]] = {}
    with tempfile.TemporaryDirectory() as folder:
        paths = written(Path(folder), files)
        few = written(Path(folder), some, "few")
        cd.compare(*few, "der")  # what is loaded first
        truth, guess = loaded(paths)
        for _ in range(TIMES):
            read, score, rate, annotations = peer(few)
            for given in (few, annotations):
                assert abs(cd.diarization_error_rate(*given) - rate) < 1e-9
            read, score = read * files / some, score * files / some
            sides: list[Any] = []
            reading = seconds(lambda: sides.extend(map(cd.read, paths)))  # noqa: B023
            scoring = seconds(lambda: cd.diarization_error_rate(*sides))  # noqa: B023
            for what, theirs, ours in (
                ("read RTTM", read, reading),
                ("score", score, scoring),
                ("read and score", read + score, reading + scoring),
                ("cd.compare of files, each scored", read + score,
                 seconds(lambda: cd.compare(*paths, "der"))),
                ("score annotations in memory", score,
                 seconds(lambda: cd.diarization_error_rate(truth, guess))),
                ("cd.compare of annotations", score,
                 seconds(lambda: cd.compare(truth, guess, "der"))),
            ):  # fmt: skip
                rows.setdefault(what, []).append((theirs, ours))
    lines = []
    for what, times in rows.items():
        theirs, ours = (median(column) for column in zip(*times, strict=True))
        ratio = median(a / b for a, b in times)
        lines.append(f"| {what} | {theirs:.1f} | {ours:.2f} | {ratio:.0f} × |")
    return "\n".join([
        f"Diarization error rate of {files:,} recordings of ten minutes; pyannote.metrics was "
        f"given {some:,} of them, and its time is multiplied. Medians of {TIMES} runs.",
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
