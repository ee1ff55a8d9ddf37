"""The index: every filter against a search over all records, on every engine."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import clusterdiff as cd
from browse.reviews import partitions, review
from clusterdiff.browse.index import Filter, Index

DATA = Path(__file__).parents[2] / ".." / "shared" / "data"


WORDS = ("id", "truth", "guess", "first", "born")


def frames(seed: int = 0) -> tuple[Any, Any]:
    truth, run = partitions(seed, 300, 90)
    rng = np.random.default_rng(seed)
    names = [f"Name{i}" for i in range(20)]
    first = [None if rng.random() < 0.1 else names[rng.integers(20)] for _ in truth]
    return (
        pl.DataFrame({"id": list(truth), "cluster": list(truth.values()), "first": first,
                      "born": [int(rng.integers(1950, 1960)) for _ in truth]}),
        pl.DataFrame({"id": list(run), "cluster": list(run.values())}),
    )  # fmt: skip


@pytest.mark.parametrize("engine", ["arrays", "duckdb"])
def test_filters_find_what_a_search_finds(tmp_path: Path, engine: str) -> None:
    truth, run = frames()
    truth.write_csv(tmp_path / "t.csv")
    run.write_csv(tmp_path / "r.csv")
    told = cd.explain(tmp_path / "t.csv", tmp_path / "r.csv", engine=engine)
    rows = told.to_frame("polars")
    parts: dict[int, list[dict[str, Any]]] = {}
    for row in rows.to_dicts():
        parts.setdefault(row["component"], []).append(row)
    with Index.opened(told) as index:
        every = sorted(parts)
        assert index.queue(Filter()).tolist() == every

        def found(test: Any) -> list[int]:
            return [rank for rank in every if test(parts[rank])]

        for kind in index.kinds:
            got = index.queue(Filter(kind=kind)).tolist()
            assert got == found(lambda p, kind=kind: p[0]["kind"] == kind)
        for least in (2, 5, 9):
            assert index.queue(Filter(least=least)).tolist() == found(
                lambda p, least=least: len(p) >= least
            )
        for name in ("o7", "t3", "g5", "nothing"):
            assert index.queue(Filter(name=name)).tolist() == found(
                lambda p, name=name: any(name in (r["id"], r["truth"], r["guess"]) for r in p)
            )
        for text in ("name7", "NAME1", "195", "o29", "%", "_"):
            assert index.queue(Filter(text=text)).tolist() == found(
                lambda p, text=text: any(
                    text.lower() in str(r[c]).lower()
                    for r in p for c in WORDS if r[c] is not None
                )
            )  # fmt: skip
        sizes = [len(parts[rank]) for rank in index.queue(Filter(order="large")).tolist()]
        assert sizes == sorted(sizes, reverse=True)
        sizes = [len(parts[rank]) for rank in index.queue(Filter(order="small")).tolist()]
        assert sizes == sorted(sizes)
        for rank in every:
            got_rows = {
                (str(r.id), r.truth_name, r.guess_name, r.values) for r in index.records(rank)
            }
            assert got_rows == {
                (r["id"], r["truth"], r["guess"],
                 (r["first"], None if r["born"] is None else str(r["born"])))
                for r in parts[rank]
            }  # fmt: skip
            (part,) = told.named_parts(told.order[rank - 1 : rank], None)
            assert index.listed([rank])[0].title == part.title
            assert index.listed([rank])[0].share == pytest.approx(part.share)
            edges = {(e.truth_name, e.guess_name, e.objects, e.fate) for e in index.edges(rank)}
            assert edges == {(c.truth.name, c.guess.name, c.objects, c.fate) for c in part.cells}


def test_comparisons_in_an_engine_have_the_same_index(tmp_path: Path) -> None:
    import duckdb

    truth, run = frames(1)
    with duckdb.connect() as connection:
        connection.register("t", truth.to_arrow())
        connection.register("r", run.to_arrow())
        tables = connection.sql("FROM t"), connection.sql("FROM r")
        told = cd.explain(*tables)
        with Index.opened(told) as one, Index.opened(cd.explain(truth, run)) as other:
            assert one.keys == other.keys
            assert one.fingerprint == other.fingerprint
            assert one.digest == other.digest
            for rank in range(1, one.parts + 1):
                names = [{(r.id, r.truth_name, r.guess_name) for r in index.records(rank)}
                         for index in (one, other)]  # fmt: skip
                assert names[0] == names[1]


def test_slices_filter_the_queue() -> None:
    people = DATA / "febrl3_people.csv"
    if not people.exists():
        pytest.skip("no shared data here")
    told = cd.explain(f"{people}::entity", f"{people}::splink_v1")
    with Index.opened(told) as index:
        assert index.slices == ["date_of_birth is missing"]
        frame = pl.read_csv(people, infer_schema=False).filter(pl.col("date_of_birth").is_null())
        lacking = set(frame["rec_id"])
        rows = told.to_frame("polars")
        wanted = sorted({r["component"] for r in rows.to_dicts() if r["id"] in lacking})
        assert index.queue(Filter(slice=0)).tolist() == wanted


def test_titles_and_records_of_names_that_are_hostile(tmp_path: Path) -> None:
    names = ["<b>x</b>", "a\nb", "x" * 100_000, "'; DROP TABLE parts; --", "\x00\x1b[31m"]
    truth = dict.fromkeys(names, "t") | {f"{name}2": name for name in names}
    run = {id: f"g{i // 2}" for i, id in enumerate(truth)}
    with review(truth, run, tmp_path / "d.jsonl") as made:
        for name in names:
            assert made.index.queue(Filter(name=name)).size >= 1
            assert made.index.queue(Filter(text=name)).size >= 1
        assert made.index.queue(Filter(name=f"{names[2]}2")).size == 1
        for key in made.index.keys:
            made.decide(key, "truth", names[0], "truth", {})
    labels = cd.decisions(tmp_path / "d.jsonl", truth).partition().labels
    fixed = dict(zip(truth, labels.tolist(), strict=True))
    assert cd.elm_f(fixed, run) == 1
