"""What a measure is: a function of a meet, with its claims, that prints itself.

A measure that returns one value per row is a mean over objects; what it takes (shapes are enough,
or the whole meet is needed) and which values its parameters allow stand in its annotations.
"""

from __future__ import annotations

import ast
import inspect
import math
import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from fractions import Fraction
from functools import cache, cached_property, reduce
from inspect import Parameter, Signature, signature
from operator import or_
from types import ModuleType
from typing import (
    TYPE_CHECKING,
    Any,
    ClassVar,
    Final,
    Literal,
    NamedTuple,
    TypeVar,
    get_args,
    get_origin,
    get_type_hints,
)

import numpy as np

from clusterdiff.array_types import Bools, Floats, Ints
from clusterdiff.clusterings import Soft
from clusterdiff.contingency import (
    BetweenMeet,
    CoverMeet,
    HardMeet,
    Listed,
    Meet,
    Shapes,
    Sketch,
    SoftMeet,
    Stack,
)
from clusterdiff.contingency.base import Over
from clusterdiff.contingency.exact_sums import exact_sum
from clusterdiff.errors import (
    CompatError,
    InputError,
    KindError,
    UnknownMeasure,
    UnknownParameter,
    did_you_mean,
    shorten,
)
from clusterdiff.measures.score_range import ScoreRange
from clusterdiff.measures.zero_division import exactly, f_score
from clusterdiff.plugins import loaded
from clusterdiff.progress import progress

if TYPE_CHECKING:
    from clusterdiff.contingency import Rows

# What a measure claims beside its formula.

Linear = Literal["", "both", "guess"]


@dataclass(frozen=True)
class Claims:
    """What a measure promises; tests check each promise in both directions."""

    cite: str
    """The publication that defines it, or its key in `CITATIONS`."""
    bounds: tuple[float, float] = (0.0, 1.0)
    """No score lies outside."""
    reached: bool = True
    """Whether two clusterings of a few objects reach the lower bound."""
    symmetric: bool = True
    """Whether exchanging truth and guess leaves the score as it is."""
    perfect: bool = True
    """Whether only identical clusterings get the best score."""
    best: float | None = 1.0
    """The score of identical clusterings; None where it depends on them."""
    penalise: bool = False
    """Whether it has a form for objects that are on one side only."""
    over: Over = "all"
    """Which objects a mean over objects runs over."""
    hard: str = ""
    """Of a measure of covers: the measure of partitions that it equals on partitions."""
    linear: Linear = ""
    """Whether the score is linear in the pairs that both put together ("both"), and in those that
    guess does too ("guess"), all else given: then what chance scores is the score of what it puts
    together on average.
    """
    halves: tuple[str, str] | None = None
    """Of an F: what takes the place of precision and recall, where they are called otherwise."""
    conventions: tuple[str, ...] = ()
    """Parameters that are there for the conventions of other packages: the full name has them where
    they are not left at their defaults.
    """
    cost: str = ""
    """What it costs, where that is not what all measures cost that need as much of a meet."""
    solver: bool = False
    """Whether a solver of SciPy finds the number, so that its version is part of the signature."""


# What the function of a measure takes of a comparison, if that has a meaning for the measure.


def rows_for(measure: Measure, meet: Meet, shapes: bool = True) -> Rows:
    """What the function takes of a comparison, if it has a meaning for the measure."""
    if measure.compat and meet.alignment.count:
        check_convention(measure)
    if meet.alignment.policy == "penalise" and not measure.claims.penalise:
        cover = isinstance(meet, CoverMeet) or measure.needs == {"cover"}
        near = "extended_bcubed_f or cice_f" if cover else "bcubed_f, elm_f, ceaf_m_f or pair_f"
        raise KindError(
            f"{measure.name} is not defined for objects that are on one side only "
            '(align="penalise" counts precision over the guess, recall over the truth).',
            f'use {near}, or align="singletons", or align="shared".',
        )
    if isinstance(meet, Sketch):
        if "shapes" not in measure.needs:
            raise meet.refused(str(measure))
        return meet
    if isinstance(meet, BetweenMeet):
        if measure.compat:
            raise CompatError(
                f"{measure} by the convention of a package counts all pairs of objects.",
                f"leave compat={measure.compat!r} or between= out.",
                f"leave --compat {measure.compat} or --between out.",
            )
        if not measure.is_of_pairs:
            raise not_of_pairs(measure)
        return meet
    if "soft" in measure.needs:
        return meet if isinstance(meet, SoftMeet) else _partitions(measure, meet).soft
    if isinstance(meet, SoftMeet):
        meet = _settled(measure, meet)
    if isinstance(meet, CoverMeet) and "cover" in measure.needs:
        return meet
    meet = _partitions(measure, meet)
    if measure.needs == {"cover"}:
        return meet.cover
    return meet.shapes if shapes and "shapes" in measure.needs else meet


