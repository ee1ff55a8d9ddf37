"""Five releases of PatentsView's inventors: ids kept, events that add up, on every engine."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import polars as pl
import pytest

import clusterdiff as cd
from cli.runner import run

DATA = Path(__file__).parents[3] / "shared" / "data"
FILE = DATA / "patentsview_inventors.parquet"

pytestmark = pytest.mark.skipif(not FILE.exists(), reason="the data is not here")


@pytest.fixture(scope="module")
def frame() -> pl.DataFrame:
    found = pl.read_parquet(FILE)
    return found.select(sorted(name for name in found.columns if name.startswith("pred_")))


@pytest.fixture(scope="module")
def story(frame: pl.DataFrame) -> cd.Tracking:
    return cd.track(frame, noise=-1)


def test_as_many_objects_as_possible_keep_their_id(frame: pl.DataFrame, story: cd.Tracking) -> None:
    shares = []
    for old, new in pairwise(frame.columns):
        done = cd.relabel(frame[old], frame[new], noise=-1)
        shares.append(done.share)
        both = frame.filter((pl.col(old) >= 0) & (pl.col(new) >= 0))
        assert done.share == pytest.approx(cd.accuracy(both[old], both[new]), abs=1e-15)
        assert done.shared == len(both)
    assert [round(100 * share, 1) for share in shares] == [83.4, 96.0, 84.1, 94.0]
    assert [round(100 * share, 1) for share in story.kept] == [83.4, 96.0, 84.1, 94.0]


def test_events_add_up(frame: pl.DataFrame, story: cd.Tracking) -> None:
    first = {event: n for event, n in story.steps[0].counts.items() if n}
    assert first == {
        "same": 6990, "grown": 1202, "split": 685, "merged": 434, "mixed": 393, "born": 1242,
    }  # fmt: skip
    largest = max(story.steps[0].events, key=lambda one: one["olds"])
    assert (largest["event"], largest["olds"], largest["news"]) == ("mixed", 102, 205)
    for step, (old, new) in zip(story.steps, pairwise(frame.columns), strict=True):
        has_old, has_new = frame[old] >= 0, frame[new] >= 0
        assert step.objects == {
            "stayed": (has_old & has_new).sum(),
            "moved": 0,
            "gone": (has_old & ~has_new).sum(),
            "arrived": (~has_old & has_new).sum(),
        }
        assert step.found.olds.sum() == frame.filter(has_old)[old].n_unique()
        assert step.found.news.sum() == frame.filter(has_new)[new].n_unique()


def test_strays_untie_clusters(frame: pl.DataFrame, story: cd.Tracking) -> None:
    apart = cd.track(frame, noise=-1, stray=0.05)
    for plain, step in zip(story.steps, apart.steps, strict=True):
        assert step.found.kind.size > plain.found.kind.size
        assert step.found.olds.max() <= plain.found.olds.max()
        assert sum(step.objects[what] for what in ("stayed", "moved")) == plain.objects["stayed"]


@pytest.mark.slow
def test_the_same_where_the_rows_are(
    frame: pl.DataFrame, story: cd.Tracking, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("clusterdiff.io.session.NAMED", 10**12)
    table = tmp_path / "releases.parquet"
    frame.with_row_index("id").write_parquet(table)
    far = cd.track(f"{table}::pred_*", noise=-1)
    assert type(far.releases).__name__ == "TableReleases"
    assert far.to_json() == story.to_json()
    assert far.clusters == story.clusters
    out = tmp_path / "out.csv"
    first, second = frame.columns[:2]
    ran = run(
        "relabel", f"{table}::{first}", f"{table}::{second}", "--noise", "-1", "-o", str(out),
        "--fail-under", "kept=0.83",
    )  # fmt: skip
    assert ran.code == 0, ran.stderr
    assert ran.stdout.startswith("70,709 of 84,749 objects keep their id (83.4 %)")
    assert len(out.read_text().splitlines()) == 1 + len(frame)
