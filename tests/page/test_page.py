"""The page in a browser: what it shows, what can be done with it, and what it never does."""

from __future__ import annotations

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
from clusterdiff.output.table import percent
from clusterdiff.page import page as pages
from clusterdiff.page import parts
from page.browser import Seen, browser
from page.embedded import objects_of, parts_of, verdict_of

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


MONDAY_OF_TOWN: Labels = {id: label.rstrip("b") for id, label in town()[1].items()} | {
    "r20012": "new", "r20060": "new"
}  # fmt: skip


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


def near(cell: str) -> float:
    """The number that a cell begins with."""
    found = re.match(r"[-−]?[\d.,]+", cell)
    assert found is not None, cell
    return float(found[0].replace("−", "-").replace(",", ""))


# What it opens with.


def test_it_opens_offline_and_says_nothing(two_page: Seen) -> None:
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
        name = f"{report.measures[wanted[0]].title} {wanted[0]}"
        assert row.locator("th").inner_text().lower() == name.lower()
        assert row.locator("td").all_text_contents() == list(wanted[1:])
        bold = row.locator(".best").all_text_contents()
        assert bold == [cell for j, cell in enumerate(wanted) if (i, j) in table.best]


@pytest.mark.parametrize("shape", [(40, 3), (4, 2), (1, 1)])
def test_one_guess_begins_with_numbers_that_a_recount_finds(shape: tuple[int, int]) -> None:
    clusters, size = shape
    truth = [i // size for i in range(clusters * size)]
    guess = [x if i % 7 else -1 - i for i, x in enumerate(truth)]
    guess = [2 if x == 1 else x for x in guess]
    said = verdict_of(cd.page(truth, guess).html)
    ids = range(len(truth))
    pairs = [(i, j) for i in ids for j in ids[:i]]
    made = [(i, j) for i, j in pairs if guess[i] == guess[j]]
    needed = [(i, j) for i, j in pairs if truth[i] == truth[j]]
    both = len({*made} & {*needed})
    members = [{frozenset(i for i in ids if side[i] == x) for x in side} for side in (truth, guess)]
    exact = len(members[0] & members[1])
    if exact == clusters:
        assert (
            said == "Nothing differs. Truth and guess are the same clustering: 1 cluster, 1 object."
        )
        return
    assert f"of {clusters} true clusters" in said
    assert re.match(str(exact) if exact else "None", said)
    assert f"Of the links made, {percent(both / len(made), 0)} are right; " in said
    assert f"of those needed, {percent(both / len(needed), 0)} were made." in said


def test_links_that_nobody_makes_or_needs() -> None:
    alone, together = [1, 2, 3], [1, 1, 1]
    assert "No links were made; of those needed, 0 % were made." in verdict_of(
        cd.page(together, alone).html
    )
    assert "Of the links made, 0 % are right; none was needed." in verdict_of(
        cd.page(alone, together).html
    )


def test_several_guesses_begin_with_which_is_better_and_whether_that_is_sure() -> None:
    truth = [i // 3 for i in range(90)]
    good = [x if i % 9 else -i for i, x in enumerate(truth)]
    bad = [x if i % 2 else -i for i, x in enumerate(truth)]
    close = [x if i % 8 != 4 else -i for i, x in enumerate(truth)]

    def verdict(guesses: dict[str, Any], measures: str | None = None) -> str:
        return verdict_of(cd.page(truth, guesses, measures=measures).html)

    assert re.match(
        r"By the adjusted Rand index, good is better than bad by 0\.\d+ \(95 % interval .*, "
        r"p < 0\.001\)\. good finds 21 of 30 true clusters exactly, bad finds 0\.",
        verdict({"bad": bad, "good": good}),
    )
    assert re.match(
        r"By the adjusted Rand index, good and close do not differ significantly on this data: the "
        r"difference is 0\.\d+ \(95 % interval −0\.\d+ to \+0\.\d+, p = 0\.\d+\)\.",
        verdict({"close": close, "good": good}),
    )
    assert re.match(
        r"By the Elements Like Me F, good is best, significantly better than each of the 2 others "
        r"\(p < 0\.001, corrected by Holm\)\.",
        verdict({"bad": bad, "worse": list(range(90)), "good": good}, "elm_f"),
    )
    renamed = [f"c{x}" for x in good]
    assert verdict({"one": good, "two": renamed}, "elm_f").startswith(
        "By the Elements Like Me F, one and two score the same."
    )
    assert verdict({"one": good, "two": renamed, "bad": bad}, "elm_f").startswith(
        "By the Elements Like Me F, one and two share the best score."
    )


def test_what_was_not_tested_is_not_called_better() -> None:
    truth = [i // 3 for i in range(15)]
    good = [x if i % 9 else -1 - i for i, x in enumerate(truth)]
    bad = [x if i % 2 else -1 - i for i, x in enumerate(truth)]
    why = "5 components are too few for an interval (10 are needed)"
    gap = float(cd.adjusted_rand(truth, good)) - float(cd.adjusted_rand(truth, bad))
    html = cd.page(truth, {"bad": bad, "good": good}).html
    assert verdict_of(html).startswith(
        f"By the adjusted Rand index, good scores higher than bad by {gap:.4f}; the difference was "
        f"not tested, because {why}."
    )
    assert "no interval" in html
    assert '<span class="whisker change"' not in html
    long = [i // 3 for i in range(90)]
    some = {"a": [x if i % 9 else -i for i, x in enumerate(long)], "b": list(range(90))}
    assert '<span class="whisker change"' in cd.page(long, some).html


@pytest.mark.parametrize("several", [False, True])
def test_tiles_have_the_numbers_of_the_library(show: Show, several: bool) -> None:
    truth = [i // 3 for i in range(90)]
    guess = [x if i % 9 else -i for i, x in enumerate(truth)]
    guesses = {"one": guess, "two": list(range(90))} if several else {"one": guess}
    seen = show(cd.page(truth, guesses))
    report = cd.compare(truth, guesses, confidence=0.95)
    for i, measure in enumerate(("adjusted_rand", "pair_precision", "pair_recall")):
        tile = seen.page.locator(".tile").nth(i)
        for name, score in (report[measure] if several else {"one": report[measure]}).items():
            row = tile.locator(".score", has_text=name) if several else tile.locator(".score")
            value = row.locator(".value").inner_text().split()[0]
            least = 0.51 * 10.0 ** -len(value.partition(".")[2])
            assert near(value) == pytest.approx(float(score), abs=least)
            if not score.ci:
                assert "no interval" in row.inner_text()
                continue
            low, high = row.locator(".interval").inner_text().split()[-1].split("–")
            assert float(low) == pytest.approx(score.ci.low, abs=least)
            assert float(high) == pytest.approx(score.ci.high, abs=least)
            style = row.locator(".whisker").get_attribute("style") or ""
            places = [float(p) / 100 for p in re.findall(r"--[lmh]:([\d.]+)%", style)]
            assert places == pytest.approx([score.ci.low, float(score), score.ci.high], abs=1e-4)


def test_the_bar_is_what_became_of_the_objects(town_page: Seen) -> None:
    s = told_of_town().summary
    words = [f"{percent(n / s.objects)} {what}" for what, n in s.outcomes.items() if n]
    assert town_page.texts("header .key span") == words
    shares = [
        float(one.evaluate("e => e.style.flexGrow"))
        for one in town_page.page.locator("header .bar span").all()
    ]
    assert shares == pytest.approx([n / s.objects for n in s.outcomes.values() if n], rel=1e-4)


def test_a_measure_is_explained_by_mouse_and_by_keyboard(two_page: Seen) -> None:
    page, tip = two_page.page, two_page.page.locator("#tip")
    assert not tip.is_visible()
    word = page.locator("#scores-table .tip", has_text="Variation of information")
    word.focus()
    assert "in nats. Lower is better; 0 is best." in tip.inner_text()
    assert word.get_attribute("aria-describedby") == tip.get_attribute("id")
    box = tip.bounding_box()
    assert box is not None
    assert 0 <= box["x"] < box["x"] + box["width"] <= 1280
    page.keyboard.press("Escape")
    assert not tip.is_visible()
    word.blur()
    page.locator(".tile .tip").first.hover()
    assert "corrected for chance. Higher is better; 1 is best." in tip.inner_text()
    page.mouse.move(0, 0)
    assert not tip.is_visible()


# Parts: the first ones, and all of them.


def test_the_first_parts_are_those_that_lose_most(town_page: Seen) -> None:
    top = told_of_town().top(10, 20)
    details = town_page.page.locator(".system > .list details").all()
    assert len(details) == len(top) == 10
    for one, part in zip(details, top, strict=True):
        said = one.locator("summary").inner_text()
        assert said.split()[:3] == [*percent(part.share).split(), part.kind]
        assert part.title in said


def test_details_open_by_keyboard_and_have_cells_and_a_drawing(town_page: Seen) -> None:
    part = told_of_town().top(10, 20)[1]
    details = town_page.page.locator(".system > .list details").nth(1)
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
    bands = details.locator(".flow path")
    assert bands.count() == len(part.cells)
    names = {name.rpartition(" ")[0] for name in details.locator(".flow span").all_text_contents()}
    assert names == {c.name for c in (*part.truth, *part.guess)}
    details.locator("summary").press("Space")
    assert not details.locator("table").is_visible()


def found(seen: Seen, wanted: str) -> str:
    """What the search of the first guess says it found."""
    every = seen.page.locator(".browse .all").first
    if every.is_visible():
        every.click()
    seen.page.locator(".find").first.fill(wanted)
    seen.page.wait_for_timeout(30)
    return seen.page.locator(".browse .found").first.text_content() or ""


def test_every_part_is_found_by_cluster_and_by_object(town_page: Seen) -> None:
    every = told_of_town().top(None, 20)
    page, many = town_page.page, len(every)
    assert many > 30
    assert f"{many} components where truth and guess differ." in " ".join(town_page.texts(".note"))
    held = parts_of(cd.page(*town(), title="Town").html)
    assert len(held) == many
    for wanted in (0, 9, 25, -1):
        part = every[wanted]
        for name in (part.truth[-1].name, part.guess[0].name, part.cells[-1].ids[0]):
            hits = [one for one in held if name in one.text]
            assert found(town_page, name) == f"{len(hits)} of {many}", name
            titles = page.locator(".results summary .title").all_text_contents()
            assert part.title in titles
    assert found(town_page, "nobody") == f"0 of {many}"
    assert page.locator(".results details").count() == 0
    # a single part is open at once
    assert found(town_page, every[-1].title.upper()) == f"1 of {many}"
    assert page.locator(".results details[open] table").is_visible()
    assert found(town_page, "") == ""
    assert page.locator(".results details").count() == 0


def test_long_lists_are_shown_a_page_at_a_time(town_page: Seen) -> None:
    page, many = town_page.page, told_of_town().order.size
    assert found(town_page, "t") == f"{many} of {many}"
    shown = page.locator(".results details")
    assert shown.count() == min(50, many)
    if many > 50:
        page.locator(".more").click()
        assert shown.count() == min(100, many)
    page.locator(".browse .all").click()
    assert shown.count() == 0
    assert page.locator(".find").input_value() == ""


def test_a_pattern_lists_its_parts(town_page: Seen) -> None:
    page, told = town_page.page, told_of_town()
    patterns = told.patterns(10, least=2)
    rows = page.locator(".patterns tbody tr")
    assert rows.count() == len(patterns) > 2
    for i, pattern in enumerate(patterns):
        cells = rows.nth(i).locator("th, td").all_text_contents()
        share = percent(pattern.loss / told.lost_by_parts)
        assert cells[:4] == [pattern.shape, f"{pattern.parts}", f"{pattern.objects:,}", share]
        rows.nth(i).locator("button").press("Enter")
        said = page.locator(".browse .found").text_content()
        assert said == f"{pattern.parts} of {told.order.size}: {pattern.shape}"
    page.locator(".browse .all").click()


def test_parts_that_do_not_fit_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    truth, guess = town()
    every = parts_of(cd.page(truth, guess).html)
    monkeypatch.setattr(parts, "PARTS_ROOM", 1)
    html = cd.page(truth, guess).html
    held = parts_of(html)
    assert 0 < len(held) < len(every)
    assert held == every[: len(held)]
    assert (
        f"The {len(held)} components that lose most can be searched here, of {len(every)}; "
        "clusterdiff browse truth guess shows all of them."
    ) in html


@pytest.mark.parametrize("engine", ["arrays", "duckdb"])
def test_records_stand_beside_parts_and_are_found(engine: str, show: Show, tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    lines = ["id,truth,guess,name,town"]
    lines += [f"r{i},{i // 3},{i // 3 if i % 9 else f'x{i}'},person {i // 3},town {i % 4}"
              for i in range(60)]  # fmt: skip
    path.write_text("\n".join(lines))
    page = cd.page(f"{path}::truth", f"{path}::guess", engine=engine)
    told = cd.explain(f"{path}::truth", f"{path}::guess", engine=engine)
    assert len(parts_of(page.html)) == told.order.size == 7
    seen = show(page)
    assert found(seen, "person 18") == "1 of 7"
    (records,) = seen.page.locator(".results table.records").all()
    assert records.locator("thead th").all_text_contents() == ["guess", "id", "town"]
    assert set(records.locator("tbody td:nth-child(2)").all_text_contents()) == {
        "r54",
        "r55",
        "r56",
    }
    assert "same: name person 18" in seen.texts(".results .note")[-1]
    assert seen.messages == []


def test_fields_that_differ_are_marked_and_no_others(show: Show) -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(
        {"id": list("abcde"), "truth": [1, 1, 1, 2, 2], "guess": [1, 1, 2, 3, 3],
         "name": ["ann*", "ann*", "<i>ana", "bob", "bob"]}
    )  # fmt: skip
    seen = show(cd.page(frame, id="id", truth="truth", guess="guess"))
    assert seen.texts("mark") == ["<i>ana"]
    cells = seen.texts(".system > .list table.records td")
    assert cells.count("ann*") == 2


def test_what_a_guess_repaired_and_broke_is_what_diff_says(show: Show) -> None:
    truth, guess = town()
    change = cd.diff(truth, MONDAY_OF_TOWN, guess)
    seen = show(cd.page(truth, {"monday": MONDAY_OF_TOWN, "tuesday": guess}))
    assert seen.texts("#changes h2") == ["What tuesday repaired and broke"]
    assert seen.texts("#changes .note")[:2] == change.sentences()[:2]
    for column, better in ((0, False), (1, True)):
        listed = seen.page.locator("#changes .even > div").nth(column).locator("summary")
        wanted = change.changed(better, 10, 20)
        assert listed.count() == len(wanted)
        for one, entry in zip(listed.all(), wanted, strict=True):
            said = one.inner_text().split()
            assert said[:2] == [entry.start.split()[0], entry.fate]
            assert entry.cluster in said[2]
    assert "changes" not in cd.page(truth, guess).html.partition("<script")[0]


def test_slices_are_those_of_explain(show: Show) -> None:
    pandas = pytest.importorskip("pandas")
    rng = np.random.default_rng(3)
    truth = np.repeat(np.arange(300), 2)
    bad = (rng.random(600) < 0.15).astype(int)
    guess = [f"x{i}" if b else f"{t}" for i, (t, b) in enumerate(zip(truth, bad, strict=True))]
    frame = pandas.DataFrame(
        {
            "id": np.arange(600),
            "truth": truth,
            "guess": guess,
            "typed": np.where(bad, "hand", "ocr"),
        }
    )
    columns = {"id": "id", "truth": "truth", "guess": "guess"}
    told: Any = cd.explain(frame, **columns)
    seen = show(cd.page(frame, **columns))
    wanted = told.slices(0.95).table()
    assert wanted.rows
    rows = seen.page.locator("#s0-slices tbody tr").all()
    assert [tuple(r.locator("th, td").all_text_contents()) for r in rows] == list(wanted.rows)
    assert told.slices(0.95).headline in seen.texts(".system p")


def test_few_large_clusters_are_told_one_by_one_beside_their_table(show: Show) -> None:
    rng = np.random.default_rng(0)
    truth = rng.choice(["B", "T", "NK"], 300, p=[0.5, 0.3, 0.2])
    guess = np.where(rng.random(300) < 0.85, truth, rng.choice(["B", "T", "NK"], 300))
    seen = show(cd.page(truth, guess))
    told: Any = cd.explain(truth, guess)
    assert told.hub is not None
    shown = seen.texts(".system > .list summary .title")
    assert shown == [f"{one.below.name}: {one.below.what}" for one in told.top(1)[0].by_cluster]
    headings = seen.texts(".system > .list details >> nth=0 >> thead th")
    assert headings == [
        "guess cluster", "objects", "share of the true cluster", "fate", "mostly from",
        "share of the guess cluster",
    ]  # fmt: skip
    assert "100.0 % mixed" not in " ".join(" ".join(seen.texts("body")).split())
    n = {what: percent(n / 300, 0) for what, n in told.summary.by_majority.items()}
    assert verdict_of(cd.page(truth, guess).html) == (
        f"Of 300 objects, {n['right']} are in the guess cluster that is matched with their true "
        f"cluster, {n['merged']} are in a guess cluster of another."
    )
    table = cd.contingency(truth, guess)
    rows = seen.page.locator("table.heat tbody tr").all()
    assert [tuple(r.locator("th, td").all_text_contents()) for r in rows] == list(
        table.table().rows
    )
    for i, row in enumerate(table.to_numpy()):
        for j, n in enumerate(row):
            cell = rows[i].locator("td").nth(j)
            dark = float(cell.evaluate("e => e.style.getPropertyValue('--v')") or 0)
            assert dark == pytest.approx(n / row.sum(), abs=1e-3)
    assert 'class="heat"' not in cd.page(*town()).html


def test_pages_of_few_large_clusters_and_of_no_error() -> None:
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
        return [text.rpartition(" ")[2] for text in visible.all_text_contents()]

    assert two_page.texts("#system option") == ["monday", "tuesday"]
    assert headings() == ["monday"]
    two_page.page.select_option("#system", label="tuesday")
    assert headings() == ["tuesday"]
    two_page.page.select_option("#system", label="monday")
    assert headings() == ["monday"]
    assert town_page.page.locator("#system").count() == 0


# Tables: sorted and filtered.


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


# Objects that are looked up.


def answer(seen: Seen, wanted: str) -> str:
    """What the look-up of the first guess says."""
    seen.page.locator(".find").first.fill(wanted)
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
    assert answer(town_page, "nobody at all") == ""
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


def test_samples_are_sorted_and_filtered(show: Show) -> None:
    pandas = pytest.importorskip("pandas")
    rng = np.random.default_rng(5)
    rows = [(f"doc {d}", i, i // 3) for d in range(30) for i in range(12)]
    truth = pandas.DataFrame(rows, columns=["doc", "id", "cluster"])
    wrong = rng.random(len(rows)) < np.repeat(np.linspace(0, 0.9, 30), 12)
    guess = truth.assign(cluster=np.where(wrong, 100 + np.arange(len(rows)), truth["cluster"]))
    seen = show(cd.page(truth, guess, samples="doc"))
    score = cd.compare(truth, guess, samples="doc")["adjusted_rand"]
    each = dict(zip(score.samples, score.each, strict=True))
    page = seen.page
    table = page.locator("#samples-table tbody tr")

    def listed() -> list[str]:
        return page.locator("#samples-table tbody tr:visible th").all_text_contents()

    for row in table.all():
        name, value = row.locator("th, td").all_text_contents()[:2]
        assert value == f"{each[name]:.4f}"
    assert [each[name] for name in listed()] == sorted(each.values())
    # a bar lists its samples, once more all of them
    values = np.array(list(each.values()))
    counts = np.histogram(values, 10, (0, 1))[0]
    assert (values >= 0).all()
    assert "30 samples, the worst first." in seen.texts("#samples .note")[0]
    bars = page.locator(".histogram button")
    assert [int(text or 0) for text in bars.all_text_contents()] == counts.tolist()
    for i in np.flatnonzero(counts).tolist():
        bars.nth(i).press("Enter")
        assert bars.nth(i).get_attribute("aria-pressed") == "true"
        assert {each[name] for name in listed()} == {
            v for v in each.values() if min(9, int(v * 10 + 1e-9)) == i
        }
        bars.nth(i).press("Enter")
        assert len(listed()) == 30
    # a sample lists what to fix in it
    told: Any = cd.explain(truth, guess, samples="doc")
    worst = listed()[0]
    within = [part for part in told.top(None) if part.sample == worst]
    page.locator("#samples-table .go").first.click()
    said = page.locator(".browse .found").text_content()
    assert said == f"{len(within)} of {told.order.size}: {worst}"
    page.locator("#samples-table thead button", has_text="sample").click()
    assert page.locator("#samples-table th[aria-sort=ascending]").count() == 1
    assert seen.messages == []


# What must not happen.


def test_hostile_names_are_text(show: Show) -> None:
    many = len(HOSTILE)
    truth = {f"{name} {k}": name for name in HOSTILE for k in range(3)}
    guess = {
        f"{name} {k}": f"{name if k else HOSTILE[(i + 1) % many]}'"
        for i, name in enumerate(HOSTILE)
        for k in range(3)
    }
    systems = dict.fromkeys((HOSTILE[i] for i in (0, 2, 6, 8, 10)), guess)
    pandas = pytest.importorskip("pandas")
    records = pandas.DataFrame(
        {"id": list(truth), "<u>seen": [HOSTILE[i % many] + "x" * (i == 4) * 10**5
                                       for i in range(len(truth))]}
    )  # fmt: skip
    made = cd.page(truth, systems, title=HOSTILE[4], records=records)
    assert len(made.html) < 10**6
    seen = show(made)
    page = seen.page
    assert seen.texts("h1") == [HOSTILE[4]] == [page.title()]
    assert seen.texts("#system option") == list(systems)
    assert set(systems) <= set(seen.texts("#scores-table thead th"))
    assert seen.texts(".sizes thead th")[2:] == list(systems)
    assert set(rows_of(seen, 0)) == set(map(shown, HOSTILE))
    for name in map(shown, HOSTILE):
        for wanted in (name, f"{name}'", f"{name} 0"):
            assert found(seen, wanted).startswith("1 of 1"), wanted
        assert answer(seen, f"{name} 1").startswith(f"object {name} 1, truth {name}, guess {name}'")
    cells = page.locator(".results th, .results td")
    written = set(cells.all_text_contents())
    for name in map(shown, HOSTILE):
        assert {name, f"{name}'", f"{name} 0"} <= written
    # and nothing of it was read as markup, or run
    for kind in ("main a", "b:not(.whisker b)", "img", "svg a", "iframe", "[onload]", "[onerror]",
                 "u", "i:not(.whisker i, .sizes i)"):  # fmt: skip
        assert page.locator(kind).count() == 0, kind
    assert page.locator("script:not([type])").count() == 1
    assert page.locator("svg:not(.flow svg, .plot svg)").count() == 0
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
    for landmark in ("header", "nav[aria-label]", "main"):
        assert page.locator(landmark).count() == 1
    levels = town_page.ask(
        "() => [...document.querySelectorAll('h1,h2,h3,h4')].map(h => h.tagName)"
    )
    depths = [int(level[1]) for level in levels]
    assert depths.count(1) == 1
    assert depths[0] == 1
    assert all(after <= before + 1 for before, after in pairwise(depths))
    named = "one => one.labels.length > 0"
    assert all(one.evaluate(named) for one in page.locator("input, select").all())
    assert page.locator("svg:not([aria-label], [aria-hidden] svg)").count() == 0
    assert page.locator("th:not([scope])").count() == 0
    tables = page.locator("table").count()
    assert tables == page.locator("table:has(thead th[scope=col])").count()
    assert tables == page.locator("table:has(caption)").count()
    assert page.locator("[tabindex]:not([tabindex='0'], [tabindex='-1'])").count() == 0
    ids = town_page.ask("() => [...document.querySelectorAll('[id]')].map(e => e.id)")
    assert len(ids) == len(set(ids))
    # the tab key reaches everything, and shows where it is
    page.locator(".skip").focus()
    page.keyboard.press("Tab")
    page.keyboard.press("Shift+Tab")
    reached: set[str] = set()
    for _ in range(160):
        told = town_page.ask(
            """() => { const e = document.activeElement, s = getComputedStyle(e);
              return [e.className || e.id || e.tagName, s.outlineStyle, s.outlineWidth]; }"""
        )
        if told[0] == "BODY":
            break
        assert told[1:] == ["solid", "2px"], told
        reached.add(told[0])
        page.keyboard.press("Tab")
    assert {"skip", "A", "scroll", "BUTTON", "find", "tip", "SUMMARY", "filter", "go"} <= reached
    page.locator(".skip").press("Enter")
    assert town_page.ask("() => document.activeElement.id") == "main"
    page.keyboard.press("Tab")
    assert town_page.ask("() => document.activeElement.closest('#systems') !== null")


def light(colour: str) -> float:
    """The relative luminance of #rrggbb."""
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    lifted = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * lifted[0] + 0.7152 * lifted[1] + 0.0722 * lifted[2]


def contrast(one: str, other: str) -> float:
    low, high = sorted((light(one), light(other)))
    return (high + 0.05) / (low + 0.05)


def colours(seen: Seen) -> dict[str, str]:
    names = [
        "mark",
        "paper",
        "shade",
        "ink",
        "soft",
        "accent",
        "split",
        "merged",
        "mixed",
        "missing",
    ]
    script = "names => names.map(n => getComputedStyle(document.documentElement)"
    found = seen.ask(script + ".getPropertyValue('--' + n).trim())", names)
    return dict(zip(names, found, strict=True))


def written(colour: str) -> str:
    """rgb(1, 2, 3) as #010203."""
    return "#" + "".join(f"{int(part):02x}" for part in re.findall(r"\d+", colour)[:3])


def test_light_and_dark(two_page: Seen) -> None:
    seen = {}
    for scheme in ("dark", "light"):
        two_page.page.emulate_media(color_scheme=scheme)
        found = seen[scheme] = colours(two_page)
        for name in ("ink", "soft", "accent", "split", "merged", "mixed", "missing"):
            assert contrast(found[name], found["paper"]) >= 4.5, (scheme, name)
        for name in ("ink", "soft", "accent"):
            assert contrast(found[name], found["shade"]) >= 4.5, (scheme, name)
        assert contrast(found["ink"], found["mark"]) >= 4.5
        style = two_page.ask(
            """() => { const body = getComputedStyle(document.body);
              return [body.backgroundColor, body.color]; }"""
        )
        assert [written(colour) for colour in style] == [found["paper"], found["ink"]]
    assert seen["light"]["paper"] != seen["dark"]["paper"]
    assert seen["light"]["ink"] != seen["dark"]["ink"]


def test_on_paper_everything_is_open_and_there_are_no_controls(two_page: Seen) -> None:
    page = two_page.page
    page.emulate_media(media="print", color_scheme="dark")
    for gone in ("nav", ".controls", ".choose", ".browse", ".skip"):
        assert page.locator(f"{gone}:visible").count() == 0, gone
    assert page.locator(".system:visible").count() == 2
    assert colours(two_page)["paper"] == "#ffffff"
    two_page.ask("() => dispatchEvent(new Event('beforeprint'))")
    assert page.locator("details:not([open])").count() == 0
    assert page.locator("details").count() > 3
    left = two_page.ask("() => document.body.getBoundingClientRect().left")
    inside = edges(two_page, "p, .tile, .bar, .flow, .chart, table, td")
    assert all(right <= left + 680 for _, right in inside)
    two_page.ask("() => dispatchEvent(new Event('afterprint'))")
    assert page.locator("details:not([open])").count() > 0
    page.emulate_media(media="screen", color_scheme="light")
    assert page.locator(".system:visible").count() == 1
    assert page.locator(".choose:visible").count() == 1


def edges(seen: Seen, query: str) -> list[tuple[float, float]]:
    """Where elements begin and end, from left to right."""
    script = """query => [...document.querySelectorAll(query)].map(one => {
      const box = one.getBoundingClientRect(); return [box.left, box.right]; })"""
    return cast(list[tuple[float, float]], seen.ask(script, query))


def test_true_clusters_are_drawn_by_their_best_guess(town_page: Seen) -> None:
    told = told_of_town()
    chart = town_page.page.locator(".system .chart")
    many = told.summary.truth_clusters - told.summary.exact
    assert chart.locator("figcaption").inner_text() == (
        f"{many} true clusters in conflict, each by its best guess."
    )
    said = chart.locator(".across, .up").all_text_contents()
    assert sorted(said) == [
        "precision: share of that guess", "recall: share of the true cluster in its best guess",
    ]  # fmt: skip
    dots = chart.locator("path.dot").all()
    titles = [dot.locator("title").text_content() or "" for dot in dots]
    clusters = sum(int(title.split()[0].replace(",", "")) for title in titles)
    assert clusters == told.summary.truth_clusters
    for dot, title in zip(dots, titles, strict=True):
        precision, recall = map(float, re.findall(r"(?:precision|recall) ([\d.]+)", title))
        x, y = map(float, re.findall(r"[\d.]+", dot.get_attribute("d") or "")[:2])
        assert (x, 1000 - y) == pytest.approx((1000 * recall, 1000 * precision), abs=0.2)


def test_nothing_is_wider_than_the_window(show: Show) -> None:
    long, words = "a_long_name_without_a_blank_" * 3, "many words that go on and on " * 3
    truth = {f"{long}{i}": f"{long}{i // 4}" for i in range(40)}
    guess = {id: f"{words}{(i + (i % 7 == 0)) // 5}" for i, id in enumerate(truth)}
    seen = show(cd.page(truth, {long: guess, words: truth}, title=long))
    page = seen.page
    answer(seen, f"{long}7")
    for width in (1280, 390):
        page.set_viewport_size({"width": width, "height": 900})
        page.wait_for_timeout(50)
        assert seen.ask("() => document.documentElement.scrollWidth") <= width
        for left, right in edges(seen, ".flow, .tile, .bar, summary, .chart, .object, input"):
            assert 0 <= left <= right <= width


@pytest.mark.parametrize("guesses", [2, 5])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_scores_of_every_guess_are_seen_at_any_width(
    show: Show, guesses: int, scheme: Literal["light", "dark"]
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
    page.wait_for_selector(f".folded {table}", state="detached")
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
def test_a_page_of_a_hundred_thousand_clusters(show: Show) -> None:
    pandas = pytest.importorskip("pandas")
    rng = np.random.default_rng(1)
    sizes = rng.choice([1, 2, 3, 4, 6, 10], 100_000, p=[0.4, 0.25, 0.15, 0.1, 0.06, 0.04])
    truth = np.repeat(np.arange(sizes.size), sizes)
    wrong = (rng.random(sizes.size) < 0.3)[truth]
    guess = np.where(wrong, truth + sizes.size * rng.integers(0, 2, truth.size), truth)
    ids = [f"r{i}" for i in range(truth.size)]
    frame = pandas.DataFrame({"id": ids, "truth": truth, "guess": guess})
    for i in range(4):
        frame[f"field{i}"] = [f"value {n}" for n in rng.integers(0, 20_000, truth.size)]
    began = time.perf_counter()
    columns = {"id": "id", "truth": "truth", "guess": "guess"}
    page = cd.page(frame, **columns)
    made = time.perf_counter() - began
    assert 2_000_000 < len(page.html.encode()) <= 3_000_000
    began = time.perf_counter()
    seen = show(page)
    opened = time.perf_counter() - began
    held, every = parts_of(page.html), cd.explain(frame, **columns).order.size
    print(f"made in {made:.1f} s, {len(page.html) / 1e6:.1f} MB, open in {opened:.1f} s")
    assert opened < 5
    notes = "\n".join(seen.texts(".note"))
    assert (
        f"The {len(held):,} components that lose most can be searched here, of {every:,}" in notes
    )
    assert re.search(r"The 500 true clusters in conflict that cost most, of [\d,]+", notes)
    assert re.search(r"Of [\d,]+ objects, the [\d,]+ of the [\d,]+ worst components", notes)
    id = objects_of(page.html)["ids"][0]
    at = ids.index(id)
    same, together = truth == truth[at], guess == guess[at]
    said = answer(seen, id)
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
    lacking = {"missing in guess", "not in truth"}
    key = " ".join(seen.texts("header .key span"))
    assert all(word in key for word in lacking)
    assert "2 objects only in truth, 2 only in guess" in " ".join(seen.texts("pre.head")[0].split())
    row = seen.page.locator("#scores-table tbody tr", has_text="elm_recall")
    expected = float(cd.compare(truth, guess, "elm_recall", align="penalise")["elm_recall"])
    assert row.locator("td").all_text_contents()[0].startswith(f"{expected:.4f}")
    # the other guess is the truth itself
    assert seen.texts("[data-system='1'] > p")[:1] == [
        "Nothing differs. Truth and guess are the same clustering: 5 clusters, 7 objects."
    ]
    assert seen.texts("[data-system='1'] h2") == ["Nothing to fix in same"]
    assert seen.page.locator("[data-system='1'] :is(details, .chart)").count() == 0
    assert seen.messages == []


@pytest.mark.parametrize(
    ("truth", "said"),
    [
        ({"only": 1}, "1 cluster, 1 object."),
        ({i: i for i in range(7)}, "7 clusters, 7 objects."),
        (TRUTH, "5 clusters, 12 objects."),
    ],
    ids=["one object", "singletons", "alike"],
)
def test_clusterings_that_are_the_same_have_nothing_to_fix(truth: Labels, said: str) -> None:
    html = cd.page(truth, truth).html
    assert verdict_of(html) == f"Nothing differs. Truth and guess are the same clustering: {said}"
    assert "Nothing to fix" in html
    assert "it has no interval, because" in html
    assert '<details class="part"' not in html
    assert parts_of(html) == []
    assert len(objects_of(html)["ids"]) == len(truth)


def test_singletons_against_one_cluster_are_said_as_they_are() -> None:
    html = cd.page(list(range(30)), [0] * 30).html
    assert verdict_of(html) == (
        "None of 30 true clusters was found exactly and 30 were merged with others. Of the links "
        "made, 0 % are right; none was needed."
    )
    assert "1 component where truth and guess differ." in html
    assert "no interval" in html


def test_covers_and_soft_clusterings_have_parts_too(show: Show) -> None:
    truth = cd.Cover({1: ["a"], 2: ["a", "b"], 3: ["b"], 4: ["c"]})
    guess = cd.Cover({1: ["x"], 2: ["x"], 3: ["y"], 4: ["z"]})
    seen = show(cd.page(truth, guess))
    told: Any = cd.explain(truth, guess)
    assert seen.texts(".verdict")[0].replace("\u00a0", " ") == (
        "2 of 3 true clusters were found exactly (67 %)."
    )
    titles = [part.lines(20)[0] for part in told.top()]
    assert seen.texts(".system > .list .title") == titles
    assert found(seen, "lost b") == "1 of 2"
    assert rows_of(seen, 0) == [row[0] for row in told.cluster_table().rows]
    soft = cd.Fuzzy({1: {"a": 0.7, "b": 0.3}, 2: {"a": 1.0}, 3: {"b": 1.0}})
    hard = {1: "b", 2: "a", 3: "b"}
    seen = show(cd.page(hard, soft))
    told = cd.explain(hard, soft)
    assert seen.texts(".system > .list .title") == [part.lines(20)[0] for part in told.top()]
    assert seen.messages == []


def test_noise_is_taken_as_compare_takes_it() -> None:
    truth, guess = [1, 1, 1, 2, 2, 3], [1, 1, -1, 2, -1, -1]
    html = cd.page(truth, guess, noise=-1).html
    report = cd.compare(truth, guess, noise=-1)
    for name in report:
        cell = re.search(rf'<code>{name}</code></th><td class="number"[^>]*>([\d.]+)', html)
        assert cell is not None
        assert cell[1] == f"{float(report[name]):.4f}"
    objects = objects_of(html)
    assert objects["guess"] == [0, 0, 1, 2, 3, 4]
    assert objects["guessNames"] == ["1", "-1", "2", "-1", "-1"]


def test_names_and_titles_hold_no_control_characters(tmp_path: Path) -> None:
    guesses = {"a\x00\x1b": MONDAY, "\udc80": TUESDAY}
    page = cd.page(TRUTH, guesses, title="t\x00\udc80")
    page.save(tmp_path / "page.html")
    assert not set("\x00\x1b\udc80") & set(page.html)


def test_objects_of_smaller_components_fit_where_the_worst_does_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(parts, "OBJECTS", 5)
    html = cd.page([0] * 6 + [1, 1], [0, 0, 0, 1, 1, 1, 2, 3]).html
    assert "the 2 of the 1 " in html


def test_samples_that_do_not_fit_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pages, "SAMPLES", 1)
    _, truth, guess = in_samples()
    html = cd.page(truth, guess, samples="doc").html
    assert "The 1 samples with the worst scores, of 2." in html


def test_no_error_is_shown_where_all_clusters_score_alike() -> None:
    html = cd.page([0, 0, 0, 1, 1, 1], [1, 0, 0, 0, 1, 1]).html
    assert not re.search(r"± [\d.]+e-1\d", html)
