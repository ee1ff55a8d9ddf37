"""A sample of truth against a whole guess: the objects of the sample, and how large their clusters
are in the guess, which stays where it is.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from clusterdiff.clusterings import Partition, column
from clusterdiff.clusterings.grouping import number
from clusterdiff.engines.alignment import Fate, plan_of
from clusterdiff.engines.columns import Columns
from clusterdiff.engines.label_checks import Notes, check_side, read_notes
from clusterdiff.engines.memory import match, numbered_clusters, refuse_nulls, some_ids
from clusterdiff.engines.protocol import NeedsMemory, Table, table_of_query
from clusterdiff.engines.sql_objects import touched_rows
from clusterdiff.errors import AlignmentError, ClusterdiffError, spelled_most, with_article

if TYPE_CHECKING:
    from clusterdiff.array_types import Ints
    from clusterdiff.clusterings import AnyClustering
    from clusterdiff.contingency import Policy
    from clusterdiff.engines.protocol import Session
    from clusterdiff.io.session import Workshop

if TYPE_CHECKING:
    Side = AnyClustering | Table


class Touched(NamedTuple):
    """What a guess says of the objects of a sample."""

    position: Ints
    """Where the objects that the guess has stand in the sample."""
    cluster: Ints
    """The number of the guess cluster of each."""
    size: Ints
    """How many objects that cluster has in the whole guess."""
    objects: int
    """How many objects the whole guess has."""
    noise: int
    """How many objects of the sample the guess calls noise."""
    dropped: Ints
    """Where those of them stand in the sample that are left out."""
    notes: Notes = ()
    """How sample and guess were read where that may not be what was meant."""


def touched(
    shop: Workshop, sample: Partition, guess: Side, policy: Policy, positions: int | None = None
) -> Touched:
    """The clusters of a guess that a sample touches; objects of the sample that it lacks are
    refused where the policy says so. Ids are places in a list of so many `positions`, if given.
    """
    near, size, objects, notes = _near(shop, sample, guess, policy, positions)
    notes = check_side("truth", [sample], policy) + notes
    matched = match(sample, near)
    if matched.only_truth.size and len(near) and not isinstance(guess, Table):
        notes += _misspelt(sample, matched.only_truth, shop.loaded(guess))
    if matched.only_truth.size and (policy.align == "exact" or not len(near)):
        some, alone = some_ids(sample, matched.only_truth), matched.only_truth.size
        if not len(near):
            others = shop.loaded(guess) if not isinstance(guess, Table) else None
            own = [] if others is None else some_ids(others, np.arange(min(len(others), 1000)))
            raise AlignmentError.nothing_shared(some, own)
        raise AlignmentError.from_ids(some, [], (alone, 0, len(sample)))
    every = np.arange(len(sample))
    position = every if matched.truth is None else matched.truth
    there = every if matched.guess is None else matched.guess
    plan = plan_of(policy, "partition")
    cluster, noisy = numbered_clusters("guess", near, there, plan)
    size, noise, dropped = np.where(noisy, 1, size[there]), int(noisy.sum()), position[:0]
    if plan.noise is Fate.DROPPED:
        dropped, kept = position[noisy], ~noisy
        position, cluster, size = position[kept], cluster[kept], size[kept]
    return Touched(position, cluster, size, objects, noise, dropped, notes)


def _misspelt(sample: Partition, lacking: Ints, guess: AnyClustering) -> Notes:
    """A note on ids of the sample that the guess has in another spelling only."""
    known = set(sample.ids.tolist()) if sample.ids is not None else set[Any]()
    others = (id for id in some_ids(guess, np.arange(len(guess))) if id not in known)
    found = spelled_most(some_ids(sample, lacking), others)
    return () if found is None else (("", found.note()),)


def _near(
    shop: Workshop, sample: Partition, guess: Side, policy: Policy, positions: int | None
) -> tuple[Partition, Ints, int, Notes]:
    """The guess on the objects of the sample, with the size of the cluster of each."""
    if isinstance(guess, Table) and positions is None and guess.says == "partition":
        try:
            here = _beside(guess.session, sample)
            found, objects, notes = touched_rows(guess, here, policy)
        except NeedsMemory as unfit:
            guess.session.refuse(unfit)
        else:
            ids, labels = (
                column(found.column(name), written=guess.written or here.written)
                for name in ("id", "cluster")
            )
            size = np.asarray(found.column("size").to_numpy())
            return Partition(labels, ids), size, objects, read_notes({"guess": guess}) + notes
    whole = shop.loaded(guess)
    if not isinstance(whole, Partition):
        raise ClusterdiffError(
            "estimates from a sample are for partitions, and the guess is "
            f"{with_article(whole.kind)} clustering.",
            "give a clustering in which each object is in one cluster.",
        )
    if positions is not None:
        match(Partition(np.zeros(positions, np.int64)), whole)  # refuses ids, or another length
        whole = Partition(whole.labels, np.arange(positions))
    codes, many = number(whole.labels.keys)
    plan = plan_of(policy, "partition")
    refuse_nulls("guess", whole, plan)
    dropped = plan.noise is Fate.DROPPED
    out = int(policy.means_noise(whole.labels).sum()) if dropped else 0
    size = np.bincount(codes, minlength=many)[codes]
    there = match(sample, whole).guess
    near = whole if there is None else whole.take(there)
    notes = read_notes({"guess": whole}) + check_side("guess", [whole], policy)
    return near, size if there is None else size[there], len(whole) - out, notes


def _beside(session: Session, sample: Partition) -> Table:
    """The ids of a sample as a table of a session."""
    ids = sample.ids
    assert ids is not None
    if ids.family not in ("integers", "text"):
        raise NeedsMemory(f"ids of the type {ids.family}")
    if session.remote:
        return session.uploaded(sample)
    listed = ", ".join(map(str if ids.family == "integers" else session.text, ids.tolist()))
    query = f"SELECT unnest([{listed}]) AS id, 0 AS cluster"
    made = table_of_query(session, query, Columns("cluster", "id", None), "partition", "the sample")
    return replace(made, written=ids.written)
