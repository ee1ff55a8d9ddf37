"""How often intervals hold: python -m bench.coverage [PART ...] [--runs N] [--quick] [--out FILE].

Units are drawn again and again from populations whose scores are known. An interval at 95 % should
hold the population's score in 95 % of the runs, and the test of a difference should reject in 5 %
of the runs in which there is none. A refused interval counts as one that does not hold. All runs
are seeded. The parts are:

- `populations`: intervals of estimates and of components, in three populations;
- `documents`: rejections when two guesses have noise of the same sort;
- `precision`: rejections when two guesses have equal precision but make unequal numbers of pairs;
- `ends`: lower ends of scores near 1 (Korn and Graubard);
- `objects`: tables of few large clusters, whose units are objects;
- `leverage`: rare errors in heavy-tailed sizes, with and without the warning about leverage.

The last four print a number recorded by an earlier simulation beside each number and the
difference in points. The record leaves populations and degrees of freedom open in part; those here
were found by search, and stand above each table. That they are right is seen where one set of
assumptions gives many recorded numbers at once: in `ends` the medians agree to the last digit or
two.

Where intervals come from sums over units, the first runs are repeated with `cd.compare` on labels,
and have to agree.
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from scipy.special import stdtr

import clusterdiff as cd
from clusterdiff.contingency import HardMeet
from clusterdiff.measures.sums import UnitSums, sums_of
from clusterdiff.statistics.intervals import (
    ConfidenceInterval,
    Difference,
    Target,
    difference,
    interval,
    jackknife,
    jackknife_of_objects,
    korn_graubard,
    leave_one_out,
    score_of_all,
    spread,
    weights_of,
)
from clusterdiff.statistics.units import units_of_components, units_of_samples

DATA = Path(__file__).parents[2] / "shared" / "data"
LEVEL = 0.95
MEASURES = (
    "elm_f", "bcubed_f(f='objects')", "pair_f", "adjusted_rand", "nmi(norm='max')", "exact_f",
)  # fmt: skip
TESTED = ("elm_f", "pair_f", "bcubed_f")
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
sees that from the sample."""

ABOUT_PRECISION = """\
A block has pairs that belong together (a Poisson number with mean 12), of which each guess links
a share ("found"), and each guess links wrong pairs of its own, so many that the precision of both
is .95. Blocks are samples, and the difference is that of the pooled score. With 30 blocks and a
tenth of the pairs found, 15 % of the runs have no wrong pair of the second guess at all: no test
can know that there could have been one, and that is what is rejected. The record agrees best with
Student's t with K − 1 degrees of freedom; the product's effective freedom rejects up to 1.5
points less."""
ABOUT_ENDS = """\
Entities have 1 to 8 records, size s with a chance in proportion to s^-2.2. Each is merged with
the next with probability e, unless the one before is merged with it. The interval covers if its
lower end is at most the true value, the ratio of expected sums. The lower ends recorded of
Student's t are those of K_eff − 1 degrees of freedom (at least 1), which is half of the product's
effective freedom or less: with one wrong merge .0035 in place of .944. What is recorded of Korn
and Graubard does not depend on it. `cd.compare` takes Korn and Graubard's interval where fewer
than ten units err, and Student's t elsewhere, whose lower ends are higher and still hold."""
ABOUT_OBJECTS = """\
Classes have Dirichlet(5) shares. A class has a share ("own") of its objects in a cluster of its
own, and the rest spread over all clusters by Dirichlet shares, with the parameter 1, and of the
20 × 25 table .3, so that its nmi is .457 in the population and .507 in samples, as recorded. The
target is the mean score of all runs: another data set of that size."""
ABOUT_LEVERAGE = """\
Sizes are exp(1 + σ·normal), rounded down, at least 1. Each entity is shattered into single
records with probability e, whatever its size, so that the true pair_f is 2(1 - e)/(2 - e). What
is recorded is reproduced by Student's t with K_eff degrees of freedom, in the runs with a spread
(second table): within 2 points, but for three cells of runs with K_eff ≥ 3, which rest on 300 to
500 runs of the record and lie within two standard errors. The product's intervals are others:
Korn and Graubard's where fewer than ten units err (the rows of 200 entities: they hold more often
than recorded), and elsewhere Student's t with about 2 K_eff degrees of freedom, by the definition
of effective freedom (the other rows: they hold in 3 to 7 points less of the runs than recorded).
The record is not one of the product's intervals there; what a user of heavy-tailed data gets is
the first table. The third table has what other rules would give. With K_eff degrees of freedom,
intervals of 1,000 entities and more hold 3 to 6 points more often and are 1.4 to 2 times as wide.
Korn and Graubard's where K_eff < 10 hold nearly always and are two to three times as wide; in the
power law above, where one unit has most of the pairs, they say nothing (pair_f of 1,000
components, 300 runs: median width .74 in place of .04, which holds in 94 %)."""


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
    sums = UnitSums(terms, score, found[1].counts_all, found[1].sizes)
    return sums, chance / chance.sum(), False


