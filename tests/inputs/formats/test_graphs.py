"""GraphML and GML: attributes of nodes as clusterings, and files that are none or mean harm."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import igraph
import networkx as nx
import pytest

import clusterdiff as cd
from clusterdiff.clusterings.base import Origin
from refusals import refuses

pytestmark = pytest.mark.usefixtures("folder")

HEAD = '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">'


def graph() -> Any:
    made = nx.relabel_nodes(nx.karate_club_graph(), lambda n: f'p {n}, "{n}" <&>')
    nx.set_node_attributes(made, {n: i % 3 for i, n in enumerate(made)}, "thirds")
    nx.set_node_attributes(made, {n: i / 2 for i, n in enumerate(made)}, "half")
    nx.set_node_attributes(made, {n: i % 2 == 0 for i, n in enumerate(made)}, "even")
    nx.set_node_attributes(made, {n: "x" for i, n in enumerate(made) if i > 3}, "some")
    return made


def refused(path: str, **how: Any) -> str:
    caught = refuses(None, cd.read, path, **how)
    return f"{caught.message} | {caught.hint}"


@pytest.mark.parametrize("name", ["g.graphml", "g.gml", "g.graphml.gz", "g.gml.gz"])
def test_every_attribute_comes_back_as_it_was(name: str) -> None:
    made, plain = graph(), name.removesuffix(".gz")
    (nx.write_graphml if ".graphml" in name else nx.write_gml)(made, plain)
    if name != plain:
        Path(name).write_bytes(gzip.compress(Path(plain).read_bytes()))
        Path(plain).unlink()
    for attribute in ("club", "thirds", "half", "even"):
        found = cd.read(f"{name}::{attribute}")
        assert found.ids is not None
        assert found.ids.tolist() == list(made)
        want = list(dict(made.nodes(data=attribute)).values())
        assert cd.rand(found.labels.tolist(), want) == 1
        if attribute in ("club", "thirds"):
            assert found.labels.tolist() == want
    known = dict(zip(made, cd.read(f"{name}::some").labels.tolist(), strict=True))
    assert {n: v for n, v in known.items() if v is not None} == dict(
        nx.get_node_attributes(made, "some")
    )


@pytest.mark.parametrize("name", ["g.graphml", "g.gml"])
def test_numbers_are_the_ids_of_the_graph_in_memory(name: str) -> None:
    club = nx.karate_club_graph()
    (nx.write_graphml if ".graphml" in name else nx.write_gml)(club, name)
    thirds = {n: n % 3 for n in club}
    found = cd.adjusted_rand(f"{name}::club", thirds)
    assert found == cd.adjusted_rand(dict(club.nodes(data="club")), thirds) != 0


@pytest.mark.parametrize("name", ["g.graphml", "g.gml"])
def test_what_igraph_writes_is_read(name: str) -> None:
    g = igraph.Graph.Famous("Zachary")
    g.vs["name"] = [f"v{i}" for i in range(34)]
    g.vs["block"] = [i % 4 for i in range(34)]
    g.write(name)
    found = cd.read(f"{name}::block", id="name")
    assert found.ids is not None
    assert dict(zip(found.ids.tolist(), found.labels.tolist(), strict=True)) == dict(
        zip(g.vs["name"], g.vs["block"], strict=True)
    )


def test_a_list_in_gml_is_a_cover() -> None:
    made = nx.path_graph(3)
    nx.set_node_attributes(made, {0: ["a"], 1: ["a", "b"], 2: ["b"]}, "both")
    nx.set_node_attributes(made, 1, "all")
    nx.write_gml(made, "g.gml")
    found = cd.read("g.gml::both", kind="cover")
    assert cd.omega(found, cd.Cover({0: ["a"], 1: ["a", "b"], 2: ["b"]})) == 1
    assert len(cd.read("g.gml::all")) == 3
    assert "1 id is in more than one cluster" in refused("g.gml::both")
    assert "it has label, id, all." in refused("g.gml::bth")


def test_defaults_graphics_and_nested_graphs() -> None:
    Path("g.graphml").write_text(
        f"{HEAD}<key id='y' for='node' yfiles.type='nodegraphics'/>"
        '<key id="k" for="node" attr.name="club" attr.type="string"><default>rest</default></key>'
        '<key id="e" for="edge" attr.name="weight" attr.type="double"/><graph>'
        '<node id="a"><data key="y"><shape>red</shape></data><data key="k">one</data>'
        '<graph><node id="b"><data key="k">two</data></node></graph></node><node id="c"/>'
        '<edge source="a" target="b"><data key="e">1.5</data></edge></graph></graphml>'
    )
    found = cd.read("g.graphml")
    assert (found.ids.tolist(), found.labels.tolist()) == (  # type: ignore[union-attr]
        ["a", "b", "c"], ["one", "two", "rest"],
    )  # fmt: skip


def test_an_attribute_that_is_called_id() -> None:
    key = '<key id="k" for="all" attr.name="id" attr.type="string"/>'
    Path("g.graphml").write_text(
        f'{HEAD}{key}<graph><node id="a"><data key="k">x</data></node></graph></graphml>'
    )
    found = cd.read("g.graphml::id")
    assert (found.labels.tolist(), found.origin) == (["x"], Origin("id", "node"))


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("<graphml><graph>", "it is no XML: no element found"),
        (f"{HEAD}</graphml>", "has no nodes"),
        ('<!DOCTYPE g [<!ENTITY a "aa"><!ENTITY b "&a;&a;">]><graphml>&b;</graphml>',
         "declares the entity 'a', and entities are not expanded"),
        ('<!DOCTYPE g [<!ENTITY a SYSTEM "file:///etc/passwd">]><graphml>&a;</graphml>',
         "declares the entity 'a'"),
        (f'{HEAD}<graph><node id="a"/><node id="a"/></graph></graphml>',
         "several nodes with the id 'a'"),
        (f'{HEAD}<graph><node id="a"/></graph></graphml>', "has the column 'id' alone"),
    ],
)  # fmt: skip
def test_graphml_that_is_refused(text: str, told: str) -> None:
    Path("g.graphml").write_text(text)
    assert told in refused("g.graphml")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("graph [ node [ id 1 label ] ]", "as GML: expected ']', found EOF"),
        ("graph [ node [ id 1 ", "as GML: expected ']', found EOF"),
        ("graph [ ]", "has no nodes"),
        ("graph [ node [ label 1 ] node [ label 1 ] ]", "node #0 has no 'id' attribute"),
        ("graph [ node [ id 1 ] node [ id 1 ] ]", "node id 1 is duplicated"),
        ("] ]", "as GML: expected EOF, found ']'"),
        ("[ " * 50_000, "as GML: expected EOF, found '['"),
        ("a [ " * 50_000, "its brackets are nested too deeply"),
    ],
)
def test_gml_that_is_refused(text: str, told: str) -> None:
    Path("g.gml").write_text(text)
    assert told in refused("g.gml")


def test_comments_and_entities_in_gml() -> None:
    Path("g.gml").write_text(
        'Creator "us"\n# node [ id 9 ]\ngraph [ node [ id 1 label "a &amp; b" c "x" ] '
        'node [ id 2 label "d" c "x" graphics [ x 1.5 ] ] edge [ source 1 target 2 ] ]'
    )
    found = cd.read("g.gml::c")
    assert (found.ids.tolist(), found.labels.tolist()) == (["a & b", "d"], ["x", "x"])  # type: ignore[union-attr]


def test_the_first_bytes_tell_graphml(folder: Path) -> None:
    nx.write_graphml(graph(), "g.xml")
    assert len(cd.read("g.xml::club")) == 34
    assert "at most 15.0 kB are read" in refused("g.xml::club", max_bytes=15_000)


def test_edges_that_occur_again_and_other_graphs() -> None:
    edge = "edge [ source 1 target 2 ] "
    Path("g.gml").write_text(f"graph [ directed 0 node [ id 1 c 1 ] node [ id 2 c 1 ] {edge * 2}]")
    assert cd.read("g.gml::c").labels.tolist() == [1, 1]
    key = '<key id="k" for="node" attr.name="c" attr.type="int"/>'
    node = '<graph><node id="{}"><data key="k">{}</data></node></graph>'
    Path("g.graphml").write_text(
        f"<graphml>{key}{node.format('a', 1)}{node.format('b', 2)}</graphml>"
    )
    assert cd.read("g.graphml::c").labels.tolist() == [1, 2]


@pytest.mark.parametrize(("name", "what"), [("g.gml", "GML"), ("g.graphml", "GraphML")])
def test_without_networkx_the_install_line_is_named(
    name: str, what: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path(name).write_text("graph [ node [ id 1 c 1 ] ]")
    monkeypatch.setattr("clusterdiff.io.formats.graphs.find_spec", lambda name: None)
    told = refused(f"{name}::c")
    assert told.startswith(f"{name} is a graph in {what}")
    assert "pip install 'clusterdiff[networks]'" in told
