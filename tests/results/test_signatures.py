"""Signatures: an option that changes a number changes the signature that stands beside it."""

import inspect
from typing import Any

import numpy as np
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
GAPS = {i: g for i, g in enumerate(GUESS) if i % 11}
DOCUMENTS = [f"d{s:02}" for s in SAMPLES]
GENRE = {name: "ab"[i % 2] for i, name in enumerate(dict.fromkeys(DOCUMENTS))}
SAME: dict[str, Any] = {
    "engine": "every engine gives the same numbers",
    "kind": "a kind is in the signature, and the numbers of one kind are those of its lift",
}
"""Options that change no number, with the reason."""

POLICY: dict[str, Any] = {
    "align": ({"align": "shared", "guess": SHORT, "truth": FULL},
              {"align": "singletons", "guess": SHORT, "truth": FULL}),
    "noise": ({"guess": NOISY}, {"guess": NOISY, "noise": -1}),
    "noise_as": ({"guess": NOISY, "noise": -1}, {"guess": NOISY, "noise": -1, "noise_as": "drop"}),
}  # fmt: skip
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

BASE: dict[str, Any] = {
    "compare": {"truth": TRUTH, "guess": GUESS, "measures": ["elm_f", "nmi", "adjusted_rand"]},
    "explain": {"truth": TRUTH, "guess": GUESS},
    "diff": {"truth": TRUTH, "old": OTHER, "new": GUESS},
    "chance": {"truth": TRUTH, "guess": GUESS, **CHANCE},
    "estimate": {"sample": FIRST, "guess": dict(enumerate(GUESS)), "design": "clusters"},
}
"""Verbs whose numbers have signatures."""

CASES: dict[str, Any] = {
    "compare": {
        "truth": ({}, {"truth": OTHER}), "guess": ({}, {"guess": OTHER}),
        "measures": ({"measures": "bcubed_f"}, {"measures": "bcubed_f(f='means')"}),
        "features": ({"measures": "split_merge(similarity='mse')", "features": np.c_[SAMPLES]},
                     {"measures": "split_merge(similarity='mse')",
                      "features": np.c_[SAMPLES, np.arange(SAMPLES.size)]}),
        "compat": ({"measures": "nmi", "compat": "sklearn"}, {"measures": "nmi"}),
        **POLICY, **SURE, **DRAWN, **SAME,
    },
    "explain": {
        "truth": ({}, {"truth": OTHER}), "guess": ({}, {"guess": OTHER}),
        "by": ({"by": "bcubed_f"}, {"by": "bcubed_f(f='means')"}),
        "compat": ({"by": "bcubed_f", "compat": "coval"}, {"by": "bcubed_f"}),
        **POLICY, **SURE, **SAME,
        "samples": (IN_SAMPLES, {**IN_SAMPLES, "samples": SAMPLES % 12}),
    },
    "diff": {
        "truth": ({}, {"truth": GUESS}), "old": ({}, {"old": TRUTH}), "new": ({}, {"new": TRUTH}),
        "by": "the loss that is explained is that of a score with a signature",
        "measures": ({"by": "bcubed_f", "measures": "bcubed_f"},
                     {"by": "bcubed_f(f='means')", "measures": "bcubed_f(f='means')"}),
        "compat": ({"by": "bcubed_f", "measures": "bcubed_f", "compat": "coval"},
                   {"by": "bcubed_f", "measures": "bcubed_f"}),
        **{name: tuple({("new" if k == "guess" else k): v for k, v in side.items()}
                       | ({"old": SHORT} if name == "align" else {}) for side in sides)
           for name, sides in POLICY.items()},
        **SURE, **DRAWN, **SAME,
    },
    "chance": {
        "truth": ({}, {"truth": OTHER}), "guess": ({}, {"guess": OTHER}),
        "measure": ({"measure": "bcubed_f"}, {"measure": "bcubed_f(f='means')"}),
        "null": ({}, {"null": "uniform"}), "draws": ({}, {"draws": 199}),
        "seed": ({}, {"seed": 1}),
        "samples": "samples are refused",
        **POLICY, "engine": SAME["engine"],
    },
    "estimate": {
        "sample": ({}, {"sample": {i: t for i, t in FIRST.items() if SAMPLES[i] < 11}}),
        "guess": ({}, {"guess": dict(enumerate(OTHER))}),
        "measures": ({"measures": "bcubed_f"}, {"measures": "bcubed_f(f='means')"}),
        "design": ({}, {"design": WEIGHTS}),
        "hits": ({"design": "records", "hits": HITS},
                 {"design": "records", "hits": dict.fromkeys(HITS, 1)}),
        "population": ({"measures": ["rand", "pair_f", "elm_f"]},
                       {"population": 5000, "measures": ["rand", "pair_f", "elm_f"]}),
        "out_of": ({}, {"out_of": 60}),
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
}  # fmt: skip
"""Of each verb every option: two calls that differ in it alone and whose numbers differ, or why it
changes no number.
"""


def refused(value: Any) -> Any:
    """Whether there is no interval, but the reason why."""
    return isinstance(value, dict) and "refused" in value


def signed(found: Any, path: tuple[Any, ...] = ()) -> Any:
    """All numbers that stand beside a signature, by where they stand."""
    if isinstance(found, dict):
        if isinstance(found.get("signature"), dict):
            numbers = {k: v for k, v in found.items() if k != "signature" and not refused(v)}
            yield path, (numbers, str(found["signature"]))
        for key, inner in found.items():
            yield from signed(inner, (*path, key))


def numbers_of(verb: Any, given: Any) -> Any:
    """What a verb gives; where its measures are written differently, under one name."""
    found = getattr(cd, verb)(**{**BASE[verb], **given}).to_dict()
    every = dict(signed(found))
    return dict(enumerate(every.values())) if len(every) < 3 else every


@pytest.mark.parametrize("verb", CASES)
def test_every_option_has_a_case(verb: Any) -> None:
    assert set(CASES[verb]) == set(inspect.signature(getattr(cd, verb)).parameters)


@pytest.mark.parametrize(
    ("verb", "option"),
    [(verb, name) for verb, cases in CASES.items() for name, case in cases.items()
     if not isinstance(case, str)],
)  # fmt: skip
def test_an_option_that_changes_a_number_changes_its_signature(verb: Any, option: Any) -> None:
    before, after = (numbers_of(verb, side) for side in CASES[verb][option])
    both = [(before[key], after[key]) for key in before.keys() & after.keys()]
    changed = [(one, other) for one, other in both if one[0] != other[0]]
    assert changed, "the case does not show that the option matters"
    for one, other in changed:
        assert one[1] != other[1]


def test_verbs_without_signatures_have_none() -> None:
    runs, pairs = {"a": TRUTH, "b": GUESS, "c": OTHER}, [(0, 1, 0.5), (1, 2, 0.25)]
    made = (cd.matrix(runs), cd.consensus(runs), cd.track(runs), cd.relabel(OTHER, GUESS),
            cd.sweep(dict(list(FULL.items())[:3]), pairs))  # fmt: skip
    assert not [dict(signed(one.to_dict())) for one in made if dict(signed(one.to_dict()))]


def test_draws_by_samples_depend_on_their_order_and_the_signature_says_so() -> None:
    def found(names: Any, **options: Any) -> Any:
        given = {**BASE["compare"], "samples": names, "confidence": 0.95, **options}
        score = cd.compare(**given)["elm_f"].to_dict()
        return score["sure"], str(score["signature"])

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
