"""The contingency table drawn: a heat map of the shares of the true clusters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from clusterdiff.output.describe import count
from clusterdiff.output.figures import blank, plain
from clusterdiff.output.table import digits, percent
from clusterdiff.output.text import cut, shown_name

if TYPE_CHECKING:
    from clusterdiff.table.table import ContingencyTable

SHADES = ("#f4f8fc", "#c6dbef", "#6baed6", "#2171b5", "#08306b")
"""From an empty cell to a whole cluster: one hue, which grey printers and all eyes tell apart."""
NUMBERED = 400
"""Cells up to which each has its number written in it."""


def heatmap_of(table: ContingencyTable) -> Any:
    """Cells shaded by their share of the true cluster (of the guess cluster if columns are asked
    for), with counts or shares written where there is room.
    """
    figure, counts = blank(), table.to_numpy()
    of_columns = table.shares == "columns"
    size = table.guess_sizes[None, :] if of_columns else table.truth_sizes[:, None]
    share = np.divide(counts, size, out=np.zeros(counts.shape), where=size > 0)
    rows, columns = (
        [plain(cut(shown_name(one), 24)) for one in names] for names in (table.truth, table.guess)
    )
    side = "guess" if of_columns else "true"

    def hover(i: int, j: int) -> str:
        n = counts[i, j].item()
        amount = count(n, "object") if isinstance(n, int) else f"{digits(n)} expected objects"
        own = columns[j] if of_columns else rows[i]
        return (
            f"truth {rows[i]}, guess {columns[j]}<br>{amount}, {percent(share[i, j])} of "
            f"{side} cluster {own}"
        )

    def written(i: int, j: int) -> str:
        if not counts[i, j]:
            return ""
        n = counts[i, j].item()
        return (
            percent(share[i, j], 0)
            if table.shares
            else f"{n:,}"
            if isinstance(n, int)
            else digits(n)
        )

    every = [(i, j) for i in range(len(rows)) for j in range(len(columns))]
    few = len(every) <= NUMBERED
    places = list(range(len(columns))), list(range(len(rows)))

    def grid(told: Any) -> list[list[str]]:
        return [[told(i, j) for j in places[0]] for i in places[1]]

    figure.add_heatmap(
        x=places[0], y=places[1], z=share.tolist(), zmin=0, zmax=1, xgap=1, ygap=1,
        colorscale=[[k / (len(SHADES) - 1), shade] for k, shade in enumerate(SHADES)],
        colorbar={
            "title": {"text": f"share of the {side} cluster", "side": "right"},
            "tickformat": ".0%", "thickness": 14,
        },
        customdata=grid(hover), hovertemplate="%{customdata}<extra></extra>",
        text=grid(written) if few else None, texttemplate="%{text}" if few else None,
    )  # fmt: skip
    ticks = {"showgrid": False, "zeroline": False}
    figure.update_layout(
        xaxis=ticks
        | {"title": "guess", "tickvals": places[0], "ticktext": columns, "tickangle": -45},
        yaxis=ticks
        | {"title": "truth", "tickvals": places[1], "ticktext": rows, "autorange": "reversed"},
        height=160 + min(900, max(200, 26 * len(rows))),
    )
    return figure