def not_of_pairs(measure: Measure) -> KindError:
    """A measure that does not know which pairs of objects count."""
    names = sorted(name for name in REGISTRY if lookup(name).is_of_pairs)
    return KindError(
        f"{measure} is not a function of pairs of objects, so it cannot leave out those of one "
        "source.",
        f"with between, use {', '.join(names[:-1])} or {names[-1]}.",
    )


def check_convention(measure: Measure) -> None:
    """Refuse counts by the convention of a package in which each object counts once."""
    from clusterdiff.measures.compat import convention_named

    convention = convention_named(measure.compat)
    if not convention.counts:
        raise CompatError(
            f"{convention.package} counts each object once, and these have counts.",
            f"leave compat={convention.name!r} out: our own measures take counts.",
        )


def _partitions(measure: Measure, meet: HardMeet | CoverMeet) -> HardMeet:
    """A comparison of partitions, also where they were given as covers."""
    if isinstance(meet, HardMeet):
        return meet
    if meet.is_hard:
        return meet.hard
    raise KindError(
        f"{measure.name} compares partitions, and {meet.not_in_one:,} of {meet.objects:,} "
        "objects are in several clusters or in none.",
        f"{_overlapping(measure)} compares overlapping clusterings.",
    )


def _settled(measure: Measure, meet: SoftMeet) -> HardMeet:
    """A comparison of uncertain clusterings in which all is certain as one of partitions."""
    if meet.is_hard:
        return meet.hard
    sides = (("truth", meet.truth), ("guess", meet.guess))
    vague = [(name, side.kind) for name, side in sides if side.labels is None]
    overlap = measure.needs == {"cover"}
    similar = measure.claims.best in (0.0, 1.0) and not overlap
    near = f"transport({measure.name}) and rand_alpha take" if similar else "rand_alpha takes"
    what = "covers" if overlap else "partitions"
    raise KindError.from_soft(measure.name, what, vague, f"{near} uncertain clusterings")


def _overlapping(measure: Measure) -> str:
    """The nearest measure of overlapping clusterings."""
    part = measure.name.rpartition("_")[2]
    if measure.family in ("bcubed", "coreference"):
        return f"extended_bcubed_{part if part in ('precision', 'recall') else 'f'}"
    near = {"pairs": "omega", "chance": "omega", "information": "onmi"}
    return near.get(measure.family, "cover_f1")


# Scores that are estimates: drawn at random, with a standard error.


class Estimate(float):
    """A score estimated from what was drawn at random, with its standard error."""

    error: float
    drawn: int
    what: str

    def __new__(cls, value: float, error: float, drawn: int, what: str = "objects") -> Estimate:
        """The score, its standard error, and from how much of what it comes: objects or draws."""
        made = super().__new__(cls, value)
        made.error, made.drawn, made.what = error, drawn, what
        return made

    def __reduce__(self) -> tuple[type[Estimate], tuple[float, float, int, str]]:
        return Estimate, (float(self), self.error, self.drawn, self.what)


# The names that a measure goes by: its docstring states them, and each of them finds it.
#
# The first line begins with the name in the literature and its abbreviation, and a paragraph lists
# the others, with the parameters where another package has another default:
#
#     Normalized mutual information (NMI): by default divided by the larger entropy.
#
#     Also known as: normalized_mutual_info_score (norm='arithmetic').

ALSO = re.compile(r"^Also known as: (.*?)\.(?:\n\n|\Z)", re.DOTALL | re.MULTILINE)
TITLE = re.compile(r"([^:\n]*?)(?: \(([^)\n]*)\))?: ")
ALIAS = re.compile(r"(.*?)(?: \((.*)\))?")
SIDES = ("truth", "guess")
PROPER = ("Elements", "Jaccard", "Mirkin", "Rand", "V-measure")
"""Words with a capital that begin a name in the literature."""
CLOSE = 0.65


