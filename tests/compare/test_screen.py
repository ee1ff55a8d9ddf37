"""The first screen of a comparison: the sentence is true, and every number is in its place."""

from __future__ import annotations

import io
import re
import sys
from collections import Counter
from itertools import product
from pathlib import Path
from random import Random
from typing import Any
from unittest import mock

import pytest

import clusterdiff as cd
from cli.runner import run
from clusterdiff.compare.screen import Fates
from clusterdiff.io import meet
from clusterdiff.measures import DEFAULT, DEFAULT_OVERLAPPING, DEFAULT_PENALISED, DEFAULT_SOFT
from clusterdiff.output.table import digits

TRUTH = [1, 1, 2, 2, 2, 3, 4, 4, 5, 5]
SPLIT = [1, 1, 2, 2, 9, 3, 4, 4, 5, 5]
WRONG = [1, 1, 2, 2, 9, 3, 4, 4, 4, 5]


def fates(truth: list[int], guess: list[int]) -> Counter[str]:
    """What becomes of each true cluster, object by object."""
    found: Counter[str] = Counter()
    for name in set(truth):
        own = {o for o, label in enumerate(truth) if label == name}
        parts = [{o for o, g in enumerate(guess) if g == part} for part in {guess[o] for o in own}]
        split, merged = len(parts) > 1, any(part - own for part in parts)
        words = {(False, False): "exact", (True, False): "split", (False, True): "merged"}
        found[words.get((split, merged), "both")] += 1
    return found


def test_what_becomes_of_true_clusters() -> None:
    seen: Counter[str] = Counter()
    for truth, guess in product(product([1, 2, 3], repeat=4), repeat=2):
        wanted = fates(list(truth), list(guess))
        one = Fates.of(meet(list(truth), list(guess)))
        assert one._asdict() | {"clusters": 0} == {"clusters": 0, **dict.fromkeys(
            ("exact", "split", "merged", "both"), 0), **wanted}  # fmt: skip
        assert one.clusters == len(set(truth))
        assert one.exact / one.clusters == cd.exact_recall(list(truth), list(guess))
        seen += wanted
    assert min(seen.values()) > 100


def test_clusters_of_covers_that_are_found_exactly() -> None:
    rng = Random(0)
    for _ in range(200):
        sides = [[{c for c in "abc" if rng.random() < 0.5} for _ in range(5)] for _ in range(2)]
        truth, guess = (
            {frozenset(o for o, own in enumerate(side) if c in own) for c in "abc"} - {frozenset()}
            for side in sides
        )
        found = meet(cd.Cover(sides[0]), cd.Cover(sides[1]))
        if len(truth) == found.truth_sizes.clusters:  # no two true clusters are the same
            assert Fates.of(found).exact == len(truth & guess)


@pytest.mark.parametrize(
    ("guess", "sentence"),
    [
        (TRUTH, "All 5 true clusters were found exactly."),
        (SPLIT, "4 of 5 true clusters were found exactly (80 %) and 1 was split."),
        (WRONG, "2 of 5 true clusters were found exactly (40 %), 1 was split, 1 was merged with "
                "others and 1 was both split and merged."),
        ([7] * 10, "None of 5 true clusters was found exactly and 5 were merged with others."),
    ],
)  # fmt: skip
def test_the_sentence_on_one_guess(guess: list[int], sentence: str) -> None:
    text = str(cd.compare(TRUTH, guess))
    assert " ".join(text.split("\n\n")[1].split()) == sentence


def test_every_default_score_is_in_its_row_and_column() -> None:
    report = cd.compare(TRUTH, WRONG)
    text = report.to_text(100)
    rows = {line[2:26].strip(): line[26:].split() for line in text.split("\n\n")[2].splitlines()}
    assert rows[""] == ["precision", "recall", "F"]
    for row, family in (("pairs", "pair"), ("BCubed", "bcubed"), ("ELM *", "elm")):
        assert rows[row] == [
            f"{report[f'{family}_{part}'].value:.4f}" for part in ("precision", "recall", "f")
        ]
    exact = [cd.exact_precision, cd.exact_recall, cd.exact_f]
    assert rows["clusters found exactly"] == [f"{one(TRUTH, WRONG):.4f}" for one in exact]
    line = next(line for line in text.splitlines() if "adjusted Rand" in line)
    assert re.findall(r"(\d\.\d{4})", line) == [
        f"{report[name].value:.4f}"
        for name in ("adjusted_rand", "nmi", "vi_distance", "split_merge")
    ]
    assert f"VI {digits(cd.vi_distance(TRUTH, WRONG))} (0 is best)" in line
    assert f"* ELM F: {cd.elm_f.footnote}." in text
    assert list(report) == list(DEFAULT)


