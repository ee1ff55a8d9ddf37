"""Claims of the ELM paper on its figures: D1 is better than D2."""

from __future__ import annotations

from itertools import product

from clusterdiff.laboratory.search.engine import Stage
from clusterdiff.laboratory.spaces.comparison import Labels, draw
from clusterdiff.laboratory.spaces.contingency import Contingency, table_of
from clusterdiff.measures import Measure
from clusterdiff.measures.hard.bcubed import elm_f
from clusterdiff.papers.elm.scores import F1
from clusterdiff.papers.paper import Finding
from clusterdiff.papers.statements import on_trial, repaired, throughout, told

Figure = tuple[Contingency, Contingency]
"""The guess that should lose, D2, and the one that should win, D1."""


def _figure(parts: tuple[int, ...], truth: Labels, d1: Labels, d2: Labels) -> Figure:
    """Parts C1, C2 and C3 of some sizes; what truth and both guesses call each of them."""
    of_truth, one, two = (
        tuple(name for name, size in zip(names, parts, strict=True) for _ in range(size))
        for names in (truth, d1, d2)
    )
    return table_of(of_truth, two), table_of(of_truth, one)


def rag_bag(clean: int, bag: int) -> Figure:
    """Figure 6: the bag has a class for each of its elements, and so has the stray one."""
    truth = (*(0,) * clean, *range(1, bag + 2))
    rest = (1,) * bag
    return table_of(truth, (*(0,) * clean, *rest, 0)), table_of(truth, (*(0,) * clean, *rest, 1))


def wins(stage: Stage[Figure], measures: dict[str, Measure]) -> Finding:
    """Whether D1 of a figure scores more than D2."""

    def said(figure: Figure) -> str:
        for name, measure in measures.items():
            two, one = map(on_trial(measure).score, figure)
            if on_trial(measure).better(two, one) != 1:
                return f"{name} is {told(one)} for D1, {told(two)} for D2"
        return ""

    def drawn(figure: Figure) -> str:
        two, one = figure
        truth, guess = two.drawn
        return f"truth {truth}, D1 {draw(two.guess_of(one))}, D2 {guess}"

    return throughout(stage, said, drawn)


def _by_size(figures: list[Figure]) -> list[Figure]:
    return sorted(figures, key=lambda figure: figure[0].objects)


def figure_5_or_7(truth: Labels, d1: Labels, d2: Labels) -> Finding:
    """A figure whose three parts have any sizes."""
    of_sizes = [_figure(parts, truth, d1, d2) for parts in product(range(1, 5), repeat=3)]
    return wins(Stage("|C1|, |C2| and |C3| = 1 to 4", lambda: _by_size(of_sizes)), F1)


def figure_6() -> Finding:
    """The rag bag, and what is left of it if the bag has one element."""
    elm = {"ELM F1": elm_f}
    bags = _by_size([rag_bag(*of) for of in product(range(1, 5), range(2, 5))])
    of_one = [rag_bag(clean, 1) for clean in range(1, 5)]
    found = wins(Stage("|C1| = 1 to 4, |C2| = 2 to 4, |C3| = 1", lambda: bags), elm)
    alone = wins(Stage("|C1| = 1 to 4, |C2| = 1", lambda: of_one), elm)
    return repaired(found, "with a bag of one", alone)
