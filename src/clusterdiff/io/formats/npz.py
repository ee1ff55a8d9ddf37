"""Several arrays that NumPy wrote to one file, .npz."""

from __future__ import annotations

from clusterdiff.io.formats import Format
from clusterdiff.io.formats.npy import array_names, read_arrays

FORMAT = Format(
    "npz",
    read_arrays,
    (".npz",),
    """\
  .npz          arrays by name, FILE::NAME; --id may name another one""",
    begins=lambda start: start.startswith(b"PK") and b".npy" in start[:200],
    binary=True,
    columns=True,
    names=array_names,
)
