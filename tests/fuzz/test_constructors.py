"""Anything at all as a clustering: the right result, or a `ClusterdiffError`."""

from __future__ import annotations

import warnings
from collections import Counter, deque
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import clusterdiff as cd
from clusterdiff.clusterings.columns import Column, is_null

CONSTRUCTORS: list[Callable[..., Any]] = [
    cd.Partition,
    cd.Cover,
    cd.Cover.from_clusters,
    cd.Rough,
    cd.Fuzzy,
    cd.Possibilistic,
    cd.Evidential,
]
KINDS = ["partition", "cover", "rough", "fuzzy", "possibilistic", "evidential"]


class Tensor:
    """An array of another library, whose elements are equal to nothing."""

    def __init__(self, values: Any) -> None:
        self.values = np.asarray(values)

    def __len__(self) -> int:
        return len(self.values)

    def __iter__(self) -> Any:
        return map(Tensor, self.values)

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return self.values if dtype is None else self.values.astype(dtype)


plain = st.one_of(
    st.integers(-3, 3),
    st.sampled_from("abc"),
    st.sampled_from([0.0, -0.0, 0.5, 1.0, True, False]),
)
"""Values that are often equal, also between types."""
values = st.one_of(
    plain,
    st.integers(),
    st.sampled_from([10**30, -(2**63), 2**63, 2**64 - 1, 10**400]),
    st.floats(),
    st.text(st.characters(exclude_categories=())),
    st.binary(max_size=3),
    st.none(),
    st.decimals(allow_nan=False),
    st.fractions(),
    st.complex_numbers(allow_nan=False),
    st.datetimes(),
    st.timedeltas(),
    st.dates(),
    st.tuples(plain, plain),
    st.sampled_from(
        [pd.NA, pd.NaT, np.float32(1), np.int8(1), np.str_("a"), np.datetime64("2020")]
    ),
)
"""Every hashable value that is a label."""
odd = st.one_of(
    st.integers(5000, 5001).map(lambda digits: 10**digits),
    st.sampled_from([object(), int, slice(1), np.array(3), np.array([1, 2]), Tensor(2)]),
    st.lists(plain, max_size=2),
    st.dictionaries(plain, plain, max_size=2),
    st.frozensets(plain, max_size=2),
    st.sets(plain, max_size=2),
    st.builds(iter, st.lists(plain, max_size=2)),
)
anything = st.recursive(
    st.one_of(values, odd),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.lists(inner, max_size=3).map(tuple),
        st.dictionaries(values, inner, max_size=3),
        st.lists(inner, max_size=3).map(iter),
        st.lists(inner, max_size=3).map(deque),
        st.lists(inner, max_size=3).map(lambda v: pd.Series(v, dtype=object)),
        st.lists(plain, max_size=4).map(Tensor),
    ),
    max_leaves=12,
)
arrays = hnp.arrays(
    st.one_of(
        hnp.scalar_dtypes(),
        hnp.datetime64_dtypes(),
        hnp.unicode_string_dtypes(),
        hnp.byte_string_dtypes(),
        hnp.array_dtypes(),
        hnp.complex_number_dtypes(),
    ),
    hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=4),
)


def refused(call: Callable[[], Any]) -> Any:
    """What a call gives, None if it is refused; the sentence is short and not empty."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", cd.ClusterdiffWarning)
            return call()
    except cd.ClusterdiffError as error:
        if not 0 < len(error.message) < 1000:
            raise
        return None


def python(label: Any) -> Any:
    """A number of NumPy as Python's: not all of them can be compared with decimals."""
    return label.item() if isinstance(label, np.number | np.bool_) else label


def same(column: Column, labels: list[Any]) -> bool:
    """Whether equal keys are equal labels, and nulls are nulls."""
    keys, nulls = column.keys.tolist(), column.nulls()
    found = [False] * len(labels) if nulls is None else nulls.tolist()
    if found != [is_null(label) for label in labels]:
        return False
    codes: dict[Any, int] = {}
    wanted = [codes.setdefault(python(label), len(codes)) for label in labels]
    some = [i for i, null in enumerate(found) if not null]
    return all((keys[i] == keys[j]) == (wanted[i] == wanted[j]) for i in some for j in some)


@given(st.lists(values, max_size=8), st.sampled_from([list, tuple, iter, deque, pd.Series]))
def test_labels_are_told_apart_as_python_does(labels: list[Any], form: Any) -> None:
    given_as = pd.Series(labels, dtype=object) if form is pd.Series else form(labels)
    column = cd.Partition(given_as).labels
    assert same(column, labels)
    kept = [x for x in labels if not is_null(x)]
    assert [x for x in column.tolist() if not is_null(x)] == kept


