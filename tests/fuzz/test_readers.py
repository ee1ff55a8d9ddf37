"""Any file is a clustering, the same to every engine, or an error in words; what is written in a
format is read back.
"""

from __future__ import annotations

import csv
import gzip
import io
import json
import tempfile
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import clusterdiff as cd

pytestmark = pytest.mark.filterwarnings("ignore::clusterdiff.ClusterdiffWarning")

KINDS = ["partition", "cover", "rough", "fuzzy", "possibilistic", "evidential"]
CONLL = """#begin document (one); part 000
one 0 0 The (0
one 0 1 cat 0)|(1)
#end document
# begin document (two)
two 0 0 It (0(1
two 0 1 is 0)|1)
#end document
"""
COREFUD = """# global.Entity = eid-etype-head
# newdoc id = one
1\tThe\t_\t_\t_\t_\t0\troot\t_\tEntity=(e1-x-2(e2[1/2])
1.1\t_\t_\t_\t_\t_\t_\t_\t_\tEntity=(e3)
2\tcat\t_\t_\t_\t_\t1\tdep\t_\tEntity=e1)(e2[2/2])

# newdoc id = two
1\tIt\t_\t_\t_\t_\t0\troot\t_\tEntity=(e1)
"""
FILES: dict[str, list[str]] = {
    ".csv": [
        "id,cluster\np,a\nq,a\nr,b\n",
        'id;label\n"p";"a ""b"""\n"q\n";7\nr;07\n',
        ",cluster\n0,a\n1,a\n2,b\n",
        "id,cluster,degree\np,a,0.5\np,b,0.5\nq,a,1\n",
        "id,jazz,funk\np,0.25,0.75\nq,1,0\n",
        "doc,id,cluster\nd,1,a\nd,2,a\ne,1,b\n",
        "1,2\n3,2\n4,5\n",
    ],
    ".tsv": ["id\tcluster\r\np\ta\r\nq\ta\r\nr\t\r\n"],
    ".json": [
        '{"p": "a", "q": 1, "r": true}',
        '{"p": ["a", "b"], "q": [], "r": "a"}',
        '{"p": {"a": 0.5, "b": 0.5}, "q": "a"}',
        '[["p", "q"], ["r"]]',
        '["a", null, 1.5, -0]',
        '[{"id": 1, "cluster": "a"}, {"id": 2, "cluster": "a", "x": []}]',
        '{"truth": {"p": 1, "q": 2}, "guess": {"p": 1, "q": 1}}',
    ],
    ".jsonl": [
        '{"id": 1, "cluster": "a"}\n{"id": 2, "cluster": "a"}\n\n{"id": 3, "cluster": null}\n',
        '{"id": "p", "cluster": 5, "degree": 1}\n{"cluster": 6, "id": "q", "degree": 1e0}\n',
    ],
    ".labels": ["a\na\nb\n", "1\n2\n\n", "a b\nb\n"],
    ".clusters": ["# x\np q\nr\n", "p,q\n#r\n"],
    ".conll": [CONLL],
    ".conllu": [COREFUD],
    "": ["p,1\nq,1\n", '{"p": 1}', "a\nb\n", CONLL],
}
PIECES = [
    b"\0", b"\n", b"\r", b"\r\n", b",", b"\t", b";", b"|", b'"', b"'", b"\\", b"#", b"# ", b" ",
    b"[", b"]", b"{", b"}", b":", b"(", b")", b"-", b"NaN", b"null", b"NA", b"1e999", b"0.5",
    b"9" * 30, b"9" * 5000, b"\xff", b"\xef\xbb\xbf", b"\xc3\xa9", b"\xff\xfe", b"\\ud800",
    b"id", b"cluster", b"#begin document x\n", b"PAR1", b"\x1f\x8b", b"[" * 2000,
]  # fmt: skip
ENDINGS = list(FILES)


@st.composite
def mutated(draw: st.DrawFn) -> tuple[str, bytes]:
    """A file that was good, with pieces put in, left out, repeated or cut off."""
    ending = draw(st.sampled_from(ENDINGS))
    data = draw(st.sampled_from(FILES[ending])).encode()
    for _ in range(draw(st.integers(0, 4))):
        start = draw(st.integers(0, len(data)))
        end = min(len(data), start + draw(st.integers(0, 12)))
        piece = draw(st.sampled_from(PIECES) | st.binary(max_size=4) | st.just(data[start:end]))
        match draw(st.sampled_from(["put", "leave", "double", "cut"])):
            case "put":
                data = data[:start] + piece + data[start:]
            case "leave":
                data = data[:start] + data[end:]
            case "double":
                data = data[:end] + data[start:]
            case "cut":
                data = data[:start]
    other = draw(st.sampled_from([ending] * 5 + ENDINGS))
    return other, data


