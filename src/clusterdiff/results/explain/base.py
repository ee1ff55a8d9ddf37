"""What all explanations have in common: a ranking by loss, printed, exported, looked up."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, Self

from clusterdiff.results.origins import NOWHERE, Origins
from clusterdiff.results.render import markup
from clusterdiff.results.render.frames import frame_of
from clusterdiff.results.render.text import printable, wrapped

if TYPE_CHECKING:
    from clusterdiff.measures import Measure
    from clusterdiff.results.render.table import Table
    from clusterdiff.results.score import Score

TOP = 10
"""How many entries of a ranking are shown where nobody says otherwise."""
IDS = 5
"""How many objects of each are named."""


class Told(ABC):
    """Where two clusterings differ, ranked by what each place takes off the best score.

    In all methods `top` says how many places are told and `ids` how many objects of each part are
    named; None is all of them.
    """

    score: Score
    origins: Origins = NOWHERE
    """The columns that truth and guess were read from."""

    def read_from(self, origins: Origins) -> Self:
        """The same, told with the columns that it was read from."""
        vars(self)["origins"] = origins
        return self

    def columns_read(self, width: int) -> list[str]:
        """A line with these columns, where there are any."""
        sentence = printable(self.origins.sentence())
        return [wrapped(sentence, width)] if sentence else []

    @property
    def measure(self) -> Measure:
        """The measure whose loss is told."""
        return self.score.measure

    @abstractmethod
    def to_text(
        self, width: int | None = None, top: int | None = TOP, ids: int | None = IDS
    ) -> str:
        """The explanation for a terminal of this width."""

    @abstractmethod
    def to_dict(self, top: int | None = TOP, ids: int | None = IDS) -> dict[str, Any]:
        """Everything, for programs."""

    @abstractmethod
    def records(self, top: int | None = TOP, ids: int | None = IDS) -> list[dict[str, Any]]:
        """One record per part of each place."""

    @abstractmethod
    def table(self, top: int | None = TOP, ids: int | None = IDS) -> Table:
        """The places as a table for eyes."""

    @abstractmethod
    def sentences(self) -> list[str]:
        """What became of objects and clusters, in a few sentences."""

    @abstractmethod
    def object(self, id: Any, sample: Any = None) -> Any:
        """What is said of one object, by both sides."""

    def __str__(self) -> str:
        return self.to_text()

    __repr__ = __str__

    def to_json(self, top: int | None = TOP, ids: int | None = IDS, indent: int | None = 2) -> str:
        """Everything, as JSON."""
        return markup.to_json(self.to_dict(top, ids), indent)

    def to_csv(self, top: int | None = TOP, ids: int | None = IDS) -> str:
        """One line per part of each place, full precision."""
        records = self.records(top, ids)
        rows = [[_flat(value) for value in record.values()] for record in records]
        return markup.to_csv(list(records[0]) if records else self.columns, rows)

    columns: tuple[str, ...]
    """What the records hold, also where there are none."""

    def to_frame(self, library: str = "pandas", top: int | None = None, ids: int | None = 0) -> Any:
        """A pandas, polars or pyarrow frame of the records."""
        return frame_of(self.records(top, ids), library, self.columns)

    def to_markdown(self, top: int | None = TOP, ids: int | None = IDS) -> str:
        """A Markdown table."""
        return markup.to_markdown(self.table(top, ids))

    def to_latex(self, top: int | None = TOP, ids: int | None = IDS) -> str:
        """A booktabs table with the signature as a comment."""
        return markup.to_latex(self.table(top, ids), [self.score.sign()])

    def _repr_html_(self) -> str:
        return markup.to_html(self.table(), caption=self.headline)

    @property
    @abstractmethod
    def headline(self) -> str:
        """The score, and what is lost."""


def _flat(value: Any) -> Any:
    """Lists and pairs as JSON, so that they stay in one cell."""
    if isinstance(value, list | tuple | dict):
        return markup.to_json(value)
    return value
