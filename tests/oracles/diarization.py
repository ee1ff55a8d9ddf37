"""Speech as frames: who speaks in each of them, and which frames are scored.

A turn is (start, end, speaker) in whole frames, the end excluded; what is scored is decided frame
by frame, as pyannote.metrics describes it.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable

from .overlapping import Cover

Turn = tuple[int, int, Hashable]


def speech(turns: Iterable[Turn], frame: int) -> set[Hashable]:
    """Who speaks in a frame."""
    return {who for start, end, who in turns if start <= frame < end}


def joined(turns: Iterable[Turn]) -> list[Turn]:
    """Turns of a speaker that overlap, as one; those that touch stay as they are."""
    found: list[Turn] = []
    for turn in sorted(turns, key=lambda one: (str(one[2]), one[0], one[1])):
        if found and found[-1][2] == turn[2] and turn[0] < found[-1][1]:
            found[-1] = (found[-1][0], max(found[-1][1], turn[1]), turn[2])
        else:
            found.append(turn)
    return found


def scored_frames(
    truth: Iterable[Turn],
    guess: Iterable[Turn],
    *,
    collar: int = 0,
    skip_overlap: bool = False,
    uem: Iterable[tuple[int, int]] | None = None,
) -> tuple[Cover, Cover]:
    """What both say of each frame that is scored; `collar` is an even number of frames."""
    ours, theirs = list(truth), list(guess)
    edges = [edge for start, end, _ in joined(ours) for edge in (start, end)]
    last = max((end for _, end, _ in [*ours, *theirs]), default=0)
    kept = []
    for frame in range(last):
        inside = uem is None or any(start <= frame < end for start, end in uem)
        near = any(edge - collar // 2 <= frame < edge + collar // 2 for edge in edges)
        crowded = skip_overlap and len(speech(ours, frame)) > 1
        if inside and not near and not crowded:
            kept.append(frame)
    return {f: speech(ours, f) for f in kept}, {f: speech(theirs, f) for f in kept}
