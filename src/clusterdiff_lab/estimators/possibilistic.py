"""Possibilistic c-means: how typical each object is of each cluster, whatever the others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_array

from clusterdiff.array_types import Floats
from clusterdiff.clusterings.possibilistic import Possibilistic
from clusterdiff.errors import warn
from clusterdiff_lab.estimators.base import (
    CentreClusterer,
    FitRun,
    between,
    descend,
    either,
    is_array,
    parameter,
    words,
)
from clusterdiff_lab.estimators.fuzzy import drawn, fuzzy_run, memberships
from clusterdiff_lab.estimators.kernels import NOWHERE, in_chunks, judge_typical
from clusterdiff_lab.estimators.rows import SortedRows

SAME = 0.25
"""Centres are as good as one if they are nearer to each other than this share of √η of both."""


@dataclass(eq=False, repr=False, kw_only=True)
class PossibilisticCMeans(CentreClusterer):
    """Possibilistic c-means (Krishnapuram and Keller 1993): far objects belong nowhere.

    Least Σ_ij t_ij^m d_ij² + Σ_j η_j Σ_i (1 - t_ij)^m, by turns of

        t_ij = 1 / (1 + (d_ij² / η_j)^(1/(m-1))),    v_j = Σ_i t_ij^m x_i / Σ_i t_ij^m

    from the best run of fuzzy c-means. η_j is the squared distance at which an object is half
    possible in a cluster: eta gives it, or it is eta_scale times the mean of d_ij² weighted by
    u_ij^m of fuzzy c-means. With eta_cut a second pass follows, in which η_j is the mean of d_ij²
    over the objects with t_ij >= eta_cut. `n_iter_` and `objectives_` are of the last pass.

    >>> data = [[0.0], [1.0], [2.0], [20.0], [21.0], [22.0], [27.0]]
    >>> model = PossibilisticCMeans(2, init=[[1.0], [21.0]]).fit(data)
    >>> model.possibilities_.max(axis=1).round(2)
    array([0.47, 1.  , 0.47, 0.86, 1.  , 0.89, 0.17])
    """

    m: float = parameter(2.0, between(1))
    eta: Any = parameter("fuzzy", either(words("fuzzy"), "an array", is_array))
    eta_scale: float = parameter(1.0, between(0))
    eta_cut: float | None = parameter(
        None, either(between(0, 1), "None", lambda value: value is None)
    )

    def _prepare(self) -> None:
        if isinstance(self.eta, str):
            return
        given = check_array(self.eta, dtype=np.float64, ensure_2d=False, input_name="eta")
        if given.shape != (self.n_clusters,) or (given <= 0).any():
            raise ValueError(
                f"eta should be {self.n_clusters} positive numbers, one for each cluster; got an "
                f"array of shape {given.shape} with the least value {given.min():g}."
            )

    def _run(self, rows: SortedRows, start: Floats) -> FitRun:
        return fuzzy_run(rows, start, self.m, self.max_iter, self._tolerance(rows))

    def _refined(self, rows: SortedRows, run: FitRun) -> FitRun:
        if isinstance(self.eta, str):
            eta = self.eta_scale * fuzzy_widths(rows, run.centres, self.m)
        else:
            eta = np.asarray(self.eta, np.float64) / rows.units.unit / rows.units.unit
        runs = [run, self._pass(rows, run.centres, eta)]
        if self.eta_cut is not None:
            eta = cut_widths(rows, runs[-1].centres, eta, self.m, self.eta_cut)
            runs.append(self._pass(rows, runs[-1].centres, eta))
        best = runs[-1]._replace(converged=all(one.converged for one in runs))
        self._eta = eta
        with np.errstate(over="ignore"):
            self.eta_ = eta * rows.units.unit * rows.units.unit
        if rows.distinct >= self.n_clusters:
            _warn_of_same(best.centres, eta)
        return best

    def _pass(self, rows: SortedRows, start: Floats, eta: Floats) -> FitRun:
        """Iterate with these η."""

        def step(centres: Floats) -> tuple[float, Floats]:
            return typical_step(rows, centres, eta, self.m)

        return descend(step, start, self.max_iter, self._tolerance(rows))

    def _degrees(self, rows: SortedRows) -> Floats:
        degrees = np.empty((rows.number, len(self._eta)))
        typical_step(rows, self._centres(rows), self._eta, self.m, degrees)
        return degrees

    def _clustering(self, degrees: Floats) -> Possibilistic:
        return Possibilistic(degrees)

    def _keep(self, degrees: Floats) -> None:
        self.possibilities_ = degrees


def _warn_of_same(centres: Floats, eta: Floats) -> None:
    apart = ((centres[:, None, :] - centres[None, :, :]) ** 2).sum(axis=2)
    same = apart <= SAME**2 * np.minimum(eta, eta[:, None])
    if many := int((same.sum(axis=1) > 1).sum()):
        warn(
            f"{many:,} of {len(centres):,} clusters coincide; possibilistic clusters do not repel "
            "each other. A smaller eta_scale keeps them apart.",
            ConvergenceWarning,
        )


def typical_step(
    rows: SortedRows, centres: Floats, eta: Floats, m: float, degrees: Floats = NOWHERE
) -> tuple[float, Floats]:
    """The objective of centres and those that follow; `found` gets what is possible, if wanted."""
    columns, (many, features), exponent = rows.columns, centres.shape, 1.0 / (m - 1.0)

    def work(begin: int, end: int, room: Floats) -> None:
        judge_typical(columns, centres, eta, exponent, rows.order, begin, end, room, degrees)

    room = in_chunks(rows.number, 1 + many * (1 + features), work)
    pull = room[1 + many :].reshape(many, features)
    return float(room[0]), drawn(centres, room[1 : 1 + many], pull)


def fuzzy_widths(rows: SortedRows, centres: Floats, m: float) -> Floats:
    """Σ_i u_ij^m d_ij² / Σ_i u_ij^m of fuzzy c-means, for each cluster j.

    Memberships are taken relative to the largest, so that not all powers vanish; of a cluster
    without any member it is the least d_ij², as it would be with a trace of the nearest object.
    """
    share = memberships(rows, centres, m)[rows.order].T
    apart = rows.squared_distances(centres)
    most = share.max(axis=1)
    weight = (share / np.where(most > 0, most, 1.0)[:, None]) ** m
    sums = weight.sum(axis=1)
    widths = (weight * apart).sum(axis=1) / np.where(sums > 0, sums, 1.0)
    return np.asarray(np.where(sums > 0, widths, apart.min(axis=1)))


def cut_widths(rows: SortedRows, centres: Floats, eta: Floats, m: float, cut: float) -> Floats:
    """The mean of d_ij² over the objects with t_ij >= cut, for each cluster j; η_j without any."""
    possible = np.empty((rows.number, len(centres)))
    typical_step(rows, centres, eta, m, possible)
    inside = (possible >= cut)[rows.order].T
    size = inside.sum(axis=1)
    sums = np.where(inside, rows.squared_distances(centres), 0.0).sum(axis=1)
    return np.asarray(np.where(size > 0, sums / np.maximum(size, 1), eta))
