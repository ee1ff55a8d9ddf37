"""Scored pairs beside truth: each object has one number, and what does not count is known."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from clusterdiff.array_types import Ints
from clusterdiff.backends.alignment import Fate, plan_of
from clusterdiff.backends.label_checks import Notes, check_side, read_notes
from clusterdiff.backends.memory.hard import numbered_clusters
from clusterdiff.backends.memory.match import alike, match_ids
from clusterdiff.clusterings import Column, Partition, column
from clusterdiff.errors import AlignmentError, AllNoise, InputError
from clusterdiff.errors.scored import ScoredPairsError
from clusterdiff.errors.spelling import LOOK, spelled_most
from clusterdiff.inputs.indexes import settle_indexes
from clusterdiff.inputs.scored.pairs import PairChunk, ScoredSource
from clusterdiff.inputs.scored.trees import Tree
from clusterdiff.meet import Policy


class Aligned(NamedTuple):
    """The objects of truth, then those that pairs alone name."""

    truth: Ints
    """The number of the true cluster of each object; -1 where it links others and does not
    count.
    """
    ids: Column | None
    """The id of each object; None where objects are positions."""
    place: Ints | None
    """The number of each object of the pairs; None where both count alike."""
    known: int
    """Objects of truth."""
    unknown: int
    """Objects that pairs name and truth does not have."""
    silent: int
    """Objects of truth that no pair names."""
    noise: int
    """Objects that truth calls noise."""
    notes: Notes = ()
    """How truth was read where that may not be what was meant, and ids in another spelling."""

    @property
    def objects(self) -> int:
        """How many there are."""
        return self.truth.size

    def chunks(self, scored: ScoredSource) -> Iterator[PairChunk]:
        """The pairs, with objects numbered as here."""
        for chunk in scored.chunks():
            if self.place is None:
                yield chunk
            else:
                yield PairChunk(self.place[chunk.left], self.place[chunk.right], chunk.score)


def aligned(truth: Partition, scored: ScoredSource | Tree, policy: Policy) -> Aligned:
    """Truth and pairs on one numbering of objects, as the policy says; leaves of a tree are the
    objects of truth in their order.
    """
    if policy.align == "penalise":
        raise ScoredPairsError.from_penalise()
    if truth.samples is not None:
        raise InputError(
            "samples are not taken by a sweep.", "sweep each sample by itself, or leave them out."
        )
    if not len(truth):
        raise InputError.empty("truth")
    notes = read_notes({"truth": truth}) + check_side("truth", [truth], policy)
    if isinstance(scored, Tree):
        if scored.leaves != len(truth):
            raise ScoredPairsError.from_leaves(scored.leaves, len(truth))
        return _with_clusters(truth, policy, truth.ids, None, 0, 0)._replace(notes=notes)
    settle_indexes([truth])
    own = column(np.arange(len(truth))) if truth.ids is None else truth.ids
    place, strange = _places(own, scored.ids)
    if strange.size == len(scored.ids):
        raise ScoredPairsError.nothing_shared(own_ids(own), own_ids(scored.ids))
    named = np.zeros(len(own), np.bool_)
    named[place[place < len(own)]] = True
    if strange.size and policy.align == "exact":
        unseen = own.take(np.flatnonzero(~named)[:LOOK]).tolist()
        raise ScoredPairsError.from_unknown(strange.size, own_ids(scored.ids, strange), unseen)
    ids = _joined(own, scored.ids.take(strange)) if strange.size else truth.ids
    unnamed = own_ids(own, np.flatnonzero(~named))
    if strange.size and (found := spelled_most(unnamed, own_ids(scored.ids, strange))):
        notes += (("", found.note()),)
    made = _with_clusters(truth, policy, ids, place, strange.size, int((~named).sum()))
    return made._replace(notes=notes)


def _places(own: Column, ids: Column) -> tuple[Ints, Ints]:
    """The number of each object of the pairs, those that truth lacks behind all of truth in the
    order of their ids; and where these stand among the pairs.
    """
    try:
        matched = match_ids(own, ids)
    except AlignmentError:
        raise ScoredPairsError.nothing_shared([own[0]], [ids[0]]) from None
    place = np.empty(len(ids), np.int64)
    if matched.truth is None or matched.guess is None:
        return np.arange(len(ids)), matched.only_guess
    place[matched.guess] = matched.truth
    strange = matched.only_guess[canonical_order(ids.take(matched.only_guess))]
    place[strange] = len(own) + np.arange(strange.size)
    return place, strange


def _with_clusters(
    truth: Partition, policy: Policy, ids: Column | None, place: Ints | None, new: int, silent: int
) -> Aligned:
    """The true cluster of each object: noise is alone or does not count, what truth lacks too."""
    plan = plan_of(policy, "partition")
    found = numbered_clusters("truth", truth, np.arange(len(truth)), plan)
    code = found.code.astype(np.int64)
    if plan.noise is Fate.DROPPED:
        code = np.where(found.noise, -1, code)
    if not (code >= 0).any():
        raise AllNoise.dropped()
    added = np.full(new, -1)
    if plan.lacked is Fate.ALONE:
        added = int(code.max()) + 1 + np.arange(new)
    known = len(truth)
    noise = int(found.noise.sum())
    return Aligned(np.concatenate([code, added]), ids, place, known, new, silent, noise)


def _joined(first: Column, second: Column) -> Column:
    """Two columns of ids, one behind the other."""
    left, right = alike(first, second)
    written = first.written or second.written
    if left.family == "text":
        import pyarrow as pa

        chunks = [chunk for one in (left, right) for chunk in one.arrow().chunks]
        return column(pa.chunked_array(chunks, pa.large_string()), written=written)
    return column(np.concatenate([left.values, right.values]), written=written)


def own_ids(ids: Column, some: Ints | None = None) -> list[object]:
    """The first thousand ids, for a message."""
    return ids.take(np.arange(len(ids))[:LOOK] if some is None else some[:LOOK]).tolist()


def canonical_order(ids: Column) -> Ints:
    """The order of ids by their values, whatever the order they are given in."""
    if ids.family in ("integers", "numbers"):
        return np.argsort(ids.values, kind="stable")
    if ids.family == "text":
        import pyarrow.compute as pc

        return np.asarray(pc.sort_indices(ids.arrow()).to_numpy(), np.int64)
    values = ids.tolist()
    return np.array(
        sorted(range(len(values)), key=lambda i: (type(values[i]).__name__, str(values[i]))),
        np.int64,
    )
