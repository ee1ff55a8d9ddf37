"""CorefUD files of several documents against totals of the CorefUD scorer, 1.2.

Each case of the data file has a key and a response, which differ in spans, heads, entities and
empty nodes, and by way of reading what the scorer gave: recall, precision and F of each family, and
under ``mentions`` how many match, how many the key has and how many the response has.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

import clusterdiff as cd
from cli.runner import run
from refusals import refuses

Case = Mapping[str, Any]
CASES: list[Case] = json.loads(
    Path(__file__).with_name("corefud_scorer.json").read_text(encoding="utf-8")
)
WAYS = list(CASES[0]["scores"])
FLAGS = {"singletons=keep": "-s", "match=exact": "-x", "zeros=linear": "-z linear"}
FAMILIES = ("muc", "bcubed", "ceaf_m", "ceaf_e", "lea", "blanc")
SIDES = ("key", "response")
PARTS = ("recall", "precision", "f")


@pytest.fixture(params=range(len(CASES)))
def case(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Case:
    found: Case = CASES[request.param]
    for side in ("key", "response"):
        (tmp_path / f"{side}.conllu").write_text(found[side], encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return found


@pytest.mark.parametrize("way", WAYS)
def test_python_agrees_with_the_scorer(case: Case, way: str) -> None:
    key, response = (cd.read(f"{side}.conllu", as_=f"corefud({way})") for side in SIDES)
    report, wanted = cd.compare(key, response, FAMILIES, compat="conll"), case["scores"][way]
    for family in FAMILIES:
        found = [report[f"{family}_{part}"].micro for part in PARTS]
        assert found == pytest.approx(wanted[family], rel=0, abs=1e-12), family
    score = report["muc_f"]
    both, keys, responses = wanted["mentions"]
    assert score.detection == pytest.approx(
        (both / responses, both / keys, 2 * both / (keys + responses)), rel=0, abs=1e-12
    )
    flags = [flag for one, flag in FLAGS.items() if one in way.split(",")]
    assert set(score.signature["read"].split(" ")) == {"corefud-scorer", *" ".join(flags).split()}


@pytest.mark.parametrize("way", WAYS)
def test_the_command_agrees_with_the_scorer(case: Case, way: str) -> None:
    args = ("compare", "key.conllu", "response.conllu", "--as", f"corefud({way})")
    ran = run(*args, "--compat", "conll", "-f", "json", "-m", ",".join(FAMILIES))
    assert ran.code == 0, ran.stderr
    (scores,) = json.loads(ran.stdout)["guesses"].values()
    shown = {name.partition("(")[0]: score for name, score in scores.items()}
    for family in FAMILIES:
        found = [shown[f"{family}_{part}"]["micro"] for part in PARTS]
        assert found == pytest.approx(case["scores"][way][family], rel=0, abs=1e-12), family
    header = " ".join(run(*args, "--compat", "conll", "-m", "muc_f").stdout.split())
    assert "truth: read as corefud-scorer" in header
    assert ("singletons were dropped" in header) is ("singletons=drop" in way)


def test_ways_differ_and_so_do_their_signatures(case: Case) -> None:
    signed = {}
    for way in WAYS:
        key, response = (cd.read(f"{side}.conllu", as_=f"corefud({way})") for side in SIDES)
        score = cd.compare(key, response, "lea_f", align="penalise")["lea_f"]
        signed[str(score.signature)] = score.micro
    assert len(signed) == len(WAYS)
    assert len(set(signed.values())) > 4


def test_every_verb_matches_mentions(case: Case) -> None:
    """What is explained is the loss of the score."""
    way = WAYS[-1]
    files = ("key.conllu", "response.conllu", "--as", f"corefud({way})", "--align", "penalise")
    f = case["scores"][way]["lea"][2]
    assert f"lea_f micro {f:.4f}" in run("explain", *files, "--by", "lea_f").stdout
    changed = run("diff", files[0], files[1], files[1], *files[2:], "-m", "lea_f", "--by", "lea_f")
    assert f"{f:.4f}" in changed.stdout
    sides = [cd.read(f"{side}.conllu", as_=f"corefud({way})") for side in ("key", "response")]
    assert cd.lea_f(*sides, align="penalise") == pytest.approx(f, rel=0, abs=1e-12)


def test_runs_without_a_truth_are_refused(case: Case) -> None:
    files = {
        side: cd.read(f"{side}.conllu", as_="corefud(match=head)")
        for side in case
        if side[0] != "s"
    }
    refuses("match those of a truth", cd.matrix, files, "lea_f", align="shared")
    ran = run("matrix", "key.conllu", "response.conllu", "--as", "corefud(zeros=dependent)")
    assert "leave match and zeros out of --as" in " ".join(ran.stderr.split())


def test_files_read_in_different_ways_are_refused(case: Case) -> None:
    sides = cd.read("key.conllu", as_="corefud(match=head)"), cd.read("response.conllu")
    refuses("read in different ways", cd.compare, *sides, align="penalise")
    assert (
        "different ways"
        in run("compare", "key.conllu", "response.conllu", "--as", "corefud(match=head),").stderr
    )
    refuses("match=span|exact|head", cd.read, "key.conllu", as_="corefud(match=tail)")
    refuses("no options", cd.read, "key.conllu", as_="labels(match=head)")
    refuses("match by their spans", cd.read, "key.conllu", as_="corefud(match=head)", kind="cover")


def test_a_head_outside_of_its_mention_is_refused(tmp_path: Path) -> None:
    row = "\t".join(["1", *["_"] * 8, "Entity=(e1-x-2)"])
    (tmp_path / "x.conllu").write_text(f"# global.Entity = eid-etype-head\n{row}\n\n")
    assert len(cd.read(tmp_path / "x.conllu")) == 1
    with pytest.raises(cd.ClusterdiffError, match="line 2: 2 is not the place of the head"):
        cd.read(tmp_path / "x.conllu", as_="corefud(match=head)")