@given(st.dictionaries(values.filter(lambda v: not is_null(v)), plain, max_size=8))
def test_ids_come_out_as_they_went_in(labels: dict[Any, Any]) -> None:
    made = cd.Partition(labels)
    assert made.ids is not None
    assert dict(zip(made.ids.tolist(), made.labels.tolist(), strict=True)) == labels
    if labels:
        assert cd.rand(labels, dict(reversed(labels.items()))) == 1


@given(arrays)
@example(np.zeros((1, 1, 0), np.complex64))
def test_arrays_of_every_type_and_shape(array: Any) -> None:
    for given_as in (array, Tensor(array)):
        made = refused(lambda given_as=given_as: cd.Partition(given_as))  # type: ignore[misc]
        if array.ndim == 1 and array.dtype.kind in "biufUSMcO" and made is not None:
            assert same(made.labels, list(array))
        assert (made is None) == (array.ndim != 1 or array.dtype.kind == "V")
        for constructor in CONSTRUCTORS[1:]:
            refused(lambda c=constructor, g=given_as: c(g))  # type: ignore[misc]


@pytest.mark.parametrize("constructor", CONSTRUCTORS, ids=lambda c: c.__qualname__)
@given(anything, st.one_of(st.none(), st.lists(values, max_size=4), odd), st.none() | odd)
def test_every_constructor_takes_or_refuses(
    constructor: Any, given_as: Any, ids: Any, samples: Any
) -> None:
    rest = () if constructor == cd.Cover.from_clusters else (samples,)
    made = refused(lambda: constructor(given_as, ids, *rest))
    if made is not None:
        assert repr(made).startswith(type(made).__name__)
        assert made.ids is None or len(made.ids) == len(made)


@given(anything, anything, st.none() | st.sampled_from(KINDS), st.none() | anything)
@example([], 10**5000, None, None)
def test_every_comparison_is_a_number_or_refused(
    truth: Any, guess: Any, kind: str | None, noise: Any
) -> None:
    truth, guess = ([] if isinstance(x, str) else x for x in (truth, guess))
    made = refused(lambda: cd.meet(truth, guess, kind=kind, noise=noise, align="singletons"))
    if isinstance(made, cd.HardMeet):
        assert 0 <= cd.measure("rand").of(made) <= 1


chances = st.lists(
    st.lists(st.integers(0, 8), min_size=2, max_size=3).filter(sum), min_size=1, max_size=5
).filter(lambda rows: len({len(row) for row in rows}) == 1)


@given(chances)
def test_degrees_are_the_same_in_every_form(rows: list[list[int]]) -> None:
    matrix = np.array([[x / sum(row) for x in row] for row in rows])
    wide = range(matrix.shape[1])
    objects = range(len(rows))
    dicts = [{j: row[j] for j in wide} for row in matrix.tolist()]
    for made in (
        cd.Fuzzy(matrix),
        cd.Fuzzy(Tensor(matrix)),
        cd.Fuzzy(matrix.tolist()),
        cd.Fuzzy(dict(enumerate(dicts))),
        cd.Fuzzy([{j: Tensor(x) for j, x in one.items()} for one in dicts]),
        cd.Fuzzy.from_rows(
            np.repeat(objects, len(wide)), np.tile(wide, len(rows)), Tensor(matrix.ravel())
        ),
    ):
        for i, row in enumerate(matrix):
            found = {next(iter(c)): m for c, m in made.of(i).items()}
            assert found == pytest.approx({j: x for j, x in enumerate(row) if x}, abs=1e-12)


@given(st.dictionaries(st.sampled_from("uvwxyz"), st.sets(st.sampled_from("abc")), max_size=6))
def test_covers_are_the_same_in_every_form(labels: dict[str, set[str]]) -> None:
    nowhere: list[Any] = [None]
    rows = [(i, c) for i, own in labels.items() for c in sorted(own) or nowhere]
    clusters = {c: {i for i, own in labels.items() if c in own} for c in "abc"}
    used = sorted(c for c in clusters if clusters[c])
    matrix = np.array([[c in own for c in used] for own in labels.values()], bool)
    forms = [
        cd.Cover(labels),
        cd.Cover.from_rows([i for i, _ in rows], [c for _, c in rows]),
        cd.Cover.from_clusters({c: clusters[c] for c in used}, list(labels)),
        cd.Cover(Tensor(matrix.reshape(len(labels), len(used))), ids=list(labels)),
    ]
    for made in forms:
        assert Counter(made.sets.size[made.code].tolist()) == Counter(map(len, labels.values()))
        if labels:
            assert cd.omega(made, forms[0]) == 1
