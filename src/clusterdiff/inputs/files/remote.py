"""Files on the network, fetched to a temporary file where the user allows it."""

from __future__ import annotations

import re
from pathlib import Path, PurePosixPath
from urllib.parse import urlsplit

from clusterdiff.backends.duckdb import DuckDB, DuckSession, literal
from clusterdiff.errors import LimitReached, ReadError
from clusterdiff.errors.files.network import NetworkRefused
from clusterdiff.inputs.files.addresses import without_password

HTTP = re.compile(r"https?://", re.IGNORECASE)


def shown_address(url: str) -> str:
    """An address for messages: without a password, and without what follows a question mark,
    which may be a signature.
    """
    shown = without_password(url)
    return shown.partition("?")[0] if HTTP.match(url) else shown


def refuse_network(shown: str, allow_network: bool) -> None:
    """Refuse an address unless the user allows the network."""
    if not allow_network:
        raise NetworkRefused.from_address(shown)


def fetched(url: str, folder: Path, limit: int, allow_network: bool) -> list[Path]:
    """What is at an address, in files of ours; of a pattern, all that fits it."""
    shown = shown_address(url)
    refuse_network(shown, allow_network)
    with DuckSession(DuckDB()) as session, session.reading(shown, ()):
        if not session.loads("httpfs"):
            raise NetworkRefused.from_extension(shown, "httpfs")
        return [
            _copied(session, one, folder / f"remote{i}{_ending(one)}", limit)
            for i, one in enumerate(_addresses(session, url))
        ]


def _addresses(session: DuckSession, url: str) -> list[str]:
    """The files that an address means."""
    if HTTP.match(url) or not any(mark in url for mark in "*?["):
        return [url]
    found = session.fetch(f"SELECT file FROM glob({literal(url)}) ORDER BY file")
    if not found.num_rows:
        raise ReadError.missing(shown_address(url), [])
    return [str(name) for name in found.column("file").to_pylist()]


def _copied(session: DuckSession, url: str, to: Path, limit: int) -> Path:
    rows = f"read_blob({literal(url)})"
    size = session.row(f"SELECT max(size) AS n FROM {rows}")["n"]
    if size is None:
        raise ReadError.missing(shown_address(url), [])
    if size > limit:
        raise LimitReached.fetched(shown_address(url), limit, size)
    plain = to.with_name("fetched")  # DuckDB would compress again what ends in .gz
    session.run(
        f"COPY (SELECT content FROM {rows}) TO {literal(str(plain))} (FORMAT BLOB)",
        f"fetching {shown_address(url)}",
    )
    return plain.rename(to)


def _ending(url: str) -> str:
    """How the name of a file on the network ends."""
    path = urlsplit(url).path if HTTP.match(url) else url
    return "".join(re.findall(r"\.\w{1,8}", PurePosixPath(path).name)[-2:])
