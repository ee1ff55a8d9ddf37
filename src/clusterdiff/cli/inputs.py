"""The files of a command: read as the flags say, by the engine that they name."""

from __future__ import annotations

import contextlib
import inspect
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import typer

from clusterdiff.backends.duckdb import DuckDB
from clusterdiff.backends.table import Table, kind_of
from clusterdiff.cli.options import Align, Engine, NoiseAs, Rest
from clusterdiff.clusterings import SOFT
from clusterdiff.errors import ClusterdiffError, MissingColumn, NoColumns, SeveralFiles
from clusterdiff.inputs import Workshop, listed_kinds
from clusterdiff.inputs.formats import own
from clusterdiff.meet import Policy

if TYPE_CHECKING:
    from clusterdiff.clusterings import AnyClustering


@dataclass(frozen=True, kw_only=True)
class Inputs:
    """What the flags say of the files and of the objects in them; each field is a flag."""

    kind: Annotated[
        str | None,
        typer.Option(
            metavar="KIND[,KIND]…",
            help="What the files hold: partition (default), cover, rough, fuzzy, possibilistic, "
            "evidential; or one kind for truth and one for the guesses, e.g. partition,fuzzy, "
            "or one for each file.",
        ),
    ] = None
    align: Annotated[Align, typer.Option(help="Objects on one side only.")] = Align.exact
    noise: Annotated[
        list[str] | None,
        typer.Option(
            metavar="LABEL", help="A label that means noise, e.g. -1; null for empty labels."
        ),
    ] = None
    noise_as: Annotated[NoiseAs, typer.Option(help="How noise is treated.")] = NoiseAs.singletons
    samples: Annotated[
        str | None, typer.Option(metavar="COLUMN", help="Column of samples (documents, streams).")
    ] = None
    id: Annotated[str | None, typer.Option("--id", metavar="COLUMN", help="Column of the ids.")] = (
        None
    )
    no_id: Annotated[
        bool, typer.Option("--no-id", help="Match objects by position; there are no ids.")
    ] = False
    cluster: Annotated[
        str | None, typer.Option("--cluster", metavar="COLUMN", help="Column of the clusters.")
    ] = None
    degree: Annotated[
        str | None, typer.Option("--degree", metavar="COLUMN", help="Column of the degrees.")
    ] = None
    rest: Annotated[
        Rest, typer.Option(help="Degrees of a fuzzy clustering that do not sum to one.")
    ] = Rest.refuse
    as_: Annotated[
        str | None,
        typer.Option(
            "--as",
            metavar="FORMAT",
            help=f"Format of the files: {', '.join(own())}, or one that a package adds.",
        ),
    ] = None
    header: Annotated[
        bool | None, typer.Option("--header/--no-header", help="CSV: the first line names columns.")
    ] = None
    engine: Annotated[
        Engine, typer.Option(help="Engine: duckdb (out of core), arrays (in memory), spark.")
    ] = Engine.duckdb
    memory: Annotated[
        str | None,
        typer.Option(metavar="SIZE", help="Memory to take before spilling to disk, e.g. 4GB."),
    ] = None
    max_bytes: Annotated[
        str | None,
        typer.Option(
            metavar="SIZE",
            help="The most to read from a pipe (4GB by default), and from a file that is not a "
            "table (500MB).",
        ),
    ] = None
    threads: Annotated[int | None, typer.Option(help="Threads to use; all by default.")] = None
    temp: Annotated[
        str | None,
        typer.Option(metavar="DIR", help="Folder for temporary files, on a disk with room."),
    ] = None
    master: Annotated[
        str | None,
        typer.Option(
            metavar="URL", help="Where Spark runs, e.g. local[4], spark://host:7077, sc://host."
        ),
    ] = None

    @property
    def policy(self) -> Policy:
        """What becomes of objects on one side only, and of noise."""
        labels = [*_typed(self.noise or []), *([None] if "null" in (self.noise or []) else [])]
        return Policy(self.align.value, labels or None, self.noise_as.value)

    @contextlib.contextmanager
    def opened(
        self, truth: str, *guesses: str, whole: bool = False
    ) -> Iterator[tuple[Workshop, AnyClustering | Table, dict[str, AnyClustering | Table]]]:
        """The workshop, truth, and the guesses by name, each where it is; `whole`, in memory."""
        kinds = _kinds(self.kind or "partition", 1 + len(guesses))
        if [truth, *guesses].count("-") > 1:
            raise ClusterdiffError(
                "standard input can be read once only.", "name files for all but one clustering."
            )
        _refuse_expanded(truth, guesses)
        if self.rest is not Rest.refuse and "fuzzy" not in kinds:
            raise ClusterdiffError(
                "--rest is for degrees of a fuzzy clustering.",
                "say --kind fuzzy, or leave --rest out.",
            )
        unused: list[tuple[str, ClusterdiffError]] = []
        with Workshop(self._engine(), whole=whole) as shop:
            left = self._read(shop, truth, kinds[0], True, unused)
            right = {
                name: self._read(shop, path, own, False, unused)
                for name, path, own in zip(names_of(guesses), guesses, kinds[1:], strict=True)
            }
            for option, error in unused:
                if sum(option == other for other, _ in unused) > len(guesses):
                    raise error
            yield shop, left, right

    def _engine(self) -> Any:
        """The engine that was asked for, with what it may take."""
        limits = {"--memory": self.memory, "--threads": self.threads, "--temp": self.temp}
        given = [flag for flag, value in limits.items() if value is not None]
        if self.engine is Engine.spark:
            if given:
                raise ClusterdiffError(
                    f"{given[0]} is for DuckDB; Spark has settings of its own.",
                    "set them where Spark runs, e.g. spark-submit --driver-memory 4g.",
                )
            from clusterdiff.backends.spark import Spark

            return Spark(master=self.master)
        if self.master is not None:
            raise ClusterdiffError("--master says where Spark runs.", "add --engine spark.")
        if self.engine is Engine.arrays:
            if given:
                raise ClusterdiffError(
                    f"{given[0]} is for DuckDB; --engine arrays reads everything into memory.",
                    "leave --engine out.",
                )
            return "arrays"
        return DuckDB(memory=self.memory, threads=self.threads, temp=self.temp)

    def _read(
        self,
        shop: Workshop,
        path: str,
        kind: str,
        truth: bool,
        unused: list[tuple[str, ClusterdiffError]],
    ) -> AnyClustering | Table:
        """A clustering; where a guess has no column of samples, truth says which sample an object
        is in, where a file has no column of degrees it has none, and a file without columns needs
        none of the flags. `unused` is told which of them this file did not use.
        """
        options: dict[str, Any] = {
            "kind": kind,
            "id": "" if self.no_id else self.id,
            "cluster": self.cluster,
            "header": self.header,
            "degree": self.degree,
            "rest": self.rest.value,
            "as_": self.as_,
            "sample": self.samples,
            "max_bytes": self.max_bytes,
        }
        while True:
            try:
                made = shop.path(path, **options)
            except MissingColumn as error:
                lacks = [name for name in ("degree", "sample") if options[name] == error.column]
                if path == "-" or not error.column or not lacks or (truth and lacks == ["sample"]):
                    raise
                missing = error
                options[lacks[0]] = None
                unused.append((lacks[0], error))
            except NoColumns as error:
                if path == "-" or error.firm:
                    raise
                options |= dict.fromkeys(error.options)
                unused += [(name, error) for name in error.options]
            else:
                if self.degree and options["degree"] is None and kind_of(made) in SOFT:
                    raise missing
                return made


