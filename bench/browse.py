"""The browser with very many parts: python -m bench.browse [--parts N] [--out FILE].

A truth of clusters of three records, each of which the run splits, so that every cluster is a part.
Records have five attributes. Seconds to make the index, then over HTTP, as a page asks: the whole
first page, a part, and the queue by every filter, each time with words that were not asked before.
"""

from __future__ import annotations

import argparse
import http.client
import os
import secrets
import tempfile
import threading
import time
from pathlib import Path
from statistics import median
from typing import Any
from urllib.parse import quote

import numpy as np

import clusterdiff as cd
from clusterdiff.browse.review import Review
from clusterdiff.browse.server import Browser, listening, serve

SIZE = 3
AGAIN = 7


def tables(parts: int, seed: int = 0) -> tuple[Any, Any]:
    """A truth and a run as frames; the truth has attributes."""
    import pyarrow as pa

    rng = np.random.default_rng(seed)
    n = parts * SIZE
    ids = np.char.add("r", np.arange(n).astype("U"))
    cluster = np.repeat(np.arange(parts), SIZE)
    apart = np.arange(n) % SIZE == 0
    sizes = (2_000, 20_000, 5_000)
    names, words, towns = (
        np.array([f"{what}{i:x}" for i in rng.permutation(10 * many)[:many]])
        for what, many in zip(("name", "surname", "town"), sizes, strict=True)
    )

    def drawn(some: Any) -> Any:
        return some[rng.integers(0, some.size, n)]

    truth = pa.table({
        "id": ids, "cluster": np.char.add("p", cluster.astype("U")),
        "first": drawn(names), "last": drawn(words), "town": drawn(towns),
        "born": rng.integers(1920, 2005, n), "street": drawn(words),
    })  # fmt: skip
    run = pa.table({"id": ids, "cluster": cluster + parts * apart})
    return truth, run


class Client:
    """A browser that measures."""

    def __init__(self, port: int, token: str) -> None:
        self.connection = http.client.HTTPConnection("127.0.0.1", port)
        self.connection.request("GET", f"/?token={token}")
        answer = self.connection.getresponse()
        answer.read()
        self.cookie = answer.headers["Set-Cookie"].partition(";")[0]

    def get(self, path: str) -> tuple[float, float]:
        """Seconds, and seconds of processors."""
        begin, worked = time.perf_counter(), time.process_time()
        self.connection.request("GET", path, headers={"Cookie": self.cookie})
        answer = self.connection.getresponse()
        body = answer.read()
        assert answer.status == 200, (answer.status, body[:200])
        return time.perf_counter() - begin, time.process_time() - worked


def measured(parts: int) -> tuple[dict[str, float], dict[str, float]]:
    """Seconds of everything, and seconds of processors."""
    found: dict[str, float] = {}
    work: dict[str, float] = {}
    truth, run = tables(parts)
    begin = time.perf_counter()
    told = cd.explain(truth, run)
    assert told.order.size == parts
    found["explain"] = time.perf_counter() - begin
    begin = time.perf_counter()
    with (
        tempfile.TemporaryDirectory() as folder,
        listening(0) as listener,
        Review.opened(told, ("truth", "run"), Path(folder) / "decisions.jsonl") as review,
    ):
        found["index"] = time.perf_counter() - begin
        token, port = secrets.token_urlsafe(), listener.getsockname()[1]
        app = Browser(review, "bench").app(port, token)
        threading.Thread(target=serve, args=(app, listener), daemon=True).start()
        begin = time.perf_counter()
        client = Client(port, token)
        found["first page"] = client.get("/")[0] + time.perf_counter() - begin
        rng = np.random.default_rng(1)

        def several(what: str, path: Any) -> None:
            every = (client.get(path(i)) for i in rng.integers(parts, size=AGAIN).tolist())
            seconds, worked = zip(*every, strict=True)
            found[what], work[what] = median(seconds), median(worked)
            print(f"{what}: {found[what]:.3f} s", flush=True)

        several("a part", lambda i: f"/part?part={i + 1}")
        several("next part", lambda i: f"/part?part={i + 1}&step=1&undecided=1")
        several("kind", lambda i: f"/queue?kind=split&least={1 + i % 3}")
        several("size", lambda i: f"/queue?least=3&text={i:x}q")
        several("order", lambda i: f"/queue?order=large&least={2 + i % 2}")
        several("cluster", lambda i: f"/queue?name=p{i}")
        several("id", lambda i: f"/queue?name=r{3 * i}")
        several("text, rare", lambda i: f"/queue?text={quote(f'town{i:x}')}")
        several("text, frequent", lambda i: f"/queue?text={i % 10}&least={i % 3}")
        several("undecided", lambda i: f"/queue?undecided=1&least={i % 4}")
        several("page of the queue", lambda i: f"/queue?page={i // 50}")
    return found, work


def main() -> None:
    """Measure, and print or write a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--parts", type=int, default=10**6)
    parser.add_argument("--out")
    given = parser.parse_args()
    found, work = measured(given.parts)
    lines = [
        "# The browser", "",
        f"{given.parts:,} parts of {SIZE} records with five attributes, {os.cpu_count()} cores; "
        f"medians of {AGAIN}. `python -m bench.browse --out bench/BROWSE.md` writes this file.", "",
        "| what | seconds | of processors |", "|---|---:|---:|",
        *(
            f"| {what} | {seconds:.3f} | {f'{work[what]:.3f}' if what in work else ''} |"
            for what, seconds in found.items()
        ),
    ]  # fmt: skip
    text = "\n".join(lines) + "\n"
    if given.out:
        Path(given.out).write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
