"""`clusterdiff demo`: a small worked example, no files needed; or a table to work with.

That has persons with typing errors, and what two matchers make of them. The generator is
deterministic: the same seed gives the same table on every machine and with every version of Python,
because `Random.random` is its only source of randomness. It goes like this:

1. `PERSONS` persons are born. Most have a name, a date of birth and a suburb of their own. Some
   are twins (same surname, date of birth and suburb), some are named after a parent at the same
   address, and a few share both names with a stranger.
2. Each person is registered between one and five times. The first record is correct. In each
   later record up to two things are wrong: a slip of the keyboard, day and month exchanged, a
   wrong digit, a short form of the given name, given name and surname exchanged, a field left
   empty, a new suburb or a new surname.
3. The old matcher links two records with the same surname, the same date of birth and the same
   initial. The new one links two records that agree on three of the four fields, and lets a field
   agree in spite of one slip. Each connected component of the links is a cluster, named after its
   first record.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Sequence
from enum import StrEnum
from io import StringIO
from itertools import combinations
from pathlib import Path
from random import Random
from typing import Annotated, NamedTuple, TypeVar

import typer

from clusterdiff.cli.streams import say, width
from clusterdiff.errors import ClusterdiffError
from clusterdiff.explain.explain import explain
from clusterdiff.explain.partition import Explanation
from clusterdiff.io import meet
from clusterdiff.measures import measure_named
from clusterdiff.output.table import CellTable, digits, percent
from clusterdiff.output.text import to_text, wrap_columns
from clusterdiff.output.writing import write
from clusterdiff.version import __version__

T = TypeVar("T")

SEED = 5
"""By pairs the old matcher is better, by entities the new one: a table with something to find."""
PERSONS = 120
GIVEN_NAMES = (
    "Alexander", "Alice", "Anna", "Benjamin", "Catherine", "Charlotte", "Christopher", "Daniel",
    "David", "Elizabeth", "Emily", "Emma", "George", "Grace", "Hannah", "Harry", "Isabella", "Jack",
    "James", "Jessica", "John", "Joseph", "Katherine", "Laura", "Lily", "Lucy", "Margaret", "Maria",
    "Matthew", "Michael", "Nicholas", "Olivia", "Patrick", "Rebecca", "Robert", "Samuel", "Sarah",
    "Sophie", "Thomas", "William",
)  # fmt: skip
SURNAMES = (
    "Adams", "Baker", "Bennett", "Brown", "Campbell", "Carter", "Clark", "Collins", "Cooper",
    "Davies", "Edwards", "Evans", "Foster", "Gray", "Green", "Hall", "Harris", "Hughes", "Jackson",
    "Johnson", "Kelly", "King", "Lewis", "Marshall", "Martin", "Mitchell", "Moore", "Morgan",
    "Nguyen", "Parker", "Phillips", "Roberts", "Scott", "Smith", "Stewart", "Taylor", "Turner",
    "Walker", "Watson", "Wilson",
)  # fmt: skip
SUBURBS = (
    "Ashfield", "Brighton", "Clifton", "Eastwood", "Fairview", "Glenview", "Hillcrest", "Kingswood",
    "Lakeside", "Newtown", "Northgate", "Oakwood", "Riverside", "Springfield", "Westbrook",
    "Woodville",
)  # fmt: skip
SHORT_FORMS = {
    "Alexander": "Alex", "Benjamin": "Ben", "Catherine": "Cathy", "Christopher": "Chris",
    "Daniel": "Dan", "Elizabeth": "Liz", "James": "Jim", "Joseph": "Joe", "Katherine": "Kate",
    "Margaret": "Maggie", "Matthew": "Matt", "Michael": "Mike", "Nicholas": "Nick",
    "Rebecca": "Becky", "Robert": "Bob", "Samuel": "Sam", "Thomas": "Tom", "William": "Bill",
}  # fmt: skip
KEYBOARD = ("qwertyuiop", "asdfghjkl", "zxcvbnm", "1234567890")
COLUMNS = ("id", "given_name", "surname", "date_of_birth", "suburb", "person", "old", "new")


class Fields(NamedTuple):
    """What a register says about a person."""

    given_name: str
    surname: str
    date_of_birth: str
    suburb: str


Rule = Callable[[Fields, Fields], bool]


class Draw:
    """Random choices that do not depend on the version of Python."""

    def __init__(self, seed: int) -> None:
        self._random = Random(seed).random

    def below(self, end: int) -> int:
        """A whole number from 0 to `end` - 1."""
        return int(self._random() * end)

    def of(self, values: Sequence[T]) -> T:
        """One of several values."""
        return values[self.below(len(values))]

    def happens(self, share: float) -> bool:
        """Whether something happens that happens in this share of all cases."""
        return self._random() < share


def people(seed: int = SEED) -> list[tuple[str, ...]]:
    """The rows of the table; `COLUMNS` has their names.

    >>> people()[0]
    ('r1', 'Joseph', 'Gray', '1957-07-14', 'Glenview', 'p37', 'r1', 'r1')
    """
    draw = Draw(seed)
    owners: list[str] = []
    records: list[Fields] = []
    for number, person in enumerate(_persons(draw), 1):
        for copy in range(draw.of((1, 1, 2, 2, 3, 4, 5))):
            owners.append(f"p{number}")
            records.append(_mistyped(draw, person) if copy else person)
    order = sorted(range(len(records)), key=lambda _: draw.below(10**9))
    shuffled = [records[i] for i in order]
    ids = [f"r{number}" for number in range(1, len(order) + 1)]
    old, new = (_linked(ids, shuffled, rule) for rule in (same_name_and_birthday, three_fields))
    return [
        (id, *fields, owners[i], *clusters)
        for id, fields, i, *clusters in zip(ids, shuffled, order, old, new, strict=True)
    ]


def to_csv(seed: int = SEED) -> str:
    """The table as CSV, with a header."""
    text = StringIO()
    csv.writer(text, lineterminator="\n").writerows([COLUMNS, *people(seed)])
    return text.getvalue()


def same_name_and_birthday(one: Fields, other: Fields) -> bool:
    """The old matcher: the same surname, date of birth and initial."""
    return (
        one.surname == other.surname != ""
        and one.date_of_birth == other.date_of_birth != ""
        and one.given_name[:1] == other.given_name[:1]
    )


def three_fields(one: Fields, other: Fields) -> bool:
    """The new matcher: three of the four fields agree, in spite of one slip each."""
    return sum(map(agree, one, other)) >= 3


def agree(one: str, other: str) -> bool:
    """Whether two values are the same but for one slip; an empty value agrees with none.

    A slip is a character too many, one too few, one replaced, or two neighbours exchanged. In dates
    it is also an exchange of day and month.

    >>> agree("Johnson", "Jonhson"), agree("Johnson", "Jonson"), agree("Johnson", "Jackson")
    (True, True, False)
    >>> agree("1984-03-07", "1984-07-03"), agree("", "")
    (True, False)
    """
    if not one or not other or abs(len(one) - len(other)) > 1:
        return False
    if one == other or _day_and_month_exchanged(one) == other:
        return True
    start = next(i for i, (a, b) in enumerate(zip(one + "<", other + ">", strict=False)) if a != b)
    a, b = one[start:], other[start:]
    return a[1:] == b[1:] or a[1:] == b or a == b[1:] or (a[1::-1] + a[2:]) == b


def _persons(draw: Draw) -> list[Fields]:
    """Everyone who is registered."""
    persons: list[Fields] = []
    while len(persons) < PERSONS:
        if persons and draw.happens(0.06):  # a twin
            known = persons[-1]._replace(given_name=draw.of(GIVEN_NAMES))
        elif persons and draw.happens(0.05):  # a child with the name of a parent
            year = int(persons[-1].date_of_birth[:4]) + 22 + draw.below(15)
            known = persons[-1]._replace(date_of_birth=_date(draw, year))
        elif persons and draw.happens(0.03):  # a stranger with the same name
            known = draw.of(persons)
            known = known._replace(date_of_birth=_date(draw), suburb=draw.of(SUBURBS))
        else:
            names = draw.of(GIVEN_NAMES), draw.of(SURNAMES)
            known = Fields(*names, _date(draw), draw.of(SUBURBS))
        persons.append(known)
    return persons


def _date(draw: Draw, year: int | None = None) -> str:
    born = 1940 + draw.below(60) if year is None else year
    return f"{born}-{1 + draw.below(12):02}-{1 + draw.below(28):02}"


def _mistyped(draw: Draw, person: Fields) -> Fields:
    """A later record of a person, with up to two errors."""
    record = person
    for _ in range(draw.of((0, 0, 0, 1, 1, 1, 2, 2))):
        record = draw.of(ERRORS)(draw, record)
    return record


def _slip(draw: Draw, text: str) -> str:
    """One slip of the keyboard."""
    if not text:
        return text
    at = draw.below(len(text))
    before, letter, after = text[:at], text[at], text[at + 1 :]
    match draw.below(4):
        case 0:
            return before + after if len(text) > 2 else text
        case 1:
            return before + 2 * letter.lower() + after if before else text
        case 2 if before and after:
            return before + after[0] + letter + after[1:]
        case _:
            return before + _beside(draw, letter) + after


def _beside(draw: Draw, letter: str) -> str:
    """A key beside that of a letter."""
    for keys in KEYBOARD:
        if (at := keys.find(letter.lower())) >= 0:
            near = draw.of(keys[max(0, at - 1) : at] + keys[at + 1 : at + 2])
            return near.upper() if letter.isupper() else near
    return letter


def _slip_in_given_name(draw: Draw, record: Fields) -> Fields:
    return record._replace(given_name=_slip(draw, record.given_name))


def _slip_in_surname(draw: Draw, record: Fields) -> Fields:
    return record._replace(surname=_slip(draw, record.surname))


def _slip_in_suburb(draw: Draw, record: Fields) -> Fields:
    return record._replace(suburb=_slip(draw, record.suburb))


def _wrong_digit(draw: Draw, record: Fields) -> Fields:
    """In the year or the day, so that the date exists."""
    if not record.date_of_birth:
        return record
    year, month, day = record.date_of_birth.split("-")
    if draw.happens(0.5):
        year = year[:3] + _beside(draw, year[3])
    else:
        day = day[0] + draw.of("12345678")
    return record._replace(date_of_birth=f"{year}-{month}-{day}")


def _exchanged_day_and_month(draw: Draw, record: Fields) -> Fields:
    exchanged = _day_and_month_exchanged(record.date_of_birth)
    possible = exchanged and int(exchanged[5:7]) <= 12
    return record._replace(date_of_birth=exchanged) if possible else record


def _day_and_month_exchanged(date: str) -> str:
    """A date with day and month exchanged; an empty text for what is not a date."""
    if len(date) != 10 or date[4::3] != "--":
        return ""
    return f"{date[:4]}-{date[8:]}-{date[5:7]}"


def _exchanged_names(draw: Draw, record: Fields) -> Fields:
    return record._replace(given_name=record.surname, surname=record.given_name)


def _short_form(draw: Draw, record: Fields) -> Fields:
    return record._replace(given_name=SHORT_FORMS.get(record.given_name, record.given_name))


def _left_empty(draw: Draw, record: Fields) -> Fields:
    return record._replace(**{draw.of(Fields._fields[2:]): ""})


def _new_suburb(draw: Draw, record: Fields) -> Fields:
    return record._replace(suburb=draw.of(SUBURBS))


def _new_surname(draw: Draw, record: Fields) -> Fields:
    return record._replace(surname=draw.of(SURNAMES))


ERRORS = (
    _slip_in_given_name, _slip_in_given_name, _slip_in_surname, _slip_in_surname, _slip_in_suburb,
    _wrong_digit, _exchanged_day_and_month, _exchanged_names, _short_form, _short_form, _left_empty,
    _new_suburb, _new_suburb, _new_surname,
)  # fmt: skip
"""What goes wrong in a record; what stands here twice happens twice as often."""


def _linked(ids: Sequence[str], records: Sequence[Fields], rule: Rule) -> list[str]:
    """The cluster of each record: its connected component in the graph of links."""
    root = list(range(len(ids)))

    def find(at: int) -> int:
        while root[at] != at:
            at = root[at]
        return at

    for i, j in combinations(range(len(ids)), 2):
        if rule(records[i], records[j]):
            first, second = sorted((find(i), find(j)))
            root[second] = first
    return [ids[find(i)] for i in range(len(ids))]


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
    rows = [
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
                to_text(CellTable(("", "truth", "guess", ""), tuple(rows)), width()),
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