def with_inputs(*without: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """A verb whose parameter `inputs` stands for all flags of `Inputs`, but those named."""
    return with_flags("inputs", Inputs, *without)


def with_flags(
    name: str, group: type, *without: str
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """A verb whose parameter of this name stands for all flags of a group, but those named."""

    def make(verb: Callable[..., None]) -> Callable[..., None]:
        shared = [field for field in fields(group) if field.name not in without]
        own = [p for p in inspect.signature(verb).parameters.values() if p.name != name]
        hints = {p.name: p.annotation for p in own if not isinstance(p.annotation, str)}
        hints |= get_type_hints(verb, include_extras=True)
        hints |= get_type_hints(group, include_extras=True)
        defaults = {p.name: p.default for p in own} | {f.name: f.default for f in shared}

        def run(**given: Any) -> None:
            flags = {field.name: given.pop(field.name) for field in shared}
            verb(**{name: group(**flags)}, **given)

        listed = [
            inspect.Parameter(
                name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=hints[name]
            )
            for name, default in defaults.items()
        ]
        run.__signature__ = inspect.Signature(listed)  # type: ignore[attr-defined]
        run.__doc__ = verb.__doc__
        return run

    return make


def _kinds(kind: str, files: int) -> list[str]:
    """The kind of each file: one for all, one for truth and one for the rest, or one for each."""
    said = listed_kinds(kind)
    if len(said) <= 2:
        return [said[0], *[said[-1]] * (files - 1)]
    if len(said) != files:
        raise ClusterdiffError(
            f"{len(said)} kinds do not fit {files} files: they are too many or too few.",
            "kind is one for all files, one for truth and one for the guesses, or one for each.",
        )
    return said


def _refuse_expanded(truth: str, guesses: tuple[str, ...]) -> None:
    """Refuse what the shell makes of `truth/*.csv guess/*.csv`: files of truth as guesses."""
    first = Path(truth)
    beside = [g for g in guesses if Path(g).parent == first.parent and g != truth]
    others = [g for g in guesses if Path(g).parent != first.parent]
    namesake = next((g for g in others if Path(g).name == first.name), None)
    if beside and namesake and len(others) > 1 and len({Path(g).parent for g in others}) == 1:
        raise SeveralFiles.from_shell(truth, beside[0], namesake)


def names_of(paths: Sequence[str]) -> list[str]:
    """What to call the guesses: as short as keeps them apart."""
    short = [Path(p).name if p != "-" else "stdin" for p in paths]
    if len(set(short)) == len(short):
        return short
    if len(set(paths)) == len(paths):
        return list(paths)
    return [f"{p} ({k})" for k, p in enumerate(paths, 1)]


def _typed(noise: list[str]) -> list[str | float]:
    """Noise labels as text, and as the numbers that a typed column would hold."""
    numbers: list[float] = []
    for label in noise:
        with contextlib.suppress(ValueError):
            numbers.append(float(label))
    return [*noise, *numbers]
