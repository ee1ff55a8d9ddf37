"""`clusterdiff demo`: a small worked example, no files needed."""

from __future__ import annotations

from clusterdiff.cli.streams import say, width
from clusterdiff.explain.explain import explain
from clusterdiff.explain.partition import Explanation
from clusterdiff.io import meet
from clusterdiff.measures import measure_named
from clusterdiff.output.table import digits, percent
from clusterdiff.output.text import pad, wrap_columns
from clusterdiff.version import __version__

TRUTH = {
    1: "ann", 2: "ann", 3: "ann", 4: "bob", 5: "bob", 6: "cy", 7: "cy",
    8: "dee", 9: "dee", 10: "dee", 11: "dee", 12: "eve",
}  # fmt: skip
GUESS = {1: "a", 2: "a", 3: "b", 4: "c", 5: "c", 6: "c", 7: "d",
         8: "e", 9: "e", 10: "e", 11: "e", 12: "f"}  # fmt: skip
NOTES = {"ann": "split in two", "bob": "6, who is cy, came in", "cy": "6 went over to bob"}
SHOWN = {
    "elm_f": "how well each record finds the others of the same person",
    "bcubed_f": "the same, but each record counts itself as found",
    "pair_precision": "of the pairs put together, the share that belongs together",
    "pair_recall": "of the pairs that belong together, the share put together",
    "adjusted_rand": "pairs, corrected for chance",
    "split_merge": "how whole the clusters stay, both ways",
    "exact_recall": "the share of the people that were found exactly",
}


def demo() -> None:
    """A small worked example; no files needed."""
    say(story())


def story() -> str:
    """The example as text."""
    m = meet(TRUTH, GUESS)
    people = [
        f"  {pad(person, 8)}{pad(_records(person), 15)}{pad(_found(person), 17)}"
        f"{NOTES.get(person, '')}".rstrip()
        for person in dict.fromkeys(TRUTH.values())
    ]
    scores = [
        (f"{pad(name, 16)}{digits(measure_named(name).of(m))}", meaning)
        for name, meaning in SHOWN.items()
    ]
    elm, bcubed = (digits(measure_named(name).of(m)) for name in ("elm_f", "bcubed_f"))
    lines = [
        f"clusterdiff {__version__} · 12 records of 5 people, and what a matcher made of them",
        "",
        f"  {pad('', 8)}{pad('truth', 15)}guess",
        *people,
        "",
        wrap_columns(scores, width()),
        "",
        f"elm_f and bcubed_f differ ({elm}, {bcubed}) because BCubed gives credit for",
        "what nobody can get wrong: that a record is in the same cluster as itself.",
        "",
        *_where(),
        "",
        "Try your own:      clusterdiff compare truth.csv guess.csv",
        "Where they differ: clusterdiff explain truth.csv guess.csv",
        "All measures:      clusterdiff measures",
    ]
    return "\n".join(lines)


def _where() -> list[str]:
    """Where the loss comes from, in a line each."""
    told = explain(TRUTH, GUESS)
    assert isinstance(told, Explanation)
    lines = [f"Where elm_f loses {digits(told.lost)}:"]
    for part in told.top():
        _, *parts = part.lines(None)
        lines.append(f"  {percent(part.share):>6}  {part.kind:<5}  {'; '.join(parts)}")
    return lines


def _records(person: str) -> str:
    return " ".join(str(record) for record, name in TRUTH.items() if name == person)


def _found(person: str) -> str:
    """The guess clusters that hold a record of this person, other people's in brackets."""
    clusters = dict.fromkeys(GUESS[r] for r, name in TRUTH.items() if name == person)
    shown = []
    for cluster in clusters:
        records = [r for r, c in GUESS.items() if c == cluster]
        shown.append(" ".join(str(r) if TRUTH[r] == person else f"({r})" for r in records))
    return " | ".join(shown)
