"""Truth at several levels: scores are those of each level alone, and what is wrong at a fine level
and right at a coarse one is counted pair by pair and object by object.
"""

from __future__ import annotations

import csv
import json
import random
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pytest

import clusterdiff as cd
from cli.runner import run
from clusterdiff.compare import levels as module
from clusterdiff.compare.report import Report
from clusterdiff.errors import MemoryNeeded
from refusals import refuses

MEASURES = ["pair_precision", "pair_f", "bcubed_f", "elm_f"]
NOISE = "?"


class Case(NamedTuple):
    """Objects by id: labels at both levels, a guess, a sample and a count."""

    fine: dict[str, str]
    coarse: dict[str, str]
    guess: dict[str, str]
    sample: dict[str, str]
    times: dict[str, int]


def case(seed: int, objects: int = 14, nested: bool = True) -> Case:
    draw = random.Random(seed)
    ids = [f"o{i}" for i in range(objects)]
    inside = {f"f{k}": f"c{draw.randrange(3)}" for k in range(6)}
    fine = {o: draw.choice([*inside]) for o in ids}
    coarse = {o: inside[f] if nested else f"c{draw.randrange(3)}" for o, f in fine.items()}
    guess = {o: draw.choice("wxyz") for o in ids}
    sample = {o: draw.choice("st") for o in ids}
    return Case(fine, coarse, guess, sample, {o: draw.randrange(1, 4) for o in ids})


class Told(NamedTuple):
    """What there is to say of a guess."""

    pairs: int
    pairs_right: int
    objects: int
    objects_right: int
    confused: dict[tuple[str, frozenset[str]], int]


def oracle(objects: Sequence[tuple[Any, Any, Any, str, str]]) -> Told:
    """The definition; objects are their fine, coarse and guess clusters and two names. A cluster
    that is None is missing.
    """
    pairs = right = 0
    confused: Counter[tuple[str, frozenset[str]]] = Counter()
    for (f, c, g, name, within), (f2, c2, g2, name2, _) in combinations(objects, 2):
        if g is None or g != g2 or (f is not None and f == f2):
            continue
        pairs += 1
        if c is not None and c == c2:
            right += 1
            if name != name2:
                confused[within, frozenset((name, name2))] += 1
    wrong = in_coarse = 0
    for g in {o[2] for o in objects} - {None}:
        inside = [o for o in objects if o[2] == g]
        fine = Counter(o[0] for o in inside if o[0] is not None)
        coarse = Counter(o[1] for o in inside if o[1] is not None)
        of = {o[0]: o[1] for o in inside}
        main = max(fine, key=lambda f: (fine[f], coarse[of[f]]), default=None)
        outside = [o for o in inside if o[0] is None or o[0] != main]
        wrong += len(outside)
        in_coarse += sum(o[1] is not None and o[1] == of.get(main) for o in outside)
    return Told(pairs, right, wrong, in_coarse, dict(confused))


def replicated(given: Case, options: dict[str, Any]) -> Iterator[tuple[Any, Any, Any, str, str]]:
    """The clusters of each object, as the policies say."""
    align, noise_as = options.get("align", "exact"), options.get("noise_as", "singletons")
    lone = iter(range(10**6))
    for o in {**given.fine, **given.guess}:
        labels = [side.get(o) for side in (given.fine, given.coarse, given.guess)]
        noisy = [label == NOISE and "noise" in options for label in labels]
        if (any(noisy) and noise_as == "drop") or (align == "shared" and None in labels):
            continue
        sample = given.sample[o] if "samples" in options else ""
        for _ in range(given.times[o] if "count" in options else 1):
            made = [
                ("alone", next(lone))
                if noise or (label is None and align == "singletons")
                else None
                if label is None
                else (sample, label)
                for label, noise in zip(labels, noisy, strict=True)
            ]
            yield (*made, str(labels[0]), str(labels[1]))  # type: ignore[misc]


def compare(given: Case, **options: Any) -> Any:
    levels = {"fine": given.fine, "coarse": given.coarse}
    known = {"samples": given.sample, "count": given.times}
    options = {name: known.get(name, value) for name, value in options.items()}
    return cd.compare(guess=given.guess, levels=levels, measures=MEASURES, **options)


