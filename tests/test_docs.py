"""The documentation site: it builds without a warning, every link leads somewhere, and no page
needs the network.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from functools import cache
from html.parser import HTMLParser
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import unquote, urldefrag, urlsplit

import pytest

import clusterdiff as cd
from clusterdiff.cli.main import VERBS
from page.browser import Seen, browser

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
LOADED = {"script": "src", "img": "src", "iframe": "src", "source": "src", "link": "href"}
"""Tags that make a browser load something, and where they say what."""


class Page(HTMLParser):
    """What a page can be linked to by, links to, and loads."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.ids: set[str] = set()
        self.links: list[str] = []
        self.navigation: set[str] = set()
        self.loaded: list[str] = []
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = {key: value for key, value in attrs if value is not None}
        self.ids |= {found[key] for key in ("id", "name") if key in found}
        if tag == "a" and "href" in found:
            self.links.append(found["href"])
            if "md-nav__link" in found.get("class", ""):
                self.navigation.add(found["href"])
        if LOADED.get(tag) in found:
            self.loaded.append(found[LOADED[tag]])


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if find_spec("mkdocs") is None:
        pytest.skip("mkdocs is not installed")
    folder = tmp_path_factory.mktemp("docs") / "site"
    built = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", folder],
        cwd=ROOT,
        capture_output=True,
        text=True,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        check=False,
    )
    assert (built.returncode, built.stdout, built.stderr) == (0, "", "")
    return folder


@cache
def parsed(path: Path) -> Page:
    return Page(path)


def pages(site: Path) -> list[Path]:
    """The pages of the site; 404.html is for servers, and links from their root."""
    return [path for path in sorted(site.rglob("*.html")) if path.name != "404.html"]


def test_every_page_is_built_and_in_the_navigation(site: Path) -> None:
    sources = {path.relative_to(DOCS).with_suffix("") for path in DOCS.rglob("*.md")}
    assert sources == {path.relative_to(site).with_suffix("") for path in pages(site)}
    linked = {
        (path.parent / place).resolve()
        for path in pages(site)
        for place in {urldefrag(link).url for link in parsed(path).navigation}
    }
    assert {site / f"{source}.html" for source in sources} <= linked


def test_every_page_begins_with_its_title() -> None:
    for path in DOCS.rglob("*.md"):
        assert path.read_text(encoding="utf-8").startswith(("# ", '--8<-- "')), path


def test_every_link_leads_somewhere(site: Path) -> None:
    lost = []
    for path in pages(site):
        for link in parsed(path).links:
            if urlsplit(link).scheme:
                continue
            place, anchor = map(unquote, urldefrag(link))
            target = (path.parent / place).resolve() if place else path
            known = not anchor or target.suffix != ".html" or anchor in parsed(target).ids
            if not target.is_file() or not known:
                lost.append(f"{path.relative_to(site)}: {link}")
    assert not lost


def test_nothing_is_loaded_from_elsewhere(site: Path) -> None:
    for path in pages(site):
        for what in parsed(path).loaded:
            assert not urlsplit(what).scheme, path
            assert not what.startswith("//"), path
            assert (path.parent / urlsplit(what).path).is_file(), f"{path}: {what}"
    for style in [DOCS / "assets" / "extra.css", *site.rglob("*.css")]:
        text = style.read_text(encoding="utf-8")
        assert not re.search(r"(@import|url\()\s*[\"']?(https?:)?//", text), style


def test_no_page_tells_where_it_was_built(site: Path) -> None:
    for path in pages(site):
        assert str(ROOT) not in path.read_text(encoding="utf-8"), path


def test_the_reference_has_every_public_name(site: Path) -> None:
    ids = {
        anchor
        for page in ("python", "clusterings", "estimators")
        for anchor in parsed(site / "reference" / f"{page}.html").ids
    }
    elsewhere = {"__version__", "contingency", "measure", "measures", "meet", "plot"}
    for name in set(cd.__all__) - elsewhere:
        assert f"clusterdiff.{name}" in ids
    for place in (
        "clusterdiff.measures.measure_named", "clusterdiff.measures.measures",
        "clusterdiff.io.meet", "clusterdiff.io.formats.Format", "clusterdiff.plot.alluvial",
        "clusterdiff.testing.check_measure", "clusterdiff_lab.axioms.axiom",
        "clusterdiff_lab.axioms.axioms", "clusterdiff_lab.estimators.FuzzyCMeans",
        "clusterdiff_lab.estimators.RoughKMeans", "clusterdiff_lab.estimators.PossibilisticCMeans",
        "clusterdiff_lab.estimators.EvidentialCMeans",
    ):  # fmt: skip
        assert place in ids