DESIGNS = {
    "records": lambda meet, m: by_truth_clusters(meet, m, True),
    "clusters": lambda meet, m: by_truth_clusters(meet, m, False),
    "components": by_components,
}


def chosen(sums: UnitSums, units: Any) -> UnitSums:
    """The sums of some units."""
    return sums._replace(terms={name: term[units] for name, term in sums.terms.items()})


def interval_of_sums(sums: UnitSums, count: np.ndarray, m: Any) -> ConfidenceInterval:
    """The interval that `cd.compare` finds by default where components or samples are units."""
    return jackknife(sums, count, Target.of(m, score_of_all(sums, count), LEVEL))


def covered(
    sums: UnitSums, chance: np.ndarray, units: int, runs: int, m: Any, rng: np.random.Generator
) -> tuple[float, float]:
    """The share of runs whose interval holds the population's score, and the mean width."""
    average = {name: np.array([units * (chance @ term)]) for name, term in sums.terms.items()}
    target = float(np.asarray(sums.score(average))[0])
    held, widths = 0, []
    for counts in rng.multinomial(units, chance / chance.sum(), runs):
        some = np.flatnonzero(counts)
        sure = interval_of_sums(chosen(sums, some), counts[some], m)
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
    """How often the paired jackknife t calls guesses different that are alike, as Markdown."""
    made = noisy_documents(copies=copies)
    if made is None:
        return "The novels are not here, so that no documents were compared."
    rows = []
    for many in documents:
        rng = np.random.default_rng(many)
        hits = dict.fromkeys(made, 0)
        for _ in range(runs):
            novel = rng.integers(0, 100, many)
            pair = np.array([rng.choice(copies, 2, replace=False) for _ in range(many)])
            for text, sums in made.items():
                one, other = (chosen(sums, novel * copies + side) for side in pair.T)
                hits[text] += difference(one, other, np.ones(many, np.int64), LEVEL).significant
        rows.append([f"{many}", *(f".{1000 * hits[text] / runs:03.0f}" for text in made)])
    return "\n\n".join([
        "Rejections of the paired jackknife t at 5 %: two copies of an annotation with noise "
        f"of the same sort, {runs:,} runs:",
        markdown(["documents", *made], rows),
    ])  # fmt: skip


class RowSums(NamedTuple):
    """What single rows of a comparison add to the sums of a measure."""

    terms: np.ndarray
    like: UnitSums

    @classmethod
    def of(cls, m: Any, both: Any, truth: Any, guess: Any) -> RowSums:
        """Of rows by their objects and the sizes of their clusters."""
        both, truth, guess = (np.asarray(x, np.int64) for x in (both, truth, guess))
        every = np.arange(both.size)
        meet = HardMeet(
            both=both, truth_size=truth, guess_size=guess, times=np.ones_like(both),
            truth=every, guess=every, alignment=cd.meet([0, 1], [0, 1]).alignment,
        )  # fmt: skip
        found = sums_of(m, meet)
        assert found is not None
        sums = found[1]
        assert not sums.whole
        like = UnitSums(sums.terms, sums.score, sums.counts_all, sums.sizes)
        return cls(np.stack(list(sums.terms.values())), like)

    def units(self, rows: np.ndarray) -> UnitSums:
        """Units that have each row as often as their line of the table says."""
        return self.like._replace(
            terms=dict(zip(self.like.terms, self.terms @ rows.T, strict=True))
        )


