"""Drawing records to label: the same by seed, each with the same chance, read back filled in."""

from __future__ import annotations

import csv
import json
import warnings
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import clusterdiff as cd
from cli.runner import run as command
from clusterdiff.sampling.sample import OTHERS
from sampled_cases import synthetic

TRUTH, RUN = synthetic(seed=8, clusters=600)


def write(path: Path, labels: dict[Any, Any], seed: int | None = None) -> str:
    order = list(labels)
    if seed is not None:
        order = np.random.default_rng(seed).permutation(order).tolist()
    path.write_text("id,cluster\n" + "".join(f"{i},{labels[i]}\n" for i in order))
    return str(path)


def test_the_same_seed_draws_the_same_whatever_the_order(tmp_path: Path) -> None:
    import duckdb

    expected = cd.draw(RUN, 50, seed=1).to_csv()
    one = write(tmp_path / "one.csv", RUN)
    other = write(tmp_path / "other.csv", RUN, seed=5)
    frame = pd.DataFrame({"id": list(RUN), "cluster": list(RUN.values())})
    with duckdb.connect() as connection:
        relation = connection.from_df(frame)
        found = [cd.draw(run, 50, seed=1) for run in (one, other, frame, relation)]
        found.append(cd.draw(one, 50, seed=1, engine="arrays"))
    assert [drawn.to_csv() for drawn in found] == [expected] * 5
    assert cd.draw(RUN, 50, seed=2).to_csv() != expected


def test_draws_are_counted_and_have_the_same_chance() -> None:
    small = {"a": 1, "b": 1, "c": 2, "d": 3}
    hits: Counter[str] = Counter()
    for seed in range(500):
        drawn = cd.draw(small, 8, seed=seed)
        assert sum(number for _, number, _ in drawn.rows) == drawn.hits == 8
        hits.update({id: number for id, number, _ in drawn.rows})
    assert sum(hits.values()) == 4000
    assert all(abs(hits[id] - 1000) < 4 * np.sqrt(4000 * 0.25 * 0.75) for id in small)


def test_a_drawn_record_comes_with_its_cluster() -> None:
    drawn = cd.draw(RUN, 30, seed=3)
    ids = [id for id, _, _ in drawn.rows]
    assert len(ids) == len(set(ids))
    clusters = {RUN[id] for id, hits, _ in drawn.rows if hits}
    assert set(ids) == {i for i, c in RUN.items() if c in clusters}
    assert all(RUN[id] == cluster for id, _, cluster in drawn.rows)
    few = cd.draw(dict.fromkeys(range(1000), 1), 3, seed=3, candidates=5)
    assert len(few) == 8
    assert few.left_out == 992
    assert list(few.to_frame().columns) == ["id", "truth", OTHERS, "hits", "run"]
    asked = [row[OTHERS] for row in few.records()]
    assert asked == ["?" if row["hits"] else None for row in few.records()]


def test_a_large_cluster_in_a_file_is_cut_alike(tmp_path: Path) -> None:
    labels = {i: i % 2 for i in range(500)}
    path = write(tmp_path / "run.csv", labels)
    here, there = (cd.draw(run, 20, seed=3, candidates=5) for run in (labels, path))
    assert here.to_csv() == there.to_csv()
    assert here.left_out == there.left_out > 400


def test_a_file_is_never_written_over(tmp_path: Path) -> None:
    run = write(tmp_path / "run.csv", RUN)
    out = tmp_path / "to_label.csv"
    out.write_text("id,truth\n1,mine\n")
    with pytest.raises(cd.ClusterdiffError, match="exists, and may have been filled in"):
        cd.draw(RUN, 5).write(out)
    ran = command("draw", run, "--records", "5", "-o", str(out))
    assert ran.code == 2
    assert "exists, and may have been filled in" in ran.stderr
    assert out.read_text() == "id,truth\n1,mine\n"
    fresh = tmp_path / "fresh.csv"
    cd.draw(RUN, 5, seed=2).write(fresh)
    assert fresh.read_text() == cd.draw(run, 5, seed=2).to_csv()


@pytest.mark.parametrize("records", [0, -1, 2.5, True, "x"])
def test_wrong_numbers(records: Any) -> None:
    with pytest.raises(cd.ClusterdiffError, match="records must be a whole number from 1 on"):
        cd.draw(RUN, records)


def test_only_partitions() -> None:
    with pytest.raises(
        cd.ClusterdiffError, match="records are drawn from a partition, and the run is a cover"
    ):
        cd.draw(cd.Cover({"x": {1, 2}}), 3)


