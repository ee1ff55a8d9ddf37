"""The language of measures: what a text means, what it never does, and where it ends."""

from __future__ import annotations

import builtins
import json
import sys
from pathlib import Path
from typing import Any

import pytest

import clusterdiff as cd
import clusterdiff_lab as lab
from cli.runner import run
from clusterdiff.measures import measures_named
from clusterdiff_lab.axioms.subject import Against
from refusals import refuses

TRAPS = [
    "elm_f(alpha='trap:go')",
    "split_merge(similarity='trap:go')",
    "cice_f(similarity='trap:go')",
    "adjusted(split_merge(similarity='trap:go'))",
    "adjusted('trap:go')",
    "adjusted(measure='trap:go')",
    "transport(\"split_merge(similarity='trap:go')\")",
    "trap:go",
]


@pytest.fixture
def trap(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A module that leaves a file behind when it is imported, and another when it is called."""
    (tmp_path / "trap.py").write_text(
        "from pathlib import Path\n"
        "Path('imported').touch()\n"
        "def go(*given):\n    Path('called').touch()\n    return 0.5\n"
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "trap", raising=False)
    return tmp_path


def left_behind(folder: Path) -> set[str]:
    return {file.name for file in folder.iterdir()} - {"trap.py"}


@pytest.mark.parametrize("text", TRAPS)
def test_a_text_imports_and_calls_nothing(
    text: str, trap: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(name: str, *rest: Any) -> Any:
        assert not name.startswith("trap")
        return before(name, *rest)

    before = builtins.__import__
    monkeypatch.setattr(builtins, "__import__", refuse)
    refuses(None, cd.measure, text)
    refuses(None, cd.compare, [1, 1], [1, 2], text)
    assert "trap" not in sys.modules
    assert left_behind(trap) == set()


@pytest.mark.parametrize("verb", [["compare", "12|34", "13|24", "-m"],
                                  ["explain", "12|34", "13|24", "--by"],
                                  ["diff", "12|34", "13|24", "14|23", "-m"],
                                  ["measures"], ["axioms"]])  # fmt: skip
@pytest.mark.parametrize("text", ["split_merge(similarity='trap:go')", "elm_f(alpha='trap:go')"])
def test_nor_does_one_at_the_prompt(verb: list[str], text: str, trap: Path) -> None:
    ran = run(*verb, text)
    assert ran.code == 2
    assert left_behind(trap) == set()


def test_a_function_is_named_where_the_flag_allows_it(trap: Path) -> None:
    asked = ["compare", "12|34", "13|24", "-m", "split_merge(similarity='trap:go')"]
    refused = run(*asked)
    assert "'trap:go' names a function" in refused.stderr
    assert "--allow-code" in refused.stderr
    assert "cd.split_merge(similarity=go)" in refused.stderr
    allowed = run(*asked, "--allow-code")
    assert (allowed.code, allowed.stderr) == (0, "")
    assert "0.2500" in allowed.stdout
    assert left_behind(trap) - {"__pycache__"} == {"imported", "called"}


def test_a_flag_alone_checks_the_value_first(trap: Path) -> None:
    ran = run("compare", "12|34", "13|24", "-m", "elm_f(alpha='trap:go')", "--allow-code")
    assert "alpha must be between 0 and 1" in ran.stderr
    assert left_behind(trap) == set()


def test_a_signature_with_a_function_is_told_and_refused() -> None:
    signed = cd.compare([1, 1], [1, 2], cd.split_merge(similarity=max))
    text = signed["split_merge(similarity='builtins:max')"].signature["measure"]
    assert text == "split_merge(similarity='builtins:max', combine='product')"
    caught = refuses("names a function", cd.measure, text)
    assert "cd.split_merge(similarity=max)" in caught.hint


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("bcubed_f(f=objects)", "bcubed_f(f='objects')"),
        ("nmi(norm=min)", "nmi(norm='min')"),
        ("adjusted(measure=rand)", "adjusted(rand)"),
        ("adjusted(bcubed_f(f=objects), samples=5)", "adjusted(bcubed_f(f='objects'), samples=5)"),
        ("onmi(variant=lfk)", "onmi(variant='lfk')"),
    ],
)
def test_words_need_no_quotes(text: str, printed: str) -> None:
    assert str(cd.measure(text)) == printed
    assert cd.measure(printed) == cd.measure(text)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("elm_f", ["elm_f"]),
        ("elm_f,bcubed_f", ["elm_f", "bcubed_f"]),
        ("elm_f, nmi(norm=min) ,rand", ["elm_f", "nmi(norm='min')", "rand"]),
        ("adjusted(rand,samples=3),", ["adjusted(rand, samples=3)"]),
    ],
)  # fmt: skip
def test_several_measures_have_commas_between_them(text: str, names: list[str]) -> None:
    assert list(map(str, measures_named(text))) == names
    assert list(cd.compare([1, 1, 2], [1, 2, 2], text).measures) == names
    told = json.loads(run("compare", "12|34", "13|24", "-m", text, "-f", "json").stdout)
    assert list(told["guesses"]["13|24"]) == names


FAMILIES = ("bcubed", "pair", "exact", "muc", "ceaf_m", "ceaf_e", "blanc", "lea", "cice")


@pytest.mark.parametrize("family", FAMILIES)
def test_a_family_is_its_precision_recall_and_f_as_they_are(family: str) -> None:
    """One name, one number: the F of a family is what its own name gives."""
    assert [str(m) for m in measures_named(family)] == [
        f"{family}_{part}" for part in ("precision", "recall", "f")
    ]


def test_conditions_and_functions_too(trap: Path) -> None:
    quick = ["-c", "symmetry,padding", "--objects", "3", "--larger", "0", "-f", "json"]
    told = json.loads(run("axioms", "rand,elm_f", "--measure", "trap:go", *quick).stdout)[
        "verdicts"
    ]
    assert [(one["measure"], one["condition"]) for one in told] == [
        (name, condition)
        for name in ("rand", "elm_f", "go")
        for condition in ("symmetry", "padding")
    ]


def test_a_counterexample_of_a_function_says_what_it_needs() -> None:
    found = lab.check(cd.split_merge(similarity=max), "bounds")
    assert isinstance(found, Against)
    assert [line.endswith(" --allow-code") for line in found.counterexample.commands] == [True]


def test_one_measure_is_not_two() -> None:
    refuses("cannot be read as a measure", cd.measure, "elm_f,rand")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("adjusted(" * 150 + "rand" + ")" * 150, "1,504 characters"),
        ("adjusted(" * 80 + "rand" + ")" * 80, "adjusted cannot be applied twice"),
        ("x" * 100_000, "100,000 characters"),
        ("elm_f(alpha=" + "9" * 900 + ")", "elm_f: alpha must be between 0 and 1, got 999"),
        ("elm_f(alpha=" + "9" * 5000 + ")", "characters"),
        (
            "adjusted(rand, samples=" + "9" * 500 + ")",
            "samples must be a whole number from 1 to 1,000,000,000, got 999",
        ),
        ("adjusted(rand, samples=2000000000)", "from 1 to 1,000,000,000"),
        ("adjusted(rand, seed=" + "9" * 500 + ")", "seed must be a whole number"),
        ("vi_similarity_k(k=99999999999999999999)", "from 1 to 9,223,372,036,854,775,807"),
        ("elm_f(alpha=1e999)", "alpha must be between 0 and 1, got inf"),
        ("elm_f(alpha=1is)", "cannot be read"),
        ("elm_f(" + "a" * 700 + "=1)", "has no parameter 'aaa"),
        ("-" * 900 + "1", "cannot be read"),
        ("elm_f(alpha=" + "-" * 900 + "1)", "cannot be read"),
        ("elm_f(alpha='\\d')", "alpha must be between"),
        ("elm_f.__class__", "cannot be read"),
        ("__import__('os')", "no measure is called '__import__'"),
        ("elm_f(**{'alpha': 1})", "cannot be read"),
        ("elm_f\0", "cannot be read"),
        ("\ud800", "cannot be read"),
        ("()", "cannot be read"),
        ("", "cannot be read"),
    ],
    ids=lambda text: ascii(text[:24]),
)
def test_a_text_that_is_none_is_told_in_a_short_sentence(text: str, words: str) -> None:
    caught = refuses(None, cd.measure, text)
    assert words in caught.message + caught.hint
    assert len(caught.message) < 300


@pytest.mark.parametrize(
    "value",
    [10**5000, -(10**5000), "9" * 10**6, [10**5000], object()],
    ids=["huge", "negative", "text", "list", "object"],
)
def test_values_from_python_are_told_short(value: Any) -> None:
    for measure, key in ((cd.elm_f, "alpha"), (cd.adjusted, "samples")):
        caught = refuses(None, measure.with_params, **{key: value})
        assert len(str(caught)) < 300


def test_a_measure_is_not_applied_to_itself() -> None:
    """Each `adjusted` scores its measure for hundreds of draws, and twice adjusted is adjusted."""
    for made in (cd.adjusted(cd.nmi), cd.transport(cd.adjusted(cd.nmi))):
        assert cd.measure(str(made)) == made
        refuses("adjusted cannot be applied twice", cd.adjusted, made)