def aliases(doc: str) -> dict[str, str]:
    """The names in a docstring, with the parameters they imply.

    >>> aliases("Rand index (RI): agreement.\\n\\nAlso known as: rand_score, one (norm='min').")
    {'Rand index': '', 'RI': '', 'rand_score': '', 'one': "norm='min'"}
    """
    title, also = TITLE.match(doc), ALSO.search(doc)
    named = {name: "" for name in title.groups() if name} if title else {}
    for text in " ".join(also[1].split()).split(", ") if also else ():
        found = ALIAS.fullmatch(text)
        assert found is not None
        named[found[1]] = found[2] or ""
    return named


def key(name: str) -> str:
    """A name without what spellings differ by: capitals, blanks, hyphens, underscores.

    >>> key("V-measure"), key("v_measure")
    ('vmeasure', 'vmeasure')
    """
    return "".join(filter(str.isalnum, name.casefold()))


def one_word(text: str) -> str:
    """Names of several words as one, outside of quotes.

    >>> one_word("adjusted Rand index, V-measure(alpha=0.2)")
    'adjusted_Rand_index, V_measure(alpha=0.2)'
    """
    return re.sub(r"""('[^']*'|"[^"]*")|(?<=\w)[ \-–]+(?=[^\W\d])""", lambda m: m[1] or "_", text)


def resolve(name: str, known: Mapping[str, Mapping[str, str]]) -> tuple[str, dict[str, Any]]:
    """The one measure with an alias, and the parameters that the alias implies; a name may end as
    those of scikit-learn's functions do.
    """
    keys: dict[str, set[tuple[str, str]]] = {}
    for canonical, others in known.items():
        for alias, params in {**others, canonical: ""}.items():
            keys.setdefault(key(alias), set()).add((canonical, params))
    asked = key(name)
    meant = sorted(keys.get(asked) or keys.get(asked.removesuffix("score")) or ())
    if len(meant) > 1:
        raise UnknownMeasure.from_ambiguous(name, [canonical for canonical, _ in meant])
    if not meant:
        near = get_close_matches(asked, keys, n=1, cutoff=CLOSE)
        best = min(keys[near[0]])[0] if near else ""
        raise UnknownMeasure(
            f"no measure is called {shorten(name, 60)!r}.",
            f"{f'did you mean {best}? ' if best else ''}`clusterdiff measures` lists all "
            f"{len(known)}.",
        )
    ((canonical, params),) = meant
    call = ast.parse(f"f({params})", mode="eval").body
    assert isinstance(call, ast.Call)
    return canonical, {str(k.arg): ast.literal_eval(k.value) for k in call.keywords}


# Which values a parameter of a measure allows, as its annotation says, and how it is written.

LEAST = {"seed": 0, "sample": 2}
"""The smallest whole number, where it is not 1."""
MOST = {"samples": 1_000_000_000}
"""The largest, where it is not that of 64 bits."""


def refusal(key: str, value: Any, hint: Any) -> str:
    """What the parameter is, if it cannot have the value; nothing if it can."""
    options = options_of(hint)
    literals = [x for o in options if get_origin(o) is Literal for x in get_args(o)]
    if value is None and type(None) in options:
        return ""
    if literals:
        function = is_function(hint)
        allowed = " or ".join(map(repr, literals)) + (" or a function" if function else "")
        fits = (function and callable(value)) or _among(value, literals)
    elif int in options:
        least, most = LEAST.get(key, 1), MOST.get(key, 2**63 - 1)
        allowed = f"a whole number from {least} to {most:,}"
        fits = isinstance(value, int) and not isinstance(value, bool) and least <= value <= most
    else:
        allowed = "between 0 and 1"
        fits = isinstance(value, int | float) and 0 <= value <= 1
    return "" if fits else allowed


@cache
def hints_of(function: Callable[..., Any]) -> dict[str, Any]:
    """The annotations of the parameters, the first of which is what is compared."""
    hints = get_type_hints(function)
    return {name: hint for name, hint in hints.items() if name != "return"}


@cache
def defaults_of(function: Callable[..., Any]) -> dict[str, Any]:
    """The parameters but the first, with the values they have when nothing is said."""
    listed = list(signature(function).parameters.values())[1:]
    return {p.name: None if p.default is Parameter.empty else p.default for p in listed}


