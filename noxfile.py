"""The matrix: tests on every Python, with the lowest dependencies, the wheel, the documentation.

`make test` is one cell of it; `nox -s tests-3.13` another, for whoever has that Python.
"""

from __future__ import annotations

import os
from pathlib import Path

import nox

PROJECT = nox.project.load_toml("pyproject.toml")
PYTHONS = nox.project.python_versions(PROJECT)
nox.options.sessions = ["lint", "tests", "package", "docs"]
nox.options.error_on_missing_interpreters = False


def install(session: nox.Session, *arguments: str, group: str = "dev") -> None:
    """Install the package, and a group of what its development needs."""
    needed = nox.project.dependency_groups(PROJECT, group)
    session.install(*arguments, "--editable", ".", *needed)


@nox.session
def lint(session: nox.Session) -> None:
    """Format, lint, types."""
    install(session)
    session.run("ruff", "format", "--check", ".")
    session.run("ruff", "check", ".")
    session.run("mypy")


@nox.session(python=PYTHONS)
def tests(session: nox.Session) -> None:
    """All that `make test` runs, on one Python; arguments go to pytest."""
    install(session)
    session.install(*nox.project.dependency_groups(PROJECT, "peers"))
    session.run("pytest", "-n", "auto", *session.posargs)


@nox.session(python=PYTHONS)
def light(session: nox.Session) -> None:
    """The core without extras: what it weighs, and its tests."""
    install(session, group="light")
    session.run("python", "tests/weight.py")
    session.run("pytest", "tests/test_light.py", "tests/clusterings", "tests/contingency")


@nox.session(python=PYTHONS[0])
def lowest(session: nox.Session) -> None:
    """The tests with the lowest versions that are declared."""
    floors = Path(session.create_tmp()) / "lowest.txt"
    floors.write_text(session.run("python", "tests/floors.py", silent=True) or "")
    install(session, "--constraint", os.fspath(floors))
    session.run("pytest", "-n", "auto", *session.posargs)


@nox.session(python=PYTHONS)
def package(session: nox.Session) -> None:
    """Build wheel and sdist, and try them outside the checkout."""
    session.install("build")
    session.run("python", "tests/package.py")


@nox.session
def docs(session: nox.Session) -> None:
    """The documentation, warnings are errors."""
    install(session, group="docs")
    session.run("mkdocs", "build", "--strict", env={"NO_MKDOCS_2_WARNING": "1"})
