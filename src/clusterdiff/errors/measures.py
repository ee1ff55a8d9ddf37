"""Measures that do not exist, or not so, or not for this."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

from clusterdiff.errors.base import ClusterdiffError, did_you_mean, shorten, shown


class KindError(ClusterdiffError):
    """A measure was asked of a clustering it cannot read."""

    @classmethod
    def from_penalised(cls, measure: str, near: str) -> Self:
        """A measure that has no precision and recall to lay the missing objects on."""
        return cls(
            f"{measure} is not defined for objects that are on one side only "
            '(align="penalise" counts precision over the guess, recall over the truth).',
            f'use {near}, or align="singletons", or align="shared".',
        )

    @classmethod
    def from_kind(cls, measure: str, near: str, count: int, total: int) -> Self:
        """A measure of partitions asked of overlapping clusterings."""
        return cls(
            f"{measure} compares partitions, and {count:,} of {total:,} objects are in several "
            "clusters or in none.",
            f"{near} compares overlapping clusterings.",
        )

    @classmethod
    def from_missing_side(cls) -> Self:
        """Objects on one side only, where the clusterings are uncertain."""
        return cls(
            "uncertain clusterings are compared on objects that both sides have.",
            'use align="shared" to leave the others out.',
        )

    @classmethod
    def from_soft(
        cls, measure: str, what: str, sides: Sequence[tuple[str, str]], near: str
    ) -> Self:
        """A measure of partitions or covers asked of uncertain clusterings."""
        told = " and ".join(f"{side} is {kind}" for side, kind in sides)
        return cls(
            f"{measure} compares {what}; {told}.",
            f"{near}; clustering.harden() makes a partition.",
        )

    @classmethod
    def from_membership(cls, measure: str, kind: str) -> Self:
        """A measure of degrees asked of masses on sets."""
        return cls(
            f"{measure} compares degrees of membership; an {kind} clustering has masses on sets.",
            "rand_alpha compares these; clustering.pignistic() makes degrees of them.",
        )

    @classmethod
    def from_missing_features(cls) -> Self:
        """The mean squared error without features."""
        return cls(
            "split_merge(similarity='mse') needs the features of the objects.",
            "cd.split_merge(truth, guess, similarity='mse', features=X) "
            "with one row of X per object.",
        )


class UnknownMeasure(ClusterdiffError):
    """No such measure."""

    @classmethod
    def from_name(cls, name: str, near: str, count: int) -> Self:
        """A name that the registry does not have, and the nearest one that it has."""
        return cls(
            f"no measure is called {shorten(name, 60)!r}.",
            f"{f'did you mean {near}? ' if near else ''}`clusterdiff measures` lists all {count}.",
        )

    @classmethod
    def from_ambiguous(cls, name: str, meant: Sequence[str]) -> Self:
        """An alias that several measures have."""
        return cls(
            f"{shorten(name, 60)!r} is ambiguous: {' and '.join(meant)} go by that name.",
            f"use the name of one of them, e.g. {meant[0]}.",
        )

    @classmethod
    def from_taken(cls, name: str, module: str) -> Self:
        """A new measure with a name that another one has."""
        return cls(f"there is a measure {name} already, in {module}.", "give the new one its own.")

    @classmethod
    def not_asked(cls, text: str) -> Self:
        """A measure that a report does not hold."""
        return cls(
            f"the report does not hold {text}.", f"ask for it: cd.compare(truth, guess, [{text!r}])"
        )

    @classmethod
    def from_text(cls, text: str) -> Self:
        """A text that is no measure."""
        return cls(
            f"{shorten(text, 60)!r} cannot be read as a measure.",
            "write a name with parameters in parentheses, e.g. bcubed_f(f='means').",
        )

    @classmethod
    def from_length(cls, text: str, most: int) -> Self:
        """A text that is longer than any measure."""
        return cls(
            f"{shorten(text, 60)!r} cannot be read as a measure: it has {len(text):,} characters.",
            f"a measure is written in {most:,} characters at most.",
        )

    @classmethod
    def from_nested(cls, name: str) -> Self:
        """A measure of a measure that holds it already, each with draws of its own."""
        return cls(f"{name} cannot be applied twice.", f"apply it once, e.g. {name}(rand).")


class UnknownParameter(ClusterdiffError):
    """A measure has no such parameter, or not with this value."""

    @classmethod
    def from_name(cls, measure: str, name: str, known: Sequence[str]) -> Self:
        """A parameter that the measure does not take."""
        listed = f"It takes {', '.join(known)}." if known else "It takes none."
        return cls(
            f"{measure} has no parameter {shorten(name, 40)!r}.",
            f"{did_you_mean(name, known)}{listed}",
        )

    @classmethod
    def from_value(cls, measure: str, name: str, value: object, allowed: str) -> Self:
        """A value outside what the parameter allows."""
        return cls(
            f"{measure}: {name} must be {allowed}, got {shown(value)}",
            f"`clusterdiff measures {measure}` describes its parameters.",
        )

    @classmethod
    def from_function(cls, measure: str, name: str, where: str) -> Self:
        """A function that a text names, where texts run no code."""
        function = where.rpartition(":")[2].rpartition(".")[2]
        given = function if function.isidentifier() else "function"
        return cls(
            f"{measure}: {name}={shown(where)} names a function, and the text of a measure runs no "
            "code.",
            f"in Python give the function itself, cd.{measure}({name}={given}); at the prompt "
            "--allow-code (of compare, explain, diff and report) imports it and runs it.",
        )

    @classmethod
    def from_similarity(cls, name: str, what: str) -> Self:
        """A function that is no similarity of clusters."""
        return cls(
            f"the similarity {name} {what}.",
            "it is called with arrays (objects in both, sizes of the clusters, sizes of the "
            "others) and the number of all objects, and gives one number from 0 to 1 for each, "
            "e.g. lambda both, size, other, objects: both / size.",
        )


class CompatError(ClusterdiffError):
    """The convention of another package that does not exist, or that something contradicts."""

    @classmethod
    def from_name(cls, name: object, known: Sequence[str]) -> Self:
        """A package whose convention is not known."""
        return cls(
            f"no convention is called {shown(name)}.",
            f"{did_you_mean(str(name), known)}compat is one of {', '.join(known)}.",
            f"{did_you_mean(str(name), known)}--compat is one of {', '.join(known)}.",
        )

    @classmethod
    def from_measure(cls, measure: str, package: str, known: Sequence[str]) -> Self:
        """A measure that the package does not have."""
        return cls(
            f"{measure} is not among the measures that {package} has.",
            f"leave compat out, or ask for {', '.join(known)}.",
            f"leave --compat out, or ask for {', '.join(known)}.",
        )

    @classmethod
    def from_parameter(cls, measure: str, name: str, package: str, own: str, given: str) -> Self:
        """A parameter that is asked for, and that the package has otherwise."""
        return cls(
            f"{measure} has {own} in {package}, and {given} was asked for.",
            f"leave {given} out, or compat={name!r}.",
            f"leave {given} out, or --compat {name}.",
        )

    @classmethod
    def from_align(cls, name: str, package: str, given: str, own: Sequence[str]) -> Self:
        """A policy for missing objects that is asked for, and that the package does not have."""
        listed = " or ".join(f'"{one}"' for one in own)
        return cls(
            f"{package} does not have the policy {given!r} for objects on one side only.",
            f"leave align out, or say {listed}; or leave compat={name!r} out.",
            f"leave --align out, or say {listed.replace(chr(34), '')}; or leave --compat {name} "
            "out.",
        )
