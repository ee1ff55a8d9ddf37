"""A measure as a scorer: what scikit-learn's model selection maximises."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from clusterdiff.errors import ClusterdiffError, a_type
from clusterdiff.measures import Measure, measure_named
from clusterdiff.measures.core.interval import Interval
from clusterdiff.results.compare import compare


class Scorer:
    """How well a clusterer finds the true clusters of data, by one measure; larger is better, so
    that of a distance it is the negative.

    A model that can `predict` is asked for the clusters of the data; one that cannot (DBSCAN,
    agglomerative clustering, HDBSCAN) clusters the data anew, as its labels are only of the data
    that it was fitted to.
    """

    def __init__(self, measure: Measure, noise: Any = None, noise_as: str = "singletons") -> None:
        self.measure, self.noise, self.noise_as = measure, noise, noise_as
        self._request: Any = None

    def __repr__(self) -> str:
        sign = "-" if self.measure.is_distance else ""
        return f"Scorer({sign}{self.measure})"

    def __call__(self, estimator: Any, X: Any, y: Any, samples: Any = None) -> float:  # noqa: N803
        """The score of a fitted model on data whose true clusters are known; with `samples`, the
        mean of the samples.
        """
        if y is None:
            raise ClusterdiffError(
                f"{self.measure} compares with a truth, and y is not given.",
                "search.fit(X, y), with the true cluster of each row of X as y.",
            )
        found = compare(
            np.asarray(y), predicted(estimator, X), self.measure,
            samples=samples, noise=self.noise, noise_as=self.noise_as,
        )[self.measure]  # fmt: skip
        value = found.value
        if isinstance(value, Interval):
            raise ClusterdiffError(
                f"{self.measure} is an interval, and a search needs one number.",
                "use a measure of partitions, e.g. cd.scorer('elm_f').",
            )
        score = float(found)
        return -score if self.measure.is_distance else score

    def set_score_request(self, *, samples: bool | str | None = True) -> Self:
        """Ask scikit-learn's metadata routing for the samples, or for what is called so there."""
        from sklearn.utils.metadata_routing import MetadataRequest

        self._request = MetadataRequest(owner=self)
        self._request.score.add_request(param="samples", alias=samples)
        return self

    def get_metadata_routing(self) -> Any:
        """What is asked of scikit-learn's metadata routing."""
        from sklearn.utils.metadata_routing import MetadataRequest

        return MetadataRequest(owner=self) if self._request is None else self._request


def scorer(
    measure: str | Measure = "elm_f",
    *,
    noise: Any = None,
    noise_as: str = "singletons",
    **params: Any,
) -> Scorer:
    """A measure as scikit-learn's model selection takes it: `scoring=cd.scorer("elm_f")`.

    >>> scorer("adjusted_rand"), scorer("vi_distance")
    (Scorer(adjusted_rand), Scorer(-vi_distance))

    Larger is better: of a distance it is the negative. noise=-1 says what DBSCAN and HDBSCAN label
    noise with. With samples, set_config(enable_metadata_routing=True) and
    `scorer(...).set_score_request(samples=True)` route them from `fit(X, y, samples=...)`.
    """
    return Scorer(measure_named(measure).having(**params), noise, noise_as)


def predicted(estimator: Any, X: Any) -> Any:  # noqa: N803
    """The clusters that a model gives to data: predicted, or found anew."""
    if hasattr(estimator, "predict"):
        return np.asarray(estimator.predict(X))
    if not hasattr(estimator, "fit"):
        raise ClusterdiffError(
            f"{a_type(estimator)} is no clusterer.",
            "give an estimator with fit_predict or predict.",
        )
    from sklearn.base import clone

    again = clone(estimator)
    if hasattr(again, "fit_predict"):
        return np.asarray(again.fit_predict(X))
    return np.asarray(again.fit(X).labels_)
