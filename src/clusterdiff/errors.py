"""What all errors have in common: one paragraph, and a hint to paste."""

from __future__ import annotations

import errno
import glob
import os
import re
import shlex
import sys
import unicodedata
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from contextlib import contextmanager
from difflib import get_close_matches
from fnmatch import fnmatchcase
from importlib.util import find_spec
from itertools import islice
from os.path import splitext
from types import FrameType
from typing import Any, NamedTuple, Self


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


# Ids that would be the same but for how they are written: blanks, leading zeros, capitals.

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


# Warnings that point at the line of the user.

OURS = ("clusterdiff", "clusterdiff_lab", "sklearn", "joblib")
"""Packages that a call goes through."""


class ClusterdiffWarning(Hinted, UserWarning):
    """Input that was read, and may mean something else than what it was taken for."""

    @classmethod
    def from_null_words(cls, side: str, found: dict[str, int], total: int) -> Self:
        """Labels that are the text for a missing value, such as "nan"."""
        words, many = list(found), len(found) > 1
        python, flags = said_missing(words)
        return cls(
            f"{sum(found.values()):,} of {total:,} labels of {side} are the text "
            f"{examples(words, len(words))}, taken as "
            f"{'clusters of these names' if many else 'one cluster of that name'}.",
            f"{python} or give None instead; if not, rename them.",
            f"{flags}; if not, rename them.",
        )

    @classmethod
    def from_fractions(cls, side: str, different: Sequence[object], total: int) -> Self:
        """Labels that are numbers with a fraction, hardly two of them the same."""
        least = "at least " if 5000 <= len(different) < total else ""
        return cls(
            f"{side} has {least}{len(different):,} different labels with a fraction "
            f"({examples(different)}) for {total:,} objects: they look like continuous values, "
            "and each is taken as a cluster.",
            "give one discrete label per object; for scores of classes e.g. scores.argmax(axis=1), "
            "for a measurement e.g. np.digitize(values, bins).",
            "name the column of the clusters with --cluster.",
        )

    @classmethod
    def from_mask(cls, objects: int) -> Self:
        """An array of True and False in place of labels."""
        return cls(
            f"an array of {objects:,} times True or False is taken as labels of two clusters.",
            "if it is a mask, apply it to the labels of both sides first, labels[mask]; if not, "
            "make them whole numbers, labels.astype(int), of a tensor labels.int().",
        )


def warn(message: str | Warning, kind: type[Warning]) -> None:
    """Warn at the first line outside of these packages, however deep the call is in them."""
    frame: FrameType | None = sys._getframe()
    level = 1
    while frame is not None and frame.f_globals.get("__name__", "").split(".")[0] in OURS:
        frame, level = frame.f_back, level + 1
    warnings.warn(message, kind, stacklevel=level)


# Objects that cannot be matched, and tables of counts that are no comparison.


def listed_names(names: Sequence[str], most: int = 8, width: int = 60) -> str:
    """Names of documents or files, the first of them."""
    more = f" and {len(names) - most:,} more" if len(names) > most else ""
    return ", ".join(shorten(name, width) for name in names[:most]) + more


def listed_files(names: Sequence[str]) -> str:
    """Names of files, which differ at their ends."""
    return listed_names(names, 3, 200)


class AlignmentError(ClusterdiffError):
    """The two clusterings do not speak of the same objects."""

    one_sided: bool = False
    """Whether objects are on one side only."""

    def of_pairs(self) -> Self:
        """The same of a clustering that pairs make, which lacks what no pair names."""
        return type(self)(
            f"{self.message} Objects that no pair names are not in a clustering of pairs.",
            self.hint,
            self.flags,
        )

    @classmethod
    def from_ids(
        cls,
        only_truth: Sequence[Any],
        only_guess: Sequence[Any],
        counts: tuple[int, int, int],
        soft: bool = False,
    ) -> Self:
        """Objects on one side only, some of them; counts are (only truth, only guess, all)."""
        in_truth, in_guess, total = counts
        shown_truth = f" ({examples(only_truth)})" if in_truth else ""
        shown_guess = f" ({examples(only_guess)})" if in_guess else ""
        message = (
            f"{in_truth:,} of {total:,} objects are only in truth{shown_truth}, "
            f"{in_guess:,} only in guess{shown_guess}."
        )
        if (spelling := spelled_otherwise(only_truth, only_guess)) is not None:
            return cls(f"{message} {spelling.sentence()}", spelling.hint())
        hint = (
            'say what they count as: align="singletons" (a cluster of their own), align="shared" '
            '(left out) or align="penalise" (they count as errors).'
        )
        error = cls(message, 'align="shared" leaves them out.' if soft else hint)
        error.one_sided = True
        return error

    @classmethod
    def from_positions(cls, truth: int, guess: int, fractions: bool = False) -> Self:
        """As many labels on each side; `fractions` where those of the guess are not whole."""
        told = (
            f"truth has {truth:,} labels, guess has {guess:,}. "
            "Without ids the two must list the same objects in the same order."
        )
        if fractions and guess == truth * (truth - 1) // 2:
            return cls(
                f"{told} Guess has a number for each pair of {truth:,} objects, as the condensed "
                "distances of SciPy have.",
                "cluster the objects first: from scipy.cluster.hierarchy import linkage; "
                'cd.sweep(truth, linkage(guess, "average")).',
            )
        return cls(
            told,
            "give ids, e.g. cd.Partition(labels, ids=...), or dicts from id to label.",
            "give both a column of ids (--id names it).",
        )

    @classmethod
    def from_documents(
        cls, only_truth: Sequence[str], only_guess: Sequence[str], blank: Sequence[str] = ()
    ) -> Self:
        """Documents on one side only; `blank` are files that hold none."""
        sides = (("truth", only_truth), ("guess", only_guess))
        told = [f"{len(names):,} in {side} alone" + cls._named(names) for side, names in sides]
        hold = f" {len(blank):,} of the files hold{'s' if len(blank) == 1 else ''} no document: "
        empty = f"{hold}{listed_files(blank)}." if blank else ""
        return cls(
            f"some documents have no partner: {', '.join(told)}. Documents are paired by their "
            f"names, or by those of their files.{empty}",
            "add the files that are missing, or name those alike that belong together; "
            'align="penalise" counts the mentions of the others as errors, align="shared" leaves '
            "them out.",
        )

    @classmethod
    def from_other_documents(cls, truth: Sequence[str], guess: Sequence[str]) -> Self:
        """No document that both sides have: rather the wrong files than errors."""
        told = [
            f"{side} has {len(names):,} document{'' if len(names) == 1 else 's'}"
            f"{cls._named(names, 3)}"
            for side, names in (("truth", truth), ("guess", guess))
        ]
        return cls(
            f"{', '.join(told)}, and none is in both.",
            "are these the files of the same corpus? Documents are paired by their names, or by "
            "those of their files.",
        )

    @classmethod
    def _named(cls, names: Sequence[str], most: int = 8) -> str:
        return f" ({listed_names(names, most)})" if names else ""

    @classmethod
    def from_id_types(
        cls,
        truth: str,
        guess: str,
        shown: tuple[Any, Any],
        names: tuple[str, str] = ("truth", "guess"),
    ) -> Self:
        """Ids of different types, such as 7 and '7'."""
        return cls(
            f"the ids of {names[0]} are {truth} (such as {examples(shown[:1])}), "
            f"those of {names[1]} are {guess} (such as {examples(shown[1:])}): none can be equal.",
            "convert one side first, e.g. {str(id): label for id, label in guess.items()}.",
        )

    @classmethod
    def from_one_sided_ids(cls, side: str, other: str) -> Self:
        """One clustering has ids, the other has none."""
        return cls(
            f"{side} has ids, {other} has none, so their objects cannot be matched.",
            f"give {other} ids too, e.g. cd.Partition(labels, ids=...).",
            f"give {other} a column of ids (--id names it); --no-id takes the rows of both in "
            "their order.",
        )

    @classmethod
    def from_policy(cls, policy: object, known: Sequence[str]) -> Self:
        """An alignment policy that does not exist, or that only a consensus has."""
        if policy == "abstain":
            return cls(
                'align="abstain" is for a consensus, where each pair of objects counts only in the '
                "runs that have both.",
                f"choose from {', '.join(known)}.",
            )
        near = did_you_mean(policy, known) if isinstance(policy, str) else ""
        return cls(
            f"unknown alignment policy {shown(policy)}.", f"{near}Choose from {', '.join(known)}."
        )

    @classmethod
    def nothing_shared(cls, truth: Sequence[Any] = (), guess: Sequence[Any] = ()) -> NothingShared:
        """After alignment no object is left to compare; these are some of each side."""
        if (spelling := spelled_otherwise(truth, guess)) is not None:
            return NothingShared(
                "truth and guess have no object in common, so there is nothing to compare. "
                f"{spelling.sentence()}",
                spelling.hint(),
            )
        return NothingShared(
            "truth and guess have no object in common, so there is nothing to compare.",
            "look at an id of each; a prefix, a type or the wrong column may differ.",
        )

    @classmethod
    def nothing_shared_by_all(cls, guesses: int) -> NothingShared:
        """Truth shares objects with each guess, but none with all of them."""
        return NothingShared(
            f"truth and the {guesses:,} guesses have no object in common, so there is nothing to "
            "compare.",
            'compare fewer of them at a time, or use align="singletons" or align="penalise".',
        )


class NothingShared(AlignmentError):
    """No object is on both sides."""


class UnknownObject(ClusterdiffError):
    """An object that the comparison does not have, or has several times."""

    @classmethod
    def from_id(cls, wanted: object, positions: bool, count: int) -> Self:
        """An id that no object has."""
        hint = "ids must match exactly; blanks and leading zeros count."
        if positions:
            hint = f"there are no ids, so objects are named by their positions, 0 to {count - 1}."
        return cls(f"no object has the id {examples([wanted])}.", hint)


class MeetError(ClusterdiffError):
    """A meet cannot be made of these rows, or not of these meets."""

    @classmethod
    def from_lengths(cls, lengths: dict[str, int]) -> Self:
        """Columns of different lengths."""
        told = ", ".join(f"{name} has {length:,}" for name, length in lengths.items())
        return cls(
            f"the columns of a meet have one entry for each row, but {told}.",
            "give a truth cluster, a guess cluster and a number of objects for each row.",
        )


# Files that cannot be read as clusterings, or cannot or must not be written.

