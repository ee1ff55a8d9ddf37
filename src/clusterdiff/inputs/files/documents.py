"""Folders and patterns of documents: which files are documents, and what each is called."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from clusterdiff.errors import ReadError
from clusterdiff.inputs.files.packing import without_packing

COREFERENCE = re.compile(r"(?:\.|_)(?:conll|conllu)$", re.IGNORECASE)
"""Endings of files with coreference: .conll, .conllu, .v4_gold_conll."""
ROLE = re.compile(
    r"[._-](?:v\d+[_-])?(?:gold|key|auto|response|sys|system|pred|predicted|output)$", re.IGNORECASE
)
"""Endings that say whether a file is key or response, where all files of a folder have the same."""
MARKS = re.compile(r"[*?\[]")


class DocumentText(NamedTuple):
    """A file of a folder or pattern."""

    shown: str
    document: str
    """What its document is called, where it does not say so itself."""


def documents_in(folder: Path) -> Iterator[Path]:
    """The files with coreference in a folder and those below it, by the ending of their names."""
    for file in folder.rglob("*"):
        hidden = any(part.startswith(".") for part in file.relative_to(folder).parts)
        if not hidden and COREFERENCE.search(without_packing(file.name)) and file.is_file():
            yield file


def refuse_mixed(folder: str, files: Sequence[Path]) -> None:
    """Refuse documents of two formats in one folder."""
    corefud = [file for file in files if without_packing(file.name.lower()).endswith("conllu")]
    if corefud and len(corefud) < len(files):
        other = next(file for file in files if file not in corefud)
        raise ReadError(
            f"{folder} has documents of two formats, such as {corefud[0]} (CorefUD) and {other} "
            "(CoNLL-2012).",
            f"name those of one format, e.g. '{os.path.join(folder, '**', '*.conllu')}'.",
        )


def format_of_documents(parts: Sequence[DocumentText]) -> str:
    """The format of files that are all documents by their names, whatever the first one holds;
    nothing where they are not.
    """
    names = [without_packing(part.shown) for part in parts]
    if not names or not all(map(COREFERENCE.search, names)):
        return ""
    return "corefud" if names[0].lower().endswith("conllu") else "conll"


def parts_of(name: str, files: Sequence[Path]) -> tuple[DocumentText, ...]:
    """The files of a folder or pattern, with the documents that they are."""
    shown = [str(file) for file in files]
    root = name if os.path.isdir(name) else os.path.dirname(MARKS.split(name)[0])
    return tuple(
        map(DocumentText, shown, document_names([os.path.relpath(f, root or ".") for f in shown]))
    )


def document_names(files: Sequence[str]) -> list[str]:
    """What documents are called after their files, so that those of key and response are called
    alike.

    >>> document_names(["a.v4_gold_conll", "b.v4_gold_conll.gz"])
    ['a', 'b']
    >>> document_names(["a.gold.conll", "a.auto.conll"])
    ['a.gold', 'a.auto']
    """
    plain = [COREFERENCE.sub("", without_packing(file)).replace(os.sep, "/") for file in files]
    endings = {found[0] if (found := ROLE.search(name)) else "" for name in plain}
    stripped = [ROLE.sub("", name) for name in plain] if len(endings) == 1 else plain
    return stripped if len(set(stripped)) == len(set(files)) else list(files)
