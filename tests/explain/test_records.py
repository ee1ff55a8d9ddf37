"""Records beside objects: found by id wherever their table is, for eyes and for programs, and of no
effect on any number.
"""

from __future__ import annotations

import csv
import io
import json
import pickle
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from rich.console import Console

import clusterdiff as cd
from cli.runner import run
from clusterdiff.errors import ClusterdiffError, ClusterdiffWarning, MissingColumn
from clusterdiff.output.text import columns
from journeys.places import DATA
from page.embedded import parts_of

PEOPLE = pd.DataFrame(
    {
        "id": ["r1", "r2", "r3", "r4", "r5", "r6"],
        "gold": [1, 1, 2, 2, 3, 4],
        "run": [1, 2, 3, 3, 3, 4],
        "first": ["JOERG", "JORG", "ANNA", None, "HERBERT", "EVA"],
        "last": ["ZIMMERMANN", "ZIMMERMANN", "MAIER", "MEIER", "MAIER", "KOCH"],
        "born": [1961, 1961, 1980, 1980, 1955, 1999],
    }
)
FIRST = {"r1": "JOERG", "r2": "JORG", "r3": "ANNA", "r4": None, "r5": "HERBERT", "r6": "EVA"}
SIDES: dict[str, Any] = {"truth": "gold", "guess": "run"}


def explained(table: Any = PEOPLE, **options: Any) -> Any:
    return cd.explain(table, **{**SIDES, **options})


def rows_of(told: Any, *names: str) -> dict[Any, tuple[Any, ...]]:
    """What the queue says of each object."""
    return {row["id"]: tuple(row[name] for name in names) for row in told.records(None, None)}


WRONG = {"r1", "r2", "r3", "r4", "r5"}
FIRSTS = {id: (FIRST[id],) for id in sorted(WRONG)}


def test_the_text_shows_the_records_of_each_part() -> None:
    assert (
        str(explained())
        == """\
elm_f 0.3889 = 1 - 0.6111. Where the 0.6111 comes from:

   54.5 %  split    1 over 2 guess clusters, 2 objects
                    1 in 1; 1 in 2
      guess  id  first
      1      r1  JOERG
      2      r2  JORG*
      same: last ZIMMERMANN, born 1961
   45.5 %  merged   2 true clusters (2, 3) in guess 3, 3 objects
                    2 of 2; 1 of 3
      truth  id  first     last    born
      2      r3  ANNA      MAIER   1980
      2      r4  —         MEIER*  1980
      3      r5  HERBERT*  MAIER   1955*
    0.0 %  right    1 cluster, 1 object

Of 6 objects: 16.7 % right, 33.3 % split, 50.0 % merged, 0.0 % both.
Of 4 true clusters, 1 was found exactly (25.0 %).
Records: the frame. * marks what differs from most of a part.
Columns: truth [id, cluster: gold], guess [id, cluster: run]."""
    )


def test_columns_that_tell_records_apart_are_not_errors() -> None:
    """One that repeats the ids is left out; of many values that all differ, none is marked."""
    table = PEOPLE.assign(again=PEOPLE["id"], row=range(6))
    text = str(explained(table, show="again,row,born"))
    assert "again" not in text
    assert re.search(
        r"truth  id  row  born\n.* r3  2    1980\n.* r4  3    1980\n.* r5  4    1955\*", text
    )
    assert re.search(r"guess  id  row\n.* r1  0\n.* r2  1\*\n", text)
    assert rows_of(explained(table, show="again"), "again")["r3"] == ("r3",)


def test_a_notebook_has_a_table_of_them() -> None:
    html = explained()._repr_html_()
    assert re.search(r"<td[^>]*>r5</td><td[^>]*>HERBERT</td><td[^>]*>MAIER</td>", html)
    change = cd.diff(*(PEOPLE[["id", own]] for own in ("gold", "run", "gold")), records=PEOPLE)
    assert re.search(r"<td[^>]*>r5</td><td[^>]*>HERBERT</td>", change._repr_html_())
    assert "HERBERT" not in explained(show="none")._repr_html_()


def test_a_terminal_emphasises_what_differs() -> None:
    console = Console(record=True, width=80, file=io.StringIO(), force_terminal=True)
    console.print(explained())
    assert "\x1b[1mHERBERT*" in console.export_text(styles=True)


