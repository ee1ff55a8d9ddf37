"""Command lines whose JSON holds, between them, every field that there is."""

from __future__ import annotations

from collections.abc import Iterator

from journeys.clusterings import KINDS
from snapshots.cases import files, measures

RUNS = ("many.csv::truth", "many.csv::old", "many.csv::new")
SURE = ("--id", "id", "-m", "elm_f,AMI,vi_distance", "--confidence", "95")
SWEPT = ("many.csv::truth", "links.csv", "--id", "id", "-m", "elm_f,accuracy")


def documents() -> dict[str, list[tuple[str, ...]]]:
    """All of them, on the files of the snapshots, by what they are of."""
    groups = {
        "kinds": _of_kinds(), "scores": _of_scores(), "many": _of_many(),
        "catalogues": _of_catalogues(),
    }  # fmt: skip
    return {
        group: [(*arguments, "-f", "json") for arguments in told] for group, told in groups.items()
    }


def _of_kinds() -> Iterator[tuple[str, ...]]:
    for kind in KINDS:
        sides, quick = files(kind, "truth", "old"), measures(kind)
        lacking = files(kind, "truth", "old", word="lacking-")
        yield "compare", *sides, *quick
        yield "compare", *sides, *quick, "--samples", "sample", "--confidence", "95"
        yield "explain", *sides
        yield "explain", *sides, "--object", "x3"
        yield "table", *sides
        known = kind in ("partition", "cover")
        for align in ("shared", "singletons", "penalise") if known else ("shared",):
            yield "compare", *lacking, *quick, "--align", align
            yield "explain", *lacking, "--align", align
    yield "explain", *files("partition", "truth", "old"), "--samples", "sample"


def _of_scores() -> Iterator[tuple[str, ...]]:
    yield "compare", "a.csv", "b.csv", "-m", "transport(rand)"
    yield "compare", "key.conll", "response.conll"
    yield "explain", "ref.rttm", "hyp.rttm"
    yield "diff", "ref.rttm", "hyp.rttm", "ref.rttm"
    yield "table", "ref.rttm", "hyp.rttm"
    yield "compare", "12|34", "13|24", "-m", "nmi", "--noise", "null"
    yield "compare", "a.csv", "b.csv", "--kind", "fuzzy", "-m", "rand_alpha"
    yield "compare", "a.csv", "b.csv", "-m", "adjusted(elm_f),element_similarity,muc"
    yield "compare", "a.csv", "b.csv", "-m", "nmi", "--compat", "sklearn"
    yield "compare", *RUNS, *SURE
    yield "compare", "many.csv", *RUNS[1:], *SURE, "--levels", "truth,genre"
    yield "compare", "many.csv", RUNS[1], *SURE, "--levels", "truth,old", "--samples", "doc"
    yield "compare", *RUNS, *SURE, "--samples", "doc", "--strata", "genre"
    yield "compare", *RUNS, *SURE, "--method", "bootstrap"
    yield "compare", *RUNS[:2], *SURE, "--method", "betting", "--samples", "doc"
    yield "explain", *RUNS[:2], "--id", "id", "--confidence", "90"
    for threshold in ([], ["--threshold", "0.5"]):
        yield "explain", *RUNS[:2], "--id", "id", "--pairs", "links.csv", *threshold
    yield "explain", *RUNS[:2], "--id", "id", "--uncertainty"
    yield "explain", *RUNS[:2], "--id", "id", "--samples", "doc", "--uncertainty"
    yield "explain", *RUNS[:2], "--id", "id", "--slices"
    yield "explain", *RUNS[:2], "--id", "id", "--samples", "doc", "--slices"
    runs, lacking = files("partition", "truth", "old", "new"), ("truth", "old", "new")
    yield "diff", *runs
    yield "diff", *runs, "--samples", "sample"
    yield "diff", *files("partition", *lacking, word="lacking-"), "--align", "shared"
    yield "diff", *files("partition", *lacking, word="lacking-"), "--align", "penalise"
    yield "diff", *RUNS, *SURE
    yield "diff", *files("cover", *lacking)
    yield "diff", *files("cover", *lacking, word="lacking-"), "--align", "penalise"
    drawn = ("sample.csv", "run.csv", "coarse.csv", "--design", "records", "-m", "elm_f,accuracy")
    yield "estimate", *drawn
    yield "estimate", *drawn, "--plan", "elm_f=0.02"
    yield "estimate", "clusters.csv", "run.csv", "--design", "clusters", "--out-of", "80"
    for null in ("permutation", "number", "uniform"):
        yield "chance", "a.csv", "b.csv", "-m", "rand,elm_f", "--draws", "19", "--null", null
    yield "chance", "12|34", "12|34", "-m", "rand,nmi"
    yield "pairs", "strata.csv"


def _of_many() -> Iterator[tuple[str, ...]]:
    yield "sweep", *SWEPT
    yield "sweep", *SWEPT, "--folds", "3", "--confidence", "95"
    yield "sweep", *RUNS, "--id", "id"
    yield "relabel", *RUNS[1:], "--id", "id"
    yield "relabel", "lacking-partition-old.csv", "lacking-partition-new.csv"
    yield "track", *RUNS, "--id", "id"
    yield "matrix", *RUNS, "--id", "id"
    yield "matrix", *RUNS, "--id", "id", "-m", "pair_precision"
    yield "matrix", "lacking-partition-old.csv", "lacking-partition-new.csv", "--align", "shared"
    yield "matrix", *RUNS[2:], "--truth", RUNS[0], "--truth", RUNS[1], "--id", "id"
    yield "consensus", *RUNS, "--id", "id"
    yield "consensus", *RUNS, "--id", "id", "--by", "vi_distance"


def _of_catalogues() -> Iterator[tuple[str, ...]]:
    yield ("measures",)
    yield "axioms", "bcubed_f", "-c", "rag_bag,symmetry", "--objects", "4", "--larger", "0"
    yield "axioms", "cice_f", "-c", "rag_bag", "--larger", "0"
    yield "reproduce", "cice", "--values"
    yield "reproduce", "cice", "--experiment", "example"
