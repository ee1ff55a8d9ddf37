"""Where releases are followed: in memory, or where they are if they are too large for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clusterdiff.backends.table import NeedsMemory
from clusterdiff.inputs.releases.memory import MemoryReleases

if TYPE_CHECKING:
    from clusterdiff.inputs.releases.protocol import Releases
    from clusterdiff.inputs.runs import Runs, Side
    from clusterdiff.meet import Policy


def releases_of(
    runs: Runs, policy: Policy, weight: Side | None = None, *, last_alone: bool = False
) -> Releases:
    """Partitions in the order of time; other kinds are refused. `weight` says what each object of
    the last one counts; with `last_alone` clusters of earlier ones may come in any order.
    """
    runs.refuse_other_kinds()
    sides = list(runs.sides.values())
    tables = runs.shop.tables([*sides, *([] if weight is None else [weight])])
    if tables is not None and runs.shop.is_far(tables):
        from clusterdiff.inputs.releases.sql import TableReleases

        own = tables if weight is None else tables[:-1]
        try:
            return TableReleases(runs.names, own, policy, None if weight is None else tables[-1])
        except NeedsMemory as unfit:
            tables[0].session.refuse(unfit)
    heavy = None if weight is None else runs.shop.loaded(weight)
    return MemoryReleases(runs, policy, heavy, len(sides) - 1 if last_alone else 0)
