"""Records as a frame of the library that the user works with."""

from __future__ import annotations

import importlib
from typing import Any

from clusterdiff.errors import ClusterdiffError


def frame_of(records: list[dict[str, Any]], library: str) -> Any:
    """A pandas, polars or pyarrow frame of records that all have the same columns."""
    if library not in ("pandas", "polars", "pyarrow"):
        raise ClusterdiffError(
            f"there are no frames of {library!r}.", "use pandas, polars or pyarrow."
        )
    try:
        module: Any = importlib.import_module(library)
    except ImportError:
        raise ClusterdiffError(
            f"a {library} frame needs {library}, which is not installed.", f"pip install {library}"
        ) from None
    if library == "pyarrow":
        return module.Table.from_pylist(records)
    return module.DataFrame(records)
