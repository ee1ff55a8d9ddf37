"""What a measure is: a function of a meet, with its claims, that prints itself.

A measure that returns one value per row is a mean over objects; what it takes (shapes are enough,
or the whole meet is needed) and which values its parameters allow stand in its annotations.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from types import ModuleType
from typing import Any, Literal, TypeVar, get_args

import numpy as np

from clusterdiff.array_types import Floats
from clusterdiff.clusterings import Soft
from clusterdiff.errors import InputError, UnknownMeasure, UnknownParameter
from clusterdiff.measures.core.claims import Claims
from clusterdiff.measures.core.dispatch import fitting
from clusterdiff.measures.core.estimate import Estimate as Estimate
from clusterdiff.measures.core.interval import Interval
from clusterdiff.measures.core.names import aliases, resolve
from clusterdiff.measures.core.parameters import (
    defaults_of,
    hints_of,
    is_function,
    options_of,
    refusal,
    written,
)
from clusterdiff.measures.core.zero_division import exactly
from clusterdiff.meet import CoverMeet, HardMeet, Listed, Meet, Shapes, SoftMeet, Stack
from clusterdiff.plugins import loaded
from clusterdiff.progress import progress

Form = Literal["objects", "means"]
Sides = Literal["shapes", "rows", "cover", "soft"]
Function = TypeVar("Function", bound=Callable[..., Any])

REGISTRY: dict[str, Measure] = {}
FACTS: dict[tuple[str, str], Callable[..., Any]] = {}
"""What is known of a measure besides its score, by its name and that of the fact."""


@dataclass(frozen=True, eq=False)
class Measure:
    """A named function of a comparison, with parameters.

    Call it on two clusterings for a number, or with parameters alone for another measure.

    >>> import clusterdiff as cd
    >>> cd.bcubed_f(["a", "a", "b"], [1, 1, 1])
    0.7000000000000001
    >>> cd.bcubed_f(f="means")
    bcubed_f(f='means')
    """

    name: str
    function: Callable[..., float | Interval | Floats]
    claims: Claims
    params: Mapping[str, Any] = field(default_factory=dict)
    compat: str = ""
    """The package by whose convention the parameters are set, if they are."""

    def __call__(self, *clusterings: Any, **options: Any) -> Any:
        """The score of a guess against the truth; or, without them, a measure with parameters."""
        from clusterdiff.inputs import MEET_OPTIONS, meet, shapes_of_few

        if "compat" in options:
            from clusterdiff.measures.compat import called

            return called(self, clusterings, **options)
        if not clusterings:
            return self.having(**options)
        inner = (Measure, str) if "measure" in self.defaults else Measure
        if len(clusterings) == 1 and isinstance(clusterings[0], inner):
            return self.having(measure=clusterings[0], **options)
        if len(clusterings) != 2:
            model = hasattr(clusterings[0], "fit")
            raise InputError.from_sides(self.name, len(clusterings), model)
        how = {key: options.pop(key) for key in MEET_OPTIONS if key in options} if options else {}
        if self.needs == {"cover"} and not any(isinstance(c, Soft) for c in clusterings):
            how.setdefault("kind", "cover")
        measure = self.having(**options)
        few = None if how or "shapes" not in self.needs else shapes_of_few(*clusterings)
        return measure.of(meet(*clusterings, **how)) if few is None else measure._score(few)

    def fact(self, name: str) -> Callable[[Function], Function]:
        """Say something else that is known of the measure, by a function that takes its parameters.

        "loss" is what each row of a meet takes off the best score, "per_move" and "per_pair" what a
        distance counts for each object that moves and each pair that is together on one side,
        "per_nat" the scale of a distance that is a sum of x log x over cells, rows and columns,
        "sums" the sums over rows that the score is a function of, "sums_of_samples" the sums over
        samples where packages sum their counts by sample, "lines" how it follows from the
        sums of every line of a sweep, and "on_device" the score of rows that lie on a device, for a
        measure that needs rows.
        """

        def register(function: Function) -> Function:
            FACTS[self.name, name] = function
            return function

        return register

    def knows(self, name: str) -> bool:
        """Whether something of this name is known of the measure."""
        return (self.name, name) in FACTS

    def known(self, name: str, *given: Any) -> Any:
        """What is known of the measure with its parameters; None if nothing is."""
        found = FACTS.get((self.name, name))
        return None if found is None else found(*given, **self.arguments)

    def having(self, **params: Any) -> Measure:
        """The same measure with these parameters."""
        if not params:
            return self
        known = self.defaults
        checked = {}
        for key, value in params.items():
            if key not in known:
                raise UnknownParameter.from_name(self.name, key, list(known))
            checked[key] = self._checked(key, value)
        made = replace(self, params={**self.params, **checked}, compat="")
        return made._under(self.compat)

    def _under(self, compat: str) -> Measure:
        """The same as another package defines it, if one is named."""
        from clusterdiff.measures.compat import convention_named

        return convention_named(compat).measure(self) if compat else self

    def of(self, meet: Meet) -> Any:
        """The score of a comparison that was made before: a number, or an interval."""
        rows = fitting(self, meet)
        value = self.known("on_device", rows) if rows.on_device else None
        return self._score(rows, value)

    def _score(self, rows: Any, value: Any = None) -> Any:
        if value is None:
            value = self.function(rows, **self.arguments)
        if isinstance(value, float | Interval):
            return value
        return rows.mean(value, self.claims.over)

    def exactly_of(self, meet: Meet) -> Any:
        """The score as a fraction, if it is made of quotients of counts; else as `of` has it."""
        rows = fitting(self, meet)
        with exactly(), suppress(TypeError):
            value: Any = self.function(rows, **self.arguments)
            if isinstance(value, np.ndarray):
                value = rows.mean(value, self.claims.over)
            if isinstance(value, Fraction | int):
                return Fraction(value)
        return self.of(meet)

    def of_each(self, samples: Stack | Listed) -> tuple[Any, ...]:
        """The scores of comparisons side by side; those that are alike are scored once."""
        if isinstance(samples, Listed):
            return tuple(self.of(meet) for meet in samples.meets)
        shapes = "shapes" in self.needs
        if shapes and len(samples) and self._is_mean(samples[0]):
            values = self.function(samples.shapes, **self.arguments)
            assert isinstance(values, np.ndarray)
            return tuple(samples.means(values, self.claims.over))
        codes, firsts = samples.alike_in_shapes if shapes else samples.alike_in_rows
        found = []
        with progress(f"{self} of {len(samples):,} samples", len(firsts)) as advance:
            for sample in firsts:
                found.append(self.of(samples[sample]))
                advance(1)
        return tuple(found[code] for code in codes)

    def _is_mean(self, meet: Meet) -> bool:
        """Whether the score is a mean over objects of a value that only depends on their row."""
        return isinstance(self.function(fitting(self, meet), **self.arguments), np.ndarray)

    def rows_of(self, meet: Meet) -> Floats | None:
        """The value of each row's objects, or None if the score is no mean over objects."""
        value = self.function(fitting(self, meet, shapes=False), **self.arguments)
        return None if isinstance(value, float | Interval) else value

    @property
    def on_partitions(self) -> Measure | None:
        """The measure of partitions that this one, of covers, equals on partitions."""
        if not self.claims.hard:
            return None
        found = lookup(self.claims.hard)
        mine = {k: v for k, v in self.arguments.items() if k in found.defaults}
        return found.having(**{k: v for k, v in mine.items() if v != found.defaults[k]})

    @property
    def sums_samples(self) -> bool:
        """Whether all samples together score what the sums of their counts do, as in the package
        whose convention this is: pairs of objects from two samples do not count.
        """
        return bool(self.compat) and self.knows("sums_of_samples")

    @property
    def is_distance(self) -> bool:
        """Whether small is good."""
        inner = self.arguments.get("measure")
        carried = self.name == "transport" and isinstance(inner, Measure)
        return inner.is_distance if carried else self.claims.best == 0  # type: ignore[union-attr]

    @property
    def arguments(self) -> dict[str, Any]:
        """All parameters with their values."""
        return {**self.defaults, **self.params}

    @property
    def defaults(self) -> dict[str, Any]:
        """The parameters and the values they have when nothing is said."""
        return defaults_of(self.function)

    @cached_property
    def needs(self) -> frozenset[Sides]:
        """What the function can be given: shapes, rows of a hard meet, a meet of covers or soft."""
        hint = next(iter(hints_of(self.function).values()))
        options = get_args(hint) or (hint,)
        sides: dict[Any, Sides] = {
            Shapes: "shapes", HardMeet: "rows", CoverMeet: "cover",
            SoftMeet: "soft",
        }  # fmt: skip
        return frozenset(sides[option] for option in options)

    @property
    def family(self) -> str:
        """The family the measure belongs to, such as pairs."""
        folder, file = f"..{self.function.__module__}".split(".")[-2:]
        return folder if folder in ("overlapping", "transport") else file

    @property
    def meaning(self) -> str:
        """One line that says what the number means."""
        return (self.function.__doc__ or "").partition("\n")[0]

    @property
    def aliases(self) -> dict[str, str]:
        """Other names in the literature and other packages, each with the parameters it implies."""
        return aliases(self.__doc__ or "")

    @property
    def full_name(self) -> str:
        """The name with all parameters, also those left at their defaults but for conventions."""
        usual = {key: self.defaults[key] for key in self.claims.conventions}.items()
        return written(self.name, {k: v for k, v in self.arguments.items() if (k, v) not in usual})

    def __repr__(self) -> str:
        return written(self.name, self.params)

    def __post_init__(self) -> None:
        object.__setattr__(self, "__doc__", inspect.getdoc(self.function))
        object.__setattr__(self, "__name__", self.name)
        object.__setattr__(self, "__module__", self.function.__module__)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Measure)
            and self.name == other.name
            and self.arguments == other.arguments
        )

    def __hash__(self) -> int:
        return hash(self.name)

    def __reduce__(self) -> tuple[Callable[..., Measure], tuple[str, dict[str, Any], str]]:
        return _restored, (self.name, dict(self.params), self.compat)

    def takes_function(self, key: str, where: str) -> bool:
        """Whether a text is `module:name` for a parameter that may be a function."""
        hint = hints_of(self.function).get(key)
        return ":" in where and hint is not None and is_function(hint)

    @property
    def has_function(self) -> bool:
        """Whether a parameter is a function, which no text can stand for."""
        return any(
            value.has_function if isinstance(value, Measure) else callable(value)
            for value in self.params.values()
        )

    @property
    def _names(self) -> set[str]:
        """Its name and those of the measures within it."""
        inner = [value._names for value in self.params.values() if isinstance(value, Measure)]
        return {self.name}.union(*inner)

    def _checked(self, key: str, value: Any) -> Any:
        """The value, if the annotation of the parameter allows it."""
        value = value.item() if isinstance(value, np.generic) else value
        hint = hints_of(self.function)[key]
        if Measure not in options_of(hint) or value is None:
            allowed = refusal(key, value, hint)
        else:
            value = _restored(value, {}) if isinstance(value, str) else value
            allowed = "" if isinstance(value, Measure) else "a measure, such as rand"
        if allowed:
            raise UnknownParameter.from_value(self.name, key, value, allowed)
        if isinstance(value, Measure) and self.name in value._names:
            raise UnknownMeasure.from_nested(self.name)
        return value


def measure(
    cite: str, **claims: Any
) -> Callable[[Callable[..., float | Interval | Floats]], Measure]:
    """Register a function of shapes or of a meet as a measure, with its `Claims`."""

    def register(function: Callable[..., float | Interval | Floats]) -> Measure:
        name = function.__name__
        if name.endswith("_distance"):
            claims["best"] = 0.0
        made = Measure(name, function, Claims(cite, **claims))
        if REGISTRY.get(name, made).__module__ != made.__module__:
            raise UnknownMeasure.from_taken(name, REGISTRY[name].__module__)
        REGISTRY[name] = made
        return made

    return register


def lookup(name: str) -> Measure:
    """The measure of this name or alias, or an error with the nearest one."""
    if name in REGISTRY:
        return REGISTRY[name]
    found, params = resolve(name, {m.name: m.aliases for m in installed().values()})
    return REGISTRY[found].having(**params)


def installed() -> Mapping[str, Measure]:
    """All measures by name, those of other packages too."""
    loaded("measures", (Measure, ModuleType))
    return REGISTRY


def _restored(name: str, params: dict[str, Any], compat: str = "") -> Measure:
    from clusterdiff.measures import measure_named

    return measure_named(name, compat=compat or None).having(**params)
