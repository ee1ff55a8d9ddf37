"""The engine for label images: blocks of both are read together and only the table is kept."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from functools import cached_property, reduce
from typing import Any, NamedTuple, TypeVar

import numpy as np

from clusterdiff.array_types import Bools, Hashes, Ints
from clusterdiff.clusterings import AnyClustering, LabelImage
from clusterdiff.clusterings.grouping import by_appearance, group_sums, number, pair_keys
from clusterdiff.contingency import Alignment, HardMeet, Policy, Stack
from clusterdiff.contingency.cells import size_per_row
from clusterdiff.engines.alignment import AlignmentPlan, Fate, plan_of
from clusterdiff.engines.label_checks import read_notes
from clusterdiff.engines.named import (
    Around,
    Catalogue,
    Crosstab,
    Members,
    Most,
    NamedComparison,
    RowNames,
    largest,
)
from clusterdiff.errors import (
    AlignmentError,
    AllNoise,
    ClusterdiffError,
    ClusterdiffWarning,
    InputError,
    UnknownObject,
    examples,
    shown,
    warn,
)

C = TypeVar("C", bound=Any)
ROWS = 4_000_000
"""Rows of tables of blocks that are added up at once."""
WIDEST = 2**62
"""Pairs of labels that one number of 64 bits tells apart."""
ALONE = 10_000_000
"""Pixels that may each become a segment of its own."""


class Pairs(NamedTuple):
    """Distinct pairs of labels and how many pixels have each; labels are words of 64 bits."""

    truth: Hashes
    guess: Hashes
    both: Ints


def are_images(*sides: object) -> bool:
    """Whether one of these sides is a label image, at least; both have to be, of one shape."""
    return any(isinstance(side, LabelImage) for side in sides)


def checked(truth: object, guess: object) -> tuple[LabelImage, LabelImage]:
    """Two label images of one shape, both stacks if one is."""
    for side, other, name in ((truth, guess, "guess"), (guess, truth, "truth")):
        if isinstance(side, LabelImage) and not isinstance(other, LabelImage):
            objects = f"{len(other):,} objects" if hasattr(other, "__len__") else "a table"
            raise AlignmentError(
                f"{name} is no label image, but {objects}, beside an image of {side.size_told}.",
                "give two arrays of one shape, in which pixels at the same place belong together; "
                "one column of a matrix of labels is labels[:, 0].",
            )
    assert isinstance(truth, LabelImage)
    assert isinstance(guess, LabelImage)
    if truth.shape != guess.shape:
        mirrored = truth.shape == guess.shape[::-1]
        same = sorted(n for n in truth.shape if n > 1) == sorted(n for n in guess.shape if n > 1)
        hint = (
            "crop or resample one of them to the other, labels by the nearest neighbour (order=0)."
        )
        if same:
            way = "guess.T" if mirrored else "np.moveaxis(guess, …) or guess.squeeze()"
            hint = f"the axes are in another order: {way} has the shape of truth."
        raise AlignmentError(
            f"truth is an image of {truth.size_told} and guess one of {guess.size_told}; pixels "
            "are matched by their place.",
            hint,
        )
    stack = truth.stack or guess.stack
    if stack and not (truth.stack and guess.stack):
        return truth.with_options(stack=stack), guess.with_options(stack=stack)
    return truth, guess


# Counting: runs of equal pairs first, as segments are made of runs; then one table or one sort of
# the runs of a block; then the few rows that are left of all blocks.


def counted(truth: LabelImage, guess: LabelImage) -> Pairs:
    """How many pixels have each pair of labels; none that are background of another guess.

    >>> truth, guess = LabelImage([[1, 1], [2, 2]]), LabelImage([[7, 7], [7, 8]])
    >>> counted(truth, guess)._asdict()
    {'truth': array([1, 2, 2]...), 'guess': array([7, 7, 8]...), 'both': array([2, 1, 1])}
    """
    found: list[Pairs] = []
    rows, most = 0, ROWS
    table: Counts | None = None
    for _, blocks in truth.blocks_with(guess, *guess.beside):
        left, right, *others = _flat(blocks)
        for image, block in zip(guess.beside, others, strict=True):
            kept = np.isin(block, image.ignore, invert=True)
            left, right = left[kept], right[kept]
        if not left.size:
            continue
        if _in_runs(left, right):
            found.append(_pairs_of(left, right))
        else:
            spans = _span(left), _span(right)
            if table is None or not table.holds(spans):
                found += [] if table is None else [table.pairs()]
                table = Counts.of(spans, 2 * left.size, table)
            if table is None:
                found.append(_pairs_of(left, right, runs=False))
            else:
                table.add(left, right)
                continue
        rows += found[-1].both.size
        if rows > most and len(found) > 1:
            found = [_summed(found)]
            rows = found[0].both.size
            most = max(ROWS, 2 * rows)
    found += [] if table is None else [table.pairs()]
    if not found:
        none = np.zeros(0, np.uint64)
        return Pairs(none, none, np.zeros(0, np.int64))
    return _summed(found)


Span = tuple[int, int]
"""The least label, and how many lie between it and the largest."""


def _span(labels: Any) -> Span:
    low, high = int(labels.min()), int(labels.max())
    return low, high - low + 1


@dataclass(frozen=True, eq=False)
class Counts:
    """How many pixels have each pair of labels, of labels that lie close together: one table for
    all blocks.
    """

    spans: tuple[Span, Span]
    cells: Ints

    @classmethod
    def of(cls, spans: tuple[Span, Span], most: int, known: Counts | None) -> Counts | None:
        """An empty table for these labels, and those of the table before it where they fit too;
        None if it had more cells than that.
        """
        ways = [spans]
        if known is not None:
            both = zip(spans, known.spans, strict=True)
            one, other = (_span(np.array([[a, a + n - 1], [b, b + m - 1]]))
                          for (a, n), (b, m) in both)  # fmt: skip
            ways.insert(0, (one, other))
        for way in ways:
            if way[0][1] * way[1][1] <= max(4096, most):
                return cls(way, np.zeros(way[0][1] * way[1][1], np.int64))
        return None

    def holds(self, spans: tuple[Span, Span]) -> bool:
        """Whether there is a cell for each pair of these labels."""
        return all(
            low <= other and other + n <= low + wide
            for (low, wide), (other, n) in zip(self.spans, spans, strict=True)
        )

    def add(self, truth: Any, guess: Any) -> None:
        """Count the pixels of a block."""
        (low, _), (other_low, wide) = self.spans
        narrow = all(labels.dtype.kind == "u" and labels.itemsize < 8 for labels in (truth, guess))
        word = np.uint32 if narrow else np.int64
        cell = _above(truth, low, word)
        cell *= wide
        cell += _above(guess, other_low, word)
        np.add(self.cells, np.bincount(cell, minlength=self.cells.size), out=self.cells)

    def pairs(self) -> Pairs:
        """The pairs that occur, sorted."""
        (low, _), (other_low, wide) = self.spans
        cell = np.flatnonzero(self.cells)
        row, column = np.divmod(cell.view(np.uint64), np.uint64(wide))
        least = (np.uint64(one % 2**64) for one in (low, other_low))
        return Pairs(row + next(least), column + next(least), self.cells[cell])


def _above(labels: Any, low: int, word: type[np.integer[Any]]) -> Any:
    """How far labels lie above the least one; they lie close together."""
    if labels.dtype == np.uint64:
        return (labels - np.uint64(low)).view(np.int64)
    return np.subtract(labels, low, dtype=word)


def _in_runs(truth: Any, guess: Any) -> bool:
    """Whether most pixels are like the next one, by some of them."""
    step = max(1, truth.size // 4096)
    last = truth.size - 1
    alike = truth[:last:step] == truth[1::step][: -(-last // step)]
    alike &= guess[:last:step] == guess[1::step][: -(-last // step)]
    return 2 * int(alike.sum()) > int(alike.size)


def _flat(blocks: Sequence[Any]) -> list[Any]:
    """Blocks in a row, in the order of memory of the first."""
    strides = [abs(n) for n in blocks[0].strides]
    order: Any = "F" if len(strides) > 1 and strides[0] < strides[-1] else "C"
    return [block.ravel(order) for block in blocks]


def _runs(truth: Any, guess: Any) -> Ints:
    """Where runs of equal pairs begin."""
    change = np.empty(truth.size, np.bool_)
    change[0] = True
    np.not_equal(truth[1:], truth[:-1], out=change[1:])
    change[1:] |= guess[1:] != guess[:-1]
    return np.flatnonzero(change)


def _pairs_of(truth: Any, guess: Any, *, runs: bool = True) -> Pairs:
    """The distinct pairs of a block, sorted, with counts."""
    length = None
    if runs and 2 * (start := _runs(truth, guess)).size < truth.size:
        length = np.diff(start, append=truth.size)
        truth, guess = truth[start], guess[start]
    (left, low, wide), (right, other_low, other_wide) = _words(truth), _words(guess)
    if wide * other_wide >= WIDEST:
        values, code = np.unique(left, return_inverse=True)
        others, other_code = np.unique(right, return_inverse=True)
        key = code.astype(np.uint64) * np.uint64(others.size) + other_code.astype(np.uint64)
        key, both = _grouped(key, length, values.size * others.size)
        row, col = np.divmod(key, np.uint64(others.size))
        return Pairs(values[row] + low, others[col] + other_low, both)
    left *= np.uint64(other_wide)
    left += right
    key, both = _grouped(left, length, wide * other_wide)
    row, col = np.divmod(key, np.uint64(other_wide))
    return Pairs(row + low, col + other_low, both)


def _words(labels: Any) -> tuple[Hashes, Any, int]:
    """Labels as words of 64 bits above the least of them, that, and how many lie in between; whole
    numbers with a sign wrap around, and come back when the least is added.
    """
    low, high = int(labels.min()), int(labels.max())
    least = np.uint64(low % 2**64)
    words = labels.astype(np.uint64 if labels.dtype.kind == "u" else np.int64).view(np.uint64)
    words -= least
    return words, least, high - low + 1


def _grouped(key: Hashes, length: Ints | None, cells: int) -> tuple[Hashes, Ints]:
    """Distinct keys, sorted, and how often each occurs, or how long its runs are together."""
    if cells <= max(4096, 2 * key.size):
        # sums of lengths are exact in floating point: there are fewer pixels than 2⁵³
        table = np.bincount(key.view(np.int64), length)
        cell = np.flatnonzero(table)
        return cell.view(np.uint64), table[cell].astype(np.int64)
    bits = 0 if length is None else int(length.max()).bit_length()
    if length is None:
        key.sort()
    elif cells < 1 << (63 - bits):
        # NumPy sorts numbers several times as fast as it finds an order: the length goes along
        key <<= np.uint64(bits)
        key |= length.view(np.uint64)
        key.sort()
        length = (key & np.uint64((1 << bits) - 1)).view(np.int64)
        key >>= np.uint64(bits)
    else:
        order = np.argsort(key)
        key, length = key[order], length[order]
    begins = np.empty(key.size, np.bool_)
    begins[0] = True
    np.not_equal(key[1:], key[:-1], out=begins[1:])
    first = np.flatnonzero(begins)
    if length is None:
        return key[first], np.diff(first, append=key.size)
    return key[first], np.add.reduceat(length, first)


def _summed(found: Sequence[Pairs]) -> Pairs:
    """The pairs of several blocks as one table, sorted."""
    if len(found) == 1:
        return found[0]
    truth, guess, both = (np.concatenate(columns) for columns in zip(*found, strict=True))
    (left, low, wide), (right, other_low, other_wide) = _words(truth), _words(guess)
    if wide * other_wide < WIDEST:
        left *= np.uint64(other_wide)
        left += right
        key, both = _grouped(left, both, wide * other_wide)
        row, col = np.divmod(key, np.uint64(other_wide))
        return Pairs(row + low, col + other_low, both)
    order = np.lexsort((guess, truth))
    truth, guess, both = truth[order], guess[order], both[order]
    begins = np.ones(truth.size, np.bool_)
    begins[1:] = (truth[1:] != truth[:-1]) | (guess[1:] != guess[:-1])
    first = np.flatnonzero(begins)
    return Pairs(truth[first], guess[first], np.add.reduceat(both, first))


# Truth and several guesses at once, for tests of their differences.

MOST = 20_000_000
"""Rows that a table of several images may have."""


def joint_cells(
    truth: LabelImage, guesses: Mapping[str, LabelImage], policy: Policy
) -> tuple[dict[str, Ints], Ints, Ints] | None:
    """How many pixels are in the same segments of truth ("") and of all guesses: segments by side,
    pixels, and how often; None if these are too many, or if guesses are judged on other pixels than
    each other.
    """
    sides, plan = [truth, *guesses.values()], plan_of(policy)
    if plan.one_sided and plan.noise is Fate.DROPPED:
        return None  # what is noise in one guess is left out for that guess alone
    stacks = [sides]
    if any(side.stack for side in sides):
        sides = [side.with_options(stack=True) for side in sides]
        stacks = [[side.slice_at(i) for side in sides] for i in range(truth.shape[0])]
    found: list[tuple[list[Hashes], Ints]] = []
    for images in stacks:
        rows = _joint_rows(images)
        if rows is None or sum(both.size for _, both in [*found, rows]) > MOST:
            return None
        found.append(rows)
    columns = [np.concatenate(parts) for parts in zip(*(words for words, _ in found), strict=True)]
    both = np.concatenate([both for _, both in found])
    sample = np.repeat(np.arange(len(found)), [both.size for _, both in found])
    lacked = Fate.DROPPED if plan.lacked is Fate.REFUSED else plan.lacked
    fates, grounds = [], []
    for side, words in zip(sides, columns, strict=True):
        grounds.append(_among(words, side.ignore))
        noisy = _among(words, _noise_of(plan))
        fates.append(
            np.select([grounds[-1], noisy], [int(lacked), int(plan.noise)], int(Fate.KEPT))
        )
    kept = np.flatnonzero((np.max(fates, axis=0) < Fate.DROPPED) & ~np.logical_and.reduce(grounds))
    alone = np.logical_or.reduce([fate == Fate.ALONE for fate in fates])[kept]
    at = np.repeat(kept, np.where(alone, both[kept], 1))
    alone = np.repeat(alone, np.where(alone, both[kept], 1))
    made = {}
    for name, words, fate in zip(["", *guesses], columns, fates, strict=True):
        code = number(pair_keys(sample[at], words[at].view(np.int64)))[0]
        own = np.flatnonzero(fate[at] == Fate.ALONE)
        code[own] = int(code.max(initial=-1)) + 1 + np.arange(own.size)
        made[name] = np.where(fate[at] == Fate.MISSING, -1, code)
    return made, np.where(alone, 1, both[at]), np.ones(at.size, np.int64)


def _joint_rows(images: Sequence[LabelImage]) -> tuple[list[Hashes], Ints] | None:
    """The distinct labels that pixels have on all sides, side by side, and how many pixels; None if
    these are too many.
    """
    columns: list[list[Any]] = [[] for _ in images]
    counts: list[Ints] = []
    rows = 0

    def summed() -> None:
        words = [np.concatenate(parts) for parts in columns]
        code, first = by_appearance(reduce(pair_keys, (one.view(np.int64) for one in words)))
        counts[:] = [group_sums(code, np.concatenate(counts))]
        for column, one in zip(columns, words, strict=True):
            column[:] = [one[first]]

    most = ROWS
    for _, blocks in images[0].blocks_with(*images[1:]):
        labels = _flat(blocks)
        change = np.zeros(labels[0].size, np.bool_)
        change[0] = True
        for one in labels:
            change[1:] |= one[1:] != one[:-1]
        start = np.flatnonzero(change)
        counts.append(np.diff(start, append=change.size))
        for column, one in zip(columns, labels, strict=True):
            kind = np.uint64 if one.dtype.kind == "u" else np.int64
            column.append(one[start].astype(kind).view(np.uint64))
        rows += start.size
        if rows > most:
            summed()
            rows = counts[0].size
            most = max(ROWS, 2 * rows)
            if rows > MOST:
                return None
    summed()
    return [column[0] for column in columns], counts[0]


# The table under a policy: background is missing on its side, noise is what it is everywhere.


class Table(NamedTuple):
    """Rows of the table of a comparison: clusters are numbers, -1 for missing."""

    sample: Ints
    truth: Ints
    guess: Ints
    both: Ints
    truth_word: Hashes
    """The label of each row, as counted."""
    guess_word: Hashes

    def take(self, rows: Any) -> Table:
        """Some of the rows."""
        return Table(*(values[rows] for values in self))


def _every(truth: LabelImage, guess: LabelImage) -> tuple[Ints, Pairs]:
    """The pairs of all samples, and the sample of each."""
    if not truth.stack:
        found = counted(truth, guess)
        return np.zeros(found.both.size, np.int64), found
    each = [counted(truth.slice_at(i), guess.slice_at(i)) for i in range(truth.shape[0])]
    sample = np.repeat(np.arange(len(each)), [one.both.size for one in each])
    return sample, Pairs(*(np.concatenate(columns) for columns in zip(*each, strict=True)))


def table_of(
    truth: LabelImage, guess: LabelImage, plan: AlignmentPlan
) -> tuple[Table, Alignment, tuple[int, int]]:
    """The rows that are compared, what became of all others, and how many pixels of segments of
    truth guess is not judged on, and of how many.
    """
    sample, pairs = _every(truth, guess)
    sides = (("truth", truth, pairs.truth), ("guess", guess, pairs.guess))
    ground = [_among(words, image.ignore) for _, image, words in sides]
    noise = [
        _among(words, _noise_of(plan)) & ~at for (*_, words), at in zip(sides, ground, strict=True)
    ]
    checks = [
        note
        for (name, image, words), *told in zip(sides, ground, noise, strict=True)
        for note in _checked_labels(name, image, words, told[0] | told[1], pairs.both)
    ]
    if not guess.beside:
        _warn_of_absent(sides)
    # `exact` asks for images of one shape; a pixel that is background on a side is left out then
    lacked = Fate.DROPPED if plan.lacked is Fate.REFUSED else plan.lacked
    fate = [
        np.select([at, noisy], [int(lacked), int(plan.noise)], int(Fate.KEPT))
        for at, noisy in zip(ground, noise, strict=True)
    ]
    nowhere = ground[0] & ground[1]
    kept = ~nowhere & (np.maximum(*fate) < Fate.DROPPED)
    noisy = (noise[0] | noise[1]) & ~(ground[0] | ground[1] if lacked is Fate.DROPPED else nowhere)
    only_truth, only_guess = (int(pairs.both[~ground[a] & ground[1 - a]].sum()) for a in (0, 1))
    if plan.lacked is Fate.REFUSED:
        only_truth = only_guess = 0  # background that is left out is told of in a note
    if not kept.any():
        raise AllNoise.dropped() if noisy.any() else _all_background(truth, guess)
    alignment = plan.alignment(only_truth, only_guess, int(pairs.both[noisy].sum()))
    numbers = [pair_keys(sample, words.view(np.int64)) for *_, words in sides]
    asked = ~ground[0] & ~(noise[0] & (fate[0] == Fate.DROPPED))
    lost = int(pairs.both[asked & ~kept].sum()), int(pairs.both[asked].sum())
    rows = Table(sample, numbers[0], numbers[1], pairs.both, pairs.truth, pairs.guess).take(kept)
    rows = _settled(rows, *(one[kept] for one in fate))
    way = _way(truth, guess)
    read = read_notes({"truth": truth, "guess": guess})
    left_out = len(truth) - int(rows.both.sum())
    told = _told(truth, guess, left_out)
    notes = (*read, told, *checks, *alignment.notes)
    return rows, replace(alignment, notes=notes, read=way), lost


IGNORE_IN = ("truth", "both")
"""Whose background is left out: that of truth, as in scikit-image, or that of both."""


def with_background(sides: Sequence[Any], ignore: Any, ignore_in: str = "truth") -> list[Any]:
    """Truth and guesses with these labels as background, where some are named."""
    if ignore_in not in IGNORE_IN:
        raise ClusterdiffError(
            f"background is ignored in truth or in both, not in {shown(ignore_in)}.",
            'write ignore_in="truth" or ignore_in="both".',
        )
    if ignore is None or (isinstance(ignore, tuple) and not ignore and not are_images(*sides)):
        return list(sides)
    made = list(sides)
    for place, side in enumerate(made):
        if not isinstance(side, LabelImage):
            raise ClusterdiffError(
                "ignore= names the background of label images, and these are none.",
                'noise=0, noise_as="drop" leaves out objects with the label 0; '
                "cd.LabelImage(array) is an image, of one dimension too.",
            )
        if place == 0 or ignore_in == "both":
            made[place] = side.with_options(ignore=ignore)
    return made


def confidence_for(confidence: C, *sides: object) -> C:
    """What is asked of intervals, where sides may be label images: neighbouring pixels are right or
    wrong together, so that they are no units. Units are slices of a stack, or else segments that
    are entangled.
    """
    if confidence is None or not are_images(*sides):
        return confidence
    if confidence.units == "objects":
        raise ClusterdiffError(
            "the pixels of an image are not independent: an interval that takes each for a unit "
            "would be far too narrow.",
            "make the slices of a stack samples, cd.LabelImage(stack, stack=True), or compare "
            "several images, samples=[(truth_1, guess_1), (truth_2, guess_2), …].",
            "make the slices of a stack samples: --stack.",
        )
    stacked = any(isinstance(side, LabelImage) and side.stack for side in sides)
    if stacked or confidence.units is not None:
        return confidence
    made: C = replace(confidence, units="components")
    return made


def side_by_side(
    truth: AnyClustering, guesses: Mapping[str, AnyClustering], policy: Policy
) -> dict[str, AnyClustering]:
    """Guesses that are judged on the same pixels: what is background of one of them is left out
    for all.
    """
    plan, made = plan_of(policy), dict(guesses)
    dropped = _noise_of(plan) if plan.noise is Fate.DROPPED else []
    ground = {
        name: image.with_options(ignore=[*image.ignore, *dropped])
        for name, image in guesses.items()
        if isinstance(image, LabelImage)
    }
    if len(guesses) < 2 or not any(image.ignore for image in ground.values()):
        return made
    if plan.one_sided:
        if plan.lacked is Fate.ALONE:
            raise ClusterdiffError(
                "pixels that only some of the guesses have in a segment are not added to others.",
                'compare one guess at a time, or with align="penalise".',
            )
        return made
    for name in ground:
        made[name] = copy(guesses[name])
        others = (other for key, other in ground.items() if key != name and other.ignore)
        vars(made[name])["beside"] = tuple(others)
    return made


def _settled(rows: Table, truth: Ints, guess: Ints) -> Table:
    """The rows with what is missing as -1, and pixels that are alone one by one."""
    alone = (truth == Fate.ALONE) | (guess == Fate.ALONE)
    if (many := int(rows.both[alone].sum())) > ALONE:
        raise ClusterdiffError(
            f"{many:,} pixels would each become a segment of its own.",
            'leave them out: noise_as="drop", or align="exact".',
            "leave them out: --noise-as drop, or --align exact.",
        )
    if many:
        at = np.repeat(np.arange(rows.both.size), np.where(alone, rows.both, 1))
        rows, truth, guess = rows.take(at), truth[at], guess[at]
        rows = rows._replace(both=np.where(alone[at], 1, rows.both))
    codes = []
    for code, fate in ((rows.truth, truth), (rows.guess, guess)):
        own = np.flatnonzero(fate == Fate.ALONE)
        code = code.copy()
        code[own] = int(code.max(initial=-1)) + 1 + np.arange(own.size)
        code[fate == Fate.MISSING] = -1
        codes.append(code)
    rows = rows._replace(truth=codes[0], guess=codes[1])
    if not min(codes[0].min(initial=0), codes[1].min(initial=0)) < 0:
        return rows
    # several labels of background are one: missing
    row, many = number(pair_keys(rows.truth, rows.guess))
    first = np.empty(many, np.int64)
    first[row[::-1]] = np.arange(row.size)[::-1]
    both = np.bincount(row, rows.both, many).astype(np.int64)
    return rows.take(first)._replace(both=both)


def _noise_of(plan: AlignmentPlan) -> list[int]:
    """The whole numbers among the labels that mean noise."""
    return [int(one) for one in plan.labels if isinstance(one, int | float) and one == int(one)]


def _among(words: Hashes, labels: Sequence[int]) -> Bools:
    """Which labels are among these."""
    return np.isin(words, np.array([label % 2**64 for label in labels], np.uint64))


def _signed(image: LabelImage) -> bool:
    """Whether its labels have a sign."""
    return not str(image.array.dtype).rpartition(".")[2].lstrip("<>=|").startswith(("u", "bool"))


def names_of(image: LabelImage, words: Hashes) -> list[int]:
    """Labels as they are."""
    found: list[int] = (words.view(np.int64) if _signed(image) else words).tolist()
    return found


def _checked_labels(
    name: str, image: LabelImage, words: Hashes, ground: Bools, both: Ints
) -> Iterator[tuple[str, str]]:
    """Refuse labels that no segment has; warn of background that there is not."""
    labels = words.view(np.int64)
    below = ~ground & (labels < 0) if _signed(image) else np.zeros(words.size, np.bool_)
    if below.any():
        shown = np.unique(labels[below]).tolist()
        raise InputError(
            f"{name} has {int(both[below].sum()):,} pixels with negative labels "
            f"({examples(shown)}).",
            f"ignore={shown[0]} leaves such pixels out; labels of segments are 0, 1, 2 and so on.",
        )
    if str(getattr(image.array, "dtype", "")).rpartition(".")[2].lstrip("<>=|").startswith("f"):
        yield name, "floating-point labels, all of them whole numbers"


def _warn_of_absent(sides: Sequence[tuple[str, LabelImage, Hashes]]) -> None:
    """Warn of background that there is not: it may have another label."""
    for name, image, words in sides:
        absent = [label for label in image.ignore if not _among(words, [label]).any()]
        if absent and not image.may_lack:
            there = names_of(image, np.unique(words))
            warn(
                ClusterdiffWarning(
                    f"no pixel of {name} has the label {examples(absent)}, which is to be ignored.",
                    f"its labels are {examples(there)}; give that of the background, or leave "
                    "ignore out.",
                )
            )


def _all_background(truth: LabelImage, guess: LabelImage) -> InputError:
    """What to say where no pixel is left."""
    labels = dict.fromkeys([*truth.ignore, *guess.ignore])
    return InputError(
        f"all {truth.size_told} are background ({examples(list(labels))}), so there is nothing to "
        "compare.",
        "check the labels with np.unique, or leave ignore out.",
    )


def _way(truth: LabelImage, guess: LabelImage) -> str:
    """How both are read, for signatures: what they are, and which labels are background."""
    ignored = [
        f"ignore {'+'.join(map(str, image.ignore))} of {name}"
        for name, image in (("truth", truth), ("guess", guess)) if image.ignore
    ]  # fmt: skip
    what = "x".join(map(str, truth.shape))
    return ", ".join([f"{'stack' if truth.stack else 'image'} {what}", *ignored])


def _told(truth: LabelImage, guess: LabelImage, left_out: int) -> tuple[str, str]:
    """What is said of it above scores."""
    what = f"read as label images of {truth.size_told}"
    if truth.stack:
        each = " x ".join(f"{n:,}" for n in truth.shape[1:])
        what = f"read as stacks of {truth.shape[0]:,} label images of {each}, each a sample"
    ground = [
        f"{' and '.join(map(str, image.ignore))} of {name}"
        for name, image in (("truth", truth), ("guess", guess)) if image.ignore
    ]  # fmt: skip
    if not ground:
        return "", f"{what}; no label is background"
    few = "1 is" if left_out == 1 else f"{left_out:,} are"
    return "", f"{what}; background is {' and '.join(ground)}, {few} left out"


def meet_images(
    truth: AnyClustering, guess: AnyClustering, policy: Policy, features: Any = None
) -> HardMeet | Stack:
    """The meet of two label images; of stacks, the meets of their slices side by side."""
    if features is not None:
        raise ClusterdiffError(
            "features are not taken together with label images.",
            "give the labels of the pixels as arrays of one dimension, array.ravel().",
        )
    return ImageComparison.of(truth, guess, policy).met


# The comparison with names: segments have their labels, pixels the place where they are.


@dataclass(frozen=True, eq=False)
class ImageComparison(NamedComparison):
    """Two label images compared with names: all that is kept is the table."""

    truth: LabelImage
    guess: LabelImage
    rows: Table
    meet: HardMeet
    lost: tuple[int, int]
    """Pixels of segments of truth that guess is not judged on, and of how many."""

    @classmethod
    def of(cls, truth: AnyClustering, guess: AnyClustering, policy: Policy) -> ImageComparison:
        """Two images under a policy; segments of different slices of a stack are different."""
        left, right = checked(truth, guess)
        rows, alignment, lost = table_of(left, right, plan_of(policy))
        codes = [_dense(code) for code in (rows.truth, rows.guess)]
        rows = rows._replace(truth=codes[0], guess=codes[1])
        meet = HardMeet.of_cells(rows.truth, rows.guess, rows.both, alignment=alignment)
        return cls(left, right, rows, meet, lost)

    @cached_property
    def stack(self) -> Stack:
        """The meets of the slices."""
        names = list(range(self.truth.shape[0]))
        rows, alignment = self.rows, self.meet.alignment
        return Stack.of_cells(names, rows.sample, rows.truth, rows.guess, rows.both, alignment)

    @property
    def met(self) -> HardMeet | Stack:
        """The meet; of stacks, the meets of their slices side by side."""
        return self.stack if self.sampled else self.meet

    @cached_property
    def conflict(self) -> Table:
        """The rows in conflict."""
        rows = self.rows
        sizes = size_per_row(rows.truth, rows.both), size_per_row(rows.guess, rows.both)
        return rows.take((rows.both != sizes[0]) | (rows.both != sizes[1]))

    @property
    def agreeing(self) -> int:
        """How many rows of the meet are segments that agree."""
        return self.meet.both.size - self.conflict.both.size

    @property
    def sampled(self) -> bool:
        """Whether these are slices side by side."""
        return self.truth.stack

    def described(self, rows: Ints, ids: int | None) -> list[RowNames]:
        """These rows in conflict with names, and the places of up to so many pixels of each."""
        part = self.conflict.take(rows)
        names = (
            [None if code < 0 else name for code, name in zip(codes.tolist(), named, strict=True)]
            for codes, named in (
                (part.truth, names_of(self.truth, part.truth_word)),
                (part.guess, names_of(self.guess, part.guess_word)),
            )
        )
        found = self._places(part, ids)
        samples = part.sample.tolist() if self.sampled else [None] * part.both.size
        return list(map(RowNames, *names, found, samples))

    def _places(self, part: Table, most: int | None) -> list[list[str]]:
        """Where the first pixels of these rows are, as arrays are indexed: [12,340]."""
        wanted = part.both if most is None else np.minimum(part.both, most)
        found: list[list[str]] = [[] for _ in part.both]
        left = int(wanted.sum())
        for sample in np.unique(part.sample).tolist() if left else ():
            here = np.flatnonzero(part.sample == sample)
            images = (self.truth, self.guess)
            if self.sampled:
                images = self.truth.slice_at(sample), self.guess.slice_at(sample)
            open_rows = {
                (int(part.truth_word[i]), int(part.guess_word[i])): int(i) for i in here.tolist()
            }
            for start, (truth, guess) in images[0].blocks_with(images[1]):
                if not open_rows:
                    break
                _look(start, truth, guess, open_rows, wanted, found)
        return found

    def rows_with(self, cluster: Any) -> Bools:
        """Which rows in conflict are of a true or guess segment with this label."""
        try:
            word = int(cluster) % 2**64
        except (TypeError, ValueError):
            return np.zeros(self.conflict.both.size, np.bool_)
        rows = self.conflict
        in_truth = (rows.truth_word == word) & (rows.truth >= 0)
        return np.asarray(in_truth | ((rows.guess_word == word) & (rows.guess >= 0)))

    def around(self, wanted: Any, sample: Any = None) -> Around:
        """Pixels are not looked up by name."""
        raise UnknownObject(
            "pixels of label images are not looked up one by one.",
            "look up a segment by its label: explanation.only(cluster=label).",
            "look up a segment by its label: --around LABEL.",
        )

    def values_of(
        self,
        truth: Any,
        guess: Any,
        sample: int,
        rows: Table,
        values: Ints,
        others: tuple[int, int],
    ) -> Ints:
        """The value of the row of each pixel, among these rows of a sample; others have one of two
        values, where they are compared and where they are not.
        """
        sides = ((truth, "truth_word"), (guess, "guess_word"))
        words = [
            some.astype(np.uint64 if some.dtype.kind == "u" else np.int64).view(np.uint64).ravel()
            for some, _ in sides
        ]

        def keys(table: Table) -> Any:
            here = table.sample == sample
            return [getattr(table, name)[here] for _, name in sides], here

        made = np.full(truth.size, others[1])
        for table, value in ((self.rows, None), (rows, values)):
            (left, right), here = keys(table)
            known = pair_keys(
                np.concatenate([left, words[0]]).view(np.int64),
                np.concatenate([right, words[1]]).view(np.int64),
            )
            order = np.argsort(known[: left.size], kind="stable")
            place = np.searchsorted(known[: left.size], known[left.size :], sorter=order)
            place = order[np.minimum(place, left.size - 1)] if left.size else place
            hit = known[: left.size][place] == known[left.size :] if left.size else place < 0
            own = np.full(left.size, others[0]) if value is None else value[here]
            made[hit] = own[place[hit]]
        return made.reshape(truth.shape)

    def members(self, rows: Ints) -> Members:
        """Pixels are not listed one by one."""
        raise ClusterdiffError(
            "pixels of label images are not browsed one by one.",
            "cd.explain names the segments, and cd.plot.overlay shows where they differ.",
            "clusterdiff explain names the segments that differ.",
        )

    def some_ids(self, among: Sequence[Any]) -> tuple[bool, list[Any]]:
        """Whether any of these are ids of objects, and some ids that objects have: pixels have
        places.
        """
        return False, [f"[{','.join('0' * len(self.truth.shape))}]"]

    def catalogue(self, rows: Ints | None) -> Catalogue:
        """No pixel is listed by name: there are too many of them, and none has one."""
        return Catalogue([], [], [], [], [])

    def crosstab(self, most: Most) -> Crosstab:
        """The pixels that each pair of the n largest segments of both sides shares."""
        rows = self.rows
        sides = [
            _placed(rows.truth, self.truth, rows.truth_word, rows.both, most),
            _placed(rows.guess, self.guess, rows.guess_word, rows.both, most),
        ]
        (truth, truth_names, truths), (guess, guess_names, guesses) = sides
        return Crosstab(truth, guess, rows.both, truth_names, guess_names, (truths, guesses))


def _dense(code: Ints) -> Ints:
    """Numbers from 0 on; -1 stays."""
    made = np.full(code.size, -1)
    made[code >= 0] = number(code[code >= 0])[0]
    return made


def _placed(
    code: Ints, image: LabelImage, words: Hashes, both: Ints, most: Most
) -> tuple[Ints, list[Any], int]:
    """The place of each row among the largest segments, their labels, and how many there are."""
    known = code >= 0
    size = np.bincount(code[known], both[known]).astype(np.int64)
    word = np.zeros(size.size, np.uint64)
    word[code[known]] = words[known]
    chosen, names = largest(size, most, lambda some: names_of(image, word[some]))
    rank = np.full(size.size + 1, chosen.size)
    rank[chosen] = np.arange(chosen.size)
    rank[-1] = -1
    return rank[code], names, size.size


def _look(
    start: tuple[int, ...],
    truth: Any,
    guess: Any,
    wanted: dict[tuple[int, int], int],
    many: Ints,
    found: list[list[str]],
) -> None:
    """Add the places of pixels of a block that are of a wanted pair; pairs that have enough of them
    are wanted no more.
    """  # fmt: skip
    shape = truth.shape
    left, right = truth.ravel(), guess.ravel()
    begin = _runs(left, right)
    end = np.append(begin[1:], left.size)
    words = [
        some[begin].astype(np.uint64 if some.dtype.kind == "u" else np.int64).view(np.uint64)
        for some in (left, right)
    ]
    keys = np.array(list(wanted), np.uint64).T
    near = np.flatnonzero(np.isin(words[0], keys[0]) & np.isin(words[1], keys[1]))
    for run in near.tolist():
        pair = int(words[0][run]), int(words[1][run])
        if (row := wanted.get(pair)) is None:
            continue
        places = range(int(begin[run]), int(end[run]))[: int(many[row]) - len(found[row])]
        for place in places:
            at = np.unravel_index(place, shape)
            inside = ",".join(str(int(a) + b) for a, b in zip(at, start, strict=True))
            found[row].append(f"[{inside}]")
        if len(found[row]) >= int(many[row]):
            del wanted[pair]
