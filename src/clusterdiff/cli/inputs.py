"""The files of a command: read as the flags say, by the engine that they name."""

# ruff: noqa: RUF009, since `flag` makes a field

from __future__ import annotations

import contextlib
import inspect
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import typer

from clusterdiff.backends.duckdb import DuckDB
from clusterdiff.backends.protocol import backend_for
from clusterdiff.backends.spark import Spark
from clusterdiff.backends.table import Table, kind_of
from clusterdiff.cli.options import Align, NoiseAs, Rest
from clusterdiff.clusterings import SOFT
from clusterdiff.errors import ClusterdiffError, MissingColumn, NoColumns, SeveralFiles
from clusterdiff.inputs import Workshop, listed_kinds
from clusterdiff.inputs.formats import own
from clusterdiff.inputs.patterns import names_of
from clusterdiff.inputs.runs import Runs, named_paths, refuse_few
from clusterdiff.meet import Policy

if TYPE_CHECKING:
    from clusterdiff.clusterings import AnyClustering


def flag(default: Any, help: str, metavar: str | None = None, *names: str) -> Any:
    """A field of a group of flags, with its default."""
    option = typer.Option(*names, metavar=metavar, help=help)
    return field(default=default, metadata={"option": option})


@dataclass(frozen=True, kw_only=True)
class Inputs:
    """What the flags say of the files and of the objects in them; each field is a flag."""

    kind: str | None = flag(
        None,
        "What the files hold: partition (default), cover, rough, fuzzy, possibilistic, "
        "evidential; or one kind for truth and one for the guesses, e.g. partition,fuzzy, "
        "or one for each file.",
        "KIND[,KIND]…",
    )
    align: Align = flag(Align.exact, "Objects on one side only.")
    noise: list[str] | None = flag(
        None, "A label that means noise, e.g. -1; null for empty labels.", "LABEL"
    )
    noise_as: NoiseAs = flag(NoiseAs.singletons, "How noise is treated.")
    samples: str | None = flag(None, "Column of samples (documents, streams).", "COLUMN")
    id: str | None = flag(
        None, "Column of the ids; several are one id together: doc,start,end.", "COLUMN[,COLUMN]…"
    )
    no_id: bool = flag(False, "Match objects by position; there are no ids.", None, "--no-id")
    cluster: str | None = flag(None, "Column of the clusters.", "COLUMN")
    degree: str | None = flag(None, "Column of the degrees.", "COLUMN")
    rest: Rest = flag(Rest.refuse, "Degrees of a fuzzy clustering that do not sum to one.")
    as_: str | None = flag(
        None,
        f"Format of the files: {', '.join(own())}, or one that a package adds.",
        "FORMAT",
        "--as",
    )
    header: bool | None = flag(
        None, "CSV: the first line names columns.", None, "--header/--no-header"
    )
    encoding: str | None = flag(
        None, "Encoding of text that is not UTF-8, e.g. windows-1252.", "NAME"
    )
    allow_network: bool = flag(
        False,
        "Read from the network: https://…, s3://…, postgres://….",
        None,
        "--allow-network",
    )
    engine: str = flag("duckdb", "")
    memory: str | None = flag(None, "Memory to take before spilling to disk, e.g. 4GB.", "SIZE")
    max_bytes: str | None = flag(
        None,
        "The most to read from a pipe (4GB by default), and from a file that is not a "
        "table (500MB).",
        "SIZE",
    )
    threads: int | None = flag(None, "Threads to use; all by default.")
    temp: str | None = flag(None, "Folder for temporary files, on a disk with room.", "DIR")
    master: str | None = flag(
        None, "Where Spark runs, e.g. local[4], spark://host:7077, sc://host.", "URL"
    )

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
        with Workshop(self.engine_asked(), whole=whole) as shop:
            left = self._read(shop, truth, kinds[0], True, unused)
            right = {
                name: self._read(shop, path, own, False, unused)
                for name, path, own in zip(names_of(guesses), guesses, kinds[1:], strict=True)
            }
            for option, error in unused:
                if sum(option == other for other, _ in unused) > len(guesses):
                    raise error
            yield shop, left, right

    @contextlib.contextmanager
    def runs(
        self, paths: Sequence[str], least: int = 2, what: str = "a matrix compares"
    ) -> Iterator[Runs]:
        """Several clusterings by name, each where it is; patterns stand for several of them."""
        how = {"encoding": self.encoding, "allow_network": self.allow_network}
        named = named_paths(paths, **how)
        refuse_few(len(named), least, what)
        if [path for _, path in named].count("-") > 1:
            raise ClusterdiffError(
                "standard input can be read once only.", "name files for all but one clustering."
            )
        unused: list[tuple[str, ClusterdiffError]] = []
        with Workshop(self.engine_asked()) as shop:
            sides = {
                name: self._read(shop, path, "partition", False, unused) for name, path in named
            }
            for option, error in unused:
                if sum(option == other for other, _ in unused) == len(named):
                    raise error
            yield Runs(shop, sides)

    def engine_asked(self) -> Any:
        """The engine that was asked for, with what it may take."""
        limits = {"--memory": self.memory, "--threads": self.threads, "--temp": self.temp}
        given = [flag for flag, value in limits.items() if value is not None]
        backend_for(self.engine)
        if self.master is not None and self.engine != "spark":
            raise ClusterdiffError("--master says where Spark runs.", "add --engine spark.")
        if self.engine == "duckdb":
            return DuckDB(memory=self.memory, threads=self.threads, temp=self.temp)
        if given:
            why, hint = {
                "spark": (
                    "Spark has settings of its own",
                    "set them where Spark runs, e.g. spark-submit --driver-memory 4g.",
                ),
                "arrays": ("--engine arrays reads everything into memory", "leave --engine out."),
            }.get(self.engine, (f"{self.engine} takes no limits", "leave it out."))
            raise ClusterdiffError(f"{given[0]} is for DuckDB; {why}.", hint)
        return Spark(master=self.master) if self.engine == "spark" else self.engine

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
            "encoding": self.encoding,
            "allow_network": self.allow_network,
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
        hints = get_type_hints(verb, include_extras=True)
        listed = {
            one.name: one.replace(
                kind=one.KEYWORD_ONLY, annotation=hints.get(one.name, one.annotation)
            )
            for one in inspect.signature(verb).parameters.values()
            if one.name != name
        }
        shared = {one.name: one for one in fields(group) if one.name not in without}
        types = get_type_hints(group)
        for key, one in shared.items():
            annotation: Any = Annotated[types[key], one.metadata["option"]]
            listed[key] = inspect.Parameter(
                key, inspect.Parameter.KEYWORD_ONLY, default=one.default, annotation=annotation
            )

        def run(**given: Any) -> None:
            verb(**{name: group(**{key: given.pop(key) for key in shared})}, **given)

        run.__signature__ = inspect.Signature(list(listed.values()))  # type: ignore[attr-defined]
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
    namesake = next((g for g in others if _stem(g) == _stem(truth)), None)
    if beside and namesake and len(others) > 1 and len({Path(g).parent for g in others}) == 1:
        raise SeveralFiles.from_shell(truth, beside[0], namesake)


def _stem(path: str) -> str:
    """The name of a file without its endings: documents of key and response differ in these."""
    return Path(path).name.partition(".")[0]


def _typed(noise: list[str]) -> list[str | float]:
    """Noise labels as text, and as the numbers that a typed column would hold."""
    numbers: list[float] = []
    for label in noise:
        with contextlib.suppress(ValueError):
            numbers.append(float(label))
    return [*noise, *numbers]
