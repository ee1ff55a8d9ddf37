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
    with pytest.raises(cd.ClusterdiffError, match="graph"):
        cd.adjusted_rand(truth, graph)
    for verb in (cd.compare, cd.explain, cd.page):
        with pytest.raises(cd.ClusterdiffError, match="graph"):
            verb(truth, graph)


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
    with pytest.raises(cd.ClusterdiffError, match="graph"):
        cd.adjusted_rand(truth, graph)


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
