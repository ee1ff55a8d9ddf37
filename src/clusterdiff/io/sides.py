"""Truth and guesses as every verb takes them: distinguished, opened in place, with samples."""

from __future__ import annotations

import csv
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import wraps
from glob import glob
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, ParamSpec, Protocol, TypeVar, overload

import numpy as np

from clusterdiff.clusterings import SOFT, Clustering, column
from clusterdiff.clusterings.arrays import check_graph, is_graph
from clusterdiff.clusterings.columns import is_chances
from clusterdiff.clusterings.evidential import is_credal
from clusterdiff.clusterings.partition import is_list_of_sets
from clusterdiff.engines.columns import (
    CLUSTERS,
    IDS,
    clustering_of_frame,
    is_frame,
    is_known,
    named_ids,
)
from clusterdiff.engines.counts import with_counts
from clusterdiff.engines.images import with_background
from clusterdiff.engines.samples import with_samples
from clusterdiff.errors import (
    ClusterdiffError,
    InputError,
    MissingColumn,
    ScoredPairsError,
    a_type,
    did_you_mean,
    examples,
    some,
)
from clusterdiff.io import EngineSessions, kinds_for, settle_indexes, sides_together
from clusterdiff.io.adapters import annotation_of, attributes_of, holds_clustering, is_clustering
from clusterdiff.io.arguments import column_of, counted_sides
from clusterdiff.io.files import named_column
from clusterdiff.io.read import expanded, is_inline, names_of, read
from clusterdiff.io.runs import partitions_of_frame
from clusterdiff.io.speech import ALL, Scored

if TYPE_CHECKING:
    from clusterdiff.clusterings import AnyClustering
    from clusterdiff.clusterings.base import Origin
    from clusterdiff.contingency import Meet
    from clusterdiff.engines.protocol import Table
    from clusterdiff.io.pair_lookup import PairLookup
    from clusterdiff.io.records import Records
    from clusterdiff.measures import Measure

if TYPE_CHECKING:
    GivenSide = AnyClustering | Table
    Sides = tuple[EngineSessions, GivenSide, dict[str, GivenSide]]
    Opened = AbstractContextManager[Sides]
    Kinds = str | tuple[str, str] | None


@contextmanager
def opened(
    engine: Any, truth: Any, guesses: Mapping[str, Any], kind: Kinds, samples: Any,
    count: Any = None, *, features: Any = None, whole: bool = False, scored: Scored = ALL,
    ignore: Any = None, ignore_in: str = "truth",
) -> Iterator[Sides]:  # fmt: skip
    """The truth and the guesses by name, each where it is; `whole`, in memory. `ignore` is the
    background of label images.
    """
    with EngineSessions(engine, whole=whole) as sessions:
        left, right = sides_of(sessions, truth, guesses, kind, samples, column_of(count))
        sides = with_background([left, *right.values()], ignore, ignore_in)
        left, *rest = counted_sides(sessions, sides, count, features, kind, scored)
        yield sessions, left, dict(zip(right, rest, strict=True))


def relabelled(value: Any, cluster: str, sample: Any) -> Any:
    """A file or frame, with another column of clusters; other clusterings have none."""
    if isinstance(value, str | os.PathLike) and not is_inline(value):
        return f"{named_column(os.fspath(value))[0]}::{cluster}"
    if (data := frame_within(value)) is not None and not isinstance(value, Clustering):
        named = sample if isinstance(sample, str) else None
        return clustering_of_frame(data, kind="partition", cluster=cluster, sample=named)
    raise MissingColumn(
        f"between={cluster!r} names a column, and neither truth nor guess is a table.",
        "give the sources as a dict from id to source, or one per object of truth.",
    )


def kind_asked(measures: Iterable[Measure] | None) -> str | None:
    """Covers, where nothing but measures of covers is asked for."""
    asked = list(measures or ())
    return "cover" if asked and all(m.needs == {"cover"} for m in asked) else None


def sides_of(
    sessions: EngineSessions,
    truth: Any,
    guesses: Mapping[str, Any],
    kind: Any,
    samples: Any,
    count: str | None = None,
) -> tuple[GivenSide, dict[str, GivenSide]]:
    """The truth and the guesses by name, each where it is."""
    kinds = kinds_for(kind, truth, *guesses.values())
    named = samples if isinstance(samples, str) else None
    several = [kinds[0], *[kinds[1]] * len(guesses)]
    left, *rest = sides_together(sessions, [truth, *guesses.values()], several, named, count)
    right = dict(zip(guesses, rest, strict=True))
    settle_indexes([left, *right.values()])
    if samples is None or named is not None:
        return left, right
    of = samples if isinstance(samples, Mapping) else column(samples)
    whole = with_samples(sessions.loaded(left), of)
    if isinstance(samples, Mapping) or whole.ids is None:
        right = {name: with_samples(sessions.loaded(guess), of) for name, guess in right.items()}
    return whole, right


