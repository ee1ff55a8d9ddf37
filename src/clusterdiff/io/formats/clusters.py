"""One cluster per line: the ids of its objects, separated by tabs, commas or blanks."""

from __future__ import annotations

from clusterdiff.clusterings import AnyClustering, column
from clusterdiff.clusterings.partition import objects_of
from clusterdiff.errors import ReadError
from clusterdiff.io.formats import Format
from clusterdiff.io.read import Source


def read_clustering(source: Source) -> AnyClustering:
    """Clusters are numbered by line; a line that starts with # and a blank is a comment."""
    lines = [line for line in source.text().split("\n") if line.strip()]
    clusters = [line for line in lines if line.split(None, 1)[0] != "#"]
    ids, labels = objects_of(split(source, clusters))
    made = source.made(labels, column(ids, written=True))
    made.notes = _notes(len(lines) - len(clusters), sum(c.startswith("#") for c in clusters))
    return made


def _notes(comments: int, hashes: int) -> tuple[str, ...]:
    """What lines that start with # were taken for."""
    told = {
        "left out as comments, since they start with # and a blank": comments,
        "read as clusters though they start with #, since no blank follows it": hashes,
    }
    return tuple(f"lines {fate}: {count:,}" for fate, count in told.items() if count)


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


FORMAT = Format(
    "clusters",
    read_clustering,
    (".clusters", ".cnl"),
    """\
  .clusters     one cluster per line: ids between blanks, commas or tabs;
                a line that starts with # and a blank is a comment""",
)
