"""`clusterdiff demo`: a small worked example, no files needed; or a table to work with."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from clusterdiff.cli.streams import say, width
from clusterdiff.demo.people import PERSONS, people, to_csv
from clusterdiff.errors import ClusterdiffError
from clusterdiff.explain.explain import explain
from clusterdiff.explain.partition import Explanation
from clusterdiff.io import meet
from clusterdiff.measures import measure_named
from clusterdiff.output.table import CellTable, digits, percent
from clusterdiff.output.text import to_text, wrap_columns
from clusterdiff.output.writing import write
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


Data = StrEnum("Data", ["people"])
HELP = """\b
--data people writes a table of persons who were registered several times,
with realistic typing errors: id, given_name, surname, date_of_birth, suburb,
person (the truth), and old and new (the clusters that two matchers found). The
data is made up by a documented generator, which gives the same table on every
machine.
"""


def demo(
    data: Annotated[
        Data | None, typer.Option(help="Write a data set to try the other verbs on.")
    ] = None,
    out: Annotated[
        str | None,
        typer.Option(
            "-o",
            "--out",
            metavar="FILE",
            help="File for --data, people.csv by default; - for stdout.",
        ),
    ] = None,
) -> None:
    """Show a small worked example, or write a data set to try."""
    if data is not None:
        _write_people(out or f"{data.value}.csv")
    elif out is not None:
        raise ClusterdiffError("--out is for --data.", "add --data people.")
    else:
        _show()


def _write_people(out: str) -> None:
    """The table of persons; a file that holds something else is left alone."""
    text = to_csv()
    if out == "-":
        say(text, nl=False)
        return
    if Path(out).is_file() and Path(out).read_bytes() != text.encode():
        raise ClusterdiffError(
            f"{out} exists and holds something else.", "name another file with -o."
        )
    write(out, text)
    about = [
        ("person", "the truth: the person whom a record describes"),
        ("old", "clusters of a matcher that asks for the same surname, date of birth and initial"),
        ("new", "clusters of a matcher that lets one of four fields differ and forgives a slip"),
    ]
    say(f"{out}: {len(people()):,} records of {PERSONS:,} persons, with these columns of clusters:")
    say(wrap_columns([(name, meaning) for name, meaning in about], width()))
    say(f"Next: clusterdiff {out}::person {out}::old {out}::new")


def _show() -> None:
    """The worked example."""
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
                "A larger example:  clusterdiff demo --data people",
                "Try your own:      clusterdiff truth.csv guess.csv",
                "Explain errors:    clusterdiff explain truth.csv guess.csv",
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