def guesses_of(guess: Any, kind: Kinds, truth: Any) -> dict[str, Any]:
    """The guesses by name: those of a dict that holds some, or the one that is given."""
    if is_graph(type(guess)):
        raise check_graph(guess)
    several = guess.values() if isinstance(guess, Mapping) else ()
    kind = kinds_for(kind, truth, guess, *several)[1]
    if _is_list_of_guesses(guess, kind, truth):
        raise InputError(
            f"guess is a list of {len(guess):,} clusterings.",
            'give several guesses as a dict, {"a": guess_a, "b": guess_b}; if it lists the '
            "members of clusters, [set(members) for members in guess].",
        )
    if _is_table_of_guesses(guess, kind, truth):
        _check_degrees(guess)
        return dict(partitions_of_frame(guess))
    if _is_several(guess, kind) and not _is_map_of_labels(guess, truth):
        return dict(guess)
    if isinstance(guess, str | os.PathLike):
        columns = expanded(os.fspath(guess), one_table=True)
        if len(columns) > 1:
            return dict(zip(names_of(columns), columns, strict=True))
        guess = columns[0]
    return {_name(guess): guess}


def _is_several(guess: Any, kind: str | None) -> bool:
    """Whether a dict holds guesses rather than labels."""
    if not isinstance(guess, Mapping) or not guess or is_credal(guess):
        return False
    return all(_is_guess(value, kind) for value in guess.values())


def _is_map_of_labels(guess: Mapping[Any, Any], truth: Any) -> bool:
    """Whether a dict of lists has the labels of each object, as cdlib writes communities: one each,
    or of objects of truth.
    """
    if not all(isinstance(value, list) for value in guess.values()):
        return False
    ids: Any = truth if isinstance(truth, Mapping) else ()
    if isinstance(truth, Clustering) and truth.ids is not None:
        ids = set(truth.ids.tolist())
    several = not hasattr(truth, "__len__") or len(truth) > 1
    alone = several and len(guess) > 1 and all(len(value) == 1 for value in guess.values())
    return alone or all(name in ids for name in guess)


def _is_table_of_guesses(guess: Any, kind: str | None, truth: Any) -> bool:
    """Whether a frame has a guess in each of several columns: none is named like ids or clusters,
    and truth is labels without ids, so that the first column cannot be those.
    """
    plain = isinstance(truth, list | tuple | np.ndarray) and not is_list_of_sets(truth)
    plain = plain or hasattr(truth, "to_frame")
    if kind not in (None, "partition") or not plain or isinstance(guess, Mapping | Clustering):
        return False
    if hasattr(guess, "dtype") or not hasattr(guess, "columns") or not is_frame(guess):
        return False
    names = list(map(str, guess.columns))
    return len(names) > 1 and not any(is_known(n, s) for n in names for s in (IDS, CLUSTERS))


def _check_degrees(frame: Any) -> None:
    """Refuse the chances of clusters, a column for each, where each column would be a guess."""
    import narwhals as nw

    data = nw.from_native(frame)
    numbers = all(kind.is_float() for kind in data.collect_schema().dtypes())
    if numbers and isinstance(data, nw.DataFrame) and is_chances(data.to_numpy()):
        raise InputError(
            f"the {len(data.columns):,} columns of the frame ({examples(map(str, data.columns))}) "
            "sum to one in each row: they look like the chances of clusters, not like guesses.",
            "they are a fuzzy clustering: cd.Fuzzy(frame.to_numpy()); the likeliest clusters are "
            "cd.compare(truth, frame.to_numpy().argmax(axis=1)).",
        )


def _is_list_of_guesses(guess: Any, kind: str | None, truth: Any) -> bool:
    """Whether a list holds clusterings, not labels: for sure, or each is as long as truth."""
    if not isinstance(guess, list | tuple) or not guess:
        return False
    if kind not in (None, "partition"):
        return all(isinstance(one, Clustering) for one in guess)
    size = len(truth) if hasattr(truth, "__len__") and not isinstance(truth, str) else None
    return all(
        isinstance(one, Clustering | Mapping)
        or holds_clustering(one)
        or ((isinstance(one, list) or hasattr(one, "dtype")) and np.shape(one) == (size,))
        for one in guess
    )