def fill_in(path: Path, filled: Path) -> None:
    """What a person does: name the true clusters, and add members that are not listed."""
    with path.open() as file:
        rows = list(csv.DictReader(file))
    drawn = {TRUTH[int(row["id"])] for row in rows if int(row["hits"])}
    listed = {int(row["id"]) for row in rows}
    for row in rows:
        own = TRUTH[int(row["id"])]
        row["truth"] = f"person {own}" if own in drawn else ""
    rows += [
        {"id": str(i), "truth": f"person {c}"}
        for i, c in TRUTH.items()
        if c in drawn and i not in listed
    ]
    with filled.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


def labelled(folder: Path, records: int) -> tuple[str, str]:
    """The run, and a sample of it that was filled in, as files."""
    run, out, filled = (
        write(folder / "run.csv", RUN),
        folder / "to_label.csv",
        folder / "filled.csv",
    )
    cd.draw(run, records, seed=1).write(out)
    fill_in(out, filled)
    return run, str(filled)


def test_draw_fill_in_estimate(tmp_path: Path) -> None:
    run = write(tmp_path / "run.csv", RUN, seed=1)
    out, filled = tmp_path / "to_label.csv", tmp_path / "filled.csv"
    ran = command("draw", run, "--records", "200", "--seed", "1", "-o", str(out))
    assert (ran.code, ran.stdout) == (0, "")
    assert f"200 draws of {len(RUN):,} records" in ran.stderr
    assert f"clusterdiff estimate {out} {run} --design records" in ran.stderr
    printed = command("draw", run, "--records", "200", "--seed", "1", "-o", "-")
    assert printed.stdout == out.read_text()
    unfilled = command("estimate", str(out), run, "--design", "records")
    assert unfilled.code == 2
    assert "no object of the sample has a cluster" in unfilled.stderr
    fill_in(out, filled)
    found = {}
    for engine in ("duckdb", "arrays"):
        flags = ("--design", "records", "--engine", engine, "-m", "elm_f,pair_f,nmi")
        ran = command("estimate", str(filled), run, *flags, "-f", "json", "--plan", "elm_f=0.01")
        assert ran.code == 0, ran.stderr
        found[engine] = json.loads(ran.stdout)
    assert found["duckdb"] == found["arrays"]
    made = found["duckdb"]
    assert made["sample"]["hits"] == 200
    assert made["sample"]["population"] == len(RUN)
    assert made["plan"]["assured"] > made["plan"]["plain"]
    for text, score in made["guesses"]["run.csv"].items():
        whole = float(cd.compare(TRUTH, RUN, text)[text])
        assert abs(score["value"] - whole) < 4 * score["ci"]["se"]
        assert score["signature"]["design"] == "records"
    more = ("--hits", "hits", "--confidence", "90", "--plan", "elm_f=0.01", "--signatures")
    shown = command("estimate", str(filled), run, "--design", "records", "-m", "elm_f", *more)
    assert shown.code == 0
    assert "K_eff" in shown.stdout
    assert "200 records drawn from" in shown.stdout
    assert "elm_f ± 0.01 at 90 %" in shown.stdout
    assert "|design:records|hits:200|" in shown.stdout


def test_a_drawn_record_without_its_cluster_is_named(tmp_path: Path) -> None:
    run, filled = labelled(tmp_path, 20)
    with open(filled) as file:
        rows = list(csv.DictReader(file))
    first = next(row for row in rows if int(row["hits"] or 0))
    first["truth"] = ""
    lines = [",".join(row.values()) for row in rows]
    Path(filled).write_text("\n".join([",".join(first), *lines]) + "\n")
    ran = command("estimate", filled, run, "--design", "records")
    assert ran.code == 2
    assert "1 drawn record has no cluster" in ran.stderr
    assert first["id"] in ran.stderr


@pytest.mark.parametrize(
    ("flags", "text"),
    [
        ((), "how were the clusters drawn?\n  Hint: --design records if records"),
        (("--design", "recrods"), "Hint: did you mean records?"),
        (("--design", "records", "--hits", "hit"), "has no column 'hit'"),
        (("--design", "records", "-m", "accuracy"), "accuracy needs whole components"),
        (("--design", "records", "--plan", "elm_f"), "is not a measure and a half-width"),
        (("--design", "records", "--plan", "elm_g=0.1"), "no measure is called 'elm_g'"),
        (("--design", "records", "--confidence", "20"), "confidence must be a number from"),
        (("--design", "records", "--population", "3"), "population is the number of all records"),
    ],
)
def test_wrong_uses_at_the_prompt(flags: tuple[str, ...], text: str, tmp_path: Path) -> None:
    run, filled = labelled(tmp_path, 20)
    ran = command("estimate", filled, run, *flags)
    assert (ran.code, ran.stdout) == (2, "")
    assert text in ran.stderr


