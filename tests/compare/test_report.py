"""Reports: several guesses, samples, exports, signatures; strange names stay text."""

from __future__ import annotations

import csv
import io
import json
import pickle
import statistics
from importlib.metadata import version
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import clusterdiff as cd
from clusterdiff.output.table import CellTable
from clusterdiff.output.text import columns, cut, to_text
from refusals import refuses

TRUTH = ["a", "a", "b", "b", "c"]
GOOD, BAD = [1, 1, 2, 2, 2], [1, 2, 1, 2, 1]
NASTY = "<script>alert(1)</script>|`*_&%$#{}~^\\\x1b[31m\n=1+1"


def test_one_guess_is_indexed_by_measure() -> None:
    report = cd.compare(TRUTH, GOOD)
    score = report["elm_f"]
    assert float(score) == score.value == cd.elm_f(TRUTH, GOOD)
    assert report[cd.elm_f] is score
    assert list(report) == list(report.measures)
    assert len(report) == 14
    assert report["ELM"] is score
    with pytest.raises(cd.ClusterdiffError, match="no measure is called 'nix'"):
        report["nix"]


def test_several_guesses_are_columns_and_the_best_is_marked() -> None:
    report = cd.compare(TRUTH, {"good": GOOD, "bad": BAD}, ["elm_f", "vi_distance"])
    assert report.guesses == ["good", "bad"]
    assert report["elm_f"]["good"].value == cd.elm_f(TRUTH, GOOD)
    assert report.table().best == {(0, 1), (1, 1)}
    lines = str(report).splitlines()
    assert [line.split()[0] for line in lines if "▲" in line] == ["elm_f", "vi_distance"]
    assert lines[-1].startswith("  elm_f: mean of each object's F; it can lie below both")
    assert lines[0] == "truth  5 objects in 3 clusters (largest 2, 33 % singletons)"


def test_a_dict_of_labels_is_one_guess() -> None:
    report = cd.compare({"x": 1, "y": 1}, {"x": "a", "y": "b"}, "rand")
    assert report.guesses == ["guess"]
    assert report["rand"].value == 0
    strings = cd.compare({"x": 1, "y": 1}, {"x": ("a", 1), "y": ("a", 1)}, "rand")
    assert strings["rand"].value == 1


def test_signature_says_what_was_computed() -> None:
    score = cd.compare({"x": 1, "y": 1, "z": 2}, {"x": 1, "y": 1}, "muc_f", align="penalise")[
        "muc_f"
    ]
    parts = score.signature
    assert parts["measure"] == "muc_f(alpha=0.5, f='means', empty=None)"
    assert parts["align"] == "penalise(1 only truth, 0 only guess)"
    assert (parts["objects"], parts["clusters"], parts["rows"]) == (3, "2x1", 2)
    assert parts["0/0"] == 0
    assert str(parts).startswith("measure:muc_f(alpha=0.5, f='means', empty=None)|objects:3|")
    assert parts["version"] == cd.__version__
    assert score.sign().startswith("muc_f(alpha=0.5, f='means', empty=None) = 1.0 | objects:3|")
    assert repr(score) == f"Score({score.sign()})"
    explicit = cd.compare([1], [1], "muc_f(empty=0.5)")["muc_f(empty=0.5)"]
    assert explicit.signature["0/0"] == 0.5
    drawn = cd.compare(TRUTH, GOOD, "adjusted(nmi, seed=7, samples=20)")
    assert next(iter(drawn.scores["guess"].values())).signature["seed"] == 7


