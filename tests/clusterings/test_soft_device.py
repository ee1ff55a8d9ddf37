"""Degrees and masses that are tensors: checked where they lie, and the same clusterings."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import clusterdiff as cd
from clusterdiff.clusterings import tensors as device_rows
from clusterdiff.errors import DeviceMemoryNeeded
from devices import keep_tensors, tensor

torch = pytest.importorskip("torch")
SETS = [["a"], ["b"], ["a", "b"], []]
KINDS: dict[str, Callable[..., Any]] = {
    "fuzzy": cd.Fuzzy,
    "normalised": lambda x, **given: cd.Fuzzy(x, rest="normalise", **given),
    "with rest": lambda x, **given: cd.Fuzzy(x, rest="empty", **given),
    "possibilistic": cd.Possibilistic,
    "evidential": lambda x, **given: cd.Evidential(x, SETS, **given),
}
RANDOM = np.random.default_rng(3)
CHANCES = RANDOM.dirichlet(np.ones(4), 6)


@pytest.fixture(autouse=True)
def kept(monkeypatch: pytest.MonkeyPatch) -> None:
    keep_tensors(monkeypatch)


def spoilt(row: int, column: int, value: float) -> Any:
    given = CHANCES.copy()
    given[row, column] = value
    return given


WRONG: dict[str, Any] = {
    "NaN": spoilt(1, 2, np.nan),
    "infinite": spoilt(1, 2, np.inf),
    "negative": spoilt(4, 0, -0.5),
    "a little negative": spoilt(4, 0, -1e-8),
    "greater than one": spoilt(0, 3, 1.5),
    "a sum that is off": CHANCES * 0.9,
    "another sum that is off": CHANCES * (1 + 2e-5),
    "nothing": CHANCES * (np.arange(6) != 2)[:, None],
    "one dimension": CHANCES[0],
    "three dimensions": CHANCES[None],
    "no dimension": np.array(0.5),
    "complex": CHANCES + 1j,
    "no rows": CHANCES[:0],
    "no columns": CHANCES[:, :0],
}


def made(kind: str, given: Any, **more: Any) -> tuple[str, str, Any]:
    """The class and the text of an error, or of a clustering."""
    try:
        found = KINDS[kind](given, **more)
    except cd.ClusterdiffError as error:
        return type(error).__name__, str(error), None
    return "", repr(found), [found.of(found.id_of(i)) for i in range(len(found))]


@pytest.mark.parametrize("wrong", WRONG)
@pytest.mark.parametrize("kind", KINDS)
def test_tensors_are_refused_as_arrays_are(kind: str, wrong: str) -> None:
    ids = list("uvwxyz")[: len(WRONG[wrong])] if np.ndim(WRONG[wrong]) == 2 else None
    for more in ({}, {"ids": ids}):
        host = made(kind, WRONG[wrong], **more)
        assert made(kind, torch.from_numpy(np.asarray(WRONG[wrong])), **more) == host


def test_wrong_tensors_are_wrong_enough() -> None:
    refused = [made("fuzzy", given)[0] for given in WRONG.values()]
    assert sum(map(bool, refused)) >= 10


def test_names_are_checked() -> None:
    for labels in (["a", "b", "c"], ["a", "b", "c", "c"], ["a", "b", "c", None]):
        host = made("fuzzy", CHANCES, labels=labels)
        assert host[0]
        assert made("fuzzy", tensor(CHANCES), labels=labels) == host
    assert cd.Fuzzy(tensor(CHANCES), labels=list("abcd")).labels.tolist() == list("abcd")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("scale", [1.0, 1.0 + 4e-6, 1.0 - 4e-6, 1.0 + 1e-14])
def test_rounding_is_mended_as_in_arrays(kind: str, scale: float) -> None:
    given = CHANCES * scale
    given[0] = [1.0 + 1e-10, -1e-10, 0.0, 0.0]
    host, there = KINDS[kind](given), KINDS[kind](tensor(given))
    assert there.tensor is not None
    assert there.masses.mass[there.code] == pytest.approx(host.masses.mass[host.code], abs=1e-15)


@pytest.mark.parametrize("kind", KINDS)
def test_a_clustering_of_a_tensor_is_the_same(kind: str) -> None:
    given = CHANCES[[0, 1, 2, 0, 3, 1, 4, 5]]
    host, there = KINDS[kind](given), KINDS[kind](tensor(given))
    assert there.tensor is not None
    assert host.tensor is None
    assert there.code.tolist() == host.code.tolist()
    assert "degree" not in vars(there)
    assert "mass" not in vars(there)
    for a, b in ((there, host), (pickle.loads(pickle.dumps(there)), host)):
        assert repr(a) == repr(b)
        assert [a.of(i) for i in range(8)] == [b.of(i) for i in range(8)]
        assert a.harden().labels.tolist() == b.harden().labels.tolist()
        assert repr(a.take(np.array([4, 2]))) == repr(b.take(np.array([4, 2])))
        assert a.pignistic().degree == pytest.approx(b.pignistic().degree)
        assert a.normalise().of(3) == pytest.approx(b.normalise().of(3))
        assert a.normalise().tensor is None
    assert cd.Evidential(there).of(2) == pytest.approx(cd.Evidential(host).of(2))


def test_sets_that_are_named_twice_are_one() -> None:
    sets = [["a"], ["b"], ["a"], ["b", "a"]]
    host, there = (cd.Evidential(x, sets) for x in (CHANCES, tensor(CHANCES)))
    assert there.masses.focal.number == 3
    assert there.of(2) == pytest.approx(host.of(2))


@pytest.mark.parametrize("kind", ["float32", "float16", "bfloat16", "int64", "bool"])
def test_other_numbers_become_doubles(kind: str) -> None:
    whole = torch.eye(3)[[0, 1, 2, 1]].to(getattr(torch, kind))
    found = cd.Fuzzy(whole)
    assert found.tensor.dtype == torch.float64
    assert found.degree.tolist() == np.eye(3).tolist()
    assert found.code.tolist() == [0, 1, 2, 1]


def test_gradients_are_left_behind() -> None:
    given = tensor(CHANCES).requires_grad_()
    assert cd.Fuzzy(given).of(0) == cd.Fuzzy(CHANCES).of(0)


class Elsewhere:
    """An array of another library that can be handed over."""

    def __init__(self, values: Any) -> None:
        self.values, self.shape = tensor(values), values.shape

    def __dlpack__(self, **given: Any) -> Any:
        return self.values.__dlpack__(**given)

    def __dlpack_device__(self) -> Any:
        return self.values.__dlpack_device__()


def test_arrays_of_other_libraries_are_handed_over() -> None:
    found = cd.Fuzzy(Elsewhere(CHANCES))
    assert found.tensor is not None
    assert found.of(1) == cd.Fuzzy(CHANCES).of(1)


def test_without_a_device_tensors_are_arrays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    assert cd.Fuzzy(tensor(CHANCES)).tensor is None


def test_many_rows_that_hardly_repeat_keep_their_places(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(device_rows, "MANY", 100)
    rows = RANDOM.dirichlet(np.ones(3), 100)
    code, table = device_rows.profiles_of(tensor(rows))
    assert code.tolist() == list(range(100))
    assert table.tolist() == rows.tolist()
    code, table = device_rows.profiles_of(tensor(rows[:10].repeat(10, axis=0)))
    assert code.tolist() == np.arange(10).repeat(10).tolist()


def test_rows_whose_fingerprints_meet_are_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    right = device_rows._fingerprints

    def colliding(matrix: Any, salt: int) -> Any:
        return right(matrix, salt) if salt > 2 else torch.zeros(len(matrix), dtype=torch.int64)

    monkeypatch.setattr(device_rows, "_fingerprints", colliding)
    code, table = device_rows.profiles_of(tensor(CHANCES[[0, 1, 0]]))
    assert code.tolist() == [0, 1, 0]
    assert len(table) == 2


def test_zeros_have_no_sign() -> None:
    code, _ = device_rows.profiles_of(tensor([[0.0, 1.0], [-0.0, 1.0]]))
    assert code.tolist() == [0, 0]


def test_memory_that_is_not_enough_is_said() -> None:
    with (
        pytest.raises(DeviceMemoryNeeded, match=r"6 objects on cpu takes about 384 bytes"),
        device_rows.memory_for(tensor(CHANCES), 2),
    ):
        raise torch.OutOfMemoryError
