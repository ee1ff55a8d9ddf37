"""Fitted models as clusterings: the labels that a clusterer of scikit-learn, HDBSCAN or the like
keeps of the data it was fitted to.
"""

from __future__ import annotations

from typing import Any

from clusterdiff.clusterings import Partition
from clusterdiff.errors import ClusterdiffError, a_type


def is_model(value: Any) -> bool:
    """Whether this is an estimator, fitted or not."""
    return hasattr(value, "fit") and (hasattr(value, "get_params") or hasattr(value, "labels_"))


def labels_of_model(model: Any) -> Partition:
    """The clusters that a fitted model found; a search stands for its best model, a pipeline for
    its last step.
    """
    own = clusterer(model)
    if hasattr(own, "labels_"):
        found = Partition(own.labels_)
        noise = "; -1 is a cluster unless noise=-1" if (found.labels.keys == -1).any() else ""
        found.notes = (f"labels_ of {type(own).__name__}, by position{noise}",)
        return found
    name = a_type(own)
    if hasattr(own, "predict") and not hasattr(own, "fit_predict"):
        hint = "its clusters of some data are cd.compare(y, model.predict(X))."
    elif hasattr(own, "predict_proba"):
        hint = (
            "its clusters of some data are cd.compare(y, model.predict(X)), its degrees "
            "cd.compare(y, cd.Fuzzy.from_model(model, X))."
        )
    else:
        hint = "fit it first: cd.compare(y, model.fit(X))."
    raise ClusterdiffError(f"{name} that keeps no labels_ is not a clustering.", hint)


def clusterer(model: Any) -> Any:
    """The estimator that finds the clusters, within searches and pipelines."""
    while True:
        if hasattr(model, "best_estimator_"):
            model = model.best_estimator_
        elif not hasattr(model, "labels_") and isinstance(getattr(model, "steps", None), list):
            model = model.steps[-1][1]
        else:
            return model
