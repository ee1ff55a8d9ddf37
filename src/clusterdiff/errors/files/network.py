"""Files and databases on the network, or in a format whose reader is not installed."""

from __future__ import annotations

from typing import Self

from clusterdiff.errors.files.reading import ReadError


class NetworkRefused(ReadError):
    """What is named is elsewhere, and may or can not be fetched."""

    @classmethod
    def from_address(cls, shown: str) -> Self:
        """The user has not allowed it."""
        return cls(
            f"{shown} is on the network, which is left alone unless you allow it.",
            "allow it, cd.compare(…, engine=cd.DuckDB(allow_network=True)), or "
            f"cd.read({shown!r}, allow_network=True); or name a copy of your own.",
            "allow it: --allow-network; or name a copy of your own.",
        )

    @classmethod
    def from_extension(cls, shown: str, extension: str) -> Self:
        """The extension of DuckDB that reads it is not installed."""
        return cls(
            f"{shown} is read by {extension}, an extension of DuckDB that is not installed.",
            f"install it: {install_line(extension)}; or name a copy of your own.",
        )

    @classmethod
    def from_postgres(cls, shown: str) -> Self:
        """Nothing that speaks to PostgreSQL is installed."""
        return cls(
            f"{shown} is a PostgreSQL database, and neither DuckDB's extension postgres nor the "
            "ADBC driver for it is installed.",
            f"pip install 'clusterdiff[postgres]', or {install_line('postgres')}.",
        )


class ReaderMissing(ReadError):
    """A format that a package reads which is not installed."""

    @classmethod
    def from_extra(cls, path: str, what: str, extra: str, other: str) -> Self:
        """The package comes with an extra of ours."""
        return cls(
            f"{path} is {what}, and the package that reads it is not installed.",
            f"pip install 'clusterdiff[{extra}]', or {other}.",
        )


def install_line(extension: str) -> str:
    """What installs an extension of DuckDB; it is downloaded."""
    return f"python -c \"import duckdb; duckdb.sql('INSTALL {extension}')\""