@cache
def documented(function: Callable[..., Any]) -> str:
    """What `help` shows of a measure: how it is called, and its docstring."""
    named = [f"{name}={value!r}" for name, value in defaults_of(function).items()]
    parts = ["truth", "guess", "/", *(["*", *named] if named else []), "**options"]
    return f"{function.__name__}({', '.join(parts)})\n\n{inspect.getdoc(function) or ''}"


@cache
def called_with(function: Callable[..., Any]) -> Signature:
    """The signature of a measure that is called: two clusterings, its parameters by name, and how
    clusterings are compared.
    """
    hints = get_type_hints(function)
    parts = [Parameter(side, Parameter.POSITIONAL_ONLY, annotation=Any) for side in SIDES]
    parts += [
        Parameter(name, Parameter.KEYWORD_ONLY, default=value, annotation=hints[name])
        for name, value in defaults_of(function).items()
    ]
    scores = [x for x in options_of(hints["return"]) if x in (float, ScoreRange)]
    parts += [Parameter("options", Parameter.VAR_KEYWORD, annotation=Any)]
    return Signature(parts, return_annotation=reduce(or_, scores or [float]))


class _Signature:
    """The signature of each measure, by which `inspect.signature` goes; the class has its own."""

    def __get__(self, measure: Measure | None, owner: type) -> Signature:
        if measure is None:
            raise AttributeError("__signature__")
        return called_with(measure.function)


def is_function(hint: Any) -> bool:
    """Whether a parameter may be a function."""
    return any(get_origin(option) is Callable for option in options_of(hint))


def options_of(hint: Any) -> list[Any]:
    """The annotation, taken apart where it names several types."""
    return [hint] if get_origin(hint) is Literal else [hint, *get_args(hint)]


def written(name: str, params: Mapping[str, Any]) -> str:
    """`name(key=value, …)`, as `measure()` reads it; a function is named, and not read back."""
    if not params:
        return name
    return f"{name}({', '.join(_argument(k, v) for k, v in params.items())})"


def _argument(key: str, value: Any) -> str:
    if key == "measure" and value is not None:
        return repr(value)
    if callable(value):
        where = f"{getattr(value, '__module__', '?')}:{getattr(value, '__qualname__', '?')}"
        return f"{key}={where!r}"
    return f"{key}={value!r}"


def _among(value: Any, literals: list[Any]) -> bool:
    return any(type(value) is type(literal) and value == literal for literal in literals)


Form = Literal["objects", "means"]
OBJECTS = "mean of each object's F; it can lie below both precision and recall"
Sides = Literal["shapes", "rows", "cover", "soft"]
Function = TypeVar("Function", bound=Callable[..., Any])

REGISTRY: dict[str, Measure] = {}
HOOKS: dict[tuple[str, str], Callable[..., Any]] = {}
"""Functions that state more about a measure than its score, by its name and that of the hook."""


