"""One Spark for all tests that need it: two partitions, and for `make slow` two executors too, so
that rows travel between processes.
"""

from __future__ import annotations

import os
import shutil
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

PLANS: dict[str, Any] = {
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
}
"""Tiny queries cost little but planning and compiling: as little as possible of both."""
QUICK: dict[str, Any] = {
    **PLANS,
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.log.level": "OFF",
    "spark.sql.shuffle.partitions": "2",
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
    "spark.executor.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
}


@pytest.fixture(scope="session")
def java() -> None:
    """Skip what needs Java where there is none; in CI that is a failure."""
    home = os.environ.get("JAVA_HOME")
    if shutil.which("java") or (home and Path(home, "bin", "java").exists()):
        return
    told = "Spark needs Java 17 or later: apt install openjdk-17-jre-headless, or set JAVA_HOME"
    if os.environ.get("CI"):
        pytest.fail(told)
    pytest.skip(told)


@pytest.fixture(scope="session")
def quick_spark(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Variables under which a Spark of another process starts fast and listens here alone."""
    folder = tmp_path_factory.mktemp("conf")
    settings = {**QUICK, "spark.connect.grpc.binding.address": "127.0.0.1"}
    lines = [f"{key} {value}\n" for key, value in settings.items() if key != "spark.log.level"]
    (folder / "spark-defaults.conf").write_text("".join(lines))
    return {"SPARK_CONF_DIR": str(folder), "SPARK_LOCAL_IP": "127.0.0.1"}


@pytest.fixture(scope="session")
def spark(java: None, pytestconfig: pytest.Config) -> Iterator[Any]:
    """A Spark session on this machine, reachable from here alone."""
    master = "local-cluster[2,1,1024]" if pytestconfig.option.markexpr == "slow" else "local[2]"
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "PySpark does not yet fully support pandas")
        from pyspark import SparkContext
        from pyspark.find_spark_home import _find_spark_home
        from pyspark.sql import SparkSession
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SPARK_LOCAL_IP", "127.0.0.1")
        builder = SparkSession.builder.master(master).appName("tests")
        session = builder.config(map=QUICK).getOrCreate()
    context: Any = session.sparkContext
    gateway, application = context._gateway, context.applicationId
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("clusterdiff.engines.spark.SparkSession.few", 0)  # no table is too small
        yield session
    session.stop()
    gateway.shutdown()
    gateway.proc.stdin.close()
    gateway.proc.wait(60)
    for name in ("_gateway", "_jvm"):
        setattr(SparkContext, name, None)
    shutil.rmtree(Path(_find_spark_home(), "work", application), ignore_errors=True)
