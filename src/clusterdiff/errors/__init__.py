"""What can go wrong, in words: what happened, with counts and examples, then a hint to paste."""

from clusterdiff.errors.align import AlignmentError, MeetError, NothingShared, UnknownObject
from clusterdiff.errors.base import (
    ClusterdiffError,
    a_type,
    did_you_mean,
    examples,
    printable,
    shorten,
    shown,
    with_article,
)
from clusterdiff.errors.degrees import DegreeError
from clusterdiff.errors.files.columns import FRAME, RELATION, ColumnError, MissingColumn
from clusterdiff.errors.files.formats import FLAGS, LimitReached, NoColumns, SeveralFiles
from clusterdiff.errors.files.reading import ReadError, WriteError
from clusterdiff.errors.input import AllNoise, ArrayError, InputError
from clusterdiff.errors.measures import (
    CompatError,
    KindError,
    UnknownMeasure,
    UnknownParameter,
)
from clusterdiff.errors.scale import ChangedFile, MemoryNeeded, SpaceNeeded
from clusterdiff.errors.warn import ClusterdiffWarning

__all__ = [
    "FLAGS",
    "FRAME",
    "RELATION",
    "AlignmentError",
    "AllNoise",
    "ArrayError",
    "ChangedFile",
    "ClusterdiffError",
    "ClusterdiffWarning",
    "ColumnError",
    "CompatError",
    "DegreeError",
    "InputError",
    "KindError",
    "LimitReached",
    "MeetError",
    "MemoryNeeded",
    "MissingColumn",
    "NoColumns",
    "NothingShared",
    "ReadError",
    "SeveralFiles",
    "SpaceNeeded",
    "UnknownMeasure",
    "UnknownObject",
    "UnknownParameter",
    "WriteError",
    "a_type",
    "did_you_mean",
    "examples",
    "printable",
    "shorten",
    "shown",
    "with_article",
]
