"""Build the wheel and the source distribution, look into them, and try them where nobody knows
this checkout. `make package` runs it.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import venv
from collections.abc import Iterable
from pathlib import Path
from zipfile import ZipFile

ROOT = Path(__file__).parents[1]
DIST = ROOT / "dist"
SHIPPED = (
    "py.typed",
    "__init__.pyi",
    "pytest_plugin.py",
    "schemas/clusterdiff.schema.json",
    "page/web/",
)
"""What the wheel must have besides modules."""
SOURCES = ("pyproject.toml", "README.md", "LICENSE", "CHANGELOG.md", "CITATION.cff", "tests/")
TRUTH = "id,cluster\n1,a\n2,a\n3,b\n4,b\n"
GUESS = "id,cluster\n1,x\n2,x\n3,y\n4,z\n"
TEST = """
from clusterdiff.testing import assert_no_regression

def test_it():
    assert_no_regression("truth.csv", "guess.csv", baseline="baseline.json", measures="elm_f")
"""
IMPORT_SECONDS = 0.2
"""How long a processor may be busy with `import clusterdiff`; it is some hundredths."""


def run(*command: str | os.PathLike[str], cwd: Path = ROOT) -> str:
    """What a command prints; it must succeed, and no variable tells it of this checkout."""
    hidden = ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV", "PYTEST_ADDOPTS")
    clean = {key: value for key, value in os.environ.items() if key not in hidden}
    ran = subprocess.run(
        [os.fspath(part) for part in command],
        cwd=cwd, env=clean, capture_output=True, encoding="utf-8", errors="replace", check=False,
    )  # fmt: skip
    if ran.returncode:
        sys.exit(f"{command} ended with {ran.returncode}:\n{ran.stdout}\n{ran.stderr}")
    return ran.stdout


def built() -> tuple[Path, Path]:
    """The wheel, made from the source distribution, and that."""
    for old in DIST.glob("clusterdiff-*"):
        old.unlink()
    run(sys.executable, "-m", "build", "--outdir", DIST)
    (wheel,), (sdist,) = DIST.glob("*.whl"), DIST.glob("*.tar.gz")
    return wheel, sdist


def lacking(wanted: Iterable[str], names: Iterable[str], top: str) -> list[str]:
    """What is wanted and not there: files, or folders with a file in them."""
    inside = [name.removeprefix(top) for name in names if name.startswith(top)]
    return [
        one
        for one in wanted
        if not any(name == one or (one.endswith("/") and name.startswith(one)) for name in inside)
    ]


def look_into(wheel: Path, sdist: Path) -> None:
    """All modules and data of the sources are in the wheel, and nothing else is."""
    names = ZipFile(wheel).namelist()
    if missing := lacking(SHIPPED, names, "clusterdiff/"):
        sys.exit(f"the wheel lacks {', '.join(missing)}")
    source = ROOT / "src"
    files = {
        path.relative_to(source).as_posix()
        for path in source.rglob("*")
        if path.is_file() and not re.search(r"__pycache__|\.egg-info|\.nb[ic]$", path.as_posix())
    }
    extra = {name for name in names if ".dist-info/" not in name} ^ files
    if extra:
        sys.exit(f"the wheel and src/ differ in {', '.join(sorted(extra)[:5])}")
    with tarfile.open(sdist) as packed:
        top = f"{sdist.name.removesuffix('.tar.gz')}/"
        if missing := lacking(SOURCES, packed.getnames(), top):
            sys.exit(f"the source distribution lacks {', '.join(missing)}")


def try_out(wheel: Path, folder: Path) -> None:
    """Install the wheel into an empty environment, and use it from another folder."""
    venv.create(folder / "env", with_pip=True)
    scripts = next(path for path in (folder / "env").iterdir() if path.name in ("bin", "Scripts"))
    python, command = scripts / "python", scripts / "clusterdiff"
    run(python, "-m", "pip", "install", "--quiet", wheel, "pytest")
    (folder / "truth.csv").write_text(TRUTH)
    (folder / "guess.csv").write_text(GUESS)
    (folder / "test_it.py").write_text(TEST)
    place = run(python, "-c", "import clusterdiff; print(clusterdiff.__file__)", cwd=folder)
    assert Path(place.strip()).is_relative_to(folder.resolve()), place
    assert "elm_f" in run(command, "demo", cwd=folder)
    version = run(python, "-m", "clusterdiff", "--version", cwd=folder)
    assert version.split()[1] in wheel.name, version
    assert "0.5000" in run(command, "compare", "truth.csv", "guess.csv", "-m", "elm_f", cwd=folder)
    assert '"clusterdiff/diff/2"' in run(command, "schema", "diff", cwd=folder)
    run(python, "-m", "pytest", "-q", "--clusterdiff-update", cwd=folder)
    assert (folder / "baseline.json").exists()
    assert "1 passed" in run(python, "-m", "pytest", "-q", cwd=folder)
    timed = "import time; t = time.process_time(); import clusterdiff; print(time.process_time()-t)"
    took = min(float(run(python, "-c", timed, cwd=folder)) for _ in range(3))
    assert took < IMPORT_SECONDS, f"import clusterdiff takes {took:.2f} s"
    print(f"import clusterdiff: {1000 * took:.0f} ms")
    if uvx := shutil.which("uvx"):
        assert "elm_f" in run(uvx, "--from", wheel, "clusterdiff", "demo", cwd=folder)


def main() -> None:
    """Build, look, try."""
    wheel, sdist = built()
    look_into(wheel, sdist)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        try_out(wheel, Path(folder).resolve())
    print(f"{wheel.name} ({wheel.stat().st_size / 1e6:.1f} MB) and {sdist.name} are fine")


if __name__ == "__main__":
    main()