def test_the_signature_knows_how_objects_are_split_into_samples() -> None:
    """The mean over samples depends on it; the meet of all of them does not."""
    agree, lump, apart = (["a", "a", "b"], [1, 1, 2]), (["a", "b"], [1, 1]), (["a", "a"], [1, 2])

    def beside(*parts: tuple[list[str], list[int]]) -> tuple[list[Any], list[Any]]:
        sides = ([(k, x) for k, part in enumerate(parts) for x in part[at]] for at in (0, 1))
        return tuple(sides)  # type: ignore[return-value]

    reports = [
        cd.compare([beside(agree, lump), apart], measures=["pair_f"]),
        cd.compare([agree, beside(lump, apart)], measures=["pair_f"]),
        cd.compare([apart, beside(lump, agree)], measures=["pair_f"]),
    ]
    scores = [report["pair_f"] for report in reports]
    assert len({score.signature["meet"] for score in scores}) == 1
    assert scores[0].value == scores[2].value != scores[1].value
    splits = [score.signature["split"] for score in scores]
    assert splits[0] == splits[2] != splits[1]
    truth, guess = ([x for part in (agree, lump, apart) for x in part[at]] for at in (0, 1))
    stacked = cd.compare(truth, guess, ["pair_f"], samples=[1, 1, 1, 2, 2, 3, 3])["pair_f"]
    listed = cd.compare([agree, apart, lump], measures=["pair_f"])["pair_f"]
    assert stacked.signature["split"] == listed.signature["split"]
    covers = [cd.compare(pairs, measures=["cice_f"], kind="cover")["cice_f"] for pairs in
              ([agree, lump], [lump, agree], [agree, agree])]  # fmt: skip
    split = [score.signature["split"] for score in covers]
    assert split[0] == split[1] != split[2]


PAIRS = [(["a", "a", "b"], [1, 1, 2]), (["a", "a", "b"], [1, 2, 2]), (["a", "b"], [1, 2])]


def test_samples_have_macro_micro_and_their_own_scores() -> None:
    report = cd.compare(PAIRS, measures=["elm_f", "rand"])
    each = [cd.elm_f(t, g) for t, g in PAIRS]
    score = report["elm_f"]
    assert score.each == tuple(each)
    assert score.value == pytest.approx(statistics.mean(each))
    assert score.std == pytest.approx(statistics.pstdev(each))
    pooled_truth = [(k, x) for k, (t, _) in enumerate(PAIRS) for x in t]
    pooled_guess = [(k, x) for k, (_, g) in enumerate(PAIRS) for x in g]
    assert report["rand"].micro == pytest.approx(cd.rand(pooled_truth, pooled_guess))
    assert score.signature["samples"] == 3
    assert "3 samples" in str(report)
    assert cd.compare(samples=PAIRS, measures="elm_f")["elm_f"].each == score.each


def test_samples_by_mapping_column_and_array_agree() -> None:
    ids = list("pqrstuvw")
    docs = ["d", "d", "d", "e", "e", "e", "f", "f"]
    truth = [x for t, _ in PAIRS for x in t]
    guess = [x for _, g in PAIRS for x in g]
    wanted = cd.compare(PAIRS, measures="elm_f")["elm_f"]
    ways: list[Any] = [
        cd.compare(truth, guess, "elm_f", samples=docs),
        cd.compare(
            dict(zip(ids, truth, strict=True)),
            dict(zip(ids[::-1], guess[::-1], strict=True)),
            "elm_f",
            samples=dict(zip(ids, docs, strict=True)),
        ),
        cd.compare(
            pl.DataFrame({"id": ids, "cluster": truth, "doc": docs}),
            pl.DataFrame({"id": ids, "cluster": guess, "doc": docs}),
            "elm_f",
            samples="doc",
        ),
        cd.compare(cd.Partition(truth, ids, docs), cd.Partition(guess, ids), "elm_f"),
        cd.compare(cd.Partition(truth, ids), cd.Partition(guess, ids, docs), "elm_f"),
        cd.compare(cd.Partition(truth, ids, docs), cd.Partition(guess[::-1], ids[::-1]), "elm_f"),
    ]
    for report in ways:
        assert (report["elm_f"].each, report["elm_f"].micro) == (wanted.each, wanted.micro)
    assert ways[0].samples == ("d", "e", "f")


