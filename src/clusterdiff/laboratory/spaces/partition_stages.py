"""Stages of comparisons of partitions: all small ones, and a guess for every truth."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from clusterdiff.laboratory.search.engine import Stage
from clusterdiff.laboratory.spaces.contingency import Column, Contingency, sizes, tables


def small_tables(most: int, least: int = 1) -> Iterator[Contingency]:
    """All pairs of partitions of so many objects, the smaller ones first."""
    return (table for n in range(least, most + 1) for table in tables(n))


def truths(
    most: int, guess: Callable[[Column], Contingency], least: int = 1
) -> Iterator[Contingency]:
    """Every truth, up to renaming, with one guess that its cluster sizes tell."""
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
