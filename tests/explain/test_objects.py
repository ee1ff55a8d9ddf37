"""Scores of single objects: truth first like every verb, samples and engines like `compare`."""

from __future__ import annotations

import gc
import weakref
from pathlib import Path
from typing import Any

import pytest

import clusterdiff as cd
from clusterdiff.io import EngineSessions

TRUTH = {"x": 1, "y": 1, "z": 2, "v": 2, "w": 2}
GUESS = {"x": 1, "y": 1, "z": 1, "v": 2, "w": 2}
SAMPLES = {"x": "one", "y": "one", "z": "one", "v": "two", "w": "two"}


def test_truth_comes_first_and_the_old_order_is_taken_too() -> None:
    wanted = cd.objects(TRUTH, GUESS, "elm_f").to_dict()
    assert cd.objects("elm_f", TRUTH, GUESS).to_dict() == wanted
    assert cd.objects(cd.elm_f, TRUTH, GUESS).to_dict() == wanted
    assert cd.objects(TRUTH, GUESS, cd.elm_f).to_dict() == wanted
    assert cd.objects(measure="elm_f", truth=TRUTH, guess=GUESS).to_dict() == wanted
    assert cd.objects(TRUTH, GUESS).measure == cd.elm_f
    assert cd.objects(TRUTH, GUESS, "elm_f", alpha=0.2).measure == cd.elm_f(alpha=0.2)


def test_texts_that_name_a_measure_are_no_paths(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    for name, labels in (("rand", "1\n1\n2\n"), ("guess", "1\n2\n2\n")):
        Path(name).write_text(labels)
    both = cd.read("rand"), cd.read("guess")
    assert (
        cd.objects("./rand", "guess", "elm_f").scores.tolist()
        == cd.objects("elm_f", "rand", "guess").scores.tolist()
        == cd.objects("elm_f", *both).scores.tolist()
    )


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ((TRUTH,), "the guess is missing"),
        (("elm_f", TRUTH), "the guess is missing"),
        (("elm_g", TRUTH, GUESS), "no measure is called 'elm_g'"),
        ((TRUTH, GUESS, "elm_g"), "no measure is called 'elm_g'"),
        ((TRUTH, GUESS, "rand"), "not a mean over objects"),
    ],
)
def test_mistakes(given: tuple[Any, ...], text: str) -> None:
    with pytest.raises(cd.ClusterdiffError, match=text):
        cd.objects(*given)


def test_samples_are_scored_apart_and_average_to_the_scores_of_compare() -> None:
    found = cd.objects(TRUTH, GUESS, "elm_f", samples=SAMPLES)
    assert found.ids == [("one", "x"), ("one", "y"), ("one", "z"), ("two", "v"), ("two", "w")]
    score = cd.compare(TRUTH, GUESS, "elm_f", samples=SAMPLES)["elm_f"]
    for name, value in zip(score.samples, score.each, strict=True):
        own = [s for (sample, _), s in found.to_dict().items() if sample == name]
        assert sum(own) / len(own) == pytest.approx(value)
    by_position = cd.objects([1, 1, 2, 2, 2], [1, 1, 1, 2, 2], samples=list("aaabb"))
    assert by_position.scores.tolist() == found.scores.tolist()
    assert by_position.ids[-1] == ("b", 1)


def test_samples_without_shared_objects_are_left_out_under_shared() -> None:
    truth, guess = {1: "a", 2: "a", 3: "b"}, {1: "a", 2: "a", 4: "b"}
    samples = {1: "s", 2: "s", 3: "t", 4: "t"}
    assert cd.objects(truth, guess, samples=samples, align="shared").ids == [("s", 1), ("s", 2)]
    with pytest.raises(cd.ClusterdiffError, match="sample t"):
        cd.objects(truth, guess, samples=samples)


@pytest.mark.parametrize("engine", ["arrays", "duckdb", cd.DuckDB(threads=1)])
def test_engines_give_the_same(engine: Any, tmp_path: Path) -> None:
    files = []
    for name, side in (("t", TRUTH), ("g", GUESS)):
        rows = "".join(f"{id},{label},{SAMPLES[id]}\n" for id, label in side.items())
        files.append(tmp_path / f"{name}.csv")
        files[-1].write_text(f"id,cluster,document\n{rows}")
    wanted = cd.objects(TRUTH, GUESS)
    found = cd.objects(*files, engine=engine)
    assert (found.ids, found.scores.tolist()) == (wanted.ids, wanted.scores.tolist())
    apart = cd.objects(*files, engine=engine, samples="document")
    assert apart.to_dict() == cd.objects(TRUTH, GUESS, samples=SAMPLES).to_dict()


def test_a_name_that_is_none_has_a_hint() -> None:
    with pytest.raises(AttributeError, match=r"no attribute 'bcube_f'; did you mean bcubed_f\?"):
        cd.bcube_f  # type: ignore[attr-defined]  # noqa: B018
    with pytest.raises(AttributeError, match=r"'zzzzzz'$"):
        cd.zzzzzz  # type: ignore[attr-defined]  # noqa: B018


def test_a_table_that_was_read_is_not_taken_for_the_next(tmp_path: Path) -> None:
    """It stays as long as what was read of it, so that no other table can lie in its place."""
    (tmp_path / "t.csv").write_text("id,cluster\n1,a\n2,b\n")
    with EngineSessions() as sessions:
        table = sessions.path(tmp_path / "t.csv")
        sessions.loaded(table)
        place = weakref.ref(table)
        del table
        gc.collect()
        assert place() is not None
