"""Who may ask the browser, and for what."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from browse.reviews import TOKEN, Client, review, served, town
from clusterdiff.browse.server import LARGEST, listening


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Client, Path]]:
    folder = tmp_path_factory.mktemp("guard")
    truth, run = town(folder)
    path = folder / "decisions.jsonl"
    with review(truth, run, path) as made, served(made) as client:
        client.enter()
        yield client, path


def test_the_first_address_becomes_a_strict_cookie(guarded: tuple[Client, Path]) -> None:
    client, _ = guarded
    answer = client.ask(f"/?token={TOKEN}", Cookie=None)
    assert answer.status == 303
    assert answer.headers["location"] == "/"
    cookie = answer.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie
    assert TOKEN not in cookie


@pytest.mark.parametrize(
    ("path", "headers"),
    [
        ("/", {"Cookie": None}),
        ("/queue", {"Cookie": None}),
        ("/part?part=1", {"Cookie": None}),
        ("/browse.js", {"Cookie": None}),
        ("/nothing", {"Cookie": None}),
        ("/", {"Cookie": "clusterdiff-1=x"}),
        ("/?token=", {}),
        ("/?token=wrong", {}),
        ("/?token=%C3%A9", {}),
        ("/queue?token=" + TOKEN, {"Cookie": None}),
    ],
)
def test_nothing_is_shown_without_the_token(
    guarded: tuple[Client, Path], path: str, headers: dict[str, Any]
) -> None:
    answer = guarded[0].ask(path, **headers)
    assert answer.status == 403
    assert "ann" not in answer.text.lower()


@pytest.mark.parametrize(
    "host", ["evil.example", "127.0.0.1", "127.0.0.1:1", "localhost.evil.example", "", None]
)
def test_another_host_is_refused(guarded: tuple[Client, Path], host: str | None) -> None:
    client, _ = guarded
    for path in ("/", f"/?token={TOKEN}"):
        answer = client.ask(path, Host=host)
        assert answer.status in (400, 421), answer
        assert "set-cookie" not in answer.headers
    assert client.ask("/", Host=f"localhost:{client.port}").status == 200


REFUSED: dict[str, dict[str, str | None]] = {
    "no token": {"X_Clusterdiff": None},
    "wrong token": {"X_Clusterdiff": "wrong"},
    "no cookie": {"Cookie": None},
    "another origin": {"Origin": "http://evil.example"},
    "an origin of a file": {"Origin": "null"},
    "another site": {"Sec_Fetch_Site": "cross-site"},
    "a form": {"Content_Type": "application/x-www-form-urlencoded"},
    "text": {"Content_Type": "text/plain"},
    "no type": {"Content_Type": None},
}


@pytest.mark.parametrize("why", REFUSED)
@pytest.mark.parametrize("path", ["/decide", "/undo"])
def test_a_change_needs_the_token_of_the_page(
    guarded: tuple[Client, Path], path: str, why: str
) -> None:
    client, decisions = guarded
    before = decisions.read_bytes()
    answer = client.post(path, {"part": "x", "verdict": "run"}, **REFUSED[why])
    assert answer.status == 403
    assert decisions.read_bytes() == before


@pytest.mark.parametrize("method", ["GET", "HEAD", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE"])
@pytest.mark.parametrize("path", ["/decide", "/undo"])
def test_a_change_is_a_post(guarded: tuple[Client, Path], path: str, method: str) -> None:
    client, decisions = guarded
    before = decisions.read_bytes()
    asked = {"Content_Type": "application/json", "X_Clusterdiff": client.csrf}
    answer = client.ask(f"{path}?part=x&verdict=run", method, **asked)
    assert answer.status in (404, 405, 411), answer
    assert decisions.read_bytes() == before


def test_what_is_sent_has_a_length_and_is_not_endless(guarded: tuple[Client, Path]) -> None:
    client, _ = guarded
    asked = {"Content_Type": "application/json", "X_Clusterdiff": client.csrf}
    assert client.ask("/decide", "POST", None, **asked).status == 411
    assert (
        client.ask("/decide", "POST", None, Content_Length=str(LARGEST + 1), **asked).status == 413
    )


KEY = "the key of the first part"
ODD: dict[str, Any] = {
    "no part": {"part": "0" * 16, "verdict": "run"},
    "no text": {"part": 1, "verdict": "run"},
    "no verdict": {"part": KEY, "verdict": "maybe"},
    "a list": {"part": KEY, "verdict": ["run"]},
    "a note of numbers": {"part": KEY, "verdict": "run", "note": 1},
    "an endless note": {"part": KEY, "verdict": "run", "note": "x" * 10_001},
    "another base": {"part": KEY, "verdict": "run", "base": "x; DROP TABLE parts"},
    "a record that there is not": {"part": KEY, "verdict": "run", "moves": {"99": "n1"}},
    "a group that there is not": {"part": KEY, "verdict": "run", "moves": {"0": "t999999"}},
    "no group": {"part": KEY, "verdict": "run", "moves": {"0": "t-1"}},
    "a group of another type": {"part": KEY, "verdict": "run", "moves": {"0": {}}},
    "moves that are none": {"part": KEY, "verdict": "run", "moves": []},
    "moves of what is defensible": {"part": KEY, "verdict": "both", "moves": {"0": "n1"}},
    "not an object": ["part"],
}


@pytest.mark.parametrize("what", ODD)
def test_odd_decisions_are_refused_in_words(guarded: tuple[Client, Path], what: str) -> None:
    client, decisions = guarded
    key = client.enter().partition('data-key="')[2][:16]
    before = decisions.read_bytes()
    given = json.loads(json.dumps(ODD[what]).replace(KEY, key))
    answer = client.post("/decide", given)
    assert answer.status == 409
    assert answer.text.endswith(".\n")
    assert decisions.read_bytes() == before


@pytest.mark.parametrize(
    "query",
    [
        "part=0", "part=-1", "part=999999999", "part=1e9", "part=%00", "part=²", "part=1;DROP",
        "kind=x' OR 1=1 --", "order=rank; DROP TABLE parts", "slice=999", "slice=-1", "least=x",
        "least=99999999999999999999", "page=999999", "name=' OR ''='", "text=%25", "text=\\",
        "undecided=2", "step=7&part=1", "text=" + "x" * 5_000,
    ],
)  # fmt: skip
def test_odd_questions_do_no_harm(guarded: tuple[Client, Path], query: str) -> None:
    client, _ = guarded
    from urllib.parse import quote

    for path in ("/", "/queue", "/part"):
        answer = client.ask(f"{path}?{quote(query, safe='=&%')}")
        assert answer.status in (200, 204), answer
    assert "3 parts in conflict" in client.ask("/queue").text


def test_every_answer_has_the_policy(guarded: tuple[Client, Path]) -> None:
    client, _ = guarded
    for path in ("/", "/queue", "/part?part=1", "/browse.css", "/browse.js", "/icon.svg", "/none"):
        headers = {name.lower(): value for name, value in client.ask(path).headers.items()}
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["cache-control"] == "no-store"
        assert headers["referrer-policy"] == "no-referrer"
    for path in ("/browse/../command.py", "/..%2fcommand.py", "/command.py", "/web/browse.js"):
        assert client.ask(path).status == 404


def test_pages_have_no_script_or_style_of_their_own(guarded: tuple[Client, Path]) -> None:
    client, _ = guarded
    page = client.ask("/").text
    assert " style=" not in page
    assert "<style" not in page
    assert " onclick" not in page
    assert page.count("<script") == 1
    assert "http://" not in page.replace("http://www.w3.org", "")


def test_it_listens_on_this_machine_alone() -> None:
    with listening(0) as listener:
        host, port = listener.getsockname()
        assert host == "127.0.0.1"
        others = {
            str(a[4][0]) for a in socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET)
        }
        for other in others - {"127.0.0.1"}:
            if other.startswith("127."):
                continue
            with pytest.raises(OSError, match=r"refused|timed out|unreachable"):
                socket.create_connection((other, port), timeout=1)
