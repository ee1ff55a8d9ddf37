"""Cases that once went wrong or nearly did: each names the mistake that must not come back."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import igraph  # noqa: F401  (frames with a column `membership` must not be taken for its objects)
import numpy as np
import pandas as pd
import polars as pl
import pytest

import clusterdiff as cd
from cli.runner import run
from refusals import refuses

CSV = "id,cluster\np,a\nq,a\nr,b\n"


@pytest.fixture
def folder(folder: Path) -> Path:
    (folder / "t.csv").write_text(CSV)
    return folder


def test_a_pipe_is_read_whole(folder: Path) -> None:
    os.mkfifo(folder / "pipe")
    rows = "".join(f"{i},{i // 3}\n" for i in range(20_000))

    def write() -> None:
        (folder / "pipe").write_text("id,cluster\n" + rows)

    writer = threading.Thread(target=write)
    writer.start()
    found = cd.read(folder / "pipe")
    writer.join()
    assert len(found) == 20_000


@pytest.mark.parametrize("name", ["run[1].csv", "a*.csv", "q?.csv", "{x}.csv"])
def test_names_are_no_patterns(folder: Path, name: str) -> None:
    (folder / name).write_text(CSV)
    for other in ("run1.csv", "ab.csv", "qq.csv", "x.csv"):
        (folder / other).write_text("id,cluster\np,a\nq,b\nr,b\n")
    assert cd.rand("t.csv", name) == 1


def test_folders_that_look_like_partitions_add_no_columns(folder: Path) -> None:
    inside = folder / "year=2020"
    inside.mkdir()
    pl.DataFrame({"id": ["p"], "cluster": [1]}).write_parquet(inside / "t.parquet")
    refuses("no column 'year'", cd.read, inside / "t.parquet", cluster="year")


def test_lines_of_several_words_are_not_guessed(folder: Path) -> None:
    (folder / "t.txt").write_text("1 a\n2 a\n3 b\n")
    refuses("several words", cd.read, "t.txt")
    assert len(cd.read("t.txt", as_="labels")) == 3
    assert cd.rand(cd.read("t.txt", as_="long", header=False), {1: 1, 2: 1, 3: 2}) == 1
    (folder / "p.txt").write_text("id|cluster\n1|a\n2|a\n")
    assert len(cd.read("p.txt")) == 2


@pytest.mark.parametrize("make", [pd.Series, pl.Series])
def test_large_integers_beside_nulls_stay_apart(make: Any) -> None:
    series = make([2**53, 2**53 + 1, None], dtype="Int64" if make is pd.Series else pl.Int64)
    assert cd.rand(series, [1, 2, 3], noise=[None]) == 1


def test_a_column_called_membership_is_a_column() -> None:
    left = pd.DataFrame({"id": list("abc"), "membership": [1, 1, 2]})
    right = pd.DataFrame({"id": list("cba"), "membership": [2, 1, 1]})
    assert cd.rand(left, right) == 1


@pytest.mark.parametrize("norm", ["min", "geometric"])
def test_one_cluster_against_others_shares_no_information(norm: Any) -> None:
    assert cd.adjusted_mutual_information([1, 1, 1], [1, 1, 2], norm=norm) == 0


def test_a_bound_of_one_cluster_is_refused_for_several() -> None:
    with pytest.raises(cd.ClusterdiffError, match="k must be at least 2 for these clusters, got 1"):
        cd.vi_similarity_k([1, 1, 2, 2], [1, 2, 1, 2], k=1)
    assert cd.vi_similarity_k([1, 1], [2, 2], k=1) == 1


def path_meet(*lengths: int) -> cd.HardMeet:
    """Components that are paths of one-object rows."""
    truth, guess, t, g = [], [], 0, 0
    for length in lengths:
        for k in range(length):
            truth.append(t + (k + 1) // 2)
            guess.append(g + k // 2)
        t, g = truth[-1] + 1, guess[-1] + 1
    return cd.HardMeet.from_rows(truth, guess, [1] * len(truth))


def test_digests_tell_long_paths_apart() -> None:
    first, second = path_meet(21, 21), path_meet(20, 22)
    assert cd.accuracy.of(first) != cd.accuracy.of(second)
    assert first != second


def test_digests_tell_features_apart() -> None:
    meets = [cd.meet([1, 1, 1], [1, 1, 2], features=f) for f in ([0, 1, 4], [0, 3, 4])]
    assert meets[0] != meets[1]
    assert meets[0] == cd.meet([5, 5, 5], [6, 7, 7], features=[4, 1, 0])


def test_draws_do_not_depend_on_names() -> None:
    drawn = cd.adjusted(cd.nmi, samples=20)
    assert drawn([1, 1, 2, 2, 3], [1, 2, 2, 3, 3]) == drawn([9, 9, 5, 5, 1], [7, 4, 4, 2, 2])


def test_a_label_column_is_not_taken_for_ids(folder: Path) -> None:
    (folder / "g.csv").write_text("gold,run1\na,x\na,x\nb,y\n")
    refuses("holds 1 values twice", cd.read, "g.csv::gold")
    assert len(cd.read("g.csv::gold", id="")) == 3
    ran = run("compare", "g.csv::gold", "g.csv::run1", "--no-id", "-m", "rand")
    assert "rand  1.0000" in ran.stdout


def test_a_known_name_beside_a_number_is_no_sure_header(folder: Path) -> None:
    (folder / "h.csv").write_text("page,3\nbook,3\ncat,4\n")
    refuses("could name the columns or be an object", cd.read, "h.csv")
    assert len(cd.read("h.csv", header=False)) == 3


def test_a_trailing_delimiter_without_ids_is_no_header(folder: Path) -> None:
    (folder / "h.csv").write_text("3,\n4,\n")
    assert len(cd.read("h.csv", id="", cluster="column0")) == 2


def test_separators_are_those_of_the_clusters(folder: Path) -> None:
    (folder / "a.clusters").write_text("# a, b\nx y\nz\n")
    assert len(cd.read("a.clusters")) == 3
    (folder / "b.clusters").write_text("a b c\nd,e\n")
    refuses("others by blanks", cd.read, "b.clusters")


@pytest.mark.parametrize("rest", ["", "\n#begin document (y); part 0\ny 0 -\n#end document\n"])
def test_chains_left_open_are_found_at_the_end(folder: Path, rest: str) -> None:
    (folder / "k.conll").write_text("#begin document (x); part 0\nx 0 (1)\nx 2 (2" + rest)
    refuses("never closed", cd.read, "k.conll")


def test_a_response_without_mentions_scores_nothing(folder: Path) -> None:
    (folder / "k.conll").write_text("#begin document (x); part 0\nx 0 (1)\n#end document\n")
    (folder / "r.conll").write_text("#begin document (x); part 0\nx 0 -\n#end document\n")
    assert cd.compare("k.conll", "r.conll", "bcubed_recall", align="penalise")[
        "bcubed_recall"
    ].each == (0.0,)


def test_every_guess_has_its_own_samples() -> None:
    def made(docs: str) -> cd.Partition:
        return cd.Partition([1] * len(docs), list(range(len(docs))), list(docs))

    report = cd.compare(
        made("tt"), {"one": made("ttx"), "two": made("ttyz")}, "bcubed_f", align="penalise"
    )
    assert report.samples == ("t", "x", "y", "z")
    named = [(r["guess"], r["sample"], r["value"]) for r in report.sample_records()]
    assert ("two", "z", 0.0) in named
    assert ("one", "x", 0.0) in named
    assert len(named) == 5
    assert len(report.to_dict()["samples"]) == 5


def test_samples_written_as_text_match_numbers(folder: Path) -> None:
    (folder / "d.csv").write_text("doc,id,cluster\n1,a,x\n1,b,x\n2,a,y\n")
    pl.DataFrame({"doc": [1, 1, 2], "id": ["a", "b", "a"], "cluster": [1, 1, 2]}).write_parquet(
        folder / "d.parquet"
    )
    assert cd.compare("d.csv", "d.parquet", "elm_f", samples="doc")["elm_f"].value == 1


def test_ids_of_other_types_are_refused_under_every_policy() -> None:
    refuses("strings .* numbers", cd.elm_f, {"1": 1, "2": 1}, {1.0: 1, 2.0: 1}, align="singletons")
    refuses("no object in common", cd.elm_f, {"a": 1}, {"b": 1}, align="singletons")


def test_a_list_of_samples_belongs_to_truth_and_goes_by_id() -> None:
    truth = dict.fromkeys("ab", 1) | dict.fromkeys("cd", 2)
    guess = dict(reversed(truth.items()))
    docs = iter(["s1", "s1", "s2", "s2"])
    assert cd.compare(truth, guess, "elm_f", samples=docs)["elm_f"].value == 1


def test_ids_that_repeat_need_samples_on_both_sides() -> None:
    truth = cd.Partition([1, 1, 1, 2], ids=list("abab"), samples=["d", "d", "e", "e"])
    with pytest.raises(cd.ClusterdiffError, match="ids repeat from sample to sample"):
        cd.compare(truth, {"a": 1, "b": 1}, align="singletons")


def test_json_lines_are_read_as_written(folder: Path) -> None:
    rows = [{"id": "2020-01-01", "cluster": 9007199254740993}, {"id": "x", "cluster": 1.5}]
    rows.append({"id": "y", "cluster": 9007199254740992})
    text = "\n".join(map(json.dumps, rows))
    for name in ("a.jsonl", "unnamed"):
        (folder / name).write_text("\ufeff" + text)
        found = cd.read(name)
        assert found.ids is not None
        assert found.ids.tolist() == ["2020-01-01", "x", "y"]
        assert cd.rand(found, {"2020-01-01": 1, "x": 2, "y": 3}) == 1
    (folder / "one").write_text('{"a": 1, "b": 1}')
    assert len(cd.read("one")) == 2


@pytest.mark.parametrize("noise", [np.array([-1]), frozenset([-1]), {-1}, (-1,), range(-1, 0)])
def test_noise_in_any_container(noise: Any) -> None:
    assert cd.meet([1, 1], [-1, -1], noise=noise).alignment.noise == 2


def test_sets_masks_and_wide_floats() -> None:
    refuses("a set has no order", cd.rand, {1, 2}, [1, 2])
    clusters = {frozenset("ab"), frozenset("c")}
    assert cd.rand(clusters, {"a": 1, "b": 1, "c": 2}) == 1
    masked = np.ma.array([1, 1, 2], mask=[False, True, False])
    refuses("1 of 3 labels in truth is null", cd.rand, masked, [1, 1, 2])
    assert cd.rand(np.array([1, 1, 2], np.longdouble), [1, 1, 2]) == 1
    assert cd.rand(np.array(["2020-01-01", "2020-01-02"], "datetime64[D]"), [1, 2]) == 1
    assert cd.rand(np.array([b"a", b"a", b"b"]), [1, 1, 2]) == 1


def test_a_dict_of_paths_is_several_guesses(folder: Path) -> None:
    report = cd.compare("t.csv", {"one": "t.csv", "two": Path("t.csv")}, "rand")
    assert report.guesses == ["one", "two"]
    lazy = cd.compare({"a": 1, "b": 1}, {"x": pl.LazyFrame({"id": ["a", "b"], "cluster": [1, 1]})})
    assert lazy.guesses == ["x"]


def test_shuffled_series_are_refused_everywhere() -> None:
    truth, guess = pd.Series([1, 1, 2]), pd.Series([1, 1, 2], index=[2, 1, 0])
    for call in (
        lambda: cd.objects("elm_f", truth, guess),
        lambda: cd.compare(samples=[(truth, guess)]),
    ):
        refuses("different indexes", call)


def test_two_functions_without_names_are_two_measures() -> None:
    one, two = (cd.split_merge(similarity=lambda p, k=k: k) for k in (0.25, 0.5))
    assert one != two
    refuses("both written", cd.compare, [1, 1], [1, 2], [one, two])
    refuses("is nan", cd.split_merge, [1, 1], [1, 2], similarity=lambda p: float("nan"))


@pytest.mark.parametrize(
    "text",
    [
        "vi_similarity_k(k=0)",
        "muc_f(empty='x')",
        "adjusted(measure=5)",
        "adjusted(rand, samples=0)",
        "adjusted(rand, seed=-1)",
        "adjusted(rand, measure=nmi)",
        "bcubed_f(alpha=1, alpha=0)",
        "bcubed_f(alpha={[]: 1})",
        "-" * 3000 + "1",
        "split_merge(similarity=5)",
    ],
)
def test_parameters_are_checked(text: str) -> None:
    caught = refuses(None, cd.measure, text)
    assert caught.hint


def test_measures_as_parameters_and_numpy_numbers() -> None:
    assert cd.adjusted("elm_f") == cd.adjusted(cd.elm_f)
    assert cd.measure(repr(cd.bcubed_f(alpha=np.float64(0.25)))) == cd.bcubed_f(alpha=0.25)
    assert cd.bcubed_f(alpha=1) == cd.bcubed_f(alpha=1.0)
    assert hash(cd.bcubed_f(alpha=1)) == hash(cd.bcubed_f(alpha=1.0))
    assert cd.nmi(norm="min").__doc__ == cd.nmi.__doc__
    refuses("cannot be read as a measure", cd.measure, 5)
    report = cd.compare([1], [1], ["bcubed_f(f='objects')"])
    assert report["bcubed_f( f = 'objects' )"].value == 1
    with pytest.raises(cd.ClusterdiffError, match="does not hold accuracy"):
        report["accuracy"]


@pytest.mark.parametrize("value", ["nan", "inf"])
def test_gates_are_numbers(folder: Path, value: str) -> None:
    assert run("compare", "t.csv", "t.csv", "--fail-under", f"rand={value}").code == 2


@pytest.mark.parametrize("noise", ["²", "--1", "1.0", "x"])
def test_noise_labels_of_every_sort(folder: Path, noise: str) -> None:
    assert run("compare", "t.csv", "t.csv", f"--noise={noise}").code == 0


def test_names_that_no_file_can_have(folder: Path) -> None:
    for name in ("a" * 300 + ".csv", "a\0b"):
        refuses("File not found", cd.read, name)


def test_missing_values_of_pandas_beside_noise() -> None:
    assert cd.meet([1, pd.NA, 2], [1, 2, 3], noise=[1, None]).alignment.noise == 2


@pytest.mark.parametrize(
    "labels",
    [
        pd.cut(pd.Series([1, 1, 5]), [0, 2, 6]),
        pd.Series([1, "a", 1], dtype="category"),
        pd.Series(pd.arrays.SparseArray([1, 1, 2])),
        pl.Series([1, 1, 2], dtype=pl.Int128),
        pd.Series(pd.to_datetime(["2020-01-01"] * 2 + ["2021-01-01"]).tz_localize("UTC")),
    ],
    ids=["intervals", "mixed categories", "sparse", "Int128", "time zones"],
)
def test_unusual_series(labels: Any) -> None:
    plain = list(labels)
    assert cd.meet(labels, [1, 2, 2]) == cd.meet([plain.index(x) for x in plain], [1, 2, 2])


def test_frames_with_unusual_columns() -> None:
    frame = pd.DataFrame({0: ["a", "b"], 1: [1, 1]})
    assert cd.meet(frame, {"a": 1, "b": 1}).rows == 1
    refuses("same name", cd.meet, pd.DataFrame([[1, 2]], columns=["id", "id"]), {1: 1})


@pytest.mark.parametrize(
    "text",
    [
        '"id\nx",cluster\np,a\nq,a\nr,b\n',
        "id,cluster,\np,a,\nq,a,\nr,b,\n",
        "ID,id2,cluster\np,1,a\nq,2,a\nr,3,b\n",
        'id;cluster\n"a,b,c";x\nq;x\n"r,s";y\n',
    ],
    ids=["newline in a header", "trailing delimiter", "like names", "delimiters in quotes"],
)
def test_csv_corners(folder: Path, text: str) -> None:
    (folder / "c.csv").write_text(text)
    found = cd.read("c.csv", cluster="cluster", header=True, id=text.partition(",")[0].strip('"')
                    if text.startswith('"') else None)  # fmt: skip
    assert len(found) == 3
    assert np.unique(found.labels.keys).size == 2


def test_features_are_numbers() -> None:
    for wrong in (["a", "b"], 3.0, np.zeros((2, 2, 2))):
        refuses("features are numbers", cd.meet, [1, 1], [1, 2], features=wrong)
    with pytest.raises(cd.ClusterdiffError, match="not taken together"):
        cd.compare([1, 1], [1, 2], "split_merge", samples=[1, 1], features=[1, 2])


def test_equal_points_are_whole_whatever_their_value() -> None:
    for value in (2.0, 0.1, 1e9 + 0.1):
        features = [value] * 4
        score = cd.split_merge([0] * 4, [0, 0, 0, 1], similarity="mse", features=features)
        assert score == 1


def test_control_characters_do_not_reach_the_terminal(folder: Path) -> None:
    name = "a\x1b[31m.csv"
    (folder / name).write_text(CSV)
    told = run("compare", "t.csv", name, "t.csv", "--signatures", "--fail-under", "rand=2")
    assert "\x1b" not in told.stdout + told.stderr
    assert "\x1b" not in run("compare", "t.csv", name + "x").stderr
    assert "\\\\\\|" in cd.compare([1], {"a\\|b": [1], "b": [1]}, "rand").to_markdown()


def test_a_full_disk_is_said(folder: Path) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("there is no device that is always full")
    with open("/dev/full", "w") as full:
        command = [sys.executable, "-m", "clusterdiff", "compare", "t.csv", "t.csv", "-f", "json"]
        ran = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert ran.returncode == 2
    assert "No space left on device" in ran.stderr
    assert "Traceback" not in ran.stderr


def test_a_guess_without_samples_takes_them_from_truth(folder: Path) -> None:
    (folder / "d.csv").write_text("doc,id,cluster\nd,p,a\nd,q,a\ne,r,b\n")
    ran = run("compare", "d.csv", "t.csv", "--samples", "doc", "-m", "rand")
    assert ran.code == 0
    assert "2 samples" in ran.stdout
