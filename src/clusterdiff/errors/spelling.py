"""Ids that would be the same but for how they are written: blanks, leading zeros, capitals."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Any, NamedTuple

from clusterdiff.errors.base import examples

LOOK = 1000
"""Ids of each side, of those that the other lacks, that are looked at."""
MANY = 100


class Spelling(NamedTuple):
    """How ids of both sides differ that are the same but for that."""

    what: str
    count: int  # type: ignore[assignment]
    example: tuple[Any, Any]
    mend: str

    def sentence(self) -> str:
        """How many differ by it, with an example."""
        verb = "differ" if self.count > 1 else "differs"
        shown = " and ".join(examples([one]) for one in self.example)
        return f"{self.count:,} of them {verb} from the other side only in {self.what} ({shown})."

    def note(self) -> str:
        """The same beside a result."""
        one = self.count == 1
        shown = " and ".join(examples([id]) for id in self.example)
        return (
            f"{self.count:,} {'id' if one else 'ids'} on one side only "
            f"{'differs' if one else 'differ'} from {'an id' if one else 'ids'} on the other side "
            f"only in {self.what} ({shown}); ids must match exactly"
        )

    def hint(self) -> str:
        """What to do about it."""
        return f"ids must match exactly: write them the same way on both sides, {self.mend}."


def _number(text: str) -> str:
    whole = text.removesuffix(".0")
    return whole.lstrip("0") or "0" if whole.isdigit() else text


WAYS: tuple[tuple[str, str, Callable[[str], str]], ...] = (
    ("blanks around them", "e.g. with id.strip()", str.strip),
    ("leading zeros", 'e.g. with id.lstrip("0")', lambda t: t.lstrip("0") if t.isdigit() else t),
    (".0 at the end", 'e.g. with id.removesuffix(".0")', lambda text: text.removesuffix(".0")),
    (
        "the sign of zero", 'e.g. with id.replace("-0.0", "0.0")',
        lambda text: text[1:] if text in ("-0", "-0.0") else text,
    ),
    ("capitals", "e.g. with id.lower()", str.lower),
    (
        "blanks, leading zeros and capitals", "e.g. with id.strip().lower()",
        lambda text: _number(text.strip().lower()),
    ),
)  # fmt: skip


def spelled_otherwise(truth: Iterable[Any], guess: Iterable[Any]) -> Spelling | None:
    """What most of the ids that one side has alone differ by from those of the other, if there is
    such a thing; the first thousand of each side are looked at.

    >>> spelled_otherwise(["01", "02"], [1, 2, 30]).sentence()
    "2 of them differ from the other side only in leading zeros ('01' and 1)."
    """
    left, right = list(islice(truth, LOOK)), list(islice(guess, LOOK))
    least = min(MANY, (min(len(left), len(right)) + 1) // 2)
    return next((one for one in _spellings(left, right) if one.count >= least), None)


def spelled_most(truth: Iterable[Any], guess: Iterable[Any]) -> Spelling | None:
    """What the most of these ids differ by, be it a single one; of several such things the
    simplest.
    """
    found = _spellings(list(islice(truth, LOOK)), list(islice(guess, LOOK)))
    return max(found, key=lambda one: one.count, default=None)


def _spellings(left: list[Any], right: list[Any]) -> Iterator[Spelling]:
    for what, mend, plain in WAYS:
        known = {plain(str(one)): one for one in right}
        same = [
            (one, other)
            for one in left  # equal ids are of different samples
            if (other := known.get(plain(str(one)))) is not None and other != one
        ]
        if same:
            yield Spelling(what, len(same), same[0], mend)
