"""The figures themselves, from numbers that are ready: Plotly's traces in one style."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from functools import wraps
from html import escape
from pathlib import Path
from typing import Any, ParamSpec

from clusterdiff.errors import ClusterdiffError, printable
from clusterdiff.output.writing import check_place, paths_among, write

COLOURS = {
    "right": "#8fa3b0", "split": "#0072b2", "merged": "#e69f00", "both": "#d55e00",
    "mixed": "#d55e00", "missing": "#cc79a7", "extra": "#999999",
    "home": "#8fa3b0", "split off": "#0072b2", "moved": "#d55e00",
}  # fmt: skip
"""One colour for each outcome, distinguishable by colour-blind readers (Okabe and Ito)."""
DASHES = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot")
SYMBOLS = ("circle", "square", "diamond", "cross", "triangle-up", "x")
SYSTEMS = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00")
P = ParamSpec("P")
PICTURES = (".svg", ".pdf", ".png", ".webp", ".jpg")


def remembers_its_files(draw: Callable[P, Any]) -> Callable[P, Any]:
    """A picture that is not saved over a file that it was drawn from."""

    @wraps(draw)
    def drawn(*given: P.args, **options: P.kwargs) -> Any:
        figure = draw(*given, **options)
        all_given = [*given, *options.values()]
        several = [one for some in all_given if isinstance(some, Mapping) for one in some.values()]
        figure._inputs = paths_among([*all_given, *several])
        return figure

    return drawn


def save(figure: Any, path: str | os.PathLike[str], *, width: int = 800, height: int = 0) -> None:
    """Write a figure as .svg, .pdf, .png or .html; pictures are drawn by a Chrome or Chromium."""
    file, read = Path(path), getattr(figure, "_inputs", ())
    ending = check_picture(file)
    check_place(file, read)
    tall = height or figure.layout.height or 450
    made = (
        figure.to_html(include_plotlyjs=True).encode()
        if ending == ".html"
        else _drawn(figure, ending[1:], width, tall)
    )
    write(file, made, read)


def check_picture(path: str | os.PathLike[str]) -> str:
    """The ending of a file for a picture; others are refused."""
    file = Path(path)
    ending = file.suffix.lower()
    if ending not in (".html", *PICTURES):
        raise ClusterdiffError(
            f"a picture cannot be written as {file.name}.", "name it .svg, .pdf, .png or .html."
        )
    return ending


def _drawn(figure: Any, format: str, width: int, height: int) -> bytes:
    """The figure as a picture, drawn without network."""
    try:
        import kaleido
        from kaleido.errors import ChromeNotFoundError
    except ImportError:
        raise ClusterdiffError(
            f"writing .{format} needs kaleido, which is not installed.",
            'pip install "clusterdiff[report]"',
        ) from None
    size = {"format": format, "width": width, "height": height, "scale": 1 + (format == "png")}
    try:
        drawn: bytes = kaleido.calc_fig_sync(figure.to_dict(), opts=size, kopts={"mathjax": False})
    except ChromeNotFoundError:
        raise ClusterdiffError(
            f"writing .{format} needs Chrome or Chromium, and none was found.",
            "install one (apt install chromium, or plotly_get_chrome), or save as .html.",
        ) from None
    return drawn


def blank() -> Any:
    """An empty figure in the style of all of them."""
    try:
        from plotly.graph_objects import Figure
    except ImportError:
        raise ClusterdiffError(
            "pictures need plotly, which is not installed.", 'pip install "clusterdiff[report]"'
        ) from None
    return Figure(
        layout={
            "template": "none",
            "font": {"family": "system-ui, -apple-system, Segoe UI, sans-serif", "size": 13},
            "paper_bgcolor": "rgba(0,0,0,0)",
            "plot_bgcolor": "rgba(0,0,0,0)",
            "margin": {"l": 20, "r": 20, "t": 30, "b": 50},
            "xaxis": {"automargin": True, "gridcolor": "rgba(128,128,128,0.2)", "zeroline": False},
            "yaxis": {"automargin": True, "gridcolor": "rgba(128,128,128,0.2)", "zeroline": False},
            "legend": {"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0},
            "hoverlabel": {"align": "left"},
        }
    )


def clear(colour: str, opacity: float = 0.55) -> str:
    """A colour that what is behind it shines through."""
    red, green, blue = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    return f"rgba({red},{green},{blue},{opacity})"


def plain(text: str) -> str:
    """Text that Plotly, which reads some HTML, shows as it is."""
    return escape(printable(text), quote=False)
