"""Arrays of other libraries are read as numbers, or refused in a sentence that says what to call.

What PyTorch, JAX and CuPy do is played by small classes, so that it is tested without them; PyTorch
itself is tried where it is installed.
"""

from __future__ import annotations

import sys
import types
from importlib.util import find_spec
from typing import Any

import numpy as np
import pytest

import clusterdiff as cd
from clusterdiff.clusterings.arrays import _widened, as_numpy
from refusals import refuses

TRUTH, GUESS = [0, 0, 1, 1, 2], [0, 0, 0, 1, 1]
RAND = 0.6  # of ten pairs two are together in both, four apart in both
CHANCES = [[1.0, 0.0], [0.25, 0.75], [0.25, 0.75]]
MEMBERS = [[1, 0], [1, 1], [0, 1]]


class Array:
    """What all of them have; its elements are arrays again, which are equal to nothing."""

    def __init__(self, values: Any, dtype: Any = None) -> None:
        self.values = np.asarray(values, dtype)

    shape = property(lambda self: self.values.shape)
    ndim = property(lambda self: self.values.ndim)
    dtype = property(lambda self: self.values.dtype)

    def __len__(self) -> int:
        return len(self.values)

    def __iter__(self) -> Any:
        return map(type(self), self.values)


class Jax(Array):
    """An array that NumPy can read."""

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return self.values if dtype is None else self.values.astype(dtype)


class OnlyDlpack(Array):
    """An array that is read by DLPack alone."""

    def __dlpack__(self, **how: Any) -> Any:
        return self.values.__dlpack__(**how)

    def __dlpack_device__(self) -> Any:
        return self.values.__dlpack_device__()


class Tensor(Jax):
    """A tensor as PyTorch has it: it must be detached, and may be of a type that NumPy has not."""

    is_sparse = is_quantized = False
    layout = "torch.strided"

    def __init__(self, values: Any, kind: str = "torch.float32", device: str = "cpu") -> None:
        super().__init__(values)
        self.kind, self.device, self.attached = kind, types.SimpleNamespace(type=device), True

    dtype = property(lambda self: self.kind)

    def detach(self) -> Any:
        plain = type(self)(self.values, self.kind, self.device.type)
        plain.attached = False
        vars(plain).update({k: v for k, v in vars(self).items() if k.startswith("is_")})
        return plain

    def float(self) -> Any:
        plain = type(self)(self.values, "torch.float32", self.device.type)
        plain.attached = self.attached
        return plain

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        if self.attached:
            raise RuntimeError("Can't call numpy() on Tensor that requires grad.")
        if self.device.type != "cpu":
            raise TypeError(f"can't convert {self.device.type}:0 device type tensor to numpy.")
        if self.is_sparse:
            raise TypeError("can't convert Sparse layout tensor to numpy.")
        if self.kind != "torch.float32":
            raise TypeError("Got unsupported ScalarType")
        return super().__array__(dtype)


class CuPy(Jax):
    """An array on a graphics card that does not come into memory by itself."""

    __cuda_array_interface__: dict[str, Any] = {}

    def get(self) -> Any:
        return self.values

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        raise TypeError("Implicit conversion to a NumPy array is not allowed. Please use `.get()`")


FAKES = [Jax, OnlyDlpack, Tensor]


def in_torch(values: Any) -> Any:
    import torch

    return torch.tensor(values)


def with_gradients(values: Any) -> Any:
    return in_torch(values).requires_grad_()


LIBRARIES: dict[str, Any] = dict(zip(("array", "dlpack", "tensor"), FAKES, strict=True))
"""The classes above, and PyTorch where it is: it is imported by the tests alone."""
if find_spec("torch"):
    LIBRARIES |= {"torch": in_torch, "torch with gradients": with_gradients}


@pytest.fixture(params=LIBRARIES.values(), ids=[*LIBRARIES])
def array(request: pytest.FixtureRequest) -> Any:
    """Makes an array of floating-point numbers of another library."""
    return lambda values: request.param(np.asarray(values, np.float64).tolist())


def test_labels_in_one_array(array: Any) -> None:
    assert cd.rand(array(TRUTH), array(GUESS)) == RAND
    assert cd.rand(array(TRUTH), GUESS) == RAND


def test_labels_that_are_arrays_without_dimensions(array: Any) -> None:
    truth, guess = [array(x) for x in TRUTH], [array(x) for x in GUESS]
    assert cd.rand(truth, guess) == RAND
    assert cd.rand(dict(enumerate(truth)), dict(enumerate(guess))) == RAND
    assert cd.compare(dict(enumerate(truth)), dict(enumerate(guess)), "rand")["rand"].value == RAND
    boxed = np.empty(5, object)
    for i, label in enumerate(truth):
        boxed[i] = label
    assert cd.rand(boxed, guess) == RAND
    assert cd.rand(np.array(TRUTH), [np.array(x) for x in GUESS]) == RAND


