"""Hints are written for Python, and said in flags at the prompt."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from cli.runner import run
from clusterdiff.errors import ClusterdiffError, as_flags, pasted

SAID = {
    'use align="shared", or noise=[None]': "use --align shared, or --noise null",
    "noise=['NA', 'n/a'] leaves them out": "--noise NA --noise n/a leaves them out",
    "noise_as='drop', noise=-1": "--noise-as drop --noise -1",
    "cd.read('a b.csv', id='x y', cluster=\"it's\").": '--id "x y" --cluster "it\'s".',
    "cd.read('t.csv', id=['doc', 'no'], sample='d'); or": "--id doc,no --samples d; or",
    "id='' where each row is an object": "--no-id where each row is an object",
    "cd.read('t.csv', header=True), or header=False": "--header, or --no-header",
    "distance=True? or distance=False?": "--distance? or --similarity?",
    "leave threshold= out; left=, right= are ids": "leave --threshold out; --left, --right are ids",
    'as_="corefud(match=head)"': '--as "corefud(match=head)"',
    "threshold=0.9, score='p'.": "--threshold 0.9 --score p.",
    "cd.read('t.csv', id='a') is object's way": "--id a is object's way",
    "cluster='$(halt)'": "--cluster '$(halt)'",
    "and in truth id=['doc', …]; if": 'and in truth --id "doc,…"; if',
}
OTHER = [
    "cd.compare(truth, cd.read('t', id='a'))",
    "cd.Partition.from_pairs(pairs, threshold=0.9)",
    "id=[doc, no] or kind=[",
    "features=X, frame.id=1 and bcubed_f(f='means')",
]
"""What is no option of the command stays as it is."""


@pytest.mark.parametrize("hint", SAID)
def test_options_are_flags(hint: str) -> None:
    assert as_flags(hint) == SAID[hint]
    assert ClusterdiffError("no", hint).at_prompt() == SAID[hint]

    assert all(as_flags(other) == other for other in OTHER)


def test_a_hint_of_its_own_for_the_prompt() -> None:
    error = ClusterdiffError("no", "cd.sweep(truth, pairs)", "clusterdiff sweep")
    assert (error.at_prompt(), str(error)) == (
        "clusterdiff sweep",
        "no\n\nHint: cd.sweep(truth, pairs)",
    )


# What a hint offers to paste is one word for a shell, whatever the files are called.


NAMES = [
    "guess; halt.csv",
    "guess $(halt).csv",
    "guess`halt`.csv",
    "gu'ess\".csv",
    "guess&halt.csv",
]


@pytest.mark.parametrize("name", NAMES)
def test_names_of_files_are_quoted(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path(name).write_text("id,cluster\n1,a\n2,b\n")
    ran = run("compare", "12|3", name[:-5] + "x" + name[-5:])
    hint = ran.stderr.partition("did you mean ")[2].partition("?")[0]
    assert shlex.split(hint) == [name]


@pytest.mark.parametrize(
    "text", [*NAMES, "plain.csv", "a b", "", "back\\", "nmi(norm='min')", "!x"]
)
def test_a_word_stays_a_word(text: str) -> None:
    assert shlex.split(pasted(text)) == [text]
