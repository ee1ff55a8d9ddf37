"""The notebook of the tutorial runs from top to bottom, and shows what it shows.

`make snapshots` executes it and keeps its output, as it does with the examples of the docs.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import pytest

nbformat = pytest.importorskip("nbformat")
nbclient = pytest.importorskip("nbclient")
pytest.importorskip("ipykernel")

ROOT = Path(__file__).parents[1]
NOTEBOOK = ROOT / "docs" / "tutorial.ipynb"
SCRIPTS = Path(sys.executable).parent


def executed(folder: Path) -> Any:
    """The notebook, run anew in a folder of its own."""
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    client = nbclient.NotebookClient(
        notebook, timeout=60, coalesce_streams=True, resources={"metadata": {"path": str(folder)}}
    )
    client.execute()
    for cell in notebook.cells:
        cell.metadata = {}
    return notebook


def shown(notebook: Any) -> list[str]:
    """What each cell prints, as plain text; how it is cut into messages is left to chance, and how
    wide columns are to the version of pandas.
    """
    outputs = [cell.get("outputs", []) for cell in notebook.cells]
    texts = ["".join(one.get("text") or one["data"]["text/plain"] for one in of) for of in outputs]
    return [" ".join(text.split()) for text in texts]


def test_the_notebook_runs_and_shows_what_it_shows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", f"{SCRIPTS}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("PYTHONPATH", str(ROOT / "src"))
    made = executed(tmp_path)
    if os.environ.get("CLUSTERDIFF_SNAPSHOTS") == "record":
        nbformat.write(made, NOTEBOOK)
    kept = nbformat.read(NOTEBOOK, as_version=4)
    assert shown(made) == shown(kept)
    assert any("283 records of 120 persons" in text for text in shown(kept))
    assert any("Hannah" in text for text in shown(kept))
