"""What an experiment ends in, as files: tables as CSV, a page of Markdown, pictures."""

from __future__ import annotations

import os
from collections.abc import Collection
from pathlib import Path

from clusterdiff.errors import ClusterdiffError
from clusterdiff.papers.experiments.outcome import Exhibit, Outcome, Picture
from clusterdiff.progress import progress
from clusterdiff.results.plots.plots import save
from clusterdiff.results.render.markup import records_to_csv
from clusterdiff.results.render.writing import check_place
from clusterdiff.results.render.writing import write as write_file

WIDTH, HEIGHT = 460, 340
"""Pixels of a picture: letters of 14 stay legible in a column of a printed page."""
PAPER = {
    "paper_bgcolor": "white",
    "plot_bgcolor": "white",
    "font": {"size": 14},
    "margin": {"l": 10, "r": 15, "t": 10, "b": 10},
}


def folder_for(path: str, names: Collection[str] = (), data: str | None = None) -> Path:
    """The folder to write to, made if it is not there; and whether pictures can be drawn at all.

    Refused if `data` would be overwritten: files are called as the experiments are.
    """
    _refuse_without_pictures()
    folder = Path(path)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ClusterdiffError(
            f"{path} cannot be made a folder: {error.strerror}.", "name another with --out."
        ) from None
    if not os.access(folder, os.W_OK):
        raise ClusterdiffError(f"{path} cannot be written to.", "name another folder with --out.")
    for file in sorted(folder.iterdir()):
        if data is not None and any(
            file.stem == name or file.stem.startswith(f"{name}-") for name in names
        ):
            check_place(file, [data])
    return folder


def write(outcome: Outcome, name: str, folder: Path) -> list[Path]:
    """Write everything; tables come first, so that they are there if pictures fail."""
    page = folder / f"{name}.md"
    files = [*(_write_csv(one, folder) for one in outcome.tables), page]
    _write(page, outcome.to_markdown(pictures=True) + "\n")
    with progress("drawing", len(outcome.pictures)) as advance:
        for one in outcome.pictures:
            files += _draw(one, folder)
            advance(1)
    return files


def _write_csv(exhibit: Exhibit, folder: Path) -> Path:
    path = folder / f"{exhibit.name}.csv"
    _write(path, records_to_csv(exhibit.records))
    return path


def _draw(picture: Picture, folder: Path) -> list[Path]:
    """The picture for print and for a screen."""
    figure = picture.draw()
    figure.update_layout(PAPER)
    width, height = figure.layout.width or WIDTH, figure.layout.height or HEIGHT
    files = [folder / f"{picture.name}{ending}" for ending in (".svg", ".png")]
    for path in files:
        save(figure, path, width=width, height=height)
    return files


def _write(path: Path, text: str) -> None:
    write_file(path, text, hint="name another folder with --out.")


def _refuse_without_pictures() -> None:
    """Ask before the work begins for what draws at its end."""
    try:
        import kaleido  # noqa: F401
        import plotly  # noqa: F401
    except ImportError as error:
        raise ClusterdiffError(
            f"--out draws pictures, which needs {error.name}, and that is not installed.",
            'pip install "clusterdiff[report]"',
        ) from None
