"""Degrees of membership that fitted models give."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np

from clusterdiff.errors import InputError, a_type


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
