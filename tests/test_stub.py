"""The stub says what is there: names, measures, parameters and what calls give."""

from __future__ import annotations

import ast
import inspect
import subprocess
import sys
from pathlib import Path

import pytest

import clusterdiff as cd
from stub import stub

ROOT = Path(__file__).parents[1]
CACHE = ROOT / ".mypy_cache" / "user"
PROGRAM = """
import clusterdiff as cd

truth, guess = ["a", "a", "b"], [1, 1, 2]
reveal_type(cd.elm_f(truth, guess, alpha=0.2, align="shared"))
reveal_type(cd.elm_f(alpha=0.2)(truth, guess))
reveal_type(cd.rand_alpha(truth, cd.Fuzzy([[1, 0], [0, 1], [0, 1]])))
reveal_type(cd.rand_alpha(truth, guess, alpha=0.5))
reveal_type(cd.rand_alpha(alpha=0.5)(truth, guess))
reveal_type(cd.transport("rand")(truth, guess))
reveal_type(cd.compare(truth, guess, [cd.elm_f(f="means"), "rand"]))
reveal_type(cd.adjusted_rand.claims.symmetric)
"""
REVEALED = [
    "float", "float", "ScoreRange", "float", "Any", "ScoreRange", "Report", "bool"
]  # fmt: skip
WRONG = {
    'cd.elm_f(truth, guess, beta=2)': 'Unexpected keyword argument "beta"',
    'cd.elm_f("a.csv")': "No overload variant",
    'cd.nmi(norm="mean")': "No overload variant",
    'cd.bcube_f': 'no attribute "bcube_f"',
}  # fmt: skip


def test_the_stub_is_current() -> None:
    written = (ROOT / "src" / "clusterdiff" / "__init__.pyi").read_text(encoding="utf-8")
    assert written == stub(), "`make stub` writes it anew"


@pytest.fixture(scope="module")
def checked(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """What mypy says of each line of a program of a user."""
    folder = tmp_path_factory.mktemp("user")
    (folder / "program.py").write_text(PROGRAM + "\n".join(WRONG), encoding="utf-8")
    command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(CACHE), "program.py"]
    options = ["--config-file=", "--follow-imports=silent", "--ignore-missing-imports"]
    options += ["--no-site-packages"]  # NumPy's types take half a minute
    ran = subprocess.run(
        [*command, *options],
        cwd=folder,
        env={"MYPYPATH": str(ROOT / "src"), "PATH": ""},
        capture_output=True,
        text=True,
        check=False,
    )
    assert not ran.stderr
    return ran.stdout.splitlines()


def test_a_type_checker_knows_what_calls_give(checked: list[str]) -> None:
    found = [line.rpartition('"')[0].rpartition('"')[2] for line in checked if "Revealed" in line]
    assert [one.rpartition(".")[2] for one in found] == REVEALED


@pytest.mark.parametrize("call", WRONG)
def test_a_type_checker_refuses_what_python_refuses(call: str, checked: list[str]) -> None:
    line = len(PROGRAM.splitlines()) + list(WRONG).index(call) + 1
    told = [text for text in checked if text.startswith(f"program.py:{line}: error")]
    assert any(WRONG[call] in text for text in told), told
    with pytest.raises((cd.ClusterdiffError, AttributeError, TypeError)):
        eval(call, {"cd": cd, "truth": [1], "guess": [1]})


def test_signatures_are_those_of_the_stub() -> None:
    """Of every measure: names, kinds and defaults of its parameters, and what a call gives."""
    shown = {}
    for item in ast.parse(stub()).body:
        if isinstance(item, ast.ClassDef) and item.bases[0].id == "Measure":  # type: ignore[attr-defined]
            call = item.body[0]
            assert isinstance(call, ast.FunctionDef)
            named = zip(call.args.kwonlyargs, call.args.kw_defaults, strict=True)
            defaults = {x.arg: None if d is None else ast.literal_eval(d) for x, d in named}
            shown[item.name.strip("_")] = defaults, [x.arg for x in call.args.posonlyargs[1:]]
    assert len(shown) == len(cd.measures())
    for measure in cd.measures():
        signature = inspect.signature(measure)
        kinds = [p.kind for p in signature.parameters.values()]
        assert kinds == sorted(kinds)
        defaults, sides = shown["".join(map(str.capitalize, measure.name.split("_")))]
        by_name = [p for p in signature.parameters.values() if p.kind is p.KEYWORD_ONLY]
        assert {p.name: p.default for p in by_name} == defaults
        assert list(signature.parameters)[:2] == sides == ["truth", "guess"]
        doc = measure.__doc__ or ""
        assert doc.startswith(f"{measure.name}(truth, guess, /, ")
        assert measure.about in doc


def test_dir_shows_public_names_alone() -> None:
    assert dir(cd) == sorted([*cd.__all__, *(m.name for m in cd.measures())])
    assert dir(cd.plot) == sorted(cd.plot.__all__)
    assert all(inspect.isfunction(getattr(cd.plot, name)) for name in dir(cd.plot))
    results = cd.compare([1, 1, 2], [1, 2, 2]), cd.explain([1, 1, 2], [1, 2, 2]), cd.elm_f
    for one in results:
        assert not [name for name in dir(one) if name[0] == "_" and name[:2] != "__"]


SIDES = (cd.Fuzzy([[1, 0], [0.5, 0.5], [0, 1]]), cd.Fuzzy([[0.75, 0.25], [0.5, 0.5], [0, 1]]))
OPEN = [m for m in cd.measures() if "ScoreRange" in m.function.__annotations__["return"]]


@pytest.mark.parametrize("measure", OPEN, ids=str)
def test_scores_are_intervals_unless_alpha_is_given(measure: cd.Measure) -> None:
    rough = cd.Rough([{"a"}, {"a", "b"}, {"b"}])
    assert isinstance(measure(rough, rough), cd.ScoreRange)
    if "alpha" in measure.defaults:
        assert isinstance(measure(rough, rough, alpha=0.5), float)


def test_a_distance_of_which_bounds_are_known_stays_open_at_one_alpha() -> None:
    found = cd.transport(*SIDES, alpha=0.5, method="bounds")
    assert isinstance(found, cd.ScoreRange)
