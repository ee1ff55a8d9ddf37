"""Arrays that NumPy wrote: .npy holds one, .npz several by name."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from clusterdiff.clusterings import SOFT, AnyClustering, Cover, LabelImage, column
from clusterdiff.clusterings.counts import with_row_counts
from clusterdiff.clusterings.images import is_label_image
from clusterdiff.engines.columns import composite_ids, named_count, named_ids, plain, rest_for
from clusterdiff.errors import NoColumns, ReadError
from clusterdiff.io.files import opened_plain
from clusterdiff.io.formats import Format
from clusterdiff.io.formats.images import array_of_numpy
from clusterdiff.io.read import Source

if TYPE_CHECKING:
    from numpy.typing import NDArray

MATRICES = ("cover", "fuzzy", "possibilistic")
"""Kinds that a matrix with a row per object and a column per cluster is read as."""
BROKEN = (OSError, ValueError, EOFError, KeyError, MemoryError, OverflowError, zipfile.BadZipFile)


def read_array(source: Source) -> AnyClustering:
    """Labels in the order of the objects, or a matrix with a row for each of them."""
    with _said_of(source):
        array = array_of_numpy(source)
    if is_label_image(array, source.kind):
        return LabelImage(array)
    return _made(source, np.array(array), None, None)


def read_arrays(source: Source) -> AnyClustering:
    """The array that is named, or the only one; --id and --samples name others beside it."""
    with _opened(source) as arrays:
        names = list(arrays)
        wanted = source.cluster or _only(source, names)
        if source.degree:
            raise NoColumns.from_options(source.shown, {"degree": source.degree})
        labels = _taken(source, arrays, wanted)
        ids = _ids(source, arrays)
        samples = _taken(source, arrays, source.sample) if source.sample else None
        name = named_count(list(arrays), source.count)
        counts = None if name is None else _taken(source, arrays, name)
    made = _made(source, labels, ids, samples)
    if counts is None or name is None:
        return made
    return with_row_counts(made, column(counts), name, ids, samples)


def _ids(source: Source, arrays: Any) -> Any:
    """The array of the ids that is named; several are one id together."""
    named = {
        name: _taken(source, arrays, name)
        for name in named_ids(source.shown, list(arrays), source.id or None)
    }
    return (
        composite_ids(source.shown, named) if len(named) > 1 else next(iter(named.values()), None)
    )


def array_names(source: Source) -> list[str]:
    """What the arrays of a file are called."""
    with _opened(source) as arrays:
        return list(arrays)


def _only(source: Source, names: list[str]) -> str:
    left = [name for name in names if name not in source.wanted]
    if len(left) == 1:
        return left[0]
    if not left:
        raise ReadError.empty(source.shown)
    first = next((name for name in left if plain(name) not in ("id", "ids")), left[0])
    raise ReadError(
        f"{source.shown} holds {len(left):,} arrays: {', '.join(left[:8])}"
        f"{', …' if len(left) > 8 else ''}.",
        f"name the one that holds the clusters, {source.shown}::{first}.",
    )


def _taken(source: Source, arrays: Any, name: str) -> NDArray[Any]:
    names = list(arrays)
    if name not in names:
        raise NoColumns.from_names(source.shown, "array", name, names)
    info = next(i for i in arrays.zip.infolist() if i.filename.removesuffix(".npy") == name)
    if info.file_size > source.max_bytes:
        raise ReadError.too_large(source.shown, source.max_bytes, info.file_size)
    found: NDArray[Any] = arrays[name]
    return found


def _made(source: Source, array: Any, ids: Any, samples: Any) -> AnyClustering:
    if not isinstance(array, np.ndarray) or array.ndim not in (1, 2):
        raise ReadError(
            f"{source.shown} holds an array with {np.ndim(array)} dimensions and values of the "
            f"type {getattr(array, 'dtype', type(array).__name__)}; labels have one dimension, "
            "label images whole numbers.",
            "save one label per object, np.save(path, labels), or labels of pixels as whole "
            "numbers.",
        )
    if array.ndim == 2:
        return _of_matrix(source, array, ids, samples)
    if ids is not None and len(ids) != len(array):
        raise ReadError(
            f"{source.shown} holds {len(array):,} labels and {len(ids):,} ids.",
            "name arrays that have one value per object.",
        )
    given = (None if one is None else column(one) for one in (ids, samples))
    return source.made(column(np.asarray(array)), *given)


def _of_matrix(source: Source, matrix: Any, ids: Any, samples: Any) -> AnyClustering:
    """Memberships: 0 and 1 of a cover, degrees of a fuzzy or possibilistic clustering."""
    shape = " × ".join(f"{n:,}" for n in matrix.shape)
    if source.kind not in MATRICES:
        raise ReadError(
            f"{source.shown} holds a matrix of {shape}, and a {source.kind} has one label per "
            "object.",
            'a row per object and a column per cluster is read as kind="fuzzy", "possibilistic" '
            'or "cover" (0 and 1); of labels save one column, np.save(path, matrix[:, 0]).',
        )
    given = {"ids": None if ids is None else column(ids), "samples": samples}
    if source.kind == "cover":
        return Cover(np.asarray(matrix), **given)
    made: AnyClustering = SOFT[source.kind](
        np.asarray(matrix), **given, **rest_for(source.kind, source.rest)
    )
    return made


@contextmanager
def _opened(source: Source) -> Iterator[Any]:
    with _said_of(source), opened_plain(source.files[0], source.packed) as raw:
        arrays = np.load(raw)
        if not hasattr(arrays, "zip"):
            raise ReadError.from_engine(source.shown, "it is no .npz file")
        with arrays:
            yield arrays


@contextmanager
def _said_of(source: Source) -> Iterator[None]:
    """Errors of NumPy in a line; objects that Python would have to run code for are refused."""
    try:
        yield
    except ReadError:
        raise
    except BROKEN as error:
        if "allow_pickle" in str(error) or "pickle" in str(error):
            raise ReadError(
                f"{source.shown} holds Python objects (pickled), which are not loaded: that would "
                "run code from the file.",
                "save numbers or text, np.save(path, labels.astype(str)).",
            ) from None
        raise ReadError.from_engine(source.shown, str(error)) from None


FORMATS = (
    Format(
        "npy",
        read_array,
        (".npy",),
        """\
  .npy          a label per object; 2-D and whole numbers: a label image;
                2-D: a row per object, --kind fuzzy, cover""",
        begins=re.compile(rb"\x93NUMPY"),
        binary=True,
        ids=False,
    ),
    Format(
        "npz",
        read_arrays,
        (".npz",),
        """\
  .npz          arrays by name, FILE::NAME; --id may name another one""",
        begins=re.compile(rb"PK.{0,194}\.npy", re.DOTALL),
        binary=True,
        columns=True,
        names=array_names,
    ),
)
