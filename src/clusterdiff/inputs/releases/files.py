"""Tables written as CSV or Parquet, by DuckDB: the same file wherever the rows come from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from clusterdiff.backends.duckdb import literal

if TYPE_CHECKING:
    from clusterdiff.clusterings.encode.column import Column


def arrow_of(values: Column) -> Any:
    """A column as Arrow has it; values of mixed types as text."""
    import pyarrow as pa

    if values.family != "values":
        return values.arrow()
    listed = values.tolist()
    try:
        return pa.chunked_array([pa.array(listed)])
    except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError, OverflowError):
        return pa.chunked_array([pa.array([None if v is None else str(v) for v in listed])])


def copy_to_file(columns: dict[str, Any], path: str) -> None:
    """Arrow columns as a file, in their order."""
    import duckdb
    import pyarrow as pa

    table = pa.table(columns)
    with duckdb.connect() as connection:
        connection.register("rows", table)
        try:
            connection.execute(copy_query("SELECT * FROM rows", path))
        except duckdb.Error as error:
            raise OSError(" ".join(str(error).split())[:200]) from None


def copy_query(query: str, path: str) -> str:
    """SQL of DuckDB that writes the rows of a query to a file."""
    how = "(FORMAT parquet)" if is_parquet(path) else f"(FORMAT csv, HEADER, DELIM {_delim(path)})"
    return f"COPY ({query}) TO {literal(path)} {how}"


def is_parquet(path: str) -> bool:
    """Whether a file is Parquet by its name."""
    return path.lower().endswith((".parquet", ".pq"))


def _delim(path: str) -> str:
    return "'\\t'" if path.lower().endswith(".tsv") else "','"
