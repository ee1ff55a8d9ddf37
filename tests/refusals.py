"""What is refused: one line for a call and what it says."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import clusterdiff as cd


def refuses(
    message: str | None, call: Callable[..., object], *given: Any, **options: Any
) -> cd.ClusterdiffError:
    """The error that a call ends with; its message has the pattern in it, if one is given."""
    with pytest.raises(cd.ClusterdiffError, match=message) as caught:
        call(*given, **options)
    return caught.value
