"""The split-merge framework: truth clusters split, guess clusters merge, and both cost."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from clusterdiff.array_types import Floats, Ints
from clusterdiff.contingency import HardMeet
from clusterdiff.contingency.exact_sums import exact_group_sums
from clusterdiff.errors import ClusterdiffError, KindError
from clusterdiff.measures.base import measure
from clusterdiff.measures.zero_division import share

Parts = Callable[[NDArray[np.int64]], float]


@measure(cite="xiang2012")
def split_merge(
    m: HardMeet,
    *,
    similarity: Literal["entropy", "mse"] | Parts = "entropy",
    combine: Literal["product", "mean"] = "product",
) -> Floats:
    """Split-merge similarity: mean over objects of how intact their two clusters are.

    Definition:  S* = Σ_TG |T∩G|/n · s(G|T) · s(T|G), or S' = Σ_TG |T∩G|/n · (s(G|T) + s(T|G))/2
                 with combine='mean'

    s says how whole a cluster stays when the other clustering cuts it into parts: by entropy
    (S_H, with s = 1 - H(parts)/log size), by the mean squared error of features within the
    parts, or by any function of the sorted sizes of the parts. A cluster of one object cannot
    be split and counts as whole.

    Also known as: split-merge framework.
    """
    split = whole(m, m.truth, m.truth_size, similarity)
    merge = whole(m, m.guess, m.guess_size, similarity)
    return split * merge if combine == "product" else (split + merge) / 2


def whole(m: HardMeet, cluster: Ints, size: Ints, similarity: str | Parts) -> Floats:
    """For each row, how whole its cluster is, from 0 (all parts single) to 1 (not split)."""
    if similarity == "entropy":
        parts, most = _log_size(m.both), _log_size(size)
        kept = exact_group_sums(cluster, parts, int(cluster.max()) + 1, float(most.max()))
        return share(kept[cluster], most)
    if similarity == "mse":
        return _error_within(m, cluster)
    assert callable(similarity)
    return _by_parts(m.both, cluster, similarity)


def _log_size(size: Ints) -> Floats:
    """size · log size of each row; for many rows of few sizes, looked up."""
    largest = int(size.max(initial=0))
    if largest >= size.size:
        return np.asarray(size * np.log(size), np.float64)
    all_sizes = np.arange(1, largest + 1)
    table = np.concatenate([[0.0], all_sizes * np.log(all_sizes)])
    return np.asarray(table[size])


@split_merge.hook("on_device")
def split_merge_on_device(m: Any, similarity: Any, combine: str) -> float | None:
    """The score by entropy of rows that lie on a device, and stay there."""
    if similarity != "entropy":
        return None
    from clusterdiff.engines.torch import enough_memory, mean_of_rows, whole_by_entropy

    rows = m.cells.conflict
    with enough_memory(len(m.cells), rows.both.device):
        split = whole_by_entropy(rows.both, rows.truth, rows.truth_size, _log_size)
        merge = whole_by_entropy(rows.both, rows.guess, rows.guess_size, _log_size)
        return mean_of_rows(m, split * merge if combine == "product" else (split + merge) / 2, 1)


def _error_within(m: HardMeet, cluster: Ints) -> Floats:
    """Squared error around the means of the parts, over that around the mean of the cluster."""
    if m.features is None:
        raise KindError(
            "split_merge(similarity='mse') needs the features of the objects.",
            "cd.split_merge(truth, guess, similarity='mse', features=X) "
            "with one row of X per object.",
        )
    count = int(cluster.max()) + 1
    objects = np.bincount(cluster, m.both, count)[:, None]
    sums = [np.bincount(cluster, m.both * f, count) for f in m.features.mean.T]
    centre = share(np.stack(sums, axis=1), objects)
    between = m.both * ((m.features.mean - centre[cluster]) ** 2).sum(axis=1)
    within = np.bincount(cluster, m.features.error, count)
    total = within + np.bincount(cluster, between, count)
    rounding = (4 * np.finfo(np.float64).eps * np.abs(m.features.mean).max(initial=0.0)) ** 2
    seen = total > rounding * objects[:, 0]
    return np.where(m.agree, 1.0, share(within * seen, total * seen)[cluster])


def _by_parts(both: Ints, cluster: Ints, similarity: Parts) -> Floats:
    """A user's function of the sizes of the parts, asked once for each distinct list of sizes."""
    order = np.lexsort((both, cluster))
    ends = np.flatnonzero(np.diff(cluster[order], append=-1)) + 1
    known: dict[bytes, float] = {}
    values = np.empty(both.size)
    begin = 0
    for end in ends.tolist():
        parts = both[order[begin:end]]
        key = parts.tobytes()
        if key not in known:
            known[key] = float(similarity(parts))
            if not np.isfinite(known[key]):
                raise ClusterdiffError(
                    f"the similarity of a cluster in parts of {parts.tolist()} is {known[key]}.",
                    "return a number from 0 (all parts single) to 1 (not split).",
                )
        values[order[begin:end]] = known[key]
        begin = end
    return values
