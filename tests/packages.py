"""Packages that are installed for one test: a folder on the path, with what pip would write."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from clusterdiff import plugins
from clusterdiff.measures.base import REGISTRY


def write(folder: Path, name: str, points: str, **modules: str) -> Path:
    """A package with modules and entry points, as it lies in site-packages."""
    info = folder / f"{name}-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(points)
    for module, text in modules.items():
        (folder / f"{module}.py").write_text(text, encoding="utf-8")
    return folder


@contextmanager
def installed(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """As if the packages of a folder were installed, and nothing had been asked for before."""
    before, modules = dict(REGISTRY), set(sys.modules)
    monkeypatch.setattr(plugins, "_LOADED", {})
    monkeypatch.syspath_prepend(folder)
    try:
        yield
    finally:
        REGISTRY.clear()
        REGISTRY.update(before)
        for name in set(sys.modules) - modules:
            if str(folder) in str(getattr(sys.modules[name], "__file__", "")):
                del sys.modules[name]
