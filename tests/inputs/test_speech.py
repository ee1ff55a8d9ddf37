"""Speech: RTTM and UEM files and annotations, against frames of a millisecond and the peer."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterable
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import clusterdiff as cd
from cli.runner import run
from clusterdiff.errors import ClusterdiffError
from clusterdiff.io import speech
from clusterdiff.measures import DEFAULT_SPEECH
from oracles.diarization import Turn, scored_frames
from oracles.overlapping import OVERLAPPING

REFERENCE = [(0, 10, "A"), (10, 18, "B"), (16, 24, "C"), (30, 40, "A")]
HYPOTHESIS = [(0, 9, "x"), (9, 17, "y"), (17, 22, "z"), (28, 38, "x"), (35, 40, "y")]
GOLDEN = [
    ({}, 36, (4, 5, 3)),
    ({"collar": 0.5}, 33, (3.25, 4.75, 2.5)),
    ({"skip_overlap": True}, 32, (2, 5, 3)),
]
PARTS = ("missed", "false alarm", "confusion")


def rttm(turns: Iterable[tuple[float, float, str]], file: str = "talk", channel: int = 1) -> str:
    return "".join(
        f"SPEAKER {file} {channel} {start:g} {end - start:g} <NA> <NA> {who} <NA> <NA>\n"
        for start, end, who in turns
    )


@pytest.fixture
def files(tmp_path: Path) -> Callable[..., str]:
    """Writes a file and gives its path."""

    def write(name: str, text: str) -> str:
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
        return str(path)

    return write


@pytest.fixture
def golden(files: Callable[..., str]) -> tuple[str, str]:
    return files("ref.rttm", rttm(REFERENCE)), files("hyp.rttm", rttm(HYPOTHESIS))


@pytest.mark.parametrize(("how", "total", "parts"), GOLDEN)
def test_golden_numbers_of_pyannote(
    golden: tuple[str, str], how: dict[str, Any], total: float, parts: tuple[float, ...]
) -> None:
    given = how | {"uem": {"talk": [(0, 40)]}}
    for part, seconds in zip(PARTS, parts, strict=True):
        rate: Any = cd.diarization_error_rate
        assert rate(*golden, part=part, **given) == float(Fraction(seconds) / Fraction(total))
    assert cd.measure("der")(*golden, **given) == pytest.approx(sum(parts) / total, abs=1e-15)


def test_golden_numbers_of_the_other_measures(golden: tuple[str, str]) -> None:
    report = cd.compare(*golden)
    assert list(report.measures) == list(DEFAULT_SPEECH)
    assert report["jaccard_error_rate"].value == 0.36742424242424243
    assert report["cover_purity"].value == 0.7837837837837838
    assert report["cover_coverage"].value == 0.8055555555555556
    assert "count:ms" in str(report["diarization_error_rate"].signature)


def spoken(rng: random.Random, last: int, many: int, names: str) -> list[Turn]:
    """Turns in milliseconds that overlap, touch and repeat."""
    edges = sorted(rng.sample(range(last), min(last - 1, 2 * many)))
    turns = [(a, b, rng.choice(names)) for a, b in pairwise(edges) if rng.random() < 0.7]
    more = [(a, min(last, a + rng.randint(1, last)), rng.choice(names)) for a in edges[:many]]
    return [*turns, *rng.sample(more, rng.randint(0, len(more)))]


def seconds(turns: Iterable[Turn]) -> list[tuple[float, float, str]]:
    return [(start / 1000, end / 1000, str(who)) for start, end, who in turns]


@pytest.mark.parametrize("seed", range(60))
def test_equals_frames_of_a_millisecond(seed: int, files: Callable[..., str]) -> None:
    """What the measures say of intervals is what they say of frames, one by one."""
    rng = random.Random(seed)
    last = rng.randint(20, 120)
    truth, guess = spoken(rng, last, 4, "ABC") or [(0, 5, "A")], spoken(rng, last, 4, "wxyz")
    guess = guess or [(0, 5, "w")]
    collar, skip = rng.choice([0, 0, 2, 6]), rng.random() < 0.3
    uem = rng.choice([None, [(5, last // 2), (last // 2 + 3, last - 2)]])
    frames: Any = scored_frames(truth, guess, collar=collar, skip_overlap=skip, uem=uem)
    given: dict[str, Any] = {"collar": collar / 1000, "skip_overlap": skip}
    if uem:
        given["uem"] = {"talk": [(a / 1000, b / 1000) for a, b in uem]}
    ours = [files(f"{i}.rttm", rttm(seconds(one))) for i, one in enumerate((truth, guess))]
    if not any(map(len, (*frames[0].values(), *frames[1].values()))):
        with pytest.raises(ClusterdiffError, match="nothing to score"):
            cd.compare(*ours, **given)
        return
    frames = tuple(
        {f: one[f] for f in one if frames[0][f] or frames[1][f]} for one in frames
    )  # fmt: skip
    for text in (*DEFAULT_SPEECH, "jaccard_error_rate(assignment='time')", "omega"):
        measure = cd.measure(text)
        wanted = float(OVERLAPPING[measure.name](*frames, **measure.params))
        assert measure(*ours, **given) == pytest.approx(wanted, abs=1e-12), text


def test_silence_is_an_object_of_nobody(golden: tuple[str, str]) -> None:
    """Without overlap measures of partitions take speech, and the policy says what silence is."""
    one = [(0, 10, "A"), (10, 18, "B")], [(1, 12, "x"), (12, 18, "y")]
    paths = [Path(golden[0]).with_name(f"{i}.rttm") for i in range(2)]
    for path, turns in zip(paths, one, strict=True):
        path.write_text(rttm(turns))
    truth = ["A"] * 9 + ["B"] * 8
    guess = ["x"] * 11 + ["y"] * 6
    found = cd.nmi(*map(str, paths), kind="partition", align="shared")
    assert found == pytest.approx(cd.nmi(truth, guess), abs=1e-12)
    with pytest.raises(ClusterdiffError, match="in no cluster|only in truth|in none"):
        cd.nmi(*map(str, paths))
    with pytest.raises(ClusterdiffError, match="several speakers speak at once from"):
        cd.nmi(*golden, kind="partition", align="shared")


def test_files_are_samples(files: Callable[..., str]) -> None:
    names = [f"talk{i}" for i in range(12)]
    guesses = [[(a + i % 3, b + i % 3, who) for a, b, who in HYPOTHESIS] for i in range(12)]
    truth = files("ref.rttm", "".join(rttm(REFERENCE, name) for name in names))
    pairs = list(zip(guesses, names, strict=True))
    guess = files("hyp.rttm", "".join(rttm(*pair) for pair in pairs))
    report = cd.compare(truth, guess, "der,jer,cover_purity", confidence=0.95)
    alone = files("r.rttm", rttm(REFERENCE))
    apart = [
        cd.compare(alone, files("h.rttm", rttm(turns)), "der,jer,cover_purity") for turns in guesses
    ]
    scores: dict[str, Any] = dict(report.scores["hyp.rttm"])
    for text, score in scores.items():
        each = [one[text].value for one in apart]
        assert list(score.each) == each
        assert score.value == pytest.approx(np.mean(each), abs=1e-15)
        if text != "cover_purity":  # files have as much speech and as many speakers
            assert score.micro == pytest.approx(np.mean(each), abs=1e-15)
        for value, interval in ((score.value, score.ci), (score.micro, score.micro_ci)):
            assert interval.low < value < interval.high
    for text, score in scores.items():  # pooled at once, and recording by recording
        assert cd.measure(text)(truth, guess) == score.micro
    for name, turns in zip(names, guesses, strict=True):
        files(f"r/{name}.rttm", rttm(REFERENCE, name))
        files(f"h/{name}.rttm", rttm(turns, name))
    folder = Path(alone).parent
    again = cd.compare(str(folder / "r"), str(folder / "h"), "der,jer,cover_purity")
    assert [s.micro for s in again.scores["h"].values()] == [
        s.micro for s in report.scores["hyp.rttm"].values()
    ]


def test_files_of_one_side(files: Callable[..., str]) -> None:
    truth = files("ref.rttm", rttm(REFERENCE, "a") + rttm(REFERENCE, "b"))
    guess = files("hyp.rttm", rttm(HYPOTHESIS, "a"))
    with pytest.raises(ClusterdiffError, match=r"no partner: 1 in truth alone \(b\)"):
        cd.compare(truth, guess)
    missed = cd.compare(truth, guess, "der", align="penalise")["diarization_error_rate"]
    assert missed.each == (12 / 36, 1.0)
    assert (
        cd.compare(truth, guess, "der", align="shared")["diarization_error_rate"].micro == 12 / 36
    )
    only = cd.compare(truth, guess, "der", uem={"a": [(0, 40)]})
    assert only["diarization_error_rate"].value == 12 / 36
    assert "1 file is not in the UEM, and not scored: b" in only.to_text()


def test_finer_than_milliseconds(files: Callable[..., str]) -> None:
    line = "SPEAKER t 1 {} {:.9f} <NA> <NA> {} <NA> <NA>\n".format
    last = line(2, 1, "B")
    paths = files("0.rttm", line(0, 1.0000005, "A") + last), files("1.rttm", line(0, 1, "x") + last)
    found = cd.compare(*paths)["diarization_error_rate"]
    assert found.value == pytest.approx(5e-7 / 2.0000005, rel=1e-12)
    assert "count:ns" in str(found.signature)


def test_what_is_merged_and_skipped_is_said(files: Callable[..., str]) -> None:
    twice = [(0, 10, "A"), (4, 12, "A"), (12, 14, "A")]
    text = ";; a comment\n\nSPKR-INFO talk 1 <NA> <NA> <NA> unknown A <NA> <NA>\n" + rttm(twice)
    truth, guess = files("ref.rttm", text), files("hyp.rttm", rttm([(0, 14, "x")]))
    report = cd.compare(truth, guess)
    assert report["diarization_error_rate"].value == 0
    assert "1 turn overlaps another one of the same speaker: they were merged" in report.to_text()
    assert "1 line was skipped" in report.to_text()
    # turns that touch keep their boundary, around which a collar lies
    read: Any = cd.read(truth)
    assert read.ids.tolist() == ["0.000-12.000", "12.000-14.000"]


BAD = {
    "SPEAKER talk 1 0 5 <NA> <NA> A\n": "line 1 has 8 fields, and RTTM has 9 or 10",
    rttm(REFERENCE) + "SPEAKER talk 1 0 five <NA> <NA> A <NA> <NA>\n": "line 5 lasts five, which",
    "SPEAKER talk 1 0 nan <NA> <NA> A <NA> <NA>\n": "line 1 lasts nan, which is no number",
    "SPEAKER talk 1 1_0 5 <NA> <NA> A <NA> <NA>\n": "line 1 starts at 1_0, which is no number",
    "SPEAKER talk 1 1-2 5 <NA> <NA> A <NA> <NA>\n": "line 1 starts at 1-2, which is no number",
    "SPEAKER talk 1 3 0 <NA> <NA> A <NA> <NA>\n": "line 1 lasts 0 s, and a turn takes time",
    "\nSPEAKER talk 1 3 -1 <NA> <NA> A <NA> <NA>\n": "line 2 lasts -1 s, and a turn takes time",
    "SPEAKER talk 1 -3 5 <NA> <NA> A <NA> <NA>\n": "starts at -3 s, before the file does",
    "SPEAKER talk 1 3 1e12 <NA> <NA> A <NA> <NA>\n": "more than 146 years",
    "SPEAKER talk 1 3 5 <NA> <NA> <NA> <NA> <NA>\n": "names no speaker",
    rttm(REFERENCE) + rttm(REFERENCE, channel=2): "line 5 is of channel 2 of talk",
    "LEXEME talk 1 0 5 hello lex A <NA>\n": "no turn of a speaker, but lines of the types LEXEME",
}


@pytest.mark.parametrize("text", BAD)
def test_bad_lines_are_one_clear_paragraph(text: str, files: Callable[..., str]) -> None:
    with pytest.raises(ClusterdiffError) as caught:
        cd.read(files("bad.rttm", text))
    assert BAD[text] in str(caught.value)
    assert "bad.rttm" in caught.value.message
    assert "\n" not in caught.value.message
    assert caught.value.hint


BAD_UEM = {
    "talk 1 0\n": "line 1 has 3 fields, and UEM has 4",
    "talk 1 9 4\n": "line 1 goes from 9 to 4 s",
    "talk 1 0 x\n": "line 1 ends at x, which is no number",
    "other 1 0 40\n": "nothing to score: it has the files other, and the truth has talk",
    "talk 1 24.5 27\n": "nothing to score: nobody speaks in what is left",
    ";; nothing\n": "has no region to score",
}


@pytest.mark.parametrize("text", BAD_UEM)
def test_bad_regions(text: str, golden: tuple[str, str], files: Callable[..., str]) -> None:
    with pytest.raises(ClusterdiffError) as caught:
        cd.compare(*golden, uem=files("bad.uem", text))
    assert BAD_UEM[text] in str(caught.value)
    assert caught.value.hint


@pytest.mark.parametrize(
    "uem", [{}, {"talk": [(3, 3)]}, {"talk": "all"}, 7, {"talk": [(0, float("nan"))]}]
)
def test_bad_regions_in_python(golden: tuple[str, str], uem: Any) -> None:
    with pytest.raises(ClusterdiffError):
        cd.compare(*golden, uem=uem)


@pytest.mark.parametrize("collar", [-1, "0.5", float("nan"), True, float("inf")])
def test_bad_collars(golden: tuple[str, str], collar: Any) -> None:
    with pytest.raises(ClusterdiffError, match="is not a number of seconds"):
        cd.compare(*golden, collar=collar)


def test_speech_is_compared_with_speech(golden: tuple[str, str]) -> None:
    with pytest.raises(ClusterdiffError, match="speech can only be compared with speech"):
        cd.compare(golden[0], {"a": 1, "b": 2}, "der")
    with pytest.raises(ClusterdiffError, match="and this is no speech"):
        cd.compare(["a", "b"], ["x", "x"], collar=0.5)


def test_several_guesses_are_cut_together(
    golden: tuple[str, str], files: Callable[..., str]
) -> None:
    other = files("other.rttm", rttm([(0.123, 24, "x"), (30, 40, "y")]))
    both = cd.compare(golden[0], {"a": golden[1], "b": other}, "der")
    for name, path in (("a", golden[1]), ("b", other)):
        alone = cd.compare(golden[0], path, "der")["diarization_error_rate"].value
        assert both.scores[name]["diarization_error_rate"].value == alone


# Wrong code is caught: each of these mistakes changes a number of the tests above.

MISTAKES: dict[str, tuple[str, Callable[..., Any]]] = {
    "a collar on either side": ("nanoseconds", lambda real: lambda s: 2 * real(s)),
    "silence that counts": ("_depth", lambda real: lambda *given: real(*given) + 1),
    "turns that are not merged": ("_joined", lambda real: lambda f, s, a, b: (a == a, b)),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes_are_caught(
    name: str, golden: tuple[str, str], files: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    twice = files("twice.rttm", rttm([*REFERENCE, (2, 12, "A")]))
    right = [cd.measure("der")(t, golden[1], collar=0.5) for t in (golden[0], twice)]
    attribute, wrong = MISTAKES[name]
    monkeypatch.setattr(speech, attribute, wrong(getattr(speech, attribute)))
    found: list[float | None] = []
    for truth in (golden[0], twice):
        try:
            found.append(cd.measure("der")(truth, golden[1], collar=0.5))
        except Exception:  # wrong code may fall over
            found.append(None)
    assert found != right


# pyannote.metrics itself.


def annotation(turns: Iterable[tuple[float, float, str]], uri: str = "talk") -> Any:
    core = pytest.importorskip("pyannote.core")
    made = core.Annotation(uri=uri)
    for number, (start, end, who) in enumerate(turns):
        made[core.Segment(start, end), number] = who
    return made


def apart(rng: random.Random, names: str) -> list[tuple[float, float, str]]:
    """Turns of which those of one speaker never overlap: the peer counts such time twice."""
    turns: list[tuple[float, float, str]] = []
    for _ in range(rng.randint(1, 10)):
        start = round(rng.uniform(0, 55), 3)
        end, who = round(start + rng.uniform(0.2, 8), 3), rng.choice(names)
        if all(w != who or b < start or end < a for a, b, w in turns):
            turns.append((start, end, who))
    return turns


@pytest.mark.filterwarnings("ignore:'uem' was approximated")
@pytest.mark.parametrize("seed", range(40))
def test_equals_pyannote(seed: int) -> None:
    """Where several assignments keep equally much time, the peer takes any of them: its Jaccard
    error rate is not below ours then.
    """
    peer = pytest.importorskip("pyannote.metrics.diarization")
    core = pytest.importorskip("pyannote.core")
    rng = random.Random(seed)
    truth, guess = annotation(apart(rng, "ABCD")), annotation(apart(rng, "wxyz"))
    given: dict[str, Any] = {
        "collar": rng.choice([0, 0, 0.1, 0.5, 1.3]),
        "skip_overlap": rng.random() < 0.4,
    }
    regions = [core.Segment(3, 20), core.Segment(25.5, 48)]
    uem = rng.choice([None, core.Timeline(regions, uri="talk")])
    wanted = peer.DiarizationErrorRate(**given)(truth, guess, uem=uem, detailed=True)
    if not wanted["total"] and not wanted["false alarm"]:
        with pytest.raises(ClusterdiffError, match="nothing to score"):
            cd.compare(truth, guess, compat="pyannote", uem=uem, **given)
        return
    report = cd.compare(truth, guess, compat="pyannote", uem=uem, **given)
    got = report["diarization_error_rate"].value
    assert got == pytest.approx(wanted["diarization error rate"], abs=1e-9)
    for part, theirs in zip(PARTS, ("missed detection", "false alarm", "confusion"), strict=True):
        error: Any = cd.diarization_error_rate
        rate = error(truth, guess, part=part, uem=uem, **given)
        if wanted["total"]:
            assert rate == pytest.approx(wanted[theirs] / wanted["total"], abs=1e-9)
    jaccard = peer.JaccardErrorRate(**given)
    theirs = jaccard(truth, guess, uem=uem)
    got = report["jaccard_error_rate(assignment='time')"].value
    reference, hypothesis = jaccard.uemify(truth, guess, uem=uem, **given)
    common = np.round(reference * hypothesis, 6)
    tied = np.unique(common[common > 0]).size < (common > 0).sum()
    assert got == pytest.approx(theirs, abs=1e-9) or (tied and got < theirs)
    if uem is None and given == {"collar": 0, "skip_overlap": False}:  # it ignores these
        assert report["cover_purity"].value == pytest.approx(peer.DiarizationPurity()(truth, guess))
        covered = peer.DiarizationCoverage()(truth, guess)
        assert report["cover_coverage"].value == pytest.approx(covered)


def test_annotations_are_read_as_files_are(golden: tuple[str, str]) -> None:
    truth, guess = annotation(REFERENCE), annotation(HYPOTHESIS)
    assert cd.measure("der")(truth, guess) == cd.measure("der")(*golden)
    assert cd.measure("der")(truth, golden[1]) == cd.measure("der")(*golden)
    nameless = annotation(HYPOTHESIS, uri="")
    nameless.uri = None
    assert cd.measure("der")(truth, nameless) == cd.measure("der")(*golden)
    several = [annotation(REFERENCE, uri) for uri in "ab"]
    guesses = [annotation(HYPOTHESIS, uri) for uri in "ab"]
    assert cd.compare(several, guesses, "der")["diarization_error_rate"].each == (1 / 3, 1 / 3)
    with pytest.raises(ClusterdiffError, match="several of the 2 annotations are of the file a"):
        cd.compare([several[0], several[0]], guesses)
    with pytest.raises(ClusterdiffError, match="a file without a name"):
        cd.compare(several, nameless)
    silent = annotation([])
    assert cd.measure("der")(truth, silent) == 1.0


def test_explanations_say_who_was_taken_for_whom_and_when(golden: tuple[str, str]) -> None:
    told: Any = cd.explain(*golden)
    assert told.seconds == {"speech": 36, "missed": 4, "false alarm": 5, "confusion": 3}
    assert [tuple(one) for one in told.errors] == [
        ("confusion", "A", "y", "B", 3.0, ["9.000-10.000", "38.000-40.000"]),
        ("false alarm", None, "y", "B", 3.0, ["35.000-38.000"]),
        ("missed", "C", None, None, 3.0, ["16.000-17.000", "22.000-24.000"]),
        ("false alarm", None, "x", "A", 2.0, ["28.000-30.000"]),
        ("missed", "B", None, None, 1.0, ["17.000-18.000"]),
    ]
    assert told.lost == pytest.approx(1 / 3, abs=1e-12)
    assert "14,000" not in told.to_text()  # who is right is not listed
    collar: Any = cd.explain(*golden, collar=0.5, uem={"talk": [(0, 40)]})
    assert tuple(collar.seconds.values()) == (33, 3.25, 4.75, 2.5)


@pytest.mark.parametrize("seed", range(30))
def test_explained_seconds_are_those_of_the_error_rate(
    seed: int, files: Callable[..., str]
) -> None:
    rng = random.Random(seed)
    paths = []
    for side, names in (("r", "ABC"), ("h", "wxyz")):
        turns = {f: spoken(rng, 90, 4, names) or [(0, 9, names[0])] for f in ("one", "two")}
        text = "".join(rttm(seconds(one), file) for file, one in turns.items())
        paths.append(files(f"{side}.rttm", text))
    told: Any = cd.explain(*paths)
    report = cd.compare(*paths)
    speech = told.seconds["speech"]
    for part in PARTS:
        rate = report[f"diarization_error_rate(part={part!r})"].micro
        assert told.seconds[part] / speech == pytest.approx(rate, abs=1e-12)
        lasting = sum(
            float(end) - float(start)
            for one in told.errors if one.error == part
            for start, _, end in (when.rpartition(" ")[2].partition("-") for when in one.when)
        )  # fmt: skip
        assert lasting == pytest.approx(told.seconds[part], abs=1e-9)
    assert float(told.score) == report["diarization_error_rate"].micro
    assert told.lost == pytest.approx(float(told.score), abs=1e-12)


def test_timelines_have_both_sides_and_the_errors(golden: tuple[str, str], tmp_path: Path) -> None:
    pytest.importorskip("plotly")
    figure = cd.plot.timeline(*golden)
    rows = {
        bars.name.strip(): [(a, a + b) for a, b in zip(bars.base or (), bars.x or (), strict=True)]
        for bars in figure.data
    }
    assert rows["A"] == [(0, 10), (30, 40)]
    assert rows["x (for A)"] == [(0, 9), (28, 38)]
    assert sorted(rows["missed"]) == [(16, 17), (17, 18), (22, 24)]
    assert sorted(rows["false alarm"]) == [(28, 30), (35, 38)]
    assert sorted(rows["confusion"]) == [(9, 10), (38, 40)]
    drawn = tmp_path / "timeline.html"
    ran = run("explain", *golden, "--plot", str(drawn))
    assert ran.code == 0
    assert "x (for A)" in drawn.read_text(encoding="utf-8")
    with pytest.raises(ClusterdiffError, match="a timeline is drawn of speech, and this is none"):
        cd.plot.timeline(["a", "b"], ["x", "x"])
    with pytest.raises(ClusterdiffError, match="no file is called other"):
        cd.plot.timeline(*golden, file="other")


def test_what_is_left_out_stands_in_the_signature(golden: tuple[str, str]) -> None:
    ways: list[dict[str, Any]] = [
        {}, {"collar": 0.5}, {"collar": 1.0}, {"skip_overlap": True}, {"uem": {"talk": [(0, 20)]}}
    ]  # fmt: skip
    signed = {str(cd.compare(*golden, "der", **how)["der"].signature) for how in ways}
    assert len(signed) == len(ways)


def test_names_of_intervals_are_made_for_those_who_read_them(
    files: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Scores need no name, and to make them takes longer than to score."""
    both = [
        files(f"{side}.rttm", rttm(turns, "a") + rttm(turns, "b"))
        for side, turns in (("ref", REFERENCE), ("hyp", HYPOTHESIS))
    ]
    wanted = cd.explain(*both).to_dict()
    truth, guess = map(cd.read, both)
    with monkeypatch.context() as patched:
        patched.setattr(speech, "_ids", pytest.fail)
        assert cd.measure("der")(truth, guess) == 1 / 3
        report = cd.compare(truth, guess, "der", confidence=0.9)
        assert report["diarization_error_rate"].micro == 1 / 3
    assert cd.explain(truth, guess).to_dict() == wanted