def test_the_command_takes_several_guesses_and_all_formats(tmp_path: Path) -> None:
    run, filled = labelled(tmp_path, 60)
    worse = write(tmp_path / "worse.csv", {i: f"{c} {i % 5 == 0}" for i, c in RUN.items()})
    flags = ("--design", "records", "-m", "elm_f")
    for format, sign in (("text", "run.csv"), ("csv", "ci_low"), ("latex", "toprule"),
                         ("markdown", "| "), ("json", '"differences"')):  # fmt: skip
        ran = command("estimate", filled, worse, run, *flags, "-f", format)
        assert ran.code == 0, ran.stderr
        assert sign in ran.stdout
        if format == "text":
            assert "K_eff of worse.csv: elm_f" in ran.stdout


def test_flags_that_name_columns_of_the_run_leave_the_sample_alone(tmp_path: Path) -> None:
    run = tmp_path / "run.csv"
    run.write_text("rec,other,group\n" + "".join(f"{i},x,{c}\n" for i, c in RUN.items()))
    flags = ("--id", "rec", "--cluster", "group")
    out, filled = tmp_path / "to_label.csv", tmp_path / "filled.csv"
    drawn = command("draw", str(run), "--records", "60", "-o", str(out), *flags)
    assert drawn.code == 0, drawn.stderr
    fill_in(out, filled)
    asked = ("--design", "records", "-m", "elm_f", "-f", "json")
    ran = command("estimate", str(filled), str(run), *asked, *flags)
    assert ran.code == 0, ran.stderr
    plain = write(tmp_path / "plain.csv", RUN)
    expected = json.loads(command("estimate", str(filled), plain, *asked).stdout)
    assert json.loads(ran.stdout)["guesses"]["run.csv"] == expected["guesses"]["plain.csv"]
    asked = ("--design", "records", "-m", "elm_f", "--cluster", "grup")
    assert "no column 'grup'" in command("estimate", str(filled), str(run), *asked).stderr


def sheet(*lines: str) -> pd.DataFrame:
    """A small file that was filled in: id, truth, others, hits, run."""
    names = ["id", "truth", OTHERS, "hits", "run"]
    rows = [[cell or None for cell in line.split(",")] for line in lines]
    return pd.DataFrame(rows, columns=names)


RUNS = {"r1": "a", "r2": "a", "r3": "b", "r4": "b", "r5": "c", "r6": "d", "r7": "d"}


@pytest.mark.parametrize("named", ["r3;r4", "r3; r4", "r3 r4", " r4 ,r3", "r2 r3 r4 r3"])
def test_other_members_are_read_from_their_cell(named: str) -> None:
    rows = [["r1", "x", named, 1, "a"], ["r2", None, None, 0, "a"], ["r5", "y", "none", 1, "c"]]
    frame = pd.DataFrame(rows, columns=["id", "truth", OTHERS, "hits", "run"])
    found = cd.estimate(frame, RUNS, "pair_f", design="records")
    whole = {"r1": "x", "r3": "x", "r4": "x", "r5": "y"}
    whole |= {"r2": "x"} if "r2" in named else {}
    wanted = cd.estimate(whole, RUNS, "pair_f", design="records", hits=["r1", "r5"])
    assert found["pair_f"].sign() == wanted["pair_f"].sign()


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        (("r1,x,r3,1,a", "r5,y,r3,1,c"), "'r3' is named beside 'r5', which has the cluster 'y'"),
        (("r1,x,?,1,a", "r2,,r6,0,a"), "'r6' is named beside 'r2', which has no cluster"),
        (("r1,x,?,1,a", "r1,x,,,"), "1 record of the sample has several lines"),
        (("r1,x,r99,1,a", "r5,y,none,1,c"), "only in truth"),
    ],
)
def test_cells_that_contradict_are_refused(lines: tuple[str, ...], said: str) -> None:
    with pytest.raises(cd.ClusterdiffError, match=said):
        cd.estimate(sheet(*lines), RUNS, design="records")