def test_columns_of_a_frame_have_their_records_by_its_index() -> None:
    obs = PEOPLE.set_index("id").rename_axis(None)
    assert rows_of(explained(obs), "first") == FIRSTS
    assert rows_of(explained(obs.reset_index(drop=True)), "first") == {
        int(id[1]) - 1: own for id, own in FIRSTS.items()
    }


def test_the_queue_has_a_row_for_each_record() -> None:
    told = explained()
    queue = told.to_frame()
    assert list(queue.columns) == [*cd.Explanation.columns, "first", "last", "born"]
    assert set(queue["id"]) == WRONG
    joined = queue[["id"]].merge(PEOPLE, on="id")
    assert queue["last"].tolist() == joined["last"].tolist()
    assert queue["truth"].tolist() == joined["gold"].tolist()
    assert queue["guess"].tolist() == joined["run"].tolist()
    assert queue["loss"].sum() == pytest.approx(told.lost)
    by_part = queue.groupby("component")["loss"].sum()
    assert by_part.tolist() == pytest.approx([part.loss for part in told.top()])
    assert pl.DataFrame(told.records(None, None)).equals(told.to_frame("polars"))


def as_csv(folder: Path) -> dict[str, Any]:
    PEOPLE.to_csv(folder / "people.csv", index=False)
    path = str(folder / "people.csv")
    return {"truth": f"{path}::gold", "guess": f"{path}::run"}


def as_parquet(folder: Path) -> dict[str, Any]:
    PEOPLE.to_parquet(folder / "people.parquet")
    path = str(folder / "people.parquet")
    return {"truth": f"{path}::gold", "guess": f"{path}::run", "engine": "arrays"}


def as_database(folder: Path) -> dict[str, Any]:
    with duckdb.connect(str(folder / "people.db")) as connection:
        connection.register("rows", PEOPLE)
        connection.execute("CREATE TABLE people AS FROM rows")
    path = str(folder / "people.db")
    return {"truth": f"{path}::people::gold", "guess": f"{path}::people::run"}


def as_relation(_: Path) -> dict[str, Any]:
    truth = duckdb.from_arrow(pa.Table.from_pandas(PEOPLE[["id", "gold", "first"]]))
    guess = duckdb.from_arrow(pa.Table.from_pandas(PEOPLE[["id", "run"]]))
    return {"truth": truth, "guess": guess}


def as_frames(library: Callable[[pd.DataFrame], Any]) -> Callable[[Path], dict[str, Any]]:
    return lambda _: {
        "truth": library(PEOPLE[["id", "gold", "first"]].rename(columns={"gold": "truth"})),
        "guess": library(PEOPLE[["id", "run"]]),
    }


def as_index(_: Path) -> dict[str, Any]:
    indexed = PEOPLE.set_index("id")
    return {"truth": indexed["gold"], "guess": indexed["run"], "records": indexed[["first"]]}


def as_dicts(_: Path) -> dict[str, Any]:
    dicts = {side: dict(zip(PEOPLE["id"], PEOPLE[own], strict=True)) for side, own in SIDES.items()}
    return {**dicts, "records": pl.from_pandas(PEOPLE[["first", "id"]])}


def as_annotation(_: Path) -> dict[str, Any]:
    """What the `obs` of an AnnData is: a frame whose index has the names of the cells."""
    obs = PEOPLE.set_index("id").rename_axis(None)
    return {
        "truth": obs["gold"].to_dict(),
        "guess": obs["run"].to_dict(),
        "records": obs[["first"]],
    }


PLACES = {
    "annotation": as_annotation,
    "csv": as_csv,
    "parquet": as_parquet,
    "database": as_database,
    "relation": as_relation,
    "pandas": as_frames(lambda frame: frame),
    "polars": as_frames(pl.from_pandas),
    "lazy": as_frames(lambda frame: pl.from_pandas(frame).lazy()),
    "pyarrow": as_frames(pa.Table.from_pandas),
    "index": as_index,
    "dicts": as_dicts,
}


@pytest.mark.parametrize("place", PLACES)
def test_records_are_found_wherever_they_are(place: str, tmp_path: Path) -> None:
    given = PLACES[place](tmp_path)
    assert rows_of(cd.explain(**given), "first") == FIRSTS


def test_records_of_files_too_large_for_memory_are_joined_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("clusterdiff.io.session.NAMED", 10**12)
    told: Any = cd.explain(**as_csv(tmp_path))
    assert type(told.named).__name__ == "SqlNamedComparison"
    assert rows_of(told, "first") == FIRSTS


