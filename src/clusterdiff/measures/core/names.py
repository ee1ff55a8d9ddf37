"""The names that a measure goes by: its docstring states them, and each of them finds it.

The first line begins with the name in the literature and its abbreviation, and a paragraph lists
the others, with the parameters where another package has another default:

    Normalized mutual information (NMI): by default divided by the larger entropy.

    Also known as: normalized_mutual_info_score (norm='arithmetic').
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from difflib import get_close_matches
from typing import Any

from clusterdiff.errors import UnknownMeasure

ALSO = re.compile(r"^Also known as: (.*?)\.(?:\n\n|\Z)", re.DOTALL | re.MULTILINE)
TITLE = re.compile(r"([^:\n]*?)(?: \(([^)\n]*)\))?: ")
ALIAS = re.compile(r"(.*?)(?: \((.*)\))?")
CLOSE = 0.65


def aliases(doc: str) -> dict[str, str]:
    """The names in a docstring, with the parameters they imply.

    >>> aliases("Rand index (RI): agreement.\\n\\nAlso known as: rand_score, one (norm='min').")
    {'Rand index': '', 'RI': '', 'rand_score': '', 'one': "norm='min'"}
    """
    title, also = TITLE.match(doc), ALSO.search(doc)
    named = {name: "" for name in title.groups() if name} if title else {}
    for text in " ".join(also[1].split()).split(", ") if also else ():
        found = ALIAS.fullmatch(text)
        assert found is not None
        named[found[1]] = found[2] or ""
    return named


def key(name: str) -> str:
    """A name without what spellings differ by: capitals, blanks, hyphens, underscores.

    >>> key("V-measure"), key("v_measure")
    ('vmeasure', 'vmeasure')
    """
    return "".join(filter(str.isalnum, name.casefold()))


def one_word(text: str) -> str:
    """Names of several words as one, outside of quotes.

    >>> one_word("adjusted Rand index, V-measure(alpha=0.2)")
    'adjusted_Rand_index, V_measure(alpha=0.2)'
    """
    return re.sub(r"""('[^']*'|"[^"]*")|(?<=\w)[ \-–]+(?=[^\W\d])""", lambda m: m[1] or "_", text)


def resolve(name: str, known: Mapping[str, Mapping[str, str]]) -> tuple[str, dict[str, Any]]:
    """The one measure with an alias, and the parameters that the alias implies."""
    keys: dict[str, set[tuple[str, str]]] = {}
    for canonical, others in known.items():
        for alias, params in {**others, canonical: ""}.items():
            keys.setdefault(key(alias), set()).add((canonical, params))
    meant = sorted(keys.get(key(name), ()))
    if len(meant) > 1:
        raise UnknownMeasure.from_ambiguous(name, [canonical for canonical, _ in meant])
    if not meant:
        near = get_close_matches(key(name), keys, n=1, cutoff=CLOSE)
        best = min(keys[near[0]])[0] if near else ""
        raise UnknownMeasure.from_name(name, best, len(known))
    ((canonical, params),) = meant
    call = ast.parse(f"f({params})", mode="eval").body
    assert isinstance(call, ast.Call)
    return canonical, {str(k.arg): ast.literal_eval(k.value) for k in call.keywords}
