"""Real clusterings: the numbers make sense, every way in agrees. Skipped where data are absent."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest
from sklearn.metrics import adjusted_rand_score

import clusterdiff as cd

DATA = Path(__file__).parents[3] / "shared" / "data"
pytestmark = pytest.mark.skipif(not DATA.exists(), reason="the data sets are not here")


@pytest.mark.parametrize(
    ("name", "id", "truth", "guess"),
    [
        ("febrl1.csv", "rec_id", "entity", "same_name"),
        ("febrl3.csv", "rec_id", "entity", "same_soc_sec"),
        ("rldata10000.csv", "record", "identity", "name_by"),
        ("pbmc68k_reduced_labels.csv", "cell", "bulk_labels", "louvain"),
    ],
)
def test_tables_with_truth_and_guess(name: str, id: str, truth: str, guess: str) -> None:
    path = DATA / name
    left = cd.read(path, id=id, cluster=truth)
    right = cd.read(path, id=id, cluster=guess)
    frame = pl.read_csv(path, infer_schema_length=0)
    report = cd.compare(left, right)
    assert report["adjusted_rand"].value == pytest.approx(
        adjusted_rand_score(frame[truth], frame[guess]), abs=1e-12
    )
    again = cd.compare(frame[truth], frame[guess])
    assert [again[m].value for m in again] == [report[m].value for m in report]
    assert 0 < report["elm_f"].value < report["bcubed_f"].value < 1


def test_documents_of_litbank() -> None:
    frame = pl.read_csv(DATA / "coref_litbank.csv").with_columns(
        mention=pl.format("{}-{}", "start", "end")
    )
    gold = frame.select("doc", id="mention", cluster="gold")
    string = frame.select("doc", id="mention", cluster="same_string")
    report = cd.compare(gold, string, ["elm_f", "muc_f", "conll", "lea_f"], samples="doc")
    assert len(report.samples) == 100
    assert report["conll"].std is not None
    assert 0 < report["conll"].micro < 1
    first = frame.filter(pl.col("doc") == frame["doc"][0])
    assert report["elm_f"].each[0] == cd.elm_f(first["gold"], first["same_string"])


def test_communities_of_the_karate_club() -> None:
    net = json.loads((DATA / "network_karate.json").read_text())
    for guess in net["partitions_computed_here_networkx_3.6.1"].values():
        report = cd.compare(net["truth"], guess)
        assert 0 < report["split_merge"].value <= 1


def test_a_release_against_itself_and_another() -> None:
    frame = pl.read_parquet(DATA / "patentsview_inventors.parquet")
    last = [c for c in frame.columns if c.startswith("pred_")][-1]
    report = cd.compare(frame["reference"], frame[last], noise=-1, noise_as="drop")
    known = frame.filter((pl.col("reference") != -1) & (pl.col(last) != -1))
    assert report["elm_f"].value == cd.elm_f(known["reference"], known[last])
    assert report["elm_f"].meet.alignment.noise == len(frame) - len(known)


@pytest.fixture(scope="module")
def philosophers() -> tuple[cd.Cover, cd.Cover]:
    """1,134 pages on philosophers in 5,416 categories, and 873 communities found."""
    data = json.loads((DATA / "cover_philosophy.json").read_text())
    return cd.Cover(data["truth"]), cd.Cover(data["detected"])


def test_philosophers_by_every_measure(philosophers: tuple[cd.Cover, cd.Cover]) -> None:
    names = [m.name for m in cd.measures() if "cover" in m.needs]
    report = cd.compare(*philosophers, [*names, "onmi(variant='lfk')", "cice_f(match='pair')"])
    found = {str(m): report[m].value for m in report}
    assert report["omega"].meet.objects == 1134
    assert (len(philosophers[0].labels), len(philosophers[1].labels)) == (5416, 873)
    assert all(-1 <= value < 1 for value in found.values())
    for part in ("precision", "recall", "f"):
        assert 0 < found[f"cice_{part}"] < found[f"extended_bcubed_{part}"]
    assert found["cice_f(match='pair')"] <= found["cice_f"]
    for cover in philosophers:
        same = cd.compare(cover, cover, [name for name in names if cd.measure(name).claims.perfect])
        assert all(same[m].value == pytest.approx(cd.measure(m).best, abs=1e-12) for m in same)


def test_philosophers_as_the_peer_sees_them(philosophers: tuple[cd.Cover, cd.Cover]) -> None:
    import bcubed

    data = json.loads((DATA / "cover_philosophy.json").read_text())
    truth, guess = ({i: set(own) for i, own in data[s].items()} for s in ("truth", "detected"))
    precision = bcubed.precision(guess, truth)
    assert cd.extended_bcubed_precision(*philosophers) == pytest.approx(precision, abs=1e-12)
    assert cd.extended_bcubed_recall(*philosophers) == pytest.approx(
        bcubed.recall(guess, truth), abs=1e-12
    )


def test_philosophers_counted_and_visited_alike(
    philosophers: tuple[cd.Cover, cd.Cover], monkeypatch: pytest.MonkeyPatch
) -> None:
    from clusterdiff.measures import comembership as neighbours

    names = ["extended_bcubed_f", "cice_f", "cice_f(match='pair')", "omega"]
    wanted = [cd.compare(*philosophers, names)[m].value for m in names]
    monkeypatch.setattr(neighbours, "SUBSET", 1e9)
    visited = [cd.compare(*philosophers, names)[m].value for m in names]
    assert visited == pytest.approx(wanted, abs=1e-12)


def test_cliques_of_the_karate_club_overlap() -> None:
    data = json.loads((DATA / "network_karate.json").read_text())
    truth = dict(enumerate(data["truth"]))
    cliques = cd.Cover.from_clusters(data["cover_4_clique_percolation"], objects=truth)
    report = cd.compare(truth, cliques)
    assert report["extended_bcubed_recall"].value < report["extended_bcubed_precision"].value


def test_four_classes_by_a_mixture_model() -> None:
    """Chances, what is possible of them, and what is left open agree with each other."""
    from sklearn.mixture import GaussianMixture

    table = pl.read_csv(DATA / "fourclass.csv")
    points, truth = table.select("x1", "x2").to_numpy(), table["y"].to_list()
    model = GaussianMixture(4, random_state=0).fit(points)
    chances = cd.Fuzzy.from_model(model, points)
    expected = cd.transport("rand")(truth, chances).low
    assert cd.rand_alpha(truth, chances).low == pytest.approx(expected, abs=1e-12)
    hardened = cd.rand(truth, chances.harden())
    assert expected < hardened < 1
    moved = cd.transport("partition_distance", method="bounds")(truth, chances)
    drawn = cd.transport("partition_distance", method="sample", samples=300)(truth, chances)
    assert moved.width < 1e-3
    assert drawn.low <= moved.high
    assert moved.low <= drawn.high
    near = [
        {c for c, p in enumerate(row) if p > 0.2 * row.max()}
        for row in chances.degree[chances.code]
    ]
    rough = cd.Rough(near)
    found = cd.transport("partition_distance")(truth, rough)
    assert found.how.startswith("exact")
    assert found.low <= cd.partition_distance(truth, chances.harden()) <= found.high
    bounded = cd.rand_alpha(truth, rough)
    assert bounded.low <= cd.rand(truth, rough.harden()) <= bounded.high


@pytest.mark.parametrize(
    ("name", "truth", "guesses"),
    [
        ("febrl1.csv", "entity", ["same_name", "same_soc_sec"]),
        ("febrl2.csv", "entity", ["same_name_dob", "same_surname_postcode"]),
        ("febrl3.csv", "entity", ["same_name", "same_soc_sec"]),
        ("rldata500.csv", "identity", ["name", "name_by"]),
        ("rldata10000.csv", "identity", ["name_bm", "name_bd"]),
    ],
)
def test_engines_agree_on_records(name: str, truth: str, guesses: list[str]) -> None:
    given = f"{DATA / name}::{truth}", {guess: f"{DATA / name}::{guess}" for guess in guesses}
    measures = [m.name for m in cd.measures() if m.needs & {"shapes", "rows"}]
    wanted = cd.compare(*given, measures, engine="arrays").to_dict()
    assert cd.compare(*given, measures).to_dict() == wanted


@pytest.mark.parametrize("noise_as", ["singletons", "drop"])
def test_engines_agree_on_inventors(noise_as: str, tmp_path: Path) -> None:
    path = tmp_path / "inventors.parquet"
    frame = pl.read_parquet(DATA / "patentsview_inventors.parquet").with_row_index("id")
    frame.write_parquet(path)
    releases = [c for c in frame.columns if c.startswith("pred_")]
    given = f"{path}::reference", {c: f"{path}::{c}" for c in releases}
    wanted = cd.compare(*given, noise=-1, noise_as=noise_as, engine="arrays").to_dict()
    assert cd.compare(*given, noise=-1, noise_as=noise_as).to_dict() == wanted


@pytest.mark.parametrize(
    ("name", "ending"),
    [
        ("coref_litbank.csv", "csv"),
        ("coref_gum.parquet", "parquet"),
        pytest.param("coref_litbank.csv", "parquet", marks=pytest.mark.slow),
        pytest.param("coref_gum.parquet", "csv", marks=pytest.mark.slow),
    ],
)
def test_engines_agree_on_documents(name: str, ending: str, tmp_path: Path) -> None:
    path = DATA / name
    frame = pl.read_csv(path) if path.suffix == ".csv" else pl.read_parquet(path)
    frame = frame.with_columns(id=pl.format("{}-{}", "start", "end")).unique(
        ["doc", "id"], keep="first", maintain_order=True
    )

    def written(name: str, table: pl.DataFrame) -> Path:
        file = tmp_path / f"{name}.{ending}"
        _ = table.write_csv(file) if ending == "csv" else table.write_parquet(file)
        return file

    truth = written("truth", frame.select("doc", "id", cluster="gold"))
    guess = written("guess", frame.select("doc", "id", cluster="same_string"))
    half = written("half", frame.select("doc", "id", cluster="same_string").gather_every(2))
    wanted = cd.compare(truth, guess, samples="doc", engine="arrays").to_dict()
    assert len(wanted["samples"]) > 50
    assert cd.compare(truth, guess, samples="doc").to_dict() == wanted
    short = cd.compare(truth, half, samples="doc", align="penalise", engine="arrays").to_dict()
    assert cd.compare(truth, half, samples="doc", align="penalise").to_dict() == short


def test_what_patent_releases_lack_adds_up_and_reads_well() -> None:
    frame = pl.read_parquet(DATA / "patentsview_inventors.parquet").filter(pl.col("reference") >= 0)
    told = cd.explain(frame["reference"], frame["pred_20220630"])
    assert isinstance(told, cd.Explanation)
    assert sum(p.loss for p in told.top(None, 0)) == pytest.approx(1 - float(told.score), abs=1e-12)
    worst = told.top(1)[0]
    assert (worst.kind, worst.truth[0].size) == ("split", 159)
    text = told.to_text(80)
    assert "28 more: 28 split" in text
    assert max(map(len, text.splitlines())) <= 80
    change = cd.diff(frame["reference"], frame["pred_20170808"], frame["pred_20220630"])
    assert change.clusters["repaired"] > 20 * change.clusters["broken"]


def test_missing_labels_show_as_the_worst_component() -> None:
    frame = pl.read_parquet(DATA / "patentsview_inventors.parquet").filter(pl.col("reference") >= 0)
    told = cd.explain(frame["reference"], frame["pred_20170808"])
    assert isinstance(told, cd.Explanation)
    assert told.top(1)[0].guess[0] == (-1, 3715)
    settled = cd.explain(frame["reference"], frame["pred_20170808"], noise=-1)
    assert isinstance(settled, cd.Explanation)
    noise = {c.size for part in settled.top(None, 0) for c in part.guess if c.name == -1}
    assert noise == {1}


def test_documents_of_litbank_are_explained_one_by_one() -> None:
    frame = pl.read_csv(DATA / "coref_litbank.csv").with_columns(
        mention=pl.format("{}-{}", "start", "end")
    )
    sides = [frame.select("doc", id="mention", cluster=c) for c in ("gold", "same_string")]
    told = cd.explain(sides[0], sides[1], samples="doc")
    assert isinstance(told, cd.Explanation)
    report = cd.compare(sides[0], sides[1], "elm_f", samples="doc")
    assert told.score.value == report["elm_f"].micro
    assert "in 1342_pride_and_prejudice, 336 objects" in " ".join(told.to_text(200).split())
    assert all(part.sample is not None for part in told.top())
    first = frame.row(0, named=True)
    assert told.object(first["mention"], sample=first["doc"]).truth == first["gold"]


def test_a_run_that_drops_hard_records_gains_nothing() -> None:
    frame = pl.read_csv(DATA / "rldata10000.csv", infer_schema_length=0)
    truth = dict(zip(frame["record"], frame["identity"], strict=True))
    guess = dict(zip(frame["record"], frame["name_by"], strict=True))
    each = cd.objects("elm_f", truth, guess).to_dict()
    less = {record: label for record, label in guess.items() if each[record] > 0}
    assert 0 < len(less) < len(guess)
    alone = [cd.elm_f(truth, run, align="shared") for run in (guess, less)]
    assert alone[1] > alone[0]
    both = cd.compare(truth, {"all": guess, "less": less}, align="shared")
    assert both["elm_f"]["all"].value == both["elm_f"]["less"].value == alone[1]
    assert both["elm_f"]["all"].signature["among"] == (
        f"2 guesses({len(guess) - len(less)} left out, 0 added)"
    )
    apart = cd.compare(truth, {"all": guess, "less": less}, align="singletons")
    assert apart["elm_f"]["all"].value == alone[0]


def test_runs_against_a_truth_for_a_few_inventors() -> None:
    frame = pl.read_parquet(DATA / "patentsview_inventors.parquet")
    old, new = "pred_20170808", "pred_20220630"
    truth, runs = frame["reference"], {"old": frame[old], "new": frame[new]}
    known = frame.filter((pl.col("reference") != -1) & (pl.col(old) != -1) & (pl.col(new) != -1))
    found = cd.compare(truth, runs, ["elm_f", "pair_f"], noise=-1, noise_as="drop")
    for run, name in (("old", old), ("new", new)):
        for measure in ("elm_f", "pair_f"):
            wanted = cd.measure(measure)(known["reference"], known[name])
            assert found[measure][run].value == pytest.approx(wanted, abs=1e-12)
    among = frame.filter((pl.col("reference") != -1) & (pl.col(old) == -1))
    assert found["elm_f"]["new"].signature["among"] == f"2 guesses({len(among)} left out, 0 added)"
    change = cd.diff(truth, frame[old], frame[new], noise=-1, noise_as="drop")
    assert change.lost == (0, 13_467)
    assert cd.diff(truth, frame[new], frame[old], noise=-1, noise_as="drop").lost[0] == len(among)
    rise = found["elm_f"]["new"].value - found["elm_f"]["old"].value
    assert change.change["elm_f"] == pytest.approx(rise, abs=1e-12)
