"""Plain text that fits the terminal."""

from __future__ import annotations

from typing import Any

from clusterdiff.results.render.formats import output_format


@output_format("text", "table", needs="to_text")
def text(result: Any, width: int, **limits: int | None) -> str:
    """Lines of up to this width."""
    return str(result.to_text(width, **limits))
