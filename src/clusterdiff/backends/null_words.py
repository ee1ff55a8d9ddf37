"""Labels that are the text for a missing value, reported where it is known what is noise.

In a text file NA without quotes is refused: nothing tells whether it is a label or none. Where it
is a text beyond doubt (in quotes, in Parquet, in memory) it is a cluster, and warned of.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from clusterdiff.backends.sql.join import JoinedCells, JoinSide, total
from clusterdiff.clusterings import AnyClustering, Partition
from clusterdiff.clusterings.encode.text import NULL_WORDS
from clusterdiff.errors import InputError
from clusterdiff.errors.warn import ClusterdiffWarning, warn
from clusterdiff.meet import Policy


def check_null_words(
    truth: Sequence[AnyClustering], guess: Sequence[AnyClustering], policy: Policy
) -> None:
    """Refuse or warn where several objects are in a cluster called "nan" or the like that is not
    noise.

    Truth and guess are one clustering each, or one for each sample.
    """
    check_words("truth", truth, policy)
    check_words("guess", guess, policy)


def check_words(name: str, sides: Sequence[AnyClustering], policy: Policy) -> None:
    """The same for one clustering, perhaps in samples."""
    bare = _several((side.bare_words for side in sides), policy)
    if bare:
        quotable = all(side.origin is not None for side in sides if side.bare_words)
        dropped = policy.noise_as == "drop"
        raise InputError.from_null_words(name, bare, sum(map(len, sides)), quotable, dropped)
    labels = [s.labels for s in sides if isinstance(s, Partition) and not s.labels.written]
    found = _several((one.null_words for one in labels), policy)
    if found:
        _warn(name, found, sum(map(len, labels)))


def check_words_of_cells(found: JoinedCells, policy: Policy) -> None:
    """The same for two tables of an engine."""
    for side, words in ((found.truth, found.words_truth), (found.guess, found.words_guess)):
        if side.table.says == "partition" and words < 2:
            continue
        check_words_of_side(side, policy)


def check_words_of_side(side: JoinSide, policy: Policy) -> None:
    """The same for a table of an engine."""
    if some := _several([_counted(side)], policy):
        _check(side, some, policy.noise_as == "drop")


def _check(side: JoinSide, words: dict[str, int], dropped: bool) -> None:
    bare = side.table.bare
    if bare is None:
        _warn(side.name, words, side.rows)
        return
    unquoted = {word: n for word, k in words.items() if (n := bare(word, k)) > 1}
    if unquoted:
        quotable = side.table.is_file
        raise InputError.from_null_words(side.name, unquoted, side.rows, quotable, dropped)


def _counted(side: JoinSide) -> dict[str, int]:
    """How often each word is the label in a row of a table."""
    table = side.table
    if table.made or table.families.get("cluster") != "text":
        return {}
    found = table.session.fetch(
        f"SELECT cluster AS word, {total('1')} AS n FROM {table.view} "
        f"WHERE {_is_word(side, 'cluster')} GROUP BY cluster"
    )
    return {row["word"]: row["n"] for row in found.to_pylist()}


def is_null_word(side: JoinSide, label: str) -> str:
    """A test in SQL for labels that are the text for a missing value, where rows have one each."""
    one = side.table.says == "partition" and side.table.families["cluster"] == "text"
    return _is_word(side, label) if one else "FALSE"


def _is_word(side: JoinSide, label: str) -> str:
    return f"{label} IN ({', '.join(map(side.table.session.text, NULL_WORDS))})"


def _several(words: Iterable[Mapping[str, int]], policy: Policy) -> dict[str, int]:
    """Words that several objects have, and that are not noise."""
    found: Counter[str] = Counter()
    for one in filter(None, words):
        found.update({word: n for word, n in one.items() if n > 1})
    return {word: n for word, n in found.items() if word not in policy.noise_labels}


def _warn(name: str, found: dict[str, int], rows: int) -> None:
    warning = ClusterdiffWarning.from_null_words(name, found, rows)
    warn(warning, type(warning))