LATIN = "ISO-8859-1"
"""What text that is not in UTF-8 is most often in (Latin-1); any bytes are text in it."""
WINDOWS = "Windows-1252"
"""The same with letters and quotes where Latin-1 has control characters."""

RAGGED = re.compile(
    r"CSV Error on Line: (\d+)\b.*Expected Number of Columns: (\d+) Found: (\d+)", re.DOTALL
)
"""What DuckDB says of a line with more or fewer cells than the others."""


class ReadError(ClusterdiffError):
    """A file could not be read as a clustering."""

    @classmethod
    def missing(cls, path: str, beside: Sequence[str]) -> Self:
        """No such file."""
        near = did_you_mean(path, beside)
        return cls(
            f"File not found: {path}", near.strip() or "check the path; - reads standard input."
        )

    @classmethod
    def no_path(cls, path: str) -> Self:
        """Nothing in place of a path."""
        return cls(
            f"the path is empty ({path!r}).",
            "name a file; if a variable stands for it, is it set?",
        )

    @classmethod
    def denied(cls, path: str) -> Self:
        """A file that may not be read."""
        return cls(f"Permission denied: {path}", f"see who may read it: ls -l {shlex.quote(path)}")

    @classmethod
    def empty(cls, path: str) -> Self:
        """A file without rows."""
        return cls(
            f"{path} has no rows.", "a header alone is not enough: one row per object is needed."
        )

    @classmethod
    def encoded(cls, path: str, encoding: str) -> Self:
        """Text in another encoding."""
        name, dot, ending = path.rpartition(".")
        other = f"{name}.utf8.{ending}" if dot and "/" not in ending else f"{path}.utf8"
        convert = (
            f"convert it: iconv -f {encoding} -t UTF-8 {shlex.quote(path)} > {shlex.quote(other)}"
        )
        return cls(
            f"{path} is encoded in {encoding}, not UTF-8.",
            f"say so, cd.read({path!r}, encoding={encoding.lower()!r}); or {convert}",
            f"say so: --encoding {encoding.lower()}; or {convert}",
        )

    @classmethod
    def from_engine(cls, path: str, why: str) -> Self:
        """The engine below could not parse the file."""
        if "Permission denied" in why:
            return cls.denied(path)
        if "not utf-8 encoded" in why:
            return cls.encoded(path, LATIN)
        if (found := RAGGED.search(why)) is not None:
            line, wanted, cells = found.groups()
            return cls(
                f"{path} could not be read: line {line} has {cells} cells, and others have "
                f"{wanted}.",
                "give each line the same number of cells, and quote cells with the delimiter.",
            )
        return cls(
            f"{path} could not be read: {shorten(' '.join(why.split()), 200)}",
            "does the content match the file extension? Name the format in cd.read, e.g. "
            'as_="long": long, labels, clusters, json, conll or corefud.',
            "does the content match the file extension? Name the format with --as: long, labels, "
            "clusters, json, conll or corefud.",
        )


class WriteError(ClusterdiffError):
    """A file was not written; what was there before is as it was."""

    @classmethod
    def from_os(cls, path: object, error: OSError, hint: str = "") -> Self:
        """What the system says of it."""
        folder = os.path.dirname(str(path))
        if error.errno == errno.ENOENT and folder and not hint:
            hint = f"make the folder first: mkdir -p {shlex.quote(folder)}"
        return cls(f"{path} could not be written: {error.strerror or error}.", hint)

    @classmethod
    def from_input(cls, path: object, source: str) -> Self:
        """A file that is read, and would be lost."""
        same = "" if str(path) == source else f", as {source},"
        return cls(f"{path} is read{same} and would be overwritten.", "write to another file.")

    @classmethod
    def from_twice(cls, path: object) -> Self:
        """Two results for one place."""
        return cls(
            f"{path} is to be written twice, and the first result would be lost.",
            "write to different files.",
        )


# Tables whose columns do not say what is meant.

FRAME, RELATION = "the frame", "the relation"
"""What tables that are no files are called in messages."""
HOLDS = {"id": "ids", "cluster": "clusters", "degree": "degrees", "sample": "samples"}
BY_ROW = "if each row is an object, in the same order in all tables, "


class ColumnError(ReadError):
    """It is not clear which columns of a table are meant."""

    @classmethod
    def ambiguous(cls, path: str, found: Sequence[str]) -> Self:
        """Too many columns to guess which ones are meant, or one alone."""
        if len(found) < 2:
            what = f"the column {found[0]!r} alone" if found else "no columns"
            return cls(
                f"{path} has {what}; objects and their clusters are two.",
                "give a row for each object: its id, and the cluster it is in.",
            )
        wanted = {"id": found[0], "cluster": found[-1]}
        return cls(
            f"{path} has {len(found):,} columns ({some(found)}); "
            "which are the objects and which the clusters is not clear.",
            f"say so, e.g. {_python(path, **wanted)}; id='' where each row is an object, in the "
            "same order in all tables.",
            f"say so, e.g. {_flags(**wanted)}; --no-id where each row is an object, in the same "
            "order in all tables.",
        )

    @classmethod
    def several(cls, path: str, option: str, found: Sequence[str], names: Sequence[str]) -> Self:
        """Columns that could each be the one of the clusters, ids or degrees."""
        *others, one = found
        hint, flags = _python(path, **{option: one}), _flags(**{option: one})
        if path in (FRAME, RELATION):
            kept = [name for name in names if name not in others]
            hint = _selected(path, kept) if len(kept) < 7 else f"leave {some(others)} out"
        elif option == "cluster":
            hint, flags = f"{f'{path}::{one}'!r} or {hint}", f"{_colons(path, one)} or {flags}"
        return cls(
            f"{path} has {len(found)} columns that could hold the {HOLDS[option]}: {some(found)}.",
            f"say which, e.g. {hint}.",
            f"say which, e.g. {flags}.",
        )

    @classmethod
    def edges(cls, path: str, found: Sequence[str], ends: Sequence[str]) -> Self:
        """A table of edges, which says nothing of clusters."""
        given = {"id": ends[0], "cluster": ends[1]}
        return cls(
            f"{path} has the columns {some(found)}: this looks like the edges of a graph, and a "
            "clustering has one row per node, with its cluster.",
            "give the communities found in it, e.g. nx.community.louvain_communities(G); if "
            f"{ends[1]!r} does hold the clusters, {_read(path)}, id={ends[0]!r}, "
            f"cluster={ends[1]!r}).",
            f"write the communities found in it; if {ends[1]!r} does hold the clusters, "
            f"{_flags(**given)}.",
        )

    @classmethod
    def no_ids(cls, path: str, found: Sequence[str], cluster: str) -> Self:
        """A column of clusters beside several others, none of which is called like an id."""
        other = next(name for name in found if name != cluster)
        return cls(
            f"{path} has {len(found):,} columns ({some(found)}), and none is called like an id.",
            f"{BY_ROW}{_python(path, cluster=cluster, id='')}; else name the ids, e.g. "
            f"{_python(path, id=other, cluster=cluster)}.",
            f"{BY_ROW}--no-id; else name the ids, e.g. {_flags(id=other)}.",
        )

    @classmethod
    def repeated(cls, path: str, id: str, cluster: str, repeats: int) -> Self:
        """A column that was taken for ids by its place alone, and holds values again."""
        return cls(
            f"{path} has no column that is called like an id, and {id!r}, which stands beside "
            f"{cluster!r}, holds {repeats:,} values twice.",
            f"{BY_ROW}{_python(path, cluster=cluster, id='')}; if {id!r} does hold the ids, "
            f"{_python(path, id=id, cluster=cluster)}.",
            f"{BY_ROW}--no-id; if {id!r} does hold the ids, {_flags(id=id)}.",
        )

    @classmethod
    def datasets(cls, path: str, id: str, dataset: str, repeats: int) -> Self:
        """Ids that occur again, beside a column that identifies data sets."""
        return cls(
            f"{path} has ids ({id!r}) that occur again, {repeats:,} in all; records of several "
            f"data sets are identified by {dataset!r} and {id!r} together.",
            f"take both, {_read(path)}, id={[dataset, id]!r}); if each {id!r} is one object, "
            f"{_read(path)}, id={id!r}).",
            f"take both, {_flags(id=f'{dataset},{id}')}; if each {id!r} is one object, "
            f"{_flags(id=id)}.",
        )

    @classmethod
    def part(cls, path: str, name: str, family: str) -> Self:
        """A column of ids of several columns that is written differently by every engine."""
        what = {"numbers": "numbers that are not whole", "bool": "true and false"}
        hint = f"make it one of them, CAST({name} AS BIGINT) in SQL"
        if path == FRAME:
            hint = f'make it one of them, frame.astype({{{name!r}: "int64"}}) in pandas'
        return cls(
            f"{path} has {name!r} among the columns of the id, which holds "
            f"{what.get(family, f'values of the type {family}')}; ids of several columns are made "
            "of whole numbers and text.",
            f"{hint}.",
        )

    @classmethod
    def unnamed(cls, path: str, found: Sequence[str]) -> Self:
        """Columns without a name, of which it is not clear what they hold."""
        places = [str(i) for i, name in enumerate(found, 1) if not name.strip()]
        where = f"column {places[0]}" if len(places) == 1 else f"columns {some(places)}"
        return cls(
            f"{path} has no name for {where} of {len(found):,} ({some(found)}), and it is not "
            "clear which hold the objects and the clusters.",
            "write a name for each column in the first line, such as id and cluster.",
        )

    @classmethod
    def matrix(cls, path: str, id: str, cluster: str) -> Self:
        """Two columns of 0 and 1 that were taken for ids and clusters of a cover."""
        start = "give a matrix from Python, cd.Cover(frame.to_numpy()); or name the columns,"
        return cls(
            f"{path} has two columns, {id!r} and {cluster!r}, that hold 0 and 1 alone: this looks "
            "like a matrix of memberships, not like ids and clusters.",
            f"{start} {_python(path, id=id, cluster=cluster)}.",
            f"{start} {_flags(id=id, cluster=cluster)}.",
        )

    @classmethod
    def no_numbers(cls, path: str, name: str) -> Self:
        """A column that was taken for the degrees of a cluster, and holds other things."""
        return cls(
            f"{path} has no column that is called like a cluster, so each is taken for the degrees "
            f"of one; but {name!r} holds other things than numbers.",
            f"name the ids, {_python(path, id=name)}, or the clusters and degrees.",
            f"name the ids, {_flags(id=name)}, or the clusters and degrees, --cluster and "
            "--degree.",
        )

    @classmethod
    def also_no_ids(cls, error: ClusterdiffError, path: str, name: str) -> Self:
        """Degrees that are none, of a table in which no column was taken for ids."""
        also = f"Also, no column is called like an id; if {name!r} holds them, name it:"
        return cls(
            error.message,
            f"{error.hint} {also} {_python(path, id=name)}.",
            f"{error.flags or error.hint} {also} {_flags(id=name)}.",
        )

    @classmethod
    def pairs(cls, path: str, left: str, right: str, scored: bool) -> Self:
        """Pairs of objects, where the cluster of each object is wanted."""
        own = path.removeprefix("the ") if path in (FRAME, RELATION) else repr(path)
        given = shlex.quote(path)
        threshold, flag = (", threshold=0.9", " --threshold 0.9") if scored else ("", "")
        linked = f"cd.Partition.from_pairs({own}{threshold})"
        python = [f"cd.compare(truth, {linked}, align='singletons')"]
        flags = [f"clusterdiff compare truth.csv {given} --as pairs{flag} --align singletons"]
        if scored:
            python.append(f"cd.sweep(truth, {own})  # which threshold")
            flags.append(f"clusterdiff sweep truth.csv {given}  # which threshold")
        return cls(
            f"{path} holds pairs of objects ({left}, {right}), not the cluster of each object.",
            worked("link them first", *python),
            worked("link them first", *flags),
        )

    @classmethod
    def no_degrees(cls, path: str, found: Sequence[str], guess: str) -> Self:
        """Rows of a graded kind without a column that is called like a degree."""
        return cls(
            f"{path} has the columns {examples(found, 8)}, and none is called like a "
            "degree of membership.",
            f"name it: {_python(path, degree=guess)}.",
            f"name it: {_flags(degree=guess)}.",
        )


