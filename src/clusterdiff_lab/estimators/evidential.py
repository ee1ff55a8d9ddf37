"""Evidential c-means: each object shares its mass out among sets of clusters."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain, combinations
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from clusterdiff.array_types import Floats, Ints
from clusterdiff.clusterings.evidential import Evidential
from clusterdiff.clusterings.sets import Sets
from clusterdiff.errors import ClusterdiffError
from clusterdiff_lab.estimators.base import (
    BOOLEAN,
    CentreClusterer,
    FitRun,
    between,
    descend,
    either,
    is_array,
    number,
    parameter,
    words,
)
from clusterdiff_lab.estimators.fuzzy import ShareSums, Sharing
from clusterdiff_lab.estimators.rows import SortedRows, device_of, namespace_of

MOST = 12
"""Clusters of which every subset may hold mass: 4,095 sets."""

Focal = tuple[tuple[int, ...], ...]


def focal_sets(focal: Any, clusters: int) -> Focal:
    """Non-empty sets of cluster numbers, small ones first.

    >>> focal_sets("pairs", 3)
    ((0,), (1,), (2,), (0, 1), (0, 2), (1, 2), (0, 1, 2))
    """
    everything = range(clusters)
    if not isinstance(focal, str):
        sets = {_checked(one, clusters) for one in focal} - {()}
    elif focal == "all":
        if clusters > MOST:
            raise ClusterdiffError(
                f"{clusters} clusters have 2^{clusters} - 1 sets that could hold mass; "
                f'focal="all" is for at most {MOST} clusters.',
                'focal="pairs" takes single clusters, pairs, and the set of all.',
            )
        sets = set(chain.from_iterable(combinations(everything, k + 1) for k in everything))
    else:
        sets = {(cluster,) for cluster in everything}
        if focal == "pairs":
            sets |= {*combinations(everything, 2), tuple(everything)}
    if not sets:
        raise ClusterdiffError(
            "focal names no set of clusters.", "give some, e.g. focal=[(0,), (1,), (0, 1)]."
        )
    return tuple(sorted(sets, key=lambda one: (len(one), one)))


def _checked(one: Any, clusters: int) -> tuple[int, ...]:
    if not isinstance(one, Iterable) or isinstance(one, str):
        raise ClusterdiffError(
            f"a focal set is a collection of cluster numbers, but {one!r} is none.",
            "write a tuple for each, e.g. focal=[(0,), (1,), (0, 1)].",
        )
    members = list(one)
    if not all(isinstance(c, Integral) and 0 <= int(c) < clusters for c in members):
        raise ClusterdiffError(
            f"the focal set {tuple(members)!r} is not of the clusters 0 to {clusters - 1}.",
            "raise n_clusters, or leave it out.",
        )
    return tuple(sorted({int(c) for c in members}))


def as_sets(focal: Sequence[tuple[int, ...]]) -> Sets:
    """Tuples of cluster numbers as sets that are stored one after the other."""
    start = np.concatenate([[0], np.cumsum([len(one) for one in focal])])
    return Sets(start, np.array(list(chain.from_iterable(focal)), np.int64))


@dataclass(eq=False, repr=False, kw_only=True)
class EvidentialCMeans(CentreClusterer):
    """Evidential c-means (Masson and Denœux 2008): objects between clusters say between which.

    Each set A of clusters that may hold mass has the mean v_A of their centres for a prototype.
    Least Σ_iA |A|^α m_iA^β d_iA² + Σ_i δ² m_i∅^β with Σ_A m_iA + m_i∅ = 1, by turns of

        m_iA ∝ (|A|^α d_iA²)^(-1/(β-1)),    m_i∅ ∝ (δ²)^(-1/(β-1))

    and of centres that solve H V = B, where H_lk = Σ_i Σ_{A∋l,k} |A|^(α-2) m_iA^β and
    B_l = Σ_i x_i Σ_{A∋l} |A|^(α-1) m_iA^β. α keeps mass from large sets; δ is the distance
    beyond which an object is an outlier, with its mass on the empty set (noise=False: none is).

    focal is "all" sets, "pairs" (single clusters, pairs and the set of all), "singletons", or the
    sets themselves as tuples of cluster numbers. With single clusters and no noise it is fuzzy
    c-means. `masses_` has a column for each of the sets `focal_`; `outliers_` are the objects
    whose largest mass is on the empty set.

    >>> data = [[0.0], [1.0], [5.0], [9.0], [10.0], [20.0]]
    >>> model = EvidentialCMeans(2, delta=4, init=[[0.0], [10.0]]).fit(data)
    >>> [model.focal_[a] for a in model.masses_.argmax(axis=1)]
    [(0,), (0,), (0, 1), (1,), (1,), ()]
    >>> model.get_feature_names_out().tolist()
    ['{}', '{0}', '{1}', '{0,1}']
    """

    alpha: float = parameter(1.0, number(0))
    beta: float = parameter(2.0, between(1))
    delta: float = parameter(10.0, between(0))
    focal: Any = parameter(
        "all", either(words("all", "pairs", "singletons"), "a list of sets", is_array)
    )
    noise: bool = parameter(True, BOOLEAN)
    _takes_arrays: ClassVar[bool] = True

    def _prepare(self) -> None:
        sets = focal_sets(self.focal, self.n_clusters)
        self.focal_ = ((), *sets) if self.noise else sets

    def _sharing(self, rows: SortedRows) -> Sharing:
        sets = [one for one in self.focal_ if one]
        apart = self.delta / rows.units.unit
        noise = apart * apart if len(sets) < len(self.focal_) else None
        return Sharing(as_sets(sets), self.beta, self.alpha, noise)

    def _run(self, rows: SortedRows, start: Floats) -> FitRun:
        sharing = self._sharing(rows)
        balance = Balance(sharing, len(start))

        def step(centres: Floats) -> tuple[float, Floats]:
            sums = sharing.sums(rows, centres)
            return sums.objective, balance.following(centres, sums)

        return descend(step, start, self.max_iter, self._tolerance(rows))

    def _degrees(self, rows: SortedRows) -> Floats:
        return self._sharing(rows).shares(rows, self._centres(rows))

    def _clustering(self, degrees: Floats) -> Evidential:
        return Evidential(degrees, self.focal_, labels=np.arange(self.cluster_centers_.shape[0]))

    def _labels(self, rows: SortedRows, degrees: Floats) -> Ints:
        """By the pignistic probability: the mass of each set shared evenly among its clusters."""
        sets = as_sets(self.focal_)
        even = np.zeros((self.cluster_centers_.shape[0], sets.number))
        even[sets.member, sets.owner] = (1.0 / np.maximum(sets.size, 1))[sets.owner]
        xp, shared = rows.xp, [rows.here(row)[None, :] for row in even]
        chances = xp.stack([xp.sum(degrees * row, axis=1) for row in shared], axis=1)
        return rows.likeliest(chances, self._centres(rows))  # type: ignore[no-any-return]

    def _keep(self, degrees: Floats) -> None:
        self.masses_ = degrees
        empty = np.array([not one for one in self.focal_])
        xp = namespace_of(degrees)
        there = xp.asarray(empty, device=device_of(degrees))
        self.outliers_ = xp.take(there, xp.argmax(degrees, axis=1))

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """The focal sets as names of the columns of `transform`."""
        check_is_fitted(self, "cluster_centers_")
        return np.array(["{" + ",".join(map(str, one)) + "}" for one in self.focal_], object)


class Balance:
    """The equations H V = B for the centres, whose prototypes are means of several.

    They are solved for the way of the centres from where they are, which is exact for small ways.
    Where they leave it open, as for a cluster in no focal set, centres move as little as possible.
    """

    def __init__(self, sharing: Sharing, clusters: int) -> None:
        self.sharing, self.clusters = sharing, clusters
        sets = sharing.sets
        size = sets.size.astype(np.float64)
        self.alone, self.both = size ** (sharing.alpha - 1.0), size ** (sharing.alpha - 2.0)
        self.owner = sets.owner
        fellows = sets.take(self.owner)
        self.pair_owner = self.owner[fellows.owner]
        self.pair = sets.member[fellows.owner] * clusters + fellows.member

    def following(self, centres: Floats, sums: ShareSums) -> Floats:
        """The centres that solve the equations."""
        many, member = self.clusters, self.sharing.sets.member
        joint = np.bincount(self.pair, (self.both * sums.weight)[self.pair_owner], many**2)
        joint = joint.reshape(many, many)
        lag = centres[member] - self.sharing.prototypes(centres)[self.owner]
        lag *= (self.alone * sums.weight)[self.owner, None]
        pull = sums.pull + np.array([np.bincount(member, column, many) for column in lag.T]).T
        scale = np.sqrt(joint.diagonal())
        scale = np.divide(1.0, scale, out=np.zeros(many), where=scale > 0)
        way = np.linalg.lstsq(joint * scale * scale[:, None], pull * scale[:, None])[0]
        return np.asarray(centres + way * scale[:, None])
