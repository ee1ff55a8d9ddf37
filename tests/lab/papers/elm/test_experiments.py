"""The experiments of the ELM paper: streams, the constrained clustering, tables and pictures."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from io import BytesIO, TextIOWrapper
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from clusterdiff.contingency import Policy
from clusterdiff.errors import ClusterdiffError
from clusterdiff_lab.papers.elm import fixed, streams
from clusterdiff_lab.papers.elm import reading as pages_read
from clusterdiff_lab.papers.elm.streams import Streams, python_streams, read_streams
from clusterdiff_lab.papers.experiments import Outcome, Setting
from oracles import segments as oracle
from refusals import refuses
from streams import EXTREMES, STREAMS

ALL = {
    "extremes": fixed.run_extremes,
    "sizes": fixed.run_sizes,
    "densities": fixed.run_densities,
    "hierarchical": pages_read.run_hierarchical,
    "difference": pages_read.run_difference,
}
READ = """\
stream,page,document,text
s,10,b,12345 23456 34567
t,1,x,whoever it may be
s,9,b,12345 23456 3456
s,2,a,to be or not to be
s,1,a,"not to be, or to be"
t,2,x,
"""
"""Pages in no order; the last has no text."""


@pytest.fixture
def write(tmp_path: Path) -> Callable[[str], str]:
    def written(text: str, name: str = "streams.csv") -> str:
        (tmp_path / name).write_text(text)
        return str(tmp_path / name)

    return written


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Five streams are made in place of 75."""
    monkeypatch.setattr(streams, "python_streams", lambda seed: python_streams(seed, 5))


# Streams of documentation strings


@pytest.fixture
def library(tmp_path: Path) -> Path:
    """A standard library with few modules, tests, and others beside it."""
    files = {
        "abc.py": '"""First."""\nclass A:\n    """Second."""\n    if 1:\n        def f(self):\n'
        '            "Third."\n        x = "no docstring"\nasync def g():\n    """Fourth."""\n',
        "json/__init__.py": '"""A package."""',
        "json/tool.py": '"""' + "Nine lines.\n\n" * 9 + '"""',
        "json/tests/more.py": '"""A test."""',
        "json/broken.py": "def (",
        "string.py": "nothing = 1\n",
        "idlelib/run.py": '"""A program."""',
        "site-packages/json.py": '"""Of others."""',
        "ours.py": '"""Of others."""',
    }
    for name, text in files.items():
        path = tmp_path / "lib" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path / "lib"


def test_a_module_is_its_documentation_strings_in_order(library: Path) -> None:
    found = streams.modules(library)
    assert found == {
        "abc": ("First.\nSecond.\nThird.\nFourth.",),
        "json": ("A package.",),
        "json.tool": ("\n".join(["Nine lines."] * 8), "Nine lines."),
    }
    assert list(found) == sorted(found)


