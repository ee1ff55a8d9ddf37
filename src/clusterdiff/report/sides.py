"""Truth and guesses read into memory, with their samples: what is told by name needs the names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from clusterdiff.clusterings import column
from clusterdiff.engines.samples import with_samples
from clusterdiff.readers import Workshop, kinds_for, refuse_shuffled_series, side

if TYPE_CHECKING:
    from clusterdiff.clusterings import AnyClustering


def loaded(
    truth: Any, guesses: Mapping[str, Any], kind: Any, samples: Any, engine: Any
) -> tuple[AnyClustering, dict[str, AnyClustering]]:
    """The truth and the guesses by name, read as `compare` reads them."""
    for given in guesses.values():
        refuse_shuffled_series(truth, given)
    kinds = kinds_for(kind, truth, *guesses.values())
    named = samples if isinstance(samples, str) else None
    with Workshop(engine) as shop:
        left = shop.loaded(side(shop, truth, kinds[0], named))
        right = {n: shop.loaded(side(shop, g, kinds[1], named)) for n, g in guesses.items()}
    if samples is not None and named is None:
        of = samples if isinstance(samples, Mapping) else column(samples)
        left = with_samples(left, of)
        if isinstance(samples, Mapping) or left.ids is None:
            right = {name: with_samples(g, of) for name, g in right.items()}
    return left, right
