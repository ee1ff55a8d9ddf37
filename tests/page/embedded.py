"""What a page holds besides what it shows: all parts, and objects to look up."""

from __future__ import annotations

import base64
import gzip
import html
import json
import re
from typing import Any, NamedTuple


class Held(NamedTuple):
    """A part that can be searched."""

    shape: str
    sample: str
    html: str

    @property
    def text(self) -> str:
        """Its words, as a reader sees them."""
        return html.unescape(re.sub(r"<[^>]*>", "\n", self.html))


def unpacked(page: str, name: str) -> Any:
    """What is compressed under a name."""
    found = re.search(rf'<script type="text/plain" id="{name}">([^<]*)</script>', page)
    assert found is not None, name
    return json.loads(gzip.decompress(base64.b64decode(found[1])))


def parts_of(page: str, guess: int = 0) -> list[Held]:
    """The parts of a guess."""
    return [Held(*one) for one in unpacked(page, f"s{guess}-parts")]


def objects_of(page: str, guess: int = 0) -> Any:
    """The objects of a guess that can be looked up."""
    (found,) = unpacked(page, f"s{guess}-objects")
    return found


def verdict_of(page: str) -> str:
    """The sentence that a page opens with."""
    found = re.search(r'<p class="verdict">(.*?)</p>', page)
    assert found is not None
    return html.unescape(found[1]).replace("\u00a0", " ")
