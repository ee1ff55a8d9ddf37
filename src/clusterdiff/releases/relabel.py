"""A new run under the ids of the old one."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from weakref import finalize

import numpy as np

from clusterdiff.clusterings.columns import Column
from clusterdiff.contingency import Policy
from clusterdiff.errors import (
    ClusterdiffError,
    NothingShared,
    examples,
    partitions_only,
)
from clusterdiff.io import EngineSessions, settle_indexes, side
from clusterdiff.io.runs import Runs
from clusterdiff.output.describe import count
from clusterdiff.releases.id_history import (
    KnownNames,
    check_fresh,
    check_min_share,
    fitting_ids,
    renamed,
)
from clusterdiff.releases.joins import MemoryReleases, releases_of
from clusterdiff.releases.relabelled import Relabelled

if TYPE_CHECKING:
    from clusterdiff.io.runs import Side
    from clusterdiff.releases.id_history import Fresh


@dataclass(frozen=True)
class Rules:
    """How ids are handed on."""

    retired: Iterable[Any] = ()
    fresh: Fresh | None = None
    min_share: float | None = None
    revive: bool = False


def relabel(
    old: Any,
    new: Any,
    *,
    retired: Iterable[Any] = (),
    fresh: Fresh | None = None,
    weight: Any = None,
    min_share: float | None = None,
    revive: bool = False,
    history: Any = None,
    noise: Any = None,
    engine: Any = None,
) -> Relabelled:
    """Carry cluster ids over to a new run, so that as many objects as possible keep their id.

    >>> old = {1: "a", 2: "a", 3: "a", 4: "b", 5: "b"}
    >>> done = relabel(old, {1: "x", 2: "x", 3: "y", 4: "z", 5: "z", 6: "z"})
    >>> dict(zip(done.clustering.ids.tolist(), done.clustering.labels.tolist()))
    {1: 'a', 2: 'a', 3: 'y', 4: 'b', 5: 'b', 6: 'b'}
    >>> done.kept, done.shared, done.share
    (4, 5, 0.8)

    Each id is given to one cluster at most, and no other renaming keeps more objects under their
    id. Ties go to the larger Jaccard index, then to the smaller id and the cluster with the
    smallest object; labels of the new run and the order of rows do not matter. Clusters without an
    old id get a fresh one: whole numbers go on behind the largest id ever seen, text keeps the
    label of the new run if it is free, and `fresh` is a function from that label to an id.
    Ids in `retired` are never used again; `done.retired` has those to give next time.

    `weight` says how much each object counts (a dict, a table, or a list in the order of the new
    run). `min_share=0.5` keeps an id only where more than half of its objects stay together.
    `history` are earlier runs under their ids, the oldest first: an object that the old run lacks
    has its last known id, and `revive=True` gives a cluster without an id a retired one that its
    objects once had. Objects labelled `noise` are in no cluster, and stay noise.
    """
    check_min_share(min_share)
    check_fresh(fresh)
    before = _listed(history)
    rules = Rules(retired, fresh, min_share, revive)
    with EngineSessions(engine) as sessions, partitions_only():
        sides = {f"history {k}": side(sessions, one, None) for k, one in enumerate(before, 1)}
        sides |= {"old": side(sessions, old, None), "new": side(sessions, new, None)}
        settle_indexes(sides.values())
        heavy = None if weight is None else side(sessions, weight, None)
        return relabel_sides(sessions, sides, rules, Policy("shared", noise, "drop"), heavy)


def relabel_sides(
    sessions: EngineSessions,
    sides: dict[str, Side],
    rules: Rules,
    policy: Policy,
    weight: Side | None = None,
) -> Relabelled:
    """The same for runs that are opened: the last is the new one, the one before it the old one.
    Where they are too large for memory they stay open as long as the result is there.
    """
    share = check_min_share(rules.min_share)
    if rules.revive and len(sides) < 3:
        raise ClusterdiffError(
            "revive gives back ids that objects once had, and nothing says which they had before.",
            "give earlier runs under their ids: history=[run1, run2].",
            "give earlier runs under their ids: --history run1.csv.",
        )
    releases = releases_of(Runs(sessions, sides), policy, weight)
    new, names = len(sides) - 1, KnownNames()
    for release in range(new):
        ids = names.numbers(releases.labels(release))
        releases.name(release, ids)
    retired = _retired(rules.retired, names, ids)
    found = renamed(
        releases, new, names, retired=retired,
        besides=[] if policy.noise_labels is None else policy.noise_labels,
        fresh=rules.fresh, min_share=share, revive=rules.revive,
    )  # fmt: skip
    if not found.shared and found.old.size and found.taken.size:
        raise NothingShared(
            "old and new have no object in common, so there is no id to keep.",
            "look at an id of each; a prefix, a type or the wrong column may differ.",
        )
    done = Relabelled(found, names.values, releases, retired, releases.noise[-1])
    if not isinstance(releases, MemoryReleases):
        finalize(done, sessions.kept_open().close)
    return done


def _listed(history: Any) -> list[Any]:
    """Earlier runs: one, or several in a list or a dict."""
    if history is None:
        return []
    if isinstance(history, Mapping) and any(map(_is_run, history.values())):
        return list(history.values())
    if isinstance(history, list | tuple) and history and all(map(_is_run, history)):
        return list(history)
    return [history]


def _is_run(value: Any) -> bool:
    """Whether this is a run of its own, not a label."""
    if isinstance(value, str):
        return os.path.exists(value.rpartition("::")[0] or value)
    several = hasattr(value, "__len__") and not isinstance(value, bytes | tuple | frozenset)
    return several or isinstance(value, os.PathLike)


def _retired(given: Iterable[Any], names: KnownNames, old: Any) -> list[Any]:
    """Ids that must not be used again; none that the old run still has."""
    listed = given.tolist() if isinstance(given, Column | np.ndarray) else list(given)
    fitting = list(dict.fromkeys(fitting_ids(listed, names.values)))
    if fitting and (alive := set(names.values.take(old).tolist()) & set(fitting)):
        are = "is" if len(alive) == 1 else "are"
        raise ClusterdiffError(
            f"{count(len(alive), 'id')} of the old run {are} retired "
            f"({examples(sorted(alive, key=str))}), and retired ids are never used again.",
            "leave ids that are in use out of retired.",
            "leave ids that are in use out of --retired.",
        )
    return fitting
