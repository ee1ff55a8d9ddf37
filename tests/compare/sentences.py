"""Comparisons for which it is known what may be said of them, and all that is said.

A case is a truth with its guesses, and the facts that sentences may rest on. The facts are written
down here, from how the data are made, and not found by the library.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

import clusterdiff as cd
from clusterdiff.compare.verdict import verdict


@dataclass(frozen=True, kw_only=True)
class Case:
    """A comparison and what is true of it."""

    truth: Any
    guesses: dict[str, Any]
    measure: str = "pair_f"
    more: tuple[tuple[str, Any], ...] = ()
    units: str = "components"
    """What the intervals rest on; nothing where there is none."""
    best: str = ""
    """The guess with the best score; nothing where it is shared, or there is one guess."""
    beaten: tuple[str, ...] = ()
    """Guesses that are significantly worse than the best."""
    close: tuple[str, ...] = ()
    """Guesses that were tested, and are not significantly worse."""
    untested: tuple[str, ...] = ()
    few_err: bool = False
    """Whether only a few units err, of some guess, or none."""
    leverage: bool = False
    """Whether one unit holds more than a tenth of what the score divides by."""
    left_out: bool = False
    """Whether objects that truth does not know are left out."""
    no_spread: bool = False
    """Whether all units of some guess score alike, with errors."""
    shared: tuple[str, ...] = ()
    """Guesses that have the best score together, with others below."""
    ranges: str = ""
    """Whether scores are ranges that "overlap", or lie "apart"."""
    pooled: bool = False
    """Whether the mean of the samples has an interval, and the score of all of them has none."""

    @property
    def refused(self) -> bool:
        """Whether there is no interval."""
        return not self.units


def split(truth: list[Any], clusters: Iterator[int] | range) -> list[Any]:
    """A guess that splits some clusters into single objects."""
    some = set(clusters)
    return [f"{x}/{i}" if x in some else x for i, x in enumerate(truth)]


PAIRS = [i // 2 for i in range(400)]
CLASSES = ["a"] * 50 + ["b"] * 50 + ["c"] * 50
ROUGH_CLASSES = [x if i % 5 else "abc"[i % 3] for i, x in enumerate(CLASSES)]
POOR_CLASSES = [x if i % 2 else "abc"[i % 3] for i, x in enumerate(CLASSES)]
SMALL = [i // 2 for i in range(8)]
SIZES = [i for i in range(40) for _ in range(2)] + ["giant"] * 12
DOCUMENTS = [i // 6 for i in range(144)]
SPEAKERS = [f"{i // 6}.{i % 6 // 2}" for i in range(144)]


def cover(labels: list[Any]) -> cd.Cover:
    """A cover in which every seventh object is in a second cluster too."""
    return cd.Cover([[x] if i % 7 else [x, "second"] for i, x in enumerate(labels)])


def evidential(labels: list[Any], doubt: float) -> cd.Evidential:
    """Masses of which a share is on all clusters together."""
    names = tuple(sorted(set(labels)))
    return cd.Evidential([{(x,): 1 - doubt, names: doubt} for x in labels])


def fuzzy(labels: list[Any]) -> cd.Fuzzy:
    """Degrees that leave a little open."""
    names = sorted(set(labels))
    return cd.Fuzzy([{n: 0.9 if n == x else 0.1 / (len(names) - 1) for n in names} for x in labels])


GOOD_SPEAKERS = [x if i % 11 else f"{x}'" for i, x in enumerate(SPEAKERS)]
BAD_SPEAKERS = [x if i % 3 else f"{x}'" for i, x in enumerate(SPEAKERS)]
FOLDS = tuple(i % 15 for i in range(150))
ONE = ["a"] * 60
HALVES = ["x"] * 30 + ["y"] * 30

CASES = {
    "one guess": Case(truth=PAIRS, guesses={"run": split(PAIRS, range(60))}),
    "one perfect guess": Case(truth=PAIRS, guesses={"run": PAIRS}, few_err=True),
    "one wrong split": Case(truth=PAIRS, guesses={"run": split(PAIRS, range(1))}, few_err=True),
    "better": Case(
        truth=PAIRS,
        guesses={"good": split(PAIRS, range(20)), "bad": split(PAIRS, range(20, 120))},
        best="good", beaten=("bad",),
    ),
    "close": Case(
        truth=PAIRS,
        guesses={"one": split(PAIRS, range(40)), "other": split(PAIRS, range(40, 81))},
        best="one", close=("other",),
    ),
    "equal": Case(
        truth=PAIRS,
        guesses={"one": split(PAIRS, range(40)), "other": split(PAIRS, range(40))},
    ),
    "both perfect": Case(
        truth=PAIRS, guesses={"one": PAIRS, "other": list(map(str, PAIRS))}, few_err=True
    ),
    "perfect and poor": Case(
        truth=PAIRS, guesses={"perfect": PAIRS, "poor": split(PAIRS, range(100))},
        best="perfect", beaten=("poor",), few_err=True,
    ),
    "few components": Case(
        truth=SMALL, guesses={"good": SMALL, "bad": split(SMALL, range(2))},
        units="", best="good", untested=("bad",),
    ),
    "one object": Case(truth=["a"], guesses={"run": ["x"]}, units=""),
    "all single": Case(truth=list(range(50)), guesses={"run": list(range(50))}, units=""),
    "large classes": Case(
        truth=CLASSES, guesses={"good": ROUGH_CLASSES, "poor": POOR_CLASSES},
        units="objects", best="good", beaten=("poor",),
    ),
    "large classes, objects named": Case(
        truth=CLASSES, guesses={"good": ROUGH_CLASSES, "poor": POOR_CLASSES},
        more=(("units", "objects"),), units="objects", best="good", beaten=("poor",),
    ),
    "covers, objects named": Case(
        truth=cover(CLASSES), measure="cice_f",
        guesses={"good": cover(ROUGH_CLASSES), "poor": cover(POOR_CLASSES)},
        more=(("units", "objects"),), units="objects", best="good", untested=("poor",),
    ),
    "large classes, one perfect guess": Case(
        truth=CLASSES, guesses={"run": CLASSES}, units="objects", few_err=True
    ),
    "one large unit": Case(
        truth=SIZES, guesses={"run": split(SIZES, range(15))}, leverage=True
    ),
    "three, all beaten": Case(
        truth=PAIRS,
        guesses={
            "good": split(PAIRS, range(20)), "bad": split(PAIRS, range(20, 120)),
            "worse": split(PAIRS, range(60, 190)),
        },
        best="good", beaten=("bad", "worse"),
    ),
    "three, one close": Case(
        truth=PAIRS,
        guesses={
            "one": split(PAIRS, range(40)), "other": split(PAIRS, range(40, 81)),
            "bad": split(PAIRS, range(60, 190)),
        },
        best="one", beaten=("bad",), close=("other",),
    ),
    "three, not tested": Case(
        truth=SMALL,
        guesses={
            "good": SMALL, "bad": split(SMALL, range(2)), "worse": split(SMALL, range(3)),
        },
        units="", best="good", untested=("bad", "worse"),
    ),
    "documents": Case(
        truth=SPEAKERS,
        guesses={"good": GOOD_SPEAKERS, "bad": BAD_SPEAKERS},
        more=(("samples", DOCUMENTS),), units="samples", best="good", beaten=("bad",),
        no_spread=True,
    ),
    "covers": Case(
        truth=cover(PAIRS), measure="cice_f",
        guesses={
            "good": cover(split(PAIRS, range(20))), "bad": cover(split(PAIRS, range(20, 120)))
        },
        best="good", untested=("bad",), leverage=True,
    ),
    "uncertain": Case(
        truth=CLASSES, measure="rand_campello",
        guesses={"good": fuzzy(ROUGH_CLASSES), "poor": fuzzy(POOR_CLASSES)},
        units="", best="good", untested=("poor",),
    ),
    "not a sum": Case(
        truth=PAIRS, measure="adjusted_mutual_information",
        guesses={"good": split(PAIRS, range(20)), "bad": split(PAIRS, range(20, 120))},
        units="", best="good", untested=("bad",),
    ),
    "partial truth": Case(
        truth=dict(enumerate(PAIRS)), more=(("align", "shared"),),
        guesses={"run": {**dict(enumerate(split(PAIRS, range(60)))), "more": 1}}, left_out=True,
    ),
    "one cluster": Case(truth=ONE, guesses={"run": ONE}, units="objects", few_err=True),
    "one cluster, halved": Case(truth=ONE, guesses={"run": HALVES}, units=""),
    "one cluster, found and halved": Case(
        truth=ONE, guesses={"good": ONE, "bad": HALVES},
        units="objects", best="good", untested=("bad",), few_err=True, no_spread=True,
    ),
    "a distance": Case(
        truth=PAIRS, measure="vi_distance",
        guesses={"good": split(PAIRS, range(20)), "bad": split(PAIRS, range(20, 120))},
        best="good", beaten=("bad",),
    ),
    "a distance of 0": Case(
        truth=PAIRS, measure="vi_distance", guesses={"run": PAIRS}, units=""
    ),
    "a distance, not tested": Case(
        truth=SMALL, measure="vi_distance",
        guesses={"higher": SMALL, "bad": split(SMALL, range(2))},
        units="", best="higher", untested=("bad",),
    ),
    "two of three share the best": Case(
        truth=PAIRS,
        guesses={
            "one": split(PAIRS, range(40)), "other": split(PAIRS, range(40)),
            "bad": split(PAIRS, range(60, 190)),
        },
        shared=("one", "other"),
    ),
    "two of three share the best, not tested": Case(
        truth=SMALL, guesses={"one": SMALL, "other": SMALL, "bad": split(SMALL, range(2))},
        units="", shared=("one", "other"),
    ),
    "three equal": Case(
        truth=PAIRS, guesses={name: split(PAIRS, range(40)) for name in ("one", "other", "third")}
    ),
    "equal, not tested": Case(
        truth=SMALL,
        guesses={"one": split(SMALL, range(2)), "other": split(SMALL, range(2))},
        units="", untested=("other",),
    ),
    "few documents": Case(
        truth=SPEAKERS[:24],
        guesses={"good": SPEAKERS[:24], "bad": BAD_SPEAKERS[:24]},
        more=(("samples", DOCUMENTS[:24]),), units="", best="good", untested=("bad",),
    ),
    "documents, all right": Case(
        truth=SPEAKERS, guesses={"run": SPEAKERS}, more=(("samples", DOCUMENTS),),
        units="samples", few_err=True,
    ),
    "covers of documents": Case(
        truth=cover(SPEAKERS), measure="cice_f",
        guesses={"good": cover(GOOD_SPEAKERS), "bad": cover(BAD_SPEAKERS)},
        more=(("samples", DOCUMENTS),), units="samples", best="good", beaten=("bad",),
    ),
    "uncertain, one guess": Case(
        truth=CLASSES, measure="rand_campello", guesses={"run": fuzzy(ROUGH_CLASSES)}, units=""
    ),
    "uncertain, of folds": Case(
        truth=fuzzy(CLASSES), measure="rand_campello",
        guesses={"good": fuzzy(ROUGH_CLASSES), "poor": fuzzy(POOR_CLASSES)},
        more=(("samples", FOLDS),), units="samples", best="good", beaten=("poor",), pooled=True,
    ),
    "ranges that overlap": Case(
        truth=CLASSES, measure="rand_alpha",
        guesses={"good": evidential(ROUGH_CLASSES, 0.2), "poor": evidential(POOR_CLASSES, 0.2)},
        units="", ranges="overlap",
    ),
    "ranges apart": Case(
        truth=CLASSES, measure="rand_alpha",
        guesses={"good": evidential(CLASSES, 0.02), "poor": evidential(POOR_CLASSES, 0.02)},
        units="", ranges="apart", best="good",
    ),
    "one range": Case(
        truth=CLASSES, measure="rand_alpha", guesses={"run": evidential(CLASSES, 0.2)}, units=""
    ),
    "one range, of folds": Case(
        truth=CLASSES, measure="rand_alpha", guesses={"run": evidential(ROUGH_CLASSES, 0.2)},
        more=(("samples", FOLDS),), units="samples", pooled=True,
    ),
}  # fmt: skip


@cache
def report(name: str) -> cd.Report:
    """The comparison with intervals."""
    case = CASES[name]
    guesses = case.guesses if len(case.guesses) > 1 else next(iter(case.guesses.values()))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return cd.compare(case.truth, guesses, [case.measure], confidence=0.95, **dict(case.more))


@cache
def said(name: str) -> tuple[str, ...]:
    """Every note and the verdict, for each case."""
    found = report(name)
    return (*found.notes(), verdict(found, CASES[name].measure))


if __name__ == "__main__":
    for name in CASES:
        print(f"\n== {name}\n{report(name).table()}")
        print("\n".join(said(name)))
