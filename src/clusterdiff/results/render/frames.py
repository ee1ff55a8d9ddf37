"""Records as a frame of the library that the user works with."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from typing import Any

from clusterdiff.errors import ClusterdiffError


def frame_of(records: list[dict[str, Any]], library: str, columns: Sequence[str] = ()) -> Any:
    """A pandas, polars or pyarrow frame of records; the columns are those of the first record, or
    the ones named where there is no record.
    """
    if library not in ("pandas", "polars", "pyarrow"):
        raise ClusterdiffError(
            f"unknown library of data frames {library!r}.", "use pandas, polars or pyarrow."
        )
    try:
        module: Any = importlib.import_module(library)
    except ImportError:
        raise ClusterdiffError(
            f"a {library} frame needs {library}, which is not installed.", f"pip install {library}"
        ) from None
    if not records:
        return (module.table if library == "pyarrow" else module.DataFrame)(
            {name: [] for name in columns}
        )
    if library == "pyarrow":
        return module.Table.from_pylist(records)
    how = {"infer_schema_length": None} if library == "polars" else {}
    return module.DataFrame(records, **how)
