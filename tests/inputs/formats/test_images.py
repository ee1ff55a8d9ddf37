"""Label images in files: TIFF, Zarr, NIfTI and NumPy, in Python and at the prompt."""

from __future__ import annotations

import gzip
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import clusterdiff as cd
from cli.runner import run
from refusals import refuses

TRUTH = np.array([[1, 1, 2, 2, 0], [3, 3, 2, 2, 0], [3, 3, 300, 4, 4]], np.uint16)
GUESS = np.array([[1, 1, 1, 2, 0], [3, 5, 2, 2, 2], [3, 3, 300, 4, 0]], np.uint16)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    np.save("truth.npy", TRUTH)
    np.save("guess.npy", GUESS)
    return tmp_path


def tiff(name: str, array: Any, **how: Any) -> None:
    pytest.importorskip("tifffile").imwrite(name, array, **how)


def nifti(name: str, array: Any, version: int = 1) -> None:
    nib = pytest.importorskip("nibabel")
    kind = nib.Nifti1Image if version == 1 else nib.Nifti2Image
    nib.save(kind(array, np.eye(4)), name)


def zarrs(name: str, array: Any, inside: str | None = None) -> None:
    zarr = pytest.importorskip("zarr")
    if inside is None:
        made = zarr.create_array(name, shape=array.shape, chunks=(2, 2), dtype=array.dtype)
    else:
        group = zarr.open_group(name, mode="a")
        made = group.create_array(inside, shape=array.shape, chunks=(2, 2), dtype=array.dtype)
    made[:] = array


def written(form: str, name: str, array: Any) -> str:
    """The path of an image in a format."""
    if form.startswith("tiff"):
        how: dict[str, Any] = {
            "tiff big": {"byteorder": ">"},
            "tiff packed": {"compression": "zlib"},
        }
        tiff(path := f"{name}.tif", array, **how.get(form, {}))
        return path
    if form == "zarr":
        zarrs(path := f"{name}.zarr", array)
        return path
    if form == "zarr group":
        zarrs(f"{name}.zarr", array, "labels/0")
        return f"{name}.zarr::labels/0"
    if form.startswith("nifti"):
        nifti(path := f"{name}.nii", array, 2 if form == "nifti 2" else 1)
        return path
    np.save(path := f"{name}.npy", array)
    if form == "gzip":
        with gzip.open(f"{path}.gz", "wb") as file:
            file.write(Path(path).read_bytes())
        return f"{path}.gz"
    return path


FORMS = ("npy", "gzip", "tiff", "tiff big", "tiff packed", "zarr", "zarr group", "nifti", "nifti 2")


@pytest.mark.parametrize("form", FORMS)
def test_formats(form: str) -> None:
    left, right = written(form, "a", TRUTH), written(form, "b", GUESS)
    expected = cd.meet(TRUTH, GUESS, ignore=0)
    assert cd.meet(left, right, ignore=0) == expected
    found = cd.read(left)
    assert isinstance(found, cd.LabelImage)
    assert found.shape == TRUTH.shape
    ran = run("compare", left, right, "--ignore", "0", "-m", "pair_f")
    assert ran.code == 0, ran.stderr
    assert "read as label images of 3 x 5 pixels; background is 0 of truth, 2 are" in ran.stdout
    assert f"{cd.pair_f(TRUTH, GUESS, ignore=0):.4f}" in ran.stdout


def test_nifti_that_is_packed() -> None:
    nifti("a.nii.gz", TRUTH)
    nifti("b.nii.gz", GUESS)
    assert cd.meet("a.nii.gz", "b.nii.gz") == cd.meet(TRUTH, GUESS)


def test_what_can_stay_in_its_file_does() -> None:
    tiff("a.tif", TRUTH)
    for path in ("truth.npy", "a.tif"):
        found: Any = cd.read(path)
        assert isinstance(found.array, np.memmap)


