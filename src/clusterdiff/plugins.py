"""What installed packages add: measures, input formats and backends, named by entry points.

A package that has

    [project.entry-points."clusterdiff.measures"]
    my_measure = "my_package.scores"

in its pyproject.toml is asked when a name is not found among our own, or when all are listed.
"""

from __future__ import annotations

from typing import Any

from clusterdiff.errors import ClusterdiffWarning
from clusterdiff.errors.warn import warn

_LOADED: dict[str, dict[str, Any]] = {}


def loaded(group: str, kind: type | tuple[type, ...] = object) -> dict[str, Any]:
    """The objects of a kind that packages name in the group `clusterdiff.<group>`, loaded once.

    One that cannot be loaded, or is of another kind, is left out with a warning.
    """
    if group in _LOADED:
        return _LOADED[group]
    from importlib.metadata import entry_points

    found = _LOADED[group] = {}
    for point in entry_points(group=f"clusterdiff.{group}"):
        package = point.dist.name if point.dist is not None else point.value.partition(".")[0]
        what = f"the package {package} names {point.value!r} in clusterdiff.{group}"
        try:
            made = point.load()
        except (Exception, SystemExit) as error:
            told = f"{what}, which could not be loaded: {type(error).__name__}: {error}"
        else:
            if isinstance(made, kind):
                found[point.name] = made
                continue
            told = f"{what}, which is a {type(made).__name__} and nothing that belongs there"
        warn(ClusterdiffWarning(f"{told}."), ClusterdiffWarning)
    return found