def test_objects_without_ids_are_rows(tmp_path: Path) -> None:
    PEOPLE.drop(columns="id").to_csv(tmp_path / "people.csv", index=False)
    frame = pl.read_csv(tmp_path / "people.csv")
    found = {int(id[1]) - 1: own for id, own in FIRSTS.items()}
    path = str(tmp_path / "people.csv")
    for truth, guess in ((f"{path}::gold", f"{path}::run"), (frame, frame)):
        sides = [cd.read(one, id="", cluster=own) for one, own in ((truth, "gold"), (guess, "run"))]
        told = cd.explain(sides[0], sides[1], records=None if truth is not frame else frame)
        assert rows_of(told, "first") == found


def test_ids_of_several_columns_and_samples(tmp_path: Path) -> None:
    frame = PEOPLE.assign(doc=["d"] * 3 + ["e"] * 3, at=[1, 2, 3] * 2).drop(columns="id")
    frame.to_csv(tmp_path / "a.csv", index=False)
    truth, guess = (f"{tmp_path / 'a.csv'}::{own}" for own in ("gold", "run"))
    names = {"d/1": "JOERG", "d/2": "JORG", "d/3": "ANNA", "e/1": None, "e/2": "HERBERT"}
    for told in (
        explained(frame, id=["doc", "at"]),
        cd.explain(cd.read(truth, id=["doc", "at"]), cd.read(guess, id=["doc", "at"])),
    ):
        assert rows_of(told, "first") == {id: (own,) for id, own in names.items()}
    told = explained(frame, id="at", samples="doc")
    sampled = {(row["sample"], row["id"]): row["first"] for row in told.records(None, None)}
    assert sampled == {(s, int(i)): names[f"{s}/{i}"] for s, i in sampled}
    assert sampled == {("d", 1): "JOERG", ("d", 2): "JORG", ("e", 1): None, ("e", 2): "HERBERT"}


def test_covers_soft_clusterings_and_diffs() -> None:
    records = PEOPLE[["id", "first"]]
    gold, other = (dict(zip(PEOPLE["id"], PEOPLE[own], strict=True)) for own in ("gold", "run"))
    one, two = ({id: [own] for id, own in side.items()} for side in (gold, other))
    told = cd.explain(one, two, kind="cover", records=records)
    assert rows_of(told, "first") == {id: (FIRST[id],) for id in rows_of(told)}
    assert "HERBERT" in str(told)
    unsure = cd.Fuzzy({id: {own: 0.8, "x": 0.2} for id, own in other.items()})
    told = cd.explain(gold, unsure, records=records)
    assert rows_of(told, "first") == {id: (FIRST[id],) for id in PEOPLE["id"]}
    for kind, sides in (("partition", (gold, other, gold)), ("cover", (one, two, one))):
        change = cd.diff(*sides, kind=kind, records=records)
        assert rows_of(change, "first").items() >= {("r1", ("JOERG",)), ("r5", ("HERBERT",))}
        assert "HERBERT" in change.to_text(80)


def test_which_columns_are_shown() -> None:
    wide = PEOPLE.assign(**{f"c{i}": i for i in range(9)})

    def shown(**options: Any) -> list[str]:
        return list(explained(wide, **options).records(1, 1)[0])[len(cd.Explanation.columns) :]

    others = ["first", "last", "born", *(f"c{i}" for i in range(9))]
    assert shown() == others[:8]
    assert shown(show="all") == others
    assert shown(show="none") == shown(show=[]) == []
    assert shown(show="born, first") == shown(show=["born", "first"]) == ["born", "first"]
    assert shown(show=["run", "id"]) == ["run", "id_"]
    assert shown(records=PEOPLE[["id", "last"]]) == ["last"]
    assert "Records:" not in str(explained(show="none"))
    assert "(r3, r4)" in str(explained(show="none"))


def test_columns_of_the_queue_keep_their_names() -> None:
    odd = PEOPLE.rename(columns={"first": "kind", "last": "kind_", "born": "share"})
    [row, *_] = explained(odd).records(1, 1)
    assert [row[key] for key in ("kind", "kind_", "kind__")] == ["split", "JOERG", "ZIMMERMANN"]
    assert row["share_"] == 1961


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"show": "frist"}, MissingColumn, "did you mean first"),
        ({"records": PEOPLE, "show": "frist"}, MissingColumn, "did you mean first"),
        ({"records": PEOPLE[["first", "last"]]}, ClusterdiffError, "no column that is named like"),
        ({"records": pd.concat([PEOPLE, PEOPLE])}, ClusterdiffError, "several records of 'r1'"),
        ({"records": [1, 2]}, ClusterdiffError, "a list is not one"),
        ({"records": "-"}, ClusterdiffError, "standard input is read once"),
        ({"records": "nowhere.csv"}, ClusterdiffError, "not found"),
    ],
)
def test_tables_that_are_no_records_are_refused(
    options: Any, error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=words):
        str(explained(**options))


