"""The lowest version of each dependency that is declared, as constraints for pip.

`make floors` installs these and runs the tests with them.
"""

from __future__ import annotations

import tomllib
from pathlib import Path


def lowest() -> list[str]:
    """Each requirement of the package and of its extras, at the version that it begins with."""
    project = tomllib.loads(Path(__file__).parents[1].joinpath("pyproject.toml").read_text())[
        "project"
    ]
    extras = project["optional-dependencies"].values()
    wanted = [*project["dependencies"], *(one for extra in extras for one in extra)]
    return [one.replace(">=", "==") for one in wanted if not one.startswith("clusterdiff[")]


if __name__ == "__main__":
    print("\n".join(lowest()))
