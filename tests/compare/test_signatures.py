"""Signatures: an option that changes a number changes the signature that stands beside it."""

import inspect
from typing import Any

import numpy as np
import polars as pl
import pytest

import clusterdiff as cd

DRAW = np.random.default_rng(5)
SAMPLES = np.repeat(np.arange(14), 9)
TRUTH = [f"{s}-{c}" for s, c in zip(SAMPLES, DRAW.integers(0, 4, SAMPLES.size), strict=True)]
GUESS = [t if DRAW.random() < 0.7 else f"{t}'" for t in TRUTH]
OTHER = [t if DRAW.random() < 0.5 else f"{t}'" for t in TRUTH]
NOISY = [-1 if i % 5 == 0 else int(g.split("-")[0]) for i, g in enumerate(GUESS)]
SHORT = dict(list(enumerate(GUESS))[:-3])
FULL = dict(enumerate(TRUTH))
GAPS: dict[int, Any] = {i: g for i, g in enumerate(GUESS) if i % 11}
DOCUMENTS = [f"d{s:02}" for s in SAMPLES]
GENRE = {name: "ab"[i % 2] for i, name in enumerate(dict.fromkeys(DOCUMENTS))}
PIXELS: dict[str, Any] = {
    "truth": np.tile([[0, 1, 1, 2, 2, 0], [3, 3, 1, 2, 0, 0]], (4, 1)),
    "guess": np.tile([[0, 1, 1, 1, 0, 0], [4, 3, 1, 2, 2, 0]], (4, 1)),
}
IMAGES: dict[str, Any] = {
    "ignore": (PIXELS, {**PIXELS, "ignore": 0}),
    "ignore_in": ({**PIXELS, "ignore": 0}, {**PIXELS, "ignore": 0, "ignore_in": "both"}),
}
SAME: dict[str, Any] = {
    "engine": "every engine gives the same numbers",
    "kind": "a kind is in the signature, and the numbers of one kind are those of its lift",
}
"""Options that change no number, with the reason."""
SHOWN: dict[str, Any] = dict.fromkeys(("records", "show"), "records are shown, not counted")
PAIRS: dict[str, Any] = dict.fromkeys(("pairs", "threshold"), "links are shown, not counted")

POLICY: dict[str, Any] = {
    "align": ({"align": "shared", "guess": SHORT, "truth": FULL},
              {"align": "singletons", "guess": SHORT, "truth": FULL}),
    "noise": ({"guess": NOISY}, {"guess": NOISY, "noise": -1}),
    "noise_as": ({"guess": NOISY, "noise": -1}, {"guess": NOISY, "noise": -1, "noise_as": "drop"}),
}  # fmt: skip
COUNT: dict[str, Any] = {
    "count": ({"count": [2] * len(TRUTH)}, {"count": [1 + i % 3 for i in range(len(TRUTH))]}),
}
WEIGHTED: dict[str, Any] = {
    "weights": ({"measures": "elm_f"}, {"measures": "elm_f", "weights": list(range(len(TRUTH)))}),
    "balanced": ({"measures": "elm_f"}, {"measures": "elm_f", "balanced": True}),
}
IN_SAMPLES = {"samples": DOCUMENTS, "confidence": 0.95}
BOOTSTRAP = {**IN_SAMPLES, "method": "bootstrap"}
SURE: dict[str, Any] = {
    "samples": ({}, {"samples": DOCUMENTS}),
    "confidence": ({"confidence": 0.95}, {"confidence": 0.9}),
    "units": (IN_SAMPLES, {**IN_SAMPLES, "units": "components"}),
}
DRAWN: dict[str, Any] = {
    "strata": (IN_SAMPLES, {**IN_SAMPLES, "strata": GENRE}),
    "method": (IN_SAMPLES, BOOTSTRAP),
    "seed": (BOOTSTRAP, {**BOOTSTRAP, "seed": 1}),
}
WEIGHTS = {t: 1 + len(t) % 3 for t in TRUTH}
HITS = {t: 1 + (i % 3 == 0) for i, t in enumerate(TRUTH) if SAMPLES[i] < 12}
FIRST = {i: t for i, t in FULL.items() if SAMPLES[i] < 12}
CHANCE = {"measure": "elm_f", "draws": 99}
LINKED = [(int(i), int(j)) for i, j in DRAW.integers(0, len(TRUTH), (900, 2)) if i != j]
LINKS = [(i, j, round(float(DRAW.random()), 3) + 0.7 * (TRUTH[i] == TRUTH[j])) for i, j in LINKED]
SCORED = pl.DataFrame(
    {
        "left": [i for i, *_ in LINKS],
        "right": [j for _, j, _ in LINKS],
        "one": [s for *_, s in LINKS],
        "two": [s**2 + 0.1 * (i % 3) for i, _, s in LINKS],
    }
)
COLUMNS = "columns of pairs decide which ids are linked, and the digest is that of the links"
PARTIAL = {"a": FULL, "b": SHORT, "c": GAPS}
NOISE: dict[str, Any] = {
    "noise": ({}, {"noise": -1}),
    "noise_as": ({"noise": -1}, {"noise": -1, "noise_as": "drop"}),
}

