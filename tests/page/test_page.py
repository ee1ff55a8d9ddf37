"""The page in a browser: what it shows, what can be done with it, and what it never does."""

from __future__ import annotations

import html
import json
import re
import time
from collections.abc import Callable, Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal, cast

import numpy as np
import pytest
from playwright.sync_api import Browser

import clusterdiff as cd
from clusterdiff.explain.ranking import WORDS
from clusterdiff.output.text import cut
from clusterdiff.page import page as pages
from page.browser import Seen, browser

Labels = dict[Any, Any]
Show = Callable[..., Seen]

TRUTH: Labels = dict(enumerate(("a", "a", "a", "b", "b", "c", "c", "d", "d", "d", "d", "e"), 1))
MONDAY: Labels = dict(enumerate("uuvwwwxyyyyz", 1))
TUESDAY: Labels = TRUTH | {12: "d"}

HOSTILE = (
    "<script>window.hit=1</script>",
    "<img src=x onerror=window.hit=1>",
    '"><svg onload=window.hit=1>',
    "javascript:alert(1)",
    "</script><script>window.hit=1</script>",
    "{{ 7*7 }}",
    "%{x}",
    "$x^2$",
    '<a href="javascript:window.hit=1">x</a>',
    "<b>bold</b>",
    'it\'s "quoted" & &lt;b&gt;<br>',
    "\u05e9\u05dc\u05d5\u05dd",
    "\U0001f600",
    "a\u2028b",
    "c\x00\x1b[31md",
)


def shown(name: str) -> str:
    """A name as the page shows it: what cannot be printed is replaced."""
    return re.sub(r"[\u2028\x00\x1b]", "\ufffd", name)


@cache
def town() -> tuple[Labels, Labels]:
    """Records of many people: one large cluster split, others merged, mixed, or right."""
    sizes = [20_000, 40, 12, 9, 8, *[3] * 40, *[2] * 30, *[1] * 20]
    people = np.repeat(np.arange(len(sizes)), sizes)
    found = [f"g{k}" for k in people]
    start = np.concatenate([[0], np.cumsum(sizes)])
    for i in range(4_000):
        found[i] = "g0b"
    for i in range(start[2], start[3]):
        found[i] = "g1"
    found[start[3]], found[start[4]] = "g4", "g3"
    for k in range(5, 20):
        found[start[k]] = f"alone{k}"
    for k in range(45, 60, 2):
        found[start[k]] = f"g{k + 1}"
    for k in range(60, 70, 2):
        found[start[k]], found[start[k] + 1] = f"g{k + 1}", f"g{k + 1}"
    ids = [f"r{i}" for i in range(people.size)]
    return dict(zip(ids, (f"t{k}" for k in people), strict=True)), dict(
        zip(ids, found, strict=True)
    )


@cache
def told_of_town() -> cd.Explanation:
    return cast(cd.Explanation, cd.explain(*town()))


@pytest.fixture(scope="module")
def chrome() -> Iterator[Browser]:
    with browser() as made:
        yield made


@pytest.fixture
def show(chrome: Browser, tmp_path: Path) -> Iterator[Show]:
    """Opens a page for one test."""
    opened: list[Seen] = []

    def open(page: cd.Page) -> Seen:
        opened.append(saved(chrome, page, tmp_path / f"{len(opened)}.html"))
        return opened[-1]

    yield open
    for seen in opened:
        seen.context.close()