class MissingColumn(ColumnError):
    """A column that was named is not there."""

    column: str = ""

    @classmethod
    def from_names(cls, path: str, wanted: str, found: Sequence[str], said: str) -> Self:
        """The columns that are there, and the nearest of them; `said` is the option that named it,
        or "::" behind the path.
        """
        near = did_you_mean(wanted, found[:1000])
        one = near.removeprefix("did you mean ").removesuffix("? ") or (*found, "COLUMN")[0]
        message = f"{path} has no column {wanted!r}; it has {some(found)}."
        if said == "::" and any(mark in wanted for mark in "*?["):
            message = f"no column of {path} matches {wanted!r}; its columns are {some(found)}."
            if fitting := [name for name in found if fnmatchcase(name, wanted)]:
                near, one = "", fitting[0]
                many = f"{len(fitting):,} columns" if len(fitting) > 1 else "one column"
                message = (
                    f"{path}::{wanted} matches {many} ({some(fitting)}). Name one column here: "
                    "patterns are for arguments that accept several clusterings."
                )
        hint = f"{path}::{one}" if said == "::" else _python(path, **{said: one})
        flags = _colons(path, one) if said == "::" else _flags(**{said: one})
        error = cls(message, f"{near}write e.g. {hint}.", f"{near}write e.g. {flags}.")
        error.column = wanted
        return error

    def among(
        self, path: str, wanted: Sequence[str], found: Sequence[str], option: str = "id"
    ) -> Self:
        """The same of an id of several columns, with the nearest names in place of wrong ones."""
        near = [
            one if one in found else (get_close_matches(one, found, 1) or found)[0]
            for one in wanted
        ]
        read = f"{_read(path)}, id={near!r})" if option == "id" else f"{option}={near!r}"
        flags = _flags(**{option: ",".join(near)})
        error = type(self)(self.message, f"write e.g. {read}.", f"write e.g. {flags}.")
        error.column = self.column
        return error


def some(names: Sequence[str]) -> str:
    """The first names of a list, and how many more there are."""
    more = f" and {len(names) - 8:,} more" if len(names) > 8 else ""
    return ", ".join(shorten(name.strip(), 30) or "(unnamed)" for name in names[:8]) + more


def _python(path: str, **columns: str) -> str:
    """What names columns in Python: `read` for a file; of a frame those that are meant are kept,
    and those of pairs are named where the pairs are given.
    """
    said = ", ".join(f"{option}={name!r}" for option, name in columns.items())
    if columns.keys() & {"left", "right", "score"}:
        return said
    if path in (FRAME, RELATION):
        return _selected(path, [name for name in columns.values() if name])
    return f"cd.read({path!r}, {said})"


def _read(path: str) -> str:
    """The start of a call that reads a table."""
    return f"cd.read({path.removeprefix('the ') if path in (FRAME, RELATION) else repr(path)}"


def _flags(**columns: str) -> str:
    """What names columns on the command line."""
    names = {"sample": "samples"}
    return " ".join(f"--{names.get(o, o)} {shlex.quote(c)}" for o, c in columns.items())


def _selected(path: str, columns: list[str]) -> str:
    """A frame or relation with these columns alone."""
    if path == FRAME:
        return f"frame[{columns!r}]"
    listed = ", ".join('"' + name.replace('"', '""') + '"' for name in columns)
    return f"relation.project({listed!r})"


def _colons(path: str, column: str) -> str:
    return shlex.quote(f"{path}::{column}")


# Files and databases on the network, or in a format whose reader is not installed.


class NetworkRefused(ReadError):
    """What is named is elsewhere, and may or can not be fetched."""

    @classmethod
    def from_address(cls, shown: str) -> Self:
        """The user has not allowed it."""
        return cls(
            f"{shown} is on the network, which is left alone unless you allow it.",
            "allow it, cd.compare(…, engine=cd.DuckDB(allow_network=True)), or "
            f"cd.read({shown!r}, allow_network=True); or name a copy of your own.",
            "allow it: --allow-network; or name a copy of your own.",
        )

    @classmethod
    def from_extension(cls, shown: str, extension: str) -> Self:
        """The extension of DuckDB that reads it is not installed."""
        return cls(
            f"{shown} is read by {extension}, an extension of DuckDB that is not installed.",
            f"install it: {install_line(extension)}; or name a copy of your own.",
        )

    @classmethod
    def from_postgres(cls, shown: str) -> Self:
        """Nothing that speaks to PostgreSQL is installed."""
        return cls(
            f"{shown} is a PostgreSQL database, and neither DuckDB's extension postgres nor the "
            "ADBC driver for it is installed.",
            f"pip install 'clusterdiff[postgres]', or {install_line('postgres')}.",
        )


class ReaderMissing(ReadError):
    """A format that a package reads which is not installed."""

    @classmethod
    def from_extra(cls, path: str, what: str, extra: str, other: str) -> Self:
        """The package comes with an extra of ours."""
        return cls(
            f"{path} is {what}, and the package that reads it is not installed.",
            f"pip install 'clusterdiff[{extra}]', or {other}.",
        )


def check_arrow(shown: str, what: str, other: str) -> None:
    """Refuse what only Arrow reads, where it is not installed."""
    if find_spec("pyarrow") is None:
        raise ReaderMissing.from_extra(shown, what, "arrow", other)


def install_line(extension: str) -> str:
    """What installs an extension of DuckDB; it is downloaded."""
    return f"python -c \"import duckdb; duckdb.sql('INSTALL {extension}')\""


# Input that is no clustering: labels and ids, degrees and masses, arrays and graphs.


