"""What the command prints, to the letter: every verb, format and kind, and what it refuses.

`make snapshots` records it anew; the difference in the recorded files is then what has changed.
"""

from __future__ import annotations

import os
import re
from functools import cache
from importlib.metadata import version
from pathlib import Path

import pytest
from packaging.version import Version

from cli.runner import Ran, run
from snapshots.cases import Case, cases, write_files

RECORDED = Path(__file__).parent / "recorded"
RECORDING = os.environ.get("CLUSTERDIFF_SNAPSHOTS") == "record"
CASES = cases()
VERSIONS = re.compile(r"\b(version|scipy|numpy|clusterdiff)(\"?: ?\"?| )\d+\.\d+[\w.+]*\w")
DIGITS = re.compile(r"-?\d+\.\d{7,}(e-?\d+)?")
TAGS = re.compile(r"<(script|style|svg)\b.*?</\1>|<[^>]*>", re.DOTALL)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("files")
    write_files(made)
    return made


@pytest.mark.parametrize("group", sorted({case.group for case in CASES}))
def test_no_recorded_output_is_of_a_case_that_is_gone(
    group: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if RECORDING:
        monkeypatch.chdir(folder)
        record(group)
    assert list(recorded(group)) == [case.name for case in CASES if case.group == group]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_output(case: Case, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wanted = recorded(case.group)[case.name]
    if "Usage: clusterdiff" in wanted and Version(version("typer")) < Version("0.29"):
        pytest.skip("older versions of typer write the usage in another way")
    if not RECORDING:
        monkeypatch.chdir(folder)
        assert shown(run(*case.arguments)) == wanted


def record(group: str) -> None:
    """Write down what is printed now."""
    blocks = [
        f"$ clusterdiff {case.name}\n{shown(run(*case.arguments))}"
        for case in CASES
        if case.group == group
    ]
    (RECORDED / f"{group}.txt").write_text("".join(blocks), encoding="utf-8")


@cache
def recorded(group: str) -> dict[str, str]:
    """What each case of a group printed when it was recorded."""
    text = (RECORDED / f"{group}.txt").read_text(encoding="utf-8")
    blocks = re.split(r"^\$ clusterdiff (.*)\n", text, flags=re.MULTILINE)[1:]
    return dict(zip(blocks[::2], blocks[1::2], strict=True))


def shown(ran: Ran) -> str:
    """Output, errors and exit code as text; versions left out, numbers to ten digits."""
    parts = [ran.stdout]
    if ran.stdout.startswith("<!doctype html"):
        parts = [re.sub(r"\s*\n\s*", "\n", TAGS.sub("\n", ran.stdout))]
    if ran.stderr:
        parts.append(f"stderr:\n{ran.stderr}")
    parts.append(f"exit {ran.code}\n\n")
    text = "".join(part if part.endswith("\n") else f"{part}\n" for part in parts if part)
    text = VERSIONS.sub(r"\1\2?", text)
    return DIGITS.sub(lambda found: f"{float(found[0]):.10g}", text)
