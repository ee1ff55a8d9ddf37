"""Levels: clusterings that were made one by one, scored as `compare` scores several guesses."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clusterdiff.backends.memory.together import Together
from clusterdiff.inputs import settle_indexes
from clusterdiff.inputs.together import judged_together
from clusterdiff.results.many.sweep.lines import LevelLines
from clusterdiff.results.many.sweep.source import Swept
from clusterdiff.results.origins import NOWHERE

if TYPE_CHECKING:
    from clusterdiff.clusterings import Partition
    from clusterdiff.inputs.runs import Runs
    from clusterdiff.meet import Policy


def level_lines(
    truth: Partition, runs: Runs, policy: Policy
) -> tuple[Partition, LevelLines, Swept]:
    """Truth and levels on the objects that all of them are judged on."""
    given = runs.partitions()
    settle_indexes([truth, *given.values()])
    judged = judged_together(runs.shop, truth, given, policy)
    meets = {name: judged.met(name).pooled for name in given}  # refuses what cannot be compared
    found = Together.of([truth, *given.values()], policy)
    own, *clusters = found.clusters()
    lines = LevelLines(own, dict(zip(given, clusters, strict=True)), given)
    first = next(iter(meets.values())).alignment
    swept = Swept(
        shown=f"{len(given):,} levels",
        taken_for="levels",
        objects=own.size,
        noise=first.noise,
        levels=list(given),
        read=NOWHERE.with_notes_of(meets).read,
    )
    return truth, lines, swept
