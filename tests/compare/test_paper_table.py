"""LaTeX as papers print it: systems as rows, times 100, the best bold, significance marks."""

from __future__ import annotations

import re
from pathlib import Path

import clusterdiff as cd
from cli.runner import run
from clusterdiff.output.formats import formats_of
from refusals import refuses

TRUTH = {i: i // 3 for i in range(60)}
GOOD = {i: (i // 3 if i % 12 else 100 + i) for i in TRUTH}
BAD = {i: i // 4 for i in TRUTH}
PAIRS = ["muc", "bcubed", "ceaf_e", "conll"]


def rows(latex: str) -> list[list[str]]:
    """The cells of the rows below the headings."""
    body = latex.split("\\midrule\n")[1].split("\n\\bottomrule")[0]
    return [line.removesuffix(r" \\").split(" & ") for line in body.split("\n")]


def test_names_of_families_stand_for_precision_recall_and_f() -> None:
    report = cd.compare(TRUTH, GOOD, PAIRS)
    assert list(report) == [
        "muc_precision", "muc_recall", "muc_f",
        "bcubed_precision", "bcubed_recall", "bcubed_f",
        "ceaf_e_precision", "ceaf_e_recall", "ceaf_e_f", "conll",
    ]  # fmt: skip
    assert list(cd.compare(TRUTH, GOOD, "elm")) == ["elm_f"]
    refuses("no measure is called 'nix'", cd.compare, TRUTH, GOOD, "nix")


def test_systems_are_rows_and_scores_are_times_100() -> None:
    report = cd.compare(TRUTH, {"bad_one": BAD, "good": GOOD}, PAIRS)
    latex = report.to_latex(style="paper")
    assert "\\begin{tabular}{lrrrrrrrrrr}" in latex
    assert "& \\multicolumn{3}{c}{MUC} & \\multicolumn{3}{c}{B$^3$} & " in latex
    assert "\\cmidrule(lr){2-4} \\cmidrule(lr){5-7} \\cmidrule(lr){8-10}" in latex
    assert "System & P & R & F$_1$ & P & R & F$_1$ & P & R & F$_1$ & Avg.~F$_1$ \\\\" in latex
    (bad, *low), (good, *high) = rows(latex)
    assert (bad, good) == (r"bad\_one", "good")
    for measure, one, other in zip(report, low, high, strict=True):
        values = [100 * report[measure][name].value for name in ("bad_one", "good")]
        texts = [f"{value:.1f}" for value in values]
        texts[values[1] > values[0]] = f"\\textbf{{{max(values):.1f}}}"
        assert [one, other] == texts
    assert "dagger" not in latex


def test_what_prints_alike_is_bold_alike() -> None:
    report = cd.compare(TRUTH, {"one": GOOD, "two": GOOD, "bad": BAD}, ["lea_f"])
    assert [row[1].startswith("\\textbf") for row in rows(report.to_latex("paper"))] == [
        True, True, False
    ]  # fmt: skip
    alone = cd.compare(TRUTH, GOOD, ["lea_f"]).to_latex("paper")
    assert "textbf" not in alone


def test_a_dagger_is_a_difference_that_is_significant() -> None:
    documents = {i: f"d{i // 3}" for i in TRUTH}
    guesses = {"bad": {i: i for i in TRUTH}, "good": GOOD}
    report = cd.compare(
        TRUTH, guesses, ["bcubed", "lea_f"], samples=documents, confidence=0.95, align="penalise"
    )
    assert report.difference("lea_f", "good", "bad", micro=True).significant
    latex = report.to_latex(style="paper")
    _, good = rows(latex)
    assert good[-1].endswith(r"}$^{\dagger}$")
    assert good[1] == "100.0"  # precision of both is 1: none is better
    assert (
        "% dagger: better than every other system, significant at 5 % (paired jackknife t-test)"
        in latex
    )
    near = {i: (i // 3 if i != 4 else 99) for i in TRUTH}
    close = cd.compare(
        TRUTH, {"near": near, "exact": TRUTH}, ["lea_f"], samples=documents, confidence=0.95
    )
    assert not close.difference("lea_f", "exact", "near", micro=True).significant
    assert "$^{" not in close.to_latex("paper")


def test_documents_are_scored_together() -> None:
    documents = {i: "short" if i < 6 else "long" for i in TRUTH}
    report = cd.compare(TRUTH, GOOD, ["lea_f"], samples=documents)
    assert report["lea_f"].micro != report["lea_f"].value
    latex = report.to_latex("paper")
    assert rows(latex) == [["guess", f"{100 * report['lea_f'].micro:.1f}"]]
    assert "% scores of 2 documents together (micro)" in latex


def test_scores_without_an_upper_bound_are_as_they_are() -> None:
    report = cd.compare(TRUTH, BAD, ["vi_distance", "bcubed_f", "adjusted_rand"])
    latex = report.to_latex("paper")
    assert "System & vi\\_distance & F$_1$ & adjusted\\_rand \\\\" in latex
    assert rows(latex)[0][1] == f"{report['vi_distance'].value:.2f}"


def test_scores_corrected_for_chance_are_times_100_too() -> None:
    names = ["adjusted_rand", "adjusted(rand)", "adjusted(vi_distance)", "transport(rand)"]
    report = cd.compare(TRUTH, GOOD, names)
    [[_, *cells, between]] = rows(report.to_latex("paper"))
    assert cells == [f"{100 * report[name].value:.1f}" for name in names[:3]]
    ends = report["transport(rand)"].value
    assert between == f"{100 * ends.low:.1f}" == f"{100 * ends.high:.1f}"


def test_a_style_that_there_is_not() -> None:
    refuses("unknown style 'thesis'", cd.compare(TRUTH, GOOD, ["rand"]).to_latex, style="thesis")


def test_the_command_offers_it_for_comparisons_alone(tmp_path: Path) -> None:
    assert "latex-paper" in formats_of(cd.Report)
    assert "latex-paper" not in formats_of(cd.Explanation)
    ran = run("compare", "12|34", "1|234", "12|34", "-m", "bcubed,conll", "-f", "latex-paper")
    assert ran.code == 0
    assert rows(ran.stdout)[1][1:] == ["\\textbf{100.0}"] * 4
    assert len(re.findall(r"^% .*bcubed_precision, bcubed_recall.*meet:", ran.stdout, re.M)) == 2
    assert "latex-paper" in run("compare", "--help").stdout
