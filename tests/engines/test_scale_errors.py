"""What goes wrong where tables are large: one paragraph and a hint, and nothing is left behind."""

from __future__ import annotations

import json
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import clusterdiff as cd
from cases import noisy
from cli.runner import run
from clusterdiff.contingency import HardMeet, Sketch
from clusterdiff.engines.duckdb import DuckSession
from clusterdiff.errors import AlignmentError, ChangedFile, InputError, MemoryNeeded, ReadError
from refusals import refuses


@pytest.fixture(autouse=True)
def temp(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Temporary files go to a folder of the test, and nothing is left there."""
    folder = tmp_path / "temp"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    yield folder
    assert os.listdir(folder) == []


def parquet(path: Path, **columns: Any) -> Path:
    """A Parquet file with these columns."""
    pq.write_table(pa.table(columns), path)
    return path


def text(path: Path, content: str) -> Path:
    """A file with this content."""
    path.write_bytes(content.encode())
    return path


@pytest.fixture
def good(tmp_path: Path) -> Path:
    return parquet(tmp_path / "good.parquet", id=[1, 2, 3, 4], cluster=["a", "a", "b", "b"])


def refused(*given: Any, **options: Any) -> cd.ClusterdiffError:
    """The error that a comparison ends with: one paragraph, and a hint."""
    caught = refuses(None, cd.compare, *given, **options)
    error = caught
    assert "\n" not in error.message
    assert "Traceback" not in str(error)
    assert error.hint
    assert "a table could" not in error.message
    return error


Maker = Callable[[Path, dict[str, Any]], Any]


def _as_parquet(folder: Path, columns: dict[str, Any]) -> Path:
    return parquet(folder / "bad.parquet", **columns)


def _as_csv(folder: Path, columns: dict[str, Any]) -> Path:
    rows = zip(*columns.values(), strict=True)
    lines = [",".join("" if cell is None else str(cell) for cell in row) for row in rows]
    return text(folder / "bad.csv", "\n".join([",".join(columns), *lines]))


def _as_json(folder: Path, columns: dict[str, Any]) -> Path:
    rows = zip(*columns.values(), strict=True)
    lines = [json.dumps(dict(zip(columns, row, strict=True))) for row in rows]
    return text(folder / "bad.jsonl", "\n".join(lines))


def _as_relation(folder: Path, columns: dict[str, Any]) -> Any:
    return duckdb.connect().from_arrow(pa.table(columns))


MAKERS: dict[str, Maker] = {
    "parquet": _as_parquet,
    "csv": _as_csv,
    "json": _as_json,
    "relation": _as_relation,
}
WRONG: dict[str, tuple[dict[str, Any], str]] = {
    "null ids": ({"id": [1, None, 3, 4], "cluster": [1, 1, 1, 2]}, r"1 of 4 ids is null"),
    "two clusters": (
        {"id": [1, 2, 3, 4, 2], "cluster": [1, 1, 1, 2, 5]},
        r"1 id is in more than one cluster \(2 is in 1 and in 5\)",
    ),
    "a cluster and none": (
        {"id": [1, 2, 3, 4, 2], "cluster": [1, 1, 1, 2, None]},
        r"1 id is in more than one cluster \(2 is in 1 and in None\)",
    ),
    "null labels": (
        {"id": [1, 2, 3, 4], "cluster": [1, None, 1, None]},
        r"2 of 4 labels in guess are null \(objects 2, 4\)",
    ),
    "no labels": ({"id": [1, 2], "cluster": pa.array([None, None], pa.int64())}, r"2 of 2 labels"),
    "one side only": (
        {"id": [1, 2, 9, 8, 7, 6], "cluster": [1, 1, 1, 2, 2, 2]},
        r"2 of 8 objects are only in truth \(3, 4\), 4 only in guess \(6, 7, 8\)",
    ),
}


@pytest.mark.parametrize("way", MAKERS)
@pytest.mark.parametrize("name", WRONG)
def test_bad_tables(name: str, way: str, tmp_path: Path) -> None:
    columns, message = WRONG[name]
    if way in ("csv", "json"):
        columns = {n: v.to_pylist() if hasattr(v, "to_pylist") else v for n, v in columns.items()}
    bad = MAKERS[way](tmp_path, columns)
    given = {"id": [1, 2, 3, 4], "cluster": [1, 1, 2, 2]}
    good = bad.query("x", "SELECT i AS id, i // 3 AS cluster FROM range(1, 5) r(i)") if (
        way == "relation"
    ) else parquet(tmp_path / "typed.parquet", **given)  # fmt: skip
    if way == "csv":
        good = text(tmp_path / "typed.csv", "id,cluster\n1,1\n2,1\n3,2\n4,2\n")
    if name == "no labels" and way != "relation":
        good = parquet(tmp_path / "two.parquet", id=[1, 2], cluster=[1, 2])
    align = "shared" if name == "no labels" else "exact"
    error = refused(good, bad, align=align)
    with pytest.raises(cd.ClusterdiffError, match=message):
        raise error


@pytest.mark.parametrize("way", ["parquet", "json"])
def test_ids_of_two_types(way: str, tmp_path: Path, good: Path) -> None:
    other = MAKERS[way](tmp_path, {"id": ["1", "2"], "cluster": [1, 1]})
    error = refused(good, other)
    assert isinstance(error, AlignmentError)
    assert "integers (such as 1)" in error.message
    assert "strings (such as '1')" in error.message


def test_nothing_is_shared(tmp_path: Path, good: Path) -> None:
    other = parquet(tmp_path / "other.parquet", id=[10, 11], cluster=[1, 1])
    for align in ("shared", "singletons"):
        assert "no object in common" in refused(good, other, align=align).message
    assert "4 of 6 objects are only in truth (1, 2, 3), 2 only in guess (10, 11)" in (
        refused(good, other).message
    )


def test_errors_name_samples_and_files(tmp_path: Path) -> None:
    columns: dict[str, Any] = {"doc": ["x", "x", "y"], "id": [1, 2, 1], "cluster": [1, 1, 1]}
    truth = parquet(tmp_path / "truth.parquet", **columns)
    guess = parquet(tmp_path / "guess.parquet", **{**columns, "doc": ["x", "y", "y"]})
    assert refused(truth, guess, samples="doc").message.startswith("in sample x: ")
    again = parquet(
        tmp_path / "again.parquet", **{**columns, "id": [1, 1, 1], "cluster": [1, 2, 1]}
    )
    assert "again.parquet" in refused(truth, again, samples="doc").message
    null = parquet(tmp_path / "null.parquet", **{**columns, "doc": ["x", None, "y"]})
    assert "1 of 3 objects have no sample" in refused(truth, null, samples="doc").message


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("empty.csv", "", "has no rows"),
        ("blank.csv", "\n\n", "has no rows"),
        ("header.csv", "id,cluster\n", "has no rows"),
        ("short.csv", "id,cluster\n1,a\n2\n3,b\n", r"short.csv could not be read.*line 3"),
        ("long.csv", "id,cluster\n1,a\n2,b,c\n3,b\n", r"long.csv could not be read.*line 3"),
        ("quote.csv", 'id,cluster\n"1,a\n2,b\n', "quote.csv could not be read"),
        ("late.csv", "id,cluster\n" + "1,a\n" * 30_000 + "2\n", r"late.csv could not be read"),
        ("broken.jsonl", '{"id":1,"cluster":1}\n{"id":2,"clu\n', "broken.jsonl could not be read"),
        ("cut.json", '[{"id":1,"cluster":1},{"id":2,', "cut.json could not be read"),
        ("one.jsonl", '{"id":1}\n{"id":2}\n', "one.jsonl has the columns? 'id'"),
        ("text.parquet", "PAR1 and no more", "text.parquet could not be read"),
        ("other.csv", "id,kind\n1,a\n", "."),
    ],
)
def test_broken_files(name: str, content: str, message: str, tmp_path: Path, good: Path) -> None:
    bad = text(tmp_path / name, content)
    for given in ((good, bad), (bad, good)):
        error = refused(*given, align="exact")
        with pytest.raises(cd.ClusterdiffError, match=message):
            raise error


def test_files_without_rows(tmp_path: Path, good: Path) -> None:
    empty = parquet(
        tmp_path / "empty.parquet", id=pa.array([], pa.int64()), cluster=pa.array([], pa.int64())
    )
    for align in ("exact", "shared", "singletons", "penalise"):
        assert "has no rows" in refused(empty, good, align=align).message
        assert "has no rows" in refused(good, empty, align=align).message
    with duckdb.connect() as connection:
        none = connection.sql("SELECT 1 AS id, 2 AS cluster WHERE false")
        some = connection.sql("SELECT 1 AS id, 2 AS cluster")
        for pair in ((none, some), (some, none)):
            refused(*pair)
            refused(*pair, align="shared")


def _many(path: Path, rows: int = 40_000) -> bytes:
    rng = np.random.default_rng(0)
    parquet(path, id=np.arange(rows), cluster=rng.integers(0, 10**9, rows))
    return path.read_bytes()


@pytest.mark.parametrize("share", [0.0002, 0.3, 0.9, 0.999])
def test_a_cut_parquet_file(share: float, tmp_path: Path) -> None:
    whole, cut = tmp_path / "whole.parquet", tmp_path / "cut.parquet"
    data = _many(whole)
    cut.write_bytes(data[: int(len(data) * share)])
    for given in ((whole, cut), (cut, whole)):
        error = refused(*given)
        assert isinstance(error, ReadError)
        assert "cut.parquet" in error.message


@pytest.mark.parametrize("seed", range(6))
def test_damage_inside_a_parquet_file(seed: int, tmp_path: Path) -> None:
    """An error of ours, or the values as a reader takes them; never an error of another type."""
    whole, damaged = tmp_path / "whole.parquet", tmp_path / "damaged.parquet"
    data, rng = bytearray(_many(whole)), random.Random(seed)
    start = rng.randrange(4, len(data) - 2000)
    data[start : start + 1000] = rng.randbytes(1000)
    damaged.write_bytes(data)
    told = [_digest_or_error(whole, damaged, engine) for engine in ("arrays", None)]
    if isinstance(told[1], cd.ClusterdiffError):
        assert isinstance(told[0], cd.ClusterdiffError)
        assert "damaged.parquet is damaged" in told[1].message
    else:
        assert told[0] == told[1]


def _digest_or_error(truth: Path, guess: Path, engine: str | None) -> str | cd.ClusterdiffError:
    try:
        return cd.meet(truth, guess, align="shared", engine=engine).digest
    except cd.ClusterdiffError as error:
        return error


@pytest.mark.parametrize("ending", ["parquet", "csv", "jsonl"])
@pytest.mark.parametrize("change", ["rewritten", "removed", "cut"])
def test_a_file_that_changes_while_it_is_read(
    ending: str, change: str, tmp_path: Path, good: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    maker = {"parquet": _as_parquet, "csv": _as_csv, "jsonl": _as_json}[ending]
    file = maker(tmp_path, {"id": [1, 2, 3, 4], "cluster": ["x", "x", "y", "z"]})
    own = DuckSession.keep

    def disturbed(session: DuckSession, query: str, doing: str) -> str:
        if doing.startswith("joining"):
            if change == "removed":
                file.unlink()
            elif change == "cut":
                file.write_bytes(file.read_bytes()[:20])
            else:
                maker(tmp_path, {"id": [1, 2, 3, 4, 4], "cluster": ["x", "x", "y", "z", "z"]})
        return own(session, query, doing)

    monkeypatch.setattr(DuckSession, "keep", disturbed)
    error = refused(good, file, align="shared")
    assert isinstance(error, ChangedFile)
    assert str(file) in error.message


def test_columns_that_are_missing(tmp_path: Path, good: Path) -> None:
    for asked in (f"{good}::entity", f"{good}::Cluster", f"{good}::"):
        error = refused(asked, good)
        assert "has no column" in error.message or "names no column" in error.message
    assert "has no column 'doc'" in refused(good, good, samples="doc").message
    three = parquet(tmp_path / "three.parquet", u=[1], v=[1], w=[1])
    assert "3 columns" in refused(three, good).message
    assert "File not found" in refused(tmp_path / "none.parquet", good).message
    assert "File not found" in refused(f"{tmp_path}/none*.parquet", good).message
    (tmp_path / "void").mkdir()
    assert "void is a directory without tables" in refused(tmp_path / "void", good).message


@pytest.mark.parametrize(
    "memory", ["2 gigs", "0GB", "-1GB", "", "GB", "four", "1e3GB", "4GB!", "0"]
)
def test_amounts_of_memory_that_are_none(memory: str, good: Path) -> None:
    caught = refuses("is not an amount of memory", cd.DuckDB, memory=memory)
    assert "4GB" in caught.hint
    ran = run("compare", str(good), str(good), f"--memory={memory}")
    assert ran.code == 2
    assert "is not an amount of memory" in ran.stderr


def test_options_that_are_wrong(tmp_path: Path, good: Path) -> None:
    for threads in (0, -3):
        refuses("is not a number of threads", cd.DuckDB, threads=threads)
    for folder in (tmp_path / "none", good):
        refuses("Folder for temporary files not found", cd.DuckDB, temp=folder)
    refuses("unknown engine 'duck'", cd.compare, good, good, engine="duck")
    for flags in (["--threads", "0"], ["--temp", str(tmp_path / "none")], ["--memory", "no"]):
        ran = run("compare", str(good), str(good), *flags)
        assert ran.code == 2
        assert ran.stderr.startswith("clusterdiff: ")
        assert "Hint: " in ran.stderr
        also = run("compare", str(good), str(good), "--engine", "arrays", *flags)
        assert also.code == 2
        assert "is for DuckDB" in also.stderr


def test_a_folder_that_cannot_be_written(tmp_path: Path, good: Path) -> None:
    locked = tmp_path / "locked"
    locked.mkdir()
    locked.chmod(0o500)
    try:
        if os.access(locked, os.W_OK):
            pytest.skip("this user may write anywhere")
        refused(good, good, engine=cd.DuckDB(temp=locked))
    finally:
        locked.chmod(0o700)


def test_temporary_files_go_where_they_should(tmp_path: Path, good: Path) -> None:
    folder = tmp_path / "scratch"
    folder.mkdir()
    how = cd.DuckDB(temp=folder, threads=1, memory="1GB")
    assert cd.compare(good, good, ["rand"], engine=how)["rand"].value == 1
    assert os.listdir(folder) == []
    refused(good, f"{good}::none", engine=how)
    assert os.listdir(folder) == []


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path, HardMeet]:
    """A million objects in two files, and their meet."""
    folder = tmp_path_factory.mktemp("large")
    truth, guess = noisy(10**6, 200_000, seed=8, share=0.05)
    order = np.random.default_rng(2).permutation(truth.size)
    names = np.array([f"record {i:09}" for i in range(0, truth.size * 3, 3)])
    left = parquet(folder / "truth.parquet", id=names, cluster=truth)
    right = parquet(folder / "guess.parquet", id=names[order], cluster=guess[order])
    wanted = cd.meet(truth, guess)
    assert isinstance(wanted, HardMeet)
    return left, right, wanted


@pytest.mark.parametrize("memory", ["50MB", "250MB"])
def test_little_memory_spills_or_is_told(
    memory: str, large: tuple[Path, Path, HardMeet], tmp_path: Path
) -> None:
    truth, guess, wanted = large
    folder = tmp_path / "scratch"
    folder.mkdir()
    found = _meet_or_error(truth, guess, cd.DuckDB(memory=memory, threads=1, temp=folder))
    if isinstance(found, MemoryNeeded):
        assert memory == "50MB"
        assert "--memory" in found.hint
    elif isinstance(found, Sketch):
        assert found.digest.startswith("shapes-")
        assert (found.objects, found.rows) == (wanted.objects, wanted.rows)
    else:
        assert found.digest == wanted.digest
    assert os.listdir(folder) == []


def _meet_or_error(truth: Path, guess: Path, engine: cd.DuckDB) -> Any:
    try:
        return cd.meet(truth, guess, engine=engine)
    except MemoryNeeded as error:
        return error


def test_another_system(good: Path) -> None:
    """One that tells no memory, and has no hangups."""
    code = "import os, signal, sys; del os.sysconf, signal.SIGHUP, signal.SIGPIPE; "
    code += "from clusterdiff.cli.main import entry; entry()"
    command = [sys.executable, "-c", code, "compare", str(good), str(good), "-m", "rand"]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stderr) == (0, "")
    assert ran.stdout.endswith("  rand  1.0000\n")
    machine = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    assert 0 < cd.DuckDB().bytes < 0.51 * machine


def _busy(folder: Path, large: tuple[Path, Path, HardMeet]) -> subprocess.Popen[str]:
    """A command that is at work, with its temporary folder there."""
    command = [sys.executable, "-c", "from clusterdiff.cli.main import entry; entry()", "compare",
               str(large[0]), str(large[1]), "--memory", "300MB", "--threads", "1"]  # fmt: skip
    busy = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env={**os.environ, "TMPDIR": str(folder)},
    )  # fmt: skip
    end = time.monotonic() + 60
    while time.monotonic() < end and not os.listdir(folder):
        assert busy.poll() is None
        time.sleep(0.01)
    time.sleep(0.3)
    assert busy.poll() is None
    return busy


@pytest.mark.parametrize(("sent", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_an_interrupt_leaves_nothing(
    sent: signal.Signals, code: int, large: tuple[Path, Path, HardMeet], tmp_path: Path
) -> None:
    folder = tmp_path / "spill"
    folder.mkdir()
    busy = _busy(folder, large)
    busy.send_signal(sent)
    _, told = busy.communicate(timeout=60)
    assert (busy.returncode, told) == (code, "")
    assert os.listdir(folder) == []


@pytest.fixture
def conflicting(tmp_path: Path) -> tuple[Path, Path, Any, Any]:
    """Clusterings whose rows in conflict take more than a megabyte."""
    truth, guess = noisy(30_000, 4_000, seed=3, share=0.6)
    ids = np.arange(truth.size)
    left = parquet(tmp_path / "truth.parquet", id=ids, cluster=truth)
    return left, parquet(tmp_path / "guess.parquet", id=ids, cluster=guess), truth, guess


@pytest.fixture
def little(monkeypatch: pytest.MonkeyPatch) -> None:
    """A megabyte for rows in conflict, while the engine has what it needs."""
    own = DuckSession.__init__

    def made(session: DuckSession, options: cd.DuckDB) -> None:
        own(session, options)
        session.memory = 10**6

    monkeypatch.setattr(DuckSession, "__init__", made)


SHAPES = [m.name for m in cd.measures() if m.needs == {"shapes"}]
ROWS = [m.name for m in cd.measures() if m.needs == {"rows"}]


@pytest.mark.usefixtures("little")
def test_shapes_are_enough_for_many_measures(conflicting: tuple[Path, Path, Any, Any]) -> None:
    left, right, truth, guess = conflicting
    report = cd.compare(left, right, [*SHAPES, "accuracy"])
    wanted = cd.compare(truth, guess, SHAPES)
    assert isinstance(report["rand"].meet, Sketch)
    for name in SHAPES:
        assert report[name].value == wanted[name].value, name
    found, whole = report["rand"].meet, wanted["rand"].meet
    assert (found.objects, found.clusters, found.rows) == (
        whole.objects,
        whole.clusters,
        whole.rows,
    )
    assert found.digest == cd.compare(right, left, SHAPES)["rand"].meet.swap().digest


@pytest.mark.usefixtures("little")
@pytest.mark.parametrize("align", ["shared", "singletons", "penalise"])
def test_shapes_of_objects_on_one_side_only(
    align: str, conflicting: tuple[Path, Path, Any, Any], tmp_path: Path
) -> None:
    left, _, _, guess = conflicting
    ids = np.arange(2_000, guess.size + 1_000)
    labels = np.concatenate([guess[2_000:], np.arange(1_000) % 7])
    right = parquet(tmp_path / "late.parquet", id=ids, cluster=labels)
    for noise in ({}, {"noise": [1, 2, 3]}, {"noise": [1, 2], "noise_as": "drop"}):
        options: dict[str, Any] = {"align": align, **noise}
        known = ["elm_f", "bcubed_precision", "bcubed_recall", "pair_f", "lea_precision", "exact_f"]
        found = cd.compare(left, right, known, **options)
        wanted = cd.compare(left, right, known, engine="arrays", **options)
        assert isinstance(found["pair_f"].meet, Sketch)
        for name in known:
            assert found[name].value == wanted[name].value, (name, noise)
        assert found["pair_f"].meet.alignment == wanted["pair_f"].meet.alignment
        assert found["pair_f"].meet.clusters == wanted["pair_f"].meet.clusters


@pytest.mark.usefixtures("little")
def test_measures_that_need_all_rows_say_so(conflicting: tuple[Path, Path, Any, Any]) -> None:
    left, right, truth, guess = conflicting
    report = cd.compare(left, right, ["rand", *ROWS])
    why = "rows in conflict, which would take about"
    for name in ROWS:
        assert report[name].value is None, name
        assert why in report[name].missing
        refuses(why, float, report[name])
    said = json.loads(report.to_json())["guesses"]["guess.parquet"]
    assert said["accuracy"]["value"] is None
    assert said["accuracy"]["signature"]["missing"] == "memory"
    assert said["rand"]["value"] == cd.rand(truth, guess)
    shown = report.to_text(80)
    assert [line.split() for line in shown.splitlines() if " accuracy " in line][-1:] == [
        ["accuracy", "—"]
    ]
    assert "needs all" in " ".join(shown.split())
    assert "None" not in shown
    for written in (report.to_csv(), report.to_markdown(), report.to_latex()):
        [row] = [
            x
            for x in written.splitlines()
            if re.search(r"(?<![a-z_])accuracy", x) and not x.startswith("%")
        ]
        assert "None" not in row.partition(" = ")[0]
    assert report.signatures()
    for name in ("accuracy", "conll", "split_merge"):
        with pytest.raises(MemoryNeeded, match=f"{name} needs all .* {why}") as caught:
            cd.compare(left, right, name)
        assert "--memory" in caught.value.hint
        assert "elm_f" in caught.value.hint


@pytest.mark.usefixtures("little")
def test_the_command_without_all_rows(conflicting: tuple[Path, Path, Any, Any]) -> None:
    left, right, _, _ = conflicting
    given = ["compare", str(left), str(right)]
    ran = run(*given, "-m", "rand", "-m", "accuracy")
    assert ran.code == 0
    assert "—" in ran.stdout
    assert "needs all" in " ".join(ran.stdout.split())
    missed = run(*given, "-m", "rand", "-m", "accuracy", "--fail-under", "accuracy=0")
    assert missed.code == 1
    assert "accuracy needs all" in missed.stderr
    also = run(*given, "-m", "rand", "--fail-under", "accuracy=0.1")
    assert also.code == 1
    kept = run(*given, "-m", "rand", "-m", "accuracy", "--fail-under", "rand=0.1")
    assert kept.code == 0
    alone = run(*given, "-m", "accuracy")
    assert alone.code == 2
    assert alone.stderr.startswith("clusterdiff: accuracy needs all")
    assert "Hint: " in alone.stderr
    for form in ("json", "csv", "md", "latex"):
        assert run(*given, "-m", "rand", "-m", "accuracy", "-f", form).code == 0
    both = run(*given, str(left), "-m", "rand", "-m", "accuracy", "--signatures")
    assert both.code == 0
    assert "1.0000" in both.stdout


@pytest.mark.usefixtures("little")
def test_samples_and_covers_without_memory_are_refused(tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    columns = {"id": np.arange(20_000), "cluster": rng.integers(0, 2_000, 20_000)}
    truth = parquet(tmp_path / "truth.parquet", doc=np.arange(20_000) % 9, **columns)
    columns["cluster"] = rng.integers(0, 2_000, 20_000)
    guess = parquet(tmp_path / "guess.parquet", doc=np.arange(20_000) % 9, **columns)
    assert isinstance(refused(truth, guess, "rand", samples="doc"), MemoryNeeded)
    assert isinstance(refused(truth, guess, "omega", kind="cover"), MemoryNeeded)


def _state(connection: Any) -> list[Any]:
    """All that a connection knows: tables, views, settings."""
    queries = [
        "SELECT database_name, table_name, temporary FROM duckdb_tables() ORDER BY ALL",
        "SELECT database_name, schema_name, view_name FROM duckdb_views() "
        "WHERE NOT internal ORDER BY ALL",
        "SELECT table_catalog, table_name, table_type FROM information_schema.tables ORDER BY ALL",
        "SELECT name, value FROM duckdb_settings() ORDER BY ALL",
        "SELECT schema_name FROM duckdb_schemas() ORDER BY ALL",
    ]
    return [connection.execute(query).fetchall() for query in queries]


@pytest.fixture
def connection() -> Iterator[Any]:
    with duckdb.connect() as made:
        made.execute("CREATE TABLE truth AS SELECT i AS id, i // 3 AS cluster, i % 2 AS doc "
                     "FROM range(30) r(i)")  # fmt: skip
        made.execute("CREATE TEMP TABLE guess AS SELECT i AS id, i // 4 AS cluster, i % 2 AS doc "
                     "FROM range(30) r(i)")  # fmt: skip
        made.execute("CREATE VIEW seen AS SELECT id + 1 AS id, cluster FROM truth")
        yield made


def test_a_connection_is_left_as_it_was(connection: Any) -> None:
    before = _state(connection)
    truth, guess = connection.table("truth"), connection.table("guess")
    cd.compare(truth, guess)
    assert _state(connection) == before
    cd.compare(truth, guess, samples="doc")
    cd.compare(truth, guess, ["omega"], kind="cover")
    assert _state(connection) == before
    refused(truth, connection.table("seen"))
    assert _state(connection) == before
    cd.compare(truth, connection.sql("FROM seen"), align="singletons", noise=[3])
    cd.compare(truth, guess, engine="arrays")
    with duckdb.connect() as other:
        other.execute("CREATE TABLE theirs AS SELECT i AS id, 1 AS cluster FROM range(30) r(i)")
        there = _state(other)
        cd.compare(truth, other.table("theirs"))
        cd.compare(other.table("theirs"), truth)
        assert _state(other) == there
    assert _state(connection) == before
    assert truth.fetchall() == connection.table("truth").fetchall()


def test_a_transaction_goes_on(connection: Any) -> None:
    connection.execute("BEGIN")
    connection.execute("INSERT INTO truth VALUES (30, 5, 0)")
    connection.execute("INSERT INTO guess VALUES (30, 5, 0)")
    report = cd.compare(connection.table("truth"), connection.table("guess"), ["rand"])
    assert report["rand"].meet.objects == 31
    refused(connection.table("truth"), connection.table("seen"))
    connection.execute("ROLLBACK")
    assert connection.execute("SELECT count(*) FROM truth").fetchall() == [(30,)]


def test_a_relation_that_fails(connection: Any) -> None:
    before = _state(connection)
    truth = connection.table("truth")
    for query in (
        "SELECT id, CAST('c' || cluster AS INTEGER) AS cluster FROM truth",
        "SELECT id, error('no such cluster') AS cluster FROM truth",
    ):
        refused(connection.sql(query), truth)
        refused(truth, connection.sql(query))
    assert _state(connection) == before
    gone = connection.sql("SELECT * FROM guess")
    connection.execute("DROP TABLE guess")
    refused(truth, gone)


def test_a_connection_that_is_closed(connection: Any) -> None:
    other = duckdb.connect()
    closed = other.sql("SELECT 1 AS id, 2 AS cluster")
    other.close()
    refused(closed, connection.table("truth"))
    refused(connection.table("truth"), closed)


def test_settings_of_a_connection_change_no_score(connection: Any) -> None:
    connection.execute(
        "CREATE TABLE t AS FROM (VALUES ('a', 'x'), ('A', 'y'), ('b', 'X')) v(id, cluster)"
    )
    connection.execute(
        "CREATE TABLE g AS FROM (VALUES ('b', 'p'), ('A', 'P'), ('a', 'p')) v(id, cluster)"
    )
    wanted = cd.meet({"a": 1, "A": 2, "b": 3}, {"b": 1, "A": 2, "a": 1})
    for setting in ("default_order = 'DESC'", "default_null_order = 'NULLS FIRST'",
                    "preserve_insertion_order = false",
                    "default_collation = 'NOCASE'"):  # fmt: skip
        connection.execute(f"SET {setting}")
        assert cd.meet(connection.table("t"), connection.table("g")) == wanted, setting


def test_a_database_that_is_only_read(tmp_path: Path) -> None:
    file = str(tmp_path / "data.db")
    with duckdb.connect(file) as made:
        made.execute("CREATE TABLE t AS SELECT i AS id, i // 2 AS cluster FROM range(9) r(i)")
    with duckdb.connect(file, read_only=True) as reader:
        before = _state(reader)
        assert cd.rand(reader.table("t"), reader.table("t")) == 1
        assert cd.compare(reader.table("t"), reader.table("t"), "rand")["rand"].value == 1
        assert _state(reader) == before


def test_input_errors_are_input_errors(tmp_path: Path, good: Path) -> None:
    bad = parquet(tmp_path / "bad.parquet", id=[1, 1], cluster=[1, 2])
    assert isinstance(refused(good, bad), InputError)
    ran = run("compare", str(good), str(bad))
    assert ran.code == 2
    assert ran.stdout == ""
    assert ran.stderr.startswith("clusterdiff: in ")
