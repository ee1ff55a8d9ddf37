"""Every example in the README and the docs runs, and prints what is printed there."""

from __future__ import annotations

import doctest
import os
import re
import runpy
import shlex
from pathlib import Path
from typing import Any

import pytest

from cli.runner import run
from clusterdiff.demo import to_csv

ROOT = Path(__file__).parents[1]
PAGES = [
    "README.md",
    *(str(page.relative_to(ROOT)) for page in sorted((ROOT / "docs").rglob("*.md"))
      if page.parent.name != "measures"),
]  # fmt: skip
"""Those of measures need no files: results/test_catalogue.py runs them."""
SLOW = ("docs/how-to/conditions.md",)
"""Pages whose examples search for half a minute."""
NEEDED = {"docs/how-to/single-cell.md": "anndata"}
"""Packages that pages need and the dev group has not; `make single-cell` runs these pages."""
EXAMPLES = [pytest.param(page, marks=[pytest.mark.slow] if page in SLOW else []) for page in PAGES]
RECORD = os.environ.get("CLUSTERDIFF_SNAPSHOTS") == "record"
PEOPLE = "demo --data people"
"""What writes the table of persons, on pages whose examples in Python use it too."""
FILES = "docs/files.md"
"""The page that shows the files that several pages speak of."""


def blocks(page: str, language: str) -> list[str]:
    text = (ROOT / page).read_text(encoding="utf-8")
    return re.findall(rf"```{language}\n(.*?)```", text, re.DOTALL)


@pytest.fixture
def files(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """The files that the examples speak of; those that the page shows, and what scripts among them
    write. The names that scripts of the page define.
    """
    if page in NEEDED:
        pytest.importorskip(NEEDED[page])
    monkeypatch.chdir(tmp_path)
    return write_files(page, tmp_path)


def write_files(page: str, folder: Path) -> dict[str, Any]:
    """Write the files that a page may speak of, and run the scripts among them; give the names that
    those of the page itself define.
    """
    defined: dict[str, Any] = {}
    if PEOPLE in (ROOT / page).read_text(encoding="utf-8"):
        (folder / "people.csv").write_text(to_csv(), encoding="utf-8", newline="\n")
    for shown in dict.fromkeys((FILES, page)):
        for name, text in shown_files(shown):
            (folder / name).parent.mkdir(exist_ok=True)
            (folder / name).write_text(text, encoding="utf-8")
            if name.endswith(".py"):
                made = runpy.run_path(name)
                defined |= made if shown == page else {}
    return {name: one for name, one in defined.items() if not name.startswith("_")}


def shown_files(page: str) -> list[tuple[str, str]]:
    """The names and contents of blocks that have a file name for a title."""
    text = (ROOT / page).read_text(encoding="utf-8")
    return re.findall(r'^```\w* title="(.*?)"\n(.*?)^```', text, re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize("page", EXAMPLES)
def test_python_examples(page: str, files: dict[str, Any]) -> None:
    text = "\n".join(blocks(page, "python"))
    for name in ("torch", "torchmetrics"):
        if name in text:
            pytest.importorskip(name)
    test = doctest.DocTestParser().get_doctest(text, dict(files), page, page, 0)
    runner = Runner(optionflags=doctest.NORMALIZE_WHITESPACE)
    output: list[str] = []
    runner.run(test, out=output.append)
    if RECORD:
        rewrite(page, runner.printed)
    else:
        assert not runner.failures, "".join(output)


class Runner(doctest.DocTestRunner):
    """Keeps what examples print where it is not what the page shows."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.printed: list[tuple[str, str]] = []

    def report_failure(
        self, out: Any, test: doctest.DocTest, example: doctest.Example, got: str
    ) -> None:
        super().report_failure(out, test, example, got)
        got = re.sub(r"^(Traceback .*\n)(?: .*\n)+", r"\1", got, flags=re.MULTILINE)
        self.printed.append((example.want, got.replace("\n\n", "\n<BLANKLINE>\n")))


def rewrite(page: str, outputs: list[tuple[str, str]]) -> None:
    """Put what is printed now where the page shows something else: (shown, printed)."""
    text = (ROOT / page).read_text(encoding="utf-8")
    for shown, printed in outputs:
        text = text.replace(shown, printed, 1)
    (ROOT / page).write_text(text, encoding="utf-8")


@pytest.mark.parametrize("page", EXAMPLES)
def test_console_examples(page: str, files: dict[str, Any]) -> None:
    for block in blocks(page, "console"):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, wanted = part.partition("\n")
            name, *arguments = shlex.split(command)
            assert name == "clusterdiff"
            ran = run(*arguments)
            if RECORD:
                printed = f"$ {command}\n{(ran.stdout + ran.stderr).strip()}\n"
                rewrite(page, [(f"$ {command}\n{wanted.rstrip()}\n", printed)])
                continue
            assert (ran.stdout + ran.stderr).strip() == wanted.strip(), command


def test_the_readme_has_examples_of_both_sorts() -> None:
    assert blocks("README.md", "python")
    assert blocks("README.md", "console")


def test_the_readme_is_short_and_does_not_overstate_the_measures() -> None:
    import clusterdiff as cd

    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert len(re.sub(r"```console.*?```", "", text, flags=re.DOTALL).splitlines()) < 75
    counted = re.search(r"more than (\d+) measures", text)
    assert counted is not None
    assert len(cd.measures()) > int(counted[1])
