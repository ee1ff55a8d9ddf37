"""Scores of objects in the hands of pandas and polars."""

from __future__ import annotations

import pandas as pd

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
