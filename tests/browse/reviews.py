"""Reviews to test: their tables, a server in this process or in one of its own, and a client."""

from __future__ import annotations

import http.client
import json
import re
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import uvicorn

import clusterdiff as cd
from clusterdiff.browse.review import Review
from clusterdiff.browse.server import Browser, listening

Rows = Sequence[Sequence[Any]]
TOKEN = "the-token-of-a-test"


def write(path: Path, header: str, rows: Rows) -> Path:
    """A table as a file."""
    lines = [",".join(str(cell) for cell in row) for row in rows]
    path.write_text("\n".join([header, *lines]) + "\n", encoding="utf-8")
    return path


def town(folder: Path) -> tuple[Path, Path]:
    """Six people: one split in two, two merged, two tangled, and one right."""
    truth = [
        ("r1", "ann", "Ann", "Ash", "Bath"), ("r2", "ann", "Ann", "Ash", "Bath"),
        ("r3", "ann", "Anne", "Ash", "York"), ("r4", "bob", "Bob", "Bay", "Hull"),
        ("r5", "cy", "Cyd", "Cole", "Hull"), ("r6", "di", "Di", "Dent", "Ely"),
        ("r7", "di", "Di", "Dent", "Ely"), ("r8", "eve", "Eve", "East", "Ely"),
        ("r9", "eve", "Eva", "East", "Ely"), ("r10", "flo", "Flo", "Fox", "Rye"),
    ]  # fmt: skip
    run = ["a", "a", "b", "c", "c", "d", "e", "e", "f", "g"]
    rows = [(row[0], cluster) for row, cluster in zip(truth, run, strict=True)]
    return (
        write(folder / "truth.csv", "id,cluster,first,last,city", truth),
        write(folder / "run.csv", "id,cluster", rows),
    )


def partitions(seed: int, objects: int = 40, clusters: int = 14) -> tuple[dict[str, Any], ...]:
    """A random truth, and a run that moves some of its objects."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, clusters, objects)
    run = np.where(rng.random(objects) < 0.25, rng.integers(0, clusters, objects), truth)
    ids = [f"o{i}" for i in range(objects)]
    return (
        dict(zip(ids, (f"t{c}" for c in truth), strict=True)),
        dict(zip(ids, (f"g{c}" for c in run), strict=True)),
    )


@contextmanager
def review(truth: Any, run: Any, decisions: Path, **options: Any) -> Iterator[Review]:
    """A review in this process, without pages."""
    noise = options.get("noise") or ()
    told = cd.explain(truth, run, **options)
    with Review.opened(told, ("truth.csv", "run.csv"), decisions, "tester", noise) as made:
        yield made


class Answer(NamedTuple):
    """What a server answers."""

    status: int
    headers: Mapping[str, str]
    text: str


class Client:
    """A browser without a window."""

    def __init__(self, port: int, token: str = TOKEN) -> None:
        self.port, self.token = port, token
        self.cookie = self.csrf = ""

    def ask(
        self,
        path: str,
        method: str = "GET",
        body: str | None = None,
        **headers: str | None,
    ) -> Answer:
        """A request; headers that are None are left out."""
        sent: dict[str, str | None] = {
            "Host": f"127.0.0.1:{self.port}", "Cookie": self.cookie or None
        }  # fmt: skip
        sent |= {name.replace("_", "-"): value for name, value in headers.items()}
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
        for name, value in sent.items():
            if value is not None:
                connection.putheader(name, value)
        if body is not None:
            connection.putheader("Content-Length", str(len(body.encode())))
        connection.endheaders(None if body is None else body.encode())
        answer = connection.getresponse()
        text = answer.read().decode()
        connection.close()
        return Answer(answer.status, dict(answer.headers), text)

    def enter(self) -> str:
        """Open the first address; the page that it leads to."""
        answer = self.ask(f"/?token={self.token}")
        assert answer.status == 303, answer
        self.cookie = answer.headers["set-cookie"].partition(";")[0]
        page = self.ask("/").text
        found = re.search(r'<meta name="clusterdiff" content="([^"]+)">', page)
        assert found is not None
        self.csrf = found[1]
        return page

    def post(self, path: str, given: Any, **headers: str | None) -> Answer:
        """A change, as the page asks for it."""
        sent = {"Content_Type": "application/json", "X_Clusterdiff": self.csrf} | headers
        return self.ask(path, "POST", json.dumps(given), **sent)

    def decide(self, part: str, verdict: str | None, note: str = "", **more: Any) -> Answer:
        """A decision."""
        given = {"part": part, "verdict": verdict, "note": note, "base": "truth"} | more
        return self.post("/decide", given)


@contextmanager
def served(made: Review, title: str = "truth.csv and run.csv") -> Iterator[Client]:
    """A server in a thread of this process."""
    with listening(0) as listener:
        port = listener.getsockname()[1]
        app = Browser(made, title).app(port, TOKEN)
        server = uvicorn.Server(
            uvicorn.Config(app, log_level="error", lifespan="off", server_header=False)
        )
        thread = threading.Thread(target=server.run, args=([listener],))
        thread.start()
        try:
            yield Client(port)
        finally:
            server.should_exit = True
            thread.join(10)


class Process:
    """`clusterdiff browse` in a process of its own."""

    def __init__(self, folder: Path, *arguments: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "clusterdiff", "browse", *arguments, "--no-open"],
            cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        assert self.process.stdout is not None
        self.said = ""
        for line in self.process.stdout:
            self.said += line
            if found := re.search(r"http://127\.0\.0\.1:(\d+)/\?token=(\S+)", line):
                self.client = Client(int(found[1]), found[2])
                break

    def kill(self) -> None:
        """End it as a machine that stops would."""
        self.process.kill()
        self.process.communicate()