def agree(found: ConfidenceInterval | Difference, public: ConfidenceInterval | Difference) -> None:
    """Stop unless the interval from sums is that of `cd.compare`."""
    ends = [(one.low, one.high, one.se) for one in (found, public)]
    if not np.allclose(ends[0], ends[1], rtol=1e-9, atol=1e-12, equal_nan=True):
        raise AssertionError(f"from sums {found}, by cd.compare {public}")


def beside(value: float, recorded: float, digits: int = 1) -> str:
    """A number with the one that was recorded and the difference."""
    return f"{value:.{digits}f} ({recorded:.{digits}f}, {value - recorded:+.{digits}f})"


PAIRS = 12
"""Pairs of a block that belong together, on average."""
RIGHT = 0.95
"""Precision."""
PRECISION = {
    (0.95, 30): 4.8, (0.95, 150): 6.2, (0.30, 30): 6.7, (0.30, 150): 4.8, (0.10, 30): 15.3,
    (0.10, 150): 6.9,
}  # fmt: skip
"""Recorded rejections in %, by the share of pairs that the second guess finds and blocks."""


def equal_precision(runs: int, checked: int = 3) -> str:
    """Rejections when precision is equal and the number of pairs is not, as Markdown."""
    m = cd.measure("pair_precision")
    # linked right, right but not linked, linked wrong, neither
    catalogue = RowSums.of(m, [2, 1, 1, 1], [2, 2, 1, 1], [2, 1, 2, 1])
    rows = []
    for (share, blocks), recorded in PRECISION.items():
        rng = np.random.default_rng([blocks, int(100 * share)])
        rejected = by_units = refused = 0
        for run in range(runs):
            means = PAIRS * np.array([1, 1 / RIGHT - 1, 1 / RIGHT - 1])
            many = rng.poisson(means, (blocks, 3))
            many = many[many.any(axis=1)]  # a block without records is not a sample
            block = np.repeat(np.arange(len(many)), many.sum(axis=1))
            kind = np.repeat(np.tile(np.arange(3), len(many)), many.ravel())
            right = kind == 0
            links = [
                (right | (kind == own)) & (rng.random(block.size) < found)
                for own, found in ((1, 0.95), (2, share))
            ]
            sides = []
            for link in links:
                parts = (right & link, right & ~link, ~right & link, ~right & ~link)
                often = np.stack([np.bincount(block, part) for part in parts], axis=1)
                sides.append(catalogue.units(often * [1, 2, 2, 2]))
            found = difference(sides[0], sides[1], np.ones(len(many), np.int64), LEVEL)
            if run < checked:
                labels = dict(zip("ab", (pair_labels(link) for link in links), strict=True))
                report = cd.compare(
                    pair_labels(right), labels, m, confidence=LEVEL,
                    samples=[f"{b:04}" for b in np.repeat(block, 2)],
                )  # fmt: skip
                public = report.difference(m, "a", "b", micro=True)
                agree(found, public)
                assert np.isclose(found.p, public.p, rtol=1e-9)
            rejected += found.significant
            refused += not found.tested
            if found.tested and found.se:
                t = abs(found.value) / found.se
                by_units += bool(2 * stdtr(len(many) - 1, -t) <= 1 - LEVEL)
        rows.append([
            f".95 and {share:.2f}".replace(" 0.", " ."), f"{blocks}",
            *(beside(100 * some / runs, recorded) for some in (rejected, by_units)),
            f"{100 * refused / runs:.1f}",
        ])  # fmt: skip
    return "\n\n".join([
        "### A. Equal precision, unequal numbers of pairs",
        ABOUT_PRECISION,
        f"Rejections of the paired jackknife t at 5 %, in % (recorded, difference), {runs:,} runs:",
        markdown(["found", "blocks", "rejections", "with K − 1 degrees of freedom", "no test"],
                 rows),
    ])  # fmt: skip


