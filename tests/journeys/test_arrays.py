"""Arrays of machine learning: scikit-learn's labels and torch's tensors through every verb."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.cluster import DBSCAN, KMeans
from sklearn.datasets import load_iris
from sklearn.metrics import adjusted_rand_score
from sklearn.mixture import GaussianMixture

import clusterdiff as cd

IRIS = load_iris()


@pytest.fixture(scope="module")
def found() -> Any:
    return KMeans(4, n_init=1, random_state=0).fit_predict(IRIS.data)


def tensors(values: Any) -> list[Any]:
    """The same labels as torch may hold them."""
    torch = pytest.importorskip("torch")
    plain = torch.as_tensor(np.asarray(values, np.int64))
    return [
        plain,
        plain.to(torch.int32),
        plain.to(torch.float32).requires_grad_(),
        plain.to(torch.bfloat16),
        list(plain),
        dict(enumerate(plain)),
    ]


def test_labels_in_every_dress_have_one_score(found: Any) -> None:
    want = adjusted_rand_score(IRIS.target, found)
    for truth, guess in zip(tensors(IRIS.target), tensors(found), strict=True):
        assert cd.adjusted_rand(truth, guess) == pytest.approx(want)
    for guess in (found, found.tolist(), found.astype(np.uint8), found.astype(float)):
        assert cd.adjusted_rand(IRIS.target, guess) == pytest.approx(want)


def test_tensors_through_every_verb(found: Any) -> None:
    torch = pytest.importorskip("torch")
    truth, guess = torch.as_tensor(IRIS.target), torch.as_tensor(np.asarray(found, np.int64))
    plain = cd.compare(IRIS.target, {"a": found, "b": IRIS.target})
    report = cd.compare(truth, {"a": guess, "b": truth})
    assert report.to_json() == plain.to_json()
    assert cd.explain(truth, guess).to_json() == cd.explain(IRIS.target, found).to_json()
    assert cd.diff(truth, guess, truth).to_json() == (
        cd.diff(IRIS.target, found, IRIS.target).to_json()
    )
    assert cd.objects("elm_f", truth, guess).to_dict() == (
        cd.objects("elm_f", IRIS.target, found).to_dict()
    )
    assert cd.page(truth, guess).html == cd.page(IRIS.target, found).html


def test_memberships_of_a_mixture() -> None:
    torch = pytest.importorskip("torch")
    degrees = GaussianMixture(3, random_state=0).fit(IRIS.data).predict_proba(IRIS.data)
    soft = cd.Fuzzy(torch.as_tensor(degrees))
    want = cd.rand_alpha(IRIS.target, cd.Fuzzy(degrees))
    assert cd.rand_alpha(torch.as_tensor(IRIS.target), soft) == want
    assert cd.compare(IRIS.target, soft)["rand_alpha"].value == want


def test_noise_of_dbscan_is_what_one_says_it_is() -> None:
    labels = DBSCAN(eps=0.5, min_samples=5).fit_predict(IRIS.data)
    kept = labels >= 0
    assert 0 < kept.sum() < kept.size
    dropped = cd.compare(IRIS.target, labels, "adjusted_rand", noise=-1, noise_as="drop")
    want = adjusted_rand_score(IRIS.target[kept], labels[kept])
    assert float(dropped["adjusted_rand"]) == pytest.approx(want)
    alone = np.where(kept, labels, np.arange(labels.size) + 1000)
    single = cd.compare(IRIS.target, labels, "adjusted_rand", noise=-1)
    want = adjusted_rand_score(IRIS.target, alone)
    assert float(single["adjusted_rand"]) == pytest.approx(want)
    told = cd.explain(IRIS.target, labels, noise=-1, noise_as="drop")
    assert float(told.score) == pytest.approx(cd.elm_f(IRIS.target[kept], labels[kept]))
