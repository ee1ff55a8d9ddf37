"""The files of a command: read as the flags say, by the engine that they name."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any

from clusterdiff.cli.options import (
    Align,
    IgnoreIn,
    NoiseAs,
    Rest,
    VotingAlign,
    flag,
    is_default,
    with_flags,
)
from clusterdiff.clusterings import SOFT, LabelImage
from clusterdiff.clusterings.columns import is_whole
from clusterdiff.contingency import Policy, VotingPolicy
from clusterdiff.engines.duckdb import DuckDB
from clusterdiff.engines.protocol import Table, backend_for, kind_of
from clusterdiff.engines.spark import Spark
from clusterdiff.errors import ClusterdiffError, MissingColumn, NoColumns, ReadError
from clusterdiff.io import EngineSessions, listed_kinds
from clusterdiff.io.arguments import counted_sides
from clusterdiff.io.files import named_column
from clusterdiff.io.formats import own
from clusterdiff.io.read import begun, expanded, names_of
from clusterdiff.io.runs import Runs, check_few, named_paths
from clusterdiff.io.scored import PAIRS, file_of_pairs, linked
from clusterdiff.io.session import HELD
from clusterdiff.io.sides import PairOptions
from clusterdiff.io.speech import Scored

if TYPE_CHECKING:
    import typer

    from clusterdiff.clusterings import AnyClustering
    from clusterdiff.io.between import Sources
    from clusterdiff.io.sides import RecordOptions
    from clusterdiff.measures import Measure
    from clusterdiff.measures.compat import Convention
    from clusterdiff.statistics.confidence import Confidence

# ruff: noqa: RUF009, since `flag` makes a field


Unused = list[tuple[str, ClusterdiffError | None]]
"""Options that a file did not use, and what to say if no file did; nothing of --cluster where the
path names the same column.
"""


@dataclass(frozen=True, kw_only=True)
class Inputs:
    """What the flags say of the files and of the objects in them; each field is a flag."""

    kind: str | None = flag(
        None,
        "What the files hold: partition (the default), cover, rough, fuzzy, possibilistic or "
        "evidential. Give one for all files, one for truth and one for the guesses, e.g. "
        "partition,fuzzy, or one for each file.",
        "KIND[,KIND]…",
    )
    align: Align = flag(Align.exact, "What to do with objects that only one side has.")
    noise: list[str] | None = flag(
        None, "A label that means noise, e.g. -1; null for empty labels.", "LABEL"
    )
    noise_as: NoiseAs = flag(NoiseAs.singletons, "What to do with noise.")
    ignore: list[str] | None = flag(
        None,
        "A label of background in label images, e.g. 0: its pixels are left out; none for none.",
        "LABEL",
    )
    ignore_in: IgnoreIn = flag(
        IgnoreIn.truth, "Whether background is that of the truth (as in scikit-image) or of both."
    )
    samples: str | None = flag(
        None, "Column that names the sample of each object, e.g. its document.", "COLUMN"
    )
    stack: bool = flag(
        False, "Make each slice of label images along their first axis a sample.", None, "--stack"
    )
    count: str | None = flag(
        None,
        "Column that says how many objects each row stands for, e.g. milliseconds or pixels; "
        "counts in one file hold for all.",
        "COLUMN",
    )
    collar: float = flag(
        0.0, "Seconds around each boundary of the truth to leave out of speech.", "SECONDS"
    )
    skip_overlap: bool = flag(
        False, "Leave out time in which several speakers of the truth speak.", None,
        "--skip-overlap",
    )  # fmt: skip
    uem: str | None = flag(None, "Regions of speech to score, a UEM file.", "FILE")
    id: str | None = flag(
        None,
        "Column of the ids; several columns make one id, e.g. doc,start,end.",
        "COLUMN[,COLUMN]…",
    )
    no_id: bool = flag(False, "Match objects by position, without ids.", None, "--no-id")
    cluster: str | None = flag(None, "Column of the clusters.", "COLUMN")
    begins: list[str] | None = flag(
        None,
        "Column that says where a cluster begins, of rows in order: 1 or true there, 0 or false "
        "elsewhere. Repeat it for several columns.",
        "COLUMN",
    )
    degree: str | None = flag(None, "Column of the degrees.", "COLUMN")
    rest: Rest = flag(Rest.refuse, "What to do with fuzzy degrees that do not sum to one.")
    as_: str | None = flag(
        None,
        f"Format of the files: {', '.join(own())}, or one that a package adds. Give one for all "
        "files, one for truth and one for the guesses, or one for each file.",
        "FORMAT[,FORMAT]…",
        "--as",
    )
    threshold: float | None = flag(
        None, "Link pairs that score at least T (--as pairs, --pairs).", "T"
    )
    left: str | None = flag(
        None, "Column of the first id of pairs; several columns make one id.", "COLUMN[,COLUMN]…"
    )
    right: str | None = flag(None, "Column of the second id of pairs.", "COLUMN[,COLUMN]…")
    score: str | None = flag(None, 'Column of the scores of pairs; "" for none.', "COLUMN")
    distance: bool | None = flag(
        None,
        "Whether small or large scores link pairs; the name of the column decides by default.",
        None,
        "--distance/--similarity",
    )
    header: bool | None = flag(
        None, "Whether the first line of CSV names the columns.", None, "--header/--no-header"
    )
    encoding: str | None = flag(
        None, "Encoding of text that is not UTF-8, e.g. windows-1252.", "NAME"
    )
    allow_network: bool = flag(
        False,
        "Allow reading from the network: https://…, s3://…, postgres://….",
        None,
        "--allow-network",
    )
    engine: str = flag("duckdb", "")
    memory: str | None = flag(None, "Memory to use before spilling to disk, e.g. 4GB.", "SIZE")
    max_bytes: str | None = flag(
        None,
        "The most to read from a pipe (4GB by default) or from a file that is not a table "
        "(500MB by default).",
        "SIZE",
    )
    threads: int | None = flag(None, "Threads to use; all by default.")
    temp: str | None = flag(None, "Folder for temporary files, on a disk with room.", "DIR")
    master: str | None = flag(
        None, "Address of Spark, e.g. local[4], spark://host:7077, sc://host.", "URL"
    )
    spark_conf: list[str] | None = flag(
        None,
        "Setting of the Spark session, e.g. spark.executor.memory=4g; repeatable.",
        "KEY=VALUE",
    )

    @property
    def policy(self) -> Policy:
        """What becomes of objects on one side only, and of noise."""
        return Policy(self.align.value, self.noise_labels, self.noise_as.value)

    @property
    def noise_labels(self) -> list[Any] | None:
        """The labels that mean noise, as text, as numbers and as null."""
        given = self.noise or []
        return [*_typed(given), *([None] if "null" in given else [])] or None

    def under(
        self, convention: Convention, ctx: typer.Context, asked: Sequence[Measure] = ()
    ) -> Inputs:
        """The same with what the convention of a package does with objects on one side only, and
        with background.
        """
        given = None if is_default(ctx, "align") else self.align.value
        ground = convention.background(asked or None, self.background)
        ignore = None if ground is None else list(map(str, ground)) or ["none"]
        return replace(self, align=Align(convention.align(given)), ignore=ignore)

    def with_sources(self, between: str | None) -> Inputs:
        """The same where a column names the source of each object, which is read as samples are."""
        if between is None:
            return self
        if self.samples is not None:
            raise ClusterdiffError(
                "--between and --samples are not taken together.", "leave --samples out."
            )
        return replace(self, samples=between)

    def sources_beside(self, between: str | None, paths: Sequence[str]) -> Sources | None:
        """Where files have samples and sources: the files, with the sources as their clusters."""
        if between is None or self.samples is None:
            return None
        from clusterdiff.io.between import read_sources

        plain = replace(self.without_pairs(), cluster=None, count=None, kind=None, begins=None)
        files = [named_column(path)[0] for path in paths]
        if "-" in files:
            raise ClusterdiffError(
                "samples and sources are read one after the other, and standard input is read once "
                "only.",
                "name files.",
            )
        return read_sources(lambda file: plain.opened(f"{file}::{between}"), files, between)

    @property
    def access(self) -> dict[str, Any]:
        """How files are opened."""
        return {"encoding": self.encoding, "allow_network": self.allow_network}

    def expanded(self, guesses: Sequence[str]) -> list[str]:
        """The guesses, with table.csv::run_* written out as the columns that it matches."""
        return [one for path in guesses for one in expanded(path, one_table=True, **self.access)]

    @contextlib.contextmanager
    def opened(
        self,
        truth: str,
        *guesses: str,
        whole: bool = False,
        each: int = HELD,
        levels: Sequence[str] = (),
        beside: bool = False,
    ) -> Iterator[tuple[EngineSessions, AnyClustering | Table, dict[str, AnyClustering | Table]]]:
        """The engines, truth, and the guesses by name, each where it is; `whole`, in memory, where
        a row takes `each` bytes. `levels` are further truths, and come before the guesses. `beside`
        says that other sides have the same counts, so that these are left as they are.
        """
        paths = [truth, *guesses]
        kinds = _for_each(listed_kinds(self.kind or "partition"), len(paths), "kind")
        formats = self._formats(len(paths))
        _check_expanded(truth, guesses)
        if self.rest is not Rest.refuse and "fuzzy" not in kinds:
            raise ClusterdiffError(
                "--rest is for degrees of a fuzzy clustering.",
                "say --kind fuzzy, or leave --rest out.",
            )
        if guesses and self.as_ == PAIRS and truth != "-":
            formats[0] = PAIRS if file_of_pairs(truth, **self.pair_options()) else None
        paths[1:1] = levels
        kinds[:0], formats[:0] = kinds[:1] * len(levels), formats[:1] * len(levels)
        sides = self._sides(paths, kinds, formats, whole, truth=True, each=each, beside=beside)
        with sides as (sessions, (left, *right)):
            yield sessions, left, dict(zip(names_of(paths[1:]), right, strict=True))

    @contextlib.contextmanager
    def runs(
        self,
        paths: Sequence[str],
        least: int = 2,
        what: str = "a matrix compares",
        beside: bool = False,
    ) -> Iterator[Runs]:
        """Several clusterings by name, each where it is; patterns stand for several of them. They
        may be `beside` others that have the same counts.
        """
        named = named_paths(paths, **self.access)
        check_few(len(named), least, what, paths)
        names, files = zip(*named, strict=True)
        kinds, formats = ["partition"] * len(files), self._formats(len(files))
        with self._sides(files, kinds, formats, beside=beside) as (sessions, sides):
            yield Runs(sessions, dict(zip(names, sides, strict=True)))

    @contextlib.contextmanager
    def _sides(
        self,
        paths: Sequence[str],
        kinds: list[str],
        formats: list[str | None],
        whole: bool = False,
        truth: bool = False,
        each: int = HELD,
        beside: bool = False,
    ) -> Iterator[tuple[EngineSessions, list[AnyClustering | Table]]]:
        """The engines and the clusterings of files, the first of which may be `truth`; an option
        that no file uses is refused.
        """
        if paths.count("-") > 1:
            raise ClusterdiffError(
                "standard input can be read once only.", "name files for all but one clustering."
            )
        unused: Unused = []
        with EngineSessions(self.engine_asked(), whole=whole, each=each) as sessions:
            sides = [
                self._as_image(
                    path,
                    self._read(sessions, path, kind, form, truth and place == 0, unused),
                    place == 0,
                )
                for place, (path, kind, form) in enumerate(zip(paths, kinds, formats, strict=True))
            ]
            for option, error in unused:
                if error and sum(option == other for other, _ in unused) >= len(paths):
                    raise error
            if beside:
                yield sessions, sides
                return
            scored = Scored(self.collar, self.skip_overlap, self.uem)
            yield sessions, counted_sides(sessions, sides, self.count, None, self.kind, scored)

    def _as_image(
        self, path: str, side: AnyClustering | Table, first: bool
    ) -> AnyClustering | Table:
        """A label image with the background that was named, as a stack where that was asked for."""
        if not self.background and not self.stack:
            return side
        if not isinstance(side, LabelImage):
            flag = "--stack" if self.stack else "--ignore"
            raise ClusterdiffError(
                f"{flag} is for label images, and {path} is none.",
                "leave it out; --noise 0 --noise-as drop leaves out objects with the label 0.",
            )
        ground = self.background if first or self.ignore_in is IgnoreIn.both else None
        return side.with_options(ignore=ground, stack=self.stack or None)

    @property
    def background(self) -> list[int] | None:
        """The labels of background; None where nothing is said, nothing for "none"."""
        if self.ignore is None:
            return None
        named = [text for text in self.ignore if text != "none"]
        if wrong := [text for text in named if not is_whole(text)]:
            raise ClusterdiffError(
                f"--ignore {wrong[0]} is no label of an image: these are whole numbers.",
                "write --ignore 0, or --ignore 0 --ignore 255.",
            )
        return list(map(int, named))

    def engine_asked(self) -> Any:
        """The engine that was asked for, with what it may take."""
        limits = {"--memory": self.memory, "--threads": self.threads, "--temp": self.temp}
        given = [flag for flag, value in limits.items() if value is not None]
        backend_for(self.engine)
        if self.master is not None and self.engine != "spark":
            raise ClusterdiffError("--master says where Spark runs.", "add --engine spark.")
        settings = [setting.partition("=") for setting in self.spark_conf or []]
        if settings and self.engine != "spark":
            raise ClusterdiffError("--spark-conf is a setting of Spark.", "add --engine spark.")
        for key, equals, value in settings:
            if not (key.startswith("spark.") and equals and value):
                raise ClusterdiffError(
                    f"--spark-conf {key}{equals}{value} is not a setting of Spark.",
                    "write a key and a value, e.g. --spark-conf spark.executor.memory=4g.",
                )
        if self.engine == "duckdb":
            return DuckDB(memory=self.memory, threads=self.threads, temp=self.temp)
        if given:
            why, hint = {
                "spark": (
                    "Spark has settings of its own",
                    "give them as settings, e.g. --spark-conf spark.driver.memory=4g.",
                ),
                "arrays": ("--engine arrays reads everything into memory", "leave --engine out."),
            }.get(self.engine, (f"{self.engine} takes no limits", "leave it out."))
            raise ClusterdiffError(f"{given[0]} is for DuckDB; {why}.", hint)
        if self.engine != "spark":
            return self.engine
        return Spark(master=self.master, conf={key: value for key, _, value in settings})

    @property
    def columns_of_pairs(self) -> dict[str, str | None]:
        """The columns of pairs that were named."""
        return {"left": self.left, "right": self.right, "score": self.score}

    def without_pairs(self) -> Inputs:
        """The same for a file beside the pairs, which is none of them."""
        form = None if self.as_ == PAIRS else self.as_
        return replace(
            self, as_=form, threshold=None, left=None, right=None, score=None, distance=None
        )

    def beside_pairs(
        self, pairs: str | None, paths: Sequence[str]
    ) -> tuple[Inputs, PairOptions | None]:
        """How the other files are read, and the scored pairs that are shown, if there are any."""
        if pairs is None:
            return self, None
        if pairs == "-" and "-" in paths:
            raise ClusterdiffError(
                "standard input can be read once only.", "name a file for the pairs."
            )
        named = PAIRS in (self.as_ or "").split(",")
        names = {**self.columns_of_pairs, "id": self.id}
        asked = PairOptions(
            pairs, self.threshold, names, self.distance, self.engine_asked(), self.pair_options()
        )
        return self if named else self.without_pairs(), asked

    def pair_options(self) -> dict[str, Any]:
        """How a file of pairs is read."""
        return {"header": self.header, "max_bytes": self.max_bytes, **self.access}

    def _formats(self, files: int) -> list[str | None]:
        """The format of each file, as kinds are said: of all, of truth and guesses, or of each."""
        said = re.split(r",(?![^(]*\))", self.as_ or "")
        asked = {"threshold": self.threshold, "distance": self.distance, **self.columns_of_pairs}
        if PAIRS not in said and (
            named := [name for name, one in asked.items() if one is not None]
        ):
            raise ClusterdiffError(f"--{named[0]} is for pairs.", "add --as pairs.")
        return [form or None for form in _for_each(said, files, "format")]

    def _linked(
        self, sessions: EngineSessions, path: str, truth: bool, unused: Unused
    ) -> AnyClustering:
        """The clusters that pairs make; truth says which sample an object is in."""
        if self.samples is not None:
            error = MissingColumn.from_names(path, self.samples, (), "sample")
            if truth:
                raise error
            unused.append(("sample", error))
        engine = self.engine_asked()
        names = {**self.columns_of_pairs, "id": self.id}
        return linked(
            path, self.threshold, names=names, distance=self.distance,
            engine=engine if isinstance(engine, DuckDB) else None, **self.pair_options(),
        )  # fmt: skip

    def _read(
        self,
        sessions: EngineSessions,
        path: str,
        kind: str,
        form: str | None,
        truth: bool,
        unused: Unused,
    ) -> AnyClustering | Table:
        """A clustering; where a guess has no column of samples, truth says which sample an object
        is in, where a file has no column of degrees it has none, and a file without columns needs
        none of the flags. `unused` is told which of them this file did not use.
        """
        if form == PAIRS:
            return self._linked(sessions, path, truth, unused)
        if self.no_id and self.id:
            raise ClusterdiffError(
                f"--id {self.id} and --no-id contradict each other.", "leave one of them out."
            )
        column = named_column(path)[1]
        if self.cluster and column:
            error = ClusterdiffError(
                f"--cluster {self.cluster} is not used: each path names its column, "
                f"such as {path}.",
                f"leave --cluster {self.cluster} out, or the column behind ::.",
            )
            unused.append(("cluster", error if column != self.cluster else None))
        options: dict[str, Any] = {
            "kind": kind,
            "id": "" if self.no_id else self.id,
            "cluster": self.cluster,
            "degree": self.degree,
            "rest": self.rest.value,
            "as_": form,
            "sample": self.samples,
            "count": self.count,
            **self.pair_options(),
        }
        flags = self._beginnings(path, column or self.cluster)
        while True:
            try:
                made = sessions.path(path, **options | ({"cluster": flags[0]} if flags else {}))
            except MissingColumn as error:
                if flags[:1] == [error.column]:
                    said = MissingColumn(error.message, "name one of its columns with --begins.")
                    unused.append((f"begins {error.column}", said))
                    del flags[0]
                    continue
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
                return begun(sessions.loaded(made), flags[0]) if flags else made

    def _beginnings(self, path: str, column: str | None) -> list[str]:
        """The columns that may say where clusters of a file begin; a path that names its column
        has that one, if it is one of them.
        """
        named = list(self.begins or ())
        if named and self.engine == "spark":
            raise ClusterdiffError(
                "--begins needs rows in their order, which Spark does not keep.",
                "leave --engine spark out.",
            )
        return named if column is None else [column] if column in named else []


@dataclass(frozen=True, kw_only=True)
class VotingInputs(Inputs):
    """The flags of a verb in which runs may abstain."""

    align: VotingAlign = flag(  # type: ignore[assignment]
        VotingAlign.exact, "What to do with objects that a run lacks."
    )

    @property
    def policy(self) -> Policy:
        """What becomes of objects that a run lacks, and of noise."""
        return VotingPolicy(self.align.value, self.noise_labels, self.noise_as.value)


OF_IMAGES = ("ignore", "ignore_in", "stack")
"""Flags of verbs that count pixels and need none of them by itself."""


def with_inputs(
    *without: str, images: bool = False
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """A verb whose parameter `inputs` stands for all flags of `Inputs`, but those named."""
    return with_flags("inputs", Inputs, *without, *(() if images else OF_IMAGES))


def _for_each(said: list[str], files: int, what: str) -> list[str]:
    """One for all files, one for truth and one for the rest, or one for each."""
    if len(said) <= 2:
        return [said[0], *[said[-1]] * (files - 1)]
    if len(said) != files:
        raise ClusterdiffError(
            f"{len(said)} {what}s do not fit {files} files: they are too many or too few.",
            f"{what} is one for all files, one for truth and one for the guesses, or one for each.",
        )
    return said


def _check_expanded(truth: str, guesses: tuple[str, ...]) -> None:
    """Refuse what the shell makes of `truth/*.csv guess/*.csv`: files of truth as guesses."""
    first = Path(truth)
    beside = [g for g in guesses if Path(g).parent == first.parent and g != truth]
    others = [g for g in guesses if Path(g).parent != first.parent]
    namesake = next((g for g in others if _stem(g) == _stem(truth)), None)
    if beside and namesake and len(others) > 1 and len({Path(g).parent for g in others}) == 1:
        raise ReadError(
            f"truth is {truth} alone, and {beside[0]} from the same folder would be a guess beside "
            f"{namesake}: this looks like two patterns that the shell has expanded.",
            "quote them to compare each as one table, 'truth/*.csv' 'guess/*.csv'; or compare "
            "file by file.",
        )


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


# Flags for confidence intervals.

# ruff: noqa: RUF009, since `flag` makes a field


class UnitChoice(StrEnum):
    """The unit that is resampled."""

    components = "components"
    samples = "samples"
    objects = "objects"


class Method(StrEnum):
    """How an interval is computed."""

    jackknife = "jackknife"
    bootstrap = "bootstrap"
    betting = "betting"


@dataclass(frozen=True, kw_only=True)
class Sureness:
    """What the flags say of confidence intervals; each field is a flag."""

    confidence: float | None = flag(None, "Add confidence intervals, e.g. 95.", "PERCENT")
    units: UnitChoice | None = flag(
        None,
        "The unit that is resampled: samples if there are any, otherwise connected components of "
        "clusters.",
    )
    strata: str | None = flag(
        None, "Column that names the stratum of each sample, e.g. its genre.", "COLUMN"
    )
    method: Method = flag(Method.jackknife, "How intervals are computed.")
    seed: int = flag(0, "Seed of random draws.")

    def asked(self, inputs: Inputs, truth: str) -> Confidence | None:
        """What is asked of intervals, if anything."""
        if self == Sureness():
            return None
        from clusterdiff.statistics.confidence import Confidence

        return Confidence.of(
            self.confidence,
            None if self.units is None else self.units.value,
            self.method.value,
            None if self.strata is None else strata_of(inputs, truth, self.strata),
            self.seed,
        )


@dataclass(frozen=True, kw_only=True)
class ShownRecords:
    """What the flags say of the records that stand beside objects; each field is a flag."""

    records: str | None = flag(
        None, "Table with more columns for each object, joined by id.", "FILE"
    )
    show: str | None = flag(
        None,
        'Columns to show beside objects, "all" or "none"; by default the first eight other '
        "columns of the tables.",
        "COLUMN[,COLUMN]…",
    )

    def asked(self, inputs: Inputs) -> RecordOptions:
        """What is asked of records, in a table that is read as the others are."""
        from clusterdiff.io.sides import RecordOptions

        how = inputs.pair_options()
        return RecordOptions(self.records, self.show, inputs.id, how, inputs.engine_asked())


def with_records() -> Callable[[Callable[..., None]], Callable[..., None]]:
    """A verb whose parameter `shown` stands for all flags of `ShownRecords`."""
    return with_flags("shown", ShownRecords)


def with_confidence() -> Callable[[Callable[..., None]], Callable[..., None]]:
    """A verb whose parameter `sureness` stands for all flags of `Sureness`."""
    return with_flags("sureness", Sureness)


def strata_of(inputs: Inputs, truth: str, column: str) -> dict[str, Any]:
    """The stratum of each sample, from a column of the file of truth."""
    if inputs.samples is None:
        raise ClusterdiffError(
            "--strata groups samples, and there are none.", "name their column with --samples."
        )
    path, _, last = truth.rpartition("::")
    file = path if path and "/" not in last else truth
    with replace(inputs, cluster=column, count=None).opened(file, whole=True) as (
        sessions,
        side,
        _,
    ):
        known: Any = sessions.loaded(side)
        pairs = dict.fromkeys(zip(known.samples.tolist(), known.labels.tolist(), strict=True))
    found: dict[str, Any] = {}
    for sample, stratum in pairs:
        if found.setdefault(str(sample), stratum) != stratum:
            raise ClusterdiffError(
                f"sample {sample} is in two strata: {found[str(sample)]} and {stratum}.",
                f"give each sample one value of {column}.",
            )
    return found
