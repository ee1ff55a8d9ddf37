"""Bytes as text: UTF-8, or an error that says what else they are."""

from __future__ import annotations

from clusterdiff.errors import ReadError
from clusterdiff.errors.reading import LATIN

MARKS = {
    b"\xff\xfe\x00\x00": "UTF-32", b"\x00\x00\xfe\xff": "UTF-32", b"\xff\xfe": "UTF-16",
    b"\xfe\xff": "UTF-16",
}  # fmt: skip
"""How text in other encodings may start."""
CONTROL = bytes({*range(32)} - {*b"\t\n\r\f"} | {127})


def decoded(data: bytes, path: str, *, whole: bool = True) -> str:
    """Bytes as text; if they are not the whole file, their last character may be cut."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        if not whole and error.start >= len(data) - 4:
            return data.decode("utf-8-sig", errors="ignore")
        raise not_text(data, path) from None


def not_text(data: bytes, path: str) -> ReadError:
    """What bytes are that are no UTF-8: another encoding, or no text at all."""
    known = next((name for mark, name in MARKS.items() if data.startswith(mark)), None)
    if known is not None:
        return ReadError.encoded(path, known)
    halves = data[::2].count(0), data[1::2].count(0)
    if 4 * max(halves) > len(data) and 20 * min(halves) <= max(halves):
        return ReadError.encoded(path, "UTF-16LE" if halves[1] else "UTF-16BE")
    if any(byte in CONTROL for byte in data[: 1 << 16]):
        return ReadError(
            f"{path} is not text, Parquet or gzip, so it cannot be read as a clustering.",
            "supported are CSV, TSV, Parquet, JSON, JSON lines, .labels, .clusters and CoNLL-2012.",
        )
    return ReadError.encoded(path, LATIN)
