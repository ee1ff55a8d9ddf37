"""Warnings at the prompt: a paragraph on standard error with a hint in flags, and the scores."""

from __future__ import annotations

import warnings
from pathlib import Path

import pytest

import clusterdiff as cd
from cli.runner import run


@pytest.mark.filterwarnings("default")
def test_labels_that_look_missing_are_told_in_flags(tmp_path: Path) -> None:
    truth, guess = tmp_path / "truth.json", tmp_path / "guess.json"
    truth.write_text('{"a": "<NA>", "b": "<NA>", "c": "x"}')
    guess.write_text('{"a": "1", "b": "2", "c": "3"}')
    ran = run("compare", str(truth), str(guess), "-m", "rand")
    assert ran.code == 0
    assert "0.6667" in ran.stdout
    assert ran.stderr.startswith("clusterdiff: 2 of 3 labels in truth are the text '<NA>'")
    assert 'Hint: if they are missing values, say --noise "<NA>"' in ran.stderr
    assert ".py" not in ran.stderr
    quiet = run("compare", str(truth), str(guess), "-m", "rand", "--noise", "<NA>")
    assert "1.0000" in quiet.stdout
    assert quiet.stderr == ""


@pytest.mark.filterwarnings("default")
def test_other_warnings_are_left_to_python(monkeypatch: pytest.MonkeyPatch) -> None:
    def noisy() -> None:
        warnings.warn("something else", DeprecationWarning, stacklevel=1)

    monkeypatch.setattr("clusterdiff.cli.main.app", noisy)
    with pytest.warns(DeprecationWarning, match="something else"):
        run("demo")
    monkeypatch.setattr("clusterdiff.cli.main.app", lambda: warnings.warn(_ours(), stacklevel=1))
    assert run("demo").stderr == "clusterdiff: so it is.\n  Hint: --align shared\n"


def _ours() -> cd.ClusterdiffWarning:
    return cd.ClusterdiffWarning("so it is.", 'align="shared"')
