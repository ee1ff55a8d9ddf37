"""Names that are too long: an ellipsis stands where something is missing, and nowhere else."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from clusterdiff.output.text import columns, cut

LETTERS = st.text("ab日本é\u0301\u0302\u0303…", max_size=60) | st.text(max_size=60)


def parts_of(text: str, short: str) -> list[tuple[str, str]]:
    """All ways to read a short text as a start, an ellipsis and an end of a longer one."""
    return [
        (short[:at], short[at + 1 :])
        for at, sign in enumerate(short)
        if sign == "…"
        and text.startswith(short[:at])
        and text.endswith(short[at + 1 :])
        and len(short) - 1 < len(text)
    ]


@given(LETTERS, st.integers(0, 30))
@example("abcdefghij", 6)
@example("a" + "\u0301" * 500, 5)
@example("日" * 10, 6)
def test_a_cut_is_a_start_and_an_end(text: str, width: int) -> None:
    short = cut(text, width)
    assert columns(short) <= width
    if short == text or width == 0:
        return
    assert parts_of(text, short)


@given(st.text("ab日本", min_size=1, max_size=60), st.integers(1, 30))
def test_no_more_would_fit(text: str, width: int) -> None:
    short = cut(text, width)
    if short == text:
        assert columns(text) <= width
        return
    assert columns(text) > width
    start, end = parts_of(text, short)[0]
    following = text[len(start)]
    assert columns(start + following + "…" + end) > width
    assert abs(columns(start) - columns(end)) <= 3


@given(st.text("ae\u0301\u0302", max_size=40), st.integers(2, 20))
def test_marks_stay_with_their_letters(text: str, width: int) -> None:
    short = cut(text, width)
    if short == text:
        return
    for start, end in parts_of(text, short):
        if not (end and unicodedata.combining(end[0])):
            following = text[len(start) : len(start) + 1]
            assert not unicodedata.combining(following or "a")
            return
    raise AssertionError(short)


@pytest.mark.parametrize(
    ("text", "width", "short"),
    [
        ("abcdefghij", 5, "ab…ij"),
        ("abcdefghij", 6, "abc…ij"),
        ("abcdefghij", 10, "abcdefghij"),
        ("abcdefghij", 1, "…"),
        ("abcdefghij", 0, ""),
        ("e\u0301" * 8, 8, "e\u0301" * 8),
        ("e\u0301" * 8, 5, "e\u0301e\u0301…e\u0301e\u0301"),
        ("日本語の名前です", 8, "日本…す"),
        ("", 3, ""),
    ],
)
def test_names_by_hand(text: str, width: int, short: str) -> None:
    assert cut(text, width) == short


def test_marks_do_not_go_on_forever() -> None:
    assert len(cut("a" + "\u0301" * 10**6 + "b", 10)) < 60