def test_numbers_are_asked_for_where_ids_are_numbers() -> None:
    frame = sheet("1,x,,1,a", "3,y,,1,b").astype({"id": int, OTHERS: float})
    frame.loc[0, OTHERS] = 2.0
    found = cd.estimate(frame, {1: "a", 2: "c", 3: "b", 4: "b"}, "pair_recall", design="records")
    assert found["pair_recall"].value == 0
    with pytest.raises(cd.ClusterdiffError, match="'two', named as another member, is not an id"):
        cd.estimate(sheet("1,x,two,1,a").astype({"id": int}), {1: 1, 2: 1}, design="records")


@pytest.mark.parametrize(
    ("lines", "warned", "noted"),
    [
        (("r1,x,?,1,a", "r2,x,,0,a", "r5,y,?,1,c"), True, False),
        (("r1,x,none,1,a", "r2,x,,0,a", "r5,y,?,1,c"), True, True),
        (("r1,x,none,1,a", "r2,x,,0,a", "r5,y,-,1,c"), False, False),
        (("r1,x,,1,a", "r2,x,,0,a", "r5,y,,1,c"), False, False),
        (("r1,x,r3,1,a", "r2,x,,0,a", "r5,y,?,1,c"), False, True),
        (("r1,x,?,1,a", "r2,x,,0,a", "r5,y,?,1,c", "r3,x,,,"), False, False),
    ],
)
def test_question_marks_that_are_left(lines: tuple[str, ...], warned: bool, noted: bool) -> None:
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        report = cd.estimate(sheet(*lines), RUNS, "elm_f", design="records")
    assert ["only the listed lines were filled in" in str(one.message) for one in said] == (
        [True] if warned else []
    )
    assert ("1 drawn record still has a question mark" in report.head()) == noted


def test_hits_and_drawn_clusters_contradict() -> None:
    frame = sheet("r1,x,none,1,a", "r2,x,,0,a", "r5,y,none,1,c")
    with pytest.warns(cd.ClusterdiffWarning, match='column hits(.|\n)*design="records" if records'):
        cd.estimate(frame, RUNS, "elm_f", design="clusters")
    cd.estimate(frame.drop(columns="hits"), RUNS, "elm_f", design="clusters")
    cd.estimate(frame.assign(hits=None), RUNS, "elm_f", design="clusters")


def test_a_drawing_notes_labels(tmp_path: Path) -> None:
    run = write(tmp_path / "run.csv", dict(enumerate([-1, -1, -1, 0, 1, 1])))
    for engine in ("duckdb", "arrays"):
        ran = command("draw", run, "--records", "2", "-o", "-", "--engine", engine)
        assert ran.stderr.rstrip() == f"{run}: -1 is taken as a cluster of 3 objects"
    assert cd.draw([-1, -1, 0], 2).read == ("-1 is taken as a cluster of 2 objects",)


def scored(seed: int) -> tuple[dict[str, int], list[tuple[str, str, float]]]:
    """A run and scored pairs, some of them of strangers, some given twice."""
    rng = np.random.default_rng(seed)
    run = {f"r{i}": int(rng.integers(0, 25)) for i in range(90)}
    ends = rng.integers(0, 95, (2, 900))
    pairs = [
        (f"r{i}", f"r{j}", round(float(s), 2))
        for i, j, s in zip(*ends, rng.random(900), strict=True)
    ]
    return run, pairs


