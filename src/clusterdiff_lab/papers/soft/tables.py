"""Table 2 of the paper on soft clusterings as it is printed, and what of it cannot be."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple


class PrintedScore(NamedTuple):
    """A printed score, from low to high, and the seconds it took."""

    low: float | None
    high: float | None
    seconds: float | None

    def __str__(self) -> str:
        if self.low is None:
            return "—"
        return f"{self.low:.3f}" if self.low == self.high else f"{self.low:.3f}–{self.high:.3f}"


ALGORITHMS = ("KM", "RKM", "FCM", "PCM", "ECM")

PRINTED = """
T-RI  0.877 (0.034)  0.874 0.886 (0.802)  0.876 (784.388)  0.839 0.941 (979.053)  0.781 0.944 (1394.69)
S-RI  -              0.874 0.886 (0.429)  0.876 (11.266)   0.860 0.927 (19.848)   0.681 0.819 (19.845)
A-RI  -              0.871 0.889 (6.949)  0.876 (6.924)    0.826 0.966 (7.146)    0.747 0.887 (7.024)
T-PD  0.111 (0.031)  0.099 0.113 (0.803)  0.112 (184.707)  0.033 0.122 (224.31)   0.041 0.229 (431.57)
S-PD  -              0.100 0.113 (0.202)  0.112 (11.391)   0.072 0.103 (13.739)   0.154 0.209 (16.424)
A-PD  -              0.099 0.113 (1.807)  0.112 (1.665)    0.033 0.136 (2.926)    0.039 0.221 (3.386)
"""  # noqa: E501
"""By metric and algorithm, in the order of ALGORITHMS."""


def _cell(text: str) -> PrintedScore:
    if text == "-":
        return PrintedScore(None, None, None)
    *ends, seconds = (float(number) for number in re.findall(r"[\d.]+", text))
    return PrintedScore(ends[0], ends[-1], seconds)


def _table() -> Mapping[str, Mapping[str, PrintedScore]]:
    rows = [re.split(r" {2,}", line) for line in PRINTED.strip().splitlines()]
    return {
        metric: dict(zip(ALGORITHMS, map(_cell, cells), strict=True)) for metric, *cells in rows
    }


TABLE_2 = _table()

IMPOSSIBLE = (
    {"printed": "KM: T-PD 0.111", "but": "it is k/149 or k/150: 0.107, 0.113"},
    {"printed": "RKM: T-PD and A-PD from 0.099", "but": "d₀ is k/149 or k/150: 0.094, 0.100"},
    {"printed": "ECM: T-RI to 0.944, A-RI to 0.887", "but": "1 - d₀ ≤ Rand₀"},
    {"printed": "ECM: T-PD to 0.229, A-PD to 0.221", "but": "d₁ ≤ δ₁, no mass being on ∅"},
    {"printed": "ECM: S-RI 0.681–0.819, T-RI 0.781–0.944", "but": "draws lie within T-RI"},
)
"""Printed numbers that no clusterings give."""