def pair_labels(together: np.ndarray) -> np.ndarray:
    """Labels of two objects for each candidate, which are equal where they are together."""
    first = 2 * np.arange(together.size)
    return np.stack([first, first + ~together], axis=1).ravel()


class End(NamedTuple):
    """A population near 1, and what was recorded of it."""

    entities: int
    error: float
    measure: str
    true: float
    refused: float
    logit: tuple[float, float]
    korn_graubard: tuple[float, float]


ENDS = (
    End(1000, 0.0005, "pair_precision", 0.9990, 61, (100, 0.0035), (100, 0.9655)),
    End(1000, 0.0005, "bcubed_precision", 0.9996, 61, (100, 0.0048), (100, 0.9939)),
    End(1000, 0.01, "pair_precision", 0.9808, 0, (98.8, 0.9200), (100, 0.9368)),
    End(4000, 0.0005, "pair_precision", 0.9990, 13, (100, 0.0599), (100, 0.9902)),
    End(4000, 0.002, "pair_precision", 0.9960, 0.1, (99.0, 0.9659), (100, 0.9852)),
    End(4000, 0.05, "pair_precision", 0.9141, 0, (97.7, 0.8937), (100, 0.8848)),
)
SIZE, POWER = 8, 2.2
"""Entities have 1 to 8 records; the chance of size s is in proportion to s^-2.2."""


def ends(runs: int, checked: int = 3) -> str:
    """Lower ends by Student's t, by Korn and Graubard, and as `cd.compare` chooses."""
    sizes = np.arange(1, SIZE + 1)
    of_size = sizes**-POWER / np.sum(sizes**-POWER)
    one, other = (x.ravel() for x in np.meshgrid(sizes, sizes))
    tables: list[list[list[str]]] = [[], []]
    for end in ENDS:
        m = cd.measure(end.measure)
        alone = RowSums.of(m, sizes, sizes, sizes)
        merged = [RowSums.of(m, size, size, one + other) for size in (one, other)]
        terms = np.concatenate([alone.terms, merged[0].terms + merged[1].terms], axis=1)
        types = alone.like._replace(terms=dict(zip(alone.like.terms, terms, strict=True)))
        rate = end.error * (1 - end.error)
        merging = rate * of_size[one - 1] * of_size[other - 1]
        chance = np.r_[(1 - 2 * rate) * of_size, merging]
        mean = {name: np.array([term @ chance]) for name, term in types.terms.items()}
        target = float(types.score(mean)[0])
        rng = np.random.default_rng([end.entities, int(1e4 * end.error)])
        names = ("korn_graubard", "chosen", "t", "recorded t")
        found: dict[str, list[float]] = {name: [] for name in names}
        chose = 0
        for run in range(runs):
            drawn = rng.choice(sizes, end.entities, p=of_size)
            hit = np.r_[rng.random(end.entities - 1) < end.error, False]
            merge = hit & ~np.r_[False, hit[:-1]]
            second = np.r_[False, merge[:-1]]
            pairs = (drawn[second] - 1) * SIZE + drawn[merge] - 1
            count = np.r_[np.bincount(drawn[~merge & ~second] - 1, minlength=SIZE),
                          np.bincount(pairs, minlength=SIZE**2)]  # fmt: skip
            some = np.flatnonzero(count)
            sums, count = chosen(types, some), count[some]
            sure = interval_of_sums(sums, count, m)
            if run < checked:
                truth = np.repeat(np.arange(end.entities), drawn)
                guess = truth - second[truth]
                public = cd.compare(truth, guess, m, confidence=LEVEL)[end.measure].ci
                agree(sure, public)
                assert sure.method == public.method
            left = leave_one_out(sums, count)
            wide = spread(left.deviation, left.units)
            weights = weights_of(sums.denominators, left.units)
            found["chosen"].append(sure.low)
            found["korn_graubard"].append(korn_graubard(left.value, wide.se, weights, LEVEL)[0])
            if wide.se:
                for name, df in (("t", wide.df), ("recorded t", max(1.0, wide.effective - 1))):
                    found[name].append(interval(left.value, wide.se, df, LEVEL, (0, 1))[0])
            chose += sure.method == "korn-graubard"
        held = {name: float(100 * np.mean(np.array(low) <= target)) for name, low in found.items()}
        median = {name: float(np.median(low)) for name, low in found.items()}
        title = [f"{end.entities:,}, {end.error:g}".replace(" 0.", " ."), end.measure]
        tables[0].append([
            *title, beside(target, end.true, 4), f"{100 * chose / runs:.1f}",
            beside(held["chosen"], end.korn_graubard[0]),
            beside(median["chosen"], end.korn_graubard[1], 4),
            beside(held["korn_graubard"], end.korn_graubard[0]),
            beside(median["korn_graubard"], end.korn_graubard[1], 4),
        ])  # fmt: skip
        tables[1].append([
            *title, beside(100 - 100 * len(found["t"]) / runs, end.refused),
            f"{held['t']:.1f}", f"{median['t']:.4f}",
            beside(held["recorded t"], end.logit[0]),
            beside(median["recorded t"], end.logit[1], 4),
        ])  # fmt: skip
    return "\n\n".join([
        "### B. Near 1",
        ABOUT_ENDS,
        "Lower ends that `cd.compare` chooses and those of Korn and Graubard in every run, beside "
        f"those recorded of Korn and Graubard (recorded, difference), {runs:,} runs:",
        markdown(
            ["K, e", "measure", "true value", "Korn–Graubard chosen in %", "chosen: covers in %",
             "chosen: median low end", "Korn–Graubard: covers in %",
             "Korn–Graubard: median low end"],
            tables[0],
        ),
        "Student's t on the logit scale in the runs with a spread, with the freedom of the "
        "product, and with K_eff − 1 degrees of freedom, as recorded:",
        markdown(
            ["K, e", "measure", "no spread in %", "covers in %", "median low end",
             "K_eff − 1: covers in %", "K_eff − 1: median low end"],
            tables[1],
        ),
    ])  # fmt: skip


