"""What all errors have in common: one paragraph, and a hint to paste."""

from __future__ import annotations

import shlex
import unicodedata
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from itertools import islice
from typing import Any, Self


class Hinted(Exception):
    """One paragraph, and a hint to paste.

    `flags` is the hint for the command line, where it is not the one for Python in flags.
    """

    def __init__(self, message: str, hint: str = "", flags: str = "") -> None:
        super().__init__(f"{message}\n\nHint: {hint}" if hint else message)
        self.message = message
        self.hint = hint
        self.flags = flags

    def __reduce__(self) -> tuple[type[Self], tuple[str, str, str]]:
        return type(self), (self.message, self.hint, self.flags)


class ClusterdiffError(Hinted, ValueError):
    """Something about the input or the request; `str()` is one paragraph and a hint."""

    def within(self, place: str) -> Self:
        """The same error, with the file or sample it was found in."""
        return type(self)(f"in {place}: {self.message}", self.hint, self.flags)


def said_missing(words: Sequence[str], dropped: bool = False) -> tuple[str, str]:
    """How to say that labels are the text for a missing value, in Python and by flags; `dropped`
    where noise is left out anyway.
    """
    start, fate = "if they are missing values, say", "(each becomes a cluster of its own; "
    said = list(words) if len(words) > 1 else words[0]
    flags = " ".join(f"--noise {pasted(word)}" for word in words)
    if dropped:
        out = "(then they are left out)"
        return f"{start} noise={said!r} {out}", f"{start} {flags} {out}"
    return (
        f'{start} noise={said!r} {fate}noise_as="drop" leaves them out)',
        f"{start} {flags} {fate}--noise-as drop leaves them out)",
    )


def worked(first: str, *lines: str) -> str:
    """A hint of lines to paste, below what they do."""
    return "\n    ".join([f"{first}:", *lines])


def examples(values: Iterable[Any], most: int = 3) -> str:
    """Up to three values for an error text, long ones cut."""
    return ", ".join(shown(value, 40) for value in islice(values, most))


def shorten(text: str, width: int) -> str:
    """`text`, cut to `width` characters with an ellipsis."""
    return text if len(text) <= width else text[: width - 1] + "…"


def shown(value: object, width: int = 60) -> str:
    """A value for an error text, cut to `width` characters; some values cannot be printed."""
    cut = isinstance(value, str | bytes | list | tuple) and len(value) > width
    try:
        return shorten(repr(value[:width] if cut else value), width)  # type: ignore[index]
    except Exception:
        return a_type(value)


def a_type(value: object) -> str:
    """The type of a value with its article.

    >>> a_type(1), a_type([])
    ('an int', 'a list')
    """
    return with_article(type(value).__name__)


def with_article(noun: str) -> str:
    """ "an evidential clustering", "a fuzzy clustering"."""
    return f"{'an' if noun[:1].lower() in 'aeiou' else 'a'} {noun}"


def printable(text: str) -> str:
    """The text without control characters, which could move the cursor or colour the screen."""
    return "".join("�" if moves_cursor(c) else c for c in text)


def moves_cursor(character: str) -> bool:
    """Whether a terminal may do something else than show the character."""
    category = unicodedata.category(character)
    return category[0] == "C" or category in ("Zl", "Zp")


def did_you_mean(wrong: str, right: Sequence[str]) -> str:
    """The start of a hint: the nearest known name, or nothing."""
    near = get_close_matches(wrong, right, n=1, cutoff=0.65)
    return f"did you mean {pasted(near[0])}? " if near else ""


def pasted(text: str) -> str:
    """A text as a shell takes it for one word, whatever it is.

    >>> print(pasted("run1.csv"), pasted("nmi(norm='min')"), pasted("$(halt)"))
    run1.csv "nmi(norm='min')" '$(halt)'
    """
    plain = shlex.quote(text)
    return plain if plain == text or set(text) & set('"$`\\!') else f'"{text}"'