SHOWN = (
    "index.html", "integrations.html", "how-to/soft.html", "conditions.html",
    "experiments/index.html", "measures/onmi.html",
)  # fmt: skip
"""Pages with formulas, pictures, wide tables and long lines."""
SOUGHT = {
    "homogeneity": "measures/homogeneity.html",
    "adjusted Rand index": "measures/adjusted_rand.html",
    "noise": "concepts.html",
    "overlapping": "concepts.html",
    "weights": "concepts.html",
    "confusion matrix": "concepts.html",
    "missing ids": "concepts.html",
}
ABOVE_BELOW = """() => [...document.querySelectorAll(".formula math:last-of-type mfrac > *")]
  .map(part => part.getBoundingClientRect()).map(box => [box.top, box.bottom])"""
TEXT = ("index.html", "tutorial.html", "how-to/how-sure.html", "measures/onmi.html")
LONGEST = """() => {
  const range = document.createRange(), lengths = [];
  for (const part of document.querySelectorAll(".md-typeset :is(p, li)")) {
    if (part.closest("table")) continue;
    const walker = document.createTreeWalker(part, NodeFilter.SHOW_TEXT), lines = {};
    for (let node; node = walker.nextNode();) {
      if (node.parentElement.closest("li, p") !== part) continue;
      for (let i = 0; i < node.length; i++) {
        range.setStart(node, i);
        range.setEnd(node, i + 1);
        const box = range.getBoundingClientRect(), line = Math.round(box.bottom / 12);
        if (box.width) lines[line] = (lines[line] || 0) + 1;
      }
    }
    lengths.push(...Object.values(lines));
  }
  return Math.max(...lengths);
}"""
"""The most characters in a line of text, on the screen."""
LINKS = """() => [...document.querySelectorAll(".md-search-result__link")].map(a => a.href)"""


def test_pages_open_as_files_without_network_on_any_screen(site: Path) -> None:
    with browser() as made:
        for place in SHOWN:
            seen = Seen(made, site / place, ready="html")
            for width in (1280, 390):
                seen.page.set_viewport_size({"width": width, "height": 800})
                assert seen.ask("() => document.documentElement.scrollWidth") <= width, place
            assert seen.messages == []
            assert {url.partition(":")[0] for url in seen.requests} == {"file"}


def test_lines_of_text_have_at_most_80_characters(site: Path) -> None:
    with browser() as made:
        for place in TEXT:
            assert 40 < Seen(made, site / place, ready="html").ask(LONGEST) <= 80, place


def test_formulas_are_set_and_the_site_can_be_searched(site: Path) -> None:
    """In E = (truth · guess) / all, what is above the line is above what is below it."""
    with browser() as made:
        seen = Seen(made, site / "measures" / "adjusted_rand.html", ready="html")
        above, below = seen.ask(ABOVE_BELOW)
        assert above[0] < above[1] <= below[0] < below[1]
        for text, place in SOUGHT.items():
            field = seen.page.locator("input.md-search__input")
            field.fill("")
            seen.page.wait_for_selector(".md-search-result__item", state="detached")
            field.fill(text[:-1])
            field.press_sequentially(text[-1])
            seen.page.wait_for_selector(".md-search-result__item", state="attached")
            found = list(dict.fromkeys(link.partition("?")[0] for link in seen.ask(LINKS)))
            assert (site / place).as_uri() in found[:3]
        assert seen.messages == []
        assert not [url for url in seen.requests if not url.startswith(("file:", "about:"))]


@pytest.mark.parametrize(
    "picture", sorted((DOCS / "assets").glob("*.[sp][vn]g")), ids=lambda p: p.name
)
def test_pictures_are_small_and_shown(picture: Path) -> None:
    assert picture.stat().st_size < 150_000
    pages = [ROOT / "README.md", *DOCS.glob("*.md"), *(DOCS / "how-to").glob("*.md")]
    assert any(f"assets/{picture.name}" in page.read_text(encoding="utf-8") for page in pages)


@pytest.mark.parametrize("page", ["README.md", "CONTRIBUTING.md"])
def test_relative_links_outside_the_site_lead_to_files(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    for link in re.findall(r"\]\(([^)]+)\)", text):
        if not urlsplit(link).scheme:
            assert (ROOT / urldefrag(link).url).is_file(), link


def test_the_command_page_has_every_verb() -> None:
    text = (DOCS / "reference" / "command.md").read_text(encoding="utf-8")
    groups = re.search(r"^Everyday:\n(.*?)```", text, re.DOTALL | re.MULTILINE)
    assert groups is not None
    verbs = re.findall(r"^  (\w+)  ", groups[1], re.MULTILINE)
    assert set(VERBS) <= {*verbs}
    for verb in verbs:
        assert f"## clusterdiff {verb}\n" in text
