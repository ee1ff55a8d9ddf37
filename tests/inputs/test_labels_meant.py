"""Labels and ids that may be meant otherwise: what they are taken for is noted or refused."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import clusterdiff as cd
from cli.runner import run

TRUTH = [0, 0, 1, 1, 2, 2]
NOISY = [-1, -1, -1, 0, 1, 1]
NOISE = "-1 is taken as a cluster of 3 objects; if it means noise, pass noise="


def notes(truth: Any, guess: Any, **options: Any) -> list[str]:
    report = cd.compare(truth, guess, "pair_f", **options)
    found: list[str] = json.loads(report.to_json()).get("notes", [])
    head = " ".join(str(report).split())
    assert all(" ".join(note.split()) in head for note in found)
    return found


@pytest.mark.parametrize(
    ("labels", "said"),
    [
        (NOISY, "-1"),
        (np.array(NOISY), "-1"),
        (np.array(NOISY, float), "-1"),
        (pd.Series(NOISY), "-1"),
        (list(map(str, NOISY)), "'-1'"),
        (np.array(NOISY, str), "'-1'"),
    ],
    ids=str,
)
def test_minus_one_is_noted_as_a_cluster(labels: Any, said: str) -> None:
    (note,) = notes(TRUTH, labels)
    assert note.startswith(f"guess: {NOISE}{said} "), note
    pasted = note.partition("noise=")[2].partition(" ")[0]
    assert not notes(TRUTH, labels, noise=eval(pasted))


@pytest.mark.parametrize(
    "labels",
    [
        [-1, -1, -2, -2, 0, 0],
        [-1, -1, 0.5, 0.5, 0, 0],
        ["-1", "-1", "a", "a", "b", "b"],
        ["u", "u", "v w", "v w", "x-1", "x-1"],
        [1.0, 1.0, 2.0, 2.0, 3.0, 3.0],
        ["1.5", "1.5", "2.5", "2.5", "3", "3"],
        ["10", "20", "100", "100", "0", "0"],
    ],
    ids=str,
)
def test_nothing_is_noted_of_other_labels(labels: list[Any]) -> None:
    assert not notes(TRUTH, labels)


@pytest.mark.parametrize("ending", ["csv", "parquet"])
@pytest.mark.parametrize("engine", ["", "duckdb"])
def test_minus_one_in_files(ending: str, engine: str, tmp_path: Path) -> None:
    paths = []
    for name, labels in (("t", TRUTH), ("g", NOISY)):
        frame = pd.DataFrame({"id": list("abcdef"), "cluster": labels})
        paths.append(str(tmp_path / f"{name}.{ending}"))
        frame.to_csv(paths[-1], index=False) if ending == "csv" else frame.to_parquet(paths[-1])
    command = ["compare", *paths, "-m", "pair_f", *(["--engine", engine] if engine else [])]
    printed = " ".join(run(*command).stdout.split())
    assert f"{NOISE}-1 (--noise -1 on the command line)" in printed
    assert NOISE in json.loads(run(*command, "-f", "json").stdout)["notes"][0]
    assert NOISE not in " ".join(run(*command, "--noise", "-1").stdout.split())
    page = tmp_path / "page.html"
    assert run("report", *paths, "-o", str(page)).code == 0
    assert NOISE in " ".join(page.read_text().split())


def test_every_verb_notes_minus_one() -> None:
    for found in (cd.explain(TRUTH, NOISY), cd.diff(TRUTH, NOISY, TRUTH), cd.chance(TRUTH, NOISY)):
        assert NOISE in json.loads(found.to_json())["notes"][0]
        assert NOISE in " ".join(str(found).split())


ODD = {"a": -1, "b": -1, "c": -1, "d": 0, "e": 1, "f": 1}
PLAIN = {"a": 0, "b": 0, "c": 1, "d": 1, "e": 2, "f": 2}
LINKS = [("a", "b", 0.9), ("c", "d", 0.8)]
OTHER_VERBS: dict[str, Callable[[Any, Any], Any]] = {
    "matrix": lambda one, two: cd.matrix({"one": one, "two": two}, align="shared"),
    "matrix of covers": lambda one, two: cd.matrix(
        {"one": one, "two": cd.Cover({x: {c} for x, c in two.items()})}, "omega", align="shared"
    ),
    "consensus": lambda one, two: cd.consensus({"one": one, "two": two}, align="shared"),
    "track": lambda one, two: cd.track({"one": one, "two": two}),
    "relabel": cd.relabel,
    "sweep": lambda one, two: cd.sweep(one, LINKS, "pair_f", align="shared"),
    "sweep of levels": lambda one, two: cd.sweep(
        two, {"one": one, "two": two}, "pair_f", align="shared"
    ),
    "estimate": lambda one, two: cd.estimate(two, one, "pair_f", design="clusters", align="shared"),
}


@pytest.mark.parametrize("verb", OTHER_VERBS)
def test_verbs_on_runs_note_labels(verb: str) -> None:
    def notes_of(one: Any, two: Any) -> list[str]:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", ".*has no object that is not in the sample")
            found = OTHER_VERBS[verb](one, two)
        told: list[str] = json.loads(found.to_json()).get("notes", [])
        assert all(" ".join(note.split()) in " ".join(str(found).split()) for note in told)
        return told

    assert notes_of(PLAIN, PLAIN) == []
    (note,) = notes_of(ODD, PLAIN)
    assert NOISE in note
    assert (
        notes_of({**PLAIN, "a": "", "b": ""}, PLAIN)[0].partition(": ")[2].startswith("the empty")
    )
    spelled = dict(zip("abcdef", ["1", "1", "01", "2", "2", "3"], strict=True))
    assert "('01' and '1')" in notes_of(spelled, PLAIN)[0]
    if verb != "matrix of covers":
        near = {x.upper() if x in "ab" else x: c for x, c in PLAIN.items()}
        (note,) = notes_of(near, PLAIN)
        assert "only in capitals ('" in note


@pytest.mark.parametrize("engine", ["duckdb", "arrays"])
def test_verbs_on_files_note_labels(engine: str, tmp_path: Path) -> None:
    for name, labels in (("one", ODD), ("two", PLAIN)):
        rows = "".join(f"{x},{c}\n" for x, c in labels.items())
        (tmp_path / f"{name}.csv").write_text(f"id,cluster\n{rows}")
    (tmp_path / "pairs.csv").write_text("id_l,id_r,score\na,b,0.9\nc,d,0.8\n")
    one, two, pairs = (str(tmp_path / f"{name}.csv") for name in ("one", "two", "pairs"))
    for verb in (
        ("matrix", one, two), ("consensus", one, two), ("track", one, two), ("relabel", two, one),
        ("sweep", one, pairs), ("sweep", two, one, two),
        ("estimate", two, one, "--design", "clusters", "--population", "7"),
    ):  # fmt: skip
        asked = [*verb, "--engine", engine] if verb[0] != "sweep" else [*verb]
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", ".*has no object")
            ran = run(*asked)
            assert (ran.code, NOISE in " ".join(ran.stdout.split())) == (0, True), ran.stderr
            (note,) = json.loads(run(*asked, "-f", "json").stdout)["notes"]
        assert NOISE in note


def test_a_scorer_warns_of_minus_one() -> None:
    class Model:
        def predict(self, data: Any) -> Any:
            return np.array(NOISY)

    with pytest.warns(cd.ClusterdiffWarning, match="guess: -1 is taken as a cluster of 3 objects"):
        cd.scorer("pair_f")(Model(), np.zeros((6, 2)), TRUTH)
    cd.scorer("pair_f", noise=-1)(Model(), np.zeros((6, 2)), TRUTH)


def test_an_accumulator_notes_what_one_comparison_notes() -> None:
    for guess in (NOISY, ["a", "a ", "b", "", "", "c"], ["-1", "-1", "01", "1", "0", "0"]):
        seen = cd.Accumulator("pair_f")
        for start in (0, 2, 4):
            seen.update(TRUTH[start : start + 2], guess[start : start + 2])
        report = seen.compute()
        assert json.loads(report.to_json())["notes"] == notes(TRUTH, guess)
        assert "is taken as a cluster" in " ".join(str(report).split())
    seen = cd.Accumulator("pair_f", noise=-1)
    seen.update(TRUTH, NOISY, count=[5, 1, 1, 1, 1, 1])
    assert "notes" not in json.loads(seen.compute().to_json())
    seen = cd.Accumulator("pair_f")
    seen.update(TRUTH, NOISY, count=[5, 1, 1, 1, 1, 1])
    assert "-1 is taken as a cluster of 7 objects" in " ".join(str(seen.compute()).split())


def test_labels_that_differ_in_writing_are_counted() -> None:
    assert notes(TRUTH, ["a", "a ", "b", "", "", "c"]) == [
        "guess: the empty text is taken as a cluster of 2 objects; if it means a missing label, "
        "pass noise='' (--noise '' on the command line)",
        "guess: 1 label differs from another only in blanks, leading zeros, a trailing .0 or the "
        "sign of zero, and is taken as a cluster of its own ('a ' and 'a')",
    ]
    (note,) = notes(TRUTH, ["1", "01", "1.0", "2", "2", "3"])
    assert note.startswith("guess: 2 labels differ from others only in blanks")
    assert note.endswith("('01' and '1'; '1.0' and '1')")


@pytest.mark.parametrize("align", ["shared", "singletons", "penalise"])
@pytest.mark.parametrize("engine", ["", "duckdb"])
def test_ids_that_differ_in_writing_are_noted(align: str, engine: str) -> None:
    sides = [
        pd.DataFrame({"id": ids, "cluster": [1, 1, 2, 2, 3, 3]})
        for ids in (["007", "008", *"wxyz"], ["7", "8", *"wxyz"])
    ]
    assert notes(*sides, align=align, engine=engine or None) == [
        "2 ids on one side only differ from ids on the other side only in leading zeros ('007' and "
        "'7'); ids must match exactly"
    ]


def test_lists_of_members_are_clusters() -> None:
    for as_ in (tuple, list):
        truth, guess = [as_("ab"), as_("c")], [as_("a"), as_("bc")]
        assert notes(truth, guess) == [
            "truth: read as 2 clusters, each given by its members",
            "guess: read as 2 clusters, each given by its members",
        ]
        assert cd.pair_f(truth, guess) == 0
    assert cd.pair_f([[0, 1, 2], [3, 4]], [[0, 1], [2, 3, 4]]) == 0.5


def test_rows_of_a_cursor_are_ids_and_labels() -> None:
    rows = [("r1", "x"), ("r2", "x"), ("r3", "y")]
    other = [("r3", "v"), ("r2", "u"), ("r1", "u")]
    assert cd.pair_f(rows, other) == 1
    assert notes(rows, other)[0] == "truth: read as 3 rows of an id and a label"


def test_tuples_that_repeat_are_labels_and_others_are_refused() -> None:
    labels = [("a", 1), ("a", 1), ("b", 1)]
    assert not notes(labels, [0, 0, 1])
    assert cd.pair_f(labels, [0, 0, 1]) == 1
    with pytest.raises(cd.ClusterdiffError, match=r"2 different tuples .* can be labels"):
        cd.pair_f([("a", "b"), ("c", "d")], [("a", "c"), ("b", "d")])
    assert cd.pair_f(cd.Partition([("a", "b"), ("c", "d")]), [0, 1]) == 1


def test_options_that_are_not_used_are_named(tmp_path: Path) -> None:
    table = tmp_path / "w.csv"
    table.write_text("id,gold,run,more\na,1,1,1\nb,1,2,1\nc,2,2,2\n")
    two = f"{table}::gold", f"{table}::run"
    assert "--cluster more is not used" in run("compare", *two, "--cluster", "more").stderr
    assert "--cluster more is not used" in run("matrix", *two, "--cluster", "more").stderr
    for verb in ("matrix", "diff"):
        printed = run(verb, *two, f"{table}::more", "--cluster", "more").stderr
        assert "--cluster more is not used" in printed
    assert run("compare", two[0], two[0], "--cluster", "gold").code == 0
    assert run("compare", f"{table}", two[1], "--cluster", "gold").code == 0
    contradiction = run("compare", *two, "--id", "id", "--no-id").stderr
    assert "--id id and --no-id contradict each other" in contradiction
