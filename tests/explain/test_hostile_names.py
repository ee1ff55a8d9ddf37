"""Names that would move a cursor, end a script or start markup are text, and lost nowhere."""

from __future__ import annotations

import csv
import io
import json
import re
import sys
import unicodedata
from typing import Any
from unittest import mock

import pytest

import clusterdiff as cd
from clusterdiff import progress as bars
from clusterdiff.output.markup import to_json
from page.embedded import parts_of

HOSTILE = [
    "\x1b[31mred\x1b[0m",
    "c1\x9b2J",
    "\x7fdel\x07",
    "bidi\u202eedoc",
    "line\u2028sep",
    "tab\tand\r\nreturn",
    "</script><script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "[/b][red]markup[/red]",
    "a|b*c`d_e$f{g}h\\",
    "\U000e0041tag",
    "\ue000private",
    "日本",
]
TRUTH = {f"{name}{k}": name for name in HOSTILE for k in range(2)}
GUESS = {id: f"{cluster}{id[-1]}" for id, cluster in TRUTH.items()}


def moves(text: str) -> set[str]:
    """Characters that do something else than show themselves."""
    return {
        c for c in text if c != "\n" and (unicodedata.category(c)[0] == "C" or c in "\u2028\u2029")
    }


@pytest.fixture(scope="module")
def made() -> dict[str, Any]:
    runs = dict.fromkeys(HOSTILE[:6], GUESS)
    return {
        "report": cd.compare(TRUTH, runs, ["rand", "elm_f"]),
        "explanation": cd.explain(TRUTH, GUESS),
        "diff": cd.diff(TRUTH, GUESS, TRUTH),
        "cover": cd.explain({k: [v] for k, v in TRUTH.items()},
                            {k: [v] for k, v in GUESS.items()}, kind="cover"),
    }  # fmt: skip


@pytest.mark.parametrize("what", ["report", "explanation", "diff", "cover"])
def test_what_is_shown_moves_no_cursor(what: str, made: dict[str, Any]) -> None:
    one = made[what]
    everything = {} if what == "report" else {"top": None, "ids": None}
    texts = [repr(one), one.to_markdown(**everything), one.to_latex(**everything)]
    texts += [one.to_json(**everything), one._repr_html_(), one.to_text(60, **everything)]
    for text in texts:
        assert moves(text) == set()
    assert "<script" not in one._repr_html_()


def test_json_and_csv_lose_nothing(made: dict[str, Any]) -> None:
    told = made["explanation"]
    read = json.loads(told.to_json(top=None, ids=None))
    assert {i for c in read["components"] for cell in c["cells"] for i in cell["ids"]} == set(TRUTH)
    assert list(json.loads(made["report"].to_json())["guesses"]) == HOSTILE[:6]
    rows = list(csv.DictReader(io.StringIO(told.to_csv(top=None, ids=None), newline="")))
    assert {row["id"] for row in rows} == set(TRUTH)
    assert {row["truth"] for row in rows} == set(HOSTILE)


def test_json_escapes_what_moves_and_nothing_else() -> None:
    text = "".join(map(chr, (*range(0xD800), *range(0xE000, 0x11000)))) + "\U000e0041\ud800"
    written = to_json([text], indent=2)
    assert json.loads(written) == [text]
    assert moves(written) == set()
    assert to_json(["é日本😀"]) == '["é日本😀"]'


def test_the_page_runs_no_name() -> None:
    page = cd.page(TRUTH, {"</script><b>": GUESS}, title="</title><script>").html
    assert moves(page.partition("<script>")[0]) == set()
    held = parts_of(page)
    assert moves("".join(part.html for part in held)) == set()
    assert any("</script><script>alert(1)</script>" in part.text for part in held)
    assert not any("<script" in part.html for part in held)
    assert page.count("<script") - page.count("<script>") == 2
    assert "<img" not in page.partition("<script>")[0]
    assert "</title><script>" not in page


@pytest.mark.parametrize("name", ["a[/b].csv", "[red]x", "x\x1b[31m", "back\\", "[link=x]y[/]"])
def test_a_bar_shows_any_name(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    monkeypatch.setattr(bars, "AFTER", -1.0)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "120")
    with (
        mock.patch.object(sys, "stderr", Terminal()) as shown,
        bars.progress(f"reading {name}", 2) as advance,
    ):
        advance(2)
    plain = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", shown.getvalue())
    assert f"reading {name}".replace("\x1b", "�") in plain


def test_object_scores_print_short() -> None:
    scores = cd.objects("elm_f", {i: i // 2 for i in range(10_000)}, dict.fromkeys(range(10000), 0))
    assert repr(scores) == (
        "ObjectScores(elm_f of 10,000 objects, mean 0.0002; "
        "worst {0: 0.0002, 1: 0.0002, 2: 0.0002, …})"
    )
    few = cd.objects("elm_f", {"\x1b": 1, "y" * 900: 1, "z": 2}, {"\x1b": 1, "y" * 900: 1, "z": 1})
    assert repr(few).startswith(
        "ObjectScores(elm_f of 3 objects, mean 0.4444; worst {'z': 0, '\\x1b'"
    )
    assert len(repr(few)) < 200


def test_one_object_prints_short() -> None:
    many = dict.fromkeys(range(5000), 0)
    halves = {i: i % 2 for i in range(5000)}
    assert len(repr(cd.explain(many, halves).object(3))) < 1000
    one, two = ({i: [c] for i, c in side.items()} for side in (many, halves))
    assert len(repr(cd.explain(one, two, kind="cover").object(3))) < 1000
