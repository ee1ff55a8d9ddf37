"""Reviews in Chromium: by mouse and by keyboard, narrow, with hostile names and with many parts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from playwright.sync_api import Browser, Page, expect

from browse.reviews import TOKEN, review, served, town
from clusterdiff.browse.journal import Journal
from page.browser import browser
from page.test_page import HOSTILE


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    with browser() as made:
        yield made


class Window:
    """A window on a review, and what it logged, threw or asked for elsewhere."""

    def __init__(self, page: Page, port: int) -> None:
        self.page, self.home = page, f"http://127.0.0.1:{port}/"
        self.messages: list[str] = []
        page.on("console", lambda m: self.messages.append(f"{m.type}: {m.text}"))
        page.on("pageerror", lambda error: self.messages.append(f"thrown: {error}"))
        page.on("request", lambda r: self._asked(r.url))
        page.goto(f"{self.home}?token={TOKEN}")
        page.wait_for_selector("article")

    def _asked(self, address: str) -> None:
        if not address.startswith(self.home):
            self.messages.append(f"asked for {address}")

    @property
    def title(self) -> str:
        return self.page.locator("#part h2").inner_text()

    def at(self, title: str) -> None:
        """Wait until a part is shown."""
        expect(self.page.locator("#part h2")).to_have_text(title)


@contextmanager
def window(
    chromium: Browser, truth: Any, run: Any, decisions: Path, width: int = 1280, **options: Any
) -> Iterator[Window]:
    with review(truth, run, decisions, **options) as made, served(made) as client:
        context = chromium.new_context(viewport={"width": width, "height": 800})
        seen = Window(context.new_page(), client.port)
        yield seen
        context.close()
        assert not seen.messages


def test_a_review_by_keyboard(chromium: Browser, tmp_path: Path) -> None:
    truth, run = town(tmp_path)
    path = tmp_path / "d.jsonl"
    with window(chromium, truth, run, path) as seen:
        page, titles = seen.page, []
        for _ in range(3):
            titles.append(seen.title)
            page.keyboard.press("j")
            page.wait_for_timeout(150)
        assert len(set(titles)) == 3
        page.keyboard.press("k")
        seen.at(titles[1])
        page.keyboard.press("k")
        seen.at(titles[0])
        page.keyboard.press("1")
        seen.at(titles[1])
        expect(page.locator("#progress")).to_contain_text("1 of 3 decided")
        page.keyboard.press("n")
        page.keyboard.type("both j and 1 are letters here")
        page.keyboard.press("Enter")
        expect(page.locator("#status")).to_have_text("Note saved.")
        page.keyboard.press("2")
        seen.at(titles[2])
        page.keyboard.press("u")
        seen.at(titles[1])
        expect(page.locator("#note")).to_have_value("both j and 1 are letters here")
        page.reload()
        page.wait_for_selector("article")
        assert seen.title == titles[1]
        page.keyboard.press("3")
        seen.at(titles[2])
        page.keyboard.press("2")
        expect(page.locator("#status")).to_contain_text("No undecided part comes after this one")
        expect(page.locator("article .decided")).to_contain_text("the truth is wrong")
        page.keyboard.press("?")
        assert page.locator("#keys").is_visible()
        page.keyboard.press("Escape")
    found = Journal.read(path).decisions.values()
    assert [(one.verdict, one.note) for one in found] == [
        ("run", ""), ("both", "both j and 1 are letters here"), ("truth", "")
    ]  # fmt: skip


def test_a_review_by_mouse(chromium: Browser, tmp_path: Path) -> None:
    truth, run = town(tmp_path)
    path = tmp_path / "d.jsonl"
    with window(chromium, truth, run, path) as seen:
        page = seen.page
        page.get_by_role("link", name=re.compile("ann over")).click()
        seen.at("ann over 2 guess clusters")
        assert page.locator("mark").all_inner_texts() == ["Anne", "York"]
        assert page.locator("svg.bipartite rect").count() == 5
        page.get_by_role("button", name="Group by run").click()
        assert page.locator("tr.group bdi").all_inner_texts() == ["a", "b"]
        page.get_by_role("button", name="Group by truth").click()
        assert page.locator("tr.group bdi").all_inner_texts() == ["ann"]
        page.get_by_role("checkbox", name="Select r2").check()
        page.get_by_label("Move selected to").select_option(label="a new cluster")
        page.get_by_role("button", name="Move m").click()
        assert page.locator("tr.group bdi").all_inner_texts() == ["ann", "New cluster 1"]
        page.get_by_role("button", name="Put all back").click()
        assert page.locator("tr.group bdi").all_inner_texts() == ["ann"]
        page.get_by_role("checkbox", name="Select r2").check()
        page.get_by_role("button", name="Move m").click()
        page.get_by_role("button", name="Both are defensible").click()
        expect(page.locator("#trouble")).to_contain_text("put the moved records back first")
        page.get_by_role("button", name="The truth is wrong").click()
        expect(page.locator("#progress")).to_contain_text("1 of 3 decided")
        page.get_by_role("link", name=re.compile("ann over")).click()
        expect(page.locator("article .decided")).to_contain_text("records moved")
        assert page.locator("tr.group bdi").all_inner_texts() == ["ann", "New cluster 1"]
        page.get_by_role("searchbox", name="Text in any record").fill("DENT")
        expect(page.locator("ol.queue li")).to_have_count(1)
        page.get_by_role("searchbox", name="Text in any record").fill("")
        page.get_by_label("Kind").select_option("merged")
        seen.at("2 true clusters (bob, cy) in guess c")
        page.get_by_label("Kind").select_option("")
        page.get_by_label("Undecided only").check()
        expect(page.locator("ol.queue li")).to_have_count(2)
    (one,) = Journal.read(path).decisions.values()
    assert one.verdict == "truth"
    assert {r.id: r.right for r in one.records} == {"r1": 0, "r2": 1, "r3": 0}
    assert one.right == ["ann", None]


def test_a_server_that_has_gone_is_said_and_nothing_moves(
    chromium: Browser, tmp_path: Path
) -> None:
    truth, run = town(tmp_path)
    with review(truth, run, tmp_path / "d.jsonl") as made:
        with served(made) as client:
            page = chromium.new_page()
            page.goto(f"http://127.0.0.1:{client.port}/?token={TOKEN}")
            page.wait_for_selector("article")
            title = page.locator("#part h2").inner_text()
        page.keyboard.press("1")
        expect(page.locator("#trouble")).to_contain_text("clusterdiff does not answer")
        assert page.locator("#part h2").inner_text() == title
        page.close()


def test_hostile_names_are_text(chromium: Browser, tmp_path: Path) -> None:
    names = [*HOSTILE, "x" * 100_000, "\u202egnp.exe", "a" * 300]
    truth = pl.DataFrame(
        {"id": [f"{n}{i}" for n in names for i in "12"],
         "cluster": [n for n in names for _ in "12"],
         "<img src=x onerror=window.hit=1>": [n for n in names for _ in "12"],
         "other": [f"{n}{i}" for n in names for i in "12"]}
    )  # fmt: skip
    run = {id: f"{id}'\"<u>" for id in truth["id"]}
    with window(chromium, truth, run, tmp_path / "d.jsonl", width=390) as seen:
        page = seen.page
        for _ in names:
            assert page.evaluate("window.hit") is None
            assert (
                page.locator("#part img, #part script, #part u, #queue img, #queue u").count() == 0
            )
            wide = page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
            assert wide[0] <= wide[1]
            page.keyboard.press("1")
            page.wait_for_timeout(60)
        expect(page.locator("#progress")).to_contain_text("decided")


def test_narrow_pages_do_not_scroll_sideways(chromium: Browser, tmp_path: Path) -> None:
    truth, run = town(tmp_path)
    for width in (390, 320, 900):
        with window(chromium, truth, run, tmp_path / f"{width}.jsonl", width=width) as seen:
            for _ in range(3):
                wide = seen.page.evaluate("document.documentElement.scrollWidth")
                assert wide <= width
                seen.page.keyboard.press("j")
                seen.page.wait_for_timeout(60)


def test_everything_has_a_name(chromium: Browser, tmp_path: Path) -> None:
    """Buttons, fields and regions for those who hear the page."""
    truth, run = town(tmp_path)
    with window(chromium, truth, run, tmp_path / "d.jsonl") as seen:
        page = seen.page
        unnamed = page.evaluate(
            """() => [...document.querySelectorAll("button, input, select, [role], progress")]
              .filter((e) => !(e.getAttribute("aria-label") || e.textContent.trim()
                || e.labels?.[0]?.textContent.trim() || ["status", "alert"].includes(e.role)))
              .map((e) => e.outerHTML)"""
        )
        assert unnamed == []
        assert page.locator("html").get_attribute("lang") == "en"
        assert page.evaluate("document.activeElement.tagName") in ("BODY", "H2")
        page.keyboard.press("j")
        expect(page.locator("#part h2")).to_be_focused()
        page.locator("#single").evaluate("box => box.checked = false")
        title = seen.title
        page.keyboard.press("j")
        page.wait_for_timeout(100)
        assert seen.title == title


def test_a_hundred_thousand_parts(chromium: Browser, tmp_path: Path) -> None:
    many = 100_000
    truth = pl.DataFrame({"id": range(2 * many), "cluster": [i // 2 for i in range(2 * many)]})
    run = pl.DataFrame({"id": range(2 * many), "cluster": range(2 * many)})
    with window(chromium, truth, run, tmp_path / "d.jsonl") as seen:
        page = seen.page
        expect(page.locator("#found")).to_have_text("100,000 parts in conflict")
        assert page.locator("ol.queue li").count() == 50
        page.get_by_role("button", name="Next page").click()
        expect(page.locator(".pages")).to_contain_text("Page 2 of 2,000")
        page.get_by_role("searchbox", name="Cluster or id").fill("77777")
        seen.at("38888 over 2 guess clusters")
        page.get_by_role("searchbox", name="Cluster or id").fill("")
        page.keyboard.press("Tab")
        page.locator("h2").first.focus()
        page.keyboard.press("1")
        expect(page.locator("#progress")).to_contain_text("1 of 100,000 decided")