def test_the_order_of_files_does_not_matter(library: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    straight = list(streams.modules.__wrapped__(library).items())
    listed = Path.rglob

    def backwards(self: Path, pattern: str) -> Iterator[Path]:
        return iter(sorted(listed(self, pattern), reverse=True))

    monkeypatch.setattr(Path, "rglob", backwards)
    assert list(streams.modules.__wrapped__(library).items()) == straight


def test_a_python_without_sources_says_so(tmp_path: Path) -> None:
    error = refuses("no source files of Python's", streams.modules, tmp_path)
    assert "--data FILE" in error.hint


def test_streams_are_the_same_again_and_others_for_another_seed() -> None:
    once, again, other = (streams.streams_of(seed, 10) for seed in (0, 0, 1))
    assert once == again
    assert once != other
    many = [sorted(len(stream.modules) for stream in of) for of in (once, other)]
    assert many[0] == many[1] == streams.documents_of(10)
    for stream in (*once, *other):
        assert len(set(stream.modules)) == len(stream.modules)


def test_streams_resemble_those_of_the_paper() -> None:
    found = python_streams(0)
    assert len(found.names) == 75
    assert 2_400 <= found.holds.documents <= 2_600
    assert 5 <= found.holds.pages / found.holds.documents <= 12
    assert np.median([of.size for of in found.lengths_by_stream]) == 17
    assert not found.scattered
    assert len(found.texts) == found.holds.pages
    assert all(text.strip() and text.count("\n") < streams.LINES for text in found.texts)
    check(found)


def check(found: Streams) -> None:
    """What is true of all streams."""
    assert (np.diff(found.stream) >= 0).all()
    assert set(found.stream.tolist()) == set(range(len(found.names)))
    assert set(found.document.tolist()) == set(range(found.holds.documents))
    homes = set(zip(found.document.tolist(), found.stream.tolist(), strict=True))
    assert len(homes) == found.holds.documents
    assert found.edges.tolist() == [0, *np.cumsum(np.bincount(found.stream)).tolist()]
    for number, lengths in enumerate(found.lengths_by_stream):
        inside = found.document[found.stream == number]
        assert sorted(lengths.tolist()) == sorted(np.bincount(inside)[np.unique(inside)].tolist())
    for size in (1, 2, 7):
        cut = found.every(size)
        assert np.bincount(np.unique(cut, return_inverse=True)[1]).max() <= size
        same = cut[1:] == cut[:-1]
        assert (found.stream[1:][same] == found.stream[:-1][same]).all()
    assert (np.unique(found.every(1)).size, found.alone.size) == (found.holds.pages,) * 2
    assert np.array_equal(found.every(10**9) // 1, found.every(10**8))


# Streams of a file


def test_pages_are_put_in_order_with_their_texts(write: Callable[..., str]) -> None:
    found = read_streams(Setting(data=write(READ)), text=True)
    assert found.names == ("s", "t")
    assert found.stream.tolist() == [0, 0, 0, 0, 1, 1]
    assert found.document.tolist() == [0, 0, 1, 1, 2, 2]
    assert found.texts == (
        "not to be, or to be",
        "to be or not to be",
        "12345 23456 3456",
        "12345 23456 34567",
        "whoever it may be",
        "",
    )
    check(found)


def test_standard_input_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", TextIOWrapper(BytesIO(READ.encode())))
    found = read_streams(Setting(data="-"), text=True)
    assert (found.name, len(found.texts)) == ("standard input", 6)


def test_numbers_within_names_of_pages_are_numbers(write: Callable[..., str]) -> None:
    rows = "".join(f"s,p{page},d{page > 9},{page}\n" for page in (10, 9, 100, 1))
    found = read_streams(Setting(data=write(f"stream,page,document,text\n{rows}")), text=True)
    assert found.texts == ("1", "9", "10", "100")


def test_parquet_other_names_and_no_ids(write: Callable[..., str], tmp_path: Path) -> None:
    import duckdb

    plain = write(READ)
    straight = read_streams(Setting(data=plain), text=True)
    other = str(tmp_path / "other.parquet")
    with duckdb.connect() as connection:
        connection.execute(
            f"COPY (SELECT stream a, page b, document c, text d FROM '{plain}') TO '{other}'"
        )
    columns = {"sample": "a", "id": "b", "cluster": "c", "text": "d"}
    found = read_streams(Setting(data=other, columns=columns), text=True)
    assert found.texts == straight.texts
    assert found.document.tolist() == straight.document.tolist()
    named = read_streams(Setting(data=f"{other}::c", columns=columns | {"cluster": "x"}))
    assert (named.document.tolist(), named.texts) == (straight.document.tolist(), ())
    rows = read_streams(Setting(data=plain, columns={"id": ""}), text=True)
    assert rows.texts[:2] == ("12345 23456 34567", "12345 23456 3456")
    assert rows.document.tolist() == [0, 0, 1, 1, 2, 2]


def test_noise_is_a_document_each_or_left_out(write: Callable[..., str]) -> None:
    path = write("stream,page,document\ns,1,0\ns,2,0\ns,3,1\nt,1,0\n")
    alone = read_streams(Setting(data=path, policy=Policy(noise=[0])))
    assert alone.document.tolist() == [0, 1, 2, 3]
    kept = read_streams(Setting(data=path, policy=Policy(noise=[0], noise_as="drop")))
    assert (kept.names, kept.document.tolist()) == (("s",), [0])
    table = fixed.run_extremes(Setting(data=path, policy=Policy(noise=[0]))).exhibits[0].records
    assert {one["mean"] for one in table if one["guess"] == "all singletons"} == {1.0}


@pytest.mark.parametrize(
    ("text", "why", "hint"),
    [
        ("stream,page,document\n", "has no rows", "one row per object"),
        ("s,p,d\na,1,x\n", "no column 'page'", "--id"),
        (STREAMS, "has no column 'text'; it has stream, page, document", "--text"),
        (READ + "s,1,b,more\n", "page 1 of stream s is in document a and in document b", "--no-id"),
        (READ + "s,1,a,more\n", "page 1 of stream s has two different texts", "one row"),
        (READ + ",1,a,more\n", "1 of 7 objects have no sample", "sample for each"),
        (READ + "s,11,,more\n", "1 of 7 labels in the documents is null", "noise"),
    ],
)
def test_files_that_are_no_streams_of_text(
    write: Callable[..., str], text: str, why: str, hint: str
) -> None:
    error = refuses(None, pages_read.run_hierarchical, Setting(data=write(text)))
    assert why in error.message
    assert hint in (error.at_prompt())


def test_files_without_streams(write: Callable[..., str]) -> None:
    with pytest.raises(ClusterdiffError, match="does not say which stream a page is in"):
        pages_read.run_difference(Setting(data=write("a\na\nb\n", "pages.labels")))
    refuses("File not found: nowhere.csv", fixed.run_extremes, Setting(data="nowhere.csv"))
    noise = Policy(noise=["a", "b"], noise_as="drop")
    with pytest.raises(ClusterdiffError, match="after the noise is dropped"):
        fixed.run_extremes(Setting(data=write(STREAMS), policy=noise))


def test_documents_that_are_not_consecutive_are_told(write: Callable[..., str]) -> None:
    output = fixed.run_extremes(Setting(data=write(STREAMS + "s,4,a\n"))).notes[0]
    assert "1 document has pages of others between" in output


# The constrained clustering


def matrix(pages: int, most: int, random: Random) -> list[list[int]]:
    found = [[0] * pages for _ in range(pages)]
    for i in range(pages):
        for j in range(i):
            found[i][j] = found[j][i] = random.randint(0, most)
    return found


@pytest.mark.parametrize("reading", ["below", "itself", "lower"])
@pytest.mark.parametrize("linkage", ["average", "single", "complete"])
def test_clusters_are_those_of_the_definition(linkage: Any, reading: Any) -> None:
    """Few different distances, so that many are equal and many are 0; and many."""
    random = Random(0)
    seen = set()
    for _ in range(120):
        given = matrix(random.randint(1, 9), random.choice([1, 2, 5, 100]), random)
        merges = pages_read.dendrogram(np.array(given, float), linkage)
        root = oracle.tree(given, linkage)
        assert sorted(merges[:, 2]) == pytest.approx(sorted(map(float, distances_in(root))))
        found = pages_read.clusters(merges, reading).tolist()
        stretches = oracle.segments(given, linkage, reading)
        expected = [k for k, stretch in enumerate(stretches) for _ in stretch]
        assert len(found) == len(given)
        first = {label: k for k, label in enumerate(dict.fromkeys(found))}
        assert [first[label] for label in found] == expected
        seen.add(len(stretches))
    assert len(seen) > 2


def distances_in(root: oracle.Node) -> list[Any]:
    return [one.distance for one in root.merges()]


def test_average_linkage_is_over_all_pairs_of_pages() -> None:
    far = np.array([[0, 1, 9], [1, 0, 2], [9, 2, 0]], float)
    assert pages_read.dendrogram(far)[1, 2] == 5.5


def test_distances_of_pages_are_those_of_the_definition() -> None:
    texts = ["To be", "to be, to be", "", "x", "ÄÖ 𝄞𝄞", "to be, to be", "\udc80ab", "bebebebe"]
    found = pages_read.distances(texts)
    expected = [[oracle.cosine_distance(one, other) for other in texts] for one in texts]
    assert found == pytest.approx(np.array(expected), abs=1e-12)
    assert (found == found.T).all()
    assert found[1, 5] == found[2, 3] == 0
    assert found[0, 2] == 1


def test_a_stream_of_one_page_and_one_without_text() -> None:
    assert pages_read.segments(["alone"]).tolist() == [1]
    assert pages_read.segments(["", "", ""]).tolist() == [1, 1, 1]


def test_a_stream_that_is_too_long_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pages_read, "MOST", 2)
    refuses("a stream has 3 pages", pages_read.segments, ["a", "b", "c"])


def test_long_streams_are_done_in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [f"page {i * i}" for i in range(9)]
    whole = pages_read.distances(texts)
    monkeypatch.setattr(pages_read, "BLOCK", 2)
    assert (pages_read.distances(texts) == whole).all()


# Tables


@pytest.mark.parametrize("more", ["", "t,2,b\n"], ids=["once", "a page twice"])
def test_extremes_of_a_file(write: Callable[..., str], more: str) -> None:
    outcome = fixed.run_extremes(Setting(data=write(STREAMS + more)))
    lines, holding = (one.records for one in outcome.exhibits)
    found = {(one["guess"], one["measure"]): (one["mean"], one["std"]) for one in lines}
    assert found.keys() == EXTREMES.keys()
    for key, expected in EXTREMES.items():
        assert found[key] == pytest.approx(expected, abs=1e-12), key
    assert [one["here"] for one in holding] == [2, 5, 4, 1.25, 1, 2, 2]
    printed = {(one["guess"], one["measure"]): one for one in lines}
    assert printed["all singletons", "elm_recall"]["printed_mean"] == "0.10"
    assert printed["all in one cluster", "bcubed_f"]["printed_std"] == "0.28"
    output = " ".join(outcome.notes)
    assert "2 streams with 5 pages in 4 documents." in output
    assert "The paper has 75 streams with 20,618 pages in 2,508 documents" in output
    assert "it prints 33 and 17 as mean and median cluster size" in output
    assert "0.6667, is the share of pages" in output
    assert "of which there are 0.7500 here" in output


def test_as_many_pages_as_in_the_paper_can_be_compared(write: Callable[..., str]) -> None:
    """33 or 34 documents in each stream, of 8 or 9 pages."""
    rows, page = ["stream,page,document"], 0
    for document in range(2_508):
        for _ in range(8 + (document < 20_618 - 8 * 2_508)):
            rows.append(f"{document % 75},{page},{document}")
            page += 1
    outcome = fixed.run_extremes(Setting(data=write("\n".join(rows) + "\n")))
    assert "can be held against the printed ones: 4 of 12 means are the same" in outcome.notes[0]
    assert (
        "A document has 8.2 pages on average (median 8), a stream 33.4 documents."
        in (outcome.notes[1])
    )


def test_sizes_of_a_file(write: Callable[..., str]) -> None:
    """Two pages at a time: aa|b and ab, of which the first is right."""
    lines = fixed.run_sizes(Setting(data=write(STREAMS))).exhibits[0].records
    assert [one["pages"] for one in lines] == list(range(1, 16))
    alone = {key: mean for (guess, key), (mean, _) in EXTREMES.items() if guess[4] == "s"}
    assert {key: lines[0][key] for key in alone} == pytest.approx(alone)
    assert lines[1]["bcubed_precision"] == pytest.approx(3 / 4)
    assert lines[1]["elm_precision"] == pytest.approx(1 / 2)
    assert lines[1]["bcubed_f"] == pytest.approx((1 + 2 / 3) / 2)
    assert lines[1]["difference_f"] == pytest.approx((0 + 2 / 3) / 2)
    assert lines[14]["difference_recall"] == 0


def test_the_clustering_of_a_file(write: Callable[..., str]) -> None:
    path = write(READ)
    outcome = pages_read.run_hierarchical(Setting(data=path))
    lines = {one["measure"]: one for one in outcome.exhibits[0].records}
    assert lines["elm_f"]["printed_mean"] == "0.44"
    assert lines["bcubed_f"]["mean"] == 1.0
    by = {(one["linkage"], one["held_against"]): one for one in outcome.exhibits[1].records}
    assert len(by) == 9
    assert by["average", "all below"]["clusters"] == 3
    assert "all merges are kept: 3 clusters where there are 3 documents." in outcome.notes[1]
    assert "here N = 2" in outcome.notes[0]
    each = pages_read.run_difference(Setting(data=path)).besides[0].records
    assert [(one["stream"], one["mean_pages"], one["difference"]) for one in each] == [
        ("s", 2.0, 0.0),
        ("t", 2.0, 0.0),
    ]


def test_what_is_proved_is_seen_to(
    write: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """With ELM called BCubed and the other way round, ELM is above."""
    swapped = {"bcubed": "elm", "elm": "bcubed"}
    right = streams.Scores.each

    def wrong(self: streams.Scores, measure: str) -> Any:
        family, _, part = measure.partition("_")
        return right(self, f"{swapped[family]}_{part}")

    monkeypatch.setattr(streams.Scores, "each", wrong)
    refuses("above BCubed's, which cannot be", fixed.run_extremes, Setting(data=write(STREAMS)))


def test_ranks_that_correlate() -> None:
    x = np.array([1.0, 2.0, 3.0, 4.0])
    assert streams.spearman(x, x**3) == pytest.approx(1)
    assert streams.spearman(x, np.array([4.0, 3.0, 3.0, 1.0])) == pytest.approx(-0.948683298)
    assert streams.spearman(x, np.ones(4)) is None
    assert streams.spearman(x[:1], x[:1]) is None


# All of them


@pytest.mark.usefixtures("few")
@pytest.mark.parametrize("name", ALL)
def test_outcomes_of_made_streams(name: str) -> None:
    outcome = ALL[name](Setting())
    assert max(map(len, outcome.to_text(80).splitlines())) <= 80
    output = json.loads(outcome.to_json())
    assert output["notes"][0].startswith("Documentation strings of Python 3.")
    assert "5 streams with" in output["notes"][0]
    assert [table.name for table in outcome.tables] == list(output["tables"])
    for table in outcome.tables:
        assert table.name.startswith(name)
        assert len({tuple(record) for record in table.records}) == 1
    for picture in outcome.pictures:
        assert picture.name.startswith(name)
        look_at(picture.draw())
    assert ALL[name](Setting()).to_json() == outcome.to_json()
    assert ALL[name](Setting(seed=1)).to_json() != outcome.to_json()


def look_at(figure: Any) -> None:
    """Axes are named, and lines are told apart without their colours."""
    assert figure.layout.xaxis.title.text
    assert figure.layout.yaxis.title.text
    named = [one for one in figure.data if one.showlegend is not False]
    assert named
    assert all(one.name for one in named)
    assert len({one.name for one in named}) == len(named)
    assert figure.layout.showlegend is not False
    looks = {(one.line.dash, one.marker.symbol) for one in named}
    assert len(looks) == len(named)
    for one in figure.data:
        assert len(one.x) == len(one.y) > 0
        assert np.isfinite(np.array([one.x, one.y], float)).all()


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize(
    "rows", ["s,1,a,x\n", "s,1,a,x\nt,1,a,x\n", "s,1,a,xy\ns,2,a,xy\nt,1,b,\nt,2,b,\n"]
)
def test_streams_that_are_all_alike(write: Callable[..., str], name: str, rows: str) -> None:
    outcome: Outcome = ALL[name](Setting(data=write(f"stream,page,document,text\n{rows}")))
    json.loads(outcome.to_json())
    outcome.to_text(80)
    for one in outcome.pictures:
        look_at(one.draw())


@pytest.mark.usefixtures("few")
def test_densities_are_densities() -> None:
    curves = fixed.run_densities(Setting()).besides[0].records
    by: dict[tuple[str, str], list[float]] = {}
    for one in curves:
        by.setdefault((one["guess"], one["measure"]), []).append(one["density"])
    assert ("all singletons", "elm_precision") not in by
    assert by["all singletons", "elm_recall"] == by["all singletons", "elm_f"]
    for values in by.values():
        assert len(values) == fixed.AT.size
        assert 0.5 < float(np.mean(values)) < 1.05


@pytest.mark.usefixtures("few")
def test_measures_that_agree_share_a_line() -> None:
    alone, together = (one.draw() for one in fixed.run_densities(Setting()).pictures)
    assert [one.name for one in alone.data] == [
        "both P = 1",
        "BCubed R",
        "BCubed F1",
        "ELM R = ELM F1",
    ]
    assert [one.name for one in together.data] == [
        "BCubed P",
        "both R = 1",
        "BCubed F1",
        "ELM P",
        "ELM F1",
    ]