def test_nothing_to_show_is_said() -> None:
    with pytest.raises(ClusterdiffError, match="have no other columns"):
        cd.explain([1, 1], [1, 2], show="name")
    strangers = PEOPLE.assign(id=range(6))
    with pytest.warns(ClusterdiffWarning, match="has no record of 'r1'"):
        str(explained(records=strangers))


def test_explanations_travel_with_their_records(tmp_path: Path) -> None:
    for told in (explained(), cd.explain(**as_csv(tmp_path))):
        assert str(pickle.loads(pickle.dumps(told))) == str(told)


def test_a_file_that_is_gone_takes_no_explanation_with_it(tmp_path: Path) -> None:
    told = cd.explain(**as_csv(tmp_path))
    (tmp_path / "people.csv").unlink()
    text = str(told)
    assert "2 of 2 (r3, r4); 1 of 3 (r5)" in text
    assert "first" not in text


def test_records_of_json_are_left_where_they_are(tmp_path: Path) -> None:
    rows = PEOPLE.astype(object).where(PEOPLE.notna(), None).to_dict("records")
    (tmp_path / "people.json").write_text(json.dumps(rows))
    path = str(tmp_path / "people.json")
    told = cd.explain(cd.read(path, cluster="gold"), cd.read(path, cluster="run"))
    assert list(told.records(1, 1)[0]) == list(cd.Explanation.columns)
    assert "Records:" not in str(told)
    with pytest.raises(ClusterdiffError, match="is not a table with a row for each object"):
        explained(records=path)


def test_records_change_no_number(tmp_path: Path) -> None:
    given = as_csv(tmp_path)
    plain = cd.explain(**given, show="none")
    for options in ({}, {"show": "all"}, {"records": PEOPLE.assign(born="x")}):
        told = cd.explain(**given, **options, confidence=0.95)
        assert told.score.value == plain.score.value
        assert told.score.meet.digest == plain.score.meet.digest
        assert [(p.loss, p.kind, p.objects) for p in told.top(None)] == [
            (p.loss, p.kind, p.objects) for p in plain.top(None)
        ]
    runs = given["guess"], given["truth"]
    for flags in ([], ["--show", "none"], ["--show", "born,last"]):
        ran = run("diff", given["truth"], *runs, *flags, "--fail-on-regression", "elm_f")
        assert (ran.code, "elm_f 0.3889 -> 1.0000" in ran.stdout) == (0, True)


HOSTILE = [
    "\x1b[31mred", "=1+1", "+cmd|' /C calc'!A0", "-2", "@SUM(A1)", "line\nbreak\r\nmore",
    "</script><script>alert(1)</script>", "<img src=x onerror=alert(1)>", "[bold]x[/bold]",
    "bidi\u202e", "x" * 100_000, "", "日本" * 30, "a,b;c\td\"e'",
]  # fmt: skip


def test_hostile_values_are_harmless() -> None:
    ids = [f"r{i}" for i in range(len(HOSTILE))]
    table = pd.DataFrame({"id": ids, "gold": 1, "run": range(len(ids)), "<b>\x1b": HOSTILE})
    told = explained(table)
    for width in (40, 80):
        lines = told.to_text(width, ids=None).splitlines()
        assert max(map(columns, lines)) <= width
        assert not {"\x1b", "\u202e", "\r"} & set("".join(lines))
    assert "<script" not in told._repr_html_() + told.to_markdown(ids=None)
    assert "&lt;script" in told._repr_html_()
    queue = list(csv.DictReader(io.StringIO(told.to_csv(), newline="")))
    assert not any(row["<b>\x1b"].startswith(("=", "+", "-", "@", "\t", "\r")) for row in queue)
    assert {row["<b>\x1b"].removeprefix("'") for row in queue} == set(HOSTILE)
    assert set(told.to_frame()["<b>\x1b"]) == set(HOSTILE)


