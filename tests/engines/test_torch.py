"""Labels on a device give what the arrays engine gives, to the bit: scores, signatures and errors.

There is no graphics card here. PyTorch computes the same way in memory, so tensors in memory are
declared to be on a device, and go all the way that those on a card go.
"""

from __future__ import annotations

import pickle
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from importlib import import_module
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import clusterdiff as cd
from clusterdiff.clusterings import arrays as tensors
from clusterdiff.clusterings.sets import mix
from clusterdiff.clusterings.tensors import TensorColumn
from clusterdiff.contingency import digest
from refusals import refuses

torch: Any = pytest.importorskip("torch")

from clusterdiff.engines import on_device as meet  # noqa: E402
from clusterdiff.engines import torch as there  # noqa: E402
from clusterdiff.engines.on_device import TensorMeet  # noqa: E402

RNG = np.random.default_rng(7)


@contextmanager
def on_device() -> Iterator[None]:
    """Tensors in memory count as tensors on a device meanwhile."""
    tensors.DEVICES.add("cpu")
    try:
        yield
    finally:
        tensors.DEVICES.discard("cpu")


def said(run: Callable[[], Any]) -> Any:
    """What comes of a comparison: scores with signatures, or an error."""
    try:
        report = run()
    except cd.ClusterdiffError as error:
        return type(error), str(error)
    return {name: (report[name].value, str(report[name].signature)) for name in report.measures}


def both_ways(truth: Any, guess: Any, **how: Any) -> Any:
    """What both engines say of the same labels, if it is the same."""
    wanted = said(lambda: cd.compare(truth(np.asarray), guess(np.asarray), **how))
    with on_device():
        found = said(lambda: cd.compare(truth(torch.as_tensor), guess(torch.as_tensor), **how))
    assert found == wanted, how
    return wanted


def thrown(n: int, k: int, share: float = 0.3) -> tuple[Any, Any]:
    truth = RNG.integers(0, k, n)
    return truth, np.where(RNG.random(n) < share, RNG.integers(0, k, n), truth)


@pytest.mark.parametrize(("n", "k"), [(1, 1), (2, 2), (300, 4), (3000, 600), (40_000, 9000)])
def test_scores_and_signatures_are_those_of_arrays(n: int, k: int) -> None:
    truth, guess = thrown(n, k)
    both_ways(lambda made: made(truth), lambda made: made(guess))


@pytest.mark.parametrize("align", ["exact", "shared", "singletons", "penalise"])
def test_all_policies(align: str) -> None:
    for _, noise, noise_as in product(range(3), (None, -1, [-1, 2]), ("singletons", "drop")):
        labels = [RNG.integers(-1, 5, 40) for _ in range(2)]
        ids = [RNG.permutation(50)[:40] for _ in range(2)]
        if align == "exact":
            ids[1] = RNG.permutation(ids[0])

        def side(which: int, labels: Any = labels, ids: Any = ids) -> Any:
            return lambda made: cd.Partition(made(labels[which]), ids=made(ids[which]))

        both_ways(side(0), side(1), align=align, noise=noise, noise_as=noise_as)


def test_objects_of_one_side_are_refused_in_the_same_words() -> None:
    def side(*ids: int) -> Any:
        return lambda made: cd.Partition(made(np.arange(len(ids))), ids=made(np.array(ids)))

    for align in ("exact", "shared", "singletons"):
        kind, text = both_ways(side(1, 2, 3), side(4, 5, 6), align=align)
        assert issubclass(kind, cd.ClusterdiffError)
        assert text
    assert both_ways(side(1, 2, 3), side(1, 2, 4))[1].startswith("1 ")
    assert "3 labels" in both_ways(lambda m: m(np.arange(3)), lambda m: m(np.arange(2)))[1]
    assert "noise" in both_ways(
        lambda m: m(np.full(3, -1)), lambda m: m(np.arange(3)), noise=-1, noise_as="drop"
    )[1]  # fmt: skip
    nan = np.array([1.0, np.nan])
    assert "null" in both_ways(lambda m: m(nan), lambda m: m(np.array([1, 2])))[1]


def test_nan_can_be_noise() -> None:
    labels = np.array([1.0, 1.0, np.nan, np.nan, 2.5])
    both_ways(lambda m: m(labels), lambda m: m(np.array([1, 1, 1, 2, 2])), noise=[None])


KINDS = ["bool", "int8", "uint8", "int16", "int32", "int64", "float32", "float64"]