cells = st.one_of(
    st.sampled_from(["", " ", "a", "b", "A", "0", "1", "01", "+1", "1.0", "-0", "0.5", "1e3"]),
    st.sampled_from(["NA", "nan", "null", "None", "true", "a|b", "#a", '"', "\n", "\r\n", ","]),
    st.sampled_from(["9223372036854775807", "9223372036854775808", "1e400", "é", "e\u0301"]),
    st.text(st.characters(codec="utf-8"), max_size=3),
)
names = st.sampled_from(["id", "cluster", "label", "degree", "x", "", "ID", " id", "doc"]) | cells


@st.composite
def tables(draw: st.DrawFn) -> tuple[str, bytes]:
    """A CSV file with any names and cells."""
    width = draw(st.integers(1, 4))
    rows = draw(st.lists(st.lists(cells, min_size=width, max_size=width), max_size=5))
    header = draw(st.lists(names, min_size=width, max_size=width))
    out = io.StringIO(newline="")
    quoting: Any = draw(st.sampled_from([csv.QUOTE_ALL, csv.QUOTE_MINIMAL]))
    ends = draw(st.sampled_from(["\n", "\r\n"]))
    delimiter = draw(st.sampled_from(",,;\t|"))
    writer = csv.writer(out, delimiter=delimiter, quoting=quoting, lineterminator=ends)
    writer.writerows([header, *rows])
    return ".csv", out.getvalue().encode()


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.floats() | st.sampled_from(["a", "b", ""]),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(["id", "cluster", "p", "q", "degree"]), inner, max_size=3)
    ),
    max_leaves=12,
)
documents = st.tuples(st.just(".json"), json_values.map(json.dumps).map(str.encode))


def outcome(path: str, engine: str, **options: Any) -> Any:
    """The meet of a file with itself; None where it is refused."""
    try:
        return cd.meet(path, path, engine=engine, **options)
    except cd.ClusterdiffError as error:
        return None if error.message and len(str(error)) < 2000 else error


@given(
    mutated() | tables() | documents | st.tuples(st.sampled_from(ENDINGS), st.binary()),
    st.sampled_from(KINDS),
    st.booleans(),
    st.sampled_from(["", "", "", "::cluster", "::truth"]),
)
@example((".tsv", b"[" * 2000), "partition", False, "")
def test_any_file_is_the_same_to_all_engines_or_refused(
    file: tuple[str, bytes], kind: str, packed: bool, column: str
) -> None:
    ending, data = file
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"x{ending}{'.gz' if packed and ending else ''}"
        path.write_bytes(gzip.compress(data) if packed else data)
        first, second = (
            outcome(f"{path}{column}", engine, kind=kind) for engine in ("arrays", "duckdb")
        )
    assert first == second


words = st.text(
    st.characters(codec="utf-8", exclude_characters="\0", exclude_categories=["Cs"]), min_size=1
)
"""What a cell or a text in JSON can hold."""
tokens = st.from_regex(r"[A-Za-z0-9#][A-Za-z0-9_.:#-]{0,5}", fullmatch=True).filter(
    lambda token: token != "#"
)
"""What stands between blanks."""


def table(rows: list[tuple[Any, ...]], header: list[str], delimiter: str = ",") -> bytes:
    out = io.StringIO(newline="")
    writer = csv.writer(out, delimiter=delimiter, quoting=csv.QUOTE_ALL, lineterminator="\n")
    writer.writerows([header, *rows])
    return out.getvalue().encode()


def parquet(rows: list[tuple[Any, ...]], header: list[str]) -> bytes:
    out = io.BytesIO()
    pl.DataFrame(rows, schema=header, orient="row").write_parquet(out)
    return out.getvalue()


def written(rows: list[tuple[Any, ...]], header: list[str]) -> dict[str, bytes]:
    """The same table in all formats of tables."""
    records = [dict(zip(header, row, strict=True)) for row in rows]
    return {
        "a.csv": table(rows, header),
        "a.tsv": table(rows, header, "\t"),
        "a.parquet": parquet(rows, header),
        "records.json": json.dumps(records).encode(),
        "a.jsonl": "\n".join(map(json.dumps, records)).encode(),
    }


Written = tuple[dict[str, bytes], Any, str]
"""Files of a clustering by name, the clustering, and its kind."""


def grouped(labels: dict[str, str]) -> list[list[str]]:
    """The ids of each cluster."""
    clusters: dict[str, list[str]] = {}
    for item, label in labels.items():
        clusters.setdefault(label, []).append(item)
    return list(clusters.values())


def partitions(labels: dict[str, str]) -> Written:
    files = written(list(labels.items()), ["id", "cluster"])
    files["mapping.json"] = json.dumps(labels).encode()
    files["clusters.json"] = json.dumps(grouped(labels)).encode()
    return files, cd.Partition(labels), "partition"


