"""The engine beyond one machine: the same joins and GROUP BYs on PySpark frames."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from clusterdiff.clusterings import AnyClustering, Partition
from clusterdiff.engines.columns import find_columns
from clusterdiff.engines.duckdb import DuckDB
from clusterdiff.engines.session import Session
from clusterdiff.engines.table import Table
from clusterdiff.errors import ClusterdiffError, ReadError, shorten

if TYPE_CHECKING:
    from collections.abc import Callable

WHOLE = ("tinyint", "smallint", "int", "bigint")
REAL = ("float", "double")


@dataclass(frozen=True)
class Spark:
    """The engine for data beyond one machine: a Spark session, or where to start one.

    `master` is e.g. "local[4]", "spark://host:7077", "yarn", or "sc://host" for Spark Connect.
    Without either, the session that is active is taken, or one is started on this machine.
    """

    session: Any = None
    master: str | None = None


class SparkSession(Session):
    """A Spark session; views in it are dropped at the end, and it is stopped if it was ours."""

    name: ClassVar[str] = "spark"

    def __init__(self, how: Spark) -> None:
        super().__init__()
        self.memory = DuckDB().bytes
        self._frames: dict[str, Any] = {}
        self.spark, self._ours = (how.session, False) if how.session else _started(how.master)

    def __enter__(self) -> SparkSession:
        return self

    def __exit__(self, *exit: object) -> None:
        while self._kept:
            self.drop(self._kept.pop())
        if self._ours:
            self.spark.stop()
        elif self._is_classic:
            self.spark.sparkContext.setJobDescription(None)

    def view(self, query: str) -> str:
        return self._named(self._sql(query))

    def keep(self, query: str, doing: str) -> str:
        frame = self._sql(query).persist()
        name = self._named(frame)
        self._frames[name] = frame
        return name

    def fetch(self, query: str, doing: str = "") -> Any:
        frame = self._sql(query)
        if self._is_classic:
            self.spark.sparkContext.setJobDescription(f"clusterdiff: {doing or 'looking'}")
        return _told(lambda: frame.toArrow())

    @property
    def _is_classic(self) -> bool:
        """Whether the driver is here, not behind Spark Connect."""
        return "connect" not in type(self.spark).__module__

    def drop(self, name: str) -> None:
        self.spark.catalog.dropTempView(name)
        if name in self._frames:
            self._frames.pop(name).unpersist()

    def refuse(self, why: str) -> None:
        raise ClusterdiffError(
            f"Spark cannot compare these: {shorten(why, 120)}.",
            "cast ids and clusters to whole numbers or text, name ids and samples in both tables; "
            "or compare in memory, cd.compare(truth.toPandas(), guess.toPandas()).",
        )

    def text(self, value: str) -> str:
        escaped = value.replace("\\", "\\\\").replace("'", "\\'")
        return f"'{escaped}'"

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
        id: str | None = None,
        cluster: str | None = None,
        degree: str | None = None,
        rest: str = "refuse",
        shown: str = "the frame",
        written: bool = False,
    ) -> Table:
        """A Spark frame as a table."""
        columns = find_columns(
            shown, frame.columns, id=id, cluster=cluster, sample=sample, degree=degree, kind=kind
        )
        source = self._named(frame)
        view = self._sql(f"SELECT {columns.named(_quoted)} FROM {source}")
        families = {field.name: _family(field.dataType.simpleString()) for field in view.schema}
        return Table(
            self, self._named(view), columns, families, kind, shown, self._refuse_load,
            written=written, rest=rest,
        )  # fmt: skip

    def file(self, path: str, **options: Any) -> Table:
        """A file or folder that Spark reads: Parquet, or CSV with all columns as text."""
        as_, header = options.pop("as_", None), options.pop("header", None)
        if as_ not in (None, "long") or path == "-":
            raise _no_table(path)
        name, cluster = path, options.pop("cluster", None)
        if "::" in path and not os.path.exists(path):
            name, _, cluster = path.rpartition("::")
        kind = options.pop("kind", "partition")
        options |= {"cluster": cluster, "shown": path}
        ending = _ending(name)
        if ending in (".csv", ".tsv"):
            read = self.spark.read.options(
                header=header is not False,
                sep="\t" if ending == ".tsv" else ",",
                quote='"',
                escape='"',
                mode="FAILFAST",
            )
            frame = _told(lambda: read.csv(name), path)
            return self.frame(frame, kind, **options, written=True)
        if ending not in (".parquet", ".pq", ""):
            raise _no_table(path)
        return self.frame(_told(lambda: self.spark.read.parquet(name), path), kind, **options)

    def uploaded(self, partition: AnyClustering) -> Table:
        """A partition that is in memory, as a table of this session."""
        if not isinstance(partition, Partition) or partition.ids is None:
            raise ClusterdiffError(
                "one side is a Spark frame, the other is in memory and no partition with ids.",
                "give both as Spark frames, or both in memory (frame.toPandas()).",
            )
        import pyarrow as pa

        columns = {"cluster": partition.labels.arrow(), "id": partition.ids.arrow()}
        if partition.samples is not None:
            columns["sample"] = partition.samples.arrow()
        frame = self.spark.createDataFrame(pa.table(columns))
        sample = "sample" if "sample" in columns else None
        return self.frame(frame, "partition", sample, written=partition.ids.written)

    def _refuse_load(self) -> AnyClustering:
        raise AssertionError("what Spark has stays there")

    def _sql(self, query: str) -> Any:
        return _told(lambda: self.spark.sql(query))

    def _named(self, frame: Any) -> str:
        name = self._new_name()
        frame.createOrReplaceTempView(name)
        return name


def _started(master: str | None) -> tuple[Any, bool]:
    """A session: the one that is active, or a new one, and whether it is new."""
    try:
        from pyspark.errors import PySparkException
        from pyspark.sql import SparkSession as Native
    except ImportError:
        raise ClusterdiffError(
            "this needs Spark, which is not installed.", "pip install 'clusterdiff[spark]'"
        ) from None
    active = None if master else Native.getActiveSession()
    if active is not None:
        return active, False
    builder = Native.builder.appName("clusterdiff")
    if master is not None and master.startswith("sc://"):
        builder = builder.remote(master)
    else:
        shown = sys.stderr is not None and sys.stderr.isatty()
        builder = (
            builder.master(master or "local[*]")
            .config("spark.ui.enabled", "false")
            .config("spark.ui.showConsoleProgress", str(shown).lower())
            .config("spark.log.level", "ERROR")
        )
    try:
        return builder.getOrCreate(), True
    except (PySparkException, OSError) as error:
        if "JAVA" in str(error).upper():
            raise ClusterdiffError(
                "Spark could not be started: it needs Java 17 or later.",
                "install Java (e.g. apt install openjdk-17-jre-headless) and set JAVA_HOME.",
            ) from None
        raise _sorry(error) from None


def _told(work: Callable[[], Any], path: str = "") -> Any:
    """What Spark answers; its errors in a line."""
    from pyspark.errors import PySparkException

    try:
        return work()
    except PySparkException as error:
        if path:
            raise ReadError.from_engine(path, str(error).partition("\n")[0]) from None
        raise _sorry(error) from None
    except Exception as error:
        if type(error).__module__.startswith("py4j"):
            raise _sorry(error) from None
        raise


def _sorry(error: Exception) -> ClusterdiffError:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    causes = [line for line in lines if line.startswith("Caused by:")] or lines
    return ClusterdiffError(
        f"Spark stopped: {shorten(causes[-1] if causes else repr(error), 300)}",
        "look at Spark's own log; with less data it may say more.",
    )


def _no_table(path: str) -> ReadError:
    return ReadError(
        f"{path} is no table that Spark reads.",
        "Spark takes .parquet and .csv files and folders of them; for others leave --engine out, "
        "or give a frame from Python, cd.compare(spark.read.json(…), …).",
    )


def _ending(name: str) -> str:
    """What the name of a file says of its format; of a folder, what is in it."""
    low = name.lower().rstrip("/").removesuffix(".gz")
    found = next((e for e in (".csv", ".tsv", ".parquet", ".pq") if low.endswith(e)), None)
    if found is not None:
        return found
    if os.path.isdir(name):
        inside = {os.path.splitext(file)[1] for _, _, files in os.walk(name) for file in files}
        return next((e for e in (".parquet", ".pq", ".csv", ".tsv") if e in inside), "")
    return os.path.splitext(low)[1]


def _family(kind: str) -> str:
    """The family of a Spark type."""
    if kind in WHOLE:
        return "integers"
    return "numbers" if kind in REAL else "text" if kind == "string" else kind


def _quoted(name: str) -> str:
    """A column name, quoted for Spark."""
    return "`" + name.replace("`", "``") + "`"
