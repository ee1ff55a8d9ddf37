"""The page of toolboxes: each of its lines runs, on what it speaks of, and means the same."""

from __future__ import annotations

import re
from typing import Any

import duckdb
import igraph
import networkx as nx
import numpy as np
import pandas as pd
import pytest
from scipy.cluster.hierarchy import linkage
from sklearn.cluster import KMeans
from sklearn.mixture import GaussianMixture
from sklearn.model_selection import GridSearchCV
from splink import DuckDBAPI

import clusterdiff as cd
from cli.runner import run
from clusterings.test_indicators import CREDAL
from docs_source import DOCS
from test_readme import write_files

PAGE = "docs/integrations.md"
ROWS = re.findall(
    r"^\| (?!your data|goal|---)(.*?) \| (.*) \|$",
    (DOCS / "integrations.md").read_text("utf-8"),
    re.MULTILINE,
)
LINES = [
    line for _, cell in ROWS for line in re.findall(r"`((?:cd\.|clusterdiff |Grid).*?)`", cell)
]
ELSEWHERE = ("adata", "tensor", "in_spark")
"""What needs a package that is not in the dev group, or Spark: tests/journeys, tests/backends."""
IDS, CLASSES, LABELS = [f"r{k}" for k in range(1, 7)], [*"aaabbc"], [7, 7, 8, 8, 8, 9]
SCORE = cd.elm_f(CLASSES, LABELS)
POINTS = np.array([[0, 0], [0, 0.1], [5, 5], [5, 5.1], [5.1, 5], [9, 0]])


@pytest.fixture(scope="module")
def held() -> dict[str, Any]:
    """What the lines speak of: one truth and one guess, in every form."""
    truth, guess = dict(zip(IDS, CLASSES, strict=True)), dict(zip(IDS, LABELS, strict=True))
    frame = pd.DataFrame({"id": IDS, "cluster": LABELS})
    pairs = pd.DataFrame(
        {
            "unique_id_l": ["r1", "r3", "r4", "r1"],
            "unique_id_r": ["r2", "r4", "r5", "r6"],
            "match_probability": [0.9, 0.8, 0.95, 0.1],
        }
    )
    graph = nx.Graph([("r1", "r2"), ("r3", "r4"), ("r4", "r5"), ("r3", "r5")])
    graph.add_node("r6")
    nx.set_node_attributes(graph, truth, "club")
    nx.set_node_attributes(graph, guess, "louvain")
    splink = DuckDBAPI()
    return {
        "cd": cd, "duckdb": duckdb, "nx": nx, "KMeans": KMeans, "GridSearchCV": GridSearchCV,
        "linkage": linkage, "X": POINTS, "classes": CLASSES, "labels": LABELS, "truth": truth,
        "guess": guess, "old": truth, "new": guess, "frame": frame, "pairs": pairs, "graph": graph,
        "table": pd.DataFrame({"gold": CLASSES, "run1": LABELS, "run2": [1] * 6}, index=IDS),
        "obs": pd.DataFrame({"cell_type": CLASSES, "leiden": LABELS}, index=IDS),
        "network": igraph.Graph([(0, 1), (2, 3), (3, 4), (2, 4)], n=6),
        "predictions": splink.register(pairs), "clusters": splink.register(frame),
        "found": [(("r1", "r2"), (0.9, 0.9)), (("r3", "r4", "r5"), (0.8,) * 3), (("r6",), (1.0,))],
        "runs": {"one": LABELS, "other": CLASSES},
        "mixture": GaussianMixture(3, random_state=0, reg_covar=0.01).fit(POINTS),
        "degrees": np.eye(3)[[0, 0, 1, 1, 1, 2]],
        "masses": [{(1,): 1}, {(1,): 0.5, (1, 2): 0.5}, {(2,): 1}, {(2,): 1}, {(2,): 1}, {(3,): 1}],
        "credal": CREDAL, "other": {**CREDAL, "mass": CREDAL["mass"][:, [0, 2, 1, 3, 4, 5]]},
        "topics": [{1, 2}, {2, 3}], "tags": [{1, 2}, {2, 3}, {3}],
        "sampled": dict(zip(IDS[:5], CLASSES, strict=False)),
        "mentions": pd.DataFrame(
            {"doc": [1] * 6, "id": IDS, "gold": CLASSES, "system": LABELS}
        ),
    }  # fmt: skip


def test_the_page_has_lines() -> None:
    assert len(LINES) >= len(ROWS) > 30


@pytest.mark.parametrize("line", LINES)
def test_a_line_runs_and_means_the_same(
    line: str, held: dict[str, Any], tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    if any(what in line for what in ELSEWHERE):
        pytest.skip("needs a package that is not here")
    if "csv" in line or "conll" in line or ".html" in line:
        monkeypatch.chdir(tmp_path)
        for page in (PAGE, "docs/how-to/coreference.md"):
            write_files(page, tmp_path)
    if line.startswith("clusterdiff"):
        ran = run(*line.split()[1:])
        assert (ran.code, ran.stderr) == (0, "")
        return
    found = eval(line, held)
    if line.startswith("cd.compare") and isinstance(found, cd.Report) and "csv" not in line:
        scores = {name.split("/")[-1]: score for name, score in reversed(found.metrics().items())}
        assert scores.get("elm_f", SCORE) == SCORE
