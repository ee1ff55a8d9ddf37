"""Verbs that take partitions only: their hints name no other kind."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from clusterdiff.errors.input import InputError


@contextmanager
def partitions_only() -> Iterator[None]:
    """Objects in several clusters are refused within, and not by a hint at kind= or samples=."""
    try:
        yield
    except InputError as error:
        if not error.duplicates:
            raise
        raise InputError(
            error.message,
            "keep one row per id. Ids that repeat from document to document are made one with the "
            "document, as in doc1-7.",
        ) from None
