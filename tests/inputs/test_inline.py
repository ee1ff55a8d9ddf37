"""Clusterings written as texts: 12|34 is a cluster of 1 and 2, and one of 3 and 4."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import clusterdiff as cd
from cli.runner import run
from clusterdiff.io.read import clusters_in, inline, is_inline
from clusterdiff_lab.axioms.tables import draw
from oracles.conditions import partitions
from refusals import refuses


def labels_in(clustering: Any) -> dict[Any, Any]:
    return dict(zip(clustering.ids.tolist(), clustering.labels.tolist(), strict=True))


# --- What a text says. --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("12|34", [[1, 2], [3, 4]]),
        ("1|2|3", [[1], [2], [3]]),
        ("123|", [[1, 2, 3]]),
        ("|123", [[1, 2, 3]]),
        ("ab|c", [["a", "b"], ["c"]]),
        ("aB|b", [["a", "B"], ["b"]]),
        ("1-5|6,7", [[1, 2, 3, 4, 5], [6, 7]]),
        ("1,3-5|2", [[1, 3, 4, 5], [2]]),
        ("8-11|12", [[8, 9, 10, 11], [12]]),
        ("10,11|12", [[10, 11], [12]]),
        ("ann,bob|eve", [["ann", "bob"], ["eve"]]),
        ("doc.1,doc_2|x-y", [["doc.1", "doc_2"], ["x-y"]]),
    ],
)
def test_clusters_of_a_text(text: str, wanted: list[list[int | str]]) -> None:
    assert is_inline(text)
    assert clusters_in(text) == wanted
    of = {x: k for k, cluster in enumerate(wanted) for x in cluster}
    assert cd.rand(inline(text), of) == 1
    assert labels_in(inline(text)).keys() == of.keys()


@pytest.mark.parametrize("text", ["12", "truth.csv", "a b|c", "1,,2|3", ",|1", "C:|x", "a/b|c"])
def test_other_texts_are_names_of_files(text: str) -> None:
    assert not is_inline(text)
    refuses("File not found", cd.read, text)


def test_every_drawing_of_up_to_five_objects_is_read_back() -> None:
    for n in range(1, 6):
        for partition in partitions(n):
            groups = sorted(sorted(cluster) for cluster in partition)
            assert clusters_in(draw(groups)) == groups


def test_drawings_of_more_objects_are_read_back() -> None:
    for groups in (
        [[1, 6, 7, 8], [2, 3, 4, 5], [9, 10]],
        [[*range(1, 87)]],
        [[1, 2], [*range(3, 12)]],
    ):
        assert clusters_in(draw(groups)) == groups


def test_drawings_of_ten_single_objects_are_read_back() -> None:
    groups = [[x] for x in range(1, 11)]
    assert clusters_in(draw(groups)) == groups


# --- In Python. ---------------------------------------------------------------------------------


def test_texts_are_compared_like_any_clusterings() -> None:
    truth, guess = {1: "a", 2: "a", 3: "b", 4: "b"}, {1: "a", 2: "b", 3: "a", 4: "b"}
    wanted, found = cd.compare(truth, guess), cd.compare("12|34", "13|24")
    assert {name: found[name].value for name in found} == {
        name: wanted[name].value for name in wanted
    }
    assert cd.rand("12|34", "13|24") == cd.rand(truth, guess) == pytest.approx(1 / 3)
    assert cd.rand("12|34", guess) == cd.rand(truth, "13|24") == pytest.approx(1 / 3)
    assert cd.objects("elm_f", "12|34", "13|24").ids == [1, 2, 3, 4]


def test_texts_take_the_options_of_a_comparison() -> None:
    assert cd.rand("12|3", "1|2", align="shared") == 0
    refuses("1 of 3 objects is only in truth", cd.rand, "12|3", "1|2")
    for engine in ("arrays", "duckdb"):
        assert cd.rand("12|34", "13|24", engine=engine) == pytest.approx(1 / 3)


def test_texts_can_be_covers() -> None:
    cover = cd.read("12|23", kind="cover")
    assert isinstance(cover, cd.Cover)
    assert cd.cice_f("12|23", "12|3") == cd.cice_f(
        cd.Cover({1: [1], 2: [1, 2], 3: [2]}), cd.Cover({1: [1], 2: [1], 3: [2]})
    )
    twice = cd.Cover({1: [1, 2], 2: [1, 2]})
    assert cd.extended_bcubed_f("12|", "12|12") == cd.extended_bcubed_f("12|", twice) < 1


def test_a_file_of_that_name_wins(folder: Path) -> None:
    (folder / "12|34").write_text("id,cluster\n1,a\n2,b\n3,a\n4,b\n")
    assert not is_inline("12|34")
    assert cd.rand("12|34", "13|24") == 1
    ran = run("compare", "12|34", "13|24", "-m", "rand")
    assert (ran.code, ran.stdout.split()[-1]) == (0, "1.0000")


# --- At the prompt. -----------------------------------------------------------------------------


def printed(*arguments: str) -> list[str]:
    """The scores of the measure that is named last."""
    ran = run("compare", *arguments, columns=120)
    assert (ran.code, ran.stderr) == (0, "")
    (row,) = (line for line in ran.stdout.splitlines() if line.split()[:1] == [arguments[-1]])
    return [word for word in row.split()[1:] if word != "▲"]


@pytest.mark.parametrize(
    ("arguments", "scores"),
    [
        (["12|34", "13|24", "-m", "rand"], ["0.3333"]),
        (["12|34", "13|24", "12|34", "-m", "rand"], ["0.3333", "1.0000"]),
        (["ab|c", "a|bc", "-m", "bcubed_f"], ["0.6667"]),
        (["1-200|201", "1-201|", "-m", "elm_f"], ["0.9925"]),
        (["1,2|3", "12|3", "-m", "elm_f"], ["1.0000"]),
        (["12|", "1|2|12", "12|12", "--kind", "cover", "-m", "cice_f"], ["0.8148", "0.6667"]),
        (["12|3", "1|2", "--align", "shared", "-m", "rand"], ["0.0000"]),
    ],
)
def test_compare_takes_texts(arguments: list[str], scores: list[str]) -> None:
    assert printed(*arguments) == scores


def test_compare_takes_a_text_and_a_file(tmp_path: Path) -> None:
    file = tmp_path / "guess.csv"
    file.write_text("id,cluster\n1,a\n2,b\n3,a\n4,b\n")
    assert printed("12|34", str(file), "-m", "rand") == ["0.3333"]
    assert printed(str(file), "13|24", "-m", "rand") == ["1.0000"]


def test_explain_takes_texts() -> None:
    ran = run("explain", "12|34", "13|24")
    assert (ran.code, ran.stderr) == (0, "")
    assert ran.stdout.startswith("elm_f 0.0000")
    assert "Of 4 objects" in ran.stdout


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["12|24", "12|"], "in 12|24 object 2 is in several clusters."),
        (["1-3|3-5", "1-5|"], "in 1-3|3-5 object 3 is in several clusters."),
        (["12|3", "12|3", "--kind", "fuzzy"], "12|3 is a partition or a cover, not a fuzzy"),
        (["12|3", "12|3", "--kind", "rough"], "12|3 is a partition or a cover, not a rough"),
        (["|", "|"], "no objects"),
        (["12|3", "12|34"], "1 only in guess (4)"),
        (["12", "1|2"], "File not found: 12"),
    ],
)
@pytest.mark.parametrize("verb", ["compare", "explain"])
def test_bad_texts_are_told_in_one_paragraph(verb: str, arguments: list[str], says: str) -> None:
    ran = run(verb, *arguments)
    assert (ran.code, ran.stdout) == (2, "")
    message, *hint = ran.stderr.strip().splitlines()
    assert message.startswith("clusterdiff: ")
    assert says in message
    assert len(hint) == 1
    assert hint[0].startswith("  Hint: ")


# --- What is read otherwise than one would think. -----------------------------------------------


def test_a_range_that_runs_backwards_is_refused() -> None:
    refuses(None, inline, "5-1|2")


@pytest.mark.parametrize("text", ["a-c|d", "x.1|y"])
def test_hyphens_and_dots_are_no_objects(text: str) -> None:
    assert not {"-", "."} & {x for cluster in clusters_in(text) for x in cluster}


def test_an_object_twice_in_a_cluster_is_told_as_that() -> None:
    told = refuses(None, inline, "11|2")
    assert "several clusters" not in told.message


def test_the_hint_in_python_is_for_python() -> None:
    told = refuses(None, cd.rand, "12|24", "12|")
    assert 'kind="cover"' in told.hint


def test_an_unknown_kind_is_told_as_that() -> None:
    refuses("unknown kind of clustering 'nonsense'", cd.read, "12|3", kind="nonsense")
