"""Fitted models as clusterings: the labels that a clusterer of scikit-learn, HDBSCAN or the like
keeps of the data it was fitted to.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from clusterdiff.clusterings import Clustering, Partition
from clusterdiff.errors import InputError, a_type

PREDICTED = "its clusters of some data are cd.compare(y, model.predict(X))"


def is_model(value: Any) -> bool:
    """Whether this is an estimator, fitted or not."""
    return hasattr(value, "fit") and (hasattr(value, "get_params") or hasattr(value, "labels_"))


def labels_of_model(model: Any) -> Partition:
    """The clusters that a fitted model found; a search stands for its best model, a pipeline for
    its last step.
    """
    if isinstance(model, type):
        raise InputError(
            f"{model.__name__} is a class of models, not a fitted one.",
            f"make one and fit it: cd.compare(y, {model.__name__}().fit(X)).",
        )
    own = clusterer(model)
    if not hasattr(own, "labels_"):
        raise InputError(f"{a_type(own)} that keeps no labels_ is not a clustering.", _hint(own))
    found = Partition(own.labels_)
    found.notes = (f"labels_ of {type(own).__name__}, by position{_noise(found)}",)
    return found


def holds_clustering(value: Any) -> bool:
    """Whether this is a result with a clustering: a consensus, or a run under the ids of another.

    >>> import clusterdiff as cd
    >>> holds_clustering(cd.consensus([[1, 1, 2], [1, 1, 2]])), holds_clustering([1, 1, 2])
    (True, False)
    """
    return isinstance(getattr(value, "clustering", None), Clustering)


def clusterer(model: Any) -> Any:
    """The estimator that finds the clusters, within searches and pipelines."""
    while True:
        if hasattr(model, "best_estimator_"):
            model = model.best_estimator_
        elif not hasattr(model, "labels_") and isinstance(getattr(model, "steps", None), list):
            steps = [step for _, step in model.steps if step not in (None, "passthrough")]
            if not steps:
                return model
            model = steps[-1]
        else:
            return model


def _noise(found: Partition) -> str:
    """What is to be known of labels that mean noise beside -1: in scikit-learn's HDBSCAN -2 and -3
    are rows with infinite and with missing values.
    """
    if found.labels.family != "integers":
        return ""
    marks = [k for k in (-1, -2, -3) if (found.labels.keys == k).any()]
    if len(marks) < 2:
        return ""
    *most, last = map(str, marks)
    return f"; {', '.join(most)} and {last} are clusters unless noise={marks}"


def _hint(own: Any) -> str:
    """What to call instead."""
    if any(base.__name__ == "RegressorMixin" for base in type(own).__mro__):
        return "a regressor predicts numbers, not clusters; give a clusterer, KMeans(3).fit(X)."
    fitted = any(name.endswith("_") and not name.startswith("_") for name in vars(own))
    if hasattr(own, "refit"):
        way = "keep its best model: refit=True," if fitted else "fit it first:"
        return f"{way} cd.compare(y, search.fit(X, y))."
    first = "" if fitted else "fit it first; "
    if hasattr(own, "predict_proba") and hasattr(own, "fit_predict"):
        return f"{first}{PREDICTED}, its degrees cd.compare(y, cd.Fuzzy.from_model(model, X))."
    if hasattr(own, "predict") and (fitted or not hasattr(own, "fit_predict")):
        return f"{first}{PREDICTED}."
    if hasattr(own, "transform") and not hasattr(own, "fit_predict"):
        return _topics(getattr(own, "components_", None))
    return "fit it first: cd.compare(y, model.fit(X))."


def _topics(components: Any) -> str:
    """What to do with a model that transforms data; NMF and latent Dirichlet allocation find
    components without negative numbers.
    """
    if components is None or (np.asarray(components) < 0).any():
        return "it transforms data and finds no clusters; give a clusterer, KMeans(3).fit(X)."
    return (
        "the topics of each row are cd.Fuzzy(model.transform(X), rest='normalise'), the "
        "likeliest one cd.compare(y, model.transform(X).argmax(axis=1))."
    )