class InputError(ClusterdiffError):
    """A clustering cannot be made of what was given."""

    duplicates: int = 0
    """How many ids are in more than one cluster."""

    def within(self, place: str) -> Self:
        """The same error, with the file or sample it was found in."""
        error = super().within(place)
        error.duplicates = self.duplicates
        return error

    @classmethod
    def empty(cls, what: str = "the clustering") -> Self:
        """Nothing to compare."""
        return cls(
            f"{what} has no objects: there is nothing to compare.",
            "give at least one object, e.g. cd.rand([1], [1]).",
        )

    @classmethod
    def from_sides(cls, measure: str, count: int, model: bool = False) -> Self:
        """One clustering, or more than two, where two are compared; `model` where the first one is
        a model, as scikit-learn gives it to its scorers.
        """
        what = "the guess is missing" if count == 1 else f"it was given {count}"
        hint = f"cd.{measure}(truth, guess)"
        return cls(
            f"{measure} compares two clusterings: {what}.",
            f'{hint}; for scikit-learn, scoring=cd.scorer("{measure}")' if model else hint,
        )

    @classmethod
    def from_list_of_guesses(cls, count: int) -> Self:
        """Several guesses, which have no names in a list."""
        return cls(
            f"guess is a list of {count:,} clusterings.",
            'give several guesses as a dict, {"a": guess_a, "b": guess_b}; if it lists the '
            "members of clusters, [set(members) for members in guess].",
        )

    @classmethod
    def from_annotated(cls, value: Any) -> Self:
        """An AnnData, which has labels in columns of its obs."""
        names = [str(name) for name in value.obs.columns]
        named = [*names, "cell_type", "leiden"][:2]
        return cls(
            f"{a_type(value)} is no clustering, but has {len(names):,} columns in its obs "
            f"({examples(names)}).",
            worked(
                "name the columns",
                f"cd.compare(adata, truth={named[0]!r}, guesses=[{named[1]!r}])",
                f"cd.compare(adata.obs[{named[0]!r}], adata.obs[{named[1]!r}])",
            ),
        )

    @classmethod
    def from_nulls(
        cls, side: str, count: int, total: int, where: Sequence[Any], dropped: bool = False
    ) -> Self:
        """Labels that are null, None or NaN; `dropped` where noise is left out anyway."""
        out = 'noise=[None] with noise_as="drop" leaves them out.'
        fate = f"noise=[None] makes each a cluster of its own, {out}"
        return cls(
            f"{count:,} of {total:,} labels of {side} are null (objects {examples(where)}).",
            f"say what they mean: {'noise=[None] leaves them out.' if dropped else fate}",
        )

    @classmethod
    def from_null_words(
        cls, side: str, found: Mapping[str, int], total: int, quotable: bool, dropped: bool = False
    ) -> Self:
        """Labels of a text file that are the text for a missing value, without quotes."""
        words = list(found)
        named = "write a cluster of that name in quotes, " + ", ".join(f'"{w}"' for w in words)
        if not quotable:
            named = "give a cluster of that name another one"
        python, flags = said_missing(words, dropped)
        return cls(
            f"{sum(found.values()):,} of {total:,} labels of {side} are {', '.join(words)}, which "
            "could be missing values or the name of a cluster.",
            f"{python}; if not, {named}.",
            f"{flags}; if not, {named}.",
        )

    @classmethod
    def from_null_ids(cls, count: int, total: int) -> Self:
        """Ids that are null."""
        return cls(
            f"{count:,} of {total:,} ids are null.",
            "every object needs an id; drop these rows, or leave the ids out altogether.",
        )

    @classmethod
    def from_rows_without_cluster(cls, count: int, total: int) -> Self:
        """Degrees of which it is not said which cluster they are for."""
        return cls(
            f"{count:,} of {total:,} rows name no cluster.",
            "drop them, or name the cluster that the degree belongs to.",
        )

    @classmethod
    def from_other_degrees(cls, count: int) -> Self:
        """Rows for an object and a cluster that have a row already."""
        return cls(
            f"{count:,} rows give an object another degree for the same cluster.",
            "keep one row for each object and cluster.",
        )

    @classmethod
    def from_nameless_samples(cls, count: int, total: int) -> Self:
        """Objects of which it is not said which sample they are in."""
        return cls(
            f"{count:,} of {total:,} objects have no sample (null).",
            "name a sample for each object.",
        )

    @classmethod
    def from_duplicates(cls, count: int, shown: Sequence[tuple[Any, Any, Any]]) -> Self:
        """Objects that a partition puts in two clusters."""
        told = "; ".join(
            f"{examples([i])} is in {examples([a])} and in {examples([b])}" for i, a, b in shown[:3]
        )
        error = cls(
            f"{count:,} {'id is' if count == 1 else 'ids are'} in more than one cluster ({told}); "
            "a partition has each object in one.",
            'keep one row per id, or say kind="cover" if objects may be in several clusters, '
            'kind="fuzzy" if rows have a degree of membership. '
            "If ids repeat from document to document, name the column of the documents, e.g. "
            'samples="doc".',
        )
        error.duplicates = count
        return error

    @classmethod
    def from_nulls_among_labels(cls, count: int, shown: Sequence[Any]) -> Self:
        """Objects of a cover that have clusters and a null besides."""
        return cls(
            f"{count:,} objects are in a cluster and have a null besides (objects "
            f"{examples(shown)}); a null says that an object is in no cluster.",
            "leave the nulls of these objects out.",
        )

    @classmethod
    def from_single_label(cls, value: object, what: str) -> Self:
        """Something that is no collection, where a cover needs one."""
        return cls(
            f"{what} is given by a collection, but {shown(value)} is {a_type(value)}.",
            "write a list or set for each, e.g. [['jazz'], ['jazz', 'funk']]; "
            "for one label per object use cd.Partition.",
        )

    @classmethod
    def from_memberships(cls, count: int, shown: Sequence[Any], shape: tuple[int, ...]) -> Self:
        """A matrix of memberships that are neither 0 nor 1."""
        return cls(
            f"{count:,} entries of the {shape[0]:,} x {shape[1]:,} matrix are neither 0 nor 1 "
            f"({examples(shown)}): an object is named for a cluster or it is not.",
            "degrees of membership are a fuzzy clustering, cd.Fuzzy(matrix); "
            "cd.Cover(matrix > 0.5) takes those above a half as members.",
        )

    @classmethod
    def from_uncovered(cls, side: str, count: int, total: int) -> Self:
        """Objects in no cluster, where they were forbidden."""
        return cls(
            f"{count:,} of {total:,} objects are in no cluster of {side}, which "
            'uncovered="refuse" forbids.',
            'say what they count as: uncovered="one", "zero" or "skip".',
        )

    @classmethod
    def from_dimensions(cls, shape: tuple[int, ...]) -> Self:
        """An array that is not a list of labels."""
        if not shape:
            return cls(
                "labels are one per object, but this array is a single number.",
                "give the labels of all objects; that of one object is labels.reshape(1).",
            )
        return cls(
            f"labels are one per object, but this array has the shape {shape}.",
            "give one column, e.g. labels[:, 0]; a matrix of memberships is cd.Cover(matrix) if "
            'they are 0 or 1, cd.Fuzzy(matrix) (kind="fuzzy") if they are chances.',
        )

    @classmethod
    def from_unhashable(cls, value: object) -> Self:
        """A label that cannot be compared by value."""
        return cls(
            f"a label must be hashable, but {shown(value)} is {a_type(value)}.",
            "use strings, numbers or tuples as labels; a list of sets is read as clusters, each a "
            'set of objects; with several labels per object say kind="cover" or use cd.Cover.',
        )

    @classmethod
    def from_tuples(cls, rows: Sequence[object]) -> Self:
        """Tuples that may be labels, clusters or rows of a table."""
        return cls(
            f"{len(rows):,} different tuples ({examples(rows)}) can be labels, clusters given by "
            "their members, or rows of an id and a label.",
            "say which: cd.Partition(tuples) for labels, [set(t) for t in tuples] for clusters, "
            "dict(tuples) for rows of an id and a label.",
        )

    @classmethod
    def from_tuples_of_ids(cls, labels: Sequence[object]) -> Self:
        """A tuple for each id, which may be one label or several."""
        return cls(
            f"{len(labels):,} ids have tuples of several lengths ({examples(labels)}): each can be "
            "one label, or the labels of all clusters that the object is in.",
            'say which: cd.Partition(labels) for one label each, kind="cover" for several.',
        )

    @classmethod
    def from_sets(cls, of: str, kind: str, labels: Sequence[str]) -> Self:
        """Labels that are sets of clusters, written as texts."""
        one = len(labels) == 1
        rows = (
            "add a column of masses (1 where a set is certain)"
            if kind == "evidential"
            else "write a row for each object and cluster, or in JSON a list of clusters for each "
            "id; an object without clusters has a null"
        )
        told = {"cover": "a cover", "rough": "a rough clustering"}.get(
            kind, "a table without a column of masses"
        )
        return cls(
            f"{len(labels):,} {'label' if one else 'labels'}{of} "
            f"{'looks like a set' if one else 'look like sets'} of clusters ({examples(labels)}), "
            f"but {told} is read from rows that name one cluster each.",
            f"{rows}; if they are names, write them without braces and separators.",
        )

    @classmethod
    def from_lengths(cls, what: str, found: int, labels: int) -> Self:
        """Ids (or samples, or features) that do not fit the labels."""
        given = "is 1 label" if labels == 1 else f"are {labels:,} labels"
        return cls(
            f"there {given} but {found:,} {what.removesuffix('s') if found == 1 else what}.",
            f"give one of {what} for each object or row.",
        )

    @classmethod
    def from_lift(cls, kind: str, wanted: str) -> Self:
        """A clustering that says more than the kind it should become."""
        way = {
            "fuzzy": "clustering.pignistic() makes chances of it",
            "rough": "clustering.harden() makes a partition of it",
            "possibilistic": "clustering.pignistic() makes a fuzzy clustering of it",
        }[wanted]
        article = "an" if kind == "evidential" else "a"
        return cls(
            f"{article} {kind} clustering says what a {wanted} one cannot: something would be "
            "lost.",
            f"{way}, with a loss; cd.Evidential(clustering) takes every kind as it is.",
        )

    @classmethod
    def from_cover(cls, kind: str) -> Self:
        """A cover where each object is in one cluster, known or not."""
        return cls(
            "a cover has its objects in all of the clusters named for them; in a clustering that "
            f"is {kind} each is in one.",
            "if one of several is meant, give the sets themselves: cd.Rough(sets).",
        )


class AllNoise(InputError):
    """No object is left once the noise is dropped."""

    @classmethod
    def dropped(cls) -> Self:
        """All objects were noise, on one side or the other."""
        return cls.empty("after the noise is dropped, the comparison")


class ArrayError(InputError):
    """What was given is an array, a graph or a collection, and cannot be read as it is."""

    @classmethod
    def from_array(cls, value: Any, error: Exception) -> Self:
        """An array of another library that NumPy cannot read."""
        name = f"{type(value).__module__.partition('.')[0]}.{type(value).__name__}"
        why = f"{error}".strip().partition("\n")[0] or type(error).__name__
        return cls(f"a {name} cannot be read as numbers: {shorten(why, 160)}", way_out(value))

    @classmethod
    def from_unordered(cls, value: object) -> Self:
        """A set or a dict where values belong to objects by their order."""
        return cls(
            f"{a_type(value)} has no order, so it is not known which value belongs to which object."
            if isinstance(value, Set)
            else f"{a_type(value)} is not a list with one value for each object.",
            "give a list of labels, a dict from id to label, or a list of sets of objects.",
        )

    @classmethod
    def from_digits(cls, most: int) -> Self:
        """A whole number that is too long to be written down."""
        return cls(
            f"a label or id is a whole number of more than {most:,} digits.",
            "use shorter names, e.g. the position of each object or a hash as text.",
        )


def way_out(value: Any) -> str:
    """What to call so that the numbers of an array lie in memory."""
    device = getattr(getattr(value, "device", None), "type", "cpu")
    if device == "meta":
        return "it has a shape and no values; compute them first."
    if getattr(value, "is_sparse", False) or "sparse" in str(getattr(value, "layout", "")).lower():
        return "make it dense, values.to_dense()."
    if getattr(value, "is_quantized", False):
        return "turn it into plain numbers, values.dequantize()."
    if device != "cpu":
        return "copy it into memory, values.cpu()."
    if hasattr(value, "get") and hasattr(type(value), "__cuda_array_interface__"):
        return "copy it into memory, values.get()."
    return "give an array that np.asarray(values) can read, or a list of labels."


# Degrees of membership that cannot be read as those of a clustering.


