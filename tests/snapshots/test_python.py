"""What Python users rely on: names, parameters, scores with their signatures, and pickles."""

from __future__ import annotations

import inspect
import json
import os
import pickle
import re
from pathlib import Path
from typing import Any

import pytest

import clusterdiff as cd

RECORDED = Path(__file__).parent / "recorded" / "python.json"
RECORDING = os.environ.get("CLUSTERDIFF_SNAPSHOTS") == "record"
HARD = (list("aaabbbccd"), list("xxyyyyzzz"))
COVERS = tuple(
    cd.Cover.from_clusters(c) for c in ([{1, 2, 3}, {3, 4}, {5}], [{1, 2}, {2, 3, 4}, {5}])
)
SOFT = (
    cd.Fuzzy([[1, 0], [0.5, 0.5], [0.25, 0.75], [0, 1]]),
    cd.Fuzzy([[0.75, 0.25], [0.5, 0.5], [0, 1], [0, 1]]),
)
SIDES: dict[str, Any] = {"hard": HARD, "cover": COVERS, "soft": SOFT}


def names() -> dict[str, str]:
    """Public names, and the parameters of functions with their defaults."""
    return {
        name: parameters(value) if inspect.isfunction(value) else ""
        for name in dir(cd)
        for value in [getattr(cd, name)]
    }


def parameters(function: Any) -> str:
    listed = inspect.signature(function).parameters.values()
    bare = [one.replace(annotation=inspect.Parameter.empty) for one in listed]
    return str(inspect.Signature(bare))


def scores() -> dict[str, str]:
    """Each measure on each kind of clusterings that it takes: value and signature."""
    found = {}
    for kind, sides in SIDES.items():
        m = cd.meet(sides[0], sides[1])
        for measure in cd.measures():
            try:
                value = measure.of(m)
                score = cd.compare(sides[0], sides[1], [measure])[str(measure)]
            except (cd.ClusterdiffError, TypeError, KeyError):
                continue
            text = re.sub(r"\b(version|scipy|numpy):[^|]*", r"\1:?", score.sign())
            found[f"{kind} {measure}"] = f"{value} {text}"
    return found


FOUND = {"names": names, "scores": scores}


@pytest.mark.parametrize("what", FOUND)
def test_the_same_as_recorded(what: str) -> None:
    found = FOUND[what]()
    if RECORDING:
        old = json.loads(RECORDED.read_text()) if RECORDED.exists() else {}
        RECORDED.write_text(json.dumps(old | {what: found}, indent=1, ensure_ascii=False) + "\n")
    assert found == json.loads(RECORDED.read_text(encoding="utf-8"))[what]


@pytest.mark.parametrize("kind", SIDES)
def test_pickles(kind: str) -> None:
    truth, guess = SIDES[kind]
    m = cd.meet(truth, guess)
    report = cd.compare(truth, guess)
    for one in (m, *cd.measures(), cd.Partition(HARD[0]), *COVERS, *SOFT):
        again = pickle.loads(pickle.dumps(one))
        assert type(again) is type(one)
        assert repr(again) == repr(one)
    assert pickle.loads(pickle.dumps(m)) == m
    assert str(pickle.loads(pickle.dumps(report))) == str(report)
