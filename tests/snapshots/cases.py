"""What is recorded: the command on small files of every kind, and what it refuses."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import NamedTuple

import pyarrow as pa
import pyarrow.parquet

from journeys.clusterings import KINDS, sides, write
from journeys.policies import Policy
from sampled_cases import drawn_from, synthetic

EXACT = Policy("exact", None)
LACKING = Policy("shared", None)
GRADED = ("fuzzy", "possibilistic", "evidential")

TURNS = "".join(
    f"SPEAKER talk 1 {start} {lasts} <NA> <NA> {who} <NA> <NA>\n"
    for start, lasts, who in ((0, 8.5, "alice"), (8, 6, "bob"), (14, 5, "carol"), (19, 3, "alice"))
)
COREFERENCE = """\
#begin document (d); part 000
d\t0\t0\tAnn\t(1)
d\t0\t1\tsaw\t-
d\t0\t2\ther\t(1
d\t0\t3\tdog\t1)

#end document
"""


class Case(NamedTuple):
    """A command line, and the name its output is kept under."""

    group: str
    name: str
    arguments: tuple[str, ...]


def write_files(folder: Path) -> None:
    """A truth and two guesses of every kind, formats that are read, and files that are wrong."""
    for kind in KINDS:
        for word, policy in (("", EXACT), ("lacking-", LACKING)):
            of = sides(kind, policy)
            write(folder / f"{word}{kind}-truth.csv", of.kinds[0], of.truth)
            for name, said in of.guesses.items():
                write(folder / f"{word}{kind}-{name}.csv", kind, said)
    rng = Random(1)
    for side in ("a", "b"):
        labels = [rng.choice("xyz") for _ in range(12)]
        ids = list(range(12))
        clusters = [[str(i) for i in ids if labels[i] == c] for c in "xyz"]
        (folder / f"{side}.csv").write_text(
            "id,cluster\n" + "".join(f"{i},{c}\n" for i, c in enumerate(labels))
        )
        (folder / f"{side}.tsv").write_text(
            "id\tcluster\n" + "".join(f"{i}\t{c}\n" for i, c in enumerate(labels))
        )
        pa.parquet.write_table(pa.table({"id": ids, "cluster": labels}), folder / f"{side}.parquet")
        (folder / f"{side}.json").write_text(json.dumps({str(i): c for i, c in enumerate(labels)}))
        (folder / f"{side}.jsonl").write_text(
            "".join(json.dumps({"id": i, "cluster": c}) + "\n" for i, c in enumerate(labels))
        )
        (folder / f"{side}.labels").write_text("".join(f"{c}\n" for c in labels))
        (folder / f"{side}.clusters").write_text("".join(" ".join(c) + "\n" for c in clusters if c))
    write_many(folder, rng)
    (folder / "key.conll").write_text(COREFERENCE)
    (folder / "ref.rttm").write_text(TURNS)
    (folder / "hyp.rttm").write_text(TURNS.replace(" 8.5 ", " 7 ").replace("carol", "bob"))
    (folder / "response.conll").write_text(COREFERENCE.replace("(1\n", "(2\n").replace("1)", "2)"))
    wrong = {
        "empty": "", "header": "id,cluster\n", "null": "id,cluster\n1,\n2,x\n",
        "twice": "id,cluster\n1,x\n1,y\n", "na": "id,cluster\n1,NA\n2,x\n3,NA\n",
        "two": "id,cluster,cluster_id\n1,x,y\n", "wide": "p,q,r,s\n1,2,3,4\n",
        "other": "id,cluster\n90,x\n91,x\n", "degrees": "id,cluster,degree\n1,x,0.5\n1,y,0.7\n",
        "ragged": "id,cluster\n1,x\n2,y,z\n3,x\n", "zeros": "id,cluster\n00,x\n01,y\n",
    }  # fmt: skip
    for name, text in wrong.items():
        (folder / f"{name}.csv").write_text(text)
    (folder / "strata.csv").write_text(
        "stratum,pairs,labelled,matches,predicted,blocked\ntogether,350,100,70,yes,yes\n"
        "offered,8000,200,4,no,yes\nrest,100000,200,0,no,no\n"
    )
    write_sample(folder)
    (folder / "cut.json").write_text('{"1": "x", "2":')
    (folder / "binary.csv").write_bytes(bytes(range(256)))


def write_sample(folder: Path) -> None:
    """Two runs of 240 records, and a sample of the truth with how often records were drawn."""
    truth, run = synthetic(seed=1, clusters=80)
    coarse = {i: f"{c // 3}" if c % 5 == 0 else run[i] for i, c in truth.items()}
    for name, labels in (("run", run), ("coarse", coarse)):
        rows = "".join(f"{i},{c}\n" for i, c in labels.items())
        (folder / f"{name}.csv").write_text(f"id,cluster\n{rows}")
    sample, hits = drawn_from(truth, 30)
    rows = "".join(f"{i},person {c},{hits.count(i)}\n" for i, c in sample.items())
    (folder / "sample.csv").write_text(f"id,truth,hits\n{rows}")
    rows = "".join(f"{i},person {c}\n" for i, c in sample.items())
    (folder / "clusters.csv").write_text(f"id,truth\n{rows}")


def write_many(folder: Path, rng: Random) -> None:
    """Enough clusters in enough documents for intervals."""
    rows = ["doc,genre,id,truth,old,new"]
    for i in range(90):
        truth = i // 3
        old, new = (truth if rng.random() > share else 100 + i for share in (0.3, 0.1))
        rows.append(f"d{i // 9},{'ab'[i // 9 % 2]},{i},{truth},{old},{new}")
    (folder / "many.csv").write_text("\n".join(rows) + "\n")
    links = ["id_l,id_r,score"]
    for i in range(90):
        for j in range(i + 1, min(i + 5, 90)):
            score = round(rng.gauss(0.8 if i // 3 == j // 3 else 0.5, 0.1), 2)
            links.append(f"{i},{j},{score}")
    (folder / "links.csv").write_text("\n".join(links) + "\n")


def cases() -> list[Case]:
    """All of them."""
    found = [
        *compared(),
        *explained(),
        *sureness(),
        *of_statistics(),
        *of_many(),
        *of_other_verbs(),
        *refused(),
    ]
    assert len({one.name for one in found}) == len(found)
    return found


def case(group: str, *arguments: str) -> Case:
    """A case under the name of its own command line."""
    return Case(group, " ".join(arguments), arguments)


def of(verb: str, *arguments: str) -> Case:
    """A case in the group of its verb."""
    return case(verb, verb, *arguments)


def files(kind: str, *sides: str, word: str = "") -> list[str]:
    """The files of a kind, and the flag that says what they hold."""
    paths = [f"{word}{kind}-{side}.csv" for side in sides]
    if kind == "partition":
        return paths
    return [*paths, "--kind", "cover" if kind == "cover" else f"partition,{kind}"]


def measures(kind: str) -> list[str]:
    """Of uncertain clusterings, measures that are quick."""
    hard = kind in ("partition", "cover")
    return [] if hard else ["-m", "rand_alpha", "-m", "partition_distance_alpha"]


def compared() -> Iterator[Case]:
    """`compare`: kinds, output formats, policies, samples, input formats, gates."""
    for kind in KINDS:
        both = [*files(kind, "truth", "old", "new"), *measures(kind)]
        for form in ("table", "json", "csv", "md", "latex"):
            yield of("compare", *both, "-f", form)
        yield of("compare", *both, "--signatures")
        yield of("compare", *both, "--samples", "sample")
        yield of("compare", *both, "--samples", "sample", "--per-sample", "-f", "csv")
        lacking = [*files(kind, "truth", "old", "new", word="lacking-"), *measures(kind)]
        for align in ("exact", "shared", "singletons", "penalise"):
            yield of("compare", *lacking, "--align", align, "--signatures")
    for form in ("csv", "tsv", "parquet", "json", "jsonl", "labels", "clusters"):
        yield of("compare", f"a.{form}", f"b.{form}", "-m", "elm_f", "--signatures")
    yield of("compare", "key.conll", "response.conll", "--signatures")
    yield of("compare", "ref.rttm", "hyp.rttm", "--collar", "0.5", "--signatures")
    yield of("compare", "12|34", "1|234", "13|24")
    yield case("compare", "a.csv", "b.csv", "--confidence", "95")
    yield of("compare", "partition-truth.csv", "partition-old.csv", "--noise", "noise")
    yield of("compare", "a.csv", "b.csv", "--fail-under", "elm_f=0.99")
    yield of("compare", "a.csv", "b.csv", "--fail-under", "elm_f=0.01")
    yield of("compare", "a.csv", "b.csv", "--engine", "arrays", "--signatures")


def sureness() -> Iterator[Case]:
    """How sure scores, differences and changes are."""
    some = ["--id", "id", "-m", "elm_f", "-m", "adjusted_rand", "-m", "AMI", "--confidence", "95"]
    sides = [f"many.csv::{name}" for name in ("truth", "old", "new")]
    for verb, formats in (("compare", "table json csv md latex"), ("diff", "table json csv md")):
        for form in formats.split():
            yield case("sureness", verb, *sides, *some, "-f", form)
    yield case("sureness", "compare", *sides, "many.csv::truth", *some, "--signatures")
    for more in (
        ["--samples", "doc"], ["--samples", "doc", "--strata", "genre"],
        ["--samples", "doc", "--method", "betting"], ["--samples", "doc", "--units", "components"],
        ["--method", "bootstrap"], ["--units", "objects"], ["--units", "samples"],
        ["--units", "objects", "--method", "bootstrap"], ["--strata", "genre"],
        ["--fail-under", "elm_f=0.5", "--sure"], ["--sure"],
    ):  # fmt: skip
        yield case("sureness", "compare", *sides[:2], *some, *more)
    gate = ["--id", "id", "-m", "elm_f", "--fail-on-regression", "elm_f", "--significant"]
    yield case("sureness", "diff", *sides, *gate)
    yield case("sureness", "diff", sides[0], sides[2], sides[1], *gate)
    for form in ("text", "json", "csv", "md"):
        yield case("sureness", "explain", *sides[:2], "--id", "id", "--uncertainty", "-f", form)
        yield case("sureness", "explain", *sides[:2], "--id", "id", "--slices", "-f", form)
    yield case("sureness", "explain", *sides[:2], "--id", "id", "--confidence", "90")
    yield case("sureness", "compare", "a.csv", "b.csv", "--confidence", "95")
    yield case("sureness", "compare", "a.csv", "b.csv", "--confidence", "950")
    yield case("sureness", "compare", "a.csv", "b.csv", "--units", "objects")
    yield case("sureness", "compare", "a.csv", "a.csv", "--confidence", "95", "-m", "elm_f")


def explained() -> Iterator[Case]:
    """`explain` and `diff`."""
    for kind in KINDS:
        both = files(kind, "truth", "old")
        for form in ("text", "json", "csv", "md", "latex"):
            yield of("explain", *both, "-f", form)
        yield of("explain", *both, "--object", "x3")
        yield of("explain", *both, "--samples", "sample", "--top", "2")
        yield of("explain", *files(kind, "truth", "old", word="lacking-"), "--align", "penalise")
    yield of("explain", "a.csv", "b.csv", "--by", "muc_f")
    runs = files("partition", "truth", "old", "new")
    for form in ("text", "json", "csv", "md", "latex"):
        yield of("diff", *runs, "-f", form)
    yield of("diff", *runs, "--samples", "sample")
    yield of("diff", *files("partition", "truth", "old", "new", word="lacking-"),
               "--align", "shared")  # fmt: skip
    yield of("diff", *runs, "--fail-on-regression", "elm_f")


def of_statistics() -> Iterator[Case]:
    """`estimate`, `draw`, `chance` and `pairs`."""
    drawn = ("--design", "records", "-m", "elm_f,pair_f,nmi,accuracy")
    for form in ("text", "json", "csv", "md", "latex"):
        yield of("estimate", "sample.csv", "run.csv", *drawn, "-f", form)
        yield of("estimate", "sample.csv", "run.csv", "coarse.csv", *drawn, "-f", form)
    yield of("estimate", "sample.csv", "run.csv", *drawn, "--plan", "elm_f=0.02", "--signatures")
    yield of("estimate", "clusters.csv", "run.csv", "--design", "clusters", "--population", "300")
    yield of("draw", "run.csv", "--records", "5", "--seed", "1", "-o", "-")
    for form in ("text", "json", "csv", "md", "latex"):
        yield of("chance", "a.csv", "b.csv", "-m", "rand,elm_f,nmi", "--draws", "99", "-f", form)
        yield of("pairs", "strata.csv", "-f", form)
    for null in ("number", "uniform"):
        yield of("chance", "a.csv", "b.csv", "-m", "rand", "--draws", "99", "--null", null)
    yield of("chance", "12|34|56", "12|35|46", "-m", "vi_distance")
    yield of("chance", "a.csv", "b.csv", "-m", "rand", "--draws", "0")


def of_many() -> Iterator[Case]:
    """`sweep`, `relabel`, `track`, `matrix` and `consensus`."""
    runs = ["many.csv::truth", "many.csv::old", "many.csv::new"]
    swept = ["many.csv::truth", "links.csv", "--id", "id", "-m", "elm_f,pair_f,accuracy"]
    verbs = {
        "sweep": swept,
        "relabel": [*runs[1:], "--id", "id"],
        "track": [*runs, "--id", "id"],
        "matrix": [*runs, "--id", "id"],
        "consensus": [*runs, "--id", "id"],
    }
    for verb, arguments in verbs.items():
        latex = [] if verb == "relabel" else ["latex"]
        for form in ("text", "json", "csv", "md", *latex):
            yield case("many", verb, *arguments, "-f", form)
    yield case("many", "sweep", *swept, "--folds", "3", "--confidence", "95")
    yield case("many", "sweep", *swept, "--cut", "elm_f", "-o", "-")
    yield case("many", "sweep", "many.csv::truth", "many.csv::old", "many.csv::new", "--id", "id")
    yield case("many", "relabel", *runs[1:], "--id", "id", "--fail-under", "kept=0.99")
    yield case("many", "track", *runs, "--id", "id", "--stray", "0.5")
    yield case("many", "matrix", *runs, "--id", "id", "-m", "pair_precision")
    yield case("many", "consensus", *runs, "--id", "id", "--by", "vi_distance")
    for verb in verbs:
        yield case("many", verb, "a.csv")
    yield case("many", "sweep", "a.csv", "a.csv")
    yield case("many", "matrix", "a.csv", "other.csv")
    yield case("many", "matrix", "a.csv", "many.csv::x_*")


def of_other_verbs() -> Iterator[Case]:
    """The page, the catalogue, the laboratory, the papers."""
    for kind in KINDS:
        yield of("report", *files(kind, "truth", "old", "new"), *measures(kind), "-o", "-")
    yield case("others", "demo")
    yield case("others", "measures")
    yield case("others", "measures", "nmi")
    yield case("others", "measures", "--json")
    yield case("others", "axioms", "--list")
    for form in ("text", "json", "csv", "md"):
        yield case("others", "axioms", "elm_f", "-c", "rag_bag", "-f", form)
    yield case("others", "reproduce", "cice", "--values")
    yield case("others", "reproduce", "cice", "--values", "--json")
    for kind in KINDS:
        yield case("others", "table", *files(kind, "truth", "old"))
    for flags in (("--shares", "rows"), ("--top", "3"), ("-f", "csv"), ("-f", "md")):
        yield case("others", "table", "many.csv::truth", "many.csv::old", "--id", "id", *flags)
    verbs = """compare explain diff table report demo sweep relabel track matrix consensus draw
               estimate pairs measures schema chance axioms reproduce"""
    for verb in ("", *verbs.split()):
        yield case("help", *([verb] if verb else []), "--help")
    yield case("help", "compare", "--help-all")


def refused() -> Iterator[Case]:
    """What is wrong with files, flags and measures, each with its hint."""
    for name in ("empty", "header", "null", "twice", "na", "two", "wide", "other", "degrees",
                 "ragged", "zeros", "binary", "missing"):  # fmt: skip
        yield case("refused", "compare", "a.csv", f"{name}.csv")
    for arguments in (
        "compare a.json cut.json",
        "compare a.csv::nix b.csv",
        "compare a.json::nix b.json",
        "compare a.csv",
        "compare",
        "compre a.csv b.csv",
        "compare a.csv b.csv -m bcube_f",
        "compare a.csv b.csv -m elm_f(alpha=2)",
        "compare a.csv b.csv -m elm_f(",
        "compare a.csv b.csv -m cice_f",
        "compare a.csv b.csv --kind nix",
        "compare a.csv b.csv --align nix",
        "compare a.csv b.csv --fail-under elm_f=80",
        "compare a.csv b.csv --fail-under elm_f",
        "compare a.csv b.csv --memory nix",
        "compare a.csv b.csv --id nix",
        "compare a.csv b.csv --samples nix",
        "compare a.csv b.csv --kind fuzzy",
        "compare degrees.csv degrees.csv --kind fuzzy",
        "compare a.csv b.csv --as conll",
        "compare a.csv b.csv --nix",
        "explain a.csv b.csv --by nmi",
        "explain a.csv b.csv --object nix",
        "diff a.csv b.csv",
        "report a.csv b.csv -o a.csv",
        "estimate sample.csv run.csv",
        "estimate sample.csv run.csv --design nix",
        "estimate sample.csv run.csv --design records -m accuracy",
        "estimate sample.csv run.csv --design records --plan elm_f",
        "estimate sample.csv a.csv --design records",
        "draw run.csv --records 5 -o run.csv",
        "chance a.csv b.csv --null nix",
        "chance 12|34 1234|",
        "chance a.csv b.csv -m omega",
        "chance a.csv b.csv --align penalise",
        "chance a.csv b.csv --draws 0",
        "chance partition-truth.csv partition-old.csv --samples sample",
        "pairs a.csv",
        "pairs strata.csv --size rest",
        "measures nix",
        "axioms nix",
        "axioms elm_f -c nix",
        "reproduce nix",
        "schema nix",
        "nix",
    ):
        yield case("refused", *arguments.split())
