"""The browser: pages over the index, for one person on this machine.

Whoever can open a port here could ask it, any page that this person has open in another tab among
them. So it listens on this machine alone, and answers who has the token of the address that is
printed: it becomes a cookie that no other site can have sent. A change is a POST that also
carries a token from the page. The Host is checked, so that no other name leads here, and no page
runs or loads anything that is not a file of this package.
"""

from __future__ import annotations

import getpass
import json
import secrets
import socket
from collections.abc import Awaitable, Callable, Mapping
from http import HTTPStatus
from importlib.resources import files
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from clusterdiff.browse.index import ORDERS, PAGE, RECORDS, Filter, Index
from clusterdiff.browse.journal import VERDICTS
from clusterdiff.browse.part import PartView
from clusterdiff.browse.review import Refused, Review
from clusterdiff.errors import ClusterdiffError, printable
from clusterdiff.output.table import percent
from clusterdiff.version import __version__

if TYPE_CHECKING:
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import Response

TOOLS = ("jinja2", "pyarrow", "starlette", "uvicorn")
HOST = "127.0.0.1"
LARGEST = 20 * 10**6
"""Bytes of what a browser sends."""
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
ASSETS = {
    "browse.css": "text/css", "browse.js": "text/javascript", "icon.svg": "image/svg+xml",
}  # fmt: skip


def check_missing_tools() -> None:
    """Say what has to be installed before anything is counted."""
    for tool in TOOLS:
        if find_spec(tool) is None:
            raise ClusterdiffError(
                f"the browser needs {tool}, which is not installed.",
                'pip install "clusterdiff[browse]"',
            )


def listening(port: int) -> socket.socket:
    """A socket on this machine alone; any port that is free where none is named."""
    # The protocol is named, since asyncio sends small answers at once on sockets that have it.
    found = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        if hasattr(socket, "SO_EXCLUSIVEADDRUSE"):  # Windows shares ports otherwise
            found.setsockopt(socket.SOL_SOCKET, socket.SO_EXCLUSIVEADDRUSE, 1)
        else:
            found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        found.bind((HOST, port))
        found.listen()
    except (OSError, OverflowError) as error:
        found.close()
        why = "is not a port" if isinstance(error, OverflowError) else "is in use"
        if isinstance(error, PermissionError):
            why = "may not be used by you"
        raise ClusterdiffError(
            f"port {port} {why}.", "name another one, or leave --port out for any that is free."
        ) from None
    return found


