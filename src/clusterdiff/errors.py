"""What all errors have in common: one paragraph, and a hint to paste."""

from __future__ import annotations

import errno
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
from types import FrameType
from typing import Any, NamedTuple, Self


class Hinted(Exception):
    """One paragraph, and a hint to paste.

    `flags` is the hint for the command line, where it is not that for Python in flags (`as_flags`).
    """

    def __init__(self, message: str, hint: str = "", flags: str = "") -> None:
        super().__init__(f"{message}\n\nHint: {hint}" if hint else message)
        self.message = message
        self.hint = hint
        self.flags = flags

    def __reduce__(self) -> tuple[type[Self], tuple[str, str, str]]:
        return type(self), (self.message, self.hint, self.flags)

    def at_prompt(self) -> str:
        """The hint for the command line."""
        return self.flags or as_flags(self.hint)


class ClusterdiffError(Hinted, ValueError):
    """Something about the input or the request; `str()` is one paragraph and a hint."""

    def within(self, place: str) -> Self:
        """The same error, with the file or sample it was found in."""
        return type(self)(f"in {place}: {self.message}", self.hint, self.flags)


OPTIONS = (
    "align|allow_network|as_|by|cluster|compat|count|degree|design|distance|draws|encoding|folds|header|id|"
    "ignore|ignore_in|"
    "kind|left|min_share|noise|noise_as|null|records|rest|right|sample|samples|score|seed|show|slack|"
    "stray|threshold|units"
)
"""Options that are called alike in Python and at the prompt."""
QUOTED = r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*\""""
NAME = rf"(?<![\w.])(?:{OPTIONS})="
BARE = rf"{NAME}(?![^\s,.;:)])"
OPTION = rf"{NAME}(?:{QUOTED}|\[[^\]]*\]|-?[\w.]*\w)"
INSIDE = rf"[^()'\"]|{QUOTED}"
HINTED = (
    rf"cd\.read\((?:{QUOTED}|[^(),]*), (?P<read>(?:{INSIDE})*)\)"
    rf"|\b[\w.]+\((?:{INSIDE}|\((?:{INSIDE})*\))*\)"  # other calls stay as they are
    rf"|(?P<options>{OPTION}(?:, {OPTION})*|{BARE})"
)


def as_flags(hint: str) -> str:
    """A hint for Python, said for the command line.

    >>> as_flags('use align="shared", or noise=[None]')
    'use --align shared, or --noise null'
    >>> as_flags("say so, cd.read('a.csv', id=['doc', 'no'], cluster='x'); or leave kind= out")
    'say so, --id doc,no --cluster x; or leave --kind out'
    """

    def said(found: re.Match[str]) -> str:
        options = re.findall(rf"{OPTION}|{BARE}", found["read"] or found["options"] or "")
        return " ".join(map(_flag, options)) if options else found[0]

    return re.sub(HINTED, said, hint)


def _flag(option: str) -> str:
    """An option of Python as a flag; without a value, its name."""
    name, _, value = option.partition("=")
    flag = "--" + {"as_": "as", "sample": "samples"}.get(name, name).replace("_", "-")
    if not value or value == "True":
        return flag
    if value == "False" or (name == "id" and len(value) == 2):
        return {"distance": "--similarity"}.get(name, f"--no-{flag[2:]}")
    from ast import literal_eval

    given: Any = value
    if value[0] in "'\"[":
        try:
            given = literal_eval(value.replace(", …]", ", '…']"))
        except (SyntaxError, ValueError):
            return option
    several = given if isinstance(given, list) else [given]
    words = ["null" if word is None else str(word) for word in several]
    if name != "noise":
        words = [",".join(words)]
    return " ".join(f"{flag} {pasted(word)}" for word in words)


def said_missing(words: Sequence[str], dropped: bool = False) -> str:
    """How to say that labels are the text for a missing value; `dropped` where noise is left out
    anyway.
    """
    start = f"if they are missing values, say noise={words if len(words) > 1 else words[0]!r}"
    if dropped:
        return f"{start} (then they are left out)"
    return f'{start} (each becomes a cluster of its own; noise_as="drop" leaves them out)'


def worked(first: str, *lines: str) -> str:
    """A hint of lines to paste, below what they do."""
    return "\n    ".join([f"{first}:", *lines])


def examples(values: Iterable[Any], most: int = 3) -> str:
    """Up to three values for an error text, long ones cut."""
    return ", ".join(shown(value, 40) for value in islice(values, most))


def _are(count: int) -> str:
    return "is" if count == 1 else "are"


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
    if text.isprintable():
        return text
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
        return cls(
            f"{sum(found.values()):,} of {total:,} labels in {side} are the text "
            f"{examples(words, len(words))}, taken as "
            f"{'clusters of these names' if many else 'one cluster of that name'}.",
            f"{said_missing(words)}; if not, rename them.",
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


def warn(message: str | Warning, kind: type[Warning] | None = None) -> None:
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


STRANGERS = (
    "look at an id of each: a prefix or a type may differ, or a column may be the wrong one."
)
"""The hint where truth and guess have no id in common."""


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
        are = "is" if in_truth == 1 else "are"
        message = (
            f"{in_truth:,} of {total:,} objects {are} only in truth{shown_truth}, "
            f"{in_guess:,} only in guess{shown_guess}."
        )
        if (spelling := spelled_otherwise(only_truth, only_guess)) is not None:
            return cls(f"{message} {spelling.sentence()}", spelling.hint())
        if in_truth and in_guess and in_truth + in_guess == total:  # no policy would help
            return cls(f"{message} None is in both.", STRANGERS)
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
            'align="penalise" counts what the others hold as errors, align="shared" leaves '
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
            STRANGERS,
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
DAMAGED = re.compile(
    r"No magic bytes|[Dd]ecompression fail|[Ff]ooter (length|could)|ot a Parquet file|"
    r"TProtocolException|CANNOT_READ_FILE_FOOTER|[Cc]orrupt(ed)? (file|snappy|data|page)"
)
"""What DuckDB and Spark say of Parquet files whose bytes are not what was written."""


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
            f"say so: cd.read({path!r}, encoding={encoding.lower()!r}); or {convert}",
        )

    @classmethod
    def from_engine(cls, path: str, why: str) -> Self:
        """The engine below could not parse the file."""
        if "Permission denied" in why:
            hint = f"see who may read it: ls -l {shlex.quote(path)}"
            return cls(f"Permission denied: {path}", hint)
        if "not utf-8 encoded" in why:
            return cls.encoded(path, LATIN)
        if (found := RAGGED.search(why)) is not None:
            line, wanted, cells = found.groups()
            return cls(
                f"{path} could not be read: line {line} has {cells} cells, and others have "
                f"{wanted}.",
                "give each line the same number of cells, and quote cells with the delimiter.",
            )
        if DAMAGED.search(why):
            return cls(
                f"{path} is damaged, or it is not a Parquet file: "
                f"{shorten(' '.join(why.split()), 160)}",
                "write or copy the file again; a copy that was interrupted lacks the end, which "
                "holds the directory of a Parquet file.",
            )
        return cls(
            f"{path} could not be read: {shorten(' '.join(why.split()), 200)}",
            "does the content match the file extension? Name the format, e.g. "
            'as_="long" (or labels, clusters, json, conll, corefud).',
        )

    @classmethod
    def without_package(cls, path: str, what: str, extra: str, other: str) -> Self:
        """The package comes with an extra of ours."""
        return cls(
            f"{path} is {what}, and the package that reads it is not installed.",
            f"pip install 'clusterdiff[{extra}]', or {other}.",
        )

    @classmethod
    def of_each(cls, path: str, count: int) -> Self:
        """Files of which each is a clustering."""
        return cls(
            f"{path} are {count:,} files, and each is a clustering of its own.",
            "compare them one by one; several files are one table if they are .csv, .tsv, "
            ".parquet or .jsonl.",
        )

    @classmethod
    def too_large(cls, path: str, limit: int, found: int) -> Self:
        """Too many bytes, unpacked, of a file that is read whole."""
        return cls(
            f"{path} holds {size(found)} or more, and at most {size(limit)} are read into memory "
            "at once.",
            f"{raised_limit(max(found, 2 * limit))}, or write a .csv or .parquet file, which is "
            "counted where it is.",
        )

    @classmethod
    def too_many(cls, path: str, limit: int, what: str, hint: str) -> Self:
        """Too many of something."""
        return cls(f"{path} has more than {limit:,} {what}, the most that are read.", hint)


class WriteError(ClusterdiffError):
    """A file was not written; what was there before is as it was."""

    @classmethod
    def from_os(cls, path: object, error: OSError, hint: str = "") -> Self:
        """What the system says of it."""
        folder = os.path.dirname(str(path))
        if error.errno == errno.ENOENT and folder and not hint:
            hint = f"make the folder first: mkdir -p {shlex.quote(folder)}"
        why = str(error.strerror or error)
        if "No space left" in why:  # engines that write files wrap this in a page of their own
            why = "No space left on the disk"
            hint = hint or f"free some space, or write to another disk; see df -h {folder or '.'}"
        return cls(f"{path} could not be written: {shorten(why, 200)}.", hint)


# Tables whose columns do not say what is meant.

FRAME, RELATION = "the frame", "the relation"
"""What tables that are no files are called in messages."""


class MissingColumn(ReadError):
    """A column that was named is not there."""

    column: str = ""
    found: Sequence[str] = ()
    """Columns that are there."""

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
        if said == "sample" and not near:  # the first column is hardly the one of the samples
            one = "COLUMN"
        hint = pasted(f"{path}::{one}") if said == "::" else columns_in_python(path, **{said: one})
        error = cls(message, f"{near}write e.g. {hint}.")
        error.column, error.found = wanted, found[:1000]
        return error

    def among(
        self, path: str, wanted: Sequence[str], found: Sequence[str], option: str = "id"
    ) -> Self:
        """The same of an id of several columns, with the nearest names in place of wrong ones."""
        near = [
            one if one in found else (get_close_matches(one, found, 1) or found)[0]
            for one in wanted
        ]
        read = f"{read_call(path)}, id={near!r})" if option == "id" else f"{option}={near!r}"
        error = type(self)(self.message, f"write e.g. {read}.")
        error.column = self.column
        return error


def some(names: Sequence[str]) -> str:
    """The first names of a list, and how many more there are."""
    more = f" and {len(names) - 8:,} more" if len(names) > 8 else ""
    return ", ".join(shorten(name.strip(), 30) or "(unnamed)" for name in names[:8]) + more


def columns_in_python(path: str, **columns: str) -> str:
    """What names columns in Python: `read` for a file; of a frame those that are meant are kept,
    and those of pairs are named where the pairs are given.
    """
    said = ", ".join(f"{option}={name!r}" for option, name in columns.items())
    if columns.keys() & {"left", "right", "score", "show"}:
        return said
    if path in (FRAME, RELATION):
        return selected(path, [name for name in columns.values() if name])
    return f"cd.read({path!r}, {said})"


def read_call(path: str) -> str:
    """The start of a call that reads a table."""
    return f"cd.read({path.removeprefix('the ') if path in (FRAME, RELATION) else repr(path)}"


def selected(path: str, columns: list[str]) -> str:
    """A frame or relation with these columns alone."""
    if path == FRAME:
        return f"frame[{columns!r}]"
    listed = ", ".join('"' + name.replace('"', '""') + '"' for name in columns)
    return f"relation.project({listed!r})"


# Files and databases on the network, or in a format whose reader is not installed.


def check_arrow(shown: str, what: str, other: str) -> None:
    """Refuse what only Arrow reads, where it is not installed."""
    if find_spec("pyarrow") is None:
        raise ReadError(
            f"{shown} is {what}, and the package that reads it is not installed.",
            f"pip install 'clusterdiff[arrow]', or {other}.",
        )


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
    def from_nulls(
        cls, side: str, count: int, total: int, where: Sequence[Any], dropped: bool = False
    ) -> Self:
        """Labels that are null, None or NaN; `dropped` where noise is left out anyway."""
        out = 'noise=[None] with noise_as="drop" leaves them out.'
        fate = f"noise=[None] makes each a cluster of its own, {out}"
        return cls(
            f"{count:,} of {total:,} labels in {side} {_are(count)} null "
            f"(object{'s' * (count > 1)} {examples(where)}).",
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
        return cls(
            f"{sum(found.values()):,} of {total:,} labels in {side} are {', '.join(words)}, which "
            "could be missing values or the name of a cluster.",
            f"{said_missing(words, dropped)}; if not, {named}.",
        )

    @classmethod
    def from_null_ids(cls, count: int, total: int) -> Self:
        """Ids that are null."""
        return cls(
            f"{count:,} of {total:,} ids {_are(count)} null.",
            "every object needs an id; drop these rows, or leave the ids out altogether.",
        )

    @classmethod
    def from_uncounted(cls, count: int, shown: Sequence[Any]) -> Self:
        """Objects that only the side without counts has."""
        has = "object has" if count == 1 else "objects have"
        return cls(
            f"{count:,} {has} no count (object{'s' * (count > 1)} {examples(shown)}): only the "
            "clustering without counts has "
            f"{'it' if count == 1 else 'them'}.",
            "give each object of both clusterings a count; or compare those of both, "
            'align="shared".',
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
            'they are 0 or 1, cd.Fuzzy(matrix) (kind="fuzzy") if they are chances; an image of '
            "labels that are not integers is cd.LabelImage(array.astype(int)).",
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

    @classmethod
    def from_devices(cls, truth: str, guess: str) -> Self:
        """Labels on two devices."""
        return cls(
            f"truth is on {truth} and guess on {guess}; they are compared on one device.",
            f"cd.compare(truth, guess.to({truth!r})); or both in memory, truth.cpu() and "
            "guess.cpu().",
        )

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


class AllNoise(InputError):
    """No object is left once the noise is dropped."""

    @classmethod
    def dropped(cls) -> Self:
        """All objects were noise, on one side or the other."""
        return cls.empty("after the noise is dropped, the comparison")


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


# Measures that do not exist, or not so, or not for this.


class KindError(ClusterdiffError):
    """A measure was asked of a clustering it cannot read."""

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


class UnknownMeasure(ClusterdiffError):
    """No such measure."""

    @classmethod
    def from_ambiguous(cls, name: str, meant: Sequence[str]) -> Self:
        """An alias that several measures have."""
        return cls(
            f"{shorten(name, 60)!r} is ambiguous: {' and '.join(meant)} go by that name.",
            f"use the name of one of them, e.g. {meant[0]}.",
        )

    @classmethod
    def from_text(cls, text: str) -> Self:
        """A text that is no measure."""
        return cls(
            f"{shorten(text, 60)!r} cannot be read as a measure.",
            "write a name with parameters in parentheses, e.g. bcubed_f(f='objects').",
        )


class UnknownParameter(ClusterdiffError):
    """A measure has no such parameter, or not with this value."""

    @classmethod
    def from_value(cls, measure: str, name: str, value: object, allowed: str) -> Self:
        """A value outside what the parameter allows."""
        return cls(
            f"{measure}: {name} must be {allowed}, got {shown(value)}",
            f"`clusterdiff measures {measure}` describes its parameters.",
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
    def from_parameter(cls, measure: str, name: str, package: str, own: str, given: str) -> Self:
        """A parameter that is asked for, and that the package has otherwise."""
        return cls(
            f"{measure} has {own} in {package}, and {given} was asked for.",
            f"leave {given} out, or compat={name!r}.",
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
    def from_draws(cls, objects: int, need: int, memory: int, closed: str) -> Self:
        """Random guesses, which are drawn object by object."""
        return cls(
            f"random guesses of {objects:,} objects would take about {size(need)} of memory, and "
            f"{size(memory)} are allowed.",
            f"allow more, memory={roomy(need)!r} (--memory {roomy(need)}); or {closed}",
        )

    @classmethod
    def for_releases(cls, what: str, need: int, memory: int) -> Self:
        """Clusters of releases, which are followed in memory."""
        return cls(
            f"{what} would take about {size(need)} of memory, and {size(memory)} are allowed.",
            f"allow more, memory={roomy(need)!r} (--memory {roomy(need)}), or give fewer releases "
            "at a time.",
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
    def from_objects(cls, rows: int, need: int, memory: int, remote: bool = False) -> Self:
        """Objects that have to be in memory, one by one; of `remote` tables, in that of the machine
        that asks.
        """
        if remote:
            return cls(
                f"this counts objects in the memory of the driver, not in Spark: {rows:,} rows or "
                f"more would take about {size(need)} there, and {size(memory)} are allowed.",
                "start it on a machine with more memory, give fewer rows, or use a verb that "
                "counts in Spark: compare, chance, table, explain, relabel, track, draw, estimate.",
            )
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
    """A number of bytes, formatted for display.

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
    def from_names(cls, path: str, what: str, wanted: str, found: Sequence[str]) -> Self:
        """A file of several clusterings or arrays, none of which is called so."""
        return cls(
            f"{path} has no {what} {shorten(wanted, 70)!r}; it has "
            f"{listed_names(found, width=70)}.",
            f"{did_you_mean(wanted, found[:1000])}Name one of them, e.g. {path}::{found[0]}.",
        )._named("cluster", firm=True)

    def _named(self, *options: str, firm: bool = False) -> Self:
        self.options, self.firm = options, firm
        return self


def raised_limit(amount: int) -> str:
    """How to raise the limit to this."""
    return (
        f'raise the limit, --max-bytes {roomy(amount)} (cd.read(…, max_bytes="{roomy(amount)}") in '
        "Python)"
    )


class ScoredPairsError(ClusterdiffError):
    """Pairs, scores or a tree that no threshold can be swept over, or that make no clusters."""
