"""What a backend is: a place where tables are joined on the id and counted; and which there are.

A backend that answers SQL is a `Session` (`backends/sql/session.py`) for what it writes in its own
way, and a `Backend` that says what it is called, which values are tables of it, and how it reads a
file. Other packages offer theirs under the entry points `clusterdiff.backends`.
"""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Iterator
from inspect import isabstract
from typing import Any, ClassVar

from clusterdiff.backends.sql.session import Session
from clusterdiff.backends.table import Table
from clusterdiff.clusterings import AnyClustering
from clusterdiff.errors import ClusterdiffError, did_you_mean, shown
from clusterdiff.plugins import loaded, names_in


class Backend(ABC):
    """A place for tables, by the name that `engine=` and `--engine` take."""

    name: ClassVar[str]
    settings: ClassVar[type | None] = None
    """What `engine=` may be besides the name, such as cd.DuckDB."""
    reads_files: ClassVar[bool] = True
    """Whether it can be asked for by name; others are there for the values that they hold."""

    def holds(self, value: object) -> bool:
        """Whether a value is a table of this backend; nothing is imported to find out."""
        return False

    @abstractmethod
    def session(self, settings: Any, value: Any = None) -> Session:
        """A session with these settings, or with those of a value that it holds."""

    def table(self, session: Any, value: Any, kind: str, sample: str | None) -> Table | None:
        """A value that it holds as a table; None if memory is the place for it."""
        return None

    def file(
        self, session: Any, path: str | os.PathLike[str], **options: Any
    ) -> AnyClustering | Table:
        """A file as a table that stays where it is, or as a clustering in memory."""
        raise ClusterdiffError(f"{self.name} reads no files.", "leave engine= out.")


MEMORY = "arrays"
"""The engine that needs no backend: everything is read into memory."""
BACKENDS: dict[str, Backend] = {}


def register(backend: type[Backend]) -> type[Backend]:
    """Make a backend known by its name."""
    BACKENDS[backend.name] = backend()
    return backend


def backend_for(engine: Any) -> tuple[Backend | None, Any]:
    """The backend that `engine=` means, with its settings; None for memory alone."""
    name = next(iter(BACKENDS)) if engine is None else engine
    if isinstance(name, str) and name == MEMORY:
        return None, None
    for one in _ours_and_installed():
        if one.settings is not None and isinstance(engine, one.settings):
            return one, engine
        if isinstance(name, str) and one.name == name and one.reads_files:
            return one, None
    known = sorted([MEMORY, *(one.name for one in BACKENDS.values() if one.reads_files)])
    raise ClusterdiffError(
        f"unknown engine {shown(engine)}.",
        f"{did_you_mean(str(name), known)}There are {', '.join(known)}.",
    )


def engines() -> list[str]:
    """What `engine=` takes by name, the default first; other packages are not imported for it."""
    first, *rest = (one.name for one in BACKENDS.values() if one.reads_files)
    return list(dict.fromkeys([first, MEMORY, *rest, *names_in("backends")]))


def _ours_and_installed() -> Iterator[Backend]:
    """Our backends, then those of other packages, which cannot take the place of ours."""
    yield from list(BACKENDS.values())
    for backend in loaded("backends", type).values():
        made = issubclass(backend, Backend) and not isabstract(backend)
        if made and backend.name not in BACKENDS:
            register(backend)
            yield BACKENDS[backend.name]
