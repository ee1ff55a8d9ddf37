"""Truth and guesses as every verb takes them: distinguished, opened in place, with samples."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from glob import glob
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from clusterdiff.backends.columns.frames import is_frame
from clusterdiff.backends.columns.names import CLUSTERS, IDS, is_known
from clusterdiff.backends.samples import with_samples
from clusterdiff.clusterings import SOFT, Clustering, column
from clusterdiff.clusterings.encode.graphs import is_graph, refuse_graph
from clusterdiff.clusterings.encode.matrices import is_chances
from clusterdiff.clusterings.evidential import is_credal
from clusterdiff.clusterings.partition import is_list_of_sets
from clusterdiff.errors import DegreeError, InputError
from clusterdiff.inputs import Workshop, kinds_for, settle_indexes, sides_together
from clusterdiff.inputs.models import holds_clustering, is_model
from clusterdiff.inputs.networks import is_communities
from clusterdiff.inputs.patterns import expanded, names_of
from clusterdiff.inputs.runs import partitions_of_frame

if TYPE_CHECKING:
    from clusterdiff.backends.table import Table
    from clusterdiff.clusterings import AnyClustering
    from clusterdiff.measures import Measure

    Side = AnyClustering | Table
    Sides = tuple[Workshop, Side, dict[str, Side]]
    Opened = AbstractContextManager[Sides]
    Kinds = str | tuple[str, str] | None


@contextmanager
def opened(
    engine: Any, truth: Any, guesses: Mapping[str, Any], kind: Kinds, samples: Any, *,
    whole: bool = False,
) -> Iterator[Sides]:  # fmt: skip
    """The truth and the guesses by name, each where it is; `whole`, in memory."""
    with Workshop(engine, whole=whole) as shop:
        yield shop, *sides_of(shop, truth, guesses, kind, samples)


def kind_asked(measures: Iterable[Measure] | None) -> str | None:
    """Covers, where nothing but measures of covers is asked for."""
    asked = list(measures or ())
    return "cover" if asked and all(m.needs == {"cover"} for m in asked) else None


def sides_of(
    shop: Workshop, truth: Any, guesses: Mapping[str, Any], kind: Any, samples: Any
) -> tuple[Side, dict[str, Side]]:
    """The truth and the guesses by name, each where it is."""
    kinds = kinds_for(kind, truth, *guesses.values())
    named = samples if isinstance(samples, str) else None
    several = [kinds[0], *[kinds[1]] * len(guesses)]
    left, *rest = sides_together(shop, [truth, *guesses.values()], several, named)
    right = dict(zip(guesses, rest, strict=True))
    settle_indexes([left, *right.values()])
    if samples is None or named is not None:
        return left, right
    of = samples if isinstance(samples, Mapping) else column(samples)
    whole = with_samples(shop.loaded(left), of)
    if isinstance(samples, Mapping) or whole.ids is None:
        right = {name: with_samples(shop.loaded(guess), of) for name, guess in right.items()}
    return whole, right


def guesses_of(guess: Any, kind: Kinds, truth: Any) -> dict[str, Any]:
    """The guesses by name: those of a dict that holds some, or the one that is given."""
    if is_graph(type(guess)):
        raise refuse_graph(guess)
    several = guess.values() if isinstance(guess, Mapping) else ()
    kind = kinds_for(kind, truth, guess, *several)[1]
    if _is_list_of_guesses(guess, kind, truth):
        raise InputError.from_list_of_guesses(len(guess))
    if _is_table_of_guesses(guess, kind, truth):
        _refuse_degrees(guess)
        return dict(partitions_of_frame(guess))
    if _is_several(guess, kind) and not _is_map_of_labels(guess, truth):
        return dict(guess)
    if isinstance(guess, str | os.PathLike):
        columns = expanded(os.fspath(guess), one_table=True)
        if len(columns) > 1:
            return dict(zip(names_of(columns), columns, strict=True))
        guess = columns[0]
    return {_name(guess): guess}


def _is_several(guess: Any, kind: str | None) -> bool:
    """Whether a dict holds guesses rather than labels."""
    if not isinstance(guess, Mapping) or not guess or is_credal(guess):
        return False
    return all(_is_guess(value, kind) for value in guess.values())


def _is_map_of_labels(guess: Mapping[Any, Any], truth: Any) -> bool:
    """Whether a dict of lists has the labels of each object, as cdlib writes communities: one each,
    or of objects of truth.
    """
    if not all(isinstance(value, list) for value in guess.values()):
        return False
    ids: Any = truth if isinstance(truth, Mapping) else ()
    if isinstance(truth, Clustering) and truth.ids is not None:
        ids = set(truth.ids.tolist())
    several = not hasattr(truth, "__len__") or len(truth) > 1
    alone = several and len(guess) > 1 and all(len(value) == 1 for value in guess.values())
    return alone or all(name in ids for name in guess)


def _is_table_of_guesses(guess: Any, kind: str | None, truth: Any) -> bool:
    """Whether a frame has a guess in each of several columns: none is called like ids or clusters,
    and truth is labels without ids, so that the first column cannot be those.
    """
    plain = isinstance(truth, list | tuple | np.ndarray) and not is_list_of_sets(truth)
    plain = plain or hasattr(truth, "to_frame")
    if kind not in (None, "partition") or not plain or isinstance(guess, Mapping | Clustering):
        return False
    if hasattr(guess, "dtype") or not hasattr(guess, "columns") or not is_frame(guess):
        return False
    names = list(map(str, guess.columns))
    return len(names) > 1 and not any(is_known(n, s) for n in names for s in (IDS, CLUSTERS))


def _refuse_degrees(frame: Any) -> None:
    """Refuse the chances of clusters, a column for each, where each column would be a guess."""
    import narwhals as nw

    data = nw.from_native(frame)
    numbers = all(kind.is_float() for kind in data.collect_schema().dtypes())
    if numbers and isinstance(data, nw.DataFrame) and is_chances(data.to_numpy()):
        raise DegreeError.from_frame(list(map(str, data.columns)))


def _is_list_of_guesses(guess: Any, kind: str | None, truth: Any) -> bool:
    """Whether a list holds clusterings, not labels: for sure, or each is as long as truth."""
    if not isinstance(guess, list | tuple) or not guess:
        return False
    if kind not in (None, "partition"):
        return all(isinstance(one, Clustering) for one in guess)
    size = len(truth) if hasattr(truth, "__len__") and not isinstance(truth, str) else None
    return all(
        isinstance(one, Clustering | Mapping)
        or holds_clustering(one)
        or ((isinstance(one, list) or hasattr(one, "dtype")) and np.shape(one) == (size,))
        for one in guess
    )


def _is_guess(value: Any, kind: str | None) -> bool:
    """Whether a value of a dict is a clustering of its own, not a label (or a set of labels)."""
    if isinstance(value, str):
        path = value.rpartition("::")[0] or value
        folder = os.sep in path and os.path.isdir(path)  # "train" alone is rather a label
        return os.path.isfile(path) or folder or ("*" in path and bool(glob(path)))
    if isinstance(value, bytes | tuple | frozenset) or getattr(value, "ndim", 1) == 0:
        return False
    labels = isinstance(value, list | set | range | Iterator) or getattr(value, "ndim", 0) == 1
    if kind == "cover" and labels:
        lists = isinstance(value, list) and all(isinstance(one, list) for one in value)
        return is_list_of_sets(value) or (lists and len(value) > 0)
    if kind in SOFT and (labels or isinstance(value, Mapping)):
        return False
    return (
        isinstance(value, Clustering | os.PathLike)
        or holds_clustering(value)
        or is_model(value)
        or is_communities(value)
        or any(
            hasattr(value, name)
            for name in ("__iter__", "collect", "membership", "column_names", "columns")
        )
    )


def _name(guess: Any) -> str:
    """What to call a single guess."""
    if isinstance(guess, str | os.PathLike):
        return Path(os.fspath(guess)).name
    return "guess"