@dataclass(frozen=True, eq=False)
class Measure:
    """A named function of a comparison, with parameters.

    Call it on two clusterings for a number, or with parameters alone for another measure.

    >>> import clusterdiff as cd
    >>> cd.bcubed_f(["a", "a", "b"], [1, 1, 1])
    0.7142857142857143
    >>> cd.bcubed_f(f="objects")
    bcubed_f(f='objects')
    """

    name: str
    function: Callable[..., float | ScoreRange | Floats]
    claims: Claims
    params: Mapping[str, Any] = field(default_factory=dict)
    compat: str = ""
    """The package by whose convention the parameters are set, if they are."""
    __signature__: ClassVar[Any] = _Signature()

    def __call__(self, *clusterings: Any, **options: Any) -> Any:
        """The score of a guess against the truth; or, without them, a measure with parameters."""
        from clusterdiff.io import MEET_OPTIONS, meet, shapes_of_few

        if "compat" in options:
            from clusterdiff.measures.compat import called

            return called(self, clusterings, **options)
        if not clusterings:
            return self.with_params(**options)
        inner = (Measure, str) if "measure" in self.defaults else Measure
        if len(clusterings) == 1 and isinstance(clusterings[0], inner):
            return self.with_params(measure=clusterings[0], **options)
        if len(clusterings) != 2:
            model = hasattr(clusterings[0], "fit")
            raise InputError.from_sides(self.name, len(clusterings), model)
        how = {key: options.pop(key) for key in MEET_OPTIONS if key in options} if options else {}
        if self.needs == {"cover"} and not any(isinstance(c, Soft) for c in clusterings):
            how.setdefault("kind", "cover")
        measure = self.with_params(**options)
        few = None if how or "shapes" not in self.needs else shapes_of_few(*clusterings)
        return measure.of(meet(*clusterings, **how)) if few is None else measure._score(few)

    def hook(self, name: str) -> Callable[[Function], Function]:
        """Register a function of the parameters that states something else about the measure.

        "loss" is what each row of a meet takes off the best score, "per_move" and "per_pair" what a
        distance counts for each object that moves and each pair that is together on one side,
        "per_nat" the scale of a distance that is a sum of x log x over cells, rows and columns,
        "sums" the sums over rows that the score is a function of, "sums_of_samples" the sums over
        samples where packages sum their counts by sample, "lines" the score at every threshold of
        a sweep, and "on_device" the score of rows that lie on a device, for a measure that needs
        rows.
        """

        def register(function: Function) -> Function:
            HOOKS[self.name, name] = function
            return function

        return register

    def has_hook(self, name: str) -> bool:
        """Whether a function of this name is registered for the measure."""
        return (self.name, name) in HOOKS

    def get_hook(self, name: str, *given: Any) -> Any:
        """What the function gives for the measure's parameters; None where there is none."""
        hook = HOOKS.get((self.name, name))
        return None if hook is None else hook(*given, **self.arguments)

    def with_params(self, **params: Any) -> Measure:
        """This measure with other parameters, still under the convention of its package."""
        if not params:
            return self
        checked = {}
        for key, value in params.items():
            if key not in self.defaults:
                listed = ", ".join(self.defaults) or "none"
                raise UnknownParameter(
                    f"{self.name} has no parameter {shorten(key, 40)!r}.",
                    f"{did_you_mean(key, list(self.defaults))}It takes {listed}.",
                )
            checked[key] = self._checked(key, value)
        measure = replace(self, params={**self.params, **checked}, compat="")
        if not self.compat:
            return measure
        from clusterdiff.measures.compat import convention_named

        return convention_named(self.compat).measure(measure)

    def of(self, meet: Meet) -> Any:
        """The score of a comparison that was made before: a number, or an interval."""
        if meet.alignment.weights:
            return self._weighted(meet)
        rows = rows_for(self, meet)
        value = self.get_hook("on_device", rows) if rows.on_device else None
        return self._score(rows, value)

    def weighs(self, meet: Meet) -> bool:
        """Whether the score is a mean over objects, in which these may have weights."""
        with suppress(KindError):
            self._weighted(meet)
            return True
        return False

    def _weighted(self, meet: Meet) -> float:
        """The weighted mean over the objects; an F of means is that of weighted means."""
        mass, values = meet.mass, self.rows_of(meet)
        if values is None and self.arguments.get("f") == "means" and self.name.endswith("_f"):
            names = (f"{self.name[:-1]}{half}" for half in ("precision", "recall"))
            halves = [lookup(name) for name in names if name in REGISTRY]
            given = {k: v for k, v in self.params.items() if halves and k in halves[0].defaults}
            halves = [half.with_params(**given) for half in halves]
            if len(halves) == 2 and all(half.rows_of(meet) is not None for half in halves):
                shares = [half._weighted(meet) for half in halves]
                return float(f_score(shares[0], shares[1], self.arguments["alpha"]))
        if values is None or mass is None or values.size != mass.size:
            raise KindError(
                f"{self} is not a mean over objects, so objects have no weights in it.",
                "count= says how many objects each one stands for, in every measure; weights are "
                "for bcubed_f, elm_f, element_similarity and the like.",
                "--count says how many objects each one stands for, in every measure.",
            )
        if self.claims.over != "all":
            mass = np.where(
                meet.in_truth if self.claims.over == "truth" else meet.in_guess, mass, 0
            )
        total = exact_sum(mass)
        return exact_sum(values * mass) / total if total else 0.0

    def _score(self, rows: Any, value: Any = None) -> Any:
        if value is None:
            value = self.function(rows, **self.arguments)
        if isinstance(value, float | ScoreRange):
            return value
        return rows.mean(value, self.claims.over)

    def exactly_of(self, meet: Meet) -> Any:
        """The score as a fraction, if it is made of quotients of counts; else as `of` has it."""
        rows = rows_for(self, meet)
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
        return isinstance(self.function(rows_for(self, meet), **self.arguments), np.ndarray)

    def rows_of(self, meet: Meet) -> Floats | None:
        """The value of each row's objects, or None if the score is no mean over objects."""
        value = self.function(rows_for(self, meet, shapes=False), **self.arguments)
        return None if isinstance(value, float | ScoreRange) else value

    @property
    def on_partitions(self) -> Measure | None:
        """The measure of partitions that this one, of covers, equals on partitions."""
        if not self.claims.hard:
            return None
        found = lookup(self.claims.hard)
        mine = {k: v for k, v in self.arguments.items() if k in found.defaults}
        return found.with_params(**{k: v for k, v in mine.items() if v != found.defaults[k]})

    @property
    def is_of_pairs(self) -> bool:
        """Whether the score follows from how many pairs of objects are together."""
        return bool(self.get_hook("of_pairs"))

    @property
    def sums_samples(self) -> bool:
        """Whether all samples together score what the sums of their counts do, as in the package
        whose convention this is: pairs of objects from two samples do not count.
        """
        return bool(self.compat) and self.has_hook("sums_of_samples")

    @property
    def best(self) -> float | None:
        """The score of identical clusterings: 1, of a distance 0; None where it depends on them."""
        inner = self.arguments.get("measure")
        carried = self.name == "transport" and isinstance(inner, Measure)
        return inner.best if carried else self.claims.best  # type: ignore[union-attr]

    @property
    def is_distance(self) -> bool:
        """Whether small is good."""
        return self.best == 0

    @property
    def direction(self) -> str:
        """Which scores are good: "1 is best", of a distance "0 is best"."""
        return "higher is better" if self.best is None else f"{self.best:g} is best"

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
        return self.function.__module__.rpartition(".")[2].partition("_")[0]

    @property
    def about(self) -> str:
        """What the number means, its definition, and the other names of the measure."""
        return inspect.getdoc(self.function) or ""

    @property
    def meaning(self) -> str:
        """One line that says what the number means."""
        return self.about.partition("\n")[0]

    @property
    def title(self) -> str:
        """The name in the literature, as it is written within a sentence.

        >>> import clusterdiff as cd
        >>> cd.adjusted_rand.title, cd.rand.title, cd.bcubed_f.title
        ('adjusted Rand index', 'Rand index', 'BCubed F')
        """
        found = TITLE.match(self.about)
        name = found[1] if found else self.name
        first = name.partition(" ")[0]
        return name if first in PROPER or not first[1:].islower() else name[0].lower() + name[1:]

    @property
    def footnote(self) -> str:
        """What a reader of the number alone would take for a mistake; mostly nothing."""
        return OBJECTS if self.arguments.get("f") == "objects" else ""

    @property
    def aliases(self) -> dict[str, str]:
        """Other names in the literature and other packages, each with the parameters it implies."""
        return aliases(self.about)

    @property
    def full_name(self) -> str:
        """The name with all parameters, also those left at their defaults but for conventions."""
        usual = {key: self.defaults[key] for key in self.claims.conventions}.items()
        return written(self.name, {k: v for k, v in self.arguments.items() if (k, v) not in usual})

    def __repr__(self) -> str:
        return written(self.name, self.params)

    def __dir__(self) -> list[str]:
        return [name for name in super().__dir__() if name[:1] != "_" or name[:2] == "__"]

    def __post_init__(self) -> None:
        object.__setattr__(self, "__doc__", documented(self.function))
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
            raise UnknownMeasure(
                f"{self.name} cannot be applied twice.",
                f"apply it once, e.g. {self.name}(rand).",
            )
        return value


