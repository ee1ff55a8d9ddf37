"""Measures as a scorer: what scikit-learn's model selection maximises."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Self

import numpy as np

from clusterdiff.clusterings import Clustering, Fuzzy, Partition
from clusterdiff.clusterings.arrays import as_numpy
from clusterdiff.compare.compare import compare, measures_by_text
from clusterdiff.contingency import Policy
from clusterdiff.errors import AllNoise, ClusterdiffError, ClusterdiffWarning, a_type, shown, warn
from clusterdiff.measures import Measure, measure_named
from clusterdiff.output.score import Score, is_open

RESPONSES = ("predict", "predict_proba")
"""What a model can be asked for."""
WARNED, REFUSED = 0.1, 0.5
"""Shares of objects that a model calls noise: from the first on it is warned of, and above the
second there is no score, since a search would choose the model that calls almost everything noise.
"""


class Scorer:
    """How well a clusterer finds the true clusters of data, by one measure or by several; larger
    is better, so that of a distance it is the negative.

    A model that can `predict` is asked for the clusters of the data; one that cannot (DBSCAN,
    agglomerative clustering, HDBSCAN) clusters the data anew, as its labels are only of the data
    that it was fitted to.
    """

    def __init__(
        self,
        measures: Mapping[str, Measure],
        several: bool = False,
        noise: Any = None,
        noise_as: str = "singletons",
        response_method: str = "predict",
    ) -> None:
        self.measures, self.several = dict(measures), several
        self.noise, self.noise_as, self.response_method = noise, noise_as, response_method
        self._request: Any = None

    def __repr__(self) -> str:
        signed = (f"-{m}" if m.is_distance else f"{m}" for m in self.measures.values())
        return f"Scorer({', '.join(signed)})"

    def __call__(
        self,
        estimator: Any,
        X: Any,  # noqa: N803
        y: Any = None,
        samples: Any = None,
    ) -> Any:
        """The score of a fitted model on data whose true clusters are known; with `samples`, the
        mean of the samples. Of several measures a dict.
        """
        if y is None:
            raise ClusterdiffError(
                f"{next(iter(self.measures.values()))} compares with a truth, and y is not given.",
                "search.fit(X, y), with the true cluster of each row of X as y.",
            )
        truth, guess = by_position(y), self._guess(estimator, X)
        scored = self.noise_as != "drop" or self._has_enough(truth, guess)
        try:
            report = compare(
                truth, guess, list(self.measures.values()),
                samples=samples, noise=self.noise, noise_as=self.noise_as,
            )  # fmt: skip
        except AllNoise:
            scored = False
        if not scored:
            return dict.fromkeys(self.measures, np.nan) if self.several else np.nan
        # A number has no header, so what a header would note is a warning.
        for note in report.to_dict().get("notes", ()):
            warn(ClusterdiffWarning(f"{note}."), ClusterdiffWarning)
        found = {name: _larger_is_better(report[m]) for name, m in self.measures.items()}
        return found if self.several else next(iter(found.values()))

    def _has_enough(self, truth: Any, guess: Any) -> bool:
        """Whether a model is scored on most objects; warns where noise that is dropped is much."""
        policy = Policy("exact", self.noise, self.noise_as)
        sides = [one if isinstance(one, Clustering) else Partition(one) for one in (truth, guess)]
        labels = [one.labels for one in sides if isinstance(one, Partition)]
        if len(labels) < len(sides) or len(labels[0]) != len(labels[1]):
            return True
        unknown, noise = map(policy.means_noise, labels)
        every, lost = int((~unknown).sum()), int((noise & ~unknown).sum())
        if lost < WARNED * every or not lost:
            return True
        enough = lost <= REFUSED * every
        effect = (
            "the score is that of the others alone."
            if enough
            else "the score is NaN, since that of the others would say little of the model."
        )
        message = (
            f"The model calls {lost:,} of {every:,} objects noise, and noise is dropped: {effect}"
        )
        hint = 'noise_as="singletons" counts each object that is called noise as a cluster.'
        warn(ClusterdiffWarning(message, hint), ClusterdiffWarning)
        return enough

    def _guess(self, estimator: Any, X: Any) -> Any:  # noqa: N803
        if self.response_method == "predict_proba":
            return Fuzzy.from_model(estimator, X)
        return by_position(predicted(estimator, X))

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
    measure: str | Measure | Iterable[str | Measure] | Mapping[str, str | Measure] = "elm_f",
    *,
    noise: Any = None,
    noise_as: str = "singletons",
    response_method: str = "predict",
    **params: Any,
) -> Scorer:
    """A measure as scikit-learn's model selection takes it: `scoring=cd.scorer("elm_f")`.

    >>> scorer("adjusted_rand"), scorer("vi_distance"), scorer("bcubed_f", alpha=0.3)
    (Scorer(adjusted_rand), Scorer(-vi_distance), Scorer(bcubed_f(alpha=0.3)))

    Larger is better: of a distance it is the negative. Several measures, as a list or as a dict
    from name to measure, are one scorer that gives a dict; in a list distances are called
    neg_vi_distance and the like. noise=-1 says what DBSCAN and HDBSCAN label noise with. With
    noise_as="drop", a model that calls 10 % of the objects noise or more is warned of, and one that
    calls more than half of them noise scores NaN: a search never chooses it.
    response_method="predict_proba" scores the degrees of a mixture, as a fuzzy clustering. With
    samples, set_config(enable_metadata_routing=True) and
    `scorer(...).set_score_request(samples=True)` route them from `fit(X, y, samples=...)`.
    """
    if response_method not in RESPONSES:
        raise ClusterdiffError(
            f"unknown response_method {shown(response_method)}.",
            f"write one of {', '.join(map(repr, RESPONSES))}.",
        )
    how = (noise, noise_as, response_method)
    if isinstance(measure, Mapping):
        named = {str(name): measure_named(one) for name, one in measure.items()}
        if named:
            return Scorer(_having(named, params), True, *how)
    found = measures_by_text(measure)
    several = len(found) > 1 or not isinstance(measure, str | Measure)
    named = {f"neg_{t}" if several and m.is_distance else t: m for t, m in found.items()}
    return Scorer(_having(named, params), several, *how)


def _having(measures: dict[str, Measure], params: dict[str, Any]) -> dict[str, Measure]:
    return {name: m.with_params(**params) for name, m in measures.items()} if params else measures


def _larger_is_better(score: Score) -> float:
    if is_open(score.value):
        raise ClusterdiffError(
            f"{score.measure} is an interval, and a search needs one number.",
            "use a measure of partitions, e.g. cd.scorer('elm_f'), or say what is unknown counts "
            "as, e.g. cd.scorer('rand_alpha', alpha=0.5).",
        )
    value = float(score)
    return 0.0 - value if score.measure.is_distance else value


def by_position(labels: Any) -> Any:
    """Labels in the order of the data, whatever index they have."""
    return labels if isinstance(labels, Clustering) else np.asarray(as_numpy(labels))


def predicted(estimator: Any, X: Any) -> Any:  # noqa: N803
    """The clusters that a model gives to data: predicted, or found anew."""
    if hasattr(estimator, "predict"):
        return estimator.predict(X)
    if not hasattr(estimator, "fit"):
        raise ClusterdiffError(
            f"{a_type(estimator)} is no clusterer.",
            "give an estimator with fit_predict or predict.",
        )
    from sklearn.base import clone

    again = clone(estimator)
    return again.fit_predict(X) if hasattr(again, "fit_predict") else again.fit(X).labels_
