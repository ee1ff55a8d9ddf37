"""Every example in the README and the docs runs, and prints what is printed there."""

from __future__ import annotations

import doctest
import re
import shlex
from pathlib import Path

import pytest

from cli.runner import run

ROOT = Path(__file__).parents[1]
PAGES = [
    "README.md",
    *(str(page.relative_to(ROOT)) for page in sorted((ROOT / "docs").rglob("*.md"))),
]
TRUTH = "1 ann,2 ann,3 ann,4 bob,5 bob,6 cy,7 cy,8 dee,9 dee,10 dee,11 dee,12 eve"
RUN1 = "1 a,2 a,3 b,4 c,5 c,6 c,7 d,8 e,9 e,10 e,11 e,12 f"
RUN2 = "1 a,2 a,3 a,4 b,5 b,6 b,7 b,8 c,9 c,10 c,11 c,12 c"


SHARE = """
from collections import Counter

def share(truth, guess):
    parts = {}
    for label, cluster in zip(truth, guess):
        parts.setdefault(cluster, []).append(label)
    return sum(max(Counter(part).values()) for part in parts.values()) / len(truth)
"""


def blocks(page: str, language: str) -> list[str]:
    text = (ROOT / page).read_text(encoding="utf-8")
    return re.findall(rf"```{language}\n(.*?)```", text, re.DOTALL)


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The files that the examples speak of."""
    monkeypatch.chdir(tmp_path)
    tables = {
        name: dict(row.split() for row in rows.split(","))
        for name, rows in {"truth": TRUTH, "run1": RUN1, "run2": RUN2}.items()
    }
    for name, table in tables.items():
        lines = [f"{i},{c}" for i, c in table.items()]
        (tmp_path / f"{name}.csv").write_text("\n".join(["id,cluster", *lines]) + "\n")
    partial = [f"{i},{c}" for i, c in list(tables["run1"].items())[:10]]
    (tmp_path / "partial.csv").write_text("\n".join(["id,cluster", *partial]) + "\n")
    wide = [f"{i},{c},{tables['run1'][i]}" for i, c in tables["truth"].items()]
    (tmp_path / "table.csv").write_text("\n".join(["id,gold,run1", *wide]) + "\n")
    topics = ["d1,jazz", "d2,jazz", "d2,funk", "d3,funk", "d4,rock", "d4,funk", "d5,"]
    (tmp_path / "topics.csv").write_text("\n".join(["id,topic", *topics]) + "\n")
    (tmp_path / "tagger.json").write_text(
        '{"d1": ["a"], "d2": ["a", "b"], "d3": ["b"], "d4": ["c"], "d5": []}'
    )
    (tmp_path / "overlap.py").write_text(SHARE)
    flowers = ["f1,setosa", "f2,setosa", "f3,iris", "f4,iris", "f5,virginica", "f6,virginica"]
    (tmp_path / "flowers.csv").write_text("\n".join(["id,species", *flowers]) + "\n")
    (tmp_path / "mixture.csv").write_text(
        "id,a,b,c\nf1,1,0,0\nf2,0.9,0.1,0\nf3,0,0.8,0.2\nf4,0,0.5,0.5\nf5,0,0.3,0.7\nf6,0,0,1\n"
    )
    (tmp_path / "experts.json").write_text(
        '{"f1": {"x": 1}, "f2": {"x": 0.6, "x|y": 0.4}, "f3": {"y": 1}, "f4": {"y|z": 1}, '
        '"f5": {"z": 0.5, "y|z": 0.5}, "f6": {"z": 1}}'
    )
    return tmp_path


@pytest.mark.parametrize("page", PAGES)
def test_python_examples(page: str, files: Path) -> None:
    text = "\n".join(blocks(page, "python"))
    test = doctest.DocTestParser().get_doctest(text, {}, page, page, 0)
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
    output: list[str] = []
    runner.run(test, out=output.append)
    assert not runner.failures, "".join(output)


@pytest.mark.parametrize("page", PAGES)
def test_console_examples(page: str, files: Path) -> None:
    for block in blocks(page, "console"):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, wanted = part.partition("\n")
            name, *arguments = shlex.split(command)
            assert name == "clusterdiff"
            ran = run(*arguments)
            assert (ran.stdout + ran.stderr).strip() == wanted.strip(), command


def test_the_readme_has_examples_of_both_sorts() -> None:
    assert blocks("README.md", "python")
    assert blocks("README.md", "console")


def test_the_table_of_measures_is_complete() -> None:
    import clusterdiff as cd

    text = (ROOT / "README.md").read_text(encoding="utf-8")
    for measure in cd.measures():
        family = re.sub(r"_(precision|recall|f)$", "", measure.name)
        assert (
            f"`{measure.name}`" in text
            or f"`{family}_*`" in text
            or measure.name
            in (
                "adjusted",
                "split_merge",
            )
        )