def _is_guess(value: Any, kind: str | None) -> bool:
    """Whether a value of a dict is a clustering of its own, not a label (or a set of labels)."""
    if isinstance(value, str):
        path = value.rpartition("::")[0] or value
        folder = os.sep in path and os.path.isdir(path)  # "train" alone is rather a label
        return os.path.isfile(path) or folder or ("*" in path and bool(glob(path)))
    if isinstance(value, bytes | tuple | frozenset) or getattr(value, "ndim", 1) == 0:
        return False
    labels = isinstance(value, list | set | range | Iterator) or getattr(value, "ndim", 0) == 1
    if kind == "cover" and labels:
        lists = isinstance(value, list) and all(isinstance(one, list) for one in value)
        return is_list_of_sets(value) or (lists and len(value) > 0)
    if kind in SOFT and (labels or isinstance(value, Mapping)):
        return False
    return is_clustering(value)


def _name(guess: Any) -> str:
    """What to call a single guess."""
    if isinstance(guess, str | os.PathLike):
        return Path(os.fspath(guess)).name
    return "guess"


# Truth and guesses by name: columns of a data frame or of the `obs` of an AnnData, or attributes
# of the nodes of a graph.

P = ParamSpec("P")
R = TypeVar("R", covariant=True)


class OfColumns(Protocol[P, R]):
    """A verb of clusterings, and of columns of one table."""

    @overload
    def __call__(self, *given: P.args, **options: P.kwargs) -> R: ...
    @overload
    def __call__(
        self,
        table: Any,
        /,
        *given: Any,
        truth: str,
        guess: str | Sequence[str] | None = None,
        guesses: str | Sequence[str] | None = None,
        id: str | Sequence[str] | None = None,
        **options: Any,
    ) -> R: ...
    @overload
    def __call__(
        self,
        table: Any,
        /,
        *given: Any,
        levels: str | Sequence[str],
        guesses: str | Sequence[str],
        id: str | Sequence[str] | None = None,
        **options: Any,
    ) -> R: ...


def takes_columns(verb: Callable[P, R]) -> OfColumns[P, R]:
    """A verb of truth and guess that takes a table and the names of its columns too:
    verb(adata, truth="cell_type", guesses=["leiden_0.5", "leiden_1.0"]); `id` names the column of
    the ids, or several that are one id together. `levels` name several columns of truth.
    """

    act: Any = verb

    def run(*given: Any, **options: Any) -> Any:
        named = options.pop("guesses", None)
        if named is not None:
            options["guess"] = named
        levels = options.get("levels")
        if levels is not None and not isinstance(levels, Mapping):
            columns = named is not None or isinstance(options.get("guess"), str)
            if (
                len(given) == 1
                and columns
                and not isinstance(given[0], Mapping | str | os.PathLike)
            ):
                options.setdefault("truth", level_names(levels)[0])
        if not given or "truth" not in options:
            return act(*given, **options)
        table, *rest = given
        truth, guesses = options.pop("truth"), options.pop("guess", None)
        id = options.pop("id", None)
        several = [guesses] if isinstance(guesses, str) else list(guesses or ())
        truths = [truth, *([] if levels is None else level_names(levels))]
        samples, count = options.get("samples"), column_of(options.get("count"))
        sampled = samples is not None
        of_file = isinstance(table, str | os.PathLike)
        if sampled and not isinstance(samples, Mapping) and not of_file:
            del options["samples"]  # the clusterings have them: their ids may repeat
        elif isinstance(options.get("between"), str) and not of_file:
            samples = options["between"]  # sources are read as samples are
        else:
            samples = None
        if sampled and isinstance(options.get("between"), str) and not of_file:
            of = options["between"]
            options["between"] = named_in(table, [of], id, None)[of].labels
        known = levels if isinstance(levels, Mapping) else {}
        wanted = [name for name in truths if name not in known]
        if of_file:
            asked: dict[str, Any] = {
                name: f"{os.fspath(table)}::{name}" for name in wanted + several
            }
            if id is not None:
                column: dict[str, Any] = {"sample": options.get("samples"), "count": count}
                asked = {name: read(one, id=id, **column) for name, one in asked.items()}
        else:
            asked = named_in(table, [*wanted, *several], id, samples, count)
        found = asked | dict(known)
        chosen = {name: found[name] for name in several}
        one = isinstance(guesses, str) or not several
        guess = chosen.get(guesses) if one else chosen
        if levels is not None:
            options["levels"] = {name: found[name] for name in truths}
            return act(None, guess, *rest, **options)
        return act(found[truth], guess, *rest, **options)

    made: Any = wraps(verb)(run)
    return made  # type: ignore[no-any-return]


