"""Label images: TIFF, Zarr, NIfTI, and arrays that NumPy wrote."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np

from clusterdiff.clusterings import LabelImage
from clusterdiff.errors import NoColumns, ReadError, examples
from clusterdiff.io.files import is_store, opened_plain
from clusterdiff.io.formats import Format
from clusterdiff.io.read import Source

TIFF = re.compile(rb"II[*+]\0|MM\0[*+]")
"""How files in TIFF and BigTIFF begin."""
NIFTI = re.compile(rb"(.{344}n\+1|.{4}n\+2)\0", re.DOTALL)
"""What files in NIfTI say of themselves, and where."""
NUMPY = b"\x93NUMPY"


def read_image(source: Source) -> LabelImage:
    """The labels of a file, left there where they lie in a row."""
    ids = source.id if isinstance(source.id, str) else ",".join(source.id or ())
    named = {"id": ids, "sample": source.sample, "degree": source.degree}
    if given := {name: value for name, value in named.items() if value}:
        raise NoColumns.from_options(source.shown, given)
    store = is_store(str(source.files[0]))
    if source.cluster and not store:
        raise NoColumns.from_path(source.shown, source.cluster)
    start = source.start
    reader: Callable[[Source], Any]
    if store:
        reader = _of_zarr
    elif start.startswith(NUMPY):
        reader = array_of_numpy
    elif TIFF.match(start):
        reader = _of_tiff
    elif NIFTI.match(start):
        reader = _of_nifti
    else:
        raise ReadError(
            f"{source.shown} is no label image that can be read: TIFF, Zarr, NIfTI or .npy.",
            "read it by its own package, and give the array: cd.LabelImage(array).",
        )
    return LabelImage(reader(source))


def array_of_numpy(source: Source) -> Any:
    """An array in .npy; where it can stay in its file, it does."""
    if stays(source):
        try:
            return np.load(source.files[0], mmap_mode="r")
        except ValueError:  # objects, which are refused below in words
            pass
    with opened_plain(source.files[0], source.packed) as raw:
        return np.load(raw)


def stays(source: Source) -> bool:
    """Whether a file is there after it was opened, as it is: not unpacked, nor from a pipe."""
    return not source.packed and os.fspath(source.files[0]) == source.shown


def _of_tiff(source: Source) -> Any:
    try:
        import tifffile
    except ImportError:
        raise ReadError.without_package(
            source.shown, "an image in TIFF", "images",
            'save its labels by NumPy, np.save("labels.npy", labels)',
        ) from None  # fmt: skip
    try:
        with opened_plain(source.files[0], source.packed) as raw, tifffile.TiffFile(raw) as file:
            series = file.series[0]
            if series.axes.endswith("S"):  # samples of a pixel: red, green and blue
                raise ReadError(
                    f"{source.shown} is a picture in colours, not an image of labels.",
                    "save the labels themselves, tifffile.imwrite(path, labels); colours that "
                    "stand for labels become numbers by np.unique(pixels, axis=0, "
                    "return_inverse=True).",
                )
            if stays(source) and series.dataoffset is not None:
                return np.memmap(
                    source.files[0], series.dtype.newbyteorder(file.byteorder), "r",
                    series.dataoffset, series.shape,
                )  # fmt: skip
            _check_size(source, series.nbytes)
            return series.asarray()
    except (ValueError, OSError, IndexError, tifffile.TiffFileError) as error:
        if isinstance(error, ReadError):
            raise
        raise ReadError.from_engine(source.shown, str(error)) from None


def _of_nifti(source: Source) -> Any:
    try:
        nib: Any = import_module("nibabel")
    except ImportError:
        raise ReadError.without_package(
            source.shown, "an image in NIfTI", "images",
            'save its labels by NumPy, np.save("labels.npy", np.asarray(image.dataobj))',
        ) from None  # fmt: skip
    kind = nib.Nifti2Image if source.start[4:8] == b"n+2\0" else nib.Nifti1Image
    try:
        if stays(source):
            holder = nib.FileHolder(filename=os.fspath(source.files[0]))
            return np.asanyarray(kind.from_file_map({"header": holder, "image": holder}).dataobj)
        with opened_plain(source.files[0], source.packed) as raw:
            image = kind.from_stream(raw)  # unpacked whole
            _check_size(source, int(np.prod(image.shape)) * image.get_data_dtype().itemsize)
            return np.asanyarray(image.dataobj)
    except (ValueError, OSError, EOFError, nib.filebasedimages.ImageFileError) as error:
        if isinstance(error, ReadError):
            raise
        raise ReadError.from_engine(source.shown, str(error)) from None


def _check_size(source: Source, found: int) -> None:
    """Refuse what is read whole and too large for that."""
    if found > source.max_bytes:
        raise ReadError.too_large(source.shown, source.max_bytes, found)


def _of_zarr(source: Source) -> Any:
    try:
        import zarr
    except ImportError:
        raise ReadError(
            f"{source.shown} is an array in Zarr, and the package that reads it is not installed.",
            'pip install zarr; or save its labels by NumPy, np.save("labels.npy", array[:]).',
        ) from None
    try:
        found: Any = zarr.open(os.fspath(source.files[0]), mode="r")
    except Exception as error:  # it has many
        raise ReadError.from_engine(source.shown, str(error)) from None
    if hasattr(found, "shape"):
        if source.cluster:
            raise NoColumns.from_path(source.shown, source.cluster)
        return found
    names = _arrays_in(found)
    if source.cluster in names:
        return found[source.cluster]
    if not source.cluster and len(names) == 1:
        return found[names[0]]
    if not names:
        raise ReadError.empty(source.shown)
    if source.cluster:
        raise NoColumns.from_names(source.shown, "array", source.cluster, names)
    raise ReadError(
        f"{source.shown} holds {len(names):,} arrays: {examples(names)}.",
        f"name the one with the labels, {source.shown}::{names[0]}.",
    )


def _arrays_in(group: Any, prefix: str = "") -> list[str]:
    """The arrays of a group and of those in it, by their paths."""
    found = []
    for name in sorted(group):
        one = group[name]
        path = f"{prefix}{name}"
        found += [path] if hasattr(one, "shape") else _arrays_in(one, f"{path}/")
    return found


FORMAT = Format(
    "image",
    read_image,
    (".tif", ".tiff", ".nii", ".zarr"),
    """\
  .tif .nii     a label image or volume; so are .zarr (FILE::ARRAY) and
                .npy with 2 or more dimensions (--as image)""",
    begins=re.compile(TIFF.pattern + b"|" + NIFTI.pattern, re.DOTALL),
    binary=True,
    columns=True,
)
