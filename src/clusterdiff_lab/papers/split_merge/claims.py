"""What the split-merge paper claims, in the order of its sections."""

from __future__ import annotations

from clusterdiff_lab.papers.paper import Claim
from clusterdiff_lab.papers.split_merge import section_3, section_4, section_5

CLAIMS: tuple[Claim, ...] = (*section_3.CLAIMS, *section_4.CLAIMS, *section_5.CLAIMS)
