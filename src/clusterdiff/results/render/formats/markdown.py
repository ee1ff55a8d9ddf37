"""Markdown: a table, or a page of them."""

from __future__ import annotations

from typing import Any

from clusterdiff.results.render.formats import output_format


@output_format("md", "markdown", needs="to_markdown")
def markdown(result: Any, width: int, **limits: int | None) -> str:
    """Pipe tables."""
    return str(result.to_markdown(**limits))
