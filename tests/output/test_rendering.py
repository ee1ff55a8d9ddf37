"""Every result in a notebook and by rich: the same words and numbers as its text, and no markup of
names.
"""

from __future__ import annotations

import io
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from rich.console import Console

import clusterdiff as cd
import clusterdiff_lab as lab
from browse.reviews import review
from cli.runner import run
from clusterdiff import progress as bars
from clusterdiff.output.formats import formats_of, output_formats
from clusterdiff.output.result import Renderable

HOSTILE = "<img src=x onerror=alert(1)>[red]\x1b[31m&amp;"
TRUTH = {f"{HOSTILE}{i}": f"{HOSTILE} {i // 4}" for i in range(60)}
OLD, NEW = (
    {id: f"{HOSTILE} {i // 4 if i % k else i % 5}" for i, id in enumerate(TRUTH)} for k in (5, 7)
)
SOME = {id: cluster for i, (id, cluster) in enumerate(TRUTH.items()) if i < 48}
PAIRS = [(a, b, 0.9 - i / 100) for i, (a, b) in enumerate(zip(TRUTH, [*TRUTH][1:], strict=False))]
GUESSES = {f"{HOSTILE}old": OLD, "new": NEW}
COARSE = {id: f"{HOSTILE} {i // 12}" for i, id in enumerate(TRUTH)}
BLOCKS = {i: i // 2 for i in range(60)}
MOVED = {i: i // 2 if i % 7 else f"{HOSTILE}{i}" for i in range(60)}


def blocks() -> Any:
    """An explanation of many components."""
    return cd.explain(BLOCKS, MOVED, confidence=0.9)


def sliced() -> Any:
    """Slices by a column, one of whose values stands out."""
    split = {i: i // 2 if i % 8 else f"new {i}" for i in range(800)}
    rows = [(i, i // 2, split[i], HOSTILE if i % 8 < 2 else "b") for i in split]
    frame = pd.DataFrame(rows, columns=["id", "truth", "guess", HOSTILE])
    told: Any = cd.explain(frame, truth="truth", guess="guess")
    return told.slices()


def covered(labels: dict[str, str], *more: str) -> dict[str, list[str]]:
    """The same as a cover, with clusters more."""
    return {id: [cluster, *more] for id, cluster in labels.items()}


class Annotation:
    """Turns of speakers, as pyannote has them."""

    def __init__(self, turns: dict[str, tuple[float, float]]) -> None:
        self.uri, self.turns = "talk", turns

    def itertracks(self, yield_label: bool) -> Any:
        """Segments, tracks and speakers."""
        for number, (who, (start, end)) in enumerate(self.turns.items()):
            yield SimpleNamespace(start=start, end=end), number, who


MADE: dict[str, Any] = {
    "report": lambda: cd.compare(TRUTH, GUESSES, "elm_f,rand", confidence=0.9),
    "one guess": lambda: cd.compare(TRUTH, OLD),
    "levels": lambda: cd.compare(
        guess=GUESSES, levels={"fine": TRUTH, HOSTILE: COARSE},
    ),
    "several guesses": lambda: cd.compare(TRUTH, GUESSES),
    "samples": lambda: cd.compare(
        list(TRUTH.values()), list(OLD.values()), "elm_f", samples=[i % 3 for i in range(60)]
    ),
    "explain": lambda: cd.explain(TRUTH, OLD),
    "same": lambda: cd.explain(TRUTH, TRUTH),
    "cover": lambda: cd.explain(cd.Cover(covered(TRUTH)), cd.Cover(covered(OLD, "x"))),
    "speech": lambda: cd.explain(
        Annotation({f"{HOSTILE}a": (0, 9)}), Annotation({"x": (1, 5), "y": (4, 9)})
    ),
    "soft": lambda: cd.explain(TRUTH, cd.Rough(covered(OLD, "x"))),
    "uncertainty": lambda: blocks().uncertainty(),
    "slices": lambda: sliced(),
    "object": lambda: cd.explain(TRUTH, OLD).object(f"{HOSTILE}7"),
    "cover object": lambda: made("cover").object(f"{HOSTILE}7"),
    "soft object": lambda: made("soft").object(f"{HOSTILE}7"),
    "diff": lambda: cd.diff(TRUTH, OLD, NEW),
    "cover diff": lambda: cd.diff(
        cd.Cover(covered(TRUTH)), cd.Cover(covered(OLD)), cd.Cover(covered(NEW))
    ),
    "objects": lambda: cd.objects(TRUTH, OLD),
    "chance": lambda: cd.chance(TRUTH, OLD, "rand"),
    "table": lambda: cd.contingency(TRUTH, OLD),
    "matrix": lambda: cd.matrix({f"{HOSTILE}a": TRUTH, "b": OLD, "c": NEW}),
    "annotators": lambda: cd.matrix({"a": TRUTH, "b": OLD}, guesses={f"{HOSTILE}c": NEW}),
    "consistency": lambda: cd.matrix({"a": TRUTH, "b": OLD}).objects(),
    "consensus": lambda: cd.consensus({f"{HOSTILE}a": TRUTH, "b": OLD, "c": NEW}),
    "track": lambda: cd.track({f"{HOSTILE}May": OLD, "June": NEW}),
    "relabel": lambda: cd.relabel(OLD, NEW),
    "sweep": lambda: cd.sweep(TRUTH, PAIRS, "pair_f"),
    "pairs": lambda: cd.pairs([(HOSTILE, 350, 100, 70, True), ("offered", 8000, 200, 4, False)]),
    "decisions": lambda: decided(),
    "check": lambda: cd.check_judgements(
        OLD, [{"left": f"{HOSTILE}{i}", "right": f"{HOSTILE}{i + 1}", "same": i % 2,
               "note": HOSTILE} for i in range(0, 50, 3)]
    ),
    "estimate": lambda: cd.estimate(SOME, {"a": OLD, "b": NEW}, design="clusters", population=60),
    "against": lambda: made("annotators").against,
    "laboratory": lambda: lab.laboratory(
        ["rand", "elm_f"], ["rag_bag", "homogeneity"], objects=4, larger=0, climb=0
    ),
}  # fmt: skip


def decided() -> cd.Decisions:
    """A review in which the truth was always wrong."""
    with TemporaryDirectory() as folder, review(TRUTH, OLD, Path(folder) / "d.jsonl") as made:
        for key in made.index.keys:
            made.decide(key, "truth", HOSTILE, "truth", {})
        return cd.decisions(made.journal.path, TRUTH)


REPEATED: dict[str, Any] = {}


def made(name: str) -> Any:
    """A result, made once."""
    if name not in REPEATED:
        REPEATED[name] = MADE[name]()
    return REPEATED[name]


class Words(HTMLParser):
    """The elements of a page, and its text."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.text: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        assert all(key == "style" for key, _ in attrs), attrs

    def handle_data(self, data: str) -> None:
        self.text.append(data)


def words_of(html: str) -> tuple[set[str], str]:
    page = Words()
    page.feed(html)
    page.close()
    return page.tags, " ".join(page.text)


def numbers(text: str) -> set[str]:
    """All that is a number with decimals."""
    return set(re.findall(r"\d+\.\d{2,}", text))


@pytest.mark.parametrize("name", list(MADE))
def test_html_says_what_the_text_says(name: str) -> None:
    result = made(name)
    tags, text = words_of(result._repr_html_())
    assert tags <= {"div", "p", "br", "table", "thead", "tbody", "tr", "th", "td", "b"}
    assert numbers(text) >= numbers(result.to_text(200))
    assert "\x1b" not in text
    assert len(result._repr_html_()) < 60_000


@pytest.mark.parametrize("name", list(MADE))
@pytest.mark.parametrize("width", [44, 100])
def test_rich_prints_the_text(name: str, width: int) -> None:
    result = made(name)
    plain = Console(file=io.StringIO(), width=width, color_system=None)
    colours = Console(
        file=io.StringIO(), width=width, force_terminal=True, color_system="truecolor"
    )
    for console in (plain, colours):
        console.print(result)
    shown: Any = plain.file.getvalue()  # type: ignore[attr-defined]
    assert lines(shown) == lines(result.to_text(width))
    assert max(map(len, shown.splitlines())) <= width or name == "laboratory"
    styled = colours.file.getvalue()  # type: ignore[attr-defined]
    assert lines(re.sub(r"\x1b\[[\d;]*m", "", styled)) == lines(shown)
    assert "\x1b[31m&" not in styled


def lines(text: str) -> list[str]:
    """The lines that are not empty."""
    return [line.rstrip() for line in text.splitlines() if line.strip()]


def every(kind: type[Any]) -> Iterator[type[Any]]:
    """All classes below this one."""
    below: list[type[Any]] = kind.__subclasses__()
    for one in below:
        yield one
        yield from every(one)


def test_every_result_is_tried() -> None:
    tried: set[type] = {kind for name in MADE for kind in type(made(name)).__mro__}
    for kind in every(Renderable):
        if not getattr(kind, "__abstractmethods__", None) and kind.__module__.startswith(
            "clusterdiff"
        ):
            assert kind in tried, kind.__name__


def test_the_best_is_bold_and_green() -> None:
    report = cd.compare([1, 1, 2], {"a": [1, 1, 2], "b": [1, 2, 2]}, "rand")
    assert "<b>1.0000</b>" in report._repr_html_()
    console = Console(file=io.StringIO(), force_terminal=True, color_system="standard")
    console.print(report)
    assert "\x1b[1;32m  1.0000 ▲" in console.file.getvalue()  # type: ignore[attr-defined]


def test_fates_have_colours() -> None:
    console = Console(file=io.StringIO(), force_terminal=True, color_system="standard", width=100)
    console.print(cd.diff([1, 1, 2, 2], [1, 2, 3, 3], [1, 1, 1, 2]))
    shown: Any = console.file.getvalue()  # type: ignore[attr-defined]
    assert "\x1b[31mbroken\x1b[0m" in shown
    assert "\x1b[32mrepaired\x1b[0m" in shown or "\x1b[32mbetter\x1b[0m" in shown


def test_many_objects_are_a_short_table() -> None:
    scores = cd.objects(np.arange(10_000) // 2, np.zeros(10_000, int))
    html = scores._repr_html_()
    assert html.count("<tr>") == 11
    assert "The 10 lowest of 10,000:" in html
    assert len(html) < 3000
    assert "\n" not in repr(scores) == str(scores)


def test_numbers_stand_at_the_right_and_names_at_the_left() -> None:
    html = cd.compare([1, 1, 2], [1, 2, 2], "rand")._repr_html_()
    assert '<td style="text-align:left;white-space:nowrap">rand</td>' in html
    assert '<td style="text-align:right;white-space:nowrap">0.3333</td>' in html


def test_rich_is_not_imported_to_make_a_result() -> None:
    code = (
        "import sys, clusterdiff as cd; r = cd.compare([1, 1, 2], [1, 2, 2], 'rand'); "
        "r._repr_html_(); assert not {'rich', 'IPython', 'sklearn', 'torch'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


class Shell:
    """IPython as a notebook has it, with what is shown."""

    kernel = object()


class Display:
    """A cell's output: what was shown in it, and whether it is of HTML."""

    def __init__(self) -> None:
        self.shown: list[dict[str, str]] = []

    def display(self, data: dict[str, str], **how: Any) -> Display:
        assert how == {"raw": True, "display_id": True}
        self.shown.append(data)
        return self

    def update(self, data: dict[str, str], raw: bool) -> None:
        self.shown.append(data)


@pytest.fixture
def cell(monkeypatch: pytest.MonkeyPatch) -> Display:
    """A notebook's cell that work is done in."""
    pytest.importorskip("IPython")
    import IPython
    import IPython.display

    found = Display()
    monkeypatch.setattr(IPython, "get_ipython", Shell)
    monkeypatch.setattr(IPython.display, "display", found.display)
    monkeypatch.setattr(bars, "BETWEEN", -1.0)
    return found


def test_a_bar_in_a_notebook(
    cell: Display, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(bars, "AFTER", -1.0)
    with bars.progress(f"reading {HOSTILE}", 4) as advance:
        advance(1)
        with bars.progress("within", 2) as inner:
            inner(2)
        advance(3)
    assert [re.findall(r"\d+%", one["text/html"]) for one in cell.shown] == [
        ["0%"], ["25%"], ["100%"], [],
    ]  # fmt: skip
    assert words_tags(cell.shown[1]["text/html"]) == {"div", "progress"}
    assert capsys.readouterr() == ("", "")


def words_tags(html: str) -> set[str]:
    return set(re.findall(r"<(\w+)", html))


def test_short_work_and_pipes_are_silent(
    cell: Display, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    import IPython

    with bars.progress("reading", 4) as advance:
        advance(4)
    monkeypatch.setattr(bars, "AFTER", -1.0)
    monkeypatch.setattr(IPython, "get_ipython", lambda: None)
    with bars.progress("reading", 4) as advance:
        advance(4)
    assert not cell.shown
    assert capsys.readouterr() == ("", "")


# Output formats: one registry for all verbs, one file for a new format.


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
