"""What shells complete: verbs, options, measures, and the columns of files."""

from __future__ import annotations

from pathlib import Path
from unittest import mock

import pytest

from cli.runner import run


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("people.csv").write_text("rec_id,entity,splink_v1,splink_v2\n1,a,b,c\n")
    Path("runs.json").write_text('{"gold": {"a": 1}, "run": {"a": 1}}')
    Path("broken.parquet").write_bytes(b"PAR1")


def completed(line: str, shell: str = "bash") -> list[str]:
    """What a shell is told at the end of a line, as it calls the command; bash takes :: for a word
    of its own.
    """
    words = line.replace("::", " :: ").split(" ") if shell == "bash" else line.split(" ")
    words = [word for word in words[:-1] if word] + words[-1:]
    if shell == "bash" and line.endswith("::"):
        words = words[:-1]
    asked = {
        "_CLUSTERDIFF_COMPLETE": f"complete_{shell}",
        "COMP_WORDS": " ".join(words),
        "COMP_CWORD": str(len(words) - 1),
        "_TYPER_COMPLETE_ARGS": line,
    }
    with mock.patch.dict("os.environ", asked):
        ran = run()
    assert (ran.stderr, ran.code) == ("", 0)
    return ran.stdout.split()


def test_completion() -> None:
    assert completed("clusterdiff co") == ["compare", "consensus"]
    assert completed("clusterdiff pa") == ["pairs"]
    assert "people.csv" in completed("clusterdiff p")
    assert completed("clusterdiff compare --conf") == ["--confidence"]
    assert completed("clusterdiff people.csv people.csv --alig") == ["--align"]
    assert completed("clusterdiff compare a b -m elm_p") == ["elm_precision"]
    assert completed("clusterdiff compare a b -m rand,elm_p") == ["rand,elm_precision"]
    assert completed("clusterdiff explain a b --by vi_d") == ["vi_distance"]


def test_columns_of_files() -> None:
    assert completed("clusterdiff people.csv runs.json --id rec") == ["rec_id"]
    assert completed("clusterdiff people.csv::spl") == ["splink_v1", "splink_v2"]
    assert completed("clusterdiff people.csv::entity people.csv::spl") == ["splink_v1", "splink_v2"]
    assert completed("clusterdiff explain runs.json::") == ["gold", "run"]
    assert completed("clusterdiff matrix people.csv::splink_v1 people.csv::ent") == ["entity"]
    assert "people.csv\\\\:\\\\:entity" in " ".join(completed("clusterdiff people.csv::e", "zsh"))
    assert completed("clusterdiff compare broken.parquet::") == []
    assert completed("clusterdiff compare nothing.csv::") == []