class DegreeError(InputError):
    """Degrees that cannot be read as those of a clustering."""

    @classmethod
    def from_frame(cls, names: Sequence[str]) -> Self:
        """A frame with a column of chances for each cluster."""
        return cls(
            f"the {len(names):,} columns of the frame ({examples(names)}) sum to one in each row: "
            "they look like the chances of clusters, not like guesses.",
            "they are a fuzzy clustering: cd.Fuzzy(frame.to_numpy()); the likeliest clusters are "
            "cd.compare(truth, frame.to_numpy().argmax(axis=1)).",
        )

    @classmethod
    def from_large_number(cls) -> Self:
        """A degree that is larger than any floating-point number."""
        return cls(
            "a degree of membership is a number from 0 to 1, and one is above 1e308.",
            "counts or scores can be divided by their sum first.",
        )

    @classmethod
    def from_degrees(
        cls, what: str, count: int, rows: int, shown: Sequence[tuple[Any, Any, float]]
    ) -> Self:
        """Degrees outside 0 to 1."""
        told = "; ".join(
            f"object {examples([i])}, cluster {examples([c])}: {v:g}" for i, c, v in shown
        )
        hint = {
            "negative": "degrees are numbers from 0 to 1.",
            "greater than one": "degrees are numbers from 0 to 1; counts or scores can be divided "
            "by their sum, matrix / matrix.sum(axis=1, keepdims=True).",
        }.get(what, "fill or drop them first, e.g. np.nan_to_num(matrix).")
        return cls(f"{count:,} degrees of {rows:,} objects are {what} ({told}).", hint)

    @classmethod
    def from_sums(
        cls, kind: str, count: int, total: int, worst: object, found: float, turned: bool = False
    ) -> Self:
        """Rows that should sum to one and do not; `turned` where the columns do."""
        what = "masses" if kind == "evidential" else "degrees"
        if kind == "evidential":
            hint = 'masses of an object sum to one; put the rest on the empty set, [] or "".'
        else:
            empty = (
                'rest="empty" takes the rest as the chance to be in no known cluster; '
                if found < 1
                else ""
            )
            hint = (
                f'rest="normalise" (of cd.Fuzzy, cd.read) divides by the sums; {empty}degrees that '
                "need not sum to one "
                'are possibilities, kind="possibilistic" (cd.Possibilistic).'
            )
        if turned:
            hint = f"the columns do: if they are the objects, give matrix.T; else {hint}"
        return cls(
            f"the {what} of {count:,} of {total:,} objects do not sum to one "
            f"(the worst, {shown(worst)}, to {found:.6g}).",
            hint,
        )


# Graphs and parts of graphs in place of the communities found in them.


class GraphError(ArrayError):
    """A graph, a part of one or another result of a network library, and no clustering."""

    @classmethod
    def from_graph(cls, value: Any, sizes: Sequence[int], attributes: Mapping[str, int]) -> Self:
        """A graph, or a view of its nodes, in place of the communities found in it; `attributes` of
        its nodes that could name clusters, with how many values each has.
        """
        found, by_attribute = _lines(value)
        what = f"{a_type(value)} is a graph or a part of one, not a clustering of its nodes"
        if sizes:
            what = (
                f"{a_type(value)} of {sizes[0]:,} nodes and {sizes[1]:,} edges is a graph, not a "
                "clustering of its nodes"
            )
        if not attributes:
            none = ", and no attribute of its nodes could be one" if sizes else ""
            return cls(
                f"{what}{none}.",
                f"give its communities, e.g. {found}, or a dict from node to cluster, e.g. "
                f"{by_attribute('community')}.",
            )
        first, *others = attributes
        told = some([f"{n} ({k:,} value{'s' if k > 1 else ''})" for n, k in attributes.items()])
        named = f"cd.compare({by_attribute(first)}, {found})."
        if others:
            call = f"cd.compare({_called(value)}, truth={first!r}, guesses=[{others[0]!r}])"
            named = f"name them: {call}; or give clusterings, {named}"
        return cls(f"{what}; attributes of its nodes that could be one are {told}.", named)

    @classmethod
    def from_attribute(cls, value: Any, wanted: str, found: Sequence[str]) -> Self:
        """An attribute that no node of a graph has."""
        if not found:
            return cls(
                f"no node of the graph has an attribute {shorten(wanted, 40)!r}, or any other.",
                f"give clusterings: cd.compare(truth, {_lines(value)[0]}).",
            )
        return cls(
            f"no node of the graph has an attribute {shorten(wanted, 40)!r}; there are "
            f"{some(found)}.",
            f"{did_you_mean(wanted, found)}Write e.g. cd.compare({_called(value)}, "
            f"truth={found[0]!r}, guesses=[{found[-1]!r}]).",
        )

    @classmethod
    def from_levels(cls, count: int, what: str) -> Self:
        """Several clusterings in a list, one of them a level of a hierarchy."""
        return cls(
            f"this is a list of {count:,} {what}, not one clustering.",
            "take one of them, levels[-1]; or compare all with the truth, cd.compare(truth, "
            "{str(i): level for i, level in enumerate(levels)}).",
        )

    @classmethod
    def from_dendrogram(cls, value: Any, count: int | None) -> Self:
        """A hierarchy of igraph, of which nobody has said where to cut it."""
        best = f" ({count:,} communities, by modularity)" if count else ""
        return cls(
            f"{a_type(value)} is a hierarchy of clusterings, and it is not said which one is "
            "meant.",
            f"cut it: dendrogram.as_clustering(){best}, or dendrogram.as_clustering(n=4).",
        )

    @classmethod
    def from_edges(cls, edges: int, nodes: int) -> Self:
        """A list of edges, in which each node may occur several times."""
        return cls(
            f"this looks like a list of edges: {edges:,} pairs of {nodes:,} nodes, no two pairs "
            "alike. A clustering has one label per node.",
            "give the communities, e.g. nx.community.louvain_communities(nx.Graph(edges)), or a "
            "dict from node to cluster; if the pairs are labels, cd.Partition(pairs).",
        )

    @classmethod
    def from_number(cls, value: Any) -> Self:
        """A score of communities in place of the communities."""
        return cls(
            f"{shown(value)} is a number, not a clustering.",
            "if it is the modularity of communities, give the communities themselves; otherwise a "
            "list of labels, a dict from id to label, or a list of sets.",
        )

    @classmethod
    def from_property(cls, value: Any, hint: str) -> Self:
        """What graph-tool says of edges, or of several levels."""
        return cls(f"{a_type(value)} does not hold one cluster for each vertex.", hint)


def _called(value: Any) -> str:
    """What people call a graph of this library."""
    return "G" if _library(value) == "networkx" else "g"


def _library(value: Any) -> str:
    if hasattr(value, "vcount"):
        return "igraph"
    return "graph_tool" if hasattr(value, "vertex_properties") else "networkx"


def _lines(value: Any) -> tuple[str, Any]:
    """How a library finds communities, and how it gives an attribute of its nodes."""
    return {
        "igraph": (
            'g.community_leiden(objective_function="modularity")',
            lambda name: (
                f'dict(zip(g.vs["name"], g.vs[{name!r}]))'
                if "name" in value.vs.attributes()
                else f"g.vs[{name!r}]"
            ),
        ),
        "graph_tool": (
            "minimize_blockmodel_dl(g).get_blocks()",
            lambda name: f"g.vp[{name!r}]",
        ),
        "networkx": (
            "nx.community.louvain_communities(G)",
            lambda name: f"dict(G.nodes(data={name!r}))",
        ),
    }[_library(value)]


# Measures that do not exist, or not so, or not for this.


class KindError(ClusterdiffError):
    """A measure was asked of a clustering it cannot read."""

    @classmethod
    def from_penalised(cls, measure: str, near: str) -> Self:
        """A measure that has no precision and recall to lay the missing objects on."""
        return cls(
            f"{measure} is not defined for objects that are on one side only "
            '(align="penalise" counts precision over the guess, recall over the truth).',
            f'use {near}, or align="singletons", or align="shared".',
        )

    @classmethod
    def from_kind(cls, measure: str, near: str, count: int, total: int) -> Self:
        """A measure of partitions asked of overlapping clusterings."""
        return cls(
            f"{measure} compares partitions, and {count:,} of {total:,} objects are in several "
            "clusters or in none.",
            f"{near} compares overlapping clusterings.",
        )

    @classmethod
    def from_missing_side(cls) -> Self:
        """Objects on one side only, where the clusterings are uncertain."""
        return cls(
            "uncertain clusterings are compared on objects that both sides have.",
            'use align="shared" to leave the others out.',
        )

    @classmethod
    def from_soft(
        cls, measure: str, what: str, sides: Sequence[tuple[str, str]], near: str
    ) -> Self:
        """A measure of partitions or covers asked of uncertain clusterings."""
        told = " and ".join(f"{side} is {kind}" for side, kind in sides)
        return cls(
            f"{measure} compares {what}; {told}.",
            f"{near}; clustering.harden() makes a partition.",
        )

    @classmethod
    def from_membership(cls, measure: str, kind: str) -> Self:
        """A measure of degrees asked of masses on sets."""
        return cls(
            f"{measure} compares degrees of membership; an {kind} clustering has masses on sets.",
            "rand_alpha compares these; clustering.pignistic() makes degrees of them.",
        )

    @classmethod
    def from_missing_features(cls) -> Self:
        """The mean squared error without features."""
        return cls(
            "split_merge(similarity='mse') needs the features of the objects.",
            "cd.split_merge(truth, guess, similarity='mse', features=X) "
            "with one row of X per object.",
        )


class UnknownMeasure(ClusterdiffError):
    """No such measure."""

    @classmethod
    def from_name(cls, name: str, near: str, count: int) -> Self:
        """A name that the registry does not have, and the nearest one that it has."""
        return cls(
            f"no measure is called {shorten(name, 60)!r}.",
            f"{f'did you mean {near}? ' if near else ''}`clusterdiff measures` lists all {count}.",
        )

    @classmethod
    def from_ambiguous(cls, name: str, meant: Sequence[str]) -> Self:
        """An alias that several measures have."""
        return cls(
            f"{shorten(name, 60)!r} is ambiguous: {' and '.join(meant)} go by that name.",
            f"use the name of one of them, e.g. {meant[0]}.",
        )

    @classmethod
    def from_taken(cls, name: str, module: str) -> Self:
        """A new measure with a name that another one has."""
        return cls(f"there is a measure {name} already, in {module}.", "give the new one its own.")

    @classmethod
    def not_asked(cls, text: str) -> Self:
        """A measure that a report does not hold."""
        return cls(
            f"the report does not hold {text}.", f"ask for it: cd.compare(truth, guess, [{text!r}])"
        )

    @classmethod
    def from_text(cls, text: str) -> Self:
        """A text that is no measure."""
        return cls(
            f"{shorten(text, 60)!r} cannot be read as a measure.",
            "write a name with parameters in parentheses, e.g. bcubed_f(f='objects').",
        )

    @classmethod
    def from_length(cls, text: str, most: int) -> Self:
        """A text that is longer than any measure."""
        return cls(
            f"{shorten(text, 60)!r} cannot be read as a measure: it has {len(text):,} characters.",
            f"a measure is written in {most:,} characters at most.",
        )

    @classmethod
    def from_nested(cls, name: str) -> Self:
        """A measure of a measure that holds it already, each with draws of its own."""
        return cls(f"{name} cannot be applied twice.", f"apply it once, e.g. {name}(rand).")


