"""Every verb with every kind, policy and engine: the definition's number, or refused in words."""

from __future__ import annotations

import json
import os
import re
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any
from zlib import crc32

import pytest
import typer

import clusterdiff as cd
from cli.runner import Ran, run
from clusterdiff.cli.main import app
from journeys.clusterings import KINDS, Sides, in_samples, made, sides, write
from journeys.policies import NOISE, Policy, Wanted, measure_of, wanted

COMPARING = ("compare", "explain", "diff", "report", "chance")
"""Verbs that take a truth and guesses: each has a row in the table."""
OTHERS = ("demo", "measures", "axioms", "reproduce", "pairs", "estimate", "draw", "schema")
"""Verbs that take no whole truth of the user's: none, or a sample of it."""
OF_MANY = (
    "browse", "decisions", "check", "table", "sweep", "relabel", "track", "matrix", "consensus",
)  # fmt: skip
"""Verbs without scores or for many partitions, which have tests of their own."""
POLICIES = [
    Policy(align, noise_as)
    for align in ("exact", "shared", "singletons", "penalise")
    for noise_as in (None, "singletons", "drop")
]
ENGINES = ("duckdb", "arrays", "python")
SOFT = KINDS[2:]
ALL = os.environ.get("CLUSTERDIFF_JOURNEYS") == "all"
"""Whether every cell is tried with every engine."""


def test_no_verb_is_forgotten() -> None:
    group: Any = typer.main.get_command(app)
    verbs = set(group.list_commands(typer.Context(group)))
    assert verbs == {*COMPARING, *OTHERS, *OF_MANY}


def refusal(verb: str, kind: str, policy: Policy, samples: bool) -> str | None:
    """What a cell of the table is refused with, if it is."""
    if verb == "diff" and kind in SOFT:
        return "a diff compares partitions and covers|objects that both sides have"
    if verb == "chance":
        return refusal_of_chance(kind, policy, samples)
    reasons = []
    if kind in SOFT and policy.align in ("singletons", "penalise"):
        reasons.append("uncertain clusterings are compared on objects that both sides have")
    if samples and kind != "partition" and verb in ("explain", "report", "diff"):
        reasons.append("explained one sample at a time")
    return "|".join(reasons) or None


def refusal_of_chance(kind: str, policy: Policy, samples: bool) -> str | None:
    """Random guesses are drawn for one comparison of two partitions of the same objects."""
    reasons = ["these are several samples"] if samples else []
    if kind != "partition":
        reasons += ["random guesses are partitions", "in more than one cluster"]
        reasons += ["objects that both sides have"]
    elif policy.align == "penalise":
        reasons += ["leaves objects on one side only"]
    return "|".join(reasons) or None


def cells() -> list[Any]:
    """All cells; at each commit one engine in turn for the verbs that take long."""
    found = []
    for verb, kind, policy, samples in product(COMPARING, KINDS, POLICIES, (False, True)):
        name = [verb, kind, policy.align, policy.noise_as or "plain", "whole", "samples"]
        name.pop(4 if samples else 5)
        turn = crc32("-".join(name).encode()) % len(ENGINES)
        for engine in (
            ENGINES if ALL or (verb, kind) == ("compare", "partition") else [ENGINES[turn]]
        ):
            cell = (verb, kind, policy, samples, engine)
            found.append(pytest.param(*cell, id="-".join([*name, engine])))
    return found


@cache
def expected(verb: str, kind: str, policy: Policy, samples: bool) -> dict[str, Wanted]:
    """What the definition gives for a cell that is not refused."""
    given = sides_of(verb, kind, policy)
    truth, guesses = given.truth, given.guesses
    if samples:
        truth = in_samples(truth, policy)
        guesses = {name: in_samples(guess, policy) for name, guess in guesses.items()}
    return wanted(measure_of(verb, kind)[1], truth, guesses, policy, samples)


def sides_of(verb: str, kind: str, policy: Policy) -> Sides:
    """The clusterings that a verb takes: one explains one guess."""
    given = sides(kind, policy)
    alone = {"old": given.guesses["old"]}
    return given._replace(guesses=alone) if verb in ("explain", "chance") else given


@pytest.mark.parametrize(("verb", "kind", "policy", "samples", "engine"), cells())
def test_a_cell_is_right_or_refused_in_words(
    verb: str, kind: str, policy: Policy, samples: bool, engine: str, tmp_path: Path
) -> None:
    given = sides_of(verb, kind, policy)
    if engine == "python":
        told = in_python(verb, given, policy, samples)
    else:
        told = at_the_prompt(verb, given, policy, samples, engine, tmp_path)
    refused = refusal(verb, kind, policy, samples)
    if refused is not None:
        assert isinstance(told, str), told
        assert re.search(refused, told), told
        return
    assert not isinstance(told, str), told
    for name, want in expected(verb, kind, policy, samples).items():
        assert told[name] == pytest.approx(number(verb, want), abs=shown(verb)), name


def number(verb: str, want: Wanted) -> float:
    """The number that a verb shows: where objects are told, that of all samples together."""
    return want.micro if verb == "explain" else want.value