class Table(NamedTuple):
    """A table of few large clusters: its shape, objects, the share of objects in own clusters, and
    the parameter of Dirichlet's law by which the others are spread.
    """

    classes: int
    clusters: int
    objects: int
    own: float
    spread: float
    recorded: tuple[float, ...]


OF_TABLES = ("adjusted_rand", "nmi(norm='max')", "elm_f", "bcubed_f", "purity", "pair_f")
TABLES = (
    Table(10, 11, 700, 0.7, 1, (94.6, 95.1, 94.2, 94.3, 93.7, 94.4)),
    Table(3, 3, 150, 0.7, 1, (94.3, 95.8, 95.0, 94.7, 96.2, 94.8)),
    Table(8, 8, 2000, 0.7, 1, (93.7, 93.6, 94.4, 94.5, 93.7, 94.0)),
    Table(20, 25, 1000, math.nan, 0.3, (95.3, 97.0, 95.0, 95.0, 96.4, 95.5)),
    Table(5, 5, 300, 0.96, 1, (92.2, 96.1, 96.5, 96.5, 96.5, 96.7)),
)
NMI = 0.457
"""Of the population from which the table without a share of its own is drawn."""


def population_of(table: Table, rng: np.random.Generator) -> tuple[np.ndarray, float]:
    """The chances of the cells, and the share of objects in clusters of their own."""
    share = rng.dirichlet(np.full(table.classes, 5.0))[:, None]
    spread_out = rng.dirichlet(np.full(table.clusters, table.spread), table.classes)
    own, cells = table.own, np.empty(0)
    for candidate in np.linspace(0.3, 0.95, 651) if math.isnan(own) else [own]:
        cells = (1 - candidate) * spread_out
        cells[np.arange(table.classes), np.arange(table.classes) % table.clusters] += candidate
        cells *= share
        own = candidate
        if math.isnan(table.own) and nmi_of(cells) >= NMI:
            break
    return cells, own


