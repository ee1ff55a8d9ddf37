"""What the estimators share: the manner of scikit-learn, starts, runs, and the best of them."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import KW_ONLY, dataclass, field, fields
from functools import cached_property, reduce
from numbers import Integral, Real
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from sklearn.base import (
    BaseEstimator,
    ClassNamePrefixFeaturesOutMixin,
    ClusterMixin,
    TransformerMixin,
)
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_array, check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from clusterdiff.array_types import Floats, Ints
from clusterdiff.clusterings.arrays import as_numpy
from clusterdiff.clusterings.soft import Soft
from clusterdiff.errors import warn
from clusterdiff_lab.estimators.rows import SortedRows, namespace_of, to_host

# Which values the parameters of an estimator take.


class Allowed(NamedTuple):
    """The values of a parameter."""

    description: str
    fits: Callable[[Any], bool]


def parameter(default: Any, allowed: Allowed) -> Any:
    """A parameter of an estimator, which is a dataclass: its default, and the values it takes."""
    return field(default=default, metadata={"allowed": allowed})


def check_parameters(estimator: Any) -> None:
    """Refuse a value that its parameter does not take."""
    for one in fields(estimator):
        description, fits = one.metadata["allowed"]
        value = getattr(estimator, one.name)
        if not fits(value):
            raise ValueError(
                f"{type(estimator).__name__}: {one.name} is {description}, not {value!r}."
            )


def whole(low: int) -> Allowed:
    """A whole number from `low` on."""
    return Allowed(
        f"a whole number from {low} on",
        lambda value: isinstance(value, Integral) and int(value) >= low,
    )


def number(low: float, high: float = math.inf) -> Allowed:
    """A finite number from `low` to `high`."""
    description = f"a number from {low} {'on' if high == math.inf else f'to {high}'}"
    return Allowed(description, lambda value: _is_finite(value) and low <= value <= high)


def between(low: float, high: float = math.inf) -> Allowed:
    """A finite number above `low` and below `high`."""
    description = f"a number above {low}{'' if high == math.inf else f' and below {high}'}"
    return Allowed(description, lambda value: _is_finite(value) and low < value < high)


def words(*choices: str) -> Allowed:
    """One of some words."""
    return Allowed(
        " or ".join(map(repr, choices)), lambda value: isinstance(value, str) and value in choices
    )


def either(one: Allowed, description: str, fits: Callable[[Any], bool]) -> Allowed:
    """What one allows, or something else."""
    return Allowed(
        f"{one.description} or {description}", lambda value: one.fits(value) or fits(value)
    )


def is_array(value: Any) -> bool:
    """Whether something is an array, or a list that can be made one."""
    if isinstance(value, str | bytes | dict):
        return False
    return hasattr(value, "__len__") or (hasattr(value, "__array__") and np.ndim(value) > 0)


def _is_seed(value: Any) -> bool:
    try:
        check_random_state(value)
    except ValueError:
        return False
    return True


BOOLEAN = Allowed("True or False", lambda value: isinstance(value, bool | np.bool_))
SEED = Allowed("a whole number, a RandomState or None", _is_seed)


def _is_finite(value: Any) -> bool:
    return isinstance(value, Real) and math.isfinite(value)


# Iterations from a start: until the centres hold still, go round in a circle, or take too long.

Step = Callable[[Floats], tuple[float, Floats]]
"""From centres to their objective and to the centres that follow."""

ROUNDING = 1e-12
"""Objectives that differ by less than this share of them are equal: sums are rounded."""


class FitRun(NamedTuple):
    """Where a run ended, and how it came there."""

    centres: Floats
    objective: float
    objectives: list[float]
    """After each iteration."""
    converged: bool
    cycle: int = 0
    """How many states the run goes round in, 0 if it does not."""


def descend(step: Step, start: Floats, max_iter: int, tolerance: float) -> FitRun:
    """Iterate a step that lowers its objective until the centres move by no more than tolerance."""
    objectives: list[float] = []
    _, following = step(start)
    centres, converged = start, False
    while len(objectives) < max_iter and not converged:
        converged = moved(centres, following) <= tolerance
        centres = following
        objective, following = step(centres)
        if objectives and objective <= objectives[-1] * (1 + ROUNDING):
            objective = min(objective, objectives[-1])
        objectives.append(objective)
    return FitRun(centres, objectives[-1], objectives, converged)


def settle(step: Step, start: Floats, max_iter: int, tolerance: float) -> FitRun:
    """Iterate a step that may go round in a circle; of the states of one, the best is kept."""
    path, values = [start], []
    seen = {start.tobytes(): 0}
    objective, following = step(start)
    values.append(objective)
    for iteration in range(1, max_iter + 1):
        converged = moved(path[-1], following) <= tolerance
        before = None if converged else seen.get(following.tobytes())
        if before is not None:
            best = before + int(np.argmin(values[before:]))
            objectives = [*values[1:], values[before]]
            return FitRun(path[best], values[best], objectives, False, iteration - before)
        seen[following.tobytes()] = iteration
        path.append(following)
        objective, following = step(following)
        values.append(objective)
        if converged:
            break
    return FitRun(path[-1], values[-1], values[1:], converged)


def better(one: FitRun, other: FitRun) -> FitRun:
    """The run with the lesser objective; the first, if they are equal but for rounding."""
    return other if other.objective < one.objective * (1 - ROUNDING) else one


def moved(before: Floats, after: Floats) -> float:
    """The squared length of the way of all centres together."""
    return float(((after - before) ** 2).sum())


STARTS = 10
"""Runs if nothing is said."""
ITERATIONS = 1000
"""The most iterations of a run if nothing is said: nearly all need a tenth."""
TOLERANCE = 1e-18
"""The way of the centres is a billionth of the spread of the features: runs from different starts
that come to the same place agree to six digits, also where an iteration takes but 5 % off the rest
of the way."""


@dataclass(eq=False, repr=False)
class CentreClusterer(
    ClassNamePrefixFeaturesOutMixin,  # type: ignore[misc]
    TransformerMixin,  # type: ignore[misc]
    ClusterMixin,  # type: ignore[misc]
    BaseEstimator,  # type: ignore[misc]
):
    """Clusters have centres; objects and centres are fitted to each other in turn.

    Parameters that all estimators share mean what they mean in scikit-learn's KMeans; only `tol` is
    far smaller and `max_iter` larger if nothing is said, since soft clusters settle slowly:

    * `n_clusters`: how many clusters there are;
    * `init`: "k-means++" (objects far from each other, then the means of those nearest to each), or
      the centres to start with, for one run;
    * `n_init`: how many runs; the one with the least objective is kept, of equal ones the first;
    * `max_iter`, `tol`: a run ends when the squared way of all centres is at most tol times the
      mean variance of the features, or after max_iter iterations, with a ConvergenceWarning;
    * `random_state`: for the starts. Objects are sorted before anything is drawn or summed: their
      order changes nothing, to the last bit.

    A fit has

    * `clustering_`: what was found, as clusterdiff compares it;
    * `cluster_centers_`, and `labels_`, the likeliest cluster of each object;
    * `objective_` of the best run, `objectives_` after each of its iterations, and how many these
      were, `n_iter_`.
    """

    n_clusters: int = parameter(3, whole(1))
    _: KW_ONLY
    init: Any = parameter("k-means++", either(words("k-means++"), "an array of centres", is_array))
    n_init: int = parameter(STARTS, whole(1))
    max_iter: int = parameter(ITERATIONS, whole(1))
    tol: float = parameter(TOLERANCE, number(0))
    random_state: Any = parameter(None, SEED)

    _takes_arrays: ClassVar[bool] = False
    """Whether arrays of other libraries are worked on where they lie, under scikit-learn's
    dispatch, and not read as NumPy's.
    """

    @abstractmethod
    def _run(self, rows: SortedRows, start: Floats) -> FitRun:
        """Iterate from a start."""

    @abstractmethod
    def _degrees(self, rows: SortedRows) -> Floats:
        """What the fitted centres say of objects, a row for each."""

    @abstractmethod
    def _clustering(self, degrees: Floats) -> Soft:
        """The clustering that such rows stand for."""

    @abstractmethod
    def _keep(self, degrees: Floats) -> None:
        """Keep the degrees of the objects of the fit under their name."""

    def _prepare(self) -> None:
        """Refuse parameters that do not go together; set what follows from them alone."""

    def _fitted_degrees(self, rows: SortedRows) -> Floats:
        """The clustering of the training objects."""
        return self._degrees(rows)

    def _refined(self, rows: SortedRows, run: FitRun) -> FitRun:
        """What becomes of the best run."""
        return run

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.array_api_support = self._takes_arrays
        return tags

    def fit(self, X: Any, y: Any = None) -> Self:  # noqa: N803
        """Find the clusters of the rows of X; y is not used."""
        check_parameters(self)
        X = self._checked(X)  # noqa: N806
        if X.shape[0] < self.n_clusters:
            raise ValueError(f"n_samples={X.shape[0]} should be >= n_clusters={self.n_clusters}.")
        given = self._given_start(X)
        self._prepare()
        rows = SortedRows.in_order(X, given)
        runs = (self._run(rows, start) for start in self._starts(rows, given))
        best = self._refined(rows, reduce(better, runs))
        self._warn(rows, best)
        unit = rows.units.unit
        self._units = rows.units
        self.cluster_centers_ = rows.here(rows.units.outward(best.centres))
        with np.errstate(over="ignore"):
            self.objectives_ = rows.here(np.array(best.objectives) * unit * unit)
        self.objective_ = best.objective * unit * unit
        self.n_iter_ = len(best.objectives)
        degrees = self._fitted_degrees(rows)
        self._keep(degrees)
        self._n_features_out = degrees.shape[1]
        self.labels_ = self._labels(rows, degrees)
        self._found = degrees
        self.__dict__.pop("clustering_", None)
        return self

    @cached_property
    def clustering_(self) -> Soft:
        """The clustering found, made when it is first asked for."""
        check_is_fitted(self, "cluster_centers_")
        return self._clustering(self._found)

    def _checked(self, X: Any, **given: Any) -> Any:  # noqa: N803
        """The data as doubles: an array of NumPy, or of the library that scikit-learn's dispatch
        lets them be of.
        """
        xp = namespace_of(X)
        if xp is not np and self._takes_arrays:
            return validate_data(self, X, dtype=xp.float64, **given)
        X = as_numpy(X) if xp is np else to_host(X)  # noqa: N806
        return validate_data(self, X, dtype=np.float64, order="C", **given)

    def _given_start(self, X: Floats) -> Floats:  # noqa: N803
        """The centres that `init` gives, none if it names a method."""
        if isinstance(self.init, str):
            return np.zeros((0, X.shape[1]))
        given = check_array(to_host(self.init), dtype=np.float64, input_name="init")
        for given_number, wanted, what in (
            (len(given), self.n_clusters, "clusters"),
            (given.shape[1], X.shape[1], "features of the data"),
        ):
            if given_number != wanted:
                raise ValueError(
                    f"The shape of the initial centers {given.shape} does not match the number of "
                    f"{what} {wanted}."
                )
        if self.n_init not in (1, STARTS):
            warn(
                f"init gives the centres to start with: {type(self).__name__} runs once instead of "
                f"n_init={self.n_init} times.",
                RuntimeWarning,
            )
        return np.asarray(given)

    def _starts(self, rows: SortedRows, given: Floats) -> Iterator[Floats]:
        """The centres that each run starts with."""
        if len(given):
            yield rows.units.inward(given)
            return
        random = check_random_state(self.random_state)
        for _ in range(self.n_init):
            yield rows.start(self.n_clusters, random)

    def _tolerance(self, rows: SortedRows) -> float:
        return float(self.tol * rows.variance) if self.tol else 0.0

    def _warn(self, rows: SortedRows, run: FitRun) -> None:
        """Say what a reader of the result should know."""
        if rows.distinct < self.n_clusters:
            warn(
                f"there are {rows.distinct:,} distinct rows for n_clusters={self.n_clusters:,}: "
                "some clusters are alike or empty.",
                ConvergenceWarning,
            )
        if run.cycle:
            warn(
                f"the best run goes round in a cycle of {run.cycle:,} states; the one with the "
                "least objective is kept. Another threshold or another start may settle.",
                ConvergenceWarning,
            )
        elif not run.converged:
            warn(
                f"the best run did not converge in max_iter={self.max_iter:,} iterations: raise "
                "max_iter or tol.",
                ConvergenceWarning,
            )

    def _centres(self, rows: SortedRows) -> Floats:
        """The fitted centres in the units of the rows."""
        return rows.units.inward(to_host(self.cluster_centers_))

    def _new_rows(self, X: Any, method: str) -> SortedRows:  # noqa: N803
        check_is_fitted(self, "cluster_centers_")
        if self._takes_arrays and namespace_of(X) is not namespace_of(self.cluster_centers_):
            raise ValueError(
                f"Inputs passed to {type(self).__name__}.{method}() must use the same namespace as "
                "those passed to fit()."
            )
        X = self._checked(X, reset=False)  # noqa: N806
        return SortedRows.as_given(X, self._units)

    def transform(self, X: Any) -> Floats:  # noqa: N803
        """What the clusters found say of the rows of X, as a matrix."""
        return self._degrees(self._new_rows(X, "transform"))

    def soft_predict(self, X: Any) -> Soft:  # noqa: N803
        """What the clusters found say of the rows of X, as a clustering."""
        return self._clustering(self._degrees(self._new_rows(X, "soft_predict")))

    def predict(self, X: Any) -> Ints:  # noqa: N803
        """The likeliest cluster of each row of X."""
        rows = self._new_rows(X, "predict")
        return self._labels(rows, self._degrees(rows))

    def _labels(self, rows: SortedRows, degrees: Floats) -> Ints:
        return rows.likeliest(degrees, self._centres(rows))  # type: ignore[no-any-return]
