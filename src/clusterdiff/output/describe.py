"""What was compared, in a line or two: objects, clusters, the largest, the single ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from clusterdiff.clusterings.counts import TimeUnit
from clusterdiff.contingency import CoverMeet, HardMeet, SoftMeet
from clusterdiff.errors import printable
from clusterdiff.io.sides import NOWHERE, Origins
from clusterdiff.output.table import percent
from clusterdiff.output.text import columns as terminal_columns
from clusterdiff.output.text import cut, pad, shown_ids, wrapped

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from clusterdiff.clusterings.base import Origin
    from clusterdiff.contingency import Meet, SoftSide


class Unit(NamedTuple):
    """What amounts of objects are given in: their number, or the seconds that they last."""

    second: int = 0
    """Objects in a second; 0 where objects are no time."""

    @property
    def heading(self) -> str:
        """What stands above a column of amounts."""
        return "time" if self.second else "objects"

    def number(self, objects: int) -> str:
        """An amount without a noun."""
        return f"{objects / self.second:,.3f} s" if self.second else f"{objects:,}"

    def told(self, objects: int) -> str:
        """An amount with its noun."""
        return self.number(objects) if self.second else count(objects, "object")


OBJECTS = Unit()


def unit_of(m: Meet) -> Unit:
    """What amounts of the objects of a comparison are given in: those of speech are time."""
    counted = m.alignment.count
    return Unit(counted.second) if isinstance(counted, TimeUnit) else OBJECTS


def time_unit(m: Meet) -> dict[str, str]:
    """The entry of JSON that says which unit of time objects are, if they are time."""
    counted = m.alignment.count
    return {"unit": str(counted)} if isinstance(counted, TimeUnit) else {}


TOGETHER = "\u00a0"
"""A blank at which no line is broken."""


NAMES = 5
"""Samples that are named."""


def describe(
    meets: Mapping[str, Meet],
    samples: int = 0,
    columns: int = 80,
    notes: Sequence[str] = (),
    origins: Origins = NOWHERE,
    levels: Mapping[str, tuple[Mapping[str, Meet], Origins]] | None = None,
) -> str:
    """A line for truth, or for each level of it with its meets, a line for each guess, what
    alignment and noise touched, other notes.
    """
    truths = levels or {"truth": (meets, origins)}
    names = [*truths, *meets]
    width = min(max(12, columns - 50), max(map(terminal_columns, names)))
    lines = [
        _line(name, next(iter(own.values())), "truth", width) + _taken(read.truth)
        for name, (own, read) in truths.items()
    ]
    lines += [
        _line(name, m, "guess", width) + _taken(origins.guesses.get(name))
        for name, m in meets.items()
    ]
    told = {name: _told(*one) for name, one in truths.items()}
    shared = [note for note in next(iter(told.values())) if all(note in t for t in told.values())]
    lines += shared
    lines += [f"{name}: {note}" for name, own in told.items() for note in own if note not in shared]
    if samples:
        lines.append(
            f"{count(samples, 'sample')}: macro is the mean of their scores, micro pools them"
        )
        lines += _left_out(meets, samples)
    lines += notes
    wrapped_lines = (wrapped(printable(line), columns, more="  ") for line in lines)
    return "\n".join(wrapped_lines).replace(TOGETHER, " ")


def _told(meets: Mapping[str, Meet], origins: Origins) -> list[str]:
    """How sides were read, and what alignment and noise touched."""
    lines = [*origins.with_notes_of(meets).notes()]
    for name, m in meets.items():
        prefix = f"{name}: " if len(meets) > 1 else ""
        lines += [prefix + note for note in _notes(m)]
    return lines + _together(meets)


def _taken(origin: Origin | None) -> str:
    """The columns that were taken, where it is a table; they stay together on a line."""
    return "" if origin is None else " " + f"[{origin}]".replace(" ", TOGETHER)


def _together(meets: Mapping[str, Meet]) -> list[str]:
    """Which objects several guesses are judged on, where these are not the same by themselves."""
    told = {name: m.alignment for name, m in meets.items()}
    if not any(a.among for a in told.values()):
        return []
    first, m = next(iter(told.values())), next(iter(meets.values()))
    few = len(meets) == 2
    sides = {1: "all levels of truth and the guess", 2: "truth and both guesses"}
    which = {
        "shared": f"{sides.get(len(meets), f'truth and all {len(meets)} guesses')} have",
        "singletons": f"truth or {'either guess' if few else f'any of {len(meets)} guesses'} has",
    }.get(first.policy)
    unit = unit_of(m)
    objects = unit.heading if first.policy == "penalise" else f"the {unit.told(m.objects)}"
    if which is None:
        which = "neither truth nor any guess calls noise"
    elif first.noise_as == "drop":
        which += " and none calls noise"
    return [f"judged on {objects} that {which}; a guess alone may score otherwise"]


def _left_out(meets: Mapping[str, Meet], samples: int) -> list[str]:
    """Samples that are left out, counted and some of them named."""
    gone = sorted({name for m in meets.values() for name in m.alignment.empty})
    if not gone:
        return []
    have, are = ("has", "is") if len(gone) == 1 else ("have", "are")
    return [
        f"{len(gone):,} of {samples + len(gone):,} samples {have} no objects to compare and {are} "
        f"left out: {shown_ids(gone, NAMES)}"
    ]


def _line(name: str, m: Meet, side: str, width: int) -> str:
    sizes = side_sizes(m, side).replace(" % ", f"{TOGETHER}%{TOGETHER}")
    return f"{pad(cut(name, width), width)}  {sizes}"


def side_sizes(m: Meet, side: str) -> str:
    """How many objects and clusters a side has, and of which sizes."""
    if isinstance(m, SoftMeet):
        known = m.truth if side == "truth" else m.guess
        if known.labels is None:
            return _uncertain(m, known)
    sizes = m.truth_sizes if side == "truth" else m.guess_sizes
    objects = m.truth_objects if side == "truth" else m.guess_objects
    if (unit := unit_of(m)).second:
        return _spoken(m, side, unit)
    if not objects:
        return "no objects"
    if not sizes.clusters:
        return f"{count(objects, 'object')}, none in a cluster"
    single = int(sizes.count[sizes.size == 1].sum())
    share = single / sizes.clusters
    some = (
        f", {percent(share, 0) + ' singletons' if share >= 0.01 else count(single, 'singleton')}"
        if single
        else ""
    )
    return (
        f"{count(objects, 'object')} in {count(sizes.clusters, 'cluster')} "
        f"(largest {int(sizes.size.max()):,}{some}"
        f"{_overlap(m, side, objects) if isinstance(m, CoverMeet) else ''})"
    )


def _spoken(m: Meet, side: str, unit: Unit) -> str:
    """How long somebody speaks on a side, how many speakers there are, and who speaks longest."""
    assert isinstance(m, HardMeet | CoverMeet)
    sizes = m.truth_sizes if side == "truth" else m.guess_sizes
    if not sizes.clusters:
        return "no speech"
    objects, each = m.truth_objects if side == "truth" else m.guess_objects, ""
    if isinstance(m, CoverMeet):
        cover = m.truth if side == "truth" else m.guess
        objects -= int(m.both[cover.uncovered].sum())
        mean = int(cover.size.sum()) / objects
        each = "" if mean == 1 else f", {mean:.3g} at once"
    return (
        f"{unit.told(objects)} of speech by {count(sizes.clusters, 'speaker')} "
        f"(longest {unit.told(int(sizes.size.max()))}{each})"
    )


def _uncertain(m: SoftMeet, side: SoftSide) -> str:
    """How many objects and clusters, and how much of it is uncertain."""
    unsure = int(m.both[side.uncertain].sum())
    empty = side.masses.empty[side.row]
    share, lost = float(empty @ m.both) / m.objects, int(m.both[empty >= 1].sum())
    none = f", {100 * share:.2g} % of the mass on the empty set" if share else ""
    none += f", {lost:,} in no cluster" if lost else ""
    return (
        f"{count(m.objects, 'object')} in {count(side.masses.held, 'cluster')}, {side.kind} "
        f"({unsure:,} uncertain{none})"
    )


def _overlap(m: CoverMeet, side: str, objects: int) -> str:
    """In how many clusters an object is, and how many are in none."""
    cover = m.truth if side == "truth" else m.guess
    mean = int(cover.size.sum()) / objects
    none = int(m.both[cover.uncovered].sum())
    if mean == 1 and not none:
        return ""
    return f", {mean:.3g} each" + (f", {none:,} in none" if none else "")


def _notes(m: Meet) -> list[str]:
    a, unit = m.alignment, unit_of(m)
    notes = []
    if a.only_truth or a.only_guess:
        each = "" if a.only_truth + a.only_guess == 1 else "each "
        fate = {
            "shared": "left out",
            "singletons": f"{each}a cluster of its own on the other side",
            "penalise": "counted as errors",
        }[a.policy]
        notes.append(
            f"{unit.told(a.only_truth)} only in truth, {unit.number(a.only_guess)} only in guess: "
            f"{fate}"
        )
        if a.policy == "penalise":
            shown = (f"{100 * one:.2f}" for one in a.detection(m.objects))
            notes[-1] += "; detection P {}, R {}, F {}".format(*shown)
    if a.noise_as:
        alone = "a cluster of its own" if a.noise == 1 else "each a cluster of its own"
        fate = alone if a.noise_as == "singletons" else "left out"
        notes.append(f"{count(a.noise, 'noise object')}: {fate}")
    if a.repeats:
        notes.append(
            f"{count(a.repeats, 'row')} repeated the same object and cluster: counted once"
        )
    return notes


def count(number: int, noun: str) -> str:
    """A number with its noun, in the plural where it should be."""
    return f"{number:,} {noun}" + ("" if number == 1 else "s")