BETWEEN = {"between": ({"measures": "pair_f"}, {"measures": "pair_f", "between": SAMPLES % 2})}
BASE: dict[str, Any] = {
    "compare": {"truth": TRUTH, "guess": GUESS, "measures": ["elm_f", "nmi", "adjusted_rand"]},
    "explain": {"truth": TRUTH, "guess": GUESS},
    "diff": {"truth": TRUTH, "old": OTHER, "new": GUESS},
    "chance": {"truth": TRUTH, "guess": GUESS, **CHANCE},
    "estimate": {"sample": FIRST, "guess": dict(enumerate(GUESS)), "design": "clusters"},
    "differences": {"truth": TRUTH, "guess": GUESS, "confidence": 0.95},
    "estimated differences": {
        "sample": FIRST,
        "guess": dict(enumerate(GUESS)),
        "design": "clusters",
    },
    "matrix": {"runs": {"a": TRUTH, "b": GUESS, "c": OTHER}, "measure": "bcubed_f"},
    "consensus": {"runs": {"a": TRUTH, "b": GUESS, "c": OTHER}},
    "sweep": {"truth": FULL, "pairs": LINKS, "measures": ["elm_f", "accuracy"]},
}
"""Verbs whose numbers have signatures."""

CASES: dict[str, Any] = {
    "compare": {
        "truth": ({}, {"truth": OTHER}), "guess": ({}, {"guess": OTHER}),
        "measures": ({"measures": "bcubed_f"}, {"measures": "bcubed_f(f='objects')"}),
        "features": ({"measures": "split_merge(similarity='mse')", "features": np.c_[SAMPLES]},
                     {"measures": "split_merge(similarity='mse')",
                      "features": np.c_[SAMPLES, np.arange(SAMPLES.size)]}),
        "compat": ({"measures": "bcubed_f", "compat": "elki"}, {"measures": "bcubed_f"}),
        "levels": ({"truth": None, "levels": {"a": TRUTH, "b": TRUTH}},
                   {"truth": None, "levels": {"a": TRUTH, "b": OTHER}}),
        **BETWEEN, **COUNT, **WEIGHTED, **POLICY, **IMAGES, **SURE, **DRAWN, **SAME,
    },
    "explain": {
        "truth": ({}, {"truth": OTHER}), "guess": ({}, {"guess": OTHER}),
        "by": ({"by": "bcubed_f"}, {"by": "bcubed_f(f='objects')"}),
        "between": ({"by": "pair_f"}, {"by": "pair_f", "between": SAMPLES % 2}),
        "compat": ({"by": "bcubed_f", "compat": "elki"}, {"by": "bcubed_f"}),
        **POLICY, **IMAGES, **SURE, **SAME, **SHOWN, **PAIRS,
        "samples": (IN_SAMPLES, {**IN_SAMPLES, "samples": SAMPLES % 12}),
    },
    "diff": {
        "truth": ({}, {"truth": GUESS}), "old": ({}, {"old": TRUTH}), "new": ({}, {"new": TRUTH}),
        "by": "the loss that is explained is that of a score with a signature",
        "measures": ({"by": "bcubed_f", "measures": "bcubed_f"},
                     {"by": "bcubed_f(f='objects')", "measures": "bcubed_f(f='objects')"}),
        "compat": ({"by": "bcubed_f", "measures": "bcubed_f", "compat": "elki"},
                   {"by": "bcubed_f", "measures": "bcubed_f"}),
        **{name: tuple({("new" if k == "guess" else k): v for k, v in side.items()}
                       | ({"old": SHORT} if name == "align" else {}) for side in sides)
           for name, sides in POLICY.items()},
        "between": ({"by": "pair_f"}, {"by": "pair_f", "between": SAMPLES % 2}),
        **SURE, **DRAWN, **SAME, **SHOWN,
    },
    "chance": {
        "truth": ({}, {"truth": OTHER}), "guess": ({}, {"guess": OTHER}),
        "measure": ({"measure": "bcubed_f"}, {"measure": "bcubed_f(f='objects')"}),
        "null": ({}, {"null": "uniform"}), "draws": ({}, {"draws": 199}),
        "seed": ({}, {"seed": 1}),
        "samples": "samples are refused",
        **POLICY, "engine": SAME["engine"],
    },
    "estimate": {
        "sample": ({}, {"sample": {i: t for i, t in FIRST.items() if SAMPLES[i] < 11}}),
        "guess": ({}, {"guess": dict(enumerate(OTHER))}),
        "measures": ({"measures": "bcubed_f"}, {"measures": "bcubed_f(f='objects')"}),
        "design": ({}, {"design": WEIGHTS}),
        "hits": ({"design": "records", "hits": HITS},
                 {"design": "records", "hits": dict.fromkeys(HITS, 1)}),
        "population": ({"measures": ["rand", "pair_f", "elm_f"]},
                       {"population": 5000, "measures": ["rand", "pair_f", "elm_f"]}),
        "out_of": ({}, {"out_of": 60}),
        "between": ({"measures": "pair_f"},
                    {"measures": "pair_f", "between": {i: i % 3 for i in range(SAMPLES.size)}}),
        "align": ({"align": "shared", "guess": GAPS}, {"align": "singletons", "guess": GAPS}),
        "noise": ({"guess": dict(enumerate(NOISY))},
                  {"guess": dict(enumerate(NOISY)), "noise": -1}),
        "noise_as": ({"guess": dict(enumerate(NOISY)), "noise": -1},
                     {"guess": dict(enumerate(NOISY)), "noise": -1, "noise_as": "drop"}),
        "confidence": ({}, {"confidence": 0.9}),
        "method": ({}, {"method": "bootstrap"}),
        "seed": ({"method": "bootstrap"}, {"method": "bootstrap", "seed": 1}),
        "engine": SAME["engine"],
    },
    "matrix": {
        "runs": ({}, {"runs": {"a": TRUTH, "b": OTHER, "c": OTHER}}),
        "measure": ({}, {"measure": "bcubed_f(f='objects')"}),
        "guesses": ({"guesses": {"d": GUESS}}, {"guesses": {"d": OTHER}}),
        "between": ({"measure": "pair_f"}, {"measure": "pair_f", "between": SAMPLES % 2}),
        "align": ({"align": "shared", "runs": PARTIAL}, {"align": "singletons", "runs": PARTIAL}),
        **{name: tuple({"runs": {"a": TRUTH, "b": NOISY}} | side for side in sides)
           for name, sides in NOISE.items()},
        "engine": SAME["engine"],
    },
    "consensus": {
        "runs": ({}, {"runs": {"a": TRUTH, "b": OTHER, "c": OTHER}}),
        "by": ({}, {"by": "vi_distance"}),
        "weights": ({}, {"weights": {"a": 3, "b": 1, "c": 1}}),
        "seed": "only runs too large for a test are drawn from; the seed is in the signature",
        "align": ({"align": "abstain", "runs": PARTIAL}, {"align": "singletons", "runs": PARTIAL}),
        **{name: tuple({"runs": {"a": TRUTH, "b": NOISY}} | side for side in sides)
           for name, sides in NOISE.items()},
        "engine": SAME["engine"],
    },
    "sweep": {
        "truth": ({}, {"truth": dict(enumerate(OTHER))}),
        "pairs": ({}, {"pairs": LINKS[:450]}),
        "measures": ({"measures": "bcubed_f"}, {"measures": "bcubed_f(f='objects')"}),
        "distance": ({}, {"distance": True}),
        "slack": ({}, {"slack": 0.1}),
        "between": ({"measures": "pair_f"},
                    {"measures": "pair_f", "between": {i: i % 2 for i in FULL}}),
        "align": ({"align": "shared", "truth": FIRST}, {"align": "singletons", "truth": FIRST}),
        "folds": ({"folds": 3}, {"folds": 4}),
        "lines": ({}, {"lines": 7}),
        "left": COLUMNS, "right": COLUMNS,
        "score": ({"pairs": SCORED, "score": "one"}, {"pairs": SCORED, "score": "two"}),
        **{name: tuple({"truth": dict(enumerate(NOISY))} | side for side in sides)
           for name, sides in NOISE.items()},
        "confidence": ({"confidence": 0.95}, {"confidence": 0.9}),
        "seed": ({"folds": 3}, {"folds": 3, "seed": 1}),
        "engine": SAME["engine"],
    },
}  # fmt: skip
for _verb in ("explain", "diff", "chance", "matrix", "consensus"):
    CASES[_verb] |= COUNT
