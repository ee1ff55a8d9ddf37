"""How often intervals hold: python -m bench.coverage [--runs N] [--quick] [--out FILE].

From populations whose scores are known, units are drawn again and again; an interval at 95 % should
hold the population's score in 95 % of the runs. A run whose interval is refused counts as one that
does not hold. The swap test should call two guesses different in 5 % of the runs in which they are
alike. All runs are seeded.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import polars as pl

import clusterdiff as cd
from clusterdiff.measures.core.sums import UnitSums, sums_of
from clusterdiff.meet import HardMeet
from clusterdiff.statistics.difference import swap_test
from clusterdiff.statistics.jackknife import jackknife
from clusterdiff.statistics.units import units_of_components, units_of_samples

DATA = Path(__file__).parents[2] / "shared" / "data"
LEVEL = 0.95
MEASURES = ("elm_f", "bcubed_f", "pair_f", "adjusted_rand", "nmi", "exact_f")
TESTED = ("elm_f", "pair_f", "bcubed_f(f='means')")
SIZES = (50, 200, 1000, 5000)
DOCUMENTS = (10, 30, 100)
NOISE = 0.10
COPIES = 40
"""Noisy copies of each document, of which two are drawn for a pair of guesses."""


ABOUT = """\
Units are drawn with replacement from populations whose scores are known, and the interval of the
jackknife at 95 % is found from each sample: records or clusters of truth are drawn as for
`cd.estimate`, components as if they were the whole data. The score to hold is that of the
population; of components, that of as many average ones. A refused interval counts as one that
does not hold: with 50 units of rldata that is a sample without a single pair. In heavy tails
(patents, the power law) a sample can miss the few large units that decide a score, and no method
sees that from the sample. The swap test compares two copies of an annotation with noise of the
same sort."""


class Population(NamedTuple):
    """A comparison of which everything is known."""

    name: str
    truth: Any
    guess: Any


def populations() -> Iterator[Population]:
    """Those that are here: inventors of patents, a power law, records of people."""
    patents = DATA / "patentsview_inventors.parquet"
    if patents.exists():
        frame = pl.read_parquet(patents).filter(
            (pl.col("pred_20220630") >= 0) & (pl.col("pred_20211230") >= 0)
        )
        yield Population("patents", frame["pred_20220630"], frame["pred_20211230"])
    yield power_law()
    people = DATA / "rldata10000.csv"
    if people.exists():
        frame = pl.read_csv(people, infer_schema_length=0)
        yield Population("rldata", frame["identity"], frame["name_by"])


def power_law(clusters: int = 20_000, seed: int = 0) -> Population:
    """Sizes by a power law cut at 500; three entities have one name, by which a few are merged, and
    one record in twenty is lost to a cluster of its own.
    """
    rng = np.random.default_rng(seed)
    sizes = np.minimum(rng.zipf(2.2, clusters), 500)
    truth = np.repeat(np.arange(clusters), sizes)
    name = rng.permutation(clusters) // 3
    merged = rng.random(clusters // 3 + 1) < 0.057
    entity = np.where(merged[name], clusters + name, np.arange(clusters))
    lost = rng.random(truth.size) < 0.05
    return Population(
        "power law", truth, np.where(lost, 10**6 + np.arange(truth.size), entity[truth])
    )


def by_components(meet: HardMeet, m: Any) -> tuple[UnitSums, np.ndarray, bool]:
    """Components, all drawn alike; the score to hold is that of as many average ones."""
    units = units_of_components(meet, [m])
    sums = units.sums(m)
    assert sums is not None
    return sums, units.count / units.number, True


def by_truth_clusters(meet: HardMeet, m: Any, records: bool) -> tuple[UnitSums, np.ndarray, bool]:
    """Truth clusters, drawn alike or by their records, as estimates from a sample have them: sums
    are weighed, and scaled up to all objects.
    """
    truth, guess, both = meet.written_out()
    every = HardMeet(
        both=both, truth_size=np.bincount(truth, both)[truth].astype(np.int64),
        guess_size=np.bincount(guess, both)[guess].astype(np.int64),
        times=np.ones_like(both), truth=truth, guess=guess, alignment=meet.alignment,
    )  # fmt: skip
    found = sums_of(m, every)
    assert found is not None
    assert not found[1].whole
    own = {name: np.bincount(truth, term) for name, term in found[1].terms.items()}
    size = np.bincount(truth, both)
    kept = size > 0
    weight = 1 / size[kept] if records else np.ones(int(kept.sum()))
    table = np.stack([*(term[kept] * weight for term in own.values()), size[kept] * weight])
    kinds, place = np.unique(table.round(12), axis=1, return_inverse=True)
    chance = np.bincount(place.ravel(), size[kept] if records else None)
    names, objects = [*own, "size"], float(meet.objects)

    def score(sums: Mapping[str, Any]) -> Any:
        up = objects / sums["size"]
        return found[1].score({name: sums[name] * up for name in own})

    terms = dict(zip(names, kinds, strict=True))
    return UnitSums(terms, score), chance / chance.sum(), False


DESIGNS = {
    "records": lambda meet, m: by_truth_clusters(meet, m, True),
    "clusters": lambda meet, m: by_truth_clusters(meet, m, False),
    "components": by_components,
}


def covered(
    sums: UnitSums, chance: np.ndarray, units: int, runs: int, m: Any, rng: np.random.Generator
) -> tuple[float, float]:
    """The share of runs whose interval holds the population's score, and the mean width."""
    average = {name: np.array([units * (chance @ term)]) for name, term in sums.terms.items()}
    target = float(np.asarray(sums.score(average))[0])
    held, widths = 0, []
    for counts in rng.multinomial(units, chance / chance.sum(), runs):
        some = np.flatnonzero(counts)
        drawn = UnitSums({name: term[some] for name, term in sums.terms.items()}, sums.score)
        sure = jackknife(drawn, counts[some], LEVEL, m.claims.bounds)
        if sure:
            held += sure.low <= target <= sure.high
            widths.append(sure.high - sure.low)
    return held / runs, float(np.mean(widths)) if widths else float("nan")