def without(labels: dict[str, str], *some: str) -> dict[str, str]:
    return {o: label for o, label in labels.items() if o not in some}


def noisy(given: Case) -> Case:
    """One object is noise at both levels, one in the guess, one at the fine level alone."""
    fine, coarse = given.fine | {"o3": NOISE, "o4": NOISE}, given.coarse | {"o3": NOISE}
    return given._replace(fine=fine, coarse=coarse, guess=given.guess | {"o5": NOISE})


def partial(given: Case) -> Case:
    """Truth lacks some objects and the guess others."""
    lacks = "o1", "o7", "o8", "o9", "o10"
    fine, coarse = without(given.fine, *lacks), without(given.coarse, *lacks)
    return given._replace(fine=fine, coarse=coarse, guess=without(given.guess, "o2", "o6"))


POLICIES: list[tuple[Any, dict[str, Any]]] = [
    (Case._make, {}),
    (Case._make, {"count": True}),
    (Case._make, {"samples": True}),
    (Case._make, {"samples": True, "count": True}),
    *((partial, {"align": align}) for align in ("shared", "singletons", "penalise")),
    *((noisy, {"noise": NOISE, "noise_as": fate}) for fate in ("singletons", "drop")),
    (lambda c: partial(noisy(c)), {"noise": NOISE, "noise_as": "drop", "align": "shared"}),
]


def differs(given: Case, options: dict[str, Any], found: Any) -> bool:
    """Whether a result is another one than the definition gives."""
    told = oracle(list(replicated(given, options)))
    best = sorted(told.confused.values(), reverse=True)[: module.TOP]
    wrong = found[:4] != told[:4] or [one.pairs for one in found.confused] != best
    named = {(str(one.coarse), frozenset(map(str, one.clusters))): one.pairs
             for one in found.confused}  # fmt: skip
    return wrong or any(told.confused.get(key) != n for key, n in named.items())


@pytest.mark.parametrize(("made", "options"), POLICIES)
def test_every_policy_is_as_defined(made: Any, options: dict[str, Any]) -> None:
    for seed in range(20):
        given = case(seed) if made == Case._make else made(case(seed))
        report = compare(given, **options)
        [nesting] = report.nestings
        assert (nesting.fine, nesting.coarse) == ("fine", "coarse")
        assert not nesting.apart
        assert not differs(given, options, nesting.guesses["guess"])


@pytest.mark.parametrize(("made", "options"), POLICIES[:8])
def test_each_level_scores_as_it_does_alone(made: Any, options: dict[str, Any]) -> None:
    """All but noise that is left out, which one level says for all."""
    given = case(3) if made == Case._make else made(case(3))
    report = compare(given, **options)
    known = {"samples": given.sample, "count": given.times}
    options = {name: known.get(name, value) for name, value in options.items()}
    for level, truth in (("fine", given.fine), ("coarse", given.coarse)):
        alone = cd.compare(truth, given.guess, MEASURES, **options)
        assert {m: report[m][level].value for m in MEASURES} == {
            m: alone[m].value for m in MEASURES
        }
        assert report.levels[level].to_dict()["guesses"] == alone.to_dict()["guesses"]


def test_pairs_are_those_of_pair_precision() -> None:
    given = case(1, objects=40)
    report = compare(given)
    fine, coarse = (float(report["pair_precision"][level]) for level in ("fine", "coarse"))
    [found] = report.nestings[0].guesses.values()
    assert found.pairs_right / found.pairs == pytest.approx((coarse - fine) / (1 - fine))
    assert found.objects == pytest.approx(40 * (1 - cd.purity(given.fine, given.guess)))


