"""Tables whose columns do not say what is meant."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from difflib import get_close_matches
from fnmatch import fnmatchcase
from typing import Self

from clusterdiff.errors.base import ClusterdiffError, did_you_mean, examples, shorten, worked
from clusterdiff.errors.files.reading import ReadError

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
