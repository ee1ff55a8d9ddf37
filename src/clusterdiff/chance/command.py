"""`clusterdiff chance`: a score beside those of random guesses."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from clusterdiff.chance.chance import Chance, chance_of_sides, check_model
from clusterdiff.cli import options as o
from clusterdiff.cli.inputs import Inputs, with_inputs
from clusterdiff.cli.options import asked_for
from clusterdiff.cli.streams import show
from clusterdiff.measures import measure_named

HELP = """\b
  clusterdiff chance truth.csv guess.csv -m rand
  clusterdiff chance truth.csv guess.csv -m elm_f,nmi --null number

\b
Random guesses (--null):
  permutation   shuffled over the objects, cluster sizes kept (default)
  number        drawn from all partitions with as many clusters as the guess
  uniform       drawn from all partitions
z is the number of standard deviations by which a score is better than
expected; p is the share of random guesses that score as well. A small p
excludes chance and nothing else: it does not mean that a guess is good.
"""


class NullModel(StrEnum):
    """The guesses that are drawn."""

    permutation = "permutation"
    number = "number"
    uniform = "uniform"


@with_inputs("kind", "degree", "rest")
def chance(
    inputs: Inputs,
    truth: o.Truth,
    guess: o.Guess,
    measures: o.Measures = None,
    allow_code: o.AllowCode = False,
    null: Annotated[
        NullModel, typer.Option(help="Which random guesses to compare with.")
    ] = NullModel.permutation,
    draws: Annotated[
        int, typer.Option(metavar="N", help="Number of random guesses; 0 for closed forms only.")
    ] = 9999,
    seed: Annotated[int, typer.Option(metavar="N", help="Seed of random draws.")] = 0,
    format: Annotated[str, o.format_option(Chance)] = "text",
) -> None:
    """Compare a score with those of random guesses."""
    check_model(null.value, draws, seed)
    asked = asked_for(measures, allow_code) or [measure_named("elm_f")]
    sides = inputs.opened(truth, guess)
    show(chance_of_sides(sides, asked, inputs.policy, null.value, draws, seed), format)
