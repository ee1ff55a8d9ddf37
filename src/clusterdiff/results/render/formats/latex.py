"""LaTeX: a booktabs table, with the signatures as comments."""

from __future__ import annotations

from typing import Any

from clusterdiff.results.render.formats import output_format


@output_format("latex", needs="to_latex", signed=True)
def latex(result: Any, width: int, **limits: int | None) -> str:
    """A tabular environment."""
    return str(result.to_latex(**limits))
