"""JSON: everything, with full precision and stable keys."""

from __future__ import annotations

from typing import Any

from clusterdiff.results.render.formats import output_format


@output_format("json", needs="to_json", data=True, signed=True)
def json(result: Any, width: int, **limits: int | None) -> str:
    """One document."""
    return str(result.to_json(**limits))
