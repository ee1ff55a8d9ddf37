"""Output formats: ours, and those of the files beside this one, which are found by themselves.

Every verb offers those that its result supports.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

Render = Callable[..., str]
_FOUND: dict[str, OutputFormat] = {}


@dataclass(frozen=True)
class OutputFormat:
    """How a result is written."""

    names: tuple[str, ...]
    """What `--format` takes; the first is the one that help shows."""
    render: Render
    """A result, the width of the screen and limits on what is shown (`top`, `ids`) -> text."""
    needs: str
    """The method that a result must have."""
    data: bool
    """Whether programs read it: characters that a stream cannot take are escaped, as in JSON."""
    signed: bool
    """Whether it has the signatures of the scores in it."""


def output_format(
    *names: str, needs: str, data: bool = False, signed: bool = False
) -> Callable[[Render], Render]:
    """Register a function that renders results as the format of these names."""

    def register(render: Render) -> Render:
        made = OutputFormat(names, render, needs, data, signed)
        _FOUND.update(dict.fromkeys(names, made))
        return render

    return register


def _by_method(*names: str, needs: str, data: bool = False, signed: bool = False) -> None:
    """Register a format that a method of the result writes."""

    @output_format(*names, needs=needs, data=data, signed=signed)
    def render(result: Any, width: int, **limits: int | None) -> str:
        return str(getattr(result, needs)(**limits))


@output_format("text", "table", needs="to_text")
def _text(result: Any, width: int, **limits: int | None) -> str:
    return str(result.to_text(width, **limits))


_by_method("csv", needs="to_csv", data=True, signed=True)
_by_method("json", needs="to_json", data=True, signed=True)
_by_method("latex", needs="to_latex", signed=True)
_by_method("md", "markdown", needs="to_markdown")


@output_format("latex-paper", needs="against_best", signed=True)
def latex_paper(result: Any, width: int, **limits: int | None) -> str:
    """LaTeX as papers print it: systems as rows, scores times 100; the best of each column is bold,
    with a dagger where it is significantly so.
    """
    return str(result.to_latex(style="paper"))


@cache
def output_formats() -> dict[str, OutputFormat]:
    """All formats by each of their names, ours first."""
    for module in sorted(found.name for found in iter_modules(__path__)):
        import_module(f"{__name__}.{module}")
    return _FOUND


def formats_of(result: type) -> dict[str, OutputFormat]:
    """The formats that results of a class support, by each of their names."""
    return {name: one for name, one in output_formats().items() if hasattr(result, one.needs)}


def rendered(result: Any, format: str, width: int, **limits: int | None) -> str:
    """A result in the format of this name."""
    return output_formats()[format].render(result, width, **limits)
