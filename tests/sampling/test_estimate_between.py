"""Estimates of pairs across sources: the definition pair by pair, and what must not matter."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import clusterdiff as cd
from clusterdiff.statistics.intervals import leave_one_out
from compare.test_between import scores
from sampled_cases import drawn_from, synthetic

MEASURES = (
    "pair_precision", "pair_recall", "pair_f", "pair_jaccard", "fowlkes_mallows", "rand",
    "adjusted_rand", "pair_correlation",
)  # fmt: skip


def population(seed: int = 0, clusters: int = 60) -> tuple[Any, Any, dict[int, str]]:
    truth, run = synthetic(seed, clusters)
    rng = np.random.default_rng(seed + 100)
    return truth, run, dict(zip(truth, rng.choice(list("AAB"), len(truth)).tolist(), strict=True))


def by_definition(
    truth: Any, run: Any, source: Any, sample: Any, weight: dict[int, Fraction]
) -> dict[str, float]:
    """Weighted sums over the drawn clusters, each pair of objects looked at; pairs of a guess
    count half for each of their objects.
    """
    t = g = both = size = Fraction(0)
    for label, w in weight.items():
        members = [i for i, c in sample.items() if c == label]
        across = [(a, b) for a, b in combinations(members, 2) if source[a] != source[b]]
        t += w * len(across)
        both += w * sum(run[a] == run[b] for a, b in across)
        g += w * sum(
            Fraction(1, 2)
            for a in members
            for b in run
            if run[a] == run[b] and source[a] != source[b]
        )
        size += w * len(members)
    up = len(run) / size
    every = sum(source[a] != source[b] for a, b in combinations(run, 2))
    return scores(up * t, up * g, up * both, every)  # type: ignore[arg-type]


@pytest.mark.parametrize("design", ["records", "clusters"])
def test_an_estimate_is_that_of_the_pairs_across_sources(design: str) -> None:
    truth, run, source = population()
    sample, hits = drawn_from(truth, 25)
    times = {label: sum(truth[i] == label for i in hits) for label in set(sample.values())}
    sizes = {label: sum(c == label for c in sample.values()) for label in times}
    weight = {
        k: Fraction(n, sizes[k]) if design == "records" else Fraction(1) for k, n in times.items()
    }
    given = hits if design == "records" else None
    report = cd.estimate(sample, run, MEASURES, design=design, hits=given, between=source)
    wanted = by_definition(truth, run, source, sample, weight)
    for text in MEASURES:
        assert report[text].value == pytest.approx(wanted[text], abs=1e-9), text
    over_all = cd.estimate(sample, run, MEASURES, design=design, hits=given)
    assert report["pair_f"].value != pytest.approx(over_all["pair_f"].value, abs=1e-3)
    assert "only pairs from different sources count (sources)" in str(report)
    assert report["pair_f"].signature["between"] == "sources"
    units = report.units[next(iter(report.units))]
    sums = units.sums(cd.measure("pair_f"))
    assert sums is not None
    without = leave_one_out(sums, units.count)
    one = next(iter(weight))
    if design == "clusters":  # the jackknife leaves out a cluster, as the definition does
        rest = by_definition(truth, run, source, sample, weight | {one: Fraction(0)})["pair_f"]
        assert np.abs(without.without - rest).min() < 1e-12


@pytest.mark.filterwarnings("ignore:the guess has no object")
@pytest.mark.parametrize("align", ["exact", "singletons"])
def test_a_sample_of_everything_has_the_score_itself(align: str) -> None:
    truth, run, source = population(clusters=12)
    if align == "singletons":
        run = {i: c for i, c in run.items() if i % 7}
    some = [m for m in MEASURES if align == "exact" or cd.measure(m).claims.penalise]
    report = cd.estimate(
        truth, run, some, design="clusters", between=source, align=align,
        population=len(truth),
    )  # fmt: skip
    whole = cd.compare(truth, run, some, between=source, align=align)
    for text in some:
        assert report[text].value == pytest.approx(whole[text].value, abs=1e-12), text


def test_files_frames_and_engines_agree_to_the_bit(tmp_path: Path) -> None:
    pd = pytest.importorskip("pandas")
    truth, run, source = population()
    sample, hits = drawn_from(truth, 30)
    asked = ["pair_precision", "pair_f", "adjusted_rand"]

    def facts(report: Any) -> list[Any]:
        return [
            (s.value, s.ci.to_dict(), s.signature["sample"]) for s in (report[t] for t in asked)
        ]

    wanted = facts(cd.estimate(sample, run, asked, design="records", hits=hits, between=source))
    table = pd.DataFrame({"id": list(run), "cluster": list(run.values())})
    table["firm"] = [source[i] for i in run]
    rows = pd.DataFrame({"id": list(sample), "cluster": list(sample.values())})
    rows["hits"] = [hits.count(i) for i in sample]
    both = rows.assign(firm=[source[i] for i in sample])
    table = table.sample(frac=1, random_state=0)
    table.to_csv(tmp_path / "run.csv", index=False)
    table.to_parquet(tmp_path / "run.parquet")
    both.to_csv(tmp_path / "sample.csv", index=False)
    for one, other, engine in (
        (rows, table, None),
        (both, tmp_path / "run.parquet", None),
        (tmp_path / "sample.csv", tmp_path / "run.csv", None),
        (tmp_path / "sample.csv", tmp_path / "run.csv", "arrays"),
    ):
        found = cd.estimate(
            one, {"guess": other}, asked, design="records", between="firm", engine=engine
        )
        assert facts(found) == wanted, (type(one), engine)
    moved = both.assign(firm=["B" if i else s for i, s in enumerate(both.firm)])
    with pytest.raises(cd.ClusterdiffError, match="different sources .firm. on different sides"):
        cd.estimate(moved, table, asked, design="records", between="firm")
    with pytest.raises(cd.ClusterdiffError, match="has no column 'from'") as refused:
        cd.estimate(rows, table, asked, design="records", between="from")
    assert "between names the column of the sources" in str(refused.value)


def test_what_an_estimate_across_sources_cannot_know() -> None:
    truth, run, source = population(clusters=20)
    sample, _ = drawn_from(truth, 8)
    with pytest.raises(cd.ClusterdiffError, match="elm_f is not a function of pairs"):
        cd.estimate(sample, run, "elm_f", design="clusters", between=source)
    with pytest.raises(cd.ClusterdiffError, match="how many records each source has"):
        cd.estimate(sample, run, "rand", design="clusters", between=source, population=10_000)
    report = cd.estimate(sample, run, design="clusters", between=source, population=10_000)
    assert set(report.measures) == {
        "pair_precision", "pair_recall", "pair_f", "pair_jaccard",
        "fowlkes_mallows",
    }  # fmt: skip
    lacking = {i: c for i, c in run.items() if i != next(iter(sample))}
    with pytest.raises(cd.ClusterdiffError, match="no source"):
        cd.estimate(
            sample, lacking, "pair_f", design="clusters", align="singletons",
            between={i: source[i] for i in lacking},
        )  # fmt: skip
    one = dict.fromkeys(source, "x")
    assert "no pair counts" in str(
        cd.estimate(sample, run, "pair_f", design="clusters", between=one)
    )