def measure(
    cite: str, **claims: Any
) -> Callable[[Callable[..., float | ScoreRange | Floats]], Measure]:
    """Register a function of shapes or of a meet as a measure, with its `Claims`."""

    def register(function: Callable[..., float | ScoreRange | Floats]) -> Measure:
        name = function.__name__
        if name.endswith("_distance"):
            claims["best"] = 0.0
        made = Measure(name, function, Claims(cite, **claims))
        if REGISTRY.get(name, made).__module__ != made.__module__:
            raise UnknownMeasure(
                f"there is a measure {name} already, in {REGISTRY[name].__module__}.",
                "give the new one its own.",
            )
        REGISTRY[name] = made
        return made

    return register


def lookup(name: str) -> Measure:
    """The measure of this name or alias, or an error with the nearest one."""
    if name in REGISTRY:
        return REGISTRY[name]
    found, params = resolve(name, {m.name: m.aliases for m in installed().values()})
    return REGISTRY[found].with_params(**params)


def installed() -> Mapping[str, Measure]:
    """All measures by name, those of other packages too."""
    loaded("measures", (Measure, ModuleType))
    return REGISTRY


def _restored(name: str, params: dict[str, Any], compat: str = "") -> Measure:
    from clusterdiff.measures import measure_named

    return measure_named(name, compat=compat or None).with_params(**params)


