"""Cells of AnnData and MuData files: the table `obs`; the matrix is not read."""

from __future__ import annotations

import re
from contextlib import ExitStack
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from clusterdiff.errors import ReadError
from clusterdiff.io.formats.csv import in_parquet, table_format
from clusterdiff.io.read import Source

if TYPE_CHECKING:
    import pyarrow as pa


def as_table(stack: ExitStack, source: Source) -> Source:
    """The columns of `obs` that are one value per cell, under the names of the cells."""
    try:
        import h5py
        import pyarrow as pa
    except ImportError:
        raise ReadError.without_package(
            source.shown, "an HDF5 file of AnnData", "h5ad",
            'write its labels as CSV, adata.obs.to_csv("cells.csv")',
        ) from None  # fmt: skip
    try:
        with h5py.File(source.files[0], "r") as file:
            names, columns = _columns(source, file)
    except (OSError, KeyError, UnicodeDecodeError, pa.ArrowException) as error:
        raise ReadError.from_engine(source.shown, str(error)) from None
    batch = pa.record_batch(columns, names)
    wanted = names[0] if source.id is None else source.id
    return in_parquet(stack, replace(source, id=wanted), batch.schema, [batch])


def _columns(source: Source, file: Any) -> tuple[list[str], list[pa.Array]]:
    """The names of the cells, and the columns that have a value for each of them."""
    obs = file.get("obs")
    index = None if obs is None else obs.attrs.get("_index")
    if index is None:
        raise ReadError(
            f"{source.shown} is an HDF5 file without a table obs, or with one of an old version of "
            "anndata.",
            "write it anew: anndata.read_h5ad(path).write_h5ad(path); or write the labels as CSV, "
            'adata.obs.to_csv("cells.csv").',
        )
    ids = _values(file, obs[index])
    assert ids is not None
    found = {"index" if index == "_index" else str(index): ids}
    for name in obs.attrs["column-order"]:
        values = _values(file, obs[name])
        if values is not None and len(values) == len(ids):
            found[str(name)] = values
    return list(found), list(found.values())


def _values(file: Any, stored: Any) -> pa.Array | None:
    """A column as Arrow has it: plain, of categories, or with a mask; None of all else."""
    import pyarrow as pa

    if hasattr(stored, "keys"):
        if "codes" in stored:
            return _of_categories(file, stored["codes"], stored["categories"])
        if "mask" in stored:
            plain = _values(file, stored["values"])
            return plain and pa.array(plain.to_pylist(), plain.type, mask=stored["mask"][:])
        return None
    if "categories" in stored.attrs:  # as anndata wrote them before 0.7
        return _of_categories(file, stored, file[stored.attrs["categories"]])
    if stored.ndim != 1 or stored.dtype.kind not in "biufOS":
        return None
    return pa.array(stored.asstr()[:] if stored.dtype.kind in "OS" else stored[:])


def _of_categories(file: Any, codes: Any, categories: Any) -> pa.Array | None:
    """The category of each cell; a negative code is null."""
    import pyarrow as pa

    known, place = _values(file, categories), np.asarray(codes[:], np.int64)
    return known and known.take(pa.array(place, mask=place < 0))


FORMAT = table_format(
    "h5ad",
    as_table,
    (".h5ad", ".h5mu"),
    """\
  .h5ad .h5mu   cells of AnnData or MuData; FILE::COLUMN names one of obs""",
    re.compile(rb"\x89HDF\r\n\x1a\n|MuData \(format-version="),
)
