"""In continuous integration: the action's scripts, the plugin in a real pytest, and the hooks."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml
from jsonschema import validate

import clusterdiff as cd
from cli.runner import run
from clusterdiff.cli.schema import json_schema
from packages import write
from test_readme import FILES as FILES_PAGE
from test_readme import shown_files

ROOT = Path(__file__).parents[2]
ACTION = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
STEPS = ACTION["runs"]["steps"]
FILES = {
    "truth.csv": "id,cluster\n1,a\n2,a\n3,a\n4,b\n5,b\n",
    "good.csv": "id,cluster\n1,x\n2,x\n3,y\n4,z\n5,z\n",
    "bad.csv": "id,cluster\n1,x\n2,x\n3,x\n4,x\n5,y\n",
}


@pytest.fixture
def files(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    return tmp_path


class Stepped(NamedTuple):
    """What a step of the action left."""

    code: int
    outputs: dict[str, str]
    summary: str
    stderr: str


def step(files: Path, **inputs: str) -> Stepped:
    """Run the action's second step as GitHub does, with the command of this environment."""
    temp = files / "runner"
    bin = temp / "bin"
    bin.mkdir(parents=True, exist_ok=True)
    for name, flags in (("clusterdiff", " -m clusterdiff"), ("python", "")):
        script = bin / name
        script.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)}{flags} "$@"\n')
        script.chmod(0o755)
    known = {name: one.get("default", "") for name, one in ACTION["inputs"].items()}
    given = known | {name.replace("_", "-"): text for name, text in inputs.items()}
    environment = os.environ | {
        key: re.sub(r"\$\{\{ inputs\.([\w-]+) \}\}", lambda found: given[found[1]], value)
        for key, value in STEPS[1]["env"].items()
    }
    for name in ("output", "summary"):
        (temp / name).write_text("")
    environment |= {
        "CLUSTERDIFF_BIN": os.fspath(bin), "RUNNER_TEMP": os.fspath(temp),
        "GITHUB_OUTPUT": os.fspath(temp / "output"),
        "GITHUB_STEP_SUMMARY": os.fspath(temp / "summary"),
        "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
    }  # fmt: skip
    ran = subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", STEPS[1]["run"]],
        cwd=files, env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    lines = (temp / "output").read_text().splitlines()
    outputs = dict(line.split("=", 1) for line in lines)
    summary = (temp / "summary").read_text(encoding="utf-8")
    return Stepped(ran.returncode, outputs, summary, ran.stderr)


def test_the_action_passes_and_fails_with_its_gate(files: Path) -> None:
    given = {"truth": "truth.csv", "guess": "good.csv", "measures": "elm_f,nmi"}
    passed = step(files, **given, fail_under="elm_f=0.6\nnmi=0.5\n")
    assert passed.code == 0, passed.stderr
    assert json.loads(passed.outputs["scores"]).keys() == {"elm_f", "nmi"}
    assert passed.outputs["passed"] == "true"
    assert passed.summary.startswith("**✓ 2 gates passed.**\n\n|")
    validate(json.loads(Path(passed.outputs["report"]).read_text()), json_schema("compare"))
    failed = step(files, **given, fail_under="elm_f=0.9")
    assert failed.code == 1
    assert failed.outputs["passed"] == "false"
    assert failed.summary.startswith(r"**✗ good.csv: elm\_f is 0.666667, below 0.9.**")
    assert "elm_f is 0.666667, below 0.9." in failed.stderr


def test_the_action_holds_a_run_against_the_last_one(files: Path) -> None:
    given = {"truth": "truth.csv", "guess": "bad.csv", "baseline": "good.csv", "measures": "elm_f"}
    failed = step(files, **given, fail_on_regression="elm_f=0.01", arguments="--top\n1")
    assert failed.code == 1
    assert json.loads(failed.outputs["scores"]) == {"elm_f": pytest.approx(0.48)}
    verdict, _, rest = failed.summary.partition("\n\n")
    assert verdict.startswith(r"**✗ elm\_f went from 0.666667 to 0.48.**")
    assert rest.startswith(r"**Worse: elm\_f 0.6667 → 0.4800 (−0.1867).**")
    assert "<details><summary>Worse now: 1 true cluster</summary>" in rest
    validate(json.loads(Path(failed.outputs["report"]).read_text()), json_schema("diff"))


def test_what_is_given_to_the_action_is_never_run(files: Path) -> None:
    trap = '$(touch run.txt)`touch run.txt`";touch run.txt;"'
    ended = step(
        files, truth=trap, guess="-o", fail_under=trap, arguments=f"{trap}\n--align=shared"
    )
    assert ended.code == 2
    assert not (files / "run.txt").exists()
    assert "```text\nclusterdiff: " in ended.summary
    for one in STEPS:
        assert "${{" not in one["run"]


@pytest.fixture
def plugged(files: Path) -> dict[str, str]:
    """The variables of a pytest that finds the plugin, as in an environment with the package."""
    site: list[str] = []
    if not entry_points(group="pytest11", name="clusterdiff"):
        points = "[pytest11]\nclusterdiff = clusterdiff.pytest_plugin\n"
        site = [os.fspath(write(files / "site", "ours", points))]
    path = os.pathsep.join([*site, *filter(None, sys.path)])
    return os.environ | {"PYTHONPATH": path, "PYTEST_ADDOPTS": ""}


