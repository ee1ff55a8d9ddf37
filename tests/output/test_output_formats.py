"""Output formats: one registry for all verbs, one file for a new format."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import clusterdiff as cd
import clusterdiff_lab as lab
from cli.runner import run
from clusterdiff.output.formats import formats_of, output_formats

ROOT = Path(__file__).parents[2]
SOURCES = Path(cd.__file__).parent
FILE = Path("output", "formats", "html.py")


def worked_example() -> str:
    """The file that CONTRIBUTING adds."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    section = text.split("## An output format\n")[1].split("\n## ")[0]
    found = re.search(r"```python\n(.*?)```", section, re.DOTALL)
    assert found is not None
    return found[1]


@pytest.fixture(scope="module")
def extended(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the package with one file more."""
    folder = tmp_path_factory.mktemp("package")
    shutil.copytree(SOURCES, folder / "clusterdiff", ignore=shutil.ignore_patterns("*.nb?"))
    (folder / "clusterdiff" / FILE).write_text(worked_example(), encoding="utf-8")
    return folder


@pytest.mark.parametrize(
    ("arguments", "cells"),
    [
        (["compare", "12|34", "1|234", "-m", "rand"], [">rand</td>", ">0.5000</td>"]),
        (["explain", "12|34", "1|234"], [">share</th>", ">100.0 %</td>"]),
        (["diff", "12|34", "1|234", "12|34"], [">change</th>", ">repaired</td>"]),
    ],
)
def test_a_format_is_one_file(extended: Path, arguments: list[str], cells: list[str]) -> None:
    environment = os.environ | {"PYTHONPATH": str(extended)}
    command = [sys.executable, "-m", "clusterdiff", *arguments, "-f", "html"]
    ran = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.startswith("<table>")
    assert all(cell in ran.stdout for cell in cells)


def test_the_example_is_not_there_yet() -> None:
    assert "html" not in output_formats()
    assert not (SOURCES / FILE).exists()


def test_verbs_offer_what_their_results_support() -> None:
    assert {"text", "table", "json", "csv", "md", "latex"} <= set(formats_of(cd.Report))
    every = set(formats_of(cd.Explanation))
    assert every == set(formats_of(cd.Diff)) == set(formats_of(cd.Report)) - {"latex-paper"}
    assert "latex" not in formats_of(lab.Laboratory)
    assert not formats_of(cd.Page)


@pytest.mark.parametrize(
    "arguments",
    [
        ("compare", "12|34", "1|234"),
        ("explain", "12|34", "1|234"),
        ("diff", "12|34", "1|234", "12|34"),
        ("measures", "nmi"),
        ("axioms", "rand", "-c", "bounds"),
    ],
)
def test_text_and_table_are_one(arguments: tuple[str, ...]) -> None:
    plain = run(*arguments)
    assert plain.code == 0
    assert plain == run(*arguments, "-f", "text") == run(*arguments, "-f", "table")


@pytest.mark.parametrize(
    ("verb", "flag", "name"),
    [
        (("measures", "nmi"), "--json", "json"),
        (("reproduce", "cice", "--values"), "--json", "json"),
        (("reproduce", "cice", "--values"), "--markdown", "md"),
    ],
)
def test_older_flags_say_the_same(verb: tuple[str, ...], flag: str, name: str) -> None:
    old = run(*verb, flag)
    assert old.code == 0
    assert old == run(*verb, "-f", name) == run(*verb, flag, "-f", name)
    assert old != run(*verb)


def test_one_result_is_written_in_one_format() -> None:
    ran = run("measures", "nmi", "--json", "-f", "md")
    assert ran.code == 2
    assert "leave one out" in ran.stderr


@pytest.mark.parametrize("verb", [("compare", "12", "12"), ("measures",), ("axioms",)])
def test_a_format_that_there_is_not(verb: tuple[str, ...]) -> None:
    ran = run(*verb, "-f", "nix")
    assert ran.code == 2
    assert "'nix' is not one of 'text', 'table'" in ran.stderr


@pytest.mark.parametrize("name", ["csv", "md", "latex"])
def test_one_object_is_text_or_json(name: str) -> None:
    ran = run("explain", "12|34", "1|234", "--object", "2", "-f", name)
    assert ran.code == 2
    assert f"one object is not written as {name}" in ran.stderr