for _verb in ("estimate", "sweep"):
    CASES[_verb]["count"] = tuple(
        {"count": dict(enumerate(one["count"]))} for one in COUNT["count"]
    )
SPEECH = dict.fromkeys(
    ("collar", "skip_overlap", "uem"), "they are for files of speech, see test_speech"
)
for _verb in ("compare", "explain", "diff"):
    CASES[_verb] |= SPEECH
CASES["differences"] = {
    **{name: CASES["compare"][name] for name in ("truth", "guess", "measures", "compat", "strata",
                                                 "between", "count", "confidence", "samples",
                                                 "align")},
    "units": ({"confidence": 0.95}, {"confidence": 0.95, "units": "objects"}),
    **{name: tuple({"guess": NOISY, "samples": DOCUMENTS} | side for side in sides)
       for name, sides in NOISE.items()},
    **dict.fromkeys(("method", "seed"), "differences are found by the jackknife"),
    "features": "differences of scores that need features are refused", **SAME,
    "levels": "each level has differences of its own, with the signatures of a report",
    **dict.fromkeys(("ignore", "ignore_in"), "differences of images are those of samples"),
    **dict.fromkeys(WEIGHTED, "they are refused together with intervals"), **SPEECH,
}  # fmt: skip
CASES["estimated differences"] = {
    **{name: case for name, case in CASES["estimate"].items() if name not in ("method", "seed")},
    **dict.fromkeys(("method", "seed"), "differences are found by the jackknife"),
}
"""Of each verb every option: two calls that differ in it alone and whose numbers differ, or why it
changes no number.
"""


