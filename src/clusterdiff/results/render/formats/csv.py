"""CSV: one line per record, with full precision."""

from __future__ import annotations

from typing import Any

from clusterdiff.results.render.formats import output_format


@output_format("csv", needs="to_csv", data=True, signed=True)
def csv(result: Any, width: int, **limits: int | None) -> str:
    """A line of names, then the records."""
    return str(result.to_csv(**limits))