def test_ids_and_samples(array: Any) -> None:
    made = cd.Partition(["a", "b"], ids=array([7, 9]), samples=array([1, 2]))
    assert made.ids is not None
    assert made.samples is not None
    assert made.ids.tolist() == [7, 9]
    assert made.samples.tolist() == [1, 2]
    scores = cd.compare(TRUTH, GUESS, "rand", samples=array([0, 0, 0, 1, 1]))["rand"]
    assert scores.each == (1 / 3, 0.0)
    by_id = {i: array(s) for i, s in enumerate([0, 0, 0, 1, 1])}
    pair = dict(enumerate(TRUTH)), dict(enumerate(GUESS))
    assert cd.compare(*pair, "rand", samples=by_id)["rand"].each == (1 / 3, 0.0)


def test_several_guesses(array: Any) -> None:
    guesses = {"same": array(TRUTH), "other": array(GUESS)}
    scores = cd.compare(TRUTH, guesses, "rand")["rand"]
    assert {name: score.value for name, score in scores.items()} == {"same": 1, "other": RAND}


def test_noise_and_features(array: Any) -> None:
    assert cd.rand([0, 0, 1], [0, 0, 0], noise=array(0)) == cd.rand([5, 6, 1], [7, 8, 9])
    assert cd.rand([0, 0, 1], [0, 0, 0], noise=array([0, 1])) == 1
    points = [[0.0], [1.0], [2.0]]
    for features in (array(points), [array(point) for point in points]):
        made = cd.meet([0, 0, 1], [0, 0, 0], features=features)
        assert isinstance(made, cd.HardMeet)
        assert made.features is not None
        assert made.features.mean.ravel().tolist() == [0.5, 2.0]


def test_a_matrix_is_a_matrix(array: Any) -> None:
    refuses(r"this array has the shape \(3, 2\)", cd.rand, array(MEMBERS), [1, 2, 3])
    refuses(r"this array is a single number", cd.rand, array(3), array(3))
    plain = np.array(MEMBERS)
    for kind in ("cover", "possibilistic"):
        assert cd.meet(array(MEMBERS), plain, kind=kind) == cd.meet(plain, plain, kind=kind)
    chances = np.array(CHANCES)
    assert cd.meet(array(CHANCES), chances, kind="fuzzy") == cd.meet(chances, chances, kind="fuzzy")


@pytest.mark.parametrize("library", ["numpy", "torch"])
def test_a_mask_is_taken_as_labels_with_a_warning(library: str) -> None:
    mask = pytest.importorskip(library).asarray([True, False, True, True])
    with pytest.warns(cd.ClusterdiffWarning, match="4 times True or False") as caught:
        made = cd.Partition(mask)
    assert made.labels.tolist() == [1, 0, 1, 1]
    assert "labels[mask]" in str(caught[0].message)
    assert caught[0].filename == __file__
    assert cd.Partition([True, False]).labels.tolist() == [1, 0]


def test_covers(array: Any) -> None:
    for made in (
        cd.Cover(array(MEMBERS)),
        cd.Cover([array([0]), array([0, 1]), array([1])]),
        cd.Cover([[array(0)], [array(0), array(1)], [array(1)]]),
        cd.Cover.from_rows([0, 1, 1, 2], array([0, 0, 1, 1])),
        cd.Cover.from_rows([0, 1, 2], [array([0]), array([0, 1]), array([1])]),
    ):
        assert made.labels.tolist() == [0, 1]
        assert made.sets.size[made.code].tolist() == [1, 2, 1]
    clusters = cd.Cover.from_clusters([array([5, 6]), array([6, 7])], objects=array([7, 8]))
    assert clusters.ids is not None
    assert clusters.ids.tolist() == [5, 6, 7, 8]


def test_degrees_and_masses(array: Any) -> None:
    for made in (
        cd.Fuzzy(array(CHANCES)),
        cd.Fuzzy([array(row) for row in CHANCES]),
        cd.Fuzzy([[array(x) for x in row] for row in CHANCES]),
        cd.Fuzzy([{j: array(x) for j, x in enumerate(row)} for row in CHANCES]),
        cd.Fuzzy.from_rows([0, 1, 1, 2, 2], [0, 0, 1, 0, 1], array([1, 0.25, 0.75, 0.25, 0.75])),
    ):
        assert made.of(1) == {frozenset([0]): 0.25, frozenset([1]): 0.75}
    masses = cd.Evidential(array([[0.5, 0.5]]), focal=[array([3]), array([3, 4])])
    assert masses.of(0) == {frozenset([3]): 0.5, frozenset([3, 4]): 0.5}
    assert cd.Possibilistic(array([[1.0, 0.5]])).possibility(array([1])) == 0.5


