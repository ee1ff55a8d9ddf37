"""Slices: which values of other columns go with errors, against a count object by object."""

from __future__ import annotations

import csv
import io
import random
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import stats

import clusterdiff as cd
from cli.runner import run
from clusterdiff.errors import ClusterdiffError
from clusterdiff.explain.slices import OBJECTS, UNITS, slices_of
from clusterdiff.output.text import columns
from journeys.places import DATA

SIDES: dict[str, Any] = {"truth": "gold", "guess": "run"}


def table(seed: int, n: int = 400, samples: int = 0) -> pd.DataFrame:
    """Random pairs and triples, split and merged here and there, with columns of every sort."""
    rng = random.Random(seed)
    gold = [rng.randrange(12 if samples else n // 3) for _ in range(n)]
    run = [f"c{g // 2 if g % 5 == 0 else g}{'x' if rng.random() < 0.1 else ''}" for g in gold]
    names = ["ann", "bob", "cy", "a b c", "a  b"]
    return pd.DataFrame(
        {
            "id": range(n),
            "gold": gold,
            "run": run,
            "colour": [rng.choice(["red", "blue", "green", None]) for _ in range(n)],
            "weight": [rng.choice([None, rng.gauss(0, 1)]) for _ in range(n)],
            "name": [f"{rng.choice(names)}{rng.randrange(40)}" for _ in range(n)],
            "rare": ["yes" if i < OBJECTS - 1 else "no" for i in range(n)],
            "same": "x",
            **({"doc": [f"d{rng.randrange(samples)}" for _ in range(n)]} if samples else {}),
        }
    )


def sliced(frame: Any, **options: Any) -> Any:
    told: Any = cd.explain(frame, **{**SIDES, **options})
    return told.slices()


# An oracle: the definition, object by object.


def units_of(frame: pd.DataFrame) -> list[int]:
    """The component of each object, by walking from object to object."""
    unit = [-1] * len(frame)
    rows = list(frame[["gold", "run"]].itertuples(index=False, name=None))
    for start in range(len(rows)):
        waiting = [start] if unit[start] < 0 else []
        while waiting:
            at = waiting.pop()
            unit[at] = start
            waiting += [
                i
                for i, row in enumerate(rows)
                if unit[i] < 0 and (row[0] == rows[at][0] or row[1] == rows[at][1])
            ]
    return unit


def loss_of_bcubed_precision(frame: pd.DataFrame, count: list[int]) -> list[float]:
    """What each object takes off the mean, with all its copies."""
    rows = list(zip(frame["gold"].tolist(), frame["run"].tolist(), count, strict=True))
    lost = []
    for g, r, n in rows:
        beside = [other for other, own, many in rows if own == r for _ in range(many)]
        lost.append(n * (1 - beside.count(g) / len(beside)) / sum(count))
    return lost


def variance_of(
    groups: list[Any], inside: list[bool], lost: list[float], count: list[int]
) -> float:
    """The variance of a slice's excess that is as much together in groups as this one, by that of
    belonging to it.
    """
    share, total = sum(inside) / len(inside), sum(lost)
    excess = [value / total - n / sum(count) for value, n in zip(lost, count, strict=True)]
    apart = more = 0.0
    together = 0.0
    for group in set(groups):
        own = [i for i, g in enumerate(groups) if g == group]
        together += sum(excess[i] for i in own) ** 2
        if len(own) > 1:
            off = sum(inside[i] for i in own) - share * len(own)
            apart += off**2 / len(own) / (share * (1 - share)) - 1
            more += len(own) - 1
    alike = min(1.0, max(0.0, apart / more)) if more else 0.0
    return (1 - alike) * sum(value**2 for value in excess) + alike * together


def expected(
    frame: pd.DataFrame, inside: list[bool], unit: list[Any], lost: list[float], count: list[int]
) -> dict[str, Any]:
    """What is said of a slice; p before the correction."""
    every = (unit, frame["gold"].tolist(), frame["run"].tolist())
    draws = 1 / max(variance_of(groups, inside, lost, count) for groups in every)
    loss = sum(v for v, i in zip(lost, inside, strict=True) if i)
    objects = sum(n for n, i in zip(count, inside, strict=True) if i)
    share, part = objects / sum(count), loss / sum(lost)
    wrong = [
        n
        for n, i, gold, run in zip(count, inside, frame["gold"], frame["run"], strict=True)
        if i and not frame.index[frame["gold"] == gold].equals(frame.index[frame["run"] == run])
    ]
    p = stats.beta.cdf(share, part * draws, (1 - part) * draws + 1) if part > share else 1.0
    return {
        "objects": objects, "share": share, "wrong": sum(wrong), "loss": loss,
        "units": len({u for u, i in zip(unit, inside, strict=True) if i}), "loss_share": part,
        "excess": part - share, "ratio": part / share, "p": p,
    }  # fmt: skip


def members(frame: pd.DataFrame, row: dict[str, Any]) -> list[bool]:
    """The objects that a slice is about, from its words alone."""
    values = frame[row["attribute"]].tolist()
    known = [not (v is None or v != v) for v in values]
    match row["kind"]:
        case "missing":
            return [not k for k in known]
        case "value":
            return [k and str(v) == row["value"] for k, v in zip(known, values, strict=True)]
    measured = {"range": float, "words": lambda v: len(v.split()), "characters": len}[row["kind"]]
    ends = [float(end) for end in row["value"].split(" to ")]
    return [
        k and ends[0] <= measured(v) <= ends[-1]  # type: ignore[operator]
        for k, v in zip(known, values, strict=True)
    ]


@pytest.mark.parametrize(("seed", "samples", "most"), [(1, 0, 1), (2, 0, 4), (3, 15, 1)])
def test_slices_are_those_of_the_definition(seed: int, samples: int, most: int) -> None:
    frame = table(seed, 250, samples)
    options = {"by": "bcubed_precision", **({"samples": "doc"} if samples else {})}
    count = [1 + i % most for i in range(len(frame))]
    found = sliced(frame, **options, **({"count": count} if most > 1 else {}))
    assert found.objects == sum(count)
    if samples:  # clusters of different documents are different ones
        frame = frame.assign(
            **{own: frame[own].astype(str) + frame["doc"] for own in ("gold", "run")}
        )
    unit = frame["doc"].tolist() if samples else units_of(frame)
    rows = found.records()
    kinds = {(row["attribute"], row["kind"]) for row in rows}
    assert {("colour", "missing"), ("colour", "value"), ("weight", "range")} <= kinds
    assert {("name", "words"), ("name", "characters")} <= kinds
    plain, lost = [], loss_of_bcubed_precision(frame, count)
    for row in rows:
        oracle = expected(frame, members(frame, row), unit, lost, count)
        plain.append(oracle.pop("p"))
        assert {key: row[key] for key in oracle} == pytest.approx(oracle, rel=1e-9, abs=1e-12), row
    order = np.argsort(plain, kind="stable")
    holm = np.maximum.accumulate(
        [min(1.0, plain[i] * (len(plain) - k)) for k, i in enumerate(order)]
    )
    assert [rows[i]["p"] for i in order] == pytest.approx(holm.tolist(), rel=1e-6)
    assert [row["excess"] for row in rows] == sorted((r["excess"] for r in rows), reverse=True)
    assert found.tested == len(rows)


@pytest.mark.parametrize("seed", range(4))
def test_no_slice_is_below_the_minimum(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = 300
    frame = pd.DataFrame({"id": range(n), "gold": np.arange(n) // 30, "run": rng.integers(0, 9, n)})
    frame["gold"] = np.where(np.arange(n) < 200, frame["gold"], np.arange(n))
    frame["run"] = np.where(np.arange(n) < 200, frame["run"], np.arange(n))
    for k in range(30):
        frame[f"a{k}"] = (np.arange(n) + rng.integers(0, n)) % n < 10 + k
    rows = sliced(frame).records()
    assert 0 < len(rows) < 60
    for row in rows:
        assert row["objects"] >= OBJECTS, row
        assert row["units"] >= UNITS, row
    others = {(row["attribute"], row["value"]) for row in sliced(table(seed)).records()}
    assert ("rare", "no") in others
    assert others.isdisjoint({("rare", "yes"), ("same", "x")})


def test_people_without_a_date_of_birth_are_often_wrong() -> None:
    path = DATA / "febrl3_people.csv"
    if not path.exists():
        pytest.skip("the real data sets are not here")
    told: Any = cd.explain(f"{path}::entity", f"{path}::splink_v1", show="all")
    found = told.slices()
    assert (found.wrong, found.objects) == (495, 5_000)
    [worst] = found.standing_out()
    assert worst.title == "date_of_birth is missing"
    assert (worst.objects, worst.wrong) == (155, 53)
    assert worst.p < 1e-6
    frame = pl.read_csv(path)
    lacks = frame["date_of_birth"].is_null().to_numpy()
    scores = cd.objects(f"{path}::entity", f"{path}::splink_v1")
    wrong = 1 - np.array([scores.to_dict()[id] for id in frame["rec_id"].to_list()])
    assert worst.loss_share == pytest.approx(wrong[lacks].sum() / wrong.sum())
    told = run("explain", f"{path}::entity", f"{path}::splink_v1", "--slices")
    assert "    3.1 %   34.2 %   14.9 %     4.8  p < 0.001  date_of_birth is missing" in told.stdout


def test_shuffled_values_do_not_stand_out() -> None:
    rng = np.random.default_rng(7)
    frame = table(5, 600).drop(columns=["rare", "same"])
    for _ in range(3):
        own = [name for name in frame.columns if name not in ("id", "gold", "run")]
        mixed = frame.assign(**{name: frame[name].sample(frac=1, random_state=rng).to_numpy()
                                for name in own})  # fmt: skip
        found = sliced(mixed)
        assert found.standing_out() == []
        assert f"No slice stands out among {found.tested} that were tested" in " ".join(
            str(found).split()
        )
        assert found.table().rows == ()


def planted(value: Any = "bad", name: Any = "source") -> pd.DataFrame:
    """Pairs, of which those with a value are split more often."""
    rng = np.random.default_rng(3)
    gold = np.arange(600) // 2
    bad = gold % 10 == 0
    run = np.where((np.arange(600) % 2 == 1) & (rng.random(600) < np.where(bad, 0.9, 0.05)),
                   gold + 1_000, gold)  # fmt: skip
    values = pd.Series([value if one else "good" for one in bad], dtype=object)
    return pd.DataFrame({"id": range(600), "gold": gold, "run": run, name: values})


def test_a_planted_slice_stands_out_whichever_way_it_is_written(tmp_path: Path) -> None:
    frame = planted()
    found = sliced(frame)
    assert [one.title for one in found.standing_out()] == ["source is bad"]
    path = tmp_path / "people.csv"
    frame.to_csv(path, index=False)
    called = ["explain", f"{path}::gold", f"{path}::run", "--slices"]
    data = run(*called, "-f", "csv").stdout
    assert [row["value"] for row in csv.DictReader(io.StringIO(data))] == ["bad", "good"]
    assert next(iter(csv.DictReader(io.StringIO(data)))).keys() == set(type(found).columns)
    assert "| source is bad |" in run(*called, "-f", "md").stdout
    assert found.to_frame("pandas")["value"].tolist() == ["bad", "good"]
    assert found.to_frame("polars").columns == list(type(found).columns)
    assert max(map(columns, str(found.to_text(80)).split("\n"))) <= 80
    assert "source is bad" in found._repr_html_()
    assert len(found.records(1)) == 1
    good = next(one for one in found.slices if one.value == "good")
    assert good.p == 1
    assert good.ratio < 1


HOSTILE = [
    "<script>alert(1)</script>", "=cmd|' /C calc'!A0", "\x1b[2J\x1b]0;x\x07", "a\nb\r\nc\td",
    "x" * 100_000, "‮abc", "{}", "%s {0} {value}", "words", "\ud800", "", "missing",
]  # fmt: skip


@pytest.mark.parametrize("value", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_values_are_harmless(value: str) -> None:
    names = [] if value in ("", "\ud800") else [planted(name=value)]
    for frame in (planted(value), *names):
        found = sliced(frame)
        text = found.to_text(80)
        assert len(found.standing_out()) == 1
        assert "\x1b" not in text
        assert max(map(columns, text.split("\n"))) <= 80
        assert len(text) < 3_000
        lines = list(csv.reader(io.StringIO(found.to_csv())))
        assert not any(cell.startswith("=") for line in lines for cell in line)
        assert "<script>" not in found._repr_html_()
        assert found.to_json()
        assert found.to_markdown()


@pytest.mark.parametrize("value", [[1, 2], {"a": 1}, b"\x00", (1, "x"), object], ids=repr)
def test_values_of_any_type_are_slices(value: Any) -> None:
    assert len(sliced(planted(value)).standing_out()) == 1


def test_values_of_several_types() -> None:
    rows = [1, 1.0, True, "1", None, np.float64(2), "a b"]
    assert [(kind, value, some.tolist()) for kind, value, some in slices_of(rows)] == [
        ("missing", None, [4]),
        ("value", "1", [0, 1, 2]),
        ("value", "1", [3]),
        ("value", "2", [5]),
        ("value", "a b", [6]),
    ]
    dates = pd.date_range("2020-01-01", periods=100).to_list()
    found = list(slices_of([*dates, None]))
    assert [kind for kind, _, _ in found] == ["missing", *["range"] * 5]
    assert [some.size for _, _, some in found] == [1, 20, 20, 20, 20, 20]
    mixed = [*dates, *range(100)]
    assert sum(some.size for kind, _, some in slices_of(mixed) if kind == "characters") == 200
    assert list(slices_of([])) == []
    skewed = [0] * 90 + list(range(1, 61))
    assert [(v, some.size) for _, v, some in slices_of(skewed)] == [
        ("0", 90),
        ("1 to 30", 30),
        ("31 to 60", 30),
    ]


def test_slices_change_no_score() -> None:
    frame = planted()
    told: Any = cd.explain(frame, **SIDES)
    plain: Any = cd.explain(frame, **SIDES, show="none")
    before = str(told)
    told.slices()
    assert str(told) == before
    assert told.score.value == plain.score.value
    assert told.score.signature == plain.score.signature
    for by in ("elm_f", "bcubed_f", "pair_f", "nmi", "accuracy", "vi_similarity"):
        explained: Any = cd.explain(frame, **SIDES, by=by)
        found = explained.slices()
        assert found.loss == pytest.approx(explained.lost, abs=1e-12)
        assert sum(one.loss for one in found.slices) == pytest.approx(found.loss)


def test_columns_are_all_those_that_are_not_ids_or_clusters() -> None:
    wide = planted().assign(**{f"c{i}": np.arange(600) % 3 for i in range(20)})
    names = {row["attribute"] for row in sliced(wide).records()}
    assert names == {"source", *(f"c{i}" for i in range(20))}
    assert {r["attribute"] for r in sliced(wide, show="c3,c9").records()} == {"c3", "c9"}
    own = sliced(planted(), records=wide[["id", "c5"]])
    assert {row["attribute"] for row in own.records()} == {"c5"}


def one_component() -> pd.DataFrame:
    return pd.DataFrame(
        {"id": range(90), "gold": [0, 1, 2] * 30, "run": [0] * 45 + [1] * 45, "x": [1, 2] * 45}
    )


def test_what_cannot_be_tested_is_said() -> None:
    same = planted().assign(run=planted()["gold"])
    assert "since none can be tested: nothing is lost" in " ".join(str(sliced(same)).split())
    once = same.assign(run=np.where(np.arange(600) == 1, 9_999, same["gold"]))
    assert sliced(once).standing_out() == []  # the only error, in one slice of ten by chance
    assert "none has 20 objects in 5 components" in " ".join(str(sliced(one_component())).split())
    few = pd.DataFrame({"id": range(80), "gold": np.arange(80) // 10, "x": np.arange(80) % 2})
    few = few.assign(run=np.where(np.arange(80) % 10 == 0, few["gold"] + 100, few["gold"]))
    assert "there are 8 components, and a test needs 10" in " ".join(str(sliced(few)).split())
    assert sliced(few).records()[0]["p"] is None


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        (lambda: sliced(planted(), show="none"), "there is nothing to slice by"),
        (lambda: sliced(planted()[["id", "gold", "run"]]), "there is nothing to slice by"),
        (
            lambda: cd.explain(planted(), **SIDES).slices(units="objects"),
            "by leaving out components, or samples",
        ),
        (
            lambda: cd.explain(planted(), **SIDES).slices(units="samples"),
            "need samples, and there are none",
        ),
    ],
)
def test_slices_that_there_are_not_are_refused(asked: Any, words: str) -> None:
    with pytest.raises(ClusterdiffError, match=words):
        asked()


def test_a_table_that_is_gone_has_no_slices(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    planted().to_csv(path, index=False)
    told: Any = cd.explain(f"{path}::gold", f"{path}::run")
    path.unlink()
    with pytest.raises(ClusterdiffError, match="says nothing of these objects"):
        told.slices()


def test_what_is_too_large_for_memory_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "people.csv"
    planted().to_csv(path, index=False)
    monkeypatch.setattr("clusterdiff.io.session.NAMED", 10**12)
    told: Any = cd.explain(f"{path}::gold", f"{path}::run")
    with pytest.raises(ClusterdiffError, match="too large for that"):
        told.slices()


@pytest.mark.parametrize("more", [["--only", "split"], ["--object", "1"], ["--uncertainty"]])
def test_flags_that_do_not_go_together(more: list[str], tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    planted().to_csv(path, index=False)
    done = run("explain", f"{path}::gold", f"{path}::run", "--slices", *more)
    assert done.code == 2
    assert "--slices is about all objects" in done.stderr


def companions(given: dict[int, set[str]]) -> list[dict[int, int]]:
    """For each object, with whom it shares clusters, and how many."""
    return [
        {other: len(own & theirs) for other, theirs in given.items() if own & theirs}
        for own in given.values()
    ]


def walked(sides: list[list[dict[int, int]]]) -> list[int]:
    """The component of each object, from companion to companion."""
    unit = [-1] * len(sides[0])
    for start in range(len(unit)):
        waiting = [start] if unit[start] < 0 else []
        while waiting:
            at = waiting.pop()
            if unit[at] < 0:
                unit[at] = start
                waiting += [*sides[0][at], *sides[1][at]]
    return unit


@pytest.mark.parametrize("seed", range(3))
def test_slices_of_covers_are_those_of_the_definition(seed: int) -> None:
    """Loss, errors and components of overlapping clusters, object by object."""
    rng = random.Random(seed)
    n = 240
    truth = {i: {f"t{i // 4}"} | ({f"u{i // 8}"} if i % 8 < 5 else set()) for i in range(n)}
    moved = {i: {f"t{(i // 4) ^ 1}"} for i in range(n) if rng.random() < 0.1}
    guess = {i: moved.get(i, truth[i]) for i in range(n)}
    colours = [rng.choice(["red", "blue", None]) for _ in range(n)]
    records = pd.DataFrame({"id": range(n), "colour": colours})
    sides = cd.Cover(truth), cd.Cover(guess)
    told: Any = cd.explain(*sides, "extended_bcubed_precision", records=records)
    found = told.slices()
    with_truth, with_guess = companions(truth), companions(guess)
    lost = []
    for i in range(n):
        own = with_guess[i]
        kept = [min(many, with_truth[i].get(j, 0)) / many for j, many in own.items()]
        lost.append((1 - sum(kept) / len(kept)) / n)
    unit = walked([with_truth, with_guess])
    members = [
        {frozenset(i for i in range(n) if c in own[i]) for c in set().union(*own.values())}
        for own in (truth, guess)
    ]
    exact = members[0] & members[1]
    wrong = [
        any(i in some for some in (members[0] ^ members[1])) for i in range(n)
    ]  # a cluster that the other side has not
    assert len(exact) < len(members[0])
    assert found.units == "components"
    assert found.number == len(set(unit))
    assert found.loss == pytest.approx(sum(lost))
    assert found.wrong == sum(wrong)
    sets = ([frozenset(own[i]) for i in range(n)] for own in (truth, guess))
    keys: list[list[Any]] = [unit, *sets]
    groups = [[list(dict.fromkeys(key)).index(one) for one in key] for key in keys]
    raw = {}
    for colour in ("red", "blue", None):
        inside = [c == colour for c in colours]
        share = sum(inside) / n
        part = sum(v for v, i in zip(lost, inside, strict=True) if i) / sum(lost)
        draws = 1 / max(variance_of(each, inside, lost, [1] * n) for each in groups)
        p = stats.beta.cdf(share, part * draws, (1 - part) * draws + 1) if part > share else 1.0
        raw[colour] = sum(inside), part, p
    for row in found.records():
        many, part, p = raw[row["value"]]
        assert row["objects"] == many
        assert row["loss_share"] == pytest.approx(part)
        assert row["p"] >= p - 1e-12  # corrected for three tests
        assert row["p"] <= min(1.0, 3 * p) + 1e-12
    assert len(found.records()) == 3


@pytest.mark.parametrize("counted", [False, True])
def test_partitions_as_covers_have_the_same_slices(counted: bool) -> None:
    """Also with counts."""
    frame = planted()
    own: dict[str, Any] = {}
    if counted:
        own["count"] = {i: 1 + k % 3 for k, i in enumerate(frame["id"].tolist())}
    hard = sliced(frame, by="bcubed_precision", **own)
    sides = [cd.Cover(dict(zip(frame["id"], frame[s].map(lambda c: [c]), strict=True)))
             for s in ("gold", "run")]  # fmt: skip
    records = frame.drop(columns=["gold", "run"])
    soft: Any = cd.explain(sides[0], sides[1], "extended_bcubed_precision", records=records, **own)
    for one, other in zip(hard.records(), soft.slices().records(), strict=True):
        assert one == pytest.approx(other)
    assert [s.title for s in hard.standing_out()] == [s.title for s in soft.slices().standing_out()]


def test_covers_at_the_prompt(tmp_path: Path) -> None:
    frame = planted().rename(columns={"gold": "cluster"})
    frame.drop(columns="run").to_csv(tmp_path / "truth.csv", index=False)
    frame[["id", "run"]].rename(columns={"run": "cluster"}).to_csv(tmp_path / "g.csv", index=False)
    sides = str(tmp_path / "truth.csv"), str(tmp_path / "g.csv")
    done = run("explain", *sides, "--kind", "cover", "--slices")
    assert done.code == 0, done.stderr
    assert "1 of " in done.stdout
    assert "tested slices stands out" in " ".join(done.stdout.split())


def test_uncertain_clusterings_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "topics.csv"
    path.write_text("id,cluster,p,x\n1,a,0.5,u\n1,b,0.5,u\n2,a,1,v\n")
    done = run("explain", str(path), str(path), "--kind", "fuzzy", "--degree", "p", "--slices",
               "--records", str(path))  # fmt: skip
    assert done.code == 2
    assert "uncertain clusterings have none" in done.stderr
