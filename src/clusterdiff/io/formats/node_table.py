"""The nodes of a graph as a table: an id, and a column for each attribute."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace

from clusterdiff.errors import ReadError, examples
from clusterdiff.io.files import peek
from clusterdiff.io.formats.csv import new_file
from clusterdiff.io.read import Source

Value = str | int | float


@dataclass
class NodeTable:
    """Nodes in the order of the file, with what each has for every attribute: a value, several, or
    none.
    """

    id: str
    """What the nodes are called by."""
    ids: list[Value] = field(default_factory=list)
    attributes: dict[str, dict[int, list[Value]]] = field(default_factory=dict)
    """For each attribute the values of the nodes that have it, by their number."""

    def add(self, node: int, attribute: str, value: Value) -> None:
        """A value of an attribute of the node of this number."""
        self.attributes.setdefault(attribute, {}).setdefault(node, []).append(value)

    def as_csv(self, stack: ExitStack, source: Source) -> Source:
        """The table as a file: texts in quotes, numbers without. An attribute of which a node has
        several values is there if it was named, and then a node has a row for each.
        """
        again = [i for i, often in Counter(self.ids).items() if often > 1]
        if again:
            raise ReadError(
                f"{source.shown} has nodes with the same id: {len(again):,} of {len(self.ids):,} "
                f"ids occur again ({examples(again)}).",
                "each node of a graph has an id of its own.",
            )
        wanted = source.wanted
        columns = {
            name: values
            for name, values in self.attributes.items()
            if name in wanted or all(len(one) == 1 for one in values.values())
        }
        to = new_file(stack, "nodes.csv")
        with to.open("w", encoding="utf-8", newline="") as out:
            out.write(",".join(map(_cell, (self.id, *columns))) + "\n")
            for node, name in enumerate(self.ids):
                cells = [values.get(node, []) for values in columns.values()]
                for row in range(max(map(len, cells), default=1) or 1):
                    told = [_cell(own[min(row, len(own) - 1)]) if own else "" for own in cells]
                    out.write(",".join([_cell(name), *told]) + "\n")
        start, packed = peek(to, source.shown)
        id = self.id if source.id is None else source.id
        return replace(source, files=(to,), start=start, packed=packed, id=id, header=True)


def free_name(names: Sequence[str], taken: Sequence[str]) -> str:
    """The first of some names that no attribute has."""
    return next(name for name in names if name not in taken)


def _cell(value: Value) -> str:
    if isinstance(value, float):
        whole = math.isfinite(value) and value == int(value)
        return str(int(value)) if whole else repr(value)
    return str(value) if isinstance(value, int) else '"' + value.replace('"', '""') + '"'
