"""Formulas of measures, as their docstrings write them, set as MathML: no script and no network.

    P = 1/n Σ_o |T(o) ∩ G(o)| / |G(o)|

has a fraction 1/n, a sum over o, and a fraction of two sizes. A slash without blanks binds what
touches it; a slash between blanks binds the factors on either side, back to a sum, or with it if
there is a sum below. Words stay words: `mean over pairs of` is text, where lines may be broken.

MkDocs calls `on_page_markdown` (see hooks in mkdocs.yml), which sets the blocks called formula.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from html import escape
from itertools import groupby
from typing import Any

BLOCK = re.compile(r"^```formula\n(.*?)\n```$", re.DOTALL | re.MULTILINE)
TOKEN = re.compile(
    r"""(?P<blank>\s*)(?:
    (?P<code>[a-z]\w*='[^']*'|(?!(?:max|min|mean)_)[a-z]{2,}(?:_[a-z]+)+(?:\([^()]*\))?)
  | (?P<number>\d+(?:\.\d+)?)
  | (?P<word>[A-Za-zÀ-ÿ]+(?:-[A-Za-zÀ-ÿ]+)+|[A-Za-zÀ-ÿ]{2,}'?|a(?=\s)|["“”].*?["“”])
  | (?P<letter>[A-Za-zα-ωΑ-ΡΤ-Ω∅])
  | (?P<low>_\{[^}]*\}|_[A-Za-z]+|_[α-ω]|[₀-₉]+)
  | (?P<high>[⁰¹²³⁴-⁹ᵀ]+|'+|\*)
  | (?P<sign>\S)
)""",
    re.VERBOSE,
)
QUANTITIES = {
    "truth", "guess", "both", "all", "agree", "differ", "observed", "expected",
    "IoU", "TP", "FP", "FN",
}  # fmt: skip
"""Words that formulas reckon with."""
FUNCTIONS = {"log", "cos", "arccos", "norm", "sim", "link"}
OVER = {"max", "min", "mean"}
"""What has its subscript below it and is taken of all that follows, as a sum is."""
GREEK = {"alpha": "α", "beta": "β"}
PLAIN = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹ᵀ₀₁₂₃₄₅₆₇₈₉*'", "0123456789T0123456789∗′")
BRACKETS = {"(": ")", "[": "]", "{": "}"}
SIGNS = {"-": "−", "\\": "∖"}
THIN = '<mspace width="0.25em"></mspace>'


@dataclass(frozen=True)
class Part:
    """A piece of a formula: an operand, a sum, a sign, a mark between clauses, or text."""

    kind: str
    html: str
    blank: bool = False
    """Whether there is a blank before it."""
    text: str = ""
    """As it was written: of words, letters and signs."""
    inner: Sequence[Part] = field(default=())
    """What is within the brackets of a group."""

    @property
    def prose(self) -> bool:
        """Whether it is set as text between formulas."""
        return self.kind in ("prose", "code")

    @property
    def factor(self) -> bool:
        """Whether it can be part of a product."""
        return self.kind in ("operand", "quantity", "group", "sum")


def on_page_markdown(markdown: str, **kwargs: Any) -> str:
    """Set the formulas of a page."""
    return BLOCK.sub(lambda block: formula(block[1]), markdown)


def formula(text: str) -> str:
    """A definition as HTML: formulas as MathML, and the words between them."""
    pieces = []
    for prose, run in groupby(_spread(_read(text)), key=lambda part: part.prose):
        for parts in [[part] for part in run] if prose else _clauses(run):
            html = (
                _as_text(parts[0]) if prose else f"<math displaystyle='true'>{_row(parts)}</math>"
            )
            pieces.append(f" {html}" if parts[0].blank and pieces else html)
    return f'<div class="formula" data-search-exclude="">{"".join(pieces)}</div>'


def _as_text(part: Part) -> str:
    return f"<code>{part.html}</code>" if part.kind == "code" else part.html


def _spread(parts: Iterable[Part]) -> list[Part]:
    """Without brackets around text; quantities and marks beside words are words."""
    made: list[Part] = []
    for part in parts:
        if part.kind == "group" and any(one.prose for one in part.inner):
            first, *rest = _spread(part.inner)
            opened = Part("prose", part.text, part.blank)
            made += [opened, replace(first, blank=False), *rest]
            made.append(Part("prose", BRACKETS[part.text]))
        else:
            made.append(part)
    for order in (range(len(made)), range(len(made) - 1, -1, -1)):
        for k in order:
            before = made[k - 1] if k else None
            after = made[k + 1] if k + 1 < len(made) else None
            words = [one for one in (before, after) if one and one.prose]
            if (made[k].kind == "quantity" and words) or (
                made[k].kind == "mark" and before and before.prose
            ):
                made[k] = replace(made[k], kind="prose", html=escape(made[k].text))
    return made


def _clauses(parts: Iterable[Part]) -> Iterator[list[Part]]:
    """Formulas up to a comma: lines may be broken behind it."""
    clause: list[Part] = []
    for part in parts:
        clause.append(part)
        if part.kind == "mark":
            yield clause
            clause = []
    if clause:
        yield clause


def _read(text: str) -> list[Part]:
    """The parts of a formula."""
    return _parts(list(TOKEN.finditer(text.strip().removesuffix("."))), "")


def _parts(tokens: list[re.Match[str]], end: str) -> list[Part]:
    """The parts up to a sign that ends them; takes their tokens off the list."""
    found: list[Part] = []
    given = end == ")" and _bars(tokens) % 2 == 1
    while tokens:
        token = tokens.pop(0)
        text, blank = token[0].strip(), bool(token["blank"])
        last = None if blank or not found else found[-1]
        if text == end:
            break
        if (token["low"] or token["high"]) and last and last.factor:
            found[-1] = _with_script(last, token)
        elif text in BRACKETS:
            inner = _parts(tokens, BRACKETS[text])
            html = _fenced(text, inner, BRACKETS[text])
            if last and (last.kind, last.text) != ("operand", "") and last.factor:
                found[-1] = replace(last, kind="operand", html=last.html + html, text="")
            else:
                found.append(Part("group", html, blank, text, inner))
        elif text == "|" and not given:
            found.append(Part("operand", _fenced("|", _parts(tokens, "|"), "|"), blank))
        elif text == "√" and tokens and tokens[0][0] == "(":
            tokens.pop(0)
            found.append(Part("operand", f"<msqrt>{_row(_parts(tokens, ')'))}</msqrt>", blank))
        else:
            found.append(_leaf(token, text, blank))
    return _divided(_divided(found, tight=True), tight=False)


def _bars(tokens: list[re.Match[str]]) -> int:
    """How many bars there are within these brackets, but not within others."""
    depth = bars = 0
    for token in tokens:
        depth += (token["sign"] or "") in (*BRACKETS,)
        depth -= (token["sign"] or "") in BRACKETS.values()
        if depth < 0:
            break
        bars += depth == 0 and token["sign"] == "|"
    return bars


def _leaf(token: re.Match[str], text: str, blank: bool) -> Part:
    """A number, a letter, a word or a sign."""
    if token["code"]:
        return Part("code", escape(text, quote=False), blank, text)
    if token["number"]:
        return Part("operand", f"<mn>{text}</mn>", blank)
    if text in GREEK or token["letter"]:
        return Part("operand", f"<mi>{GREEK.get(text, text)}</mi>", blank, text)
    if text == "Σ":
        return Part("sum", '<mo class="sum" largeop="false">∑</mo>', blank, text)
    if text in FUNCTIONS | OVER | QUANTITIES:
        kind = "operand" if text in FUNCTIONS else "quantity"
        return Part(kind, f'<mi class="word">{text}</mi>', blank, text)
    if token["word"]:
        return Part("prose", escape(text, quote=False), blank, text)
    kind = "mark" if text in ",;:." else "sign"
    return Part(kind, f"<mo>{escape(SIGNS.get(text, text))}</mo>", blank, text)


def _with_script(part: Part, token: re.Match[str]) -> Part:
    """What is written below or above a part."""
    if token["high"]:
        high = token["high"].translate(PLAIN)
        if high[0] == "′":
            return replace(part, html=f'{part.html}<mo lspace="0" rspace="0">{high}</mo>')
        tag = "mn" if high.isdigit() else "mi" if high.isalpha() else "mo"
        return replace(part, html=f"<msup>{_one(part.html)}<{tag}>{high}</{tag}></msup>")
    low = token["low"].removeprefix("_").translate(PLAIN)
    html = _row(_read(low[1:-1])) if low[0] == "{" else _subscript(low)
    over = part.kind == "sum" or part.text in OVER
    tag, kind = ("munder", "sum") if over else ("msub", part.kind)
    below = _one(html) if over else f'<mpadded voffset="-0.2em">{html}</mpadded>'
    return replace(part, kind=kind, html=f"<{tag}>{_one(part.html)}{below}</{tag}>")


def _subscript(text: str) -> str:
    """One letter or several; longer ones are words."""
    if text in GREEK:
        return f"<mi>{GREEK[text]}</mi>"
    if len(text) > 2:
        return f'<mi class="word">{text}</mi>'
    tag = "mn" if text.isdigit() else "mi"
    return "<mo>,</mo>".join(f"<{tag}>{letter}</{tag}>" for letter in text)


def _divided(parts: list[Part], tight: bool) -> list[Part]:
    """With fractions for slashes: those without blanks about them, or the others."""
    made: list[Part] = []
    rest = list(parts)
    while rest:
        part = rest.pop(0)
        bare = not (made and made[-1].factor and made[-1].kind != "sum" and rest and rest[0].factor)
        if part.text != "/" or part.kind != "sign" or (tight and part.blank) or bare:
            made.append(part)
            continue
        below = [rest.pop(0)]
        while rest and rest[0].factor and not (tight and rest[0].blank):
            below.append(rest.pop(0))
        above: list[Part] = []
        while made and made[-1].factor:
            if made[-1].kind == "sum" and below[0].kind != "sum":
                break
            above.insert(0, made.pop())
            if tight and above[0].blank:
                break
        html = f"<mfrac>{_one(_opened(above))}{_one(_opened(below))}</mfrac>"
        made.append(Part("operand", html, above[0].blank))
    return made


def _opened(parts: list[Part]) -> str:
    """The parts in a row; brackets about all of them are not needed."""
    alone = len(parts) == 1 and parts[0].kind == "group" and parts[0].text == "("
    return _row(parts[0].inner if alone else parts)


def _fenced(first: str, inner: Sequence[Part], last: str) -> str:
    """In brackets or bars, as tall as what is within."""
    row = _row(inner)
    tall = str("<mfrac>" in row or "<munder>" in row).lower()
    begin, end = (
        f'<mo form="{form}" fence="true" stretchy="{tall}">{sign}</mo>'
        for form, sign in (("prefix", first), ("postfix", last))
    )
    return f"<mrow>{begin}{row}{end}</mrow>"


def _row(parts: Iterable[Part]) -> str:
    """Parts side by side, with thin spaces about words."""
    html, before = "", None
    for part in parts:
        signs = before and {before.kind, part.kind} & {"sign", "mark"}
        if before and part.blank and not signs and (_is_word(before) or _is_word(part)):
            html += THIN
        html += f'<mtext class="{part.kind}">{part.html}</mtext>' if part.prose else part.html
        before = part
    return html


def _is_word(part: Part) -> bool:
    return part.prose or part.text in FUNCTIONS | OVER | QUANTITIES


def _one(html: str) -> str:
    return f"<mrow>{html}</mrow>"
