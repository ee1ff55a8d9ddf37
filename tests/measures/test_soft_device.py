"""Sums over pairs on a device: tensors of PyTorch give the scores of the definitions."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from itertools import combinations
from typing import Any

import numpy as np
import pytest

import clusterdiff as cd
from clusterdiff.errors import DeviceMemoryNeeded
from clusterdiff.measures import soft_on_device as combine
from clusterdiff.measures import soft_on_device as fused
from clusterdiff.measures import soft_on_device as moving
from clusterdiff.measures import soft_on_device as sums
from clusterdiff.measures import soft_on_device as tiles
from devices import as_kept, keep_tensors, tensor
from measures.test_soft_oracles import BY_DEGREE, OF_MASSES, Checked, wanted
from soft_cases import Case, drawn

torch = pytest.importorskip("torch")
CLOSE = 1e-12
KEPT = ("fuzzy", "possibilistic", "evidential")


@pytest.fixture
def device(monkeypatch: pytest.MonkeyPatch) -> None:
    """All rows go to the device, in tiles that fit nothing."""
    keep_tensors(monkeypatch, small=0)
    monkeypatch.setattr(tiles, "TILE", {"cpu": (2, 3)})
    monkeypatch.setattr(moving, "CELLS", 10)


@cache
def of_masses() -> list[Case]:
    return drawn(31, 4, truth=KEPT, guess=KEPT, objects=(1, 5))


@cache
def of_degrees() -> list[Case]:
    return drawn(32, 5, truth=KEPT[:2], guess=KEPT[:2], objects=(1, 5))


def off(check: Checked, cases: list[Case]) -> float:
    """How far scores of tensors are from the definition at most."""
    gaps = []
    for case in cases:
        meet = cd.meet(*map(as_kept, case.ours))
        assert isinstance(meet, cd.SoftMeet)
        assert meet.masses_on_device
        gaps.append(abs(float(check.measure.of(meet)) - float(wanted(check, case))))
    return max(gaps)


@pytest.mark.parametrize("check", OF_MASSES, ids=str)
def test_measures_of_masses_equal_the_oracle(check: Checked, device: None) -> None:
    assert off(check, of_masses()) < CLOSE


@pytest.mark.parametrize("check", BY_DEGREE, ids=str)
def test_measures_of_degrees_equal_the_oracle(check: Checked, device: None) -> None:
    assert off(check, of_degrees()) < CLOSE


def test_cases_are_as_odd_as_they_should_be() -> None:
    for cases in (of_masses(), of_degrees()):
        assert {len(case.truth) for case in cases} == {1, 2, 3, 4, 5}
        assert any(case.has_empty for case in cases)
        assert any(len({frozenset(mass.items()) for mass in case.truth}) == 1 for case in cases)


# Wrong sums are caught


def without_through(one: Any, other: Any) -> Any:
    cost, moved, through = combine.alpha_parts(one, other)
    return cost, moved, 0 * through


def swapped_parts(one: Any, other: Any) -> Any:
    cost, moved, through = combine.alpha_parts(one, other)
    return moved, cost, through


def known_to_be_there(one: Any, other: Any) -> Any:
    return combine.alpha_parts(one, other._replace(known=one.known))


@pytest.mark.parametrize("wrong", [without_through, swapped_parts, known_to_be_there])
def test_wrong_parts_of_alpha_are_caught(
    wrong: Callable[..., Any], device: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    right = combine.combined

    def combined(combining: Any, one: Any, other: Any, norms: Any) -> Any:
        found = wrong(one, other)
        return found if combining == "alpha" else right(combining, one, other, norms)

    monkeypatch.setattr(tiles, "combined", combined)
    check = next(check for check in OF_MASSES if check.measure.arguments.get("alpha") == 0.25)
    assert off(check, of_masses()) > 1e-3


def test_objects_of_a_row_are_pairs_as_well(device: None) -> None:
    x = tensor([[0.5, 0.5]] * 3 + [[1.0, 0.0]])
    y = tensor([[0.9, 0.1]] * 3 + [[0.0, 1.0]])
    m = cd.meet(cd.Fuzzy(x), cd.Fuzzy(y))
    assert isinstance(m, cd.SoftMeet)
    assert m.rows == 2
    by_hand = 3 * abs(0.5 - 0.82) + 3 * abs(0.5 - 0.1)
    assert sums.summed_distances(m, "alpha", [1.0]) == pytest.approx([by_hand], abs=CLOSE)


# Against the compiled code for NumPy


def random_pair(kind: str, n: int, clusters: int = 5) -> tuple[Any, Any]:
    rng = np.random.default_rng(7)
    if kind == "possibilistic":
        return tuple(rng.uniform(0, 1, (n, clusters)) for _ in range(2))  # type: ignore[return-value]
    made = [rng.dirichlet(np.full(clusters, 0.4), n) for _ in range(2)]
    if kind == "with rest":
        made = [one * rng.uniform(0.2, 1, (n, 1)) for one in made]
    return made[0], made[1]


SETS = [["a"], ["b"], ["a", "b"], ["b", "c"], []]
MADE: dict[str, Callable[[Any], Any]] = {
    "fuzzy": cd.Fuzzy,
    "with rest": lambda x: cd.Fuzzy(x, rest="empty"),
    "possibilistic": cd.Possibilistic,
    "evidential": lambda x: cd.Evidential(x, SETS),
}
MEASURES = [
    cd.rand_alpha,
    cd.rand_alpha(alpha=0.3),
    cd.rand_belief,
    cd.rand_jousselme,
    cd.rand_conflict,
    cd.partition_distance_alpha,
]
DEGREES = [cd.rand_campello, cd.rand_frigui, cd.rand_hullermeier, cd.rand_brouwer, cd.rand_anderson]


def as_ends(value: Any) -> Any:
    return np.array([getattr(value, "low", value), getattr(value, "high", value)])


@pytest.mark.parametrize("kind", MADE)
def test_tensors_have_the_scores_of_arrays(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    keep_tensors(monkeypatch)
    given = random_pair(kind, 401)
    host = cd.meet(*map(MADE[kind], given))
    kept = cd.meet(*(MADE[kind](tensor(one)) for one in given))
    assert isinstance(kept, cd.SoftMeet)
    assert kept.masses_on_device
    assert host.digest == kept.digest
    for measure in MEASURES + (DEGREES if kind != "evidential" else []):
        gap = np.abs(as_ends(measure.of(host)) - as_ends(measure.of(kept))).max()
        assert gap < CLOSE, measure


def test_kinds_can_be_mixed(monkeypatch: pytest.MonkeyPatch) -> None:
    keep_tensors(monkeypatch)
    made = {kind: random_pair(kind, 390)[0] for kind in MADE}
    for one, other in combinations(MADE, 2):
        host = cd.meet(MADE[one](made[one]), MADE[other](made[other]))
        kept = cd.meet(MADE[one](tensor(made[one])), MADE[other](tensor(made[other])))
        gap = np.abs(as_ends(cd.rand_alpha.of(host)) - as_ends(cd.rand_alpha.of(kept))).max()
        assert gap < CLOSE, (one, other)


def test_rows_that_repeat_are_counted_once(monkeypatch: pytest.MonkeyPatch) -> None:
    keep_tensors(monkeypatch, small=0)
    x, y = random_pair("fuzzy", 20)
    often = np.arange(20).repeat(np.arange(20))
    host = cd.meet(cd.Fuzzy(x[often]), cd.Fuzzy(y[often]))
    kept = cd.meet(cd.Fuzzy(tensor(x[often])), cd.Fuzzy(tensor(y[often])))
    assert host.rows == kept.rows == 19
    assert abs(cd.rand_belief.of(host) - cd.rand_belief.of(kept)) < CLOSE


def test_one_side_on_the_host_is_compared_there(monkeypatch: pytest.MonkeyPatch) -> None:
    keep_tensors(monkeypatch)
    x, y = random_pair("fuzzy", 30)
    kept = cd.Fuzzy(tensor(y))
    mixed = cd.meet(cd.Fuzzy(x), kept)
    assert isinstance(mixed, cd.SoftMeet)
    assert not mixed.masses_on_device
    assert cd.rand_alpha.of(mixed) == cd.rand_alpha(cd.Fuzzy(x), cd.Fuzzy(y))
    labels = y.argmax(axis=1)
    assert cd.rand_alpha(labels, kept) == cd.rand_alpha(labels, cd.Fuzzy(y))
    assert cd.transport(labels, kept) == cd.transport(labels, cd.Fuzzy(y))


@pytest.mark.parametrize("method", ["bounds", "sample"])
@pytest.mark.parametrize("kind", ["fuzzy", "evidential"])
def test_bounds_of_transport_add_up_pairs_on_the_device(
    kind: str, method: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    keep_tensors(monkeypatch)
    given = random_pair("fuzzy", 390, 3)
    make = (lambda x: cd.Evidential(x, [["a"], ["b"], ["a", "b"]])) if kind != "fuzzy" else cd.Fuzzy
    asked = cd.transport(method=method, samples=3)
    host = asked(*map(make, given))
    added: list[Any] = []
    pair_sums = sums.pair_sums

    def counted(*given: Any) -> list[float]:
        added.append(given)
        return pair_sums(*given)

    monkeypatch.setattr(sums, "pair_sums", counted)
    kept = asked(*(make(tensor(one)) for one in given))
    assert added
    assert np.abs(as_ends(host) - as_ends(kept)).max() < CLOSE


def test_scores_have_the_same_bits_again(monkeypatch: pytest.MonkeyPatch) -> None:
    keep_tensors(monkeypatch, small=0)
    given = [tensor(one) for one in random_pair("evidential", 300)]

    def score() -> Any:
        return as_ends(cd.rand_alpha(*(MADE["evidential"](one) for one in given))).tolist()

    assert score() == score()


# What can go wrong


def test_an_interrupt_comes_through_and_leaves_nothing_behind(
    device: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    relate, calls = tiles.relate, []

    def slow(*given: Any) -> Any:
        calls.append(given)
        if len(calls) == 5:
            raise KeyboardInterrupt
        return relate(*given)

    x, y = (cd.Fuzzy(tensor(one)) for one in random_pair("fuzzy", 40))
    with monkeypatch.context() as patched:
        patched.setattr(tiles, "relate", slow)
        with pytest.raises(KeyboardInterrupt):
            cd.rand_alpha(x, y)
    assert len(calls) < 10
    assert 0 < cd.rand_alpha(x, y).low < 1


def test_memory_that_is_not_enough_is_said(device: None, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*given: Any) -> Any:
        raise torch.OutOfMemoryError("CUDA out of memory")

    x, y = (cd.Fuzzy(tensor(one)) for one in random_pair("fuzzy", 1000))
    monkeypatch.setattr(tiles, "relate", full)
    with pytest.raises(
        DeviceMemoryNeeded, match=r"1,000 objects on cpu takes about 320\.0 kB"
    ) as e:
        cd.rand_belief(x, y)
    assert "truth.cpu()" in e.value.hint


def test_a_kernel_that_does_not_run_is_no_end(
    device: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Tiles do the same where Triton cannot compile for the card."""
    x, y = (cd.Fuzzy(tensor(one)) for one in random_pair("fuzzy", 30))
    right = cd.rand_belief(x, y)

    def broken(*given: Any) -> Any:
        raise NotImplementedError("no doubles here")

    monkeypatch.setattr(sums, "has_kernel", lambda weight: True)
    monkeypatch.setattr(fused, "fused_sums", broken)
    with pytest.warns(RuntimeWarning, match="no doubles here"):
        assert cd.rand_belief(x, y) == right
