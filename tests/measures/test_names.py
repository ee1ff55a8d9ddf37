"""Measures are found by the names that people know, and typos are answered with the right one."""

from __future__ import annotations

import json
import random
import re

import pytest
import sklearn.metrics

import clusterdiff as cd
from cli.runner import run
from clusterdiff.measures.base import key, resolve
from refusals import refuses

ALL = cd.measures()
SLANG = {
    "told",
    "tells of",
    "law",
    "laws",
    "fellows",
    "taken off",
    "how like",
    "had again",
    "mends",
}


def test_every_alias_is_unique() -> None:
    owners: dict[str, set[str]] = {}
    for measure in ALL:
        for alias in (measure.name, *measure.aliases):
            owners.setdefault(key(alias), set()).add(measure.name)
    assert {alias: names for alias, names in owners.items() if len(names) > 1} == {}
    assert len(owners) > len(ALL) + 60


@pytest.mark.parametrize("measure", ALL, ids=str)
def test_the_first_line_begins_with_the_name_in_the_literature(measure: cd.Measure) -> None:
    name, colon, meaning = measure.meaning.partition(": ")
    assert colon
    assert re.fullmatch(r"[A-Z][\w\-, ]*( \([A-Z][\w ]*\))?", name)
    assert len(meaning) > 15
    words = re.sub(r"\W+", " ", measure.about)
    assert not [word for word in SLANG if re.search(rf"\b{word}\b", words)]


@pytest.mark.parametrize("measure", ALL, ids=str)
def test_every_alias_finds_its_measure(measure: cd.Measure) -> None:
    assert measure.aliases
    for alias, params in measure.aliases.items():
        for text in (alias, alias.upper(), alias.replace("-", " "), alias.replace(" ", "_")):
            wanted = cd.measure(f"{measure.name}({params})") if params else measure
            found = cd.measure(text)
            assert found == wanted
            assert repr(found) == repr(wanted)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("ARI", "adjusted_rand"),
        ("adjusted rand index", "adjusted_rand"),
        ("adjusted_rand_score", "adjusted_rand"),
        ("Normalized Mutual Information(norm='min')", "nmi(norm='min')"),
        ("normalized_mutual_info_score", "nmi"),
        ("V-measure", "v_measure"),
        ("vmeasure", "v_measure"),
        ("Fowlkes–Mallows index", "fowlkes_mallows"),
        ("adjusted(RI, samples=10)", "adjusted(rand, samples=10)"),
        ("Optimal transport(measure=ACC)", "transport(accuracy)"),
    ],
)
def test_names_that_people_type(text: str, name: str) -> None:
    assert repr(cd.measure(text)) == name


@pytest.mark.parametrize(
    ("guess", "name"),
    [
        ("ari", "adjusted_rand"),
        ("ARI", "adjusted_rand"),
        ("adjusted_rand_score", "adjusted_rand"),
        ("adjusted_rand_index", "adjusted_rand"),
        ("nmi_score", "nmi"),
        ("normalized_mutual_info_score", "nmi"),
        ("ami", "adjusted_mutual_information"),
        ("variation_of_information", "vi_distance"),
        ("purity_score", "purity"),
    ],
)
def test_names_that_people_guess_are_names_of_the_package(guess: str, name: str) -> None:
    assert getattr(cd, guess) is getattr(cd, name)
    assert guess not in dir(cd)


def test_other_guesses_are_answered_with_the_name() -> None:
    with pytest.raises(AttributeError, match=r"no attribute 'f_measure'; did you mean v_measure\?"):
        _ = cd.f_measure  # type: ignore[attr-defined]


@pytest.mark.parametrize(("verb", "name"), [("table", "contingency"), ("report", "page")])
def test_a_verb_of_the_command_is_answered_with_its_function(verb: str, name: str) -> None:
    with pytest.raises(AttributeError, match=f"no attribute '{verb}'; did you mean {name}"):
        cd.__getattr__(verb)
    assert callable(getattr(cd, name))


def test_display_names_and_directions() -> None:
    shown = {m.name: (m.title, m.best, m.direction) for m in ALL}
    assert shown["adjusted_rand"] == ("adjusted Rand index", 1.0, "1 is best")
    assert shown["vi_distance"] == ("variation of information", 0.0, "0 is best")
    assert shown["mutual_information"] == ("mutual information", None, "higher is better")
    assert shown["fowlkes_mallows"][0] == "Fowlkes-Mallows index"
    assert {name: shown[name][0] for name in ("rand", "bcubed_f", "v_measure", "van_dongen")} == {
        "rand": "Rand index",
        "bcubed_f": "BCubed F",
        "v_measure": "V-measure",
        "van_dongen": "van Dongen similarity",
    }
    assert len({title for title, *_ in shown.values()}) == len(ALL)
    assert cd.transport(cd.partition_distance).direction == "0 is best"
    assert all(m.is_distance == (m.best == 0) for m in ALL)


@pytest.mark.parametrize(
    ("typo", "name"),
    [
        ("adjusted rnad", "adjusted_rand"),
        ("normalised mutual information", "nmi"),
        ("bcube_f", "bcubed_f"),
        ("omga index", "omega"),
        ("homogenity_score", "homogeneity"),
    ],
)
def test_typos_are_answered_with_the_name(typo: str, name: str) -> None:
    refuses(rf"did you mean {name}\?", cd.measure, typo)


def test_an_alias_of_two_measures_is_refused_with_both() -> None:
    known = {"one": {"Index": ""}, "two": {"index": "norm='min'"}, "three": {}}
    refuses("'INDEX' is ambiguous: one and two", resolve, "INDEX", known)
    assert resolve("Three", known) == ("three", {})


def test_names_of_scikit_learn_give_its_numbers() -> None:
    rng = random.Random(7)
    found = set()
    for alias, measure in [(alias, m) for m in ALL for alias in m.aliases]:
        theirs = getattr(sklearn.metrics, alias, None)
        if theirs is None:
            continue
        found.add(measure.name)
        for size in (6, 30, 200):
            truth = [rng.randrange(4) for _ in range(size)]
            guess = [rng.randrange(3) for _ in range(size)]
            assert cd.measure(alias)(truth, guess) == pytest.approx(theirs(truth, guess), abs=1e-9)
    assert len(found) == 9


def test_the_command_knows_the_names() -> None:
    assert run("measures", "ari").stdout.startswith("adjusted_rand\n")
    told = json.loads(run("measures", "normalized mutual information", "--json").stdout)["measures"]
    assert told[0]["name"] == "nmi"
    assert told[0]["aliases"]["normalized_mutual_info_score"] == ""
    scores = run("compare", "12|34", "123|4", "-m", "ARI, V-measure", "-f", "csv").stdout
    assert "adjusted_rand" in scores
    assert "v_measure" in scores
    assert cd.compare("12|34", "123|4", ["ARI"])["adjusted rand index"] is not None
