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
"""Methods of a model that give its clusters."""
WARNED, REFUSED = 0.1, 0.5
"""Shares of objects that a model calls noise: at the first a scorer warns, and above the second it
gives NaN, since a search would choose the model that calls almost everything noise.
"""


class Scorer:
    """How well a clusterer finds the true clusters of data, by one measure or by several. Larger is
    better, so that a distance has a minus.

    A model that can `predict` is asked for the clusters of the data. Any other (DBSCAN,
    agglomerative clustering, HDBSCAN) clusters the data anew, as its labels are only those of the
    data that it was fitted to.
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
        count: Any = None,
    ) -> Any:
        """The score of a fitted model on data with true clusters y; with `samples`, the mean over
        samples; `count` says how many objects each row stands for. Of several measures a dict.
        """
        if y is None:
            raise ClusterdiffError(
                f"{next(iter(self.measures.values()))} compares with a truth, and y is not given.",
                "search.fit(X, y), with the true cluster of each row of X as y.",
            )
        truth = by_position(y)
        guess = (
            Fuzzy.from_model(estimator, X)
            if self.response_method == "predict_proba"
            else by_position(predicted(estimator, X))
        )
        try:
            enough = self.noise_as != "drop" or self._has_enough(truth, guess)
            report = compare(
                truth, guess, list(self.measures.values()),
                samples=samples, count=count, noise=self.noise, noise_as=self.noise_as,
            )  # fmt: skip
        except AllNoise:
            enough = False
        if not enough:
            return dict.fromkeys(self.measures, np.nan) if self.several else np.nan
        # A number has no header, so what a header would note is a warning.
        for note in report.to_dict().get("notes", ()):
            warn(ClusterdiffWarning(f"{note}."), ClusterdiffWarning)
        scores = {name: _larger_is_better(report[m]) for name, m in self.measures.items()}
        return scores if self.several else next(iter(scores.values()))

    def _has_enough(self, truth: Any, guess: Any) -> bool:
        """Whether a model is scored on most objects; warns where it calls many of them noise."""
        policy = Policy("exact", self.noise, self.noise_as)
        sides = [one if isinstance(one, Clustering) else Partition(one) for one in (truth, guess)]
        labels = [side.labels for side in sides if isinstance(side, Partition)]
        if len(labels) < len(sides) or len(labels[0]) != len(labels[1]):
            return True
        unknown, noise = map(policy.means_noise, labels)
        total, lost = int((~unknown).sum()), int((noise & ~unknown).sum())
        if lost < WARNED * total or not lost:
            return True
        enough = lost <= REFUSED * total
        effect = (
            "the score is that of the others alone."
            if enough
            else "the score is NaN, since that of the others would say little of the model."
        )
        warn(
            ClusterdiffWarning(
                f"The model calls {lost:,} of {total:,} objects noise, and noise is dropped: "
                f"{effect}",
                'noise_as="singletons" counts each object that is called noise as a cluster.',
            ),
            ClusterdiffWarning,
        )
        return enough

    def set_score_request(
        self, *, samples: bool | str | None = True, count: bool | str | None = None
    ) -> Self:
        """Ask scikit-learn's metadata routing for samples and counts, perhaps under other names."""
        self._request = self.get_metadata_routing()
        self._request.score.add_request(param="samples", alias=samples)
        if count is not None:
            self._request.score.add_request(param="count", alias=count)
        return self

    def get_metadata_routing(self) -> Any:
        """The request for scikit-learn's metadata routing."""
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
    """Make a scorer for scikit-learn's model selection: `scoring=cd.scorer("elm_f")`.

    >>> scorer("adjusted_rand"), scorer("vi_distance"), scorer("bcubed_f", alpha=0.3)
    (Scorer(adjusted_rand), Scorer(-vi_distance), Scorer(bcubed_f(alpha=0.3)))

    Larger is better, so a distance has a minus. Several measures, as a list or as a dict from name
    to measure, are one scorer that gives a dict; in a list distances are called neg_vi_distance and
    so on. noise=-1 is the noise label of DBSCAN and HDBSCAN. With noise_as="drop", a model that
    calls 10 % of the objects noise or more brings a warning, and one that calls more than half of
    them noise scores NaN: a search never chooses it. response_method="predict_proba" scores the
    degrees of a mixture, as a fuzzy clustering. With samples,
    set_config(enable_metadata_routing=True) and `scorer(...).set_score_request(samples=True)`
    route them from `fit(X, y, samples=...)`.
    """
    if response_method not in RESPONSES:
        raise ClusterdiffError(
            f"unknown response_method {shown(response_method)}.",
            f"write one of {', '.join(map(repr, RESPONSES))}.",
        )
    if isinstance(measure, Mapping) and measure:
        several, named = True, {str(name): measure_named(one) for name, one in measure.items()}
    else:
        texts = measures_by_text(measure)
        several = len(texts) > 1 or not isinstance(measure, str | Measure)
        named = {f"neg_{t}" if several and m.is_distance else t: m for t, m in texts.items()}
    if params:
        named = {name: one.with_params(**params) for name, one in named.items()}
    return Scorer(named, several, noise, noise_as, response_method)


def _larger_is_better(score: Score) -> float:
    if is_open(score.value):
        raise ClusterdiffError(
            f"{score.measure} is an interval, and a search needs one number.",
            "use a measure of partitions, e.g. cd.scorer('elm_f'), or say what is unknown counts "
            "as, e.g. cd.scorer('rand_alpha', alpha=0.5).",
        )
    # 0.0 - value, since -0.0 would print with a minus.
    return 0.0 - float(score) if score.measure.is_distance else float(score)


def by_position(labels: Any) -> Any:
    """Labels in the order of the data, whatever index they have."""
    return labels if isinstance(labels, Clustering) else np.asarray(as_numpy(labels))


def predicted(estimator: Any, X: Any) -> Any:  # noqa: N803
    """The clusters that a model gives to data, predicted or by clustering it anew."""
    if hasattr(estimator, "predict"):
        return estimator.predict(X)
    if not hasattr(estimator, "fit"):
        raise ClusterdiffError(
            f"{a_type(estimator)} is not a clusterer.",
            "give an estimator with fit_predict or predict.",
        )
    from sklearn.base import clone

    again = clone(estimator)
    return again.fit_predict(X) if hasattr(again, "fit_predict") else again.fit(X).labels_
