"""Precision and recall from labelled pairs: golden numbers, tables of both forms, refusals."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any, cast

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest

import clusterdiff as cd
from cli.runner import run
from clusterdiff.sampling.labelled_pairs import Stratum, precision, recall

TOGETHER = Stratum("together", 350, 100, 70, predicted=True)
OFFERED = Stratum("offered", 8000, 200, 4)
REST = Stratum("rest", 100_000, 200, 0, blocked=False)
TABLE = """\
stratum,pairs,labelled,matches,predicted,blocked
together,350,100,70,yes,yes
offered,8000,200,4,no,yes
rest,100000,200,0,no,no
"""


@pytest.mark.parametrize(
    ("pairs", "ends"),
    [
        (10**15, (0.786397686, 0.956524235)),
        (350, (0.796545335, 0.953893949)),
        (50, (0.9, 0.9)),
    ],
)
def test_golden_wilson(pairs: int, ends: tuple[float, float]) -> None:
    found = precision([Stratum("s", pairs, 50, 45, True), OFFERED])
    assert (found.low, found.high) == pytest.approx(ends, abs=1e-9)


def test_golden_recall() -> None:
    found = recall([TOGETHER, OFFERED])
    assert found.value == pytest.approx(0.604938272, abs=1e-9)
    assert (found.low, found.high) == pytest.approx((0.368091416, 0.801004158), abs=1e-9)
    blind = recall([TOGETHER, OFFERED, REST])
    assert blind.low == pytest.approx(0.098270063, abs=1e-9)
    assert (blind.value, blind.high) == (None, None)
    assert blind.refused == "no match was seen in rest"


def test_strata_whose_labels_are_alike() -> None:
    alike = [Stratum("a", 200, 50, 50, True), Stratum("b", 200, 50, 50, True)]
    assert precision(alike).high == 1.0
    assert cast(float, precision(alike).low) < 0.98


def test_precision_in_strata_covers() -> None:
    """Drawn 2,000 times from two strata with other shares: near 95 % of the intervals hold it."""
    rng = np.random.default_rng(0)
    sizes, shares, labels = (2000, 500), (0.95, 0.6), (60, 60)
    real = [round(n * p) for n, p in zip(sizes, shares, strict=True)]
    value, held = sum(real) / sum(sizes), 0
    for _ in range(2000):
        strata = [
            Stratum(str(i), n, m, int(rng.hypergeometric(k, n - k, m)), True)
            for i, (n, k, m) in enumerate(zip(sizes, real, labels, strict=True))
        ]
        found = precision(strata)
        held += cast(float, found.low) <= value <= cast(float, found.high)
    assert 0.93 < held / 2000 < 0.975


def test_a_variance_without_the_finite_population_is_caught() -> None:
    """Against the variance over all samples of 2 of 4 pairs."""
    labels = (1, 1, 0, 0)
    samples = [labels[i] + labels[j] for i in range(4) for j in range(i + 1, 4)]
    estimates = [4 * k / 2 for k in samples]
    mean = sum(estimates) / 6
    variance = sum((x - mean) ** 2 for x in estimates) / 6
    claimed = [Stratum("s", 4, 2, k).variance for k in samples]
    assert sum(claimed) / 6 == pytest.approx(variance)
    assert sum(x / (1 - 2 / 4) for x in claimed) / 6 != pytest.approx(variance)


def test_everything_read_is_known() -> None:
    strata = [Stratum("a", 10, 10, 9, True), Stratum("b", 30, 30, 3)]
    assert precision(strata) == precision([strata[0]])
    found = recall(strata)
    assert (found.value, found.low, found.high) == pytest.approx((0.75, 0.75, 0.75))
    nothing = recall([strata[0], Stratum("b", 30, 30, 0)])
    assert (nothing.value, nothing.low, nothing.high) == (1.0, 1.0, 1.0)


def test_a_blind_stratum_alone_leaves_a_low_end() -> None:
    found = recall([TOGETHER, REST])
    low = cast(float, precision([TOGETHER]).low) * 350
    assert found.low == pytest.approx(low / (low + REST.hidden(0.95)))
    assert found.high is None
    assert REST.hidden(0.95) == pytest.approx(100_000 * (1 - 0.025 ** (1 / 200)))
    assert REST.hidden(0.9) == pytest.approx(100_000 * (1 - 0.05 ** (1 / 200)))


def test_recall_that_cannot_be_had_says_why() -> None:
    alone = cd.pairs([TOGETHER])
    assert alone.recall_within_blocks.refused == "no stratum has pairs that were not predicted"
    none = cd.pairs([("a", 10, 5, 0, True), ("b", 10, 5, 2, False)])
    assert none.precision.value == 0
    assert none.recall_within_blocks.refused == "no predicted pair is labelled as a match"
    assert "recall within blocks: no predicted pair is labelled as a match." in none.to_text(100)


def test_recall_within_blocks_is_called_so() -> None:
    found = cd.pairs([TOGETHER, OFFERED])
    assert found.recall is None
    text = " ".join(found.to_text(80).split())
    assert "recall within blocks 0.6049 0.3681 0.8010" in text
    assert "leaves out the matches that no block offered. Label some of these pairs too" in text
    assert [r["quantity"] for r in found.records()] == ["precision", "recall_within_blocks"]
    whole = cd.pairs([TOGETHER, OFFERED, REST])
    assert whole.recall is not None
    assert whole.recall_within_blocks == found.recall_within_blocks
    assert "rest may hide up to 1,828 matches in 100,000 pairs." in whole.to_text(80)


def labelled(form: str) -> str:
    """The same strata, a row per labelled pair."""
    rows = [
        (s.name, "yes" if s.predicted else "no", word, s.pairs, "yes" if s.blocked else "no")
        for s in (TOGETHER, OFFERED, REST)
        for word in ["match"] * s.matches + ["non-match"] * (s.labelled - s.matches)
    ]
    return f"{form}\n" + "".join(",".join(map(str, row)) + "\n" for row in rows)


def test_both_forms_of_all_sources_agree(tmp_path: Path) -> None:
    wanted = cd.pairs([TOGETHER, OFFERED, REST]).to_dict()
    dicts = [
        dict(zip(TABLE.split("\n")[0].split(","), line.split(","), strict=True))
        for line in TABLE.split("\n")[1:-1]
    ]
    by_stratum, by_pair = tmp_path / "strata.csv", tmp_path / "labels.csv"
    by_stratum.write_text(TABLE)
    by_pair.write_text(labelled("stratum,predicted,label,pairs,blocked"))
    tabs = tmp_path / "strata.tsv"
    tabs.write_text(TABLE.replace(",", "\t"))
    parquet = tmp_path / "strata.parquet"
    frame = pa.Table.from_pylist(dicts)
    pa.parquet.write_table(frame, parquet)
    tuples = [tuple(s) for s in (TOGETHER, OFFERED, REST)]
    for given in (by_stratum, str(by_pair), tabs, parquet, dicts, frame, tuples):
        assert cd.pairs(given).to_dict() == wanted
    unsized = tmp_path / "unsized.csv"
    unsized.write_text(labelled("stratum,predicted,label,extra,blocked"))
    sizes = {"together": 350, "offered": 8000, "rest": 100_000}
    assert cd.pairs(unsized, sizes=sizes).to_dict() == wanted


@pytest.mark.parametrize("word", [True, 1, "1", "YES", " true ", "match", 1.0, np.True_])
def test_yes_is_written_in_many_ways(word: Any) -> None:
    found = cd.pairs([("a", 10, 5, 3, word), ("b", 10, 5, 2, "no")])
    assert found.strata[0].predicted is True
    assert found.strata[1].predicted is False


GOOD = [("a", 10, 5, 3, True), ("b", 10, 5, 2, False)]
BY_PAIR = [{"stratum": "a", "predicted": 1, "label": 1, "pairs": 9}] * 3


@pytest.mark.parametrize(
    ("strata", "options", "message", "hint"),
    [
        ([], {}, "there are no labelled pairs", "stratum, pairs, labelled"),
        (3, {}, "an int holds no strata", "stratum, pairs, labelled"),
        ([("a", 10)], {}, "a list holds no strata", "stratum, pairs, labelled"),
        ([{"stratum": "a", "pairs": 3}], {}, "no column labelled, matches, predicted; it has", ""),
        ([("a", 10, 5, 6, True)], {}, "6 matches among 5 labelled of 10 pairs", "labelled pairs"),
        ([("a", 10, 15, 6, True)], {}, "6 matches among 15 labelled of 10 pairs", "labelled pairs"),
        ([("a", 10, 2.5, 1, True)], {}, "1 of 1 values of labelled are not a whole", "whole"),
        ([("a", -1, 2, 1, True)], {}, "values of pairs are not a whole number", "whole"),
        ([("a", 10, 5, 1, "maybe")], {}, "1 of 1 values of predicted are not yes or no", "yes"),
        ([("a", 0, 0, 0, True)], {}, "stratum a has no pairs", "leave it out"),
        ([("a", 10, 1, 1, True)], {}, "1 labelled of 10 pairs, too few", "2 of its pairs"),
        ([("a", 10, 5, 1, False)], {}, "none of 1 strata ('a') is predicted", "predicted is yes"),
        ([("a", 10, 5, 1, True, False)], {}, "blocking did not offer its pairs", "never compared"),
        ([GOOD[0], GOOD[0]], {}, "1 stratum has several rows ('a')", "one row for each"),
        (GOOD, {"confidence": 0.2}, "confidence must be a number from 0.5 to 0.999", "0.95"),
        (GOOD, {"confidence": "high"}, "confidence must be a number", "0.95"),
        (GOOD, {"sizes": {"a": 3}}, "has the number of pairs in its column pairs", "leave"),
        ([{**BY_PAIR[0], "label": ""}], {}, "1 of 1 values of label are not yes or no", "decide"),
        (BY_PAIR, {"sizes": {"b": 3}}, "not given for 'a' and no labelled pair is in 'b'", "sizes"),
        ([*BY_PAIR, {**BY_PAIR[0], "pairs": 8}], {}, "1 stratum has several values of pairs", ""),
        ([*BY_PAIR, {**BY_PAIR[0], "predicted": 0}], {}, "several values of predicted", "split"),
        ([{"stratum": "a", "predicted": 1, "label": 1}], {}, "pairs is not given for 'a'", "pairs"),
    ],
)
def test_wrong_tables(strata: Any, options: Any, message: str, hint: str) -> None:
    with pytest.raises(cd.ClusterdiffError) as refused:
        cd.pairs(strata, **options)
    assert message in refused.value.message
    assert hint in refused.value.hint


def test_a_level_of_95_is_095() -> None:
    assert cd.pairs(GOOD, confidence=95).to_dict() == cd.pairs(GOOD).to_dict()
    wide, narrow = (cd.pairs(GOOD, confidence=c).precision for c in (0.99, 0.8))
    assert cast(float, wide.low) < cast(float, narrow.low) < 0.6


def test_many_strata_are_counted_not_listed() -> None:
    found = cd.pairs([(f"s{i}", 10, 5, 3, i < 5) for i in range(30)])
    assert "and 20 more strata" in found.head()
    assert len(found.to_dict()["strata"]) == 30


def test_results_are_exported() -> None:
    found = cd.pairs([TOGETHER, OFFERED, REST])
    assert found.to_frame("pyarrow").column("low").to_pylist()[2] == found.recall.low  # type: ignore[union-attr]
    assert found.to_markdown().startswith("|  | estimate | low (95 %) | high |")
    assert r"\bottomrule" in found.to_latex()
    assert ">precision</td>" in found._repr_html_()


def test_the_command(tmp_path: Path) -> None:
    table, sized = tmp_path / "strata.csv", tmp_path / "labels.csv"
    table.write_text(TABLE)
    sized.write_text(labelled("stratum,predicted,label,extra,blocked"))
    wanted = {"schema": "clusterdiff/pairs/1"} | cd.pairs(table, confidence=0.9).to_dict()
    told = run("pairs", str(table), "--confidence", "90", "-f", "json")
    assert told.code == 0, told.stderr
    assert json.loads(told.stdout) == wanted
    flags = [f"--size={s.name}={s.pairs}" for s in (TOGETHER, OFFERED, REST)]
    again = run("pairs", str(sized), *flags, "--confidence", "0.9", "-f", "json")
    assert json.loads(again.stdout) == wanted
    text = run("pairs", str(table))
    assert "recall within blocks  0.6049" in text.stdout
    piped = run("pairs", "-", stdin=TABLE.encode())
    assert piped.stdout == text.stdout


@pytest.mark.parametrize(
    ("content", "flags", "message"),
    [
        ("a,b\n1,2\n", [], "the table has no column stratum, pairs, labelled, matches, predicted"),
        ("", [], "has no rows"),
        ("stratum,pairs\n", [], "there are no labelled pairs"),
        ("stratum,pairs\na,1,2\n", [], "it has (unnamed), stratum, pairs"),
        ("stratum,pairs\na,1\nb,1,2\n", [], "1 of 2 rows"),
        ("stratum,predicted,label\na,1,1\n", [], "Hint: give the number of pairs in each"),
        (TABLE, ["--size", "x"], "--size x is not a stratum and its number of pairs."),
        (TABLE, ["--confidence", "20"], "confidence must be a number from 0.5 to 0.999"),
    ],
)
def test_the_command_refuses_in_a_paragraph(
    content: str, flags: list[str], message: str, tmp_path: Path
) -> None:
    path = tmp_path / "labels.csv"
    path.write_text(content)
    ran = run("pairs", str(path), *flags)
    assert ran.code == 2
    assert message in ran.stderr
    assert "Traceback" not in ran.stderr


def test_math_is_that_of_the_logit() -> None:
    """The ends of recall are symmetric on the logit scale."""
    found = recall([TOGETHER, OFFERED])
    logits = [math.log(cast(float, x) / (1 - cast(float, x))) for x in
              (found.low, found.value, found.high)]  # fmt: skip
    assert logits[1] - logits[0] == pytest.approx(logits[2] - logits[1])