class Moved(NamedTuple):
    """Sums over the cells of tables, and those sums without one object of each cell."""

    whole: np.ndarray
    without: np.ndarray

    @classmethod
    def of(cls, term: Any, both: Any, truth: Any, guess: Any) -> Moved:
        """Of a function of the objects of a cell, its class and its cluster: without an object of
        a cell only the terms of its class and cluster change.
        """
        now = term(both, truth, guess)
        less_truth, less_guess = term(both, truth - 1, guess), term(both, truth, guess - 1)
        whole = now.sum((-2, -1), keepdims=True)
        without = (
            whole
            + (less_truth - now).sum(-1, keepdims=True)
            + (less_guess - now).sum(-2, keepdims=True)
            + now - less_truth - less_guess + term(both - 1, truth - 1, guess - 1)
        )  # fmt: skip
        return cls(whole, without)


def scores_of_tables(both: np.ndarray) -> dict[str, Moved]:
    """The scores of tables, by the definitions, and without one object of each cell."""
    n = both.sum((-2, -1), keepdims=True)
    truth, guess = (both.sum(axis, keepdims=True) for axis in (-1, -2))

    def log(x: Any) -> Any:
        return x * np.log(np.maximum(x, 1))

    def of(term: Any) -> Moved:
        return Moved.of(term, both, truth, guess)

    def apart(term: Any, side: np.ndarray) -> Moved:
        whole = term(side).sum((-2, -1), keepdims=True)
        return Moved(whole, whole - term(side) + term(side - 1) + 0.0 * both)

    def elm(b: Any, t: Any, g: Any) -> Any:
        alone = [np.where(s > 1, (b - 1) / np.maximum(s - 1, 1), 1.0) for s in (g, t)]
        total = alone[0] + alone[1]
        return b * np.where(total > 0, 2 * alone[0] * alone[1] / np.maximum(total, 1e-300), 0)

    pairs = [apart(lambda s: s * (s - 1) / 2, side) for side in (truth, guess)]
    common = of(lambda b, t, g: b * (b - 1) / 2)
    logs = [*(apart(log, side) for side in (truth, guess)), of(lambda b, t, g: log(b))]
    squares = [of(lambda b, t, g, i=i: b**2 / np.maximum((g, t)[i], 1)) for i in (0, 1)]
    elm_f = of(elm)
    largest = both.max(-2, keepdims=True)
    falls = (both == largest) & ((both == largest).sum(-2, keepdims=True) == 1)
    most = Moved(largest.sum((-2, -1), keepdims=True), largest.sum((-2, -1), keepdims=True) - falls)
    found: dict[str, list[np.ndarray]] = {}
    for i, m in enumerate((n, n - 1)):
        t, g, c = (x[i] for x in (*pairs, common))
        chance = t * g / (m * (m - 1) / 2)
        h = [np.log(m) - x[i] / m for x in logs]
        p, r = (x[i] / m for x in squares)
        scores = (
            (c - chance) / ((t + g) / 2 - chance), (h[0] + h[1] - h[2]) / np.maximum(h[0], h[1]),
            elm_f[i] / m, 2 * p * r / (p + r), most[i] / m, 2 * c / (t + g),
        )  # fmt: skip
        for text, score in zip(OF_TABLES, scores, strict=True):
            found.setdefault(text, []).append(score)
    return {text: Moved(*both) for text, both in found.items()}


