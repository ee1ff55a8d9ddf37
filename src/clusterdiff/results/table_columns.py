"""Truth and guesses by name: columns of a data frame or of the `obs` of an AnnData, or attributes
of the nodes of a graph.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from typing import Any, ParamSpec, Protocol, TypeVar, overload

from clusterdiff.backends.columns.frames import is_frame
from clusterdiff.backends.columns.names import named_ids
from clusterdiff.backends.samples import with_samples
from clusterdiff.errors import ClusterdiffError, MissingColumn, a_type, did_you_mean
from clusterdiff.errors.files.columns import some
from clusterdiff.inputs.networks import attributes_of
from clusterdiff.inputs.runs import partitions_of_frame

P = ParamSpec("P")
R = TypeVar("R", covariant=True)


class OfColumns(Protocol[P, R]):
    """A verb of clusterings, and of columns of one table."""

    @overload
    def __call__(self, *given: P.args, **options: P.kwargs) -> R: ...
    @overload
    def __call__(
        self,
        table: Any,
        /,
        *given: Any,
        truth: str,
        guess: str | Sequence[str] | None = None,
        guesses: str | Sequence[str] | None = None,
        id: str | Sequence[str] | None = None,
        **options: Any,
    ) -> R: ...


def takes_columns(verb: Callable[P, R]) -> OfColumns[P, R]:
    """A verb of truth and guess that takes a table and the names of its columns too:
    verb(adata, truth="cell_type", guesses=["leiden_0.5", "leiden_1.0"]); `id` names the column of
    the ids, or several that are one id together.
    """

    act: Any = verb

    def run(*given: Any, **options: Any) -> Any:
        named = options.pop("guesses", None)
        if named is not None:
            options["guess"] = named
        if not given or "truth" not in options:
            return act(*given, **options)
        table, *rest = given
        truth, guesses = options.pop("truth"), options.pop("guess", None)
        id = options.pop("id", None)
        several = [guesses] if isinstance(guesses, str) else list(guesses or ())
        samples = options.get("samples")
        if samples is not None and not isinstance(samples, Mapping):
            del options["samples"]  # the clusterings have them: their ids may repeat
        else:
            samples = None
        found = named_in(table, [truth, *several], id, samples)
        chosen = {name: found[name] for name in several}
        one = isinstance(guesses, str) or not several
        guess = chosen.get(guesses) if one else chosen
        return act(found[truth], guess, *rest, **options)

    made: Any = wraps(verb)(run)
    return made  # type: ignore[no-any-return]


def named_in(
    table: Any, names: list[str], id: str | Sequence[str] | None, samples: Any
) -> dict[str, Any]:
    """The columns or attributes of these names, as clusterings."""
    both = [*names, samples] if isinstance(samples, str) else names
    if (attributes := attributes_of(table, both)) is not None:
        if samples is None:
            return attributes
        of = attributes[samples].labels if isinstance(samples, str) else samples
        return {name: with_samples(attributes[name], of) for name in names}
    if (data := frame_within(table)) is None:
        raise ClusterdiffError(
            f"truth={names[0]!r} names a column, but {a_type(table)} has none.",
            'give a frame, an AnnData or a graph first: cd.compare(adata, truth="cell_type", '
            'guesses=["leiden"]); or two clusterings, cd.compare(truth, guess).',
        )
    return taken(data, table, names, id, samples)


def frame_within(table: Any) -> Any:
    """The frame of a table: itself, or the annotation of the objects of an AnnData or MuData."""
    inner = getattr(table, "obs", None)
    if inner is not None and is_frame(inner):
        return inner
    return table if not hasattr(table, "dtype") and is_frame(table) else None


def taken(
    data: Any, table: Any, names: Sequence[str], id: str | Sequence[str] | None, samples: Any
) -> dict[str, Any]:
    """The columns of these names, as partitions under the ids of the table."""
    path = "the frame" if data is table else f"{type(table).__name__}.obs"
    known = columns_of(data)
    for name in [*names, samples] if isinstance(samples, str) else names:
        if name not in known:
            raise MissingColumn(
                f"{path} has no column {name!r}; it has {some(list(map(repr, known)))}.",
                f"{did_you_mean(name, known) or 'name one of them.'}".strip(),
            )
    return dict(partitions_of_frame(data, names, named_ids(path, known, id or None), samples))


def columns_of(data: Any) -> list[str]:
    """What the columns of a frame are called."""
    import narwhals as nw

    return list(map(str, nw.from_native(data).collect_schema().names()))
