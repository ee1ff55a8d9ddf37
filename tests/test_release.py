"""What a release needs: metadata, a lock, workflows that are pinned, a matrix that is whole."""

from __future__ import annotations

import re
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import package

ROOT = Path(__file__).parents[1]
TOML = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PROJECT = TOML["project"]
UNKNOWN = re.compile(r"github\.com/clusterdiff|clusterdiff\.github\.io")
"""Addresses that the project would have if it had any."""
PYTHONS = ["3.11", "3.12", "3.13", "3.14"]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
LOCK = ROOT / ".ci" / "requirements-dev.lock"
REGISTRIES = re.compile("|".join([r"p" r"ypi\.org", "python" r"hosted\.org", r"ana" r"conda\.org"]))


def loaded(path: Path) -> Any:
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def test_the_citation_says_what_the_project_says() -> None:
    cited = loaded(ROOT / "CITATION.cff")
    assert cited["license"] == PROJECT["license"]
    assert cited["abstract"] == PROJECT["description"]


def test_no_address_is_given_that_does_not_exist() -> None:
    """No repository and no site is public yet: whoever publishes one adds it to the metadata."""
    assert "urls" not in PROJECT
    files = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.split("\0")
    texts = [
        ROOT / name
        for name in files
        if name.endswith((".md", ".toml", ".yml", ".cff", ".py", ".json"))
    ]
    assert [
        path for path in texts if path.exists() and UNKNOWN.search(path.read_text(encoding="utf-8"))
    ] == []


def test_every_python_is_named_and_tested() -> None:
    named = [one.rpartition(" ")[2] for one in PROJECT["classifiers"] if "Python :: 3." in one]
    assert named == PYTHONS
    assert PROJECT["requires-python"] == f">={PYTHONS[0]}"
    tests = loaded(ROOT / ".github/workflows/ci.yml")["jobs"]["tests"]["strategy"]["matrix"]
    assert tests["python"] == PYTHONS
    assert {one.partition("-")[0] for one in tests["os"]} == {"ubuntu", "macos", "windows"}


@pytest.mark.parametrize("path", [*WORKFLOWS, ROOT / "action.yml"], ids=lambda path: path.name)
def test_workflows_are_pinned_may_little_and_put_nothing_into_scripts(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    used = re.findall(r"uses: (\S+)(.*)", text)
    for action, comment in used:
        if action != "./":
            assert re.fullmatch(r"[\w-]+/[\w-]+@[0-9a-f]{40}", action), action
            assert re.fullmatch(r" # v\d+\.\d+\.\d+", comment), action
    told = loaded(path)
    if path.name == "action.yml":
        steps = told["runs"]["steps"]
    else:
        assert told["permissions"] == {"contents": "read"}
        steps = [step for job in told["jobs"].values() for step in job["steps"]]
        for step in steps:
            if "actions/checkout" in step.get("uses", ""):
                assert step["with"]["persist-credentials"] is False
    assert steps
    assert not any("${{" in step.get("run", "") for step in steps)


def test_no_file_has_the_address_of_a_registry() -> None:
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    if listed.returncode:
        pytest.skip("no checkout")
    files = [ROOT / name for name in listed.stdout.split("\0") if name]
    assert len(files) > 500
    for path in files:
        if path.is_file():
            found = REGISTRIES.search(path.read_text(encoding="utf-8", errors="replace"))
            assert found is None, f"{path} has {found}"


def locked() -> dict[str, str]:
    """Names and versions of the lock."""
    text = LOCK.read_text(encoding="utf-8")
    return {
        canonicalize_name(name): version
        for name, version in re.findall(r"^([\w.-]+)(?:\[.*?\])?==([^ ;]+)", text, re.MULTILINE)
    }


def wanted(group: str) -> list[str]:
    """The requirements of a group, with those of the groups that it includes."""
    made: list[str] = []
    for one in TOML["dependency-groups"][group]:
        made += wanted(one["include-group"]) if isinstance(one, dict) else [one]
    return made


def test_the_lock_covers_the_package_its_extras_and_the_group_of_developers() -> None:
    versions = locked()
    extras = PROJECT["optional-dependencies"].values()
    every = [*PROJECT["dependencies"], *(one for some in extras for one in some), *wanted("dev")]
    for requirement in map(Requirement, every):
        if requirement.name == PROJECT["name"]:  # the extra of all extras
            continue
        version = versions.get(canonicalize_name(requirement.name))
        assert version is not None, f"make lock: {requirement} is new"
        assert requirement.specifier.contains(version, prereleases=True), (
            f"make lock: {requirement}"
        )


def test_one_extra_has_all_the_others() -> None:
    every = Requirement(PROJECT["optional-dependencies"]["all"][0]).extras
    assert every == {*PROJECT["optional-dependencies"]} - {"all"}


def test_everything_that_is_locked_has_a_hash() -> None:
    text = LOCK.read_text(encoding="utf-8")
    entries = re.split(r"^(?=[\w.-]+(?:\[.*?\])?==)", text, flags=re.MULTILINE)[1:]
    assert len(entries) >= len(locked()) > 50
    assert all("--hash=sha256:" in entry for entry in entries)


def test_the_package_is_looked_into(tmp_path: Path) -> None:
    names = ["clusterdiff/py.typed", "clusterdiff/page/web/page.html"]
    wished = ("py.typed", "page/web/", "schemas/x.json", "empty/")
    assert package.lacking(wished, names, "clusterdiff/") == ["schemas/x.json", "empty/"]
    source = ROOT / "src" / "clusterdiff"
    shipped = [path.relative_to(source).as_posix() for path in source.rglob("*")]
    assert package.lacking(package.SHIPPED, shipped, "") == []


def test_entry_points_lead_somewhere() -> None:
    from importlib import import_module

    scripts = PROJECT["scripts"] | PROJECT["entry-points"]["pytest11"]
    for target in scripts.values():
        module, _, name = target.partition(":")
        found = import_module(module)
        assert not name or callable(getattr(found, name))


def test_issue_templates_are_forms() -> None:
    folder = ROOT / ".github" / "ISSUE_TEMPLATE"
    forms = [path for path in folder.glob("*.yml") if path.name != "config.yml"]
    assert len(forms) == 2
    for form in map(loaded, forms):
        assert {"name", "description", "body"} <= set(form)
        assert all(part["attributes"]["label"] for part in form["body"])