@pytest.mark.filterwarnings("ignore:an array of 200 times True or False")
@pytest.mark.parametrize("kind", KINDS)
def test_kinds_of_numbers(kind: str) -> None:
    truth, guess = (RNG.integers(0, 2, 200).astype(kind) for _ in range(2))
    both_ways(lambda m: m(truth), lambda m: m(guess))
    if kind not in ("bool", "uint8"):
        both_ways(lambda m: m(-truth), lambda m: m(guess), noise=-1)


def test_uint64_and_other_unsigned_numbers() -> None:
    other = np.array([0, 0, 1, 1, 1])
    for kind in (np.uint16, np.uint32, np.uint64):
        labels = np.array([0, 1, 1, np.iinfo(kind).max, np.iinfo(kind).max], kind)
        both_ways(lambda m, a=labels: m(a), lambda m: m(other))


EXTREMES = np.array([-(2**63), -(2**63), 2**63 - 1, 0, 2**62, 2**63 - 1, -1, -1])


def test_spans_beyond_64_bits_are_numbered_first() -> None:
    other = EXTREMES[[1, 0, 3, 2, 5, 4, 7, 6]]
    for truth, guess in product((EXTREMES, np.arange(8)), (other, np.arange(8) // 2)):
        both_ways(lambda m, a=truth: m(a), lambda m, a=guess: m(a))
        both_ways(lambda m, a=truth: m(a), lambda m, a=guess: m(a), noise=-1)


def test_packed_keys_of_int32_labels_do_not_wrap() -> None:
    truth = np.array([0, 0, 2**31 - 1, 2**31 - 1, -(2**31)], np.int32)
    guess = np.array([2**31 - 1, 2**31 - 1, 0, -(2**31), 7], np.int32)
    both_ways(lambda m: m(truth), lambda m: m(guess))
    wide = np.array([0, 70_000, 0, 70_000], np.int32)
    both_ways(lambda m: m(wide), lambda m: m(wide[::-1].copy()))


def test_counts_beyond_31_bits() -> None:
    """Of rows that stand for so many objects: no array has to be that long."""
    many = 2**33
    conflict = there.Conflict(
        *map(torch.tensor, ([many, 5], [0, 0], [0, 1], [many + 5] * 2, [many, 5]))
    )
    found = TensorMeet(
        there.DeviceCells(np.array([3]), np.array([many]), conflict), cd.meet([1], [1]).alignment
    )
    wanted = cd.HardMeet.from_rows([0, 1, 1], [0, 1, 2], [3, many, 5], [many, 1, 1])
    assert found == wanted
    assert found.objects == 4 * many + 5
    for name in cd.compare([1], [1]).measures:
        assert cd.measure(name).of(found) == cd.measure(name).of(wanted), name


def test_shapes_of_huge_clusters_are_found_on_the_device() -> None:
    """Three sizes of 22 bits and more do not fit a key."""
    big = 2**40
    conflict = there.Conflict(
        *map(torch.tensor, ([big, 5, 7], [0, 0, 1], [0, 1, 1], [big + 5] * 2 + [7], [big, 12, 12]))
    )
    cells = there.DeviceCells(np.zeros(0, np.int64), np.zeros(0, np.int64), conflict)
    found = TensorMeet(cells, cd.meet([1], [1]).alignment)
    wanted = cd.HardMeet.from_rows([0, 0, 1], [0, 1, 1], [big, 5, 7])
    for column in ("both", "truth_size", "guess_size", "times"):
        assert getattr(found.shapes, column).tolist() == getattr(wanted.shapes, column).tolist()


def test_labels_are_counted_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(there, "PART", 100)
    truth, guess = thrown(1234, 50)
    both_ways(lambda m: m(truth), lambda m: m(guess))


def test_more_than_pytorch_numbers_are_compared_in_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(there, "LONGEST", 5)
    truth, guess = thrown(300, 20)
    both_ways(lambda m: m(truth), lambda m: m(guess))
    both_ways(lambda m: m(truth), lambda m: m(guess), noise=2)
    both_ways(lambda m: m(EXTREMES), lambda m: m(EXTREMES[::-1].copy()))
    with on_device():
        sides = torch.as_tensor(truth), torch.as_tensor(guess)
        assert isinstance(cd.meet(*sides), TensorMeet)
        assert not isinstance(cd.meet(*sides, noise=2), TensorMeet)


def test_large_meets_have_their_digest_found_on_the_device(monkeypatch: pytest.MonkeyPatch) -> None:
    truth, guess = thrown(3000, 600)
    for module in (digest, meet, sys.modules["clusterdiff.contingency.digest"]):
        monkeypatch.setattr(module, "LARGE", 100)
    for module in (digest, meet):
        monkeypatch.setattr(module, "WORK", 5000)
    wanted = cd.meet(truth, guess)
    with on_device():
        found = cd.meet(torch.as_tensor(truth), torch.as_tensor(guess))
    assert found.digest == wanted.digest
    assert "in_memory" not in vars(found)
    swapped = cd.meet(guess, truth)
    assert found.swap().digest == swapped.digest != wanted.digest


def test_default_scores_leave_rows_and_labels_on_the_device(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fetched(*_: Any) -> Any:
        raise AssertionError("came into memory")

    monkeypatch.setattr(there.DeviceCells, "columns", fetched)
    monkeypatch.setattr(TensorColumn, "values", property(fetched))
    monkeypatch.setattr(TensorColumn, "keys", property(fetched))
    truth, guess = thrown(3000, 600)
    with on_device():
        sides = [torch.as_tensor(side) for side in (truth, guess)]
        ids = torch.arange(3000)
        report = cd.compare(*sides)
        cd.compare(cd.Partition(sides[0], ids=ids), cd.Partition(sides[1], ids=ids.flip(0)))
        cd.compare(*sides, noise=3)
        assert repr(cd.meet(*sides)) == repr(report["elm_f"].meet)
        assert str(report)
        assert repr(cd.Partition(sides[0])).startswith("Partition(3,000 objects in 5")
        with pytest.raises(AssertionError, match="came into memory"):
            cd.accuracy(*sides)


def test_measures_that_need_rows_get_them() -> None:
    truth, guess = thrown(300, 20)
    plain = [m for m in cd.measures() if "measure" not in m.defaults]
    names = [m for m in plain if m.needs & {"shapes", "rows"}]
    wanted = cd.meet(truth, guess)
    with on_device():
        found = cd.meet(torch.as_tensor(truth), torch.as_tensor(guess))
    assert isinstance(found, TensorMeet)
    for m in names:
        assert m.of(found) == m.of(wanted), m
    for variant in ("split_merge(combine='mean')", "adjusted(bcubed_precision)", "transport(rand)"):
        assert cd.measure(variant).of(found) == cd.measure(variant).of(wanted)
    parts = cd.split_merge(similarity=lambda sizes: 1 / len(sizes))
    assert parts.of(found) == parts.of(wanted)


def test_a_wrong_split_merge_on_the_device_would_be_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    truth, guess = thrown(3000, 600)
    wanted = cd.split_merge(truth, guess)
    monkeypatch.setattr(there, "group_sums", lambda groups, terms, size, _: torch.ones(size))
    with on_device():
        assert cd.split_merge(torch.as_tensor(truth), torch.as_tensor(guess)) != wanted


def test_meets_of_tensors_are_meets() -> None:
    truth, guess = thrown(300, 20)
    wanted: Any = cd.meet(truth, guess)
    with on_device():
        found: Any = cd.meet(torch.as_tensor(truth), torch.as_tensor(guess))
    assert found == wanted
    assert wanted == found
    assert hash(found) == hash(wanted)
    assert found != cd.meet(guess, guess)
    assert found != 1
    again = pickle.loads(pickle.dumps(found))
    assert type(again) is cd.HardMeet
    assert again == found
    assert found + found == wanted + wanted
    assert found.swap() == wanted.swap()
    assert found.swap().clusters == wanted.swap().clusters
    assert found.components == wanted.components
    assert repr(found) == repr(wanted)
    cover = cd.meet(cd.Cover([[1]]), cd.Cover([[1]]))
    assert (found + cover).objects == 301
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        found.nothing  # noqa: B018


def test_one_side_in_memory_is_sent_to_the_device() -> None:
    truth, guess = thrown(300, 20)
    wanted = said(lambda: cd.compare(truth, guess))
    names = np.array([f"c{label}" for label in truth])
    with on_device():
        tensor = torch.as_tensor(guess)
        assert said(lambda: cd.compare(truth, tensor)) == wanted
        assert said(lambda: cd.compare(truth.tolist(), tensor)) == wanted
        assert said(lambda: cd.compare(names, tensor)) == wanted
        assert isinstance(cd.meet(names, tensor), TensorMeet)
        ids = [f"o{i}" for i in range(300)]
        sides = cd.Partition(truth, ids=ids), cd.Partition(tensor.flip(0), ids=ids[::-1])
        assert said(lambda: cd.compare(*sides)) == wanted
        two = cd.compare(truth, {"a": tensor, "b": guess})
        assert two["elm_f"]["a"].value == two["elm_f"]["b"].value


def test_repeated_ids() -> None:
    labels, ids = np.array([1, 1, 2]), np.array([5, 5, 6])
    other = np.array([1, 2])

    def left(made: Any) -> Any:
        return cd.Partition(made(labels), ids=made(ids))

    both_ways(left, lambda m: cd.Partition(m(other), ids=m(np.array([5, 6]))))
    with on_device(), pytest.raises(cd.ClusterdiffError, match="different clusters|5"):
        cd.Partition(torch.tensor([1, 2]), ids=torch.tensor([5, 5]))


def test_every_verb_takes_tensors_that_stay() -> None:
    truth, guess = thrown(60, 6)
    where = np.arange(60) % 3
    with on_device():
        t, g, s = (torch.as_tensor(side) for side in (truth, guess, where))
        assert str(cd.explain(t, g)) == str(cd.explain(truth, guess))
        assert str(cd.objects(t, g)) == str(cd.objects(truth, guess))
        assert str(cd.compare(t, g, samples=s)) == str(cd.compare(truth, guess, samples=where))
        assert repr(cd.Partition(t)) == repr(cd.Partition(truth))
        assert str(cd.matrix({"a": t, "b": g})) == str(cd.matrix({"a": truth, "b": guess}))
        degrees = torch.nn.functional.one_hot(t).double()
        assert cd.rand_alpha(cd.Fuzzy(degrees), g) == cd.rand_alpha(
            cd.Fuzzy(degrees.numpy()), guess
        )
        assert cd.Evidential(degrees, [[i] for i in range(degrees.shape[1])])
        assert cd.omega(degrees, degrees) == 1.0
        assert cd.compare(t, degrees, kind=("partition", "fuzzy"), measures="rand_alpha")


def test_memory_of_the_host_is_shared() -> None:
    tensor = torch.arange(10)
    labels = cd.Partition(tensor).labels
    assert np.shares_memory(labels.keys, tensor.numpy())
    assert labels.keys.ctypes.data == tensor.data_ptr()
    grown = torch.arange(10.0, dtype=torch.float64, requires_grad=True)
    assert np.shares_memory(cd.Partition(grown).labels.values, grown.detach().numpy())
    with on_device():
        kept: Any = cd.Partition(tensor, ids=tensor)
        assert kept.labels.tensor.data_ptr() == kept.ids.tensor.data_ptr() == tensor.data_ptr()


class Card:
    """An array of another library on a card, handed over by DLPack."""

    def __init__(self, tensor: Any) -> None:
        self.tensor, self.shape, self.ndim = tensor, tuple(tensor.shape), tensor.ndim

    dtype = property(lambda self: self.tensor.dtype)

    def __len__(self) -> int:
        return len(self.tensor)

    def __dlpack__(self, **how: Any) -> Any:
        return self.tensor.__dlpack__(**how)

    def __dlpack_device__(self) -> Any:
        return self.tensor.__dlpack_device__()


def test_arrays_of_other_libraries_are_handed_over() -> None:
    tensor = torch.tensor([0, 0, 1, 1])
    with on_device():
        labels = cd.Partition(Card(tensor)).labels
        assert isinstance(labels, TensorColumn)
        assert labels.tensor.data_ptr() == tensor.data_ptr()
        assert cd.rand(Card(tensor), Card(tensor)) == 1.0
    assert cd.rand(Card(tensor), Card(tensor)) == 1.0


def test_jax_arrays() -> None:
    numbers = pytest.importorskip("jax.numpy")
    truth, guess = [0, 0, 1, 1, 2], [0, 0, 0, 1, 1]
    assert cd.rand(numbers.array(truth), numbers.array(guess)) == cd.rand(truth, guess)
    with on_device():
        assert cd.rand(numbers.array(truth), numbers.array(guess)) == cd.rand(truth, guess)


def test_devices_are_named() -> None:
    assert tensors.device_of(torch.zeros(2)) == "cpu" == tensors.device_of([1])
    assert tensors.device_of(torch.zeros(2, device="meta")) == "meta"

    class Managed:
        shape = (2,)

        def __dlpack_device__(self) -> tuple[int, int]:
            return (13, 1)

    assert tensors.device_of(Managed()) == "cuda:1"
    assert tensors.stays(Managed())


def test_devices_without_a_backend_are_refused() -> None:
    for call in (
        lambda: cd.rand(torch.zeros(2, device="meta"), [1, 2]),
        lambda: cd.Fuzzy(torch.zeros((2, 2), device="meta")),
        lambda: cd.Partition([1, 2], ids=torch.zeros(2, device="meta")),
    ):
        refuses("shape and no values", call)


def test_two_devices_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with on_device():
        sides = [cd.Partition(torch.tensor([1, 2])) for _ in range(2)]
    monkeypatch.setattr(
        TensorColumn, "device", property(lambda self: f"cuda:{int(self is sides[1].labels)}")
    )
    wanted = r"truth is on cuda:0 and guess on cuda:1(.|\n)*guess.to\('cuda:0'\)"
    refuses(wanted, cd.meet, *sides)


def test_memory_of_the_device_that_is_not_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    def spent(*_: Any, **__: Any) -> Any:
        raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 8.00 GiB.")

    monkeypatch.setattr(torch.cuda, "empty_cache", lambda: None)
    monkeypatch.setattr(there, "free_memory", lambda _: 2 * 10**9)
    monkeypatch.setattr(there, "distinct", spent)
    wanted = (
        r"2 objects on cpu takes about 96 bytes there(.|\n)*2\.0 GB are free(.|\n)*truth\.cpu\(\)"
    )
    with on_device(), pytest.raises(cd.ClusterdiffError, match=wanted):
        cd.compare(torch.tensor([1, 2]), torch.tensor([1, 2]))


def test_shapes_of_tensors_that_are_no_labels() -> None:
    with on_device():
        for wrong in (torch.tensor(3), torch.zeros((2, 2))):
            refuses("dimension|shape|one per object", cd.rand, wrong, wrong)
        with pytest.warns(cd.ClusterdiffWarning, match="3 times True or False"):
            assert cd.rand(torch.tensor([True, True, False]), torch.tensor([1, 1, 0])) == 1.0
        sparse = torch.tensor([1.0, 2.0]).to_sparse()
        refuses(r"values\.to_dense\(\)", cd.rand, sparse, [1, 2])
        refuses(None, cd.rand, torch.tensor([]), torch.tensor([]))


BLOCKED = """
import sys

class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {wanted!r}:
            raise ModuleNotFoundError(name)

sys.meta_path.insert(0, Missing())
"""
WITHOUT = """
import torch, clusterdiff as cd
from clusterdiff.clusterings import arrays as tensors
tensors.DEVICES.add("cpu")
truth = torch.arange(250_000) // 3
guess = torch.where(truth % 7 == 0, truth + 1, truth)
report = cd.compare(truth, guess)
print(report, report["nmi"].signature, report["nmi"].meet)
"""


def ran(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert not done.returncode, done.stderr
    return done.stdout


def test_labels_on_a_device_need_numpy_scipy_and_torch_alone() -> None:
    missing = {"duckdb", "pyarrow", "numba", "narwhals", "rich", "typer", "pandas", "polars"}
    assert "250,000 objects" in ran(BLOCKED.format(wanted=missing) + WITHOUT)


def test_torch_is_imported_by_its_tensors_alone() -> None:
    code = (
        "import sys, clusterdiff as cd, numpy as np; cd.compare(np.arange(3), [1, 2, 2]);"
        "cd.Accumulator().update([1], [1]); cd.Fuzzy([[1.0]]); print('torch' in sys.modules)"
    )
    assert ran(code) == "False\n"


def test_gradients_are_left_behind() -> None:
    grown = torch.tensor([0.0, 0.0, 1.0], requires_grad=True)
    for _ in range(2):
        assert cd.rand(grown, torch.tensor([4, 4, 5])) == 1.0
        tensors.DEVICES.add("cpu")
    tensors.DEVICES.discard("cpu")


def test_the_benchmark(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.syspath_prepend(str(Path(__file__).parents[2]))
    gpu = import_module("bench.gpu")
    monkeypatch.setattr(gpu, "CHECKED", 500)
    monkeypatch.setattr(tensors, "DEVICES", {"cuda"})
    assert "to the bit" in gpu.equal_to_arrays(gpu.Device("cpu"))
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    gpu.main([])
    assert "There is no graphics card here" in capsys.readouterr().out


def test_parts_of_the_engine() -> None:
    values = [3.5, -2.25, 1e300, 2.0**-1000, 0.0, 1e-5, -1e300]
    total, power = there.exact_total(torch.tensor(values, dtype=torch.float64))
    assert total * Fraction(2) ** power == sum(map(Fraction, values))
    words = RNG.integers(0, 2**63, 100).astype(np.uint64) * np.uint64(3)
    mixed = there.mixed(torch.as_tensor(words.view(np.int64))).numpy().view(np.uint64)
    assert (mixed == mix(words)).all()
    assert there.keys_on("cpu", cd.Partition(["a", "b", "a"]).labels).tolist() == [0, 1, 0]