def coverage(runs: int, sizes: tuple[int, ...] = SIZES) -> str:
    """Coverage and widths of all populations, designs and sizes, as Markdown."""
    every = list(populations())
    meets = {p.name: cd.meet(p.truth, p.guess) for p in every}
    heading = ["design", "units", *MEASURES]
    shares: list[list[str]] = []
    widths: list[list[str]] = []
    for design, prepare in DESIGNS.items():
        ready = {
            (name, text): prepare(meet, cd.measure(text))
            for name, meet in meets.items()
            for text in MEASURES
        }
        for units in sizes if design == "components" else sizes[:3]:
            share: dict[str, list[str]] = {text: [] for text in MEASURES}
            width: dict[str, list[str]] = {text: [] for text in MEASURES}
            for (name, text), (sums, chance, whole) in ready.items():
                if whole and units >= 5000 and name == "rldata":
                    share[text].append("–")
                    width[text].append("–")
                    continue
                rng = np.random.default_rng([units, *design.encode()])
                some = runs if units < 5000 else max(1, 3 * runs // 10)
                held, mean = covered(sums, chance, units, some, cd.measure(text), rng)
                share[text].append(f"{100 * held:.0f}")
                width[text].append(f"{mean:.3f}".removeprefix("0"))
            for rows, cells in ((shares, share), (widths, width)):
                rows.append([design, f"{units:,}", *("/".join(cells[text]) for text in MEASURES)])
    names = " / ".join(meets)
    return "\n\n".join([
        f"Coverage in % at nominal 95 %, {runs:,} runs; populations {names}:",
        markdown(heading, shares),
        "Mean widths:",
        markdown(heading, widths),
    ])  # fmt: skip


def noisy_documents(seed: int = 0, copies: int = COPIES) -> dict[str, UnitSums] | None:
    """Novels, each with copies of its annotation in which some mentions were moved: to another
    entity of the novel, or to one of their own.
    """
    path = DATA / "coref_litbank.csv"
    if not path.exists():
        return None
    rng = np.random.default_rng(seed)
    truths, guesses, samples = [], [], []
    for d, part in enumerate(pl.read_csv(path).partition_by("doc", maintain_order=True)):
        truth = part["gold"].to_numpy()
        for copy in range(copies):
            moved = rng.random(truth.size) < NOISE
            alone = rng.random(truth.size) < 0.5
            other = np.where(alone, 10**6 + np.arange(truth.size), rng.choice(truth, truth.size))
            truths.append(truth)
            guesses.append(np.where(moved, other, truth))
            samples.append(np.full(truth.size, d * copies + copy))
    sides = [np.concatenate(some) for some in (truths, guesses)]
    names = [f"{s:06}" for s in np.concatenate(samples).tolist()]
    report = cd.compare(sides[0], sides[1], "elm_f", samples=names)
    score = report["elm_f"]
    assert list(score.samples) == sorted(score.samples)
    units = units_of_samples(score.split)
    assert units is not None
    found = {text: units.sums(cd.measure(text)) for text in TESTED}
    return {text: sums for text, sums in found.items() if sums is not None}


def rejections(runs: int, documents: tuple[int, ...] = DOCUMENTS, copies: int = COPIES) -> str:
    """How often the swap test calls guesses different that are alike, as Markdown."""
    made = noisy_documents(copies=copies)
    if made is None:
        return "The novels are not here: the swap test was not run."
    rows = []
    for many in documents:
        rng = np.random.default_rng(many)
        hits = dict.fromkeys(made, 0)
        for run in range(runs):
            novel = rng.integers(0, 100, many)
            pair = np.array([rng.choice(copies, 2, replace=False) for _ in range(many)])
            for text, sums in made.items():
                one, other = (
                    UnitSums(
                        {n: term[novel * copies + side] for n, term in sums.terms.items()},
                        sums.score,
                    )
                    for side in pair.T
                )
                p, _, _ = swap_test(one, other, np.ones(many, np.int64), seed=run, draws=999)
                hits[text] += p <= 1 - LEVEL + 1e-12
        rows.append([f"{many}", *(f".{1000 * hits[text] / runs:03.0f}" for text in made)])
    return "\n\n".join([
        f"Rejections of the swap test at 5 %, guesses alike, {runs:,} runs:",
        markdown(["documents", *made], rows),
    ])  # fmt: skip


def markdown(heading: list[str], rows: list[list[str]]) -> str:
    lines = [heading, ["---"] * len(heading), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def described() -> str:
    """The populations in numbers, as Markdown."""
    rows = []
    for one in populations():
        meet = cd.meet(one.truth, one.guess)
        assert isinstance(meet, HardMeet)
        clusters, largest = meet.clusters[0], int(meet.truth_sizes.size.max())
        types = units_of_components(meet).count.size
        numbers = (meet.objects, clusters, largest, meet.components, types)
        rows.append([one.name, *(f"{n:,}" for n in numbers)])
    return markdown(["population", "objects", "clusters", "largest", "components", "types"], rows)


def tables(runs: int, quick: bool) -> str:
    """All tables; quick ones of a few runs, to see that they can be made."""
    sizes, documents, copies = ((50, 200), (10,), 3) if quick else (SIZES, DOCUMENTS, COPIES)
    parts = [described(), coverage(runs, sizes), rejections(runs, documents, copies)]
    made = f"Made by `python -m bench.coverage --runs {runs}{' --quick' if quick else ''}`."
    return "\n\n".join(["# How often intervals hold", made, ABOUT, *parts])


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.coverage", description=__doc__)
    parser.add_argument("--runs", type=int)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    runs, start = given.runs or (20 if given.quick else 1000), time.perf_counter()
    text = tables(runs, given.quick)
    print(f"{text}\n\nIn {time.perf_counter() - start:.0f} s.")
    if given.out:
        given.out.write_text(f"{text}\n")


if __name__ == "__main__":
    main()
