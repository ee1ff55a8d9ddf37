"""Table 2 of the paper: five algorithms on Iris, scored by transport, by draws and by bounds."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib import import_module
from typing import Any, NamedTuple

from clusterdiff.array_types import Floats
from clusterdiff.clusterings import Partition
from clusterdiff.measures.matching import partition_distance
from clusterdiff.measures.pairs import rand
from clusterdiff.output.figures import SYMBOLS, SYSTEMS, blank
from clusterdiff.output.table import CellTable
from clusterdiff.progress import progress
from clusterdiff_lab.papers.experiments import Exhibit, Outcome, Picture, Record, Setting
from clusterdiff_lab.papers.soft.algorithms import (
    HARDER,
    MOVES,
    NAMES,
    PRINTED,
    RAND,
    SAMPLES,
    Fitted,
    Ledger,
    Parameters,
    Scored,
    at_half,
    by_closed_form,
    by_draws,
    by_transport,
    fitted,
    hold,
)


class PrintedScore(NamedTuple):
    """A printed score, from low to high, and the seconds it took."""

    low: float | None
    high: float | None
    seconds: float | None

    def __str__(self) -> str:
        if self.low is None:
            return "—"
        return f"{self.low:.3f}" if self.low == self.high else f"{self.low:.3f}–{self.high:.3f}"


ALGORITHMS = ("KM", "RKM", "FCM", "PCM", "ECM")

TABLE_2_TEXT = """
T-RI  0.877 (0.034)  0.874 0.886 (0.802)  0.876 (784.388)  0.839 0.941 (979.053)  0.781 0.944 (1394.69)
S-RI  -              0.874 0.886 (0.429)  0.876 (11.266)   0.860 0.927 (19.848)   0.681 0.819 (19.845)
A-RI  -              0.871 0.889 (6.949)  0.876 (6.924)    0.826 0.966 (7.146)    0.747 0.887 (7.024)
T-PD  0.111 (0.031)  0.099 0.113 (0.803)  0.112 (184.707)  0.033 0.122 (224.31)   0.041 0.229 (431.57)
S-PD  -              0.100 0.113 (0.202)  0.112 (11.391)   0.072 0.103 (13.739)   0.154 0.209 (16.424)
A-PD  -              0.099 0.113 (1.807)  0.112 (1.665)    0.033 0.136 (2.926)    0.039 0.221 (3.386)
"""  # noqa: E501
"""By metric and algorithm, in the order of ALGORITHMS."""


def _parsed_cell(text: str) -> PrintedScore:
    if text == "-":
        return PrintedScore(None, None, None)
    *ends, seconds = (float(number) for number in re.findall(r"[\d.]+", text))
    return PrintedScore(ends[0], ends[-1], seconds)


def _parsed() -> Mapping[str, Mapping[str, PrintedScore]]:
    rows = [re.split(r" {2,}", line) for line in TABLE_2_TEXT.strip().splitlines()]
    return {
        metric: dict(zip(ALGORITHMS, map(_parsed_cell, cells), strict=True))
        for metric, *cells in rows
    }


TABLE_2 = _parsed()

IMPOSSIBLE = (
    {"printed": "KM: T-PD 0.111", "but": "it is k/149 or k/150: 0.107, 0.113"},
    {"printed": "RKM: T-PD and A-PD from 0.099", "but": "d₀ is k/149 or k/150: 0.094, 0.100"},
    {"printed": "ECM: T-RI to 0.944, A-RI to 0.887", "but": "1 - d₀ ≤ Rand₀"},
    {"printed": "ECM: T-PD to 0.229, A-PD to 0.221", "but": "d₁ ≤ δ₁, no mass being on ∅"},
    {"printed": "ECM: S-RI 0.681–0.819, T-RI 0.781–0.944", "but": "draws lie within T-RI"},
)
"""Printed numbers that no clusterings give."""


METRICS = ("T-RI", "S-RI", "A-RI", "T-PD", "S-PD", "A-PD")


class IrisPart(NamedTuple):
    """The table for some parameters."""

    name: str
    title: str
    parameters: Parameters
    models: Mapping[str, Fitted]
    scores: Mapping[str, Mapping[str, Scored]]
    """By algorithm and metric."""


def run_iris(setting: Setting) -> Outcome:
    """The table by the paper's parameters, and by some that give clusters as hard as it says."""
    import_module("clusterdiff_lab.estimators")  # says what to install where scikit-learn is not
    data, truth, species = _iris()
    ledger = Ledger()
    parts = [
        _part("iris", "By the parameters of the paper", PRINTED, data, truth, setting, ledger),
        _part("iris-harder", "By harder ones", HARDER, data, truth, setting, ledger),
    ]
    impossible: list[Record] = [dict(row) for row in IMPOSSIBLE]
    return Outcome(
        "Five algorithms on Iris (Table 2 of the paper on soft clusterings)",
        (
            *(_shown(part) for part in parts),
            _seconds(parts[0]),
            Exhibit.of("iris-impossible", "Printed numbers that are impossible", impossible),
            ledger.exhibit("iris-inequalities"),
        ),
        _notes(parts, data, truth),
        (
            Picture("iris-data", CAPTION, lambda: _plane(data, truth, species)),
            *(
                Picture(
                    f"{part.name}-{base.lower()}",
                    f"{WORDS[base]} with the truth, here (bars) and as printed (thin lines): "
                    f"{part.parameters}.",
                    lambda part=part, base=base: _bars(part, base),  # type: ignore[misc]
                )
                for part in parts
                for base in WORDS
            ),
        ),
        key=(
            f"{NAMES} T: by transport, exact; with a star one end or both are out of reach, and "
            f"these are certain bounds. S: {SAMPLES:,} draws (seed {setting.seed}), "
            f"{_solved(parts)}. A: closed forms. From low to high: what is unknown counted as an "
            "error and not, or the other way round for a distance; without a star, the value at "
            "α = 0.5 is in the middle.",
        ),
    )