TEST = """
from clusterdiff.testing import assert_no_regression

def test_good():
    assert_no_regression("truth.csv", "good.csv", baseline="good.json", measures="elm_f,nmi")

def test_bad():
    assert_no_regression("truth.csv", "bad.csv", baseline="good.json", measures="elm_f,nmi")
"""


def pytest_in(files: Path, environment: dict[str, str], *arguments: str) -> tuple[int, str]:
    """How pytest ends there, and what it says."""
    (files / "pytest.ini").write_text("[pytest]\n")
    (files / "test_it.py").write_text(TEST)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:randomly", *arguments]
    ran = subprocess.run(
        command, cwd=files, env=environment, capture_output=True, text=True, check=False
    )
    return ran.returncode, ran.stdout + ran.stderr


def test_the_plugin_records_a_baseline_and_holds_runs_against_it(
    files: Path, plugged: dict[str, str]
) -> None:
    code, told = pytest_in(files, plugged, "--clusterdiff-update", "-v", "-k", "good")
    assert code == 0, told
    assert "baselines are recorded, not checked" in told
    saved = json.loads((files / "good.json").read_text())
    validate(saved, json_schema("compare"))
    code, told = pytest_in(files, plugged)
    assert code == 1
    assert "1 failed, 1 passed" in told
    for line in (
        "elm_f is worse: 0.6667 -> 0.4800.",
        "  elm_f    0.6667    0.4800  −0.1867     worse",
        "Baseline: good.json, by clusterdiff ",
        "Where elm_f is lost now:",
    ):
        assert line in told
    assert "regression.py" not in told  # the frame of ours is hidden
    assert json.loads((files / "good.json").read_text()) == saved


def test_the_plugin_imports_nothing_when_pytest_starts() -> None:
    code = "import sys, clusterdiff.pytest_plugin as p; print(*sys.modules)"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(ran.stdout.split())
    assert not {"numpy", "pytest", "clusterdiff.testing", "clusterdiff.measures"} & loaded


def test_the_assertion_needs_no_pytest() -> None:
    code = (
        "import sys; sys.modules['pytest'] = sys.modules['_pytest'] = None\n"
        "from clusterdiff.testing import assert_no_regression\n"
        "assert_no_regression([1, 1, 2], [1, 1, 2], baseline={'elm_f': 1.0})"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


PAGE = (ROOT / "docs" / "how-to" / "ci-gates.md").read_text(encoding="utf-8")
SHOWN = [yaml.safe_load(text)[0] for text in re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)]


def test_what_the_page_shows_first_works(files: Path, plugged: dict[str, str]) -> None:
    """The action and the test, as they are pasted; the hook stands below."""
    for name, text in shown_files(FILES_PAGE):
        (files / name).parent.mkdir(exist_ok=True)
        (files / name).write_text(text, encoding="utf-8")
    action, _, job = SHOWN
    assert action["uses"] == f"OWNER/clusterdiff@v{cd.__version__}"
    passed = step(files, **{key.replace("-", "_"): text for key, text in action["with"].items()})
    assert passed.code == 0, passed.stderr
    assert job["uses"].startswith("actions/setup-python")
    jobs = yaml.safe_load(re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)[2])
    assert set(jobs[1]["with"]) <= set(ACTION["inputs"])
    given = {key.replace("-", "_"): text for key, text in jobs[1]["with"].items()}
    passed = step(files, **given)
    assert passed.code == 0, passed.stderr
    for name, text in shown_files("docs/how-to/ci-gates.md"):
        (files / name).write_text(text)
    code, told = pytest_in(files, plugged, "test_matcher.py")
    assert code == 0, told


HOOKS: list[dict[str, Any]] = yaml.safe_load(
    (ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8")
)


@pytest.mark.parametrize("hook", HOOKS, ids=lambda hook: hook["id"])
def test_a_hook_passes_and_fails(
    hook: dict[str, Any], files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(files)
    assert hook["language"] == "python"
    assert not hook["pass_filenames"]
    assert re.search(hook["files"], "runs/matcher.csv")
    name, *verb = hook["entry"].split()
    assert name == "clusterdiff"
    gates = {
        "compare": (["truth.csv", "good.csv"], "--fail-under", "elm_f=0.6", "elm_f=0.7"),
        "diff": (
            ["truth.csv", "good.csv", "bad.csv"],
            "--fail-on-regression",
            "elm_f=0.2",
            "elm_f",
        ),
    }
    shown = SHOWN[1]
    assert shown["repo"] == "https://github.com/OWNER/clusterdiff"
    assert shown["rev"] == f"v{cd.__version__}"
    assert shown["hooks"][0]["id"] in {one["id"] for one in HOOKS}
    assert shown["hooks"][0]["args"][:2] == ["truth.csv", "run2.csv"]
    sides, flag, passes, fails = gates[verb[0]]
    assert run(*verb, *sides, flag, passes).code == 0
    assert run(*verb, *sides, flag, fails).code == 1
