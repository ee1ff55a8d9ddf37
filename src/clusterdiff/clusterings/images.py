"""Label images: arrays in which each pixel or voxel has the label of its segment."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from math import prod
from mmap import mmap
from typing import Any, Self

import numpy as np

from clusterdiff.clusterings.arrays import as_numpy, as_value, as_values, is_array
from clusterdiff.clusterings.columns import column
from clusterdiff.clusterings.partition import Partition
from clusterdiff.errors import InputError, a_type, shown

BLOCK = 2**18
"""Pixels that are read and counted at once: a few arrays of so many fit the caches."""
WHOLE = 2**27
"""Pixels that may be taken one by one, where a segmentation is more than its table of counts."""


class LabelImage(Partition):
    """An image or volume of labels: pixels with the same label are a segment.

    >>> image = LabelImage([[1, 1, 2], [1, 2, 2]])
    >>> image
    LabelImage(2 x 3 pixels)
    >>> LabelImage([[0, 0, 1], [0, 2, 2]], ignore=0)
    LabelImage(2 x 3 pixels, ignore=0)

    Takes arrays of whole numbers with any number of dimensions: of NumPy (perhaps
    np.load(path, mmap_mode="r")), PyTorch or Zarr. The pixels of truth and guess are matched by
    their place, so both need one shape. They are read a block at a time and only counted, so that
    volumes larger than memory can be compared.

    Pixels whose label is in `ignore` (a label, or several) are background: they are in no segment
    of this image. A pixel that is background on one side is left out, unless `align` is
    "penalise" (it is an error, as in panoptic quality) or "singletons". stack=True makes each
    slice along the first axis a sample, in which labels have a meaning of their own.
    """

    def __init__(self, array: Any, *, ignore: Any = None, stack: bool = False) -> None:
        self.array = _checked(array)
        self.shape: tuple[int, ...] = tuple(int(n) for n in self.array.shape)
        self.ignore = _ignored(ignore)
        self.stack = stack
        self.may_lack = False
        """Whether background need not be there: nobody named it."""
        self.beside: tuple[LabelImage, ...] = ()
        """Images of other guesses, whose background is left out for this one as well."""
        self.ids = None
        if stack and len(self.shape) < 2:
            raise InputError(
                f"a stack is a list of images, and this array has the shape {self.shape}.",
                "leave stack out; np.stack(images) makes a stack of images of one shape.",
            )

    def __len__(self) -> int:
        return prod(self.shape)

    def __repr__(self) -> str:
        ignored = ", ".join(map(str, self.ignore))
        ignored = f"({ignored})" if len(self.ignore) > 1 else ignored
        parts = [self.size_told, ignored and f"ignore={ignored}", self.stack and "stack=True"]
        return f"{type(self).__name__}({', '.join(part for part in parts if part)})"

    def __getattr__(self, name: str) -> Any:
        if name not in ("labels", "samples"):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        found = self._labels() if name == "labels" else self._samples()
        vars(self)[name] = found
        return found

    @property
    def size_told(self) -> str:
        """The shape as it is said: 512 x 512 pixels, 64 x 512 x 512 voxels."""
        what = "voxels" if len(self.shape) - self.stack > 2 else "pixels"
        return f"{' x '.join(f'{n:,}' for n in self.shape)} {what}"

    @property
    def has_each_pixel(self) -> bool:
        """Whether pixels can be taken one by one: there are not too many, and all of them count."""
        return not self.ignore and len(self) <= WHOLE

    def with_options(self, *, ignore: Any = None, stack: bool | None = None) -> Self:
        """The same image with other background, or as a stack; None leaves it as it is."""
        ignored = self.ignore if ignore is None else ignore
        made = type(self)(self.array, ignore=ignored, stack=self.stack if stack is None else stack)
        made.notes, made.beside = self.notes, self.beside
        return made

    def blocks_with(self, *others: LabelImage) -> Iterator[tuple[tuple[int, ...], list[Any]]]:
        """The labels of images of one shape, a block at a time: where it starts, and an array of
        its shape for each of them.
        """
        images = (self, *others)
        chunks = next((one for image in images if (one := image._chunk())), (1,) * len(self.shape))
        steps = _steps(self.shape, chunks, self._fastest_first())
        ranges = [range(0, n, step) for n, step in zip(self.shape, steps, strict=True)]
        for start in product(*ranges):
            key = tuple(slice(a, a + step) for a, step in zip(start, steps, strict=True))
            yield start, [image.block(key) for image in images]
            for image in images:
                image._release()

    def slice_at(self, place: int) -> LabelImage:
        """An image of a stack."""
        made = LabelImage(self.array[place], ignore=self.ignore)
        made.beside = tuple(image.slice_at(place) for image in self.beside)
        return made

    def plain(self) -> Partition:
        """The pixels one by one, as objects like all others; refused of what is too large."""
        made = Partition(self.labels, samples=self.samples)
        made.notes = self.notes
        return made

    def take(self, index: Any) -> Any:
        """The pixels at these places, one by one."""
        return self.plain().take(index)

    def block(self, key: tuple[slice, ...]) -> Any:
        """The labels of a block, as whole numbers in the order of bytes of this machine."""
        block = np.asarray(as_numpy(self.array[key]))
        kind = block.dtype.kind
        if kind == "b":
            return block.view(np.uint8)
        if kind in "iu":
            return block.astype(block.dtype.newbyteorder("="), copy=False)
        with np.errstate(invalid="ignore"):
            whole = block.astype(np.int64)
        if not np.array_equal(whole, block):
            wrong = block[~(whole == block)].ravel()[0]
            raise InputError(
                f"the label image holds {wrong!s}; labels of segments are whole numbers.",
                "probabilities become labels by .argmax() over their classes, or by a threshold "
                "and scipy.ndimage.label(mask).",
            )
        return whole

    def _release(self) -> None:
        """Let go of pages of a file that have been read, so that memory does not fill with them;
        of a file that is not written to, they are there again when they are asked for.
        """
        pages = getattr(self.array, "_mmap", None)
        if isinstance(pages, mmap) and getattr(self.array, "mode", "") == "r":
            advice = getattr(__import__("mmap"), "MADV_DONTNEED", None)
            if advice is not None:
                pages.madvise(advice)

    def _chunk(self) -> tuple[int, ...] | None:
        """What is stored together, of arrays in chunks."""
        found: Any = getattr(self.array, "chunks", None)
        regular = isinstance(found, tuple) and all(isinstance(n, int) for n in found)
        return found if regular and len(found) == len(self.shape) else None

    def _fastest_first(self) -> list[int]:
        """The axes, those first along which neighbours lie next to each other in memory."""
        strides = getattr(self.array, "strides", None)
        if not isinstance(strides, tuple):
            return list(range(len(self.shape)))[::-1]
        return sorted(range(len(self.shape)), key=lambda axis: (abs(strides[axis]), -axis))

    def _labels(self) -> Any:
        """All labels in a row, for what looks at objects one by one."""
        if self.has_each_pixel:
            whole = self.block((slice(None),) * len(self.shape))
            return column(whole.ravel()).hashed()
        if self.ignore:
            raise InputError(
                "background of label images is left out where clusterings are scored, explained or "
                "counted in a table, and here each pixel is an object.",
                "leave ignore out, or take the pixels that count from both arrays: "
                "labels[truth != 0].",
            )
        raise InputError(
            f"{self.size_told} are too many to be taken one by one.",
            "cd.compare, cd.explain and cd.contingency only count them; or crop the volume.",
        )

    def _samples(self) -> Any:
        """The slice of each pixel of a stack."""
        if not self.stack:
            return None
        each = len(self) // self.shape[0]
        return column(np.repeat(np.arange(self.shape[0]), each))


def is_label_image(value: Any, kind: str | None = None) -> bool:
    """Whether an array can only be an image of labels: whole numbers in two or more dimensions.

    A matrix of 0 and 1 might be memberships as well, so it is refused where nothing is said.
    """
    if kind not in (None, "partition") or not is_array(type(value)):
        return False
    shape: tuple[int, ...] = tuple(getattr(value, "shape", ()))
    family = _family(value)
    if len(shape) < 2 or not prod(shape) or family not in ("integers", "mask"):
        return False
    if len(shape) > 2:
        return True
    if 1 in shape:  # labels as a column, or a row
        return False
    if family == "mask" or not _exceeds_one(value):
        raise InputError(
            f"an array of {shape[0]:,} x {shape[1]:,} zeros and ones can be a label image, or say "
            "which of its columns each object is in.",
            "say which: cd.LabelImage(array) for an image; cd.Cover(array) "
            '(kind="cover") or cd.Fuzzy(array) (kind="fuzzy") for memberships.',
            "say which: --as image for an image; --kind cover or --kind fuzzy for memberships.",
        )
    return True


def _exceeds_one(value: Any) -> bool:
    """Whether a matrix holds other numbers than 0 and 1; a few rows tell as a rule."""
    step = max(1, BLOCK // max(1, int(value.shape[1])))
    for start in range(0, int(value.shape[0]), step):
        block = np.asarray(as_numpy(value[start : start + step]))
        if block.max() > 1 or block.min() < 0:
            return True
    return False


def _family(array: Any) -> str:
    """What the values of an array are: integers, a mask, numbers, or something else."""
    name = str(getattr(array, "dtype", "")).rpartition(".")[2].lstrip("<>=|")
    if isinstance(kind := getattr(array, "dtype", None), np.dtype):
        name = kind.name
    if name.startswith("bool"):
        return "mask"
    if name.startswith(("int", "uint")):
        return "integers"
    return "numbers" if name.startswith(("float", "bfloat")) else ""


def _checked(array: Any) -> Any:
    """An array that may hold labels; what is none is refused."""
    if not is_array(type(array)):
        try:
            array = np.asarray(array)
        except (TypeError, ValueError):
            raise InputError(
                f"{a_type(array)} is not a label image.",
                "give an array of whole numbers, or cd.read(path) of a file.",
            ) from None
    shape = tuple(getattr(array, "shape", ()))
    if not shape:
        raise InputError(
            "a label image is an array, and this is a single number.",
            "give the labels of all pixels.",
        )
    if not prod(shape):
        raise InputError(
            f"the label image has the shape {shape}, so there are no pixels to compare.",
            "check how it was cropped or saved.",
        )
    if not _family(array):
        raise InputError(
            f"the labels of an image are whole numbers, and this array holds {array.dtype}.",
            "np.unique(array, return_inverse=True)[1].reshape(array.shape) numbers other labels.",
        )
    return array


def _ignored(ignore: Any) -> tuple[int, ...]:
    """The labels of the background."""
    if ignore is None:
        return ()
    ignore = as_value(ignore)
    many = isinstance(ignore, list | tuple | set | frozenset | range | np.ndarray)
    labels = as_values(list(ignore)) if many else [ignore]
    for label in labels:
        whole = isinstance(label, int | np.integer) and not isinstance(label, bool | np.bool_)
        if not whole:
            raise InputError(
                f"ignore is a label of the image or several, and {shown(label)} is none: these are "
                "whole numbers.",
                "ignore=0, or ignore=(0, 255).",
                "--ignore 0, or --ignore 0 --ignore 255.",
            )
    return tuple(dict.fromkeys(int(label) for label in labels))


def _steps(shape: tuple[int, ...], least: tuple[int, ...], axes: list[int]) -> list[int]:
    """The sides of blocks: whole chunks, as many as make a block, along the fastest axes first."""
    steps = [max(1, min(a, n)) for a, n in zip(least, shape, strict=True)]
    for axis in axes:
        others = prod(steps) // steps[axis]
        fit = max(1, BLOCK // max(1, others * steps[axis]))
        steps[axis] = min(shape[axis], steps[axis] * fit)
    return steps