@pytest.fixture
def no_pictures(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leaves Plotly out of pages whose pictures do not matter: it takes a second to start."""
    script = "window.Plotly = { purge() {}, newPlot() {} };"
    monkeypatch.setattr("plotly.offline.get_plotlyjs", lambda: script)


def saved(chrome: Browser, page: cd.Page, path: Path) -> Seen:
    page.save(path)
    return Seen(chrome, path)


@pytest.fixture(scope="module")
def town_page(chrome: Browser, tmp_path_factory: pytest.TempPathFactory) -> Seen:
    """A page with one guess and some of everything, for tests that leave it as they found it."""
    page = cd.page(*town(), title="Town")
    return saved(chrome, page, tmp_path_factory.mktemp("town") / "page.html")


@pytest.fixture(scope="module")
def two_page(chrome: Browser, tmp_path_factory: pytest.TempPathFactory) -> Seen:
    """A page with two guesses, likewise."""
    page = cd.page(TRUTH, {"monday": MONDAY, "tuesday": TUESDAY})
    return saved(chrome, page, tmp_path_factory.mktemp("two") / "page.html")


def test_it_opens_offline_and_says_nothing(two_page: Seen) -> None:
    for name in ("scores", "sizes", "outcomes", "s0-bands", "s0-alluvial", "s0-clusters"):
        two_page.drawn(f"[data-figure={name}]")
    assert two_page.messages == []
    assert two_page.requests == [two_page.address]
    assert not two_page.ask("() => performance.getEntriesByType('resource').length")


def test_scores_are_those_of_compare_and_what_is_best_and_sure_is_bold(two_page: Seen) -> None:
    report = cd.compare(TRUTH, {"monday": MONDAY, "tuesday": TUESDAY}, confidence=0.95)
    table = report.table()
    assert two_page.texts("#scores-table thead th") == list(table.headings)
    rows = two_page.page.locator("#scores-table tbody tr")
    assert rows.count() == len(report)
    for i, wanted in enumerate(table.rows):
        row = rows.filter(has=two_page.page.get_by_text(wanted[0], exact=True))
        assert row.locator("th, td").all_text_contents() == list(wanted)
        bold = row.locator(".best").all_text_contents()
        assert bold == [cell for j, cell in enumerate(wanted) if (i, j) in table.best]


def verdict(truth: object, guess: object) -> str:
    """The sentence that a page opens with."""
    found = re.search(r'<p class="verdict">(.*?)</p>', cd.page(truth, guess).html)
    assert found is not None
    return html.unescape(found[1])


def test_the_page_opens_with_a_verdict(no_pictures: None) -> None:
    truth = [i // 3 for i in range(90)]
    good = [x if i % 9 else -i for i, x in enumerate(truth)]
    bad = [x if i % 2 else -i for i, x in enumerate(truth)]
    close = [x if i % 8 != 4 else -i for i, x in enumerate(truth)]
    assert re.fullmatch(
        r"By elm_f, good is better than bad by 0\.\d+ \(95 % interval .*, p < 0\.001\)\.",
        verdict(truth, {"bad": bad, "good": good}),
    )
    assert re.fullmatch(
        r"By elm_f, good and close do not differ significantly on this data: the difference is "
        r"0\.\d+ \(95 % interval −0\.\d+ to \+0\.\d+, p = 0\.\d+\)\.",
        verdict(truth, {"close": close, "good": good}),
    )
    assert re.fullmatch(
        r"By elm_f, good is best, significantly better than each of the 2 others "
        r"\(p < 0\.001, corrected by Holm\)\.",
        verdict(truth, {"bad": bad, "worse": list(range(90)), "good": good}),
    )
    assert re.fullmatch(
        r"By elm_f, good scores best, but does not differ significantly from close on this data "
        r"\(p = 0\.\d+, corrected by Holm\)\.",
        verdict(truth, {"bad": bad, "close": close, "good": good}),
    )
    renamed = [f"c{x}" for x in good]
    assert verdict(truth, {"one": good, "two": renamed}) == "By elm_f, one and two score the same."
    assert verdict(truth, {"one": good, "two": renamed, "bad": bad}) == (
        "By elm_f, one and two share the best score."
    )
    assert re.fullmatch(
        r"elm_f is 0\.\d+ \(0\.\d+–0\.\d+\): the score and its 95 % confidence interval\.",
        verdict(truth, {"good": good}),
    )
    assert verdict(truth, {"same": truth}).startswith("elm_f is 1.000 (0.884–1.000): the score")
    assert verdict(truth[:9], {"bad": bad[:9]}) == (
        f"elm_f is {float(cd.elm_f(truth[:9], bad[:9])):.4f}; it has no interval, because 3 "
        "components are too few for an interval (10 are needed)."
    )


def test_what_was_not_tested_has_no_verdict_and_no_chart(no_pictures: None) -> None:
    truth = [i // 3 for i in range(15)]
    good = [x if i % 9 else -1 - i for i, x in enumerate(truth)]
    bad = [x if i % 2 else -1 - i for i, x in enumerate(truth)]
    worse = list(range(15))
    why = "5 components are too few for an interval (10 are needed)"
    gap = float(cd.elm_f(truth, good)) - float(cd.elm_f(truth, bad))
    assert verdict(truth, {"bad": bad, "good": good}) == (
        f"By elm_f, good scores higher than bad by {gap:.4f}; the difference was not tested, "
        f"because {why}."
    )
    assert verdict(truth, {"bad": bad, "worse": worse, "good": good}) == (
        "By elm_f, good scores best; the difference from each of the others was not tested, "
        f"because {why}."
    )
    assert 'data-figure="differences"' not in cd.page(truth, {"bad": bad, "good": good}).html
    long = [i // 3 for i in range(90)]
    some = {"a": [x if i % 9 else -i for i, x in enumerate(long)], "b": list(range(90))}
    assert 'data-figure="differences"' in cd.page(long, some).html


def test_pages_of_few_large_clusters_and_of_no_error(no_pictures: None) -> None:
    """There are intervals, but no units that decide how wide these are."""
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 3, 150)
    guess = np.where(rng.random(150) < 0.9, truth, rng.integers(0, 3, 150))
    assert "as if each object was drawn by itself" in cd.page(truth, guess).html
    pairs = [i // 2 for i in range(100)]
    assert "Korn and Graubard" in cd.page(pairs, pairs).html
    for sides in ((truth, guess), (pairs, pairs)):
        told: Any = cd.explain(*sides)
        with pytest.raises(cd.ClusterdiffError, match="no unit decides the interval of elm_f"):
            told.uncertainty()


def test_the_select_says_which_guess_is_shown(two_page: Seen, town_page: Seen) -> None:
    def headings() -> list[str]:
        visible = two_page.page.locator(".system h2:visible")
        return [text.partition(":")[0] for text in visible.all_text_contents()]

    assert two_page.texts("#system option") == ["monday", "tuesday"]
    assert headings() == ["monday"]
    two_page.page.select_option("#system", label="tuesday")
    assert headings() == ["tuesday"]
    two_page.drawn("[data-figure=s1-alluvial]")
    two_page.page.select_option("#system", label="monday")
    assert headings() == ["monday"]
    assert town_page.page.locator("#system").count() == 0


def rows_of(seen: Seen, column: int) -> list[str]:
    return cast(
        list[str],
        seen.ask(
            """column => [...document.querySelectorAll('#s0-clusters tbody tr:not([hidden])')]
              .map(row => row.cells[column].textContent)""",
            column,
        ),
    )


def test_search_leaves_the_rows_that_match_and_counts_them(town_page: Seen) -> None:
    page, names = town_page.page, rows_of(town_page, 0)
    said = page.locator("#s0-clusters").locator("xpath=../preceding-sibling::div[1]//span")
    for wanted in ("t1", "T5", "alone7", "merged", "nothing like that", "t1\n40", "20,000"):
        page.fill(".filter[data-table=s0-clusters]", wanted)
        left = rows_of(town_page, 0)
        assert said.text_content() == f"{len(left)} of {len(names)} rows"
    assert left == ["t0"]
    page.fill(".filter[data-table=s0-clusters]", "t140")  # "t1" beside "40" is no match
    assert rows_of(town_page, 0) == []
    page.fill(".filter[data-table=s0-clusters]", "t6")
    assert set(rows_of(town_page, 0)) == {n for n in names if n.startswith("t6")}
    page.fill(".filter[data-table=s0-clusters]", "")
    assert rows_of(town_page, 0) == names
    assert said.text_content() == ""


def number(text: str) -> float:
    return float(re.sub("[,%< ]", "", text)) - (0.01 if text.startswith("<") else 0)


@pytest.mark.parametrize(
    ("heading", "column", "key"),
    [
        ("true cluster", 0, lambda name: int(name[1:])),
        ("objects", 1, number),
        ("share of the loss", 9, number),
    ],
)
def test_headings_sort_both_ways(
    town_page: Seen, heading: str, column: int, key: Callable[[str], float]
) -> None:
    page = town_page.page
    button = page.locator("#s0-clusters thead button", has_text=re.compile(f"^{heading}$"))
    head = button.locator("xpath=..")
    values = rows_of(town_page, column)
    if "share" in heading:
        assert {"<0.1 %", "0.1 %"} <= set(values)
    if heading == "objects":
        assert "20,000" in values
    button.click()
    assert head.get_attribute("aria-sort") == "ascending"
    assert [key(v) for v in rows_of(town_page, column)] == sorted(map(key, values))
    button.press("Enter")
    assert head.get_attribute("aria-sort") == "descending"
    down = [key(v) for v in rows_of(town_page, column)]
    assert down == sorted(map(key, values), reverse=True)
    button.press("Space")
    assert head.get_attribute("aria-sort") == "ascending"
    assert page.locator("#s0-clusters th[aria-sort]").count() == 1


def test_sorted_scores_ignore_what_is_unsure(two_page: Seen) -> None:
    two_page.page.click("#scores-table thead button >> nth=0")
    cells = two_page.texts("#scores-table tbody td:nth-child(2)")
    values = [float(cell.partition(" ")[0]) for cell in cells]
    assert values == sorted(values)


def open_details(seen: Seen) -> list[int]:
    found = seen.page.locator(".component-details:visible").all()
    return [int(one.get_attribute("data-component") or -1) for one in found]


def test_components_are_found_by_cluster_and_by_object(town_page: Seen) -> None:
    page, top = town_page.page, told_of_town().top(30, 20)
    search, select = page.locator(".find-component"), page.locator("select.component")
    said = page.locator(".controls:has(.find-component) .found")
    town_page.drawn("[data-figure=s0-alluvial]")
    assert len(open_details(town_page)) == len(top)

    def labels() -> set[str]:
        found = town_page.texts("[data-figure=s0-alluvial] .node-label")
        return {label.rpartition(" ")[0] for label in found}

    for wanted in (2, 7, len(top) - 1):
        part = top[wanted]
        for name in (part.truth[-1].name, part.cells[0].ids[0]):
            search.fill(name)
            assert select.input_value() == str(wanted), name
            assert wanted in open_details(town_page)
            assert said.text_content() == f"{len(open_details(town_page))} of {len(top)} components"
            assert labels() == {c.name for c in (*part.truth, *part.guess)}
    search.fill("nobody")
    assert open_details(town_page) == []
    search.fill("")
    assert select.input_value() == "all"
    assert len(open_details(town_page)) == len(top)
    select.select_option("3")
    assert labels() == {c.name for c in (*top[3].truth, *top[3].guess)}
    select.select_option("all")


def test_details_open_by_keyboard_and_list_ids(town_page: Seen) -> None:
    part = told_of_town().top(30, 20)[1]
    details = town_page.page.locator(".component-details").nth(1)
    assert not details.locator("table").is_visible()
    details.locator("summary").press("Enter")
    assert details.locator("table").is_visible()
    rows = details.locator("tbody tr").all()
    assert len(rows) == len(part.cells)
    for row, cell in zip(rows, part.cells, strict=True):
        cells = row.locator("th, td").all_text_contents()
        assert cells[:2] == [cell.truth.name, f"{cell.truth.size:,}"]
        assert cells[2:5] == [cell.guess.name, f"{cell.guess.size:,}", f"{cell.objects:,}"]
        listed = cells[6].removesuffix(", …").split(", ")
        assert listed == cell.ids
        assert cells[6].endswith("…") == (cell.objects > len(cell.ids))
    details.locator("summary").press("Space")
    assert not details.locator("table").is_visible()


def test_the_mouse_over_a_band_or_a_bar_tells_numbers(two_page: Seen) -> None:
    told = two_page.hovered("[data-figure=s0-alluvial]", ".sankey-link", 0)
    assert told in {"2 of b in w: home4, 5", "2 of a in u: home1, 2"}
    assert "a (3)" in two_page.texts("[data-figure=s0-alluvial] .node-label")
    assert re.search(r"\(\d\)", two_page.hovered("[data-figure=s0-alluvial]", ".sankey-node rect"))
    told = two_page.hovered("[data-figure=sizes]", ".bars .point path", 0)
    assert told == "truth: 1 cluster of 1"
    told = two_page.hovered("[data-figure=outcomes]", ".bars .point path", 0)
    assert told == "5 objects right (41.7 %)"
    told = two_page.hovered("[data-figure=s0-bands]", ".bars .point path", 1)
    assert "61.5 %: share of the loss" in told
    told = two_page.hovered("[data-figure=scores]", ".scatterlayer .point", 1)
    assert told == f"monday: elm_recall {cd.elm_recall(TRUTH, MONDAY):.4f}"
    told = two_page.hovered("[data-figure=s0-clusters]", ".scatterlayer .point", 1)
    assert told == "1 true cluster, 3 objects: precision 1.0000, recall 0.6667"


def answer(seen: Seen, wanted: str) -> str:
    """What the look-up of the first guess says."""
    seen.page.locator(".look-up").first.fill(wanted)
    return cast(str, seen.ask("() => document.querySelector('.object').innerText"))


def check_object(seen: Seen, object: Any, wanted: str | None = None) -> None:
    """The page says of an object what `explain` says."""
    answer(seen, str(object.id) if wanted is None else wanted)
    named, title, terms, lists, texts = seen.ask(
        """() => {
          const box = document.querySelector(".object");
          const texts = (query, root = box) =>
            [...root.querySelectorAll(query)].map((one) => one.textContent);
          const told = [...box.querySelectorAll("dd")];
          return [texts("p bdi"), texts("p")[0], texts("dt"),
            told.map((one) => texts("bdi", one)), texts("dd")];
        }"""
    )
    sides = ["none" if side is None else str(side) for side in (object.truth, object.guess)]
    assert named[0].endswith(str(object.id))
    assert ["none" if side == "(none)" else side for side in named[1:]] == sides
    assert title.endswith(f": {WORDS.get(object.outcome, object.outcome)}")
    for i, some in enumerate((object.found, object.missing, object.wrong)):
        assert f"({len(some):,})" in terms[i]
        assert lists[i] == [str(one) or "''" for one in some[:50]]
        assert some or texts[i] == "nobody"
        assert ("…" in texts[i]) == (len(some) > 50)
    names = ("elm_precision", "elm_recall", "elm_f")
    lacking = [(WORDS["missing"], object.absent), (WORDS["extra"], object.strange)]
    assert terms[3:-1] == [f"{what} ({len(some):,})" for what, some in lacking if some]
    assert texts[-1] == ", ".join(f"{name} {object.scores[name]:.4f}" for name in names)


def test_an_object_is_told_as_explain_tells_it(town_page: Seen) -> None:
    told, truth = told_of_town(), town()[0]
    seen: dict[str, int] = {}
    for id in [*list(truth)[-250:], "r0", "r19999", "r20010", "r20045"]:
        object = told.object(id)
        if seen.setdefault(object.outcome, 0) < 3:
            seen[object.outcome] += 1
            check_object(town_page, object)
    assert set(seen) == {"right", "split", "merged", "both"}
    assert answer(town_page, "nobody at all") == "no such object here"
    assert "objects match this name" in answer(town_page, "9999")
    assert answer(town_page, "") == ""


def in_samples() -> tuple[list[Any], Any, Any]:
    """Two samples with the same ids: objects, truth and guess."""
    pandas = pytest.importorskip("pandas")
    ids = ("m0", "m1", "m2", "M2", " m2", "", "ｍ0", "m7", "m8")
    rows = [(doc, id, i // 3) for doc in ("novel", "poem") for i, id in enumerate(ids)]
    truth = pandas.DataFrame(rows, columns=["doc", "id", "cluster"])
    moved = [(doc, id, (c + (id == "m2") if doc == "novel" else c // 2)) for doc, id, c in rows]
    return rows, truth, pandas.DataFrame(moved, columns=["doc", "id", "cluster"])


@pytest.mark.usefixtures("no_pictures")
def test_samples_and_ids_are_told_apart(show: Show) -> None:
    rows, truth, guess = in_samples()
    seen = show(cd.page(truth, guess, samples="doc"))
    told = cd.explain(truth, guess, samples="doc")
    for doc, id, _ in rows:
        if id:
            check_object(seen, told.object(id, doc), wanted=f"{doc} / {id}")
    check_object(seen, told.object("m7", "poem"), wanted="POEM / M7")
    assert "object poem / ''," in answer(seen, "poem / ''")
    assert "2 objects match this name" in answer(seen, "m2")
    buttons = seen.page.locator(".object button")
    assert buttons.all_text_contents() == ["novel / m2", "poem / m2"]
    buttons.nth(1).click()
    assert seen.texts(".object p bdi")[0] == "poem / m2"
    # scores: the mean, how far samples differ, and all of them as one
    report = cd.compare(truth, guess, samples="doc", confidence=0.95)
    assert seen.texts("#scores-table thead th") == ["", "macro", "std", "micro"]
    row = seen.page.locator("#scores-table tbody tr", has_text="elm_recall")
    macro, std, micro = row.locator("td").all_text_contents()
    score = report["elm_recall"]
    assert macro == f"{float(score):.4f}"  # two samples are too few for an interval
    assert (std, micro) == (f"{score.std:.4f}", f"{float(score.micro):.4f}")
    assert "2 samples" in seen.texts("pre.head")[0]
    assert seen.texts("#s0-clusters thead th")[:2] == ["sample", "true cluster"]
    assert set(rows_of(seen, 0)) == {"novel", "poem"}


def test_hostile_names_are_text(show: Show) -> None:
    many = len(HOSTILE)
    truth = {f"{name} {k}": name for name in HOSTILE for k in range(3)}
    guess = {
        f"{name} {k}": f"{name if k else HOSTILE[(i + 1) % many]}'"
        for i, name in enumerate(HOSTILE)
        for k in range(3)
    }
    systems = dict.fromkeys((HOSTILE[i] for i in (0, 2, 6, 8, 10)), guess)
    seen = show(cd.page(truth, systems, title=HOSTILE[4]))
    page = seen.page
    assert seen.texts("h1") == [HOSTILE[4]] == [page.title()]
    assert seen.texts("#system option") == list(systems)
    assert seen.texts("#scores-table thead th")[1:] == list(systems)
    # in pictures
    for name in ("scores", "sizes", "outcomes", "s0-alluvial", "s0-clusters"):
        seen.drawn(f"[data-figure={name}]")
    assert seen.texts("[data-figure=scores] .legendtext") == list(systems)
    assert set(seen.texts("[data-figure=outcomes] .ytick text")) == set(systems)
    labels = seen.texts("[data-figure=s0-alluvial] .node-label")
    assert set(labels) == {f"{shown(n)}{end} (3)" for n in HOSTILE for end in ("", "'")}
    for i in (1, 4, 6, 9):  # whose middle no other band crosses
        name, told = HOSTILE[i], seen.hovered("[data-figure=s0-alluvial]", ".sankey-link", i)
        assert told == f"2 of {name} in {name}': home{name} 1, {name} 2"
    # in tables, lists and answers
    assert set(rows_of(seen, 0)) == set(map(shown, HOSTILE))
    options = "\n".join(seen.texts(".system >> nth=0 >> select.component option"))
    assert shown(HOSTILE[0]) in options
    page.locator(".component-details summary").first.click()
    cells = seen.page.locator(".component-details").first.locator("tbody th, tbody td")
    written = set(cells.all_text_contents())
    for name in map(shown, HOSTILE):
        assert {name, f"{name}'", cut(f"{name} 0", 40)} <= written
        assert answer(seen, f"{name} 1").startswith(f"object {name} 1, truth {name}, guess {name}'")
    page.locator(".find-component").first.fill(HOSTILE[1])
    # and nothing of it was read as markup, or run
    for made in ("main a", "b", "img", "svg a", "iframe", "[onload]", "[onerror]"):
        assert page.locator(made).count() == 0, made
    assert page.locator("script").count() == 3
    assert page.locator("svg:not(.main-svg, #js-plotly-tester)").count() == 0
    assert seen.ask("() => window.hit") is None
    assert seen.messages == []
    assert seen.requests == [seen.address]
    # nor would it be run, or fetched, if it were markup
    seen.ask(
        """() => {
          const script = document.createElement("script");
          script.textContent = "window.hit = 1";
          document.body.append(script);
          const picture = document.createElement("div");
          picture.innerHTML = '<img src="https://example.org/x.png" onerror="window.hit = 2">';
          document.body.append(picture);
          const base = document.createElement("base");
          base.href = "https://example.org/";
          document.head.append(base);
        }"""
    )
    page.wait_for_function("() => document.images[0].complete")
    assert seen.ask("() => window.hit") is None
    assert seen.ask("() => document.baseURI") == seen.address
    assert seen.refused == {"https://example.org/x.png": "csp"}
    assert len(seen.messages) >= 3
    assert all("Content Security Policy" in said for said in seen.messages)


def test_it_can_be_read_and_used_without_a_mouse(town_page: Seen) -> None:
    page = town_page.page
    assert page.locator("html").get_attribute("lang") == "en"
    levels = town_page.ask(
        "() => [...document.querySelectorAll('h1,h2,h3,h4')].map(h => h.tagName)"
    )
    depths = [int(level[1]) for level in levels]
    assert depths.count(1) == 1
    assert depths[0] == 1
    assert all(after <= before + 1 for before, after in pairwise(depths))
    named = "one => one.labels.length > 0"
    assert all(one.evaluate(named) for one in page.locator("input, select").all())
    figures = page.locator(".figure")
    assert figures.count() >= 5
    assert page.locator(".figure[role=img][aria-label]").count() == figures.count()
    assert page.locator("th:not([scope])").count() == 0
    assert page.locator("table").count() == page.locator("table:has(thead th[scope=col])").count()
    # the tab key reaches everything, and shows where it is
    page.locator(".skip").focus()
    page.keyboard.press("Tab")
    page.keyboard.press("Shift+Tab")
    reached: set[str] = set()
    for _ in range(120):
        told = town_page.ask(
            """() => { const e = document.activeElement, s = getComputedStyle(e);
              return [e.className || e.id || e.tagName, s.outlineStyle, s.outlineWidth]; }"""
        )
        if told[0] == "BODY":
            break
        assert told[1:] == ["solid", "2px"], told
        reached.add(told[0])
        page.keyboard.press("Tab")
    wanted = {"skip", "A", "scroll", "BUTTON", "find-component", "component", "SUMMARY"}
    assert wanted | {"filter", "look-up"} <= reached
    page.locator(".skip").press("Enter")
    assert town_page.ask("() => document.activeElement.id") == "main"
    page.keyboard.press("Tab")
    assert town_page.ask("() => document.activeElement.closest('#scores') !== null")


def light(colour: str) -> float:
    """The relative luminance of #rrggbb."""
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    lifted = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * lifted[0] + 0.7152 * lifted[1] + 0.0722 * lifted[2]


def contrast(one: str, other: str) -> float:
    low, high = sorted((light(one), light(other)))
    return (high + 0.05) / (low + 0.05)


def colours(seen: Seen) -> dict[str, str]:
    names = ["paper", "shade", "ink", "soft", "accent", "split", "merged", "mixed", "missing"]
    script = "names => names.map(n => getComputedStyle(document.documentElement)"
    found = seen.ask(script + ".getPropertyValue('--' + n).trim())", names)
    return dict(zip(names, found, strict=True))


def written(colour: str) -> str:
    """rgb(1, 2, 3) as #010203."""
    return "#" + "".join(f"{int(part):02x}" for part in re.findall(r"\d+", colour)[:3])


def test_light_and_dark(two_page: Seen) -> None:
    two_page.drawn("[data-figure=scores]")
    seen = {}
    for scheme in ("dark", "light"):
        two_page.page.emulate_media(color_scheme=scheme)
        found = seen[scheme] = colours(two_page)
        for name in ("ink", "soft", "accent", "split", "merged", "mixed", "missing"):
            assert contrast(found[name], found["paper"]) >= 4.5, (scheme, name)
        for name in ("ink", "soft", "accent"):
            assert contrast(found[name], found["shade"]) >= 4.5, (scheme, name)
        style = two_page.ask(
            """() => { const body = getComputedStyle(document.body);
              return [body.backgroundColor, body.color]; }"""
        )
        assert [written(colour) for colour in style] == [found["paper"], found["ink"]]
        # figures follow by themselves
        two_page.page.wait_for_function(
            """colour => getComputedStyle(document.querySelector('.figure .main-svg'))
              .backgroundColor === colour""",
            arg=style[0],
        )
        text = two_page.page.locator("[data-figure=scores] .xtick text").first
        assert found["ink"] == written(text.evaluate("one => getComputedStyle(one).fill"))
    assert seen["light"]["paper"] != seen["dark"]["paper"]
    assert seen["light"]["ink"] != seen["dark"]["ink"]


def test_on_paper_all_guesses_are_shown_and_no_controls(two_page: Seen) -> None:
    page = two_page.page
    page.emulate_media(media="print", color_scheme="dark")
    for gone in ("nav", ".controls", ".choose", ".look-up", ".skip"):
        assert page.locator(f"{gone}:visible").count() == 0, gone
    assert page.locator(".system:visible").count() == 2
    assert colours(two_page)["paper"] == "#ffffff"
    two_page.ask("() => dispatchEvent(new Event('beforeprint'))")
    assert page.locator(".figure:has(.main-svg)").count() == page.locator(".figure").count() == 10
    # the differences have too few units to be tested, and so no chart
    assert page.locator("[data-figure=differences]").count() == 0
    assert all(right - left <= 680 for left, right in edges(two_page, ".figure .main-svg"))
    two_page.ask("() => dispatchEvent(new Event('afterprint'))")
    page.emulate_media(media="screen", color_scheme="light")
    assert page.locator(".system:visible").count() == 1
    assert page.locator(".choose:visible").count() == 1


def edges(seen: Seen, query: str) -> list[tuple[float, float]]:
    """Where elements begin and end, from left to right."""
    script = """query => [...document.querySelectorAll(query)].map(one => {
      const box = one.getBoundingClientRect(); return [box.left, box.right]; })"""
    return cast(list[tuple[float, float]], seen.ask(script, query))


def test_nothing_is_wider_than_the_window(show: Show) -> None:
    long, words = "a_long_name_without_a_blank_" * 3, "many words that go on and on " * 3
    truth = {f"{long}{i}": f"{long}{i // 4}" for i in range(40)}
    guess = {id: f"{words}{(i + (i % 7 == 0)) // 5}" for i, id in enumerate(truth)}
    seen = show(cd.page(truth, {long: guess, words: truth}, title=long))
    page = seen.page
    page.locator("summary").first.click()
    answer(seen, f"{long}7")
    for width in (1280, 400):
        page.set_viewport_size({"width": width, "height": 900})
        for name in ("scores", "sizes", "outcomes", "s0-bands", "s0-alluvial", "s0-clusters"):
            seen.drawn(f"[data-figure={name}]")
            fits = "([e, svg]) => svg.getBoundingClientRect().width <= e.clientWidth"
            query = f"() => {{ const e = document.querySelector('[data-figure={name}]');"
            page.wait_for_function(f"{query} return ({fits})([e, e.querySelector('svg')]); }}")
        assert seen.ask("() => document.documentElement.scrollWidth") <= width
    # names are cut in pictures, not pushed out of them
    for left, right in edges(seen, "[data-figure=s0-alluvial] .node-label, .legendtext"):
        assert 0 <= left < right <= 400
    short = seen.texts("[data-figure=s0-alluvial] .node-label")
    assert all("…" in label and re.search(r" \(\d\)$", label) for label in short)
    ticks = edges(seen, "[data-figure=outcomes] .ytick text")
    assert all(right - left < 200 for left, right in ticks)


@pytest.mark.parametrize("guesses", [2, 5])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_scores_of_every_guess_are_seen_at_any_width(
    show: Show, no_pictures: None, guesses: int, scheme: Literal["light", "dark"]
) -> None:
    """Where the table of scores is wider than the window, each measure is a block of its own."""
    truth, guess = town()
    names = [f"day-{k}.csv" for k in range(guesses)]
    seen = show(cd.page(truth, dict.fromkeys(names, guess)))
    page, table = seen.page, "#scores-table"
    page.emulate_media(color_scheme=scheme)
    for width in (390, 768, 1280):
        page.set_viewport_size({"width": width, "height": 900})
        wide = "document.querySelector('#scores-table').offsetWidth"
        page.wait_for_function(f"() => {wide} <= document.body.clientWidth")
        cells = edges(seen, f"{table} td:not(:empty)")
        assert len(cells) >= guesses
        assert all(0 <= left < right <= width for left, right in cells)
    assert page.locator(".folded").count() == 0
    page.set_viewport_size({"width": 390, "height": 900})
    page.wait_for_selector(f".folded {table}")
    label = "one => getComputedStyle(document.querySelector(one), '::before').content"
    assert seen.ask(label, f"{table} td") == f'"{names[0]}"'
    page.locator(f"{table} button").filter(has_text=names[1]).first.click()
    assert page.locator(f"{table} th[aria-sort=ascending]").count() == 1
    seen.ask("() => dispatchEvent(new Event('beforeprint'))")
    left = seen.ask("() => document.body.getBoundingClientRect().left")
    assert all(right <= left + 680 for _, right in edges(seen, f"{table} td:not(:empty)"))
    seen.ask("() => dispatchEvent(new Event('afterprint'))")
    assert page.locator(f".folded {table}").count() == 1


@pytest.mark.slow
def test_a_page_of_a_million_objects(show: Show) -> None:
    rng = np.random.default_rng(1)
    sizes = rng.choice(
        [1, 2, 3, 5, 10, 50, 400], 240_000, p=[0.5, 0.2, 0.1, 0.1, 0.07, 0.028, 0.002]
    )
    truth = np.repeat(np.arange(sizes.size), sizes)[:1_000_000]
    assert truth.size == 1_000_000
    guess = truth.copy()
    wrong = rng.random(int(truth.max()) + 1)[truth] < 0.2
    guess[wrong] += rng.integers(0, 2, int(wrong.sum()))
    began = time.perf_counter()
    page = cd.page(truth, guess)
    made = time.perf_counter() - began
    assert len(page.html.encode()) < 10_000_000
    began = time.perf_counter()
    seen = show(page)
    seen.drawn("[data-figure=scores]")
    opened = time.perf_counter() - began
    print(f"made in {made:.1f} s, {len(page.html) / 1e6:.1f} MB, open in {opened:.1f} s")
    assert opened < 10
    notes = "\n".join(seen.texts(".note"))
    assert re.search(r"The 30 components that cost most, of [\d,]+ in conflict\.", notes)
    assert re.search(r"The 500 true clusters in conflict that cost most, of [\d,]+", notes)
    assert re.search(r"Of 1,000,000 objects, the [\d,]+ of the [\d,]+ worst components", notes)
    id = int(seen.texts(".component-details tbody td:last-child")[0].split(", ")[0])
    same, together = truth == truth[id], guess == guess[id]
    said = answer(seen, str(id))
    assert f"is rightly with ({int((same & together).sum()) - 1})" in said
    assert f"should be with ({int((same & ~together).sum())})" in said
    assert f"is wrongly with ({int((together & ~same).sum())})" in said
    assert seen.messages == []


def test_missing_objects_are_named_and_what_does_not_differ_is_not_listed(show: Show) -> None:
    truth = {1: "a", 2: "a", 3: "b", 4: "c", 5: "c", 6: "d", 9: "e"}
    guess = {1: "x", 2: "x", 3: "y", 4: "x", 7: "y", 8: "w", 9: "v"}
    seen = show(cd.page(truth, {"less": guess, "same": truth}, align="penalise"))
    told = cd.explain(truth, guess, align="penalise")
    for id in (1, 3, 4, 5, 6, 7, 8, 9):
        check_object(seen, told.object(id))
    for name in ("scores", "sizes", "outcomes", "s0-bands", "s0-alluvial", "s0-clusters"):
        seen.drawn(f"[data-figure={name}]")
    labels = seen.texts("[data-figure=s0-alluvial] .node-label")
    assert {"missing in guess", "not in truth"} <= set(labels)
    assert seen.texts(".key span") == ["stays", "merged", "missing in guess", "not in truth"]
    assert "2 objects only in truth, 2 only in guess" in " ".join(seen.texts("pre.head")[0].split())
    row = seen.page.locator("#scores-table tbody tr", has_text="elm_recall")
    expected = float(cd.compare(truth, guess, "elm_recall", align="penalise")["elm_recall"])
    assert row.locator("td").all_text_contents()[0].startswith(f"{expected:.4f}")
    # the other guess is the truth itself
    assert seen.texts("[data-system='1'] p")[:3] == [
        "elm_f 1.0000 = 1 - 0.0000.",
        "Of 7 objects: 100.0 % right, 0.0 % split, 0.0 % merged, 0.0 % both.",
        "Of 5 true clusters, 5 were found exactly (100.0 %).",
    ]
    assert seen.texts("[data-system='1'] h3") == ["Look up an object"]
    assert seen.page.locator("[data-system='1'] :is(details, table, .figure)").count() == 0
    assert seen.messages == []


@pytest.mark.parametrize(
    ("truth", "said"),
    [
        ({"only": 1}, "Of 1 true cluster, 1 was found exactly (100.0 %)."),
        ({i: i for i in range(7)}, "Of 7 true clusters, 7 were found exactly (100.0 %)."),
        (TRUTH, "Of 5 true clusters, 5 were found exactly (100.0 %)."),
    ],
    ids=["one object", "singletons", "alike"],
)
def test_clusterings_that_are_the_same_have_no_components(truth: Labels, said: str) -> None:
    html = cd.page(truth, truth).html
    assert said in html
    assert '<details class="component-details"' not in html
    assert "be looked up." in html


def test_noise_is_taken_as_compare_takes_it() -> None:
    truth, guess = [1, 1, 1, 2, 2, 3], [1, 1, -1, 2, -1, -1]
    html = cd.page(truth, guess, noise=-1).html
    report = cd.compare(truth, guess, noise=-1)
    for name in report:
        cell = re.search(rf'<th scope="row">{name}</th><td class="number"[^>]*>([\d.]+)', html)
        assert cell is not None
        assert cell[1] == f"{float(report[name]):.4f}"
    data = re.search(r'id="data">(.*?)</script>', html)
    assert data is not None
    objects = json.loads(data[1])["systems"][0]["lookup"]
    assert objects["guess"] == [0, 0, 1, 2, 3, 4]
    assert objects["guessNames"] == ["1", "-1", "2", "-1", "-1"]


def test_names_and_titles_hold_no_control_characters(tmp_path: Path) -> None:
    guesses = {"a\x00\x1b": MONDAY, "\udc80": TUESDAY}
    page = cd.page(TRUTH, guesses, title="t\x00\udc80")
    page.save(tmp_path / "page.html")
    assert not set("\x00\x1b") & set(page.html)
    data = page.html.partition('id="data">')[2].partition("</script>")[0]
    assert set(re.findall(r"\\u\w{4}", data)) <= {"\\u003c"}


def test_objects_of_smaller_components_fit_where_the_worst_does_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(pages, "OBJECTS", 5)
    html = cd.page([0] * 6 + [1, 1], [0, 0, 0, 1, 1, 1, 2, 3]).html
    assert "the 2 of the 1 " in html


def test_no_error_is_shown_where_all_clusters_score_alike() -> None:
    html = cd.page([0, 0, 0, 1, 1, 1], [1, 0, 0, 0, 1, 1]).html
    assert not re.search(r"± [\d.]+e-1\d", html)