def test_samples_on_one_side_only_follow_the_policy() -> None:
    truth = cd.Partition([1, 1, 1], ["p", "q", "p"], ["d", "d", "e"])
    guess = cd.Partition([1, 1], ["p", "q"], ["d", "d"])
    refuses("in sample e: 1 of 1 objects is only in truth", cd.compare, truth, guess)
    report = cd.compare(truth, guess, "bcubed_recall", align="penalise")
    assert report["bcubed_recall"].each == (1, 0)


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: cd.compare([1, 2]), "no guess to compare"),
        (lambda: cd.compare({"a": 1, "b": 1}), "no guess to compare"),
        (lambda: cd.compare([([1], [1], [1])]), "hold a .truth, guess. pair each"),
        (lambda: cd.compare(samples=[1, 2]), "hold a .truth, guess. pair each"),
        (lambda: cd.compare(5), "no guess to compare"),
        (lambda: cd.compare([1], [1], []), "no measure was asked for"),
        (lambda: cd.compare([1, 2], [1, 2], samples=["d"]), r"2 labels but 1 sample\."),
        (lambda: cd.compare([1], [1], samples={0: "d"}), "samples has ids"),
        (
            lambda: cd.compare({"a": 1}, {"a": 1}, samples={"b": "d"}),
            "1 object has no sample, such as",
        ),
        (lambda: cd.compare({"a": 1}, {"a": 1}, samples="doc"), "names a column, but a dict"),
        (lambda: cd.compare([1, 2], [1, 2], samples=["d", None]), "have no sample"),
        (lambda: cd.measure("elm_f")([1], [1], [1]), "compares two clusterings: it was given 3"),
        (lambda: cd.Partition({"a": 1}, ids=["a"]), "has its ids already"),
        (lambda: cd.Partition([1, 2], ids=["a"]), r"2 labels but 1 id\."),
        (lambda: cd.elm_f([[1], [2]], [1, 2]), "must be hashable"),
        (lambda: cd.elm_f(np.zeros((3, 2)), [1, 2, 3]), r"has the shape \(3, 2\)"),
        (lambda: cd.elm_f([[1, 2], [3, 4]], [1, 2]), "truth has ids, guess has none"),
        (lambda: cd.compare([1], [1]).to_frame("dask"), "unknown library of data frames 'dask'"),
        (lambda: cd.adjusted(cd.mutual_information)([1, 1], [1, 2]), "best score is known"),
        (lambda: cd.measure("elm_f")("a.csv"), "two clusterings: the guess is missing"),
        (lambda: cd.measure("transport")([1, 2]), "two clusterings: the guess is missing"),
        (lambda: cd.measure("rand")(cd.elm_f), "rand has no parameter 'measure'"),
        (lambda: cd.measure("rand")(gamma=2), "rand has no parameter 'gamma'"),
        (lambda: cd.elm_f(alpha=2), "between 0 and 1"),
        (lambda: cd.measure("nmi")(norm="mean"), "norm must be 'max' or"),
        (
            lambda: cd.measure("split_merge")([1, 1], [1, 2], similarity="mean"),
            "similarity must be 'entropy' or 'mse' or a function, got 'mean'",
        ),
    ],
)
def test_mistakes_get_one_paragraph_and_a_hint(call: Any, text: str) -> None:
    caught = refuses(text, call)
    assert caught.hint
    assert str(caught) == f"{caught.message}\n\nHint: {caught.hint}"


def test_exports_hold_the_same_numbers() -> None:
    report = cd.compare(TRUTH, {"good": GOOD, "bad": BAD})
    told = json.loads(report.to_json())
    assert told == {"schema": "clusterdiff/compare/2", **json.loads(json.dumps(report.to_dict()))}
    rows = list(csv.DictReader(io.StringIO(report.to_csv())))
    assert len(rows) == 28
    for row in rows:
        value = told["guesses"][row["guess"]][row["measure"]]["value"]
        assert float(row["value"]) == value == report[row["measure"]][row["guess"]].value
    frames = [report.to_frame(), report.to_frame("polars"), report.to_frame("pyarrow")]
    assert isinstance(frames[0], pd.DataFrame)
    assert isinstance(frames[1], pl.DataFrame)
    assert all(list(f["value"][:3]) for f in frames)
    assert report.to_markdown().count("\n") == 17
    assert report.to_latex().count("%") == 29
    assert ">truth  " in report._repr_html_()
    assert report._repr_html_().count("<tr>") == 19  # empty ones between families


def test_exports_of_samples() -> None:
    report = cd.compare(PAIRS, measures=["elm_f"])
    frame = report.to_frame(samples=True)
    assert list(frame["value"]) == list(report["elm_f"].each)
    told = report.to_dict()
    assert told["samples"][1] == {"sample": "1", "guess": "guess", "elm_f": 0.0}
    assert set(told["guesses"]["guess"]["elm_f"]) == {"value", "std", "micro", "signature"}
    assert "std" in report.to_csv().splitlines()[0]
    several = cd.compare(
        cd.Partition(TRUTH, list("pqrst"), list("ddeee")),
        {"good": cd.Partition(GOOD, list("pqrst")), "bad": cd.Partition(BAD, list("pqrst"))},
        ["elm_f"],
    )
    assert "good macro" in several.to_markdown()
    assert (0, 1) in several.table().best


