"""Communities as network libraries hold them, and what looks like a clustering and is none."""

from __future__ import annotations

from functools import partial
from typing import Any

import igraph
import networkx as nx
import numpy as np
import pandas as pd
import pytest

import clusterdiff as cd
from clusterdiff.io.adapters import clustering
from refusals import refuses


def graph() -> Any:
    """The karate club with a partition, one that two nodes lack, and a cover as attributes."""
    made = nx.karate_club_graph()
    nx.set_node_attributes(made, {n: n % 3 for n in made}, "thirds")
    nx.set_node_attributes(made, {n: n % 2 for n in made if n not in (3, 5)}, "some")
    nx.set_node_attributes(made, {n: [n % 2, "all"] for n in made}, "both")
    nx.set_node_attributes(made, {n: [n % 3] for n in made}, "listed")
    return made


def named(count: int = 34) -> Any:
    """The karate club of igraph, with names in another order than the numbers."""
    made = igraph.Graph.Famous("Zachary")
    made.vs["name"] = [f"v{(7 * i) % count}" for i in range(count)]
    made.vs["club"] = [0 if d["club"] == "Mr. Hi" else 1 for d in graph().nodes.values()]
    return made


def refused(call: Any) -> str:
    caught = refuses(None, call)
    assert "\n" not in caught.message
    return f"{caught.message} | {caught.hint}"


class PropertyMap:
    """What graph-tool says of each vertex: numbers have an array, text has none."""

    def __init__(self, values: Any, kind: str = "v", filtered: Any = None) -> None:
        self.values, self.kind, self.filtered = values, kind, filtered

    @property
    def fa(self) -> Any:
        array = self.get_array()
        return array if self.filtered is None or array is None else array[self.filtered]

    def get_array(self) -> Any:
        return None if isinstance(self.values[0], str) else np.asarray(self.values)

    def get_graph(self) -> Any:
        return GraphTool(self.values, self.filtered)

    def key_type(self) -> str:
        return self.kind

    def __getitem__(self, vertex: int) -> Any:
        return self.values[vertex]


class GraphTool:
    """A graph as graph-tool has it."""

    def __init__(self, values: Any, kept: Any = None, **properties: Any) -> None:
        self.kept = np.arange(len(values)) if kept is None else np.asarray(kept)
        self.vertex_properties = properties

    def vertices(self) -> Any:
        return iter(self.kept)

    def edges(self) -> Any:
        return iter(())

    def num_vertices(self) -> int:
        return len(self.kept)

    def num_edges(self) -> int:
        return 0

    def get_vertices(self) -> Any:
        return self.kept


class BlockState:
    """A partition that graph-tool found."""

    def __init__(self, blocks: PropertyMap) -> None:
        self.blocks = blocks

    def get_blocks(self) -> PropertyMap:
        return self.blocks


def test_attributes_of_nodes_are_clusterings_by_name() -> None:
    club = graph()
    truth = dict(club.nodes(data="club"))
    thirds = {n: n % 3 for n in club}
    report = cd.compare(club, truth="club", guesses=["thirds", "listed"])
    assert report.to_dict()["columns"]["truth"] == {"id": "node", "cluster": "club"}
    for measure in report:
        want = cd.measure(measure)(truth, thirds)
        assert [report[measure][g].value for g in ("thirds", "listed")] == [want, want]
    assert float(cd.explain(club, truth="club", guess="thirds", by="bcubed_f").score) == (
        cd.bcubed_f(truth, thirds)
    )
    per_node = cd.objects(club, "bcubed_precision", truth="club", guess="thirds").to_dict()
    assert per_node == cd.objects(truth, thirds, "bcubed_precision").to_dict()


def test_an_attribute_of_several_communities_is_a_cover() -> None:
    club = graph()
    truth = {n: [side] for n, side in club.nodes(data="club")}
    both = {n: [n % 2, "all"] for n in club}
    found = cd.compare(club, truth="club", guesses=["both"])["omega"].value
    assert found == cd.omega(cd.Cover(truth), cd.Cover(both)) != 0


def test_an_attribute_that_some_nodes_lack_is_said_so() -> None:
    told = refused(lambda: cd.compare(graph(), truth="club", guesses=["some"]))
    assert "2 of 34 labels in guess are null (objects 3, 5)" in told
    club = graph()
    left = cd.compare(club, "adjusted_rand", truth="club", guess="some", noise=[None],
                      noise_as="drop")  # fmt: skip
    kept = {n: v for n, v in club.nodes(data="some") if v is not None}
    want = cd.adjusted_rand({n: club.nodes[n]["club"] for n in kept}, kept)
    assert left["adjusted_rand"].value == want


@pytest.mark.parametrize("made", [graph, named])
def test_an_attribute_that_is_not_there_is_named(made: Any) -> None:
    told = refused(lambda: cd.compare(made(), truth="clubs", guesses=["thirds"]))
    assert "has an attribute 'clubs'; there are " in told
    assert "did you mean club?" in told


