"""What installed packages add: measures, input formats and backends, named by entry points.

A package that has

    [project.entry-points."clusterdiff.measures"]
    my_measure = "my_package.scores"

in its pyproject.toml is asked when a name is not found among our own, or when all are listed.
"""

from __future__ import annotations

import warnings
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from clusterdiff.errors import ClusterdiffWarning, warn

if TYPE_CHECKING:
    from importlib.metadata import EntryPoints

_LOADED: dict[str, dict[str, Any]] = {}


@cache
def is_installed(package: str) -> bool:
    """Whether a package that an extra brings is there; it is not imported."""
    return find_spec(package) is not None


def names_in(group: str) -> list[str]:
    """What packages name in the group `clusterdiff.<group>`; nothing of theirs is imported."""
    return sorted(_points(group).names)


def loaded(group: str, kind: type | tuple[type, ...] = object) -> dict[str, Any]:
    """The objects of a kind that packages name in the group `clusterdiff.<group>`, loaded once.

    One that cannot be loaded, or is of another kind, is left out with a warning.
    """
    if group in _LOADED:
        return _LOADED[group]
    objects = _LOADED[group] = {}
    for point in _points(group):
        package = point.dist.name if point.dist is not None else point.value.partition(".")[0]
        what = f"the package {package} names {point.value!r} in clusterdiff.{group}"
        try:
            made = point.load()
        except (Exception, SystemExit) as error:
            problem = f"which could not be loaded: {type(error).__name__}: {error}"
        else:
            if isinstance(made, kind):
                objects[point.name] = made
                continue
            problem = f"which is a {type(made).__name__} and nothing that belongs there"
        warn(ClusterdiffWarning(f"{what}, {problem}."), ClusterdiffWarning)
    return objects


def _points(group: str) -> EntryPoints:
    from importlib.metadata import entry_points

    return entry_points(group=f"clusterdiff.{group}")


def moved(old: str, new: str, name: str) -> Any:
    """A name that lives in another package now, with a deprecation that says where."""
    message = f"{old}.{name} is deprecated: it lives in {new} now, as {new}.{name}."
    warnings.warn(message, DeprecationWarning, stacklevel=3)
    return getattr(import_module(new), name)
