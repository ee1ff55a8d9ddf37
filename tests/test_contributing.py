"""CONTRIBUTING: its examples are packages that work, and what it says of versions holds."""

from __future__ import annotations

import doctest
import re
import runpy
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

import clusterdiff as cd
from packages import installed, write
from test_imports import LAYERS, ROOF, ROOMS

ROOT = Path(__file__).parents[1]
TEXT = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
BLOCK = re.compile(r'^```(\w+)(?: title="(.*?)")?\n(.*?)^```', re.DOTALL | re.MULTILINE)
SECTIONS = {
    section.partition("\n")[0]: BLOCK.findall(section)
    for section in TEXT.split("\n## ")
    if "title=" in section
}
ORACLES = {"Adding a measure: one file and its oracle": "test_wholes.py"}


def entry_points(text: str) -> str:
    """What pip makes of the entry points of a project."""
    groups = tomllib.loads(text)["project"]["entry-points"]
    return "\n".join(
        f"[{group}]\n" + "\n".join(f"{name} = {value}" for name, value in points.items())
        for group, points in groups.items()
    )


@pytest.mark.parametrize("section", SECTIONS)
def test_an_example_works_as_a_package(
    section: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    files = {name: text for _, name, text in SECTIONS[section] if name}
    points = entry_points(files.pop("pyproject.toml")) if "pyproject.toml" in files else ""
    site = write(tmp_path / "site", "example", points)
    for name, text in files.items():
        (site if name.endswith(".py") else tmp_path).joinpath(name).write_text(text)
    with installed(site, monkeypatch):
        shown = "".join(
            text for kind, name, text in SECTIONS[section] if kind == "python" and not name
        )
        test = doctest.DocTestParser().get_doctest(shown, {}, section, section, 0)
        assert test.examples
        said: list[str] = []
        failed = doctest.DocTestRunner().run(test, out=said.append).failed
        assert not failed, "".join(said)
        tests = [name for name in files if name.startswith("test_")]
        assert tests == ([ORACLES[section]] if section in ORACLES else [])
        for name in tests:
            found = runpy.run_path(str(site / name))
            called = [one for key, one in found.items() if key.startswith("test_")]
            assert len(called) == 2
            for one in called:
                one()


def test_an_example_adds_one_file() -> None:
    assert len(SECTIONS) == 3
    for section, blocks in SECTIONS.items():
        written = [name for kind, name, _ in blocks if kind == "python" and name]
        assert len(written) == 1 + (section in ORACLES), section


def test_the_version_has_a_section_in_the_changelog_and_is_cited() -> None:
    changes = re.findall(r"^## (.*)$", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert changes[0] == cd.__version__
    assert changes == sorted(changes, key=lambda one: [*map(int, one.split("."))], reverse=True)
    assert f"\nversion: {cd.__version__}\n" in (ROOT / "CITATION.cff").read_text()


def test_what_is_public_exists() -> None:
    for place in re.findall(r"`(clusterdiff(?:_lab)?\.(?:extending|testing|estimators))`", TEXT):
        module = __import__(place, fromlist=["__all__"])
        assert all(hasattr(module, name) for name in module.__all__)


def test_the_map_of_the_house_is_true() -> None:
    """Layers and rooms are those that imports are held to, and every file has its row."""
    text = " ".join(TEXT.split())
    for names, between in ((LAYERS, " ← "), (ROOMS, ", "), (ROOF, ", ")):
        assert f"`{between.join(names)}`" in text
    rows = "".join(re.findall(r"^\| (`.*?) \|", TEXT, re.MULTILINE))
    here = {p.name for p in (ROOT / "src/clusterdiff").iterdir() if not p.name.startswith("__")}
    named = {name.strip("/") for name in re.findall(r"`([a-z_./]+)`", rows)}
    small = {
        "array_types.py",
        "compiled_cache.py",
        "estimators.py",
        "py.typed",
        "schemas",
        "version.py",
    }
    assert here - named == small
    assert named <= here


def test_the_life_of_a_call_is_as_it_says() -> None:
    """The files that the map names are those through which the call goes."""
    said = TEXT.partition("A call of `cd.elm_f(truth, guess)`")[2].partition("\n\n")[0]
    files = re.findall(r"`([a-z_/]+\.py)`", said)
    run: set[str] = set()

    def watch(frame: Any, event: str, _: object) -> None:
        run.add(frame.f_code.co_filename)

    sys.setprofile(watch)
    try:
        cd.elm_f(cd.Partition({"a": 1, "b": 1}), cd.Partition({"a": 1, "b": 2}))
    finally:
        sys.setprofile(None)
    assert len(files) == 6
    assert all(any(one.endswith(f"clusterdiff/{file}") for one in run) for file in files)