def test_amounts_are_seconds_in_every_verb(
    golden: tuple[str, str], files: Callable[..., str]
) -> None:
    """A person reads seconds, and nowhere how many milliseconds there are; programs read both the
    number and its unit.
    """
    better = files("new.rttm", rttm([*HYPOTHESIS[:3], (30, 40, "x")]))
    said = "34.000 s of speech by 3 speakers (longest 20.000 s, 1.06 at once)"
    for ran in (
        run("compare", *golden), run("compare", *golden, better), run("table", *golden),
        run("explain", *golden), run("diff", *golden, better),
        run("diff", *golden, better, "-f", "markdown"),
    ):  # fmt: skip
        assert ran.code == 0
        assert "objects" not in ran.stdout.replace("| objects |", "")
        assert ",000" not in ran.stdout
        assert (said in ran.stdout) == ran.stdout.startswith("truth")
    for verb, sides in (("explain", golden), ("table", golden), ("diff", (*golden, better))):
        found = json.loads(run(verb, *sides, "-f", "json").stdout)
        assert found["unit"] == "ms"
        assert "36000" in str(found)
    only: Any = cd.contingency(golden[0], golden[1], uem={"talk": [(0, 10)]})
    assert "10.000 s" in only.to_text()
    # a column that is called so is no time
    counted: Any = cd.contingency(["a", "b"], ["x", "x"], count=[3000, 1000])
    assert "4,000" in counted.to_text()