@pytest.mark.parametrize("candidates", [0, 2, 100])
@pytest.mark.parametrize("distance", [False, True])
def test_missed_matches_stand_below_their_cluster(candidates: int, distance: bool) -> None:
    """The records of other clusters that pair best with a drawn one, found by trying all."""
    for seed in range(5):
        run, pairs = scored(seed)
        best: dict[frozenset[str], float] = {}
        for one, other, score in pairs:
            key = frozenset([one, other])
            best[key] = (min if distance else max)(score, best.get(key, score))
        name = "distance" if distance else "score"
        table = pd.DataFrame(pairs, columns=["id_l", "id_r", name])
        plain = cd.draw(run, 12, seed=seed, candidates=candidates)
        drawn = cd.draw(run, 12, seed=seed, candidates=candidates, pairs=table)
        before = [id for id, *_ in plain.rows]
        hits = [id for id, n, _ in plain.rows if n]
        kept = [row for row in drawn.rows if row[0] in set(before)]
        assert tuple(kept) == plain.rows
        rows = drawn.records()
        assert len({row["id"] for row in rows}) == len(rows)
        sign = 1 if distance else -1
        wanted: set[str] = set()
        loose: set[str] = set()
        for one in hits:
            others = sorted(
                (sign * best[key], other)
                for other in run
                if (key := frozenset([one, other])) in best and run[other] != run[one]
                and other not in before and other != one
            )  # fmt: skip
            last = others[: min(candidates, 10)][-1][0] if others and candidates else -9
            wanted |= {other for score, other in others if score < last}
            loose |= {other for score, other in others if score <= last}
        added = {row["id"] for row in rows} - set(before)
        assert wanted <= added <= loose
        assert bool(added) == bool(candidates)
        for row in rows:
            own = [sign * best[k] for one in hits if (k := frozenset([one, row["id"]])) in best]
            if row["hits"] or not own:
                assert row["pair_score"] is None
            else:
                assert row["pair_score"] == sign * min(own)
                assert best[frozenset([row["id"], row["paired_with"]])] == row["pair_score"]
            assert (row["run"], row["hits"] > 0) == (run[row["id"]], row["id"] in hits)
        places = {row["id"]: at for at, row in enumerate(rows)}
        assert all(
            places[row["id"]] > places[row["paired_with"]] for row in rows if row["id"] in added
        )


@pytest.mark.parametrize("text", [False, True])
def test_candidates_are_found_wherever_run_and_pairs_are(tmp_path: Path, text: bool) -> None:
    run, pairs = scored(3)
    frame = pd.DataFrame({"id": list(run), "cluster": list(run.values())})
    table = pd.DataFrame(pairs, columns=["id_l", "id_r", "score"])
    if not text:
        frame["id"] = frame["id"].str[1:].astype(int)
        table[["id_l", "id_r"]] = table[["id_l", "id_r"]].apply(lambda c: c.str[1:].astype(int))
    frame.to_csv(tmp_path / "run.csv", index=False)
    frame.to_parquet(tmp_path / "run.parquet")
    table.to_csv(tmp_path / "pairs.csv", index=False)
    table.to_parquet(tmp_path / "pairs.parquet")
    expected = cd.draw(frame, 9, seed=2, pairs=table).to_csv()
    assert len(expected.splitlines()) > 1 + len(cd.draw(frame, 9, seed=2))
    for own in (frame, tmp_path / "run.csv", tmp_path / "run.parquet"):
        for given in (table, tmp_path / "pairs.csv", tmp_path / "pairs.parquet"):
            assert cd.draw(own, 9, seed=2, pairs=given).to_csv() == expected
    with pytest.raises(cd.ClusterdiffError, match="no object of pairs is in truth"):
        cd.draw(frame, 9, pairs=[("a", "b", 0.5)])


def test_a_sheet_with_candidates_is_estimated_as_one_without(tmp_path: Path) -> None:
    """Their columns take no part; members among them are members that others would have to name."""
    run, pairs = scored(4)
    truth = {id: f"person {i // 3}" for i, id in enumerate(run)}
    sheet, bare = tmp_path / "sheet.csv", tmp_path / "bare.csv"
    cd.draw(run, 30, seed=1, pairs=pairs).write(sheet)
    lines = pd.read_csv(sheet)
    wanted = {truth[id] for id in lines["id"][lines["hits"] > 0]}
    members = {id for id in run if truth[id] in wanted}
    lines["truth"] = [truth[id] if id in members else None for id in lines["id"]]
    left = {id for id in members if id not in set(lines["id"])}
    lines[OTHERS] = [
        ";".join(sorted(o for o in left if truth[o] == truth[id])) or "none" if hits else None
        for id, hits in zip(lines["id"], lines["hits"], strict=True)
    ]
    lines.to_csv(sheet, index=False)
    measures = ["elm_f", "pair_f", "bcubed_recall"]
    found = cd.estimate(sheet, run, measures, design="records")
    plain = [id for id, *_ in cd.draw(run, 30, seed=1).rows]
    kept = lines[lines["id"].isin(plain)].drop(columns=["pair_score", "paired_with"])
    left = {id for id in members if id not in set(kept["id"])}
    kept[OTHERS] = [
        ";".join(sorted(o for o in left if truth[o] == truth[id])) or "none" if hits else None
        for id, hits in zip(kept["id"], kept["hits"], strict=True)
    ]
    kept.to_csv(bare, index=False)
    other = cd.estimate(bare, run, measures, design="records")
    assert len(lines) > len(kept)
    for name in measures:
        assert float(found[name]) == float(other[name])
