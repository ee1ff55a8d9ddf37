"""The meet of two tables that stay in an engine: joined, counted, and only then fetched."""

from __future__ import annotations

from clusterdiff.backends.alignment import plan_of
from clusterdiff.backends.sql.contingency import cells_of
from clusterdiff.backends.sql.cover_soft import meet_of_pairs
from clusterdiff.backends.sql.hard import hard_meet
from clusterdiff.backends.table import NeedsMemory, Table
from clusterdiff.meet import Listed, Meet, Policy, Stack


def meet_tables(truth: Table, guess: Table, policy: Policy) -> Meet | Stack | Listed:
    """The meet of two tables of one session; with samples, the meets side by side.

    Raises `Unfit` where this needs the engine for everything in memory.
    """
    if (truth.columns.sample is None) != (guess.columns.sample is None):
        raise NeedsMemory("samples that one side names for the other")
    if truth.columns.id is None or guess.columns.id is None:
        raise NeedsMemory("objects without ids")
    plan = plan_of(policy, truth.says, guess.says)
    with truth.session.scratch():
        cells = cells_of(truth, guess, plan)
        return hard_meet(cells, plan) if cells.is_hard else meet_of_pairs(cells, plan)
