"""BLANC of several documents: links are counted within each, pair by pair, and then summed."""

from __future__ import annotations

import json
import math
import random
from itertools import combinations
from pathlib import Path

import pytest

import clusterdiff as cd
from cli.runner import run
from clusterdiff.statistics.intervals import interval

Side = dict[str, int]
Documents = dict[str, tuple[Side, Side, Side]]
PARTS = ("precision", "recall", "f")
K = 14


def documents(seed: int) -> Documents:
    """Truth and two guesses; mentions are missing on every side, and one document has no link."""
    rng = random.Random(seed)

    def side(mentions: int) -> Side:
        kept = [f"m{i}" for i in range(mentions) if rng.random() < 0.85] or ["m0"]
        return {m: rng.randrange(1 + mentions // 3) for m in kept}

    sizes = [1, *(rng.randrange(3, 9) for _ in range(K - 1))]
    return {f"d{i}": (side(n), side(n), side(n)) for i, n in enumerate(sizes)}


def counts(truth: Side, guess: Side) -> list[int]:
    """Coreference links of truth, guess and both, then the links between entities."""

    def links(side: Side, together: bool) -> set[tuple[str, str]]:
        pairs = combinations(sorted(side), 2)
        return {(a, b) for a, b in pairs if (side[a] == side[b]) is together}

    found = []
    for together in (True, False):
        t, g = links(truth, together), links(guess, together)
        found += [len(t), len(g), len(t & g)]
    return found


def blanc(sums: list[int], alpha: float = 0.5) -> dict[str, float]:
    """The mean over the sorts of links that truth has; 0 where it has none."""
    sorts = []
    for truth, guess, both in (sums[:3], sums[3:]):
        if truth:
            p, r = both / guess if guess else 0.0, both / truth
            sorts.append((p, r, 1 / (alpha / p + (1 - alpha) / r) if both else 0.0))
    return {
        part: sum(one[i] for one in sorts) / len(sorts) if sorts else 0.0
        for i, part in enumerate(PARTS)
    }


def summed(rows: list[list[int]]) -> list[int]:
    return [sum(column) for column in zip(*rows, strict=True)]


def without_each(rows: list[list[int]], part: str) -> list[float]:
    return [blanc(summed(rows[:i] + rows[i + 1 :]))[part] for i in range(len(rows))]


def spread(values: list[float]) -> float:
    mean = sum(values) / len(values)
    return math.sqrt((len(values) - 1) / len(values) * sum((v - mean) ** 2 for v in values))


def rows_of(given: Documents, guess: int) -> list[list[int]]:
    return [counts(sides[0], sides[guess]) for sides in given.values()]


def table(given: Documents, place: int) -> str:
    rows = (f"{d},{m},{c}" for d, sides in given.items() for m, c in sides[place].items())
    return "\n".join(["doc,id,cluster", *rows]) + "\n"


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("part", PARTS)
def test_micro_sums_the_links_of_documents(seed: int, part: str) -> None:
    given = documents(seed)
    pairs = {name: sides[:2] for name, sides in given.items()}
    report = cd.compare(samples=pairs, measures=[f"blanc_{part}"], compat="conll", confidence=0.95)
    score, rows = report[f"blanc_{part}"], rows_of(given, 1)
    assert score.micro == pytest.approx(blanc(summed(rows))[part], abs=1e-14)
    assert score.each == pytest.approx([blanc(one)[part] for one in rows], abs=1e-14)
    assert score.value == pytest.approx(sum(score.each) / K, abs=1e-14)
    se = spread(without_each(rows, part))
    sure = score.micro_ci
    assert (sure.se, sure.units, sure.count) == (pytest.approx(se, rel=1e-9), "samples", K)
    ends = interval(score.micro, se, sure.df, 0.95, (0.0, 1.0))
    assert (sure.low, sure.high) == pytest.approx(ends, abs=1e-9)


@pytest.mark.parametrize("weight", [0.2, 0.9])
def test_micro_with_another_weight(weight: float) -> None:
    given = documents(9)
    pairs = {name: sides[:2] for name, sides in given.items()}
    measure = cd.measure("blanc_f", compat="conll")(alpha=weight)
    found = cd.compare(samples=pairs, measures=[measure], align="penalise")[measure].micro
    assert found == pytest.approx(blanc(summed(rows_of(given, 1)), weight)["f"], abs=1e-14)


@pytest.mark.parametrize("engine", ["duckdb", "arrays"])
@pytest.mark.parametrize("part", PARTS)
def test_differences_and_files(part: str, engine: str, tmp_path: Path) -> None:
    given = documents(5)
    for place, name in enumerate(("truth", "one", "two")):
        (tmp_path / f"{name}.csv").write_text(table(given, place))
    files = [str(tmp_path / f"{name}.csv") for name in ("truth", "one", "two")]
    report = cd.compare(
        files[0], {"one": files[1], "two": files[2]}, [f"blanc_{part}"], compat="conll",
        samples="doc", confidence=0.95, engine=engine,
    )  # fmt: skip
    found = report.difference(f"blanc_{part}", "one", "two", micro=True)
    one, two = rows_of(given, 1), rows_of(given, 2)
    wanted = blanc(summed(one))[part] - blanc(summed(two))[part]
    assert found.value == pytest.approx(wanted, abs=1e-14)
    each = zip(without_each(one, part), without_each(two, part), strict=True)
    assert found.se == pytest.approx(spread([a - b for a, b in each]), rel=1e-9)
    ran = run(
        "compare", *files[:2], "--samples", "doc", "--compat", "conll", "-m", f"blanc_{part}",
        "-f", "json", "--engine", engine,
    )  # fmt: skip
    assert ran.code == 0, ran.stderr
    (shown,) = json.loads(ran.stdout)["guesses"]["one.csv"].values()
    assert shown["micro"] == pytest.approx(blanc(summed(one))[part], abs=1e-14)
    ran = run("diff", *files, "--samples", "doc", "--compat", "conll", "-m", f"blanc_{part}")
    assert f"{blanc(summed(two))[part]:.4f}" in ran.stdout


def test_other_units_are_refused_in_words() -> None:
    given = documents(1)
    pairs = {name: sides[:2] for name, sides in given.items()}
    report = cd.compare(
        samples=pairs, measures=["blanc_f"], compat="conll", confidence=0.95, units="components"
    )
    refused = report["blanc_f"].micro_ci.refused
    assert "sums what it counts within samples" in refused
    assert cd.compare(
        samples=pairs, measures=["muc_f"], compat="conll", confidence=0.95, units="components"
    )["muc_f"].micro_ci


def test_without_the_convention_links_across_documents_count() -> None:
    given = documents(2)
    pairs = {name: sides[:2] for name, sides in given.items()}
    union = [
        {(name, m): (name, c) for name, sides in given.items() for m, c in sides[place].items()}
        for place in (0, 1)
    ]
    found = cd.compare(samples=pairs, measures=["blanc_f"], align="penalise")["blanc_f"]
    assert found.micro == pytest.approx(cd.blanc_f(*union, align="penalise"), abs=1e-14)
    assert abs(found.micro - blanc(summed(rows_of(given, 1)))["f"]) > 0.01
    note = "BLANC of documents together counts links across documents"
    for compat, told in ((None, True), ("conll", False)):
        report = cd.compare(samples=pairs, measures=["blanc_f"], align="penalise", compat=compat)
        assert (note in report.to_latex(style="paper")) is told
