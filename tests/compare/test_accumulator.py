"""Labels in batches give what one call on all of them gives, to the bit."""

from __future__ import annotations

import pickle
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import clusterdiff as cd
from clusterdiff.clusterings import arrays as tensors
from clusterdiff.compare import accumulator
from refusals import refuses

RNG = np.random.default_rng(3)
TRUTH = RNG.integers(0, 40, 2000)
GUESS = np.where(RNG.random(2000) < 0.3, RNG.integers(-1, 40, 2000), TRUTH)
FORMS: dict[str, Callable[[Any], Any]] = {
    "whole numbers": lambda labels: labels,
    "lists": lambda labels: labels.tolist(),
    "text": lambda labels: labels.astype(str),
    "numbers": lambda labels: labels + 0.5,
    "tuples": lambda labels: [(int(one) % 7, int(one)) for one in labels],
    "nulls": lambda labels: [None if one == 3 else int(one) for one in labels],
}


def batches(form: Callable[[Any], Any], step: int = 300) -> list[tuple[Any, Any]]:
    every = range(0, len(TRUTH), step)
    return [(form(TRUTH[i : i + step]), form(GUESS[i : i + step])) for i in every]


def told(report: Any) -> Any:
    return {name: (report[name].value, str(report[name].signature)) for name in report.measures}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    "how",
    [{}, {"noise": [-1, None]}, {"noise": [-1, None], "noise_as": "drop"}, {"noise": "-1"}],
    ids=["plain", "noise", "dropped", "noise as text"],
)
def test_batches_are_one_call(form: str, how: dict[str, Any]) -> None:
    made = FORMS[form]
    try:
        wanted = told(cd.compare(made(TRUTH), made(GUESS), **how))
    except cd.ClusterdiffError as error:
        with pytest.raises(type(error), match="null"):
            cd.Accumulator(**how).update(made(TRUTH), made(GUESS))
        return
    first, second = cd.Accumulator(**how), cd.Accumulator(**how)
    for place, batch in enumerate(batches(made)):
        (first, second)[place % 2].update(*batch)
    merged = pickle.loads(pickle.dumps(first)).merge(pickle.loads(pickle.dumps(second)))
    assert told(merged.compute()) == wanted
    assert merged.objects == len(TRUTH)


