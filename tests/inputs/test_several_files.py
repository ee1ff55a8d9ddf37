"""Several files are one table if that is what they are; else they are refused."""

from __future__ import annotations

from pathlib import Path

import pytest

import clusterdiff as cd
from cli.runner import run
from refusals import refuses


@pytest.fixture
def folder(folder: Path) -> Path:
    for side in ("truth", "guess"):
        (folder / side).mkdir()
    return folder


def write(**files: str) -> None:
    for name, text in files.items():
        side, _, rest = name.partition("_")
        stem, _, ending = rest.rpartition("_")
        Path(side, f"{stem}.{ending}").write_text(text)


ENGINES = ["arrays", "duckdb"]


@pytest.mark.parametrize("engine", ENGINES)
def test_parts_of_a_table_are_one_and_the_header_says_so(folder: Path, engine: str) -> None:
    write(
        truth_a_csv="id,cluster\np,1\nq,1\n", truth_b_csv="id,cluster\nr,2\n",
        guess_x_csv="id,cluster\nr,8\nq,9\np,9\n",
    )  # fmt: skip
    ran = run("compare", "truth/*.csv", "guess/x.csv", "-m", "rand", "--engine", engine)
    assert "rand  1.0000" in ran.stdout
    assert ", 2 files]" in ran.stdout


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("paths", [("truth/*.csv", "guess/*.csv"), ("truth", "guess")])
def test_documents_whose_ids_repeat_are_refused(
    folder: Path, engine: str, paths: tuple[str, str]
) -> None:
    """Object 1 is another one in each document; it has the same label in both by chance."""
    write(
        truth_a_csv="id,cluster\n1,0\n2,0\n", truth_b_csv="id,cluster\n1,0\n3,1\n",
        guess_a_csv="id,cluster\n1,0\n2,0\n", guess_c_csv="id,cluster\n1,0\n3,1\n",
    )  # fmt: skip
    with pytest.raises(cd.ClusterdiffError, match="several files.* 1 ids occur again") as caught:
        cd.compare(*paths, ["rand"], engine=engine)
    assert "--samples" in caught.value.hint


@pytest.mark.parametrize("engine", ENGINES)
def test_documents_with_a_column_of_samples_are_compared(folder: Path, engine: str) -> None:
    write(
        truth_a_csv="doc,id,cluster\na,1,0\na,2,0\n", truth_b_csv="doc,id,cluster\nb,1,0\nb,3,1\n",
        guess_a_csv="doc,id,cluster\na,1,0\na,2,1\n", guess_b_csv="doc,id,cluster\nb,1,0\nb,3,1\n",
    )  # fmt: skip
    report = cd.compare("truth", "guess", ["rand"], samples="doc", engine=engine)
    assert report["rand"].each == (0.0, 1.0)


@pytest.mark.parametrize("engine", ENGINES)
def test_files_without_ids_are_refused(folder: Path, engine: str) -> None:
    for name in ("a", "b"):
        Path("truth", f"{name}.csv").write_text("gold,note,cluster\n1,2,3\n1,2,3\n")
    ran = run(
        "compare", "truth/*.csv", "truth/*.csv", "--no-id", "--cluster", "gold", "--engine", engine
    )
    assert ran.code == 2
    assert "truth/*.csv are 2 files without ids" in ran.stderr


@pytest.mark.parametrize(
    ("ending", "text"), [("labels", "a\nb\n"), ("clusters", "p q\nr\n"), ("json", '{"p": 1}')]
)
@pytest.mark.parametrize("engine", ENGINES)
def test_clusterings_of_their_own_are_refused(
    folder: Path, ending: str, text: str, engine: str
) -> None:
    for name in ("a", "b"):
        Path("truth", f"{name}.{ending}").write_text(text)
    with pytest.raises(cd.ClusterdiffError, match="are 2 files, and each is a clustering"):
        cd.meet(f"truth/*.{ending}", f"truth/*.{ending}", engine=engine)


@pytest.mark.parametrize("engine", ENGINES)
def test_records_of_several_files_are_one_table(folder: Path, engine: str) -> None:
    write(
        truth_a_json='[{"id": 1, "cluster": 5}, {"id": 2, "cluster": 5}]',
        truth_b_json='[{"id": 3, "cluster": 6}]',
    )
    wanted = cd.meet({1: "x", 2: "x", 3: "y"}, {1: 1, 2: 1, 3: 2})
    assert cd.meet("truth/*.json", {1: 1, 2: 1, 3: 2}, engine=engine) == wanted


def test_documents_of_conll_files_are_told_apart_by_name(folder: Path) -> None:
    text = "#begin document ({})\nd 0 a (0)\nd 0 b (0)\n#end document\n"
    write(truth_a_conll=text.format("a"), truth_b_conll=text.format("b"))
    assert len(cd.read("truth/*.conll")) == 4
    write(truth_c_conll=text.format("a"))
    refuses(r"document \(a\) begins twice", cd.read, "truth/*.conll")


def test_patterns_that_the_shell_expanded_are_refused(folder: Path) -> None:
    for side in ("truth", "guess"):
        for name in ("a", "b"):
            Path(side, f"{name}.csv").write_text("id,cluster\n1,0\n2,0\n")
    ran = run("compare", "truth/a.csv", "truth/b.csv", "guess/a.csv", "guess/b.csv")
    assert ran.code == 2
    assert "truth is truth/a.csv alone, and truth/b.csv from the same folder" in " ".join(
        ran.stderr.split()
    )
    assert "'truth/*.csv' 'guess/*.csv'" in ran.stderr
    for paths in (
        ("truth/a.csv", "truth/b.csv", "guess/b.csv"),
        ("truth/a.csv", "guess/a.csv", "guess/b.csv"),
        ("truth/a.csv", "truth/b.csv"),
    ):
        assert run("compare", *paths, "-m", "rand").code == 0