def _solved(parts: Sequence[IrisPart]) -> str:
    """How draws were scored, and the standard errors of their means."""
    drawn = [s[f"S-{base}"] for part in parts for s in part.scores.values() for base in WORDS]
    how = "each solved exactly" if all(one.exact or one.drawn for one in drawn) else "bounded"
    return f"{how} (files have limits that hold at 99.9999 %)"


CAPTION = "Iris in the plane of its first two principal components."
WORDS = {"RI": "Rand index", "PD": "Partition distance"}


def _iris() -> tuple[Floats, Partition, Sequence[str]]:
    from sklearn.datasets import load_iris

    iris = load_iris()
    return iris.data, Partition(iris.target), [str(name) for name in iris.target_names]


def _part(
    name: str, title: str, parameters: Parameters, data: Floats, truth: Partition,
    setting: Setting, ledger: Ledger,
) -> IrisPart:  # fmt: skip
    models = fitted(data, parameters, setting.seed)
    scores: dict[str, dict[str, Scored]] = {}
    with progress(f"scoring, {title.lower()}", len(models) * len(METRICS)) as advance:
        for algorithm, model in models.items():
            guess, by_metric = model.clustering, {}
            for base, measure in (("RI", RAND), ("PD", MOVES)):
                by_metric[f"T-{base}"] = by_transport(measure, truth, guess)
                advance(1)
                by_metric[f"S-{base}"] = by_draws(measure, truth, guess, setting.seed, SAMPLES)
                advance(1)
                by_metric[f"A-{base}"] = by_closed_form(base, truth, guess)
                advance(1)
            half = {base: at_half(base, truth, guess) for base in WORDS}
            hold(ledger, truth, guess, by_metric, half, f"{algorithm}, {parameters}")
            scores[algorithm] = {metric: by_metric[metric] for metric in METRICS}
    return IrisPart(name, f"{title}: {parameters}", parameters, models, scores)