def test_memory_grows_with_cells(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(accumulator, "FEW", 50)
    seen = cd.Accumulator("rand")
    for _ in range(200):
        seen.update([1, 1, 2], [1, 2, 2])
    assert len(seen._parts) < 40
    assert repr(seen) == "Accumulator(600 objects in 3 cells)"
    assert seen.meet() == cd.meet([1, 1, 2] * 200, [1, 2, 2] * 200)
    seen.reset()
    assert seen.objects == 0
    refuses("accumulator", seen.compute)


def test_counts_beyond_31_bits() -> None:
    many = 2**33
    seen = cd.Accumulator()
    seen.update([0, 0, 1], [0, 1, 1], [many, 1, 2])
    seen.merge(seen)
    wanted = cd.HardMeet.from_rows([0, 0, 1], [0, 1, 1], [2 * many, 2, 4])
    assert seen.meet() == wanted
    assert seen.compute()["pair_f"].value == cd.pair_f.of(wanted)


def test_ids_match_within_a_batch() -> None:
    seen = cd.Accumulator("rand")
    seen.update({"x": 1, "y": 1}, {"y": 5, "x": 4})
    seen.update({"z": 2}, {"z": 4})
    assert seen.compute()["rand"].value == cd.rand([1, 1, 2], [4, 5, 4])
    counted = cd.Accumulator("rand")
    counted.update({"x": 1, "y": 1}, {"y": 5, "x": 4}, [3, 2])
    assert counted.compute()["rand"].value == cd.rand([1] * 5, [4] * 3 + [5] * 2)


def test_what_is_refused_leaves_all_as_it_was() -> None:
    seen = cd.Accumulator("rand")
    seen.update([1, 1], [1, 2])
    for wrong, why in (
        ((["a"], [1]), "the labels of truth were integers in batches before, and are text"),
        (([1], [1.5]), "the labels of guess were integers in batches before, and are numbers"),
        (([1, 2], [1]), "truth has 2 labels, guess has 1"),
        (([None], [1]), "null"),
        ((cd.Cover([[1, 2]]), [1]), "each object is in one cluster"),
        (([1], [1], [0]), "at least one object"),
        (([1], [1], [1.5]), "not whole numbers"),
        (([1], [1], [1, 2]), "2 count"),
    ):
        refuses(why, seen.update, *wrong)
    refuses("same noise", seen.merge, cd.Accumulator(noise=-1))
    seen.update([], [])
    assert seen.merge(cd.Accumulator()).meet() == cd.meet([1, 1], [1, 2])


def test_any_label_after_numbers_as_in_one_list() -> None:
    seen = cd.Accumulator("rand", noise=[None])
    seen.update([1, 1, 2], [1, 2, 2])
    seen.update([1, None, (3, 4)], [2, 2, 1])
    wanted = cd.rand([1, 1, 2, 1, None, (3, 4)], [1, 2, 2, 2, 2, 1], noise=[None])
    assert seen.compute()["rand"].value == wanted


def test_batches_on_a_device(monkeypatch: pytest.MonkeyPatch) -> None:
    torch = pytest.importorskip("torch")
    monkeypatch.setattr(tensors, "DEVICES", {"cpu"})
    wanted = cd.meet(TRUTH, GUESS)
    for wide in (1, 2**57):
        seen = cd.Accumulator()
        for truth, guess in batches(lambda labels: torch.as_tensor(labels)):
            seen.update(truth * wide, guess * wide)
        assert seen.meet() == wanted
    seen = cd.Accumulator()
    for truth, guess in batches(lambda labels: torch.as_tensor(labels)):
        seen.update(truth.float(), guess.numpy())
    assert seen.meet() == wanted


def test_as_a_metric_of_torchmetrics() -> None:
    torch = pytest.importorskip("torch")
    pytest.importorskip("torchmetrics")
    metric = cd.Accumulator(["rand", "nmi"], noise=-1).as_torchmetrics()
    for truth, guess in batches(lambda labels: torch.as_tensor(labels)):
        found = metric(guess, truth)  # of the batch
        assert float(found["rand"]) == cd.rand(truth, guess, noise=-1)
    wanted = {"rand": cd.rand(TRUTH, GUESS, noise=-1), "nmi": cd.nmi(TRUTH, GUESS, noise=-1)}
    assert {name: float(value) for name, value in metric.compute().items()} == wanted
    again = pickle.loads(pickle.dumps(metric))
    assert {name: float(value) for name, value in again.compute().items()} == wanted
    metric.reset()
    metric.update(torch.tensor([1, 1]), torch.tensor([1, 2]))
    assert float(metric.compute()["rand"]) == 0.0
    alone = cd.Accumulator("rand").as_torchmetrics()
    alone.update(torch.tensor([[1, 1], [2, 2]]), torch.tensor([[1, 1], [2, 3]]))
    assert float(alone.compute()) == cd.rand([1, 1, 2, 3], [1, 1, 2, 2])
    for wrong in ((torch.rand(3), torch.zeros(3).long()), (torch.arange(3), torch.arange(2))):
        refuses("argmax", alone.update, *wrong)


def of_one_process(rank: int, where: str) -> None:
    """A part of the batches, and the score of all of them."""
    import torch
    from torch import distributed

    distributed.init_process_group("gloo", f"file://{where}/meeting", rank=rank, world_size=2)
    metric = cd.Accumulator(["rand", "elm_f"]).as_torchmetrics()
    seen = cd.Accumulator(["rand", "elm_f"])
    for truth, guess in batches(lambda labels: torch.as_tensor(labels), 300 - 100 * rank)[rank::2]:
        metric.update(guess, truth)
        seen.update(truth, guess)
    found = metric.compute()
    every: list[Any] = [None, None]
    distributed.all_gather_object(every, seen)
    merged = every[0].merge(every[1]).compute()
    for name in ("rand", "elm_f"):
        assert float(found[name]) == merged[name].value
    Path(where, f"{rank}").write_text(f"{merged['rand'].value!r} {merged['rand'].meet.objects}")
    distributed.destroy_process_group()


@pytest.mark.slow
def test_two_processes_have_one_score(tmp_path: Path) -> None:
    pytest.importorskip("torchmetrics")
    command = [sys.executable, __file__, str(tmp_path)]
    running = [subprocess.Popen([*command, str(rank)]) for rank in (0, 1)]
    assert [one.wait(120) for one in running] == [0, 0]
    said = [Path(tmp_path, f"{rank}").read_text() for rank in (0, 1)]
    assert said[0] == said[1]
    parts = [batches(lambda labels: labels, 300 - 100 * r)[r::2] for r in (0, 1)]
    truth, guess = (np.concatenate([b[i] for part in parts for b in part]) for i in (0, 1))
    assert said[0] == f"{cd.rand(truth, guess)!r} {len(truth)}"


if __name__ == "__main__":
    of_one_process(int(sys.argv[2]), sys.argv[1])


def test_more_objects_than_are_counted_exactly() -> None:
    """Batches together have the limit that one of them has, and the last exact count is kept."""
    seen, other = cd.Accumulator("rand"), cd.Accumulator("rand")
    seen.update([1, 2], [1, 1], [2**53 - 3, 1])
    seen.update([1], [1])
    other.update([2], [1])
    for add in (lambda: seen.update([2], [1]), lambda: seen.merge(other)):
        refuses(r"fewer than 9,007,199,254,740,992", add)
    assert seen.objects == 2**53 - 1
    assert seen.meet().truth_size.max() == 2**53 - 2