def test_values_that_are_lists_bytes_or_dates_are_shown_cut() -> None:
    odd = [[1] * 500, b"\x00\xff" * 200, pd.Timestamp("2020-01-02"), {"a": 1}, float("nan"), 1e20]
    table = PEOPLE.assign(odd=pd.Series(odd, dtype=object))[["id", "gold", "run", "odd"]]
    text = explained(table).to_text(80, ids=None)
    assert "[1, 1, 1" in text
    assert "2020-01-02" in text
    assert max(map(columns, text.splitlines())) <= 80


def test_the_prompt_shows_them_too(tmp_path: Path) -> None:
    given = as_csv(tmp_path)
    sides = given["truth"], given["guess"]
    assert "HERBERT*" in run("explain", *sides).stdout
    PEOPLE[["id", "born"]].to_csv(tmp_path / "more.csv", index=False)
    other = run("explain", *sides, "--records", str(tmp_path / "more.csv")).stdout
    assert "Records: more.csv." in other
    assert "HERBERT" not in other
    queue = list(csv.DictReader(io.StringIO(run("explain", *sides, "-f", "csv").stdout)))
    assert {row["id"]: row["first"] or None for row in queue} == {
        i: o for i, (o,) in FIRSTS.items()
    }
    wrong = run("explain", *sides, "--show", "frist")
    assert (wrong.code, "--show first" in wrong.stderr) == (2, True)
    parts = json.loads(run("explain", *sides, "-f", "json").stdout)["components"]
    [merged] = [part for part in parts if part["kind"] == "merged"]
    assert merged["records"][2] == {
        "id": "r5",
        "first": "HERBERT",
        "last": "MAIER",
        "born": "1955",
    }


@pytest.mark.skipif(not DATA.exists(), reason="the data sets are not here")
def test_why_two_models_split_and_merge_people() -> None:
    """Names and dates of birth stand beside the records that a model of splink got wrong."""
    path = str(DATA / "febrl3_people.csv")
    people = pd.read_csv(path, dtype=str, skipinitialspace=True).set_index("rec_id")
    wanted = ["given_name", "surname", "date_of_birth"]
    told = cd.explain(f"{path}::entity", f"{path}::splink_v1", show=wanted)
    queue = told.to_frame()
    frame = people.loc[queue["id"]]
    for name in wanted:
        assert queue[name].tolist() == frame[name].where(frame[name].notna(), None).tolist()
    assert len(queue) == 495
    swapped = queue[queue["truth"] == 83]
    assert swapped["given_name"].tolist() == swapped["surname"].tolist()[::-1]
    text = told.to_text(80)
    assert max(map(columns, text.splitlines())) <= 80
    assert "rec-83-dup-0  rec-83-dup-0  harslett*   freya*" in text
    change = cd.diff(f"{path}::entity", f"{path}::splink_v1", f"{path}::splink_v2", show=wanted)
    assert len(change.to_frame()) == sum(one.size for one in change.entries(None, 0))
    assert "harslett*" in change.to_text(80, top=20)


def test_scores_of_objects_have_columns_on_request() -> None:
    plain, shown = (cd.objects(PEOPLE, **SIDES, **more) for more in ({}, {"show": "last,born"}))
    assert list(plain.to_frame().columns) == ["id", "score"]
    frame = shown.to_frame()
    assert list(frame.columns) == ["id", "score", "last", "born"]
    assert frame["last"].tolist() == PEOPLE["last"].tolist()
    assert shown.scores.tolist() == plain.scores.tolist()
    assert "MEIER" in shown.to_text(80)
    sampled = PEOPLE.assign(doc=["d"] * 3 + ["e"] * 3, at=[1, 2, 3] * 2)
    found = cd.objects(sampled, **SIDES, id="at", samples="doc", show="last").to_frame()
    assert found["last"].tolist() == PEOPLE["last"].tolist()


