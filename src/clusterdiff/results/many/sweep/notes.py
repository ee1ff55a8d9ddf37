"""What a sweep prints: what was swept, the best lines, and what to know of them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from clusterdiff.results.describe import TOGETHER, count, side_sizes
from clusterdiff.results.intervals import shown_p, with_interval, with_sign
from clusterdiff.results.many.sweep.text import shown_thresholds
from clusterdiff.results.render.table import CellTable, digits
from clusterdiff.results.render.text import columns, cut, pad, printable, wrapped

if TYPE_CHECKING:
    from clusterdiff.results.many.sweep.best import Best
    from clusterdiff.results.many.sweep.result import Sweep

NAMED = 20
"""Columns that the name of a file may take."""


def head_of(sweep: Sweep, width: int) -> str:
    """Truth, what was swept, and what was left out."""
    name = cut(printable(sweep.swept.shown), NAMED)
    room = max(columns(name), len("truth"))
    lines = [
        f"{pad('truth', room)}  {side_sizes(sweep.lines.meet(0), 'truth')}",
        f"{pad(name, room)}  {_said(sweep)}",
        *_left_out(sweep),
    ]
    return "\n".join(wrapped(line, width, more="  ") for line in lines).replace(TOGETHER, " ")


def _said(sweep: Sweep) -> str:
    swept = sweep.swept
    taken = " " + f"[{printable(swept.taken_for)}]".replace(" ", TOGETHER)
    if swept.levels:
        return f"{count(swept.objects, 'object')}: {', '.join(swept.levels[:4])}" + (
            ", …" if len(swept.levels) > 4 else ""
        )
    lines = len(sweep) - 1
    merging = f"{lines:,} of them merge{'s' if lines == 1 else ''} something"
    if swept.is_tree:
        return f"{count(swept.pairs, 'merge')} of {count(swept.objects, 'object')}, " + (
            f"{count(len(sweep) - 1, 'height')}{taken}"
        )
    return (
        f"{count(swept.pairs, 'pair')} of {count(swept.objects, 'object')}, "
        f"{count(swept.scores, 'score')}, {merging}{taken}"
    )


def _left_out(sweep: Sweep) -> list[str]:
    swept = sweep.swept
    told = []
    if swept.duplicates:
        told.append(f"{count(swept.duplicates, 'pair')} given again: the stronger score counts")
    if swept.self_pairs:
        told.append(f"{count(swept.self_pairs, 'pair')} of an object with itself: links nothing")
    if swept.unknown:
        fate = {
            "shared": "they link others and do not count",
            "singletons": "each is a true cluster of its own",
        }.get(sweep.policy.align, "")
        told.append(f"{count(swept.unknown, 'object')} of pairs not in truth: {fate}")
    if swept.silent:
        told.append(f"{count(swept.silent, 'object')} of truth in no pair: single on every line")
    if swept.noise:
        alone = sweep.policy.noise_as == "singletons"
        fate = "each a cluster of its own" if alone else "they link others and do not count"
        told.append(f"{count(swept.noise, 'noise object')} of truth: {fate}")
    return told


def table_of(sweep: Sweep) -> CellTable:
    """A row for each measure: the best score, its thresholds, the flat run, and how it looks."""
    level = sweep.lines.names is not None
    headings = ["", "best", "level" if level else "thresholds", f"within {sweep.slack:g}"]
    headings += ["clusters", "largest"]
    if sweep.fold is not None:
        headings.append("held out")
    rows = []
    for text in sweep.measures:
        best = sweep.best(text)
        score = with_interval(best.value, best.sure, digits(best.value))
        row = [text, score, where(sweep, best.line, best.line), where(sweep, *best.run)]
        row += [f"{best.clusters:,}", f"{best.largest:,}"]
        if sweep.fold is not None:
            row.append(_held_out(best))
        rows.append(tuple(row))
    return CellTable(tuple(headings), tuple(rows))


def _held_out(best: Best) -> str:
    found = best.held_out
    if found is None:
        return ""
    return f"{digits(found.value)} ({with_sign(found.value - found.in_sample, 4)})"


def where(sweep: Sweep, first: int, last: int) -> str:
    """The thresholds, or the levels, of a run of lines."""
    names = sweep.lines.names
    if names is not None:
        return names[first] if first == last else f"{names[first]}–{names[last]}"
    low, high = sweep.lines.interval(first, last)
    return shown_thresholds(low, high, sweep.distance, sweep.swept.whole)


def notes_of(sweep: Sweep) -> list[str]:
    """How thresholds are read, how flat the curve is, what the score is worth."""
    told = [_reading(sweep), *_flat(sweep), _worth(sweep), _part(sweep)]
    for text in sweep.measures:
        best = sweep.best(text)
        if best.scored < len(sweep):
            told.append(
                f"{text} is scored on {best.scored:,} of {len(sweep):,} lines, spread over the "
                "merges; the best of them need not be the best of all."
            )
        told += _chosen(sweep, best) + _compared(sweep, best)
        if best.sure is not None and not best.sure and (why := _refused(best)):
            told.append(f"— {text}: {why}.")
    return [note for note in told if note]


def _reading(sweep: Sweep) -> str:
    if sweep.lines.names is not None:
        return ""
    if sweep.swept.whole:
        return "Thresholds are numbers of clusters: the tree has no heights."
    if sweep.distance:
        return (
            "A threshold t links what is at most t apart; the thresholds of a line go from the "
            "first number to below the second."
        )
    return (
        "A threshold t links pairs that score t or more; the thresholds of a line lie above the "
        "first number, up to the second."
    )


def _flat(sweep: Sweep) -> list[str]:
    """What the flat run means, for the first measure."""
    best = sweep.best()
    if best.run[0] == best.run[1] or sweep.lines.names is not None:
        return []
    low, high = best.flat
    if math.isinf(low) or math.isinf(high):
        return []
    ends = shown_thresholds(low, high, sweep.distance, sweep.swept.whole)
    first, _, last = ends.partition("–")
    run = f"above {first}, up to {last}"
    if sweep.distance or sweep.swept.whole:
        run = f"from {first} to {'below ' if sweep.distance else ''}{last}"
    return [f"Any threshold {run} scores {best.measure} within {sweep.slack:g} of the best."]


def _worth(sweep: Sweep) -> str:
    """What choosing on the labels that score does to the score."""
    if sweep.fold is None:
        return (
            "The best score is optimistic: it is chosen on the labels that it is scored on "
            "(folds hold some out)."
        )
    folds = int(sweep.fold.max()) + 1
    return (
        f"held out: the mean score of {folds} folds of true clusters, each at the line that is "
        "best for the others; in brackets, the difference to the best line scored on the same "
        "folds. A fold is scored without the objects of the other folds, which could be merged "
        "with its own by mistake, so a held-out score can exceed the best score on all clusters."
    )


def _chosen(sweep: Sweep, best: Best) -> list[str]:
    """Where the lines lie that are best without one of the folds."""
    if best.held_out is None:
        return []
    lines = best.held_out.lines
    if len(set(lines)) == 1:
        return [f"{best.measure}: the same line is best without any of the folds."]
    run = where(sweep, min(lines), max(lines))
    return [f"{best.measure}: the best lines without one of the folds lie within {run}."]


def _part(sweep: Sweep) -> str:
    """What it means that truth has few of the objects."""
    known, unknown = len(sweep.truth), sweep.swept.unknown
    if unknown <= known or sweep.policy.align != "shared":
        return ""
    return (
        f"truth has {known:,} of {count(known + unknown, 'object')}: merges with the others are "
        "not seen, so precision looks better than it is."
    )


def _compared(sweep: Sweep, best: Best) -> list[str]:
    """How far other lines fall short, and whether that is significant."""
    parts = []
    for what, _, _, found in best.differences:
        if math.isnan(found.value):
            continue
        sure = "significantly, " if found.sure else ""
        p = shown_p(found.p) or "not tested"
        parts.append(f"{what} by {abs(found.value):.4f} ({sure}{p})")
    return [f"{best.measure} is worse on {', '.join(parts)}."] if parts else []


def _refused(best: Best) -> str:
    sure = best.sure
    one = sure.low if isinstance(sure, tuple) else sure
    return "" if one is None else str(one.refused)
