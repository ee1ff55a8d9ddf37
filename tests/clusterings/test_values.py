"""Labels and ids of every Python type are told apart as Python tells them, or refused in words."""

from __future__ import annotations

import enum
from collections import deque
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import igraph
import networkx as nx
import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array

import clusterdiff as cd
from refusals import refuses

GRAPH = nx.karate_club_graph()
HUGE = 10**5000
RAND = cd.measure("rand")
Colour = enum.Enum("Colour", "RED BLUE")


def once(values: Any) -> Any:
    yield from values


@pytest.mark.parametrize(
    "labels",
    [
        np.array([1, 1, 2], "m8[s]"),
        np.array([1, 1, 2], "m8[ns]"),
        np.array([1, 1, 2], "M8[ns]"),
        pd.Series(pd.to_timedelta([1, 1, 2], "s")),
        [Colour.RED, Colour.RED, Colour.BLUE],
        [Decimal("0.5"), Fraction(1, 2), 1],
        [True, 1, 2],
        [-0.0, 0.0, 1.0],
        [10**400, 10**400, 1],
        [np.True_, 1.0, "1"],
        [(1, 2), (1, 2), (2, 1)],
        [b"a", b"a", "a"],
        np.array([1j, 1j, 1]),
        np.array([1, 1, 2], np.longdouble),
        deque("aab"),
        {"x": 5, "y": 5, "z": 6}.values(),
        memoryview(b"aab"),
        once("aab"),
    ],
    ids=lambda labels: type(labels).__name__,
)
def test_equal_labels_are_one_cluster(labels: Any) -> None:
    assert cd.meet(labels, [0, 0, 1]) == cd.meet([5, 5, 6], [0, 0, 1])


@pytest.mark.parametrize(
    "null",
    [None, np.nan, pd.NA, pd.NaT, Decimal("nan"), complex("nan"), np.timedelta64("NaT", "ns")],
    ids=repr,
)
def test_nulls_of_every_library_are_refused_and_can_be_noise(null: Any) -> None:
    refuses("1 of 3 labels in truth is null", cd.rand, [null, "a", "a"], [0, 1, 1])
    assert cd.rand([null, "a", "a"], [0, 1, 1], noise=[None]) == 1


@pytest.mark.parametrize(
    "communities",
    [
        lambda: nx.community.louvain_communities(GRAPH, seed=1),
        lambda: nx.community.asyn_lpa_communities(GRAPH, seed=1),
        lambda: nx.community.label_propagation_communities(GRAPH),
        lambda: nx.community.greedy_modularity_communities(GRAPH),
        lambda: next(nx.community.girvan_newman(GRAPH)),
        lambda: nx.community.kernighan_lin_bisection(GRAPH, seed=1),
        lambda: nx.connected_components(GRAPH),
        lambda: nx.coloring.greedy_color(GRAPH),
        lambda: nx.get_node_attributes(GRAPH, "club"),
        lambda: dict(GRAPH.nodes(data="club")),
    ],
)
def test_what_networkx_finds_is_read(communities: Callable[[], Any]) -> None:
    found = communities()
    made = cd.Partition(found)
    assert made.ids is not None
    assert sorted(made.ids.tolist()) == list(range(34))
    assert cd.rand(communities(), made) == 1


@pytest.mark.parametrize(
    "graph",
    [GRAPH, GRAPH.degree, GRAPH.edges, GRAPH.nodes(data="club"), igraph.Graph.Famous("Zachary")],
    ids=["graph", "degrees", "edges", "view of nodes", "igraph"],
)
def test_a_graph_is_no_clustering(graph: Any) -> None:
    for call in (cd.Partition, cd.Cover, cd.Rough, cd.Fuzzy, lambda g: cd.rand(g, g)):
        found = "louvain_communities|community_leiden"
        refuses(rf"is a graph(.|\n)*Hint: .*({found})", call, graph)
    assert cd.Partition(list(range(34)), ids=GRAPH.nodes).ids.tolist() == list(GRAPH)  # type: ignore[union-attr]


class Model:
    """A fitted estimator."""

    labels_ = np.array([0, 1])


