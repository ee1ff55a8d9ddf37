"""Which guess cluster is the home of which true cluster: the largest parts choose first."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np

from clusterdiff.array_types import Bools, Ints
from clusterdiff.clusterings.encode.group import MANY


def homes(truth: Ints, guess: Ints, both: Ints) -> tuple[Bools, Bools, Bools]:
    """For each row: whether it is the home of its true cluster in its guess cluster; whether the
    true cluster has a home at all; whether the guess cluster is one.

    Of equal parts the first one chooses. -1 is no cluster.
    """
    order = np.argsort(-both, kind="stable")
    taken = [np.zeros(int(side.max(initial=-1)) + 2, np.bool_) for side in (truth, guess)]
    home = np.zeros(both.size, np.bool_)
    choose = _choose if both.size < MANY else _compiled()
    choose(order, truth, guess, taken[0], taken[1], home)
    return home, taken[0][truth] & (truth >= 0), taken[1][guess] & (guess >= 0)


@cache
def _compiled() -> Callable[..., None]:
    from clusterdiff.compiled import compiled

    return compiled(_choose)


def _choose(
    order: Ints, truth: Ints, guess: Ints, settled: Bools, owned: Bools, home: Bools
) -> None:
    for row in order:
        t, g = truth[row], guess[row]
        if t >= 0 and g >= 0 and not settled[t] and not owned[g]:
            settled[t] = owned[g] = home[row] = True
