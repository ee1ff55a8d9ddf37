"""LaTeX as papers print it: systems as rows, scores times 100."""

from __future__ import annotations

from typing import Any

from clusterdiff.output.formats import output_format


@output_format("latex-paper", needs="against_best", signed=True)
def latex_paper(result: Any, width: int, **limits: int | None) -> str:
    """The best of each column is bold, with a dagger where it is significantly so."""
    return str(result.to_latex(style="paper"))