class UnknownParameter(ClusterdiffError):
    """A measure has no such parameter, or not with this value."""

    @classmethod
    def from_name(cls, measure: str, name: str, known: Sequence[str]) -> Self:
        """A parameter that the measure does not take."""
        listed = f"It takes {', '.join(known)}." if known else "It takes none."
        return cls(
            f"{measure} has no parameter {shorten(name, 40)!r}.",
            f"{did_you_mean(name, known)}{listed}",
        )

    @classmethod
    def from_value(cls, measure: str, name: str, value: object, allowed: str) -> Self:
        """A value outside what the parameter allows."""
        return cls(
            f"{measure}: {name} must be {allowed}, got {shown(value)}",
            f"`clusterdiff measures {measure}` describes its parameters.",
        )

    @classmethod
    def from_function(cls, measure: str, name: str, where: str) -> Self:
        """A function that a text names, where texts run no code."""
        function = where.rpartition(":")[2].rpartition(".")[2]
        given = function if function.isidentifier() else "function"
        return cls(
            f"{measure}: {name}={shown(where)} names a function, and the text of a measure runs no "
            "code.",
            f"in Python give the function itself, cd.{measure}({name}={given}); at the prompt "
            "--allow-code (of compare, explain, diff and report) imports it and runs it.",
        )

    @classmethod
    def from_similarity(cls, name: str, what: str) -> Self:
        """A function that is no similarity of clusters."""
        return cls(
            f"the similarity {name} {what}.",
            "it is called with arrays (objects in both, sizes of the clusters, sizes of the "
            "others) and the number of all objects, and gives one number from 0 to 1 for each, "
            "e.g. lambda both, size, other, objects: both / size.",
        )


class CompatError(ClusterdiffError):
    """The convention of another package that does not exist, or that something contradicts."""

    @classmethod
    def from_name(cls, name: object, known: Sequence[str]) -> Self:
        """A package whose convention is not known."""
        return cls(
            f"no convention is called {shown(name)}.",
            f"{did_you_mean(str(name), known)}compat is one of {', '.join(known)}.",
            f"{did_you_mean(str(name), known)}--compat is one of {', '.join(known)}.",
        )

    @classmethod
    def from_measure(cls, measure: str, package: str, known: Sequence[str]) -> Self:
        """A measure that the package does not have."""
        return cls(
            f"{measure} is not among the measures that {package} has.",
            f"leave compat out, or ask for {', '.join(known)}.",
            f"leave --compat out, or ask for {', '.join(known)}.",
        )

    @classmethod
    def from_parameter(cls, measure: str, name: str, package: str, own: str, given: str) -> Self:
        """A parameter that is asked for, and that the package has otherwise."""
        return cls(
            f"{measure} has {own} in {package}, and {given} was asked for.",
            f"leave {given} out, or compat={name!r}.",
            f"leave {given} out, or --compat {name}.",
        )

    @classmethod
    def from_align(cls, name: str, package: str, given: str, own: Sequence[str]) -> Self:
        """A policy for missing objects that is asked for, and that the package does not have."""
        listed = " or ".join(f'"{one}"' for one in own)
        return cls(
            f"{package} does not have the policy {given!r} for objects on one side only.",
            f"leave align out, or say {listed}; or leave compat={name!r} out.",
            f"leave --align out, or say {listed.replace(chr(34), '')}; or leave --compat {name} "
            "out.",
        )


# Verbs that take partitions only: their hints name no other kind.


@contextmanager
def partitions_only() -> Iterator[None]:
    """Objects in several clusters are refused within, and not by a hint at kind= or samples=."""
    try:
        yield
    except InputError as error:
        if not error.duplicates:
            raise
        raise InputError(
            error.message,
            "keep one row per id. Ids that repeat from document to document are made one with the "
            "document, as in doc1-7.",
        ) from None


# Work that does not fit: memory, disk, and files that change under the reader's hands.


class MemoryNeeded(ClusterdiffError):
    """More memory is needed than was allowed."""

    @classmethod
    def from_rows(cls, what: str, need: int, memory: int) -> Self:
        """Rows that an engine would have to hand over."""
        return cls(
            f"{what} would take about {size(need)} of memory, and {size(memory)} are allowed.",
            f"allow more, memory={roomy(need)!r} (--memory {roomy(need)}), or ask for measures "
            "that only need sizes, such as elm_f, bcubed_f, pair_f, rand or nmi.",
        )

    @classmethod
    def from_pairs(cls, pairs: int, objects: int, need: int, memory: int) -> Self:
        """Descriptions that hardly repeat, so that counting them saves nothing."""
        return cls(
            f"{objects:,} objects have {pairs:,} different pairs of descriptions, which would take "
            f"about {size(need)} of memory; {size(memory)} are allowed. Only what repeats can be "
            "counted instead of kept.",
            "round the degrees before (to two digits, say), compare a sample of the objects, or "
            f"allow more, memory={roomy(need)!r} (--memory {roomy(need)}).",
        )

    @classmethod
    def from_objects(cls, rows: int, need: int, memory: int) -> Self:
        """Objects that have to be in memory, one by one."""
        return cls(
            f"{rows:,} rows or more, each with its id, would take about {size(need)} of memory, "
            f"and {size(memory)} are allowed.",
            f"allow more, memory={roomy(need)!r} (--memory {roomy(need)}), or ask for scores "
            "alone, which need no objects: clusterdiff compare.",
        )

    @staticmethod
    def is_behind(error: BaseException) -> bool:
        """Whether an error of a library is that memory ran out."""
        said = str(error)
        return (
            isinstance(error, MemoryError)
            or type(error).__name__ == "OutOfMemoryException"
            or (isinstance(error, RuntimeError) and "can't start new thread" in said)
            or (isinstance(error, ImportError) and "failed to map segment" in said)
        )

    @classmethod
    def in_python(cls) -> Self:
        """The machine had no more to give."""
        return cls(
            "the memory of this machine is not enough.",
            "compare fewer objects, or use a machine with more memory; measures that only need "
            "sizes, such as elm_f or bcubed_f, need least.",
        )

    @classmethod
    def from_engine(cls, why: str) -> Self:
        """The engine gave up."""
        return cls(
            f"the memory allowed is not enough: {shorten(' '.join(why.split()), 160)}",
            "allow more (--memory 8GB), use fewer threads (--threads 1), or give it a folder with "
            "more room to spill to (--temp DIR).",
        )


class SpaceNeeded(ClusterdiffError):
    """The disk is full."""

    @classmethod
    def from_folder(cls, folder: str, why: str) -> Self:
        """Temporary files did not fit."""
        return cls(
            f"temporary files in {folder} did not fit: {shorten(' '.join(why.split()), 160)}",
            "name a folder with more room, temp='/scratch' (--temp /scratch), or allow more "
            "memory (--memory 8GB).",
        )


class ChangedFile(ClusterdiffError):
    """A file was written to while it was read."""


def size(amount: int) -> str:
    """Bytes for eyes.

    >>> size(1_500_000_000), size(2048)
    ('1.5 GB', '2.0 kB')
    """
    value, units = float(amount), ["bytes", "kB", "MB", "GB", "TB"]
    while value >= 1000 and len(units) > 1:
        value, units = value / 1000, units[1:]
    return f"{value:.0f} bytes" if units[0] == "bytes" else f"{value:.1f} {units[0]}"


def roomy(amount: int) -> str:
    """A limit that is enough for so many bytes.

    >>> roomy(1_500_000_000)
    '2GB'
    """
    return f"{amount // 10**9 + 1}GB"


# Arrays on a graphics card or another device.


class DeviceError(ArrayError):
    """An array lies where nothing can compute with it."""

    @classmethod
    def without_torch(cls, value: Any, device: str) -> Self:
        """An array of another library on a device, where PyTorch is missing."""
        name = f"{type(value).__module__.partition('.')[0]}.{type(value).__name__}"
        return cls(
            f"a {name} on {device} is compared there by PyTorch, which is not installed.",
            f"pip install 'clusterdiff[gpu]'; or {way_out(value)}",
        )

    @classmethod
    def from_two(cls, truth: str, guess: str) -> Self:
        """Labels on two devices."""
        return cls(
            f"truth is on {truth} and guess on {guess}; they are compared on one device.",
            f"cd.compare(truth, guess.to({truth!r})); or both in memory, truth.cpu() and "
            "guess.cpu().",
        )


class DeviceMemoryNeeded(MemoryNeeded):
    """A device has not enough memory."""

    @classmethod
    def on(cls, device: str, objects: int, need: int, left: int) -> Self:
        """Objects that are compared there."""
        return cls(
            f"comparing {objects:,} objects on {device} takes about {size(need)} there beside the "
            f"input, and {size(left)} are free.",
            "compare in the memory of the host, cd.compare(truth.cpu(), guess.cpu()); or free some "
            "on the device first.",
        )


# Files that hold other things than what was asked of them, or more than is read at once.

FLAGS = {"cluster": "--cluster", "id": "--id", "sample": "--samples", "degree": "--degree"}


