"""The front door: whatever a user has in hand becomes a clustering, and two become a meet."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from copy import copy
from dataclasses import dataclass, field, replace
from functools import cache, reduce
from operator import itemgetter
from typing import TYPE_CHECKING, Any, NamedTuple, cast
from warnings import catch_warnings, simplefilter

import numpy as np

from clusterdiff.array_types import Ints
from clusterdiff.clusterings import (
    AnyClustering,
    Clustering,
    Cover,
    LabelImage,
    Partition,
    column,
)
from clusterdiff.clusterings.base import Origin
from clusterdiff.clusterings.columns import NULL_WORDS
from clusterdiff.clusterings.grouping import FEW as TABLE
from clusterdiff.clusterings.grouping import by_appearance, group_sums, pair_keys, span
from clusterdiff.contingency import Alignment, Among, Listed, Meet, Policy, Shapes, Stack
from clusterdiff.contingency.base import Sizes
from clusterdiff.contingency.hard import HardMeet
from clusterdiff.contingency.hard import balanced as of_equal_clusters
from clusterdiff.engines.alignment import Unpaired, plan_of
from clusterdiff.engines.columns import clustering_of_frame, is_frame
from clusterdiff.engines.counts import counted
from clusterdiff.engines.images import (
    ImageComparison,
    are_images,
    side_by_side,
    with_background,
)
from clusterdiff.engines.images import joint_cells as joint_of_images
from clusterdiff.engines.label_checks import check_labels
from clusterdiff.engines.memory import meet_clusterings
from clusterdiff.engines.named import NamedComparison
from clusterdiff.engines.protocol import NeedsMemory, Table
from clusterdiff.engines.samples import Sample, by_sample, check_strangers, listed_of, stack_of
from clusterdiff.engines.shared_objects import Together
from clusterdiff.engines.sql_objects import Selection, joint_cells
from clusterdiff.errors import (
    AlignmentError,
    ClusterdiffError,
    ClusterdiffWarning,
    InputError,
    MissingColumn,
    did_you_mean,
    shown,
)
from clusterdiff.io.adapters import Vertices, clustering, is_list_of_lists, noted_members
from clusterdiff.io.formats.coreference import as_mentions_of
from clusterdiff.io.read import check_kind, unwrapped
from clusterdiff.io.session import EngineSessions, is_counted, told_of_pairs, with_notes
from clusterdiff.io.speech import ALL, Scored, cut_together, in_one_file, turns_of

if TYPE_CHECKING:
    from clusterdiff.clusterings import Column

# Plain labels in the same order, counted without a question: a call in a loop costs microseconds.

FEW = 1_000
"""Labels up to which Python counts as fast as NumPy."""
SMALL = 1_000_000
"""Numbers up to which three sizes fit one whole number of 64 bits."""
WIDEST = 2**63
"""Labels at and beyond it are read with more care."""


def shapes_of_few(truth: Any, guess: Any) -> Shapes | None:
    """The shapes of two short lists of whole numbers or of texts, of two dicts of such with equal
    plain keys, or of two arrays of whole numbers that lie close together; None for all else, which
    is left to `meet` with its questions and refusals.

    >>> shapes_of_few(["a", "a", "b"], [1, 1, 1]).both.tolist()
    [1, 2]
    >>> shapes_of_few(["a", None, "b"], [1, 1, 1])
    """
    if type(truth) is np.ndarray and type(guess) is np.ndarray:
        shapes = _shapes_of_numbers(truth, guess)
        if shapes is not None:
            return shapes
    if type(truth) is dict and type(guess) is dict:
        if len(truth) > FEW or truth.keys() != guess.keys():
            return None
        ids = _plain(list(truth)), _plain(list(guess))
        if None in ids or not _no_null_word(truth):
            return None
        truth, guess = list(truth.values()), [guess[one] for one in truth]
    left, right = _plain(truth), _plain(guess)
    if left is None or right is None or len(left) != len(right):
        return None
    in_truth, in_guess = Counter(left), Counter(right)
    if not _no_null_word(in_truth) or not _no_null_word(in_guess):
        return None
    cells = Counter(zip(left, right, strict=True))
    rows = Counter([(n, in_truth[t], in_guess[g]) for (t, g), n in cells.items()])
    agreeing_first = sorted(
        [(not n == t == g, n, t, g, times) for (n, t, g), times in rows.items()]
    )
    table = np.array(agreeing_first, np.int64).T[1:]
    return _shapes_of(table, len(left), _sizes(in_truth), _sizes(in_guess))


def _shapes_of(table: Any, objects: int, truth_sizes: Sizes, guess_sizes: Sizes) -> Shapes:
    """Shapes of objects that are all on both sides, with what is counted already."""
    both, truth_size, guess_size, times = table
    shapes = Shapes(both=both, truth_size=truth_size, guess_size=guess_size, times=times)
    sizes = {"truth_sizes": truth_sizes, "guess_sizes": guess_sizes}
    vars(shapes).update(objects=objects, found=both, **sizes)
    return shapes


def _plain(labels: Any) -> list[Any] | tuple[Any, ...] | None:
    """Labels as Python has them, if they are few, of one kind, and mean what they say."""
    kind = type(labels)
    if kind is np.ndarray:
        if labels.ndim != 1 or not 0 < labels.size <= FEW or labels.dtype.kind not in "iuU":
            return None
        if labels.dtype != np.uint64:
            return labels.tolist()  # type: ignore[no-any-return]
        labels = labels.tolist()
    elif (kind is not list and kind is not tuple) or not 0 < len(labels) <= FEW:
        return None
    types = set(map(type, labels))
    if types == {int}:
        return labels if min(labels) >= -WIDEST and max(labels) < WIDEST else None
    return labels if types == {str} else None


def _no_null_word(labels: Mapping[Any, Any]) -> bool:
    return not any(word in labels for word in NULL_WORDS)


def _sizes(clusters: Counter[Any]) -> Sizes:
    counted = sorted(Counter(clusters.values()).items(), key=itemgetter(0))
    table = np.array(counted, np.int64).T
    return Sizes(table[0], table[1])


def _shapes_of_numbers(truth: Any, guess: Any) -> Shapes | None:
    """The shapes of two arrays of whole numbers whose table of clusters by clusters is small."""
    size = truth.size
    if (
        not 0 < size <= SMALL
        or truth.shape != (size,)
        or guess.shape != (size,)
        or truth.dtype.kind not in "iu"
        or guess.dtype.kind not in "iu"
    ):
        return None
    (low, wide), (other_low, other_wide) = span(truth), span(guess)
    if wide * other_wide > max(TABLE, size) or max(low + wide, other_low + other_wide) > WIDEST:
        return None
    cell = truth.astype(np.int64)
    cell -= low
    cell *= other_wide
    cell += guess.astype(np.int64) - other_low
    table = np.bincount(cell, minlength=wide * other_wide)
    cell = table.nonzero()[0]
    both = table[cell]
    table = table.reshape(wide, other_wide)
    in_truth, in_guess = np.add.reduce(table, 1), np.add.reduce(table, 0)
    row, column = np.divmod(cell, other_wide)
    truth_size, guess_size = in_truth[row], in_guess[column]
    # One number for what sorts the rows: those that agree first, then by the three sizes.
    radix = size + 1
    keys = ((both != truth_size) | (both != guess_size)).astype(np.int64)
    for column in (both, truth_size, guess_size):
        keys *= radix
        keys += column
    keys.sort()
    starts = np.ones(keys.size, np.bool_)
    np.not_equal(keys[1:], keys[:-1], out=starts[1:])
    first = starts.nonzero()[0]
    rest, guess_size = np.divmod(keys[first], radix)
    rest, truth_size = np.divmod(rest, radix)
    times = np.empty_like(first)
    times[:-1] = first[1:]
    times[-1] = keys.size
    times -= first
    shapes = rest % radix, truth_size, guess_size, times
    return _shapes_of(shapes, size, _counted(in_truth), _counted(in_guess))


def _counted(sizes: Ints) -> Sizes:
    counts = np.bincount(sizes)
    counts[0] = 0
    distinct = counts.nonzero()[0]
    return Sizes(distinct, counts[distinct])


# The index of pandas and the vertices of igraph as ids: they say which object is which where
# nothing else does.
#
# A Series, or a frame without a column of ids, is matched by its index where every other side has
# ids or an index; beside labels that have neither it counts by position. So are the communities of
# a graph whose vertices have names; where they have numbers alone, one of the others must have
# ids.

if TYPE_CHECKING:
    IndexedSide = AnyClustering | Table


def is_default(index: Any) -> bool:
    """Whether this is the index that pandas gives where none is given: the position."""
    return type(index).__name__ == "RangeIndex" and index.start == 0 and index.step == 1


def settle_indexes(sides: Iterable[IndexedSide]) -> None:
    """Make the indexes of sides their ids where all sides have such or ids; otherwise they count by
    position, and different indexes are refused, since they would pair rows that do not belong
    together.
    """
    every = list(sides)
    loose = [one for one in every if _index(one) is not None]
    if not loose:
        return
    ids = any(map(has_ids, every))
    if all(_index(one) is not None or has_ids(one) for one in every) and all(
        _names(one, ids) for one in loose
    ):
        known: list[tuple[Any, Column]] = []
        for one in loose:
            index = _index(one)
            same = next((ids for other, ids in known if index.equals(other)), None)
            known.append((index, column(_values(index)) if same is None else same))
            one.ids = known[-1][1]  # type: ignore[union-attr]
            read = one.origin or Origin("labels")
            one.origin = replace(read, id=str(index.name or "index"))  # type: ignore[misc]
        return
    loose = [one for one in loose if not isinstance(_index(one), Vertices)]
    first: Any = _index(loose[0]) if loose else None
    if any(len(_index(one)) == len(first) and not first.equals(_index(one)) for one in loose):
        raise AlignmentError(
            "the two have different indexes; a Series, or a frame without a column of ids, counts "
            "by position, and these would pair rows that do not belong together.",
            "use series.to_dict() or frame.reset_index() to match by index, or to_numpy() to match "
            "by position.",
        )


def _index(side: IndexedSide) -> Any:
    """The index of a side that has no ids."""
    if not isinstance(side, Clustering) or side.index is None:
        return None
    return side.index if side.ids is None else None


def has_ids(side: IndexedSide) -> bool:
    """Whether the objects of a side have ids of their own, other than an index."""
    return side.columns.id is not None if isinstance(side, Table) else side.ids is not None


def _names(side: IndexedSide, ids: bool) -> bool:
    """Whether an index names every object by itself; `ids` where another side has ids."""
    index = _index(side)
    if isinstance(index, Vertices):
        return ids or index.name != "vertex"
    return not is_default(index) and bool(index.is_unique) and not bool(index.hasnans)


def _values(index: Any) -> Any:
    """The values of an index, numbers and text as they are."""
    plain = index.dtype.kind in "iu" or str(index.dtype) in ("object", "str", "string")
    return index if plain else index.astype(object).to_numpy()


MEET_OPTIONS = (
    "kind", "align", "noise", "noise_as", "count", "weights", "balanced", "features", "engine",
    "between", "collar", "skip_overlap", "uem", "ignore", "ignore_in",
)  # fmt: skip


Kinds = str | tuple[str, str] | None
"""What tables, dicts and files hold: one kind, or one for truth and one for guess."""


def kinds_for(kind: Kinds, *values: Any) -> tuple[str | None, str | None]:
    """The kinds of truth and guess that were said; where one of the clusterings is a cover and
    nothing is said, all are read as covers.
    """
    if kind is None:
        found = "cover" if any(isinstance(v, Cover) for v in values) else None
        return found, found
    said = listed_kinds(kind)
    if len(said) > 2:
        raise ClusterdiffError(
            f"{len(said)} kinds are too many.", 'kind is one for all, or ("partition", "fuzzy").'
        )
    return said[0], said[-1]


def listed_kinds(kind: Any) -> list[str]:
    """Kinds as a list, from a text with commas between them or a collection."""
    if not isinstance(kind, str | tuple | list) or not kind:
        raise ClusterdiffError(
            f"unknown kind of clustering {shown(kind)}.",
            'kind is e.g. "fuzzy", or a pair of kinds.',
        )
    said = [one.strip() for one in kind.split(",")] if isinstance(kind, str) else list(kind)
    for one in said:
        check_kind(one)
    return said


def meet(
    truth: Any,
    guess: Any,
    *,
    kind: Kinds = None,
    align: str = "exact",
    noise: Any = None,
    noise_as: str = "singletons",
    count: Any = None,
    weights: Any = None,
    balanced: Any = False,
    between: Any = None,
    features: Any = None,
    engine: Any = None,
    collar: float = 0.0,
    skip_overlap: bool = False,
    uem: Any = None,
    ignore: Any = None,
    ignore_in: str = "truth",
) -> Meet:
    """How many objects have each pair of descriptions: all that a measure needs to know.

    >>> meet(["a", "a", "b"], [1, 1, 1])
    HardMeet(3 objects, 2 x 1 clusters, 2 rows, 0 of them agreeing)
    >>> meet({"x": ["a", "b"], "y": ["b"]}, {"x": [1], "y": [1]}, kind="cover")
    CoverMeet(2 objects, 2 x 1 clusters, 2 rows)

    `align` says what an object on one side only counts as: "exact" refuses it, "shared" leaves it
    out, "singletons" makes it a cluster of its own, "penalise" counts it as an error. Objects
    labelled `noise` (a label, or a list of labels; None stands for null) become singletons, or are
    left out with noise_as="drop". `count` says how many objects each one stands for: a column, one
    whole number per object, or a dict from id to number; `weights` what each weighs in a mean over
    objects. balanced=True has every true cluster count the same. `between` says which source each
    object comes from, so that only pairs from different sources count: a column, a dict from id to
    source, or one source per object. `kind` says what tables, dicts and files hold: "cover",
    "rough", "fuzzy", "possibilistic", "evidential", or one for truth and one for guess. `engine` is
    "arrays", "duckdb" or "spark", cd.DuckDB(memory="4GB") or cd.Spark(session); left out, files and
    relations are counted by DuckDB, Spark frames by Spark, all else in memory. `ignore` is the
    label of the background of label images. `collar`, `skip_overlap` and `uem` say how much of the
    time of speech is scored, as in `compare`.
    """
    if between is not None:
        from clusterdiff.io.between import met_between

        check_alone(between=between, weights=weights)
        check_alone(between=between, balanced=balanced, features=features)
        check_alone(between=between, ignore=ignore, uem=uem)
        policy = Policy(align, noise, noise_as)
        return met_between(truth, guess, policy, between, kind=kind, count=count, engine=engine)
    kinds = kinds_for(kind, truth, guess)
    with EngineSessions(engine) as sessions:
        pair = sides_together(sessions, [truth, guess], kinds, count=column_of(count))
        left, right = with_background(pair, ignore, ignore_in)
        settle_indexes([left, right])
        scored = Scored(collar, skip_overlap, uem)
        left, right = counted_sides(sessions, [left, right], count, features, kind, scored)
        right = _matched(left, right)
        if turns_of(left) and turns_of(right) and left.documents == right.documents:  # type: ignore[union-attr]
            left, right = (in_one_file(side, named=False) for side in (left, right))
        if weights is not None:
            check_alone(weights=True, balanced=balanced, features=features)
            whole = sessions.loaded(left), sessions.loaded(right)
            return weighed(*whole, Policy(align, noise, noise_as), weights)
        found = contingency_of(sessions, left, right, Policy(align, noise, noise_as), features)
    return balanced_meet(found) if balanced else found.pooled


def weighed(truth: AnyClustering, guess: AnyClustering, policy: Policy, weights: Any) -> Meet:
    """A comparison whose rows know what their objects weigh in a mean."""
    from clusterdiff.io.weights import weighted_meet

    return weighted_meet(truth, guess, policy, weights)


def check_alone(**options: Any) -> None:
    """Refuse options that cannot be taken together."""
    given = [name for name, value in options.items() if value is not None and value is not False]
    if len(given) > 1:
        raise ClusterdiffError(
            f"{given[0]} and {given[1]} are not taken together.", f"leave {given[1]}= out."
        )


def balanced_meet(found: Meet | Stack | Listed) -> HardMeet:
    """A comparison of two partitions in which every true cluster counts the same."""
    if not isinstance(found, HardMeet) or found.features is not None:
        raise ClusterdiffError(
            "balanced scores are those of two partitions, without samples and without features.",
            "leave balanced= out.",
            "leave --balanced out.",
        )
    return of_equal_clusters(found)


def column_of(count: Any) -> str | None:
    """The column that counts are in, if they are in one."""
    return count if isinstance(count, str) else None


def counted_sides(
    sessions: EngineSessions,
    sides: Sequence[AnyClustering | Table],
    count: Any,
    features: Any = None,
    kind: Any = None,
    scored: Scored = ALL,
) -> list[AnyClustering | Table]:
    """Sides whose objects stand for so many, where counts are given or some side has them: speech
    counts as long as it lasts, as much of it as is `scored`.
    """
    sides = cut_together(sides, kind, scored)
    name = column_of(count)
    if not any(is_counted(side) for side in sides):
        if name is not None:
            origins = [side.origin for side in sides if side.origin is not None]
            found = dict.fromkeys(one for origin in origins for one in origin.names())
            near = did_you_mean(name, [*found])
            raise MissingColumn(
                f"count={name!r} names a column, and neither truth nor guess has it.",
                f"{near}give the name of a column of one of them, a dict from id to number, or one "
                "number per object.",
                f"{near}name a column of one of the files.",
            )
        if count is None:
            return list(sides)
    if name is not None or count is None:
        made = sessions.count_together(sides)
    else:
        made = [*counted([sessions.loaded(side) for side in sides], count)]
    if features is not None:
        _check_features(sessions.loaded(sides[0]), sessions.loaded(made[0]))
    return made


def _check_features(given: AnyClustering, kept: AnyClustering) -> None:
    """Refuse features of objects that count 0, since they stand in the order of truth."""
    if len(kept) < len(given):
        raise ClusterdiffError(
            f"features are given for all {len(given):,} objects, and "
            f"{len(given) - len(kept):,} of them count 0.",
            "leave the objects that count 0 out of truth, guess and features.",
        )


class SourceColumn(str):
    """The column of the sources of objects, which guesses may lack: truth has it then."""

    __slots__ = ()


def source_column(between: Any) -> SourceColumn | None:
    """The column of the sources; None where they are given as values."""
    return SourceColumn(between) if isinstance(between, str) else None


def side(
    sessions: EngineSessions,
    value: Any,
    kind: str | None,
    sample: str | None = None,
    count: str | None = None,
) -> AnyClustering | Table:
    """A clustering, or a table that stays where it is; `sample` and `count` name columns of it, the
    latter where it has that column.
    """
    if isinstance(value, Clustering):
        return value  # type: ignore[return-value]
    value = unwrapped(value)
    if isinstance(sample, SourceColumn):
        with suppress(MissingColumn):
            if is_frame(value) or sessions.side(value, kind, None, count) is not None:
                return side(sessions, value, kind, str(sample), count)
        sample = None
    found = sessions.side(value, kind, sample, count)
    if found is None and sample is None and (count is None or not is_frame(value)):
        found = clustering(value, kind)
    elif found is None:
        found = _with_columns(value, sample, count, kind)
    others = found.origin is not None and found.origin.others
    if not others or found.source is not None or not is_frame(value):
        return found
    if isinstance(found, Table):
        return replace(found, source=value)
    found.source = value
    return found


def sides_together(
    sessions: EngineSessions,
    values: Sequence[Any],
    kinds: Sequence[str | None],
    sample: str | None = None,
    count: str | None = None,
) -> list[AnyClustering | Table]:
    """The sides of one comparison.

    A list of lists that is read as a cover, such as the communities of cdlib, has the objects of
    each cluster where it cannot have the labels of each object: beside ids, which labels lack, and
    beside a list of another length.
    """
    given = list(zip(values, kinds, strict=True))
    unclear = [kind == "cover" and is_list_of_lists(value) for value, kind in given]
    made = [
        None
        if skip
        else side(sessions, *one, sample if place or not sample else str(sample), count)
        for place, (one, skip) in enumerate(zip(given, unclear, strict=True))
    ]
    lengths = {len(value) for value, skip in zip(values, unclear, strict=True) if skip}
    members = len(lengths) > 1 or (
        any(unclear) and any(one is not None and has_ids(one) for one in made)
    )
    for place in (i for i, skip in enumerate(unclear) if skip):
        value = values[place]
        made[place] = (
            noted_members(Cover.from_clusters(value), value)
            if members
            else side(sessions, *given[place], sample, count)
        )
    return [one for one in made if one is not None]


def contingency_of(
    sessions: EngineSessions,
    truth: AnyClustering | Table,
    guess: AnyClustering | Table,
    policy: Policy,
    features: Any = None,
) -> Meet | Stack | Listed:
    """The meet of two sides, where they are or in memory; of samples, the meets side by side."""
    if features is None and (there := sessions.meet(truth, guess, policy)) is not None:
        return there.with_alignment(with_notes(there.alignment, truth, guess))
    left, right = sessions.loaded(truth), sessions.loaded(guess)
    if are_images(left, right) and features is None:
        return sessions.images(left, right, policy).met
    notes = check_labels([left], [right], policy)
    unpaired = Unpaired.of(left, right)
    unpaired.refuse(policy)
    with told_of_pairs(left, right):
        found = _met(left, right, policy, features)
    return found.with_alignment(with_notes(found.alignment, left, right, notes + unpaired.notes()))


def _met(
    left: AnyClustering, right: AnyClustering, policy: Policy, features: Any
) -> Meet | Stack | Listed:
    if left.samples is None and right.samples is None:
        return meet_clusterings(left, right, policy, features)
    if features is not None:
        raise ClusterdiffError(
            "features are not taken together with samples.", "compare one sample at a time."
        )
    stack = stack_of(left, right, policy)
    return listed(by_sample(left, right), policy) if stack is None else stack


def listed(samples: list[Sample], policy: Policy) -> Listed:
    """The meets of samples side by side; an error says which one it was."""
    if not samples:
        raise InputError.empty("each clustering")
    found = listed_of([(sample.name, sample.met(policy)) for sample in samples])
    check_strangers(samples, policy)
    return found


def _with_columns(
    value: Any, sample: str | None, count: str | None, kind: str | None
) -> AnyClustering:
    """A frame read with a column of samples, or of counts."""
    if is_frame(value):
        return clustering_of_frame(value, kind=kind or "partition", sample=sample, count=count)
    raise MissingColumn(
        f"samples={sample!r} names a column, but a {type(value).__name__} has none.",
        "give samples as a dict from id to sample, or one per object.",
    )


# One truth, its guesses, and the objects that all of them are judged on.
#
# `shared` judges on the objects that truth and all guesses have, `singletons` on those that any of
# them has; of noise that is dropped, what one of them calls so is left out for all. `exact` and
# `penalise` ask the same of every guess by themselves.

Side = AnyClustering | Table
Found = Meet | Stack | Listed


class Lost(NamedTuple):
    """Objects that truth has in clusters and a guess is not judged on, by its own doing."""

    objects: int
    of: int
    """How many objects truth has in clusters."""


@dataclass(frozen=True, eq=False)
class AlignedComparison:
    """Truth and guesses, with the objects that they are judged on."""

    sessions: EngineSessions
    truth: Side
    guesses: Mapping[str, Side]
    policy: Policy
    features: Any = None
    alignments: Mapping[str, Alignment] = field(default_factory=dict)
    """How each guess was matched, where it depends on the other guesses."""
    beyond: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    """For each guess the objects that only others have, by sample."""
    whole: AlignedComparison | None = None
    """The same with all objects, where some are left out."""
    _met: dict[str, Found] = field(default_factory=dict)

    def contingency_of(self, name: str) -> Found:
        """The meet of truth and a guess; of samples, the meets side by side."""
        if name not in self._met:
            with self._warned():
                guess = self.guesses[name]
                found = contingency_of(self.sessions, self.truth, guess, self.policy, self.features)
            if beyond := self.beyond.get(name):
                found = found.with_singles(beyond)
            if name in self.alignments:
                found = found.with_alignment(self.alignments[name])
            self._met[name] = found
        return self._met[name]

    def compared(self, name: str) -> NamedComparison | None:
        """Truth and a guess compared with names, if both are partitions."""
        with self._warned():
            beyond, guess = self.alone(name), self.guesses[name]
            found = self.sessions.compared(self.truth, guess, self.policy, beyond)
        if found is None or name not in self.alignments:
            return found
        return found.aligned(self.alignments[name])

    @contextmanager
    def _warned(self) -> Iterator[None]:
        """Where some objects are left out, what there is to warn of was said of all of them."""
        if self.whole is None:
            yield
            return
        with catch_warnings():
            simplefilter("ignore", ClusterdiffWarning)
            yield

    def with_sides(self, changed: Callable[[Any], Any]) -> AlignedComparison:
        """The same with all sides changed, where all of them are in memory."""
        guesses = {name: changed(guess) for name, guess in self.guesses.items()}
        return replace(self, truth=changed(self.truth), guesses=guesses, _met={})

    def alone(self, name: str) -> int:
        """How many objects neither truth nor a guess has and another one does."""
        return sum(self.beyond.get(name, {}).values())

    def loaded(self, name: str) -> tuple[AnyClustering, AnyClustering]:
        """Truth and a guess in memory."""
        return self.sessions.loaded(self.truth), self.sessions.loaded(self.guesses[name])

    def cells(self) -> tuple[dict[str, Ints], Ints, Ints] | None:
        """How many objects are in the same clusters of truth ("") and of every guess: clusters by
        side, objects, and how often; None if not all are partitions.
        """
        sides = [self.truth, *self.guesses.values()]
        names = ["", *self.guesses]
        tables = self.sessions.tables(sides)
        if tables is not None:
            try:
                found, objects, times = joint_cells(tables, self.policy)
                return dict(zip(names, found, strict=True)), objects, times
            except NeedsMemory as unfit:
                self.sessions.refuse(unfit, *tables)
        whole = [self.sessions.loaded(side) for side in sides]
        if not all(isinstance(side, Partition) for side in whole):
            return None
        if self._of_images:
            truth, *images = cast("list[LabelImage]", whole)
            return joint_of_images(truth, dict(zip(self.guesses, images, strict=True)), self.policy)
        clusters, count, _ = Together.of(whole, self.policy).cells()
        code, first = by_appearance(reduce(pair_keys, clusters))
        chosen = {name: side[first] for name, side in zip(names, clusters, strict=True)}
        return chosen, group_sums(code, count), np.ones_like(first)

    def rows_given(self) -> tuple[dict[str, Ints], Ints] | None:
        """The clusters of truth ("") and of every guess of each object that has a count, and these
        counts; None if not all are partitions.
        """
        sides = {"": self.truth, **self.guesses}
        whole = [self.sessions.loaded(side) for side in sides.values()]
        if not all(isinstance(side, Partition) for side in whole):
            return None
        clusters, count, place = Together.of(whole, self.policy).cells()
        if place.size and int(place[-1]) + 1 < place.size:
            raise ClusterdiffError(
                "objects cannot be units where each copy of some is a cluster of its own: these "
                "are noise, or on one side only.",
                'units="components", or leave them out: noise_as="drop", align="shared".',
            )
        return dict(zip(sides, clusters, strict=True)), count

    def lost(self, name: str, unless: str | None = None) -> Lost:
        """What a guess is not judged on because it lacks it, or calls it noise that is dropped; of
        that only what another guess has, if one is named.
        """
        whole = self.whole or self
        if self._of_images:
            truth, guess = self.loaded(name)
            guess = copy(guess)
            vars(guess)["beside"] = ()
            return Lost(*ImageComparison.of(truth, guess, whole.policy).lost)
        if not plan_of(whole.policy).selects:
            return Lost(0, 0)
        place = {guess: i for i, guess in enumerate(whole.guesses, 1)}
        where, but = whole._where(), None if unless is None else place[unless]
        return Lost(where.lost(place[name], but), where.asked())

    @property
    def _of_images(self) -> bool:
        return are_images(self.truth, *self.guesses.values())

    def _where(self) -> Selection | Together:
        """Which side has which objects, in the engine where they are or in memory."""
        sides = [self.truth, *self.guesses.values()]
        tables = self.sessions.tables(sides) if self.features is None else None
        if tables is not None:
            try:
                return Selection.of(tables, self.policy)
            except NeedsMemory as unfit:
                self.sessions.refuse(unfit, *tables)
        return Together.of([self.sessions.loaded(side) for side in sides], self.policy)


def _matched(truth: Side, guess: Side) -> Side:
    """The guess with its mentions named after those of truth, where files were read so."""
    if all(getattr(one, "mentions", None) is None for one in (truth, guess)):
        return guess
    return as_mentions_of(truth, guess)


def align_together(
    sessions: EngineSessions,
    truth: Side,
    guesses: Mapping[str, Side],
    policy: Policy,
    features: Any = None,
) -> AlignedComparison:
    """Truth and guesses on the same objects, as the policy says."""
    guesses = {name: _matched(truth, guess) for name, guess in guesses.items()}
    alone, plan = AlignedComparison(sessions, truth, guesses, policy, features), plan_of(policy)
    if are_images(truth, *guesses.values()):
        images = {name: sessions.loaded(guess) for name, guess in guesses.items()}
        apart = side_by_side(sessions.loaded(truth), images, policy)
        return replace(alone, guesses=apart)
    if len(guesses) < 2 or not plan.heeds_others:
        return alone
    met = [alone.contingency_of(name) for name in guesses]
    if not any(plan.touches_others(found.alignment) for found in met):
        return alone
    made = _restricted(alone)
    return made if any(a.among for a in made.alignments.values()) else alone


def _restricted(alone: AlignedComparison) -> AlignedComparison:
    """The same on the objects that all are judged on."""
    where = alone._where()
    names = list(alone.guesses)
    truth, *guesses = _sides(alone, where)
    beyond = {name: where.beyond(i) for i, name in enumerate(names, 1)}
    chosen = dict(zip(names, guesses, strict=True))
    features = alone.features
    if features is not None:
        assert isinstance(where, Together)
        features = np.asarray(features)[where.positions()]
    made = AlignedComparison(
        alone.sessions, truth, chosen, alone.policy, features, beyond=beyond, whole=alone
    )
    alignments = {name: _alignment(made, alone, name, where.empty) for name in names}
    found = {name: made.contingency_of(name).with_alignment(alignments[name]) for name in names}
    return replace(made, alignments=alignments, _met=found)


def _sides(alone: AlignedComparison, where: Selection | Together) -> list[Side]:
    """Truth and guesses with what is kept; refused where that is nothing."""
    if not where.any():
        raise plan_of(alone.policy).nothing_left(len(alone.guesses))
    if isinstance(where, Together):
        return list(where.restricted())

    @cache
    def in_memory() -> list[AnyClustering]:
        sides = [alone.truth, *alone.guesses.values()]
        whole = Together.of([alone.sessions.loaded(side) for side in sides], alone.policy)
        return whole.restricted()

    return list(where.restricted(lambda i: in_memory()[i]))


def _alignment(
    made: AlignedComparison, alone: AlignedComparison, name: str, empty: tuple[str, ...]
) -> Alignment:
    """How a guess was matched on its own, and what the others change."""
    before, after = alone.contingency_of(name).pooled, made.contingency_of(name).pooled
    added = made.alone(name)
    left_out = before.objects + added - after.objects
    among = Among(len(made.guesses), left_out, added) if left_out or added else None
    return replace(before.alignment, empty=empty, among=among)
