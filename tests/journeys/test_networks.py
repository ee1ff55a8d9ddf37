"""Communities of a network: networkx, igraph and cdlib, partitions and covers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import clusterdiff as cd
from cli.runner import run
from journeys.places import DATA
from oracles import ORACLES, overlapping
from refusals import refuses

CLUB = DATA / "network_karate.json"
pytestmark = pytest.mark.skipif(not CLUB.exists(), reason="the data sets are not here")


@pytest.fixture(scope="module")
def club() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(CLUB.read_text(encoding="utf-8"))
    return found


def labelled(communities: Any) -> dict[Any, int]:
    return {node: i for i, nodes in enumerate(communities) for node in nodes}


def test_networkx_communities_and_its_graph(club: dict[str, Any]) -> None:
    networkx = pytest.importorskip("networkx")
    graph = networkx.Graph(club["edges"])
    truth = dict(enumerate(club["truth"]))
    found = networkx.community.louvain_communities(graph, seed=0)
    want = float(ORACLES["adjusted_rand"](truth, labelled(found)))
    for guess in (found, tuple(map(frozenset, found)), labelled(found), iter(found)):
        assert cd.adjusted_rand(truth, guess) == pytest.approx(want)
    networkx.set_node_attributes(graph, labelled(found), "community")
    assert cd.adjusted_rand(truth, dict(graph.nodes(data="community"))) == pytest.approx(want)
    refuses("graph", cd.adjusted_rand, truth, graph)
    for verb in (cd.compare, cd.explain, cd.page):
        refuses("graph", verb, truth, graph)


def test_igraph_communities_and_its_graph(club: dict[str, Any]) -> None:
    igraph = pytest.importorskip("igraph")
    graph = igraph.Graph(edges=club["edges"])
    found = graph.community_fastgreedy().as_clustering()
    truth = club["truth"]
    want = float(
        ORACLES["adjusted_rand"](dict(enumerate(truth)), dict(enumerate(found.membership)))
    )
    assert cd.adjusted_rand(truth, found) == pytest.approx(want)
    told = cd.explain(truth, found, "bcubed_f")
    assert float(told.score) == pytest.approx(
        float(ORACLES["bcubed_f"](dict(enumerate(truth)), dict(enumerate(found.membership))))
    )
    refuses("graph", cd.adjusted_rand, truth, graph)


@pytest.mark.parametrize("align", ["shared", "singletons", "penalise"])
def test_a_cover_of_some_nodes_through_every_verb(
    club: dict[str, Any], align: str, tmp_path: Path
) -> None:
    """Clique percolation leaves nodes out, so the sides have different objects."""
    truth = dict(enumerate(club["truth"]))
    lists = club["cover_4_clique_percolation"]
    (tmp_path / "truth.csv").write_text(
        "id,cluster\n" + "".join(f"{n},{c}\n" for n, c in truth.items())
    )
    (tmp_path / "cliques.clusters").write_text(
        "".join(" ".join(map(str, nodes)) + "\n" for nodes in lists)
    )
    files = (str(tmp_path / "truth.csv"), str(tmp_path / "cliques.clusters"))
    left: dict[Any, Any] = {n: {("t", c)} for n, c in truth.items()}
    right: dict[Any, Any] = {}
    for i, nodes in enumerate(lists):
        for node in nodes:
            right.setdefault(node, set()).add(i)
    if align == "shared":
        left = {n: c for n, c in left.items() if n in right}
    if align == "singletons":
        right = {n: right.get(n, {("alone", n)}) for n in left}
    want = float(overlapping.extended_bcubed_f(left, right))
    flags = ["--kind", "cover", "--align", align]
    ran = run("compare", *files, *flags, "-m", "extended_bcubed_f", "-f", "json")
    assert ran.code == 0, ran.stderr
    shown = json.loads(ran.stdout)["guesses"]["cliques.clusters"]["extended_bcubed_f"]["value"]
    assert shown == pytest.approx(want, abs=1e-12)
    ran = run("explain", *files, *flags, "--by", "extended_bcubed_f", "-f", "json")
    assert ran.code == 0, ran.stderr
    assert json.loads(ran.stdout)["score"]["value"] == pytest.approx(want, abs=1e-12)
    page = tmp_path / "page.html"
    ran = run("report", *files, *flags, "-m", "extended_bcubed_f", "-o", str(page))
    assert ran.code == 0, ran.stderr
    assert f"{want:.4f}" in page.read_text(encoding="utf-8")


def test_cdlib_communities(club: dict[str, Any]) -> None:
    cdlib = pytest.importorskip("cdlib")
    networkx = pytest.importorskip("networkx")
    graph = networkx.Graph(club["edges"])
    found = networkx.community.louvain_communities(graph, seed=0)
    clustering = cdlib.NodeClustering([sorted(c) for c in found], graph, "louvain")
    want = float(ORACLES["adjusted_rand"](dict(enumerate(club["truth"])), labelled(found)))
    assert cd.adjusted_rand(dict(enumerate(club["truth"])), clustering) == pytest.approx(want)


@pytest.mark.filterwarnings("ignore:the matrix subclass:PendingDeprecationWarning")
@pytest.mark.filterwarnings("ignore:The `randomize`:DeprecationWarning")
def test_cdlib_overlapping_fuzzy_and_maps(club: dict[str, Any]) -> None:
    """Communities of cdlib that leave nodes out, that overlap, and that have degrees."""
    cdlib = pytest.importorskip("cdlib")
    networkx = pytest.importorskip("networkx")
    algorithms = pytest.importorskip("cdlib.algorithms")
    graph = networkx.Graph(club["edges"])
    truth = dict(enumerate(club["truth"]))
    cliques = algorithms.kclique(graph, 4)
    assert cliques.overlap
    assert cliques.node_coverage < 1
    left: dict[Any, set[Any]] = {n: {("t", c)} for n, c in truth.items()}
    right: dict[Any, set[Any]] = {n: set() for n in graph}
    for i, nodes in enumerate(club["cover_4_clique_percolation"]):
        for node in nodes:
            right[node].add(i)
    for measure in ("extended_bcubed_f", "cice_f", "omega", "onmi"):
        want = float(getattr(overlapping, measure)(left, right))
        assert cd.measure(measure)(truth, cliques) == pytest.approx(want), measure
        whole = {n: cliques.to_node_community_map().get(n, []) for n in graph}
        assert cd.compare(truth, whole, measure, kind="cover")[measure].value == (
            pytest.approx(want)
        )
    assert cd.omega(cdlib.NodeClustering([[n for n in truth if truth[n] == c] for c in (0, 1)],
                                         graph, "truth"), cliques) == pytest.approx(
        float(overlapping.omega(left, right))
    )  # fmt: skip
    louvain = algorithms.louvain(graph)
    want = float(ORACLES["adjusted_rand"](truth, labelled(louvain.communities)))
    peer = cdlib.NodeClustering([[n for n in truth if truth[n] == c] for c in (0, 1)], graph)
    assert peer.adjusted_rand_index(louvain).score == pytest.approx(want)
    for found in (louvain, louvain.to_node_community_map()):
        assert cd.compare(truth, found, "adjusted_rand")["adjusted_rand"].value == (
            pytest.approx(want)
        )
    fuzzy = algorithms.frc_fgsn(graph, theta=1, eps=0.5, r=3)
    assert len(fuzzy.allocation_matrix) == 34 > sum(map(len, fuzzy.communities))
    degrees = {
        n: {k: float(v) for k, v in own.items()} for n, own in fuzzy.allocation_matrix.items()
    }
    report = cd.compare(truth, fuzzy)
    assert report["rand_belief"].value == cd.rand_belief(truth, cd.Fuzzy(degrees))
    refuses("19 of 34 objects are only in truth", cd.compare, truth, fuzzy, kind="partition")


def test_lists_of_igraph_are_communities(club: dict[str, Any]) -> None:
    """list(clustering) has the vertices of each community, which cannot be labels."""
    igraph = pytest.importorskip("igraph")
    graph = igraph.Graph(edges=club["edges"])
    found = graph.community_fastgreedy().as_clustering()
    other = graph.community_label_propagation()
    truth = dict(enumerate(club["truth"]))
    want = cd.adjusted_rand(club["truth"], found)
    assert cd.adjusted_rand(truth, list(found)) == want
    assert cd.adjusted_rand(found, list(found)) == 1
    assert cd.adjusted_rand(list(found), list(other)) == pytest.approx(
        igraph.compare_communities(found, other, "adjusted_rand")
    )
    text = cd.compare(truth, {"lists": list(found), "found": found}, "elm_f").to_text()
    assert f"lists: read as {len(found)} clusters, each given by its members" in text
    assert cd.matrix([list(found), found], "rand").values[0, 1] == 1
    refuses("guess has ids, truth has none", cd.adjusted_rand, club["truth"], list(found))
    overlapping_ones = [sorted({*own, 0, 33}) for own in found]
    cover = igraph.VertexCover(graph, overlapping_ones)
    assert cd.omega(truth, list(cover)) == cd.omega(truth, cover) == pytest.approx(
        float(overlapping.omega({n: {("t", c)} for n, c in truth.items()}, members(list(cover))))
    )  # fmt: skip


def members(communities: Any) -> dict[Any, set[int]]:
    """The communities of each node, by number."""
    found: dict[Any, set[int]] = {}
    for i, nodes in enumerate(communities):
        for node in nodes:
            found.setdefault(node, set()).add(i)
    return found


@pytest.mark.filterwarnings("ignore:the matrix subclass:PendingDeprecationWarning")
def test_lists_of_cdlib_are_communities(club: dict[str, Any]) -> None:
    """`.communities` are lists of nodes; they overlap where the algorithm says so."""
    pytest.importorskip("cdlib")
    networkx = pytest.importorskip("networkx")
    algorithms = pytest.importorskip("cdlib.algorithms")
    graph = networkx.Graph(club["edges"])
    truth = dict(enumerate(club["truth"]))
    louvain, cliques = algorithms.louvain(graph), algorithms.kclique(graph, 3)
    assert cd.adjusted_rand(truth, louvain.communities) == cd.adjusted_rand(truth, louvain)
    assert len({len(louvain.communities), len(cliques.communities)}) == 2
    how: dict[str, Any] = {"align": "singletons"}  # of nodes in no clique the lists say nothing
    said = cd.Cover.from_clusters(cliques.communities)
    for measure in ("omega", "cover_f1", "extended_bcubed_f"):
        want = cd.measure(measure)(truth, said, **how)
        assert cd.measure(measure)(truth, cliques.communities, **how) == want
        guesses = {"lists": cliques.communities, "said": said}
        both = cd.compare(louvain.communities, guesses, measure, kind="cover", **how)
        assert both[measure]["lists"].value == both[measure]["said"].value
        assert "lists: read as 3 clusters, each given by its members" in both.to_text()
    unclear = [[0, 1], [1, 2]]
    refuses("labels of each object or the objects of each", cd.omega, unclear, unclear)


@pytest.mark.filterwarnings("ignore:The inplace keyword")
def test_f1_of_cdlib_is_another_measure(club: dict[str, Any]) -> None:
    """As docs/peers.md has it: one side alone, the most shared nodes, and two decimals."""
    cdlib = pytest.importorskip("cdlib")
    networkx = pytest.importorskip("networkx")
    algorithms = pytest.importorskip("cdlib.algorithms")
    graph = networkx.Graph(club["edges"])
    club_of = [[n for n, of in enumerate(club["truth"]) if of == side] for side in (0, 1)]
    truth, found = cdlib.NodeClustering(club_of, graph), algorithms.louvain(graph)

    def one_sided(first: Any, second: Any) -> float:
        scores = []
        for own in map(set, first.communities):
            most = max(len(own & set(other)) for other in second.communities)
            scores += [
                round(2 * most / (len(own) + len(other)), 2)
                for other in second.communities
                if len(own & set(other)) == most
            ]
        return sum(scores) / len(scores)

    for pair in ((found, truth), (truth, found)):
        assert cdlib.evaluation.f1(*pair).score == pytest.approx(one_sided(*pair), abs=0.011)
    ours = cd.cover_f1(truth, found)
    assert ours == pytest.approx(cd.cover_f1(found, truth))
    for pair in ((found, truth), (truth, found)):
        assert abs(cdlib.evaluation.f1(*pair).score - ours) > 0.02


def test_attributes_through_graphml_gml_and_json(club: dict[str, Any], tmp_path: Path) -> None:
    """One graph with a truth and runs: in memory, in igraph, and in files."""
    networkx = pytest.importorskip("networkx")
    igraph = pytest.importorskip("igraph")
    graph = networkx.Graph(club["edges"])
    graph = networkx.relabel_nodes(graph, lambda n: f"node {n}")
    graph.add_nodes_from(f"node {n}" for n in range(34))
    runs = next(value for key, value in club.items() if key.startswith("partitions"))
    names = {"club": club["truth"], **runs}
    for name, labels in names.items():
        values = {f"node {n}": label for n, label in enumerate(labels)}
        networkx.set_node_attributes(graph, values, name)
    networkx.write_graphml(graph, tmp_path / "g.graphml")
    networkx.write_gml(graph, tmp_path / "g.gml")
    linked = json.dumps(networkx.node_link_data(graph))
    (tmp_path / "g.json").write_text(linked)
    same = igraph.Graph.from_networkx(graph)
    in_memory = cd.compare(graph, "adjusted_rand", truth="club", guesses=list(runs))
    in_igraph = cd.compare(same, "adjusted_rand", truth="club", guesses=list(runs))
    data = f"{CLUB}::{next(key for key in club if key.startswith('partitions'))}"
    for name, labels in runs.items():
        want = float(
            ORACLES["adjusted_rand"](dict(enumerate(club["truth"])), dict(enumerate(labels)))
        )
        for report in (in_memory, in_igraph):
            assert report["adjusted_rand"][name].value == pytest.approx(want)
        for file, column in (("g.graphml", "{}"), ("g.gml", "{}"), ("g.json", "nodes.{}")):
            truth, guess = (f"{tmp_path / file}::{column.format(n)}" for n in ("club", name))
            assert cd.adjusted_rand(truth, guess) == pytest.approx(want)
            ran = run("compare", truth, guess, "-m", "adjusted_rand")
            assert f"{want:.4f}" in ran.stdout, ran.stderr
        assert cd.adjusted_rand(f"{CLUB}::truth", f"{data}.{name}") == pytest.approx(want)


def test_a_diff_of_covers_from_files_and_memory(club: dict[str, Any], tmp_path: Path) -> None:
    """Louvain and clique percolation against the club, as files and as covers, object by object."""
    runs = next(value for key, value in club.items() if key.startswith("partitions"))
    truth: dict[Any, set[Any]] = {str(n): {c} for n, c in enumerate(club["truth"])}
    old: dict[Any, set[Any]] = {str(n): {c} for n, c in enumerate(runs["louvain_seed0"])}
    new: dict[Any, set[Any]] = {n: set() for n in truth}
    for i, nodes in enumerate(club["cover_4_clique_percolation"]):
        for node in nodes:
            new[str(node)].add(i)
    files = []
    for name, side in (("truth", truth), ("old", old), ("new", new)):
        files.append(str(tmp_path / f"{name}.json"))
        Path(files[-1]).write_text(json.dumps({n: sorted(own) for n, own in side.items()}))
    by = "extended_bcubed_recall"
    ran = run("diff", *files, "--kind", "cover", "--by", by, "-m", by, "-f", "json", "--top",
              "all", "--objects", "all", "--fail-on-regression", by)  # fmt: skip
    assert ran.code == 1
    found = json.loads(ran.stdout)
    scores = [overlapping.extended_bcubed_values(truth, run_) for run_ in (old, new)]
    gain = {n: float(scores[1][n][1] - scores[0][n][1]) / 34 for n in truth}
    for part in found["worse"] + found["better"]:
        assert part["change"] == pytest.approx(sum(gain[n] for n in part["ids"]), abs=1e-12)
        assert all(truth[n] == set(part["truth"]) for n in part["ids"])
        assert all(old[n] == set(part["old"]) for n in part["ids"])
        assert all(new[n] == set(part["new"]) for n in part["ids"])
    changed = {n for part in found["worse"] + found["better"] for n in part["ids"]}
    assert changed == {n for n in truth if abs(gain[n]) > 1e-12}
    in_memory = cd.diff(cd.Cover(truth), cd.Cover(old), cd.Cover(new), by, by)
    assert in_memory.objects == found["objects"]
    assert in_memory.change[by] == pytest.approx(found["scores"][by]["change"])


@pytest.mark.skipif(not (DATA / "cover_philosophy.json").exists(), reason="no data")
def test_real_covers_by_key() -> None:
    """Philosophers and the pages that mention them: detected communities against themselves and
    the truth, by keys of one file.
    """
    path = DATA / "cover_philosophy.json"
    data = json.loads(path.read_text(encoding="utf-8"))
    truth, found = (
        {x: set(own) for x, own in data[side].items()} for side in ("truth", "detected")
    )
    by = "extended_bcubed_recall"
    gold, detected = f"{path}::truth", f"{path}::detected"
    change = cd.diff(gold, detected, gold, by, by, kind="cover")
    want = overlapping_recall(truth, found)
    got = change.report[by]
    assert got["old"].value == pytest.approx(sum(want.values()) / len(truth), abs=1e-12)
    assert got["new"].value == 1
    assert change.objects["repaired"] + change.objects["as right"] == len(truth)
    for part in change.changed(True, 50, None):
        gain = sum(1 - want[str(x)] for x in part.ids) / len(truth)
        assert part.change == pytest.approx(gain, abs=1e-12)


def overlapping_recall(truth: dict[str, set[Any]], guess: dict[str, set[Any]]) -> dict[str, float]:
    """Extended BCubed recall of each object, by its definition, with sets in place of fractions."""
    members: dict[Any, set[str]] = {}
    for x, own in truth.items():
        for label in own:
            members.setdefault(label, set()).add(x)
    found = {}
    for x, own in truth.items():
        mates = set().union(*(members[label] for label in own))
        shares = (
            min(len(own & truth[y]), len(guess[x] & guess[y])) / len(own & truth[y]) for y in mates
        )
        found[x] = sum(shares) / len(mates)
    return found