def test_numbers_that_numpy_has_not_are_widened() -> None:
    tensor = Tensor([1.5, 1.5, -2.0], "torch.bfloat16")
    assert cd.Partition(tensor).labels.tolist() == [1.5, 1.5, -2.0]
    assert cd.Partition([Tensor(1.5, "torch.float8_e4m3fn")]).labels.tolist() == [1.5]
    wider: list[Any] = []
    for name in ("bfloat16", "int4"):
        own = types.SimpleNamespace(kind="V", type=float, name=name)
        _widened(types.SimpleNamespace(dtype=own, astype=wider.append))
    assert wider == [np.float32, np.int64]


def test_types_that_jax_adds_to_numpy() -> None:
    ml_dtypes = pytest.importorskip("ml_dtypes")
    half = np.array([1.5, 1.5, -2.0], ml_dtypes.bfloat16)
    assert cd.Partition(half).labels.tolist() == [1.5, 1.5, -2.0]
    assert cd.Partition(Jax(half)).labels.tolist() == [1.5, 1.5, -2.0]
    assert cd.Partition(np.array([1, 1, -2], ml_dtypes.int4)).labels.family == "integers"


def marked(**marks: Any) -> Tensor:
    tensor = Tensor([1.0, 2.0])
    vars(tensor).update(marks)
    return tensor


@pytest.mark.parametrize(
    ("given", "why", "hint"),
    [
        (Tensor([1, 2], device="cuda"), "cuda:0 device", r"values\.cpu\(\)"),
        (Tensor([1, 2], device="mps"), "mps:0 device", r"values\.cpu\(\)"),
        (Tensor([1, 2], device="meta"), "meta:0 device", "no values"),
        (marked(is_sparse=True), "Sparse layout", r"values\.to_dense\(\)"),
        (Tensor([1, 2], "torch.complex32"), "unsupported ScalarType", r"np\.asarray\(values\)"),
    ],
    ids=["cuda", "mps", "meta", "sparse", "a type that nobody reads"],
)
def test_arrays_that_cannot_be_read_say_what_to_call(given: Any, why: str, hint: str) -> None:
    wanted = rf"cannot be read as numbers: .*{why}(.|\n)*Hint: .*{hint}"
    for call in (
        lambda: cd.rand(given, [1, 2]),
        lambda: cd.compare([1, 2], {"a": given}),
        lambda: cd.Partition([1, 2], ids=given),
        lambda: cd.Cover(given),
        lambda: cd.Fuzzy(given),
        lambda: cd.rand([1, 2], [1, 2], noise=given),
    ):
        refuses(wanted, call)


def test_arrays_on_a_graphics_card_need_pytorch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    for call in (lambda: cd.rand(CuPy([1, 2]), [1, 2]), lambda: cd.Fuzzy(CuPy(CHANCES))):
        wanted = r"on cuda is compared there by PyTorch(.|\n)*clusterdiff\[gpu\](.|\n)*\.get\(\)"
        refuses(wanted, call)


def test_sparse_and_quantised_tensors_of_pytorch() -> None:
    torch = pytest.importorskip("torch")
    refuses(r"values\.to_dense\(\)", cd.rand, torch.tensor([1.0, 2.0]).to_sparse(), [1, 2])
    refuses("no values", cd.rand, torch.empty(2, device="meta"), [1, 2])
    with pytest.warns(UserWarning, match="deprecated"):
        quantised = torch.quantize_per_tensor(torch.tensor([1.0, 2.0]), 0.1, 0, torch.quint8)
    refuses(r"values\.dequantize\(\)", cd.rand, quantised, [1, 2])
    half = torch.tensor([1.5, 1.5, -2.0], dtype=torch.bfloat16)
    assert cd.Partition(half).labels.tolist() == [1.5, 1.5, -2.0]
    assert cd.Partition(torch.tensor([2**62, 5])).labels.tolist() == [2**62, 5]
    turned = torch.tensor([1 + 1j, 1 + 1j, 2]).conj()
    assert cd.rand(turned, [0, 0, 1]) == cd.rand(turned.imag, [0, 0, 1]) == 1


def test_whatever_is_no_array_stays_as_it_is() -> None:
    pandas = pytest.importorskip("pandas")
    for value in (
        [1],
        (1,),
        "ab",
        {"a": 1},
        pandas.Series([1]),
        pandas.Categorical(["a"]),
        np.int64(1),
    ):
        assert as_numpy(value) is value
    categories = pandas.Series(["a", "a", "b"], dtype=pandas.CategoricalDtype(["z", "b", "a"]))
    assert cd.Partition(categories).labels.tolist() == ["a", "a", "b"]
    assert cd.rand(pandas.array([1, 1, 2], dtype="Int64"), [0, 0, 1]) == 1
    with pytest.raises(cd.ClusterdiffError, match="1 of 3 labels in truth is null"):
        cd.rand(pandas.Series([1, None, 2], dtype="Int64"), [0, 0, 1])