WRONG = {
    "pairs right at both levels": ("_pairs(in_coarse) - right", "_pairs(in_coarse)"),
    "the main cluster by its coarse one": (
        "(in_coarse[alike], size, guess[cell])", "(size, in_coarse[alike], guess[cell])",
    ),
    "ties by order": ("(in_coarse[alike], size, guess[cell])", "(size, guess[cell])"),
    "the smallest cluster as the main one": ("[alike], size,", "[alike], -size,"),
    "a cluster confused with itself": ("found.row < found.col", "found.row <= found.col"),
    "counts forgotten": ("group_sums(code, count[some])", "np.bincount(code)"),
    "clusters of several coarse ones as one": (
        "pair_keys(coarse.cluster[cell], guess[cell])", "guess[cell]"
    ),
    "missing truth as a cluster": ("known = fine.cluster[cell] >= 0", "known = size > 0"),
    "missing guess as a cluster": ("np.flatnonzero(guess >= 0)", "np.arange(guess.size)"),
}  # fmt: skip


@pytest.mark.parametrize("wrong", WRONG)
def test_wrong_code_is_caught(wrong: str, monkeypatch: pytest.MonkeyPatch) -> None:
    source = Path(str(module.__file__)).read_text(encoding="utf-8")
    right, changed = WRONG[wrong]
    assert source.count(right) == 1
    made = ModuleType(module.__name__)
    monkeypatch.setitem(sys.modules, module.__name__, made)
    exec(source.replace(right, changed), vars(made))
    assert any(
        differs(given, options, compare(given, **options).nestings[0].guesses["guess"])
        for change, options in POLICIES
        for given in (case(s) if change == Case._make else change(case(s)) for s in range(20))
    )


@pytest.fixture
def table(tmp_path: Path) -> tuple[Case, pd.DataFrame, str]:
    given = case(5, objects=60)
    columns = dict(zip(("fine", "coarse", "guess", "doc", "n"), given, strict=True))
    frame = pd.DataFrame(columns).rename_axis("id").reset_index()
    frame["guess 2"] = [f"{g}{i % 3}" for i, g in enumerate(frame["guess"])]
    frame.to_csv(tmp_path / "t.csv", index=False)
    return given, frame, str(tmp_path / "t.csv")


def same(one: Any, other: Any) -> bool:
    """Whether two reports have the same scores and nestings."""
    kept = ("level", "measure", "value")
    rows = [[{k: r[k] for k in kept} for r in report.records()] for report in (one, other)]
    merged = [[list(n.guesses.values()) for n in report.nestings] for report in (one, other)]
    return rows[0] == rows[1] and merged[0] == merged[1]


def test_levels_are_columns_or_labels_by_name(table: tuple[Case, pd.DataFrame, str]) -> None:
    given, frame, path = table
    wanted, both = compare(given), ["fine", "coarse"]
    truths = {"fine": given.fine, "coarse": given.coarse}
    plain = {name: frame[name].tolist() for name in both}
    guess = frame[["id", "guess"]]
    made: list[Any] = [
        cd.compare(truths, given.guess, MEASURES, levels=both),
        cd.compare(guess=frame["guess"].to_numpy(), levels=plain, measures=MEASURES),
        cd.compare(frame, guess, MEASURES, levels=both),
        cd.compare(frame, levels="fine,coarse", guesses="guess", measures=MEASURES),
        cd.compare(frame, guess="guess", levels=both, measures=MEASURES),
        cd.compare(frame, levels=both, guesses=["guess"], measures=MEASURES),
        cd.compare(frame, truth="fine", levels=["coarse"], guess="guess", measures=MEASURES),
        cd.compare(frame, truth="fine", levels={"coarse": given.coarse}, guess="guess",
                   measures=MEASURES),
        *(
            cd.compare(truth, f"{path}::guess", MEASURES, levels=names, engine=engine)
            for engine in ("duckdb", "arrays")
            for truth, names in ((path, both), (f"{path}::fine", ["coarse"]))
        ),
    ]  # fmt: skip
    for found in made:
        assert isinstance(found, Report)
        assert list(found["elm_f"]) == both
        assert same(found, wanted)