DIFFERENCES = {"differences": "compare", "estimated differences": "estimate"}
"""The verbs whose differences of two guesses have signatures of their own."""


def refused(value: Any) -> Any:
    """Whether there is no interval, but the reason why."""
    return isinstance(value, dict) and "refused" in value


def signed(found: Any, path: tuple[Any, ...] = ()) -> Any:
    """All numbers that stand beside a signature, by where they stand."""
    if isinstance(found, dict):
        if isinstance(found.get("signature"), dict | str):
            numbers = {k: v for k, v in found.items() if k != "signature" and not refused(v)}
            yield path, (numbers, str(found["signature"]))
        for key, inner in found.items():
            yield from signed(inner, (*path, key))


def changed(guess: Any) -> Any:
    """The same with some objects moved into one cluster."""
    if isinstance(guess, dict):
        return dict(zip(guess, changed(list(guess.values())), strict=True))
    moved = 99 if isinstance(guess[0], int) else "moved"
    return [label if i % 7 or label == -1 else moved for i, label in enumerate(guess)]


def numbers_of(verb: Any, given: Any) -> Any:
    """What a verb gives; where its measures are written differently, under one name."""
    given = {**BASE[verb], **given}
    if verb in DIFFERENCES:
        given["guess"] = {"old": changed(given["guess"]), "new": given["guess"]}
    found = getattr(cd, DIFFERENCES.get(verb, verb))(**given).to_dict()
    found = found["differences"] if verb in DIFFERENCES else found
    every = dict(signed(found))
    return dict(enumerate(every.values())) if len(every) < 3 else every


