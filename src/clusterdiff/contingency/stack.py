"""Meets side by side, one for each sample, as one table that is sorted by sample."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import blake2b
from itertools import pairwise
from typing import Any

import numpy as np

from clusterdiff.array_types import Floats, Hashes, Ints
from clusterdiff.clusterings.grouping import by_appearance, pair_keys
from clusterdiff.clusterings.sets import mix
from clusterdiff.contingency.alignment import Alignment
from clusterdiff.contingency.base import Over
from clusterdiff.contingency.cells import size_per_row
from clusterdiff.contingency.digest import digest
from clusterdiff.contingency.hard import HardMeet, Shapes, alone_on_both, clusters_apart

COLUMNS = ("both", "truth_size", "guess_size", "times", "truth", "guess")


class Stack:
    """The meets of many samples; clusters of different samples have different numbers.

    Samples without rows are left out, and the alignment names them.
    """

    def __init__(
        self, names: list[Any], sample: Ints, rows: dict[str, Ints], alignment: Alignment
    ) -> None:
        known = np.bincount(sample, minlength=len(names)) > 0
        if not known.all():
            gone = (str(name) for name, has in zip(names, known.tolist(), strict=True) if not has)
            alignment = replace(alignment, empty=tuple(sorted((*alignment.empty, *gone))))
            names = [name for name, has in zip(names, known.tolist(), strict=True) if has]
            sample = (np.cumsum(known) - 1)[sample]
        self.names = names
        self.alignment = alignment
        order = np.lexsort((rows["guess_size"], rows["truth_size"], rows["both"], sample))
        self._sample = sample[order]
        self._rows = {name: rows[name][order] for name in COLUMNS}
        self._start = _starts(self._sample, len(names))

    @classmethod
    def of_cells(
        cls,
        names: list[Any],
        sample: Ints,
        truth: Ints,
        guess: Ints,
        both: Ints,
        alignment: Alignment,
        times: Ints | None = None,
    ) -> Stack:
        """The meets of samples from the cells of all their tables; -1 is a missing cluster.

        Clusters of a sample that agree are merged, one row per size; `times` repeats a row.
        """
        every = np.ones_like(both) if times is None else times
        truth_size, guess_size = size_per_row(truth, both), size_per_row(guess, both)
        agree = (both == truth_size) & (both == guess_size)
        sizes = np.flatnonzero(agree)
        code, example = by_appearance(pair_keys(sample[sizes], both[sizes]))
        kept = np.concatenate([sizes[example], np.flatnonzero(~agree)])
        times = np.ones_like(kept)
        times[: example.size] = np.bincount(code, every[sizes], example.size)
        rows = {
            "both": both[kept],
            "truth_size": truth_size[kept],
            "guess_size": guess_size[kept],
            "times": times,
            "truth": truth[kept],
            "guess": guess[kept],
        }
        return cls(names, sample[kept], rows, alignment)

    def with_alignment(self, alignment: Alignment) -> Stack:
        """The same under another alignment."""
        return Stack(self.names, self._sample, self._rows, alignment)

    def with_singles(self, singles: Mapping[str, int]) -> Stack:
        """The same with extra singletons on both sides: how many, by sample; samples
        that are new come last.
        """
        names = [*self.names, *(name for name in singles if name not in set(map(str, self.names)))]
        place = {str(name): i for i, name in enumerate(names)}
        sample = np.array([place[name] for name in singles], np.int64)
        times = np.array(list(singles.values()), np.int64)
        r, one = self._rows, np.ones_like(sample)
        first = 1 + max(int(r["truth"].max(initial=-1)), int(r["guess"].max(initial=-1)))
        new = first + np.arange(sample.size)
        return Stack.of_cells(
            names,
            np.append(self._sample, sample),
            np.append(r["truth"], new),
            np.append(r["guess"], new),
            np.append(r["both"], one),
            self.alignment,
            np.append(r["times"], times),
        )

    def __len__(self) -> int:
        return len(self.names)

    def __getitem__(self, sample: int) -> HardMeet:
        begin, end = self._start[sample], self._start[sample + 1]
        part: dict[str, Any] = {name: self._local[name][begin:end] for name in COLUMNS}
        return HardMeet(**part, alignment=self.alignment)

    @cached_property
    def _local(self) -> dict[str, Ints]:
        """The rows with the clusters of each sample numbered from 0 on."""
        made = dict(self._rows)
        for side in ("truth", "guess"):
            made[side] = _numbered_anew(self._rows[side], self._start)
        return made

    @cached_property
    def pooled(self) -> HardMeet:
        """The meet of the disjoint union."""
        r = self._rows
        return HardMeet.of_cells(
            r["truth"], r["guess"], r["both"], r["times"], alignment=self.alignment
        )

    @property
    def sample_of_rows(self) -> Ints:
        """The sample of each row, by its place among the names."""
        return self._sample

    @property
    def rows_apart(self) -> HardMeet:
        """The disjoint union with the rows of each sample by themselves, one sample after the
        other.
        """
        rows: dict[str, Any] = self._rows
        return HardMeet(**rows, alignment=self.alignment)

    @cached_property
    def words(self) -> Hashes:
        """A fingerprint of the comparison of each sample, whatever the names of its clusters."""
        return _words(self._sample, self._rows, len(self.names))

    @cached_property
    def split(self) -> str:
        """A fingerprint of which comparisons the samples are, whatever the order and the names."""
        return digest(self.words, np.ones(len(self.names), np.int64))

    @cached_property
    def shapes(self) -> Shapes:
        """The shapes of each sample, one sample after the other."""
        r, first = self._rows, self._first
        return Shapes(
            both=r["both"][first],
            truth_size=r["truth_size"][first],
            guess_size=r["guess_size"][first],
            times=np.add.reduceat(r["times"], first) if first.size else r["times"],
            alignment=self.alignment,
        )

    @cached_property
    def _first(self) -> Ints:
        """The first row of each shape of each sample."""
        columns = (self._sample, *(self._rows[name] for name in COLUMNS[:3]))
        change = np.zeros(max(self._sample.size - 1, 0), np.bool_)
        for values in columns:
            change |= values[1:] != values[:-1]
        return np.flatnonzero(
            np.concatenate([np.ones(min(self._sample.size, 1), np.bool_), change])
        )

    @cached_property
    def _shape_start(self) -> Ints:
        return _starts(self._sample[self._first], len(self.names))

    def means(self, values: Floats, over: Over) -> list[float]:
        """For each sample the mean over its objects of a value per row of `shapes`."""
        s = self.shapes
        weight = s.weight
        if over != "all":
            weight = np.where(s.in_truth if over == "truth" else s.in_guess, weight, 0)
        terms, edges = (values * weight).tolist(), self._shape_start.tolist()
        sums = [math.fsum(terms[i:j]) for i, j in pairwise(edges)]
        before = np.concatenate([[0], np.cumsum(weight)])
        objects = np.diff(before[self._shape_start]).tolist()
        return [x / n if n else 0.0 for x, n in zip(sums, objects, strict=True)]

    @cached_property
    def alike_in_shapes(self) -> tuple[list[int], list[int]]:
        """A number for each sample, equal where the shapes are; and a sample for each number."""
        return _alike([getattr(self.shapes, name) for name in COLUMNS[:4]], self._shape_start)

    @cached_property
    def alike_in_rows(self) -> tuple[list[int], list[int]]:
        """The same for all rows, clusters numbered as they appear."""
        return _alike([self._local[name] for name in COLUMNS], self._start)


def _alike(columns: list[Ints], edges: Ints) -> tuple[list[int], list[int]]:
    """A number for each stretch of rows, equal where they are; and a stretch for each number."""
    table = np.ascontiguousarray(np.column_stack(columns))
    seen: dict[bytes, int] = {}
    codes: list[int] = []
    firsts: list[int] = []
    for i, (begin, end) in enumerate(pairwise(edges.tolist())):
        code = seen.setdefault(table[begin:end].tobytes(), len(seen))
        if code == len(firsts):
            firsts.append(i)
        codes.append(code)
    return codes, firsts


@dataclass(frozen=True, eq=False)
class Listed:
    """The meets of samples of any kind, each on its own."""

    names: list[Any]
    meets: list[Any]
    pooled: Any
    """The meet of their disjoint union."""

    @property
    def alignment(self) -> Alignment:
        """How the objects of all samples were matched."""
        found: Alignment = self.pooled.alignment
        return found

    def with_alignment(self, alignment: Alignment) -> Listed:
        """The same under another alignment."""
        return replace(self, pooled=self.pooled.with_alignment(alignment))

    def with_singles(self, singles: Mapping[str, int]) -> Listed:
        """The same with extra singletons on both sides: how many, by sample; samples
        that are new come last.
        """
        known = list(map(str, self.names))
        meets = [
            meet.with_singles({"": singles[name]}) if name in singles else meet
            for name, meet in zip(known, self.meets, strict=True)
        ]
        new = {name: many for name, many in singles.items() if name not in known}
        meets += [alone_on_both(many, self.alignment) for many in new.values()]
        return Listed([*self.names, *new], meets, self.pooled.with_singles(singles))

    @cached_property
    def words(self) -> Hashes:
        """A fingerprint of the comparison of each sample, whatever the names of its clusters."""
        if not self._hard:
            digests = [m.digest.removeprefix("shapes-")[:16] for m in self.meets]
            return np.array([int(one, 16) for one in digests], np.uint64)
        rows = {name: np.concatenate([getattr(m, name) for m in self.meets]) for name in COLUMNS}
        rows["truth"], rows["guess"] = clusters_apart(self.meets)
        sample = np.repeat(np.arange(len(self.meets)), [m.both.size for m in self.meets])
        return _words(sample, rows, len(self.meets))

    @cached_property
    def split(self) -> str:
        """A fingerprint of which comparisons the samples are, whatever the order and the names."""
        if not self._hard:
            digests = sorted(m.digest for m in self.meets)
            return blake2b("".join(digests).encode(), digest_size=16).hexdigest()
        return digest(self.words, np.ones(len(self.meets), np.int64))

    @property
    def _hard(self) -> bool:
        return all(type(m) is HardMeet for m in self.meets)


def _words(sample: Ints, rows: dict[str, Ints], samples: int) -> Hashes:
    """A fingerprint of each of the samples whose rows stand one after the other."""
    columns: dict[str, Any] = rows
    whole = HardMeet(**columns)
    word = np.zeros(samples, np.uint64)
    np.add.at(word, sample, mix(whole.colours) * whole.times.astype(np.uint64))
    return mix(word)


def _starts(sample: Ints, many: int) -> Ints:
    """Where the rows of each sample start, and the end."""
    return np.searchsorted(sample, np.arange(many + 1))


def _numbered_anew(cluster: Ints, start: Ints) -> Ints:
    """Clusters of each sample numbered from 0 on as they appear; -1 stays."""
    known = np.flatnonzero(cluster >= 0)
    codes, _ = by_appearance(cluster[known])
    made = np.full(cluster.size, -1)
    if not known.size:
        return made
    before = np.searchsorted(known, start)
    first = np.append(codes, codes.max() + 1)[before[:-1]]
    made[known] = codes - np.repeat(first, np.diff(before))
    return made
