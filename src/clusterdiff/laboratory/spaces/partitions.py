"""Stages of comparisons of partitions: all small ones, and a guess for every truth."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random

from clusterdiff.laboratory.search.engine import Stage
from clusterdiff.laboratory.spaces.contingency import (
    Column,
    Contingency,
    sizes,
    tables,
    without_empty_rows,
)


def small_tables(most: int, least: int = 1) -> Iterator[Contingency]:
    """All pairs of partitions of so many objects, the smaller ones first."""
    return (table for n in range(least, most + 1) for table in tables(n))


def truths(
    most: int, guess: Callable[[Column], Contingency], least: int = 1
) -> Iterator[Contingency]:
    """Every truth, up to renaming, with one guess determined by its cluster sizes."""
    return (guess(of) for n in range(least, most + 1) for of in sizes(n))


def itself(of: Column) -> Contingency:
    """The truth with clusters of these sizes, guessed right."""
    return Contingency(tuple(only(of, k, size) for k, size in enumerate(of)))


def singles(of: Column) -> Contingency:
    """The truth with clusters of these sizes, each object guessed to be alone."""
    return Contingency(tuple(only(of, k, 1) for k, size in enumerate(of) for _ in range(size)))


def only(of: Column, k: int, count: int) -> Column:
    """A guess cluster with so many objects of one true cluster."""
    return tuple(count if at == k else 0 for at in range(len(of)))


def pairs(most: int, least: int = 1) -> Stage[Contingency]:
    """All pairs of partitions."""
    return Stage(
        f"all pairs of partitions of {_range(least, most)}", lambda: small_tables(most, least)
    )


def every_truth(
    most: int, guess: Callable[[Column], Contingency], least: int = 1
) -> Stage[Contingency]:
    """Every truth with one guess."""
    return Stage(f"every truth of {_range(least, most)}", lambda: truths(most, guess, least))


def _range(least: int, most: int) -> str:
    return f"up to {most} objects" if least == 1 else f"{least} to {most} objects"


_Move = Callable[[Random, list[Column]], list[Column]]
MOST = 120
"""Tables with more objects are left."""


def changed(random: Random, table: Contingency) -> Contingency:
    """The table after one change or two."""
    while True:
        made = table
        for _ in range(random.choice((1, 1, 2))):
            move = random.choice(_MOVES)
            made = _turned(random, made, move) if made.columns else made
        if made.columns and made.objects <= MOST and made.columns != table.columns:
            return made


def times(random: Random, count: int) -> int:
    """Another number in place of this one: one more or less, twice or half as many, none, any."""
    near = (count + 1, count + 1, count - 1, count - 1, 2 * count, count // 2, 0)
    return max(0, random.choice((*near, random.randint(0, 2 * count + 3))))


def _turned(random: Random, table: Contingency, move: _Move) -> Contingency:
    """A move, of the guess clusters or of the true ones."""
    turn = random.random() < 0.5
    lines = move(random, list((table.transposed if turn else table).columns))
    made = Contingency(without_empty_rows([line for line in lines if any(line)]))
    return made.transposed if turn and made.columns else made


def _cell(random: Random, lines: list[Column]) -> list[Column]:
    """Another count in one place of a cluster, or of all that are like it."""
    line = random.choice(list(dict.fromkeys(lines)))
    at, everywhere = random.randrange(len(line)), random.random() < 0.5
    new = (*line[:at], times(random, line[at]), *line[at + 1 :])
    if everywhere:
        return [new if one == line else one for one in lines]
    first = lines.index(line)
    return [*lines[:first], new, *lines[first + 1 :]]


def _lines(random: Random, lines: list[Column]) -> list[Column]:
    """A cluster more often, or less often."""
    line = random.choice(list(dict.fromkeys(lines)))
    rest = [one for one in lines if one != line]
    return [*rest, *[line] * times(random, len(lines) - len(rest))]


def _fresh(random: Random, lines: list[Column]) -> list[Column]:
    """A new cluster within one of the other side, or the same cluster on both sides."""
    width, size = len(lines[0]), random.choice((1, 1, 2, 3, 5))
    if random.random() < 0.3:
        return [*((*line, 0) for line in lines), (*(0,) * width, size)]
    at = random.randrange(width)
    return [*lines, tuple(size if k == at else 0 for k in range(width))]


def _components(random: Random, lines: list[Column]) -> list[Column]:
    """A component more often, or less often."""
    parts = Contingency(tuple(lines)).components
    kinds = {part: tuple(sorted(part.columns)) for part in parts}
    kind = random.choice(list(dict.fromkeys(kinds[part] for part in parts)))
    found = [part for part in parts if kinds[part] == kind]
    kept = [part for part in parts if kinds[part] != kind]
    kept += found[:1] * times(random, len(found))
    made = kept[0] if kept else Contingency(())
    for part in kept[1:]:
        if made.objects > MOST:
            break
        made = made.beside(part)
    return list(made.columns)


_MOVES = (_cell, _cell, _lines, _lines, _fresh, _components)