def _shown(part: IrisPart) -> Exhibit:
    """The table with the printed one between its lines; a star is on what is bounded only."""
    records = [
        _record(metric, name, scores[metric], TABLE_2[metric][name])
        for metric in METRICS
        for name, scores in part.scores.items()
    ]
    table = CellTable(("", *part.scores), tuple(_beside_print(part, _ends, str)))
    return Exhibit(part.name, part.title, table, records)


def _beside_print(
    part: IrisPart, here: Callable[[Scored], str], printed: Callable[[PrintedScore], str]
) -> Iterator[tuple[str, ...]]:
    """A line for each metric, with the printed one below it."""
    for metric in METRICS:
        yield metric, *(here(scores[metric]) for scores in part.scores.values())
        yield "  printed", *(printed(TABLE_2[metric][name]) for name in part.scores)


def _ends(score: Scored) -> str:
    """The ends, one number if they are the same."""
    if score.high - score.low < 5e-5:
        return f"{score.low:.4f}{_star(score)}"
    return f"{score.low:.3f}–{score.high:.3f}{_star(score)}"


def _record(metric: str, algorithm: str, score: Scored, printed: PrintedScore) -> Record:
    return {
        "metric": metric, "algorithm": algorithm, "low": score.low, "high": score.high,
        "at_alpha_half": None if score.bounded else (score.low + score.high) / 2,
        "outer_low": score.outer[0], "outer_high": score.outer[1], "how": score.how,
        "seconds": score.seconds, "printed_low": printed.low, "printed_high": printed.high,
        "printed_seconds": printed.seconds,
    }  # fmt: skip


def _seconds(part: IrisPart) -> Exhibit:
    """Seconds here and in print; what took them is starred as in the table."""
    fits = {name: model.seconds for name, model in part.models.items()}
    took = [
        (metric, name, scores[metric].seconds, TABLE_2[metric][name].seconds)
        for metric in METRICS
        for name, scores in part.scores.items()
    ] + [("clustering", name, seconds, None) for name, seconds in fits.items()]
    keys = ("what", "algorithm", "seconds", "printed_seconds")
    records: list[Record] = [dict(zip(keys, one, strict=True)) for one in took]
    rows = (
        *_beside_print(
            part, lambda s: f"{_time(s.seconds)}{_star(s)}", lambda cell: _time(cell.seconds)
        ),
        ("clustering", *map(_time, fits.values())),
    )
    title = "Seconds, by the parameters of the paper"
    return Exhibit("iris-seconds", title, CellTable(("", *part.scores), rows), records)


def _time(seconds: float | None) -> str:
    return "—" if seconds is None else f"{seconds:.3f}"


def _star(score: Scored) -> str:
    """The mark of what is bounded only."""
    return "*" if score.bounded else ""


def _notes(parts: Sequence[IrisPart], data: Floats, truth: Partition) -> tuple[str, ...]:
    warned = [
        f"{name} at {part.parameters.of(name)}: {model.warned}"
        for part in parts
        for name, model in part.models.items()
        if model.warned
    ]
    fuzzy = {part.parameters.m: part.scores["FCM"]["T-RI"].low for part in parts}
    at = ", ".join(f"{value:.4f} at m = {m:g}" for m, value in fuzzy.items())
    same = ", ".join(f"{a} {m}" for m in METRICS for a in parts[0].scores if _same(parts[0], a, m))
    return (
        f"By the parameters of the paper these come out as printed, to all digits: "
        f"{same or 'none'}. (A partition distance also if it is so over n in place of n - 1.)",
        f"The paper says that its parameters make clusters as hard as can be. For m that is not "
        f"so: fuzzy c-means is the harder the closer m is to 1. By transport its Rand index is "
        f"{at}; {TABLE_2['T-RI']['FCM']} is printed. So the second table reads 5 as the power of "
        "the distance that memberships fall with, 2/(m - 1), and takes α = 1.",
        *_two_optima(data, truth),
        *warned,
    )


