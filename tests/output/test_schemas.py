"""The JSON of every verb follows the schema that it names, to the last field."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

import clusterdiff as cd
from browse.reviews import review
from cli.runner import run
from clusterdiff.cli.schema import json_schema
from clusterdiff.output.markup import to_json
from output.documents import documents
from snapshots.cases import write_files
from snapshots.test_command import CASES, recorded

WHOLE = json_schema()
KINDS = [one["$ref"].rpartition("/")[2] for one in WHOLE["oneOf"]]
IN_PYTHON = {"annotators", "consistency", "decisions", "check"}
"""Documents of results that no verb writes."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("files")
    write_files(made)
    return made


def strictly(text: str) -> Any:
    """What JSON holds; NaN and Infinity are none."""

    def refuse(constant: str) -> None:
        raise AssertionError(f"{constant} is not JSON")

    return json.loads(text, parse_constant=refuse)


def check(document: dict[str, Any]) -> str:
    """Hold a document against the schema that it names; give the name."""
    package, name, _ = document["schema"].split("/")
    assert package == "clusterdiff"
    part = json_schema(name)
    errors = [
        f"{'/'.join(map(str, error.absolute_path))}: {error.message[:300]}"
        for error in Draft202012Validator(part).iter_errors(document)
    ]
    assert not errors, "\n".join(errors)
    return str(name)


WRITTEN = {
    "kinds": {"compare", "explain", "explain-object", "table"},
    "scores": {
        "compare", "explain", "explain-uncertainty", "explain-slices", "diff", "estimate",
        "chance", "pairs", "levels", "table",
    },
    "many": {"sweep", "relabel", "track", "matrix", "consensus"},
    "catalogues": {"measures", "axioms", "reproduce", "experiment"},
}  # fmt: skip


@pytest.mark.parametrize("group", WRITTEN)
def test_every_verb_writes_what_its_schema_says(
    group: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    seen = set()
    for arguments in documents()[group]:
        ran = run(*arguments)
        assert ran.code == 0, (arguments, ran.stderr)
        seen.add(check(strictly(ran.stdout)))
    assert seen == WRITTEN[group]


def test_no_document_is_forgotten() -> None:
    assert set().union(*WRITTEN.values()) | IN_PYTHON == set(KINDS)
    assert set(WRITTEN) == set(documents())


def test_what_was_recorded_follows_the_schema_too() -> None:
    seen = 0
    for case in CASES:
        if "json" in case.arguments or "--json" in case.arguments:
            text, _, end = recorded(case.group)[case.name].rpartition("exit ")
            if end.startswith("0"):
                check(strictly(text.partition("stderr:")[0]))
                seen += 1
    assert seen > 25


def test_results_that_no_verb_writes() -> None:
    runs = {"a": [1, 1, 2, 2], "b": [1, 1, 2, 3]}
    found = cd.matrix(runs)
    assert check(strictly(found.objects().to_json())) == "consistency"
    against = cd.matrix(runs, guesses={"c": [1, 2, 2, 2]}).against
    assert check(strictly(against.to_json())) == "annotators"


def test_what_follows_from_a_review(tmp_path: Path) -> None:
    truth, run = [1, 1, 2, 3, 3], [1, 2, 2, 4, 5]
    with review(truth, run, tmp_path / "decisions.jsonl") as made:
        for key in made.index.keys:
            made.decide(key, "truth", "a note", "truth", {})
    done = cd.decisions(tmp_path / "decisions.jsonl", truth)
    assert done.records()
    assert check(strictly(done.to_json())) == "decisions"
    held = cd.check_judgements(truth, done.judgements())
    assert held.violations
    assert check(strictly(held.to_json())) == "check"


def objects_in(part: Any) -> Iterator[dict[str, Any]]:
    """All parts of a schema that name the fields of an object."""
    if isinstance(part, dict):
        if "properties" in part:
            yield part
        for one in part.values():
            yield from objects_in(one)
    elif isinstance(part, list):
        for one in part:
            yield from objects_in(one)


def test_the_schema_is_one_and_no_object_takes_fields_that_it_does_not_name() -> None:
    Draft202012Validator.check_schema(WHOLE)
    found = list(objects_in(WHOLE["$defs"]))
    assert len(found) > 50
    for part in found:
        closed = part["additionalProperties"]
        assert closed is False or set(part["properties"]) == {"sample", "guess"}, part
        assert set(part["required"]) <= set(part["properties"])


@pytest.mark.parametrize("kind", KINDS)
def test_each_document_has_a_number_and_a_schema_of_its_own(kind: str) -> None:
    part = json_schema(kind)
    name, number = part["title"].removeprefix("clusterdiff/").split("/")
    assert name == kind
    assert int(number) >= 1
    assert part["properties"]["schema"] == {"const": part["title"]}
    assert "schema" in part["required"]
    Draft202012Validator.check_schema(part)


def test_a_field_that_went_raised_the_number_of_its_documents() -> None:
    """The draws and the seed of a difference went with the test that drew."""
    raised = {kind for kind in KINDS if json_schema(kind)["title"].endswith("/2")}
    holding = {kind for kind in KINDS if "difference" in json_schema(kind)["$defs"]}
    assert raised == holding - {"levels"} == {"compare", "estimate", "diff"}
    sides = list("aabbccdde" * 9), {"old": list("aabbccdee" * 9), "new": list("aabbccddd" * 9)}
    samples = [f"{i // 9}" for i in range(81)]
    told = strictly(cd.compare(*sides, "elm_f", samples=samples, confidence=0.95).to_json())
    check(told)
    [found] = told["differences"]["elm_f"].values()
    found |= {"test": "swap", "draws": 9999, "seed": 0}
    with pytest.raises(AssertionError, match="differences"):
        check(told)


def test_a_field_that_nobody_named_and_a_wrong_type_are_found() -> None:
    told = strictly(cd.compare([1, 1, 2], [1, 2, 2], "elm_f").to_json())
    check(told)
    score = told["guesses"]["guess"]["elm_f"]
    for wrong in ({**score, "valeu": 1}, {**score, "value": "1"}, {"value": 1.0}):
        broken = {**told, "guesses": {"guess": {"elm_f": wrong}}}
        with pytest.raises(AssertionError, match=r"guesses/guess/elm_f"):
            check(broken)
    with pytest.raises(AssertionError, match="remarks"):
        check({**told, "remarks": []})


def test_the_command_prints_it() -> None:
    assert strictly(run("schema").stdout) == WHOLE
    assert strictly(run("schema", "diff").stdout) == json_schema("diff")
    ran = run("schema", "comprae")
    assert ran.code == 2
    assert "did you mean compare?" in ran.stderr


def test_what_is_no_number_is_null() -> None:
    told = {"a": math.nan, "b": [math.inf, 1.5], "c": {"d": -math.inf}}
    assert strictly(to_json(told)) == {"a": None, "b": [None, 1.5], "c": {"d": None}}