SETS: dict[str, Any] = {
    "partitions": (DEFAULT, {"truth": TRUTH, "guess": WRONG}),
    "penalised": (DEFAULT_PENALISED, {"truth": {"a": 1, "b": 1, "c": 2}, "guess": {"a": 1, "b": 2},
                                      "align": "penalise"}),
    "covers": (DEFAULT_OVERLAPPING, {"truth": [{1}, {1, 2}, {2}], "guess": [{1}, {1}, {1, 2}],
                                     "kind": "cover"}),
    "soft": (DEFAULT_SOFT, {"truth": cd.Partition([1, 1, 2]),
                            "guess": cd.Fuzzy([{1: 0.5, 2: 0.5}, {1: 1.0}, {2: 1.0}])}),
}  # fmt: skip


@pytest.mark.parametrize("several", [False, True])
@pytest.mark.parametrize("kind", SETS)
def test_each_kind_shows_all_its_default_measures(kind: str, several: bool) -> None:
    """By their display names: no name of a measure is left, and no score is missing."""
    measures, given = SETS[kind]
    guess = {"one": given["guess"], "two": given["guess"]} if several else given["guess"]
    report = cd.compare(**{**given, "guess": guess})
    assert tuple(report) == measures
    text = report.to_text(80).split("\n\n", 1)[1]
    assert not [name for name in measures if re.search(rf"\b{re.escape(name)}(?! index|\w)", text)]
    for name in report.shown():
        score = report[name]["one"] if several else report[name]
        assert digits(score.value) in text
    assert max(map(len, text.splitlines())) <= 80


def test_chosen_measures_are_listed_by_their_names() -> None:
    text = str(cd.compare(TRUTH, WRONG, ["adjusted_rand", "elm_f"]))
    assert [line.split()[0] for line in text.splitlines()[4:6]] == ["adjusted_rand", "elm_f"]
    assert f"  elm_f: {cd.elm_f.footnote}." in " ".join(text.split("\n"))


def test_gates_add_their_measure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ran = run("12|34", "1|234", "--fail-under", "rand=0.1")
    assert (ran.code, ran.stderr) == (0, "")
    assert "rand 0.5000" in ran.stdout
    assert "found exactly" in ran.stdout


def sentence_of(**guesses: list[int]) -> str:
    return " ".join(str(cd.compare(TRUTH, guesses)).split("\n\n")[1].split())


