"""Labels that are the text for a missing value, told where it is known what is noise."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from clusterdiff.clusterings import Partition
from clusterdiff.errors.warn import ClusterdiffWarning, warn

if TYPE_CHECKING:
    from collections.abc import Iterable

    from clusterdiff.clusterings import AnyClustering
    from clusterdiff.meet import Policy


def warn_of_null_words(
    truth: Iterable[AnyClustering], guess: Iterable[AnyClustering], policy: Policy
) -> None:
    """Warn where several objects are in a cluster called "nan" or the like that is not noise.

    Truth and guess are one clustering each, or one for each sample.
    """
    for name, sides in (("truth", truth), ("guess", guess)):
        labels = [s.labels for s in sides if isinstance(s, Partition) and not s.labels.written]
        found: Counter[str] = Counter()
        for one in labels:
            found.update({word: n for word, n in one.null_words.items() if n > 1})
        for label in policy.noise_labels:
            found.pop(label, None)
        if found:
            total = sum(map(len, labels))
            warning = ClusterdiffWarning.from_null_words(name, found, total)
            warn(warning, type(warning))
