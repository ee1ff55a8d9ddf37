"""Fuzzy clusterings: the chances of each object to be in each cluster."""

from __future__ import annotations

from functools import cached_property
from importlib import import_module
from typing import Any, Literal, Self

import numpy as np

from clusterdiff.array_types import Floats
from clusterdiff.clusterings.base import Clustering
from clusterdiff.clusterings.degrees import (
    Degrees,
    DeviceMasses,
    Masses,
    check_extras,
    checked,
    degrees_of,
    degrees_of_rows,
    summing_to_one,
)
from clusterdiff.clusterings.sets import Sets, singles
from clusterdiff.clusterings.soft import Graded, Soft
from clusterdiff.clusterings.tensors import appended
from clusterdiff.errors import InputError, a_type

# Degrees of membership that fitted models give.


def chances_of(model: Any, data: Any) -> Any:
    """What predict_proba gives; a model that was not fitted is refused."""
    try:
        return model.predict_proba(data)
    except Exception as error:
        if type(error).__name__ != "NotFittedError":
            raise
        raise InputError(
            f"{a_type(model)} that was not fitted gives no degrees of membership.",
            "fit it first: cd.Fuzzy.from_model(model.fit(X), X).",
        ) from None


def membership_vectors(model: Any, data: Any = None) -> Any:
    """hdbscan's vectors of the data that a model was fitted to, or of new data: the chance of each
    cluster, what is missing to one being that of noise.
    """
    hdbscan = import_module("hdbscan")
    fitted: Any = getattr(model, "_raw_data", None)
    if data is None or np.array_equal(np.asarray(data), fitted):
        found = hdbscan.all_points_membership_vectors(model)
    else:
        found = hdbscan.membership_vector(model, np.asarray(data))
    if np.ndim(found) != 2:
        raise InputError(
            f"this {type(model).__name__} found no cluster: all objects are noise.",
            "cd.compare(y, model.labels_, noise=-1) makes each a cluster of its own.",
        )
    return found


Rest = Literal["refuse", "normalise", "empty"]


class Fuzzy(Graded):
    """Each object is in one cluster, with these probabilities: a row per object that sums to 1.

    >>> Fuzzy([[1, 0], [0.5, 0.5]])
    Fuzzy(2 objects, 2 clusters, 1 uncertain)
    >>> Fuzzy({"x": {"a": 1}, "y": {"a": 0.2, "b": 0.8}}).of("x")
    {frozenset({'a'}): 1.0}

    rest="normalise" divides each row by its sum; rest="empty" takes what is missing to one as the
    chance to be in no known cluster, as hdbscan's membership vectors mean it.
    """

    kind = "fuzzy"

    def __init__(
        self,
        degrees: Any,
        ids: Any = None,
        samples: Any = None,
        *,
        labels: Any = None,
        rest: Rest = "refuse",
    ) -> None:
        if isinstance(degrees, Clustering):
            check_extras("fuzzy", ids=ids, samples=samples, labels=labels)
            self._lift(degrees)
            return
        self._fill(degrees_of(degrees, ids, labels)._replace(samples=samples), rest)

    @classmethod
    def from_rows(
        cls, ids: Any, clusters: Any, degrees: Any, samples: Any = None, *, rest: Rest = "refuse"
    ) -> Self:
        """A fuzzy clustering from a table with a row for each object and cluster.

        >>> Fuzzy.from_rows(["x", "y", "y"], ["a", "a", "b"], [1, 0.5, 0.5])
        Fuzzy(2 objects, 2 clusters, 1 uncertain)
        """
        found = degrees_of_rows(ids, clusters, degrees, samples)
        made = object.__new__(cls)
        made._fill(found, rest)
        return made

    @classmethod
    def from_model(cls, model: Any, data: Any = None, ids: Any = None) -> Self:
        """A fuzzy clustering from a fitted model: scikit-learn's predict_proba of the data, or
        hdbscan's membership vectors of the data, left out of those that it was fitted to.
        """
        if hasattr(model, "predict_proba") and data is not None:
            names = getattr(model, "classes_", None)
            return cls(chances_of(model, data), ids, labels=names)
        if hasattr(model, "prediction_data_"):
            return cls(membership_vectors(model, data), ids, rest="empty")
        own = getattr(model, "clustering_", None)
        if isinstance(own, cls) and data is None and ids is None:
            return own
        raise InputError(
            f"{a_type(model)} gives no degrees of membership"
            + (" without data." if hasattr(model, "predict_proba") else "."),
            "cd.Fuzzy.from_model(model, X) with a model that has predict_proba, "
            "or a fitted HDBSCAN(prediction_data=True) of the package hdbscan; a matrix goes to "
            "cd.Fuzzy(matrix).",
        )

    def _fill(self, found: Degrees, rest: Rest) -> None:
        most = np.inf if rest == "normalise" else 1.0
        matrix = summing_to_one(found, checked(found, most), rest, "fuzzy")
        self._fill_degrees(found, matrix)

    @classmethod
    def _filled(cls, like: Soft, degree: Floats) -> Self:
        """A clustering of the objects of another, with a row of degrees for each code."""
        made = object.__new__(cls)
        made._shared(like)
        made.code, made.labels, made.degree = like.code, like.labels, degree
        return made

    def _drop_empty(self) -> None:
        total = self.degree.sum(axis=1, keepdims=True)
        self.degree = self.degree / np.where(total > 0, total, 1.0)

    @cached_property
    def masses(self) -> Masses:
        """The distinct mass functions: on single clusters, and what is missing on none."""
        focal = singles(np.arange(self.clusters))
        if self.tensor is not None:
            return self._device_masses(focal)
        rest = 1.0 - self.degree.sum(axis=1)
        if (rest > 1e-9).any():
            table = np.column_stack([self.degree, np.where(rest > 1e-9, rest, 0.0)])
            start = np.append(focal.start, focal.start[-1])
            return Masses(Sets(start, focal.member), self.clusters, table)
        return Masses(focal, self.clusters, self.degree)

    def _device_masses(self, focal: Sets) -> Masses:
        """The same where the degrees lie on a device."""
        rest = 1.0 - self.tensor.sum(dim=1)
        if not bool((rest > 1e-9).any()):
            return DeviceMasses(focal, self.clusters, self.tensor)
        start = np.append(focal.start, focal.start[-1])
        table = appended(self.tensor, rest * (rest > 1e-9))
        return DeviceMasses(Sets(start, focal.member), self.clusters, table)