def shown(verb: str) -> float:
    """How exact it is: a page shows four digits."""
    return 5.1e-5 if verb == "report" else 1e-12


def at_the_prompt(
    verb: str, given: Sides, policy: Policy, samples: bool, engine: str, folder: Path
) -> dict[str, float] | str:
    """The scores by guess, or what was said instead."""
    files = [write(folder / "truth.csv", given.kinds[0], given.truth)]
    files += [write(folder / f"{n}.csv", given.kind, g) for n, g in given.guesses.items()]
    measure = measure_of(verb, given.kind)[0]
    flags = [*policy.flags, "--engine", engine, *(["--samples", "sample"] if samples else [])]
    if verb != "chance":
        flags += ["--kind", ",".join(dict.fromkeys(given.kinds))]
    page = folder / "page.html"
    out = {
        "compare": ["-m", measure, "-f", "json"],
        "explain": ["--by", measure, "-f", "json"],
        "diff": ["--by", measure, "-m", measure, "-f", "json"],
        "chance": ["-m", measure, "--draws", "9", "-f", "json"],
        "report": ["-m", measure, *explained(given.kind), "-o", str(page)],
    }[verb]
    ran = run(verb, *files, *flags, *out)
    if ran.code:
        return said_in_words(ran)
    if verb == "report":
        return on_the_page(page.read_text(encoding="utf-8"), [*given.guesses])
    found = json.loads(ran.stdout)
    match verb:
        case "compare":
            scores = {n: found["guesses"][f"{n}.csv"][measure] for n in given.guesses}
        case "explain":
            scores = {"old": found["score"]}
        case "chance":
            return {"old": found["measures"][measure]["score"]}
        case _:
            scores = {name: found["scores"][measure][name] for name in given.guesses}
    return {name: low_end(score) for name, score in scores.items()}


def explained(kind: str) -> list[str]:
    """What a page explains."""
    return ["--by", measure_of("explain", kind)[0]]


def said_in_words(ran: Ran) -> str:
    """One paragraph on standard error, and exit code 2."""
    assert ran.code == 2, ran
    assert "Traceback" not in ran.stderr
    assert ran.stderr.startswith(("clusterdiff: ", "Usage:")), ran.stderr
    return " ".join(ran.stderr.split())


def low_end(score: dict[str, Any]) -> float:
    return float(score["value"] if score["value"] is not None else score["low"])


def on_the_page(html: str, guesses: list[str]) -> dict[str, float]:
    """The scores in the table of the page, with all digits from their signatures; with samples each
    guess has mean, spread and micro, and two guesses have a difference.
    """
    body = re.search(r'id="scores-table".*?</table>', html, re.DOTALL)
    signed = re.search(r'class="wrap signatures">(.*?)</pre>', html, re.DOTALL)
    assert body is not None
    assert signed is not None
    cells = re.findall(r"<td[^>]*>([^<]*)", body.group())
    each = (len(cells) - (len(guesses) == 2)) // len(guesses)
    assert each in (1, 3)
    exact = map(float, re.findall(r" = (?:ScoreRange\()?(-?[\d.]+(?:e-?\d+)?)", signed.group()))
    found = dict(zip(guesses, exact, strict=True))
    for value, cell in zip(found.values(), cells[::each], strict=False):
        shown = re.match(r"-?\d+\.(\d+)", cell)
        assert shown is not None
        assert float(shown[0]) == pytest.approx(value, abs=0.51 * 10.0 ** -len(shown[1]))
    return found


def in_python(verb: str, given: Sides, policy: Policy, samples: bool) -> dict[str, float] | str:
    """The same from Python, with clusterings by id."""
    truth = made(given.kinds[0], given.truth)
    guesses = {name: made(given.kind, g) for name, g in given.guesses.items()}
    named = [x for side in (given.truth, *given.guesses.values()) for x in side]
    options: dict[str, Any] = {"align": policy.align}
    if policy.noise_as:
        options |= {"noise": NOISE, "noise_as": policy.noise_as}
    if samples:
        options["samples"] = {name: sample for sample, name in named}
    measure = measure_of(verb, given.kind)[0]
    try:
        match verb:
            case "compare":
                report = cd.compare(truth, guesses, measure, **options)
                return {n: low_end(report[measure][n].to_dict()) for n in guesses}
            case "explain":
                told = cd.explain(truth, guesses["old"], measure, **options)
                return {"old": low_end(told.score.to_dict())}
            case "chance":
                return {"old": cd.chance(truth, guesses["old"], measure, draws=9, **options).score}
            case "diff":
                both = cd.diff(
                    truth, guesses["old"], guesses["new"], measure, measure, **options
                ).report
                return {n: low_end(both[measure][n].to_dict()) for n in guesses}
            case _:
                by = measure_of("explain", given.kind)[0]
                page = cd.page(truth, guesses, by, measure, **options)
                return on_the_page(page.html, [*guesses])
    except cd.ClusterdiffError as error:
        return f"{error.message} {error.hint}"
