"""Reading a measure back from the text that it prints."""

from __future__ import annotations

import ast
from importlib import import_module
from typing import Any

from clusterdiff.errors import UnknownMeasure
from clusterdiff.measures.base import Measure, lookup


def parse(text: str) -> Measure:
    """The measure that prints as `text`.

    >>> parse("bcubed_f(f='means')")
    bcubed_f(f='means')
    >>> parse("adjusted(rand, samples=10)")
    adjusted(rand, samples=10)
    """
    try:
        tree = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise UnknownMeasure.from_text(text) from None
    return _measure(tree, text)


def _measure(node: ast.expr, text: str) -> Measure:
    if isinstance(node, ast.Name):
        return lookup(node.id)
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name)) or len(node.args) > 1:
        raise UnknownMeasure.from_text(text)
    found = lookup(node.func.id)
    params: dict[str, Any] = {}
    if node.args:
        params["measure"] = _measure(node.args[0], text)
    for keyword in node.keywords:
        if keyword.arg is None or keyword.arg in params:
            raise UnknownMeasure.from_text(text)
        params[keyword.arg] = _value(keyword.value, text)
    return found.having(**params)


def _value(node: ast.expr, text: str) -> Any:
    if isinstance(node, ast.Name | ast.Call):
        return _measure(node, text)
    try:
        value = ast.literal_eval(node)
    except (ValueError, TypeError, RecursionError, MemoryError):
        raise UnknownMeasure.from_text(text) from None
    if isinstance(value, str) and ":" in value:
        return _function(value, text)
    return value


def _function(where: str, text: str) -> Any:
    """The function that `module:name` stands for."""
    module, _, name = where.partition(":")
    try:
        found: Any = import_module(module)
        for part in name.split("."):
            found = getattr(found, part)
    except (ImportError, AttributeError, ValueError):
        raise UnknownMeasure.from_text(text) from None
    return found
