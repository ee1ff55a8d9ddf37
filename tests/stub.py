"""The stub of the package: its public names, and every measure with its parameters.

`make stub` writes it to `src/clusterdiff/__init__.pyi`, for editors and type checkers.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from types import ModuleType, UnionType
from typing import Any, Literal, get_args, get_origin, get_type_hints

import clusterdiff as cd
from clusterdiff.io import MEET_OPTIONS
from clusterdiff.measures.base import Measure

HEAD = '''"""Compare clusterings. Written by `make stub`: names, measures and their parameters."""

from collections.abc import Callable
from typing import Any, Literal, Self, TypedDict, Unpack, overload

'''


def stub() -> str:
    """The text of the stub, formatted."""
    parts = [HEAD, *map(_import, cd.__all__), f"\n__all__ = {cd.__all__!r}\n", _options()]
    for measure in sorted(cd.measures(), key=lambda m: m.name):
        parts += [_class(measure), f'{measure.name}: {_title(measure)}\n"""{measure.meaning}"""\n']
    return _ruff(_ruff("".join(parts), "check", "--select=I", "--fix", "--quiet"), "format")


def _ruff(text: str, *command: str) -> str:
    whole = [sys.executable, "-m", "ruff", *command, "--stdin-filename=__init__.pyi", "-"]
    return subprocess.run(whole, input=text, stdout=subprocess.PIPE, text=True, check=True).stdout


def _import(name: str) -> str:
    value = getattr(cd, name)
    if name == "__version__":
        return "from clusterdiff.version import __version__ as __version__\n"
    if isinstance(value, ModuleType):
        place, _, own = value.__name__.rpartition(".")
    else:
        place, own = value.__module__, value.__name__
    return f"from {place} import {own} as {name}\n"


def _options() -> str:
    hints = get_type_hints(cd.meet)
    fields = "".join(f"    {name}: {_written(hints[name])}\n" for name in MEET_OPTIONS)
    fields += "    compat: str | None\n"
    return f"\nclass _Options(TypedDict, total=False):\n{fields}"


def _class(measure: Measure) -> str:
    """A class whose calls give a score, or a measure where no clusterings are given."""
    hints = get_type_hints(measure.function)
    doc = measure.about.replace("\n", "\n        ")
    made: list[str] = []
    for alpha, score, again in _results(hints):
        known = {**hints, "alpha": alpha} if alpha else hints
        calls = {"truth: Any, guess: Any": score, "": again}
        if "measure" in hints:
            calls["measure: Measure | str"] = again
        for given, returned in calls.items():
            left = [name for name in measure.defaults if not given.startswith(name)]
            parts = ["self", *([given, "/"] if given else []), *(["*"] if left else [])]
            parts += [_parameter(measure, name, known) for name in left]
            parts += ["**options: Unpack[_Options]"] if returned == score else []
            body = " ..." if made else f'\n        {"r" if chr(92) in doc else ""}"""{doc}"""'
            made.append(
                f"    @overload\n    def __call__({', '.join(parts)}) -> {returned}:{body}\n"
            )
    return f"\nclass {_title(measure)}(Measure):\n{''.join(made)}"


def _results(hints: dict[str, Any]) -> list[tuple[Any, str, str]]:
    """What a call gives, by alpha: without it an interval, of one alpha a number if it is known.

    A value for each row is averaged over the objects.
    """
    options = get_args(hints["return"]) or (hints["return"],)
    if cd.ScoreRange not in options:
        return [(None, "float", "Self")]
    if float not in options:
        return [(None, "ScoreRange", "Self")]
    known = "float | ScoreRange" if "method" in hints else "float"
    return [(type(None), "ScoreRange", "Self"), (float, known, "Measure")]


def _title(measure: Measure) -> str:
    return "_" + "".join(word.capitalize() for word in measure.name.split("_"))


def _parameter(measure: Measure, name: str, hints: dict[str, Any]) -> str:
    written = _written(hints[name])
    written = written.replace("Measure", "Measure | str") if name == "measure" else written
    default = measure.defaults[name]
    needed = default is None and hints[name] is float
    return f"{name}: {written}" if needed else f"{name}: {written} = {default!r}"


def _written(hint: Any) -> str:
    """An annotation with its aliases spelled out."""
    if isinstance(hint, UnionType) or str(get_origin(hint)) == "typing.Union":
        return " | ".join(map(_written, get_args(hint)))
    if get_origin(hint) is Literal:
        return f"Literal[{', '.join(map(repr, get_args(hint)))}]"
    if get_origin(hint) is Callable:
        return "Callable[..., Any]"
    if get_origin(hint) is not None:
        return f"{get_origin(hint).__name__}[{', '.join(map(_written, get_args(hint)))}]"
    return "None" if hint is type(None) else str(hint.__name__)


if __name__ == "__main__":
    sys.stdout.write(stub())