class NoColumns(ReadError):
    """A column was named, and the file has none."""

    options: tuple[str, ...] = ()
    """What named a column: cluster, id, sample, degree."""
    firm: bool = False
    """Whether it was said of this file alone, by FILE::COLUMN."""

    @classmethod
    def from_path(cls, path: str, column: str) -> Self:
        """FILE::COLUMN of a file without columns."""
        named = f"::{shorten(column, 40)}"
        return cls(
            f"{path} holds one clustering and has no columns, so there is no {named}.",
            f"leave {named} out.",
        )._named("cluster", firm=True)

    @classmethod
    def from_options(cls, path: str, asked: Mapping[str, str]) -> Self:
        """Columns named by flags, or by arguments."""
        name, column = next(iter(asked.items()))
        flag = f"{FLAGS[name]} {shorten(column, 40)}" if column else "--no-id"
        given = f"{name}={shorten(column, 40)!r}"
        return cls(
            f"{path} holds one clustering and has no columns, so {flag} names nothing in it.",
            f"leave {flag} out ({given} in Python).",
        )._named(*asked)

    @classmethod
    def from_keys(cls, path: str, wanted: str, found: Sequence[str]) -> Self:
        """A JSON object of clusterings, to none of which these keys lead."""
        more = f" and {len(found) - 8:,} more" if len(found) > 8 else ""
        told = ", ".join(shorten(name, 70) for name in found[:8]) + more
        return cls(
            f"{path} has no clustering {shorten(wanted, 70)!r}; it has {told}.",
            f"{did_you_mean(wanted, found[:1000])}Name one of them, e.g. {path}::{found[0]}.",
        )._named("cluster", firm=True)

    @classmethod
    def from_arrays(cls, path: str, wanted: str, found: Sequence[str]) -> Self:
        """A file of arrays, none of which is called so."""
        return cls(
            f"{path} has no array {shorten(wanted, 40)!r}; it has {some(found)}.",
            f"{did_you_mean(wanted, found[:1000])}Name one of them, e.g. {path}::{found[0]}.",
        )._named("cluster", firm=True)

    def _named(self, *options: str, firm: bool = False) -> Self:
        self.options, self.firm = options, firm
        return self


class SeveralFiles(ReadError):
    """Files that are no parts of one table."""

    @classmethod
    def from_format(cls, path: str, count: int) -> Self:
        """Files of which each is a clustering."""
        return cls(
            f"{path} are {count:,} files, and each is a clustering of its own.",
            "compare them one by one; several files are one table if they are .csv, .tsv, "
            ".parquet or .jsonl.",
        )

    @classmethod
    def from_shell(cls, truth: str, guess: str, other: str) -> Self:
        """Patterns that the shell has put the files in place of."""
        return cls(
            f"truth is {truth} alone, and {guess} from the same folder would be a guess beside "
            f"{other}: this looks like two patterns that the shell has expanded.",
            "quote them to compare each as one table, 'truth/*.csv' 'guess/*.csv'; or compare "
            "file by file.",
        )


class PartsDiffer(ReadError):
    """Files of one table whose columns do not fit together."""

    @classmethod
    def lacking(cls, path: str, column: str, files: Sequence[str], full: str) -> Self:
        """Files without a column that another one has."""
        lack = "file lacks" if len(files) == 1 else "files lack"
        return cls(
            f"{len(files):,} {lack} the column {column!r} that {full} has, such as {files[0]}: "
            f"{path} is not one table.",
            "write all files with the same columns, or compare the files one by one.",
        )

    @classmethod
    def in_type(cls, path: str, column: str, found: Mapping[str, Sequence[str]]) -> Self:
        """A column of several types, of which none holds the values of all files."""
        often = sorted(found, key=lambda kind: (-len(found[kind]), kind))
        told = [
            f"{kind} in {len(found[kind]):,} {'file' if len(found[kind]) == 1 else 'files'} "
            f"({found[kind][0]}{', …' if len(found[kind]) > 1 else ''})"
            for kind in often
        ]
        every = f"{path.rstrip('/')}/**/*{splitext(found[often[0]][0])[1]}"
        pattern = path if glob.has_magic(path) else every
        lines = (
            "import glob, pandas as pd",
            f"files = glob.glob({pattern!r}, recursive=True)",
            "parts = [pd.read_parquet(file, dtype_backend='pyarrow') for file in files]",
            f"texts = [part.astype({{{column!r}: 'string'}}) for part in parts]",
            "pd.concat(texts).to_parquet('table.parquet')",
        )
        how = "write one table in which the column is text (there, 1 and 1.0 differ)"
        return cls(
            f"the column {column!r} of {path} is {', '.join(told)}: no type keeps the values of "
            "all files as they are.",
            worked(how, *lines),
            worked(how, f'python -c "{"; ".join(lines)}"'),
        )


class LimitReached(ReadError):
    """More than is read from outside at once."""

    @classmethod
    def whole(cls, path: str, limit: int, found: int) -> Self:
        """Too many bytes, unpacked, of a file that is read whole."""
        return cls(
            f"{path} holds {size(found)} or more, and at most {size(limit)} are read into memory "
            "at once.",
            f"{_raised(max(found, 2 * limit))}, or write a .csv or .parquet file, which is counted "
            "where it is.",
        )

    @classmethod
    def pipe(cls, path: str, limit: int) -> Self:
        """Too many bytes by a pipe."""
        return cls(
            f"{path} holds more than the {size(limit)} that are taken from a pipe.",
            f"{_raised(4 * limit)}, or name a file.",
        )

    @classmethod
    def fetched(cls, path: str, limit: int, found: int) -> Self:
        """Too many bytes of a file on the network."""
        return cls(
            f"{path} holds {size(found)}, and at most {size(limit)} are fetched from the network.",
            f"{_raised(found)}, or fetch the file and name your copy.",
        )

    @classmethod
    def from_count(cls, path: str, limit: int, what: str, hint: str) -> Self:
        """Too many of something."""
        return cls(f"{path} has more than {limit:,} {what}, the most that are read.", hint)


def _raised(amount: int) -> str:
    """How to raise the limit to this."""
    return (
        f'raise the limit, --max-bytes {roomy(amount)} (cd.read(…, max_bytes="{roomy(amount)}") in '
        "Python)"
    )


# Scored pairs and dendrograms that cannot be swept.

LEVELS = "a column per level is written 'table.csv::leiden_*'"


class ScoredPairsError(ClusterdiffError):
    """Pairs, scores or a tree that no threshold can be swept over."""

    @classmethod
    def from_nulls(cls, count: int, total: int, pairs: Sequence[tuple[Any, Any]]) -> Self:
        """Scores that are null or NaN; these are some of their pairs."""
        more = ", …" if count > len(pairs) else ""
        one = count == 1
        return cls(
            f"{count:,} of {total:,} scores {'is' if one else 'are'} null "
            f"(pair{'' if one else 's'} {examples(pairs)}{more}).",
            "drop these pairs; a pair without a score links nothing.",
        )

    @classmethod
    def from_null_ids(cls, count: int, total: int) -> Self:
        """Pairs that lack one of their objects."""
        return cls(
            f"{count:,} of {total:,} pairs {'lacks' if count == 1 else 'lack'} an id.",
            "drop these pairs; a pair names two objects.",
        )

    @classmethod
    def from_text(cls, column: str, values: Sequence[Any]) -> Self:
        """Scores that are no numbers."""
        return cls(
            f"the scores ({shorten(column, 30)}) are not numbers, such as {examples(values)}.",
            "name the column of the scores, e.g. score='match_probability'.",
            "name the column of the scores, e.g. --score match_probability.",
        )

    @classmethod
    def from_unknown(cls, count: int, ids: Sequence[Any], missing: Sequence[Any]) -> Self:
        """Objects that pairs name and truth does not have; `missing` are some of truth that no
        pair names.
        """
        more = ", …" if count > 3 else ""
        one = count == 1
        message = (
            f"{count:,} object{'' if one else 's'} of pairs {'is' if one else 'are'} not in truth "
            f"({examples(ids)}{more})."
        )
        if (spelling := spelled_otherwise(ids, missing)) is not None:
            return cls(f"{message} {spelling.sentence()}", spelling.hint())
        return cls(
            message,
            'align="shared" lets them link others without counting, align="singletons" makes each '
            "a true cluster.",
        )

    @classmethod
    def nothing_shared(cls, truth: Sequence[Any], pairs: Sequence[Any]) -> Self:
        """No object is both in truth and in pairs."""
        here, there = (examples(ids, 1) or "nothing" for ids in (pairs, truth))
        spelling = spelled_otherwise(pairs, truth)
        hint = (
            spelling.hint()
            if spelling is not None
            else "ids must match exactly; a prefix, a type or the wrong column may differ "
            "(left= and right= name those of the pairs)."
        )
        return cls(
            f"no object of pairs is in truth: ids look like {there} there and {here} here.",
            hint,
            hint.replace("left= and right= name", "--left and --right name"),
        )

    @classmethod
    def from_leaves(cls, leaves: int, objects: int) -> Self:
        """A dendrogram of other objects."""
        return cls(
            f"the dendrogram has {leaves:,} leaves, truth has {objects:,} objects.",
            "leaves are matched by position; give truth in their order.",
        )

    @classmethod
    def no_tree(cls) -> Self:
        """An estimator that is not fitted, or that stopped before all objects were together."""
        return cls(
            "this estimator kept no full tree.",
            "AgglomerativeClustering(compute_full_tree=True, compute_distances=True), then fit it.",
        )

    @classmethod
    def from_tree(cls, what: str) -> Self:
        """A matrix that is no dendrogram."""
        return cls(
            f"this is no dendrogram: {what}.",
            "give what scipy.cluster.hierarchy.linkage returns, a row for each of n - 1 merges.",
        )

    @classmethod
    def from_heights(cls) -> Self:
        """Heights of a tree taken for similarities."""
        return cls(
            "the heights of a dendrogram are distances.", "leave distance= out.",
            "leave --similarity out.",
        )  # fmt: skip

    @classmethod
    def from_columns(
        cls, path: str, names: Sequence[str], lacking: Sequence[str], free: Sequence[str]
    ) -> Self:
        """Columns among which the pairs or their scores are not found; `free` are not taken."""
        what = {"left": "objects of a pair", "right": "objects of a pair", "score": "scores"}
        listed = " and the ".join(dict.fromkeys(what[one] for one in lacking))
        known = dict(zip(lacking, free, strict=False))
        if len(known) < len(lacking):
            return cls(
                f"{path} has {len(names):,} columns ({some(names)}), and none for the {listed}.",
                f"give two ids and a score in each row; {LEVELS}.",
            )
        python = ", ".join(f"{option}={name!r}" for option, name in known.items())
        flags = " ".join(f"--{option} {shlex.quote(name)}" for option, name in known.items())
        return cls(
            f"{path} has {len(names):,} columns ({some(names)}); which hold the {listed} is not "
            "clear.",
            f"say so, e.g. {python}; {LEVELS}.",
            f"say so, e.g. {flags}; {LEVELS}.",
        )

    @classmethod
    def several(cls, path: str, option: str, found: Sequence[str]) -> Self:
        """Columns that could each be meant."""
        what = {"left": "objects of a pair", "score": "scores"}[option]
        one = found[-1]
        return cls(
            f"{path} has {len(found)} columns that could hold the {what}: {some(found)}.",
            f"say which, e.g. {option}={one!r}.",
            f"say which, e.g. --{option} {shlex.quote(one)}.",
        )

    @classmethod
    def several_pairs(cls, path: str, found: Sequence[tuple[str, str]]) -> Self:
        """Pairs of columns that could each be the two objects."""
        left, right = found[-1]
        listed = "; ".join(f"{a} and {b}" for a, b in found[:4])
        return cls(
            f"{path} has {len(found)} pairs of columns that could hold the two objects: {listed}.",
            f"say which, e.g. left={left!r}, right={right!r}.",
            f"say which, e.g. --left {shlex.quote(left)} --right {shlex.quote(right)}.",
        )

    @classmethod
    def datasets(cls, path: str, left: str, right: str, dataset: str) -> Self:
        """Ids that are unique in their data set alone."""
        both = [[f"{dataset}_{side}", name] for side, name in (("l", left), ("r", right))]
        python, flags = (
            (f"left={both[0]!r}, right={both[1]!r}", f"left={left!r}, right={right!r}"),
            tuple(
                f"--left {shlex.quote(one)} --right {shlex.quote(other)}"
                for one, other in ((",".join(both[0]), ",".join(both[1])), (left, right))
            ),
        )
        return cls(
            f"{path} links several data sets, whose records are identified by {dataset}_l and "
            f"{left} together.",
            f"take both, {python[0]}, and in truth cd.read(truth, id=['{dataset}', …]); if each id "
            f"is one object, {python[1]}.",
            f"take both, {flags[0]} (and --id {dataset},… in truth); if each id is one object, "
            f"{flags[1]}.",
        )

    @classmethod
    def empty(cls, path: str) -> Self:
        """No pair at all."""
        return cls(
            f"there are no pairs in {path}.", "a pair has two objects and a score, e.g. r1,r7,0.93."
        )

    @classmethod
    def from_value(cls, value: object) -> Self:
        """Something that holds neither pairs nor a tree."""
        return cls(
            f"{a_type(value)} holds no scored pairs and no dendrogram: {shown(value)}.",
            "give a table of two ids and a score, three arrays (left, right, score), a linkage "
            "matrix, a fitted estimator with children_, or a dict of clusterings.",
        )

    @classmethod
    def from_lengths(cls, left: int, right: int, score: int) -> Self:
        """Three arrays of different lengths."""
        return cls(
            f"left, right and score have {left:,}, {right:,} and {score:,} entries.",
            "give one entry of each for every pair.",
        )

    @classmethod
    def on_spark(cls) -> Self:
        """Pairs that are in Spark."""
        return cls(
            "a sweep reads pairs in the order of their scores on one machine; Spark does not.",
            "write the pairs as Parquet, frame.write.parquet('pairs'), and give that folder: it is "
            "sorted on disk and read in pieces.",
            "leave --engine out: Parquet and CSV are sorted on disk and read in pieces.",
        )

    @classmethod
    def from_kind(cls, kind: str) -> Self:
        """A truth in which objects are not in one cluster each."""
        return cls(
            f"thresholds are chosen for partitions, and truth is {with_article(kind)} clustering.",
            "give a truth in which each object is in one cluster.",
        )

    @classmethod
    def from_penalise(cls) -> Self:
        """A policy that has no meaning where pairs may name any object."""
        return cls(
            'align="penalise" is for guesses that lack or add objects; objects that no pair names '
            "are single here.",
            'use align="shared" or align="singletons".',
        )


