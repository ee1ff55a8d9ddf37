"""A page in a real browser: Chromium without network, and what it says while it shows the page."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

NAMES = ("chromium", "google-chrome", "chromium-browser")
FLAGS = (
    "--no-sandbox", "--headless", "--disable-gpu", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--no-first-run",
)  # fmt: skip


def path_of_browser() -> str:
    """Chromium or Chrome; where there is none tests are skipped, but not where all should run."""
    path = next(filter(None, map(shutil.which, NAMES)), None)
    if path is None:
        if os.environ.get("CI") == "true":
            pytest.fail("there is no Chromium to draw with")
        pytest.skip("no Chromium here")
    return path


@contextmanager
def browser() -> Iterator[Browser]:
    """A browser to open pages with."""
    path = path_of_browser()
    with sync_playwright() as playwright:
        made = playwright.chromium.launch(executable_path=path, args=FLAGS)
        yield made
        made.close()


class Seen:
    """A page that a browser shows, and all that it asked for, logged or threw."""

    def __init__(self, made: Browser, path: Path, *, ready: str = "html[data-ready]") -> None:
        self.context = made.new_context(viewport={"width": 1280, "height": 900}, offline=True)
        self.page: Page = self.context.new_page()
        self.requests: list[str] = []
        self.refused: dict[str, str | None] = {}
        self.messages: list[str] = []
        self.address = path.as_uri()
        self.page.on("request", lambda r: self.requests.append(r.url))
        self.page.on("requestfailed", lambda r: self.refused.update({r.url: r.failure}))
        self.page.on("console", lambda m: self.messages.append(f"{m.type}: {m.text}"))
        self.page.on("pageerror", lambda error: self.messages.append(f"thrown: {error}"))
        self.page.goto(self.address)
        self.page.wait_for_selector(ready, state="attached")

    def ask(self, script: str, *given: Any) -> Any:
        """What a function of the page's side answers."""
        return self.page.evaluate(script, *given)

    def texts(self, query: str) -> list[str]:
        """The text of all elements that a selector finds, as it stands in the document."""
        return self.page.locator(query).all_text_contents()