def objects(runs: int, checked: int = 3) -> str:
    """Coverage where objects are units, as Markdown."""
    rows, notes = [], []
    for table in TABLES:
        rng = np.random.default_rng([table.classes, table.clusters, table.objects])
        cells, own = population_of(table, rng)
        values, low, high = (np.empty((runs, len(OF_TABLES))) for _ in range(3))
        drawn = rng.multinomial(table.objects, cells.ravel(), runs).reshape(-1, *cells.shape)
        for first in range(0, runs, 200):
            some = drawn[first : first + 200].astype(float)
            for k, (text, moved) in enumerate(scores_of_tables(some).items()):
                bounds = cd.measure(text).claims.bounds
                for run, both in enumerate(some, first):
                    full = both > 0
                    value = float(moved.whole[run - first].squeeze())
                    scores, count = moved.without[run - first][full], both[full]
                    target = Target(value, LEVEL, bounds, 1.0)
                    sure = jackknife_of_objects(scores, count.astype(np.int64), target)
                    values[run, k], low[run, k], high[run, k] = value, sure.low, sure.high
                    if run < checked:
                        sides = [np.repeat(side, both[full].astype(int)) for side in full.nonzero()]
                        public = cd.compare(sides[0], sides[1], text, confidence=LEVEL)[text]
                        assert public.ci.units == "objects"
                        assert math.isclose(float(public.value), value, rel_tol=1e-12)
                        agree(sure, public.ci)
        target = values.mean(axis=0)
        held = 100 * ((low <= target) & (target <= high)).mean(axis=0)
        name = f"{table.classes} × {table.clusters}, {table.objects:,}"
        rows.append([name, *map(beside, held, table.recorded)])
        notes.append([name, f"{own:.3f}", *(f"{t:.3f}" for t in target), f"{nmi_of(cells):.3f}"])
    return "\n\n".join([
        "### C. Few large clusters",
        ABOUT_OBJECTS,
        f"Coverage in % of the mean score (recorded, difference), {runs:,} runs:",
        markdown(["table", *OF_TABLES], rows),
        "Mean scores, and the nmi of the population:",
        markdown(["table", "own", *OF_TABLES, "nmi of the population"], notes),
    ])  # fmt: skip


def nmi_of(cells: np.ndarray) -> float:
    """Of a table of shares, over the larger entropy, as in `cd.nmi(norm="max")`."""
    entropy = [-np.sum(x[x > 0] * np.log(x[x > 0])) for x in (cells, cells.sum(0), cells.sum(1))]
    return float((entropy[1] + entropy[2] - entropy[0]) / max(entropy[1:]))


MU = 1.0
WARNS = 0.1
"""Leverage above which a warning appears."""
LEVERAGE = {
    (200, 1.2, 0.04): (92, 72, 94, 98), (200, 0.8, 0.04): (96, 87, 97, 76),
    (200, 0.4, 0.04): (98, 94, 98, 4), (1000, 1.2, 0.04): (91, 77, 91, 75),
    (1000, 0.8, 0.04): (94, 88, 94, 18), (5000, 1.2, 0.04): (90, 81, 91, 34),
    (5000, 0.8, 0.01): (93, 86, 93, 2),
}  # fmt: skip
"""Recorded: coverage in all runs, in those with K_eff of 3 or more, in those without the warning
about leverage, and the share of runs that warn; in %.
"""