def test_a_graph_without_attributes_has_none_to_name() -> None:
    told = refused(lambda: cd.compare(nx.path_graph(3), truth="club", guesses=["x"]))
    assert "no node of the graph has an attribute 'club', or any other" in told


def test_a_graph_is_refused_with_lines_that_work() -> None:
    club = graph()
    told = refused(lambda: cd.compare(club, club))
    assert "a Graph of 34 nodes and 78 edges is a graph" in told
    assert "club (2 values), thirds (3 values), some (2 values)" in told
    assert "both" not in told.partition("|")[0]
    line = "cd.compare(G, truth='club', guesses=['thirds'])"
    assert line in told
    assert len(eval(line, {"cd": cd, "G": club})) > 3
    one = refused(lambda: cd.adjusted_rand(nx.karate_club_graph(), [1]))
    line = "cd.compare(dict(G.nodes(data='club')), nx.community.louvain_communities(G))"
    assert line in one
    assert len(eval(line, {"cd": cd, "nx": nx, "G": club})) > 3
    part = refused(lambda: cd.compare([1], club.subgraph([1, 2, 3])))
    assert "a Graph of 3 nodes and 3 edges is a graph" in part


def test_a_graph_of_igraph_is_refused_with_lines_that_work() -> None:
    g = named()
    g.vs["old"] = [i % 4 for i in range(34)]
    told = refused(lambda: cd.compare(g, [1]))
    for line in (
        "cd.compare(g, truth='club', guesses=['old'])",
        "dict(zip(g.vs[\"name\"], g.vs['club']))",
        'g.community_leiden(objective_function="modularity")',
    ):
        assert line in told
        assert eval(line, {"cd": cd, "g": g})


@pytest.mark.parametrize("view", ["edges", "adj", "degree", "nodes"])
def test_a_view_of_a_graph_is_no_guess(view: str) -> None:
    told = refused(lambda: cd.compare([{0, 1}, {2}], getattr(nx.karate_club_graph(), view)))
    assert "View is a graph or a part of one" in told


def test_edges_are_no_labels() -> None:
    club = nx.karate_club_graph()
    told = refused(lambda: cd.adjusted_rand(dict(club.nodes(data="club")), list(club.edges)))
    assert "a list of edges: 78 pairs of 34 nodes" in told
    frame = nx.to_pandas_edgelist(club)
    told = refused(lambda: cd.compare([{0, 1}], frame))
    assert "the columns source, target, weight: this looks like the edges of a graph" in told
    line = "cd.read(frame, id='source', cluster='target')"
    assert line in told
    path = nx.to_pandas_edgelist(nx.path_graph(4))
    assert len(eval(line, {"cd": cd, "frame": path})) == 3


def test_pairs_that_are_labels_are_still_taken() -> None:
    pairs = [("d1", 0), ("d1", 0), ("d2", 1), ("d1", 1)]
    assert cd.rand(pairs, [1, 1, 2, 3]) == 1
    different = [("d1", 0), ("d1", 1), ("d2", 0)]
    assert refused(lambda: cd.rand(different, [1, 2, 3]))
    assert cd.rand(cd.Partition(different), [1, 2, 3]) == 1


def test_a_table_of_edges_with_clusters_is_read() -> None:
    frame = pd.DataFrame({"source": [1, 2], "target": [2, 3], "cluster": ["a", "b"]})
    assert refused(lambda: cd.read(frame))
    assert len(cd.read(frame, id="source", cluster="cluster")) == 2


def test_levels_of_a_hierarchy_are_several_clusterings() -> None:
    club = nx.karate_club_graph()
    truth = dict(club.nodes(data="club"))
    for found in (nx.community.girvan_newman, nx.community.louvain_partitions):
        told = refused(partial(cd.rand, truth, found(club)))
        assert "partitions, each a list of sets" in told
    multilevel = named().community_multilevel(return_levels=True)
    assert "values of the type VertexClustering" in refused(lambda: cd.rand(truth, multilevel))
    assert "3 values of the type" in refused(lambda: cd.rand([named().components()] * 3, truth))


def test_a_dendrogram_is_refused_with_where_it_would_be_cut() -> None:
    dendrogram = named().community_fastgreedy()
    told = refused(lambda: cd.compare([1], dendrogram))
    assert "dendrogram.as_clustering() (3 communities, by modularity)" in told
    assert len(dendrogram.as_clustering()) == 3


def test_a_modularity_is_no_clustering() -> None:
    club = nx.karate_club_graph()
    modularity = nx.community.modularity(club, [set(club)])
    assert f"{modularity!r} is a number, not a" in refused(lambda: cd.rand([1], modularity))


