"""`clusterdiff schema`: what the JSON of each verb holds."""

from __future__ import annotations

import json
import re
from importlib.resources import files
from typing import Annotated, Any

import typer

from clusterdiff.cli.streams import exact, say
from clusterdiff.errors import ClusterdiffError, did_you_mean


def json_schema(document: str | None = None) -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of all documents, or of one with what it needs.

    >>> json_schema("diff")["title"]
    'clusterdiff/diff/2'
    """
    path = files("clusterdiff").joinpath("schemas", "clusterdiff.schema.json")
    whole: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    if document is None:
        return whole
    known = [one["$ref"].rpartition("/")[2] for one in whole["oneOf"]]
    if document not in known:
        raise ClusterdiffError(
            f"no JSON document is called {document!r}.",
            f"{did_you_mean(document, known)}There are {', '.join(known)}.",
        )
    parts = whole["$defs"]
    needed, new = set[str](), {document}
    while new:
        needed |= new
        new = {name for one in new for name in _named_in(parts[one])} - needed
    used = {name: part for name, part in parts.items() if name in needed - {document}}
    return {"$schema": whole["$schema"], **parts[document], "$defs": used}


def _named_in(part: Any) -> list[str]:
    return re.findall(r'"#/\$defs/([\w-]+)"', json.dumps(part))


def schema(
    document: Annotated[
        str | None,
        typer.Argument(help="A verb, or explain-object and the like; all of them by default."),
    ] = None,
) -> None:
    """Print the JSON Schema of what -f json writes."""
    say(exact(json.dumps(json_schema(document), indent=2, ensure_ascii=False)))