REFUSED: dict[str, tuple[Callable[[], Any], str]] = {
    "a word": (lambda: cd.Partition("aab"), "a str is not a clustering"),
    "bytes": (lambda: cd.Partition(bytearray(b"aab")), "a bytearray is not a clustering"),
    "a model": (
        lambda: cd.rand(Model(), [0, 1]),
        r"a Model is not a clustering(.|\n)*model\.labels_",
    ),
    "a set": (lambda: cd.Partition({"a", "b"}), "a set has no order"),
    "a set of ids": (lambda: cd.Partition([1, 2], ids={"a", "b"}), "a set has no order"),
    "pairs": (lambda: cd.Partition({"a": 1}.items()), "a dict_items has no order"),
    "a dict of ids": (lambda: cd.Partition([1], ids={"a": 1}), "a dict is not a list"),
    "a dict of samples": (lambda: cd.Partition([1], samples={"a": 1}), "a dict is not a list"),
    "a frame": (
        lambda: cd.Partition(pd.DataFrame({"a": [1]})),
        'several columns(.|\n)*frame\\["id"\\]',
    ),
    "a frame of ids": (lambda: cd.Partition([1], ids=pd.DataFrame({"a": [1]})), "several columns"),
    "a sparse row": (lambda: cd.rand(csr_array([[0, 1]]), [0, 1]), r"the shape \(1, 2\)"),
    "a table": (
        lambda: cd.Partition(np.array([(1, 2)], [("id", int), ("cluster", int)])),
        r"fields id, cluster(.|\n)*labels\['cluster'\]",
    ),
    "generators": (lambda: cd.rand([once("ab"), once("c")], [0, 1]), "is a generator"),
    "lists": (lambda: cd.rand([[1], [2]], [0, 1]), r"hashable, but \[1\] is a list"),
    "arrays": (lambda: cd.rand([np.array([1]), 2], [0, 1]), r"hashable, but array\(\[1\]\)"),
    "no unit": (
        lambda: cd.rand(np.array([1, 2], "m8"), [0, 1]),
        "hashable, but .* is a timedelta64",
    ),
    "a signalling null": (
        lambda: cd.rand([Decimal("snan")], [0]),
        r"hashable, but Decimal\('sNaN'\)",
    ),
    "digits": (lambda: cd.rand([HUGE, 1], [0, 1]), "more than 4,300 digits"),
    "digits in a tuple": (lambda: cd.rand([(HUGE, 1), 1], [0, 1]), "more than 4,300 digits"),
    "digits of a fraction": (lambda: cd.rand([Fraction(1, HUGE)], [0]), "more than 4,300 digits"),
    "digits of ids": (lambda: cd.Partition([1, 2], ids=[HUGE, HUGE]), "more than 4,300 digits"),
    "names of clusters": (lambda: cd.Fuzzy([[1.0]], labels=[["a"]]), "hashable, but"),
    "names of focal sets": (lambda: cd.Evidential([[1.0]], ["a"], labels=[["a"]]), "hashable, but"),
    "names in focal sets": (lambda: cd.Evidential([[1.0]], [[["a"]]]), "hashable, but"),
    "labels of a cover": (lambda: cd.Cover([[{}]]), r"hashable, but \{\} is a dict"),
    "labels of a rough one": (lambda: cd.Rough([[["a"]]]), "hashable, but"),
    "objects of a cover": (lambda: cd.Cover.from_clusters([["x"]], [["y"]]), "hashable, but"),
    "objects of bounds": (lambda: cd.Rough.from_bounds({}, {"a": [["x"]]}), "hashable, but"),
    "bounds": (lambda: cd.Rough.from_bounds({}, {"a": 1}), "a cluster is given by a collection"),
    "degrees of a cover": (lambda: cd.Cover([{"a": 0.9}]), r"has no degrees(.|\n)*cd\.Fuzzy"),
    "a set of sets": (lambda: cd.Cover({frozenset("a")}), "a set has no order"),
    "noise": (lambda: cd.rand([1], [1], noise=[[1]]), r"noise is a label .* \[1\] is a list"),
    "digits of noise": (lambda: cd.rand([1], [1], noise=HUGE), "more than 4,300 digits"),
    "digits of a policy": (lambda: RAND([1], [1], align=HUGE), "unknown alignment policy an int"),
    "digits of a kind": (lambda: RAND([1], [1], kind=[HUGE]), "kind of clustering an int"),
    "a large degree": (lambda: cd.Fuzzy([{"a": 10**400}]), "above 1e308"),
    "a large degree in a matrix": (lambda: cd.Possibilistic([[10**400, 1]]), "above 1e308"),
    "a large degree in a row": (lambda: cd.Fuzzy.from_rows([1], [1], [HUGE]), "above 1e308"),
    "a large entry": (lambda: cd.Cover(np.array([[HUGE, 1]], object)), "neither 0 nor 1"),
    "large features": (lambda: cd.meet([1], [1], features=[[HUGE]]), "features are numbers"),
    "no ids of degrees": (lambda: cd.Fuzzy(csr_array([[2.0]]), ids=[]), "is 1 label but 0 ids"),
    "no ids of sums": (lambda: cd.Fuzzy([[0.5, 0.1]], ids=[]), "is 1 label but 0 ids"),
    "no ids of masses": (lambda: cd.Evidential([[0.5]], ["a"], ids=[]), "is 1 label but 0 ids"),
    "no ids of a cover": (lambda: cd.Cover([["a", None]], ids=[]), "is 1 label but 0 ids"),
    "no ids of a matrix": (lambda: cd.Cover(csr_array([[1]]), ids=[]), "is 1 label but 0 ids"),
    "reading a frame": (lambda: cd.read(pd.DataFrame({"p": [1], "q": [2], "r": [3]})), "p, q, r"),
    "reading a list": (
        lambda: cd.read([1, 2]),  # type: ignore[arg-type]
        r"a file or a frame, and a list is neither(.|\n)*cd\.compare",
    ),
}


@pytest.mark.filterwarnings("ignore:The 'generic' unit:DeprecationWarning")  # of NumPy 2.5
@pytest.mark.parametrize("name", list(REFUSED))
def test_what_is_no_clustering_gets_a_sentence(name: str) -> None:
    call, text = REFUSED[name]
    caught = refuses(text, call)
    assert len(str(caught)) < 700


def test_empty_collections_are_empty_clusterings() -> None:
    nothing: list[Any] = [[], {}, (), np.array([]), pd.Series([], dtype=object), once([])]
    for empty in nothing:
        assert len(cd.Partition(empty)) == 0
    for kind in (cd.Cover, cd.Rough, cd.Fuzzy, cd.Possibilistic, cd.Evidential):
        assert len(kind([])) == len(kind({})) == 0
    assert len(cd.Cover(csr_array((0, 2)), ids=[])) == 0
    refuses("nothing to compare", cd.rand, {}, {})


def test_a_long_value_is_cut_in_the_text() -> None:
    ids = ["x" * 100_000] * 2
    with pytest.raises(cd.ClusterdiffError, match="1 id is in more than one cluster") as caught:
        cd.Partition(["y" * 100_000, "z" * 100_000], ids=ids)
    assert len(str(caught.value)) < 700