def level_names(levels: Any) -> list[str]:
    """The names of levels of truth: of a dict, of a list, or in a text with commas between them."""
    said = levels.split(",") if isinstance(levels, str) else list(levels)
    return list(dict.fromkeys(name.strip() if isinstance(name, str) else name for name in said))


def named_in(
    table: Any,
    names: list[str],
    id: str | Sequence[str] | None,
    samples: Any,
    count: str | None = None,
) -> dict[str, Any]:
    """The columns or attributes of these names, as clusterings; `samples` and `count` may name
    further ones, of which they have samples and counts.
    """
    more = [name for name in (samples, count) if isinstance(name, str)]
    if (attributes := attributes_of(table, [*names, *more])) is not None:
        made = {name: attributes[name] for name in names}
        if count is not None:
            of = attributes[count].labels
            made = {name: with_counts(one, of.tolist(), count) for name, one in made.items()}
        if samples is None:
            return made
        of = attributes[samples].labels if isinstance(samples, str) else samples
        return {name: with_samples(one, of) for name, one in made.items()}
    if (data := frame_within(table)) is None:
        raise ClusterdiffError(
            f"truth={names[0]!r} names a column, but {a_type(table)} has none.",
            'give a frame, an AnnData or a graph first: cd.compare(adata, truth="cell_type", '
            'guesses=["leiden"]); or two clusterings, cd.compare(truth, guess).',
        )
    return taken(data, table, names, id, samples, count)


def frame_within(table: Any) -> Any:
    """The frame of a table: itself, or the annotation of the objects of an AnnData or MuData."""
    if (annotation := annotation_of(table)) is not None:
        return annotation
    return table if not hasattr(table, "dtype") and is_frame(table) else None


def taken(
    data: Any,
    table: Any,
    names: Sequence[str],
    id: str | Sequence[str] | None,
    samples: Any,
    count: str | None = None,
) -> dict[str, Any]:
    """The columns of these names, as partitions under the ids of the table."""
    path = "the frame" if data is table else f"{type(table).__name__}.obs"
    known = columns_of(data)
    for name in [*names, *(more for more in (samples, count) if isinstance(more, str))]:
        if name not in known:
            raise MissingColumn(
                f"{path} has no column {name!r}; it has {some(list(map(repr, known)))}.",
                f"{did_you_mean(name, known) or 'name one of them.'}".strip(),
            )
    own = named_ids(path, known, id or None)
    return dict(partitions_of_frame(data, names, own, samples, count))


def columns_of(data: Any) -> list[str]:
    """What the columns of a frame are called."""
    import narwhals as nw

    return list(map(str, nw.from_native(data).collect_schema().names()))


# What truth and guesses were read from, and taken for, for all that is printed of a comparison.

if TYPE_CHECKING:
    Side = AnyClustering | Table


class Origins(NamedTuple):
    """The columns of truth and of each guess; None of what comes from no table."""

    truth: Origin | None = None
    guesses: Mapping[str, Origin | None] = MappingProxyType({})
    truth_asked: str = ""
    """The kind that truth was to be, where it has no degrees and is a partition instead."""
    guesses_asked: Mapping[str, str] = MappingProxyType({})
    read: tuple[str, ...] = ()
    """How sides were read where that may not be what was meant."""

    @classmethod
    def of(cls, truth: Side, guesses: Mapping[str, Side]) -> Origins:
        """Those of sides, in memory or where they are."""
        origins = {name: side.origin for name, side in guesses.items()}
        return cls(truth.origin, origins, truth.asked, {n: g.asked for n, g in guesses.items()})

    def with_notes_of(self, meets: Mapping[str, Meet]) -> Origins:
        """The same with the notes that the comparison of each guess carries."""
        found = []
        of_all = set.intersection(*(set(meet.alignment.notes) for meet in meets.values()))
        for name, meet in meets.items():
            called = {"truth": "truth", "guess": name, "": name}
            found += [
                ("" if not side and (side, note) in of_all else called[side], note)
                for side, note in meet.alignment.notes
            ]
        return self._replace(read=said(found))

    @property
    def _all(self) -> dict[str, Origin]:
        named = [("truth", self.truth), *self.guesses.items()]
        return {name: one for name, one in named if one is not None}

    def sentence(self) -> str:
        """The columns in a sentence; those of all sides once where they are the same."""
        shown = {name: str(one) for name, one in self._all.items()}
        if len(shown) == 1 + len(self.guesses) and len(set(shown.values())) == 1:
            return f"Columns: {next(iter(shown.values()))}."
        told = ", ".join(f"{name} [{one}]" for name, one in shown.items())
        return f"Columns: {told}." if told else ""

    def notes(self) -> list[str]:
        """How sides were read that may mean something else, and which of them are partitions,
        though uncertain clusterings were asked for.
        """
        asked = [("truth", self.truth_asked), *self.guesses_asked.items()]
        so = "so it is compared as a partition"
        return [*self.read, *(f"{name}: no {kind} degrees, {so}" for name, kind in asked if kind)]

    def to_dict(self) -> dict[str, Any]:
        """Entries for JSON, if there are any."""
        told: dict[str, Any] = {}
        if self._all:
            guesses = {name: one and one.to_dict() for name, one in self.guesses.items()}
            columns = {"truth": self.truth and self.truth.to_dict(), "guesses": guesses}
            told["columns"] = columns
        if self.read:
            told["notes"] = list(self.read)
        if self.truth_asked or any(self.guesses_asked.values()):
            asked = {name: _taken(kind) for name, kind in self.guesses_asked.items()}
            told["taken_for"] = {"truth": _taken(self.truth_asked), "guesses": asked}
        return told