def test_a_diff_of_speech_is_scored_as_speech(
    golden: tuple[str, str], files: Callable[..., str]
) -> None:
    better = files("new.rttm", rttm([*HYPOTHESIS[:3], (30, 40, "x")]))
    for given in ({}, {"collar": 0.5, "uem": {"talk": [(0, 40)]}}, {"skip_overlap": True}):
        change = cd.diff(*golden, better, **given)
        assert list(change.change) == list(DEFAULT_SPEECH)
        report = cd.compare(golden[0], {"old": golden[1], "new": better}, **given)
        for name in DEFAULT_SPEECH:
            old, new = (float(report.scores[run][name]) for run in ("old", "new"))
            assert change.change[name] == pytest.approx(new - old, abs=1e-15)
    change = cd.diff(*golden, better)
    # nobody is invented any more from 28 to 30, nor from 35 to 38; A is found from 38 to 40
    assert [(c.fate, c.size, c.ids) for c in change.changed(better=True)] == [
        ("repaired", 3000, ["35.000-38.000"]),
        ("repaired", 2000, ["28.000-30.000"]),
        ("repaired", 2000, ["38.000-40.000"]),
    ]
    assert sum(c.change for c in change.changed(better=True)) == pytest.approx(7 / 36)
    assert not change.changed(better=False)


