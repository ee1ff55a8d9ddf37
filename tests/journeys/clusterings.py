"""A truth and two guesses of every kind, as files and as Python has them.

Each side lacks an object in each of two samples, the second guess has one that truth lacks, and
one object is called noise by truth and by each guess that is a partition or a cover.
"""

from __future__ import annotations

import csv
from collections.abc import Hashable
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import clusterdiff as cd
from journeys.policies import NOISE, Policy, Said

KINDS = ("partition", "cover", "rough", "fuzzy", "possibilistic", "evidential")
SAMPLES = ("x", "y")
CLUSTERS = "abc"
OBJECTS = 8


class Sides(NamedTuple):
    """A truth and guesses, as the oracle has them and as rows of a table."""

    kind: str
    truth: Said
    guesses: dict[str, Said]

    @property
    def kinds(self) -> tuple[str, str]:
        """The kind of truth, and that of the guesses."""
        return ("cover" if self.kind == "cover" else "partition"), self.kind


def sides(kind: str, policy: Policy) -> Sides:
    """The clusterings; under `exact` all have the same objects."""
    rng = Random(f"{kind}")
    objects = [(sample, f"{sample}{i}") for sample in SAMPLES for i in range(OBJECTS)]
    truth_kind = "cover" if kind == "cover" else "partition"
    truth = {x: said(truth_kind, rng) for x in objects}
    guesses = {name: {x: said(kind, rng) for x in objects} for name in ("old", "new")}
    for place, side in enumerate([truth, *guesses.values()]):
        hard = kind in ("partition", "cover") or side is truth
        for sample in SAMPLES:
            if hard:
                side[sample, f"{sample}{place}"] = frozenset({NOISE}) if kind == "cover" else NOISE
            if policy.align != "exact":
                del side[sample, f"{sample}{4 + place}"]
    if policy.align == "exact":
        return Sides(kind, truth, guesses)
    for sample in SAMPLES:
        guesses["new"][sample, f"{sample}extra"] = said(kind, rng)
    return Sides(kind, truth, guesses)


def said(kind: str, rng: Random) -> Any:
    """What is said of one object."""
    one, two = rng.sample(CLUSTERS, 2)
    if kind == "partition":
        return one
    if kind == "cover":
        return frozenset(rng.sample(CLUSTERS, rng.choice([1, 1, 2])))
    if kind == "rough":
        return {frozenset(rng.sample(CLUSTERS, rng.choice([1, 1, 2]))): Fraction(1)}
    share = Fraction(rng.choice([1, 2, 3, 4]), 4)
    if kind == "possibilistic":
        return {frozenset(one): 1 - share, frozenset((one, two)): share}
    second = frozenset(two) if kind == "fuzzy" else frozenset((one, two))
    return {a: w for a, w in ((frozenset(one), share), (second, 1 - share)) if w}


def in_samples(side: Said, policy: Policy) -> Said:
    """The same clustering where clusters of different samples are different."""

    def named(x: Any, label: Hashable) -> Hashable:
        return label if policy.noise_as and label == NOISE else (x[0], label)

    def named_set(x: Any, labels: frozenset[Hashable]) -> frozenset[Hashable]:
        return frozenset(named(x, label) for label in labels)

    made: Said = {}
    for x, one in side.items():
        if isinstance(one, dict):
            made[x] = {named_set(x, a): w for a, w in one.items()}
        else:
            made[x] = named_set(x, one) if isinstance(one, frozenset) else named(x, one)
    return made


def rows(kind: str, one: Any) -> list[tuple[str, float | None]]:
    """The rows of an object in a table: cluster and degree."""
    if kind == "partition":
        return [(one, None)]
    if kind == "cover":
        return [(label, None) for label in sorted(one)]
    if kind == "rough":
        return [(label, None) for a in one for label in sorted(a)]
    if kind == "possibilistic":
        return sorted(possibilities(one).items())
    return [("|".join(sorted(a)), float(weight)) for a, weight in one.items()]


def possibilities(one: dict[frozenset[str], Fraction]) -> dict[str, float]:
    """How possible each cluster is: the mass of all sets that it is in."""
    labels = sorted({label for a, weight in one.items() if weight for label in a})
    return {label: float(sum(w for a, w in one.items() if label in a)) for label in labels}


def write(path: Path, kind: str, side: Said) -> str:
    """A table with a row for each object and cluster."""
    graded = kind in ("fuzzy", "possibilistic", "evidential")
    with path.open("w", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(["id", "cluster", *(["degree"] if graded else []), "sample"])
        for (sample, name), one in side.items():
            for label, degree in rows(kind, one):
                table.writerow([name, label, *([degree] if graded else []), sample])
    return str(path)


def made(kind: str, side: Said) -> Any:
    """The clustering as Python has it, by ids that are the same in every sample but one."""
    ids = {x[1]: one for x, one in side.items()}
    match kind:
        case "partition":
            return cd.Partition(ids)
        case "cover":
            return cd.Cover({x: sorted(one) for x, one in ids.items()})
        case "rough":
            return cd.Rough({x: sorted(next(iter(one))) for x, one in ids.items()})
        case "fuzzy":
            return cd.Fuzzy({x: dict(rows(kind, one)) for x, one in ids.items()})
        case "possibilistic":
            return cd.Possibilistic({x: possibilities(one) for x, one in ids.items()})
        case _:
            return cd.Evidential({x: dict(rows(kind, one)) for x, one in ids.items()})
