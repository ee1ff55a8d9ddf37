"""`clusterdiff demo`: a small worked example, no files needed."""

from __future__ import annotations

from clusterdiff.cli.streams import say, width
from clusterdiff.explain.explain import explain
from clusterdiff.explain.partition import Explanation
from clusterdiff.io import meet
from clusterdiff.measures import measure_named
from clusterdiff.output.table import CellTable, digits, percent
from clusterdiff.output.text import to_text, wrap_columns
from clusterdiff.version import __version__

TRUTH = {
    1: "ann", 2: "ann", 3: "ann", 4: "bob", 5: "bob", 6: "cy", 7: "cy",
    8: "dee", 9: "dee", 10: "dee", 11: "dee", 12: "eve",
}  # fmt: skip
GUESS = {1: "a", 2: "a", 3: "b", 4: "c", 5: "c", 6: "c", 7: "d",
         8: "e", 9: "e", 10: "e", 11: "e", 12: "f"}  # fmt: skip
NOTES = {"ann": "split in two", "bob": "6 of cy joined", "cy": "6 moved to bob"}
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
    m = meet(TRUTH, GUESS)
    scores = {name: digits(measure_named(name).of(m)) for name in SHOWN}
    people = [
        (
            person,
            " ".join(str(record) for record, name in TRUTH.items() if name == person),
            _clusters_of(person),
            NOTES.get(person, ""),
        )
        for person in dict.fromkeys(TRUTH.values())
    ]
    explanation = explain(TRUTH, GUESS)
    assert isinstance(explanation, Explanation)
    losses = [
        f"  {percent(part.share):>6}  {part.kind:<5}  {'; '.join(part.lines(None)[1:])}"
        for part in explanation.top()
    ]
    meanings = [(f"{name:16}{scores[name]}", meaning) for name, meaning in SHOWN.items()]
    say(
        "\n".join(
            [
                f"clusterdiff {__version__} · 12 records of 5 people, and what a matcher made of "
                "them",
                "",
                to_text(CellTable(("", "truth", "guess", ""), tuple(people)), width()),
                "",
                wrap_columns(meanings, width()),
                "",
                f"elm_f and bcubed_f differ ({scores['elm_f']}, {scores['bcubed_f']}) because "
                "BCubed gives credit for",
                "what nobody can get wrong: that a record is in the same cluster as itself.",
                "",
                f"Where elm_f loses {digits(explanation.lost)}:",
                *losses,
                "",
                "Try your own:      clusterdiff compare truth.csv guess.csv",
                "Where they differ: clusterdiff explain truth.csv guess.csv",
                "All measures:      clusterdiff measures",
            ]
        )
    )


def _clusters_of(person: str) -> str:
    """The guess clusters that hold a record of this person, other people's records in brackets."""
    clusters = dict.fromkeys(GUESS[record] for record, name in TRUTH.items() if name == person)
    return " | ".join(
        " ".join(
            str(record) if TRUTH[record] == person else f"({record})"
            for record, own in GUESS.items()
            if own == cluster
        )
        for cluster in clusters
    )
