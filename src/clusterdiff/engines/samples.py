"""Samples side by side: documents, page streams, each a comparison of its own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from clusterdiff.clusterings import AnyClustering, Column, column
from clusterdiff.engines.match import alike, match
from clusterdiff.errors import AlignmentError, ClusterdiffError, InputError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Ints = NDArray[np.int64]


class Sample(NamedTuple):
    """One sample: its name, and what truth and guess say of its objects."""

    name: Any
    truth: AnyClustering
    guess: AnyClustering


def by_sample(truth: AnyClustering, guess: AnyClustering) -> list[Sample]:
    """The samples of two clusterings, in the order in which truth names them.

    A guess without samples of its own takes them from truth, object by object.
    """
    if guess.samples is None:
        guess = _sampled_like(truth, guess)
    elif truth.samples is None:
        truth = _sampled_like(guess, truth)
    assert truth.samples is not None
    assert guess.samples is not None
    left, right = alike(truth.samples, guess.samples)
    of_truth, of_guess = _positions(left), _positions(right)
    return [
        Sample(name, _part(truth, of_truth, name), _part(guess, of_guess, name))
        for name in {**of_truth, **of_guess}
    ]


def with_samples(clustering: AnyClustering, samples: Any) -> AnyClustering:
    """The clustering with a sample for each object, from a dict id -> sample or one per object."""
    if isinstance(samples, Mapping):
        if clustering.ids is None:
            raise AlignmentError.from_one_sided_ids("samples", "the clustering")
        missing = [i for i in clustering.ids.tolist() if i not in samples]
        if missing:
            raise ClusterdiffError(
                f"{len(missing):,} objects have no sample, such as {missing[0]!r}.",
                "give each object of both clusterings a sample.",
            )
        samples = [samples[i] for i in clustering.ids.tolist()]
    made = clustering.take(np.arange(len(clustering)))
    made.samples = column(samples)
    if len(made.samples) != len(clustering):
        raise InputError.from_lengths("samples", len(made.samples), len(clustering))
    return made


def _sampled_like(known: AnyClustering, other: AnyClustering) -> AnyClustering:
    """`other` with the samples that `known` has for the same objects."""
    assert known.samples is not None
    if known.ids is not None and np.unique(known.ids.keys).size < len(known):
        raise ClusterdiffError(
            "ids repeat from sample to sample, and one clustering does not say which sample each "
            "of its objects is in.",
            "name the samples of both clusterings.",
        )
    matched = match(known, other)
    if matched.only_guess.size:
        raise AlignmentError.from_ids(
            [], [other.id_of(int(i)) for i in matched.only_guess[:3]],
            (0, matched.only_guess.size, len(other)),
        )  # fmt: skip
    made = other.take(np.arange(len(other)))
    where = np.arange(len(other))
    if matched.truth is not None and matched.guess is not None:
        where[matched.guess] = matched.truth
    made.samples = known.samples.take(where)
    return made


def _positions(samples: Column) -> dict[Any, Ints]:
    """The positions of the objects of each sample."""
    if not len(samples):
        return {}
    if (nulls := samples.nulls()) is not None:
        raise InputError.from_nameless_samples(int(nulls.sum()), len(samples))
    order = np.argsort(samples.keys, kind="stable")
    edges = np.flatnonzero(np.diff(samples.keys[order])) + 1
    groups = sorted(np.split(order, edges), key=lambda group: int(group[0]))
    return {samples[group[0]]: group for group in groups}


def _part(clustering: AnyClustering, positions: dict[Any, Ints], name: Any) -> AnyClustering:
    """The objects of one sample."""
    part = clustering.take(positions.get(name, np.zeros(0, np.int64)))
    part.samples = None
    try:
        return part.distinct()
    except InputError as error:
        raise error.within(f"sample {name}") from None
