"""Neighbouring pages joined if they read alike: Table 2, Figures 3 and 4 of the ELM paper.

Clusters are stretches of pages. Pages are vectors of the frequencies of their character 2- and
3-grams, their distance is one minus the cosine. The two neighbouring stretches that are nearest are
joined, again and again; then the dendrogram is cut where a merge is out of proportion to others.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Any, Literal, get_args

import numpy as np

from clusterdiff.array_types import Floats, Ints
from clusterdiff.errors import ClusterdiffError
from clusterdiff.output.describe import count
from clusterdiff.output.figures import SYSTEMS, blank, clear
from clusterdiff.output.table import CellTable, digits
from clusterdiff.progress import progress
from clusterdiff_lab.papers.elm.streams import (
    COLOURS,
    PARTS,
    Scores,
    Streams,
    beside,
    by_stream,
    density,
    measures,
    scored,
    spearman,
    streams_for,
    told_rho,
)
from clusterdiff_lab.papers.elm.values import TABLE_2
from clusterdiff_lab.papers.experiments import Exhibit, Outcome, Picture, Record, Setting

Linkage = Literal["average", "single", "complete"]
"""The distance of two stretches: the mean, least or largest of all pairs of their pages."""
Reading = Literal["below", "itself", "lower"]
"""What a merge is held against: the mean distance of all merges below it in the dendrogram; of
these and itself; or of all merges of the stream whose distance is lower, wherever they are.
"""
COEFFICIENT = 1.5
"""What the paper found to work best."""
CLOSE = 1e-12
MOST = 10_000
"""Pages of a stream: each is held against each, which takes 8 bytes a pair."""
BLOCK = 512
"""Pages that are held against all others at a time."""
CHARACTERS = 21
"""Bits that number a character."""


def segments(
    texts: Sequence[str], linkage: Linkage = "average", reading: Reading = "below"
) -> Ints:
    """The cluster of each page of a stream.

    >>> segments(["to be or not to be", "be or not to be", "12345", "23456"]).tolist()
    [1, 1, 2, 2]
    """
    return clusters(dendrogram(distances(texts), linkage), reading)


def distances(texts: Sequence[str]) -> Floats:
    """One minus the cosine of any two pages; pages without a 2-gram are like each other alone."""
    from scipy.sparse import csr_array

    if len(texts) > MOST:
        raise ClusterdiffError(
            f"a stream has {len(texts):,} pages, and more than {MOST:,} cannot be held each "
            "against each.",
            "cut it into several streams.",
        )
    page, gram = _grams(texts)
    _, code = np.unique(gram, return_inverse=True)
    shape = (len(texts), int(code.max(initial=0)) + 1)
    counts = csr_array((np.ones(page.size), (page, code.ravel())), shape=shape)
    counts.sum_duplicates()
    turned, products = counts.T.tocsr(), np.empty((len(texts), len(texts)))
    for begin in range(0, len(texts), BLOCK):
        block = slice(begin, begin + BLOCK)
        products[block] = (counts[block] @ turned).toarray()
    square = products.diagonal().copy()
    empty = square == 0
    square[empty] = 1.0
    products[np.ix_(empty, empty)] = 1.0
    products /= np.sqrt(np.outer(square, square))
    return np.maximum(1.0 - products, 0.0)


def _grams(texts: Sequence[str]) -> tuple[Ints, Ints]:
    """All 2- and 3-grams as numbers, each with the page that it is on."""
    pages, grams = [], []
    for number, text in enumerate(texts):
        letters = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32) + np.int64(1)
        two = letters[:-1] << CHARACTERS | letters[1:]
        three = two[:-1] << CHARACTERS | letters[2:]
        grams += [two, three]
        pages.append(np.full(two.size + three.size, number))
    none = np.zeros(0, np.int64)
    return np.concatenate([none, *pages]), np.concatenate([none, *grams])


JOINED = {"average": np.add, "single": np.minimum, "complete": np.maximum}


def dendrogram(distance: Floats, linkage: Linkage = "average") -> Floats:
    """All merges as SciPy writes them: both parts, their distance, and how many pages they hold.

    >>> dendrogram(np.array([[0, 2, 5], [2, 0, 1], [5, 1, 0]])).tolist()
    [[1.0, 2.0, 1.0, 2.0], [0.0, 3.0, 3.5, 3.0]]
    """
    pages = len(distance)
    joined, mean = JOINED[linkage], linkage == "average"
    between = np.array(distance, np.float64)
    size, node = [1] * pages, list(range(pages))
    before, after = list(range(-1, pages - 1)), [*range(1, pages), -1]
    gap = np.append(between.diagonal(1), np.inf)
    merges = np.empty((max(pages - 1, 0), 4))

    def renewed(left: int, right: int) -> None:
        if left >= 0:
            pairs = size[left] * size[right] if mean and right >= 0 else 1
            gap[left] = between[left, right] / pairs if right >= 0 else np.inf

    for step in range(len(merges)):
        left = int(gap.argmin())
        right = after[left]
        merges[step, :2] = sorted((node[left], node[right]))
        merges[step, 2] = gap[left]
        size[left] += size[right]
        merges[step, 3] = size[left]
        node[left] = pages + step
        joined(between[left], between[right], out=between[left])
        between[:, left] = between[left]
        gap[right] = np.inf
        after[left] = after[right]
        if after[left] >= 0:
            before[after[left]] = left
        renewed(left, after[left])
        renewed(before[left], left)
    return merges


def clusters(merges: Floats, reading: Reading = "below", coefficient: float = COEFFICIENT) -> Ints:
    """The largest subtrees in which no merge exceeds `coefficient` times its reference."""
    from scipy.cluster.hierarchy import fcluster

    if not len(merges):
        return np.ones(1, np.int64)
    statistics = np.zeros((len(merges), 4))
    statistics[:, 3] = proportions(merges, reading)
    labels = fcluster(merges, coefficient + CLOSE, "inconsistent", R=statistics)
    return np.asarray(labels, np.int64)


def proportions(merges: Floats, reading: Reading = "below") -> Floats:
    """The distance of each merge over the mean it is held against; 1 where that is of none."""
    distance = merges[:, 2]
    total, many = _lower(distance) if reading == "lower" else _below(merges)
    if reading == "itself":
        total, many = total + distance, many + 1
    mean = total / np.maximum(many, 1)
    over = np.where(distance > 0, np.inf, 1.0)
    np.divide(distance, mean, out=over, where=mean > 0)
    return np.where(many == 0, 1.0, over)


def _below(merges: Floats) -> tuple[Floats, Floats]:
    """The sum of the distances below each merge, and how many there are."""
    pages = len(merges) + 1
    below, many = np.zeros((2, len(merges)))
    for step, parts in enumerate(merges[:, :2].astype(np.int64).tolist()):
        for inner in (part - pages for part in parts if part >= pages):
            below[step] += below[inner] + merges[inner, 2]
            many[step] += many[inner] + 1
    return below, many


def _lower(distance: Floats) -> tuple[Floats, Floats]:
    """The sum of all distances that are lower, and how many there are."""
    ordered = np.sort(distance)
    many = np.searchsorted(ordered, distance)
    return np.concatenate([[0.0], np.cumsum(ordered)])[many], many.astype(np.float64)


Way = tuple[Linkage, Reading]
CHOSEN: Way = ("average", "below")
"""The paper names no linkage; the mean over all distances below is by its words."""
STYLES = ("solid", "dash", "dashdot")
IN_WORDS: dict[Reading, str] = {
    "below": "all below", "itself": "and itself", "lower": "all lower",
}  # fmt: skip


def run_hierarchical(setting: Setting) -> Outcome:
    """The guess for every stream, its means beside the printed ones, and other readings."""
    streams = streams_for(setting, text=True)
    scores_by_way = scored(streams, guesses(streams))
    scores = scores_by_way[CHOSEN]
    lines, readings = beside(TABLE_2, {TABLE_2[0].guess: scores}), _readings(streams, scores_by_way)
    return Outcome(
        "Neighbouring pages merged by text similarity (Table 2, Figure 3 of the ELM paper)",
        (
            Exhibit("hierarchical", "Means over streams", _means_table(lines), lines),
            Exhibit(
                "hierarchical-readings",
                "Other readings of the method",
                _readings_table(readings),
                readings,
            ),
        ),
        (_comparable(streams), _how_read(streams), _gaps_observed(scores)),
        (
            Picture(
                "hierarchical",
                "Densities of BCubed less ELM over streams. Dotted lines are means, coloured areas "
                "one standard deviation to both sides.",
                lambda: _gap_densities(scores),
            ),
        ),
        (
            Exhibit.of(
                "hierarchical-by-stream",
                "Scores of all streams",
                by_stream(streams, {TABLE_2[0].guess: scores}),
            ),
        ),
    )


@lru_cache(maxsize=1)
def guesses(streams: Streams) -> Mapping[Way, Ints]:
    """The clusters of all pages, by each linkage and reading."""
    ways: list[Way] = [(of, by) for of in get_args(Linkage) for by in get_args(Reading)]
    stretches: dict[Way, list[Ints]] = {way: [] for way in ways}
    pages = streams.stream.size
    with progress(f"{pages:,} pages", pages) as advance:
        for begin, end in pairwise(streams.edges.tolist()):
            distance = distances(streams.texts[begin:end])
            for linkage in get_args(Linkage):
                merges = dendrogram(distance, linkage)
                for reading in get_args(Reading):
                    stretches[linkage, reading].append(clusters(merges, reading))
            advance(end - begin)
    return {way: np.concatenate(of) for way, of in stretches.items()}


def _means_table(lines: Sequence[Record]) -> CellTable:
    rows = [
        (one["measure"], digits(one["mean"]), digits(one["std"]), one["printed_mean"])
        for one in lines
    ]
    return CellTable(("", "here", "σ", "printed"), tuple(rows))


def _readings(streams: Streams, scores_by_way: Mapping[Way, Scores]) -> list[Record]:
    return [
        {
            "linkage": way[0],
            "held_against": IN_WORDS[way[1]],
            "clusters": _cluster_count(streams, guesses(streams)[way]),
            **{name: float(scores[name]) for _, _, name in measures()},
        }
        for way, scores in scores_by_way.items()
    ]


def _cluster_count(streams: Streams, cluster: Ints) -> int:
    """How many clusters there are, each a stretch of pages."""
    changes = (np.diff(cluster) != 0) | (np.diff(streams.stream) != 0)
    return 1 + int(changes.sum())


def _readings_table(readings: Sequence[Record]) -> CellTable:
    headings = ("linkage, mean of", "clusters", "BCubed P", "R", "F1", "ELM P", "R", "F1")
    rows = [
        (
            f"{one['linkage']}, {one['held_against']}",
            f"{one['clusters']:,}",
            *(f"{one[name]:.3f}" for _, _, name in measures()),
        )
        for one in readings
    ]
    return CellTable(headings, tuple(rows))


def _comparable(streams: Streams) -> str:
    return (
        f"{streams.summary()} The paper has the text of 52 of its 75 streams (N = 52); here N = "
        f"{len(streams.names)}, all of them. Its numbers are those of other streams and other "
        "texts, so that only directions can be compared. What is proved is that ELM is nowhere "
        "above BCubed, which is so for every stream and every reading."
    )


def _how_read(streams: Streams) -> str:
    """How the words of the paper are read."""
    stretches = count(_cluster_count(streams, guesses(streams)[CHOSEN]), "cluster")
    return (
        "Pages are vectors of how often each character 2- and 3-gram is in them, as they are "
        "written, upper and lower case and blanks kept apart. Only neighbouring stretches of "
        "pages are joined. The paper does not name the linkage: here it is the average over all "
        "pairs of pages. A merge is kept if its distance is at most "
        f"{COEFFICIENT} times the mean of all distances below it in the dendrogram, as the paper "
        "has it; one of two single pages has none below and is kept. Clusters are the largest "
        f"subtrees in which all merges are kept: {stretches} where there are "
        f"{count(streams.holds.documents, 'document')}. The other table has what comes out if the "
        "merge itself counts in the mean (the paper also speaks of the distances at the same "
        "level), or if all merges of the stream that are lower do, below or not; and for other "
        "linkages."
    )


def _gaps_observed(scores: Scores) -> str:
    """What the paper observes of its streams, and whether it is so here."""
    gaps = {part: scores.gap(part) for part in PARTS}
    means = {part: float(of.mean()) for part, of in gaps.items()}
    spreads = {part: float(of.std()) for part, of in gaps.items()}
    largest = "so it is here" if max(means, key=means.__getitem__) == "f" else "here it is not"
    widest = "holds" if max(spreads, key=spreads.__getitem__) == "f" else "does not hold"
    here = ", ".join(
        f"{means[part]:.4f} (σ {spreads[part]:.4f}) of {letter}" for part, letter in PARTS.items()
    )
    printed = ", ".join(
        f"{float(bcubed.mean) - float(elm.mean):.2f} of {letter}"
        for letter, bcubed, elm in zip(PARTS.values(), *(row[2:] for row in TABLE_2), strict=True)
    )
    return (
        f"By the printed means BCubed less ELM is largest for F1 ({printed}): {largest}, {here}. "
        f"That it also varies most for F1 {widest} here."
    )


def _gap_densities(scores: Scores) -> Any:
    """The density of each difference, with its mean and its standard deviation."""
    figure = blank()
    gaps = {part: scores.gap(part) for part in PARTS}
    far = max(float(of.max()) for of in gaps.values()) or 1.0
    at = np.linspace(0, far * 1.15, 301)
    curves = {part: density(of, at) for part, of in gaps.items()}
    top = max((float(of.max()) for of in curves.values() if of is not None), default=1.0)
    for part, curve in curves.items():
        mean, spread = float(gaps[part].mean()), float(gaps[part].std())
        if curve is not None:
            within = abs(at - mean) <= spread
            figure.add_scatter(
                x=at[within], y=curve[within], mode="lines", line={"width": 0}, fill="tozeroy",
                fillcolor=clear(COLOURS[part], 0.2), showlegend=False, hoverinfo="skip",
            )  # fmt: skip
    for (part, curve), dash in zip(curves.items(), STYLES, strict=True):
        mean = float(gaps[part].mean())
        height = top if curve is None else float(np.interp(mean, at, curve))
        line = {"color": COLOURS[part], "width": 2}
        figure.add_scatter(
            name=PARTS[part], x=[mean, mean], y=[0, height], mode="lines",
            line=line | {"dash": dash if curve is None else "dot"}, showlegend=curve is None,
        )  # fmt: skip
        if curve is not None:
            figure.add_scatter(
                name=PARTS[part], x=at, y=curve, mode="lines", line=line | {"dash": dash}
            )
    return figure.update_layout(
        xaxis={"title": "BCubed − ELM of a stream"},
        yaxis={"title": "density of streams", "rangemode": "tozero"},
    )


BANDS = 4
"""Into how many parts of about as many streams the table puts them."""


def run_difference(setting: Setting) -> Outcome:
    """The difference for each stream, from shorter documents to longer ones."""
    streams = streams_for(setting, text=True)
    gap = scored(streams, {CHOSEN: guesses(streams)[CHOSEN]})[CHOSEN].gap("f")
    records = _records(streams, gap)
    mean, median = (
        np.array([one[name] for one in records]) for name in ("mean_pages", "median_pages")
    )
    return Outcome(
        "BCubed F1 minus ELM F1, by document length (Figure 4 of the ELM paper)",
        (Exhibit.of("difference", "Streams from shorter documents to longer", _bands(mean, gap)),),
        (
            f"{streams.summary()} The guess is that of Table 2, by average linkage. "
            f"{streams.others()} It has the text of 52 (N = 52); here N = {len(streams.names)}.",
            _fall_observed(spearman(mean, gap), spearman(median, gap)),
        ),
        (
            Picture(
                "difference",
                "BCubed F1 less ELM F1 of each stream, by the mean number of pages of its "
                "documents.",
                lambda: _gap_by_length(mean, gap, streams.names),
            ),
        ),
        (Exhibit.of("difference-by-stream", "All streams", records),),
    )


def _records(streams: Streams, gap: Floats) -> list[Record]:
    rows = zip(streams.names, streams.lengths_by_stream, gap.tolist(), strict=True)
    return [
        {
            "stream": name,
            "mean_pages": float(lengths.mean()),
            "median_pages": float(np.median(lengths)),
            "difference": one,
        }
        for name, lengths, one in rows
    ]


def _bands(mean: Floats, gap: Floats) -> list[Record]:
    """Streams in parts by their mean length, shorter documents first."""
    order = np.argsort(mean, kind="stable")
    return [
        {
            "streams": part.size,
            "least mean pages": float(mean[part].min()),
            "most mean pages": float(mean[part].max()),
            "mean difference of F1": float(gap[part].mean()),
        }
        for part in np.array_split(order, BANDS)
        if part.size
    ]


def _fall_observed(mean: float | None, median: float | None) -> str:
    """What the paper observes of its streams, and whether it is so here."""
    so = "it does not" if mean is None or mean >= 0 else "it falls, too, on the whole"
    steeper = mean is not None and median is not None and median < mean < 0
    return (
        "The paper sees the difference fall as the mean number of pages grows; here "
        f"{so}: {told_rho(mean)}. With the median in place of the mean, for which the paper says "
        f"the picture is even more skewed, {told_rho(median)}"
        f"{', a closer relation' if steeper else ''}."
    )


def _gap_by_length(mean: Floats, gap: Floats, names: Sequence[str]) -> Any:
    figure = blank()
    figure.add_scatter(
        name="a stream",
        x=mean,
        y=gap,
        mode="markers",
        marker={"color": SYSTEMS[0], "size": 8, "opacity": 0.7},
        hovertext=[f"stream {name}" for name in names],
        hoverinfo="text+x+y",
        cliponaxis=False,
    )
    return figure.update_layout(
        xaxis={"title": "mean pages of a document", "rangemode": "tozero"},
        yaxis={"title": "BCubed F1 − ELM F1", "rangemode": "tozero", "tickformat": ".2f"},
        showlegend=True,
    )
