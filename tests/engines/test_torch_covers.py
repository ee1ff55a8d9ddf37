"""Covers on a device give what covers in memory give, to the bit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import clusterdiff as cd
from clusterdiff.clusterings import arrays as tensors
from clusterdiff.clusterings import tensors as tensor_sets
from clusterdiff.clusterings.sets import mix
from refusals import refuses

torch: Any = pytest.importorskip("torch")

RNG = np.random.default_rng(5)
HERE = (RNG.random((400, 6)) < 0.3).astype(np.int64)
THERE = np.where(RNG.random((400, 6)) < 0.1, 1 - HERE, HERE)
OWNER, MEMBER = (np.append(side, side[:3]) for side in np.nonzero(HERE))
SHUFFLED = RNG.permutation(OWNER.size)


def told(report: Any) -> Any:
    return {name: (report[name].value, str(report[name].signature)) for name in report.measures}


@pytest.fixture
def on_device(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tensors in memory count as tensors on a device meanwhile."""
    monkeypatch.setattr(tensors, "DEVICES", {"cpu"})
    return


def of_rows(made: Any) -> Any:
    rows = cd.Cover.from_rows(made(OWNER[SHUFFLED]), made(MEMBER[SHUFFLED] * 7 - 3))
    known = np.unique(OWNER)
    return cd.compare(rows, cd.Cover(made(THERE[known][::-1].copy()), ids=made(known[::-1].copy())))


MATRICES = told(cd.compare(HERE, THERE, kind="cover"))
ROWS = told(of_rows(np.asarray))


@pytest.mark.usefixtures("on_device")
def test_matrices_and_pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    for kind in (torch.int64, torch.bool, torch.float32, torch.uint8):
        sides = [torch.as_tensor(side).to(kind) for side in (HERE, THERE)]
        assert told(cd.compare(*sides, kind="cover")) == MATRICES
        assert cd.Cover(sides[0]).tensor is not None
    assert told(of_rows(torch.as_tensor)) == ROWS
    monkeypatch.setattr(tensor_sets, "ENTRIES", 50)
    assert told(cd.compare(*map(torch.as_tensor, (HERE, THERE)), kind="cover")) == MATRICES


@pytest.mark.usefixtures("on_device")
def test_sets_that_meet_in_a_fingerprint_are_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = []

    def poor(words: Any) -> Any:
        drawn.append(1)
        return np.ones_like(words) if len(drawn) < 3 else mix(words)

    monkeypatch.setattr(tensor_sets, "mix", poor)
    cover = cd.Cover(torch.as_tensor(HERE))
    assert len(drawn) == 3
    assert cover.sets.number == len(np.unique(HERE, axis=0))
    assert cd.meet(cover, cover) == cd.meet(cd.Cover(HERE), cd.Cover(HERE))


@pytest.mark.usefixtures("on_device")
def test_what_memory_settles() -> None:
    labels = RNG.integers(0, 4, 400)
    ids = np.arange(400)

    def both(made: Any) -> tuple[Any, Any]:
        return cd.Cover(made(HERE), ids=made(ids)), cd.Cover(made(THERE[5:]), ids=made(ids[5:]))

    shared = [told(cd.compare(*both(m), align="shared")) for m in (np.asarray, torch.as_tensor)]
    assert shared[0] == shared[1]
    noisy = [told(cd.compare(*both(m)[:1] * 2, noise=2)) for m in (np.asarray, torch.as_tensor)]
    assert noisy[0] == noisy[1]
    found = cd.compare(cd.Cover(torch.as_tensor(HERE)), labels)
    assert told(found) == told(cd.compare(cd.Cover(HERE), labels))
    refuses("5 objects|5 of", cd.compare, *both(torch.as_tensor))


@pytest.mark.usefixtures("on_device")
def test_refusals() -> None:
    for wrong, why in (
        (torch.tensor([[0.5, 1.0]]), "neither 0 nor 1"),
        (torch.tensor([[float("nan"), 1.0]]), "neither 0 nor 1"),
    ):
        refuses(why, cd.Cover, wrong)
    refuses("occur again", cd.Cover, torch.as_tensor(HERE[:2]), ids=torch.tensor([1, 1]))
    refuses("3 .*2|2 .*3", cd.Cover.from_rows, torch.arange(3), torch.arange(2))
    empty = cd.Cover(torch.zeros((0, 3)))
    assert len(empty) == 0


@pytest.mark.usefixtures("on_device")
def test_parts_of_a_cover() -> None:
    cover, plain = cd.Cover(torch.as_tensor(HERE)), cd.Cover(HERE)
    assert repr(cover) == repr(plain)
    index = np.array([3, 1, 2])
    assert repr(cover.take(index)) == repr(plain.take(index))
    assert cd.Cover(cover).tensor is cover.tensor
    assert str(cd.objects(cover, plain, "cice_recall")) == str(
        cd.objects(plain, plain, "cice_recall")
    )
