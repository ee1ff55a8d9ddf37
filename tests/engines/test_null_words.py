"""Texts such as "nan" as the label of several objects: a warning, with the count and ways out."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import clusterdiff as cd
from clusterdiff.clusterings.columns import NULL_WORDS

WORDS = ["nan", "a", "nan", "b", "nan", "None"]
OTHER = [1, 2, 3, 4, 5, 6]


@pytest.mark.parametrize(
    "labels",
    [
        WORDS,
        tuple(WORDS),
        np.array(WORDS),
        np.array(WORDS, "U70"),
        np.array(WORDS, object),
        pd.Series(WORDS),
        pd.Series(WORDS).astype("category"),
        pl.Series(WORDS),
        [*WORDS[:5], 7],
        dict(zip("uvwxyz", WORDS, strict=True)),
        pd.DataFrame({"id": list("uvwxyz"), "cluster": WORDS}),
    ],
    ids=lambda labels: type(labels).__name__,
)
def test_a_word_for_missing_labels_is_warned_of_once(labels: Any) -> None:
    named = isinstance(labels, dict | pd.DataFrame)
    guess = dict(zip("uvwxyz", OTHER, strict=True)) if named else OTHER
    with pytest.warns(
        cd.ClusterdiffWarning, match="3 of 6 labels in truth are the text 'nan'"
    ) as w:
        assert cd.rand(labels, guess) == 0.8
    assert len(w) == 1
    assert "noise='nan'" in str(w[0].message)
    assert w[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert cd.rand(labels, guess, noise="nan") == 1
        assert cd.rand(labels, guess, noise=["nan", None]) == 1


def test_every_verb_warns() -> None:
    for verb in (cd.meet, cd.compare, cd.explain, lambda t, g: cd.objects("elm_f", t, g)):
        with pytest.warns(cd.ClusterdiffWarning, match="3 of 6 labels in guess"):
            verb(OTHER, WORDS)
    with pytest.warns(cd.ClusterdiffWarning, match="6 of 12 labels in guess"):
        cd.compare(samples=[(OTHER, WORDS), (OTHER, WORDS)])
    with pytest.warns(cd.ClusterdiffWarning, match="3 of 6 labels in guess"):
        cd.compare(OTHER, WORDS, samples=[1, 1, 1, 2, 2, 2])


@pytest.mark.parametrize("word", NULL_WORDS)
def test_every_word_in_text_of_fixed_width_and_in_arrow(word: str) -> None:
    labels = [word, word, "node", "N", "<", "nan" if word == "NaN" else "NaN"]
    for given in (labels, np.array(labels)):
        made = cd.Partition(given).labels
        assert made.null_words[word] == 2
        with pytest.warns(
            cd.ClusterdiffWarning, match=f"2 of 6 labels in truth are the text '{word}'"
        ):
            cd.rand(made.tolist(), OTHER)


def test_two_words_are_told_together() -> None:
    with pytest.warns(
        cd.ClusterdiffWarning, match="4 of 4 labels in guess are the text 'NA', 'n/a'"
    ) as w:
        cd.rand([1, 2, 3, 4], ["NA", "NA", "n/a", "n/a"])
    assert "noise=['NA', 'n/a']" in str(w[0].message)


def test_nothing_is_said_where_nothing_is_meant() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert cd.rand(["nan", "None", "NA"], [1, 2, 3]) == 1
        assert cd.rand(["naN", "naN", "none"], [1, 1, 2]) == 1
        assert cd.rand({"nan": "a", "NA": "b"}, {"nan": "a", "NA": "b"}) == 1
        assert cd.rand(["x", ""], np.array(["", "x"])) == 1
        assert cd.Partition(np.array(["", ""])).labels.null_words == {}
