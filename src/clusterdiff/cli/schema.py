"""`clusterdiff schema`: what the JSON of each verb holds."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from clusterdiff.cli.streams import exact, say
from clusterdiff.output.schema import json_schema


def schema(
    document: Annotated[
        str | None,
        typer.Argument(help="A verb, or explain-object and the like; all of them by default."),
    ] = None,
) -> None:
    """Print the JSON Schema of what -f json writes."""
    say(exact(json.dumps(json_schema(document), indent=2, ensure_ascii=False)))