# Means over objects, of all of them or of a random sample, then with a standard error.


class DrawnObjects(NamedTuple):
    """A random sample of the objects, without replacement."""

    times: Ints
    """How many objects of each row were drawn."""
    size: int
    """How many objects were drawn."""
    objects: int
    """How many there are."""

    @property
    def rows(self) -> Ints:
        """The rows from which objects were drawn."""
        return np.flatnonzero(self.times)

    def estimate(self, value: float, residual: Floats) -> Estimate:
        """A value with its standard error, from how much each object moves it."""
        spread = exact_sum(residual[self.rows] ** 2 * self.times[self.rows])
        variance = spread / max(self.size - 1, 1)
        left = 1 - self.size / self.objects
        return Estimate(value, math.sqrt(variance / self.size * left), self.size)


def draw(m: CoverMeet, size: int, seed: int) -> DrawnObjects:
    """Objects drawn alike for the same comparison and seed, whatever the order and the names, where
    colours distinguish the rows that differ.
    """
    rng = np.random.default_rng(seed)
    chosen = rng.choice(m.objects, size, replace=False, shuffle=False)
    order = np.argsort(m.colours, kind="stable")
    row = order[np.searchsorted(np.cumsum(m.both[order]), chosen, side="right")]
    return DrawnObjects(np.bincount(row, minlength=m.rows), size, m.objects)


class Mean(NamedTuple):
    """A mean over some of the objects, and how much each row's objects move it."""

    value: float
    residual: Floats


def mean(weight: Ints, values: Floats, domain: Bools, nothing: float) -> Mean:
    """The mean over the objects in the domain; `nothing` if there are none."""
    counted = np.where(domain, weight, 0)
    total = int(counted.sum())
    if not total:
        return Mean(nothing, np.zeros(values.size))
    found = exact_sum(np.where(domain, values, 0.0) * counted) / total
    return Mean(found, np.where(domain, values - found, 0.0) * (int(weight.sum()) / total))


def f_of_means(precision: Mean, recall: Mean, alpha: float) -> Mean:
    """F of two means: how much an object moves it, to first order."""
    value = f_score(precision.value, recall.value, alpha)
    bottom = alpha * recall.value + (1 - alpha) * precision.value
    if not bottom:
        return Mean(value, np.zeros_like(precision.residual))
    by_precision = alpha * (recall.value / bottom) ** 2
    by_recall = (1 - alpha) * (precision.value / bottom) ** 2
    return Mean(value, by_precision * precision.residual + by_recall * recall.residual)


# Where the measures come from.

