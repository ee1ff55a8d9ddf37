"""Every measure equals its oracle, the published definition written object by object."""

from __future__ import annotations

import math
import random
from functools import cache, partial
from typing import Any, cast

import pytest

import clusterdiff as cd
from cases import Labels, hard_meet, pairs_up_to_renaming
from clusterdiff.contingency import Meet
from oracles import ORACLES, ceaf_e_f_values, ceaf_m_f_values
from oracles import adjusted as adjusted_oracle
from oracles import soft as soft_oracles
from oracles.overlapping import OVERLAPPING

VARIANTS: list[tuple[str, dict[str, Any]]] = [
    *((name, {}) for name in ORACLES),
    *(
        (f"{family}_f", {"f": form, "alpha": alpha})
        for family in ("pair", "purity", "exact", "bcubed", "elm", "muc", "blanc", "lea")
        for form in ("objects", "means")
        for alpha in (0.5, 0.25, 0, 1)
    ),
    *((f"ceaf_{kind}_f", {"alpha": 0.25}) for kind in "me"),
    *(("nmi", {"norm": norm}) for norm in ("max", "min", "geometric", "joint")),
    *(("adjusted_mutual_information", {"norm": n}) for n in ("max", "min", "geometric")),
    ("v_measure", {"alpha": 0.25}),
    *(
        (f"bcubed_{part}", {"average": average, "itself": itself})
        for part in ("precision", "recall", "f")
        for average, itself in (
            ("truth", "included"),
            ("objects", "excluded"),
            ("truth", "excluded"),
        )
    ),
    ("bcubed_f", {"f": "objects", "average": "truth", "alpha": 0.25}),
    ("bcubed_f", {"f": "objects", "itself": "excluded"}),
    ("fowlkes_mallows", {"empty": 0}),
    ("mirkin_distance", {"scale": "n2"}),
    ("partition_distance", {"over": "n"}),
    ("vi_similarity_k", {"k": 3}),
    ("split_merge", {"combine": "mean"}),
    *((name, {"empty": 0}) for name in ("muc_recall", "muc_f", "blanc_f", "conll")),
    *(
        (f"match_{part}", {"iou": iou})
        for part in ("precision", "recall", "f")
        for iou in (0, 0.25, 0.4, 0.75, 1)
    ),
    *((f"{family}_f", {"alpha": 0.25}) for family in ("match", "pure_whole", "boundary")),
]


def largest(variant: tuple[str, dict[str, Any]]) -> int:
    """All forms of all measures are tried on 6 objects, other weights and variants on 5."""
    name, params = variant
    only_form = not params or set(params) == {"f", "alpha"}
    if name == "reduced_mutual_information":
        return 4
    slow = name == "adjusted_mutual_information"
    return 6 if only_form and params.get("alpha", 0.5) == 0.5 and not slow else 5


meet = cache(hard_meet)


def label(variant: tuple[str, dict[str, Any]]) -> str:
    name, params = variant
    return f"{name}({', '.join(f'{k}={v}' for k, v in params.items())})"


def dicts(pair: tuple[Labels, Labels]) -> tuple[dict[Any, Any], dict[Any, Any]]:
    return dict(enumerate(pair[0])), dict(enumerate(pair[1]))


def test_every_measure_has_an_oracle() -> None:
    names = {m.name for m in cd.measures()}
    soft = {m.name for m in cd.measures() if m.needs == {"soft"}}
    assert names - set(ORACLES) - set(OVERLAPPING) - soft == {"adjusted"}
    other = {
        "rand_brouwer": "rand_hullermeier",
        "soft_mutual_information": "mutual_information_range",
    }
    assert all(callable(getattr(soft_oracles, other.get(name, name))) for name in soft)
    assert set(ORACLES) | set(OVERLAPPING) <= names


@pytest.mark.parametrize("variant", VARIANTS, ids=label)
def test_equals_the_oracle_on_all_pairs_of_partitions(variant: tuple[str, dict[str, Any]]) -> None:
    """Up to 6 objects, whatever they are called."""
    name, params = variant
    ours = cd.measure(name).with_params(**params)
    for n in range(1, largest(variant) + 1):
        for pair in pairs_up_to_renaming(n):
            wanted = float(ORACLES[name](*dicts(pair), **params))
            assert abs(ours.of(meet(*pair)) - wanted) < 1e-12, pair


@pytest.mark.parametrize("norm", ["truth", "mean"])
def test_reduced_mutual_information_is_divided_by_what_sides_tell_of_themselves(norm: str) -> None:
    """Which can be as little as 1e-5 nats."""
    ours = cd.measure("reduced_mutual_information").with_params(norm=norm)
    for n in range(1, 5):
        for pair in pairs_up_to_renaming(n):
            wanted = ORACLES["reduced_mutual_information"](*dicts(pair), norm=norm)
            assert ours.of(meet(*pair)) == pytest.approx(float(wanted), abs=1e-9), pair


