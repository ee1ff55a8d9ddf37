"""Labels that may mean something else than what they are taken for, on every engine.

In a text file NA without quotes is refused: nothing tells whether it is a label or none. Where it
is a text beyond doubt (in quotes, in Parquet, in memory) it is a cluster, and warned of, as numbers
are that are hardly labels. What is read as it stands and is often meant otherwise, such as -1 for
noise, is noted beside the result.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from math import floor
from typing import Any, NamedTuple

from clusterdiff.array_types import Ints
from clusterdiff.clusterings import AnyClustering, Column, LabelImage, Partition, column
from clusterdiff.clusterings.columns import LOOK, MINUS_ONE, NULL_WORDS, ODD, plain_number
from clusterdiff.contingency import Policy
from clusterdiff.engines.protocol import Table, written_whole
from clusterdiff.engines.sql_joins import JoinedCells, JoinSide, total
from clusterdiff.errors import ClusterdiffWarning, InputError, examples, warn

Notes = tuple[tuple[str, str], ...]
"""Which side, and what to know of its labels."""

FRACTION = re.compile(r"[+-]?[0-9]*\.[0-9]+([eE][+-]?[0-9]+)?")
CANDIDATES = 1000
"""Texts of which it is looked up whether others differ from them only in how they are written."""


class Odd(NamedTuple):
    """The odd labels of a side, and how to find out more of it where there are some."""

    found: Mapping[Any, int]
    """How many objects each has."""
    objects: int
    written: bool
    """Whether labels were read from text, where -1 and "-1" look the same."""
    counted: Callable[[Collection[str]], Mapping[str, int]]
    """How many objects have each of these texts for a label."""
    is_counted: Callable[[], bool]
    """Whether all labels but -1 are whole numbers from 0 on."""

    def notes(self, policy: Policy) -> list[str]:
        """What these labels are taken for, where they may mean something else."""
        told = [self._noise(policy), self._empty(policy), self._spelled()]
        return [note for note in told if note]

    def _noise(self, policy: Policy) -> str:
        for label in (-1, *MINUS_ONE):
            many = self.found.get(label, 0)
            if many > 1 and not self._means_noise(label, policy) and self.is_counted():
                said = label if self.written else repr(label)
                return (
                    f"{label} is taken as a cluster of {many:,} objects; if it means noise, pass "
                    f"noise={said} (--noise {label} on the command line)"
                )
        return ""

    def _empty(self, policy: Policy) -> str:
        many = self.found.get("", 0)
        if many < 2 or self._means_noise("", policy):
            return ""
        return (
            f"the empty text is taken as a cluster of {many:,} objects; if it means a missing "
            "label, pass noise='' (--noise '' on the command line)"
        )

    def _spelled(self) -> str:
        """Labels that are others but for blanks around them, leading zeros, .0 at the end, or the
        sign of zero.
        """
        texts = [text for text in self.found if isinstance(text, str) and text.strip()]
        plain = {text: other for text in texts if (other := plain_number(text)) != text}
        wanted = list(dict.fromkeys(plain.values()))[:CANDIDATES]
        first: dict[str, str] = {text: text for text in self.counted(wanted)}
        pairs = []
        for text, other in plain.items():
            if first.setdefault(other, text) != text:
                pairs.append((text, first[other]))
        if not pairs:
            return ""
        shown = "; ".join(" and ".join(map(repr, pair)) for pair in pairs[:3])
        one = len(pairs) == 1
        return (
            f"{len(pairs):,} {'label differs from another' if one else 'labels differ from others'}"
            " only in blanks, leading zeros, a trailing .0 or the sign of zero, and "
            f"{'is taken as a cluster of its' if one else 'are taken as clusters of their'} own "
            f"({shown})"
        )

    def _means_noise(self, label: Any, policy: Policy) -> bool:
        return bool(policy.means_noise(column([label], written=self.written)).any())

    def fractions(self) -> list[Any]:
        """The labels with a fraction, where most objects have one and hardly two have the same."""
        some = {label: n for label, n in self.found.items() if _has_fraction(label)}
        objects = sum(some.values())
        most = 2 * objects > self.objects or len(some) >= LOOK // 2
        return list(some) if len(some) > 2 and most and 2 * len(some) > objects else []


def _has_fraction(label: Any) -> bool:
    if isinstance(label, float):
        return abs(label) < 2**53 and label != floor(label)
    if not isinstance(label, str) or not FRACTION.fullmatch(label):
        return False
    return plain_number(label) == label


def check_labels(
    truth: Sequence[AnyClustering], guess: Sequence[AnyClustering], policy: Policy
) -> Notes:
    """Refuse or warn where several objects are in a cluster called "nan" or the like that is not
    noise, or labels are continuous; notes of other labels that may mean something else.

    Truth and guess are one clustering each, or one for each sample.
    """
    if len(truth) == len(guess) == 1:
        one, other = truth[0], guess[0]
        if one.ids is None and other.ids is None and len(one) != len(other):
            return ()  # these are refused when they are compared, with a better reason
    return check_side("truth", truth, policy) + check_side("guess", guess, policy)


def read_notes(sides: Mapping[str, AnyClustering | Table]) -> Notes:
    """What there is to know of how sides were read."""
    return tuple((name, note) for name, side in sides.items() for note in side.notes)


def label_notes(side: Partition | JoinSide) -> tuple[str, ...]:
    """What the labels of a side are taken for, where nothing is scored and none can mean noise."""
    if isinstance(side, Partition):
        odd = _odd_of([side.labels])
    elif side.table.made:
        return ()
    else:
        odd = _odd_in(side)
    return tuple(note.partition("; if it means ")[0] for note in odd.notes(Policy()))


def check_side(name: str, sides: Sequence[AnyClustering], policy: Policy) -> Notes:
    """Refuse, warn of or note the odd labels of one clustering, perhaps in samples; those of label
    images are looked at when they are counted.
    """
    sides = [side for side in sides if not isinstance(side, LabelImage)]
    for side in sides:
        asked = _asked_of(side.kind, side.asked if isinstance(side, Partition) else "")
        if asked:
            check_sets(f" of {name}", asked, side.labels)
    bare = _several((side.bare_words for side in sides), policy)
    if bare:
        quotable = all(side.origin is not None for side in sides if side.bare_words)
        dropped = policy.noise_as == "drop"
        raise InputError.from_null_words(name, bare, sum(map(len, sides)), quotable, dropped)
    labels = [s.labels for s in sides if isinstance(s, Partition)]
    unwritten = [one for one in labels if not one.written]
    found = _several((one.null_words for one in unwritten), policy)
    if found:
        _warn(name, found, sum(map(len, unwritten)))
    return _noted(name, _odd_of(labels), policy) if any(one.odd for one in labels) else ()


def notes_of_counted(name: str, labels: Column, counts: Ints, policy: Policy) -> Notes:
    """Notes of the odd ones of labels that stand for so many objects each."""
    if not labels.odd:
        return ()
    objects: Counter[Any] = Counter()
    for label, count in zip(labels.tolist(), counts.tolist(), strict=True):
        objects[label] += count
    odd = _odd_of([labels])._replace(found={label: objects[label] for label in labels.odd})
    return tuple((name, note) for note in odd.notes(policy))


def _odd_of(labels: Sequence[Column]) -> Odd:
    def summed(each: Iterable[Mapping[Any, int]]) -> Mapping[Any, int]:
        found: Counter[Any] = Counter()
        for one in each:
            found.update(one)
        return found

    return Odd(
        summed(one.odd for one in labels),
        sum(map(len, labels)),
        all(one.written for one in labels),
        lambda texts: summed(one.counted(texts) for one in labels),
        lambda: all(one.is_counted() for one in labels),
    )


def _noted(name: str, odd: Odd, policy: Policy) -> Notes:
    if different := odd.fractions():
        warn(ClusterdiffWarning.from_fractions(name, different, odd.objects))
    return tuple((name, note) for note in odd.notes(policy))


def check_cells(found: JoinedCells, policy: Policy) -> Notes:
    """Refuse, warn of or note the odd labels of two tables of an engine."""
    sides = ((found.truth, found.odd_truth), (found.guess, found.odd_guess))
    return tuple(
        note
        for side, odd in sides
        if odd or side.table.says != "partition" or side.table.asked
        for note in check_table(side, policy)
    )


def check_table(side: JoinSide, policy: Policy) -> Notes:
    """Refuse, warn of or note the odd labels of a table of an engine."""
    if side.table.made or "cluster" not in side.table.families:
        return ()
    odd = _odd_in(side)
    asked = _asked_of(side.table.says, side.table.asked)
    if asked and side.table.families["cluster"] == "text":
        likes = " OR ".join(f"cluster LIKE '%{mark}%'" for mark in MARKS)
        rows = side.table.session.fetch(
            f"SELECT DISTINCT cluster FROM {side.table.view} WHERE {likes} ORDER BY 1 LIMIT {LOOK}"
        )
        _check_sets(f" of {side.name}", asked, rows.column(0).to_pylist(), odd.counted)
    words = {word: odd.found[word] for word in NULL_WORDS if word in odd.found}
    if some := _several([words], policy):
        _check(side, some, policy.noise_as == "drop")
    return _noted(side.name, odd, policy) if side.table.says == "partition" else ()


def _check(side: JoinSide, words: dict[str, int], dropped: bool) -> None:
    bare = side.table.bare
    if bare is None:
        _warn(side.name, words, side.rows)
        return
    unquoted = {word: n for word, k in words.items() if (n := bare(word, k)) > 1}
    if unquoted:
        quotable = side.table.is_file
        raise InputError.from_null_words(side.name, unquoted, side.rows, quotable, dropped)


def _odd_in(side: JoinSide) -> Odd:
    """The odd labels of a table, in its rows."""
    table, session = side.table, side.table.session

    def counted(test: str, first: str = "") -> dict[Any, int]:
        rows = session.fetch(
            f"SELECT cluster AS label, {total('1')} AS n FROM {table.view} WHERE {test} "
            f"GROUP BY cluster {first}"
        )
        return {row["label"]: row["n"] for row in rows.to_pylist()}

    def among(texts: Collection[str]) -> dict[Any, int]:
        listed = ", ".join(map(session.text, texts))
        return counted(f"cluster IN ({listed})") if texts else {}

    def is_counted() -> bool:
        if table.families["cluster"] != "text":
            return set(odd) == {-1}
        plain = "regexp_replace(cluster, '[.]0$', '')"
        whole = f"{written_whole(plain)} AND TRY_CAST({plain} AS BIGINT) >= 0"
        other = f"cluster NOT IN {MINUS_ONE} AND NOT coalesce({whole}, FALSE)"
        return not session.count(f"{table.view} WHERE {other}")

    text = table.families.get("cluster") == "text"
    known = f"CASE WHEN cluster IN ({', '.join(map(session.text, ODD))}) THEN 0 ELSE 1 END"
    first = f"{known}, " if text else ""
    odd = counted(_is_odd(side, "cluster"), f"ORDER BY {first}2 DESC, 1 LIMIT {LOOK}")
    return Odd(odd, side.rows, table.written, among, is_counted)


def is_odd(side: JoinSide, label: str) -> str:
    """A test in SQL for labels that may mean something else, where rows have one each."""
    if side.table.made or side.table.says != "partition":
        return "FALSE"
    return _is_odd(side, label)


def _is_odd(side: JoinSide, label: str) -> str:
    match side.table.families.get("cluster"):
        case "integers":
            return f"{label} < 0"
        case "numbers":
            whole = f"{label} = floor({label})"
            return f"({label} < 0 OR NOT ({whole} OR {side.table.session.is_nan(label)}))"
        case "text":
            words = ", ".join(map(side.table.session.text, ODD))
            likes = " OR ".join(f"{label} LIKE '{one}'" for one in (" %", "% ", "0_%", "%.%"))
            return f"({label} IN ({words}) OR {likes})"
        case _:
            return "FALSE"


MARKS = "|,;{[(∅"
MARKED = re.compile(f"[{re.escape(MARKS)}]")
WRITTEN_SET = re.compile(r"\s*(\{.*\}|∅|(frozen)?set\(.*\)|\[.*,.*\]|\(.*,.*\))\s*", re.DOTALL)
"""Sets of clusters as texts have them, and characters that stand in such texts."""


def _asked_of(kind: str, asked: str) -> str:
    """The kind that was asked for, where its labels may be meant as sets of clusters."""
    return kind if kind in ("cover", "rough") else asked if asked == "evidential" else ""


def _check_sets(
    of: str,
    kind: str,
    texts: Iterable[str],
    counted: Callable[[Collection[str]], Mapping[str, int]],
) -> None:
    """Refuse labels that are sets of clusters, written as a text: {a,b}, ∅, or a,b and a|b where a
    and b are labels too.
    """
    listed = list(texts)
    found = [text for text in listed if WRITTEN_SET.fullmatch(text)]
    parts = {text: [part.strip() for part in re.split(r"[|,;]", text)] for text in listed}
    if not found and parts:
        often = Counter(part for text in listed if "|" in text for part in {*parts[text]})
        known = counted(list(dict.fromkeys(part for each in parts.values() for part in each)))
        found = [
            text
            for text, each in parts.items()
            if len(each) > 1
            and all(part in known or ("|" in text and often[part] > 1) for part in each)
        ]
    if found:
        one = len(found) == 1
        rows = (
            "add a column of masses (1 where a set is certain)"
            if kind == "evidential"
            else "write a row for each object and cluster, or in JSON a list of clusters for each "
            "id; an object without clusters has a null"
        )
        told = {"cover": "a cover", "rough": "a rough clustering"}.get(
            kind, "a table without a column of masses"
        )
        raise InputError(
            f"{len(found):,} {'label' if one else 'labels'}{of} "
            f"{'looks like a set' if one else 'look like sets'} of clusters ({examples(found)}), "
            f"but {told} is read from rows that name one cluster each.",
            f"{rows}; if they are names, write them without braces and separators.",
        )


def check_sets(of: str, kind: str, names: Column) -> None:
    """Refuse such labels among the names of clusters in memory."""
    if names.family == "text" and not names.made:
        _check_sets(of, kind, filter(MARKED.search, names.tolist()), names.counted)


def _several(words: Iterable[Mapping[str, int]], policy: Policy) -> dict[str, int]:
    """Words that several objects have, and that are not noise."""
    found: Counter[str] = Counter()
    for one in filter(None, words):
        found.update({word: n for word, n in one.items() if n > 1})
    return {word: n for word, n in found.items() if word not in policy.noise_labels}


def _warn(name: str, found: dict[str, int], rows: int) -> None:
    warn(ClusterdiffWarning.from_null_words(name, found, rows))