def test_vertices_of_igraph_are_matched_by_their_names() -> None:
    g = named()
    truth = dict(zip(g.vs["name"], g.vs["club"], strict=True))
    shuffled = dict(sorted(truth.items()))
    found = g.community_fastgreedy().as_clustering()
    want = cd.adjusted_rand(list(truth.values()), found.membership)
    assert (
        cd.adjusted_rand(shuffled, found) == want != cd.adjusted_rand([*shuffled.values()], found)
    )
    assert cd.adjusted_rand(pd.Series(shuffled), found) == want
    assert "[id: name, cluster: community]" in str(cd.compare(shuffled, found, "rand"))
    assert cd.adjusted_rand(list(truth.values()), found) == want


def test_vertices_without_names_are_matched_by_number_where_the_others_have_ids() -> None:
    g = igraph.Graph.Famous("Zachary")
    found = g.community_fastgreedy().as_clustering()
    labels = dict(enumerate(found.membership))
    backwards = dict(sorted(labels.items(), reverse=True))
    assert cd.rand(backwards, found) == 1
    assert cd.rand(found.membership, found) == 1
    assert cd.rand(pd.Series(labels), found) == 1
    assert "34 objects are only in truth" not in str(cd.compare(backwards, found, "rand"))
    told = refused(lambda: cd.rand({n + 1: c for n, c in labels.items()}, found))
    assert "1 of 35 objects is only in truth (34), 1 only in guess (0)" in told


def test_vertices_that_came_from_networkx_keep_their_names() -> None:
    g = igraph.Graph.from_networkx(nx.relabel_nodes(graph(), lambda n: f"p{n}"))
    truth = {f"p{n}": side for n, side in graph().nodes(data="club")}
    found = g.community_fastgreedy().as_clustering()
    assert cd.rand(truth, found) == cd.rand([*truth.values()], found.membership)
    assert cd.compare(g, truth="club", guesses=["thirds"])["pair_f"].value > 0


def test_a_cover_of_igraph_is_matched_by_names() -> None:
    g = igraph.Graph.Full(4)
    g.vs["name"] = list("dcba")
    cover = igraph.VertexCover(g, [[0, 1], [1, 2]])
    assert cd.omega(cd.Cover({"a": [], "b": [2], "c": [1, 2], "d": [1]}), cover) == 1


def test_a_list_of_one_label_each_is_a_partition() -> None:
    truth = {"a": 0, "b": 0, "c": 1}
    listed = {"a": [5], "b": [5], "c": [6]}
    assert cd.rand(truth, listed) == 1
    assert cd.compare(truth, listed)["bcubed_f"].value == 1
    told = refused(lambda: cd.compare(truth, {"a": [5, 6], "b": [5], "c": [6]}))
    assert 'kind="cover"' in told


def test_property_maps_and_blocks_of_graph_tool() -> None:
    numbers, text = PropertyMap([0, 0, 1]), PropertyMap(["x", "x", "y"])
    for found in (numbers, text, BlockState(numbers)):
        assert cd.rand(["a", "a", "b"], found) == 1
        assert cd.rand({2: "b", 1: "a", 0: "a"}, found) == 1
        assert list(cd.compare([0, 0, 1], {"one": found, "two": found}, "rand")["rand"]) != []
    filtered = PropertyMap([0, 9, 0, 1], filtered=[0, 2, 3])
    assert cd.rand({0: "a", 2: "a", 3: "b"}, filtered) == 1
    tool = GraphTool([0, 0, 1], blocks=numbers, names=text)
    assert cd.compare(tool, "rand", truth="blocks", guess="names")["rand"].value == 1
    told = refused(lambda: cd.compare(tool, tool))
    assert "of 3 nodes and 0 edges" in told
    assert "g.vp['blocks']" in told


def test_what_graph_tool_says_of_other_things_is_refused() -> None:
    assert 'g.vp["block"]' in refused(lambda: cd.rand([1], PropertyMap([1], kind="e")))

    class Nested:
        def get_bs(self) -> Any:
            return [[0], [0]]

    class Overlapping(BlockState):
        def get_overlap_blocks(self) -> Any:
            return ()

    assert "state.get_levels()[0]" in refused(lambda: cd.rand([1], Nested()))
    overlapping = Overlapping(PropertyMap([1]))
    assert "get_overlap_blocks" in refused(lambda: cd.rand([1], overlapping))


def test_nodes_that_no_community_has_are_said_and_are_objects_of_a_cover() -> None:
    class NodeClustering:
        def __init__(self, overlap: bool, graph: Any) -> None:
            self.graph, self.communities, self.overlap = graph, [[0, 1], [2]], overlap

    for g in (nx.path_graph(5), igraph.Graph.Ring(5, circular=False)):
        cover = clustering(NodeClustering(True, g))
        assert sorted(cover.ids.tolist()) == [0, 1, 2, 3, 4]  # type: ignore[union-attr]
        crisp = clustering(NodeClustering(False, g))
        assert len(crisp) == 3
        assert crisp.notes == ("2 of 5 nodes of the graph are in no community",)
    edges = clustering(NodeClustering(True, nx.Graph([("a", "b")])))
    assert sorted(edges.ids.tolist()) == [0, 1, 2]  # type: ignore[union-attr]
