"""One truth, its guesses, and the objects that all of them are judged on.

`shared` judges on the objects that truth and all guesses have, `singletons` on those that any of
them has; of noise that is dropped, what one of them calls so is left out for all. `exact` and
`penalise` ask the same of every guess by themselves.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cache, reduce
from typing import Any, NamedTuple
from warnings import catch_warnings, simplefilter

import numpy as np

from clusterdiff.array_types import Ints
from clusterdiff.backends.alignment import plan_of
from clusterdiff.backends.labelled.protocol import Compared
from clusterdiff.backends.memory.together import Together
from clusterdiff.backends.sql.joint import joint_cells
from clusterdiff.backends.sql.select_objects import Selection
from clusterdiff.backends.table import NeedsMemory, Table
from clusterdiff.clusterings import AnyClustering, Partition
from clusterdiff.clusterings.encode.group import by_appearance, pair_keys
from clusterdiff.errors import ClusterdiffWarning
from clusterdiff.inputs.coerce import met
from clusterdiff.inputs.formats.coreference.mentions import as_mentions_of
from clusterdiff.inputs.session import Workshop
from clusterdiff.meet import Alignment, Among, Listed, Meet, Policy, Stack

Side = AnyClustering | Table
Found = Meet | Stack | Listed


class Lost(NamedTuple):
    """Objects that truth has in clusters and a guess is not judged on, by its own doing."""

    objects: int
    of: int
    """How many objects truth has in clusters."""


@dataclass(frozen=True, eq=False)
class Judged:
    """Truth and guesses, with the objects that they are judged on."""

    shop: Workshop
    truth: Side
    guesses: Mapping[str, Side]
    policy: Policy
    features: Any = None
    alignments: Mapping[str, Alignment] = field(default_factory=dict)
    """How each guess was matched, where others had a say."""
    beyond: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    """For each guess the objects that only others have, by sample."""
    whole: Judged | None = None
    """The same with all objects, where some are left out."""
    _met: dict[str, Found] = field(default_factory=dict)

    def met(self, name: str) -> Found:
        """The meet of truth and a guess; of samples, the meets side by side."""
        if name not in self._met:
            with self._warned():
                guess = self.guesses[name]
                found = met(self.shop, self.truth, guess, self.policy, self.features)
            if beyond := self.beyond.get(name):
                found = found.with_singles(beyond)
            if name in self.alignments:
                found = found.having(self.alignments[name])
            self._met[name] = found
        return self._met[name]

    def compared(self, name: str) -> Compared | None:
        """Truth and a guess compared with names, if both are partitions."""
        with self._warned():
            beyond, guess = self.alone(name), self.guesses[name]
            found = self.shop.compared(self.truth, guess, self.policy, beyond)
        if found is None or name not in self.alignments:
            return found
        return found.aligned(self.alignments[name])

    @contextmanager
    def _warned(self) -> Iterator[None]:
        """Where some objects are left out, what there is to warn of was said of all of them."""
        if self.whole is None:
            yield
            return
        with catch_warnings():
            simplefilter("ignore", ClusterdiffWarning)
            yield

    def alone(self, name: str) -> int:
        """How many objects neither truth nor a guess has and another one does."""
        return sum(self.beyond.get(name, {}).values())

    def loaded(self, name: str) -> tuple[AnyClustering, AnyClustering]:
        """Truth and a guess in memory."""
        return self.shop.loaded(self.truth), self.shop.loaded(self.guesses[name])

    def cells(self) -> tuple[dict[str, Ints], Ints, Ints] | None:
        """How many objects are in the same clusters of truth ("") and of every guess: clusters by
        side, objects, and how often; None if not all are partitions.
        """
        sides = [self.truth, *self.guesses.values()]
        names = ["", *self.guesses]
        tables = self.shop.tables(sides)
        if tables is not None:
            try:
                found, objects, times = joint_cells(tables, self.policy)
                return dict(zip(names, found, strict=True)), objects, times
            except NeedsMemory as unfit:
                tables[0].session.refuse(unfit)
        whole = [self.shop.loaded(side) for side in sides]
        if not all(isinstance(side, Partition) for side in whole):
            return None
        clusters = Together.of(whole, self.policy).clusters()
        code, first = by_appearance(reduce(pair_keys, clusters))
        chosen = {name: side[first] for name, side in zip(names, clusters, strict=True)}
        return chosen, np.bincount(code), np.ones_like(first)

    def lost(self, name: str, unless: str | None = None) -> Lost:
        """What a guess is not judged on because it lacks it, or calls it noise that is dropped; of
        that only what another guess has, if one is named.
        """
        whole = self.whole or self
        if not plan_of(whole.policy).selects:
            return Lost(0, 0)
        place = {guess: i for i, guess in enumerate(whole.guesses, 1)}
        where, but = whole._where(), None if unless is None else place[unless]
        return Lost(where.lost(place[name], but), where.asked())

    def _where(self) -> Selection | Together:
        """Which side has which objects, in the engine where they are or in memory."""
        sides = [self.truth, *self.guesses.values()]
        tables = self.shop.tables(sides) if self.features is None else None
        if tables is not None:
            try:
                return Selection.of(tables, self.policy)
            except NeedsMemory as unfit:
                tables[0].session.refuse(unfit)
        return Together.of([self.shop.loaded(side) for side in sides], self.policy)


def judged_together(
    shop: Workshop,
    truth: Side,
    guesses: Mapping[str, Side],
    policy: Policy,
    features: Any = None,
) -> Judged:
    """Truth and guesses on the same objects, as the policy says."""
    guesses = {name: as_mentions_of(truth, guess) for name, guess in guesses.items()}
    alone, plan = Judged(shop, truth, guesses, policy, features), plan_of(policy)
    if len(guesses) < 2 or not plan.heeds_others:
        return alone
    if not any(plan.touches_others(alone.met(name).alignment) for name in guesses):
        return alone
    made = _restricted(alone)
    return made if any(a.among for a in made.alignments.values()) else alone


def _restricted(alone: Judged) -> Judged:
    """The same on the objects that all are judged on."""
    where = alone._where()
    names = list(alone.guesses)
    truth, *guesses = _sides(alone, where)
    beyond = {name: where.beyond(i) for i, name in enumerate(names, 1)}
    chosen = dict(zip(names, guesses, strict=True))
    features = alone.features
    if features is not None:
        assert isinstance(where, Together)
        features = np.asarray(features)[where.positions()]
    made = Judged(alone.shop, truth, chosen, alone.policy, features, beyond=beyond, whole=alone)
    alignments = {name: _alignment(made, alone, name, where.empty) for name in names}
    found = {name: made.met(name).having(alignments[name]) for name in names}
    return replace(made, alignments=alignments, _met=found)


def _sides(alone: Judged, where: Selection | Together) -> list[Side]:
    """Truth and guesses with what is kept; refused where that is nothing."""
    if not where.any():
        raise plan_of(alone.policy).nothing_left(len(alone.guesses))
    if isinstance(where, Together):
        return list(where.restricted())

    @cache
    def in_memory() -> list[AnyClustering]:
        sides = [alone.truth, *alone.guesses.values()]
        whole = Together.of([alone.shop.loaded(side) for side in sides], alone.policy)
        return whole.restricted()

    return list(where.restricted(lambda i: in_memory()[i]))


def _alignment(made: Judged, alone: Judged, name: str, empty: tuple[str, ...]) -> Alignment:
    """How a guess was matched on its own, and what the others change."""
    before, after = alone.met(name).pooled, made.met(name).pooled
    added = made.alone(name)
    left_out = before.objects + added - after.objects
    among = Among(len(made.guesses), left_out, added) if left_out or added else None
    return replace(before.alignment, empty=empty, among=among)
