"""Udapi reads the same mentions and entities from CorefUD files."""

from __future__ import annotations

import io
from collections import defaultdict
from pathlib import Path

import pytest

import clusterdiff as cd
from inputs.test_corefud import HEADER, document, sentence
from journeys.places import DATA
from journeys.test_coreference import corefud

pytest.importorskip("udapi")
GUM = DATA / "coref_gum.parquet"
Spans = set[frozenset[tuple[int, ...]]]


def by_udapi(text: str) -> Spans:
    """Entities as sets of mentions, those as the places of their words, empty nodes left out."""
    from udapi.block.read.conllu import Conllu
    from udapi.core.document import Document

    read = Document()
    Conllu(filehandle=io.StringIO(text)).process_document(read)
    place: dict[object, int] = {}
    for node in read.nodes:
        place[node] = len(place)
    return {
        frozenset(tuple(place[w] for w in m.words if not w.is_empty()) for m in entity.mentions)
        for entity in read.coref_entities
    }


def by_us(path: Path) -> Spans:
    found = cd.read(path)
    assert found.ids is not None
    entities: dict[object, set[tuple[int, ...]]] = defaultdict(set)
    for span, entity in zip(found.ids.tolist(), found.labels.tolist(), strict=True):
        places: list[int] = []
        for run in span.split(","):
            first, last = run.split("-")
            low, high = float(first), float(last)
            places += [i for i in range(int(low), int(high) + 1) if low <= i <= high]
        entities[entity].add(tuple(places))
    return set(map(frozenset, entities.values()))


@pytest.mark.parametrize(
    "text",
    [
        sentence("(e1-x-1-", "e1)(e2-x-1-)", "(e3-x-1-(e4-x-1-)", "e3)"),
        sentence("(e1-x-1-", "(e1-x-1-", "e1)", "e1)"),
        sentence("(e1[1/2]-x-1-", "e1[1/2])", "(e2-x-1-)", "(e1[2/2]-x-1-)"),
        sentence("(e1-x-1-", "", "(e2-x-1-)", "e1)", ids=("1", "1.1", "2", "3")),
        sentence("(e1-x-1-)(e3-x-1-", "e3)") + sentence("(e2-x-1-", "e2)(e1-x-1-)"),
    ],
)
def test_marks_are_read_alike(text: str, tmp_path: Path) -> None:
    lines = HEADER + document("d", text).replace("\t_\t_\t_\t_\t_\t_\t_\t_\t", HEAD)
    (tmp_path / "x.conllu").write_text(lines)
    assert by_us(tmp_path / "x.conllu") == by_udapi(lines)


HEAD = "\tw\t_\t_\t_\t_\t0\troot\t_\t"


@pytest.mark.skipif(not GUM.exists(), reason="the data sets are not here")
def test_documents_of_gum_are_read_alike(tmp_path: Path) -> None:
    import polars as pl

    table = pl.read_parquet(GUM)
    smallest = table["doc"].value_counts().sort("count", "doc")["doc"][:5]
    for doc in smallest:
        own = table.filter(pl.col("doc") == doc)
        spans = {f"{s}-{e}": str(g) for s, e, g in own.select("start", "end", "gold").rows()}
        text = corefud(doc, spans).replace("\t_\t_\t_\t_\t_\t_\t_\t_\t", HEAD)
        (tmp_path / "x.conllu").write_text(text)
        assert by_us(tmp_path / "x.conllu") == by_udapi(text)
