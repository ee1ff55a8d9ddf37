"""Whole reviews over HTTP: decisions are kept, whatever ends the process, by one browser alone."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import time
import webbrowser
from pathlib import Path
from random import Random
from typing import Any

import pytest

import clusterdiff as cd
from browse.reviews import Process, partitions, review, served, town, write
from cli.runner import run as command
from clusterdiff.browse.index import Filter
from clusterdiff.browse.journal import Journal, OpenJournal
from clusterdiff.browse.review import Refused


def keys(page: str) -> list[str]:
    return re.findall(r'data-key="(\w+)"', page)


def test_a_review_by_http(tmp_path: Path) -> None:
    truth, run = town(tmp_path)
    path = tmp_path / "decisions.jsonl"
    with review(truth, run, path) as made, served(made) as client:
        page = client.enter()
        assert "ann over 2 guess clusters" in page or "di, eve" in page
        seen = [made.index.keys[rank - 1] for rank in (1, 2, 3)]
        assert keys(page) == seen[:1]
        told = json.loads(client.decide(seen[0], "run", "a note").text)
        assert told["rank"] == 1
        assert told["progress"]["decided"] == 1
        assert keys(client.ask("/part?part=1&step=1&undecided=1").text) == seen[1:2]
        client.decide(seen[1], "truth")
        client.decide(seen[2], "both")
        assert client.ask("/part?part=3&step=1").status == 204
        assert "No part fits" in client.ask("/queue?undecided=1").text
        assert json.loads(client.post("/undo", {"part": None}).text)["rank"] == 3
        assert keys(client.ask("/").text) == seen[2:]
        client.decide(seen[0], "both", "another note")
        assert json.loads(client.post("/undo", {"part": seen[0]}).text)["rank"] == 1
    journal = Journal.read(path)
    assert {part: one.verdict for part, one in journal.decisions.items()} == {
        seen[0]: "run", seen[1]: "truth"
    }  # fmt: skip
    one = journal.decisions[seen[0]]
    assert (one.note, one.by) == ("a note", "tester")
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", one.at)
    with review(truth, run, path) as made, served(made) as client:  # it goes on where it stopped
        assert keys(client.enter()) == seen[2:]
        assert "Decided: the run is wrong" in client.ask("/part?part=1").text
        assert "a note" in client.ask("/part?part=1").text
        assert json.loads(client.post("/undo", {}).text)["rank"] == 2
        assert json.loads(client.post("/undo", {}).text)["rank"] == 1
        assert json.loads(client.post("/undo", {}).text)["rank"] is None


@pytest.mark.parametrize("moment", range(20))
def test_a_journal_that_ends_anywhere_has_all_whole_lines(tmp_path: Path, moment: int) -> None:
    truth, run = partitions(1)
    path = tmp_path / "decisions.jsonl"
    with review(truth, run, path) as made:
        for key in made.index.keys:
            made.decide(key, "run", "", "truth", {})
    whole = path.read_bytes()
    cut = Random(moment).randrange(whole.index(b"\n") + 1, len(whole))
    path.write_bytes(whole[:cut])
    with review(truth, run, path) as made:
        assert len(made.journal.decisions) == whole[:cut].count(b"\n") - 1
        left = made.first(Filter())
        assert left is not None
        made.decide(made.index.keys[left - 1], "both", "", "truth", {})
    assert len(Journal.read(path).decisions) == whole[:cut].count(b"\n")


def test_kills_at_random_moments_lose_no_confirmed_decision(tmp_path: Path) -> None:
    """The process decides as fast as it can and is killed; what it confirmed is in the file."""
    write(tmp_path / "t.csv", "id,cluster", [(f"r{i}", f"p{i // 2}") for i in range(6_000)])
    write(tmp_path / "r.csv", "id,cluster", [(f"r{i}", f"g{i}") for i in range(6_000)])
    confirmed: set[str] = set()
    random = Random(0)
    with review(tmp_path / "t.csv", tmp_path / "r.csv", tmp_path / "decisions.jsonl") as made:
        todo = list(made.index.keys)
        for _ in range(20):
            # a child shares the index and the lock; it takes its own copy of the journal
            confirmed |= killed(made, [key for key in todo if key not in confirmed], random)
            kept = set(Journal.read(tmp_path / "decisions.jsonl").decisions)
            assert confirmed <= kept
            assert len(kept) <= len(confirmed) + 20
    assert len(confirmed) > 100


def killed(made: Any, todo: list[str], random: Random) -> set[str]:
    """What a child confirmed before it was killed."""
    read, written = os.pipe()
    if (child := os.fork()) == 0:
        for key in todo:
            line = {"part": key, "verdict": "run", "records": [["r", 0, 0, 0]] * 50,
                    "truth": ["p"], "run": ["g"], "right": ["p"]}  # fmt: skip
            made.journal.decide(line)
            os.write(written, f"{key}\n".encode())
        os._exit(0)
    os.close(written)
    time.sleep(random.uniform(0.005, 0.08))
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    with open(read, encoding="utf-8") as told:
        return {line.strip() for line in told if line.endswith("\n")}


def test_a_killed_command_goes_on(tmp_path: Path) -> None:
    town(tmp_path)
    confirmed: list[str] = []
    for killing in range(2):
        process = Process(tmp_path, "truth.csv", "run.csv")
        page = process.client.enter()
        assert f"{killing} of 3 decided" in page
        (key,) = keys(page)
        assert key not in confirmed
        assert process.client.decide(key, "run").status == 200
        if not killing:  # another browser on the same file
            ran = command_in(tmp_path, "browse", "truth.csv", "run.csv", "--no-open")
            assert ran.code == 2
            assert "decisions.jsonl is open in another browser" in ran.stderr
        process.kill()
        confirmed.append(key)
        assert list(Journal.read(tmp_path / "decisions.jsonl").decisions) == confirmed


def command_in(folder: Path, *arguments: str) -> Any:
    here = os.getcwd()
    os.chdir(folder)
    try:
        return command(*arguments)
    finally:
        os.chdir(here)


def test_an_interrupt_ends_it_with_a_word(tmp_path: Path) -> None:
    town(tmp_path)
    process = Process(tmp_path, "truth.csv", "run.csv")
    process.process.send_signal(signal.SIGINT)
    _, said = process.process.communicate(timeout=20)
    assert said.strip() == "0 of 3 parts decided, in decisions.jsonl."


def test_a_port_in_use_is_refused_and_any_other_is_found(tmp_path: Path) -> None:
    town(tmp_path)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        ran = command_in(tmp_path, "browse", "truth.csv", "run.csv", "--port", str(port))
    assert ran.code == 2
    assert f"port {port} is in use" in ran.stderr
    for odd in ("70000", "-1"):
        ran = command_in(tmp_path, "browse", "truth.csv", "run.csv", "--port", odd)
        assert ran.code == 2
        assert "is not a port" in ran.stderr
    assert not (tmp_path / "decisions.jsonl").exists()


@pytest.mark.parametrize("way", ["none", "fails"])
def test_where_no_browser_can_be_opened_the_address_is_printed(
    tmp_path: Path, way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from clusterdiff.browse import command as verb

    def opens(address: str) -> bool:
        if way == "fails":
            raise webbrowser.Error("no display")
        return False

    town(tmp_path)
    monkeypatch.setattr(webbrowser, "open", opens)
    monkeypatch.setattr(verb, "serve", lambda *_: time.sleep(0.5))
    ran = command_in(tmp_path, "browse", "truth.csv", "run.csv")
    assert ran.code == 0
    assert re.search(r"Open http://127\.0\.0\.1:\d+/\?token=\S{20,}", ran.stdout)
    assert "No browser could be opened here" in ran.stderr


def test_decisions_on_another_comparison_are_refused(tmp_path: Path) -> None:
    truth, run = partitions(1)
    others = partitions(2)
    path = tmp_path / "decisions.jsonl"
    with review(truth, run, path):
        pass
    before = path.read_bytes()
    with (
        pytest.raises(cd.ClusterdiffError, match="decisions on another comparison"),
        review(others[0], others[1], path),
    ):
        pass
    renamed = {id: f"new-{cluster}" for id, cluster in truth.items()}
    with pytest.raises(cd.ClusterdiffError, match="has changed since"), review(renamed, run, path):
        pass
    assert path.read_bytes() == before
    shuffled = dict(sorted(truth.items(), key=lambda item: hash(item)))
    with review(shuffled, dict(reversed(run.items())), path):  # order is nothing
        pass


@pytest.mark.parametrize(
    "line", ["{", "[]", '{"part": "x", "undo": true}', '{"part": "x", "verdict": "maybe"}',
             '{"part": "x", "verdict": "run", "records": [["r", 0, 0, 5]]}', "1", '{"a": 1}'],
)  # fmt: skip
def test_a_damaged_line_is_named(tmp_path: Path, line: str) -> None:
    truth, run = partitions(1)
    path = tmp_path / "decisions.jsonl"
    with review(truth, run, path) as made:
        made.decide(made.index.keys[0], "run", "", "truth", {})
    path.write_text(path.read_text() + line + "\n")
    with pytest.raises(cd.ClusterdiffError, match=r"line 3 of .* is not a decision"):
        Journal.read(path)


def test_other_files_are_refused(tmp_path: Path) -> None:
    truth, run = town(tmp_path)
    with pytest.raises(cd.ClusterdiffError, match="could not be read"):
        Journal.read(tmp_path / "none.jsonl")
    (tmp_path / "empty.jsonl").write_text("")
    with pytest.raises(cd.ClusterdiffError, match="is empty"):
        Journal.read(tmp_path / "empty.jsonl")
    other = tmp_path / "other.csv"
    other.write_text("id,cluster\n1,a\n")
    with pytest.raises(cd.ClusterdiffError, match="line 1"), review(truth, run, other):
        pass
    assert other.read_text() == "id,cluster\n1,a\n"
    ran = command_in(tmp_path, "browse", "truth.csv", "run.csv", "--decisions", "truth.csv")
    assert ran.code == 2
    assert "truth.csv is read" in ran.stderr


def test_a_disk_that_is_full_confirms_nothing(tmp_path: Path) -> None:
    truth, run = partitions(1)
    path = tmp_path / "decisions.jsonl"
    with review(truth, run, path) as made, served(made) as client:
        client.enter()
        file, before = made.journal._file, path.read_bytes()

        class Full:
            """A file to which half a line can be written."""

            def __init__(self) -> None:
                self.left = 40

            def write(self, data: bytes) -> int:
                if not self.left:
                    raise OSError(28, "No space left on device")
                self.left, n = 0, self.left
                return file.write(data[:n])

            def __getattr__(self, name: str) -> Any:
                return getattr(file, name)

        made.journal._file = Full()  # type: ignore[assignment]
        answer = client.decide(made.index.keys[0], "run")
        assert answer.status == 507
        assert answer.text == "Not saved: No space left on device.\n"
        assert path.read_bytes() == before
        assert not made.decided.any()
        made.journal._file = file
        assert client.decide(made.index.keys[0], "run").status == 200


def test_nothing_to_review_is_said(tmp_path: Path) -> None:
    truth, _ = town(tmp_path)
    ran = command_in(tmp_path, "browse", "truth.csv", "truth.csv", "--no-open")
    assert ran.code == 2
    assert "nothing to review" in ran.stderr
    assert truth.exists()


def test_what_is_missing_is_named_with_the_line_that_installs_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    from clusterdiff.browse import server

    town(tmp_path)
    monkeypatch.setattr(server, "find_spec", lambda name: None if name == "starlette" else name)
    ran = command_in(tmp_path, "browse", "truth.csv", "run.csv")
    assert ran.code == 2
    assert "needs starlette, which is not installed" in ran.stderr
    assert 'pip install "clusterdiff[browse]"' in ran.stderr


@pytest.mark.parametrize("kind", ["cover", "fuzzy"])
def test_covers_and_uncertain_clusterings_are_shown_and_not_decided(
    tmp_path: Path, kind: str
) -> None:
    if kind == "cover":
        truth: Any = cd.Cover({1: ["a"], 2: ["a", "b"], 3: ["b"], 4: ["c"]})
        run: Any = cd.Cover({1: ["x"], 2: ["x"], 3: ["y"], 4: ["z"]})
    else:
        truth = cd.Fuzzy([[1.0, 0.0], [0.5, 0.5], [0.0, 1.0]])
        run = cd.Fuzzy([[0.5, 0.5], [0.5, 0.5], [0.0, 1.0]])
    with review(truth, run, tmp_path / "d.jsonl") as made, served(made) as client:
        page = client.enter()
        assert "can be read here, but not decided" in page
        assert "data-verdict" not in page
        assert client.decide(made.index.keys[0], "run").status == 409
        with pytest.raises(Refused):
            made.decide(made.index.keys[0], "run", "", "truth", {})
        told = cd.explain(truth, run)
        ids = {str(id) for part in told.top(None, None) for id in part.ids}
        found = {str(one.id) for rank in range(1, made.index.parts + 1)
                 for one in made.index.records(rank)}  # fmt: skip
        assert found == ids


def test_open_journal_is_closed_with_the_block(tmp_path: Path) -> None:
    comparison = {"truth": "t", "run": "r", "digest": "d", "records": "x"}
    path = tmp_path / "d.jsonl"
    for _ in range(2):
        with OpenJournal.opened(path, comparison, "me") as journal:
            journal.decide({"part": "p", "verdict": "both"})
    assert len(path.read_text().splitlines()) == 3
    assert json.loads(path.read_text().splitlines()[0])["schema"] == "clusterdiff/review/1"