def test_the_sentence_on_several_guesses() -> None:
    assert sentence_of(one=SPLIT, two=WRONG) == (
        "By the adjusted Rand index, one scores best with 0.7761 (two 0.4828); this was not "
        "tested. one finds 4 of 5 true clusters exactly, two finds 2."
    )
    assert sentence_of(one=SPLIT, two=SPLIT) == (
        "By the adjusted Rand index, one and two score the same. "
        "Each guess finds 4 of 5 true clusters exactly."
    )
    many = sentence_of(a=WRONG, b=SPLIT, c=WRONG, d=[7] * 10)
    assert many.endswith("At best, by b, 4 of 5 true clusters are found exactly.")
    lumped = sentence_of(one=[7] * 10, two=list(range(10)), three=WRONG)
    assert "The measures disagree: three is best by 8 of 14, one by 3 and two by 3." in lumped
    truth = [i // 3 for i in range(90)]
    worse = [label if i % 5 else 100 + i for i, label in enumerate(truth)]
    text = str(cd.compare(truth, {"same": truth, "worse": worse}, confidence=0.95))
    assert "By the adjusted Rand index, same is better than worse by " in " ".join(text.split())


def test_uncertain_clusterings() -> None:
    fuzzy = cd.Fuzzy([{1: 0.5, 2: 0.5}, {1: 1.0}, {2: 1.0}])
    assert "truth and guess agree to 0.6667, where 1 is perfect agreement." in " ".join(
        str(cd.compare(cd.Partition([1, 1, 2]), fuzzy)).split()
    )
    rough = cd.Rough([{1}, {1, 2}, {2}])
    text = " ".join(str(cd.compare(cd.Partition([1, 1, 2]), rough)).split())
    assert "where 1 is perfect agreement; what is uncertain leaves the range open." in text


FILES = {
    "t.csv": "id,cluster\n" + "".join(f"{i},{c}\n" for i, c in enumerate(TRUTH)),
    "g.csv": "id,cluster\n" + "".join(f"{i},{c}\n" for i, c in enumerate(WRONG)),
    "a b.csv": "id,cluster\n" + "".join(f"{i},{c}\n" for i, c in enumerate(SPLIT)),
    **{
        f"many {name}.csv": "id,cluster\n"
        + "".join(f"{k}-{i},{k}-{c}\n" for k in range(20) for i, c in enumerate(labels))
        for name, labels in {"t": TRUTH, "g": WRONG, "h": SPLIT}.items()
    },
    "s.csv": "n,id,cluster\n" + "".join(f"{i % 2},{i},{c}\n" for i, c in enumerate(WRONG)),
    "c.json": '{"x": ["a"], "y": ["a", "b"]}',
    "d.json": '{"x": ["a"], "y": ["b"]}',
}


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name, text in FILES.items():
        Path(name).write_text(text, encoding="utf-8")


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize(
    ("line", "following"),
    [
        (["t.csv", "g.csv"], "clusterdiff explain t.csv g.csv"),
        (["t.csv", "a b.csv", "--no-id"], 'clusterdiff explain t.csv "a b.csv" --no-id'),
        (["s.csv", "s.csv", "--cluster", "cluster"], ""),
        (["t.csv", "g.csv", "--noise=-1", "--noise-as", "drop"],
         "clusterdiff explain t.csv g.csv --noise -1 --noise-as drop"),
        (["many t.csv", "many g.csv", "many h.csv"],
         'clusterdiff "many t.csv" "many g.csv" "many h.csv" --confidence 95'),
        (["t.csv", "g.csv", "a b.csv"], 'clusterdiff explain t.csv "a b.csv"'),  # too few units
        (["t.csv", "g.csv", "a b.csv", "--confidence", "95"],
         'clusterdiff explain t.csv "a b.csv"'),
        (["c.json", "d.json", "--kind", "cover"], "clusterdiff explain c.json d.json --kind cover"),
        (["t.csv", "g.csv", "-m", "elm_f"], ""),
        (["t.csv", "g.csv", "-f", "md"], ""),
        (["t.csv", "t.csv"], ""),
        (["t.csv", "t.csv", "t.csv"], ""),
        (["t.csv", "g.csv", "g.csv"], "clusterdiff explain t.csv g.csv"),
    ],
)  # fmt: skip
def test_what_to_type_next(line: list[str], following: str) -> None:
    """It is what it says, with the flags that say how files are read, and it runs."""
    import shlex

    ran = run(*line)
    assert ran.code == 0, ran.stderr
    found = re.search(r"^Next: (.*(?:\\\n.*)*)", ran.stdout, re.MULTILINE)
    assert ("" if found is None else found[1].replace("\\\n", "").replace("   ", " ")) == following
    if following:
        assert run(*shlex.split(following)[1:]).code == 0


@pytest.mark.usefixtures("files")
def test_a_long_command_is_broken_where_a_shell_goes_on() -> None:
    text = run("many t.csv", "many g.csv", "many h.csv", columns=40).stdout
    assert max(map(len, text.splitlines())) <= 40
    assert (
        'Next: clusterdiff "many t.csv" \\\n  "many g.csv" "many h.csv" \\\n  --confidence 95\n'
        in text
    )


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize("guesses", [["g.csv"], ["g.csv", "a b.csv"]])
def test_a_terminal_shows_the_text_of_a_pipe_with_emphasis(guesses: list[str]) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    from clusterdiff.cli.main import run as command

    out = Terminal()
    with (
        mock.patch.object(sys, "argv", ["clusterdiff", "t.csv", *guesses]),
        mock.patch.object(sys, "stdout", out),
        mock.patch.dict("os.environ", {"TERM": "xterm-256color", "COLUMNS": "80"}),
    ):
        mock.patch.dict("os.environ").start().pop("NO_COLOR", None)
        with pytest.raises(SystemExit):
            command()
    shown = out.getvalue()
    assert re.sub(r"\x1b\[[\d;]*m", "", shown) == run("t.csv", *guesses).stdout
    assert "\x1b[1m" in shown
    assert "\x1b[2mNext: " in shown
    assert ("\x1b[1;32m" in shown) == (len(guesses) > 1)
