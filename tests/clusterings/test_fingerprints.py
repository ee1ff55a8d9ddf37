"""Fingerprints of texts: a short cut that is checked, and given up where it misleads."""

from __future__ import annotations

import sys

import numpy as np
import pyarrow as pa
import pytest

import clusterdiff as cd
from clusterdiff.clusterings import columns as prints
from clusterdiff.errors import AlignmentError, InputError

TEXTS = ["", "a", "b", "ab", "ba", "é", "日本", "a" * 300, "😀", " ", "A"]


@pytest.fixture
def few_are_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.modules["clusterdiff.clusterings.columns"], "MANY", 2)


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string(), pa.string_view()])
def test_equal_texts_alone_have_equal_prints(kind: pa.DataType) -> None:
    whole = pa.chunked_array([pa.array(TEXTS, kind), pa.array(TEXTS, kind)])
    made = prints.fingerprints(whole)
    assert made[: len(TEXTS)].tolist() == made[len(TEXTS) :].tolist()
    assert np.unique(made).size == len(TEXTS)
    assert prints.fingerprints(whole.slice(3, 12)).tolist() == made[3:15].tolist()


@pytest.mark.usefixtures("few_are_many")
@pytest.mark.parametrize("misleading", [False, True])
def test_matching_by_prints_is_matching_by_texts(
    monkeypatch: pytest.MonkeyPatch, misleading: bool
) -> None:
    if misleading:
        monkeypatch.setattr(prints, "fingerprints", lambda texts: np.zeros(len(texts), np.int64))
    truth = cd.Partition([1, 1, 2, 2], ids=["w", "x", "y", "z"])
    guess = cd.Partition([7, 8, 8, 9], ids=["z", "q", "x", "w"])
    assert cd.meet(truth, guess, align="shared").alignment.only_truth == 1
    assert cd.objects("elm_f", truth, guess, align="singletons").ids == ["w", "x", "y", "z", "q"]
    with pytest.raises(AlignmentError, match="1 of 5 objects is only in truth .'y'"):
        cd.meet(truth, guess)


@pytest.mark.usefixtures("few_are_many")
def test_prints_that_collide_across_sides_are_not_believed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    lengths = lambda texts: np.array([len(t) for t in texts.to_pylist()])  # noqa: E731
    monkeypatch.setattr(prints, "fingerprints", lengths)
    truth = cd.Partition([1, 1, 2], ids=["a", "bb", "ccc"])
    guess = cd.Partition([1, 1, 2], ids=["a", "xx", "ccc"])
    assert cd.meet(truth, guess, align="shared").objects == 2


@pytest.mark.usefixtures("few_are_many")
def test_repeated_ids_are_still_seen() -> None:
    with pytest.raises(InputError, match="1 id is in more than one"):
        cd.Partition([1, 2, 3], ids=["x", "y", "x"])
    assert cd.Partition([1, 2, 1], ids=["x", "y", "x"]).repeats == 1
