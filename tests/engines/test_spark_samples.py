"""Estimates from a sample, and draws of one, where the run is a frame of Spark."""

from __future__ import annotations

from typing import Any

import pytest

import clusterdiff as cd
from sampled_cases import drawn_from, synthetic

pytestmark = pytest.mark.slow
TRUTH, RUN = synthetic()


@pytest.fixture(scope="module")
def frame(spark: Any) -> Any:
    return spark.createDataFrame(list(RUN.items()), ["id", "cluster"])


def test_estimates_agree_to_the_bit(frame: Any) -> None:
    sample, hits = drawn_from(TRUTH, 120)
    asked = ["elm_f", "pair_f", "nmi", "exact_precision"]
    here, there = (
        cd.estimate(sample, {"guess": run}, asked, design="records", hits=hits)
        for run in (RUN, frame)
    )
    for text in asked:
        assert there[text].value == here[text].value
        assert there[text].ci == here[text].ci
        assert str(there[text].signature) == str(here[text].signature)


def test_the_same_records_are_drawn(frame: Any) -> None:
    assert cd.draw(frame, 50, seed=1).to_csv() == cd.draw(RUN, 50, seed=1).to_csv()


@pytest.mark.filterwarnings("ignore::clusterdiff.ClusterdiffWarning")
def test_the_same_clusters_are_cut(frame: Any) -> None:
    sample, _ = drawn_from(TRUTH, 60)
    here, there = (
        cd.compare(sample, run, "elm_f", align="shared")["elm_f"].meet.alignment
        for run in (RUN, frame)
    )
    assert here.cut == there.cut > 0
