"""The page of real clusterings, as their people read it. Skipped where data are absent."""

from __future__ import annotations

import csv
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import clusterdiff as cd
from clusterdiff.output.table import percent
from page.browser import Seen, browser
from page.embedded import parts_of, verdict_of

DATA = Path(__file__).parents[3] / "shared" / "data"
pytestmark = pytest.mark.skipif(not DATA.exists(), reason="the data sets are not here")


@pytest.fixture(scope="module")
def chrome() -> Iterator[Any]:
    with browser() as made:
        yield made


def shown(chrome: Any, page: cd.Page, path: Path) -> Seen:
    page.save(path)
    return Seen(chrome, path)


def fits_a_phone(seen: Seen) -> None:
    seen.page.set_viewport_size({"width": 390, "height": 800})
    seen.page.wait_for_timeout(100)
    assert seen.ask("() => document.documentElement.scrollWidth") <= 390
    assert seen.messages == []


def test_people_are_found_by_their_names(chrome: Any, tmp_path: Path) -> None:
    path = DATA / "febrl3_people.csv"
    page = cd.page(f"{path}::entity", f"{path}::splink_v1")
    assert verdict_of(page.html) == (
        "1,879 of 2,000 true clusters were found exactly (94 %), 117 were split and 4 were merged "
        "with others. Of the links made, 99.9 % are right; of those needed, 94 % were made."
    )
    seen = shown(chrome, page, tmp_path / "page.html")
    first = seen.page.locator(".part").first
    assert {"wilkins", "zanke", "coolaroo"} <= set(first.locator("td").all_text_contents())
    assert {"zanke", "jervoisstreet"} <= set(first.locator("mark").all_text_contents())
    assert seen.texts("#s0-slices tbody th") == ["date_of_birth is missing"]
    with path.open() as file:
        records = list(csv.DictReader(file))
    members: dict[str, set[str]] = defaultdict(set)
    for r in records:
        members[r["entity"]].add(r["splink_v1"])
    split = {r["entity"] for r in records if r["surname"] == "wilkins"}
    split = {entity for entity in split if len(members[entity]) > 1}
    seen.page.fill(".find", "wilkins")
    titles = seen.page.locator(".results .title")
    titles.first.wait_for()
    found = set(titles.all_text_contents())
    assert {title.split()[0] for title in found if " over " in title} == split
    fits_a_phone(seen)


def test_documents_are_samples(chrome: Any, tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    table = pandas.read_csv(DATA / "coref_litbank.csv")
    table["id"] = table["start"].astype(str) + "-" + table["end"].astype(str)
    columns = {"samples": "doc", "id": "id"}
    page = cd.page(table, truth="gold", guess="same_string", show="none", **columns)
    told: Any = cd.explain(table, truth="gold", guess="same_string", show="none", **columns)
    assert len(page.html) < 1_500_000
    held = parts_of(page.html)
    assert len(held) == told.order.size
    seen = shown(chrome, page, tmp_path / "page.html")
    rows = seen.page.locator("#samples-table tbody tr")
    assert rows.count() == 100
    name = rows.first.locator("th").inner_text()
    rows.first.locator("button").click()
    many = sum(part.sample == name for part in held)
    assert seen.page.locator(".browse .found").inner_text() == f"{many} of {len(held):,}: {name}"
    assert seen.page.locator(".results .part").count() == min(many, 50)
    fits_a_phone(seen)


def test_cell_types_are_told_one_by_one(chrome: Any, tmp_path: Path) -> None:
    path = DATA / "pbmc68k_reduced_labels.csv"
    page = cd.page(f"{path}::bulk_labels", f"{path}::louvain")
    assert verdict_of(page.html) == (
        "Of 700 objects, 54 % are in the guess cluster that is matched with their true cluster, "
        "20 % are split off, 26 % are in a guess cluster of another."
    )
    seen = shown(chrome, page, tmp_path / "page.html")
    assert seen.texts(".part .title")[0].startswith("Dendritic: 49 % in 2, 15 % in 6")
    assert not any(text.startswith("100") for text in seen.texts(".part .share"))
    table = cd.contingency(f"{path}::bulk_labels", f"{path}::louvain")
    rows = seen.page.locator("table.heat tbody tr").all()
    assert len(rows) == 11
    assert tuple(rows[0].locator("th, td").all_text_contents()) == table.table().rows[0]
    fits_a_phone(seen)


def test_three_runs_of_ten_thousand_records(chrome: Any, tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    table = pandas.read_csv(DATA / "rldata10000.csv").set_index("record")
    runs = {name: table[name] for name in ("name", "name_by", "name_bm")}
    page = cd.page(table["identity"], runs)
    assert len(page.html) < 1_000_000
    report = cd.compare(table["identity"], runs, confidence=0.95)
    best = max(runs, key=lambda name: float(report["adjusted_rand"][name]))
    assert verdict_of(page.html).startswith(f"By the adjusted Rand index, {best} ")
    seen = shown(chrome, page, tmp_path / "page.html")
    for i, (name, run) in enumerate(runs.items()):
        told: Any = cd.explain(table["identity"], run)
        assert len(parts_of(page.html, i)) == told.order.size
        right = percent(told.summary.outcomes["right"] / told.summary.objects)
        assert seen.texts(".outcomes .first")[i] == f"{right} right", name
    assert seen.page.locator("#differences-table tbody tr").count() == 2
    fits_a_phone(seen)
