"""How the pages are drawn: of examples with prompts, what was typed and what came out differ; and
the measures in the navigation.

MkDocs calls `on_config` and `on_page_markdown` (see hooks in mkdocs.yml), mkdocstrings loads
`Examples`.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import griffe

FENCE = re.compile(r"^```python\n(?=>>> )", re.MULTILINE)
EXAMPLE = re.compile(r"^>>> .*?(?=\n\s*\n|\Z)", re.DOTALL | re.MULTILINE)
"""In a docstring: from a prompt to the next empty line."""


HIDDEN = {"conditions.md": ["toc"], "index.md": ["navigation", "toc"]}
"""Pages whose table or picture needs the room beside them."""


BOOST = {
    "concepts.md": 8, "which-measure.md": 4, "how-to/": 4, "glossary.md": 2, "tutorial.md": 2,
    "reference/": 0.2, "experiments/": 0.2, "papers.md": 0.2, "errata.md": 0.2, "changes.md": 0.1,
}  # fmt: skip
"""How much more a page or folder counts in the search: explanations come before references."""
MEASURES = "measures/index.md"
FAMILY = re.compile(
    r"^## ([^:\n]*?)(?:: [^\n]*)? \{ #\w+ \}\n(.*?)(?=^## |\Z)", re.DOTALL | re.MULTILINE
)
PAGE = re.compile(r"^\| \[`\w+`\]\((\w+\.md)\)", re.MULTILINE)


def on_config(config: Any) -> None:
    """Under the page of all measures, put the pages of each in the navigation, by family."""
    text = (Path(config.docs_dir) / MEASURES).read_text(encoding="utf-8")
    families = [
        {title: [f"measures/{page}" for page in PAGE.findall(rows)]}
        for title, rows in FAMILY.findall(text)
    ]
    for section in config.nav:
        for entries in section.values():
            for entry in entries if isinstance(entries, list) else ():
                if isinstance(entry, dict) and MEASURES in entry.values():
                    entry.update({title: [MEASURES, *families] for title in entry})


def on_page_markdown(markdown: str, page: Any, **kwargs: Any) -> str:
    """Python with prompts has a lexer of its own; a wide table has the page for itself; the search
    finds explanations first.
    """
    place = page.file.src_uri
    page.meta["hide"] = HIDDEN.get(place, [])
    page.meta["search"] = {
        "boost": next((by for start, by in BOOST.items() if place.startswith(start)), 1)
    }
    return FENCE.sub("```pycon\n", markdown).replace("\n<BLANKLINE>\n", "\n\n")


class Examples(griffe.Extension):
    """Fences around the examples of docstrings, which otherwise would be quotations."""

    def on_object(self, *, obj: griffe.Object, **kwargs: Any) -> None:
        """Rewrite the docstring of a name when it is loaded."""
        if obj.docstring is not None:
            obj.docstring.value = EXAMPLE.sub(_fenced, obj.docstring.value)


def _fenced(example: re.Match[str]) -> str:
    text = example.group().replace("<BLANKLINE>", "")
    return f"```pycon\n{text}\n```"
