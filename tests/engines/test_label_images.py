"""Label images: counting by blocks, held against the same pixels as objects one by one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from itertools import combinations, product
from typing import Any

import numpy as np
import pytest

import clusterdiff as cd
from clusterdiff.clusterings import images
from clusterdiff.contingency import Policy
from clusterdiff.engines import images as counting
from clusterdiff.engines.images import ALONE, ImageComparison, counted

DRAW = np.random.default_rng(31)
SHAPES = ((17,), (6, 7), (3, 5, 4), (2, 3, 2, 5), (1, 9), (9, 1))


@pytest.fixture(params=[5, images.BLOCK], autouse=True)
def block(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks so small that images have many of them, and the usual ones."""
    monkeypatch.setattr(images, "BLOCK", request.param)


def drawn(shape: tuple[int, ...], labels: int = 5, runs: int = 3) -> Any:
    """Labels that stand in runs, as in segments."""
    size = int(np.prod(shape))
    values = np.repeat(DRAW.integers(0, labels, size // runs + 1), runs)[:size]
    values[[0, -1]] = labels - 1, 0
    return values.reshape(shape)


def pixels(image: Any, ignore: Any = ()) -> dict[Any, int]:
    """Each pixel that is not background, by its place."""
    return {at: int(label) for at, label in np.ndenumerate(image) if int(label) not in ignore}


@pytest.mark.parametrize("shape", SHAPES)
def test_pairs_of_labels_are_counted(shape: tuple[int, ...]) -> None:
    truth, guess = drawn(shape), drawn(shape, 4, 2)
    found = counted(cd.LabelImage(truth), cd.LabelImage(guess))
    expected = Counter(zip(truth.ravel().tolist(), guess.ravel().tolist(), strict=True))
    rows = zip(found.truth.tolist(), found.guess.tolist(), strict=True)
    assert dict(zip(rows, found.both.tolist(), strict=True)) == expected


@pytest.mark.parametrize("other", [np.uint8, np.int8, np.uint32, np.int64, np.uint64, np.bool_])
@pytest.mark.parametrize("one", [np.int16, np.uint16, np.uint64])
def test_pairs_of_pixels_without_segments_are_counted(one: Any, other: Any) -> None:
    """Labels of any type that move along as the blocks do, and in between far away from others."""
    rise = np.arange(2000) // 100
    truth, guess = (
        DRAW.integers(0, wide, rise.size) + step * rise for wide, step in ((3, 1), (9, 4))
    )
    sides = [truth.astype(one), (guess if other is not np.bool_ else guess % 2).astype(other)]
    if one is np.uint64:
        sides[0] += np.uint64(2**63)
        sides[0][900:910] = 7
    if np.dtype(one).kind == "i":
        sides[0] -= 300
    if other is np.int64:
        sides[1][40] = -(2**62)
    found = counted(*map(cd.LabelImage, sides))
    expected = Counter(zip(*(side.tolist() for side in sides), strict=True))
    signed = [
        (words.view(np.int64) if side.dtype.kind == "i" else words).tolist()
        for words, side in zip((found.truth, found.guess), sides, strict=True)
    ]
    assert dict(zip(zip(*signed, strict=True), found.both.tolist(), strict=True)) == expected
    assert found.both.size == len(expected)


def test_blocks_cover_each_pixel_once() -> None:
    for shape in SHAPES:
        seen = np.zeros(shape, int)
        image = cd.LabelImage(np.arange(seen.size).reshape(shape))
        for start, (labels, same) in image.blocks_with(image):
            key = tuple(slice(a, a + n) for a, n in zip(start, labels.shape, strict=True))
            assert np.array_equal(labels, image.array[key])
            assert np.array_equal(labels, same)
            seen[key] += 1
        assert (seen == 1).all()


def pairs_by_hand(truth: Any, guess: Any) -> tuple[int, int, int]:
    """Pairs of pixels that share a segment, in truth, in guess and in both, one by one."""
    labels = list(zip(truth.ravel().tolist(), guess.ravel().tolist(), strict=True))
    both = [(a == c, b == d) for (a, b), (c, d) in combinations(labels, 2)]
    return sum(t for t, _ in both), sum(g for _, g in both), sum(t and g for t, g in both)


@pytest.mark.parametrize("shape", SHAPES)
def test_pairs_of_pixels(shape: tuple[int, ...]) -> None:
    truth, guess = drawn(shape), drawn(shape)
    in_truth, in_guess, in_both = pairs_by_hand(truth, guess)
    one, other = cd.LabelImage(truth), cd.LabelImage(guess)
    assert cd.pair_recall(one, other) == in_both / in_truth
    assert cd.pair_precision(one, other) == in_both / in_guess


POLICIES: list[tuple[Any, Any, str]] = [
    (truth, guess, align)
    for truth, guess in product([(), (0,), (0, 2), (1,)], repeat=2)
    for align in ("exact", "shared", "singletons", "penalise")
]


@pytest.mark.filterwarnings("ignore:no pixel")
@pytest.mark.parametrize(("truth_ground", "guess_ground", "align"), POLICIES)
def test_background_is_missing_on_its_side(
    truth_ground: Any, guess_ground: Any, align: str
) -> None:
    truth, guess = drawn((5, 8), 4), drawn((5, 8), 4, 2)
    found = cd.meet(
        cd.LabelImage(truth, ignore=truth_ground), cd.LabelImage(guess, ignore=guess_ground),
        align=align,
    )  # fmt: skip
    same = "shared" if align == "exact" else align
    expected = cd.meet(pixels(truth, truth_ground), pixels(guess, guess_ground), align=same)
    assert found == expected
    assert found.objects == expected.objects
    if align != "exact":
        for count in ("only_truth", "only_guess"):
            assert getattr(found.alignment, count) == getattr(expected.alignment, count)


@pytest.mark.parametrize("noise_as", ["singletons", "drop"])
@pytest.mark.parametrize("noise", [0, [0, 3]])
def test_noise(noise: Any, noise_as: str) -> None:
    truth, guess = drawn((5, 8), 9), drawn((5, 8), 9, 2)
    how: dict[str, Any] = {"noise": noise, "noise_as": noise_as}
    found = cd.meet(cd.LabelImage(truth), cd.LabelImage(guess), **how)
    expected = cd.meet(pixels(truth), pixels(guess), **how)
    assert found == expected
    assert found.alignment.noise == expected.alignment.noise


@pytest.mark.filterwarnings("ignore:no pixel")
@pytest.mark.parametrize("ignore", [None, 0])
def test_slices_of_a_stack_are_samples(ignore: Any) -> None:
    truth, guess = drawn((12, 3, 4)), drawn((12, 3, 4))
    for one, other in ((True, True), (True, False), (False, True)):
        sides = (
            cd.LabelImage(truth, stack=one, ignore=ignore), cd.LabelImage(guess, stack=other),
        )  # fmt: skip
        found = cd.compare(*sides, ["pair_f", "elm_f"], confidence=0.95)
        pairs = [
            (pixels(t, () if ignore is None else (0,)), pixels(g))
            for t, g in zip(truth, guess, strict=True)
        ]
        align = "exact" if ignore is None else "shared"
        expected = cd.compare(
            samples=pairs, measures=["pair_f", "elm_f"], confidence=0.95, align=align
        )
        for measure in ("pair_f", "elm_f"):
            assert found[measure].each == expected[measure].each
            assert found[measure].micro == expected[measure].micro
            assert found[measure].ci.low == expected[measure].ci.low
    images = [(cd.LabelImage(t), cd.LabelImage(g)) for t, g in zip(truth, guess, strict=True)]
    apart = cd.compare(samples=images, measures="elm_f", ignore=ignore)
    assert apart["elm_f"].each == found["elm_f"].each


# Arrays as they come: none may change a number.

WORDS = np.array([[0, 2**63 + 5, 7], [2**64 - 1, 2**63 + 5, 7]], np.uint64)
PLAIN = np.array([[0, 3, 7], [9, 3, 7]])


def torch_array(array: Any) -> Any:
    torch = pytest.importorskip("torch")
    return torch.from_numpy(array.astype(np.int64))


def zarr_array(array: Any) -> Any:
    zarr = pytest.importorskip("zarr")
    made = zarr.create_array({}, shape=array.shape, chunks=(2, 2), dtype=array.dtype)
    made[:] = array
    return made


FORMS: dict[str, Callable[[Any], Any]] = {
    "big endian": lambda a: a.astype(">u4"),
    "Fortran order": np.asfortranarray,
    "strided": lambda a: np.repeat(np.repeat(a, 2, 0), 3, 1)[::2, ::3],
    "turned": lambda a: a[::-1, ::-1].copy()[::-1, ::-1],
    "transposed": lambda a: np.ascontiguousarray(a.T).T,
    "small": lambda a: a.astype(np.uint8),
    "floats that are whole": lambda a: a.astype(np.float32),
    "read-only": lambda a: np.frombuffer(a.tobytes(), a.dtype).reshape(a.shape),
    "lists": lambda a: a.tolist(),
    "torch": torch_array,
    "zarr": zarr_array,
}


@pytest.mark.parametrize("form", FORMS)
def test_forms_of_arrays(form: str) -> None:
    truth, guess = drawn((6, 10)), drawn((6, 10))
    expected = cd.meet(pixels(truth), pixels(guess))
    changed = FORMS[form](truth)
    assert cd.meet(cd.LabelImage(changed), cd.LabelImage(guess)) == expected
    assert cd.meet(cd.LabelImage(guess), cd.LabelImage(changed)) == expected.swap()
    if form != "lists" and "floats" not in form:
        assert cd.meet(changed, guess) == expected


def test_labels_of_64_bits() -> None:
    image, plain = cd.LabelImage(WORDS), cd.LabelImage(PLAIN)
    assert cd.adjusted_rand(image, plain) == 1
    table = cd.contingency(image, plain)
    assert sorted(table.truth) == sorted(set(WORDS.ravel().tolist()))
    ignored = cd.LabelImage(WORDS, ignore=2**64 - 1)
    assert cd.meet(ignored, plain).objects == 5
    far = np.where(WORDS > 2**63, WORDS, np.uint64(1))
    assert cd.meet(cd.LabelImage(far), image).objects == 6


def test_masks_of_true_and_false() -> None:
    truth, guess = drawn((4, 9), 2) > 0, drawn((4, 9), 2) > 0
    expected = cd.meet(pixels(truth), pixels(guess))
    assert cd.meet(cd.LabelImage(truth), cd.LabelImage(guess)) == expected
    assert cd.meet(cd.LabelImage(truth), cd.LabelImage(guess.astype(np.int8))) == expected
    assert cd.meet(np.stack([truth] * 3), np.stack([guess] * 3)).objects == 3 * 36


def test_files_in_memory_maps_are_not_changed(tmp_path: Any) -> None:
    truth, guess = drawn((40, 30)), drawn((40, 30))
    for mode in ("r", "r+", "c"):
        np.save(tmp_path / "truth.npy", truth)
        mapped = np.load(tmp_path / "truth.npy", mmap_mode=mode)
        expected = truth.copy()
        if mode != "r":
            mapped[0] = expected[0] = 4
        assert cd.meet(mapped, guess) == cd.meet(pixels(expected), pixels(guess))
        assert np.array_equal(mapped, expected)


# What is refused, and what is said.

IMAGE = np.array([[0, 1, 1], [2, 2, 0]])


def explained(*given: Any) -> Any:
    return cd.explain(*given)


REFUSED: dict[str, tuple[Callable[[], Any], str]] = {
    "shapes": (lambda: cd.compare(IMAGE, np.tile(IMAGE[1:], (3, 1))), "of 2 x 3 pixels and"),
    "turned": (lambda: cd.compare(IMAGE, IMAGE.T), "axes are in another order: guess.T"),
    "moved": (lambda: cd.compare(IMAGE[None] + 1, IMAGE[:, None] + 1), "squeeze"),
    "no image": (lambda: cd.compare(IMAGE, IMAGE.ravel()), "guess is no label image, but 6"),
    "no truth": (lambda: cd.compare(list("aabbcc"), IMAGE), "truth is no label image, but 6"),
    "negative": (lambda: cd.compare(IMAGE - 1, IMAGE), r"2 pixels with negative labels \(-1\)"),
    "fractions": (lambda: cd.compare(cd.LabelImage(IMAGE / 4), IMAGE), "holds 0.25; labels"),
    "NaN": (lambda: cd.compare(cd.LabelImage(IMAGE * np.nan), IMAGE), "holds nan"),
    "floats": (lambda: cd.compare(IMAGE * 1.0, IMAGE), "one per object|no label image"),
    "zeros and ones": (lambda: cd.compare(IMAGE > 0, IMAGE), "zeros and ones can be a label image"),
    "empty": (lambda: cd.LabelImage(np.zeros((0, 4), int)), "no pixels to compare"),
    "a number": (lambda: cd.LabelImage(np.int64(3)), "a single number"),
    "text": (lambda: cd.LabelImage(IMAGE.astype(str)), "this array holds <U21"),
    "ragged": (lambda: cd.LabelImage([[1], [2, 3]]), "a list is not a label image"),
    "ignored text": (lambda: cd.LabelImage(IMAGE, ignore="a"), "'a' is none"),
    "ignored half": (lambda: cd.LabelImage(IMAGE, ignore=[0, 0.5]), "0.5 is none"),
    "a stack of pixels": (lambda: cd.LabelImage([1, 2], stack=True), "list of images"),
    "all background": (
        lambda: cd.compare(IMAGE, IMAGE, ignore=[0, 1, 2]), "are background .0, 1, 2.*nothing",
    ),
    "all noise": (lambda: cd.rand(IMAGE, IMAGE, noise=[0, 1, 2], noise_as="drop"), "noise"),
    "pixels as units": (
        lambda: cd.compare(IMAGE, IMAGE, confidence=0.95, units="objects"), "not independent",
    ),
    "pixels as units of explain": (
        lambda: cd.explain(IMAGE, IMAGE, confidence=0.95, units="objects"), "not independent",
    ),
    "background of lists": (lambda: cd.compare([0, 1], [0, 1], ignore=0), "these are none"),
    "whose background": (lambda: cd.compare(IMAGE, IMAGE, ignore_in="guess"), "not in 'guess'"),
    "features": (lambda: cd.compare(IMAGE, IMAGE, features=IMAGE), "together with label images"),
    "each pixel": (
        lambda: cd.diff(cd.LabelImage(IMAGE, ignore=0), IMAGE, IMAGE), "each pixel is an object",
    ),
    "a pixel by name": (lambda: cd.explain(IMAGE, IMAGE[::-1]).object(3), "one by one"),
    "slices": (lambda: explained(IMAGE, IMAGE[::-1]).slices(), "nothing to slice by"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused(name: str) -> None:
    call, said = REFUSED[name]
    with pytest.raises(cd.ClusterdiffError, match=said) as caught:
        call()
    assert caught.value.hint


def test_too_many_pixels_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    assert ALONE > 1000
    monkeypatch.setattr("clusterdiff.engines.images.ALONE", 1)
    with pytest.raises(cd.ClusterdiffError, match="2 pixels would each become a segment"):
        cd.rand(IMAGE, IMAGE, noise=0)


def test_too_many_pixels_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(images, "WHOLE", 5)
    with pytest.raises(cd.ClusterdiffError, match="too many to be taken one by one"):
        cd.diff(IMAGE, IMAGE, IMAGE)
    assert cd.rand(IMAGE, IMAGE) == 1


def test_background_that_is_not_there() -> None:
    with pytest.warns(cd.ClusterdiffWarning, match="no pixel of truth has the label 7"):
        cd.compare(IMAGE, IMAGE, "rand", ignore=7)


def header(*given: Any, **options: Any) -> str:
    return " ".join(str(cd.compare(*given, "rand", **options)).split())


def test_it_is_said_what_was_read() -> None:
    assert "read as label images of 2 x 3 pixels; no label is background" in header(IMAGE, IMAGE)
    told = header(IMAGE, IMAGE, ignore=0)
    assert "background is 0 of truth, 2 are left out" in told
    both = header(IMAGE, IMAGE[:, ::-1], ignore=[0, 2], ignore_in="both")
    assert "background is 0 and 2 of truth and 0 and 2 of guess, 5 are left out" in both
    stack = np.stack([IMAGE, IMAGE])
    told = header(cd.LabelImage(stack, stack=True), stack)
    assert "read as stacks of 2 label images of 2 x 3, each a sample" in told
    assert "of 2 x 2 x 3 voxels" in header(stack, stack)
    assert "floating-point labels, all of them" in header(cd.LabelImage(IMAGE * 1.0), IMAGE)


def signatures(*given: Any, **options: Any) -> Iterator[Any]:
    for score in cd.compare(*given, "rand", **options).scores.values():
        yield from (one.signature["read"] for one in score.values())


def test_signatures_name_the_background() -> None:
    assert list(signatures(IMAGE, IMAGE)) == ["image 2x3"]
    assert list(signatures(IMAGE, IMAGE, ignore=0)) == ["image 2x3, ignore 0 of truth"]
    both = list(signatures(IMAGE, IMAGE, ignore=0, ignore_in="both"))
    assert both == ["image 2x3, ignore 0 of truth, ignore 0 of guess"]


def test_memberships_are_still_memberships() -> None:
    matrix = np.array([[1, 0], [1, 1], [0, 1]])
    assert cd.omega(matrix, matrix, kind="cover") == 1
    with pytest.raises(cd.ClusterdiffError, match="one per object"):
        cd.rand(np.array([[1], [2]]), np.array([[1], [2]]))


# Several guesses, explanations and tables.


def test_guesses_are_judged_on_the_same_pixels() -> None:
    truth, one, other = (drawn((6, 8), 4) for _ in range(3))
    report = cd.compare(truth, {"one": one, "other": other}, "pair_f", ignore=0, ignore_in="both")
    for name, guess in (("one", one), ("other", other)):
        kept = (truth > 0) & (one > 0) & (other > 0)
        assert report["pair_f"][name].value == cd.pair_f(truth[kept], guess[kept])
    single = cd.compare(truth, {"one": one, "other": other}, "pair_f", ignore=0)
    assert single["pair_f"]["one"].value == cd.pair_f(truth, one, ignore=0)
    dropped = cd.compare(truth, {"one": one, "other": other}, "pair_f", noise=0, noise_as="drop")
    assert dropped["pair_f"]["other"].value == report["pair_f"]["other"].value
    with pytest.raises(cd.ClusterdiffError, match="one guess at a time"):
        cd.compare(truth, {"a": one, "b": other}, ignore=0, ignore_in="both", align="singletons")


def tiles(marked: tuple[int, ...] = ()) -> Any:
    """An image of 40 tiles that share no label, some pixels of which have these labels instead."""
    made = 10 + 5 * np.arange(40).repeat(30).reshape(30, 40) + DRAW.integers(0, 4, (30, 40))
    for label in marked:
        made[DRAW.random(made.shape) < 0.1] = label
    return made


def numbers(report: Any, measure: str) -> tuple[float, ...]:
    """The difference of two guesses that was tested, with its interval and its p-value."""
    change = report.difference(measure, "b", "a")
    assert change.tested, change.refused
    told = change.to_dict()
    return tuple(told[key] for key in ("value", "low", "high", "se", "p"))


ONE_BY_ONE: dict[str, Any] = {"noise": [0, 1], "noise_as": "drop"}
DIFFERENCES: dict[str, tuple[dict[str, Any], dict[str, Any], tuple[int, ...]]] = {
    "no background": ({}, {}, ()),
    "background of both": ({"ignore": (0, 1), "ignore_in": "both"}, ONE_BY_ONE, (0, 1)),
    "noise": ({"noise": 1}, {"noise": 1}, (1,)),
    "background and noise": (
        {"ignore": 0, "ignore_in": "both", "noise": 1, "noise_as": "drop"}, ONE_BY_ONE, (0, 1),
    ),
    "background and single pixels": (
        {"ignore": 0, "ignore_in": "both", "noise": 1}, {"noise": 1}, (0, 1),
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", DIFFERENCES)
def test_differences_of_images_are_those_of_pixels(
    case: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where background is left out, and with tables that are added up block by block."""
    monkeypatch.setattr(counting, "ROWS", 150)
    how, flat_how, marked = DIFFERENCES[case]
    truth, *both = (tiles(marked) for _ in range(3))
    kept = np.ones(truth.shape, np.bool_)
    if case == "background and single pixels":
        kept = (truth != 0) & (both[0] != 0) & (both[1] != 0)
    found, flat = (
        cd.compare(t, {"a": a, "b": b}, "pair_f,elm_f", confidence=0.95, **options)
        for (t, a, b), options in (
            ((truth, *both), how),
            ([side[kept] for side in (truth, *both)], flat_how),
        )
    )
    assert numbers(found, "elm_f") == pytest.approx(numbers(flat, "elm_f"), rel=1e-9)
    assert numbers(found, "pair_f") == pytest.approx(numbers(flat, "pair_f"), rel=1e-9)


def test_differences_with_background_of_truth_are_tested() -> None:
    truth, *both = tiles((0,)), tiles(), tiles()
    seen = [side[truth > 0] for side in (truth, *both)]
    found, flat = (
        cd.compare(t, {"a": a, "b": b}, "pair_f", confidence=0.95, ignore=ignore)
        for (t, a, b), ignore in (((truth, *both), 0), (seen, None))
    )
    assert numbers(found, "pair_f") == pytest.approx(numbers(flat, "pair_f"), rel=1e-9)


def test_penalised_background_is_tested() -> None:
    """Where a guess is judged on its own pixels, those that others miss are missing in it alone."""
    truth, one, other = (tiles((0,)) for _ in range(3))
    given: dict[str, Any] = {"ignore": 0, "ignore_in": "both", "align": "penalise"}
    found = cd.compare(truth, {"a": one, "b": other}, "pair_f", confidence=0.95, **given)
    change = found.difference("pair_f", "b", "a")
    alone = [cd.compare(truth, guess, "pair_f", **given)["pair_f"].value for guess in (one, other)]
    assert change.value == pytest.approx(alone[1] - alone[0], abs=1e-15)
    missing = [{at: label for at, label in np.ndenumerate(side) if label} for side in (one, other)]
    whole = {at: label for at, label in np.ndenumerate(truth) if label}
    flat = cd.compare(
        whole, dict(zip("ab", missing, strict=True)), "pair_f", confidence=0.95, align="penalise"
    )
    assert numbers(found, "pair_f") == pytest.approx(numbers(flat, "pair_f"), rel=1e-9)
    truth[3, :5] = 1
    given |= {"noise": 1, "noise_as": "drop"}
    dropped = cd.compare(truth, {"a": one, "b": other}, "pair_f", confidence=0.95, **given)
    assert "no common table" in str(dropped.difference("pair_f", "b", "a").refused)


@pytest.mark.parametrize("stack", [False, True])
def test_explanations_are_those_of_pixels(stack: bool) -> None:
    truth, guess = drawn((4, 5, 6), 9), drawn((4, 5, 6), 9, 4)
    found: Any = cd.explain(cd.LabelImage(truth, stack=stack), guess, ignore=0)
    kept = truth.ravel() > 0
    samples = np.repeat(np.arange(4), 30)[kept] if stack else None
    flat: Any = cd.explain(truth.ravel()[kept], guess.ravel()[kept], samples=samples)
    one, other = (
        [(p.kind, p.objects, p.loss, p.sample, sorted(c.objects for c in p.cells)) for p in side]
        for side in (found.top(None), flat.top(None))
    )
    assert sorted(map(str, one)) == sorted(map(str, other))
    assert found.summary.outcomes == flat.summary.outcomes
    assert str(found).splitlines()[0] == str(flat).splitlines()[0]


def test_places_of_pixels() -> None:
    truth = np.array([[1, 1, 1, 2], [1, 1, 1, 2]])
    guess = np.array([[1, 1, 3, 2], [1, 1, 3, 2]])
    [part] = cd.explain(truth, guess).top(None)
    places = {(cell.truth.name, cell.guess.name): cell.ids for cell in part.cells}
    assert places == {(1, 1): ["[0,0]", "[0,1]", "[1,0]", "[1,1]"], (1, 3): ["[0,2]", "[1,2]"]}
    assert "2 in 3 ([0,2], [1,2])" in str(cd.explain(truth, guess))
    [part] = cd.explain(cd.LabelImage([truth, truth], stack=True), np.array([guess, truth])).top(
        None
    )
    assert {id for cell in part.cells for id in cell.ids} >= {"[0,2]"}
    assert part.sample == 0


@pytest.mark.parametrize("by", [1, "1", 3])
def test_explanations_around_a_segment(by: Any) -> None:
    truth = np.array([[1, 1, 1, 2, 5, 5]])
    guess = np.array([[1, 1, 3, 2, 4, 5]])
    found: Any = cd.explain(cd.LabelImage(truth), cd.LabelImage(guess)).only(cluster=by)
    assert [part.objects for part in found.top(None)] == [3]
    assert not cd.explain(cd.LabelImage(truth), cd.LabelImage(guess)).only(cluster="x").top()


@pytest.mark.parametrize("top", [2, 3, None])
@pytest.mark.parametrize("align", ["exact", "penalise"])
def test_tables(top: Any, align: str) -> None:
    truth, guess = drawn((7, 9), 6), drawn((7, 9), 6, 2)
    how: dict[str, Any] = {"top": top, "align": align}
    found = cd.contingency(truth, guess, ignore=0, ignore_in="both", **how)
    how["align"] = "shared" if align == "exact" else align
    expected = cd.contingency(pixels(truth, (0,)), pixels(guess, (0,)), **how)
    assert np.array_equal(found.to_numpy(), expected.to_numpy())
    assert (found.truth, found.guess) == (expected.truth, expected.guess)


def test_gates_count_pixels_that_a_guess_leaves_out() -> None:
    truth, guess = cd.LabelImage(IMAGE + 1), cd.LabelImage(IMAGE, ignore=0)
    assert ImageComparison.of(truth, guess, Policy()).lost == (2, 6)
    assert ImageComparison.of(guess, truth, Policy()).lost == (0, 4)


def test_other_verbs_take_pixels_one_by_one() -> None:
    truth, guess = drawn((6, 8)), drawn((6, 8))
    flat = truth.ravel(), guess.ravel()
    assert (
        cd.diff(truth, guess, truth).to_dict()["objects"]
        == (cd.diff(flat[0], flat[1], flat[0]).to_dict()["objects"])
    )
    assert (
        cd.matrix({"a": truth, "b": guess}).to_dict()["values"]
        == (cd.matrix({"a": flat[0], "b": flat[1]}).to_dict()["values"])
    )
    image = cd.LabelImage(truth)
    assert image.take(np.array([0, 1])).labels.tolist() == flat[0][:2].tolist()
    assert repr(cd.LabelImage(truth, ignore=(0, 255), stack=True)) == (
        "LabelImage(6 x 8 pixels, ignore=(0, 255), stack=True)"
    )
    with pytest.raises(AttributeError, match="has no attribute 'label'"):
        _ = image.label
