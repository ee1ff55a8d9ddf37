"""Numbers of the paper on soft clusterings: Examples 2.2 to 4.3, and Table 2 as far as it goes.

The equations have pairs of different objects and divide moves by n - 1; much of what is printed
counts all n² pairs, or divides by n.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from itertools import product
from typing import NamedTuple

from clusterdiff.clusterings import Evidential, Fuzzy, Partition, Possibilistic, Rough, Soft
from clusterdiff.measures import Measure
from clusterdiff.measures.evidential import (
    partition_distance_alpha,
    rand_alpha,
    rand_belief,
    rand_conflict,
    rand_jousselme,
)
from clusterdiff.measures.fuzzy import rand_brouwer, rand_campello, rand_frigui, rand_hullermeier
from clusterdiff.measures.matching import partition_distance
from clusterdiff.measures.transport import transport
from clusterdiff_lab.papers.paper import Printed, Value, is_printed, numbers

OBJECTS = ["x1", "x2", "x3", "x4", "x5"]
C = Partition([1, 2, 2, 3, 1], OBJECTS)
R = Rough([{1}, {2}, {2, 3}, {3}, {1, 2, 3}], OBJECTS)
F = Fuzzy([[1, 0, 0], [0, 1, 0], [0, 0.5, 0.5], [0, 0, 1], [1 / 3] * 3], OBJECTS, labels=[1, 2, 3])
P = Possibilistic(
    [[1, 0, 0], [0, 1, 0], [0, 1, 1], [0, 0, 1], [1, 1, 0.8]], OBJECTS, labels=[1, 2, 3]
)
M = Evidential(
    [
        {(1,): 1},
        {(2,): 1},
        {(2, 3): 0.5, (1, 2, 3): 0.5},
        {(3,): 1},
        {(1, 2, 3): 0.5, (1,): 1 / 6, (2,): 1 / 6, (3,): 1 / 6},
    ],
    ids=OBJECTS,
)
SOFT: Mapping[str, Soft] = {"R": R, "F": F, "P": P, "M": M}
VACUOUS = Rough([{1, 2, 3}] * 5, OBJECTS)

TOGETHER = [1, 1]
AMBIGUOUS = Evidential([{(2,): 1}, {(2, 3): 0.5, (1, 2, 3): 0.5}])
"""The objects x2 and x3 of M, of which nothing is known."""
BY_CHANCE = Fuzzy([[1, 0], [0.5, 0.5]])
"""Two objects that are together with chance 1/2."""
LACKING = Possibilistic([[1, 0], [0.6, 0.3]], labels=[1, 2])
"""Two objects, the second with possibilities below 1."""


IRIS = [i // 50 for i in range(150)]
"""Three classes of fifty."""

AT: Mapping[float, str] = {0: "₀", 0.5: "½", 1: "₁"}
"""How alpha is written."""

# What a clustering knows


def _together() -> Value:
    """The pairs of objects that C has in one cluster."""
    known = Rough(C)
    pairs = [(x, y) for x, y in product(OBJECTS, repeat=2) if known.relation(x, y).same == 1]
    return ", ".join(f"({x[1:]},{y[1:]})" for x, y in pairs)


def _known_of(pair: str, printed: str) -> Printed:
    """What M knows of two objects."""
    x, y = (f"x{number}" for number in pair)
    return Printed(TABLE_1, f"{x}, {y}", printed, lambda: tuple(M.relation(x, y)))


def _tuples(soft: Soft) -> list[tuple[int, ...]]:
    """The hard clusterings that a clustering allows, the largest labels first."""
    sets = list(soft.distribution())
    return sorted({found for focal in sets for found in product(*focal)}, reverse=True)


def _renamed(labels: tuple[int, ...]) -> tuple[int, ...]:
    """Equal values for labels of one partition."""
    return tuple(map(labels.index, labels))


def _chances() -> Value:
    """The hard clusterings behind F, and the chance that all of them have."""
    chances = {round(p, 12) for p in F.distribution().values()}
    listed = " ".join("".join(map(str, labels)) for labels in _tuples(F))
    return f"{listed}: 1/{1 / min(chances):.0f} each" if len(chances) == 1 else listed


def _masses() -> Value:
    """The masses of M, the large ones first."""
    return tuple(sorted(M.distribution().values(), reverse=True))


def _by_size(mass: tuple[frozenset[int], float]) -> int:
    return len(mass[0])


# Transport, and the measures that bound it


class MeasureByAlpha(NamedTuple):
    """A measure at several alphas, and the variant that much of the print was made with."""

    written: str
    """How the paper writes it, with places for alpha and for the soft clustering."""
    measure: Measure
    variant: Measure | None = None
    complement: bool = False
    """Whether the paper has the distance that is 1 less the measure."""

    def at(self, alpha: float, name: str, *, variant: bool = False) -> float:
        """The value for C and a soft clustering."""
        measure = self.variant if variant else self.measure
        assert measure is not None
        score: float = measure(C, SOFT[name], alpha=alpha)
        return 1 - score if self.complement else score

    def row(self, where: str, name: str, alpha: float, printed: str) -> Printed:
        """The value at one alpha, as printed and as computed."""
        what = self.written.format(AT[alpha], name)
        value = partial(self.at, alpha, name)
        if self.variant is None:
            return Printed(where, what, printed, value)
        varied = partial(self.at, alpha, name, variant=True)
        return Printed(where, what, printed, value, varied, str(self.variant(alpha=alpha)))

    def rows(self, where: str, **printed: tuple[str, str]) -> list[Printed]:
        """The values at alpha = 0 and 1 for several soft clusterings."""
        return [
            self.row(where, name, alpha, text)
            for name, ends in printed.items()
            for alpha, text in enumerate(ends)
        ]


D_RAND = MeasureByAlpha("d{}(C, {})", transport("rand"), complement=True)
D_MOVES = MeasureByAlpha(
    "d{}(C, {})", transport("partition_distance"), transport("partition_distance(over='n')")
)
RAND = MeasureByAlpha("Rand{}(C, {})", rand_alpha, rand_alpha(pairs="all"))
DELTA = MeasureByAlpha("δ{}(C, {})", partition_distance_alpha, partition_distance_alpha(over="n"))


def _of_each(where: str, what: str, value: Callable[[str], Value]) -> Iterator[Printed]:
    """What the paper does not print of C and each soft clustering."""
    for name in SOFT:
        yield Printed(where, what.format(name), "", partial(value, name))


def _from_vacuous(alpha: float) -> Value:
    """How far C is from a clustering that knows nothing."""
    score: float = transport("rand", alpha=alpha)(C, VACUOUS)
    return 1 - score


# Table 2: what no clustering can give


def _moved(over: str) -> Value:
    """The partition distances next to the printed one: 16 and 17 of Iris moved."""
    return tuple(
        partition_distance(IRIS, [*IRIS[:-moved], *[0] * moved], over=over) for moved in (16, 17)
    )


def _least_gap_of_rand() -> Value:
    """How far 1 - d₀ stays below Rand₀, at least, in the examples."""
    return min(RAND.at(0, name) - (1 - D_RAND.at(0, name)) for name in SOFT)


def _least_gap_of_moves() -> Value:
    """How far d₁ stays below δ₁, at least, in the examples."""
    return min(DELTA.at(1, name) - D_MOVES.at(1, name) for name in SOFT)


def _gap_of_draws() -> Value:
    """How far 1,000 draws are from the lower end, for C and M."""
    drawn, exact = transport("rand", method="sample")(C, M), transport("rand")(C, M)
    gap: float = drawn.estimate[0] - exact.low
    return gap


CONFLICT = "Section 2.3.1, by conflict and by Jousselme's distance"
HALFWAY = "Alpha = 1/2 in Examples 3.2 to 4.3: d of 1 - Rand, d of d_π, and δ"
TABLE_1 = "Table 1, Example 2.6: masses of empty, together, apart, unknown"
BELIEFS = "Example 2.7, objects x2 and x3"
DEGREES = "Section 2.3.1, indices of degrees of membership"
VAGUE = "Example 4.1, R' of which nothing is known, d = 1 - Rand"
BELOW_1 = "Possibilities below 1: (1, 0) and (0.6, 0.3), empty mass 1 - max"
IRIS_TABLE = "Table 2, Iris"

VALUES: tuple[Printed, ...] = (
    Printed(
        "Example 2.2", "pairs of [C]", "(1,5), (5,1), (2,3), (3,2)", _together,
        note="the five pairs (x, x) belong to the relation",
    ),
    Printed(
        "Example 2.4", "hard clusterings in C(R): tuples, partitions", "6",
        lambda: (float(len(_tuples(R))), float(len({_renamed(labels) for labels in _tuples(R)}))),
    ),
    *(
        _known_of(pair, printed)
        for pair, printed in {
            "12": "0, 0, 1, 0",
            "13": "0, 0, 0.5, 0.5",
            "14": "0, 0, 1, 0",
            "15": "0, 1/6, 1/3, 0.5",
            "23": "0, 0, 0, 1",
            "24": "0, 0, 1, 0",
            "25": "0, 1/6, 1/3, 0.5",
            "34": "0, 0, 0, 1",
            "35": "0, 0, 1/12, 11/12",
            "45": "0, 1/6, 1/3, 0.5",
        }.items()
    ),
    Printed(
        BELIEFS, "d_B(M, M1)", "0.5", lambda: 1 - rand_belief(TOGETHER, AMBIGUOUS),
        note="m(Ω) in the text is m(Θ)",
    ),
    Printed(BELIEFS, "d_B(M2, M1)", "0.5", lambda: 1 - rand_belief(TOGETHER, BY_CHANCE)),
    Printed(BELIEFS, "d_J(M, M1)", "0.71", lambda: 1 - rand_jousselme(TOGETHER, AMBIGUOUS)),
    Printed(
        BELIEFS, "d_J(M2, M1)", "0.5", lambda: 1 - rand_jousselme(TOGETHER, BY_CHANCE),
        note="written d_B; the two have the same value here",
    ),
    *_of_each(
        CONFLICT, "Rand_K, Rand_J(C, {})",
        lambda name: (rand_conflict(C, SOFT[name]), rand_jousselme(C, SOFT[name])),
    ),
    Printed(
        DEGREES, "Hüllermeier (C, F), half the sum of differences", "",
        lambda: rand_hullermeier(C, F), note="Equation (8)",
    ),
    Printed(DEGREES, "Brouwer (C, F), cosine", "", lambda: rand_brouwer(C, F)),
    Printed(DEGREES, "Campello (C, F), min and max", "", lambda: rand_campello(C, F)),
    Printed(
        DEGREES, "Frigui (C, F), product and bounded sum", "", lambda: rand_frigui(C, F),
        note="as Rand_α(C, F), since C is hard",
    ),
    Printed(
        DEGREES, "Campello and Frigui (F, F)", "",
        lambda: (rand_campello(F, F), rand_frigui(F, F)),
        note="below 1 for a clustering and itself, as the paper says",
    ),
    Printed(
        "Example 3.1", "Pr_F", "12333 12332 12331 12233 12232 12331: 1/6 each", _chances,
        note="12331 is listed twice, 12231 is left out",
    ),
    Printed(
        "Example 3.1", "Poss_P", "0.8, 0.8, 1 × 4",
        lambda: tuple(sorted(P.possibility(labels) for labels in _tuples(P))),
    ),
    Printed("Example 3.1", "m_M", "0.25, 0.25, 1/12 × 6", _masses),
    *(
        family.row(where, "R", alpha, printed)
        for where, family, listed in (
            ("Example 3.2, d = 1 - Rand", D_RAND, ("0", "0.25", "0.5")),
            ("Example 3.2, d = d_π", D_MOVES, ("0", "0.2", "0.4")),
        )
        for alpha, printed in zip(AT, listed, strict=True)
    ),
    *D_RAND.rows(
        "Example 3.3, d = 1 - Rand", F=("0.267", "0.267"), P=("0", "0.48"), M=("1/12", "0.442")
    ),
    *D_MOVES.rows(
        "Example 3.3, d = d_π", F=("0.23", "0.23"), P=("0", "0.4"), M=("0.07", "0.37")
    ),
    *_of_each(
        HALFWAY, "d½(C, {0}), d½(C, {0}), δ½(C, {0})",
        lambda name: tuple(family.at(0.5, name) for family in (D_RAND, D_MOVES, DELTA)),
    ),
    Printed(
        VAGUE, "d₀(C, R')", "0", lambda: _from_vacuous(0)
    ),
    Printed(
        VAGUE, "d₁(C, R')", "1", lambda: _from_vacuous(1),
        note="1 - Rand is 1 only between one cluster and single objects; farthest from C is one "
        "cluster",
    ),
    *RAND.rows(
        "Example 4.2",
        R=("1", "0.52"), F=("0.79", "0.79"), P=("1", "0.54"), M=("0.95", "0.55"),
    ),
    *_of_each(
        "Corollary 4.2", "Rand½, Rand_B(C, {})",
        lambda name: (RAND.at(0.5, name), rand_belief(C, SOFT[name])),
    ),
    *DELTA.rows(
        "Example 4.3", R=("0", "0.5"), F=("0.23", "0.23"), P=("0", "0.48"), M=("0.07", "0.47")
    ),
    Printed(
        BELOW_1, "masses of the second: {}, {1}, {1,2}", "",
        lambda: tuple(mass for _, mass in sorted(LACKING.of(1).items(), key=_by_size)),
    ),
    Printed(
        BELOW_1, "the two: empty, together, apart, unknown", "",
        lambda: tuple(LACKING.relation(0, 1)),
    ),
    Printed(
        BELOW_1, "Rand₀, Rand½, Rand₁, Rand_B with C = (1, 1)", "",
        lambda: (
            *(rand_alpha(TOGETHER, LACKING, alpha=alpha) for alpha in AT),
            rand_belief(TOGETHER, LACKING),
        ),
    ),
    Printed(
        BELOW_1, "d₀ and d₁ with C = (1, 1), d = 1 - Rand", "",
        lambda: tuple(
            1 - transport("rand", alpha=alpha, empty_set="max_distance")(TOGETHER, LACKING)
            for alpha in (0, 1)
        ),
        note="an object in no cluster is at distance 1 from one that is in some",
    ),
    Printed(
        IRIS_TABLE, "k-means, T-PD; by definition its two neighbours", "0.111",
        lambda: _moved("n-1"), lambda: _moved("n"), str(partition_distance(over="n")),
        note="between two hard clusterings of 150 objects, d_π is a whole number over 149",
        agrees=lambda value: any(is_printed("0.111", x) for x in numbers(value)),
        otherwise="impossible",
    ),
    Printed(
        IRIS_TABLE, "ECM, upper end of A-RI less that of T-RI", "-0.057", _least_gap_of_rand,
        note="0.887 - 0.944; but 1 - d₀ is never above Rand₀: computed is the least difference for "
        "C with R, F, P and M",
        otherwise="impossible",
    ),
    Printed(
        IRIS_TABLE, "ECM, upper end of A-PD less that of T-PD", "-0.008", _least_gap_of_moves,
        note="0.221 - 0.229; but against a hard clustering d₁ is never above δ₁ with no mass on "
        "the empty set",
        otherwise="impossible",
    ),
    Printed(
        IRIS_TABLE, "ECM, lower end of S-RI less that of T-RI", "-0.100", _gap_of_draws,
        note="0.681 - 0.781; but draws stay within the exact ends, up to an error of their mean "
        "that is far smaller: computed for C and M",
        otherwise="impossible",
    ),
)  # fmt: skip
