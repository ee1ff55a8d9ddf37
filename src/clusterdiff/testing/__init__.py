"""For tests: a clustering that must not get worse, and what our own measures pass."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from clusterdiff.measures import Claims, Measure, measure_named
from clusterdiff.testing.claims import CHECKS, ClaimCheck
from clusterdiff.testing.regression import assert_no_regression


def check_measure(
    given: Measure | Callable[..., Any] | str,
    *,
    examples: Iterable[tuple[Any, Any]] = (),
    **claims: Any,
) -> None:
    """Hold a measure against its claims; an AssertionError has a counterexample to paste.

    `given` is a measure, its name, or a function of `Shapes` or of a meet with its `claims`:

    >>> from clusterdiff.extending import Shapes
    >>> def optimist(s: Shapes) -> float:
    ...     "Share of the objects that are somewhere, which is all of them."
    ...     return 1.0
    >>> check_measure(optimist, cite="nobody")
    Traceback (most recent call last):
    AssertionError: optimist never gives 0.0, its lower bound; claim reached=False.

    All pairs of partitions of up to five objects are tried, of covers of up to three, and of
    uncertain clusterings of two and three, of what the measure takes. A weak claim, such as
    symmetric=False, needs a counterexample: where it needs more objects, `examples` has pairs of
    clusterings that are tried too.
    """
    if isinstance(given, str):
        given = measure_named(given)
    if not isinstance(given, Measure):
        if given.__name__.endswith("_distance"):
            claims.setdefault("best", 0.0)
        given = Measure(given.__name__, given, Claims(**{"cite": "", **claims}))
    trial = ClaimCheck(given, examples)
    for check in CHECKS:
        check(trial)


__all__ = ["assert_no_regression", "check_measure"]
