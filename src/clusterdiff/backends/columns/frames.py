"""Frames of every library that narwhals knows: pandas, polars, pyarrow and more."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

from clusterdiff.backends.columns.find import asked_as, find_columns, made_of_matrix, made_of_rows
from clusterdiff.clusterings import AnyClustering, column
from clusterdiff.errors import FRAME, InputError


def is_frame(value: object) -> bool:
    """Whether this is a data frame, eager or lazy."""
    import narwhals as nw

    try:
        nw.from_native(value)  # type: ignore[call-overload]
    except TypeError:
        return False
    except Exception:  # a frame that narwhals refuses is still a frame
        return True
    return True


def clustering_of_frame(
    frame: Any,
    *,
    kind: str = "partition",
    id: str | Sequence[str] | None = None,
    cluster: str | None = None,
    sample: str | None = None,
    degree: str | None = None,
    rest: str = "refuse",
) -> AnyClustering:
    """A clustering from the columns id and cluster of a frame; a cover has several rows per id,
    and a fuzzy clustering a degree in each.
    """
    import narwhals as nw

    pandas = sys.modules.get("pandas")
    if pandas is not None and isinstance(frame, pandas.DataFrame):
        frame = frame.set_axis([str(name) for name in frame.columns], axis=1)
        if not frame.columns.is_unique:
            raise InputError(
                "two columns of the frame have the same name.", "give each column its own name."
            )
    data = nw.from_native(frame)
    names = data.collect_schema().names()
    columns = find_columns(
        FRAME, names, id=id, cluster=cluster, sample=sample, degree=degree, kind=kind
    )
    chosen = data.select(columns.chosen())
    eager = chosen.collect() if isinstance(chosen, nw.LazyFrame) else chosen

    def taken(name: str | None) -> Any:
        return None if name is None else column(eager[name].to_native())

    ids = columns.ids(FRAME, lambda name: eager[name].to_native())
    samples = taken(columns.sample)
    if columns.wide:
        degrees = [eager[name].to_numpy() for name in columns.wide]
        return made_of_matrix(kind, FRAME, columns, ids, samples, degrees, rest)
    labels = taken(columns.cluster)
    given = None if columns.degree is None else eager[columns.degree].to_numpy()
    made = columns.checked(FRAME, lambda: made_of_rows(kind, labels, ids, samples, given, rest))
    return asked_as(kind, made)
