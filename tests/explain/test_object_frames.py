"""Scores of objects in the hands of pandas and polars."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import pandas as pd
import pytest

import clusterdiff as cd

TRUTH, GUESS = [0, 0, 1, 1, 2, 2], [0, 0, 0, 1, 2, 2]


def test_scores_of_objects_come_back_under_the_index() -> None:
    frame = pd.DataFrame({"truth": TRUTH, "leiden": GUESS}, index=list("pqrstu"))
    found = cd.objects(frame["truth"], frame["leiden"])
    frame["agreement"] = found.to_series()
    assert frame["agreement"].tolist() == found.scores.tolist()
    by_id = cd.objects(dict(zip("abc", "xxy", strict=True)), dict(zip("cab", "yxx", strict=True)))
    assert by_id.to_series().to_dict() == by_id.to_dict()
    assert by_id.to_frame("polars").columns == ["id", "score"]
    assert found.to_frame()["score"].tolist() == found.scores.tolist()
    assert "<table" in found._repr_html_()


def test_left_out_objects_leave_no_index_behind() -> None:
    truth = pd.Series(TRUTH, index=list("pqrstu"))
    found = cd.objects(truth, GUESS, noise=2, noise_as="drop")
    assert found.index is None
    assert len(found.to_series()) == len(found) == 4


def test_partitions_come_back_under_ids_index_or_positions() -> None:
    for given, index in (
        (cd.Partition(dict(zip("pqrstu", GUESS, strict=True))), list("pqrstu")),
        (cd.Partition(GUESS), list(range(6))),
        (cd.Partition.from_pairs([("p", "q")], ids=list("pqr")), ["p", "q", "r"]),
    ):
        series = given.to_series()
        assert series.index.tolist() == index
        assert series.tolist() == given.labels.tolist()
        assert cd.elm_f(series, given) == 1
    within = cd.Partition(["x", "y"], ids=["a", "a"], samples=["s", "t"]).to_series()
    assert within.to_dict() == {("s", "a"): "x", ("t", "a"): "y"}


def test_consistencies_come_back_in_the_order_of_the_objects() -> None:
    """Records come with the least consistent first; a column of a frame is by object."""
    frame = pd.DataFrame({"one": TRUTH, "two": GUESS}, index=list("utsrqp"))
    found = cd.matrix(frame, "rand").objects()
    frame["consistency"] = series = found.to_series()
    assert series.index.tolist() == list("utsrqp")
    assert frame["consistency"].to_dict() == {r["id"]: r["consistency"] for r in found.records()}
    assert [r["id"] for r in found.records()] != list("utsrqp")
    assert cd.matrix([TRUTH, GUESS], "rand").objects().to_series().index.tolist() == list(range(6))
    frame.index = pd.Index(list("ppqrst"))
    again = cd.matrix(frame[["one", "two"]], "rand").objects().to_series()
    assert again.index.tolist() == list("ppqrst")
    assert again.tolist() == series.tolist()


@pytest.mark.parametrize(
    "result",
    [
        lambda: cd.Partition(TRUTH),
        lambda: cd.objects(TRUTH, GUESS),
        lambda: cd.matrix([TRUTH, GUESS], "rand").objects(),
    ],
)
def test_the_line_that_installs_pandas(
    result: Callable[[], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    made = result()
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(cd.ClusterdiffError, match="pip install pandas"):
        made.to_series()