def _same(part: IrisPart, algorithm: str, metric: str) -> bool:
    """Whether both ends are printed so, by one normalisation or the other."""
    score, printed = part.scores[algorithm][metric], TABLE_2[metric][algorithm]
    objects = len(part.models[algorithm].clustering)
    over_n = (objects - 1) / objects if metric.endswith("PD") else 1.0
    return any(
        (f"{score.low * unit:.3f}", f"{score.high * unit:.3f}")
        == (f"{printed.low:.3f}", f"{printed.high:.3f}")
        for unit in (1.0, over_n)
        if printed.low is not None
    )


def _two_optima(data: Floats, truth: Partition) -> tuple[str, ...]:
    """The two best k-means clusterings of Iris, between which the printed numbers lie."""
    from sklearn.cluster import KMeans

    runs = [KMeans(3, init="random", n_init=1, random_state=k).fit(data) for k in range(20)]
    best: dict[float, Any] = {round(one.inertia_, 3): one.labels_ for one in runs}
    two = [best[inertia] for inertia in sorted(best)[:2]]
    pairs = [float(rand(truth, one)) for one in two]
    moves = [float(partition_distance(truth, one)) for one in two]
    return (
        f"k-means has two good ends on Iris, with Rand indices {pairs[0]:.4f} and {pairs[1]:.4f} "
        f"and partition distances {moves[0]:.4f} and {moves[1]:.4f}. "
        "What is printed for KM is not a single clustering; their means are "
        f"{sum(pairs) / 2:.4f} and {sum(moves) / 2:.4f}.",
    )


def _plane(data: Floats, truth: Partition, species: Sequence[str]) -> Any:
    from sklearn.decomposition import PCA

    plane = PCA(2).fit_transform(data)
    labels = truth.labels.tolist()
    figure = blank()
    for code, name in enumerate(species):
        mine = [i for i, label in enumerate(labels) if label == code]
        figure.add_scatter(
            name=name, x=plane[mine, 0], y=plane[mine, 1], mode="markers",
            marker={"color": SYSTEMS[code], "symbol": SYMBOLS[code], "size": 7},
        )  # fmt: skip
    return figure.update_layout(
        xaxis={"title": "first component (cm)"}, yaxis={"title": "second component (cm)"}
    )


def _bars(part: IrisPart, base: str) -> Any:
    """Intervals of the three ways side by side for each algorithm, the printed ones beneath."""
    figure = blank()
    names = list(part.scores)
    for k, way in enumerate("TSA"):
        metric = f"{way}-{base}"
        for printed in (False, True):
            ends = [_drawn_ends(part, metric, name, printed) for name in names]
            places = [i + (k - 1) * 0.26 + printed * 0.1 for i in range(len(names))]
            figure.add_scatter(
                name=f"{metric} printed" if printed else metric,
                x=places,
                y=[None if e is None else sum(e) / 2 for e in ends],
                mode="markers",
                marker={"color": SYSTEMS[k], "symbol": SYMBOLS[k], "size": 4 if printed else 7},
                error_y={
                    "array": [None if e is None else (e[1] - e[0]) / 2 for e in ends],
                    "thickness": 1 if printed else 4,
                    "width": 3 if printed else 0,
                    "color": SYSTEMS[k],
                },
                opacity=0.7 if printed else 1,
            )
    return figure.update_layout(
        xaxis={"tickvals": list(range(len(names))), "ticktext": names, "title": "algorithm"},
        yaxis={"title": WORDS[base], "rangemode": "tozero"},
    )


def _drawn_ends(
    part: IrisPart, metric: str, name: str, printed: bool
) -> tuple[float, float] | None:
    if not printed:
        return part.scores[name][metric].low, part.scores[name][metric].high
    cell = TABLE_2[metric][name]
    return None if cell.low is None or cell.high is None else (cell.low, cell.high)
