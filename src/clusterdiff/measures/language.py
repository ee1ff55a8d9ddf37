"""Reading a measure back from the text that it prints.

A text is never code: it may come from a stranger. Names are looked up among the measures, values
are literals or bare words, and a function has a name here only where the caller looks it up.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from clusterdiff.errors import UnknownMeasure, UnknownParameter, shorten, shown
from clusterdiff.measures.base import REGISTRY, Measure, installed, lookup, one_word

MOST = 1000
"""Characters of a text."""
Functions = Callable[[str], Any] | None
"""What gives the function that `module:name` stands for; None where none may be named."""
SIGNED = re.compile(r"(.+?) = .+? \| (?:compat:([\w-]+)\|)?(?:kind:\w+\|)?objects:\d")
"""A line that `Score.sign` writes: the measure, and the convention that it follows, if any."""


def parse(text: str, functions: Functions = None) -> Measure:
    """The measure that prints as `text`; a word for a value needs no quotes.

    >>> parse("Adjusted Rand index")
    adjusted_rand
    >>> parse("bcubed_f(f=objects)")
    bcubed_f(f='objects')
    >>> parse("adjusted(rand, samples=10)")
    adjusted(rand, samples=10)
    """
    return _measure(_tree(text), text, functions)


def unsigned(text: Any) -> tuple[Any, str | None]:
    """The measure in the signature of a score, and its convention; other text as it is.

    >>> unsigned("nmi(norm='max') = 0.5 | objects:6|clusters:3x3")
    ("nmi(norm='max')", None)
    """
    found = SIGNED.match(text) if isinstance(text, str) else None
    return (text, None) if found is None else (found[1], found[2])


def parse_all(text: str, functions: Functions = None) -> list[Measure]:
    """The measures of a text with commas between them; the name of a family stands for its
    precision, recall and F.

    >>> parse_all("elm_f, bcubed_f(alpha=0.2, f=objects)")
    [elm_f, bcubed_f(alpha=0.2, f='objects')]
    >>> parse_all("bcubed, conll")
    [bcubed_precision, bcubed_recall, bcubed_f, conll]
    """
    if text in REGISTRY:  # most texts are a plain name
        return [REGISTRY[text]]
    tree = _tree(text)
    nodes = tree.elts if isinstance(tree, ast.Tuple) and tree.elts else [tree]
    found = (_family(node) or [_measure(node, text, functions)] for node in nodes)
    return [measure for some in found for measure in some]


def _family(node: ast.expr) -> list[Measure]:
    """Precision, recall and F of the family of this name, if it is not the name of a measure."""
    if not isinstance(node, ast.Name) or node.id in REGISTRY:
        return []
    known = installed()
    names = [f"{node.id}_{part}" for part in ("precision", "recall", "f")]
    if not known.keys() >= {*names}:
        return []
    with suppress(UnknownMeasure):
        return [lookup(node.id)]
    return [known[name] for name in names]


def _tree(text: str) -> ast.expr:
    if not isinstance(text, str):
        raise UnknownMeasure.from_text(repr(text))
    if len(text) > MOST:
        raise UnknownMeasure(
            f"{shorten(text, 60)!r} cannot be read as a measure: it has {len(text):,} characters.",
            f"a measure is written in {MOST:,} characters at most.",
        )
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(one_word(text.strip()), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise UnknownMeasure.from_text(text) from None


def _measure(node: ast.expr, text: str, functions: Functions) -> Measure:
    if isinstance(node, ast.Name):
        return lookup(node.id)
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name)) or len(node.args) > 1:
        raise UnknownMeasure.from_text(text)
    found = lookup(node.func.id)
    params: dict[str, Any] = {}
    if node.args:
        params["measure"] = _measure(node.args[0], text, functions)
    for keyword in node.keywords:
        if keyword.arg is None or keyword.arg in params:
            raise UnknownMeasure.from_text(text)
        value = _value(keyword.value, text, functions)
        if isinstance(value, str) and found.takes_function(keyword.arg, value):
            value = _function(found.name, keyword.arg, value, functions)
        params[keyword.arg] = value
    return found.with_params(**params)


def _value(node: ast.expr, text: str, functions: Functions) -> Any:
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Call):
        return _measure(node, text, functions)
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError, RecursionError, MemoryError):
        raise UnknownMeasure.from_text(text) from None


def _function(measure: str, key: str, where: str, functions: Functions) -> Any:
    if functions is None:
        function = where.rpartition(":")[2].rpartition(".")[2]
        given = function if function.isidentifier() else "function"
        raise UnknownParameter(
            f"{measure}: {key}={shown(where)} names a function, and the text of a measure runs no "
            "code.",
            f"in Python give the function itself, cd.{measure}({key}={given}); at the prompt "
            "--allow-code (of compare, explain, diff and report) imports it and runs it.",
        )
    return functions(where)