CITATIONS: Final = {
    "almudevar1999": "Almudevar and Field, J. Agric. Biol. Environ. Stat. 4 (1999)",
    "amigo2009": "Amigó, Gonzalo, Artiles and Verdejo, Inf. Retrieval 12 (2009)",
    "anderson2010": "Anderson, Bezdek, Popescu and Keller, IEEE Trans. Fuzzy Syst. 18 (2010)",
    "andrews2022": "Andrews, Browne and Hvingelby, J. Classification 39 (2022)",
    "bagga1998": "Bagga and Baldwin, COLING-ACL 1998",
    "benhur2002": "Ben-Hur, Elisseeff and Guyon, Pac. Symp. Biocomput. 2002",
    "brouwer2009": "Brouwer, J. Intell. Inf. Syst. 32 (2009)",
    "campagner2019": "Campagner and Ciucci, Knowledge-Based Systems 180 (2019)",
    "campagner2023": "Campagner, Ciucci and Denœux, Information Sciences 623 (2023)",
    "campello2007": "Campello, Pattern Recognition Letters 28 (2007)",
    "cettolo2000": "Cettolo, RIAO 2000 (clustering of a broadcast news corpus)",
    "collins1988": "Collins and Dent, Multivar. Behav. Res. 23 (1988)",
    "denoeux2017": "Denœux, Li and Sriboonchitta, IEEE Trans. Fuzzy Syst. 26 (2018)",
    "fowlkes1983": "Fowlkes and Mallows, J. Am. Stat. Assoc. 78 (1983)",
    "frigui2007": "Frigui, Hwang and Rhee, Pattern Recognition 40 (2007)",
    "gagolewski2025": "Gagolewski, J. Classification 42 (2025)",
    "gates2017": "Gates and Ahn, J. Mach. Learn. Res. 18 (2017)",
    "gates2019": "Gates, Wood, Hetrick and Ahn, Sci. Rep. 9 (2019)",
    "argandacarreras2015": "Arganda-Carreras et al., Frontiers in Neuroanatomy 9:142 (2015)",
    "gosgens2021": "Gösgens, Tikhonov and Prokhorenkova, ICML 2021",
    "hubert1985": "Hubert and Arabie, J. Classification 2 (1985)",
    "hullermeier2012": "Hüllermeier, Rifqi, Henzgen and Senge, IEEE Trans. Fuzzy Syst. 20 (2012)",
    "jerdee2023": "Jerdee, Kirkley and Newman, arXiv 2307.01282 (2023)",
    "jerdee2024": "Jerdee, Kirkley and Newman, Phys. Rev. E 110 (2024)",
    "kirillov2019": "Kirillov, He, Girshick, Rother and Dollár, Panoptic Segmentation, CVPR 2019",
    "luo2005": "Luo, HLT-EMNLP 2005",
    "luo2014": "Luo, Pradhan, Recasens and Hovy, ACL 2014",
    "mcdaid2011": "McDaid, Greene and Hurley, arXiv 1110.2515 (2011)",
    "meila2001": "Meila and Heckerman, Machine Learning 42 (2001)",
    "meila2007": "Meila, J. Multivariate Anal. 98 (2007)",
    "menestrina2010": "Menestrina, Whang and Garcia-Molina, PVLDB 3 (2010)",
    "mirkin1996": "Mirkin, Mathematical Classification and Clustering (1996)",
    "moosavi2016": "Moosavi and Strube, ACL 2016",
    "nist2009": "NIST, Rich Transcription Meeting Recognition Evaluation Plan RT-09 (2009)",
    "pradhan2012": "Pradhan, Moschitti, Xue, Uryupina and Zhang, CoNLL 2012",
    "ralph2022": "Ralph and Matsen, PLoS Comput. Biol. 18 (2022)",
    "rand1971": "Rand, J. Am. Stat. Assoc. 66 (1971)",
    "rezaei2016": "Rezaei and Fränti, IEEE Trans. Knowl. Data Eng. 28 (2016)",
    "rosales2013": "Rosales-Méndez and Ramírez-Cruz, CICE-BCubed, CIARP 2013",
    "rosenberg2007": "Rosenberg and Hirschberg, EMNLP-CoNLL 2007",
    "ryant2019": "Ryant et al., The Second DIHARD Diarization Challenge, Interspeech 2019",
    "shannon1948": "Shannon, Bell Syst. Tech. J. 27 (1948)",
    "strehl2003": "Strehl and Ghosh, J. Mach. Learn. Res. 3 (2003)",
    "vandongen2000": "van Dongen, CWI Report INS-R0012 (2000)",
    "vanheusden2022": "van Heusden, Kamps and Marx, BCubed Revisited, ICTIR 2022",
    "vanheusden2022wooir": "van Heusden, Kamps and Marx, WooIR, ICTIR 2022",
    "vilain1995": "Vilain, Burger, Aberdeen, Connolly and Hirschman, MUC-6 (1995)",
    "vinh2010": "Vinh, Epps and Bailey, J. Mach. Learn. Res. 11 (2010)",
    "xiang2012": "Xiang, Mao, Chai, Chieu, Tsang and Zhao, A Split-Merge Framework, ICML 2012",
    "yang2013": "Yang and Leskovec, WSDM 2013",
    "zhao2001": "Zhao and Karypis, Univ. of Minnesota TR 01-40 (2001)",
    "zhu2019": "Zhu, He, Liu, He, Xie, Zheng and Lyu, ICSE-SEIP 2019",
}


def cited(publication: str) -> str:
    """A publication as it is shown: of a key what it stands for, any other text as it is."""
    return CITATIONS.get(publication, publication)
