"""Layers import downwards only, and importing the package costs little: not even NumPy."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import clusterdiff

ROOT = Path(clusterdiff.__file__).parent
LAYERS = (
    "array_types", "version", "errors", "plugins", "cleanup", "progress", "compiled_cache",
    "compiled", "clusterings", "contingency", "engines", "io", "measures", "statistics", "output",
    "cli", "compare",
)  # fmt: skip
"""Foundations, each built on those before it; every job compares, so `compare` is one too."""
ROOMS = ("chance", "explain", "releases", "runs", "sampling", "sweep", "table")
"""A folder per job: they build on the layers, and do without each other."""
ROOF = ("browse", "page", "plot", "demo", "extending", "estimators", "testing", "pytest_plugin")
"""What puts jobs together."""
HEAVY = {"pandas", "polars", "pyarrow", "duckdb", "numba", "scipy", "narwhals", "rich", "typer"}


def imports_of(path: Path) -> set[str]:
    """The modules that a file imports, wherever in the file, but for the names of types."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    types = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)
        for inner in ast.walk(node)
    }
    found = set()
    for node in ast.walk(tree):
        if id(node) in types:
            continue
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
    return found


def place(name: str) -> int:
    """How high something stands in the house."""
    for height, names in enumerate([*((one,) for one in LAYERS), ROOMS, ROOF]):
        if name in names:
            return height
    raise AssertionError(f"{name} has no place in the house: name it in this test")


def test_layers_import_downwards_and_rooms_not_each_other() -> None:
    seen = 0
    for path in ROOT.rglob("*.py"):
        own = path.relative_to(ROOT).with_suffix("").parts[0]
        if own.startswith("__"):
            continue
        for name in imports_of(path):
            if not name.startswith("clusterdiff."):
                continue
            seen += 1
            other = name.split(".")[1]
            below = place(other) < place(own)
            assert below or other == own or own in ROOF, f"{path} imports {name}"
    assert seen > 50


def test_the_product_does_without_the_laboratory() -> None:
    for path in ROOT.rglob("*.py"):
        assert not any(name.startswith("clusterdiff_lab") for name in imports_of(path)), path


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
        "import clusterdiff.compare.compare, clusterdiff.measures, clusterdiff.contingency\n"
        "import clusterdiff as cd, clusterdiff_lab as lab, clusterdiff_lab.axioms.laboratory\n"
        "names = (cd.compare, cd.contingency, cd.measures, cd.page, lab.axioms, lab.laboratory)\n"
        "assert all(callable(f) for f in names) and cd.plot.sizes\n"
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


def test_a_comparison_of_files_needs_no_pandas(tmp_path: Path) -> None:
    """Its import takes longer than the comparison; much of PyArrow imports it."""
    for name, last in (("truth", "b"), ("guess", "a")):
        (tmp_path / f"{name}.csv").write_text(f"id,cluster\nr1,a\nr2,a\nr3,b\nr4,{last}\n")
    code = (
        "import sys; from clusterdiff.cli.main import app; sys.argv[0] = 'clusterdiff'\n"
        "try: app()\nexcept SystemExit: pass\n"
        "sys.exit('pandas' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, "compare", "truth.csv", "guess.csv"],
        cwd=tmp_path, check=False, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "4 objects" in done.stdout