def leverage(runs: int, checked: int = 3) -> str:
    """Coverage of pair_f with rare errors in heavy-tailed sizes, as Markdown."""
    m = cd.measure("pair_f")
    tables: list[list[list[str]]] = [[], [], []]
    for (entities, sigma, error), recorded in LEVERAGE.items():
        rng = np.random.default_rng([entities, int(10 * sigma)])
        target = 2 * (1 - error) / (2 - error)
        names = ("chosen", "recorded", "K_eff < 10")
        low, high = ({name: np.full(runs, math.nan) for name in names} for _ in range(2))
        effective, largest, of_truth = (np.zeros(runs) for _ in range(3))
        varied = np.zeros(runs, bool)
        for run in range(runs):
            size = np.exp(MU + sigma * rng.standard_normal(entities)).astype(np.int64)
            size = np.maximum(size, 1)
            shattered = rng.random(entities) < error
            kinds, count = np.unique(np.stack([size, shattered]), axis=1, return_counts=True)
            whole = kinds[1] == 0
            both, guess = np.where(whole, kinds[0], 1), np.where(whole, kinds[0], 1)
            often = np.diag(np.where(whole, 1, kinds[0]))
            sums = RowSums.of(m, both, kinds[0], guess).units(often)
            sure = interval_of_sums(sums, count, m)
            if run < checked:
                truth = np.repeat(np.arange(entities), size)
                guess = np.where(shattered[truth], entities + np.arange(truth.size), truth)
                public = cd.compare(truth, guess, m, confidence=LEVEL)["pair_f"].ci
                agree(sure, public)
                assert np.isclose(sure.leverage, public.leverage)
            assert sure
            ends = {"chosen": (sure.low, sure.high)}
            if sure.se:
                value, bounds = score_of_all(sums, count), (0.0, 1.0)
                freedom = max(1.0, sure.effective)
                ends["recorded"] = interval(value, sure.se, freedom, LEVEL, bounds)
                if sure.effective < 10:
                    weights = weights_of(sums.denominators, count.astype(np.float64))
                    ends["K_eff < 10"] = korn_graubard(value, sure.se, weights, LEVEL)
                else:
                    ends["K_eff < 10"] = interval(value, sure.se, sure.df, LEVEL, bounds)
            for name, (one, other) in ends.items():
                low[name][run], high[name][run] = one, other
            pairs = size * (size - 1)
            effective[run], varied[run] = sure.effective, bool(sure.se)
            largest[run], of_truth[run] = sure.leverage, pairs.max() / pairs.sum()
        title = f"{entities:,}, {sigma}, {error}".replace(" 0.", " .")
        held = {name: (low[name] <= target) & (target <= high[name]) for name in names}
        every = np.ones(runs, bool)
        for table, name, of, share in (
            (tables[0], "chosen", every, largest), (tables[1], "recorded", varied, of_truth),
        ):  # fmt: skip
            silent = share <= WARNS
            some = (of, of & (effective >= 3), of & silent)
            numbers = [100 * held[name][s].mean() if s.any() else math.nan for s in some]
            numbers.append(100 * (1 - silent[of].mean()))
            table.append([title, *map(beside, numbers, recorded), f"{some[2].sum()}"])
        width = {name: np.median((high[name] - low[name])[varied]) for name in names}
        shown = (f"{100 * held[name][varied].mean():.1f}, {width[name]:.3f}" for name in names)
        tables[2].append([title, *shown])
    heading = ["K, σ, e", "all runs", "K_eff ≥ 3", "without the warning", "runs that warn",
               "silent runs"]  # fmt: skip
    return "\n\n".join([
        "### D. Rare errors in heavy-tailed sizes",
        ABOUT_LEVERAGE,
        "Coverage of pair_f by `cd.compare` and share of runs that warn, in % (recorded, "
        f"difference), {runs:,} runs:",
        markdown(heading, tables[0]),
        "As recorded: Student's t with K_eff degrees of freedom, in the runs with a spread; the "
        "largest unit's share is that of the pairs of truth:",
        markdown(heading, tables[1]),
        "Coverage in % and median width in the runs with a spread, of three rules:",
        markdown(
            ["K, σ, e", "`cd.compare`", "Student's t with K_eff degrees of freedom",
             "Korn and Graubard where K_eff < 10"],
            tables[2],
        ),
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


PARTS = ("populations", "documents", "precision", "ends", "objects", "leverage")


def tables(parts: Sequence[str], runs: int, quick: bool) -> str:
    """The tables that were asked for; quick ones of a few runs, to see that they can be made."""
    sizes, documents, copies = ((50, 200), (10,), 3) if quick else (SIZES, DOCUMENTS, COPIES)
    few = max(1, runs // 10) if quick else runs
    made = {
        "populations": lambda: "\n\n".join([ABOUT, described(), coverage(runs, sizes)]),
        "documents": lambda: rejections(runs, documents, copies),
        "precision": lambda: equal_precision(few),
        "ends": lambda: ends(few),
        "objects": lambda: objects(few),
        "leverage": lambda: leverage(few),
    }
    options = f"--runs {runs}{' --quick' if quick else ''}"
    return "\n\n".join(
        f"{made[part]()}\n\nMade by `python -m bench.coverage {part} {options}`." for part in parts
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m bench.coverage", description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"{', '.join(PARTS)}; or all")
    parser.add_argument("--runs", type=int)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    if unknown := sorted(set(given.parts) - set(PARTS)):
        parser.error(f"unknown part {unknown[0]}: there are {', '.join(PARTS)}")
    runs, start = given.runs or (20 if given.quick else 300), time.perf_counter()
    text = f"# How often intervals hold\n\n{tables(given.parts or PARTS, runs, given.quick)}"
    print(f"{text}\n\nIn {time.perf_counter() - start:.0f} s.")
    if given.out:
        given.out.write_text(f"{text}\n")


if __name__ == "__main__":
    main()
