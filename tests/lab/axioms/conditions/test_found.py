"""Conditions are found by the files that hold them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from clusterdiff_lab.axioms import axiom, axioms, check, conditions
from clusterdiff_lab.axioms.conditions import GROUPS, all_conditions

OF_MY_OWN = """
from clusterdiff_lab import Rule

CONDITIONS = (
    Rule(
        name="above_minus_one",
        meaning="no score is below -1",
        cite="meila2007",
        group="of my own",
        rule=lambda subject, value: value >= -1,
        wanted="at least -1",
    ),
)
"""


@pytest.fixture
def one_more_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    (tmp_path / "above.py").write_text(OF_MY_OWN)
    monkeypatch.setattr(conditions, "__path__", [*conditions.__path__, str(tmp_path)])
    all_conditions.cache_clear()
    yield
    all_conditions.cache_clear()


def test_conditions_have_names_of_their_own_and_come_group_by_group() -> None:
    found = axioms()
    assert len({one.name for one in found}) == len(found)
    groups = list(dict.fromkeys(one.group for one in found))
    assert groups == list(GROUPS)


@pytest.mark.usefixtures("one_more_file")
def test_a_condition_takes_one_file() -> None:
    assert axioms()[-1] is axiom("above_minus_one")
    assert check("rand", "above_minus_one", objects=4, larger=0).outcome == "holds"