def said(notes: Iterable[tuple[str, str]]) -> tuple[str, ...]:
    """Notes on sides as lines, each once.

    >>> said([("a.csv", "read as UTF-16"), ("", "3 ids differ"), ("", "3 ids differ")])
    ('a.csv: read as UTF-16', '3 ids differ')
    """
    return tuple(dict.fromkeys(": ".join(filter(None, note)) for note in notes))


def _taken(asked: str) -> str | None:
    return "partition" if asked else None


NOWHERE = Origins()
"""Of clusterings that come from no table."""


# What a user asks of the records that stand beside objects.


class RecordOptions(NamedTuple):
    """What a user asks of records."""

    table: Any = None
    """A table with a record for each object: a frame, or a file."""
    show: Any = None
    """Names of columns, in a list or with commas between them; "none", "all", or None for the first
    eight.
    """
    id: str | Sequence[str] | None = None
    """What the column of the ids is called in that table."""
    reading: Any = None
    """How that file is read: parameters of `cd.read` by name."""
    engine: Any = None
    """What DuckDB may take for it."""

    @property
    def asked(self) -> bool:
        """Whether anything was asked."""
        return self.table is not None or self.show is not None

    def names(self) -> list[str] | None:
        """The columns that are named; None where none are, as with "all"."""
        if self.show is None or self.show == "all":
            return None
        if isinstance(self.show, str):
            listed = [] if self.show == "none" else next(csv.reader([self.show]), [])
            return [name.strip() for name in listed]
        return list(map(str, self.show))


class PairOptions(NamedTuple):
    """What a user asks of scored pairs that are shown."""

    pairs: Any
    """A table of two ids and a score, or whatever else `cd.sweep` takes for pairs."""
    threshold: float | None = None
    """Pairs that score at least this are links; None where all of them are."""
    names: Mapping[str, Any] = {}
    """The names of columns: left, right, score."""
    distance: bool | None = None
    """Whether less is nearer; None where the name of the score decides."""
    engine: Any = None
    reading: Mapping[str, Any] = {}
    """How a file is read: parameters of `cd.read` by name."""

    @classmethod
    def of(cls, pairs: Any, threshold: float | None, engine: Any = None) -> PairOptions | None:
        """What is asked by parameters, if anything."""
        if pairs is not None:
            return cls(pairs, threshold, engine=engine)
        if threshold is not None:
            raise ScoredPairsError(
                f"the threshold {threshold} is one of scored pairs, and there are none.",
                "give them too, pairs='predictions.parquet'.",
            )
        return None

    def opened(self, sampled: bool = False) -> PairLookup:
        """The pairs, checked; refused where ids are those of samples."""
        if sampled:
            raise ScoredPairsError(
                "scored pairs do not say in which sample their objects are.",
                "explain one sample at a time, or leave pairs= out.",
                "explain one sample at a time, or leave --pairs out.",
            )
        from clusterdiff.io.pair_lookup import PairLookup

        return PairLookup(self)


DEFAULT = RecordOptions()
"""Where nothing is asked."""


def records_of(sides: Sequence[Side], options: RecordOptions) -> Records | None:
    """The records to show beside objects; None where nothing else is known of them."""
    others = (side.origin is not None and side.origin.others for side in sides)
    if not (options.asked or any(others)):
        return None
    from clusterdiff.io.records import found_records

    return found_records(sides, options)
