"""What `pip install clusterdiff` brings, package by package: `make weight` prints it, and fails
where it is more than the limit.
"""

from __future__ import annotations

import sys
from importlib.metadata import Distribution, distribution
from pathlib import Path

from packaging.requirements import Requirement

SOURCES = Path(__file__).parents[1] / "src"
KINDS = {".py", ".pyi", ".json", ".html", ".js", ".css", ".csv"}
MOST = 320
"""Megabytes of all packages together."""


def needed(name: str = "clusterdiff") -> dict[str, Distribution]:
    """A package that is installed and all that it needs without extras, by name."""
    found: dict[str, Distribution] = {}
    waiting = [name]
    while waiting:
        known = distribution(waiting.pop())
        if known.name.lower() in found:
            continue
        found[known.name.lower()] = known
        for line in known.requires or ():
            requirement = Requirement(line)
            if requirement.marker is None or requirement.marker.evaluate({"extra": ""}):
                waiting.append(requirement.name)
    return found


def megabytes(package: Distribution) -> float:
    """What the files of a package take on the disk, compiled ones included, in units of 2²⁰ bytes
    (as `du -m` has them).
    """
    files = {Path(str(package.locate_file(file))) for file in package.files or ()}
    if package.name == "clusterdiff":  # which stands in its own folder here
        files |= {file for file in SOURCES.rglob("*") if file.suffix in KINDS}
    compiled = {
        made
        for file in files
        if file.suffix == ".py"
        for made in file.parent.joinpath("__pycache__").glob(f"{file.stem}.cpython-???.pyc")
    }
    every = {file for file in files | compiled if file.is_file()}
    return sum(file.stat().st_size for file in every) / 2**20


def main() -> None:
    """Print the table."""
    sizes = {name: megabytes(package) for name, package in needed().items()}
    for name, size in sorted(sizes.items(), key=lambda entry: -entry[1]):
        print(f"{name:<20} {size:7.1f} MB")
    total = sum(sizes.values())
    print(f"{'all':<20} {total:7.1f} MB, at most {MOST}")
    if total > MOST:
        sys.exit(1)


if __name__ == "__main__":
    main()
