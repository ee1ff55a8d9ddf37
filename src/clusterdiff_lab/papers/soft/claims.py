"""What the paper claims, in the order of its sections."""

from __future__ import annotations

from clusterdiff_lab.papers.paper import Claim
from clusterdiff_lab.papers.soft import (
    section_2,
    section_3_rough,
    section_3_transport,
    section_4_1,
    section_4_2,
    section_4_3,
)

CLAIMS: tuple[Claim, ...] = (
    *section_2.CLAIMS,
    *section_3_rough.CLAIMS,
    *section_3_transport.CLAIMS,
    *section_4_1.CLAIMS,
    *section_4_2.CLAIMS,
    *section_4_3.CLAIMS,
)