def test_the_finest_level_comes_first_where_they_are_nested() -> None:
    levels = {"kingdom": "aaaaaabb", "species": "stuvwwxy", "family": "mmmnnnoo"}
    turned = {name: list(labels) for name, labels in levels.items()}
    report: Any = cd.compare(guess=[1, 1, 1, 1, 2, 2, 2, 2], levels=turned, measures="rand")
    assert [(n.fine, n.coarse) for n in report.nestings] == [
        ("species", "family"), ("family", "kingdom")
    ]  # fmt: skip
    assert report.table().headings == ("", *levels)
    species, family = (n.guesses["guess"] for n in report.nestings)
    assert species[:4] == (11, 4, 5, 2)
    assert {(one.coarse, one.pairs) for one in species.confused} == {("m", 1), ("o", 1)}
    assert family[:4] == (7, 3, 3, 1)


def test_levels_that_are_not_nested_are_named() -> None:
    report: Any = cd.compare(
        guess=list("xxyyyy"), levels={"type": list("aabbcd"), "part": list("pqpppp")},
        measures="rand",
    )  # fmt: skip
    [nesting] = report.nestings
    assert (nesting.clusters, nesting.apart, nesting.guesses) == (4, 1, {})
    assert nesting.examples == (("a", (("p", 1), ("q", 1))),)
    assert (
        "type is not nested in part: 1 of 4 clusters is in several, e.g. a in p (1) and q (1). So "
        "it is not said which errors are right at part."
    ) in report.to_text(500)
    for seed in range(20):
        given = case(seed, nested=False)
        [nesting] = compare(given).nestings
        places: dict[str, Counter[str]] = {}
        for o, f in given.fine.items():
            places.setdefault(f, Counter())[given.coarse[o]] += 1
        assert nesting.apart == sum(len(found) > 1 for found in places.values()) > 0
        assert all(dict(found) == places[name] for name, found in nesting.examples)


def test_no_error_is_said_to_be_none() -> None:
    report = cd.compare(guess=[1, 2, 3], levels={"a": [1, 2, 2], "b": [1, 1, 1]}, measures="rand")
    assert "No objects are merged wrongly at a." in str(report)


def test_large_tables_are_searched_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = [compare(case(seed)).nestings for seed in range(10)]
    monkeypatch.setattr(module, "AT_ONCE", 1)
    for seed in range(10):
        given = case(seed)
        [found] = compare(given).nestings
        assert not differs(given, {}, found.guesses["guess"])
        assert found.guesses["guess"][:4] == whole[seed][0].guesses["guess"][:4]


def test_pairs_beyond_64_bits_are_exact() -> None:
    n = 2**33 + 1
    levels = {"a": [1, 2, 3], "b": [1, 1, 2]}
    report: Any = cd.compare(guess=[1, 1, 1], levels=levels, measures="rand", count=[n, n - 2, 3])
    merged = report.nestings[0].guesses["guess"]
    assert merged.pairs == n * (n - 2) + 3 * n + 3 * (n - 2)
    assert merged.pairs_right == merged.confused[0].pairs == n * (n - 2) > 2**64


def test_what_does_not_fit_in_memory_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any) -> Any:
        raise MemoryNeeded("the rows do not fit.", "allow more.")

    monkeypatch.setattr(module, "nestings_of", refuse)
    report = compare(case(0))
    said = "Which errors are right at another level is not known: the rows do not fit."
    assert said in report.to_text(500)
    assert json.loads(report.to_json())["notes"] == [said]


def test_every_format_has_the_levels(table: tuple[Case, pd.DataFrame, str]) -> None:
    given, _, path = table
    report = compare(given)
    measures = ",".join(MEASURES)
    command = ("compare", path, f"{path}::guess", "--levels", "fine,coarse", "-m", measures)
    shown = run(*command)
    assert (shown.code, shown.stderr) == (0, "")
    told = json.loads(run(*command, "-f", "json").stdout)
    assert told["schema"] == "clusterdiff/levels/1"
    assert told["nestings"][0]["guesses"]["guess"]["pairs"] == (
        report.nestings[0].guesses["guess"].pairs
    )
    rows = list(csv.DictReader(run(*command, "-f", "csv").stdout.splitlines()))
    assert [(row["level"], row["measure"]) for row in rows] == [
        (level, measure) for level in ("fine", "coarse") for measure in MEASURES
    ]
    for row in rows:
        assert float(row["value"]) == report[row["measure"]][row["level"]].value
    sentence = report.nestings[0].told()[0]
    assert sentence in report.to_markdown()
    assert sentence in report.to_latex()
    assert "% coarse" in report.to_latex("paper")
    assert report.metrics("run")["run/coarse/elm_f"] == report["elm_f"]["coarse"].value
    assert len(report.to_frame()) == 2 * len(MEASURES)
    assert [line.partition(":")[0] for line in report.signatures()[::4]] == ["fine", "coarse"]
    sampled = run(*command, "--samples", "doc", "--per-sample")
    assert sampled.stdout.startswith("level,guess,sample,measure,value\n")
    assert len(sampled.stdout.splitlines()) == 1 + 2 * 2 * len(MEASURES)


