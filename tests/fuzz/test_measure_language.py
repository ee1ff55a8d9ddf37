"""Any text is a measure that reads back as it prints, or an error in words; it is never code."""

from __future__ import annotations

import builtins
import sys
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import clusterdiff as cd
from clusterdiff.io.read import inline, is_inline
from clusterdiff.measures import measures_named

NAMES = [m.name for m in cd.measures()]
KEYS = sorted({key for m in cd.measures() for key in m.defaults})
MODULES = ["this:s", "antigravity:x", "os:system", "builtins:eval", "nowhere:f", "a.b:c.d"]
WORDS = ["means", "objects", "min", "max", "joint", "entropy", "mean", "lfk", "jaccard", "exact"]

names = st.sampled_from(NAMES) | st.from_regex(r"[a-z_]{1,12}", fullmatch=True)
values = st.one_of(
    st.sampled_from(WORDS),
    st.sampled_from(WORDS + MODULES).map(repr),
    st.integers(-5, 5).map(str),
    st.integers(0, 10**60).map(str),
    st.floats().map(repr),
    st.sampled_from(["True", "None", "()", "[1]", "{}", "1j", "-1", "--1", "1e999", "f''", "..."]),
    st.text(max_size=10).map(repr),
)
arguments = st.builds("{}={}".format, st.sampled_from(KEYS) | names, values)


def calls(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.builds(
        lambda name, parts: f"{name}({', '.join(parts)})",
        names,
        st.lists(arguments | inner | values, max_size=3),
    )


written = st.recursive(names, calls, max_leaves=4)
noise = st.text("adjustedrnlmf_()=,'\":.[]{}0123456789 \\\n\t\0é’①ｅ\ud800", max_size=60)
nested = st.builds(
    lambda name, depth, close: f"{name}(" * depth + "rand" + ")" * close,
    names, st.integers(0, 400), st.integers(0, 400),
)  # fmt: skip
texts = written | noise | nested | st.text(max_size=80)


@pytest.fixture(autouse=True)
def _nothing_is_imported(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    before = builtins.__import__

    def watched(name: str, *rest: Any) -> Any:
        assert name.partition(".")[0] not in {"this", "antigravity", "nowhere", "a"}
        return before(name, *rest)

    monkeypatch.setattr(builtins, "__import__", watched)
    yield
    assert not {"this", "antigravity"} & set(sys.modules)


def made_or_refused(make: Callable[..., Any], *given: str) -> Any:
    """What is made of a text; None if it is refused, in a sentence that is not too long."""
    try:
        return make(*given)
    except cd.ClusterdiffError as error:
        if len(error.message) >= 400:
            raise AssertionError("too long") from error
        return None


@given(texts)
def test_a_measure_reads_back_or_is_refused(text: str) -> None:
    measure = made_or_refused(cd.measure, text)
    if measure is None:
        return
    assert cd.measure(str(measure)) == measure
    assert cd.measure(measure.full_name) == measure
    assert str(cd.measure(str(measure))) == str(measure)


@given(st.lists(written, max_size=3).map(",".join) | texts)
def test_several_read_back_or_are_refused(text: str) -> None:
    found = made_or_refused(measures_named, text)
    if found is None:
        return
    assert found
    assert measures_named(", ".join(map(str, found))) == found


clusters = st.lists(
    st.lists(st.from_regex(r"[0-9A-Za-z_.é-]{1,3}", fullmatch=True) | st.just("1-9"), max_size=4),
    max_size=4,
)
inlines = st.one_of(
    st.builds("|".join, st.lists(st.text("0123ab", max_size=4), max_size=5)),
    clusters.map(lambda parts: "|".join(map(",".join, parts))),
    st.text("0123456789|,-.ab²٣", max_size=40),
    st.integers(0, 6000).map(lambda n: f"{'9' * n}|1"),
    st.integers(0, 6000).map(lambda n: f"1-{'9' * n}|,1"),
)


@given(inlines, st.sampled_from(["partition", "cover"]))
def test_a_clustering_written_down_is_one_or_is_refused(text: str, kind: str) -> None:
    if not is_inline(text):
        return
    made = made_or_refused(inline, text, kind)
    if made is None:
        return
    assert len(made) == len(set(made.ids.tolist()))
