"""The engine beyond one machine: the same joins and GROUP BYs on PySpark frames."""

from __future__ import annotations

import os
import re
import socket
import sys
import time
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from typing import Any

from clusterdiff.cleanup import temporary_folder
from clusterdiff.clusterings import AnyClustering, Column, Partition, column
from clusterdiff.engines.columns import (
    asked_as,
    check_parts,
    find_columns,
    made_of_matrix,
    made_of_rows,
)
from clusterdiff.engines.duckdb import DuckDB
from clusterdiff.engines.protocol import NeedsMemory, NoRows, Session, Table
from clusterdiff.errors import FRAME, ClusterdiffError, InputError, ReadError, shorten

WHOLE = ("tinyint", "smallint", "int", "bigint")
REAL = ("float", "double")


@dataclass(frozen=True)
class Spark:
    """The engine for data beyond one machine: a Spark session, or where to start one.

    `master` is e.g. "local[4]", "spark://host:7077", "yarn", or "sc://host" for Spark Connect.
    Without either, the session that is active is taken, or one is started on this machine.
    `conf` has settings for a session that is started, e.g. {"spark.executor.memory": "4g"}.
    """

    session: Any = None
    master: str | None = None
    conf: Mapping[str, str] = field(default_factory=dict)


class SparkSession(Session):
    """A Spark session; views in it are dropped at the end, and it is stopped if it was ours."""

    remote = True
    few = 2_000_000

    def __init__(self, how: Spark) -> None:
        super().__init__()
        self.memory = DuckDB().bytes
        self._frames: dict[str, Any] = {}
        self.spark, self._ours = (how.session, False) if how.session else _started(how)
        self._bytes = 0
        self._own_partitions = (
            self._ours
            and self._is_classic
            and self.spark.sparkContext.getConf().get(PARTITIONS) is None
        )

    def close(self) -> None:
        super().close()
        if self._ours:
            self.spark.stop()
        elif self._is_classic:
            self.spark.sparkContext.setJobDescription(None)

    def view(self, query: str) -> str:
        return self._named(self._sql(query))

    def keep(self, query: str, doing: str) -> str:
        frame = self._sql(query)
        name = self._named(told(frame.persist))
        self._frames[name] = frame
        return name

    def lookup(self, query: str, doing: str) -> str:
        return self.view(query)

    def fetch(self, query: str, doing: str = "") -> Any:
        frame = self._sql(query)
        if self._is_classic:
            self.spark.sparkContext.setJobDescription(f"clusterdiff: {doing or 'looking'}")
        return told(frame.toArrow)

    def uploaded_rows(self, rows: Any) -> str:
        return self._named(told(lambda: self.spark.createDataFrame(rows)))

    def frame_of(self, query: str, names: tuple[str, ...]) -> Any:
        return self._sql(query).toDF(*names)

    def free(self, *names: str) -> None:
        """Nothing yet: what is kept may be asked for by name until the end."""

    def drop(self, name: str) -> None:
        with suppress(ClusterdiffError):
            if name in self._frames:
                told(self._frames.pop(name).unpersist)
            told(lambda: self.spark.catalog.dropTempView(name))

    def refuse(self, unfit: NeedsMemory) -> None:
        if isinstance(unfit, NoRows):
            raise InputError.empty("a table")
        raise ClusterdiffError(
            f"Spark cannot compare these: {shorten(str(unfit), 120)}.",
            "cast ids and clusters to whole numbers or text, name ids and samples in both tables; "
            "or compare in memory, cd.compare(truth.toPandas(), guess.toPandas()).",
        )

    def text(self, value: str) -> str:
        return f"CAST(X'{value.encode().hex()}' AS STRING)"

    def some(self, columns: str, view: str, share: float) -> str:
        return f"SELECT {columns} FROM {view} TABLESAMPLE ({100 * share:.6f} PERCENT)"

    def is_nan(self, value: str) -> str:
        return f"isnan({value})"

    def sorted_set(self, value: str) -> str:
        return f"sort_array(collect_set({value}))"

    def sorted_pairs(self, first: str, second: str) -> str:
        return f"sort_array(collect_list(named_struct('a', {first}, 'b', {second})))"

    def length(self, value: str) -> str:
        return f"CASE WHEN {value} IS NULL THEN 0 ELSE size({value}) END"

    def listed(self, values: list[str]) -> str:
        return f"array({', '.join(f'CAST({v} AS DOUBLE)' for v in values)})"

    def frame(
        self,
        frame: Any,
        kind: str,
        sample: str | None = None,
        *,
        rest: str = "refuse",
        shown: str = FRAME,
        written: bool = False,
        bare: Callable[[str, int], int] | None = None,
        **asked: Any,
    ) -> Table:
        """A Spark frame as a table; its columns may be asked for as `find_columns` has it."""
        if frame.sparkSession is not self.spark and not self._is_same(frame.sparkSession):
            raise ClusterdiffError(
                "the frames are of different Spark sessions, which share no tables.",
                "make both in one session, e.g. spark.read.parquet(…).",
            )
        names = told(lambda: list(frame.columns))
        columns = find_columns(shown, names, sample=sample, kind=kind, **asked)
        if columns.parts:
            types = {one.name: one.dataType.simpleString() for one in told(lambda: frame.schema)}
            check_parts(shown, {name: _family(types[name]) for name in columns.parts})
        name = self.chosen(frame, columns.named)
        view = self._sql(f"SELECT * FROM {name}")
        schema = told(lambda: view.schema)
        families = {field.name: _family(field.dataType.simpleString()) for field in schema}
        table = Table(
            self, name, columns, families, kind, shown, lambda: self._loaded(table),
            written=written, rest=rest, bare=bare,
        )  # fmt: skip
        return table

    def _loaded(self, table: Table) -> AnyClustering:
        """A table in memory, in the order of its ids: in Spark rows have none."""
        import pyarrow as pa

        if table.columns.id is None:
            raise ClusterdiffError(
                f"{table.shown} has no ids, and in Spark rows have no order that would say which "
                "objects are the same.",
                "add a column of ids to both.",
            )
        rows = self.fetch(f"SELECT * FROM {table.view}", f"reading {table.shown}")
        given = {name: _as_it_reads(rows.column(name), table.written) for name in rows.column_names}
        given.pop("here")
        rows, keys = pa.table(given), [key for key in ("sample", "id") if key in given]
        with suppress(NotImplementedError):  # ids of types that have no order, such as lists
            rows = rows.sort_by([(key, "ascending") for key in keys])

        def taken(name: str) -> Column | None:
            return column(rows.column(name), written=table.written) if name in given else None

        ids, samples, counts, labels = map(taken, ("id", "sample", "counts", "cluster"))
        if table.columns.wide:
            degrees = [rows.column(f"w{i}").to_numpy() for i in range(len(table.columns.wide))]
            known = table.kind, table.shown, table.columns, ids, samples, degrees
            return table.columns.counted(made_of_matrix(*known, table.rest), counts, ids, samples)
        degree = rows.column("degree").to_numpy() if "degree" in given else None
        found = table.columns.checked(
            table.shown,
            lambda: made_of_rows(table.kind, labels, ids, samples, degree, table.rest),
        )
        if table.bare is not None and labels is not None:
            words = labels.null_words.items()
            found.bare_words = {word: table.bare(word, n) for word, n in words if n > 1}
        return asked_as(table.kind, table.columns.counted(found, counts, ids, samples))

    def chosen(self, frame: Any, named: Callable[[Callable[[str], str]], str]) -> str:
        """The name of a view of a frame with the columns that `named` writes in SQL, given what
        each column is called there.
        """
        names = told(lambda: list(frame.columns))
        plain = frame.toDF(*(f"c{i}" for i in range(len(names))))
        chosen = named(lambda own: f"c{names.index(own)}")
        # A view that is the user's frame to Spark would take the frame from its cache at the end.
        source = self._named(plain.selectExpr("*", "1 AS here"))
        self._fit_partitions(plain)
        return self.view(f"SELECT {chosen}, 1 AS here FROM {source}")

    def _fit_partitions(self, frame: Any) -> None:
        """Set the partitions of a shuffle by what is read. Spark's 200 are 200 tasks for each join
        of a few rows, which takes minutes; a number that somebody set stays.
        """
        if not self._own_partitions:
            return
        size = told(lambda: frame._jdf.queryExecution().optimizedPlan().stats().sizeInBytes())
        self._bytes += min(int(str(size)), MOST_BYTES)
        cores = self.spark.sparkContext.defaultParallelism
        many = max(2 * cores, -(-self._bytes // BYTES_EACH))
        self.spark.conf.set(PARTITIONS, str(many))

    def _is_same(self, session: Any) -> bool:
        """Whether two objects stand for one session of Spark."""
        if not self._is_classic:
            return bool(session.session_id == self.spark.session_id)
        return bool(session._jsparkSession.equals(self.spark._jsparkSession))

    def uploaded(self, partition: AnyClustering) -> Table:
        """A partition that is in memory, as a table of this session."""
        import pyarrow as pa

        if not isinstance(partition, Partition) or partition.ids is None:
            raise NeedsMemory("one side is in memory, and no partition with ids")
        if not {partition.ids.family, partition.labels.family} <= {"integers", "text"}:
            raise NeedsMemory("one side is in memory, and not of whole numbers or text")
        columns = {"cluster": partition.labels.arrow(), "id": partition.ids.arrow()}
        if partition.samples is not None:
            columns["sample"] = partition.samples.arrow()
        frame = told(lambda: self.spark.createDataFrame(pa.table(columns)))
        sample = "sample" if "sample" in columns else None
        known = partition.bare_words
        bare = (lambda word, _: known.get(word, 0)) if partition.labels.written else None
        table = self.frame(frame, "partition", sample, written=partition.ids.written, bare=bare)
        return replace(table, made=partition.labels.made)

    @property
    def _is_classic(self) -> bool:
        """Whether the driver is here, not behind Spark Connect."""
        return "connect" not in type(self.spark).__module__

    def _sql(self, query: str) -> Any:
        return told(lambda: self.spark.sql(query))

    def _named(self, frame: Any) -> str:
        name = self._new_name()
        told(lambda: frame.createOrReplaceTempView(name))
        return name


PARTITIONS = "spark.sql.shuffle.partitions"
BYTES_EACH = 64 << 20
"""Bytes of input for each partition of a shuffle."""
MOST_BYTES = 1 << 44
"""Spark says 2⁶³ where it does not know how much it will read."""
PORTS = {"spark": 7077, "sc": 15002}
REACHED, WAITED, TOLD_AFTER = 10, 120, 3
"""Seconds until a master that does not answer is given up, until one without executors is, and
until somebody who waits is told so.
"""


def _check_reachable(master: str) -> None:
    """Refuse an address where nothing listens; Spark itself takes minutes to give it up."""
    scheme, _, rest = master.partition("://")
    if scheme not in PORTS or not rest:
        return
    why = ""
    for place in re.split(r"[/;]", rest)[0].split(","):  # several masters, of which one leads
        host, _, port = place.rpartition(":") if ":" in place else (place, "", "")
        try:
            with socket.create_connection((host, int(port or PORTS[scheme])), REACHED):
                return
        except ValueError:
            return  # Spark says what is wrong with the address
        except OSError as error:
            why = str(error.strerror or error)
    raise ClusterdiffError(
        f"Spark does not answer at {master}: {why}.",
        "check the address and that the cluster runs; --master 'local[*]' computes on this "
        "machine.",
    )


def _wait_for_executors(spark: Any, master: str) -> None:
    """Wait until a cluster gives an executor; without one, work would wait in silence for ever."""
    context = spark.sparkContext
    if context.getConf().get("spark.dynamicAllocation.enabled", "false") == "true":
        return
    if master.startswith("local"):
        return
    known, began, told_so = context._jsc.sc().getExecutorMemoryStatus, time.monotonic(), False
    while known().size() < 2:  # the driver is one of them
        passed = time.monotonic() - began
        if passed > WAITED:
            raise ClusterdiffError(
                f"Spark at {master} gave no executor within {WAITED} seconds.",
                "check in its web interface that workers are registered and have free cores and "
                "memory; --spark-conf spark.executor.memory=1g asks for less.",
            )
        if passed > TOLD_AFTER and not told_so:
            told_so = True
            warnings.warn(f"waiting for executors of {master}.", stacklevel=2)
        time.sleep(0.1)


def _started(how: Spark) -> tuple[Any, bool]:
    """A session: the one that is active, or a new one, and whether it is new."""
    master = how.master
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FutureWarning)
            from pyspark import SparkContext
            from pyspark.sql import SparkSession as Native
    except ImportError:
        raise ClusterdiffError(
            "this needs Spark, which is not installed.", "pip install 'clusterdiff[spark]'"
        ) from None
    active = Native.getActiveSession()
    if active is not None and not master:
        return active, False
    running = active is not None or SparkContext._active_spark_context is not None
    builder = Native.builder.appName("clusterdiff")
    if master is not None:
        _check_reachable(master)
    if master is not None and master.startswith("sc://"):
        builder = builder.remote(master)
    elif not running:
        shown = sys.stderr is not None and sys.stderr.isatty()
        builder = (
            builder.config("spark.ui.enabled", "false")
            .config("spark.ui.showConsoleProgress", str(shown).lower())
            .config("spark.log.level", "OFF")  # errors come as exceptions
        )
        if master or "PYSPARK_GATEWAY_PORT" not in os.environ:  # spark-submit knows the master
            builder = builder.master(master or "local[*]")
    for key, value in how.conf.items():
        builder = builder.config(key, value)
    try:
        with warnings.catch_warnings(), _quietly(shown=running):
            warnings.simplefilter("ignore", FutureWarning)
            made = builder.getOrCreate()
    except ImportError as error:  # grpc and others, which only Spark Connect needs
        raise ClusterdiffError(
            f"Spark Connect lacks a package: {shorten(str(error), 160)}",
            "pip install 'pyspark[connect]'",
        ) from None
    except Exception as error:
        if not _is_of_spark(error):
            raise
        if "PACKAGE_NOT_INSTALLED" in str(error):
            raise ClusterdiffError(
                f"Spark Connect lacks a package: {shorten(_first_line(error), 160)}",
                "pip install 'pyspark[connect]'",
            ) from None
        if "JAVA" in str(error).upper():
            raise ClusterdiffError(
                "Spark could not be started: it needs Java 17 or later.",
                "install Java (e.g. apt install openjdk-17-jre-headless) and set JAVA_HOME.",
            ) from None
        raise _sorry(error) from None
    if not running and master is not None and not master.startswith("sc://"):
        try:
            _wait_for_executors(made, master)
        except BaseException:
            made.stop()
            raise
    return made, not running


def _is_of_spark(error: Exception) -> bool:
    """Whether Spark, its Java or the network between says so, not this program."""
    modules = ("pyspark", "py4j", "grpc")
    return isinstance(error, OSError) or type(error).__module__.startswith(modules)


@contextmanager
def _quietly(shown: bool) -> Iterator[None]:
    """Keep what a starting Java says from the terminal; its errors come as exceptions."""
    if shown or sys.stderr is None or os.environ.get("SPARK_CONF_DIR"):
        yield
        return
    with temporary_folder() as folder:
        (folder / "log4j2.properties").write_text(QUIET, encoding="utf-8")
        os.environ["SPARK_CONF_DIR"] = str(folder)
        try:
            yield
        finally:
            del os.environ["SPARK_CONF_DIR"]


QUIET = """rootLogger.level = off
rootLogger.appenderRef.stderr.ref = console
appender.console.type = Console
appender.console.name = console
appender.console.target = SYSTEM_ERR
appender.console.layout.type = PatternLayout
appender.console.layout.pattern = %m%n
logger.gateway.name = org.apache.spark.api.python.PythonGatewayServer
logger.gateway.level = off
"""


def told(work: Callable[[], Any], path: str = "") -> Any:
    """What Spark answers; its errors in a line."""
    from pyspark.errors import PySparkException

    try:
        return work()
    except Exception as error:
        if path and isinstance(error, PySparkException):
            raise ReadError.from_engine(path, _first_line(error)) from None
        if _is_of_spark(error) and not isinstance(error, OSError):
            raise _sorry(error) from None
        raise


def _first_line(error: Exception) -> str:
    """The line of an error that says what it is."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    classed = [line for line in lines if line.startswith("[") or ": [" in line]
    return (classed or lines or [repr(error)])[0]


MISMATCH = re.compile(
    r"reading file (\S+?)\. .*?column \[(.+?)\]\. Expected Spark type (.+?), "
    r"actual Parquet type (\w+)"
)


def _sorry(error: Exception) -> ClusterdiffError:
    if found := MISMATCH.search(str(error)):
        file, column, kind, other = found.groups()
        return ClusterdiffError(
            f"the column {column!r} is {kind} in some of the Parquet files that are read as one "
            f"table, and {other} in {file}.",
            "write all files with the same types, or cast the column of each to text and give "
            "their union as a frame.",
        )
    return ClusterdiffError(
        f"Spark stopped: {shorten(_first_line(error), 300)}",
        "look at Spark's own log; with less data it may say more.",
    )


def _as_it_reads(values: Any, written: bool) -> Any:
    """Values of an Arrow column; those that were written as text are whole numbers if all are."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if written and pa.types.is_string(values.type) and not values.null_count:
        with suppress(pa.ArrowInvalid):
            numbers = values.cast(pa.int64())
            if pc.all(pc.equal(numbers.cast(values.type), values)).as_py():
                return numbers
    return values


def _family(kind: str) -> str:
    """The family of a Spark type."""
    if kind in WHOLE:
        return "integers"
    return "numbers" if kind in REAL else "text" if kind == "string" else kind