def test_several_guesses_stand_side_by_side(table: tuple[Case, pd.DataFrame, str]) -> None:
    _, frame, _ = table
    report: Any = cd.compare(
        frame, levels=["fine", "coarse"], guesses=["guess", "guess 2"], measures="elm_f"
    )
    assert report.table().headings == (
        "", "fine guess", "fine guess 2", "coarse guess", "coarse guess 2"
    )  # fmt: skip
    assert set(report["elm_f"]["fine"]) == {"guess", "guess 2"}
    told = report.nestings[0].told()
    assert [line.partition(":")[0] for line in told] == ["guess", "guess 2"]


def test_noise_of_one_level_is_left_out_at_all() -> None:
    levels = {"type": ["a", "a", "?", "b"], "lineage": ["L", "L", "L", "M"]}
    report = cd.compare(
        guess=[1, 1, 2, 2], levels=levels, measures="rand", noise="?", noise_as="drop"
    )
    text = report.to_text(200)
    assert text.count("3 objects in") == 3
    assert "type: 1 noise object: left out" in text
    assert "lineage: judged on the 3 objects that neither truth nor any guess calls noise" in text
    named = {level: dict(enumerate(labels)) for level, labels in levels.items()}
    part = cd.compare(
        guess={0: 1, 1: 1, 2: 2}, levels=named, measures="rand", noise="?", noise_as="drop",
        align="shared",
    )  # fmt: skip
    said = "judged on the 2 objects that all levels of truth and the guess have and none calls"
    assert said in part.to_text(200)


def test_what_is_refused(table: tuple[Case, pd.DataFrame, str]) -> None:
    given, frame, path = table
    both = {"fine": given.fine, "coarse": given.coarse}
    refuses("fine is not several levels", cd.compare, frame, given.guess, levels=["fine"])
    refuses("fine is not several levels", cd.compare, path, given.guess, levels="fine")
    refuses("given twice", cd.compare, given.fine, given.guess, levels=both)
    refuses("no guess beside", cd.compare, both, levels=["fine", "coarse"])
    refuses("no labels called 'fin'", cd.compare, both, given.guess, levels=["fin", "coarse"])
    refuses("has no column 'fin'", cd.compare, frame, given.guess, levels=["fin", "coarse"])
    refuses("levels and features", cd.compare, guess=given.guess, levels=both, features=[[1.0]])
    image = np.array([[0, 1], [1, 2]])
    refuses("levels and ignore", cd.compare, guess=image, levels={"a": image, "b": image}, ignore=0)
    refuses("between and levels", cd.compare, path, f"{path}::guess", levels="fine,coarse",
            between="doc")  # fmt: skip
    cover = cd.Cover({o: [g] for o, g in given.guess.items()})
    refuses("read as cover", cd.compare, guess=cover, levels=both)
    less = both | {"coarse": without(given.coarse, "o1")}
    refuses("in level coarse: .*only in guess", cd.compare, guess=given.guess, levels=less)
    refuses("not labels of the same objects: 1 object in one of them alone", cd.compare,
            guess=given.guess, levels=less, align="singletons")  # fmt: skip
    ran = run("compare", path, f"{path}::guess", "--levels", "fine,coarse", "--fail-under",
              "elm_f=0.5")  # fmt: skip
    assert ran.code == 2
    assert "--fail-under needs one score for each measure" in ran.stderr