def test_stacks_at_the_prompt() -> None:
    np.save("t.npy", np.stack([TRUTH, GUESS, TRUTH]))
    np.save("g.npy", np.stack([GUESS] * 3))
    ran = run("compare", "t.npy", "g.npy", "--stack", "-m", "pair_f", "--ignore", "0")
    assert "stacks of 3 label images of 3 x 5, each a sample" in " ".join(ran.stdout.split())
    assert "3 samples" in ran.stdout


@pytest.mark.parametrize("verb", ["compare", "explain", "table"])
def test_verbs_that_count(verb: str) -> None:
    both = run(verb, "truth.npy", "guess.npy", "--ignore", "0", "--ignore-in", "both")
    assert both.code == 0, both.stderr
    assert "background is 0 of truth and 0 of guess" in " ".join(both.stdout.split())


def test_a_page() -> None:
    pytest.importorskip("plotly")
    ran = run("report", "truth.npy", "guess.npy", "--ignore", "0", "-o", "page.html")
    assert ran.code == 0, ran.stderr
    assert "Pixels are not looked up one by one." in Path("page.html").read_text(encoding="utf-8")


def test_conventions_at_the_prompt() -> None:
    ran = run(
        "compare", "truth.npy", "guess.npy", "--compat", "skimage", "-m", "adapted_rand_error"
    )
    assert "background is 0 of truth" in ran.stdout
    assert f"{cd.adapted_rand_error(TRUTH, GUESS, ignore=0):.4f}" in ran.stdout
    none = run("compare", "truth.npy", "guess.npy", "--compat", "skimage", "--ignore", "none")
    assert "no label is background" in none.stdout
    mixed = run("compare", "truth.npy", "guess.npy", "--compat", "skimage")
    assert (mixed.code, "--ignore 0 or --ignore none" in mixed.stderr) == (2, True)


def prompt(*words: str) -> str:
    ran = run("compare", *words)
    assert ran.code == 2
    return " ".join(ran.stderr.split())


def test_refusals_at_the_prompt() -> None:
    Path("t.csv").write_text("id,cluster\na,1\nb,2\n")
    np.save("mask.npy", TRUTH > 1)
    assert "--ignore is for label images, and t.csv" in prompt("t.csv", "t.csv", "--ignore", "0")
    assert "--stack is for label images" in prompt("t.csv", "t.csv", "--stack")
    assert "--ignore x is no label" in prompt("truth.npy", "guess.npy", "--ignore", "x")
    assert "--as image for an image" in prompt("mask.npy", "mask.npy")
    assert run("compare", "mask.npy", "mask.npy", "--as", "image", "-m", "rand").code == 0
    assert "has no columns" in prompt("truth.npy", "guess.npy", "--as", "image", "--id", "x")
    assert "no ::x" in prompt("truth.npy", "guess.npy::x", "--as", "image")


def test_what_is_no_label_image() -> None:
    tiff("colours.tif", np.zeros((4, 5, 3), np.uint8), photometric="rgb")
    refuses("picture in colours", cd.read, "colours.tif")
    np.save("chances.npy", np.ones((2, 3, 4)) / 4)
    refuses("type float64", cd.read, "chances.npy")
    Path("broken.tif").write_bytes(b"II*\0" + b"\1\2" * 40)
    refuses("broken.tif", cd.read, "broken.tif")
    refuses("no label image that can be read", cd.read, __file__, as_="image")
    zarrs("several.zarr", TRUTH, "one")
    zarrs("several.zarr", GUESS, "two")
    refuses("holds 2 arrays: 'one', 'two'", cd.read, "several.zarr")
    refuses("has no array 'three'|no array", cd.read, "several.zarr::three")
    tiff("packed.tif", np.zeros((900, 900), np.uint16) + 7, compression="zlib")
    refuses("at most 1.0 kB are read", cd.read, "packed.tif", max_bytes=1000)


@pytest.mark.parametrize(("package", "form"), [("tifffile", "tiff"), ("nibabel", "nifti"),
                                               ("zarr", "zarr")])  # fmt: skip
def test_packages_that_are_missing(
    package: str, form: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = written(form, "a", TRUTH)
    monkeypatch.setitem(sys.modules, package, None)
    refuses("package that reads it is not installed", cd.read, path)