def test_strange_names_stay_text() -> None:
    report = cd.compare(TRUTH, {NASTY: GOOD, "plain": BAD}, ["elm_f"])
    text = report.to_text(80)
    assert "\x1b" not in text
    assert "<script>" not in report.to_markdown()
    assert len(report.to_markdown().splitlines()) == 5
    assert "<script>" not in report._repr_html_()
    body = [line for line in report.to_latex().splitlines() if not line.startswith("%")]
    assert r"\textbackslash{}" in "".join(body)
    assert len(body) == 7
    assert "'=HYPERLINK" in cd.compare(TRUTH, {"=HYPERLINK(1)": GOOD}, ["elm_f"]).to_csv()
    assert len(cd.compare(TRUTH, {NASTY: GOOD}, ["elm_f"]).to_latex().splitlines()) == 9


def test_measures_survive_pickling() -> None:
    for measure in (cd.elm_f, cd.bcubed_f(f="objects"), cd.adjusted(cd.rand, samples=3)):
        again = pickle.loads(pickle.dumps(measure))
        assert again == measure
        assert hash(again) == hash(measure)
    error = pickle.loads(pickle.dumps(cd.ClusterdiffError("what", "how")))
    assert (error.message, error.hint) == ("what", "how")
    report = pickle.loads(pickle.dumps(cd.compare(TRUTH, GOOD)))
    assert report["elm_f"].value == cd.elm_f(TRUTH, GOOD)


def half(parts: Any) -> float:
    return 0.5


def test_functions_are_printed_and_never_read_back() -> None:
    measure = cd.split_merge(similarity=half)
    assert repr(measure).endswith(":half')")
    refuses("names a function", cd.measure, "split_merge(similarity='math:fsum')")
    assert cd.measure("adjusted(measure=rand)") == cd.adjusted(cd.rand)


def test_uniform_null_model_is_uniform() -> None:
    """On three objects each of the five partitions comes up as often."""
    from clusterdiff.measures.chance import uniform_partition

    rng = np.random.default_rng(0)
    drawn: dict[str, int] = {}
    for _ in range(5000):
        labels = uniform_partition(3, rng)
        key = str([labels.tolist().index(x) for x in labels.tolist()])
        drawn[key] = drawn.get(key, 0) + 1
    assert len(drawn) == 5
    assert all(850 < count < 1150 for count in drawn.values())
    value = cd.adjusted(cd.nmi, null="uniform", samples=50)(TRUTH, GOOD)
    assert value == cd.adjusted(cd.nmi, null="uniform", samples=50)(TRUTH, GOOD)
    assert value < 1


def test_text_tables_measure_wide_characters() -> None:
    assert columns("日本") == 4
    assert cut("abcdefghij", 5) == "ab…ij"
    table = CellTable(("", "日本", "b"), (("x", "1", "2"),))
    assert to_text(table, 80).splitlines()[1] == "  x  1     2"


def test_attributes_are_listed_and_unknown_ones_refused() -> None:
    assert "elm_f" in dir(cd)
    assert cd.elm_f.__doc__ is not None
    assert "finds the other members" in cd.elm_f.__doc__
    with pytest.raises(AttributeError):
        cd.elm_g  # type: ignore[attr-defined]  # noqa: B018


def test_the_signature_names_the_versions_that_a_number_depends_on() -> None:
    truth, guess = [1, 1, 2, 2], [1, 2, 2, 2]
    asked = ["accuracy", "adjusted(accuracy)", "elm_f"]
    report = cd.compare(truth, guess, asked)
    solved, drawn, plain = (report[measure].signature for measure in asked)
    assert solved["scipy"] == version("scipy")
    assert "numpy" not in solved
    assert drawn["scipy"] == version("scipy")
    assert drawn["numpy"] == version("numpy")
    assert not {"scipy", "numpy"} & set(plain)
    rough = cd.Rough([{1}, {1, 2}, {2}, {2}])
    assert "scipy" in cd.compare(truth, rough, "transport(rand)")["transport(rand)"].signature
