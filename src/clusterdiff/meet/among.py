"""A comparison among others: with their objects added, and with an alignment that says so."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from clusterdiff.meet.alignment import Alignment
from clusterdiff.meet.hard import HardMeet
from clusterdiff.meet.sketch import Sketch
from clusterdiff.meet.stack import Listed, Stack

if TYPE_CHECKING:
    from collections.abc import Mapping

    from clusterdiff.meet import Meet


def aligned(found: Meet | Stack | Listed, alignment: Alignment) -> Meet | Stack | Listed:
    """The same comparison with another alignment."""
    if isinstance(found, Listed):
        return replace(found, pooled=replace(found.pooled, alignment=alignment))
    if isinstance(found, Stack):
        return found.having(alignment)
    return replace(found, alignment=alignment)


def with_singles(found: Meet | Stack | Listed, singles: Mapping[str, int]) -> Meet | Stack | Listed:
    """The same with objects more that are alone on both sides: how many, by the name of the sample
    ("" where there are no samples).
    """
    if not singles:
        return found
    if isinstance(found, Stack):
        return found.with_singles(singles)
    if isinstance(found, Listed):
        return _listed_with(found, singles)
    made: Meet = _with(found, sum(singles.values()))
    return made


def _with(meet: Any, many: int) -> Any:
    from clusterdiff.meet import union

    if isinstance(meet, Sketch):
        return meet.with_singles(many)
    return union([meet, _singles(many, meet.alignment)])


def _singles(many: int, like: Alignment) -> HardMeet:
    """So many objects, each alone in truth and in guess, under the policy of another meet."""
    zero, one = np.zeros(1, np.int64), np.ones(1, np.int64)
    alignment = Alignment(like.policy, noise_as=like.noise_as)
    return HardMeet.of_cells(zero, zero, one, np.array([many]), alignment=alignment)


def _listed_with(found: Listed, singles: Mapping[str, int]) -> Listed:
    """Samples of any kind, and behind them those that only others have."""
    known = list(map(str, found.names))
    meets = [
        _with(meet, singles[name]) if name in singles else meet
        for name, meet in zip(known, found.meets, strict=True)
    ]
    new = {name: many for name, many in singles.items() if name not in known}
    meets += [_singles(many, found.pooled.alignment) for many in new.values()]
    return Listed([*found.names, *new], meets, _with(found.pooled, sum(singles.values())))
