"""The measures that were asked for at the prompt, before any file is read."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from importlib import import_module
from pathlib import Path
from typing import Any

from clusterdiff.errors import ClusterdiffError
from clusterdiff.measures import Measure, measure_named, measures_named


def asked_for(texts: Iterable[str] | None, allow_code: bool) -> list[Measure]:
    """The measures of all texts; functions in them are imported only where that is allowed."""
    functions = function_named if allow_code else None
    return [measure for text in texts or [] for measure in measures_named(text, functions)]


def asked_by(text: str | None, allow_code: bool) -> Measure | None:
    """The measure that is explained, if one is named."""
    return None if text is None else measure_named(text, function_named if allow_code else None)


def split(texts: Iterable[str] | None) -> list[str]:
    """Names that stand alone or with commas between them."""
    return [name.strip() for text in texts or [] for name in text.split(",") if name.strip()]


def function_named(text: str) -> Any:
    """A function from the name of its module and its own."""
    module, _, name = text.partition(":")
    if not module or not name:
        raise ClusterdiffError(
            f"{text!r} names no function.", "write module:function, e.g. mymodule:my_function."
        )
    here = str(Path.cwd())
    sys.path.insert(0, here)
    try:
        found: Any = import_module(module)
    except ImportError as error:
        raise ClusterdiffError(
            f"{module} could not be imported: {error}.",
            f"is there a file {module.replace('.', '/')}.py in this folder?",
        ) from None
    except Exception as error:
        raise ClusterdiffError(
            f"{module} ends with an error: {type(error).__name__}: {error}.",
            f"does python -c 'import {module}' run?",
        ) from None
    finally:
        sys.path.remove(here)
    for part in name.split("."):
        found = getattr(found, part, None)
    if found is None:
        raise ClusterdiffError(
            f"{module} has no {name}.", f"check the name of the function in {module}."
        )
    if not callable(found):
        raise ClusterdiffError(f"{text} is not a function.", f"name a function in {module}.")
    return found
