"""The pictures of the README and the docs: `make pictures` draws them into docs/assets.

They show the persons of `clusterdiff demo --data people` and what two matchers made of them. Scored
pairs of records, runs with several seeds and releases of several months are drawn with a seed.
Needs Chromium.
"""

from __future__ import annotations

import shutil
from io import BytesIO
from itertools import pairwise
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from threading import Thread
from typing import Any

from PIL import Image
from playwright.sync_api import Browser, sync_playwright

import clusterdiff as cd
from clusterdiff.browse.review import Review
from clusterdiff.browse.server import Browser as Pages
from clusterdiff.browse.server import listening, serve
from clusterdiff.demo import COLUMNS, people, to_csv

ASSETS = Path(__file__).parent / "assets"
WIDTH = 760
MEASURES = (
    "elm_precision", "elm_recall", "elm_f", "bcubed_f", "pair_f", "adjusted_rand", "nmi",
    "vi_distance", "exact_f",
)  # fmt: skip
TITLE = "Two matchers of persons"
Labels = dict[str, Any]


def matched(truth: Labels, draw: Random, alone: float, taken: float) -> Labels:
    """What a matcher makes of them: some records are left alone, some persons are taken for one."""
    persons = dict.fromkeys(truth.values())
    found = {person: f"c{number}" for number, person in enumerate(persons)}
    for one, other in pairwise(persons):
        if draw.random() < taken:
            found[other] = found[one]
    return {
        record: record if draw.random() < alone else found[person]
        for record, person in truth.items()
    }


def scored(truth: Labels, draw: Random) -> list[tuple[str, str, float]]:
    """Pairs of records with a score: high where they belong together, mostly."""
    records, pairs = list(truth), []
    for at, one in enumerate(records):
        for other in records[at + 1 : at + 7]:
            score = draw.gauss(0.72 if truth[one] == truth[other] else 0.3, 0.14)
            pairs.append((one, other, round(min(1.0, max(0.0, score)), 3)))
    return pairs


def figures(truth: Labels, guesses: dict[str, Labels]) -> dict[str, Any]:
    """The plots, by the names of their files."""
    report = cd.compare(truth, guesses, MEASURES, confidence=0.95)
    runs = {
        f"seed {seed}": matched(truth, Random(seed), 0.05 + 0.04 * (seed % 3), 0.04 * (seed % 2))
        for seed in range(8)
    }
    shares = {"January": (0.05, 0.08), "February": (0.02, 0.06), "March": (0.01, 0.02)}
    months = {
        name: matched(truth, Random(alone), alone, taken) for name, (alone, taken) in shares.items()
    }
    return {
        "explain": cd.plot.alluvial(truth, guesses["new"], top=4),
        "scores": cd.plot.scores(report),
        "sweep": cd.plot.sweep(truth, scored(truth, Random(0)), "elm_f"),
        "matrix": cd.plot.matrix(runs),
        "track": cd.plot.track(months, top=4),
    }


def page(browser: Browser) -> None:
    """The page of `clusterdiff report`: its beginning, and beside it what to fix first."""
    with TemporaryDirectory() as folder:
        table, written = Path(folder) / "people.csv", Path(folder) / "page.html"
        table.write_text(to_csv(), encoding="utf-8")
        guesses = {name: f"{table}::{name}" for name in ("old", "new")}
        cd.page(f"{table}::person", guesses, title=TITLE).save(written)
        for scheme, ending in (("light", ""), ("dark", "-dark")):
            shown = browser.new_page(
                viewport={"width": 840, "height": 650}, color_scheme=scheme, device_scale_factor=1.5
            )
            shown.goto(written.as_uri())
            first = shown.screenshot()
            shown.get_by_role("heading", name="Fix these first").first.evaluate(
                "heading => scrollTo(0, heading.getBoundingClientRect().top + scrollY - 20)"
            )
            second = shown.screenshot()
            left, right = (Image.open(BytesIO(shot)).convert("RGB") for shot in (first, second))
            both = Image.new("RGB", (left.width + right.width, left.height))
            both.paste(left)
            both.paste(right, (left.width, 0))
            few = both.quantize(128, dither=Image.Dither.NONE)
            few.save(ASSETS / f"report{ending}.png", optimize=True)


def review(browser: Browser) -> None:
    """A part in the browser of `clusterdiff browse`, in the middle of a review."""
    with TemporaryDirectory() as folder, listening(0) as listener:
        table = Path(folder) / "people.csv"
        table.write_text(to_csv(), encoding="utf-8")
        told = cd.explain(
            f"{table}::person", f"{table}::new",
            show="given_name,surname,date_of_birth,suburb",
        )  # fmt: skip
        names = "people.csv::person", "people.csv::new"
        with Review.opened(told, names, Path(folder) / "decisions.jsonl", "kim") as made:
            for rank, verdict in ((1, "run"), (2, "run"), (3, "both"), (4, "truth")):
                made.decide(made.index.keys[rank - 1], verdict, "", "truth", {})
            port = listener.getsockname()[1]
            app = Pages(made, " and ".join(names)).app(port, "drawing")
            Thread(target=serve, args=(app, listener), daemon=True).start()
            for scheme, ending in (("light", ""), ("dark", "-dark")):
                shown = browser.new_page(
                    viewport={"width": 1120, "height": 640}, color_scheme=scheme,
                    device_scale_factor=1.5,
                )  # fmt: skip
                shown.goto(f"http://127.0.0.1:{port}/?token=drawing")
                shown.wait_for_timeout(800)
                shot = Image.open(BytesIO(shown.screenshot())).convert("RGB")
                few = shot.quantize(160, dither=Image.Dither.NONE)
                few.save(ASSETS / f"browse{ending}.png", optimize=True)


def main() -> None:
    """Draw all."""
    table = [dict(zip(COLUMNS, row, strict=True)) for row in people()]
    truth, old, new = (
        {row["id"]: row[column] for row in table} for column in ("person", "old", "new")
    )
    for name, figure in figures(truth, {"old": old, "new": new}).items():
        cd.plot.save(figure, ASSETS / f"{name}.svg", width=WIDTH)
    found = next(filter(None, map(shutil.which, ("chromium", "google-chrome", "chromium-browser"))))
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=["--no-sandbox"])
        page(browser)
        review(browser)
        browser.close()


if __name__ == "__main__":
    main()
