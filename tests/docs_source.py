"""The modules that build the documentation, which are no package."""

from __future__ import annotations

import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

DOCS = Path(__file__).parents[1] / "docs"


def source(name: str) -> ModuleType:
    """A module of docs/, by its name."""
    spec = spec_from_file_location(f"docs_{name}", DOCS / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    made = sys.modules[spec.name] = module_from_spec(spec)
    spec.loader.exec_module(made)
    return made