# Pairs that cannot be linked to clusters.

READ = "cd.Partition.from_pairs"


class LinkingError(ScoredPairsError):
    """Pairs of which no clusters can be made, or not with this threshold."""

    @classmethod
    def no_scores(cls, path: str, threshold: float, left: str, right: str) -> Self:
        """A threshold for pairs that have no scores."""
        return cls(
            f"{path} has pairs without scores ({left}, {right}), so threshold={threshold:g} has "
            "nothing to be held against.",
            "leave threshold= out, and all pairs link; or name the column of the scores, e.g. "
            "score='match_probability'.",
            "leave --threshold out, and all pairs link; or name the column of the scores, e.g. "
            "--score match_probability.",
        )

    @classmethod
    def needs_threshold(
        cls, path: str, score: str, ends: tuple[float, float], distance: bool
    ) -> Self:
        """Pairs with scores, and nothing that says which of them link."""
        low, high = ends
        every = _linking(high if distance else low, distance)
        return cls(
            f"{path} has pairs with scores ({score}, {low:.6g} to {high:.6g}), and nothing says "
            "which of them link.",
            worked(
                "give a threshold; a sweep finds the best one",
                f"{READ}(pairs, threshold=0.9)",
                f"{READ}(pairs, threshold={every})  # all pairs link",
                "cd.sweep(truth, pairs).best()",
            ),
            worked(
                "give a threshold; clusterdiff sweep finds the best one",
                "--as pairs --threshold 0.9",
                f"--as pairs --threshold {every}  # all pairs link",
            ),
        )

    @classmethod
    def out_of_range(
        cls, path: str, score: str, threshold: float, ends: tuple[float, float], distance: bool
    ) -> Self:
        """A threshold that no pair reaches."""
        low, high = ends
        end = low if distance else high
        differ = (n for n in range(6, 17) if f"{threshold:.{n}g}" != f"{end:.{n}g}")
        n = next(differ, 17)
        message = (
            f"no pair of {path} scores {threshold:.{n}g} or {'less' if distance else 'more'}: the "
            f"scores ({score}) go from {low:.{n}g} to {high:.{n}g}."
        )
        best = _linking(end, distance)
        hint = f"a threshold within them links pairs, e.g. threshold={best}"
        flags = f"a threshold within them links pairs, e.g. --threshold {best}"
        if not distance and low >= 0 and high <= 1 < threshold <= 100:
            hint, flags = (
                f"in per cent? threshold={threshold / 100:g}",
                f"in per cent? --threshold {threshold / 100:g}",
            )
        if score == "match_probability" and threshold > 1:
            hint += "; weights are another column, score='match_weight'"
            flags += "; weights are another column, --score match_weight"
        return cls(message, f"{hint}.", f"{flags}.")

    @classmethod
    def from_threshold(cls, threshold: Any) -> Self:
        """A threshold that is no number."""
        return cls(
            f"a threshold is a number, and {shown(threshold)} is {a_type(threshold)}."
            if not isinstance(threshold, float)
            else "nan is not a threshold.",
            "write e.g. threshold=0.9.",
            "write e.g. --threshold 0.9.",
        )

    @classmethod
    def from_clusters(cls, path: str, names: Sequence[str], id: str, cluster: str) -> Self:
        """The cluster of each object, where pairs are wanted."""
        own = path.removeprefix("the ") if path.startswith("the ") else repr(path)
        given = shlex.quote(path)
        return cls(
            f"{path} has the cluster of each object ({some(names)}), and no two columns for the "
            "objects of a pair.",
            worked(
                "it is a clustering already",
                f"cd.compare(truth, cd.read({own}, id={id!r}, cluster={cluster!r}))",
            ),
            worked("it is a clustering already", f"clusterdiff compare truth.csv {given}"),
        )

    @classmethod
    def uneven(cls, path: str, left: Sequence[str], right: Sequence[str]) -> Self:
        """Ids of several columns that are not as many on both sides."""
        return cls(
            f"{path}: the id of the left object is made of {len(left)} columns "
            f"({', '.join(left) or 'none'}), that of the right one of {len(right)} "
            f"({', '.join(right) or 'none'}).",
            "name the same columns of both, left=['source_dataset_l', 'unique_id_l'], "
            "right=['source_dataset_r', 'unique_id_r'].",
            "name the same columns of both, --left source_dataset_l,unique_id_l --right "
            "source_dataset_r,unique_id_r.",
        )

    @classmethod
    def from_tree(cls, what: str) -> Self:
        """A dendrogram, which has merges and no pairs."""
        return cls(
            f"{what} is a dendrogram, not pairs of objects.",
            worked(
                "cut it into clusters, or look at all its levels",
                "labels = scipy.cluster.hierarchy.fcluster(Z, t=0.5, criterion='distance')",
                "cd.compare(truth, labels)",
                "cd.sweep(truth, Z).best()",
            ),
        )

    @classmethod
    def from_value(cls, value: object) -> Self:
        """Something that holds no pairs."""
        return cls(
            f"{a_type(value)} holds no pairs: {shown(value)}.",
            "give a table of two ids and perhaps a score, a list of (left, right) or (left, right, "
            "score), or arrays of these; clusters need no linking: cd.compare(truth, clusters).",
        )

    @classmethod
    def from_column(cls, path: str) -> Self:
        """A column of clusters that is named behind the path of pairs."""
        return cls(
            f"{path} names a column of clusters, and pairs have two columns of ids.",
            "name them: left=, right= and score=.",
            "name them: --left, --right and --score.",
        )

    @classmethod
    def from_ids(cls, count: int, unknown: Sequence[Any]) -> Self:
        """Objects of pairs that are not among all ids."""
        more = ", …" if count > 3 else ""
        which = "object of the pairs is" if count == 1 else "objects of the pairs are"
        return cls(
            f"{count:,} {which} not among ids= ({examples(unknown)}{more}), which are to be all "
            "objects.",
            "give the ids of all objects, those of the pairs too; or leave ids= out.",
        )


def _linking(end: float, distance: bool) -> str:
    """The score at one end, with as many digits as a threshold needs to link its pair."""
    short = f"{end:.6g}"
    links = float(short) >= end if distance else float(short) <= end
    return short if links else repr(float(end))


# What can go wrong, in words: what happened, with counts and examples, then a hint to paste.

__all__ = [
    "FLAGS",
    "FRAME",
    "RELATION",
    "AlignmentError",
    "AllNoise",
    "ArrayError",
    "ChangedFile",
    "ClusterdiffError",
    "ClusterdiffWarning",
    "ColumnError",
    "CompatError",
    "DegreeError",
    "InputError",
    "KindError",
    "LimitReached",
    "MeetError",
    "MemoryNeeded",
    "MissingColumn",
    "NoColumns",
    "NothingShared",
    "ReadError",
    "SeveralFiles",
    "SpaceNeeded",
    "UnknownMeasure",
    "UnknownObject",
    "UnknownParameter",
    "WriteError",
    "a_type",
    "did_you_mean",
    "examples",
    "printable",
    "shorten",
    "shown",
    "with_article",
]
