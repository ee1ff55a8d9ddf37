"""Text with a label per line, for the n-th object, or with a cluster per line."""

from __future__ import annotations

from collections import Counter

from clusterdiff.clusterings import AnyClustering, Cover, Partition, Rough, column
from clusterdiff.clusterings.columns import NULL_WORDS, texts
from clusterdiff.clusterings.partition import objects_of
from clusterdiff.errors import ReadError
from clusterdiff.io.formats import Format
from clusterdiff.io.read import Source


def read_labels(source: Source) -> AnyClustering:
    """No ids; an empty line is a null label, in a cover an object in no cluster."""
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
    made = Partition(texts([line or None for line in lines], written=True))
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


def read_clusters(source: Source) -> AnyClustering:
    """Clusters are numbered by line; a line that starts with # and a blank is a comment."""
    lines = [line for line in source.text().split("\n") if line.strip()]
    clusters = [line for line in lines if line.split(None, 1)[0] != "#"]
    ids, labels = objects_of(split(source, clusters))
    made = source.made(labels, column(ids, written=True))
    hashes = sum(cluster.startswith("#") for cluster in clusters)
    told = {
        "left out as comments, since they start with # and a blank": len(lines) - len(clusters),
        "read as clusters though they start with #, since no blank follows it": hashes,
    }
    made.notes = tuple(f"lines {fate}: {count:,}" for fate, count in told.items() if count)
    return made


def split(source: Source, lines: list[str]) -> list[list[str]]:
    """The items of each line, between tabs, commas or blanks."""
    lines = [line.strip() for line in lines]
    separator = next((mark for mark in "\t," if any(mark in line for line in lines)), None)
    if separator and any(separator not in line and " " in line for line in lines):
        raise ReadError(
            f"some lines of {source.shown} separate ids by {separator!r}, others by blanks.",
            "use one of them throughout.",
        )
    items = [[item.strip() for item in line.split(separator)] for line in lines]
    return [[item for item in line if item] for line in items]


FORMATS = (
    Format(
        "labels",
        read_labels,
        (".labels",),
        """\
  .labels       one label per line, in the order of the objects""",
        ids=False,
    ),
    Format(
        "clusters",
        read_clusters,
        (".clusters", ".cnl"),
        """\
  .clusters     one cluster per line: ids between blanks, commas or tabs;
                a line that starts with # and a blank is a comment""",
    ),
)