def test_a_diff_of_several_files_has_them_as_samples(files: Callable[..., str]) -> None:
    truth = files("ref.rttm", rttm(REFERENCE, "a") + rttm(REFERENCE, "b"))
    old = files("old.rttm", rttm(HYPOTHESIS, "a") + rttm(HYPOTHESIS, "b"))
    new = files("new.rttm", rttm(HYPOTHESIS, "a") + rttm(REFERENCE, "b"))
    change = cd.diff(truth, old, new)
    assert change.change["diarization_error_rate"] == pytest.approx(-1 / 6)
    assert {c.ids[0][:2] for c in change.changed(better=True)} == {"b "}
    assert "mean of 2 samples, 0.3333 -> 0.1667" in change.headline
    assert cd.objects(truth, old).to_dict()["b", "0.000-9.000"] == pytest.approx(0.8718, abs=1e-4)


def test_every_verb_of_python_takes_what_is_scored(golden: tuple[str, str]) -> None:
    given: dict[str, Any] = {"collar": 0.5, "skip_overlap": True, "uem": {"talk": [(0, 40)]}}
    told: Any = cd.explain(*golden, **given)
    rate = cd.compare(*golden, "der", **given)["der"].value
    assert float(told.score) == rate
    left = sum(told.meet.both.tolist())
    table: Any = cd.contingency(golden[0], golden[1], **given)
    assert table.meet.objects == left
    scores = cd.objects(golden[0], golden[1], **given)
    assert str(scores.measure) == "extended_bcubed_f(f='objects')"
    assert scores.counts is not None
    assert scores.counts.sum() == left
    page = cd.page(golden[0], golden[1], **given)
    assert f"{rate:.4f}" in page.html
    with pytest.raises(ClusterdiffError, match="is not a mean over objects"):
        cd.objects(golden[0], golden[1], "der")