def account() -> str:
    """What the person at this machine is called."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return ""


def serve(app: Any, listener: socket.socket) -> None:
    """Answer until the process is ended."""
    import uvicorn

    config = uvicorn.Config(
        app, log_level="error", access_log=False, lifespan="off", server_header=False,
        timeout_graceful_shutdown=1,
    )  # fmt: skip
    uvicorn.Server(config).run(sockets=[listener])


class Guard:
    """Who may ask, and what: around everything else."""

    def __init__(self, app: Any, port: int, token: str) -> None:
        self.app, self.token = app, token
        self.hosts = {f"{HOST}:{port}", f"localhost:{port}"}
        self.cookie = f"clusterdiff-{port}"
        self.session = secrets.token_urlsafe(32)
        self.csrf = secrets.token_urlsafe(32)

    async def __call__(
        self,
        scope: dict[str, Any],
        receive: Callable[[], Awaitable[Any]],
        send: Callable[[Any], Awaitable[None]],
    ) -> None:
        """Answer, or refuse."""
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self.app(scope, receive, send)
            return
        from starlette.datastructures import MutableHeaders
        from starlette.requests import Request
        from starlette.responses import PlainTextResponse, RedirectResponse

        async def sent(message: Any) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(HEADERS)
            await send(message)

        request = Request(scope)
        answer: Response | None = None
        if refused := self.refused(request):
            code, why = refused
            answer = PlainTextResponse(why, code)
        elif request.url.path == "/" and "token" in request.query_params:
            answer = RedirectResponse("/", HTTPStatus.SEE_OTHER)
            answer.set_cookie(self.cookie, self.session, httponly=True, samesite="strict", path="/")
        await (answer or self.app)(scope, receive, sent)

    def refused(self, request: Request) -> tuple[int, str] | None:
        """What a request is refused with, if it is."""
        if request.headers.get("host", "") not in self.hosts:
            return HTTPStatus.MISDIRECTED_REQUEST, "This address leads nowhere.\n"
        given = request.query_params.get("token")
        if request.url.path == "/" and given is not None and request.method == "GET":
            if secrets.compare_digest(given.encode(), self.token.encode()):
                return None
            return HTTPStatus.FORBIDDEN, "The token of this address is wrong.\n"
        own = request.cookies.get(self.cookie, "")
        if not secrets.compare_digest(own.encode(), self.session.encode()):
            why = "Open the address that clusterdiff browse printed, with its token.\n"
            return HTTPStatus.FORBIDDEN, why
        if request.method in ("GET", "HEAD"):
            return None
        origin = request.headers.get("origin")
        sent = request.headers.get("x-clusterdiff", "")
        if (
            (origin is not None and origin.removeprefix("http://") not in self.hosts)
            or request.headers.get("sec-fetch-site", "same-origin") != "same-origin"
            or not secrets.compare_digest(sent.encode(), self.csrf.encode())
            or request.headers.get("content-type", "").partition(";")[0] != "application/json"
        ):
            return HTTPStatus.FORBIDDEN, "A change needs the token of the page.\n"
        if not request.headers.get("content-length", "").isdecimal():
            return HTTPStatus.LENGTH_REQUIRED, "How long is this?\n"
        if int(request.headers["content-length"]) > LARGEST:
            return HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "This is too much.\n"
        return None


class Browser:
    """The pages of a review, and the changes that they ask for."""

    def __init__(self, review: Review, title: str) -> None:
        from jinja2 import Environment, FunctionLoader, StrictUndefined

        self.review, self.index, self.title = review, review.index, title
        self.env = Environment(
            autoescape=True, loader=FunctionLoader(asset), undefined=StrictUndefined,
            trim_blocks=True, lstrip_blocks=True,
        )  # fmt: skip
        self.env.filters |= {"printable": printable, "percent": percent}
        self.env.globals |= {"verdicts": VERDICTS, "orders": ORDERS, "version": __version__}

    def app(self, port: int, token: str) -> Guard:
        """The application that a server runs."""
        guard = Guard(self.starlette(), port, token)
        self.env.globals["csrf"] = guard.csrf
        return guard

    def starlette(self) -> Starlette:
        """All addresses that there are."""
        from starlette.applications import Starlette
        from starlette.routing import Route

        return Starlette(
            routes=[
                Route("/", self.page),
                Route("/queue", self.queue),
                Route("/part", self.part),
                Route("/decide", self.decide, methods=["POST"]),
                Route("/undo", self.undo, methods=["POST"]),
                Route("/{name}", self.asset),
            ],
            exception_handlers={Refused: _refusal, OSError: _not_written},
        )

    def page(self, request: Request) -> Response:
        """The whole page, at the part that is named or where the review goes on."""
        asked = asked_of(request.query_params, self.index)
        rank = whole(request.query_params.get("part")) or self.review.first(asked)
        return self._html(
            "browse.html", title=self.title, asked=asked, queue=self._queue(asked, None, rank),
            part=self._part(rank, asked), index=self.index, progress=self._progress(),
        )  # fmt: skip

    def queue(self, request: Request) -> Response:
        """A page of the queue."""
        asked = asked_of(request.query_params, self.index)
        rank = whole(request.query_params.get("part"))
        page = whole(request.query_params.get("page"))
        return self._html("queue.html", queue=self._queue(asked, page, rank))

    def part(self, request: Request) -> Response:
        """A part: the one that is named, or one that is so many steps away in the queue."""
        asked = asked_of(request.query_params, self.index)
        rank = whole(request.query_params.get("part"))
        step = request.query_params.get("step")
        if step in ("1", "-1"):
            rank = self.review.step(asked, rank or 0, int(step))
        if rank is None or not 0 < rank <= self.index.parts:
            from starlette.responses import Response

            return Response(status_code=HTTPStatus.NO_CONTENT)
        return self._html("part.html", part=self._part(rank, asked))

    async def decide(self, request: Request) -> Response:
        """Write a decision; the answer comes once it is on disk."""
        from starlette.concurrency import run_in_threadpool

        given = await _body(request)
        part, verdict, note = given.get("part"), given.get("verdict"), given.get("note", "")
        base, moves = given.get("base", "truth"), given.get("moves", {})
        if not (
            isinstance(part, str) and isinstance(note, str) and isinstance(moves, dict)
            and isinstance(verdict, str | None)
        ):  # fmt: skip
            raise Refused("This is not a decision.")
        await run_in_threadpool(self.review.decide, part, verdict, note, base, moves)
        return self._said(self.index.rank_of[part])

    async def undo(self, request: Request) -> Response:
        """Take a decision back."""
        from starlette.concurrency import run_in_threadpool

        part = (await _body(request)).get("part")
        rank = await run_in_threadpool(self.review.undo, part if isinstance(part, str) else None)
        return self._said(rank)

    def asset(self, request: Request) -> Response:
        """The style or the script."""
        from starlette.responses import PlainTextResponse, Response

        name = request.path_params["name"]
        if name not in ASSETS:
            return PlainTextResponse("There is no such page.\n", HTTPStatus.NOT_FOUND)
        return Response(asset(name), media_type=ASSETS[name])

    def _queue(self, asked: Filter, page: int | None, rank: int | None) -> dict[str, Any]:
        """What the list of parts shows."""
        ranks = self.review.queue(asked)
        pages = max(1, -(-ranks.size // PAGE))
        page = self.review.page_of(asked, rank or 0) if page is None else page
        page = min(max(page, 1), pages)
        begin = (page - 1) * PAGE
        some = self.index.listed(ranks[begin : begin + PAGE].tolist())
        return {
            "rows": [
                {"part": one, "decision": self.review.journal[one.key], "current": one.rank == rank}
                for one in some
            ],
            "page": page, "pages": pages, "found": int(ranks.size), "begin": begin,
            "parts": self.index.parts,
        }  # fmt: skip

    def _part(self, rank: int | None, asked: Filter) -> PartView | None:
        """What is shown of a part."""
        if rank is None or not 0 < rank <= self.index.parts:
            return None
        key = self.index.keys[rank - 1]
        return PartView.of(self.index, rank, self.review.journal[key])

    def _progress(self) -> dict[str, Any]:
        decided, share = self.review.progress
        return {"decided": decided, "parts": self.index.parts, "share": percent(share)}

    def _said(self, rank: int | None) -> Response:
        """What came of a change."""
        from starlette.responses import JSONResponse

        return JSONResponse({"rank": rank, "progress": self._progress()})

    def _html(self, template: str, **given: Any) -> Response:
        from starlette.responses import HTMLResponse

        return HTMLResponse(self.env.get_template(template).render(records=RECORDS, **given))


def asked_of(query: Mapping[str, str], index: Index) -> Filter:
    """A filter from an address; what is not one of the choices is left out."""
    kind, order = query.get("kind", ""), query.get("order", "")
    place = whole(query.get("slice"))
    return Filter(
        kind=kind if kind in index.kinds else "",
        least=max(whole(query.get("least")) or 1, 1),
        name=query.get("name", "").strip(),
        text=query.get("text", "").strip(),
        slice=place if place is not None and place < len(index.slices) else -1,
        order=order if order in ORDERS else "loss",
        undecided=query.get("undecided") == "1",
    )


def whole(text: str | None) -> int | None:
    """A whole number from 0 on that a database takes, if it is one."""
    known = text is not None and text.isascii() and text.isdecimal() and len(text) < 10
    return int(text) if known and text else None


async def _body(request: Request) -> dict[str, Any]:
    """What a browser sent, as JSON."""
    from starlette.requests import ClientDisconnect

    try:
        given = json.loads(await request.body())
    except (ValueError, RecursionError, ClientDisconnect):
        given = None
    if not isinstance(given, dict):
        raise Refused("This is not a decision.")
    return given


async def _refusal(request: Request, error: Exception) -> Response:
    from starlette.responses import PlainTextResponse

    return PlainTextResponse(f"{error}\n", HTTPStatus.CONFLICT)


async def _not_written(request: Request, error: Exception) -> Response:
    """The decision is not on disk, and the page says so."""
    from starlette.responses import PlainTextResponse

    why = getattr(error, "strerror", None) or str(error)
    return PlainTextResponse(f"Not saved: {why}.\n", HTTPStatus.INSUFFICIENT_STORAGE)


def asset(name: str) -> str:
    """A file of the browser."""
    return files("clusterdiff.browse").joinpath("web", name).read_text(encoding="utf-8")
