"""Truth and guesses as `compare` reads them, with their samples, for explanations by name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from clusterdiff.backends.samples import with_samples
from clusterdiff.clusterings import column
from clusterdiff.inputs import Workshop, kinds_for, side

if TYPE_CHECKING:
    from clusterdiff.backends.table import Table
    from clusterdiff.clusterings import AnyClustering

    Side = AnyClustering | Table


def sides_of(
    shop: Workshop, truth: Any, guesses: Mapping[str, Any], kind: Any, samples: Any
) -> tuple[Side, dict[str, Side]]:
    """The truth and the guesses by name, each where it is."""
    kinds = kinds_for(kind, truth, *guesses.values())
    named = samples if isinstance(samples, str) else None
    left = side(shop, truth, kinds[0], named)
    right = {name: side(shop, guess, kinds[1], named) for name, guess in guesses.items()}
    if samples is None or named is not None:
        return left, right
    of = samples if isinstance(samples, Mapping) else column(samples)
    whole = with_samples(shop.loaded(left), of)
    if isinstance(samples, Mapping) or whole.ids is None:
        right = {name: with_samples(shop.loaded(guess), of) for name, guess in right.items()}
    return whole, right