@pytest.mark.parametrize("kind", ["m", "e"])
def test_ceaf_of_objects_is_that_of_a_best_matching(kind: str) -> None:
    oracle = {"m": ceaf_m_f_values, "e": ceaf_e_f_values}[kind]
    ours = cd.measure(f"ceaf_{kind}_f(f='objects')")
    for n in range(1, 6):
        for pair in pairs_up_to_renaming(n):
            truth, guess = dicts(pair)
            values = oracle(truth, guess)
            assert min(abs(ours(truth, guess) - float(v)) for v in values) < 1e-12, pair


PENALISED = [v for v in VARIANTS if cd.measure(v[0]).claims.penalise]
Side = dict[Any, Any]


@cache
def partly_missing(seed: int) -> list[tuple[Side, Side, Meet]]:
    """Random partitions of 1 to 7 objects, some on one side only, and their meets."""
    rng = random.Random(seed)
    found = []
    for _ in range(150):
        universe = "abcdefg"[: rng.randint(1, 7)]
        truth = {x: rng.randint(0, 3) for x in universe if rng.random() < 0.8}
        guess = {x: rng.randint(0, 3) for x in universe if rng.random() < 0.8}
        if truth and guess:
            found.append((truth, guess, cd.meet(truth, guess, align="penalise")))
    return found


@pytest.mark.parametrize("variant", PENALISED, ids=label)
def test_equals_the_oracle_where_objects_are_missing(variant: tuple[str, dict[str, Any]]) -> None:
    """The form for align="penalise"."""
    name, params = variant
    ours = cd.measure(name).with_params(**params)
    given = dict(params)
    if "empty" in ours.arguments and ours.arguments["empty"] is None:
        given["empty"] = 0
    for truth, guess, m in partly_missing(len(name)):
        wanted = float(ORACLES[name](truth, guess, **given))
        assert ours.of(m) == pytest.approx(wanted, abs=1e-12), (truth, guess)


@pytest.mark.parametrize("name", ["elm_f", "bcubed_f", "bcubed_precision", "element_similarity"])
def test_adjusted_is_exact_for_means_over_objects(name: str) -> None:
    given: dict[str, Any] = {"f": "objects"} if name == "bcubed_f" else {}
    ours = cd.adjusted(cd.measure(name).with_params(**given))
    oracle = cast(Any, partial(ORACLES[name], **given))
    for pair in pairs_up_to_renaming(5):
        truth, guess = dicts(pair)
        wanted = float(adjusted_oracle(oracle, truth, guess))
        assert ours(truth, guess) == pytest.approx(wanted, abs=1e-12), pair


def test_split_merge_with_features_equals_the_oracle() -> None:
    rng = random.Random(1)
    for pair in pairs_up_to_renaming(5):
        truth, guess = dicts(pair)
        features = {x: [rng.randint(-3, 3), rng.randint(-3, 3)] for x in truth}
        for combine in ("product", "mean"):
            wanted = ORACLES["split_merge"](
                truth, guess, similarity="mse", features=features, combine=combine
            )
            ours = cd.split_merge(
                truth, guess, similarity="mse", features=list(features.values()), combine=combine
            )
            assert ours == pytest.approx(float(wanted), abs=1e-12), (pair, features)


def test_split_merge_with_a_function_equals_the_oracle() -> None:
    def largest(parts: Any) -> float:
        return float(max(parts) / sum(parts))

    for pair in pairs_up_to_renaming(5):
        truth, guess = dicts(pair)
        wanted = ORACLES["split_merge"](truth, guess, similarity=largest, combine="mean")
        ours = cd.split_merge(truth, guess, similarity=largest, combine="mean")
        assert ours == pytest.approx(float(wanted), abs=1e-12)
        assert ours == pytest.approx(cd.van_dongen(truth, guess), abs=1e-12)


@pytest.mark.parametrize("name", [m.name for m in cd.measures() if m.name != "adjusted"])
def test_objects_have_the_score_as_their_mean(name: str) -> None:
    """Where a measure is a mean over objects, cd.objects gives the objects' own values."""
    truth, guess = dict(enumerate("aaabbcdd")), dict(enumerate("xxyyyzzw"))
    if cd.measure(name).rows_of(cd.meet(truth, guess)) is None:
        with pytest.raises(cd.ClusterdiffError, match="not a mean over objects"):
            cd.objects(name, truth, guess)
        return
    each = cd.objects(name, truth, guess)
    assert each.ids == list(truth)
    assert math.fsum(each.scores) / 8 == pytest.approx(cd.measure(name)(truth, guess), abs=1e-12)
