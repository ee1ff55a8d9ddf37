"""Layers import downwards only, and importing the package costs little: not even NumPy."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import clusterdiff

ROOT = Path(clusterdiff.__file__).parent
LAYERS = [
    "array_types",
    "version",
    "errors",
    "plugins",
    "tidy",
    "progress",
    "compiled_cache",
    "compiled",
    "clusterings",
    "estimators",
    "meet",
    "backends",
    "inputs",
    "measures",
    "statistics",
    "many",
    "laboratory",
    "results",
    "papers",
    "cli",
    "extending",
    "testing",
    "pytest_plugin",
]
HEAVY = {"pandas", "polars", "pyarrow", "duckdb", "numba", "scipy", "narwhals", "rich", "typer"}


def layer_of(module: str) -> str:
    return module.split(".")[1] if "." in module else ""


def imports_of(path: Path) -> set[str]:
    """All modules of the package that a file imports, wherever in the file."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
    return {name for name in found if name.startswith("clusterdiff")}


def test_layers_import_downwards_only() -> None:
    seen = 0
    for path in ROOT.rglob("*.py"):
        parts = path.relative_to(ROOT).with_suffix("").parts
        if parts[0].startswith("__"):
            continue
        mine = LAYERS.index(parts[0])
        for name in imports_of(path):
            seen += 1
            assert LAYERS.index(layer_of(name)) <= mine, f"{path} imports {name}"
    assert seen > 50


def test_importing_costs_little() -> None:
    code = "import sys, clusterdiff; print(*sorted(m.split('.')[0] for m in sys.modules))"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(ran.stdout.split())
    assert not loaded & (HEAVY | {"numpy"})


def test_importing_loads_few_modules_of_our_own() -> None:
    code = "import sys, clusterdiff; print(sum(m.startswith('clusterdiff') for m in sys.modules))"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert int(ran.stdout) < 30


def test_subpackages_do_not_hide_functions() -> None:
    code = (
        "import clusterdiff.meet, clusterdiff.measures, clusterdiff.laboratory\n"
        "import clusterdiff as cd\n"
        "assert all(callable(f) for f in (cd.meet, cd.measures, cd.laboratory))\n"
        "assert set(cd.__all__) <= set(dir(cd)) and all(hasattr(cd, n) for n in cd.__all__)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_number_from_lists_costs_no_heavy_import() -> None:
    code = (
        "import sys, clusterdiff as cd; cd.compare([1, 1, 2], [1, 2, 2]);"
        "print(*sorted(m.split('.')[0] for m in sys.modules))"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not set(ran.stdout.split()) & (HEAVY - {"narwhals"})


def test_nothing_private_of_other_packages_is_imported() -> None:
    """Names with an underscore change without notice."""
    for path in ROOT.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import | ast.ImportFrom):
                module = getattr(node, "module", None) or ""
                parts = ".".join([module, *(alias.name for alias in node.names)]).split(".")
                private = [part for part in parts if re.match(r"_[^_]", part)]
                assert parts[0] == "clusterdiff" or not private, f"{path} imports {parts}"
