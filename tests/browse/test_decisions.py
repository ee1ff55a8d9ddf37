"""What follows from decisions: a corrected truth, its provenance, and judged pairs."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Mapping
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import clusterdiff as cd
from browse.reviews import partitions, review, town, write
from cli.runner import run as command
from clusterdiff.browse.journal import Journal

Labels = Mapping[Any, Any]
VERDICTS = ("run", "truth", "both", None)


def together(labels: Labels, ids: list[Any]) -> set[frozenset[Any]]:
    """Which of these objects are in one cluster."""
    return {frozenset(pair) for pair in combinations(ids, 2) if labels[pair[0]] == labels[pair[1]]}


def decided(
    truth: Any, run: Any, path: Path, say: Callable[[int, Any], tuple[Any, ...]], **options: Any
) -> dict[str, tuple[str | None, dict[str, str], list[Any]]]:
    """Decide on every part; the verdict, the moves and the ids of each."""
    found = {}
    with review(truth, run, path, **options) as made:
        for rank, key in enumerate(made.index.keys, 1):
            records = made.index.records(rank)
            verdict, base, moves = say(rank, records)
            made.decide(key, verdict, f"={rank}", base, moves)
            found[key] = verdict, moves, records
    return found


@pytest.mark.parametrize("seed", range(12))
def test_the_corrected_truth_is_what_was_said_object_by_object(tmp_path: Path, seed: int) -> None:
    truth, run = partitions(seed)
    path = tmp_path / "d.jsonl"
    rng = np.random.default_rng(seed)

    def say(rank: int, records: Any) -> tuple[Any, ...]:
        verdict = VERDICTS[rng.integers(4)]
        if verdict not in ("run", "truth") or rng.random() < 0.5:
            return verdict, ("truth", "run")[rng.integers(2)], {}
        groups = [f"t{records[0].truth}", "n1", "n2"]
        moves = {str(r.place): groups[rng.integers(3)] for r in records if rng.random() < 0.4}
        return verdict, "truth", moves

    parts = decided(truth, run, path, say)
    done = cd.decisions(path, truth)
    ids = list(truth)
    corrected = dict(zip(ids, done.partition().labels.tolist(), strict=True))
    right: dict[Any, Any] = {id: ("truth", cluster) for id, cluster in truth.items()}
    for key, (verdict, moves, records) in parts.items():
        if verdict not in ("run", "truth"):
            continue
        for one in records:
            if verdict == "truth" and not moves:
                right[one.id] = key, f"g{one.guess}"
            else:
                own = moves.get(str(one.place), f"t{one.truth}")
                right[one.id] = ("truth", truth[one.id]) if own == f"t{one.truth}" else (key, own)
                if own[0] == "t" and own != f"t{one.truth}":
                    name = next(r.truth_name for r in records if f"t{r.truth}" == own)
                    right[one.id] = "truth", name
    assert together(corrected, ids) == together(right, ids)
    changed = {row["id"] for row in done.records()}
    assert changed == {id for id in ids if corrected[id] != truth[id]}
    # what is right everywhere is kept, and names that stay mean what they meant
    for id in ids:
        if corrected[id] not in set(truth.values()):
            assert id in changed
    judged = done.judgements()
    if judged:
        assert cd.check_judgements(corrected, judged).passed
        for side, verdict in ((truth, "truth"), (run, "run")):
            ends = {frozenset((row["left"], row["right"])): row["same"] == "yes" for row in judged}
            wrong = {
                pair for pair, same in ends.items() if (len({side[i] for i in pair}) == 1) != same
            }
            checked = cd.check_judgements(side, judged)
            assert {frozenset((v.left, v.right)) for v in checked.violations} == wrong, verdict


def test_judged_pairs_say_all_that_was_decided(tmp_path: Path) -> None:
    """A run that violates none of them has the decided records just as they should be."""
    truth, run = partitions(3)
    path = tmp_path / "d.jsonl"
    decided(truth, run, path, lambda rank, _: (("run", "truth")[rank % 2], "truth", {}))
    judged = cd.decisions(path, truth).judgements()
    corrected = cd.decisions(path, truth).partition()
    labels = dict(zip(truth, corrected.labels.tolist(), strict=True))
    touched = sorted({row[side] for row in judged for side in ("left", "right")})
    rng = np.random.default_rng(0)
    for _ in range(200):  # any change to a decided record is noticed
        id, other = rng.choice(touched, 2, replace=False)
        if labels[id] == labels[other]:
            changed = labels | {id: "elsewhere"}
        else:
            changed = {i: labels[other] if c == labels[id] else c for i, c in labels.items()}
            same = [d for d in Journal.read(path).decisions.values()
                    if {id, other} <= {r.id for r in d.records}]  # fmt: skip
            if not same:
                continue
        if sum(c == labels[id] for c in labels.values()) == 1:
            continue
        assert not cd.check_judgements(changed, judged).passed, (id, other)


def test_bites() -> None:
    """Judgements that are turned around are violated."""
    judged = [{"left": 1, "right": 2, "same": "yes"}, {"left": 2, "right": 3, "same": "no"}]
    assert cd.check_judgements({1: "a", 2: "a", 3: "b"}, judged).passed
    turned = [row | {"same": "no" if row["same"] == "yes" else "yes"} for row in judged]
    assert len(cd.check_judgements({1: "a", 2: "a", 3: "b"}, turned).violations) == 2


def read(path: Path) -> list[dict[str, str]]:
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_the_command_keeps_columns_and_says_who_changed_what_and_when(tmp_path: Path) -> None:
    truth, run = town(tmp_path)
    path = tmp_path / "d.jsonl"
    decided(truth, run, path, lambda rank, _: ("truth", "truth", {}))
    out, pairs = tmp_path / "corrected.csv", tmp_path / "pairs.csv"
    ran = command("decisions", str(path), "--truth", str(truth), "-o", str(out),
                  "--judgements", str(pairs))  # fmt: skip
    assert ran.code == 0, ran.stderr
    assert "3 components decided: 4 records change their clusters, 2 clusters are new." in " ".join(
        ran.stdout.split()
    )
    before, after = read(truth), read(out)
    assert list(after[0]) == [
        *before[0], "previous", "verdict", "decided_by", "decided_at", "note"
    ]  # fmt: skip
    for old, new in zip(before, after, strict=True):
        assert {k: new[k] for k in ("id", "first", "last", "city")} == {
            k: old[k] for k in ("id", "first", "last", "city")
        }
        assert new["previous"] == (old["cluster"] if new["cluster"] != old["cluster"] else "")
        assert new["decided_by"] == ("" if new["id"] == "r10" else "tester")
        assert new["note"].startswith("'=") or not new["note"]
    assert cd.adjusted_rand(str(out), str(run)) == 1
    ran = command("check", str(run), "--judgements", str(pairs))
    assert ran.code == 0, ran.stdout
    ran = command("check", str(truth), "--judgements", str(pairs), columns=100)
    assert ran.code == 1
    assert "belong apart: the run has both in ann" in ran.stdout
    assert "Anne" in ran.stdout
    assert "judgements are violated" in ran.stderr
    told = json.loads(command("check", str(truth), "--judgements", str(pairs), "-f", "json").stdout)
    assert not told["passed"]
    assert told["checked"] == len(read(pairs))
    for ending in ("parquet", "tsv"):
        ran = command(
            "decisions", str(path), "--truth", str(truth), "-o", str(tmp_path / f"c.{ending}")
        )
        assert ran.code == 0
        assert cd.elm_f(str(tmp_path / f"c.{ending}"), str(run)) == 1
    ran = command("decisions", str(path), "--truth", str(truth), "-o", "-")
    assert ran.stdout.splitlines()[0].startswith("id,cluster,first")


def test_ids_and_labels_stay_as_they_are_and_notes_are_no_formulas(tmp_path: Path) -> None:
    hostile = ["=1+1", "@x", "-2", "+3", "a\tb", 'q"q', "\u05e9"]
    truth = dict.fromkeys(hostile, "=cmd()")
    run = dict.fromkeys(hostile[:3], "a") | dict.fromkeys(hostile[3:], "b")
    path = tmp_path / "d.jsonl"
    with review(truth, run, path) as made:
        made.decide(made.index.keys[0], "truth", "=HYPERLINK(1)", "truth", {})
    done = cd.decisions(path, truth)
    done.write(tmp_path / "c.csv")
    done.write_judgements(tmp_path / "j.csv")
    assert cd.elm_f(str(tmp_path / "c.csv"), run) == 1
    rows = read(tmp_path / "c.csv")
    assert [row["id"] for row in rows] == hostile
    assert {row["note"] for row in rows} == {"'=HYPERLINK(1)"}
    assert cd.check_judgements(run, str(tmp_path / "j.csv")).passed
    assert "'=HYPERLINK(1)" in done.to_csv()


def test_a_truth_that_changed_since_is_refused(tmp_path: Path) -> None:
    truth, run = town(tmp_path)
    path = tmp_path / "d.jsonl"
    decided(truth, run, path, lambda rank, _: ("truth", "truth", {}))
    text = truth.read_text()
    for old, new in (("r3,ann", "r3,bob"), ("r3,ann,Anne,Ash,York\n", "")):
        truth.write_text(text.replace(old, new))
        ran = command("decisions", str(path), "--truth", str(truth), "-o", str(tmp_path / "c.csv"))
        assert ran.code == 2
        assert "the truth has changed since it was reviewed" in ran.stderr
        assert not (tmp_path / "c.csv").exists()
    truth.write_text(text)
    for place in (path, truth):
        ran = command("decisions", str(path), "--truth", str(truth), "-o", str(place))
        assert ran.code == 2


def test_numbers_get_the_next_number_and_noise_stays_noise(tmp_path: Path) -> None:
    truth = {1: 0, 2: 0, 3: 1, 4: -1, 5: -1, 6: 2, 7: 2}
    run = {1: 0, 2: 5, 3: 1, 4: 7, 5: 7, 6: 2, 7: -1}
    path = tmp_path / "d.jsonl"
    parts = decided(truth, run, path, lambda *_: ("truth", "truth", {}), noise=[-1])
    assert len(parts) == 3
    fixed = dict(zip(truth, cd.decisions(path, truth).partition().labels.tolist(), strict=True))
    assert fixed[3] == 1
    assert fixed[1] == 0
    assert fixed[4] == fixed[5]
    assert fixed[4] in (3, 4, 5)
    assert fixed[2] in (3, 4, 5)
    assert len({fixed[i] for i in (1, 2, 3, 4, 6, 7)}) == 6
    path.unlink()
    decided(truth, run, path, lambda *_: ("run", "truth", {}), noise=[-1])
    assert not cd.decisions(path, truth).records()


def test_samples_have_decisions_of_their_own(tmp_path: Path) -> None:
    rows = [(doc, i, f"t{i // 2}") for doc in "xy" for i in range(6)]
    truth = write(tmp_path / "t.csv", "doc,id,cluster", rows)
    run = write(tmp_path / "r.csv", "doc,id,cluster",
                [(d, i, c if d == "x" else f"g{i}") for d, i, c in rows[:2]] + [
                    (d, i, "g" if d == "y" else c) for d, i, c in rows[2:]])  # fmt: skip
    path = tmp_path / "d.jsonl"
    parts = decided(str(truth), str(run), path, lambda *_: ("truth", "truth", {}), samples="doc")
    assert len(parts) == 1
    with review(str(truth), str(run), path, samples="doc") as made:
        assert made.index.listed([1])[0].title.endswith("in y")
    done = cd.decisions(path, str(truth), samples="doc")
    done.write(tmp_path / "c.csv")
    assert cd.compare(str(tmp_path / "c.csv"), str(run), "elm_f", samples="doc")["elm_f"].value == 1
    with pytest.raises(cd.ClusterdiffError, match="is about samples"):
        cd.decisions(path, {f"{d}{i}": c for d, i, c in rows})
    judged = done.judgements()
    assert cd.check_judgements(str(run), judged, samples="doc").passed
    assert not cd.check_judgements(str(truth), judged, samples="doc").passed


def test_records_on_one_side_only(tmp_path: Path) -> None:
    truth = {1: "a", 2: "a", 3: "a", 4: "b"}
    run = {1: "x", 2: "y", 4: "z", 5: "z"}
    path = tmp_path / "d.jsonl"
    decided(truth, run, path, lambda *_: ("truth", "truth", {}), align="penalise")
    columns = cd.decisions(path, truth).to_columns()
    fixed = dict(zip(columns["id"], columns["cluster"], strict=True))
    assert set(fixed) == {1, 2, 3, 4, 5}
    assert fixed[4] == fixed[5] == "b"
    assert fixed[1] != fixed[2]
    assert fixed[3] in (fixed[1], fixed[2])  # the run says nothing of it
    path.unlink()
    decided(truth, run, path, lambda *_: ("run", "truth", {}), align="penalise")
    assert not cd.decisions(path, truth).records()


BAD = {
    "id_l,id_r\n1,2\n": "have no column same",
    "left,right,same\n1,2,perhaps\n": "are not yes or no",
    "left,right,same\n": "no judgements",
    "left,right,same\n8,9,yes\n": "has both records of none",
}


@pytest.mark.parametrize("text", BAD)
def test_odd_judgements_are_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "j.csv").write_text(text)
    with pytest.raises(cd.ClusterdiffError, match=BAD[text]):
        cd.check_judgements({1: "a", 2: "b"}, tmp_path / "j.csv")


def test_judgements_of_records_that_the_run_lacks_are_counted(tmp_path: Path) -> None:
    judged = [{"id_l": 1, "id_r": 2, "match": 0}, {"id_l": 1, "id_r": 9, "match": 1}]
    done = cd.check_judgements({1: "a", 2: "b"}, judged)
    assert done.passed
    assert "1 judgement was not checked: it has a record that the run lacks." in str(done)
    twice = cd.check_judgements({1: "a", 2: "b"}, [*judged, judged[1]])
    assert "2 judgements were not checked: they have records that the run lacks." in str(twice)
    sampled = cd.Partition(["a", "b"], ids=[1, 2], samples=["x", "x"])
    with pytest.raises(cd.ClusterdiffError, match="no column sample"):
        cd.check_judgements(sampled, judged)