def test_drawn_records_stand_beside_what_is_known_of_them(tmp_path: Path) -> None:
    """Their columns take no part in what is estimated, whatever they are called."""
    people = pd.concat(
        PEOPLE.assign(
            id=PEOPLE["id"] + f"-{k}", run=PEOPLE["run"] + 9 * k, gold=PEOPLE["gold"] + 9 * k
        )
        for k in range(10)
    ).set_index("id")
    path, sheet = str(tmp_path / "run.csv"), str(tmp_path / "sheet.csv")
    named = {"run": "cluster", "first": "label", "last": "truth"}
    people[list(named)].rename(columns=named).to_csv(path)
    ran = run("draw", f"{path}::cluster", "--records", "12", "--seed", "1", "-o", sheet)
    assert ran.code == 0, ran.stderr
    lines = pd.read_csv(sheet)
    assert list(lines.columns)[-2:] == ["label_", "truth_"]
    assert lines["truth_"].tolist() == people.loc[lines["id"], "last"].tolist()
    lines["truth"] = people.loc[lines["id"], "gold"].tolist()
    lines["others_of_this_entity_not_listed_here"] = "none"
    lines.to_csv(sheet, index=False)
    found = cd.estimate(sheet, f"{path}::cluster", design="records")
    lines.drop(columns=["label_", "truth_"]).to_csv(sheet, index=False)
    assert str(found) == str(cd.estimate(sheet, f"{path}::cluster", design="records"))
    drawn = cd.draw(people["run"].to_dict(), 3, table=people, show="last").records()
    assert [row["last"] for row in drawn] == [people["last"][row["id"]] for row in drawn]


def test_the_page_shows_records_and_finds_parts_by_them() -> None:
    html = cd.page(PEOPLE, **SIDES).html
    assert "<td><mark>HERBERT</mark></td>" in html
    assert "same: last ZIMMERMANN, born 1961" in html
    assert any("HERBERT" in part.text for part in parts_of(html))
    covers = [
        {id: [own] for id, own in zip(PEOPLE["id"], PEOPLE[s], strict=True)} for s in SIDES.values()
    ]
    html = cd.page(covers[0], covers[1], kind="cover", records=PEOPLE, show="last").html
    assert "<td>MAIER</td>" in html
    hostile = PEOPLE.assign(last="</script><img src=x>")
    assert "<img" not in cd.page(hostile, **SIDES).html.partition("<script>")[0]
    assert "HERBERT" not in cd.page(PEOPLE, **SIDES, show="none").html


def test_one_object_has_its_record_and_those_of_its_companions(tmp_path: Path) -> None:
    told = explained()
    found = told.object("r5")
    assert [(row["with"], row["id"], row["first"]) for row in found.records] == [
        ("itself", "r5", "HERBERT"), ("wrong", "r3", "ANNA"), ("wrong", "r4", None),
    ]  # fmt: skip
    assert found.to_dict()["records"] == found.records
    assert "records" not in explained(show="none").object("r5").to_dict()
    assert re.search(r"\n +itself +r5 +HERBERT +MAIER +1955\n +wrong +r3 +ANNA", found.to_text(80))
    assert "<td" in found._repr_html_()
    assert "HERBERT" in found._repr_html_()
    ran = run("explain", *as_csv(tmp_path).values(), "--object", "r1")
    assert re.search(r"missing +r2 +JORG", ran.stdout)
    covers = [
        {id: [own] for id, own in zip(PEOPLE["id"], PEOPLE[s], strict=True)} for s in SIDES.values()
    ]
    told = cd.explain(covers[0], covers[1], kind="cover", records=PEOPLE, show="first")
    one = told.object("r5")
    assert {row["id"]: row["first"] for row in one.records} == {
        "r5": "HERBERT",
        "r3": "ANNA",
        "r4": None,
    }


def test_markdown_and_latex_have_the_records() -> None:
    told = explained()
    assert "| 2 | merged | 3 | 3 | r5 | HERBERT | MAIER | 1955 |" in told.to_markdown()
    assert "HERBERT & MAIER & 1955" in told.to_latex()
    assert "HERBERT" not in explained(show="none").to_markdown() + explained(show="none").to_latex()


def test_columns_that_are_clusters_are_not_shown_beside_them() -> None:
    """Of the tables that truth and a guess come from as columns with other names."""
    truth, guess = (dict(zip(PEOPLE["id"], PEOPLE[s], strict=True)) for s in SIDES.values())
    told = cd.explain(truth, guess, records=PEOPLE)
    assert told.to_text(80).count("gold") == told.to_text(80).count(" run ") == 0
    assert "gold" in told.to_frame().columns


def test_records_of_counted_objects_are_counted_once(tmp_path: Path) -> None:
    truth, guess = tmp_path / "t.csv", tmp_path / "g.csv"
    truth.write_text("id,cluster,w,name\n1,a,3,x\n2,a,1,y\n3,b,2,z\n4,b,5,u\n")
    guess.write_text("id,cluster\n1,x\n2,x\n3,x\n4,y\n")
    found = cd.explain(truth, guess, count="w")
    assert "more" not in found.to_text()
    assert all(f" {name}" in found.to_text() for name in "xyzu")
