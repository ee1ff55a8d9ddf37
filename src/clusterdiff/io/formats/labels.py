"""One label per line: the n-th line is the label, or the labels, of the n-th object."""

from __future__ import annotations

from collections import Counter

from clusterdiff.clusterings import AnyClustering, Cover, Partition, Rough, column
from clusterdiff.clusterings.columns import NULL_WORDS
from clusterdiff.io.formats import Format
from clusterdiff.io.formats.clusters import split
from clusterdiff.io.read import Source


def read_clustering(source: Source) -> AnyClustering:
    """No ids; an empty line is a null label, in a cover an object in no cluster."""
    import pyarrow as pa

    lines = source.text().replace("\r\n", "\n").removesuffix("\n").split("\n")
    if lines == [""]:
        lines = []
    lines, notes = _without_comments(lines)
    if source.kind in ("cover", "rough"):
        sets = split(source, lines)
        made: AnyClustering = (Cover if source.kind == "cover" else Rough)(sets)
        made.notes = notes
        made.bare_words = Counter(word for one in sets for word in one if word in NULL_WORDS)
        return made
    labels = pa.array([line or None for line in lines], pa.large_string())
    made = Partition(column(labels, written=True))
    made.bare_words = made.labels.null_words
    made.notes = notes
    return made


def _without_comments(lines: list[str]) -> tuple[list[str], tuple[str, ...]]:
    """Labels without the lines at the top that start with # and a blank, as NumPy writes them."""
    top = next((i for i, line in enumerate(lines) if not line.startswith("# ")), len(lines))
    if not top or top == len(lines):
        return lines, ()
    count = "1 line" if top == 1 else f"{top:,} lines"
    return lines[top:], (f"{count} of comments at the top left out",)


FORMAT = Format(
    "labels",
    read_clustering,
    (".labels",),
    """\
  .labels       one label per line, in the order of the objects""",
    ids=False,
)