@pytest.mark.parametrize("verb", CASES)
def test_every_option_has_a_case(verb: Any) -> None:
    function = getattr(cd, DIFFERENCES.get(verb, verb))
    assert set(CASES[verb]) == set(inspect.signature(function).parameters)


@pytest.mark.parametrize(
    ("verb", "option"),
    [(verb, name) for verb, cases in CASES.items() for name, case in cases.items()
     if not isinstance(case, str)],
)  # fmt: skip
@pytest.mark.filterwarnings("ignore:pairs of one true cluster")
def test_an_option_that_changes_a_number_changes_its_signature(verb: Any, option: Any) -> None:
    before, after = (numbers_of(verb, side) for side in CASES[verb][option])
    both = [(before[key], after[key]) for key in before.keys() & after.keys()]
    changed = [(one, other) for one, other in both if one[0] != other[0]]
    assert changed, "the case does not show that the option matters"
    for one, other in changed:
        assert one[1] != other[1]


def test_verbs_without_signatures_have_none() -> None:
    runs = {"a": TRUTH, "b": GUESS, "c": OTHER}
    made = (cd.track(runs), cd.relabel(OTHER, GUESS))
    assert not [dict(signed(one.to_dict())) for one in made if dict(signed(one.to_dict()))]


def test_draws_by_samples_depend_on_their_order_and_the_signature_says_so() -> None:
    def found(names: Any, **options: Any) -> Any:
        given = {**BASE["compare"], "samples": names, "confidence": 0.95, **options}
        score = cd.compare(**given)["elm_f"].to_dict()
        return score["ci"], str(score["signature"])

    renamed = [f"d{(5 * s) % 14:02}" for s in SAMPLES]
    assert found(DOCUMENTS) == found(renamed)
    one, other = (found(names, method="bootstrap") for names in (DOCUMENTS, renamed))
    assert one[0] != other[0]
    assert one[1] != other[1]
    strata = {name: str(i % 2) for i, name in enumerate(dict.fromkeys(renamed))}
    assert found(DOCUMENTS, strata=GENRE) == found(renamed, strata=strata)


def test_digests_have_64_bits() -> None:
    report = cd.compare(TRUTH, GUESS, "elm_f", samples=DOCUMENTS, confidence=0.95, strata=GENRE)
    signature = report["elm_f"].signature
    digests = signature["meet"], signature["split"], signature["strata"].split()[1]
    assert [len(one) for one in digests] == [16, 16, 16]


@pytest.mark.parametrize(
    "given",
    [
        {"measures": "nmi"},
        {"measures": "adjusted(rand, samples=50)"},
        {"measures": "nmi", "compat": "sklearn"},
        {"measures": "elm_f", "samples": DOCUMENTS, "confidence": 0.95},
        {"measures": "omega", "kind": "cover"},
    ],
)
def test_the_signature_of_a_score_names_its_measure(given: Any) -> None:
    [score] = (cd.compare(TRUTH, GUESS, **given)[m] for m in [given["measures"]])
    found = cd.measure(score.sign())
    assert (found, found.compat) == (score.measure, score.measure.compat)
    assert cd.compare(TRUTH, GUESS, **given | {"measures": score.sign()}).measures


def test_differences_of_means_and_of_pooled_scores_have_signatures_of_their_own() -> None:
    guesses = {"old": OTHER, "new": GUESS}
    report = cd.compare(TRUTH, guesses, "elm_f", samples=DOCUMENTS, confidence=0.95)
    macro, micro = (report.difference("elm_f", "new", "old", micro=m) for m in (False, True))
    assert macro.value != micro.value
    assert micro.signature == f"{macro.signature}|micro:yes".replace(
        "|ci:jackknife 95|test:jackknife t|micro:yes",
        "|micro:yes|ci:jackknife 95|test:jackknife t",
    )


def test_a_difference_that_needs_features_is_refused() -> None:
    features = np.c_[SAMPLES, np.arange(SAMPLES.size)]
    report = cd.compare(
        TRUTH, {"old": OTHER, "new": GUESS}, "split_merge(similarity='mse')", features=features,
        confidence=0.95,
    )  # fmt: skip
    [found] = report.to_dict()["differences"].values()
    assert "needs the features of the objects" in found["new - old"]["refused"]
    assert "not tested" in report.to_text()