def lines(labels: dict[str, str]) -> Written:
    texts = {
        f"{name}.clusters": "# a comment\n" + "".join(f"{mark.join(c)}\n" for c in grouped(labels))
        for name, mark in {"tabs": "\t", "blanks": " ", "commas": ", "}.items()
    }
    files = {name: text.encode() for name, text in texts.items()}
    return files, cd.Partition(labels), "partition"


def in_order(labels: list[str]) -> Written:
    text = "".join(f"{label}\n" for label in labels)
    files = {"a.labels": text.encode(), "a.json": json.dumps(labels).encode()}
    return files, cd.Partition(labels), "partition"


def sets(sets: dict[str, list[str]], kind: str) -> Written:
    rows = [(item, label) for item, labels in sets.items() for label in labels]
    files = written(rows, ["id", "cluster"])
    files["sets.json"] = json.dumps(sets).encode()
    made: Any = cd.Cover if kind == "cover" else cd.Rough
    return files, made(sets), kind


def graded(counts: dict[str, dict[str, int]], kind: str) -> Written:
    given = {
        item: {label: count / sum(each.values()) for label, count in each.items()}
        for item, each in counts.items()
    }
    rows = [(item, label, value) for item, each in given.items() for label, value in each.items()]
    files = written(rows, ["id", "cluster", "degree"])
    files["degrees.json"] = json.dumps(given).encode()
    made: Any = cd.Fuzzy if kind == "fuzzy" else cd.Possibilistic
    return files, made(given), kind


def mentions(spans: list[tuple[int, int]]) -> Written:
    """Spans of tokens in chains of their own, those of one token in chain 0."""
    marks: list[list[str]] = [[] for _ in range(14)]
    chains = {}
    for chain, (start, more) in enumerate(spans, 1):
        chains[f"{start}-{start + more}"] = str(chain if more else 0)
        marks[start].append(f"({chain}" if more else "(0)")
        if more:
            marks[start + more].append(f"{chain})")
    rows = [f"d 0 {i} word {'|'.join(each) or '-'}" for i, each in enumerate(marks)]
    text = "\n".join(["#begin document (d)", *rows, "#end document", ""])
    wanted = cd.Partition(list(chains.values()), list(chains), ["(d)"] * len(chains))
    return {"a.conll": text.encode()}, wanted, "partition"


names_of_sets = words.filter(
    lambda word: not word.strip().startswith((*"[({∅", "set", "frozenset"))
)
"""Labels of covers that look like sets of labels, such as [a, b], are refused."""
each = st.lists(names_of_sets, min_size=1, max_size=3, unique=True)
degrees = st.dictionaries(words, st.integers(1, 8), min_size=1, max_size=3)
writings = st.one_of(
    st.dictionaries(words, words, min_size=1, max_size=6).map(partitions),
    st.dictionaries(tokens, tokens, min_size=1, max_size=6).map(lines),
    st.lists(tokens, min_size=1, max_size=6).map(in_order),
    st.builds(
        sets,
        st.dictionaries(words, each, min_size=1, max_size=5),
        st.sampled_from(["cover", "rough"]),
    ),
    st.builds(
        graded,
        st.dictionaries(words, degrees, min_size=1, max_size=5),
        st.sampled_from(["fuzzy", "possibilistic"]),
    ),
    st.lists(st.tuples(st.integers(0, 9), st.integers(0, 3)), min_size=1, unique=True).map(
        mentions
    ),
)


@given(writings, st.data(), st.booleans(), st.sampled_from(["arrays", "duckdb"]))
def test_what_is_written_is_read_back(
    writing: Written, data: st.DataObject, packed: bool, engine: str
) -> None:
    files, wanted, kind = writing
    name = data.draw(st.sampled_from(list(files)))
    packed = packed and not name.endswith(".parquet")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / (name + ".gz" if packed else name)
        path.write_bytes(gzip.compress(files[name]) if packed else files[name])
        found = cd.meet(path, wanted, kind=kind, engine=engine)
    assert found == cd.meet(wanted, wanted)


@pytest.mark.parametrize("ending", ENDINGS)
def test_the_files_that_are_changed_are_good(ending: str, tmp_path: Path) -> None:
    """Each can be read as some kind, so that changes begin at what is read."""
    for text in FILES[ending]:
        path = tmp_path / f"x{ending}"
        path.write_text(text)
        tries: list[dict[str, Any]] = [*({"kind": kind} for kind in KINDS), {"noise": [None]}]
        found = (outcome(str(path), "arrays", **each) for each in tries)
        nested = outcome(f"{path}::truth", "arrays")
        assert nested is not None or any(one is not None for one in found), text
